"""Bounds over the grades that unjudged documents may have, against every assignment of grades and every tie order."""

from __future__ import annotations

import itertools
import json
import math
import pathlib
import re
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

import oracle
import untied
from nightly import many
from strategies import DOCS, PACKAGE, UNRETRIEVED, Topic, as_text, close, measures, topics

OF_JUDGED = ["Judged", "Unjudged", "RBPResidual", "NumNonrelJudgedRet"]
UNTESTED = {"NumQ", "NumRet"}  # constant
NAMES = [name for name, info in PACKAGE.items() if not info["unbounded"] and name not in {*OF_JUDGED, *UNTESTED, "PRR"}]
SEEN_TO_THE_END = {"ERR", "RBP", "iRBU"}  # what comes after the last document is open as well: tests of their own
TABLES = {"Cascade", "NCU"}  # tell gains of whole grades
LENGTHS = {doc: 100 + 200 * (i % 2) for i, doc in enumerate([*DOCS, *UNRETRIEVED])}


def evaluate(qrels: Any, run: Any, measure: str, **options: Any) -> untied.Results:
    """Some measures have bounds for some parameters and grades only: the others are not instances."""
    try:
        return untied.evaluate(qrels, run, [measure], docs=LENGTHS, **options)
    except untied.UntiedError as error:
        if "bounds over unjudged documents are not known" in str(error):
            reject()
        raise


def value(qrels: dict[str, float], run: Any, measure: str, **options: Any) -> untied.Value:
    return evaluate({"q": qrels}, {"q": run}, measure, **options).value(measure, query="q")


def completed(topic: Topic, grades: list[float], pooled: bool) -> list[dict[str, float]]:
    """The judgements completed in every possible way."""
    judged = {doc: grade for doc, grade in topic.truth.items() if grade >= 0}
    retrieved = {doc for group in topic.groups for doc in group}
    unknown = sorted((retrieved | set(topic.truth if pooled else ())) - set(judged))
    assume(len(grades) ** len(unknown) <= 64)
    return [
        judged | dict(zip(unknown, given_, strict=True)) for given_ in itertools.product(grades, repeat=len(unknown))
    ]


def enumerated(
    measure: oracle.Measure, topic: Topic, grades: list[float], pooled: bool
) -> dict[str, tuple[Fraction, Fraction]]:
    """Smallest and largest value over all assignments that have one, for each policy of ties."""
    every = completed(topic, grades, pooled)
    listed = [oracle.statistics(measure, topic.groups, truth, lengths=LENGTHS) for truth in every]
    found = [one for one in listed if one is not None]
    if not found:
        return {}
    lows, means, highs = ([getattr(one, part) for one in found] for part in ("low", "mean", "high"))
    of_low, of_high = (min(lows), max(lows)), (min(highs), max(highs))
    lower_is_better = measure.name in oracle.LOWER_IS_BETTER
    return {
        "expected": (min(means), max(means)),
        "range": (min(lows), max(highs)),
        "best": of_low if lower_is_better else of_high,
        "worst": of_high if lower_is_better else of_low,
    }


@st.composite
def bounded(draw: st.DrawFn, name: str, retrieved: int | None = None) -> oracle.Measure:
    """The measure with parameters for which there are bounds, for rankings of at least `retrieved` documents.

    There are none of what leaves unjudged documents out, and where a list of discounts or gains may rise again.
    """
    measure = draw(measures(name))
    listed = [key for key in ("discount", "gain") if isinstance(measure.params.get(key), (list, dict))]
    listed = [] if name == "Cascade" else listed
    params = {key: value for key, value in measure.params.items() if key not in ("judged_only", "mean", *listed)}
    k = measure.k
    if name in SEEN_TO_THE_END:
        assert retrieved
        k = min(k or retrieved, retrieved)
    return oracle.Measure(name, k, **params)


@settings(max_examples=many(5, nightly=200))
@given(data=st.data())
@pytest.mark.parametrize("name", NAMES)
def test_every_assignment_and_every_order(name: str, data: st.DataObject) -> None:
    topic = data.draw(topics(real=name not in TABLES, most=6 if name in oracle.OF_DOCUMENTS else 9))
    retrieved = sum(map(len, topic.groups))
    assume(retrieved or name not in SEEN_TO_THE_END)
    measure = data.draw(bounded(name, retrieved))
    pooled = data.draw(st.booleans())
    run, text = [list(group) for group in topic.groups], as_text(measure)
    unretrieved = "pooled" if pooled else "none"
    for ties, (low, high) in enumerated(measure, topic, measure.possible(topic.truth.values()), pooled).items():
        bounds = value(topic.truth, run, text, ties=ties, unretrieved=unretrieved, unjudged="range")
        if not math.isnan(bounds.mean):
            assert bounds.low is not None
            assert bounds.high is not None
            assert close(bounds.low, low), ties
            assert close(bounds.high, high), ties
        if ties != "range":
            ends = (low, high) if name in oracle.LOWER_IS_BETTER else (high, low)
            for unjudged, end in zip(("best", "worst"), ends, strict=True):
                one = value(topic.truth, run, text, ties=ties, unjudged=unjudged, unretrieved=unretrieved)
                assert close(one.mean, end), (ties, unjudged)


BATCHES, OF = many(3), 20  # 60 instances a measure


def small(random: Random, grades: list[float], most: int, count: int, tied: bool) -> Topic:
    """A ranking of `count` documents; 1 to `most` of these and of some that are not retrieved are open."""
    docs = random.sample(DOCS, count)
    judged = [*docs, *UNRETRIEVED[: random.randint(0, 2)]]
    truth = {doc: random.choice(grades) for doc in judged} | {"judged": 0}
    for doc in {random.choice(docs), *random.sample(judged, min(len(judged), random.randint(0, most - 1)))}:
        if doc in docs and random.random() < 0.5:
            del truth[doc]
        else:
            truth[doc] = -1
    groups = []
    while docs:
        size = random.randint(1, 3) if tied else 1
        groups.append(tuple(docs[:size]))
        docs = docs[size:]
    return Topic(tuple(groups), truth)


@settings(max_examples=BATCHES)
@given(data=st.data())
@pytest.mark.parametrize("name", NAMES)
def test_many_instances(name: str, data: st.DataObject) -> None:
    """Half of them may have ties; the queries of a batch are evaluated together and share their grades."""
    random = Random(data.draw(st.integers(0, 10**9)))
    count = random.randint(2, 6)
    measure = data.draw(bounded(name, count))
    positive = [1, 1, random.choice([2, 3] if name in TABLES else [2, 3, 1.5])][: random.randint(1, 3)]
    most = 3 if len(positive) == 3 else 4
    queries = {
        f"q{i}": small(random, [*positive, 0, 0][: random.randint(1, 5)], most, count, tied=i % 2 == 0)
        for i in range(OF)
    }
    grades = measure.possible(grade for topic in queries.values() for grade in topic.truth.values())
    pooled = random.random() < 0.5
    expected = {query: enumerated(measure, topic, grades, pooled) for query, topic in queries.items()}
    qrels = {query: topic.truth for query, topic in queries.items()}
    run = {query: [list(group) for group in topic.groups] for query, topic in queries.items()}
    for ties in ("expected", "range", "best", "worst"):
        unretrieved = "pooled" if pooled else "none"
        results = evaluate(qrels, run, as_text(measure), ties=ties, unjudged="range", unretrieved=unretrieved)
        for query, bounds in expected.items():
            found = results.value(as_text(measure), query=query)
            if math.isnan(found.mean):
                assert name in oracle.LOWER_IS_BETTER
                continue
            ends = close(found.low or 0, bounds[ties][0]), close(found.high or 0, bounds[ties][1])
            assert ends == (True, True), (ties, found, bounds[ties], queries[query])


FILLED = ["Bpref", "Bpref(variant='paper', extra=10)", "Rprec", "Rprec(mult=0.3)", "IPrec@0.3", "IPrecMean", "AP"]
FILLED += ["binG", "EP@0.4", "PRR@0.4", "Bpref(recall_base='ranking')", "binG(recall_base=9)", "Rprec(recall_base=20)"]


@pytest.mark.parametrize("tied", [False, True])
def test_longer_rankings_fill_from_either_end(tied: bool) -> None:
    """Where documents move up and nothing falls, the first or the last open ones are the extreme choice.

    Any number of those that are not retrieved may be relevant with them.
    """
    random = Random(5)
    docs = [f"d{i}" for i in range(70)]
    judged = {doc: random.choice([0, 0, 1]) for doc in random.sample(docs, 30)}
    groups = [docs[i : i + 1 + (tied and i % 9 == 0)] for i in range(70) if not (tied and i % 9 == 1)]
    unknown = [doc for doc in docs if doc not in judged]
    elsewhere = [f"u{i}" for i in range(4)]
    filled = [unknown[:m] for m in range(41)] + [unknown[m:] for m in range(40)]
    chosen = [one + elsewhere[:e] for one in filled for e in range(5)]
    none = judged | dict.fromkeys(unknown + elsewhere, 0)
    every = {f"q{i}": none | dict.fromkeys(one, 1) for i, one in enumerate(chosen)}
    pool = {"q": judged | dict.fromkeys(elsewhere, -1)}
    bounds = untied.evaluate(pool, {"q": groups}, FILLED, unjudged="range", unretrieved="pooled")
    values = untied.evaluate(every, dict.fromkeys(every, groups), FILLED)
    for name in FILLED:
        means = [values.value(name, query=query).mean for query in every]
        found = bounds.value(name, query="q")
        # Which of two tied documents is meant makes no difference, so none is left out.
        assert close(found.low or 0, min(means)), name
        assert close(found.high or 0, max(means)), name


CASES = json.loads((pathlib.Path(__file__).parents[1] / "golden.json").read_text())["cases"]


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


WITHOUT = [name for name, info in PACKAGE.items() if info["unbounded"]]


def test_measures_that_have_no_bounds_say_so() -> None:
    plain: Any = {"q": {"a": 1, "b": 0}}
    judgements = {"subtopics": {"q": {"1": {"a": 1, "b": 0}}}}
    judgements["stratified"] = {"q": {"a": (1, 1), "b": (1, 0)}}  # type: ignore[dict-item]
    judgements["prels"] = {"q": {"a": (1, 0.5), "b": (0, 1)}}  # type: ignore[dict-item]
    for name in WITHOUT:
        info = PACKAGE[name]
        needed = ", ".join(f"{key}=2" for key, default, *_ in info["parameters"] if not default)
        text = name + (f"({needed})" if needed else "") + ("@5" if info["cutoff"] == "required" else "")
        form = "subtopics" if name in oracle.OF_SUBTOPICS else oracle.OF_PAIRS.get(name, "trec")
        qrels = untied.Qrels(judgements.get(form, plain), format=form)
        with pytest.raises(untied.UntiedError, match="bounds over unjudged documents are not known for"):
            untied.evaluate(qrels, {"q": ["a", "x", "b"]}, [text], unjudged="range")


@pytest.mark.parametrize("measure", ["Judged@2", "Unjudged@2", "RBPResidual(p=0.8)", "NumNonrelJudgedRet"])
def test_what_is_judged_is_known(measure: str) -> None:
    qrels, run = {"a": 1, "b": 0, "c": -1}, [["a", "x"], "b", ["c", "y"]]
    alone = value(qrels, run, measure, ties="range")
    found = value(qrels, run, measure, unjudged="range", unretrieved="pooled")
    assert found.mean == found.low == found.high == alone.mean
    together = value(qrels, run, measure, unjudged="range", ties="range")
    assert (together.mean, together.low, together.high) == (alone.mean, alone.low, alone.high)


def test_probability_of_relevance_is_expected_precision_without_ties() -> None:
    qrels = {"r": 1, "s": 1, "n": 0}
    for run in (["x", "r", "y", "n", "s"], ["n", "y", "r", "s"], ["x", "s"]):
        for at in (0, 0.3, 0.5, 1):
            one, other = (value(qrels, run, f"{name}@{at}", unjudged="range") for name in ("PRR", "EP"))
            assert one == other
    tied = value(qrels, [["x", "r"], "n", ["y", "s"]], "PRR@1", unjudged="range")
    # Search lengths: 2.5 with neither x nor y relevant, 1.5 with x, 2 with y, 1 with both.
    assert close(tied.low or 0, Fraction(4, 9))
    assert close(tied.high or 0, Fraction(4, 5))


def test_no_bounds_where_reading_costs_more_than_it_gains() -> None:
    run = [f"d{i}" for i in range(60)]
    for measure in (
        "Cascade(gain={1: 0.1, 2: 0.12}, go_on={1: 0.5, 2: 0.1})",
        "TBG(click_relevant=0.9, click_other=0, summary=1, h=100)",
    ):
        few: Any = {"docs": dict.fromkeys(run, 9), "unjudged": "range"}
        assert untied.evaluate({"q": {"d1": 1, "d2": 0}}, {"q": run[:2]}, [measure], **few).value(measure).low
        with pytest.raises(untied.UntiedError, match="bounds over unjudged documents are not known for"):
            untied.evaluate({"q": {"d1": 2, "d2": 1}}, {"q": run}, [measure], **few)


def test_bounds_of_compat_are_found_beside_thousands_of_judged_documents() -> None:
    """Were the work thought larger than it is, they would be 0 and 1."""
    judged = {f"d{number}": 1 + number % 2 for number in range(2600)}
    run = ["d0", "d1", "d2", "d3", "d4", *(f"n{number}" for number in range(300))]
    bounds = value(judged, run, "Compat", unjudged="range")
    assert 0 < (bounds.low or 0) <= bounds.mean < (bounds.high or 1) < 1


def test_the_page_names_the_measures_whose_rankings_go_on() -> None:
    """Nothing is unjudged, so that a bound beyond the value counts documents below the last one."""
    going_on = set()
    for name in NAMES:
        info = PACKAGE[name]
        needed = ", ".join(f"{key}=1" for key, default, *_ in info["parameters"] if not default and key != "recall")
        cutoff = {"required": "@5", "recall": "@0.5"}.get(info["cutoff"], "")
        measure = name + (f"({needed})" if needed else "") + cutoff
        bounds = value(dict.fromkeys(DOCS[:3], 1), DOCS[:3], measure, unjudged="range")
        assert bounds.low == bounds.mean, name
        if bounds.high != bounds.mean:
            going_on.add(name)
    page = pathlib.Path("docs/incomplete.md").read_text()
    (names,) = re.findall(r"^For (.*), the highest value also assumes that more documents", page, re.MULTILINE)
    assert set(re.findall(r"\w+", names)) - {"and"} == going_on == SEEN_TO_THE_END


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # no document has grade 2
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
    for parameters in ("rel=2", "max_grade=3", "rel=0.5"):
        of_rbp = value(qrels | {"c": 3}, run, f"RBP(p={p}, {parameters})", unjudged="range")
        assert (of_rbp.high or 0) - (of_rbp.low or 0) == value(qrels, run, f"RBPResidual(p={p}, {parameters})").mean


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
    for measure in (WITHOUT[0], "AP(judged_only=True)", "DCG(discount=[0, 1])@2"):
        with pytest.raises(untied.UntiedError, match="bounds over unjudged documents are not known for"):
            untied.evaluate(qrels, run, [measure], unjudged="range")
    with pytest.raises(untied.UntiedError, match="unretrieved must be none or pooled, not 'all'"):
        untied.evaluate(qrels, run, unretrieved="all")
