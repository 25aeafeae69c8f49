"""Notes of commands: what the user should know, each thing once."""

from __future__ import annotations

import sys

from untied._core import show_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from untied._types import Facts

#: Runs that a note names; of more it says how many there are, and between what their counts lie.
NAMED = 4


def by_run(counts: Mapping[str, int], word: str = "of") -> str:
    """Counts of the runs that have any, each with its run, as a sum would read as the count of one."""
    some = {name: count for name, count in counts.items() if count}
    shown = ", ".join(f"{count} {word} {show_id(name)}" for name, count in list(some.items())[:NAMED])
    rest = list(some.values())[NAMED:]
    if not rest:
        return shown
    low, high = min(rest), max(rest)
    runs = "1 more run" if len(rest) == 1 else f"{len(rest)} more runs"
    return f"{shown} and {word} {runs} {low if low == high else f'{low} to {high}'}{' each' * (len(rest) > 1)}"


def values_by_run(counts: Mapping[str, int]) -> str:
    """The same; of a single run the count alone, as there is nothing to mistake it for."""
    return str(*counts.values()) if len(counts) == 1 else by_run(counts)


def show(notes: Iterable[str]) -> None:
    """Print notes, apart from what a command writes."""
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


def listed(items: Sequence[str], more: str = "more") -> str:
    """The first of several things, and how many more there are."""
    shown = ", ".join(items[:NAMED])
    return shown if len(items) <= NAMED else f"{shown} and {len(items) - NAMED} {more}"


def of_ties(where: str, ties: str) -> str:
    """That ties decide values."""
    if ties == "expected":
        what = "means over all orders"
    elif ties in ("best", "worst"):
        what = f"for the {ties} orders"
    else:
        what = f"for one order, {ties}"
    return f"tied documents differ in grade in {where} (values are {what}; --ties range shows the spread)"


def of_queries(facts: Mapping[str, Facts], queries: str = "qrels") -> Iterator[str]:
    """Queries that only the judgments or only a run has."""
    absent = {name: fact["absent"] for name, fact in facts.items()}
    if any(absent.values()):
        effect = "they count as empty rankings" if queries == "qrels" else "they are left out"
        yield f"judged queries that are absent: {by_run(absent, 'from')} ({effect})"
    unknown = {name: fact["unknown"] for name, fact in facts.items()}
    if any(unknown.values()):
        hint = "; untied check tells ids that nearly match" if any(absent.values()) else ""
        yield f"queries without judgments, left out: {by_run(unknown)}{hint}"


def of_values(count: Callable[[str], str], ties: str, errors: Sequence[float] = ()) -> Iterator[str]:
    """Values that are not what they seem; `count` says how many the facts of a name are, or nothing."""
    if left_out := count("left_out"):
        yield f"undefined values, left out of the means: {left_out}"
    if unsettled := count("unsettled"):
        yield (
            "values that only some grades of unjudged documents leave undefined (means are over all choices of the "
            f"queries that count): {unsettled}"
        )
    if (estimated := count("estimated")) and ties in ("expected", "range"):
        known = f" (standard error of a value at most {max(errors):.2g})" if errors else ""
        yield (f"values estimated from sampled orders of tied documents, as there are too many: {estimated}{known}")
    if (enclosed := count("enclosed")) and ties in ("best", "worst", "range"):
        yield f"values whose bounds over orders of tied documents need not be reached: {enclosed}"
    if overstated := count("overstated"):
        yield (
            "values above their lower bound though all unjudged documents count as non-relevant (R or the ideal grows "
            f"with what turns out relevant): {overstated}"
        )
