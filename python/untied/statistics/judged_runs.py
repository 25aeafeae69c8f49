"""Means and differences of runs from human judgments of some queries and a machine's judgments of all."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from untied import _core
from untied._core import show_id
from untied.errors import UntiedError
from untied.evaluation.runs import Evaluator
from untied.inputs import mismatch
from untied.inputs.mismatch import listed
from untied.measures import as_measure
from untied.results.design import Design
from untied.results.differences import pairs_of
from untied.results.evaluation import Results
from untied.results.notes import of_adjusted, of_queries, of_undefined
from untied.results.table import tidy
from untied.statistics.judges import estimate_mean
from untied.statistics.paired import RunValues, check_queries
from untied.statistics.strata import estimate_strata
from untied.statistics.values import mean_of, scale_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Measure, Qrels, Run
    from untied.inputs.queries import QueryTableLike
    from untied.results.table import Table
    from untied.statistics.judges import Estimate, Target

    #: What is estimated: the mean of the first run, minus that of the second if there is one.
    Subject = tuple[str, str | None]

#: Formats of human judgments that say how documents were drawn.
SAMPLED = ("stratified", "prels")
NUMBERS = "estimate low high human machine bias correlation slope width equivalent"


@dataclass(eq=False, repr=False, slots=True)
class RunEstimates:
    """Estimates of the means and the differences of runs, as `estimate_runs` returns them.

    Attributes
    ----------
    table : Table
        For every measure, a row for each run, and then a row for each pair of runs. Its columns are:

        * ``run_a``, ``run_b``: a pair of runs; in the row of a single run, ``run_b`` is empty
        * ``estimate``: the mean of the run, or the mean of run_a minus that of run_b
        * ``low``, ``high``: the confidence interval of the estimate
        * the other attributes of `Estimate`
    judged, queries : int
        How many queries people judged, and how many queries there are.
    strata : int
        From how many strata people's queries were drawn: 1 if you passed no `strata`.
    target : str
        The `target` that you passed: ``"all"`` or ``"these"``.
    level : float
        The confidence of the intervals.
    notes : list of str
        What to know before you rely on the table.
    documents : int, optional
        How many documents people judged, if they judged a sample of each query's, as for `estimate_drawn`.
    """

    table: Table
    judged: int
    queries: int
    strata: int
    target: Target
    level: float
    notes: list[str]
    documents: int | None = None

    @property
    def basis(self) -> str:
        """What the estimates rest on, in words: of how many queries there are human judgments."""
        if self.documents is not None:
            queries = "1 query" if self.queries == 1 else f"{self.queries:,} queries"
            return f"from human judgments of {self.documents:,} documents in {queries}"
        among = f" in {self.strata:,} strata" if self.strata > 1 else ""
        return f"from human judgments of {self.judged:,} of {self.queries:,} queries{among}"

    def plot(self, measure: str | Measure | None = None, *, style: str = "svg") -> bytes:
        """Draw the estimate of each run and each difference, beside what people and the machine say alone.

        An estimate is a dot on its interval. Above it is the human mean, with the interval that it would have without
        the machine, and below it a cross for the machine's mean.

        Parameters
        ----------
        measure : str or Measure, optional
            Which of the measures. By default, this is the first.
        style : str
            The format of the picture, which is ``"svg"``, ``"png"`` or ``"pdf"``.

        Returns
        -------
        bytes
            The content of a picture file. Write it to a file that you opened with mode ``"wb"``.

        Raises
        ------
        UntiedError
            matplotlib is not installed, or the style is unknown.
        KeyError
            The measure is not among those of the table.
        """
        from untied.statistics.judged_plot import draw

        rows = self.table.to_dicts()
        asked = rows[0]["measure"] if measure is None else str(as_measure(measure))
        shown = [row | {"alone": by_people_alone(row)} for row in rows if row["measure"] == asked]
        if not shown:
            known = ", ".join(dict.fromkeys(row["measure"] for row in rows))
            raise KeyError(f"no estimate by {asked}; the measures are {known}")
        return draw(shown, f"{asked}, {self.basis}", style)

    def __repr__(self) -> str:
        return repr(self.table)


def by_people_alone(row: Mapping[str, Any]) -> tuple[float, float]:
    """Return the interval that the human mean in a row of estimates would have without the machine; NaN if none."""
    half = (row["high"] - row["low"]) / 2 / row["width"]
    return row["human"] - half, row["human"] + half


# described by untied.statistics.judges.estimate_mean: target, level
def estimate_runs(
    human: Results,
    machine: Results,
    *,
    baseline: str | None = None,
    strata: Mapping[Any, Hashable] | None = None,
    target: Target = "all",
    level: float = 0.95,
) -> RunEstimates:
    """Estimate the means and the differences of runs from human judgments of some queries and a machine's of all.

    Use it if people judged a random sample of the queries, and a language model judged all of them. Evaluate the same
    runs with both, and pass both results. Every mean and every difference is estimated as by `estimate_mean`.

    If the machine has no value for a query, it gets the mean of the machine's other values, which favours no run.

    Parameters
    ----------
    human : Results
        The results with human judgments, for the queries that people judged.
    machine : Results
        The results with the machine's judgments, for the same runs and measures.
    baseline : str, optional
        The run that all others are compared with; it is ``run_b`` of every pair. By default, every two runs are
        compared.
    strata : {query: stratum}, optional
        The stratum of each query, if people judged a random sample of each stratum. Estimates are then those of
        `estimate_strata`.
    target : str
        What the interval is about. ``"all"``: the mean over all queries that users could ask; these queries are a
        random sample of them. ``"these"``: the mean over these queries, if people had judged all of them.
    level : float
        The confidence of the interval, between 0 and 1. For instance, 0.95 gives a 95 % interval.

    Returns
    -------
    RunEstimates

    Raises
    ------
    UntiedError
        Runs or measures differ; a measure has no arithmetic mean over queries, or no human value for some query; people
        judged more queries than the machine; an option is invalid; or SciPy is not installed.

    Examples
    --------
    >>> import untied
    >>> human = {f"q{i}": {"a": 1, "b": i % 2} for i in range(20)}
    >>> machine = {f"q{i}": {"a": 1 - (i % 5 == 0), "b": i % 2} for i in range(100)}
    >>> run = {f"q{i}": ["b", "a"] for i in range(100)}
    >>> both = [untied.evaluate(qrels, run, "RR", queries="common") for qrels in (human, machine)]
    >>> row = estimate_runs(*both).table.to_dicts()[0]
    >>> round(row["human"], 3), round(row["estimate"], 3), round(row["width"], 2)
    (0.75, 0.756, 0.65)
    """
    _check(human, machine)
    if baseline is not None and baseline not in human.runs:
        raise UntiedError(f"no run {baseline!r}; the runs are {', '.join(human.runs)}")
    subjects = subjects_of(list(human.runs), baseline)
    rows = []
    notes: dict[str, list[str]] = {}
    for measure in human._measures:
        by_people, by_machine = values_by_run(human, measure), values_by_run(machine, measure)
        for subject in subjects:
            values = of_subject(by_people, subject)
            undefined = next((query for query, value in values.items() if isnan(value)), None)
            if undefined is not None:
                raise UntiedError(
                    f"the human judgments give query {undefined!r} no value of {measure}, so its mean cannot be "
                    "estimated"
                )
            machine_values = complete(of_subject(by_machine, subject), values)
            estimate = (
                estimate_mean(values, machine_values, target=target, level=level)
                if strata is None
                else estimate_strata(values, machine_values, strata, target=target, level=level)
            )
            rows.append(row_of(measure, subject, estimate))
            for note in estimate.notes:
                notes.setdefault(note, []).append(name_of(measure, subject))
    said = [
        note if len(whose) == len(rows) else f"{note} ({listed(whose, 'estimate')})" for note, whose in notes.items()
    ]
    table = tidy("measure run_a run_b", NUMBERS, rows)
    number = 1 if strata is None else len({strata[query] for query in {*human.queries, *machine.queries}})
    return RunEstimates(
        table, estimate.judged, estimate.queries, number, target, level, [*said, *_notes(human, machine, subjects)]
    )


def estimate_judged(
    human: Qrels, machine: Qrels, runs: Mapping[str, Run], measures: Sequence[Measure], *,
    query_table: QueryTableLike | None = None, strata: str | None = None, baseline: str | None = None,
    target: Target = "all", level: float = 0.95, **options: Any,
) -> tuple[RunEstimates, Results, Results]:  # fmt: skip
    """Evaluate runs by both judgments, and estimate; `strata` is a column, and `options` are those of `Evaluator`.

    The results by human and by machine judgments are returned, too.
    """
    if human.format in SAMPLED:
        raise UntiedError(
            f"the human judgments are a sample of each query's documents (format {human.format}); untied judges and "
            "estimate_drawn take these"
        )
    if not len(machine):
        raise UntiedError("the machine judged no query")
    for whose, one in (("human", human), ("machine", machine)):
        apart = {
            name: mismatch.QUERIES
            for name, run in runs.items()
            if len(run) and not _core.in_common(run, one, options.get("threads"))[0]
        }
        if apart:
            raise UntiedError(f"{whose} judgments: {mismatch.sentence(apart)}; {mismatch.NEARLY}")
    by_people, by_machine = (Evaluator(one, measures, **options).evaluate(runs) for one in (human, machine))
    named = None
    if strata is None and query_table is not None:
        raise UntiedError("query_table has no effect without strata")
    if strata is not None:
        queries = list(dict.fromkeys([*by_machine.queries, *by_people.queries]))
        named = Design(query_table, queries, macro=strata).strata
    estimates = estimate_runs(
        by_people, by_machine, baseline=baseline, strata=named, target=target, level=level
    )  # fmt: skip
    return estimates, by_people, by_machine


def notes_on_queries(judged: Collection[str], runs: Mapping[str, Run]) -> Iterator[str]:
    """Notes on judged queries that a run lacks, and on those of a run that are not judged."""
    yield from of_queries(
        {
            name: {
                "absent": sum(query not in run for query in judged),
                "unknown": sum(query not in judged for query in run.queries()),
            }
            for name, run in runs.items()
        }
    )


def notes_on_values(human: Results, machine: Results, adjust: str = "none") -> Iterator[str]:
    """Notes on the values of queries by either judgments."""
    for whose, results in (("human", human), ("machine", machine)):
        found = [
            *of_adjusted(results.facts(), adjust, can_leave_out=False),
            *of_undefined(results.facts(), adjust=adjust, can_leave_out=False),
        ]
        yield from (f"{whose} {note}" for note in found)


def _check(human: Results, machine: Results) -> None:
    """Refuse results that do not belong together, or of which no mean over queries can be estimated."""
    if human.runs != machine.runs or human.measures != machine.measures:
        raise UntiedError("human and machine results must be of the same runs and measures")
    for measure in human._measures:
        if scale_of(measure) != "mean":
            raise UntiedError(f"{measure} is no mean over queries, so it cannot be estimated from some of them")
    for whose, results in (("human", human), ("machine", machine)):
        problem = mismatch.sentence({name: mismatch.of_facts(facts) for name, facts in results.facts().items()})
        if problem is not None:
            raise UntiedError(f"{whose} judgments: {problem}")
    people, all_queries = len(human.queries), len(machine.queries)
    if people > all_queries:
        raise UntiedError(
            f"people judged {people:,} queries and the machine only {all_queries:,}: are the judgments swapped?"
        )


def values_by_run(results: Results, measure: Measure) -> dict[str, dict[str, float]]:
    """Return the values of a measure by run and query."""
    columns = {run: RunValues(results, run, measure, bounded=False) for run in results.runs}
    first, *others = columns.values()
    for other in others:
        check_queries(first, other)
    return {run: dict(zip(one.evaluation.queries(), one.values, strict=True)) for run, one in columns.items()}


def subjects_of(runs: list[str], baseline: str | None) -> list[Subject]:
    """Return what is estimated: the mean of each run, then the difference of each pair."""
    return [*((run, None) for run in runs), *(pairs_of(runs, baseline) if len(runs) > 1 else [])]


def name_of(measure: Measure, subject: Subject) -> str:
    """Return what notes call an estimate."""
    return f"{measure} of {' - '.join(show_id(run) for run in subject if run)}"


def of_subject(values: Mapping[str, Mapping[str, float]], subject: Subject) -> dict[str, float]:
    """Return the values of a run by query, or the differences of two."""
    run, other = subject
    if other is None:
        return dict(values[run])
    return {query: _core.difference(value, values[other][query]) for query, value in values[run].items()}


def complete(machine: Mapping[str, float], queries: Iterable[str]) -> dict[str, float]:
    """Return the machine's values, with their mean for these queries where there is none."""
    defined = [value for value in machine.values() if not isnan(value)]
    otherwise = mean_of(defined) if defined else 0.0
    values = dict.fromkeys(queries, otherwise)
    values |= {query: otherwise if isnan(value) else value for query, value in machine.items()}
    return values


def row_of(measure: Measure, subject: Subject, estimate: Estimate) -> tuple[str | float, ...]:
    """Return the row of an estimate, with the columns `NUMBERS` behind what it is of."""
    return (
        str(measure), subject[0], subject[1] or "",
        estimate.mean, estimate.low, estimate.high, estimate.human, estimate.machine, estimate.bias,
        estimate.correlation, estimate.slope, estimate.width, estimate.equivalent,
    )  # fmt: skip


def _notes(human: Results, machine: Results, subjects: Sequence[Subject]) -> Iterator[str]:
    if human._varied or machine._varied:
        yield "intervals are for the values themselves: how far ties or judgments could move them is not part of them"
    known = set(machine.queries)
    missing = sum(query not in known for query in human.queries)
    if missing:
        yield f"queries that the machine did not judge, which get the mean of its values: {missing:,}"
    yield from notes_on_pairs(subjects)


def notes_on_pairs(subjects: Sequence[Subject]) -> Iterator[str]:
    """A note that intervals are not corrected for the number of differences."""
    pairs = sum(other is not None for _, other in subjects)
    if pairs > 1:
        yield f"each interval is for one comparison: of {pairs:,}, some may exclude 0 by chance"
