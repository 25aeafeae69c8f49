"""All that a report shows, as plain lists and dicts."""

from __future__ import annotations

from math import fsum, isnan

from untied import _core
from untied._core import show_id
from untied.aggregates import Aggregate
from untied.compare import compare_all
from untied.errors import UntiedError
from untied.evaluate import Evaluator
from untied.inputs import as_qrels, named_runs
from untied.measures import IPrec, P, Unjudged, as_measures
from untied.scaling import places
from untied.statistics import mean_interval, significance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from untied._core import Measure, Qrels, Run
    from untied.inputs import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.table import Results

#: Recall levels of the precision-recall curve, in tenths.
TENTHS = range(11)
#: Ranks of the dynamic recall curve.
RANKS = (*range(1, 21), 25, 30, 40, 50, 75, 100)
#: Depths to which unjudged documents are counted.
DEPTHS = (1, 5, 10, 20, 50, 100, 200, 500, 1000)
#: Decimals of values of queries, which a screen does not exceed.
DECIMALS = 5
#: So many places of rankings are in a page; of more, those of the queries in which the runs differ most.
PLACES = 600_000


def collect(
    qrels: QrelsLike,
    runs: Runs,
    measures: MeasureLike | Iterable[MeasureLike] | None,
    *,
    baseline: str | None,
    depth: int,
    level: float,
    correction: str,
    distances: Sequence[str],
    samples: int,
    seed: int,
    score_dtype: str,
    qrels_format: str,
    threads: int | None,
) -> dict[str, Any]:
    """Evaluate, test and compare; parameters as for `untied.report.report`."""
    if depth < 1:
        raise UntiedError(f"depth must be at least 1, not {depth}")
    judged = as_qrels(qrels, threads, qrels_format)
    loaded: dict[str, Run] = {name: load() for name, load in named_runs(runs, threads)}
    if baseline is not None and baseline not in loaded:
        raise UntiedError(f"no run {baseline!r}; there are {', '.join(loaded)}")
    asked = as_measures(measures)
    policies: dict[str, Any] = {"score_dtype": score_dtype, "threads": threads}
    results = Evaluator(judged, asked, ties="range", **policies).evaluate(loaded)
    compared = (
        compare_all(loaded, list(distances), score_dtype=score_dtype, threads=threads) if len(loaded) > 1 else None
    )
    return {
        "kind": "evaluation",
        "version": _core.__version__,
        "settings": {
            "ties": "range",
            "unjudged": "nonrelevant",
            "score_dtype": score_dtype,
            "qrels_format": qrels_format,
            "level": level,
            "test": _test(baseline),
            "correction": "none" if baseline is None else correction,
            "samples": samples,
            "seed": seed,
        },
        "measures": [_measure(measure) for measure in asked],
        "runs": [show_id(name) for name in loaded],
        "baseline": None if baseline is None else list(loaded).index(baseline),
        "queries": [show_id(query) for query in results.queries],
        "means": _means(results, level, seed),
        "values": _values(results),
        "tests": _tests(results, baseline, level, correction, samples, seed, threads),
        "rankings": rankings(results.queries, judged, loaded, depth, _most_different(results, depth)),
        "curves": _curves(judged, loaded, policies),
        "unjudged": _unjudged(judged, loaded, policies),
        "ties": _ties(results, loaded, threads),
        "distances": [] if compared is None else [_distance(compared, name) for name in compared.measures],
    }


def _measure(measure: Measure) -> dict[str, Any]:
    """What a tooltip says about a measure."""
    scale = Aggregate(measure).scale
    return {"name": str(measure), "lower": measure.lower_is_better, "scale": scale} | explained(
        measure, comparing=False
    )


def explained(measure: Measure, *, comparing: bool) -> dict[str, str]:
    """Title, range, equation and reference of a measure."""
    info = next(info for info in _core.measure_info(comparing=comparing) if info["name"] == measure.name)
    return {
        "title": info["title"],
        "range": info["range"],
        "equation": info["equation"],
        "reference": info["reference"],
    }


def rounded(value: float | None) -> float | None:
    """A value as the page has it; None where there is none."""
    return None if value is None or isnan(value) else round(value, DECIMALS)


def _means(results: Results, level: float, seed: int) -> list[list[dict[str, float | None]]]:
    """Measure by measure, run by run: the mean with its tie band and its confidence interval over queries."""
    found = []
    for measure in results._measures:
        row = []
        aggregate = Aggregate(measure)
        for run in results.runs:
            value = results.value(measure, run=run)
            of_queries = [results.value(measure, query, run).mean for query in results.queries]
            terms = aggregate.terms(one for one in of_queries if not isnan(one))
            ends: tuple[float | None, float | None] = (None, None)
            if len(terms) > 1:
                low, high = mean_interval(terms, level=level, samples=2_000, seed=seed)
                ends = aggregate.whole(low, len(terms)), aggregate.whole(high, len(terms))
            names = ("mean", "least", "most", "low", "high")
            row.append(dict(zip(names, map(rounded, (value.mean, value.low, value.high, *ends)), strict=True)))
        found.append(row)
    return found


def _values(results: Results) -> list[list[list[float | None]]]:
    """Measure by measure, run by run, query by query."""
    return [
        [[rounded(results.value(measure, query, run).mean) for query in results.queries] for run in results.runs]
        for measure in results.measures
    ]


def _test(baseline: str | None) -> str:
    return "tukey" if baseline is None else "randomization"


def _tests(
    results: Results, baseline: str | None, level: float, correction: str, samples: int, seed: int, threads: int | None
) -> list[dict[str, Any]]:
    """Every two runs that were tested, by number, measure by measure."""
    if len(results.runs) < 2 or not results.queries:
        return []
    # Every two of many runs are too many comparisons for a correction; Tukey's test needs none.
    found = significance(
        results, baseline=baseline, test=_test(baseline), interval="none", level=level, correction=correction,
        samples=samples, seed=seed, threads=threads,
    ).table  # fmt: skip
    runs, measures = results.runs, results.measures
    return [
        {
            "measure": measures.index(row["measure"]),
            "a": runs.index(row["run_a"]),
            "b": runs.index(row["run_b"]),
            "p": float(f"{row['p_adjusted']:.3g}"),
            "significant": row["significant"] == "yes",
            "survives": row.get("survives") == "yes",
            "difference": rounded(row["difference"]),
        }
        for row in found.to_dicts()
    ]


def _most_different(results: Results, depth: int) -> set[str]:
    """The queries whose rankings are in the page."""
    queries, measure = results.queries, results.measures[0]

    def spread(query: str) -> float:
        values = [results.value(measure, query, run).mean for run in results.runs]
        return max(values) - min(values) if not any(map(isnan, values)) else 0.0

    most = max(1, PLACES // (len(results.runs) * depth))
    return set(queries) if len(queries) <= most else set(sorted(queries, key=spread, reverse=True)[:most])


def rankings(
    queries: list[str], qrels: Qrels | None, runs: dict[str, Run], depth: int, only: set[str] | None = None
) -> list[dict[str, Any] | None]:
    """Query by query: documents with grades, and for every run the numbers of its first ones by tie group."""
    found: list[dict[str, Any] | None] = []
    for query in queries:
        if only is not None and query not in only:
            found.append(None)
            continue
        grades = qrels[query] if qrels is not None and query in qrels else {}
        numbers: dict[str, int] = {}
        of_runs = []
        for run in runs.values():
            if query not in run:
                of_runs.append({"groups": [], "beyond": 0, "total": 0})
                continue
            groups, beyond, total = _core.top_groups(run, query, depth)
            placed = [[numbers.setdefault(doc, len(numbers)) for doc in group] for group in groups]
            of_runs.append({"groups": placed, "beyond": beyond, "total": total})
        relevant = sum(grade > 0 for grade in grades.values())
        docs = [show_id(doc) for doc in numbers]
        found.append(
            {"docs": docs, "grades": [grades.get(doc) for doc in numbers], "runs": of_runs, "relevant": relevant}
        )
    return found


def _curves(qrels: Qrels, runs: dict[str, Run], policies: dict[str, Any]) -> dict[str, Any]:
    """Mean curves of every run: precision at recall levels, and dynamic recall at ranks."""
    levels = [IPrec @ (tenth / 10) for tenth in TENTHS]
    # The groups that hold the truth's first i documents are those from the grade of its i-th one up.
    truths = {
        query: sorted((grade for grade in qrels[query].values() if grade > 0), reverse=True)
        for query in qrels.queries()
    }
    truths = {query: truth for query, truth in truths.items() if truth}
    grades = sorted({grade for truth in truths.values() for grade in truth})
    if len(grades) > 20:  # as many measures a rank
        grades = []
    at_ranks = {(grade, rank): P(rel=grade) @ rank for grade in grades for rank in RANKS}
    precision, recall = [], []
    evaluator = Evaluator(qrels, [*levels, *at_ranks.values()], **policies)
    for name, run in runs.items():
        results = evaluator.evaluate({name: run})
        precision.append([rounded(results.value(measure, run=name).mean) for measure in levels])
        means = []
        for rank in RANKS if grades else ():
            values = [
                results.value(at_ranks[truth[min(rank, len(truth)) - 1], rank], query, name).mean
                for query, truth in truths.items()
            ]
            means.append(rounded(fsum(values) / len(values)))
        recall.append(means)
    return {
        "recall": [tenth / 10 for tenth in TENTHS],
        "precision": precision,
        "ranks": list(RANKS) if grades else [],
        "dynamic_recall": recall if grades else [],
    }


def _unjudged(qrels: Qrels, runs: dict[str, Run], policies: dict[str, Any]) -> dict[str, Any]:
    """The share of unjudged documents of every run, to several depths."""
    measures = [Unjudged @ depth for depth in DEPTHS]
    results = Evaluator(qrels, measures, **policies).evaluate(runs)
    shares = [[rounded(results.value(measure, run=run).mean) for measure in measures] for run in results.runs]
    return {"depths": list(DEPTHS), "shares": shares}


def _ties(results: Results, runs: dict[str, Run], threads: int | None) -> list[dict[str, Any]]:
    """How much of every run is tied, and what that leaves open."""
    facts = results.facts()
    return [
        _core.tie_counts(run, threads) | {what: facts[name][what] for what in ("mixed", "absent", "unknown")}
        for name, run in runs.items()
    ]


def _distance(compared: Any, name: str) -> dict[str, Any]:
    """A square of means of all runs by all runs, and a map on which alike runs are close."""
    matrix = compared.matrix(name)
    rows = [[rounded(cell) for cell in row[1:]] for row in matrix.rows()]
    alike = not _core.comparing_info(_core.comparing_measure(name))[1]
    return {"name": name, "alike": alike, "rows": rows, "map": _map(rows, alike)}


def _map(rows: list[list[float | None]], alike: bool) -> list[list[float]]:
    """Where runs are on a map."""
    n = len(rows)
    distances = [[0.0] * n for _ in range(n)]
    for a in range(n):
        for b in range(n):
            value = rows[a][b] if rows[a][b] is not None else rows[b][a]
            if a != b:
                distances[a][b] = 0.0 if value is None else 1 - value if alike else value
    return [list(place) for place in places(distances)]
