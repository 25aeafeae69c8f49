"""Evaluate and compare Spark DataFrames, for runs that are too large for one machine.

Values and means are bit by bit those of `untied.evaluate`. A task holds a few of its queries in memory at a time.
The driver and the workers need PySpark, pandas and pyarrow.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from functools import partial
from math import isfinite
from typing import Generic, TypeVar

import pyarrow

from untied import _core, errors
from untied._core import Policies
from untied.batches.compare import BatchComparer
from untied.batches.evaluate import BatchEvaluator
from untied.batches.pieces import DETAILS
from untied.batches.summary import ComparisonSummary, EvaluationSummary, Summary
from untied.comparison.measures import DEFAULT
from untied.errors import UntiedError, check_one_of
from untied.inputs.names import check_two
from untied.results.base import MeasureResults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Self

    from pyspark.sql import Column, DataFrame
    from pyspark.storagelevel import StorageLevel

    from untied._core import Measure
    from untied._literals import (
        OnUndefined,
        QrelsFormatOfRows,
        Queries,
        ScoreDtype,
        Ties,
        TiesOfPairs,
        Unjudged,
        Unretrieved,
    )
    from untied._types import Facts
    from untied.comparison.measures import ComparingMeasures
    from untied.inputs.convert import DocsLike
    from untied.measures import MeasureLike
    from untied.results.evaluation import Results
    from untied.results.table import Table
    from untied.results.value import Value


Found = TypeVar("Found", bound=Summary)
Made = TypeVar("Made")


class SparkResults(MeasureResults, Generic[Found]):
    """Results of work in Spark: the means of all measures, and the values of queries as a DataFrame.

    ``results["AP"]`` is the mean of a measure, `means` a table of all means, and `per_query` a DataFrame of all values.
    Nothing is computed before you use it. Means are then computed once, but each use of `per_query` evaluates
    everything again, unless you call `persist` first.
    """

    def __init__(
        self, measures: list[Measure], rows: DataFrame, summarize: Callable[[Iterable[Any]], Found]
    ) -> None:  # fmt: skip
        self._measures = measures
        self._rows = rows
        self._summarize = summarize
        self._found: Found | None = None

    @property
    def rows(self) -> DataFrame:
        """A DataFrame of everything that `BatchEvaluator` or `BatchComparer` yields."""
        return self._rows

    @property
    def per_query(self) -> DataFrame:
        """A DataFrame of the values of queries: columns query, measure, value and certainty.

        Columns low, high and variance are there if they were computed.
        """
        of_queries = [name for name, kind in self._rows.dtypes if kind in ("boolean", "bigint")]
        return self._rows.where("measure is not null").drop(*of_queries)

    def persist(self, level: StorageLevel | None = None) -> Self:
        """Keep the values of queries once they are computed, and return these results.

        You can give a storage level; by default it is Spark's.
        """
        self._rows = self._rows.persist() if level is None else self._rows.persist(level)
        return self

    def unpersist(self) -> None:
        """Stop keeping the values of queries."""
        self._rows.unpersist()

    def __getitem__(self, measure: MeasureLike) -> Value:
        return self._summary[measure]

    @property
    def means(self) -> Table:
        """A table of the means of all measures, as `untied.evaluate` or `untied.compare` would return it."""
        return self._summary.means

    @property
    def _summary(self) -> Found:
        if self._found is None:
            self._found = _in_one_task(self._rows, self._summarize)
            self._found.warn()
        return self._found

    def _as_measure(self, measure: Any) -> Measure:
        return self._summary._as_measure(measure)

    def _facts_of_rows(self) -> list[Facts]:
        return self._summary._facts_of_rows()

    @property
    def _varied(self) -> tuple[str, ...]:
        return self._summary._varied

    def _notes(self) -> Iterable[str]:
        return self._summary._notes()


class SparkEvaluation(SparkResults[EvaluationSummary]):
    """What `evaluate` returns: the values of a run in Spark."""

    def __init__(self, rows: DataFrame, evaluator: BatchEvaluator) -> None:
        super().__init__(evaluator._measures, rows, partial(evaluator.summary, warn=False))
        self._evaluator = evaluator

    def collect(self) -> Results:
        """Return the values of all queries and their means, as `untied.evaluate` returns them, in the driver's memory.

        Use it to group, test or export them: ``results.collect().grouped("queries.tsv", by="market")``. Each call
        evaluates everything again, unless you call `persist` first.

        Returns
        -------
        Results
            The name of the run is ``run``.

        Raises
        ------
        UntiedError
            As for `evaluate`.
        """
        self._summary.warn()
        return _in_one_task(self._rows, partial(self._evaluator.results, warn=False))

    def facts(self) -> Facts:
        """Counts that explain the values; `Results.facts` describes them."""
        return self._summary.facts()


class SparkComparison(SparkResults[ComparisonSummary]):
    """What `compare` returns: how much two runs in Spark differ."""

    @property
    def alone(self) -> tuple[int, int]:
        """The number of queries that only the first run has, and the number that only the second run has.

        Both kinds of queries are left out of the comparison.
        """
        return self._summary.alone

    @property
    def undefined(self) -> dict[str, int]:
        """For each measure, the number of queries for which it is undefined. Its mean leaves them out."""
        return self._summary.undefined


# described by untied.batches.evaluate.BatchEvaluator: measures, unjudged, unretrieved, score_dtype, queries
# described by untied.batches.evaluate.BatchEvaluator: qrels_format, on_undefined, variance, ties*, docs*
def evaluate(
    qrels: DataFrame,
    run: DataFrame,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    ties: Ties = "expected",
    unjudged: Unjudged = "nonrelevant",
    unretrieved: Unretrieved = "none",
    score_dtype: ScoreDtype = "float64",
    queries: Queries = "qrels",
    qrels_format: QrelsFormatOfRows = "auto",
    on_undefined: OnUndefined = "zero",
    docs: DocsLike | None = None,
    variance: bool = False,
    duplicates: str = "error",
    partitions: int | None = None,
) -> SparkEvaluation:
    """Evaluate a run against relevance judgments, both in Spark DataFrames.

    Use it if a run is too large for one machine. The call itself runs only a small job, which finds the distinct
    grades. Everything else is computed when you use the results.

    Parameters
    ----------
    qrels, run : DataFrame
        The judgments and the run. Their columns are recognised by their names, which `docs/inputs.md` lists. Ids are
        text or whole numbers.
    measures : measures or their names, optional
        The measures to compute, as objects or names, such as ``[nDCG @ 10, "AP(rel=2)"]``. Measures of ir_measures work
        too. The default is AP, nDCG@10, RR, P@10 and R@100.
    unjudged : str
        How to score retrieved documents without a judgment:

        * ``"nonrelevant"``: count them as not relevant
        * ``"remove"``: remove them from the ranking first (condensed lists)
        * ``"range"``: count them as not relevant, and also give the lowest and the highest value that is possible if
          each of them may have any grade of the qrels
        * ``"best"``, ``"worst"``: give only this highest or this lowest value

        The bounds of ``"range"`` are those of the mean over tie orders. Add ``ties="range"`` for bounds that hold for
        every order.
    unretrieved : str
        Whether documents that the run does not retrieve may turn out to be relevant. ``"none"``: they may not.
        ``"pooled"``: they may if they have a negative grade. This only matters if `unjudged` is ``"range"``, ``"best"``
        or ``"worst"``.
    score_dtype : str
        The precision at which scores are compared: ``"float64"``, ``"float32"``, ``"float16"``, ``"bfloat16"``, or
        ``"decimals=N"`` for N decimals. Scores that are equal after rounding are tied.
    queries : str
        Which queries to evaluate. ``"qrels"``: all judged queries; if the run lacks one, its ranking counts as empty.
        ``"common"``: only the judged queries that are also in the run.
    qrels_format : str
        What judgments hold. ``"auto"`` or ``"trec"``: they have only grades. ``"subtopics"``, ``"stratified"`` or
        ``"prels"``: rows have one more column, for the subtopic, the stratum or the probability.
    on_undefined : str
        How to count a query for which a measure has no value. Usually this is a query without relevant documents.
        ``"zero"``: count it as 0. ``"nan"``: leave it out of the mean. ``"raise"``: raise an `UndefinedError`.
    variance : bool
        Whether to also compute the variance over the orders of tied documents. It is in `Value.variance`.
    ties : str
        How to score documents with equal scores:

        * ``"expected"``: take the exact mean over all orders of tied documents (McSherry & Najork 2008)
        * ``"range"``: take this mean, and also give the lowest and the highest value over all orders
        * ``"best"``, ``"worst"``: take the value of the best or of the worst order
        * ``"docid"``: put tied documents in descending order of their ids, as trec_eval 10 does
        * ``"trec"``: like ``"docid"``, but round scores to 32 bits first, as trec_eval 9 and pytrec_eval do
        * ``"given"``: take tied documents in the order of the input

        Rows of a DataFrame have no order, so ``ties="given"`` uses a column ``rank``.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The length of each document, and optionally the seconds that it takes to read. Only the measures TBG and U need
        this.

        A path must be readable wherever the function runs.

        The lengths are sent to every task.
    duplicates : str
        What to do if a query retrieves a document several times, as for `untied.read_run`: ``"error"``, ``"first"``,
        ``"last"``, ``"best"`` or ``"repeat"``. ``"first"`` and ``"last"`` need ``ties="given"``, because only then rows
        have an order, by their ranks. A warning says how many rows were duplicates.
    partitions : int, optional
        The number of partitions in which Spark evaluates. By default, it is the setting
        ``spark.sql.shuffle.partitions``, and Spark may join some of them.

    Returns
    -------
    SparkEvaluation

    Raises
    ------
    MeasureError
        A measure is not understood.
    UntiedError
        An option, a column or a grade is invalid. Errors in rows are raised when they are computed; see
        `clear_errors`.
    """
    policies: dict[str, Any] = Policies(
        "runs", ties=ties, unjudged=unjudged, unretrieved=unretrieved, score_dtype=score_dtype, queries=queries,
        on_undefined=on_undefined,
    ).chosen()  # fmt: skip
    del policies["adjust"]
    given = ties == "given"
    _check_duplicates(duplicates, given)
    judgments, grades = _judgments(qrels, qrels_format)
    evaluator = BatchEvaluator(
        measures, grades=grades, **policies, variance=variance, duplicates=duplicates, qrels_format=qrels_format,
        docs=docs,
    )  # fmt: skip
    rows = _by_query([_scores(run, "run", "score", given), judgments], given, partitions)
    return SparkEvaluation(rows.mapInArrow(evaluator, _ddl(evaluator.schema)), evaluator)


# described by untied.comparison.runs.compare: measures, depth, names, score_dtype, variance, ties*
def compare(
    run_a: DataFrame,
    run_b: DataFrame,
    measures: ComparingMeasures = DEFAULT,
    *,
    qrels: DataFrame | None = None,
    probabilities: DataFrame | None = None,
    depth: int | None = None,
    names: tuple[str, str] = ("a", "b"),
    ties: TiesOfPairs = "expected",
    score_dtype: ScoreDtype = "float64",
    variance: bool = False,
    qrels_format: QrelsFormatOfRows = "auto",
    duplicates: str = "error",
    partitions: int | None = None,
) -> SparkComparison:
    """Compare two runs in Spark DataFrames, as `untied.compare` does in memory.

    Use it if the runs are too large for one machine. They are compared when you use the results.

    Parameters
    ----------
    run_a, run_b : DataFrame
        The two runs. Their columns are recognised by their names, which `docs/inputs.md` lists. Ids are text or whole
        numbers.
    measures : measures or their names
        How to compare the rankings, such as ``"RBO(p=0.9)"``, ``Overlap @ 10`` or ``MED(nDCG @ 20)``. The default is
        MED(nDCG@10), RBO and Overlap@10.
    depth : int, optional
        The last rank to compare; by default, the last of all. If tied documents are at this rank, all of them are kept.
    names : tuple of str, optional
        What to call the two runs in tables. By default, a run has the name of its file, or the name that you gave to a
        `Run`, or else ``a`` or ``b``.
    score_dtype : str
        The precision at which scores are compared, as for `evaluate`.
    variance : bool
        Whether to also compute the variance over the orders of tied documents.
    ties : str
        How to order documents with equal scores. ``"expected"``: take the mean over all orders in both runs.
        ``"docid"``, ``"trec"``, ``"given"``: use one order, as for `evaluate`.

        Rows of a DataFrame have no order, so ``ties="given"`` uses a column ``rank``.
    qrels : DataFrame, optional
        Judgments. Only ``MED`` and ``Delta`` use them.
    probabilities : DataFrame, optional
        How probable it is that documents are relevant, which only ``Delta`` uses. It has the columns of a run, with
        probabilities as scores.
    qrels_format : str
        What the qrels hold. ``"auto"`` or ``"trec"``: they have only grades. ``"subtopics"``: they also have a column
        for subtopics.
    duplicates : str
        What to do if a run retrieves a document several times for a query, as for `untied.read_run`: ``"error"``,
        ``"first"``, ``"last"``, ``"best"`` or ``"repeat"``. ``"first"`` and ``"last"`` need ``ties="given"``, because
        only then rows have an order, by their ranks. A warning says how many rows were duplicates.
    partitions : int, optional
        The number of partitions in which Spark compares. By default, it is the setting
        ``spark.sql.shuffle.partitions``, and Spark may join some of them.

    Returns
    -------
    SparkComparison

    Raises
    ------
    MeasureError
        A measure is not understood.
    UntiedError
        An option, a column or a grade is invalid. Errors in rows are raised when they are computed; see
        `clear_errors`.
    """
    policies: Any = Policies("pairs", ties=ties, score_dtype=score_dtype)
    names = check_two(names)
    given = ties == "given"
    _check_duplicates(duplicates, given)
    tables = [_scores(run_a, "run_a", "score_a", given), _scores(run_b, "run_b", "score_b", given)]
    grades = None
    if qrels is not None:
        judgments, grades = _judgments(qrels, qrels_format)
        tables.append(judgments)
    if probabilities is not None:
        tables.append(_scores(probabilities, "probabilities", "probability", False))
    comparer = BatchComparer(
        measures,
        grades=grades,
        probabilities=probabilities is not None,
        depth=depth,
        **policies.chosen(),
        variance=variance,
        qrels_format=qrels_format,
        duplicates=duplicates,
    )
    rows = _by_query(tables, given, partitions)

    def summarize(batches: Iterable[Any]) -> ComparisonSummary:
        return comparer.summary(batches, names, warn=False)

    return SparkComparison(comparer._measures, rows.mapInArrow(comparer, _ddl(comparer.schema)), summarize)


@contextmanager
def clear_errors() -> Iterator[None]:
    """Raise untied's own errors while you work with a DataFrame of values, instead of Spark's.

    An error in a worker reaches you wrapped in one of Spark's, which hides what went wrong. Means don't need this: they
    raise untied's errors anyway.

    Raises
    ------
    UntiedError
        The error of the worker. Its cause is Spark's exception.

    Examples
    --------
    ::

        with untied.spark.clear_errors():
            results.per_query.write.parquet("values")
    """
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        lacking = re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", str(error))
        if lacking is not None:
            raise UntiedError(
                f"the Python of Spark's workers has no module {lacking[1]!r}: before the session begins, set the "
                f"environment variable PYSPARK_PYTHON to a Python that has it, such as {sys.executable}"
            ) from error
        matches = re.findall(r"untied\.errors\.(\w+): (.*)", str(error))
        if not matches:
            raise
        name, message = matches[-1]
        message = re.sub(r"\s*SQLSTATE: \w+\s*$", "", message)
        kind: type[UntiedError] = UntiedError if name == "InputError" else getattr(errors, name)
        raise kind(message) from error


def _check_duplicates(duplicates: str, given: bool) -> None:
    """Refuse to keep the first or last row of a document if rows have no order."""
    if duplicates in ("first", "last") and not given:
        raise UntiedError(f"duplicates={duplicates!r} needs ties='given', as rows of a DataFrame have no order")


def _by_query(tables: list[DataFrame], given: bool, partitions: int | None) -> DataFrame:
    """All rows, those of a query in one partition and together."""
    rows, *others = tables
    for other in others:
        rows = rows.unionByName(other, allowMissingColumns=True)
    rows = rows.repartition("query") if partitions is None else rows.repartition(partitions, "query")
    return rows.sortWithinPartitions("query", "rank").drop("rank") if given else rows.sortWithinPartitions("query")


def _scores(run: DataFrame, source: str, name: str, given: bool) -> DataFrame:
    """The rows of a run: query, document, score, and rank if the order of rows is needed."""
    table = _Table(run, source)
    query, document, numbers, _ = _core.place_columns(run.columns, None, given, source)
    column, negated = numbers[0]
    score = table.number(column)
    columns = [*table.ids(query, document), (-score if negated else score).alias(name)]
    if given:
        if len(numbers) < 2 and not negated:
            raise UntiedError(f"{source}: ties='given' needs a column 'rank', as rows of a DataFrame have no order")
        columns.append(table.number(numbers[-1][0]).alias("rank"))
    return run.select(columns)


def _judgments(qrels: DataFrame, format: str) -> tuple[DataFrame, list[float]]:
    """The rows of qrels, and their distinct grades."""
    check_one_of("qrels format", format, DETAILS)
    table = _Table(qrels, "qrels")
    holds = "trec" if format == "auto" else format
    query, document, numbers, subtopic = _core.place_columns(qrels.columns, holds, False, "qrels")
    columns = [*table.ids(query, document), table.number(numbers[0][0]).alias("grade")]
    detail = DETAILS[format]
    if detail is not None:
        column = table.number(numbers[1][0]) if subtopic is None else table.text(subtopic)
        columns.append(column.alias(detail))
    rows = qrels.select(columns)
    with clear_errors():
        grades = [float(row[0]) for row in rows.select("grade").distinct().collect()]
    odd = [grade for grade in grades if not isfinite(grade)]
    if odd:
        raise UntiedError(f"qrels: expected finite numbers in column {qrels.columns[numbers[0][0]]!r}, found {odd[0]}")
    return rows, grades


class _Table:
    """Columns of a DataFrame, with checked types; nulls are checked when rows are computed."""

    def __init__(self, frame: DataFrame, source: str) -> None:
        self.frame = frame
        self.source = source

    def ids(self, query: int, document: int) -> list[Column]:
        return [self.text(query).alias("query"), self.text(document).alias("document")]

    def text(self, column: int) -> Column:
        from pyspark.sql import types

        kinds = (types.StringType, types.CharType, types.VarcharType, types.IntegralType)
        return self._checked(column, kinds, "text or whole numbers").cast("string")

    def number(self, column: int) -> Column:
        from pyspark.sql import types

        return self._checked(column, (types.NumericType, types.BooleanType), "numbers")

    def _checked(self, column: int, kinds: tuple[type, ...], expected: str) -> Column:
        from pyspark.sql import functions

        field = self.frame.schema.fields[column]
        if not isinstance(field.dataType, kinds):
            given = field.dataType.simpleString()
            raise UntiedError(f"{self.source}: expected {expected} in column {field.name!r}, found {given}")
        value = self.frame[f"`{field.name.replace('`', '``')}`"]
        message = f"untied.errors.UntiedError: {self.source}: column {field.name!r} has a null"
        null = functions.raise_error(functions.lit(message)).cast(field.dataType)
        return functions.when(value.isNull(), null).otherwise(value) if field.nullable else value


def _ddl(schema: Any) -> str:
    """An Arrow schema as Spark's DDL."""
    kinds = {"string": "string", "double": "double", "bool": "boolean", "int64": "bigint"}
    return ", ".join(f"{field.name} {kinds[str(field.type)]}" for field in schema)


def _in_one_task(rows: DataFrame, summarize: Callable[[Iterable[Any]], Made]) -> Made:
    """Return what a function makes of the values of all queries. One task calls it, in the order of queries."""
    import pickle

    def task(batches: Iterable[Any]) -> Iterator[Any]:
        yield pyarrow.RecordBatch.from_pydict({"made": [pickle.dumps(summarize(batches))]})

    with clear_errors():
        parts = rows.repartition(1).sortWithinPartitions("query").mapInArrow(task, "made binary").collect()
        made: Made = pickle.loads(parts[0][0]) if parts else summarize([])
    return made
