"""NTCIREVAL's measures, RBU and normalised recall: published examples, edges, names, large ties."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import untied

# Some cases have nothing relevant, or nothing in common, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::untied.UntiedWarning")

BLENDED = ["Q", "Q@2", "O", "P-measure", "P+", "NCU", "NCU(user='graded-uniform')", "NCU(user='uniform')", "GAP"]
OF_SUBTOPICS = ["RBU", "D-nDCG@10", "D#-nDCG@10"]


def value(measure: str, run: Any, qrels: Any, **options: Any) -> untied.Value:
    options = {"ties": "range", "variance": True, "on_undefined": "nan"} | options
    form = "subtopics" if isinstance(next(iter(qrels.values()), 0), dict) else "trec"
    results = untied.evaluate(untied.Qrels({"q": qrels}, format=form), {"q": run}, [measure], **options)
    return results.value(untied.parse_measure(measure), query="q")


def test_normalised_recall_of_the_cranfield_request() -> None:
    """Keen 1968, figure 3: five relevant documents at ranks 1, 2, 4, 6 and 13 of 200."""
    qrels = {f"d{rank}": 1 for rank in (1, 2, 4, 6, 13)}
    run = [f"d{rank}" for rank in range(1, 201)]
    assert value("Rnorm", run, qrels).mean == pytest.approx(0.9887, abs=5e-5)
    assert value("Rnorm(collection=200)", run[:13], qrels).mean == value("Rnorm", run, qrels).mean
    # What is not retrieved stands at the end in random order: the document at rank 13 has rank (12+1 + 200) / 2.
    assert value("R_norm(collection=200)", run[:12], qrels).mean == pytest.approx(1 - (13 + 106.5 - 15) / (5 * 195))


def test_sample_topic_of_ntcireval() -> None:
    """What NTCIREVAL prints for topic 0001 of its sample: three of 93 relevant documents at ranks 3, 4 and 5 of ten."""
    qrels = {f"r{i}": 1 for i in range(93)}
    run = ["a", "b", "r0", "r1", "r2", "c", "d", "e", "f", "g"]
    for name, printed in {"O": 0.3333, "P-measure": 0.3333, "P+": 0.3333, "Q@10": 0.1433, "AP@10": 0.0154}.items():
        assert value(name, run, qrels).mean == pytest.approx(printed, abs=5e-5), name


def test_blended_ratios_by_hand() -> None:
    """Gains 1, 3, 2 at ranks 2, 3, 5 and ideal gains 3, 2, 2, 1: BR = 2/7, 6/10, 9/13."""
    run, qrels = ["x", "a", "b", "y", "c"], {"a": 1, "b": 3, "c": 2, "u": 2, "x": 0}
    second, third, fifth = 2 / 7, 6 / 10, 9 / 13
    assert value("O", run, qrels).mean == pytest.approx(second)
    assert value("Pmeasure", run, qrels).mean == pytest.approx(third)
    assert value("Pplus", run, qrels).mean == pytest.approx((second + third) / 2)
    assert value("Q", run, qrels).mean == pytest.approx((second + third + fifth) / 4)
    assert value("Q@3", run, qrels).mean == pytest.approx((second + third) / 3)
    assert value("NCU(user='graded-uniform')", run, qrels).mean == pytest.approx((second + 3 * third + 2 * fifth) / 8)
    ncu = value("NCU(gamma=0.5)", run, qrels).mean
    assert ncu == pytest.approx((second + third / 2 + fifth / 4) / (1 + 1 / 2 + 1 / 4 + 1 / 8))
    # Levels 1, 3, 2: l (l+1) is 2, 12, 6.
    assert value("GAP", run, qrels).mean == pytest.approx((2 / 2 + 14 / 3 + 14 / 5) / (12 + 6 + 6 + 2))


def test_ap_q_and_gap_are_of_one_family() -> None:
    run, qrels = [["a", "x", "b"], ["c", "d", "y"]], {"a": 1, "b": 0, "c": 1, "d": 1, "u": 1}
    ap = value("AP", run, qrels)
    for same in ("Q(beta=0)", "GAP", "NCU(user='uniform', utility='P')", "NCU(gamma=1, utility='P')"):
        found = value(same, run, qrels)
        assert (found.mean, found.low, found.high) == pytest.approx((ap.mean, ap.low, ap.high)), same
        assert found.variance == pytest.approx(ap.variance)
    graded = qrels | {"c": 3}
    for name in ("mean", "low", "high", "variance"):
        one, other = (getattr(value(text, run, graded), name) for text in ("Q", "NCU(user='uniform')"))
        assert one == pytest.approx(other)


@pytest.mark.parametrize("measure", [*BLENDED, "Rnorm"])
def test_undefined_without_relevant_documents(measure: str) -> None:
    assert math.isnan(value(measure, ["a", "b"], {"a": 0}).mean)
    assert value(measure, ["b"], {"b": 0, "a": 1}).mean == 0


def test_edges() -> None:
    assert value("iRBU", ["a"], {"a": 0}).mean == 0  # as ERR
    assert math.isnan(value("Rnorm", ["a", "b"], {"a": 1, "b": 1}).mean)  # nothing else to be above
    assert value("Q@10", ["a"], {"a": 2}).mean == 1
    subtopics = {"1": {"a": 1}, "2": {"b": 0}}
    assert value("RBU", ["x"], subtopics).mean == pytest.approx(-0.03 * 0.2)  # looking costs, and helps nobody
    for measure in OF_SUBTOPICS:
        assert math.isnan(value(measure, ["a"], {"1": {"a": 0}}).mean)


def test_intent_recall_is_subtopic_recall() -> None:
    """Both are the share of the subtopics with relevant documents that have one among the first k."""
    assert untied.parse_measure("I-rec@10") == untied.parse_measure("StRecall@10") == untied.parse_measure("I_rec@10")
    subtopics = {"1": {"a": 2, "b": 1}, "2": {"c": 1}, "3": {"a": 0}}
    assert value("I-rec@1", ["a", "c"], subtopics).mean == 0.5
    both = (
        value("D#-nDCG(gamma=1)@1", ["a", "c"], subtopics).mean,
        value("D#-nDCG(gamma=0)@1", ["a", "c"], subtopics).mean,
    )
    assert both == (0.5, value("D-nDCG@1", ["a", "c"], subtopics).mean)


@pytest.mark.parametrize(
    ("text", "name"),
    {
        "Q-measure@10": "Q@10", "q_measure": "Q", "O-measure": "O", "P-measure": "Pmeasure", "P+": "Pplus",
        "P-plus(beta=10)": "Pplus(beta=10)", "D-nDCG@10": "D_nDCG@10", "D#-nDCG@10": "Dsharp_nDCG@10",
        "normalised_recall": "Rnorm", "I_rec_10": "StRecall@10",
    }.items(),
)  # fmt: skip
def test_printed_names(text: str, name: str) -> None:
    assert str(untied.parse_measure(text)) == name


@pytest.mark.parametrize(
    ("measure", "message"),
    {
        "NCU(user='uniform', gamma=0.5)": "gamma has no effect with user='uniform'",
        "NCU(user='graded-uniform', gamma=0.5)": "gamma has no effect with user='graded-uniform'",
        "NCU(stops={1: 1, 2: 3})": "stops has no effect with user='rank-biased'",
        "NCU(user='uniform', stops={1: 1})": "stops has no effect with user='uniform'",
        "NCU(utility='P', beta=2)": "beta has no effect with utility='P'",
        "NCU(utility='P', gain='exp2')": "gain has no effect with utility='P' and user='rank-biased'",
        "NCU(user='graded-uniform', utility='P', stops={1: 1}, gain='exp2')":
            "gain has no effect with utility='P' and stops",
        "RBP(rel=2, max_grade=3)": "rel has no effect with max_grade",
        "MED(RBP(p=0.5, rel=2, max_grade=3)@5)": "rel has no effect with max_grade",
        "RBPResidual(max_grade=3, rel=0.5)": "rel has no effect with max_grade",
    }.items(),
)  # fmt: skip
def test_parameters_without_effect_are_refused(measure: str, message: str) -> None:
    with pytest.raises(untied.MeasureError, match=message):
        untied.parse_measure(measure)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("Q(beta=-1)", "beta must be a number of at least 0"),
        ("Q(gain={1: 3, 2: 1})", "gain of grade 1 is larger than the gain of the next higher grade"),
        ("O(gain={1: -1, 2: 1})", "gain of grade 1 is negative"),
        ("NCU(user='nobody')", "user must be 'rank-biased', 'graded-uniform' or 'uniform'"),
        ("NCU(user='graded-uniform', stops={1: 1})", "stops has no number for grade 2"),
        ("NCU(user='graded-uniform', stops={1: -1, 2: 1})", "a number in stops must not be negative"),
        ("GAP(thresholds={0: 1})", "thresholds must be a table of grades above 0"),
        ("iRBU(max_grade=1)", "the qrels have grade 2, above max_grade"),
        ("ERR(max_grade=1)", "grade 2, above max_grade = 1"),
        ("Cascade", "the gain of grade 2 is 2"),
        ("Cascade(go_on={1: 2})", "go_on must be a table"),
        ("Cascade(gain={1: 0.1, 2: 0.2}, go_on={1: 0.5})", "no probability for grade 2"),
        ("RBU(p=1)", "p must be a number between 0 and 1"),
        ("D_nDCG(gain='log')", "gain must be 'linear' or 'exp2'"),
        ("Dsharp_nDCG(gamma=2)", "gamma must be a number from 0 to 1"),
        ("Rnorm(collection=1.5)", "collection must be a whole number"),
    ],
)
def test_what_is_refused(measure: str, message: str) -> None:
    qrels: Any = {"1": {"a": 1, "b": 2}} if measure[:2] in ("RB", "D_", "Ds") else {"a": 1, "b": 2}
    with pytest.raises(untied.UntiedError, match=message):
        value(measure, ["a", "b"], qrels)


def tied(n: int, every: int) -> tuple[list[list[str]], dict[str, int]]:
    """One group; of the grades 3, 2 and 1 each every so many documents."""
    docs = [f"d{i}" for i in range(n)]
    return [docs], {doc: 3 - i % every for i, doc in enumerate(docs) if i % every < 3}


@pytest.mark.parametrize(
    "measure", ["Q", "O", "P-measure", "P+", "NCU", "NCU(user='graded-uniform')", "GAP", "iRBU", "Rnorm"]
)
def test_large_ties(measure: str) -> None:
    """Beyond what can be counted the mean and the variance stay exact, and enclosing extremes say so."""
    groups, qrels = tied(2_000, 10)
    found = value(measure, groups, qrels)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.mean < found.high
    assert found.variance is not None
    assert 0 < found.variance < (found.high - found.low) ** 2 / 4
    assert found.certainty == ("interval" if "graded-uniform" in measure else "exact")


def test_the_largest_ties_have_no_variance_of_p_plus() -> None:
    found = value("P+", *tied(5_000, 4))
    assert found.mean > 0
    assert found.variance is None


def test_variance_of_p_plus_among_many_documents() -> None:
    """One document of grade 2 and one of grade 1: P+ is BR at the first, or the mean of BR at both."""
    n = 400
    expected = []
    for best in range(1, n + 1):
        for other in range(1, n + 1):
            if other > best:
                expected.append(3 / (best + (2 if best == 1 else 3)))
            elif other < best:
                expected.append((2 / (other + (2 if other == 1 else 3)) + 5 / (best + 3)) / 2)
    mean = math.fsum(expected) / len(expected)
    variance = math.fsum((one - mean) ** 2 for one in expected) / len(expected)
    found = value("P+", [[f"d{i}" for i in range(n)]], {"d0": 2, "d7": 1})
    assert found.mean == pytest.approx(mean, rel=1e-12)
    assert found.variance == pytest.approx(variance, rel=1e-12)


@pytest.mark.parametrize("measure", ["Q", "P+", "NCU", "GAP"])
def test_means_of_large_ties_are_those_of_many_orders(measure: str) -> None:
    """Within five standard errors of 400 random ones."""
    (docs,), qrels = tied(300, 10)
    rng, drawn = random.Random(3), []
    for _ in range(400):
        rng.shuffle(docs)
        drawn.append(value(measure, list(docs), qrels, variance=False).mean)
    mean = sum(drawn) / len(drawn)
    spread = math.sqrt(sum((one - mean) ** 2 for one in drawn)) / len(drawn)
    assert value(measure, [docs], qrels).mean == pytest.approx(mean, abs=5 * spread)


@pytest.mark.parametrize("measure", ["RBU@20", "D#-nDCG@20"])
def test_many_orders_of_subtopics_are_enclosed(measure: str) -> None:
    docs = [f"d{i}" for i in range(20)]
    subtopics = {f"{j}": {doc: 1 + (i + j) % 3 for i, doc in enumerate(docs) if (i * j) % 5 < 2} for j in (1, 2, 3)}
    found = value(measure, [docs], subtopics)
    assert found.certainty == "interval"
    assert found.variance is None
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.mean < found.high


def test_bounds_where_one_grade_is_relevant() -> None:
    """x is relevant or not: blended ratios 2/2, or with two relevant documents 2/3 at rank 2 and 4/4."""
    found = value("Q", ["x", "a"], {"a": 1, "n": 0}, unjudged="range")
    assert (found.low, found.high) == pytest.approx((2 / 3, 1))
    with pytest.raises(untied.UntiedError, match="bounds over unjudged documents are not known for Q"):
        value("Q", ["x", "a"], {"a": 1, "b": 2}, unjudged="range")
