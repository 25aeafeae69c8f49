// What scores say, in words.
const valueWords = () => (["range", "expected"].includes(state.policies.ties) ? "mean over all orders of tied documents" : "value");
/** What brackets are over. */
const onWhat = () => [state.policies.ties === "range" ? "all orders of tied documents" : null, state.policies.unjudged === "range" ? "all grades of unjudged documents" : null].filter(Boolean).join(" and ");

const meaning = () => {
  const isTied = state.policies.ties === "range";
  if (!onWhat()) return "Set tied or unjudged documents to range to see how far each score could move.";
  const why = isTied ? " Documents with equal scores can be listed in any order; other tools show one of these orders." : "";
  return `Each score: ${valueWords()} [lowest, highest]${state.policies.unjudged === "range" ? ` over ${onWhat()}` : ""}, if they differ.${why}`;
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

/** How much of the first documents is unjudged, in a sentence, of the runs that were checked: a large one is only when asked for. */
function judgedSentences(of) {
  const checks = of.map((run) => state.checks.get(run.number)).filter((found) => found?.top[1]);
  const open = checks.filter(({ top: [, retrieved, judged] }) => judged < retrieved), { unjudged } = state.policies;
  if (!checks.length) return [];
  const [first] = checks[0].top;
  if (!open.length) return unjudged === "range" && checks.length === of.length ? [`All of the first ${first} documents are judged.`] : [];
  if (unjudged !== "nonrelevant" && unjudged !== "remove") return [];
  const most = percent(Math.max(...checks.map(({ judged_share: share }) => 1 - share)));
  const whose = checks.length < of.length ? "of a run that was checked " : of.length > 1 ? "of a run " : "";
  const how = unjudged === "remove" ? "are removed" : "count as not relevant";
  return [`Unjudged documents ${how}. They are up to ${most} of the first ${first} documents ${whose}; set unjudged documents to range to see what they could change.`.replace(" ;", ";")];
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

/** Runs whose scores say something about them. */
const soundRuns = (values) => runs().filter((run) => values.has(run.number) && !mismatch(values.get(run.number)));

const opened = () => [state.policies.ties === "range" ? ORDERS : null, state.policies.unjudged === "range" ? GRADES : null].filter(Boolean);

/** Who leads by the first measure, as a report has it, and how the leading run stands to all others: undefined if nothing is
 * open, null if that is not known. @param {Map<number, any>} values */
async function leadOf(values) {
  const sound = soundRuns(values), info = asked.get(state.measures[0]), totals = sound.map((run) => values.get(run.number).totals[0]);
  const { order, best } = leaders(totals, info.lower);
  const found = { measures: [info], runs: sound.map((run) => run.name), means: [totals], best: [best], leading: [order.length > 1 ? order.slice(0, 2) : null], baseline: null, answers: [{}] };
  const [leader, ...rest] = order;
  return { found, others: rest.length && opened().length ? await standingsOf(values, sound, leader, rest) : undefined };
}

/** For each pair of runs, by their places, the lowest and the highest difference of each query for all grades of unjudged
 * documents, which both runs share; null where these are not known. */
async function jointOf(measure, of, pairs) {
  const { ties, unretrieved, score_dtype } = state.policies;
  if (ties in { best: 0, worst: 0 } || of.some((run) => run.held.large)) return null;
  const request = { do: "bounds", qrels: qrels().number, runs: of.map((run) => run.number), ...pairs, measure, ties, score_dtype, unretrieved };
  const found = await work.ask(request, `bounding differences in ${measure}`).catch((error) => {
    if (error instanceof Cancelled) throw error;
    return null; // the measure has no bounds of differences
  });
  return found && found.pairs.map(({ low, high }) => ({ least: decoded(low), most: decoded(high) }));
}

/** How the leading run stands to other runs, by their places, whatever is open; null where that is not known. */
async function standingsOf(values, sound, leader, rest) {
  const [measure] = state.measures, pairs = { a: rest.map(() => leader), b: rest }, isJoint = state.policies.unjudged === "range";
  const joint = isJoint ? await jointOf(measure, sound, pairs) : null;
  if (isJoint && !joint) return null;
  // Orders of ties are independent, so the means of both runs decide; grades of unjudged documents are shared.
  const column = (name) => sound.map((run) => (isJoint ? values.get(run.number).values[0][name] : [values.get(run.number).totals[0][name]]));
  const bounds = joint && { least: joint.map(({ least }) => least), most: joint.map(({ most }) => most) };
  const found = await work.ask({ do: "standings", measure, runs: sound.map((run) => run.name), mean: column("mean"), low: column("low"), high: column("high"), ...pairs, ...bounds }, "comparing runs").catch((error) => {
    if (error instanceof Cancelled) throw error;
    return null; // no query has a value of both runs
  });
  return found && found.pairs.map(({ low, high, standing }, place) => ({ run: rest[place], low: decoded(low), high: decoded(high), standing }));
}

/** What the first measure says, in a few sentences; the first is who leads. */
function answer() {
  const { found, others } = state.lead, [measure] = state.measures;
  const evaluated = runs().filter((run) => state.values.has(run.number)), sound = soundRuns(state.values);
  const odd = evaluated.map((run) => [run, mismatch(state.values.get(run.number))]).filter(([, why]) => why)
    .map(([run, why]) => (why.startsWith("nothing") ? `In the queries of ${run.name} ${why}.` : `${run.name} has ${why}.`));
  const all = sound.map((run) => ({ held: run, ...state.values.get(run.number).totals[0] })).filter(({ mean }) => mean !== null);
  const said = found.leading[0] ? [leaderWords(found, 0)] : all.map(({ held, mean }) => `${held.name}: ${measure} ${printed(mean)}.`);
  if (others !== undefined) said.push(leadWords(found, 0, others, opened()));
  if (hasRange() && all.length) {
    const widest = all.reduce((most, one) => (one.high - one.low > most.high - most.low ? one : most));
    if (minus(widest.high, widest.low) > 0) said.push(widestSentence(widest.held, widest, measure));
    else if (all.length === 1) said.push(`The ${measure} of ${widest.held.name} is the same ${inEvery()}.`);
  }
  return [...odd, ...said, ...judgedSentences(sound)];
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

/** Whether the bracket of a difference leaves its sign open, or is not known. */
const isOpen = ({ difference, least, most }) => (hasRange() && least === null) || ((least ?? difference) <= 0 && (most ?? difference) >= 0);

/** Which of two runs is ahead, in how many queries, and in how many whatever is unknown. */
function differenceWords({ above, equal, below, of_means: means }, rows) {
  const name = state.measures[state.measure], [a, b] = [file(state.a).name, file(state.b).name];
  const averaged = ["range", "expected"].includes(state.policies.ties) ? ", on average over all orders of tied documents," : "";
  const { length: least } = rows.filter((row) => row.least > 0), { length: most } = rows.filter((row) => row.most < 0 && row.most !== null);
  const certain = rows.some((row) => row.least !== null) && hasRange() ? ` Higher ${inEvery()}: ${a} in ${count(least)}, ${b} in ${count(most)}.` : "";
  return `${a} has the higher ${name}${averaged} in ${queries(above)}, ${b} in ${count(below)} (${count(equal)} equal).${certain} Difference of the means: ${signed(decoded(means))}.`;
}
