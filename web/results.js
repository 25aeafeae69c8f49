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
      const answer = await work.ask(request, `evaluating ${run.name}`);
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
  const why = ties === "range" ? " Documents with equal scores can be listed in any order; other tools show one of these orders." : "";
  return `value [lowest, highest] over ${over.join(" and ")}; no brackets if these are equal.${why}`;
};
/** On what the brackets depend. */
const onWhat = () => {
  const { ties, unjudged } = state.policies;
  return [ties === "range" ? "the order of tied documents" : null, unjudged === "range" ? "grades of unjudged documents" : null].filter(Boolean).join(" and ");
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

/** What the first measure says, in a sentence or two. */
function answer() {
  const name = state.measures[0], info = asked.get(name);
  const all = runs().filter((run) => state.values.has(run.number)).map((run) => ({ run: run.name, ...state.values.get(run.number).totals[0] }));
  const ranked = all.filter((one) => one.mean !== null).sort((x, y) => (info?.lower ? x.mean - y.mean : y.mean - x.mean));
  if (!ranked.length) return [];
  const said = [];
  const [best, ...rest] = ranked;
  if (hasRange()) {
    const beats = (one, other) => (info?.lower ? one.high < other.low : one.low > other.high);
    const open = rest.filter((other) => !beats(best, other));
    if (rest.length && !open.length) said.push(`${best.run} has the best ${name}: ${printed(best.mean)}. No other run can reach it, whatever ${onWhat()} may be.`);
    else if (rest.length) said.push(`${best.run} has the best ${name}, ${printed(best.mean)}, but ${open.map((one) => one.run).join(", ")} could be better, depending on ${onWhat()}.`);
    const widest = ranked.reduce((most, one) => (one.high - one.low > most.high - most.low ? one : most));
    if (widest.high > widest.low) {
      const { tied, rows } = runs().find((run) => run.name === widest.run).held;
      const why = state.policies.ties === "range" && tied ? `${tied === rows ? "All" : `${count(tied)} of`} ${count(rows)} documents of ${widest.run} are tied with others: its` : `${widest.run} could move most: its`;
      said.push(`${why} ${name} is ${printed(widest.mean)} on average, but it could be anything from ${printed(widest.low)} to ${printed(widest.high)}.`);
    }
    else said.push(`Nothing moves the ${name} of any run.`);
  } else if (rest.length) said.push(`${best.run} has the best ${name}: ${printed(best.mean)}.`);
  return state.isExample ? said.reverse() : said; // the example is about ties
}

/** What deserves to be known about evaluations, run by run. */
function remarks() {
  const queries = (n) => `${count(n)} ${n === 1 ? "query" : "queries"}`;
  return runs().filter((run) => state.values.has(run.number)).flatMap((run) => {
    const { facts } = state.values.get(run.number), said = [];
    if (facts.swapped) said.push("scores look like grades and grades like scores (are the run and the judgments swapped?)");
    else if (!facts.common) said.push("no query in common with the judgments");
    else if (!facts.matched) said.push("queries in common with the judgments, but no document");
    else if (!facts.relevant) said.push("nothing is relevant: no query has a grade above 0");
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

function resultsSection() {
  const where = section("results", "Scores");
  const words = node("p", { class: "about" }), said = node("div", { class: "answer", "aria-live": "polite" }), holder = node("div");
  const definitions = node("dl", {}), notes = node("ul", { class: "notes" });
  where.append(said, words, holder, notes, node("details", {}, node("summary", {}, "What these measures are"), definitions));
  const rows = () => runs().filter((run) => state.values.has(run.number));
  const total = (run, measure) => state.values.get(run.number).totals[measure];
  const columns = () => [
    { title: "Run", left: true, value: (run) => run.name },
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
  follow("values", () => {
    where.hidden = !state.values.size;
    if (!state.values.size) return;
    change({ values: state.values, scores: {} });
    words.textContent = meaning();
    const [first, ...more] = answer();
    said.replaceChildren(...(first ? [node("p", { class: "first" }, first)] : []), ...more.map((text) => node("p", {}, text)));
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

function differencesSection() {
  const where = section("queries", "Query by query", "Where two runs differ, by one measure. A click on a query shows both rankings.");
  const ofRuns = () => runs().map((run) => [run.number, run.name]);
  const [measure, fillMeasures] = picked("Measure", () => state.measures.map((name, number) => [number, name]), "measure");
  const [a, fillA] = picked("A", ofRuns, "a");
  const [b, fillB] = picked("B", ofRuns, "b");
  const said = node("p", { class: "note", "aria-live": "polite" }), holder = node("div");
  where.append(node("div", { class: "bar" }, measure, a, b, filterBox("Filter queries", "queryFilter")), said, holder);
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
          document.getElementById("rankings").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
        } }, row.query)) },
      { title: file(state.a)?.name ?? "A", value: (row) => row.a?.mean ?? null, cell: (row) => cell(row.a) },
      ...(alone ? [] : [
        { title: file(state.b)?.name ?? "B", value: (row) => row.b?.mean ?? null, cell: (row) => cell(row.b) },
        { title: "A − B", value: (row) => row.difference,
          cell: (row) => (row.difference === null ? null : node("td", {},
            node("span", { class: row.difference > 0 ? "up" : row.difference < 0 ? "down" : "" }, signed(row.difference)),
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
    said.textContent = state.a === state.b ? "" : `${state.measures[state.measure]} of ${file(state.a).name} (A) minus ${file(state.b).name} (B) is above 0 in ${count(found.above)} queries, 0 in ${count(found.equal)} and below 0 in ${count(found.below)}; of the means it is ${signed(decoded(found.of_means))}.`;
    change({ rows: {} });
  });
}
