"""Haystack's document evaluators, on ranked lists."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, ranked_list, relevant

PACKAGE = "haystack-ai"
HOW = "DocumentMAP, MRR, NDCG and Recall evaluators, compared by id; lists are cut at k by the caller"


def names() -> dict[str, Any]:
    """Evaluators by our names."""
    from haystack.components.evaluators import (
        DocumentMAPEvaluator,
        DocumentMRREvaluator,
        DocumentNDCGEvaluator,
        DocumentRecallEvaluator,
    )

    by_id = {"document_comparison_field": "id"}
    return {
        "AP": lambda: DocumentMAPEvaluator(**by_id), "RR": lambda: DocumentMRREvaluator(**by_id),
        "RR@k": lambda: DocumentMRREvaluator(**by_id), "nDCG": lambda: DocumentNDCGEvaluator(**by_id),
        "nDCG@k": lambda: DocumentNDCGEvaluator(**by_id), "AP@k": lambda: DocumentMAPEvaluator(**by_id),
        "R@k": lambda: DocumentRecallEvaluator(mode="multi_hit", **by_id),
        "Success@k": lambda: DocumentRecallEvaluator(mode="single_hit", **by_id),
    }  # fmt: skip


def answer(case: Case) -> Any:
    """The score over the judged queries, each with its retrieved documents."""
    from haystack import Document

    evaluator = case.look_up(names())()
    if set(case.qrels) != set(case.run):
        raise NotOffered("takes lists of judged queries")
    truths, lists = [], []
    for query, truth in case.qrels.items():
        if case.family.startswith("nDCG"):
            if any(grade < 0 for grade in truth.values()):
                raise NotOffered("takes relevance scores of relevant documents")
            truths.append([Document(id=doc, content=doc, score=grade) for doc, grade in truth.items() if grade > 0])
        else:
            truths.append([Document(id=doc, content=doc) for doc in relevant(truth)])
        lists.append([Document(id=doc, content=doc) for doc in ranked_list(case.run[query])[: case.cutoff]])
    return evaluator.run(ground_truth_documents=truths, retrieved_documents=lists)["score"]
