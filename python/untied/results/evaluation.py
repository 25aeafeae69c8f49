"""Results of an evaluation."""

from __future__ import annotations

from math import isnan

from untied.errors import check_flag
from untied.results.base import ByRun
from untied.results.table import Table, table_of
from untied.results.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Evaluation, Measure, Policies
    from untied._types import Facts
    from untied.measures import MeasureLike
    from untied.results.difference_bounds import DifferenceBounds
    from untied.results.differences import Change
    from untied.results.shown import Bounds
    from untied.results.snapshot import Snapshot


class Results(ByRun):
    """What `untied.evaluate` returns: the values of one or several runs.

    If you evaluated a single run, ``results["AP"]`` is its mean. If you evaluated several runs, ``results["bm25",
    "AP"]`` is the mean of the run bm25. `value` returns the value of a query, and `means` and `per_query` are tables
    that you can export.
    """

    _ranked = True
    _evaluations: Mapping[str, Evaluation | Snapshot]
    _policies: Policies

    def __init__(
        self, measures: list[Measure], evaluations: Mapping[str, Evaluation | Snapshot], policies: Policies,
        difference_bounds: DifferenceBounds | None = None,
    ) -> None:  # fmt: skip
        self._measures = measures
        self._evaluations = evaluations
        self._policies = policies
        self._difference_bounds = difference_bounds  # with ``unjudged="range"``

    @property
    def queries(self) -> list[str]:
        """Ids of all evaluated queries, in byte order."""
        queries: set[str] = set()
        for evaluation in self._evaluations.values():
            queries.update(evaluation.queries())
        return sorted(queries, key=lambda query: query.encode("utf-8", "surrogatepass"))

    def __reduce__(self) -> tuple[Any, ...]:
        from untied.results.snapshot import snapshot

        records = {}
        for name, evaluation in self._evaluations.items():
            fields = [(place, field) for place in range(len(self._measures)) for field in self._fields]
            calls: dict[str, Any] = {call: [()] for call in ("queries", "columns", "totals", "values", "facts")}
            records[name] = snapshot(evaluation, calls | {"column": fields})
        return Results, (self._measures, records, self._policies, self._difference_bounds)

    def __getitem__(self, key: MeasureLike | tuple[str, MeasureLike]) -> Value:
        run, measure = self._run_and_measure(key)
        return self.value(measure, run=run)

    def value(self, measure: MeasureLike, query: str | None = None, run: str | None = None) -> Value:
        """The mean of a measure, or its value for one query.

        Parameters
        ----------
        measure : str, Measure, or measure of ir_measures
            The measure to look up, which must be one of those that were evaluated. Any of its names will do.
        query : str, optional
            The id of a query, to get the value of this query. By default, you get the mean over all queries.
        run : str, optional
            The name of the run. You need it if there are several runs.

        Returns
        -------
        Value

        Raises
        ------
        KeyError
            There is no such run, query or measure, or `run` is missing.
        """
        evaluation: Evaluation | Snapshot = self._of_run(run)
        number = self._number(measure)
        if query is None:
            from untied.results.notes import mean_with_notes

            mean, name = Value(*evaluation.totals()[number]), self.runs[0] if run is None else run
            return mean_with_notes(mean, self._measures[number], name, evaluation.facts(), self._policies.chosen())
        row = evaluation.find(query)
        if row is None:
            raise KeyError(f"query {query!r} was not evaluated")
        return Value(*evaluation.value(row, number))

    @property
    def means(self) -> Table:
        """A table of means over queries, or of sums for measures that count. It has the columns of `table`."""
        return self.table(per_query=False)

    @property
    def per_query(self) -> Table:
        """A table of the values of each query. It has the columns of `table`."""
        return self.table(means=False)

    @property
    def _fields(self) -> list[str]:
        # A column exists when it was asked for, and then for all rows.
        return ["value", *next(iter(self._evaluations.values())).columns()]

    def table(self, *, per_query: bool = True, means: bool = True) -> Table:
        """Make one table of the values of queries and of their means.

        For each run, the table first lists the values of its queries, and then its means. In the rows of means, the
        column query says ``all``.

        Parameters
        ----------
        per_query, means : bool
            Whether the table should have the values of queries, and whether it should have the means.

        Returns
        -------
        Table
            A row for each run, query and measure. The rows of a query are adjacent, with the measures in the order in
            which you gave them. The columns are:

            * ``run``, ``query``, ``measure``, ``value``
            * ``low`` and ``high``, if you evaluated with ``ties="range"`` or ``unjudged="range"``
            * ``variance``, if you evaluated with ``variance=True``
        """
        check_flag("per_query", per_query)
        check_flag("means", means)
        texts: dict[str, list[str]] = {"run": [], "query": [], "measure": []}
        parts: list[Any] = []
        of_means: list[bool] = []
        width = len(self._measures)
        for run, evaluation in self._evaluations.items():
            queries = evaluation.queries() if per_query else []
            of_means += [False] * (len(queries) * width)
            if per_query:
                parts += evaluation.values()
            if means:
                queries.append("all")
                of_means += [True] * width
                parts += evaluation.totals()
            texts["run"] += [run] * (len(queries) * width)
            texts["query"] += [query for query in queries for _ in range(width)]
            texts["measure"] += self.measures * len(queries)
        return table_of(texts, parts, self._fields, of_means=of_means if per_query else True)

    def query_differences(self, *, baseline: str | None = None, top: int | None = None) -> Table:
        """List the queries that a change hurt or helped most, for each pair of runs and each measure.

        Parameters
        ----------
        baseline : str, optional
            The name of the run that all others are compared with. It is then ``run_b`` of every pair. By default, every
            two runs are compared.
        top : int, optional
            How many queries to list for each pair and measure: this many with the largest losses, and this many with
            the largest gains. By default, all queries are listed.

        Returns
        -------
        Table
            For each pair and measure, the queries in which run_a is worse, beginning with the largest loss. Then come
            the queries in which run_a is better, beginning with the largest gain. Without `top`, the queries without a
            difference follow. The columns are:

            * measure, run_a, run_b, query
            * ``change``: ``loss``, ``gain`` or ``none``, as seen from run_a. If lower is better, a lower value is a
              gain.
            * ``value_a``, ``value_b`` and their ``difference``, value_a - value_b
            * ``least`` and ``most``: the smallest and the largest possible difference, if you evaluated with
              ``ties="range"`` or ``unjudged="range"``. With ``unjudged="range"``, they are NaN if `untied.certify` does
              not support the measure.

            Queries for which one of the runs has no value are left out.

        Raises
        ------
        UntiedError
            There are fewer than two runs, or `baseline` is not one of them.

        Examples
        --------
        >>> import untied
        >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
        >>> new = {"q1": ["d9", "d1"], "q2": ["d2"]}
        >>> old = {"q1": ["d1"], "q2": ["d8", "d7", "d2"]}
        >>> untied.evaluate(qrels, {"new": new, "old": old}, "RR").query_differences(top=1)
        measure  run_a  run_b  query  change  value_a  value_b  difference
        RR       new    old    q1     loss     0.5000   1.0000     -0.5000
        RR       new    old    q2     gain     1.0000   0.3333      0.6667
        """
        return self._query_differences(baseline, top)[0]

    def _query_differences(self, baseline: str | None, top: int | None) -> tuple[Table, dict[Change, int]]:
        from untied.results.differences import query_differences

        return query_differences(self._measures, self._evaluations, self._difference_bounds, baseline, top)

    def facts(self) -> dict[str, Facts]:
        """Counts that affect the values of each run.

        Returns
        -------
        dict
            For every run, its facts by name:

            * ``evaluated``: queries that were evaluated
            * ``mixed``: evaluated queries in which tied documents have different grades
            * ``absent``: judged queries that are not in the run
            * ``unknown``: queries of the run that are not judged
            * ``common``: queries that are both in the judgments and in the run
            * ``matched``: queries for which the qrels contain at least one retrieved document
            * ``relevant``: evaluated queries that have a judgment with a grade above 0, of a retrieved document or
              another
            * ``swapped``: whether the qrels and the run seem to be swapped
            * ``highest``: the highest grade of all judgments, or 0 if no grade is above 0
            * ``undefined``: values that are undefined
            * ``undefined_queries``: queries with an undefined value, usually because no document is relevant
            * ``left_out``: undefined values that are left out of the means, instead of counting as 0
            * ``estimated``: values that are estimated from a sample of the orders of tied documents
            * ``standard_error``: the largest standard error of the estimated values (known only for measures that you
              define)
            * ``enclosed``: values for which only a lower and an upper bound are known
            * ``overstated``: values that could fall if unjudged documents were relevant (only with
              ``unjudged="range"``)
            * ``unsettled``: values that are defined or undefined, depending on the grades of unjudged documents
            * ``ungrouped``: whether the whole run was held in memory because the lines of a query are not adjacent
        """
        return {name: evaluation.facts() for name, evaluation in self._evaluations.items()}

    def _standings(self, measure: Measure, leader: int, values: Sequence[float], bounds: Bounds) -> list[str]:
        """Over missing judgments, bounds of both runs together decide."""
        if "judgments" not in self._varied:
            return super()._standings(measure, leader, values, bounds)
        from untied.results.lead import standings

        runs = self.runs
        others = [run for run, value in zip(runs, values, strict=True) if run != runs[leader] and not isnan(value)]
        standings_of_others = standings(self, measure, [(runs[leader], other) for other in others])
        return ["unknown"] if standings_of_others is None else [stand.standing for stand in standings_of_others]

    def _facts_of_rows(self) -> list[Facts]:
        return list(self.facts().values())

    def _notes(self) -> Iterator[str]:
        from untied.results.notes import of_evaluation

        return of_evaluation(self.facts(), self._measures, self._policies.chosen())
