"""Measures as objects: ``nDCG @ 10``, ``AP(rel=2)``, ``nDCG(gain="exp2") @ 20``.

A measure is completed by ``@ cutoff`` and by calling it with parameters. ``untied measures`` on the command line
says what each one is, with its equation and reference.
"""

from __future__ import annotations

from untied._core import Measure, parse_measures
from untied.errors import MeasureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Protocol, TypeAlias

    class OfIrMeasures(Protocol):
        """A measure of ir_measures, known by its shape."""

        NAME: Any
        AT_PARAM: Any
        params: Any

    MeasureLike: TypeAlias = Measure | str | OfIrMeasures

P = Measure("P")
R = Measure("R")
F1 = Measure("F1")
Hits = Measure("Hits")
RelP = Measure("RelP")
Rprec = Measure("Rprec")
Success = Measure("Success")
AP = Measure("AP")
RR = Measure("RR")
DCG = Measure("DCG")
nDCG = Measure("nDCG")
RBP = Measure("RBP")
RBPResidual = Measure("RBPResidual")
IPrec = Measure("IPrec")
IPrecMean = Measure("IPrecMean")
Bpref = Measure("Bpref")
infAP = Measure("infAP")
xinfAP = Measure("xinfAP")
infNDCG = Measure("infNDCG")
statAP = Measure("statAP")
binG = Measure("binG")
G = Measure("G")
Rndcg = Measure("Rndcg")
nDCGRel = Measure("nDCGRel")
YAAP = Measure("YAAP")
ESL = Measure("ESL")
EP = Measure("EP")
PRR = Measure("PRR")
Accuracy = Measure("Accuracy")
Judged = Measure("Judged")
Unjudged = Measure("Unjudged")
Utility = Measure("Utility")
ERR = Measure("ERR")
nERR = Measure("nERR")
Cascade = Measure("Cascade")
NERR8 = Measure("NERR8")
NERR9 = Measure("NERR9")
NERR10 = Measure("NERR10")
NERR11 = Measure("NERR11")
BPM = Measure("BPM")
INST = Measure("INST")
INSQ = Measure("INSQ")
SDCG = Measure("SDCG")
TBG = Measure("TBG")
U = Measure("U")
SetP = Measure("SetP")
SetRelP = Measure("SetRelP")
SetR = Measure("SetR")
SetF = Measure("SetF")
SetAP = Measure("SetAP")
alpha_DCG = Measure("alpha_DCG")
alpha_nDCG = Measure("alpha_nDCG")
ERR_IA = Measure("ERR_IA")
nERR_IA = Measure("nERR_IA")
NRBP = Measure("NRBP")
nNRBP = Measure("nNRBP")
AP_IA = Measure("AP_IA")
P_IA = Measure("P_IA")
StRecall = Measure("StRecall")
ADR = Measure("ADR")
ADRInverted = Measure("ADRInverted")
PairConcordance = Measure("PairConcordance")
Compat = Measure("Compat")
subAP = Measure("subAP")
NumQ = Measure("NumQ")
NumRet = Measure("NumRet")
NumRel = Measure("NumRel")
NumRelRet = Measure("NumRelRet")
NumNonrelJudgedRet = Measure("NumNonrelJudgedRet")

# Of two rankings, for `untied.compare`.
RBO = Measure("RBO")
Overlap = Measure("Overlap")
AO = Measure("AO")
Jaccard = Measure("Jaccard")
AnchorMAP = Measure("AnchorMAP")
Tau = Measure("Tau")
TauAP = Measure("TauAP")
KendallDistance = Measure("KendallDistance")
Footrule = Measure("Footrule")
RRDistance = Measure("RRDistance")
WeightedKendall = Measure("WeightedKendall")
WeightedFootrule = Measure("WeightedFootrule")
Hoeffding = Measure("Hoeffding")
MED = Measure("MED")
Delta = Measure("Delta")

#: What is computed where nothing is asked for.
DEFAULT = (AP, nDCG @ 10, RR, P @ 10, R @ 100)


def parse_measure(text: str) -> Measure:
    """Read the name of one measure.

    Parameters
    ----------
    text : str
        A name in untied's grammar, which extends that of ir_measures (``"nDCG(gain='exp2')@10"``), or trec_eval's
        (``"ndcg_cut_10"``, ``"map"``).

    Returns
    -------
    Measure

    Raises
    ------
    MeasureError
        The name is unknown or malformed, or it means several measures (``"P.5,10"``).

    Examples
    --------
    >>> parse_measure("map_cut_100")
    AP@100
    """
    measures = parse_measures(text)
    if len(measures) != 1:
        raise MeasureError(f"expected one measure, found {len(measures)} in {text!r}")
    return measures[0]


def as_measures(measures: MeasureLike | Iterable[MeasureLike] | None) -> list[Measure]:
    """Measures from whatever the user named them by, without repetitions."""
    if measures is None:
        return list(DEFAULT)
    if isinstance(measures, (Measure, str)) or not hasattr(measures, "__iter__"):
        measures = [measures]
    found: dict[str, Measure] = {}
    for measure in measures:
        for one in parse_measures(measure) if isinstance(measure, str) else [as_measure(measure)]:
            found.setdefault(str(one), one)
    if not found:
        raise MeasureError("no measure given")
    return list(found.values())


def as_measure(measure: MeasureLike) -> Measure:
    """One measure from a name, a measure of untied or one of ir_measures."""
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        return parse_measure(measure)
    if not hasattr(measure, "AT_PARAM"):
        raise TypeError(f"a measure must be a Measure or a str, not {type(measure).__name__}")
    if measure.NAME is None or hasattr(measure, "runtime_impl"):
        raise MeasureError(f"{measure} is defined by a function given to ir_measures, which untied does not run")
    # Those that untied registers under a name of ir_measures are told apart by a prefix there.
    parameters = dict(measure.params)
    at = parameters.pop(measure.AT_PARAM, None)
    if measure.NAME == "Compat":  # of ir_measures, which goes as deep as the longer ranking
        parameters["depth"] = "longest"
    found = Measure(measure.NAME.removeprefix("untied_"))(**parameters)
    return found if at is None else found @ at
