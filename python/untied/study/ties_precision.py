"""Runs with scores at several precisions, and the cost of averaging over their ties."""

from __future__ import annotations

from untied._core import Run
from untied.evaluation.runs import Evaluator
from untied.progress import each
from untied.results.table import tidy
from untied.study.ties_plots import PRECISIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from untied._literals import Ties
    from untied.measures import MeasureLike
    from untied.results.table import Table
    from untied.study.inputs import Inputs

LEVELS = 255
#: Turns of which a median is taken.
REPEATS = 5
#: Policies whose cost is measured.
COSTS: tuple[Ties, ...] = ("given", "docid", "expected", "range")


def at_precision(run: Run, precision: str) -> tuple[Run, str]:
    """Return a run, and the `score_dtype` that gives the precision."""
    if precision != PRECISIONS[-1]:
        return run, precision
    return Run.from_mapping({query: _levels(run[query]) for query in run.queries()}), PRECISIONS[0]


def _levels(scored: list[tuple[str, float]]) -> dict[str, int]:
    """Return scores rounded to 256 evenly spaced levels. The lowest is 0 and the highest is 255."""
    scores = [score for _, score in scored]
    low, high = min(scores), max(scores)
    # Halves, so that the width of a query's scores does not overflow.
    width = high / 2 - low / 2
    if width == 0:
        return dict.fromkeys((document for document, _ in scored), 0)
    return {document: int((score / 2 - low / 2) / width * LEVELS + 0.5) for document, score in scored}


def costs(inputs: Inputs, measures: Sequence[MeasureLike]) -> Table:
    """Return what averaging over all orders costs: CPU time of evaluations in memory, on one thread.

    Policies take turns, and times are medians of `REPEATS` rounds. All is measured twice: with the original scores, and
    with scores of 8 bits, which tie most documents.
    """
    from statistics import median
    from time import process_time

    rows = []
    for precision in (PRECISIONS[0], PRECISIONS[-1]):
        runs = [at_precision(run, precision)[0] for run in inputs.runs.values()]
        for measure in each(list(measures), "measure"):
            evaluators = {ties: Evaluator(inputs.qrels, [measure], ties=ties, threads=1) for ties in COSTS}
            times: dict[str, list[float]] = {ties: [] for ties in COSTS}
            for number in range(REPEATS + 1):
                for ties, evaluator in evaluators.items():
                    begun = process_time()
                    for run in runs:
                        evaluator.means(run)
                    if number > 0:  # the first turn warms up
                        times[ties].append(process_time() - begun)
            milliseconds = [1000 * median(of) for of in times.values()]
            ratios = [median(a / b for a, b in zip(times["expected"], times[to], strict=True)) for to in COSTS[:2]]
            rows.append((str(measure), precision, *milliseconds, *ratios))
    return tidy("measure precision", f"{' '.join(f'{ties}_ms' for ties in COSTS)} to_given to_docid", rows)
