"""Report the progress of long work to an observer, if there is one; the command line draws it."""

from __future__ import annotations

from untied import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias, TypeVar

    T = TypeVar("T")
    #: What is done, the unit it is counted in, how much is done, and of how much, where that is known. Where there is
    #: no unit, work has paused and something else may be written.
    Observer: TypeAlias = Callable[[str, str, int, int | None], object]

_around: list[str] = []


def observe(observer: Observer | None) -> None:
    """Call a function ten times a second during native work, and for every step of `each`."""
    global _observer
    _observer = observer
    _core.observe(None if observer is None else _from_core)


_observer: Observer | None = None


def each(items: Sequence[T], unit: str) -> Iterator[T]:
    """Iterate over items, which may each take long, and report progress; `unit` names one of them."""
    if _observer is None or len(items) < 2:
        yield from items
        return
    for number, item in enumerate(items, 1):
        _around.append(f"{unit} {number} of {len(items)}")
        try:
            _from_core("", f"{unit}s", number - 1, len(items))
            yield item
        finally:
            _around.pop()
    _from_core("", "", 0, None)


def steps(items: Sequence[T], unit: str, whole: str) -> Iterator[T]:
    """Iterate over items and report progress in units called `unit`; the work on each item reports nothing itself."""
    observer = _observer
    if observer is None:
        yield from items
        return
    observe(None)
    try:
        for done, item in enumerate(items):
            observer(whole, unit, done, len(items))
            yield item
    finally:
        observe(observer)
        observer("", "", 0, None)


def _from_core(what: str, unit: str, done: int, total: int | None) -> None:
    if _observer is not None:
        _observer(": ".join(filter(None, [*_around, what])), unit, done, total)
