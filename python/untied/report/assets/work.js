// The core's worker: requests to it, their progress, and their end.

// What the page holds, packed, as bytes.
const unpacked = (text) => new Response(new Blob([Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip"))).blob();

// Infinity has no number in JSON.
const decoded = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : Array.isArray(value) ? value.map(decoded) : value);

class Cancelled extends Error {}

// Requests to the core, one after the other. To cancel them, the worker is ended and another one begins.
const work = {
  worker: null, module: null, waiting: new Map(), last: 0,
  // A page says which files a new worker reads again, and what is to be waited for before the first request.
  /** @type {() => any[]} */ held: () => [],
  /** @type {() => Promise<void>} */ ready: async () => {},

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

  /** Give the core a file, of text or as the core stores it. @param {{number: number, kind: string, path: string, blob: Blob, stored?: boolean}} one */
  open(one) {
    this.worker.postMessage({ file: one.number, blob: one.blob, name: one.path });
    return this.ask({ do: "open", file: one.number, kind: one.kind, name: one.path, bytes: one.blob.size, stored: one.stored }, `reading ${one.path}`);
  },

  cancel() {
    this.worker.terminate();
    const stopped = [...this.waiting.values()];
    this.waiting.clear();
    this.start();
    for (const one of this.held()) this.open(one).catch(() => {});
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
