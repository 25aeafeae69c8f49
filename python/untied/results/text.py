"""Rows as text: aligned for a terminal, TSV, CSV or Markdown."""

from __future__ import annotations

from math import floor, inf, isfinite, isnan, log10

from untied._core import show_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any


#: What values can range over, by what varies.
OVER = {"ties": "orders of tied documents", "judgments": "grades of unjudged documents"}


#: What marks values that the order of tied documents would change.
MARK = "~"


def over_all(varied: Iterable[str]) -> str:
    """What lowest and highest values range over, in words."""
    return " and ".join(f"all {OVER[one]}" for one in varied)


def in_queries(count: int) -> str:
    """A number of queries in words."""
    return f"{count:,} {'query' if count == 1 else 'queries'}"


def in_clusters(count: int) -> str:
    """A number of clusters of queries in words."""
    return f"{count:,} cluster{'' if count == 1 else 's'}"


def percent(count: float, total: int, digits: int = 0) -> str:
    """A share in percent, with as many more decimals as tell it from 0 and 100."""
    share = count / total if total else 0.0
    rest = 100 * min(share, 1 - share)
    if 0 < rest < 10**-digits:
        digits = max(2, -floor(log10(rest) + 1e-9))  # rest itself is rounded
    return f"{100 * share:.{digits}f} %"


def brackets(value: str, low: str, high: str) -> str:
    """The bounds to print after a value, as in ``0.6250 [0.5000, 0.7500]``; empty if both look like the value."""
    return "" if low == high == value else f" [{low}, {high}]"


def padded(cells: Sequence[str]) -> list[str]:
    """Cells of a column, with room for brackets where there are none, so that values stand below each other."""
    widest = max((len(cell) - cell.find(" [") for cell in cells if " [" in cell), default=0)
    return [cell if " [" in cell else cell + " " * widest for cell in cells]


def for_json(value: Any) -> Any:
    """The data with None and, as in TSV, ``"inf"`` instead of undefined and infinite numbers, which JSON lacks."""
    if isinstance(value, dict):
        return {key: for_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [for_json(one) for one in value]
    if not isinstance(value, float) or isfinite(value):
        return value
    return None if isnan(value) else f"{value:g}"


#: The word for an infinite number where people read it, in columns of verdicts.
WORDS = {"overturn": "never", "largest_m": "any"}
#: Columns of p-values.
P_VALUES = ("p", "p_adjusted", "p_most")
#: Columns of numbers that are small where they matter, and of those that are shown as they were given.
SMALL, GIVEN = (*P_VALUES, "variance"), ("grade", "quantile")


def cell(value: str | float | None, column: str, digits: int) -> str:
    """A cell of a column: numbers with decimals or, if they may be small, with significant digits; empty for None."""
    if value is None:
        return ""
    if isinstance(value, str):
        return show_id(value)
    if isinstance(value, int) or column in GIVEN:
        return f"{value:g}" if column in GIVEN else str(value)
    return f"{value:.{digits}g}" if column in SMALL else f"{value:z.{digits}f}"


def spoken(value: str | float | None, column: str, digits: int) -> str:
    """A cell for people, with a word for an infinite number."""
    return WORDS[column] if column in WORDS and value == inf else cell(value, column, digits)


#: What Markdown would read as markup: anywhere, an underscore that is not inside a word, a heading, and an entity.
MARKUP = r"[\\`*<[\]|~]|(?<![^\W_])_|_(?![^\W_])|(?<!\S)#|&(?=#?\w+;)"


def markdown_text(text: str) -> str:
    """An id or a name in Markdown, which shows it as it is."""
    import re  # only for Markdown, as start-up counts

    return re.sub(MARKUP, r"\\\g<0>", text)


def markdown_code(text: str) -> str:
    """A name as code in Markdown, between more backticks than it has in a row."""
    import re

    text = show_id(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    room = " " if "`" in (text[:1], text[-1:]) else ""
    return f"{fence}{room}{text}{room}{fence}"


def lines(
    columns: Sequence[str], rows: Iterable[Sequence[str]], style: str, texts: int = 2, names: int | None = None
) -> str:
    """Text in columns, as a table, TSV, CSV or Markdown; the first `texts` columns are text, the others numbers.

    In Markdown, the first `names` columns, by default those of text, hold plain text, and the others may hold markup.
    """
    if style == "table":
        return "".join(f"{line}\n" for line in aligned([columns, *rows], texts))
    if style == "md":
        rule = ["---"] * texts + ["---:"] * (len(columns) - texts)
        plain = texts if names is None else names
        escaped = (
            [*map(markdown_text, line[:plain]), *(cell.replace("|", "\\|") for cell in line[plain:])] for line in rows
        )
        return "".join(f"| {' | '.join(line)} |\n" for line in (map(markdown_text, columns), rule, *escaped))
    if style == "tsv":
        return "\n".join(map("\t".join, (columns, *rows))) + "\n"
    import csv
    import io

    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([columns, *rows])
    return buffer.getvalue()


def aligned(
    lines: Sequence[Sequence[str]],
    texts: int,
    center: bool = False,
    gap: str = "   ",
    face: Callable[[int, int, str], str] = lambda row, column, text: text,
) -> list[str]:
    """Aligned lines of cells: the first `texts` columns to the left, the others to the right, each with its style."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]

    def cell(i: int, row: int, text: str) -> str:
        if i < texts:
            return text.ljust(widths[i])
        return text.center(widths[i]) if center and row == 0 else text.rjust(widths[i])

    return [
        gap.join(face(row, i, cell(i, row, text)) for i, text in enumerate(line)).rstrip()
        for row, line in enumerate(lines)
    ]
