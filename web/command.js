// The command that gives the same.
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

function command() {
  if (!qrels() || !runs().length) return "";
  const options = Object.entries(requested(state.policies)).filter(([name, value]) => value !== { ...DEFAULTS, ties: "expected" }[name]);
  return ["untied", "eval", qrels().path, ...runs().map((run) => run.path), ...state.measures.flatMap((name) => ["-m", name]),
    ...options.flatMap(([name, value]) => [`--${name.replace(/_/g, "-")}`, value])].map(quoted).join(" ");
}

/** A command with a button that copies it. */
function commandBox() {
  const code = node("code"), copy = node("button", { type: "button", onclick: async () => {
    await navigator.clipboard.writeText(code.textContent);
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  } }, "Copy");
  return { code, box: node("div", { class: "command" }, node("span", { class: "sub" }, "The same on the command line"), node("div", { class: "bar" }, code, copy)) };
}

function commandLine() {
  const { code, box } = commandBox();
  document.getElementById("results").append(box);
  follow("files measures policies", () => { code.textContent = command(); });
}
