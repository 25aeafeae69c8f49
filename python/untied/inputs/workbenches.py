"""Judgments and rankings as workbenches keep them: OpenSearch's Search Relevance Workbench, Quepid, and RRE.

They name queries by their texts. A document that was to be rated and has no rating is pooled but not judged.
"""

from __future__ import annotations

import csv
from decimal import Decimal, InvalidOperation
from io import StringIO

from untied._core import show_id
from untied.errors import UntiedError, either
from untied.inputs import mismatch
from untied.inputs.lines import id_of, refused, shown
from untied.inputs.tolerance import Repeated, Tolerance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from untied.inputs.tolerance import Ranking

    Grades = dict[str, dict[str, float]]
    Rankings = dict[str, Ranking]

#: The grade of a document that was pooled and not judged.
UNJUDGED = -1.0

WORKBENCH_JUDGMENTS = 'a judgment list of the workbench, with a list "judgmentRatings"'
WORKBENCH_RESULTS = 'evaluation results of the workbench, each with "searchText" and a list "documentIds"'
QUEPID_RATINGS = 'an export of Quepid, with a list "queries"'
QUEPID_SNAPSHOT = "a snapshot of Quepid, {query: [{id, rated_only}, ...]}"
RRE_RATINGS = 'ratings of RRE, with "queries", "query_groups" or "topics"'


class Judged:
    """Grades by query and document. A grade may be given several times if it is always the same."""

    def __init__(self) -> None:
        self.grades: Grades = {}

    def add(self, query: str, document: object, grade: float) -> None:
        """Add a grade. A different grade for the same document is an error."""
        name = _id(document, f"a document of query {show_id(query)}")
        earlier = self.grades.setdefault(query, {}).setdefault(name, grade)
        if earlier != grade:
            raise UntiedError(
                f"query {show_id(query)}: document {show_id(name)} has the ratings {earlier:g} and {grade:g}"
            )


def workbench_judgments(content: Mapping[str, Any]) -> Grades:
    """Return the judgments of a judgment list, in the form that the API returns or in the form that it imports."""
    sources = list(_sources(content))
    if len(sources) != 1:
        raise UntiedError(f"expected one judgment list, found {len(sources)}")
    (judgments,) = sources
    status = judgments.get("status", "COMPLETED")
    if status != "COMPLETED":
        raise UntiedError(f'expected a judgment list with "status": "COMPLETED", found {shown(status)}')
    by_query: dict[str, dict[str, float]] = {}
    for entry in _list(judgments, "judgmentRatings", WORKBENCH_JUDGMENTS):
        query = _id(entry.get("query") if isinstance(entry, dict) else None, 'a "query" of "judgmentRatings"')
        judged = Judged()
        judged.grades[query] = {}
        for rating in _list(entry, "ratings", f'"ratings" of query {show_id(query)}'):
            document = _member(rating, "docId", query)
            judged.add(query, document, _grade(_member(rating, "rating", query), query, document))
        for failure in _optional_list(entry, "failures"):
            document = _id(_member(failure, "docId", query), f"a document of query {show_id(query)}")
            judged.grades[query].setdefault(document, UNJUDGED)
        if by_query.setdefault(query, judged.grades[query]) != judged.grades[query]:
            raise UntiedError(f"query {show_id(query)} has two lists of ratings that differ")
    return by_query


def workbench_parts(content: Mapping[str, Any]) -> list[str]:
    """Return the search configurations in a file of results, sorted by name."""
    return sorted({_configuration(result) for result in _sources(content)})


def workbench_rankings(content: Mapping[str, Any], part: str | None, tolerance: Tolerance) -> Rankings:
    """Return the rankings of a search configuration. You needn't name it if there is only one."""
    parts = workbench_parts(content)
    if part is None:
        if len(parts) > 1:
            raise UntiedError(
                f"there are results of several search configurations, {either(parts)}; name one: --part (part=)"
            )
        part = parts[0] if parts else None
    elif part not in parts:
        raise UntiedError(f"there are results of the search configurations {either(parts)}, not of {show_id(part)}")
    rankings: Rankings = {}
    for result in _sources(content):
        if _configuration(result) != part:
            continue
        query = _id(result.get("searchText"), '"searchText" of an evaluation result')
        documents = _ranked(query, _list(result, "documentIds", WORKBENCH_RESULTS), tolerance)
        if rankings.setdefault(query, documents) != documents:
            raise UntiedError(f"query {show_id(query)} has two rankings that differ")
    return rankings


def _configuration(result: Mapping[str, Any]) -> str:
    return _id(result.get("searchConfigurationId"), '"searchConfigurationId" of an evaluation result')


def _sources(content: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The documents of a response, or the one document that there is."""
    if "hits" not in content:
        yield dict(content)
        return
    hits = content["hits"].get("hits") if isinstance(content["hits"], dict) else None
    for hit in hits if isinstance(hits, list) else ():
        source = hit.get("_source") if isinstance(hit, dict) else None
        if not isinstance(source, dict):
            raise UntiedError('expected a "_source" in every hit, found none')
        yield source


def quepid_ratings(content: Mapping[str, Any]) -> Grades:
    """Return the ratings in Quepid's JSON."""
    judged = Judged()
    unrated: dict[str, None] = {}
    for entry in _list(content, "queries", QUEPID_RATINGS):
        query = _id(entry.get("query") if isinstance(entry, dict) else None, 'a "query" of "queries"')
        ratings = entry.get("ratings") or {}
        if not isinstance(ratings, dict):
            raise UntiedError(f'query {show_id(query)}: expected "ratings" {{document: rating}}, found another value')
        if not ratings:
            unrated[query] = None
        for document, rating in ratings.items():
            judged.add(query, document, UNJUDGED if rating is None else _grade(rating, query, document))
    _warn_of_unrated(unrated, judged.grades)
    return judged.grades


def quepid_snapshot(content: Mapping[str, Any], tolerance: Tolerance) -> Rankings:
    """Return the rankings in a snapshot's JSON, without rated documents that were not retrieved."""
    docs = content.get("docs", content)
    if not isinstance(docs, dict):
        raise UntiedError(f"expected {QUEPID_SNAPSHOT}, found another value")
    rankings: Rankings = {}
    for query, documents in docs.items():
        if not isinstance(documents, list) or not all(isinstance(one, dict) for one in documents):
            raise UntiedError(f"expected {QUEPID_SNAPSHOT}, found another value for {show_id(query)}")
        retrieved = [one.get("id") for one in documents if one.get("rated_only") is not True]
        rankings[query] = _ranked(query, retrieved, tolerance)
    return rankings


def quepid_csv_ratings(path: str, text: str) -> Grades:
    """Return the ratings in Quepid's CSV: of a case, of a snapshot, or of a book with a column for each judge."""
    columns, rows = _table(path, text)
    query_at, document_at = _column(path, columns, QUERY), _column(path, columns, DOCUMENT)
    judges = [columns.index("rating")] if "rating" in columns else _others(path, columns, {query_at, document_at})
    judged = Judged()
    unrated: dict[str, None] = {}
    for line, row in rows:
        query, document = row[query_at], _cell(row, document_at)
        if not document:
            unrated[query] = None
            continue
        ratings = {_cell(row, place) for place in judges} - {""}
        try:
            grades = sorted({_grade(rating, query, document) for rating in ratings})
            if len(grades) > 1:
                both = f"{grades[0]:g} and {grades[-1]:g}"
                raise UntiedError(f"query {show_id(query)}: judges rate {show_id(document)} {both}")
            judged.add(query, document, *grades or [UNJUDGED])
        except UntiedError as error:
            raise refused(path, line, "one rating of each document", str(error)) from None
    _warn_of_unrated(unrated, judged.grades)
    _warn_of_blanks(judged.grades)
    return judged.grades


def quepid_csv_rankings(path: str, text: str, tolerance: Tolerance) -> Rankings:
    """Return the rankings in Quepid's CSV, of a snapshot or detailed. Documents are ranked by their positions."""
    columns, rows = _table(path, text)
    query_at, document_at = _column(path, columns, QUERY), _column(path, columns, DOCUMENT)
    position_at = _column(path, columns, ("doc_position",))
    placed: dict[str, dict[int, str]] = {}
    for line, row in rows:
        documents = placed.setdefault(row[query_at], {})
        document, position = _cell(row, document_at), _cell(row, position_at)
        if not document:
            continue
        if not position.isascii() or not position.isdigit():
            raise refused(path, line, "a whole number as the position", show_id(position) or "none")
        if documents.setdefault(int(position), document) != document:
            raise refused(path, line, "one document at each position of a query", f"two at {position}")
    mismatch.warn_or_raise(
        "Quepid's CSV of a snapshot may rank rated documents that were not retrieved; its JSON tells them apart"
    )
    _warn_of_blanks(placed)
    return {query: _ranked(query, [docs[place] for place in sorted(docs)], tolerance) for query, docs in placed.items()}


#: Names of columns in Quepid's files.
QUERY, DOCUMENT = ("query", "query_text"), ("docid", "doc_id")


def _table(path: str, text: str) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """The names of columns, and rows with their lines."""
    reader = csv.reader(StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)

    def rows() -> Iterator[tuple[int, list[str]]]:
        try:
            yield from ((reader.line_num, row) for row in reader if row)
        except csv.Error as error:
            raise refused(path, reader.line_num, "CSV", str(error)) from None

    entries = rows()
    header = next(entries, (1, []))[1]
    return [name.strip().lower().replace(" ", "_") for name in header], entries


def _column(path: str, columns: Sequence[str], names: Sequence[str]) -> int:
    for name in names:
        if name in columns:
            return columns.index(name)
    raise refused(path, 1, f"a column {either(names)}", ", ".join(columns) or "nothing")


def _others(path: str, columns: Sequence[str], places: set[int]) -> list[int]:
    others = [place for place in range(len(columns)) if place not in places]
    if not others:
        raise refused(path, 1, "a column rating, or one for each judge", ", ".join(columns))
    return others


def _cell(row: Sequence[str], place: int) -> str:
    """A cell; rows of queries without results end early."""
    return row[place] if place < len(row) else ""


def _warn_of_unrated(unrated: Mapping[str, object], grades: Grades) -> None:
    left_out = sum(query not in grades for query in unrated)
    if left_out:
        mismatch.warn_or_raise(f"queries without any rated document, left out: {left_out}")


def _warn_of_blanks(queries: Mapping[str, object]) -> None:
    count = sum(query.startswith(" ") for query in queries)
    if count:
        mismatch.warn_or_raise(
            f"queries whose text begins with a blank: {count} (Quepid's CSV puts one before -, =, + and @)"
        )


def rre_ratings(content: Mapping[str, Any]) -> Grades:
    """Return the ratings in RRE's file. Queries may be in groups and topics, and share the documents of their group."""
    judged = Judged()
    _add_rre(judged, content, None)
    if not judged.grades:
        raise UntiedError(f"expected {RRE_RATINGS}, found no query")
    return judged.grades


def _add_rre(judged: Judged, holder: Mapping[str, Any], shared: Mapping[str, Any] | None) -> None:
    relevant = holder.get("relevant_documents", shared)
    for name in ("topics", "query_groups", "queries"):
        for entry in _optional_list(holder, name):
            if not isinstance(entry, dict):
                raise UntiedError(f'expected objects in "{name}", found another value')
            _add_rre(judged, entry, relevant)
    placeholders = holder.get("placeholders")
    if not isinstance(placeholders, dict):
        return
    query = _id(placeholders.get("$query"), 'a text "$query" among the placeholders')
    judged.grades.setdefault(query, {})
    if not isinstance(relevant, dict):
        raise UntiedError(f'query {show_id(query)}: expected "relevant_documents", found none')
    for name, value in relevant.items():
        if isinstance(value, list):
            for document in value:
                judged.add(query, document, _grade(name, query, document))
        else:
            gain = value.get("gain", value.get("rating")) if isinstance(value, dict) else None
            judged.add(query, name, _grade(gain, query, name))


def _ranked(query: str, documents: Sequence[object], tolerance: Tolerance) -> Ranking:
    """Return scores for documents that come best first. They are the ranks with a minus."""
    ranked = [_id(document, f"a document of query {show_id(query)}") for document in documents]
    try:
        return tolerance.kept((document, -float(rank)) for rank, document in enumerate(ranked, 1))
    except Repeated as repeated:
        raise UntiedError(f"query {show_id(query)} has document {show_id(repeated.args[0])} twice") from None


def _list(holder: Any, name: str, expected: str) -> list[Any]:
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, list):
        raise UntiedError(f"expected {expected}, found {'none' if value is None else 'another value'}")
    return value


def _optional_list(holder: Mapping[str, Any], name: str) -> list[Any]:
    return [] if holder.get(name) is None else _list(holder, name, f'a list "{name}"')


def _member(holder: Any, name: str, query: str) -> Any:
    value = holder.get(name) if isinstance(holder, dict) else None
    if value is None:
        raise UntiedError(f'query {show_id(query)}: expected "{name}" of every document, found none')
    return value


def _id(value: object, what: str) -> str:
    id_ = id_of(value)
    if id_ is None:
        raise UntiedError(f"expected {what}, found {shown(value)}")
    return id_


def _grade(value: object, query: str, document: object) -> float:
    """Return a rating, which may be a number or the text of one."""
    try:
        if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
            raise InvalidOperation
        number = Decimal(str(value))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        where = f"query {show_id(query)}: document {show_id(str(document))}"
        raise UntiedError(f"{where}: expected a finite number as rating, found {shown(value)}")
    return float(number)
