"""Expected values where each grade of a document has a probability: over all grades and all orders of ties."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from fractions import Fraction

from oracle.enumeration import orders
from oracle.judgements import ZERO, Groups
from oracle.measures import Measure

#: For each document, the probability of each grade.
Chances = Mapping[str, Mapping[int, Fraction]]


def moments(measure: Measure, groups: Groups, chances: Chances) -> tuple[Fraction, Fraction] | None:
    """Mean and variance; none if the measure has no value for any grades. Where it has none for some, it is 0."""
    mean = square = ZERO
    defined = False
    possible = [[(grade, chance) for grade, chance in of.items() if chance] for of in chances.values()]
    for grades in itertools.product(*possible):
        truth = dict(zip(chances, (grade for grade, _ in grades), strict=True))
        chance = math.prod((chance for _, chance in grades), start=Fraction(1))
        values = []
        for order in orders(groups, lambda doc, of=truth: of.get(doc, 0)):
            value = measure.of(order, truth)
            is_defined = value is not None and measure.is_defined(order, truth)
            defined |= is_defined
            values.append(value if is_defined and value is not None else ZERO)
        mean += chance * sum(values, ZERO) / len(values)
        square += chance * sum((value * value for value in values), ZERO) / len(values)
    return (mean, square - mean**2) if defined else None
