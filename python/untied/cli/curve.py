"""``untied curve``: dynamic recall, precision and recall, and gain of one query, rank by rank."""

from __future__ import annotations

import argparse

from untied.cli import output
from untied.cli.options import add_digits, add_policies, add_reading, add_threads, inputs_of, parse, parser, whole
from untied.cli.reading import read_qrels, run_files
from untied.errors import UntiedError
from untied.evaluate.curves import curves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from untied.results.table import Table

EXAMPLES = """\
  untied curve qrels.txt bm25.run dense.run --query 401 > curves.tsv
  untied curve qrels.txt bm25.run --query 401 -o curves.svg
  untied curve truth.txt mine.run --query q1 --qrels-format groups --panel dynamic-recall -o figure.pdf

Values are means over all orders of tied documents, and the band runs from the smallest to the largest at each rank.
Plots (.svg, .png, .pdf) need matplotlib.
"""
PLOTS = ("svg", "png", "pdf")


def arguments_parser() -> argparse.ArgumentParser:
    """Make the parser of the command's arguments."""
    made = parser("curve", "Print or plot the curves of one query.", EXAMPLES)
    add = made.add_argument
    add("qrels", metavar="QRELS", help="judgments")
    add("runs", metavar="RUN", nargs="+", help="runs")
    add("--query", metavar="Q", required=True, help="the query")
    add("--depth", metavar="N", type=whole(1, 10_000), help="last rank (default: 100, or where truth and rankings end)")
    add("--rel", metavar="GRADE", type=float, default=1, help="lowest relevant grade (default 1)")
    add("--gain", choices=("linear", "exp2"), default="linear", help="gain of a grade (default linear)")
    add_policies(made, "score_dtype", ties="range")
    add_reading(made)
    add(
        "--panel",
        choices=("dynamic-recall", "precision-recall", "gain"),
        action="append",
        help="what to plot, repeatable (default: all three)",
    )
    add(
        "--format",
        choices=("auto", "tsv", "csv", *PLOTS),
        default="auto",
        help="auto (default): by the suffix of -o, else tsv",
    )
    add_digits(made, rest="")
    add("-o", "--output", metavar="FILE", help="write there")
    add_threads(made)
    return made


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    options = parse(arguments_parser(), arguments)
    style = options.format
    if style == "auto":
        known = {f".{name}": name for name in ("tsv", "csv", *PLOTS)}
        style = output.by_suffix(options.output or "", known, "tsv", remedy="; --format takes any")
    if options.panel and style not in PLOTS:
        raise UntiedError("--panel is for plots: give -o a suffix of .svg, .png or .pdf")
    inputs = inputs_of(options.qrels, *options.runs)
    output.check_target(options.output, inputs)
    qrels = read_qrels(options)
    table = curves(
        qrels,
        run_files(options, *options.runs),
        options.query,
        depth=options.depth,
        rel=options.rel,
        gain=options.gain,
        ties=options.ties,
        score_dtype=options.score_dtype,
        threads=options.threads,
    )
    if style in PLOTS:
        from untied.cli import plot

        judged = sum(grade >= options.rel for grade in qrels[options.query].values())
        panels = options.panel or ["dynamic-recall", "precision-recall", "gain"]
        output.write(plot.render(table, list(dict.fromkeys(panels)), style, judged), options.output)
    else:
        output.write(_text(table, style, options.digits), options.output)


def _text(table: Table, style: str, digits: int) -> str:
    import csv
    import io

    buffer = io.StringIO()
    lines = csv.writer(buffer, lineterminator="\n") if style == "csv" else None
    for line in [table.columns, *_formatted(table, digits)]:
        if lines is None:
            buffer.write("\t".join(line) + "\n")
        else:
            lines.writerow(line)
    return buffer.getvalue()


def _formatted(table: Table, digits: int) -> list[list[str]]:
    from untied._core import show_id

    return [
        [show_id(run), show_id(query), curve, f"{rank:.0f}", *(f"{number:.{digits}f}" for number in numbers)]
        for run, query, curve, rank, *numbers in table.rows()
    ]
