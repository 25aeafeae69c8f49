"""Writing results: a table for a terminal, TSV, CSV, JSON or Markdown for everything else."""

from __future__ import annotations

import math
import os
import sys

from untied._core import __version__, show_id
from untied.cli import paint
from untied.cli.options import FORMATS, SUFFIXES, WrongUsage
from untied.inputs.provenance import provenance
from untied.results.text import aligned as aligned
from untied.results.text import lines as lines
from untied.results.writing import check_target as check_target
from untied.results.writing import write_file, write_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

#: Controls beyond those that JSON escapes; ends of lines; characters that turn the direction of text.
HARMFUL = (*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))


def choose(style: str, path: str | None, formats: Collection[str] = FORMATS) -> str:
    """The format to write, from what was asked for and where it goes."""
    if style != "auto":
        return style
    if path is not None:
        known = {suffix: style for suffix, style in SUFFIXES.items() if style in formats}
        return by_suffix(path, known, "tsv", remedy="; --format writes to any name")
    return "table" if sys.stdout is not None and sys.stdout.isatty() else "tsv"


def by_suffix(path: str, known: Mapping[str, str], otherwise: str, *, option: str = "-o", remedy: str = "") -> str:
    """The format that the suffix of an output file tells, if it is a known one; another where it has none."""
    suffix = os.path.splitext(path)[1]
    if suffix and suffix.lower() not in known:
        *others, last = known
        expected = f"{', '.join(others)} or {last}"
        raise WrongUsage(f"{option} {show_id(path)}: expected a suffix of {expected}, found {show_id(suffix)}{remedy}")
    return known[suffix.lower()] if suffix else otherwise


def bold(line: str, on_screen: bool) -> str:
    """The line in bold face, where a terminal shows it and nobody objects."""
    return paint(line, "bold", sys.stdout) if on_screen else line


def json(settings: dict[str, Any], inputs: list[str], **content: object) -> str:
    """Content with where it comes from: version, policies, inputs with their hashes."""
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
    """What defines measures, for `json`; nothing where there is none."""
    found = provenance(paths)
    return {"plugins": found} if found else {}


def _plain(value: Any) -> Any:
    """The same with null for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write(content: str | bytes, path: str | None) -> None:
    """Write to standard output, or to a file that is either the old or the whole new one at any moment."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    if path is None:
        write_out([data])
    else:
        write_file(data, path)
