// The answer in words about recalculated values, as untied.report.headline writes it.

// What values are and what brackets are over, by policies; see `words`.
function wordsOf({ ties, unjudged }) {
  const order = { best: "with tied documents in their best order", worst: "with tied documents in their worst order", docid: "with tied documents ordered by id",
    trec: "with documents tied in 32 bits ordered by id", given: "with tied documents in the order of the file" }[ties];
  const grade = { remove: "without unjudged documents", best: "with the best grades for unjudged documents", worst: "with the worst grades for unjudged documents" }[unjudged];
  const isMean = order === undefined, how = [order, grade].filter(Boolean).join(", ");
  const open = [ties === "range" ? "order of tied documents" : null, unjudged === "range" ? "grade of unjudged documents" : null].filter(Boolean);
  const plain = (one) => (one[0] === "o" ? "orders of tied documents" : "grades of unjudged documents");
  const value = [isMean ? "mean over all orders of tied documents" : "value", how].filter(Boolean).join(" ");
  return {
    value, values: [isMean ? "expected scores over all orders of tied documents" : "scores", how].filter(Boolean).join(" "),
    curves: `means over queries${isMean ? " and over orders of tied documents" : ""}${how && `, ${how}`}`,
    all: open.length ? `over all ${open.map(plain).join(" and all ")}` : null,
    every: open.length ? `in every ${open[0]}${open.length > 1 ? ` with every ${open[1]}` : ""}`.replace("in every grade", "with every grade") : null,
    some: open.length ? `some ${open.join(" or ")}` : null,
    ends: { 0: null, 1: ties === "range" ? "from the worst to the best order of tied documents" : "from the worst to the best grades of unjudged documents",
      2: "from the worst to the best orders of tied documents and grades of unjudged ones" }[open.length],
    open,
  };
}

// The leading run and the one to compare it with: the baseline, or the next best; null unless there are two.
function leadingOf(means, lower, baseline) {
  const order = means.map((one, run) => [run, one.mean]).filter(([, mean]) => mean !== null).sort((x, y) => (lower ? x[1] - y[1] : y[1] - x[1]) || x[0] - y[0]).map(([run]) => run);
  if (order.length < 2) return null;
  return [order[0], baseline === null || baseline === order[0] || !order.includes(baseline) ? order[1] : baseline];
}

const betweenWords = (ends, scale) => `the ${scale === "log" ? "difference of logarithms" : "difference"} lies between ${signed(ends[0])} and ${signed(ends[1])}`;

// How much something changes that looks the same: not at all but for rounding, or less than the digits show.
const unseen = (low, high, what, are) => (high - low <= 1e-12 ? `${are} not change ${what}` : `change${are === "does" ? "s" : ""} ${what} by less than 0.0001`);

/** The sentences about one measure. `found`: what the page will show; `judgments`: a verdict, bounds, null if neither is known,
 * or undefined if there is nothing to say; `apart`: why values mean nothing; `ofBoth`: whether both runs share the grades of
 * unjudged documents in the tests. */
function sentencesOf(found, place, judgments, canBeSignificant, apart, ofBoth) {
  const info = found.measures[place], means = found.means[place], pair = found.leading[place], { baseline, runs } = found;
  if (pair === null) return aloneWords(found, place, judgments, apart);
  const [a, b] = pair, [meanA, meanB] = [means[a].mean, means[b].mean];
  const leader = runs[a] + (a === baseline ? ", the baseline," : ""), rival = (b === baseline ? "the baseline " : "") + runs[b];
  const lead = `${show(meanA)}${info.lower ? " (lower is better)" : ""}, ${show(Math.abs(meanA - meanB))} ${info.lower ? "below" : "above"} ${rival} (${show(meanB)})`;
  const said = [meanA === meanB ? `${leader} and ${rival} are equal by ${info.name}: ${show(meanA)}.` : `${leader} leads by ${info.name}: ${lead}.`];
  const test = found.tests.find((one) => one.measure === place && [one.a, one.b].includes(a) && [one.a, one.b].includes(b));
  if (!test) return [...said, "The two were not tested against each other; see the notes."];
  const ends = test.a === a ? [test.least, test.most] : [-test.most, -test.least];
  return [...said,
    `The difference is ${test.significant ? "significant" : "not significant"}${canBeSignificant ? "" : ", and none could be (see the note)"}: ` +
      `${chance(test.p)} (${found.how}). ${canBeSignificant ? othersWords(found, place, a) : ""}`.trimEnd(),
    ...openWords(test, ends, info, found.words, ofBoth),
    ...(judgments === undefined ? [] : [judgmentWords(judgments, info, pair.map((run) => found.unjudged.top_ten[run]), meanA - meanB)])];
}

// The only run that has a value, if there is one.
const aloneOf = (means) => means.findIndex((one) => one.mean !== null);

function aloneWords(found, place, judgments, apart) {
  const { name } = found.measures[place], run = aloneOf(found.means[place]);
  if (run < 0) return [`No run has a value of ${name}.`];
  const { mean, low, high } = found.means[place][run], { open } = found.words ?? { open: ["order of tied documents"] };
  const said = [`${found.runs[run]}: ${name} ${show(mean)}.`];
  const what = open.join(" and the ");
  if (open.length) said.push(low !== null && high !== null && show(low) !== show(high) ? `Depending on the ${what} it lies between ${show(low)} and ${show(high)}.` : `The ${what} ${unseen(low ?? mean, high ?? mean, "it", open.length > 1 ? "do" : "does")}.`);
  if (judgments === null && apart.length) said.push(`How far missing judgments could change it was not examined: ${apart.join("; ")}.`);
  else if (judgments === null) said.push(`How far missing judgments could change it is unknown: ${name.split(/[@(]/)[0]} has no bounds over them.`);
  else if (judgments && show(judgments.low) !== show(judgments.high)) said.push(`Depending on the grades of unjudged documents it lies between ${show(judgments.low)} and ${show(judgments.high)}.${sharesWords([found.unjudged.top_ten[run]])}`);
  else if (judgments) said.push(`Missing judgments ${unseen(judgments.low, judgments.high, "it", "do")}.`);
  return said;
}

// How much of the top is unjudged, where something is.
function sharesWords(unjudged) {
  const shares = unjudged.filter((share) => share !== null).map((share) => 100 * share);
  if (!shares.length || shares.length !== unjudged.length || Math.max(...shares) === 0) return "";
  return ` Of the first ten documents ${shares.map((share) => `${fixed(share, 1)} %`).join(" and ")} are unjudged.`;
}

// What the tests say about all other runs.
function othersWords(found, place, leader) {
  const { baseline } = found, against = baseline === null ? leader : baseline;
  const tests = found.tests.filter((one) => one.measure === place && [one.a, one.b].includes(against));
  if (tests.length < 2) return "";
  const isHigher = (one) => one.difference * (one.b === against ? 1 : -1) > 0 !== found.measures[place].lower;
  const better = tests.filter((one) => one.significant && isHigher(one)).length, worse = tests.filter((one) => one.significant && !isHigher(one)).length;
  const all = tests.length === 2 ? "both other runs" : `all ${count(tests.length)} other runs`;
  if (baseline === null) return `${found.runs[leader]} is significantly better than ${worse === tests.length ? all : `${worse ? count(worse) : "none"} of the ${count(tests.length)} other runs`}.`;
  if (!better && !worse) return "None of the other runs is significantly better or worse than the baseline.";
  return `Of the ${count(tests.length)} other runs ${better || "none"} ${better === 1 ? "is" : "are"} significantly better than the baseline, ${worse || "none"} worse.`;
}

// What the order of tied documents could change, and unjudged documents where their grades are open too.
function openWords(test, ends, { scale }, { open }, ofBoth) {
  if (!open.length) return [];
  const [low, high] = ends, between = betweenWords(ends, scale), isTies = open.length === 1 && open[0][0] === "o";
  const who = isTies ? "Ties" : open.length > 1 ? "Ties and missing judgments" : "Missing judgments";
  const on = open.map((one) => (one[0] === "o" ? one : "grades of unjudged documents")).join(" and the ");
  // Bounds of each run on its own leave out what the other's documents would change (docs/statistics.md).
  const own = isTies || ofBoth ? "" : " that each run retrieved", whatever = `whatever the grades of ${own ? `the unjudged documents${own}` : "unjudged documents"} are,`;
  const every = isTies ? "in every order of tied documents" : open.length > 1 ? `in every order of tied documents, ${whatever}` : whatever;
  if (show(low) === show(high)) return [`${who} cannot undo it: the ${on}${own} ${unseen(low, high, "the difference", isTies ? "does" : "do")}.`];
  if (low <= 0 && 0 <= high) return [`${who} could undo it: depending on the ${on} ${between}.`];
  if (!test.significant) return [`${who} cannot reverse it: ${every} ${between}.`];
  if (test.survives === "yes") return [`${who} cannot undo it: it stays significant ${every.replace(/,$/, "")} (${between}).`];
  return [`${who} cannot reverse it, but ${test.survives === "no" ? "could make it insignificant" : "may or may not leave it significant"}: depending on the ${on} ${between}.`];
}

// What judgments of unjudged documents could change: by a verdict, or by what the difference could be.
function judgmentWords(found, info, unjudged, difference) {
  const unknown = "Whether missing judgments could undo it is unknown", name = info.name.split(/[@(]/)[0];
  if (found === null) return `${unknown}: ${name} has no bounds over them.`;
  if (info.scale === "mean" && (difference < found.low - 1e-9 || difference > found.high + 1e-9)) return `${unknown}: ${name} leaves unjudged documents out, but its bounds give each of them a grade.`; // Bpref
  const { low, high, verdict } = found, ofBoth = Boolean(verdict) || found.ofBoth, between = betweenWords([low, high], info.scale);
  if (show(low) === show(high)) return `Missing judgments${ofBoth ? "" : " of what each run retrieved"} cannot undo it: they ${unseen(low, high, "the difference", "do")}.`;
  if (verdict ? verdict === "open" : low <= 0 && 0 <= high) {
    const number = found.overturn, is = verdict && typeof number === "number" && number > 0;
    const documents = is ? `further relevant document${number === 1 ? "" : "s"}` : "";
    const it = !is ? "" : found.overturn_is_exact ? `${count(number)} ${documents} can be enough; ` : `it takes at least ${count(number)} ${documents}; `;
    return `Missing judgments ${is && found.overturn_is_exact ? "could" : "might"} undo it: ${it}depending on the grades of unjudged documents ${between}.${sharesWords(unjudged)}`;
  }
  const whose = ofBoth ? "unjudged documents" : "the unjudged documents that each run retrieved";
  return `Missing judgments cannot reverse it: whatever the grades of ${whose}, ${between}.`;
}
