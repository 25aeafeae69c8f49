"""BEIR's evaluation, by pytrec_eval and functions of its own."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case

PACKAGE = "beir"
HOW = "EvaluateRetrieval.evaluate for NDCG, MAP, Recall and P; evaluate_custom for mrr and top_k_accuracy"
#: It rounds means to five decimals.
TOLERANCE = 6e-6

NAMES = {"nDCG@k": (0, "NDCG@{k}"), "AP@k": (1, "MAP@{k}"), "R@k": (2, "Recall@{k}"), "P@k": (3, "P@{k}"),
         "RR@k": ("mrr", "MRR@{k}"), "Success@k": ("top_k_accuracy", "Accuracy@{k}")}  # fmt: skip


def answer(case: Case) -> Any:
    """The mean that one of the two functions returns."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    return by(EvaluateRetrieval, case)


def by(evaluation: Any, case: Case) -> Any:
    """The same with any class that has these functions."""
    which, name = case.look_up(NAMES)
    qrels, run = case.dicts()
    if isinstance(which, str):
        return evaluation.evaluate_custom(qrels, run, [case.cutoff], which)[name.format(k=case.cutoff)]
    return evaluation.evaluate(qrels, run, [case.cutoff])[which][name.format(k=case.cutoff)]
