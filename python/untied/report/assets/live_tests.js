// Significance tests of values of queries, as untied.statistics makes them; what is drawn by chance the core draws.

// A sum that is rounded once (Shewchuk 1997), as Python's math.fsum.
function fsum(values) {
  const parts = [];
  for (let value of values) {
    let kept = 0;
    for (let part of parts) {
      if (Math.abs(value) < Math.abs(part)) [value, part] = [part, value];
      const total = value + part, rest = part - (total - value);
      if (rest !== 0) parts[kept++] = rest;
      value = total;
    }
    parts.length = kept;
    parts.push(value);
  }
  let place = parts.length - 1, total = place < 0 ? 0 : parts[place];
  while (place-- > 0) {
    const before = total;
    total = before + parts[place];
    const rest = parts[place] - (total - before);
    if (rest === 0) continue;
    // Half of a last digit: the next part decides.
    const twice = 2 * rest, rounded = total + twice;
    if (place > 0 && rest < 0 === parts[place - 1] < 0 && rounded - total === twice) total = rounded;
    break;
  }
  return total;
}

// How values of queries are put together: see untied.statistics.aggregates. scale: mean, log (geometric mean) or sum.
const terms = (values, scale, floor) => (scale === "log" ? values.map((value) => (Number.isNaN(value) ? value : Math.log(Math.max(value, floor)))) : values);
const differenceOf = (scale, mean, queries) => (scale === "sum" ? mean * queries : mean);
const aggregateOf = (scale, mean, queries) => (scale === "log" ? Math.exp(mean) : differenceOf(scale, mean, queries));

/** A run's values as terms; without a bound a term is its own. @param {{mean: number[], low?: number[], high?: number[]}} values */
function column(values, { scale, lower }, floor) {
  const mean = terms(values.mean, scale, floor);
  const ends = (end) => (end ? terms(end, scale, floor).map((value, row) => (Number.isNaN(value) ? mean[row] : value)) : mean);
  return { mean, low: ends(values.low), high: ends(values.high), plain: values.mean, nothing: terms([0], scale, floor)[0], scale, lower };
}

/** Two runs' values for the queries where both have one, and the others that count with some judgments only.
 * @param {{low: number[], high: number[]} | null} joint Bounds of the difference of each query; null if each run has its own. */
function pairOf(a, b, names, joint) {
  const both = [], others = [];
  a.mean.forEach((value, row) => (Number.isNaN(value) || Number.isNaN(b.mean[row]) ? others : both).push(row));
  if (!both.length) throw new Error(`runs ${names.join(" and ")} have no query with a value for both`);
  const isOpen = (of, row) => Number.isNaN(of.mean[row]) && !Number.isNaN(of.low[row]);
  const ends = (of, row, other) => (Number.isNaN(of.low[row]) && isOpen(other, row) && !of.lower ? [of.nothing, of.nothing] : [of.low[row], of.high[row]]);
  const difference = (row) => a.mean[row] - b.mean[row];
  // Joint bounds contain what is tested, see untied.statistics.paired.
  const low = (row) => (joint ? Math.min(joint.low[row], difference(row)) : a.low[row] - b.high[row]);
  const high = (row) => (joint ? Math.max(joint.high[row], difference(row)) : a.high[row] - b.low[row]);
  const spans = { low: both.map(low), high: both.map(high), openLow: [], openHigh: [] };
  for (const row of others) {
    const [lowA, highA] = ends(a, row, b), [lowB, highB] = ends(b, row, a);
    if (Number.isNaN(lowA) || Number.isNaN(lowB)) continue;
    spans.openLow.push(joint ? joint.low[row] : lowA - highB);
    spans.openHigh.push(joint ? joint.high[row] : highA - lowB);
  }
  return { differences: both.map(difference), spans, scale: a.scale };
}

// The most extreme aggregate of differences, with those optional ones that move it further.
function reached(counted, mayCount, beyond, scale) {
  const all = counted.slice();
  let total = fsum(all);
  for (const difference of mayCount) {
    if (!beyond(difference, scale === "sum" ? 0 : total / all.length)) break;
    all.push(difference);
    total += difference;
  }
  return differenceOf(scale, fsum(all) / all.length, all.length);
}

const leastOf = ({ spans, scale }) => reached(spans.low, spans.openLow.slice().sort((x, y) => x - y), (x, y) => x < y, scale);
const mostOf = ({ spans, scale }) => reached(spans.high, spans.openHigh.slice().sort((x, y) => y - x), (x, y) => x > y, scale);

// The differences within the spans whose p is largest; null if their sum can be 0.
function nearest({ low, high, openLow, openHigh }) {
  const least = [...low, ...openLow.filter((x) => x < 0)];
  if (fsum(least) > 0) return least;
  const most = [...high, ...openHigh.filter((x) => x > 0)];
  return fsum(most) < 0 ? most : null;
}

// p-values corrected for their number.
function adjust(values, method) {
  const order = values.map((p, place) => [p, place]).filter(([p]) => !Number.isNaN(p)).sort((x, y) => x[0] - y[0] || x[1] - y[1]);
  const n = order.length, adjusted = values.slice();
  let limit = method === "bh" ? 1 : 0;
  if (method === "bonferroni") for (const [p, place] of order) adjusted[place] = Math.min(1, n * p);
  if (method === "holm") order.forEach(([p, place], rank) => { adjusted[place] = limit = Math.max(limit, Math.min(1, (n - rank) * p)); });
  if (method === "bh") for (let rank = n; rank > 0; rank -= 1) adjusted[order[rank - 1][1]] = limit = Math.min(limit, (n * order[rank - 1][0]) / rank);
  return adjusted;
}

// Two-sided p-values of the randomisation test.
async function signsOf(differences, { samples, seed }, what) {
  const { counts } = await work.ask({ do: "signs", differences, samples, seed }, what);
  return counts.map(({ beyond, choices, exact }) => (exact ? beyond / choices : (beyond + 1) / (choices + 1)));
}

// Of Tukey's test, for every two runs.
async function dealsOf(columns, pairs, { samples, seed }, what) {
  const rows = columns[0].mean.map((_, row) => row).filter((row) => columns.every((one) => !Number.isNaN(one.mean[row])));
  if (!rows.length) throw new Error("no query has a value for every run");
  const { counts } = await work.ask({ do: "deals", columns: columns.map((one) => rows.map((row) => one.mean[row])), samples, seed }, what);
  const found = new Map();
  let next = 0;
  for (let a = 0; a < columns.length; a += 1) for (let b = a + 1; b < columns.length; b += 1) found.set(`${a},${b}`, (counts[next++] + 1) / (samples + 1));
  return pairs.map(([a, b]) => found.get(`${Math.min(a, b)},${Math.max(a, b)}`));
}

const pairsOf = (runs, baseline) => (baseline === null
  ? runs.flatMap((_, a) => runs.slice(a + 1).map((_, more) => [a, a + 1 + more]))
  : runs.map((_, run) => [run, baseline]).filter(([run]) => run !== baseline));

function quantile(ordered, share) {
  const place = share * (ordered.length - 1), below = Math.floor(place), above = Math.min(below + 1, ordered.length - 1);
  return ordered[below] + (place - below) * (ordered[above] - ordered[below]);
}

// Tests that the core can make again; the others need SciPy.
const TESTED = ["randomization", "tukey"];

/** The tests of one measure: of all pairs of runs, or of all runs with the baseline. `joint`: bounds of each pair, see `pairOf`. */
async function testsOf(measure, info, columns, pairs, joint, hasRange, settings, names) {
  const { test, correction, level } = settings, what = `testing ${info.name}`;
  const compared = pairs.map(([a, b], place) => pairOf(columns[a], columns[b], [names[a], names[b]], joint?.[place] ?? null));
  const correct = test === "tukey" ? "none" : correction;
  const plain = test === "tukey" ? await dealsOf(columns, pairs, settings, what) : await signsOf(compared.map((pair) => pair.differences), settings, what);
  const p = adjust(plain, correct), isSmall = (value) => value <= 1 - level + 1e-12;
  const ends = compared.map((pair) => (hasRange ? [leastOf(pair), mostOf(pair)] : null));
  let survives = pairs.map(() => "yes"); // where nothing is open
  if (hasRange && test === "randomization") {
    const closest = compared.map((pair) => nearest(pair.spans));
    const largest = await signsOf(closest.filter((one) => one !== null), settings, what);
    survives = adjust(closest.map((one) => (one === null ? 1 : largest.shift())), correct).map((value) => (isSmall(value) ? "yes" : "no"));
  } else if (hasRange) survives = ends.map(([least, most], place) => ((least <= 0 && 0 <= most) || !isSmall(p[place]) ? "no" : "unknown"));
  const found = compared.map(({ differences, scale }, place) => {
    const better = differences.filter((x) => x > 0).length, worse = differences.filter((x) => x < 0).length;
    const difference = differenceOf(scale, fsum(differences) / differences.length, differences.length);
    const ordered = differences.slice().sort((x, y) => x - y), [a, b] = pairs[place];
    return { measure, a, b, p: p[place], significant: isSmall(p[place]), survives: survives[place], difference,
      least: ends[place]?.[0] ?? difference, most: ends[place]?.[1] ?? difference,
      counts: [better, differences.length - better - worse, worse], quantiles: [0.05, 0.5, 0.95].map((share) => quantile(ordered, share)) };
  });
  return { tests: found, unsettled: compared.reduce((sum, pair) => sum + pair.spans.openLow.length, 0) };
}

const TEST_NAMES = { randomization: "paired randomisation test", tukey: "randomised Tukey HSD" };
const digits2 = (value) => String(Number(value.toPrecision(2)));

// The smallest corrected p that the test can give.
function leastP(queries, pairs, { test, samples, correction }) {
  const ofSample = 1 / (samples + 1), ofAll = test === "randomization" ? 2 ** (1 - queries) : 0;
  return { least: adjust(Array(pairs).fill(Math.max(ofSample, ofAll)), correction)[0], ofSample, ofAll };
}

/** Notes that affect the interpretation of tests. @param {[string, number][]} unsettled Numbers of queries by measure.
 * @param {string[]} varied What survival is over, see `wordsOf`. */
function notesOf(tests, unsettled, pairs, queries, { test, samples, level, correction }, varied) {
  const notes = [], open = unsettled.filter(([, number]) => number);
  if (open.length) {
    notes.push(`queries in which missing judgments decide whether a run has a value: ${open.map(([name, number]) => `${number} of ${name}`).join(", ")}; tests leave these queries out, ` +
      "but the bounds of differences, and what survives, hold with and without them");
  }
  const unknown = tests.filter((one) => one.survives === "unknown").length;
  if (unknown) {
    const causes = varied.map((one) => (one[0] === "o" ? "ties" : "missing judgments")).join(" or ");
    notes.push(`whether ${causes} could make a significant difference insignificant is unknown for ${count(unknown)} ` +
      `comparison${unknown === 1 ? "" : "s"}; only the ${TEST_NAMES.randomization} has bounds of p`);
  }
  const { least, ofSample, ofAll } = leastP(queries, pairs, { test, samples, correction });
  if (least > 1 - level) {
    const [what, remedy] = ofAll > ofSample ? [`${queries} ${queries === 1 ? "query" : "queries"}`, "no difference can be significant"]
      : [`${count(samples)} permutations`, "draw more samples or use the test tukey"];
    const corrected = correction !== "none" && pairs > 1 ? ` corrected for ${count(pairs)} comparisons` : "";
    notes.push(`with ${what}, p${corrected} cannot be below ${digits2(least)}; ${remedy}`);
  }
  return notes;
}
