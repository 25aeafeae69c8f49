"""Separate verdicts for orders of ties, judgments, and the choice of queries."""

from __future__ import annotations

from untied.evaluation.runs import Evaluator
from untied.inputs import mismatch
from untied.results.table import tidy
from untied.statistics.runs import significance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from untied._core import Lengths, Measure, Qrels, Run
    from untied._literals import Interval
    from untied.results.table import Table

#: Levels in the order of a table; see `Verdicts.levels`.
LEVELS = ("ties", "judgments", "queries")


def side_by_side(
    verdicts: Mapping[tuple[str, str, str], tuple[str, float, float]],
    inputs: tuple[Qrels, dict[str, Run], list[Measure], Lengths | None],
    ties: Any,
    score_dtype: str,
    level: float,
    interval: Interval,
    threads: int | None,
) -> Table:
    """The differences at each level, in the order of `verdicts`: of run_a, run_b, measure to verdict, low and high.

    Other parameters are those of `Verdicts.levels` and of the verdicts.
    """
    qrels, runs, measures, docs = inputs
    how: Any = "range" if ties == "expected" else ties
    with mismatch.Silence():  # there has been a warning
        evaluator = Evaluator(qrels, measures, ties=how, score_dtype=score_dtype, docs=docs, threads=threads)
        results = evaluator.evaluate(runs)
    tested = significance(results, correction="none", interval=interval, level=level, samples=1, threads=threads)
    by_place = {(row["run_a"], row["run_b"], row["measure"]): row for row in tested.table.to_dicts()}
    rows: list[tuple[Any, ...]] = []
    for place, (verdict, *bounds) in verdicts.items():
        row = by_place[place]
        spans = {"judgments": tuple(bounds), "queries": (row["ci_low"], row["ci_high"])}
        spans["ties"] = (row["least"], row["most"]) if "least" in row else (row["difference"], row["difference"])
        for what in LEVELS:
            low, high = spans[what]
            ahead = verdict if what == "judgments" else "A" if low > 0 else "B" if high < 0 else "open"
            # What a sample of queries makes likely must not look like what is certain.
            said = f"{ahead} ({100 * level:g} %)" if what == "queries" and ahead != "open" else ahead
            rows.append((*place, what, said, low, high))
    return tidy("run_a run_b measure level verdict", "low high", rows)
