// The command that says the same, and what it prints, to save.
function command() {
  const options = Object.entries(requested(accepted.policies)).filter(([name, value]) => value !== { ...DEFAULTS, ties: "expected" }[name]);
  const runs = inputs.runs.map((number) => state.files.find((file) => file.number === number).path);
  return ["untied", "eval", qrels().path, ...runs, ...accepted.measures.flatMap((name) => ["-m", name]),
    ...options.flatMap(([name, value]) => [`--${name.replace(/_/g, "-")}`, value])].map(quoted).join(" ");
}

/** Evaluations by run and measure, with their own queries. */
async function evaluations() {
  const found = [];
  for (const [place, run] of inputs.runs.entries()) found.push({ name: data.runs[place], of: await evaluationsOf(accepted.measures, accepted.policies, run, data.runs[place]) });
  return found;
}

const hasRange = () => [accepted.policies.ties, accepted.policies.unjudged].includes("range");
const printed = (value) => (value === null || value === undefined ? "nan" : show(value));

async function saveTsv() {
  const ends = hasRange() ? ["low", "high"] : [], lines = [["run", "query", "measure", "value", ...ends]];
  for (const { name, of } of await evaluations()) of.forEach(({ total }, place) => lines.push([name, "all", accepted.measures[place], ...["mean", ...ends].map((end) => printed(total[end]))]));
  save("scores.tsv", "text/tab-separated-values", lines.map((line) => line.join("\t")).join("\n") + "\n");
}

async function saveJson() {
  const results = [], runs = {}, ends = hasRange() ? ["low", "high"] : [];
  const result = (run, query, place, value) => results.push({ run, query, measure: accepted.measures[place], value: value.mean, ...Object.fromEntries(ends.map((end) => [end, value[end]])) });
  for (const { name, of } of await evaluations()) {
    runs[name] = of[0].facts;
    of[0].queries.forEach((query, row) => of.forEach(({ values }, place) => result(name, query, place, Object.fromEntries(["mean", ...ends].map((end) => [end, values[end][row]])))));
    of.forEach(({ total }, place) => result(name, "all", place, total));
  }
  const text = JSON.stringify({ untied: data.version, settings: accepted.policies, inputs: data.inputs, runs, results }, (_, value) => (value === Infinity ? "inf" : value === -Infinity ? "-inf" : value), 1);
  save("scores.json", "application/json", text + "\n");
}

function commandLine() {
  const { code, box } = commandBox();
  code.textContent = command();
  box.append(node("div", { class: "bar" }, node("button", { type: "button", id: "save-tsv", onclick: saveTsv }, "Save as TSV"), node("button", { type: "button", id: "save-json", onclick: saveJson }, "Save as JSON")));
  document.getElementById("summary").append(box);
}
pathOf = (run) => state.files.find((file) => file.number === inputs.runs[run]).path;
PARTS.evaluation.rest.splice(PARTS.evaluation.rest.indexOf(scores) + 1, 0, commandLine);
