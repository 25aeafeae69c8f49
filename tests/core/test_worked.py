"""Measures on examples small enough to be worked out by hand; the steps stand beside the numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest

import untied

# Groups (a) (b c d) (e f) with b, d, e relevant: R = 3, and 3 judged non-relevant documents.
GROUPS = [["a"], ["b", "c", "d"], ["e", "f"]]
QRELS = {"a": 0, "b": 1, "c": 0, "d": 1, "e": 1, "f": 0}


def value(measure: str, groups: Any = GROUPS, qrels: dict[str, int] = QRELS) -> Any:
    results = untied.evaluate({"q": qrels}, {"q": groups}, [measure], ties="range", variance=True, on_undefined="nan")
    return results.value(untied.parse_measure(measure), query="q")


@pytest.mark.parametrize(
    ("measure", "mean", "variance", "low", "high"),
    [
        # The first relevant document is at rank 2 with probability 2/3, at rank 3 with 1/3.
        ("EP@0.3", 4 / 9, 1 / 162, 1 / 3, 1 / 2),
        # The third is at rank 5 or 6.
        ("EP@1", 11 / 20, 1 / 400, 1 / 2, 3 / 5),
        # Of 9 pairs a inverts 3, c inverts 0 to 2 and one with e, f inverts 0 or 1; in a group r i (r+i+1) / 12.
        ("Accuracy", 1 - 5.5 / 9, (2 / 3 + 1 / 4) / 81, 2 / 9, 5 / 9),
        # Rank 2 and 3 hold b and d, then both are below a; or c and one of them, then 1 or 2 of 2 pairs are inverted.
        ("Accuracy@3", 1 / 6, 1 / 18, 0, 1 / 2),
        # ceil(1.5 R) = 5: the last group's relevant document is at rank 5 or not.
        ("Rprec(mult=1.5)", 2.5 / 5, 0.01, 2 / 5, 3 / 5),
        # c is above both, one or none of b and d, which add 2/3, 1 or 4/3 together; e adds 1/3 or 0.
        ("Bpref", 7 / 18, (2 / 27 + 1 / 36) / 9, 2 / 9, 5 / 9),
        ("Bpref(extra=10, variant='paper')", 33.5 / 39, (2 / 27 + 1 / 36) / 9 * (3 / 13) ** 2, 32 / 39, 35 / 39),
        ("Utility", 0, 0, 0, 0),
        ("Utility(weights=[2, -1, -3, 0.5], collection=100)", 6 - 3 + 0.5 * (100 - 6), 0, 50, 50),
    ],
)
def test_values(measure: str, mean: float, variance: float, low: float, high: float) -> None:
    found = value(measure)
    expected = pytest.approx([mean, variance, low, high], abs=1e-12)
    assert [found.mean, found.variance, found.low, found.high] == expected
    assert found.certainty == "exact"


def test_probability_of_relevance_is_a_quotient_of_means() -> None:
    """Search lengths are 4/3 on average to the first relevant document, 5/2 to the third."""
    assert value("PRR@0.3").mean == pytest.approx(1 / (1 + 4 / 3))
    assert value("PRR@1").mean == pytest.approx(3 / (3 + 5 / 2))
    assert value("PRR@1").variance is None
    assert value("PRR@0.3", ["c", "b"]).variance == 0


def test_search_length_is_left_out_where_undefined() -> None:
    qrels = {"p": {"x": 1}, "q": QRELS}
    results = untied.evaluate(qrels, {"p": [["y"]], "q": GROUPS}, ["ESL"])
    assert math.isnan(results.value("ESL", query="p").mean)
    assert results.value("ESL").mean == pytest.approx(4 / 3)
    best = untied.evaluate({"q": QRELS}, {"q": GROUPS}, ["ESL"], ties="best")
    assert best.value("ESL").mean == 1


def test_higher_gains_first_is_not_always_best_for_g() -> None:
    """With gains 3, 2, 1 and costs 3, 5, 6: 1/log2(4) + 2/log2(4) + 3/log2(2) over 6, or 2 and 3 exchanged."""
    found = value("G", [["x"], ["y", "z"]], {"x": 1, "y": 2, "z": 3})
    orders = [(0.5 + 1 + 3) / 6, (0.5 + 3 / math.log2(3) + 2) / 6]
    assert (found.high, found.low) == pytest.approx(orders)
    assert found.mean == pytest.approx(sum(orders) / 2)


def test_unjudged_documents() -> None:
    """Negative grades are in the qrels, but not judged."""
    qrels = {"a": 1, "b": 0, "c": -1}
    ranking = [["a", "x"], ["c"], ["b", "y"]]
    assert value("Judged", ranking, qrels).mean == pytest.approx(3 / 5)
    judged, unjudged = value("Judged@4", ranking, qrels), value("Unjudged@4", ranking, qrels)
    assert (judged.mean, judged.low, judged.high) == pytest.approx((2.5 / 4, 2 / 4, 3 / 4))
    assert (unjudged.mean, unjudged.low, unjudged.high) == pytest.approx((2.5 / 4, 2 / 4, 3 / 4))
    assert value("Unjudged@10", ranking, qrels).mean == pytest.approx(3 / 10)


def test_log_odds_of_average_precision() -> None:
    found = value("YAAP", [["a", "b"]], {"a": 1})
    assert (found.mean, found.low, found.high) == pytest.approx((math.log(2) / 2, 0, math.log(2)))


def test_large_groups_say_how_sure_they_are() -> None:
    documents = [f"d{i}" for i in range(900)]
    qrels = {doc: (1 if i < 300 else 0 if i < 600 else -1) for i, doc in enumerate(documents[:800])}
    inferred = value("infAP", [documents], qrels)
    assert inferred.certainty == "interval"
    assert inferred.variance is None
    assert 0 < inferred.low < inferred.mean < inferred.high <= 1
    interpolated = value("IPrec@0.5", [documents], qrels)
    assert interpolated.certainty == "estimate"
    assert interpolated.mean == pytest.approx(0.35, abs=0.02)  # a little above 1/3, the share of relevant documents
    assert (interpolated.low, interpolated.high) == pytest.approx((1 / 3, 1))
    few = {doc: int(i < 3) for i, doc in enumerate(documents)}
    assert value("IPrec@0.5", [documents], few).certainty == "exact"


def test_exact_and_sampled_interpolated_precision_agree() -> None:
    """A group that is counted exactly, against one order after the other drawn at random."""
    import random

    draw = random.Random(1)
    documents = [f"d{i}" for i in range(40)]
    qrels = {doc: int(i < 8) for i, doc in enumerate(documents)}
    exact = value("IPrec@0.3", [["n"], documents], qrels)
    assert exact.certainty == "exact"
    orders = [draw.sample(documents, 40) for _ in range(2000)]
    results = untied.evaluate(
        {str(i): qrels for i in range(2000)}, {str(i): ["n", *order] for i, order in enumerate(orders)}, ["IPrec@0.3"]
    )
    assert results.value("IPrec@0.3").mean == pytest.approx(exact.mean, abs=4 * math.sqrt(exact.variance / 2000))
