"""Every measure once more, from its textbook definition, and every statistic by enumeration.

This is the reference the package is tested against, so it shares no code and no formula with it. A measure is a
function of ONE total order and the judgements; its mean, variance, minimum and maximum under ties are taken over the
explicitly listed orders. Numbers are exact fractions; logarithms and powers are 60-digit decimals turned into
fractions, so that nothing here is rounded to a float before the comparison.

The measures are in `binary` (relevant or not), `graded`, `users` (who walk down the ranking), `partial` (orders and
judgements that are), `sampled` (estimates from a sample of the pool) and `subtopics`;
`enumeration` takes statistics over orders. For real data, where orders cannot be listed, `counting` counts them.
"""

from oracle.counting import counted
from oracle.enumeration import Statistics, aggregate, permutations, statistics, summarise
from oracle.files import read_qrels, read_run
from oracle.judgements import discount_at
from oracle.measures import AT_RECALL, COUNTS, LOWER_IS_BETTER, MEASURES, OF_DOCUMENTS, OF_PAIRS, OF_SUBTOPICS, Measure
from oracle.scores import group_scores, read_score, tie_policy
from oracle.stated import STATED, Stated

__all__ = [
    "AT_RECALL",
    "COUNTS",
    "LOWER_IS_BETTER",
    "MEASURES",
    "OF_DOCUMENTS",
    "OF_PAIRS",
    "OF_SUBTOPICS",
    "STATED",
    "Measure",
    "Stated",
    "Statistics",
    "aggregate",
    "counted",
    "discount_at",
    "group_scores",
    "permutations",
    "read_qrels",
    "read_run",
    "read_score",
    "statistics",
    "summarise",
    "tie_policy",
]
