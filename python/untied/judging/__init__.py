"""Which documents to judge next, and how to work with few judgments.

`judge_next` lists the unjudged documents that matter most for a run's value, or for the question which of two runs is
better. `agreement` compares a machine's judgments with those of people.
"""

from untied.judging import estimates, sample
from untied.judging.labels import agreement
from untied.judging.next import Advice, Candidate, judge_next

__all__ = ["Advice", "Candidate", "agreement", "estimates", "judge_next", "sample"]
