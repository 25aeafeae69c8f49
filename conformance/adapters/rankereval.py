"""RankerEval, on matrices of scores."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, all_retrieved, labels, relevant

PACKAGE = "rankereval"
HOW = "AP, ReciprocalRank, Precision, Recall, F1, HitRate, DCG and NDCG (log_base '2') of Rankings.from_scores"
#: Labels and scores are 32-bit numbers.
TOLERANCE = 1e-6
LIMIT = 240

NAMES: dict[str, Any] = {
    "AP@k": lambda m, k: m.AP(k), "RR@k": lambda m, k: m.ReciprocalRank(k), "P@k": lambda m, k: m.Precision(k),
    "R@k": lambda m, k: m.Recall(k), "F1@k": lambda m, k: m.F1(k), "Success@k": lambda m, k: m.HitRate(k),
    "nDCG@k": lambda m, k: m.NDCG(k, log_base="2"), "DCG@k": lambda m, k: m.DCG(k, log_base="2"),
    "nDCG(gain='exp2')@k": lambda m, k: m.NDCG(k, relevance_scaling="power", log_base="2"),
}  # fmt: skip


def answer(case: Case) -> Any:
    """The mean over queries; all judgments must be of retrieved documents."""
    from rankereval import BinaryLabels, NumericLabels, Rankings, metrics

    metric = case.look_up(NAMES)(metrics, case.cutoff)
    if set(case.qrels) != set(case.run):
        raise NotOffered("takes rows of judged queries")
    if len({len(ranked) for ranked in case.run.values()}) > 1:
        raise NotOffered("takes rows of one length")
    true, predicted = [], []
    for query, truth in case.qrels.items():
        all_retrieved(truth, case.run[query])
        relevant(truth)
        grades, scores = labels(truth, case.run[query])
        true.append(grades if "DCG" in case.family else [int(grade >= 1) for grade in grades])
        predicted.append(scores)
    made = (NumericLabels if "DCG" in case.family else BinaryLabels).from_matrix(true)
    found = metric.mean(made, Rankings.from_scores(predicted))
    return found["score"] if isinstance(found, dict) else found
