"use strict";
// What all parts of the page share. Text from the data only ever becomes text nodes, never markup.
const data = JSON.parse(document.getElementById("data").textContent);
const comparing = data.kind === "comparison";
const state = { measure: 0, a: 0, b: data.runs.length > 1 ? 1 : 0, query: 0, distance: 0 };
if (data.baseline !== null) {
  state.b = data.baseline;
  state.a = data.runs.findIndex((_, run) => run !== data.baseline);
  if (state.a < 0) state.a = data.baseline;
}
const redraw = []; // what to call after a change of state or theme

function node(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function section(id, title, about) {
  const made = node("section", { id, "aria-labelledby": id + "-title" },
    node("h2", { id: id + "-title" }, title), node("p", { class: "about" }, about));
  document.getElementById("main").append(made);
  return made;
}

function change(changes) {
  Object.assign(state, changes);
  redraw.forEach((draw) => draw());
}

// Rounded once, from the whole value, and halves to even, as the commands do: toFixed rounds them up.
function fixed(value, digits) {
  const halves = Math.abs(value) * 2 ** (digits + 1); // exact; odd just where the value lies in the middle of two decimals
  if (!Number.isSafeInteger(halves) || halves % 2 === 0) return value.toFixed(digits);
  const below = (halves * 5 ** digits - 1) / 2;
  return (value < 0 ? "-" : "") + ((below + (below % 2)) / 10 ** digits).toFixed(digits);
}

function show(value, digits = 4) {
  return value === null || value === undefined ? "–" : fixed(value, digits);
}

function signed(value, digits = 4) {
  return value === null || value === undefined ? "–" : (value > 0 ? "+" : value < 0 ? "−" : "±") + fixed(Math.abs(value), digits);
}

// As untied stats has it: small where it matters.
function chance(p) {
  return p === null || p >= 1e-4 ? show(p) : p.toExponential(0).replace(/e-(\d)$/, "e-0$1");
}

const percent = (value) => (value === null ? "–" : fixed(100 * value, 1) + " %");
const whole = () => data.of === data.queries.length; // whether the page holds all queries
const count = (n) => n.toLocaleString("en");
const selection = () => `the ${count(data.queries.length)} of ${count(data.of)} queries ` + (comparing ? `that differ most by ${data.measures[0].name}`
  : data.runs.length < 2 ? "that this page holds, evenly spread over the values" : "in which the runs differ most, by each measure in turn");
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const about = (measure) => [measure.title, measure.equation, "range: " + measure.range, measure.reference].join("\n");
const key = () => data.measures[state.measure];

// Plotly reads a little markup in labels; ids must not be read as such.
const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

const HUES = [212, 20, 145, 285, 45, 185, 330, 95, 250, 0];
function hue(run) {
  const round = Math.floor(run / HUES.length);
  const dark = document.documentElement.dataset.theme === "dark";
  return `hsl(${HUES[run % HUES.length]}, ${65 - 12 * (round % 3)}%, ${(dark ? 66 : 42) + 6 * (round % 4)}%)`;
}

function draw(where, traces, layout) {
  const line = colour("line");
  const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true };
  const whole = {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: { l: 50, r: 12, t: 12, b: 42 },
    font: { color: colour("ink"), family: "system-ui, sans-serif", size: 12 }, hovermode: "closest",
    hoverlabel: { bgcolor: colour("panel"), font: { color: colour("ink") }, bordercolor: line },
    legend: { orientation: "h", y: -0.25, yanchor: "top" }, ...layout,
    xaxis: { ...axis, ...(layout.xaxis || {}) }, yaxis: { ...axis, ...(layout.yaxis || {}) },
  };
  return whenSeen(where, () => Plotly.react(where, traces, whole, { responsive: true, displayModeBar: false }));
}

// Charts are drawn when they come into view: a page with many runs opens at once.
const jobs = new Map();
const seen = new WeakSet();
const watcher = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => due(entry.target)), { rootMargin: "300px" });

function due(where) {
  watcher.unobserve(where);
  seen.add(where);
  const job = jobs.get(where);
  jobs.delete(where);
  if (job) job();
}

function whenSeen(where, work) {
  if (seen.has(where)) return work();
  return new Promise((resolve) => {
    jobs.set(where, () => resolve(work()));
    // The library for charts stands at the end of the page.
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => watcher.observe(where), { once: true });
    else watcher.observe(where);
  });
}

addEventListener("beforeprint", () => [...jobs.keys()].forEach(due));

function choice(label, names, now, chosen) {
  const select = node("select", { onchange: (event) => chosen(Number(event.target.value)) },
    ...names.map((name, number) => node("option", { value: number }, name)));
  select.value = now();
  redraw.push(() => { select.value = now(); });
  return node("label", {}, label + " ", select);
}
