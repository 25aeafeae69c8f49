"""``untied passages``: how much rankings of passages could differ, by characters read."""

from __future__ import annotations

from itertools import combinations

from untied._core import show_id
from untied.cli import output
from untied.cli.changes import COLUMNS, SHOWN
from untied.cli.command import Command
from untied.cli.notes import add
from untied.cli.options import Arguments, inputs_of, whole
from untied.comparison.comparison import QUANTILES, quantile
from untied.comparison.passages import (
    JUDGED,
    LENGTH,
    RUN,
    PassageComparison,
    compare_passages,
    read_judged_passages,
    read_passages,
)
from untied.errors import UntiedError
from untied.inputs.convert import named_runs
from untied.results.text import in_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from typing import Any

    from untied.cli.changes import ComparisonText

EXAMPLES = """\
  untied passages old.passages new.passages --top 10
  untied passages *.passages --qrels judgments.txt -q > values.tsv

MED-U is the largest difference in U between two rankings, over all gains that
unjudged characters could have.
"""


RUNS = f"runs, one passage per line: {RUN}"
QRELS = f"judgments, one per line: {JUDGED}"

COMMAND = Command(
    "passages",
    "compare runs of passages by the text that a user reads",
    EXAMPLES,
    listed_after="compare",
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_argument("runs", metavar="RUN", nargs="+", help=RUNS)
    group = arguments.group("input")
    group.option("--qrels", "QRELS", f"read judgments from QRELS, one per line: {JUDGED}")
    group.option(
        "--text-length",
        "L",
        f"count only the first L characters of each ranking (default: {LENGTH:g})",
        type=float,
        default=LENGTH,
    )
    group.option(
        "--decay",
        "DECAY",
        "let the weight of a character fall to 0 at L (linear, the default), or halve after every L",
        choices=("linear", "exponential"),
        default="linear",
    )
    group = arguments.group("output")
    group.flag("-q --per-query", "also print the value for each query")
    about = f"list the N queries whose rankings could differ most (default: {SHOWN})"
    group.option("--top", "N", about, type=whole(0))
    arguments.add_table()


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Compare every two runs of passages, and write the values."""
    style, length, decay = options.style, options.text_length, options.decay
    inputs = inputs_of(*options.runs, options.qrels)
    output.check_target(options.output, inputs)
    if len(options.runs) < 2:
        raise UntiedError(f"a comparison needs at least 2 runs, found {len(options.runs)}")
    names = [name for name, _ in named_runs(options.runs)]
    judged = read_judged_passages(options.qrels) if options.qrels else None
    runs, notes = [], []
    for name, path in zip(names, options.runs, strict=True):
        passages, tied = read_passages(path)
        runs.append(passages)
        if tied:
            notes.append(f"passages of equal score, in the order of the file: {tied} of {show_id(name)}")
    measure = f"MED-U@{length:g}" if decay == "linear" else f"MED-U(decay='{decay}')@{length:g}"
    pairs = []
    for a, b in combinations(range(len(runs)), 2):
        comparison = compare_passages(runs[a], runs[b], judged=judged, length=length, decay=decay)
        pairs.append(((show_id(names[a]), show_id(names[b])), comparison))
        alone = zip(pairs[-1][0], comparison.alone, strict=True)
        listed = ", ".join(f"{queries} of {name}" for name, queries in alone if queries)
        if listed:
            notes.append(f"queries in only one run, left out: {listed}")
    rows = [row for names_of, comparison in pairs for row in _rows(names_of, measure, comparison, options)]
    add(notes)
    if style == "json":
        settings = {"text_length": length, "decay": decay}
        text = output.json(settings, inputs, runs=names,
                           results=[dict(zip(COLUMNS, row, strict=True)) for row in rows])  # fmt: skip
    elif style in ("tsv", "csv"):
        text = output.lines(COLUMNS, (_cells(row, options.digits) for row in rows), style)
    else:
        from untied.cli.changes import ComparisonText

        report = ComparisonText(style, options.digits, on_screen=options.output is None)
        if len(pairs) == 1:
            text = _report(report, pairs[0], measure, options)
        else:
            texts = 3 if options.per_query else 2
            cells = [[*row[:2], *(row[2:3] if texts == 3 else []), f"{row[4]:.{options.digits}f}"] for row in rows]
            text = report.table(["run a", "run b", *(["query"] if texts == 3 else []), measure], cells, texts)
    output.write(text, options.output)


def _rows(
    names: tuple[str, str], measure: str, comparison: PassageComparison, options: argparse.Namespace
) -> Iterable[list[Any]]:
    """Rows of the requested queries, then the mean."""
    asked = (
        comparison.most_changed(options.top) if options.top else list(comparison.per_query) if options.per_query else []
    )
    values = [(show_id(query), comparison.per_query[query]) for query in asked]
    for query, value in [*values, ("all", comparison.mean)]:
        yield [*names, query, measure, value, value, value, "exact"]


def _cells(row: list[Any], digits: int) -> list[str]:
    return [f"{cell:.{digits}f}" if isinstance(cell, float) else cell for cell in row]


def _report(
    report: ComparisonText, pair: tuple[tuple[str, str], PassageComparison], measure: str, options: argparse.Namespace
) -> str:
    """The distribution of values over queries, and the queries that could differ most."""
    (old, new), comparison = pair

    def cell(value: float) -> str:
        return f"{value:.{options.digits}f}"

    def of(queries: Iterable[str]) -> str:
        return report.table(
            ["query", measure], [[show_id(query), cell(comparison.per_query[query])] for query in queries]
        )

    values = sorted(comparison.per_query.values())
    spread = [cell(quantile(values, share)) for share in QUANTILES.values()]
    top = SHOWN if options.top is None else options.top
    return "\n".join([
        report.title(f"{old} to {new}: {in_queries(len(comparison.per_query))}"),
        report.table(["", "mean", *QUANTILES], [[measure, cell(comparison.mean), *spread]]),
        *([of(comparison.per_query)] if options.per_query else []),
        *([report.title("could differ most"), of(comparison.most_changed(top))] if top else []),
    ])  # fmt: skip
