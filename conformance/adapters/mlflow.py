"""MLflow's metrics of retrievers, on ranked lists."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, ranked_list, relevant

PACKAGE = "mlflow"
HOW = "mlflow.metrics.precision_at_k, recall_at_k and ndcg_at_k: the mean of their scores"

NAMES = {"P@k": "precision_at_k", "R@k": "recall_at_k", "nDCG@k": "ndcg_at_k"}


def answer(case: Case) -> Any:
    """The mean over the judged queries."""
    import pandas
    from mlflow import metrics

    name = case.look_up(NAMES)
    if set(case.qrels) != set(case.run):
        raise NotOffered("takes lists of judged queries")
    if name == "ndcg_at_k" and any(grade not in (0, 1) for truth in case.qrels.values() for grade in truth.values()):
        raise NotOffered("has binary gains alone")
    retrieved = pandas.Series([ranked_list(case.run[query]) for query in case.qrels])
    targets = pandas.Series([relevant(truth) for truth in case.qrels.values()])
    return getattr(metrics, name)(case.cutoff).eval_fn(retrieved, targets).aggregate_results["mean"]
