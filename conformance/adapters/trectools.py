"""trectools, on files of pandas."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from conformance.adapters.common import Case, whole_grades

PACKAGE = "trectools"
HOW = "TrecEval(TrecRun(file), TrecQrel(file)) with trec_eval=True, the default"

NAMES: dict[str, Any] = {
    "AP": lambda e, k: e.get_map(), "AP@k": lambda e, k: e.get_map(depth=k),
    "RR": lambda e, k: e.get_reciprocal_rank(), "RR@k": lambda e, k: e.get_reciprocal_rank(depth=k),
    "P@k": lambda e, k: e.get_precision(depth=k), "R@k": lambda e, k: e.get_recall(depth=k),
    "Rprec": lambda e, k: e.get_rprec(), "nDCG": lambda e, k: e.get_ndcg(), "nDCG@k": lambda e, k: e.get_ndcg(depth=k),
    "nDCG(gain='exp2')@k": lambda e, k: e.get_ndcg(depth=k, trec_eval=False), "Bpref": lambda e, k: e.get_bpref(),
    "RBP(p=0.8)": lambda e, k: e.get_rbp(p=0.8), "NumRet": lambda e, k: e.get_retrieved_documents(),
    "NumRel": lambda e, k: e.get_relevant_documents(), "NumRelRet": lambda e, k: e.get_relevant_retrieved_documents(),
}  # fmt: skip


def answer(case: Case) -> Any:
    """The number that a method returns; RBP comes with its residual."""
    from trectools import TrecEval, TrecQrel, TrecRun

    of = case.look_up(NAMES)
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder, "qrels"), Path(folder, "run")
        qrels.write_text("".join(f"{query} 0 {doc} {grade}\n" for query, truth in case.qrels.items()
                                 for doc, grade in whole_grades(truth).items()))  # fmt: skip
        run.write_text("".join(f"{query} Q0 {doc} {rank} {score!r} tag\n" for query, ranked in case.run.items()
                               for rank, (doc, score) in enumerate(ranked, 1)))  # fmt: skip
        value = of(TrecEval(TrecRun(str(run)), TrecQrel(str(qrels))), case.cutoff)
    return value[0] if isinstance(value, tuple) else value
