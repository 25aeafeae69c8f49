"""Partly ordered truth, and judgements of a part of the pool."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from oracle.binary import ap
from oracle.judgements import ZERO, Number, Truth, as_written, is_judged
from oracle.stated import measure


def truth_groups(truth: Truth, rel: Number) -> list[list[str]]:
    """The relevant documents in groups of equal grade, best first."""
    grades = sorted({grade for grade in truth.values() if grade >= rel and grade >= 0}, reverse=True)
    return [[doc for doc in truth if truth[doc] == grade] for grade in grades]


@measure("ADR", of_relevant=True)
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


@measure("ADRInverted")
def adr_inverted(order: Sequence[str], truth: Truth, rel: Number = 1, count: str = "set") -> Fraction:
    """ADR of the constructed list against the groups in inverted order (Typke et al. 2006, section 4)."""
    groups = truth_groups(truth, rel)
    n = sum(map(len, groups))
    if n == 0:
        return ZERO
    keeps: list[str | None] = []
    for rank, doc in enumerate(order[:n], 1):
        before = 0
        keeps.append(None)
        for group in groups:
            if doc in group and (rank <= before or rank > before + len(group)):
                keeps[-1] = doc
            before += len(group)
    last_places = [group for group in reversed(groups) for _ in group]
    value = ZERO
    for i in range(1, n + 1):
        allowed = {doc for j, group in enumerate(groups) if group in last_places[:i] for doc in groups[j]}
        kept = {doc for doc in keeps[:i] if doc in allowed}
        found, others = len(kept), keeps[:i].count(None)
        if groups[0][0] in allowed:
            spare = len(set(groups[0]) - kept)  # members of the best group that can stand for all others
            found += min(1, others, spare) if count == "set" else others
        value += Fraction(found, i)
    return value / n


def adr_profile(order: Sequence[str], truth: Truth, beyond: str = "position") -> list[Fraction]:
    """r_i for every rank: what has been found of what may have been expected so far."""
    groups = truth_groups(truth, 1)
    ends = list(itertools.accumulate(map(len, groups)))
    found = []
    for i in range(1, len(order) + 1):
        c = next((j for j, end in enumerate(ends) if end >= i), len(groups) - 1)
        expected = set().union(*groups[: c + 1])
        found.append(Fraction(len(expected.intersection(order[:i])), i if beyond == "position" else min(i, ends[-1])))
    return found


def _has_pairs(order: Sequence[str], truth: Truth, rel: Number = 1) -> bool:
    """Whether two relevant documents have different grades."""
    return len(truth_groups(truth, rel)) > 1


@measure("PairConcordance", is_defined=_has_pairs)
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


def _compat_groups(truth: Truth, rel: Number | None) -> list[list[str]]:
    return truth_groups(truth, min((g for g in truth.values() if g > 0), default=1) if rel is None else rel)


def _has_groups(order: Sequence[str], truth: Truth, rel: Number | None = None, **_: object) -> bool:
    """Whether any document is relevant."""
    return bool(_compat_groups(truth, rel))


@measure(
    "Compat",
    is_defined=_has_groups,
    tried={
        "depth": [1, 3, 8, "longest"],
        "normalize": [None, True, False],
        "p": [0.5, 0.75, 0.125],
        "rel": [None, 1, 2, 0.5],
    },
)
def compat(
    order: Sequence[str],
    truth: Truth,
    p: Number,
    depth: int | str,
    normalize: bool = True,
    rel: Number | None = None,
) -> Fraction:
    """The highest rank-biased overlap with an ideal ranking, to a depth."""
    groups = _compat_groups(truth, rel)
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
    """Mean and mean square of subAP over all sets of documents outside the pool that may be kept."""
    keep = Fraction(sum(is_judged(doc, truth) for doc in truth), len(truth)) if p is None else as_written(p)
    outside = [doc for doc in order if doc not in truth]
    mean = square = ZERO
    for choice in itertools.product([False, True], repeat=len(outside)):
        kept = dict(zip(outside, choice, strict=True))
        probability = keep ** sum(choice) * (1 - keep) ** (len(choice) - sum(choice))
        value = ap([doc for doc in order if kept.get(doc, is_judged(doc, truth))], truth, None, rel)
        mean += probability * value
        square += probability * value**2
    return mean, square


@measure("subAP", moments=sub_ap_moments, tried={"p": [None, 0, 0.25, 0.5, 1]})
def sub_ap(order: Sequence[str], truth: Truth, rel: Number = 1, p: Number | None = None) -> Fraction:
    return sub_ap_moments(order, truth, rel, p)[0]


# ---------------------------------------------------------------------------------------------------------------------
# Preferences, which may be any partial order


def extensions(preferences: Sequence[tuple[str, str]]) -> list[tuple[str, ...]]:
    """All orders of the documents that agree with every preference."""
    docs = sorted({doc for pair in preferences for doc in pair})
    return [
        order
        for order in itertools.permutations(docs)
        if all(order.index(better) < order.index(worse) for better, worse in preferences)
    ]


def adr_of_preferences(
    order: Sequence[str], right: Sequence[tuple[str, ...]], k: int | None = None, beyond: str = "position"
) -> Fraction:
    """The mean of r_1 .. r_k; a document may be among the first i if it is there in one of the right orders."""
    n = len(right[0])
    value, depth = ZERO, k or n
    for i in range(1, depth + 1):
        allowed = {doc for one in right for doc in one[:i]}
        value += Fraction(len(allowed & set(order[:i])), i if beyond == "position" else min(i, n))
    return value / depth


def concordance_of_preferences(order: Sequence[str], right: Sequence[tuple[str, ...]]) -> Fraction:
    """The share of right pairs; a pair counts if all right orders agree on it."""
    place = {doc: rank for rank, doc in enumerate(order)}
    agreed = [
        (x, y) for x, y in itertools.permutations(right[0], 2) if all(one.index(x) < one.index(y) for one in right)
    ]
    right_pairs = [x in place and place[x] < place.get(y, len(order)) for x, y in agreed]
    return Fraction(sum(right_pairs), len(agreed))
