"""Bounds from random samples of one population or of several, by the hypergeometric distribution."""

from __future__ import annotations

from functools import lru_cache
from math import comb, exp, factorial, fsum, inf, lgamma, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    #: Of a population, for each number of relevant documents that it can have: what they add, and -ln p.
    Population = Sequence[tuple[float, float]]

#: Rounds of the search for the best price; every price gives a valid bound.
ROUNDS = 40
#: By how much limits of -ln p are raised, which is more than all rounding errors.
SLACK = 1e-9


@lru_cache(1 << 14)
def at_most(size: int, drawn: int, hits: int) -> tuple[float, ...]:
    """P(X <= `hits`) for every possible number K of relevant documents, from `hits` to `size` - `drawn` + `hits`.

    With F(K) for K relevant documents among `size`, of which `drawn` are drawn without replacement, F(K) - F(K + 1) =
    C(K, x) C(size - K - 1, drawn - x - 1) / C(size, drawn): this is the share of samples with exactly `hits`
    of the first K documents, and document K + 1. Numbers of samples are whole; each probability is rounded once.

    Parameters
    ----------
    size, drawn, hits : int
        Of the population, of the sample, and relevant documents in the sample.
    """
    last = size - drawn + hits
    samples = comb(size, drawn)
    left, probabilities = samples, [1.0]
    if hits == drawn:
        return (1.0,) * (last - hits + 1)
    below, above = 1, comb(size - hits - 1, drawn - hits - 1)
    for relevant in range(hits, last):
        left -= below * above
        probabilities.append(left / samples)
        below = below * (relevant + 1) // (relevant + 1 - hits)
        others = size - relevant - 1
        above = above * (others - drawn + hits + 1) // others if others else 0
    return tuple(probabilities)


def at_least(size: int, drawn: int, hits: int) -> tuple[float, ...]:
    """P(X >= `hits`) for the same numbers of relevant documents, by counting the drawn non-relevant ones."""
    return at_most(size, drawn, drawn - hits)[::-1]


@lru_cache
def least_product(count: int, alpha: float) -> float:
    """-ln c for which a product of independent p-values is at most c with probability `alpha` (Fisher).

    That of n uniform numbers is at most c with probability c * sum_{j < n} (-ln c)^j / j!; p-values of counts are
    larger than uniform numbers, if anything.
    """
    low, high = 0.0, 1.0

    def probability(x: float) -> float:
        return exp(-x) * fsum(x**j / factorial(j) for j in range(count))

    while probability(high) > alpha:
        low, high = high, 2 * high
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if probability(middle) > alpha else (low, middle)
    return high + SLACK


def least_sum(populations: Sequence[Population], alpha: float) -> float:
    """A lower bound of a sum over independent populations that is wrong with a probability of at most `alpha`.

    It is the smallest sum of what is added over all numbers of relevant documents of which the product of p-values is
    not too small, or less: the limit has a price (Lagrange), and any price gives a lower bound.
    """
    if not populations:
        return 0.0
    most = least_product(len(populations), alpha)
    possible = [[(add, cost) for add, cost in one if cost <= most] for one in populations]

    def bound(price: float) -> float:
        return fsum(min(add + price * cost for add, cost in one) for one in possible) - price * most

    # The bound is concave in the price, and adding all is worth at most this much a unit of cost.
    low, high = 0.0, 1.0 + 4 * fsum(max(abs(add) for add, _ in one) for one in possible)
    best = max(bound(low), bound(high))
    ratio = (5**0.5 - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = bound(left), bound(right)
    for _ in range(ROUNDS):
        best = max(best, at_left, at_right)
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = bound(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = bound(left)
    return best


def cost(probability: float) -> float:
    """-ln p."""
    return -log(probability) if probability > 0 else inf


def tail(size: int, drawn: int, part: int, hits: int) -> float:
    """The smaller of the probabilities that a part of a population has as few, or as many, of the sampled documents."""

    def log_choose(n: int, k: int) -> float:
        return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)

    first, last = max(0, drawn - size + part), min(part, drawn)
    down = hits * size <= part * drawn  # below the mean
    term = exp(log_choose(part, hits) + log_choose(size - part, drawn - hits) - log_choose(size, drawn))
    total, at = 0.0, hits
    while term > 0 and first <= at <= last:
        total += term
        if down:
            term *= at * (size - part - drawn + at) / ((part - at + 1) * (drawn - at + 1))
            at -= 1
        else:
            term *= (part - at) * (drawn - at) / ((at + 1) * (size - part - drawn + at + 1))
            at += 1
    return min(total, 1.0)
