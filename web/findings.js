// Problems of runs and judgments, in the words of `untied check`.
const listed5 = (ids) => `${count(ids.length)} (${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", ..." : ""})`;

/** What there is to say about one run, and whether each is suspicious. @returns {[boolean, string][]} */
function findings(found) {
  const lines = [], add = (suspicious, text) => lines.push([suspicious, text]);
  const [queries] = found.queries;
  if (found.swapped) add(true, "scores look like grades and grades like scores (are the run and the qrels swapped?)");
  if (found.tags.length) add(true, `several run tags; perhaps several runs are in one file: ${listed5(found.tags)}`);
  if (found.absent.length) add(true, `judged queries missing from the run: ${listed5(found.absent)}`);
  if (found.unknown.length) add(true, `queries without judgments: ${listed5(found.unknown)}`);
  if (found.near_queries.length) add(true, `query ids that nearly match: ${listed5(found.near_queries.map(([ours, theirs]) => `${ours} for ${theirs}`))}`);
  const [shallow, deep, atDepth] = found.depths;
  if (shallow === deep) add(false, `every ranking has ${count(deep)} documents; the rankings were probably cut off`);
  else add(false, `rankings have ${count(shallow)} to ${count(deep)} documents${atDepth > 1 ? `; ${count(atDepth)} of ${count(queries)} have ${count(deep)} and were probably cut off` : ""}`);
  const [tied, allTied] = found.tied_queries;
  if (tied) add(found.tied_share > 0.1, `${count(found.tied_documents)} documents (${inPercent(found.tied_share)} %) are tied, in ${count(tied)} of ${count(queries)} queries`);
  else add(false, "no ties");
  if (allTied) add(true, `all documents are tied in ${count(allTied)} of ${count(queries)} queries, so their rankings have no order`);
  const [in32, more] = found.tied_in_32_bits;
  if (in32) add(true, `documents that tie only after rounding to 32 bits, as in trec_eval 9: ${count(more)} (in ${count(in32)} of ${count(queries)} queries)`);
  if (found.rank_contradicts) add(true, `queries where the rank column contradicts the scores: ${count(found.rank_contradicts)} (untied sorts by score; --run-format trec-ranks sorts by rank)`);
  if (found.rank_not_a_number) add(true, `ranks that are not numbers: ${count(found.rank_not_a_number)}`);
  const [top, retrieved] = found.top;
  if (retrieved) add(found.judged_share < 0.5, `${inPercent(found.judged_share)} % of the first ${top} documents are judged`);
  if (found.judged === 0) add(true, "no retrieved document is judged");
  if (found.near_document) add(true, `document ids nearly match: ${found.near_document[0]} here, ${found.near_document[1]} in the qrels`);
  return lines;
}

/** What was found, by judgments and run; policies change nothing of it. @type {Map<string, any>} */
const checks = new Map();

function problems() {
  const where = section("check", "Problems in these files", "What untied check finds. Lines that begin with ! point to possible problems.");
  const holder = node("div"), truth = qrels(), runs = allRuns();
  where.append(holder);
  const key = (run) => `${truth.number} ${run.number}`, isAsked = runs.some((run) => run.held.large && !checks.has(key(run)));
  const line = ([suspicious, text]) => node("li", { class: suspicious ? "suspicious" : null }, node("b", {}, suspicious ? "! " : ""), text);
  const drawing = restartable(async () => {
    const parts = [];
    for (const run of runs) {
      if (!where.isConnected) return;
      if (!checks.has(key(run))) checks.set(key(run), await work.ask({ do: "check", qrels: truth.number, run: run.number }, `checking ${run.name}`));
      const found = checks.get(key(run));
      if (!parts.length) {
        const of = [...(found.without_relevant.length ? [[true, `queries without a relevant document: ${listed5(found.without_relevant)}`]] : []),
          ...(found.repeated ? [[true, `repeated judgments: ${count(found.repeated)}`]] : [])];
        parts.push(node("h3", {}, `qrels: ${count(found.queries[1])} queries`), node("ul", { class: "findings" }, ...of.map(line)));
      }
      parts.push(node("h3", {}, `${run.path}: ${count(found.queries[0])} queries, ${count(found.documents)} documents`), node("ul", { class: "findings" }, ...findings(found).map(line)));
    }
    holder.replaceChildren(...parts);
  }, (words) => holder.replaceChildren(node("p", { class: "trouble" }, words === "cancelled" ? "" : words)));
  if (isAsked) holder.replaceChildren(node("p", {}, "To check a large run, all of it is read into memory. ", node("button", { type: "button", onclick: () => drawing.start() }, "Check")));
  else drawing.start();
}
PARTS.evaluation.rest.splice(PARTS.evaluation.rest.indexOf(glance) + 1, 0, problems);
