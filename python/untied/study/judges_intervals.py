"""Intervals of many samples at once: those of `untied.statistics`, and PPI++, as arrays of numpy.

A row is a sample, and a column a query. The estimators are those of `untied.statistics.judges` and `strata`, which take
one sample at a time; tests hold the two to the same numbers.
"""

from __future__ import annotations

from typing import NamedTuple

from untied.statistics.judges import CANCELLED
from untied.statistics.values import t_quantile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    #: An array of numpy.
    Array: TypeAlias = Any

LEVEL = 0.95
#: Half of a 95 % interval for normal values, in standard errors.
NORMAL = 1.959963984540054
#: Values are from -1 to 1, and differ only by rounding if this is all.
ROUNDING = 1e-12


class Intervals(NamedTuple):
    """The middle of each sample's interval, and half of its width."""

    middle: Array
    half: Array


class Estimates(NamedTuple):
    """For each sample the human mean and the estimate, their variances, and the variance of human values."""

    human: Array
    mean: Array
    alone: Array
    variance: Array
    spread: Array


def estimates(human: Array, machine: Array, every: Array) -> Estimates:
    """Estimate as `estimate_mean` does; `every` has the machine's values of all queries, in one row or one for each."""
    n, queries = human.shape[1], every.shape[1]
    mean, rest = human.mean(1), queries - n
    if not rest:
        return Estimates(mean, mean, 0 * mean, 0 * mean, _squares(human) / max(n - 1, 1))
    slopes = _slopes(*_sums_of_others(human, machine), n - 1)
    total = every.sum(1, keepdims=True)
    unjudged = (total - machine.sum(1, keepdims=True)) / rest
    drawn = rest / queries
    estimate = (human - slopes * drawn * (machine - unjudged)).mean(1)
    without = [(one.sum(1, keepdims=True) - one) / (n - 1) for one in (human, machine)]
    left_out = without[0] + slopes * (total / queries - without[1])
    jackknife = (n - 1) / n * _squares(left_out)
    spread = _squares(human) / (n - 1)
    return Estimates(
        mean, estimate, drawn * spread / n, drawn * ((1 - 1 / n) * jackknife + spread / n / n), spread
    )  # fmt: skip


def both(human: Array, machine: Array, every: Array, *, these: bool) -> tuple[Intervals, Intervals]:
    """Return intervals from human values alone, and from both as `estimate_mean` gives them."""
    found = estimates(human, machine, every)
    quantile = t_quantile("estimates of means", LEVEL, human.shape[1] - 1)
    beyond = 0 if these else found.spread / every.shape[1]
    return (
        Intervals(found.human, quantile * (found.alone + beyond) ** 0.5),
        Intervals(found.mean, quantile * (found.variance + beyond) ** 0.5),
    )


def stratified(samples: Sequence[tuple[Array, Array, Array]], *, these: bool) -> Intervals:
    """Return intervals as `estimate_strata` gives them, from the values of each stratum."""
    import numpy as np

    t_quantile("estimates of means", LEVEL, 1)
    from scipy.special import stdtrit

    queries, judged = (sum(one[place].shape[1] for one in samples) for place in (2, 0))
    parts = [
        (every.shape[1] / queries, human.shape[1], estimates(human, machine, every))
        for human, machine, every in samples
    ]
    human = sum(share * found.human for share, _, found in parts)
    variance = sum(share**2 * found.variance for share, _, found in parts)
    squares = sum((share**2 * found.variance) ** 2 / max(n - 1, 1) for share, n, found in parts)
    freedom = np.where(squares > 0, variance**2 / np.where(squares > 0, squares, 1), judged - len(samples) or 1)
    spread = sum(share * (found.spread + (found.human - human) ** 2) for share, _, found in parts)
    half = stdtrit(freedom, (1 + LEVEL) / 2) * (variance + (0 if these else spread / queries)) ** 0.5
    return Intervals(sum(share * found.mean for share, _, found in parts), half)


def plug_in(human: Array, machine: Array, every: Array, *, these: bool) -> Intervals:
    """Return the intervals of PPI++, whose slope makes the interval narrowest in the sample; `these` as for `both`."""
    import numpy as np

    n, queries = human.shape[1], every.shape[1]
    share = 1 - n / queries
    covariance = (_centred(human) * _centred(machine)).sum(1) / (n - 1)
    spread = _squares(every) / (queries - 1)
    slope = np.where(spread > 0, np.clip(covariance / np.where(spread > 0, spread, 1), 0, 1), 0)
    middle = human.mean(1) + slope * (every.mean(1) - machine.mean(1))
    if these:
        return Intervals(middle, NORMAL * (share * _squares(human - slope[:, None] * machine) / (n - 1) / n) ** 0.5)
    # The same estimate, as a difference with the machine's mean over the other queries.
    slope = slope * share
    variance = _squares(human - slope[:, None] * machine) / (n - 1) / n
    rest = queries - n
    if rest > 1:
        middle_of_rest = (every.sum(1) - machine.sum(1)) / rest
        of_rest = ((every - middle_of_rest[:, None]) ** 2).sum(1) - ((machine - middle_of_rest[:, None]) ** 2).sum(1)
        variance = variance + slope**2 * of_rest.clip(0) / (rest - 1) / rest
    return Intervals(middle, NORMAL * variance**0.5)


def _centred(values: Array) -> Array:
    """Return values minus their mean; 0 if they differ only by rounding."""
    varies = values.max(1, keepdims=True) - values.min(1, keepdims=True) > ROUNDING
    return (values - values.mean(1, keepdims=True)) * varies


def _squares(values: Array) -> Array:
    return (_centred(values) ** 2).sum(1)


def _sums_of_others(human: Array, machine: Array) -> tuple[Array, Array, Array]:
    """Return for each query the sums of squares and products of the others around their means: human, machine, both."""
    import numpy as np

    n = human.shape[1]
    if n <= 2:
        nothing = 0 * human
        return nothing, nothing, nothing
    y, f = _centred(human), _centred(machine)
    whole = [(one * other).sum(1, keepdims=True) for one, other in ((y, y), (f, f), (y, f))]
    share = n / (n - 1)
    sums = [
        total - share * one * other
        for total, one, other in zip(whole, (y, f, y), (y, f, f), strict=True)
    ]  # fmt: skip
    # Where little is left, subtracting leaves rounding. Where nothing varies, the slope is 0 anyway.
    little = (sums[0] <= CANCELLED * whole[0]) | (sums[1] <= CANCELLED * whole[1])
    rows, columns = np.nonzero(little & (whole[0] > 0) & (whole[1] > 0))
    others = np.arange(n)[None] != columns[:, None]
    y, f = (_centred(values[rows][others].reshape(-1, n - 1)) for values in (human, machine))
    for found, one, other in zip(sums, (y, f, y), (y, f, f), strict=True):
        found[rows, columns] = (one * other).sum(1)
    return sums[0], sums[1], sums[2]


def _slopes(human: Array, machine: Array, product: Array, queries: int) -> Array:
    """Return the slopes that `estimate_mean` finds from a number of queries."""
    import numpy as np

    varies = (human > 0) & (machine > 0)
    steepness = product / np.where(varies, machine, 1)
    explained = np.minimum(steepness * product / np.where(varies, human, 1), 1)
    adjusted = np.maximum(1 - (1 - explained) * (queries - 1) / max(queries - 2, 1), 0)
    trust = adjusted / np.maximum(adjusted + (1 - adjusted) / max(queries - 3, 0.5), 1e-300)
    return np.where(varies, np.clip(steepness * trust, 0, 1), 0)
