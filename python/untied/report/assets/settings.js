// Measures and policies that a reader chooses: those of `state.measures` and `state.policies`. After a change the page's
// `evaluate` is called.
/** Facts of measures by name. @type {Map<string, any>} */
const known = new Map();
/** Of those that were asked for, by how they are written. @type {Map<string, any>} */
const asked = new Map();
/** Policies as requests have them: without grades of unjudged documents, those of the pool have none either. */
const requested = (policies) => ("unretrieved" in policies && ["nonrelevant", "remove"].includes(policies.unjudged) ? { ...policies, unretrieved: "none" } : policies);
const describe = (info) => (info ? [info.title, info.equation, "range: " + info.range, info.reference].join("\n") : "");

async function learnMeasures() {
  const { families, version } = await work.ask({ do: "measures" }, "listing measures");
  for (const family of families) {
    for (const info of family.measures) known.set(info.name, { ...info, family: family.title, compares: family.compares, version });
  }
}

/** The name of a measure from any spelling that untied knows; its facts are known then. @param {string} text */
async function nameOf(text) {
  await work.ready();
  if (!known.size) await learnMeasures();
  const { name, measure, compares, lower, scale, least } = await work.ask({ do: "name", measure: text }, "reading a name");
  if (compares) throw new Error(`${name} compares two runs; add a measure of one run, such as AP`);
  asked.set(name, { ...known.get(measure), name, lower, scale, least });
  return name;
}

/** @param {string} text */
async function addMeasure(text) {
  const name = await nameOf(text);
  if (!state.measures.includes(name)) change({ measures: [...state.measures, name] });
  await evaluate();
}

/** @param {HTMLElement} where @returns {() => void} To be called when measures are known. */
function settingsSection(where) {
  const chips = node("div", { class: "chips" });
  const names = node("datalist", { id: "names" });
  const box = node("input", { list: "names", placeholder: "Add a measure: P@10", "aria-label": "Add a measure", autocomplete: "off", spellcheck: "false" });
  const words = node("p", { class: "note definition" }), wrong = node("p", { class: "trouble", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    wrong.textContent = "";
    if (!box.value.trim()) return;
    try {
      await addMeasure(box.value.trim());
      box.value = words.textContent = "";
    } catch (error) {
      wrong.textContent = error instanceof Cancelled ? "" : error.message;
    }
  };
  box.addEventListener("input", () => { words.textContent = describe(known.get(box.value.split(/[@(]/)[0].trim())); });
  const remove = (name) => {
    change({ measures: state.measures.filter((other) => other !== name), measure: 0 });
    evaluate();
  };
  follow("measures", () => {
    chips.replaceChildren(...state.measures.map((name) => node("span", { class: "chip", title: describe(asked.get(name)) }, name,
      state.measures.length > 1 ? node("button", { type: "button", "aria-label": `Remove ${name}`, onclick: () => remove(name) }, "×") : null)));
  });
  const policies = POLICIES.filter(({ name }) => name in state.policies).map(({ name, label, choices }) => {
    const select = node("select", { id: `policy-${name}`, onchange: () => { change({ policies: { ...state.policies, [name]: select.value } }); evaluate(); } },
      ...choices.map(({ name: value, meaning }) => node("option", { value }, meaning ? `${value}: ${meaning}` : value)));
    follow("policies", () => { select.value = state.policies[name]; });
    return node("label", { class: "policy" }, node("span", {}, label), select);
  });
  where.append(node("div", { class: "measures" }, chips, node("form", { onsubmit: submit }, box, names, node("button", {}, "Add"))), words, wrong,
    node("div", { class: "policies" }, ...policies.slice(0, 2)),
    node("details", {}, node("summary", {}, "More policies"), node("div", { class: "policies" }, ...policies.slice(2))));
  return () => {
    const all = [...known.values()].filter((info) => info.plain && !info.compares);
    names.replaceChildren(...all.map((info) => node("option", { value: info.name + ({ required: "@10", recall: "@0.5" }[info.cutoff] ?? "") }, info.title)));
    for (const name of state.measures) if (!asked.has(name)) asked.set(name, known.get(name.split(/[@(]/)[0]));
    change({ measures: [...state.measures] });
  };
}
