"""``untied compare``: how similar runs are, and how much they could differ."""

from __future__ import annotations

import sys

from untied._core import show_id
from untied.cli import output
from untied.cli.changes import COLUMNS, SHOWN
from untied.cli.command import Command
from untied.cli.notes import add, listed
from untied.cli.options import (
    Arguments,
    UsageError,
    chosen,
    count,
    inputs_of,
    listing,
    load_plugins,
    whole,
)
from untied.cli.reading import qrels_columns, read_qrels, reading_settings, with_readable
from untied.cli.rules import TWO_RUNS, Excludes, Needs
from untied.cli.verdicts import COLUMNS as OF_VERDICTS
from untied.cli.verdicts import add_certify, certified
from untied.comparison.comparison import Comparison
from untied.comparison.measures import DEFAULT
from untied.comparison.runs import compare_all
from untied.comparison.several import Comparisons
from untied.inputs.convert import loaded_runs
from untied.measures import as_measure
from untied.results.text import cell, spoken
from untied.verdicts.results import judged_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from typing import Any

    from untied.measures import MeasureLike
    from untied.results.table import Table
    from untied.verdicts.results import Verdicts

EXAMPLES = """\
  untied compare old.run new.run
  untied compare old.run new.run -m 'MED(nDCG@20)' -m 'RBO(p=0.95)' -q
  untied compare old.run new.run --qrels qrels.txt -m 'Delta(nDCG@10)' --top 20
  untied compare *.run --qrels qrels.txt -m 'Delta(P@10)' --certify
  untied compare --show matrix *.run -m RBO > similarities.tsv

MED(P@10) is the most by which judgments could make P@10 rate two rankings
differently: the largest difference over all grades that unjudged documents
could have. The divisor of nDCG, AP and Bpref is a constant in MED, while it
depends on the judgments in untied eval. So nDCG@10 can differ by more than
MED(nDCG@10) there.

Delta(P@10, p=0.5) is the difference to expect if each unjudged document is
relevant with probability 0.5. Similarities, such as RBO, are averages over all
orders of tied documents.

If you have judgments, untied stats QRELS NEW OLD --top 10 lists the queries
that got better or worse.
"""

#: Measures that MED and Delta divide by a constant, see the page on MED.
DIVIDED = ("nDCG", "AP", "Bpref", "alpha_nDCG", "nERR_IA", "nNRBP", "AP_IA", "D_nDCG", "Dsharp_nDCG")


COMMAND = Command(
    "compare",
    "compare runs without judgments, and list the documents that moved",
    EXAMPLES,
    listed_after="eval",
    common="-m --qrels --ties -q --top --format -o",
    rules=(
        Needs("--qrels-format --grade --collapse-qrels --certify", "--qrels"),
        Needs("--top -o=html|htm", TWO_RUNS),
        Needs("--queries-text --docs-text", "-o=html|htm"),
        Excludes("--show=matrix", "--certify --top -o=html|htm"),
        Excludes("--show=matrix", "--per-query", ", because it shows only means"),
    ),
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_runs()
    group = arguments.group("input")
    group.option("--qrels", "QRELS", "read judgments from QRELS, for the measures MED and Delta")
    arguments.add_reading()
    arguments.add_keep_going()
    group.option(
        "--probabilities",
        "FILE",
        "read probabilities of relevance from FILE (a run file with probabilities instead of scores)",
    )
    group.option(
        "--depth",
        "N",
        "use only the first N documents of each ranking",
        type=count,
    )
    arguments.add_measures(f"compare runs by MEASURE, such as RBO(p=0.95) (repeatable; default: {', '.join(DEFAULT)})")
    arguments.add_plugin()
    arguments.add_docs()
    arguments.add_policies("pairs", "ties", "score_dtype")
    add_certify(arguments)
    group = arguments.group("output")
    group.flag("-q --per-query", "also print each measure's value for each query")
    group.option(
        "--top",
        "N",
        f"list the documents that moved, for the N queries whose rankings changed most (default: {SHOWN})",
        type=whole(0),
    )
    about = {"matrix": "a table with a row and a column for each run, also with itself"}
    group.option("--show", "WHAT", listing("instead of pairs of runs, print", about), choices=tuple(about))
    arguments.add_table(beside=output.PAGES, about="a web page with the rankings of two runs for each query")
    arguments.add_texts()
    arguments.add_threads()


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    style = options.style
    texts = [options.queries_text, options.docs_text]
    inputs = inputs_of(*options.runs, options.qrels, options.probabilities, options.docs, *texts)
    output.check_targets(inputs, [options.output, *options.beside])
    plugins = load_plugins(options.plugin)
    if not options.qrels and qrels_columns(options):
        raise UsageError(f"--column {min(qrels_columns(options))} needs --qrels")
    qrels = read_qrels(options) if options.qrels else None

    def make(runs: Any) -> tuple[Comparisons, Verdicts | None]:
        given = loaded_runs(runs, options.threads) if options.certify else runs
        how = chosen(options, "probabilities", "docs", "depth", "ties", "score_dtype", "threads")
        comparisons = compare_all(
            given, options.measure or DEFAULT, qrels=qrels, itself=options.show == "matrix", **how
        )
        if qrels is None or not options.certify:
            return comparisons, None
        return comparisons, certified(options, qrels, given, _judged(comparisons))

    (comparisons, verdicts), skipped = with_readable(options, make, least=2)
    pairs = [comparisons[pair] for pair in comparisons.pairs]
    notes = [*skipped, *comparisons._notes(), *(() if verdicts is None else verdicts._not_exact(OF_VERDICTS))]
    if qrels is not None and any(name.startswith("Delta(") for name in comparisons.measures):
        a, b = map(show_id, comparisons.pairs[0]) if len(pairs) == 1 else ("run a", "run b")
        which = "the run of the row minus the run of the column" if options.show == "matrix" else f"{a} minus {b}"
        notes.append(
            f"Delta is {which}; unjudged documents may be relevant in Delta, but are non-relevant in untied stats"
            + _divided(comparisons)
        )
    add(notes)
    if style == "json":
        text = _json(comparisons, pairs, options, inputs, output.plugins(plugins), verdicts)
    elif options.show == "matrix":
        text = _matrices(comparisons, style, options.digits)
    elif style in ("tsv", "csv"):
        columns = COLUMNS if verdicts is None else (*COLUMNS, *OF_VERDICTS)
        text = output.lines(columns, (row for pair in pairs for row in _rows(pair, options, verdicts)), style)
    else:
        from untied.cli.changes import ComparisonText

        report = ComparisonText(style, options.digits, on_screen=options.output is None)
        if len(pairs) == 1:
            text = report.of_two(pairs[0], options.per_query, SHOWN if options.top is None else options.top)
        else:
            text = report.of_many(pairs, options.per_query)
        if verdicts is not None:
            text += "\n" + report.title("verdicts for all grades of unjudged documents, over all judged queries")
            text += report.table(["run a", "run b", "measure", *OF_VERDICTS], _concluded(verdicts), texts=4)
    for path in options.beside:
        from untied.report import comparison_report

        page = comparison_report(pairs[0], inputs=inputs, **chosen(options, "queries_text", "docs_text", "threads"))
        output.write(page, path)
        print(f"{path}: {len(page.encode()) / 1e6:.1f} MB", file=sys.stderr)
    output.write(text, options.output)


def _judged(comparisons: Comparisons) -> list[MeasureLike]:
    """The measures inside MED and Delta."""
    inside = {name: judged_measure(name) for name in comparisons.measures}
    judged = [measure for name, measure in inside.items() if measure != name]
    if not judged:
        raise UsageError("--certify needs MED or Delta of a measure, such as -m 'Delta(nDCG@10)'")
    return list(dict.fromkeys(judged))


def _divided(comparisons: Comparisons) -> str:
    """An addition to a note: measures that Delta and an evaluation divide by different numbers."""
    inside = {name: judged_measure(name) for name in comparisons.measures if name.startswith("Delta(")}
    constant = [one for name, one in inside.items() if as_measure(one).name in DIVIDED and "R='relevant'" not in name]
    if not constant:
        return ""
    return (
        f"; Delta divides {listed(constant)} by a constant, but untied stats by a number that depends on the judgments"
    )


def _concluded(verdicts: Verdicts) -> list[list[str]]:
    """Verdicts as a person reads them."""
    return [
        [*(show_id(row[name]) for name in ("run_a", "run_b", "measure")), *(spoken(row[n], n, 0) for n in OF_VERDICTS)]
        for row in verdicts.table.to_dicts()
    ]


def _rows(pair: Comparison, options: argparse.Namespace, verdicts: Verdicts | None) -> Iterable[list[str]]:
    """Rows of TSV: the requested queries, then means."""
    for row in _asked(pair, options, verdicts):
        more = [] if verdicts is None else [cell(row[column], column, 0) for column in OF_VERDICTS]
        yield [*(cell(row[column], column, options.digits) for column in COLUMNS), *more]


def _asked(pair: Comparison, options: argparse.Namespace, verdicts: Verdicts | None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    if options.per_query or options.top:
        rows = pair.per_query.to_dicts()
        if options.top:
            width = len(pair.measures)
            of_query = {rows[start]["query"]: rows[start : start + width] for start in range(0, len(rows), width)}
            rows = [row for query in pair.most_changed(options.top) for row in of_query[query]]
    if verdicts is None:
        return rows + pair.means.to_dicts()
    return [row | dict.fromkeys(OF_VERDICTS) for row in rows] + verdicts.beside(pair.means).to_dicts()


def _matrices(comparisons: Comparisons, style: str, digits: int) -> str:
    """A square table for each measure, one below the other or marked by a column."""
    squares = {measure: _square(comparisons.matrix(measure), digits) for measure in comparisons.measures}
    names = [show_id(name) for name in comparisons.runs]
    if style in ("tsv", "csv"):
        rows = ([measure, *row] for measure, square in squares.items() for row in square)
        return output.lines(["measure", "run", *names], rows, style)
    parts = (output.lines([measure, *names], square, style, texts=1) for measure, square in squares.items())
    return "\n".join(parts)


def _square(matrix: Table, digits: int) -> list[list[str]]:
    return [[cell(one, "value", digits) for one in row] for row in matrix.rows()]


def _json(
    comparisons: Comparisons, pairs: list[Comparison], options: argparse.Namespace, inputs: list[str],
    plugins: dict[str, Any], verdicts: Verdicts | None,
) -> str:  # fmt: skip
    settings = {
        "ties": options.ties,
        "score_dtype": options.score_dtype,
        "depth": options.depth,
        "qrels_format": options.qrels_format,
        **reading_settings(options),
    }
    content: dict[str, Any] = {**plugins, "runs": comparisons.runs}
    if options.show == "matrix":
        content["matrices"] = {
            name: [list(row[1:]) for row in comparisons.matrix(name).rows()] for name in comparisons.measures
        }
    else:
        content["results"] = [row for pair in pairs for row in _asked(pair, options, verdicts)]
    if len(pairs) == 1 and options.show != "matrix":
        [pair] = pairs
        content["queries"] = {"both": len(pair.queries), "alone": list(pair.alone)}
        content["distribution"] = pair.distribution.to_dicts()
        if options.top:
            content["most_changed"] = [
                {"query": query, "moved": pair.moved(query).to_dicts()} for query in pair.most_changed(options.top)
            ]
    return output.json(settings, inputs, **content)
