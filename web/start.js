// The page begins without a report: it makes one of the example, and of the files that take its place.
pageOf = reportOfFiles;
const measuresKnown = livePanel({ measures: ["AP", "nDCG@10", "RR"], policies: DEFAULTS, baseline: null }, "The whole page is recalculated after each change. Nothing leaves your computer.");
filesSection();
panel.lasting = [...watchers]; // what follows the files stays, too
document.getElementById("subtitle").textContent = "Search evaluation that handles tied scores and missing judgments";
(async () => {
  try {
    await work.ready();
    await learnMeasures();
    for (const name of state.measures) await nameOf(name);
    measuresKnown();
  } catch (error) {
    panel.trouble.textContent = `The page could not start: ${error.message}`;
    return;
  }
  await takeExample();
  document.documentElement.dataset.ready = "yes";
})();
