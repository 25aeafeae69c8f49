// A report's data, and what is asked of them in many places. The whole page is drawn from `data`, in two steps: what
// answers first needs only their first part (LATER in page.py has the others); `present` replaces them.
let data = null, comparing = false, alone = false, tests = null, places = null;
const state = { theme: "light", measure: 0, a: 0, b: 0, query: 0, distance: 0, depth: 0, queryFilter: "", runFilter: "" };

function adopt(page) {
  data = page;
  comparing = data.kind === "comparison";
  alone = !comparing && data.runs.length === 1; // a single run has values, but nothing that it differs from
  places ??= data.means ? byMean(0).reduce((all, run, place) => { all[run] = place; return all; }, []) : everyRun();
  tests = new Map((data.tests || []).map((test) => [`${test.measure},${test.a},${test.b}`, test]));
}

// What values are means over, and what brackets and marks of survival speak of. A page that recalculates puts other words in
// its data; those that are null have nothing to speak of.
const WORDS = {
  value: "mean over all orders of tied documents", values: "expected scores over all orders of tied documents",
  curves: "means over queries and over orders of tied documents", all: "over all orders of tied documents",
  every: "in every order of tied documents", some: "some order of tied documents",
  ends: "from the worst to the best order of tied documents", open: ["order of tied documents"],
};
const words = () => data.words ?? WORDS;
const whole = () => data.of === data.queries.length; // whether the page holds all queries
const selection = () => `the ${count(data.queries.length)} of ${count(data.of)} queries ` + (comparing ? `that differ most by ${data.measures[0].name}`
  : data.runs.length < 2 ? "that this page holds, evenly spread over the values" : "in which the runs differ most");
const about = (measure) => [measure.title, measure.equation, "range: " + measure.range, measure.reference].join("\n");
const key = () => data.measures[state.measure];
const everyRun = () => data.runs.map((_, run) => run);
const titleOf = (query) => (data.titles ? data.titles[query] : null);
/** The value of a run for a query by the chosen measure, with the lowest and the highest one where the page has them. */
function valueOf(run, query) {
  const ends = data.ends?.[state.measure]?.runs[run];
  return { mean: data.values[state.measure][run][query], low: ends?.low[query] ?? null, high: ends?.high[query] ?? null };
}

/** The lowest and the highest difference of runs A and B for a query; null where it is not known, undefined where nothing is open. */
function differenceEnds(query) {
  const ends = data.ends?.[state.measure], { a, b } = state;
  if (!ends) return undefined;
  if (data.settings.unjudged === "range") {
    const joint = ends.joint?.get(`${a},${b}`), turned = ends.joint?.get(`${b},${a}`);
    const [low, high] = joint ? [joint.low[query], joint.high[query]] : turned ? [negated(turned.high[query]), negated(turned.low[query])] : [null, null];
    return low === null ? null : { low, high };
  }
  const [x, y] = [valueOf(a, query), valueOf(b, query)];
  return x.low === null || y.low === null ? null : { low: minus(x.low, y.high), high: minus(x.high, y.low) };
}
const negated = (value) => (value === null ? null : 0 - value);

/** The lowest and the highest value in brackets, unless both look like the value. */
const bracketsOf = ({ mean, low, high }, digits = show) => (low === null || [low, high].every((end) => digits(end) === digits(mean)) ? "" : `[${digits(low)}, ${digits(high)}]`);
const bracketed = (value) => `${show(value.mean)} ${bracketsOf(value)}`.trim();

// The best run first, by the chosen measure; runs without a value last.
const byMean = (measure = state.measure) => bestFirst(data.means[measure].map((one) => one.mean), data.measures[measure].lower);

const filteredQuery = (query) => !state.queryFilter || matches(state.queryFilter, data.queries[query], titleOf(query));
const filteredRun = (run) => !state.runFilter || matches(state.runFilter, data.runs[run]);
