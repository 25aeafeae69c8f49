"""Whether runs differ: tests, intervals, effect sizes, corrections, and what ties and missing judgments leave."""

from __future__ import annotations

from array import array
from itertools import compress
from math import exp, fsum, isfinite, isnan, lgamma, nan, sqrt

from untied import _core
from untied.errors import UntiedError
from untied.inputs import overlap
from untied.measures import as_measure
from untied.results.table import Results, Table, Value
from untied.statistics.aggregates import Aggregate
from untied.statistics.paired import Column, Pair, delta_bounds, pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from untied.compare.runs import Comparison
    from untied.statistics.paired import Spans

    Values: TypeAlias = Mapping[Any, float | Value] | Iterable[float | Value]

#: What tests two runs, and what people call it.
TESTS = {
    "randomization": "paired randomisation test",
    "tukey": "randomised Tukey HSD",
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
}
#: What corrects p-values for their number.
CORRECTIONS = ("holm", "bonferroni", "bh", "none")
#: How intervals are found.
INTERVALS = ("bca", "t", "none")
ALTERNATIVES = ("two-sided", "greater", "less")
#: Columns of what `significance` finds, those that were asked for.
NUMBERS = (
    "mean_a", "mean_b", "difference", "low", "high", "effect", "better", "worse", "equal", "p", "p_adjusted",
    "least", "most", "p_most",
)  # fmt: skip
VERDICTS = ("significant", "survives")
#: What tests unless something else is asked for: in `significance`, `discriminative_power`, the page of `untied.report`
#: and the commands. `untied.gate` has the same test of one side.
TEST = "randomization"
#: How many permutations are drawn, and how many bootstrap samples, unless something else is asked for.
SAMPLES = 100_000
INTERVAL_SAMPLES = 9_999


class Test:
    """What a test of two runs found.

    Attributes
    ----------
    difference : float
        The mean of a - b.
    p : float
        The probability of a statistic at least as extreme where the runs do not differ.
    queries : int
        How many there are.
    certainty : str
        ``"exact"``, or ``"estimate"`` where p comes from a sample of permutations.
    """

    __slots__ = ("certainty", "difference", "p", "queries")
    __test__ = False  # not a test of pytest's

    def __init__(self, difference: float, p: float, queries: int, certainty: str = "exact") -> None:
        self.difference = difference
        self.p = p
        self.queries = queries
        self.certainty = certainty

    def __repr__(self) -> str:
        return f"difference {self.difference:.4f}, p {self.p:.4g} ({self.certainty}), {self.queries} queries"


def randomization_test(
    a: Values, b: Values, *, alternative: str = "two-sided", samples: int = SAMPLES, seed: int = 0
) -> Test:
    """Paired randomisation test of the difference of two means (Fisher 1935; Smucker, Allan & Carterette 2007).

    If the runs are alike, every difference of a query may as well have the other sign. The sum of differences is
    compared with that under all choices of signs where half the queries have at most `samples` of them (33 queries
    for 100,000), which is exact; otherwise under a sample, with p = (1 + those as extreme) / (1 + `samples`) (Phipson
    & Smyth 2010). Sums closer than 1e-12 of the largest difference a query count as equal.

    Parameters
    ----------
    a, b : {query: value} or list of values
        Values of the same queries.
    alternative : str
        ``"two-sided"``; ``"greater"``: a is better; ``"less"``: b is.
    samples : int
        How many choices of signs to draw.
    seed : int
        Of the sample; the same seed gives the same p everywhere.

    Returns
    -------
    Test

    Raises
    ------
    UntiedError
        There is no query, the queries are not the same, a value is not a finite number, or an option is refused.

    Examples
    --------
    >>> randomization_test([0.4, 0.6, 0.5], [0.1, 0.4, 0.3])
    difference 0.2333, p 0.25 (exact), 3 queries
    """
    differences = _differences(a, b)
    ((p, certainty),) = _randomization([differences], alternative, _check_samples(samples), seed, None)
    return Test(_mean(differences), p, len(differences), certainty)


def paired_p(
    differences: Sequence[float], *, samples: int, seed: int, threads: int | None = None
) -> tuple[float, float]:
    """The one-sided p-value of `randomization_test` for differences above 0, and the least that it could be.

    Parameters
    ----------
    differences : sequence of float
        Of every query.
    samples, seed, threads
        As for `randomization_test` and `significance`.

    Returns
    -------
    tuple of float
        p, and the p-value if all queries differed in the same direction: no other differences of as many queries have
        a smaller one.
    """
    ((p, certainty),) = _randomization([differences], "greater", _check_samples(samples), seed, threads)
    return p, 2.0 ** -len(differences) if certainty == "exact" else 1 / (samples + 1)


def t_test(a: Values, b: Values, *, alternative: str = "two-sided") -> Test:
    """Student's paired t-test, as SciPy computes it.

    Parameters
    ----------
    a, b, alternative
        As for `randomization_test`.

    Returns
    -------
    Test
        p is NaN with one query; 1 where all differences are 0.

    Raises
    ------
    UntiedError
        As for `randomization_test`, or SciPy is not installed.
    """
    differences = _differences(a, b)
    return Test(_mean(differences), _t(differences, alternative), len(differences))


def wilcoxon_test(a: Values, b: Values, *, alternative: str = "two-sided") -> Test:
    """Wilcoxon's signed-rank test, as SciPy computes it; differences of 0 are left out.

    Parameters
    ----------
    a, b, alternative
        As for `randomization_test`.

    Returns
    -------
    Test
        p is 1 where all differences are 0.

    Raises
    ------
    UntiedError
        As for `randomization_test`, or SciPy is not installed.
    """
    differences = _differences(a, b)
    return Test(_mean(differences), _wilcoxon(differences, alternative), len(differences))


def mean_interval(
    a: Values, b: Values | None = None, *, level: float = 0.95, method: str = "bca", samples: int = INTERVAL_SAMPLES,
    seed: int = 0, threads: int | None = None,
) -> tuple[float, float]:  # fmt: skip
    """Confidence interval of a mean, or of the mean of differences.

    Parameters
    ----------
    a, b : {query: value} or list of values
        Values of queries; with `b` the differences a - b of the same queries.
    level : float
        Confidence, between 0 and 1.
    method : str
        ``"bca"``: bootstrap, bias-corrected and accelerated (Efron 1987); ``"t"``: Student's, as SciPy computes it.
    samples : int
        How many bootstrap samples to draw.
    seed : int
        Of these.
    threads : int, optional
        Number of threads that draw; as many as there are processors by default. It never changes a value.

    Returns
    -------
    tuple of float
        Lowest and highest value. Both are the mean where all values are equal, and NaN with one query.

    Raises
    ------
    UntiedError
        As for `randomization_test`, or SciPy is needed and not installed.
    """
    values = _plain("a", a)[1] if b is None else _differences(a, b)
    return _interval(values, method, _check_level(level), _check_samples(samples), seed, threads)


def effect_size(a: Values, b: Values, *, kind: str = "paired", hedges: bool = False) -> float:
    """By how many standard deviations the means differ.

    Parameters
    ----------
    a, b : {query: value} or list of values
        Values of the same queries.
    kind : str
        ``"paired"``: of the differences (Cohen's d_z); ``"pooled"``: the root of the mean variance of both
        runs (Cohen's d).
    hedges : bool
        Multiply by Hedges' exact correction of the bias in small samples, with n - 1 or 2(n - 1) degrees of freedom.

    Returns
    -------
    float
        Positive where a is better. 0 where the means are equal, infinite where only the deviation is 0, NaN with one
        query.

    Raises
    ------
    UntiedError
        As for `randomization_test`, or the kind is unknown.

    Examples
    --------
    >>> round(effect_size([0.4, 0.6, 0.5], [0.1, 0.4, 0.3]), 4)
    4.0415
    """
    one, other = _paired(a, b)
    differences = [x - y for x, y in zip(one, other, strict=True)]
    n = len(differences)
    if kind == "paired":
        deviation, freedom = _deviation(differences), n - 1
    elif kind == "pooled":
        deviation, freedom = sqrt((_deviation(one) ** 2 + _deviation(other) ** 2) / 2), 2 * (n - 1)
    else:
        raise UntiedError(f"kind must be 'paired' or 'pooled', not {kind!r}")
    return _in_deviations(_mean(differences), deviation) * (_hedges(freedom) if hedges else 1.0)


def adjust(p_values: Sequence[float], method: str = "holm") -> list[float]:
    """Correct p-values for how many there are.

    Parameters
    ----------
    p_values : list of float
        From 0 to 1. Those that are NaN stay so and are not counted.
    method : str
        ``"bonferroni"``; ``"holm"`` (1979), which is never weaker and controls the same: the probability of any error;
        ``"bh"``: Benjamini & Hochberg (1995), the share of errors among discoveries; ``"none"``.

    Returns
    -------
    list of float
        In the order of `p_values`.

    Raises
    ------
    UntiedError
        A p-value is not from 0 to 1, or the method is unknown.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]
    """
    _one_of("correction", method, CORRECTIONS)
    for p in p_values:
        if not isnan(p) and not 0 <= p <= 1:
            raise UntiedError(f"a p-value must be from 0 to 1, not {p}")
    order = sorted((p, place) for place, p in enumerate(p_values) if not isnan(p))
    n = len(order)
    adjusted = list(p_values)
    if method == "bonferroni":
        for p, place in order:
            adjusted[place] = min(1.0, n * p)
    elif method == "holm":
        largest = 0.0
        for rank, (p, place) in enumerate(order):
            adjusted[place] = largest = max(largest, min(1.0, (n - rank) * p))
    elif method == "bh":
        smallest = 1.0
        for rank, (p, place) in reversed(list(enumerate(order, 1))):
            adjusted[place] = smallest = min(smallest, n * p / rank)
    return adjusted


class Significance:
    """Which runs differ, by which measures.

    Attributes
    ----------
    table : Table
        A row for every measure and two runs. ``significant``: yes or no, by ``p_adjusted``. ``mean_a``, ``mean_b``,
        their ``difference`` with ``low`` and ``high``, its confidence interval (absent with ``interval="none"``);
        ``effect``: Cohen's d of the differences; ``better``, ``worse``, ``equal``: in how many queries the first
        run is which; ``p``; ``p_adjusted``. Means are the aggregates of `untied.evaluate`: of a count its sum over
        queries, with the difference of sums. Where a mean is geometric, logarithms are tested, and ``difference`` and
        all that is like it is one of logarithms, ln(``mean_a`` / ``mean_b``); then ``scale`` says of every row which it
        is: mean, log or sum. Where values have a lowest and a highest: ``survives``, yes where the difference has one
        sign and stays significant whatever the order of ties and the judgments are, no where that is not sure, and
        unknown where the sign is kept but the test is not that of randomisation, whose p alone is bounded; ``least``
        and ``most``, the smallest and largest mean difference; with the randomisation test ``p_most``, no p-value
        (adjusted) exceeds this. All of these hold whether or not queries count that have a value only with some
        judgments.
    dropped : dict of str and int
        For each measure in how many pairs of runs and queries a value was undefined; they are left out.
    settings : dict
        What was asked for.
    notes : list of str
        What to know before believing it.
    """

    def __init__(self, table: Table, dropped: dict[str, int], settings: dict[str, Any], notes: list[str]) -> None:
        self.table = table
        self.dropped = dropped
        self.settings = settings
        self.notes = notes

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def significance(
    results: Results,
    *,
    baseline: str | None = None,
    test: str = TEST,
    correction: str = "holm",
    interval: str = "bca",
    level: float = 0.95,
    samples: int = SAMPLES,
    seed: int = 0,
    bounds: Iterable[Comparison] | None = None,
    threads: int | None = None,
) -> Significance:
    """Test every two runs, or every run against a baseline, by every measure.

    With ``ties="range"`` or ``unjudged="range"`` every query's difference lies between the lowest value of one run
    less the highest of the other and the reverse. Where the sum of the lowest differences is positive, the p-value of a
    randomisation test is largest with just these: each sum of differences whose signs are turned only grows with each
    difference. So ``p_most`` is exact where lowest and highest values are reached, and never too small.

    Parameters
    ----------
    results : Results
        Of two runs or more over the same queries.
    baseline : str, optional
        Compare every other run with this one (which is the second of the two); by default every two runs.
    test : str
        ``"randomization"``: `randomization_test`; ``"tukey"``: randomised Tukey HSD (Carterette 2012), which tests all
        runs of a measure at once and needs no correction; ``"t"``; ``"wilcoxon"``.
    correction : str
        As for `adjust`, over all comparisons by one measure; not with ``"tukey"``.
    interval : str
        As `mean_interval` finds them, each for itself: ``"bca"``, ``"t"``, or ``"none"``.
    level : float
        Confidence of intervals; differences with an adjusted p of at most 1 - `level` are significant.
    samples, seed
        As for `randomization_test`; intervals have 9,999 samples.
    bounds : comparisons, optional
        What `untied.compare` found by ``Delta`` of the same measures with the same qrels, one for each two runs: bounds
        of differences over what unjudged documents may be. They are narrower than those of the runs by themselves, as
        one judgment counts for both, but there are none of measures that divide by what is relevant, such as nDCG.
    threads : int, optional
        Number of threads; as many as there are processors by default. It never changes a value.

    Returns
    -------
    Significance

    Raises
    ------
    UntiedError
        There are fewer than two runs, they were evaluated on different queries, a run is unknown, a run and the qrels
        have nothing in common, an option is refused, or SciPy is needed and not installed.

    Examples
    --------
    >>> import untied
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}}
    >>> good = {query: {document: 2, "x": 1} for query in qrels for document in qrels[query]}
    >>> bad = {query: {document: 1, "x": 2} for query in qrels for document in qrels[query]}
    >>> results = untied.evaluate(qrels, {"good": good, "bad": bad}, "RR")
    >>> significance(results, interval="none").table.to_dicts()[0]["p"]
    0.25
    """
    _one_of("test", test, tuple(TESTS))
    _one_of("correction", correction, CORRECTIONS)
    _one_of("interval", interval, INTERVALS)
    _check_level(level)
    _check_samples(samples)
    overlap.demand({name: overlap.of_facts(facts) for name, facts in results.facts().items()})
    pairs = _pairs(results.runs, baseline)
    given = {} if bounds is None else {comparison.runs: comparison for comparison in bounds}
    with_bounds = bool(given) or "low" in next(iter(results._evaluations.values())).columns()
    rows: list[tuple[str, str, str, str]] = []
    columns: dict[str, list[Any]] = {}
    dropped: dict[str, int] = {}
    unsettled: dict[str, int] = {}
    chance = (samples, seed, threads)
    for measure in results._measures:
        scale = Aggregate(measure).scale
        if given and scale == "log":
            raise UntiedError(f"bounds by Delta are of differences of values, but logarithms are tested of {measure}")
        values = [Column(results, run, measure) for run in results.runs]
        found, dropped[str(measure)], unsettled[str(measure)] = _of_pairs(
            values, pairs, str(measure), given if with_bounds else None, test, interval, level, chance
        )
        if test == "tukey":
            found["p"] = _tukey(values, pairs, *chance)
        del values  # before those of the next measure are there
        correct = "none" if test == "tukey" else correction
        found["p_adjusted"] = adjust(found["p"], correct)
        found["significant"] = [_yes(p <= 1 - level + 1e-12) for p in found["p_adjusted"]]
        if "p_most" in found:
            found["p_most"] = adjust(found["p_most"], correct)
            found["survives"] = [_yes(p <= 1 - level + 1e-12) for p in found["p_most"]]
        elif with_bounds:
            both = zip(found["least"], found["most"], strict=True)
            found["survives"] = ["no" if low <= 0 <= high else "unknown" for low, high in both]
        rows += [(str(measure), a, b, scale) for a, b in pairs]
        _add(columns, {name: found[name] for name in NUMBERS + VERDICTS if name in found})
    names = ("measure", "run_a", "run_b", "scale")
    texts = dict(zip(names, (list(column) for column in zip(*rows, strict=True)), strict=True))
    if "log" not in texts["scale"]:
        del texts["scale"]
    texts |= {name: columns.pop(name) for name in VERDICTS if name in columns}
    settings = {
        "baseline": baseline,
        "test": test,
        "correction": correction if test != "tukey" else "none",
        "interval": interval,
        "level": level,
        "samples": samples,
        "seed": seed,
    }
    return Significance(Table(texts, columns), dropped, settings, list(_notes(results, texts, unsettled, settings)))


def discriminative_power(
    results: Results, *, test: str = TEST, level: float = 0.95, samples: int = SAMPLES, seed: int = 0,
    threads: int | None = None,
) -> Table:  # fmt: skip
    """How many pairs of runs each measure tells apart (Sakai 2006).

    Parameters
    ----------
    results : Results
        Of three runs or more over the same queries.
    test : str
        As for `significance`, without correction; ``"tukey"`` holds for all pairs at once.
    level : float
        Pairs with p of at most 1 - `level` are told apart.
    samples, seed, threads
        As for `significance`.

    Returns
    -------
    Table
        For every measure: ``power``, the share of pairs told apart; ``pairs``, how many there are; ``told_apart``;
        and ``difference``, the smallest difference of means from which on every pair is told apart (None where not
        even the largest is); of logarithms where a mean is geometric, which ``scale`` says as in `Significance`.

    Raises
    ------
    UntiedError
        As for `significance`.
    """
    found = significance(
        results, test=test, correction="none", interval="none", level=level, samples=samples, seed=seed, threads=threads
    ).table
    columns: dict[str, list[float | None]] = {"power": [], "pairs": [], "told_apart": [], "difference": []}
    for measure in results.measures:
        rows = [row for row in found.to_dicts() if row["measure"] == measure]
        apart = sum(row["significant"] == "yes" for row in rows)
        needed = None
        for row in sorted(rows, key=lambda row: -abs(row["difference"])):
            if row["significant"] == "no":
                break
            needed = abs(row["difference"])
        for name, value in zip(columns, (apart / len(rows), len(rows), apart, needed), strict=True):
            columns[name].append(value)
    texts = {"measure": results.measures}
    if "scale" in found.columns:
        texts["scale"] = [Aggregate(as_measure(measure)).scale for measure in results.measures]
    return Table(texts, columns)


def _pairs(runs: list[str], baseline: str | None) -> list[tuple[str, str]]:
    if len(runs) < 2:
        raise UntiedError("a test needs two runs or more")
    if baseline is None:
        return [(a, b) for place, a in enumerate(runs) for b in runs[place + 1 :]]
    if baseline not in runs:
        raise UntiedError(f"no run {baseline!r}; there are {', '.join(runs)}")
    return [(run, baseline) for run in runs if run != baseline]


def _add(columns: dict[str, list[Any]], more: dict[str, list[Any]]) -> None:
    for name, cells in more.items():
        columns.setdefault(name, []).extend(cells)


def _of_pairs(
    columns: list[Column],
    pairs: list[tuple[str, str]],
    measure: str,
    bounds: Mapping[tuple[str, str], Comparison] | None,
    test: str,
    interval: str,
    level: float,
    chance: tuple[int, int, int | None],
) -> tuple[dict[str, list[Any]], int, int]:
    """What there is to say of each two runs, by one measure; how many queries were left out, and may yet count."""
    values = {column.run: column for column in columns}
    found: dict[str, list[Any]] = {}
    dropped = unsettled = 0
    _, seed, threads = chance
    for piece in pieces(pairs, len(columns[0].values)):
        compared = [Pair(values[a], values[b]) for a, b in piece]
        dropped += sum(pair.dropped for pair in compared)
        _add(found, _described(compared, interval, level, seed, threads))
        if test != "tukey":
            _add(found, {"p": _tested(test, [pair.differences for pair in compared], *chance)})
        if bounds is not None:
            spans = [
                delta_bounds(bounds, pair, ab, measure) if bounds else pair.spans
                for pair, ab in zip(compared, piece, strict=True)
            ]
            ends = list(zip(compared, spans, strict=True))
            _add(found, {"least": [pair.least(span) for pair, span in ends]})
            _add(found, {"most": [pair.most(span) for pair, span in ends]})
            unsettled += sum(len(span.open_low) for span in spans)
            if test == "randomization":
                _add(found, {"p_most": _largest_p(spans, *chance)})
    return found, dropped, unsettled


def _described(
    compared: list[Pair], interval: str, level: float, seed: int, threads: int | None
) -> dict[str, list[Any]]:  # fmt: skip
    """What there is to say of pairs of runs without a test."""
    found: dict[str, list[Any]] = {}
    for pair in compared:
        differences = pair.differences
        row = {"mean_a": pair.mean_a, "mean_b": pair.mean_b, "difference": pair.difference}
        if interval != "none":
            low, high = _interval(differences, interval, level, INTERVAL_SAMPLES, seed, threads)
            row |= {"low": pair.whole(low), "high": pair.whole(high)}
        row["effect"] = _in_deviations(_mean(differences), _deviation(differences))
        better, worse = sum(x > 0 for x in differences), sum(x < 0 for x in differences)
        row |= {"better": better, "worse": worse, "equal": len(differences) - better - worse}
        _add(found, {name: [cell] for name, cell in row.items()})
    return found


def _tested(
    test: str, differences: Sequence[Sequence[float]], samples: int, seed: int, threads: int | None
) -> list[float]:  # fmt: skip
    if test == "randomization":
        return [p for p, _ in _randomization(differences, "two-sided", samples, seed, threads)]
    one: Callable[[Sequence[float], str], float] = _t if test == "t" else _wilcoxon
    return [one(of_pair, "two-sided") for of_pair in differences]


def _randomization(
    differences: Sequence[Sequence[float]], alternative: str, samples: int, seed: int, threads: int | None
) -> list[tuple[float, str]]:
    """p-values, and whether they are exact."""
    which = {"two-sided": 2, "greater": 0, "less": 1}[_one_of("alternative", alternative, ALTERNATIVES)]
    found = []
    for counts in _core.randomization_counts(differences, samples, seed, threads):
        choices, exact = counts[3:]
        # The signs that were seen are one of all; to a sample they are added.
        found.append((counts[which] / choices, "exact") if exact else
                     ((counts[which] + 1) / (choices + 1), "estimate"))  # fmt: skip
    return found


def _largest_p(spans: Sequence[Spans], samples: int, seed: int, threads: int | None) -> list[float]:
    """No p-value of a two-sided test of differences within these spans is larger."""
    nearest = [span.nearest for span in spans]
    tested = iter(_randomization([one for one in nearest if one is not None], "two-sided", samples, seed, threads))
    # Where the sum can be 0, nothing rules a p-value of 1 out.
    return [1.0 if one is None else next(tested)[0] for one in nearest]


def _tukey(
    columns: list[Column], pairs: list[tuple[str, str]], samples: int, seed: int, threads: int | None
) -> list[float]:
    for column in columns[1:]:
        Pair(columns[0], column)  # the same queries
    values: list[Sequence[float]] = [column.values for column in columns]
    if any(any(map(isnan, column)) for column in values):
        known = [not any(map(isnan, query)) for query in zip(*values, strict=True)]
        values = [array("d", compress(column, known)) for column in values]
    if not values[0]:
        raise UntiedError("no query has a value of every run")
    counts = iter(_core.tukey_counts(values, samples, seed, threads))
    runs = [column.run for column in columns]
    p = {(a, b): (next(counts) + 1) / (samples + 1) for place, a in enumerate(runs) for b in runs[place + 1 :]}
    return [p[pair] if pair in p else p[pair[1], pair[0]] for pair in pairs]


def _t(differences: Sequence[float], alternative: str) -> float:
    _one_of("alternative", alternative, ALTERNATIVES)
    stats = _scipy("t-tests")
    if not any(differences):
        return 1.0
    if len(differences) < 2:
        return nan
    if _deviation(differences) == 0:
        return {"two-sided": 0.0, "greater": float(differences[0] < 0), "less": float(differences[0] > 0)}[alternative]
    return float(stats.ttest_1samp(differences, 0.0, alternative=alternative).pvalue)


def _wilcoxon(differences: Sequence[float], alternative: str) -> float:
    _one_of("alternative", alternative, ALTERNATIVES)
    stats = _scipy("Wilcoxon's tests")
    if not any(differences):
        return 1.0
    return float(stats.wilcoxon(differences, alternative=alternative).pvalue)


def _interval(
    values: Sequence[float], method: str, level: float, samples: int, seed: int, threads: int | None = None
) -> tuple[float, float]:
    mean = _mean(values)
    if _one_of("method", method, INTERVALS[:2]) and len(values) < 2:
        return nan, nan
    if max(values) == min(values):
        return mean, mean
    if method == "t":
        stats = _scipy("Student's intervals")
        half = float(stats.t.ppf((1 + level) / 2, len(values) - 1)) * _deviation(values) / sqrt(len(values))
        return mean - half, mean + half
    return _bca(values, level, *_core.bootstrap_means(values, samples, seed, threads))


def _bca(values: Sequence[float], level: float, means: list[float], below: int, at_most: int) -> tuple[float, float]:
    """Efron's interval by bootstrap means, of which some are below and some at most the mean of the values.

    The mean without value i differs from the mean by (mean - value i) / (n - 1), so the jackknife's acceleration is a
    sixth of the sum of cubed deviations over the sum of squared ones to the power of 3/2.
    """
    from statistics import NormalDist

    from untied.compare.runs import quantile

    if not 0 < below + at_most < 2 * len(means):
        return nan, nan  # the mean lies outside of all samples: too few were drawn
    normal, mean = NormalDist(), _mean(values)
    bias = normal.inv_cdf((below + at_most) / (2 * len(means)))
    squares, cubes = fsum((value - mean) ** 2 for value in values), fsum((value - mean) ** 3 for value in values)
    acceleration = cubes / squares**1.5 / 6

    def end(z: float) -> float:
        share = normal.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))
        return quantile(means, share)

    z = normal.inv_cdf((1 + level) / 2)
    return end(-z), end(z)


def _scipy(what: str) -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise UntiedError(f"{what} need SciPy: install untied[stats]") from None
    return stats


def _differences(a: Values, b: Values) -> array[float]:
    return array("d", (x - y for x, y in zip(*_paired(a, b), strict=True)))


def _paired(a: Values, b: Values) -> tuple[array[float], array[float]]:
    (keys_a, one), (keys_b, other) = _plain("a", a), _plain("b", b)
    if (keys_a is None) != (keys_b is None):
        raise UntiedError("a and b must both be dicts or both be lists")
    if keys_a is None or keys_b is None:
        if len(one) != len(other):
            raise UntiedError(f"a has {len(one)} values and b has {len(other)}; they must be of the same queries")
        return one, other
    if set(keys_a) != set(keys_b):
        odd = min(set(keys_a) ^ set(keys_b), key=repr)
        raise UntiedError(f"a and b must have the same queries; only {'a' if odd in keys_a else 'b'} has {odd!r}")
    by_query = dict(zip(keys_b, other, strict=True))
    return one, array("d", (by_query[query] for query in keys_a))


def _plain(name: str, values: Values) -> tuple[list[Any] | None, array[float]]:
    """Queries, where they have names, and values."""
    keys: list[Any] | None = None
    given: Any = values
    if hasattr(given, "items"):
        keys, given = list(given), given.values()
    plain = array("d", map(float, given))
    if not plain:
        raise UntiedError(f"{name} has no values")
    for place, value in enumerate(plain):
        if not isfinite(value):
            where = f"of query {keys[place]!r}" if keys else f"number {place + 1}"
            raise UntiedError(f"value {where} in {name} must be a finite number, not {value}")
    return keys, plain


def said_of(settings: dict[str, Any]) -> str:
    """How differences were tested, in words."""
    corrected = "" if settings["correction"] == "none" else f", p corrected ({settings['correction']})"
    return f"{TESTS[settings['test']]}{corrected}, significant at {1 - settings['level']:.4g}"


def _notes(
    results: Results, texts: dict[str, list[str]], unsettled: dict[str, int], settings: dict[str, Any]
) -> Iterator[str]:
    """What to know before believing tests."""
    if any(unsettled.values()):
        of_measures = ", ".join(f"{count} of {measure}" for measure, count in unsettled.items() if count)
        yield (
            f"queries for which judgments decide whether a run has a value: {of_measures}; they are not tested, "
            "but what differences can be and what survives holds whether they count or not"
        )
    unknown = texts.get("survives", []).count("unknown")
    if unknown:
        yield (
            f"comparisons of which it is unknown whether they stay significant whatever the order of ties or the "
            f"judgments are: {unknown}; only the {TESTS['randomization']} has bounds of p"
        )
    test, samples, level = settings["test"], settings["samples"], settings["level"]
    if test not in ("randomization", "tukey"):
        return
    queries = max(fact["evaluated"] for fact in results.facts().values())
    of_sample = 1 / (samples + 1)
    of_all = 2.0 ** (1 - queries) if test == "randomization" else 0.0
    comparisons = len(texts["measure"]) // len(results.measures)
    least = adjust([max(of_sample, of_all)] * comparisons, settings["correction"])[0]
    if least > 1 - level:
        what, remedy = f"{samples} permutations", "draw more samples, or take the test tukey"
        if of_all > of_sample:
            what, remedy = f"{queries} {'query' if queries == 1 else 'queries'}", "nothing can be significant"
        corrected = "" if settings["correction"] == "none" else f", corrected for {comparisons} comparisons"
        yield f"with {what} no p can be below {least:.2g}{corrected}: {remedy}"


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _deviation(values: Sequence[float]) -> float:
    """Standard deviation of a sample; NaN of a single value."""
    if len(values) < 2:
        return nan
    mean = _mean(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _in_deviations(difference: float, deviation: float) -> float:
    if isnan(deviation):
        return nan
    if deviation == 0:
        return 0.0 if difference == 0 else float("inf") if difference > 0 else -float("inf")
    return difference / deviation


def _hedges(freedom: int) -> float:
    """Hedges' J(m) = Gamma(m/2) / (sqrt(m/2) Gamma((m-1)/2)); for one degree of freedom there is none."""
    if freedom < 2:
        return nan
    return exp(lgamma(freedom / 2) - lgamma((freedom - 1) / 2)) / sqrt(freedom / 2)


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _one_of(name: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise UntiedError(f"{name} must be {', '.join(known[:-1])} or {known[-1]}, not {value!r}")
    return value


def _check_level(level: float) -> float:
    """Refuse what is no level of confidence."""
    if not 0 < level < 1:
        raise UntiedError(f"level must be between 0 and 1, not {level}")
    return level


def _check_samples(samples: int) -> int:
    """Refuse what is no number of samples."""
    if samples < 1:
        raise UntiedError(f"samples must be at least 1, not {samples}")
    return samples
