"""A mean over queries of which people judged some and a machine all, such as a language model.

The machine's mean may be wrong by any amount, and the mean of few human values is far from exact. Where the two kinds
of values rise and fall together, the machine's values of the other queries say where the human sample lies among all
queries, and this narrows the interval. The estimate is the human mean, moved by a share of that: a slope, which is 0
where the two have nothing in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, nan, sqrt

from untied import _core
from untied._core import show_id
from untied.errors import UntiedError, check_one_of
from untied.statistics.intervals import check_level
from untied.statistics.values import mean_of, plain_values, t_quantile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    from untied.results.value import Value

    Target: TypeAlias = Literal["all", "these"]

#: What the mean is of: all queries that could be asked, or these that the machine judged.
TARGETS = ("all", "these")
#: With fewer human queries there is no interval, and with fewer than the second number it may be too narrow.
LEAST, FEW = 5, 10
#: If so little is left of a sum of squares without one query, it is computed anew: subtracting would leave rounding.
CANCELLED = 1e-3
#: Skewness^2 / n, from which on a t interval holds the mean about 2 % less often than it says (Hall 1992).
SKEWED = 0.08


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of a mean, from values by people for some queries and by a machine for all.

    `estimate_mean` and `estimate_strata` return it.

    Attributes
    ----------
    mean : float
        The estimate. It is unbiased: over all random samples of queries, it averages to the mean of human values.
    low, high : float
        The confidence interval of the mean. It is NaN if people judged fewer than five queries.
    target : str
        The `target` that you passed: ``"all"`` or ``"these"``.
    judged, queries : int
        How many queries people judged, and how many queries there are.
    human : float
        The mean of the human values.
    machine : float
        The mean of the machine's values over all queries.
    bias : float
        The mean of machine minus human values, over the queries that people judged.
    correlation : float
        Pearson's correlation of human and machine values. It is NaN if all human values are equal, or all machine
        values.
    slope : float
        How much the estimate relies on the machine: 0 if not at all, and 1 if fully, as when the machine's values
        differ from the human values only by a constant.
    width : float
        The width of the interval, divided by the width without the machine. Below 1, the machine helps.
    equivalent : float
        How many queries people would have to judge for an interval of this width without the machine.
    notes : list of str
        What to know before you rely on the interval.
    """

    mean: float
    low: float
    high: float
    target: Target
    judged: int
    queries: int
    human: float
    machine: float
    bias: float
    correlation: float
    slope: float
    width: float
    equivalent: float
    notes: list[str]

    def __repr__(self) -> str:
        return (
            f"{self.mean:z.4f} [{self.low:z.4f}, {self.high:z.4f}] from {self.judged} of {self.queries} queries, "
            f"{self.width:.2f} as wide as without the machine"
        )


def estimate_mean(
    human: Mapping[Any, float | Value], machine: Mapping[Any, float | Value], *, target: Target = "all",
    level: float = 0.95,
) -> Estimate:  # fmt: skip
    """Estimate a mean from human values of some queries and a machine's values of all queries.

    Use it if people judged a random sample of the queries, and a language model judged all of them. The human values
    correct the model, and the model narrows the interval. However bad the model is, the estimate is unbiased, and the
    interval hardly wider than without it.

    A value may be a score of a query, or the difference of two runs. To estimate a difference, pass differences,
    because its interval does not follow from those of two means.

    Parameters
    ----------
    human : {query: value}
        Values from human judgments.
    machine : {query: value}
        Values from the machine's judgments of the same queries and all others.
    target : str
        What the interval is about. ``"all"``: the mean over all queries that users could ask; these queries are a
        random sample of them. ``"these"``: the mean over these queries, if people had judged all of them.
    level : float
        The confidence of the interval, between 0 and 1. For instance, 0.95 gives a 95 % interval.

    Returns
    -------
    Estimate

    Raises
    ------
    UntiedError
        There is no query, the machine lacks a query, a value is not a finite number, an option is invalid, or SciPy is
        not installed.

    Examples
    --------
    >>> human = {f"q{i}": (i % 7) / 10 for i in range(30)}
    >>> machine = {f"q{i}": (i % 7) / 10 + 0.1 * (i % 3) for i in range(300)}
    >>> estimate_mean(human, machine)
    0.2969 [0.2575, 0.3364] from 30 of 300 queries, 0.51 as wide as without the machine
    """
    check_one_of("target", target, TARGETS)
    check_level(level)
    keys, values = plain_values("human", human)
    every, machine_values = plain_values("machine", machine)
    if keys is None or every is None:
        raise UntiedError("human and machine must both be dicts, from queries to values")
    by_query = dict(zip(every, machine_values, strict=True))
    for query in keys:
        if query not in by_query:
            raise UntiedError(f"machine lacks query {query!r}, which human has")
    sample = Sample(keys, values, [by_query[query] for query in keys], fsum(machine_values), len(by_query))
    return estimate_samples([sample], target, level)


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums of squares and products of some queries, around their means."""

    queries: int
    human: float
    machine: float
    both: float

    @classmethod
    def of(cls, human: Sequence[float], machine: Sequence[float]) -> _Sums:
        """The sums of these queries; values that are equal but for rounding have none."""
        if len(human) < 2:
            return cls(len(human), 0.0, 0.0, 0.0)
        y, f = ([value - mean_of(values) for value in values] for values in (human, machine))
        varies = [bool(_core.difference(max(values), min(values))) for values in (human, machine)]
        return cls(
            len(human),
            fsum(one * one for one in y) * varies[0],
            fsum(one * one for one in f) * varies[1],
            fsum(one * other for one, other in zip(y, f, strict=True)) * all(varies),
        )

    def slope(self) -> float:
        """The least-squares slope, reduced because it comes from few queries; within 0 to 1.

        If r^2 is the squared correlation, adjusted for the number m of queries, the factor r^2 / (r^2 + (1-r^2)/(m-3))
        has the smallest mean squared error for normal values.
        """
        if not (self.human and self.machine):
            return 0.0
        steepness = self.both / self.machine
        explained = min(steepness * (self.both / self.human), 1.0)
        adjusted = 1 - (1 - explained) * (self.queries - 1) / max(self.queries - 2, 1)
        if adjusted <= 0:
            return 0.0
        trust = adjusted / (adjusted + (1 - adjusted) / max(self.queries - 3, 0.5))
        return min(max(steepness * trust, 0.0), 1.0)


class Sample:
    """Human and machine values of the judged queries of a stratum, with the machine's total over all its queries."""

    def __init__(
        self, keys: Sequence[Any], human: Sequence[float], machine: Sequence[float], total: float, queries: int
    ) -> None:
        self.keys, self.human, self.machine = keys, human, machine
        self.total, self.queries, self.judged = total, queries, len(human)
        self.is_complete = self.judged == queries
        self.human_mean, self.machine_mean = mean_of(human), mean_of(machine)
        self.sums = _Sums.of(human, machine)
        #: The slope that the other queries give, for each query.
        self.slopes = [self._without(place).slope() for place in range(self.judged)]

    def _without(self, place: int) -> _Sums:
        """The sums of all queries but one."""
        if self.judged > 2:
            y, f = self.human[place] - self.human_mean, self.machine[place] - self.machine_mean
            share = self.judged / (self.judged - 1)
            human, machine = self.sums.human - share * y * y, self.sums.machine - share * f * f
            if human > CANCELLED * self.sums.human and machine > CANCELLED * self.sums.machine:
                return _Sums(self.judged - 1, human, machine, self.sums.both - share * y * f)
        return _Sums.of(*([*values[:place], *values[place + 1 :]] for values in (self.human, self.machine)))

    def mean(self) -> float:
        """The estimate: the human mean, each query moved by the slope of the others. This makes it exactly unbiased.

        Given the others, a query is a random one of all that are left. So whatever slope the others have, the machine's
        value of the query, minus the mean of all that are left, is 0 on average.
        """
        rest = self.queries - self.judged
        if not rest:
            return self.human_mean
        unjudged = (self.total - fsum(self.machine)) / rest
        share = rest / self.queries
        both = zip(self.human, self.machine, self.slopes, strict=True)
        return mean_of([y - slope * share * (f - unjudged) for y, f, slope in both])

    def jackknife(self) -> list[float]:
        """For each query, the squared distance that the estimate with a single slope moves without it."""
        others, mean = self.judged - 1, self.total / self.queries
        human, machine = fsum(self.human), fsum(self.machine)
        estimates = [
            (human - y) / others + slope * (mean - (machine - f) / others)
            for y, f, slope in zip(self.human, self.machine, self.slopes, strict=True)
        ]
        middle = mean_of(estimates)
        return [(estimate - middle) ** 2 for estimate in estimates]

    def spread(self) -> float:
        """The variance of the human values; 0 of a single one."""
        return self.sums.human / max(self.judged - 1, 1)

    def variances(self, moves: Sequence[float]) -> tuple[float, float]:
        """The variances of the mean, as a sample of these queries, with the machine and without; moves as `jackknife`.

        The machine's few errors may all have missed the sample, which would then promise too much. So the variance is
        kept above a share 1/n of the human one, as if one of the queries had shown no agreement.
        """
        if self.is_complete:
            return 0.0, 0.0
        n = self.judged
        drawn, alone = 1 - n / self.queries, self.spread() / n
        jackknife = (n - 1) / n * fsum(moves)
        return drawn * ((1 - 1 / n) * jackknife + alone / n), drawn * alone

    def correlation(self) -> float:
        """Pearson's, NaN if either values are all equal."""
        norm = sqrt(self.sums.human) * sqrt(self.sums.machine)
        return min(max(self.sums.both / norm, -1.0), 1.0) if norm else nan

    def differing(self) -> int:
        """How many queries have a human value that is not the machine's."""
        return sum(bool(_core.difference(y, f)) for y, f in zip(self.human, self.machine, strict=True))


def estimate_samples(samples: Sequence[Sample], target: Target, level: float) -> Estimate:
    """The estimate from a sample of each stratum; a plain random sample is that of a single stratum."""
    queries, judged = sum(one.queries for one in samples), sum(one.judged for one in samples)
    shares = [one.queries / queries for one in samples]

    def average(numbers: Sequence[float]) -> float:
        return fsum(share * number for share, number in zip(shares, numbers, strict=True))

    human, mean = average([one.human_mean for one in samples]), average([one.mean() for one in samples])
    half = width = equivalent = nan
    moves: list[list[float]] = []
    if judged >= LEAST:
        moves = [[] if one.is_complete else one.jackknife() for one in samples]
        both = [one.variances(its) for one, its in zip(samples, moves, strict=True)]
        parts = [share * share * with_machine for share, (with_machine, _) in zip(shares, both, strict=True)]
        inside = fsum(parts)
        alone = fsum(share * share * without for share, (_, without) in zip(shares, both, strict=True))
        # How much human values vary in all queries: within strata, and between their means.
        spread = average([one.spread() + _core.difference(one.human_mean, human) ** 2 for one in samples])
        beyond = spread / queries if target == "all" else 0.0
        # Satterthwaite's degrees of freedom, which are n - 1 for a single stratum.
        squares = fsum(part * part / (one.judged - 1) for part, one in zip(parts, samples, strict=True) if part)
        freedom = inside * inside / squares if squares else judged - len(samples) or 1
        half = t_quantile("estimates of means", level, freedom) * sqrt(inside + beyond)
        width = sqrt((inside + beyond) / (alone + beyond)) if alone + beyond else 1.0
        # People alone would have this variance if spread (1/m - 1/N) = inside.
        equivalent = 1 / (inside / spread + 1 / queries) if spread else float(judged)
    estimate = Estimate(
        mean, mean - half, mean + half, target, judged, queries, human,
        fsum(one.total for one in samples) / queries,
        average([_core.difference(one.machine_mean, one.human_mean) for one in samples]),
        average([one.correlation() for one in samples]), average([one.sums.slope() for one in samples]),
        width, equivalent, [],
    )  # fmt: skip
    estimate.notes.extend(_notes(estimate, samples, shares, moves))
    return estimate


def _notes(
    estimate: Estimate, samples: Sequence[Sample], shares: Sequence[float], moves: Sequence[Sequence[float]]
) -> Iterator[str]:
    """What the interval rests on, where this is little."""
    n, is_sample = estimate.judged, estimate.judged < estimate.queries
    if n < LEAST:
        yield f"no interval: it needs {LEAST} human queries or more"
        return
    if len(samples) > 1 and any(one.judged < min(FEW, one.queries) for one in samples):
        yield f"some strata have fewer than {FEW} human queries, so the interval may be too narrow"
    elif n < FEW:
        yield f"with only {n} human queries, intervals may be too narrow; so would they be without the machine"
    if not any(one.sums.human for one in samples):
        where = " of each stratum" if len(samples) > 1 else ""
        yield f"all human values{where} are equal, so nothing says how far others could lie"
    elif is_sample and not estimate.slope:
        yield "the machine is not used: its values do not rise with the human values"
    if is_sample and estimate.slope and sum(one.differing() for one in samples) < LEAST:
        yield (
            f"human and machine values differ in fewer than {LEAST} queries, so a margin of safety, not the data, "
            "sets the width of the interval"
        )
    # What each query adds to the variance, but for a factor that all share.
    added = [
        (share * share * (1 / one.judged - 1 / one.queries) * (one.judged - 1) ** 2 / one.judged * move, key)
        for one, share, its in zip(samples, shares, moves, strict=True)
        if its
        for move, key in zip(its, one.keys, strict=True)
    ]
    if added:
        most, query = max(added, key=lambda pair: pair[0])
        if 2 * most > fsum(part for part, _ in added):
            yield f"query {query if isinstance(query, int) else show_id(str(query))} has over half of the variance"
    if _is_skewed(samples, shares):
        yield (
            "human values are skewed, so the interval may miss the mean more often than it says; so would it "
            "without the machine"
        )


def _is_skewed(samples: Sequence[Sample], shares: Sequence[float]) -> bool:
    """Whether the skewness of the human mean, from the second and third moments of the strata, is too large for t."""
    second = third = 0.0
    for one, share in zip(samples, shares, strict=True):
        if one.sums.human:
            part = share / one.judged
            second += part**2 * one.sums.human
            third += part**3 * fsum((y - one.human_mean) ** 3 for y in one.human)
    return third * third > SKEWED * second**3
