"""Verdicts about runs whose judgments are incomplete."""

from untied.verdicts.results import Verdicts, VerdictsOfPair
from untied.verdicts.runs import certify
from untied.verdicts.sampled import from_sample
from untied.verdicts.verdict import Explanation, Grades, QueryVerdict, Verdict

__all__ = ["Explanation", "Grades", "QueryVerdict", "Verdict", "Verdicts", "VerdictsOfPair", "certify", "from_sample"]
