"""Finished parts of a study, kept in a file, so that an interrupted study can continue.

The file has one JSON value per line: first the settings and inputs, then ``[part, rows]`` for every finished part, in
order of computation.
"""

from __future__ import annotations

import json
import os

from untied._core import show_id
from untied.errors import UntiedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied.study.rows import Part, Row


class Checkpoint:
    """The finished parts of a study, in a file. It is locked until it is closed or the process ends.

    The file is created if it does not exist, and refused if it has parts with other settings, is damaged, or belongs to
    a running study. With `restart`, existing parts are discarded.
    """

    def __init__(self, path: str, settings: dict[str, Any], *, restart: bool = False) -> None:
        self._path = path
        self.parts: dict[Part, list[Row]] = {}
        self._file = open(path, "a+b")  # noqa: SIM115 - open for as long as the study goes on
        try:
            self._lock()
            self._read(settings, restart)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _lock(self) -> None:
        """Lock the file. Locks that vanish with their process exist only on Unix."""
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UntiedError(f"{show_id(self._path)}: another study is running in this folder") from None

    def _read(self, settings: dict[str, Any], restart: bool) -> None:
        header = _line(settings)
        self._file.seek(0)
        content = b"" if restart else self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        if header.startswith(content):
            # Nothing, or what was left of a process that ended while it wrote the first line.
            self._file.truncate(0)
            self._file.write(header)
            self._file.flush()
            return
        first, *lines = whole.splitlines(keepends=True) or [b""]
        if first != header:
            raise UntiedError(
                f"{show_id(self._path)} holds a study with {self._difference(first, settings)}; "
                "start again with --restart (restart=True), or choose another folder"
            )
        for number, line in enumerate(lines, 2):
            part, rows = self._part(line, number)
            self.parts[part] = rows
        # An incomplete last line, of a part that was being written, would spoil the next one.
        self._file.truncate(len(whole))

    def _parsed(self, line: bytes, number: int) -> Any:
        try:
            return json.loads(line)
        except ValueError:
            raise self._damaged(number) from None

    def _part(self, line: bytes, number: int) -> tuple[Part, list[Row]]:
        try:
            part, rows = self._parsed(line, number)
            return tuple(part), [tuple(row) for row in rows]
        except (TypeError, ValueError):
            raise self._damaged(number) from None

    def _damaged(self, number: int) -> UntiedError:
        return UntiedError(
            f"{show_id(self._path)}:{number}: expected a finished part as JSON, found something else; "
            "start again with --restart (restart=True)"
        )

    def _difference(self, first: bytes, settings: dict[str, Any]) -> str:
        before = self._parsed(first, 1)
        if not isinstance(before, dict):
            return "other settings"
        for name in dict.fromkeys([*settings, *before]):
            was, now = before.get(name), json.loads(_line({name: settings.get(name)}))[name]
            if was != now:
                return "other runs or judgments" if name == "inputs" else f"{name} {_short(was)}, not {_short(now)}"
        return "other settings"

    def add(self, part: Part, rows: list[Row]) -> None:
        """Store the rows of a part, in memory and in the file."""
        line = _line([part, rows])
        self._file.write(line)
        self._file.flush()
        # As the next process would find them.
        self.parts[part] = [tuple(row) for row in json.loads(line)[1]]


def _line(content: object) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode("ascii") + b"\n"


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def parts_path(directory: str) -> str:
    """Return the file in which a study in this folder keeps its parts."""
    return os.path.join(directory, "parts.jsonl")
