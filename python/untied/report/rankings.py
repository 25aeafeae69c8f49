"""Rankings for a page, with texts of queries and documents."""

from __future__ import annotations

from untied import _core
from untied._core import show_id
from untied.inputs.texts import check, texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied._core import Qrels, Run
    from untied.inputs.texts import TextsLike

#: How many characters of a text a page holds.
MOST_CHARACTERS = 240


def check_texts(queries_text: TextsLike | None, docs_text: TextsLike | None) -> None:
    """Refuse anything but texts before any work is done."""
    check(queries_text, "queries_text")
    check(docs_text, "docs_text")


def titles(queries: list[str], texts: TextsLike | None) -> list[str | None] | None:
    """Texts of queries; None if none are given."""
    if texts is None:
        return None
    known = texts_of(texts, set(queries), MOST_CHARACTERS)
    return [known.get(query) for query in queries]


def rankings(
    queries: list[str],
    qrels: Qrels | None,
    runs: dict[str, Run],
    depth: int,
    score_dtype: str,
    only: set[str] | None = None,
    texts: TextsLike | None = None,
) -> list[dict[str, Any] | None]:
    """For each query, list the first documents of all runs with their grades, and texts if given.

    A run has its tie groups; they refer to documents by their numbers in this list.
    """
    found: list[dict[str, Any] | None] = []
    named: list[list[str]] = []
    for query in queries:
        if only is not None and query not in only:
            found.append(None)
            continue
        grades = qrels[query] if qrels is not None and query in qrels else {}
        numbers: dict[str, int] = {}
        of_runs = []
        for run in runs.values():
            if query not in run:
                of_runs.append({"groups": [], "beyond": 0, "total": 0})
                continue
            groups, beyond, total = _core.top_groups(run, query, depth, score_dtype)
            placed = [[numbers.setdefault(doc, len(numbers)) for doc in group] for group in groups]
            of_runs.append({"groups": placed, "beyond": beyond, "total": total})
        relevant = sum(grade > 0 for grade in grades.values())
        docs = [show_id(doc) for doc in numbers]
        named.append(list(numbers))
        found.append(
            {"docs": docs, "grades": [grades.get(doc) for doc in numbers], "runs": of_runs, "relevant": relevant}
        )
    if texts is not None:
        known = texts_of(texts, {doc for docs in named for doc in docs}, MOST_CHARACTERS)
        for truth, docs in zip((one for one in found if one is not None), named, strict=True):
            truth["texts"] = [known.get(doc) for doc in docs]
    return found
