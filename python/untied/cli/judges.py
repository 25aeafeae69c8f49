"""``untied judges``: score runs by a few human judgments and a machine's judgments of all queries."""

from __future__ import annotations

import argparse
from itertools import groupby
from math import isnan

from untied._core import show_id
from untied.cli import notes, output, width
from untied.cli.command import Command
from untied.cli.options import QRELS, STRATA, Arguments, UsageError, chosen, inputs_of, listing, load_plugins
from untied.cli.reading import baseline_of, judgments_of_both, reading_settings, with_readable
from untied.cli.rules import Excludes, Needs
from untied.inputs.convert import loaded_runs
from untied.judging.labels import agreement, unlabelled
from untied.measures import as_measures
from untied.results.plotting import need_matplotlib
from untied.results.text import aligned, cell
from untied.statistics.drawn_documents import estimate_from_qrels
from untied.statistics.judged_runs import SAMPLED, estimate_judged, notes_on_queries, notes_on_values
from untied.statistics.judges import TARGETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from untied._core import Measure, Qrels
    from untied.statistics.judged_runs import RunEstimates

EXAMPLES = """\
  untied judges human.qrels machine.qrels bm25.run dense.run -m nDCG@10
  untied judges human.qrels machine.qrels *.run --baseline bm25 -o estimates.tsv
  untied judges human.qrels machine.qrels *.run -m nDCG@10 -o estimates.svg
  untied judges human.qrels machine.qrels *.run --show agreement
  untied judges human.qrels machine.qrels *.run --query-table q.tsv --strata market
  untied judges human.qrels machine.csv *.run --qrels-format probabilities
  untied judges sample.qrels machine.qrels *.run --qrels-format stratified -m P@10

HUMAN has judgments by people of a random sample of the queries, and MACHINE has
judgments by a machine, such as a language model, of all queries. The estimates
are unbiased however bad the machine is. The more its scores rise and fall with
the human scores, the narrower the intervals become. Where the machine failed
and MACHINE is a table (csv, tsv, jsonl, parquet), the grade may be empty, null or
a text such as ERROR: the document is then unjudged. Elsewhere, leave it out or
give it a negative grade.

With --qrels-format probabilities, MACHINE has a probability for each grade, or a
row for each of several grades of a document. With --qrels-format stratified or
prels, HUMAN has a random sample of the documents of each query, and MACHINE all
of them; this is for P, Hits, DCG, RBP and nDCG.

The column human shows the mean of the human scores, and the column machine the
mean of the machine's scores of all queries. The column r shows the correlation
between human and machine scores. The column slope shows how far the machine is
trusted, from 0 to 1. The column width shows how wide the interval is, as a
multiple of that from the human judgments alone. The column worth shows how many
queries people would have to judge for such an interval without the machine. A
star marks differences whose interval excludes 0.

In tsv, csv and json, the rows of runs have an empty run_b, r is called
correlation, and worth is called equivalent. The column bias shows the mean of
machine minus human scores, over the queries that people judged.
"""

#: What estimates are of.
TARGET_NAMES = {"all": "all queries there could be", "these": "these queries"}
#: Columns that a narrow terminal does without, in this order.
DISPENSABLE = ("slope", "r", "machine", "human")

COMMAND = Command(
    "judges",
    "score runs by few human judgments and a model's of all queries",
    EXAMPLES,
    listed_after="stats",
    common="-m --baseline --target --show --ties --format -o",
    rules=(
        Excludes(
            "--show=agreement", "--measure --baseline --target --strata --ties --unjudged --adjust -o=svg|png|pdf"
        ),
        Needs("--query-table", "--strata"),
    ),
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_argument("qrels", metavar="HUMAN", help=f"human {QRELS}")
    arguments.add_argument("machine", metavar="MACHINE", help="a machine's judgments, in the same or another format")
    arguments.add_runs()
    arguments.add_reading()
    arguments.add_keep_going()
    arguments.add_measures()
    arguments.add_docs()
    arguments.add_plugin()
    group = arguments.group("estimates")
    group.option("--baseline", "RUN", "compare all other runs with RUN, one of the given runs (default: all pairs)")
    about = {
        "all": "the mean over all queries that could be asked, of which these are a random sample (default)",
        "these": "the mean over these queries, if people judged all of them",
    }
    group.option("--target", "WHAT", listing("choose what intervals are for", about), choices=TARGETS, default="all")
    group.option("--level", "L", "set the confidence level (default: 0.95)", type=float, default=0.95)
    arguments.add_query_column("--strata", STRATA)
    arguments.add_policies("runs", "ties", "unjudged", "score_dtype", "adjust")
    arguments.group("output").option(
        "--show",
        "WHAT",
        listing(
            "instead of estimates, print",
            {"agreement": "how far human and machine grades agree, by grade and by rank"},
        ),
        choices=("agreement",),
    )
    arguments.add_table(beside=output.PICTURES, about="a plot of the estimates (needs matplotlib)")
    arguments.add_threads()


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    inputs = inputs_of(options.qrels, options.machine, *options.runs, options.docs, options.query_table)
    output.check_targets(inputs, [options.output, *options.beside])
    plugins = load_plugins(options.plugin)
    measures = as_measures(options.measure)
    if options.beside and len(measures) != 1:
        raise UsageError("a plot needs one measure, such as -m nDCG@10")
    if options.beside:
        need_matplotlib()
    human, machine = judgments_of_both(options, options.qrels, options.machine)
    estimates: RunEstimates | None = None
    settings: dict[str, Any] = {}
    if options.show:
        table, skipped = with_readable(
            options, lambda runs: agreement(human, machine, runs, **chosen(options, "level", "threads"))
        )
        said = skipped
    else:
        (estimates, settings, notes_of_values), skipped = with_readable(
            options, lambda runs: _estimates(options, measures, human, machine, runs)
        )
        table, said = estimates.table, [*skipped, *notes_of_values, *estimates.notes]
        for path in options.beside:
            output.write(estimates.plot(style=output.PICTURES[output.suffix(path)]), path)
    notes.add([*said, *unlabelled(human, machine)])
    rows = table.to_dicts()
    if options.style == "json":
        settings |= chosen(options, "level") | reading_settings(options)
        text = output.json(settings, inputs, **output.plugins(plugins), results=rows)
    elif options.style in ("tsv", "csv"):
        lines = [[cell(value, name, options.digits) for name, value in row.items()] for row in rows]
        text = output.lines(table.columns, lines, options.style, sum(isinstance(one, str) for one in rows[0].values()))
    elif estimates is None:
        text = _table([_group(row, options.digits) for row in rows], options)
    else:
        text = "\n".join(
            _title(measure, estimates, options) + _table(lines, options)
            for measure, lines in _by_measure(rows, options.digits)
        )
    output.write(text, options.output)


def _estimates(
    options: argparse.Namespace, measures: Sequence[Measure], human: Qrels, machine: Qrels, runs: Any
) -> tuple[RunEstimates, dict[str, Any], list[str]]:
    """The estimates, the settings they were made with, and notes on the values of queries."""
    if human.format in SAMPLED:
        return _of_drawn(options, measures, human, machine, runs)
    options.baseline = baseline_of(options, runs)
    policies = chosen(options, "ties", "unjudged", "score_dtype", "adjust")
    by = chosen(options, "query_table", "strata")
    how = chosen(options, "baseline", "target")
    loaded = loaded_runs(runs, options.threads)
    estimates, by_people, by_machine = estimate_judged(
        human, machine, loaded, measures, **policies, **by, **how,
        **chosen(options, "level", "docs", "threads"),
    )  # fmt: skip
    counts = {"judged": estimates.judged, "queries": estimates.queries}
    settings = policies | (by if options.strata is not None else {}) | how | counts
    of_queries = notes_on_queries({*by_people.queries, *by_machine.queries}, loaded)
    return estimates, settings, [*of_queries, *notes_on_values(by_people, by_machine, options.adjust)]


def _of_drawn(
    options: argparse.Namespace, measures: Sequence[Measure], human: Qrels, machine: Qrels, runs: Any
) -> tuple[RunEstimates, dict[str, Any], list[str]]:
    """The estimates from a sample of the documents of each query."""
    usual = {"strata": None, "docs": None, "ties": "expected", "unjudged": "nonrelevant", "adjust": "none"}
    for name, value in usual.items():
        if getattr(options, name) != value:
            raise UsageError(f"--{name} has no effect with a sample of the documents of each query (--qrels-format)")
    options.baseline = baseline_of(options, runs)
    how = chosen(options, "baseline", "target")
    estimates = estimate_from_qrels(
        human, machine, loaded_runs(runs, options.threads), measures, **how, **chosen(options, "level")
    )
    counts = {"documents": estimates.documents, "queries": estimates.queries}
    return estimates, chosen(options, "qrels_format") | how | counts, []


def _by_measure(rows: list[dict[str, Any]], digits: int) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The lines of every measure's table."""
    for measure, mine in groupby(rows, lambda row: row["measure"]):
        yield measure, [_estimate(row, digits) for row in mine]


def _estimate(row: dict[str, Any], digits: int) -> dict[str, str]:
    """The cells of an estimate; that of a difference has its sign."""
    sign = "+" if row["run_b"] else ""
    named = " - ".join(show_id(row[run]) for run in ("run_a", "run_b") if row[run])

    def number(name: str) -> str:
        return "-" if isnan(row[name]) else f"{row[name]:{sign}z.{digits}f}"

    def short(name: str, decimals: int) -> str:
        return "-" if isnan(row[name]) else f"{row[name]:z.{decimals}f}"

    star = " *" if row["run_b"] and (row["low"] > 0 or row["high"] < 0) else ""
    return {
        "run": named,
        "estimate": number("estimate"),
        "interval": "-" if isnan(row["low"]) else f"[{number('low')}, {number('high')}]{star}",
        "human": number("human"),
        "machine": number("machine"),
        "r": short("correlation", 2),
        "slope": short("slope", 2),
        "width": short("width", 2),
        "worth": short("equivalent", 0),
    }


def _group(row: dict[str, Any], digits: int) -> dict[str, str]:
    """The cells of a group of documents."""

    def number(name: str) -> str:
        return "-" if isnan(row[name]) else f"{row[name]:z.{digits}f}"

    interval = "-" if isnan(row["kappa_low"]) else f"[{number('kappa_low')}, {number('kappa_high')}]"
    numbers = {name: number(name) for name in ("human", "machine", "bias", "equal", "kappa")}
    return {"group": row["group"], "documents": f"{row['documents']:,}", **numbers, "interval": interval}


def _title(measure: str, estimates: RunEstimates, options: argparse.Namespace) -> str:
    """What a table's estimates are of."""
    text = f"{measure}: mean over {TARGET_NAMES[options.target]}, {estimates.basis}; * interval excludes 0"
    return f"{text}\n\n" if options.style == "md" else f"{output.bold(text, options.output is None)}\n"


def _table(lines: Sequence[dict[str, str]], options: argparse.Namespace) -> str:
    """A table, without columns for which the terminal has no room."""
    kept = list(lines[0])
    most = width() if options.output is None and options.style == "table" else 10**9
    hidden = []
    for name in DISPENSABLE:
        if max(map(len, aligned([kept, *([line[one] for one in kept] for line in lines)], texts=1))) <= most:
            break
        if name in kept:
            kept.remove(name)
            hidden.append(name)
    text = output.lines(kept, [[line[name] for name in kept] for line in lines], options.style, texts=1)
    return text + (f"{', '.join(hidden)} hidden: widen the terminal or use --format tsv\n" if hidden else "")
