"""Differences of two runs by query: the queries that a change hurt or helped most."""

from __future__ import annotations

from array import array
from math import isnan, nan

from untied._core import difference
from untied.errors import UntiedError, check_count, check_pairs
from untied.results.table import tidy
from untied.results.worst import worst_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from untied._core import Evaluation, Measure
    from untied.results.design import SubsetEvaluation
    from untied.results.difference_bounds import DifferenceBounds
    from untied.results.snapshot import Snapshot
    from untied.results.table import Table

    #: A measure, two runs, and what the first loses or gains.
    Change: TypeAlias = tuple[str, str, str, str]

#: What a difference is for the first run, by its sign where higher is better, in the order of tables.
CHANGES = {-1: "loss", 1: "gain", 0: "none"}


def pairs_of(runs: list[str], baseline: str | None) -> list[tuple[str, str]]:
    """Every pair of runs, or every run with the baseline."""
    if len(runs) < 2:
        raise UntiedError("a comparison needs two runs or more")
    if baseline is None:
        check_pairs(len(runs), "compare all runs with a baseline, or fewer runs")
        return [(a, b) for place, a in enumerate(runs) for b in runs[place + 1 :]]
    if baseline not in runs:
        raise UntiedError(f"no run {baseline!r}; the runs are {', '.join(runs)}")
    return [(run, baseline) for run in runs if run != baseline]


def query_differences(
    measures: Sequence[Measure], evaluations: Mapping[str, Evaluation | Snapshot | SubsetEvaluation],
    difference_bounds: DifferenceBounds | None,
    baseline: str | None, top: int | None,
) -> tuple[Table, dict[Change, int]]:  # fmt: skip
    """The table of `Results.query_differences`, and how many more queries have the last difference that it lists."""
    if top is not None:
        check_count("top", top)
    pairs = pairs_of(list(evaluations), baseline)
    has_range = any("low" in evaluation.columns() for evaluation in evaluations.values())
    rows: list[tuple[Any, ...]] = []
    more: dict[Change, int] = {}
    for number, measure in enumerate(measures):
        values = {run: dict(_values(evaluation, number)) for run, evaluation in evaluations.items()}
        for a, b in pairs:
            both = [
                (query, _difference(value, values[b][query]))
                for query, value in values[a].items()
                if query in values[b]
            ]
            if difference_bounds is not None:
                both = _bounded(both, difference_bounds, measure, (a, b))
            better = -1 if measure.lower_is_better else 1
            for sign, change in CHANGES.items():
                of_change = [row for row in both if _sign(row[1][2]) == sign * better]
                if top is None:
                    shown, alike = sorted(of_change, key=_size, reverse=True), 0
                else:
                    places, alike = worst_of([_size(row) for row in of_change], top if sign else 0)
                    shown = [of_change[place] for place in places]
                rows += [(str(measure), a, b, query, change, *cells) for query, cells in shown]
                if alike:
                    more[str(measure), a, b, change] = alike
    numbers = "value_a value_b difference" + " least most" * has_range
    return tidy("measure run_a run_b query change", numbers, rows), more


def _size(row: tuple[str, tuple[float, ...]]) -> float:
    return abs(row[1][2])


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)


def _values(
    evaluation: Evaluation | Snapshot | SubsetEvaluation, number: int
) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Queries with a value, and their values with bounds if known."""
    fields = ["value", *(field for field in ("low", "high") if field in evaluation.columns())]
    columns = [array("d", evaluation.column(number, field)) for field in fields]
    rows = zip(evaluation.queries(), zip(*columns, strict=True), strict=True)
    return ((query, value) for query, value in rows if not isnan(value[0]))


def _difference(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
    """Both values, their difference, and its bounds if known."""
    plain = (a[0], b[0], difference(a[0], b[0]))
    return plain if len(a) == 1 else (*plain, difference(a[1], b[2]), difference(a[2], b[1]))


def _bounded(
    rows: list[tuple[str, tuple[float, ...]]],
    difference_bounds: DifferenceBounds,
    measure: Measure,
    pair: tuple[str, str],
) -> list[tuple[str, tuple[float, ...]]]:
    """The same with the bounds of both runs together, or NaN: those of each run alone may be too narrow."""
    bounds = difference_bounds.bounds(measure, [pair], [query for query, _ in rows])
    if bounds is None:
        return [(query, (*cells[:3], nan, nan)) for query, cells in rows]
    [(lows, highs)] = bounds
    ends = zip(rows, lows, highs, strict=True)
    # As those that are tested, see `PairedValues.within`.
    return [(query, (*cells[:3], min(low, cells[2]), max(high, cells[2]))) for (query, cells), low, high in ends]
