"""Comparing runs without judgments, or with few."""

from untied._lazy import imported_when_used
from untied.comparison.changes import TopChanges
from untied.comparison.comparison import Comparison
from untied.comparison.outcomes import Assignment, Outcomes
from untied.comparison.runs import compare, compare_all
from untied.comparison.several import Comparisons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied.comparison import correlation as correlation
    from untied.comparison import distances as distances
    from untied.comparison import passages as passages
else:
    __getattr__ = imported_when_used(__name__, ("correlation", "distances", "passages"))

__all__ = ["Assignment", "Comparison", "Comparisons", "Outcomes", "TopChanges", "compare", "compare_all"]
