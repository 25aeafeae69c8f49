"""The weight, the segment and the cluster of each query, for means and tests."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from math import fsum, isnan, sqrt

from untied import _core
from untied.errors import UntiedError, check_text
from untied.inputs.mismatch import listed
from untied.inputs.queries import PATTERN, QueryTable, segments_of, weights_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Measure, Policies
    from untied._types import Facts, Parts
    from untied.inputs.queries import QueryTableLike

#: Means of fewer queries than this say little.
FEW = 5
#: Certainties, from the most to the least certain.
CERTAINTIES = ("exact", "interval", "estimate")


class Design:
    """The weight, segment and cluster of each query.

    Attributes
    ----------
    by, weight, macro, cluster : str or None
        The columns that they are read from.
    segments, weights, strata, clusters : dict of str, or None
        The segment of each query, its weight, the segment whose mean counts as much as that of every other segment, and
        its cluster.
    unused : int
        How many queries of the table were not evaluated.
    """

    def __init__(
        self,
        query_table: QueryTableLike | QueryTable | None,
        queries: Sequence[str],
        *,
        by: str | None = None,
        weight: str | None = None,
        macro: str | None = None,
        cluster: str | None = None,
    ) -> None:
        named = {"by": by, "weight": weight, "macro": macro, "cluster": cluster}
        for option, column in named.items():
            if column is not None:
                check_text(option, column)
        if not any(column is not None for column in named.values()):
            raise UntiedError("a table of queries has no effect without by, weight, macro or cluster")
        columns = [name for name in (by, macro, cluster) if name is not None and not name.startswith(PATTERN)]
        if query_table is not None and not columns and weight is None:
            raise UntiedError(
                f"a table of queries has no effect if patterns ({PATTERN}) find all segments; leave it out"
            )
        is_read = query_table is None or isinstance(query_table, QueryTable)
        table: Any = query_table if is_read else QueryTable(query_table)  # type: ignore[arg-type]
        self.by, self.weight, self.macro, self.cluster = by, weight, macro, cluster
        self.segments, self.strata, self.clusters = (
            None if name is None else segments_of(table, name, queries) for name in (by, macro, cluster)
        )
        if by is not None and "all" in (self.segments or {}).values():
            raise UntiedError(f"{by} has a segment called all, as the mean over all queries is; rename it")
        self.weights = None if weight is None else weights_of(table, weight, queries)
        self.unused = 0 if table is None else table.unused(queries)

    @property
    def is_weighted(self) -> bool:
        """Whether some queries may count more than others."""
        return self.weights is not None or self.strata is not None

    @property
    def is_plain(self) -> bool:
        """Whether means and tests are those of single queries that count alike."""
        return not self.is_weighted and self.clusters is None

    def within(self) -> Design:
        """The design inside a segment."""
        from copy import copy

        inside = copy(self)
        inside.by, inside.segments, inside.unused = None, None, 0
        return inside

    def names(self, queries: Sequence[str]) -> list[str]:
        """The segments of these queries, in order."""
        return sorted({self.segments[query] for query in queries}) if self.segments is not None else []

    def weights_of(self, queries: Sequence[str], all_queries: Sequence[str], what: str) -> array[float]:
        """The weights of queries with a value, which are some of all queries of `what`.

        With `macro`, the weights of each segment add up to 1, so that the weighted mean is the mean of their means.
        """
        plain = [1.0] * len(queries) if self.weights is None else [self.weights[query] for query in queries]
        if self.strata is None:
            return array("d", plain)
        of_strata: dict[str, list[float]] = {}
        for query, weight in zip(queries, plain, strict=True):
            of_strata.setdefault(self.strata[query], []).append(weight)
        self.check_strata(f"{what} has a value for", queries, all_queries)
        totals = {stratum: fsum(weights) for stratum, weights in of_strata.items()}
        return array("d", (w / totals[self.strata[query]] for query, w in zip(queries, plain, strict=True)))

    def check_strata(self, what: str, queries: Sequence[str], all_queries: Sequence[str]) -> None:
        """Refuse that a segment has none of these queries: the mean of the segments' means is then undefined."""
        strata = self.strata or {}
        empty = sorted({strata[query] for query in all_queries}.difference(strata[query] for query in queries))
        if empty:
            raise UntiedError(
                f"{what} no query of the segment {_core.show_id(empty[0])}, so the mean of the segments' means is "
                "undefined"
            )

    def strata_of(self, queries: Sequence[str]) -> list[str] | None:
        """The segment of each query within which samples are drawn, those of `macro` first; None if there are none."""
        strata = self.segments if self.strata is None else self.strata
        return None if strata is None else [strata[query] for query in queries]

    def counts(self, queries: Sequence[str]) -> tuple[int, float]:
        """The number of queries, and their effective number."""
        return len(queries), effective(self.weights_of(queries, queries, "")) if queries else 0.0

    def check(self, measure: Measure) -> None:
        """Refuse a measure whose queries cannot be weighted."""
        if not self.is_plain and (measure.is_geometric or measure.is_count):
            kind = "a geometric mean" if measure.is_geometric else "a sum over queries"
            raise UntiedError(f"{measure} is {kind}; weights, macro means and clusters are for arithmetic means")

    def notes(self, queries: Sequence[str]) -> Iterator[str]:
        """What a reader should know of these queries."""
        if self.is_weighted:
            weights = self.weights_of(queries, queries, "")
            yield (
                f"effective number of queries: {effective(weights):.1f} of {len(queries):,} "
                f"({self._how()}; (sum of weights)^2 / sum of squares)"
            )
        if self.segments is not None:
            counts: dict[str, int] = {}
            for query in queries:
                counts[self.segments[query]] = counts.get(self.segments[query], 0) + 1
            few = [f"{_core.show_id(name)} ({counts[name]})" for name in sorted(counts) if counts[name] < FEW]
            if few:
                yield f"segments of fewer than {FEW} queries, whose means say little: {listed(few, 'segment')}"
        if self.unused:
            yield f"queries of the table that were not evaluated: {self.unused:,}"

    def _how(self) -> str:
        """How queries are weighted, in words."""
        by_weight = [f"weighted by {self.weight}"] if self.weight else []
        return " and ".join([*by_weight, *([f"every {self.macro} counts alike"] if self.macro else [])])


def weighted_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted mean, from exact sums of rounded products; NaN without values."""
    if not values:
        return float("nan")
    return fsum(value * weight for value, weight in zip(values, weights, strict=True)) / fsum(weights)


def weighted_deviation(values: Sequence[float], weights: Sequence[float]) -> float:
    """The standard deviation of a weighted sample; with equal weights, the usual one with n - 1."""
    n = len(values)
    if n < 2:
        return float("nan")
    if not _core.difference(max(values), min(values)):
        return 0.0
    mean = weighted_mean(values, weights)
    return sqrt(weighted_mean([(value - mean) ** 2 for value in values], weights) * n / (n - 1))


def effective(weights: Sequence[float]) -> float:
    """As many queries of equal weight would have a mean of the same variance (Kish 1965)."""
    return fsum(weights) ** 2 / fsum(weight * weight for weight in weights)


class SubsetEvaluation:
    """Some queries of an evaluation, with its interface; the design, if any, weights them in aggregates.

    Its facts are those of the whole evaluation.
    """

    def __init__(
        self, whole: Any, measures: Sequence[Measure], policies: Policies, rows: Sequence[int], design: Design | None
    ) -> None:
        self._whole, self._measures, self._policies, self._rows = whole, list(measures), policies, rows
        self._design = design if design is not None and design.is_weighted else None
        every: list[str] = whole.queries()
        self._queries = [every[row] for row in rows]
        if whole.facts()["unsettled"]:
            raise UntiedError(
                "missing judgments decide whether some queries have a value, so means of segments and weighted means "
                "have no bounds; --on-undefined zero (on_undefined='zero') counts these queries as 0"
            )

    def queries(self) -> list[str]:
        """Ids of the queries."""
        return list(self._queries)

    def query(self, row: int) -> str:
        """The id of a query."""
        return self._queries[row]

    def find(self, query: str | bytes | int) -> int | None:
        """The row of a query."""
        row = self._whole.find(query)
        place = len(self._rows) if row is None else bisect_left(self._rows, row)
        return place if place < len(self._rows) and self._rows[place] == row else None

    def columns(self) -> list[str]:
        """The fields of values."""
        columns: list[str] = self._whole.columns()
        return columns

    def facts(self) -> Facts:
        """Facts of the whole evaluation."""
        facts: Facts = self._whole.facts()
        return facts

    def value(self, row: int, measure: int) -> Parts:
        """The value of a query."""
        value: Parts = self._whole.value(self._rows[row], measure)
        return value

    def values(self) -> list[Parts]:
        """The values of all queries, in the order of the measures for each."""
        return [self.value(row, number) for row in range(len(self._rows)) for number in range(len(self._measures))]

    def column(self, measure: int, field: str) -> bytearray:
        """A field of the values of a measure, as 64-bit floats."""
        numbers = memoryview(self._whole.column(measure, field)).cast("d")
        return bytearray(array("d", map(numbers.__getitem__, self._rows)).tobytes())

    def totals(self) -> list[Parts]:
        """The aggregates of all measures."""
        values = self.values()
        width = len(self._measures)
        if self._design is not None:
            return [self._weighted(measure, values[place::width]) for place, measure in enumerate(self._measures)]
        totals = _core.Totals(self._measures, self._policies, "variance" in self.columns())
        for place in range(width):
            totals.add(place, [(*parts[:5], False) for parts in values[place::width]])
        return [(*parts, None) for parts in totals.finish()]

    def _weighted(self, measure: Measure, values: list[Parts]) -> Parts:
        assert self._design is not None
        self._design.check(measure)
        kept = [(query, parts) for query, parts in zip(self._queries, values, strict=True) if not isnan(parts[0])]
        weights = self._design.weights_of([query for query, _ in kept], self._queries, str(measure))

        columns = self.columns()

        def mean(field: int) -> float:
            numbers: list[Any] = [parts[field] for _, parts in kept]
            return weighted_mean(numbers, weights)

        low, high = (mean(1), mean(2)) if "low" in columns else (None, None)
        variance = None
        variances: list[Any] = [parts[3] for _, parts in kept]
        if "variance" in columns and kept and None not in variances:
            squares = [weight * weight for weight in weights]
            variance = weighted_mean(variances, squares) / effective(weights)
        certainty = max((parts[4] for _, parts in kept), key=CERTAINTIES.index, default="exact")
        return mean(0), low, high, variance, certainty, None


def rows_by_segment(evaluation: Any, segments: Mapping[str, str]) -> dict[str, list[int]]:
    """The rows of an evaluation that are in each segment, ascending."""
    rows: dict[str, list[int]] = {}
    for row, query in enumerate(evaluation.queries()):
        rows.setdefault(segments[query], []).append(row)
    return rows
