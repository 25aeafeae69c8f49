"""rankkit, on ranked lists with grades."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, ranked_list

PACKAGE = "rankkit"
HOW = "rankkit.score of a Run; means are of the queries that have a value"

NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "AP@k": ("map", {}), "RR@k": ("mrr", {}), "P@k": ("precision", {}), "R@k": ("recall", {}), "Success@k": ("hit", {}),
    "nDCG@k": ("ndcg", {"gain": "linear"}), "nDCG(gain='exp2')@k": ("ndcg", {}),
    "ERR(max_grade=2)@k": ("err", {"max_grade": 2}), "ERR(max_grade=3)@k": ("err", {"max_grade": 3}),
}  # fmt: skip


def answer(case: Case) -> Any:
    """The mean of the values of the module's function scores, which leaves undefined ones out."""
    import rankkit

    name, options = case.look_up(NAMES)
    if set(case.qrels) != set(case.run):
        raise NotOffered("takes judged rankings")
    runs = [
        rankkit.Run(qid=query, ranking=ranked_list(case.run[query]), relevance=truth)
        for query, truth in case.qrels.items()
    ]
    values = list(rankkit.scores(runs, name, k=case.cutoff, **options).values())
    return sum(values) / len(values) if values else None
