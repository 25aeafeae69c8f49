"""``untied compare``: two runs in, what they have in common out."""

from __future__ import annotations

import sys

from untied._core import show_id
from untied.cli import digits, parser, threads
from untied.compare import DEFAULT, compare
from untied.errors import UntiedError
from untied.inputs import named_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from untied.compare import Comparison

EXAMPLES = """\
  untied compare old.run new.run
  untied compare old.run new.run -m 'RBO(p=0.95)' -m Overlap@10 -q > values.tsv
  untied compare old.run new.run --top 20

No judgments are needed. Every value is the exact mean over all orders of tied documents in both runs, low and high the
smallest and the largest.
"""
COLUMNS = ("run_a", "run_b", "query", "measure", "value", "low", "high", "certificate")


def arguments_parser() -> argparse.ArgumentParser:
    """Make the parser of the command's arguments."""
    made = parser("compare", "Compare two runs without judgments.", EXAMPLES)
    add = made.add_argument
    add("run_a", metavar="RUN_A", help="a run: query Q0 document rank score tag (also .gz, .zst, .xz; - is stdin)")
    add("run_b", metavar="RUN_B", help="another")
    add(
        "-m",
        "--measure",
        metavar="MEASURE",
        action="append",
        help=f"RBO, Overlap@10, MED(nDCG@20), with parameters; repeatable (default: {', '.join(DEFAULT)})",
    )
    add("--qrels", metavar="QRELS", help="judgments; documents with a grade keep it in MED and Delta")
    add("--depth", metavar="N", type=count, help="of longer rankings only the first N documents (default: all)")
    add("-q", "--per-query", action="store_true", help="values of queries too, not only their means")
    add("--top", metavar="N", type=count, help="the N queries that differ most by the first measure")
    add("--ties", metavar="POLICY", default="expected", help="expected (default), docid, trec, given: as for eval")
    add("--score-dtype", metavar="DTYPE", default="float64", help="as for eval")
    add("--digits", metavar="N", type=digits, default=4, help="decimals (default: 4)")
    add("-o", "--output", metavar="FILE", help="write there")
    add("--threads", metavar="N", type=threads, help="number of threads (default: all processors)")
    return made


def count(text: str) -> int:
    """Read a number of things."""
    import argparse

    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a whole number from 1")
    return int(text)


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    options = arguments_parser().parse_args(arguments)
    from untied.cli import output

    inputs = [options.run_a, options.run_b]
    if inputs == ["-", "-"]:
        raise UntiedError("only one input can be standard input")
    output.check_target(options.output, inputs)
    # A run compared with itself has one name twice.
    names = [named_runs(path)[0][0] for path in inputs]
    if names[0] == names[1]:
        names = inputs
    found = compare(
        options.run_a,
        options.run_b,
        options.measure or DEFAULT,
        qrels=options.qrels,
        depth=options.depth,
        names=(names[0], names[1]),
        ties=options.ties,
        score_dtype=options.score_dtype,
        threads=options.threads,
    )
    output.write(_text(found, options), options.output)
    if any(found.alone):
        of_runs = ", ".join(f"{n} of {show_id(name)}" for n, name in zip(found.alone, found.runs, strict=True) if n)
        print(f"note: queries in only one run, left out: {of_runs}", file=sys.stderr)


def _text(found: Comparison, options: argparse.Namespace) -> str:
    rows = found.per_query.to_dicts() if options.per_query or options.top else []
    if options.top:
        width = len(found.measures)
        queries = [rows[start : start + width] for start in range(0, len(rows), width)]
        queries.sort(key=lambda query: query[0]["value"])  # all are higher where runs are more alike
        rows = [row for query in queries[: options.top] for row in query]
    lines = [COLUMNS, *(_cells(row, options.digits) for row in rows + found.means.to_dicts())]
    return "".join(["\t".join(line) + "\n" for line in lines])


def _cells(row: dict[str, str | float | None], digits: int) -> tuple[str, ...]:
    cells = []
    for column in COLUMNS:
        cell = row[column]
        if cell is None:
            cells.append("")
        else:
            cells.append(f"{cell:.{digits}f}" if isinstance(cell, float) else show_id(cell))
    return tuple(cells)
