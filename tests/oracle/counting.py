"""Statistics of large groups, for real data: orders are counted, not listed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from oracle.enumeration import Statistics
from oracle.judgements import ZERO, Groups, Truth, discount_at, hits, is_judged, is_relevant, log_ratio, relevant_total
from oracle.measures import Measure


def counted(measure: Measure, groups: Groups, truth: Truth) -> Statistics:
    """Statistics of AP, RR, P, R, DCG, nDCG, Bpref, binG or ERR for groups of any size, by counting arrangements.

    Enumeration lists the C(n, r) arrangements of the r relevant among the n documents of a group and averages. The
    measures here are sums over relevant documents of a number c(rank, relevant documents before it) that depends on
    nothing else, so the same sum can be taken prefix by prefix: all prefixes of equal length with equally many hits
    continue in the same ways, hence it is enough to know how many there are and the sums of their values and of their
    squares. With g hits in the first a slots, a prefix is extended by a hit or by a miss, and a prefix that used up
    its hits or misses is not extended that way; after n slots every arrangement was formed exactly once. Groups do
    not influence each other (how many hits precede a group is fixed), so their means and variances add.

    The extremes come from sorting: exchanging a neighbouring miss and hit so that the hit moves up never lowers one
    of these measures, thus hits first is a maximum and hits last a minimum.

    Grades are used only to tell relevant from not, so DCG, nDCG and ERR need grades 0 and 1. Bpref passes over unjudged
    documents, whose removal leaves the others in an order as random as before.
    """
    rel = measure.params.get("rel", 1)
    if measure.name == "Bpref":
        groups = [[doc for doc in group if is_judged(doc, truth)] for group in groups]
    contribution, norm = _contribution(measure, [doc for group in groups for doc in group], truth)
    mean, variance, before, start = ZERO, ZERO, 0, 0
    for group in groups:
        n, r = len(group), hits(group, truth, rel)
        weights = {
            (slot, found): contribution(start + slot, before + found)
            for slot in range(1, n + 1)
            for found in range(max(0, slot - 1 - (n - r)), min(r, slot))
        }
        # Integers are much faster than fractions: bring all weights to one denominator.
        unit = math.lcm(*{w.denominator for w in weights.values()})
        scaled = {key: w.numerator * (unit // w.denominator) for key, w in weights.items()}
        prefixes: dict[int, tuple[int, int, int]] = {0: (1, 0, 0)}  # hits -> (prefixes, sum, sum of squares)
        for slot in range(1, n + 1):
            longer: dict[int, tuple[int, int, int]] = {}
            for found, (count, total, squares) in prefixes.items():
                if slot - 1 - found < n - r:
                    a, b, c = longer.get(found, (0, 0, 0))
                    longer[found] = (a + count, b + total, c + squares)
                if found < r:
                    w = scaled[slot, found]
                    a, b, c = longer.get(found + 1, (0, 0, 0))
                    longer[found + 1] = (a + count, b + total + w * count, c + squares + w * (2 * total + w * count))
            prefixes = longer
        count, total, squares = prefixes[r]
        assert count == math.comb(n, r)
        group_mean = Fraction(total, count * unit)
        mean += group_mean
        variance += Fraction(squares, count * unit**2) - group_mean**2
        before, start = before + r, start + n

    def sorted_value(hits_first: bool) -> Fraction:
        order = []
        for group in groups:
            order += sorted(group, key=lambda doc: is_relevant(doc, truth, rel), reverse=hits_first)
        return measure.of(order, truth)

    return Statistics(mean * norm, variance * norm**2, sorted_value(False), sorted_value(True))


def _contribution(
    measure: Measure, flat: Sequence[str], truth: Truth
) -> tuple[Callable[[int, int], Fraction], Fraction]:
    """What a relevant document at a rank adds, given how many relevant ones precede it; and a constant factor."""
    k = measure.k or len(flat)
    total = relevant_total(flat, truth, measure.params.get("rel", 1), measure.params.get("recall_base", "qrels"))
    share = Fraction(1, total) if total else ZERO

    def within(value: Callable[[int, int], Fraction]) -> Callable[[int, int], Fraction]:
        return lambda rank, before: value(rank, before) if rank <= k else ZERO

    one = Fraction(1)
    if measure.name == "P":
        return within(lambda rank, before: one), Fraction(1, k)
    if measure.name == "R":
        return within(lambda rank, before: one), share
    if measure.name == "AP":
        return within(lambda rank, before: Fraction(before + 1, rank)), share
    if measure.name == "RR":
        return within(lambda rank, before: ZERO if before else Fraction(1, rank)), one
    if measure.name == "binG":
        return lambda rank, before: log_ratio(Fraction(2), Fraction(2 + rank - 1 - before)), share
    if measure.name == "Bpref":
        assert not measure.params
        most = min(total, sum(is_judged(doc, truth) for doc in truth) - total)

        def preferred(rank: int, before: int) -> Fraction:
            above = min(rank - 1 - before, total)
            return 1 - Fraction(above, most) if above else one

        return preferred, share
    if measure.name == "ERR":
        assert set(truth.values()) <= {0, 1}
        stop = Fraction(1, 2 ** measure.params["max_grade"])
        return within(lambda rank, before: (1 - stop) ** before * stop / rank), one
    discount = measure.params.get("discount", "log2")
    assert measure.name in ("DCG", "nDCG")
    assert measure.params.get("gain", "linear") == "linear"
    assert set(truth.values()) <= {0, 1}
    norm = one
    if measure.name == "nDCG":
        # Unlike the ranking the ideal may be longer than the list, so its cutoff is the measure's own.
        ideal = sum((discount_at(i, discount) for i in range(1, min(measure.k or total, total) + 1)), ZERO)
        norm = 1 / ideal if ideal else ZERO
    return within(lambda rank, before: discount_at(rank, discount)), norm
