"""Parts of documents, such as chunks of their texts, as documents."""

from __future__ import annotations

import os

from untied._core import Qrels, Run, show_id
from untied.errors import UntiedError
from untied.inputs import mismatch
from untied.inputs.lines import numbered, refused
from untied.inputs.tolerance import Tolerance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def collapsed_run(run: Run, how: str, source: str) -> Run:
    """Return the run with parts replaced by their documents, at the best part's score. `source` names the run."""
    named = Collapse(how)
    collapsed = {query: [(named.document_of(part), score) for part, score in run[query]] for query in run.queries()}
    named.check(source)
    best = Tolerance(duplicates="best")
    merged = {query: best.kept(rows) for query, rows in collapsed.items()}
    if best.affected:
        before, where = sum(map(len, collapsed.values())), "query" if best.affected == 1 else "queries"
        mismatch.warn_or_raise(
            f"{before:,} rows became {before - best.repeats:,} documents in {best.affected:,} {where} of {source}"
        )
    return Run.from_mapping(merged)


class Collapse:
    """How the id of a part of a document tells the document's id.

    Parameters
    ----------
    how : str
        The mark that ends the document's id in that of a part, such as ``#``; or ``re:`` and a regular expression,
        whose first group is the document's id; or a file with a part, a tab and its document on every line.
    """

    def __init__(self, how: str) -> None:
        self.how = how
        #: Numbers of ids that name a part, and of others.
        self.parts, self.others = 0, 0
        self._find: Callable[[str], str | None]
        if how.startswith("re:"):
            self._find = by_pattern(how.removeprefix("re:"), "document's id")
        elif os.path.isfile(how):
            self._find = _by_file(how).get
        elif how:
            self._find = self._by_mark
        else:
            raise UntiedError("collapse must be a mark, re: and a pattern, or a file, not an empty text")

    def document_of(self, part: str) -> str:
        """Return the id of the part's document, or the part's own id if it names no document."""
        document = self._find(part)
        if document is None:
            self.others += 1
            return part
        self.parts += 1
        return document

    def check(self, source: str) -> None:
        """Raise an error if no id named a part of a document, and warn if some did not."""
        if not self.parts and self.others:
            raise UntiedError(f"{source}: no document's id has {show_id(self.how)}, by which parts were to be found")
        if self.others:
            mismatch.warn_or_raise(
                f"ids of {source} without {show_id(self.how)}, taken as whole documents: {self.others:,}"
            )

    def _by_mark(self, part: str) -> str | None:
        document, mark, rest = part.partition(self.how)
        if self.how in rest:
            raise UntiedError(
                f"{show_id(part)} has {show_id(self.how)} twice; re: and a pattern says where the document's id ends"
            )
        return document if mark and document else None


def by_pattern(pattern: str, what: str) -> Callable[[str], str | None]:
    """Return a function that finds the first group of a regular expression in an id, or None without a match."""
    import re

    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UntiedError(f"{pattern!r} is no regular expression: {error}") from None
    if not compiled.groups:
        raise UntiedError(f"{pattern!r} has no group (...), which is the {what}")

    def find(id_: str) -> str | None:
        found = compiled.fullmatch(id_)
        return (found[1] or None) if found else None

    return find


def _by_file(path: str) -> dict[str, str]:
    documents: dict[str, str] = {}
    for number, line in numbered(path):
        if not line.strip():
            continue
        part, tab, document = line.decode("utf-8", "surrogateescape").rstrip("\r").partition("\t")
        if not part or not tab or not document or "\t" in document:
            raise refused(path, number, "a part, a tab and its document", show_id(line.decode("utf-8", "replace")))
        if documents.setdefault(part, document) != document:
            raise refused(path, number, "one document for every part", f"another one of {show_id(part)}")
    return documents


def collapsed_qrels(qrels: Qrels, how: str) -> Qrels:
    """Return judgments of documents from those of their parts. A document gets the highest grade of its parts."""
    if qrels.format != "trec":
        raise UntiedError(f"judgments of format {qrels.format} are not collapsed: they have more than grades")
    named = Collapse(how)
    judged: dict[str, dict[str, float]] = {}
    for query in qrels.queries():
        grades = judged.setdefault(query, {})
        for part, grade in qrels[query].items():
            document = named.document_of(part)
            grades[document] = max(grade, grades.get(document, grade))
    named.check("the qrels")
    return Qrels.from_mapping(judged)
