// The scores: a table of runs by measures, and differences query by query.
let wanted = 0;

/** Evaluate all runs under the chosen policies; an evaluation that comes after this one takes its place. */
async function evaluate() {
  const mine = ++wanted, truth = qrels();
  change({ values: new Map(), lead: null });
  if (!truth) return;
  const values = new Map();
  try {
    for (const run of runs()) {
      const request = { do: "evaluate", qrels: truth.number, run: run.number, measures: state.measures, ...requested(state.policies) };
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
    if (!values.size) return;
    const lead = await leadOf(values);
    if (mine === wanted) change({ lead });
  } catch (error) {
    if (mine === wanted) fail(error);
  }
}

/** The runs to look at first: the best one, and the one that could move most; those that the reader chose stay. */
function pair(values) {
  if (state.hasChosen || values.size < 2) return {};
  const lower = asked.get(state.measures[0])?.lower;
  const all = [...values].map(([number, { totals: [total] }]) => ({ number, mean: total.mean, width: total.high - total.low || 0 }));
  const [best, ...rest] = bestFirst(all.map((one) => one.mean), lower).map((place) => all[place]);
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

/** Who leads, and all runs on one axis. */
function answerSection() {
  const where = section("answer", "Who leads"), said = node("div", { class: "answer", "aria-live": "polite" });
  where.append(said);
  follow("values lead checks adding files", () => {
    where.hidden = !state.lead && !(qrels() && runs().length);
    const [first, ...more] = state.lead ? answer() : ["Evaluating …"];
    said.replaceChildren(...(first ? [node("p", { class: "first" }, first)] : []), ...more.map((text) => node("p", {}, text)));
  });
  chart(where, "Means of the runs with their brackets; the numbers are in the table", meansHeight(4), "lead", (width) => {
    if (!state.lead) return [];
    const { found: { runs: names, means: [means], measures: [info] } } = state.lead;
    const shown = means.map((one, run) => ({ ...one, name: names[run] })).filter(({ mean }) => mean !== null)
      .sort((x, y) => (info.lower ? x.mean - y.mean : y.mean - x.mean)).slice(0, MEANS);
    return shown.length ? meansChart(width, shown, info, names.length, { mean: valueWords(), open: `lowest and highest over ${onWhat()}` }) : [];
  });
}

function resultsSection() {
  const where = section("results", "Scores");
  const words = node("p", { class: "about" }), holder = node("div");
  const definitions = node("dl", {}), notes = node("ul", { class: "notes" });
  where.append(words, holder, notes, node("details", {}, node("summary", {}, "What these measures are"), definitions));
  const rows = () => runs().filter((run) => state.values.has(run.number));
  const total = (run, measure) => state.values.get(run.number).totals[measure];
  const columns = () => [
    { title: "Run", left: true, value: (run) => run.name,
      cell: (run) => node("td", {}, node("button", { type: "button", class: "link", title: "Show the query whose score could move most, with its tie groups", onclick: () => look(run) }, run.name)) },
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
  const where = section("queries", "Query by query", "The difference between two runs by one measure. Click a query to see both rankings.");
  const ofRuns = () => runs().map((run) => [run.number, run.name]);
  const [measure, fillMeasures] = picked("Measure", () => state.measures.map((name, number) => [number, name]), "measure");
  const [a, fillA] = picked("A", ofRuns, "a");
  const [b, fillB] = picked("B", ofRuns, "b");
  const said = node("p", { class: "note", "aria-live": "polite" }), unknown = node("p", { class: "note", id: "unknown" }, "Missing judgments: this measure has no bounds of differences."), holder = node("div");
  where.append(node("div", { class: "bar" }, measure, a, b, filterBox("Filter queries", "queryFilter")), said, unknown, holder);
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
        { title: "A − B", value: (row) => row.difference,
          cell: (row) => (row.difference === null ? null : node("td", {},
            node("span", { class: isOpen(row) ? "" : row.difference > 0 ? "up" : "down" }, signed(row.difference)),
            hasRange() && row.least !== null ? node("span", { class: "sub" }, `[${signed(row.least)}, ${signed(row.most)}]`) : null)) },
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
    holder.hidden = true; // until it has rows
    const [one, other] = [state.values.get(state.a), state.values.get(state.b)];
    const places = new Map(other.queries.map((query, row) => [query, row]));
    const found = state.a === state.b ? { queries: [] } : await work.ask({ do: "differences", a: state.a, b: state.b, measure: state.measure }, "comparing").catch(() => null);
    if (!found || one !== state.values.get(state.a) || other !== state.values.get(state.b)) return;
    const isGraded = state.policies.unjudged === "range" && state.a !== state.b; // then bounds of each run alone do not tell
    const [joint] = (isGraded && (await jointOf(state.measures[state.measure], [file(state.a), file(state.b)], { a: [0], b: [1] }))) || [null];
    const ends = joint?.least.length === one.queries.length ? joint : null; // with the queries that both have, there are fewer
    if (one !== state.values.get(state.a) || other !== state.values.get(state.b)) return;
    const of = new Map(found.queries.map((query, place) => [query, ["difference", "least", "most"].map((name) => decoded(found[name][place]))]));
    rows = one.queries.map((query, row) => {
      const [difference, ...alone] = of.get(query) ?? [null, null, null];
      const [least, most] = isGraded ? [ends?.least[row] ?? null, ends?.most[row] ?? null] : alone;
      return { query, a: value(state.a, row), b: places.has(query) ? value(state.b, places.get(query)) : null, difference, least, most };
    });
    unknown.hidden = !isGraded || ends !== null;
    said.textContent = state.a === state.b ? "" : differenceWords(found, rows);
    holder.hidden = false;
    change({ rows: {} });
  });
}
