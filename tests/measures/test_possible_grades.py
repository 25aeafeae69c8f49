"""Grades that a document without a judgment may have: one rule for all that asks, against every assignment."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy
import pytest

import oracle
import untied
from strategies import as_text
from untied.judging import judge_next
from untied.statistics import significance

pytestmark = pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # nothing relevant is found

#: Measures, and grades of the judged documents: none relevant, some positive but not relevant, some relevant.
CASES = [
    (measure, grades)
    for measure in [
        oracle.Measure("AP"),
        oracle.Measure("AP", rel=3),
        oracle.Measure("P", 2, rel=2),
        oracle.Measure("R", 2, rel=1.5),
        oracle.Measure("RR", rel=0.5),
        oracle.Measure("Rprec", rel=2),
        oracle.Measure("Bpref", rel=2),
        oracle.Measure("DCG", 3),
        oracle.Measure("DCG", 3, rel=2, gain="exp2"),
        oracle.Measure("nDCG", 3, rel=2),
        oracle.Measure("nDCG", 3, gain={0: 0, 1: 0, 2: 3, 3: 4}),
        oracle.Measure("ERR", 2, max_grade=3),
        oracle.Measure("RBP", 3, p=0.5, rel=2),
        oracle.Measure("RBP", 3, p=0.5, max_grade=3),
    ]
    for grades in ([0, 0], [0, 1], [0, 2], [1, 2], [0, 0.5], [0.5, 0.25])
    if not (isinstance(measure.params.get("gain"), dict) and any(grade % 1 for grade in grades))
]


def bounds(measure: oracle.Measure, judged: list[float], ranking: list[str]) -> tuple[Fraction, Fraction]:
    """Lowest and highest value, where none is 0, over all grades of documents without a judgment."""
    truth = {f"d{i}": grade for i, grade in enumerate(judged)} | {"n": 0}
    possible = measure.possible(truth.values())
    unknown = [doc for doc in ranking if doc not in truth]
    found = []
    for given in itertools.product(possible, repeat=len(unknown)):
        values = oracle.statistics(measure, [[doc] for doc in ranking], truth | dict(zip(unknown, given, strict=True)))
        found.append(values.mean if values else Fraction(0))
    return min(found), max(found)


@pytest.mark.parametrize(("measure", "judged"), CASES, ids=str)
def test_everybody_assumes_the_same(measure: oracle.Measure, judged: list[float]) -> None:
    """The other run finds a document that is not relevant, so the difference is the value."""
    ranking = ["u", "d0", "v"]
    low, high = map(float, bounds(measure, judged, ranking))
    text = as_text(measure)
    qrels = {"q": {f"d{i}": grade for i, grade in enumerate(judged)} | {"n": 0}}
    runs: dict[str, Any] = {"a": {"q": ranking}, "b": {"q": ["n"]}}

    def same(least: float | None, most: float | None) -> bool:
        return (least, most) == pytest.approx((low, high), abs=1e-9)

    results = untied.evaluate(qrels, runs, text, unjudged="range")
    assert same(results["a", text].low, results["a", text].high)
    verdict = untied.certify(qrels, runs, text)["a", "b"][text]
    assert same(verdict.low, verdict.high)
    advice = judge_next(qrels, runs, text)
    assert same(*advice.bounds[0])
    if measure.name != "Bpref":  # whose value can lie outside its bounds, which are widened then
        if any(judged):  # else there is nothing to test
            (row,) = significance(results, interval="none").table.to_dicts()
            assert same(row["least"], row["most"])
        assert advice.difference is not None
        assert same(*advice.difference)
    qrels, run = {"q": {f"d{i}": grade for i, grade in enumerate(judged)}}, {"q": ["u", "d0", "d1"]}
    with_ids = untied.evaluate(qrels, run, text, unjudged="range")[text]
    labels, scores = numpy.array([[numpy.nan, *judged]]), numpy.array([[3.0, 2, 1]])
    arrays = untied.evaluate_arrays(scores, labels, text, unjudged="range")[text]
    assert (arrays.low, arrays.high) == (with_ids.low, with_ids.high)


def test_plain_values_need_no_such_grade() -> None:
    """A gain that is too large, or that a user's function does not know, is no error where nobody asks for bounds."""
    qrels, run = {"q": {"d": 0}}, {"q": ["d", "u"]}
    assert untied.evaluate(qrels, run, "DCG(gain='exp2', rel=1000)")["DCG(gain='exp2', rel=1000)"] == 0
    with pytest.raises(untied.UntiedError, match="the gain of grade 1000 is too large"):
        untied.evaluate(qrels, run, "DCG(gain='exp2', rel=1000)", unjudged="range")


@pytest.mark.filterwarnings("error::untied.UntiedWarning")
def test_every_grade_gains_on_a_scale() -> None:
    """So nothing is said of low ones."""
    for name in ("RBP(max_grade=3)", "RBPResidual(max_grade=3)"):
        untied.evaluate({"q": {"d": 0.5}}, {"q": ["d", "u"]}, name)
    with pytest.warns(untied.UntiedWarning, match=r"the highest grade is 0.5, lower than these measures need: RBP$"):
        untied.evaluate({"q": {"d": 0.5}}, {"q": ["d", "u"]}, "RBP")


def test_a_scale_ends_where_it_says() -> None:
    """Nothing is possible above `max_grade`, or outside of tables."""
    qrels, run = {"q": {"d": 0}}, {"q": ["u"]}
    found = untied.evaluate(qrels, run, "ERR(max_grade=0.5)@1", unjudged="range")["ERR(max_grade=0.5)@1"]
    assert found.high == pytest.approx((2**0.5 - 1) / 2**0.5)
    with_stops = untied.evaluate(
        {"q": {"d": 1}}, run, "NCU(user='graded-uniform', rel=2, stops={2: 1, 3: 1})", unjudged="range"
    )
    assert next(iter(with_stops.means.to_dicts()))["high"] == pytest.approx(1.0)
