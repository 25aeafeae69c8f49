"""Results on a screen: tables row by row, or with a row for each run and a column for each measure."""

from __future__ import annotations

from math import inf, isnan

from untied import _core
from untied._core import show_id
from untied.results.text import MARK, P_VALUES, WORDS, aligned, brackets, over_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    from untied._core import Measure
    from untied._types import Facts

    #: How the row of a measure's best value stands to all others, from the values of all rows and their bounds.
    Bounds: TypeAlias = tuple[Sequence[float | None], Sequence[float | None]]
    Standings: TypeAlias = Callable[[Measure, int, Sequence[float], Bounds], Sequence[str]]

#: Rows of text, rows of HTML, and characters in a line of text, beyond which a row for each measure is shown.
LINES, ROWS, WIDTH = 60, 200, 100
#: The look of remarks.
FAINT = "opacity:.65;font-size:85%"


class Cell:
    """A mean for display, with its bounds if they differ from it."""

    def __init__(self, value: float, low: float | None, high: float | None, is_best: bool, digits: int) -> None:
        self.value = f"{value:z.{digits}f}"
        ends = [self.value if end is None else f"{end:z.{digits}f}" for end in (low, high)]
        self.range = brackets(self.value, *ends)
        self.is_best = is_best
        #: Characters that ranges of the column take, so that values stand below each other.
        self.spread = 0

    def __str__(self) -> str:
        return self.value + self.range.ljust(self.spread)

    def html(self) -> str:
        """The value, bold if it is the best one, and its range."""
        value = f"<b>{self.value}</b>" if self.is_best else self.value
        room = f"display:inline-block;min-width:{self.spread - 3}ch;text-align:left"
        return value + (f' <span style="{FAINT};{room}">{self.range.strip()}</span>' if self.spread else "")


class Marked:
    """The name of a run whose values depend on ties by an unknown amount."""

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self.why = why

    def __str__(self) -> str:
        return f"{show_id(self.name)} {MARK}"

    def html(self) -> str:
        """The name with a mark."""
        from html import escape

        return f'{escape(show_id(self.name))} <span title="{self.why}">{MARK}</span>'


class Grid:
    """Names of columns, the number of text columns, and the first rows."""

    def __init__(self, columns: dict[str, Sequence[Any]], texts: int, size: int, most: int) -> None:
        self.head = list(columns)
        self.texts = texts
        #: Measures by which another row could be as good as the best one or better, and those where that is unknown.
        self.contested: list[str] = []
        self.unknown: list[str] = []
        self.more = f"{size - most} more rows" if size > most else ""
        self.rows = list(zip(*(cells[:most] for cells in columns.values()), strict=True))

    def text(self) -> str:
        """Lines of text."""
        lines = [self.head, *(list(map(_plain, row, self.head)) for row in self.rows)]
        return "\n".join(aligned(lines, self.texts, gap="  ") + [f"... {self.more}"] * bool(self.more))

    def html(self, *notes: str) -> str:
        """HTML, with notes below."""
        head = self._line("th", self.head)
        body = "".join(self._line("td", row) for row in self.rows)
        said = " ".join(note for note in (*notes, self.more) if note)
        below = f'<p style="{FAINT}">{said}</p>' if said else ""
        return f"<div><table><thead>{head}</thead><tbody>{body}</tbody></table>{below}</div>"

    def _line(self, tag: str, cells: Iterable[Any]) -> str:
        from html import escape

        line = ""
        for place, (cell, column) in enumerate(zip(cells, self.head, strict=True)):
            side = "left" if place < self.texts else "right"
            text = cell.html() if isinstance(cell, (Cell, Marked)) else escape(_plain(cell, column))
            line += f'<{tag} style="text-align:{side};white-space:nowrap">{text}</{tag}>'
        return f"<tr>{line}</tr>"


def _plain(cell: Any, column: str = "") -> str:
    if isinstance(cell, float):
        if column in WORDS and cell == inf:
            return WORDS[column]
        # A p-value is small where it matters.
        return f"{cell:.0e}" if column in P_VALUES and cell < 0.0001 else f"{cell:z.4f}"
    return "" if cell is None else show_id(cell) if isinstance(cell, str) else str(cell)


def wide(
    columns: dict[str, Sequence[Any]],
    texts: int,
    measures: Sequence[Measure],
    standings_of: Standings | None,
    most: int,
) -> Grid:
    """The wide form of means, each in one cell with its bounds.

    If rows are ranked, the best ones are marked, and `standings_of` says whether another run could be better.
    """
    size = len(next(iter(columns.values()), ()))
    columns, contested, unknown = dict(columns), [], []
    for measure in measures:
        name = str(measure)
        values = columns[name]
        of = ("low", "high", "variance", "chance")
        low, high, *_ = (columns.pop(f"{name} {field}", [None] * size) for field in of)
        first = best(values, measure.lower_is_better) if standings_of else [False] * size
        digits = 0 if measure.is_count else 4
        cells = zip(values[:most], low, high, strict=False)
        shown = [Cell(*numbers, is_best, digits) for numbers, is_best in zip(cells, first, strict=False)]
        for cell in shown:
            cell.spread = max(len(one.range) for one in shown)
        columns[name] = shown
        if any(first) and standings_of is not None:
            standings = standings_of(measure, first.index(True), values, (low, high))
            if "open" in standings or "worse" in standings:
                contested.append(name)
            elif "unknown" in standings:
                unknown.append(name)
    grid = Grid(columns, texts, size, most)
    grid.contested, grid.unknown = contested, unknown
    return grid


def best(values: Iterable[float], lower_is_better: bool) -> list[bool]:
    """Which values are the best of the defined ones; none if there are fewer than two."""
    known = list(values)
    ranks = dict(_core.ranked(known, lower_is_better))
    several = sum(not isnan(value) for value in known) > 1
    return [several and ranks[place] == 1 for place in range(len(known))]


def marked(grid: Grid, facts: Sequence[Facts], rows_each: int = 1) -> bool:
    """Mark the names of rows whose values depend on the order of tied documents; return whether there are any."""
    from untied.results.notes import differ

    any_marked = False
    for place, row in enumerate(grid.rows[: len(facts) * rows_each if grid.texts else 0]):
        of_row = facts[place // rows_each]
        if of_row["mixed"]:
            why = f"tied documents {differ([of_row])} in {of_row['mixed']} of {of_row['evaluated']} queries"
            at = 0 if rows_each > 1 else grid.texts - 1
            grid.rows[place] = (*row[:at], Marked(str(row[at]), why), *row[at + 1 :])
            any_marked = True
    return any_marked


def with_notes(text: str, notes: Iterable[str], legend: str = "") -> str:
    """A text with the explanation of its marks and notes below, as the command line prints them."""
    from untied.results.notes import in_python

    said = [legend] * bool(legend) + [f"note: {note}" for note in notes]
    return "\n".join([text, *map(in_python, said)])


def sentences(notes: Iterable[str]) -> list[str]:
    """Notes as sentences of a page."""
    from html import escape

    from untied.results.notes import in_python

    return [escape(f"{note[0].upper()}{note[1:]}.", quote=False) for note in map(in_python, notes)]


def html_of(grid: Grid, facts: Sequence[Facts], varied: Sequence[str], notes: Iterable[str]) -> str:
    """A wide form as HTML with notes; rows are marked whose values depend on ties, by their facts."""
    from html import escape

    from untied.results.notes import LEGEND

    cells = [cell for row in grid.rows for cell in row if isinstance(cell, Cell)]
    ranged = any(cell.range for cell in cells)
    over = f"over {over_all(varied)}" if varied else "that ties or missing judgments allow"
    tied = marked(grid, facts)
    return grid.html(
        "<b>Bold</b>: best." * any(cell.is_best for cell in cells),
        f"In brackets: the lowest and highest value {over}." * ranged,
        f"Another could be as good or better by {', '.join(map(escape, grid.contested))}." * bool(grid.contested),
        f"Whether another could be as good or better by {', '.join(map(escape, grid.unknown))} is unknown."
        * bool(grid.unknown),
        *sentences([LEGEND] * tied + [*notes]),
    )
