"""Rows of studies as tables and Markdown, and numbers of their options."""

from __future__ import annotations

from operator import index

from untied.errors import UntiedError
from untied.results.table import Table
from untied.results.text import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias, TypeVar

    #: What tells a part from the others: text and numbers.
    Part: TypeAlias = tuple[Any, ...]
    #: What a part found: text and numbers.
    Row: TypeAlias = tuple[Any, ...]
    Number = TypeVar("Number", int, float)


def tidy(texts: Sequence[str], numbers: Sequence[str], rows: Sequence[Row]) -> Table:
    """A table of rows, whose first columns are texts and the others numbers."""
    columns = list(zip(*rows, strict=True)) or [()] * (len(texts) + len(numbers))
    named = dict(zip((*texts, *numbers), map(list, columns), strict=True))
    return Table({name: named[name] for name in texts}, {name: named[name] for name in numbers})


def whole(name: str, value: Any, least: int | None = None) -> int:
    """An option that must be a whole number: of any library, as JSON has it."""
    try:
        number = index(value)
    except TypeError:
        raise UntiedError(f"{name} must be a whole number, not {value!r}") from None
    if least is not None and number < least:
        raise UntiedError(f"{name} must be at least {least}, not {number}")
    return number


def numbers(text: str) -> list[float]:
    """Read an option's numbers with commas between them."""
    return _listed(text, float, "numbers")


def whole_numbers(text: str) -> list[int]:
    """The same of whole numbers."""
    return _listed(text, int, "whole numbers")


def _listed(text: str, read: Callable[[str], Number], what: str) -> list[Number]:
    import argparse

    try:
        return [read(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be {what} with commas between them, not {text!r}") from None


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """A table in Markdown; the first columns are `texts`, the others numbers."""
    return lines(columns, rows, "md", texts)
