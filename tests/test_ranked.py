"""Similarities and distances of two rankings against their definitions, enumerated over all orders of ties."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import untied
from oracle import ranked as oracle
from untied import correlation

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("golden.json").read_text())["cases"]
Groups = list[list[str]]


@st.composite
def rankings(draw: st.DrawFn, most: int = 5, group: int = 4) -> Groups:
    docs = draw(st.lists(st.sampled_from("abcdefgh"), max_size=most, unique=True))
    ranking: Groups = []
    for doc in docs:
        if ranking and len(ranking[-1]) < group and draw(st.booleans()):
            ranking[-1].append(doc)
        else:
            ranking.append([doc])
    return ranking


def value(a: Groups, b: Groups, measure: str) -> untied.Value:
    return untied.compare(a, b, measure, variance=True)[measure]


def agrees(found: untied.Value, expected: Any, *, extremes: bool = True, variance: bool = True) -> None:
    """Whether a value is that of the definition; what is not known is None."""
    if expected is None:
        assert math.isnan(found.mean)
        return
    assert found.mean == pytest.approx(float(expected.mean), rel=1e-12, abs=1e-14)
    if extremes:
        assert found.low == pytest.approx(float(expected.low), rel=1e-12, abs=1e-14)
        assert found.high == pytest.approx(float(expected.high), rel=1e-12, abs=1e-14)
    elif found.low is not None:
        assert expected.low == expected.high
    if variance:
        assert found.variance == pytest.approx(float(expected.variance), rel=1e-10, abs=1e-14)
    elif found.variance is not None:
        assert expected.variance == found.variance == 0


def one_by_one(ranking: Groups) -> Groups:
    return [[doc] for group in ranking for doc in group]


@given(rankings(), rankings(), st.integers(1, 7))
def test_jaccard(a: Groups, b: Groups, k: int) -> None:
    agrees(value(a, b, f"Jaccard@{k}"), oracle.over_orders(lambda x, y: oracle.jaccard(x, y, k), a, b))


@given(rankings(), rankings())
def test_tau(a: Groups, b: Groups) -> None:
    agrees(value(a, b, "Tau"), oracle.over_orders(oracle.tau, a, b))


@given(rankings(), rankings())
def test_tau_ap(a: Groups, b: Groups) -> None:
    agrees(value(a, b, "TauAP"), oracle.over_orders(oracle.tau_ap, a, b), extremes=False, variance=False)


@given(rankings(8), rankings(8))
def test_ties_as_equality(a: Groups, b: Groups) -> None:
    for name, stated in (("Tau", oracle.tau_b(a, b)), ("TauAP", oracle.tau_ap_b(a, b))):
        found = value(a, b, f"{name}(variant='b')")
        assert found.mean == pytest.approx(math.nan if stated is None else float(stated), nan_ok=True, abs=1e-13)
        assert (found.low, found.high, found.variance) == (None, None, None)


@given(rankings(8, 8))
def test_no_ties_no_uncertainty(a: Groups) -> None:
    """A ranking is wholly like itself; in the opposite order wholly unlike."""
    assume(sum(map(len, a)) > 1)
    a = one_by_one(a)
    for name in ("Tau", "TauAP", "Tau(variant='b')", "TauAP(variant='b')"):
        assert value(a, a, name).mean == pytest.approx(1)
        assert value(a, a[::-1], name).mean == pytest.approx(-1)
    assert value(a, a, "Jaccard@5") == untied.Value(1.0, 1.0, 1.0, 0.0, "exact")


def test_large_groups() -> None:
    """Of 3,000 documents: scipy's tau_b, this package's correlations, and Jaccard of what a sampled order has."""
    stats = pytest.importorskip("scipy.stats")
    chance = random.Random(11)
    docs = [f"d{i}" for i in range(3_000)]
    a = {doc: float(chance.randrange(40)) for doc in docs}
    b = {doc: a[doc] + chance.randrange(30) for doc in docs}
    found = untied.compare({"q": a}, {"q": b}, ["Tau", "Tau(variant='b')", "TauAP", "Jaccard@100", "Overlap@100"])
    assert found["Tau(variant='b')"].mean == pytest.approx(
        stats.kendalltau([a[doc] for doc in docs], [b[doc] for doc in docs]).statistic, rel=1e-12
    )
    of_lists = correlation.kendall(a, b)
    assert (found["Tau"].mean, found["Tau"].low, found["Tau"].high) == (of_lists.mean, of_lists.low, of_lists.high)
    assert found["TauAP"].mean == pytest.approx(correlation.tau_ap(a, b).mean, rel=1e-12)
    jaccard, overlap = found["Jaccard@100"], found["Overlap@100"]
    assert overlap.low is not None
    assert jaccard.low == pytest.approx(overlap.low / (2 - overlap.low))
    # x / (2 - x) is convex, and the overlap hardly varies.
    assert 0 < jaccard.mean - overlap.mean / (2 - overlap.mean) < 0.01


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["measure"] in ("tau", "tauAP", "tau_b", "tauAP_b")], ids=lambda c: c["id"]
)
def test_golden(case: dict[str, Any]) -> None:
    a, b = case["input"]["a"], case["input"]["b"]
    name = {"tau": "Tau", "tauAP": "TauAP", "tau_b": "Tau(variant='b')", "tauAP_b": "TauAP(variant='b')"}
    measure = name[case["measure"]]
    statistic = {"mean": "mean", "value": "mean", "var": "variance", "min": "low", "max": "high"}[case["statistic"]]
    if measure in ("Tau", "TauAP"):
        exact = oracle.over_orders(oracle.tau if measure == "Tau" else oracle.tau_ap, a, b)
        assert getattr(exact, statistic) == Fraction(case["value"])
    if measure == "TauAP" and statistic != "mean":
        return  # of which there is no closed form: only the oracle, and `untied.correlation` where orders are few
    assert getattr(value(a, b, measure), statistic) == pytest.approx(case["float"], rel=1e-12)
