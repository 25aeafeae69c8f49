"""Text files that Python reads line by line."""

from __future__ import annotations

from untied._core import read_bytes, show_id
from untied.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from typing import Any


#: What an editor may write before text in UTF-8.
MARK = b"\xef\xbb\xbf"
#: As many digits name one float.
_FLOAT_DIGITS = 17


def numbered(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes of each line. A byte-order mark is an error, except at the beginning."""
    for number, line in enumerate(read_bytes(path, lines=True).removeprefix(MARK).split(b"\n"), 1):
        if line.startswith(MARK):  # of a file that was appended to another
            raise refused(path, number, "text", "a byte-order mark (U+FEFF) behind the beginning of the file")
        yield number, line


def lines(path: str | os.PathLike[str], shape: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of each line. A file without lines is an error."""
    empty = True
    for number, line in numbered(path):
        fields = [field.decode("utf-8", "surrogateescape") for field in line.split()]
        if fields and not fields[0].startswith("#"):
            if b"\0" in line:
                raise refused(path, number, "text", "binary data: a NUL byte")
            empty = False
            yield number, fields
    if empty:
        raise InputError(f"{show_id(str(path))}: expected {shape}, found nothing", str(path), None, shape, "nothing")


def id_of(value: object, *, empty: bool = False) -> str | None:
    """Return the id in a cell or a JSON value: a text, bytes or a whole number. Return None for anything else.

    An empty text is an id only with `empty`: in a file, it is a cell that nobody filled in.
    """
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    value = value.item() if hasattr(value, "item") else value  # a number of NumPy
    is_id = isinstance(value, (str, int)) and not isinstance(value, bool) and (empty or value != "")
    return str(value) if is_id else None


def number_of(text: str) -> Any:
    """Return the number that a text stands for. It is a Decimal if a float might not hold all of its digits."""
    if len(text) <= _FLOAT_DIGITS:
        return float(text)
    from decimal import Decimal

    return Decimal(text)


def shown(value: object) -> str:
    """Return an unexpected value as messages show it."""
    return "none" if value is None else show_id(str(value))


def refused(path: Any, line: int, expected: str, found: str) -> InputError:
    """Return an error about a line."""
    expected, found = (text if len(text) <= 200 else f"{text[:200]}..." for text in (expected, found))
    message = f"{show_id(str(path))}:{line}: expected {expected}, found {found}"
    return InputError(message, str(path), line, expected, found)
