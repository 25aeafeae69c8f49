"""The rules of a gate: each is a function from evidence and a limit to a check."""

from __future__ import annotations

from array import array
from math import isnan, nan

from untied import _core
from untied._core import Terms
from untied.errors import UntiedError
from untied.gate.check import Check
from untied.gate.evidence import ERRORS, named
from untied.results.design import weighted_mean
from untied.results.text import in_clusters, in_queries
from untied.results.value import Value
from untied.results.worst import worst_of
from untied.statistics.paired import paired
from untied.statistics.samples import sums
from untied.statistics.tests import paired_p
from untied.statistics.values import scale_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from untied._core import Measure
    from untied.gate.evidence import Evidence, Limit
    from untied.statistics.paired import PairedValues

#: What means are called.
NAMES = {"mean": "mean", "log": "geometric mean", "sum": "sum"}
#: Certainties, from the most to the least certain.
CERTAIN = ("exact", "interval", "estimate")


class Allowed:
    """Whether missing queries are allowed, how undefined values count, and how many queries to name."""

    def __init__(self, missing: bool, on_undefined: str, top: int, *, can_leave_out: bool = True) -> None:
        self.top = top
        self.missing = missing
        self.undefined = on_undefined
        self._can_leave_out = can_leave_out

    def why_missing(self, queries: Sequence[str], what: str) -> list[str]:
        """A reason to fail if queries are missing, unless that is allowed."""
        if not queries or self.missing:
            return []
        why = f"{what} ({named(queries)})"
        return [f"{why}: --allow-missing (allow_missing=True) counts missing queries as empty rankings"]

    def why_undefined(self, queries: Sequence[str], what: str, lower_is_better: bool) -> list[str]:
        """A reason to fail if values are undefined, unless that is allowed."""
        if not queries or self.undefined == "nan" or (self.undefined == "zero" and not lower_is_better):
            return []
        advice = ["--on-undefined nan (on_undefined='nan') leaves them out"] if self._can_leave_out else []
        if not lower_is_better:
            advice.append(
                "zero counts them as 0" if advice else "--on-undefined zero (on_undefined='zero') counts them as 0"
            )
        why = f"{what} ({named(queries)}): {', '.join(advice)}"
        if lower_is_better and (self.undefined == "zero" or not advice):
            why += f"{'; ' if advice else ''}they cannot count as 0, which is the best value"
        return [why]


def own(evidence: Evidence, limit: Limit, allowed: Allowed) -> Check:
    """``min`` and ``max``: the mean of the run."""
    kind, measure = limit.kind, limit.measure
    values, missing = evidence.values(measure, "run"), evidence.missing("run")
    lower_is_better = measure.lower_is_better
    undefined = [row for row, value in enumerate(values) if isnan(value)]
    with_zeros = allowed.undefined == "zero" and bool(undefined) and not lower_is_better
    total = evidence.total(measure, "run", with_zeros=with_zeros)
    reasons = _apart(evidence, "run")
    reasons += allowed.why_missing(evidence.queries(sorted(missing)), f"the run lacks {in_queries(len(missing))}")
    # Missing queries have a reason of their own.
    others = undefined if allowed.missing else [row for row in undefined if row not in missing]
    what = f"undefined for {in_queries(len(others))}"
    reasons += allowed.why_undefined(evidence.queries(others), what, lower_is_better)
    margin = evidence.margin(measure, "run")
    # Under ties best or worst a value that is not exact is a bound, above or below what can be reached.
    bound = None
    if evidence.ties in ("best", "worst") and total.certainty != "exact":
        bound = "upper" if (evidence.ties == "best") != lower_is_better else "lower"
        if total.certainty == "estimate" or (kind == "min") != (bound == "lower"):
            reasons.append(_not_reached(evidence, total.certainty))
        margin = 0.0
    if isnan(margin):
        reasons.append("the standard error of the estimate is unknown; use --ties docid or given")
    value = total.mean + (0.0 if isnan(margin) else margin if kind == "max" else -margin)
    over = _core.difference(value, limit.number)
    kept = over >= 0 if kind == "min" else over <= 0
    passed = kept and not reasons
    counted = len(values) - (0 if with_zeros else len(undefined))
    said = [_over(evidence, measure, counted, bound)]
    if margin > 0:
        said.append(f"{'plus' if kind == 'max' else 'minus'} {ERRORS} standard errors, {margin:.2g}")
    if undefined:
        said.append(f"{'counted as 0' if with_zeros else 'left out'}: {len(undefined)} undefined")
    if missing and allowed.missing:
        said.append(f"counted as empty rankings: {len(missing)} missing")
    worst, more = worst_values(evidence, values, allowed.top, lowest=kind == "min") if not kept else ([], 0)
    return Check(
        kind, str(measure), limit.number, value, "; ".join(said), passed, limit_given=limit.given, reasons=reasons,
        run=total.mean, queries=worst, more=more, segment=evidence.segment,
    )  # fmt: skip


def worst_values(
    evidence: Evidence, values: Sequence[float], top: int, *, lowest: bool
) -> tuple[list[dict[str, Any]], int]:
    """The queries with the lowest or the highest values, and how many more are as bad as the last one."""
    rows, more = worst_of(values, top, lowest=lowest)
    return [
        {"query": query, "value": values[row]} for query, row in zip(evidence.queries(rows), rows, strict=True)
    ], more


def drop(evidence: Evidence, limit: Limit, allowed: Allowed, significant: dict[str, Any] | None) -> Check:
    """``max-drop``: how much worse the run is than the baseline, over the baseline's queries."""
    measure = limit.measure
    pairs = Pairs(evidence, measure, allowed)
    reasons = _apart(evidence, "run") + _apart(evidence, "baseline")
    reasons += pairs.why_missing + pairs.why_undefined
    unsettled = max(evidence.unsettled(measure, run) for run in evidence.runs)
    if unsettled and allowed.undefined == "fail":
        reasons.append(f"judgments decide whether there is a value for {in_queries(unsettled)}: --on-undefined nan "
                       "(on_undefined='nan') compares the queries that can have a value")  # fmt: skip
    n = len(pairs.rows)
    if not n:
        reasons.append("no query can be compared")
        return Check("max-drop", str(measure), limit.of(nan), nan, "0 queries", False, limit_given=limit.given,
                     reasons=reasons, segment=evidence.segment)  # fmt: skip
    pair, lost = pairs.beside()
    baseline, run = pair.means
    value = pair.difference if not measure.is_geometric else _core.difference(baseline, run)
    weights = evidence.weights(pairs.rows)
    if weights is not None:
        baseline, run = (weighted_mean(values, weights) for values in pairs.compared())
        value = _core.difference(baseline, run) if any(lost) else 0.0
    value = -value if measure.lower_is_better else value
    said = [_over(evidence, measure, n)]
    certainty = max(
        (evidence.total(measure, run, with_zeros=False).certainty for run in evidence.runs), key=CERTAIN.index
    )
    margin = evidence.margin(measure, "run") + evidence.margin(measure, "baseline")
    if evidence.ties in ("best", "worst") and certainty != "exact":
        reasons.append(_not_reached(evidence, certainty))
    elif isnan(margin):
        reasons.append("the standard error of the estimates is unknown; use --ties docid or given")
    elif margin:
        value += margin
        said.append(f"plus {ERRORS} standard errors of both, {margin:.2g}")
    said += pairs.said
    most = limit.of(baseline)
    kept, p = _core.difference(value, most) <= 0, None
    passed = kept
    if not kept and significant is not None:
        tested = sums(lost, weights or [1.0] * n, evidence.clusters(pairs.rows))
        is_clustered = evidence.design is not None and evidence.design.clusters is not None
        units = in_clusters(len(tested)) if is_clustered else in_queries(n)
        p, passed, why_not = _by_chance(tested, units, significant, evidence.threads)
        changed = sum(of_query != 0 for of_query in lost)
        clusters = f", in {units}" if len(tested) < n else ""
        said.append(f"{changed:,} of them differ{'s' if changed == 1 else ''}{clusters}")
        if significant["segments"] > 1:
            chance = 1 - significant["level"]
            said.append(f"significant up to p = {chance:.2g}, as {significant['segments']} segments are tested")
        reasons += why_not
    passed = passed and not reasons
    # What a query costs the mean is its own drop times its weight.
    costs = lost if weights is None else [weight * drop for weight, drop in zip(weights, lost, strict=True)]
    worst, more = pairs.worst(costs, allowed.top) if not kept and not passed else ([], 0)
    return Check(
        "max-drop", str(measure), most, value, "; ".join(said), passed, limit_given=limit.given, reasons=reasons,
        run=run, baseline=baseline, p=p, queries=worst, more=more, segment=evidence.segment,
    )  # fmt: skip


def _by_chance(
    lost: Sequence[float], units: str, test: dict[str, Any], threads: int | None
) -> tuple[float, bool, list[str]]:
    """The p of a drop, whether it is not significant, and why the test cannot decide, if so."""
    samples, chance = test["samples"], 1 - test["level"] + 1e-12
    p, least = paired_p(lost, samples=samples, seed=test["seed"], threads=threads)
    why_not = (
        f"--significant cannot decide: with {units} and {samples} permutations, "
        f"no p is below {least:.2g}, and {chance:.2g} is needed"
    )
    return p, p > chance, [why_not] if least > chance else []


class Pairs:
    """Values of the compared queries."""

    def __init__(self, evidence: Evidence, measure: Measure, allowed: Allowed) -> None:
        self._evidence, self._measure = evidence, measure
        self._sign = -1.0 if measure.lower_is_better else 1.0
        after, before = (evidence.values(measure, run) for run in ("run", "baseline"))
        missing, new = evidence.missing("run"), evidence.missing("baseline")
        vanished = missing - new
        lost, gained, both, rows = [], 0, 0, array("q")
        with_zeros = allowed.undefined == "zero" and not measure.lower_is_better
        for row, (x, y) in enumerate(zip(after, before, strict=True)):
            if row in new:
                continue
            if isnan(x) or isnan(y):
                if not isnan(y):
                    lost.append(row)
                elif not isnan(x):
                    gained += 1
                else:
                    both += 1
                if not with_zeros:
                    continue
            rows.append(row)
        self.rows = rows
        self._after, self._before = after, before
        became = lost if allowed.missing else [row for row in lost if row not in vanished]
        what = f"the run lacks {in_queries(len(vanished))} of the baseline"
        self.why_missing = allowed.why_missing(evidence.queries(sorted(vanished)), what)
        self.why_undefined = allowed.why_undefined(
            evidence.queries(became), f"{in_queries(len(became))} became undefined", measure.lower_is_better
        )
        undefined = [(len(lost), "in the run"), (gained, "in the baseline"), (both, "in both")]
        verb = "counted as 0" if with_zeros else "left out"
        self.said = [f"{verb}: {number} undefined {where}" for number, where in undefined if number]
        if vanished and allowed.missing:
            self.said.append(f"counted as empty rankings: {len(vanished)} missing from the run")
        if new:
            self.said.append(f"left out: {len(new)} that the baseline lacks")

    def compared(self) -> tuple[list[float], list[float]]:
        """The values of the baseline and of the run; undefined ones count as 0."""
        before, after = (
            [0.0 if isnan(values[row]) else values[row] for row in self.rows] for values in (self._before, self._after)
        )
        return before, after

    def beside(self) -> tuple[PairedValues, array[float]]:
        """The baseline beside the run, and how much worse the terms of the run are."""
        named = zip(("baseline", "run"), self.compared(), strict=True)
        before, after = (Terms(run, self._measure, array("d", values)) for run, values in named)
        pair = paired(before, after)
        return pair, array("d", (self._sign * difference for difference in pair.differences))

    def worst(self, lost: Sequence[float], top: int) -> tuple[list[dict[str, Any]], int]:
        """The queries that got worst, with both values, and how many more lost as much as the last one."""
        places, more = worst_of(lost, top, above=0.0)
        queries = self._evidence.queries([self.rows[place] for place in places])
        return [{"query": query} | self._values(place) for query, place in zip(queries, places, strict=True)], more

    def _values(self, place: int) -> dict[str, float]:
        """The values of a query in the baseline and in the run, and how much worse the run's is."""
        both = (values[self.rows[place]] for values in (self._before, self._after))
        before, after = (0.0 if isnan(value) else value for value in both)
        return {"value": self._sign * (before - after), "baseline": before, "run": after}


def largest_difference(evidence: Evidence, limit: Limit, allowed: Allowed) -> Check:
    """``max-med``: the largest difference that judgments could show, over the queries of both runs."""
    if evidence.ties in ("best", "worst"):
        raise UntiedError(f"--max-med does not support --ties {evidence.ties}: use expected, docid, trec or given")
    name = f"MED({limit.measure})"
    spec = _core.comparing_measure(name)
    runs = (evidence.runs["run"], evidence.runs["baseline"])
    [comparison] = _core.compare_runs(
        runs, [spec], names=("run", "baseline"), qrels=evidence.qrels, probabilities=None, docs=evidence.docs,
        depth=None, policies=_core.Policies("pairs", ties=evidence.ties, score_dtype=evidence.score_dtype),
        variance=False, itself=False, threads=evidence.threads,
    )  # fmt: skip
    total = Value(*comparison.totals()[0])
    highs = comparison.column(0, high=True)
    new, vanished = comparison.alone()
    reasons = []
    if vanished and not allowed.missing:
        reasons.append(f"the run lacks {vanished} of the baseline's queries: --allow-missing (allow_missing=True) "
                       "leaves them out of MED")  # fmt: skip
    if total.certainty == "estimate":
        reasons.append(f"{name} is estimated with an unknown error; use --ties docid or given")
    # A mean would silently omit queries whose MED is unknown.
    value = nan if total.high is None or any(map(isnan, highs)) else total.high
    kept = _core.difference(value, limit.number) <= 0
    said = [f"mean of {in_queries(len(highs))}"]
    if value > total.mean:
        said.append(f"an upper bound: judgments can show at least {total.mean:.4f}")
        if limit.measure.cutoff is None:
            said.append("give the measure a cutoff to exclude documents that may follow the rankings")
    filled = max(_core.filled_rankings(spec, *runs, None))
    said += [f"in {in_queries(filled)} rankings end before the cutoff and unknown documents follow"] if filled else []
    said += [f"left out: {vanished} that the run lacks"] if vanished else []
    said += [f"left out: {new} that the baseline lacks"] if new else []
    places, more = worst_of(highs, allowed.top) if not kept else ([], 0)
    worst = [{"query": comparison.query(place), "value": highs[place]} for place in places]
    return Check(
        "max-med",
        str(limit.measure),
        limit.number,
        value,
        "; ".join(said),
        kept and not reasons,
        limit_given=limit.given,
        reasons=reasons,
        queries=worst,
        more=more,
    )


def _apart(evidence: Evidence, run: str) -> list[str]:
    """A reason to fail if values are meaningless."""
    why = evidence.apart[run]
    return [f"the {run}: {why}"] if why else []


def _not_reached(evidence: Evidence, certainty: str) -> str:
    what = "estimates" if certainty == "estimate" else "bounds that perhaps no order reaches"
    return f"values under --ties {evidence.ties} are {what} here and cannot decide; use --ties expected, docid or given"


def _over(evidence: Evidence, measure: Measure, queries: int, bound: str | None = None) -> str:
    name = NAMES[scale_of(measure)]
    if evidence.design is not None:
        name = (
            "macro " * (evidence.design.macro is not None) + "weighted " * (evidence.design.weight is not None) + name
        )
    of = "over" if name == "sum" else "of"
    return f"{f'{bound} bound of the ' if bound else ''}{name} {of} {in_queries(queries)}"
