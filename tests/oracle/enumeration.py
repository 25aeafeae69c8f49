"""Orders of a tied ranking, and statistics over them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from oracle.judgements import ZERO, Groups, Lengths, Subtopics, Truth, exp, log
from oracle.measures import COUNTS, Measure
from oracle.stated import STATED

FLOOR = Fraction(1, 100_000)  # of values whose geometric mean is taken


@dataclass(frozen=True)
class Statistics:
    """Mean, population variance (None where it is not known), minimum and maximum over tie orders."""

    mean: Fraction
    variance: Fraction | None
    low: Fraction
    high: Fraction


def permutations(groups: Groups) -> Iterator[list[str]]:
    """Every total order that agrees with the tie groups."""
    for parts in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield list(itertools.chain.from_iterable(parts))


def _arrangements(group: Sequence[str], kind: Callable[[str], Hashable]) -> list[tuple[str, ...]]:
    by_kind: dict[Hashable, list[str]] = {}
    for doc in group:
        by_kind.setdefault(kind(doc), []).append(doc)
    labels = [label for label, docs in enumerate(by_kind.values()) for _ in docs]
    result = []
    for arrangement in sorted(set(itertools.permutations(labels))):
        docs = [iter(members) for members in by_kind.values()]
        result.append(tuple(next(docs[label]) for label in arrangement))
    return result


def orders(groups: Groups, kind: Callable[[str], Hashable]) -> Iterator[list[str]]:
    """One total order for every distinct arrangement of kinds of documents.

    Still enumeration: a measure cannot tell documents of one kind apart (for most measures, those of equal grade), so
    they are interchangeable, and each arrangement of a group stands for the same number of permutations (the product
    of the factorials of the kinds' counts). Plain averages over arrangements are therefore averages over permutations.
    """
    for parts in itertools.product(*(_arrangements(group, kind) for group in groups)):
        yield list(itertools.chain.from_iterable(parts))


def summarise(listed: Iterable[Fraction | None]) -> Statistics | None:
    """Statistics of values; None if they are undefined, which no order changes."""
    values = list(listed)
    if None in values:
        assert set(values) == {None}
        return None
    mean = sum(values, ZERO) / len(values)
    variance = sum(((v - mean) ** 2 for v in values), ZERO) / len(values)
    return Statistics(mean, variance, min(values), max(values))


def statistics(
    measure: Measure,
    groups: Groups,
    truth: Truth | Subtopics,
    unjudged: str = "nonrelevant",
    lengths: Lengths | None = None,
) -> Statistics | None:
    """Statistics of a measure over all tie orders."""
    if unjudged == "remove":
        groups = [[doc for doc in group if measure.is_judged(doc, truth)] for group in groups]
    listed = orders(groups, lambda doc: measure.sees(doc, truth, lengths))
    if STATED[measure.name].moments:
        moments = [measure.moments(order, truth) for order in listed]
        means = [mean for mean, _ in moments]
        mean = sum(means, ZERO) / len(means)
        square = sum((square for _, square in moments), ZERO) / len(means)
        return Statistics(mean, square - mean**2, min(means), max(means))
    return summarise(measure.of(order, truth, lengths) for order in listed)


def aggregate(measure: Measure, every: Iterable[Statistics | None]) -> Statistics | None:
    """The row over all topics that have a value; tie orders of different topics are independent."""
    topics = [one for one in every if one is not None]
    if not topics:
        return None

    def average(values: Sequence[Fraction]) -> Fraction:
        if measure.params.get("mean") == "geometric":
            return exp(sum((log(max(value, FLOOR)) for value in values), ZERO) / len(values))
        return sum(values, ZERO) / (1 if measure.name in COUNTS else len(values))

    variance = average([t.variance or ZERO for t in topics]) / (1 if measure.name in COUNTS else len(topics))
    return Statistics(
        average([t.mean for t in topics]),
        None if measure.params.get("mean") == "geometric" else variance,
        average([t.low for t in topics]),
        average([t.high for t in topics]),
    )
