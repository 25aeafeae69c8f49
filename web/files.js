// The files: dropped, chosen, or the example.
let numbered = 0;
const EXAMPLE = Object.entries(JSON.parse(document.getElementById("example").textContent));

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
  const made = [];
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
    made.push({ number: numbered++, kind, path, name: runName(path), blob, held: null });
  }
  made.sort((x, y) => (x.kind === "qrels" ? 0 : 1) - (y.kind === "qrels" ? 0 : 1));
  for (const one of made) {
    try {
      one.held = await work.open(one);
    } catch (error) {
      breaks(one.path, error);
      continue;
    }
    const before = one.kind === "qrels" && qrels();
    if (before) remove([before], { notice: `The judgments of ${one.path} replaced those of ${before.path}: one file of judgments is used at a time.` });
    for (let place = 2; one.kind === "run" && runs().some((other) => other.name === one.name); place++) one.name = `${runName(one.path)} (${place})`;
    change({ files: [...state.files, one] });
  }
  const numbers = runs().map((run) => run.number);
  const [a, b] = [numbers.includes(state.a) ? state.a : numbers[0] ?? -1, numbers.includes(state.b) ? state.b : numbers[1] ?? numbers[0] ?? -1];
  change({ adding: false, trouble: "", a, b });
  await evaluate();
}

/** Close files; the page no longer shows them when the core forgets them. @param {OneFile[]} closed */
function remove(closed, changes = {}) {
  const files = state.files.filter((one) => !closed.includes(one));
  const numbers = files.filter((one) => one.kind === "run").map((run) => run.number);
  const keep = (number, place) => (numbers.includes(number) ? number : numbers[place] ?? numbers[0] ?? -1);
  const hasJudgments = files.some((one) => one.kind === "qrels");
  const kept = (of) => new Map([...of].filter(([number]) => numbers.includes(number) && hasJudgments));
  change({ ...changes, files, values: kept(state.values), checks: kept(state.checks), a: keep(state.a, 0), b: keep(state.b, 1) });
  for (const one of closed) work.ask({ do: "forget", file: one.number }, `closing ${one.path}`).catch(fail);
}

/** What is still needed before there are scores. */
function lacking() {
  if (state.adding || (state.isExample && !state.files.length)) return "";
  if (!qrels() && !runs().length) return state.broken.length ? "None of these files can be used." : "";
  if (!qrels()) return `Add judgments (qrels) to see scores.${runs().length > 1 ? " Without them, two runs are compared below." : ""}`;
  return runs().length ? "" : "Add a run to see scores.";
}

/** @param {FileList} list */
async function drop(list) {
  if (state.isExample) remove(state.files, { isExample: false, hasChosen: false, query: "", shared: [] });
  await add([...list].map((blob) => ({ path: blob.name, blob }))).catch(fail);
}

async function takeExample() {
  remove(state.files, { isExample: true, hasChosen: false, query: "", shared: [], broken: [] });
  await add(await Promise.all(EXAMPLE.map(async ([path, text]) => ({ path, blob: await unpacked(text) })))).catch(fail);
}

function filesSection() {
  const where = section("files", "Files");
  const input = node("input", { type: "file", multiple: true, id: "choose", onchange: () => { drop(input.files); } });
  const zone = node("label", { class: "drop", for: "choose" },
    node("b", {}, "Drop files here, or click to choose them"), input,
    node("span", { class: "sub" }, node("span", { class: "formats" }, "One file of relevance judgments (qrels: query, iteration, document, grade) and any number of runs (query, Q0, document, rank, score, tag), as text or .gz. "),
      node("b", {}, "Nothing leaves your computer:"), " this page contains the whole program and cannot make requests. You can save it and use it offline."));
  const list = node("ul", { class: "files" }), trouble = node("p", { class: "trouble", role: "alert" });
  const broken = node("ul", { class: "broken", role: "alert" });
  const missing = node("p", { class: "missing", role: "status" }), notice = node("p", { class: "note notice", role: "status" });
  const again = node("button", { type: "button", id: "take", onclick: () => { takeExample(); } }, "Back to the example");
  // On a phone the scores come first.
  const number = node("summary"), all = node("details", { class: "all", open: !matchMedia("(max-width: 640px)").matches }, number, list);
  where.append(zone, trouble, broken, missing, notice, all, node("div", { class: "bar" }, again));
  for (const name of ["dragover", "drop"]) document.addEventListener(name, (event) => event.preventDefault());
  document.addEventListener("dragover", () => zone.classList.add("over"));
  for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => zone.classList.remove("over"));
  document.addEventListener("drop", (event) => { if (event.dataTransfer.files.length) drop(event.dataTransfer.files); });
  follow("trouble notice", () => { [trouble.textContent, notice.textContent] = [state.trouble, state.notice]; });
  follow("broken", () => {
    broken.replaceChildren(...state.broken.map((one) => node("li", {}, node("b", {}, "Not used: "), node("span", { class: "why" }, one.why),
      node("button", { type: "button", "aria-label": `Dismiss ${one.path}`, onclick: () => change({ broken: state.broken.filter((other) => other !== one) }) }, "×"))));
  });
  follow("files broken adding isExample", () => { missing.textContent = lacking(); });
  follow("files isExample", () => {
    again.hidden = state.isExample && state.files.length === EXAMPLE.length;
    all.hidden = !state.files.length;
    number.textContent = `${count(state.files.length)} ${state.files.length === 1 ? "file" : "files"}${state.isExample ? " of the example" : ""}`;
    document.getElementById("of-example").hidden = !state.isExample;
    list.replaceChildren(
      ...(state.isExample ? [node("li", { class: "note" }, "The example: relevance judgments and four runs submitted to CLEF TAR 2017.")] : []),
      ...state.files.map((one) => node("li", { class: "file" },
        node("b", {}, one.path), " ",
        node("span", { class: "sub" }, one.held.large ? `run, ${count(Math.round(one.blob.size / 1e6))} MB, read query by query`
          : one.kind === "qrels" ? `${many(one.held.rows, "judgment", "judgments")} of ${queries(one.held.queries)}`
          : `run of ${queries(one.held.queries)}, ${many(one.held.rows, "document", "documents")}, ${count(one.held.tied)} tied`),
        node("button", { type: "button", "aria-label": `Remove ${one.path}`, onclick: () => remove([one]) }, "×"))));
  });
}
