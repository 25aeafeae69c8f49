"""What is tolerated in a run: documents that a query retrieves several times, and queries that failed."""

from __future__ import annotations

from untied._core import show_id
from untied.errors import UntiedError, check_one_of
from untied.inputs import mismatch
from untied.inputs.lines import id_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal
    from typing import Any

    #: A document's id and score.
    Row = tuple[str, float | Decimal]
    Ranking = dict[str, float | Decimal]

#: What becomes of a document that a query retrieves several times.
DUPLICATES = {
    "error": "refuse the run (default)",
    "first": "keep the row that comes first in the file",
    "last": "keep the row that comes last in the file",
    "best": "keep the row with the highest score",
    "repeat": "keep all rows, but only the highest one counts; the others become unjudged documents",
}
#: The same in notes.
EFFECTS = {
    "first": "only the first row of a document was kept",
    "last": "only the last row of a document was kept",
    "best": "only the highest score of a document was kept",
    "repeat": "they were kept as unjudged documents",
}
#: What becomes of a query that failed, such as one that the search engine did not answer in time.
FAILED = {
    "error": "refuse the run (default)",
    "missing": "leave the query out of the run, which then lacks it",
}


class Repeated(Exception):
    """Raised if a query retrieves a document several times. The only argument is the document's id."""


class NotTolerated(UntiedError):
    """Raised if duplicates of documents have no place in a ranking. Whoever reads the file names it in the message."""


class Tolerance:
    """The faults that a run may have, and how many it has.

    Parameters
    ----------
    duplicates : str
        Which rows of a document are kept, a key of `DUPLICATES`.
    failed : str
        What becomes of queries that failed, a key of `FAILED`.
    """

    def __init__(self, duplicates: str = "error", failed: str = "error") -> None:
        self.duplicates, self.failed = duplicates, failed
        #: Queries, those of them in which a document is repeated, and rows that repeat one.
        self.queries = self.affected = self.repeats = 0
        #: Queries that failed, if this is tolerated.
        self.missing: list[str] = []

    def tolerates(self, error: UntiedError) -> bool:
        """Say whether a run is to be read again, because the core refused a repeated document that is tolerated."""
        return self.duplicates != "error" and error.kind == "repeated"

    def leaves_out(self, query: str) -> bool:
        """Say whether to leave out this query, which failed."""
        if self.failed == "missing":
            self.missing.append(query)
        return self.failed == "missing"

    def kept(self, rows: Iterable[Row]) -> Ranking:
        """Return the rows of a query that stay, in their order."""
        rows = list(rows)
        documents = {document for document, _ in rows}
        self.queries += 1
        if len(documents) == len(rows):
            return dict(rows)
        self.affected += 1
        self.repeats += len(rows) - len(documents)
        return _with_copies(rows) if self.duplicates == "repeat" else self._one_each(rows)

    def _one_each(self, rows: list[Row]) -> Ranking:
        kept: Ranking = {}
        for document, score in rows:
            if document in kept:
                if self.duplicates == "error":
                    raise Repeated(document)
                if self.duplicates == "first" or (self.duplicates == "best" and score <= kept[document]):
                    continue
                del kept[document]  # the row that stays keeps its own place among equal scores
            kept[document] = score
        return kept

    def note(self, source: str) -> None:
        """Warn of what was tolerated. The warning names the run by `source`."""
        if self.missing:
            named = mismatch.listed([show_id(query) for query in self.missing])
            mismatch.warn_or_raise(f"failed queries, left out of {source}: {len(self.missing):,} ({named})")
        mismatch.warn_or_raise(of_repeats(self.duplicates, self.repeats, self.affected, self.queries, source))


def of_repeats(duplicates: str, repeats: int, affected: int, queries: int, source: str) -> str | None:
    """What was done with rows that repeat a document, in some of the queries of a run; None if there are none."""
    if not repeats:
        return None
    what = "duplicate" if repeats == 1 else "duplicates"
    where = f"{affected:,} of {queries:,} {'query' if queries == 1 else 'queries'}"
    return f"{repeats:,} {what} in {where} of {source}: {EFFECTS[duplicates]}"


def ranked_once(ranking: Any, tolerance: Tolerance) -> Any:
    """A ranked list, in which an inner list is tied, with the scores of the documents that stay; all else as it is."""
    if not isinstance(ranking, (list, tuple)):
        return ranking
    groups = [group if isinstance(group, (list, tuple)) else [group] for group in ranking]
    rows = [(id_of(document), -float(place)) for place, group in enumerate(groups) for document in group]
    if any(document is None for document, _ in rows):
        return ranking  # which is refused
    return tolerance.kept((document or "", score) for document, score in rows)


def _with_copies(rows: list[Row]) -> Ranking:
    """All rows; the first one of a document in the ranking keeps its id, and each later one gets an id of its own."""
    seen: dict[str, set[float | Decimal]] = {}
    ranking: Ranking = {}
    for document, score in sorted(rows, key=lambda row: -row[1]):
        scores = seen.setdefault(document, set())
        if score in scores:
            raise NotTolerated(
                f"document {show_id(document)} is tied with its copy, so it is undecided which of them counts; "
                "with duplicates best, one of them is kept"
            )
        scores.add(score)
        ranking[f"{document}:copy{len(scores)}" if len(scores) > 1 else document] = score
    if len(ranking) < len(rows):
        raise NotTolerated("the id of a document ends in :copy and a number, as the ids of copies do")
    return ranking


def check_tolerance(duplicates: str, failed: str, *, collapsed: bool) -> None:
    """Raise an error for an unknown option, and for `duplicates` together with parts of documents."""
    check_one_of("duplicates", duplicates, tuple(DUPLICATES))
    check_one_of("failed", failed, tuple(FAILED))
    if duplicates == "repeat" and collapsed:
        raise UntiedError(
            "duplicates repeat keeps all rows of a document, and collapse merges them; choose one of them"
        )
