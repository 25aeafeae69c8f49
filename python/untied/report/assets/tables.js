// Tables: sorted by their heads, written as CSV by their button.
function csv(name, head, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  const text = [head, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
  const link = node("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name + ".csv" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// columns: {title, value(row) for sorting and CSV, cell(row) for the screen, tip}
function table(where, name, columns, rows, options = {}) {
  let sorted = options.sorted ?? null, descending = options.descending ?? true;
  const holder = node("div");
  const fill = () => {
    const order = rows().slice();
    if (sorted !== null) {
      const by = columns()[sorted].value, down = descending ? -1 : 1;
      const rank = (value) => (value === null || value === undefined ? -Infinity : value);
      order.sort((x, y) => {
        const [one, other] = [rank(by(x)), rank(by(y))];
        return down * (typeof one === "string" ? one.localeCompare(String(other)) : one - other);
      });
    }
    const head = columns().map((column, number) => node("th",
      { scope: "col", title: column.tip, "aria-sort": number === sorted ? (descending ? "descending" : "ascending") : "none" },
      node("button", { type: "button", onclick: () => {
        descending = number === sorted ? !descending : typeof columns()[number].value(rows()[0]) !== "string";
        sorted = number;
        fill();
        holder.querySelectorAll("th button")[number].focus();
      } }, column.title)));
    const body = order.map((row) => node("tr", { class: options.mark ? options.mark(row) : null },
      ...columns().map((column) => {
        const cell = column.cell ? column.cell(row) : column.value(row);
        return cell instanceof Node && cell.tagName === "TD" ? cell : node("td", {}, cell === null ? "–" : cell);
      })));
    holder.replaceChildren(node("div", { class: "scroll" + (options.tall ? " tall" : ""), tabindex: options.tall ? 0 : null },
      node("table", {}, node("thead", {}, node("tr", {}, ...head)), node("tbody", {}, ...body))));
  };
  const save = () => csv(name, columns().map((column) => column.title), rows().map((row) => columns().map((c) => c.value(row))));
  where.append(holder, node("div", { class: "bar" }, options.note ? node("span", { class: "note grow" }, options.note) : node("span", { class: "grow" }),
    node("button", { type: "button", onclick: save }, "CSV")));
  fill();
  redraw.push(fill);
}

const everyRun = () => data.runs.map((_, run) => run);

const tests = new Map((data.tests || []).map((test) => [`${test.measure},${test.a},${test.b}`, test]));

function tested(measure, a, b) {
  const found = tests.get(`${measure},${a},${b}`), turned = tests.get(`${measure},${b},${a}`);
  if (found || !turned) return found || null;
  return { ...turned, difference: turned.difference === null ? null : -turned.difference,
    counts: turned.counts.slice().reverse(), quantiles: turned.quantiles.map((value) => -value).reverse() };
}

const survival = { yes: "whatever the order of tied documents", no: "some order of tied documents may undo that", unknown: "whether some order of tied documents undoes that is unknown" };

// Against the baseline, or how many others a run is significantly better than.
function marks(measure, run) {
  const lower = data.measures[measure].lower;
  const better = (test) => test.significant && (lower ? test.difference < 0 : test.difference > 0);
  if (data.baseline !== null) {
    const test = tested(measure, run, data.baseline);
    if (!test || !test.significant) return null;
    const up = better(test);
    return node("span", { class: up ? "up" : "down",
      title: `${up ? "better" : "worse"} than the baseline, p ${chance(test.p)}; ${survival[test.survives]}` },
      (up ? " ▲" : " ▼") + (test.survives === "yes" ? "" : "?"));
  }
  const beaten = everyRun().filter((other) => { const test = tested(measure, run, other); return test && better(test); });
  if (!beaten.length) return null;
  return node("sup", { class: "up", title: "significantly better than " + beaten.map((other) => data.runs[other]).join(", ") }, ` >${beaten.length}`);
}

function summary() {
  const against = data.baseline === null
    ? "Superscripts count the runs that a run is significantly better than."
    : "▲ and ▼: significantly better or worse than the baseline; with a question mark where it is not sure for every order of tied documents.";
  const intervals = { bca: "bootstrap", t: "Student's" }[data.settings.interval];
  const test = data.runs.length > 1 ? ` ${against} Test: ${data.how}.` : "";
  const below = intervals ? `Below each its ${show(100 * data.settings.level, 4).replace(/\.?0+$/, "")} % confidence interval over queries (${intervals}), and in brackets` : "Below each, in brackets,";
  const sums = data.measures.filter((measure) => measure.scale === "sum").map((measure) => measure.name).join(", ");
  const where = section("summary", "Summary",
    `Means over ${whole() ? "" : "all "}${count(data.of)} queries${sums && `, sums of ${sums}`}. ${below} the lowest and highest mean over all orders of tied documents where these matter.${test}`);
  where.append(...data.notes.map((note) => node("p", { class: "note" }, note)));
  const best = (measure) => Math[data.measures[measure].lower ? "min" : "max"](...data.means[measure].map((mean) => mean.mean));
  const columns = () => [
    { title: "run", value: (run) => data.runs[run] },
    ...data.measures.map((measure, number) => ({
      title: measure.name, tip: about(measure), value: (run) => data.means[number][run].mean,
      cell: (run) => {
        const { mean, low, high, ci_low, ci_high } = data.means[number][run];
        return node("td", { class: mean === best(number) ? "best" : null }, show(mean), marks(number, run),
          ci_low === null ? null : node("span", { class: "sub" }, `${show(ci_low)} – ${show(ci_high)}`),
          [low, high].some((end) => show(end) !== show(mean)) ? node("span", { class: "sub" }, `[${show(low)}, ${show(high)}]`) : null);
      },
    })),
  ];
  table(where, "summary", columns, everyRun, { mark: (run) => (run === data.baseline ? "base" : null) });
}

// Of a comparison: how the values of queries spread.
function spread() {
  const where = section("summary", "Summary",
    "How alike the two runs are, and how far judgments could part them, query by query: means, quantiles and extremes " + `over all ${count(data.of)} queries of both runs.`);
  const names = Object.keys(data.distribution[0]).filter((name) => name !== "measure");
  const columns = () => [
    { title: "measure", value: (row) => data.measures[row].name, cell: (row) => node("td", { title: about(data.measures[row]) }, data.measures[row].name, node("span", { class: "sub" }, data.measures[row].title)) },
    ...names.map((name) => ({ title: name, value: (row) => data.distribution[row][name], cell: (row) => show(data.distribution[row][name]) })),
  ];
  table(where, "summary", columns, () => data.measures.map((_, measure) => measure));
}

const ofTies = [
  { title: "run", value: (run) => data.runs[run] },
  { title: "documents", value: (run) => data.ties[run].documents, cell: (run) => count(data.ties[run].documents) },
  { title: "tied", value: (run) => data.ties[run].tied / data.ties[run].documents || 0, cell: (run) => percent(data.ties[run].tied / data.ties[run].documents || 0), tip: "share of documents that have the score of another" },
  { title: "largest group", value: (run) => data.ties[run].largest, cell: (run) => count(data.ties[run].largest) },
  { title: "queries with ties", value: (run) => data.ties[run].queries, cell: (run) => count(data.ties[run].queries) },
  { title: "all tied", value: (run) => data.ties[run].all_tied, cell: (run) => count(data.ties[run].all_tied), tip: "queries in which nothing is ranked" },
];

function tieCounts() {
  table(section("ties", "Ties", "How much the scores leave open: documents that share their score."), "ties", () => ofTies, everyRun);
}

function ties() {
  const where = section("ties", "Ties and missing judgments",
    "How much the scores leave open: documents that share their score, and queries in which tied documents differ in grade, so that values depend on their order.");
  const { depths, shares } = data.unjudged;
  const at = depths.indexOf(10);
  const columns = () => [
    ...ofTies,
    { title: "open", value: (run) => data.ties[run].mixed, cell: (run) => count(data.ties[run].mixed), tip: "queries in which tied documents differ in grade" },
    { title: "queries absent", value: (run) => data.ties[run].absent, cell: (run) => count(data.ties[run].absent), tip: "judged, but not in the run: they count as empty rankings" },
    { title: "without judgments", value: (run) => data.ties[run].unknown, cell: (run) => count(data.ties[run].unknown), tip: "queries of the run that are not judged: left out" },
    { title: "unjudged at 10", value: (run) => shares[run][at], cell: (run) => percent(shares[run][at]) },
  ];
  table(where, "ties", columns, everyRun);
  const chart = node("div", { class: "chart", role: "img", "aria-label": "Share of unjudged documents by depth" });
  where.append(node("h3", {}, "Unjudged documents by depth"), chart);
  const fill = () => draw(chart, data.runs.map((name, run) => ({
    x: depths, y: shares[run], name: plain(name), mode: "lines+markers", line: { color: hue(run), width: chosen(run) ? 3.5 : 1.5 }, marker: { size: 5 }, showlegend: named(run),
    text: shares[run].map(percent), hovertemplate: `${plain(name)}: %{text} of the first %{x}<extra></extra>`,
  })), { xaxis: { type: "log", title: { text: "depth" }, tickvals: depths }, yaxis: { tickformat: ".0%", rangemode: "tozero" } });
  fill();
  redraw.push(fill);
}
