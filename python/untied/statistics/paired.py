"""Values of runs by query, and bounds of the differences of two runs."""

from __future__ import annotations

from array import array
from math import isnan
from typing import NamedTuple

from untied import _core
from untied.errors import UntiedError
from untied.results.evaluation import Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from untied._core import Measure, Terms
    from untied.arrays import ArrayResults
    from untied.comparison.comparison import Comparison

    #: Lowest and highest differences of all queries.
    Ends: TypeAlias = tuple[array[float], array[float]]

#: Values of pairs of runs that are held at once, in all; one pair always is.
HELD = 1 << 20


class RunValues:
    """A run's values of one measure by query, and their terms in its aggregate, with their bounds if asked for."""

    def __init__(self, results: Results, run: str, measure: Measure, bounded: bool = True) -> None:
        self.run = run
        self.measure = measure
        self.evaluation = results._evaluations[run]
        self._number = results._measures.index(measure)
        self.has_bounds = bounded and "low" in self.evaluation.columns()
        ends = [self._evaluated(field) for field in ("low", "high") if self.has_bounds]
        self.terms = _core.Terms(run, measure, self.values, ends or None)

    @property
    def values(self) -> array[float]:
        """The values, which are not held here besides."""
        return self._evaluated("value")

    @property
    def ends(self) -> Ends:
        """The lowest and the highest values."""
        low, high = self._evaluated("low"), self._evaluated("high")
        return low, high

    def _evaluated(self, field: str) -> array[float]:
        return array("d", self.evaluation.column(self._number, field))


def of_runs(results: Results | ArrayResults | Mapping[str, ArrayResults]) -> Results:
    """Results of runs; columns of arrays of scores are runs, too."""
    if isinstance(results, Results):
        return results
    from untied.arrays.results import as_runs

    return as_runs(results)


class PairedValues(NamedTuple):
    """Two runs, by the queries for which both have a value, as terms of their aggregates."""

    differences: array[float]
    #: Those within the bounds whose two-sided p-value is largest; none, of which it is 1, if their sum can be 0.
    nearest: array[float]
    #: The number of queries that are left out, and of those that count only with some grades of unjudged documents.
    dropped: tuple[int, int]
    #: The aggregates of both runs, bit by bit those of `evaluate`.
    means: tuple[float, float]
    difference: float
    #: The number of queries for which the difference is above, equal to and below 0.
    counts: list[int]
    #: The smallest and the largest difference, whichever queries count.
    ends: tuple[float, float]
    #: The quantiles 0.05, 0.5 and 0.95 of the differences.
    quantiles: list[float]


def paired(a: Terms, b: Terms, bounds: Ends | None = None, every: bool = False) -> PairedValues:
    """Two runs side by side, with bounds of the differences of all queries, of both runs together.

    Without these, each run has its own: ties and judgments are independent. `every`: whether any query may count,
    whatever the runs' own bounds are.
    """
    fields = _core.pair(a, b, bounds, every)
    return PairedValues(array("d", fields[0]), array("d", fields[1]), *fields[2:])


def pairs_with_bounds(
    results: Results, columns: Sequence[tuple[RunValues, RunValues]], given: Mapping[tuple[str, str], Comparison]
) -> tuple[list[PairedValues], Sequence[Ends | None], bool]:
    """Pairs of runs, their bounds if these are joint, and whether unjudged documents have the same grade in both runs.

    Bounds of differences come from comparisons, without these from `DifferenceBounds`, or else from the bounds of each
    run. Values of arrays have no bounds.
    """
    for a, b in columns:
        check_queries(a, b)
    pair_bounds: Sequence[Ends] | None = [delta_bounds(given, a, b) for a, b in columns] if given else None
    if not given and results._difference_bounds is not None:
        names, (first, _) = [(a.run, b.run) for a, b in columns], columns[0]
        pair_bounds = results._difference_bounds.bounds(first.measure, names, first.evaluation.queries())
    bounds: Sequence[Ends | None] = [None] * len(columns) if pair_bounds is None else pair_bounds
    both = zip(columns, bounds, strict=True)
    pairs = [paired(a.terms, b.terms, ends, bool(given)) for (a, b), ends in both]
    return pairs, bounds, pair_bounds is not None or "judgments" not in results._varied


def bounds_alone(a: RunValues, b: RunValues) -> Ends:
    """The lowest and highest difference of each query, from the bounds of each run."""
    (low_a, high_a), (low_b, high_b) = a.ends, b.ends
    low, high = zip(low_a, high_b, strict=True), zip(high_a, low_b, strict=True)
    return array("d", (x - y for x, y in low)), array("d", (x - y for x, y in high))


def check_queries(a: RunValues, b: RunValues) -> None:
    """Refuse runs that were evaluated on different queries."""
    one: Any = a.evaluation
    other: Any = b.evaluation
    is_native = type(one) is type(other) and hasattr(one, "same_queries")  # needs no strings
    if not (one.same_queries(other) if is_native else one.queries() == other.queries()):
        only = sorted(set(one.queries()) ^ set(other.queries()))
        raise UntiedError(
            f"runs {a.run} and {b.run} were evaluated on different queries, such as {only[0]!r}; "
            "evaluate all judged queries of each (queries='qrels')"
        )


def pieces(pairs: Sequence[tuple[str, str]], queries: int) -> Iterator[Sequence[tuple[str, str]]]:
    """Pairs of runs in batches that fit into memory."""
    at_once = max(1, HELD // max(1, queries))
    return (pairs[first : first + at_once] for first in range(0, len(pairs), at_once))


def delta_bounds(given: Mapping[tuple[str, str], Comparison], a: RunValues, b: RunValues) -> Ends:
    """Bounds of each query's difference, from a comparison."""
    turned = (a.run, b.run) not in given
    comparison = given.get((b.run, a.run) if turned else (a.run, b.run))
    if comparison is None:
        raise UntiedError(f"bounds lack the comparison of {a.run} and {b.run}")
    known, delta = set(comparison.queries), f"Delta({a.measure})"
    lows, highs = array("d"), array("d")
    for query, x, y in zip(a.evaluation.queries(), a.values, b.values, strict=True):
        if query not in known:
            # What the other run retrieved could still be judged: nothing bounds that here.
            raise UntiedError(f"bounds lack query {query!r}, which {a.run} or {b.run} does not have")
        value = comparison.value(delta, query)
        if value.low is None or value.high is None or isnan(value.low):
            raise UntiedError(f"bounds lack {delta} for query {query!r}")
        mean, low, high = (-value.mean, -value.high, -value.low) if turned else (value.mean, value.low, value.high)
        if abs(mean - (x - y)) > 1e-9:  # of queries without a value, NaN is not
            raise UntiedError(
                f"{delta} of query {query!r} is not the difference of {a.measure}: it was computed with "
                "other qrels or policies, or is normalised differently"
            )
        lows.append(low)
        highs.append(high)
    return lows, highs
