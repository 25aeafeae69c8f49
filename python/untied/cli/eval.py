"""``untied eval``: evaluate runs and write a table."""

from __future__ import annotations

from math import fsum, isnan, sqrt

from untied.cli import notes, output
from untied.cli.command import Command
from untied.cli.options import (
    PAPER_FORMATS,
    Arguments,
    UsageError,
    chosen,
    grouping,
    inputs_of,
    load_plugins,
)
from untied.cli.reading import left_out, read_qrels, reading_settings, refusal, run_files
from untied.cli.rules import Excludes, Needs
from untied.evaluation.runs import Evaluator, evaluate_readable
from untied.inputs.convert import as_qrels, named_runs
from untied.measures import as_measures
from untied.results.notes import of_evaluation
from untied.results.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from untied._core import Measure, Qrels
    from untied.results.evaluation import Results

EXAMPLES = """\
  untied eval qrels.txt bm25.run dense.run
  untied eval qrels.txt runs/ -m nDCG@10 -m 'AP(rel=2)' --sort-by nDCG@10
  untied eval qrels.txt *.run -q --wide -o values.tsv
  untied eval qrels.txt *.run --ties range
  untied eval qrels.txt *.run --query-table queries.tsv --by market
  untied eval qrels.txt bm25.run --ties trec -m map -m ndcg_cut_10
  zcat run.gz | untied eval qrels.txt - --format json

Each value is the exact average over all orders of tied documents. A RUN is a
file, a folder, a pattern in quotes such as '*.run', or - for standard input.
Inputs may be compressed (.gz, .zst, .xz). The command untied measures lists all
measures.
"""


COMMAND = Command(
    "eval",
    "score runs, and show the effect of ties and missing judgments",
    EXAMPLES,
    listed_after=None,
    common="-m --ties --unjudged --queries -q --sort-by --format -o",
    rules=(
        Needs("-o=svg|png|pdf", "--quantiles"),
        Needs("--quantiles", "--unjudged=nonrelevant|remove"),
        Excludes(
            "--quantiles",
            "--ties --wide --variance --sort-by --stream --sampling-error --adjust --format=latex",
        ),
        Excludes("--wide", "--format=json|latex"),
        Excludes("--sampling-error", "--adjust=chance", ", because adjusted values have none"),
        Excludes("--per-query --variance --sampling-error", "--format=latex", ", which shows only means"),
        Excludes("--by", "--format=latex", ", which has one line for each run"),
        Excludes("--by --weight --macro", "--quantiles --sampling-error"),
        Needs("--query-table", "--by --weight --macro"),
        Excludes(
            "--interleave",
            "--ties --unjudged --score-dtype --queries --adjust --docs --pool --by --weight --macro "
            "--quantiles --sampling-error --variance --wide --sort-by --stream --strict --keep-going --names "
            "--format=latex -o=svg|png|pdf",
        ),
    ),
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_judged_runs(explained=True)
    group = arguments.group("input")
    group.option(
        "--pool", "FILE", "read the pool (the documents chosen for judging) from FILE, for the measures infAP and subAP"
    )
    group.flag(
        "--strict", "also refuse runs that have no document in common with the judgments, and other suspicious input"
    )
    group.flag(
        "--interleave",
        "take the runs as searches of one agent, and average over all orders in which it may have read them",
    )
    group.flag("--stream", "read runs from standard input or pipes query by query, to save memory")
    arguments.add_measures()
    arguments.add_docs()
    arguments.add_plugin()
    arguments.add_query_table(clusters=False)
    arguments.group("measures").flag("--sampling-error", "also show the standard error of each infAP")
    arguments.add_policies(
        "runs", "ties", "unjudged", "unretrieved", "score_dtype", "queries", "on_undefined", "adjust"
    )  # fmt: skip
    group = arguments.group("output")
    group.flag("-q --per-query", "also print each measure's value for each query")
    group.flag("--wide", "write one column per measure in tsv, csv and md")
    arguments.add_sort_by(", and with -q also queries,")
    group.flag("--variance", "also show the variance of each value over all orders of tied documents")
    group.option(
        "--quantiles",
        "LEVELS",
        "print quantiles of each value over all orders of tied documents, at LEVELS such as 0.05,0.5,0.95",
        type=_levels,
    )
    plot = "a plot of how each mean varies over all orders of tied documents, with --quantiles (needs matplotlib)"
    arguments.add_table(PAPER_FORMATS, beside=output.PICTURES, about=plot)
    arguments.add_threads()


def _levels(text: str) -> list[float]:
    from untied.cli.quantiles import levels

    return levels(text)


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    style = options.style
    inputs = inputs_of(options.qrels, *options.runs, options.docs, options.pool, options.query_table)
    output.check_targets(inputs, [options.output, *options.beside])
    plugins = load_plugins(options.plugin)
    measures = as_measures(options.measure)
    order = None
    if options.sort_by is not None:
        from untied.cli.sorting import order_of

        order, measures = order_of(options, measures)
    _check(options, measures)
    if options.beside:
        from untied.results.plotting import need_matplotlib

        need_matplotlib()
    qrels = read_qrels(options)
    if options.pool is not None:
        from untied.judging.estimates import with_pool

        if qrels.format != "trec":
            raise UsageError(f"--pool needs qrels in the format trec, not {qrels.format}")
        qrels = as_qrels(with_pool(qrels, as_qrels(options.pool, options.threads)), options.threads)
    if options.interleave:
        from untied.cli.interleavings import write as write_interleaved

        return write_interleaved(options, qrels, measures, style, inputs, plugins)
    if options.quantiles:
        from untied.cli.quantiles import write

        return write(options, qrels, measures, style, inputs, plugins)
    policies = ("ties", "unjudged", "unretrieved", "score_dtype", "queries", "qrels_format", "on_undefined", "adjust")
    settings = chosen(options, *policies)
    # Tables mark the values that another order of tied documents would change.
    marked = style == "table" and options.ties == "expected" and options.unjudged in ("nonrelevant", "remove")
    marked = marked and qrels.format != "probabilities"  # of which no other order is known
    asked = settings | ({"ties": "range"} if marked else {}) | chosen(options, "docs", "variance", "strict", "threads")
    evaluator = Evaluator(qrels, measures, **asked)
    refused: list[Exception] = []
    results = evaluate_readable(evaluator, run_files(options), options.stream, refused)
    if refused and (not options.keep_going or not results.runs):
        raise refusal(refused, options)
    if refused:
        notes.add(left_out(refused, len(options.runs)))
    grouped = grouping(options)
    if grouped:
        results = results.grouped(**grouped)
    if order is not None:
        results = order.runs(results)
    notes.add(
        [
            *notes.of_probabilities(qrels),
            *_notes(results, measures, options),
            *results._design_notes(),
            *notes.of_repeated(qrels),
        ]
    )
    settings |= reading_settings(options) | grouped
    table = results.table(per_query=options.per_query)
    if order is not None and options.per_query:
        table = order.queries(table, results)
    if options.sampling_error:
        table = _with_sampling_errors(table, results, qrels, options)
        notes.add(
            [
                "standard errors of infAP (sampling_error) leave out queries with fewer than two relevant documents, "
                "and are too small (by 10 to 20 % for runs of TREC-8)"
            ]
        )
    if style == "json":
        text = output.json(settings, inputs, **output.plugins(plugins), runs=results.facts(), results=table.to_dicts())
    else:
        text = _text(results, table, measures, options, style, marked=marked)
    output.write(text, options.output)


def _text(
    results: Results, table: Table, measures: list[Measure], options: argparse.Namespace, style: str, *, marked: bool
) -> str:
    """Values as text; with `marked`, bounds are not printed but mark the values that ties leave open."""
    from untied.cli.tables import Sheet, adjusted, for_paper, headings

    if style == "latex":
        return for_paper(results, None, options, style)
    called = headings(options.measure or ()) if style not in ("tsv", "csv") else {}
    if options.adjust != "none":
        called = adjusted(results.measures, called)
    counts = {str(measure) for measure in measures if measure.is_count}
    over = "" if marked else output.over_all(results._varied)
    sheet = Sheet(style, options.digits, counts, wide=options.wide, on_screen=options.output is None, called=called)
    return sheet.text(results, table, over, marked=marked)


def _check(options: argparse.Namespace, measures: list[Measure]) -> None:
    """Refuse options that do not go together with the measures or inputs."""
    if options.sampling_error and ("infAP" not in map(str, measures) or "-" in options.runs):
        raise UsageError("--sampling-error needs -m infAP without parameters, and runs in files")
    if options.beside and len(measures) != 1:
        raise UsageError("a plot needs one measure, such as -m nDCG@10")


def _with_sampling_errors(table: Table, results: Results, qrels: Qrels, options: argparse.Namespace) -> Table:
    """The table with standard errors of infAP; None for other measures, and where the error is not known."""
    from untied.judging.estimates import infap_error

    errors: dict[str, dict[str, float]] = {}
    of_means: dict[str, float | None] = {}
    for name, run in named_runs(run_files(options), options.threads):
        if name in results.runs:
            of_queries = infap_error(qrels, run())
            counted = (of_queries[query] for query in results._evaluations[name].queries())
            known = [error for error in counted if not isnan(error)]
            errors[name] = of_queries
            of_means[name] = sqrt(fsum(error * error for error in known)) / len(known) if known else None

    def error_of(run: str, query: str, is_mean: bool) -> float | None:
        error = of_means[run] if is_mean else errors[run][query]
        return None if error is None or isnan(error) else error

    rows = zip(table["run"], table["query"], table["measure"], table._is_of_means(), strict=True)
    column = [error_of(run, query, is_mean) if measure == "infAP" else None for run, query, measure, is_mean in rows]
    return Table(table._texts, {**table._numbers, "sampling_error": column}, table._of_means)


def _notes(results: Results, measures: list[Measure], options: argparse.Namespace) -> Iterator[str]:
    facts = results.facts()
    yield from of_evaluation(facts, measures, vars(options))
    ungrouped = [name for name, fact in facts.items() if fact["ungrouped"]]
    if ungrouped:
        runs = notes.listed(ungrouped, "run")
        yield f"read twice and held in memory, because the lines of a query are not next to each other: {runs}"
