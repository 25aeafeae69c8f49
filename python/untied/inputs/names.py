"""Names of runs: for files, the shortest parts of their paths that distinguish them."""

from __future__ import annotations

import os

from untied.errors import UntiedError
from untied.inputs import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: Suffixes of files that say no more than how they are written.
FORMATS = (
    ".run", ".trec", ".txt", ".tsv", ".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".res", ".result", ".results",
    ".passages", ".qrels",
)  # fmt: skip


def names_of(sources: Sequence[Any]) -> list[str]:
    """Return a name for each run, made from its source.

    A run is named after its file, without suffixes for a format and compression. If two names would be equal, each gets
    the shortest part of its path that tells it apart: with the suffixes, with the folder, and so on. (This also holds
    if one name would be the whole name of another file.) Standard input is named ``stdin``. An object is named by its
    attribute ``name`` if that is a text. All others are ``run``, or ``run1``, ``run2`` by position. The order of the
    files does not matter.

    >>> names_of(["bm25.v1", "bm25.v2.run.gz", "old/dense.run", "new/dense.run"])
    ['bm25.v1', 'bm25.v2', 'old/dense', 'new/dense']

    Raises
    ------
    UntiedError
        A file is given twice.
    """
    paths = {place: os.fspath(source) for place, source in enumerate(sources) if _is_path(source)}
    forms = {place: _forms(path) for place, path in paths.items()}
    places = {longest: place for place, (*_, longest) in forms.items()}
    for place, (*_, longest) in forms.items():
        if places[longest] != place:
            raise UntiedError(f"run {paths[places[longest]]!r} is given twice")
    given = {
        place: name
        for place, source in enumerate(sources)
        if place not in forms and isinstance(name := getattr(source, "name", None), str) and name
    }
    named = _distinct(forms, set(given.values())) | given
    taken = {*named.values(), *(whole for _, whole, *_ in forms.values())}
    for place in range(len(sources)):
        if place not in named:
            name = "run" if len(sources) == 1 else f"run{place + 1}"
            while name in taken:
                name += "_"
            named[place] = name
            taken.add(name)
    return [named[place] for place in range(len(sources))]


def check_two(names: Sequence[str]) -> tuple[str, str]:
    """Refuse names of two runs that do not tell these apart."""
    match names:
        case [str() as first, str() as second] if first != second:
            return first, second
    raise UntiedError(f"names must be two different names of runs, not {names!r}")


def _is_path(source: object) -> bool:
    return isinstance(source, (str, os.PathLike))


def _distinct(forms: dict[int, list[str]], reserved: set[str]) -> dict[int, str]:
    """Names of files. Files with clashing names form a group, whose names grow together until none clash."""
    size = dict.fromkeys(forms, 0)
    group = {place: {place} for place in forms}
    while True:
        called = {place: of_file[min(size[place], len(of_file) - 1)] for place, of_file in forms.items()}
        colliding = _colliding(called, forms, reserved)
        if not colliding:
            return called
        for places in colliding:
            together = set().union(*(group[place] for place in places))
            if all(size[place] >= len(forms[place]) for place in together):
                raise UntiedError(f"run {called[min(places)]!r} is given twice")
            largest = max(size[place] for place in together)
            for place in together:
                group[place], size[place] = together, largest
        grown = {id(group[place]): group[place] for places in colliding for place in places}
        for together in grown.values():
            for place in together:
                size[place] += 1


def _colliding(called: dict[int, str], forms: dict[int, list[str]], reserved: set[str]) -> list[set[int]]:
    """Return files with clashing names: equal ones, or one that is the whole name of another file."""
    by_name: dict[str, set[int]] = {}
    for place, name in called.items():
        by_name.setdefault(name, set()).add(place)
    for place, (_, whole, *_) in forms.items():
        if any(forms[other][1] != whole for other in by_name.get(whole, ())):
            by_name[whole].add(place)
    return [places for name, places in by_name.items() if len(places) > 1 or name in reserved]


def _forms(path: str) -> list[str]:
    """Return the possible names of a file, shortest first. The second has suffixes, and the last is the path."""
    if path == "-":
        return ["stdin", "-"]
    folders, file = os.path.split(os.path.abspath(path))
    stem = _stem(file)
    forms = [stem, file]
    above = ""
    while os.path.basename(folders):
        folders, folder = os.path.split(folders)
        above = f"{folder}/{above}"
        forms += [above + stem, above + file]
    return [*forms, os.path.abspath(path)]


def _stem(file: str) -> str:
    """A file's name without suffixes for compression and format, unless that leaves nothing."""
    unpacked = files.unpacked(file)
    stem, suffix = os.path.splitext(unpacked)
    return (stem if suffix.lower() in FORMATS else unpacked) or file
