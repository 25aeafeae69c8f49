"""Distributions over orders of ties, from the definition: every order is listed, in exact fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from oracle.enumeration import orders
from oracle.judgements import ZERO, Groups, Truth
from oracle.measures import Measure

#: Values with their probabilities.
Law = dict[Fraction, Fraction]

#: Logarithms are decimals: sums of the same ones in another order differ in their last digits.
DIGITS = 20


def _one(value: Fraction, digits: int = DIGITS) -> Fraction:
    return value if value.denominator < 10**digits else round(value, digits)


def law(measure: Measure, groups: Groups, truth: Truth) -> Law | None:
    """The distribution of a measure; None if it is undefined, which no order changes."""
    every = list(orders(groups, lambda doc: measure.sees(doc, truth, None)))
    if not measure.is_defined(every[0], truth):
        return None
    listed = [measure.of(order, truth) for order in every]
    found: Law = defaultdict(Fraction)
    for value in listed:
        assert value is not None
        found[_one(value)] += Fraction(1, len(listed))
    return dict(found)


def mean(laws: Sequence[Law]) -> Law:
    """The distribution of the mean of independent values."""
    total: Law = {ZERO: Fraction(1)}
    for one in laws:
        sums: Law = defaultdict(Fraction)
        for x, p in total.items():
            for y, q in one.items():
                sums[x + y] += p * q
        total = dict(sums)
    found: Law = defaultdict(Fraction)
    for value, chance in total.items():
        found[_one(value / len(laws), DIGITS - 4)] += chance
    return dict(found)


def at_most(of: Law, value: Fraction) -> Fraction:
    """The probability of this value or less."""
    return sum((chance for one, chance in of.items() if one <= value), ZERO)


def quantile(of: Law, level: Fraction) -> Fraction:
    """The smallest value that is not exceeded with at least this probability."""
    return min(value for value in of if at_most(of, value) >= level)


def chances(a: Law, b: Law) -> tuple[Fraction, Fraction, Fraction]:
    """P(A > B), P(A = B) and P(A < B) of independent values."""

    def total(pairs: Iterable[tuple[Fraction, Fraction]]) -> Fraction:
        return sum((p * q for p, q in pairs), ZERO)

    every = [(x, y, p, q) for x, p in a.items() for y, q in b.items()]
    return (
        total((p, q) for x, y, p, q in every if x > y),
        total((p, q) for x, y, p, q in every if x == y),
        total((p, q) for x, y, p, q in every if x < y),
    )
