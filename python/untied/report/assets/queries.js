// Values of queries as bars and rows, and two rankings of one side by side.
function differences() {
  const values = data.values[state.measure];
  return data.queries.map((_, query) => {
    if (comparing) {
      const [value, low, high] = values[query];
      return { query, difference: value, low, high };
    }
    const [x, y] = [values[state.a][query], values[state.b][query]];
    return { query, a: x, b: y, difference: x === null || y === null ? null : x - y };
  });
}

// How much a query asks to be looked at: of similarities the lowest values do.
function change_of(row) {
  if (row.difference === null) return -Infinity;
  return comparing && !key().lower && !key().signed ? -row.difference : Math.abs(row.difference);
}

function verdict(shown) {
  const [name, here] = [key().name, whole() ? "" : ` Below: ${selection()}.`];
  if (comparing) {
    const { mean, "5%": low, "50%": middle, "95%": high } = data.distribution[state.measure];
    return `${name} over all ${count(data.of)} queries: mean ${show(mean)}, median ${show(middle)}, 90 % of them from ${show(low)} to ${show(high)}.${here}`;
  }
  const lower = key().lower;
  const test = tested(state.measure, state.a, state.b);
  if (!test) {
    const above = shown.filter((row) => row.difference > 0).length, equal = shown.filter((row) => row.difference === 0).length;
    return `${name}: ${wins(above, equal, shown.length - above - equal, lower)} of ${count(shown.length)} queries${whole() ? "" : " of this page"}; these two runs were not tested.${here}`;
  }
  const [above, equal, below] = test.counts, [low, middle, high] = test.quantiles;
  const what = { mean: "mean difference", log: "ln mean A − ln mean B", sum: "difference of sums" }[key().scale];
  const of = key().scale === "log" ? "differences of logarithms" : "differences";
  return `${name}: ${wins(above, equal, below, lower)} of ${count(above + equal + below)} queries; ${what} ${signed(test.difference)}, p ${chance(test.p)} (${data.how}). ` +
    `Over all these queries the median difference is ${signed(middle)}, and 90 % of ${of} lie from ${signed(low)} to ${signed(high)}.${here}`;
}

const wins = (above, equal, below, lower) => `A is better in ${count(lower ? below : above)}, equal in ${count(equal)}, worse in ${count(lower ? above : below)}`;

function queries() {
  const where = section("queries", "Query by query",
    comparing ? "Queries by how much they change; choose a bar or a row to see both rankings below." : "Differences of two runs, sorted; choose a bar or a row to see both rankings below.");
  if (!comparing) {
    where.append(node("div", { class: "bar" },
      choice("Run A", data.runs, () => state.a, (a) => change({ a })),
      choice("Run B", data.runs, () => state.b, (b) => change({ b })),
      node("button", { type: "button", onclick: () => change({ a: state.b, b: state.a }) }, "Swap")));
  }
  const note = node("p", { class: "note", role: "status" });
  const chart = node("div", { class: "chart", id: "bars", role: "img", "aria-label": "Values of queries, sorted; the same numbers are in the table" });
  where.append(note, chart);
  const open = (query) => { change({ query }); document.getElementById("query").scrollIntoView({ behavior: "smooth" }); };
  const fill = () => {
    const shown = differences().filter((row) => row.difference !== null);
    shown.sort(comparing ? (x, y) => change_of(y) - change_of(x) : (x, y) => y.difference - x.difference);
    note.textContent = verdict(shown);
    const falls = (value) => !comparing && key().lower ? value > 0 : value < 0;
    draw(chart, [{
      type: "bar", x: shown.map((_, place) => place + 1), y: shown.map((row) => row.difference),
      marker: { color: shown.map((row) => colour(falls(row.difference) ? "b" : "a")) },
      customdata: shown.map((row) => row.query), text: shown.map((row) => `${plain(data.queries[row.query])}: ${comparing ? show(row.difference) : signed(row.difference)}`), textposition: "none",
      hovertemplate: "query %{text}<extra></extra>",
    }], { bargap: shown.length > 80 ? 0 : 0.15, xaxis: { title: { text: whole() ? "queries" : "queries of this page" }, showgrid: false },
      yaxis: { title: { text: comparing ? plain(key().name) : `A − B, ${plain(key().name)}` } } })
      .then(() => {
        chart.removeAllListeners("plotly_click");
        chart.on("plotly_click", (event) => open(event.points[0].customdata));
      });
  };
  fill();
  redraw.push(fill);
  const query = { title: "query", value: (row) => data.queries[row.query], cell: (row) => node("td", {},
    node("button", { type: "button", onclick: () => open(row.query) }, data.queries[row.query])) };
  const columns = () => comparing ? [
    query,
    { title: key().name, value: (row) => row.difference, cell: (row) => show(row.difference), tip: about(key()) },
    { title: "lowest", value: (row) => row.low, cell: (row) => show(row.low) },
    { title: "highest", value: (row) => row.high, cell: (row) => show(row.high) },
  ] : [
    query,
    { title: "A", value: (row) => row.a, cell: (row) => show(row.a) },
    { title: "B", value: (row) => row.b, cell: (row) => show(row.b) },
    { title: "A − B", value: (row) => row.difference, cell: (row) => signed(row.difference) },
    { title: "relevant", value: (row) => data.rankings[row.query]?.relevant ?? null, tip: "documents with a grade above 0" },
  ];
  table(where, "queries", columns, differences, { sorted: comparing ? 1 : 3, descending: !comparing || key().lower || key().signed, tall: true });
}

function ranking(query, side) {
  const truth = data.rankings[query];
  if (!truth) return node("p", { class: "note" }, side === "a" ? "The rankings of this query are not in the page: it holds those of the queries in which runs differ most." : "");
  const [mine, theirs] = side === "a" ? [state.a, state.b] : [state.b, state.a];
  const places = new Map();
  let rank = 1;
  for (const group of truth.runs[theirs].groups) {
    for (const doc of group) places.set(doc, rank);
    rank += group.length;
  }
  const { groups, beyond, total } = truth.runs[mine];
  rank = 1;
  const items = groups.map((group, number) => {
    const size = group.length + (number === groups.length - 1 ? beyond : 0);
    const place = size > 1 ? `${rank}–${rank + size - 1}` : String(rank);
    rank += group.length;
    const docs = group.map((doc) => {
      const grade = truth.grades[doc];
      const kind = grade === null || grade < 0 ? "open" : grade > 0 ? "relevant" : "";
      const what = grade === null ? "not judged" : grade < 0 ? "pooled, not judged" : `grade ${grade}`;
      return node("div", { class: "doc", "data-doc": doc },
        node("span", { class: "grade " + kind, title: what }, grade === null ? "?" : grade < 0 ? "–" : String(grade)),
        node("span", { class: "id", title: truth.docs[doc] }, truth.docs[doc]),
        node("span", { class: "other", title: "rank in the other run" }, mine === theirs ? "" : places.has(doc) ? `↔ ${places.get(doc)}` : "only here"));
    });
    const more = size > group.length ? [node("div", { class: "note doc" }, `and ${count(size - group.length)} more with this score`)] : [];
    return node("li", { class: size > 1 ? "tied" : null, title: size > 1 ? `${size} documents share one score` : null },
      node("span", { class: "place" }, place), node("div", { class: "docs" }, ...docs, ...more));
  });
  const value = comparing ? "" : ` · ${key().name} ${show(data.values[state.measure][mine][query])}`;
  return node("div", {},
    node("h3", {}, `${side.toUpperCase()}: ${data.runs[mine]}${value}`),
    items.length ? node("ol", { class: "ranking" }, ...items) : node("p", { class: "note" }, "The run has nothing for this query."),
    node("p", { class: "note" }, `${count(total)} documents retrieved`));
}

function sideBySide() {
  const where = section("query", "Two rankings side by side",
    "Green: relevant, with its grade; dashed: not judged. Documents with a bar at their left share one score, and could stand in any order. Arrows give the first rank that a document could have in the other run.");
  const step = (by) => change({ query: (state.query + by + data.queries.length) % data.queries.length });
  where.append(node("div", { class: "bar" },
    choice("Query", data.queries, () => state.query, (query) => change({ query })),
    node("button", { type: "button", onclick: () => step(-1), "aria-label": "Previous query" }, "←"),
    node("button", { type: "button", onclick: () => step(1), "aria-label": "Next query" }, "→")));
  const panel = node("div", { class: "two", id: "panel", "aria-live": "polite" });
  where.append(panel);
  const light = (event, lit) => {
    const doc = event.target.closest?.("[data-doc]");
    if (doc) panel.querySelectorAll(`[data-doc="${doc.dataset.doc}"]`).forEach((each) => each.classList.toggle("lit", lit));
  };
  panel.addEventListener("mouseover", (event) => light(event, true));
  panel.addEventListener("mouseout", (event) => light(event, false));
  const fill = () => panel.replaceChildren(ranking(state.query, "a"), ranking(state.query, "b"));
  fill();
  redraw.push(fill);
}
