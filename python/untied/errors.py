"""What untied raises. Files that cannot be opened raise the usual ``OSError``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


class UntiedError(ValueError):
    """Any input or option that untied refuses."""


class InputError(UntiedError):
    """A file whose content is not what its format promises.

    Attributes
    ----------
    file : str
        The file as it was named; ``-`` for standard input.
    line : int or None
        Line, counted from 1; None where the whole file is meant.
    expected, found : str
        What the format requires there, and what the file has.
    """

    def __init__(self, message: str, file: str, line: int | None, expected: str, found: str) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.expected = expected
        self.found = found

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (*self.args, self.file, self.line, self.expected, self.found)


class MeasureError(UntiedError):
    """A measure's name, cutoff or parameter that is not understood."""


class UndefinedError(UntiedError):
    """A measure without a value for some query, where ``on_undefined="raise"``."""


class UntiedWarning(UserWarning):
    """Values that mean nothing: a run and qrels have no query or no document in common, or nothing is relevant.

    ``strict=True`` makes it an error where it is offered; ``warnings.simplefilter("error", UntiedWarning)`` everywhere.
    """


def deprecated(old: str, new: str, *, level: int = 3) -> None:
    """Warn that a name goes, and say what to use; `level` is that of the caller's caller."""
    from warnings import warn

    warn(f"{old} is deprecated and goes in untied 0.3; use {new}", DeprecationWarning, stacklevel=level)


def check_one_of(name: str, value: str, known: Collection[str]) -> str:
    """Refuse a value of an option that is not among the known ones."""
    if value not in known:
        *others, last = known
        raise UntiedError(f"{name} must be {', '.join(others)} or {last}, not {value!r}")
    return value
