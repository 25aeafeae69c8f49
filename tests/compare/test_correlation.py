"""Rank correlation, against scipy, the definitions pair by pair, and all orders of ties."""

from __future__ import annotations

import itertools
import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import untied
from oracle import permutations, summarise
from strategies import close
from untied.comparison.correlation import kendall, spearman, tau_ap

CASES = json.loads((Path(__file__).parents[1] / "golden.json").read_text())["cases"]
CASES = [case for case in CASES if case["measure"].startswith("tau")]
STATISTICS = {"mean": "mean", "value": "mean", "var": "variance", "min": "low", "max": "high"}


def places(order: Any) -> dict[str, int]:
    return {item: place for place, group in enumerate(order) for item in group}


def sign(number: float) -> int:
    return (number > 0) - (number < 0)


def agreements(one: Any, other: Any) -> list[int]:
    x, y = places(one), places(other)
    return [sign(x[a] - x[b]) * sign(y[a] - y[b]) for a, b in itertools.combinations(x, 2)]


def tau(one: Any, other: Any) -> Fraction:
    pairs = agreements(one, other)
    return Fraction(sum(pairs), len(pairs))


def tau_ap_of(truth: Any, estimate: Any) -> Fraction:
    """Of two orders without ties."""
    x, order = places(truth), [item for (item,) in estimate]
    shares = [Fraction(sum(x[a] < x[order[i]] for a in order[:i]), i) for i in range(1, len(order))]
    return 2 * sum(shares, Fraction(0)) / len(shares) - 1


def tau_ap_pair_by_pair(truth: Any, estimate: Any) -> Fraction:
    """The mean over all orders of both, every pair of items looked at: O(n^2).

    An item stands at each of the g places of its group alike; of its group's others a/(g-1) then stand above it on
    average, where a do. Of two items that the truth ties, each is above the other half of the time.
    """
    x = places(truth)
    above_in_truth = {which: Fraction(which + 1, 2) for which in (-1, 0, 1)}
    above: list[str] = []
    total, n = Fraction(0), len(x)
    for group in estimate:
        for item in group:
            before = sum((above_in_truth[sign(x[item] - x[other])] for other in above), Fraction(0))
            inside = sum((above_in_truth[sign(x[item] - x[other])] for other in group if other != item), Fraction(0))
            for a in range(len(group)):
                if above or a:
                    right = before + (inside * a / (len(group) - 1) if a else 0)
                    total += right / (len(above) + a) / len(group)
        above += group
    return 2 * total / (n - 1) - 1


def tau_ap_b_direction(truth: Any, estimate: Any) -> Fraction:
    x, y = places(truth), places(estimate)
    shares = []
    for item in y:
        above = [other for other in y if y[other] < y[item]]
        if above:
            shares.append(Fraction(sum(x[other] < x[item] for other in above), len(above)))
    return 2 * sum(shares, Fraction(0)) / len(shares) - 1


def over_orders(coefficient: Any, one: Any, other: Any) -> Any:
    orders = itertools.product(permutations(one), permutations(other))
    return summarise(coefficient([[a] for a in x], [[b] for b in y]) for x, y in orders)


@st.composite
def rankings(draw: st.DrawFn, most: int = 6) -> list[list[list[str]]]:
    """Two rankings of the same items, in groups of at most three."""
    n = draw(st.integers(2, most))
    found = []
    for _ in range(2):
        items = draw(st.permutations("abcdefghijklmnopqrst"[:n]))
        groups: list[list[str]] = []
        while items:
            size = draw(st.integers(1, min(3, len(items))))
            groups.append(list(items[:size]))
            items = items[size:]
        found.append(groups)
    return found


def scores(groups: list[list[str]]) -> dict[str, float]:
    return {item: -2.5 * place for place, group in enumerate(groups) for item in reversed(group)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_golden(case: dict[str, Any]) -> None:
    a, b = case["input"]["a"], case["input"]["b"]
    name = case["measure"]
    if name.startswith("tauAP"):
        assert name == "tauAP_b" or case["input"]["params"]["truth"] == "a"
        found = tau_ap(a, b, variant="b" if name == "tauAP_b" else "a")
    else:
        found = kendall(a, b, variant="b" if name == "tau_b" else "a")
    assert close(getattr(found, STATISTICS[case["statistic"]]), case["float"], floor=1e-16)


@given(rankings())
def test_kendall(both: list[list[list[str]]]) -> None:
    one, other = both
    found, expected = kendall(one, scores(other)), over_orders(tau, one, other)
    assert expected is not None
    assert close(found.mean, expected.mean)
    assert close(found.mean, tau(one, other))
    assert found.low is not None
    assert found.high is not None
    assert close(found.low, expected.low)
    assert close(found.high, expected.high)
    assert found.variance is not None
    assert close(found.variance, expected.variance, floor=1e-16)


@given(rankings())
def test_tau_ap(both: list[list[list[str]]]) -> None:
    one, other = both
    found, expected = tau_ap(scores(one), other), over_orders(tau_ap_of, one, other)
    assert expected is not None
    for name in ("mean", "low", "high", "variance"):
        assert close(getattr(found, name), getattr(expected, name), floor=1e-16)


@given(rankings(most=20))
def test_variant_b(both: list[list[list[str]]]) -> None:
    one, other = both
    found = tau_ap(one, other, variant="b")
    if 1 in (len(one), len(other)):
        assert math.isnan(found.mean)
        assert math.isnan(kendall(one, other, variant="b").mean)
    else:
        expected = (tau_ap_b_direction(one, other) + tau_ap_b_direction(other, one)) / 2
        assert close(found.mean, expected, floor=1e-15)


@given(rankings(most=20))
def test_scipy_agrees(both: list[list[list[str]]]) -> None:
    stats = pytest.importorskip("scipy.stats")
    one, other = both
    x, y = scores(one), scores(other)
    values = ([x[item] for item in x], [y[item] for item in x])
    if 1 not in (len(one), len(other)):
        assert kendall(one, other, variant="b").mean == pytest.approx(stats.kendalltau(*values).statistic, abs=1e-12)
        assert spearman(x, other).mean == pytest.approx(stats.spearmanr(*values).statistic, abs=1e-12)
    else:
        assert math.isnan(spearman(one, other).mean)


@given(rankings(most=20))
def test_tau_ap_pair_by_pair(both: list[list[list[str]]]) -> None:
    one, other = both
    assert close(tau_ap(one, scores(other)).mean, tau_ap_pair_by_pair(one, other), floor=1e-15)


def test_many_items_of_tau_ap() -> None:
    chance = random.Random(8)

    def tied(size: int) -> list[list[str]]:
        items = chance.sample([f"d{i}" for i in range(300)], 300)
        return [items[i : i + size] for i in range(0, 300, size)]

    for size in (1, 5, 75):
        one, other = tied(size), tied(size)
        expected = tau_ap_pair_by_pair(one, other)
        assert close(tau_ap(one, other).mean, expected, floor=1e-15)
        if size == 1:
            assert expected == tau_ap_of(one, other)


def test_many_items() -> None:
    """Long rankings with many ties: the fast counts against scipy's and the definition, pair by pair."""
    stats = pytest.importorskip("scipy.stats")
    chance = random.Random(5)
    x = {item: chance.randrange(40) for item in range(500)}
    y = {item: x[item] + chance.randrange(40) for item in x}
    values = ([x[item] for item in x], [y[item] for item in x])
    assert kendall(x, y, variant="b").mean == pytest.approx(stats.kendalltau(*values).statistic, rel=1e-12)
    pairs = [sign(x[a] - x[b]) * sign(y[a] - y[b]) for a, b in itertools.combinations(x, 2)]
    found = kendall(x, y)
    assert close(found.mean, Fraction(sum(pairs), len(pairs)))
    assert close(found.high, Fraction(sum(pairs) + pairs.count(0), len(pairs)))
    drawn = []
    for _ in range(200):  # every item with a score of its own
        x_order, y_order = ({item: (z[item], chance.random()) for item in z} for z in (x, y))
        ranks = [{item: rank for rank, item in enumerate(sorted(z, key=z.__getitem__))} for z in (x_order, y_order)]
        drawn.append(kendall(*ranks).mean)
    assert found.variance == pytest.approx(sum((tau - found.mean) ** 2 for tau in drawn) / 200, rel=0.3)
    mean = tau_ap(x, y)
    assert mean.low is None
    assert -1 < mean.mean < 1
    order = sorted(y, key=lambda item: -y[item])
    strict = {item: -rank for rank, item in enumerate(order)}
    assert tau_ap(strict, strict).mean == 1
    assert close(tau_ap({i: s for s, i in enumerate(order)}, strict).mean, -1)


def test_systems_by_their_values() -> None:
    """Values of an evaluation are scores; systems with the same mean are tied."""
    runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["b", "a"]}, "three": {"q": ["x", "a"]}, "four": {"q": ["y", "a"]}}
    results = untied.evaluate({"q": {"a": 1, "b": 2}}, runs, ["AP", "nDCG"])
    by_ap, by_ndcg = ({run: results.value(name, run=run) for run in results.runs} for name in ("AP", "nDCG"))
    assert kendall(by_ap, by_ndcg).mean == pytest.approx(4 / 6)
    assert kendall(by_ap, {run: value.mean for run, value in by_ndcg.items()}, variant="b").mean < 1


def test_equal_rankings_are_1_exactly() -> None:
    one = ["a", ["b", "c"], "d", ["e", "f", "g"]]
    assert kendall(one, one, variant="b").mean == 1
    assert tau_ap(one, one, variant="b").mean == 1
    assert spearman(one, one).mean == 1


def test_refused() -> None:
    for coefficient in (kendall, tau_ap, spearman):
        assert math.isnan(coefficient(["a"], ["a"]).mean)
        with pytest.raises(untied.UntiedError, match="same items; only one holds 'b'"):
            coefficient(["a"], ["a", "b"])
        with pytest.raises(untied.UntiedError, match="twice"):
            coefficient(["a", "a"], ["a"])
        with pytest.raises(untied.UntiedError, match="NaN"):
            coefficient({"a": math.nan}, ["a"])
        with pytest.raises(TypeError, match="not a str"):
            coefficient("ab", ["a", "b"])
    with pytest.raises(untied.UntiedError, match="variant must be 'a' or 'b'"):
        kendall(["a", "b"], ["a", "b"], variant="c")
