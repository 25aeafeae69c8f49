"""Values, means and tests of a report over all queries, and the choice of queries that the page holds."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from math import isnan, nan, sqrt
from statistics import NormalDist

from untied._core import most_different, ranked, show_id
from untied.evaluation.runs import Evaluator
from untied.inputs import mismatch
from untied.progress import begin_part
from untied.report.verdicts import others_of
from untied.results.design import Design
from untied.statistics.intervals import INTERVAL_SAMPLES, mean_interval
from untied.statistics.notes import least_p
from untied.statistics.paired import RunValues, paired
from untied.statistics.runs import significance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from untied._core import Measure, Qrels, Run
    from untied._literals import Interval
    from untied.results.evaluation import Results
    from untied.statistics.runs import Significance

#: The most queries, and the most values of queries, that a page holds.
MOST, CELLS = 2_000, 500_000
#: The most draws for one bootstrap interval, unless that leaves fewer than a thousand samples.
DRAWS = 1 << 30
#: The most values of queries held in memory at once; a single measure may exceed it.
HELD = 4 << 20


@dataclass(eq=False)
class PageValues:
    """Results of an evaluation."""

    #: As `Significance` has them; so are the notes.
    settings: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    #: The number of queries; of those that the page holds, the places among all and the ids.
    count: int = 0
    rows: list[int] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    #: Their values, by measure and run.
    shown: list[list[list[float | None]]] = field(default_factory=list)
    #: Means and tests over all queries.
    means: list[list[dict[str, float | None]]] = field(default_factory=list)
    tests: list[dict[str, Any]] = field(default_factory=list)
    #: By measure, the runs with the best mean, which are several if they are equal.
    best: list[list[int]] = field(default_factory=list)
    #: By measure, the leading run and the one to compare it with, and how it stands to all others in any order of ties.
    leading: list[tuple[int, int] | None] = field(default_factory=list)
    ties: list[list[dict[str, Any]] | None] = field(default_factory=list)
    #: As of `Results.facts`.
    facts: Mapping[str, Any] = field(default_factory=dict)
    #: Whether the test could give a p below the level at all.
    can_be_significant: bool = True
    #: Problems of runs that have nothing in common with the qrels; then there are no tests.
    apart: list[str] = field(default_factory=list)
    #: The highest grade; None of preferences.
    highest: float | None = None
    #: The segment of each query if there are segments, all queries, and by measure, segment and run what `_by_segment`
    #: has.
    design: Design | None = None
    all_queries: list[str] = field(default_factory=list)
    of_segments: list[list[list[dict[str, Any]]]] = field(default_factory=list)

    def most_different(self, n: int) -> set[str]:
        """The queries of the page in which the runs differ most by the first measure."""
        columns = [array("d", (nan if value is None else value for value in column)) for column in self.shown[0]]
        return {self.queries[row] for row in most_different(columns, max(1, n))}


def number(value: float | None) -> float | None:
    """The unrounded value; None if it is missing or NaN."""
    return None if value is None or isnan(value) else value


def interval_samples(queries: int) -> int:
    """The number of samples for the bootstrap interval of a mean over this many queries."""
    return min(INTERVAL_SAMPLES, max(1_000, DRAWS // max(1, queries)))


def _on_samples(samples: int, level: float) -> str:
    """A note on fewer samples than usual, with the standard error of an interval's end: that of a sampled quantile."""
    normal = NormalDist()
    tail = (1 - level) / 2
    error = sqrt(tail * (1 - tail) / samples) / normal.pdf(normal.inv_cdf(tail))
    return (
        f"intervals are from {samples:,} bootstrap samples instead of {INTERVAL_SAMPLES:,}, because there are many "
        f"queries; this moves each end by about {error:.2f} standard errors of the mean, and --interval t draws none"
    )


def evaluated(
    qrels: Qrels,
    runs: dict[str, Run],
    measures: Sequence[Measure],
    baseline: str | None,
    chance: dict[str, Any],
    interval: Interval,
    policies: dict[str, Any],
    segments: dict[str, Any] | None = None,
) -> PageValues:
    """Evaluate and test a few measures at a time, so that their values fit into memory.

    `segments` has the table of queries and the column with their segments.
    """
    page_values = PageValues(chance)
    at_once = max(1, HELD // max(1, 3 * len(qrels) * len(runs)))
    values: list[list[array[float]]] = []
    room = max(1, min(MOST, CELLS // (len(measures) * len(runs))))
    orders = []
    results = None
    place = None if baseline is None else list(runs).index(baseline)
    for first in range(0, len(measures), at_once):
        results = None  # free the previous results before more are evaluated
        piece = list(measures[first : first + at_once])
        begin_part()
        with mismatch.CollectedNotes() as apart:
            results = Evaluator(qrels, piece, ties="range", **policies).evaluate(runs)
        page_values.apart = apart
        tested = None
        if len(runs) > 1 and not apart:
            threads = policies["threads"]
            tested = significance(results, baseline=baseline, interval="none", **chance, threads=threads)
            page_values.settings = {name: tested.settings[name] for name in chance}
            of = "" if at_once >= len(measures) else f"{', '.join(map(str, piece))}: "
            page_values.notes += [of + note for note in tested.notes]
            queries = max(fact["evaluated"] for fact in results.facts().values())
            least = least_p(queries, len(tested.table.to_dicts()) // len(piece), page_values.settings)
            page_values.can_be_significant = least <= 1 - page_values.settings["level"]
        for index, measure in enumerate(piece):
            if index:
                begin_part()
            values.append(_of_measure(page_values, results, measure, tested, chance, interval, policies["threads"]))
            ranks = _ranks(page_values.means[-1], measure)
            best = [run for run, rank in ranks if rank == 1]
            pair = leading(best, [run for run, _ in ranks], place)
            page_values.best.append(best)
            page_values.leading.append(pair)
            page_values.ties.append(None if pair is None or apart else others_of(results, measure, pair[0]))
            orders.append(_order(values[-1], room))
        if segments is not None:
            if page_values.design is None:
                page_values.all_queries = results.queries
                page_values.design = Design(segments["query_table"], page_values.all_queries, by=segments["by"])
            page_values.of_segments += _by_segment(
                results._in_design(page_values.design), None if apart else baseline, chance, policies["threads"]
            )
        page_values.facts = results.facts()
        page_values.highest = next(iter(page_values.facts.values()))["highest"]
    assert results is not None  # there is a measure
    for measure, of_runs in zip(measures, values, strict=True):
        page_values.notes += _without_value(measure, list(runs), of_runs)
    evaluation = next(iter(results._evaluations.values()))
    page_values.count = len(values[0][0])
    samples = interval_samples(page_values.count)
    if interval == "bca" and samples < INTERVAL_SAMPLES:
        page_values.settings = {**page_values.settings, "interval_samples": samples}
        page_values.notes.append(_on_samples(samples, chance["level"]))
    chosen = _in_turn(orders, room)
    page_values.rows = chosen
    page_values.queries = [evaluation.query(row) for row in chosen]
    page_values.shown = [[[number(column[row]) for row in chosen] for column in of_runs] for of_runs in values]
    return page_values


def _by_segment(
    results: Results, baseline: str | None, chance: dict[str, Any], threads: int | None
) -> list[list[list[dict[str, Any]]]]:
    """By measure, segment and run, the mean with its bounds over ties, and how it differs from the baseline's.

    The sign is that of a significant difference from the baseline, by tests whose p-values are corrected over segments.
    It is 0 if the difference is not significant, and None without a test.
    """
    signs: dict[tuple[str, str, str], int] = {}
    if baseline is not None:
        tested = significance(results, baseline=baseline, interval="none", **chance, threads=threads)
        for row in tested.table.to_dicts():
            ahead = (row["difference"] > 0) - (row["difference"] < 0) if row["significant"] == "yes" else 0
            run, sign = (row["run_a"], ahead) if row["run_b"] == baseline else (row["run_b"], -ahead)
            signs[row["measure"], row["segment"], run] = sign
    return [
        [
            [
                {"mean": number(value.mean), "low": number(value.low), "high": number(value.high)}
                | {"sign": signs.get((str(measure), name, run))}
                for run in results.runs
                for value in [segment.value(measure, run=run)]
            ]
            for name, segment in results.segments.items()
        ]
        for measure in results._measures
    ]


def _ranks(means: Sequence[dict[str, float | None]], measure: Measure) -> list[tuple[int, int]]:
    """Runs that have a mean, the best first, with their ranks; equal ones share a rank."""
    values = [nan if one["mean"] is None else one["mean"] for one in means]
    return [pair for pair in ranked(values, measure.lower_is_better) if not isnan(values[pair[0]])]


def leading(best: Sequence[int], order: Sequence[int], baseline: int | None) -> tuple[int, int] | None:
    """The leading run and the one to compare it with: the baseline, or the next best; None unless there are two."""
    if len(order) < 2:
        return None
    return best[0], order[1] if baseline is None or baseline == best[0] or baseline not in order else baseline


def _of_measure(
    page_values: PageValues,
    results: Results,
    measure: Measure,
    tested: Significance | None,
    chance: dict[str, Any],
    interval: Interval,
    threads: int | None,
) -> list[array[float]]:
    """Add means and tests of the next measure, and return its values by run."""
    columns = [RunValues(results, run, measure, bounded=False) for run in results.runs]
    if tested is not None:
        rows = [row for row in tested.table.to_dicts() if row["measure"] == str(measure)]
        page_values.tests += _tests(rows, columns, len(page_values.means))
    page_values.means.append(_means(results, columns, measure, chance, interval, threads))
    return [column.values for column in columns]


def _without_value(measure: Measure, names: list[str], columns: list[array[float]]) -> list[str]:
    """A note if the means of a measure are of fewer queries, and perhaps of other queries for each run."""
    counts = [(name, sum(map(isnan, column))) for name, column in zip(names, columns, strict=True)]
    of_runs = ", ".join(f"{number:,} of {show_id(name)}" for name, number in counts if number)
    return [f"{measure}: queries without a value, left out of the mean: {of_runs}"] if of_runs else []


def _order(columns: list[array[float]], room: int) -> Sequence[int]:
    """Rows of the queries that the page should hold for one measure: all, or those in which the runs differ most.

    For a single run, they are evenly spread over its values.
    """
    count = len(columns[0])
    if count <= room:
        return range(count)
    if len(columns) == 1:
        by_value = sorted(range(count), key=columns[0].__getitem__)
        return [by_value[place * count // room] for place in range(room)]
    return most_different(columns, room)


def _in_turn(orders: list[Sequence[int]], room: int) -> list[int]:
    """The first rows of each order in turn, until there are enough."""
    chosen: dict[int, None] = {}
    for in_turn in zip(*orders, strict=True):
        chosen |= dict.fromkeys(in_turn)
        if len(chosen) >= room:
            break
    return sorted(list(chosen)[:room])


def _means(
    results: Results,
    columns: list[RunValues],
    measure: Measure,
    chance: dict[str, Any],
    interval: Interval,
    threads: int | None,
) -> list[dict[str, float | None]]:
    """The mean of each run, with its bounds over ties and its confidence interval over queries."""
    row = []
    for column in columns:
        value = results.value(measure, run=column.run)
        terms = column.terms.known()
        ends: tuple[float | None, float | None] = (None, None)
        if len(terms) > 1 and interval != "none":
            low, high = mean_interval(
                terms, level=chance["level"], method=interval, samples=interval_samples(len(column.values)),
                seed=chance["seed"], threads=threads,
            )  # fmt: skip
            ends = column.terms.of_mean(low), column.terms.of_mean(high)
        names = ("mean", "low", "high", "ci_low", "ci_high")
        row.append(dict(zip(names, map(number, (value.mean, value.low, value.high, *ends)), strict=True)))
    return row


def _tests(rows: list[dict[str, Any]], columns: list[RunValues], measure: int) -> list[dict[str, Any]]:
    """Every tested pair of runs, by number, with its result over all queries."""
    by_name = {column.run: place for place, column in enumerate(columns)}
    tests = []
    for row in rows:
        a, b = by_name[row["run_a"]], by_name[row["run_b"]]
        pair = paired(columns[a].terms, columns[b].terms)
        tests.append(
            {
                "measure": measure,
                "a": a,
                "b": b,
                "p": number(row["p_adjusted"]),
                "significant": row["significant"] == "yes",
                "survives": row["survives"],
                "difference": number(row["difference"]),
                "least": row["least"],
                "most": row["most"],
                "counts": pair.counts,
                "quantiles": pair.quantiles,
            }
        )
    return tests
