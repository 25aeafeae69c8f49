"""What tests and intervals of two runs read: one number for every query or, if queries are grouped, every cluster.

The mean of these numbers is the difference of the runs' means, weighted or not. If it is weighted, the numbers that a
test changes the sign of are the clusters' sums of weighted differences, and those that an interval is of are the
clusters' influences on the mean (its linearisation, Särndal et al. 1992). So every method for plain numbers applies.
"""

from __future__ import annotations

from array import array
from math import fsum, isnan, sqrt
from typing import NamedTuple

from untied import _core
from untied.errors import UntiedError
from untied.results.design import effective, weighted_deviation, weighted_mean
from untied.statistics.values import mean_of, standard_deviation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from untied.results.design import Design
    from untied.statistics.paired import Ends, PairedValues, RunValues


class Sample(NamedTuple):
    """The differences of two runs, as tests and intervals take them."""

    #: The means of both runs, and their difference.
    means: tuple[float, float]
    difference: float
    #: One number for each query or cluster, whose sign a test may change.
    signed: Sequence[float]
    #: The same for intervals and the t-test.
    spread: Sequence[float]
    #: The standard deviation of the queries' differences.
    deviation: float
    #: The numbers of queries whose difference is above, equal to and below 0.
    counts: Sequence[int]
    #: The lowest and the highest difference, and the numbers within bounds whose p-value is largest.
    ends: tuple[float, float]
    nearest: Sequence[float]
    #: As many queries of equal weight would have a mean difference that is as certain.
    effective: float

    @property
    def mean(self) -> float:
        """The mean that is tested: 0 if the means of the runs are equal but for rounding."""
        return mean_of(self.signed) if self.difference else 0.0


def plain_sample(pair: PairedValues) -> Sample:
    """A sample of independent queries that count alike."""
    differences = pair.differences
    return Sample(
        pair.means, pair.difference, differences, differences, standard_deviation(differences), pair.counts, pair.ends,
        pair.nearest, float(len(differences)),
    )  # fmt: skip


def grouped_sample(pair: PairedValues, a: RunValues, b: RunValues, design: Design, bounds: Ends | None) -> Sample:
    """A sample of queries with weights, in clusters, or in segments; `bounds` are those of all queries' differences."""
    if design.is_plain and design.segments is None:
        return plain_sample(pair)
    queries, rows = a.evaluation.queries(), both_defined(a, b)
    kept = [queries[row] for row in rows]
    weights = design.weights_of(kept, queries, f"{a.measure} of {a.run} or {b.run}")
    clusters: Sequence[Any] = range(len(kept)) if design.clusters is None else [design.clusters[one] for one in kept]
    sample = plain_sample(pair)
    differences = pair.differences
    signed, nearest, ends = sums(differences, weights, clusters), pair.nearest, pair.ends
    if design.is_weighted:
        one, other = (weighted_mean([run.values[row] for row in rows], weights) for run in (a, b))
        difference = _core.difference(one, other) if any(differences) else 0.0
        deviation = weighted_deviation(differences, weights)
        sample, ends = (
            sample._replace(means=(one, other), difference=difference, deviation=deviation),
            (difference,) * 2,
        )
    if bounds is not None and not design.is_plain:
        if pair.dropped[1]:
            raise UntiedError(
                f"missing judgments decide for {pair.dropped[1]:,} queries whether {a.run} and {b.run} have a value of "
                f"{a.measure}, so weighted differences and those of clusters have no bounds"
            )
        low, high = ([end[row] for row in rows] for end in bounds)
        low = [min(end, own) for end, own in zip(low, differences, strict=True)]
        high = [max(end, own) for end, own in zip(high, differences, strict=True)]
        ends = weighted_mean(low, weights), weighted_mean(high, weights)
        nearest = sums(low if ends[0] > 0 else high, weights, clusters) if ends[0] > 0 or ends[1] < 0 else array("d")
    spread = influences(differences, weights, clusters, design.strata_of(kept), is_macro=design.macro is not None)
    return sample._replace(signed=signed, spread=spread, ends=ends, nearest=nearest, effective=effective(weights))


def both_defined(a: RunValues, b: RunValues) -> list[int]:
    """The rows of the queries for which both runs have a value."""
    return [row for row, (x, y) in enumerate(zip(a.values, b.values, strict=True)) if not isnan(x) and not isnan(y)]


def sums(values: Sequence[float], weights: Sequence[float], clusters: Sequence[Any]) -> array[float]:
    """For each cluster, the sum of its weighted values, scaled so that the mean of all is the weighted mean.

    >>> list(sums([1.0, 0.5], [3, 1], ["a", "b"]))
    [1.5, 0.25]
    """
    members = _members(clusters)
    scale = len(members) / fsum(weights)
    return array("d", (scale * fsum(values[row] * weights[row] for row in rows) for rows in members))


def influences(
    values: Sequence[float],
    weights: Sequence[float],
    clusters: Sequence[Any],
    strata: Sequence[str] | None = None,
    *,
    is_macro: bool = False,
) -> array[float]:
    """For each cluster, how it moves the weighted mean, added to that mean.

    The variance of the mean of these numbers is that of the weighted mean, to first order: a ratio of two sums, both of
    which vary with the queries that are drawn. With strata, queries are drawn within each of them, if every cluster is
    in one. `is_macro`: the weights in a stratum are relative to its own sum, whatever is drawn.

    >>> list(influences([1.0, 0.5], [3, 1], ["a", "b"]))
    [1.0625, 0.6875]
    """
    members = _members(clusters)
    number, total = len(members), fsum(weights)
    mean = weighted_mean(values, weights)
    centers, factors = [mean] * len(values), [1.0] * number
    if strata is not None:
        of_strata, is_nested = _strata(strata, clusters)
        for rows in of_strata if is_nested or is_macro else ():
            center = weighted_mean([values[row] for row in rows], [weights[row] for row in rows])
            for row in rows:
                centers[row] = center
        if is_nested and number > 1:
            units = {row: len({clusters[other] for other in rows}) for rows in of_strata for row in rows}
            own = [units[rows[0]] for rows in members]
            # A variance divides by one less than the number of clusters, here of a stratum; methods take that of all.
            factors = [sqrt((number - 1) / number * n / (n - 1)) for n in own]
    return array(
        "d",
        (
            mean + factor * number * fsum(weights[row] * (values[row] - centers[row]) for row in rows) / total
            for rows, factor in zip(members, factors, strict=True)
        ),
    )


def _strata(strata: Sequence[str], clusters: Sequence[Any]) -> tuple[list[list[int]], bool]:
    """The rows of each stratum, and whether every cluster is in one.

    Strata of a single cluster say nothing of their variance. They are taken together, or with the smallest other one.
    """
    units: dict[str, set[Any]] = {}
    homes: dict[Any, set[str]] = {}
    for stratum, cluster in zip(strata, clusters, strict=True):
        units.setdefault(stratum, set()).add(cluster)
        homes.setdefault(cluster, set()).add(stratum)
    joined = [stratum for stratum, own in units.items() if len(own) == 1]
    if len(joined) == 1:
        joined += sorted((stratum for stratum in units if stratum not in joined), key=lambda one: len(units[one]))[:1]
    named = [joined[0] if stratum in joined else stratum for stratum in strata]
    return _members(named), all(len(own) == 1 for own in homes.values())


def _members(clusters: Sequence[Any]) -> list[list[int]]:
    """The rows of each cluster, in the order in which clusters appear."""
    members: dict[Any, list[int]] = {}
    for row, cluster in enumerate(clusters):
        members.setdefault(cluster, []).append(row)
    return list(members.values())
