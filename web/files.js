// The files: dropped, chosen, or the example.

/**
 * @typedef {object} OneFile A file that was dropped.
 * @property {number} number The core's number of it.
 * @property {"qrels" | "run"} kind
 * @property {string} path Its name on the disk.
 * @property {string} name The run's name, as `untied eval` has it.
 * @property {Blob} blob
 * @property {any} held What the core found in it.
 */
Object.assign(state, {
  /** @type {OneFile[]} */ files: [],
  isExample: false, adding: false,
  /** Files that cannot be used, and why; each stays until it is removed or replaced. @type {{path: string, why: string}[]} */ broken: [],
  /** What is to be known about the last files. */ notice: "",
});
const DEFAULTS = { ...Object.fromEntries(POLICIES.filter(({ name }) => name !== "adjust").map(({ name, choices }) => [name, choices[0].name])), ties: "range" };
let numbered = 0;
const EXAMPLE = Object.entries(held.example);
const allRuns = () => state.files.filter((file) => file.kind === "run");
const qrels = () => state.files.find((file) => file.kind === "qrels");
const many = (/** @type {number} */ n, one, more) => `${count(n)} ${n === 1 ? one : more}`;
const queriesWords = (n) => many(n, "query", "queries");
work.held = () => state.files.filter((one) => one.held);

/** The first line that is not blank or a comment, of a file that may be gzipped. @param {Blob} blob */
async function firstLine(blob) {
  const head = blob.slice(0, 1 << 16);
  const packed = new Uint8Array(await head.slice(0, 2).arrayBuffer());
  let text = "";
  if (packed[0] === 0x1f && packed[1] === 0x8b) {
    const reader = head.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    try {
      for (let part = await reader.read(); !part.done && text.length < 1 << 16; part = await reader.read()) text += new TextDecoder().decode(part.value);
    } catch { /* the head is no whole archive; what is wrong with the file itself the core says */ }
  } else text = await head.text();
  return text.split("\n").map((line) => line.trim()).find((line) => line && !line.startsWith("#")) ?? "";
}

// As untied eval calls it: without the suffix of an archive and one of a format.
function runName(path) {
  const unpacked = path.replace(/\.(gz|zst|xz)$/, "");
  return unpacked.replace(/(?<=[^.])\.[^.]*$/, "") || unpacked;
}

/** Name a file that cannot be used. @param {string} path @param {Error} error */
function breaks(path, error) {
  const said = error instanceof Cancelled ? "reading it was cancelled" : error.message;
  const why = said.startsWith(path) ? said : `${path}: ${said}`;
  change({ broken: [...state.broken.filter((one) => one.path !== path), { path, why }] });
}

/** Read files, judgments before runs. @param {{path: string, blob: Blob}[]} given */
async function add(given) {
  const opened = [];
  change({ adding: true, notice: "", broken: state.broken.filter(({ path }) => !given.some((one) => one.path === path)) });
  for (const { path, blob } of given) {
    let line;
    try {
      line = await firstLine(blob);
    } catch {
      breaks(path, new Error("expected a file, found something that cannot be read (a folder?)"));
      continue;
    }
    if (/^[{[]/.test(line)) {
      breaks(path, new Error("expected TREC's format, the only one that this page reads, found JSON; untied eval reads JSON on the command line"));
      continue;
    }
    const fields = line.split(/\s+/).length;
    const kind = fields === 4 || (fields !== 6 && /qrels/i.test(path)) ? "qrels" : "run";
    opened.push({ number: numbered++, kind, path, name: runName(path), blob, held: null });
  }
  opened.sort((x, y) => (x.kind === "qrels" ? 0 : 1) - (y.kind === "qrels" ? 0 : 1));
  for (const one of opened) {
    try {
      one.held = await work.open(one);
    } catch (error) {
      breaks(one.path, error);
      continue;
    }
    const before = one.kind === "qrels" && qrels();
    if (before) {
      forget([before]);
      change({ notice: `The judgments of ${one.path} replaced those of ${before.path}: one file of judgments is used at a time.` });
    }
    for (let place = 2; one.kind === "run" && allRuns().some((other) => other.name === one.name); place++) one.name = `${runName(one.path)} (${place})`;
    change({ files: [...state.files, one] });
  }
  change({ adding: false });
  await filesChanged();
}

/** Close files. @param {OneFile[]} closed */
function forget(closed, changes = {}) {
  change({ ...changes, files: state.files.filter((one) => !closed.includes(one)) });
  answers.clear();
  wanted += 1; // what is under way is of other files
  for (const one of closed) work.ask({ do: "forget", file: one.number }, `closing ${one.path}`).catch(() => {});
}

/** @param {OneFile} one */
async function remove(one) {
  forget([one]);
  await filesChanged();
}

/** Evaluate what is there now; what the page shows until then is of other files. */
async function filesChanged() {
  const baseline = state.baseline === null ? -1 : allRuns().findIndex(({ name }) => name === made?.runs[state.baseline]);
  change({ baseline: baseline < 0 ? null : baseline });
  accepted = null;
  await evaluate();
}

/** What is still needed before there are scores. */
function lacking() {
  if (state.adding || (state.isExample && !state.files.length)) return "";
  if (!qrels() && !allRuns().length) return state.broken.length ? "None of these files can be used." : "";
  if (!qrels()) return `Add judgments (qrels) to see scores.${allRuns().length > 1 ? " Without them, two runs are compared below." : ""}`;
  return allRuns().length ? "" : "Add a run to see scores.";
}

/** @param {FileList} list */
async function drop(list) {
  if (state.isExample) forget(state.files, { isExample: false });
  await add([...list].map((blob) => ({ path: blob.name, blob })));
}

async function takeExample() {
  forget(state.files, { isExample: true, broken: [] });
  await add(await Promise.all(EXAMPLE.map(async ([path, text]) => ({ path, blob: await unpacked(text) }))));
}

function filesSection() {
  const where = node("section", { id: "files", "aria-label": "Files" });
  const input = node("input", { type: "file", multiple: true, id: "choose", onchange: () => { drop(input.files); } });
  const zone = node("label", { class: "drop", for: "choose" },
    node("b", {}, "Drop files here, or click to choose them"), input,
    node("span", { class: "sub" }, node("span", { class: "formats" }, "One file of relevance judgments (qrels: query, iteration, document, grade) and any number of runs (query, Q0, document, rank, score, tag), as text or .gz. "),
      node("b", {}, "Nothing leaves your computer:"), " this page contains the whole program and cannot make requests. You can save it and use it offline."));
  const lead = node("p", { class: "lead" }, "Scores of search results, and how far ", node("b", {}, "tied scores"), " and ", node("b", {}, "missing judgments"), " could move each of them. ",
    node("span", { id: "of-example" }, "Below is an example; drop your own files to replace it."));
  const list = node("ul", { class: "files" }), broken = node("ul", { class: "broken", role: "alert" });
  const missing = node("p", { class: "missing", role: "status" }), notice = node("p", { class: "note notice", role: "status" });
  const again = node("button", { type: "button", id: "take", onclick: () => { takeExample(); } }, "Back to the example");
  // On a phone the scores come first.
  const number = node("summary"), all = node("details", { class: "all", open: !matchMedia("(max-width: 640px)").matches }, number, list);
  where.append(lead, zone, broken, missing, notice, all, node("div", { class: "bar" }, again));
  document.querySelector(".live").prepend(where);
  for (const name of ["dragover", "drop"]) document.addEventListener(name, (event) => event.preventDefault());
  document.addEventListener("dragover", () => zone.classList.add("over"));
  for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => zone.classList.remove("over"));
  document.addEventListener("drop", (event) => { if (event.dataTransfer.files.length) drop(event.dataTransfer.files); });
  follow("notice", () => { notice.textContent = state.notice; });
  follow("broken", () => {
    broken.replaceChildren(...state.broken.map((one) => node("li", {}, node("b", {}, "Not used: "), node("span", { class: "why" }, one.why),
      node("button", { type: "button", "aria-label": `Dismiss ${one.path}`, onclick: () => change({ broken: state.broken.filter((other) => other !== one) }) }, "×"))));
  });
  follow("files broken adding isExample", () => { missing.textContent = lacking(); });
  follow("files isExample", () => {
    again.hidden = state.isExample && state.files.length === EXAMPLE.length;
    all.hidden = !state.files.length;
    number.textContent = `${many(state.files.length, "file", "files")}${state.isExample ? " of the example" : ""}`;
    document.getElementById("of-example")?.toggleAttribute("hidden", !state.isExample);
    list.replaceChildren(
      ...(state.isExample ? [node("li", { class: "note" }, "The example: relevance judgments and four runs submitted to CLEF TAR 2017.")] : []),
      ...state.files.map((one) => node("li", { class: "file" },
        node("b", {}, one.path), " ",
        node("span", { class: "sub" }, one.held.large ? `run, ${count(Math.round(one.blob.size / 1e6))} MB, read query by query`
          : one.kind === "qrels" ? `${many(one.held.rows, "judgment", "judgments")} of ${queriesWords(one.held.queries)}`
          : `run of ${queriesWords(one.held.queries)}, ${many(one.held.rows, "document", "documents")}, ${count(one.held.tied)} tied`),
        node("button", { type: "button", "aria-label": `Remove ${one.path}`, onclick: () => { remove(one); } }, "×"))));
  });
}
