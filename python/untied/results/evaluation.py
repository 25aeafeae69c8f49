"""Results of an evaluation."""

from __future__ import annotations

from math import isnan

from untied._core import show_id
from untied.errors import UntiedError, check_flag
from untied.results.base import ByRun
from untied.results.table import Table, table_of
from untied.results.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Evaluation, Measure, Policies
    from untied._types import Facts
    from untied.inputs.queries import QueryTableLike
    from untied.measures import MeasureLike
    from untied.results.design import Design, SubsetEvaluation
    from untied.results.difference_bounds import DifferenceBounds
    from untied.results.differences import Change
    from untied.results.shown import Bounds
    from untied.results.snapshot import Snapshot


class Results(ByRun):
    """The values of one or several runs, as `untied.evaluate` returns them.

    If you evaluated a single run, ``results["AP"]`` is the mean of AP over queries. If you evaluated several runs,
    ``results["bm25", "AP"]`` is this mean for the run bm25. Use `value` for a single query, and the tables `means` and
    `per_query` to export the values.
    """

    _evaluations: Mapping[str, Evaluation | Snapshot | SubsetEvaluation]
    _policies: Policies

    def __init__(
        self, measures: list[Measure],
        evaluations: Mapping[str, Evaluation | Snapshot | SubsetEvaluation], policies: Policies,
        difference_bounds: DifferenceBounds | None = None, design: Design | None = None,
    ) -> None:  # fmt: skip
        self._measures = measures
        self._evaluations = evaluations
        self._policies = policies
        self._difference_bounds = difference_bounds  # with ``unjudged="range"``
        self._design = design  # with `grouped`
        self._ranked = design is None or design.segments is None  # rows of means are runs

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
        return Results, (self._measures, records, self._policies, self._difference_bounds, self._design)

    def __getitem__(self, key: MeasureLike | tuple[str, MeasureLike]) -> Value:
        run, measure = self._run_and_measure(key)
        return self.value(measure, run=run)

    def value(self, measure: MeasureLike, query: str | None = None, run: str | None = None) -> Value:
        """Return the mean of a measure over queries, or its value for one query.

        Parameters
        ----------
        measure : str, Measure, or measure of ir_measures
            Which of the evaluated measures. Any of its names will do.
        query : str, optional
            The id of a query. By default, you get the mean over all queries.
        run : str, optional
            The name of the run. You can leave it out if there is only one.

        Returns
        -------
        Value

        Raises
        ------
        KeyError
            There is no such run, query or measure, or there are several runs and `run` is missing.
        """
        evaluation: Evaluation | Snapshot | SubsetEvaluation = self._of_run(run)
        number = self._number(measure)
        if query is None:
            from untied.results.notes import mean_with_notes

            mean, name = Value(*evaluation.totals()[number]), self.runs[0] if run is None else run
            return mean_with_notes(mean, self._measures[number], name, evaluation.facts(), self._policies.chosen())
        row = evaluation.find(query)
        if row is None:
            raise KeyError(f"query {query!r} was not evaluated")
        return Value(*evaluation.value(row, number))

    def grouped(
        self,
        query_table: QueryTableLike | None = None,
        *,
        by: str | None = None,
        weight: str | None = None,
        macro: str | None = None,
        cluster: str | None = None,
    ) -> Results:
        """Return the same results with queries that are weighted or divided into groups.

        Use it if you know more about your queries, such as their market, their traffic or their session. The new
        results can be printed, exported and tested like any others. Each parameter names a column of `query_table`.
        Instead of a column, `by`, `macro` and `cluster` also take ``"re:PATTERN"``, a regular expression whose first
        group is searched in the query's id.

        Parameters
        ----------
        query_table : path, frame, or {query: {column: value}}, optional
            A table with a row for each query. The suffix of a file says whether it is csv, tsv, jsonl, parquet or json.
        by : str, optional
            The column with each query's segment, such as ``"market"``. Tables then also have the means of each segment,
            and `untied.statistics.significance` tests every segment.
        weight : str, optional
            The column with each query's weight, such as ``"traffic"``. Means become weighted means.
        macro : str, optional
            The column with each query's group, such as its collection. The mean of a run becomes the mean of the means
            of these groups, so that a large group counts no more than a small one.
        cluster : str, optional
            The column with each query's cluster, such as its session or topic. Values of queries in a cluster may
            depend on each other, so tests and intervals treat each cluster as a whole. Means do not change.

        Returns
        -------
        Results
            The same values of queries, with new means.

        Raises
        ------
        UntiedError
            A column or a query is missing in the table; a query has no value in a column, or two; a weight is not above
            0; or queries are weighted and a measure is a sum or a geometric mean.

        Examples
        --------
        The run has AP 1 for q1, which counts three times, and 0.5 for q2:

        >>> import untied
        >>> results = untied.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"], "q2": ["x", "b"]}, "AP")
        >>> results.grouped({"q1": {"traffic": 3}, "q2": {"traffic": 1}}, weight="traffic").means["value"]
        [0.875]
        """
        from untied.results.design import Design

        if self._design is not None:
            raise UntiedError("these results are grouped already; group the results of evaluate")
        design = Design(query_table, self.queries, by=by, weight=weight, macro=macro, cluster=cluster)
        if not design.is_plain:
            for measure in self._measures:
                design.check(measure)
        return self._in_design(design)

    def _in_design(self, design: Design) -> Results:
        """The same values of queries, with means as a design has them."""
        from untied.results.design import SubsetEvaluation

        evaluations: Mapping[str, Any] = self._evaluations
        for run, evaluation in evaluations.items() if design.strata is not None else ():
            design.check_strata(f"run {show_id(run)} was evaluated on", evaluation.queries(), self.queries)
        if design.is_weighted:
            evaluations = {
                run: SubsetEvaluation(
                    evaluation, self._measures, self._policies, range(len(evaluation.queries())), design
                )
                for run, evaluation in evaluations.items()
            }
        return Results(self._measures, evaluations, self._policies, self._difference_bounds, design)

    @property
    def segments(self) -> dict[str, Results]:
        """A dict with the results of each segment. It is empty unless `grouped` was called with `by`."""
        design = self._design
        if design is None or design.segments is None:
            return {}
        from untied.results.design import SubsetEvaluation, rows_by_segment

        names, inside = design.names(self.queries), design.within()
        evaluations: dict[str, dict[str, Any]] = {name: {} for name in names}
        for run, evaluation in self._evaluations.items():
            rows = rows_by_segment(evaluation, design.segments)
            for name in names:
                if name not in rows:
                    raise UntiedError(f"run {show_id(run)} was evaluated on no query of the segment {show_id(name)}")
                part = SubsetEvaluation(evaluation, self._measures, self._policies, rows[name], design)
                evaluations[name][run] = part
        return {
            name: Results(self._measures, evaluations[name], self._policies, self._difference_bounds, inside)
            for name in names
        }

    @property
    def mean_ranks(self) -> Table:
        """A table of the mean rank of each run over segments, such as collections.

        Use it after ``grouped(by=...)`` if values of different collections cannot be compared. It has these columns:

        * ``run``, ``measure``
        * ``mean_rank``: 1 is best; runs with equal means share the mean of their ranks
        * ``borda``: the number of runs minus the rank of this run, summed over segments
        """
        from untied.results.ranks import mean_ranks

        return mean_ranks(self)

    @property
    def means(self) -> Table:
        """A table of the mean of each measure; `table` describes its columns.

        Measures that count, such as NumRelRet, have their sum over queries instead.
        """
        return self.table(per_query=False)

    @property
    def per_query(self) -> Table:
        """A table of the values of each query; `table` describes its columns."""
        return self.table(means=False)

    @property
    def _fields(self) -> list[str]:
        # A column exists when it was asked for, and then for all rows.
        return ["value", *next(iter(self._evaluations.values())).columns()]

    def table(self, *, per_query: bool = True, means: bool = True) -> Table:
        """Return a table of the values of queries, with the means below.

        For each run, the values of its queries come first, then its means. In the rows of means, the column ``query``
        says ``all``.

        Parameters
        ----------
        per_query, means : bool
            Whether the table has rows for queries, and whether it has rows for means.

        Returns
        -------
        Table
            A row for each run, query and measure, with measures in the order in which you gave them. The columns are:

            * ``run``, ``query``, ``measure``, ``value``
            * ``low`` and ``high``, if you evaluated with ``ties="range"`` or ``unjudged="range"``
            * ``variance``, if you evaluated with ``variance=True``

            After ``grouped(by=...)``, there are also rows for the means of each segment, and these columns:

            * ``segment``: the name of the segment, or ``all``
            * ``queries``: how many queries the mean is over
            * ``effective``, if queries are weighted: the effective number of queries. The mean is as certain as one
              over this many queries of equal weight
        """
        check_flag("per_query", per_query)
        check_flag("means", means)
        segments = self.segments
        design = self._design if segments else None
        texts: dict[str, list[str]] = {"run": [], "segment": [], "query": [], "measure": []}
        parts: list[Any] = []
        of_means: list[bool] = []
        counts: list[tuple[int | None, float | None]] = []
        width = len(self._measures)
        for run, evaluation in self._evaluations.items():
            queries = evaluation.queries() if per_query else []
            named = [design.segments[query] for query in queries] if design and design.segments else []
            if per_query:
                parts += evaluation.values()
            totals = [*((name, part._evaluations[run]) for name, part in segments.items()), ("all", evaluation)]
            for segment, part in totals if means else ():
                parts += part.totals()
                named.append(segment)
            means_of_run = len(totals) if means else 0
            flags = [False] * len(queries) + [True] * means_of_run
            if design is not None:
                counts += [(None, None)] * (len(queries) * width)
                for _, part in totals if means else ():
                    counts += [design.counts(part.queries())] * width
            queries += ["all"] * means_of_run
            of_means += [flag for flag in flags for _ in range(width)]
            texts["run"] += [run] * (len(queries) * width)
            texts["segment"] += [segment for segment in named for _ in range(width)]
            texts["query"] += [query for query in queries for _ in range(width)]
            texts["measure"] += self.measures * len(queries)
        if design is None:
            del texts["segment"]
        table = table_of(texts, parts, self._fields, of_means=of_means if per_query else True)
        if design is not None and means:
            numbers, effective = zip(*counts, strict=True)
            more = {"queries": list(numbers)} | ({"effective": list(effective)} if design.is_weighted else {})
            table = Table(table._texts, {**table._numbers, **more}, table._of_means)
        return table

    def query_differences(self, *, baseline: str | None = None, top: int | None = None) -> Table:
        """List the queries that a change hurt or helped most.

        Parameters
        ----------
        baseline : str, optional
            The name of the run that all others are compared with; it is ``run_b`` in every row. By default, every two
            runs are compared.
        top : int, optional
            How many losses and how many gains to list for each pair of runs and each measure. By default, all queries
            are listed.

        Returns
        -------
        Table
            For each pair of runs and each measure: first the queries in which run_a is worse, largest loss first, and
            then the queries in which it is better, largest gain first. Queries without a difference come last, unless
            you pass `top`. The columns are:

            * ``measure``, ``run_a``, ``run_b``, ``query``
            * ``change``: ``loss``, ``gain`` or ``none`` for run_a. If lower values are better, a lower value is a gain.
            * ``value_a``, ``value_b``, and their ``difference``, value_a - value_b
            * ``least`` and ``most``: the smallest and the largest possible difference, if you evaluated with
              ``ties="range"`` or ``unjudged="range"``. For missing judgments, some measures have no such bounds; then
              they are NaN.

            Queries for which one of the runs has no value are left out.

        Raises
        ------
        UntiedError
            There are fewer than two runs, or `baseline` is not one of them.

        Examples
        --------
        The new run is worse for q1 and better for q2:

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
        """Counts that explain the values of each run, such as how many queries it lacks.

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
            * ``highest``: the highest grade of all judgments, or 0 if no grade is above 0; None if they are
              preferences, which have no grades
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
            * ``duplicates``: rows of the run that repeat a document of a query (0 if they are refused)
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

    def _refuse_segments(self, what: str) -> None:
        """Refuse results by segment where only all queries together are looked at."""
        if self._design is not None and self._design.segments is not None:
            raise UntiedError(f"{what} does not show segments; pass results.segments[...] or group without by")

    def _facts_of_rows(self) -> list[Facts]:
        return list(self.facts().values()) if self._ranked else []

    def _notes(self) -> Iterator[str]:
        from untied.results.notes import of_evaluation

        yield from of_evaluation(self.facts(), self._measures, self._policies.chosen())
        yield from self._design_notes()

    def _design_notes(self) -> Iterator[str]:
        """Notes on segments and weights."""
        return iter(()) if self._design is None else self._design.notes(self.queries)
