"""What measures are made of: judgements, gains, discounts; logarithms and powers to 60 digits."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

Number = Fraction | float | int
Truth = Mapping[str, Number]  # document -> grade; absent: not judged; negative: pooled but not judged
Subtopics = Mapping[str, Truth]  # subtopic -> its judgements
Lengths = Mapping[str, Number]  # document -> length
Groups = Sequence[Sequence[str]]  # tie groups, best first
Gain = str | Mapping[int, Number]
Discount = str | Sequence[Number]

DIGITS = 60
ZERO, ONE = Fraction(0), Fraction(1)


def is_judged(doc: str, truth: Truth) -> bool:
    """Whether the document has a grade of at least 0."""
    return doc in truth and truth[doc] >= 0


def is_relevant(doc: str, truth: Truth, rel: Number) -> bool:
    return is_judged(doc, truth) and truth[doc] >= rel


def hits(order: Sequence[str], truth: Truth, rel: Number) -> int:
    return sum(is_relevant(doc, truth, rel) for doc in order)


def relevant_total(order: Sequence[str], truth: Truth, rel: Number, recall_base: str | int) -> int:
    """R: the number of relevant documents that recall, F1, AP and R-precision refer to."""
    if isinstance(recall_base, int):
        return recall_base
    return hits(order if recall_base == "ranking" else list(truth), truth, rel)


# ---------------------------------------------------------------------------------------------------------------------
# Gains and discounts


def as_written(x: Number) -> Fraction:
    """The number that a decimal stands for: 0.1 is a tenth, not the double next to it."""
    return x if isinstance(x, Fraction) else _read(str(x))


_read = functools.cache(Fraction)


def decimal(x: Number) -> Decimal:
    x = Fraction(x)
    return Decimal(x.numerator) / Decimal(x.denominator)


@functools.cache
def power_of_two(exponent: Fraction) -> Fraction:
    if exponent.denominator == 1:
        return Fraction(2) ** int(exponent)
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction(Decimal(2) ** decimal(exponent))


@functools.cache
def log_ratio(x: Fraction, y: Fraction) -> Fraction:
    """log(x) / log(y), to any base."""
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction(decimal(x).ln() / decimal(y).ln())


@functools.cache
def log(x: Fraction) -> Fraction:
    """The natural logarithm."""
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction(decimal(x).ln())


def root(x: Fraction) -> Fraction:
    """The square root."""
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction(decimal(x).sqrt())


def exp(x: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction(decimal(x).exp())


def grade_of(doc: str, truth: Truth) -> Fraction:
    """The grade, or 0 of what is not judged."""
    return Fraction(truth[doc]) if is_judged(doc, truth) else ZERO


def gain_of(doc: str, truth: Truth, gain: Gain, rel: Number = 0) -> Fraction:
    if not is_relevant(doc, truth, rel):
        return ZERO
    grade = Fraction(truth[doc])
    if gain == "linear":
        return grade
    if gain == "exp2":
        return power_of_two(grade) - 1
    assert not isinstance(gain, str)
    return Fraction(gain[int(grade)])


def discount_at(rank: int, discount: Discount) -> Fraction:
    if discount == "none":
        return ONE
    if discount == "log2":
        return log_ratio(Fraction(2), Fraction(1 + rank))
    if discount == "inverse":
        return Fraction(1, rank)
    if isinstance(discount, str):
        base = Fraction(discount.removeprefix("log(").removesuffix(")"))
        return Fraction(1) if rank < base else log_ratio(base, Fraction(rank))
    return Fraction(discount[rank - 1]) if rank <= len(discount) else ZERO
