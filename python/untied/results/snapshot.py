"""Copies of native results as plain data, because native objects cannot be pickled."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class Snapshot:
    """The answers of a native result to some calls, for all their arguments."""

    def __init__(self, answers: dict[str, dict[tuple[Any, ...], Any]]) -> None:
        self._answers = answers

    def __len__(self) -> int:
        return int(self._answers["__len__"][()])

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name not in self._answers:
            raise AttributeError(name)
        from copy import copy

        answers = self._answers[name]
        return lambda *arguments: copy(answers[arguments])

    def value(self, row: int, measure: int) -> Any:
        """One of the values of queries."""
        return self._answers["values"][()][row * len(self._answers["totals"][()]) + measure]

    def query(self, row: int) -> str:
        """The id of a query."""
        return str(self._answers["queries"][()][row])

    def find(self, query: str | bytes | int) -> int | None:
        """The row of a query."""
        name = query.decode("utf-8", "backslashreplace") if isinstance(query, bytes) else str(query)
        queries = self._answers["queries"][()]
        return queries.index(name) if name in queries else None


def snapshot(native: Any, calls: dict[str, Iterable[tuple[Any, ...]]]) -> Snapshot:
    """Record the answers to calls for all arguments; leave a recorded result as it is."""
    if isinstance(native, Snapshot):
        return native
    return Snapshot({name: {given: getattr(native, name)(*given) for given in asked} for name, asked in calls.items()})
