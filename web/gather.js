// What a report of the files has whatever the reader's settings are, in the form of `collect` in untied.report.data.
const MOST_DRAWN = 2 ** 28; // values drawn for all intervals of a page, and an eighth of the signs for all tests: a few seconds
const MOST_COMPARED = 5_000; // pairs of runs times queries, for similarities of all runs
/** A change that another one overtook. */
class Overtaken extends Error {}

/** The problem with a run as a whole, so that its scores say nothing about it, as untied.inputs.mismatch; null for all others. */
function mismatch({ swapped, common, matched, unknown, relevant }) {
  const said = held.said.mismatch;
  if (swapped) return said.swapped;
  if (matched) return relevant ? null : said.relevant;
  return common ? said.documents : unknown ? said.queries : said.empty;
}

const nothing = { documents: null, tied: null, queries: null, all_tied: null, largest: null };

/** Tied documents of runs, and shares of unjudged ones to several depths: of all runs but the large ones. */
async function countsOf(runs, facts, truth, score_dtype) {
  const ties = [];
  for (const run of runs) ties.push(run.held.large ? nothing : await kept(["ties", run.number, score_dtype], { do: "ties", run: run.number, score_dtype }, `counting ties of ${run.name}`));
  const deepest = Math.max(1, ...ties.map((of) => of.deepest ?? 1));
  const depths = [...new Set([...held.depths.filter((depth) => depth < deepest), deepest, 10])].sort((x, y) => x - y), shares = [];
  for (const run of runs) {
    const request = { do: "judged", qrels: truth.number, run: run.number, depths, score_dtype };
    const found = run.held.large ? null : await kept(request, request, `counting judged documents of ${run.name}`);
    shares.push(depths.map((_, place) => (found?.retrieved[place] ? (found.retrieved[place] - found.judged[place]) / found.retrieved[place] : null)));
  }
  const drawn = depths.filter((depth) => depth <= deepest);
  return {
    ties: ties.map((of, run) => ({ ...of, mixed: facts[run].mixed, absent: facts[run].absent, unknown: facts[run].unknown })),
    top_ten: shares.map((of) => of[depths.indexOf(10)]),
    unjudged: { depths: drawn, shares: shares.map((of) => of.slice(0, drawn.length)) },
    ranks: held.ranks.filter((rank) => rank <= deepest),
  };
}

/** Similarities of every two of several runs; of two runs the page has more below. */
async function distancesOf(runs, of, score_dtype) {
  const pairs = pairsOf(runs, null);
  if (runs.length < 3 || pairs.length * of > MOST_COMPARED || runs.some((run) => run.held.large)) return [];
  const distances = COMPARED.map((name) => ({ name, meaning: meaningOf(name), map: null, rows: runs.map(() => runs.map(() => null)) }));
  for (const [a, b] of [...pairs, ...runs.map((_, run) => [run, run])]) {
    const request = { do: "compare", a: runs[a].number, b: runs[b].number, measures: COMPARED, ties: "expected", score_dtype };
    const found = await kept(request, request, "comparing runs").catch((error) => {
      if (error instanceof Cancelled) throw error;
      return null; // no query in common
    });
    distances.forEach(({ rows }, place) => { rows[a][b] = rows[b][a] = found && decoded(found.totals[place].mean); });
  }
  return distances;
}

/** What should be known about runs, whatever their scores are. */
function remarksOf(runs, facts, { queries, on_undefined }) {
  const by = (name, word) => runs.map((run, place) => [run.name, facts[place][name]]).filter(([, n]) => n).map(([run, n]) => `${count(n)} ${word} ${run}`).join(", ");
  const say = (name, words, tail = "", word = "of") => (by(name, word) ? [`${words}: ${by(name, word)}${tail}`] : []);
  const without = facts[0].evaluated - facts[0].relevant;
  return [
    ...say("absent", "judged queries missing from a run", queries === "common" ? " (left out)" : " (counted as empty rankings)", "from"),
    ...(without && facts[0].relevant ? [`queries without a relevant document: ${count(without)} of ${count(facts[0].evaluated)}; most measures, such as AP, are undefined for them${on_undefined === "zero" ? " and count as 0" : ""}`] : []),
    ...say("left_out", "undefined values, left out of the means"),
    ...say("estimated", "means that are estimated from a sample of the orders of tied documents"),
    ...say("enclosed", "brackets that may be wider than any order of tied documents can reach"),
  ];
}

/** How far the score of a run could move by the first measure, of the run that could move most, and what moves it. */
function widestNote({ measures: [{ name }], means: [means], settings: { ties, unjudged }, ties: counts, unjudged: { shares } }, runs) {
  const run = means.reduce((most, { low, high }, place) => (high - low > means[most].high - means[most].low ? place : most), 0), { mean, low, high } = means[run];
  if (mean === null || !(minus(high, low) > 0)) return [];
  const { tied, documents } = counts[run], byTies = ties === "range" && tied !== 0, byGrades = unjudged === "range" && shares[run].some((share) => share !== 0);
  const far = `it could be anything from ${show(low)} to ${show(high)}`, { name: called } = runs[run];
  if (byTies && !byGrades && tied) return [`${tied === documents ? "all" : `${count(tied)} of`} ${count(documents)} documents of ${called} are tied with others: its ${name} is ${show(mean)} on average, but ${far}`];
  return [`${called} could move most: its ${name} is ${show(mean)}, but with other ${[byTies ? "orders of tied documents" : null, byGrades ? "grades of unjudged documents" : null].filter(Boolean).join(" and other ")} ${far}`];
}

/** The tests and intervals of these runs, or why there are none: of very many values they would take long. */
function chancesOf(runs, measures, of) {
  const { tested } = held, comparisons = pairsOf(runs, state.baseline).length, drawn = of * measures.length;
  const isExact = 2 ** (of - 1) <= tested.samples, samples = isExact ? 2 ** (of - 1) : tested.samples;
  const isTested = 2 * samples * comparisons * drawn <= 8 * MOST_DRAWN, hasIntervals = 9_999 * runs.length * drawn <= MOST_DRAWN;
  return {
    settings: { ...tested, test: isTested ? tested.test : null, interval: hasIntervals ? "bca" : "none" },
    untested: `significance is not tested, because ${many(comparisons, "pair", "pairs")} of runs with ${count(of)} queries would take long in a page; untied stats tests them`,
  };
}

/** The note that no difference can be significant, if that is so; as `on_least` in untied.statistics.notes. */
function leastNotes(of, comparisons) {
  const { samples, level } = held.tested, [sampled, exact] = [1 / (samples + 1), 2 ** (1 - of)];
  const least = Math.min(1, Math.max(sampled, exact) * comparisons);
  if (least <= 1 - level) return [];
  const parts = exact > sampled ? [queriesWords(of), "no difference can be significant"] : [`${count(samples)} permutations`, "draw more samples or use the test tukey"];
  const corrected = comparisons > 1 ? ` corrected for ${count(comparisons)} comparisons` : "";
  return [[parts[0], corrected, String(Number(least.toPrecision(2))), parts[1]].reduce((text, word) => text.replace("{}", word), held.said.least)];
}

const hashes = new Map();
/** The hash of a file, as a report records it; null where a browser has none, or the file is large. @param {OneFile} one */
async function hashOf({ number: file, blob, held: { large } }) {
  if (!hashes.has(file) && crypto.subtle && !large) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
    hashes.set(file, [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
  }
  return hashes.get(file) ?? null;
}

/** The data of the page by settings; null if there are no scores, and nothing to compare. */
async function reportOfFiles(settings, isLast) {
  await work.ready();
  const runs = allRuns(), truth = qrels(), last = (found) => {
    if (!isLast()) throw new Overtaken();
    return found;
  };
  if (!truth) return runs.length > 1 ? last(await withoutJudgments(runs, settings.policies)) : null;
  if (!runs.length) return null;
  return last(await recalculated(await gathered(runs, truth, settings, last)));
}

/** Take from the files all that settings of measures do not change; the settings, which may name another baseline then. */
async function gathered(all, truth, settings, last) {
  const { measures, policies } = settings, { score_dtype } = policies;
  const evaluated = [];
  for (const run of all) {
    try {
      const [{ facts, queries }] = await evaluationsOf(measures, policies, run.number, run.name, truth.number);
      evaluated.push({ run, facts, queries, why: mismatch(facts) });
    } catch (error) {
      // The lines of a large run are read only now.
      if (!run.held.large || !error.message.startsWith(run.path)) throw error;
      last(breaks(run.path, error));
      remove(run);
    }
    last();
  }
  // Where other runs have scores, those that say nothing are left out.
  const sound = evaluated.some(({ why }) => !why) ? evaluated.filter(({ why }) => !why) : evaluated, odd = evaluated.filter(({ why }) => why);
  const runs = sound.map(({ run }) => run), facts = sound.map((one) => one.facts), isLarge = runs.some((run) => run.held.large);
  const { queries: judged, relevant } = await kept(["relevant", truth.number], { do: "relevant", qrels: truth.number }, "counting relevant documents");
  const counted = new Set(sound.flatMap((one) => one.queries)), rows = [...judged.keys()].filter((row) => counted.has(judged[row])), queries = rows.map((row) => judged[row]);
  const { ranks, ...counts } = await countsOf(runs, facts, truth, score_dtype), distances = await distancesOf(runs, queries.length, score_dtype);
  const hashed = [];
  for (const one of [truth, ...runs]) hashed.push({ path: one.path, sha256: await hashOf(one) });
  const { untested, settings: chance } = chancesOf(runs, measures, queries.length), pairs = pairsOf(runs, null).length, { two, more } = held.how;
  const grades = truth.held.grades.filter((grade) => grade > 0), ends = [...new Set(ranks.flatMap((rank) => [rank - 1, rank]))].filter((rank) => rank > 0);
  const names = runs.map((run) => run.name), sentences = odd.map(({ run, why }) => (why === held.said.mismatch.relevant ? why : `${why}: '${run.name}'`));
  last();
  if (JSON.stringify(names) !== JSON.stringify(made?.runs)) places = null; // other colours
  inputs = { qrels: truth.number, runs: runs.map((run) => run.number) };
  Object.assign(held, {
    rows: null, apart: sound[0]?.why ? sentences : [], highest: Math.max(0, ...grades),
    among: [...(sound[0]?.why ? [] : sentences.map((words) => `left out: ${words}`)), ...remarksOf(runs, facts, policies)],
    remarks: (page) => widestNote(page, runs), untested, is_large: isLarge, large: runs.filter((run) => run.held.large).map((run) => run.number),
    insignificant: { pairs: leastNotes(queries.length, pairs), baseline: leastNotes(queries.length, runs.length - 1) },
    curves: { precision: held.recall.map((level) => `IPrec@${level.toFixed(1)}`), ends, averages: grades.length ? ends.map((end) => `ADR(rel=${Math.min(...grades)})@${end}`) : [] },
  });
  const note = held.said.left_out.replace("{}", many(pairs, "pair", "pairs")).replace("{}", count(queries.length));
  made = {
    kind: "evaluation", version: [...known.values()][0].version, runs: names, titles: null, queries, of: queries.length,
    is_examined: !isLarge && runs.length * queries.length <= held.examined, how: runs.length > 2 ? more : two, settings: chance,
    notes: pairs * queries.length > MOST_CERTIFIED ? [note] : [], inputs: hashed, distances, judges: null, segments: null, has_preferences: false, ...counts,
    rankings: rows.map((row) => ({ relevant: relevant[row] })), curves: { recall: held.recall, ranks: grades.length ? ranks : [] },
  };
  return settings;
}

/** Two of several runs are compared, and their rankings shown, where nothing is judged. */
async function withoutJudgments(runs, { score_dtype, ties }) {
  const { a, b } = data?.kind === "runs" && Math.max(state.a, state.b) < runs.length ? state : { a: 0, b: 1 };
  const large = runs.filter((run) => run.held.large).map((run) => run.number);
  const request = { do: "compare", a: runs[a].number, b: runs[b].number, measures: ["Overlap@1"], ties: "expected", score_dtype };
  const { queries } = [a, b].some((run) => runs[run].held.large) ? { queries: [] } : await kept(request, request, "comparing runs").catch((error) => {
    if (error instanceof Cancelled) throw error;
    return { queries: [] }; // none in common
  });
  places = null;
  [inputs, made] = [{ qrels: null, runs: runs.map((run) => run.number) }, null];
  Object.assign(held, { large });
  return { kind: "runs", runs: runs.map((run) => run.name), measures: [], queries, of: queries.length, titles: null, baseline: null,
    leading: [[a, b]], settings: { score_dtype, ties }, rankings: queries.map(() => null), notes: [] };
}
