"""Evaluate arrays of scores and labels."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from untied import _core
from untied.arrays.results import ArrayResults
from untied.errors import UntiedError, check_flag
from untied.inputs import mismatch
from untied.measures import as_measures
from untied.results.base import MeansByName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from untied._literals import OnUndefined, ScoreDtype, TiesOfArrays, Unjudged
    from untied.measures import MeasureLike


# described by untied.evaluation.runs.Evaluator: measures*, unjudged, on_undefined, variance, threads
class ArrayEvaluator:
    """Labels and measures, prepared once for any number of arrays of scores.

    Documents have no ids: a label and a score at the same position belong to the same document. Pass numpy arrays,
    tensors on the CPU, or any object that numpy can read (DLPack, ``__array_interface__``, a buffer or ``__array__``).
    Scores are compared at the precision of the array, which may be bfloat16.

    Arrays are copied only if they are not contiguous, or hold other numbers than integers, booleans and floats of 64,
    32 or 16 bits.

    Parameters
    ----------
    labels : array, queries x documents, or flat
        The grade of each document: a matrix with a row for each query, or a flat array with `sizes`, `offsets` or
        `query_ids`. NaN means *unjudged*, and a negative grade *pooled but not judged*.
    measures : measures or their names, optional
        The measures to compute, as objects or names, such as ``[nDCG @ 10, "AP(rel=2)"]``. Measures of ir_measures work
        too. The default is AP, nDCG@10, RR, P@10 and R@100.

        Measures that need more than grades, such as subtopics or lengths of documents, are refused.
    sizes : array of int, optional
        For flat arrays: how many documents each query has. ``[3, 5]`` means that the first 3 documents belong to the
        first query, and the next 5 to the second. LightGBM calls this *group*.
    offsets : array of int, optional
        For flat arrays: where each query begins, and then the number of all documents. ``[0, 3, 8]`` says the same as
        the sizes ``[3, 5]``.
    query_ids : array, optional
        For flat arrays: the id of each document's query. The documents of a query must be adjacent.
    mask : array of bool, optional
        Pass this if short rows are padded to the same length: true for documents, and false for padding. Labels and
        scores of padding are ignored.
    judged : array of bool, optional
        Pass this if your labels cannot be NaN: true for documents that are judged, and false for others.
    num_relevant : int, array of int, or {grade: array of int}, optional
        How many relevant documents each query has in all. Pass it if some of them are not in the array. Recall and AP
        then divide by this number, and the ideal ranking of nDCG has this many relevant documents. By default, only the
        documents in the array count.

        If there are other positive labels than 1, pass a dict with the numbers for each grade, such as ``{1: [4, 2], 2:
        [1, 0]}``.
    ties : str
        How to score documents with equal scores: ``"expected"`` (the mean over all orders), ``"range"`` (also the
        lowest and the highest value), ``"best"``, ``"worst"``, or ``"given"`` (the order of the array).
    unjudged : str
        How to score retrieved documents without a judgment:

        * ``"nonrelevant"``: count them as not relevant
        * ``"remove"``: remove them from the ranking first (condensed lists)
        * ``"range"``: count them as not relevant, and also give the lowest and the highest value that is possible if
          each of them may have any grade of the qrels
        * ``"best"``, ``"worst"``: give only this highest or this lowest value

        The bounds of ``"range"`` are those of the mean over tie orders. Add ``ties="range"`` for bounds that hold for
        every order.
    score_dtype : str, optional
        Round scores to this precision first, as for `Evaluator`. By default, they are not rounded.
    on_undefined : str
        How to count a query for which a measure has no value. Usually this is a query without relevant documents.
        ``"zero"``: count it as 0. ``"nan"``: leave it out of the mean. ``"raise"``: raise an `UndefinedError`.
    variance : bool
        Whether to also compute the variance over the orders of tied documents. It is in `Value.variance`.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Raises
    ------
    MeasureError
        A measure is not understood.
    UntiedError
        Shapes do not fit, a label is infinite, or an option is refused.
    TypeError
        An array does not hold numbers, or is not on the CPU.
    """

    def __init__(
        self,
        labels: Any,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
        *,
        sizes: Any = None,
        offsets: Any = None,
        query_ids: Any = None,
        mask: Any = None,
        judged: Any = None,
        num_relevant: Any | Mapping[float, Any] = None,
        ties: TiesOfArrays = "expected",
        unjudged: Unjudged = "nonrelevant",
        score_dtype: ScoreDtype | None = None,
        on_undefined: OnUndefined = "zero",
        variance: bool = False,
        threads: int | None = None,
    ) -> None:
        from untied.arrays.inputs import as_counts, as_flags, as_floats, as_numbers, grouped, look_like_scores

        self._policies = _core.Policies(
            "arrays", ties=ties, unjudged=unjudged, score_dtype="float64" if score_dtype is None else score_dtype,
            on_undefined=on_undefined,
        )  # fmt: skip
        self._measures = as_measures(measures)
        numbers = as_numbers("labels", labels)
        self._shape: tuple[int, ...] = numbers[0].shape
        self._queries, groups = grouped(self._shape, sizes, offsets, query_ids)
        queries = len(self._queries)
        totals: list[tuple[float | None, Any]] = []
        if isinstance(num_relevant, Mapping):  # and not a Series of pandas, which has items too
            totals = [
                (_grade(grade), as_counts(f"num_relevant[{grade!r}]", counts, queries, "queries"))
                for grade, counts in num_relevant.items()
            ]
        elif num_relevant is not None:
            totals = [(None, as_counts("num_relevant", num_relevant, queries, "queries"))]
        self._groups = groups
        self._options: dict[str, Any] = {"variance": check_flag("variance", variance), "threads": threads}
        self._as_doubles = score_dtype == "float64"
        present, judged = as_flags("mask", mask, self._shape), as_flags("judged", judged, self._shape)
        self._labels_look_like_scores = look_like_scores(numbers, present)
        may_be_padded = present is None and judged is None and not numbers[1].startswith("uint")
        #: What to say with the values.
        self._doubt = mismatch.PADDED if may_be_padded and (as_floats(numbers) < -1).any() else None
        self._prepare(numbers, present, judged, totals)

    def _prepare(self, labels: Any, present: Any, judged: Any, totals: list[tuple[float | None, Any]]) -> None:
        self._native = _core.ArrayEvaluator(
            labels,
            self._groups,
            self._measures,
            self._policies,
            present=present,
            judged=judged,
            totals=totals,
            **self._options,
        )

    def __getstate__(self) -> dict[str, Any]:
        native = self._native
        return self.__dict__ | {"_native": (native.labels(), native.present(), native.totals())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        import numpy

        self.__dict__.update(state)
        labels, present, totals = state["_native"]
        counts = [(grade, numpy.frombuffer(number, "u8")) for grade, number in totals]
        flags = None if present is None else numpy.frombuffer(present, "u1")
        self._prepare((numpy.frombuffer(labels), "float64"), flags, None, counts)

    def __repr__(self) -> str:
        return f"<untied.ArrayEvaluator: {', '.join(map(str, self._measures))}; {len(self._queries)} queries>"

    def evaluate(self, scores: Any, *, per_query: bool | None = None) -> ArrayResults:
        """Evaluate one or several arrays of scores.

        Parameters
        ----------
        scores : array
            Scores in the same shape as the labels; higher is better. To evaluate several rankings of the same documents
            at once, such as by each feature, stack them along a new first axis. ``scores[0]`` is then the first
            *column* of scores, ``scores[1]`` the second, and so on.
        per_query : bool, optional
            Whether to keep the values of queries, which take memory. By default, they are kept only if there is a
            single column of scores.

        Returns
        -------
        ArrayResults

        Raises
        ------
        UntiedError
            The shape differs from the labels, or a score is not finite.
        UndefinedError
            A value is undefined and ``on_undefined="raise"``.
        TypeError
            The array does not hold numbers, or is not on the CPU.
        """
        from untied.arrays.inputs import as_numbers, look_like_grades

        array, dtype = as_numbers("scores", scores)
        if self._as_doubles and dtype in ("int64", "uint64"):
            array, dtype = array.astype("float64"), "float64"  # the only types of which it does not hold all numbers
        single = array.shape == self._shape
        if not single and array.shape[1:] != self._shape:
            one_more = ", ".join(["columns", *map(str, self._shape)])
            raise UntiedError(
                f"scores have shape {array.shape}, expected the shape of labels, {self._shape}, or ({one_more})"
            )
        columns = (
            [(array, dtype, "scores")] if single else [(one, dtype, f"scores[{i}]") for i, one in enumerate(array)]
        )
        keep = single if per_query is None else check_flag("per_query", per_query)
        evaluations, means = self._native.evaluate(columns, not keep)
        if keep:
            means = [(one.totals(), one.facts()) for one in evaluations]
        totals, facts = [one[0] for one in means], [one[1] for one in means]
        mismatch.warn_or_raise(self._doubt)
        if single and self._labels_look_like_scores:
            import numpy

            present = self._native.present()
            flags = None if present is None else numpy.frombuffer(present, "u1")
            if look_like_grades((array, dtype), flags, self._shape[1] if len(self._shape) == 2 else None):
                mismatch.warn_or_raise(mismatch.ARRAYS_SWAPPED)
        if facts and not facts[0]["relevant"]:  # labels are those of all columns
            mismatch.warn({"scores": mismatch.NOTHING_RELEVANT})
        if facts:
            mismatch.warn_or_raise(mismatch.of_levels(self._measures, facts[0]["highest"]))
        kept = evaluations if keep else None
        return ArrayResults(self._measures, self._queries, totals, facts, single, kept, self._policies)

    def means(self, scores: Any) -> dict[str, float]:
        """Evaluate one array of scores, and return only the means over queries.

        Parameters
        ----------
        scores : array
            Scores in the same shape as the labels; higher is better.

        Returns
        -------
        dict
            The mean of each measure by its name. Measures that count, such as NumRelRet, have their sum over queries.
            You can look up a measure by any of its names.

        Raises
        ------
        UntiedError
            As for `evaluate`, or there are several columns.
        """
        results = self.evaluate(scores, per_query=False)
        if not results._single:
            raise UntiedError(f"means takes one column of scores, not {len(results._totals)}; use evaluate for several")
        return MeansByName(results._measures, (total[0] for total in results._totals[0]))


def _grade(grade: Any) -> float:
    if isinstance(grade, str) or not hasattr(grade, "__float__") or not isfinite(grade):
        raise UntiedError(f"num_relevant: expected finite numbers as grades, found {grade!r}")
    return float(grade)


# described by untied.arrays.evaluate.ArrayEvaluator.evaluate: scores, per_query
# described by untied.arrays.evaluate.ArrayEvaluator: labels, measures, sizes, offsets, query_ids, mask, judged
# described by untied.arrays.evaluate.ArrayEvaluator: num_relevant, ties, unjudged, score_dtype, on_undefined, variance
# described by untied.arrays.evaluate.ArrayEvaluator: threads
def evaluate_arrays(
    scores: Any,
    labels: Any,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    sizes: Any = None,
    offsets: Any = None,
    query_ids: Any = None,
    mask: Any = None,
    judged: Any = None,
    num_relevant: Any | Mapping[float, Any] = None,
    ties: TiesOfArrays = "expected",
    unjudged: Unjudged = "nonrelevant",
    score_dtype: ScoreDtype | None = None,
    on_undefined: OnUndefined = "zero",
    variance: bool = False,
    per_query: bool | None = None,
    threads: int | None = None,
) -> ArrayResults:
    """Evaluate arrays of scores and labels.

    Use it if you have matrices of scores and labels without ids, as in learning to rank. The values are exactly those
    that `evaluate` gives for the same documents with ids.

    Parameters
    ----------
    scores : array
        Scores in the same shape as the labels; higher is better. To evaluate several rankings of the same documents
        at once, such as by each feature, stack them along a new first axis. ``scores[0]`` is then the first
        *column* of scores, ``scores[1]`` the second, and so on.
    labels : array, queries x documents, or flat
        The grade of each document: a matrix with a row for each query, or a flat array with `sizes`, `offsets` or
        `query_ids`. NaN means *unjudged*, and a negative grade *pooled but not judged*.
    measures : measures or their names, optional
        The measures to compute, as objects or names, such as ``[nDCG @ 10, "AP(rel=2)"]``. Measures of ir_measures work
        too. The default is AP, nDCG@10, RR, P@10 and R@100.

        Measures that need more than grades, such as subtopics or lengths of documents, are refused.
    sizes : array of int, optional
        For flat arrays: how many documents each query has. ``[3, 5]`` means that the first 3 documents belong to the
        first query, and the next 5 to the second. LightGBM calls this *group*.
    offsets : array of int, optional
        For flat arrays: where each query begins, and then the number of all documents. ``[0, 3, 8]`` says the same as
        the sizes ``[3, 5]``.
    query_ids : array, optional
        For flat arrays: the id of each document's query. The documents of a query must be adjacent.
    mask : array of bool, optional
        Pass this if short rows are padded to the same length: true for documents, and false for padding. Labels and
        scores of padding are ignored.
    judged : array of bool, optional
        Pass this if your labels cannot be NaN: true for documents that are judged, and false for others.
    num_relevant : int, array of int, or {grade: array of int}, optional
        How many relevant documents each query has in all. Pass it if some of them are not in the array. Recall and AP
        then divide by this number, and the ideal ranking of nDCG has this many relevant documents. By default, only the
        documents in the array count.

        If there are other positive labels than 1, pass a dict with the numbers for each grade, such as ``{1: [4, 2], 2:
        [1, 0]}``.
    ties : str
        How to score documents with equal scores: ``"expected"`` (the mean over all orders), ``"range"`` (also the
        lowest and the highest value), ``"best"``, ``"worst"``, or ``"given"`` (the order of the array).
    unjudged : str
        How to score retrieved documents without a judgment:

        * ``"nonrelevant"``: count them as not relevant
        * ``"remove"``: remove them from the ranking first (condensed lists)
        * ``"range"``: count them as not relevant, and also give the lowest and the highest value that is possible if
          each of them may have any grade of the qrels
        * ``"best"``, ``"worst"``: give only this highest or this lowest value

        The bounds of ``"range"`` are those of the mean over tie orders. Add ``ties="range"`` for bounds that hold for
        every order.
    score_dtype : str, optional
        Round scores to this precision first, as for `Evaluator`. By default, they are not rounded.
    on_undefined : str
        How to count a query for which a measure has no value. Usually this is a query without relevant documents.
        ``"zero"``: count it as 0. ``"nan"``: leave it out of the mean. ``"raise"``: raise an `UndefinedError`.
    variance : bool
        Whether to also compute the variance over the orders of tied documents. It is in `Value.variance`.
    per_query : bool, optional
        Whether to keep the values of queries, which take memory. By default, they are kept only if there is a
        single column of scores.
    threads : int, optional
        How many threads to use; by default, one for each processor. The values do not depend on it.

    Returns
    -------
    ArrayResults

    Raises
    ------
    MeasureError
        A measure is not understood.
    UntiedError
        Shapes do not match, a score is not finite, a label is infinite, or an option is invalid.
    TypeError
        An array does not hold numbers, or is not on the CPU.

    Examples
    --------
    Two documents of the first query share the highest score, and one of them is relevant:

    >>> import untied
    >>> scores = [[7.5, 7.5, 2.0], [0.1, 0.3, 0.2]]
    >>> labels = [[1, 0, 0], [0, 1, 1]]
    >>> results = untied.evaluate_arrays(scores, labels, ["RR"], ties="range")
    >>> results["RR"]
    0.8750 [0.7500, 1.0000]
    >>> results.per_query["RR"].value.tolist()
    [0.75, 1.0]

    The same queries as flat arrays:

    >>> flat = untied.evaluate_arrays(sum(scores, []), sum(labels, []), ["RR"], sizes=[3, 3])
    >>> flat["RR"]
    0.8750 ~ (see .notes)
    """
    evaluator = ArrayEvaluator(
        labels,
        measures,
        sizes=sizes,
        offsets=offsets,
        query_ids=query_ids,
        mask=mask,
        judged=judged,
        num_relevant=num_relevant,
        ties=ties,
        unjudged=unjudged,
        score_dtype=score_dtype,
        on_undefined=on_undefined,
        variance=variance,
        threads=threads,
    )
    return evaluator.evaluate(scores, per_query=per_query)
