"""Rows of studies as tables and Markdown, statistics of them, and numbers in options."""

from __future__ import annotations

import math
from operator import index

from untied.errors import UntiedError
from untied.results.table import Table
from untied.results.text import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from typing import Any, TypeAlias, TypeVar

    #: What tells a part from the others: text and numbers.
    Part: TypeAlias = tuple[Any, ...]
    #: What a part found: text and numbers.
    Row: TypeAlias = tuple[Any, ...]
    Number = TypeVar("Number", int, float)
    Key = TypeVar("Key", bound=Hashable)
    Inner = TypeVar("Inner", bound=Hashable)
    Held = TypeVar("Held")


def by_first(table: Table, count: int) -> dict[Row, Row]:
    """Return the rows in a dict, by their first columns."""
    return {row[:count]: row[count:] for row in table.rows()}


def gathered(pairs: Iterable[tuple[Key, Held]]) -> dict[Key, list[Held]]:
    """Return the rows of each key, in their order."""
    gathered_rows: dict[Key, list[Held]] = {}
    for key, held in pairs:
        gathered_rows.setdefault(key, []).append(held)
    return gathered_rows


def nested(triples: Iterable[tuple[Key, Inner, Held]]) -> dict[Key, dict[Inner, Held]]:
    """Group rows by two keys."""
    nested_rows: dict[Key, dict[Inner, Held]] = {}
    for key, inner, held in triples:
        nested_rows.setdefault(key, {})[inner] = held
    return nested_rows


def percent(share: float) -> str:
    """Return a share as text in percent."""
    return f"{100 * share:g}"


def mean(values: Iterable[float]) -> float:
    """Return the mean. It is NaN if there are no values."""
    numbers = list(values)
    return math.fsum(numbers) / len(numbers) if numbers else math.nan


def rms(truth: Sequence[float], estimates: Sequence[float]) -> float:
    """Return the root of the mean square error."""
    return math.sqrt(math.fsum((e - a) ** 2 for a, e in zip(truth, estimates, strict=True)) / len(truth))


def linear(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Pearson's coefficient. It is NaN if one side is constant."""
    x, y = ([value - centre for value in side] for side, centre in ((one, mean(one)), (other, mean(other))))
    squares = math.sqrt(_product(x, x)) * math.sqrt(_product(y, y))
    return _product(x, y) / squares if squares > 0 else math.nan


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(x * y for x, y in zip(one, other, strict=True))


def whole(name: str, value: Any, least: int | None = None) -> int:
    """Check that an option is a whole number (of any library), and return an int."""
    try:
        number = index(value)
    except TypeError:
        raise UntiedError(f"{name} must be a whole number, not {value!r}") from None
    if least is not None and number < least:
        raise UntiedError(f"{name} must be at least {least}, not {number}")
    return number


def numbers(text: str) -> list[float]:
    """Read an option's numbers, separated by commas."""
    return _listed(text, float, "numbers")


def whole_numbers(text: str) -> list[int]:
    """Read whole numbers, separated by commas."""
    return _listed(text, int, "whole numbers")


def _listed(text: str, read: Callable[[str], Number], what: str) -> list[Number]:
    import argparse

    try:
        return [read(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be {what} separated by commas, not {text!r}") from None


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1, names: int = 0) -> str:
    """Return a table in Markdown. The first columns are `texts`, and `names` among these; the others are numbers."""
    return lines(columns, rows, "md", texts, names)
