// The scores: a table of runs by measures, and differences query by query.
let wanted = 0;

/** Evaluate all runs under the chosen policies; an evaluation that comes after this one takes its place. */
async function evaluate() {
  const mine = ++wanted, truth = qrels();
  change({ values: new Map() });
  if (!truth) return;
  const values = new Map();
  try {
    for (const run of runs()) {
      const request = { do: "evaluate", qrels: truth.number, run: run.number, measures: state.measures, ...state.policies };
      let answer;
      try {
        answer = await work.ask(request, `evaluating ${run.name}`);
      } catch (error) {
        // The lines of a large run are read only now.
        if (mine !== wanted || !run.held.large || !error.message.startsWith(run.path)) throw error;
        breaks(run.path, error);
        remove([run]);
        continue;
      }
      if (mine !== wanted) return;
      answer.totals = answer.totals.map((total) => ({ ...total, mean: decoded(total.mean), low: decoded(total.low), high: decoded(total.high) }));
      answer.values = answer.values.map((columns) => Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, decoded(column)])));
      values.set(run.number, answer);
    }
    const [first] = values.values();
    const query = first?.queries.includes(state.query) ? state.query : first?.queries[0] ?? "";
    change({ ...pair(values), values, trouble: "", query, measure: Math.min(state.measure, state.measures.length - 1) });
  } catch (error) {
    if (mine === wanted) fail(error);
  }
}

/** The runs to look at first: the best one, and the one that could move most; those that the reader chose stay. */
function pair(values) {
  if (state.hasChosen || values.size < 2) return {};
  const lower = asked.get(state.measures[0])?.lower;
  const all = [...values].map(([number, { totals: [total] }]) => ({ number, mean: (lower ? -1 : 1) * (total.mean ?? NaN), width: total.high - total.low || 0 }));
  const [best, ...rest] = all.sort((x, y) => y.mean - x.mean);
  const widest = rest.reduce((most, one) => (one.width > most.width ? one : most));
  return { a: best.number, b: widest.number };
}

const hasRange = () => [...state.values.values()][0]?.columns.includes("low") ?? false;
const printed = (value) => (value === null || value === undefined ? "nan" : value === Infinity ? "inf" : value === -Infinity ? "-inf" : fixed(value, 4));
/** The lowest and highest value, unless both look like the value. */
const brackets = ({ mean, low, high }) => {
  const known = low !== null && low !== undefined && [low, high].some((end) => printed(end) !== printed(mean));
  return known ? `[${printed(low)}, ${printed(high)}]` : "";
};
const endsBelow = (one) => node("span", { class: "sub" }, brackets(one));
const bracketed = (one) => `${printed(one.mean)} ${brackets(one)}`.trim();
const meaning = () => {
  const { ties, unjudged } = state.policies;
  const over = [ties === "range" ? "all orders of tied documents" : null, unjudged === "range" ? "all grades that unjudged documents may have" : null].filter(Boolean);
  if (!over.length) return "Values. Set tied or unjudged documents to range to see how far they could move.";
  const value = ties === "range" || ties === "expected" ? "mean over all orders of tied documents" : "value";
  const ends = unjudged === "range" ? `[lowest, highest] over ${ties === "range" ? over.join(" and ").replace("all orders of tied documents", "these orders") : over[0]}` : "[lowest, highest]";
  const why = ties === "range" ? " Documents with equal scores can be listed in any order; other tools show one of these orders." : "";
  return `Each score: ${value} ${ends}; no brackets if these are equal.${why}`;
};
/** On what the brackets depend. */
const onWhat = () => {
  const { ties, unjudged } = state.policies;
  return [ties === "range" ? "the order of tied documents" : null, unjudged === "range" ? "the grades of unjudged documents" : null].filter(Boolean).join(" and ");
};

/** Where an interval lies, as a picture. */
function interval({ mean, low, high }, [least, most]) {
  const at = (value) => `${(100 * (Math.min(Math.max(value, least), most) - least)) / (most - least)}%`;
  const width = `max(2px, calc(${at(high ?? mean)} - ${at(low ?? mean)}))`;
  return node("span", { class: "bar-of", "aria-hidden": "true" },
    node("i", { class: "span", style: `left:${at(low ?? mean)};width:${width}` }), node("i", { class: "point", style: `left:${at(mean)}` }));
}

/** The ends of a measure's scale: 0 to 1 where its values lie there. */
function scale(totals, measure) {
  const info = asked.get(state.measures[measure]);
  const ends = totals.flatMap(({ mean, low, high }) => [mean, low, high]).filter((value) => Number.isFinite(value));
  return info?.range.startsWith("0 to 1") ? [0, Math.max(1, ...ends)] : [Math.min(0, ...ends), Math.max(...ends, 1e-9)];
}

/** What is wrong with a run as a whole, so that its scores say nothing about it; null for all others. */
function mismatch({ facts }) {
  if (!facts.common) return "no query in common with the judgments";
  if (!facts.matched) return "queries in common with the judgments, but no document";
  return facts.relevant ? null : "nothing is relevant: no query has a grade above 0";
}

/** How much of the first documents of all runs is judged, in a sentence; nothing until the runs are checked. */
function judgedSentences(of) {
  const checks = of.map((run) => state.checks.get(run.number)).filter((found) => found?.top[1]);
  const open = checks.filter(({ top: [, retrieved, judged] }) => judged < retrieved), { unjudged } = state.policies;
  if (!checks.length || checks.length < of.length) return [];
  const [first] = checks[0].top;
  if (!open.length) return unjudged === "range" ? [`All of the first ${first} documents are judged.`] : [];
  if (unjudged !== "nonrelevant" && unjudged !== "remove") return [];
  const shares = checks.map(({ judged_share: share }) => 1 - share);
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map(percent);
  return [`${least === most ? most : `${least} to ${most}`} of the first ${first} documents ${of.length > 1 ? "of each run " : ""}are unjudged; set unjudged documents to range to see what they could change.`];
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
  const ranked = all.filter((one) => one.mean !== null).sort((x, y) => (info?.lower ? x.mean - y.mean : y.mean - x.mean));
  const [best, ...rest] = ranked;
  if (hasRange() && best) {
    const beats = (one, other) => (info?.lower ? one.high < other.low : one.low > other.high);
    const open = rest.filter((other) => !beats(best, other)), others = open.map((one) => one.run).join(", ");
    const assumed = { nonrelevant: ", if unjudged documents are not relevant", remove: ", if unjudged documents are left out" }[state.policies.unjudged] ?? "";
    const unless = sound.every(isJudged) ? "" : assumed;
    if (rest.length && !open.length) said.push(`${best.run} has the best ${name}: ${printed(best.mean)}. No other run can reach it, whatever ${onWhat()} may be${unless}.`);
    else if (rest.length && state.policies.unjudged === "range") said.push(`${best.run} has the best ${name}, ${printed(best.mean)}, but its range overlaps that of ${others}: untied certify computes whether ${open.length > 1 ? "one of these" : "that run"} could be better.`);
    else if (rest.length) said.push(`${best.run} has the best ${name}, ${printed(best.mean)}, but ${others} could be better, depending on ${onWhat()}.`);
    const widest = ranked.reduce((most, one) => (one.high - one.low > most.high - most.low ? one : most));
    if (widest.high > widest.low) said.push(widestSentence(widest.held, widest, name));
    else said.push(`The ${name} of ${rest.length ? "each run" : best.run} is the same, whatever ${onWhat()} may be${unless}.`);
  } else if (rest.length) said.push(`${best.run} has the best ${name}: ${printed(best.mean)}.`);
  if (state.isExample) said.reverse(); // the example is about ties
  const odd = [...wrong].filter(([, why]) => why).map(([run, why]) => (why.startsWith("nothing") ? `In the queries of ${run.name} ${why}.` : `${run.name} has ${why}.`));
  const judged = judgedSentences(sound);
  return state.policies.unjudged === "range" ? [...odd, ...said, ...judged] : [...odd, ...judged, ...said];
}

/** What deserves to be known about evaluations, run by run. */
function remarks() {
  const queries = (n) => `${count(n)} ${n === 1 ? "query" : "queries"}`;
  return runs().filter((run) => state.values.has(run.number)).flatMap((run) => {
    const { facts } = state.values.get(run.number), said = [];
    const wrong = facts.swapped ? "scores look like grades and grades like scores (are the run and the judgments swapped?)" : mismatch({ facts });
    if (wrong) said.push(wrong);
    if (facts.absent) said.push(`${queries(facts.absent)} of the judgments missing from the run`);
    if (facts.unknown) said.push(`${queries(facts.unknown)} without judgments left out`);
    if (facts.left_out) said.push(`${count(facts.left_out)} undefined values left out of means`);
    if (facts.estimated) said.push(`${count(facts.estimated)} means estimated from a sample of orders`);
    if (facts.enclosed) said.push(`brackets of ${count(facts.enclosed)} values enclose all orders, but need not be reached`);
    return said.map((text) => `${run.name}: ${text}.`);
  });
}

function rowsToSave() {
  const rows = [];
  for (const run of runs()) {
    const found = state.values.get(run.number);
    found?.totals.forEach((total, measure) => rows.push({ run: run.name, query: "all", measure: found.measures[measure], ...total }));
  }
  return rows;
}

function saveTsv() {
  const columns = hasRange() ? ["value", "low", "high"] : ["value"];
  const lines = rowsToSave().map((row) => [row.run, row.query, row.measure, printed(row.mean), ...(hasRange() ? [printed(row.low), printed(row.high)] : [])]);
  save("scores.tsv", "text/tab-separated-values", [["run", "query", "measure", ...columns], ...lines].map((line) => line.join("\t")).join("\n") + "\n");
}

function saveJson() {
  const results = [];
  const ends = (low, high) => (hasRange() ? { low, high } : {});
  for (const run of runs()) {
    const found = state.values.get(run.number);
    if (!found) continue;
    found.queries.forEach((query, row) => found.measures.forEach((measure, number) => {
      const { mean, low, high } = found.values[number];
      results.push({ run: run.name, query, measure, value: mean[row], ...ends(low?.[row], high?.[row]) });
    }));
    found.measures.forEach((measure, number) => {
      const total = found.totals[number];
      results.push({ run: run.name, query: "all", measure, value: total.mean, ...ends(total.low, total.high) });
    });
  }
  const inputs = state.files.map((one) => ({ path: one.path }));
  const facts = Object.fromEntries(runs().filter((run) => state.values.has(run.number)).map((run) => [run.name, state.values.get(run.number).facts]));
  const text = JSON.stringify({ untied: [...known.values()][0].version, settings: state.policies, inputs, runs: facts, results }, (_, value) => (value === Infinity ? "inf" : value === -Infinity ? "-inf" : value), 1);
  save("scores.json", "application/json", text + "\n");
}

/** Show the query of a run that could move most, beside another run. */
function look(run) {
  const { queries, values: [{ low, high }] } = state.values.get(run.number);
  const width = (row) => (high ? high[row] - low[row] : 0) || 0;
  const widest = queries.reduce((most, _, row) => (width(row) > width(most) ? row : most), 0);
  change({ hasChosen: true, a: run.number, b: state.a === run.number ? state.b : state.a, query: queries[widest] });
  reveal("rankings");
}

function resultsSection() {
  const where = section("results", "Scores");
  const words = node("p", { class: "about" }), said = node("div", { class: "answer", "aria-live": "polite" }), holder = node("div");
  const definitions = node("dl", {}), notes = node("ul", { class: "notes" });
  where.append(said, words, holder, notes, node("details", {}, node("summary", {}, "What these measures are"), definitions));
  const rows = () => runs().filter((run) => state.values.has(run.number));
  const total = (run, measure) => state.values.get(run.number).totals[measure];
  const columns = () => [
    { title: "Run", left: true, value: (run) => run.name,
      cell: (run) => node("td", {}, node("button", { type: "button", class: "link", title: "Show its widest query, with its tie groups", onclick: () => look(run) }, run.name)) },
    ...state.measures.map((name, measure) => ({
      title: name, tip: describe(asked.get(name)), lower: asked.get(name)?.lower,
      value: (run) => total(run, measure)?.mean ?? null,
      cell: (run) => {
        const value = total(run, measure);
        return node("td", { class: "score" }, printed(value.mean),
          endsBelow(value),
          interval(value, scale(rows().map((other) => total(other, measure)), measure)));
      },
    })),
  ];
  table(holder, "values", "scores", columns, rows, {
    resort: () => [1, !asked.get(state.measures[0])?.lower],
    buttons: [
      node("button", { type: "button", id: "save-tsv", onclick: saveTsv }, "Save as TSV"),
      node("button", { type: "button", id: "save-json", onclick: saveJson }, "Save as JSON"),
    ],
  });
  follow("values checks", () => {
    const [first, ...more] = answer();
    said.replaceChildren(...(first ? [node("p", { class: "first" }, first)] : []), ...more.map((text) => node("p", {}, text)));
  });
  follow("values", () => {
    where.hidden = !state.values.size;
    if (!state.values.size) return;
    change({ values: state.values, scores: {} });
    words.textContent = meaning();
    notes.replaceChildren(...remarks().map((text) => node("li", {}, text)));
    definitions.replaceChildren(...state.measures.flatMap((name) => [node("dt", {}, name), node("dd", {}, describe(asked.get(name)).replace(/\n/g, "; "))]));
  });
}

const picked = (label, entries, name) => {
  const select = node("select", { onchange: () => {
    state.hasChosen ||= name === "a" || name === "b";
    change({ [name]: typeof state[name] === "number" ? Number(select.value) : select.value });
  } });
  const fill = () => {
    select.replaceChildren(...entries().map(([value, text]) => node("option", { value }, text)));
    select.value = String(state[name]);
  };
  return [node("label", {}, label + " ", select), fill];
};

const OUTER = "Brackets of A − B are outer bounds: a document has the same grade in both runs, so the true range may be narrower; untied certify computes it.";
/** Whether the bracket of a difference leaves its sign open. */
const isOpen = ({ difference, least, most }) => (least ?? difference) <= 0 && (most ?? difference) >= 0;

/** Which of two runs is ahead, in how many queries, and in how many whatever is unknown. */
function differenceWords({ above, equal, below, of_means: means }, rows) {
  const name = state.measures[state.measure], [a, b] = [file(state.a).name, file(state.b).name];
  const queries = (n) => `${count(n)} ${n === 1 ? "query" : "queries"}`;
  const averaged = ["range", "expected"].includes(state.policies.ties) ? " on average over tie orders" : "";
  const { length: least } = rows.filter((row) => row.least > 0), { length: most } = rows.filter((row) => row.most < 0 && row.most !== null);
  const bounds = state.policies.unjudged === "range" ? ", by the outer bounds" : "";
  const certain = hasRange() ? ` Certainly higher, whatever ${onWhat()} may be${bounds}: ${a} in ${count(least)}, ${b} in ${count(most)}.` : "";
  return `${a} has the higher ${name}${averaged} in ${queries(above)}, ${b} in ${count(below)} (${count(equal)} equal).${certain} Difference of the means: ${signed(decoded(means))}.`;
}

function differencesSection() {
  const where = section("queries", "Query by query", "Where two runs differ, by one measure. A click on a query shows both rankings.");
  const ofRuns = () => runs().map((run) => [run.number, run.name]);
  const [measure, fillMeasures] = picked("Measure", () => state.measures.map((name, number) => [number, name]), "measure");
  const [a, fillA] = picked("A", ofRuns, "a");
  const [b, fillB] = picked("B", ofRuns, "b");
  const said = node("p", { class: "note", "aria-live": "polite" }), outer = node("p", { class: "note", id: "outer" }, OUTER), holder = node("div");
  where.append(node("div", { class: "bar" }, measure, a, b, filterBox("Filter queries", "queryFilter")), said, outer, holder);
  let rows = [];
  const value = (run, row) => {
    const columns = state.values.get(run).values[state.measure];
    return { mean: columns.mean[row], low: columns.low?.[row], high: columns.high?.[row] };
  };
  const cell = (one) => (one ? node("td", {}, printed(one.mean), endsBelow(one)) : null);
  const columns = () => {
    const alone = state.a === state.b;
    return [
      { title: "Query", left: true, value: (row) => row.query,
        cell: (row) => node("td", {}, node("button", { type: "button", class: "link", onclick: () => {
          change({ query: row.query });
          reveal("rankings");
        } }, row.query)) },
      { title: file(state.a)?.name ?? "A", value: (row) => row.a?.mean ?? null, cell: (row) => cell(row.a) },
      ...(alone ? [] : [
        { title: file(state.b)?.name ?? "B", value: (row) => row.b?.mean ?? null, cell: (row) => cell(row.b) },
        { title: "A − B", tip: state.policies.unjudged === "range" ? OUTER : null, value: (row) => row.difference,
          cell: (row) => (row.difference === null ? null : node("td", {},
            node("span", { class: isOpen(row) ? "" : row.difference > 0 ? "up" : "down" }, signed(row.difference)),
            hasRange() ? node("span", { class: "sub" }, `[${signed(row.least)}, ${signed(row.most)}]`) : null)) },
      ]),
    ];
  };
  table(holder, "queries", "rows queryFilter", columns, () => rows.filter((row) => !state.queryFilter || matches(state.queryFilter, row.query)), {
    resort: () => [state.a === state.b ? 1 : 3, true], mark: (row) => (row.query === state.query ? "chosen" : null),
  });
  follow("values measure a b", async () => {
    [fillMeasures, fillA, fillB].forEach((fill) => fill());
    where.hidden = !state.values.has(state.a) || !state.values.has(state.b);
    if (where.hidden) return;
    const [one, other] = [state.values.get(state.a), state.values.get(state.b)];
    const places = new Map(other.queries.map((query, row) => [query, row]));
    const found = state.a === state.b ? { queries: [] } : await work.ask({ do: "differences", a: state.a, b: state.b, measure: state.measure }, "comparing").catch(() => null);
    if (!found || one !== state.values.get(state.a) || other !== state.values.get(state.b)) return;
    const of = new Map(found.queries.map((query, place) => [query, ["difference", "least", "most"].map((name) => decoded(found[name][place]))]));
    rows = one.queries.map((query, row) => {
      const [difference, least, most] = of.get(query) ?? [null, null, null];
      return { query, a: value(state.a, row), b: places.has(query) ? value(state.b, places.get(query)) : null, difference, least, most };
    });
    outer.hidden = state.a === state.b || state.policies.unjudged !== "range";
    said.textContent = state.a === state.b ? "" : differenceWords(found, rows);
    change({ rows: {} });
  });
}
