// Words about recalculated values that other policies change.

// What values are and what brackets are over, by policies; see `words`.
function wordsOf({ ties, unjudged }) {
  const phraseOf = (policy, value) => POLICIES.find(({ name }) => name === policy).choices.find(({ name }) => name === value).phrase;
  const order = phraseOf("ties", ties), grade = phraseOf("unjudged", unjudged);
  const isMean = !order, how = [order, grade].filter(Boolean).join(", ");
  const open = [ties === "range" ? "order of tied documents" : null, unjudged === "range" ? "grades of unjudged documents" : null].filter(Boolean);
  const plain = (one) => (one[0] === "o" ? "orders of tied documents" : "grades of unjudged documents");
  const value = [isMean ? "mean over all orders of tied documents" : "value", how].filter(Boolean).join(" ");
  return {
    value, values: [isMean ? "expected scores over all orders of tied documents" : "scores", how].filter(Boolean).join(" "),
    curves: `means over queries${isMean ? " and over orders of tied documents" : ""}${how && `, ${how}`}`,
    all: open.length ? `over all ${open.map(plain).join(" and all ")}` : null,
    every: open.length ? open.map((one) => (one[0] === "o" ? `in every ${one}` : `for all ${one}`)).join(", ") : null,
    some: open.length ? `some ${open.join(" or some ")}` : null,
    ends: { 0: null, 1: ties === "range" ? "from the worst to the best order of tied documents" : "from the worst to the best grades of unjudged documents",
      2: "from the worst to the best orders of tied documents and grades of unjudged ones" }[open.length],
    open,
  };
}
