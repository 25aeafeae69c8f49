// The files: dropped, chosen, or the example.
let numbered = 0;

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

/** Read files, judgments before runs. @param {{path: string, blob: Blob}[]} given */
async function add(given) {
  const made = [];
  for (const { path, blob } of given) {
    const fields = (await firstLine(blob)).split(/\s+/).length;
    const kind = fields === 4 || (fields !== 6 && /qrels/i.test(path)) ? "qrels" : "run";
    made.push({ number: numbered++, kind, path, name: runName(path), blob, held: null });
  }
  made.sort((x, y) => (x.kind === "qrels" ? 0 : 1) - (y.kind === "qrels" ? 0 : 1));
  const troubles = [];
  for (const one of made) {
    try {
      one.held = await work.open(one);
    } catch (error) {
      if (!(error instanceof Cancelled)) troubles.push(error.message);
      continue;
    }
    if (one.kind === "qrels" && qrels()) remove([qrels()]);
    for (let place = 2; one.kind === "run" && runs().some((other) => other.name === one.name); place++) one.name = `${runName(one.path)} (${place})`;
    change({ files: [...state.files, one] });
  }
  const numbers = runs().map((run) => run.number);
  const [a, b] = [numbers.includes(state.a) ? state.a : numbers[0] ?? -1, numbers.includes(state.b) ? state.b : numbers[1] ?? numbers[0] ?? -1];
  change({ trouble: troubles.join("\n"), a, b });
  await evaluate();
}

/** Close files; the page no longer shows them when the core forgets them. @param {OneFile[]} closed */
function remove(closed, changes = {}) {
  const files = state.files.filter((one) => !closed.includes(one));
  const numbers = files.filter((one) => one.kind === "run").map((run) => run.number);
  const keep = (number, place) => (numbers.includes(number) ? number : numbers[place] ?? numbers[0] ?? -1);
  const values = new Map([...state.values].filter(([number]) => numbers.includes(number) && files.some((one) => one.kind === "qrels")));
  change({ ...changes, files, values, a: keep(state.a, 0), b: keep(state.b, 1) });
  for (const one of closed) work.ask({ do: "forget", file: one.number }, `closing ${one.path}`).catch(fail);
}

/** @param {FileList} list */
async function drop(list) {
  if (state.isExample) {
    remove(state.files, { isExample: false, hasChosen: false, query: "", shared: [] });
  }
  await add([...list].map((blob) => ({ path: blob.name, blob }))).catch(fail);
}

async function takeExample() {
  remove(state.files, { isExample: true, hasChosen: false, query: "", shared: [] });
  const texts = Object.entries(JSON.parse(document.getElementById("example").textContent));
  await add(await Promise.all(texts.map(async ([path, text]) => ({ path, blob: await unpacked(text) })))).catch(fail);
}

function filesSection() {
  const where = section("files", "Files");
  const input = node("input", { type: "file", multiple: true, id: "choose", onchange: () => { drop(input.files); } });
  const zone = node("label", { class: "drop", for: "choose" },
    node("b", {}, "Drop files here, or click to choose them"), input,
    node("span", { class: "sub" }, "One file of relevance judgments (qrels: query, iteration, document, grade) and any number of runs (query, Q0, document, rank, score, tag), as text or .gz. ",
      node("b", {}, "Nothing leaves your computer:"), " this page holds the whole program and is forbidden to make requests. Save it, and it works offline."));
  const list = node("ul", { class: "files" }), trouble = node("p", { class: "trouble", role: "alert" });
  const again = node("button", { type: "button", id: "take", onclick: () => { takeExample(); } }, "Take the example");
  where.append(zone, trouble, list, node("div", { class: "bar" }, again));
  for (const name of ["dragover", "drop"]) document.addEventListener(name, (event) => event.preventDefault());
  document.addEventListener("dragover", () => zone.classList.add("over"));
  for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => zone.classList.remove("over"));
  document.addEventListener("drop", (event) => { if (event.dataTransfer.files.length) drop(event.dataTransfer.files); });
  follow("trouble", () => { trouble.textContent = state.trouble; });
  follow("files isExample", () => {
    again.hidden = state.isExample;
    list.replaceChildren(
      ...(state.isExample ? [node("li", { class: "note" }, "The example: relevance judgments and four runs submitted to CLEF TAR 2017.")] : []),
      ...state.files.map((one) => node("li", { class: "file" },
        node("b", {}, one.path), " ",
        node("span", { class: "sub" }, one.held.large ? `run, ${count(Math.round(one.blob.size / 1e6))} MB, read query by query`
          : one.kind === "qrels" ? `${count(one.held.rows)} judgments of ${count(one.held.queries)} queries`
          : `run of ${count(one.held.queries)} queries, ${count(one.held.rows)} documents, ${count(one.held.tied)} tied`),
        node("button", { type: "button", "aria-label": `Remove ${one.path}`, onclick: () => remove([one]) }, "×"))));
  });
}
