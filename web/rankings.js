// Two rankings of a query side by side.
const OPENED = 6; // documents of a tie group that are listed at once

function rankingSection() {
  const where = section("rankings", "Two rankings side by side",
    "Green: relevant, with its grade. Dashed: not judged. A bar at the left marks documents with one score, whose order is arbitrary. An arrow gives a document's ranks in the other run.");
  const ofRuns = () => runs().map((run) => [run.number, run.name]);
  const [a, fillA] = picked("A", ofRuns, "a");
  const [b, fillB] = picked("B", ofRuns, "b");
  const listed = () => [...state.values.values()][0]?.queries ?? state.shared ?? [];
  const [query, fillQueries] = picked("Query", () => listed().map((id) => [id, id]), "query");
  const step = (by) => {
    const all = listed();
    change({ query: all[(all.indexOf(state.query) + by + all.length) % all.length] });
  };
  const panel = node("div", { class: "two", id: "panel", "aria-live": "polite" });
  const more = node("button", { type: "button", onclick: () => change({ depth: state.depth + 20 }) }, "Show more documents");
  where.append(node("div", { class: "bar" }, a, b, query,
    node("button", { type: "button", onclick: () => step(-1), "aria-label": "Previous query" }, "←"),
    node("button", { type: "button", onclick: () => step(1), "aria-label": "Next query" }, "→")), panel, node("div", { class: "bar" }, more));
  const light = (event, lit) => {
    const doc = event.target.closest?.("[data-doc]");
    if (doc) panel.querySelectorAll(`[data-doc="${CSS.escape(doc.dataset.doc)}"]`).forEach((each) => each.classList.toggle("lit", lit));
  };
  panel.addEventListener("mouseover", (event) => light(event, true));
  panel.addEventListener("mouseout", (event) => light(event, false));
  let drawn = 0;
  const draw = async () => {
    const mine = ++drawn, [one, other] = [state.a, state.b];
    const found = await work.ask({ do: "rankings", runs: [...new Set([one, other])], query: state.query, depth: state.depth,
      score_dtype: state.policies.score_dtype, ...(qrels() ? { qrels: qrels().number } : {}) }, "reading rankings");
    const moved = one === other ? { documents: [] } : await work.ask({ do: "moved", a: one, b: other, query: state.query, depth: state.depth, ties: "expected", score_dtype: state.policies.score_dtype }, "reading rankings");
    if (mine !== drawn) return;
    const ranks = new Map(moved.documents.map((document) => [document.id, document]));
    const side = (number, letter, ranking) => oneRanking(number, letter, ranking, (id) => ranks.get(id)?.[letter === "A" ? "b" : "a"], one === other);
    panel.replaceChildren(side(one, "A", found.runs[0]), ...(one === other ? [] : [side(other, "B", found.runs[1])]));
    more.hidden = found.runs.every((ranking) => ranking.total <= state.depth);
  };
  follow("files values a b query depth shared", () => {
    [fillA, fillB, fillQueries].forEach((fill) => fill());
    where.hidden = !file(state.a) || !file(state.b) || !state.query || !listed().length;
    if (where.hidden) return;
    if (isLarge(state.a) || isLarge(state.b)) {
      panel.replaceChildren(node("p", {}, "These runs are large: to show a ranking, all of a run is read into memory. ",
        node("button", { type: "button", onclick: () => { draw().catch(fail); } }, "Read them")));
      more.hidden = true;
    } else draw().catch(fail);
  });
}

const positions = (ranks) => (ranks[0] === ranks[1] ? String(ranks[0]) : `${count(ranks[0])}–${count(ranks[1])}`);

function oneRanking(number, letter, { groups, beyond, total }, elsewhere, alone) {
  let rank = 1;
  const items = groups.map((group, place) => {
    const size = group.length + (place === groups.length - 1 ? beyond : 0), first = rank;
    rank += size;
    const document = ({ id, grade, score }) => {
      const open = grade === null || grade < 0, other = elsewhere(id);
      const what = grade === null ? "not judged" : grade < 0 ? "pooled, not judged" : `grade ${grade}`;
      return node("div", { class: "doc", "data-doc": id },
        node("span", { class: "grade " + (open ? "open" : grade > 0 ? "relevant" : ""), title: what }, grade === null ? "?" : grade < 0 ? "–" : String(grade)),
        node("span", { class: "id", title: `${id}, score ${score}` }, id),
        node("span", { class: "other", title: "ranks in the other run" }, alone ? "" : other ? `↔ ${positions(other)}` : "only here"));
    };
    const shown = group.slice(0, OPENED), hidden = group.slice(OPENED);
    const rest = size - shown.length;
    const fold = hidden.length ? node("details", { class: "fold" },
      node("summary", {}, rest > hidden.length ? `${count(rest)} more with this score; show ${count(hidden.length)}` : `${count(rest)} more with this score`), ...hidden.map(document),
      rest > hidden.length ? node("div", { class: "note doc" }, `and ${count(rest - hidden.length)} more: see “Show more documents”`) : null)
      : rest ? node("div", { class: "note doc" }, `and ${count(rest)} more with this score`) : null;
    return node("li", { class: size > 1 ? "tied" : null },
      node("span", { class: "place" }, positions([first, first + size - 1])),
      node("div", { class: "docs" }, size > 1 ? node("div", { class: "doc sub" }, `${count(size)} documents tied at ${group[0].score}: any order is possible`) : null,
        ...shown.map(document), fold));
  });
  const found = state.values.get(number), row = found?.queries.indexOf(state.query) ?? -1;
  const columns = found?.values[state.measure];
  const value = row < 0 ? "" : ` · ${state.measures[state.measure]} ${bracketed({ mean: columns.mean[row], low: columns.low?.[row], high: columns.high?.[row] })}`;
  return node("div", {},
    node("h3", {}, `${letter}: ${file(number).name}${value}`),
    items.length ? node("ol", { class: "ranking" }, ...items) : node("p", { class: "note" }, "The run has nothing for this query."),
    node("p", { class: "note" }, `${count(total)} documents retrieved`));
}
