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
        Relevance judgments: how relevant each judged document is to each query. A grade above 0 means *relevant*, 0
        *not relevant*, and a negative one *pooled but not judged*. ``{query: [[document, ...], ...]}`` is a partly
        ordered ground truth: groups of documents, best first; the last group gets grade 1, and each group before it one
        more.
    measures : measures or their names, optional
        For instance ``[nDCG @ 10, "AP(rel=2)"]``; measures of ir_measures too. By default AP, nDCG@10, RR, P@10 and
        R@100.
    ties : str
        How to score documents with equal scores:

        * ``"expected"``: by the exact mean over all their orders (McSherry & Najork 2008)
        * ``"range"``: by this mean, together with the lowest and the highest value over these orders
        * ``"best"``, ``"worst"``: only by the best or the worst of these values
        * ``"docid"``: in one order, by document id, descending, as in trec_eval 10
        * ``"trec"``: the same after rounding scores to 32 bits, as in trec_eval 9 and pytrec_eval
        * ``"given"``: in the order of the input
    unjudged : str
        How to score retrieved documents without a judgment:

        * ``"nonrelevant"``: as not relevant
        * ``"remove"``: not at all; they are removed from the ranking first (condensed lists)
        * ``"range"``: as not relevant, together with the lowest and the highest value that they could lead to, if each
          may have any grade of the qrels. These bounds hold for the mean over the orders of tied documents; with
          ``ties="range"``, they hold for each order.
        * ``"best"``, ``"worst"``: only by the highest or the lowest of these values
    unretrieved : str
        Whether documents that were pooled but not judged (a negative grade) could be relevant even if a run does not
        retrieve them. ``"none"``: no. ``"pooled"``: yes, like retrieved documents without a judgment; this matters if
        `unjudged` is ``"range"``, ``"best"`` or ``"worst"``.
    score_dtype : str
        Precision at which scores are compared: ``"float64"``, ``"float32"``, ``"float16"``, ``"bfloat16"``, or
        ``"decimals=N"`` to round them. Scores that are equal at this precision are tied.
    queries : str
        ``"qrels"``: evaluate all judged queries; one that is missing from a run counts as an empty ranking.
        ``"common"``: evaluate only those that are also in the run.
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
        How to count a query for which a measure is undefined, which most measures are if no document is relevant.
        ``"zero"``: it counts as 0. ``"nan"``: it is left out of the mean. ``"raise"``: it is an error.
    adjust : str
        ``"none"``: leave values as they are. ``"chance"``: adjust each query's value for chance, so that 0 is what the
        retrieved documents would score in random order, and 1 what they would in their best order. A negative value is
        then worse than random.

        The formula is (value - expected) / (best - expected), where *expected* is the mean over all orders of these
        documents (Hubert & Arabie 1985; Berrendorf et al. 2020). It is undefined if all orders have the same value.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        Lengths of documents, and optionally their reading times in seconds. Only TBG and U need them.
    variance : bool
        Whether to also compute the exact variance over the orders of tied documents, as `Value.variance`.
    strict : bool
        Whether to raise an error instead of a warning if values would be meaningless: a run and the qrels have no
        document in common, look swapped, or nothing is relevant.
    threads : int, optional
        Number of threads; as many as there are processors by default. The number of threads never changes a value.

    Raises
    ------
    MeasureError
        A measure is not understood.
    UntiedError
        An option or a grade is refused.
    """

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
        if on_undefined == "nan" and unjudged in ("nonrelevant", "remove"):
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
            A run is a `Run`, a path, a frame of pandas, polars, pyarrow or DuckDB (`docs/inputs.md` lists the names of
            columns), ``{query: {document: score}}``, a ranked list ``{query: [document, ...]}``, or a list of tie
            groups ``{query: [[document, ...], ...]}``. You can pass one, several, a folder, which stands for all files
            in it except hidden ones and the qrels, or a pattern such as ``"runs/*.run"`` for all matching files.
        run_format : str
            Format of the runs' files. ``"auto"``: the one that the suffix of the file names, else TREC's.
            ``"trec-ranks"``: TREC's, but documents are sorted by the rank column, lowest first, instead of the score;
            documents with equal ranks are tied. `read_run` describes the other formats.
        stream : bool
            Evaluate pipes and standard input while they arrive, instead of reading them into memory first. The lines of
            each query must then be adjacent. Files don't need this: all but JSON are streamed anyway, and read again if
            their queries turn out to be scattered. The price is that with ``unjudged="range"`` the differences of runs
            get no bounds, because these need two runs in memory at once.

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
            Canonical names of measures and their means over queries (sums, for counts). You can look up a measure in
            any spelling.
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
        Relevance judgments: how relevant each judged document is to each query. A grade above 0 means *relevant*, 0
        *not relevant*, and a negative one *pooled but not judged*. ``{query: [[document, ...], ...]}`` is a partly
        ordered ground truth: groups of documents, best first; the last group gets grade 1, and each group before it one
        more.
    runs : run, list of runs, {name: run}, folder, or pattern
        A run is a `Run`, a path, a frame of pandas, polars, pyarrow or DuckDB (`docs/inputs.md` lists the names of
        columns), ``{query: {document: score}}``, a ranked list ``{query: [document, ...]}``, or a list of tie
        groups ``{query: [[document, ...], ...]}``. You can pass one, several, a folder, which stands for all files
        in it except hidden ones and the qrels, or a pattern such as ``"runs/*.run"`` for all matching files.
    measures : measures or their names, optional
        For instance ``[nDCG @ 10, "AP(rel=2)"]``; measures of ir_measures too. By default AP, nDCG@10, RR, P@10 and
        R@100.
    ties : str
        How to score documents with equal scores:

        * ``"expected"``: by the exact mean over all their orders (McSherry & Najork 2008)
        * ``"range"``: by this mean, together with the lowest and the highest value over these orders
        * ``"best"``, ``"worst"``: only by the best or the worst of these values
        * ``"docid"``: in one order, by document id, descending, as in trec_eval 10
        * ``"trec"``: the same after rounding scores to 32 bits, as in trec_eval 9 and pytrec_eval
        * ``"given"``: in the order of the input
    unjudged : str
        How to score retrieved documents without a judgment:

        * ``"nonrelevant"``: as not relevant
        * ``"remove"``: not at all; they are removed from the ranking first (condensed lists)
        * ``"range"``: as not relevant, together with the lowest and the highest value that they could lead to, if each
          may have any grade of the qrels. These bounds hold for the mean over the orders of tied documents; with
          ``ties="range"``, they hold for each order.
        * ``"best"``, ``"worst"``: only by the highest or the lowest of these values
    unretrieved : str
        Whether documents that were pooled but not judged (a negative grade) could be relevant even if a run does not
        retrieve them. ``"none"``: no. ``"pooled"``: yes, like retrieved documents without a judgment; this matters if
        `unjudged` is ``"range"``, ``"best"`` or ``"worst"``.
    score_dtype : str
        Precision at which scores are compared: ``"float64"``, ``"float32"``, ``"float16"``, ``"bfloat16"``, or
        ``"decimals=N"`` to round them. Scores that are equal at this precision are tied.
    queries : str
        ``"qrels"``: evaluate all judged queries; one that is missing from a run counts as an empty ranking.
        ``"common"``: evaluate only those that are also in the run.
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
        How to count a query for which a measure is undefined, which most measures are if no document is relevant.
        ``"zero"``: it counts as 0. ``"nan"``: it is left out of the mean. ``"raise"``: it is an error.
    adjust : str
        ``"none"``: leave values as they are. ``"chance"``: adjust each query's value for chance, so that 0 is what the
        retrieved documents would score in random order, and 1 what they would in their best order. A negative value is
        then worse than random.

        The formula is (value - expected) / (best - expected), where *expected* is the mean over all orders of these
        documents (Hubert & Arabie 1985; Berrendorf et al. 2020). It is undefined if all orders have the same value.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        Lengths of documents, and optionally their reading times in seconds. Only TBG and U need them.
    run_format : str
        Format of the runs' files. ``"auto"``: the one that the suffix of the file names, else TREC's.
        ``"trec-ranks"``: TREC's, but documents are sorted by the rank column, lowest first, instead of the score;
        documents with equal ranks are tied. `read_run` describes the other formats.
    variance : bool
        Whether to also compute the exact variance over the orders of tied documents, as `Value.variance`.
    stream : bool
        Evaluate pipes and standard input while they arrive, instead of reading them into memory first. The lines of
        each query must then be adjacent. Files don't need this: all but JSON are streamed anyway, and read again if
        their queries turn out to be scattered. The price is that with ``unjudged="range"`` the differences of runs
        get no bounds, because these need two runs in memory at once.
    strict : bool
        Whether to raise an error instead of a warning if values would be meaningless: a run and the qrels have no
        document in common, look swapped, or nothing is relevant.
    threads : int, optional
        Number of threads; as many as there are processors by default. The number of threads never changes a value.

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
