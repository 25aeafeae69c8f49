"""How many queries it takes to find a difference between two runs, from the differences that some queries show."""

from __future__ import annotations

from math import ceil, inf, sqrt

from untied.errors import UntiedError, check_real, check_share
from untied.inputs import mismatch
from untied.results.differences import pairs_of
from untied.results.table import Table, tidy
from untied.statistics.intervals import check_level
from untied.statistics.paired import RunValues, of_runs, paired
from untied.statistics.values import need_scipy, scale_of, standard_deviation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from untied._core import Measure
    from untied.arrays import ArrayResults
    from untied.results.evaluation import Results

#: More queries than this are no plan.
MOST = 10**9


def required_queries(
    results: Results | ArrayResults | Mapping[str, ArrayResults],
    *,
    difference: float | None = None,
    baseline: str | None = None,
    level: float = 0.95,
    power: float = 0.8,
) -> Table:
    """Find how many queries an experiment needs, or how small a difference your queries can show.

    The answer is for Student's paired t-test, and for queries like those of the results. It depends on how much
    differences vary from query to query, which is itself estimated. So every answer has an interval, which is wide if
    there are few queries.

    Choose a `difference` that would matter to you. If you pass the observed one, you only learn how significant it is.

    Parameters
    ----------
    results : Results, ArrayResults, or dict of ArrayResults
        Results of two or more runs for the same queries. At least three queries need a value in both runs.
    difference : float, optional
        The difference of means that you want to find, above 0, such as 0.05. Without it, you only learn how small a
        difference your queries can find.
    baseline : str, optional
        The run that all others are compared with. By default, every two runs are compared.
    level : float
        A difference counts as found if its two-sided p is at most 1 - `level`, without a correction for several
        comparisons. This is also the confidence of the intervals.
    power : float
        How probable it should be that the difference is found, between 0 and 1.

    Returns
    -------
    Table
        A row for every measure and pair of runs. The columns are:

        * ``queries``: how many queries have a value in both runs
        * ``difference`` and ``deviation``: the mean of the differences of queries, and their standard deviation
        * ``detectable``: the smallest difference that this number of queries finds, with its interval
          ``detectable_low``, ``detectable_high``
        * ``required``, if you passed `difference`: how many queries find it, with the interval ``required_low``,
          ``required_high``. Beyond 10^9 queries, it is infinite.

        For geometric means, differences are those of logarithms.

    Raises
    ------
    UntiedError
        There are fewer than two runs; a run and the qrels have nothing in common; fewer than three queries have a value
        in both runs of a pair; an option is invalid; or SciPy is not installed.

    Examples
    --------
    With 40 queries, a difference of 0.159 is found. To find one of 0.05, 387 queries are needed:

    >>> import untied
    >>> qrels = {f"q{i}": {"a": 1} for i in range(40)}
    >>> old = {f"q{i}": ["b"] * (i % 3 > 0) + ["a"] for i in range(40)}
    >>> new = {f"q{i}": ["b"] * (i % 4 > 1) + ["a"] for i in range(40)}
    >>> results = untied.evaluate(qrels, {"old": old, "new": new}, "RR")
    >>> plan = required_queries(results, difference=0.05).to_dicts()[0]
    >>> plan["queries"], round(plan["detectable"], 3), int(plan["required"])
    (40, 0.159, 387)

    Notes
    -----
    If differences have the standard deviation s, a test of n queries finds a mean difference d with the power of the
    noncentral t distribution with n - 1 degrees of freedom and noncentrality d sqrt(n) / s.
    """
    results = of_runs(results)
    if results._design is not None:
        raise UntiedError(
            "plans are for queries that are independent and count alike; pass results that are not grouped"
        )
    check_level(level)
    check_share("power", power, zero=False, one=False)
    if power <= 1 - level:
        raise UntiedError(f"power must be above 1 - level, {1 - level:g}, not {power:g}: a test has as much by chance")
    if difference is not None and not 0 < check_real("difference", difference) < inf:
        raise UntiedError(f"difference must be a finite number above 0, not {difference:g}")
    mismatch.demand({name: mismatch.of_facts(facts) for name, facts in results.facts().items()})
    planner = _Planner(level, power)
    pairs = pairs_of(results.runs, baseline)
    rows = [
        (str(measure), a, b, *row)
        for measure in results._measures
        for (a, b), row in zip(pairs, _rows(results, measure, pairs, planner, difference), strict=True)
    ]
    required = " required required_low required_high" * (difference is not None)
    return tidy(
        "measure run_a run_b", f"queries difference deviation detectable detectable_low detectable_high{required}", rows
    )


def _rows(
    results: Results, measure: Measure, pairs: list[tuple[str, str]], planner: _Planner, difference: float | None
) -> Iterator[tuple[float, ...]]:
    if scale_of(measure) == "sum":
        raise UntiedError(
            f"{measure} is a count, whose sum grows with the number of queries, and cannot be planned for"
        )
    columns = {run: RunValues(results, run, measure, bounded=False) for run in results.runs}
    for a, b in pairs:
        pair = paired(columns[a].terms, columns[b].terms)
        queries = len(pair.differences)
        if queries < 3:
            raise UntiedError(f"{queries} queries have a value of {measure} in {a} and {b}: a plan needs three or more")
        deviation = standard_deviation(pair.differences)
        deviations = (deviation, *(deviation * factor for factor in planner.interval(queries)))
        yield (
            queries, pair.difference, deviation,
            *(planner.detectable(one, queries) for one in deviations),
            *(() if difference is None else (planner.required(one, difference) for one in deviations)),
        )  # fmt: skip


class _Planner:
    """The power of Student's two-sided paired test at a level."""

    def __init__(self, level: float, power: float) -> None:
        self._stats = need_scipy("plans of queries")
        self._level = level
        self._power = power

    def interval(self, queries: int) -> tuple[float, float]:
        """The ends of a standard deviation's interval as multiples of its estimate, for normal differences."""
        freedom, tail = queries - 1, (1 - self._level) / 2
        low, high = (sqrt(freedom / self._stats.chi2.ppf(share, freedom)) for share in (1 - tail, tail))
        return low, high

    def power(self, noncentrality: float, queries: int) -> float:
        """The probability that a test of this number of queries finds a difference."""
        freedom = queries - 1
        critical = float(self._stats.t.ppf((1 + self._level) / 2, freedom))
        below, above = self._stats.nct.cdf([-critical, critical], freedom, noncentrality)
        return float(below + 1 - above)

    def detectable(self, deviation: float, queries: int) -> float:
        """The smallest difference that a test of this number of queries finds."""
        low, high = 0.0, 1.0
        while self.power(high, queries) < self._power:
            low, high = high, 2 * high
        while high - low > 1e-12 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.power(middle, queries) < self._power else (low, middle)
        return high * deviation / sqrt(queries)

    def required(self, deviation: float, difference: float) -> float:
        """The smallest number of queries that find a difference."""
        effect = difference / deviation if deviation else inf
        # From 2 queries on, the power grows with their number.
        low, high = 1, 2
        while high <= MOST and not self._finds(effect, high):
            low, high = high, 2 * high
        if high > MOST:
            return inf
        while high - low > 1:
            middle = ceil((low + high) / 2)
            low, high = (low, middle) if self._finds(effect, middle) else (middle, high)
        return high

    def _finds(self, effect: float, queries: int) -> bool:
        return effect == inf or self.power(effect * sqrt(queries), queries) >= self._power
