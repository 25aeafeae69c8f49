"""Tables that Python reads row by row: those whose grades are labels, and those whose rows have no ids of queries."""

from __future__ import annotations

import json

from untied._core import Qrels, Run, find_columns, show_id
from untied.errors import UntiedError, either
from untied.inputs.lines import MARK, id_of, numbered, refused, shown
from untied.inputs.parquet import of_parquet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, TypeVar

    Held = TypeVar("Held", Run, Qrels)
    #: A row: its number or that of its line, and its cells by the names of columns.
    Row = tuple[int, dict[str, Any]]

#: The name of a column that numbers the rows, from 1.
ROW = "#row"


def labelled_qrels(
    path: str, format: str, columns: Mapping[str, str] | None, grades: Mapping[str, float], threads: int | None
) -> Qrels:
    """Judgments in a table whose grades are labels, such as Exact; `grades` has the grade of each."""
    names, rows = table_rows(path, format)
    needed = find_columns(names, "trec", columns, path)
    judged: dict[str, dict[str, float]] = {}
    for number, row in rows:
        query, document, label = (row.get(name) for name in needed)
        if isinstance(document, list):
            raise refused(path, number, "one document in a row, if grades are labels", "a list")
        if not isinstance(label, str) or label not in grades:
            raise refused(path, number, f"{either(tuple(grades))} as the grade", shown(label))
        of_query = judged.setdefault(_id(path, number, query, "query"), {})
        grade = float(grades[label])
        name = _id(path, number, document, "document")
        if of_query.setdefault(name, grade) != grade:
            raise refused(path, number, "one grade of each document", f"another one of {show_id(name)}")
    return _made(path, lambda: Qrels.from_mapping(judged, threads))


def numbered_qrels(path: str, format: str, columns: Mapping[str, str], threads: int | None) -> Qrels:
    """Judgments in a table of lists, whose queries are the numbers of their rows."""
    lists = {
        number: dict.fromkeys(documents, 1.0) if grades is None else dict(zip(documents, grades, strict=True))
        for number, documents, grades in _lists(path, format, columns, "trec")
    }
    return _made(path, lambda: Qrels.from_mapping(lists, threads))


def numbered_run(path: str, format: str, columns: Mapping[str, str], threads: int | None) -> Run:
    """A run in a table of lists, likewise."""
    lists = {
        number: dict(zip(documents, scores or [-float(rank) for rank in range(1, len(documents) + 1)], strict=True))
        for number, documents, scores in _lists(path, format, columns, "run")
    }
    return _made(path, lambda: Run.from_mapping(lists, threads))


def _made(path: str, make: Callable[[], Held]) -> Held:
    """What is made of a file; errors name it."""
    try:
        return make()
    except (UntiedError, TypeError) as error:
        raise UntiedError(f"{show_id(path)}: {error}") from None


def _lists(
    path: str, format: str, columns: Mapping[str, str], holds: str
) -> Iterator[tuple[str, list[str], list[Any] | None]]:
    """The number of each row, its list of documents, and that of their numbers if there is one."""
    names, rows = table_rows(path, format)
    needed = find_columns([*names, ROW], holds, columns, path)
    for place, (number, row) in enumerate(rows, 1):
        documents, *numbers = (row.get(name) for name in needed[1:])
        if not isinstance(documents, list):
            raise refused(path, number, f"a list of documents, as the query is {ROW}", shown(documents))
        ids = [_id(path, number, document, "document") for document in documents]
        for position, document in enumerate(ids):
            if document in ids[:position]:
                raise refused(path, number, "every document once", f"{show_id(document)} again")
        if numbers and (not isinstance(numbers[0], list) or len(numbers[0]) != len(ids)):
            raise refused(path, number, f"a list of {len(ids)} numbers", shown(numbers[0]))
        yield str(place), ids, numbers[0] if numbers else None


def table_rows(path: str, format: str) -> tuple[list[str], Iterable[Row]]:
    """The names of a table's columns, and its rows."""
    if format == "parquet":
        return _parquet(path)
    if format == "jsonl":
        rows = _json_lines(path)
        return (list(rows[0][1]) if rows else []), rows
    return _delimited(path, "," if format == "csv" else "\t")


def _parquet(path: str) -> tuple[list[str], Iterator[Row]]:
    def read() -> Any:
        from pyarrow import parquet

        return parquet.read_table(path)

    table = of_parquet(path, read)
    return table.column_names, enumerate(table.to_pylist())


def _json_lines(path: str) -> list[Row]:
    rows = []
    for number, line in numbered(path):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise refused(path, number, "a JSON object on a line", shown(line.decode("utf-8", "replace")))
        rows.append((number, row))
    return rows


def _delimited(path: str, mark: str) -> tuple[list[str], Iterator[Row]]:
    import csv
    import io

    text = b"\n".join(line for _, line in numbered(path)).removeprefix(MARK).decode("utf-8", "surrogateescape")
    # Unlike `str.splitlines`, this ends no line at characters such as U+2028, which a field may hold.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)

    def rows(names: list[str]) -> Iterator[Row]:
        try:
            for row in reader:
                if row and len(row) != len(names):
                    raise refused(path, reader.line_num, f"{len(names)} fields", str(len(row)))
                if row:
                    yield reader.line_num, dict(zip(names, row, strict=True))
        except csv.Error as error:
            raise refused(path, reader.line_num, "a table", str(error)) from None

    names = next(reader, [])
    return names, rows(names)


def _id(path: str, number: int, value: object, what: str) -> str:
    id_ = id_of(value)
    if id_ is None:
        raise refused(path, number, f"a {what}'s id", shown(value))
    return id_
