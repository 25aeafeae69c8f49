"""MED and Delta of measures of novelty against all assignments of subtopics to documents, in exact fractions."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest

import untied
from nightly import many, seeded
from oracle.difference import Score, differences
from oracle.judgements import Groups, Subtopics, discount_at
from oracle.subtopics import ap_ia_by_depth, d_ndcg_by_top, nrbp, rbu, st_recall

#: The depth that rankings are filled to.
K = 3
#: Measure, alpha, discount.
MEASURES = [
    ("alpha_nDCG@3", Fraction(1, 2), "log2"),
    ("alpha_DCG(alpha=0.25)@3", Fraction(1, 4), "log2"),
    ("alpha_nDCG(alpha=1)@3", Fraction(1), "log2"),
    ("alpha_DCG(alpha=0)@3", Fraction(0), "log2"),
    ("ERR_IA@3", Fraction(1, 2), "inverse"),
    ("nERR_IA(rel=2)@3", Fraction(1, 2), "inverse"),
    ("StRecall@3", Fraction(1), "none"),
    ("P_IA@3", Fraction(0), "none"),
]


def novelty(alpha: Fraction, discount: str, subtopics: Sequence[int]) -> Score:
    """The sum over subtopics by that of K documents that are relevant to all; grades are sets of subtopics, as bits."""
    weights = [discount_at(rank, discount) for rank in range(1, K + 1)]
    best = len(subtopics) * sum(weight * (1 - alpha) ** i for i, weight in enumerate(weights))

    def score(order: Sequence[str], truth: Mapping[str, int]) -> Fraction:
        total = Fraction(0)
        for subtopic in subtopics:
            met = 0
            for doc, weight in zip(order, weights, strict=False):
                if truth[doc] >> subtopic & 1:
                    total += weight * (1 - alpha) ** met
                    met += 1
        return total / best

    return score


def by_subtopic(known: Mapping[str, int], grade: int) -> dict[str, dict[str, int]]:
    """Judgments of two subtopics; not all zeros are stated, as a document that one subtopic judges is known."""
    found: dict[str, dict[str, int]] = {"s0": {}, "s1": {}}
    for doc, mask in known.items():
        for subtopic in range(2):
            if mask >> subtopic & 1 or subtopic == 0:
                found[f"s{subtopic}"][doc] = grade * (mask >> subtopic & 1)
    return {name: grades for name, grades in found.items() if grades}


def ranking(chance: random.Random, ties: bool) -> Groups:
    groups: list[list[str]] = []
    for doc in chance.sample("abcd", chance.choice([2, 3, 3, 4])):
        if groups and ties and chance.random() < 0.4:
            groups[-1].append(doc)
        else:
            groups.append([doc])
    return groups


@pytest.mark.parametrize("ties", [False, True], ids=["untied", "tied"])
@pytest.mark.parametrize(("name", "alpha", "discount"), MEASURES, ids=lambda value: str(value))
def test_all_assignments(name: str, alpha: Fraction, discount: str, ties: bool) -> None:
    chance = seeded(f"{name} {ties}")
    drawn: dict[str, tuple[Groups, Groups, dict[str, int], list[int]]] = {}
    while len(drawn) < (30 if ties else 120):
        share = chance.choice([0.3, 0.7, 1])
        known = {doc: chance.randrange(4) for doc in "abcd" if chance.random() < share}
        # Documents that neither ranking has tell that there are such subtopics.
        known["y"], known["z"] = 1, chance.choice([0, 2])
        covered = sorted({subtopic for mask in known.values() for subtopic in range(2) if mask >> subtopic & 1})
        a, b = ranking(chance, ties), ranking(chance, ties)
        shown = {doc for groups in (a, b) for group in groups for doc in group}
        lacking = sum(max(0, K - sum(map(len, groups))) for groups in (a, b))
        if len(shown - known.keys()) + lacking <= 4:
            drawn[f"q{len(drawn)}"] = a, b, known, covered
    runs = ({query: one[side] for query, one in drawn.items()} for side in (0, 1))
    grade = 2 if "rel=2" in name else 1
    qrels = {query: by_subtopic(one[2], grade) for query, one in drawn.items()}
    names = [f"MED({name}, direction='a-b')", f"MED({name}, direction='b-a')", f"MED({name})", f"Delta({name})"]
    found = untied.compare(*runs, names, qrels=qrels)
    names = found.measures
    for query, (a, b, known, covered) in drawn.items():
        grades = [
            mask for mask in range(4) if all(subtopic in covered for subtopic in range(2) if mask >> subtopic & 1)
        ]
        expected = differences(novelty(alpha, discount, covered), a, b, known, grades, K)
        up, down, med, delta = (found.value(one, query) for one in names)
        assert (up.mean, down.mean, med.mean) == (
            pytest.approx(float(expected.up), rel=1e-12, abs=1e-13),
            pytest.approx(float(expected.down), rel=1e-12, abs=1e-13),
            pytest.approx(float(max(expected.up, expected.down)), rel=1e-12, abs=1e-13),
        )
        assert delta.mean == pytest.approx(float(expected.now), rel=1e-12, abs=1e-13)
        assert med.certainty == "exact"


Of = Callable[[Sequence[str], Subtopics], Fraction]
#: The highest grade in the tests of graded judgments.
TOP = 2


def sharp(gamma: Fraction, k: int = K, rel: int = 1, **options: Any) -> Of:
    """D#-nDCG as MED divides it."""
    return lambda order, truth: (
        gamma * st_recall(order, truth, k, rel) + (1 - gamma) * d_ndcg_by_top(order, truth, k, TOP, rel=rel, **options)
    )


#: Measure, its value for one order, whether it has a cutoff, and the lowest relevant grade.
GRADED: list[tuple[str, Of, bool, int]] = [
    ("NRBP", nrbp, False, 1),
    ("nNRBP(alpha=0.25, beta=0.8)", lambda order, truth: nrbp(order, truth, 1, 0.25, 0.8), False, 1),
    ("NRBP(alpha=1, rel=2)", lambda order, truth: nrbp(order, truth, 2, 1), False, 2),
    ("nNRBP(alpha=0)", lambda order, truth: nrbp(order, truth, 1, 0), False, 1),
    (f"AP_IA@{K}", lambda order, truth: ap_ia_by_depth(order, truth, K), True, 1),
    ("AP_IA(rel=2)@2", lambda order, truth: ap_ia_by_depth(order, truth, 2, 2), True, 2),
    (f"D_nDCG@{K}", lambda order, truth: d_ndcg_by_top(order, truth, K, TOP), True, 1),
    (
        "D_nDCG(gain='exp2', discount='inverse')@2",
        lambda order, truth: d_ndcg_by_top(order, truth, 2, TOP, "exp2", "inverse"),
        True,
        1,
    ),
    (f"D_nDCG(rel=2)@{K}", lambda order, truth: d_ndcg_by_top(order, truth, K, TOP, rel=2), True, 2),
    (f"Dsharp_nDCG@{K}", sharp(Fraction(1, 2)), True, 1),
    ("Dsharp_nDCG(gamma=0.125)@2", sharp(Fraction(1, 8), 2), True, 1),
    ("Dsharp_nDCG(gamma=0.25, gain='exp2')@1", sharp(Fraction(1, 4), 1, gain="exp2"), True, 1),
    (f"Dsharp_nDCG(gamma=0.75, rel=2)@{K}", sharp(Fraction(3, 4), rel=2), True, 2),
    (f"RBU@{K}", lambda order, truth: rbu(order, truth, K, max_grade=TOP), True, 1),
    ("RBU", lambda order, truth: rbu(order, truth, max_grade=TOP), False, 1),
    ("RBU(e=0.5, rel=2)", lambda order, truth: rbu(order, truth, None, 2, e=0.5, max_grade=TOP), False, 2),
    ("RBU(p=0.5, max_grade=3)@2", lambda order, truth: rbu(order, truth, 2, p=0.5, max_grade=3), True, 1),
]


def graded(of: Of) -> Score:
    """The score by grades for two subtopics, as the digits of one number to the base 3."""

    def score(order: Sequence[str], truth: Mapping[str, int]) -> Fraction:
        return of(order, {f"s{i}": {doc: code // 3**i % 3 for doc, code in truth.items()} for i in range(2)})

    return score


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # rankings of a measure with a cutoff may be short
@pytest.mark.parametrize("ties", [False, True], ids=["untied", "tied"])
@pytest.mark.parametrize(("name", "of", "cuts", "rel"), GRADED, ids=[row[0] for row in GRADED])
def test_all_grades(name: str, of: Of, cuts: bool, rel: int, ties: bool) -> None:
    """Of two subtopics, and of one that no judged document is relevant to."""
    chance = seeded(f"{name} {ties}")
    k = int(name.partition("@")[2]) if cuts else None
    drawn: dict[str, tuple[Groups, Groups, dict[str, int]]] = {}
    while len(drawn) < many(12 if ties else 25, 120):
        share = chance.choice([0.4, 0.7, 1])
        known = {doc: chance.randrange(9) for doc in "abcd" if chance.random() < share}
        # Documents that neither ranking has tell that there are such subtopics, and the highest grade.
        known["y"], known["z"] = TOP, chance.choice([0, 3, 3 * TOP])
        a, b = ranking(chance, ties), ranking(chance, ties)
        shown = {doc for groups in (a, b) for group in groups for doc in group}
        lacking = sum(max(0, (k or 0) - sum(map(len, groups))) for groups in (a, b))
        if len(shown - known.keys()) + lacking <= 2:
            drawn[f"q{len(drawn)}"] = a, b, known
    runs = ({query: one[side] for query, one in drawn.items()} for side in (0, 1))
    qrels = {
        query: {f"s{i}": {doc: code // 3**i % 3 for doc, code in known.items()} for i in range(2)}
        for query, (_, _, known) in drawn.items()
    }
    names = [f"MED({name}, direction='a-b')", f"MED({name}, direction='b-a')", f"Delta({name})"]
    found = untied.compare(*runs, names, qrels=qrels)
    names = found.measures
    for query, (a, b, known) in drawn.items():
        covered = [i for i in range(2) if any(code // 3**i % 3 >= rel for code in known.values())]
        grades = [code for code in range(9) if all(i in covered for i in range(2) if code // 3**i % 3)]
        # Whatever else is judged is relevant, so these documents always count.
        told = graded(of)
        expected = differences(lambda order, truth: told(order, {**known, **truth}), a, b, known, grades, k)  # noqa: B023
        up, down, delta = (found.value(one, query) for one in names)
        assert (up.mean, down.mean, delta.mean) == (
            pytest.approx(float(expected.up), rel=1e-11, abs=1e-12),
            pytest.approx(float(expected.down), rel=1e-11, abs=1e-12),
            pytest.approx(float(expected.now), rel=1e-11, abs=1e-12),
        ), (query, a, b, known)
        assert (up.certainty, down.certainty) == ("exact", "exact")


@pytest.mark.parametrize(("name", "alpha", "discount"), MEASURES, ids=lambda value: str(value))
def test_without_judgments_the_number_of_subtopics_cancels(name: str, alpha: Fraction, discount: str) -> None:
    chance = seeded(name)
    for _ in range(many(15)):
        a, b = ([[doc] for doc in chance.sample("abcd", K)] for _ in "ab")
        expected = differences(novelty(alpha, discount, [0, 1]), a, b, {}, range(4), K)
        one = differences(novelty(alpha, discount, [0]), a, b, {}, range(2), K)
        assert expected == one
        found = untied.compare(a, b, f"MED({name})").value(f"MED({name})").mean
        assert found == pytest.approx(float(max(one.up, one.down)), rel=1e-12, abs=1e-13)


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # what is judged is in neither ranking
def test_expected_differences() -> None:
    """Every unknown document is relevant to each subtopic with probability p: of a and b alone, all cases by hand."""
    qrels = {"q": {"1": {"y": 1}, "2": {"z": 1}}}
    name = "Delta(alpha_nDCG@2, p=0.5)"
    found = untied.compare({"q": ["a", "b"]}, {"q": ["b", "a"]}, name, qrels=qrels).value(name)
    first, second = 1.0, float(discount_at(2, "log2"))
    # A subtopic adds first - second where a alone is relevant to it, the negative where b alone is.
    variance = (first - second) ** 2 / 2 * 2 / (2 * (first + second / 2)) ** 2
    assert (found.mean, found.variance) == (pytest.approx(0, abs=1e-15), pytest.approx(variance))


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # random rankings may share nothing with the judgments
def test_any_cascade() -> None:
    """A cascade whose user stops with a probability equal to the gain, and discounts that fall."""
    chance = seeded("cascade")
    name = "MED(Cascade(gain={1: 0.25, 2: 0.5}, discount=[1, 0.9, 0.2])@3, max_grade=2)"

    def score(order: Sequence[str], truth: Mapping[str, int]) -> Fraction:
        total, reach = Fraction(0), Fraction(1)
        for doc, weight in zip(order, [Fraction(1), Fraction(9, 10), Fraction(1, 5)], strict=False):
            gain = Fraction(truth[doc], 4)
            total += weight * reach * gain
            reach *= 1 - gain
        return total

    for _ in range(many(50)):
        a, b = (ranking(chance, ties=False) for _ in "ab")
        known = {doc: chance.randrange(3) for doc in "abcd" if chance.random() < 0.4}
        expected = differences(score, a, b, known, range(3), K)
        found = untied.compare(a, b, name, qrels=known or None)
        assert found[name].mean == pytest.approx(float(max(expected.up, expected.down)), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("MED(alpha_nDCG)", "alpha_nDCG needs a cutoff, for instance alpha_nDCG@10"),
        ("MED(alpha_nDCG(alpha=2)@3)", "alpha must be a number from 0 to 1"),
        ("MED(ERR_IA@3, tail='upper')", "tail='upper' is only for"),
        ("MED(P_IA@3, ties='optimistic')", "is only for sums of gains times discounts"),
        ("MED(D_nDCG)", "D_nDCG needs a cutoff, for instance D_nDCG@10"),
        ("MED(AP_IA@3, R='relevant')", "R is only for AP"),
        ("MED(RBU(max_grade=1)@3, max_grade=2)", "grade 2 is above max_grade = 1"),
        ("MED(Dsharp_nDCG(discount=[1, -1])@2)", "needs discounts of at least 0"),
        ("MED(Cascade(gain={1: 2})@3)", "the gain of grade 1 is 2"),
    ],
)
def test_what_is_refused(name: str, message: str) -> None:
    with pytest.raises(untied.UntiedError, match=message):
        untied.compare(["a"], ["b"], name)


def test_judgments_without_subtopics_are_refused() -> None:
    run: Any = {"q": ["a", "b"]}
    with pytest.raises(untied.UntiedError, match="alpha_nDCG@3 needs judgments by subtopic"):
        untied.compare(run, run, "MED(alpha_nDCG@3)", qrels={"q": {"a": 1}})
