"""Measures of one's own, for ``untied eval --plugin examples/own_measures.py``; see docs/own-measures.md."""

from __future__ import annotations

from math import log2

import untied


@untied.measure(best_by_grade=True, grows_with_grade=True)
def FirstRelevant(grades, rel=1.0):
    """Reciprocal of the rank of the first relevant document.

    As RR, written down once more. A document is relevant from grade ``rel`` on.
    """
    return next((1 / rank for rank, grade in enumerate(grades, 1) if grade >= rel), 0.0)


@untied.additive_measure
def Persistent(p=0.8, rel=1.0):
    """Rank-biased precision.

    The user goes on to the next document with probability p. As RBP, written down once more: a sum of
    gains times discounts, so that all of it is exact and fast under ties.
    """
    return (lambda grade: grade >= rel), (lambda rank: (1 - p) * p ** (rank - 1))


@untied.additive_measure(ideal=True)
def Lenient(base=2.0):
    """Normalised DCG whose first `base` ranks count fully."""
    return (lambda grade: 2**grade - 1), (lambda rank: 1 / max(1.0, log2(rank) / log2(base)))


@untied.measure(best_by_grade=True)
def AllOnTop(grades, ideal, cutoff, rel=1.0):
    """Whether all relevant documents are retrieved, or fill the ranks to the cutoff.

    Undefined for a query without relevant documents.
    """
    wanted = sum(grade >= rel for grade in ideal)
    if not wanted:
        return float("nan")
    return sum(grade >= rel for grade in grades) >= min(wanted, cutoff or wanted)


@untied.measure
def Unknown(judged, groups, cutoff):
    """Share of the documents within the cutoff that nobody has judged.

    A function of tie groups, which returns the mean over orders itself.
    """
    depth = min(len(judged), cutoff or len(judged))
    shares = (
        judged[start:end].count(False) * (min(end, depth) - start) / (end - start)
        for start, end in groups
        if start < depth
    )
    return sum(shares) / depth if depth else float("nan")
