// The page from top to bottom.
function provenance() {
  const where = section("provenance", "How this was made");
  const rows = [
    ["program", "untied " + data.version],
    ...Object.entries(data.settings).map(([name, value]) => [name, String(value)]),
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
  if (!comparing) return `${data.runs.length} ${data.runs.length === 1 ? "run" : "runs"} · ${count(data.of)} queries${held} · expected scores over all orders of tied documents`;
  const alone = data.alone.some((n) => n > 0) ? ` · left out: ${count(data.alone[0])} queries only in A, ${count(data.alone[1])} only in B` : "";
  const filled = data.filled.map(([measure, a, b]) => ` · filled up to the cutoff of ${measure} with unknown documents: ${count(a)} rankings of A, ${count(b)} of B`);
  return `A: ${data.runs[0]} · B: ${data.runs[1]} · ${count(data.of)} queries in both${held}${alone}${filled.join("")}`;
}

// What to look at first: the two runs that the headline speaks of, and the query in which they differ most.
function firstLook() {
  const pair = [...(data.leading?.[0] || [0, Math.min(1, data.runs.length - 1)])];
  if (pair[0] === data.baseline) pair.reverse(); // above 0 is better than the baseline
  Object.assign(state, { measure: 0, a: pair[0], b: pair[1], distance: 0, queryFilter: "", runFilter: "" });
  state.query = differences().reduce((most, row) => (change_of(row) > change_of(most) ? row : most)).query;
}

// What the reader chose, by name, and the same in other data as far as they have it.
const choices = () => ({ measure: key().name, a: data.runs[state.a], b: data.runs[state.b], query: data.queries[state.query] });

function chooseAgain({ measure, a, b, query }) {
  const places = { measure: data.measures.findIndex((one) => one.name === measure), a: data.runs.indexOf(a), b: data.runs.indexOf(b), query: data.queries.indexOf(query) };
  for (const [name, place] of Object.entries(places)) if (place >= 0) state[name] = place;
}

/** Draw the whole page from these data, in place of what it shows; the reader's choices and place stay. */
function present(found) {
  const before = data && choices(), top = scrollY;
  forgetWatchers();
  forgetCharts();
  document.getElementById("main").replaceChildren();
  adopt(found);
  firstLook();
  if (before) chooseAgain(before);
  document.getElementById("subtitle").textContent = subtitle();
  const measures = document.getElementById("measure");
  measures.replaceChildren(...data.measures.map((measure, number) => node("option", { value: number, title: about(measure) }, measure.name)));
  measures.value = state.measure;
  const parts = comparing ? [spread, queries, sideBySide, tieCounts, provenance] : [summary, queries, sideBySide, curves, ties, distances, glance, provenance];
  for (const part of parts) part();
  scrollTo({ top, behavior: "instant" });
}

theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
document.getElementById("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
document.getElementById("measure").addEventListener("change", (event) => change({ measure: Number(event.target.value) }));
present(JSON.parse(document.getElementById("data").textContent));
document.documentElement.dataset.ready = "yes";
