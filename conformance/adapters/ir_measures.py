"""ir_measures, which chooses a provider for each measure."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered

PACKAGE = "ir_measures"
HOW = "ir_measures.calc_aggregate([measure], qrels, run) with its default providers"

NAMES = {
    "AP": "AP", "AP@k": "AP@{k}", "RR": "RR", "RR@k": "RR@{k}", "P@k": "P@{k}", "R@k": "R@{k}",
    "Success@k": "Success@{k}", "Rprec": "Rprec", "nDCG": "nDCG", "nDCG@k": "nDCG@{k}", "Bpref": "Bpref",
    "infAP": "infAP", "Judged@k": "Judged@{k}", "AP(rel=2)": "AP(rel=2)", "RR(rel=2)": "RR(rel=2)",
    "P(rel=2)@k": "P(rel=2)@{k}", "R(rel=2)@k": "R(rel=2)@{k}", "IPrec@0.5": "IPrec@0.5", "IPrec@0.0": "IPrec@0.0",
    "Accuracy": "Accuracy", "Accuracy@k": "Accuracy@{k}", "SetP": "SetP", "SetR": "SetR", "SetF": "SetF",
    "SetF(beta=0.5)": "SetF(beta=0.5)", "SetAP": "SetAP", "SetRelP": "SetRelP", "NumQ": "NumQ", "NumRet": "NumRet",
    "NumRel": "NumRel", "NumRelRet": "NumRet(rel=1)", "AP(judged_only=True)": "AP(judged_only=True)",
    "Compat(p=0.8, depth=5)": "Compat(p=0.8)",
}  # fmt: skip


def answer(case: Case) -> Any:
    """The aggregate of the one measure."""
    import ir_measures

    return by(ir_measures, case)


def by(ir_measures: Any, case: Case) -> Any:
    """The same with any package that has the interface of ir_measures."""
    measure = ir_measures.parse_measure(case.look_up(NAMES).format(k=case.cutoff))
    if case.fields.get("question") != "value":
        raise NotOffered("takes one run")
    qrels = [ir_measures.Qrel(query, doc, grade) for query, truth in case.qrels.items() for doc, grade in truth.items()]
    run = [ir_measures.ScoredDoc(query, doc, score) for query, ranked in case.run.items() for doc, score in ranked]
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]
