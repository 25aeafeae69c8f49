"""Features in columns: arrays, frames, parquet files."""

from __future__ import annotations

import os

import numpy

from untied.arrays.inputs import HALVES, as_array, as_ids, as_numbers
from untied.errors import UntiedError
from untied.inputs.convert import is_lazy, read_once
from untied.inputs.parquet import of_parquet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from untied._core import FeatureEvaluation, FeatureEvaluator

    #: Labels, ids of queries, names of the features, and what reads some of these.
    Opened: TypeAlias = tuple[Any, Any, list[str], Callable[[list[str]], Iterable[tuple[str, Any]]]]

LABELS = ("label", "relevance", "rel", "grade", "gain")
QUERIES = ("qid", "query_id", "query-id", "query")
#: Names of columns with ids of documents, which are no features even if they are numbers.
DOCUMENTS = ("docid", "docno", "doc_id", "doc-id", "corpus-id", "corpus_id")

#: Features that are in memory at a time, where data is not.
AT_ONCE = 32


def evaluate_columns(
    evaluator: FeatureEvaluator, data: Any, labels: Any, query_ids: Any, names: Any
) -> tuple[list[str], list[FeatureEvaluation]]:
    """Evaluate the features of an array, a frame or a parquet file, a few at a time; return their names and values."""
    if names is not None and not hasattr(names, "__iter__"):
        raise TypeError(f"names must be names of features, not {names!r}")
    found_labels, found_ids, features, read = _opened(data, labels, query_ids, names)
    grades = as_numbers("labels", found_labels)
    ids = as_ids("query_ids", found_ids)
    if grades[0].ndim != 1 or len(ids) != len(grades[0]):
        raise UntiedError(
            f"labels have shape {grades[0].shape}, query_ids have shape {ids.shape}: expected one of each per document"
        )
    if not features:
        raise UntiedError("data has no feature")
    order, queries = _grouped(ids)
    if order is not None:
        grades = (grades[0][order], grades[1])
    evaluations = []
    for start in range(0, len(features), AT_ONCE):
        columns = []
        for name, column in read(features[start : start + AT_ONCE]):
            values, dtype = as_numbers(name, column)
            columns.append((values if order is None else values[order], dtype, name))
        evaluations.append(evaluator.columns(queries, grades, columns))
    return features, evaluations


def _grouped(ids: Any) -> tuple[Any, list[tuple[Any, int, int]]]:
    """An order that makes the documents of each query consecutive (None if they are), and the queries' ranges."""
    if not len(ids):
        return None, []
    if ids.dtype.kind == "f" or (ids.dtype.kind == "O" and any(one is None or one != one for one in ids)):
        raise UntiedError("query_ids must be texts or integers, and none may be missing")
    order = None
    starts = numpy.flatnonzero(numpy.concatenate(([True], ids[1:] != ids[:-1])))
    if len(starts) > len(numpy.unique(ids[starts])):
        order = numpy.argsort(numpy.unique(ids, return_inverse=True)[1], kind="stable")
        ids = ids[order]
        starts = numpy.flatnonzero(numpy.concatenate(([True], ids[1:] != ids[:-1])))
    ends = [*starts[1:].tolist(), len(ids)]
    return order, list(zip(ids[starts].tolist(), starts.tolist(), ends, strict=True))


def _opened(data: Any, labels: Any, query_ids: Any, names: Any) -> Opened:
    """The data to read, from any source."""
    if is_lazy(data):
        data = data.collect()
    if isinstance(data, (str, os.PathLike)):
        path = os.fspath(data)
        file = of_parquet(path, lambda: _parquet_file(path))

        def read(some: list[str]) -> Iterator[tuple[str, Any]]:
            return _arrow(of_parquet(path, lambda: file.read(some).select(some)))

        return _of_frame(file.schema_arrow.names, read, labels, query_ids, names)
    if hasattr(data, "__arrow_c_stream__"):
        try:
            import pyarrow
        except ImportError:
            if not hasattr(data, "columns"):
                raise
        else:
            try:
                table = data if isinstance(data, pyarrow.Table) else pyarrow.table(data)
            except (ValueError, TypeError, KeyError, pyarrow.ArrowException) as error:
                raise UntiedError(f"data: cannot read this {type(data).__name__} as a table: {error!r}") from error
            read_once(table, data, "data")
            return _of_frame(table.column_names, lambda some: _arrow(table.select(some)), labels, query_ids, names)
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):  # pandas without pyarrow
        return _of_frame(list(data.columns), lambda some: _each(data, some), labels, query_ids, names)
    if hasattr(data, "keys") and hasattr(data, "__getitem__"):
        return _of_frame(list(data.keys()), lambda some: _each(data, some), labels, query_ids, names)
    if labels is None or query_ids is None:
        raise UntiedError("an array needs labels and query_ids")
    return (labels, query_ids, *_of_array(data, names))


def _parquet_file(path: str) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(path, page_checksum_verification=True)


def _each(columns: Any, names: list[str]) -> Iterator[tuple[str, Any]]:
    for name in names:
        column = as_array(name, columns[name])
        if not column.ndim:
            raise TypeError(f"data: expected a list of numbers in column {name!r}, found {columns[name]!r:.60}")
        yield name, column


def _arrow(table: Any) -> Iterator[tuple[str, Any]]:
    """Columns of an Arrow table as arrays; a column of lists has two dimensions."""
    import pyarrow.types

    for name in table.column_names:
        column = table.column(name)
        if column.null_count:
            raise UntiedError(
                f"{name}: expected a value in every row, found {column.null_count:,} missing; fill them, drop the "
                "rows, or write the data as text, where NULL is a missing value"
            )
        kind = column.type
        if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind) or pyarrow.types.is_fixed_size_list(kind):
            flat = column.combine_chunks().flatten()
            rows = len(column)
            if (rows and len(flat) % rows) or len(set(map(len, column))) > 1:
                raise UntiedError(f"{name}: expected lists of one length")
            yield name, _as_floats(name, flat).to_numpy(zero_copy_only=False).reshape(rows, -1)
        else:
            yield name, _as_floats(name, column).to_numpy()


def _as_floats(name: str, column: Any) -> Any:
    """Decimals as floats, none of which become equal; other types as they are."""
    import pyarrow

    if not pyarrow.types.is_decimal(column.type):
        return column
    floats = column.cast(pyarrow.float64())
    if len(floats.unique()) < len(column.unique()):
        raise UntiedError(
            f"{name}: expected numbers that stay different as 64-bit floats, found different ones of type "
            f"{column.type} that become equal: round them first if they are to tie"
        )
    return floats


def _of_frame(
    columns: list[Any], read: Callable[[list[str]], Iterable[tuple[str, Any]]], labels: Any, query_ids: Any, names: Any
) -> Opened:
    """Columns by name."""

    def one(role: str, given: Any, known: tuple[str, ...]) -> tuple[str | None, Any]:
        if given is not None and not isinstance(given, str):
            return None, given
        fitting = [name for name in columns if (name == given if given else str(name).lower() in known)]
        if len(fitting) != 1:
            what = "none" if not fitting else " and ".join(fitting)
            remedy = "" if given else f"; name it, as in {role}={str(columns[0])!r}" if columns else ""
            raise UntiedError(
                f"{role}: expected one column {given or ' or '.join(known)}, found {what}; columns are "
                f"{', '.join(map(str, columns))}{remedy}"
            )
        ((_, column),) = read(fitting)
        return fitting[0], column

    label_name, found_labels = one("labels", labels, LABELS)
    query_name, found_ids = one("query_ids", query_ids, QUERIES)
    if names is None:
        others = (name for name in columns if name not in (label_name, query_name))
        features = [name for name in others if str(name).lower() not in DOCUMENTS]
    else:
        features = list(names)
        for name in features:
            if name not in columns:
                raise UntiedError(f"names: no column {name!r}; columns are {', '.join(map(str, columns))}")
    for name in features:
        if columns.count(name) > 1:
            raise UntiedError(
                f"data: expected columns with different names, found {str(name)!r} {columns.count(name)} times"
            )
    if len(features) == 1:
        ((_, column),) = read(features)
        if column.ndim == 2:
            return (found_labels, found_ids, *_of_array(column, None))
    return found_labels, found_ids, features, read


def _of_array(data: Any, names: Any) -> tuple[list[str], Callable[[list[str]], Iterable[tuple[str, Any]]]]:
    """Columns by number."""
    if hasattr(data, "toarray"):
        raise TypeError(f"data is a sparse matrix ({type(data).__name__}): call its toarray()")
    array, dtype = as_numbers("data", data)
    if array.ndim != 2:
        raise UntiedError(f"data must have two dimensions, documents x features, not {array.ndim}")
    features = [str(number) for number in range(array.shape[1])] if names is None else [str(name) for name in names]
    if len(features) != array.shape[1] or len(set(features)) != len(features):
        raise UntiedError(
            f"names: expected {array.shape[1]} different names, one for each feature, found {len(features)}"
        )
    source = data if dtype in HALVES else array  # whose bits say nothing without the type
    places = {name: place for place, name in enumerate(features)}
    return features, lambda some: ((name, source[:, places[name]]) for name in some)
