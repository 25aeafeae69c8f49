"""Similarities and distances of two rankings, from their definitions for two total orders."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

from oracle.enumeration import Statistics, permutations, summarise
from oracle.judgements import ONE, ZERO, Groups

Order = Sequence[str]


def over_orders(of: Callable[[Order, Order], Fraction | None], a: Groups, b: Groups) -> Statistics | None:
    """Statistics over all orders of tied documents in both rankings."""
    return summarise(of(one, other) for one, other in itertools.product(permutations(a), permutations(b)))


def joined(a: Order, b: Order) -> tuple[list[str], list[str]]:
    """Both rankings of the documents that both have."""
    return [doc for doc in a if doc in b], [doc for doc in b if doc in a]


def jaccard(a: Order, b: Order, k: int) -> Fraction:
    one, other = set(a[:k]), set(b[:k])
    return Fraction(len(one & other), len(one | other)) if one | other else ONE


def tau(a: Order, b: Order) -> Fraction | None:
    """Concordant less discordant pairs, of all pairs."""
    a, b = joined(a, b)
    signs = [1 if b.index(x) < b.index(y) else -1 for x, y in itertools.combinations(a, 2)]
    return Fraction(sum(signs), len(signs)) if signs else None


def tau_ap(truth: Order, estimate: Order) -> Fraction | None:
    """How many of the documents above each rank of the estimate the truth has above its document too."""
    truth, estimate = joined(truth, estimate)
    n = len(estimate)
    if n < 2:
        return None
    shares = [
        Fraction(sum(truth.index(above) < truth.index(estimate[i]) for above in estimate[:i]), i) for i in range(1, n)
    ]
    return 2 * sum(shares, ZERO) / (n - 1) - 1


def place(groups: Groups, doc: str) -> int:
    """The number of a document's tie group."""
    return next(number for number, group in enumerate(groups) if doc in group)


def tau_b(a: Groups, b: Groups) -> float | None:
    """Of two tied rankings, pair by pair."""
    docs = [doc for group in a for doc in group if any(doc in other for other in b)]
    difference, untied = 0, [0, 0]
    for x, y in itertools.combinations(docs, 2):
        in_a, in_b = place(a, x) - place(a, y), place(b, x) - place(b, y)
        difference += (in_a * in_b > 0) - (in_a * in_b < 0)
        untied[0] += in_a != 0
        untied[1] += in_b != 0
    return float(difference / (untied[0] * untied[1]) ** 0.5) if all(untied) else None


def tau_ap_b(a: Groups, b: Groups) -> Fraction | None:
    """Urbano & Marrero's tau_AP,b of two tied rankings: the mean of both directions."""
    docs = [doc for group in a for doc in group if any(doc in other for other in b)]
    directions = []
    for truth, estimate in ((a, b), (b, a)):
        shares = []
        for doc in docs:
            above = [other for other in docs if place(estimate, other) < place(estimate, doc)]
            if above:
                right = sum(place(truth, other) < place(truth, doc) for other in above)
                shares.append(Fraction(right, len(above)))
        if not shares:
            return None
        directions.append(2 * sum(shares, ZERO) / len(shares) - 1)
    return sum(directions, ZERO) / 2
