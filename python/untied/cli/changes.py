"""The report of ``untied compare`` for a terminal, or in Markdown."""

from __future__ import annotations

from itertools import groupby

from untied._core import show_id
from untied.cli import width
from untied.cli.notes import filled
from untied.cli.output import bold
from untied.comparison.changes import changed_at_the_top
from untied.results.text import aligned, brackets, in_queries, lines, markdown_text, padded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from untied.comparison.comparison import Comparison
    from untied.results.table import Table

COLUMNS = ("run_a", "run_b", "query", "measure", "value", "low", "high", "certainty")
#: Queries whose changes are shown where nothing else is asked for.
SHOWN = 5

#: Changes in the order in which they are told.
CHANGES = ("entered", "left", "rose", "fell")
#: Documents named for each.
NAMED = 10


class ComparisonText:
    """How to write: as a table or in Markdown, the number of decimals, and whether to a terminal."""

    def __init__(self, style: str, digits: int, on_screen: bool) -> None:
        self.style = style
        self.digits = digits
        self.on_screen = on_screen and style == "table"

    def of_two(self, comparison: Comparison, per_query: bool, top: int) -> str:
        """The distribution of values over queries, and what moved in the queries that changed most."""
        old, new = map(show_id, comparison.runs)
        changed = comparison.most_changed(top)
        rows = self._by_query(comparison, comparison.queries if per_query else changed)
        head = ["query", *comparison.measures]
        sign = f"; Delta is {old} minus {new}" if _has_delta(comparison) else ""
        parts = [
            self.title(f"{old} to {new}: {in_queries(len(comparison._native))}{sign}"),
            self._wrapped(changed_at_the_top(comparison.top_changes(comparison._top), comparison._top)) + "\n",
            self._distribution(comparison),
            *([self.table(head, [[show_id(query), *cells] for query, cells in rows.items()])] if per_query else []),
        ]
        if top:
            listed = [[show_id(query), *rows[query]] for query in changed]
            parts += [
                self.title(f"changed most by {comparison.measures[0]}"),
                self._told(
                    head, listed, [moved(comparison.moved(query), comparison.moving_depth) for query in changed]
                ),
            ]
        return "\n".join(parts)

    def of_many(self, pairs: list[Comparison], per_query: bool) -> str:
        """One line for each pair of runs, preceded by one for each query if asked for."""
        head = ["run a", "run b", *(["query"] if per_query else [])]
        rows = []
        for pair in pairs:
            names = list(map(show_id, pair.runs))
            if per_query:
                of_queries = self._by_query(pair, pair.queries).items()
                rows += [[*names, show_id(query), *cells] for query, cells in of_queries]
            rows.append([*names, *(["all"] if per_query else []), *map(self._value, pair.means.to_dicts())])
        sign = "Delta is run a minus run b\n" + "\n" * (self.style == "md") if _has_delta(pairs[0]) else ""
        return sign + self.table([*head, *pairs[0].measures], rows, texts=len(head))

    def title(self, text: str) -> str:
        """A heading."""
        return f"## {markdown_text(text)}\n" if self.style == "md" else bold(text, self.on_screen) + "\n"

    def _value(self, row: dict[str, Any]) -> str:
        """A value, with its bounds if they differ from it."""
        value, low, high = (row[name] for name in ("value", "low", "high"))
        text = f"{value:z.{self.digits}f}"
        ends = [text if end is None else f"{end:z.{self.digits}f}" for end in (low, high)]
        return text + brackets(text, *ends)

    def _by_query(self, comparison: Comparison, queries: list[str]) -> dict[str, list[str]]:
        def cells(query: str) -> list[str]:
            values = (
                comparison._native.value(comparison._place(query), number) for number in range(len(comparison.measures))
            )
            return [self._value(dict(zip(("value", "low", "high"), value, strict=False))) for value in values]

        return {query: cells(query) for query in queries}

    def _is_wide(self, head: list[str], rows: list[list[str]], texts: int) -> bool:
        """Whether a table is too wide for the terminal."""
        return self.on_screen and len(aligned([head, *rows], texts)[0]) > width()

    def table(self, head: list[str], rows: list[list[str]], texts: int = 1) -> str:
        """A table with a column for each measure, or a line for each if that is too wide."""
        if self._is_wide(head, rows, texts):
            head, groups, texts = _by_measure(head, rows, texts)
            rows = [row for group in groups for row in group]
        shown = rows if self.style == "md" else _padded(rows, texts)
        title, body = lines(head, shown, self.style, texts).split("\n", 1)
        return bold(title, self.on_screen) + "\n" + body

    def _wrapped(self, text: str) -> str:
        """A sentence, in lines that the terminal holds."""
        return filled(text, width()) if self.on_screen else text

    def _distribution(self, comparison: Comparison) -> str:
        """A table with a line for each measure, or a column for each if that is too wide."""
        spread = comparison.distribution
        rows = [[str(name), *(f"{value:z.{self.digits}f}" for value in values)] for name, *values in spread.rows()]
        for row, mean in zip(rows, comparison.means.to_dicts(), strict=True):
            row[1] = self._value(mean)
        head = ["", *spread.columns[1:]]
        if self._is_wide(head, rows, texts=1):
            head, *rows = map(list, zip(head, *rows, strict=True))
        return self.table(head, rows)

    def _told(self, head: list[str], rows: list[list[str]], moved: Iterable[dict[str, list[str]]]) -> str:
        """Queries with their values, each followed by what moved."""
        if self.style == "md":
            items = []
            for row, changes in zip(rows, moved, strict=True):
                values = ", ".join(f"{name} {cell}" for name, cell in zip(head[1:], row[1:], strict=True))
                items.append(f"* **{markdown_text(row[0])}**: {values}\n")
                items += [f"  * {change}: {markdown_text(', '.join(entries))}\n" for change, entries in changes.items()]
            return "".join(items)
        groups, texts = [[row] for row in rows], 1
        if self._is_wide(head, rows, texts):
            head, groups, texts = _by_measure(head, rows, texts)
        title, *body = aligned([head, *_padded([row for group in groups for row in group], texts)], texts)
        told = [bold(title, self.on_screen)]
        most = min(width(), 120) if self.on_screen else 120
        left = iter(body)
        for group, changes in zip(groups, moved, strict=True):
            told += [bold(next(left), self.on_screen) for _ in group]
            for change, entries in changes.items():
                told += _filled(f"  {change:<9}", entries, most)
        return "".join(f"{line}\n" for line in told)


def _has_delta(comparison: Comparison) -> bool:
    return any(name.startswith("Delta(") for name in comparison.measures)


def _padded(rows: list[list[str]], texts: int) -> list[list[str]]:
    """Rows whose columns of values are padded."""
    columns = [list(column) if i < texts else padded(column) for i, column in enumerate(zip(*rows, strict=True))]
    return [list(row) for row in zip(*columns, strict=True)]


def _by_measure(head: list[str], rows: list[list[str]], texts: int) -> tuple[list[str], list[list[list[str]]], int]:
    """A row for each measure instead of a column, in groups that were rows, and the number of columns of text."""
    groups = [
        [[*row[:texts], name, cell] for name, cell in zip(head[texts:], row[texts:], strict=True)] for row in rows
    ]
    return [*head[:texts], "measure", "value"], groups, texts + 1


def moved(documents: Table, depth: int) -> dict[str, list[str]]:
    """The documents to print for each kind of change, the top ones first; ``~`` marks what ties alone could explain."""
    told: dict[str, list[tuple[float, str]]] = {change: [] for change in CHANGES}
    for row in documents.to_dicts():
        if row["change"] != "stayed":
            here = row["rank_a"] if row["change"] == "left" else row["rank_b"]
            told[row["change"]].append((here, _document(row)))
    listed = {}
    for change, entries in told.items():
        entries.sort(key=lambda entry: entry[0])
        listed[change] = [text for _, text in entries[:NAMED]]
        if len(entries) > NAMED:
            listed[change].append(f"and {len(entries) - NAMED} more")
    named = {change: entries for change, entries in listed.items() if entries}
    if named and only_ties(documents):
        named = {"~": [f"some order of tied documents makes the first {depth} ranks equal"], **named}
    return named


def only_ties(documents: Table) -> bool:
    """Whether some orders of tied documents make two rankings equal, by the ranks in a table of moved documents.

    Tied documents may take any of the ranks that they share. Two rankings can be made equal unless a document is in
    only one of them, or one ranking has a document above another and the other ranking has it below.
    """
    ends = []
    for row in documents.to_dicts():
        if row["rank_a"] is None or row["rank_b"] is None:
            return False
        ends.append(tuple((row[f"rank_{side}"], row[f"rank_{side}"] + row[f"tied_{side}"] - 1) for side in "ab"))
    ends.sort()
    highest = 0.0  # of the first ranks in the second run, among groups that are above in the first run
    for _, group in groupby(ends, key=lambda one: one[0]):
        ranks = [in_b for _, in_b in group]
        if any(last < highest for _, last in ranks):
            return False
        highest = max(highest, *(first for first, _ in ranks))
    return True


def _document(row: dict[str, Any]) -> str:
    before, after = _rank(row, "a"), _rank(row, "b")
    way = f"new at {after}" if before is None else f"{before}, gone" if after is None else f"{before} to {after}"
    grade = "" if row["grade"] is None else f", grade {row['grade']:g}"
    return f"{show_id(row['document'])} ({way}{grade})"


def _rank(row: dict[str, Any], side: str) -> str | None:
    """A rank, or the range of ranks that tied documents share."""
    first, tied = row[f"rank_{side}"], row[f"tied_{side}"]
    if first is None:
        return None
    return f"{first:.0f}" if tied == 1 else f"{first:.0f}-{first + tied - 1:.0f}"


def _filled(label: str, entries: Sequence[str], most: int) -> Iterable[str]:
    """Entries wrapped to a width without breaking any."""
    line, empty = label, True
    for number, entry in enumerate(entries, 1):
        text = entry + ("," if number < len(entries) else "")
        if not empty and len(line) + 1 + len(text) > most:
            yield line
            line, empty = " " * len(label), True
        line += ("" if empty else " ") + text
        empty = False
    yield line
