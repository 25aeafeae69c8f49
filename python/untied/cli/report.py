"""``untied report``: write an evaluation as a page."""

from __future__ import annotations

import sys

from untied.cli import output
from untied.cli.command import Command
from untied.cli.notes import add
from untied.cli.options import STRATA, Arguments, UsageError, chosen, inputs_of, load_plugins
from untied.cli.reading import baseline_of, judgments_of_both, read_qrels, with_readable
from untied.cli.rules import CORRECTED, ByName, Excludes, Needs, refuse_broken

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any


EXAMPLES = """\
  untied report qrels.txt *.run -o report.html
  untied report qrels.txt *.run --baseline bm25 -m nDCG@10 -m AP -o report.html
  untied report qrels.txt *.run --live -o report.html
  untied report human.qrels *.run --machine llm.qrels -o report.html

The page works without a network. Open the page in a browser, or send it to
somebody. The page opens with the first measure given with -m. Without -m, the
page opens with AP.
"""


COMMAND = Command(
    "report",
    "write an evaluation as one self-contained web page",
    EXAMPLES,
    listed_after="verify",
    common="-m --baseline --by --live --title -o",
    rules=(
        Excludes("--live", "--machine", ", because its readers choose what is computed"),
        Needs("--strata", "--machine"),
        Excludes("--by", "--live", ", because readers recalculate means of all queries only"),
        Needs("--query-table", "--by --strata"),
    ),
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_judged_runs()
    arguments.add_measures()
    group = arguments.group("measures")
    group.option(
        "--distance",
        "MEASURE",
        "compare the rankings of runs by MEASURE (repeatable; default: RBO, MED(nDCG@10))",
        action="append",
    )
    arguments.add_plugin()
    arguments.add_query_column("--by", "also show each segment of queries")
    group = arguments.group("significance")
    group.option(
        "--baseline", "RUN", "test all other runs against RUN, one of the given runs (default: test all pairs of runs)"
    )
    arguments.add_significance("means")
    arguments.add_machine("also show estimates from both, and how far they agree")
    arguments.add_query_column("--strata", STRATA, with_table=False)
    arguments.add_policies("runs", "score_dtype")
    group = arguments.group("output")
    group.option(
        "-o --output", "FILE", "write the page to FILE (.html), or to standard output if FILE is -", required=True
    )
    group.option("--title", "TEXT", "set the title of the page (default: the names of the runs)", default="")
    group.option("--depth", "N", "show the first N documents of each ranking (default: 20)", type=int, default=20)
    group.flag("--live", "let readers change the measures, the options and the baseline in the page")
    arguments.add_texts()
    arguments.add_threads()


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    if not options.live:  # in a live page, readers choose the test
        refuse_broken([CORRECTED], ByName(options, COMMAND.arguments()))
    inputs = _inputs(options)
    target = options.output
    if target is not None:
        output.by_suffix(target, output.PAGES, "html")
    output.check_target(target, inputs)
    load_plugins(options.plugin)
    from untied.report import DISTANCES, report
    from untied.report.live import LACKING, module

    if options.live and module() is None:
        raise UsageError(f"--live {LACKING}")

    if options.machine is None:
        qrels, machine = read_qrels(options), None
    else:
        qrels, machine = judgments_of_both(options, options.qrels, options.machine)

    def make(runs: Any) -> str:
        options.baseline = baseline_of(options, runs)
        how = chosen(
            options, "baseline", "title", "depth", "level", "test", "correction", "interval", "score_dtype",
            "qrels_format", "queries_text", "docs_text", "live", "threads", "query_table", "by", "strata",
        )  # fmt: skip
        return report(
            qrels, runs, options.measure, machine=machine, distances=options.distance or DISTANCES,
            inputs=_inputs(options), **how,
        )  # fmt: skip

    page, skipped = with_readable(options, make)
    output.write(page, target)
    add(skipped)
    if target is not None:
        print(f"{target}: {len(page.encode()) / 1e6:.1f} MB", file=sys.stderr)


def _inputs(options: argparse.Namespace) -> list[str]:
    """The files that the page records."""
    return inputs_of(
        options.qrels, options.machine, *options.runs, options.query_table, options.queries_text, options.docs_text
    )
