"""Measures of one's own: against built-in ones, against enumeration, and everything that can go wrong."""

from __future__ import annotations

import doctest
import itertools
import json
import math
import pickle
import random
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import untied
from strategies import Topic, close, topics
from untied.cli import main
from untied.cli.completion import _parsers
from untied.judging import judge_next
from untied.measures.own import load_plugin

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "own_measures.py"
QRELS = {"q1": {"a": 1, "b": 2, "c": 0, "d": -1}, "q2": {"a": 1}}
RUN = {"q1": [["a", "c", "x"], ["b", "d"]], "q2": [["x", "y"], ["a", "b"]]}


@untied.measure(best_by_grade=True, grows_with_grade=True)
def OwnRR(grades: tuple[float, ...], rel: float = 1.0) -> float:
    """Reciprocal rank.

    Of the first relevant document.
    """
    return next((1 / rank for rank, grade in enumerate(grades, 1) if grade >= rel), 0.0)


@untied.measure(best_by_grade=True)
def OwnAP(grades: tuple[float, ...], ideal: tuple[float, ...], rel: float = 1.0) -> float:
    relevant = sum(grade >= rel for grade in ideal)
    hits, total = 0, 0.0
    for rank, grade in enumerate(grades, 1):
        if grade >= rel:
            hits += 1
            total += hits / rank
    return total / relevant if relevant else math.nan


@untied.measure(best_by_grade=True, cutoff="required")
def OwnP(grades: tuple[float, ...], cutoff: int, rel: float = 1.0) -> float:
    return sum(grade >= rel for grade in grades) / cutoff


@untied.measure(lower_is_better=True, name="OwnLast")
def last(grades: tuple[float, ...], retrieved: int, rel: float = 1.0) -> float:
    """Rank of the last relevant document."""
    ranks = [rank for rank, grade in enumerate(grades, 1) if grade >= rel]
    return max(ranks) if ranks else retrieved + 1


@untied.additive_measure
def OwnRBP(p: float = 0.8, rel: float = 1.0) -> Any:
    return lambda grade: grade >= rel, lambda rank: (1 - p) * p ** (rank - 1)


@untied.additive_measure
def OwnDCG(base: int = 2) -> Any:
    return lambda grade: 2**grade - 1, lambda rank: 1 / math.log(rank + 1, base)


@untied.additive_measure(ideal=True)
def OwnNDCG() -> Any:
    return {1: 1, 2: 2, 3: 3}, [1 / math.log2(rank + 1) for rank in range(1, 200)]


@untied.measure(numpy=True, best_by_grade=True)
def OwnDCGByFormula(grades: Any) -> float:
    import numpy

    return float((2**grades - 1) @ (1 / numpy.log2(numpy.arange(2, len(grades) + 2))))


@untied.measure
def OwnRRByGroups(grades: tuple[float, ...], groups: tuple[tuple[int, int], ...], cutoff: int | None) -> float:
    for start, end in groups:
        n, r = end - start, sum(grade >= 1 for grade in grades[start:end])
        if r:
            depth = min(n, (cutoff or end) - start)
            found, without = 0.0, 1.0
            for a in range(depth):
                found += without * r / (n - a) / (start + a + 1) if n > a else 0.0
                without *= 1 - r / (n - a) if n > a else 0.0
            return found
    return 0.0


PAIRS = [
    (OwnRR, "RR"),
    (OwnRR @ 3, "RR@3"),
    (OwnRR(rel=2), "RR(rel=2)"),
    (OwnAP, "AP"),
    (OwnAP @ 2, "AP@2"),
    (OwnAP(rel=2) @ 4, "AP(rel=2)@4"),
    (OwnP @ 3, "P@3"),
    (OwnRBP, "RBP"),
    (OwnRBP(p=0.5, rel=2) @ 3, "RBP(p=0.5, rel=2)@3"),
    (OwnDCG, "DCG(gain='exp2')"),
    (OwnDCG @ 2, "DCG(gain='exp2')@2"),
    (OwnDCGByFormula, "DCG(gain='exp2')"),
    (OwnNDCG, "nDCG"),
    (OwnNDCG @ 3, "nDCG@3"),
    (OwnRRByGroups, "RR"),
    (OwnRRByGroups @ 2, "RR@2"),
]


@given(topics(real=False), st.sampled_from(["nonrelevant", "remove"]), st.booleans())
def test_as_built_in(topic: Topic, unjudged: str, given_by_name: bool) -> None:
    """Mean, variance, lowest and highest value under ties, by object and by name, to 1e-12."""
    own = [str(one) if given_by_name else one for one, _ in PAIRS]
    ours = [name for _, name in PAIRS]
    settings: Any = {"ties": "range", "variance": True, "unjudged": unjudged}
    results = untied.evaluate({"q": topic.truth}, {"q": topic.scores()}, [*own, *ours], **settings)
    for one, other in zip(own, ours, strict=True):
        for query in ("q", None):
            mine, built_in = results.value(one, query), results.value(other, query)
            for statistic in ("mean", "low", "high", "variance"):
                found, expected = getattr(mine, statistic), getattr(built_in, statistic)
                assert close(found, expected), (one, query, statistic, found, expected)
            # Of groups nothing is promised about extremes; here there are few orders, and all are seen.
            assert mine.certainty == "exact"


@given(topics(real=False), st.sampled_from(["docid", "given", "best", "worst", "trec"]))
def test_one_order(topic: Topic, ties: str) -> None:
    results = untied.evaluate({"q": topic.truth}, {"q": topic.scores()}, [m for pair in PAIRS for m in pair], ties=ties)
    for one, other in PAIRS:
        assert close(results.value(one).mean, results.value(other).mean), one


@given(topics(), st.integers(1, 4))
def test_what_nobody_promised_is_enumerated(topic: Topic, k: int) -> None:
    """An erratic measure, under all orders: exact mean, variance, lowest and highest value where there are few."""

    def value(grades: tuple[float, ...], judged: tuple[bool, ...], pooled: tuple[bool, ...], k: int) -> float:
        return sum(
            math.sin(3 * grade + 5 * known + 7 * seen + i * i)
            for i, (grade, known, seen) in enumerate(zip(grades[:k], judged[:k], pooled[:k], strict=True))
        )

    @untied.measure(name="Erratic")
    def erratic(
        grades: tuple[float, ...], judged: tuple[bool, ...], pooled: tuple[bool, ...], cutoff: int, retrieved: int
    ) -> float:
        assert len(grades) == len(judged) == len(pooled) == min(cutoff, retrieved)
        return value(grades, judged, pooled, cutoff)

    def of(order: list[str]) -> float:
        known = [topic.truth.get(doc) for doc in order]
        grades = tuple(max(float(grade or 0), 0.0) for grade in known)
        flags = tuple(grade is not None and grade >= 0 for grade in known)
        return value(grades, flags, tuple(grade is not None for grade in known), k)

    orders = [list(itertools.chain(*one)) for one in itertools.product(*map(itertools.permutations, topic.groups))]
    if len(orders) > 1000:
        orders = orders[:0]
    values = [of(order) for order in orders]
    found = untied.evaluate(
        {"q": topic.truth}, {"q": topic.scores()}, [erratic @ k], ties="range", variance=True
    ).value(erratic @ k)
    assert found.certainty == "exact"
    assert found.low is not None
    assert found.high is not None
    assert found.variance is not None
    if values:
        mean = math.fsum(values) / len(values)
        assert found.mean == pytest.approx(mean, abs=1e-12)
        assert (found.low, found.high) == pytest.approx((min(values), max(values)), abs=1e-12)
        variance = math.fsum((one - mean) ** 2 for one in values) / len(values)
        assert found.variance == pytest.approx(variance, abs=1e-12)


@given(topics(real=False))
def test_bounds_over_grades_of_unjudged_documents(topic: Topic) -> None:
    for ties in ("expected", "range", "docid"):
        settings: Any = {"ties": ties, "unjudged": "range"}
        names = [OwnRR, "RR", OwnRR @ 2, "RR@2", OwnDCG, "DCG(gain='exp2')", OwnNDCG @ 3, "nDCG@3"]
        results = untied.evaluate({"q": topic.truth}, {"q": topic.scores()}, names, **settings)
        for one, other in zip(names[::2], names[1::2], strict=True):
            mine, ours = results.value(one), results.value(other)
            for found, expected in ((mine.low, ours.low), (mine.high, ours.high)):
                assert found is not None
                assert expected is not None
                assert close(found, expected), (one, ties)


def test_bounds_need_a_promise() -> None:
    with pytest.raises(untied.UntiedError, match="bounds over unjudged documents are not known for OwnAP"):
        untied.evaluate(QRELS, RUN, [OwnAP], unjudged="range")


# ---------------------------------------------------------------------------------------------------------------------
# Too many orders

MANY_QRELS = {f"q{i}": {f"d{j}": j % 7 % 4 for j in range(0, 60, 2)} for i in range(3)}
MANY_RUN = {f"q{i}": [[f"d{j}" for j in range(i, 30)], [f"d{j}" for j in range(30, 60)]] for i in range(3)}


def test_estimates_state_their_error() -> None:
    measures = [OwnAP, "AP", OwnRRByGroups, "RR"]
    results = untied.evaluate(MANY_QRELS, MANY_RUN, measures, ties="range", variance=True)
    for query in MANY_QRELS:
        mine, ours = results.value(OwnAP, query), results.value("AP", query)
        assert mine.certainty == "estimate"
        assert mine.standard_error is not None
        assert 0 < mine.standard_error < 1e-3
        assert abs(mine.mean - ours.mean) < 5 * mine.standard_error
        assert ours.variance is not None
        assert mine.variance == pytest.approx(ours.variance, rel=0.2)
        assert ours.low is not None
        assert mine.low == pytest.approx(ours.low, rel=1e-12)  # promised
        assert "standard error" in repr(mine)
        by_groups = results.value(OwnRRByGroups, query)
        assert by_groups.mean == pytest.approx(results.value("RR", query).mean, rel=1e-12)
        assert (by_groups.certainty, by_groups.standard_error, by_groups.variance) == ("estimate", 0.0, None)
    total = results.value(OwnAP)
    errors = [results.value(OwnAP, query).standard_error or 0 for query in MANY_QRELS]
    assert total.standard_error == pytest.approx(sum(errors) / 3)
    facts = results.facts()["run"]
    assert (facts["estimated"], facts["standard_error"]) == (6, max(errors))
    again = untied.evaluate(MANY_QRELS, MANY_RUN, measures, ties="range", variance=True)
    assert again.value(OwnAP) == total  # the sample is always the same
    expected = untied.evaluate(MANY_QRELS, MANY_RUN, measures).value(OwnRRByGroups)
    assert (expected.certainty, expected.standard_error) == ("exact", None)


def test_extremes_that_nobody_promised_enclose_what_was_seen() -> None:
    value = untied.evaluate(MANY_QRELS, MANY_RUN, [last], ties="range").value(last, "q0")
    assert value.certainty == "estimate"
    assert value.low is not None
    assert value.high is not None
    assert value.low <= value.mean <= value.high == 60


def test_lower_is_better() -> None:
    value = {ties: untied.evaluate(QRELS, RUN, [last], ties=ties).value(last, "q1").mean for ties in ("best", "worst")}
    assert value == {"best": 4, "worst": 5}


def test_calls_are_counted() -> None:
    calls = []

    @untied.measure(name="Counting")
    def counting(grades: tuple[float, ...]) -> float:
        calls.append(len(grades))
        return grades[0]

    untied.evaluate(QRELS, {"q1": ["b", "a"], "q2": ["a"]}, [counting], ties="range", variance=True)
    assert len(calls) == 4  # mean, and lowest and highest value by one more; variance of one order is 0
    calls.clear()
    untied.evaluate({"q": {"a": 1}}, {"q": [["a", "b", "c"]]}, [counting], ties="range", variance=True)
    assert len(calls) == 3  # all that is asked comes from one pass over the orders
    calls.clear()
    untied.evaluate({"q": {"a": 1}}, {"q": [["a", *map(str, range(500))]]}, [counting])
    assert len(calls) == 501
    calls.clear()
    untied.evaluate(MANY_QRELS, MANY_RUN, [counting])
    assert len(calls) <= 3 * 10_000


# ---------------------------------------------------------------------------------------------------------------------
# What a function is given


def test_inputs() -> None:
    seen: list[Any] = []

    @untied.measure(name="Looking")
    def looking(ideal: Any, grades: Any, cutoff: Any, retrieved: Any, pooled: Any, judged: Any) -> float:
        seen.append((ideal, grades, cutoff, retrieved, pooled, judged))
        return 0

    untied.evaluate({"q": QRELS["q1"]}, {"q": ["b", "x", "d", "a"]}, [looking, looking @ 2, looking @ 9])
    ideal, flags = (2.0, 1.0, 0.0), (True, False, False, True)
    assert seen == [
        (ideal, (2.0, 0.0, 0.0, 1.0), None, 4, (True, False, True, True), flags),
        (ideal, (2.0, 0.0), 2, 4, (True, False), (True, False)),
        (ideal, (2.0, 0.0, 0.0, 1.0), 9, 4, (True, False, True, True), flags),
    ]
    seen.clear()
    with pytest.warns(untied.UntiedWarning, match="nothing is retrieved"):
        untied.evaluate({"q": QRELS["q1"]}, {}, [looking])
    assert seen == [(ideal, (), None, 0, (), ())]


def test_groups() -> None:
    seen: list[Any] = []

    @untied.measure(name="Grouped")
    def grouped(grades: Any, groups: Any) -> float:
        seen.append((grades, groups))
        return 0

    run = {"q": [["x", "y"], ["b", "z"], ["c"], ["a", "w", "v"]]}
    untied.evaluate({"q": QRELS["q1"]}, run, [grouped, grouped @ 3, grouped @ 6])
    whole = ((0.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0), ((0, 1), (1, 2), (2, 4), (4, 5), (5, 8)))
    assert seen == [whole, (whole[0][:4], whole[1][:3]), whole]


def test_numpy_arrays_are_of_use_and_cannot_be_written_to() -> None:
    import numpy

    seen = []

    @untied.measure(name="Arrays", numpy=True)
    def arrays(grades: Any, judged: Any, pooled: Any, ideal: Any, groups: Any) -> Any:
        seen.append(
            [(one.dtype.kind, one.shape, one.flags.writeable) for one in (grades, judged, pooled, ideal, groups)]
        )
        return grades.sum() + numpy.float32(1)

    value = untied.evaluate({"q": QRELS["q1"]}, {"q": ["b", "x", "a"]}, [arrays]).value(arrays)
    assert value.mean == 4
    assert seen == [
        [("f", (3,), False), ("b", (3,), False), ("b", (3,), False), ("f", (3,), False), ("i", (3, 2), False)]
    ]


def test_parameters_arrive_as_their_defaults_are() -> None:
    seen: list[Any] = []

    @untied.measure(name="Parametric")
    def parametric(
        n: int = 3, x: float = 1.0, text: str = "a", flag: bool = False, many: Any = (1, 2), table: Any = None
    ) -> float:
        seen.append((n, x, text, flag, many, table))
        return 0

    assert str(parametric(n=3, x=1.0, text="a")) == "Parametric"
    named = parametric(n=4, x=2, text="exp", flag=True, many=[1, 0.5], table={1: 2}) @ 5
    assert str(named) == "Parametric(n=4, x=2, text='exp', flag=True, many=[1, 0.5], table={1: 2})@5"
    assert untied.parse_measure(str(named)) == named
    untied.evaluate({"q": {"a": 1}}, {"q": ["a"]}, [parametric, named])
    assert seen == [(3, 1.0, "a", False, (1, 2), None), (4, 2.0, "exp", True, [1.0, 0.5], {1.0: 2.0})]
    assert [type(one) for one in seen[1][:2]] == [int, float]
    assert str(parametric(mean="geometric", judged_only=True)) == "Parametric(judged_only=True, mean='geometric')"
    with pytest.raises(untied.MeasureError, match="has no parameter"):
        parametric(foo=1)
    with pytest.raises(untied.MeasureError, match="parameter n cannot be"):
        parametric(n=object())


def test_undefined_values() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}}
    run = {"q1": ["a"], "q2": ["a"]}
    assert untied.evaluate(qrels, run, [OwnAP]).value(OwnAP).mean == 0.5
    assert untied.evaluate(qrels, run, [OwnAP], on_undefined="nan").value(OwnAP).mean == 1
    with pytest.raises(untied.UndefinedError, match="OwnAP is undefined for query q2"):
        untied.evaluate(qrels, run, [OwnAP], on_undefined="raise")

    @untied.measure(name="SometimesUndefined")
    def sometimes(grades: tuple[float, ...]) -> float:
        return 1.0 if grades[0] else math.nan

    value = untied.evaluate({"q": {"a": 1}}, {"q": [["a", "b"]]}, [sometimes], on_undefined="nan").value(sometimes)
    assert math.isnan(value.mean)


def test_evaluator_threads_and_batches_agree() -> None:
    rng = random.Random(3)
    qrels = {f"q{i}": {f"d{j}": rng.randrange(3) for j in range(10)} for i in range(50)}
    run = {f"q{i}": {f"d{j}": float(rng.randrange(6)) for j in range(12)} for i in range(50)}
    evaluator = untied.Evaluator(qrels, [OwnAP, OwnRBP, "AP"], threads=4)
    expected = untied.evaluate(qrels, run, [OwnAP, OwnRBP, "AP"], threads=1).table().to_dicts()
    found: list[Any] = [None] * 4

    def work(i: int) -> None:
        found[i] = evaluator.evaluate(run).table().to_dicts()

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert found == [expected] * 4


def test_arrays_and_files_agree() -> None:
    labels, scores = [[1, 0, 2], [0, 1, 0]], [[1.0, 1.0, 0.5], [2.0, 1.0, 1.0]]
    qrels = {f"q{i}": {f"d{j}": grade for j, grade in enumerate(row)} for i, row in enumerate(labels)}
    run = {f"q{i}": {f"d{j}": score for j, score in enumerate(row)} for i, row in enumerate(scores)}
    names = [OwnRR, OwnAP @ 2, OwnRBP]
    arrays = untied.evaluate_arrays(scores, labels, measures=names, ties="range")
    results = untied.evaluate(qrels, run, names, ties="range")
    for one in names:
        assert arrays[one] == results[one]


# ---------------------------------------------------------------------------------------------------------------------
# What goes wrong


def test_exceptions_are_raised_as_they_are() -> None:
    class Own(Exception):
        pass

    @untied.measure(name="Failing")
    def failing(grades: tuple[float, ...], at: float = 2.0) -> float:
        if grades[0] >= at:
            raise Own("no")
        return 1

    with pytest.raises(Own) as error:
        untied.evaluate({"q1": {"a": 1}, "q2": {"a": 2}}, {"q1": ["a"], "q2": ["a"]}, ["AP", failing @ 5])
    assert error.value.__notes__ == ["in measure Failing@5, query q2"]
    names = [frame.name for frame in error.traceback]
    assert names[-1] == "failing"
    # Nothing is left behind.
    assert untied.evaluate(QRELS, RUN, [failing(at=9)]).value(failing(at=9)).mean == 1


@pytest.mark.parametrize("wrong", [None, "0.5", (1, 2), math.inf, 1j])
def test_wrong_values(wrong: Any) -> None:
    @untied.measure(name="Wrong")
    def measure(grades: tuple[float, ...]) -> Any:
        return wrong

    with pytest.raises(TypeError, match="expected a number or nan as the value, found") as error:
        untied.evaluate({"q": {"a": 1}}, {"q": [["a", "b", "c"]]}, [measure], variance=True)
    assert error.value.__notes__ == ["in measure Wrong, query q"]


def test_a_failure_is_not_remembered_as_a_value() -> None:
    states = [True]

    @untied.measure(name="Moody")
    def moody(grades: tuple[float, ...]) -> float:
        if states:
            raise RuntimeError(states.pop())
        return grades[0]

    evaluator = untied.Evaluator({"q": {"a": 1}}, [moody])
    with pytest.raises(RuntimeError):
        evaluator.evaluate({"q": [["a", "b"]]})
    assert evaluator.evaluate({"q": [["a", "b"]]}).value(moody).mean == 0.5


def test_files_as_dicts(files: list[str]) -> None:
    """Files are evaluated while they are read."""
    names = [OwnRR, OwnAP @ 2, OwnRBP, "RR"]
    of_file = untied.evaluate(files[0], files[1], names, ties="range", variance=True)
    run = {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}
    of_dict = untied.evaluate({"q": {"a": 1, "c": 0}}, run, names, ties="range", variance=True)
    for one in names:
        assert of_file.value(one, "q") == of_dict.value(one, "q")

    @untied.measure(name="FailingOnFiles")
    def failing(grades: tuple[float, ...]) -> float:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no") as error:
        untied.evaluate(files[0], files[1], [failing])
    assert error.value.__notes__ == ["in measure FailingOnFiles, query q"]


def test_numbers_of_any_kind() -> None:
    from fractions import Fraction

    values: list[Any] = [True, 1, 1.0, Fraction(1, 1)]

    @untied.measure(name="Kinds")
    def kinds(grades: tuple[float, ...], i: int = 0) -> Any:
        return values[i]

    for i in range(len(values)):
        assert untied.evaluate({"q": {"a": 1}}, {"q": ["a"]}, [kinds(i=i)]).value(kinds(i=i)).mean == 1


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: None, r"expected \(gain, discount\), found None"),
        (lambda: (1, [1]), "not subscriptable"),
        (lambda: ({1: "x"}, [1]), "expected a finite number as the gain of grade 1, found 'x'"),
        (lambda: (lambda grade: math.nan, [1]), "as the gain of grade 1, found nan"),
        (lambda: ({1: 1}, lambda rank: None), "expected a finite number as the discount of rank 1, found None"),
        (lambda: ({1: 1}, 3), "not iterable"),
    ],
)
def test_wrong_gains_and_discounts(made: Any, message: str) -> None:
    @untied.additive_measure(name="WrongTables")
    def measure() -> Any:
        return made()

    with pytest.raises(TypeError, match=message) as error:
        untied.evaluate({"q": {"a": 1}}, {"q": ["a"]}, [measure])
    assert error.value.__notes__ == ["in measure WrongTables"]


def test_gains_that_are_missing_or_too_large() -> None:
    with pytest.raises(KeyError) as error:
        untied.evaluate({"q": {"a": 7}}, {"q": ["a"]}, [OwnNDCG])
    assert error.value.__notes__ == ["in measure OwnNDCG"]
    assert untied.evaluate({"q": {"a": 0, "b": 1, "c": -1}}, {"q": ["a", "b", "c"]}, [OwnNDCG]).value(OwnNDCG).mean > 0

    @untied.additive_measure(name="Huge")
    def huge() -> Any:
        return lambda grade: 1e300 * grade, [1]

    with pytest.raises(untied.UntiedError, match="Huge: the gain of grade 1 is too large"):
        untied.evaluate({"q": {"a": 1}}, {"q": ["a"]}, [huge])


def test_parameters_are_checked_by_their_author() -> None:
    @untied.additive_measure(name="Strict")
    def strict(p: float = 0.5) -> Any:
        if not 0 < p < 1:
            raise ValueError(f"p must be between 0 and 1, not {p}")
        return lambda grade: grade, lambda rank: p**rank

    with pytest.raises(ValueError, match="not 2") as error:
        strict(p=2)
    assert error.value.__notes__ == ["in measure Strict(p=2)"]
    with pytest.raises(ValueError, match="not 3"):
        untied.parse_measure("Strict(p=3)@10")


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (lambda grades: 0, {}, "must be identifiers"),
        (lambda grades: 0, {"name": "AP"}, "the name AP already stands for AP"),
        (lambda grades: 0, {"name": "ap"}, "the name ap already stands for AP"),
        (lambda grades: 0, {"name": "ndcg_cut_10"}, "already stands for nDCG@10"),
        (lambda grades: 0, {"name": "gm_x"}, "the geometric mean of x"),
        (lambda grades: 0, {"name": "a@1"}, "must be identifiers"),
        (lambda grades: 0, {"name": "a b"}, "must be identifiers"),
        (lambda grades: 0, {"name": "a..b"}, "must be identifiers"),
        (lambda grades: 0, {"name": "OWNRR"}, "the name OWNRR already stands for OwnRR"),
        (lambda grades: 0, {"name": "OwnRR"}, "OwnRR is already defined, by OwnRR in test_own_measures"),
        (lambda grades: 0, {"name": "Bad", "cutoff": "always"}, "cutoff must be 'optional', 'required' or 'none'"),
        (
            lambda grade: 0,
            {"name": "Bad"},
            "grades, judged, .* must come first, without a default; parameters need a default",
        ),
        (lambda grades, ideal=None: 0, {"name": "Bad"}, "found ideal=None"),
        (lambda *grades: 0, {"name": "Bad"}, "every argument needs its own name, found \\*grades"),
        (lambda **rest: 0, {"name": "Bad"}, "found \\*\\*rest"),
        (lambda *, grades: 0, {"name": "Bad"}, "must come first"),
        (lambda grades, p=1, /: 0, {"name": "Bad"}, "parameter p must not be positional-only"),
        (lambda grades, mean=1: 0, {"name": "Bad"}, "parameter mean must have another name"),
        (lambda grades, p=math: 0, {"name": "Bad"}, "the default of parameter p must be a finite number"),
        (lambda grades, p=math.nan: 0, {"name": "Bad"}, "the default of parameter p must be a finite number"),
        (lambda grades, ä=1: 0, {"name": "Bad"}, "in ASCII"),
        (lambda grades: 0, {"name": "run"}, "must not be called run, as a column of tables is"),
    ],
)
def test_definitions_that_are_refused(function: Any, options: Any, message: str) -> None:
    with pytest.raises(untied.MeasureError, match=message):
        untied.measure(**options)(function)


def test_names_are_read_like_others() -> None:
    """Parameters are the author's, even if others have other spellings for them."""

    @untied.measure(name="OwnSpelt")
    def spelt(grades: tuple[float, ...], gains: str = "1", dcg: str = "1") -> float:
        return 0

    @untied.measure(name="own.Dotted")
    def dotted(grades: tuple[float, ...]) -> float:
        return 0

    for spelling, name in {
        "ownspelt(gains='exp', dcg='log2')@10": "OwnSpelt(gains='exp', dcg='log2')@10",
        "gm_ownspelt_10": "OwnSpelt(mean='geometric')@10",
        "OwnSpelt(judged_only=True, gains='1')": "OwnSpelt(judged_only=True)",
        "own.Dotted@3": "own.Dotted@3",
    }.items():
        assert str(untied.parse_measure(spelling)) == name
    with pytest.raises(untied.MeasureError, match="did you mean OwnSpelt"):
        untied.parse_measure("OwnSpeltt")


def test_no_measure_is_called_as_a_column_beside_measures(tmp_path: Path) -> None:
    """Its values would take the place of the names of runs."""
    runs = {"one": RUN, "two": RUN}
    letor = tmp_path / "letor.txt"
    letor.write_text("1 qid:1 1:3\n0 qid:1 1:2\n")
    tables = [
        untied.evaluate(QRELS, runs, "AP").per_query,
        untied.compare(RUN, RUN, "RBO").per_query,
        untied.evaluate_features(letor, "AP", per_query=True).table(per_query=True),
    ]
    for table in tables:
        beside = [name for name in table.wide().columns if not name.startswith(("AP", "RBO"))]
        assert "query" in beside
        for name in beside:
            with pytest.raises(untied.MeasureError, match=f"must not be called {name}"):
                untied.additive_measure(name=name)(lambda gain=0: None)


def test_misuse() -> None:
    with pytest.raises(TypeError, match="a measure must be a function, not int"):
        untied.measure(3)  # type: ignore[call-overload]
    with pytest.raises(untied.MeasureError, match="parameters need a default; found grades"):
        untied.additive_measure(name="Bad")(lambda grades: None)
    with pytest.raises(untied.MeasureError, match="OwnP needs a cutoff"):
        untied.evaluate(QRELS, RUN, [OwnP])
    with pytest.raises(untied.MeasureError, match=r"did you mean .*OwnRR\b"):
        untied.parse_measure("OwnRRR")
    with pytest.raises(untied.MeasureError, match="the largest difference in OwnAP@10 is not known"):
        untied.compare(RUN, RUN, ["MED(OwnAP@10)"])


def test_a_definition_replaces_that_from_the_same_place() -> None:
    def define(value: float) -> untied.Measure:
        @untied.measure
        def Replaced(grades: tuple[float, ...]) -> float:
            return value

        return Replaced

    old, new = define(1), define(2)
    found = [untied.evaluate(QRELS, RUN, [one]).value(one).mean for one in (old, new, "Replaced")]
    assert found == [1, 2, 2]


def test_a_function_may_evaluate() -> None:
    @untied.measure(name="Nested")
    def nested(grades: tuple[float, ...]) -> float:
        run = {"q": [f"d{i}" for i in range(len(grades))]}
        return (
            untied.evaluate({"q": {f"d{i}": grade for i, grade in enumerate(grades)}}, run, [OwnRR]).value(OwnRR).mean
        )

    results = untied.evaluate(QRELS, RUN, [nested, OwnRR])
    assert close(results.value(nested).mean, results.value(OwnRR).mean)


# ---------------------------------------------------------------------------------------------------------------------
# Pickling, command line, documentation


def test_pickling() -> None:
    for one in (OwnRR, OwnRR(rel=2) @ 10, last, OwnRBP(p=0.5)):
        assert pickle.loads(pickle.dumps(one)) == one

    @untied.measure
    def Local(grades: tuple[float, ...]) -> float:
        return 0

    with pytest.raises(
        pickle.PicklingError, match="Local is defined within a function, test_pickling in test_own_measures"
    ):
        pickle.dumps(Local)


def python(code: str, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120, cwd=folder, check=False
    )


def test_pickles_load_what_defines_them() -> None:
    measure = vars(load_plugin(str(EXAMPLE)))["Persistent"](p=0.5)
    code = "import pickle, sys; print(pickle.loads(bytes.fromhex(sys.argv[1])))"
    done = python(code, pickle.dumps(measure).hex())
    assert (done.stdout, done.stderr) == ("Persistent(p=0.5)\n", "")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 c 0\n")
    (tmp_path / "my.run").write_text("q Q0 a 1 1 t\nq Q0 b 2 1 t\nq Q0 c 3 0.5 t\n")
    return [f"{tmp_path}/qrels", f"{tmp_path}/my.run"]


def test_plugin_by_path(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    names = ["FirstRelevant", "Persistent(p=0.5)@10", "AllOnTop@1", "Unknown@2"]
    asked = [part for name in names for part in ("-m", name)]
    assert main(["eval", *files, "--plugin", str(EXAMPLE), *asked, "--format", "json", "--ties", "range"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert [row["measure"] for row in out["results"]] == names
    assert [row["value"] for row in out["results"]] == [0.75, 0.375, 0.5, 0.5]
    assert [Path(one["path"]).name for one in out["plugins"]] == ["own_measures.py"]
    assert re.fullmatch("[0-9a-f]{64}", out["plugins"][0]["sha256"])
    assert main(["eval", *files, "-m", "AP", "--format", "json"]) == 0
    assert "plugins" not in json.loads(capsys.readouterr().out)


def test_plugin_by_name(tmp_path: Path, files: list[str]) -> None:
    (tmp_path / "mine.py").write_text(
        "import untied\n@untied.measure\ndef Mine(grades):\n    return len(grades)\n", encoding="utf-8"
    )
    code = "import sys; from untied.cli import main; sys.exit(main(sys.argv[1:]))"
    command = ["eval", *files, "-m", "Mine@2", "--plugin"]
    done = python(code, *command, "mine", folder=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1].split("\t")[2:]) == (0, ["Mine@2", "2.0000"])
    done = python(code, *command, "mine.py", folder=tmp_path)
    assert done.returncode == 0
    done = python(code, *command[:3], "--quantiles", "0", "--format", "json", "--plugin", "mine", folder=tmp_path)
    assert Path(json.loads(done.stdout)["plugins"][0]["path"]).name == "mine.py"
    done = python(code, *command, "mines", folder=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "untied: there is no module 'mines'; to load a file, give its path, ending in .py\n",
    )


@pytest.mark.parametrize(
    ("plugin", "message"),
    [
        ("", "there is no module ''"),
        ("a b", "there is no module 'a b'"),
        ("./mine", "there is no module './mine'"),
        ("no/such/file.py", "no/such/file.py: No such file or directory"),
    ],
)
def test_plugins_that_are_not_there(
    plugin: str, message: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *files, "--plugin", plugin]) == 2
    assert message in capsys.readouterr().err


def test_plugins_that_fail(tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    plugin = tmp_path / "broken.py"
    plugin.write_text("import no_such_module\n")
    with pytest.raises(ModuleNotFoundError, match="no_such_module") as error:
        main(["eval", *files, "--plugin", str(plugin)])
    assert error.value.__notes__ == [f"while loading plugin {plugin}"]
    assert str(plugin) not in sys.modules
    plugin.write_text("import untied\n@untied.measure\ndef AP(grades):\n    return 0\n")
    assert main(["eval", *files, "--plugin", str(plugin)]) == 2
    assert capsys.readouterr().err == (
        f"untied: the name AP already stands for AP; give the measure another name; while loading plugin {plugin}\n"
    )


def test_measures_tells_what_a_plugin_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "--plugin", str(EXAMPLE), "FirstRelevant"]) == 0
    assert capsys.readouterr().out == (
        "FirstRelevant [@k]: Reciprocal of the rank of the first relevant document.\n"
        "\n"
        "  As RR, written down once more. A document is relevant from grade ``rel`` on.\n"
        "\n"
        "  rel         default 1\n"
        "  judged_only whether to remove unjudged documents from the ranking first; default False\n"
    )
    assert main(["measures", "--plugin", str(EXAMPLE)]) == 0
    out = capsys.readouterr().out
    assert f"Defined in {EXAMPLE}\n" in out
    assert "Persistent [@k]" in out


def test_other_commands_take_plugins(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    plugin = ["--plugin", str(EXAMPLE)]
    assert main(["judge-next", *files, *plugin, "-m", "FirstRelevant", "--format", "tsv"]) == 0
    assert "b" in capsys.readouterr().out
    assert main(["gate", *files, *plugin, "--min", "FirstRelevant=0.5"]) == 0
    assert "FirstRelevant" in capsys.readouterr().out
    train = Path(files[0]).with_name("train.txt")
    train.write_text("1 qid:q 1:1\n0 qid:q 1:1\n0 qid:q 1:0\n")
    other = train.with_name("other.run")
    other.write_text("q Q0 b 1 2 t\nq Q0 a 2 1 t\n")
    for command, value in (
        (["features", str(train), "-m", "FirstRelevant"], 0.75),
        (["compare", files[1], str(other), "--qrels", files[0], "-m", "MED(FirstRelevant)"], 0.25),
    ):
        assert main([*command, *plugin, "--format", "json"]) == 0
        out = json.loads(capsys.readouterr().out)
        assert [row["value"] for row in out["results"]] == [value]
        assert [Path(one["path"]).name for one in out["plugins"]] == ["own_measures.py"]


def test_commands_that_take_measures_take_plugins() -> None:
    """All but studies, which continue from finished parts and could not tell that a plugin has changed."""
    taking = {
        command: "--plugin" in made._option_string_actions
        for command, made in _parsers()
        if any("MEASURE" in str(action.metavar) for action in made._actions)
    }
    without = {command for command, takes in taking.items() if not takes}
    assert {"eval", "features", "compare", "gate", "judge-next"} <= taking.keys() - without
    assert all(command.startswith("study ") for command in without)


def test_interruption() -> None:
    """Ctrl-C ends the evaluation of a slow measure."""
    code = """
import os, signal, time, untied
calls = 0
@untied.measure
def Slow(grades):
    global calls
    calls += 1
    if calls == 3:
        os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.02)
    return 0
qrels = {f"q{i}": {"a": 1} for i in range(1_000)}
try:
    untied.evaluate(qrels, {query: ["a"] for query in qrels}, [Slow])
except KeyboardInterrupt:
    print("interrupted", calls < 900)
"""
    done = python(code)
    assert (done.stdout, done.stderr) == ("interrupted True\n", "")


def test_works_without_numpy() -> None:
    code = """
import sys
sys.modules["numpy"] = None
import untied
@untied.measure
def Plain(grades, ideal, judged, groups):
    return sum(grades)
print(untied.evaluate({"q": {"a": 1}}, {"q": ["a"]}, [Plain]).value("Plain"))
"""
    done = python(code)
    assert (done.stdout, done.stderr) == ("1.0000\n", "")


def test_docstrings() -> None:
    import untied.measures.own

    assert doctest.testmod(untied.measures.own).failed == 0


ALONE = ({"q": {"a": 1}}, {"q": ["a"]})


def test_a_measure_that_evaluates_itself_is_an_error() -> None:
    @untied.measure
    def Narcissus(grades: tuple[float, ...]) -> float:
        return untied.evaluate(*ALONE, "Narcissus")["Narcissus"].mean

    @untied.measure
    def Ping(grades: tuple[float, ...]) -> float:
        return untied.Evaluator(ALONE[0], "Pong").means(ALONE[1])["Pong"]

    @untied.measure
    def Pong(grades: tuple[float, ...]) -> float:
        return untied.evaluate(*ALONE, "Ping", threads=2)["Ping"].mean

    @untied.additive_measure
    def Sum() -> tuple[object, object]:
        untied.evaluate(*ALONE, "Sum")
        return {1: 1.0}, [1.0]

    for measure, said in (
        (Narcissus, "Narcissus evaluates itself: Narcissus, which evaluates Narcissus\\nin measure"),
        (Ping, "Ping evaluates itself: Ping, which evaluates Pong, which evaluates Ping\\nin measure"),
        (Sum, "Sum evaluates itself: Sum, which evaluates Sum\\nin measure"),
    ):
        for _ in range(2):  # an error leaves nothing behind
            with pytest.raises(untied.MeasureError, match=said):
                untied.evaluate(*ALONE, measure)
        with pytest.raises(untied.MeasureError, match=said):
            untied.evaluate_arrays([[1]], [[1]], measure)


def test_measures_that_call_others_without_end_are_an_error() -> None:
    @untied.measure
    def Deeper(grades: tuple[float, ...], n: int = 1) -> float:
        name = f"Deeper(n={n + 1})"
        return untied.evaluate(*ALONE, name)[name].mean

    with pytest.raises(untied.MeasureError, match=r"evaluates measures that evaluate measures without end: .*n=33"):
        untied.evaluate(*ALONE, Deeper)


def test_a_measure_may_evaluate_others() -> None:
    @untied.measure
    def Countdown(grades: tuple[float, ...], n: int = 5) -> float:
        name = f"Countdown(n={n - 1})"
        return 1 + untied.evaluate(*ALONE, name).value(name).mean if n else 0.0

    @untied.measure
    def Twice(grades: tuple[float, ...]) -> float:
        return untied.evaluate(*ALONE, "AP")["AP"].mean + untied.evaluate(*ALONE, "AP")["AP"].mean

    assert untied.evaluate(*ALONE, [Countdown, Twice]).means["value"] == [5.0, 2.0]


@pytest.mark.filterwarnings("ignore:nothing is relevant:untied.UntiedWarning")
@pytest.mark.parametrize("kind", ["falls", "turns"])
def test_a_measure_that_does_not_grow_with_grades_is_refuted(kind: str) -> None:
    """Where all grades are at stake at once, or only while MED searches: one relevant document is best there."""

    @untied.measure(grows_with_grade=True, name=f"Wrong{kind}")
    def wrong(grades):
        relevant = sum(grade > 0 for grade in grades)
        return 1 / (1 + relevant) if kind == "falls" else (0, 1, 0.5, 0.6)[min(relevant, 3)]

    qrels, a, b = {"q": {"r": 0}}, {"q": ["x", "y", "r"]}, {"q": ["y", "x", "z", "r"]}
    said = rf"Wrong{kind}.*grows_with_grade=True is wrong: the value falls from [0-9.]+ to [0-9.]+ where grades grow"
    for name in ("MED", "Delta"):
        with pytest.raises(untied.UntiedError, match=said):
            untied.compare(a, b, f"{name}(Wrong{kind})", qrels=qrels)
    if kind == "falls":
        with pytest.raises(untied.UntiedError, match=said):
            untied.evaluate(qrels, a, wrong, unjudged="range")
        with pytest.raises(untied.UntiedError, match=said):
            judge_next(qrels, a, wrong)
    assert untied.evaluate(qrels, a, wrong)[wrong].mean == (1 if kind == "falls" else 0)


def test_a_measure_that_is_not_best_by_grade_is_refuted() -> None:
    @untied.measure(best_by_grade=True)
    def MiddleFirst(grades):
        """It is best if the lowest grade stands first."""
        return 1.0 if grades and grades[0] == 1 else 0.0

    qrels, run = {"q": {"x": 2, "y": 1, "z": 0}}, {"q": {"x": 1, "y": 1, "z": 1}}
    said = (
        "MiddleFirst, query q: best_by_grade=True is wrong: orders of tied documents have values from 0 to 1, but "
        "those by grade have 0 and 0"
    )
    with pytest.raises(untied.UntiedError, match=said):
        untied.evaluate(qrels, run, MiddleFirst, ties="range")
    assert untied.evaluate(qrels, run, MiddleFirst)[MiddleFirst].mean == pytest.approx(1 / 3)


def test_gains_out_of_range_are_refused() -> None:
    """Ratios of gains that are hardly above 0 would be lost to rounding."""
    runs = {"a": {"q": ["d", "u"]}, "b": {"q": ["u", "d"]}}

    @untied.additive_measure(ideal=True)
    def Tiny():
        return (lambda grade: grade), (lambda rank: 1 / rank)

    for measure in ("nDCG", "DCG@1", "Q", Tiny):
        with pytest.raises(untied.UntiedError, match="the gain of grade 1e-320 is too small: 1e-320"):
            untied.evaluate({"q": {"d": 1e-320}}, runs["a"], measure)
    with pytest.raises(untied.UntiedError, match="nDCG: the gain of grade 1e-320 is too small"):
        untied.certify({"q": {"d": 1e-320}}, runs, "nDCG")
    with pytest.raises(untied.UntiedError, match="is searched for up to 256 grades; give max_grade"):
        untied.compare(runs["a"], runs["b"], "Delta(Q)", qrels={"q": {"d": 1e50}})


def test_documents_without_a_grade_are_like_judged_ones_of_grade_0() -> None:
    """One relevant document among twenty others has 21 places, however many of the others were judged."""
    docs = ["a", *(f"judged{number}" for number in range(10)), *(f"other{number}" for number in range(10))]
    qrels = {"q": {"a": 1} | {doc: 0 for doc in docs if doc.startswith("judged")}}
    found = untied.evaluate(qrels, {"q": [docs]}, OwnRR)[OwnRR]
    assert found.certainty == "exact"
    assert found.mean == pytest.approx(sum(1 / rank for rank in range(1, 22)) / 21)
