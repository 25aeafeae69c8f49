"""Measures that ask only whether a document is relevant, or not, or not judged.

A quantity that is undefined (0/0) is 0, as in trec_eval, unless lower values are better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from oracle.judgements import (
    ZERO,
    Number,
    Truth,
    as_written,
    hits,
    is_judged,
    is_relevant,
    log,
    log_ratio,
    relevant_total,
)
from oracle.stated import measure


@measure("P")
def precision(order: Sequence[str], truth: Truth, k: int, rel: Number = 1) -> Fraction:
    return Fraction(hits(order[:k], truth, rel), k)


@measure("R", of_relevant=True)
def recall(order: Sequence[str], truth: Truth, k: int, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    total = relevant_total(order, truth, rel, recall_base)
    return Fraction(hits(order[:k], truth, rel), total) if total else ZERO


@measure("F1")
def f1(order: Sequence[str], truth: Truth, k: int, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    p, r = precision(order, truth, k, rel), recall(order, truth, k, rel, recall_base)
    return 2 / (1 / p + 1 / r) if p and r else ZERO


@measure("AP", of_relevant=True)
def ap(
    order: Sequence[str], truth: Truth, k: int | None = None, rel: Number = 1, recall_base: str | int = "qrels"
) -> Fraction:
    total = relevant_total(order, truth, rel, recall_base)
    if not total:
        return ZERO
    ranks = [i for i, doc in enumerate(order[:k], 1) if is_relevant(doc, truth, rel)]
    return sum((precision(order, truth, i, rel) for i in ranks), ZERO) / total


@measure("RR", of_relevant=True)
def rr(order: Sequence[str], truth: Truth, k: int | None = None, rel: Number = 1) -> Fraction:
    for i, doc in enumerate(order[:k], 1):
        if is_relevant(doc, truth, rel):
            return Fraction(1, i)
    return ZERO


@measure("Hits")
def hits_within(order: Sequence[str], truth: Truth, k: int | None = None, rel: Number = 1) -> Fraction:
    return Fraction(hits(order[:k], truth, rel))


@measure("Success", of_relevant=True)
def success(order: Sequence[str], truth: Truth, k: int | None = None, rel: Number = 1) -> Fraction:
    return Fraction(any(is_relevant(doc, truth, rel) for doc in order[:k]))


@measure("AllFound", of_relevant=True)
def all_found(order: Sequence[str], truth: Truth, k: int | None = None, rel: Number = 1) -> Fraction:
    total = hits(list(truth), truth, rel)
    return Fraction(0 < total == hits(order[:k], truth, rel))


def _parts_the_collection(order: Sequence[str], truth: Truth, rel: Number = 1, collection: int = 0) -> bool:
    """Whether some documents are relevant, and not all."""
    total, found = hits(list(truth), truth, rel), hits(order, truth, rel)
    return 0 < total < max(collection, len(order) + total - found)


@measure("Rnorm", is_defined=_parts_the_collection, tried={"collection": [None, 0, 5, 100]})
def r_norm(order: Sequence[str], truth: Truth, rel: Number = 1, collection: int = 0) -> Fraction:
    """How far the ranks of the R relevant documents lie above the last R of N, as a share of how far they can.

    Documents that are not retrieved stand at the end, in random order.
    """
    if not _parts_the_collection(order, truth, rel, collection):
        return ZERO
    total, found = hits(list(truth), truth, rel), hits(order, truth, rel)
    size = max(collection, len(order) + total - found)
    ranks = sum(rank for rank, doc in enumerate(order, 1) if is_relevant(doc, truth, rel))
    beyond = (total - found) * Fraction(len(order) + 1 + size, 2)
    return 1 - (ranks + beyond - Fraction(total * (total + 1), 2)) / (total * (size - total))


@measure("Rprec", of_relevant=True)
def rprec(
    order: Sequence[str], truth: Truth, rel: Number = 1, recall_base: str | int = "qrels", mult: Number = 1
) -> Fraction:
    total = relevant_total(order, truth, rel, recall_base)
    return precision(order, truth, math.ceil(as_written(mult) * total), rel) if total else ZERO


@measure("RelP", of_relevant=True)
def relp(order: Sequence[str], truth: Truth, k: int, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    total = relevant_total(order, truth, rel, recall_base)
    return Fraction(hits(order[:k], truth, rel), min(k, total)) if total else ZERO


@measure("SetP")
def set_p(order: Sequence[str], truth: Truth, rel: Number = 1) -> Fraction:
    return Fraction(hits(order, truth, rel), len(order)) if order else ZERO


@measure("SetR", of_relevant=True)
def set_r(order: Sequence[str], truth: Truth, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    total = relevant_total(order, truth, rel, recall_base)
    return Fraction(hits(order, truth, rel), total) if total else ZERO


@measure("SetRelP", of_relevant=True)
def set_relp(order: Sequence[str], truth: Truth, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    return relp(order, truth, len(order), rel, recall_base) if order else ZERO


@measure("SetAP", of_relevant=True)
def set_ap(order: Sequence[str], truth: Truth, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    return set_p(order, truth, rel) * set_r(order, truth, rel, recall_base)


@measure("SetF", of_relevant=True, tried={"beta": [None, 0, 0.5, 1, 2]})
def set_f(
    order: Sequence[str], truth: Truth, beta: Number = 1, rel: Number = 1, recall_base: str | int = "qrels"
) -> Fraction:
    p, r, x = set_p(order, truth, rel), set_r(order, truth, rel, recall_base), Fraction(beta)
    return (x + 1) * p * r / (x * p + r) if p and r else ZERO


@measure("NumNonrelJudgedRet", is_count=True)
def num_nonrel_judged_ret(order: Sequence[str], truth: Truth, rel: Number = 1) -> Fraction:
    return Fraction(sum(is_judged(doc, truth) and not is_relevant(doc, truth, rel) for doc in order))


@measure("NumRet", is_count=True)
def num_ret(order: Sequence[str], truth: Truth) -> Fraction:
    return Fraction(len(order))


@measure("NumRel", is_count=True)
def num_rel(order: Sequence[str], truth: Truth, rel: Number = 1) -> Fraction:
    return Fraction(hits(list(truth), truth, rel))


@measure("NumRelRet", is_count=True)
def num_rel_ret(order: Sequence[str], truth: Truth, rel: Number = 1) -> Fraction:
    return Fraction(hits(order, truth, rel))


@measure("NumQ", is_count=True)
def num_q(order: Sequence[str], truth: Truth) -> Fraction:
    return Fraction(1)


# ---------------------------------------------------------------------------------------------------------------------
# Recall levels


@measure("IPrec", of_relevant=True)
def iprec(
    order: Sequence[str], truth: Truth, recall: Number, rel: Number = 1, recall_base: str | int = "qrels"
) -> Fraction:
    """The best precision at any rank that has found a share `recall` of the relevant documents, or more."""
    total = relevant_total(order, truth, rel, recall_base)
    if not total:
        return ZERO
    reached = [k for k in range(1, len(order) + 1) if hits(order[:k], truth, rel) >= as_written(recall) * total]
    return max((precision(order, truth, k, rel) for k in reached), default=ZERO)


ELEVEN = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]


@measure("IPrecMean", of_relevant=True)
def iprec_mean(
    order: Sequence[str],
    truth: Truth,
    levels: Sequence[Number] = ELEVEN,
    rel: Number = 1,
    recall_base: str | int = "qrels",
) -> Fraction:
    return sum((iprec(order, truth, level, rel, recall_base) for level in levels), ZERO) / len(levels)


@measure("EP", of_relevant=True)
def ep(
    order: Sequence[str], truth: Truth, recall: Number, rel: Number = 1, recall_base: str | int = "qrels"
) -> Fraction:
    """Precision where a share `recall` of the relevant documents, and at least one, has just been found."""
    total = relevant_total(order, truth, rel, recall_base)
    if not total:
        return ZERO
    reached = [k for k in range(1, len(order) + 1) if hits(order[:k], truth, rel) >= max(as_written(recall) * total, 1)]
    return precision(order, truth, reached[0], rel) if reached else ZERO


@measure("ESL", lower_is_better=True)
def esl(order: Sequence[str], truth: Truth, q: int = 1, rel: Number = 1) -> Fraction | None:
    """Search length: documents to be looked at for the q-th relevant one that are not relevant.

    Where it is undefined, 0 would be the best value; so it is left undefined.
    """
    relevant = [i for i, doc in enumerate(order) if is_relevant(doc, truth, rel)]
    return Fraction(relevant[q - 1] - (q - 1)) if len(relevant) >= q else None


# ---------------------------------------------------------------------------------------------------------------------
# Pairs of documents, and incomplete judgements


@measure("Bpref", of_relevant=True)
def bpref(
    order: Sequence[str],
    truth: Truth,
    rel: Number = 1,
    variant: str = "trec_eval",
    extra: int = 0,
    recall_base: str | int = "qrels",
) -> Fraction:
    total = relevant_total(order, truth, rel, recall_base)
    nonrelevant = sum(is_judged(doc, truth) and not is_relevant(doc, truth, rel) for doc in truth)
    counted = total + extra  # so many non-relevant documents count, of all that stand above a relevant one
    most = counted if variant == "paper" else min(nonrelevant, counted)
    value = ZERO
    for i, doc in enumerate(order):
        if is_relevant(doc, truth, rel):
            above = sum(is_judged(other, truth) and not is_relevant(other, truth, rel) for other in order[:i])
            value += 1 - (Fraction(min(above, counted), most) if above else ZERO)
    return value / total if total else ZERO


@measure("infAP")
def inf_ap(order: Sequence[str], truth: Truth, rel: Number = 1, eps: Number = Fraction(1, 100_000)) -> Fraction:
    """Inferred AP: precision above a relevant document, estimated from the judged part of the pool above it."""
    total, smooth, value = hits(list(truth), truth, rel), as_written(eps), ZERO
    for k, doc in enumerate(order, 1):
        if not is_relevant(doc, truth, rel):
            continue
        above = order[: k - 1]
        pooled = sum(other in truth for other in above)
        judged = sum(is_judged(other, truth) for other in above)
        share = ZERO  # of the pooled documents above that are relevant, as far as one can tell
        if judged or smooth:
            share = (hits(above, truth, rel) + smooth) / (judged + 2 * smooth)
        elif pooled:
            share = Fraction(1, 2)
        value += Fraction(1, k) + Fraction(pooled, k) * share
    return value / total if total else ZERO


@measure("Accuracy")
def accuracy(order: Sequence[str], truth: Truth, k: int | None = None, rel: Number = 1) -> Fraction:
    """Of the pairs of a relevant and another document among the first k: those with the relevant one above."""
    seen = [is_relevant(doc, truth, rel) for doc in order[:k]]
    pairs = [(i, j) for i, x in enumerate(seen) for j, y in enumerate(seen) if x and not y]
    return Fraction(sum(i < j for i, j in pairs), len(pairs)) if pairs else ZERO


@measure("binG", of_relevant=True)
def bin_g(order: Sequence[str], truth: Truth, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    total, value, above = relevant_total(order, truth, rel, recall_base), ZERO, 0
    for doc in order:
        if is_relevant(doc, truth, rel):
            value += log_ratio(Fraction(2), Fraction(2 + above))
        else:
            above += 1
    return value / total if total else ZERO


@measure("YAAP", floor=1e-15)
def yaap(order: Sequence[str], truth: Truth, rel: Number = 1) -> Fraction:
    """Robertson's logarithm of the odds, of the sum of the precisions that AP averages."""
    total = hits(list(truth), truth, rel)
    precisions = ap(order, truth, None, rel) * total
    return log((1 + precisions) / (1 + total - precisions))


# ---------------------------------------------------------------------------------------------------------------------
# Counts and costs


@measure("Judged")
def judged(order: Sequence[str], truth: Truth, k: int | None = None) -> Fraction:
    """Share of the documents that the qrels hold, whatever their grade, of the first k or of all if there are fewer."""
    seen = order[:k]
    return Fraction(sum(doc in truth for doc in seen), len(seen)) if seen else ZERO


@measure("Unjudged")
def unjudged(order: Sequence[str], truth: Truth, k: int) -> Fraction:
    """Share of the k first ranks that hold an unjudged document."""
    return Fraction(sum(not is_judged(doc, truth) for doc in order[:k]), k)


@measure(
    "Utility",
    together=[
        {},
        {"weights": [1, -1, 0, 0]},
        {"weights": [2, -1, -0.5, 0]},
        {"weights": [1, -0.25, 0, 0.5], "collection": 100},
        {"weights": [0, 0, 0, 0.125], "collection": 64},
    ],
)
def utility(
    order: Sequence[str],
    truth: Truth,
    weights: Sequence[Number] = (1, -1, 0, 0),
    collection: int | None = None,
    rel: Number = 1,
) -> Fraction:
    """What the four fields of the contingency table are worth: relevant or not, retrieved or not."""
    found, total = hits(order, truth, rel), hits(list(truth), truth, rel)
    fields = [found, len(order) - found, total - found]
    fields.append((collection or 0) - len(order) - (total - found))
    return sum((as_written(weight) * field for weight, field in zip(weights, fields, strict=True)), ZERO)
