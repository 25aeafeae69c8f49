"""Rank correlation with ties on either side: Kendall's tau, tau_AP, Spearman's rho.

Two rankings of the same items, of documents or of systems, are each ``{item: score}`` (higher is better; values that
`evaluate` found are scores too) or a list of tie groups, best first: ``["a", ["b", "c"], "d"]``.

A tie can mean two things (Urbano & Marrero 2017). If the order is not known, a coefficient has a mean and a smallest
and largest value over all orders of the tied items, each equally likely: the variant ``"a"``. If items are truly equal,
two rankings that both tie them agree: the variant ``"b"`` counts this, and is a single number.
"""

from __future__ import annotations

import math

from untied import _core
from untied.errors import UntiedError
from untied.results.value import Value

__all__ = ["kendall", "spearman", "swapped", "tau_ap"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeAlias

    Ranking: TypeAlias = Mapping[Any, float | Value] | Iterable[Any]


def kendall(one: Ranking, other: Ranking, *, variant: str = "a") -> Value:
    """Return Kendall's tau: how far two rankings agree on the order of pairs of items.

    Use it to compare, say, how two measures rank the same systems. It is 1 if the rankings agree on every pair, and -1
    if they agree on none.

    If C pairs of n items are in the same order in both rankings, and D pairs in opposite orders, tau_a is (C - D) /
    (n(n-1)/2). A pair that is tied in a ranking adds 0, its mean over the two orders, so tau_a is the exact mean over
    all orders of both rankings. tau_b divides C - D by the geometric mean of the two rankings' numbers of untied pairs
    instead.

    Parameters
    ----------
    one, other : {item: score} or list of tie groups
        Two rankings of the same items, such as ``{"a": 0.9, "b": 0.4}``, or ``["a", ["b", "c"]]`` with b and c tied.
    variant : str
        ``"a"`` or ``"b"``.

    Returns
    -------
    Value
        For ``"a"``, it has the lowest and the highest value and the variance over tie orders, all exact. It is NaN if
        there are fewer than two items. ``"b"`` is also NaN if all items of a ranking are tied.

    Raises
    ------
    UntiedError
        The rankings do not hold the same items, each once; a score is NaN; the variant is unknown.

    Examples
    --------
    >>> kendall(["a", ["b", "c"], "d"], ["b", ["a", "d"], "c"])
    0.0000 [-0.3333, 0.3333] (variance 0.0556)
    """
    return _of_core("Tau", one, other, variant)


def tau_ap(truth: Ranking, estimate: Ranking, *, variant: str = "a") -> Value:
    """Return tau_AP, a rank correlation in which errors at the top weigh more (Yilmaz, Aslam & Robertson 2008).

    For each item of the estimate but the first, it asks which share of the items above it are above it in the truth,
    too. If m is the mean of these shares, tau_AP = 2m - 1. It changes if you swap truth and estimate.

    If items tie, the variant ``"a"`` is the exact mean over all their orders. The variant ``"b"`` (Urbano & Marrero
    2017) does not average over orders. An item's share is then about the items in higher tie groups, and counts those
    that are strictly higher in the truth, too; items of the first tie group have no share. It is symmetric, because it
    is the mean of two values, each with one of the rankings as the truth.

    Parameters
    ----------
    truth, estimate : {item: score} or list of tie groups
        Two rankings of the same items, such as ``{"a": 0.9, "b": 0.4}``, or ``["a", ["b", "c"]]`` with b and c tied.
    variant : str
        ``"a"`` or ``"b"``.

    Returns
    -------
    Value
        For ``"a"``, it has the lowest and the highest value and the variance if there are at most 5,000 pairs of
        orders. (Items that are tied in both rankings are interchangeable.) With more pairs, these are None. It is NaN
        if there are fewer than two items. ``"b"`` is also NaN if all items of a ranking are tied.

    Raises
    ------
    UntiedError
        As for `kendall`.

    Examples
    --------
    >>> tau_ap(["a", "b", "c"], ["b", "a", "c"])
    0.0000 (variance 0)
    """
    return _of_core("TauAP", truth, estimate, variant)


def swapped(one: Ranking, other: Ranking) -> int:
    """Return the number of pairs of items that two rankings put in opposite orders. Tied pairs do not count.

    Parameters
    ----------
    one, other : {item: score} or list of tie groups
        Two rankings of the same items, such as ``{"a": 0.9, "b": 0.4}``, or ``["a", ["b", "c"]]`` with b and c tied.

    Returns
    -------
    int

    Raises
    ------
    UntiedError
        As for `kendall`.

    Examples
    --------
    >>> swapped(["a", ["b", "c"], "d"], ["b", ["a", "d"], "c"])
    2
    """
    items, x, y = same_items(one, other)
    if len(items) < 2:
        return 0
    # The largest tau has all tied pairs in the same order, so what it lacks is in opposite orders.
    high = _compared("Tau", x, y).high
    return 0 if high is None else round((1 - high) / 2 * (len(items) * (len(items) - 1) // 2))


def spearman(one: Ranking, other: Ranking) -> Value:
    """Return Spearman's rho: the correlation of ranks. Tied items have the mean of their ranks.

    Parameters
    ----------
    one, other : {item: score} or list of tie groups
        Two rankings of the same items, such as ``{"a": 0.9, "b": 0.4}``, or ``["a", ["b", "c"]]`` with b and c tied.

    Returns
    -------
    Value
        It is NaN if there are fewer than two items, or if all items of a ranking are tied.

    Raises
    ------
    UntiedError
        As for `kendall`.

    Examples
    --------
    >>> spearman(["a", "b", "c"], ["b", "a", "c"])
    0.5000
    """
    return _of_core("Spearman", one, other, "b")


def _of_core(measure: str, one: Ranking, other: Ranking, variant: str) -> Value:
    """Return a measure of two rankings of the same items, computed by the core."""
    if variant not in ("a", "b"):
        raise UntiedError(f"variant must be 'a' or 'b', not {variant!r}")
    _, x, y = same_items(one, other)
    if len(x) < 2:
        return Value(math.nan, None, None, None, "exact")
    return _compared(f"{measure}(variant={variant})", x, y)


def _compared(measure: str, *rankings: list[int]) -> Value:
    """Return what the core computes for two rankings, which are given as tie groups."""
    runs = [
        _core.Run.from_mapping({"": {str(item): -place for item, place in enumerate(places)}}) for places in rankings
    ]
    options: dict[str, Any] = dict.fromkeys(("qrels", "probabilities", "docs", "depth"))
    options |= {"policies": _core.Policies("pairs"), "variance": True, "itself": False, "threads": 1}
    [comparison] = _core.compare_runs(runs, [_core.comparing_measure(measure)], names=("a", "b"), **options)
    return Value(*comparison.value(0, 0))


def same_items(one: Ranking, other: Ranking) -> tuple[list[Any], list[int], list[int]]:
    """Return the items of two rankings, with the tie group of each item in both. The items must be the same."""
    x, y = _places(one), _places(other)
    if x.keys() != y.keys():
        odd = next(iter(x.keys() ^ y.keys()))
        raise UntiedError(f"both rankings must hold the same items; only one holds {odd!r}")
    return list(x), list(x.values()), [y[item] for item in x]


def _places(ranking: Ranking) -> dict[Any, int]:
    """The index of every item's group."""
    places: dict[Any, int] = {}
    for place, group in enumerate(tie_groups(ranking)):
        for item in group:
            if item in places:
                raise UntiedError(f"{item!r} appears twice in a ranking")
            places[item] = place
    return places


def tie_groups(ranking: Ranking) -> list[list[Any]]:
    """List the tie groups of a ranking, best first."""
    if isinstance(ranking, (str, bytes)):
        raise TypeError("a ranking must be a dict of scores or a list of tie groups, not a str")
    if not hasattr(ranking, "items"):
        groups = [list(entry) if isinstance(entry, (list, tuple, set, frozenset)) else [entry] for entry in ranking]
        return [group for group in groups if group]
    by_score: dict[float, list[Any]] = {}
    for item, value in ranking.items():
        score = value.mean if isinstance(value, Value) else value
        if math.isnan(score):
            raise UntiedError(f"the score of {item!r} is NaN")
        by_score.setdefault(score, []).append(item)
    return [by_score[score] for score in sorted(by_score, reverse=True)]
