"""The package against the enumerating oracle on random small rankings, and properties that need no oracle."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracle
import untied
from nightly import many, seeded
from strategies import (
    DOCS,
    PACKAGE,
    TESTED,
    UNRETRIEVED,
    Topic,
    as_object,
    as_run,
    as_text,
    cases,
    close,
    defined,
    has_table,
    measures,
    topics,
)

BEYOND = oracle.OF_DOCUMENTS | oracle.OF_SUBTOPICS | oracle.OF_PAIRS.keys()
PLAIN = [name for name in TESTED if name not in BEYOND]

NO_MEANS = {"PRR"}  # not a mean over tie orders: test_quotient_of_means

EXAMPLES, BATCH = many(8, nightly=120), 3  # 24 instances a measure, and 360 each night

# Their variance is that of rounded values, one an order, and has as many digits as these differ in.
LISTED = {"NERR8", "NERR9", "NERR10", "NERR11", "INST"}

RANGE: dict[str, Any] = {"ties": "range", "variance": True}

EVERY = [
    "P@1", "P@3", "P@5", "R@2", "R(recall_base='ranking')@4", "F1@3", "AP", "AP@4", "AP(rel=2)", "RR", "RR@2",
    "Success@3", "Rprec", "DCG", "DCG(gain='exp2', discount='inverse')@4", "nDCG", "nDCG@3", "nDCG(gain='exp2')",
    "AP(judged_only=True)", "NumRet", "NumRel", "NumRelRet", "NumQ",
]  # fmt: skip

UNJUDGED = st.sampled_from(["nonrelevant", "nonrelevant", "remove"])
FORMS = st.sampled_from(["groups", "scores"])
ASKED = st.sampled_from([as_text, as_object])
BATCHES_OF = {real: st.lists(topics(real=real), min_size=BATCH, max_size=BATCH) for real in (False, True)}


def show(statistics: oracle.Statistics | None) -> str:
    if statistics is None:
        return "undefined"
    s = statistics
    return f"mean={float(s.mean)} variance={s.variance and float(s.variance)} low={float(s.low)} high={float(s.high)}"


def agree(value: Any, expected: oracle.Statistics | None, name: str = "") -> bool:
    if expected is None:
        return math.isnan(value.mean)
    floor = oracle.STATED[name].floor if name else oracle.Stated.floor
    pairs = [(value.mean, expected.mean), (value.low, expected.low), (value.high, expected.high)]
    if (value.variance is None) != (expected.variance is None):
        return False
    if expected.variance is not None:
        spread = math.sqrt(expected.variance) * float(max(abs(expected.low), abs(expected.high)))
        rounding = 1e-15 * spread if name in LISTED else 0.0
        if not close(value.variance, expected.variance, floor=max(floor, rounding)):
            return False
    return all(close(got, want, floor=floor) for got, want in pairs)


def by_query(batch: list[Topic]) -> dict[str, Topic]:
    return {f"q{i}": topic for i, topic in enumerate(batch)}


def qrels_of(batch: dict[str, Topic]) -> dict[str, dict[str, float]]:
    return {query: topic.truth for query, topic in batch.items()}


def run_of(batch: dict[str, Topic], form: str = "scores") -> dict[str, Any]:
    return {query: as_run(topic, form) for query, topic in batch.items()}


def numbers(results: Any, batch: dict[str, Topic]) -> dict[tuple[str, str | None], tuple[Any, ...]]:
    """Everything in the results, to be compared to the last bit."""
    return {
        (measure, query): (value.mean, value.low, value.high, value.variance)
        for measure in results.measures
        for query in (*batch, None)
        for value in [results.value(measure, query=query)]
    }


# ---------------------------------------------------------------------------------------------------------------------
# The oracle against itself


@pytest.mark.parametrize("name", list(oracle.MEASURES))
@settings(max_examples=many(3, nightly=50))
@given(st.data())
def test_arrangements_average_like_permutations(name: str, data: st.DataObject) -> None:
    measure = data.draw(measures(name))
    case = data.draw(cases(name, real=not has_table(measure)))
    groups = [group[:4] for group in case.groups[:3]]
    listed = [measure.of(order, case.truth, case.lengths) for order in oracle.permutations(groups)]
    assert oracle.statistics(measure, groups, case.truth, lengths=case.lengths) == oracle.summarise(listed)


@settings(max_examples=many(80, nightly=2000))
@given(topics(), st.data())
def test_counting_equals_enumeration(topic: Topic, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["AP", "RR", "P", "R", "DCG", "nDCG", "Bpref", "binG", "ERR"]))
    k = data.draw(st.integers(1, 11)) if name in "PR" else data.draw(st.none() | st.integers(1, 11))
    scale = {"max_grade": 2} if name == "ERR" else {}
    measure = oracle.Measure(name, k if name not in ("Bpref", "binG") else None, **scale)
    least = -1 if name == "Bpref" else 0  # the others take an unjudged document for a non-relevant one
    truth = {doc: max(least, min(int(grade), 1)) for doc, grade in topic.truth.items()}
    assert oracle.counted(measure, topic.groups, truth) == oracle.statistics(measure, topic.groups, truth)


@pytest.mark.parametrize(
    ("score", "float32", "float16", "bfloat16"),
    [
        (1 + 2**-23, 1 + 2**-23, 1.0, 1.0),
        (1 + 2**-24, 1.0, 1.0, 1.0),
        (1 + 2**-8, 1 + 2**-8, 1 + 2**-8, 1.0),  # halfway for bfloat16: to even
        (1 + 3 * 2**-8, 1 + 3 * 2**-8, 1 + 3 * 2**-8, 1 + 2**-6),
        (1 + 2**-11, 1 + 2**-11, 1.0, 1.0),
        (-65520.0, -65520.0, -float("inf"), -65536.0),
        (1e39, float("inf"), float("inf"), float("inf")),
        (2.0**-133, 2.0**-133, 0.0, 2.0**-133),
        (2.0**-134, 2.0**-134, 0.0, 0.0),
        (2.0**128 - 2.0**120, 2.0**128 - 2.0**120, float("inf"), 2.0**128 - 2.0**120),
        (2.0**128 - 2.0**119, 2.0**128 - 2.0**119, float("inf"), float("inf")),
    ],
)
def test_score_types(score: float, float32: float, float16: float, bfloat16: float) -> None:
    assert oracle.read_score(score, "float32") == float32
    assert oracle.read_score(score, "float16") == float16
    assert oracle.read_score(score, "bfloat16") == bfloat16


# ---------------------------------------------------------------------------------------------------------------------
# The package against the oracle


def test_nothing_goes_untested() -> None:
    """Every measure of the package and every parameter of it is stated in the oracle."""
    assert PACKAGE.keys() - NO_MEANS <= oracle.MEASURES.keys()
    for name, info in PACKAGE.items():
        if name in NO_MEANS:
            continue
        known = {key for key, *_ in info["parameters"]} - {"judged_only"}
        known |= {"k"} if info["cutoff"] in ("required", "optional") else set()
        assert known == set(defined(name)), name


@settings(max_examples=EXAMPLES)
@given(topics(), st.data(), UNJUDGED)
def test_quotient_of_means(topic: Topic, data: st.DataObject, unjudged: str) -> None:
    """PRR: q relevant documents by those that are looked at for them on average; in one order, EP."""
    level, rel = data.draw(st.sampled_from([0, 0.1, 0.25, 0.5, 0.7, 1])), data.draw(st.sampled_from([1, 2, 0.5]))
    name = f"PRR(rel={rel})@{level}"
    total = sum(grade >= rel for grade in topic.truth.values())
    q = max(math.ceil(Fraction(str(level)) * total), 1)
    length = oracle.statistics(oracle.Measure("ESL", q=q, rel=rel), topic.groups, topic.truth, unjudged)
    value = untied.evaluate(
        {"q": topic.truth}, {"q": as_run(topic, "groups")}, [name], unjudged=unjudged, **RANGE
    ).value(name)
    assert close(value.mean, q / (q + length.mean) if length else 0)
    ep = oracle.statistics(oracle.Measure("EP", level, rel=rel), topic.groups, topic.truth, unjudged)
    assert ep is not None
    assert close(value.low, ep.low)
    assert close(value.high, ep.high)
    assert value.variance is None or close(value.variance, 0)


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=EXAMPLES)
@given(st.data())
def test_statistics(name: str, data: st.DataObject) -> None:
    """Mean, variance, low and high of every query and of the aggregate."""
    measure = data.draw(measures(name))
    batch = by_query(data.draw(BATCHES_OF[not has_table(measure)]))
    unjudged, form = data.draw(UNJUDGED), data.draw(FORMS)
    asked = data.draw(ASKED)(measure)
    results = untied.evaluate(
        qrels_of(batch), run_of(batch, form), [asked], ties="range", variance=True, unjudged=unjudged
    )
    expected = {query: oracle.statistics(measure, t.groups, t.truth, unjudged) for query, t in batch.items()}
    for query, topic in batch.items():
        value = results.value(asked, query=query)
        assert agree(value, expected[query], name), (
            f"{as_text(measure)} unjudged={unjudged} {topic}\n  got  {value}\n  want {show(expected[query])}"
        )
    total = results.value(asked)
    want = oracle.aggregate(measure, list(expected.values()))
    assert agree(total, want, name), f"aggregate of {as_text(measure)} {batch}\n  got  {total}\n  want {show(want)}"


@pytest.mark.parametrize("name", [name for name in TESTED if name in BEYOND])
@settings(max_examples=EXAMPLES // 2)
@given(st.data())
def test_statistics_beyond_grades(name: str, data: st.DataObject) -> None:
    """The same for measures that look at subtopics, strata, probabilities, or at the lengths of documents."""
    measure = data.draw(measures(name))
    batch = {f"q{i}": data.draw(cases(name, real=not has_table(measure))) for i in range(2)}
    lengths = batch["q0"].lengths  # a document has one length, whatever the query
    batch = {query: replace(case, lengths=lengths) for query, case in batch.items()}
    unjudged, asked = data.draw(UNJUDGED), data.draw(ASKED)(measure)
    qrels = {query: case.truth for query, case in batch.items()}
    run = {query: [list(group) for group in case.groups] for query, case in batch.items()}
    kind = oracle.OF_PAIRS.get(name, "trec")
    results = untied.evaluate(qrels, run, [asked], unjudged=unjudged, qrels_format=kind, docs=lengths, **RANGE)
    expected = {
        query: oracle.statistics(measure, case.groups, case.truth, unjudged, case.lengths)
        for query, case in batch.items()
    }
    for query, case in batch.items():
        value = results.value(asked, query=query)
        assert agree(value, expected[query], name), (
            f"{as_text(measure)} unjudged={unjudged} {case}\n  got  {value}\n  want {show(expected[query])}"
        )
        assert value.certainty == "exact"
    want = oracle.aggregate(measure, list(expected.values()))
    assert agree(results.value(asked), want, name), f"aggregate of {as_text(measure)} {batch}\n  want {show(want)}"


@settings(max_examples=many(40, nightly=1000))
@given(st.data())
def test_other_measures_take_the_highest_grade(data: st.DataObject) -> None:
    """Of a document's grades in several subtopics."""
    case = data.draw(cases("alpha_DCG"))
    highest: dict[str, float] = {}
    for one in case.truth.values():
        for doc, grade in one.items():
            highest[doc] = max(grade, highest.get(doc, grade))
    run = {"q": [list(group) for group in case.groups]}
    by_subtopic, plain = (untied.evaluate({"q": truth}, run, EVERY, **RANGE) for truth in (case.truth, highest))
    for measure in by_subtopic.measures:
        one, other = by_subtopic.value(measure, query="q"), plain.value(measure, query="q")
        assert (one.mean, one.low, one.high, one.variance) == (other.mean, other.low, other.high, other.variance)


@settings(max_examples=many(100, nightly=3000))
@given(topics(), st.data(), UNJUDGED)
def test_tie_policies(topic: Topic, data: st.DataObject, unjudged: str) -> None:
    measure = data.draw(measures(data.draw(st.sampled_from(sorted(PLAIN)))))
    assume(not has_table(measure) or all(grade == int(grade) for grade in topic.truth.values()))
    scores = topic.scores()
    shuffled = {doc: scores[doc] for doc in data.draw(st.permutations(sorted(scores)))}
    for ties in ("expected", "docid", "trec", "given", "best", "worst"):
        results = untied.evaluate({"q": topic.truth}, {"q": shuffled}, [as_text(measure)], ties=ties, unjudged=unjudged)
        value = results.value(as_text(measure), query="q")
        want = oracle.tie_policy(measure, shuffled, topic.truth, ties, unjudged)
        same = (
            math.isnan(value.mean) if want is None else close(value.mean, want, floor=oracle.STATED[measure.name].floor)
        )
        assert same, f"{as_text(measure)} ties={ties} unjudged={unjudged} {shuffled} {topic.truth}"
        assert (value.low, value.high, value.variance) == (None, None, None)


# Scores that some way of reading ties and another does not, in families so that they meet.
NEAR = [
    [1.0, 1 + 1e-9, 1 + 2e-9, 1 + 2**-24, 1 + 2**-23, 1 + 2**-23 + 2**-50],
    [1.0, 1 + 2**-11, 1 + 2**-11 + 2**-40, 1 + 2**-10, 1 + 3 * 2**-11, 1 + 2**-9],
    [1.0, 1 + 2**-8, 1 + 2**-8 + 2**-40, 1 + 2**-7, 1 + 3 * 2**-8, 1 + 2**-6],
    [0.0, -0.0, 1e-9, -1e-9, 2.0**-24, 2.0**-25, 2.0**-25 + 2.0**-60, 1e-46, 1e-310],
    [65504.0, 65519.0, 65520.0, 70000.0, 1e39, 2e39, -1e39, 3.39e38, 3.4e38, 1e300],
    [0.1, 0.1 + 1e-16, 0.10001, 0.10002, 1.004, 1.005, 1.006, 1.01, 1.0149],
    [12345.678, 12345.6784, 12346.0, 0.125, 0.12, 0.13, 0.375, 0.38],
    [0.5, 1.5, 2.5, 2.0, 1.0, -0.5, -0.4, 2.675, 2.67, 2.68],
]


@settings(max_examples=many(200, nightly=5000))
@given(
    st.sampled_from(NEAR).flatmap(lambda family: st.lists(st.sampled_from(family), min_size=2, max_size=7)),
    st.lists(st.integers(0, 2), min_size=7, max_size=7),
    st.sampled_from(["float64", "float32", "float16", "bfloat16", "decimals=0", "decimals=2", "decimals=5"]),
    st.sampled_from(["expected", "docid", "given", "best", "worst"]),
)
def test_score_dtype(drawn: list[float], grades: list[int], score_dtype: str, ties: str) -> None:
    """Grouping as the oracle does it; a score too large for the type is refused, never made infinite."""
    scores = {f"d{i}": score for i, score in enumerate(drawn)}
    truth = {f"d{i}": grade for i, grade in enumerate(grades)}
    options: dict[str, Any] = {"ties": ties, "score_dtype": score_dtype}
    if any(math.isinf(oracle.read_score(score, score_dtype)) for score in scores.values()):
        with pytest.raises(untied.UntiedError, match="score"):
            untied.evaluate({"q": truth}, {"q": scores}, ["AP"], **options)
        return
    for measure in (oracle.Measure("AP"), oracle.Measure("RR"), oracle.Measure("nDCG", 3)):
        results = untied.evaluate({"q": truth}, {"q": scores}, [as_text(measure)], **options)
        want = oracle.tie_policy(measure, scores, truth, ties, score_dtype=score_dtype)
        assert close(results.value(as_text(measure), query="q").mean, want), (
            f"{as_text(measure)} ties={ties} score_dtype={score_dtype} {scores} {truth}"
        )


@pytest.mark.parametrize(("score_dtype", "bits"), [("float32", 23), ("float16", 10), ("bfloat16", 7)])
def test_score_rounding(score_dtype: str, bits: int) -> None:
    """Scores at and next to the middle between two neighbours go to the nearest, from the middle to the even one."""
    rng = seeded(bits)
    pairs: list[tuple[float, float]] = []
    for _ in range(2000):
        unit = 2.0 ** (rng.randint(-8, 8) - bits)
        lower = rng.randint(2**bits, 2 ** (bits + 1) - 1) * unit
        score = lower + unit / 2 + rng.choice([0, 0, 1, -1]) * unit * 2.0 ** -rng.randint(2, 50 - bits)
        pairs += [(score, lower), (score, lower + unit)]
    run = {f"q{i}": {"a": score, "b": other} for i, (score, other) in enumerate(pairs)}
    results = untied.evaluate({query: {"a": 1} for query in run}, run, ["RR"], variance=True, score_dtype=score_dtype)
    for i, (score, other) in enumerate(pairs):
        tied = results.value("RR", query=f"q{i}").variance != 0
        assert tied == (oracle.read_score(score, score_dtype) == other), (score_dtype, score, other)


@pytest.mark.parametrize("digits", range(7))
def test_decimal_rounding(digits: int) -> None:
    """The double itself is rounded: 2.675 is below the middle of 2.67 and 2.68, and 0.125 goes to the even 0.12."""
    rng = seeded(digits)
    scores = [0.125, 2.675, 1.005, 0.5, 2.5]
    for _ in range(1000):
        middle = (2 * rng.randint(-(10**7), 10**7) + 1) / (2 * 10**digits)
        scores += [middle, math.nextafter(middle, math.inf), math.nextafter(middle, -math.inf), rng.uniform(-10, 10)]
    run = {f"q{i}": {"a": score, "b": round(score, digits)} for i, score in enumerate(scores)}
    results = untied.evaluate(
        {query: {"a": 1} for query in run}, run, ["RR"], variance=True, score_dtype=f"decimals={digits}"
    )
    for i, score in enumerate(scores):
        assert results.value("RR", query=f"q{i}").variance != 0, score


# ---------------------------------------------------------------------------------------------------------------------
# Queries: what is averaged


@settings(max_examples=many(50))
@given(st.lists(topics(), min_size=2, max_size=5), st.data())
def test_missing_topics(batch: list[Topic], data: st.DataObject) -> None:
    """A judged topic missing from the run is an empty ranking, or not averaged; an unjudged one is ignored."""
    named = by_query(batch)
    present = data.draw(st.lists(st.sampled_from(sorted(named)), min_size=1, unique=True))
    run = {query: as_run(named[query], "scores") for query in present} | {"unjudged": {"d1": 1.0}}
    for measure in (oracle.Measure("AP"), oracle.Measure("P", 2), oracle.Measure("NumRel"), oracle.Measure("NumQ")):
        for queries, averaged in (("qrels", sorted(named)), ("common", sorted(present))):
            results = untied.evaluate(
                qrels_of(named), run, [as_text(measure)], ties="range", variance=True, queries=queries
            )
            assert results.queries == averaged
            groups = {query: named[query].groups if query in present else () for query in averaged}
            expected = [oracle.statistics(measure, groups[query], named[query].truth) for query in averaged]
            assert agree(results.value(as_text(measure)), oracle.aggregate(measure, expected))


UNDEFINED = ["R@2", "AP", "Rprec", "nDCG", "R(recall_base='ranking')@2", "nDCG(recall_base='ranking')@3"]
DEFINED = ["P@2", "F1@2", "DCG", "R(recall_base=3)@2", "NumRel"]


@pytest.mark.parametrize("measure", UNDEFINED + DEFINED)
@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # nothing is relevant, on purpose
def test_no_relevant_document(measure: str) -> None:
    """Measures that divide by the relevant documents are 0/0 without any; the others are plainly 0."""
    qrels, run = {"q": {"a": 0, "b": -1}}, {"q": [["a", "b"], ["c"]]}
    assert untied.evaluate(qrels, run, [measure]).value(measure, query="q").mean == 0
    if measure in DEFINED:
        for policy in ("nan", "raise"):
            assert untied.evaluate(qrels, run, [measure], on_undefined=policy).value(measure, query="q").mean == 0
        return
    assert math.isnan(untied.evaluate(qrels, run, [measure], on_undefined="nan").value(measure, query="q").mean)
    with pytest.raises(untied.UntiedError):
        untied.evaluate(qrels, run, [measure], on_undefined="raise")


# ---------------------------------------------------------------------------------------------------------------------
# Properties


def evaluate(batch: dict[str, Topic], **options: Any) -> dict[tuple[str, str | None], tuple[Any, ...]]:
    return numbers(untied.evaluate(qrels_of(batch), run_of(batch), EVERY, **(RANGE | options)), batch)


BATCHES = st.lists(topics(), min_size=1, max_size=4).map(by_query)


@settings(max_examples=many(60, nightly=1500))
@given(BATCHES, st.randoms(use_true_random=False))
def test_row_order_is_irrelevant(batch: dict[str, Topic], rng: random.Random) -> None:
    def shuffled(table: dict[str, Any]) -> dict[str, Any]:
        items = list(table.items())
        rng.shuffle(items)
        return {key: shuffled(value) if isinstance(value, dict) else value for key, value in items}

    other = untied.evaluate(shuffled(qrels_of(batch)), shuffled(run_of(batch)), EVERY, **RANGE)
    assert numbers(other, batch) == evaluate(batch)


@settings(max_examples=many(60, nightly=1500))
@given(BATCHES, st.randoms(use_true_random=False))
def test_document_names_are_irrelevant(batch: dict[str, Topic], rng: random.Random) -> None:
    renamed = {}
    for query, topic in batch.items():
        docs = sorted({*topic.truth, *topic.scores(), *UNRETRIEVED})
        names = dict(zip(docs, rng.sample([f"n{i}" for i in range(50)], len(docs)), strict=True))
        groups = tuple(tuple(names[doc] for doc in group) for group in topic.groups)
        renamed[query] = Topic(groups, {names[doc]: grade for doc, grade in topic.truth.items()})
    assert evaluate(renamed) == evaluate(batch)


@st.composite
def renamings(draw: st.DrawFn, queries: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """New names of documents, and of queries, which also come in another order then."""
    docs = [*DOCS, *UNRETRIEVED, "judged"]
    new = draw(st.permutations([*docs, *(f"n{i}" for i in range(9))]))
    return dict(zip(docs, new, strict=False)), dict(zip(queries, draw(st.permutations(queries)), strict=True))


def with_names(truth: dict[str, Any], docs: dict[str, str]) -> dict[str, Any]:
    """Judgments of a query, by subtopic or not, with other names of documents, from the last to the first."""
    return {docs.get(key, key): with_names(value, docs) if isinstance(value, dict) else value
            for key, value in reversed(truth.items())}  # fmt: skip


@pytest.mark.parametrize("name", TESTED)
@settings(max_examples=many(2, nightly=100))
@given(st.data())
def test_names_change_no_bit_of_any_measure(name: str, data: st.DataObject) -> None:
    """Of no value, bound, extreme or variance: documents are told apart by what is known of them alone."""
    measure = data.draw(measures(name))
    batch = {f"q{i}": data.draw(cases(name, real=not has_table(measure))) for i in range(BATCH)}
    docs, queries = data.draw(renamings(list(batch)))
    form = oracle.OF_PAIRS.get(name, "subtopics" if name in oracle.OF_SUBTOPICS else "trec")
    qrels = {query: case.truth for query, case in batch.items()}
    runs = {query: [list(group) for group in case.groups] for query, case in batch.items()}
    lengths = {doc: length for case in batch.values() for doc, length in case.lengths.items()}
    again = {queries[query]: with_names(truth, docs) for query, truth in qrels.items()}
    renamed = {queries[query]: [[docs[doc] for doc in group[::-1]] for group in groups]
               for query, groups in runs.items()}  # fmt: skip
    originals, others = untied.Qrels(qrels, format=form), untied.Qrels(again, format=form)
    before = {"docs": lengths} if name in oracle.OF_DOCUMENTS else {}
    after = {"docs": {docs[doc]: length for doc, length in lengths.items()}} if before else {}
    asked = [as_text(measure)]
    policies: list[dict[str, Any]] = [RANGE, {"ties": "best"}, {"ties": "worst"}]
    if not PACKAGE[name]["unbounded"]:
        policies.append({"ties": "range", "unjudged": "range", "unretrieved": "pooled"})
    for policy in policies:
        try:
            old = untied.evaluate(originals, runs, asked, **policy, **before)
        except untied.UntiedError as error:
            if "bounds over unjudged documents are not known" not in str(error):  # with these parameters
                raise
            continue
        new = untied.evaluate(others, renamed, asked, **policy, **after)
        for query in (*batch, None):
            one, two = (old.value(asked[0], query=query), new.value(asked[0], query=query and queries[query]))
            assert repr(two.__reduce__()) == repr(one.__reduce__()), (policy, query)


@settings(max_examples=many(60, nightly=1500))
@given(BATCHES, st.sampled_from([lambda s: 3 * s + 1, lambda s: s**3, lambda s: 2.0**s, lambda s: s / 1024]))
def test_monotone_scores_are_irrelevant(batch: dict[str, Topic], scale: Any) -> None:
    scaled = {query: {doc: scale(score) for doc, score in t.scores().items()} for query, t in batch.items()}
    results = untied.evaluate(qrels_of(batch), scaled, EVERY, **RANGE)
    assert numbers(results, batch) == evaluate(batch)


@settings(max_examples=many(40, nightly=2000))
@given(BATCHES, UNJUDGED)
def test_range_encloses(batch: dict[str, Topic], unjudged: str) -> None:
    """The mean and every policy's value lie between low and high."""
    ranges = evaluate(batch, unjudged=unjudged)
    for key, (mean, low, high, variance) in ranges.items():
        assert low <= mean <= high, (key, batch)
        assert variance >= 0, (key, batch)
        assert math.copysign(1, variance) == 1, (key, batch)  # never shown as -0
        assert variance == 0 or low < high, (key, batch)
    for ties in ("expected", "docid", "given", "trec", "best", "worst"):
        for key, (value, *_) in evaluate(batch, ties=ties, unjudged=unjudged).items():
            mean, low, high, _ = ranges[key]
            assert low <= value <= high, (ties, key, batch)
            fixed = {"expected": mean, "best": high, "worst": low}
            assert value == fixed.get(ties, value), (ties, key, batch)


@settings(max_examples=many(30, nightly=1500))
@given(BATCHES, UNJUDGED)
def test_policies_agree_without_ties(batch: dict[str, Topic], unjudged: str) -> None:
    untied_batch = {
        query: Topic(tuple((doc,) for group in t.groups for doc in group), t.truth) for query, t in batch.items()
    }
    expected = evaluate(untied_batch, unjudged=unjudged)
    for key, (mean, low, high, variance) in expected.items():
        assert mean == low == high, (key, untied_batch)
        assert variance == 0, (key, untied_batch)
    for ties in ("expected", "docid", "given", "trec", "best", "worst"):
        for key, (value, *_) in evaluate(untied_batch, ties=ties, unjudged=unjudged).items():
            assert value == expected[key][0], (ties, key, untied_batch)
    ranked = {query: [doc for group in t.groups for doc in group] for query, t in untied_batch.items()}
    results = untied.evaluate(qrels_of(batch), ranked, EVERY, **RANGE, unjudged=unjudged)
    assert numbers(results, batch) == expected


@settings(max_examples=many(40, nightly=1000))
@given(st.lists(topics(), min_size=1, max_size=4).map(by_query), st.sampled_from(["range", "docid", "given", "trec"]))
def test_files_equal_dicts(tmp_path_factory: pytest.TempPathFactory, batch: dict[str, Topic], ties: str) -> None:
    folder: Path = tmp_path_factory.mktemp("trec")
    run_lines = [
        f"{query} Q0 {doc} {rank} {score!r} tag\n"
        for query, topic in batch.items()
        for rank, (doc, score) in enumerate(topic.scores().items(), 1)
    ]
    qrel_lines = [f"{query} 0 {doc} {grade!r}\n" for query, t in batch.items() for doc, grade in t.truth.items()]
    run_path, qrels_path = folder / "x.run", folder / "qrels.txt"
    assume(run_lines)  # a file without rows is an error
    run_path.write_text("".join(run_lines), encoding="utf-8")
    qrels_path.write_text("".join(qrel_lines), encoding="utf-8")
    expected = evaluate(batch, ties=ties)
    read = untied.read_qrels(str(qrels_path)), untied.read_run(run_path)
    for qrels, run in ((qrels_path, run_path), (str(qrels_path), str(run_path)), read):
        results = untied.evaluate(qrels, run, EVERY, ties=ties, variance=True)
        assert numbers(results, batch) == expected


@pytest.mark.filterwarnings("ignore:some grades lie between 0 and 1:untied.UntiedWarning")
@pytest.mark.parametrize("seed", range(3))
def test_threads_are_irrelevant(seed: int) -> None:
    rng = seeded(seed)
    batch = {}
    for i in range(200):
        docs = [f"d{j}" for j in range(rng.randint(0, 60))]
        groups: list[list[str]] = []
        for doc in docs:
            if groups and rng.random() < 0.6:
                groups[-1].append(doc)
            else:
                groups.append([doc])
        truth = {doc: rng.choice([-1, 0, 0, 1, 2, 0.5]) for doc in [*docs, "x", "y"] if rng.random() < 0.8}
        batch[f"q{i}"] = Topic(tuple(map(tuple, groups)), truth or {"x": 1})
    one = evaluate(batch, threads=1)
    for threads in (2, 3, None):
        assert evaluate(batch, threads=threads) == one
