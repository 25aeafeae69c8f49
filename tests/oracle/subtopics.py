"""Measures of novelty and diversity: every subtopic of a query has judgements of its own.

Subtopics without a relevant document do not exist for them. Without any, a measure is undefined: 0.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction

from oracle import binary, graded
from oracle.judgements import (
    ZERO,
    Discount,
    Gain,
    Number,
    Subtopics,
    Truth,
    as_written,
    discount_at,
    gain_of,
    is_relevant,
    power_of_two,
)
from oracle.stated import measure

Relevant = tuple[frozenset[str], ...]  # of every subtopic that has some


def _covered(truth: Subtopics, rel: Number) -> Relevant:
    every = (frozenset(doc for doc in one if is_relevant(doc, one, rel)) for one in truth.values())
    return tuple(relevant for relevant in every if relevant)


def _novelty(order: Sequence[str], subtopics: Relevant, alpha: Number) -> list[Fraction]:
    """What every document gains: 1 for a subtopic, times 1 - alpha for each document before that was about it."""
    gains = []
    for i, doc in enumerate(order):
        about = [relevant for relevant in subtopics if doc in relevant]
        gains.append(
            sum(((1 - as_written(alpha)) ** len(relevant.intersection(order[:i])) for relevant in about), ZERO)
        )
    return gains


@functools.cache
def _greedy(subtopics: Relevant, alpha: Number) -> list[str]:
    """At each rank the document that gains most there; of equal ones the last by id."""
    left = sorted(frozenset().union(*subtopics), key=lambda doc: doc.encode(), reverse=True)
    ranked: list[str] = []
    while left:
        ranked.append(max(left, key=lambda doc: _novelty([*ranked, doc], subtopics, alpha)[-1]))
        left.remove(ranked[-1])
    return ranked


@functools.cache
def _best(subtopics: Relevant, alpha: Number, depth: int, weight: Callable[[int], Fraction]) -> Fraction:
    """The largest sum of any ranking: for each set of documents, that of the best ranking of this set."""
    docs = sorted(frozenset().union(*subtopics))
    sums: dict[frozenset[str], Fraction] = {frozenset(): ZERO}
    for rank in range(1, min(depth, len(docs)) + 1):
        longer: dict[frozenset[str], Fraction] = {}
        for placed, total in sums.items():
            for doc in docs:
                if doc not in placed:
                    gain = _novelty([*placed, doc], subtopics, alpha)[-1]
                    ranked = placed | {doc}
                    longer[ranked] = max(longer.get(ranked, ZERO), total + weight(rank) * gain)
        sums = longer
    return max(sums.values())


def _discounted(gains: Sequence[Fraction], discount: str) -> Fraction:
    return sum((gain * discount_at(rank, discount) for rank, gain in enumerate(gains, 1)), ZERO)


def _of_any(order: Sequence[str], subtopics: Relevant, alpha: Number, k: int | None, discount: str) -> Fraction:
    return _discounted(_novelty(order[:k], subtopics, alpha), discount)


def _by_bound(
    order: Sequence[str], truth: Subtopics, k: int | None, rel: Number, alpha: Number, discount: str
) -> Fraction:
    """Relative to a ranking every document of which is about all subtopics."""
    subtopics = _covered(truth, rel)
    depth = len(order) if k is None else k
    best = [len(subtopics) * (1 - as_written(alpha)) ** i for i in range(depth)]
    most = _discounted(best, discount)
    return _of_any(order, subtopics, alpha, k, discount) / most if most else ZERO


def _by_ideal(
    order: Sequence[str],
    truth: Subtopics,
    k: int | None,
    rel: Number,
    alpha: Number,
    ideal: str,
    weight: Callable[[int], Fraction],
) -> Fraction:
    """Relative to the best ranking of judged documents, or to the greedy one."""
    subtopics = _covered(truth, rel)
    if not subtopics:
        return ZERO

    def total(ranking: Sequence[str]) -> Fraction:
        return sum((gain * weight(rank) for rank, gain in enumerate(_novelty(ranking, subtopics, alpha), 1)), ZERO)

    depth = len(frozenset().union(*subtopics)) if k is None else k
    most = total(_greedy(subtopics, alpha)[:k]) if ideal == "ndeval" else _best(subtopics, alpha, depth, weight)
    return total(order[:k]) / most


def _logarithmic(rank: int) -> Fraction:
    return Fraction(discount_at(rank, "log2"))


def _inverse(rank: int) -> Fraction:
    return Fraction(discount_at(rank, "inverse"))


@functools.cache
def _patience(beta: Number) -> Callable[[int], Fraction]:
    return lambda rank: as_written(beta) ** (rank - 1)


IDEALS = {"ideal": [None, "best", "ndeval"]}


@measure("alpha_DCG", form="subtopics")
def alpha_dcg(
    order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1, alpha: Number = 0.5
) -> Fraction:
    return _by_bound(order, truth, k, rel, alpha, "log2")


@measure("alpha_nDCG", form="subtopics", tried=IDEALS)
def alpha_ndcg(
    order: Sequence[str],
    truth: Subtopics,
    k: int | None = None,
    rel: Number = 1,
    alpha: Number = 0.5,
    ideal: str = "best",
) -> Fraction:
    return _by_ideal(order, truth, k, rel, alpha, ideal, _logarithmic)


@measure("ERR_IA", form="subtopics")
def err_ia(order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1) -> Fraction:
    return _by_bound(order, truth, k, rel, 0.5, "inverse")


@measure("nERR_IA", form="subtopics", tried=IDEALS)
def nerr_ia(
    order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1, ideal: str = "best"
) -> Fraction:
    return _by_ideal(order, truth, k, rel, 0.5, ideal, _inverse)


def _patient(order: Sequence[str], subtopics: Relevant, alpha: Number, beta: Number) -> Fraction:
    gains = _novelty(order, subtopics, alpha)
    return sum((gain * as_written(beta) ** i for i, gain in enumerate(gains)), ZERO)


@measure("NRBP", form="subtopics")
def nrbp(order: Sequence[str], truth: Subtopics, rel: Number = 1, alpha: Number = 0.5, beta: Number = 0.5) -> Fraction:
    subtopics = _covered(truth, rel)
    if not subtopics:
        return ZERO
    norm = (1 - (1 - as_written(alpha)) * as_written(beta)) / len(subtopics)
    return norm * _patient(order, subtopics, alpha, beta)


@measure("nNRBP", form="subtopics", tried=IDEALS)
def nnrbp(
    order: Sequence[str],
    truth: Subtopics,
    rel: Number = 1,
    alpha: Number = 0.5,
    beta: Number = 0.5,
    ideal: str = "best",
) -> Fraction:
    return _by_ideal(order, truth, None, rel, alpha, ideal, _patience(beta))


def _mean(truth: Subtopics, rel: Number, value: Callable[[Truth], Fraction]) -> Fraction:
    """The mean over the subtopics that have something relevant."""
    values = [value(one) for one in truth.values() if any(is_relevant(doc, one, rel) for doc in one)]
    return sum(values, ZERO) / len(values) if values else ZERO


@measure("AP_IA", form="subtopics")
def ap_ia(order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1) -> Fraction:
    return _mean(truth, rel, lambda one: binary.ap(order, one, k, rel))


def ap_ia_by_depth(order: Sequence[str], truth: Subtopics, k: int, rel: Number = 1) -> Fraction:
    """As MED divides it."""
    return _mean(truth, rel, lambda one: binary.ap(order, one, k, rel, k))


@measure("P_IA", form="subtopics")
def p_ia(order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1) -> Fraction:
    return _mean(truth, rel, lambda one: binary.precision(order, one, k or len(order) or 1, rel))


@measure("StRecall", form="subtopics")
def st_recall(order: Sequence[str], truth: Subtopics, k: int | None = None, rel: Number = 1) -> Fraction:
    return _mean(truth, rel, lambda one: binary.success(order, one, k, rel))


@measure("RBU", form="subtopics", tried={"e": [None, 0, 0.03, 0.5], "max_grade": [None, None, 3, 4.5]})
def rbu(
    order: Sequence[str],
    truth: Subtopics,
    k: int | None = None,
    rel: Number = 1,
    p: Number = 0.8,
    e: Number = 0.03,
    max_grade: Number | None = None,
) -> Fraction:
    """What documents are worth to those who were not satisfied before, less the effort of looking at each."""

    def value(one: Truth) -> Fraction:
        relevant = {doc: Fraction(grade) for doc, grade in one.items() if is_relevant(doc, one, rel)}
        highest = max(relevant.values()) if max_grade is None else Fraction(max_grade)
        value, reached = ZERO, Fraction(1)
        for i, doc in enumerate(order[:k]):
            stop = (power_of_two(relevant.get(doc, ZERO)) - 1) / power_of_two(highest)
            value += Fraction(p) ** i * reached * stop
            reached *= 1 - stop
        return value

    if not _covered(truth, rel):
        return ZERO
    effort = sum((Fraction(p) ** i for i in range(len(order[:k]))), ZERO)
    return (1 - Fraction(p)) * (_mean(truth, rel, value) - Fraction(e) * effort)


@measure("D_nDCG", form="subtopics", tried={"gain": [None, "linear", "exp2"]})
def d_ndcg(
    order: Sequence[str],
    truth: Subtopics,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    rel: Number = 1,
) -> Fraction:
    """nDCG of global gains."""
    return graded.ndcg(order, _global_gains(truth, gain, rel), k, "linear", discount)


def d_ndcg_by_top(
    order: Sequence[str],
    truth: Subtopics,
    k: int,
    top: Number,
    gain: Gain = "linear",
    discount: Discount = "log2",
    rel: Number = 1,
) -> Fraction:
    """As MED divides it: by k documents of the highest grade for every subtopic."""
    best = {f"best{i}": top for i in range(k)}
    ideal = len(_covered(truth, rel)) * graded.dcg(list(best), best, k, gain, discount, rel)
    return graded.dcg(order, _global_gains(truth, gain, rel), k, "linear", discount) / ideal


def _global_gains(truth: Subtopics, gain: Gain, rel: Number) -> dict[str, Fraction]:
    """What documents gain for each subtopic, added up."""
    docs = frozenset().union(*truth.values())
    return {doc: sum((gain_of(doc, one, gain, rel) for one in truth.values()), ZERO) for doc in docs}


@measure("Dsharp_nDCG", form="subtopics", tried={"gamma": [None, 0, 0.5, 1, 0.25], "gain": [None, "linear", "exp2"]})
def dsharp_ndcg(
    order: Sequence[str],
    truth: Subtopics,
    k: int | None = None,
    gamma: Number = 0.5,
    gain: Gain = "linear",
    discount: Discount = "log2",
    rel: Number = 1,
) -> Fraction:
    gains = _global_gains(truth, gain, rel)
    if graded.ideal_dcg(list(gains), gains, k, "linear", discount) <= 0:
        return ZERO  # undefined, as one of its parts is
    share = as_written(gamma)
    return share * st_recall(order, truth, k, rel) + (1 - share) * d_ndcg(order, truth, k, gain, discount, rel)
