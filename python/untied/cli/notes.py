"""Notes, each once: a command adds them before it writes results, whose JSON has them, and prints them at its end."""

from __future__ import annotations

import sys

from untied.cli import paint, width
from untied.inputs.mismatch import collected
from untied.inputs.mismatch import listed as listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from untied._core import Qrels


def add(notes: Iterable[str]) -> None:
    """Add notes to those of the command, after what it was warned of."""
    known = collected()
    for note in notes:
        if note not in known:
            known.append(note)


def show(notes: Iterable[str]) -> None:
    """Print notes on standard error, wrapped on a terminal."""
    columns = width(sys.stderr)
    for note in notes:
        text = f"note: {note}"
        if len(text) > columns:
            text = filled(text, columns, indent="  ")
        print(text.replace("note:", paint("note:", "yellow", sys.stderr), 1), file=sys.stderr)


def filled(text: str, columns: int, indent: str = "") -> str:
    """A text wrapped at blanks to a number of columns; a longer word has a line of its own."""
    from textwrap import fill

    return fill(text, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


#: What to know about values from probabilities of grades.
EXPECTED = (
    "values are expected ones, as if labels of different documents were independent; their variance is no error bar: "
    "errors cluster in queries, and in our study its root was 3.9 times too small"
)


def of_repeated(qrels: Qrels) -> Iterator[str]:
    """A note on judgments that occur more than once."""
    if qrels.repeated:
        yield f"judgments that occur more than once in the qrels, counted once: {qrels.repeated}"


def of_probabilities(qrels: Qrels) -> Iterator[str]:
    """A note on values from judgments that are probabilities."""
    if qrels.format == "probabilities":
        yield EXPECTED
