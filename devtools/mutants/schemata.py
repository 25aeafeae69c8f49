"""Mutants of a file, all in one text: each changed place becomes a choice that is made when the program runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

#: Text of a mutant: literally, or a span of the original, in which other mutants may lie.
Piece = str | tuple[int, int]
#: Joins the alternatives of a place, with their numbers, and the original text.
Choice = Callable[["Mutant", Sequence[tuple[int, str]], str], str]


@dataclass(frozen=True)
class Mutant:
    """A place of a file, and what stands there in its stead."""

    path: str
    start: int
    end: int
    pieces: tuple[Piece, ...]
    #: What was changed, for people: ``a < b -> a <= b``.
    change: str
    line: int
    #: The line of the source, which finds the mutant again when lines before it have changed.
    code: str
    #: Whether whole statements are chosen, and not values.
    statement: bool = False
    #: The white space that the line begins with.
    indent: str = ""
    #: Which of the same changes of equal lines it is, from the top of its file.
    which: int = 1


def text_between(source: bytes, start: int, end: int) -> str:
    """The source between two bytes."""
    return source[start:end].decode()


def in_one_line(text: str, most: int = 70) -> str:
    """A text without line breaks, and not too long."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def mutant_at(
    path: str, source: bytes, span: tuple[int, int], pieces: Iterable[Piece], change: str = "", statement: bool = False
) -> Mutant:
    """A mutant of a span, with a description for people."""
    pieces = tuple(pieces)
    line_start = source.rfind(b"\n", 0, span[0]) + 1
    line_end = source.find(b"\n", span[0])
    code = text_between(source, line_start, line_end if line_end >= 0 else len(source))
    indent = code[: len(code) - len(code.lstrip())]
    after = "".join(piece if isinstance(piece, str) else text_between(source, *piece) for piece in pieces)
    before = in_one_line(text_between(source, *span))
    line = source.count(b"\n", 0, span[0]) + 1
    change = change or f"{before} -> {in_one_line(after) or 'nothing'}"
    return Mutant(path, *span, pieces, change, line, code.strip(), statement, indent)


def render(source: bytes, mutants: dict[int, Mutant], choice: Choice) -> str:
    """The source with all mutants of it, by number; spans of mutants are nested or apart."""
    numbers = sorted(mutants, key=lambda number: (mutants[number].start, -mutants[number].end, number))

    def between(start: int, end: int, inside: Sequence[int]) -> str:
        texts, place = [], start
        while inside:
            first = mutants[inside[0]]
            span = (first.start, first.end)
            same = [number for number in inside if (mutants[number].start, mutants[number].end) == span]
            within = [number for number in inside if number not in same and mutants[number].end <= first.end]
            inside = [number for number in inside if number not in same and number not in within]
            texts.append(text_between(source, place, first.start))
            alternatives = [
                (number, "".join(written(piece, within) for piece in mutants[number].pieces)) for number in same
            ]
            texts.append(choice(first, alternatives, between(*span, within)))
            place = first.end
        return "".join(texts) + text_between(source, place, end)

    def written(piece: Piece, inside: Sequence[int]) -> str:
        if isinstance(piece, str):
            return piece
        start, end = piece
        return between(start, end, [n for n in inside if start <= mutants[n].start and mutants[n].end <= end])

    return between(0, len(source), numbers)
