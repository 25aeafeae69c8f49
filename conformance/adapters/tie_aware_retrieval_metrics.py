"""tie-aware-retrieval-metrics, which averages over orders of ties, for binary relevance."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, all_retrieved, labels, relevant

PACKAGE = "tie-aware-retrieval-metrics"
HOW = "trm.evaluate([scores], [is_relevant], [metric], [k]): expected, minimum and maximum"

NAMES = {"AP": "map", "AP@k": "map", "RR": "mrr", "RR@k": "mrr", "P@k": "precision", "R@k": "recall", "F1@k": "f1",
         "nDCG": "ndcg", "nDCG@k": "ndcg", "Hits@k": "hits"}  # fmt: skip


def answer(case: Case) -> Any:
    """The expected value and its ends."""
    from trm import evaluate

    name = case.look_up(NAMES)
    if set(case.qrels) != set(case.run):
        raise NotOffered("takes arrays of judged queries")
    scores, is_relevant = [], []
    for query, truth in case.qrels.items():
        all_retrieved(truth, case.run[query])
        if name == "ndcg" and any(grade not in (0, 1) for grade in truth.values()):
            raise NotOffered("has binary gains alone")
        relevant(truth)
        grades, values = labels(truth, case.run[query])
        scores.append(values)
        is_relevant.append([grade >= 1 for grade in grades])
    k = case.cutoff or 100
    found = evaluate(scores, is_relevant, metrics=[name], k_list=[k]).metrics[name][k]
    return {"mean": found.expected, "lowest": found.minimum, "highest": found.maximum}
