// The page from top to bottom.
function provenance() {
  const where = section("provenance", "How this was made");
  const rows = [
    ["program", "untied " + data.version],
    ...Object.entries(data.settings).filter(([, value]) => value !== null).map(([name, value]) => [name, String(value)]),
    ...(data.inputs || []).map((input) => [input.path, input.sha256 ? "sha256 " + input.sha256 : "read once, no hash"]),
    ...data.measures.map((measure) => [measure.name, `${measure.title}; ${measure.equation}; ${measure.reference}`]),
  ];
  where.append(node("dl", {}, ...rows.flatMap(([name, value]) => [node("dt", {}, name), node("dd", {}, value)])));
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  document.getElementById("theme").textContent = name === "dark" ? "Light" : "Dark";
  change({ theme: name });
}

function subtitle() {
  const held = whole() ? "" : `, of which the page holds ${count(data.queries.length)}`;
  if (data.kind === "runs") return `${count(data.runs.length)} runs · ${queriesOf(data.of)} in both A and B · no judgments`;
  if (!comparing) {
    const unknown = Math.max(0, ...(data.ties || []).map((run) => run.unknown));
    const without = unknown ? ` · left out: ${queriesOf(unknown)} without ${data.judges ? "human " : ""}judgments` : "";
    return `${data.runs.length} ${data.runs.length === 1 ? "run" : "runs"} · ${queriesOf(data.of)}${held} · ${words().values}${without}`;
  }
  const alone = data.alone.some((n) => n > 0) ? ` · left out: ${queriesOf(data.alone[0])} only in A, ${count(data.alone[1])} only in B` : "";
  const filled = data.filled.map(([measure, a, b]) => ` · filled up to the cutoff of ${measure} with unknown documents: ${count(a)} rankings of A, ${count(b)} of B`);
  return `A: ${data.runs[0]} · B: ${data.runs[1]} · ${queriesOf(data.of)} in both${held}${alone}${filled.join("")}`;
}

/** What a page of each kind shows: at once, and below. A page of runs has no judgments. */
const PARTS = {
  evaluation: { first: [answer], rest: [scores, judges, segments, queries, queryTable, sideBySide, curves, ties, distances, glance, provenance] },
  comparison: { first: [spread, queries], rest: [queryTable, sideBySide, tieCounts, provenance] },
  runs: { first: [], rest: [sideBySide] },
};

// The two runs that the headline speaks of are the first to look at.
function firstLook() {
  const pair = [...(data.leading?.[0] || [0, Math.min(1, data.runs.length - 1)])];
  if (pair[0] === data.baseline) pair.reverse(); // above 0 is better than the baseline
  Object.assign(state, { measure: 0, a: pair[0], b: pair[1], query: 0, distance: 0, depth: 0, queryFilter: "", runFilter: "" });
}

// What the reader chose, by name, and the same in other data as far as they have it.
const choices = () => ({ measure: key()?.name, a: data.runs[state.a], b: data.runs[state.b], query: data.queries[state.query] });

function chooseAgain({ measure, a, b, query }) {
  const places = { measure: data.measures.findIndex((one) => one.name === measure), query: data.queries.indexOf(query),
    ...(a !== b && data.runs.includes(a) && data.runs.includes(b) && { a: data.runs.indexOf(a), b: data.runs.indexOf(b) }) };
  change(Object.fromEntries(Object.entries(places).filter(([, place]) => place >= 0)));
}

/** Draw the answer and the first chart. */
function begin(page) {
  adopt(page);
  firstLook();
  document.getElementById("subtitle").textContent = subtitle();
  const measures = document.getElementById("measure");
  measures.replaceChildren(...data.measures.map((measure, number) => node("option", { value: number, title: about(measure) }, measure.name)));
  measures.parentElement.hidden = !data.measures.length;
  for (const part of PARTS[data.kind].first) part();
}

/** Draw everything below, which needs the rest of the data. */
function complete(rest) {
  adopt(Object.assign(data, rest));
  document.getElementById("subtitle").textContent = subtitle(); // with what the rest has
  // The query with the largest difference is the first to look at.
  if (data.measures.length) change({ query: differences().reduce((most, row) => (change_of(row) > change_of(most) ? row : most)).query });
  for (const part of PARTS[data.kind].rest) part();
}

/** Draw the whole page from these data, in place of what it shows; the reader's choices and place stay. Without data, draw nothing. */
function present(page) {
  const before = data && choices(), top = scrollY;
  forgetWatchers();
  forgetCharts();
  document.getElementById("main").replaceChildren();
  document.getElementById("measure").parentElement.hidden = true;
  if (!page) {
    data = null;
    return;
  }
  begin(page);
  complete({});
  if (before) chooseAgain(before);
  document.getElementById("measure").value = state.measure;
  scrollTo({ top, behavior: "instant" });
}

theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
document.getElementById("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
document.getElementById("measure").addEventListener("change", (event) => change({ measure: Number(event.target.value) }));
const part = (name) => JSON.parse(document.getElementById(name).textContent);
const atFirst = part("data"); // null on a page that begins without
if (atFirst) {
  begin(atFirst);
  // The rest of the data comes after this script, so the browser paints the answer before it reads them.
  document.addEventListener("DOMContentLoaded", () => {
    complete(part("rest"));
    document.documentElement.dataset.ready = "yes";
  });
}
