// Curves, similarities of runs, and all queries of all runs at a glance.
function curves() {
  if (!data.curves) return;
  const where = section("curves", "Curves",
    `${data.has_preferences ? "Dynamic" : "Interpolated precision at eleven recall levels, and dynamic"} recall by rank: of the documents that could have been found by that rank, the share that was found (Typke, Veltkamp & Wiering 2006). ${data.has_preferences ? "These" : "Both"} are ${words().curves}.${data.runs.length > 2 ? " Runs A and B are bold." : ""}`);
  const { later } = data.curves; // of fully tied runs they take long
  if (!later) return drawCurves(where);
  const wrong = node("p", { class: "note", role: "status" }), button = node("button", { type: "button", onclick: async () => {
    try {
      data.curves = await later();
      bar.remove();
      drawCurves(where);
    } catch (error) {
      wrong.textContent = `The curves are left out: ${error.message}.`;
    }
  } }, "Draw the curves"), bar = node("div", { class: "bar" }, button, wrong);
  where.append(bar);
}

function drawCurves(where) {
  const grid = node("div", { class: "two" });
  where.append(grid);
  const { recall, precision, ranks, dynamic_recall: dynamic } = data.curves;
  const one = (label, x, rows, across, up) => chart(grid, label, 300, "a b", (width, height) => lines(width, height, x, rows, { x: { title: across }, y: { title: up } },
    (run, place) => `${data.runs[run]}: ${show(rows[run][place])} at ${x[place]}`));
  if (!data.has_preferences) one("Precision at recall levels", recall, precision, "recall", "precision");
  if (ranks.length) one("Dynamic recall by rank", ranks, dynamic, "rank", "dynamic recall");
}

function distances() {
  if (!data.distances.length) return;
  const few = data.runs.length === 2; // a single number needs no picture
  const where = section("distances", "How similar the runs are", "The runs are compared without judgments." + (few || !data.distances[0].map ? "" : " On the map, similar runs are close to each other (multidimensional scaling)."));
  if (few) {
    where.append(node("dl", {}, ...data.distances.flatMap(({ name, meaning, rows }) => [node("dt", {}, `${name} ${show(rows[0][1])}`), node("dd", {}, meaning)])));
    return;
  }
  const meaning = node("p", { class: "about" });
  where.append(node("div", { class: "bar" }, choice("Compare by", data.distances.map((one) => one.name), "distance")), meaning);
  follow("distance", () => { 
    const { name, meaning: sentence } = data.distances[state.distance];
    meaning.textContent = `${name}: ${sentence}`;
  });
  const grid = node("div", { class: "two" });
  where.append(grid);
  const height = Math.min(700, Math.max(300, 60 + 20 * data.runs.length));
  chart(grid, "All runs by all runs", height, "distance theme", (width) => {
    const { rows } = data.distances[state.distance];
    return heat(width, rows, data.runs, data.runs, (row, column) => `${data.runs[row]}, ${data.runs[column]}: ${show(rows[row][column])}`, (a, b) => change({ a, b }));
  });
  if (data.distances[0].map) chart(grid, "Map of the runs", height, "distance", (width) => map(width, Math.min(height, 420), data.distances[state.distance].map));
}

// Runs as dots, the same scale on both axes; names where there is room.
function map(width, height, places) {
  const ends = (part) => [Math.min(...places.map((place) => place[part])), Math.max(...places.map((place) => place[part]))];
  const [[left, right], [low, high]] = [ends(0), ends(1)];
  const scale = Math.min((width - 120) / (right - left || 1), (height - 50) / (high - low || 1));
  const at = ([x, y]) => [width / 2 + (x - (left + right) / 2) * scale, height / 2 - (y - (low + high) / 2) * scale];
  const drawing = canvas(width, height), taken = [];
  const dots = places.map(at);
  dots.forEach(([cx, cy], run) => drawing.append(shape("circle", { cx, cy, r: 5, fill: hue(run) })));
  dots.forEach(([x, y], run) => {
    const words = cut(data.runs[run], 24), half = wide(words) / 2, at = Math.min(width - half - 2, Math.max(half + 2, x));
    const box = [at - half, y - 22, at + half, y - 8];
    const free = taken.every(([l, t, r, b]) => box[2] < l || box[0] > r || box[3] < t || box[1] > b) && dots.every(([dx, dy], other) => other === run || dx < box[0] - 4 || dx > box[2] + 4 || dy < box[1] - 4 || dy > box[3] + 4);
    if (!free) return;
    taken.push(box);
    drawing.append(text(at, y - 10, words, { "text-anchor": "middle" }));
  });
  hover(drawing, (x, y) => {
    const far = dots.map(([dx, dy]) => (dx - x) ** 2 + (dy - y) ** 2), run = far.indexOf(Math.min(...far));
    return far[run] > 400 ? null : { x: dots[run][0], y: dots[run][1], words: data.runs[run] };
  });
  return [drawing];
}

function glance() {
  const where = section("glance", whole() ? "All queries of all runs" : "Queries of all runs",
    alone ? "Queries are ordered by their value." : "Queries are ordered by their mean over runs, runs by their mean over queries.", "Choose a cell to see the query.");
  const values = node("p", { class: "note" });
  where.append(values);
  follow("measure", () => { values.textContent = `${key().name}${whole() ? "" : ` for ${selection()}`}`; });
  const mean = (values) => { const known = values.filter((value) => value !== null); return known.reduce((sum, value) => sum + value, 0) / (known.length || 1); };
  chart(where, "Queries by runs; the numbers are in the tables above", 200, "measure theme", (width) => {
    const values = data.values[state.measure];
    const means = data.queries.map((_, query) => mean(values.map((row) => row[query])));
    const columns = bestFirst(means, false);
    const runs = byMean();
    return heat(width, runs.map((run) => columns.map((query) => values[run][query])), runs.map((run) => data.runs[run]), columns.map((query) => data.queries[query]),
      (row, column) => `${data.runs[runs[row]]}, query ${data.queries[columns[column]]}: ${show(values[runs[row]][columns[column]])}`,
      (row, column) => { change({ a: runs[row] }); open(columns[column]); });
  });
}
