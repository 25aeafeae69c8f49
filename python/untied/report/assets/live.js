// What a reader may change, above the report. After each change all of it is recalculated.
const chosenNow = () => ({ measures: state.measures, policies: state.policies, baseline: state.baseline });
/** The settings that the report was made with, null if the page began without one; and those of what it shows. */
let asMade = null, accepted = null, wanted = 0;
const isMade = (settings) => asMade !== null && JSON.stringify(settings) === JSON.stringify(asMade);
const panel = { trouble: node("p", { class: "trouble", role: "alert" }), status: node("p", { class: "note", role: "status" }), lasting: [] };
/** The data by settings; `isLast` says whether they are still wanted. @type {(settings: any, isLast: () => boolean) => Promise<any>} */
let pageOf = recalculated;

/** Draw other data, or nothing, and keep what follows the panel's settings. */
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
    const page = isMade(settings) ? made : await pageOf(settings, () => mine === wanted);
    if (mine !== wanted) return;
    accepted = page && settings;
    redraw(page);
  } catch (error) {
    if (mine !== wanted) return;
    if (accepted) change(accepted); // what the page shows
    else redraw(null); // that was of other files
    panel.trouble.textContent = error instanceof Cancelled ? "" : error.message;
  }
  main.removeAttribute("aria-busy");
  change({ shown: mine });
}

function settingsWords({ measures, policies: { ties, unjudged, unretrieved }, baseline }) {
  const pooled = unretrieved === "none" ? "" : `, pooled but not retrieved: ${unretrieved}`;
  return `${measures.join(", ")}; tied documents: ${ties}, unjudged: ${unjudged}${pooled}; ${baseline === null ? "no baseline" : `baseline ${made.runs[baseline]}`}`;
}

function baselineChoice() {
  const select = node("select", { id: "baseline", onchange: () => { change({ baseline: select.value === "" ? null : Number(select.value) }); evaluate(); } });
  const label = node("label", { class: "policy" }, node("span", {}, "Baseline: the run that all others are tested against"), select);
  follow("baseline shown", () => {
    const runs = made?.runs ?? [];
    label.hidden = runs.length < 2;
    select.replaceChildren(node("option", { value: "" }, "none: all pairs of runs are tested"), ...runs.map((name, run) => node("option", { value: run }, name)));
    select.value = state.baseline === null ? "" : String(state.baseline);
  });
  return label;
}

/** Put what a reader may change above the report, which begins with these settings. @param {string} about What is recalculated from what. */
function livePanel(settings, about) {
  Object.assign(state, settings);
  const where = node("div", { class: "live-settings" });
  const before = watchers.length;
  const measuresKnown = settingsSection(where);
  where.querySelector(".policies").append(baselineChoice());
  const again = node("button", { type: "button", id: "as-made", onclick: () => { change(asMade); evaluate(); } }, "Show the report as it was made");
  const bar = node("div", { class: "bar" }, panel.status, again);
  follow("shown", () => {
    bar.hidden = !asMade || isMade(accepted);
    panel.status.textContent = bar.hidden ? "" : `Recalculated in this page with ${settingsWords(accepted)}. The report was made with ${settingsWords(asMade)}.`;
  });
  panel.lasting = watchers.slice(before);
  const box = node("details", { id: "settings" }, node("summary", {}, "Change measures, policies or the baseline"), node("p", { class: "about" }, about), where);
  box.addEventListener("toggle", () => {
    if (box.open && !known.size) work.ready().then(learnMeasures).then(measuresKnown).catch((error) => { panel.trouble.textContent = error instanceof Cancelled ? "" : `The core could not start: ${error.message}`; });
  });
  document.getElementById("main").before(node("div", { class: "live" }, box, panel.trouble, bar));
  return measuresKnown;
}

document.getElementById("cancel").addEventListener("click", () => work.cancel());
if (made) {
  for (const one of made.measures) asked.set(one.name, { ...one, least: held.least[one.name] });
  accepted = asMade = { measures: made.measures.map((one) => one.name), policies: { ...MADE }, baseline: made.baseline };
  livePanel(asMade, "The whole report is recalculated in this page, from the runs and judgments that it holds. Nothing leaves your computer.");
  document.documentElement.dataset.live = "yes";
}
