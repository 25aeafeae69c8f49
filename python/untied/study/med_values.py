"""What the study of MED computes from values of pairs of runs."""

from __future__ import annotations

import math

from untied.compare.correlation import kendall
from untied.study.estimates import linear

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def sampled(judged: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Without those that were not sampled: not being judged is all that MED has to know of a document."""
    return {query: {doc: grade for doc, grade in of.items() if grade >= 0} for query, of in judged.items()}


def correlation_of(
    one: Sequence[float], other: Sequence[float], same: Sequence[bool], among: str
) -> tuple[int, float, float]:
    """How many pairs there are, and their linear and rank correlation."""
    kept = [(x, y) for x, y, of in zip(one, other, same, strict=True) if among == "all" or of is (among == "same")]
    if len(kept) < 2:
        return len(kept), math.nan, math.nan
    x, y = [round(a, 12) for a, _ in kept], [round(b, 12) for _, b in kept]
    tau = kendall(dict(enumerate(x)), dict(enumerate(y)), variant="b").mean
    return len(kept), linear(x, y), tau


def mean_of(values: Sequence[float]) -> float:
    """The mean; NaN of nothing."""
    return math.fsum(values) / len(values) if values else math.nan
