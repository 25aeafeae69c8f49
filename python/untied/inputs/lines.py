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
    """Numbers and bytes of lines, without a byte-order mark at the beginning; elsewhere it is an error."""
    for number, line in enumerate(read_bytes(path, lines=True).removeprefix(MARK).split(b"\n"), 1):
        if line.startswith(MARK):  # of a file that was appended to another
            raise refused(path, number, "text", "a byte-order mark (U+FEFF) behind the beginning of the file")
        yield number, line


def lines(path: str | os.PathLike[str], shape: str) -> Iterator[tuple[int, list[str]]]:
    """Numbers and fields of lines; an error if there are none."""
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


def id_of(value: object) -> str | None:
    """The id that a cell or a member of JSON holds, a text or a whole number; None if it holds none."""
    is_id = isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""
    return str(value) if is_id else None


def number_of(text: str) -> Any:
    """The number that a text is, as a Decimal if a float may not hold all of its digits."""
    if len(text) <= _FLOAT_DIGITS:
        return float(text)
    from decimal import Decimal

    return Decimal(text)


def shown(value: object) -> str:
    """A value that was not expected, as messages show it."""
    return "none" if value is None else show_id(str(value))


def refused(path: Any, line: int, expected: str, found: str) -> InputError:
    """An error about a line."""
    expected, found = (text if len(text) <= 200 else f"{text[:200]}..." for text in (expected, found))
    message = f"{show_id(str(path))}:{line}: expected {expected}, found {found}"
    return InputError(message, str(path), line, expected, found)
