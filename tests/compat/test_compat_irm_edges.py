"""ir_measures' pytrec_eval provider and ours on awkward input: nothing judged or found, infinite scores, orders."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import untied
from nightly import many, seeded

irm = pytest.importorskip("ir_measures")
ours = pytest.importorskip("untied.compat.ir_measures")

MEASURES: list[Any] = [
    irm.P @ 5, irm.P(judged_only=True) @ 3, irm.R @ 5, irm.AP, irm.AP(rel=2) @ 5, irm.RR, irm.Rprec, irm.nDCG @ 5,
    irm.nDCG(gains={1: 5, 2: 1}) @ 5, irm.Bpref, irm.NumRet, irm.NumRet(rel=1), irm.NumQ, irm.NumRel, irm.SetAP,
    irm.SetF(beta=0.5), irm.SetP(relative=True), irm.SetR, irm.Success(rel=2) @ 1, irm.IPrec @ 0.1, irm.infAP,
]  # fmt: skip
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}


@pytest.fixture(autouse=True)
def preferred() -> Iterator[None]:
    """Ours computes; and pytrec_eval has evaluated something, as the first ranking of a process must not be empty."""
    list(irm.pytrec_eval.iter_calc(MEASURES, {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}))
    ours.install(prefer=True)
    yield
    ours.install()


def both(measures: list[Any], qrels: Any, run: Any) -> list[list[tuple[str, str, float]]]:
    """What each provider yields, in order; qrels and run, or functions that make them."""
    found = []
    for provider in (irm.pytrec_eval, ours.PROVIDER):
        inputs = [source() if callable(source) else source for source in (qrels, run)]
        found.append([(row.query_id, str(row.measure), row.value) for row in provider.iter_calc(measures, *inputs)])
    return found


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ({}, {"q1": {"a": 1.0}}), ({}, {}), ({"q1": {}}, {"q1": {"a": 1.0}}), (QRELS, {}), (QRELS, {"q1": {}}),
        ({"q1": {}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}), (QRELS, {"q9": {"a": 1.0}}),
        (QRELS, {"q1": {"x": 1.0}}),
    ],
)  # fmt: skip
def test_nothing_judged_or_found(qrels: Any, run: Any) -> None:
    """Nothing, or the defaults of ir_measures; NaN as the mean of nothing, and 0 as the sum."""
    measures = [irm.AP, irm.NumQ, irm.NumRel]
    theirs, mine = both(measures, qrels, run)
    assert sorted(mine) == sorted(theirs)
    aggregates = [provider.calc_aggregate(measures, qrels, run) for provider in (irm.pytrec_eval, ours.PROVIDER)]
    assert repr(aggregates[1]) == repr(aggregates[0])  # NaN is not equal to itself


def test_nothing_judged_by_subtopic() -> None:
    assert list(irm.iter_calc([irm.alpha_nDCG @ 5, irm.AP], {}, {"q1": {"a": 1.0}})) == []
    assert math.isnan(irm.calc_aggregate([irm.alpha_nDCG @ 5], iter([]), iter([]))[irm.alpha_nDCG @ 5])


@pytest.mark.parametrize("qrels", ["judged", "none"])
def test_batches_of_pyterrier(qrels: str) -> None:
    """Frames as PyTerrier hands them over, some without a judged topic, and runs without a row."""
    pandas = pytest.importorskip("pandas")
    judged = pandas.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1, 0]})
    batch = judged if qrels == "judged" else judged[judged.query_id.isin({"3"})]
    run = pandas.DataFrame({"query_id": ["3", "3"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    for found in (run, pandas.DataFrame([], columns=["query_id", "doc_id", "score"])):
        theirs, mine = both([irm.P @ 2], batch, found)
        assert mine == theirs
        assert len(mine) == (1 if qrels == "judged" else 0)


def test_queries_come_in_the_order_of_the_run() -> None:
    run = {"q2": {"a": 1.0}, "q9": {"a": 1.0}, "q1": {"a": 1.0}}
    theirs, mine = both([irm.AP, irm.RR], {**QRELS, "q0": {"a": 1}}, run)
    assert [query for query, *_ in mine] == [query for query, *_ in theirs] == ["q2", "q2", "q1", "q1", "q0", "q0"]


def test_the_order_of_measures_is_that_of_the_list_or_of_names() -> None:
    measures = [irm.P @ 10, irm.AP, irm.P @ 5]
    found = [metric.measure for metric in ours.PROVIDER.iter_calc(measures, QRELS, {"q1": {"a": 1.0}})]
    assert found[:3] == measures
    through_the_pipeline = [metric.measure for metric in irm.iter_calc(measures, QRELS, {"q1": {"a": 1.0}})]
    assert through_the_pipeline[:3] == [irm.AP, irm.P @ 5, irm.P @ 10]  # it asks for a set


@pytest.mark.parametrize("ties", ["trec", "docid", "expected", "given"])
def test_infinite_scores(ties: str) -> None:
    """Scores like any others; a score that 32 bits cannot hold is infinite where these decide, as in pytrec_eval."""
    ours.install(prefer=True, ties=ties)
    qrels = {"q": {"c": 1}}
    run = {"q": {"a": math.inf, "b": 1e39, "c": 1e300, "d": 5.0, "e": -math.inf}}
    theirs, mine = both([irm.RR], qrels, run)
    assert theirs[0][2] == 1  # a, b and c are equal in 32 bits
    assert mine[0][2] == (1 if ties == "trec" else 0.5)
    run["q"]["c"] = -math.inf
    assert both([irm.RR], qrels, run)[1][0][2] == {"trec": 0.2, "docid": 0.2, "given": 0.25, "expected": 0.225}[ties]


def test_whole_numbers_that_floats_lack_are_rounded_where_floats_decide() -> None:
    run = {"q1": {"a": 2**60 + 1, "b": 2**60}}
    theirs, mine = both([irm.RR], QRELS, run)
    assert mine == theirs
    ours.install(prefer=True, ties="expected")
    with pytest.raises(untied.UntiedError, match="1152921504606846977"):
        irm.calc_aggregate([irm.RR], QRELS, run)


def test_nan_is_refused_because_it_has_no_place() -> None:
    """pytrec_eval ranks it as its sort leaves it: the same scores have two values, by the order of the dict."""
    scores = {"a": 3.0, "b": 3.0, "c": 1.0, "d": math.nan, "e": 1.0, "f": 2.0}
    qrels = {"q": {"d": 1}}
    rng = random.Random(1)
    orders = [dict(rng.sample(list(scores.items()), len(scores))) for _ in range(50)]
    assert len({irm.pytrec_eval.calc_aggregate([irm.RR], qrels, {"q": order})[irm.RR] for order in orders}) > 1
    for ties in ("trec", "expected"):
        ours.install(prefer=True, ties=ties)
        with pytest.raises(untied.UntiedError, match='query "q", document "d": the score cannot be NaN'):
            irm.calc_aggregate([irm.RR], qrels, {"q": scores})


def test_settings_that_measures_share_there() -> None:
    """Its provider computes NumRet and nDCG with the settings of the measure before them; ours does not."""
    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 3.0, "a": 2.0, "x": 1.0}}
    shared = [irm.P(judged_only=True) @ 1, irm.NumRet]
    assert irm.pytrec_eval.calc_aggregate(shared, qrels, run)[irm.NumRet] == 2
    assert ours.PROVIDER.calc_aggregate(shared, qrels, run)[irm.NumRet] == 3
    gains = irm.nDCG(gains={1: 5, 2: 1}) @ 2
    shared = [gains, irm.nDCG @ 2]
    alone = [irm.pytrec_eval.calc_aggregate([measure], qrels, run)[measure] for measure in shared]
    assert list(irm.pytrec_eval.calc_aggregate(shared, qrels, run).values()) != pytest.approx(alone)
    assert list(ours.PROVIDER.calc_aggregate(shared, qrels, run).values()) == pytest.approx(alone)


def awkward(rng: random.Random) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, Any]]]:
    """Queries in both, in one, without documents; few scores, infinite ones, whole numbers, truth values."""
    docs = [*"abcdefghij", "B", "d1", "d10", "é"]
    grades = rng.choice([[0, 1], [-1, 0, 1], [-2, 0, 1, 2, 3], [0], [0, 2]])
    scores: list[Any] = rng.choice(
        [[0.0, 1.0], [1.0, 2.0, math.inf, -math.inf], [1e39, 1e300, math.inf, 3e38], [0.0, -0.0, 1e-46, -1e-300],
         [1.0, 1.000000001, 2], [1, 2, 2**60, 2**60 + 1], [True, 0.5]]
    )  # fmt: skip
    qrels, run = {}, {}
    for query in rng.sample(["q1", "q10", "q2", "Q", "é", "7"], rng.choice([1, 1, 2, 3, 5])):
        where = rng.choice(["both", "both", "both", "both", "run", "qrels"])
        if where != "qrels":
            run[query] = {doc: rng.choice(scores) for doc in rng.sample(docs, rng.randint(0, len(docs)))}
        if where != "run":
            qrels[query] = {doc: rng.choice(grades) for doc in rng.sample(docs, rng.randint(0, len(docs)))}
            if qrels[query]:
                qrels[query]["z"] = 1  # where all grades are negative, pytrec_eval never returns
    return qrels, run


def shapes(rng: random.Random, qrels: Any, run: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """The same as dicts, named tuples or frames."""
    shape = rng.choice(["dicts", "tuples", "frames"])
    if shape == "dicts":
        return (lambda: qrels), (lambda: run)
    judged = [irm.Qrel(query, doc, grade) for query, docs in qrels.items() for doc, grade in docs.items()]
    found = [irm.ScoredDoc(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    if shape == "tuples":
        return (lambda: iter(judged)), (lambda: iter(found))
    pandas = pytest.importorskip("pandas")
    return (
        lambda: pandas.DataFrame(judged, columns=irm.Qrel._fields),
        lambda: pandas.DataFrame(found, columns=irm.ScoredDoc._fields),
    )


@pytest.mark.parametrize("seed", range(many(4)))
def test_awkward_input(seed: int) -> None:
    """Seeded; 60,000 such cases agreed when this was written."""
    rng = seeded(seed)
    for _ in range(60):
        qrels, run = awkward(rng)
        measure = rng.choice(MEASURES)  # alone: see `test_settings_that_measures_share_there`
        judged, found = shapes(rng, qrels, run)
        theirs, mine = both([measure], judged, found)
        assert [row[:2] for row in mine] == [row[:2] for row in theirs]
        for row, peer in zip(mine, theirs, strict=True):
            if math.isnan(peer[2]):  # interpolated precision of an empty ranking
                assert (measure.NAME, row[2], run.get(row[0])) == ("IPrec", 0, {})
            else:
                assert row[2] == pytest.approx(peer[2], abs=1e-9), (row, qrels, run)


REPLACED = """
import sys
from untied.compat import pytrec_eval
sys.modules["pytrec_eval"] = pytrec_eval
import ir_measures as m
assert m.pytrec_eval.is_available() and m.pytrec_eval.pytrec_eval is pytrec_eval
qrels = {"q": {"a": 1, "b": 2, "c": 0}, "r": {"a": 1}}
run = {"q": {"c": 1.0, "a": 1.0, "x": 0.5, "b": 0.5}, "r": {"y": 2.0}}
measures = [m.AP, m.nDCG @ 3, m.P @ 2, m.RR, m.NumRet, m.IPrec @ 0.5, m.SetF]
print({str(k): round(v, 12) for k, v in sorted(m.pytrec_eval.calc_aggregate(measures, qrels, run).items(), key=str)})
"""


def test_in_the_place_of_the_module_that_ir_measures_imports() -> None:
    """It takes the module only if it has a version."""
    replaced, plain = (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        for script in (
            REPLACED,
            REPLACED.replace("from untied.compat import pytrec_eval", "import pytrec_eval"),
        )
    )
    assert replaced == plain


def test_it_has_the_version_whose_interface_it_has() -> None:
    from untied.compat import pytrec_eval

    assert pytrec_eval.__version__ == pytest.importorskip("pytrec_eval").__version__


@pytest.mark.parametrize("mean", ["arithmetic", "geometric"])
def test_undefined_values_are_left_out_of_means(mean: str) -> None:
    """As in untied; a query without relevant documents in the run has no search length."""
    qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}, "r": {"b": 1.0}}
    measure, none = ours.ESL(mean=mean), {"r": run["r"]}
    assert irm.calc_aggregate([measure], qrels, run) == {measure: pytest.approx(1.0)}
    assert untied.evaluate(qrels, run, str(ours.ESL(mean=mean)))[str(measure)] == pytest.approx(1.0)
    assert math.isnan(irm.calc_aggregate([measure], qrels, none)[measure])
    assert [math.isnan(one.value) for one in irm.iter_calc([measure], qrels, run)] == [False, True]
