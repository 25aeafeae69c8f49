// Two rankings of a query side by side, and what moved between them.

// The first rank that each document of a ranking could have.
function ranksOf({ groups }) {
  const ranks = new Map();
  let rank = 1;
  for (const group of groups) {
    for (const doc of group) ranks.set(doc, rank);
    rank += group.length;
  }
  return ranks;
}

// What can be said of a document that is not among those shown of a ranking.
function missing({ groups, beyond, total }) {
  const shown = groups.flat().length;
  if (shown >= total) return "only here";
  const certain = beyond ? shown - groups[groups.length - 1].length : shown; // the others of its last tie group are not shown
  return certain ? `not in top ${certain}` : "not shown";
}

function saveMoved() {
  const rows = [["query", "document", "rank_a", "rank_b", "grade"]];
  data.rankings.forEach((truth, query) => {
    truth.docs.forEach((id, doc) => {
      const [a, b] = truth.ranks[doc];
      if (a !== b) rows.push([data.queries[query], id, a ?? "", b ?? "", truth.grades[doc] ?? ""]);
    });
  });
  save("moved.tsv", "text/tab-separated-values", rows.map((row) => row.join("\t")).join("\n") + "\n");
}

function ranking(query, side) {
  const truth = data.rankings[query];
  if (!truth) return node("p", { class: "note" }, side === "a" ? "This page has rankings only for the queries in which the runs differ most. This query is not one of them." : "");
  const [mine, theirs] = side === "a" ? [state.a, state.b] : [state.b, state.a];
  // A page about a comparison knows the ranks at any depth.
  const places = truth.ranks ? new Map(truth.ranks.map((ranks, doc) => [doc, ranks[theirs]]).filter(([, rank]) => rank !== null)) : ranksOf(truth.runs[theirs]);
  const elsewhere = truth.ranks ? "only here" : missing(truth.runs[theirs]);
  const { groups, beyond, total } = truth.runs[mine];
  let rank = 1;
  const items = groups.map((group, number) => {
    const size = group.length + (number === groups.length - 1 ? beyond : 0);
    const place = size > 1 ? `${rank}–${rank + size - 1}` : String(rank);
    rank += group.length;
    const docs = group.map((doc) => {
      const grade = truth.grades[doc], words = truth.texts?.[doc];
      const kind = grade === null || grade < 0 ? "open" : grade > 0 ? "relevant" : "";
      const what = grade === null ? "not judged" : grade < 0 ? "pooled, not judged" : `grade ${grade}`;
      return node("div", { class: "doc", "data-doc": doc },
        node("span", { class: "grade " + kind, title: what }, grade === null ? "?" : grade < 0 ? "–" : String(grade)),
        node("span", { class: "id", title: words || truth.docs[doc] }, truth.docs[doc], words ? node("span", { class: "sub" }, words) : null),
        node("span", { class: "other", title: "rank in the other run" }, mine === theirs ? "" : places.has(doc) ? `↔ ${places.get(doc)}` : elsewhere));
    });
    const more = size > group.length ? [node("div", { class: "note doc" }, `and ${count(size - group.length)} more with this score`)] : [];
    return node("li", { class: size > 1 ? "tied" : null, title: size > 1 ? `${size} documents share one score` : null },
      node("span", { class: "place" }, place), node("div", { class: "docs" }, ...docs, ...more));
  });
  const value = comparing ? "" : ` · ${key().name} ${show(data.values[state.measure][mine][query])}`;
  return node("div", {},
    node("h3", {}, `${alone ? "" : `${side.toUpperCase()}: `}${data.runs[mine]}${value}`),
    items.length ? node("ol", { class: "ranking" }, ...items) : node("p", { class: "note" }, "The run has no documents for this query."),
    node("p", { class: "note" }, `${count(total)} documents retrieved`));
}

function sideBySide() {
  const where = section("query", alone ? "One ranking" : "Two rankings side by side",
    "Green: relevant, with the grade. Dashed: not judged. Documents with a bar on the left have the same score, so their order is arbitrary."
    + (alone ? "" : " ↔ shows the rank in the other run; for a tied document, the first of its possible ranks."));
  const step = (by) => change({ query: (state.query + by + data.queries.length) % data.queries.length });
  where.append(node("div", { class: "bar" },
    choice("Query", data.queries, "query"),
    node("button", { type: "button", onclick: () => step(-1), "aria-label": "Previous query" }, "←"),
    node("button", { type: "button", onclick: () => step(1), "aria-label": "Next query" }, "→")));
  const words = node("p", { class: "asked" }), name = node("span", { class: "paper" }), panel = node("div", { class: "two", id: "panel", "aria-live": "polite" });
  where.append(words, panel);
  const light = (event, lit) => {
    const doc = event.target.closest?.("[data-doc]");
    if (doc) panel.querySelectorAll(`[data-doc="${doc.dataset.doc}"]`).forEach((each) => each.classList.toggle("lit", lit));
  };
  panel.addEventListener("mouseover", (event) => light(event, true));
  panel.addEventListener("mouseout", (event) => light(event, false));
  follow("query a b measure", () => {
    name.textContent = `Query ${data.queries[state.query]}`;
    words.replaceChildren(name, titleOf(state.query) || "");
    panel.replaceChildren(...(alone ? ["a"] : ["a", "b"]).map((side) => ranking(state.query, side)));
  });
}
