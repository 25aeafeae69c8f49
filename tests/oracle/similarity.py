"""Similarities of two rankings from their definitions: of two total orders, and of two tied rankings by enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from oracle.enumeration import Statistics, permutations, summarise
from oracle.judgements import ZERO, Groups, root

ONE = Fraction(1)
BEYOND = 80  # digits of sums without end


def overlap(a: Sequence[str], b: Sequence[str], depth: int) -> int:
    """X_d."""
    return len(set(a[:depth]) & set(b[:depth]))


def log_series(p: Fraction) -> Fraction:
    """ln(1/(1-p)), the sum of p^d/d over all d."""
    with localcontext() as context:
        context.prec = BEYOND
        return Fraction(-(Decimal(1) - Decimal(p.numerator) / Decimal(p.denominator)).ln())


def rbo(a: Sequence[str], b: Sequence[str], p: Fraction, score: str, k: int | None = None) -> Fraction:
    """RBO of two total orders."""
    if score == "res":
        return rbo(a, b, p, "max") - rbo(a, b, p, "min")
    if score == "truncated":
        depths = range(1, (k or max(len(a), len(b))) + 1)
        return sum(((1 - p) * p ** (d - 1) * overlap(a, b, d) / d for d in depths), ZERO)
    a, b = a[:k], b[:k]
    s, l = sorted((len(a), len(b)))
    x = {d: Fraction(overlap(a, b, d)) for d in range(l + 1)}
    if score == "min":  # nothing more in common
        seen = sum((x[d] * p**d / d for d in range(1, l + 1)), ZERO)
        unseen = x[l] * (log_series(p) - sum((p**d / d for d in range(1, l + 1)), ZERO))
        return (1 - p) / p * (seen + unseen)
    if score == "max":  # all that can be in common
        longest = l + s - int(x[l])
        agreement = [(x[min(d, l)] + max(0, d - s) + max(0, d - l)) / d for d in range(1, longest + 1)]
        return sum(((1 - p) * p**d * share for d, share in enumerate(agreement)), ZERO) + p**longest
    if s == 0:
        return ONE if l == 0 else ZERO
    at_s = x[s] / s  # ext: agreement goes on as it was
    agreement = [(x[d] + max(0, d - s) * at_s) / d for d in range(1, l + 1)]
    return sum(((1 - p) * p**d * share for d, share in enumerate(agreement)), ZERO) + agreement[-1] * p**l


def overlap_share(a: Sequence[str], b: Sequence[str], k: int) -> Fraction:
    """Overlap@k."""
    return Fraction(overlap(a, b, k), k)


def average_overlap(a: Sequence[str], b: Sequence[str], k: int) -> Fraction:
    """AO@k."""
    return sum((overlap_share(a, b, d) for d in range(1, k + 1)), ZERO) / k


def similarity(name: str, a: Groups, b: Groups, k: int | None = None, **params: object) -> Statistics:
    """Statistics over all orders of tied documents in both rankings."""
    of = {"RBO": rbo, "Overlap": overlap_share, "AO": average_overlap}[name]
    orders = itertools.product(permutations(a), permutations(b))
    found = summarise(of(one, other, k=k, **params) for one, other in orders)  # type: ignore[operator]
    assert found is not None
    return found


def contribution(groups: Groups, doc: str, depth: int, variant: str) -> Fraction:
    """c(e, d): how far a document of a tie group is within a depth."""
    end = 0
    for group in groups:
        start, end = end, end + len(group)
        if doc in group:
            within = min(max(depth - start, 0), len(group))
            return Fraction(min(within, 1)) if variant == "w" else Fraction(within, len(group))
    return ZERO


def tied_rbo(a: Groups, b: Groups, p: Fraction, score: str, variant: str) -> Fraction:
    """Corsi & Urbano's RBO of two tied rankings, both of some documents; by the definition, depth by depth."""
    if score == "res":
        return tied_rbo(a, b, p, "max", variant) - tied_rbo(a, b, p, "min", variant)
    short, long = sorted((a, b), key=lambda groups: sum(map(len, groups)))
    s, l = sum(map(len, short)), sum(map(len, long))
    in_short, in_long = [doc for group in short for doc in group], [doc for group in long for doc in group]
    shared = [doc for doc in in_short if doc in in_long]
    only = [doc for doc in in_long if doc not in in_short]

    def norm(groups: Groups, docs: list[str], depth: int) -> Fraction:
        """What a ranking contributes down to a depth; in variant b, the square of its length as a vector."""
        if variant == "a" or depth > len(docs):
            return Fraction(depth)
        parts = [contribution(groups, doc, depth, variant) for doc in docs]
        return sum((part if variant == "w" else part * part for part in parts), ZERO)

    total = at_s = ZERO
    for d in range(1, l + 1):
        x = sum((contribution(short, e, d, variant) * contribution(long, e, d, variant) for e in shared), ZERO)
        unseen = [contribution(long, e, d, variant) for e in only]
        if d > s and score == "max":
            x += sum(unseen[: d - s], ZERO)
        if d > s and score == "ext":
            reached = [part for part in unseen if part > 0]
            x += (d - s) * at_s * sum(reached, ZERO) / len(reached)
        norms = norm(short, in_short, d), norm(long, in_long, d)
        agreement = x / d
        if variant == "w":
            agreement = 2 * x / sum(norms, ZERO)
        elif variant == "b":
            agreement = x / root(norms[0] * norms[1])
        if d == s:
            at_s = agreement
        total += (1 - p) * p ** (d - 1) * agreement
    common = len(shared)
    if score == "truncated":
        return total
    if score == "min":
        tail = log_series(p) - sum((p**d / d for d in range(1, l + 1)), ZERO)
        return total + (1 - p) / p * common * tail
    if score == "max":
        last = l + s - common
        growing = sum(((1 - p) * p ** (d - 1) * (2 * d - l - s + common) / d for d in range(l + 1, last + 1)), ZERO)
        return total + growing + p**last
    return total + p**l * (common + (l - s) * at_s) / l
