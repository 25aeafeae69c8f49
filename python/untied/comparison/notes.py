"""Notes on comparisons of runs."""

from __future__ import annotations

from untied._core import show_id
from untied.inputs.mismatch import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    #: Of a pair of runs: their names, and numbers of queries that only one has, that are undefined (by measure), and
    #: whose rankings were filled up (by measure).
    Counts: TypeAlias = tuple[tuple[str, str], tuple[int, int], dict[str, int], dict[str, tuple[int, int]]]


def on_pairs(pairs: Sequence[Counts]) -> Iterator[str]:
    """Return notes on queries that are left out of a comparison, and on rankings that are filled up."""
    alone: dict[str, list[int]] = {}
    undefined: dict[str, list[int]] = {}
    filled: dict[str, dict[str, list[int]]] = {}
    for runs, of_one, of_measure, ends in pairs:
        for measure, counts in ends.items():
            short = filled.setdefault(measure, {})
            for name, queries in zip(runs, counts, strict=True):
                short.setdefault(name, []).append(queries)
        for measure, queries in of_measure.items():
            undefined.setdefault(measure, []).append(queries)
        for name, queries in zip(runs, of_one, strict=True):
            alone.setdefault(name, []).append(queries)
    of_runs = _of_runs(alone)
    if of_runs:
        where = "in only one run" if len(pairs) == 1 else "that another run lacks"
        yield f"queries {where}, left out: {listed(of_runs)}"
    of_measures = [f"{_between(counts)} of {measure}" for measure, counts in undefined.items() if any(counts)]
    if of_measures:
        each = "" if len(pairs) == 1 else " of each pair of runs"
        yield f"undefined values, left out of the means{each}: {listed(of_measures)}"
    for measure, short in filled.items():
        where = listed(_of_runs(short))
        yield f"rankings that end before the cutoff of {measure}, filled up with unknown documents: {where}"


def _of_runs(counts: dict[str, list[int]]) -> list[str]:
    return [f"{_between(of_run)} of {show_id(name)}" for name, of_run in counts.items() if any(of_run)]


def _between(counts: list[int]) -> str:
    """Return a count as text, or a range if it differs between pairs."""
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"
