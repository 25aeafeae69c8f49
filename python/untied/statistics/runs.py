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
from untied.statistics.paired import RunValues, of_runs, pairs_with_bounds, pieces
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
from untied.statistics.values import mean_of, scale_of, standard_deviation

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
    from untied.statistics.paired import PairedValues

#: Columns of what `significance` finds, those that were asked for.
NUMBERS = (
    "mean_a", "mean_b", "difference", "ci_low", "ci_high", "effect", "better", "worse", "equal", "p", "p_adjusted",
    "least", "most", "p_most",
)  # fmt: skip
VERDICTS = ("significant", "survives")


#: The numbers that a notebook shows of a test.
ANSWERS = ("mean_a", "mean_b", "difference", "ci_low", "ci_high", "p_adjusted")


@dataclass(eq=False, repr=False)
class Significance(Exported):
    """What `significance` returns: which differences between runs would hold for other queries.

    Attributes
    ----------
    table : Table
        A row for every measure and pair of runs. The columns that you read first are:

        * ``significant``: yes or no, by ``p_adjusted``; no if the means are equal, because their difference has no sign
        * ``mean_a``, ``mean_b`` and their ``difference``, with its confidence interval ``ci_low``, ``ci_high`` (absent
          with ``interval="none"``). For counts, these are sums over queries.
        * ``effect``: Cohen's d of the differences
        * ``better``, ``worse``, ``equal``: in how many queries run_a is better, worse or equal. Values count as equal
          if they differ by at most 1e-12 of the larger one, because this is only rounding.
        * ``p``, and ``p_adjusted``, which is corrected for the number of comparisons

        If the results have bounds because of ties or judgments, these columns follow:

        * ``least`` and ``most``: the lowest and the highest possible mean difference
        * ``survives``: yes if the difference keeps its sign and stays significant for all orders of ties and all grades
          of unjudged documents, otherwise no. Only the randomisation test has a bound of p; with other tests, it is
          unknown whether a significant difference that keeps its sign survives.
        * ``p_most``: an upper bound of the adjusted p

        They also cover queries that have a value only with some judgments. For geometric means, logarithms are tested,
        and ``difference`` is ln(``mean_a`` / ``mean_b``); a column ``scale`` then says mean, log or sum.
    dropped : dict of str and int
        For each measure, how many differences were left out because a value is undefined. Each query counts once for
        each pair of runs.
    settings : dict
        The options of the call.
    notes : list of str
        What to know before you rely on the result.
    varied : tuple of str
        What the columns ``least``, ``most`` and ``survives`` take into account: ``"ties"``, ``"judgments"``, both or
        nothing.
    apart : list of str
        Measures whose bounds over judgments come from each run alone. They leave out documents that only the other run
        retrieved, which could change the difference, too. For results of arrays, these are all measures; both columns
        rank the same documents, so their bounds can only be too wide.
    queries : list of str
        Notes on judged queries that a run lacks, on queries without judgments, and on queries without a value.
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
        """The number of pairs of runs that each measure compares."""
        return len(self.table) // len(set(self.table["measure"]))

    @property
    def correction(self) -> str:
        """How p-values were corrected for the number of comparisons; ``"none"`` for a single pair of runs."""
        return "none" if self.pairs == 1 else str(self.settings["correction"])

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
        how = f"{said_of(self.settings, 2 if self.pairs == 1 else 3)}. All columns: .table."
        return f"{how[0].upper()}{how[1:]}"


def check_options(test: str, correction: str, interval: str, level: float, samples: int, seed: int) -> None:
    """Refuse invalid options of `significance`."""
    check_one_of("test", test, TESTS)
    check_one_of("correction", correction, CORRECTIONS)
    check_one_of("interval", interval, INTERVALS)
    check_chance(level, samples, seed)


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

    Use it to ask whether a difference would hold for other queries. By default, it tests every two runs.

    If the results have bounds, it also says whether a difference survives them. With ``ties="range"``, the lowest
    difference of a query is the lowest value of the first run minus the highest of the second. With
    ``unjudged="range"``, differences have the bounds of `untied.certify`, in which a document has the same grade in
    both runs. For measures without such bounds, each run has its own, and `Significance.apart` names the measure.

    ``p_most`` is the p-value of the randomisation test when every difference is as low as it can be, where p is
    largest. So it is exact if the lowest and the highest differences are reached, and otherwise an upper bound.

    Parameters
    ----------
    results : Results, ArrayResults, or dict of ArrayResults
        The results of two or more runs for the same queries, as `untied.evaluate` returns them. You can also pass
        results of `untied.evaluate_arrays`: a dict with names, such as ``{"old": old, "new": new}``, or the results of
        several columns of scores, evaluated with ``per_query=True``. The numbers of the columns are then the names of
        the runs.
    baseline : str, optional
        The run that all others are compared with, as the second of each pair. By default, every two runs are compared.
    test : str
        Which test to use. ``"randomization"``: the paired `randomization_test`. ``"tukey"``: randomised Tukey HSD
        (Carterette 2012), which tests all runs of a measure at once. ``"t"``: `t_test`. ``"wilcoxon"``:
        `wilcoxon_test`.
    correction : str
        How to correct p-values for the number of comparisons by one measure: ``"holm"``, ``"bonferroni"``, ``"bh"`` or
        ``"none"``, which `adjust` explains. Tukey's test needs no correction.
    interval : str
        Which confidence interval to compute for each difference: ``"bca"`` or ``"t"``, as for `mean_interval`, or
        ``"none"``. Intervals are not corrected for the number of comparisons.
    level : float
        The confidence of the intervals, between 0 and 1. A difference is significant if its adjusted p is at most 1 -
        `level`.
    samples : int
        How many times to exchange the scores of the runs at random. Each time, it is drawn anew for every query whether
        its scores change places, which turns the sign of their difference round. If there are few queries, all
        possible exchanges are tried instead.

        Bootstrap intervals always use 9,999 samples.
    seed : int
        Seed of the random exchanges. The same seed gives the same p on any machine.
    bounds : comparisons, optional
        Bounds of the differences that you have computed with `untied.compare`: results by ``Delta`` of the same
        measures with the same qrels, one for each pair of runs. In these, a document has the same grade in both runs,
        so they are narrower than bounds of single runs. They don't exist for measures that divide by the number of
        relevant documents or by an ideal value, such as nDCG.
    threads : int, optional
        How many threads to use. By default, there is one for each processor. The number of threads never changes a
        value.

    Returns
    -------
    Significance

    Raises
    ------
    UntiedError
        There are fewer than two runs, they were evaluated on different queries, a run is unknown, a run and the qrels
        have nothing in common, an option is invalid, or the chosen test or interval needs SciPy, which is not
        installed.
    TypeError
        These are not results of `untied.evaluate` or `untied.evaluate_arrays`.

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
    results = of_runs(results)
    check_options(test, correction, interval, level, samples, seed)
    method = _Method(test, "none" if test == "tukey" else correction, interval, level, samples, seed, threads)
    mismatch.demand({name: mismatch.of_facts(facts) for name, facts in results.facts().items()})
    pairs = pairs_of(results.runs, baseline)
    given = {} if bounds is None else {comparison.runs: comparison for comparison in bounds}
    varied = ("judgments",) if given else results._varied
    rows: list[tuple[str, str, str, str]] = []
    columns: dict[str, list[Any]] = {}
    dropped: dict[str, int] = {}
    unsettled: dict[str, int] = {}
    apart: list[str] = []
    for measure in results._measures:
        scale = scale_of(measure)
        if given and scale == "log":
            raise UntiedError(f"bounds by Delta are for differences of values, but tests of {measure} use logarithms")
        tested, dropped[str(measure)], unsettled[str(measure)], are_joint = method.test_pairs(
            results, measure, pairs, given
        )
        apart += [] if are_joint else [str(measure)]
        rows += [(str(measure), a, b, scale) for a, b in pairs]
        _add(columns, {name: tested[name] for name in NUMBERS + VERDICTS if name in tested})
    names = ("measure", "run_a", "run_b", "scale")
    texts = dict(zip(names, (list(column) for column in zip(*rows, strict=True)), strict=True))
    if "log" not in texts["scale"]:
        del texts["scale"]
    texts |= {name: columns.pop(name) for name in VERDICTS if name in columns}
    settings = {"baseline": baseline} | {name: getattr(method, name) for name in SETTINGS}
    table = Table(texts, columns)
    notes = list(notes_on(results, texts, columns, unsettled, settings, varied, apart))
    facts = results.facts()
    adjust = "none" if results._policies is None else results._policies.chosen().get("adjust", "none")
    queries = [*of_queries(facts), *of_undefined(facts, can_leave_out=False, adjust=adjust)]
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
    """Find which share of the pairs of runs each measure can tell apart (discriminative power, Sakai 2006).

    Use it to choose a measure. The same runs and queries are tested with each measure, and a measure with more power
    tells more pairs of runs apart.

    Parameters
    ----------
    results : Results, ArrayResults, or dict of ArrayResults
        Results of three or more runs for the same queries, as for `significance`.
    test : str
        Which test to use. ``"randomization"``: the paired `randomization_test`. ``"tukey"``: randomised Tukey HSD
        (Carterette 2012), which tests all runs of a measure at once. ``"t"``: `t_test`. ``"wilcoxon"``:
        `wilcoxon_test`.
    correction : str
        How to correct p-values for the number of comparisons by one measure: ``"holm"``, ``"bonferroni"``, ``"bh"`` or
        ``"none"``, which `adjust` explains. Tukey's test needs no correction.

        By default p-values are not corrected, as in the literature.
    level : float
        A pair counts as told apart if its corrected p is at most 1 - `level`.
    samples : int
        How many times to exchange the scores of the runs at random. Each time, it is drawn anew for every query whether
        its scores change places, which turns the sign of their difference round. If there are few queries, all
        possible exchanges are tried instead.

        Bootstrap intervals always use 9,999 samples.
    seed : int
        Seed of the random exchanges. The same seed gives the same p on any machine.
    threads : int, optional
        How many threads to use. By default, there is one for each processor. The number of threads never changes a
        value.

    Returns
    -------
    Table
        A row for every measure. The columns are:

        * ``power``: the share of the pairs of runs that the measure tells apart
        * ``pairs`` and ``significant``: the number of all pairs, and the number of pairs that the measure tells apart
        * ``difference_required``: the smallest difference of means from which on the measure tells every pair apart, or
          None if it does not even tell apart the pair with the largest difference

        For geometric means, the difference is one of logarithms. ``scale`` is as in `Significance`.

    Raises
    ------
    UntiedError
        As for `significance`.
    """
    results = of_runs(results)
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

    def test_pairs(
        self, results: Results, measure: Measure, pairs: list[tuple[str, str]],
        given: Mapping[tuple[str, str], Comparison],
    ) -> tuple[dict[str, list[Any]], int, int, bool]:  # fmt: skip
        """The rows for all pairs of runs by one measure.

        Then the numbers of queries left out and of those that may count, and whether bounds are of both runs together.
        """
        columns = {run: RunValues(results, run, measure) for run in results.runs}
        columns_of_table: dict[str, list[Any]] = {}
        dropped = unsettled = 0
        are_joint = True
        ends: list[tuple[float, float]] = []
        is_open = bool(given or results._varied)
        for piece in pieces(pairs, len(columns[pairs[0][0]].values)):
            compared, are_joint = pairs_with_bounds(results, [(columns[a], columns[b]) for a, b in piece], given)
            dropped += sum(pair.dropped[0] for pair in compared)
            unsettled += sum(pair.dropped[1] for pair in compared) if is_open else 0
            runs = [(columns[a].terms, columns[b].terms) for a, b in piece]
            _add(columns_of_table, self._described(compared, runs, columns[piece[0][0]]))
            if is_open:
                ends += [pair.ends for pair in compared]
                if self.test == "randomization":
                    _add(columns_of_table, {"p_most": self._randomized([pair.nearest for pair in compared], runs)})
        if self.test == "tukey":
            places = {run: place for place, run in enumerate(columns)}
            terms = [column.terms for column in columns.values()]
            numbers = [(places[a], places[b]) for a, b in pairs]
            columns_of_table["p"] = _core.tukey_p(terms, numbers, self.samples, self.seed, self.threads)
        self._decide(columns_of_table, ends)
        return columns_of_table, dropped, unsettled, are_joint

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
        self, compared: list[PairedValues], runs: list[tuple[Terms, Terms]], column: RunValues
    ) -> dict[str, list[Any]]:
        """The rows for pairs of runs, without bounds."""
        columns: dict[str, list[Any]] = {}
        for pair in compared:
            row: dict[str, Any] = dict(zip(("mean_a", "mean_b"), pair.means, strict=True))
            row["difference"] = pair.difference
            if self.interval != "none":
                ends = interval_of(
                    pair.differences, self.interval, self.level, INTERVAL_SAMPLES, self.seed, self.threads
                )
                row["ci_low"], row["ci_high"] = (column.terms.difference(end, len(pair.differences)) for end in ends)
            row["effect"] = in_deviations(_mean(pair), standard_deviation(pair.differences))
            above, row["equal"], below = pair.counts
            row["better"], row["worse"] = (below, above) if column.measure.lower_is_better else (above, below)
            _add(columns, {name: [cell] for name, cell in row.items()})
        if self.test != "tukey":
            columns["p"] = self._tested(compared, runs)
        return columns

    def _tested(self, compared: list[PairedValues], runs: list[tuple[Terms, Terms]]) -> list[float]:
        if self.test == "randomization":
            return self._randomized([pair.differences for pair in compared], runs)
        if self.test == "t":
            return [t_p(pair.differences, _mean(pair), "two-sided") for pair in compared]
        return [wilcoxon_p(pair.differences, "two-sided") for pair in compared]

    def _randomized(self, differences: Sequence[Sequence[float]], runs: list[tuple[Terms, Terms]]) -> list[float]:
        tested = randomization_p(differences, "two-sided", self.samples, self.seed, self.threads, runs)
        return [p for p, _ in tested]


def _mean(pair: PairedValues) -> float:
    """The mean of the differences that are tested: 0 if the means of the runs are equal but for rounding."""
    return mean_of(pair.differences) if pair.difference else 0.0
