"""Values of two runs side by side, as columns: 8 bytes a query, where a Python object would take 24."""

from __future__ import annotations

from array import array
from functools import cached_property
from itertools import compress
from math import fsum, isnan
from operator import sub

from untied.aggregates import Aggregate
from untied.errors import UntiedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from untied._core import Measure
    from untied.compare import Comparison
    from untied.table import Results

    #: Lowest and highest differences, query by query.
    Spans: TypeAlias = tuple[array[float], array[float]]

#: Values of pairs of runs that are held at once, in all; one pair always is.
HELD = 1 << 20


class Column:
    """A run's values of one measure, query by query, as terms of its aggregate."""

    def __init__(self, results: Results, run: str, measure: Measure) -> None:
        self.run = run
        self.aggregate = Aggregate(measure)
        self.evaluation = results._evaluations[run]
        self._number = results._measures.index(measure)
        self.values = self._terms("value")

    def _terms(self, field: str) -> array[float]:
        values = array("d", bytes(0))
        values.frombytes(self.evaluation.column(self._number, field))
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
        """Lowest or highest terms; the term itself where there is none."""
        if field not in self.evaluation.columns():
            return self.values
        ends = self._terms(field)
        return array("d", (value if isnan(end) else end for value, end in zip(self.values, ends, strict=True)))

    @property
    def plain(self) -> array[float]:
        """The values as they are evaluated."""
        if self.aggregate.scale != "log":
            return self.values
        values = array("d", bytes(0))
        values.frombytes(self.evaluation.column(self._number, "value"))
        return values

    @property
    def known(self) -> array[float]:
        """The terms that are defined."""
        return array("d", (value for value in self.values if not isnan(value)))


class Pair:
    """Two runs' values of the queries for which both have one, as terms of their aggregates."""

    def __init__(self, a: Column, b: Column) -> None:
        if a.evaluation is not b.evaluation and not same_queries(a.evaluation, b.evaluation):
            only = sorted(set(a.evaluation.queries()) ^ set(b.evaluation.queries()))
            raise UntiedError(
                f"runs {a.run} and {b.run} were evaluated on different queries, such as {only[0]!r}; "
                "evaluate all judged queries of each (queries='qrels')"
            )
        self._a, self._b = a, b
        self._both: list[bool] | None = None
        if any(map(isnan, a.values)) or any(map(isnan, b.values)):
            self._both = [not isnan(x) and not isnan(y) for x, y in zip(a.values, b.values, strict=True)]
        one, other = self._of_both(a.values), self._of_both(b.values)
        self.count = len(one)
        self.dropped = len(a.values) - self.count
        if not self.count:
            raise UntiedError(f"runs {a.run} and {b.run} have no query with a value of each")
        self.differences = array("d", map(sub, one, other))
        self.mean_a, self.mean_b = a.aggregate.total(one), a.aggregate.total(other)
        self.difference = self.whole(fsum(self.differences) / self.count)

    def _of_both(self, values: array[float]) -> array[float]:
        return values if self._both is None else array("d", compress(values, self._both))

    def whole(self, mean: float) -> float:
        """The difference of both aggregates, by that of the mean of their terms."""
        return self._a.aggregate.difference(mean, self.count)

    @property
    def queries(self) -> list[str]:
        """The queries for which both runs have a value."""
        queries = self._a.evaluation.queries()
        return queries if self._both is None else list(compress(queries, self._both))

    @property
    def spans(self) -> Spans:
        """Smallest and largest difference of each query, where the runs are resolved independently."""
        ends = ((self._a.low, self._b.high), (self._a.high, self._b.low))
        low, high = (array("d", map(sub, self._of_both(x), self._of_both(y))) for x, y in ends)
        return low, high


def same_queries(one: Any, other: Any) -> bool:
    """Whether two evaluations are of the same queries; compared without a string for each where both are native."""
    if type(one) is type(other) and hasattr(one, "same_queries"):
        return bool(one.same_queries(other))
    return bool(one.queries() == other.queries())


def pieces(pairs: Sequence[tuple[str, str]], queries: int) -> Iterator[Sequence[tuple[str, str]]]:
    """Pairs of runs, as many at once as may be held."""
    at_once = max(1, HELD // max(1, queries))
    return (pairs[first : first + at_once] for first in range(0, len(pairs), at_once))


def delta_bounds(
    given: Mapping[tuple[str, str], Comparison], pair: Pair, ab: tuple[str, str], measure: str
) -> Spans:  # fmt: skip
    """Bounds of each query's difference, as a comparison has them."""
    turned = ab not in given
    comparison = given.get((ab[1], ab[0]) if turned else ab)
    if comparison is None:
        raise UntiedError(f"bounds lack the comparison of {ab[0]} and {ab[1]}")
    known = set(comparison.queries)
    lows, highs = array("d"), array("d")
    for query, difference in zip(pair.queries, pair.differences, strict=True):
        if query not in known:
            # What the other run retrieved could still be judged: nothing bounds that here.
            raise UntiedError(f"bounds have none for query {query!r}, which {ab[0]} or {ab[1]} lacks")
        value = comparison.value(f"Delta({measure})", query)
        if value.low is None or value.high is None or isnan(value.low):
            raise UntiedError(f"bounds have none for Delta({measure}) of query {query!r}")
        if abs((-value.mean if turned else value.mean) - difference) > 1e-9:
            raise UntiedError(
                f"Delta({measure}) of query {query!r} is not the difference of {measure}: it has other qrels or "
                "policies, or divides by what is possible rather than by what is relevant"
            )
        lows.append(-value.high if turned else value.low)
        highs.append(-value.low if turned else value.high)
    return lows, highs
