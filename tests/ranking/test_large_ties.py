"""Large tie groups, up to a million documents, against sums over all counts of documents or all ranks."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import untied
from nightly import at_night
from oracle.users import tbg

COUNTS = {3: 8, 2: 8, 1: 14, 0: 14}
"""Documents by grade: 9 x 9 x 15 x 15 counts, of which the core visits 16,384 at most where it has a formula."""
BEFORE = {1: 2, 2: 1}
"""Documents that are ranked above the group, one by one."""
START = sum(BEFORE.values()) + 2

Term = Callable[[int, int, dict[int, int]], float]


def by_counts(term: Term, counts: dict[int, int]) -> tuple[float, float]:
    """Mean and variance of the sum of ``term(position in the group, grade, documents above by grade)``."""
    grades = list(counts)
    size = sum(counts.values())
    found = {tuple(counts.values()): (0.0, 0.0)}
    points = itertools.product(*(range(count, -1, -1) for count in counts.values()))
    next(points)
    for point in points:
        placed = dict(zip(grades, point, strict=True))
        above = sum(point)
        mean = square = 0.0
        for kind, grade in enumerate(grades):
            left = counts[grade] - point[kind]
            if left:
                after, spread = found[*point[:kind], point[kind] + 1, *point[kind + 1 :]]
                share = left / (size - above)
                value = term(above, grade, placed) + after
                mean += share * value
                square += share * (spread + value * value)
        found[point] = mean, max(square - mean * mean, 0.0)
    return found[(0,) * len(grades)]


def ideal() -> list[int]:
    """Sums of gains of the ideal ranking."""
    gains = [grade for grade in (3, 2, 1) for _ in range(COUNTS[grade] + BEFORE.get(grade, 0))]
    return list(itertools.accumulate(gains + [0] * 100))


def ratio(grade: int, placed: dict[int, int], position: int) -> float:
    """The blended ratio at a relevant document of the group."""
    counted = sum((1 + other) * (number + BEFORE.get(other, 0)) for other, number in placed.items() if other)
    rank = START + position + 1
    return (counted + 1 + grade) / (rank + ideal()[rank - 1])


def blended(position: int, grade: int, placed: dict[int, int]) -> float:
    return ratio(grade, placed, position) if grade else 0.0


def graded(position: int, grade: int, placed: dict[int, int]) -> float:
    return grade * ratio(grade, placed, position) if grade else 0.0


def rank_biased(position: int, grade: int, placed: dict[int, int]) -> float:
    hits = sum(BEFORE.values()) + position - placed[0]
    return 0.95**hits * ratio(grade, placed, position) if grade else 0.0


def over_thresholds(position: int, grade: int, placed: dict[int, int]) -> float:
    if not grade:
        return 0.0
    share = {g: g * (g + 1) / 2 for g in range(4)}
    above = sum((number + BEFORE.get(other, 0)) * share[min(other, grade)] for other, number in placed.items() if other)
    return (above + share[grade]) / (START + position + 1)


RELEVANT = {grade: COUNTS[grade] + BEFORE.get(grade, 0) for grade in (1, 2, 3)}


@pytest.mark.parametrize(
    ("measure", "term", "norm"),
    [
        ("Q", blended, sum(RELEVANT.values())),
        ("Q@40", blended, min(40, sum(RELEVANT.values()))),
        ("GAP", over_thresholds, sum(g * (g + 1) / 2 * count for g, count in RELEVANT.items())),
        ("NCU", rank_biased, sum(0.95**c for c in range(sum(RELEVANT.values())))),
        ("NCU(user='uniform')", blended, sum(RELEVANT.values())),
        ("NCU(user='graded-uniform')", graded, sum(g * count for g, count in RELEVANT.items())),
    ],
)
def test_variance(measure: str, term: Term, norm: float) -> None:
    cutoff = 40 if "@" in measure else 1000
    before = [1, 0, 2, 0, 1]
    docs = [*before, *(grade for grade, count in COUNTS.items() for _ in range(count))]
    run = {f"d{i}": 2.0 + (START - i) if i < START else 1.0 for i in range(len(docs))}
    qrels = {"q": {f"d{i}": grade for i, grade in enumerate(docs)}}
    found = untied.evaluate(qrels, {"q": run}, [measure], variance=True).value(measure, query="q")
    assert [sum(grade == g for grade in before) for g in (1, 2)] == [BEFORE[1], BEFORE[2]]

    def within(position: int, grade: int, placed: dict[int, int]) -> float:
        return term(position, grade, placed) if START + position < cutoff else 0.0

    _, variance = by_counts(within, COUNTS)
    assert found.variance == pytest.approx(variance / norm**2, rel=1e-9)


MILLION = 1_000_000
RANKS = np.arange(1.0, MILLION + 1)


@cache
def tied_run() -> untied.Run:
    """A million documents with one score."""
    return untied.Run({"q": dict.fromkeys((f"d{i}" for i in range(MILLION)), 1.0)})


@cache
def equal_lengths() -> dict[str, int]:
    return dict.fromkeys((f"d{i}" for i in range(MILLION)), 300)


def evaluated(measure: str, qrels: untied.Qrels) -> untied.Value:
    """The value with bounds and variance."""
    kept = {"docs": equal_lengths()} if measure in ("U", "TBG") else {}
    ends, moments = (
        untied.evaluate(qrels, tied_run(), [measure], **kept, **options).value(measure, query="q")
        for options in ({"ties": "range"}, {"variance": True})
    )
    assert ends.mean == moments.mean
    assert ends.certainty == moments.certainty
    return untied.Value(ends.mean, low=ends.low, high=ends.high, variance=moments.variance, certainty=ends.certainty)


def time_biased_gain() -> np.ndarray:
    """Every document takes as long, so each rank is worth a fixed share of the one before."""
    first, second = (float(tbg(order, {"d0": 1}, {"d0": 300, "d1": 300})) for order in (["d0", "d1"], ["d1", "d0"]))
    return first * (second / first) ** (RANKS - 1)


@pytest.mark.parametrize(
    ("measure", "by_rank"),
    [
        ("AP", lambda: 1 / RANKS),
        ("IPrec@0.5", lambda: 1 / RANKS),
        ("IPrecMean", lambda: 1 / RANKS),
        ("infAP", lambda: 1 / RANKS),
        ("xinfAP", lambda: 1 / RANKS),
        ("ERR(max_grade=1)", lambda: 0.5 / RANKS),
        ("nERR(max_grade=1)", lambda: 1 / RANKS),
        ("Cascade(gain={1: 0.5}, discount='inverse')", lambda: 0.5 / RANKS),
        ("iRBU(max_grade=1)", lambda: 0.5 * 0.99**RANKS),
        ("G", lambda: 1 / np.log2(RANKS + 1)),
        ("Q", lambda: 2 / (RANKS + 1)),
        ("NCU", lambda: 2 / (RANKS + 1)),
        ("TBG", time_biased_gain),
        *at_night(("U", lambda: np.maximum(0, 1 - RANKS * 300 / 132_000))),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_one_relevant_document_among_a_million(measure: str, by_rank: Callable[[], np.ndarray]) -> None:
    """Each rank is as likely."""
    one: dict[str, untied.Qrels] = {
        "xinfAP": untied.Qrels({"q": {"d0": (1, 1)}}, format="stratified"),
    }
    value, expected = evaluated(measure, one.get(measure, untied.Qrels({"q": {"d0": 1}}))), by_rank()
    assert value.certainty == "exact"
    assert value.mean == pytest.approx(expected.mean(), rel=1e-9)
    assert value.variance == (None if measure == "IPrecMean" else pytest.approx(expected.var(), rel=1e-6))
    assert (value.low, value.high) == pytest.approx((expected.min(), expected.max()), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    "measure", ["subAP", "IPrecMean", "G", "NCU", "ERR", "INST(max_rel=3)", "infAP", "ADRInverted", *at_night("TBG")]
)
def test_fifty_judged_documents_among_a_million(measure: str) -> None:
    qrels = untied.Qrels({"q": {f"d{i}": i % 4 for i in range(50)}})
    value = evaluated(measure, qrels)
    assert value.low is not None
    assert value.high is not None
    assert 0 <= value.low <= value.mean <= value.high
    assert value.certainty in ("exact", "interval", "estimate")
    assert value.variance is None or value.variance >= 0
