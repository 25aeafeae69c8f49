// The answer in words: which run leads, by how much, and what ties and missing judgments could change.

// What can change by nothing but rounding, or by less than the digits show.
const unseen = (low, high, what) => `cannot change ${what}${high - low <= 1e-12 ? "" : " by 0.0001 or more"}`;

// The only run that has a value, if there is one.
const aloneOf = (means) => means.findIndex((one) => one.mean !== null);

/** The sentences about one measure of `page`, the page's data. Its answer has: `test` of the leading run and the one that it
 * is compared with; among `others` that are tested, how many are better and worse; how the leading run stands to every other
 * run, `ties` in the table's brackets, `judgments` over missing judgments, and over `both`: null if that is not known,
 * undefined if there is nothing to say; and the smallest number of documents that `overturn` the lead. */
function sentencesOf(page, place) {
  const pair = page.leading[place];
  if (pair === null) return aloneWords(page, place);
  const { test, others, ties, judgments, both } = page.answers[place];
  const said = [leaderWords(page, place)];
  if (!test) return [...said, "These two runs were not tested against each other; see the notes."];
  const can = page.can_be_significant, { open } = page.words ?? WORDS;
  said.push(`The difference is ${test.significant ? "significant" : "not significant"}${can ? "" : ", and no difference could be (see the note)"}: ` +
    `${chance(test.p)} (${page.how}). ${can ? othersWords(page, page.runs[pair[0]], others) : ""}`.trimEnd());
  if (open.length) said.push(leadWords(page, place, ties, open, survivalWords(page, place)));
  if (judgments !== undefined) said.push(leadWords(page, place, judgments, [GRADES]) + sharesWords(page, place, judgments));
  if (both) said.push(...togetherWords(page, place, [ties, judgments, both]));
  return said;
}

/** Runs that have a mean, the best first, and those that share the best one. */
function leaders(means, lower) {
  const order = bestFirst(means.map(({ mean }) => mean), lower).filter((run) => means[run].mean !== null);
  return { order, best: order.filter((run) => minus(means[run].mean, means[order[0]].mean) === 0) };
}

/** Which run leads, and by how much, or which are equal. */
function leaderWords({ measures, means, best, leading, baseline, runs }, place) {
  const info = measures[place], [a, b] = leading[place], [meanA, meanB] = [means[place][a].mean, means[place][b].mean];
  const called = (run) => (run === baseline ? `the baseline ${runs[run]}` : runs[run]), mean = `${show(meanA)}${info.lower ? " (lower is better)" : ""}`;
  if (best[place].length > 1) {
    const named = best[place].slice(0, NAMED).map((run) => runs[run]), more = best[place].length - named.length;
    const rest = best[place].includes(b) ? "" : `, ${show(Math.abs(meanA - meanB))} ${info.lower ? "below" : "above"} ${called(b)} (${show(meanB)})`;
    return `${inWords(more ? [...named, `${count(more)} more`] : named)} are equal by ${info.name}: ${mean}${rest}.`;
  }
  return `${runs[a]}${a === baseline ? ", the baseline," : ""} leads by ${info.name}: ${mean}, ${show(Math.abs(meanA - meanB))} ${info.lower ? "below" : "above"} ${called(b)} (${show(meanB)}).`;
}

const ORDERS = "order of tied documents", GRADES = "grades of unjudged documents"; // what can be open
const moversOf = (open) => (open.length > 1 ? "Ties and missing judgments" : open[0] === ORDERS ? "Ties" : "Missing judgments");
const rivalsOf = (others) => others.filter(({ standing }) => standing === "open" || standing === "worse");
/** Those that could lead, the one that could be farthest ahead first. */
const closestOf = (page, place, others) => {
  const least = ({ low, high }) => (page.measures[place].lower ? -high : low);
  return others.toSorted((x, y) => least(x) - least(y));
};
const inWords = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : words[0]);
const NAMED = 3; // rivals that a sentence names

/** Whether `open` could end the lead over any of the `others`; `tail`: what else it cannot do; `also`: said after "could". */
function leadWords(page, place, others, open, tail = "", who = moversOf(open), also = "") {
  const info = page.measures[place], leader = page.leading[place][0], isPair = page.runs.length === 2;
  const end = page.best[place].length > 1 ? "change this" : "end the lead";
  const name = info.name.split(/[@(]/)[0], unknown = `Whether ${who[0].toLowerCase()}${who.slice(1)} could ${end} is unknown`;
  if (others === null && !page.is_examined) return `Whether ${who[0].toLowerCase()}${who.slice(1)} could ${end} was not examined: it takes long for ${count(page.of)} queries, and untied certify does it.`;
  if (others === null) return `${unknown}: ${name} has no bounds of differences for missing judgments.`;
  if (others.some(({ standing }) => standing === "unknown")) return `${unknown}: ${name} ignores unjudged documents, but its bounds give each of them a grade.`; // Bpref
  const closest = closestOf(page, place, others);
  const depending = `depending on the ${open.join(" and the ")}, the`, kind = info.scale === "log" ? "difference of logarithms" : "difference";
  const between = ({ low, high }) => `between ${signed(low)} and ${signed(high)}`, to = (run) => (isPair ? "" : ` to ${page.runs[run]}`);
  const rivals = rivalsOf(closest);
  if (!rivals.length) {
    const widest = Math.max(...others.map(({ low, high }) => high - low));
    if (others.every(({ low, high }) => show(low) === show(high))) return `${who} ${unseen(0, widest, isPair ? "the difference" : `any difference to ${page.runs[leader]}`)}.`;
    return `${who} cannot ${end}${tail}: ${depending} ${isPair ? "" : "smallest "}${kind}${isPair ? " lies" : `, to ${page.runs[closest[0].run]}, lies`} ${between(closest[0])}.`;
  }
  const { overturn } = page.answers[place], isOfGrades = open.length === 1 && open[0] === GRADES;
  const able = open.includes(GRADES) && !(isOfGrades && overturn?.is_exact) ? "might" : "could"; // bounds may be wider than what can be
  const named = rivals.slice(0, NAMED), more = rivals.length - named.length;
  const rest = more ? `; ${count(more)} more ${more === 1 ? "run" : "runs"} ${able} be as good or better` : "";
  const ends = named.length === 1 ? `${kind}${to(named[0].run)} lies ${between(named[0])}` : `${kind} lies ${inWords(named.map((one) => `${between(one)} to ${page.runs[one.run]}`))}`;
  return `${who} ${able}${also} ${end}: ${depending} ${ends}${rest}.${isOfGrades && overturn ? overturnWords(overturn) : ""}`;
}

function overturnWords({ documents, is_exact: isExact }) {
  const needed = `${count(documents)} unjudged document${documents === 1 ? "" : "s"}`;
  return isExact ? ` ${needed} can be enough if ${documents === 1 ? "it is" : "they are"} relevant.` : ` At least ${needed} would have to be relevant.`;
}

// What else a test's verdict says: whether the difference stays significant.
function survivalWords(page, place) {
  const { test } = page.answers[place], [, rival] = page.leading[place];
  if (!test.significant) return "";
  const difference = `the difference${page.runs.length === 2 ? "" : ` to ${page.runs[rival]}`}`;
  if (test.survives === "yes") return ` or make ${difference} insignificant`;
  return `, but ${test.survives === "no" ? `could make ${difference} insignificant` : `whether ${difference} stays significant is unknown`}`;
}

// Runs that could lead only if both are open.
function togetherWords(page, place, [ties, judgments, both]) {
  const alone = [...rivalsOf(ties), ...rivalsOf(judgments)].map(({ run }) => run), more = both.filter(({ run, standing }) => standing !== "better" && !alone.includes(run));
  const who = "Ties and missing judgments together";
  if (rivalsOf(more).length) return [leadWords(page, place, more, [ORDERS, GRADES], "", who, alone.length ? " also" : "")];
  const moves = (others) => others.some(({ low, high }) => show(low) !== show(high));
  return !alone.length && moves(ties) && moves(judgments) ? [`${who} cannot either.`] : [];
}

function aloneWords(page, place) {
  const { name } = page.measures[place], run = aloneOf(page.means[place]), { judgments } = page.answers[place];
  if (run < 0) return [`No run has a value of ${name}.`];
  const { mean, low, high } = page.means[place][run], { open } = page.words ?? WORDS;
  const said = [`${page.runs[run]}: ${name} ${show(mean)}.`];
  if (open.length) said.push(low !== null && high !== null && show(low) !== show(high) ? `Depending on the ${open.join(" and the ")}, the score lies between ${show(low)} and ${show(high)}.` : `${moversOf(open)} ${unseen(low ?? mean, high ?? mean, "the score")}.`);
  if (judgments === null && page.apart.length) said.push(`How far missing judgments could change the score was not examined: ${page.apart.join("; ")}.`);
  else if (judgments === null && !page.is_examined) said.push(`How far missing judgments could change the score was not examined: it takes long for ${count(page.of)} queries, and untied eval --unjudged range does it.`);
  else if (judgments === null) said.push(`How far missing judgments could change the score is unknown: ${name.split(/[@(]/)[0]} has no bounds for missing judgments.`);
  else if (judgments && show(judgments.low) !== show(judgments.high)) said.push(`Depending on the grades of unjudged documents, the score lies between ${show(judgments.low)} and ${show(judgments.high)}.${topWords([[page.top_ten[run], ""]])}`);
  else if (judgments) said.push(`Missing judgments ${unseen(judgments.low, judgments.high, "the score")}.`);
  return said;
}

// How much of the top is unjudged in the leading run and in those that the sentence before names.
function sharesWords(page, place, others) {
  const [leader] = page.leading[place], rivals = others ? rivalsOf(closestOf(page, place, others)).slice(0, NAMED).map(({ run }) => run) : [];
  return rivals.length ? topWords([leader, ...rivals].map((run) => [page.top_ten[run], ` (${page.runs[run]})`])) : "";
}

function topWords(shares) {
  if (shares.some(([share]) => share === null) || shares.every(([share]) => share === 0)) return "";
  return ` Of the first ten documents, ${inWords(shares.map(([share, name]) => `${inPercent(share)} %${name}`))} are unjudged.`;
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
