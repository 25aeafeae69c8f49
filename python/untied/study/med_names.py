"""Measures, distances and groups of the study of MED, and what they are called."""

from __future__ import annotations

import os

from untied._core import show_id
from untied.compare.measures import as_comparing
from untied.errors import UntiedError
from untied.inputs.lines import lines, refused
from untied.study.inputs import Inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Groups with bars, and groups with a colour on the map.
SHOWN = 8
#: Differences that there are.
DIFFERENCES = ("difference", "per_query", "scaled")
#: Which pairs of runs a correlation is over.
AMONG = ("all", "same", "other")


def canonical(name: str) -> str:
    """The name of a measure of two rankings in its own spelling."""
    return str(as_comparing(name))


def short(name: str) -> str:
    """What a distance is called in plots and tables: MED-nDCG@20."""
    if not name.startswith("MED("):
        return f"1 - {name}"
    inner, depth, end = "", 0, len(name) - 1
    for character in name[4:end]:
        depth += (character == "(") - (character == ")")
        if depth == 0 and character == ",":
            break
        inner += character
    # The highest grade is that of the judgments, and said in the settings.
    for part in ("(max_grade=1)", "(max_grade=2)", "(max_grade=3)", "(max_grade=4)"):
        inner = inner.replace(part, "")
    return f"MED-{inner.strip()}"


def read_groups(path: str | os.PathLike[str]) -> dict[str, str]:
    """Groups by run: a file with lines of a run's name and a group."""
    found: dict[str, str] = {}
    expected = "run group"
    for number, fields in lines(path, expected):
        if len(fields) != 2:
            raise refused(path, number, f"2 fields ({expected})", str(len(fields)))
        if found.setdefault(fields[0], fields[1]) != fields[1]:
            raise refused(path, number, f"one group for {show_id(fields[0])}", "another one")
    return found


def grouped(inputs: Inputs, groups: Any, prefix: int) -> dict[str, str]:
    """The group of every run: as given, or by how their names begin."""
    if prefix < 1:
        raise UntiedError(f"prefix must be at least 1, not {prefix}")
    if groups is None:
        return {run: run[:prefix] for run in inputs.runs}
    found = read_groups(groups) if isinstance(groups, (str, os.PathLike)) else {**groups}
    inputs.remember("groups", groups, found, option="--groups")
    for run in inputs.runs:
        if run not in found:
            raise UntiedError(f"run {show_id(run)} is in no group")
    return found
