"""Rank correlation with ties on either side: Kendall's tau, tau_AP, Spearman's rho."""

from __future__ import annotations

import math

from untied import _core
from untied.errors import UntiedError
from untied.results.table import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    Groups: TypeAlias = list[list[Any]]
    Ranking: TypeAlias = Mapping[Any, float | Value] | Iterable[Any]

#: Pairs of orders that are listed where there is no closed form.
LISTED = 5_000


def kendall(one: Ranking, other: Ranking, *, variant: str = "a") -> Value:
    """Kendall's tau.

    With C concordant and D discordant pairs of n items, tau_a is (C - D) / (n(n-1)/2). A tied pair counts 0, which is
    its mean over tie orders, so tau_a is the exact mean over all orders of both rankings. tau_b divides by
    the geometric mean of the numbers of pairs that are not tied in the one and in the other ranking.

    Parameters
    ----------
    one, other : {item: score} or list of tie groups
        Rankings of the same items.
    variant : str
        ``"a"`` or ``"b"``.

    Returns
    -------
    Value
        For ``"a"`` with the smallest and the largest value and the variance over tie orders, all exact. NaN with fewer
        than two items, and for ``"b"`` where all items of a ranking are tied.

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
    """tau_AP, the rank correlation in which errors at the top weigh more (Yilmaz, Aslam & Robertson 2008).

    Of n items, with C(i) those above rank i of the estimate that the truth puts above its item too,
    tau_AP = 2/(n-1) sum over i = 2..n of C(i)/(i-1), minus 1. It is not symmetric.

    The variant ``"a"`` is the exact mean over all orders of the tied items of both rankings. ``"b"`` is symmetric, the
    mean of both directions (Urbano & Marrero 2017): each sums the same over the items that are not in the first tie
    group, with C the items of the groups above that the other ranking puts strictly above, divided by all items of
    these groups; and divides by the number of these items.

    Parameters
    ----------
    truth, estimate : {item: score} or list of tie groups
        Rankings of the same items.
    variant : str
        ``"a"`` or ``"b"``.

    Returns
    -------
    Value
        For ``"a"`` with the smallest and the largest value and the variance where there are at most 5,000 pairs of
        orders, which are listed; None where there are more, as no closed form is known. NaN with fewer than two items,
        and for ``"b"`` where all items of a ranking are tied.

    Raises
    ------
    UntiedError
        As for `kendall`.

    Examples
    --------
    >>> tau_ap(["a", "b", "c"], ["b", "a", "c"])
    0.0000 [0.0000, 0.0000] (variance 0)
    """
    truth, estimate = tie_groups(truth), tie_groups(estimate)
    value = _of_core("TauAP", truth, estimate, variant)
    if variant == "b" or value.low is not None or math.isnan(value.mean):
        return value
    listed = all_orders(truth, estimate)
    if listed is None:
        return value
    values = _compared("TauAP", [([[x] for x in one], [[y] for y in other]) for one, other in listed]).column(0)
    return Value(value.mean, min(values), max(values), variance_of(values), "exact")


def swapped(one: Ranking, other: Ranking) -> int:
    """How many pairs of items the two rankings order oppositely; tied pairs are not among them.

    Parameters
    ----------
    one, other : {item: score} or list of tie groups
        Rankings of the same items.

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
    one, other = tie_groups(one), tie_groups(other)
    tau = kendall(one, other)
    if tau.high is None:
        return 0  # fewer than two items
    items = len(places_of(one))
    # The largest tau has all tied pairs in the same order, so what it lacks is in opposite orders.
    return round((1 - tau.high) / 2 * (items * (items - 1) // 2))


def spearman(one: Ranking, other: Ranking) -> Value:
    """Spearman's rho: the correlation of ranks, tied items having the mean of their ranks.

    Parameters
    ----------
    one, other : {item: score} or list of tie groups
        Rankings of the same items.

    Returns
    -------
    Value
        NaN with fewer than two items, or where all items of a ranking are tied.

    Raises
    ------
    UntiedError
        As for `kendall`.

    Examples
    --------
    >>> spearman(["a", "b", "c"], ["b", "a", "c"])
    0.5000
    """
    places = _same_items(one, other)
    x, y = (_ranks([of[item] for item in places[0]]) for of in places)
    # Twice the ranks, about twice their mean, are whole numbers.
    center = len(x) + 1
    squares = sum((a - center) ** 2 for a in x) * sum((b - center) ** 2 for b in y)
    if len(x) < 2 or squares == 0:
        return Value(math.nan, None, None, None, "exact")
    products = sum((a - center) * (b - center) for a, b in zip(x, y, strict=True))
    return Value(products / math.sqrt(squares), None, None, None, "exact")


def _of_core(measure: str, one: Ranking, other: Ranking, variant: str) -> Value:
    """A measure of two rankings of the same items."""
    if variant not in ("a", "b"):
        raise UntiedError(f"variant must be 'a' or 'b', not {variant!r}")
    one, other = tie_groups(one), tie_groups(other)
    if len(_same_items(one, other)[0]) < 2:
        return Value(math.nan, None, None, None, "exact")
    return Value(*_compared(f"{measure}(variant={variant})", [(one, other)]).value(0, 0))


def _compared(measure: str, pairs: Sequence[tuple[Groups, Groups]]) -> _core.Comparison:
    """What the core finds of pairs of rankings, each of which is a query."""
    names = {item: str(number) for number, item in enumerate(places_of(pairs[0][0]))}
    runs = [
        _core.Run.from_mapping(
            {
                str(query): {names[item]: -place for place, group in enumerate(pair[side]) for item in group}
                for query, pair in enumerate(pairs)
            }
        )
        for side in (0, 1)
    ]
    options: dict[str, Any] = dict.fromkeys(("qrels", "probabilities", "docs", "depth"))
    options |= {"ties": "expected", "score_dtype": "float64", "variance": True, "itself": False, "threads": 1}
    [found] = _core.compare_runs(runs, [_core.comparing_measure(measure)], **options)
    return found


def tie_groups(ranking: Ranking) -> Groups:
    """Tie groups, best first."""
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


def places_of(ranking: Ranking) -> dict[Any, int]:
    """The number of every item's group."""
    places: dict[Any, int] = {}
    for place, group in enumerate(tie_groups(ranking)):
        for item in group:
            if item in places:
                raise UntiedError(f"{item!r} stands twice in a ranking")
            places[item] = place
    return places


def _same_items(one: Ranking, other: Ranking) -> tuple[dict[Any, int], dict[Any, int]]:
    """The number of every item's group in two rankings, which must hold the same items."""
    x, y = places_of(one), places_of(other)
    if x.keys() != y.keys():
        odd = next(iter(x.keys() ^ y.keys()))
        raise UntiedError(f"both rankings must hold the same items; only one holds {odd!r}")
    return x, y


def _ranks(places: list[int]) -> list[int]:
    """Twice the mean rank of each."""
    from collections import Counter

    counts, rank, of = Counter(places), 0, {}
    for place in sorted(counts):
        of[place] = 2 * rank + counts[place] + 1
        rank += counts[place]
    return [of[place] for place in places]


def all_orders(one: Groups, other: Groups) -> list[tuple[list[Any], list[Any]]] | None:
    """All pairs of orders, if they are few."""
    from itertools import chain, permutations, product

    number = 1
    for group in chain(one, other):
        for factor in range(2, len(group) + 1):
            number *= factor
            if number > LISTED:
                return None
    orders = [
        [list(chain.from_iterable(parts)) for parts in product(*(list(permutations(group)) for group in groups))]
        for groups in (one, other)
    ]
    return [(x, y) for x in orders[0] for y in orders[1]]


def variance_of(values: Sequence[float]) -> float:
    """The variance of values that are all there are."""
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)
