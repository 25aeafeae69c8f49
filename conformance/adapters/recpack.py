"""RecPack's top-k metrics, on sparse matrices of binary relevance."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, relevant

PACKAGE = "recpack"
HOW = "PrecisionK, RecallK, HitK, ReciprocalRankK, DCGK and NDCGK of csr matrices of scores"

NAMES = {"P@k": "PrecisionK", "R@k": "RecallK", "Hits@k": "HitK", "RR@k": "ReciprocalRankK", "DCG@k": "DCGK",
         "nDCG@k": "NDCGK"}  # fmt: skip


def answer(case: Case) -> Any:
    """The metric's value over all users."""
    import numpy
    from recpack import metrics
    from scipy.sparse import csr_matrix

    name = case.look_up(NAMES)
    qrels, run = case.dicts()
    if set(qrels) != set(run):
        raise NotOffered("takes rows of judged users")
    if "DCG" in name and any(grade not in (0, 1) for truth in qrels.values() for grade in truth.values()):
        raise NotOffered("has binary gains alone")
    if any(score <= 0 for scores in run.values() for score in scores.values()):
        raise NotOffered("takes positive scores: 0 is an item that is not recommended")
    items = list(dict.fromkeys([*(doc for scores in run.values() for doc in scores),
                                *(doc for truth in qrels.values() for doc in truth)]))  # fmt: skip
    true, predicted = numpy.zeros((len(qrels), len(items))), numpy.zeros((len(qrels), len(items)))
    for row, (query, truth) in enumerate(qrels.items()):
        for doc in relevant(truth):
            true[row, items.index(doc)] = 1
        for doc, score in run[query].items():
            predicted[row, items.index(doc)] = score
    metric = getattr(metrics, name)(case.cutoff)
    metric.calculate(csr_matrix(true), csr_matrix(predicted))
    return metric.value
