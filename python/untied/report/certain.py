"""What is certain on the page for all grades of unjudged documents: verdicts, bounds, and ranks that runs can have."""

from __future__ import annotations

from math import inf

from untied.errors import MeasureError, UntiedError
from untied.evaluate.runs import Evaluator
from untied.inputs import overlap
from untied.report.values import number
from untied.statistics.paired import Column, pairs_with_bounds
from untied.verdicts.runs import certify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from untied._core import Measure, Qrels, Run
    from untied.verdicts.found import Verdicts
    from untied.verdicts.verdict import Verdict

#: The most pairs of runs, times queries, that are certified for a page; of more, only the pair that leads. A page about
#: more queries has no verdict: it takes a kilobyte a query, and bounds of values, query by query, take none.
MOST = 50_000


class Certain:
    """Verdicts of a page: about all pairs of runs if these are not too many."""

    def __init__(self, qrels: Qrels, runs: dict[str, Run], policies: dict[str, Any]) -> None:
        self._qrels, self._runs = qrels, runs
        self._policies = policies
        self._options = {name: policies[name] for name in ("score_dtype", "threads")}
        self.has_all = len(runs) * (len(runs) - 1) // 2 * len(qrels) <= MOST
        self._found: dict[str, Verdicts | None] = {}

    @property
    def notes(self) -> list[str]:
        """What the page leaves out."""
        pairs = len(self._runs) * (len(self._runs) - 1) // 2
        left = f"ranks and overturn numbers are left out, because {pairs:,} pairs of runs would take long"
        return [] if self.has_all else [f"{left}; untied certify computes them"]

    def _all(self, measure: Measure) -> Verdicts | None:
        """Verdicts about all pairs; None where there are none in the measure, or too many pairs."""
        name = str(measure)
        if name not in self._found:
            is_asked = self.has_all and len(self._runs) > 1
            self._found[name] = self._certified(list(self._runs), measure) if is_asked else None
        return self._found[name]

    def _certified(self, names: Sequence[str], measure: Measure) -> Verdicts | None:
        try:
            with overlap.Silence():  # there has been a warning
                return certify(self._qrels, {name: self._runs[name] for name in names}, measure, **self._options)
        except MeasureError:
            return None  # it has no verdicts; all that else could be wrong has been refused before

    def about(self, measure: Measure, runs: Sequence[str]) -> dict[str, Any] | None:
        """The verdict about two runs or, without one, bounds of their difference; of a single run, bounds of its mean.

        None if these are not known, or there is no run.
        """
        if len(runs) == 2:
            pair = runs[0], runs[1]
            return self._verdict(measure, pair) or by_judgments(self._qrels, self._runs, measure, pair, self._policies)
        return _of_one(self._qrels, self._runs[runs[0]], measure, self._policies) if runs else None

    def _verdict(self, measure: Measure, pair: tuple[str, str]) -> dict[str, Any] | None:
        """The verdict about two runs; None if it cannot be had, or has too many queries."""
        if len(self._qrels) > MOST:
            return None
        found = self._certified(pair, measure) if not self.has_all else self._all(measure)
        if found is None:
            return None
        one = found.between(*pair, measure)
        return {"low": number(one.low), "high": number(one.high)} | _said(one)

    def ranks(self, measure: Measure) -> list[list[int]] | None:
        """For each run the best and the worst rank that it can have."""
        found = self._all(measure)
        if found is None:
            return None
        table = found.ranks
        return [list(ends) for ends in zip(table["best"], table["worst"], strict=True)]

    def test(self, measure: Measure, pair: tuple[str, str]) -> dict[str, Any]:
        """What to say beside p: the verdict and the overturn number, as words where it is infinite."""
        found = self._all(measure)
        if found is None:
            return {"verdict": None, "overturn": None}
        return _said(found.between(*pair, measure))


def _said(verdict: Verdict) -> dict[str, Any]:
    number = "never" if verdict.overturn == inf else verdict.overturn
    return {"verdict": verdict.verdict, "overturn": number, "overturn_is_exact": verdict.overturn_is_exact}


def _of_one(qrels: Qrels, run: Run, measure: Measure, policies: dict[str, Any]) -> dict[str, Any] | None:
    """The lowest and the highest mean of a run for all grades of unjudged documents."""
    try:
        with overlap.Silence():  # there has been a warning
            value = Evaluator(qrels, [measure], unjudged="range", **policies).evaluate({"run": run}).value(measure)
    except UntiedError:
        return None  # the measure has no bounds
    return None if value.low is None or value.high is None else {"low": value.low, "high": value.high}


def by_judgments(
    qrels: Qrels, runs: dict[str, Run], measure: Measure, pair: tuple[str, str], policies: dict[str, Any]
) -> dict[str, Any] | None:
    """The smallest and the largest difference of two runs for all grades of unjudged documents.

    ``of_both``: whether these are of all documents that either run retrieved, and not of each run's own.
    """
    # All that else could be wrong has been refused before.
    try:
        with overlap.Silence():  # there has been a warning
            results = Evaluator(qrels, [measure], unjudged="range", **policies).evaluate(
                {name: runs[name] for name in pair}
            )
        columns = [Column(results, name, measure) for name in pair]
        [both], of_both = pairs_with_bounds(results, [(columns[0], columns[1])], {})
    except UntiedError:
        return None  # the measure has no bounds, or no query has a value of both runs
    return {"low": both.ends[0], "high": both.ends[1], "of_both": of_both}
