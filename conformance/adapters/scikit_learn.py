"""scikit-learn's ranking metrics, on arrays of the retrieved documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.adapters.common import Case, NotOffered, all_retrieved, labels

PACKAGE = "scikit-learn"
HOW = (
    "ndcg_score and dcg_score; average_precision_score for AP; label_ranking_average_precision_score for RR with one"
    " relevant document; top_k_accuracy_score for hits among candidates"
)


def answer(case: Case) -> Any:
    """The value of the only query, or the mean of several."""
    from sklearn import metrics

    return by(metrics, case)


def by(metrics: Any, case: Case) -> Any:
    """The same with any module that has these functions."""
    of: Callable[[Any, Any, Any], Any] = case.look_up(NAMES)

    def of_query(truth: dict[str, Any], ranked: list[tuple[str, float]]) -> float:
        all_retrieved(truth, ranked)
        grades, scores = labels(truth, ranked)
        return float(of(metrics, grades, scores)(case.cutoff))

    return case.means(of_query)


def function(metrics: Any, name: str) -> Any:
    """A function of the module."""
    if not hasattr(metrics, name):
        raise NotOffered(f"has no {name}")
    return getattr(metrics, name)


def binary(grades: list[Any]) -> list[int]:
    """Labels of relevance."""
    if any(grade != int(grade) for grade in grades):
        raise NotOffered("takes labels without grades")
    return [int(grade >= 1) for grade in grades]


def average_precision(metrics: Any, grades: list[Any], scores: list[float]) -> Any:
    """AP as the area under the precision-recall curve."""
    return lambda k: function(metrics, "average_precision_score")(binary(grades), scores)


def reciprocal_rank(metrics: Any, grades: list[Any], scores: list[float]) -> Any:
    """With one relevant label, label ranking AP is its reciprocal rank."""
    if sum(binary(grades)) != 1:
        raise NotOffered("has RR for one relevant document alone")
    return lambda k: function(metrics, "label_ranking_average_precision_score")([binary(grades)], [scores])


def hit(metrics: Any, grades: list[Any], scores: list[float]) -> Any:
    """Whether the one true class is among the first k."""
    if sum(binary(grades)) != 1 or len(scores) < 3:
        raise NotOffered("has hits for one relevant document of three or more alone")
    true = binary(grades).index(1)
    return lambda k: function(metrics, "top_k_accuracy_score")([true], [scores], k=k, labels=list(range(len(scores))))


NAMES = {
    "nDCG": lambda metrics, grades, scores: lambda k: function(metrics, "ndcg_score")([grades], [scores]),
    "nDCG@k": lambda metrics, grades, scores: lambda k: function(metrics, "ndcg_score")([grades], [scores], k=k),
    "DCG": lambda metrics, grades, scores: lambda k: function(metrics, "dcg_score")([grades], [scores]),
    "DCG@k": lambda metrics, grades, scores: lambda k: function(metrics, "dcg_score")([grades], [scores], k=k),
    "AP": average_precision, "RR": reciprocal_rank, "Success@k": hit,
}  # fmt: skip
