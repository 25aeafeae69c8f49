// The answer in words, means of all runs, how the values of a comparison spread, and what ties leave open.
function tested(measure, a, b) {
  const test = tests.get(`${measure},${a},${b}`), turned = tests.get(`${measure},${b},${a}`);
  if (test || !turned) return test || null;
  return { ...turned, difference: turned.difference === null ? null : -turned.difference,
    counts: turned.counts.slice().reverse(), quantiles: turned.quantiles.map((value) => -value).reverse() };
}

function survival({ survives }) {
  const { every } = words();
  return every === null ? "" : "; " + { yes: `this holds ${every}`, no: `this does not hold ${every}`, unknown: `whether this holds ${every} is unknown` }[survives];
}

// Against the baseline, or how many others a run is significantly better than.
function marks(measure, run) {
  const lower = data.measures[measure].lower;
  const better = (test) => test.significant && (lower ? test.difference < 0 : test.difference > 0);
  if (data.baseline !== null) {
    const test = tested(measure, run, data.baseline);
    if (!test || !test.significant) return null;
    const up = better(test);
    return node("span", { class: up ? "up" : "down",
      title: `significantly ${up ? "better" : "worse"} than the baseline (${chance(test.p)})${survival(test)}` },
      (up ? " ▲" : " ▼") + (test.survives === "yes" ? "" : "?"));
  }
  const beaten = everyRun().filter((other) => { const test = tested(measure, run, other); return test && better(test); });
  if (!beaten.length) return null;
  return node("sup", { class: "up", title: "significantly better than " + beaten.map((other) => data.runs[other]).join(", ") }, ` >${beaten.length}`);
}

function headline(where) {
  const answer = node("div", { class: "answer", "aria-live": "polite" });
  where.append(answer);
  follow("measure", () => {
    const [first, ...rest] = comparing ? data.headline[state.measure] : sentencesOf(data, state.measure);
    answer.replaceChildren(node("p", { class: "first" }, first), ...rest.map((sentence) => node("p", {}, sentence)));
  });
  where.append(...data.notes.map((note) => node("p", { class: "note" }, `Note: ${note}.`)));
}

function means(where) {
  const shown = () => byMean().filter((run) => data.means[state.measure][run].mean !== null).slice(0, MEANS);
  chart(where, "Means of the runs with their intervals; the numbers are in the table", meansHeight(Math.min(MEANS, data.runs.length)), "measure", (width) => meansChart(width,
    shown().map((run) => ({ name: data.runs[run], colour: hue(run), ...data.means[state.measure][run] })), key(), data.runs.length, { mean: words().value, interval: intervals(), open: words().ends }));
}

const ranked = ([best, worst]) => `${best}${best === worst ? "" : `–${worst}`}`;
// A number below a mean, with what it is.
const below = (what, number) => node("span", { class: "sub named" }, node("span", {}, what), number);

function intervals() {
  const method = { bca: "bootstrap", t: "Student's t" }[data.settings.interval];
  return method && `${show(100 * data.settings.level, 4).replace(/\.?0+$/, "")} % confidence interval over queries (${method})`;
}

function answer() {
  const where = section("summary", "Summary");
  headline(where);
  means(where);
}

// Whether ties leave a mean open, in the digits that are shown.
const isOpen = ({ mean, low, high }) => [low, high].some((end) => show(end) !== show(mean));

// What the marks behind means say, as far as there are any.
function explainedMarks() {
  const significant = data.tests.filter((test) => test.significant), how = `Test: ${data.how}.`;
  if (!data.tests.length) return [];
  if (!significant.length) return ["No difference between runs is significant.", how];
  if (data.baseline === null) return [data.runs.length === 2 ? ">1 after a mean means that the run is significantly better than the other run." : ">3 after a mean means that the run is significantly better than 3 other runs.", how];
  const doubtful = significant.some((test) => test.survives !== "yes");
  return ["▲ or ▼ means that the run is significantly better or worse than the baseline.", doubtful && `A question mark means that ${words().some} might make the difference insignificant.`, how];
}

/** Show the query in which the score of a run could move most, beside another run. */
function look(run) {
  const width = (query) => { const { low, high } = valueOf(run, query); return low === null ? 0 : high - low; };
  change({ a: run, b: state.b === run ? state.a : state.b });
  open(data.queries.reduce((most, _, query) => (width(query) > width(most) ? query : most), 0));
}

// All runs by all measures.
function scores() {
  const where = document.getElementById("summary");
  const sums = data.measures.filter((measure) => measure.scale === "sum").map((measure) => measure.name).join(", ");
  where.append(node("p", { class: "about" }, [
    `Means over ${data.of === 1 ? "1 query" : `${whole() ? "" : "all "}${count(data.of)} queries`}${sums && `; sums of ${sums}`}.`,
    intervals() && `Below each mean is its ${intervals()}.`,
    data.means.flat().some(isOpen) && `Brackets show the lowest and the highest mean ${words().all}, if they differ.`,
    data.ranks.some((of) => of) && `Ranks are the best and the worst rank that the run could have, depending on the ${[...words().open.filter((one) => one !== GRADES), GRADES].join(" and the ")}.`,
    ...explainedMarks()].filter(Boolean).join(" ")));
  const opened = words().open.map((one) => (one === ORDERS ? "ties" : "judgments")).join(", ");
  const columns = () => [
    { title: "run", value: (run) => data.runs[run], cell: (run) => (data.ends ? node("td", {},
      node("button", { type: "button", class: "link", title: "Show the query whose score could move most, with its tie groups", onclick: () => look(run) }, data.runs[run])) : data.runs[run]) },
    ...data.measures.map((measure, number) => ({
      title: measure.name, tip: about(measure), value: (run) => data.means[number][run].mean, lower: measure.lower,
      cell: (run) => {
        const { mean, low, high, ci_low, ci_high } = data.means[number][run];
        return node("td", { class: !alone && data.best[number].includes(run) ? "best" : null }, show(mean), marks(number, run),
          ci_low === null ? null : below("interval", `${show(ci_low)} – ${show(ci_high)}`),
          isOpen(data.means[number][run]) ? below(opened, `[${show(low)}, ${show(high)}]`) : null,
          data.ranks[number] ? below("rank", ranked(data.ranks[number][run])) : null);
      },
    })),
  ];
  if (data.runs.length > 10) where.append(node("div", { class: "bar" }, filterBox("Filter runs", "runFilter")));
  table(where, "summary", "runFilter measure", columns, () => everyRun().filter(filteredRun),
    { mark: (run) => (run === data.baseline ? "base" : null), resort: () => [1 + state.measure, !key().lower] });
}

// Of a comparison: what changed, and how the values of queries spread.
function spread() {
  const where = section("summary", "Summary");
  headline(where);
  where.append(node("p", { class: "about" }, "Mean, quantiles and extremes over " + (data.of === 1 ? "the 1 query that both runs have."
    : data.defined.every((queries) => queries === data.of) ? `all ${count(data.of)} queries that both runs have.`
    : `all queries for which the measure is defined, of the ${count(data.of)} that both runs have.`)));
  const names = Object.keys(data.distribution[0]).filter((name) => name !== "measure");
  const columns = () => [
    { title: "measure", value: (row) => data.measures[row].name, cell: (row) => node("td", { title: about(data.measures[row]), class: "wrap" }, data.measures[row].name, node("span", { class: "sub" }, data.measures[row].meaning)) },
    { title: "queries", value: (row) => data.defined[row], cell: (row) => count(data.defined[row]) },
    ...names.map((name) => ({ title: name, value: (row) => data.distribution[row][name], cell: (row) => show(data.distribution[row][name]) })),
  ];
  table(where, "summary", "", columns, () => data.measures.map((_, measure) => measure));
}

// A page that reads large runs query by query does not know these.
const counted = (number) => (number === null ? "–" : count(number));
const tiedShare = (run) => (data.ties[run].documents === null ? null : data.ties[run].tied / data.ties[run].documents || 0);

const ofTies = [
  { title: "run", value: (run) => data.runs[run] },
  { title: "documents", value: (run) => data.ties[run].documents, cell: (run) => counted(data.ties[run].documents) },
  { title: "tied", value: tiedShare, cell: (run) => percent(tiedShare(run)), tip: "share of documents that have the same score as another document of the query" },
  { title: "largest group", value: (run) => data.ties[run].largest, cell: (run) => counted(data.ties[run].largest), tip: "largest number of documents of a query that have the same score" },
  { title: "queries with ties", value: (run) => data.ties[run].queries, cell: (run) => counted(data.ties[run].queries) },
  { title: "all tied", value: (run) => data.ties[run].all_tied, cell: (run) => counted(data.ties[run].all_tied), tip: "queries in which all documents have the same score" },
];

function tieCounts() {
  table(section("ties", "Ties", "Documents that have the same score as another document of the query."), "ties", "", () => ofTies, everyRun);
}

function ties() {
  const where = section("ties", "Ties and missing judgments",
    "How many documents are tied, in how many queries their order can change values, and how many retrieved documents are unjudged.");
  const { depths, shares } = data.unjudged;
  const columns = () => [
    ...ofTies,
    { title: "ties change values", value: (run) => data.ties[run].mixed, cell: (run) => count(data.ties[run].mixed), tip: `queries in which tied documents ${data.has_preferences ? "differ by the preferences" : "have different grades"}` },
    { title: "missing queries", value: (run) => data.ties[run].absent, cell: (run) => count(data.ties[run].absent), tip: "judged queries for which the run has no documents; they count as empty rankings" },
    { title: "unjudged queries", value: (run) => data.ties[run].unknown, cell: (run) => count(data.ties[run].unknown), tip: "queries of the run that have no judgments; they are left out" },
    { title: "unjudged in top 10", value: (run) => data.top_ten[run], cell: (run) => percent(data.top_ten[run]) },
  ];
  table(where, "ties", "runFilter", columns, () => everyRun().filter(filteredRun));
  if (shares.flat().every((share) => share === null)) return;
  if (!shares.flat().some((share) => share > 0)) {
    where.append(node("p", { class: "note" }, "Every document that the runs retrieved has been judged."));
    return;
  }
  where.append(node("h3", {}, "Unjudged documents by depth"));
  chart(where, "Share of unjudged documents by depth", 320, "a b", (width, height) => lines(width, height, depths, shares,
    { x: { log: true, title: "depth", ticks: depths }, y: { title: "unjudged", label: (value) => Math.round(100 * value) + " %" } },
    (run, place) => `${data.runs[run]}: ${percent(shares[run][place])} of the first ${depths[place]}`));
}
