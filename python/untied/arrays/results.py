"""Results of evaluations of arrays."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from untied.arrays.values import ArrayQueries, ArrayValues, as_names
from untied.errors import NotKeptError, UntiedError
from untied.results.base import MeasureResults
from untied.results.evaluation import Results
from untied.results.table import FIELDS, Table, table_of
from untied.results.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from untied._core import ArrayEvaluation, Measure, Policies
    from untied._types import Facts, Parts
    from untied.measures import MeasureLike
    from untied.results.snapshot import Snapshot
    from untied.results.table import Names

#: What notes call a single column of scores.
SCORES = "scores"
#: How to compare results of one column.
HOW = 'pass several by name, such as {"old": old, "new": new}'


class ArrayResults(MeasureResults):
    """The means and the values of queries that `untied.evaluate_arrays` returns.

    ``results["AP"]`` is the mean of AP over queries, a `Value`. If you evaluated several columns of scores, it is an
    `ArrayValues` with a mean for each column. `per_query` has the values of queries.
    """

    _ranked = True
    _policies: Policies

    def __init__(
        self,
        measures: list[Measure],
        queries: Any,
        totals: list[list[Parts]],
        facts: list[Facts],
        single: bool,
        evaluations: Sequence[ArrayEvaluation | Snapshot] | None,
        policies: Policies,
    ) -> None:
        self._measures = measures
        self._totals = totals
        self._facts = facts
        self._single = single
        self._evaluations = evaluations
        self._policies = policies
        #: Ids of the queries as they were given, or their numbers.
        self.queries = queries

    def __reduce__(self) -> tuple[Any, ...]:
        from untied.results.snapshot import snapshot

        fields = [(number, name) for number in range(len(self._measures)) for name in FIELDS]
        calls: dict[str, Iterable[tuple[Any, ...]]] = {"has_variance": [()], "column": fields}
        snapshots = None if self._evaluations is None else [snapshot(one, calls) for one in self._evaluations]
        given = (self._measures, self.queries, self._totals, self._facts, self._single, snapshots, self._policies)
        return ArrayResults, given

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.queries)

    def __getitem__(self, measure: MeasureLike) -> Value | ArrayValues:
        number = self._number(measure)
        if self._single:
            from untied.results.notes import mean_with_notes

            mean, policies = Value(*self._totals[0][number]), self._policies.chosen()
            return mean_with_notes(mean, self._measures[number], SCORES, self._facts[0], policies)
        import numpy

        parts = [total[number] for total in self._totals]
        value, low, high, variance = numpy.array([part[:4] for part in parts], dtype=float).reshape(-1, 4).T
        return ArrayValues(value, low, high, variance if any(part[3] is not None for part in parts) else None)

    @property
    def per_query(self) -> ArrayQueries:
        """The values of queries. ``results.per_query["AP"].value`` is an array with a value for each query.

        If you evaluated several columns of scores, this array has a row for each column.

        Raises
        ------
        NotKeptError
            You evaluated several columns without ``per_query=True``. The error is also an `AttributeError`, so
            ``hasattr`` returns False.
        """
        if self._evaluations is None:
            raise NotKeptError("values of queries were not kept: evaluate with per_query=True")
        return ArrayQueries(self._measures, self.queries, self._single, self._of_queries)

    def _of_queries(self, number: int) -> ArrayValues:
        """The values of a measure."""
        import numpy

        evaluations = self._evaluations or ()
        shape = (len(self.queries),) if self._single else (len(evaluations), len(self.queries))

        def field(name: str) -> Any:
            columns = [numpy.frombuffer(one.column(number, name)) for one in evaluations]
            return columns[0] if self._single else numpy.array(columns).reshape(shape)

        has_variance = any(one.has_variance() for one in evaluations)
        return ArrayValues(field("value"), field("low"), field("high"), field("variance") if has_variance else None)

    @property
    def means(self) -> Table:
        """A table of means, with a row for each measure.

        Its columns are ``measure`` and ``value``, then ``low``, ``high`` and ``variance`` if they were computed. If you
        evaluated several columns of scores, there is a row for each column of scores and each measure, and a first
        column ``column`` has its number, from 0.
        """
        rows = [part for total in self._totals for part in total]
        fields = [
            "value",
            *(name for place, name in enumerate(FIELDS[1:], 1) if any(row[place] is not None for row in rows)),
        ]
        columns = range(len(self._totals))
        texts: dict[str, Names] = {}
        if not self._single:
            texts["column"] = array("q", [column for column in columns for _ in self._measures])
        texts["measure"] = self.measures * len(self._totals)
        return table_of(texts, rows, fields, of_means=True)

    # described by untied.results.evaluation.Results.query_differences: top
    def query_differences(self, *, baseline: ArrayResults | int | None = None, top: int | None = None) -> Table:
        """List the queries that a change hurt or helped most.

        Parameters
        ----------
        baseline : ArrayResults or int, optional
            What to compare with: results of other scores for the same queries and measures; or, if you evaluated
            several columns of scores, the number of a column. By default, every two columns are compared.
        top : int, optional
            How many losses and how many gains to list for each pair of runs and each measure. By default, all queries
            are listed.

        Returns
        -------
        Table
            `Results.query_differences` describes the columns. ``run_a`` and ``run_b`` have the numbers of the columns
            of scores. If you pass other results as `baseline`, they say ``run`` for these results and ``baseline`` for
            the others.

            With ``unjudged="range"``, the bounds ``least`` and ``most`` may be wider than necessary.

        Raises
        ------
        UntiedError
            There is one column and no `baseline`; the other results have other queries, measures or policies; or values
            of queries were not kept.

        Examples
        --------
        >>> import untied
        >>> evaluator = untied.ArrayEvaluator([[1, 0, 0], [0, 1, 0]], "RR")
        >>> old, new = evaluator.evaluate([[3, 2, 1], [3, 2, 1]]), evaluator.evaluate([[1, 2, 3], [1, 3, 2]])
        >>> new.query_differences(baseline=old)
        measure  run_a  run_b     query  change  value_a  value_b  difference
        RR       run    baseline  0      loss     0.3333   1.0000     -0.6667
        RR       run    baseline  1      gain     1.0000   0.5000      0.5000
        """
        if isinstance(baseline, ArrayResults):
            runs = as_runs({"run": self, "baseline": baseline})
            name: str | None = "baseline"
        elif self._single:
            raise UntiedError("these results have one column of scores; pass the results to compare with as baseline")
        else:
            runs, name = as_runs(self), None if baseline is None else str(baseline)
        table = runs.query_differences(baseline=name, top=top)
        if not isinstance(as_names(self.queries), array):
            return table
        return Table({**table._texts, "query": array("q", map(int, table["query"]))}, table._numbers)

    def facts(self) -> Facts | list[Facts]:
        """Counts that explain the values, such as how many are undefined; `Results.facts` describes them.

        If you evaluated several columns of scores, this is a list with the counts of each column.
        """
        return self._facts[0] if self._single else self._facts

    def _facts_of_rows(self) -> list[Facts]:
        return self._facts

    def _notes(self) -> Iterator[str]:
        from untied.results.notes import of_evaluation

        names = [SCORES] if self._single else [f"column {column}" for column in range(len(self._facts))]
        facts = dict(zip(names, self._facts, strict=True))
        return of_evaluation(facts, self._measures, self._policies.chosen())


def as_runs(results: ArrayResults | Mapping[str, ArrayResults]) -> Results:
    """Turn the results of arrays into results of runs, in which every column of scores is a run.

    Parameters
    ----------
    results : ArrayResults, or dict of ArrayResults
        Results of several columns, which are named by their numbers; or a dict of runs' names and results of one column
        each.

    Raises
    ------
    UntiedError
        There is one column only, values of queries were not kept, or results in a dict differ in their measures,
        policies or queries.
    TypeError
        These are no results.
    """
    if isinstance(results, ArrayResults):
        if results._single:
            raise UntiedError(f"these results have one column of scores; {HOW}")
        columns = {str(column): (results, column) for column in range(len(results._totals))}
    elif isinstance(results, Mapping) and results and all(isinstance(one, ArrayResults) for one in results.values()):
        columns = {str(name): (one, 0) for name, one in results.items()}
        first = next(iter(results.values()))
        for name, one in results.items():
            if not one._single:
                raise UntiedError(f"{name}: expected results with one column of scores, found {len(one._totals)}")
            for what in ("measures", "queries", "_varied"):
                if list(getattr(one, what)) != list(getattr(first, what)):
                    kind = "policies" if what == "_varied" else what
                    raise UntiedError(f"{name}: expected the same {kind} as in the first results")
    else:
        raise TypeError(
            "expected results of untied.evaluate for two runs or more, or a dict of results of arrays by name, found "
            f"{type(results).__name__}"
        )
    some = next(iter(columns.values()))[0]
    evaluations = {name: _evaluation(one, column) for name, (one, column) in columns.items()}
    return Results(some._measures, evaluations, some._policies)


def _evaluation(results: ArrayResults, column: int) -> Snapshot:
    """A column's answers to what is asked of a run's."""
    from untied.results.snapshot import Snapshot

    values = results.per_query  # an error if they were not kept
    measures = range(len(results._measures))
    native = (results._evaluations or ())[column]
    facts: Facts = results._facts[column]
    totals: list[Parts] = results._totals[column]
    fields = [name for number, name in enumerate(FIELDS[1:], 1) if any(total[number] is not None for total in totals)]
    answers: dict[str, dict[tuple[Any, ...], Any]] = {
        "queries": {(): [str(query) for query in results.queries]},
        "columns": {(): fields},
        "totals": {(): totals},
        "facts": {(): facts},
        "column": {(number, name): native.column(number, name) for number in measures for name in ("value", *fields)},
        "__len__": {(): len(values)},
    }
    return Snapshot(answers)
