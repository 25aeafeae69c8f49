"""Digits in large tie groups, against exact integers and fractions: far too many orders to enumerate.

References count arrangements of the r relevant among the n documents of a group, and take second moments as they are:
with hundreds of bits nothing is lost in E[X^2] - E[X]^2, so no formula of the package is needed here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import oracle
import untied
from nightly import at_night
from strategies import NOT_YET, as_text, close

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


def all_found(group: Group, k: int) -> Moments:
    slots = min(group.n, k - group.t)
    success = Fraction(math.comb(slots, group.r), math.comb(group.n, group.r))
    return success, success * (1 - success)


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
HUGE += [Group(100_000, r, t) for t in (0, 10_000) for r in (1, 2, 10)]
HUGE += [Group(100_000, 50_000, 10_000), *at_night(Group(100_000, 50_000))]
CUTS = (1, 2, 10, 500)

huge = pytest.mark.parametrize("group", HUGE, ids=str)


@huge
def test_success(group: Group) -> None:
    check(group, {f"Success@{group.t + k}": success(group, group.t + k) for k in CUTS})


@huge
def test_all_found(group: Group) -> None:
    cuts = {*CUTS, group.r, group.n - group.n // 100, group.n - 1, group.n}
    expected = {f"AllFound@{group.t + k}": all_found(group, group.t + k) for k in cuts}
    # Below, floats lose digits and then vanish.
    check(group, {name: (mean, variance) for name, (mean, variance) in expected.items() if not 0 < mean < 1e-300})


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


AVERAGED = [Group(400, r, t, before) for r in (1, 2, 200) for t, before in ((0, 0), (10_000, 3))]
AVERAGED += [Group(400, 399), *at_night(Group(400, 399, 10_000, 3))]
AVERAGED += [Group(3000, r) for r in (1, 2, 5)] + [Group(3000, 3, 10_000, 2)]


@pytest.mark.parametrize("group", AVERAGED, ids=str)
def test_average_precision(group: Group) -> None:
    measures = [oracle.Measure("AP", k) for k in (None, group.t + 1, group.t + 10, group.t + 350)]
    check(group, {as_text(measure): counted("AP", measure.k, group) for measure in measures})


# ---------------------------------------------------------------------------------------------------------------------
# Measures whose references list all places of one or two relevant documents


@dataclass(frozen=True)
class Two:
    """Two relevant documents of different grades, tied with n - 2 others after t unjudged ones: their ranks a < b.

    Every pair of places is listed, once for each document that may be the first of the two.
    """

    n: int
    t: int = 0
    grades: tuple[int, int] = (1, 1)

    def check(
        self,
        measure: str,
        value: Callable[[Any, Any, int, int], Any],
        variance: bool = True,
        also: Mapping[str, float] | None = None,
    ) -> None:
        """The value is given the ranks (arrays of long doubles) and the grades there.

        Without a variance, the package has none where there are too many orders to be listed.
        """
        a, b = np.triu_indices(self.n, 1)
        first, second = (a + self.t + 1).astype(np.longdouble), (b + self.t + 1).astype(np.longdouble)
        listed = np.concatenate([value(first, second, g, h) for g, h in {self.grades, self.grades[::-1]}])
        mean = listed.mean()
        expected = (mean, ((listed - mean) ** 2).mean(), listed.min(), listed.max())
        truth = {"d0": float(self.grades[0]), "d1": float(self.grades[1]), **(also or {})}
        groups = [[f"p{i}" for i in range(self.t)], [f"d{i}" for i in range(self.n)]]
        groups = [group for group in groups if group]
        results = untied.evaluate({"q": truth}, {"q": groups}, [measure], ties="range", variance=True)
        found = results.value(measure, query="q")
        assert found.certainty == "exact"
        got = (found.mean, found.variance, found.low, found.high)
        for i, tolerance in enumerate((MEAN, VARIANCE, MEAN, MEAN)):
            if i == 1 and not variance and self.n > 3:
                assert got[i] is None
            else:
                assert close(got[i], as_fraction(expected[i]), tolerance, FLOOR), f"{measure} {self}: {got} {expected}"


def as_fraction(x: Any) -> Fraction:
    """A long double, exactly."""
    return Fraction(*x.as_integer_ratio())


def weight(rank: Any) -> Any:
    return 1 / np.log2(1 + rank)


TWO = [Two(n, t) for n in (3, 1000) for t in (0, 7, 5000)]
two = pytest.mark.parametrize("group", TWO, ids=str)
unequal = pytest.mark.parametrize("group", [Two(n, t, (1, 3)) for n in (3, 700) for t in (0, 7, 5000)], ids=str)


@two
def test_two_relevant_at_recall_levels(group: Two) -> None:
    for level in (0, 0.1, 0.5):
        group.check(f"IPrec@{level}", lambda a, b, g, h: np.maximum(1 / a, 2 / b))
    for level in (0.6, 1):
        group.check(f"IPrec@{level}", lambda a, b, g, h: 2 / b)
    group.check("IPrecMean", lambda a, b, g, h: (6 * np.maximum(1 / a, 2 / b) + 5 * (2 / b)) / 11, variance=False)


@two
def test_two_relevant_above_others(group: Two) -> None:
    group.check("binG", lambda a, b, g, h: (1 / np.log2(1 + a) + 1 / np.log2(b)) / 2)
    group.check("Judged@5", lambda a, b, g, h: ((a <= 5) * 1 + (b <= 5)) / np.minimum(a * 0 + 5, group.n + group.t))


@unequal
def test_unequal_gains(group: Two) -> None:
    top, both = 3 * weight(1), 3 * weight(1) + weight(2)
    end = group.n + group.t

    def dcg(a: Any, b: Any, g: int, h: int, k: Any) -> Any:
        return g * weight(a) * (a <= k) + h * weight(b) * (b <= k)

    def at_changes(a: Any, b: Any, g: int, h: int) -> Any:
        return (dcg(a, b, g, h, 1) / top + dcg(a, b, g, h, 2) / both + dcg(a, b, g, h, end) / both) / 3

    def at_relevant(a: Any, b: Any, g: int, h: int) -> Any:
        ideal = np.where(a == 1, top, both)
        return (dcg(a, b, g, h, a) / ideal + dcg(a, b, g, h, b) / both) / 2

    def behind_ideal(a: Any, b: Any, g: int, h: int) -> Any:
        found_first, cost_first, cost_second = g, a + 2, b + 2  # ideal gains 3 and 1, then 1 a rank
        return (g / np.log2(2 + cost_first - found_first) + h / np.log2(2 + cost_second - g - h)) / 4

    group.check("Rndcg", at_changes)
    group.check("nDCGRel", at_relevant, variance=False)
    group.check("G", behind_ideal)


@two
def test_two_relevant_stop_the_user(group: Two) -> None:
    """ERR and a cascade; the user stops at a relevant document of grade 2 of 4 with probability 3/16."""
    group = replace(group, grades=(2, 2))
    c = np.longdouble(3) / 16
    group.check("ERR", lambda a, b, g, h: c / a + (1 - c) * c / b)
    group.check(
        f"ERR@{group.t + 2}", lambda a, b, g, h: c / a * (a <= group.t + 2) + (1 - c) * c / b * (b <= group.t + 2)
    )
    group.check("Cascade(go_on={2: 0.25}, discount='inverse')", lambda a, b, g, h: 2 / a + 0.25 * 2 / b)


@unequal
def test_unequal_stops(group: Two) -> None:
    gain, stop = (
        {1: np.longdouble(1) / 8, 3: np.longdouble(7) / 8},
        {1: np.longdouble(1) / 16, 3: np.longdouble(7) / 16},
    )
    group.check("ERR", lambda a, b, g, h: stop[g] / a + (1 - stop[g]) * stop[h] / b)
    table = "{1: 0.125, 3: 0.875}"
    group.check(
        f"Cascade(gain={table}, discount='log2')",
        lambda a, b, g, h: gain[g] * weight(a) + (1 - gain[g]) * gain[h] * weight(b),
    )


@two
def test_two_relevant_in_weighted_ranks(group: Two) -> None:
    """INSQ and SDCG weigh ranks whatever is found; BPM ends at the goal."""
    ranks = np.arange(1, 1001).astype(np.longdouble)
    weights = 1 / (ranks + 1) ** 2  # of rank i, to its goal T = 1
    padded = np.concatenate([weights / weights.sum(), np.zeros(10_000)])

    def at(rank: Any) -> Any:
        return padded[rank.astype(int) - 1]

    group.check("INSQ(max_rel=1)", lambda a, b, g, h: at(a) + at(b))
    k = group.t + 5
    discounts = weight(np.arange(1, k + 1).astype(np.longdouble)).sum()
    group.check(f"SDCG(max_rel=1)@{k}", lambda a, b, g, h: (weight(a) * (a <= k) + weight(b) * (b <= k)) / discounts)
    group.check(f"BPM(max_rel=1)@{k}", lambda a, b, g, h: (a <= k) / np.minimum(a, k))
    group.check(f"BPM(max_rel=1, T=2)@{k}", lambda a, b, g, h: ((a <= k) * 1 + (b <= k)) / np.minimum(b, k))


def test_bpm_ends_with_its_documents_where_rounding_misses_the_goal() -> None:
    """1 + 1 + 0.2 + 0.1 is the goal in one order of summands and just below it in another."""
    qrels, run = {"q": {"a": 1.0, "b": 1.0, "c": 0.2, "d": 0.1}}, {"q": [["a", "b", "c", "d"]]}
    measure = "BPM(T=2.3000000000000003, max_rel=1)@9"
    value = untied.evaluate(qrels, run, [measure], ties="range").value(measure, query="q")
    assert [value.mean, value.low, value.high] == pytest.approx([2.3 / 4] * 3)


@two
def test_two_relevant_in_the_pool(group: Two) -> None:
    """infAP: the documents before the group are pooled and not judged, as is nothing else but the two."""
    eps = np.longdouble(1e-5)

    def above(rank: Any, found: int) -> Any:
        pooled = group.t + found
        share = (found + eps) / (found + 2 * eps)
        return np.where(rank == 1, 1, 1 / rank + pooled / rank * share)

    pool = {f"p{i}": -1.0 for i in range(group.t)}
    group.check("infAP", lambda a, b, g, h: (above(a, 0) + above(b, 1)) / 2, also=pool)


@pytest.mark.parametrize("before", [0, 40, 2000])
def test_small_variance_of_a_large_sum(before: int) -> None:
    """Two relevant documents and another are tied after many relevant ones: subAP varies in its last digits only."""
    groups = [[f"b{i}"] for i in range(before)] + [["x", "y", "n"]]
    truth = {f"b{i}": 1.0 for i in range(before)} | {"x": 1.0, "y": 1.0, "n": 0.0}
    relevant = before + 2
    last, both = Fraction(1, relevant + 1), Fraction(1, relevant) + Fraction(1, relevant + 1)
    values = [relevant - lost for lost in (0, last, both)]  # the other one is below, between or above the two
    mean = sum(values, Fraction(0)) / 3
    variance = sum(((value - mean) ** 2 for value in values), Fraction(0)) / 3
    check_ranking(groups, truth, {"subAP": (mean / relevant, variance / relevant**2)})


# ---------------------------------------------------------------------------------------------------------------------
# Many relevant documents


GROUPS = [Group(400, r, t, before) for r in (1, 2, 200, 399) for t, before in ((0, 0), (50, 3))]


@pytest.mark.parametrize("group", GROUPS, ids=str)
def test_above_others(group: Group) -> None:
    check(group, {"binG": counted("binG", None, group)})


@pytest.mark.parametrize("max_grade", [4, *at_night(1)])
@pytest.mark.parametrize("group", GROUPS, ids=str)
def test_user_who_stops(group: Group, max_grade: int) -> None:
    """At every relevant document with probability 1/2, or 1/16."""
    found = oracle.counted(oracle.Measure("ERR", max_grade=max_grade), group.groups(), group.truth())
    check(group, {f"ERR(max_grade={max_grade})": (found.mean, found.variance)})


@pytest.mark.parametrize(("judged", "unjudged"), [(1, 300), (399, 0), (150, 50), (20, 4000)])
@pytest.mark.parametrize("relevant", [1, 2, 50, 150])
def test_preferences(judged: int, unjudged: int, relevant: int) -> None:
    """Judged non-relevant documents above relevant ones; any number of others in between changes nothing."""
    docs = [f"d{i}" for i in range(relevant + judged + unjudged)]
    truth = {"n": 0.0, "r": 1.0, "m": 0.0} | {
        doc: float(i < relevant) for i, doc in enumerate(docs[: relevant + judged])
    }
    groups = [["n", "u"], docs, ["r", "m"]]
    result = oracle.counted(oracle.Measure("Bpref"), groups, truth)
    check_ranking(groups, truth, {"Bpref": (result.mean, result.variance)})


def search_length(group: Group, q: int) -> Moments:
    """C(x+q-1, q-1) C(n-x-q, r-q) of the C(n, r) arrangements have x others before the q-th relevant document."""
    n, r = group.n, group.r
    every = math.comb(n, r)
    count, first, second = math.comb(n - q, r - q), 0, 0
    for x in range(n - r + 1):
        first += count * x
        second += count * x * x
        if x < n - r:
            count = count * (x + q) * (n - x - r) // ((x + 1) * (n - x - q))
    mean = Fraction(first, every)
    return mean + group.t, Fraction(second, every) - mean**2


SHAPES = [(1000, 1), (1000, 2), (1000, 500), (1000, 999), (20_000, 3), (20_000, 10_000)]


@pytest.mark.skipif("ESL" in NOT_YET, reason="the package does not have ESL yet")
@pytest.mark.parametrize("group", [Group(n, r, t) for t in (0, 10_000) for n, r in SHAPES], ids=str)
def test_search_length(group: Group) -> None:
    check(group, {f"ESL(q={q})": search_length(group, q) for q in {1, 2, group.r} if q <= group.r})


@pytest.mark.skipif("ERR" in NOT_YET, reason="the package does not have ERR yet")
@pytest.mark.parametrize("group", [Group(n, r, t) for t in (0, 5000) for n, r in SHAPES[::2]], ids=str)
def test_stop_probabilities(group: Group) -> None:
    """One grade only: the j-th relevant document stops the user with probability c (1-c)^(j-1)."""
    n, r, t, c = group.n, group.r, group.t, Fraction(7, 16)
    every, expected = math.comb(n, r), 0
    for j in range(1, min(r, 250) + 1):  # (9/16)^250 is nothing
        count, ranks = math.comb(n - j, r - j), 0
        for x in range(j, n - r + j + 1):  # C(x-1, j-1) C(n-x, r-j) arrangements have the j-th in slot x
            ranks += (count << BITS) // (t + x)
            if x < n - r + j:
                count = count * x * (n - x - r + j) // ((x - j + 1) * (n - x))
        expected += fixed(c * (1 - c) ** (j - 1)) * ranks
    mean = Fraction(expected, every << 2 * BITS)
    truth = {f"d{i}": 3.0 for i in range(r)}
    found = untied.evaluate({"q": truth}, {"q": group.groups()}, ["ERR"]).value("ERR", query="q")
    assert close(found.mean, mean, MEAN, FLOOR)
    assert found.certainty == "exact"


@pytest.mark.parametrize(
    ("before", "grades"), [([1, 1, 2], [2, 1]), ([0, 0, 1, 2, 1], [1, 1, 1]), ([1, 2, 1], [0, 1, 1, 0]), ([2], [1, 0])]
)
def test_no_order_no_variance(before: list[int], grades: list[int]) -> None:
    """Ties below the first document of the highest grade: not even what rounding leaves."""
    ranking = [[f"a{i}"] for i in range(len(before))] + [[f"t{i}" for i in range(len(grades))]]
    truth = dict(zip([doc for group in ranking for doc in group], [*before, *grades], strict=True)) | {"u": 1, "v": 2}
    for name in ("Pplus", "Pplus(beta=0)", "Pmeasure", "O", f"ERR@{len(before)}", f"nDCG@{len(before)}", "RR"):
        found = untied.evaluate({"q": truth}, {"q": ranking}, name, variance=True, ties="range")[name]
        assert (found.low, found.variance) == (found.high, 0)
