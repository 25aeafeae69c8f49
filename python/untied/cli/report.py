"""``untied report``: runs and qrels in, a page out."""

from __future__ import annotations

import sys

from untied.cli import output
from untied.cli.options import (
    add_chance,
    add_measures,
    add_plugin,
    add_policies,
    add_reading,
    add_texts,
    add_threads,
    inputs_of,
    load_plugins,
    parse,
    parser,
)
from untied.cli.reading import read_qrels, run_files

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
    add_measures(made)
    add("--baseline", metavar="NAME", help="test all others against the run of this name (default: every two)")
    add("--title", metavar="TEXT", default="Evaluation", help="of the page (default: Evaluation)")
    add("--depth", metavar="N", type=int, default=20, help="documents of each ranking in the page (default: 20)")
    add_chance(made, "means")
    add(
        "--distance",
        metavar="MEASURE",
        action="append",
        help="what runs are compared by without judgments, repeatable (default: RBO, MED(nDCG@10))",
    )
    add_texts(made)
    add_policies(made, "score_dtype")
    add_reading(made)
    add_plugin(made)
    add_threads(made)
    return made


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    options = parse(arguments_parser(), arguments)
    inputs = inputs_of(options.qrels, *options.runs, options.queries_text, options.docs_text)
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
        queries_text=options.queries_text,
        docs_text=options.docs_text,
        inputs=inputs,
        threads=options.threads,
    )
    output.write(page, target)
    if target is not None:
        print(f"{target}: {len(page.encode()) / 1e6:.1f} MB", file=sys.stderr)
