"""Bounds where grades of unjudged documents decide whether a query has a value, against every joint assignment."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import untied
from nightly import many
from strategies import Topic, as_text
from test_bounds import LENGTHS, NAMES, SEEN_TO_THE_END, bounded, completed, evaluate, small

Number = float | None  # none where there is no value
Parts = tuple[Number, Number, Number]  # of one assignment: mean over tie orders, smallest, largest

FIELD = {"expected": 0, "worst": 1, "best": 2}


def assignments(measure: oracle.Measure, topic: Topic, grades: list[float], pooled: bool, zero: bool) -> list[Parts]:
    """What the query counts as, for every assignment of grades; no value may count 0."""
    order = [doc for group in topic.groups for doc in group]
    found: set[Parts] = set()
    for truth in completed(topic, grades, pooled):
        if not measure.is_defined(order, truth):
            found.add((0.0, 0.0, 0.0) if zero else (None, None, None))
            continue
        one = oracle.statistics(measure, topic.groups, truth, lengths=LENGTHS)
        assert one is not None
        ends = (one.high, one.low) if measure.name in oracle.LOWER_IS_BETTER else (one.low, one.high)
        found.add((float(one.mean), float(ends[0]), float(ends[1])))
    return sorted(found, key=str)


def aggregates(measure: oracle.Measure, values: Sequence[Sequence[Number]]) -> list[float]:
    """The mean over queries, or their sum, for every choice of one value a query."""
    found = []
    for joint in itertools.product(*(set(of) for of in values)):
        counted = [value for value in joint if value is not None]
        if measure.name in oracle.COUNTS:
            found.append(math.fsum(counted))
        elif counted and measure.params.get("mean") == "geometric":
            found.append(math.exp(math.fsum(math.log(max(value, 1e-5)) for value in counted) / len(counted)))
        elif counted:
            found.append(math.fsum(counted) / len(counted))
    return found


def alike(found: float | None, expected: Iterable[float], end: Any) -> bool:
    """Whether this is the end of what is possible, or NaN where nothing is."""
    values = list(expected)
    assert found is not None
    return math.isclose(found, end(values), rel_tol=1e-11, abs_tol=1e-15) if values else math.isnan(found)


def defined(values: Iterable[Number]) -> list[float]:
    return [value for value in values if value is not None]


@settings(max_examples=many(4, nightly=80))
@given(data=st.data())
@pytest.mark.parametrize("name", [*NAMES, "NumRet"])
def test_values_and_means_over_all_joint_assignments(name: str, data: st.DataObject) -> None:
    """Of three queries, most with few relevant documents or none; every policy of undefined values, judgments, ties."""
    random = Random(data.draw(st.integers(0, 10**9)))
    count = random.randint(2, 4)
    measure = oracle.Measure(name) if name == "NumRet" else data.draw(bounded(name, count))
    if name not in oracle.COUNTS and random.random() < 0.3:
        measure = oracle.Measure(name, measure.k, **measure.params, mean="geometric")
    scale = [1, *([2] if random.random() < 0.3 else [])]
    topics = {f"q{i}": small(random, random.choice([[0], [0], [0, *scale]]), 3, count, tied=i != 1) for i in range(3)}
    topics["q2"].truth["graded"] = scale[-1]  # so that there is a grade to be had
    qrels = {query: topic.truth for query, topic in topics.items()}
    run = {query: [list(group) for group in topic.groups] for query, topic in topics.items()}
    queries = random.choice(["qrels", "common"])
    everything = dict(topics)
    if random.random() < 0.5:
        # One that the run lacks: an empty ranking, or left out.
        del run["q1"]
        if queries == "common" or name in SEEN_TO_THE_END:
            queries = "common"
            del topics["q1"]
        else:
            topics["q1"] = Topic((), topics["q1"].truth)
    grades = measure.possible(grade for topic in everything.values() for grade in topic.truth.values())
    pooled, text, low_is_good = random.random() < 0.5, as_text(measure), name in oracle.LOWER_IS_BETTER
    for on_undefined in ("zero", "nan"):
        zero = on_undefined == "zero" and not low_is_good
        every = [assignments(measure, topic, grades, pooled, zero) for topic in topics.values()]
        columns = [[[parts[field] for parts in parts_of] for parts_of in every] for field in range(3)]
        # By field: the values of every query, and of the mean over them.
        listed = [[*map(defined, column), aggregates(measure, column)] for column in columns]
        for ties in ("expected", "best", "worst", "range"):
            judged: dict[str, Any] = {"ties": ties, "on_undefined": on_undefined, "queries": queries}
            options = judged | {"unretrieved": "pooled" if pooled else "none"}
            mean, worst, best = [FIELD[one] for one in ("expected", "worst", "best")]
            if ties != "range":
                mean = worst = best = FIELD[ties]
            low, high = (best, worst) if low_is_good else (worst, best)
            ranged = evaluate(qrels, run, text, unjudged="range", **options)
            plain = evaluate(qrels, run, text, **judged)
            settled = {
                unjudged: (evaluate(qrels, run, text, unjudged=unjudged, **options), end)
                for unjudged, end in (("best", min if low_is_good else max), ("worst", max if low_is_good else min))
            }
            for i, query in enumerate([*topics, None]):
                found = ranged.value(text, query=query)
                same = plain.value(text, query=query).mean
                assert math.isclose(found.mean, same, rel_tol=1e-12) or (math.isnan(found.mean) and math.isnan(same))
                case = (on_undefined, ties, query, found)
                assert alike(found.low, listed[low][i], min), case
                assert alike(found.high, listed[high][i], max), case
                for unjudged, (results, end) in settled.items():
                    one = results.value(text, query=query)
                    assert alike(one.mean, listed[mean][i], end), (unjudged, one, case)
                    if ties == "range":
                        assert alike(one.low, listed[low][i], end), (unjudged, one, case)
                        assert alike(one.high, listed[high][i], end), (unjudged, one, case)


# Of q1 the search length is 3. What nobody judged decides whether the others have one, 0 and 10.
QRELS = {"q1": {"n1": 0, "n2": 0, "n3": 0, "r": 1}, "q2": {"n": 0}, "q3": {f"n{i}": 0 for i in range(10)}}
RUN = {"q1": ["n1", "n2", "n3", "r"], "q2": ["x"], "q3": [*(f"n{i}" for i in range(10)), "x"]}


def test_a_mean_over_queries_that_may_count() -> None:
    found = untied.evaluate(QRELS, {"run": RUN}, ["ESL"], unjudged="range")
    assert [found.value("ESL", query=query).low for query in RUN] == [3.0, 0.0, 10.0]
    assert math.isnan(found.value("ESL", query="q2").mean)
    assert (found["ESL"].mean, found["ESL"].low, found["ESL"].high) == (3.0, 1.5, 6.5)
    facts = found.facts()["run"]
    assert (facts["undefined"], facts["left_out"], facts["unsettled"]) == (2, 2, 2)
    for unjudged, end in (("best", 1.5), ("worst", 6.5)):
        assert untied.evaluate(QRELS, RUN, ["ESL"], unjudged=unjudged)["ESL"].mean == end
    ap = untied.evaluate(QRELS, RUN, ["AP"], unjudged="range", on_undefined="nan")["AP"]
    assert (ap.mean, ap.low, ap.high) == (0.25, (1 / 4 + 1 / 11) / 2, (1 / 4 + 1) / 2)
    zero = untied.evaluate(QRELS, {"run": RUN}, ["AP"], unjudged="range")
    assert (zero["AP"].low, zero.facts()["run"]["unsettled"]) == (1 / 4 / 3, 0)


@pytest.mark.parametrize("unjudged", ["range", "best", "worst"])
@pytest.mark.parametrize("measure", ["ESL", "AP", "RR", "nDCG"])
def test_raise_where_some_grades_leave_it_undefined(measure: str, unjudged: str) -> None:
    with pytest.raises(untied.UndefinedError, match="is undefined for query q2"):
        untied.evaluate(QRELS, RUN, [measure], unjudged=unjudged, on_undefined="raise")
    every: Any = {"on_undefined": "raise", "unjudged": unjudged}
    assert untied.evaluate({"q1": QRELS["q1"]}, {"q1": RUN["q1"]}, [measure], **every)[measure].mean > 0


@pytest.mark.parametrize("unjudged", ["range", "best", "worst"])
@pytest.mark.parametrize("measure", ["ESL", "ESL(mean='geometric')", "AP", "nDCG(mean='geometric')"])
def test_the_same_in_pieces_and_by_feature(measure: str, unjudged: str, tmp_path: Any) -> None:
    """Files that are streamed, Arrow batches, features: all that adds values up."""
    options: dict[str, Any] = {"unjudged": unjudged, "on_undefined": "nan", "ties": "range"}
    whole = untied.evaluate(QRELS, RUN, [measure], **options)[measure]
    path = tmp_path / "one.run"
    lines = [f"{q} Q0 {d} 1 {-i} t\n" for q, docs in RUN.items() for i, d in enumerate(docs)]
    path.write_text("".join(lines))
    assert untied.evaluate(QRELS, str(path), [measure], **options)[measure] == whole

    pyarrow = pytest.importorskip("pyarrow")
    from untied.batches import BatchEvaluator

    rows = [
        {"query": q, "document": d, "score": float(-i), "grade": None}
        for q, docs in RUN.items()
        for i, d in enumerate(docs)
    ]
    qrels = [
        {"query": q, "document": d, "score": None, "grade": float(grade)}
        for q, judged in QRELS.items()
        for d, grade in judged.items()
    ]
    table = pyarrow.Table.from_pylist(rows + qrels).sort_by("query")
    evaluator = BatchEvaluator([measure], grades=[0, 1], **options)
    assert evaluator.summary(evaluator(table.to_batches()))[measure] == whole

    grades: list[float | None] = [QRELS[q].get(d) for q, docs in RUN.items() for d in docs]
    labels = [math.nan if grade is None else grade for grade in grades]
    frame = {"f": [float(-i) for docs in RUN.values() for i, _ in enumerate(docs)]}
    query_ids = [q for q, docs in RUN.items() for _ in docs]
    found = untied.evaluate_features(frame, [measure], labels=labels, query_ids=query_ids, **options)
    assert found.value("f", measure) == whole


@untied.measure(grows_with_grade=True)
def OwnShareFound(grades: tuple[float, ...], ideal: tuple[float, ...]) -> float:
    """Of the positive grades the share that is found; undefined where there are none."""
    return float(any(grades)) if any(ideal) else math.nan


@untied.measure(grows_with_grade=True)
def OwnPair(grades: tuple[float, ...], ideal: tuple[float, ...]) -> float:
    """Undefined without two relevant documents."""
    return float(sum(grades)) if sum(ideal) > 1 else math.nan


def test_a_measure_of_ones_own_that_may_be_undefined() -> None:
    pool = {"q": {"u": -1, "n": 0}, "other": {"r": 1}}
    run = {"q": ["n", "x"], "other": ["r"]}
    for unretrieved, low in (("none", 1.0), ("pooled", 0.0)):
        options: Any = {"unjudged": "range", "unretrieved": unretrieved}
        found = untied.evaluate(pool, run, [OwnShareFound], on_undefined="nan", **options)
        assert (found.value(OwnShareFound, query="q").low, found.value(OwnShareFound, query="q").high) == (low, 1.0)
        assert untied.evaluate(pool, run, [OwnShareFound], **options).value(OwnShareFound, query="q").low == 0.0
    with pytest.raises(untied.UntiedError, match="bounds over unjudged documents are not known for OwnPair"):
        untied.evaluate({"q": {"n": 0}, "z": {"r": 1}}, {"q": ["x", "y"], "z": ["r"]}, [OwnPair], unjudged="range")
