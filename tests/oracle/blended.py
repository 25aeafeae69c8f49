"""Sakai's measures of graded relevance, and graded average precision.

With C(i) relevant documents among the first i and cg(i) the sum of their gains, cg*(i) that of the ideal ranking, the
blended ratio at rank i is (C(i) + beta cg(i)) / (i + beta cg*(i)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from oracle.judgements import ZERO, Gain, Number, Truth, as_written, gain_of, grade_of, hits, is_relevant
from oracle.stated import TABLES, measure

#: Values to try of parameters of all blended ratios: gains that never fall.
BLEND = {"beta": [None, 0, 1, 10, 0.5], "gain": [None, "linear", "exp2", *TABLES[:2], TABLES[4]]}


def _ratios(order: Sequence[str], truth: Truth, beta: Number, gain: Gain, rel: Number) -> dict[int, Fraction]:
    """The blended ratio at the rank of each relevant document."""
    ideal = sorted((gain_of(doc, truth, gain, rel) for doc in truth), reverse=True)
    beta, found = as_written(beta), {}
    for rank, doc in enumerate(order, 1):
        if is_relevant(doc, truth, rel):
            gained = sum((gain_of(one, truth, gain, rel) for one in order[:rank]), ZERO)
            found[rank] = (hits(order[:rank], truth, rel) + beta * gained) / (rank + beta * sum(ideal[:rank], ZERO))
    return found


@measure("Q", of_relevant=True, tried=BLEND)
def q(
    order: Sequence[str],
    truth: Truth,
    k: int | None = None,
    beta: Number = 1,
    gain: Gain = "linear",
    rel: Number = 1,
) -> Fraction:
    ratios = _ratios(order[:k], truth, beta, gain, rel)
    relevant = hits(list(truth), truth, rel)
    return sum(ratios.values(), ZERO) / min(relevant, k or relevant) if relevant else ZERO


@measure("O", of_relevant=True, tried=BLEND)
def o(order: Sequence[str], truth: Truth, beta: Number = 1, gain: Gain = "linear", rel: Number = 1) -> Fraction:
    ratios = _ratios(order, truth, beta, gain, rel)
    return ratios[min(ratios)] if ratios else ZERO


def _preferred(order: Sequence[str], truth: Truth, ratios: dict[int, Fraction]) -> list[Fraction]:
    """The ratios down to the first document of the highest grade that is retrieved."""
    highest = max((grade_of(order[rank - 1], truth) for rank in ratios), default=ZERO)
    last = next((rank for rank in sorted(ratios) if grade_of(order[rank - 1], truth) == highest), 0)
    return [ratios[rank] for rank in sorted(ratios) if rank <= last]


@measure("Pmeasure", of_relevant=True, tried=BLEND)
def p_measure(order: Sequence[str], truth: Truth, beta: Number = 1, gain: Gain = "linear", rel: Number = 1) -> Fraction:
    ratios = _preferred(order, truth, _ratios(order, truth, beta, gain, rel))
    return ratios[-1] if ratios else ZERO


@measure("Pplus", of_relevant=True, tried=BLEND)
def p_plus(order: Sequence[str], truth: Truth, beta: Number = 1, gain: Gain = "linear", rel: Number = 1) -> Fraction:
    ratios = _preferred(order, truth, _ratios(order, truth, beta, gain, rel))
    return sum(ratios, ZERO) / len(ratios) if ratios else ZERO


#: Users of NCU, without the parameters that do not go with them.
USERS: list[dict[str, Any]] = [
    {"user": None, "stops": None},
    {"user": "rank-biased", "stops": None},
    {"user": "uniform", "stops": None, "gamma": None},
    {"user": "graded-uniform", "gamma": None},
]


@measure(
    "NCU",
    of_relevant=True,
    tried=BLEND | {"gamma": [None, 0.5, 1, 0.95], "stops": [None, None, *TABLES[:3]]},
    together=[
        *(users | {"utility": utility} for users in USERS for utility in (None, "BR")),
        *(users | {"utility": "P", "beta": None, "gain": None} for users in USERS),
        {"user": "graded-uniform", "utility": "P", "gamma": None, "stops": None, "beta": None},
    ],
)
def ncu(
    order: Sequence[str],
    truth: Truth,
    user: str = "rank-biased",
    utility: str = "BR",
    gamma: Number = 0.95,
    stops: Mapping[int, Number] | None = None,
    beta: Number = 1,
    gain: Gain = "linear",
    rel: Number = 1,
) -> Fraction:
    """The utility at relevant documents, each weighed by the share of users that stop there."""
    utilities = _ratios(order, truth, beta if utility == "BR" else 0, gain, rel)
    relevant = [doc for doc in truth if is_relevant(doc, truth, rel)]

    def stop(doc: str) -> Fraction:
        return gain_of(doc, truth, gain if stops is None else stops, rel)

    if user == "graded-uniform":
        weights = [stop(order[rank - 1]) for rank in utilities]
        total = sum((stop(doc) for doc in relevant), ZERO)
    else:
        factor = as_written(gamma) if user == "rank-biased" else Fraction(1)
        weights = [factor**i for i in range(len(utilities))]
        total = sum((factor**i for i in range(len(relevant))), ZERO)
    return sum((w * u for w, u in zip(weights, utilities.values(), strict=True)), ZERO) / total if total else ZERO


def _users(truth: Truth, docs: Sequence[str], thresholds: Mapping[int, Number] | None, rel: Number) -> Fraction:
    """The share of users to whom all these documents are relevant."""
    if not all(is_relevant(doc, truth, rel) for doc in docs):
        return ZERO
    grade = min(grade_of(doc, truth) for doc in docs)
    if thresholds is None:
        return grade * (grade + 1) / 2
    return sum((as_written(share) for least, share in thresholds.items() if grade >= least), ZERO)


def _has_users(
    order: Sequence[str], truth: Truth, thresholds: Mapping[int, Number] | None = None, rel: Number = 1, **_: Any
) -> bool:
    """Whether a document is relevant to anybody: N of GAP is 0 otherwise."""
    return any(_users(truth, [doc], thresholds, rel) for doc in truth)


@measure(
    "GAP",
    is_defined=_has_users,
    tried={"thresholds": [None, None, {1: 1}, {1: 0.5, 2: 0.5}, {1: 0.25, 2: 0.5, 3: 0.25}, {2: 1}, {0.5: 1, 3: 2}]},
)
def gap(
    order: Sequence[str],
    truth: Truth,
    k: int | None = None,
    thresholds: Mapping[int, Number] | None = None,
    rel: Number = 1,
) -> Fraction:
    """For each relevant document the share of users to whom it and each of those above it are relevant."""
    best = sum(sorted((_users(truth, [doc], thresholds, rel) for doc in truth), reverse=True)[:k], ZERO)
    value = ZERO
    for rank, doc in enumerate(order[:k], 1):
        value += sum((_users(truth, [doc, other], thresholds, rel) for other in order[:rank]), ZERO) / rank
    return value / best if best else ZERO
