"""Whether the leading run stays ahead for every order of ties and all missing judgments."""

from __future__ import annotations

from array import array
from math import isnan
from typing import NamedTuple

from untied import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from untied._core import Measure, Terms


class Stand(NamedTuple):
    """How a run stands to another."""

    #: The lowest and the highest difference, first run minus second.
    low: float
    high: float
    #: ``"better"``, ``"worse"`` or ``"equal"`` in all cases; ``"open"``; ``"unknown"`` if the bounds do not tell.
    standing: str


def standings(results: Any, measure: Measure, pairs: Sequence[tuple[str, str]]) -> list[Stand] | None:
    """How the first run of each pair stands to the second in `Results`; None if that is not known.

    It is not known over missing judgments if the measure bounds only the values of each run alone: a document that only
    the other run retrieved can change these, too.
    """
    queries = next(iter(results._evaluations.values())).queries()
    joint_bounds = None
    if "judgments" in results._varied:
        source = results._difference_bounds
        joint_bounds = None if source is None else source.bounds(measure, pairs, queries)
        if joint_bounds is None:
            return None
    terms = {run: _terms(results, measure, run) for run in dict.fromkeys(run for pair in pairs for run in pair)}
    bounds = [None] * len(pairs) if joint_bounds is None else joint_bounds
    return [Stand(*_core.standing(terms[a], terms[b], ends)) for (a, b), ends in zip(pairs, bounds, strict=True)]


def _terms(results: Any, measure: Measure, run: str) -> Terms:
    evaluation = results._evaluations[run]
    number = results._measures.index(measure)
    fields = [field for field in ("low", "high") if field in evaluation.columns()]
    values, *ends = (array("d", evaluation.column(number, field)) for field in ("value", *fields))
    return _core.Terms(run, measure, values, ends or None)


def of_means(
    measure: Measure,
    leader: int,
    values: Sequence[float],
    bounds: tuple[Sequence[float | None], Sequence[float | None]],
) -> list[str]:
    """How a row of means stands to every other that has a value, as `Stand.standing`, from the bounds of each alone.

    Orders of ties of different rows are independent, so these decide.
    """
    terms = []
    for value, *ends in zip(values, *bounds, strict=True):
        of_row = [array("d", [value if end is None else end]) for end in ends]
        terms.append(_core.Terms("", measure, array("d", [value]), of_row))
    others = (row for row, value in enumerate(values) if row != leader and not isnan(value))
    return [_core.standing(terms[leader], terms[row])[2] for row in others]
