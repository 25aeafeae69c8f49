"""Whether runs differ: paired tests, intervals, effect sizes, corrections, and what ties and missing judgments leave.

Values of queries go in: `Results` of `untied.evaluate` into `significance` and `discriminative_power`, or plain numbers
into the functions before them. Randomisation tests need nothing else; the t-test, Wilcoxon's test and intervals are
SciPy's (``pip install 'untied[stats]'``).
"""

from untied.statistics.intervals import INTERVALS, mean_interval
from untied.statistics.runs import Significance, discriminative_power, significance
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
    "Significance",
    "Test",
    "adjust",
    "discriminative_power",
    "effect_size",
    "mean_interval",
    "paired_p",
    "randomization_test",
    "significance",
    "t_test",
    "wilcoxon_test",
]
