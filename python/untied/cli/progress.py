"""A progress line on the terminal."""

from __future__ import annotations

import os
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

#: Seconds that work has to take before anything is shown, and between two changes of what is shown.
PATIENCE, PACE = 1.0, 0.1
CELLS = 24
SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


class Bar:
    """An `untied.progress.Observer` that draws one line on a terminal, and clears it when work pauses."""

    def __init__(self, screen: TextIO) -> None:
        self._screen = screen
        self._full, self._empty = "━─" if "utf" in (screen.encoding or "").lower() else "#-"
        self._begun = self._drawn = monotonic()
        self._what, self._done = "", 0
        #: When the present stage began, and how much of it was done when it was first seen.
        self._stage = (self._begun, 0)
        self._visible = False

    def __call__(self, what: str, unit: str, done: int, total: int | None) -> None:
        """Draw, unless the last drawing was too recent."""
        if not unit:
            self.clear()
            return
        now = monotonic()
        if what != self._what or done < self._done:  # less than before: the same work begins again
            self._what, self._stage = what, (now, done)
        self._done = done
        if now - self._begun < PATIENCE or now - self._drawn < PACE:
            return
        self._drawn = now
        begun, before = self._stage
        rate = (done - before) / (now - begun) if now - begun >= 2 * PACE else 0.0
        self._write(self._line(what, unit, done, total, rate))

    def _line(self, what: str, unit: str, done: int, total: int | None, rate: float) -> str:
        width = self._width()
        if not total:
            speed = f"  {_amount(rate, unit)}/s" if rate else ""
            parts = [f"{_amount(done, unit)}{speed}"]
        else:
            share = min(done / total, 1.0)
            filled = int(share * CELLS)
            parts = [self._full * filled + self._empty * (CELLS - filled), f"{share:4.0%}"]
            if unit != "%":  # the share says it
                parts.append(f"{_amount(done, unit, of=total)} of {_amount(total, unit)}")
            if rate:
                parts.append(f"{_duration((total - done) / rate)} left")
        # What there is no room for is left out, the last first; then the name is cut, whose end tells more.
        while len(parts) > 1 and len(what) + sum(len(part) + 2 for part in parts) >= width:
            parts.pop()
        room = width - 1 - sum(len(part) + 2 for part in parts)
        if len(what) > room:
            what = "..." + what[-max(room - 3, 0) :] if room > 3 else ""
        return "  ".join([what, *parts] if what else parts)[: width - 1]

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self._screen.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    def clear(self) -> None:
        """Clear the line."""
        if self._visible:
            self._visible = False
            self._put("\r\x1b[K")

    def _write(self, line: str) -> None:
        self._visible = True
        self._put(f"\r{line}\x1b[K")

    def _put(self, text: str) -> None:
        try:
            self._screen.write(text)
            self._screen.flush()
        except (OSError, UnicodeEncodeError):
            pass  # a terminal that went away is no reason to end the work


def _amount(number: float, unit: str, of: float = 0) -> str:
    """A number with its unit; only the number if a total follows."""
    if unit == "bytes":
        for size, name in SIZES:
            if max(number, of) >= size:
                text = f"{number / size:.{1 if max(number, of) < 100 * size else 0}f}"
                return text if of else f"{text} {name}"
    text = f"{number:,.0f}"
    return text if of else f"{text} {unit}"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"
