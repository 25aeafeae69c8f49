"""A mean from human values of some queries and a machine's values of all, from its definition."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Values = Sequence[Fraction]


def mean(values: Values) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def product(a: Values, b: Values) -> Fraction:
    """The sum of products around the means."""
    return sum(((x - mean(a)) * (y - mean(b)) for x, y in zip(a, b, strict=True)), Fraction(0))


def slope(human: Values, machine: Values) -> Fraction:
    """The slope of least squares, shrunk for the number of queries, and kept within 0 to 1."""
    m = len(human)
    if m < 2 or not product(human, human) or not product(machine, machine):
        return Fraction(0)
    both = product(human, machine)
    squared_correlation = both**2 / (product(human, human) * product(machine, machine))
    a = max(Fraction(0), 1 - (1 - squared_correlation) * Fraction(m - 1, max(m - 2, 1)))
    if not a:
        return Fraction(0)
    shrunk = both / product(machine, machine) * a / (a + (1 - a) / (Fraction(1, 2) if m <= 3 else m - 3))
    return min(max(shrunk, Fraction(0)), Fraction(1))


def without(values: Values, place: int) -> Values:
    return [value for other, value in enumerate(values) if other != place]


def estimate(human: Values, machine: Values, sample: Sequence[int]) -> Fraction:
    """The estimate if people judge the queries of a sample; `human` and `machine` have values of all queries."""
    n, total = len(sample), Fraction(0)
    y, f = [human[query] for query in sample], [machine[query] for query in sample]
    for place, query in enumerate(sample):
        others = {other for other in sample if other != query}
        # Given the others, the query is any one of these.
        left = [value for other, value in enumerate(machine) if other not in others]
        share = Fraction(len(left), len(machine))
        total += y[place] - slope(without(y, place), without(f, place)) * share * (f[place] - mean(left))
    return total / n


def variance(human: Values, machine: Values, sample: Sequence[int], *, all_queries: bool) -> Fraction:
    """The variance behind the interval: a jackknife of the estimate with one slope, with a floor."""
    n, queries = len(sample), len(machine)
    y, f = [human[query] for query in sample], [machine[query] for query in sample]
    left_out = []
    for place in range(n):
        u, v = without(y, place), without(f, place)
        left_out.append(mean(u) + slope(u, v) * (mean(machine) - mean(v)))
    part = 1 - Fraction(n, queries)
    jackknife = part * Fraction(n - 1, n) * product(left_out, left_out)
    alone = part * product(y, y) / (n - 1) / n
    beyond = product(y, y) / (n - 1) / queries if all_queries else 0
    return (1 - Fraction(1, n)) * jackknife + alone / n + beyond


def stratified(human: Values, machine: Values, strata: Sequence[Sequence[int]], samples: Sequence[Sequence[int]]):
    """The estimate, and its variance for these queries, if people judge a sample of each stratum."""
    total = spread = Fraction(0)
    for inside, sample in zip(strata, samples, strict=True):
        y, f = [human[query] for query in inside], [machine[query] for query in inside]
        places = [inside.index(query) for query in sample]
        share = Fraction(len(inside), len(human))
        total += share * estimate(y, f, places)
        if len(sample) < len(inside):
            spread += share**2 * variance(y, f, places, all_queries=False)
    return total, spread


def variance_of(values: Values) -> Fraction:
    return product(values, values) / (len(values) - 1)


def plug_in(human: Values, machine: Values, sample: Sequence[int], *, all_queries: bool) -> tuple[Fraction, Fraction]:
    """PPI++ with the slope from the sample itself: the estimate and its variance."""
    y, f = [human[query] for query in sample], [machine[query] for query in sample]
    rest = [value for query, value in enumerate(machine) if query not in set(sample)]
    n, queries = len(sample), len(machine)
    spread = variance_of(machine)
    slope = min(max(product(y, f) / (n - 1) / spread, Fraction(0)), Fraction(1)) if spread else Fraction(0)
    estimate = mean([a - slope * b for a, b in zip(y, f, strict=True)]) + slope * mean(machine)
    if not all_queries:
        residuals = [a - slope * b for a, b in zip(y, f, strict=True)]
        return estimate, (1 - Fraction(n, queries)) * variance_of(residuals) / n
    # As a difference with the other queries, the slope is smaller, and the estimate the same.
    slope *= Fraction(len(rest), queries)
    residuals = [a - slope * b for a, b in zip(y, f, strict=True)]
    others = slope**2 * variance_of(rest) / len(rest) if len(rest) > 1 else 0
    return estimate, variance_of(residuals) / n + others
