"""Cut Arrow batches into checked pieces of whole queries, and read runs and qrels from them."""

from __future__ import annotations

import re
from contextlib import contextmanager
from math import isfinite

import pyarrow
import pyarrow.compute as pc

from untied._core import Qrels, Run
from untied.errors import UntiedError, check_one_of
from untied.inputs.files import DETAILED
from untied.inputs.rows import run_of_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from untied.inputs.tolerance import Tolerance


#: Rows that are put together before they are evaluated: enough to make what is done once for all of them cheap.
ROWS = 1 << 17

#: How the core's errors about a row of a table begin.
ROW = re.compile(r"(\w+), row (\d+): (.*)", re.DOTALL)

#: Columns that qrels have besides grades, by their format.
DETAILS = {"auto": None, "trec": None, **DETAILED}


class Judgments:
    """How qrels are read from a piece."""

    def __init__(self, format: str, grades: Iterable[float]) -> None:
        check_one_of("qrels format", format, DETAILS)
        self.format = "trec" if format == "auto" else format
        self.grades = sorted({float(grade) + 0.0 for grade in grades})
        odd = [grade for grade in self.grades if not isfinite(grade)]
        if odd:
            raise UntiedError(f"expected finite numbers as grades, found {odd[0]}")
        detail = DETAILS[format]
        self.columns = ["grade"] if detail is None else ["grade", detail]

    def sample(self) -> Qrels:
        """Empty qrels with the grades and format of a piece's."""
        judgment = {"trec": {"d": 0}, "subtopics": {"s": {"d": 0}}, "stratified": {"d": (0, 0)}, "prels": {"d": (0, 1)}}
        return Qrels.from_mapping({"q": judgment[self.format]}, None, self.format).among(self.grades)

    def read(self, piece: Any) -> Qrels:
        """The judgments of a piece."""
        judged = _there(piece, "grade", self.columns[1:])
        with _rows_named(judged):
            qrels = Qrels.from_arrow(judged, 1, self.format, _NAMES, piece=True)
        unknown = sorted(set(qrels.grades()) - set(self.grades))
        if unknown:
            raise UntiedError(f"grade {unknown[0]:g} is not in grades: {self.grades}")
        return qrels.among(self.grades)


def whole_queries(batches: Iterable[Any], columns: Sequence[str], sorted_too: bool = False) -> Iterator[Any]:
    """Tables of whole queries, of `ROWS` rows or more, with the named columns and ``query`` as text.

    Checks that the rows of a query are next to each other, unless the caller checks that they are sorted.
    """
    waiting: list[Any] = []
    current: str | None = None
    seen: set[str] = set()
    for batch in batches:
        if not batch.num_rows:
            continue
        chosen = _select(batch, columns)
        encoded = pc.run_end_encode(chosen["query"])
        queries = encoded.values.to_pylist()
        begun = queries[1:] if queries[0] == current else queries
        if not sorted_too:
            for query in begun:
                if query in seen:
                    raise UntiedError(f"the rows of query {query!r} are not next to each other: sort them by query")
                seen.add(query)
        if not begun:
            waiting.append(chosen)
            continue
        cut = encoded.run_ends[-2].as_py() if len(queries) > 1 else 0
        if cut:
            waiting.append(chosen.slice(0, cut))
        if sum(map(len, waiting)) >= ROWS:
            yield pyarrow.Table.from_batches(waiting)
            waiting = []
        waiting.append(chosen.slice(cut))
        current = queries[-1]
    if waiting:
        yield pyarrow.Table.from_batches(waiting)


def _select(batch: Any, columns: Sequence[str]) -> Any:
    """Return the columns that are needed, with queries as text."""
    names = ["query", *columns]
    missing = [name for name in names if name not in batch.schema.names]
    if missing:
        raise UntiedError(f"expected a column {missing[0]!r}, found {', '.join(map(repr, batch.schema.names))}")
    chosen = batch.select(names)
    queries = chosen.column(0)
    kind = queries.type.value_type if pyarrow.types.is_dictionary(queries.type) else queries.type
    if not (_is_text(kind) or pyarrow.types.is_integer(kind)):
        raise UntiedError(f"expected text or whole numbers in column 'query', found {queries.type}")
    if queries.null_count:
        raise UntiedError("column 'query' has a null")
    for number, name in enumerate(names):
        # Views know no filters.
        if name == "query" or pyarrow.types.is_string_view(chosen.schema.types[number]):
            chosen = chosen.set_column(number, name, chosen.column(number).cast(pyarrow.string()))
    return chosen


def _is_text(kind: Any) -> bool:
    tests = (pyarrow.types.is_string, pyarrow.types.is_large_string, pyarrow.types.is_string_view)
    return any(test(kind) for test in tests)


def check_rows(piece: Any, numbers: Sequence[str]) -> None:
    """Check that no document is null, numbers are finite, and each row has at least one."""

    def refuse(wrong: Any, what: str, column: str | None = None) -> None:
        row = pc.index(wrong.combine_chunks(), True).as_py()
        if row >= 0:
            cell = "" if column is None else f", found {piece[column][row].as_py()}"
            document = piece["document"][row].as_py()
            place = f"query {piece['query'][row].as_py()!r}"
            raise UntiedError(f"{place}{'' if document is None else f', document {document!r}'}: {what}{cell}")

    refuse(piece["document"].is_null(), "column 'document' has a null")
    empty = piece[numbers[0]].is_null()
    for column in numbers:
        empty = pc.and_(empty, piece[column].is_null())
        if pyarrow.types.is_floating(piece[column].type):
            odd = pc.invert(pc.is_finite(piece[column])).fill_null(False)
            refuse(odd, f"expected a finite number in column {column!r}", column)
    refuse(empty, f"no value in {', '.join(map(repr, numbers))}")


def _there(piece: Any, column: str, others: Sequence[str] = ()) -> Any:
    """Return the rows in which a column is not null: queries, documents, that column, and others."""
    there = piece.select(["query", "document", column, *others])
    return there.filter(there[column].is_valid()) if there[column].null_count else there


def equals(column: Any, text: str) -> Any:
    """Where a column equals a text."""
    return pc.equal(column, text).fill_null(False)


def equals_or_null(column: Any, text: str) -> Any:
    """Where a column equals a text or is null."""
    return pc.equal(column, text).fill_null(True)


def count_true(flags: Any) -> int:
    """Number of flags that are set."""
    return int(pc.sum(flags).as_py() or 0)


class _Stream:
    """An object with Arrow's stream interface, made from a capsule."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._capsule


def reader_of(capsule: object) -> Any:
    """A reader of the batches in a capsule."""
    return pyarrow.RecordBatchReader.from_stream(_Stream(capsule))


#: Names of columns, as they are read from a piece.
_NAMES = {"query": "query", "document": "document"}


def run_of(piece: Any, column: str, tolerance: Tolerance | None = None) -> Run:
    """The rows of a piece that have a score, as a run."""
    retrieved, columns = _there(piece, column), {**_NAMES, "score": column}
    try:
        with _rows_named(retrieved):
            return Run.from_arrow(retrieved, 1, columns, piece=True)
    except UntiedError as error:
        if tolerance is None or not tolerance.tolerates(error):
            raise
    return run_of_records(retrieved, columns, 1, tolerance)


def repeats_of(piece: Any, column: str) -> dict[str, int]:
    """For each query of a piece, how many of its rows with a score repeat a document."""
    counts = _there(piece, column).group_by("query")
    counted = counts.aggregate([("document", "count"), ("document", "count_distinct")])
    rows, different = counted["document_count"], counted["document_count_distinct"]
    return dict(zip(counted["query"].to_pylist(), pc.subtract(rows, different).to_pylist(), strict=True))


def with_counts(rows: Any, name: str, counts: Mapping[str, int]) -> Any:
    """Return a table or a batch with one more column, which has a count for the query of each row."""
    cells = [counts.get(query, 0) for query in rows["query"].to_pylist()]
    return rows.append_column(name, pyarrow.array(cells, pyarrow.int64()))


@contextmanager
def _rows_named(rows: Any) -> Iterator[None]:
    """Name the query and the document in errors about a row: its number in a piece says nothing about the table."""
    try:
        yield
    except UntiedError as error:
        match = ROW.match(str(error))
        if match is None:
            raise
        table, row, problem = match.groups()
        query, document = (rows[name][int(row)].as_py() for name in ("query", "document"))
        raise UntiedError(f"{table}, query {query!r}, document {document!r}: {problem}") from None
