"""The report of ``untied compare`` for a terminal, or in Markdown."""

from __future__ import annotations

from untied._core import show_id
from untied.cli import width
from untied.cli.output import aligned, bold, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from untied.compare import Comparison
    from untied.table import Table

#: Changes in the order in which they are told.
CHANGES = ("entered", "left", "rose", "fell")
#: Documents named for each.
NAMED = 10


def of_two(found: Comparison, per_query: bool, top: int, digits: int, style: str, on_screen: bool) -> str:
    """Tell how values spread over queries, and what moved in those that changed most."""
    old, new = map(show_id, found.runs)
    queries = len(found.queries)
    parts = [
        _title(f"{old} to {new}: {queries} {'queries' if queries > 1 else 'query'}", style, on_screen),
        _distribution(found, digits, style, on_screen),
    ]
    rows = _by_query(found, digits)
    head = ["query", *found.measures]
    if per_query:
        parts.append(_table(head, [[show_id(query), *cells] for query, cells in rows.items()], style, on_screen))
    changed = found.most_changed(top)
    parts.append(_title(f"changed most by {found.measures[0]}", style, on_screen))
    shown = [[show_id(query), *rows[query]] for query in changed]
    moved = [_moved(found.moved(query)) for query in changed]
    parts.append(_told(head, shown, moved, style, on_screen))
    return "\n".join(parts)


def of_many(pairs: list[Comparison], per_query: bool, digits: int, style: str, on_screen: bool) -> str:
    """One line for each two runs, and with their queries one for each of these."""
    head = ["run a", "run b", *(["query"] if per_query else []), *pairs[0].measures]
    rows = []
    for pair in pairs:
        names = list(map(show_id, pair.runs))
        if per_query:
            rows += [[*names, show_id(query), *cells] for query, cells in _by_query(pair, digits).items()]
        rows.append([*names, *(["all"] if per_query else []), *(_value(row, digits) for row in pair.means.to_dicts())])
    return _table(head, rows, style, on_screen, texts=3 if per_query else 2)


def _table(head: list[str], rows: list[list[str]], style: str, on_screen: bool, texts: int = 1) -> str:
    title, body = lines(head, rows, style, texts).split("\n", 1)
    return bold(title, on_screen and style == "table") + "\n" + body


def _title(text: str, style: str, on_screen: bool) -> str:
    return f"## {text}\n" if style == "md" else bold(text, on_screen) + "\n"


def _value(row: dict[str, Any], digits: int) -> str:
    """A value, with lowest and highest where these differ."""
    value, low, high = (row[name] for name in ("value", "low", "high"))
    text = f"{value:.{digits}f}"
    ends = [text if end is None else f"{end:.{digits}f}" for end in (low, high)]
    return text if ends == [text, text] else f"{text} [{', '.join(ends)}]"


def _by_query(found: Comparison, digits: int) -> dict[str, list[str]]:
    cells: dict[str, list[str]] = {}
    for row in found.per_query.to_dicts():
        cells.setdefault(row["query"], []).append(_value(row, digits))
    return cells


def _distribution(found: Comparison, digits: int, style: str, on_screen: bool) -> str:
    """One line for each measure; one column where that is too wide."""
    spread = found.distribution
    rows = [[str(name), *(f"{value:.{digits}f}" for value in values)] for name, *values in spread.rows()]
    for row, mean in zip(rows, found.means.to_dicts(), strict=True):
        row[1] = _value(mean, digits)
    head = ["", *spread.columns[1:]]
    if on_screen and style == "table" and len(aligned([head, *rows], texts=1)[0]) > width():
        head, *rows = map(list, zip(head, *rows, strict=True))
    return _table(head, rows, style, on_screen)


def _moved(documents: Table) -> dict[str, list[str]]:
    """By change what to tell of its documents, the top of the second ranking first, where they are there."""
    told: dict[str, list[tuple[float, str]]] = {change: [] for change in CHANGES}
    for row in documents.to_dicts():
        if row["change"] != "stayed":
            here = row["rank_a"] if row["change"] == "left" else row["rank_b"]
            told[row["change"]].append((here, _document(row)))
    listed = {}
    for change, entries in told.items():
        entries.sort(key=lambda entry: entry[0])
        listed[change] = [text for _, text in entries[:NAMED]]
        if len(entries) > NAMED:
            listed[change].append(f"and {len(entries) - NAMED} more")
    return {change: entries for change, entries in listed.items() if entries}


def _document(row: dict[str, Any]) -> str:
    before, after = _rank(row, "a"), _rank(row, "b")
    way = f"new at {after}" if before is None else f"{before}, gone" if after is None else f"{before} to {after}"
    grade = "" if row["grade"] is None else f", grade {row['grade']:g}"
    return f"{show_id(row['document'])} ({way}{grade})"


def _rank(row: dict[str, Any], side: str) -> str | None:
    """A rank, or those that tied documents share."""
    first, tied = row[f"rank_{side}"], row[f"tied_{side}"]
    if first is None:
        return None
    return f"{first:.0f}" if tied == 1 else f"{first:.0f}-{first + tied - 1:.0f}"


def _told(
    head: list[str], rows: list[list[str]], moved: list[dict[str, list[str]]], style: str, on_screen: bool
) -> str:
    """Queries with their values, each followed by what moved."""
    if style == "md":
        items = []
        for row, changes in zip(rows, moved, strict=True):
            values = ", ".join(f"{name} {cell}" for name, cell in zip(head[1:], row[1:], strict=True))
            items.append(f"* **{row[0]}**: {values}\n")
            items += [f"  * {change}: {', '.join(entries)}\n" for change, entries in changes.items()]
        return "".join(items)
    title, *body = aligned([head, *rows], texts=1)
    told = [bold(title, on_screen)]
    most = min(width(), 120) if on_screen else 120
    for line, changes in zip(body, moved, strict=True):
        told.append(bold(line, on_screen))
        for change, entries in changes.items():
            told += _filled(f"  {change:<9}", entries, most)
    return "".join(f"{line}\n" for line in told)


def _filled(label: str, entries: Sequence[str], most: int) -> Iterable[str]:
    """Entries in lines of at most so many characters, none of them broken."""
    line, empty = label, True
    for number, entry in enumerate(entries, 1):
        text = entry + ("," if number < len(entries) else "")
        if not empty and len(line) + 1 + len(text) > most:
            yield line
            line, empty = " " * len(label), True
        line += ("" if empty else " ") + text
        empty = False
    yield line
