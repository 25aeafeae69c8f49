"""Tell where a run and qrels have nothing in common: values are 0 then, and mean nothing."""

from __future__ import annotations

import sys

from untied import _core
from untied.errors import UntiedError, UntiedWarning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from untied._types import Facts

EMPTY = "nothing is retrieved"
QUERIES = "no query in common with the qrels"
DOCUMENTS = "queries in common with the qrels, but no document"
SWAPPED = "scores look like grades and grades like scores (are the run and the qrels swapped?)"
ARRAYS_SWAPPED = (
    "labels look like scores and scores like labels: are they swapped? Scores come first, unlike in evaluate"
)
PADDED = "labels below -1 count as pooled but unjudged documents; if they are padding, pass mask="
APART = "no document in common with the other runs"
IMPROBABLE = "no document in common with the probabilities"
NOTHING_RELEVANT = "nothing is relevant: no query has a grade above 0"


def of_facts(facts: Facts) -> str | None:
    """What `Results.facts` say is wrong with a run; None where it and the qrels have documents in common."""
    if facts["swapped"]:
        return SWAPPED
    return _reason(facts["common"], facts["matched"] > 0, facts["unknown"], facts["relevant"] > 0)


def of_inputs(qrels: _core.Qrels, run: _core.Run, threads: int | None = None, *, judging: bool = False) -> str | None:
    """What is wrong with a run that need not be evaluated; None where it and the qrels have documents in common.

    With `judging`, it is fine that nothing is relevant yet.
    """
    if _core.look_swapped(qrels, run):
        return SWAPPED
    common, matched = _core.in_common(run, qrels, threads)
    return _reason(common, matched, len(run) - common, judging or any(grade > 0 for grade in qrels.grades()))


def _reason(common: int, matched: bool, unknown: int, relevant: bool) -> str | None:
    if matched:
        return None if relevant else NOTHING_RELEVANT
    return DOCUMENTS if common else QUERIES if unknown else EMPTY


def of_runs(runs: Mapping[str, _core.Run], threads: int | None = None) -> dict[str, str | None]:
    """What is wrong with runs that are compared, by name: whether they have a document in common with any other.

    Runs that share a document belong together; those are blamed that do not belong to the largest group.
    """
    groups: list[list[str]] = []
    for name, run in runs.items():
        alike = [
            group for group in groups if any(_core.in_common(run, runs[other], threads)[1] for other in reversed(group))
        ]
        groups = [group for group in groups if group not in alike]
        groups.append([*(other for group in alike for other in group), name])
    largest = max(groups, key=len)
    return {name: None if name in largest else APART for name in runs}


def of_probabilities(
    runs: Mapping[str, _core.Run], probabilities: _core.Run, threads: int | None = None
) -> dict[str, str | None]:
    """Which runs have no document of which a probability is known, by name."""
    return {name: None if _core.in_common(run, probabilities, threads)[1] else IMPROBABLE for name, run in runs.items()}


def of_levels(measures: Iterable[_core.Measure], highest: float) -> str | None:
    """Which measures ask for a higher grade than the highest of the qrels; None where none does or none is above 0."""
    asked = [(str(measure), measure.least_grade) for measure in measures]
    above = [name for name, least in asked if least is not None and 0 < highest < least]
    if not above:
        return None
    return f"no document has a grade as high as asked for, the highest is {highest:g}: {', '.join(above)}"


def sentence(*reasons: Mapping[str, str | None]) -> str | None:
    """What is wrong with runs, by their names; None where nothing is.

    >>> sentence({"a": QUERIES, "b": None, "c": QUERIES})
    'no query in common with the qrels: a, c'
    """
    by_reason: dict[str, list[str]] = {}
    for name, reason in (pair for mapping in reasons for pair in mapping.items()):
        if reason is not None:
            by_reason.setdefault(reason, []).append(_core.show_id(name))
    sentences = [
        reason if reason == NOTHING_RELEVANT else f"{reason}: {_listed(names)}" for reason, names in by_reason.items()
    ]
    return "; ".join(sentences) or None


def _listed(names: list[str], most: int = 4) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more runs"


def demand(*reasons: Mapping[str, str | None]) -> None:
    """Raise an error where something is wrong with one of the runs: their values decide nothing."""
    warn(*reasons, strict=True)


def warn(*reasons: Mapping[str, str | None], strict: bool = False) -> None:
    """Warn where something is wrong with one of the runs; where it is to be strict, raise an error.

    The warning is one of the line that called untied. The command line has it as a note instead.
    """
    say(sentence(*reasons), strict=strict)


def say(message: str | None, *, strict: bool = False) -> None:
    """Warn with a message, if there is one; see `warn`."""
    if not message:
        return
    if strict:
        raise UntiedError(message)
    if _listening:
        if message not in _listening[-1]:
            _listening[-1].append(message)
        return
    import warnings

    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "untied":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UntiedWarning, stacklevel=level)


#: Lists of notes of those that listen, the innermost last.
_listening: list[list[str]] = []


class Notes:
    """While this is open, warnings become a list of notes: the command line prints them at its end."""

    def __enter__(self) -> list[str]:
        _listening.append([])
        return _listening[-1]

    def __exit__(self, *raised: object) -> None:
        _listening.pop()
