// Values of queries as bars and rows.

function differences() {
  const values = data.values[state.measure];
  return data.queries.map((_, query) => {
    if (comparing) {
      const [value, low, high] = values[query];
      return { query, difference: value, low, high };
    }
    if (alone) return { query, difference: values[0][query] };
    const [x, y] = [values[state.a][query], values[state.b][query]];
    return { query, a: x, b: y, difference: x === null || y === null ? null : minus(x, y), ends: differenceEnds(query) };
  });
}

// How much a query asks to be looked at: of similarities the lowest values do, of a single run the worst.
function change_of(row) {
  if (row.difference === null) return -Infinity;
  if (alone) return key().lower ? row.difference : -row.difference;
  return comparing && !key().lower && !key().signed ? -row.difference : Math.abs(row.difference);
}

function verdict(shown) {
  const [name, here] = [key().name, whole() ? "" : ` Below: ${selection()}.`];
  if (comparing) {
    const { mean, "5%": low, "50%": middle, "95%": high } = data.distribution[state.measure];
    const over = data.defined[state.measure];
    return `${name} over ${over === data.of ? `all ${queriesOf(over)}` : `the ${count(over)} of ${count(data.of)} queries for which it is defined`}: mean ${show(mean)}, median ${show(middle)}, 90 % of the values between ${show(low)} and ${show(high)}.${here}`;
  }
  if (alone) return `${name}: ${{ mean: "mean", log: "geometric mean", sum: "sum" }[key().scale]} ${show(data.means[state.measure][0].mean)}.${here}`;
  const lower = key().lower;
  const test = tested(state.measure, state.a, state.b);
  if (!test) {
    const above = shown.filter((row) => row.difference > 0).length, equal = shown.filter((row) => row.difference === 0).length;
    return `${name}: ${wins(above, equal, shown.length - above - equal, lower)} of ${queriesOf(shown.length)}${whole() ? "" : " of this page"}; these two runs were not tested.${certainWords()}${here}`;
  }
  const [above, equal, below] = test.counts, [low, middle, high] = test.quantiles;
  const what = { mean: "mean difference", log: "ln mean A − ln mean B", sum: "difference of sums" }[key().scale];
  const of = key().scale === "log" ? "differences of logarithms" : "differences";
  const over = above + equal + below;
  return `${name}: ${wins(above, equal, below, lower)} of ${queriesOf(over)}; ${what} ${signed(test.difference)}, ${chance(test.p)} (${data.how}).${overturned(test)} ` +
    `Over ${over === data.of ? "all" : "these"} ${queriesOf(over)}, the median difference is ${signed(middle)}, and 90 % of the ${of} lie between ${signed(low)} and ${signed(high)}.${certainWords()}${here}`;
}

// The overturn number, beside p: what missing judgments could do.
function overturned(test) {
  const number = test.overturn;
  if (number === null || number === 0) return "";
  if (number === "never") return " No number of further relevant documents could end the lead.";
  return ` To end the lead, ${test.overturn_is_exact ? "" : "at least "}${count(number)} unjudged ${number === 1 ? "document" : "documents"} would have to be relevant.`;
}

const wins = (above, equal, below, lower) => `A is better in ${count(lower ? below : above)}, equal in ${count(equal)}, worse in ${count(lower ? above : below)}`;

function open(query) {
  change({ query });
  document.getElementById("query").scrollIntoView({ behavior: "smooth" });
}

function bars(width, onScreen) {
  const height = lower(onScreen);
  const shown = differences().filter((row) => row.difference !== null && filteredQuery(row.query));
  shown.sort(comparing ? (x, y) => change_of(y) - change_of(x) : (x, y) => y.difference - x.difference);
  if (!shown.length && state.queryFilter) {
    const others = whole() ? "" : ` among the ${count(data.queries.length)} queries on this page; the other ${count(data.of - data.queries.length)} are not on it`;
    return [node("p", { class: "note" }, `No match${others}.`)];
  }
  const values = shown.map((row) => row.difference);
  const low = values.reduce((least, value) => Math.min(least, value), 0), high = values.reduce((most, value) => Math.max(most, value), 0);
  const plot = frame(width, height,
    { low: 0, high: shown.length, ticks: [], title: `${queriesOf(shown.length)}${whole() ? "" : " (the page holds " + (data.runs.length < 2 ? "some)" : "those that differ most)")}` },
    { low, high: low === high ? 1 : high, title: comparing || alone ? key().name : `A − B, ${key().name}` });
  const worse = (value) => !alone && (!comparing && key().lower ? value > 0 : value < 0);
  const step = (plot.right - plot.left) / shown.length, gap = step > 4 ? Math.min(3, step * 0.15) : 0;
  const paths = { a: "", b: "" }, zero = plot.atY(0);
  values.forEach((value, place) => {
    const left = plot.left + place * step;
    paths[worse(value) ? "b" : "a"] += `M${(left + gap / 2).toFixed(2)} ${zero.toFixed(1)}V${plot.atY(value).toFixed(1)}h${Math.max(0.4, step - gap).toFixed(2)}V${zero.toFixed(1)}z`;
  });
  plot.drawing.append(shape("path", { d: paths.a, fill: tint("a") }), shape("path", { d: paths.b, fill: tint("b") }));
  hover(plot.drawing, (x) => {
    const place = Math.floor((x - plot.left) / step), row = shown[place];
    if (!row || x > plot.right) return null;
    const words = titleOf(row.query);
    return { x: plot.left + (place + 0.5) * step, y: plot.atY(row.difference), open: () => open(row.query),
      words: `query ${data.queries[row.query]}: ${comparing || alone ? show(row.difference) : signed(row.difference)}${words ? ` – ${cut(words, 90)}` : ""}` };
  });
  return [plot.drawing, comparing || alone ? null : node("div", { class: "legend" },
    ...["a", "b"].map((side) => node("span", {}, node("i", { style: `background: ${tint(side)}` }), ` ${data.runs[state[side]]} (${side.toUpperCase()}) better`)))];
}

// Bars have the colours of their runs, if the two differ.
function tint(side) {
  return comparing || hue(state.a) === hue(state.b) ? `var(--${side})` : hue(state[side]);
}

function queries() {
  const where = section("queries", "Query by query",
    comparing ? "How much each query changed, the most changed first." : alone ? "Values of queries, sorted." : "Differences between two runs: bars from the highest to the lowest, the table by size.",
    `Choose a bar or a row to see ${alone ? "the ranking" : "both rankings"} below.`);
  const controls = node("div", { class: "bar" });
  if (!comparing && !alone) {
    controls.append(choice("Run A", data.runs, "a"), choice("Run B", data.runs, "b"),
      node("button", { type: "button", onclick: () => change({ a: state.b, b: state.a }) }, "Swap"));
  }
  controls.append(filterBox(data.titles ? "Filter queries by id or text" : "Filter queries by id", "queryFilter"));
  const note = node("p", { class: "note", role: "status" });
  where.append(controls, note);
  if (!comparing && !alone) {
    const pair = node("p", { class: "paper" });
    note.before(pair);
    follow("a b", () => { pair.textContent = `A: ${data.runs[state.a]} · B: ${data.runs[state.b]}`; });
  }
  follow("measure a b", () => { note.textContent = verdict(differences().filter((row) => row.difference !== null)); });
  chart(where, "Values of queries, sorted; the same numbers are in the table", 320, "measure a b queryFilter", bars);
}

// What ties and missing judgments leave open is below a number, where the page has it of each query.
const underneath = (words) => (words ? node("span", { class: "sub" }, words) : null);
const withEnds = (run, query) => node("td", {}, show(valueOf(run, query).mean), underneath(bracketsOf(valueOf(run, query))));

/** A difference; it has a colour if nothing that is open could turn it round. */
function differenceCell({ difference, ends }) {
  const sign = ends && (ends.low > 0 || ends.high < 0) ? (ends.low > 0 ? "up" : "down") : null;
  return node("td", {}, node("span", { class: sign }, signed(difference)), underneath(ends ? bracketsOf({ mean: difference, ...ends }, signed) : ""));
}

/** In how many queries a run is better whatever is open. */
function certainWords() {
  const rows = differences(), known = rows.filter(({ ends }) => ends), { every } = words();
  if (rows[0].ends === undefined) return "";
  if (!known.length) return ` How far ${words().open.map((one) => (one === ORDERS ? "ties" : "missing judgments")).join(" and ")} could move the differences is unknown: ${key().name} has no bounds of differences.`;
  const [a, b] = [known.filter(({ ends: { low } }) => low > 0).length, known.filter(({ ends: { high } }) => high < 0).length];
  const [better, worse] = key().lower ? [b, a] : [a, b];
  return ` ${every[0].toUpperCase()}${every.slice(1)}, A is better in ${count(better)} and worse in ${count(worse)}.`;
}

function queryTable() {
  const where = document.getElementById("queries");
  const query = { title: "query", value: (row) => data.queries[row.query], cell: (row) => node("td", {},
    node("button", { type: "button", onclick: () => open(row.query) }, data.queries[row.query])) };
  const title = data.titles && { title: "text", left: true, value: (row) => titleOf(row.query), cell: (row) => node("td", { class: "title", title: titleOf(row.query) }, titleOf(row.query) || "") };
  // What the table opens sorted by: losses count as much as gains.
  const size = { title: comparing ? "size" : "|A − B|", value: (row) => row.difference === null ? null : Math.abs(row.difference),
    cell: (row) => show(row.difference === null ? null : Math.abs(row.difference)), tip: "size of the difference, whichever run is better" };
  const columns = () => [query, ...(title ? [title] : []), ...(comparing ? [
    { title: key().name, value: (row) => row.difference, cell: (row) => show(row.difference), tip: about(key()) },
    ...(key().signed ? [size] : []),
    ...(data.values[state.measure].every(([value, low, high]) => show(low) === show(value) && show(high) === show(value)) ? [] : [
      { title: "lowest", value: (row) => row.low, cell: (row) => show(row.low) },
      { title: "highest", value: (row) => row.high, cell: (row) => show(row.high) },
    ]),
  ] : [
    ...(alone ? [{ title: key().name, value: (row) => row.difference, cell: (row) => withEnds(0, row.query), tip: about(key()) }] : [
      { title: "A", value: (row) => row.a, cell: (row) => withEnds(state.a, row.query), tip: data.runs[state.a] },
      { title: "B", value: (row) => row.b, cell: (row) => withEnds(state.b, row.query), tip: data.runs[state.b] },
      { title: "A − B", value: (row) => row.difference, cell: differenceCell },
      size,
    ]),
    { title: data.has_preferences ? "judged" : "relevant", value: (row) => data.rankings[row.query]?.relevant ?? null, tip: data.has_preferences ? "documents in the preferences" : "documents with a grade above 0" },
  ])];
  const first = title ? 2 : 1;
  table(where, "queries", "measure a b queryFilter", columns, () => differences().filter((row) => filteredQuery(row.query)),
    { buttons: comparing ? [node("button", { type: "button", onclick: saveMoved }, "Save moved documents as TSV")] : [],
      resort: () => (comparing ? [first + (key().signed ? 1 : 0), key().lower || key().signed] : alone ? [first, key().lower] : [first + 3, true]) });
}
