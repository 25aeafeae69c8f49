"""Writing results: a table for a terminal, TSV, CSV, JSON or Markdown for everything else."""

from __future__ import annotations

import os
import sys
from itertools import combinations

from untied._core import __version__, show_id
from untied.cli import paint
from untied.cli.options import FORMATS, SUFFIXES, UsageError
from untied.errors import either
from untied.inputs.mismatch import collected
from untied.inputs.provenance import provenance
from untied.results.text import aligned as aligned
from untied.results.text import brackets as brackets
from untied.results.text import for_json
from untied.results.text import lines as lines
from untied.results.text import over_all as over_all
from untied.results.text import padded as padded
from untied.results.writing import check_target as check_target
from untied.results.writing import is_same_file, write_file, write_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

#: Controls beyond those that JSON escapes; ends of lines; characters that turn the direction of text.
HARMFUL = (*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))


def choose(style: str, path: str | None, formats: Collection[str] = FORMATS, beside: Collection[str] = ()) -> str:
    """The output format, from ``--format`` and the destination; suffixes `beside` are of files that are no tables."""
    if style != "auto":
        return style
    if path is not None:
        known = {suffix: style for suffix, style in SUFFIXES.items() if style in formats}
        return by_suffix(path, known, "tsv", beside=beside, remedy="; --format writes to any name")
    return "table" if sys.stdout is not None and sys.stdout.isatty() else "tsv"


#: Files of pages, and of pictures.
PAGES = {".html": "html", ".htm": "html"}
PICTURES = {".svg": "svg", ".png": "png", ".pdf": "pdf"}


def suffix(path: str) -> str:
    """The suffix of a file, as formats have it."""
    return os.path.splitext(path)[1].lower()


def by_suffix(
    path: str, known: Mapping[str, str], otherwise: str, *, beside: Collection[str] = (), remedy: str = ""
) -> str:
    """The format of an output file by its suffix, a default without; an error for an unknown one."""
    ending = os.path.splitext(path)[1]
    if not ending:
        return otherwise
    if ending.lower() not in known:
        expected = either((*known, *beside))
        raise UsageError(f"-o {show_id(path)}: expected a suffix of {expected}, found {show_id(ending)}{remedy}")
    return known[ending.lower()]


def check_targets(inputs: Collection[str], files: Iterable[str | None], certificate: str | None = None) -> None:
    """Refuse, before any work, files of ``-o`` and a certificate: as `check_target`, and two that are the same file."""
    if certificate == "-":
        raise UsageError("--certificate needs the name of a file; only -o writes to standard output")
    targets = [*(("-o", path) for path in files), ("--certificate", certificate)]
    given = [(option, path) for option, path in targets if path is not None]
    for _, path in given:
        check_target(path, inputs)
    for (option, path), (other, its) in combinations(given, 2):
        if is_same_file(path, its):
            raise UsageError(f"{option} {show_id(path)} and {other} {show_id(its)} name the same file; choose two")


def bold(line: str, on_screen: bool) -> str:
    """The line in bold, if a terminal shows it and ``NO_COLOR`` is not set."""
    return paint(line, "bold", sys.stdout) if on_screen else line


def json(settings: dict[str, Any], inputs: list[str], **content: object) -> str:
    """JSON of results with their origin: version, policies, inputs with their hashes, and all notes of the command."""
    import json

    document = {
        "untied": __version__,
        "settings": settings,
        "inputs": provenance(inputs),
        "notes": collected(),
        **content,
    }
    text = json.dumps(for_json(document), indent=1, ensure_ascii=False, allow_nan=False)
    # What a terminal would take for a command; all of it stands in strings, where it may be escaped.
    return text.translate({code: f"\\u{code:04x}" for code in HARMFUL}) + "\n"


def plugins(paths: Iterable[str]) -> dict[str, Any]:
    """The plugins, for `json`; empty if there are none."""
    origins = provenance(paths)
    return {"plugins": origins} if origins else {}


def write(content: str | bytes, path: str | None) -> None:
    """Write to standard output, or replace a file as a whole."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    if path is None:
        write_out([data])
    else:
        write_file(data, path)
