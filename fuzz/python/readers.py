"""What the readers that are written in Python must hold, whatever the bytes of a file are.

A target takes bytes and a path that it may write to. It reads them by untied and by a second reader: both find the
same, or both refuse, in the same line; a refusal is one error that does no harm to a terminal.
"""

from __future__ import annotations

import json
import unicodedata

import second
import shapes

import untied
from untied.comparison import passages
from untied.inputs import files, truth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any, TypeVar

    Ours = TypeVar("Ours")
    Theirs = TypeVar("Theirs")

#: Archives have a target of their own.
PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0")


def both(
    data: bytes, path: Path, ours: Callable[[Path], Ours], theirs: Callable[[bytes], Theirs]
) -> tuple[Ours, Theirs] | None:
    """What the two readers have read, if they have."""
    if data.startswith(PACKED):
        return None
    path.write_bytes(data)
    expected, lines, are_sure = None, None, True
    try:
        expected = theirs(data)
    except second.Refused as refused:
        lines = refused.lines
    except second.Deep:
        are_sure = False
    refusal = found = None
    try:
        found = ours(path)
    except untied.InputError as error:
        refusal = error
    if refusal is not None:
        assert lines is not None or not are_sure, f"only ours refuses: {refusal}"
        assert lines is None or refusal.line in lines, f"{refusal}, but {lines}"
        is_harmless(str(refusal), path)
        return None
    assert lines is None, f"only ours accepts, the other refuses line {lines}"
    return (found, expected) if found is not None and expected is not None else None


def is_harmless(message: str, path: Path) -> None:
    """A message names the file, fits a screen, and commands no terminal."""
    assert message.startswith(str(path)), message
    assert len(message) < 1500, message
    categories = {unicodedata.category(character) for character in message}
    assert not categories & {"Cc", "Cs", "Zl", "Zp"}, ascii(message)
    assert not set(message) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"), ascii(message)


def shown(id: bytes) -> str:
    """An id as untied shows it."""
    return id.decode("utf-8", "backslashreplace")


def as_bytes(grades: dict[str, dict[str, float]]) -> dict[bytes, dict[bytes, float]]:
    """The same with ids as the file has them."""

    def encoded(id: str) -> bytes:
        return id.encode("utf-8", "surrogateescape")

    return {encoded(query): {encoded(doc): grade for doc, grade in held.items()} for query, held in grades.items()}


def kept(held: untied.Run | untied.Qrels) -> Any:
    """All that a run or qrels hold, to the last bit."""
    return held.__reduce__()[1]


def ordered(
    data: bytes,
    path: Path,
    format: str,
    read: Callable[[Path], dict[str, dict[str, float]]],
    theirs: Callable[[bytes], dict[bytes, dict[bytes, float]]],
) -> None:
    """Partly ordered truth: as untied's table too, as groups, and as TREC's qrels, which the core reads."""
    found = both(data, path, read, theirs)
    if found is None:
        return
    grades, expected = found
    assert as_bytes(grades) == expected
    qrels = untied.read_qrels(path, format=format, threads=1)
    assert kept(qrels) == kept(untied.Qrels(grades, threads=1)) == kept(untied.Qrels(expected, threads=1))
    assert sorted(qrels.queries()) == sorted(map(shown, expected))
    if any(query.startswith(b"#") for query in expected):
        return  # a comment in the files below
    lines = []
    for query, held in expected.items():
        of_grade: dict[float, list[bytes]] = {}
        for document, grade in held.items():
            of_grade.setdefault(grade, []).append(document)
        best_first = [b" ".join(of_grade[grade]) for grade in sorted(of_grade, reverse=True)]
        assert sorted(of_grade) == list(range(1, len(best_first) + 1))
        lines.append(b" ".join([query, b" | ".join(best_first)]))
    if b"|" not in {document for held in expected.values() for document in held}:
        path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines))
        assert as_bytes(truth.read_groups(path)) == expected
    lines = [b"%b 0 %b %d" % (query, doc, grade) for query, held in expected.items() for doc, grade in held.items()]
    path.write_bytes(b"\xef\xbb\xbf" + b"\n".join(lines))
    again = untied.read_qrels(path, format="trec", threads=1)
    assert all(again[query] == qrels[query] for query in expected)
    assert len(again) == len(qrels) == len(expected)


def groups(data: bytes, path: Path) -> None:
    """A file of ordered groups."""
    ordered(data, path, "groups", truth.read_groups, second.groups)


def mirex(data: bytes, path: Path) -> None:
    """The ground truth of MIREX."""
    ordered(data, path, "mirex", truth.read_mirex, second.mirex)


def preferences(data: bytes, path: Path) -> None:
    """A file of preferences, in either of its formats."""
    found = both(data, path, truth.read_preferences, second.preferences)
    if found is None:
        return
    ours, expected = found

    def encoded(id: str) -> bytes:
        return id.encode("utf-8", "surrogateescape")

    assert {encoded(query): {(encoded(a), encoded(b)) for a, b in pairs} for query, pairs in ours.items()} == expected
    assert all(len(set(pairs)) == len(pairs) for pairs in ours.values())
    qrels = untied.read_qrels(path, format="preferences", threads=1)
    assert kept(qrels) == kept(untied.Qrels(ours, format="preferences", threads=1))
    assert sorted(qrels.queries()) == sorted(map(shown, expected))


def records(held: untied.Run | untied.Qrels, content: dict[str, Any], table: second.Table) -> list[dict[str, Any]]:
    """What they hold as objects of JSON-lines."""
    format = held.format if isinstance(held, untied.Qrels) else "run"
    names = {"stratified": ("stratum", "grade"), "prels": ("grade", "probability")}.get(format)
    if names:
        return [
            {"query": query, "document": document, **dict(zip(names, pair, strict=True))}
            for query, documents in content.items()
            for document, pair in documents.items()
        ]
    if format == "subtopics":
        return [
            {"query": query, "subtopic": subtopic, "document": document, "grade": grade}
            for query, subtopics in content.items()
            for subtopic, documents in subtopics.items()
            for document, grade in documents.items() or [("", 0)]
        ]
    number = "score" if format == "run" else "grade"
    return [
        {"query": query, "document": document, number: value}
        for query, documents in table.items()
        for document, value in documents
    ]


def same_table(held: untied.Run | untied.Qrels, content: dict[str, Any], table: second.Table, path: Path) -> None:
    """Both have the same documents; and JSON-lines of them, which the core reads, are the same."""
    assert sorted(held.queries()) == sorted(table)
    for query, documents in table.items():
        assert held[query] == (documents if isinstance(held, untied.Run) else dict(documents)), query
    rows = records(held, content, table)
    if not all(table.values()) or any("" in row.values() for row in rows):
        return  # they have no queries without documents, and no ids without a character
    lines = (json.dumps(row, ensure_ascii=place % 2 == 0) for place, row in enumerate(rows))
    path = path.with_suffix(".jsonl")
    path.write_text("\n".join(lines), encoding="utf-8")
    if isinstance(held, untied.Run):
        assert kept(files.read_run(path, threads=1)) == kept(held)
    else:
        format = "auto" if held.format == "trec" else held.format
        assert kept(files.read_qrels(path, format=format, threads=1)) == kept(held)


def nested(
    path: Path, data: bytes, formats: list[tuple[str, shapes.Shape, Callable[[dict[str, Any]], second.Table]]]
) -> None:
    """A JSON file of one of these sorts, qrels all but the first; as it is, or only choices for such a shape.

    The first byte tells both.
    """
    first = data[0] if data else 0
    place = first % len(formats)
    format, shape, theirs = formats[place]
    text = data[1:] if first < 128 else shapes.text(shape, data[1:])
    path = path.with_suffix(".json")
    layout = "rank-eval" if format == "rank-eval" else "json"

    def read(path: Path) -> untied.Run | untied.Qrels:
        if place == 0:
            return untied.read_run(path, format=layout, threads=1)
        if layout == "rank-eval":
            return untied.read_qrels(path, format=layout, threads=1)
        return files.read_qrels(path, format=format, threads=1)

    def second_read(data: bytes) -> tuple[dict[str, Any], second.Table]:
        content = second.Json(data).read()
        table = theirs(content)
        if not any(table.values()):
            raise second.Refused
        return content, table

    found = both(text, path, read, second_read)
    if found is None:
        return
    held, (content, expected) = found
    make = untied.Run if place == 0 else untied.Qrels
    kind = "auto" if format == "json" else format  # of what a dict holds, as a file's format says how it is written
    assert kept(held) == kept(make(content, format=kind, threads=1))
    same_table(held, content, expected, path)


def json_files(data: bytes, path: Path) -> None:
    """A run or qrels as JSON: dicts of dicts, ranked lists, qrels with more than a grade."""
    nested(
        path,
        data,
        [
            ("json", shapes.RUN, second.run),
            ("auto", shapes.QRELS, lambda content: second.qrels(content, "auto")),
            ("subtopics", shapes.BY_SUBTOPIC, lambda content: second.qrels(content, "subtopics")),
            ("stratified", shapes.PAIRS, lambda content: second.qrels(content, "stratified")),
            ("prels", shapes.PAIRS, lambda content: second.qrels(content, "prels")),
        ],
    )


def rank_eval(data: bytes, path: Path) -> None:
    """A rank-eval response or the body of a request."""
    nested(path, data, [("rank-eval", shapes.RESPONSE, second.retrieved), ("rank-eval", shapes.REQUEST, second.judged)])


def passage_files(data: bytes, path: Path) -> None:
    """A run of passages or judgments of them, which the first byte tells."""
    are_judged = data[:1] == b"j"

    def read(path: Path) -> tuple[Any, int]:
        return (passages.read_judged_passages(path), 0) if are_judged else passages.read_passages(path)

    found = both(data[1:], path, read, lambda data: second.passages(data, are_judged))
    if found is None:
        return
    (ours, ties), (expected, tied) = found
    encoded = {
        query.encode("utf-8", "surrogateescape"): [
            (doc.encode("utf-8", "surrogateescape"), *rest) for doc, *rest in held
        ]
        for query, held in ours.items()
    }
    assert encoded == expected
    assert ties == tied


TARGETS: dict[str, Callable[[bytes, Path], None]] = {
    "groups": groups,
    "mirex": mirex,
    "preferences": preferences,
    "json": json_files,
    "rank_eval": rank_eval,
    "passages": passage_files,
}
