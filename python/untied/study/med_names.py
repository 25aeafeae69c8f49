"""Distances and groups of the study of MED, and their names."""

from __future__ import annotations

import os
from dataclasses import dataclass

from untied._core import comparing_info, show_id
from untied.comparison.measures import as_comparing, measure_inside
from untied.errors import UntiedError
from untied.inputs.lines import lines, refused
from untied.study.inputs import Inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

#: Differences that there are.
DIFFERENCES = ("difference", "per_query", "scaled")
#: Letters of runs' names that name their group.
PREFIX = 3
#: Which pairs of runs a correlation is over.
AMONG = ("all", "same", "other")


@dataclass
class Distances:
    """The distances that a study computes."""

    #: The measure S; MED(S), with which all others are compared; Delta(S), the actual difference on MED's scale.
    measure: str
    main: str
    delta: str
    #: The main distance and the other requested ones that say something without judgments.
    listed: list[str]
    #: Requested expected differences (Delta). Without judgments they are 0 for all runs, as documents are then alike.
    expected: list[str]
    #: Distances by the parameter that varies, and its value.
    swept: dict[tuple[str, float], str]

    @classmethod
    def of(cls, settings: dict[str, Any], grades: Iterable[float]) -> Distances:
        """Return the distances of these settings, for judgments with this highest grade."""
        grade = max([1.0, *grades])
        most = f"max_grade={grade:g}"
        of, psi, cutoffs = settings["measure"], settings["psi"], settings["cutoffs"]
        main = canonical(f"MED({of}, {most})")
        asked = [canonical(one.replace("{grade}", f"{grade:g}")) for one in settings["distances"]]
        expected = [one for one in asked if is_signed(one)]
        listed = [main, *(one for one in asked if one not in expected)]
        swept = {("MED-RBP", p): f"MED(RBP(p={p}))" for p in psi} | {("RBO", p): f"RBO(p={p})" for p in psi}
        swept |= {("MED-nDCG", k): f"MED(nDCG@{k}, {most})" for k in cutoffs}
        swept |= {("MED-ERR", k): f"MED(ERR({most})@{k})" for k in cutoffs}
        swept = {key: canonical(one) for key, one in swept.items()}
        return cls(of, main, f"Delta({of}, {most})", listed, expected, swept)

    @property
    def unjudged(self) -> list[str]:
        """Return the distances that are computed without judgments, each once."""
        return list(dict.fromkeys([*self.listed, *self.swept.values()]))

    @property
    def judged(self) -> list[str]:
        """Return the distances that are computed with shares of the judgments, each once."""
        return list(dict.fromkeys([self.main, *self.expected]))

    @property
    def all(self) -> list[str]:
        """Return all distances, each once."""
        return list(dict.fromkeys([*self.unjudged, *self.judged]))

    def numbers(self, what: str) -> list[float]:
        """Return the values of the parameter that varies."""
        return [number for one, number in self.swept if one == what]


def canonical(name: str) -> str:
    """Return the canonical name of a measure of two rankings."""
    return str(as_comparing(name))


def is_signed(name: str) -> bool:
    """Say whether a measure of two rankings changes its sign if you swap them, as Delta does."""
    return comparing_info(as_comparing(name))[2] == "opposite"


def lower_is_alike(name: str) -> bool:
    """Say whether low values of a measure mean that two rankings are alike."""
    return comparing_info(as_comparing(name))[1]


def distance(name: str, value: float) -> float:
    """Return the distance of two runs, made from the mean of a measure of two rankings. It is 0 for equal runs."""
    if is_signed(name):
        return abs(value)
    return value if lower_is_alike(name) else 1 - value


def short(name: str) -> str:
    """Return the name of a distance in plots and tables, such as MED-nDCG@20, or 1 - RBO for a similarity."""
    if is_signed(name):
        return f"absolute {name}"
    if not lower_is_alike(name):
        return f"1 - {name}"
    inner = measure_inside(name)
    if inner is None:
        return name
    # The highest grade is that of the judgments, and said in the settings.
    for part in ("(max_grade=1)", "(max_grade=2)", "(max_grade=3)", "(max_grade=4)"):
        inner = inner.replace(part, "")
    return f"MED-{inner}"


def read_groups(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the group of each run, from a file whose lines have a run's name and its group."""
    groups: dict[str, str] = {}
    expected = "run group"
    for number, fields in lines(path, expected):
        if len(fields) != 2:
            raise refused(path, number, f"2 fields ({expected})", str(len(fields)))
        if groups.setdefault(fields[0], fields[1]) != fields[1]:
            raise refused(path, number, f"one group for {show_id(fields[0])}", "another one")
    return groups


def add_groups(add: Callable[..., object]) -> None:
    """Add options for the groups of runs."""
    add("--groups", metavar="FILE", help="read groups of runs from FILE (each line: run group)")
    about = f"group runs by the first N letters of run names (default: {PREFIX})"
    add("--prefix", metavar="N", type=int, default=PREFIX, help=about)


def grouped(inputs: Inputs, groups: Any, prefix: int) -> dict[str, str]:
    """Return the group of every run: the one in `groups`, or else the prefix of its name."""
    if prefix < 1:
        raise UntiedError(f"prefix must be at least 1, not {prefix}")
    if groups is None:
        return {run: run[:prefix] for run in inputs.runs}
    group_of = read_groups(groups) if isinstance(groups, (str, os.PathLike)) else {**groups}
    inputs.remember("groups", groups, group_of, option="--groups")
    for run in inputs.runs:
        if run not in group_of:
            raise UntiedError(f"run {show_id(run)} has no group")
    return group_of
