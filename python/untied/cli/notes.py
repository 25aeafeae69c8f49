"""What notes of commands have in common: counts of several runs."""

from __future__ import annotations

from untied._core import show_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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
