"""The data of a report, as plain lists and dicts."""

from __future__ import annotations

from math import nan

from untied import _core
from untied._core import show_id
from untied.comparison.measures import as_comparing_measures
from untied.comparison.runs import compare_loaded
from untied.evaluation.runs import Evaluator
from untied.inputs import mismatch
from untied.measures import ADR, IPrec
from untied.progress import begin_part
from untied.report.measures import explained, meaning
from untied.report.rankings import rankings, titles
from untied.report.values import HELD, number
from untied.report.verdicts import PageVerdicts
from untied.results.notes import of_absent
from untied.results.scaling import places
from untied.statistics.notes import said_of
from untied.statistics.values import scale_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from untied._core import Measure, Qrels, Run
    from untied.inputs.texts import TextsLike
    from untied.report.values import PageValues

#: Recall levels of the precision-recall curve, in tenths.
TENTHS = range(11)
#: Ranks of the dynamic recall curve.
RANKS = (*range(1, 21), 25, 30, 40, 50, 75, 100)
#: Depths to which unjudged documents are counted, and the deepest ranking's.
DEPTHS = (1, 5, 10, 20, 50, 100, 200, 500, 1000)
#: The most ranked documents that a page holds. Beyond this, only queries in which runs differ most show their rankings.
PLACES = 600_000
#: Parts of a page's data that take long, besides two for each measure: distances, unjudged documents and curves.
FURTHER_PARTS = 3
#: What the summary says of a test.
ANSWER = ("a", "p", "significant", "survives", "least", "most")
#: What ties and missing queries of a run leave open.
FACTS = ("mixed", "absent", "unknown")


def collect(
    judged: Qrels, loaded: dict[str, Run], asked: list[Measure], values: PageValues, baseline: str | None, depth: int,
    distances: Sequence[str], texts: tuple[TextsLike | None, TextsLike | None], qrels_format: str,
    policies: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """What a page shows, from what was evaluated and tested; other parameters as for `untied.report.report`.

    Every page shows this data, except ``held``, which only pages that recalculate need: the positions of their queries
    among all queries, the highest grade, and the notes that runs share no queries or documents with the judgments or
    with each other, that they lack queries, or that queries have no relevant document.
    """
    score_dtype, threads = policies["score_dtype"], policies["threads"]
    queries, (queries_text, docs_text) = values.queries, texts
    settings: dict[str, Any] = {
        "ties": "range", "unjudged": "nonrelevant", "score_dtype": score_dtype, "qrels_format": qrels_format,
    }  # fmt: skip
    shown = values.most_different(PLACES // (len(loaded) * depth))
    begin_part()
    with mismatch.CollectedNotes() as among_runs:
        compared = _distances(loaded, distances, score_dtype, threads)
    apart = [*values.apart, *among_runs]
    unusual = [*of_absent(values.facts), *_without_relevant(values)]
    mismatch.warn_or_raise("; ".join(apart))
    how = said_of(values.settings, len(loaded))
    place = None if baseline is None else list(loaded).index(baseline)
    names = list(loaded)
    ties = [
        _core.tie_counts(run, threads, score_dtype) | {what: values.facts[name][what] for what in FACTS}
        for name, run in loaded.items()
    ]
    deepest = max(1, *(counts["deepest"] for counts in ties))
    begin_part()
    unjudged, top_ten = _unjudged(judged, loaded, deepest, policies)
    certain = PageVerdicts(judged, loaded, policies)
    begin_part()
    curves = _curves(judged, loaded, deepest, policies)
    for one in values.tests:
        one |= certain.test(asked[one["measure"]], (names[one["a"]], names[one["b"]]))
    answers = []
    ranks = []
    for row, (measure, pair) in enumerate(zip(asked, values.leading, strict=True)):
        more = (
            {"judgments": None}
            if values.apart and certain.is_known
            else _open(values, row, measure, certain, any(run["tied"] for run in ties))
        )
        answers.append(_tested(values, row, measure, pair, place) | more)
        ranks.append(None if values.apart else certain.ranks(measure))
    return {
        "kind": "evaluation",
        "version": _core.__version__,
        "settings": settings | values.settings,
        "how": how,
        "notes": [
            *apart,
            *unusual,
            *values.notes,
            *([] if values.apart else certain.notes),
            *(values.design.notes(values.all_queries) if values.design else []),
        ],
        "measures": [_measure(measure) for measure in asked],
        "runs": [show_id(name) for name in loaded],
        "has_preferences": judged.format == "preferences",
        "baseline": place,
        "best": values.best,
        "leading": values.leading,
        "answers": answers,
        "can_be_significant": values.can_be_significant,
        "is_examined": certain.is_examined,
        "apart": values.apart,
        "queries": [show_id(query) for query in queries],
        "titles": titles(queries, queries_text),
        "of": values.count,
        "means": values.means,
        "values": values.shown,
        "tests": values.tests,
        "ranks": ranks,
        "rankings": rankings(queries, judged, loaded, depth, score_dtype, shown, texts=docs_text),
        "curves": curves,
        "top_ten": top_ten,
        "unjudged": unjudged,
        "ties": ties,
        "distances": compared,
        "segments": _segments(values),
        "held": {
            "rows": values.rows,
            "apart": values.apart,
            "among": [*among_runs, *unusual],
            "highest": values.highest,
        },
    }


def _segments(page_values: PageValues) -> dict[str, Any] | None:
    """The segments of queries with their numbers of queries, and their means and tests by measure; None if none are."""
    design = page_values.design
    if design is None or design.segments is None:
        return None
    names = design.names(page_values.all_queries)
    of_queries = [design.segments[query] for query in page_values.all_queries]
    return {
        "by": show_id(design.by or ""),
        "names": [show_id(name) for name in names],
        "queries": [of_queries.count(name) for name in names],
        "means": page_values.of_segments,
    }


def _without_relevant(page_values: PageValues) -> list[str]:
    """A note if some queries have no relevant document, whatever the measures are: readers may choose others."""
    facts = next(iter(page_values.facts.values()))
    count = facts["evaluated"] - facts["relevant"]
    if not count or not facts["relevant"]:  # if nothing is relevant, there is a warning
        return []
    return [
        f"queries without a relevant document: {count:,} of {facts['evaluated']:,}; most measures, such as AP, are "
        "undefined for them and count as 0"
    ]


def _tested(
    page_values: PageValues, place: int, measure: Measure, pair: tuple[int, int] | None, baseline: int | None
) -> dict[str, Any]:
    """The test of the pair, and numbers of runs that are significantly better or worse than the leader or baseline."""
    if pair is None:
        return {"test": None, "others": None}
    tests = [one for one in page_values.tests if one["measure"] == place]
    against = pair[0] if baseline is None else baseline
    others = [one for one in tests if against in (one["a"], one["b"])]
    among = [one for one in others if one["significant"]]
    signs = [(one["difference"] or 0) * (1 if one["b"] == against else -1) for one in among]
    better = sum((sign > 0) != measure.lower_is_better for sign in signs)
    test = next((one for one in tests if {one["a"], one["b"]} == {*pair}), None)
    return {
        "test": test and {name: test[name] for name in ANSWER},
        "others": {"better": better, "worse": len(among) - better, "of": len(others)},
    }


def _open(
    page_values: PageValues, place: int, measure: Measure, certain: PageVerdicts, is_tied: bool
) -> dict[str, Any]:
    """How the leading run stands to every other in all orders of ties, for all missing judgments, and over both.

    Of a single run, the lowest and the highest mean for all missing judgments.
    """
    pair = page_values.leading[place]
    if not certain.is_known:
        return {} if pair is None else {"ties": page_values.ties[place]}
    if pair is None:
        runs = [run for run, one in enumerate(page_values.means[place]) if one["mean"] is not None]
        return {"judgments": certain.alone(measure, runs[0]) if runs else None}
    leader, _ = pair
    judgments = certain.others(measure, leader, "expected")
    return {
        "ties": page_values.ties[place],
        "judgments": judgments,
        "overturn": certain.overturn(measure, leader, judgments),
        "both": certain.others(measure, leader, "range") if is_tied and judgments else None,
    }


def _measure(measure: Measure) -> dict[str, Any]:
    """The tooltip of a measure."""
    scale = scale_of(measure)
    return {"name": str(measure), "lower": measure.lower_is_better, "scale": scale} | explained(
        measure, comparing=False
    )


def _curves(qrels: Qrels, runs: dict[str, Run], deepest: int, policies: dict[str, Any]) -> dict[str, Any]:
    """Mean curves of every run: precision at recall levels, and dynamic recall at ranks to the deepest ranking's end.

    ADR@k is the mean of dynamic recall at the ranks to k, so k ADR@k - (k - 1) ADR@(k - 1) is that at rank k.
    """
    recall: list[list[float | None]] = []
    ranks = [rank for rank in RANKS if rank <= deepest]
    interpolated, ends, averages = curve_measures(qrels, ranks)
    precision = _totals(qrels, runs, interpolated, policies)
    if averages:
        for of_run in _totals(qrels, runs, averages, policies | {"on_undefined": "nan"}):
            sums = {0: 0.0} | {
                end: end * (nan if mean is None else mean) for end, mean in zip(ends, of_run, strict=True)
            }
            recall.append([number(sums[rank] - sums[rank - 1]) for rank in ranks])
    return {
        "recall": [tenth / 10 for tenth in TENTHS],
        "precision": precision,
        "ranks": ranks if recall else [],
        "dynamic_recall": recall,
    }


def curve_measures(qrels: Qrels, ranks: Sequence[int]) -> tuple[list[Measure], list[int], list[Measure]]:
    """Measures of both curves: precision at recall levels, and ADR at the ranks that dynamic recall at `ranks` needs.

    Without a relevant document there are none of the latter, and of preferences, none of the former.
    """
    ends = sorted({end for rank in ranks for end in (rank - 1, rank)} - {0})
    if qrels.format == "preferences":
        return [], ends, [ADR @ end for end in ends]
    grades = [grade for grade in qrels.grades() if grade > 0]
    return [IPrec @ (tenth / 10) for tenth in TENTHS], ends, [ADR(rel=min(grades)) @ end for end in ends if grades]


def _totals(
    qrels: Qrels, runs: dict[str, Run], measures: list[Measure], policies: dict[str, Any]
) -> list[list[float | None]]:
    """Means by run, computed a few measures at a time, so that their values fit into memory."""
    at_once = max(1, HELD // max(1, len(qrels)))
    totals: list[list[float | None]] = [[] for _ in runs]
    for first in range(0, len(measures), at_once):
        evaluator = Evaluator(qrels, measures[first : first + at_once], **policies)
        for of_run, run in zip(totals, runs.values(), strict=True):
            with mismatch.Silence():  # there has been a warning
                of_run += map(number, evaluator.means(run).values())
    return totals


def _unjudged(
    qrels: Qrels, runs: dict[str, Run], deepest: int, policies: dict[str, Any]
) -> tuple[dict[str, Any], list[float | None]]:
    """The share of unjudged documents of every run, to several depths, and in the first ten."""
    depths = sorted({*(depth for depth in DEPTHS if depth < deepest), deepest, 10})
    counts = [
        _core.judged_tops(qrels, run, depths, policies["score_dtype"], policies["threads"]) for run in runs.values()
    ]
    of_runs = [
        {
            depth: (retrieved - judged) / retrieved if retrieved else None
            for depth, (retrieved, judged) in zip(depths, of_run, strict=True)
        }
        for of_run in counts
    ]
    top_ten = [shares[10] for shares in of_runs]
    drawn = [depth for depth in depths if depth <= deepest]
    return {"depths": drawn, "shares": [[shares[depth] for depth in drawn] for shares in of_runs]}, top_ten


def _distances(
    runs: dict[str, Run], measures: Sequence[str], score_dtype: str, threads: int | None
) -> list[dict[str, Any]]:
    if len(runs) < 2:
        return []
    asked = as_comparing_measures(measures)
    policies = _core.Policies("pairs", score_dtype=score_dtype)
    options: dict[str, Any] = {"depth": None, "policies": policies, "variance": False}
    known: dict[str, Any] = {"qrels": None, "probabilities": None, "docs": None}
    compared = compare_loaded(runs, asked, known, options, itself=True, only_means=True, threads=threads)
    return [_distance(compared, name) for name in compared.measures]


def _distance(compared: Any, name: str) -> dict[str, Any]:
    """A matrix of means of all pairs of runs, and a map on which similar runs are close."""
    matrix = compared.matrix(name)
    rows = [[number(cell) for cell in row[1:]] for row in matrix.rows()]
    alike = not _core.comparing_info(_core.comparing_measure(name))[1]
    return {"name": name, "meaning": meaning(_core.comparing_measure(name)), "rows": rows, "map": _map(rows, alike)}


def _map(rows: list[list[float | None]], alike: bool) -> list[list[float]]:
    """The positions of runs on a map."""
    n = len(rows)
    distances = [[0.0] * n for _ in range(n)]
    for a in range(n):
        for b in range(n):
            value = rows[a][b] if rows[a][b] is not None else rows[b][a]
            if a != b:
                distances[a][b] = 0.0 if value is None else 1 - value if alike else value
    return [list(place) for place in places(distances)]
