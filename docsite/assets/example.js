// The worked example of a measure, which readers can edit. The core is loaded when the example is first touched.
const EXAMPLE = document.querySelector(".example[data-measure]");
const CORE = new URL("core.js", document.currentScript.src).href;
const GRADES = [["", "not judged"], ["0", "0"], ["1", "1"], ["2", "2"], ["3", "3"]];
const SETTINGS = { unjudged: "nonrelevant", unretrieved: "none", score_dtype: "float64", queries: "qrels", on_undefined: "nan" };
const LISTED = 24; // orders that are listed
const MOST = 12; // documents
/** Whether the example has two rankings instead of one and grades. */
const IS_PAIR = EXAMPLE?.querySelector(".documents th:last-child").textContent === "in the second";

/**
 * @typedef {object} Entry A document; what is empty it does not have.
 * @property {string} doc
 * @property {string} score
 * @property {string} third Its grade, or its score in the second ranking.
 * @property {HTMLElement} row
 */
/** @type {Entry[]} */
let entries = [];

/** A text as a file of the core. @implements {Source} */
class Text {
  /** @param {string} text */
  constructor(text) { [this.bytes, this.at] = [new TextEncoder().encode(text), 0]; }
  rewind() { this.at = 0; }
  /** @param {Uint8Array} into */
  read(into) {
    const part = this.bytes.subarray(this.at, this.at + into.length);
    into.set(part);
    this.at += part.length;
    return part.length;
  }
}

// The core, and the facts of measures by their names.
const core = {
  files: new Map(), started: null,

  start() {
    this.started ??= new Promise((done, failed) => {
      document.head.append(node("script", { src: CORE, onload: done, onerror: () => failed(new Error("the core cannot be loaded")) }));
    }).then(async () => {
      const packed = new Blob([Uint8Array.from(atob(MODULE), (letter) => letter.charCodeAt(0))]).stream();
      const code = await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
      const ask = await startCore(code, this.files);
      const infos = ask({ do: "measures" }).families.flatMap((family) => family.measures);
      return { ask, infos: new Map(infos.map((info) => [info.name, info])) };
    });
    return this.started;
  },

  /** Give the core a file. */
  open(ask, file, kind, text) {
    this.files.set(file, new Text(text));
    ask({ do: "open", file, kind, name: "the example", bytes: text.length });
  },

  /** Values of a measure for rankings that are queries with the same grades. */
  evaluate(ask, measure, rankings, grades, policies) {
    const ids = [...rankings.keys()];
    this.open(ask, 0, "qrels", ids.flatMap((id) => grades.map(({ doc, third }) => `${id} 0 ${doc} ${third}\n`)).join(""));
    this.open(ask, 1, "run", ids.map((id) => lines(id, rankings[id])).join(""));
    const found = ask({ do: "evaluate", qrels: 0, run: 1, measures: [measure], ...SETTINGS, ...policies });
    const columns = Object.entries(found.values[0]).map(([name, column]) => [name, ordered(found.queries, column)]);
    return { ...Object.fromEntries(columns), certainty: found.totals[0].certainty };
  },

  /** Values of a measure for pairs of rankings. */
  compare(ask, measure, pairs) {
    for (const side of [0, 1]) this.open(ask, side + 2, "run", pairs.map((pair, id) => lines(id, pair[side])).join(""));
    const found = ask({ do: "compare", a: 2, b: 3, measures: [measure], ties: "expected", score_dtype: "float64" });
    return ordered(found.queries, found.values.map(([value]) => value));
  },

  /** The mean over all grades of unjudged documents; null where that is not known. */
  bounds(...given) {
    try {
      return this.evaluate(...given, { ties: "expected", unjudged: "range" });
    } catch {
      return null;
    }
  },
};

const lines = (id, ranking) => ranking.map(({ doc, score }) => `${id} Q0 ${doc} 0 ${score} example\n`).join("");

/** What the core gives in the order of the ids of queries as text, in that of their numbers. */
function ordered(queries, values) {
  const all = [];
  queries.forEach((id, row) => { all[Number(id)] = values[row] === "inf" ? Infinity : values[row]; });
  return all;
}

// Rankings

const isScore = (text) => text.trim() !== "" && Number.isFinite(Number(text));
const isRetrieved = ({ score }) => isScore(score);

/** The retrieved documents by their scores: one list for each score. @returns {Entry[][]} */
function ranked(all = entries) {
  const groups = [];
  for (const entry of all.filter(isRetrieved).sort((x, y) => Number(y.score) - Number(x.score))) {
    if (groups.length && Number(groups.at(-1)[0].score) === Number(entry.score)) groups.at(-1).push(entry);
    else groups.push([entry]);
  }
  return groups;
}

const permutations = (list) => (list.length < 2 ? [list] : list.flatMap((one, place) => permutations(list.toSpliced(place, 1)).map((rest) => [one, ...rest])));
const orders = (groups) => groups.map(permutations).reduce((before, each) => before.flatMap((start) => each.map((group) => [...start, group])), [[]]);
const countOrders = (groups) => groups.reduce((product, { length }) => product * Array.from({ length }, (_, n) => n + 1).reduce((x, y) => x * y, 1), 1);

/** Tie a document and those that have its score with the one above, or untie them. @param {Entry} entry */
function tie(entry) {
  const groups = ranked(), place = groups.findIndex((group) => group.includes(entry)), within = groups[place].indexOf(entry);
  if (within === 0) groups[place].forEach((one) => set(one, groups[place - 1][0].score));
  else {
    const own = Number(entry.score), below = groups[place + 1];
    const score = String(below ? (own + Number(below[0].score)) / 2 : own - 1);
    groups[place].slice(within).forEach((one) => set(one, score));
  }
  arrange();
  update();
}

function set(entry, score) {
  entry.score = entry.row.querySelector("input").value = score;
}

// What is shown

/** Put rows into the order of the ranking, and mark what is tied. */
function arrange() {
  const groups = ranked(), held = document.activeElement;
  const all = [...groups.flat(), ...entries.filter((entry) => !isRetrieved(entry))];
  const body = EXAMPLE.querySelector(".documents tbody");
  if (all.some(({ row }, place) => body.children[place] !== row)) {
    body.append(...all.map(({ row }) => row));
    if (body.contains(held)) held.focus();
  }
  entries = all;
  const tied = new Map(groups.flatMap((group) => group.map((entry, place) => [entry, [group.length > 1, place > 0]])));
  all.forEach((entry, place) => {
    const [isTied, isPressed] = tied.get(entry) ?? [false, false], button = entry.row.querySelector("button");
    entry.row.className = isTied ? "tied" : IS_PAIR || isRetrieved(entry) ? "" : "absent";
    button.hidden = place === 0 || !isRetrieved(entry);
    button.setAttribute("aria-pressed", String(isPressed));
    if (!button.hidden) button.setAttribute("aria-label", `Tie ${entry.doc} with ${all[place - 1].doc}`);
  });
}

/** @param {string} doc @param {string} score @param {string} third @returns {Entry} */
function entryOf(doc, score, third) {
  const entry = { doc, score, third, row: null };
  const box = (name, label) => {
    const input = node("input", { type: "number", step: "any", value: entry[name], placeholder: "none", "aria-label": label,
      oninput: () => { entry[name] = input.value; update(); },
      onchange: () => setTimeout(arrange) }); // when the focus has moved on
    return input;
  };
  const scores = box("score", IS_PAIR ? `score of ${doc} in the first ranking` : `score of ${doc}`);
  const grades = IS_PAIR ? box("third", `score of ${doc} in the second ranking`)
    : node("select", { "aria-label": `grade of ${doc}`, onchange: () => { entry.third = grades.value; update(); } },
      ...GRADES.map(([value, words]) => node("option", { value }, words)));
  grades.value = third;
  entry.row = node("tr", {}, node("th", { scope: "row" }, doc), node("td", {}, scores),
    node("td", {}, node("button", { type: "button", class: "tie", title: "tie with the document above", onclick: () => tie(entry) }, "tie ↑")),
    node("td", {}, grades));
  return entry;
}

function number(value, digits = 4) {
  if (value === null) return "undefined";
  const words = value === Infinity ? "inf" : Number.isInteger(value) && digits === 4 ? String(value) : fixed(value, digits);
  return node("data", { value: Object.is(value, -0) ? "-0.0" : String(value) }, words);
}

function line(kind, words, ...cell) {
  return node("tr", { class: kind }, node("th", { scope: "row" }, ...words), node("td", {}, ...cell));
}

/** The values of what stands in the table now. */
function draw({ ask, infos }) {
  const { name, measure, compares } = ask({ do: "name", measure: EXAMPLE.querySelector(".measure input").value });
  if (compares !== IS_PAIR) throw new Error(compares ? `${name} compares two rankings; this example has one` : `${name} scores one ranking; this example has two`);
  const info = infos.get(measure);
  if (!info?.plain) throw new Error(`${name} needs more than grades; see its own page`);
  (IS_PAIR ? drawPair : drawOne)(ask, name, info);
}

/** Rows of values, the line that shows them, and orders with their values. */
function present(name, info, [low, mean, high], rows, listed) {
  const found = EXAMPLE.querySelector(".found"), [scale, summary, listing] = found.children;
  scale.hidden = !info.range.startsWith("0 to 1") || ![low, mean, high].every((one) => one !== null && one >= 0 && one <= 1);
  Object.entries({ low, mean, high }).forEach(([part, place]) => scale.style.setProperty(`--${part}`, String(place)));
  summary.querySelector("tbody").replaceChildren(...rows);
  const heads = found.querySelectorAll("thead code");
  if ([...heads].some((head) => head.textContent !== name)) heads.forEach((head) => { head.textContent = name; });
  listing.hidden = !listed.length;
  listing.querySelector("tbody").replaceChildren(...listed.map(([order, value]) => line(null, words(order), number(value))));
}

/** An order in words: what is tied with an underline. */
const words = (order) => order.flatMap((group, place) => [place ? " " : "", group.length > 1 ? node("b", {}, group.map(({ doc }) => doc).join(" ")) : group[0].doc]);
const strict = (order) => order.flat().map(({ doc }, place) => ({ doc, score: -place }));
const sure = (certainty) => (certainty === "exact" ? "" : ` (${certainty})`);

function drawPair(ask, name, info) {
  const sides = [ranked(), ranked(entries.map(({ doc, third }) => ({ doc, score: third })))];
  if (!sides.every(({ length }) => length)) throw new Error("one of the rankings has no document");
  const [value] = core.compare(ask, name, [sides.map((groups) => groups.flat())]);
  const numberOr = (end) => (end === null ? "not known" : number(end));
  const rows = [
    line("mean", ["of the tied rankings"], number(value.mean), sure(value.certainty)),
    line("ends", ["lowest, highest"], numberOr(value.low), ", ", numberOr(value.high)),
  ];
  const many = countOrders(sides[0]) * countOrders(sides[1]);
  const pairs = many > LISTED || many === 1 ? [] : orders(sides[0]).flatMap((first) => orders(sides[1]).map((second) => [first, second]));
  const each = pairs.length ? core.compare(ask, name, pairs.map((pair) => pair.map(strict))) : [];
  const both = countOrders(sides[1]) > 1; // else the second ranking is the same in all
  const listed = pairs.map(([first, second], place) => [both ? [...first, [{ doc: "/" }], ...second] : first, each[place].mean]);
  present(name, info, [value.low, value.mean, value.high], rows, listed);
}

function drawOne(ask, name, info) {
  const groups = ranked(), grades = entries.filter(({ third }) => third !== "");
  if (!groups.length) throw new Error("no document has a score");
  if (!grades.length) throw new Error("no document is judged");
  const open = groups.flat().filter(({ third }) => third === "").map(({ doc }) => doc);
  const value = core.evaluate(ask, name, [groups.flat()], grades, { ties: "range", variance: true });
  const [mean, low, high] = [value.mean[0], value.low[0], value.high[0]];
  const many = countOrders(groups);
  const whole = info.name === "PRR" ? "of the tied ranking" : many === 1 ? "value" : `mean over all ${count(many)} orders`;
  const rows = [
    line("mean", [whole], number(mean), sure(value.certainty)),
    line("ends", ["lowest, highest"], number(low), ", ", number(high)),
    line("variance", ["variance"], mean !== null && value.variance[0] === null ? "not known" : number(value.variance[0], 6)),
  ];
  const bounds = open.length ? core.bounds(ask, name, [groups.flat()], grades) : null;
  if (bounds) {
    rows.push(line("bounds", [`lowest, highest mean over grades of ${open.join(", ")}`], number(bounds.low[0]), ", ", number(bounds.high[0])));
  }
  const all = many > LISTED || many === 1 ? [] : orders(groups);
  const each = all.length ? core.evaluate(ask, name, all.map(strict), grades, { ties: "expected" }).mean : [];
  present(name, info, [low, mean, high], rows, all.map((order, place) => [order, each[place]]));
}

let updates = 0;

async function update() {
  const mine = ++updates, said = EXAMPLE.querySelector(".trouble");
  try {
    const started = await core.start();
    if (mine === updates) draw(started);
    said.textContent = "";
  } catch (error) {
    said.textContent = error.message;
  }
  EXAMPLE.classList.toggle("stale", said.textContent !== "");
}

// The table as it is on the page becomes one of inputs.
function edit() {
  const body = EXAMPLE.querySelector(".documents tbody");
  const first = [...body.rows].map((row) => [...row.cells].map((cell) => cell.textContent))
    .map((row) => row.map((text) => (text.startsWith("not ") ? "" : text)));
  const begin = () => {
    entries = first.map((row) => entryOf(...row));
    body.replaceChildren(...entries.map(({ row }) => row));
    measure.value = EXAMPLE.dataset.measure;
    more.disabled = false;
    arrange();
  };
  const measure = node("input", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", oninput: update });
  const more = node("button", { type: "button", onclick: () => {
    const doc = String.fromCharCode(97 + entries.length), scores = entries.filter(isRetrieved).map(({ score }) => Number(score));
    const entry = entryOf(doc, String(Math.min(1, ...scores) - 1), IS_PAIR ? "" : "0");
    entries.push(entry);
    body.append(entry.row);
    more.disabled = entries.length === MOST;
    arrange();
    update();
  } }, "Add a document");
  const reset = node("button", { type: "button", onclick: () => { begin(); update(); } }, "Start over");
  EXAMPLE.querySelector(".documents thead tr").cells[1].after(node("td", {}));
  const left = node("div", { class: "given" }, node("label", { class: "measure" }, "Measure ", measure));
  EXAMPLE.prepend(left);
  left.append(EXAMPLE.querySelector(".documents"), node("div", { class: "buttons" }, more, reset),
    node("p", { class: "trouble", role: "alert" }));
  const found = EXAMPLE.querySelector(".found");
  found.querySelector(".summary").setAttribute("aria-live", "polite");
  for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", "Orders"]]) found.querySelector(".listing").setAttribute(name, value); // it scrolls
  EXAMPLE.before(node("p", { class: "hint" }, `Change ${IS_PAIR ? "scores" : "scores and grades"}, or tie a document with the one above it, and see what becomes of the values:`));
  begin();
  for (const touch of ["pointerdown", "focusin"]) EXAMPLE.addEventListener(touch, () => { core.start().catch(() => {}); }, { once: true });
}

if (EXAMPLE) edit();
