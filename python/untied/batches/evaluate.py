"""Evaluating runs whose rows come in Arrow batches."""

from __future__ import annotations

import pyarrow.compute as pc

from untied import _core
from untied._core import Qrels, Run, no_facts
from untied.batches.pieces import (
    Judgments,
    check_rows,
    count_true,
    equals,
    equals_or_null,
    reader_of,
    repeats_of,
    run_of,
    whole_queries,
    with_counts,
)
from untied.batches.summary import EvaluationSummary, Sums
from untied.errors import UntiedError, check_flag, check_one_of
from untied.inputs.convert import as_lengths
from untied.inputs.tolerance import DUPLICATES, Tolerance, of_repeats
from untied.measures import as_measures
from untied.results.table import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from untied._core import Lengths
    from untied._literals import (
        OnUndefined,
        QrelsFormatOfRows,
        Queries,
        ScoreDtype,
        Ties,
        Unjudged,
        Unretrieved,
    )
    from untied._types import Parts
    from untied.inputs.convert import DocsLike
    from untied.measures import MeasureLike
    from untied.results.evaluation import Results


# described by untied.evaluation.runs.Evaluator: measures, ties, unjudged, unretrieved, score_dtype, queries
# described by untied.evaluation.runs.Evaluator: on_undefined, variance, docs*
class BatchEvaluator:
    """Evaluate a run that comes in Arrow batches, whose rows also hold the judgments.

    Use it if a run is too large for one machine. You need an engine, such as Spark, that can call a function on batches
    of rows: pass the evaluator as this function. It takes an iterable of `pyarrow.RecordBatch`, and yields batches
    with the results. A row of the input holds a retrieved document, a judgment, or both. The columns of the input
    are:

    * ``query`` and ``document``: text or whole numbers
    * ``score``: null if the row is only a judgment
    * ``grade``: null if the row is only a retrieved document
    * ``subtopic``, ``stratum`` or ``probability``, if `qrels_format` needs one of them

    To make such rows, concatenate the two tables (``pyarrow.concat_tables(..., promote_options="default")``,
    ``polars.concat(..., how="diagonal")``, ``UNION ALL BY NAME``) or join them (``FULL JOIN``). Then sort them by
    query, or at least group them. All rows of a query must go to the same call.

    The results have a row for each query and measure. A query that is not evaluated gets a single row, in which
    ``measure`` is null, so that such queries can be counted. The columns of the results are:

    * ``query``, ``measure``, ``value``
    * ``low``, ``high`` and ``variance``, if they were computed
    * ``certainty``: how exact the value is, as `Value.certainty` explains
    * ``judged``: true if the query has judgments
    * ``retrieved``: true if the run has the query
    * ``matched``: true if a retrieved document is judged
    * ``relevant``: true if a document of the query is relevant
    * ``mixed``: true if tied documents have different grades
    * ``undefined``, ``overstated``, ``unsettled``: facts about the value, which `Results.facts` explains
    * ``repeated``: how many rows of the query repeat a document, unless duplicates are refused

    Parameters
    ----------
    measures : measures or their names, optional
        The measures to compute, as objects or names, such as ``[nDCG @ 10, "AP(rel=2)"]``. Measures of ir_measures work
        too. The default is AP, nDCG@10, RR, P@10 and R@100.
    grades : iterable of float
        All grades of the whole qrels, such as ``[0, 1, 2]``. A single batch may lack some. They say what the highest
        gain is, and which grades unjudged documents may have.
    ties : str
        How to score documents with equal scores:

        * ``"expected"``: take the exact mean over all orders of tied documents (McSherry & Najork 2008)
        * ``"range"``: take this mean, and also give the lowest and the highest value over all orders
        * ``"best"``, ``"worst"``: take the value of the best or of the worst order
        * ``"docid"``: put tied documents in descending order of their ids, as trec_eval 10 does
        * ``"trec"``: like ``"docid"``, but round scores to 32 bits first, as trec_eval 9 and pytrec_eval do
        * ``"given"``: take tied documents in the order of the input
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
    on_undefined : str
        How to count a query for which a measure has no value. Usually this is a query without relevant documents.
        ``"zero"``: count it as 0. ``"nan"``: leave it out of the mean. ``"raise"``: raise an `UndefinedError`.
    variance : bool
        Whether to also compute the variance over the orders of tied documents. It is in `Value.variance`.
    qrels_format : str
        What judgments hold. ``"auto"`` or ``"trec"``: they have only grades. ``"subtopics"``, ``"stratified"`` or
        ``"prels"``: rows have one more column, for the subtopic, the stratum or the probability.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The length of each document, and optionally the seconds that it takes to read. Only the measures TBG and U need
        this.

        A path must be readable wherever the function runs.
    duplicates : str
        What to do if a query retrieves a document several times, as for `untied.read_run`: ``"error"``, ``"first"``,
        ``"last"``, ``"best"`` or ``"repeat"``. The summary says how many rows were duplicates.
    threads : int
        How many threads each call may use; engines make several calls at once.

    Raises
    ------
    MeasureError
        A measure is not understood.
    UntiedError
        An option or a grade is refused.

    Examples
    --------
    >>> import pyarrow
    >>> run = pyarrow.table({"query": ["q1", "q1"], "document": ["d1", "d2"], "score": [7.5, 7.5]})
    >>> qrels = pyarrow.table({"query": ["q1"], "document": ["d2"], "grade": [1]})
    >>> rows = pyarrow.concat_tables([run, qrels], promote_options="default").sort_by("query")
    >>> evaluator = BatchEvaluator(["RR"], grades=[0, 1], ties="range")
    >>> evaluator.summary(evaluator(rows.to_batches()))["RR"]
    0.7500 [0.5000, 1.0000]
    """

    def __init__(
        self,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
        *,
        grades: Iterable[float],
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
        threads: int = 1,
    ) -> None:
        self._policies = _core.Policies(
            "runs", ties=ties, unjudged=unjudged, unretrieved=unretrieved, score_dtype=score_dtype, queries=queries,
            on_undefined=on_undefined,
        )  # fmt: skip
        self._measures = as_measures(measures)
        self._judgments = Judgments(qrels_format, grades)
        self._docs, self._duplicates = docs, check_one_of("duplicates", duplicates, DUPLICATES)
        self._variance, self._threads = check_flag("variance", variance), threads
        # What is wrong is refused here, not far away.
        self._evaluator(self._judgments.sample(), as_lengths(docs, threads))

    def _evaluator(self, qrels: Qrels, docs: Lengths | None, policies: _core.Policies | None = None) -> _core.Evaluator:
        chosen = self._policies if policies is None else policies
        return _core.Evaluator(
            qrels, self._measures, chosen, variance=self._variance, threads=self._threads, docs=docs
        )  # fmt: skip

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Evaluate all queries.

        Parameters
        ----------
        batches : iterable of pyarrow.RecordBatch

        Yields
        ------
        pyarrow.RecordBatch

        Raises
        ------
        UntiedError
            A column is missing, holds a null or something that is not a finite number; a document appears twice in a
            query; or the rows of a query are not next to each other.
        """
        docs = as_lengths(self._docs, self._threads)
        for piece in whole_queries(batches, ["document", "score", *self._judgments.columns]):
            check_rows(piece, ["score", "grade"])
            evaluator = self._evaluator(self._judgments.read(piece), docs)
            tolerance = Tolerance(self._duplicates)
            run = run_of(piece, "score", tolerance)
            repeats = repeats_of(piece, "score") if tolerance.repeats else {}
            for rows in reader_of(evaluator.rows(run)):
                yield self._with_repeats(rows, repeats)

    def _with_repeats(self, rows: Any, repeats: Mapping[str, int]) -> Any:
        """Return the rows with a column for the number of repeated documents, unless these are refused."""
        if self._duplicates == "error":
            return rows
        return with_counts(rows, "repeated", repeats)

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of the batches that it yields."""
        nothing = Run.from_mapping({})
        docs = as_lengths(self._docs, self._threads)
        common = _core.Policies("runs", **(self._policies.chosen() | {"queries": "common"}))
        rows = reader_of(self._evaluator(self._judgments.sample(), docs, common).rows(nothing))
        return self._with_repeats(rows.read_all(), {}).schema

    def summary(self, batches: Iterable[Any], *, warn: bool = True) -> EvaluationSummary:
        """Return the means over all queries. Pass the rows that all calls together have yielded.

        Parameters
        ----------
        batches : iterable of pyarrow.RecordBatch
            These rows, sorted by query (by the bytes of its text), so that sums have a fixed order.
        warn : bool
            Whether to warn. Pass False in a process whose warnings nobody sees.

        Returns
        -------
        EvaluationSummary

        Raises
        ------
        UntiedError
            No query was evaluated, the run and the qrels have no query in common, rows are not sorted by query, or a
            query appears again later.

        Warns
        -----
        UntiedWarning
            The run and the qrels have no document in common, or nothing is relevant.
        """
        return self._summary(batches, lambda rows: None, warn)

    def results(self, batches: Iterable[Any], *, warn: bool = True) -> Results:
        """Return the values of all queries, with their means, as `untied.evaluate` returns them.

        Use it to group, test or export them. The values of queries have to fit into memory, unlike the run.

        Parameters
        ----------
        batches : iterable of pyarrow.RecordBatch
            The rows that all calls together have yielded, sorted by query, as `summary` takes them.
        warn : bool
            Whether to warn, as `summary` does. Pass False in a process whose warnings nobody sees.

        Returns
        -------
        Results
            The name of the run is ``run``.

        Raises
        ------
        UntiedError
            As for `summary`.

        Warns
        -----
        UntiedWarning
            As for `summary`.
        """
        values: dict[str, dict[str, Parts]] = {}

        def keep(rows: Any) -> None:
            columns = [
                rows[name].to_pylist() if name in rows.column_names else [None] * len(rows)
                for name in ("query", "measure", *FIELDS, "certainty")
            ]
            for query, measure, *parts in zip(*columns, strict=True):
                if measure is not None:
                    values.setdefault(query, {})[measure] = (*parts, None)

        return self._summary(batches, keep, warn).results(values)

    def _summary(self, batches: Iterable[Any], look: Callable[[Any], None], warn: bool) -> EvaluationSummary:
        """Return the means over all queries. A function looks at the rows on the way."""
        sums = Sums(self._measures, self.schema.names, _core.Totals(self._measures, self._policies, self._variance))
        # The standard error of an estimate is not known here: rows of batches do not hold it.
        facts = no_facts()
        facts["highest"] = max([0.0, *self._judgments.grades])
        judged = repeats = affected = retrieved = 0
        for rows in sums.add(batches):
            look(rows)
            once = rows.filter(equals_or_null(rows["measure"], str(self._measures[0])))
            evaluated = once.filter(once["measure"].is_valid())
            facts["evaluated"] += len(evaluated)
            facts["mixed"] += count_true(evaluated["mixed"])
            facts["unknown"] += len(once) - count_true(once["judged"])
            facts["absent"] += len(once) - count_true(once["retrieved"])
            facts["common"] += count_true(pc.and_(once["judged"], once["retrieved"]))
            facts["matched"] += count_true(once["matched"])
            facts["relevant"] += count_true(once["relevant"])
            judged += count_true(once["judged"])
            if self._duplicates != "error":
                repeats += pc.sum(once["repeated"]).as_py() or 0
                affected += count_true(pc.greater(once["repeated"], 0))
                retrieved += count_true(once["retrieved"])
            facts["undefined"] += count_true(rows["undefined"])
            facts["undefined_queries"] += len(pc.unique(rows.filter(rows["undefined"])["query"]))
            facts["left_out"] += count_true(pc.is_nan(rows["value"]))
            facts["overstated"] += count_true(rows["overstated"])
            facts["unsettled"] += count_true(rows["unsettled"])
            facts["estimated"] += count_true(equals(rows["certainty"], "estimate"))
            facts["enclosed"] += count_true(equals(rows["certainty"], "interval"))
        if not facts["evaluated"]:
            why = "the run and the qrels have no query in common" if judged else "the qrels are empty"
            raise UntiedError(f"no query to evaluate: {why}")
        facts["duplicates"] = repeats
        duplicates = of_repeats(self._duplicates, repeats, affected, retrieved, "the run")
        summary = EvaluationSummary(
            self._measures, sums.totals.finish(), facts, sums.columns, self._policies, duplicates
        )
        if warn:
            summary.warn()
        return summary
