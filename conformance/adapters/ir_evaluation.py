"""ir-evaluation, on ranked lists."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, ranked_list, relevant

PACKAGE = "ir-evaluation"
HOW = "recall, precision, f1_score, average_precision, ndcg and reciprocal_rank of actual, predicted and k"

NAMES = {"P@k": "precision", "R@k": "recall", "F1@k": "f1_score", "AP@k": "average_precision",
         "RR@k": "reciprocal_rank", "nDCG@k": "ndcg"}  # fmt: skip


def answer(case: Case) -> Any:
    """The value of the only query, or the mean of several."""
    from ir_evaluation import metrics

    name = case.look_up(NAMES)

    def of_query(truth: dict[str, Any], ranked: list[tuple[str, float]]) -> float:
        if name == "ndcg" and any(grade not in (0, 1) for grade in truth.values()):
            raise NotOffered("has binary gains alone")
        return float(getattr(metrics, name)(relevant(truth), ranked_list(ranked), case.cutoff))

    return case.means(of_query)
