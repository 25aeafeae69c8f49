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
    """Report progress to a function, ten times a second during native work and at every step of `each`."""
    global _observer
    _observer = observer
    _core.observe(None if observer is None else _from_core)


_observer: Observer | None = None


def each(items: Sequence[T], unit: str) -> Iterator[T]:
    """Go over items that may each take long, and report progress. `unit` is what an item is called."""
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
    """Go over items and report progress in units called `unit`. The work on an item reports nothing itself."""
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


class Parts:
    """Reports work in a known number of parts as one piece of work, which never runs backwards.

    A part may do any number of tasks, each with its own progress: every one moves on by a share of what is left.
    """

    def __init__(self, whole: str, parts: int) -> None:
        self._whole, self._parts = whole, parts
        self._part, self._tasks = -1, -1
        self._task, self._done = "", 0

    def __enter__(self) -> None:
        self._outer = _observer
        if self._outer is not None:
            observe(self)

    def __exit__(self, *_: object) -> None:
        if self._outer is not None:
            observe(self._outer)
            self._outer("", "", 0, None)

    def __call__(self, what: str, unit: str, done: int, total: int | None) -> None:
        """Pass a task's progress on, as a share of the whole."""
        if self._outer is None:
            return
        if not unit:
            self._outer(what, unit, done, total)
            return
        if what != self._task or done < self._done:
            self._tasks += 1
        self._task, self._done = what, done
        tasks = max(self._tasks, 0) + (min(done / total, 1.0) if total else 0.0)
        now = max(self._part, 0) + 1 - 1 / (1 + tasks / TASKS)
        self._outer(self._whole, "%", int(100 * min(now / self._parts, 1.0)), 100)

    def begin(self) -> None:
        """Begin the next part."""
        self._part, self._tasks, self._task, self._done = self._part + 1, -1, "", 0


#: How many tasks take a part half way.
TASKS = 4


def begin_part() -> None:
    """Begin the next part of the work that `Parts` reports, if it does."""
    if isinstance(_observer, Parts):
        _observer.begin()


def _from_core(what: str, unit: str, done: int, total: int | None) -> None:
    if _observer is not None:
        _observer(": ".join(filter(None, [*_around, what])), unit, done, total)
