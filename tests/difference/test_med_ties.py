"""MED of long rankings with ties: certified, or enclosed, after a bounded number of steps."""

from __future__ import annotations

import math
import random
from time import process_time
from typing import Any

import pytest

import untied

Groups = list[list[str]]


def grouped(docs: list[str], groups: int) -> Groups:
    return [docs[len(docs) * i // groups : len(docs) * (i + 1) // groups] for i in range(groups)]


def pair(documents: int, groups: tuple[int, int], noise: float) -> tuple[Groups, Groups]:
    """A ranking and another one of the same documents, whose order is that of disturbed logarithms of ranks."""
    chance = random.Random(7)
    docs = [f"d{i:04}" for i in range(documents)]
    keys = [(math.log(i + 1) + noise * chance.gauss(0, 1), doc) for i, doc in enumerate(docs)]
    return grouped(docs, groups[0]), grouped([doc for _, doc in sorted(keys)], groups[1])


def found(a: Groups, b: Groups, measure: str, **options: Any) -> untied.Value:
    start = process_time()
    compared = untied.compare(a, b, measure, threads=1, **options)
    # A second, and as much again for a slow machine and its neighbours, five times.
    assert process_time() - start < 10
    return compared[compared.measures[0]]


SHAPES = {
    "one group": (1000, (1, 1000), 10.0),
    "one group each": (1000, (1, 1), 10.0),
    "ten groups, near": (1000, (10, 10), 0.3),
    "ten groups": (1000, (10, 10), 10.0),
    "pairs, near": (400, (200, 200), 0.3),
    "pairs": (400, (200, 200), 10.0),
    "few ties": (1000, (900, 900), 0.3),
}
#: Most of an interval's width, by measure and shape; exact where there is none.
WIDTHS = {
    ("ERR(max_grade=1)", "pairs, near"): 1e-3,
    ("ERR(max_grade=1)", "few ties"): 2e-3,
    ("ERR_IA", "pairs, near"): 1e-3,
    ("ERR_IA", "few ties"): 2e-3,
}


@pytest.mark.parametrize("measure", ["AP", "RR", "Success", "ERR", "ERR(max_grade=1)"])
def test_a_tied_ranking_beside_itself(measure: str) -> None:
    docs = [f"d{i:04}" for i in range(1000)]
    groups = [docs[:7], docs[7:300], *([docs[i], docs[i + 1]] for i in range(300, 1000, 2))]
    for judged in ({}, {"d0003": 1, "d0200": 0, "other": 1}):
        value = found(groups, groups, f"MED({measure}@100)", **({"qrels": judged} if judged else {}))
        assert (value.mean, value.low, value.high, value.certainty) == (0, 0, 0, "exact")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("measure", ["AP", "RR", "Success", "StRecall", "ERR", "ERR(max_grade=1)", "ERR_IA"])
def test_certified(measure: str, shape: str) -> None:
    a, b = pair(*SHAPES[shape])
    value = found(a, b, f"MED({measure}@{SHAPES[shape][0]})")
    assert value.low is not None
    assert value.high is not None
    assert value.low <= value.mean <= value.high
    width = WIDTHS.get((measure, shape), 0.0)
    assert value.high - value.low <= width
    assert value.certainty == ("interval" if value.high > value.low else "exact")


@pytest.mark.parametrize("shape", SHAPES)
def test_one_group_of_tbg(shape: str) -> None:
    """All documents are as long, or none; S(A) lies between 0 and what all relevant documents are worth."""
    a, b = pair(*SHAPES[shape])
    chance = random.Random(3)
    for lengths in ({doc: 500 for group in a for doc in group}, {d: chance.randrange(100, 3000) for g in a for d in g}):
        value = found(a, b, "MED(TBG)", docs=lengths)
        assert value.low is not None
        assert value.high is not None
        assert 0 <= value.low <= value.mean <= value.high <= 20
        if shape not in {"ten groups, near", "one group", "one group each"}:
            assert value.high == pytest.approx(value.low, abs=1e-9)


@pytest.mark.parametrize("measure", ["U", "R@1000", "F1@1000", "Bpref", "nDCG@1000", "RBP(p=0.9)", "P@500"])
def test_formulas(measure: str) -> None:
    """They take no search."""
    docs = {f"d{i:04}": 100 + i for i in range(1000)} if measure == "U" else None
    for shape in ("one group", "ten groups", "few ties"):
        value = found(*pair(*SHAPES[shape]), f"MED({measure})", docs=docs)
        assert value.low == value.mean == value.high


def test_a_tail_counts_for_tied_rankings_too() -> None:
    """What could follow stops users of the ranking ahead: it is the limit of longer and longer cutoffs."""
    a, b = [["a", "b"], ["c"]], [["c", "d"], ["a"]]
    tail = found(a, b, "MED(ERR(max_grade=2), tail='upper')")
    assert tail.certainty == "exact"
    assert tail.low == tail.mean == tail.high
    for cutoff in (10, 100, 1000):
        assert found(a, b, f"MED(ERR(max_grade=2)@{cutoff})").mean == pytest.approx(tail.mean, abs=1.1 / cutoff)
    assert found(a, b, "MED(ERR(max_grade=2)@2000)").mean == pytest.approx(tail.mean, abs=1e-6)


def test_an_end_within_a_group_counts() -> None:
    """Of a group that a cutoff divides, half of the orders have a document above it."""
    a, b = [["a", "b"]], [["b"], ["a"]]
    # Only a is relevant: S(A) is 1/2; only b: S(B) is 1, S(A) 1/2.
    for measure in ("RR@1", "Success@1", "P@1"):
        value = found(a, b, f"MED({measure})")
        assert (value.mean, value.certainty) == (0.5, "exact")


@pytest.mark.parametrize("measure", ["ERR(max_grade=1)@400", "TBG"])
def test_threads_and_repetition_do_not_matter(measure: str) -> None:
    a, b = pair(*SHAPES["pairs, near"])
    docs = {doc: 100 + 7 * int(doc[1:]) for group in a for doc in group} if measure == "TBG" else None
    runs = ({f"q{i}": ranking for i in range(2)} for ranking in (a, b))
    one, two = runs
    values = set()
    for threads in (1, 2):
        compared = untied.compare(one, two, f"MED({measure})", docs=docs, threads=threads)
        for query in compared.queries:
            value = compared.value(compared.measures[0], query)
            values.add((value.low, value.mean, value.high, value.certainty))
    assert len(values) == 1


def test_assignments_reach_the_value() -> None:
    """With the grades that are named as relevant, the difference is the value."""
    a, b = pair(100, (20, 33), 0.3)
    for measure in ("AP@100", "ERR(max_grade=1)@100", "RR@100"):
        compared = untied.compare(a, b, f"MED({measure})")
        [query] = compared.queries
        assigned = compared.assignment(f"MED({measure})", query)
        grades = {doc: 0.0 for group in a for doc in group} | dict(assigned.grades)
        name = measure.replace("AP@100", "AP(recall_base=100)@100")
        of_a, of_b = (
            untied.evaluate({"q": grades}, {"run": {"q": ranking}}, name).value(name, "q").mean for ranking in (a, b)
        )
        assert abs(of_a - of_b) == pytest.approx(compared[f"MED({measure})"].mean, abs=1e-12)
