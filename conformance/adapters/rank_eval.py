"""rank_eval, which ranx replaced."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case

PACKAGE = "rank_eval"
HOW = "rank_eval.evaluate(Qrels(dict), Run(dict), name)"
LIMIT = 240

NAMES = {
    "AP": "map", "AP@k": "map@{k}", "RR": "mrr", "RR@k": "mrr@{k}", "P@k": "precision@{k}", "R@k": "recall@{k}",
    "Rprec": "r-precision", "nDCG": "ndcg", "nDCG@k": "ndcg@{k}", "nDCG(gain='exp2')@k": "ndcg_burges@{k}",
    "nDCG(gain='exp2')": "ndcg_burges", "Hits@k": "hits@{k}",
}  # fmt: skip


def answer(case: Case) -> Any:
    """The mean that evaluate returns for one measure."""
    from rank_eval import Qrels, Run, evaluate

    name = case.look_up(NAMES).format(k=case.cutoff)
    qrels, run = case.dicts()
    judged, ranked = Qrels(), Run()
    judged.add_multi(list(qrels), [list(one) for one in qrels.values()], [list(one.values()) for one in qrels.values()])
    ranked.add_multi(list(run), [list(one) for one in run.values()], [list(one.values()) for one in run.values()])
    return evaluate(judged, ranked, name)
