"""Judgments that give a probability for each grade, such as those of a language model, instead of a grade."""

from __future__ import annotations

from math import fsum

from untied._core import Qrels, find_columns, show_id
from untied.errors import UntiedError
from untied.inputs.lines import id_of, refused, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    #: The probabilities of a document's grades above 0.
    Chances = dict[int, float]

#: Stands for a grade where the core looks for columns; a name that no column has.
_NO_GRADE = "#no grade"
#: How far a sum of probabilities may be from 1, because they were rounded.
_TOLERANCE = 0.01
#: What a table has beside ids.
_COLUMNS = "a column probability, or columns p0, p1, ... for the probability of each grade"


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

    Raises
    ------
    InputError
        A probability is missing or not from 0 to 1, those of a document do not add up to 1, or a document occurs twice
        with different ones.
    UntiedError
        A column is missing.
    """
    given = dict(columns or {})
    probability = given.pop("probability", "probability")
    query_column, document_column = find_columns([*names, _NO_GRADE], "trec", {**given, "grade": _NO_GRADE}, source)[:2]
    by_grade = _grade_columns(names, probability, source)
    judged: dict[str, dict[str, Chances]] = {}
    for number, row in rows:
        query, document = id_of(row.get(query_column)), id_of(row.get(document_column))
        if query is None or document is None:
            missing, column = ("query", query_column) if query is None else ("document", document_column)
            raise refused(source, number, f"a {missing}'s id", shown(row.get(column)))
        try:
            if by_grade:
                chances = _chances_of({grade: (row.get(name), name) for grade, name in by_grade.items()})
            else:
                chances = _chances_of_relevance(row.get(probability), probability)
        except _Unlikely as error:
            raise refused(source, number, error.expected, error.found) from None
        if judged.setdefault(query, {}).setdefault(document, chances) != chances:
            raise refused(source, number, "the same probabilities of a document", f"others of {show_id(document)}")
    if not judged:
        raise UntiedError(f"{show_id(source)}: expected a table of probabilities, found no row")
    return _qrels(judged, threads)


def _grade_columns(names: list[str], probability: str, source: str) -> dict[int, str]:
    """Return the columns of grades by grade. None, if a single column has the probability of relevance."""
    by_grade = {int(name[1:]): name for name in names if name[:1] == "p" and name[1:].isascii() and name[1:].isdigit()}
    found = ", ".join(f'"{name}"' for name in names)
    if probability in names:
        if by_grade:
            raise UntiedError(f"{show_id(source)}: expected {_COLUMNS}, found both: {found}")
        return {}
    if sorted(by_grade) != list(range(len(by_grade))) or len(by_grade) < 2:
        raise UntiedError(f"{show_id(source)}: expected {_COLUMNS} (or name it by columns= or --column), found {found}")
    return dict(sorted(by_grade.items()))


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
        if isinstance(grade, bool) or not hasattr(grade, "__index__") or not 0 <= grade < 2**32:
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
