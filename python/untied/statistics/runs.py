"""Significance tests of differences between runs, and of whether they survive ties and missing judgments."""

from __future__ import annotations

from dataclasses import dataclass

from untied import _core
from untied.errors import UntiedError, check_one_of
from untied.inputs import mismatch
from untied.measures import as_measure
from untied.results.differences import pairs_of
from untied.results.notes import of_queries, of_undefined
from untied.results.table import Exported, Table, tidy
from untied.statistics.intervals import INTERVAL_SAMPLES, INTERVALS, check_chance, interval_of
from untied.statistics.notes import notes_on, on_dropped, said_of
from untied.statistics.paired import RunValues, bounds_alone, of_runs, pairs_with_bounds, pieces
from untied.statistics.samples import grouped_sample, plain_sample
from untied.statistics.tests import (
    CORRECTIONS,
    SAMPLES,
    TEST,
    TESTS,
    in_deviations,
    randomization_p,
    t_p,
    wilcoxon_p,
)
from untied.statistics.values import scale_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from untied._core import Measure, Terms
    from untied._literals import Correction, Interval, TestName
    from untied.arrays import ArrayResults
    from untied.comparison.comparison import Comparison
    from untied.results.evaluation import Results
    from untied.results.shown import Grid
    from untied.statistics.samples import Sample

#: Columns of what `significance` finds, those that were asked for.
NUMBERS = (
    "mean_a", "mean_b", "difference", "ci_low", "ci_high", "effect", "better", "worse", "equal", "p", "p_adjusted",
    "least", "most", "p_most", "queries", "effective",
)  # fmt: skip
VERDICTS = ("significant", "survives")


#: The numbers that a notebook shows of a test.
ANSWERS = ("mean_a", "mean_b", "difference", "ci_low", "ci_high", "p_adjusted")


@dataclass(eq=False, repr=False)
class Significance(Exported):
    """Which differences between runs are significant, as `significance` returns it.

    Attributes
    ----------
    table : Table
        A row for every measure and pair of runs, with these columns:

        * ``significant``: yes or no, by ``p_adjusted``
        * ``mean_a``, ``mean_b``, and their ``difference``. For measures that count, these are sums over queries.
        * ``ci_low``, ``ci_high``: the confidence interval of the difference, unless ``interval="none"``
        * ``effect``: Cohen's d of the differences
        * ``better``, ``worse``, ``equal``: in how many queries run_a is better, worse or equal
        * ``p``, and ``p_adjusted``, which is corrected for the number of comparisons

        If you evaluated with ``ties="range"`` or ``unjudged="range"``, these columns follow:

        * ``least`` and ``most``: the lowest and the highest possible mean difference
        * ``survives``: yes if the difference keeps its sign and stays significant for all orders of ties and all grades
          of unjudged documents. Only the randomisation test can say yes.
        * ``p_most``: an upper bound of the adjusted p

        For geometric means, logarithms are tested: ``difference`` is ln(``mean_a`` / ``mean_b``), and a column
        ``scale`` says ``log``.
    dropped : dict of str and int
        For each measure, how many differences were left out because one of the two values is undefined. A query counts
        once for each pair of runs.
    settings : dict
        The options that you passed.
    notes : list of str
        What to know before you rely on the result.
    varied : tuple of str
        What ``least``, ``most`` and ``survives`` take into account: ``"ties"``, ``"judgments"``, both or nothing.
    apart : list of str
        Measures for which each run has bounds over missing judgments of its own, as if a document could have one grade
        in one run and another grade in the other. Their ``least`` and ``most`` may be wider than necessary.
    queries : list of str
        Notes on queries that a run lacks, that nobody judged, or that have no value.
    """

    table: Table
    dropped: dict[str, int]
    settings: dict[str, Any]
    notes: list[str]
    varied: tuple[str, ...]
    apart: list[str]
    queries: list[str]

    @property
    def pairs(self) -> int:
        """How many pairs of runs each measure compares."""
        return len(set(zip(self.table["run_a"], self.table["run_b"], strict=True)))

    @property
    def segments(self) -> list[str]:
        """The segments of queries that were tested. The list is empty if queries are not grouped by segments."""
        return list(dict.fromkeys(self.table["segment"]))[:-1] if "segment" in self.table.columns else []

    @property
    def correction(self) -> str:
        """How p-values were corrected for the number of comparisons; ``"none"`` if there is only one."""
        return "none" if self.pairs * max(1, len(self.segments)) == 1 else str(self.settings["correction"])

    def _exported(self) -> Table:
        return self.table

    def __repr__(self) -> str:
        """The columns that answer, how they were found, and notes; `table` has all columns, which a console wraps."""
        from untied.results.shown import LINES, with_notes

        return with_notes(f"{self._grid(LINES).text()}\n{self._how()}", self._said())

    def _repr_html_(self) -> str:
        """The same with the notes."""
        from untied.results.shown import ROWS, sentences

        return self._grid(ROWS).html(self._how(), *sentences(self._said()))

    def _said(self) -> list[str]:
        return [*self.queries, *self.notes, *on_dropped(self.dropped, self.pairs)]

    def _grid(self, most: int) -> Grid:
        from untied.results.shown import Grid

        table = self.table
        shown: dict[str, Any] = {name: table[name] for name in (*table._texts, *ANSWERS) if name in table.columns}
        return Grid(shown, len(table._texts), len(table), most)

    def _how(self) -> str:
        how = f"{said_of(self.settings, 2 if self.correction == 'none' else 3)}. All columns: .table."
        return f"{how[0].upper()}{how[1:]}"


def check_options(test: str, correction: str, interval: str, level: float, samples: int, seed: int) -> None:
    """Refuse invalid options of `significance`."""
    check_one_of("test", test, TESTS)
    check_one_of("correction", correction, CORRECTIONS)
    check_one_of("interval", interval, INTERVALS)
    check_chance(level, samples, seed)


def _by_runs(bounds: Iterable[Comparison]) -> dict[tuple[str, str], Comparison]:
    """Comparisons by the names of their runs."""
    comparisons: list[Any] = list(bounds) if hasattr(bounds, "__iter__") else [bounds]
    for comparison in comparisons:
        if not hasattr(comparison, "runs"):
            raise TypeError(f"bounds must be comparisons, as untied.compare_all returns them, not {comparison!r:.60}")
    return {comparison.runs: comparison for comparison in comparisons}


# described by untied.statistics.tests.randomization_test: samples*, seed
def significance(
    results: Results | ArrayResults | Mapping[str, ArrayResults],
    *,
    baseline: str | None = None,
    test: TestName = TEST,
    correction: Correction = "holm",
    interval: Interval = "bca",
    level: float = 0.95,
    samples: int = SAMPLES,
    seed: int = 0,
    bounds: Iterable[Comparison] | None = None,
    threads: int | None = None,
) -> Significance:
    """Test which differences between runs are significant, by every measure.

    Use it to ask whether a difference would hold for other queries. By default, every two runs are compared with a
    paired randomisation test, and p-values are corrected for the number of comparisons.

    If you evaluated with ``ties="range"`` or ``unjudged="range"``, you also learn whether a difference *survives*:
    whether it keeps its sign and stays significant for all orders of ties and all grades of unjudged documents.

    Parameters
    ----------
    results : Results, ArrayResults, or dict of ArrayResults
        The results of two or more runs for the same queries, as `untied.evaluate` returns them. Results of
        `untied.evaluate_arrays` work in two forms: a dict with names, such as ``{"old": old, "new": new}``; or the
        results of several columns of scores, evaluated with ``per_query=True``. The runs are then called by the numbers
        of the columns.
    baseline : str, optional
        The run that all others are compared with; it is ``run_b`` of every pair. By default, every two runs are
        compared.
    test : str
        Which test to use. ``"randomization"``: the paired `randomization_test`. ``"tukey"``: randomised Tukey HSD,
        which tests all runs by a measure at once (Carterette 2012). ``"t"``: `t_test`. ``"wilcoxon"``: `wilcoxon_test`.
    correction : str
        How to correct the p-values of a measure for the number of comparisons: ``"holm"``, ``"bonferroni"``, ``"bh"``
        or ``"none"``. `adjust` explains them. Tukey's test needs no correction.
    interval : str
        Which confidence interval to compute for each difference: ``"bca"`` or ``"t"``, as for `mean_interval`, or
        ``"none"``. Intervals are not corrected for the number of comparisons.
    level : float
        The confidence of the intervals, between 0 and 1. A difference is significant if its adjusted p is at most 1 -
        `level`.
    samples : int
        How many random exchanges to draw. In each of them, the two values of a query change places with probability
        1/2. If there are few queries, all possible exchanges are tried instead.

        Bootstrap intervals always use 9,999 samples.
    seed : int
        The seed of the random exchanges. The same seed gives the same p on any machine.
    bounds : comparisons, optional
        Results of `untied.compare` by ``Delta`` of the same measures with the same qrels, one for each pair of runs.
        The bounds of differences are then taken from them, and are narrower than bounds of single runs. They do not
        exist for measures that divide by the number of relevant documents or by an ideal value, such as nDCG.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    Significance

    Raises
    ------
    UntiedError
        There are fewer than two runs; they were evaluated on different queries; a run is unknown; a run and the qrels
        have nothing in common; an option is invalid; or the test or the interval needs SciPy, which is not installed.
    TypeError
        `results` are not results of `untied.evaluate` or `untied.evaluate_arrays`.

    Examples
    --------
    One run ranks the relevant document first in all three queries, the other second. With so few queries, the smallest
    possible p is 0.25:

    >>> import untied
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}}
    >>> good = {query: {document: 2, "x": 1} for query in qrels for document in qrels[query]}
    >>> bad = {query: {document: 1, "x": 2} for query in qrels for document in qrels[query]}
    >>> results = untied.evaluate(qrels, {"good": good, "bad": bad}, "RR")
    >>> significance(results, interval="none").table.to_dicts()[0]["p"]
    0.25

    Notes
    -----
    With ``ties="range"``, the lowest difference of a query is the lowest value of the first run minus the highest value
    of the second. With ``unjudged="range"``, it is the bound of `untied.certify`, in which a document has the same
    grade in both runs. For measures without verdicts, each run has its own bounds, and `Significance.apart` names the
    measure.

    ``p_most`` is the p-value of the randomisation test if every difference is as low as it can be.
    """
    results = of_runs(results)
    check_options(test, correction, interval, level, samples, seed)
    if results._design is not None and not results._design.is_plain and test in ("tukey", "wilcoxon"):
        raise UntiedError(f"{TESTS[test]} takes neither weights nor clusters; use randomization or t")
    method = _Method(test, "none" if test == "tukey" else correction, interval, level, samples, seed, threads)
    mismatch.demand({name: mismatch.of_facts(facts) for name, facts in results.facts().items()})
    pairs = pairs_of(results.runs, baseline)
    given = {} if bounds is None else _by_runs(bounds)
    varied = ("judgments",) if given else results._varied
    segments = results.segments
    families = [segments, {"all": results}] if segments else [{"all": results}]
    rows: list[tuple[str, str, str, str, str]] = []
    columns: dict[str, list[Any]] = {}
    dropped: dict[str, int] = {}
    unsettled: dict[str, int] = {}
    apart: list[str] = []
    for measure in results._measures:
        scale = scale_of(measure)
        if given and scale == "log":
            raise UntiedError(f"bounds by Delta are for differences of values, but tests of {measure} use logarithms")
        for family in families:
            tested = method.test_family(family, measure, pairs, given)
            _add(columns, {name: tested.columns[name] for name in NUMBERS + VERDICTS if name in tested.columns})
            rows += [(str(measure), segment, a, b, scale) for segment in family for a, b in pairs]
        # The last family is that of all queries.
        dropped[str(measure)], unsettled[str(measure)] = tested.dropped, tested.unsettled
        apart += [] if tested.are_joint else [str(measure)]
    names = ("measure", "segment", "run_a", "run_b", "scale")
    texts = dict(zip(names, (list(column) for column in zip(*rows, strict=True)), strict=True))
    if "log" not in texts["scale"]:
        del texts["scale"]
    if not segments:
        del texts["segment"]
    texts |= {name: columns.pop(name) for name in VERDICTS if name in columns}
    settings = {"baseline": baseline} | {name: getattr(method, name) for name in SETTINGS}
    table = Table(texts, columns)
    notes = list(notes_on(results, texts, columns, unsettled, settings, varied, apart, len(pairs)))
    facts = results.facts()
    adjust = "none" if results._policies is None else results._policies.chosen().get("adjust", "none")
    queries = [*of_queries(facts), *of_undefined(facts, can_leave_out=False, adjust=adjust), *results._design_notes()]
    return Significance(table, dropped, settings, notes, varied, apart, queries)


# described by untied.statistics.runs.significance: test, correction*, samples, seed, threads
def discriminative_power(
    results: Results | ArrayResults | Mapping[str, ArrayResults],
    *,
    test: TestName = TEST,
    correction: Correction = "none",
    level: float = 0.95,
    samples: int = SAMPLES,
    seed: int = 0,
    threads: int | None = None,
) -> Table:
    """Return the share of the pairs of runs that each measure can tell apart (Sakai 2006).

    Use it to choose a measure: one with more discriminative power finds more significant differences between the same
    runs.

    Parameters
    ----------
    results : Results, ArrayResults, or dict of ArrayResults
        Results of three or more runs for the same queries, as for `significance`.
    test : str
        Which test to use. ``"randomization"``: the paired `randomization_test`. ``"tukey"``: randomised Tukey HSD,
        which tests all runs by a measure at once (Carterette 2012). ``"t"``: `t_test`. ``"wilcoxon"``: `wilcoxon_test`.
    correction : str
        How to correct the p-values of a measure for the number of comparisons: ``"holm"``, ``"bonferroni"``, ``"bh"``
        or ``"none"``. `adjust` explains them. Tukey's test needs no correction.

        By default p-values are not corrected, as in the literature.
    level : float
        A measure tells two runs apart if their corrected p is at most 1 - `level`.
    samples : int
        How many random exchanges to draw. In each of them, the two values of a query change places with probability
        1/2. If there are few queries, all possible exchanges are tried instead.

        Bootstrap intervals always use 9,999 samples.
    seed : int
        The seed of the random exchanges. The same seed gives the same p on any machine.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    Table
        A row for every measure. The columns are:

        * ``power``: the share of the pairs of runs that the measure tells apart
        * ``pairs`` and ``significant``: the number of all pairs, and the number of pairs that the measure tells apart
        * ``difference_required``: the smallest difference of means from which on it tells every pair apart. None if it
          does not even tell apart the pair with the largest difference.

        For geometric means, the difference is one of logarithms, and a column ``scale`` says ``log``.

    Raises
    ------
    UntiedError
        As for `significance`.
    """
    results = of_runs(results)
    results._refuse_segments("discriminative_power")
    tests = significance(
        results, test=test, correction=correction, interval="none", level=level, samples=samples, seed=seed,
        threads=threads,
    ).table  # fmt: skip
    scaled = "scale" in tests.columns
    shares = []
    for measure in results.measures:
        rows = [row for row in tests.to_dicts() if row["measure"] == measure]
        apart = sum(row["significant"] == "yes" for row in rows)
        needed = None
        for row in sorted(rows, key=lambda row: -abs(row["difference"])):
            if row["significant"] == "no":
                break
            needed = abs(row["difference"])
        scale = [scale_of(as_measure(measure))] * scaled
        shares.append((measure, *scale, apart / len(rows), len(rows), apart, needed))
    return tidy("measure" + " scale" * scaled, "power pairs significant difference_required", shares)


def _add(columns: dict[str, list[Any]], more: dict[str, list[Any]]) -> None:
    for name, cells in more.items():
        columns.setdefault(name, []).extend(cells)


#: The options of a method that `Significance.settings` records.
SETTINGS = ("test", "correction", "interval", "level", "samples", "seed")


@dataclass(frozen=True, slots=True)
class _Method:
    """How differences are tested."""

    test: TestName
    correction: Correction
    interval: Interval
    level: float
    samples: int
    seed: int
    threads: int | None

    def test_family(
        self, family: Mapping[str, Results], measure: Measure, pairs: list[tuple[str, str]],
        given: Mapping[tuple[str, str], Comparison],
    ) -> _Tested:  # fmt: skip
        """The rows for all pairs of runs by one measure, in each segment; p-values are corrected for all of them."""
        all_tested = _Tested()
        for segment, results in family.items():
            try:
                self._test_pairs(results, measure, pairs, given, all_tested)
            except UntiedError as error:
                raise (
                    error
                    if len(family) == 1 and segment == "all"
                    else UntiedError(f"segment {_core.show_id(segment)}: {error}")
                ) from None
        self._decide(all_tested.columns, all_tested.ends)
        return all_tested

    def _test_pairs(
        self, results: Results, measure: Measure, pairs: list[tuple[str, str]],
        given: Mapping[tuple[str, str], Comparison], tested: _Tested,
    ) -> None:  # fmt: skip
        """Add the rows for all pairs of runs by one measure, without what depends on other rows."""
        columns = {run: RunValues(results, run, measure) for run in results.runs}
        is_open = bool(given or results._varied)
        for piece in pieces(pairs, len(columns[pairs[0][0]].values)):
            both = [(columns[a], columns[b]) for a, b in piece]
            compared, joint_bounds, tested.are_joint = pairs_with_bounds(results, both, given)
            tested.dropped += sum(pair.dropped[0] for pair in compared)
            tested.unsettled += sum(pair.dropped[1] for pair in compared) if is_open else 0
            design = results._design
            if design is None:
                samples = [plain_sample(pair) for pair in compared]
            else:
                bounds = [
                    bounds_alone(a, b) if is_open and ends is None else ends
                    for (a, b), ends in zip(both, joint_bounds, strict=True)
                ]
                samples = [
                    grouped_sample(pair, a, b, design, ends)
                    for pair, (a, b), ends in zip(compared, both, bounds, strict=True)
                ]
            terms = [(a.terms, b.terms) for a, b in both] if design is None or design.is_plain else None
            _add(tested.columns, self._described(samples, terms, both[0][0]))
            if design is not None:
                more: dict[str, list[Any]] = {"queries": [len(pair.differences) for pair in compared]}
                more |= {"effective": [sample.effective for sample in samples]} if design.is_weighted else {}
                _add(tested.columns, more)
            if is_open:
                tested.ends += [sample.ends for sample in samples]
                if self.test == "randomization":
                    _add(tested.columns, {"p_most": self._randomized([one.nearest for one in samples], terms)})
        if self.test == "tukey":
            places = {run: place for place, run in enumerate(columns)}
            terms_of_runs = [column.terms for column in columns.values()]
            numbers = [(places[a], places[b]) for a, b in pairs]
            p_values = _core.tukey_p(terms_of_runs, numbers, self.samples, self.seed, self.threads)
            _add(tested.columns, {"p": p_values})

    def _decide(self, columns: dict[str, list[Any]], ends: list[tuple[float, float]]) -> None:
        """Correct p-values, and add what is significant and, if something is open, what survives."""
        adjusted, p_most, significant, survives = _core.decide(
            columns["p"], columns.pop("p_most", []), ends, self.correction, self.level
        )
        # Equal means have no sign that could be significant, although Wilcoxon's p, which is of ranks, can be small.
        both = zip(significant, columns["difference"], strict=True)
        columns |= {"p_adjusted": adjusted, "significant": ["yes" if one and signed else "no" for one, signed in both]}
        if ends:
            columns["least"], columns["most"] = map(list, zip(*ends, strict=True))
            columns |= {"survives": survives} | ({"p_most": p_most} if p_most else {})

    def _described(
        self, samples: list[Sample], terms: list[tuple[Terms, Terms]] | None, column: RunValues
    ) -> dict[str, list[Any]]:
        """The rows for pairs of runs, without bounds."""
        columns: dict[str, list[Any]] = {}
        for sample in samples:
            row: dict[str, Any] = dict(zip(("mean_a", "mean_b"), sample.means, strict=True))
            row["difference"] = sample.difference
            if self.interval != "none":
                ends = interval_of(sample.spread, self.interval, self.level, INTERVAL_SAMPLES, self.seed, self.threads)
                row["ci_low"], row["ci_high"] = (column.terms.difference(end, len(sample.spread)) for end in ends)
            row["effect"] = in_deviations(sample.mean, sample.deviation)
            above, row["equal"], below = sample.counts
            row["better"], row["worse"] = (below, above) if column.measure.lower_is_better else (above, below)
            _add(columns, {name: [cell] for name, cell in row.items()})
        if self.test != "tukey":
            columns["p"] = self._tested(samples, terms)
        return columns

    def _tested(self, samples: list[Sample], terms: list[tuple[Terms, Terms]] | None) -> list[float]:
        if self.test == "randomization":
            return self._randomized([sample.signed for sample in samples], terms)
        if self.test == "t":
            return [t_p(sample.spread, sample.mean, "two-sided") for sample in samples]
        return [wilcoxon_p(sample.signed, "two-sided") for sample in samples]

    def _randomized(
        self, differences: Sequence[Sequence[float]], terms: list[tuple[Terms, Terms]] | None
    ) -> list[float]:
        tested = randomization_p(differences, "two-sided", self.samples, self.seed, self.threads, terms)
        return [p for p, _ in tested]


class _Tested:
    """Rows of a table, and what they leave out."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {}
        #: The lowest and the highest difference of each row, if bounds are known.
        self.ends: list[tuple[float, float]] = []
        #: The numbers of queries left out, and of those that may count.
        self.dropped, self.unsettled = 0, 0
        #: Whether bounds are of both runs together.
        self.are_joint = True
