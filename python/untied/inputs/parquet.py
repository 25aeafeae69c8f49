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
    needed = find_columns(metadata.schema.to_arrow_schema().names, holds, columns, path)
    # Queries come as dictionaries: a run has few of them, and neighbours are compared by number. Without a buffer, or
    # with one made before, all columns of a row group would be in memory.
    query = needed[:1] if _is_dictionary(metadata, needed[0]) else None
    file = parquet.ParquetFile(
        path, read_dictionary=query, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True
    )
    if not metadata.num_rows:
        raise InputError(f"{show_id(path)}: expected records, found none", path, None, "records", "none")
    names = list(dict.fromkeys(needed))
    schema = file.schema_arrow.empty_table().select(names).schema
    # Almost all of the work is to decode the documents' ids: more threads would cost more than they save.
    batches = file.iter_batches(1 << 16, columns=names, use_threads=False)
    # Names that contain a point also stand for parts of nested columns.
    return RecordBatchReader.from_batches(schema, (batch.select(names) for batch in batches))


def _is_dictionary(metadata: Any, name: str) -> bool:
    """Whether a column of a parquet file can be read as a dictionary."""
    numbers = [number for number in range(metadata.num_columns) if metadata.schema.column(number).path == name]
    chunks = [metadata.row_group(group).column(numbers[0]) for group in range(metadata.num_row_groups) if numbers]
    return bool(chunks) and all(
        chunk.physical_type == "BYTE_ARRAY" and _DICTIONARIES.issuperset(chunk.encodings) for chunk in chunks
    )
