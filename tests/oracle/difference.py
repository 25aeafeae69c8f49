"""Differences of two rankings under partial knowledge, from the definition: every assignment of grades is listed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from oracle.enumeration import permutations
from oracle.judgements import Groups

Score = Callable[[Sequence[str], Mapping[str, int]], Fraction]
#: Whether unknown documents may have these grades beside the known ones.
Allowed = Callable[[Mapping[str, int], Sequence[int]], bool]
#: What is taken of the scores of all orders.
OverOrders = Callable[[Sequence[Fraction]], Fraction]


def mean(scores: Sequence[Fraction]) -> Fraction:
    """The mean."""
    return sum(scores, Fraction(0)) / len(scores)


@dataclass(frozen=True)
class Extent:
    """Largest S(A) - S(B), largest S(B) - S(A), and the difference where all unknown documents have grade 0."""

    up: Fraction
    down: Fraction
    now: Fraction


def filled(groups: Groups, k: int | None, name: str) -> list[list[str]]:
    """A ranking with documents of its own up to rank k, each a group."""
    lacking = max(0, (k or 0) - sum(map(len, groups)))
    return [list(group) for group in groups] + [[f"{name}{i}"] for i in range(lacking)]


def differences(
    score: Score,
    a: Groups,
    b: Groups,
    known: Mapping[str, int],
    grades: Sequence[int],
    k: int | None,
    allowed: Allowed = lambda known, drawn: True,
    *,
    local: bool = True,
    over: tuple[OverOrders, OverOrders] = (mean, mean),
) -> Extent:
    """The extent of S(A) - S(B) over the allowed grades; of tied documents S is the mean over all orders, or another.

    A score is local if it depends on the grades of the ranking's own documents alone.
    """
    union = dict.fromkeys(
        doc for groups in (filled(a, k, "+a"), filled(b, k, "+b")) for group in groups for doc in group
    )
    unknown = [doc for doc in union if doc not in known]
    sides = zip((a, b), ("+a", "+b"), over, strict=True)
    means = [_over_orders(score, filled(groups, k, name), local, of) for groups, name, of in sides]
    found = []
    for drawn in itertools.product(grades, repeat=len(unknown)):
        if not allowed(known, drawn):
            continue
        truth = {**known, **dict(zip(unknown, drawn, strict=True))}
        found.append(means[0](truth) - means[1](truth))
    return Extent(max(found), -min(found), found[0])


def _over_orders(
    score: Score, groups: Groups, local: bool, over: OverOrders
) -> Callable[[Mapping[str, int]], Fraction]:
    """The mean of a score over the orders of a ranking, or the highest or the lowest one, remembered."""
    orders = list(permutations(groups))
    own = orders[0]
    remembered: dict[tuple[int, ...], Fraction] = {}

    def found(truth: Mapping[str, int]) -> Fraction:
        key = tuple(truth[doc] for doc in own) if local else tuple(truth.values())
        if key not in remembered:
            remembered[key] = over([score(order, truth) for order in orders])
        return remembered[key]

    return found


def outcomes(
    score: Score,
    a: Groups,
    b: Groups,
    known: Mapping[str, int],
    chances: Mapping[str, Fraction],
    top: int,
    k: int | None,
    *,
    local: bool = True,
) -> list[tuple[Fraction, Fraction]]:
    """S(A) - S(B) for every set of relevant documents, of the highest grade, with its probability.

    Documents that are not judged are relevant with their chances; those that fill rankings up never are.
    """
    rankings = [filled(groups, k, name) for groups, name in ((a, "+a"), (b, "+b"))]
    union = dict.fromkeys(doc for groups in rankings for group in groups for doc in group)
    means = [_over_orders(score, groups, local, mean) for groups in rankings]
    open_docs = [doc for doc in union if doc not in known and not doc.startswith("+")]
    found = []
    for relevant in itertools.product((0, 1), repeat=len(open_docs)):
        truth = {**dict.fromkeys(union, 0), **known}
        probability = Fraction(1)
        for doc, is_relevant in zip(open_docs, relevant, strict=True):
            truth[doc] = top * is_relevant
            probability *= chances[doc] if is_relevant else 1 - chances[doc]
        found.append((means[0](truth) - means[1](truth), probability))
    return found
