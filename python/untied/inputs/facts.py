"""Judgments with subtopics as lists: a query needs several facts, and each has a list of documents that state it."""

from __future__ import annotations

from untied._core import Qrels, find_columns, show_id
from untied.errors import UntiedError
from untied.inputs.lines import id_of, refused
from untied.inputs.rows import id_in, made, records, table_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def by_fact(judged: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return judgments by subtopic. A query may have a list for each subtopic, with the documents relevant to it."""
    return {
        query: _numbered_facts(query, facts) if isinstance(facts, (list, tuple)) else facts
        for query, facts in judged.items()
    }


def _numbered_facts(query: Any, facts: Sequence[Any]) -> dict[str, dict[Any, float]]:
    for documents in facts:
        if not isinstance(documents, (list, tuple)) or any(id_of(document) is None for document in documents):
            expected = "a list of documents for each subtopic"
            raise TypeError(f"qrels: query {query!r}: expected {expected}, found {documents!r:.60}")
    return {str(number): dict.fromkeys(documents, 1.0) for number, documents in enumerate(facts)}


def qrels_of_facts(
    source: Any, format: str, columns: Mapping[str, str] | None, threads: int | None, name: str
) -> Qrels | None:
    """Return judgments with subtopics from a table whose rows have lists of lists. If there are none, you get None.

    The source is a path, or a frame if the format is empty. A list within a list has the documents of a subtopic.
    """
    if format:
        names, rows = table_rows(source, format)
    else:
        rows = list(enumerate(records(source)))
        names = list(rows[0][1]) if rows else []
    if _has_columns(names, "subtopics", columns, name) or not _has_columns(names, "trec", columns, name):
        return None
    query, lists, *rest = find_columns(names, "trec", columns, name)
    if rest:
        return None
    judged: dict[str, Any] = {}
    for number, row in rows:
        id_ = id_in(name, number, row.get(query), "query")
        if id_ in judged:
            raise refused(name, number, "one row for each query", f"query {show_id(id_)} again")
        judged[id_] = _nested(row.get(lists))
    return made(name, lambda: Qrels.from_mapping(by_fact(judged), threads, "subtopics"))


def _has_columns(names: list[str], holds: str, columns: Mapping[str, str] | None, name: str) -> bool:
    try:
        find_columns(names, holds, columns, name)
    except UntiedError:
        return False
    return True


def _nested(cell: Any) -> Any:
    """The lists in a cell of a frame, which may be arrays."""
    cell = cell.tolist() if hasattr(cell, "tolist") else cell
    return [_nested(inner) for inner in cell] if isinstance(cell, list) else cell
