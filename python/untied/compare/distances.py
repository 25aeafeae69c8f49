"""Distances of two rankings that know what items weigh and how alike they are (Kumar & Vassilvitskii 2010)."""

from __future__ import annotations

import math

from untied.compare.correlation import LISTED, all_orders, places_of, tie_groups, variance_of
from untied.errors import UntiedError
from untied.results.table import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    from untied.compare.correlation import Ranking

    Costs: TypeAlias = Sequence[float] | Callable[[int], float]
    Dissimilarity: TypeAlias = Callable[[Any, Any], float]

#: Orders that are drawn where there are too many to list them.
DRAWN = 1_000


def kendall(
    one: Ranking,
    other: Ranking,
    *,
    weights: Mapping[Any, float] | None = None,
    delta: Costs | None = None,
    unmoved: float = 1.0,
    dissimilarity: Dissimilarity | None = None,
) -> Value:
    """Kendall's distance, generalized.

    Parameters
    ----------
    one, other : {item: score} or list of tie groups
        Rankings of the same items.
    weights : {item: weight}, optional
        How much items count, by their relevance for instance; 1 without. At least 0.
    delta : sequence of float, or function of a rank, optional
        Cost of moving to a rank from the one above, from rank 2 on; 0 beyond a sequence. Without, positions do not
        weigh: every move costs 1, and `unmoved` has no effect.
    unmoved : float
        In place of the mean cost, of an item that has the same rank in both.
    dissimilarity : function of two items, optional
        How unlike items are, from 0 (alike: their order does not matter); symmetric. 1 without.

    Returns
    -------
    Value
        The mean over all orders of tied items in both rankings, with the smallest and the largest value and the
        variance. These are exact where there are at most 5,000 pairs of orders; else 1,000 of them are drawn, always
        the same, and the mean is an estimate, as its certainty says.

    Raises
    ------
    UntiedError
        The rankings do not hold the same items, each once; an item has no weight; a number is below 0 or NaN.

    Examples
    --------
    Two items have changed places, but they are nearly the same:

    >>> kendall(["a", "b1", "b2"], ["a", "b2", "b1"], dissimilarity=lambda x, y: 0.1 if x[0] == y[0] else 1.0)
    0.1000 [0.1000, 0.1000] (variance 0)
    """
    return _mean(_kendall, one, other, weights, delta, unmoved, dissimilarity)


def footrule(
    one: Ranking,
    other: Ranking,
    *,
    weights: Mapping[Any, float] | None = None,
    delta: Costs | None = None,
    unmoved: float = 1.0,
    dissimilarity: Dissimilarity | None = None,
) -> Value:
    """Spearman's footrule, generalized.

    Parameters
    ----------
    one, other, weights, delta, unmoved, dissimilarity
        As for `kendall`.

    Returns
    -------
    Value
        As for `kendall`. Without dissimilarities it is at least Kendall's distance and at most twice that.

    Raises
    ------
    UntiedError
        As for `kendall`.

    Examples
    --------
    >>> footrule(["a", "b", "c"], ["b", "a", "c"])
    2.0000 [2.0000, 2.0000] (variance 0)
    """
    return _mean(_footrule, one, other, weights, delta, unmoved, dissimilarity)


class _Costs:
    """What items and moves weigh."""

    def __init__(
        self,
        items: Sequence[Any],
        weights: Mapping[Any, float] | None,
        delta: Costs | None,
        unmoved: float,
        dissimilarity: Dissimilarity | None,
    ) -> None:
        missing = next((item for item in items if weights is not None and item not in weights), None)
        if missing is not None:
            raise UntiedError(f"{missing!r} has no weight")
        self.weight = {item: _checked(1.0 if weights is None else weights[item], "a weight") for item in items}
        self.delta = delta
        self.unmoved = 1.0 if delta is None else _checked(unmoved, "unmoved")
        self.between = {
            (x, y): 1.0 if dissimilarity is None else _checked(dissimilarity(x, y), "a dissimilarity")
            for x in items
            for y in items
            if x != y
        }
        # To move down to a rank from the first.
        self.to = [0.0, 0.0]
        for rank in range(2, len(items) + 1):
            self.to.append(self.to[-1] + self._step(rank))

    def _step(self, rank: int) -> float:
        if self.delta is None:
            return 1.0
        if callable(self.delta):
            return _checked(self.delta(rank), "a cost")
        return _checked(self.delta[rank - 2], "a cost") if rank - 2 < len(self.delta) else 0.0

    def of_moves(self, one: Sequence[Any], other: Sequence[Any]) -> dict[Any, float]:
        """Weight and mean cost of every item, multiplied."""
        rank_of = {item: rank for rank, item in enumerate(other, start=1)}
        found = {}
        for i, item in enumerate(one, start=1):
            j = rank_of[item]
            mean = self.unmoved if i == j else (self.to[i] - self.to[j]) / (i - j)
            found[item] = self.weight[item] * mean
        return found


def _checked(number: float, what: str) -> float:
    if not 0 <= number < math.inf:
        raise UntiedError(f"{what} must be a number from 0, not {number!r}")
    return float(number)


def _kendall(one: Sequence[Any], other: Sequence[Any], costs: _Costs) -> float:
    """Of two orders."""
    rank, v = {item: rank for rank, item in enumerate(other)}, costs.of_moves(one, other)
    return math.fsum(v[x] * v[y] * costs.between[x, y] for i, y in enumerate(one) for x in one[:i] if rank[x] > rank[y])


def _footrule(one: Sequence[Any], other: Sequence[Any], costs: _Costs) -> float:
    """Of two orders."""
    rank, v = {item: rank for rank, item in enumerate(other)}, costs.of_moves(one, other)
    total = 0.0
    for i, x in enumerate(one):
        above = math.fsum(v[y] * costs.between[x, y] for y in one[:i])
        total += v[x] * abs(above - math.fsum(v[y] * costs.between[x, y] for y in other[: rank[x]]))
    return total


def _mean(
    of: Callable[[Sequence[Any], Sequence[Any], _Costs], float],
    one: Ranking,
    other: Ranking,
    weights: Mapping[Any, float] | None,
    delta: Costs | None,
    unmoved: float,
    dissimilarity: Dissimilarity | None,
) -> Value:
    one, other = tie_groups(one), tie_groups(other)
    items = places_of(one)
    if items.keys() != (others := places_of(other)).keys():
        odd = next(iter(items.keys() ^ others.keys()))
        raise UntiedError(f"both rankings must hold the same items; only one holds {odd!r}")
    costs = _Costs(list(items), weights, delta, unmoved, dissimilarity)
    listed = all_orders(one, other)
    orders = listed if listed is not None else _drawn(one, other)
    values = [of(x, y, costs) for x, y in orders]
    mean = math.fsum(values) / len(values)
    if listed is None:
        return Value(mean, None, None, None, "estimate")
    return Value(mean, min(values), max(values), variance_of(values), "exact")


def _drawn(one: list[list[Any]], other: list[list[Any]]) -> list[tuple[list[Any], list[Any]]]:
    """Orders from a fixed seed."""
    from random import Random

    chance = Random(LISTED)

    def draw(groups: list[list[Any]]) -> list[Any]:
        return [item for group in groups for item in chance.sample(group, len(group))]

    return [(draw(one), draw(other)) for _ in range(DRAWN)]
