"""The worked example of a measure: its documents, its values, and the orders of its tied documents.

The tables are plain HTML. Where the core is built for browsers, ``assets/example.js`` makes them editable.
"""

from __future__ import annotations

import math
from html import escape

from untied.measures.help import FIRST, GRADES, RANKING, SECOND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import untied

#: The script that a page with an example loads, seen from the pages of measures.
SCRIPT = '<script src="../assets/example.js" defer></script>'


def scores(ranking: Sequence[str | list[str]]) -> dict[str, int]:
    """Scores that give a ranking, by document."""
    return {doc: len(ranking) - place for place, group in enumerate(ranking) for doc in group}


SCORES = scores(RANKING)


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
    columns: dict[str, Mapping[str, int]] = {"score": SCORES, **({"grade": GRADES} if graded else {})}
    # A quotient of means is no mean.
    whole = "of the tied ranking" if name.startswith("PRR") else f"mean over all {len(orders)} orders"
    rows = [
        row("mean", whole, number(value.mean)),
        row("ends", "lowest, highest", f"{number(value.low)}, {number(value.high)}"),
        row("variance", "variance", "not known" if value.variance is None else number(value.variance, 6)),
    ]
    if bounds is not None:
        both = f"{number(bounds.low)}, {number(bounds.high)}"
        rows.append(row("bounds", "lowest, highest mean over grades of d", both))
    shown = {f"a <b>{' '.join(order)}</b> e f": result for order, result in orders.items()}
    return together(name, documents(columns), scale(value, of_unit=of_unit), rows, shown, live=live)


def pair(name: str, orders: Mapping[tuple[str, ...], float], value: untied.Value, *, of_unit: bool, live: bool) -> str:
    """The example of a measure of two rankings: as :func:`example`."""
    columns = {"in the first": scores(FIRST), "in the second": scores(SECOND)}
    rows = [
        row("mean", "of the tied rankings", number(value.mean)),
        row("ends", "lowest, highest", f"{number(value.low)}, {number(value.high)}"),
    ]
    shown = {f"a <b>{' '.join(order)}</b> d": result for order, result in orders.items()}
    return together(name, documents(columns), scale(value, of_unit=of_unit), rows, shown, live=live)


def together(name: str, given: str, line: str, rows: list[str], orders: Mapping[str, float], *, live: bool) -> str:
    """The parts of an example."""
    code = f"<code>{escape(name)}</code>"
    held = table("orders", [heading("order", code), *(row(None, *each) for each in numbered(orders))])
    parts = [
        f'<div class="example" data-measure="{escape(name)}">' if live else '<div class="example">',
        given,
        '<div class="found">',
        line,
        table("summary", [heading(code, ""), *rows]),
        f'<div class="listing">\n{held}\n</div>',
        "</div>",
        "</div>",
    ]
    return "\n".join([*parts, *([SCRIPT] if live else [])])


def numbered(orders: Mapping[str, float]) -> list[tuple[str, str]]:
    """Orders with their values as they are shown."""
    return [(order, number(result)) for order, result in orders.items()]


def documents(columns: Mapping[str, Mapping[str, int]]) -> str:
    """The documents with their scores and grades."""
    rows = []
    first = next(iter(columns.values()))
    for doc in dict.fromkeys(doc for column in columns.values() for doc in column):
        found = [
            column.get(doc, "not judged" if name == "grade" else "not retrieved") for name, column in columns.items()
        ]
        kind = ' class="tied"' if list(first.values()).count(first.get(doc, 0)) > 1 else ""
        rows.append(f'<tr{kind}><th scope="row">{doc}</th>{"".join(f"<td>{cell}</td>" for cell in found)}</tr>')
    return table("documents", [heading("document", *columns), *rows])


def scale(value: untied.Value, *, of_unit: bool) -> str:
    """A line from 0 to 1 with the lowest value, the mean and the highest."""
    ends = "<span>0</span><span>1</span>"
    found = {"low": value.low, "mean": value.mean, "high": value.high}
    known = {part: one for part, one in found.items() if one is not None and 0 <= one <= 1}
    if not of_unit or known != found:
        return f'<div class="scale" hidden>{ends}</div>'
    places = ";".join(f"--{part}:{one:.4f}" for part, one in known.items())
    return f'<div class="scale" style="{places}">{ends}</div>'


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
