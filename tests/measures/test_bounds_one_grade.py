"""Bounds of Q, GAP, NCU, O and P+ with one relevant grade: the best and the worst of all assignments that count."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import untied
from nightly import many, seeded

MEASURES = [
    "Q",
    "Q(beta=0.3)@7",
    "GAP",
    "GAP@9",
    "NCU",
    "NCU(gamma=0.6)",
    "NCU(gamma=0.001)",
    "NCU(user='uniform', beta=2.5)",
    "NCU(user='graded-uniform', utility='P')",
    "O",
    "Pmeasure",
    "Pplus",
]


def instance(random: Random) -> tuple[list[list[str]], dict[str, int], list[str]]:
    """Groups of tied documents, judgments, and documents of the pool that are neither judged nor retrieved."""
    size = random.choice([5, 20, 60])
    docs = [f"d{i}" for i in range(size)]
    groups, rest = [], docs[:]
    while rest:
        cut = random.choice([1, 1, 2, 12])
        groups.append(rest[:cut])
        rest = rest[cut:]
    share = random.choice([0.1, 0.5])
    truth = {doc: random.choice([0, 0, 1]) for doc in docs if random.random() < share}
    truth.setdefault(random.choice(docs), 0)
    truth |= {f"known{i}": 1 for i in range(random.choice([0, 0, 1, 8]))}
    return groups, truth, [f"other{i}" for i in range(random.choice([0, 3, 40]))]


def assignments(groups: list[list[str]], truth: dict[str, int], others: list[str]) -> list[dict[str, int]]:
    """Any number of open documents relevant from the top or from the bottom, and any number of those not retrieved."""
    open_ = [doc for group in groups for doc in group if doc not in truth]
    found = []
    for order in (open_, open_[::-1]):
        for number in range(len(open_) + 1):
            for elsewhere in {0, len(others)} if 0 < number < len(open_) else range(len(others) + 1):
                relevant = {*order[:number], *others[:elsewhere]}
                found.append(truth | {doc: int(doc in relevant) for doc in [*open_, *others]})
    return found


@pytest.mark.parametrize("ties", ["expected", "range"])
def test_to_the_last_bit(ties: str) -> None:
    random = seeded(f"one grade {ties}")
    for _ in range(many(6)):
        groups, truth, others = instance(random)
        if 1 not in truth.values():
            truth["known"] = 1  # the grade is known, and no assignment leaves a measure undefined
        run = {doc: -float(number) for number, group in enumerate(groups) for doc in group}
        pool = truth | dict.fromkeys(others, -1)
        options: dict[str, Any] = {"ties": ties} if ties == "range" else {}
        found = untied.evaluate({"q": pool}, {"q": run}, MEASURES, unjudged="range", unretrieved="pooled", **options)
        all_ = {str(number): grades for number, grades in enumerate(assignments(groups, truth, others))}
        values = untied.evaluate(all_, dict.fromkeys(all_, run), MEASURES, **options)
        for measure in MEASURES:
            scores = [values.value(measure, query=query) for query in all_]
            bounds = found.value(measure, query="q")
            if ties == "range":
                expected = min(score.low for score in scores), max(score.high for score in scores)
            else:
                expected = min(float(score) for score in scores), max(float(score) for score in scores)
            assert (bounds.low, bounds.high) == expected, (measure, groups, truth, others)


@pytest.mark.parametrize("measure", MEASURES)
def test_undefined_without_relevant_documents(measure: str) -> None:
    """With nothing relevant there is no value; with any document there is."""
    qrels = {"q": {"a": 0, "b": -1, "x": -1}, "else": {"a": 1}}
    run = {"q": {"a": 2.0, "b": 1.0}, "else": {"a": 1.0}}
    found = untied.evaluate(qrels, run, [measure], unjudged="range", unretrieved="pooled")
    bounds = found.value(measure, query="q")
    assert bounds.low == 0.0
    assert 0 < bounds.high <= 1
