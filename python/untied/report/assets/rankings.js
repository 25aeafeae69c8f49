// Two rankings of a query side by side, and what moved between them.
const OPENED = 6; // documents of a whole tie group that are listed at once
const LISTED = 300; // and of those that a click adds

/** Reads both rankings of a query to a depth from the core, with whole tie groups, where a page can; see live_rankings.js.
 * @type {{read: (query: number, depth: number) => Promise<any>, asks: () => string | null} | null} */
let deeper = null;

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

// A rank, or the first and the last of those that a tied document can have.
const positions = (ranks) => (!Array.isArray(ranks) ? String(ranks) : ranks[0] === ranks[1] ? String(ranks[0]) : `${count(ranks[0])}–${count(ranks[1])}`);

/** How many documents are preferred to one, in words. */
const preferredWords = (others) => `${others ? count(others) : "no"} ${others === 1 ? "document is" : "documents are"} preferred to it`;

/** What a group of documents with one score has, in words. */
function groupWords(grades, score) {
  const relevant = grades.filter((grade) => grade > 0).length, open = grades.filter((grade) => grade === null || grade < 0).length;
  const judged = data.measures.length ? `, ${relevant ? count(relevant) : "none"} of them relevant${open ? `, ${count(open)} unjudged` : ""}` : "";
  return `${count(grades.length)} documents tied at ${score}${judged}: any order is possible`;
}

/** Rows of documents, of which those beyond the first few are folded. */
function folded(docs) {
  const hidden = docs.slice(OPENED), listed = hidden.slice(0, LISTED), rest = hidden.length - listed.length;
  if (!hidden.length) return docs;
  const closed = `${count(hidden.length)} more with this score${rest ? `; show ${count(listed.length)}` : ""}`, words = node("summary", {}, closed);
  const fold = node("details", { class: "fold", ontoggle: () => { words.textContent = fold.open ? "hide" : closed; } }, words, ...listed,
    rest ? node("div", { class: "note doc" }, `and ${count(rest)} more${data.measures.length ? ", relevant ones before others" : ""}`) : null);
  return [...docs.slice(0, OPENED), fold];
}

function ranking(truth, side) {
  if (!truth) return node("p", { class: "note" }, side === "a" ? "This page has rankings only for the queries in which the runs differ most. This query is not one of them." : "");
  const [mine, theirs] = side === "a" ? [state.a, state.b] : [state.b, state.a];
  // A page about a comparison knows the ranks at any depth.
  const places = truth.ranks ? new Map(truth.ranks.map((ranks, doc) => [doc, ranks[theirs]]).filter(([, rank]) => rank !== null)) : ranksOf(truth.runs[theirs]);
  const elsewhere = truth.ranks ? "only here" : missing(truth.runs[theirs]);
  const { groups, beyond, total, scores } = truth.runs[mine];
  let rank = 1;
  const items = groups.map((group, number) => {
    const size = group.length + (number === groups.length - 1 ? beyond : 0);
    const place = positions([rank, rank + size - 1]), score = scores?.[number];
    rank += group.length;
    const document = (doc) => {
      const grade = truth.grades[doc], words = truth.texts?.[doc];
      const kind = grade === null || grade < 0 ? "open" : grade > 0 ? "relevant" : "";
      const what = grade === null ? "not judged" : grade < 0 ? "pooled, not judged" : data.has_preferences ? preferredWords(grade - 1) : `grade ${grade}`;
      return node("div", { class: "doc", "data-doc": doc },
        node("span", { class: "grade " + kind, title: what }, grade === null ? "?" : grade < 0 ? "–" : String(grade)),
        node("span", { class: "id", title: `${words || truth.docs[doc]}${scores ? `, score ${score}` : ""}` }, truth.docs[doc], words ? node("span", { class: "sub" }, words) : null),
        node("span", { class: "other", title: "rank in the other run" }, mine === theirs ? "" : places.has(doc) ? `↔ ${positions(places.get(doc))}` : elsewhere));
    };
    const docs = scores ? folded(group.map(document)) : group.map(document);
    const about = scores && size > 1 ? node("div", { class: "doc sub" }, groupWords(group.map((doc) => truth.grades[doc]), score)) : null;
    const more = size > group.length ? [node("div", { class: "note doc" }, `and ${count(size - group.length)} more with this score`)] : [];
    return node("li", { class: size > 1 ? "tied" : null, title: size > 1 ? `${size} documents share one score` : null },
      node("span", { class: "place" }, place), node("div", { class: "docs" }, about, ...docs, ...more));
  });
  const value = comparing || !data.measures.length ? "" : ` · ${key().name} ${bracketed(valueOf(mine, state.query))}`;
  return node("div", {},
    node("h3", {}, `${alone ? "" : `${side.toUpperCase()}: `}${data.runs[mine]}${value}`),
    items.length ? node("ol", { class: "ranking" }, ...items) : node("p", { class: "note" }, "The run has no documents for this query."),
    node("p", { class: "note" }, `${count(total)} documents retrieved`));
}

function sideBySide() {
  if (!data.queries.length) return;
  const where = section("query", alone ? "One ranking" : "Two rankings side by side",
    `Green: ${data.has_preferences ? "in the preferences, with the place: 1, and 1 more for each document that is preferred" : "relevant, with the grade"}. Dashed: not judged. Documents with a bar on the left have the same score, so their order is arbitrary.`
    + (alone ? "" : ` ↔ shows the rank in the other run; for a tied document, ${data.rankings[0]?.docs ? "the first" : "from the first to the last"} of its possible ranks.`));
  const step = (by) => change({ query: (state.query + by + data.queries.length) % data.queries.length });
  where.append(node("div", { class: "bar" },
    choice("Query", data.queries, "query"),
    node("button", { type: "button", onclick: () => step(-1), "aria-label": "Previous query" }, "←"),
    node("button", { type: "button", onclick: () => step(1), "aria-label": "Next query" }, "→")));
  const words = node("p", { class: "asked" }), name = node("span", { class: "paper" }), panel = node("div", { class: "two", id: "panel", "aria-live": "polite" });
  const more = node("button", { type: "button", onclick: () => change({ depth: shownDepth() + 20 }) }, "Show more documents");
  where.append(words, panel, node("div", { class: "bar" }, more));
  const light = (event, lit) => {
    const doc = event.target.closest?.("[data-doc]");
    if (doc) panel.querySelectorAll(`[data-doc="${doc.dataset.doc}"]`).forEach((each) => each.classList.toggle("lit", lit));
  };
  panel.addEventListener("mouseover", (event) => light(event, true));
  panel.addEventListener("mouseout", (event) => light(event, false));
  const shownDepth = () => state.depth || Math.max(20, ...(data.rankings[state.query]?.runs ?? []).map(({ groups }) => groups.flat().length));
  const sides = () => (alone ? ["a"] : ["a", "b"]);
  const draw = (truth, isWhole) => {
    panel.replaceChildren(...sides().map((side) => ranking(truth, side)));
    more.hidden = !deeper || isWhole;
  };
  const reading = restartable(async (isLast) => {
    const truth = await deeper.read(state.query, shownDepth());
    if (isLast() && panel.isConnected) draw(truth, sides().every((side) => truth.runs[state[side]].groups.flat().length === truth.runs[state[side]].total));
  }, (words) => panel.replaceChildren(node("p", { class: "trouble" }, words)));
  follow("query a b measure depth", () => {
    name.textContent = `Query ${data.queries[state.query]}`;
    words.replaceChildren(name, titleOf(state.query) || "");
    reading.stop();
    const shown = data.rankings[state.query], first = deeper?.asks();
    if (!deeper || (shown?.docs && state.depth === 0)) draw(shown, false);
    else if (first) panel.replaceChildren(node("p", {}, `${first} `, node("button", { type: "button", onclick: () => reading.start() }, "Read them")));
    else reading.start();
  });
}
