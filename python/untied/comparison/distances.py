"""Distances of two rankings with weights and similarities of items (Kumar & Vassilvitskii 2010).

With weights w of items, costs delta_i of moving from rank i - 1 to rank i, and dissimilarities D of items, let pbar_x
be the mean cost of the ranks that item x moved across (`unmoved` if it did not move), and v_x = w_x pbar_x. Then

    K = sum of v_x v_y D_xy over pairs in opposite orders,
    F = sum over x of v_x | sum of v_y D_xy over y above x in the one ranking - the same in the other |.

Without weights, costs and dissimilarities they are Kendall's distance (the number of pairs in opposite orders) and
Spearman's footrule. For position weights alone, of whole runs, there are the measures ``WeightedKendall`` and
``WeightedFootrule`` of `untied.compare`; `untied.comparison.correlation.kendall` is Kendall's tau.
"""

from __future__ import annotations

import math

from untied import _core
from untied.comparison.correlation import same_items
from untied.errors import UntiedError
from untied.results.value import Value

__all__ = ["footrule", "kendall_distance"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    from untied.comparison.correlation import Ranking

    Costs: TypeAlias = Sequence[float] | Callable[[int], float]
    Dissimilarity: TypeAlias = Callable[[Any, Any], float]


def kendall_distance(
    one: Ranking,
    other: Ranking,
    *,
    weights: Mapping[Any, float] | None = None,
    delta: Costs | None = None,
    unmoved: float = 1.0,
    dissimilarity: Dissimilarity | None = None,
) -> Value:
    """Return Kendall's distance: the cost of all pairs of items that two rankings put in opposite orders.

    By default, each such pair costs 1, so you get their number. A pair can cost more if its items matter (`weights`) or
    are near the top (`delta`), and less if they are alike (`dissimilarity`; Kumar & Vassilvitskii 2010).

    Parameters
    ----------
    one, other : {item: score} or list of tie groups
        Two rankings of the same items, such as ``{"a": 0.9, "b": 0.4}``, or ``["a", ["b", "c"]]`` with b and c tied.
    weights : {item: weight}, optional
        How much each item matters, as a number of at least 0, such as its relevance. By default, all items have the
        weight 1.
    delta : sequence of float, or function of a rank, optional
        What it costs to move an item by one rank: first between ranks 1 and 2, then between 2 and 3, and so on. Pass a
        list such as ``[1, 0.5]``, or a function of the rank. Moves beyond the end of a list cost 0. By default, every
        move costs 1, and `unmoved` has no effect.
    unmoved : float
        The mean cost of an item that has the same rank in both rankings.
    dissimilarity : function of two items, optional
        A symmetric function that says how different two items are. If it returns 0, their order does not matter. By
        default, it is 1 for all pairs.

    Returns
    -------
    Value
        The mean over all orders of tied items in both rankings, with the lowest and the highest value and the variance.
        All are exact for at most 5,000 pairs of orders. With more, the mean is an estimate from a fixed sample of 1,000
        to 10,000 pairs, and its certainty is ``estimate``.

    Raises
    ------
    UntiedError
        The rankings do not hold the same items, each once; an item has no weight; a number is below 0 or NaN.

    Examples
    --------
    Two items swap places, but they are nearly the same:

    >>> kendall_distance(["a", "b1", "b2"], ["a", "b2", "b1"], dissimilarity=lambda x, y: 0.1 if x[0] == y[0] else 1.0)
    0.1000 (variance 0)
    """
    return _distance(one, other, weights, delta, unmoved, dissimilarity, footrule=False)


# described by untied.comparison.distances.kendall_distance: one, other, weights, delta, unmoved, dissimilarity
def footrule(
    one: Ranking,
    other: Ranking,
    *,
    weights: Mapping[Any, float] | None = None,
    delta: Costs | None = None,
    unmoved: float = 1.0,
    dissimilarity: Dissimilarity | None = None,
) -> Value:
    """Return Spearman's footrule: how far the items of one ranking have moved in another.

    By default, it adds up the ranks that each item moved. The options are those of `kendall_distance`.

    Parameters
    ----------
    one : {item: score} or list of tie groups
        Two rankings of the same items, such as ``{"a": 0.9, "b": 0.4}``, or ``["a", ["b", "c"]]`` with b and c tied.
    other : {item: score} or list of tie groups
        Two rankings of the same items, such as ``{"a": 0.9, "b": 0.4}``, or ``["a", ["b", "c"]]`` with b and c tied.
    weights : {item: weight}, optional
        How much each item matters, as a number of at least 0, such as its relevance. By default, all items have the
        weight 1.
    delta : sequence of float, or function of a rank, optional
        What it costs to move an item by one rank: first between ranks 1 and 2, then between 2 and 3, and so on. Pass a
        list such as ``[1, 0.5]``, or a function of the rank. Moves beyond the end of a list cost 0. By default, every
        move costs 1, and `unmoved` has no effect.
    unmoved : float
        The mean cost of an item that has the same rank in both rankings.
    dissimilarity : function of two items, optional
        A symmetric function that says how different two items are. If it returns 0, their order does not matter. By
        default, it is 1 for all pairs.

    Returns
    -------
    Value
        As for `kendall_distance`. Without `dissimilarity`, the footrule is at least Kendall's distance, and at most
        twice as large.

    Raises
    ------
    UntiedError
        As for `kendall_distance`.

    Examples
    --------
    >>> footrule(["a", "b", "c"], ["b", "a", "c"])
    2.0000 (variance 0)
    """
    return _distance(one, other, weights, delta, unmoved, dissimilarity, footrule=True)


def _distance(
    one: Ranking,
    other: Ranking,
    weights: Mapping[Any, float] | None,
    delta: Costs | None,
    unmoved: float,
    dissimilarity: Dissimilarity | None,
    *,
    footrule: bool,
) -> Value:
    items, a, b = same_items(one, other)
    missing = next((item for item in items if weights is not None and item not in weights), None)
    if missing is not None:
        raise UntiedError(f"{missing!r} has no weight")
    costs = [_cost(delta, rank) for rank in range(2, len(items) + 1)]
    unlike = dissimilarity and [
        [0.0 if x == y else _checked(dissimilarity(x, y), "a dissimilarity") for y in items] for x in items
    ]
    return Value(
        *_core.item_distance(
            a,
            b,
            footrule=footrule,
            weights=[_checked(1.0 if weights is None else weights[item], "a weight") for item in items],
            delta=costs,
            unmoved=1.0 if delta is None else _checked(unmoved, "unmoved"),
            dissimilarities=unlike,
        )
    )


def _cost(delta: Costs | None, rank: int) -> float:
    """The cost of moving to a rank from the one above."""
    if delta is None:
        return 1.0
    if callable(delta):
        return _checked(delta(rank), "a cost")
    return _checked(delta[rank - 2], "a cost") if rank - 2 < len(delta) else 0.0


def _checked(number: float, what: str) -> float:
    if not 0 <= number < math.inf:
        raise UntiedError(f"{what} must be a number of at least 0, not {number!r}")
    return float(number)
