"""Measures as objects: ``nDCG @ 10``, ``AP(rel=2)``, ``nDCG(gain="exp2") @ 20``.

A measure is completed by ``@ cutoff`` and by calling it with parameters. ``untied measures`` on the command line
describes each one, with its equation and reference.
"""

from __future__ import annotations

from untied._core import Measure, parse_measures
from untied._lazy import imported_when_used
from untied.errors import MeasureError
from untied.measures import named
from untied.measures.named import *  # noqa: F403

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Protocol, TypeAlias

    from untied.measures import own as own

    class OfIrMeasures(Protocol):
        """A measure of ir_measures, recognised by its attributes."""

        NAME: Any
        AT_PARAM: Any
        params: Any

    MeasureLike: TypeAlias = Measure | str | OfIrMeasures
else:
    __getattr__ = imported_when_used(__name__, ("own",))

    def __dir__() -> list[str]:
        """What completion shows: all measures, and what makes them."""
        return sorted([*named.__all__, "Measure", "as_measure", "as_measures", "own", "parse_measure"])


class Documentation:
    """The ``__doc__`` of measures: the type's own for the type, and made from its facts for a measure."""

    def __init__(self, of_type: str | None) -> None:
        self.of_type = of_type

    def __get__(self, measure: Measure | None, owner: type) -> str | None:
        """The docstring of a measure, or of the type."""
        if measure is None:
            return self.of_type
        from untied.measures.help import document

        return document(measure)


Measure.__doc__ = Documentation(Measure.__doc__)  # type: ignore[assignment]

#: What is computed where nothing is asked for.
DEFAULT = (named.AP, named.nDCG @ 10, named.RR, named.P @ 10, named.R @ 100)


def parse_measure(text: str) -> Measure:
    """Return the measure that has a name.

    Parameters
    ----------
    text : str
        The name: untied's own (``"nDCG(gain='exp2')@10"``), ir_measures' (``"nDCG@10"``) or trec_eval's
        (``"ndcg_cut_10"``, ``"map"``).

    Returns
    -------
    Measure

    Raises
    ------
    MeasureError
        The name is unknown or malformed, or it means several measures (``"P.5,10"``).

    Examples
    --------
    >>> parse_measure("map_cut_100")
    AP@100
    """
    measures = parse_measures(text)
    if len(measures) != 1:
        raise MeasureError(f"expected one measure, found {len(measures)} in {text!r}")
    return measures[0]


def as_measures(measures: MeasureLike | Iterable[MeasureLike] | None) -> list[Measure]:
    """Return measures without repetitions, from any form that users may pass."""
    if measures is None:
        return list(DEFAULT)
    if isinstance(measures, (Measure, str)) or not hasattr(measures, "__iter__"):
        measures = [measures]
    measures_by_name: dict[str, Measure] = {}
    refused: list[MeasureError] = []
    for measure in measures:
        try:
            each = parse_measures(measure) if isinstance(measure, str) else [as_measure(measure)]
        except MeasureError as error:
            refused.append(error)
            continue
        measures_by_name.update((str(one), one) for one in each if str(one) not in measures_by_name)
    if len(refused) > 1:
        raise MeasureError("\n".join(map(str, refused)))
    if refused:
        raise refused[0]
    if not measures_by_name:
        raise MeasureError("no measure given")
    return list(measures_by_name.values())


def no_measure(given: Any) -> str:
    """Return a message that says why something is no measure."""
    name = type(given).__name__
    hint = f": decorate {given.__name__} with @untied.measure or @untied.additive_measure" if name == "function" else ""
    return f"a measure must be a Measure or a str, not {name}{hint}"


def as_measure(measure: MeasureLike) -> Measure:
    """Return one measure, from a name, a measure of untied or one of ir_measures."""
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        return parse_measure(measure)
    if not hasattr(measure, "AT_PARAM"):
        raise TypeError(no_measure(measure))
    if measure.NAME is None or hasattr(measure, "runtime_impl"):
        raise MeasureError(f"{measure} is defined by a Python function in ir_measures, which untied cannot run")
    # Those that untied registers under a name of ir_measures are told apart by a prefix there.
    parameters = dict(measure.params)
    at = parameters.pop(measure.AT_PARAM, None)
    if measure.NAME == "Compat":  # of ir_measures, which goes as deep as the longer ranking
        parameters["depth"] = "longest"
    equivalent = Measure(measure.NAME.removeprefix("untied_"))(**parameters)
    return equivalent if at is None else equivalent @ at
