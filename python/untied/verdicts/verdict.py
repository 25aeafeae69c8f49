"""A verdict about two runs, and its explanation."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from math import inf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied._types import Assigned, Concluded


@dataclass(frozen=True, repr=False)
class Verdict:
    """Which of two runs is certainly better by a measure, and how firmly.

    A is the first run, and B the second.

    Attributes
    ----------
    verdict : str
        ``"A"`` or ``"B"`` if this run is better whatever grades the unjudged documents have. ``"open"`` if this is not
        certain.
    low, high : float
        The lowest and the highest possible difference of the two means, A - B.
    overturn : float
        The smallest number of unjudged documents, over all queries, that would end the lead if they were relevant. It
        is infinite if no documents would, and 0 if neither run is ahead.
    largest_m : float or None
        How many unjudged documents of each query may be relevant while the lead stays certain. It is infinite if any
        number may, and None if neither run is ahead.
    is_exact : bool
        Whether the difference can really be as low as `low` and as high as `high`. Otherwise, these bounds may be too
        wide.
    overturn_is_exact : bool
        Whether `overturn` documents are enough to end the lead. Otherwise, it may take more.
    largest_m_is_exact : bool
        Whether one more relevant document in each query could end the lead. Otherwise, the lead may be certain for
        larger numbers, too.
    """

    verdict: str
    low: float
    high: float
    overturn: float
    largest_m: float | None
    is_exact: bool = field(default=True, repr=False)
    overturn_is_exact: bool = field(default=True, repr=False)
    largest_m_is_exact: bool = field(default=True, repr=False)

    def __repr__(self) -> str:
        shown = [one for one in fields(self) if one.repr or not getattr(self, one.name)]
        return f"Verdict({', '.join(f'{one.name}={getattr(self, one.name)!r}' for one in shown)})"

    @property
    def turned(self) -> Verdict:
        """The same verdict with the two runs in the other order."""
        other = {"A": "B", "B": "A", "open": "open"}[self.verdict]
        return replace(self, verdict=other, low=0.0 - self.high, high=0.0 - self.low)


@dataclass(frozen=True)
class Grades:
    """Grades that unjudged documents of a query could have, and the difference of two runs with them.

    Attributes
    ----------
    difference : float
        The difference of the two runs with these grades, first minus second.
    documents : dict
        The grade of each document that gets one above 0. The most important documents come first.
    elsewhere : list of float
        Grades of pooled documents that neither run retrieves.
    """

    difference: float
    documents: dict[str, float]
    elsewhere: list[float]


@dataclass(frozen=True)
class QueryVerdict:
    """The bounds of one query, and grades that reach them.

    Attributes
    ----------
    query : str
        The id of the query.
    low, high : float
        The lowest and the highest possible difference of the two runs.
    lowest, highest : Grades
        Grades with which the difference is `low`, and grades with which it is `high`. If the bounds are not exact,
        these are the lowest and the highest differences that were found.
    overturning : Grades
        Grades that would help to overturn the verdict: this query's part of the smallest set of documents that would do
        so.
    """

    query: str
    low: float
    high: float
    lowest: Grades
    highest: Grades
    overturning: Grades


@dataclass(frozen=True)
class Explanation:
    """The documents that a verdict depends on, as `Verdicts.explain` returns them.

    Attributes
    ----------
    verdict : Verdict
        The verdict that is explained.
    queries : list of QueryVerdict
        The bounds of each query and grades that reach them. Queries are in byte order of their ids.
    """

    verdict: Verdict
    queries: list[QueryVerdict]


def verdict_of(concluded: Concluded) -> Verdict:
    """A verdict as the native part tells it."""
    low, high, is_exact, verdict, overturn, overturn_is_exact, largest, largest_is_exact = concluded
    return Verdict(
        verdict,
        low,
        high,
        inf if overturn is None else overturn,
        inf if largest == -1 else largest,
        is_exact,
        overturn_is_exact,
        largest_is_exact,
    )


def grades_of(assigned: Assigned) -> Grades:
    """Grades as the native part tells them."""
    difference, documents, elsewhere = assigned
    return Grades(difference, dict(documents), elsewhere)
