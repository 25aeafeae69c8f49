"""Output to standard output, or to files that are replaced as a whole."""

from __future__ import annotations

import errno
import os
import sys

from untied._core import show_id
from untied.errors import UntiedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: How the names of files that are not finished begin. Only a process that is killed leaves one behind.
UNFINISHED = ".untied-"


def check_target(path: str | None, inputs: Iterable[str] = ()) -> None:
    """Refuse, before any work, an output file that cannot be written or that is one of the inputs."""
    if path is None:
        return
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path) or not path:
        raise _refused(errno.EISDIR, path)
    if not os.path.isdir(folder):
        raise _refused(errno.ENOENT, path)
    if _is_replaced(path):
        if os.path.isfile(path) and any(os.path.exists(other) and os.path.samefile(path, other) for other in inputs):
            raise UntiedError(f"{show_id(path)} is one of the inputs; choose another output file")
        if not os.access(folder, os.W_OK):
            raise _refused(errno.EACCES, folder)
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise _refused(errno.EACCES, path)


def is_same_file(path: str, other: str) -> bool:
    """Whether two outputs are one file, of which only the last would survive; devices and pipes take both."""
    if not (_is_replaced(path) and _is_replaced(other)):
        return False
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


def write_file(data: bytes, path: str) -> None:
    """Replace a file as a whole; write to a device or a pipe directly."""
    try:
        if _is_replaced(path):
            _replace(data, os.path.realpath(path))
        else:
            # At the end of what is there: the shell may have sent /dev/stdout there with >>.
            with open(path, "ab") as file:
                file.write(data)
    except OSError as error:
        # The name that the user knows, also where there was none, as on a disk that is full.
        error.filename, error.filename2 = path, None
        raise


#: The name of standard output in errors.
OUT = "standard output"


def write_out(pieces: Iterable[bytes]) -> None:
    """Write to standard output."""
    if sys.stdout is None:
        raise _refused(errno.EBADF, OUT)
    # Notebooks and tests put something in its place that takes text alone.
    binary = getattr(sys.stdout, "buffer", None)
    try:
        for piece in pieces:
            if binary is None:
                sys.stdout.write(piece.decode("utf-8", "backslashreplace"))
            else:
                binary.write(piece)
    except OSError as error:
        error.filename = OUT
        raise
    flush_out()


def flush_out() -> None:
    """Flush standard output."""
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except OSError as error:
            error.filename = OUT
            raise


def drop_out(error: Exception) -> None:
    """Discard buffered output after standard output failed, so that it does not fail again at exit."""
    if isinstance(error, OSError) and error.filename == OUT and sys.stdout is not None:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _refused(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)


def _is_replaced(path: str) -> bool:
    """Whether this is an ordinary or new file, which may be replaced as a whole."""
    for _ in range(40):  # more links than the system follows
        path = os.path.abspath(path)
        if path.startswith(("/dev/", "/proc/")) and not path.startswith("/dev/shm/"):
            return False  # /dev/stdout may lead to a file, and is none; shared memory has files like any other
        if not os.path.islink(path):
            return os.path.isfile(path) or not os.path.exists(path)
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return False


def _replace(data: bytes, path: str) -> None:
    """Write another file in the same folder, and move it over this one when it is on the disk."""
    try:
        mode = os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mode = None  # that of any new file
    temporary = os.path.join(os.path.dirname(path), UNFINISHED + os.urandom(8).hex())
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(temporary, flags, 0o666 if mode is None else mode)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)  # the umask has no say in it
        os.replace(temporary, path)
    except BaseException:
        from contextlib import suppress

        with suppress(OSError):
            os.unlink(temporary)
        raise
