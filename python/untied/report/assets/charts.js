// Curves, distances between runs, and all queries of all runs at a glance.
function curves() {
  const where = section("curves", "Curves",
    "Left: interpolated precision at eleven levels of recall. Right: dynamic recall, what has been found of what could have been expected so far (Typke, Veltkamp & Wiering 2006); means over queries and over orders of tied documents. Runs A and B are drawn bold.");
  const grid = node("div", { class: "two" });
  where.append(grid);
  const { recall, precision, ranks, dynamic_recall: found } = data.curves;
  const one = (x, rows, across, up, label) => {
    const chart = node("div", { class: "chart", role: "img", "aria-label": label });
    grid.append(chart);
    const fill = () => draw(chart, data.runs.map((name, run) => ({
      x, y: rows[run], name: plain(name), mode: "lines", line: { color: hue(run), width: chosen(run) ? 3.5 : 1.5 }, showlegend: named(run),
      text: rows[run].map((value) => show(value)), hovertemplate: `${plain(name)}: %{text} at %{x}<extra></extra>`,
    })), { xaxis: { title: { text: across } }, yaxis: { title: { text: up }, rangemode: "tozero" } });
    return fill;
  };
  const fills = [one(recall, precision, "recall", "precision", "Precision at levels of recall")];
  if (ranks.length) fills.push(one(ranks, found, "rank", "dynamic recall", "Dynamic recall by rank"));
  // Drawn when all are there, as they share the width.
  fills.forEach((fill) => fill());
  redraw.push(...fills);
}

const chosen = (run) => run === state.a || run === state.b;
// A legend of many runs would hide the curves: of these only A and B are named, the others on hover.
const named = (run) => data.runs.length <= 8 || chosen(run);

function distances() {
  if (!data.distances.length) return;
  const where = section("distances", "How alike the runs are",
    "Compared without judgments: rank-biased overlap (1: the same ranking), and the largest difference that judgments could make. On the map, runs that are alike are close (multidimensional scaling).");
  where.append(node("div", { class: "bar" },
    choice("Compare by", data.distances.map((one) => one.name), () => state.distance, (distance) => change({ distance }))));
  const grid = node("div", { class: "two" });
  const heat = node("div", { class: "chart", role: "img", "aria-label": "All runs by all runs" });
  const map = node("div", { class: "chart", role: "img", "aria-label": "Map of the runs" });
  grid.append(heat, map);
  where.append(grid);
  heat.style.height = map.style.height = Math.min(760, Math.max(340, 120 + 14 * data.runs.length)) + "px";
  const names = data.runs.map(plain);
  const fill = () => {
    const { rows, map: places, name } = data.distances[state.distance];
    draw(heat, [{ type: "heatmap", z: rows, x: names, y: names, colorscale: scale(), text: rows.map((row) => row.map((cell) => show(cell))), hovertemplate: "%{y}, %{x}: %{text}<extra></extra>", colorbar: { thickness: 10 } }],
      { xaxis: { showgrid: false, type: "category" }, yaxis: { showgrid: false, autorange: "reversed", type: "category" } })
      .then(() => {
        heat.removeAllListeners("plotly_click");
        heat.on("plotly_click", (event) => change({ a: names.indexOf(event.points[0].y), b: names.indexOf(event.points[0].x) }));
      });
    draw(map, [{ x: places.map((place) => place[0]), y: places.map((place) => place[1]), text: names, mode: data.runs.length <= 30 ? "markers+text" : "markers",
      textposition: "top center", marker: { color: data.runs.map((_, run) => hue(run)), size: 10 }, cliponaxis: false, hovertemplate: `%{text}<extra>${plain(name)}</extra>` }],
      { xaxis: { showticklabels: false, zeroline: false }, yaxis: { showticklabels: false, zeroline: false, scaleanchor: "x" }, margin: { l: 40, r: 40, t: 24, b: 24 } });
  };
  fill();
  redraw.push(fill);
}

const scale = () => [[0, colour("panel")], [1, colour("a")]];

function glance() {
  const where = section("glance", whole() ? "All queries of all runs" : "Queries of all runs",
    (whole() ? "" : `Of ${selection()}: `) + "The chosen measure, queries ordered by their mean over runs and runs by their mean over queries; choose a cell to see the query.");
  const chart = node("div", { class: "chart", role: "img", "aria-label": "Queries by runs; the numbers are in the tables above" });
  chart.style.height = Math.min(900, Math.max(240, 110 + 16 * data.runs.length)) + "px";
  where.append(chart);
  const mean = (values) => { const known = values.filter((value) => value !== null); return known.reduce((sum, value) => sum + value, 0) / (known.length || 1); };
  const fill = () => {
    const values = data.values[state.measure];
    const columns = data.queries.map((_, query) => query).sort((x, y) => mean(values.map((row) => row[y])) - mean(values.map((row) => row[x])));
    const runs = everyRun().sort((x, y) => data.means[state.measure][y].mean - data.means[state.measure][x].mean);
    draw(chart, [{ type: "heatmap", z: runs.map((run) => columns.map((query) => values[run][query])), y: runs.map((run) => plain(data.runs[run])),
      x: columns.map((query) => plain(data.queries[query])), colorscale: scale(), text: runs.map((run) => columns.map((query) => show(values[run][query]))), hovertemplate: "%{y}, query %{x}: %{text}<extra></extra>", colorbar: { thickness: 10 } }],
      { xaxis: { showticklabels: columns.length <= 60, type: "category", showgrid: false }, yaxis: { autorange: "reversed", type: "category", showgrid: false } })
      .then(() => {
        chart.removeAllListeners("plotly_click");
        chart.on("plotly_click", (event) => {
          const [row, column] = event.points[0].pointIndex;
          change({ a: runs[row], query: columns[column] });
          document.getElementById("query").scrollIntoView({ behavior: "smooth" });
        });
      });
  };
  fill();
  redraw.push(fill);
}
