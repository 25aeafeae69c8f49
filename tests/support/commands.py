"""Commands that are run in this process, by the fixture `untied_`."""

from __future__ import annotations

from collections.abc import Callable

#: Exit code, output, messages.
Outcome = tuple[int, str, str]
Command = Callable[..., Outcome]
