"""Measures of two rankings."""

from __future__ import annotations

from untied import _core
from untied.errors import MeasureError
from untied.measures import no_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from untied._core import Measure

    ComparingMeasures: TypeAlias = Measure | str | Iterable[Measure | str]

#: What is computed where nothing is asked for, all of it about the first ten documents, which most users do not leave:
#: how much a search could get better or worse, in units that search teams know; how alike the rankings are, the top
#: counting most; and how many documents stay.
DEFAULT = ("MED(nDCG@10)", "RBO", "Overlap@10")


def measure_inside(name: str) -> str | None:
    """The measure M of ``Delta(M)`` or ``MED(M)``, without their own parameters; None for any other name."""
    outer, _, rest = name.partition("(")
    depth = 0
    for place, character in enumerate(rest if outer in ("MED", "Delta") else ""):
        if depth == 0 and character in ",)":
            return rest[:place]
        depth += (character == "(") - (character == ")")
    return None


def as_comparing(measure: str | Measure) -> Measure:
    """One measure of two rankings."""
    if isinstance(measure, _core.Measure):
        measure = str(measure)
    if not isinstance(measure, str):
        raise TypeError(no_measure(measure))
    return _core.comparing_measure(measure)


def as_comparing_measures(measures: ComparingMeasures) -> list[Measure]:
    """Measures of two rankings, without repetitions."""
    is_one = isinstance(measures, (str, _core.Measure)) or not hasattr(measures, "__iter__")
    asked: list[Any] = [measures] if is_one else list(measures)  # type: ignore[arg-type]
    if not asked:
        raise MeasureError("no measure given")
    by_name = {str(measure): measure for measure in map(as_comparing, asked)}
    return list(by_name.values())
