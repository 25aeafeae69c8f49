"""A verdict about two runs, and its explanation."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from math import inf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied._types import Assigned, Concluded


@dataclass(frozen=True, repr=False)
class Verdict:
    """Which of two runs is certainly better by a measure, if one is, and how firmly.

    A and B are the first and the second run.

    Attributes
    ----------
    verdict : str
        ``"A"`` or ``"B"`` if this run is better whatever grades the unjudged documents have. ``"open"`` if neither run
        is certainly better. Either the grades decide, or the runs could be equal, or the bounds are too wide to tell.
    low, high : float
        The lowest and the highest possible difference of the means, A - B.
    overturn : float
        The smallest number of unjudged documents, over all queries, that could end the lead if they are relevant. It is
        infinite if no number of them could, and 0 if neither run is ahead.
    largest_m : float or None
        How many unjudged documents of each query may be relevant while the lead stays certain. It is infinite if the
        lead is certain whatever they are, and None if neither run is ahead.
    is_exact : bool
        Whether the difference can really be as low as `low` and as high as `high`. If not, these bounds may be too
        wide.
    overturn_is_exact : bool
        Whether `overturn` documents are certainly enough to end the lead. If not, it may take more documents.
    largest_m_is_exact : bool
        Whether one more relevant document per query than `largest_m` can really end the lead. If not, the lead may be
        certain for larger numbers too.
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
    """Grades that the unjudged documents of a query could have, and what they would do to the difference of two runs.

    Attributes
    ----------
    difference : float
        The difference of the two runs with these grades, first minus second.
    documents : dict
        The documents that get a grade above 0, as keys, and their grades. The most important documents come first.
    elsewhere : list of float
        Grades of pooled documents that neither run retrieves.
    """

    difference: float
    documents: dict[str, float]
    elsewhere: list[float]


@dataclass(frozen=True)
class QueryVerdict:
    """The bounds of one query, and the documents that reach them.

    Attributes
    ----------
    query : str
        Its id.
    low, high : float
        The lowest and the highest possible difference of the two runs in this query.
    lowest, highest : Grades
        Grades that give the difference `low` and `high`, or the lowest and the highest that was found if the bounds are
        not exact.
    overturning : Grades
        This query's share of the smallest set of documents that would overturn the verdict.
    """

    query: str
    low: float
    high: float
    lowest: Grades
    highest: Grades
    overturning: Grades


@dataclass(frozen=True)
class Explanation:
    """The documents that a verdict depends on, from `Verdicts.explain`.

    Attributes
    ----------
    verdict : Verdict
        The verdict.
    queries : list of QueryVerdict
        For each query, its bounds and the documents that reach them. Queries are in byte order of their ids.
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
