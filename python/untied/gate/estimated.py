"""Rules judged on estimates from human and machine judgments: ``min``, ``max`` and ``max-drop``."""

from __future__ import annotations

from math import isnan

from untied import _core
from untied.errors import UntiedError
from untied.gate.check import Check
from untied.gate.rules import Pairs, worst_values
from untied.judging.labels import unlabelled
from untied.results.text import in_queries
from untied.statistics.judged_runs import estimate_judged, notes_on_values
from untied.statistics.judges import LEAST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Measure, Qrels
    from untied.gate.evidence import Evidence, Limit
    from untied.gate.rules import Allowed
    from untied.inputs.queries import QueryTableLike
    from untied.results.evaluation import Results
    from untied.statistics.judged_runs import RunEstimates

#: Why some rules are not judged on estimates.
REFUSED = {
    "max-med": "max_med needs no judgments, so a machine's have no effect on it",
    "certain": "certain holds for all grades of unjudged documents, which a machine's judgments only estimate",
    "min-overturn": "min_overturn counts documents that people did not judge, whatever a machine says of them",
}
#: The confidence of intervals that decide nothing.
LEVEL = 0.95


def check_options(
    kinds: set[str], columns: Mapping[str, str | None], policies: Mapping[str, str], level: float | None
) -> float:
    """Refuse what has no meaning for estimates, and return the level of the intervals.

    `level` is that of the one-sided test, or None. A test at 95 % needs the lower end of a two-sided interval at 90 %.
    """
    for kind, why in REFUSED.items():
        if kind in kinds:
            raise UntiedError(why)
    given = [name for name, column in columns.items() if column is not None]
    if given:
        raise UntiedError(f"{given[0]} has no effect with machine: estimates count every query once")
    if policies["on_undefined"] == "nan":
        raise UntiedError("machine needs a value of each query that people judged: use on_undefined='zero', not 'nan'")
    for name in ("ties", "unjudged"):
        if policies[name] in ("best", "worst"):
            raise UntiedError(f"machine estimates means of values, and {name}={policies[name]!r} asks for bounds")
    if level is None:
        return LEVEL
    if level <= 0.5:
        raise UntiedError("with machine, level must be above 0.5: an interval decides what is significant")
    return 2 * level - 1


class JudgedByBoth:
    """Estimates of a run and a baseline from the judgments of people, in the evidence, and of a machine."""

    def __init__(
        self, evidence: Evidence, machine: Qrels, measures: Sequence[Measure], query_table: QueryTableLike | None,
        strata: str | None, level: float, is_tested: bool,
    ) -> None:  # fmt: skip
        self.evidence, self.level, self.is_tested = evidence, level, is_tested
        self._machine, self._measures = machine, measures
        self._options: dict[str, Any] = {
            "query_table": query_table, "strata": strata, "level": level, "ties": evidence.ties,
            "unjudged": evidence.policies["unjudged"], "score_dtype": evidence.score_dtype, "docs": evidence.docs,
            "threads": evidence.threads,
        }  # fmt: skip
        queries = dict.fromkeys([*evidence.qrels.queries(), *machine.queries()])
        #: The judged queries that each run lacks.
        self.missing = {name: [one for one in queries if one not in run] for name, run in evidence.runs.items()}
        self.queries = queries
        self._made: dict[bool, tuple[RunEstimates, Results, Results]] = {}

    def judged(self, *, is_drop: bool) -> tuple[RunEstimates, Results, Results]:
        """The estimates for a mean of the run, over all queries, or for a drop, over those of the baseline."""
        runs, new = self.evidence.runs, set(self.missing.get("baseline", ()))
        # If the baseline lacks none, a single estimation serves both.
        is_drop = is_drop or ("baseline" in runs and not new)
        if is_drop not in self._made:
            human, machine = self.evidence.qrels, self._machine
            if is_drop and new:
                human, machine = (
                    qrels.without(
                        {row for row, query in enumerate(qrels.queries()) if query in new}, self.evidence.threads
                    )
                    for qrels in (human, machine)
                )
            used, baseline = (runs, "baseline") if is_drop else ({"run": runs["run"]}, None)
            self._made[is_drop] = estimate_judged(
                human, machine, used, self._measures, baseline=baseline, **self._options
            )
        return self._made[is_drop]

    def notes(self) -> Iterator[str]:
        """Notes on queries, and on the values and estimates that limits were judged on."""
        for name, run in self.evidence.runs.items():
            if self.missing[name]:
                yield f"judged queries missing from the {name}: {len(self.missing[name]):,}"
            unknown = sum(query not in self.queries for query in run.queries())
            if unknown:
                yield f"queries of the {name} without judgments: {unknown:,} (untied check lists them)"
        found = [
            note
            for estimates, by_people, by_machine in self._made.values()
            for note in (*notes_on_values(by_people, by_machine), *estimates.notes)
        ]
        yield from dict.fromkeys(found)
        yield from unlabelled(self.evidence.qrels, self._machine)


def estimated(both: JudgedByBoth, limit: Limit, allowed: Allowed) -> Check:
    """Check a mean, or a drop from the baseline, by its estimate.

    A drop beyond the limit passes if it has to be significant and its interval includes 0.
    """
    measure, is_drop = limit.measure, limit.kind == "max-drop"
    estimates, by_people, by_machine = both.judged(is_drop=is_drop)
    rows = [row for row in estimates.table.to_dicts() if row["measure"] == str(measure)]
    means = {row["run_a"]: row["estimate"] for row in rows if not row["run_b"]}
    reasons = _reasons(both, measure, by_people, by_machine)
    value, low, high = means["run"], *_ends(rows[0])
    baseline, most = None, limit.number
    if is_drop:
        [row] = [row for row in rows if row["run_b"]]
        baseline = means["baseline"]
        value, (low, high) = row["estimate"], _ends(row)
        if not measure.lower_is_better:
            value, low, high = _core.difference(0.0, value), 0.0 - high, 0.0 - low
        most = limit.of(baseline)
    over = _core.difference(value, most)
    kept = over >= 0 if limit.kind == "min" else over <= 0
    passed = kept
    if not kept and both.is_tested and is_drop:
        passed = low <= 0
        if isnan(low):
            reasons.append(f"--significant cannot decide: an interval needs {LEAST} human queries or more")
    said = [f"estimate {estimates.basis}"]
    new = set(both.missing["baseline"]) if is_drop else set()
    missing = [query for query in both.missing["run"] if query not in new]
    what = f"the run lacks {in_queries(len(missing))}{' of the baseline' if is_drop else ''}"
    reasons += allowed.why_missing(missing, what)
    undefined, worst = _of_people(both, limit, allowed)
    reasons += undefined
    if missing and allowed.missing:
        said.append(f"counted as empty rankings: {len(missing):,} missing from the run")
    if new:
        said.append(f"left out: {len(new):,} that the baseline lacks")
    if not isnan(low):
        said.append(f"{100 * both.level:.6g} % interval")
    passed = passed and not reasons
    queries, more = worst() if not kept and not passed else ([], 0)
    return Check(
        limit.kind, str(measure), most, value, "; ".join(said), passed, limit_given=limit.given, reasons=reasons,
        run=means["run"], baseline=baseline, low=low, high=high, queries=queries, more=more,
    )  # fmt: skip


def _ends(row: Mapping[str, Any]) -> tuple[float, float]:
    return row["low"], row["high"]


def _reasons(both: JudgedByBoth, measure: Measure, *results: Results) -> list[str]:
    """A reason to fail if values are bounds or estimates themselves."""
    values = [one.value(measure, run=run) for one in results for run in one.runs]
    if all(value.certainty == "exact" for value in values):
        return []
    return [
        f"values under --ties {both.evidence.ties} are not exact here, and a machine cannot mend this; "
        "use --ties docid or given"
    ]


def _of_people(
    both: JudgedByBoth, limit: Limit, allowed: Allowed
) -> tuple[list[str], Callable[[], tuple[list[dict[str, Any]], int]]]:
    """A reason to fail if people's judgments leave queries undefined, and what finds the worst queries by them."""
    evidence, measure = both.evidence, limit.measure
    if limit.kind == "max-drop":
        pairs = Pairs(evidence, measure, allowed)

        def dropped() -> tuple[list[dict[str, Any]], int]:
            return pairs.worst(pairs.beside()[1], allowed.top)

        return pairs.why_undefined, dropped
    values, missing = evidence.values(measure, "run"), evidence.missing("run")
    rows = [row for row, value in enumerate(values) if isnan(value) and row not in missing]
    what = f"undefined for {in_queries(len(rows))}"
    why = allowed.why_undefined(evidence.queries(rows), what, measure.lower_is_better)
    return why, lambda: worst_values(evidence, values, allowed.top, lowest=limit.kind == "min")
