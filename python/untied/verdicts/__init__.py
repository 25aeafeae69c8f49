"""What can be concluded about runs whose judgments are incomplete."""

from untied.verdicts.found import Explanation, Grades, QueryVerdict, Verdict, Verdicts, VerdictsOfPair
from untied.verdicts.runs import certify

__all__ = ["Explanation", "Grades", "QueryVerdict", "Verdict", "Verdicts", "VerdictsOfPair", "certify"]
