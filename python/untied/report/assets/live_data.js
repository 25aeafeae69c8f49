// The data of the page, recalculated by the core from the runs and judgments that the page holds, or that were dropped on it.
/** What a reader's settings do not change: the report as it was made, or what files say; null as long as there are none. */
let made = data;
/** What else recalculating needs: see `embedded` in untied.report.live, and `without_files` for a page that begins without. */
let held = JSON.parse(document.getElementById("live").textContent);
/** The core's numbers of the judgments and of the runs. */
let inputs = { qrels: 0, runs: held.files.slice(1).map((_, run) => run + 1) };
const MADE = { ties: "range", unjudged: "nonrelevant", unretrieved: "none" };
const scoresOf = ({ score_dtype = made.settings.score_dtype }) => score_dtype;
/** Answers of the core by what was asked: none is asked for twice. @type {Map<string, any>} */
const answers = new Map();
const files = held.files.map(({ kind, name, content }, number) => ({ kind, path: name, number, content, blob: null, stored: true }));
work.held = () => files.filter((one) => one.blob);

let started = null;

/** Start the core and give it the inputs, once. */
work.ready = () => {
  started ??= (async () => {
    work.worker?.terminate();
    const code = await unpacked(document.getElementById("module").textContent);
    work.module ??= await WebAssembly.compile(await code.arrayBuffer());
    work.start();
    for (const one of files) {
      one.blob ??= await unpacked(one.content);
      one.content = null;
      await work.open(one);
    }
  })();
  started.catch(() => { started = null; });
  return started;
};

/** An answer of the core, kept under a name. */
async function kept(name, request, what) {
  const key = JSON.stringify(name);
  if (!answers.has(key)) answers.set(key, await work.ask(request, what));
  return answers.get(key);
}

const number = (value) => (value === null || Number.isNaN(value) ? null : value);

/** Evaluations of one run, by measure: the values of its queries, the aggregate and the facts. */
async function evaluationsOf(measures, policies, run, name, qrels = inputs.qrels) {
  const asking = { do: "evaluate", qrels, queries: "qrels", on_undefined: "zero", ...requested(policies), score_dtype: scoresOf(policies), run };
  const key = (measure) => JSON.stringify([asking, measure]), missing = measures.filter((measure) => !answers.has(key(measure)));
  if (missing.length) {
    const { values, totals, queries, facts } = await work.ask({ ...asking, measures: missing }, `evaluating ${name}`);
    missing.forEach((measure, place) => {
      const total = Object.fromEntries(["mean", "low", "high"].map((end) => [end, number(decoded(totals[place][end] ?? null))]));
      answers.set(key(measure), { values: values[place], total, queries, facts });
    });
  }
  return measures.map((measure) => answers.get(key(measure)));
}

/** An evaluation with a row for each query of the page: with the queries that a run has in common with the judgments, it may
 * have fewer. */
function aligned(evaluation) {
  if (evaluation.queries.length === made.of) return evaluation;
  const rows = new Map(evaluation.queries.map((query, row) => [query, row]));
  const column = (cells) => made.queries.map((query) => (rows.has(query) ? cells[rows.get(query)] : null));
  return { ...evaluation, values: Object.fromEntries(Object.entries(evaluation.values).map(([end, cells]) => [end, column(cells)])) };
}

/** Values of measures: for each of them and each run those of the queries, and the aggregate. */
async function valuesOf(measures, policies) {
  const of = [];
  for (const [place, run] of inputs.runs.entries()) of.push(await evaluationsOf(measures, policies, run, made.runs[place]));
  return measures.map((_, measure) => of.map((evaluations) => aligned(evaluations[measure])));
}

/** Means with their ends over what is open, and their bootstrap intervals over queries. */
async function meansOf(of, columns, policies) {
  const { interval, level, seed } = made.settings, request = { do: "intervals", ...columns, level, samples: made.settings.interval_samples ?? 9999, seed };
  const ends = interval === "bca" ? await kept(["intervals", inputs, policies, columns.measure], request, `drawing samples of ${columns.measure}`) : { intervals: [] };
  return of.map(({ total: { mean, low, high } }, run) => {
    const [ci_low, ci_high] = decoded(ends.intervals[run] ?? [null, null]);
    return { mean, low: low ?? mean, high: high ?? mean, ci_low, ci_high };
  });
}

// Orders that verdicts are about; of the best and worst ones, and where judgments are not open, there is none.
const ordersOf = ({ ties, unjudged, ...others }) => (countsAll(others) && ["nonrelevant", "range"].includes(unjudged) ? { range: "expected", best: null, worst: null }[ties] ?? (ties in { best: 0, worst: 0 } ? null : ties) : null);
/** Whether all judged queries count, also those without a value; verdicts and bounds of differences are about all. */
const countsAll = ({ queries = "qrels", on_undefined = "zero" }) => queries === "qrels" && on_undefined !== "nan";
const MOST_CERTIFIED = 50_000; // pairs of runs times queries, as untied.report.verdicts

/** Verdicts of a measure about these runs, by pair; none where the measure has none, or there would be too many. */
async function verdictsOf(measure, policies, runs) {
  const ties = ordersOf(policies), pairs = pairsOf(runs, null);
  if (ties === null || !pairs.length || pairs.length * made.of > MOST_CERTIFIED || held.is_large) return null;
  const request = { do: "certify", qrels: inputs.qrels, runs: runs.map((run) => inputs.runs[run]), measure, ties, score_dtype: scoresOf(policies), unretrieved: policies.unretrieved };
  const { verdicts } = await kept(request, request, `certifying ${measure}`).catch((error) => {
    if (error instanceof Cancelled) throw error;
    return { verdicts: null }; // the measure has none; all that else could be wrong has been refused before
  });
  return verdicts && new Map(pairs.map(([a, b], place) => [`${runs[a]},${runs[b]}`, verdicts[place]]));
}

function verdictBetween(verdicts, a, b) {
  const verdict = verdicts?.get(`${a},${b}`), other = verdicts?.get(`${b},${a}`);
  if (verdict || !other) return verdict ?? null;
  return { ...other, low: -other.high, high: -other.low, verdict: { A: "B", B: "A", open: "open" }[other.verdict] };
}

// The best and the worst rank of each run: one more than those that are better in all cases, and all but those that are worse.
function ranksOfRuns(pairs, standings) {
  if (!standings || standings.some(({ standing }) => standing === "unknown")) return null;
  const ranks = made.runs.map(() => [1, made.runs.length]);
  standings.forEach(({ standing }, place) => {
    if (!["better", "worse"].includes(standing)) return;
    const [ahead, behind] = standing === "better" ? pairs[place] : pairs[place].toReversed();
    ranks[behind][0] += 1;
    ranks[ahead][1] -= 1;
  });
  return ranks;
}

/** What the mean of a run could be over all grades of unjudged documents; null where not known. */
async function boundsOfOne(info, policies, run) {
  if (run < 0 || !made.is_examined) return null;
  const ties = policies.ties === "range" ? "expected" : policies.ties;
  try {
    const [of] = await valuesOf([info.name], { ...policies, ties, unjudged: "range" });
    const { low, high } = of[run].total;
    return low === null || high === null ? null : { low, high };
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    return null; // no bounds
  }
}

/** For each pair of runs, what the difference of each query could be over all grades of unjudged documents, which both runs
 * share; null where each run has bounds of its own, see untied.results.difference_bounds. */
async function jointOf(measure, policies, pairs) {
  if (policies.unjudged !== "range" || policies.ties in { best: 0, worst: 0 } || !pairs.length || !countsAll(policies) || held.is_large) return null;
  const [a, b] = [0, 1].map((end) => pairs.map((pair) => pair[end]));
  const request = { do: "bounds", qrels: inputs.qrels, runs: inputs.runs, a, b, measure, ties: policies.ties, score_dtype: scoresOf(policies), unretrieved: policies.unretrieved };
  try {
    const { pairs: bounds } = await kept(request, request, `bounding differences in ${measure}`);
    return bounds.every(({ low }) => low.length === made.of) ? bounds : null;
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    return null; // the measure has no verdicts; all that else could be wrong has been refused before
  }
}

/** How the first run of each pair stands to the second in all cases that policies leave open; null where that is not known. */
async function standingsOf(info, policies, pairs) {
  try {
    const joint = await jointOf(info.name, policies, pairs);
    if (policies.unjudged === "range" && !joint) return null;
    const [of] = await valuesOf([info.name], policies);
    const [a, b] = [0, 1].map((end) => pairs.map((pair) => pair[end]));
    const request = { do: "standings", ...columnsOf(info.name, Object.keys(made.runs), of), a, b, ...togetherOf(joint) };
    const { pairs: bounds } = await work.ask(request, `bounding differences in ${info.name}`);
    return bounds.map(({ low, high, standing }) => ({ low: decoded(low), high: decoded(high), standing }));
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    return null; // no bounds, or no query with a value of both
  }
}

/** How the leading run stands to every other one. */
async function othersOf(info, policies, leader) {
  const runs = made.runs.map((_, run) => run).filter((run) => run !== leader);
  const standings = await standingsOf(info, policies, runs.map((run) => [leader, run]));
  return standings && runs.map((run, place) => ({ run, ...standings[place] }));
}

// The smallest number of unjudged documents that would end the lead over a run if they were relevant.
function overturnOf(verdicts, leader, others) {
  if (!verdicts || !others) return null;
  const known = others.filter(({ standing }) => standing === "open").map(({ run }) => verdictBetween(verdicts, leader, run))
    .filter(({ overturn }) => overturn !== "never" && overturn > 0).sort((x, y) => x.overturn - y.overturn || y.overturn_is_exact - x.overturn_is_exact);
  return known.length ? { documents: known[0].overturn, is_exact: known[0].overturn_is_exact } : null;
}

/** The lowest and the highest values of queries, by run, and the bounds of differences by pair of runs: of both runs together
 * over missing judgments, and of each alone over orders of ties, which are independent. Null where nothing is open. */
function endsOf(of, joint) {
  const [first] = of;
  return first?.values.low ? { joint, runs: of.map(({ values: { low, high } }) => ({ low: decoded(low), high: decoded(high) })) } : null;
}

/** Curves under other policies; what the core refuses leaves them out. */
async function curvesOf(policies) {
  if (held.is_large) throw new Error("they take long for large runs, and untied curve computes them");
  // Bounds at every rank would take long, and the curves of a report have none.
  if (!["nonrelevant", "remove"].includes(policies.unjudged)) throw new Error("bounds over unjudged documents are not known");
  const { precision, ends, averages } = held.curves, one = { ties: policies.ties === "range" ? "expected" : policies.ties };
  const total = async (names, more) => {
    const of = await valuesOf(names, { ...policies, ...one, ...more });
    return made.runs.map((_, run) => of.map((runs) => runs[run].total.mean));
  };
  const sums = (await total(averages, { on_undefined: "nan" })).map((means) => new Map([[0, 0], ...ends.map((end, place) => [end, end * (means[place] ?? NaN)])]));
  const { ranks, recall } = made.curves;
  return { recall, precision: await total(precision), ranks,
    dynamic_recall: ranks.length ? sums.map((of) => ranks.map((rank) => number(of.get(rank) - of.get(rank - 1)))) : [] };
}

// What says that values are meaningless: runs and judgments with nothing in common, or grades that no document has.
function apartOf(names) {
  const above = names.filter((name) => held.highest > 0 && (asked.get(name).least ?? 0) > held.highest);
  const highest = String(Number(held.highest.toPrecision(6)));
  const levels = above.length ? [`the highest grade is ${highest}, lower than these measures need: ${above.join(", ")}`] : [];
  return held.apart.length ? held.apart : levels;
}

/** The runs with the best mean, and of these the first with the one to compare it with: the baseline, or the next best; null
 * unless there are two. */
function leadersOf(means, lower, baseline) {
  const { best, order } = leaders(means, lower);
  const pair = [order[0], baseline === null || baseline === order[0] || !order.includes(baseline) ? order[1] : baseline];
  return { best, pair: order.length < 2 ? null : pair };
}

// What the summary says of the tests of one measure, as untied.report.data has it.
function testedOf(page, place) {
  const pair = page.leading[place], { baseline } = page, of = page.tests.filter((one) => one.measure === place);
  if (!pair) return { test: null, others: null };
  const against = baseline ?? pair[0], among = of.filter((one) => [one.a, one.b].includes(against) && one.significant);
  const better = among.filter((one) => one.difference * (one.b === against ? 1 : -1) > 0 !== page.measures[place].lower).length;
  const said = ({ a, p, significant, survives, least, most }) => ({ a, p, significant, survives, least, most });
  return { test: of.filter((one) => pair.includes(one.a) && pair.includes(one.b)).map(said)[0] ?? null,
    others: { better, worse: among.length - better, of: of.filter((one) => [one.a, one.b].includes(against)).length } };
}

/** What policies leave open of one measure, as untied.report.data has it. */
async function openOf(page, place, policies, verdicts) {
  const info = page.measures[place], [leader] = page.leading[place] ?? [], orders = ordersOf(policies);
  const isOpen = orders !== null && policies.unjudged === "nonrelevant"; // else nothing is said of judgments, or the brackets say it
  if (page.apart.length) return isOpen ? { judgments: null } : {};
  if (leader === undefined) return isOpen ? { judgments: await boundsOfOne(info, policies, aloneOf(page.means[place])) } : {};
  const ties = await othersOf(info, policies, leader);
  if (!isOpen) return { ties };
  if (!made.is_examined) return { ties, judgments: null };
  const judgments = await othersOf(info, { ...policies, ties: orders, unjudged: "range" }, leader);
  const isBoth = policies.ties === "range" && made.ties.some(({ tied }) => tied) && judgments;
  return { ties, judgments, overturn: overturnOf(verdicts, leader, judgments),
    both: isBoth ? await othersOf(info, { ...policies, unjudged: "range" }, leader) : null };
}

/** The whole data of the page by other settings. @param {{measures: string[], policies: any, baseline: number | null}} settings */
async function recalculated({ measures: names, policies, baseline }) {
  await work.ready();
  const measures = names.map((name) => asked.get(name)).map(({ name, lower, scale, title, range, equation, reference }) => ({ name, lower, scale, title, range, equation, reference }));
  const pairs = made.runs.length > 1 ? pairsOf(made.runs, baseline) : [], apart = apartOf(names); // then nothing is tested
  const hasTest = TESTED.includes(made.settings.test), isTested = pairs.length && !apart.length && hasTest;
  const isAlike = JSON.stringify(policies) === JSON.stringify(MADE), isOfFiles = made.curves.precision === undefined;
  const { unretrieved, ...others } = policies;
  const page = { ...made, baseline, measures, words: wordsOf(policies), how: hasTest ? made.how : null, means: [], values: [], tests: [], ranks: [], best: [], leading: [], answers: [], ...(isOfFiles && { ends: [] }), apart, notes: [...apart, ...held.among] };
  page.settings = { ...made.settings, ...others, ...(unretrieved === "none" ? {} : { unretrieved }) };
  if (made.settings.interval === "t") {
    page.settings.interval = "none";
    page.notes.push("Student's intervals are not recalculated in a page");
  }
  const least = held.insignificant[baseline === null ? "pairs" : "baseline"]; // notes if nothing can be significant
  page.can_be_significant = !isTested || !least.length;
  const unsettled = [], withoutValue = [], all = await valuesOf(names, policies);
  for (const [place, info] of measures.entries()) {
    const of = all[place], columns = columnsOf(info.name, Object.keys(made.runs), of);
    page.means.push(await meansOf(of, columns, policies));
    page.values.push(of.map(({ values: { mean } }) => (held.rows ?? Object.keys(mean)).map((row) => decoded(mean[row]))));
    const missing = columns.mean.map((mean, run) => [made.runs[run], mean.filter((value) => value === null).length]).filter(([, number]) => number);
    if (missing.length) withoutValue.push(`${info.name}: queries without a value, left out of the mean: ${missing.map(([run, number]) => `${count(number)} of ${run}`).join(", ")}`);
    const verdicts = apart.length ? null : await verdictsOf(info.name, policies, made.runs.map((_, run) => run));
    const joint = isTested ? await jointOf(info.name, policies, pairs) : null;
    if (isOfFiles) page.ends.push(endsOf(of, joint && new Map(pairs.map(([a, b], place) => [`${a},${b}`, { low: decoded(joint[place].low), high: decoded(joint[place].high) }]))));
    if (isTested) {
      const tested = await testsOf(place, columns, pairs, joint);
      unsettled.push([info.name, tested.unsettled]);
      for (const test of tested.tests) {
        const verdict = verdictBetween(verdicts, test.a, test.b);
        Object.assign(test, verdict ? { verdict: verdict.verdict, overturn: verdict.overturn, overturn_is_exact: verdict.overturn_is_exact } : { verdict: null, overturn: null });
        page.tests.push(test);
      }
    }
    const { best, pair } = leadersOf(page.means[place], info.lower, baseline);
    page.best.push(best);
    page.leading.push(pair);
    page.answers.push({ ...testedOf(page, place), ...(await openOf(page, place, policies, verdicts)) });
    const every = pairsOf(made.runs, null), hasRanks = !apart.length && every.length && ordersOf(policies) !== null && every.length * made.of <= MOST_CERTIFIED;
    page.ranks.push(hasRanks ? ranksOfRuns(every, await standingsOf(info, { ...policies, unjudged: "range" }, every)) : null);
  }
  if (isTested) page.notes.push(...notesOf(page.tests, unsettled, least, page.words.open));
  else if (pairs.length && !apart.length) page.notes.push(held.untested ?? `significance is not tested: a page cannot recalculate the test ${made.settings.test}; untied stats can`);
  page.notes.push(...withoutValue);
  if (!apart.length && pairsOf(made.runs, null).length * made.of > MOST_CERTIFIED) page.notes.push(...made.notes.filter((note) => note.startsWith("ranks and overturn numbers")));
  page.notes.push(...made.notes.filter((note) => note.startsWith("intervals are from")));
  if (isOfFiles) page.curves = { later: () => curvesOf(policies) };
  else if (!isAlike) {
    try {
      page.curves = await curvesOf(policies);
    } catch (error) {
      if (error instanceof Cancelled) throw error;
      page.curves = null;
      page.notes.push(`curves are left out: ${error.message}`);
    }
  }
  page.notes.push(...(held.remarks?.(page) ?? []));
  return page;
}
