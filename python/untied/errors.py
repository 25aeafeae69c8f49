"""Exceptions that untied raises. Files that cannot be opened raise the usual ``OSError``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


class UntiedError(ValueError):
    """An input or an option is refused. All errors of untied are of this class or of a subclass.

    Attributes
    ----------
    kind : str or None
        ``"repeated"`` if a query of a run retrieves a document twice, which `duplicates` of `read_run` can tolerate;
        ``"failed"`` if a search engine's answer is incomplete, which `failed` can tolerate.
    """

    kind: str | None = None


class InputError(UntiedError):
    """A file does not match its format. The message says where, what was expected, and what was found.

    Attributes
    ----------
    file : str
        The file, as you named it; ``-`` for standard input.
    line : int or None
        The number of the line, from 1. None if the error is about the whole file.
    expected, found : str
        What the format requires at this place, and what is there instead.
    """

    def __init__(self, message: str, file: str, line: int | None, expected: str, found: str) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.expected = expected
        self.found = found

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (*self.args, self.file, self.line, self.expected, self.found), vars(self)


class MeasureError(UntiedError):
    """The name, cutoff or parameter of a measure is not understood."""


class UndefinedError(UntiedError):
    """A measure has no value for some query, and you passed ``on_undefined="raise"``."""


class NotKeptError(UntiedError, AttributeError):
    """These results did not keep the values that an attribute needs. ``hasattr`` returns False for it."""


class UntiedWarning(UserWarning):
    """Values are probably meaningless, because a run and the qrels do not belong together or nothing is relevant.

    To get an error instead, pass ``strict=True`` to the function. To get one everywhere, call
    ``warnings.simplefilter("error", UntiedWarning)``.
    """


def either(words: Iterable[str]) -> str:
    """Alternatives in words: ``a, b or c``."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def check_flag(name: str, value: bool) -> bool:
    """Refuse what is neither True nor False: any text, such as ``"no"``, would count as True."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):  # NumPy's are others
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return value


def check_text(name: str, value: str) -> str:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {value!r}")
    return value


#: The largest number that the core counts with.
LARGEST_COUNT = 2**63 - 1


def check_whole(name: str, value: int) -> int:
    """Refuse what is no whole number."""
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    return value


def check_count(name: str, value: int) -> int:
    """Refuse what is no whole number, or below 1, or has more bits than the core counts with."""
    return check_between(name, value, 1)


def check_between(name: str, value: int, least: int) -> int:
    """Refuse what is no whole number, or below the least one, or has more bits than the core counts with."""
    if check_whole(name, value) < least:
        raise UntiedError(f"{name} must be at least {least}, not {value}")
    if value > LARGEST_COUNT:
        raise UntiedError(f"{name} must be at most {LARGEST_COUNT:,}, not {value}")
    return value


#: The most pairs of runs that are compared at once, at about a kilobyte for each measure.
MOST_PAIRS = 1_000_000


def check_pairs(runs: int, instead: str) -> None:
    """Refuse runs whose pairs would fill memory, and say what to do instead."""
    pairs = runs * (runs - 1) // 2
    if pairs > MOST_PAIRS:
        raise UntiedError(f"{runs:,} runs make {pairs:,} pairs, more than {MOST_PAIRS:,}; {instead}")


def check_real(name: str, value: float) -> float:
    """Refuse what is no number."""
    if not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {value!r}")
    return value


def check_share(name: str, value: float, *, zero: bool = True, one: bool = True) -> float:
    """Refuse what is no share from 0 to 1, or one of these ends if that is not allowed."""
    if 0 < check_real(name, value) < 1 or (zero and value == 0) or (one and value == 1):
        return value
    expected = "from 0 to 1" if zero else "above 0 and at most 1" if one else "between 0 and 1"
    hint = f": {value:g} % is {value / 100:g}" if 1 < value <= 100 else ""
    raise UntiedError(f"{name} must be {expected}, not {value:g}{hint}")


def check_one_of(name: str, value: str, known: Collection[str]) -> str:
    """Refuse an unknown value of an option."""
    if not isinstance(value, str) or value not in known:
        raise UntiedError(f"{name} must be {either(known)}, not {value!r}")
    return value
