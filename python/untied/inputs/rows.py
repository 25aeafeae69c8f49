"""Files that Python reads row by row.

These are tables whose grades are labels, tables whose rows have no ids of queries, and runs that repeat documents.
"""

from __future__ import annotations

import json
from collections import Counter
from math import isfinite
from typing import NamedTuple

from untied._core import Qrels, Run, find_columns, show_id
from untied.errors import UntiedError, either
from untied.inputs.lines import MARK, id_of, lines, number_of, numbered, refused, shown
from untied.inputs.mismatch import listed, warn_or_raise
from untied.inputs.parquet import fields_of_items, of_parquet, with_items
from untied.inputs.tolerance import Repeated, Tolerance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    Held = TypeVar("Held", Run, Qrels)
    #: A row: its number or that of its line, and its cells by the names of columns.
    Row = tuple[int, dict[str, Any]]

#: What the first two columns of judgments hold.
_IDS = ("query", "document")
#: The grade of a document that the machine failed to label, and how much is shown of what stands in place of a label.
UNLABELLED, LONGEST = -1.0, 40
#: What returns the rows of a frame: of pyarrow, and of polars.
_TO_RECORDS = ("to_pylist", "to_dicts")
#: The name of a column that numbers the rows, from 1.
ROW = "#row"


def labelled_qrels(
    path: str, format: str, columns: Mapping[str, str] | None, grades: Mapping[str, float], threads: int | None
) -> Qrels:
    """Return the judgments in a table whose grades are words, such as Exact. `grades` has the grade of each word."""
    names, rows = table_rows(path, format)
    needed = find_columns(names, "trec", columns, path)
    judged: dict[str, dict[str, float]] = {}
    for number, row in rows:
        query, document, label = (row.get(name) for name in needed)
        if isinstance(document, list):
            raise refused(path, number, "one document in a row, if grades are labels", "a list")
        if not isinstance(label, str) or label not in grades:
            raise refused(path, number, f"{either(tuple(grades))} as the grade", shown(label))
        of_query = judged.setdefault(id_in(path, number, query, "query"), {})
        grade = float(grades[label])
        name = id_in(path, number, document, "document")
        if of_query.setdefault(name, grade) != grade:
            raise refused(path, number, "one grade of each document", f"another one of {show_id(name)}")
    return made(path, lambda: Qrels.from_mapping(judged, threads))


def qrels_with_failures(
    path: str, format: str, columns: Mapping[str, str] | None, grades: Mapping[str, float] | None, threads: int | None
) -> Qrels | None:
    """Return a machine's judgments in a table. A document without a grade is unjudged, and a warning counts it.

    Labels are numbers, or keys of `grades`. If not a single one is, the table holds something else, and you get None.
    """
    names, rows = table_rows(path, format)
    needed = find_columns(names, "trec", columns, path)
    if len(needed) < 3:
        return None  # each row lists what is relevant, without labels
    judged: dict[str, dict[str, float]] = {}
    failures: dict[tuple[str, str], str] = {}
    for number, row in rows:
        query, document = (id_in(path, number, row.get(name), what) for name, what in zip(needed, _IDS, strict=False))
        label = row.get(needed[2])
        grade = grade_of(label, grades)
        of_query = judged.setdefault(query, {})
        earlier = of_query.get(document, UNLABELLED)
        if grade is None:
            of_query.setdefault(document, UNLABELLED)
            failures.setdefault((query, document), short_label(label))
        elif earlier in (grade, UNLABELLED):
            of_query[document] = grade
        else:
            raise refused(path, number, "one grade of each document", f"another one of {show_id(document)}")
    # A document whose label failed may have got one at a second try.
    failed = [label for (query, document), label in failures.items() if judged[query][document] == UNLABELLED]
    documents = sum(map(len, judged.values()))
    if len(failed) == documents:
        return None
    _note_failures(path, Counter(failed), documents, sum(max(labels.values()) < 0 for labels in judged.values()))
    return made(path, lambda: Qrels.from_mapping(judged, threads))


def grade_of(label: object, grades: Mapping[str, float] | None = None) -> float | None:
    """Return the grade that a label stands for. It is None if there is none."""
    if grades is not None:
        return float(grades[label]) if isinstance(label, str) and label in grades else None
    try:
        grade = float(label.replace("_", "no digit") if isinstance(label, str) else label)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return grade if isfinite(grade) else None


def short_label(label: object) -> str:
    """Return what a cell has instead of a label, as text for a note."""
    # A missing value of pandas cannot be compared with a text.
    text = "empty" if label is None or (isinstance(label, str) and not label) else shown(label)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _note_failures(path: str, failed: Counter[str], documents: int, queries: int) -> None:
    """Warn of documents without a label, with the texts in place of labels, and of queries without any label."""
    if failed:
        where = f"{failed.total():,} of {documents:,} documents in {show_id(path)}"
        warn_or_raise(f"no label, so the machine did not judge them: {where} ({listed_failures(failed)})")
    note_queries(path, queries)


def listed_failures(failed: Counter[str]) -> str:
    """Return what stands in place of labels, each text with how often it does, as notes list them."""
    return listed([f"{text}: {count:,}" for text, count in failed.most_common()])


def note_queries(path: str, queries: int) -> None:
    """Warn of queries without any label, if there are some."""
    if queries:
        warn_or_raise(f"queries in {show_id(path)} without any label, for which no document is relevant: {queries:,}")


def numbered_qrels(path: str, format: str, columns: Mapping[str, str], threads: int | None) -> Qrels:
    """Return the judgments in a table of lists. Queries are the numbers of their rows."""
    lists: dict[str, dict[str, Any]] = {}
    names, rows = table_rows(path, format)
    needed = find_columns([*names, ROW], "trec", columns, path)
    for place, (number, row) in enumerate(rows, 1):
        try:
            lists[str(place)] = Tolerance().kept(_list(path, number, row, needed, judged=True))
        except Repeated as repeated:
            raise refused(path, number, "every document once", f"{show_id(repeated.args[0])} again") from None
    return made(path, lambda: Qrels.from_mapping(lists, threads))


def run_of_rows(
    path: str, format: str, columns: Mapping[str, str] | None, threads: int | None, tolerance: Tolerance
) -> Run:
    """Return a run from the rows of a table. Queries may be numbers of rows, and documents may occur twice."""
    rows = _lines(path, format) if format in _LINES else _cells(path, *table_rows(path, format, "run"), columns)
    kept = _kept(path, rows, tolerance)
    return made(path, lambda: Run.from_mapping(kept, threads))


def run_of_records(
    source: Any, columns: Mapping[str, str] | None, threads: int | None, tolerance: Tolerance, name: str = "run"
) -> Run:
    """A run in memory, which may have a document several times, and in which the core found nothing else wrong."""
    rows = records(source)
    cells = _cells(name, list(rows[0]), enumerate(rows), columns)
    return Run.from_mapping(_kept(name, cells, tolerance), threads)


def lasting(source: Any) -> Any:
    """A frame or rows that can be read again, unlike a stream or an iterator."""
    if is_frame(source) or isinstance(source, (list, tuple)):
        return source
    if not hasattr(source, "__arrow_c_stream__"):
        return list(source)
    import pyarrow

    return pyarrow.table(source)


def is_frame(source: Any) -> bool:
    """Whether this is a frame of pandas, polars or pyarrow."""
    return any(hasattr(source, method) for method in (*_TO_RECORDS, "to_dict"))


def records(source: Any) -> list[dict[str, Any]]:
    """The rows of a frame of pandas, polars or pyarrow, or those of a list of tuples, by the names of columns."""
    for method in _TO_RECORDS:
        if hasattr(source, method):
            rows: list[dict[str, Any]] = getattr(source, method)()
            return rows
    if hasattr(source, "to_dict"):
        return [{str(name): cell for name, cell in row.items()} for row in source.to_dict("records")]
    names = getattr(source[0], "_fields", ("query", "document", "score"))
    return [dict(zip(names, row, strict=True)) for row in source]


def _kept(source: str, rows: Iterable[tuple[int, str, list[Any]]], tolerance: Tolerance) -> dict[str, Any]:
    """Return the rankings of queries. A query may have several rows."""
    rankings: dict[str, list[Any]] = {}
    at: dict[str, int] = {}
    for number, query, ranked in rows:
        at.setdefault(query, number)
        rankings.setdefault(query, []).extend(ranked)
    kept = {}
    for query, ranked in rankings.items():
        try:
            kept[query] = tolerance.kept(ranked)
        except Repeated as repeated:
            raise refused(source, at[query], "every document once", f"{show_id(repeated.args[0])} again") from None
    return kept


class _Line(NamedTuple):
    """The columns of a format without names: how many, the places of the document and its number, and their sign."""

    columns: int
    shape: str
    document: int
    number: int
    sign: int


_TREC = "6 columns (query Q0 document rank score tag)"
_LINES = {
    "trec": _Line(6, _TREC, 2, 4, 1),
    "trec-ranks": _Line(6, _TREC, 2, 3, -1),
    "msmarco": _Line(3, "3 columns (query document rank)", 1, 2, -1),
}


def _lines(path: str, format: str) -> Iterator[tuple[int, str, list[Any]]]:
    """The number of each line, its query, and its document with its score."""
    columns, shape, document, number, sign = _LINES[format]
    for place, fields in lines(path, shape):
        if len(fields) != columns:
            raise refused(path, place, shape, str(len(fields)))
        yield place, fields[0], [(fields[document], sign * _number(path, place, fields[number]))]


def _cells(
    path: str, names: list[str], rows: Iterable[tuple[int, Mapping[str, Any]]], columns: Mapping[str, str] | None
) -> Iterator[tuple[int, str, list[tuple[str, Any]]]]:
    """The number of each row of a table, its query, and its documents with their scores."""
    needed = find_columns([*names, ROW], "run", columns, path)
    is_numbered, sign = needed[0] == ROW, -1 if needed[2:3] == needed[3:4] != [] else 1
    for place, (number, row) in enumerate(rows, 1):
        if is_numbered or isinstance(row.get(needed[1]), list):
            query = str(place) if is_numbered else id_in(path, number, row.get(needed[0]), "query")
            yield number, query, _list(path, number, row, needed, judged=False)
        else:
            query, document = (
                id_in(path, number, row.get(needed[0]), "query"),
                id_in(path, number, row.get(needed[1]), "document"),
            )
            yield number, query, [(document, sign * _number(path, number, row.get(needed[2])))]


def _number(path: str, number: int, value: object) -> Any:
    """A finite number, or its text."""
    if isinstance(value, str) and value and not value.strip("0123456789+-.eE"):
        try:
            return number_of(value)
        except (ValueError, ArithmeticError):
            pass
    elif hasattr(value, "__float__"):
        return value.item() if hasattr(value, "item") else value
    raise refused(path, number, "a number", shown(value))


def made(path: str, make: Callable[[], Held]) -> Held:
    """Return what a function makes of a file. Errors name the file."""
    try:
        return make()
    except (UntiedError, TypeError) as error:
        raise UntiedError(f"{show_id(path)}: {error}") from None


def _list(
    path: str, number: int, row: Mapping[str, Any], needed: Sequence[str], *, judged: bool
) -> list[tuple[str, Any]]:
    """Return a row's documents with their grades or scores. By default, all are relevant, or best first."""
    documents, *numbers = (row.get(name) for name in needed[1:])
    if not isinstance(documents, list):
        raise refused(path, number, f"a list of documents, as the query is {ROW}", shown(documents))
    ids = [id_in(path, number, document, "document") for document in documents]
    if not numbers:
        return [(document, 1.0 if judged else -float(rank)) for rank, document in enumerate(ids, 1)]
    if not isinstance(numbers[0], list) or len(numbers[0]) != len(ids):
        raise refused(path, number, f"a list of {len(ids)} numbers", shown(numbers[0]))
    return list(zip(ids, numbers[0], strict=True))


def table_rows(path: str, format: str, holds: str = "") -> tuple[list[str], Iterable[Row]]:
    """Return the names of a table's columns, and its rows."""
    if format == "parquet":
        return _parquet(path, holds)
    if format == "jsonl":
        rows = _json_lines(path)
        # An object may lack a name, also the first: a machine that failed gives no grade.
        return list(dict.fromkeys(name for _, row in rows for name in row)), rows
    return _delimited(path, "," if format == "csv" else "\t")


def _parquet(path: str, holds: str) -> tuple[list[str], Iterator[Row]]:
    def read() -> Any:
        from pyarrow import parquet

        table = parquet.read_table(path)
        return with_items(table, fields_of_items(table.schema, holds, path), path)

    table = of_parquet(path, read)
    return table.column_names, enumerate(table.to_pylist())


def _json_lines(path: str) -> list[Row]:
    rows = []
    for number, line in numbered(path):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_float=number_of)
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


def id_in(path: str, number: int, value: object, what: str) -> str:
    """Return the id in a cell."""
    id_ = id_of(value)
    if id_ is None:
        raise refused(path, number, f"a {what}'s id", shown(value))
    return id_
