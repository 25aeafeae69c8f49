"""``untied curve``: dynamic recall, precision and recall, and gain of one query, rank by rank."""

from __future__ import annotations

from untied.cli import output
from untied.cli.command import Command
from untied.cli.options import Arguments, chosen, inputs_of, whole
from untied.cli.reading import read_qrels, run_files
from untied.cli.rules import Excludes, Needs
from untied.evaluation.curves import curves

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from untied.results.table import Table

EXAMPLES = """\
  untied curve qrels.txt bm25.run dense.run --query 401 > curves.tsv
  untied curve qrels.txt bm25.run --query 401 -o curves.svg
  untied curve qrels.txt bm25.run --query 401 --panel gain -o gain.pdf

Values are means over all orders of tied documents. A band in a plot shows the
lowest and the highest value at each rank. Plots (.svg, .png, .pdf) need
matplotlib.
"""
PLOTS = ("svg", "png", "pdf")


COMMAND = Command(
    "curve",
    "print or plot recall, precision and gain at each rank of a query",
    EXAMPLES,
    listed_after="gate",
    common="--query --depth --ties --panel -o",
    rules=(Needs("--panel", "--format=svg|png|pdf"), Excludes("--digits", "--format=svg|png|pdf")),
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.style_of = _style
    arguments.add_judged_runs(keep_going=False)
    group = arguments.group("measures")
    group.option("--query", "Q", "show the curves of query Q", required=True)
    group.option("--depth", "N", "stop the curves at rank N (default: 100)", type=whole(1, 10_000))
    group.option("--rel", "GRADE", "set the lowest grade that counts as relevant (default: 1)", type=float, default=1)
    group.option(
        "--gain",
        "GAIN",
        "set the gain of a grade g: linear (gain g; default) or exp2 (gain 2^g - 1)",
        choices=("linear", "exp2"),
        default="linear",
    )
    arguments.add_policies("runs", "score_dtype", ties="range")
    group = arguments.group("output")
    group.option(
        "--panel",
        "PANEL",
        "plot only the panel PANEL: dynamic-recall, precision-recall or gain (repeatable; default: all)",
        choices=("dynamic-recall", "precision-recall", "gain"),
        action="append",
    )
    group.option(
        "--format",
        "FORMAT",
        f"write tsv, csv, {', '.join(PLOTS[:-1])} or {PLOTS[-1]} (default: by the suffix of the output file, else tsv)",
        choices=("auto", "tsv", "csv", *PLOTS),
        default="auto",
    )
    arguments.add_digits(rest="")
    group.option("-o --output", "FILE", "write to FILE; the suffix of FILE sets the format")
    arguments.add_threads()


def _style(options: argparse.Namespace) -> str:
    """The format of the table or plot."""
    if options.format != "auto":
        return str(options.format)
    known = {f".{name}": name for name in ("tsv", "csv", *PLOTS)}
    return output.by_suffix(options.output or "", known, "tsv", remedy="; --format writes to any name")


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    style = options.style
    inputs = inputs_of(options.qrels, *options.runs)
    output.check_target(options.output, inputs)
    qrels = read_qrels(options)
    how = chosen(options, "depth", "rel", "gain", "ties", "score_dtype", "threads")
    table = curves(qrels, run_files(options), options.query, **how)
    if style in PLOTS:
        from untied.cli import plot

        judged = sum(grade >= options.rel for grade in qrels[options.query].values())
        panels = options.panel or ["dynamic-recall", "precision-recall", "gain"]
        output.write(plot.render(table, list(dict.fromkeys(panels)), style, judged), options.output)
    else:
        output.write(output.lines(table.columns, _formatted(table, options.digits), style), options.output)


def _formatted(table: Table, digits: int) -> list[list[str]]:
    from untied._core import show_id

    return [
        [show_id(run), show_id(query), curve, f"{rank:.0f}", *(f"{number:.{digits}f}" for number in numbers)]
        for run, query, curve, rank, *numbers in table.rows()
    ]
