"""Comparing runs without judgments, or with few."""

from __future__ import annotations

from heapq import nsmallest
from math import inf, isnan, nan

from untied import _core
from untied.errors import MeasureError, UntiedError
from untied.inputs import overlap
from untied.inputs.convert import are_rows, as_lengths, as_qrels, as_run
from untied.policies import COMPARING, Policies
from untied.results.recorded import recorded
from untied.results.table import Table, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, TypeAlias

    from untied._core import Measure
    from untied.inputs.convert import DocsLike
    from untied.policies import ScoreDtype, TiesOfPairs
    from untied.results.recorded import Recorded

    ComparingMeasures: TypeAlias = Measure | str | Iterable[Measure | str]

#: What is computed where nothing is asked for, all of it about the first ten documents, which most users do not leave:
#: how much a search could get better or worse, in units that search teams know; how alike the rankings are, the top
#: counting most; and how many documents stay.
DEFAULT = ("MED(nDCG@10)", "RBO", "Overlap@10")

#: Quantiles of a distribution over queries.
QUANTILES = {"min": 0.0, "5%": 0.05, "25%": 0.25, "50%": 0.5, "75%": 0.75, "95%": 0.95, "max": 1.0}


class Assignment:
    """Grades of documents that are not judged, with which one ranking is as far ahead of the other as it can be.

    Attributes
    ----------
    direction : str
        ``"a-b"`` if the first ranking is ahead, ``"b-a"`` if the second is.
    value : float
        By how much: the value of ``MED``.
    grades : dict of str and float
        The grade of each document that either ranking has within the cutoff and that is not judged.
    filling : list of float
        Grades of the documents that fill the ranking ahead up to the cutoff, from the first rank that it lacks. Those
        that fill the other one have grade 0.
    """

    __slots__ = ("direction", "filling", "grades", "value")

    def __init__(self, direction: str, value: float, grades: dict[str, float], filling: list[float]) -> None:
        self.direction = direction
        self.value = value
        self.grades = grades
        self.filling = filling

    def __repr__(self) -> str:
        return f"{self.direction}: {self.value:.4f}, {self.grades}"


class Outcomes:
    """All that a difference could become, with probabilities.

    Attributes
    ----------
    values : list of float
        Differences in ascending order.
    probabilities : list of float
        The probability of each; of a sample its share.
    error : float or None
        Every outcome is at most this far from the value that it was counted for. None for a sample.
    certainty : str
        ``"exact"`` where the error is 0, ``"interval"`` where it is not, ``"estimate"`` for a sample.
    """

    __slots__ = ("certainty", "error", "probabilities", "values")

    def __init__(self, values: list[float], probabilities: list[float], error: float | None) -> None:
        self.values = values
        self.probabilities = probabilities
        self.error = error
        self.certainty = "estimate" if error is None else "interval" if error else "exact"

    def quantile(self, share: float) -> float:
        """The smallest value that is not exceeded with this probability; as far off as `error` says."""
        if not 0 <= share <= 1:
            raise UntiedError(f"a quantile's probability must be a number from 0 to 1, not {share}")
        total = 0.0
        for value, probability in zip(self.values, self.probabilities, strict=True):
            total += probability
            if total >= share - 1e-12:  # sums are rounded
                return value
        return self.values[-1]

    def __repr__(self) -> str:
        low, middle, high = map(self.quantile, (0.05, 0.5, 0.95))
        return f"5% {low:.4f}, 50% {middle:.4f}, 95% {high:.4f} ({self.certainty})"


class Comparison:
    """What a comparison of two runs found.

    ``comparison["RBO"]`` is the mean over queries, `value` gives those of queries, `means` and `per_query` are tables
    of everything. `distribution` tells how values spread over queries, `most_changed` which queries differ most, and
    `moved` what became of the documents of one.
    """

    def __init__(
        self,
        names: tuple[str, str],
        measures: list[Measure],
        native: _core.Comparison | Recorded,
        inputs: tuple[_core.Run, _core.Run, _core.Qrels | None],
        options: dict[str, Any],
        probabilities: _core.Run | None = None,
        docs: _core.Lengths | None = None,
    ) -> None:
        self._names = names
        self._measures = measures
        self._native = native
        self._inputs = inputs
        self._options = options
        self._probabilities = probabilities
        self._docs = docs

    def __reduce__(self) -> tuple[Any, ...]:
        found = _recorded(self._native, self._measures)
        return Comparison, (self._names, self._measures, found, self._inputs, self._options,
                            self._probabilities, self._docs)  # fmt: skip

    @property
    def runs(self) -> tuple[str, str]:
        """Names of the two runs."""
        return self._names

    @property
    def measures(self) -> list[str]:
        """Canonical names of the measures."""
        return [str(measure) for measure in self._measures]

    @property
    def queries(self) -> list[str]:
        """The queries of both runs, in byte order of their ids."""
        return self._native.queries()

    @property
    def alone(self) -> tuple[int, int]:
        """How many queries only the first and only the second run has; they are left out."""
        return self._native.alone()

    @property
    def undefined(self) -> dict[str, int]:
        """For each measure, for how many queries it is not defined; the mean leaves them out."""
        columns = map(self._native.column, range(len(self._measures)))
        return {measure: sum(map(isnan, column)) for measure, column in zip(self.measures, columns, strict=True)}

    @property
    def filled(self) -> dict[str, tuple[int, int]]:
        """For each ``MED`` and ``Delta`` with a cutoff, in how many queries a run's ranking ends before it.

        Such rankings are filled up with unknown documents of their own. These count as much as retrieved ones, but are
        not relevant in the mean of ``Delta``.
        """
        run_a, run_b, _ = self._inputs
        found = {
            str(measure): _core.filled_rankings(measure, run_a, run_b, self._options["depth"])
            for measure in self._measures
        }
        return {measure: counts for measure, counts in found.items() if any(counts)}

    #: Values are looked up, not iterated over.
    __iter__ = None

    def __getitem__(self, measure: str | Measure) -> Value:
        return self.value(measure)

    def value(self, measure: str | Measure, query: str | None = None) -> Value:
        """One value.

        Parameters
        ----------
        measure : str or Measure
            One of the measures that were computed, in any spelling.
        query : str, optional
            A query; the mean over all where there is none.

        Returns
        -------
        Value
            With `low` and `high`: of a similarity the smallest and largest value over all orders of tied documents in
            both runs (None for variants of RBO that are not means over orders), of ``MED`` and ``Delta`` bounds over
            all judgments that are possible.

        Raises
        ------
        KeyError
            There is no such query or measure.
        """
        number = self._number(measure)
        if query is None:
            return Value(*self._native.totals()[number])
        return Value(*self._native.value(self._place(query), number))

    def _place(self, query: str) -> int:
        place = self._native.find(query)
        if place is None:
            raise KeyError(f"query {query!r} is not in both runs")
        return place

    def _number(self, measure: str | Measure) -> int:
        name = str(as_comparing(measure))
        if name not in self.measures:
            raise KeyError(f"{name} was not computed; {', '.join(self.measures)} were")
        return self.measures.index(name)

    @property
    def means(self) -> Table:
        """Means over queries: columns run_a, run_b, query (``all``), measure, certificate, value, low, high."""
        return self.table(per_query=False)

    @property
    def per_query(self) -> Table:
        """Values of queries, in the same columns."""
        return self.table(means=False)

    def table(self, *, per_query: bool = True, means: bool = True) -> Table:
        """Values of queries, and their means (query ``all``).

        Parameters
        ----------
        per_query, means : bool
            Which of the two to have.

        Returns
        -------
        Table
            Columns run_a, run_b, query, measure, certificate, value, low, high, and variance where it was asked for.
        """
        queries = (self.queries if per_query else []) + ["all"] * means
        parts = (self._native.values() if per_query else []) + (self._native.totals() if means else [])
        return as_table([(*self._names, query, measure) for query in queries for measure in self.measures], parts,
                        self._options["variance"])  # fmt: skip

    @property
    def distribution(self) -> Table:
        """How values spread over queries: columns measure, mean, min, 5%, 25%, 50%, 75%, 95%, max.

        Queries for which a measure is not defined are left out.
        """
        rows = []
        for number, total in enumerate(self._native.totals()):
            values = sorted(value for value in self._native.column(number) if not isnan(value))
            rows.append([total[0], *(quantile(values, share) for share in QUANTILES.values())])
        columns = [list(column) for column in zip(*rows, strict=True)]
        return Table({"measure": self.measures}, dict(zip(["mean", *QUANTILES], columns, strict=True)))

    def most_changed(self, n: int = 20, measure: str | Measure | None = None) -> list[str]:
        """The queries whose rankings differ most.

        Parameters
        ----------
        n : int
            How many at most.
        measure : str or Measure, optional
            By which of the measures; the first by default. Of a similarity the lowest values are the most different,
            of a distance the highest, of ``Delta`` those that are farthest from 0.

        Returns
        -------
        list of str
            The most different one first; of equal ones the first in byte order.
        """
        number = 0 if measure is None else self._number(measure)
        _, lower_is_better, symmetry = _core.comparing_info(self._measures[number])
        values = self._native.column(number)

        def likeness(query: int) -> float:
            value = abs(values[query]) if symmetry == "opposite" else values[query]
            if isnan(value):
                return inf  # not known to differ
            return -value if lower_is_better or symmetry == "opposite" else value

        return [self._native.query(query) for query in nsmallest(n, range(len(values)), key=likeness)]

    def moved(self, query: str, depth: int | None = None) -> Table:
        """What became of the documents of a query.

        Parameters
        ----------
        query : str
            One of either run.
        depth : int, optional
            The documents that either run has to this rank; by default the cutoff of the first measure, or the depth
            of the comparison, or 10.

        Returns
        -------
        Table
            Columns document; change: ``entered`` (it is within the depth only in the second run), ``left`` (only in
            the first), ``rose``, ``fell``, ``stayed``; rank_a and rank_b, empty where it is not retrieved; tied_a and
            tied_b, how many documents share its score. The rank of tied documents is that of the first of them, and
            the middle of their ranks decides whether they rose. Then grade, empty where it is not judged.

        Raises
        ------
        KeyError
            Neither run has the query.
        """
        depth = self.moving_depth if depth is None else depth
        run_a, run_b, qrels = self._inputs
        if query not in run_a and query not in run_b:
            raise KeyError(f"query {query!r} is in neither run")
        reading = {name: self._options[name] for name in ("ties", "score_dtype")}
        found = _core.moved_documents(run_a, run_b, query, qrels=qrels, depth=depth, **reading)
        texts: dict[str, list[str]] = {"document": [], "change": []}
        numbers: dict[str, list[float | None]] = {
            name: [] for name in ("rank_a", "rank_b", "tied_a", "tied_b", "grade")
        }
        for document, rank_a, rank_b, grade in found:
            texts["document"].append(document)
            texts["change"].append(_change(rank_a, rank_b, depth))
            for side, rank in (("a", rank_a), ("b", rank_b)):
                numbers[f"rank_{side}"].append(None if rank is None else float(rank[0]))
                numbers[f"tied_{side}"].append(None if rank is None else float(rank[1] - rank[0] + 1))
            numbers["grade"].append(grade)
        return Table(texts, numbers)

    def assignment(self, measure: str | Measure | None = None, query: str | None = None) -> Assignment:
        """The grades of unjudged documents with which ``MED`` reaches its value in a query.

        Parameters
        ----------
        measure : str or Measure, optional
            One of the measures that were computed, a ``MED``; the first by default.
        query : str, optional
            A query of both runs; not needed where there is only one.

        Returns
        -------
        Assignment
            Of several that are best, one: the first ranking is ahead where both directions are equal.

        Raises
        ------
        KeyError
            There is no such query or measure.
        UntiedError
            The measure is no ``MED``, or it is not defined for the query.

        Examples
        --------
        >>> import untied
        >>> untied.compare(["x", "y", "z"], ["z", "x", "y"], "MED(P@2)").assignment()
        a-b: 0.5000, {'x': 0.0, 'y': 1.0, 'z': 0.0}
        """
        of, reading = self._one(measure, query)
        a_is_ahead, value, grades, filling = _core.largest_assignment(*of, **reading)
        return Assignment("a-b" if a_is_ahead else "b-a", value, dict(grades), filling)

    def outcomes(
        self, measure: str | Measure | None = None, query: str | None = None, *, points: int = 1000, seed: int = 0
    ) -> Outcomes:
        """All that ``Delta`` could become in a query, with probabilities.

        Parameters
        ----------
        measure : str or Measure, optional
            One of the measures that were computed, a ``Delta``; the first by default.
        query : str, optional
            A query of both runs; not needed where there is only one.
        points : int
            About how many different values to have. For sums of gains times discounts (P, DCG, nDCG, RBP), whose
            distribution is computed.
        seed : int
            Of the 10,000 outcomes that are drawn for all other measures.

        Returns
        -------
        Outcomes

        Raises
        ------
        KeyError
            There is no such query or measure.
        UntiedError
            The measure is no ``Delta``, it is not defined for the query, or there are fewer than 2 points.

        Examples
        --------
        >>> import untied
        >>> found = untied.compare(["x", "y"], ["z", "y"], "Delta(P@2, p=0.5)").outcomes()
        >>> found.values, found.probabilities, found.error
        ([-0.5, 0.0, 0.5], [0.25, 0.5, 0.25], 0.0)
        """
        if not 2 <= points <= 10_000_000:
            raise UntiedError(f"points must be a whole number from 2 to 10,000,000, not {points}")
        of, reading = self._one(measure, query)
        return Outcomes(*_core.difference_outcomes(*of, points, seed, probabilities=self._probabilities, **reading))

    def _one(
        self, measure: str | Measure | None, query: str | None
    ) -> tuple[tuple[_core.Run, _core.Run, Measure, str], dict[str, Any]]:
        """What the core needs for one query and measure."""
        number = 0 if measure is None else self._number(measure)
        if query is None:
            if len(self._native) > 1:
                raise KeyError("this is of one query; name it")
            query = self._native.query(0)
        self._place(query)
        run_a, run_b, qrels = self._inputs
        reading = {name: self._options[name] for name in ("depth", "ties", "score_dtype")}
        return (run_a, run_b, self._measures[number], query), {"qrels": qrels, "docs": self._docs, **reading}

    @property
    def moving_depth(self) -> int:
        """To which rank `moved` looks unless it is told."""
        cutoff, _, _ = _core.comparing_info(self._measures[0])
        return cutoff or self._options["depth"] or 10

    def __repr__(self) -> str:
        return repr(self.means)

    def _repr_html_(self) -> str:
        return self.means._repr_html_()


def compare(
    run_a: Any,
    run_b: Any,
    measures: ComparingMeasures = DEFAULT,
    *,
    qrels: Any = None,
    probabilities: Any = None,
    docs: DocsLike | None = None,
    depth: int | None = None,
    names: tuple[str, str] = ("a", "b"),
    ties: TiesOfPairs = "expected",
    score_dtype: ScoreDtype = "float64",
    variance: bool = False,
    strict: bool = False,
    threads: int | None = None,
) -> Comparison:
    """Compare two runs, or two ranked lists.

    Parameters
    ----------
    run_a, run_b : run, or list
        Runs as for `evaluate`; or one ranking each: a list of document ids, best first, in which a list stands for
        tied documents.
    measures : measures or their names
        ``"RBO(p=0.9)"``, ``Overlap @ 10``, ``MED(nDCG @ 20)``, with their parameters. By default MED(nDCG@10), RBO and
        Overlap@10.
    qrels : qrels, optional
        Judgments, as for `evaluate`: documents with a grade keep it in ``MED`` and ``Delta``. Without them nothing is
        known of any document. With a ranked list each, a dict of documents and grades.
    probabilities : run, optional
        For ``Delta``, how probably documents that are not judged are relevant, where that is known: ``{query:
        {document: probability}}``, or a file in the format of runs with probabilities for scores. All others have the
        probability p of the measure; what fills up a ranking that ends before the cutoff has none, and is relevant in
        bounds alone. With a ranked list each, a dict of documents and probabilities.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        Lengths of documents, which U and TBG need, as for `evaluate`; of every document of either run that counts.
    depth : int, optional
        Of longer rankings only the documents to this rank count (tie groups that begin within it); all by default.
    names : tuple of str
        What the runs are called in tables.
    ties : str
        ``"expected"``: means over all orders of tied documents in both runs; ``"docid"``, ``"trec"``, ``"given"``:
        one order, as for `evaluate`.
    score_dtype : str
        How scores are read before they are compared, as for `evaluate`.
    variance : bool
        Whether to compute variances over the orders of tied documents.
    strict : bool
        Whether it is an error, and not only a warning, that runs have no document in common, or none with the
        qrels or the probabilities.
    threads : int, optional
        Number of threads; as many as there are processors by default.

    Returns
    -------
    Comparison

    Raises
    ------
    MeasureError
        A measure is not understood.
    InputError
        A file's content is not what its format promises.
    UntiedError
        An option or a score is refused, or the runs have no query in common; with ``strict=True`` also where there is a
        warning else.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        The runs have queries in common, but no document (two ranked lists may differ wholly); or no run has a document
        in common with the qrels, or one has none with the probabilities.

    Examples
    --------
    The second list ties two documents; its overlap at depth 2 depends on which of them comes first.

    >>> import untied
    >>> untied.compare(["a", "b", "c"], ["a", ["b", "c"]], "Overlap@2")["Overlap@2"]
    0.7500 [0.5000, 1.0000]
    """
    policies = Policies(COMPARING, ties=ties, score_dtype=score_dtype, variance=variance)
    asked = as_comparing_measures(measures)
    ranked_lists = [isinstance(run, (list, tuple)) and not are_rows(run) for run in (run_a, run_b)]
    if any(ranked_lists):
        if not all(ranked_lists):
            raise TypeError("a ranked list is compared with a ranked list, a run with a run")
        run_a, run_b = {"query": run_a}, {"query": run_b}
        qrels = None if qrels is None else {"query": qrels}
        probabilities = None if probabilities is None else {"query": probabilities}
    judged = None if qrels is None else as_qrels(qrels, threads)
    runs = (as_run(run_a, threads), as_run(run_b, threads))
    options = {**policies.options, "depth": depth}
    known: dict[str, Any] = {
        "qrels": judged,
        "probabilities": None if probabilities is None else as_run(probabilities, threads),
        "docs": as_lengths(docs, threads),
    }
    [native] = _core.compare_runs(runs, asked, **known, **options, itself=False, threads=threads)
    _warn(dict(zip(names, runs, strict=True)), known, not any(ranked_lists), strict, threads)
    return Comparison(names, asked, native, (*runs, judged), options, known["probabilities"], known["docs"])


class Comparisons:
    """What a comparison of several runs found, every two of them.

    ``comparisons["bm25", "dense"]`` is the `Comparison` of two of them, `means` a table of all, and `matrix` one of
    all runs by all runs.
    """

    def __init__(
        self,
        names: list[str],
        measures: list[Measure],
        natives: Iterable[_core.Comparison | Recorded],
        inputs: tuple[list[_core.Run], _core.Qrels | None],
        options: dict[str, Any],
        probabilities: _core.Run | None = None,
        docs: _core.Lengths | None = None,
    ) -> None:
        self._names = names
        self._measures = measures
        self._natives = {native.runs(): native for native in natives}
        self._inputs = inputs
        self._options = options
        self._probabilities = probabilities
        self._docs = docs

    def __reduce__(self) -> tuple[Any, ...]:
        found = [_recorded(native, self._measures) for native in self._natives.values()]
        return Comparisons, (self._names, self._measures, found, self._inputs, self._options,
                             self._probabilities, self._docs)  # fmt: skip

    @property
    def runs(self) -> list[str]:
        """Names of the runs."""
        return list(self._names)

    @property
    def measures(self) -> list[str]:
        """Canonical names of the measures."""
        return [str(measure) for measure in self._measures]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs, each with every later one."""
        return [(self._names[a], self._names[b]) for a, b in self._natives if a != b]

    #: Pairs are looked up, not iterated over.
    __iter__ = None

    def __getitem__(self, pair: tuple[str, str]) -> Comparison:
        for name in pair:
            if name not in self._names:
                raise KeyError(f"no run {name!r}; there are {', '.join(self._names)}")
        a, b = (self._names.index(name) for name in pair)
        if a > b:
            raise KeyError(f"{pair[1]!r} was compared with {pair[0]!r}, in this order")
        runs, qrels = self._inputs
        return Comparison(pair, self._measures, self._natives[a, b], (runs[a], runs[b], qrels), self._options,
                          self._probabilities, self._docs)  # fmt: skip

    @property
    def means(self) -> Table:
        """Means over queries, each run with every later one.

        Columns run_a, run_b, query (``all``), measure, certificate, value, low, high.
        """
        ids: list[Sequence[str]] = []
        parts: list[Any] = []
        for (a, b), native in self._natives.items():
            if a != b:
                ids += [(self._names[a], self._names[b], "all", measure) for measure in self.measures]
                parts += native.totals()
        return as_table(ids, parts, self._options["variance"])

    def matrix(self, measure: str | Measure | None = None) -> Table:
        """Means of all runs by all runs.

        Parameters
        ----------
        measure : str or Measure, optional
            One of the measures that were computed; the first by default.

        Returns
        -------
        Table
            A row and a column for each run, the first column (``run``) its name. On the diagonal every run is compared
            with itself, if it was. A measure that depends on which run comes first is that of row and column in this
            order; below the diagonal it is empty, unless it is the opposite.
        """
        name = str(self._measures[0] if measure is None else as_comparing(measure))
        if name not in self.measures:
            raise KeyError(f"{name} was not computed; {', '.join(self.measures)} were")
        number = self.measures.index(name)
        _, _, symmetry = _core.comparing_info(self._measures[number])
        below = {"same": 1.0, "opposite": -1.0}.get(symmetry)
        size = len(self._names)
        columns: list[list[float | None]] = [[None] * size for _ in range(size)]
        for (a, b), native in self._natives.items():
            value = native.totals()[number][0]
            if below is not None:
                columns[a][b] = below * value + 0.0  # -0 is 0
            columns[b][a] = value
        label = "run"
        while label in self._names:
            label += "_"
        return Table({label: self.runs}, dict(zip(self._names, columns, strict=True)))

    def __repr__(self) -> str:
        return repr(self.means)

    def _repr_html_(self) -> str:
        return self.means._repr_html_()


def _recorded(native: _core.Comparison | Recorded, measures: list[Measure]) -> Recorded:
    """A native comparison as plain data."""
    calls: dict[str, Iterable[tuple[Any, ...]]] = {
        name: [()] for name in ("__len__", "runs", "queries", "totals", "values", "alone")
    }
    return recorded(native, calls | {"column": [(number,) for number in range(len(measures))]})


def compare_all(
    runs: Any,
    measures: ComparingMeasures = DEFAULT,
    *,
    qrels: Any = None,
    probabilities: Any = None,
    docs: DocsLike | None = None,
    depth: int | None = None,
    ties: TiesOfPairs = "expected",
    score_dtype: ScoreDtype = "float64",
    variance: bool = False,
    itself: bool = True,
    strict: bool = False,
    threads: int | None = None,
) -> Comparisons:
    """Compare every two of several runs.

    All runs are in memory at once, about as large as their files; and so are all values: 56 bytes for each pair of
    runs, query and measure.

    Parameters
    ----------
    runs : list of runs, or {name: run}
        As for `evaluate`, two or more.
    measures, qrels, probabilities, docs, depth, ties, score_dtype, variance, strict, threads
        As for `compare`.
    itself : bool
        Whether to compare every run with itself too, for the diagonal of `Comparisons.matrix`; with ties, a run need
        not be wholly like itself.

    Returns
    -------
    Comparisons

    Raises
    ------
    MeasureError
        A measure is not understood.
    InputError
        A file's content is not what its format promises.
    UntiedError
        An option or a score is refused, there are fewer than two runs, or two have no query in common; with
        ``strict=True`` also where there is a warning else.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        A run has no document in common with the others or with the probabilities, or no run has one in common with the
        qrels.

    Examples
    --------
    >>> import untied
    >>> runs = {"old": {"q": ["x", "y"]}, "new": {"q": ["y", "x"]}, "other": {"q": ["y", "z"]}}
    >>> untied.compare_all(runs, "Overlap@2").matrix()
    run       old     new   other
    old    1.0000  1.0000  0.5000
    new    1.0000  1.0000  0.5000
    other  0.5000  0.5000  1.0000
    """
    from untied.inputs.convert import named_runs

    policies = Policies(COMPARING, ties=ties, score_dtype=score_dtype, variance=variance)
    asked = as_comparing_measures(measures)
    named = named_runs(runs, threads)
    if len(named) < 2:
        raise UntiedError("there is only one run; a comparison needs two")
    judged = None if qrels is None else as_qrels(qrels, threads)
    loaded = {name: load() for name, load in named}
    options = {**policies.options, "depth": depth}
    known: dict[str, Any] = {
        "qrels": judged,
        "probabilities": None if probabilities is None else as_run(probabilities, threads),
        "docs": as_lengths(docs, threads),
    }
    return compare_loaded(loaded, asked, known, options, itself=itself, strict=strict, threads=threads)


def compare_loaded(
    runs: dict[str, _core.Run],
    measures: list[Measure],
    known: dict[str, Any],
    options: dict[str, Any],
    *,
    itself: bool,
    only_means: bool = False,
    strict: bool = False,
    threads: int | None = None,
) -> Comparisons:
    """Compare every two runs in memory, see `compare_all`; with `only_means`, values of queries are not kept."""
    loaded = list(runs.values())
    natives = _core.compare_runs(
        loaded, measures, **known, **options, itself=itself, threads=threads, only_means=only_means
    )
    _warn(runs, known, True, strict, threads)
    inputs = (loaded, known["qrels"])
    return Comparisons(list(runs), measures, natives, inputs, options, known["probabilities"], known["docs"])


def _warn(
    runs: dict[str, _core.Run], known: dict[str, Any], are_alike: bool, strict: bool, threads: int | None
) -> None:
    """Warn of runs that have nothing in common with each other, where they should, or with what is known."""
    qrels, probabilities = known["qrels"], known["probabilities"]
    reasons: list[dict[str, str | None]] = [overlap.of_runs(runs, threads)] if are_alike else []
    if qrels is not None:
        of_qrels = {name: overlap.of_inputs(qrels, run, threads, judging=True) for name, run in runs.items()}
        if not all(of_qrels.values()):  # one run with judged documents is enough for judgments to count
            of_qrels = {name: reason for name, reason in of_qrels.items() if reason == overlap.SWAPPED}
        reasons.append(of_qrels)
    if probabilities is not None:
        reasons.append(overlap.of_probabilities(runs, probabilities, threads))
    overlap.warn(*reasons, strict=strict)


def as_comparing(measure: str | Measure) -> Measure:
    """One measure of two rankings."""
    if isinstance(measure, _core.Measure):
        measure = str(measure)
    if not isinstance(measure, str):
        raise TypeError(f"a measure must be a Measure or a str, not {type(measure).__name__}")
    return _core.comparing_measure(measure)


def as_comparing_measures(measures: ComparingMeasures) -> list[Measure]:
    """Measures of two rankings, without repetitions."""
    asked = [measures] if isinstance(measures, (str, _core.Measure)) else list(measures)
    if not asked:
        raise MeasureError("no measure given")
    found = {str(measure): measure for measure in map(as_comparing, asked)}
    return list(found.values())


def as_table(ids: Sequence[Sequence[str]], parts: Sequence[tuple[Any, ...]], variance: bool) -> Table:
    """Values in columns: of each the two runs, query and measure, and what the native part says."""
    texts = [list(column) for column in zip(*ids, strict=True)] or [[], [], [], []]
    *columns, certificates = list(zip(*parts, strict=True)) or [()] * 5
    names = ("value", "low", "high", *(("variance",) if variance else ()))
    return Table(
        dict(zip(("run_a", "run_b", "query", "measure", "certificate"), [*texts, list(certificates)], strict=True)),
        {name: list(column) for name, column in zip(names, columns, strict=False)},
    )


def quantile(ordered: list[float], share: float) -> float:
    """Between the two values next to it, linearly; not a number where there are none."""
    if not ordered:
        return nan
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _change(rank_a: tuple[int, int] | None, rank_b: tuple[int, int] | None, depth: int) -> str:
    if rank_a is None or rank_a[0] > depth:
        return "entered"
    if rank_b is None or rank_b[0] > depth:
        return "left"
    difference = sum(rank_b) - sum(rank_a)
    return "rose" if difference < 0 else "fell" if difference > 0 else "stayed"
