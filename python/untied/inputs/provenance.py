"""The inputs of results."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def provenance(paths: Iterable[str | os.PathLike[str]]) -> list[dict[str, str | None]]:
    """Paths with hashes of the files; none for inputs that cannot be read twice (standard input, pipes)."""
    return [{"path": os.fspath(path), "sha256": _digest(os.fspath(path))} for path in paths]


def _digest(path: str) -> str | None:
    if path == "-" or not os.path.isfile(path):
        return None
    import hashlib

    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
