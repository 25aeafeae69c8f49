"""The examples of docs/med.md, and where Tan & Clarke claim too much; every step by hand."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

import untied
from nightly import seeded

A, B = ["a", "b", "c"], ["b", "d", "a"]
DISCOUNTS = 1, 1 / math.log2(3), 1 / 2


def of(measure: str, a: Any = A, b: Any = B, qrels: Any = None) -> untied.Value:
    found = untied.compare(a, b, measure, qrels=qrels)
    return found[found.measures[0]]


@pytest.mark.parametrize(
    ("measure", "qrels", "up", "down"),
    [
        ("P@3", None, 1 / 3, 1 / 3),
        ("nDCG@3", None, 0.4693, 0.4693),
        ("AP@3", None, 4 / 9, 1 / 2),
        ("P@3", {"b": 0}, 1 / 3, 1 / 3),
        ("nDCG@3", {"b": 0}, 0.4693, 0.2961),
        ("AP@3", {"b": 0}, 4 / 9, 1 / 6),
        ("AP@3", {"a": 1, "b": 0, "c": 1, "d": 0}, 4 / 9, -4 / 9),
    ],
)
def test_largest_differences(measure: str, qrels: Any, up: float, down: float) -> None:
    digits = 5e-5 if measure == "nDCG@3" else 1e-12
    assert of(f"MED({measure}, direction='a-b')", qrels=qrels).mean == pytest.approx(up, abs=digits)
    assert of(f"MED({measure}, direction='b-a')", qrels=qrels).mean == pytest.approx(down, abs=digits)
    largest = of(f"MED({measure})", qrels=qrels)
    assert largest.mean == largest.low == largest.high == pytest.approx(max(up, down), abs=digits)
    assert largest.certainty == "exact"
    delta = of(f"Delta({measure})", qrels=qrels)
    assert (delta.low, delta.high) == pytest.approx((-down, up), abs=digits)


def test_ndcg_by_document() -> None:
    assert sum(DISCOUNTS) == pytest.approx(2.1309, abs=5e-5)
    ahead = dict(zip(A, DISCOUNTS, strict=True))
    for doc, discount in zip(B, DISCOUNTS, strict=True):
        ahead[doc] = ahead.get(doc, 0) - discount
    assert ahead == pytest.approx({"a": 0.5, "b": -0.3691, "c": 0.5, "d": -0.6309}, abs=5e-5)
    largest = [
        sum(value for value in ahead.values() if value > 0),
        -sum(value for value in ahead.values() if value < 0),
    ]
    assert largest == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("relevant", "a_b", "b_a"),
    [
        ("", (1 / 3, 0, 1 / 3), (1 / 2, 0, 1 / 2)),
        ("a", (1 + 2 / 3, 1 / 3, 4 / 3), (1 / 2 + 2 / 3, 1, 1 / 6)),
        ("b", (1 / 2 + 2 / 3, 1, 1 / 6), (1 + 2 / 2, 1 / 2, 3 / 2)),
        ("ab", (1 + 2 / 2 + 3 / 3, 1 + 2 / 3, 4 / 3), (1 + 2 / 2 + 3 / 3, 1 + 2 / 2, 1)),
    ],
)
@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # the judged document may be in one run only
def test_average_precision_row_by_row(
    relevant: str, a_b: tuple[float, float, float], b_a: tuple[float, float, float]
) -> None:
    for ahead, behind, own, (high, low, difference) in ((A, B, "c", a_b), (B, A, "d", b_a)):
        qrels = {"q": dict.fromkeys(relevant + own, 1)}
        runs = {"ahead": {"q": ahead}, "behind": {"q": behind}}
        found = untied.evaluate(qrels, runs, "AP(recall_base=3)@3")
        scores = [3 * found.value("AP(recall_base=3)@3", run=run).mean for run in runs]
        assert [*scores, scores[0] - scores[1]] == pytest.approx([high, low, difference])


def test_as_printed() -> None:
    assert repr(of("MED(AP@3)")) == "0.5000"
    assert repr(of("Delta(AP@3)", qrels={"b": 0})) == "0.0000 [-0.1667, 0.4444] (variance 0)"
    assert of("MED(P@3)", A, ["b"]).mean == pytest.approx(2 / 3)


def test_expected_differences() -> None:
    even = of("Delta(nDCG@3, p=0.5)", qrels={"b": 0})
    assert even.mean == pytest.approx(0.5 * (0.5 + 0.5 - DISCOUNTS[1]) / sum(DISCOUNTS))
    assert (even.mean, even.low, even.high) == pytest.approx((0.0866, -0.2961, 0.4693), abs=5e-5)
    by_rank = of("Delta(nDCG@3, p=[0.8, 0.4, 0.2])", qrels={"b": 0}).mean
    assert by_rank == pytest.approx((0.8 * 0.5 + 0.2 * 0.5 - 0.4 * DISCOUNTS[1]) / sum(DISCOUNTS))
    assert by_rank == pytest.approx(0.1162, abs=5e-5)


def test_complete_judgments_leave_the_difference_under_another_normaliser() -> None:
    qrels = {"a": 1, "b": 0, "c": 0, "d": 0}
    assert of("MED(AP@3)", qrels=qrels).mean == pytest.approx((1 - 1 / 3) / 3)
    found = untied.evaluate({"q": qrels}, {"A": {"q": A}, "B": {"q": B}}, "AP@3")
    assert found.value("AP@3", run="A").mean - found.value("AP@3", run="B").mean == pytest.approx(1 - 1 / 3)


def test_identity_fails_both_ways() -> None:
    assert of("MED(P@2)", ["a", "b"], ["b", "a"]).mean == 0
    assert of("MED(nDCG@2)", ["a", "b"], ["b", "a"]).mean > 0
    for name in ("P@3", "nDCG@3", "AP@3", "RR", "RBP(p=0.9)", "ERR(max_grade=2)@3"):
        assert of(f"MED({name})", A, A).mean == 0
        assert of(f"MED({name})", A, B, dict.fromkeys("abcd", 0)).mean == 0
    assert of("MED(RBP(p=0.9), tail='upper')", A, A).mean == pytest.approx(0.9**3)
    assert of("MED(ERR(max_grade=2), tail='upper')", A, A).mean > 0


@pytest.mark.parametrize(
    ("measure", "rankings", "qrels"),
    [
        ("EP@0.5", ("541", "501", "502"), None),
        ("IPrec@0.5", ("541", "501", "502"), None),
        ("PRR@0.5", ("541", "501", "502"), None),
        ("Rprec", ("012", "013", "031"), {"0": 0}),
        ("O", ("012", "034", "340"), {"0": 1}),
        ("Pmeasure", ("012", "034", "340"), {"0": 1}),
        ("Pplus", ("012", "034", "340"), {"0": 1}),
        ("Q@3", ("304", "340", "341"), {"3": 1, "4": 1}),
        ("NCU", ("304", "340", "341"), {"3": 1, "4": 1}),
    ],
)
@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # judged documents may be in one ranking only
def test_the_triangle_inequality_fails_where_relevant_documents_move_ranks(
    measure: str, rankings: tuple[str, str, str], qrels: Any
) -> None:
    """A document of the one ranking alone changes how the others are read, and MED of these two leaves it out."""
    first, between, last = map(list, rankings)
    values = [of(f"MED({measure})", a, b, qrels) for a, b in ((first, between), (between, last), (first, last))]
    assert all(value.certainty == "exact" for value in values)
    assert values[2].mean > values[0].mean + values[1].mean + 1e-3


#: Sums over documents, divided by what falls only if fewer documents are relevant, and values that ignore their number.
METRIC = ["P@3", "R@2", "F1@2", "AP@3", "RR", "ERR@3", "RBP@3", "DCG@3", "nDCG@3", "Bpref"]


@pytest.mark.parametrize("measure", METRIC)
def test_the_triangle_inequality_holds(measure: str) -> None:
    """For all triples of rankings of three among six documents; MED of two depends only on what they share."""
    known: dict[tuple[int | None, ...], float] = {}

    def distance(a: tuple[int, ...], b: tuple[int, ...]) -> float:
        places = tuple(a.index(document) if document in a else None for document in b)
        if places not in known:
            known[places] = of(f"MED({measure})", [f"d{n}" for n in a], [f"d{n}" for n in b]).mean
        return known[places]

    first, *others = itertools.permutations(range(6), 3)
    for between, last in itertools.product(others, repeat=2):
        assert distance(first, last) <= distance(first, between) + distance(between, last) + 1e-12


def test_what_is_cut_off_keeps_values_below_1() -> None:
    assert of("RBO(p=0.9, score='truncated')", A, A).mean == pytest.approx(1 - 0.9**3)
    assert of("MED(RBP(p=0.9)@3)", ["a", "b", "c"], ["d", "e", "f"]).mean == pytest.approx(1 - 0.9**3)
    assert of("MED(RBP(p=0.9), tail='upper')", ["a", "b", "c"], ["d", "e", "f"]).mean == pytest.approx(1)


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # z is in neither run
def test_more_judgments_do_no_harm_but_a_higher_grade_does() -> None:
    """Judging can leave the value as it is; a grade elsewhere that raises r_G raises it."""
    assert of("MED(P@3)", qrels={"b": 0}).mean == of("MED(P@3)").mean
    assert of("MED(DCG@3)", qrels={"z": 2}).mean == pytest.approx(2 * of("MED(DCG@3)").mean)
    assert of("MED(DCG@3, max_grade=2)", qrels={"z": 2}) == of("MED(DCG@3, max_grade=2)")
    assert of("MED(nDCG@3)", qrels={"z": 2}).mean == pytest.approx(of("MED(nDCG@3)").mean)


def test_depth_decreases_only_what_has_no_end() -> None:
    a, b = ["a", "b"], ["a", "c"]
    assert (of("MED(P@1)", a, b).mean, of("MED(P@2)", a, b).mean) == (0, 1 / 2)
    assert of("MED(RBP(p=0.8))", a[:1], b[:1]).mean < of("MED(RBP(p=0.8))", a, b).mean
    chance = seeded(30)
    docs = [f"d{i}" for i in range(9)]
    for name in ("MED(RBP(p=0.8), tail='upper')", "MED(ERR(max_grade=2), tail='upper')"):
        fell = 0
        for _ in range(60):
            a, b = (chance.sample(docs, 6) for _ in "ab")
            values = [of(name, a[:depth], b[:depth]).mean for depth in range(7)]
            drops = [value - deeper for value, deeper in itertools.pairwise(values)]
            assert all(drop >= -1e-12 for drop in drops)
            fell += values[-1] < values[0]
            if "RBP" in name:
                assert all(sum(drops[depth:]) <= 2 * 0.8**depth + 1e-12 for depth in range(6))
        assert fell > 30


def test_cutting_err_at_depth_30_costs_more_than_claimed() -> None:
    """Equal to rank 30; then five documents and the next five are exchanged: the five are relevant, all others not."""
    docs = [f"d{rank}" for rank in range(1, 41)]
    exchanged = docs[:30] + docs[35:] + docs[30:35]
    assert of("MED(ERR(max_grade=2)@30)", docs, exchanged).mean == 0
    found = of("MED(ERR(max_grade=2)@40)", docs, exchanged)
    assert found.certainty == "exact"
    five = sum(0.75 * 0.25**i * (1 / (31 + i) - 1 / (36 + i)) for i in range(5))
    assert found.mean >= five - 1e-12
    assert five == pytest.approx(0.00439, abs=5e-6)
    assert found.mean > 20 * 0.0002
    assert of("MED(ERR(max_grade=2), tail='upper')", docs, exchanged).mean > found.mean
    # No document above is relevant: what lies below depth 30 adds at most 1/31.
    assert found.mean < 1 / 31


def evaluated(measure: str, a: list[str], b: list[str], qrels: dict[str, int]) -> float:
    found = (untied.evaluate({"q": qrels}, {"q": run}, measure).value(measure).mean for run in (a, b))
    return abs(next(found) - next(found))


@pytest.mark.parametrize(
    ("measure", "a", "b", "judged", "shown", "largest", "difference"),
    [
        # MED divides by a constant, evaluate by less: one relevant document.
        ("nDCG@10", "abcdefghij", "acbdefghij", {}, {"b": 1}, 0.0288, 0.1309),
        ("AP@10", "abcdefghij", "acbdefghij", {}, {"b": 1}, 1 / 30, 1 / 6),
        ("Bpref", "fecb", "abdf", {"a": 1}, {"a": 1, "b": 0, "c": 0, "d": 0, "e": 0, "f": 0}, 0.6875, 1),
        # A relevant document that neither retrieves.
        ("EP@0.5", "afbc", "afce", {"c": 0}, {"a": 1, "b": 1, "c": 0, "e": 0, "f": 0, "z": 1}, 1 / 3, 2 / 3),
        ("Rprec", "xya", "yxb", {"x": 0, "y": 0}, {"x": 0, "y": 0, "a": 1, "z": 1, "w": 1}, 0, 1 / 3),
    ],
)
def test_differences_above_med(
    measure: str, a: str, b: str, judged: Any, shown: Any, largest: float, difference: float
) -> None:
    med = of(f"MED({measure})", list(a), list(b), judged or None)
    assert med.high == pytest.approx(largest, abs=5e-5)
    assert evaluated(measure, list(a), list(b), shown) == pytest.approx(difference, abs=5e-5)


@pytest.mark.parametrize(
    "measure", ["P@3", "Hits@3", "DCG@3", "RBP", "RR", "ERR@3", "Success@3", "R@3", "F1@3", "SetF"]
)
def test_no_difference_above_med(measure: str) -> None:
    a, b = list("abcd"), list("cebf")
    for judged in ({}, {"b": 1, "d": 0}, {"a": 0, "c": 1, "z": 1}):
        med = of(f"MED({measure})", a, b, judged or None)
        unjudged = sorted({*a, *b} - judged.keys())
        for grades in itertools.product((0, 1), repeat=len(unjudged)):
            for more in ({}, {"y": 1}):
                shown = {**judged, **dict(zip(unjudged, grades, strict=True)), **more}
                if any(shown.values()):
                    assert evaluated(measure, a, b, shown) <= med.high + 1e-12
