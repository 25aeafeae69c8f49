"""ranx, compiled by numba."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case

PACKAGE = "ranx"
HOW = "ranx.evaluate(Qrels(dict), Run(dict), name)"
TOLERANCE = 1e-9
#: Seconds for one answer: it compiles functions when they are first used.
LIMIT = 240

NAMES = {
    "AP": "map", "AP@k": "map@{k}", "RR": "mrr", "RR@k": "mrr@{k}", "P@k": "precision@{k}", "R@k": "recall@{k}",
    "F1@k": "f1@{k}", "Success@k": "hit_rate@{k}", "Rprec": "r-precision", "nDCG": "ndcg", "nDCG@k": "ndcg@{k}",
    "nDCG(gain='exp2')@k": "ndcg_burges@{k}", "nDCG(gain='exp2')": "ndcg_burges", "DCG": "dcg", "DCG@k": "dcg@{k}",
    "DCG(gain='exp2')@k": "dcg_burges@{k}", "Bpref": "bpref", "RBP(p=0.8)": "rbp.80", "AP(rel=2)": "map-l2",
    "RR(rel=2)": "mrr-l2", "P(rel=2)@k": "precision@{k}-l2", "R(rel=2)@k": "recall@{k}-l2", "Hits@k": "hits@{k}",
}  # fmt: skip


def answer(case: Case) -> Any:
    """The mean that evaluate returns for one measure."""
    from ranx import Qrels, Run, evaluate

    name = case.look_up(NAMES).format(k=case.cutoff)
    qrels, run = case.dicts()
    return evaluate(Qrels(qrels), Run(run), name)
