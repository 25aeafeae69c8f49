// Two runs compared without judgments.
const COMPARED = ["MED(nDCG@10)", "RBO", "Overlap@10"];
const WORDS = {
  RBO: "how similar the rankings are; the first ranks count most", Overlap: "the share of documents in common",
};
// What MED divides by, where the measure itself would divide by what depends on judgments: see docs/similarities.md.
const FIXED = { nDCG: ", with a fixed ideal: the highest gain at every rank", AP: ", with AP divided by the cutoff", Bpref: ", with R set to the depth" };

/** What a measure of two runs says. */
function comparedWords(name) {
  const [family, inner] = name.split(/[@(,]/);
  if (family === "MED") return `the largest difference that judgments could show${name.includes("R=") ? "" : FIXED[inner] ?? ""}`;
  return WORDS[family] ?? describe(known.get(family)).split("\n")[0];
}

function compareSection() {
  const where = section("compare", "Compare without judgments", "How similar two runs are, and the largest difference that any judgments could show. No judgments are used.");
  const ofRuns = () => runs().map((run) => [run.number, run.name]);
  const [a, fillA] = picked("A", ofRuns, "a");
  const [b, fillB] = picked("B", ofRuns, "b");
  const measures = node("input", { value: COMPARED.join(" "), "aria-label": "Measures of two runs", size: 34, spellcheck: "false" });
  const go = node("button", {}, "Compare"), holder = node("div"), list = node("dl", { class: "compared" });
  const line = commandBox();
  const wrong = node("p", { class: "trouble", role: "alert" });
  let found = null;
  const comparing = restartable(async (isLast) => {
    wrong.textContent = "";
    const words = measures.value.trim().split(/\s+/).filter(Boolean), { score_dtype } = state.policies;
    try {
      const ties = TIES_OF_PAIRS.includes(state.policies.ties) ? state.policies.ties : "expected";
      const answer = await work.ask({ do: "compare", a: state.a, b: state.b, measures: words, ties, score_dtype }, "comparing");
      if (!isLast()) return;
      found = answer;
      const options = [...words.flatMap((name) => ["-m", name]), ...(ties === "expected" ? [] : ["--ties", ties]), ...(score_dtype === "float64" ? [] : ["--score-dtype", score_dtype])];
      line.code.textContent = ["untied", "compare", file(state.a).path, file(state.b).path, ...options].map(quoted).join(" ");
      list.replaceChildren(...found.measures.flatMap((name, place) => [
        node("dt", {}, name), node("dd", {}, node("b", {}, bracketed(found.totals[place])), ` ${comparedWords(name)}`)]));
      change({ compared: {}, shared: found.queries, query: state.query || found.queries[0] });
    } catch (error) {
      if (isLast() && !(error instanceof Cancelled)) wrong.textContent = error.message;
    }
  });
  const columns = () => [
    { title: "Query", left: true, value: (row) => found.queries[row], cell: (row) => node("td", {}, node("button", { type: "button", class: "link", onclick: () => {
      change({ query: found.queries[row] });
      reveal("rankings");
    } }, found.queries[row])) },
    ...(found?.measures ?? []).map((name, place) => ({
      title: name, lower: !found.lower[place], tip: describe(known.get(name.split(/[@(]/)[0])), value: (row) => found.values[row][place].mean,
      cell: (row) => node("td", {}, printed(found.values[row][place].mean), endsBelow(found.values[row][place])),
    })),
  ];
  where.append(node("form", { class: "bar", onsubmit: (event) => { event.preventDefault(); comparing.start(); } }, a, b, measures, go), wrong, list, holder,
    line.box);
  table(holder, "compared", "compared", columns, () => (found ? found.queries.map((_, row) => row) : []), { resort: () => (found ? [1, found.lower[0]] : [0, false]) });
  follow("compared", () => { holder.hidden = !found; });
  follow("files a b", () => {
    [fillA, fillB].forEach((fill) => fill());
    where.hidden = runs().length < 2;
    found = null;
    list.replaceChildren();
    line.code.textContent = "";
    change({ compared: {} });
    if (!where.hidden && state.a !== state.b && !isLarge(state.a) && !isLarge(state.b) && file(state.a) && file(state.b)) comparing.start();
  });
}
