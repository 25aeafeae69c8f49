"""Distributions over orders of ties, from the definition: every order is listed, in exact fractions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from oracle.enumeration import orders
from oracle.judgements import ZERO, Groups, Truth
from oracle.measures import Measure
from oracle.stated import STATED

#: Values with their probabilities.
Law = dict[Fraction, Fraction]

#: Logarithms are decimals: sums of the same ones in another order differ in their last digits.
DIGITS = 20
NEAR = Fraction(1, 10**12)


def _one(value: Fraction, digits: int = DIGITS) -> Fraction:
    return value if value.denominator < 10**digits else round(value, digits)


def law(measure: Measure, groups: Groups, truth: Truth) -> Law | None:
    """The distribution of a measure; None if it is undefined, which no order changes."""
    every = list(orders(groups, lambda doc: measure.sees(doc, truth, None)))
    if not measure.is_defined(every[0], truth):
        return None
    is_random = STATED[measure.name].moments  # even for one order, of which it has the mean
    listed = [measure.moments(order, truth)[0] if is_random else measure.of(order, truth) for order in every]
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


@dataclass(frozen=True)
class Steps:
    """A distribution added up: the probability of less than each value, then of that value or less."""

    values: list[Fraction]
    sums: list[Fraction]

    def below(self, value: Fraction) -> Fraction:
        """The probability of less than this value."""
        return self.sums[bisect_left(self.values, value)]

    def at_most(self, value: Fraction) -> Fraction:
        """The probability of this value or less."""
        return self.sums[bisect_right(self.values, value)]

    def quantile(self, level: Fraction) -> Fraction:
        """The smallest value that is not exceeded with at least this probability."""
        return self.values[bisect_left(self.sums, level, lo=1) - 1]


def steps(of: Law) -> Steps:
    """A distribution added up."""
    values = sorted(of)
    return Steps(values, list(accumulate((of[value] for value in values), initial=ZERO)))


def chances(a: Law, b: Law) -> tuple[Fraction, Fraction, Fraction]:
    """P(A > B), P(A = B) and P(A < B) of independent values; what differs by its last digits is equal."""
    other = steps(b)
    greater = sum((p * other.below(x - NEAR) for x, p in a.items()), ZERO)
    less = sum((p * (1 - other.at_most(x + NEAR)) for x, p in a.items()), ZERO)
    return greater, 1 - greater - less, less
