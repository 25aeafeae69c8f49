// What the page knows.

/**
 * @typedef {object} OneFile A file that was dropped.
 * @property {number} number The core's number of it.
 * @property {"qrels" | "run"} kind
 * @property {string} path Its name on the disk.
 * @property {string} name The run's name, as `untied eval` has it.
 * @property {Blob} blob
 * @property {any} held What the core found in it.
 */

const DEFAULTS = { ...Object.fromEntries(POLICIES.filter(({ name }) => name !== "adjust").map(({ name, choices }) => [name, choices[0].name])), ties: "range" };
const state = {
  theme: "light",
  /** @type {OneFile[]} */ files: [],
  isExample: false,
  measures: ["AP", "nDCG@10", "RR"],
  policies: { ...DEFAULTS },
  /** Evaluations by the run's number. @type {Map<number, any>} */ values: new Map(),
  /** Who leads, see `leadOf`; null until that is known. @type {any} */ lead: null,
  trouble: "", adding: false,
  /** Files that cannot be used, and why; each stays until it is removed or replaced. @type {{path: string, why: string}[]} */ broken: [],
  /** What is to be known about the last files. */ notice: "",
  /** What `untied check` finds, by the run's number, for these judgments. @type {Map<number, any>} */ checks: new Map(),
  /** Whether the reader chose the two runs. */ hasChosen: false,
  measure: 0, a: -1, b: -1, query: "", depth: 10, queryFilter: "",
};

const runs = () => state.files.filter((file) => file.kind === "run");
const qrels = () => state.files.find((file) => file.kind === "qrels");
const file = (/** @type {number} */ number) => state.files.find((one) => one.number === number);
const isLarge = (/** @type {number} */ number) => Boolean(file(number)?.held?.large);

const many = (/** @type {number} */ n, one, more) => `${count(n)} ${n === 1 ? one : more}`;
const queries = (n) => many(n, "query", "queries");

work.held = () => state.files.filter((one) => one.held);

function reveal(id) {
  document.getElementById(id).scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

function fail(error) {
  if (!(error instanceof Cancelled)) change({ trouble: error.message });
}

/** A drawing that waits for the core. Only its last start counts: `draw` asks `isLast` before it shows anything, and an
 * error of an earlier start is dropped, because it may speak of files that are closed.
 * @param {(isLast: () => boolean, ...what: any[]) => Promise<void>} draw */
function restartable(draw) {
  let starts = 0;
  return {
    start(...what) {
      const mine = ++starts, isLast = () => mine === starts;
      draw(isLast, ...what).catch((error) => { if (isLast()) fail(error); });
    },
    stop() { starts++; },
  };
}
