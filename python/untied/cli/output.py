"""Writing results: a table for a terminal, TSV, CSV or JSON for everything else."""

from __future__ import annotations

import math
import os
import sys

from untied._core import __version__, show_id
from untied.cli import width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from untied.table import Results, Table

SUFFIXES = {".tsv": "tsv", ".csv": "csv", ".json": "json"}


def choose(style: str, path: str | None) -> str:
    """The format to write, from what was asked for and where it goes."""
    if style != "auto":
        return style
    if path is not None:
        return SUFFIXES.get(os.path.splitext(path)[1].lower(), "tsv")
    return "table" if sys.stdout.isatty() else "tsv"


def text(results: Results, style: str, per_query: bool, digits: int, counts: Collection[str]) -> str:
    """Results as a table, TSV or CSV; `counts` names the measures whose values are whole numbers."""
    table = results.table(per_query=per_query)
    if style == "table":
        return _terminal(table, digits, counts)
    lines = [table.columns, *_formatted(table, digits, counts)]
    if style == "tsv":
        return "".join(["\t".join(line) + "\n" for line in lines])
    import csv
    import io

    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()


def _formatted(table: Table, digits: int, counts: Collection[str]) -> Iterable[tuple[str, ...]]:
    """Rows as text, ids made harmless."""
    numbers = table.columns[3:]
    harmless: dict[str, str] = {}
    for run, query, measure, *values in table.rows():
        for name in (run, query):
            if name not in harmless:
                harmless[name] = show_id(name)
        cells = [
            number(value, 0 if measure in counts and column != "variance" else digits)
            for column, value in zip(numbers, values, strict=True)
        ]
        yield (harmless[run], harmless[query], measure, *cells)


def number(value: float, digits: int) -> str:
    """A number with so many decimals."""
    return f"{value:.{digits}f}"


def _terminal(table: Table, digits: int, counts: Collection[str]) -> str:
    """One line a run and query, one column a measure; one line a measure where that is too wide."""
    rows = list(_formatted(table, digits, counts))
    columns = table.columns
    with_range = "low" in columns
    measures = list(dict.fromkeys(row[2] for row in rows))
    per_query = any(row[1] != "all" for row in rows)
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        named = dict(zip(columns, row, strict=True))
        cell = named["value"]
        if with_range:
            cell += f" [{named['low']}, {named['high']}]"
        if "variance" in columns:
            cell += f" var {named['variance']}"
        cells.setdefault((named["run"], named["query"]), {})[named["measure"]] = cell
    head = ["run", *(["query"] if per_query else []), *measures]
    lines = [[run, *([query] if per_query else []), *values.values()] for (run, query), values in cells.items()]
    if len(_aligned([head, *lines])[0]) > width():
        head, lines = list(columns), [list(row) for row in rows]
        aligned = _aligned([head, *lines], texts=3)
    else:
        aligned = _aligned([head, *lines], texts=2 if per_query else 1, center=with_range)
    title, *body = aligned
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        title = f"\x1b[1m{title}\x1b[0m"
    legend = "value [lowest, highest] over all orders of tied documents\n" if with_range and "low" not in head else ""
    return legend + "".join(f"{line}\n" for line in [title, *body])


def _aligned(lines: Sequence[Sequence[str]], texts: int = 1, center: bool = False) -> list[str]:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]

    def cell(i: int, row: int, text: str) -> str:
        if i < texts:
            return text.ljust(widths[i])
        return text.center(widths[i]) if center and row == 0 else text.rjust(widths[i])

    return ["   ".join(cell(i, row, text) for i, text in enumerate(line)).rstrip() for row, line in enumerate(lines)]


def json(results: Results, per_query: bool, settings: dict[str, str], inputs: list[str], notes: list[str]) -> str:
    """Results with where they come from: version, policies, inputs with their hashes."""
    import json

    def plain(value: object) -> object:
        return None if isinstance(value, float) and not math.isfinite(value) else value

    rows = [{key: plain(value) for key, value in row.items()} for row in results.table(per_query=per_query).to_dicts()]
    document = {
        "untied": __version__,
        "settings": settings,
        "inputs": [{"path": path, "sha256": _digest(path)} for path in inputs],
        "runs": results.facts(),
        "notes": notes,
        "results": rows,
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _digest(path: str) -> str | None:
    """Hash of a file; of what cannot be read twice (standard input, pipes) there is none."""
    if path == "-" or not os.path.isfile(path):
        return None
    import hashlib

    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write(text: str, path: str | None) -> None:
    """Write to standard output, or to a file that is either the old or the whole new one at any moment."""
    data = text.encode("utf-8", "backslashreplace")
    if path is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    import contextlib
    import tempfile

    path = os.path.realpath(path)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".untied-")
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _mode(path: str) -> int:
    """The permissions of the file that is replaced, or those of a new one."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
