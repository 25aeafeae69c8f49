"""Tables of queries, in which columns say more about each query: its market, its traffic, its session."""

from __future__ import annotations

import os
from math import isfinite

from untied._core import find_columns, show_id
from untied.errors import UntiedError, either
from untied.inputs.convert import is_lazy, is_table
from untied.inputs.files import NAMED, by_suffix, json_object, refuse_folder
from untied.inputs.lines import id_of, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from untied.inputs.convert import ArrowTable

    #: A file's path, a frame, or the cells of each query by the names of columns.
    QueryTableLike: TypeAlias = str | os.PathLike[str] | ArrowTable | Mapping[str, Mapping[str, Any]]

#: What begins a pattern that finds a segment in a query's id, instead of a column.
PATTERN = "re:"
#: The smallest and the largest weight, so that sums of squares neither overflow nor vanish.
WEIGHTS = (1e-100, 1e100)


class QueryTable:
    """The cells of each query by the names of columns.

    Parameters
    ----------
    given : path, frame, or {query: {column: value}}
        The table. A query may have several rows, as in a table of judgments, if a column that is asked for has the same
        value in all of them.
    """

    def __init__(self, given: QueryTableLike) -> None:
        self.source, self.names, rows = _read(given)
        self._rows = list(rows)

    def cells(self, column: str, queries: Iterable[str]) -> dict[str, Any]:
        """Return the value of a column for each of the queries. A query with no value or with two is an error."""
        name = self._name_of(column)
        cells: dict[str, Any] = {}
        for query, row in self._rows:
            cell = _plain(row.get(name))
            if _is_several(cell):
                raise UntiedError(
                    f"{self.source}: expected one {column} for query {show_id(query)}, found {type(cell).__name__}"
                )
            if query in cells and cells[query] != cell:
                both = f"{shown(cells[query])} and {shown(cell)}"
                raise UntiedError(f"{self.source}: query {show_id(query)} has two values of {column}: {both}")
            cells[query] = cell
        for query in queries:
            if query not in cells:
                raise UntiedError(f"{self.source}: no row for query {show_id(query)}, which was evaluated")
            if cells[query] is None:
                raise UntiedError(f"{self.source}: query {show_id(query)} has no value of {column}")
        return cells

    def _name_of(self, column: str) -> str:
        """The name of a column as the table has it; as elsewhere, case does not matter, and blanks count as _."""
        if column in self.names:
            return column
        alike = [name for name in self.names if _spelling(name) == _spelling(column)]
        if len(alike) == 1:
            return alike[0]
        raise UntiedError(f"{self.source}: no column {show_id(column)}; there are {_listed(self.names)}")

    def unused(self, queries: Iterable[str]) -> int:
        """Count the queries of the table that are not among these."""
        return len({query for query, _ in self._rows}.difference(queries))


def segments_of(table: QueryTable | None, by: str, queries: Sequence[str]) -> dict[str, str]:
    """Return the segment of each query: a value in a column, or what a pattern ``re:...`` finds in its id."""
    if by.startswith(PATTERN):
        return _by_pattern(by.removeprefix(PATTERN), queries)
    cells = _needed(table, by).cells(by, queries)
    return {query: _name(cells[query]) for query in queries}


def weights_of(table: QueryTable | None, column: str, queries: Sequence[str]) -> dict[str, float]:
    """Return the weight of each query, which must be a finite number above 0."""
    used = _needed(table, column)
    cells = used.cells(column, queries)
    return {query: _weight(cells[query], f"{used.source}: query {show_id(query)}", column) for query in queries}


def _needed(table: QueryTable | None, column: str) -> QueryTable:
    if table is None:
        raise UntiedError(
            f"{show_id(column)} is a column of a table of queries: give one with --query-table (query_table=), "
            "or re: and a pattern that finds the segment in a query's id"
        )
    return table


def _spelling(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_")


def _weight(cell: Any, where: str, column: str) -> float:
    text = str(cell)
    try:
        weight = float("x" if isinstance(cell, bool) or "_" in text else text)
    except ValueError:
        weight = float("nan")
    if not isfinite(weight):
        raise UntiedError(f"{where} has the {column} {shown(cell)}, which is not a finite number")
    if weight < 0:
        raise UntiedError(f"{where} has the negative {column} {shown(cell)}; a weight must be above 0")
    if not weight:
        raise UntiedError(
            f"{where} has the {column} 0 and would count for nothing; leave it out of the judgments, or give it a "
            "weight above 0"
        )
    least, most = WEIGHTS
    if not least <= weight <= most:
        raise UntiedError(f"{where} has the {column} {shown(cell)}; a weight must be from {least:g} to {most:g}")
    return weight


def _by_pattern(pattern: str, queries: Sequence[str]) -> dict[str, str]:
    from untied.inputs.collapse import by_pattern

    find = by_pattern(pattern, "segment")
    segments = {query: find(query) for query in queries}
    for query, segment in segments.items():
        if segment is None or not segment.strip():
            raise UntiedError(
                f"the pattern {pattern} finds no segment in query {show_id(query)}: it must match the whole id, with "
                "the segment as its first group"
            )
    return {query: str(segment) for query, segment in segments.items()}


def _plain(cell: Any) -> Any:
    """A cell as Python has it, with bytes as text; None if it is blank or, as NaN and NaT are, not equal to itself."""
    if isinstance(cell, bytes):
        cell = cell.decode("utf-8", "surrogateescape")
    if _is_several(cell):
        return cell
    cell = cell.item() if hasattr(cell, "item") else cell  # a number or truth value of numpy
    is_blank = isinstance(cell, str) and not cell.strip()
    return None if cell is None or is_blank or cell != cell else cell


def _is_several(cell: Any) -> bool:
    """Whether a cell is a list, an array or an object, but no text."""
    return hasattr(cell, "__len__") and not isinstance(cell, (str, bytes))


def _name(cell: Any) -> str:
    """The name of a segment: a text, or a number or truth value as text."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))  # as pandas holds whole numbers in a column with gaps
    return str(cell)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(show_id, names)) or "none"


def _read(given: QueryTableLike) -> tuple[str, list[str], Iterator[tuple[str, Mapping[str, Any]]]]:
    """Return what errors call the table, the names of its columns, and queries with their rows."""
    if isinstance(given, (str, os.PathLike)):
        return _read_file(os.fspath(given))
    source = "the table of queries"
    if is_table(given) or hasattr(given, "to_dict"):
        from untied.inputs.rows import lasting, records

        frame: Any = given
        rows = records(lasting(frame.collect() if is_lazy(frame) else frame))
        names = list(dict.fromkeys(str(name) for row in rows for name in row))
        return source, names, _with_queries(source, names, enumerate(rows))
    if not hasattr(given, "items"):
        kind = type(given).__name__
        raise TypeError(f"{source}: expected a path, a frame or {{query: {{column: value}}}}, not {kind}")
    return (source, *_of_mapping(source, given))


def _read_file(path: str) -> tuple[str, list[str], Iterator[tuple[str, Mapping[str, Any]]]]:
    refuse_folder(path, "queries")
    source, format = show_id(path), by_suffix(path)
    if format == "json":
        return (source, *_of_mapping(source, json_object(path)))
    if format not in NAMED:
        raise UntiedError(
            f"{source}: a table of queries needs named columns: {either((*NAMED, 'json'))}, by its suffix"
        )
    from untied.inputs.rows import table_rows

    names, rows = table_rows(path, format)
    rows = list(rows)
    names = list(dict.fromkeys([*names, *(name for _, row in rows for name in row)]))
    if not rows:
        raise UntiedError(f"{source}: expected queries, found none")
    return source, names, _with_queries(source, names, rows)


def _of_mapping(source: str, content: Any) -> tuple[list[str], Iterator[tuple[str, Mapping[str, Any]]]]:
    """The columns and rows of ``{query: {column: value}}``, or of a query set of OpenSearch's workbench."""
    if "querySetQueries" in content:
        rows = [entry | (entry.get("customFields") or {}) for entry in content["querySetQueries"]]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return names, _with_queries(source, names, enumerate(rows), "queryText")
    for query, row in content.items():
        if not hasattr(row, "items"):
            raise UntiedError(
                f"{source}: expected {{query: {{column: value}}}}, found {shown(row)} for {show_id(query)}"
            )
    names = list(dict.fromkeys(str(name) for row in content.values() for name in row))
    return names, ((str(query), {str(name): cell for name, cell in row.items()}) for query, row in content.items())


def _with_queries(
    source: str, names: Sequence[str], rows: Iterable[tuple[int, Mapping[str, Any]]], column: str | None = None
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Rows with their queries."""
    name = find_columns(list(names), "queries", None, source)[0] if column is None else column

    def queries() -> Iterator[tuple[str, Mapping[str, Any]]]:
        for number, row in rows:
            cell = _plain(row.get(name))
            query = id_of(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)
            if query is None:
                raise UntiedError(f"{source}: expected the id of a query in row {number}, found {shown(cell)}")
            yield query, row

    return queries()
