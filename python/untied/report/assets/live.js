// What a reader may change, above the report. After each change all of it is recalculated.
Object.assign(state, { measures: made.measures.map((one) => one.name), policies: { ...MADE }, baseline: made.baseline });
for (const one of made.measures) asked.set(one.name, { ...one, least: held.least[one.name] });
const chosenNow = () => ({ measures: state.measures, policies: state.policies, baseline: state.baseline });
const asMade = chosenNow();
let accepted = asMade, wanted = 0;
const isMade = (settings) => JSON.stringify(settings) === JSON.stringify(asMade);
const panel = { trouble: node("p", { class: "trouble", role: "alert" }), status: node("p", { class: "note", role: "status" }), lasting: [] };

/** Draw other data, and keep what follows the panel's settings. */
function redraw(page) {
  present(page);
  watchers.push(...panel.lasting);
}

/** Recalculate the report; a change that comes after this one takes its place. */
async function evaluate() {
  const mine = ++wanted, settings = chosenNow(), main = document.getElementById("main");
  panel.trouble.textContent = "";
  main.setAttribute("aria-busy", "true"); // what it shows is of other settings
  try {
    const page = isMade(settings) ? made : await recalculated(settings);
    if (mine !== wanted) return;
    accepted = settings;
    redraw(page);
  } catch (error) {
    if (mine !== wanted) return;
    change(accepted); // what the page shows
    panel.trouble.textContent = error instanceof Cancelled ? "" : error.message;
  }
  main.removeAttribute("aria-busy");
  change({ shown: mine });
}

function settingsWords({ measures, policies: { ties, unjudged, unretrieved }, baseline }) {
  const pooled = unretrieved === "none" ? "" : `, pooled but not retrieved: ${unretrieved}`;
  return `${measures.join(", ")}; tied documents: ${ties}, unjudged: ${unjudged}${pooled}; ${baseline === null ? "no baseline" : `baseline ${made.runs[baseline]}`}`;
}

function livePanel() {
  const where = node("div", { class: "live-settings" });
  const before = watchers.length;
  const measuresKnown = settingsSection(where);
  if (made.runs.length > 1) {
    const select = node("select", { id: "baseline", onchange: () => { change({ baseline: select.value === "" ? null : Number(select.value) }); evaluate(); } },
      node("option", { value: "" }, "none: all pairs of runs are tested"), ...made.runs.map((name, run) => node("option", { value: run }, name)));
    follow("baseline", () => { select.value = state.baseline === null ? "" : String(state.baseline); });
    where.querySelector(".policies").append(node("label", { class: "policy" }, node("span", {}, "Baseline: the run that all others are tested against"), select));
  }
  const again = node("button", { type: "button", id: "as-made", onclick: () => { change(asMade); evaluate(); } }, "Show the report as it was made");
  const bar = node("div", { class: "bar" }, panel.status, again);
  follow("shown", () => {
    panel.status.textContent = isMade(accepted) ? "" : `Recalculated in this page with ${settingsWords(accepted)}. The report was made with ${settingsWords(asMade)}.`;
    bar.hidden = isMade(accepted);
  });
  panel.lasting = watchers.slice(before);
  const box = node("details", { id: "settings" }, node("summary", {}, "Change measures, policies or the baseline"),
    node("p", { class: "about" }, "The whole report is recalculated in this page, from the runs and judgments that it holds. Nothing leaves your computer."), where);
  box.addEventListener("toggle", () => {
    if (box.open && !known.size) work.ready().then(learnMeasures).then(measuresKnown).catch((error) => { panel.trouble.textContent = error instanceof Cancelled ? "" : `The core could not start: ${error.message}`; });
  });
  document.getElementById("main").before(node("div", { class: "live" }, box, panel.trouble, bar));
}

document.getElementById("cancel").addEventListener("click", () => work.cancel());
livePanel();
document.documentElement.dataset.live = "yes";
