"""Measures that model a user who walks down the ranking and stops somewhere."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from oracle.judgements import (
    DIGITS,
    ONE,
    ZERO,
    Discount,
    Gain,
    Lengths,
    Number,
    Truth,
    as_written,
    decimal,
    discount_at,
    grade_of,
    is_judged,
    is_relevant,
    log_ratio,
    power_of_two,
)
from oracle.stated import DISCOUNTS, measure

#: A scale replaces the lowest relevant grade.
BINARY_OR_GRADED: list[dict[str, Any]] = [
    *[{"max_grade": None}] * 2,
    *({"max_grade": top, "rel": None} for top in (3, 4.5)),
]


@measure("RBP", together=BINARY_OR_GRADED)
def rbp(
    order: Sequence[str],
    truth: Truth,
    k: int | None = None,
    p: Number = Fraction(4, 5),
    rel: Number = 1,
    max_grade: Number | None = None,
) -> Fraction:
    value, weight = ZERO, 1 - Fraction(p)
    for doc in order[:k]:
        if max_grade is None:
            value += weight * is_relevant(doc, truth, rel)
        elif is_judged(doc, truth):
            value += weight * Fraction(truth[doc]) / Fraction(max_grade)
        weight *= Fraction(p)
    return value


@measure("RBPResidual", together=BINARY_OR_GRADED)
def rbp_residual(
    order: Sequence[str],
    truth: Truth,
    k: int | None = None,
    p: Number = Fraction(4, 5),
    rel: Number = 1,
    max_grade: Number | None = None,
) -> Fraction:
    """What the unjudged documents among the first k, and everything after them, would add with the highest grade."""
    seen, best = order[:k], {"best": Fraction(rel if max_grade is None else max_grade)}
    gain = rbp(["best"], best, 1, p, rel, max_grade) / (1 - Fraction(p))
    value, weight = ZERO, 1 - Fraction(p)
    for doc in seen:
        value += weight * gain * (not is_judged(doc, truth))
        weight *= Fraction(p)
    return value + gain * Fraction(p) ** len(seen)


# ---------------------------------------------------------------------------------------------------------------------
# Cascades: the chance of going on depends on the document


@measure("ERR")
def err(order: Sequence[str], truth: Truth, k: int | None = None, max_grade: Number = 4) -> Fraction:
    value, reached = ZERO, ONE
    for rank, doc in enumerate(order[:k], 1):
        stop = (power_of_two(grade_of(doc, truth)) - 1) / power_of_two(Fraction(max_grade))
        value += reached * stop / rank
        reached *= 1 - stop
    return value


def _has_ideal(order: Sequence[str], truth: Truth, k: int | None = None, max_grade: Number = 4) -> bool:
    return any(grade_of(doc, truth) > 0 for doc in truth)


@measure("nERR", is_defined=_has_ideal)
def nerr(order: Sequence[str], truth: Truth, k: int | None = None, max_grade: Number = 4) -> Fraction:
    ideal = err(sorted(truth, key=lambda doc: grade_of(doc, truth), reverse=True), truth, k, max_grade)
    return err(order, truth, k, max_grade) / ideal if ideal else ZERO


@measure("iRBU", tried={"gain": [None, "linear", "exp2"]})
def irbu(
    order: Sequence[str],
    truth: Truth,
    k: int | None = None,
    p: Number = 0.99,
    gain: str = "linear",
    max_grade: Number = 4,
) -> Fraction:
    """A user who stops at rank i, satisfied, has a utility of p^i."""

    def gained(grade: Fraction) -> Fraction:
        return grade if gain == "linear" else power_of_two(grade) - 1

    value, reached = ZERO, ONE
    for rank, doc in enumerate(order[:k], 1):
        stop = gained(grade_of(doc, truth)) / (gained(Fraction(max_grade)) + 1)
        value += Fraction(p) ** rank * reached * stop
        reached *= 1 - stop
    return value


@measure(
    "Cascade",
    tried={"discount": [None, "none", *DISCOUNTS]},
    together=[
        {"gain": {1: 0.25, 2: 0.5, 3: 1}},
        {"gain": {1: 0.5, 2: 0.5, 3: 0.75}},
        {"gain": {0: 0.125, 1: 0.25, 2: 0.5, 3: 0.875}},
        {"gain": {0: 0, 1: 1, 2: 0.125, 3: 0.25}},
        {"gain": "linear", "go_on": {0: 1, 1: 0.5, 2: 0.25, 3: 0}},
        {"gain": "exp2", "go_on": {0: 0.9, 1: 0.75, 2: 0.5, 3: 0.125}},
        {"gain": {0: 0, 1: 1, 2: 4, 3: 2}, "go_on": {1: 0.25, 2: 1, 3: 0.5}},
        {"go_on": {0: 0.5, 1: 0.75, 2: 1, 3: 0.25}},
    ],
)
def cascade(
    order: Sequence[str],
    truth: Truth,
    k: int | None = None,
    gain: Gain = "linear",
    go_on: Mapping[int, Number] | None = None,
    discount: Discount = "none",
) -> Fraction:
    value, reached = ZERO, ONE
    for rank, doc in enumerate(order[:k], 1):
        grade = grade_of(doc, truth)
        if isinstance(gain, str):
            gained = grade if gain == "linear" else power_of_two(grade) - 1
        else:
            gained = Fraction(gain.get(int(grade), 0))
        value += reached * gained * discount_at(rank, discount)
        reached *= 1 - gained if go_on is None else Fraction(go_on.get(int(grade), 1))
    return value


# ---------------------------------------------------------------------------------------------------------------------
# C/W/L: the rate of gain of a user who goes on from rank i with probability C(i)

# Of the rank, the gain there, the gain up to there, and a parameter: exact in fractions, or to 60 digits in decimals.
GoOn = Callable[[Any, Any, Any, Any], Any]


def _rate(
    order: Sequence[str],
    truth: Truth,
    min_rel: Number,
    max_rel: Number,
    go_on: GoOn,
    depth: int,
    parameter: Fraction = ZERO,
) -> Fraction:
    """Sum of W(i) g_i: rank i weighs its share of all chances of getting there; g_i is on the way from min to max.

    Ranks go on to the depth; those beyond the ranking gain nothing.
    """
    low, high = Fraction(min_rel), Fraction(max_rel)
    weight, weights, total, gained = ONE, ZERO, ZERO, ZERO
    for rank, doc in enumerate(order[:depth], 1):
        gain = (min(max(grade_of(doc, truth), low), high) - low) / (high - low)
        total += gain
        gained += weight * gain
        weights += weight
        weight *= go_on(Fraction(rank), gain, total, parameter)
    return gained / (weights + weight * _unseen(len(order), total, go_on, depth, parameter))


@functools.cache
def _unseen(n: int, total: Fraction, go_on: GoOn, depth: int, parameter: Fraction) -> Fraction:
    """The weights of ranks n + 1 to depth, if that of rank n + 1 is 1; to 60 digits; there may be a million."""
    weight, weights, nothing = Decimal(1), Decimal(0), Decimal(0)
    with localcontext() as context:
        context.prec = DIGITS
        numbers = decimal(total), decimal(parameter)
        for rank in range(n + 1, depth + 1):
            weights += weight
            weight *= go_on(Decimal(rank), nothing, *numbers)
    return Fraction(weights)


@measure("NERR8")
def nerr8(order: Sequence[str], truth: Truth, k: int, max_rel: Number, min_rel: Number = 0) -> Fraction:
    return _rate(order, truth, min_rel, max_rel, _until_gain, k)


@measure("NERR9")
def nerr9(order: Sequence[str], truth: Truth, k: int, max_rel: Number, min_rel: Number = 0) -> Fraction:
    return _rate(order, truth, min_rel, max_rel, _until_gain_by_rank, k)


@measure("NERR10")
def nerr10(
    order: Sequence[str],
    truth: Truth,
    max_rel: Number,
    min_rel: Number = 0,
    p: Number = Fraction(9, 10),
    depth: int = 1000,
) -> Fraction:
    return _rate(order, truth, min_rel, max_rel, _until_gain_patiently, depth, as_written(p))


@measure("NERR11")
def nerr11(
    order: Sequence[str], truth: Truth, max_rel: Number, min_rel: Number = 0, T: Number = 1, depth: int = 1000
) -> Fraction:
    return _rate(order, truth, min_rel, max_rel, _until_gain_with_goal, depth, as_written(T))


@measure("BPM")
def bpm(order: Sequence[str], truth: Truth, k: int, max_rel: Number, min_rel: Number = 0, T: Number = 1) -> Fraction:
    return _rate(order, truth, min_rel, max_rel, _until_goal, k, as_written(T))


@measure("INST")
def inst(
    order: Sequence[str], truth: Truth, max_rel: Number, min_rel: Number = 0, T: Number = 1, depth: int = 1000
) -> Fraction:
    return _rate(order, truth, min_rel, max_rel, _adaptive, depth, as_written(T))


@measure("INSQ")
def insq(
    order: Sequence[str], truth: Truth, max_rel: Number, min_rel: Number = 0, T: Number = 1, depth: int = 1000
) -> Fraction:
    return _rate(order, truth, min_rel, max_rel, _with_goal, depth, as_written(T))


@measure("SDCG")
def sdcg(order: Sequence[str], truth: Truth, k: int, max_rel: Number, min_rel: Number = 0) -> Fraction:
    return _rate(order, truth, min_rel, max_rel, _as_dcg, k)


def _until_gain(rank: Any, gain: Any, total: Any, _: Any) -> Any:
    return 1 - gain


def _until_gain_by_rank(rank: Any, gain: Any, total: Any, _: Any) -> Any:
    return rank / (rank + 1) * (1 - gain)


def _until_gain_patiently(rank: Any, gain: Any, total: Any, p: Any) -> Any:
    return p * (1 - gain)


def _until_gain_with_goal(rank: Any, gain: Any, total: Any, goal: Any) -> Any:
    return _with_goal(rank, gain, total, goal) * (1 - gain)


def _until_goal(rank: Any, gain: Any, total: Any, goal: Any) -> Any:
    return type(total)(total < goal)


def _as_inst(x: Any) -> Any:
    """(1 - 1/x)^2."""
    root = (x - 1) / x
    return root * root


def _with_goal(rank: Any, gain: Any, total: Any, goal: Any) -> Any:
    return _as_inst(rank + 2 * goal)


def _adaptive(rank: Any, gain: Any, total: Any, goal: Any) -> Any:
    return _as_inst(rank + 2 * goal - total)


def _as_dcg(rank: Any, gain: Any, total: Any, _: Any) -> Any:
    ratio = log_ratio(Fraction(rank + 1), Fraction(rank + 2))
    return decimal(ratio) if isinstance(rank, Decimal) else ratio


# ---------------------------------------------------------------------------------------------------------------------
# Lengths of documents


@measure("U")
def u_measure(
    order: Sequence[str],
    truth: Truth,
    lengths: Lengths,
    k: int | None = None,
    L: Number = 132_000,
    gain_at: str = "end",
    rel: Number = 1,
    norm: Number = 1,
) -> Fraction:
    """A gain is worth less the more characters were read before it, and nothing after L of them."""
    value, read = ZERO, ZERO
    for doc in order[:k]:
        length = Fraction(lengths[doc])
        at = read + length if gain_at == "end" else read
        value += is_relevant(doc, truth, rel) * max(ZERO, 1 - at / Fraction(L))
        read += length
    return value / Fraction(norm)


@measure("TBG")
def tbg(
    order: Sequence[str],
    truth: Truth,
    lengths: Lengths,
    k: int | None = None,
    h: Number = 224,
    rel: Number = 1,
    summary: Number = 4.4,
    per_word: Number = 0.018,
    per_document: Number = 7.8,
    click_relevant: Number = 0.64,
    click_other: Number = 0.39,
    save: Number = 0.77,
) -> Fraction:
    """A relevant document gains as much as there are users who have not left by the time they get to it."""
    value, time = ZERO, ZERO
    for doc in order[:k]:
        relevant = is_relevant(doc, truth, rel)
        if relevant:
            value += as_written(click_relevant) * as_written(save) * power_of_two(-time / Fraction(h))
        reading = as_written(per_word) * Fraction(lengths[doc]) + as_written(per_document)
        time += as_written(summary) + reading * as_written(click_relevant if relevant else click_other)
    return value
