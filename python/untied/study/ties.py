"""Ties: what they affect, how far tie orders move values, and the effect of coarser scores.

McSherry & Najork (2008) average over all orders of tied documents. Let m(o) be the mean of a measure over queries if a
run's ties are in order o. For every run, the study reports the mean, smallest and largest value of m(o) over all
orders, and m(o) for two orders that tools use: by document id, and the order of the input. Tie orders of two runs are
independent, so a pair of runs can be ordered either way if the intervals of m overlap.
"""

from __future__ import annotations

import os

from untied import _core
from untied.comparison.correlation import kendall, swapped
from untied.errors import UntiedError
from untied.evaluation.runs import Evaluator
from untied.measures import as_measures
from untied.progress import each
from untied.results.table import tidy
from untied.study import ties_summary
from untied.study.conduct import conduct
from untied.study.frame import DIGITS, Study, documented
from untied.study.inputs import Inputs
from untied.study.rankings import reversible
from untied.study.rows import gathered, nested
from untied.study.ties_plots import ORDERS, PRECISIONS
from untied.study.ties_precision import COSTS, at_precision, costs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, ClassVar

    from untied._core import Run
    from untied._literals import QrelsFormat
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.results.table import Table
    from untied.study.conduct import Plots, Result
    from untied.study.plots import Figure
    from untied.study.rows import Part, Row

#: The six of McSherry & Najork, and three that look at the whole ranking.
MEASURES = ("P@10", "R@100", "F1@10", "AP", "RR", "nDCG@10", "nDCG", "Rprec", "Bpref")


class Ties(Study):
    """The study that evaluates all runs with their scores at several precisions."""

    name = "ties"
    title = "How many documents are tied, and how far ties and rounded scores can move values"
    seeded = False
    beside = ("cost",)
    columns: ClassVar[Mapping[str, str]] = {
        "run": "the run",
        "query": "the query",
        "measure": "the measure",
        "precision": "precision of scores; 8 bits are 256 levels from the lowest to the highest score of a query",
        "value": "mean over all orders of tied documents",
        "low": "lowest value over all orders of tied documents",
        "high": "highest value over all orders of tied documents",
        "docid": "value if tied documents are sorted by id, descending",
        "given": "value if tied documents keep the order of the input",
        "documents": "documents retrieved",
        "tied": "documents with the score of another document of the query; empty if a score cannot be represented",
        "largest": "documents in the largest tie group",
        "tied_queries": "queries with tied documents",
        "mixed_queries": "queries with ties between documents of different grades",
        "order": "the order of tied documents by which runs are ranked",
        "to_precision": "precision of scores in the second ranking",
        "to_order": "order of tied documents in the second ranking",
        "runs": "runs in both rankings",
        "tau": "Kendall's tau_b of the two rankings of runs",
        "swapped": "pairs of runs that the two rankings put in opposite order",
        "pairs": "pairs of runs",
        "reversible": "pairs of runs with different means that some order of tied documents reverses",
        "difference": "largest difference between the means of a reversible pair",
        "run_a": "the run with the higher mean in this pair",
        "run_b": "the other run in this pair",
        **{f"{policy}_ms": f"CPU milliseconds to evaluate all runs with --ties {policy}" for policy in COSTS},
        "to_given": "time of the mean divided by the time of the order given",
        "to_docid": "time of the mean divided by the time of the order by docid",
    }

    @staticmethod
    def add_options(add: Callable[..., object]) -> None:
        """Add the study's options to the command line."""
        listed = ", ".join(MEASURES)
        add("-m", "--measure", metavar="MEASURE", action="append", dest="measures",
            help=f"compute MEASURE (repeatable; default: {listed})")  # fmt: skip
        add(
            "--cost",
            action="store_true",
            help="also measure how long averaging over all orders of tied documents takes",
        )

    def parts(self) -> Sequence[Part]:
        """Return a part for each precision."""
        return [(precision,) for precision in PRECISIONS]

    def compute(self, *part: Any) -> list[Row]:
        """Return rows with counts of ties and with values, for all runs."""
        (precision,) = part
        rows: list[Row] = []
        runs: dict[str, Run] = {}
        for name, run in each(list(self.inputs.runs.items()), "run"):
            read, dtype = at_precision(run, precision)
            try:
                counts = _core.tie_counts(read, self.inputs.threads, dtype)
            except UntiedError:  # a score that the precision does not hold
                rows.append(("counts", name, sum(len(run[query]) for query in run.queries()), None, None, None))
                continue
            runs[name] = read
            rows.append(("counts", name, *(counts[what] for what in ("documents", "tied", "largest", "queries"))))
        if not runs:
            return rows
        shares = {
            ties: Evaluator(
                self.inputs.qrels, self.settings["measures"], ties=ties, score_dtype=dtype, threads=self.inputs.threads
            ).evaluate(runs)
            for ties in ("range", "docid", "given")
        }
        spread = shares["range"]
        for name, facts in spread.facts().items():
            rows.append(("mixed", name, facts["mixed"]))
        for name in runs:
            for measure in spread.measures:
                whole = spread.value(measure, run=name)
                fixed = [shares[ties].value(measure, run=name).mean for ties in ("docid", "given")]
                rows.append(("value", name, measure, whole.mean, whole.low, whole.high, *fixed))
        if precision == PRECISIONS[0]:
            of_queries = spread.per_query
            keys = zip(*(of_queries[column] for column in ("run", "query", "measure")), strict=True)
            values = zip(*(of_queries[column] for column in ("value", "low", "high")), strict=True)
            rows += [("query", *key, *value) for key, value in zip(keys, values, strict=True)]
        return rows

    def tables(self, rows_by_part: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Return tables of values, counts of ties, queries, rankings of runs, and pairs that ties can reverse."""
        kinds = gathered(
            (kind, (precision, *row)) for (precision,), rows in rows_by_part.items() for kind, *row in rows
        )
        values = [(run, measure, precision, *row) for precision, run, measure, *row in kinds.get("value", ())]
        mixed = {(run, precision): number for precision, run, number in kinds.get("mixed", ())}
        counts = [(run, at, *row, mixed.get((run, at))) for at, run, *row in kinds["counts"]]
        rankings = nested(
            ((measure, precision, order), run, round(one, DIGITS))
            for run, measure, precision, value, low, high, docid, given in values
            for order, one in zip(ORDERS, (value, docid, given, high, low), strict=True)
        )
        intervals = nested(((measure, precision), run, tuple(row[:3])) for run, measure, precision, *row in values)
        tables = {
            "": tidy("run measure precision", "value low high docid given", values),
            "-runs": tidy("run precision", "documents tied largest tied_queries mixed_queries", counts),
            "-queries": tidy("run query measure", "value low high", (row[1:] for row in kinds.get("query", ()))),
            "-orders": tidy(
                "measure precision order to_precision to_order", "runs tau swapped pairs", _compared(rankings)
            ),
            "-reversible": tidy(
                "measure precision run_a run_b",
                "pairs reversible difference",
                ((*key, *reversible(of_runs)) for key, of_runs in intervals.items()),
            ),
        }
        if self.settings["cost"]:
            tables["-cost"] = costs(self.inputs, self.settings["measures"])
        return {f"{self.name}{name}": table for name, table in tables.items()}

    def summary(self, tables: Mapping[str, Table]) -> Iterator[str | Figure]:
        """Return the summary's sections on tied documents, the spread over orders, swaps, precision and cost."""
        return ties_summary.pieces(tables, self.name)


def _compared(rankings: Mapping[tuple[str, str, str], Mapping[str, float]]) -> Iterable[Row]:
    """Compare rankings of runs by different orders, and by scores of different precision."""
    for (measure, precision, order), one in rankings.items():
        others = [(precision, other) for other in ORDERS[: ORDERS.index(order)]]
        if precision != PRECISIONS[0]:
            others = [(PRECISIONS[0], other) for other in dict.fromkeys((order, ORDERS[0]))]
        for to_precision, to_order in others:
            other = rankings[measure, to_precision, to_order]
            both = [run for run in one if run in other]
            if len(both) > 1:
                of_both = [{run: ranking[run] for run in both} for ranking in (one, other)]
                pairs = len(both) * (len(both) - 1) // 2
                tau = kendall(of_both[0], of_both[1], variant="b").mean
                yield measure, precision, order, to_precision, to_order, len(both), tau, swapped(*of_both), pairs


@documented
def ties(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    cost: bool = False,
    qrels_format: QrelsFormat = "auto",
    plots: Plots = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Show what ties do to your runs: how far they move scores, and which comparisons they can reverse.

    The study also rounds the scores of documents to fewer bits, and shows what more ties do.

    Parameters
    ----------
    measures : measures or their names, optional
        Which measures to evaluate. By default P@10, R@100, F1@10, AP, RR, nDCG@10, nDCG, Rprec and Bpref.
    cost : bool
        Whether to also measure the CPU time of each measure. The study then writes one more table, ``ties-cost.tsv``.
        It has the milliseconds to evaluate all runs from memory on one thread, with ``ties="given"``, ``"docid"``,
        ``"expected"`` and ``"range"``. It also says how many times as long ``"expected"`` takes as ``"given"``, and as
        ``"docid"``. These times differ from call to call.

    Returns
    -------
    Result
        ``rows`` has a row for every run, measure and precision.

    References
    ----------
    McSherry & Najork 2008, Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
    Scores, ECIR.
    """
    asked = [str(measure) for measure in as_measures(MEASURES if measures is None else measures)]
    inputs = Inputs(qrels, runs, qrels_format=qrels_format, threads=threads)
    return conduct(Ties(inputs, {"measures": asked, "cost": cost}), directory, plots=plots, restart=restart)
