// The answer in words: which run leads, by how much, and what ties and missing judgments could change.

const betweenWords = (ends, scale) => `the ${scale === "log" ? "difference of logarithms" : "difference"} lies between ${signed(ends[0])} and ${signed(ends[1])}`;

// How much something changes that looks the same: not at all but for rounding, or less than the digits show.
const unseen = (low, high, what, are) => (high - low <= 1e-12 ? `${are} not change ${what}` : `change${are === "does" ? "s" : ""} ${what} by less than 0.0001`);

// The only run that has a value, if there is one.
const aloneOf = (means) => means.findIndex((one) => one.mean !== null);

/** The sentences about one measure of `found`, the page's data. Its answer has: `test` of the leading run and the one that it
 * is compared with; among `others` that are tested, how many are better and worse; `judgments`: a verdict, bounds, null if
 * neither is known, or undefined if there is nothing to say; the shares of the first ten that are `unjudged`; `of_both`:
 * whether both runs share the grades of unjudged documents in the tests. */
function sentencesOf(found, place) {
  const info = found.measures[place], means = found.means[place], pair = found.leading[place], { baseline, runs } = found;
  if (pair === null) return aloneWords(found, place);
  const { test, others, judgments, unjudged, of_both: ofBoth } = found.answers[place];
  const [a, b] = pair, [meanA, meanB] = [means[a].mean, means[b].mean];
  const leader = runs[a] + (a === baseline ? ", the baseline," : ""), rival = (b === baseline ? "the baseline " : "") + runs[b];
  const lead = `${show(meanA)}${info.lower ? " (lower is better)" : ""}, ${show(Math.abs(meanA - meanB))} ${info.lower ? "below" : "above"} ${rival} (${show(meanB)})`;
  const said = [meanA === meanB ? `${leader} and ${rival} are equal by ${info.name}: ${show(meanA)}.` : `${leader} leads by ${info.name}: ${lead}.`];
  if (!test) return [...said, "The two were not tested against each other; see the notes."];
  const ends = test.a === a ? [test.least, test.most] : [-test.most, -test.least], can = found.can_be_significant;
  return [...said,
    `The difference is ${test.significant ? "significant" : "not significant"}${can ? "" : ", and none could be (see the note)"}: ` +
      `${chance(test.p)} (${found.how}). ${can ? othersWords(found, runs[a], others) : ""}`.trimEnd(),
    ...openWords(test, ends, info, (found.words ?? WORDS).open, ofBoth),
    ...(judgments === undefined ? [] : [judgmentWords(judgments, info, unjudged, meanA - meanB)])];
}

function aloneWords(found, place) {
  const { name } = found.measures[place], run = aloneOf(found.means[place]), { judgments, unjudged } = found.answers[place];
  if (run < 0) return [`No run has a value of ${name}.`];
  const { mean, low, high } = found.means[place][run], { open } = found.words ?? WORDS;
  const said = [`${found.runs[run]}: ${name} ${show(mean)}.`];
  const what = open.join(" and the ");
  if (open.length) said.push(low !== null && high !== null && show(low) !== show(high) ? `Depending on the ${what} it lies between ${show(low)} and ${show(high)}.` : `The ${what} ${unseen(low ?? mean, high ?? mean, "it", open.length > 1 ? "do" : "does")}.`);
  if (judgments === null && found.apart.length) said.push(`How far missing judgments could change it was not examined: ${found.apart.join("; ")}.`);
  else if (judgments === null) said.push(`How far missing judgments could change it is unknown: ${name.split(/[@(]/)[0]} has no bounds over them.`);
  else if (judgments && show(judgments.low) !== show(judgments.high)) said.push(`Depending on the grades of unjudged documents it lies between ${show(judgments.low)} and ${show(judgments.high)}.${sharesWords(unjudged)}`);
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
function othersWords({ baseline }, leader, { better, worse, of }) {
  if (of < 2) return "";
  const all = of === 2 ? "both other runs" : `all ${count(of)} other runs`;
  if (baseline === null) return `${leader} is significantly better than ${worse === of ? all : `${worse ? count(worse) : "none"} of the ${count(of)} other runs`}.`;
  if (!better && !worse) return "None of the other runs is significantly better or worse than the baseline.";
  return `Of the ${count(of)} other runs ${better || "none"} ${better === 1 ? "is" : "are"} significantly better than the baseline, ${worse || "none"} worse.`;
}

// What the order of tied documents could change, and unjudged documents where their grades are open too.
function openWords(test, ends, { scale }, open, ofBoth) {
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
  const { low, high, verdict } = found, ofBoth = Boolean(verdict) || found.of_both, between = betweenWords([low, high], info.scale);
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
