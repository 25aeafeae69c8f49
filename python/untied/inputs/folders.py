"""Folders and patterns, which stand for several runs."""

from __future__ import annotations

import os

from untied._core import show_id
from untied.errors import UntiedError
from untied.inputs.files import RunFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

#: What stands for several files where no file is called so.
GLOB = frozenset("*?[")


def expanded(paths: Iterable[str], qrels: object = None) -> list[str]:
    """Return the files that folders and patterns stand for, sorted by name, but no hidden files and no judgments.

    Raises
    ------
    UntiedError
        A folder or a pattern has no file.
    """
    expanded_paths: list[str] = []
    for path in paths:
        if path != "-" and os.path.isdir(path):
            entries = sorted(entry.path for entry in os.scandir(path) if entry.is_file() and entry.name[0] != ".")
            files = [file for file in entries if not is_same(file, qrels)]
            if not files:
                raise UntiedError(f"{show_id(path)}: no run in this folder")
            expanded_paths += files
        elif GLOB & set(path) and not os.path.exists(path):
            from glob import glob

            matching = sorted(file for file in glob(path, recursive=True) if os.path.isfile(file))
            if not matching:
                raise UntiedError(f"{show_id(path)}: no file matches this pattern")
            expanded_paths += matching
        else:
            expanded_paths.append(path)
    return expanded_paths


def is_same(path: str, other: object) -> bool:
    """Say whether two paths lead to the same file. Anything but a path leads to none."""
    if not isinstance(other, (str, os.PathLike)) or other == "-":
        return False
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


def runs_of(source: Any, qrels: object) -> list[Any]:
    """Return the runs that a path stands for. Any other source stands for itself."""
    if not isinstance(source, (str, os.PathLike)):
        return [source]
    path = os.fspath(source)
    files = expanded([path], qrels)
    if files == [path]:
        return [source]
    return [source.but(path=file) if isinstance(source, RunFile) else file for file in files]
