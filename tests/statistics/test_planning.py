"""How many queries find a difference: against statsmodels' power and simulated tests."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

import untied
from untied.statistics import required_queries


@pytest.fixture
def results():
    rng = np.random.default_rng(7)
    queries = [f"q{i}" for i in range(50)]
    qrels = {query: {f"d{j}": int(j < 5) for j in range(20)} for query in queries}
    runs = {
        name: {query: {f"d{j}": float(rng.normal() + shift * (j < 5)) for j in range(20)} for query in queries}
        for name, shift in (("a", 1.0), ("b", 0.8), ("c", 0.2))
    }
    return untied.evaluate(qrels, runs, ["AP", "nDCG@10"])


@pytest.mark.parametrize(("level", "power"), [(0.95, 0.8), (0.99, 0.9), (0.9, 0.5)])
def test_power_as_in_statsmodels(results, level, power):
    for row in required_queries(results, difference=0.03, level=level, power=power).to_dicts():
        peer = TTestPower()
        effect = peer.solve_power(nobs=row["queries"], alpha=1 - level, power=power)
        assert row["detectable"] == pytest.approx(effect * row["deviation"], rel=1e-6)
        needed = peer.solve_power(effect_size=0.03 / row["deviation"], alpha=1 - level, power=power)
        assert row["required"] == math.ceil(needed - 1e-9)


def test_interval_of_the_deviation(results):
    row = required_queries(results, baseline="a").to_dicts()[0]
    low, high = (math.sqrt(49 / stats.chi2.ppf(tail, 49)) for tail in (0.975, 0.025))
    assert row["detectable_low"] == pytest.approx(row["detectable"] * low, rel=1e-12)
    assert row["detectable_high"] == pytest.approx(row["detectable"] * high, rel=1e-12)
    assert row["queries"] == 50


def test_the_power_is_that_of_simulated_tests(results):
    row = required_queries(results, baseline="a").to_dicts()[0]
    rng = np.random.default_rng(11)
    drawn = rng.normal(row["detectable"], row["deviation"], size=(20_000, row["queries"]))
    found = stats.ttest_1samp(drawn, 0, axis=1).pvalue <= 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.012)  # four standard errors


def test_more_queries_find_less(results):
    rows = [required_queries(results, difference=d).to_dicts()[0]["required"] for d in (0.2, 0.1, 0.05, 1e-9)]
    assert rows == sorted(rows)
    assert rows[0] >= 2
    assert rows[-1] == math.inf


def test_runs_without_any_difference():
    qrels, run = {f"q{i}": {"a": 1} for i in range(5)}, {f"q{i}": ["a"] for i in range(5)}
    row = required_queries(untied.evaluate(qrels, {"x": run, "y": run}, "RR"), difference=0.1).to_dicts()[0]
    assert (row["difference"], row["deviation"], row["detectable"], row["required"]) == (0, 0, 0, 2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"difference": 0}, "difference must be a finite number above 0"),
        ({"difference": math.inf}, "difference must be a finite number above 0"),
        ({"power": 1}, "power must be between 0 and 1"),
        ({"power": 0.04}, "power must be above 1 - level"),
        ({"level": 95}, "level must be between 0 and 1"),
        ({"baseline": "z"}, "z"),
    ],
)
def test_what_is_refused(results, options, said):
    with pytest.raises(untied.UntiedError, match=said):
        required_queries(results, **options)


def test_what_cannot_be_planned():
    qrels = {f"q{i}": {"a": 1} for i in range(2)}
    runs = {"x": {f"q{i}": ["a"] for i in range(2)}, "y": {f"q{i}": ["b", "a"] for i in range(2)}}
    with pytest.raises(untied.UntiedError, match="2 queries have a value of RR in x and y"):
        required_queries(untied.evaluate(qrels, runs, "RR"))
    with pytest.raises(untied.UntiedError, match="is a count"):
        required_queries(untied.evaluate(qrels, runs, "NumRet"))
