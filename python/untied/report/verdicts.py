"""What ties and missing judgments could change on a page: the leading run, possible ranks, and verdicts."""

from __future__ import annotations

from itertools import combinations
from math import inf

from untied.errors import MeasureError, UntiedError
from untied.evaluation.runs import Evaluator
from untied.inputs import mismatch
from untied.results.lead import standings
from untied.verdicts.runs import certify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from untied._core import Measure, Qrels, Run
    from untied.results.evaluation import Results
    from untied.results.lead import Stand
    from untied.verdicts.results import Verdicts
    from untied.verdicts.verdict import Verdict

#: The most pairs of runs, times queries, that are certified for a page.
MOST = 50_000
#: The most runs, times queries, whose missing judgments are examined at all.
MOST_EXAMINED = 400_000


#: A note of pages about preferences.
UNKNOWN = (
    "what missing judgments could change is left out, because preferences do not say what unjudged documents could be"
)
#: A note of pages without verdicts of all pairs of runs.
LEFT_OUT = (
    "ranks and overturn numbers are left out, because {} of runs with {} queries each would take long; "
    "untied certify computes them"
)


class PageVerdicts:
    """Bounds of differences over missing judgments and, if the pairs of runs are not too many, verdicts about them."""

    def __init__(self, qrels: Qrels, runs: dict[str, Run], policies: dict[str, Any]) -> None:
        self._qrels, self._runs, self._names = qrels, runs, list(runs)
        self._policies = policies
        self._options = {name: policies[name] for name in ("score_dtype", "threads")}
        self._pairs = list(combinations(range(len(runs)), 2))
        #: Whether it is known what unjudged documents could be.
        self.is_known = qrels.format != "preferences"
        self.has_all = self.is_known and len(self._pairs) * len(qrels) <= MOST
        #: Whether the page says what missing judgments could change.
        self.is_examined = self.is_known and len(runs) * len(qrels) <= MOST_EXAMINED
        self._verdicts: dict[str, Verdicts | None] = {}
        self._results: dict[tuple[str, str], Results | None] = {}

    @property
    def notes(self) -> list[str]:
        """What the page leaves out."""
        if not self.is_known:
            return [UNKNOWN]
        if self.has_all:
            return []
        pairs = "1 pair" if len(self._pairs) == 1 else f"{len(self._pairs):,} pairs"
        return [LEFT_OUT.format(pairs, f"{len(self._qrels):,}")]

    def alone(self, measure: Measure, run: int) -> dict[str, Any] | None:
        """The lowest and the highest mean of a run for all grades of unjudged documents; None if they are not known."""
        results = self._evaluated(measure, "expected")
        if results is None:
            return None
        value = results.value(measure, run=self._names[run])
        return None if value.low is None or value.high is None else {"low": value.low, "high": value.high}

    def others(self, measure: Measure, leader: int, ties: str) -> list[dict[str, Any]] | None:
        """How the leading run stands to the others for all grades of unjudged documents, with these orders of ties."""
        results = self._evaluated(measure, ties)
        return None if results is None else others_of(results, measure, leader)

    def overturn(self, measure: Measure, leader: int, others: list[dict[str, Any]] | None) -> dict[str, Any] | None:
        """The smallest number of unjudged documents that would end the lead over a run if they were relevant."""
        verdicts_of_all = self._certified(measure)
        if verdicts_of_all is None or others is None:
            return None
        pairs = ((self._names[leader], self._names[other["run"]]) for other in others if other["standing"] == "open")
        verdicts = [verdicts_of_all.between(*pair, measure) for pair in pairs]
        known = [(one.overturn, not one.overturn_is_exact) for one in verdicts if 0 < one.overturn < inf]
        if not known:
            return None
        documents, is_bound = min(known)
        return {"documents": documents, "is_exact": not is_bound}

    def ranks(self, measure: Measure) -> list[list[int]] | None:
        """For each run the best and the worst rank that it can have, whatever the order of ties and the judgments."""
        results = self._evaluated(measure, "range") if self.has_all and len(self._runs) > 1 else None
        standings = None if results is None else _standings(results, measure, self._pairs)
        if standings is None or any(stand.standing == "unknown" for stand in standings):
            return None
        ranks = [[1, len(self._runs)] for _ in self._runs]
        for (a, b), stand in zip(self._pairs, standings, strict=True):
            if stand.standing in ("better", "worse"):
                ahead, behind = (a, b) if stand.standing == "better" else (b, a)
                ranks[behind][0] += 1
                ranks[ahead][1] -= 1
        return ranks

    def test(self, measure: Measure, pair: tuple[str, str]) -> dict[str, Any]:
        """What to say beside p: the verdict and the overturn number, as words where it is infinite."""
        verdicts = self._certified(measure)
        return {"verdict": None, "overturn": None} if verdicts is None else _said(verdicts.between(*pair, measure))

    def _certified(self, measure: Measure) -> Verdicts | None:
        """Verdicts about all pairs; None if the measure has none, or if there are too many pairs."""
        name = str(measure)
        if name not in self._verdicts:
            self._verdicts[name] = None
            if self.has_all and self._pairs:
                try:
                    with mismatch.Silence():  # there has been a warning
                        self._verdicts[name] = certify(self._qrels, self._runs, measure, **self._options)
                except MeasureError:
                    pass  # it has no verdicts; all that else could be wrong has been refused before
        return self._verdicts[name]

    def _evaluated(self, measure: Measure, ties: str) -> Results | None:
        """The results of a measure for all grades of unjudged documents; None if it has no bounds or they take long."""
        if not self.is_examined:
            return None
        key = str(measure), ties
        if key not in self._results:
            self._results = {}  # one measure's at a time
            try:
                with mismatch.Silence():  # there has been a warning
                    policies = self._policies | {"ties": ties, "unjudged": "range"}
                    self._results[key] = Evaluator(self._qrels, [measure], **policies).evaluate(self._runs)
            except UntiedError:  # all that else could be wrong has been refused before
                self._results[key] = None
        return self._results[key]


def others_of(results: Results, measure: Measure, leader: int) -> list[dict[str, Any]] | None:
    """How the leading run stands to every other run, by number; None if that is not known."""
    runs = [run for run in range(len(results.runs)) if run != leader]
    standings = _standings(results, measure, [(leader, run) for run in runs])
    return (
        None
        if standings is None
        else [{"run": run, **stand._asdict()} for run, stand in zip(runs, standings, strict=True)]
    )


def _standings(results: Results, measure: Measure, pairs: Iterable[tuple[int, int]]) -> list[Stand] | None:
    names = results.runs
    try:
        return standings(results, measure, [(names[a], names[b]) for a, b in pairs])
    except UntiedError:
        return None  # no query has a value of both runs


def _said(verdict: Verdict) -> dict[str, Any]:
    number = "never" if verdict.overturn == inf else verdict.overturn
    return {"verdict": verdict.verdict, "overturn": number, "overturn_is_exact": verdict.overturn_is_exact}
