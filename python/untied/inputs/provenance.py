"""The inputs of results."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def provenance(paths: Iterable[str | os.PathLike[str]]) -> list[dict[str, str | None]]:
    """Return the paths of files with their hashes. Inputs that cannot be read twice, such as pipes, have no hash."""
    return [{"path": os.fspath(path), "sha256": _digest(os.fspath(path))} for path in paths]


def named_inputs(paths: Iterable[str | os.PathLike[str]]) -> list[dict[str, str | None]]:
    """Return the same without folders, for reports that are passed on. A folder stays if it tells two files apart."""
    inputs = provenance(paths)
    for origin in inputs:
        path = origin["path"] or ""
        parts = path.split(os.sep)
        others = {other["path"] or "" for other in inputs} - {path}
        tails = (os.sep.join(parts[-size:]) for size in range(1, len(parts)))
        origin["path"] = next((tail for tail in tails if not any(_ends(other, tail) for other in others)), path)
    return inputs


def _ends(path: str, tail: str) -> bool:
    return path == tail or path.endswith(os.sep + tail)


def _digest(path: str) -> str | None:
    if path == "-" or not os.path.isfile(path):
        return None
    import hashlib

    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
