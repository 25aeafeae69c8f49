"""Scores, how they are read, and fixed tie orders."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import cast

from oracle.enumeration import statistics
from oracle.judgements import Lengths, Subtopics, Truth
from oracle.measures import LOWER_IS_BETTER, Measure


def to_float32(x: float) -> float:
    try:
        return cast(float, struct.unpack("<f", struct.pack("<f", x))[0])
    except OverflowError:  # a cast in C gives infinity
        return math.copysign(math.inf, x)


def to_float16(x: float) -> float:
    try:
        return cast(float, struct.unpack("<e", struct.pack("<e", x))[0])
    except OverflowError:
        return math.copysign(math.inf, x)


def to_bfloat16(x: float) -> float:
    """Nearest number with 8 significant bits and the exponents of a float32, ties to even."""
    if x == 0 or math.isinf(x):
        return x
    exponent = max(math.frexp(x)[1] - 8, -133)
    unit = Fraction(2) ** exponent
    rounded = round(Fraction(x) / unit) * unit  # round() of a fraction takes ties to even
    if abs(rounded) >= Fraction(2) ** 128:
        return math.copysign(math.inf, x)
    return float(rounded)


def to_decimals(x: float, digits: int) -> float:
    return x if math.isinf(x) else round(x, digits)


def read_score(x: float, score_dtype: str = "float64") -> float:
    if score_dtype.startswith("decimals="):
        return to_decimals(x, int(score_dtype.removeprefix("decimals=")))
    readers: dict[str, Callable[[float], float]] = {
        "float64": float,
        "float32": to_float32,
        "float16": to_float16,
        "bfloat16": to_bfloat16,
    }
    return readers[score_dtype](x)


def group_scores(scores: Mapping[str, float], score_dtype: str = "float64") -> list[list[str]]:
    """Tie groups, best first; within a group in the order given."""
    groups: dict[float, list[str]] = {}
    for doc, score in scores.items():
        groups.setdefault(read_score(score, score_dtype), []).append(doc)  # 0.0 and -0.0 are one key
    return [groups[score] for score in sorted(groups, reverse=True)]


def tie_policy(
    measure: Measure,
    scores: Mapping[str, float],
    truth: Truth | Subtopics,
    ties: str,
    unjudged: str = "nonrelevant",
    score_dtype: str = "float64",
    lengths: Lengths | None = None,
) -> Fraction | None:
    """Value under a tie policy that yields one number."""
    groups = group_scores(scores, "float32" if ties == "trec" else score_dtype)
    if ties in ("expected", "best", "worst"):
        result = statistics(measure, groups, truth, unjudged, lengths)
        if result is None or ties == "expected":
            return result and result.mean
        return result.high if (ties == "best") != (measure.name in LOWER_IS_BETTER) else result.low
    if ties in ("docid", "trec"):
        groups = [sorted(group, key=lambda doc: doc.encode(), reverse=True) for group in groups]
    order = list(itertools.chain.from_iterable(groups))
    if unjudged == "remove":
        order = [doc for doc in order if measure.is_judged(doc, truth)]
    return measure.of(order, truth, lengths)
