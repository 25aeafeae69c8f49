"""Evaluate runs, once or repeatedly with an `Evaluator`."""

from __future__ import annotations

import os

from untied import _core
from untied.errors import UntiedError, check_flag, check_one_of, either
from untied.inputs import mismatch
from untied.inputs.convert import as_lengths, as_qrels, as_run, named_sources
from untied.inputs.files import RUN_FORMATS, STREAMED, run_file
from untied.inputs.parquet import parquet_batches
from untied.measures import as_measures
from untied.progress import each
from untied.results.base import MeansByName
from untied.results.evaluation import Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from untied._literals import (
        Adjust,
        OnUndefined,
        QrelsFormat,
        Queries,
        RunFormat,
        ScoreDtype,
        Ties,
        Unjudged,
        Unretrieved,
    )
    from untied.inputs.convert import DocsLike, OneRun, QrelsLike, Runs
    from untied.measures import MeasureLike


class Evaluator:
    """Qrels and measures, prepared once for any number of runs.

    Use it to evaluate run after run with the same qrels, as in a training loop: they are read and indexed only once.
    For runs that you have at the same time, `evaluate` is simpler.

    Parameters
    ----------
    qrels : Qrels, path, frame, {query: {document: grade}}, or {query: {subtopic: {document: grade}}}
        Relevance judgments, which say how relevant each judged document is to each query. A grade above 0 means
        *relevant*, the grade 0 means *not relevant*, and a negative grade means *pooled but not judged*. You can also
        pass a partly ordered ground truth, ``{query: [[document, ...], ...]}``. It has groups of documents, best group
        first. The last group gets grade 1, and each group before it gets a grade that is higher by 1.
    measures : measures or their names, optional
        The measures to compute, such as ``[nDCG @ 10, "AP(rel=2)"]``. You can also pass measure objects of ir_measures.
        By default, these are AP, nDCG@10, RR, P@10 and R@100.
    ties : str
        How to score documents with equal scores:

        * ``"expected"``: take the exact mean over all orders of tied documents (McSherry & Najork 2008)
        * ``"range"``: take this mean, and also give the lowest and the highest value over all orders
        * ``"best"``, ``"worst"``: take the value of the best or of the worst order
        * ``"docid"``: put tied documents in descending order of their ids, as trec_eval 10 does
        * ``"trec"``: round scores to 32 bits first, and then do the same, as trec_eval 9 and pytrec_eval do
        * ``"given"``: take tied documents in the order of the input
    unjudged : str
        How to score retrieved documents without a judgment:

        * ``"nonrelevant"``: they count as not relevant
        * ``"remove"``: they are removed from the ranking first (condensed lists)
        * ``"range"``: they count as not relevant, and you also get the lowest and the highest value that is possible if
          each of them may have any grade of the qrels. These bounds hold for the mean over the orders of tied
          documents. With ``ties="range"``, they hold for each order.
        * ``"best"``, ``"worst"``: you get only the highest or the lowest possible value
    unretrieved : str
        Whether documents that a run does not retrieve may turn out to be relevant, if they were pooled but not judged
        (a negative grade). ``"none"``: they may not. ``"pooled"``: they may, like retrieved documents without a
        judgment. This only matters if `unjudged` is ``"range"``, ``"best"`` or ``"worst"``.
    score_dtype : str
        The precision at which scores are compared: ``"float64"``, ``"float32"``, ``"float16"`` or ``"bfloat16"``.
        ``"decimals=N"`` rounds scores to N decimals. Scores that are equal at this precision are tied.
    queries : str
        Which queries to evaluate. ``"qrels"``: all judged queries, with an empty ranking for each query that a run
        lacks. ``"common"``: only the judged queries that are also in the run.
    qrels_format : str
        What the qrels hold; `read_qrels` describes more formats of files:

        * ``"auto"``: grades, in the format that the suffix of the file names
        * ``"subtopics"``: grades for each subtopic, for measures of diversity
        * ``"stratified"``: grades in a sample by strata, for xinfAP and infNDCG; as a dict, ``{query: {document:
          (stratum, grade)}}``
        * ``"prels"``: grades in a sample with probabilities, for statAP; as a dict, ``{query: {document: (grade,
          probability)}}``
        * ``"groups"``, ``"mirex"``: files with a partly ordered truth
    on_undefined : str
        How to count a query for which a measure is undefined. Most measures are undefined if no document is relevant.
        ``"zero"``: the query counts as 0. ``"nan"``: the query is left out of the mean. ``"raise"``: an
        `UndefinedError` is raised.
    adjust : str
        ``"none"``: leave values as they are. ``"chance"``: adjust each query's value for chance, so that 0 is what the
        retrieved documents would score in random order, and 1 what they would in their best order. A negative value is
        then worse than random.

        The formula is (value - expected) / (best - expected), where *expected* is the mean over all orders of these
        documents (Hubert & Arabie 1985; Berrendorf et al. 2020). It is undefined if all orders have the same value.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The length of each document, and optionally the time to read it in seconds. Only the measures TBG and U need
        them.
    variance : bool
        Whether to also compute the exact variance over the orders of tied documents. You find it in `Value.variance`.
    strict : bool
        Whether to raise an error instead of a warning if values would be meaningless. This is so if a run and the qrels
        have no document in common, if they look swapped, or if no document is relevant.
    threads : int, optional
        How many threads to use. By default, there is one for each processor. The number of threads never changes a
        value.

    Raises
    ------
    MeasureError
        A measure is not understood.
    UntiedError
        An option or a grade is refused.
    """

    #: Whether queries without judged documents are left out if queries without a value are.
    _leaves_out_unanswered = True

    def __init__(
        self,
        qrels: QrelsLike,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
        *,
        ties: Ties = "expected",
        unjudged: Unjudged = "nonrelevant",
        unretrieved: Unretrieved = "none",
        score_dtype: ScoreDtype = "float64",
        queries: Queries = "qrels",
        qrels_format: QrelsFormat = "auto",
        on_undefined: OnUndefined = "zero",
        adjust: Adjust = "none",
        docs: DocsLike | None = None,
        variance: bool = False,
        strict: bool = False,
        threads: int | None = None,
    ) -> None:
        self._policies = _core.Policies(
            "runs", ties=ties, unjudged=unjudged, unretrieved=unretrieved, score_dtype=score_dtype, queries=queries,
            on_undefined=on_undefined, adjust=adjust,
        )  # fmt: skip
        self._measures = as_measures(measures)
        self._threads = threads
        self._least = max((measure.least_grade or 0.0 for measure in self._measures), default=0.0)
        self._strict = check_flag("strict", strict)
        self._given = qrels if isinstance(qrels, (str, os.PathLike)) else None
        self._qrels = as_qrels(qrels, threads, qrels_format)
        self._unanswered: str | None = None
        if self._leaves_out_unanswered and on_undefined == "nan" and unjudged in ("nonrelevant", "remove"):
            self._qrels, self._unanswered = mismatch.without_unanswered(self._qrels, threads)
        self._options: dict[str, Any] = {
            "variance": check_flag("variance", variance), "threads": threads, "docs": as_lengths(docs, threads),
        }  # fmt: skip
        self._native = _core.Evaluator(self._qrels, self._measures, self._policies, **self._options)
        self._scale = mismatch.of_scale(self._measures, self._qrels.grades())

    def __reduce__(self) -> tuple[Any, ...]:
        from functools import partial

        options = self._policies.chosen() | self._options
        return partial(Evaluator, strict=self._strict, **options), (self._qrels, self._measures)

    def __repr__(self) -> str:
        return f"<untied.Evaluator: {', '.join(map(str, self._measures))}; {len(self._qrels)} queries>"

    def evaluate(self, runs: Runs, *, run_format: RunFormat = "auto", stream: bool = False) -> Results:
        """Evaluate one or several runs.

        This is the same as `untied.evaluate` with the qrels, measures and options of this evaluator.

        Parameters
        ----------
        runs : run, list of runs, {name: run}, folder, or pattern
            One run or several. A run is a path, a `Run`, a frame of pandas, polars, pyarrow or DuckDB (`docs/inputs.md`
            lists the names of columns), or a dict: ``{query: {document: score}}``, a ranked list ``{query: [document,
            ...]}``, or a list of tie groups ``{query: [[document, ...], ...]}``. A folder stands for all files in it,
            except hidden files and the qrels. A pattern such as ``"runs/*.run"`` stands for all matching files.
        run_format : str
            The format of the files of the runs. ``"auto"``: the suffix of the file tells the format, and a file with
            another suffix is in TREC's format. ``"trec-ranks"``: the file is in TREC's format, but documents are sorted
            by the rank column, lowest first, instead of the score. Documents with equal ranks are then tied. `read_run`
            describes the other formats.
        stream : bool
            Whether to evaluate pipes and standard input while they arrive, instead of reading them into memory first.
            The lines of each query must then be adjacent. Files don't need this, because all formats but JSON are
            streamed anyway. If the lines of a query turn out to be scattered, the file is read again. Streaming has a
            price with ``unjudged="range"``: the differences of runs get no bounds, because these need two runs in
            memory at once.

        Returns
        -------
        Results

        Raises
        ------
        InputError
            A file does not match its format.
        UntiedError
            A score is not a finite number or does not fit `score_dtype`, a query has a duplicate document, or a run and
            the qrels have no query in common.
        OSError
            A file cannot be read.

        Warns
        -----
        UntiedWarning
            A run and the qrels have no document in common, they look swapped, or nothing is relevant. With
            ``strict=True``, an `UntiedError` is raised instead.
        """
        check_one_of("run_format", run_format, RUN_FORMATS)
        return self._evaluate_all(runs, run_format, check_flag("stream", stream), None, keep=True)

    def _evaluate_all(
        self, runs: Runs, run_format: RunFormat, stream: bool, refused: list[Exception] | None, *, keep: bool
    ) -> Results:
        evaluations = {}
        sources = named_sources(runs, self._given)
        # Bounds of a difference need both runs at once.
        is_open = self._policies["unjudged"] == "range" and len(sources) > 1
        kept: dict[str, _core.Run] = {}
        for name, run in each(sources, "run"):
            try:
                if is_open and keep and not stream:
                    kept[name] = as_run(run, self._threads, run_format)
                    evaluations[name] = self._native.evaluate(kept[name])
                else:
                    evaluations[name] = self._evaluate(run, run_format, stream)
            except (UntiedError, OSError) as error:
                if refused is None:
                    raise
                refused.append(error)
        self._warn(evaluations)
        if not is_open:
            return Results(self._measures, evaluations, self._policies)
        from untied.results.difference_bounds import DifferenceBounds

        bounds = DifferenceBounds(self._qrels, kept, self._policies, self._threads)
        return Results(self._measures, evaluations, self._policies, bounds)

    def _warn(self, evaluations: Mapping[str, _core.Evaluation]) -> None:
        mismatch.warn_or_raise(self._unanswered)
        mismatch.warn_or_raise(self._scale)
        if all(evaluation.is_plain(self._least) for evaluation in evaluations.values()):
            return  # as nearly always
        facts = {name: evaluation.facts() for name, evaluation in evaluations.items()}
        reasons = {name: mismatch.of_facts(of_run) for name, of_run in facts.items()}
        mismatch.warn(reasons, strict=self._strict)
        if not any(reasons.values()):
            highest = next(iter(facts.values()))["highest"]  # of the qrels, so the same for all runs
            mismatch.warn_or_raise(mismatch.of_levels(self._measures, highest), strict=self._strict)

    def _evaluate(self, run: OneRun, run_format: RunFormat, stream: bool) -> _core.Evaluation:
        if isinstance(run, (str, os.PathLike)):
            run = run_file(run, run_format)
            if not run.is_whole and not stream:
                return self._native.evaluate(as_run(run, self._threads))
            if run.format == "parquet" and run.is_whole:
                batches = parquet_batches(run.path, "run", run.columns)
                evaluation = self._native.evaluate_arrow(batches, run.columns, run.path, stream)
                if evaluation is None:
                    return self._native.evaluate(as_run(run, self._threads), ungrouped=True)
                return evaluation
            if run.format in STREAMED and run.is_whole:
                return self._native.evaluate_file(run, run.format, run.columns, stream)
            if stream:
                formats = either(STREAMED)
                if not run.is_whole:
                    raise UntiedError(f"{run.path}: runs whose documents are merged cannot be streamed")
                raise UntiedError(f"{run.path}: only runs of format {formats} can be streamed, not {run.format}")
            return self._native.evaluate(as_run(run, self._threads))
        return self._native.evaluate(as_run(run, self._threads, run_format))

    def means(self, run: OneRun) -> dict[str, float]:
        """Evaluate one run, and return only its means.

        Use it if a number is all you need, as when a training loop keeps its best checkpoint.

        Parameters
        ----------
        run : run
            The run to evaluate, as for `evaluate`.

        Returns
        -------
        dict
            The mean of each measure over queries, or the sum if the measure counts. The keys are the canonical names of
            the measures, but you can look up a measure in any spelling.
        """
        runs = named_sources(run, self._given)
        if len(runs) != 1:
            raise TypeError(f"means takes one run, not {len(runs)}; use evaluate for several")
        [(name, source)] = runs
        evaluation = self._evaluate(source, "auto", stream=False)
        self._warn({name: evaluation})
        return MeansByName(self._measures, (total[0] for total in evaluation.totals()))


def evaluate_readable(evaluator: Evaluator, runs: Runs, stream: bool, refused: list[Exception]) -> Results:
    """Evaluate all runs that can be read, and append the errors of the others to `refused`.

    Runs are not kept, so the results have no bounds of differences over the grades of unjudged documents.
    """
    return evaluator._evaluate_all(runs, "auto", stream, refused, keep=False)


# described by untied.evaluation.runs.Evaluator: qrels, measures, ties, unjudged, unretrieved, score_dtype, queries
# described by untied.evaluation.runs.Evaluator: qrels_format, on_undefined, adjust, docs, variance, strict, threads
# described by untied.evaluation.runs.Evaluator.evaluate: runs, run_format, stream
def evaluate(
    qrels: QrelsLike,
    runs: Runs,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    ties: Ties = "expected",
    unjudged: Unjudged = "nonrelevant",
    unretrieved: Unretrieved = "none",
    score_dtype: ScoreDtype = "float64",
    queries: Queries = "qrels",
    qrels_format: QrelsFormat = "auto",
    on_undefined: OnUndefined = "zero",
    adjust: Adjust = "none",
    docs: DocsLike | None = None,
    run_format: RunFormat = "auto",
    variance: bool = False,
    stream: bool = False,
    strict: bool = False,
    threads: int | None = None,
) -> Results:
    """Evaluate one or several runs against relevance judgments.

    This is the function to begin with. Where documents are tied, you get the mean over all their orders, not the value
    of an order that happened to be in the file. To evaluate run after run with the same qrels, as in a training loop,
    make an `Evaluator` once.

    Parameters
    ----------
    qrels : Qrels, path, frame, {query: {document: grade}}, or {query: {subtopic: {document: grade}}}
        Relevance judgments, which say how relevant each judged document is to each query. A grade above 0 means
        *relevant*, the grade 0 means *not relevant*, and a negative grade means *pooled but not judged*. You can also
        pass a partly ordered ground truth, ``{query: [[document, ...], ...]}``. It has groups of documents, best group
        first. The last group gets grade 1, and each group before it gets a grade that is higher by 1.
    runs : run, list of runs, {name: run}, folder, or pattern
        One run or several. A run is a path, a `Run`, a frame of pandas, polars, pyarrow or DuckDB (`docs/inputs.md`
        lists the names of columns), or a dict: ``{query: {document: score}}``, a ranked list ``{query: [document,
        ...]}``, or a list of tie groups ``{query: [[document, ...], ...]}``. A folder stands for all files in it,
        except hidden files and the qrels. A pattern such as ``"runs/*.run"`` stands for all matching files.
    measures : measures or their names, optional
        The measures to compute, such as ``[nDCG @ 10, "AP(rel=2)"]``. You can also pass measure objects of ir_measures.
        By default, these are AP, nDCG@10, RR, P@10 and R@100.
    ties : str
        How to score documents with equal scores:

        * ``"expected"``: take the exact mean over all orders of tied documents (McSherry & Najork 2008)
        * ``"range"``: take this mean, and also give the lowest and the highest value over all orders
        * ``"best"``, ``"worst"``: take the value of the best or of the worst order
        * ``"docid"``: put tied documents in descending order of their ids, as trec_eval 10 does
        * ``"trec"``: round scores to 32 bits first, and then do the same, as trec_eval 9 and pytrec_eval do
        * ``"given"``: take tied documents in the order of the input
    unjudged : str
        How to score retrieved documents without a judgment:

        * ``"nonrelevant"``: they count as not relevant
        * ``"remove"``: they are removed from the ranking first (condensed lists)
        * ``"range"``: they count as not relevant, and you also get the lowest and the highest value that is possible if
          each of them may have any grade of the qrels. These bounds hold for the mean over the orders of tied
          documents. With ``ties="range"``, they hold for each order.
        * ``"best"``, ``"worst"``: you get only the highest or the lowest possible value
    unretrieved : str
        Whether documents that a run does not retrieve may turn out to be relevant, if they were pooled but not judged
        (a negative grade). ``"none"``: they may not. ``"pooled"``: they may, like retrieved documents without a
        judgment. This only matters if `unjudged` is ``"range"``, ``"best"`` or ``"worst"``.
    score_dtype : str
        The precision at which scores are compared: ``"float64"``, ``"float32"``, ``"float16"`` or ``"bfloat16"``.
        ``"decimals=N"`` rounds scores to N decimals. Scores that are equal at this precision are tied.
    queries : str
        Which queries to evaluate. ``"qrels"``: all judged queries, with an empty ranking for each query that a run
        lacks. ``"common"``: only the judged queries that are also in the run.
    qrels_format : str
        What the qrels hold; `read_qrels` describes more formats of files:

        * ``"auto"``: grades, in the format that the suffix of the file names
        * ``"subtopics"``: grades for each subtopic, for measures of diversity
        * ``"stratified"``: grades in a sample by strata, for xinfAP and infNDCG; as a dict, ``{query: {document:
          (stratum, grade)}}``
        * ``"prels"``: grades in a sample with probabilities, for statAP; as a dict, ``{query: {document: (grade,
          probability)}}``
        * ``"groups"``, ``"mirex"``: files with a partly ordered truth
    on_undefined : str
        How to count a query for which a measure is undefined. Most measures are undefined if no document is relevant.
        ``"zero"``: the query counts as 0. ``"nan"``: the query is left out of the mean. ``"raise"``: an
        `UndefinedError` is raised.
    adjust : str
        ``"none"``: leave values as they are. ``"chance"``: adjust each query's value for chance, so that 0 is what the
        retrieved documents would score in random order, and 1 what they would in their best order. A negative value is
        then worse than random.

        The formula is (value - expected) / (best - expected), where *expected* is the mean over all orders of these
        documents (Hubert & Arabie 1985; Berrendorf et al. 2020). It is undefined if all orders have the same value.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The length of each document, and optionally the time to read it in seconds. Only the measures TBG and U need
        them.
    run_format : str
        The format of the files of the runs. ``"auto"``: the suffix of the file tells the format, and a file with
        another suffix is in TREC's format. ``"trec-ranks"``: the file is in TREC's format, but documents are sorted
        by the rank column, lowest first, instead of the score. Documents with equal ranks are then tied. `read_run`
        describes the other formats.
    variance : bool
        Whether to also compute the exact variance over the orders of tied documents. You find it in `Value.variance`.
    stream : bool
        Whether to evaluate pipes and standard input while they arrive, instead of reading them into memory first.
        The lines of each query must then be adjacent. Files don't need this, because all formats but JSON are
        streamed anyway. If the lines of a query turn out to be scattered, the file is read again. Streaming has a
        price with ``unjudged="range"``: the differences of runs get no bounds, because these need two runs in
        memory at once.
    strict : bool
        Whether to raise an error instead of a warning if values would be meaningless. This is so if a run and the qrels
        have no document in common, if they look swapped, or if no document is relevant.
    threads : int, optional
        How many threads to use. By default, there is one for each processor. The number of threads never changes a
        value.

    Returns
    -------
    Results

    Raises
    ------
    MeasureError
        A measure is not understood.
    InputError
        A file does not match its format.
    UntiedError
        An option, a score or a grade is invalid, or a run and the qrels have no query in common; with ``strict=True``
        also instead of a warning.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        A run and the qrels have no document in common, they look swapped, or nothing is relevant.

    Examples
    --------
    Two documents share the highest score. One of them is relevant, and first in one of two orders:

    >>> import untied
    >>> qrels = {"q1": {"d1": 1, "d2": 0}}
    >>> run = {"q1": {"d1": 7.5, "d2": 7.5, "d3": 2.0}}
    >>> untied.evaluate(qrels, run, ["RR"], ties="range")["RR"]
    0.7500 [0.5000, 1.0000]
    """
    evaluator = Evaluator(
        qrels,
        measures,
        ties=ties,
        unjudged=unjudged,
        unretrieved=unretrieved,
        score_dtype=score_dtype,
        queries=queries,
        qrels_format=qrels_format,
        on_undefined=on_undefined,
        adjust=adjust,
        docs=docs,
        variance=variance,
        strict=strict,
        threads=threads,
    )
    return evaluator.evaluate(runs, run_format=run_format, stream=stream)
