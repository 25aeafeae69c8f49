"use strict";
// What all parts of a page share. Text from data only ever becomes text nodes, never markup. A page has a `state`, which comes after this.

function node(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A section of the page; the hint says what a click does, and is not printed. */
function section(id, title, about, hint) {
  const made = node("section", { id, "aria-labelledby": id + "-title" }, node("h2", { id: id + "-title" }, title),
    about ? node("p", { class: "about" }, about, hint ? node("span", { class: "screen" }, " " + hint) : null) : null);
  document.getElementById("main").append(made);
  return made;
}

// What to draw again after a change of the named parts of the state.
const watchers = [];

function follow(names, draw) {
  watchers.push([names.split(" "), draw]);
  draw();
}

function forgetWatchers() {
  watchers.length = 0;
}

function change(changes) {
  const changed = Object.keys(changes).filter((name) => state[name] !== changes[name]);
  Object.assign(state, changes);
  for (const [names, draw] of watchers) if (names.some((name) => changed.includes(name))) draw();
}

// Rounded once, from the whole value, and halves to even, as the commands do: toFixed rounds them up.
function fixed(value, digits) {
  const size = Math.abs(value), halves = size * 2 ** (digits + 1); // exact; odd just where the value lies in the middle of two decimals
  let text = size.toFixed(digits);
  if (Number.isSafeInteger(halves) && halves % 2 !== 0) {
    const below = (halves * 5 ** digits - 1) / 2;
    text = ((below + (below % 2)) / 10 ** digits).toFixed(digits);
  }
  return value < 0 && Number(text) !== 0 ? `-${text}` : text; // never -0.0000
}

function show(value, digits = 4) {
  return value === null || value === undefined ? "–" : Number.isFinite(value) ? fixed(value, digits) : value > 0 ? "inf" : "-inf";
}

function signed(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  const text = fixed(Math.abs(value), digits);
  return Number(text) === 0 ? text : (value > 0 ? "+" : "−") + text;
}

// A difference of two values, or of two means: 0 if it is only rounding, by the core's rule (its module equality).
const isRounding = (gap, size) => Number.isFinite(gap) && Math.abs(gap) <= 1e-12 * size + 1e-15;
const minus = (x, y) => (x === y || isRounding(x - y, Math.max(Math.abs(x), Math.abs(y))) ? 0 : x - y);

/** Places of values, the best first and those without a value last; equal ones keep their order, as in the core. */
function bestFirst(values, lower) {
  const worth = (place) => (values[place] ?? null) === null ? -Infinity : lower ? -values[place] : values[place];
  const places = values.map((_, place) => place).sort((x, y) => worth(y) - worth(x) || x - y);
  const order = [];
  while (order.length < places.length) {
    const rest = places.slice(order.length), end = rest.findIndex((place) => minus(worth(place), worth(rest[0])) !== 0);
    order.push(...rest.slice(0, end < 0 ? rest.length : end).sort((x, y) => x - y));
  }
  return order;
}

// A p-value in a sentence.
const chance = (p) => (p === null ? "p unknown" : p < 1e-4 ? "p < 0.0001" : `p = ${show(p)}`);

// With as many more decimals as tell a share from none and all.
function inPercent(share) {
  const rest = 100 * Math.min(share, 1 - share);
  return fixed(100 * share, rest > 0 && rest < 0.1 ? Math.max(2, -Math.floor(Math.log10(rest) + 1e-9)) : 1);
}

const percent = (share) => (share === null ? "–" : inPercent(share) + "\u00a0%");
const count = (n) => n.toLocaleString("en");
/** A number of queries in words. */
const queriesOf = (number) => `${count(number)} ${number === 1 ? "query" : "queries"}`;
const cut = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// What a reader typed into a filter box, against an id and its text.
const matches = (filter, ...texts) => texts.some((text) => text && text.toLowerCase().includes(filter.toLowerCase()));

function choice(label, names, name) {
  const select = node("select", { onchange: () => change({ [name]: Number(select.value) }) },
    ...names.map((text, number) => node("option", { value: number }, text)));
  follow(name, () => { select.value = state[name]; });
  return node("label", {}, label + " ", select);
}

/** A drawing that waits for the core. Only its last start counts: `draw` asks `isLast` before it shows anything, and what an
 * earlier start could not do is dropped, because it may be about what the page no longer shows.
 * @param {(isLast: () => boolean, ...what: any[]) => Promise<void>} draw @param {(words: string) => void} fail */
function restartable(draw, fail) {
  let starts = 0;
  return {
    start(...what) {
      const mine = ++starts, isLast = () => mine === starts;
      draw(isLast, ...what).catch((error) => { if (isLast()) fail(error.message); });
    },
    stop() { starts++; },
  };
}

function filterBox(label, name) {
  const box = node("input", { type: "search", placeholder: label, "aria-label": label, oninput: () => change({ [name]: box.value.trim() }) });
  return box;
}
