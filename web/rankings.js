// Two rankings of a query side by side.
const OPENED = 6; // documents of a tie group that are listed at once
const LISTED = 300; // and of those that a click adds

function rankingSection() {
  const where = section("rankings", "Two rankings side by side",
    "Green: relevant, with the grade. Dashed: not judged. Documents with a bar on the left have the same score, so their order is arbitrary. ↔ shows the possible ranks in the other run.");
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
  const drawing = restartable(async (isLast) => {
    const [one, other] = [state.a, state.b];
    const found = await Promise.all([...new Set([one, other])].map(wholeGroups));
    const moved = one === other ? { documents: [] } : await work.ask({ do: "moved", a: one, b: other, query: state.query, depth: state.depth, ties: "expected", score_dtype: state.policies.score_dtype }, "reading rankings");
    if (!isLast()) return;
    const ranks = new Map(moved.documents.map((document) => [document.id, document]));
    const side = (number, letter, ranking) => oneRanking(number, letter, ranking, (id) => ranks.get(id)?.[letter === "A" ? "b" : "a"], one === other);
    panel.replaceChildren(side(one, "A", found[0]), ...(one === other ? [] : [side(other, "B", found[1])]));
    more.hidden = found.every(({ groups, total }) => groups.flat().length === total);
  });
  follow("files values a b query depth shared", () => {
    [fillA, fillB, fillQueries].forEach((fill) => fill());
    where.hidden = !file(state.a) || !file(state.b) || !state.query || !listed().length || (qrels() && !state.values.size); // then it waits for the scores
    if (where.hidden) return;
    if (isLarge(state.a) || isLarge(state.b)) {
      panel.replaceChildren(node("p", {}, "These runs are large: to show a ranking, all of a run is read into memory. ",
        node("button", { type: "button", onclick: () => drawing.start() }, "Read them")));
      more.hidden = true;
    } else drawing.start();
  });
}

/** The groups that begin at the top of a run, with all of their documents. @param {number} run */
async function wholeGroups(run) {
  const ask = async (depth) => (await work.ask({ do: "rankings", runs: [run], query: state.query, depth, score_dtype: state.policies.score_dtype,
    ...(qrels() ? { qrels: qrels().number } : {}) }, "reading rankings")).runs[0];
  const top = await ask(state.depth);
  return top.beyond ? ask(state.depth + top.beyond) : top;
}

/** What a group of documents with one score has, in words. @param {{grade: number | null, score: number}[]} group */
function groupWords(group) {
  const relevant = group.filter(({ grade }) => grade > 0).length, open = group.filter(({ grade }) => grade === null || grade < 0).length;
  const judged = qrels() ? `, ${relevant ? count(relevant) : "none"} of them relevant${open ? `, ${count(open)} unjudged` : ""}` : "";
  return `${count(group.length)} documents tied at ${group[0].score}${judged}: any order is possible`;
}

const positions = (ranks) => (ranks[0] === ranks[1] ? String(ranks[0]) : `${count(ranks[0])}–${count(ranks[1])}`);

function oneRanking(number, letter, { groups, total }, elsewhere, alone) {
  let rank = 1;
  const items = groups.map((unordered) => {
    const size = unordered.length, first = rank;
    rank += size;
    const group = unordered.toSorted((x, y) => (y.grade ?? -1) - (x.grade ?? -1)); // relevant ones first
    const document = ({ id, grade, score }) => {
      const open = grade === null || grade < 0, other = elsewhere(id);
      const what = grade === null ? "not judged" : grade < 0 ? "pooled, not judged" : `grade ${grade}`;
      return node("div", { class: "doc", "data-doc": id },
        node("span", { class: "grade " + (open ? "open" : grade > 0 ? "relevant" : ""), title: what }, grade === null ? "?" : grade < 0 ? "–" : String(grade)),
        node("span", { class: "id", title: `${id}, score ${score}` }, id),
        node("span", { class: "other", title: "ranks in the other run" }, alone ? "" : other ? `↔ ${positions(other)}` : "only here"));
    };
    const hidden = group.slice(OPENED), listed = hidden.slice(0, LISTED), rest = hidden.length - listed.length;
    const closed = `${count(hidden.length)} more with this score${rest ? `; show ${count(listed.length)}` : ""}`, words = node("summary", {}, closed);
    const fold = hidden.length ? node("details", { class: "fold", ontoggle: () => { words.textContent = fold.open ? "hide" : closed; } }, words, ...listed.map(document),
      rest ? node("div", { class: "note doc" }, `and ${count(rest)} more${qrels() ? ", relevant ones before others" : ""}`) : null) : null;
    return node("li", { class: size > 1 ? "tied" : null },
      node("span", { class: "place" }, positions([first, first + size - 1])),
      node("div", { class: "docs" }, size > 1 ? node("div", { class: "doc sub" }, groupWords(group)) : null,
        ...group.slice(0, OPENED).map(document), fold));
  });
  const found = state.values.get(number), row = found?.queries.indexOf(state.query) ?? -1;
  const columns = found?.values[state.measure];
  const value = row < 0 ? "" : ` · ${state.measures[state.measure]} ${bracketed({ mean: columns.mean[row], low: columns.low?.[row], high: columns.high?.[row] })}`;
  return node("div", {},
    node("h3", {}, `${letter}: ${file(number).name}${value}`),
    items.length ? node("ol", { class: "ranking" }, ...items) : node("p", { class: "note" }, "The run has no documents for this query."),
    node("p", { class: "note" }, `${count(total)} documents retrieved`));
}
