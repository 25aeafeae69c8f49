"""Measures of grades: discounted gains, and what trec_eval makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from oracle.judgements import ZERO, Discount, Gain, Number, Truth, discount_at, gain_of, log_ratio
from oracle.stated import GAINS, LEVELS, measure


def _discounted(gains: Iterable[Fraction], discount: Discount) -> Fraction:
    return sum((g * discount_at(i, discount) for i, g in enumerate(gains, 1) if g), ZERO)


@measure("DCG", tried={"rel": LEVELS})
def dcg(
    order: Sequence[str],
    truth: Truth,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    rel: Number = 0,
) -> Fraction:
    return _discounted((gain_of(doc, truth, gain, rel) for doc in order[:k]), discount)


@measure("nDCG", tried={"rel": LEVELS, "recall_base": [None, "qrels", "ranking"]})
def ndcg(
    order: Sequence[str],
    truth: Truth,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    rel: Number = 0,
    recall_base: str = "qrels",
) -> Fraction:
    ideal = ideal_dcg(order if recall_base == "ranking" else list(truth), truth, k, gain, discount, rel)
    return dcg(order, truth, k, gain, discount, rel) / ideal if ideal > 0 else ZERO


def ideal_dcg(
    pool: Sequence[str], truth: Truth, k: int | None, gain: Gain, discount: Discount, rel: Number = 0
) -> Fraction:
    gains = sorted((gain_of(doc, truth, gain, rel) for doc in pool), reverse=True)
    return _discounted([g for g in gains if g > 0][:k], discount)


# ---------------------------------------------------------------------------------------------------------------------
# trec_eval's own


def _ideal_gains(truth: Truth, gain: Gain) -> list[Fraction]:
    gains = (gain_of(doc, truth, gain) for doc in truth)
    return sorted((g for g in gains if g > 0), reverse=True)


def _ndcg_at(order: Sequence[str], truth: Truth, k: int, gain: Gain) -> Fraction:
    return dcg(order, truth, k, gain) / _discounted(_ideal_gains(truth, gain)[:k], "log2")


@measure("Rndcg", tried={"gain": GAINS})
def r_ndcg(order: Sequence[str], truth: Truth, gain: Gain = "linear") -> Fraction:
    """The mean of nDCG@k where the ideal ranking steps down to a lower gain, and at the end of the ranking."""
    ideal = _ideal_gains(truth, gain)
    points = [k for k in range(1, len(ideal) + 1) if k == len(ideal) or ideal[k] < ideal[k - 1]]
    if ideal and len(order) > len(ideal):
        points.append(len(order))
    return sum((_ndcg_at(order, truth, k, gain) for k in points), ZERO) / len(points) if points else ZERO


@measure("nDCGRel", tried={"gain": GAINS})
def ndcg_rel(order: Sequence[str], truth: Truth, gain: Gain = "linear") -> Fraction:
    """The mean over documents of positive gain of nDCG@k at their rank; for one not retrieved, of the nDCG of all."""
    ideal = _ideal_gains(truth, gain)
    if not ideal:
        return ZERO
    ranks = [k for k, doc in enumerate(order, 1) if gain_of(doc, truth, gain) > 0]
    found = sum((_ndcg_at(order, truth, k, gain) for k in ranks), ZERO)
    return (found + (len(ideal) - len(ranks)) * ndcg(order, truth, None, gain)) / len(ideal)


@measure("G", tried={"gain": GAINS})
def g(order: Sequence[str], truth: Truth, gain: Gain = "linear") -> Fraction:
    """Every gain is discounted by what it could have cost less: the ideal's gains so far, less those found so far."""
    ideal = _ideal_gains(truth, gain)
    value = cost = found = ZERO
    for i, doc in enumerate(order):
        gained = gain_of(doc, truth, gain)
        cost += max(ideal[i] if i < len(ideal) else ZERO, Fraction(1))
        found += gained
        value += gained * log_ratio(Fraction(2), 2 + cost - found)
    return value / sum(ideal) if ideal else ZERO
