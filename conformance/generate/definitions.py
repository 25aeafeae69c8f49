"""Variants of definitions that evaluators use under one name, and conventions that treat a tie as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from conformance.generate.answers import OfGroups, Order, Score
from oracle import binary, graded
from oracle.judgements import Gain, Truth, discount_at, hits
from oracle.measures import Measure

ZERO = Fraction(0)


def variants(measure: Measure) -> dict[str, Score]:
    """Other definitions of the measure by their names, the more common first."""
    k, name = measure.k, measure.name
    if isinstance(k, float):
        return {}
    plain = not measure.params
    if name == "P" and plain:
        return {
            "divides by the length of the list": lambda order, truth: _share(order[:k], truth, len(order[:k])),
            "divides by min(k, R)": lambda order, truth: _share(order[:k], truth, min(k or 0, _total(truth))),
        }
    if name == "R" and plain:
        return {
            "divides by min(k, R)": lambda order, truth: _share(order[:k], truth, min(k or 0, _total(truth))),
            "R among the retrieved": lambda order, truth: binary.recall(order, truth, k or 0, 1, "ranking"),
        }
    if name == "F1" and plain:
        return {"divides by the length of the list": lambda order, truth: _f1_of_list(order[:k], truth)}
    if name == "AP" and plain:
        return _average_precisions(k)
    if name == "RR" and plain and k is not None:
        return {"ignores the cutoff": lambda order, truth: binary.rr(order, truth)}
    if name in ("nDCG", "DCG") and measure.params in ({}, {"gain": "exp2"}):
        return _discounted(name, k, "exponential" if measure.params else "linear")
    if name == "IPrecMean" and plain:
        return {
            f"recall levels rounded as in trec_eval {version}": lambda order, truth, needed=needed: _eleven_points(
                order, truth, needed
            )
            for version, needed in (("9", _needed_in_9), ("10", _needed_in_10))
        }
    if name == "Bpref" and plain:
        return {"divides by R": lambda order, truth: binary.bpref(order, truth, 1, "paper")}
    return {}


def _needed_in_9(level: float, total: int) -> int:
    return int(level * total + 0.9)


def _needed_in_10(level: float, total: int) -> int:
    return int(level * total + 0.5)


def _eleven_points(order: Order, truth: Truth, needed: Callable[[float, int], int]) -> Fraction:
    """The mean of the best precisions from where so many relevant documents are found."""
    total, found = _total(truth), ZERO
    for level in binary.ELEVEN:
        reached = [k for k in range(1, len(order) + 1) if hits(order[:k], truth, 1) >= needed(level, total)]
        found += max((binary.precision(order, truth, k) for k in reached), default=ZERO)
    return found / len(binary.ELEVEN)


def _total(truth: Truth) -> int:
    return hits(list(truth), truth, 1)


def _share(seen: Order, truth: Truth, of: int) -> Fraction:
    return Fraction(hits(seen, truth, 1), of) if of else ZERO


def _f1_of_list(seen: Order, truth: Truth) -> Fraction:
    p, r = _share(seen, truth, len(seen)), _share(seen, truth, _total(truth))
    return 2 * p * r / (p + r) if p + r else ZERO


def _average_precisions(k: int | None) -> dict[str, Score]:
    def summed(order: Order, truth: Truth) -> Fraction:
        return binary.ap(order, truth, k, 1, 1)  # with R = 1: the sum

    def over(count: Any) -> Score:
        return lambda order, truth: summed(order, truth) / count(order, truth) if count(order, truth) else ZERO

    within = {
        "divides by the relevant retrieved": over(lambda order, truth: hits(order[:k], truth, 1)),
        "divides by min(length, R)": over(lambda order, truth: min(len(order[:k]), _total(truth))),
    }
    if k is None:
        return within
    return {
        "divides by min(k, R)": over(lambda order, truth: min(k, _total(truth))),
        "divides by k": over(lambda order, truth: k),
        **within,
    }


#: How a grade becomes a gain.
GAINS: dict[str, Gain | None] = {"linear": "linear", "exponential": "exp2", "binary": None}
#: Where the ideal ranking takes its documents from.
IDEALS = (
    "judged", "retrieved", "retrieved within the cutoff", "as long as the list", "not cut at k",
    "k of the highest grade",
)  # fmt: skip


def _gain(gains: str, doc: str, truth: Truth) -> Fraction:
    grade = Fraction(truth.get(doc, 0))
    if grade <= 0:
        return ZERO
    if gains == "binary":
        return Fraction(1)
    return graded.gain_of(doc, truth, GAINS[gains] or "linear")


def _discounted(name: str, k: int | None, own: str) -> dict[str, Score]:
    found: dict[str, Score] = {}
    for ideal in IDEALS if name == "nDCG" else IDEALS[:1]:
        for gains in (own, *(other for other in GAINS if other != own)):
            words = [f"{gains} gains"] * (gains != own) + [f"ideal: {ideal}"] * (ideal != "judged")
            if words:
                found[" + ".join(words)] = _score(name, k, gains, ideal, "log2")
    return found | {"no discount at rank 2": _score(name, k, own, "judged", "log(2)")}


def _score(name: str, k: int | None, gains: str, ideal: str, discount: str) -> Score:
    def summed(order: Sequence[str], truth: Truth) -> Fraction:
        return sum((_gain(gains, doc, truth) * discount_at(i, discount) for i, doc in enumerate(order, 1)), ZERO)

    def of(order: Order, truth: Truth) -> Fraction:
        if name == "DCG":
            return summed(order[:k], truth)
        pool = {"retrieved": list(order), "retrieved within the cutoff": list(order[:k])}.get(ideal, list(truth))
        best = sorted(pool, key=lambda doc: _gain(gains, doc, truth), reverse=True)
        if ideal == "k of the highest grade":
            best = best[:1] * (k or len(order))
        length = {"as long as the list": len(order[:k]), "not cut at k": None}.get(ideal, k)
        most = summed(best[:length], truth)
        return summed(order[:k], truth) / most if most else ZERO

    return of


def of_groups(measure: Measure, truths: Sequence[Any]) -> Mapping[str, OfGroups]:
    """Conventions that treat a tie as a whole, where the measure and the judgments have them."""
    if measure.params:
        return {}
    if measure.name == "AP" and measure.k is None:
        return {"one threshold for a tie": one_threshold}
    if measure.name in ("RR", "Success", "Rank") and all(_total(truth) == 1 for truth in truths):
        return {"realistic": lambda groups, truth: at_rank(measure, realistic_rank(groups, truth))}
    return {}


def one_threshold(groups: Sequence[Sequence[str]], truth: Truth) -> Fraction:
    """The area under a curve of precision and recall that has one point a score."""
    value, seen, relevant = ZERO, 0, 0
    for group in groups:
        seen += len(group)
        new = hits(group, truth, 1)
        relevant += new
        value += new * Fraction(relevant, seen)
    return value / _total(truth) if _total(truth) else ZERO


def realistic_rank(groups: Sequence[Sequence[str]], truth: Truth) -> Fraction | None:
    """The mean rank of the relevant document: between the optimistic and the pessimistic one."""
    before = 0
    for group in groups:
        if hits(group, truth, 1):
            return before + Fraction(len(group) + 1, 2)
        before += len(group)
    return None


def at_rank(measure: Measure, rank: Fraction | None) -> Fraction:
    """The value of a query whose one relevant document has this rank."""
    if rank is None or (measure.k is not None and rank > measure.k):
        return ZERO
    return {"RR": 1 / rank, "Success": Fraction(1), "Rank": rank}[measure.name]
