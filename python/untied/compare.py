"""Comparing two runs without judgments."""

from __future__ import annotations

from untied import _core
from untied.errors import MeasureError
from untied.inputs import as_qrels, as_run
from untied.table import Table, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

#: What is computed where nothing is asked for.
DEFAULT = ("RBO", "Overlap@10")


class Comparison:
    """What a comparison of two runs found.

    ``comparison["RBO"]`` is the mean over queries, `value` gives those of queries, and `means` and `per_query` are
    tables of everything.
    """

    def __init__(self, runs: tuple[str, str], measures: list[str], native: _core.Comparison, variance: bool) -> None:
        self._runs = runs
        self._native = native
        self._variance = variance
        self._queries = native.queries()
        self._measures = measures

    @property
    def runs(self) -> tuple[str, str]:
        """Names of the two runs."""
        return self._runs

    @property
    def measures(self) -> list[str]:
        """Canonical names of the measures."""
        return list(self._measures)

    @property
    def queries(self) -> list[str]:
        """The queries of both runs, in byte order of their ids."""
        return list(self._queries)

    @property
    def alone(self) -> tuple[int, int]:
        """How many queries only the first and only the second run has; they are left out."""
        return self._native.alone()

    #: Values are looked up, not iterated over.
    __iter__ = None

    def __getitem__(self, measure: str) -> Value:
        return self.value(measure)

    def value(self, measure: str, query: str | None = None) -> Value:
        """One value.

        Parameters
        ----------
        measure : str
            One of the measures, as `measures` spells it.
        query : str, optional
            A query; the mean over all where there is none.

        Returns
        -------
        Value
            With `low` and `high`, the smallest and largest value over all orders of tied documents in both runs
            (None for variants of RBO that are not means over orders).

        Raises
        ------
        KeyError
            There is no such query or measure.
        """
        if measure not in self._measures:
            raise KeyError(f"{measure} was not computed; {', '.join(self._measures)} were")
        number = self._measures.index(measure)
        if query is None:
            return Value(*self._native.totals()[number])
        if query not in self._queries:
            raise KeyError(f"query {query!r} is not in both runs")
        return Value(*self._native.values()[self._queries.index(query) * len(self._measures) + number])

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
        queries = (self._queries if per_query else []) + ["all"] * means
        parts = (self._native.values() if per_query else []) + (self._native.totals() if means else [])
        *columns, certificates = list(zip(*parts, strict=True)) or [()] * 5
        texts = {
            "run_a": [self._runs[0]] * len(parts),
            "run_b": [self._runs[1]] * len(parts),
            "query": [query for query in queries for _ in self._measures],
            "measure": self._measures * len(queries),
            "certificate": list(certificates),
        }
        names = ("value", "low", "high", *(("variance",) if self._variance else ()))
        return Table(texts, {name: list(column) for name, column in zip(names, columns, strict=False)})

    def __repr__(self) -> str:
        return repr(self.means)

    def _repr_html_(self) -> str:
        return self.means._repr_html_()


def compare(
    run_a: Any,
    run_b: Any,
    measures: str | Iterable[str] = DEFAULT,
    *,
    qrels: Any = None,
    depth: int | None = None,
    names: tuple[str, str] = ("a", "b"),
    ties: str = "expected",
    score_dtype: str = "float64",
    variance: bool = False,
    threads: int | None = None,
) -> Comparison:
    """Compare two runs, or two ranked lists, without judgments.

    Parameters
    ----------
    run_a, run_b : run, or list
        Runs as for `evaluate`; or one ranking each: a list of document ids, best first, in which a list stands for
        tied documents.
    measures : str or iterable of str
        ``"RBO(p=0.9)"``, ``"Overlap@10"``, ``"MED(nDCG@20)"``, with their parameters.
    qrels : qrels, optional
        Judgments, as for `evaluate`: documents with a grade keep it in ``MED`` and ``Delta``. Without them nothing is
        known of any document. With a ranked list each, a dict of documents and grades.
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
        An option or a score is refused, or the runs have no query in common.
    OSError
        A file cannot be read.

    Examples
    --------
    The second list ties two documents; its overlap at depth 2 depends on which of them comes first.

    >>> import untied
    >>> untied.compare(["a", "b", "c"], ["a", ["b", "c"]], "Overlap@2")["Overlap@2"]
    0.7500 [0.5000, 1.0000]
    """
    asked = [measures] if isinstance(measures, str) else list(measures)
    if not asked:
        raise MeasureError("no measure given")
    if any(not isinstance(measure, str) for measure in asked):
        raise TypeError("measures that compare runs are given by name, as str")
    if isinstance(run_a, (list, tuple)) != isinstance(run_b, (list, tuple)):
        raise TypeError("a ranked list is compared with a ranked list, a run with a run")
    if isinstance(run_a, (list, tuple)):
        run_a, run_b = {"query": run_a}, {"query": run_b}
        qrels = None if qrels is None else {"query": qrels}
    names_of_measures = _core.comparing_measures(asked)
    [native] = _core.compare_runs(
        [as_run(run_a, threads), as_run(run_b, threads)],
        names_of_measures,
        qrels=None if qrels is None else as_qrels(qrels, threads),
        depth=depth,
        ties=ties,
        score_dtype=score_dtype,
        variance=variance,
        threads=threads,
    )
    return Comparison(names, names_of_measures, native, variance)
