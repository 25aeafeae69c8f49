"""Find runs and qrels with nothing in common: their values are 0 and meaningless.

Runs that share no query with the qrels are refused; of other problems there is a warning.
"""

from __future__ import annotations

import sys
from contextvars import ContextVar

from untied import _core
from untied.errors import UntiedError, UntiedWarning, check_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Sized

    from untied._types import Facts

EMPTY = "nothing is retrieved"
QUERIES = "no query in common with the qrels"
NEARLY = "untied check shows query ids that nearly match"
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
    """Return the problem with a run, from its `Results.facts`. It is None if run and qrels have documents in common."""
    if facts["swapped"]:
        return SWAPPED
    return _reason(facts["common"], facts["matched"] > 0, facts["unknown"], facts["relevant"] > 0)


def of_inputs(qrels: _core.Qrels, run: _core.Run, threads: int | None = None, *, judging: bool = False) -> str | None:
    """Return the problem with a run that is not evaluated. It is None if run and qrels have documents in common.

    With `judging`, it is no problem if nothing is relevant yet.
    """
    if _core.look_swapped(qrels, run):
        return SWAPPED
    common, matched = _core.in_common(run, qrels, threads)
    relevant = judging or qrels.format == "preferences" or any(grade > 0 for grade in qrels.grades())
    return _reason(common, matched, len(run) - common, relevant)


def _reason(common: int, matched: bool, unknown: int, relevant: bool) -> str | None:
    if matched:
        return None if relevant else NOTHING_RELEVANT
    return DOCUMENTS if common else QUERIES if unknown else EMPTY


def queries_of_inputs(
    qrels: _core.Qrels, runs: Mapping[str, _core.Run], threads: int | None = None
) -> dict[str, dict[str, int]]:
    """Count for each run the judged queries that it lacks (``absent``), and its unjudged ones (``unknown``)."""
    judged = len(qrels.queries())
    common = {name: _core.in_common(run, qrels, threads)[0] for name, run in runs.items()}
    return {name: {"absent": judged - common[name], "unknown": len(run) - common[name]} for name, run in runs.items()}


def of_runs(runs: Mapping[str, _core.Run], threads: int | None = None) -> dict[str, str | None]:
    """Return the problems of compared runs, by name. A run has one if it has no document in common with the others.

    Runs that share a document form a group; runs outside the largest group are reported.
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
    """Return the problems of runs none of whose documents has a probability, by name."""
    return {name: None if _core.in_common(run, probabilities, threads)[1] else IMPROBABLE for name, run in runs.items()}


def of_levels(measures: Iterable[_core.Measure], highest: float | None) -> str | None:
    """Return a sentence on measures that need a higher grade than the qrels have. It is None if there are none.

    Preferences have no highest grade, and then there are none either.
    """
    if highest is None:
        return None
    asked = [(str(measure), measure.least_grade) for measure in measures]
    above = [name for name, least in asked if least is not None and 0 < highest < least]
    if not above:
        return None
    return f"the highest grade is {highest:g}, lower than these measures need: {', '.join(above)}"


#: Grades that begin at 1 may be ratings, whose lowest mean *not relevant*, if there are at least this many of them.
_RATINGS = 4
#: Measures that read grades as an order of groups, of which the last one is relevant too.
_OF_GROUPS = {"ADR", "ADRInverted", "Compat", "PairConcordance"}


def of_scale(measures: Iterable[_core.Measure], grades: Sequence[float]) -> str | None:
    """Return a sentence on grades that measures may misunderstand, or None. `grades` has each grade once.

    Grades between 0 and 1 count as not relevant where a grade of 1 is needed, and of ratings from 1 to 5 all count as
    relevant. Only measures that have a parameter ``rel``, and its default, are named.
    """
    low, high = min(grades, default=0), max(grades, default=0)
    between = min((grade for grade in grades if 0 < grade < 1), default=None)
    if between is not None and high >= 1:
        problem = f"some grades lie between 0 and 1 (the lowest is {between:g}), and only grades from 1 on count"
    elif low >= 1 and len(grades) >= _RATINGS:
        problem = f"grades go from {low:g} to {high:g}, so every judged document counts"
    else:
        return None
    with_rel = {info["name"] for info in _core.measure_info() if any(name == "rel" for name, *_ in info["parameters"])}
    named = [str(measure) for measure in measures if measure.least_grade == 1 and measure.name in with_rel - _OF_GROUPS]
    return f"{problem} as relevant for these measures, unless rel= is given: {', '.join(named)}" if named else None


def without_unanswered(qrels: _core.Qrels, threads: int | None) -> tuple[_core.Qrels, str | None]:
    """Return the qrels without queries that have no judged document, and a sentence on these or None.

    Of such a query no measure says anything, also none that would count it as 0, unless unjudged documents may have any
    grade.
    """
    unanswered = qrels.unanswered()
    if not unanswered or len(unanswered) == len(qrels):
        return qrels, None
    return qrels.without(unanswered, threads), of_unanswered(unanswered, "left out")


def of_unanswered(unanswered: Sized, effect: str) -> str | None:
    """Return a sentence on queries without judged documents, and what becomes of them. It is None if there are none."""
    why = "they have no answer, or none is known yet"
    return f"queries without judged documents: {len(unanswered):,} ({why}; {effect})" if unanswered else None


def sentence(*reasons: Mapping[str, str | None]) -> str | None:
    """Return a sentence on the problems of runs, which come by name. It is None if there are none.

    >>> sentence({"a": QUERIES, "b": None, "c": QUERIES})
    "no query in common with the qrels: 'a', 'c'"
    """
    by_reason: dict[str, list[str]] = {}
    for name, reason in (pair for mapping in reasons for pair in mapping.items()):
        if reason is not None:
            by_reason.setdefault(reason, []).append(f"'{_core.show_id(name)}'")
    sentences = [
        reason if reason == NOTHING_RELEVANT else f"{reason}: {listed(names, 'run')}"
        for reason, names in by_reason.items()
    ]
    return "; ".join(sentences) or None


def of_features(named: Iterable[int], numbers: Iterable[int]) -> str | None:
    """Return a sentence on names of features that the data does not have."""
    unused = sorted({*named} - {*numbers})
    return (
        f"names of features that the data does not have: {listed(list(map(str, unused)), 'name')}" if unused else None
    )


#: Things that a note names; of more it says how many there are.
NAMED = 4


def listed(items: Sequence[str], kind: str = "") -> str:
    """Return the first few of several things, and how many others there are, as text. `kind` names one of them."""
    shown, rest = ", ".join(items[:NAMED]), len(items) - NAMED
    more = f"more {kind}{'s' * (rest > 1)}" if kind else "more"
    return shown if rest <= 0 else f"{shown} and {rest} {more}"


def demand(*reasons: Mapping[str, str | None]) -> None:
    """Raise an error if a run has any problem, because its values are meaningless."""
    warn(*reasons, strict=True)


def refuse_swapped(reasons: Mapping[str, str | None], *, strict: bool) -> None:
    """Do as `warn` does, but raise an error if the run and the qrels look swapped.

    Verdicts hold for every grade, so those about runs without judged or relevant documents are right, if surprising.
    """
    warn(reasons, strict=check_flag("strict", strict) or SWAPPED in reasons.values())


def warn(*reasons: Mapping[str, str | None], strict: bool = False) -> None:
    """Warn if a run has a problem; raise an error if `strict`, or if a run shares no query with the qrels.

    The warning points at the line that called untied. The command line prints it as a note instead.
    """
    refused = any(QUERIES in mapping.values() for mapping in reasons)
    message = sentence(*reasons)
    warn_or_raise(f"{message}; {NEARLY}" if refused else message, strict=check_flag("strict", strict) or refused)


def collected() -> list[str]:
    """Return the notes of the innermost context that collects them, or a list that nobody reads."""
    notes = _listening.get()
    return [] if notes is None else notes


def warn_or_raise(message: str | None, *, strict: bool = False) -> None:
    """Warn with the message if there is one, or raise it as an error, as `warn` does."""
    if not message or _is_silent.get():
        return
    if strict:
        raise UntiedError(message)
    notes = _listening.get()
    if notes is not None:
        if message not in notes:
            notes.append(message)
        return
    import warnings

    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "untied":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UntiedWarning, stacklevel=level)


#: The notes of the innermost context that collects them, in this thread.
_listening: ContextVar[list[str] | None] = ContextVar("_listening", default=None)


class CollectedNotes:
    """A context that collects warnings as notes, which the command line prints at its end."""

    def __enter__(self) -> list[str]:
        notes: list[str] = []
        self._outer = _listening.set(notes)
        return notes

    def __exit__(self, *raised: object) -> None:
        _listening.reset(self._outer)


#: Whether this thread is in a silent context.
_is_silent: ContextVar[bool] = ContextVar("_is_silent", default=False)


class Silence:
    """A context that neither warns of runs nor refuses them, because its caller did, or a drop-in's host does not."""

    def __enter__(self) -> None:
        self._outer = _is_silent.set(True)

    def __exit__(self, *raised: object) -> None:
        _is_silent.reset(self._outer)
