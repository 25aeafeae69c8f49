"""torchmetrics' retrieval metrics of one query."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, all_retrieved, labels, relevant

PACKAGE = "torchmetrics"
HOW = "torchmetrics.functional.retrieval on tensors of scores and labels; scores are 64-bit tensors"
#: It computes in 32 bits.
TOLERANCE = 1e-6

NAMES = {
    "AP": "retrieval_average_precision", "AP@k": "retrieval_average_precision", "RR": "retrieval_reciprocal_rank",
    "RR@k": "retrieval_reciprocal_rank", "P@k": "retrieval_precision", "R@k": "retrieval_recall",
    "Success@k": "retrieval_hit_rate", "Rprec": "retrieval_r_precision", "nDCG": "retrieval_normalized_dcg",
    "nDCG@k": "retrieval_normalized_dcg",
}  # fmt: skip


def answer(case: Case) -> Any:
    """The value of the only query, or the mean of several."""
    import torch
    from torchmetrics.functional import retrieval

    name = case.look_up(NAMES)

    def of_query(truth: dict[str, Any], ranked: list[tuple[str, float]]) -> float:
        all_retrieved(truth, ranked)
        grades, scores = labels(truth, ranked)
        if "ndcg" not in name and "dcg" not in name:
            relevant(truth)
            target = torch.tensor([int(grade >= 1) for grade in grades])
        else:
            target = torch.tensor(grades)
        given = {"top_k": case.cutoff} if case.cutoff else {}
        return float(getattr(retrieval, name)(torch.tensor(scores, dtype=torch.float64), target, **given))

    return case.means(of_query)
