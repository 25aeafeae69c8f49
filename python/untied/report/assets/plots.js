// Charts as SVG: drawn with the page, so that prints and screenshots have them all, and again when what they show or their width changes.
const PAPER = 690; // the width of A4 between its margins, in CSS pixels
const charts = [];
let printing = false;
const lower = (height) => (printing ? Math.round(0.7 * height) : height); // paper has less room

function chart(where, label, height, names, paint) {
  const holder = node("div", { class: "chart", role: "img", "aria-label": label });
  holder.style.minHeight = height + "px";
  where.append(holder);
  const one = {
    holder, width: 0,
    draw() {
      const half = holder.parentElement.classList.contains("two");
      one.width = printing ? (half ? PAPER / 2 - 10 : PAPER) : Math.max(240, holder.clientWidth);
      const made = paint(one.width, height);
      holder.replaceChildren(...made.filter((part) => part !== null));
      holder.style.minHeight = "";
      if (!performance.getEntriesByName("first-chart").length) performance.mark("first-chart");
    },
  };
  widths.observe(holder);
  charts.push(one);
  follow(names, () => one.draw());
}

function forgetCharts() {
  charts.length = 0;
  widths.disconnect();
}

const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const one = charts.find((one) => one.holder === target);
    if (!printing && target.clientWidth && Math.max(240, target.clientWidth) !== one.width) one.draw();
  }
});

// On paper all charts are as wide as it is, dark on white.
let onScreen = null;
addEventListener("beforeprint", () => {
  printing = true;
  onScreen = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  charts.forEach((one) => one.draw());
});
addEventListener("afterprint", () => {
  printing = false;
  document.documentElement.dataset.theme = onScreen;
  charts.forEach((one) => one.draw());
});

function shape(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const text = (x, y, words, more = {}) => shape("text", { x, y, ...more }, words);
const canvas = (width, height, ...children) => shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height }, ...children);
const ruler = document.createElement("canvas").getContext("2d");
ruler.font = "12px system-ui, sans-serif";
const wide = (words) => ruler.measureText(words).width + 2;

// Round numbers that cover a range.
function ticks(low, high, most) {
  if (!(high > low)) return [low];
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999);
  const values = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) values.push(Number((at * step).toPrecision(12)));
  return values;
}

// Axes around a plot. x and y: {low, high, title, ticks, label, log}
function frame(width, height, x, y) {
  const across = x.ticks || ticks(x.low, x.high, Math.max(2, width / 90)), up = y.ticks || ticks(y.low, y.high, Math.max(2, height / 60));
  const words = (axis, value) => (axis.label || String)(value);
  const left = 26 + Math.max(...up.map((value) => wide(words(y, value)))), right = width - 14, top = 10, bottom = height - (x.title ? 42 : 24);
  const onto = (axis, from, to) => {
    const place = axis.log ? Math.log : (value) => value;
    const [low, high] = [place(axis.low), place(axis.high)];
    return (value) => from + (high > low ? (place(value) - low) / (high - low) : 0.5) * (to - from);
  };
  const atX = onto(x, left, right), atY = onto(y, bottom, top);
  const parts = [];
  let last = -Infinity;
  for (const value of across) {
    const at = atX(value), room = wide(words(x, value)) / 2 + 4;
    parts.push(shape("path", { class: "grid", d: `M${at} ${top}V${bottom}` }));
    if (at - room < last) continue;
    last = at + room;
    parts.push(text(at, bottom + 15, words(x, value), { "text-anchor": "middle" }));
  }
  for (const value of up) {
    const at = atY(value);
    parts.push(shape("path", { class: value === 0 ? "grid zero" : "grid", d: `M${left} ${at}H${right}` }), text(left - 6, at + 4, words(y, value), { "text-anchor": "end" }));
  }
  if (x.title) parts.push(text((left + right) / 2, height - 8, x.title, { "text-anchor": "middle", class: "axis" }));
  if (y.title) parts.push(text(0, 0, y.title, { "text-anchor": "middle", class: "axis", transform: `translate(13 ${(top + bottom) / 2}) rotate(-90)` }));
  return { drawing: canvas(width, height, ...parts), atX, atY, left, right, top, bottom };
}

const tip = node("div", { class: "tip", hidden: true });
document.body.append(tip);

// What lies under the pointer is named, and opened by a click. find(x, y): {x, y, words, open} or null, in the drawing's pixels.
function hover(drawing, find) {
  const mark = shape("circle", { r: 4, class: "mark", visibility: "hidden" });
  drawing.append(mark);
  const under = (event) => {
    const box = drawing.getBoundingClientRect(), [, , width, height] = drawing.getAttribute("viewBox").split(" ").map(Number);
    return find(((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height);
  };
  const leave = () => {
    tip.hidden = true;
    mark.setAttribute("visibility", "hidden");
  };
  drawing.addEventListener("pointermove", (event) => {
    const point = under(event);
    if (!point) return leave();
    tip.textContent = point.words;
    tip.hidden = false;
    tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = (event.clientY + 16 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 16) + "px";
    mark.setAttribute("cx", point.x);
    mark.setAttribute("cy", point.y);
    mark.setAttribute("visibility", "visible");
    drawing.style.cursor = point.open ? "pointer" : "";
  });
  drawing.addEventListener("pointerleave", leave);
  drawing.addEventListener("click", (event) => {
    const point = under(event);
    leave();
    if (point && point.open) point.open();
  });
}

// Every run has one colour and one kind of line on the whole page: the first for the run that is best by the first measure.
const COLOURS = 7, DASHES = ["", "7 2", "1.5 1.5", "7 2 1.5 2", "4 2"];
const hue = (run) => `var(--run-${places[run] % COLOURS})`;
const dashes = (run) => DASHES[Math.floor(places[run] / COLOURS) % DASHES.length] || null;
const chosen = (run) => run === state.a || run === state.b;
// A legend of many runs would hide the curves: only A and B are named then, the others under the pointer.
const named = (run) => data.runs.length <= 8 || chosen(run);

// Curves of all runs over the same x.
function lines(width, onScreen, x, rows, axes, words) {
  const height = lower(onScreen);
  const known = rows.flat().filter((value) => value !== null);
  const high = Math.max(...known) || 1; // nothing at all still has an axis
  const plot = frame(width, height, { low: x[0], high: x[x.length - 1], ...axes.x }, { low: 0, high: high * 1.04, ...axes.y });
  const order = everyRun().sort((one, other) => chosen(one) - chosen(other));
  for (const run of order) {
    let path = "";
    rows[run].forEach((value, place) => { if (value !== null) path += `${path ? "L" : "M"}${plot.atX(x[place]).toFixed(1)} ${plot.atY(value).toFixed(1)}`; });
    const faint = data.runs.length > 8 && !chosen(run);
    plot.drawing.append(shape("path", { d: path, class: "curve" + (chosen(run) ? " bold" : faint ? " faint" : ""), stroke: hue(run), "stroke-dasharray": dashes(run) }));
  }
  hover(plot.drawing, (atX, atY) => {
    let best = null, nearest = 900;
    for (const run of everyRun()) rows[run].forEach((value, place) => {
      if (value === null) return;
      const [px, py] = [plot.atX(x[place]), plot.atY(value)], far = (px - atX) ** 2 + (py - atY) ** 2;
      if (far < nearest) [nearest, best] = [far, { x: px, y: py, words: words(run, place) }];
    });
    return best;
  });
  return [plot.drawing, legend()];
}

function legend() {
  const line = (run) => shape("svg", { width: 26, height: 10 }, shape("path", { d: "M1 5H25", class: "curve" + (chosen(run) ? " bold" : ""), stroke: hue(run), "stroke-dasharray": dashes(run) }));
  return node("div", { class: "legend" }, ...everyRun().filter(named).map((run) => node("span", {}, line(run), " " + data.runs[run])));
}

const MEANS = 12, ROW = 22; // the most runs that the chart of means shows, and the height of each
const meansHeight = (rows) => 56 + ROW * rows;

/** Means of runs on one axis, with their intervals over queries and their brackets. runs: {name, colour, mean, low, high,
 * ci_low, ci_high}; `of`: how many runs there are; `signs`: what the three marks are. */
function meansChart(width, runs, measure, of, signs) {
  const names = runs.map(({ name }) => cut(name, width < 500 ? 14 : 30)), isOpen = ({ low, high }) => low !== null && low !== undefined && show(low) !== show(high);
  const ends = runs.flatMap(({ mean, low, high, ci_low, ci_high }) => [mean, low, high, ci_low, ci_high]).filter(Number.isFinite);
  const [low, high] = [Math.min(...ends), Math.max(...ends)], room = (high - low || Math.abs(high) || 1) * 0.04;
  const left = 12 + Math.max(0, ...names.map(wide)), bottom = 6 + ROW * runs.length, right = width - 20;
  const at = (value) => left + ((value - low + room) / (high - low + 2 * room)) * (right - left);
  const drawing = canvas(width, meansHeight(runs.length));
  for (const value of ticks(low, high, Math.max(2, (right - left) / 90)))
    drawing.append(shape("path", { class: "grid", d: `M${at(value)} 4V${bottom}` }), text(at(value), bottom + 14, String(value), { "text-anchor": "middle" }));
  drawing.append(text((left + right) / 2, bottom + 32, measure.name + (measure.lower ? " (lower is better)" : "") + (runs.length < of ? `, the best ${runs.length} of ${count(of)} runs` : ""), { "text-anchor": "middle", class: "axis" }));
  runs.forEach((run, place) => {
    const y = 6 + ROW * (place + 0.5);
    drawing.append(text(left - 8, y + 4, names[place], { "text-anchor": "end" }));
    if (isOpen(run)) drawing.append(shape("path", { class: "ties", d: `M${at(run.low)} ${y}H${at(run.high)}` }));
    if (Number.isFinite(run.ci_low)) drawing.append(shape("path", { class: "interval", d: `M${at(run.ci_low)} ${y}H${at(run.ci_high)}` }));
    drawing.append(shape("circle", { class: "mean", cx: at(run.mean), cy: y, r: 4.5, style: run.colour ? `fill: ${run.colour}` : null }));
  });
  hover(drawing, (x, y) => {
    const place = Math.floor((y - 6) / ROW), run = runs[place];
    return run === undefined ? null : { x: at(run.mean), y: 6 + ROW * (place + 0.5), words: `${run.name}: ${show(run.mean)}` };
  });
  const sign = (kind, d) => shape("svg", { width: 26, height: 10 }, shape("path", { class: kind, d }));
  return [drawing, node("div", { class: "legend" },
    node("span", {}, shape("svg", { width: 10, height: 10 }, shape("circle", { class: "mean", cx: 5, cy: 5, r: 4 })), ` ${signs.mean}`),
    signs.interval ? node("span", {}, sign("interval", "M0 5H26"), ` ${signs.interval}`) : null,
    runs.some(isOpen) ? node("span", {}, sign("ties", "M0 5H26"), ` ${signs.open}`) : null)];
}

// A field of colours: rows by columns. words(row, column) and open(row, column) are of the cell under the pointer.
function heat(width, cells, rows, columns, words, open) {
  const known = cells.flat().filter((cell) => cell !== null);
  const low = known.reduce((least, cell) => Math.min(least, cell), Infinity), high = known.reduce((most, cell) => Math.max(most, cell), -Infinity);
  const line = Math.min(28, Math.max(5, 640 / rows.length)), step = line >= 9 ? 1 : Math.ceil(9 / line);
  const names = rows.map((name) => cut(name, 22));
  const left = 10 + Math.max(...names.map(wide)), right = width - 6, cell = (right - left) / columns.length;
  const upright = cell >= 10 && columns.length <= 60, below = upright ? 10 + Math.max(...columns.map((name) => wide(cut(name, 16)))) : 6;
  const top = 6, bottom = top + line * rows.length, height = bottom + below + 28;
  const pixels = document.createElement("canvas");
  [pixels.width, pixels.height] = [columns.length, rows.length];
  const brush = pixels.getContext("2d"), picture = brush.createImageData(columns.length, rows.length);
  const rgb = (name) => colour(name).match(/\w\w/g).map((pair) => parseInt(pair, 16));
  const [from, to] = [rgb("panel"), rgb("a")];
  cells.forEach((row, r) => row.forEach((value, c) => {
    if (value === null) return;
    const share = high > low ? (value - low) / (high - low) : 1;
    picture.data.set([...from.map((start, part) => start + share * (to[part] - start)), 255], 4 * (r * columns.length + c));
  }));
  brush.putImageData(picture, 0, 0);
  const drawing = canvas(width, height, shape("image", { href: pixels.toDataURL(), x: left, y: top, width: right - left, height: bottom - top, preserveAspectRatio: "none", class: "pixels" }));
  names.forEach((name, row) => { if (row % step === 0) drawing.append(text(left - 5, top + line * (row + 0.5) + 4, name, { "text-anchor": "end", class: line < 13 ? "small" : null })); });
  if (upright) columns.forEach((name, column) => drawing.append(text(0, 0, cut(name, 16), { "text-anchor": "end", class: "small", transform: `translate(${left + cell * (column + 0.5) + 4} ${bottom + 6}) rotate(-90)` })));
  if (known.length) {
    const y = height - 16;
    const steps = [...Array(24).keys()].map((part) => shape("rect", { x: left + 60 + 5 * part, y, width: 5.2, height: 9, fill: `rgb(${from.map((start, of) => Math.round(start + (part / 23) * (to[of] - start))).join()})` }));
    drawing.append(text(left + 54, y + 9, show(low), { "text-anchor": "end", class: "small" }), ...steps, text(left + 186, y + 9, show(high), { class: "small" }));
  }
  hover(drawing, (x, y) => {
    const [row, column] = [Math.floor((y - top) / line), Math.floor((x - left) / cell)];
    if (!(row in rows) || !(column in columns)) return null;
    return { x: left + cell * (column + 0.5), y: top + line * (row + 0.5), words: words(row, column), open: () => open(row, column) };
  });
  return [drawing];
}
