"""LensKit's ranking metrics, on ranked item lists."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, ranked_list, relevant

PACKAGE = "lenskit"
HOW = "the measure_list of AveragePrecision, RecipRank, Precision, Recall, Hit, NDCG (gain='rating') and RBP"

NAMES: dict[str, Any] = {
    "AP": lambda m, k: m.AveragePrecision(), "AP@k": lambda m, k: m.AveragePrecision(k),
    "RR": lambda m, k: m.RecipRank(), "RR@k": lambda m, k: m.RecipRank(k), "P@k": lambda m, k: m.Precision(k),
    "R@k": lambda m, k: m.Recall(k),
    "Success@k": lambda m, k: m.Hit(k), "nDCG": lambda m, k: m.NDCG(gain="rating"),
    "nDCG@k": lambda m, k: m.NDCG(k, gain="rating"), "DCG": lambda m, k: m.DCG(gain="rating"),
    "DCG@k": lambda m, k: m.DCG(k, gain="rating"),
}  # fmt: skip


def answer(case: Case) -> Any:
    """The value of the only user, or the mean of several."""
    from lenskit.data import ItemList
    from lenskit.metrics import ranking

    metric = case.look_up(NAMES)(ranking, case.cutoff)

    def of_query(truth: dict[str, Any], ranked: list[tuple[str, float]]) -> float:
        wanted = relevant(truth)
        test = ItemList(item_ids=wanted, rating=[float(truth[doc]) for doc in wanted])
        return float(metric.measure_list(ItemList(item_ids=ranked_list(ranked), ordered=True), test))

    return case.means(of_query)
