"""rag-eval-lite, on ranked lists."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, ranked_list, relevant

PACKAGE = "rag-eval-lite"
HOW = "RAGEvaluator(k).evaluate: the means of its report"

NAMES = {"P@k": "precision", "R@k": "recall", "RR@k": "mrr", "Success@k": "hit_rate", "nDCG@k": "ndcg"}


def answer(case: Case) -> Any:
    """The mean over queries with lists."""
    from rag_eval import QueryResult, RAGEvaluator

    name = case.look_up(NAMES)
    if set(case.qrels) != set(case.run):
        raise NotOffered("takes lists of judged queries")
    if name == "ndcg" and any(grade not in (0, 1) for truth in case.qrels.values() for grade in truth.values()):
        raise NotOffered("has binary gains alone")
    queries = [
        QueryResult(query_id=query, retrieved_chunks=ranked_list(case.run[query]), relevant_chunks=set(relevant(truth)))
        for query, truth in case.qrels.items()
    ]
    report = RAGEvaluator(k=case.cutoff).evaluate(queries)
    return getattr(report, f"mean_{name}", None) if hasattr(report, f"mean_{name}") else getattr(report, name)
