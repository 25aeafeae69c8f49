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

    Use it to evaluate run after run with the same qrels, as in a training loop: the qrels are read and indexed only
    once. If you have all runs at the same time, `evaluate` is simpler.

    Parameters
    ----------
    qrels : Qrels, path, frame, {query: {document: grade}}, or {query: {subtopic: {document: grade}}}
        The relevance judgments. A grade above 0 means *relevant*, and 0 means *not relevant*. A negative grade means
        *pooled but not judged*.

        If you know only groups of documents, best group first, pass ``{query: [[document, ...], ...]}``. Documents of
        the last group then get grade 1, those of the group before it grade 2, and so on.
    measures : measures or their names, optional
        The measures to compute, as objects or names, such as ``[nDCG @ 10, "AP(rel=2)"]``. Measures of ir_measures work
        too. The default is AP, nDCG@10, RR, P@10 and R@100.
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
    qrels_format : str
        What the qrels hold; `read_qrels` describes more formats of files:

        * ``"auto"``: grades, in the format that the suffix of the file names
        * ``"subtopics"``: grades for each subtopic, for measures of diversity
        * ``"stratified"``: grades of a stratified sample, for xinfAP and infNDCG; as a dict, ``{query: {document:
          (stratum, grade)}}``
        * ``"prels"``: grades of a sample with the probability of each document, for statAP; as a dict, ``{query:
          {document: (grade, probability)}}``
        * ``"groups"``, ``"mirex"``: files with groups of documents instead of grades
        * ``"preferences"``: which documents are preferred to which, for ADR and PairConcordance; as a dict, ``{query:
          [(better, worse), ...]}``
        * ``"probabilities"``: how probable each grade is, for expected values; as a dict, ``{query: {document: {grade:
          probability}}}``, or ``{query: {document: probability}}`` of being relevant
    on_undefined : str
        How to count a query for which a measure has no value. Usually this is a query without relevant documents.
        ``"zero"``: count it as 0. ``"nan"``: leave it out of the mean. ``"raise"``: raise an `UndefinedError`.
    adjust : str
        Whether to adjust the value of each query for chance. ``"none"``: leave it as it is. ``"chance"``: rescale it,
        so that 0 is what the retrieved documents score in random order, and 1 what they score in their best order.

        The formula is (value - expected) / (best - expected), where *expected* is the mean over all orders of the
        retrieved documents (Hubert & Arabie 1985; Berrendorf et al. 2020). The result is negative if the ranking is
        worse than random, and undefined if all orders have the same value.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The length of each document, and optionally the seconds that it takes to read. Only the measures TBG and U need
        this.
    variance : bool
        Whether to also compute the variance over the orders of tied documents. It is in `Value.variance`.
    strict : bool
        Whether to raise an error where you would otherwise get a warning, because values are probably meaningless.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

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

        The results are those of `untied.evaluate` with the qrels, measures and options of this evaluator.

        Parameters
        ----------
        runs : run, list of runs, {name: run}, folder, or pattern
            One run or several. Each is one of these:

            * a path
            * a dict: ``{query: {document: score}}``, ranked lists ``{query: [document, ...]}``, or tie groups ``{query:
              [[document, ...], ...]}``
            * a frame of pandas, polars, pyarrow or DuckDB; `docs/inputs.md` lists the names of its columns
            * a `Run`

            A folder stands for all files in it, except hidden files and the qrels. A pattern such as ``"runs/*.run"``
            stands for all matching files.
        run_format : str
            The format of the runs' files. ``"auto"``: the format that the file's suffix names, or else TREC's.
            ``"trec-ranks"``: TREC's format, with documents sorted by the rank column instead of the score. Equal ranks
            are tied. `read_run` describes the other formats.
        stream : bool
            Whether to evaluate pipes and standard input while they arrive, instead of reading them into memory first.
            The lines of each query must then be adjacent. Files in any format but JSON are always streamed.

            A streamed run is not kept in memory. So with ``unjudged="range"``, there are no bounds of the differences
            between runs.

        Returns
        -------
        Results

        Raises
        ------
        InputError
            A file does not match its format.
        UntiedError
            A score is not a finite number or does not fit `score_dtype`, a query has a document twice, or a run and the
            qrels have no query in common.
        OSError
            A file cannot be read.

        Warns
        -----
        UntiedWarning
            The values are probably meaningless: a run and the qrels have no document in common, they look swapped, or
            nothing is relevant. With ``strict=True``, this is an `UntiedError`.
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

        bounds = DifferenceBounds(self._qrels, kept, self._policies, self._options["docs"], self._threads)
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
        """Evaluate one run, and return only the means over queries.

        Use it if a number is all you need, such as to keep the best checkpoint in a training loop.

        Parameters
        ----------
        run : run
            The run to evaluate, as for `evaluate`.

        Returns
        -------
        dict
            The mean of each measure by its name. Measures that count, such as NumRelRet, have their sum over queries.
            You can look up a measure by any of its names.
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

    This is the function to begin with. If documents have equal scores, you get the mean over all their orders, so the
    value does not depend on their order in the file. To evaluate run after run with the same qrels, make an `Evaluator`
    once.

    Parameters
    ----------
    qrels : Qrels, path, frame, {query: {document: grade}}, or {query: {subtopic: {document: grade}}}
        The relevance judgments. A grade above 0 means *relevant*, and 0 means *not relevant*. A negative grade means
        *pooled but not judged*.

        If you know only groups of documents, best group first, pass ``{query: [[document, ...], ...]}``. Documents of
        the last group then get grade 1, those of the group before it grade 2, and so on.
    runs : run, list of runs, {name: run}, folder, or pattern
        One run or several. Each is one of these:

        * a path
        * a dict: ``{query: {document: score}}``, ranked lists ``{query: [document, ...]}``, or tie groups ``{query:
          [[document, ...], ...]}``
        * a frame of pandas, polars, pyarrow or DuckDB; `docs/inputs.md` lists the names of its columns
        * a `Run`

        A folder stands for all files in it, except hidden files and the qrels. A pattern such as ``"runs/*.run"``
        stands for all matching files.
    measures : measures or their names, optional
        The measures to compute, as objects or names, such as ``[nDCG @ 10, "AP(rel=2)"]``. Measures of ir_measures work
        too. The default is AP, nDCG@10, RR, P@10 and R@100.
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
    qrels_format : str
        What the qrels hold; `read_qrels` describes more formats of files:

        * ``"auto"``: grades, in the format that the suffix of the file names
        * ``"subtopics"``: grades for each subtopic, for measures of diversity
        * ``"stratified"``: grades of a stratified sample, for xinfAP and infNDCG; as a dict, ``{query: {document:
          (stratum, grade)}}``
        * ``"prels"``: grades of a sample with the probability of each document, for statAP; as a dict, ``{query:
          {document: (grade, probability)}}``
        * ``"groups"``, ``"mirex"``: files with groups of documents instead of grades
        * ``"preferences"``: which documents are preferred to which, for ADR and PairConcordance; as a dict, ``{query:
          [(better, worse), ...]}``
        * ``"probabilities"``: how probable each grade is, for expected values; as a dict, ``{query: {document: {grade:
          probability}}}``, or ``{query: {document: probability}}`` of being relevant
    on_undefined : str
        How to count a query for which a measure has no value. Usually this is a query without relevant documents.
        ``"zero"``: count it as 0. ``"nan"``: leave it out of the mean. ``"raise"``: raise an `UndefinedError`.
    adjust : str
        Whether to adjust the value of each query for chance. ``"none"``: leave it as it is. ``"chance"``: rescale it,
        so that 0 is what the retrieved documents score in random order, and 1 what they score in their best order.

        The formula is (value - expected) / (best - expected), where *expected* is the mean over all orders of the
        retrieved documents (Hubert & Arabie 1985; Berrendorf et al. 2020). The result is negative if the ranking is
        worse than random, and undefined if all orders have the same value.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        The length of each document, and optionally the seconds that it takes to read. Only the measures TBG and U need
        this.
    run_format : str
        The format of the runs' files. ``"auto"``: the format that the file's suffix names, or else TREC's.
        ``"trec-ranks"``: TREC's format, with documents sorted by the rank column instead of the score. Equal ranks
        are tied. `read_run` describes the other formats.
    variance : bool
        Whether to also compute the variance over the orders of tied documents. It is in `Value.variance`.
    stream : bool
        Whether to evaluate pipes and standard input while they arrive, instead of reading them into memory first.
        The lines of each query must then be adjacent. Files in any format but JSON are always streamed.

        A streamed run is not kept in memory. So with ``unjudged="range"``, there are no bounds of the differences
        between runs.
    strict : bool
        Whether to raise an error where you would otherwise get a warning, because values are probably meaningless.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

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
        An option, a score or a grade is invalid, or a run and the qrels have no query in common.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        The values are probably meaningless: a run and the qrels have no document in common, they look swapped, or
        nothing is relevant. With ``strict=True``, this is an `UntiedError`.

    Examples
    --------
    Two documents share the highest score, and one of them is relevant. RR is 1 if it comes first, and 0.5 if it comes
    second:

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
