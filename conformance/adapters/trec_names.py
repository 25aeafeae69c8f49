"""Names that trec_eval and pytrec_eval give to measures: what is asked for, and what is printed."""

from __future__ import annotations

from conformance.adapters.common import Case

#: Names of measures by their definition; {k} is the cutoff, {x} the recall level. The second is the one printed.
NAMES = {
    "AP": ("map", "map"), "AP@k": ("map_cut.{k}", "map_cut_{k}"), "RR": ("recip_rank", "recip_rank"),
    "P@k": ("P.{k}", "P_{k}"), "R@k": ("recall.{k}", "recall_{k}"), "Success@k": ("success.{k}", "success_{k}"),
    "Rprec": ("Rprec", "Rprec"), "nDCG": ("ndcg", "ndcg"), "nDCG@k": ("ndcg_cut.{k}", "ndcg_cut_{k}"),
    "Bpref": ("bpref", "bpref"), "infAP": ("infAP", "infAP"), "RelP@k": ("relative_P.{k}", "relative_P_{k}"),
    "SetP": ("set_P", "set_P"), "SetR": ("set_recall", "set_recall"), "SetF": ("set_F", "set_F"),
    "SetAP": ("set_map", "set_map"), "SetRelP": ("set_relative_P", "set_relative_P"), "G": ("G", "G"),
    "binG": ("binG", "binG"), "Rndcg": ("Rndcg", "Rndcg"), "nDCGRel": ("ndcg_rel", "ndcg_rel"),
    "YAAP": ("yaap", "yaap"), "IPrecMean": ("11pt_avg", "11pt_avg"), "NumQ": ("num_q", "num_q"),
    "NumRet": ("num_ret", "num_ret"), "NumRel": ("num_rel", "num_rel"), "NumRelRet": ("num_rel_ret", "num_rel_ret"),
    "Utility": ("utility", "utility"), "IPrec@0.0": ("iprec_at_recall", "iprec_at_recall_0.00"),
    "IPrec@0.5": ("iprec_at_recall", "iprec_at_recall_0.50"),
}  # fmt: skip


def names(case: Case) -> tuple[str, str]:
    """What is asked for, and what is printed."""
    asked, printed = case.look_up(NAMES)
    return asked.format(k=case.cutoff), printed.format(k=case.cutoff)
