"""A copy of the sources, for builds that must not get into the way of the development build."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from devtools import parts
from devtools.environment import ROOT


def copy_sources(tree: Path, without: Collection[str] = ()) -> None:
    """Copy the project's files into a folder, and leave alone what is the same, so that Cargo compiles little."""
    names = parts.git("ls-files", "--cached", "--others", "--exclude-standard")
    for name in set(names).difference(without):
        source = ROOT / name
        if source.is_file():
            write(tree / name, source.read_bytes())
            (tree / name).chmod(source.stat().st_mode)
    kept = {tree / name for name in names}
    for folder, kind in (("crates", "*.rs"), ("python", "*.py"), ("tests", "*.py")):
        for path in set((tree / folder).rglob(kind)) - kept:
            path.unlink()


def write(path: Path, content: bytes) -> None:
    """Write a file unless it has this content."""
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
