// The means of each segment of queries, such as a market. A page has them if it was made with --by.
function segments() {
  if (!data.segments) return;
  const { by, names, queries, means } = data.segments, signs = means.flat(2).map((one) => one.sign).filter((sign) => sign !== null);
  const tested = signs.some(Boolean) ? ` ▲ and ▼ mark runs that are significantly better or worse than ${data.runs[data.baseline]} in the segment.`
    : ` In no segment is a run significantly better or worse than ${data.runs[data.baseline]}.`;
  const where = section("segments", "Segments of queries", [`Means over the queries of each segment (${by}).`, alone ? "" : " The best run of a segment is bold.",
    signs.length ? tested + " The tests of all segments and runs are corrected together." : ""].join(""));
  const best = (row) => {
    const values = means[state.measure][row].map((one) => one.mean), first = values[bestFirst(values, key().lower)[0]] ?? null;
    return values.map((value) => first !== null && value !== null && minus(value, first) === 0);
  };
  const mark = ({ sign }) => (sign ? ((sign > 0) !== key().lower ? " ▲" : " ▼") : "");
  const columns = () => [
    { title: by, left: true, value: (row) => names[row] },
    { title: "queries", value: (row) => queries[row], cell: (row) => count(queries[row]) },
    ...byMean().map((run) => ({
      title: data.runs[run], tip: `mean ${key().name}`, lower: key().lower, value: (row) => means[state.measure][row][run].mean,
      cell: (row) => {
        const one = means[state.measure][row][run], brackets = bracketsOf(one);
        return node("td", { class: !alone && best(row)[run] ? "best" : null }, show(one.mean) + mark(one), brackets ? underneath(brackets) : null);
      },
    })),
  ];
  table(where, "segments", "measure", columns, () => names.map((_, row) => row));
}
