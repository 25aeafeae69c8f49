"""A verdict about two runs, and why it is so."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied._types import Assigned, Concluded


@dataclass(frozen=True)
class Verdict:
    """What can be concluded about two runs in a measure.

    Attributes
    ----------
    verdict : str
        ``"A"``: the first run is better whatever unjudged documents are; ``"B"``: the second is; ``"open"``: it depends
        on them.
    low, high : float
        The lowest and the highest difference of the means, that of the first run less that of the second.
    overturn : float
        The smallest number of unjudged documents, over all queries, that would end the lead of the run ahead if they
        were relevant; infinite if no number is enough, 0 if neither is ahead.
    largest_m : float or None
        How many unjudged documents of each query may be relevant while the run ahead certainly stays ahead; infinite
        for any number, None if neither is ahead.
    is_exact : bool
        Whether there are grades with which the difference is `low`, and others with which it is `high`; else these
        only enclose what is possible.
    overturn_is_exact : bool
        Whether `overturn` documents are enough; if not, at least that many are needed.
    """

    verdict: str
    low: float
    high: float
    overturn: float
    largest_m: float | None
    is_exact: bool = field(default=True, repr=False)
    overturn_is_exact: bool = field(default=True, repr=False)

    @property
    def turned(self) -> Verdict:
        """The same about the two runs in the other order."""
        other = {"A": "B", "B": "A", "open": "open"}[self.verdict]
        return replace(self, verdict=other, low=0.0 - self.high, high=0.0 - self.low)


@dataclass(frozen=True)
class Grades:
    """Grades that unjudged documents of a query may have.

    Attributes
    ----------
    difference : float
        The difference of the two runs with them.
    documents : dict
        Documents with a grade above 0, the most important first.
    elsewhere : list of float
        Grades of pooled documents that neither run retrieves.
    """

    difference: float
    documents: dict[str, float]
    elsewhere: list[float]


@dataclass(frozen=True)
class QueryVerdict:
    """What can be concluded about a query.

    Attributes
    ----------
    query : str
        Its id.
    low, high : float
        The lowest and the highest difference.
    lowest, highest : Grades
        Grades with which it is so; where bounds only enclose, the best that are known.
    overturning : Grades
        Documents of this query that, together with those of other queries, overturn the verdict first.
    """

    query: str
    low: float
    high: float
    lowest: Grades
    highest: Grades
    overturning: Grades


@dataclass(frozen=True)
class Explanation:
    """Why a verdict is as it is.

    Attributes
    ----------
    verdict : Verdict
        The verdict.
    queries : list of QueryVerdict
        Query by query, in byte order of their ids.
    """

    verdict: Verdict
    queries: list[QueryVerdict]


def verdict_of(found: Concluded) -> Verdict:
    """A verdict as the native part tells it."""
    low, high, is_exact, verdict, overturn, overturn_is_exact, largest = found
    return Verdict(
        verdict,
        low,
        high,
        inf if overturn is None else overturn,
        inf if largest == -1 else largest,
        is_exact,
        overturn_is_exact,
    )


def grades_of(assigned: Assigned) -> Grades:
    """Grades as the native part tells them."""
    difference, documents, elsewhere = assigned
    return Grades(difference, dict(documents), elsewhere)
