"""`untied.compat.pytrec_eval` beside pytrec_eval-terrier: everything it computes, and where we differ on purpose."""

from __future__ import annotations

import io
import math
import pickle
import struct
import types
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from strategies import close
from untied.compat import pytrec_eval as ours

theirs = pytest.importorskip("pytrec_eval")

DOCS = [*"abcdefghij", "B", "d1", "d10", "d2", "é", "\U0001f600"]  # byte order is not that of numbers, nor of UTF-16
Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def single(score: float) -> float:
    """The 32-bit float next to a score."""
    return float(struct.unpack("f", struct.pack("f", score))[0])


# Few levels, so that many are tied; some only as 32-bit floats.
SCORES = st.builds(lambda level, step: level / 4 + step * 1e-9, st.integers(-4, 4), st.integers(0, 2))
SCORES |= st.floats(-1e30, 1e30) | st.sampled_from([0.0, -0.0, math.inf, -math.inf, 1e300, 7])


@st.composite
def collections(draw: st.DrawFn) -> tuple[Qrels, Run, int]:
    """Some topics, in both, only judged, or only retrieved, and the lowest relevant grade.

    Every judged topic has a grade of at least 0 and of at least the level less 1: of a topic whose grades are all
    negative pytrec_eval never returns, and bpref reads beyond the end of an array where the level is higher.
    """
    topics = draw(st.lists(st.sampled_from(["q1", "q10", "q2", "Q", "é"]), min_size=1, max_size=4, unique=True))
    level = draw(st.sampled_from([1, 1, 2, 3]))
    grades = draw(st.sampled_from([[0, 1], [-1, 0, 1], [-2, -1, 0, 1, 2, 3], [0, 2, 5], [0]]))
    run, qrels = {}, {}
    for topic in topics:
        where = draw(st.sampled_from(["both", "both", "both", "both", "run", "qrels"]))
        if where != "qrels":
            run[topic] = draw(st.dictionaries(st.sampled_from(DOCS), SCORES, max_size=12))
        if where != "run":
            judged = draw(
                st.dictionaries(st.sampled_from([*DOCS, "x", "y", "z"]), st.sampled_from(grades), max_size=12)
            )
            if judged and max(judged.values()) < level - 1:
                judged["w"] = draw(st.sampled_from([level - 1, level]))
            qrels[topic] = judged
    return qrels, run, level


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Let pytrec_eval evaluate something: the first ranking of a process must not be empty, or it may crash."""
    theirs.RelevanceEvaluator({"q": {"a": 1}}, theirs.supported_measures).evaluate({"q": {"a": 1.0, "b": 0.5}})


def same(mine: dict[str, Any], peer: dict[str, Any]) -> None:
    """The same topics and keys in the same order, and numbers that agree."""
    assert list(mine) == list(peer)
    for topic in peer:
        assert list(mine[topic]) == list(peer[topic])
        for key, expected in peer[topic].items():
            assert type(mine[topic][key]) is float
            # Interpolated precision of an empty ranking is 0 / 0 there.
            empty = math.isnan(expected) and key.startswith(("iprec_at_recall", "11pt_avg"))
            value = 0.0 if empty else expected
            assert close(mine[topic][key], value, 1e-9, 1e-12), (topic, key, mine[topic][key], value)


# Other cutoffs and parameters; the last ones of 11pt_avg do not ascend, which pytrec_eval sorts as text.
OTHERS = {
    "iprec_at_recall.0.05,0.33,0.5,2", "Rprec_mult.0.3,3", "set_F_0.5", "11pt_avg.0.2,0.9,00.5", "P.1,2,3",
    "ndcg_cut.1,2,7", "map_cut.1,4", "recall_2", "success.2,4", "relative_P.3,13",
}  # fmt: skip


@given(collections(), st.booleans(), st.sampled_from([theirs.supported_measures, OTHERS]))
@example(({"q": {"a": 1}}, {"q": {}}, 1), False, theirs.supported_measures)
def test_all_measures(collection: tuple[Qrels, Run, int], judged_only: bool, measures: set[str]) -> None:
    qrels, run, level = collection
    arguments = (qrels, measures, level, judged_only)
    mine = ours.RelevanceEvaluator(*arguments).evaluate(run)
    same(mine, theirs.RelevanceEvaluator(*arguments).evaluate(run))


QRELS: Qrels = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 2, "d4": 1}, "q3": {"d1": 1}}
RUN: Run = {
    "q2": {"d1": 1.5, "d2": 0.2, "d3": 0.5},
    "q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5, "d9": 1},
    "q7": {"d1": 1.0},
}


@pytest.mark.parametrize(
    "measures",
    [
        {"map", "ndcg"}, ["map", "map"], "P", {"P", "P_5"}, {"P_5", "P_10", "P.2,3"}, {"ndcg_cut.10,5", "ndcg_cut_7"},
        {"official"}, {"official", "P_3"}, {"set"}, {"all_trec"}, {"iprec_at_recall_0.10"}, {"iprec_at_recall.0.333"},
        {"Rprec_mult_0.5", "Rprec_mult.1.25"}, {"set_F_0.5"}, {"11pt_avg.0.5,0.25"}, {"success_3"}, {"relstring_5"},
        {"map_5"}, {"gm_map_3"}, {"num_q", "runid", "num_ret"}, {"recall.1", "map_cut.2", "relative_P.1"}, set(),
    ],
)  # fmt: skip
def test_names_of_measures(measures: Any) -> None:
    """Names, cutoffs, parameters and nicknames mean the same, and results have the same keys in the same order."""
    mine = ours.RelevanceEvaluator(QRELS, measures).evaluate(RUN)
    same(mine, theirs.RelevanceEvaluator(QRELS, measures).evaluate(RUN))


def test_public_names() -> None:
    assert set(theirs.__all__) <= set(ours.__all__)
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == theirs.supported_nicknames
    assert type(ours.supported_measures) is type(theirs.supported_measures)


# ---------------------------------------------------------------------------------------------------------------------
# What its documentation shows: the same programs with another import line


def aggregated(pytrec_eval: types.ModuleType, qrel: Any, run: Any) -> list[str]:
    """A report as trec_eval's, from two open files."""
    evaluator = pytrec_eval.RelevanceEvaluator(
        pytrec_eval.parse_qrel(qrel), pytrec_eval.supported_measures, relevance_level=1
    )
    results = evaluator.evaluate(pytrec_eval.parse_run(run))
    lines = [f"{name} {query} {value:.4f}" for query, values in sorted(results.items())
             for name, value in sorted(values.items())]  # fmt: skip
    for name in sorted(next(iter(results.values()))):
        total = pytrec_eval.compute_aggregated_measure(name, [values[name] for values in results.values()])
        lines.append(f"{name} all {total:.4f}")
    return lines


def differences(pytrec_eval: types.ModuleType) -> list[float]:
    """Differences of two runs, query by query, as a paired test takes them."""
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"map"})
    one, other = evaluator.evaluate(RUN), evaluator.evaluate({"q1": {"d2": 1.0}, "q2": {"d4": 2.0, "d1": 1.0}})
    return [one[query]["map"] - other[query]["map"] for query in set(one) & set(other)]


def test_documented_programs() -> None:
    qrel = "".join(f"{query} 0 {doc} {grade}\n" for query, docs in QRELS.items() for doc, grade in docs.items())
    run = "".join(f"{query} Q0 {doc} 1 {score} tag\n" for query, docs in RUN.items() for doc, score in docs.items())
    reports = [aggregated(module, io.StringIO(qrel), io.StringIO(run)) for module in (ours, theirs)]
    assert reports[0] == reports[1]
    assert differences(ours) == pytest.approx(differences(theirs))


def test_parsing(tmp_path: Any) -> None:
    path = tmp_path / "run"
    path.write_text("q1 Q0 d1 1 2.5 tag\nq1\tQ0 d2 2 1e-3 tag \nq2 Q0 d1 1 7 other\n", encoding="utf-8")
    with path.open(encoding="utf-8") as one, path.open(encoding="utf-8") as other:
        mine, peer = ours.parse_run(one), theirs.parse_run(other)
    assert (mine, type(mine)) == (peer, type(peer))
    lines = ["q1 0 d1 1", "q1 0 d2 -1\n", "q2 0 d1 +2", "q2 0 d2 +1_0", "q2 0 d3 1_0", "q2 0 d4 \uff13"]
    mine, peer = ours.parse_qrel(lines), theirs.parse_qrel(lines)
    assert (mine, type(mine)) == (peer, type(peer))
    assert {type(grade) for documents in mine.values() for grade in documents.values()} == {int}
    assert ours.parse_run(["q Q0 d 1 1_0 t"]) == theirs.parse_run(["q Q0 d 1 1_0 t"]) == {"q": {"d": 10}}
    assert mine["q3"] == {}
    assert ours.parse_qrel(["q1 0 d1 0.5"]) == {"q1": {"d1": 0.5}}  # pytrec_eval takes whole numbers only
    with pytest.raises(AssertionError):
        ours.parse_run(["q Q0 d 1 1 t", "q Q0 d 2 1 t"])
    for wrong in ("q Q0 d 1 1", "q Q0 d 1 x t"):
        with pytest.raises(ValueError, match=r"unpack|float"):
            ours.parse_run([wrong])
    with pytest.raises(AssertionError):
        ours.parse_qrel(["q 0 d 1", "q 0 d 0"])
    with pytest.raises(ValueError, match="unpack"):
        ours.parse_qrel(["q 0 d"])


@pytest.mark.parametrize("measure", ["map", "num_ret", "num_q", "gm_map"])
@pytest.mark.parametrize("values", [[0.5, 0.25], (1, 2, 4), [0.1]])
def test_aggregates(measure: str, values: Any) -> None:
    mine = ours.compute_aggregated_measure(measure, values)
    assert type(mine) is float
    assert mine == pytest.approx(theirs.compute_aggregated_measure(measure, values), rel=1e-15)


def test_aggregates_of_nothing() -> None:
    assert ours.compute_aggregated_measure("num_q", []) == 0
    assert math.isnan(ours.compute_aggregated_measure("map", []))
    assert math.isnan(ours.compute_aggregated_measure("gm_map", []))


# ---------------------------------------------------------------------------------------------------------------------
# Arguments


@pytest.mark.parametrize(
    ("qrels", "measures", "options"),
    [
        (QRELS, {"nap"}, {}), (QRELS, {"prefs"}, {}), (QRELS, {"qrels_jg"}, {}), (QRELS, {"yaap"}, {}),
        (QRELS, "map", {}), (QRELS, {5}, {}), (QRELS, None, {}), ([("q", {})], {"map"}, {}),
        ({"q": [1]}, {"map"}, {}), ({1: {"d": 1}}, {"map"}, {}), ({"q": {1: 1}}, {"map"}, {}),
        ({"q": {b"d": 1}}, {"map"}, {}), ({"q": {"d": "1"}}, {"map"}, {}), ({"q": {"d": None}}, {"map"}, {}),
        (QRELS, {"map"}, {"relevance_level": 0}), (QRELS, {"map"}, {"relevance_level": "1"}),
        (QRELS, {"map"}, {"relevance_level": None}), (QRELS, {"map"}, {"nonsense": 1}),
    ],
)  # fmt: skip
def test_wrong_arguments(qrels: Any, measures: Any, options: Any) -> None:
    """Refused alike, with the same type of exception."""
    with pytest.raises((TypeError, ValueError, AttributeError)) as peer:
        theirs.RelevanceEvaluator(qrels, measures, **options)
    with pytest.raises(peer.type):
        ours.RelevanceEvaluator(qrels, measures, **options)


@pytest.mark.parametrize(
    "run",
    [[1], "abc", {"q1": ["d1"]}, {1: {"d1": 1.0}}, {"q1": {1: 1.0}}, {"q1": {"d1": "1"}}, {"q1": {"d1": None}},
     {"q1": {"d1": 1.0}, 5: {"d1": 1.0}}],
)  # fmt: skip
def test_wrong_runs(run: Any) -> None:
    with pytest.raises(TypeError):
        theirs.RelevanceEvaluator(QRELS, {"map"}).evaluate(run)
    with pytest.raises(TypeError):
        ours.RelevanceEvaluator(QRELS, {"map"}).evaluate(run)


@pytest.mark.parametrize("run", [None, {}, {"q1": {}}, {"q7": {"d1": 1.0}}, {"q1": {"d1": 1, "d2": True}}])
def test_unusual_runs(run: Any) -> None:
    measures = {"map", "num_ret", "P_5"}
    same(
        ours.RelevanceEvaluator(QRELS, measures).evaluate(run),
        theirs.RelevanceEvaluator(QRELS, measures).evaluate(run),
    )


def test_unusual_qrels() -> None:
    for qrels in ({}, {"q1": {}}, types.MappingProxyType(QRELS), {"q1": {"d1": True, "d2": False}}):
        mine, peer = (module.RelevanceEvaluator(qrels, {"map"}).evaluate(RUN) for module in (ours, theirs))
        same(mine, peer)


def test_pickling() -> None:
    """pytrec_eval's evaluators cannot be pickled, and no more can ours."""
    for module in (ours, theirs):
        with pytest.raises(TypeError):
            pickle.dumps(module.RelevanceEvaluator(QRELS, {"map"}))


def test_subclass() -> None:
    class Evaluator(ours.RelevanceEvaluator):
        def evaluate(self, scores: Any) -> Any:
            return {query: values["map"] for query, values in super().evaluate(scores).items()}

    assert Evaluator(QRELS, {"map"}).evaluate(RUN)["q1"] == 0.25


# ---------------------------------------------------------------------------------------------------------------------
# What pytrec_eval cannot do


def test_real_grades() -> None:
    evaluator = ours.RelevanceEvaluator({"q": {"a": 0.5, "b": 1.5}}, {"ndcg", "map", "num_rel"}, relevance_level=0.5)
    values = evaluator.evaluate({"q": {"a": 2.0, "b": 1.0}})["q"]
    assert values["num_rel"] == 2
    assert values["map"] == 1
    assert values["ndcg"] == pytest.approx((0.5 + 1.5 / math.log2(3)) / (1.5 + 0.5 / math.log2(3)))


def test_only_negative_grades() -> None:
    """pytrec_eval never returns from such a topic."""
    values = ours.RelevanceEvaluator({"q": {"a": -1}}, ours.supported_measures).evaluate({"q": {"a": 1.0}})["q"]
    assert values["num_ret"] == 1
    assert values["ndcg"] == values["map"] == values["bpref"] == 0


@pytest.mark.parametrize("measure", ["P_0", "P.5,05", "ndcg_cut_0", "iprec_at_recall.0.5,0.50", "P_5abc", "ndcg.1"])
def test_wrong_parameters(measure: str) -> None:
    """Cutoffs that abort the interpreter in pytrec_eval, or are read as far as they make sense, are errors."""
    with pytest.raises(ValueError, match=r"utoff|unsupported|malformed|appears twice|expected pairs"):
        ours.RelevanceEvaluator(QRELS, {measure})


def test_parameters_that_pytrec_eval_cannot_take() -> None:
    values = ours.RelevanceEvaluator(QRELS, {"utility_1,-2,0,0", "ndcg.1=1,2=10"}).evaluate(RUN)["q2"]
    assert values["utility"] == 2 - 2
    gain = 10 / math.log2(3) + 1 / math.log2(4)
    assert values["ndcg"] == pytest.approx(gain / (10 + 1 / math.log2(3) + 1 / math.log2(4)))


GAINS = st.dictionaries(st.integers(0, 4), st.sampled_from([0, 0.1, 0.5, 0.9, 1, 1.2, 2, 3.5, 9]), min_size=1)


@given(st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1), st.permutations(DOCS), GAINS)
def test_gains_are_sorted_as_trec_eval_sorts_them(judged: dict[str, int], ranked: list[str], gains: Any) -> None:
    """Wrongly, if they differ by less than 1: seen where pytrec_eval's native part is given trec_eval's own syntax."""
    qrels, run = {"q": {"w": 0, **judged}}, {"q": {doc: -float(rank) for rank, doc in enumerate(ranked)}}
    measure = "ndcg." + ",".join(f"{grade}={gain}" for grade, gain in gains.items())
    same(
        ours.RelevanceEvaluator(qrels, {measure}).evaluate(run),
        theirs._RelevanceEvaluator(qrels, {measure}, 1, False).evaluate(run),
    )


@pytest.mark.parametrize("score", [math.nan, "nan"])
def test_nan_is_no_score(score: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r'query "q1", document "d1"'):
        ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q1": {"d1": score}})


@given(collections(), st.sampled_from(["trec", "expected"]))
def test_measures_do_not_depend_on_those_beside_them(collection: tuple[Qrels, Run, int], ties: Any) -> None:
    """Of many measures, those that read only relevant documents share a ranking that has no others."""
    qrels, run, level = collection
    names = {"map", "P_5", "ndcg", "bpref", "recip_rank", "iprec_at_recall_0.10", "num_nonrel_judged_ret", "recall_5"}
    together = ours.RelevanceEvaluator(qrels, names, level, ties=ties).evaluate(run)
    for name in names:
        alone = ours.RelevanceEvaluator(qrels, {name}, level, ties=ties).evaluate(run)
        assert alone == {topic: {name: values[name]} for topic, values in together.items()}


def test_long_runs() -> None:
    """A run is evaluated piece by piece; topics do not depend on the piece in which they come, nor on their order."""
    sizes = [3, 9000, 0, 9000, 1, 17_000, 40_000, 2, 9000]
    run = {
        f"q{97 * topic % 10}": {f"d{7919 * i % 50_021}": float(i // (topic + 1) % 1000) for i in range(size)}
        for topic, size in enumerate(sizes)
    }
    qrels = {topic: {f"d{i}": i % 3 for i in range(0, 50_000, 501)} for topic in [*run, "other"] if topic != "q8"}
    evaluator = ours.RelevanceEvaluator(qrels, {"official"})
    found = evaluator.evaluate(run)
    assert list(found) == [topic for topic in run if topic != "q8"]
    assert found == {topic: evaluator.evaluate({topic: run[topic]})[topic] for topic in found}
    assert found["q2"]["num_ret"] == 40_000


class Twice(dict[str, Any]):
    """A mapping that has every topic twice."""

    def items(self) -> Any:
        """All topics, and all of them again."""
        return [*super().items(), *super().items()]


def test_topics_come_once() -> None:
    """A mapping of one's own may say otherwise."""
    evaluator = ours.RelevanceEvaluator({"q": {"a": 1}, "r": {"a": 1}}, {"map"})
    with pytest.raises(ValueError, match='query "q" again'):
        evaluator.evaluate(Twice({"q": {"a": 1.0}, "r": {"a": 1.0}}))


def test_ties() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0 + 1e-9, "a": 1.0 + 2e-9}}

    def value(**options: Any) -> float:
        return ours.RelevanceEvaluator(qrels, {"map"}, **options).evaluate(run)["q"]["map"]

    assert value() == value(ties="trec") == 0.5
    assert value(ties="docid") == value(ties="expected") == 1
    run["q"]["a"] = run["q"]["b"]
    assert value(ties="expected") == 0.75
    assert (value(ties="best"), value(ties="worst"), value(ties="given")) == (1, 0.5, 0.5)
    for wrong in ("range", "none"):
        with pytest.raises(ValueError, match="ties"):
            value(ties=wrong)


def test_scores_are_single() -> None:
    """Rounding to 32 bits decides on ties, also where it overflows."""
    assert single(1.000000002) == single(1.0)
    for scores in (
        {"a": 1.000000002, "b": 1.000000001},
        {"a": 1e300, "b": 1e200, "c": math.inf},
        {"a": -1e300, "b": -1e39},
    ):
        same(
            *(module.RelevanceEvaluator({"q": {"a": 1}}, {"map"}).evaluate({"q": scores}) for module in (ours, theirs))
        )
