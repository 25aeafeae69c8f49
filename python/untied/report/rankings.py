"""Rankings for a page, with texts of queries and documents."""

from __future__ import annotations

from untied import _core
from untied._core import show_id
from untied.inputs.texts import check, texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
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
    both_ranks: bool = False,
) -> list[dict[str, Any] | None]:
    """For each query, list the first documents of all runs with their grades, and texts if given.

    A run has its tie groups; they refer to documents by their numbers in this list. With `both_ranks`, each document
    has its ranks in the two runs, at any depth: the first of its tie group, None if the run does not retrieve it.

    If the qrels are preferences, places stand for grades: 1, and 1 more for each document that is preferred.
    """
    rows: list[dict[str, Any] | None] = []
    named: list[list[str]] = []
    for query in queries:
        if only is not None and query not in only:
            rows.append(None)
            continue
        grades: dict[str, float] = {}
        if qrels is not None and query in qrels:
            grades = qrels.places(query) if qrels.format == "preferences" else qrels[query]
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
        truth: dict[str, Any] = {"docs": docs, "grades": [grades.get(doc) for doc in numbers]}
        truth |= {"runs": of_runs, "relevant": relevant}
        if both_ranks:
            truth["ranks"] = _ranks(query, runs, depth, score_dtype, numbers)
        rows.append(truth)
    if texts is not None:
        known = texts_of(texts, {doc for docs in named for doc in docs}, MOST_CHARACTERS)
        for one, docs in zip((one for one in rows if one is not None), named, strict=True):
            one["texts"] = [known.get(doc) for doc in docs]
    return rows


def _ranks(
    query: str, runs: dict[str, Run], depth: int, score_dtype: str, documents: Iterable[str]
) -> list[list[int | None]]:
    """The ranks of these documents, which one of two runs has within the depth."""
    a, b = runs.values()
    policies = _core.Policies("pairs", score_dtype=score_dtype)
    rows = _core.moved_documents(a, b, query, qrels=None, depth=depth, policies=policies)
    ranks = {document: [rank and rank[0] for rank in ranks] for document, *ranks, _ in rows}
    return [ranks[document] for document in documents]
