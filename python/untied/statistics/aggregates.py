"""Aggregates of the values of queries: mean, geometric mean or sum. Tests use the same aggregate as tables."""

from __future__ import annotations

from functools import reduce
from math import exp, isnan, log, nan
from operator import add

from untied._core import GEOMETRIC_FLOOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from untied._core import Measure


class Aggregate:
    """How a measure's values of queries are aggregated.

    A geometric mean is the exponential of the mean of logarithms. So its tests and intervals use logarithms, which add
    up over queries; a difference is ln(mean of a / mean of b).

    Attributes
    ----------
    scale : str
        ``"mean"``, ``"log"`` (geometric mean) or ``"sum"`` (counts).
    """

    __slots__ = ("scale",)

    def __init__(self, measure: Measure) -> None:
        self.scale = "log" if measure.is_geometric else "sum" if measure.is_count else "mean"

    def terms(self, values: Iterable[float]) -> list[float]:
        """The terms that add up over queries: the values, or their logarithms."""
        if self.scale != "log":
            return list(values)
        return [value if isnan(value) else log(max(value, GEOMETRIC_FLOOR)) for value in values]

    def total(self, terms: Sequence[float]) -> float:
        """The aggregate of terms, bit by bit that of `evaluate`; NaN if there are no terms, except for sums."""
        added = reduce(add, terms, 0.0)  # one by one, which neither fsum nor the sum of Python 3.12 does
        if self.scale == "sum":
            return added
        return nan if not terms else self.whole(added / len(terms), len(terms))

    def whole(self, mean: float, queries: int) -> float:
        """The aggregate of a number of terms, from their mean."""
        return exp(mean) if self.scale == "log" else self.difference(mean, queries)

    def difference(self, mean: float, queries: int) -> float:
        """The difference of two aggregates, from the mean difference of their terms."""
        return mean * queries if self.scale == "sum" else mean
