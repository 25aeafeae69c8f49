"""Confidence intervals of means."""

from __future__ import annotations

from math import nan, sqrt

from untied import _core
from untied.errors import check_one_of, check_share
from untied.statistics.values import (
    check_samples,
    check_seed,
    differences_of,
    mean_of,
    plain_values,
    standard_deviation,
    t_quantile,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from untied.statistics.values import Values

#: How intervals are found.
INTERVALS = ("bca", "t", "none")
INTERVAL_SAMPLES = 9_999


def mean_interval(
    a: Values, b: Values | None = None, *, level: float = 0.95, method: Literal["bca", "t"] = "bca",
    samples: int = INTERVAL_SAMPLES, seed: int = 0, threads: int | None = None,
) -> tuple[float, float]:  # fmt: skip
    """Compute a confidence interval of a mean, or of the difference of two means.

    Parameters
    ----------
    a, b : {query: value} or list of values
        Values of queries, such as ``[0.4, 0.6, 0.5]``, or dicts with queries as keys. With `a` alone, the interval is
        about its mean. With `b`, it is about the mean of a - b.
    level : float
        The confidence of the interval, between 0 and 1. For instance, 0.95 gives a 95 % interval.
    method : str
        ``"bca"``: the bias-corrected and accelerated bootstrap (Efron 1987). ``"t"``: Student's interval, which SciPy
        computes.
    samples : int
        How many bootstrap samples to draw.
    seed : int
        The seed of the bootstrap samples. The same seed gives the same interval.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    tuple of float
        The lower and the upper end of the interval. If all values are equal, both are the mean. If there is only one
        query, both are NaN.

    Raises
    ------
    UntiedError
        There is no query, the queries of `a` and `b` are not the same, a value is not a finite number, or an option is
        refused. With ``method="t"``, also if SciPy is not installed.
    """
    values = plain_values("a", a)[1] if b is None else differences_of(a, b)[0]
    return interval_of(values, method, check_level(level), check_samples(samples), check_seed(seed), threads)


def interval_of(
    values: Sequence[float], method: str, level: float, samples: int, seed: int, threads: int | None = None
) -> tuple[float, float]:
    """`mean_interval` for checked values."""
    mean = mean_of(values)
    if check_one_of("method", method, INTERVALS[:2]) and len(values) < 2:
        return nan, nan
    if not _core.difference(max(values), min(values)):
        return mean, mean
    if method == "t":
        quantile = t_quantile("Student's intervals", level, len(values) - 1)
        half = quantile * standard_deviation(values) / sqrt(len(values))
        return _core.difference(mean, half), _core.difference(mean, -half)
    return _core.bootstrap_interval(values, level, samples, seed, threads)


def check_chance(level: float, samples: int, seed: int) -> None:
    """Refuse an invalid confidence level, number of samples or seed."""
    check_level(level)
    check_samples(samples)
    check_seed(seed)


def check_level(level: float) -> float:
    """Refuse an invalid confidence level."""
    return check_share("level", level, zero=False, one=False)
