"""Estimates from human and machine judgments on a page, and how far the two agree."""

from __future__ import annotations

from itertools import combinations

from untied.inputs import mismatch
from untied.judging.labels import agreement, unlabelled
from untied.report.values import number
from untied.statistics.judged_runs import by_people_alone, estimate_judged, notes_on_queries, notes_on_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from untied._core import Measure, Qrels, Run
    from untied.inputs.queries import QueryTableLike

#: The most pairs of runs whose differences a page holds; of more, it holds those from the first measure's best run.
MOST_PAIRS = 300


def collect_judges(
    human: Qrels, machine: Qrels, runs: dict[str, Run], measures: Sequence[Measure], baseline: str | None,
    level: float, query_table: QueryTableLike | None, strata: str | None, policies: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """Estimates of runs and differences by measure, agreement by group, and what to know before relying on them."""
    how: dict[str, Any] = {"level": level, "query_table": query_table, "strata": strata, **policies}
    notes = []
    with mismatch.CollectedNotes() as apart:
        if baseline is None and len(list(combinations(runs, 2))) > MOST_PAIRS:
            baseline = _best(human, machine, runs, measures[0], how)
            notes = [
                f"differences are from {baseline}, the best run by {measures[0]}, because the pairs of runs are many; "
                "untied judges has all"
            ]
        estimates, by_people, by_machine = estimate_judged(human, machine, runs, measures, baseline=baseline, **how)
        has_grades = not {human.format, machine.format} & {"preferences", "probabilities"}
        groups = agreement(human, machine, runs, level=level, threads=policies["threads"]) if has_grades else None
    judged = {*by_people.queries, *by_machine.queries}
    notes += [*apart, *notes_on_queries(judged, runs), *notes_on_values(by_people, by_machine)]
    notes += [*estimates.notes, *unlabelled(human, machine)]
    places = {name: place for place, name in enumerate(runs)}
    rows: dict[str, list[dict[str, Any]]] = {str(measure): [] for measure in measures}
    for row in estimates.table.to_dicts():
        alone = dict(zip(("human_low", "human_high"), by_people_alone(row), strict=True))
        numbers = {name: number(value) for name, value in (row | alone).items() if isinstance(value, float)}
        rows[row["measure"]].append({"a": places[row["run_a"]], "b": places.get(row["run_b"])} | numbers)
    return {
        "basis": estimates.basis,
        "target": estimates.target,
        "level": level,
        "estimates": [rows[str(measure)] for measure in measures],
        "agreement": [
            {name: number(value) if isinstance(value, float) else value for name, value in row.items()}
            for row in (groups.to_dicts() if groups is not None else [])
        ],
        "notes": notes,
    }


def _best(human: Qrels, machine: Qrels, runs: dict[str, Run], measure: Measure, how: dict[str, Any]) -> str:
    """The run with the best estimate."""
    estimates = {
        name: estimate_judged(human, machine, {name: run}, [measure], **how)[0].table.to_dicts()[0]["estimate"]
        for name, run in runs.items()
    }
    return (min if measure.lower_is_better else max)(estimates, key=estimates.__getitem__)
