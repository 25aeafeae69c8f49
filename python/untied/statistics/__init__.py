"""Significance tests for runs, with confidence intervals, effect sizes and corrections for many comparisons.

`significance`, `discriminative_power`, `required_queries` and `estimate_runs` take the `Results` of `untied.evaluate`.
The other functions take plain numbers, one for each query. SciPy is needed for the t-test, Wilcoxon's test, Student's
interval, planning, and estimates from human and machine judgments.
"""

from untied.statistics.drawn_documents import estimate_drawn
from untied.statistics.intervals import INTERVALS, mean_interval
from untied.statistics.judged_runs import RunEstimates, estimate_runs
from untied.statistics.judges import Estimate, estimate_mean
from untied.statistics.planning import required_queries
from untied.statistics.runs import Significance, discriminative_power, significance
from untied.statistics.strata import allocate, estimate_strata
from untied.statistics.tests import (
    ALTERNATIVES,
    CORRECTIONS,
    TESTS,
    Test,
    adjust,
    effect_size,
    paired_p,
    randomization_test,
    t_test,
    wilcoxon_test,
)

__all__ = [
    "ALTERNATIVES",
    "CORRECTIONS",
    "INTERVALS",
    "TESTS",
    "Estimate",
    "RunEstimates",
    "Significance",
    "Test",
    "adjust",
    "allocate",
    "discriminative_power",
    "effect_size",
    "estimate_drawn",
    "estimate_mean",
    "estimate_runs",
    "estimate_strata",
    "mean_interval",
    "paired_p",
    "randomization_test",
    "required_queries",
    "significance",
    "t_test",
    "wilcoxon_test",
]
