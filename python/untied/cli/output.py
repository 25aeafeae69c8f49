"""Writing results: a table for a terminal, TSV, CSV, JSON or Markdown for everything else."""

from __future__ import annotations

import math
import os
import sys
from itertools import combinations

from untied._core import __version__, show_id
from untied.cli import paint
from untied.cli.options import FORMATS, SUFFIXES, UsageError
from untied.errors import either
from untied.inputs.provenance import provenance
from untied.results.text import aligned as aligned
from untied.results.text import brackets as brackets
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


def choose(style: str, path: str | None, formats: Collection[str] = FORMATS) -> str:
    """The output format, from ``--format`` and the destination."""
    if style != "auto":
        return style
    if path is not None:
        known = {suffix: style for suffix, style in SUFFIXES.items() if style in formats}
        return by_suffix(path, known, "tsv", remedy="; --format writes to any name")
    return "table" if sys.stdout is not None and sys.stdout.isatty() else "tsv"


#: Files of pictures.
PICTURES = {".svg": "svg", ".png": "png", ".pdf": "pdf"}


def by_suffix(
    path: str, known: Mapping[str, str], otherwise: str | None, *, option: str = "-o", remedy: str = ""
) -> str:
    """The format of an output file by its suffix; a default, if there is one, without; an error for an unknown one."""
    suffix = os.path.splitext(path)[1]
    if not suffix and otherwise is not None:
        return otherwise
    if suffix.lower() not in known:
        given = show_id(suffix) if suffix else "none"
        raise UsageError(f"{option} {show_id(path)}: expected a suffix of {either(known)}, found {given}{remedy}")
    return known[suffix.lower()]


def check_targets(inputs: Collection[str], **targets: str | None) -> None:
    """Refuse, before any work, outputs by their options: as `check_target`, and two that are the same file."""
    given = {name: path for name, path in targets.items() if path is not None}
    for name, path in given.items():
        if path == "-":
            raise UsageError(f"--{name} needs the name of a file; only -o writes to standard output")
        check_target(path, inputs)
    for (name, path), (other, its) in combinations(given.items(), 2):
        if is_same_file(path, its):
            raise UsageError(f"--{name} and --{other} name the same file; choose two")


def bold(line: str, on_screen: bool) -> str:
    """The line in bold, if a terminal shows it and ``NO_COLOR`` is not set."""
    return paint(line, "bold", sys.stdout) if on_screen else line


def json(settings: dict[str, Any], inputs: list[str], **content: object) -> str:
    """JSON of results with their origin: version, policies, and inputs with their hashes."""
    import json

    document = {
        "untied": __version__,
        "settings": settings,
        "inputs": provenance(inputs),
        **content,
    }
    text = json.dumps(_plain(document), indent=1, ensure_ascii=False, allow_nan=False)
    # What a terminal would take for a command; all of it stands in strings, where it may be escaped.
    return text.translate({code: f"\\u{code:04x}" for code in HARMFUL}) + "\n"


def plugins(paths: Iterable[str]) -> dict[str, Any]:
    """The plugins, for `json`; empty if there are none."""
    origins = provenance(paths)
    return {"plugins": origins} if origins else {}


def _plain(value: Any) -> Any:
    """Return the data with null instead of NaN and infinity, which JSON lacks."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write(content: str | bytes, path: str | None) -> None:
    """Write to standard output, or replace a file as a whole."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    if path is None:
        write_out([data])
    else:
        write_file(data, path)
