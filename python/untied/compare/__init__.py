"""Comparing runs without judgments, or with few."""

from untied.compare.runs import Assignment, Comparison, Comparisons, Outcomes, compare, compare_all

__all__ = ["Assignment", "Comparison", "Comparisons", "Outcomes", "compare", "compare_all"]
