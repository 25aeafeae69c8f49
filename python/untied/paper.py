"""Tables for papers: one line per run, one column per measure, marks of significance."""

from __future__ import annotations

from untied._core import show_id
from untied.errors import UntiedError, check_one_of
from untied.results.latex import escaped, tabular
from untied.results.shown import best
from untied.results.text import in_queries, lines, markdown_text, over_all
from untied.statistics.notes import test_name
from untied.statistics.paired import of_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from untied.arrays import ArrayResults
    from untied.results.evaluation import Results
    from untied.results.value import Value
    from untied.statistics.runs import Significance

#: What a table can be written as.
STYLES = ("latex", "md", "csv", "tsv", "table")

_SOME = {"ties": "order of tied documents", "judgments": "grades of unjudged documents"}


class _Cell:
    """A mean with its marks."""

    def __init__(self, value: Value, best: bool, digits: int) -> None:
        self.mean = f"{value.mean:z.{digits}f}"
        ends = [end for end in (value.low, value.high) if end is not None]
        #: Both bounds; the column of CSV and TSV has them even if they equal the mean.
        self.ends = f"[{', '.join(f'{end:z.{digits}f}' for end in ends)}]" if ends else ""
        self.range = self.ends if self.ends != f"[{self.mean}, {self.mean}]" else ""
        self.best = best
        self.marks = ""

    def mark(self, text: str, survives: str | None) -> None:
        """Add a mark, with a question mark if some order of ties or some judgments would remove it."""
        self.marks += text.replace(text.strip(), f"{text.strip()}?") if survives == "no" else text


def paper_table(
    results: Results | ArrayResults | Mapping[str, ArrayResults],
    tests: Significance | None = None,
    *,
    style: str = "latex",
    digits: int = 4,
    headings: Mapping[str, str] | None = None,
    about: str = "",
) -> str:
    """Return a table for a paper, with a line for each run and a column for each measure.

    The best mean of a measure is bold. If you pass `tests`, marks show which differences are significant:

    * each run has a letter, and a mean carries the letters of the runs that it is significantly better than
    * if the tests have a baseline, a mean carries an arrow instead: up if it is significantly better, and down if it is
      worse
    * a question mark follows if the difference does not survive all orders of tied documents and all grades of unjudged
      ones

    Parameters
    ----------
    results : Results, ArrayResults, or dict of ArrayResults
        Results of one or several runs. Columns of arrays are runs, as for `untied.statistics.significance`.
    tests : Significance, optional
        What `untied.statistics.significance` returned for these results.
    style : str
        The format of the table: ``"latex"`` (with the package booktabs), ``"md"``, ``"csv"``, ``"tsv"``, or ``"table"``
        for text in columns. In CSV and TSV, marks have columns of their own, and there is no caption.
    digits : int
        How many decimals to print.
    headings : dict of str, optional
        Shorter headings for measures, such as ``{"nDCG(gain='exp2')@10": "nDCG"}``. The caption explains them. CSV and
        TSV keep the full names.
    about : str
        A sentence to add to the caption.

    Returns
    -------
    str
        The table. Its caption says how differences were tested and p-values corrected.

    Raises
    ------
    UntiedError
        The style is unknown, or `tests` belongs to other results.

    Examples
    --------
    >>> import untied
    >>> results = untied.evaluate({"q": {"a": 1}}, {"x": {"q": ["a", "b"]}, "y": {"q": ["b", "a"]}}, ["RR", "P@1"])
    >>> print(paper_table(results, style="md", digits=2))
    | run | RR | P@1 |
    | --- | --- | --- |
    | x | **1.00** | **1.00** |
    | y | 0.50 | 0.00 |
    <BLANKLINE>
    Means over 1 query. Bold: best.
    <BLANKLINE>
    """
    check_one_of("style", style, STYLES)
    results = of_runs(results)
    results._refuse_segments("paper_table")
    letters = {} if tests is None or tests.settings["baseline"] else _letters(results.runs)
    cells = _cells(results, digits)
    if tests is not None:
        _mark(tests, cells, letters)
    if style in ("csv", "tsv"):
        return _data(results, cells, letters, tests is not None, style)
    doubtful = any("?" in cell.marks for row in cells.values() for cell in row.values())
    caption = _caption(results, tests, style, doubtful)
    called = headings or {}
    caption += "".join(
        f" {text}: {full}." for full, text in called.items() if full in results.measures and text != full
    ) + (f" {about}" if about else "")
    head = ["run", *(called.get(name, name) for name in results.measures)]
    if style == "latex":
        columns = [_latex([cells[run][name] for run in cells]) for name in results.measures]
        body = [[_name(run, letters, style), *row] for run, row in zip(cells, zip(*columns, strict=True), strict=True)]
        return tabular([*map(escaped, head)], body, _symbols(escaped(caption)), texts=1)
    show = _markdown if style == "md" else _text
    body = [[_name(run, letters, style), *(show(cell) for cell in row.values())] for run, row in cells.items()]
    return lines(head, body, style, texts=len(head), names=1) + f"\n{caption}\n"


def _letters(runs: Sequence[str]) -> dict[str, str]:
    """a, b, c, ...; numbers where there are more runs than letters."""
    few = len(runs) <= 26
    return {run: chr(ord("a") + place) if few else f"{place + 1} " for place, run in enumerate(runs)}


def _cells(results: Results, digits: int) -> dict[str, dict[str, _Cell]]:
    """Cells by run and measure."""
    cells: dict[str, dict[str, _Cell]] = {run: {} for run in results.runs}
    for measure in results._measures:
        values = {run: results.value(measure, run=run) for run in cells}
        first = best(values.values(), measure.lower_is_better)
        for (run, value), is_best in zip(values.items(), first, strict=True):
            cells[run][str(measure)] = _Cell(value, is_best, digits)
    return cells


def _mark(tests: Significance, cells: dict[str, dict[str, _Cell]], letters: dict[str, str]) -> None:
    from untied.measures import as_measure

    for row in tests.table.to_dicts():
        a, b, measure = row["run_a"], row["run_b"], row["measure"]
        if a not in cells or b not in cells or measure not in cells[a]:
            raise UntiedError(f"{measure} of {show_id(a)} and {show_id(b)} was tested, but is not in these results")
        if row["significant"] != "yes":
            continue
        better = (row["difference"] < 0) == as_measure(measure).lower_is_better
        survives = row.get("survives")
        if not letters:
            cells[a][measure].mark("↑" if better else "↓", survives)
        elif better:
            cells[a][measure].mark(letters[b], survives)
        else:
            cells[b][measure].mark(letters[a], survives)


def _name(run: str, letters: dict[str, str], style: str) -> str:
    name = show_id(run)
    if style == "latex":
        name = escaped(name)
    letter = letters.get(run, "").strip()
    return f"({letter}) {name}" if letter else name


def _latex(column: list[_Cell]) -> list[str]:
    """Cells of a column that is aligned at the right: marks and ranges take the same room in each, so digits align."""
    marks = max((cell.marks.strip() for cell in column), key=len)
    ranged = max((cell.range for cell in column), key=len)
    return [
        (f"\\textbf{{{cell.mean}}}" if cell.best else cell.mean)
        + _in_room("\\textsuperscript{%s}", _symbols(cell.marks.strip()), _symbols(marks))
        + _in_room(" {\\scriptsize %s}", cell.range, cell.range if len(cell.range) == len(ranged) else ranged)
        for cell in column
    ]


def _in_room(form: str, text: str, widest: str) -> str:
    """A text that is as wide as the widest of its column."""
    if text == widest:
        return form % text if text else ""
    room = f"\\phantom{{{form % widest}}}"
    return f"\\rlap{{{form % text}}}{room}" if text else room


def _symbols(text: str) -> str:
    return text.replace("↑", "$\\uparrow$").replace("↓", "$\\downarrow$").replace("≤", "$\\le$")


def _markdown(cell: _Cell) -> str:
    text = f"**{cell.mean}**" if cell.best else cell.mean
    return text + (f"<sup>{cell.marks.strip()}</sup>" if cell.marks else "") + (f" {cell.range}" if cell.range else "")


def _text(cell: _Cell) -> str:
    return " ".join(part for part in (cell.mean + "^" * cell.best, cell.marks.strip(), cell.range) if part)


def _data(
    results: Results, cells: dict[str, dict[str, _Cell]], letters: dict[str, str], marked: bool, style: str
) -> str:
    """Plain columns: a mean, its range if known, and marks if differences were tested."""
    ranged = any(cell.ends for row in cells.values() for cell in row.values())
    head = ["run"] + ["letter"] * bool(letters)
    for measure in results.measures:
        head += [measure] + [f"{measure} range"] * ranged + [f"{measure} marks"] * marked
    body = []
    for run, row in cells.items():
        line = [show_id(run)] + ([letters[run].strip()] if letters else [])
        for cell in row.values():
            line += [cell.mean] + [cell.ends] * ranged + [cell.marks.strip()] * marked
        body.append(line)
    return lines(head, body, style)


def _caption(results: Results, tests: Significance | None, style: str, doubtful: bool) -> str:
    """The caption: how the table was made."""
    said = [f"Means over {in_queries(len(results.queries))}"]
    sums = [str(measure) for measure in results._measures if measure.is_count]
    if sums:
        said[0] += f", sums of {', '.join(sums)}"
    if any(cell.low is not None for cell in (results.value(results.measures[0], run=run) for run in results.runs)):
        said[0] += f", in brackets the lowest and highest mean over {over_all(results._varied)}"
    if len(results.runs) > 1:
        said.append(f"{'^' if style == 'table' else 'Bold'}: best")
    if tests is not None:
        settings = tests.settings
        baseline = settings["baseline"]
        how = f"{test_name(settings['test'], tests.correction)}, p ≤ {1 - settings['level']:.4g}"
        if baseline:
            than = markdown_text(show_id(baseline)) if style == "md" else show_id(baseline)
            said.append(f"Arrows: significantly better (↑) or worse (↓) than {than} ({how})")
        else:
            said.append(f"Letters: significantly better than these runs ({how})")
        of_logs = [str(measure) for measure in results._measures if measure.is_geometric]
        if of_logs:
            said.append(f"Tested by logarithms: {', '.join(of_logs)}")
        if doubtful:
            some = " or ".join(f"some {_SOME[one]}" for one in tests.varied)
            could = "would" if list(tests.varied) == ["ties"] else "might"
            said.append(f"With a question mark: {some} {could} make the difference insignificant")
    return ". ".join(said) + "."
