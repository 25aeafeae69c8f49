"""MED and Delta of measures that have no solver of their own, by their bounds: against all assignments of grades."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from time import process_time
from typing import Any, NamedTuple

import numpy
import pytest

import untied
from nightly import at_night, many, seeded
from oracle import binary, partial, users
from oracle.difference import differences
from oracle.judgements import Groups

Score = Callable[..., Fraction | None]
BINARY, SCALE = (0, 1), (0, 1, 2)
INSTANCES = many(30, nightly=1000)


class Form(NamedTuple):
    """A measure, its definition, the grades of the scale, and the cutoff that rankings are filled to."""

    name: str
    measure: Score
    grades: tuple[int, ...] = BINARY
    k: int | None = None
    options: Mapping[str, Any] = {}
    #: Whether the value depends on the grades of the ranking's own documents alone.
    is_local: bool = False

    def score(self, order: Sequence[str], truth: Mapping[str, int]) -> Fraction:
        """The value; 0 where there is none."""
        cutoff = {} if self.k is None else {"k": self.k}
        return self.measure(order, truth, **cutoff, **self.options) or Fraction(0)


def own_rr(order: Sequence[str], truth: Mapping[str, int], k: int | None = None) -> Fraction:
    return binary.rr(order, truth, k)


@untied.measure(best_by_grade=True, grows_with_grade=True, name="MedRR")
def MedRR(grades: tuple[float, ...]) -> float:
    """Reciprocal rank, as a user would write it."""
    return next((1 / rank for rank, grade in enumerate(grades, 1) if grade >= 1), 0.0)


@untied.measure(best_by_grade=True, grows_with_grade=True, name="MedSquares")
def MedSquares(grades: tuple[float, ...]) -> float:
    """What no measure of ours is: the square of a sum."""
    return sum(grade / rank for rank, grade in enumerate(grades, 1)) ** 2


@untied.measure(best_by_grade=True, grows_with_grade=True, cutoff="required", name="MedAP")
def MedAP(grades: tuple[float, ...], cutoff: int) -> float:
    """AP, divided by the depth."""
    ranks = [rank for rank, grade in enumerate(grades, 1) if grade >= 1]
    return sum(hits / rank for hits, rank in enumerate(ranks, 1)) / cutoff


@untied.measure(best_by_grade=True, grows_with_grade=True, name="MedDCG")
def MedDCG(grades: tuple[float, ...]) -> float:
    """A sum of discounted gains."""
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


def squares(order: Sequence[str], truth: Mapping[str, int], k: int | None = None) -> Fraction:
    return sum((Fraction(truth[doc], rank) for rank, doc in enumerate(order[:k], 1)), Fraction(0)) ** 2


FORMS = [
    Form("Hits@3", binary.hits_within, k=3),
    Form("RelP@3", binary.relp, k=3),
    Form("AllFound", binary.all_found),
    Form("AllFound@3", binary.all_found, k=3),
    Form("Rprec", binary.rprec),
    Form("SetP", binary.set_p),
    Form("SetRelP", binary.set_relp),
    Form("SetR", binary.set_r),
    Form("SetF", binary.set_f),
    Form("SetAP", binary.set_ap),
    Form("IPrec@0.5", binary.iprec, options={"recall": Fraction(1, 2)}),
    Form("IPrecMean", binary.iprec_mean),
    Form("EP@0.5", binary.ep, options={"recall": Fraction(1, 2)}),
    Form("binG", binary.bin_g),
    Form("Utility", binary.utility),
    Form("ADR", partial.adr, SCALE),
    Form("ADR@2", partial.adr, SCALE, k=2),
    Form("PairConcordance", partial.pair_concordance, SCALE),
    Form("Compat(p=0.5, depth=3)", partial.compat, SCALE, options={"p": Fraction(1, 2), "depth": 3}),
    Form("SetP(rel=2)", binary.set_p, SCALE, options={"rel": 2}),
    Form("INSQ(max_rel=2)", users.insq, SCALE, options={"max_rel": 2}, is_local=True),
    Form("SDCG(max_rel=2)@3", users.sdcg, SCALE, k=3, options={"max_rel": 2}, is_local=True),
    Form(
        "Cascade(gain={1: 0.5, 2: 0.75}, go_on={1: 0.6, 2: 0.5}, discount='inverse')@3",
        users.cascade,
        SCALE,
        k=3,
        options={"gain": {1: 0.5, 2: 0.75}, "go_on": {1: 0.6, 2: 0.5}, "discount": "inverse"},
        is_local=True,
    ),
    Form("MedRR", own_rr),
    Form("MedRR@3", own_rr, k=3),
    Form("MedSquares@3", squares, SCALE, k=3, is_local=True),
]


def groups(chance: random.Random, docs: list[str], ties: bool) -> list[list[str]]:
    found: list[list[str]] = []
    for doc in docs:
        if found and ties and chance.random() < 0.4:
            found[-1].append(doc)
        else:
            found.append([doc])
    return found


def instances(form: Form, ties: bool, n: int) -> dict[str, tuple[Groups, Groups, dict[str, int]]]:
    """Short rankings of which no unjudged document is below the cutoff, where it would not be looked at."""
    chance = seeded(f"{form.name} {ties}")
    pool = "abcde" if form.grades == BINARY else "abcd"
    found = {}
    for i in range(n):
        most = len(pool) if form.k is None else form.k
        a, b = (groups(chance, chance.sample(pool, chance.randint(0, most)), ties) for _ in "ab")
        share = chance.choice([0, 0.3, 0.7])
        found[f"q{i}"] = (a, b, {doc: chance.choice(form.grades) for doc in pool if chance.random() < share})
    return found


@pytest.mark.parametrize("ties", [False, True], ids=["untied", "tied"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_all_assignments(form: Form, ties: bool) -> None:
    drawn = instances(form, ties, INSTANCES // 2 if ties else INSTANCES)
    top = max(form.grades)
    names = [f"MED({form.name}, max_grade={top}{way})" for way in ("", ", direction='a-b'", ", direction='b-a'")]
    names.append(f"Delta({form.name}, max_grade={top})")
    runs = ({query: one[side] for query, one in drawn.items()} for side in (0, 1))
    qrels = {query: known for query, (_, _, known) in drawn.items() if known}
    found = untied.compare(*runs, names, qrels=qrels)
    rows = found.per_query.to_dicts()
    assert len(rows) == 4 * len(drawn)
    for start in range(0, len(rows), 4):
        a, b, known = drawn[str(rows[start]["query"])]
        expected = differences(form.score, a, b, known, form.grades, form.k, local=form.is_local)
        for row, value in zip(
            rows[start:], (max(expected.up, expected.down), expected.up, expected.down, expected.now), strict=False
        ):
            if row["certainty"] != "exact" and ties and form.measure is squares:
                # Every order of a tie group is a call of the formula, so the search may end early.
                assert row["low"] - 1e-12 <= float(value) <= row["high"] + 1e-12
                continue
            assert row["certainty"] == "exact"
            assert row["value"] == pytest.approx(float(value), rel=1e-12, abs=1e-12), (a, b, known, row)
        delta = rows[start + 3]
        assert (delta["low"], delta["high"]) == pytest.approx((-float(expected.down), float(expected.up)), abs=1e-12)


@pytest.mark.filterwarnings("ignore::untied.errors.UntiedWarning")  # documents of the qrels need not be retrieved
@pytest.mark.parametrize("ties", [False, True], ids=["untied", "tied"])
@pytest.mark.parametrize(
    ("general", "closed"),
    [
        ("MED(RelP(recall_base=9)@3)", "MED(P@3)"),
        ("MED(MedRR@4)", "MED(RR@4)"),
        ("MED(Cascade(gain={1: 0.5, 2: 0.75}, go_on={1: 0.5, 2: 0.25})@4)", "MED(Cascade(gain={1: 0.5, 2: 0.75})@4)"),
        ("MED(MedAP@4)", "MED(AP@4)"),
        ("MED(MedDCG@3, max_grade=2)", "MED(DCG@3, max_grade=2)"),
    ],
)
def test_closed_forms(general: str, closed: str, ties: bool) -> None:
    """Where a measure with a solver of its own is the same, the search finds the same."""
    chance = seeded(general)
    for _ in range(60):
        a, b = (groups(chance, chance.sample("abcdef", 4), ties) for _ in "ab")
        known = {doc: chance.randint(0, 2) for doc in "abcdef" if chance.random() < 0.3} | {"z": 2}
        one, other = (untied.compare(a, b, name, qrels=known) for name in (general, closed))
        assert one[one.measures[0]].mean == pytest.approx(other[other.measures[0]].mean, abs=1e-12)


@pytest.mark.parametrize("measure", ["Judged@3", "Unjudged@3", "NumNonrelJudgedRet"])
def test_measures_of_what_is_judged_do_not_change(measure: str) -> None:
    qrels, a, b = {"x": 1, "y": 0}, ["x", "p", "y"], ["q", "r", "x"]
    of_a, of_b = (untied.evaluate({"q": qrels}, {"q": run}, [measure]) for run in (a, b))
    expected = of_a[of_a.measures[0]].mean - of_b[of_b.measures[0]].mean
    found = untied.compare(a, b, [f"MED({measure})", f"Delta({measure})"], qrels=qrels)
    med, delta = (found[name] for name in found.measures)
    assert (med.low, med.mean, med.high) == (abs(expected),) * 3
    assert (delta.low, delta.high) == (expected, expected)


LONG = ["Rprec", "SetF", "IPrecMean", "SDCG(max_rel=1)@{depth}", "RelP@{depth}"]


@pytest.mark.parametrize(
    ("measure", "depth"),
    [
        *((measure, depth) for measure in LONG for depth in (10, 100, 1000) if (measure, depth) != ("IPrecMean", 100)),
        *at_night(("IPrecMean", 100)),
    ],
)
def test_long_rankings_are_enclosed_in_bounded_time(measure: str, depth: int) -> None:
    chance = random.Random(7)
    docs = [f"d{i}" for i in range(depth)]
    a, b = docs, sorted(docs, key=lambda doc: docs.index(doc) + chance.gauss(0, depth / 10))
    b = b[: depth * 3 // 4] + [f"e{i}" for i in range(depth - depth * 3 // 4)]
    name = f"MED({measure.format(depth=depth)})"
    start = process_time()
    found = untied.compare(a, b, name, threads=1)
    # Two seconds, and as much again for a slow machine and its neighbours, five times.
    assert process_time() - start < 20
    value = found[found.measures[0]]
    assert value.low is not None
    assert value.high is not None
    assert 0 < value.mean == value.low <= value.high <= 1 + 1e-12 or "SDCG" in measure
    again = untied.compare(a, b, name)
    assert again[again.measures[0]] == value
    # The grades with which the value is reached do reach it.
    assigned = again.assignment()
    assert assigned.value == value.mean


@pytest.mark.parametrize("depth", [100, 1000])
@pytest.mark.parametrize("measure", ["Rprec", "IPrecMean", "SetF", "EP@0.5", "MedDCG"])
def test_tied_rankings_are_enclosed_in_bounded_time(measure: str, depth: int) -> None:
    chance = random.Random(7)
    docs = [f"d{i}" for i in range(depth)]
    b = [doc if chance.random() < 0.5 else f"e{doc}" for doc in docs]
    for groups_of_a in (10, depth):
        a = [docs[i : i + groups_of_a] for i in range(0, depth, groups_of_a)]
        start = process_time()
        found = untied.compare(a, b, f"MED({measure})", threads=1)
        assert process_time() - start < 20  # as above
        value = found[found.measures[0]]
        assert value.low is not None
        assert value.high is not None
        assert 0 < value.mean == value.low <= value.high


def test_equal_rankings_differ_by_nothing() -> None:
    docs = [f"d{i}" for i in range(1000)]
    lengths = {doc: 100 + 37 * i % 900 for i, doc in enumerate(docs)}
    for ranking in ([docs], docs, [docs[:500], docs[500:]]):
        for measure in ("Rprec", "IPrecMean", "TBG", "MedRR"):
            found = untied.compare(ranking, ranking, f"MED({measure})", docs=lengths)
            value = found[found.measures[0]]
            assert (value.low, value.mean, value.high, value.certainty) == (0, 0, 0, "exact")


@pytest.mark.parametrize("measure", ["SetP", "SetRelP", "SetR", "SetF", "SetAP", "Utility"])
def test_no_order_changes_measures_of_sets(measure: str) -> None:
    """Rankings of the same documents differ by nothing; documents that the same rankings have are alike."""
    docs = [f"d{i}" for i in range(1000)]
    other = random.Random(1).sample(docs, 1000)
    found = untied.compare(docs, other, f"MED({measure})")
    value = found[found.measures[0]]
    assert (value.low, value.mean, value.high, value.certainty) == (0, 0, 0, "exact")
    found = untied.compare(docs[:20], other[:10] + docs[10:15], f"MED({measure})", ties="docid")
    assert found[found.measures[0]].certainty == "exact"


SETS: dict[str, Callable[..., Any]] = {
    "SetP": lambda hits, n, relevant: hits / n,
    "SetRelP": lambda hits, n, relevant: hits / numpy.minimum(n, relevant),
    "SetR": lambda hits, n, relevant: hits / relevant,
    "SetR(recall_base=9)": lambda hits, n, relevant: hits / 9,
    "SetF": lambda hits, n, relevant: 2 * hits / (relevant + n),
    "SetF(beta=0.25)": lambda hits, n, relevant: 1.25 * hits / (0.25 * relevant + n),
    "SetAP": lambda hits, n, relevant: hits**2 / (n * relevant),
    "Utility": lambda hits, n, relevant: 2 * hits - n + 0 * relevant,
}


@pytest.mark.parametrize("measure", SETS)
def test_long_rankings_by_measures_of_sets(measure: str) -> None:
    """All numbers of relevant documents that A alone, B alone and both may have."""
    a = [f"d{i}" for i in range(110)]
    b = [f"d{i}" for i in range(40, 120)] + [f"e{i}" for i in range(20)]
    only_a, only_b, shared = numpy.ogrid[:39, :30, :70]
    # Judged: one relevant document in each, one in both, and one in neither; and one of A is not relevant.
    qrels = {"d0": 1, "e0": 1, "d50": 1, "x": 1, "d1": 0}
    relevant = 4 + only_a + only_b + shared
    values = [SETS[measure](2 + alone + shared, n, relevant) for alone, n in ((only_a, 110), (only_b, 100))]
    expected = values[0] - values[1]
    found = untied.compare(a, b, [f"MED({measure})", f"Delta({measure})"], qrels=qrels)
    med, delta = (found[name] for name in found.measures)
    assert med.certainty == "exact"
    assert med.mean == pytest.approx(abs(expected).max(), rel=1e-12)
    assert (delta.low, delta.high) == pytest.approx((expected.min(), expected.max()), rel=1e-12)
    assert found.assignment(f"MED({measure})").value == med.mean


def test_what_is_refused() -> None:
    for name, why in {
        "MED(G)": "bounds",
        "MED(ESL)": "0 would be its best value",
        "MED(infAP)": "bounds",
        "MED(xinfAP)": "more than the grades",
        "MED(Rprec(judged_only=True))": "judged_only cannot be used for a difference of two rankings",
        "MED(AP(mean='geometric')@5)": "the difference of two geometric means is no mean of differences",
        "MED(Rprec, R='relevant')": "R is only for AP",
        "MED(Rprec, tail='upper')": "tail='upper' is only for",
        "MED(Rprec, ties='optimistic')": "is only for sums of gains times discounts",
    }.items():
        with pytest.raises(untied.MeasureError, match=why):
            untied.compare(["a"], ["b"], name)


def test_a_formula_that_fails() -> None:
    @untied.measure(best_by_grade=True, grows_with_grade=True, name="MedFails")
    def fails(grades: tuple[float, ...]) -> float:
        raise ArithmeticError("no value")

    with pytest.raises(ArithmeticError, match="no value"):
        untied.compare(["a", "b"], ["b", "c"], "MED(MedFails)")


def test_scale_without_judgments() -> None:
    """Grades up to `max_grade` count, though no document has one."""
    found = untied.compare(["a", "b"], ["b", "c"], "MED(MedSquares@2, max_grade=3)")
    expected = differences(lambda order, truth: squares(order, truth, 2), "ab", "bc", {}, (0, 1, 2, 3), 2)
    assert found[found.measures[0]].mean == pytest.approx(float(max(expected.up, expected.down)))


def test_estimated_bounds_are_said_to_be_estimates() -> None:
    """With one more relevant document, the mean of IPrec over the orders of 300 tied documents is an estimate."""
    docs = [f"d{i:03}" for i in range(300)]
    qrels = {"q": {doc: int(i < 33) for i, doc in enumerate(docs) if i != 33}}
    found = untied.compare({"q": [docs]}, {"q": docs[:1]}, ["Delta(IPrec@0.5)", "MED(IPrec@0.5)"], qrels=qrels)
    assert untied.evaluate(qrels, {"q": [docs]}, "IPrec@0.5").value("IPrec@0.5", query="q").certainty == "exact"
    assert [value.certainty for value in found.values()] == ["estimate"] * 2
