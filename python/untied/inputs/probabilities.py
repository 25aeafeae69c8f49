"""Judgments that give a probability for each grade instead of a grade.

A language model may have stated the probability, or it is the share of a document's raters who gave the grade.
"""

from __future__ import annotations

from collections import Counter
from math import fsum

from untied._core import Qrels, find_columns, show_id
from untied.errors import UntiedError
from untied.inputs.lines import id_of, refused, shown
from untied.inputs.mismatch import warn_or_raise
from untied.inputs.rows import grade_of, id_in, listed_failures, note_queries, short_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    #: The probabilities of a document's grades above 0.
    Chances = dict[int, float]

#: Stands for a grade where the core looks for columns; a name that no column has.
_NO_GRADE = "#no grade"
#: How far a sum of probabilities may be from 1, because they were rounded.
_TOLERANCE = 0.01
#: What a table has beside ids.
_COLUMNS = "a column probability, or columns p0, p1, ... for the probability of each grade"
#: The same, or grades of raters.
_ALL_COLUMNS = f"{_COLUMNS}, or a column grade with a row for each rater"
#: What a column of raters may be called.
_RATERS = ("rater", "judge", "annotator", "assessor")
#: Grades are below it.
_END = 2**32


class _Unlikely(Exception):
    """Probabilities of a document that cannot be: what was expected, and what was found."""

    def __init__(self, expected: str, found: str) -> None:
        self.expected, self.found = expected, found
        super().__init__(f"expected {expected}, found {found}")


def qrels_of_table(
    names: list[str],
    rows: Iterable[tuple[int, Mapping[str, Any]]],
    columns: Mapping[str, str] | None,
    threads: int | None,
    source: str = "qrels",
) -> Qrels:
    """Return the qrels in the numbered rows of a table.

    A table without probabilities has a row for each rater of a document, and a grade's probability is the share of
    raters who gave it. Warnings count the ratings that are no grade, and the documents and queries without any.

    Raises
    ------
    InputError
        A probability is missing or not from 0 to 1, those of a document do not add up to 1, or a document occurs twice
        with different ones. A rater's grade is not a whole number, or a rater graded a document twice.
    UntiedError
        A column is missing, or no rating is a grade.
    """
    given = dict(columns or {})
    is_named = "probability" in given
    probability = given.pop("probability", "probability")
    ids = find_columns([*names, _NO_GRADE], "trec", {**given, "grade": _NO_GRADE}, source)[:2]
    documents = _documents(rows, ids, source)
    by_grade = {int(name[1:]): name for name in names if name[:1] == "p" and name[1:].isascii() and name[1:].isdigit()}
    grade = None if is_named or by_grade or probability in names else _grade_column(names, given, source)
    if grade is not None:
        judged = _by_raters(documents, grade, _rater_column(names, source), source)
    else:
        judged = _by_probabilities(documents, _checked(by_grade, names, probability, source), probability, source)
    if not judged:
        raise UntiedError(f"{show_id(source)}: expected a table of probabilities, found no row")
    return _qrels(judged, threads)


def _documents(
    rows: Iterable[tuple[int, Mapping[str, Any]]], ids: list[str], source: str
) -> Iterator[tuple[int, str, str, Mapping[str, Any]]]:
    """Yield the number of each row, its query, its document, and all of its cells."""
    for number, row in rows:
        query, document = (
            id_in(source, number, row.get(name), what) for name, what in zip(ids, ("query", "document"), strict=True)
        )
        yield number, query, document, row


def _by_probabilities(
    documents: Iterable[tuple[int, str, str, Mapping[str, Any]]],
    by_grade: Mapping[int, str],
    probability: str,
    source: str,
) -> dict[str, dict[str, Chances]]:
    """Return the chances in rows that have them: those of each grade, or without `by_grade` that of relevance."""
    judged: dict[str, dict[str, Chances]] = {}
    for number, query, document, row in documents:
        try:
            if by_grade:
                chances = _chances_of({grade: (row.get(name), name) for grade, name in by_grade.items()})
            else:
                chances = _chances_of_relevance(row.get(probability), probability)
        except _Unlikely as error:
            raise refused(source, number, error.expected, error.found) from None
        if judged.setdefault(query, {}).setdefault(document, chances) != chances:
            raise refused(source, number, "the same probabilities of a document", f"others of {show_id(document)}")
    return judged


def _checked(by_grade: Mapping[int, str], names: list[str], probability: str, source: str) -> dict[int, str]:
    """Return the columns of grades by grade. None, if a single column has the probability of relevance."""
    found = ", ".join(f'"{name}"' for name in names)
    if probability in names:
        if by_grade:
            raise UntiedError(f"{show_id(source)}: expected {_COLUMNS}, found both: {found}")
        return {}
    if sorted(by_grade) != list(range(len(by_grade))) or len(by_grade) < 2:
        expected = f"{_ALL_COLUMNS} (or name it by columns= or --column)"
        raise UntiedError(f"{show_id(source)}: expected {expected}, found {found}")
    return dict(sorted(by_grade.items()))


def _grade_column(names: list[str], columns: Mapping[str, str], source: str) -> str | None:
    """Return the column of raters' grades; none if nothing but this column is missing."""
    try:
        needed = find_columns(names, "trec", columns, source)
    except UntiedError:
        try:
            find_columns([*names, "grade"], "trec", columns, source)
        except UntiedError:
            pass
        else:
            return None
        raise
    return needed[2] if len(needed) > 2 else None


def _rater_column(names: list[str], source: str) -> str | None:
    """Return the column that says who gave a grade, if there is one. Case does not matter, as in other columns."""
    found = [name for name in names if name.strip().lower() in _RATERS]
    if len(found) > 1:
        listed = ", ".join(f'"{name}"' for name in found)
        raise UntiedError(f"{show_id(source)}: expected one column for the rater, found {listed}; rename the others")
    return found[0] if found else None


def _by_raters(
    documents: Iterable[tuple[int, str, str, Mapping[str, Any]]],
    grade_column: str,
    rater_column: str | None,
    source: str,
) -> dict[str, dict[str, Chances]]:
    """Return the shares of raters who gave each grade, from rows of one rating each."""
    ratings: dict[str, dict[str, Counter[int]]] = {}
    failed: Counter[str] = Counter()
    lines: dict[tuple[str, str, str], int] = {}
    for number, query, document, row in documents:
        by_grade = ratings.setdefault(query, {}).setdefault(document, Counter())
        cell = row.get(grade_column)
        grade = grade_of(cell)
        rater = None if rater_column is None else id_in(source, number, row.get(rater_column), "rater")
        if grade is None or grade < 0:
            failed[short_label(cell)] += 1
            continue
        if grade != int(grade) or grade >= _END:
            expected = f"a whole number as a rater's grade ({grade_column}; if it is a probability, its column is named"
            raise refused(source, number, f"{expected} probability)", shown(cell))
        by_grade[int(grade)] += 1
        if rater is not None:
            earlier = lines.setdefault((query, document, rater), number)
            if earlier != number:
                found = f"another one of {show_id(rater)} for {show_id(document)}, after {show_id(source)}:{earlier}"
                expected = f"one grade of each rater ({rater_column}) for a document (if all count, rename the column)"
                raise refused(source, number, expected, found)
    judged = {
        query: {
            document: _chances_of({grade: (count / by_grade.total(), "") for grade, count in by_grade.items()})
            for document, by_grade in of_query.items()
            if by_grade
        }
        for query, of_query in ratings.items()
    }
    _note_failed(failed, ratings, source, grade_column)
    return judged


def _note_failed(
    failed: Counter[str], ratings: Mapping[str, Mapping[str, Counter[int]]], source: str, grade_column: str
) -> None:
    """Warn of ratings that are no grade, and of documents and queries without any other."""
    every = [by_grade for of_query in ratings.values() for by_grade in of_query.values()]
    rows = failed.total() + sum(by_grade.total() for by_grade in every)
    if failed.total() == rows > 0:
        found = f"none in {rows:,} rows ({listed_failures(failed)})"
        raise UntiedError(f"{show_id(source)}: expected grades of raters ({grade_column}), found {found}")
    if failed:
        where = f"{failed.total():,} of {rows:,} in {show_id(source)} ({listed_failures(failed)})"
        without = sum(not by_grade for by_grade in every)
        unjudged = f"; documents without any other rating, which are unjudged: {without:,}" if without else ""
        warn_or_raise(f"ratings without a grade, which do not count: {where}{unjudged}")
    note_queries(source, sum(not any(of_query.values()) for of_query in ratings.values()))


def _chances_of_relevance(value: Any, name: str) -> Chances:
    """Return the chances of a document whose probability of relevance, with grade 1, is in a column."""
    chance = _chance(value, name)
    return {1: chance} if chance else {}


def _chances_of(by_grade: Mapping[int, tuple[Any, str]]) -> Chances:
    """Return the chances of a document from the values of all grades, each with the name of its column."""
    chances = {grade: _chance(value, name) for grade, (value, name) in by_grade.items()}
    total = fsum(chances.values())
    if abs(total - 1) > _TOLERANCE:
        listed = " + ".join(f"{chance:g}" for chance in chances.values())
        found = f"{listed} = {total:.6g}" if listed else "none"
        raise _Unlikely("probabilities of all grades that add up to 1", found)
    return {grade: chance / total for grade, chance in sorted(chances.items()) if grade and chance}


def _chance(value: Any, name: str) -> float:
    """Return a probability."""
    number = _number(value)
    if number is None or not 0 <= number <= 1:
        found = "none" if value is None or value == "" else shown(value)
        raise _Unlikely(f"a probability from 0 to 1 ({name})", found)
    return number


def _number(value: Any) -> float | None:
    """Return the number in a cell; None if there is none."""
    if not isinstance(value, str):
        return float(value) if hasattr(value, "__float__") and not isinstance(value, bool) else None
    text = value.strip()
    try:
        # Python also reads other digits, and digits with underscores between them.
        return None if text.strip("0123456789+-.eE") else float(text)
    except ValueError:
        return None


def qrels_of_probabilities(by_query: Any, threads: int | None = None) -> Qrels:
    """Return qrels that hold probabilities, ``{query: {document: probability of relevance}}``.

    In place of a probability there may be those of all grades, ``{grade: probability}``.

    Raises
    ------
    UntiedError
        A probability is not from 0 to 1, or those of a document do not add up to 1.
    TypeError
        There is something else in place of a dict.
    """
    judged: dict[str, dict[str, Chances]] = {}
    for query, documents in by_query.items():
        if not hasattr(documents, "items"):
            raise TypeError(f"qrels[{query!r}]: expected {{document: {{grade: probability}}}}, found {documents!r:.60}")
        of_query = judged.setdefault(_id(query, "qrels"), {})
        for document, value in documents.items():
            where = f"qrels[{query!r}][{document!r}]"
            try:
                chances = (
                    _chances_of(_by_grade(value, where))
                    if hasattr(value, "items")
                    else (_chances_of_relevance(value, "of relevance"))
                )
            except _Unlikely as error:
                raise UntiedError(f"{where}: {error}") from None
            name = _id(document, where)
            if of_query.setdefault(name, chances) != chances:
                raise UntiedError(f"{where}: expected one entry for every document, found another of {name!r}")
    return _qrels(judged, threads)


def _by_grade(chances: Any, where: str) -> dict[int, tuple[Any, str]]:
    """Return the probabilities of a document by grade, each with a name for messages."""
    by_grade = {}
    for grade, chance in chances.items():
        if isinstance(grade, bool) or not hasattr(grade, "__index__") or not 0 <= grade < _END:
            raise UntiedError(f"{where}: expected whole numbers of at least 0 as grades, found {grade!r:.60}")
        by_grade[int(grade)] = chance, f"of grade {grade}"
    return by_grade


def _id(value: Any, where: str) -> str:
    name = id_of(value)
    if name is None:
        raise TypeError(f"{where}: expected ids that are texts or whole numbers, found {value!r:.60}")
    return name


def _qrels(judged: Mapping[str, Mapping[str, Chances]], threads: int | None) -> Qrels:
    return Qrels.from_probabilities(
        [
            (query, [(document, list(chances.items())) for document, chances in documents.items()])
            for query, documents in judged.items()
        ],
        threads,
    )
