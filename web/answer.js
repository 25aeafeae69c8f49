// What scores say, in words.
const meaning = () => {
  const { ties, unjudged } = state.policies, orders = ties === "range", grades = unjudged === "range";
  if (!orders && !grades) return "Set tied or unjudged documents to range to see how far each score could move.";
  const value = orders || ties === "expected" ? "mean over all orders of tied documents" : "value";
  const over = grades ? ` over ${orders ? "these orders and " : ""}all grades of unjudged documents` : "";
  const why = orders ? " Documents with equal scores can be listed in any order; other tools show one of these orders." : "";
  return `Each score: ${value} [lowest, highest]${over}, if they differ.${why}`;
};

/** On what the brackets depend. */
const onWhat = () => {
  const { ties, unjudged } = state.policies;
  return [ties === "range" ? "the order of tied documents" : null, unjudged === "range" ? "the grades of unjudged documents" : null].filter(Boolean).join(" and ");
};

/** For all that the brackets depend on. */
const inEvery = () => {
  const { ties, unjudged } = state.policies;
  return [ties === "range" ? "in every order of tied documents" : null, unjudged === "range" ? "for all grades of unjudged documents" : null].filter(Boolean).join(" and ");
};

/** What is wrong with a run as a whole, so that its scores say nothing about it; null for all others. */
function mismatch({ facts }) {
  if (!facts.common) return "no query in common with the judgments";
  if (!facts.matched) return "queries in common with the judgments, but no document";
  return facts.relevant ? null : "nothing is relevant: no query has a grade above 0";
}

/** How much of the first documents is judged, in a sentence, of the runs that were checked: a large one is only when asked for. */
function judgedSentences(of) {
  const checks = of.map((run) => state.checks.get(run.number)).filter((found) => found?.top[1]);
  const open = checks.filter(({ top: [, retrieved, judged] }) => judged < retrieved), { unjudged } = state.policies;
  if (!checks.length) return [];
  const [first] = checks[0].top;
  if (!open.length) return unjudged === "range" && checks.length === of.length ? [`All of the first ${first} documents are judged.`] : [];
  if (unjudged !== "nonrelevant" && unjudged !== "remove") return [];
  const shares = checks.map(({ judged_share: share }) => 1 - share);
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map(percent);
  return [`${least === most ? most : `${least} to ${most}`} of the first ${first} documents ${checks.length < of.length ? "of the runs that were checked " : of.length > 1 ? "of each run " : ""}are unjudged; set unjudged documents to range to see what they could change.`];
}

/** Whether all documents of a run are known to be judged. */
function isJudged(run) {
  const found = state.checks.get(run.number);
  return found !== undefined && found.judged === found.documents && state.policies.unretrieved === "none";
}

/** How far a run could move, and what moves it. */
function widestSentence(run, { mean, low, high }, name) {
  const { tied, rows, large } = run.held, { ties, unjudged } = state.policies;
  const byTies = ties === "range" && (large || tied > 0), byGrades = unjudged === "range" && !isJudged(run);
  if (byTies && !byGrades && tied) {
    return `${tied === rows ? "All" : `${count(tied)} of`} ${count(rows)} documents of ${run.name} are tied with others: its ${name} is ${printed(mean)} on average, but it could be anything from ${printed(low)} to ${printed(high)}.`;
  }
  const movers = [byTies ? "tied" : null, byGrades ? "unjudged" : null].filter(Boolean).join(" and ");
  return `${run.name}'s ${name} is ${printed(mean)}, but ${movers} documents could make it anything from ${printed(low)} to ${printed(high)}.`;
}

/** What the first measure says, in a sentence or two. */
function answer() {
  const name = state.measures[0], info = asked.get(name), said = [];
  const evaluated = runs().filter((run) => state.values.has(run.number));
  const wrong = new Map(evaluated.map((run) => [run, mismatch(state.values.get(run.number))]));
  const sound = evaluated.filter((run) => !wrong.get(run));
  const all = sound.map((run) => ({ held: run, run: run.name, ...state.values.get(run.number).totals[0] }));
  const inOrder = bestFirst(all.map((one) => one.mean), info?.lower).map((place) => all[place]).filter((one) => one.mean !== null);
  const [best, ...rest] = inOrder;
  if (hasRange() && best) {
    const beats = (one, other) => (info?.lower ? minus(other.low, one.high) : minus(one.low, other.high)) > 0;
    const open = rest.filter((other) => !beats(best, other)), others = open.map((one) => one.run).join(", ");
    const assumed = { nonrelevant: ", if unjudged documents are not relevant", remove: ", if unjudged documents are removed" }[state.policies.unjudged] ?? "";
    const unless = sound.every(isJudged) ? "" : assumed;
    if (rest.length && state.policies.unjudged === "range") {
      // Each range is of a run alone, but what only another run retrieved could change its value too (docs/statistics.md).
      const near = open.length ? open : rest, where = `${open.length ? "but its range overlaps" : "and its range does not overlap"} that of ${near.map((one) => one.run).join(", ")}`;
      said.push(`${best.run} has the best ${name}, ${printed(best.mean)}, ${where}: untied certify computes whether ${near.length > 1 ? "one of these" : "that run"} could be better.`);
    } else if (rest.length && !open.length) said.push(`${best.run} has the best ${name}: ${printed(best.mean)}. Every other run is worse ${inEvery()}${unless}.`);
    else if (rest.length) said.push(`${best.run} has the best ${name}, ${printed(best.mean)}, but ${others} could be better, depending on ${onWhat()}.`);
    const widest = inOrder.reduce((most, one) => (one.high - one.low > most.high - most.low ? one : most));
    if (minus(widest.high, widest.low) > 0) said.push(widestSentence(widest.held, widest, name));
    else said.push(`The ${name} of ${rest.length ? "each run" : best.run} is the same ${inEvery()}${unless}.`);
  } else if (rest.length) said.push(`${best.run} has the best ${name}: ${printed(best.mean)}.`);
  if (state.isExample) said.reverse(); // the example is about ties
  const odd = [...wrong].filter(([, why]) => why).map(([run, why]) => (why.startsWith("nothing") ? `In the queries of ${run.name} ${why}.` : `${run.name} has ${why}.`));
  const judged = judgedSentences(sound);
  return state.policies.unjudged === "range" ? [...odd, ...said, ...judged] : [...odd, ...judged, ...said];
}

const are = (n) => (n === 1 ? "is" : "are");

/** What deserves to be known about evaluations, run by run. */
function remarks() {
  return runs().filter((run) => state.values.has(run.number)).flatMap((run) => {
    const { facts } = state.values.get(run.number), said = [];
    const wrong = facts.swapped ? "scores look like grades and grades like scores (are the run and the judgments swapped?)" : mismatch({ facts });
    if (wrong) said.push(wrong);
    if (facts.absent) said.push(`${queries(facts.absent)} with judgments ${are(facts.absent)} missing from the run`);
    if (facts.unknown) said.push(`${queries(facts.unknown)} without judgments ${are(facts.unknown)} left out`);
    if (facts.left_out) said.push(`${many(facts.left_out, "undefined value is", "undefined values are")} left out of the means`);
    if (facts.estimated) said.push(`${many(facts.estimated, "mean is", "means are")} estimated from a sample of the orders of tied documents`);
    if (facts.enclosed) said.push(`${many(facts.enclosed, "bracket", "brackets")} may be wider than any order of tied documents can reach`);
    return said.map((text) => `${run.name}: ${text}.`);
  });
}

const OUTER = "Brackets of A − B are computed from the brackets of each run alone: they let a document have different grades in the two runs, and leave out what documents that only the other run retrieved could change. untied certify computes bounds for both runs together.";
/** Whether the bracket of a difference leaves its sign open. */
const isOpen = ({ difference, least, most }) => (least ?? difference) <= 0 && (most ?? difference) >= 0;

/** Which of two runs is ahead, in how many queries, and in how many whatever is unknown. */
function differenceWords({ above, equal, below, of_means: means }, rows) {
  const name = state.measures[state.measure], [a, b] = [file(state.a).name, file(state.b).name];
  const averaged = ["range", "expected"].includes(state.policies.ties) ? ", on average over all orders of tied documents," : "";
  const { length: least } = rows.filter((row) => row.least > 0), { length: most } = rows.filter((row) => row.most < 0 && row.most !== null);
  const where = state.policies.unjudged === "range" ? "By the bounds of each run alone, higher" : `Higher ${inEvery()}`;
  const certain = hasRange() ? ` ${where}: ${a} in ${count(least)}, ${b} in ${count(most)}.` : "";
  return `${a} has the higher ${name}${averaged} in ${queries(above)}, ${b} in ${count(below)} (${count(equal)} equal).${certain} Difference of the means: ${signed(decoded(means))}.`;
}
