"""``untied eval``: runs and qrels in, a table out."""

from __future__ import annotations

import argparse
from math import fsum, sqrt

from untied.cli import message, notes
from untied.cli.options import (
    PAPER_FORMATS,
    add_digits,
    add_docs,
    add_format,
    add_measures,
    add_output,
    add_plugin,
    add_policies,
    add_reading,
    add_threads,
    inputs_of,
    load_plugins,
    parse,
    parser,
)
from untied.cli.reading import Refused, columns_named, read_qrels, refuse_all, run_files
from untied.errors import UntiedError
from untied.evaluate.runs import Evaluator
from untied.inputs.convert import as_qrels, named_runs
from untied.inputs.overlap import Notes
from untied.measures import as_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from untied._core import Measure, Qrels
    from untied.results.evaluation import Results

EXAMPLES = """\
  untied eval qrels.txt bm25.run dense.run
  untied eval qrels.txt bm25.run -m nDCG@10 -m 'AP(rel=2)' -q > values.tsv
  untied eval qrels.txt *.run --ties range
  untied eval qrels.txt bm25.run --ties trec -m map -m ndcg_cut_10
  zcat run.gz | untied eval qrels.txt - --format json

Every value is the exact mean over all orders of tied documents; --ties range adds the smallest and the largest.
untied measures lists the measures.
"""


def arguments_parser() -> argparse.ArgumentParser:
    """Make the parser of the command's arguments."""
    made = parser("eval", "Evaluate runs against relevance judgments.", EXAMPLES)
    add = made.add_argument
    add("qrels", metavar="QRELS", help="judgments: query iteration document grade (also .gz, .zst, .xz; - is stdin)")
    add("runs", metavar="RUN", nargs="+", help="runs: query Q0 document rank score tag")
    add_measures(made)
    add("-q", "--per-query", action="store_true", help="values of queries too, not only of all")
    add_policies(made, "ties", "unjudged", "unretrieved")
    add(
        "--pool",
        metavar="FILE",
        help="the pool, written as qrels: what of it is not judged gets grade -1, pooled but not judged (for infAP)",
    )
    add_policies(made, "score_dtype", "queries", "on_undefined")
    add_reading(made, explained=True)
    add_docs(made)
    add_plugin(made)
    add("--variance", action="store_true", help="the variance over tie orders too")
    add(
        "--sampling-error",
        action="store_true",
        help="note the asymptotic standard error of mean infAP over the random choice of judged documents",
    )
    add_format(
        made,
        PAPER_FORMATS,
        about="md: a table in Markdown; latex: means as in papers, one line a run (untied stats adds marks of "
        "significance)",
    )
    add_digits(made)
    add_output(made, ".tsv, .csv, .json, .md, .tex")
    add(
        "--keep-going",
        action="store_true",
        help="leave out runs that cannot be read, and note them (default: print all errors and no values)",
    )
    add(
        "--stream",
        action="store_true",
        help="read standard input and pipes query by query, in little memory, as files are by default; the lines of a "
        "query must stand together",
    )
    add_threads(made)
    return made


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    options = parse(arguments_parser(), arguments)
    from untied.cli import output

    style = output.choose(options.format, options.output, PAPER_FORMATS)
    inputs = inputs_of(options.qrels, *options.runs, options.docs, options.pool)
    output.check_target(options.output, inputs)
    plugins = load_plugins(options.plugin)
    measures = as_measures(options.measure)
    if options.sampling_error and ("infAP" not in map(str, measures) or "-" in options.runs):
        raise UntiedError("--sampling-error goes with infAP, as it is without parameters, and with runs in files")
    try:
        qrels = read_qrels(options)
    except (UntiedError, OSError) as error:
        refuse_all(error, options)
    if options.pool is not None:
        from untied.judging.estimates import with_pool

        if qrels.format != "trec":
            raise UntiedError(f"--pool goes with plain qrels, not with format {qrels.format!r}")
        qrels = as_qrels(with_pool(qrels, as_qrels(options.pool, options.threads)), options.threads)
    settings = {
        "ties": options.ties,
        "unjudged": options.unjudged,
        "unretrieved": options.unretrieved,
        "score_dtype": options.score_dtype,
        "queries": options.queries,
        "qrels_format": options.qrels_format,
        "on_undefined": options.on_undefined,
    }
    evaluator = Evaluator(
        qrels, measures, **settings, docs=options.docs, variance=options.variance, threads=options.threads
    )
    refused: list[Exception] = []
    with Notes() as said:
        results = evaluator.evaluate_readable(run_files(options, *options.runs), options.stream, refused)
    if refused and (not options.keep_going or not results.runs):
        raise Refused(refused)
    if refused:
        said.append(f"runs left out, as they are refused: {len(refused)} of {len(options.runs)}")
        said += [f"left out: {message(error)}" for error in refused]
    said += _notes(results, measures, options, qrels.repeated)
    if options.sampling_error:
        said.append(_sampling_error(qrels, options, results.runs))
    if options.ties == "trec":
        settings["score_dtype"] = "float32"  # what that policy means
    settings |= columns_named(options)
    if style == "json":
        rows = results.table(per_query=options.per_query).to_dicts()
        text = output.json(settings, inputs, **output.plugins(plugins), runs=results.facts(), notes=said, results=rows)
    elif style == "latex":
        from untied.paper import paper_table

        if options.per_query:
            raise UntiedError("--format latex has means only, not -q")
        text = paper_table(results, digits=options.digits)
    else:
        counts = {str(measure) for measure in measures if measure.is_count}
        over = _spread_over(options.ties, options.unjudged)
        text = output.text(results, style, options.per_query, options.digits, counts, over, options.output is None)
    output.write(text, options.output)
    notes.show(said)


def _spread_over(ties: str, unjudged: str) -> str:
    """What lowest and highest values are over."""
    orders = ["all orders of tied documents"] if ties == "range" else []
    return " and ".join(orders + ["all grades of unjudged documents"] * (unjudged == "range"))


def _sampling_error(qrels: Qrels, options: argparse.Namespace, evaluated: Sequence[str]) -> str:
    from untied.judging.estimates import infap_error

    shown = []
    for name, run in named_runs(run_files(options, *options.runs), options.threads):
        if name not in evaluated:
            continue
        known = [error for error in infap_error(qrels, run()).values() if error == error]
        total = sqrt(fsum(error * error for error in known)) / len(known) if known else float("nan")
        shown.append(f"{total:.{options.digits}f} ({len(known)} queries) of {name}")
    return (
        "asymptotic standard error of mean infAP over the choice of judged documents, too small where few are judged; "
        f"queries with two relevant documents or more: {', '.join(shown)}"
    )


def _notes(results: Results, measures: list[Measure], options: argparse.Namespace, repeated: int) -> Iterator[str]:
    facts = results.facts()
    mixed = {name: fact for name, fact in facts.items() if fact["mixed"]}
    if mixed and options.ties != "range" and not all(measure.is_count for measure in measures):
        of_runs = [f"{fact['mixed']} of {fact['evaluated']} queries of {name}" for name, fact in mixed.items()]
        yield notes.of_ties(notes.listed(of_runs, "more runs"), options.ties)
    yield from notes.of_queries(facts, options.queries)

    def count(what: str) -> str:
        found: dict[str, Any] = {name: dict(fact)[what] for name, fact in facts.items()}
        return notes.values_by_run(found) if any(found.values()) else ""

    errors = [fact["standard_error"] for fact in facts.values() if fact["standard_error"] is not None]
    yield from notes.of_values(count, options.ties, errors)
    ungrouped = [name for name, fact in facts.items() if fact["ungrouped"]]
    if ungrouped:
        runs = notes.listed(ungrouped, "more runs")
        yield f"read twice and held in memory, as lines of a query do not stand together: {runs}"
    if repeated:
        yield f"judgments that stand in the qrels more than once, and count once: {repeated}"
