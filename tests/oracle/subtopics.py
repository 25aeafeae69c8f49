"""Measures of novelty and diversity: every subtopic of a query has judgements of its own.

Subtopics without a relevant document do not exist for them. Without any, a measure is undefined: 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from oracle import binary
from oracle.judgements import ZERO, Number, Subtopics, Truth, as_written, discount_at, is_relevant


def _covered(truth: Subtopics, rel: Number) -> list[Truth]:
    return [one for one in truth.values() if any(is_relevant(doc, one, rel) for doc in one)]


def _novelty(order: Sequence[str], subtopics: Sequence[Truth], rel: Number, alpha: Number) -> list[Fraction]:
    """What every document gains: 1 for a subtopic, times 1 - alpha for each document before that was about it."""
    gains = []
    for i, doc in enumerate(order):
        gain = ZERO
        for one in subtopics:
            if is_relevant(doc, one, rel):
                gain += (1 - as_written(alpha)) ** sum(is_relevant(other, one, rel) for other in order[:i])
        gains.append(gain)
    return gains


def _ideal(subtopics: Sequence[Truth], rel: Number, alpha: Number) -> list[str]:
    """At each rank the document that gains most there; of equal ones the last by id."""
    left = sorted({doc for one in subtopics for doc in one}, key=lambda doc: doc.encode(), reverse=True)
    ranked: list[str] = []
    while left:
        ranked.append(max(left, key=lambda doc: _novelty([*ranked, doc], subtopics, rel, alpha)[-1]))
        left.remove(ranked[-1])
    return ranked


def _discounted(gains: Sequence[Fraction], discount: str) -> Fraction:
    return sum((gain * discount_at(rank, discount) for rank, gain in enumerate(gains, 1)), ZERO)


def _of_any(
    order: Sequence[str], subtopics: Sequence[Truth], rel: Number, alpha: Number, k: int | None, discount: str
) -> Fraction:
    return _discounted(_novelty(order[:k], subtopics, rel, alpha), discount)


def _by_bound(
    order: Sequence[str], truth: Subtopics, k: int | None, rel: Number, alpha: Number, discount: str
) -> Fraction:
    """Relative to a ranking every document of which is about all subtopics."""
    subtopics = _covered(truth, rel)
    depth = len(order) if k is None else k
    best = [len(subtopics) * (1 - as_written(alpha)) ** i for i in range(depth)]
    most = _discounted(best, discount)
    return _of_any(order, subtopics, rel, alpha, k, discount) / most if most else ZERO


def _by_ideal(
    order: Sequence[str], truth: Subtopics, k: int | None, rel: Number, alpha: Number, discount: str
) -> Fraction:
    """Relative to the greedy ideal ranking."""
    subtopics = _covered(truth, rel)
    most = _of_any(_ideal(subtopics, rel, alpha), subtopics, rel, alpha, k, discount)
    return _of_any(order, subtopics, rel, alpha, k, discount) / most if most else ZERO


def alpha_dcg(
    order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1, alpha: Number = 0.5
) -> Fraction:
    return _by_bound(order, truth, k, rel, alpha, "log2")


def alpha_ndcg(
    order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1, alpha: Number = 0.5
) -> Fraction:
    return _by_ideal(order, truth, k, rel, alpha, "log2")


def err_ia(order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1) -> Fraction:
    return _by_bound(order, truth, k, rel, 0.5, "inverse")


def nerr_ia(order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1) -> Fraction:
    return _by_ideal(order, truth, k, rel, 0.5, "inverse")


def _patient(order: Sequence[str], subtopics: Sequence[Truth], rel: Number, alpha: Number, beta: Number) -> Fraction:
    gains = _novelty(order, subtopics, rel, alpha)
    return sum((gain * as_written(beta) ** i for i, gain in enumerate(gains)), ZERO)


def nrbp(order: Sequence[str], truth: Subtopics, rel: Number = 1, alpha: Number = 0.5, beta: Number = 0.5) -> Fraction:
    subtopics = _covered(truth, rel)
    if not subtopics:
        return ZERO
    norm = (1 - (1 - as_written(alpha)) * as_written(beta)) / len(subtopics)
    return norm * _patient(order, subtopics, rel, alpha, beta)


def nnrbp(order: Sequence[str], truth: Subtopics, rel: Number = 1, alpha: Number = 0.5, beta: Number = 0.5) -> Fraction:
    subtopics = _covered(truth, rel)
    most = _patient(_ideal(subtopics, rel, alpha), subtopics, rel, alpha, beta)
    return _patient(order, subtopics, rel, alpha, beta) / most if most else ZERO


def ap_ia(order: Sequence[str], truth: Subtopics, rel: Number = 1) -> Fraction:
    values = [binary.ap(order, one, None, rel) for one in _covered(truth, rel)]
    return sum(values, ZERO) / len(values) if values else ZERO


def p_ia(order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1) -> Fraction:
    values = [binary.precision(order, one, k or len(order) or 1, rel) for one in _covered(truth, rel)]
    return sum(values, ZERO) / len(values) if values else ZERO


def st_recall(order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1) -> Fraction:
    values = [Fraction(any(is_relevant(doc, one, rel) for doc in order[:k])) for one in _covered(truth, rel)]
    return sum(values, ZERO) / len(values) if values else ZERO
