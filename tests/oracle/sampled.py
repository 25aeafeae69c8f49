"""Measures estimated from a sample of the pool: of a stratum, or of documents with a probability each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from oracle.judgements import ZERO, Discount, Number, as_written, discount_at
from oracle.stated import measure

Stratified = Mapping[str, tuple[int, Number]]  # document -> stratum and grade; negative: pooled but not judged
Included = Mapping[str, tuple[Number, Number]]  # document -> grade and probability of having been judged


class Stratum:
    """Some documents of one stratum."""

    def __init__(self, stratum: int, docs: Sequence[str], truth: Stratified) -> None:
        self.grades = [truth[doc][1] for doc in docs if doc in truth and truth[doc][0] == stratum]
        self.judged = sum(grade >= 0 for grade in self.grades)

    def at_least(self, rel: Number) -> int:
        return sum(grade >= max(rel, 0) for grade in self.grades)

    def weight(self) -> Fraction:
        """How many documents a judged one stands for."""
        return Fraction(len(self.grades), self.judged) if self.judged else ZERO


@measure("xinfAP", form="stratified")
def xinf_ap(
    order: Sequence[str],
    truth: Stratified,
    rel: Number = 1,
    eps: Number = Fraction(1, 100_000),
    estimator: str = "paper",
    prior: Number | None = None,
) -> Fraction:
    smooth, weight = as_written(eps), 2 if prior is None and estimator == "paper" else as_written(prior or 3)
    pool = {stratum: Stratum(stratum, list(truth), truth) for stratum, _ in truth.values()}
    relevant = sum((one.at_least(rel) * one.weight() for one in pool.values()), ZERO)
    if not relevant:
        return ZERO
    value = ZERO
    for k, doc in enumerate(order, 1):
        if doc not in truth or truth[doc][1] < max(rel, 0):
            continue
        found = Fraction(1)  # the document and what is relevant above it, as far as one can tell
        for stratum in pool:
            above = Stratum(stratum, order[: k - 1], truth)
            if above.judged or smooth:
                share = (above.at_least(rel) + smooth) / (above.judged + weight * smooth)
            else:
                share = 1 / Fraction(weight)
            found += len(above.grades) * share
        value += pool[truth[doc][0]].weight() * found / k
    return value / (relevant if estimator == "paper" else min(relevant, Fraction(1000)))


@measure("infNDCG", form="stratified")
def inf_ndcg(
    order: Sequence[str],
    truth: Stratified,
    k: int | None = None,
    discount: Discount = "log2",
    estimator: str = "paper",
) -> Fraction:
    strata = {stratum for stratum, _ in truth.values()}
    pool = {stratum: Stratum(stratum, list(truth), truth) for stratum in strata}
    retrieved = {stratum: Stratum(stratum, order, truth) for stratum in strata}
    value = ZERO
    for rank, doc in enumerate(order[:k], 1):
        if doc in truth and truth[doc][1] > 0:
            stratum, grade = truth[doc]
            value += retrieved[stratum].weight() * Fraction(grade) * discount_at(rank, discount)
    ideal: list[Fraction] = []
    for grade in sorted({grade for _, grade in truth.values() if grade > 0}, reverse=True):
        estimate = sum((one.grades.count(grade) * one.weight() for one in pool.values()), ZERO)
        ideal += [Fraction(grade)] * math.floor(estimate + (Fraction(1, 2) if estimator == "paper" else 0))
    if estimator != "paper":
        ideal = ideal[:1000]
    most = sum((gain * discount_at(rank, discount) for rank, gain in enumerate(ideal[:k], 1)), ZERO)
    return value / most if most > 0 else ZERO


@measure("statAP", form="prels")
def stat_ap(order: Sequence[str], truth: Included, rel: Number = 1, self_weight: str = "one") -> Fraction:
    weight = {doc: 1 / Fraction(probability) for doc, (grade, probability) in truth.items() if grade >= max(rel, 0)}
    total = sum(weight.values(), ZERO)
    value = ZERO
    for k, doc in enumerate(order, 1):
        if doc in weight:
            above = sum((weight.get(other, ZERO) for other in order[: k - 1]), ZERO)
            value += weight[doc] * (above + (1 if self_weight == "one" else weight[doc])) / k
    return value / total if total else ZERO
