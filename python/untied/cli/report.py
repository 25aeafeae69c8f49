"""``untied report``: runs and qrels in, a page out."""

from __future__ import annotations

import sys

from untied.cli import add_plugin, load_plugins, output, parser, threads
from untied.cli.reading import add_reading, read_qrels, run_files
from untied.errors import UntiedError
from untied.statistics.runs import CORRECTIONS, INTERVALS, SAMPLES, TEST, TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

EXAMPLES = """\
  untied report qrels.txt *.run -o report.html
  untied report qrels.txt bm25.run dense.run --baseline bm25 -m nDCG@10 -m AP -o report.html

The page needs no network and no server: open it, or send it to somebody.
"""


def arguments_parser() -> argparse.ArgumentParser:
    """Make the parser of the command's arguments."""
    made = parser("report", "Write a self-contained page about an evaluation.", EXAMPLES)
    add = made.add_argument
    add("qrels", metavar="QRELS", help="judgments, as for untied eval")
    add("runs", metavar="RUN", nargs="+", help="runs, as for untied eval")
    add("-o", "--output", metavar="FILE", required=True, help="the page to write (.html); - is standard output")
    add(
        "-m",
        "--measure",
        metavar="MEASURE",
        action="append",
        help="a measure, repeatable (default: AP, nDCG@10, RR, P@10, R@100)",
    )
    add("--baseline", metavar="NAME", help="test all others against the run of this name (default: every two)")
    add("--title", metavar="TEXT", default="Evaluation", help="of the page (default: Evaluation)")
    add("--depth", metavar="N", type=int, default=20, help="documents of each ranking in the page (default: 20)")
    add("--level", metavar="L", type=float, default=0.95, help="confidence (default: 0.95)")
    add("--test", choices=TESTS, default=TEST, help=f"as for untied stats (default: {TEST})")
    add("--correction", choices=CORRECTIONS, default="holm", help="of p-values, as for untied stats (default: holm)")
    add("--interval", choices=INTERVALS, default="bca", help="of means: bca, a bootstrap (default); t; none")
    add("--samples", metavar="N", type=int, default=SAMPLES, help=f"permutations that are drawn (default: {SAMPLES})")
    add("--seed", metavar="N", type=int, default=0, help="of permutations and bootstrap samples (default: 0)")
    add(
        "--distance",
        metavar="MEASURE",
        action="append",
        help="what runs are compared by without judgments, repeatable (default: RBO, MED(nDCG@10))",
    )
    add("--score-dtype", metavar="DTYPE", default="float64", help="as for eval")
    add_reading(made)
    add_plugin(made)
    add("--threads", metavar="N", type=threads, help="number of threads (default: all processors)")
    return made


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    options = arguments_parser().parse_intermixed_args(arguments)
    inputs = [options.qrels, *options.runs]
    if inputs.count("-") > 1:
        raise UntiedError("only one input can be standard input")
    target = None if options.output == "-" else options.output
    if target is not None:
        output.by_suffix(target, {".html": "html", ".htm": "html"}, "html")
    output.check_target(target, inputs)
    load_plugins(options.plugin)
    from untied.report import DISTANCES, report

    page = report(
        read_qrels(options),
        run_files(options, *options.runs),
        options.measure,
        baseline=options.baseline,
        title=options.title,
        depth=options.depth,
        level=options.level,
        test=options.test,
        correction=options.correction,
        interval=options.interval,
        samples=options.samples,
        seed=options.seed,
        distances=options.distance or DISTANCES,
        score_dtype=options.score_dtype,
        qrels_format=options.qrels_format,
        inputs=inputs,
        threads=options.threads,
    )
    output.write(page, target)
    if target is not None:
        print(f"{target}: {len(page.encode()) / 1e6:.1f} MB", file=sys.stderr)
