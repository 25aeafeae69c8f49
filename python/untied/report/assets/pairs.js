// Runs A and B compared without judgments, query by query, by any measures of two rankings.
const COMPARED = ["MED(nDCG@10)", "RBO", "Overlap@10"];

/** The measure M of `MED(M)` or `Delta(M)`, without their own parameters. @param {string} name */
function measureInside(name) {
  const rest = name.slice(name.indexOf("(") + 1);
  let depth = 0;
  for (const [place, character] of [...rest].entries()) {
    if (depth === 0 && ",)".includes(character)) return rest.slice(0, place);
    depth += Number(character === "(") - Number(character === ")");
  }
  return rest;
}

/** What a measure of two runs says; as `meaning` in untied.report.measures has it. */
function meaningOf(name) {
  const [family] = name.split(/[@(]/), said = held.meanings[family];
  if (!said) {
    const { title, range } = known.get(family);
    return `${title[0].toUpperCase()}${title.slice(1)}; ${range}.`;
  }
  const inner = measureInside(name), isOther = held.with_constant.includes(inner.split(/[(@]/)[0]);
  return said.replace("{of}", inner) + (family !== "MED" ? "" : isOther ? ". untied eval divides by another number than MED, so it may show a larger difference." : ".");
}

// As a shell has to read them to have the same.
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

/** A command with a button that copies it. */
function commandBox() {
  const code = node("code"), copy = node("button", { type: "button", onclick: async () => {
    await navigator.clipboard.writeText(code.textContent);
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  } }, "Copy");
  return { code, box: node("div", { class: "command" }, node("span", { class: "sub" }, "The same on the command line"), node("div", { class: "bar" }, code, copy)) };
}

/** The path of a run on the command line. @type {(run: number) => string} */
let pathOf = (run) => `${data.runs[run]}.run`;

function pairs() {
  if (data.runs.length < 2) return;
  const where = section("compare", "Compare two runs without judgments", "How similar runs A and B are, and the largest difference that any judgments could show.");
  const measures = node("input", { value: COMPARED.join(" "), "aria-label": "Measures of two runs", size: 34, spellcheck: "false" });
  const list = node("dl", { class: "compared" }), holder = node("div"), wrong = node("p", { class: "trouble", role: "alert" }), line = commandBox();
  let found = null;
  const comparing = restartable(async (isLast) => {
    wrong.textContent = "";
    const names = measures.value.trim().split(/\s+/).filter(Boolean), { a, b } = state, { score_dtype, ties } = data.settings;
    await work.ready();
    if (!known.size) await learnMeasures();
    const orders = TIES_OF_PAIRS.includes(ties) ? ties : "expected";
    const answer = await work.ask({ do: "compare", a: inputs.runs[a], b: inputs.runs[b], measures: names, ties: orders, score_dtype }, "comparing");
    if (!isLast() || !where.isConnected) return;
    found = answer;
    const options = [...names.flatMap((name) => ["-m", name]), ...(orders === "expected" ? [] : ["--ties", orders]), ...(score_dtype === "float64" ? [] : ["--score-dtype", score_dtype])];
    line.code.textContent = ["untied", "compare", pathOf(a), pathOf(b), ...options].map(quoted).join(" ");
    list.replaceChildren(...found.measures.flatMap((name, place) => [
      node("dt", {}, name), node("dd", {}, node("b", {}, bracketed(decodedValue(found.totals[place]))), ` ${meaningOf(name)}`)]));
    change({ compared: {} });
  }, (words) => { if (words !== "cancelled") wrong.textContent = words; });
  const decodedValue = ({ mean, low, high }) => ({ mean: decoded(mean), low: decoded(low), high: decoded(high) });
  const columns = () => [
    { title: "query", left: true, value: (row) => found.queries[row], cell: (row) => node("td", {}, data.queries.includes(found.queries[row])
      ? node("button", { type: "button", onclick: () => open(data.queries.indexOf(found.queries[row])) }, found.queries[row]) : found.queries[row]) },
    ...(found?.measures ?? []).map((name, place) => ({
      title: name, lower: !found.lower[place], tip: describe(known.get(name.split(/[@(]/)[0])), value: (row) => decoded(found.values[row][place].mean),
      cell: (row) => node("td", {}, show(decoded(found.values[row][place].mean)), underneath(bracketsOf(decodedValue(found.values[row][place])))),
    })),
  ];
  const choices = data.measures.length ? [] : [choice("Run A", data.runs, "a"), choice("Run B", data.runs, "b")]; // else these are above
  where.append(node("form", { class: "bar", onsubmit: (event) => { event.preventDefault(); comparing.start(); } }, ...choices, measures, node("button", {}, "Compare")),
    wrong, list, holder, line.box);
  const of = node("p", { class: "note" });
  where.querySelector("form").after(of);
  table(holder, "compared", "compared", columns, () => (found ? found.queries.map((_, row) => row) : []), { resort: () => (found ? [1, found.lower[0]] : [0, false]) });
  follow("compared", () => { holder.hidden = list.hidden = !found; });
  follow("a b", () => {
    if (!data.measures.length && ![state.a, state.b].every((run, place) => run === data.leading[0][place])) return void evaluate(); // other queries
    comparing.stop();
    found = null;
    line.code.textContent = wrong.textContent = "";
    change({ compared: {} });
    of.textContent = `A: ${data.runs[state.a]} · B: ${data.runs[state.b]}`;
    if (work.worker && state.a !== state.b && ![state.a, state.b].some(isLarge)) comparing.start();
  });
}
PARTS.evaluation.rest.splice(PARTS.evaluation.rest.indexOf(distances) + 1, 0, pairs);
PARTS.runs.first.push(pairs);
