"""RecTools' metrics, on tables of ranks."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, ranked_list, relevant

PACKAGE = "rectools"
HOW = "Precision, Recall, HitRate, MAP, MRR and NDCG (log_base 2) on tables of user, item and rank"

NAMES = {"P@k": "Precision", "R@k": "Recall", "F1@k": "F1Beta", "Success@k": "HitRate", "AP@k": "MAP", "RR@k": "MRR",
         "nDCG@k": "NDCG"}  # fmt: skip


def answer(case: Case) -> Any:
    """The metric over all users with interactions."""
    import pandas
    from rectools import Columns, metrics

    name = case.look_up(NAMES)
    if name == "NDCG" and any(grade not in (0, 1) for truth in case.qrels.values() for grade in truth.values()):
        from conformance.adapters.common import NotOffered

        raise NotOffered("has binary gains alone")
    rows = [(query, doc, rank) for query, ranked in case.run.items() for rank, doc in enumerate(ranked_list(ranked), 1)]
    recommended = pandas.DataFrame(rows, columns=[Columns.User, Columns.Item, Columns.Rank])
    wanted = [(query, doc) for query, truth in case.qrels.items() for doc in relevant(truth)]
    interactions = pandas.DataFrame(wanted, columns=[Columns.User, Columns.Item])
    return getattr(metrics, name)(k=case.cutoff).calc(recommended, interactions)
