"""What can be concluded under incomplete judgments, from the definition: all grades of unknown documents are listed.

Unknown are the documents of either ranking that are not judged, and the pooled ones that neither retrieves, if they are
asked for. Whatever is relevant counts everywhere: in both scores, in R, in ideal rankings.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from oracle.difference import OverOrders, Score, mean
from oracle.enumeration import permutations
from oracle.judgements import Groups

#: Logarithms are decimals: sums of the same ones may differ by less than this.
NOTHING = Fraction(1, 10**30)


@dataclass(frozen=True)
class Case:
    """Two rankings of a query, known grades, and unknown documents that neither has."""

    a: Groups
    b: Groups
    known: Mapping[str, int]
    free: Sequence[str] = ()

    @property
    def unknown(self) -> list[str]:
        """All unknown documents."""
        retrieved = dict.fromkeys(doc for side in (self.a, self.b) for group in side for doc in group)
        return [doc for doc in [*retrieved, *self.free] if doc not in self.known]


@cache
def _taken(score: Score, over: OverOrders, groups: tuple[tuple[int, ...], ...], grades: tuple[int, ...]) -> Fraction:
    """What is taken of a score over the orders of a ranking, remembered for all cases: the grades of its groups and how
    many documents there are of each grade are all that it depends on.
    """
    tied = [[f"{group} {place}" for place in range(len(of))] for group, of in enumerate(groups)]
    own = [grade for group in groups for grade in group]
    truth = dict(zip(itertools.chain.from_iterable(tied), own, strict=True))
    elsewhere = sorted((Counter(grades) - Counter(own)).elements())
    truth |= {f"elsewhere {place}": grade for place, grade in enumerate(elsewhere)}
    return over([score(order, truth) for order in permutations(tied)])


def _difference(
    score: Score, case: Case, over_a: OverOrders = mean, over_b: OverOrders = mean
) -> Callable[[Mapping[str, int]], Fraction]:
    """S(A) - S(B) as a function of the grades of unknown documents, 0 where none is given."""
    none = dict.fromkeys(case.unknown, 0)

    def found(grades: Mapping[str, int]) -> Fraction:
        truth = {**none, **grades, **case.known}
        every = tuple(sorted(truth.values()))

        def of(ranking: Groups, over: OverOrders) -> Fraction:
            groups = (tuple(sorted(truth[doc] for doc in group)) for group in ranking)
            return _taken(score, over, tuple(groups), every)

        return of(case.a, over_a) - of(case.b, over_b)

    return found


def difference(
    score: Score, case: Case, grades: Mapping[str, int], over_a: OverOrders = mean, over_b: OverOrders = mean
) -> Fraction:
    """S(A) - S(B) with these grades of unknown documents, 0 where none is given; the means over the orders of ties, or
    what else is asked for.
    """
    return _difference(score, case, over_a, over_b)(grades)


def assignments(case: Case, grades: Sequence[int]) -> Iterator[dict[str, int]]:
    """All grades that unknown documents may have."""
    unknown = case.unknown
    for drawn in itertools.product(grades, repeat=len(unknown)):
        yield dict(zip(unknown, drawn, strict=True))


def extremes(
    score: Score, case: Case, grades: Sequence[int], any_order: bool = False
) -> list[tuple[Fraction, Fraction]]:
    """The lowest and highest difference with at most 0, 1, 2, ... unknown documents relevant: of means over the orders
    of ties, or over all orders of both rankings.
    """
    lows: list[list[Fraction]] = [[] for _ in range(len(case.unknown) + 1)]
    highs: list[list[Fraction]] = [[] for _ in lows]
    over: tuple[OverOrders, OverOrders] = (min, max) if any_order else (mean, mean)
    low, high = (_difference(score, case, *pair) for pair in (over, over[::-1]))
    for given in assignments(case, grades):
        count = sum(grade > 0 for grade in given.values())
        lows[count].append(low(given))
        highs[count].append(high(given) if any_order else lows[count][-1])
    lowest = itertools.accumulate((min(values) for values in lows), min)
    highest = itertools.accumulate((max(values) for values in highs), max)
    return list(zip(lowest, highest, strict=True))


def overturn(queries: Sequence[list[tuple[Fraction, Fraction]]]) -> int | None:
    """The least total of relevant unknown documents with which the run that is ahead is no more; none if there is none.

    Of each query there are the extremes; every way to share documents among queries is tried.
    """
    now = sum((query[0][1] for query in queries), Fraction(0))
    side = [[sign * end for end in ends] for query in queries for ends, sign in [_behind(query, now > 0)]]
    reached = [
        sum(counts)
        for counts in itertools.product(*(range(len(values)) for values in side))
        if sum(values[count] for values, count in zip(side, counts, strict=True)) > -NOTHING
    ]
    return 0 if abs(now) < NOTHING else min(reached, default=None)


def largest(queries: Sequence[list[tuple[Fraction, Fraction]]]) -> int | None:
    """The most relevant unknown documents a query with which the run ahead stays ahead; -1 for any number."""
    now = sum((query[0][1] for query in queries), Fraction(0))
    longest = max(map(len, queries))
    reached = (
        sum(sign * ends[min(most, len(ends) - 1)] for query in queries for ends, sign in [_behind(query, now > 0)])
        for most in range(longest)
    )
    held = [total < -NOTHING for total in reached]
    if abs(now) < NOTHING:
        return None
    return -1 if all(held) else held.index(False) - 1


def _behind(query: list[tuple[Fraction, Fraction]], a_is_ahead: bool) -> tuple[list[Fraction], int]:
    """What the run behind can gain, and the sign with which it counts."""
    return ([low for low, _ in query], -1) if a_is_ahead else ([high for _, high in query], 1)
