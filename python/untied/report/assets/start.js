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

// The two runs that the headline speaks of are the first to look at.
if (!comparing && data.leading[0]) [state.a, state.b] = data.leading[0];
if (!comparing && state.a === data.baseline) [state.a, state.b] = [state.b, state.a]; // above 0 is better than the baseline
theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
document.getElementById("subtitle").textContent = subtitle();
const measures = document.getElementById("measure");
measures.append(...data.measures.map((measure, number) => node("option", { value: number, title: about(measure) }, measure.name)));
measures.addEventListener("change", () => change({ measure: Number(measures.value) }));
// The query with the largest difference is the first to look at.
state.query = differences().reduce((most, row) => (change_of(row) > change_of(most) ? row : most)).query;
const parts = comparing ? [spread, queries, sideBySide, tieCounts, provenance] : [summary, queries, sideBySide, curves, ties, distances, glance, provenance];
for (const part of parts) part();
document.getElementById("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
document.documentElement.dataset.ready = "yes";
