"""Estimates from samples of the documents of queries, from their definitions, in exact fractions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

Labels = Mapping[str, Fraction]
#: What was drawn of a query's documents.
Draw = tuple[str, ...]


def draws(strata: Sequence[tuple[Sequence[str], int]]) -> list[Draw]:
    """All samples of a query with these numbers of documents of each stratum; each is as probable as any other."""
    parts = [list(itertools.combinations(documents, count)) for documents, count in strata]
    return [tuple(itertools.chain.from_iterable(one)) for one in itertools.product(*parts)]


def expanded(draw: Draw, strata: Sequence[tuple[Sequence[str], int]], gains: Labels) -> Fraction:
    """The sum of the gains of all documents, estimated from those that were drawn (Horvitz & Thompson)."""
    total = Fraction(0)
    for documents, count in strata:
        total += Fraction(len(documents), count) * sum((gains[doc] for doc in documents if doc in draw), Fraction(0))
    return total


def outcomes(of_queries: Sequence[Sequence[Draw]]) -> Iterator[Sequence[Draw]]:
    """All outcomes of drawing from every query."""
    yield from itertools.product(*of_queries)


def variance(values: Sequence[Fraction]) -> Fraction:
    """Of values that are equally probable."""
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / len(values)
