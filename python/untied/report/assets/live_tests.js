// Significance tests of values of queries, which the core makes as untied.statistics has them, and notes on them.

const pairsOf = (runs, baseline) => (baseline === null
  ? runs.flatMap((_, a) => runs.slice(a + 1).map((_, more) => [a, a + 1 + more]))
  : runs.map((_, run) => [run, baseline]).filter(([run]) => run !== baseline));

// Tests that the core can make again; the others need SciPy.
const TESTED = ["randomization", "tukey"];

/** Values of runs by one measure, as the core takes them. @param {{values: any}[]} of As the core gave them. */
function columnsOf(measure, runs, of) {
  const [mean, low, high] = ["mean", "low", "high"].map((end) => of.map(({ values }) => values[end]));
  return { measure, runs: runs.map((run) => made.runs[run]), mean, ...(low[0] && { low, high }) };
}

/** Bounds of differences of both runs together, as the core takes them; without them each run has its own.
 * @param {{low: any[], high: any[]}[] | null} joint Of each pair. */
const togetherOf = (joint) => joint && { least: joint.map(({ low }) => low), most: joint.map(({ high }) => high) };

/** The tests of one measure: of all pairs of runs, or of all runs with the baseline. */
async function testsOf(measure, columns, pairs, joint, how = held.tested) {
  const [a, b] = [0, 1].map((end) => pairs.map((pair) => pair[end]));
  const request = { do: "tests", ...columns, a, b, ...togetherOf(joint), ...how };
  const { tests, unsettled } = await work.ask(request, `testing ${columns.measure}`);
  return { tests: tests.map((one) => ({ measure, ...Object.fromEntries(Object.entries(one).map(([name, value]) => [name, decoded(value)])) })), unsettled };
}

/** Notes that affect the interpretation of tests. @param {[string, number][]} unsettled Numbers of queries by measure.
 * @param {string[]} least The note if nothing can be significant. @param {string[]} varied What survival is over, see `wordsOf`. */
function notesOf(tests, unsettled, least, varied) {
  const open = unsettled.filter(([, number]) => number).map(([name, number]) => `${number} of ${name}`).join(", ");
  const unknown = tests.filter((one) => one.survives === "unknown").length, comparisons = `${count(unknown)} comparison${unknown === 1 ? "" : "s"}`;
  const causes = varied.map((one) => (one[0] === "o" ? "ties" : "missing judgments")).join(" or ");
  return [...(open ? [held.said.unsettled.replace("{}", open)] : []),
    ...(unknown ? [held.said.unknown.replace("{}", causes).replace("{}", comparisons)] : []), ...least];
}
