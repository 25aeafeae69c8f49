"""Bounds over the grades that unjudged documents may have, against every assignment of grades and every tie order."""

from __future__ import annotations

import itertools
import json
import os
import pathlib
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracle
import untied
from strategies import as_text, close, measures, topics

NAMES = [
    "Bpref",
    "IPrec",
    "P",
    "R",
    "F1",
    "RelP",
    "Rprec",
    "AP",
    "RR",
    "Success",
    "DCG",
    "nDCG",
    "SetP",
    "SetR",
    "SetF",
    "SetAP",
    "SetRelP",
    "Hits",
    "IPrecMean",
    "NumRel",
    "NumRelRet",
    "ERR",
    "RBP",
]


def value(qrels: dict[str, float], run: Any, measure: str, **options: Any) -> untied.Value:
    return untied.evaluate({"q": qrels}, {"q": run}, [measure], **options).value(measure, query="q")


def assignments(topic: Any, pooled: bool) -> list[dict[str, float]]:
    """The judgements completed in every possible way."""
    judged = {doc: grade for doc, grade in topic.truth.items() if grade >= 0}
    retrieved = {doc for group in topic.groups for doc in group}
    unknown = sorted((retrieved | set(topic.truth if pooled else ())) - set(judged))
    grades = sorted({grade for grade in judged.values() if grade > 0} | {0})
    assume(len(grades) ** len(unknown) <= 64)
    return [
        judged | dict(zip(unknown, given_, strict=True)) for given_ in itertools.product(grades, repeat=len(unknown))
    ]


@settings(max_examples=int(os.environ.get("UNTIED_EXAMPLES", "60")))  # 1000 take some minutes
@given(data=st.data())
@pytest.mark.parametrize("name", NAMES)
def test_every_assignment_and_every_order(name: str, data: st.DataObject) -> None:
    measure = data.draw(measures(name))
    # No bounds: of what leaves unjudged documents out, and where a list of discounts or gains may rise again.
    listed = [key for key in ("discount", "gain") if isinstance(measure.params.get(key), (list, dict))]
    without = {key: value for key, value in measure.params.items() if key not in ("judged_only", "mean", *listed)}
    measure = oracle.Measure(name, measure.k, **without)
    topic = data.draw(topics())
    if name in ("ERR", "RBP"):  # what comes after the last document is open as well: tests of its own
        retrieved = sum(map(len, topic.groups))
        assume(retrieved)
        measure = oracle.Measure(name, min(measure.k or retrieved, retrieved), **measure.params)
    pooled = data.draw(st.booleans())
    every = [oracle.statistics(measure, topic.groups, truth) for truth in assignments(topic, pooled)]
    found = [one for one in every if one is not None]
    lows, means, highs = ([getattr(one, part) for one in found] for part in ("low", "mean", "high"))
    run, text = [list(group) for group in topic.groups], as_text(measure)
    options = {"unretrieved": "pooled" if pooled else "none", "unjudged": "range"}
    for ties, low, high in (
        ("expected", min(means), max(means)),
        ("range", min(lows), max(highs)),
        ("best", min(highs), max(highs)),
        ("worst", min(lows), max(lows)),
    ):
        bounds = value(topic.truth, run, text, ties=ties, **options)
        assert bounds.low is not None
        assert bounds.high is not None
        assert close(bounds.low, low), ties
        assert close(bounds.high, high), ties
        if ties != "range":
            for unjudged, end in (("best", high), ("worst", low)):
                one = value(topic.truth, run, text, ties=ties, unjudged=unjudged, unretrieved=options["unretrieved"])
                assert close(one.mean, end), (ties, unjudged)


CASES = json.loads(pathlib.Path(__file__).with_name("golden.json").read_text())["cases"]


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["statistic"] == "judgement_bounds"], ids=lambda case: case["id"]
)
def test_golden(case: dict[str, Any]) -> None:
    params = dict(case["input"]["params"])
    name = case["measure"] + ("(discount='inverse')" if params.pop("discount", None) == "inv" else "")
    name += f"@{params.pop('k')}" if "k" in params else ""
    assert not params
    qrels, run = dict(case["input"]["qrels"]), case["input"]["ranking"]
    retrieved = {doc for group in run for doc in group}
    qrels |= dict.fromkeys(set(case["input"]["unknown"]) - retrieved, -1)
    found = value(qrels, run, name, unjudged="range", unretrieved="pooled")
    assert [close(found.low or 0, case["float"][0]), close(found.high or 0, case["float"][1])] == [True, True]


def test_rbp_has_a_tail_that_nobody_has_seen() -> None:
    qrels, run = {"a": 1, "b": 0}, ["a", "x", "b"]
    p = 0.5
    found = value(qrels, run, f"RBP(p={p})", unjudged="range")
    assert (found.low, found.high) == (0.5, 0.5 + 0.25 + 0.125)
    cut = value(qrels, run, f"RBP(p={p})@4", unjudged="range")
    assert cut.high == 0.5 + 0.25 + 0.0625
    assert value(qrels, run, f"RBP(p={p})@2", unjudged="range").high == 0.75
    assert value(qrels, run, f"RBP(p={p}, max_grade=2)", unjudged="best").mean == (0.5 + 0.25 + 0.125) / 2
    residual = value(qrels, run, f"RBPResidual(p={p})").mean
    assert found.high - found.low == residual


@given(
    st.lists(st.sampled_from([0, 1, 3, None]), min_size=1, max_size=6),
    st.sampled_from([2, 3, 4, 7]),
    st.sampled_from([None, 2, 5, 9, 400]),
)
def test_err_has_a_tail_that_nobody_has_seen(grades: list[int | None], most: int, k: int | None) -> None:
    judged = {f"d{i}": grade for i, grade in enumerate(grades) if grade is not None} | {"judged": 1}
    highest = max(judged.values())
    assume(highest <= most)
    long = [highest if grade is None else grade for grade in grades] + [highest] * 20_000
    total, reach = 0.0, 1.0
    for i, grade in enumerate(long[:k], 1):
        stop = (2**grade - 1) / 2**most
        total += reach * stop / i
        reach *= 1 - stop
    name = f"ERR(max_grade={most})" + (f"@{k}" if k else "")
    found = value(judged, [f"d{i}" for i in range(len(grades))], name, unjudged="range")
    assert found.low == found.mean
    assert close(found.high or 0, total, 1e-11)


def test_it_is_told_where_non_relevant_is_not_the_lower_bound() -> None:
    qrels, run = {"a": {"r": 1, "n": 0}, "b": {"r": 1}}, {"a": ["r", "n", "x"], "b": ["x", "r"]}
    results = untied.evaluate(qrels, {"one": run}, ["AP", "P@2", "nDCG"], unjudged="range")
    assert results.facts()["one"]["overstated"] == 2  # AP and nDCG of a; in b, x above r does no harm
    assert untied.evaluate(qrels, {"one": run}, ["AP"]).facts()["one"]["overstated"] == 0


def test_non_relevant_is_not_the_lower_bound_of_ap() -> None:
    found = value({"r": 1, "n": 0}, ["r", "n", "x"], "AP", unjudged="range")
    assert (found.mean, found.high) == (1.0, 1.0)
    assert close(found.low or 0, Fraction(5, 6))


def test_aggregates_and_what_has_no_bounds() -> None:
    qrels = {"a": {"r": 1, "n": 0}, "b": {"r": 1}}
    run = {"a": ["x", "r"], "b": ["r", "x"]}
    results = untied.evaluate(qrels, run, ["RR", "P@2"], unjudged="range")
    total = results["RR"]
    assert (total.mean, total.low, total.high) == (0.75, 0.75, 1.0)
    assert (results["P@2"].low, results["P@2"].high) == (0.5, 1.0)
    for measure in ("RBPResidual", "AP(judged_only=True)", "DCG(discount=[0, 1])@2"):
        with pytest.raises(untied.UntiedError, match="bounds over unjudged documents are not known for"):
            untied.evaluate(qrels, run, [measure], unjudged="range")
    with pytest.raises(untied.UntiedError, match="unretrieved must be none or pooled, not 'all'"):
        untied.evaluate(qrels, run, unretrieved="all")
