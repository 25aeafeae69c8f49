"""The command line: one file per subcommand."""

from __future__ import annotations

import os
import sys

from untied.cli.commands import COMMANDS
from untied.results.writing import drop_out, flush_out, write_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

USAGE = f"""\
usage: untied COMMAND ...

Search evaluation that handles tied scores and missing judgments.

commands:
{chr(10).join(f"  {name:<12}{what}" for name, what in COMMANDS.items())}

options:
  -h, --help     show this help
  -V, --version  show the version

examples:
  untied eval qrels.txt bm25.run
  untied eval qrels.txt runs/ -m nDCG@10 -m AP --ties range
  untied check qrels.txt bm25.run.gz

untied COMMAND --help explains a command, --help-all all of its options.
"""


def console() -> int:
    """Run the command line as a process of its own."""
    import gc

    # What the module signal is made of: the enums that this adds take longer than reading a small run.
    from _signal import SIG_DFL, SIGINT, signal  # type: ignore[import-not-found]

    if sys.platform == "win32":
        # Messages end lines as results do, and as on other systems.
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.reconfigure(newline="\n")
    # The process ends before any garbage is worth looking for.
    gc.disable()
    # Ctrl-C ends it at once, native code and blocking reads included, where Python would wait for them.
    signal(SIGINT, SIG_DFL)
    code = main()
    gc.freeze()  # else Python looks for garbage when it ends
    return code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Command and its arguments; by default those of the process.

    Returns
    -------
    int
        Exit code: 0 success; 1 the answer of ``gate`` or ``verify`` is no; 2 an input or an option was refused, or the
        output cannot be written; 130 interrupted. ``trec_eval`` has the codes of trec_eval.
    """
    from untied.errors import UntiedError

    try:
        try:
            return _run(sys.argv[1:] if arguments is None else list(arguments))
        finally:
            flush_out()  # also what argparse printed before it exits
    except BrokenPipeError as error:
        drop_out(error)
        return 0  # the reader (head, less) has seen enough
    except (UntiedError, OSError) as error:
        drop_out(error)
        complain_of(error)
        return 2
    except MemoryError as error:
        complain(str(error) or "not enough memory")
        return 2
    except KeyboardInterrupt:
        return 130


def _run(arguments: Sequence[str]) -> int:
    command = arguments[0] if arguments else "--help"
    if command in ("-h", "--help"):
        write_out([USAGE.encode()])
        return 0 if arguments else 2
    if command in ("-V", "--version"):
        from untied._core import __version__

        write_out([f"untied {__version__}\n".encode()])
        return 0
    if command not in COMMANDS:
        from untied.cli.usage import meant

        is_file = len(arguments) > 1 and os.path.isfile(command)
        hint = f"; did you mean untied eval {command} ...?" if is_file else meant(command, COMMANDS)
        complain(f"unknown command {command!r}{hint}")
        print("usage: untied COMMAND ...; untied --help lists the commands", file=sys.stderr)
        return 2
    from importlib import import_module

    from untied.inputs.mismatch import CollectedNotes

    run = import_module(f"untied.cli.{command.replace('-', '_')}").COMMAND.main
    with CollectedNotes() as notes:
        code = (_watched(run, arguments[1:]) if command != "trec_eval" else run(arguments[1:])) or 0
    if notes:
        from untied.cli.notes import show

        show(notes)
    return code


def _watched(run: Callable[[Sequence[str]], int | None], arguments: Sequence[str]) -> int | None:
    """Run a command, and show its progress on a terminal."""
    if sys.stderr is None or not sys.stderr.isatty() or "CI" in os.environ or os.environ.get("TERM") == "dumb":
        return run(arguments)
    from untied.cli.progress import Bar
    from untied.progress import observe

    bar = Bar(sys.stderr)
    observe(bar)
    try:
        return run(arguments)
    finally:
        observe(None)
        bar.clear()


def width(stream: Any = None) -> int:
    """Width of the terminal that a stream (by default standard output) goes to; unlimited if it is not a terminal."""
    try:
        return os.get_terminal_size((stream or sys.stdout).fileno()).columns or 10**9
    except (OSError, ValueError, AttributeError):  # AttributeError: standard output is closed
        return 10**9


def complain(text: str) -> None:
    """Print an error."""
    print(f"{paint('untied:', 'red', sys.stderr)} {text}", file=sys.stderr)


def complain_of(error: Exception) -> None:
    """Print one or several errors."""
    from untied.cli.reading import InputErrors

    for one in error.errors if isinstance(error, InputErrors) else [error]:
        complain(message(one))


#: Files of a folder whose names are compared with that of a missing one.
MOST_COMPARED = 1000

#: Colours and faces, as terminals number them.
PAINTS = {"bold": 1, "red": 31, "green": 32, "yellow": 33}


def paint(text: str, look: str, stream: Any) -> str:
    """Text in colour or bold, if the stream is a terminal that shows it and ``NO_COLOR`` is not set."""
    if stream is None or not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{PAINTS[look]}m{text}\x1b[0m"


def message(error: Exception) -> str:
    """The text to print for an error."""
    return "; ".join([_of_system(error), *getattr(error, "__notes__", [])])


def _of_system(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        from untied._core import show_id

        path = os.fsdecode(error.filename)
        hint = _meant_file(path) if isinstance(error, FileNotFoundError) else ""
        return f"{show_id(path)}: {error.strerror}{hint}"
    return str(error)


def _meant_file(path: str) -> str:
    """A suggestion for a file that does not exist: a measure of this name, or the files with the nearest names."""
    from itertools import islice

    from untied._core import parse_measures, show_id
    from untied.cli.usage import meant
    from untied.errors import UntiedError

    try:
        parse_measures(path)
    except UntiedError:
        pass
    else:
        return f"; did you mean -m {path}?"

    folder, name = os.path.split(path)
    try:
        # A folder may hold very many files, and to compare names takes longer than to list them.
        others = [entry.name for entry in islice(os.scandir(folder or "."), MOST_COMPARED)]
    except OSError:
        return ""  # the folder does not exist, either
    return meant(name, others, lambda other: show_id(os.path.join(folder, other)))
