"""The worked example of a measure of one ranking: its documents, its values, and the orders of its tied documents.

The tables are plain HTML. Where the core is built for browsers, ``assets/example.js`` makes them editable.
"""

from __future__ import annotations

import math
from html import escape

from untied.measures.help import GRADES, RANKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    import untied

#: The script that a page with an example loads, seen from the pages of measures.
SCRIPT = '<script src="../assets/example.js" defer></script>'
#: The example's scores, by document in their order.
SCORES = {doc: len(RANKING) - place for place, group in enumerate(RANKING) for doc in group}


def example(
    name: str,
    orders: Mapping[tuple[str, ...], float],
    value: untied.Value,
    bounds: untied.Value | None,
    *,
    of_unit: bool,
    graded: bool,
    live: bool,
) -> str:
    """The example of a measure.

    ``orders`` has the value of each order, ``value`` those of the tied ranking, and ``bounds`` its mean over all grades
    that the unjudged document may have, where that is known. ``of_unit`` says whether values lie from 0 to 1,
    ``graded`` whether documents have grades, ``live`` whether readers can edit the example.
    """
    begin = f'<div class="example" data-measure="{escape(name)}">' if live else '<div class="example">'
    parts = [
        begin,
        documents(graded),
        '<div class="found">',
        scale(value, of_unit=of_unit),
        summary(name, len(orders), value, bounds),
        listing(name, orders),
        "</div>",
        "</div>",
    ]
    return "\n".join([*parts, *([SCRIPT] if live else [])])


def documents(graded: bool) -> str:
    """The documents with their scores and grades."""
    rows = []
    for doc in [*SCORES, *(doc for doc in GRADES if doc not in SCORES)]:
        score, grade = SCORES.get(doc), GRADES.get(doc)
        cells = [str(score) if score is not None else "not retrieved"]
        cells += [str(grade) if grade is not None else "not judged"] if graded else []
        kind = ' class="tied"' if list(SCORES.values()).count(score or 0) > 1 else ""
        rows.append(f'<tr{kind}><th scope="row">{doc}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>')
    heads = ["document", "score", *(["grade"] if graded else [])]
    return table("documents", [heading(*heads), *rows])


def scale(value: untied.Value, *, of_unit: bool) -> str:
    """A line from 0 to 1 with the lowest value, the mean and the highest."""
    ends = "<span>0</span><span>1</span>"
    found = {"low": value.low, "mean": value.mean, "high": value.high}
    known = {part: one for part, one in found.items() if one is not None and 0 <= one <= 1}
    if not of_unit or known != found:
        return f'<div class="scale" hidden>{ends}</div>'
    places = ";".join(f"--{part}:{one:.4f}" for part, one in known.items())
    return f'<div class="scale" style="{places}">{ends}</div>'


def summary(name: str, orders: int, value: untied.Value, bounds: untied.Value | None) -> str:
    """What is known over all orders."""
    # A quotient of means is no mean.
    whole = "of the tied ranking" if name.startswith("PRR") else f"mean over all {orders} orders"
    rows = [
        row("mean", whole, number(value.mean)),
        row("ends", "lowest, highest", f"{number(value.low)}, {number(value.high)}"),
        row("variance", "variance", "not known" if value.variance is None else number(value.variance, 6)),
    ]
    if bounds is not None:
        both = f"{number(bounds.low)}, {number(bounds.high)}"
        rows.append(row("bounds", "lowest, highest mean over grades of d", both))
    return table("summary", [heading(f"<code>{escape(name)}</code>", ""), *rows])


def listing(name: str, orders: Mapping[tuple[str, ...], float]) -> str:
    """Every order with its value."""
    rows = [row(None, f"a <b>{' '.join(order)}</b> e f", number(result)) for order, result in orders.items()]
    held = table("orders", [heading("order", f"<code>{escape(name)}</code>"), *rows])
    return f'<div class="listing">\n{held}\n</div>'


def row(kind: str | None, words: str, cell: str) -> str:
    """A row that is found by its class."""
    begin = f'<tr class="{kind}">' if kind else "<tr>"
    return f'{begin}<th scope="row">{words}</th><td>{cell}</td></tr>'


def heading(*words: str) -> str:
    """Heads of columns."""
    return "<tr>" + "".join(f'<th scope="col">{word}</th>' for word in words) + "</tr>"


def table(kind: str, rows: list[str]) -> str:
    """Rows under the first of them."""
    head, *body = rows
    return f'<table class="{kind}">\n<thead>{head}</thead>\n<tbody>\n' + "\n".join(body) + "\n</tbody>\n</table>"


def number(value: float | None, digits: int = 4) -> str:
    """A number as it is read, and whole as its value."""
    if value is None:
        return "not known"
    if math.isnan(value):
        return "undefined"
    words = f"{value:.{digits}f}" if value % 1 or digits > 4 else f"{value:.0f}"
    return f'<data value="{value!r}">{words}</data>'
