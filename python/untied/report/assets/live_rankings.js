// Rankings of a query from the core: whole tie groups, to any depth, and the ranks in both runs.
deeper = {
  asks() {
    return [state.a, state.b].some(isLarge) ? "These runs are large: to show a ranking, all of a run is read into memory." : null;
  },

  async read(query, depth) {
    await work.ready();
    const { a, b } = state, { runs } = inputs, id = data.queries[query], { score_dtype } = data.settings, judgments = data.measures.length ? { qrels: inputs.qrels } : {};
    const top = async (run, to) => (await work.ask({ do: "rankings", runs: [runs[run]], query: id, depth: to, score_dtype, ...judgments }, "reading rankings")).runs[0];
    const whole = async (run) => {
      const found = await top(run, depth);
      return found.beyond ? top(run, depth + found.beyond) : found;
    };
    const both = [...new Set([a, b])], found = await Promise.all(both.map(whole));
    const moved = a === b ? [] : (await work.ask({ do: "moved", a: runs[a], b: runs[b], query: id, depth, ties: "expected", score_dtype }, "reading rankings")).documents;
    const truth = { docs: [], grades: [], runs: [], ranks: [] }, numbers = new Map();
    const numberOf = ({ id: doc, grade }) => {
      if (!numbers.has(doc)) {
        numbers.set(doc, truth.docs.push(doc) - 1);
        truth.grades.push(grade);
        truth.ranks.push([]);
      }
      return numbers.get(doc);
    };
    found.forEach(({ groups, total }, place) => {
      const relevantFirst = groups.map((group) => group.toSorted((x, y) => (y.grade ?? -1) - (x.grade ?? -1)));
      truth.runs[both[place]] = { groups: relevantFirst.map((group) => group.map(numberOf)), scores: groups.map(([{ score }]) => score), beyond: 0, total };
    });
    const ranks = new Map(moved.map((one) => [one.id, one]));
    truth.docs.forEach((doc, place) => { [truth.ranks[place][a], truth.ranks[place][b]] = [ranks.get(doc)?.a ?? null, ranks.get(doc)?.b ?? null]; });
    return truth;
  },
};

/** Whether a run is so large that it is read query by query. */
const isLarge = (run) => Boolean(held.large?.includes(inputs.runs[run]));
