"""A verdict about two runs, and its explanation."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from math import inf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied._types import Assigned, Concluded


@dataclass(frozen=True, repr=False)
class Verdict:
    """The verdict about two runs by a measure.

    Attributes
    ----------
    verdict : str
        ``"A"``: the first run is better for all grades of unjudged documents. ``"B"``: the second run is. ``"open"``:
        neither is certain, because the grades decide, the runs could be equal, or the bounds are too wide to tell.
    low, high : float
        The lowest and the highest difference of the means, first run minus second.
    overturn : float
        The smallest number of unjudged documents, in all queries together, that would end the lead if they were
        relevant; infinite if no number would end it, 0 if neither run is ahead.
    largest_m : float or None
        The largest M for which the lead is certain as long as at most M unjudged documents of each query are relevant;
        infinite if the lead is certain for every M, None if neither run is ahead.
    is_exact : bool
        Whether the difference can be as low as `low` and as high as `high`; otherwise these bounds may be wider than
        necessary.
    overturn_is_exact : bool
        Whether `overturn` documents are certainly enough; otherwise, more may be needed.
    largest_m_is_exact : bool
        Whether one more relevant document per query than `largest_m` can end the lead; otherwise, the lead may be
        certain for a larger M.
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
        """The verdict about the two runs in the other order."""
        other = {"A": "B", "B": "A", "open": "open"}[self.verdict]
        return replace(self, verdict=other, low=0.0 - self.high, high=0.0 - self.low)


@dataclass(frozen=True)
class Grades:
    """Grades that the unjudged documents of a query could have, and the difference that they would make.

    Attributes
    ----------
    difference : float
        The difference of the two runs with these grades.
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
    """The bounds of a query, and the documents behind them.

    Attributes
    ----------
    query : str
        Its id.
    low, high : float
        The lowest and the highest difference.
    lowest, highest : Grades
        Grades with which the difference is `low` and `high`; if bounds are not exact, the lowest and highest known
        difference.
    overturning : Grades
        Documents of this query that, together with those of other queries, overturn the verdict with the smallest total
        number.
    """

    query: str
    low: float
    high: float
    lowest: Grades
    highest: Grades
    overturning: Grades


@dataclass(frozen=True)
class Explanation:
    """The explanation of a verdict.

    Attributes
    ----------
    verdict : Verdict
        The verdict.
    queries : list of QueryVerdict
        Query by query, in byte order of their ids.
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
