"""pyNTCIREVAL, on ranked lists."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, ranked_list, whole_grades

PACKAGE = "pyNTCIREVAL"
HOW = "Labeler(qrels).label(ids), then the metric's compute; gains are the grades, or 2^grade - 1"


def names(levels: int) -> dict[str, Any]:
    """Constructors of metrics by our names, for grades up to a level."""
    from pyNTCIREVAL import metrics

    linear, exponential = list(range(1, levels)), [2**grade - 1 for grade in range(1, levels)]
    return {
        "AP": lambda num, k: metrics.AP(num, linear), "RR": lambda num, k: metrics.RR(),
        "P@k": lambda num, k: metrics.Precision(k), "Success@k": lambda num, k: metrics.Hit(k),
        "nDCG": lambda num, k: metrics.MSnDCG(num, linear, 1000),
        "nDCG@k": lambda num, k: metrics.MSnDCG(num, linear, k),
        "nDCG(gain='exp2')@k": lambda num, k: metrics.MSnDCG(num, exponential, k),
        "nDCG(discount='log(2)')": lambda num, k: metrics.nDCG(num, linear, 2, 1000),
        "Q": lambda num, k: metrics.QMeasure(num, linear, 1.0),
        "Q@k": lambda num, k: metrics.QMeasure(num, linear, 1.0, k),
        "O": lambda num, k: metrics.OMeasure(num, linear, 1.0),
        "Pmeasure": lambda num, k: metrics.PMeasure(num, linear, 1.0),
        "Pplus": lambda num, k: metrics.PPlusMeasure(num, linear, 1.0),
    }  # fmt: skip


def answer(case: Case) -> Any:
    """The metric of the only query, or the mean of several."""
    from pyNTCIREVAL import Labeler

    def of_query(truth: dict[str, Any], ranked: list[tuple[str, float]]) -> float:
        judged = {doc: grade for doc, grade in whole_grades(truth).items() if grade >= 0}
        levels = max(judged.values()) + 1
        make = case.look_up(names(max(levels, 2)))
        labeler = Labeler(judged)
        counts = labeler.compute_per_level_doc_num(max(levels, 2))
        return float(make(counts, case.cutoff).compute(labeler.label(ranked_list(ranked))))

    return case.means(of_query)
