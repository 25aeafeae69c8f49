"""Rank correlation with ties on either side: Kendall's tau, tau_AP, Spearman's rho."""

from __future__ import annotations

import math

from untied.errors import UntiedError
from untied.results.table import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

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
    pairs = _pairs(one, other, variant)
    n = len(pairs)
    if n < 2:
        return _undefined()
    tied_one, tied_other, tied_both = _tied(x for x, _ in pairs), _tied(y for _, y in pairs), _tied(pairs)
    all_pairs = n * (n - 1) // 2
    untied_in_both = all_pairs - tied_one - tied_other + tied_both
    difference = untied_in_both - 2 * _discordant(pairs)
    if variant == "b":
        if all_pairs in (tied_one, tied_other):
            return _undefined()
        # The root of the product of whole numbers, so that equal rankings have a tau_b of 1 exactly.
        return Value(
            difference / math.sqrt((all_pairs - tied_one) * (all_pairs - tied_other)), None, None, None, "exact"
        )
    tied = all_pairs - untied_in_both
    low, high = (difference - tied) / all_pairs, (difference + tied) / all_pairs
    # Of C - D, with V(t) = t (t-1) (2t+5) / 18 for every tie group of either ranking (Kendall), less that of items
    # tied in both, which both would count.
    spread = _spread(x for x, _ in pairs) + _spread(y for _, y in pairs) - _spread(pairs)
    return Value(difference / all_pairs, low, high, spread / 18 / all_pairs**2, "exact")


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
    pairs = _pairs(truth, estimate, variant)
    n = len(pairs)
    if n < 2:
        return _undefined()
    if variant == "b":
        directions = (_tau_ap_b(pairs), _tau_ap_b([(y, x) for x, y in pairs]))
        return Value(sum(directions) / 2, None, None, None, "exact")
    terms, start = [], 0
    for size, above in _above(pairs):
        # Slot a of the group is below the groups above and a - 1 items of its own, half of which are in order.
        base = sum(strictly + ties / 2 for strictly, ties in above) / size
        terms += [(base + (a - 1) / 2) / (start + a - 1) for a in range(1, size + 1) if start + a > 1]
        start += size
    mean = 2 * math.fsum(terms) / (n - 1) - 1
    listed = _orders(truth, estimate)
    if listed is None:
        return Value(mean, None, None, None, "exact")
    values = [_tau_ap(x, y) for x, y in listed]
    return Value(mean, min(values), max(values), _variance(values), "exact")


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
    return _discordant(_pairs(one, other, "a"))


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
    pairs = _pairs(one, other, "a")
    x, y = _ranks([x for x, _ in pairs]), _ranks([y for _, y in pairs])
    # Twice the ranks, about twice their mean, are whole numbers.
    center = len(pairs) + 1
    squares = sum((a - center) ** 2 for a in x) * sum((b - center) ** 2 for b in y)
    if len(pairs) < 2 or squares == 0:
        return _undefined()
    products = sum((a - center) * (b - center) for a, b in zip(x, y, strict=True))
    return Value(products / math.sqrt(squares), None, None, None, "exact")


def _undefined() -> Value:
    return Value(math.nan, None, None, None, "exact")


def _groups(ranking: Ranking) -> list[list[Any]]:
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


def _places(ranking: Ranking) -> dict[Any, int]:
    """The number of every item's group."""
    places: dict[Any, int] = {}
    for place, group in enumerate(_groups(ranking)):
        for item in group:
            if item in places:
                raise UntiedError(f"{item!r} stands twice in a ranking")
            places[item] = place
    return places


def _pairs(one: Ranking, other: Ranking, variant: str) -> list[tuple[int, int]]:
    """For every item the numbers of its groups."""
    if variant not in ("a", "b"):
        raise UntiedError(f"variant must be 'a' or 'b', not {variant!r}")
    x, y = _places(one), _places(other)
    if x.keys() != y.keys():
        odd = next(iter(x.keys() ^ y.keys()))
        raise UntiedError(f"both rankings must hold the same items; only one holds {odd!r}")
    return [(x[item], y[item]) for item in x]


def _tied(places: Iterable[object]) -> int:
    """Pairs of equal ones."""
    from collections import Counter

    return sum(count * (count - 1) // 2 for count in Counter(places).values())


def _spread(places: Iterable[object]) -> int:
    """18 V(t) of groups of equal ones."""
    from collections import Counter

    return sum(count * (count - 1) * (2 * count + 5) for count in Counter(places).values())


def _discordant(pairs: list[tuple[int, int]]) -> int:
    """Pairs of opposite order in the two rankings: inversions, as merge sort counts them (Knight 1966)."""
    # Sorted by the first and then by the second, an inversion of the second is no tie of the first.
    sequence = [y for _, y in sorted(pairs)]
    inversions, width = 0, 1
    while width < len(sequence):
        merged: list[int] = []
        for start in range(0, len(sequence), 2 * width):
            left, right = sequence[start : start + width], sequence[start + width : start + 2 * width]
            i = 0
            for y in right:
                while i < len(left) and left[i] <= y:
                    merged.append(left[i])
                    i += 1
                inversions += len(left) - i
                merged.append(y)
            merged += left[i:]
        sequence, width = merged, 2 * width
    return inversions


def _above(pairs: list[tuple[int, int]]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Each group of the second ranking: its size, and for each of its items two counts of the items above the group.

    How many of them the first ranking puts strictly above the item, and how many it ties with it; by a Fenwick tree.
    """
    by_group: dict[int, list[int]] = {}
    for x, y in pairs:
        by_group.setdefault(y, []).append(x)
    size = max((x for x, _ in pairs), default=0) + 1
    tree, at = [0] * (size + 1), [0] * size
    for y in sorted(by_group):
        found = []
        for x in by_group[y]:
            strictly, i = 0, x
            while i > 0:
                strictly += tree[i]
                i -= i & -i
            found.append((strictly, at[x]))
        for x in by_group[y]:
            at[x] += 1
            i = x + 1
            while i <= size:
                tree[i] += 1
                i += i & -i
        yield len(found), found


def _tau_ap_b(pairs: list[tuple[int, int]]) -> float:
    shares, start = [], 0
    for size, above in _above(pairs):
        if start:
            shares += [strictly / start for strictly, _ in above]
        start += size
    return 2 * math.fsum(shares) / len(shares) - 1 if shares else math.nan


def _ranks(places: list[int]) -> list[int]:
    """Twice the mean rank of each."""
    from collections import Counter

    counts, rank, of = Counter(places), 0, {}
    for place in sorted(counts):
        of[place] = 2 * rank + counts[place] + 1
        rank += counts[place]
    return [of[place] for place in places]


def _orders(one: Ranking, other: Ranking) -> list[tuple[list[Any], list[Any]]] | None:
    """All pairs of orders, if they are few."""
    from itertools import chain, permutations, product

    both = [_groups(one), _groups(other)]
    number = 1
    for group in chain.from_iterable(both):
        for factor in range(2, len(group) + 1):
            number *= factor
            if number > LISTED:
                return None
    orders = [
        [list(chain.from_iterable(parts)) for parts in product(*(list(permutations(group)) for group in groups))]
        for groups in both
    ]
    return [(x, y) for x in orders[0] for y in orders[1]]


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)


def _tau_ap(truth: list[Any], estimate: list[Any]) -> float:
    """Of two orders."""
    place = {item: rank for rank, item in enumerate(truth)}
    shares = []
    for i, item in enumerate(estimate):
        if i:
            shares.append(sum(place[above] < place[item] for above in estimate[:i]) / i)
    return 2 * math.fsum(shares) / len(shares) - 1
