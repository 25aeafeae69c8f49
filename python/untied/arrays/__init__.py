"""Arrays: scores and labels without document ids, and millions of pairs of rankings.

`evaluate_arrays` and `ArrayEvaluator` evaluate arrays of scores, `compare_arrays` compares arrays of ids row by row.
"""

from __future__ import annotations

from untied.arrays.compare import ArrayComparison, compare_arrays
from untied.arrays.evaluate import ArrayEvaluator, evaluate_arrays
from untied.arrays.results import ArrayResults
from untied.arrays.values import ArrayQueries, ArrayValues

__all__ = [
    "ArrayComparison",
    "ArrayEvaluator",
    "ArrayQueries",
    "ArrayResults",
    "ArrayValues",
    "compare_arrays",
    "evaluate_arrays",
]
