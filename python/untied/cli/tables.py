"""Values of runs as text: a table for a terminal, TSV, CSV or Markdown."""

from __future__ import annotations

from untied._core import parse_measures, show_id
from untied.cli import width
from untied.cli.output import bold
from untied.measures import as_measure
from untied.policies import PolicyOption
from untied.results.notes import ADJUSTED, LEGEND
from untied.results.shown import best
from untied.results.text import MARK, SMALL, aligned, brackets, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Iterable, Sequence

    from untied.results.evaluation import Results
    from untied.results.table import Table
    from untied.statistics.runs import Significance


#: Columns about a row of means, not about a measure.
OF_ROWS = ("queries", "effective")


def headings(asked: Iterable[str]) -> dict[str, str]:
    """Headings of measures by their full names: the names asked for, if they are shorter or say more.

    >>> headings(["indAP", "RBP(p=.8)", "map"])
    {'AP(judged_only=True)': 'indAP', 'RBP': 'RBP(p=.8)'}
    """
    labels = {}
    for text in map(str.strip, asked):
        measures = parse_measures(text)
        full = str(measures[0])
        if len(measures) == 1 and (len(text) < len(full) if "(" in full else "(" in text):
            labels[full] = text
    return labels


def about(ties: str, adjust: str) -> str:
    """The sentences of a caption about policies that are not the default."""
    phrase = PolicyOption("runs", "ties").phrase(ties)
    said = [f"Values are computed {phrase}."] if phrase else []
    return " ".join(said if adjust == "none" else [*said, f"Values are {ADJUSTED}."])


def adjusted(measures: Iterable[str], headings: dict[str, str]) -> dict[str, str]:
    """Headings that say that values are adjusted for chance."""
    return {name: f"{headings.get(name, name)} (adjusted)" for name in measures}


def for_paper(results: Results, tests: Significance | None, options: argparse.Namespace, style: str) -> str:
    """A table for a paper, with marks of differences that were found significant."""
    from untied.paper import paper_table

    called = headings(options.measure or ())
    if options.adjust != "none" and style != "latex":
        called = adjusted(results.measures, called)
    caption = about(options.ties, options.adjust)
    text = paper_table(results, tests, style=style, digits=options.digits, headings=called, about=caption)
    if style == "table" and options.output is None:
        from untied.cli.notes import filled

        table, caption = text.rstrip().rsplit("\n\n", 1)
        text = f"{table}\n\n{filled(caption, width())}\n"
    return text


def meant(headings: dict[str, str]) -> str:
    """A line that explains the headings of measures."""
    said = [f"{text} is {full}" for full, text in headings.items() if "(" not in text]
    return f"{'; '.join(said)}\n" if said else ""


class Sheet:
    """How to write values.

    Parameters
    ----------
    style : str
        ``"table"``, ``"tsv"``, ``"csv"`` or ``"md"``.
    digits : int
        Decimals.
    counts : collection of str
        Measures whose values are whole numbers.
    wide : bool
        Whether TSV, CSV and Markdown get a column for each measure. Tables always do.
    on_screen : bool
        Whether the output goes to standard output, which may be a terminal.
    called : dict of str
        Headings of measures. Others are headed by their full names.
    """

    def __init__(
        self, style: str, digits: int, counts: Collection[str], *, wide: bool, on_screen: bool, called: dict[str, str]
    ) -> None:  # fmt: skip
        self.called = called
        self.style = style
        self.digits = digits
        self.counts = counts
        self.wide = wide
        self.on_screen = on_screen

    def text(self, results: Results, table: Table, spread_over: str, *, marked: bool = False) -> str:
        """A table as text; with `marked`, bounds are not printed but mark the values that ties leave open."""
        if self.style == "table":
            return self._aligned(table, results, spread_over, marked)
        if self.wide:
            columns, rows = self._wide(table, len(results.measures))
            return self._with_meant(lines(columns, rows, self.style, texts=len(_names(table)) - 1))
        return self._with_meant(lines(table.columns, self._formatted(table), self.style, texts=len(_names(table))))

    def _with_meant(self, text: str) -> str:
        said = meant(self.called)
        return f"{text}\n{said}" if said else text

    def _formatted(self, table: Table) -> Iterable[tuple[str, ...]]:
        """Rows as text, with control characters in ids escaped."""
        names = _names(table)
        measures = table["measure"]
        digits = {measure: 0 if measure in self.counts else self.digits for measure in {*measures}}
        texts: list[Iterable[str]] = []
        for name in names:
            ids = table[name]
            harmless = {one: self.called.get(one, one) if name == "measure" else show_id(one) for one in {*ids}}
            texts.append(map(harmless.__getitem__, ids))
        # Column by column, as per-query values of a large run are many.
        cells = [
            _cells(table[column], column, [digits[measure] for measure in measures])
            for column in table.columns[len(names) :]
        ]
        return zip(*texts, *cells, strict=True)

    def _wide(self, table: Table, measures: int) -> tuple[list[str], Iterable[list[str]]]:
        """One line per run and query, with columns for each measure."""
        rows = list(self._formatted(table))
        names = _names(table)[:-1]
        numbers = [column for column in table.columns[len(names) + 1 :] if column not in OF_ROWS]
        of_rows = [column for column in table.columns if column in OF_ROWS]
        first, last = len(names) + 1, len(names) + 1 + len(numbers)
        heads = [
            row[first - 1] + ("" if column == "value" else f" {column}")
            for row in rows[:measures]
            for column in numbers
        ]
        each = (rows[start : start + measures] for start in range(0, len(rows), measures))
        lines_of_rows = (
            [*line[0][: first - 1], *(cell for row in line for cell in row[first:last]), *line[0][last:]]
            for line in each
        )
        return [*names, *heads, *of_rows], lines_of_rows

    def _aligned(self, table: Table, results: Results, spread_over: str, marked: bool) -> str:
        """One line per run and query, one column per measure; one line per measure if that is too wide."""
        rows = [dict(zip(table.columns, row, strict=True)) for row in self._formatted(table)]
        measures = len(results.measures)
        with_range = "low" in table.columns and not marked
        is_open = marked and any(row["low"] != row["high"] for row in rows)
        spreads = [brackets(row["value"], row["low"], row["high"]) if with_range else "" for row in rows]
        widest = [max(map(len, spreads[place::measures]), default=0) for place in range(measures)]
        cells = [
            self._cell(row, spread.ljust(widest[place % measures]), is_open)
            for place, (row, spread) in enumerate(zip(rows, spreads, strict=True))
        ]
        # Where there are only means, there is nothing to tell queries apart by.
        only_means = all(table._is_of_means())
        named = [name for name in _names(table)[:-1] if name != "query" or not only_means]
        texts, of_rows = len(named), [column for column in table.columns if column in OF_ROWS]
        lines = [[*named, *(row["measure"] + " " * is_open for row in rows[:measures]), *of_rows]]
        lines += [
            [*(row[name] for name in named), *cells[place : place + measures], *(row[column] for column in of_rows)]
            for place, row in zip(range(0, len(rows), measures), rows[::measures], strict=True)
        ]
        legend = f"value [lowest, highest] over {spread_over}, if these differ\n" if with_range else ""
        shown = aligned(lines, texts, with_range)
        if self.on_screen and max(map(len, shown)) > width():
            columns = [name for name in table.columns if not (marked and name in ("low", "high"))]
            long = [[row[name] for name in columns] for row in rows]
            first = len(_names(table))
            if is_open:
                long = [[*row[:first], cell, *row[first + 1 :]] for row, cell in zip(long, cells, strict=True)]
            shown, legend = aligned([columns, *long], texts=first), ""
        elif named == ["run"]:
            shown = aligned(lines, texts, with_range, face=self._best(results))
        title, *body = shown
        return (
            legend
            + "".join(f"{line}\n" for line in [bold(title, self.on_screen), *body])
            + f"{LEGEND}\n" * is_open
            + meant(self.called)
        )

    def _cell(self, row: dict[str, str], spread: str, is_open: bool) -> str:
        """A value with its bounds, mark, variance or standard error."""
        mark = (MARK if row["low"] != row["high"] else " ") if is_open else ""
        variance = f" var {row['variance'] or '?'}" if "variance" in row else ""
        has_error = "sampling_error" in row and row["measure"] == "infAP"
        error = f" se {row['sampling_error'] or '?'}" if has_error else ""
        return row["value"] + mark + spread + variance + error

    def _best(self, results: Results) -> Callable[[int, int, str], str]:
        """The style of cells in a table of means: bold for the best run by each measure."""
        bold_cells = set()
        for column, name in enumerate(results.measures, 1):
            measure = as_measure(name)
            means = [results.value(measure, run=run).mean for run in results.runs]
            first = best(means, measure.lower_is_better)
            others = [mean for mean, is_best in zip(means, first, strict=True) if not is_best and mean == mean]
            if name not in self.counts and others:
                bold_cells |= {(row, column) for row, is_best in enumerate(first, 1) if is_best}
        return lambda row, column, text: bold(text, self.on_screen) if (row, column) in bold_cells else text


def _names(table: Table) -> list[str]:
    """The columns of names, the measure's last."""
    return table.columns[: table.columns.index("measure") + 1]


def _cells(values: Sequence[float | None], column: str, digits: Sequence[int]) -> list[str]:
    """Numbers of a column as `cell` writes them, quickly, as there may be many."""
    if column == "queries":
        return ["" if value is None else str(value) for value in values]
    if column in SMALL:
        return ["" if value is None else f"{value:.{each}g}" for value, each in zip(values, digits, strict=True)]
    return ["" if value is None else f"{value:z.{each}f}" for value, each in zip(values, digits, strict=True)]
