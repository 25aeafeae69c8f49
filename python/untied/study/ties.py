"""Ties: what they touch, how far the orders of tied documents are apart, and what coarser scores do.

McSherry & Najork (2008) average over all orders of tied documents. With m(o) the mean of a measure over queries when a
run's ties are in order o, the study has for every run the mean of m(o) over all orders, its smallest and its largest
value, and m(o) of two orders that tools take: by document id, and as the input has them. Tie orders of two runs have
nothing to do with each other, so a pair of runs can be ordered either way if the intervals of m overlap.
"""

from __future__ import annotations

import os
from itertools import combinations

from untied import _core
from untied.compare.correlation import kendall, swapped
from untied.errors import UntiedError
from untied.evaluate.runs import Evaluator
from untied.measures import as_measures
from untied.progress import each
from untied.study.frame import DIGITS, Figure, Study, conduct
from untied.study.inputs import Inputs
from untied.study.rows import tidy
from untied.study.ties_plots import WIDEST, draw_precision, draw_spread, draw_swaps
from untied.study.ties_summary import (
    ORDERS,
    PRECISIONS,
    cost_text,
    precisions_text,
    spreads_text,
    swaps_text,
    touched_text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, ClassVar

    from untied._core import Run
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.policies import QrelsFormat
    from untied.policies import Ties as TiesPolicy
    from untied.results.table import Table
    from untied.study.frame import Result
    from untied.study.rows import Part, Row

#: The six of McSherry & Najork, and three that look at the whole ranking.
MEASURES = ("P@10", "R@100", "F1@10", "AP", "RR", "nDCG@10", "nDCG", "Rprec", "Bpref")
LEVELS = 255


class Ties(Study):
    """All runs, their scores read at one precision after the other."""

    name = "ties"
    title = "Ties: what they touch, how far their orders are apart, and what coarser scores do"
    seeded = False
    columns: ClassVar[Mapping[str, str]] = {
        "run": "the run",
        "query": "the query",
        "measure": "the measure",
        "precision": "how scores are read; 8 bits are 256 levels from the lowest to the highest score of a query",
        "value": "mean over all orders of tied documents, and over queries",
        "low": "smallest value over these orders",
        "high": "largest value over these orders",
        "docid": "value when tied documents stand by id, descending",
        "given": "value when they stand as in the input",
        "documents": "documents retrieved",
        "tied": "documents that share their score with another of the query; empty where scores do not fit",
        "largest": "documents in the largest tie group",
        "tied_queries": "queries with tied documents",
        "mixed_queries": "queries with tied documents of different grade",
        "order": "the order of tied documents by which runs are ranked",
        "to_precision": "precision of the ranking it is compared with",
        "to_order": "order of the ranking it is compared with",
        "runs": "runs in both rankings",
        "tau": "Kendall's tau_b of the two rankings of runs",
        "swapped": "pairs of runs that the two rankings order oppositely",
        "pairs": "pairs of runs",
        "reversible": "pairs of runs with different means that some order of their ties puts the other way round",
        "difference": "largest difference of means among these",
        "run_a": "the run ahead in that pair",
        "run_b": "the other one",
    }

    @staticmethod
    def add_options(add: Callable[..., argparse.Action]) -> None:
        """Add its options to the command line."""
        listed = ", ".join(MEASURES)
        add("-m", "--measure", metavar="MEASURE", action="append", dest="measures",
            help=f"a measure, repeatable (default: {listed})")  # fmt: skip
        add(
            "--cost",
            action="store_true",
            help="also measure the time that averaging over ties takes (ties-cost.tsv and the summary)",
        )

    def parts(self) -> Sequence[Part]:
        """One for each precision."""
        return [(precision,) for precision in PRECISIONS]

    def compute(self, *part: Any) -> list[Row]:
        """Counts of ties, and values, of all runs."""
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
        found = {
            ties: Evaluator(
                self.inputs.qrels, self.settings["measures"], ties=ties, score_dtype=dtype, threads=self.inputs.threads
            ).evaluate(runs)
            for ties in ("range", "docid", "given")
        }
        spread = found["range"]
        for name, facts in spread.facts().items():
            rows.append(("mixed", name, facts["mixed"]))
        for name in runs:
            for measure in spread.measures:
                whole = spread.value(measure, run=name)
                fixed = [found[ties].value(measure, run=name).mean for ties in ("docid", "given")]
                rows.append(("value", name, measure, whole.mean, whole.low, whole.high, *fixed))
        if precision == PRECISIONS[0]:
            of_queries = spread.per_query
            keys = zip(*(of_queries[column] for column in ("run", "query", "measure")), strict=True)
            values = zip(*(of_queries[column] for column in ("value", "low", "high")), strict=True)
            rows += [("query", *key, *value) for key, value in zip(keys, values, strict=True)]
        return rows

    def tables(self, found: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Values, counts of ties, queries, rankings of runs, pairs that ties can reverse."""
        values = [
            (row[1], row[2], part[0], *row[3:]) for part, rows in found.items() for row in rows if row[0] == "value"
        ]
        counts = [(row[1], part[0], *row[2:]) for part, rows in found.items() for row in rows if row[0] == "counts"]
        mixed = {(row[1], part[0]): row[2] for part, rows in found.items() for row in rows if row[0] == "mixed"}
        queries = [row[1:] for rows in found.values() for row in rows if row[0] == "query"]
        rankings: dict[tuple[str, str, str], dict[str, float]] = {}
        intervals: dict[tuple[str, str], dict[str, tuple[float, float, float]]] = {}
        for run, measure, precision, value, low, high, docid, given in values:
            for order, one in zip(ORDERS, (value, docid, given, high, low), strict=True):
                rankings.setdefault((measure, precision, order), {})[run] = round(one, DIGITS)
            intervals.setdefault((measure, precision), {})[run] = (value, low, high)
        return {
            self.name: tidy(("run", "measure", "precision"), ("value", "low", "high", "docid", "given"), values),
            f"{self.name}-runs": tidy(
                ("run", "precision"),
                ("documents", "tied", "largest", "tied_queries", "mixed_queries"),
                [(*row, mixed.get((row[0], row[1]))) for row in counts],
            ),
            f"{self.name}-queries": tidy(("run", "query", "measure"), ("value", "low", "high"), queries),
            f"{self.name}-orders": tidy(
                ("measure", "precision", "order", "to_precision", "to_order"),
                ("runs", "tau", "swapped", "pairs"),
                list(_compared(rankings)),
            ),
            f"{self.name}-reversible": tidy(
                ("measure", "precision", "run_a", "run_b"),
                ("pairs", "reversible", "difference"),
                [(*key, *_reversible(of_runs)) for key, of_runs in intervals.items()],
            ),
        }

    def figures(self, tables: Mapping[str, Table]) -> list[Figure]:
        """Spread of every run, swaps between orders, and what precision does."""
        measures = list(dict.fromkeys(tables[self.name]["measure"]))
        rows = -(-len(measures) // 3)
        figures = [
            Figure(
                "spread",
                f"The {WIDEST} runs of each measure that depend most on the order of tied documents: from the worst "
                "order to the best (bar), the mean over all orders (line), and by document id (dot)",
                (6.8, 0.4 + 1.35 * rows),
                lambda figure: draw_spread(figure, tables[self.name], measures),
            )
        ]
        if len(self.inputs.runs) > 1:
            figures.append(
                Figure(
                    "swaps",
                    "Pairs of runs that are ordered otherwise than by the mean over tie orders, and pairs that some "
                    "order of ties can put the other way round",
                    (6.8, 0.9 + 0.26 * len(measures)),
                    lambda figure: draw_swaps(figure, tables, self.name, measures),
                )
            )
        figures.append(
            Figure(
                "precision",
                "Scores read more coarsely: documents that tie, of every run (the line is the median run); how far "
                "best and worst order are apart, in the mean over runs; and Kendall's tau with the means of float64",
                (6.8, 2.9),
                lambda figure: draw_precision(figure, tables, self.name, measures),
            )
        )
        return figures

    def summary(self, tables: Mapping[str, Table], show: Callable[[str], str]) -> str:
        """What ties touch, how far orders are apart, swaps, precision."""
        several = len(self.inputs.runs) > 1
        text = [
            "## What ties touch\n",
            touched_text(tables, self.name),
            "## From the worst order to the best\n",
            show("spread"),
            spreads_text(tables, self.name),
        ]
        if several:
            text += [
                "## Which run is better\n",
                show("swaps"),
                "Pairs of runs that two ways of ordering tied documents rank oppositely; `trec` is by id over scores "
                "in 32 bits, as trec_eval 9 has it. *reversible*: pairs with different means that some order of their "
                "ties puts the other way round.\n",
                swaps_text(tables, self.name),
            ]
        text += ["## The precision of scores\n", show("precision"), precisions_text(tables, self.name, several)]
        return "\n".join(text)


def at_precision(run: Run, precision: str) -> tuple[Run, str]:
    """A run, and the `score_dtype` with which its scores are read so."""
    if precision != PRECISIONS[-1]:
        return run, precision
    return _core.Run.from_mapping({query: _levels(run[query]) for query in run.queries()}), PRECISIONS[0]


def _levels(scored: list[tuple[str, float]]) -> dict[str, int]:
    """Scores as whole numbers from 0, the lowest, to 255, the highest, the nearest of evenly spaced ones."""
    scores = [score for _, score in scored]
    low, high = min(scores), max(scores)
    # Halves, so that the width of a query's scores does not overflow.
    width = high / 2 - low / 2
    if width == 0:
        return dict.fromkeys((document for document, _ in scored), 0)
    return {document: int((score / 2 - low / 2) / width * LEVELS + 0.5) for document, score in scored}


def _compared(rankings: Mapping[tuple[str, str, str], Mapping[str, float]]) -> Iterable[Row]:
    """Rankings of runs by different orders, and by scores of different precision."""
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


def _reversible(of_runs: Mapping[str, tuple[float, float, float]]) -> Row:
    """Pairs in which the run ahead has an order of ties that puts it behind; the one that is farthest apart."""
    number, pairs, widest = 0, 0, (0.0, "", "")
    for (a, one), (b, other) in combinations(of_runs.items(), 2):
        pairs += 1
        ahead, behind, names = (one, other, (a, b)) if one[0] >= other[0] else (other, one, (b, a))
        difference = round(ahead[0] - behind[0], DIGITS)
        if difference > 0 and round(behind[2] - ahead[1], DIGITS) > 0:
            number += 1
            widest = max(widest, (difference, *names))
    return widest[1], widest[2], pairs, number, widest[0]


def costs(inputs: Inputs, measures: Sequence[MeasureLike], repeats: int = 5) -> Table:
    """What averaging over all tie orders costs: CPU time of evaluations with data in memory, on one thread.

    Policies take turns; medians of `repeats`. Once with scores as they are, and once with 8 bits of them, where most
    documents are tied.
    """
    from statistics import median
    from time import process_time

    policies: tuple[TiesPolicy, ...] = ("given", "docid", "expected", "range")
    rows = []
    for precision in (PRECISIONS[0], PRECISIONS[-1]):
        runs = [at_precision(run, precision)[0] for run in inputs.runs.values()]
        for measure in each(list(measures), "measure"):
            evaluators = {ties: Evaluator(inputs.qrels, [measure], ties=ties, threads=1) for ties in policies}
            times: dict[str, list[float]] = {ties: [] for ties in policies}
            for number in range(repeats + 1):
                for ties, evaluator in evaluators.items():
                    begun = process_time()
                    for run in runs:
                        evaluator.means(run)
                    if number > 0:  # the first turn warms up
                        times[ties].append(process_time() - begun)
            medians = {ties: median(of) for ties, of in times.items()}
            milliseconds = [1000 * medians[ties] for ties in policies]
            ratios = [median(a / b for a, b in zip(times["expected"], times[to], strict=True)) for to in policies[:2]]
            rows.append((str(measure), precision, *milliseconds, *ratios))
    return tidy(("measure", "precision"), (*(f"{ties}_ms" for ties in policies), "to_given", "to_docid"), rows)


def ties(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    cost: bool = False,
    qrels_format: QrelsFormat = "auto",
    plots: str = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Find what ties touch, how far orders of tied documents are apart, and what coarser scores do.

    Parameters
    ----------
    qrels, runs, qrels_format
        As for `untied.evaluate`.
    directory : path
        Where tables, plots and summary are written. A study that was interrupted there goes on where it was.
    measures : measures or their names, optional
        What to evaluate. By default P@10, R@100, F1@10, AP, RR, nDCG@10, nDCG, Rprec and Bpref.
    cost : bool
        Whether to measure what averaging over tie orders costs, too. ``ties-cost.tsv`` then has, for each measure, CPU
        milliseconds to evaluate all runs in memory on one thread with ``ties="given"``, ``"docid"``, ``"expected"`` and
        ``"range"``, and the ratios of ``"expected"`` to the first two. The summary shows them too. Times differ from
        call to call, so they are in no other file.
    plots : str
        ``"svg"``, ``"png"``, ``"both"`` or ``"none"``. Plots need matplotlib.
    restart : bool
        Whether to forget what is in the folder, instead of going on with it.
    threads : int, optional
        Number of threads; it never changes a value.

    Returns
    -------
    Result
        ``rows`` has a row for every run, measure and precision.

    Raises
    ------
    UntiedError
        An option is refused, or the folder holds a study with other settings.
    InputError
        A file's content is not what its format promises.

    References
    ----------
    McSherry & Najork 2008, Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
    Scores, ECIR.
    """
    asked = [str(measure) for measure in as_measures(MEASURES if measures is None else measures)]
    study = Ties(Inputs(qrels, runs, qrels_format=qrels_format, threads=threads), {"measures": asked})
    result = conduct(study, directory, plots=plots, restart=restart)
    if cost:
        found = costs(study.inputs, asked)
        result.add(f"{study.name}-cost", found, cost_text(found, study.name))
    return result
