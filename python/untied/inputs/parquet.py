"""Parquet files, as pyarrow reads them."""

from __future__ import annotations

import os

from untied._core import find_columns, show_id
from untied.errors import InputError, UntiedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    Read = TypeVar("Read")

#: Encodings of a parquet column that pyarrow can turn into a dictionary.
_DICTIONARIES = {"PLAIN", "PLAIN_DICTIONARY", "RLE", "RLE_DICTIONARY", "BIT_PACKED"}

#: The column of LensKit's native layout, which has lists of records, and the columns of lists that its fields become.
_ITEMS = "items"
_FIELDS = {
    "run": {"retrieved": "item_id", "scores": "score"},
    "trec": {"relevant": "item_id", "grades": "rating"},
}

#: Bytes of a column of a parquet file that are read at a time.
_BUFFER = 1 << 18


def of_parquet(path: str, read: Callable[[], Read]) -> Read:
    """Call a function that reads a parquet file; errors name the file."""
    try:
        from pyarrow import ArrowException
    except ImportError:
        raise UntiedError(f"{path}: Parquet files need pyarrow: pip install pyarrow") from None
    _check_parquet(path)
    try:
        return read()
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        if getattr(error, "errno", None) is not None:
            raise  # it cannot be opened
        raise UntiedError(f"{path}: {' '.join(str(error).split())}") from None


def _check_parquet(path: str) -> None:
    """Refuse what a parquet file cannot be read from, because its reader begins at the end."""
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        what = "standard input" if path == "-" else "a pipe"
        raise UntiedError(
            f"{show_id(path)}: parquet cannot be read from {what}: write it to a file that ends in .parquet"
        )


def parquet_batches(path: str, holds: str, columns: Mapping[str, str] | None) -> Any:
    """Return a reader of batches with the needed columns of a Parquet file."""
    return of_parquet(path, lambda: _parquet_batches(path, holds, columns))


def _parquet_batches(path: str, holds: str, columns: Mapping[str, str] | None) -> Any:
    from pyarrow import RecordBatchReader, parquet

    metadata = parquet.read_metadata(path)
    schema = metadata.schema.to_arrow_schema()
    fields = fields_of_items(schema, holds, path)
    needed = find_columns([*schema.names, *fields], holds, columns, path)
    # Queries come as dictionaries: a run has few of them, and neighbours are compared by number. Without a buffer, or
    # with one made before, all columns of a row group would be in memory.
    query = needed[:1] if _is_dictionary(metadata, needed[0]) else None
    file = parquet.ParquetFile(
        path, read_dictionary=query, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True
    )
    if not metadata.num_rows:
        raise InputError(f"{show_id(path)}: expected records, found none", path, None, "records", "none")
    names = list(dict.fromkeys(needed))
    schema = with_items(file.schema_arrow.empty_table(), fields, path).select(names).schema
    stored = list(dict.fromkeys(_ITEMS if name in fields else name for name in names))
    # Almost all of the work is to decode the documents' ids: more threads would cost more than they save.
    batches = file.iter_batches(1 << 16, columns=stored, use_threads=False)
    # Names that contain a point also stand for parts of nested columns.
    return RecordBatchReader.from_batches(schema, (with_items(batch, fields, path).select(names) for batch in batches))


def fields_of_items(schema: Any, holds: str, path: str) -> dict[str, str]:
    """Return the columns of lists that LensKit's lists of items stand for, with the fields of items that they hold.

    There are none if the table has another layout.
    """
    from pyarrow import types

    kind = schema.field(_ITEMS).type if _ITEMS in schema.names else None
    if kind is None or not types.is_list(kind) or not types.is_struct(kind.value_type):
        return {}
    known = {field.name for field in kind.value_type}
    if holds == "run" and "item_id" in known and known.isdisjoint({"score", "rank"}):
        raise UntiedError(f"{show_id(path)}: the items have neither a score nor a rank, so their order is no ranking")
    return {name: field for name, field in _FIELDS.get(holds, {}).items() if field in known}


def with_items(table: Any, fields: Mapping[str, str], path: str) -> Any:
    """Return a table or a batch with further columns, which have the fields of the items in each list."""
    from pyarrow import ListArray, compute

    if not fields:
        return table
    items = table.column(_ITEMS)
    items = items.combine_chunks() if hasattr(items, "chunks") else items
    if items.null_count:
        raise UntiedError(f"{show_id(path)}: expected a list in column {_ITEMS}, found null")
    for name, field in fields.items():
        table = table.append_column(
            name, ListArray.from_arrays(items.offsets, compute.struct_field(items.values, field))
        )
    return table


def _is_dictionary(metadata: Any, name: str) -> bool:
    """Whether a column of a parquet file can be read as a dictionary."""
    numbers = [number for number in range(metadata.num_columns) if metadata.schema.column(number).path == name]
    chunks = [metadata.row_group(group).column(numbers[0]) for group in range(metadata.num_row_groups) if numbers]
    return bool(chunks) and all(
        chunk.physical_type == "BYTE_ARRAY" and _DICTIONARIES.issuperset(chunk.encodings) for chunk in chunks
    )
