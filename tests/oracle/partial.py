"""Partly ordered truth, and judgements of a part of the pool."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from oracle.judgements import ONE, ZERO, Number, Truth, hits, is_judged, is_relevant


def truth_groups(truth: Truth, rel: Number) -> list[list[str]]:
    """The relevant documents in groups of equal grade, best first."""
    grades = sorted({grade for grade in truth.values() if grade >= rel and grade >= 0}, reverse=True)
    return [[doc for doc in truth if truth[doc] == grade] for grade in grades]


def adr(
    order: Sequence[str], truth: Truth, k: int | None = None, rel: Number = 1, beyond: str = "position"
) -> Fraction:
    """The mean of r_1 .. r_k, each from the set of documents that may stand there (Typke et al. 2006)."""
    groups = truth_groups(truth, rel)
    group_of_position = [j for j, group in enumerate(groups) for _ in group]
    n = len(group_of_position)
    if n == 0:
        return ZERO
    value, depth = ZERO, k or n
    for i in range(1, depth + 1):
        allowed = set(itertools.chain.from_iterable(groups[: group_of_position[min(i, n) - 1] + 1]))
        value += Fraction(len(allowed & set(order[:i])), i if beyond == "position" else min(i, n))
    return value / depth


def pair_concordance(order: Sequence[str], truth: Truth, rel: Number = 1) -> Fraction:
    place = {doc: rank for rank, doc in enumerate(order)}
    right = [
        better in place and place[better] < place.get(worse, len(order))
        for higher, lower in itertools.combinations(truth_groups(truth, rel), 2)
        for better in higher
        for worse in lower
    ]
    return Fraction(sum(right), len(right)) if right else ZERO


def _ideals(order: Sequence[str], groups: list[list[str]]) -> Iterator[list[str]]:
    """All ideal rankings; where they are too many only the one that follows the ranking.

    That one is the best for every depth: the few that are listed in full hold the claim against all others.
    """
    if math.prod(math.factorial(len(group)) for group in groups) <= 24:
        for parts in itertools.product(*(itertools.permutations(group) for group in groups)):
            yield list(itertools.chain.from_iterable(parts))
    else:
        yield [doc for group in groups for doc in sorted(group, key=[*order, *group].index)]


def compat(
    order: Sequence[str],
    truth: Truth,
    p: Number,
    depth: int | str,
    normalize: bool = True,
    rel: Number | None = None,
) -> Fraction:
    """The highest rank-biased overlap with an ideal ranking, to a depth."""
    groups = truth_groups(truth, min((g for g in truth.values() if g > 0), default=1) if rel is None else rel)
    n = sum(map(len, groups))
    deepest = max(len(order), n) if isinstance(depth, str) else depth
    if n == 0:
        return ZERO

    def overlap(one: Sequence[str], other: Sequence[str]) -> Fraction:
        common = (Fraction(len(set(one[:d]) & set(other[:d])), d) for d in range(1, deepest + 1))
        return sum((Fraction(p) ** i * share for i, share in enumerate(common)), ZERO)

    ideals = list(_ideals(order, groups))
    most = overlap(ideals[0], ideals[0]) if normalize else sum((Fraction(p) ** i for i in range(deepest)), ZERO)
    return max(overlap(order, ideal) for ideal in ideals) / most


def sub_ap_moments(
    order: Sequence[str], truth: Truth, rel: Number = 1, p: Number | None = None
) -> tuple[Fraction, Fraction]:
    """Mean and mean square of subAP over the random inclusion of documents outside the pool."""
    total = hits(list(truth), truth, rel)
    if not total:
        return ZERO, ZERO
    judged = sum(is_judged(doc, truth) for doc in truth)
    keep = Fraction(judged, len(truth)) if p is None else Fraction(p)
    # Every way of keeping documents so far, by how many: its probability, and the mean and mean square of the sum.
    ways: dict[int, tuple[Fraction, Fraction, Fraction]] = {0: (ONE, ZERO, ZERO)}
    relevant, seen = 0, 0
    for doc in order:
        if doc not in truth:
            more: dict[int, tuple[Fraction, Fraction, Fraction]] = {}
            for kept, way in ways.items():
                for number, chance in ((kept, 1 - keep), (kept + 1, keep)):
                    old = more.get(number, (ZERO, ZERO, ZERO))
                    more[number] = tuple(a + chance * b for a, b in zip(old, way, strict=True))  # type: ignore[assignment]
            ways = more
        elif is_judged(doc, truth):
            seen += 1
            if is_relevant(doc, truth, rel):
                relevant += 1
                for kept, (one, mean, square) in ways.items():
                    precision = Fraction(relevant, seen + kept)
                    ways[kept] = (one, mean + precision * one, square + 2 * precision * mean + precision**2 * one)
    mean = sum((way[1] for way in ways.values()), ZERO)
    square = sum((way[2] for way in ways.values()), ZERO)
    return mean / total, square / total**2


def sub_ap(order: Sequence[str], truth: Truth, rel: Number = 1, p: Number | None = None) -> Fraction:
    return sub_ap_moments(order, truth, rel, p)[0]
