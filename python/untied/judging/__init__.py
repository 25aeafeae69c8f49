"""Which unjudged documents matter most for a run's value, or for the question which of two runs is better.

For every candidate and every possible judgment of it, the measure and its exact bounds over all grades of unjudged
documents are computed. Outcomes are weighted by the probability of the judgment.
"""

from untied.judging import estimates, sample
from untied.judging.labels import agreement
from untied.judging.next import Advice, Candidate, judge_next

__all__ = ["Advice", "Candidate", "agreement", "estimates", "judge_next", "sample"]
