"""Comparing runs without judgments, or with few."""

from untied.compare.changes import TopChanges
from untied.compare.comparison import Comparison
from untied.compare.outcomes import Assignment, Outcomes
from untied.compare.runs import compare, compare_all
from untied.compare.several import Comparisons

__all__ = ["Assignment", "Comparison", "Comparisons", "Outcomes", "TopChanges", "compare", "compare_all"]
