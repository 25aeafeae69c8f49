// Tables: sorted by their heads, saved as CSV by their button.
function save(name, type, text) {
  const link = node("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function csv(name, head, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  save(name + ".csv", "text/csv", [head, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n");
}

const ROWS = 100; // rows of a long table that are drawn at once; more follow when it is scrolled

// columns: {title, value(row) for sorting and CSV, cell(row) for the screen, tip}
function table(where, name, names, columns, rows, options = {}) {
  let sorted = options.sorted ?? null, descending = options.descending ?? true;
  const holder = node("div");
  const inOrder = () => {
    const order = rows().slice();
    if (sorted === null) return order;
    const by = columns()[sorted].value, down = descending ? -1 : 1;
    const missing = (value) => value === null || value === undefined;
    return order.sort((x, y) => {
      const [one, other] = [by(x), by(y)];
      if (missing(one) || missing(other)) return missing(one) - missing(other); // rows without a value stay last
      return down * (typeof one === "string" ? one.localeCompare(other, "en", { numeric: true }) : one - other);
    });
  };
  const fill = () => {
    const order = inOrder(), now = columns();
    const head = now.map((column, number) => node("th",
      { scope: "col", class: column.left ? "left" : null, title: column.tip, "aria-sort": number === sorted ? (descending ? "descending" : "ascending") : "none" },
      node("button", { type: "button", onclick: () => {
        descending = number === sorted ? !descending : typeof columns()[number].value(rows()[0]) !== "string" && !column.lower;
        sorted = number;
        fill();
        holder.querySelectorAll("th button")[number].focus();
      } }, column.title)));
    const line = (row) => node("tr", { class: options.mark ? options.mark(row) : null },
      ...now.map((column) => {
        const cell = column.cell ? column.cell(row) : column.value(row);
        return cell instanceof Node && cell.tagName === "TD" ? cell : node("td", {}, cell === null || cell === undefined ? "–" : cell);
      }));
    const body = node("tbody", {}, ...order.slice(0, ROWS).map(line));
    const more = () => {
      if (body.rows.length < order.length && box.scrollTop + box.clientHeight > box.scrollHeight - 600) body.append(...order.slice(body.rows.length, body.rows.length + ROWS).map(line));
    };
    const tall = order.length > 14;
    const box = node("div", { class: "scroll" + (tall ? " tall" : ""), tabindex: tall ? 0 : null, onscroll: more },
      node("table", {}, node("thead", {}, node("tr", {}, ...head)), body));
    holder.replaceChildren(box, order.length > 40 ? node("p", { class: "note paper" }, `The first 40 of ${count(order.length)} rows; the page on screen has all.`) : "");
  };
  const keep = () => csv(name, columns().map((column) => column.title), inOrder().map((row) => columns().map((column) => column.value(row))));
  where.append(holder, node("div", { class: "bar" }, node("span", { class: "grow" }), ...(options.buttons || []),
    node("button", { type: "button", onclick: keep }, "Save as CSV")));
  follow(names, () => {
    if (options.resort) [sorted, descending] = options.resort();
    fill();
  });
}
