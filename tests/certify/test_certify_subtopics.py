"""Verdicts in measures of subtopics against all assignments of subtopics to documents, in exact fractions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any

import pytest

import untied
from nightly import many, seeded
from oracle import subtopics as oracle
from oracle.enumeration import permutations
from oracle.judgements import Groups
from untied import _core
from untied.errors import MeasureError, UntiedError
from untied.inputs.convert import as_qrels
from untied.results.difference_bounds import DifferenceBounds

Of = Callable[[Sequence[str], Any], Fraction]
DOCUMENTS = "abcd"
#: Measure, its value for one order, and the grades that a document may have for a subtopic.
MEASURES: dict[str, tuple[Of, tuple[int, ...]]] = {
    "alpha_DCG@3": (partial(oracle.alpha_dcg, k=3), (0, 1)),
    "alpha_DCG(alpha=0.25)@4": (partial(oracle.alpha_dcg, k=4, alpha=0.25), (0, 1)),
    "alpha_DCG(alpha=0)@2": (partial(oracle.alpha_dcg, k=2, alpha=0), (0, 1)),
    "ERR_IA@3": (partial(oracle.err_ia, k=3), (0, 1)),
    "ERR_IA(rel=2)@5": (partial(oracle.err_ia, k=5, rel=2), (0, 2)),
    "NRBP": (oracle.nrbp, (0, 1)),
    "NRBP(alpha=0.25, beta=0.8)": (partial(oracle.nrbp, alpha=0.25, beta=0.8), (0, 1)),
    "AP_IA": (oracle.ap_ia, (0, 1)),
    "AP_IA(rel=2)@2": (partial(oracle.ap_ia, k=2, rel=2), (0, 2)),
    "P_IA@3": (partial(oracle.p_ia, k=3), (0, 1)),
    "P_IA@5": (partial(oracle.p_ia, k=5), (0, 1)),
    "StRecall@2": (partial(oracle.st_recall, k=2), (0, 1)),
    "StRecall@5": (partial(oracle.st_recall, k=5), (0, 1)),
    "RBU(max_grade=2)@3": (partial(oracle.rbu, k=3, max_grade=2), (0, 1, 2)),
    "RBU(max_grade=4, p=0.5, e=0.5)": (partial(oracle.rbu, p=0.5, e=0.5, max_grade=4), (0, 3)),
}
#: Judgments of one document: a grade for each of two subtopics.
Both = tuple[int, int]


def ranking(chance: random.Random, ties: bool) -> Groups:
    groups: list[list[str]] = []
    for doc in chance.sample(DOCUMENTS, chance.choice([0, 2, 3, 4, 4])):
        if groups and ties and chance.random() < 0.4:
            groups[-1].append(doc)
        else:
            groups.append([doc])
    return groups


def by_subtopic(judged: Mapping[str, Both]) -> dict[str, dict[str, int]]:
    """All zeros are stated, because a document that one subtopic judges is known."""
    return {f"s{number}": {doc: grades[number] for doc, grades in judged.items()} for number in range(2)}


def enumerated(of: Of) -> Callable[[Groups, Mapping[str, Both]], Fraction]:
    """The mean over tie orders, remembered by the grades of the documents."""

    @cache
    def mean(groups: tuple[tuple[str, ...], ...], judged: tuple[tuple[str, Both], ...]) -> Fraction:
        truth = by_subtopic(dict(judged))
        values = [of(order, truth) for order in permutations(groups)]
        return sum(values, Fraction(0)) / len(values)

    return lambda groups, judged: mean(tuple(map(tuple, groups)), tuple(sorted(judged.items())))


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
@pytest.mark.parametrize("ties", [False, True], ids=["untied", "tied"])
@pytest.mark.parametrize("name", MEASURES)
def test_all_assignments(name: str, ties: bool) -> None:
    """Both directions of every query, and the bounds of the mean."""
    chance = seeded(f"subtopics {name} {ties}")
    of, possible = MEASURES[name]
    mean = enumerated(of)
    qrels, runs = {}, {"a": {}, "b": {}}
    extremes: list[tuple[Fraction, Fraction]] = []
    count = many(20, nightly=800) if ties else many(60, nightly=1600)
    while len(qrels) < count:
        share = chance.choice([0.3, 0.7, 1])
        known: dict[str, Both] = {
            doc: (chance.choice(possible), chance.choice(possible)) for doc in DOCUMENTS if chance.random() < share
        }
        # A document that neither ranking has tells that there are such subtopics.
        known["y"] = (possible[-1], chance.choice(possible))
        a, b = ranking(chance, ties), ranking(chance, ties)
        covered = [any(grades[number] for grades in known.values()) for number in range(2)]
        unknown = sorted({doc for group in [*a, *b] for doc in group} - known.keys())
        if len(unknown) > (3 if len(possible) == 2 else 2):
            continue
        query = f"q{len(qrels):04}"
        choices = [grades for grades in itertools.product(possible, repeat=2)
                   if all(of_query or not grade for of_query, grade in zip(covered, grades, strict=True))]  # fmt: skip
        differences = []
        for chosen in itertools.product(choices, repeat=len(unknown)):
            judged = known | dict(zip(unknown, chosen, strict=True))
            differences.append(mean(a, judged) - mean(b, judged))
        extremes.append((min(differences), max(differences)))
        qrels[query] = by_subtopic(known)
        runs["a"][query], runs["b"][query] = a, b
    table = as_qrels(qrels, None, "subtopics")
    loaded = {side: untied.Run(run) for side, run in runs.items()}
    policies = _core.Policies("runs", unjudged="nonrelevant")
    bounds = DifferenceBounds(table, loaded, policies, None, None).bounds(_core.Measure(name), [("a", "b"), ("b", "a")])
    assert bounds is not None
    (lows, highs), (negative_highs, negative_lows) = bounds
    is_enclosed = ties and name.startswith("AP_IA")
    for query, (low, high), *found in zip(qrels, extremes, lows, highs, strict=True):
        if is_enclosed:
            assert found[0] <= low + 1e-12, (query, qrels[query], runs)
            assert high - 1e-12 <= found[1], (query, qrels[query], runs)
        else:
            assert found == pytest.approx([float(low), float(high)], abs=1e-12), (query, qrels[query], runs)
    assert [-high for high in negative_highs] == pytest.approx(list(highs), abs=1e-12)
    assert [-low for low in negative_lows] == pytest.approx(list(lows), abs=1e-12)
    verdict = untied.certify(table, loaded, name)["a", "b"][name]
    ends = [float(sum(values, Fraction(0)) / count) for values in zip(*extremes, strict=True)]
    if is_enclosed:
        assert verdict.low <= ends[0] <= ends[1] <= verdict.high
        return
    assert (verdict.low, verdict.high) == pytest.approx(tuple(ends), abs=1e-12)
    assert verdict.is_exact
    assert verdict.verdict == ("A" if ends[0] > 1e-9 else "B" if ends[1] < -1e-9 else "open")


QRELS = {"q": {"s": {"a": 1, "c": 0}, "t": {"c": 2}}}
RUNS = {"a": {"q": ["a", "x"]}, "b": {"q": ["x", "c"]}}


@pytest.mark.parametrize("name", ["alpha_nDCG@3", "nERR_IA@3", "nNRBP", "D_nDCG@3", "Dsharp_nDCG@3", "RBU@3"])
def test_divisors_that_judgments_change(name: str) -> None:
    with pytest.raises(MeasureError, match="the grades of unjudged documents change what it is divided by"):
        untied.certify(as_qrels(QRELS, None, "subtopics"), RUNS, name)


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # a run has no judged document
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda qrels: untied.certify(qrels, RUNS, "ERR_IA"), "ERR_IA needs a cutoff, for instance ERR_IA@10"),
        (lambda qrels: untied.certify(qrels, RUNS, "P_IA@3", ties="range"), "for all orders of ties is not known"),
        (lambda qrels: untied.certify({"q": {"a": 1}}, RUNS, "P_IA@3"), "P_IA@3 needs judgments by subtopic"),
        (
            lambda qrels: untied.certify(qrels, RUNS, "P_IA@3").explain("a", "b"),
            "a verdict in P_IA@3 cannot be explained by grades of documents, because an unjudged document may have",
        ),
    ],
)
def test_refusals(call: Callable[[Any], object], message: str) -> None:
    with pytest.raises(UntiedError, match=message):
        call(as_qrels(QRELS, None, "subtopics"))


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # a run has no judged document
def test_documents_outside_the_pool_are_not_relevant() -> None:
    """They are judged 0 for every subtopic, and a pooled one is open."""
    qrels = {"q": {"s": {"a": 1, "x": -1, "z": -1}, "t": {"a": 1}}}
    table = as_qrels(qrels, None, "subtopics")
    runs = {"a": {"q": ["x", "u"]}, "b": {"q": ["v", "w"]}}
    found = untied.certify(table, runs, "P_IA@2", unjudged="pooled")["a", "b"]["P_IA@2"]
    assert (found.low, found.high) == (0.0, 0.5)
    anything = untied.certify(table, runs, "P_IA@2")["a", "b"]["P_IA@2"]
    assert (anything.low, anything.high) == (-1.0, 1.0)
    assert untied.certify(table, runs, "P_IA@2", most=0)["a", "b"]["P_IA@2"].high == 0.0
