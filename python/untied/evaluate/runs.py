"""Evaluating runs: once, or again and again with an `Evaluator`."""

from __future__ import annotations

import os
from functools import partial

from untied import _core
from untied.errors import UntiedError
from untied.inputs import overlap
from untied.inputs.convert import as_lengths, as_qrels, as_run, named_sources
from untied.inputs.files import by_rank, run_file
from untied.measures import as_measures
from untied.policies import EVALUATING, Policies, described_by
from untied.progress import each
from untied.results.evaluation import Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from untied.inputs.convert import DocsLike, OneRun, QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.policies import OnUndefined, QrelsFormat, Queries, ScoreDtype, Ties, Unjudged, Unretrieved


class Evaluator:
    """Qrels and measures, prepared once for any number of runs.

    Meant for the inner loop of an optimisation or a training: the qrels are indexed and the discounts computed once.

    Parameters
    ----------
    qrels : Qrels, path, frame, {query: {document: grade}}, or {query: {subtopic: {document: grade}}}
        Relevance judgments. Negative grades mean *pooled but not judged*. ``{query: [[document, ...], ...]}`` is a
        partly ordered truth: groups, best first, whose grades count down to 1.
    measures : measures or their names, optional
        For instance ``[nDCG @ 10, "AP(rel=2)"]``; measures of ir_measures too. By default AP, nDCG@10, RR, P@10 and
        R@100.
    ties : str
        What becomes of documents with equal scores. ``"expected"``: the exact mean over all their orders
        (McSherry & Najork 2008). ``"range"``: that and the smallest and largest value. ``"best"``, ``"worst"``:
        only one of these. ``"docid"``: one order, by document id descending, as trec_eval 10; ``"trec"``: the same
        over scores rounded to 32 bits, as trec_eval 9 and pytrec_eval. ``"given"``: one order, that of the input.
        ``"rank"``: scores are not read, and files in TREC's format are ordered by their rank column, lowest first;
        documents of equal rank are tied, and a rank that is no number is an error.
    unjudged : str
        ``"nonrelevant"``: documents without judgment count as non-relevant. ``"remove"``: they are taken out of the
        ranking first (condensed lists). ``"range"``: they count as non-relevant for the mean, and ``low`` and ``high``
        are the smallest and the largest value over all grades of the qrels that they may have; ``"best"``, ``"worst"``:
        only one of these. With ``ties="range"`` these are over all orders of tied documents as well, with
        ``ties="expected"`` they are bounds of the mean over orders.
    unretrieved : str
        ``"none"``: only retrieved documents get grades by the policies above. ``"pooled"``: documents with a negative
        grade that are not retrieved get them too.
    score_dtype : str
        How scores are read before they are compared: ``"float64"``, ``"float32"``, ``"float16"``, ``"bfloat16"``, or
        ``"decimals=N"`` to round them.
    queries : str
        ``"qrels"``: every judged query counts, those that a run lacks as an empty ranking. ``"common"``: only those
        in both.
    qrels_format : str
        What the qrels hold: grades, in a file of the format that its suffix tells (``"auto"``); ``"subtopics"``, which
        measures of diversity need; ``"stratified"``, which xinfAP and infNDCG need; ``"prels"``, which statAP needs; in
        a file also ``"groups"`` or ``"mirex"``, for partly ordered truth. See `read_qrels`; of stratified and prels, a
        dict has ``{query: {document: (stratum, grade)}}`` or ``{query: {document: (grade, probability)}}``.
    on_undefined : str
        What a measure without a value for a query counts (most of them, where nothing is relevant): ``"zero"``;
        ``"nan"``, which the mean leaves out; or ``"raise"``.
    docs : path, {document: length}, or {document: (length, seconds)}, optional
        Lengths of documents, and seconds that reading them takes, for TBG and U.
    variance : bool
        Whether to compute the exact variance over tie orders too.
    strict : bool
        Whether it is an error, and not only a warning, that a run and the qrels have no query or no document in common,
        that they look swapped, or that nothing is relevant: values are 0 then, and mean nothing.
    threads : int, optional
        Number of threads; as many as there are processors by default. It never changes a value.

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
        docs: DocsLike | None = None,
        variance: bool = False,
        strict: bool = False,
        threads: int | None = None,
    ) -> None:
        policies = Policies(
            EVALUATING, ties=ties, unjudged=unjudged, unretrieved=unretrieved, score_dtype=score_dtype, queries=queries,
            on_undefined=on_undefined, variance=variance,
        )  # fmt: skip
        self._measures = as_measures(measures)
        self._threads = threads
        self._least = max((measure.least_grade or 0.0 for measure in self._measures), default=0.0)
        self._strict = strict
        self._qrels = as_qrels(qrels, threads, qrels_format)
        self._options: dict[str, Any] = {**policies.options, "threads": threads, "docs": as_lengths(docs, threads)}
        self._by_rank = ties == "rank"
        native = self._options | ({"ties": "expected"} if self._by_rank else {})
        self._native = _core.Evaluator(self._qrels, self._measures, **native)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Evaluator, strict=self._strict, **self._options), (self._qrels, self._measures)

    def evaluate(self, runs: Runs, *, stream: bool = False) -> Results:
        """Evaluate one or several runs.

        Parameters
        ----------
        runs : run, list of runs, or {name: run}
            A run is a `Run`, a path, a frame (of pandas, polars, pyarrow, DuckDB; `docs/inputs.md` tells how columns
            are named), ``{query: {document: score}}``, a ranked list ``{query: [document, ...]}``, or one of tie
            groups ``{query: [[document, ...], ...]}``.
        stream : bool
            Files in TREC's format are evaluated query by query while they are read, in little memory. Where the
            documents of a query do not stand together, the file is read again and as a whole, as are standard input
            and pipes from the start. True streams these too, and makes it an error that a query comes back after
            another one.

        Returns
        -------
        Results

        Raises
        ------
        InputError
            A file's content is not what its format promises.
        UntiedError
            A score is not a finite number or does not fit `score_dtype`, or a document stands twice in a query.
        OSError
            A file cannot be read.

        Warns
        -----
        UntiedWarning
            A run and the qrels have no query or no document in common, they look swapped, or nothing is relevant. With
            ``strict=True`` it is an `UntiedError`.
        """
        return self.evaluate_readable(runs, stream, None)

    def evaluate_readable(self, runs: Runs, stream: bool, refused: list[Exception] | None) -> Results:
        """Evaluate; runs that are refused are left out and their errors listed, if there is a list for them."""
        found = {}
        for name, run in each(named_sources(runs), "run"):
            try:
                found[name] = self._evaluate(run, stream)
            except (UntiedError, OSError) as error:
                if refused is None:
                    raise
                refused.append(error)
        self._warn(found)
        return Results(self._measures, found)

    def _warn(self, found: Mapping[str, _core.Evaluation]) -> None:
        if all(evaluation.is_plain(self._least) for evaluation in found.values()):
            return  # as nearly always
        facts = {name: evaluation.facts() for name, evaluation in found.items()}
        reasons = {name: overlap.of_facts(of_run) for name, of_run in facts.items()}
        overlap.warn(reasons, strict=self._strict)
        if not any(reasons.values()):
            highest = next(iter(facts.values()))["highest"]  # of the qrels, so the same for all runs
            overlap.say(overlap.of_levels(self._measures, highest), strict=self._strict)

    def _evaluate(self, run: OneRun, stream: bool) -> _core.Evaluation:
        if self._by_rank:
            run = by_rank(run)
        if isinstance(run, (str, os.PathLike)):
            run = run_file(run)
            if run.format == "trec":
                return self._native.evaluate_file(run, stream)
            if stream:
                raise UntiedError(f"{run.path}: only runs of format trec can be streamed, not {run.format}")
        return self._native.evaluate(as_run(run, self._threads))

    def means(self, run: OneRun) -> dict[str, float]:
        """Means of one run, and nothing else.

        Parameters
        ----------
        run : run
            A `Run`, path, frame or dict.

        Returns
        -------
        dict
            Measure names and their means over queries (sums, for counts).
        """
        runs = named_sources(run)
        if len(runs) != 1:
            raise TypeError(f"means takes one run, not {len(runs)}; evaluate takes several")
        [(name, source)] = runs
        found = self._evaluate(source, stream=False)
        self._warn({name: found})
        return {str(measure): total[0] for measure, total in zip(self._measures, found.totals(), strict=True)}


@described_by(Evaluator, Evaluator.evaluate)
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
    docs: DocsLike | None = None,
    variance: bool = False,
    stream: bool = False,
    strict: bool = False,
    threads: int | None = None,
) -> Results:
    """Evaluate one or several runs against relevance judgments.

    Parameters
    ----------
    qrels, runs, measures, ties, unjudged, unretrieved, score_dtype, queries, qrels_format, on_undefined
        As for `Evaluator` and `Evaluator.evaluate`.
    docs, variance, stream, strict, threads
        As for `Evaluator` and `Evaluator.evaluate`.

    Returns
    -------
    Results

    Raises
    ------
    MeasureError
        A measure is not understood.
    InputError
        A file's content is not what its format promises.
    UntiedError
        An option, a score or a grade is refused; with ``strict=True`` also where there is a warning else.
    OSError
        A file cannot be read.

    Warns
    -----
    UntiedWarning
        A run and the qrels have no query or no document in common, they look swapped, or nothing is relevant.

    Examples
    --------
    Two documents share the highest score, one of them relevant: it stands first in one of two orders.

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
        docs=docs,
        variance=variance,
        strict=strict,
        threads=threads,
    )
    return evaluator.evaluate(runs, stream=stream)
