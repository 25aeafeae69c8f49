"""What to judge next: unjudged documents that matter most to what is known of a run, or of which of two is better.

For every candidate the measure and its exact bounds over all grades of unjudged documents are computed as they would
be after each possible judgment; outcomes are weighted by how likely the judgment is held to be.
"""

from untied.judging.next import Advice, Candidate, judge_next

__all__ = ["Advice", "Candidate", "judge_next"]
