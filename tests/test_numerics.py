"""Digits in large tie groups, against exact integers and fractions: far too many orders to enumerate.

References count arrangements of the r relevant among the n documents of a group, and take second moments as they are:
with hundreds of bits nothing is lost in E[X^2] - E[X]^2, so no formula of the package is needed here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

import oracle
import untied
from strategies import as_text, close

BITS = 400  # of the fixed-point sums; their error is below 1e-100 of the values here
MEAN, VARIANCE = 1e-12, 1e-10  # relative
FLOOR = 0.0  # a variance of 1e-33 (RBP far down) is held to the same digits, and one of 0 is exactly 0

Moments = tuple[Fraction, Fraction]  # mean and variance


@dataclass(frozen=True)
class Group:
    """n tied documents, r of them relevant, after t others, of which the first `before` are relevant and untied."""

    n: int
    r: int
    t: int = 0
    before: int = 0

    def groups(self) -> list[list[str]]:
        first = [[f"b{i}"] for i in range(self.before)]
        rest = [f"p{i}" for i in range(self.t - self.before)]
        return [*first, *([rest] if rest else []), [f"d{i}" for i in range(self.n)]]

    def truth(self) -> dict[str, float]:
        return {f"b{i}": 1.0 for i in range(self.before)} | {f"d{i}": 1.0 for i in range(self.r)}


def check(group: Group, expected: Mapping[str, Moments]) -> None:
    check_ranking(group.groups(), group.truth(), expected)


def check_ranking(groups: Any, truth: dict[str, float], expected: Mapping[str, Moments]) -> None:
    results = untied.evaluate({"q": truth}, {"q": groups}, list(expected), variance=True)
    wrong = []
    for measure, (mean, variance) in expected.items():
        value = results.value(measure, query="q")
        assert value.variance is not None
        for name, got, want, tolerance in (
            ("mean", value.mean, mean, MEAN),
            ("variance", value.variance, variance, VARIANCE),
        ):
            if not close(got, want, tolerance, FLOOR):
                error = float(abs(Fraction(got) - want) / want) if want else math.inf
                wrong.append(f"{measure} {name}: got {got!r}, want {float(want)!r}, relative error {error:.1e}")
    assert not wrong, "\n".join(wrong)


# ---------------------------------------------------------------------------------------------------------------------
# References


def success(group: Group, k: int) -> Moments:
    slots = min(group.n, k - group.t)
    failure = Fraction(math.comb(group.n - group.r, slots), math.comb(group.n, slots))
    return 1 - failure, failure * (1 - failure)


def reciprocal_rank(group: Group, k: int | None = None) -> Moments:
    """C(n-x, r-1) of the C(n, r) arrangements have their first relevant document in slot x."""
    n, r, t = group.n, group.r, group.t
    every = math.comb(n, r)
    count = math.comb(n - 1, r - 1)
    first = second = 0
    for x in range(1, n - r + 2):
        if (k is not None and t + x > k) or count.bit_length() + BITS < every.bit_length():
            break
        first += (count << BITS) // (t + x)
        second += (count << BITS) // (t + x) ** 2
        if x < n:
            count = count * (n - x - r + 1) // (n - x)  # C(m-1, q) = C(m, q) (m-q) / m
    mean = Fraction(first, every << BITS)
    return mean, Fraction(second, every << BITS) - mean**2


def hits(group: Group, k: int) -> Moments:
    """Relevant documents among the first k, by their distribution: C(r, h) C(n-r, K-h) orders in C(n, K) have h."""
    n, r, slots = group.n, group.r, min(group.n, k - group.t)
    possible = range(max(0, slots - (n - r)), min(r, slots) + 1)
    counts = {h: math.comb(r, h) * math.comb(n - r, slots - h) for h in possible}
    every = math.comb(n, slots)
    assert sum(counts.values()) == every
    mean = Fraction(sum(h * c for h, c in counts.items()), every)
    return mean + group.before, Fraction(sum(h * h * c for h, c in counts.items()), every) - mean**2


def scaled(moments: Moments, factor: Fraction) -> Moments:
    return moments[0] * factor, moments[1] * factor**2


def fixed(weight: Fraction) -> int:
    return (weight.numerator << BITS) // weight.denominator


def discounted(gains: Mapping[int, int], weights: Sequence[int]) -> Moments:
    """Sum of gain times weight, for documents in random order, from the chances of one document and of two.

    A document is in a slot with chance 1/n, two documents are in two slots with chance 1/(n (n-1)). Gains come with
    the number of documents that have them; weights are fixed-point numbers, those of later slots are 0.
    """
    n = sum(gains.values())
    g1 = sum(gain * count for gain, count in gains.items())
    g2 = sum(gain * gain * count for gain, count in gains.items())
    w1, w2 = Fraction(sum(weights), 1 << BITS), Fraction(sum(w * w for w in weights), 1 << 2 * BITS)
    mean = g1 * w1 / n
    return mean, g2 * w2 / n + (g1 * g1 - g2) * (w1 * w1 - w2) / (n * (n - 1)) - mean**2


def binary(group: Group, weights: Sequence[int]) -> Moments:
    return discounted({1: group.r, 0: group.n - group.r}, weights)


@functools.cache
def counted(name: str, k: int | None, group: Group) -> Moments:
    result = oracle.counted(oracle.Measure(name, k), group.groups(), group.truth())
    return result.mean, result.variance


# ---------------------------------------------------------------------------------------------------------------------
# Measures

HUGE = [Group(n, r, t) for t in (0, 10_000) for n, r in [(1000, 1), (1000, 2), (1000, 500), (1000, 999)]]
HUGE += [Group(100_000, r, t) for t in (0, 10_000) for r in (1, 2, 10, 50_000)]
CUTS = (1, 2, 10, 500)

huge = pytest.mark.parametrize("group", HUGE, ids=str)


@huge
def test_success(group: Group) -> None:
    check(group, {f"Success@{group.t + k}": success(group, group.t + k) for k in CUTS})


@huge
def test_reciprocal_rank(group: Group) -> None:
    expected = {f"RR@{group.t + k}": reciprocal_rank(group, group.t + k) for k in CUTS}
    check(group, {"RR": reciprocal_rank(group)} | expected)


@huge
def test_hits(group: Group) -> None:
    expected: dict[str, Moments] = {}
    for k in [group.t + k for k in CUTS]:
        moments = hits(group, k)
        expected[f"P@{k}"] = scaled(moments, Fraction(1, k))
        expected[f"R@{k}"] = scaled(moments, Fraction(1, group.r))
        expected[f"F1@{k}"] = scaled(moments, Fraction(2, k + group.r))
    check(group, expected)


@huge
def test_dcg(group: Group) -> None:
    ranks = range(group.t + 1, group.t + group.n + 1)
    inverse = [(1 << BITS) // rank for rank in ranks]
    expected = {"DCG(discount='inverse')": binary(group, inverse)}
    for k in CUTS:
        expected[f"DCG(discount='inverse')@{group.t + k}"] = binary(group, inverse[:k])
    check(group, expected)


@pytest.mark.parametrize("group", [Group(1000, r, t) for t in (0, 10_000) for r in (1, 2, 500, 999)], ids=str)
def test_dcg_with_logarithms(group: Group) -> None:
    logs = [fixed(oracle.discount_at(group.t + slot, "log2")) for slot in range(1, group.n + 1)]
    check(group, {"DCG": binary(group, logs), f"DCG@{group.t + 10}": binary(group, logs[:10])})


def test_graded_dcg() -> None:
    counts = {3: 5, 2: 100, 1: 7, 0: 888}
    grades = [float(grade) for grade, count in counts.items() for _ in range(count)]
    docs = [f"d{i}" for i in range(len(grades))]
    inverse = [(1 << BITS) // rank for rank in range(1, len(docs) + 1)]
    expected = {
        "DCG(discount='inverse')": discounted(counts, inverse),
        "DCG(gain='exp2', discount='inverse')": discounted({2**g - 1: c for g, c in counts.items()}, inverse),
    }
    check_ranking([docs], dict(zip(docs, grades, strict=True)), expected)


@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
@pytest.mark.parametrize(
    "group", [Group(n, r, t) for t in (0, 50) for n, r in [(1000, 1), (1000, 999), (5000, 10), (5000, 2500)]], ids=str
)
def test_rank_biased_precision(group: Group, p: float) -> None:
    stay = Fraction(p)  # the double itself: to the power 1,000 its distance to the decimal shows
    weights = [fixed((1 - stay) * stay**group.t)]
    while len(weights) < group.n:
        weights.append(weights[-1] * stay.numerator // stay.denominator)
    check(group, {f"RBP(p={p})": binary(group, weights)})


@pytest.mark.parametrize(("p", "n"), [(0.1, 9), (0.8, 40), (0.8, 200)])
def test_small_residual(p: float, n: int) -> None:
    """All documents judged and none tied: what is left of RBP is p^n, however little that is."""
    docs = [f"d{i}" for i in range(n)]
    expected = {f"RBPResidual(p={p})": (Fraction(p) ** n, Fraction(0))}
    check_ranking([[doc] for doc in docs], dict.fromkeys(docs, 1.0), expected)


AVERAGED = [Group(400, r, t, before) for r in (1, 2, 200, 399) for t, before in ((0, 0), (10_000, 3))]
AVERAGED += [Group(3000, r) for r in (1, 2, 5)] + [Group(3000, 3, 10_000, 2)]


@pytest.mark.parametrize("group", AVERAGED, ids=str)
def test_average_precision(group: Group) -> None:
    measures = [oracle.Measure("AP", k) for k in (None, group.t + 1, group.t + 10, group.t + 350)]
    check(group, {as_text(measure): counted("AP", measure.k, group) for measure in measures})
