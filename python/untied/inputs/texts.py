"""Texts of queries and documents for pages, from TSV and JSON lines."""

from __future__ import annotations

import json
import os

from untied.errors import UntiedError
from untied.inputs.files import by_suffix
from untied.inputs.lines import numbered, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
    from typing import Any, TypeAlias

    #: A file's path, or texts by id.
    TextsLike: TypeAlias = str | os.PathLike[str] | Mapping[str, str]

#: Members of JSON lines that hold the id, the first that is there; BEIR's first.
IDS = ("_id", "id", "query_id", "qid", "doc_id", "docid", "docno")
#: Those that hold text, a title before the text itself.
TEXTS = ("title", "text", "query", "contents")
TSV = "an id, a tab and a text"
JSON = f"an object with an id ({', '.join(IDS)}) and a text ({', '.join(TEXTS)})"


def texts_of(given: TextsLike, wanted: Container[str], most: int) -> dict[str, str]:
    """Return the texts of the wanted ids, each cut to a number of characters.

    Files that end in .jsonl, .ndjson or .json (also compressed) have an object on every line; all others have an id, a
    tab and a text. The text of an object is the first of `TEXTS` that is not empty. A malformed line and an id that
    appears twice are errors.
    """
    if not isinstance(given, (str, os.PathLike)):
        return {id: _short(text, most) for id, text in given.items() if id in wanted}
    texts: dict[str, str] = {}
    json_lines = by_suffix(given) in ("jsonl", "json")
    for number, line in _lines(given):
        id, text = (_object if json_lines else _fields)(given, number, line)
        if id not in wanted:
            continue
        if id in texts:
            raise refused(given, number, "every id once", f"{id!r} again")
        texts[id] = _short(text, most)
    return texts


def check(given: TextsLike | None, what: str) -> None:
    """Raise an error for anything but a path or a dict of texts."""
    from collections.abc import Mapping

    if given is not None and not isinstance(given, (str, os.PathLike, Mapping)):
        raise UntiedError(f"{what} must be a path or a mapping of ids to texts, not {type(given).__name__}")


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    for number, line in numbered(path):
        if line.strip():
            try:
                yield number, line.rstrip(b"\r").decode()
            except UnicodeDecodeError:
                raise refused(path, number, "text in UTF-8", "bytes that are not") from None


def _fields(path: Any, number: int, line: str) -> tuple[str, str]:
    id, tab, text = line.partition("\t")
    if not tab or not id.strip():
        raise refused(path, number, TSV, repr(line))
    return id.strip(), text


def _object(path: Any, number: int, line: str) -> tuple[str, str]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise refused(path, number, JSON, repr(line)) from None
    value = value if isinstance(value, dict) else {}
    id = next((value[name] for name in IDS if isinstance(value.get(name), (str, int))), None)
    text = next((value[name] for name in TEXTS if isinstance(value.get(name), str) and value[name].strip()), None)
    if text is None and any(isinstance(value.get(name), str) for name in TEXTS):
        text = ""
    if id is None or text is None:
        raise refused(path, number, JSON, repr(line))
    return str(id), text


def _short(text: str, most: int) -> str:
    """A text on one line, cut if it is long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"
