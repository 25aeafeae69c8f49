"""A ranking against preferences between documents, even if they form no ordered groups.

Preferences such as ``[("a", "c"), ("b", "c")]`` are pairs of documents of one query, the better one first. They say
nothing about some pairs, so they are a partial order. `untied.inputs.truth.groups_from_preferences` makes ordered
groups of those that form some; then `evaluate` has the same values as this module.
"""

from __future__ import annotations

import math
from bisect import bisect

from untied.comparison.correlation import tie_groups
from untied.errors import UntiedError
from untied.inputs.truth import preferred_to
from untied.results.value import Value

__all__ = ["adr", "pair_concordance"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from untied.comparison.correlation import Ranking


def adr(preferences: Iterable[tuple[Any, Any]], ranking: Ranking) -> Value:
    """Return the average dynamic recall (ADR) of a ranking, given preferences between documents.

    Which documents may be among the first i, if a ranking agrees with all preferences? Those to which fewer than i
    documents are preferred, directly or by others in between. The dynamic recall at rank i is the share of such
    documents among the first i of your ranking. If the preferences are about n documents, ADR is the mean of the
    dynamic recall at ranks 1 to n.

    Parameters
    ----------
    preferences : iterable of (better, worse)
        Pairs of documents, the better one first.
    ranking : list of tie groups or {document: score}
        The ranking, such as ``["a", ["b", "c"]]`` with b and c tied.

    Returns
    -------
    Value
        The mean over all orders of tied documents, with the lowest and highest value and the variance. It is NaN
        without preferences.

    Raises
    ------
    UntiedError
        Preferences contradict each other, or a document appears twice in the ranking.

    Examples
    --------
    Nobody has compared *a* with *c*, so both can be first:

    >>> adr([("a", "b"), ("c", "d")], ["c", "a", "d", "b"])
    1.0000 (variance 0)
    """
    above = preferred_to(preferences)
    n = len(above)
    if not n:
        return Value(math.nan)
    # For each rank i, how many of the first i documents can be there: on average, at least and at most.
    means, fewest, most = [0.0] * n, [0] * n, [0] * n
    # For a document at rank w that can be at rank s: the sum of 1/i over the ranks i >= w, s, divided by n.
    beyond = [0.0] * (n + 2)
    for i in range(n, 0, -1):
        beyond[i] = beyond[i + 1] + 1 / i / n

    def worth(rank: int, first: int) -> float:
        return beyond[min(max(rank, first), n + 1)]

    variance = 0.0
    start = 0
    for group in _once(ranking):
        size = len(group)
        firsts = sorted(1 + len(above[document]) if document in above else n + 1 for document in group)
        for place in range(start, n):
            able, taken = bisect(firsts, place + 1), min(place + 1 - start, size)
            means[place] += able * taken / size
            fewest[place] += max(0, able + taken - size)
            most[place] += min(able, taken)
        # The ranks below n + 1 are worth 0, however many there are.
        ranks = range(start + 1, start + size + 1)
        rows = [[worth(rank, first) for rank in ranks] for first in firsts if first <= n]
        variance += _variance(rows, size)
        start += size
    mean, low, high = (
        math.fsum(count / rank for rank, count in enumerate(counts, 1)) / n for counts in (means, fewest, most)
    )
    return Value(mean, low, high, variance)


# described by untied.comparison.preferences.adr: preferences, ranking
def pair_concordance(preferences: Iterable[tuple[Any, Any]], ranking: Ranking) -> Value:
    """Return the share of preferences that a ranking agrees with.

    Preferences also hold by others in between: if a is preferred to b and b to c, then a is preferred to c. A ranking
    agrees with a preference if it has the better document, and the other one is below it or missing.

    Parameters
    ----------
    preferences : iterable of (better, worse)
        Pairs of documents, the better one first.
    ranking : list of tie groups or {document: score}
        The ranking, such as ``["a", ["b", "c"]]`` with b and c tied.

    Returns
    -------
    Value
        The mean over all orders of tied documents, with the lowest and highest value and the variance. It is NaN
        without preferences.

    Raises
    ------
    UntiedError
        Preferences contradict each other, or a document appears twice in the ranking.

    Examples
    --------
    >>> pair_concordance([("a", "b"), ("c", "d")], ["c", ["a", "b"], "d"])
    0.7500 [0.5000, 1.0000] (variance 0.0625)
    """
    above = preferred_to(preferences)
    total = sum(map(len, above.values()))
    if not total:
        return Value(math.nan)
    place = {document: number for number, group in enumerate(_once(ranking)) for document in group}
    right = 0
    # For each document, the numbers of documents in its tie group that are preferred to it, and the other way round.
    tied_above, tied_below = dict.fromkeys(above, 0), dict.fromkeys(above, 0)
    for worse, betters in above.items():
        for better in betters:
            first, second = place.get(better, math.inf), place.get(worse, math.inf)
            right += first < second
            if first == second < math.inf:
                tied_above[worse] += 1
                tied_below[better] += 1
    tied = sum(tied_above.values())
    # Two tied pairs that share their worse or their better document are both right in 1/3 of orders; two in a chain in
    # 1/6. So their covariance is 1/12 or -1/12, and 0 without a shared document.
    squares = sum((tied_above[document] - tied_below[document]) ** 2 for document in above)
    variance = (tied / 4 + (squares - 2 * tied) / 12) / total**2
    return Value((right + tied / 2) / total, right / total, (right + tied) / total, variance)


def _once(ranking: Ranking) -> list[list[Any]]:
    """Return the tie groups of a ranking. A document that occurs twice is an error."""
    groups, seen = tie_groups(ranking), set()
    for document in (document for group in groups for document in group):
        if document in seen:
            raise UntiedError(f"{document!r} appears twice in a ranking")
        seen.add(document)
    return groups


def _variance(rows: Sequence[Sequence[float]], size: int) -> float:
    """Return the variance of a sum to which each row adds the number of a column, in a random order of columns.

    `size` is the number of columns. Rows of zeros are left out.
    """
    if size == 1 or not rows:
        return 0.0
    of_rows = [sum(row) / size for row in rows]
    of_columns = [sum(column) / size for column in zip(*rows, strict=True)]
    every = sum(of_rows) / size
    squares: float = sum(
        (x - row - column + every) ** 2
        for numbers, row in zip(rows, of_rows, strict=True)
        for x, column in zip(numbers, of_columns, strict=True)
    )
    squares += (size - len(rows)) * sum((every - column) ** 2 for column in of_columns)
    return squares / (size - 1)
