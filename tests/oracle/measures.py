"""The names of the measures, and a measure with its parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from oracle import binary, graded, partial, sampled, subtopics, users
from oracle.judgements import Lengths, Subtopics, Truth, gain_of, is_judged, relevant_total

MEASURES: dict[str, Callable[..., Fraction | None]] = {
    "P": binary.precision,
    "R": binary.recall,
    "F1": binary.f1,
    "Hits": binary.hits_within,
    "AP": binary.ap,
    "RR": binary.rr,
    "Success": binary.success,
    "Rprec": binary.rprec,
    "RelP": binary.relp,
    "SetP": binary.set_p,
    "SetRelP": binary.set_relp,
    "SetR": binary.set_r,
    "SetF": binary.set_f,
    "SetAP": binary.set_ap,
    "IPrec": binary.iprec,
    "IPrecMean": binary.iprec_mean,
    "ESL": binary.esl,
    "EP": binary.ep,
    "Bpref": binary.bpref,
    "infAP": binary.inf_ap,
    "Accuracy": binary.accuracy,
    "binG": binary.bin_g,
    "YAAP": binary.yaap,
    "Judged": binary.judged,
    "Unjudged": binary.unjudged,
    "Utility": binary.utility,
    "NumNonrelJudgedRet": binary.num_nonrel_judged_ret,
    "NumRet": binary.num_ret,
    "NumRel": binary.num_rel,
    "NumRelRet": binary.num_rel_ret,
    "NumQ": binary.num_q,
    "DCG": graded.dcg,
    "nDCG": graded.ndcg,
    "Rndcg": graded.r_ndcg,
    "nDCGRel": graded.ndcg_rel,
    "G": graded.g,
    "RBP": users.rbp,
    "RBPResidual": users.rbp_residual,
    "ERR": users.err,
    "nERR": users.nerr,
    "Cascade": users.cascade,
    "NERR8": users.nerr8,
    "NERR9": users.nerr9,
    "NERR10": users.nerr10,
    "NERR11": users.nerr11,
    "BPM": users.bpm,
    "INST": users.inst,
    "INSQ": users.insq,
    "SDCG": users.sdcg,
    "U": users.u_measure,
    "TBG": users.tbg,
    "ADR": partial.adr,
    "ADRInverted": partial.adr_inverted,
    "PairConcordance": partial.pair_concordance,
    "Compat": partial.compat,
    "subAP": partial.sub_ap,
    "xinfAP": sampled.xinf_ap,
    "infNDCG": sampled.inf_ndcg,
    "statAP": sampled.stat_ap,
    "alpha_DCG": subtopics.alpha_dcg,
    "alpha_nDCG": subtopics.alpha_ndcg,
    "ERR_IA": subtopics.err_ia,
    "nERR_IA": subtopics.nerr_ia,
    "NRBP": subtopics.nrbp,
    "nNRBP": subtopics.nnrbp,
    "AP_IA": subtopics.ap_ia,
    "P_IA": subtopics.p_ia,
    "StRecall": subtopics.st_recall,
}

COUNTS = {"NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet", "NumQ"}  # their aggregate is a sum
LOWER_IS_BETTER = {"ESL"}
OF_DOCUMENTS = {"U", "TBG"}  # look at the lengths of documents
OF_SUBTOPICS = {"alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"}
OF_PAIRS = {"xinfAP": "stratified", "infNDCG": "stratified", "statAP": "prels"}  # judgements are pairs; their format
RANDOM = {"subAP": partial.sub_ap_moments}  # mean and mean square of what is random even for one order
OF_RELEVANT = {
    "AP",
    "Bpref",
    "EP",
    "IPrec",
    "IPrecMean",
    "R",
    "RR",
    "RelP",
    "Rprec",
    "SetAP",
    "SetF",
    "SetR",
    "SetRelP",
}
OF_RELEVANT |= {"Success", "binG"}  # have no value where nothing is relevant
AT_RECALL = {"EP", "IPrec"}  # what follows the @ is a recall level, not a cutoff


@dataclass(frozen=True, init=False)
class Measure:
    """A measure, what follows its @, and its parameters; one that is None keeps the default of the definition."""

    name: str
    k: int | float | None
    params: dict[str, Any]

    def __init__(self, name: str, k: int | float | None = None, **params: Any) -> None:
        if params.get("judged_only") is False:
            del params["judged_only"]
        given = {key: value for key, value in params.items() if value is not None}
        for key, value in (("name", name), ("k", k), ("params", given)):
            object.__setattr__(self, key, value)

    def of(self, order: Sequence[str], truth: Truth | Subtopics, lengths: Lengths | None = None) -> Fraction | None:
        """Value for one total order; None if it is left undefined."""
        params = {key: value for key, value in self.params.items() if key not in ("judged_only", "mean")}
        if "judged_only" in self.params:
            order = [doc for doc in order if self.is_judged(doc, truth)]
        if self.k is not None:
            params["recall" if self.name in AT_RECALL else "k"] = self.k
        if self.name in OF_DOCUMENTS:
            params["lengths"] = lengths
        return MEASURES[self.name](order, truth, **params)

    def is_defined(self, order: Sequence[str], truth: Truth) -> bool:
        """Whether it has a value of its own, and not the 0 that stands for none."""
        if self.name == "nDCG":
            base = {doc: truth[doc] for doc in order if doc in truth}
            return self._gain(base if self.params.get("recall_base") == "ranking" else truth)
        if self.name in OF_RELEVANT:
            return relevant_total(order, truth, self.params.get("rel", 1), self.params.get("recall_base", "qrels")) > 0
        return self.of(order, truth) is not None if self.name in LOWER_IS_BETTER else True

    def _gain(self, truth: Truth) -> bool:
        """Whether an ideal ranking of these documents has any gain."""
        of = {key: self.params[key] for key in ("gain", "rel") if key in self.params}
        return any(gain_of(doc, truth, of.get("gain", "linear"), of.get("rel", 0)) > 0 for doc in truth)

    def moments(self, order: Sequence[str], truth: Any) -> tuple[Fraction, Fraction]:
        """Mean and mean square of a measure that is random even for one order."""
        return RANDOM[self.name](order, truth, **{key: v for key, v in self.params.items() if key != "mean"})

    def is_judged(self, doc: str, truth: Any) -> bool:
        """Whether the document is judged, for some subtopic if there are subtopics."""
        if self.name in OF_SUBTOPICS:
            return any(is_judged(doc, one) for one in truth.values())
        if self.name in OF_PAIRS:
            return doc in truth and truth[doc][0 if OF_PAIRS[self.name] == "prels" else 1] >= 0
        return is_judged(doc, truth)

    def sees(self, doc: str, truth: Any, lengths: Lengths | None = None) -> Hashable:
        """Everything that the measure can know of a document."""
        if self.name in OF_SUBTOPICS:
            return tuple(one.get(doc) for one in truth.values())
        if self.name in OF_DOCUMENTS:
            assert lengths is not None
            return truth.get(doc), lengths[doc]
        return truth.get(doc)
