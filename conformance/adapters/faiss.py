"""faiss' comparison of two sets of neighbours."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered

PACKAGE = "faiss-cpu"
HOW = "faiss.contrib.evaluation.knn_intersection_measure of the first k true neighbours and the returned ones"


def answer(case: Case) -> Any:
    """The share of common neighbours."""
    if case.question != "neighbours":
        raise NotOffered("has recall of neighbours alone")
    import numpy
    from faiss.contrib.evaluation import knn_intersection_measure

    ids = [point for point, _ in case.neighbours]
    ids += [point for point in case.returned if point not in ids]
    if len(case.returned) < (case.cutoff or 0):
        raise NotOffered("takes k neighbours")
    truth = numpy.array([[ids.index(point) for point, _ in case.neighbours[: case.cutoff]]])
    found = numpy.array([[ids.index(point) for point in case.returned[: case.cutoff]]])
    return knn_intersection_measure(truth, found)
