// The page from top to bottom.
function theme(name) {
  document.documentElement.dataset.theme = name;
  document.getElementById("theme").textContent = name === "dark" ? "Light" : "Dark";
  change({ theme: name });
}

theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
document.getElementById("theme").addEventListener("click", () => theme(state.theme === "dark" ? "light" : "dark"));
document.getElementById("cancel").addEventListener("click", () => work.cancel());
answerSection();
filesSection();
resultsSection();
const settings = section("settings", "Measures and policies", "To see how far missing judgments could move each score too, set unjudged documents to range.");
follow("policies checks", () => {
  const evaluated = runs().filter((run) => state.values.has(run.number));
  settings.querySelector(".about").hidden = state.policies.unjudged === "range" || (evaluated.length > 0 && evaluated.every(isJudged));
});
const measuresKnown = settingsSection(settings);
commandLine();
for (const part of [differencesSection, rankingSection, compareSection, findingsSection]) part();
unpacked(document.getElementById("module").textContent).then((blob) => blob.arrayBuffer()).then(async (code) => {
  work.module = await WebAssembly.compile(code);
  work.start();
  await learnMeasures();
  measuresKnown();
  await takeExample();
  document.documentElement.dataset.ready = "yes";
}).catch((error) => change({ trouble: `The page could not start: ${error.message}` }));
