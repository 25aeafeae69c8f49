"""Writing results: a table for a terminal, TSV, CSV, JSON or Markdown for everything else."""

from __future__ import annotations

import math
import os
import sys

from untied._core import __version__, show_id
from untied.cli import width
from untied.cli.options import FORMATS
from untied.errors import UntiedError
from untied.inputs.provenance import provenance
from untied.results.text import aligned as aligned
from untied.results.text import lines as lines
from untied.results.writing import check_target as check_target
from untied.results.writing import write_file, write_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from untied.results.evaluation import Results
    from untied.results.table import Table

#: Controls beyond those that JSON escapes; ends of lines; characters that turn the direction of text.
HARMFUL = (*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))

SUFFIXES = {".tsv": "tsv", ".csv": "csv", ".json": "json", ".md": "md", ".tex": "latex"}


def choose(style: str, path: str | None, formats: Collection[str] = FORMATS) -> str:
    """The format to write, from what was asked for and where it goes."""
    if style != "auto":
        return style
    if path is not None:
        known = {suffix: style for suffix, style in SUFFIXES.items() if style in formats}
        return by_suffix(path, known, "tsv", remedy="; --format takes any")
    return "table" if sys.stdout is not None and sys.stdout.isatty() else "tsv"


def by_suffix(path: str, known: Mapping[str, str], otherwise: str, *, option: str = "-o", remedy: str = "") -> str:
    """The format that the suffix of an output file tells, if it is a known one; another where it has none."""
    suffix = os.path.splitext(path)[1]
    if suffix and suffix.lower() not in known:
        *others, last = known
        expected = f"{', '.join(others)} or {last}"
        raise UntiedError(f"{option} {show_id(path)}: expected a suffix of {expected}, found {show_id(suffix)}{remedy}")
    return known[suffix.lower()] if suffix else otherwise


def text(
    results: Results,
    style: str,
    per_query: bool,
    digits: int,
    counts: Collection[str],
    spread_over: str,
    on_screen: bool = False,
) -> str:
    """Results as a table, TSV, CSV or Markdown; `counts` names the measures whose values are whole numbers."""
    table = results.table(per_query=per_query)
    if style == "table":
        return _aligned_table(table, len(results.measures), digits, counts, spread_over, on_screen)
    return lines(table.columns, _formatted(table, digits, counts), style, texts=3)


def _formatted(table: Table, digits: int, counts: Collection[str]) -> Iterable[tuple[str, ...]]:
    """Rows as text, ids made harmless."""
    numbers = table.columns[3:]
    harmless: dict[str, str] = {}
    for run, query, measure, *values in table.rows():
        for name in (run, query):
            if name not in harmless:
                harmless[name] = show_id(name)
        cells = [
            number(value, column, 0 if measure in counts else digits)
            for column, value in zip(numbers, values, strict=True)
        ]
        yield (harmless[run], harmless[query], measure, *cells)


def number(value: float | None, column: str, digits: int) -> str:
    """A number with so many decimals; a variance, which is small, with so many digits that count."""
    if value is None:
        return ""  # not known
    return f"{value:.{digits}g}" if column == "variance" else f"{value:.{digits}f}"


def _aligned_table(
    table: Table, measures: int, digits: int, counts: Collection[str], spread_over: str, on_screen: bool
) -> str:
    """One line a run and query, one column a measure; one line a measure where that is too wide."""
    rows = list(_formatted(table, digits, counts))
    columns = table.columns
    with_range = "low" in columns
    lines = []
    for start in range(0, len(rows), measures):
        line = list(rows[start][:2])
        for row in rows[start : start + measures]:
            named = dict(zip(columns, row, strict=True))
            spread = f" [{named['low']}, {named['high']}]" if with_range else ""
            variance = f" var {named['variance'] or '?'}" if "variance" in columns else ""
            line.append(named["value"] + spread + variance)
        lines.append(line)
    head = ["run", "query", *(row[2] for row in rows[:measures])]
    texts = 2
    if len(lines) == len({line[0] for line in lines}):
        # Aggregates only: nothing to tell queries apart by.
        head, lines, texts = [head[0], *head[2:]], [[line[0], *line[2:]] for line in lines], 1
    shown = aligned([head, *lines], texts, with_range)
    legend = f"value [lowest, highest] over {spread_over}\n" if with_range else ""
    if on_screen and max(map(len, shown)) > width():
        shown, legend = aligned([columns, *rows], texts=3), ""
    title, *body = shown
    return legend + "".join(f"{line}\n" for line in [bold(title, on_screen), *body])


def bold(line: str, on_screen: bool) -> str:
    """The line in bold face, where a terminal shows it and nobody objects."""
    return f"\x1b[1m{line}\x1b[0m" if on_screen and sys.stdout.isatty() and "NO_COLOR" not in os.environ else line


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
