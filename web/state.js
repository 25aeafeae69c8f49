// What the page knows, and its worker.

/**
 * @typedef {object} OneFile A file that was dropped.
 * @property {number} number The core's number of it.
 * @property {"qrels" | "run"} kind
 * @property {string} path Its name on the disk.
 * @property {string} name The run's name, as `untied eval` has it.
 * @property {Blob} blob
 * @property {any} held What the core found in it.
 */

const DEFAULTS = { ties: "range", unjudged: "nonrelevant", unretrieved: "none", queries: "qrels", on_undefined: "zero", score_dtype: "float64" };
const state = {
  theme: "light",
  /** @type {OneFile[]} */ files: [],
  isExample: false,
  measures: ["AP", "nDCG@10", "RR"],
  policies: { ...DEFAULTS },
  /** Evaluations by the run's number. @type {Map<number, any>} */ values: new Map(),
  trouble: "",
  /** Whether the reader chose the two runs. */ hasChosen: false,
  measure: 0, a: -1, b: -1, query: "", depth: 10, queryFilter: "",
};

const runs = () => state.files.filter((file) => file.kind === "run");
const qrels = () => state.files.find((file) => file.kind === "qrels");
const file = (/** @type {number} */ number) => state.files.find((one) => one.number === number);
const isLarge = (/** @type {number} */ number) => Boolean(file(number)?.held?.large);

// Infinity has no number in JSON.
const decoded = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : Array.isArray(value) ? value.map(decoded) : value);

class Cancelled extends Error {}

// Requests to the core, one after the other. To cancel them, the worker is ended and another one begins.
const work = {
  worker: null, module: null, waiting: new Map(), last: 0,

  start() {
    const code = document.getElementById("worker").textContent;
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    this.worker = new Worker(url);
    this.worker.onmessage = ({ data }) => {
      if (data.progress) return busy.read(data.progress);
      const { done, failed } = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      busy.show();
      if (data.error === undefined) done(data.answer);
      else failed(new Error(data.error));
    };
    this.worker.postMessage({ module: this.module });
  },

  /** @returns {Promise<any>} */
  ask(request, what) {
    const id = ++this.last;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed, what });
      busy.show();
      this.worker.postMessage({ id, request });
    });
  },

  /** Give the core a file. @param {OneFile} one */
  open(one) {
    this.worker.postMessage({ file: one.number, blob: one.blob, name: one.path });
    return this.ask({ do: "open", file: one.number, kind: one.kind, name: one.path, bytes: one.blob.size }, `reading ${one.path}`);
  },

  cancel() {
    this.worker.terminate();
    const stopped = [...this.waiting.values()];
    this.waiting.clear();
    this.start();
    for (const one of state.files) if (one.held) this.open(one).catch(() => {});
    stopped.forEach(({ failed }) => failed(new Cancelled("cancelled")));
    busy.show();
  },
};

// What is being done, where it takes long enough to be seen.
const busy = {
  box: document.getElementById("busy"), timer: 0,

  show() {
    const first = work.waiting.values().next().value;
    clearTimeout(this.timer);
    if (!first) {
      this.box.hidden = true;
      return;
    }
    this.box.querySelector(".what").textContent = first.what;
    this.box.querySelector("progress").removeAttribute("value");
    this.timer = setTimeout(() => { this.box.hidden = false; }, 150);
  },

  read({ name, done, of }) {
    const bar = this.box.querySelector("progress");
    bar.max = of;
    bar.value = done;
    if (done === of) bar.removeAttribute("value");
    this.box.querySelector(".what").textContent = `reading ${name}, ${count(Math.round(done / 1e6))} of ${count(Math.round(of / 1e6))} MB`;
  },
};

function fail(error) {
  if (!(error instanceof Cancelled)) change({ trouble: error.message });
}
