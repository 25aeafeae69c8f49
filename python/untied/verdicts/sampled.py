"""Verdicts from a random sample of judgments, which are not certain but have a confidence."""

from __future__ import annotations

from itertools import accumulate, combinations
from math import fsum

from untied._core import Policies, possible_grades
from untied.errors import MeasureError, UntiedError, check_one_of, check_real
from untied.inputs import mismatch
from untied.inputs.convert import as_qrels, two_or_more
from untied.measures import as_measures
from untied.results.table import tidy
from untied.statistics.intervals import check_level
from untied.verdicts.hypergeometric import at_least, at_most, cost, least_sum, tail
from untied.verdicts.weights import of_ranking, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Literal

    from untied._core import Measure, Qrels
    from untied._literals import TiesOfSamples
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.results.table import Table
    from untied.verdicts.hypergeometric import Population

#: What is asked for where nothing else is.
DEFAULT = ("P@10",)
#: Strata of documents with weights of one sign where these differ.
STRATA = 5
#: How unlikely the judged documents must be as a random sample to be refused as one.
UNLIKELY = 1e-6
#: A verdict needs a bound at least as far from 0, relative to the largest weight: more than all rounding errors.
MARGIN = 1e-9

#: For each query the pooled documents and what each adds, for each grade.
Worth = list[dict[str, tuple[float, ...]]]


def from_sample(
    qrels: QrelsLike,
    runs: Runs,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    grades: Iterable[float] | None = None,
    level: float = 0.95,
    correction: Literal["bonferroni", "none"] = "bonferroni",
    ties: TiesOfSamples = "expected",
    strict: bool = False,
    threads: int | None = None,
) -> Table:
    """Find which runs are better if the judgments are a random sample of the pool.

    The verdicts are not certain, but wrong with a small probability that you choose. Every document of the pool must
    have been judged with the same probability, whatever its grade, its query and its ranks. To draw such a sample, use
    `untied.judging.sample.judgments` with ``rel=None``. Documents outside the pool count as not relevant.

    Parameters
    ----------
    qrels : qrels
        Judgments, as for `untied.evaluate`. Pooled documents that are not judged have a negative grade.
    runs : list of runs, or {name: run}
        Two or more runs, of any kind that `evaluate` takes.
    measures : measures or their names, optional
        P, Hits, RBP or DCG, with their parameters; by default P@10.
    grades : iterable of float, optional
        All grades that judges could give, such as ``(0, 1, 2, 3)``, because a sample may lack the highest. Only DCG,
        and RBP with `max_grade`, need this.
    level : float
        The confidence, between 0 and 1. With 0.95, a verdict is wrong with a probability of at most 5 %.
    correction : str
        What the confidence is about. ``"bonferroni"``: all verdicts by a measure are right together, so you may look at
        all of them and choose. ``"none"``: each verdict by itself is right.
    ties : str
        How to score tied documents. ``"expected"``: take the mean over all orders. ``"docid"``: order them by id,
        descending.
    strict : bool
        Whether to raise an error where you would otherwise get a warning.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    Table
        A row for each pair of runs and each measure. The columns are:

        * ``run_a``, ``run_b``, ``measure``
        * ``verdict``: which run is better and with which confidence, as in ``A (95 %)``, or ``open``
        * ``low``, ``high``: bounds of the difference of the means, first run minus second run

    Raises
    ------
    MeasureError
        The measure is not a sum over documents, or it needs `grades` and you passed none.
    UntiedError
        The qrels have no pool, or their judgments cannot be a random sample of it; they have strata, probabilities,
        subtopics, or a grade that is not one of `grades`; an option is refused; there are fewer than two runs; or a run
        and the qrels have no query in common, or look swapped.
    InputError
        A file does not match its format.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        A run and the qrels have no document in common, a run is empty, or nothing is relevant. With ``strict=True``,
        this is an `UntiedError`.

    Notes
    -----
    For each pair of runs, documents are divided into strata by how much more they add to one run than to the other.
    This depends on ranks, not on grades, so the judged documents of a stratum are a random sample of it. Suppose that a
    stratum has a certain number of relevant documents. The hypergeometric distribution then says how probable it is
    that a sample holds so few of them, or so many. Combinations of such numbers, one for each stratum, are excluded if
    the product of their probabilities is too small (Fisher's method). Those that remain bound the difference of the
    means.

    If the number of judged documents of every query is fixed, in proportion to its pool, samples vary less than this
    assumes. Verdicts are then wrong less often than stated.

    Examples
    --------
    In each of 40 queries, the first document of ``a`` is relevant and that of ``b`` is not. Only one of the two is
    judged:

    >>> from untied.verdicts import from_sample
    >>> queries = [f"q{n}" for n in range(40)]
    >>> qrels = {q: {"good": 1, "bad": -1} if n % 2 else {"good": -1, "bad": 0} for n, q in enumerate(queries)}
    >>> runs = {"a": {q: ["good"] for q in queries}, "b": {q: ["bad"] for q in queries}}
    >>> from_sample(qrels, runs, "P@1").to_dicts()[0]["verdict"]
    'A (95 %)'
    """
    check_level(level)
    check_one_of("correction", correction, ("bonferroni", "none"))
    Policies("samples", ties=ties)
    asked = as_measures(DEFAULT if measures is None else measures)
    loaded = two_or_more(runs, "a verdict", threads, qrels)
    table = as_qrels(qrels, threads)
    if table.format != "trec":
        raise UntiedError(
            "verdicts from a sample need a grade for each document, all judged with the same probability; found qrels "
            f"in the format {table.format!r}"
        )
    mismatch.refuse_swapped(
        {name: mismatch.of_inputs(table, run, threads) for name, run in loaded.items()}, strict=strict
    )
    pools = {query: dict(table[query]) for query in table.queries()}
    if not any(grade < 0 for pool in pools.values() for grade in pool.values()):
        raise UntiedError("the qrels have no pool: pooled documents that are not judged need a negative grade")
    scale = None if grades is None else _scale(grades, pools)
    _refuse_unequal(pools)
    longest = max((len(run[query]) for run in loaded.values() for query in run.queries()), default=1)
    pairs = list(combinations(loaded, 2))
    alpha = (1 - level) / (len(pairs) if correction == "bonferroni" else 1)
    intervals: dict[tuple[str, str, str], tuple[float, float, float]] = {}
    for measure in asked:
        possible = _possible_grades(table, measure, scale)
        worth = steps(measure, possible, longest)
        of_runs: dict[str, Worth] = {
            name: [of_ranking(run, query, pool, worth, one_order=ties == "docid") for query, pool in pools.items()]
            for name, run in loaded.items()
        }
        for name, of_run in of_runs.items():
            _refuse_tops(name, measure, of_run, pools)
        queries = 1 if measure.is_count else len(pools)
        largest = max((abs(one) for of in worth for one in of), default=0.0)
        for a, b in pairs:
            low, high = _bounds(of_runs[a], of_runs[b], list(pools.values()), possible, alpha)
            intervals[a, b, str(measure)] = low / queries, high / queries, MARGIN * largest
    confidence = f"{100 * level:g} %"
    ordered = [(a, b, str(measure)) for a, b in pairs for measure in asked]
    rows = [(*place, _verdict(*intervals[place], confidence), *intervals[place][:2]) for place in ordered]
    return tidy("run_a run_b measure verdict", "low high", rows)


def _verdict(low: float, high: float, margin: float, confidence: str) -> str:
    return f"A ({confidence})" if low > margin else f"B ({confidence})" if high < -margin else "open"


def _bounds(
    a: Worth, b: Worth, pools: Sequence[Mapping[str, float]], grades: Sequence[float], alpha: float
) -> tuple[float, float]:
    """Bounds of the sum of differences over queries that hold together with probability 1 - `alpha`."""
    nothing = (0.0,) * len(grades)
    low, high = [], []
    for number, grade in enumerate(grades):
        documents: list[tuple[float, float]] = []
        for of_a, of_b, pool in zip(a, b, pools, strict=True):
            for document in of_a.keys() | of_b.keys():
                weight = of_a.get(document, nothing)[number] - of_b.get(document, nothing)[number]
                if abs(weight) > 0:
                    documents.append((weight, pool[document]))
        known = fsum(weight for weight, judged in documents if judged >= grade)
        strata = [
            stratum
            for sign in (1, -1)
            for stratum in _strata(
                sign, [(abs(weight), judged) for weight, judged in documents if weight * sign > 0], grade
            )
        ]
        # Strata of one grade hold different documents, so their samples are independent; those of others are not.
        each = alpha / (2 * len(grades))
        low.append(known + least_sum([stratum.least() for stratum in strata], each))
        high.append(known - least_sum([stratum.most() for stratum in strata], each))
    return fsum(low), fsum(high)


def _strata(sign: int, documents: list[tuple[float, float]], grade: float) -> list[_Stratum]:
    """Documents of one sign in strata of about the same total weight; one where all weigh the same."""
    if not documents:
        return []
    weights = sorted((weight for weight, _ in documents), reverse=True)
    count = 1 if weights[0] - weights[-1] <= 1e-12 * weights[0] else STRATA
    # The lowest weight of each stratum; equal ones stay together.
    edges: list[float] = []
    share, before = fsum(weights) / count, 0.0
    for weight in weights:
        before += weight
        if len(edges) < count - 1 and before >= share * (len(edges) + 1):
            edges.append(weight)
    edges.append(0.0)
    made = []
    upper = float("inf")
    for edge in edges:
        mine = [(weight, judged) for weight, judged in documents if edge <= weight < upper]
        if mine:
            made.append(_Stratum(sign, mine, grade))
        upper = edge
    return made


class _Stratum:
    """Documents that add about the same to one of the runs, and how many of those judged have a grade."""

    def __init__(self, sign: int, documents: list[tuple[float, float]], grade: float) -> None:
        self._sign = sign
        self._size = len(documents)
        self._drawn = sum(judged >= 0 for _, judged in documents)
        self._found = sum(judged >= grade for _, judged in documents)
        self._open = sorted((weight for weight, judged in documents if judged < 0), reverse=True)

    def least(self) -> Population:
        """What those not judged can add, at least, for each number of relevant documents, with its p-value."""
        if self._sign > 0:
            return self._added(at_least, [0.0, *accumulate(reversed(self._open))])
        return [(-add, cost) for add, cost in self._added(at_most, [0.0, *accumulate(self._open)])]

    def most(self) -> Population:
        """The same of what they can take away."""
        if self._sign > 0:
            return [(-add, cost) for add, cost in self._added(at_most, [0.0, *accumulate(self._open)])]
        return self._added(at_least, [0.0, *accumulate(reversed(self._open))])

    def _added(self, p: Callable[[int, int, int], tuple[float, ...]], sums: Sequence[float]) -> Population:
        """Sums of weights of the first documents not judged, and -ln p."""
        return list(zip(sums, map(cost, p(self._size, self._drawn, self._found)), strict=True))


def _scale(grades: Iterable[float], pools: Mapping[str, Mapping[str, float]]) -> list[float]:
    """The grades above 0 of a scale, ascending, which has all grades of the judgments."""
    scale = sorted({check_real("grades", grade) for grade in grades})
    if not scale or scale[0] < 0 or scale[-1] <= 0:
        raise UntiedError("grades must be numbers of at least 0, one of them above 0")
    for query, pool in pools.items():
        for document, grade in pool.items():
            if grade > 0 and grade not in scale:
                raise UntiedError(f"query {query!r}: grade {grade:g} of document {document!r} is not one of the grades")
    return [grade for grade in scale if grade > 0]


def _possible_grades(qrels: Qrels, measure: Measure, scale: list[float] | None) -> list[float]:
    """The grades above 0 that unjudged documents may have, ascending."""
    if scale is not None:
        return scale
    if measure.name == "DCG" or (measure.name == "RBP" and "max_grade" in str(measure)):
        raise MeasureError(
            f"{measure}: a sample may miss the highest grades; give all grades of the scale (grades=, --grades), such "
            "as 0,1,2,3"
        )
    return sorted(grade for grade in possible_grades(qrels, measure) if grade > 0)


def _refuse_unequal(pools: Mapping[str, Mapping[str, float]]) -> None:
    """Refuse judgments of which more were made in some queries than chance allows."""
    size, drawn = sum(map(len, pools.values())), sum(_judged(pool.values()) for pool in pools.values())
    for query, pool in pools.items():
        here = _judged(pool.values())
        if tail(size, drawn, len(pool), here) < UNLIKELY / len(pools):
            raise UntiedError(
                f"the judgments are not a random sample of the pool: {here:,} of {len(pool):,} documents of query "
                f"{query!r} are judged, but {drawn:,} of {size:,} in all queries"
            )


def _refuse_tops(name: str, measure: Measure, of_run: Worth, pools: Mapping[str, Mapping[str, float]]) -> None:
    """Refuse judgments that were made at the top of a run more often than chance allows, or less often."""
    size, drawn = sum(map(len, pools.values())), sum(_judged(pool.values()) for pool in pools.values())
    top = sum(map(len, of_run))
    here = sum(_judged(pool[document] for document in of) for of, pool in zip(of_run, pools.values(), strict=True))
    if top and tail(size, drawn, top, here) < UNLIKELY:
        raise UntiedError(
            f"the judgments are not a random sample of the pool: {here:,} of {top:,} documents that {measure} sees of "
            f"run {name!r} are judged, but {drawn:,} of {size:,} in the pool"
        )


def _judged(grades: Iterable[float]) -> int:
    return sum(grade >= 0 for grade in grades)
