"""Values of two runs in columns, which take 8 bytes per query instead of a Python object's 24."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from math import fsum, isnan
from operator import gt, lt, sub

from untied.errors import UntiedError
from untied.results.evaluation import Results
from untied.statistics.aggregates import Aggregate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Measure
    from untied.arrays import ArrayResults
    from untied.compare.comparison import Comparison

#: Values of pairs of runs that are held at once, in all; one pair always is.
HELD = 1 << 20


class Column:
    """A run's values of one measure by query, as terms of its aggregate."""

    def __init__(self, results: Results, run: str, measure: Measure) -> None:
        self.run = run
        self.aggregate = Aggregate(measure)
        self.lower_is_better = measure.lower_is_better
        self.evaluation = results._evaluations[run]
        self._number = results._measures.index(measure)
        self.values = self._terms("value")

    def _evaluated(self, field: str) -> array[float]:
        return array("d", self.evaluation.column(self._number, field))

    def _terms(self, field: str) -> array[float]:
        values = self._evaluated(field)
        return array("d", self.aggregate.terms(values)) if self.aggregate.scale == "log" else values

    @cached_property
    def low(self) -> array[float]:
        """The lowest terms."""
        return self._ends("low")

    @cached_property
    def high(self) -> array[float]:
        """The highest terms."""
        return self._ends("high")

    def _ends(self, field: str) -> array[float]:
        """Lowest or highest terms; the term itself if it has no bound."""
        if field not in self.evaluation.columns():
            return self.values
        ends = self._terms(field)
        return array("d", (value if isnan(end) else end for value, end in zip(self.values, ends, strict=True)))

    def is_open(self, row: int) -> bool:
        """Whether a query has a value only with some judgments."""
        return isnan(self.values[row]) and not isnan(self.low[row])

    def ends(self, row: int, other: Column) -> tuple[float, float]:
        """The lowest and highest value that a query adds to the mean.

        NaN if it has no value whatever the judgments are.
        """
        if isnan(self.low[row]) and other.is_open(row) and not self.lower_is_better:
            # What the other run retrieves may be relevant; this one finds nothing of it.
            nothing = self.aggregate.terms([0.0])[0]
            return nothing, nothing
        return self.low[row], self.high[row]

    @property
    def plain(self) -> array[float]:
        """The values."""
        return self._evaluated("value") if self.aggregate.scale == "log" else self.values

    @property
    def known(self) -> array[float]:
        """The terms that are defined."""
        return array("d", (value for value in self.values if not isnan(value)))


class Pair:
    """Two runs' values for the queries where both have one, as terms of their aggregates."""

    def __init__(self, a: Column, b: Column) -> None:
        if a.evaluation is not b.evaluation and not same_queries(a.evaluation, b.evaluation):
            only = sorted(set(a.evaluation.queries()) ^ set(b.evaluation.queries()))
            raise UntiedError(
                f"runs {a.run} and {b.run} were evaluated on different queries, such as {only[0]!r}; "
                "evaluate all judged queries of each (queries='qrels')"
            )
        self._a, self._b = a, b
        self.lower_is_better = a.lower_is_better
        self._both: list[bool] | None = None  # for which queries both have a value; none: for all
        if any(map(isnan, a.values)) or any(map(isnan, b.values)):
            self._both = [not isnan(x) and not isnan(y) for x, y in zip(a.values, b.values, strict=True)]
        one, other = self._of_both(a.values), self._of_both(b.values)
        self.count = len(one)
        self.dropped = len(a.values) - self.count
        if not self.count:
            raise UntiedError(f"runs {a.run} and {b.run} have no query with a value for both")
        self.differences = array("d", map(sub, one, other))
        self.mean_a, self.mean_b = a.aggregate.total(one), a.aggregate.total(other)
        self.difference = self.whole(fsum(self.differences) / self.count)

    def _of_both(self, values: array[float]) -> array[float]:
        return values if self._both is None else array("d", compress(values, self._both))

    def whole(self, mean: float) -> float:
        """The difference of both aggregates, from the mean difference of their terms."""
        return self._a.aggregate.difference(mean, self.count)

    @property
    def runs(self) -> tuple[str, str]:
        """The names of both runs."""
        return self._a.run, self._b.run

    @property
    def evaluated(self) -> list[str]:
        """All queries that were evaluated."""
        return self._a.evaluation.queries()

    @property
    def queries(self) -> list[str]:
        """The queries for which both runs have a value."""
        queries = self._a.evaluation.queries()
        return queries if self._both is None else list(compress(queries, self._both))

    @property
    def others(self) -> list[str]:
        """The other queries."""
        queries = [] if self._both is None else self._a.evaluation.queries()
        return [query for query, both in zip(queries, self._both or (), strict=True) if not both]

    @property
    def spans(self) -> Spans:
        """Smallest and largest difference of each query, with ties and judgments independent for each run."""
        ends = ((self._a.low, self._b.high), (self._a.high, self._b.low))
        low, high = (array("d", map(sub, self._of_both(x), self._of_both(y))) for x, y in ends)
        may_count = [(low, high) for _, low, high in self._may_count()]
        return Spans(low, high, *(array("d", (ends[side] for ends in may_count)) for side in (0, 1)))

    def within(self, low: array[float], high: array[float]) -> Spans:
        """The same from bounds of the differences of all queries that were evaluated.

        They contain the differences that are tested: these may differ from them by rounding, and Bpref leaves unjudged
        documents out that its bounds give a grade.
        """
        may_count = [row for row, *_ in self._may_count()]
        of_open = (array("d", (end[row] for row in may_count)) for end in (low, high))
        lows, highs = self._of_both(low), self._of_both(high)
        enclosing = (array("d", map(least, ends, self.differences)) for least, ends in ((min, lows), (max, highs)))
        return Spans(*enclosing, *of_open)

    def _may_count(self) -> Iterator[tuple[int, float, float]]:
        """Queries for which only some judgments give both runs a value, with the smallest and largest difference."""
        for row in () if self._both is None else (row for row, both in enumerate(self._both) if not both):
            (low_a, high_a), (low_b, high_b) = self._a.ends(row, self._b), self._b.ends(row, self._a)
            if not isnan(low_a) and not isnan(low_b):
                yield row, low_a - high_b, high_a - low_b

    def least(self, spans: Spans) -> float:
        """The smallest difference of both aggregates, whichever queries count."""
        return self._reached(spans.low, sorted(spans.open_low), lt)

    def most(self, spans: Spans) -> float:
        """The largest difference of both aggregates, whichever queries count."""
        return self._reached(spans.high, sorted(spans.open_high, reverse=True), gt)

    def _reached(
        self, counted: array[float], may_count: Sequence[float], beyond: Callable[[float, float], bool]
    ) -> float:  # fmt: skip
        """The most extreme aggregate of differences, with those optional ones that move it further."""
        chosen = array("d", counted)
        total = fsum(chosen)
        for difference in may_count:
            if not beyond(difference, 0.0 if self._a.aggregate.scale == "sum" else total / len(chosen)):
                break
            chosen.append(difference)
            total += difference
        return self._a.aggregate.difference(fsum(chosen) / len(chosen), len(chosen))


@dataclass(eq=False, slots=True)
class Spans:
    """Smallest and largest differences, query by query."""

    low: array[float]
    high: array[float]
    #: Of queries that count only with some grades of unjudged documents, because a run has no value with others.
    open_low: array[float]
    open_high: array[float]

    @property
    def nearest(self) -> array[float] | None:
        """Differences with the largest two-sided p-value; None if their sum can be 0.

        A query that does not count has the difference 0, which changes no p-value.
        """
        low = self.low + array("d", (x for x in self.open_low if x < 0))
        if fsum(low) > 0:
            return low
        high = self.high + array("d", (x for x in self.open_high if x > 0))
        return high if fsum(high) < 0 else None


def of_runs(results: Results | ArrayResults | Mapping[str, ArrayResults]) -> Results:
    """Results of runs; columns of arrays of scores are runs, too."""
    if isinstance(results, Results):
        return results
    from untied.arrays.runs import as_runs

    return as_runs(results)


def spans_of(results: Results, measure: Measure, compared: Sequence[Pair]) -> tuple[list[Spans], bool]:
    """What the differences of pairs of runs can be, and whether unjudged documents have the same grade in both runs.

    Where both runs have no bounds together (`Joint.bounds`), each has its own. Columns of arrays never have them.
    """
    joint, found = results._joint, None
    if joint is not None and compared:
        found = joint.bounds(measure, [pair.runs for pair in compared], compared[0].evaluated)
    if found is None:
        return [pair.spans for pair in compared], "judgments" not in results._varied
    return [pair.within(*ends) for pair, ends in zip(compared, found, strict=True)], True


def same_queries(one: Any, other: Any) -> bool:
    """Whether two evaluations have the same queries; native ones are compared without making strings."""
    if type(one) is type(other) and hasattr(one, "same_queries"):
        return bool(one.same_queries(other))
    return bool(one.queries() == other.queries())


def pieces(pairs: Sequence[tuple[str, str]], queries: int) -> Iterator[Sequence[tuple[str, str]]]:
    """Pairs of runs in batches that fit into memory."""
    at_once = max(1, HELD // max(1, queries))
    return (pairs[first : first + at_once] for first in range(0, len(pairs), at_once))


def delta_bounds(
    given: Mapping[tuple[str, str], Comparison], pair: Pair, ab: tuple[str, str], measure: str
) -> Spans:  # fmt: skip
    """Bounds of each query's difference, from a comparison."""
    turned = ab not in given
    comparison = given.get((ab[1], ab[0]) if turned else ab)
    if comparison is None:
        raise UntiedError(f"bounds lack the comparison of {ab[0]} and {ab[1]}")
    known = set(comparison.queries)

    def ends(query: str) -> tuple[float, float, float]:
        """The value, the smallest and the largest."""
        if query not in known:
            # What the other run retrieved could still be judged: nothing bounds that here.
            raise UntiedError(f"bounds lack query {query!r}, which {ab[0]} or {ab[1]} does not have")
        value = comparison.value(f"Delta({measure})", query)
        if value.low is None or value.high is None or isnan(value.low):
            raise UntiedError(f"bounds lack Delta({measure}) for query {query!r}")
        return (-value.mean, -value.high, -value.low) if turned else (value.mean, value.low, value.high)

    spans = Spans(array("d"), array("d"), array("d"), array("d"))
    for query, difference in zip(pair.queries, pair.differences, strict=True):
        mean, low, high = ends(query)
        if abs(mean - difference) > 1e-9:
            raise UntiedError(
                f"Delta({measure}) of query {query!r} is not the difference of {measure}: it was computed with "
                "other qrels or policies, or is normalised differently"
            )
        spans.low.append(low)
        spans.high.append(high)
    for query in pair.others:  # any of them may count once more is judged
        _, low, high = ends(query)
        spans.open_low.append(low)
        spans.open_high.append(high)
    return spans
