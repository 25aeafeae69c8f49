// Estimates from human and machine judgments: a picture of runs and of differences, a table, and how far grades agree.
const LINE = 34, RUNS_DRAWN = 12, PAIRS_DRAWN = 16; // the height of a row, and the most rows of each kind that the picture shows

function judges() {
  if (!data.judges) return;
  const { basis, estimates, agreement, notes, level } = data.judges, percentage = show(100 * level, 4).replace(/\.?0+$/, "");
  const where = section("judges", "Human and machine judgments",
    `Means over all queries that users could ask, estimated ${basis} and a machine's of all. The estimates are right on average however bad the machine is, and their ${percentage} % intervals are narrower than those of people alone if it is good.`);
  const rows = () => estimates[state.measure], nameOf = ({ a, b }) => (b === null ? data.runs[a] : `${data.runs[a]} − ${data.runs[b]}`);
  chart(where, "Estimates beside what people and the machine say alone; the numbers are in the table", 200, "measure",
    (width) => estimatesChart(width, drawnRows(rows()), nameOf, percentage));
  const digits = (row) => (row.b === null ? show : signed), excludes = (row) => row.b !== null && row.low !== null && (row.low > 0 || row.high < 0);
  const interval = (row, low, high) => (low === null ? null : below("interval", `${digits(row)(low)} – ${digits(row)(high)}`));
  const columns = () => [
    { title: "run", value: nameOf },
    { title: "estimate", value: (row) => row.estimate, lower: key().lower, tip: "the human mean, corrected by the machine's scores of the other queries",
      cell: (row) => node("td", {}, digits(row)(row.estimate), excludes(row) ? node("span", { title: "the interval excludes 0" }, " *") : null, interval(row, row.low, row.high)) },
    { title: "human", value: (row) => row.human, lower: key().lower, tip: "the mean over the queries that people judged, with the interval that it has without the machine (Student's t)",
      cell: (row) => node("td", {}, digits(row)(row.human), interval(row, row.human_low, row.human_high)) },
    { title: "machine", value: (row) => row.machine, lower: key().lower, cell: (row) => digits(row)(row.machine), tip: "the mean of the machine's scores over all queries" },
    { title: "r", value: (row) => row.correlation, cell: (row) => show(row.correlation, 2), tip: "the correlation of human and machine scores" },
    { title: "slope", value: (row) => row.slope, cell: (row) => show(row.slope, 2), tip: "how far the machine is trusted, from 0 to 1" },
    { title: "width", value: (row) => row.width, cell: (row) => show(row.width, 2), tip: "how wide the interval is, as a multiple of that of people alone" },
    { title: "worth", value: (row) => row.equivalent, cell: (row) => show(row.equivalent, 0), tip: "how many queries people would have to judge for such an interval without the machine" },
  ];
  table(where, "estimates", "measure", columns, rows);
  const starred = node("p", { class: "note" });
  where.append(starred);
  follow("measure", () => { starred.textContent = !rows().some(({ b, low }) => b !== null && low !== null) ? "" : rows().some(excludes) ? "A star marks differences whose interval excludes 0." : "The interval of each difference includes 0."; });
  where.append(...notes.map((note) => node("p", { class: "note" }, `Note: ${note}.`)));
  if (!agreement.length) return;
  where.append(node("h3", {}, "Do the grades agree?"), node("p", { class: "about" },
    "All documents that people and the machine judged, then those by human grade and by the best rank in any run. Kappa is 1 if all grades are the same, and 0 if they agree as often as by chance."));
  const grade = (name, tip) => ({ title: name, value: (row) => row[name], cell: (row) => show(row[name]), tip });
  table(where, "agreement", "", () => [
    { title: "group", value: (row) => row.group },
    { title: "documents", value: (row) => row.documents, cell: (row) => count(row.documents), tip: "documents that people and the machine judged" },
    grade("human", "the mean grade by people"), grade("machine", "the mean grade by the machine"),
    { title: "bias", value: (row) => row.bias, cell: (row) => signed(row.bias), tip: "the mean of machine minus human grades" },
    grade("equal", "the share of documents with the same grade from both"),
    { title: "kappa", value: (row) => row.kappa, tip: "Cohen's kappa with quadratic weights",
      cell: (row) => node("td", {}, show(row.kappa), row.kappa_low === null ? null : below("interval", `${show(row.kappa_low)} – ${show(row.kappa_high)}`)) },
  ], () => agreement);
}

/** The best runs, and the differences; of too many, those of the best run. Each with how many there are. */
function drawnRows(rows) {
  const runs = rows.filter(({ b }) => b === null), pairs = rows.filter(({ b }) => b !== null);
  const best = bestFirst(runs.map(({ estimate }) => estimate), key().lower).map((place) => runs[place]), leader = best[0].a;
  const mine = pairs.length > PAIRS_DRAWN ? pairs.filter(({ a, b }) => a === leader || b === leader) : pairs;
  return [{ rows: best.slice(0, RUNS_DRAWN), of: runs.length }, { rows: mine.slice(0, PAIRS_DRAWN), of: pairs.length }].filter((panel) => panel.rows.length);
}

// A name without its middle: runs often begin alike.
const squeezed = (name, length) => (name.length > length ? `${name.slice(0, Math.ceil((length - 1) / 2))}…${name.slice(-Math.floor((length - 1) / 2))}` : name);

/** A panel of runs above one of differences, each with its own axis: people alone above the estimate, the machine below it. */
function estimatesChart(width, panels, nameOf, level) {
  const names = (panel) => panel.rows.map(({ a, b }) => (b === null ? squeezed(data.runs[a], width < 500 ? 15 : 36)
    : [a, b].map((run) => squeezed(data.runs[run], width < 500 ? 8 : 18)).join(" − ")));
  const left = 12 + Math.max(...panels.flatMap(names).map(wide)), right = width - 20;
  const heights = panels.map(({ rows }) => 50 + LINE * rows.length), height = heights.reduce((sum, one) => sum + one, 0);
  const drawing = canvas(width, height), spots = [];
  let top = 6;
  panels.forEach((panel, number) => {
    const ends = panel.rows.flatMap((row) => [row.estimate, row.low, row.high, row.human, row.human_low, row.human_high, row.machine]).concat(panel.rows[0].b === null ? [] : [0]).filter(Number.isFinite);
    const [low, high] = [Math.min(...ends), Math.max(...ends)], room = (high - low || Math.abs(high) || 1) * 0.04;
    const at = (value) => left + ((value - low + room) / (high - low + 2 * room)) * (right - left), bottom = top + LINE * panel.rows.length;
    for (const value of ticks(low, high, Math.max(2, (right - left) / 90)))
      drawing.append(shape("path", { class: value === 0 && panel.rows[0].b !== null ? "grid zero" : "grid", d: `M${at(value)} ${top}V${bottom}` }), text(at(value), bottom + 14, String(value), { "text-anchor": "middle" }));
    const more = panel.of > panel.rows.length ? ` (${panel.rows.length} of ${count(panel.of)})` : "";
    drawing.append(text((left + right) / 2, bottom + 30, (panel.rows[0].b === null ? key().name : `difference in ${key().name}`) + (key().lower ? " (lower is better)" : "") + more, { "text-anchor": "middle", class: "axis" }));
    panel.rows.forEach((row, place) => {
      const y = top + LINE * (place + 0.5), name = nameOf(row), digits = row.b === null ? show : signed;
      drawing.append(text(left - 8, y + 4, names(panel)[place], { "text-anchor": "end" }));
      if (row.low !== null) drawing.append(shape("path", { class: "people", d: `M${at(row.human_low)} ${y - 9}H${at(row.human_high)}` }), shape("path", { class: "both", d: `M${at(row.low)} ${y}H${at(row.high)}` }));
      drawing.append(peopleMark(at(row.human), y - 9), shape("circle", { class: "mean", cx: at(row.estimate), cy: y, r: 4.5 }), machineMark(at(row.machine), y + 9));
      const ranging = (from, to) => (from === null ? "" : `, ${level} % interval ${digits(from)} to ${digits(to)}`);
      spots.push({ x: at(row.human), y: y - 9, words: `${name}, people alone: ${digits(row.human)}${ranging(row.human_low, row.human_high)}` },
        { x: at(row.estimate), y, words: `${name}, estimate from both: ${digits(row.estimate)}${ranging(row.low, row.high)}` },
        { x: at(row.machine), y: y + 9, words: `${name}, machine alone: ${digits(row.machine)}` });
    });
    top += heights[number];
  });
  hover(drawing, (x, y) => spots.filter((spot) => Math.abs(spot.y - y) < 6).sort((one, other) => Math.abs(one.x - x) - Math.abs(other.x - x))[0] ?? null);
  const sign = (...marks) => shape("svg", { width: 26, height: 12 }, ...marks);
  return [drawing, node("div", { class: "legend" },
    node("span", {}, sign(shape("path", { class: "people", d: "M0 6H26" }), peopleMark(13, 6)), " people alone, with their interval (Student's t)"),
    node("span", {}, sign(shape("path", { class: "both", d: "M0 6H26" }), shape("circle", { class: "mean", cx: 13, cy: 6, r: 4.5 })), ` estimate from both, with its ${level} % interval`),
    node("span", {}, sign(machineMark(13, 6)), " machine alone"))];
}

const peopleMark = (x, y) => shape("circle", { class: "people", cx: x, cy: y, r: 3.5 });
const machineMark = (x, y) => shape("path", { class: "machine", d: `M${x - 4} ${y - 4}L${x + 4} ${y + 4}M${x - 4} ${y + 4}L${x + 4} ${y - 4}` });
