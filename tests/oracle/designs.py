"""Weighted means, their variance, and tests of clusters, from their definitions in exact fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import product

Values = Sequence[Fraction]
Labels = Sequence[Hashable]


def weighted_mean(values: Values, weights: Values) -> Fraction:
    return sum((v * w for v, w in zip(values, weights, strict=True)), Fraction(0)) / sum(weights, Fraction(0))


def by_label(labels: Labels) -> dict[Hashable, list[int]]:
    members: dict[Hashable, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        members[label].append(place)
    return members


def macro_mean(values: Values, weights: Values, segments: Labels) -> Fraction:
    """The mean of the weighted means of segments."""
    means = [
        weighted_mean([values[place] for place in places], [weights[place] for place in places])
        for places in by_label(segments).values()
    ]
    return sum(means, Fraction(0)) / len(means)


def effective(weights: Values) -> Fraction:
    return sum(weights, Fraction(0)) ** 2 / sum((w * w for w in weights), Fraction(0))


def variance(values: Values) -> Fraction:
    """The variance of a sample."""
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1)


def variance_of_weighted_mean(values: Values, weights: Values, clusters: Labels) -> Fraction:
    """That of a ratio of two sums over clusters drawn at random, to first order."""
    mean, total = weighted_mean(values, weights), sum(weights, Fraction(0))
    residuals = [
        sum((weights[place] * (values[place] - mean) for place in places), Fraction(0)) / total
        for places in by_label(clusters).values()
    ]
    n = len(residuals)
    return Fraction(n, n - 1) * sum((residual**2 for residual in residuals), Fraction(0))


def variance_of_pooled_mean(values: Values, segments: Labels) -> Fraction:
    """That of the mean of all queries if their numbers in segments are fixed."""
    parts = [[values[place] for place in places] for places in by_label(segments).values()]
    return sum((Fraction(len(part), len(values)) ** 2 * variance(part) / len(part) for part in parts), Fraction(0))


def variance_of_macro_mean(values: Values, segments: Labels) -> Fraction:
    """That of the mean of segments' means."""
    parts = [[values[place] for place in places] for places in by_label(segments).values()]
    return sum((variance(part) / len(part) for part in parts), Fraction(0)) / len(parts) ** 2


def randomization_p(values: Values, weights: Values, clusters: Labels) -> Fraction:
    """The share of all choices of clusters whose sign is changed, with a weighted sum at least as far from 0."""
    sums = [
        sum((values[place] * weights[place] for place in places), Fraction(0)) for places in by_label(clusters).values()
    ]
    observed, extreme, total = abs(sum(sums, Fraction(0))), 0, 0
    for signs in product((1, -1), repeat=len(sums)):
        total += 1
        extreme += abs(sum((s * x for s, x in zip(signs, sums, strict=True)), Fraction(0))) >= observed
    return Fraction(extreme, total)


def holm(p_values: Values) -> list[Fraction]:
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, highest = [Fraction(0)] * len(p_values), Fraction(0)
    for step, place in enumerate(order):
        highest = max(highest, min(Fraction(1), (len(p_values) - step) * p_values[place]))
        adjusted[place] = highest
    return adjusted
