// The answer in words: which run leads, by how much, and what ties and missing judgments could change.

const betweenWords = (ends, scale) => `the ${scale === "log" ? "difference of logarithms" : "difference"} lies between ${signed(ends[0])} and ${signed(ends[1])}`;

// What can change by nothing but rounding, or by less than the digits show.
const unseen = (low, high, what) => `cannot change ${what}${high - low <= 1e-12 ? "" : " by 0.0001 or more"}`;

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
  const said = [minus(meanA, meanB) === 0 ? `${leader} and ${rival} are equal by ${info.name}: ${show(meanA)}.` : `${leader} leads by ${info.name}: ${lead}.`];
  if (!test) return [...said, "These two runs were not tested against each other; see the notes."];
  const ends = test.a === a ? [test.least, test.most] : [-test.most, -test.least], can = found.can_be_significant;
  return [...said,
    `The difference is ${test.significant ? "significant" : "not significant"}${can ? "" : ", and no difference could be (see the note)"}: ` +
      `${chance(test.p)} (${found.how}). ${can ? othersWords(found, runs[a], others) : ""}`.trimEnd(),
    ...openWords(test, ends, info, found.words ?? WORDS, ofBoth, minus(meanA, meanB) === 0),
    ...(judgments === undefined ? [] : [judgmentWords(judgments, info, sharesWords(unjudged, [runs[a], runs[b]]), minus(meanA, meanB))])];
}

function aloneWords(found, place) {
  const { name } = found.measures[place], run = aloneOf(found.means[place]), { judgments, unjudged } = found.answers[place];
  if (run < 0) return [`No run has a value of ${name}.`];
  const { mean, low, high } = found.means[place][run], { open } = found.words ?? WORDS;
  const said = [`${found.runs[run]}: ${name} ${show(mean)}.`];
  if (open.length) said.push(low !== null && high !== null && show(low) !== show(high) ? `Depending on the ${open.join(" and the ")}, the score lies between ${show(low)} and ${show(high)}.` : `${moversOf(open)} ${unseen(low ?? mean, high ?? mean, "the score")}.`);
  if (judgments === null && found.apart.length) said.push(`How far missing judgments could change the score was not examined: ${found.apart.join("; ")}.`);
  else if (judgments === null) said.push(`How far missing judgments could change the score is unknown: ${boundless(name)}.`);
  else if (judgments && show(judgments.low) !== show(judgments.high)) said.push(`Depending on the grades of unjudged documents, the score lies between ${show(judgments.low)} and ${show(judgments.high)}.${sharesWords(unjudged, [""])}`);
  else if (judgments) said.push(`Missing judgments ${unseen(judgments.low, judgments.high, "the score")}.`);
  return said;
}

const boundless = (name) => `${name.split(/[@(]/)[0]} has no bounds for missing judgments`;

// How much of the top is unjudged in each run, if anything is.
function sharesWords(unjudged, names) {
  const shares = unjudged.filter((share) => share !== null).map((share) => 100 * share);
  if (!shares.length || shares.length !== unjudged.length || Math.max(...shares) === 0) return "";
  return ` Of the first ten documents, ${shares.map((share, place) => `${fixed(share, 1)} %${names[place] && ` (${names[place]})`}`).join(" and ")} are unjudged.`;
}

// What the tests say about all other runs.
function othersWords({ baseline }, leader, { better, worse, of }) {
  if (of < 2) return "";
  const all = of === 2 ? "both other runs" : `all ${count(of)} other runs`;
  if (baseline === null) return worse ? `${leader} is significantly better than ${worse === of ? all : `${count(worse)} of the ${count(of)} other runs`}.` : `${leader} is not significantly better than any other run.`;
  if (!better && !worse) return "None of the other runs is significantly better or worse than the baseline.";
  const are = (number) => `${number || "none"} ${number === 1 ? "is" : "are"} significantly`;
  return `Of the ${count(of)} other runs, ${are(better)} better and ${are(worse)} worse than the baseline.`;
}

const moversOf = (open) => (open.length > 1 ? "Ties and missing judgments" : open[0][0] === "o" ? "Ties" : "Missing judgments");

// What the order of tied documents could change, and unjudged documents where their grades are open too.
function openWords(test, ends, { scale }, { open }, ofBoth, isEqual) {
  if (!open.length) return [];
  const [low, high] = ends, between = betweenWords(ends, scale), who = moversOf(open);
  // Bounds of each run on its own leave out what the other's documents would change (docs/statistics.md).
  const depending = `depending on the ${open.map((one) => (one[0] === "o" ? one : gradesOf(ofBoth))).join(" and the ")}, ${between}`;
  if (show(low) === show(high)) return [`${ofBoth || who === "Ties" ? who : `${who[0] === "T" ? "Ties and the" : "The"} ${gradesOf(false)}`} ${unseen(low, high, "the difference")}.`];
  if (low <= 0 && 0 <= high) return [`${who} could ${isEqual ? "change this" : "end the lead"}: ${depending}.`];
  if (!test.significant) return [`${who} cannot end the lead: ${depending}.`];
  if (test.survives === "yes") return [`${who} cannot make the difference insignificant: ${depending}.`];
  return [`${who} cannot end the lead, but ${test.survives === "no" ? "could make the difference insignificant" : "whether the difference stays significant is unknown"}: ${depending}.`];
}

const gradesOf = (ofBoth) => `grades of ${ofBoth ? "unjudged documents" : "the unjudged documents that each run retrieved"}`;

// What judgments of unjudged documents could change: by a verdict, or by what the difference could be.
function judgmentWords(found, info, shares, difference) {
  const end = difference === 0 ? "change this" : "end the lead", unknown = `Whether missing judgments could ${end} is unknown`, name = info.name.split(/[@(]/)[0];
  if (found === null) return `${unknown}: ${boundless(name)}.`;
  if (info.scale === "mean" && (difference < found.low - 1e-9 || difference > found.high + 1e-9)) return `${unknown}: ${name} ignores unjudged documents, but its bounds give each of them a grade.`; // Bpref
  const { low, high, verdict } = found, ofBoth = Boolean(verdict) || found.of_both, depending = `depending on the ${gradesOf(ofBoth)}, ${betweenWords([low, high], info.scale)}`;
  if (show(low) === show(high)) return `${ofBoth ? "Missing judgments" : `The ${gradesOf(false)}`} ${unseen(low, high, "the difference")}.`;
  if (verdict ? verdict === "open" : low <= 0 && 0 <= high) {
    const number = found.overturn, is = verdict && typeof number === "number" && number > 0, exact = is && found.overturn_is_exact;
    const documents = is ? `${count(number)} unjudged document${number === 1 ? "" : "s"}` : "";
    const it = !is ? "" : exact ? ` ${documents} can be enough if ${number === 1 ? "it is" : "they are"} relevant.` : ` At least ${documents} would have to be relevant.`;
    return `Missing judgments ${exact ? "could" : "might"} ${end}: ${depending}.${it}${shares}`;
  }
  return `Missing judgments cannot end the lead: ${depending}.`;
}
