"""Paired tests of values, effect sizes, and corrections for multiple tests."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isnan, lgamma, nan, sqrt

from untied import _core
from untied.errors import UntiedError, check_flag, check_one_of, check_real
from untied.statistics.values import (
    check_samples,
    check_seed,
    differences_of,
    need_scipy,
    paired_values,
    standard_deviation,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from untied._core import Terms
    from untied._literals import Alternative, Correction, TestName
    from untied.statistics.values import Values

#: What tests two runs, and what people call it.
TESTS = {
    "randomization": "paired randomisation test",
    "tukey": "randomised Tukey HSD",
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
}
#: Corrections of p-values for the number of comparisons.
CORRECTIONS = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "bh": "Benjamini and Hochberg's correction",
    "none": "no correction",
}
ALTERNATIVES = ("two-sided", "greater", "less")
#: What tests unless something else is asked for: in `significance`, `discriminative_power`, the page of `untied.report`
#: and the commands. `untied.gate` has the same test of one side.
TEST: TestName = "randomization"
#: How many permutations are drawn, and how many bootstrap samples, unless something else is asked for.
SAMPLES = 100_000


@dataclass(eq=False, repr=False, slots=True)
class Test:
    """The result of a test of two runs.

    Attributes
    ----------
    difference : float
        The mean of the first run minus the mean of the second.
    p : float
        The p-value: how probable a difference at least as extreme would be if the runs did not really differ.
    queries : int
        How many queries were tested.
    certainty : str
        ``"exact"``, or ``"estimate"`` if p comes from random exchanges.
    """

    difference: float
    p: float
    queries: int
    certainty: str = "exact"

    __test__ = False  # not a test of pytest's

    def __repr__(self) -> str:
        return f"difference {self.difference:z.4f}, p {self.p:.4g} ({self.certainty}), {self.queries} queries"


def randomization_test(
    a: Values, b: Values, *, alternative: Alternative = "two-sided", samples: int = SAMPLES, seed: int = 0
) -> Test:
    """Test whether the means of two runs differ, with a paired randomisation test.

    Use it to ask whether a difference could be chance. If the runs did not really differ, the two values of any query
    could as well be exchanged. So the test exchanges the values of some queries at random, many times over. The p-value
    is the share of times in which the difference of the means is at least as extreme as the observed one (Fisher 1935;
    Smucker, Allan & Carterette 2007).

    With up to 32 queries, all exchanges are tried, and p is exact.

    Parameters
    ----------
    a, b : {query: value} or list of values
        Values of the same queries, such as ``[0.4, 0.6, 0.5]``, or dicts with queries as keys.
    alternative : str
        What you want to show: ``"two-sided"`` (the means differ), ``"greater"`` (the mean of `a` is higher) or
        ``"less"`` (the mean of `b` is higher).
    samples : int
        How many random exchanges to draw. In each of them, the two values of a query change places with probability
        1/2. If there are few queries, all possible exchanges are tried instead.
    seed : int
        The seed of the random exchanges. The same seed gives the same p on any machine.

    Returns
    -------
    Test

    Raises
    ------
    UntiedError
        There is no query; the two runs have different queries; a value is not a finite number; or an option is refused.

    Examples
    --------
    >>> randomization_test([0.4, 0.6, 0.5], [0.1, 0.4, 0.3])
    difference 0.2333, p 0.25 (exact), 3 queries

    Notes
    -----
    If exchanges are drawn at random, p = (1 + number as extreme) / (1 + `samples`) (Phipson & Smyth 2010). Queries
    without a difference do not count.

    All exchanges are tried for n queries if 2^(n / 2) is at most `samples` (n / 2 rounded up) and n is at most 50. With
    the default of 100,000 samples, n may be 32.

    Values that differ by at most 1e-12 of the larger one count as equal. So do sums that differ by less than 1e-12 of
    the largest difference of a query.
    """
    differences, mean = differences_of(a, b)
    ((p, certainty),) = randomization_p([differences], alternative, check_samples(samples), check_seed(seed), None)
    return Test(mean, p, len(differences), certainty)


# described by untied.statistics.tests.randomization_test: samples, seed
def paired_p(
    differences: Sequence[float], *, samples: int, seed: int, threads: int | None = None
) -> tuple[float, float]:
    """Return a one-sided p-value for differences of queries, and the smallest one that is possible.

    The p-value is that of `randomization_test` with ``alternative="greater"``.

    Parameters
    ----------
    differences : sequence of float
        The difference of each query.
    samples : int
        How many random exchanges to draw. In each of them, the two values of a query change places with probability
        1/2. If there are few queries, all possible exchanges are tried instead.
    seed : int
        The seed of the random exchanges. The same seed gives the same p on any machine.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    tuple of float
        The p-value, and the smallest one that these queries could give, if all of them differed in the same direction.
    """
    ((p, certainty),) = randomization_p([differences], "greater", check_samples(samples), check_seed(seed), threads)
    return p, 2.0 ** -len(differences) if certainty == "exact" else 1 / (samples + 1)


# described by untied.statistics.tests.randomization_test: a, b, alternative
def t_test(a: Values, b: Values, *, alternative: Alternative = "two-sided") -> Test:
    """Test whether the means of two runs differ, with Student's paired t-test.

    SciPy computes it.

    Parameters
    ----------
    a : {query: value} or list of values
        Values of the same queries, such as ``[0.4, 0.6, 0.5]``, or dicts with queries as keys.
    b : {query: value} or list of values
        Values of the same queries, such as ``[0.4, 0.6, 0.5]``, or dicts with queries as keys.
    alternative : str
        What you want to show: ``"two-sided"`` (the means differ), ``"greater"`` (the mean of `a` is higher) or
        ``"less"`` (the mean of `b` is higher).

    Returns
    -------
    Test
        Its `p` is NaN if there is only one query, and 1 if the runs have the same value in every query.

    Raises
    ------
    UntiedError
        As for `randomization_test`, or SciPy is not installed.
    """
    differences, mean = differences_of(a, b)
    return Test(mean, t_p(differences, mean, alternative), len(differences))


# described by untied.statistics.tests.randomization_test: a, b, alternative
def wilcoxon_test(a: Values, b: Values, *, alternative: Alternative = "two-sided") -> Test:
    """Test whether two runs differ, with Wilcoxon's signed-rank test.

    SciPy computes it. Queries without a difference are left out. Values that differ only by rounding (at most 1e-12 of
    the larger one) count as equal, and two differences count as equal by the same rule.

    Parameters
    ----------
    a : {query: value} or list of values
        Values of the same queries, such as ``[0.4, 0.6, 0.5]``, or dicts with queries as keys.
    b : {query: value} or list of values
        Values of the same queries, such as ``[0.4, 0.6, 0.5]``, or dicts with queries as keys.
    alternative : str
        What you want to show: ``"two-sided"`` (the means differ), ``"greater"`` (the mean of `a` is higher) or
        ``"less"`` (the mean of `b` is higher).

    Returns
    -------
    Test
        Its `p` is 1 if the runs have the same value in every query.

    Raises
    ------
    UntiedError
        As for `randomization_test`, or SciPy is not installed.
    """
    differences, mean = differences_of(a, b)
    return Test(mean, wilcoxon_p(differences, alternative), len(differences))


def effect_size(a: Values, b: Values, *, kind: Literal["paired", "pooled"] = "paired", hedges: bool = False) -> float:
    """Return how large a difference of means is, in standard deviations (Cohen's d).

    Parameters
    ----------
    a, b : {query: value} or list of values
        Values of the same queries.
    kind : str
        Which standard deviation to divide by. ``"paired"``: the standard deviation of the differences (Cohen's d_z).
        ``"pooled"``: the root of the mean of both runs' variances (Cohen's d).
    hedges : bool
        Whether to correct the bias of small samples, by Hedges' exact factor. It has n - 1 degrees of freedom, or 2(n -
        1) if pooled.

    Returns
    -------
    float
        The effect size. It is positive if `a` has the higher mean, and 0 if the means are equal. If the means differ
        and the standard deviation is 0, it is infinite. If there is only one query, it is NaN.

    Raises
    ------
    UntiedError
        As for `randomization_test`, or the kind is unknown.

    Examples
    --------
    >>> round(effect_size([0.4, 0.6, 0.5], [0.1, 0.4, 0.3]), 4)
    4.0415
    """
    one, other = paired_values(a, b)
    differences, mean = differences_of(one, other)
    n = len(differences)
    if kind == "paired":
        deviation, freedom = standard_deviation(differences), n - 1
    elif kind == "pooled":
        deviation, freedom = sqrt((standard_deviation(one) ** 2 + standard_deviation(other) ** 2) / 2), 2 * (n - 1)
    else:
        raise UntiedError(f"kind must be 'paired' or 'pooled', not {kind!r}")
    return in_deviations(mean, deviation) * (_hedges(freedom) if check_flag("hedges", hedges) else 1.0)


def adjust(p_values: Sequence[float], method: Correction = "holm") -> list[float]:
    """Return p-values that are corrected for the number of comparisons.

    If you test many differences, some look significant by chance. Corrected p-values are larger, so you can still
    compare each with 0.05.

    Parameters
    ----------
    p_values : list of float
        The p-values, from 0 to 1. NaN stays NaN and does not count as a comparison.
    method : str
        How to correct:

        * ``"bonferroni"``, ``"holm"`` (1979): limit the probability that any difference is found by mistake. Holm's
          method finds at least as many differences.
        * ``"bh"`` (Benjamini & Hochberg 1995): limit the share of mistakes among the differences found
        * ``"none"``: correct nothing

    Returns
    -------
    list of float
        The corrected values, in the same order.

    Raises
    ------
    UntiedError
        A p-value is not from 0 to 1, or the method is unknown.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]
    """
    check_one_of("correction", method, CORRECTIONS)
    if not hasattr(p_values, "__iter__"):
        raise TypeError(f"p_values must be a list of numbers, not {p_values!r}")
    for p in p_values:
        if not isnan(check_real("a p-value", p)) and not 0 <= p <= 1:
            raise UntiedError(f"a p-value must be from 0 to 1, not {p}")
    return _core.adjust(list(p_values), method)


def randomization_p(
    differences: Sequence[Sequence[float]],
    alternative: str,
    samples: int,
    seed: int,
    threads: int | None,
    pairs: Sequence[tuple[Terms, Terms]] | None = None,
) -> list[tuple[float, str]]:
    """p-values, and whether they are exact; faster for many pairs of runs, whose terms are `pairs`."""
    which = {"greater": 0, "less": 1, "two-sided": 2}[check_one_of("alternative", alternative, ALTERNATIVES)]
    p_values = _core.randomization_p(differences, samples, seed, threads, pairs)
    return [(p[which], "exact" if is_exact else "estimate") for p, is_exact in p_values]


def t_p(differences: Sequence[float], mean: float, alternative: str) -> float:
    """The p-value of Student's paired t-test; the mean of the differences is 0 if only rounding makes it differ."""
    check_one_of("alternative", alternative, ALTERNATIVES)
    stats = need_scipy("t-tests")
    if not any(differences):
        return 1.0
    if len(differences) < 2:
        return nan
    deviation, freedom = standard_deviation(differences), len(differences) - 1
    if deviation == 0:
        return {"two-sided": 0.0, "greater": float(differences[0] < 0), "less": float(differences[0] > 0)}[alternative]
    t = mean * sqrt(len(differences)) / deviation
    if alternative == "two-sided":
        return 2 * float(stats.t.sf(abs(t), freedom))
    return float((stats.t.sf if alternative == "greater" else stats.t.cdf)(t, freedom))


def wilcoxon_p(differences: Sequence[float], alternative: str) -> float:
    """The p-value of Wilcoxon's signed-rank test."""
    check_one_of("alternative", alternative, ALTERNATIVES)
    stats = need_scipy("Wilcoxon's tests")
    if not any(differences):
        return 1.0
    return float(stats.wilcoxon(differences, alternative=alternative).pvalue)


def in_deviations(difference: float, deviation: float) -> float:
    """A difference in standard deviations; infinite if the deviation is 0."""
    if isnan(deviation):
        return nan
    if deviation == 0:
        return 0.0 if difference == 0 else float("inf") if difference > 0 else -float("inf")
    return difference / deviation


def _hedges(freedom: int) -> float:
    """Hedges' J(m) = Gamma(m/2) / (sqrt(m/2) Gamma((m-1)/2)); undefined for one degree of freedom."""
    if freedom < 2:
        return nan
    return exp(lgamma(freedom / 2) - lgamma((freedom - 1) / 2)) / sqrt(freedom / 2)
