"""LlamaIndex's retrieval metrics, on ranked lists."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, ranked_list, relevant

PACKAGE = "llama-index-core"
HOW = "HitRate, MRR, Precision, Recall, AveragePrecision and NDCG; lists are cut at k by the caller"

NAMES = {"AP": "AveragePrecision", "AP@k": "AveragePrecision", "RR": "MRR", "RR@k": "MRR", "P@k": "Precision",
         "R@k": "Recall", "Success@k": "HitRate", "nDCG": "NDCG", "nDCG@k": "NDCG"}  # fmt: skip


def answer(case: Case) -> Any:
    """The score of the only query, or the mean of several."""
    from llama_index.core.evaluation.retrieval import metrics

    name = case.look_up(NAMES)

    def of_query(truth: dict[str, Any], ranked: list[tuple[str, float]]) -> float:
        if name == "NDCG" and any(grade not in (0, 1) for grade in truth.values()):
            raise NotOffered("has binary gains alone")
        retrieved = ranked_list(ranked)[: case.cutoff]
        return float(getattr(metrics, name)().compute(expected_ids=relevant(truth), retrieved_ids=retrieved).score)

    return case.means(of_query)
