// The command that gives the same.
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

function command() {
  if (!qrels() || !runs().length) return "";
  const options = Object.entries(state.policies).filter(([name, value]) => value !== { ...DEFAULTS, ties: "expected" }[name]);
  return ["untied", "eval", qrels().path, ...runs().map((run) => run.path), ...state.measures.flatMap((name) => ["-m", name]),
    ...options.flatMap(([name, value]) => [`--${name.replace(/_/g, "-")}`, value])].map(quoted).join(" ");
}

function commandLine() {
  const line = node("code"), copy = node("button", { type: "button", onclick: async () => {
    await navigator.clipboard.writeText(line.textContent);
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  } }, "Copy");
  document.getElementById("results").append(node("div", { class: "command" }, node("span", { class: "sub" }, "The same on the command line"), node("div", { class: "bar" }, line, copy)));
  follow("files measures policies", () => { line.textContent = command(); });
}
