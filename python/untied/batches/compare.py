"""Comparing two runs whose rows come in Arrow batches."""

from __future__ import annotations

import pyarrow.compute as pc

from untied import _core
from untied._core import Policies, Qrels, Run
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
from untied.batches.summary import ComparisonSummary, Sums
from untied.comparison.measures import DEFAULT, as_comparing_measures
from untied.errors import UntiedError, check_count, check_flag, check_one_of
from untied.inputs import mismatch
from untied.inputs.names import check_two
from untied.inputs.tolerance import DUPLICATES, Tolerance, of_repeats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from untied._literals import QrelsFormatOfRows, ScoreDtype, TiesOfPairs
    from untied.comparison.measures import ComparingMeasures


#: The columns of scores of both runs, and the columns of results with the numbers of their repeated documents.
_SCORES = ("score_a", "score_b")
_REPEATED = ("repeated_a", "repeated_b")


# described by untied.comparison.runs.compare: measures, depth, ties, score_dtype, variance
class BatchComparer:
    """Compare two runs that come in Arrow batches.

    Use it if runs are too large for one machine. You need an engine, such as Spark, that can call a function on batches
    of rows: pass the comparer as this function. It takes an iterable of `pyarrow.RecordBatch`, and yields batches
    with the results. A row of the input is about one document of a query, and has its scores in both runs. The
    columns of the input are:

    * ``query`` and ``document``: text or whole numbers
    * ``score_a`` and ``score_b``: null if this run does not retrieve the document
    * ``grade``, if you pass `grades`: null if the document is not judged
    * ``probability``, if you pass `probabilities`: null if it is unknown

    The results have a row for each measure and each query that both runs have. A query that only one run has cannot be
    compared; it gets a single row in which ``measure`` is null, so that such queries can be counted. The columns of the
    results are:

    * ``query``, ``measure``, ``value``
    * ``low`` and ``high``: the bounds of the value
    * ``variance``, if it was computed
    * ``certainty``: how exact the value is, as `Value.certainty` explains
    * ``in_a``, ``in_b``: true if the first or the second run has the query
    * ``matched``: true if the two rankings of the query have a document in common
    * ``judged``: true if a document of one of the runs is in the qrels
    * ``repeated_a``, ``repeated_b``: how many rows of the query repeat a document of a run, unless duplicates are
      refused

    Parameters
    ----------
    measures : measures or their names
        How to compare the rankings, such as ``"RBO(p=0.9)"``, ``Overlap @ 10`` or ``MED(nDCG @ 20)``. The default is
        MED(nDCG@10), RBO and Overlap@10.
    grades : iterable of float, optional
        All grades in the qrels, such as ``[0, 1, 2]``, also those that a batch does not have. By default, all documents
        are unjudged.
    probabilities : bool
        Whether rows have probabilities of relevance, which ``Delta`` uses.
    depth : int, optional
        The last rank to compare; by default, the last of all. If tied documents are at this rank, all of them are kept.
    ties : str
        How to order documents with equal scores. ``"expected"``: take the mean over all orders in both runs.
        ``"docid"``, ``"trec"``, ``"given"``: use one order, as for `evaluate`.
    score_dtype : str
        The precision at which scores are compared, as for `evaluate`.
    variance : bool
        Whether to also compute the variance over the orders of tied documents.
    qrels_format : str
        ``"auto"`` or ``"trec"``: there are only grades. ``"subtopics"``: rows have a column ``subtopic``, too.
    duplicates : str
        What to do if a run retrieves a document several times for a query, as for `untied.read_run`: ``"error"``,
        ``"first"``, ``"last"``, ``"best"`` or ``"repeat"``. The summary says how many rows were duplicates.
    threads : int
        How many threads each call may use.

    Raises
    ------
    MeasureError
        A measure is not understood.
    UntiedError
        An option or a grade is refused.

    Examples
    --------
    >>> import pyarrow
    >>> rows = {"query": ["q"] * 3, "document": ["x", "y", "z"], "score_a": [3, 2, None], "score_b": [None, 2, 1]}
    >>> comparer = BatchComparer("Overlap@2")
    >>> comparer.summary(comparer(pyarrow.table(rows).to_batches()))["Overlap@2"]
    0.5000
    """

    def __init__(
        self,
        measures: ComparingMeasures = DEFAULT,
        *,
        grades: Iterable[float] | None = None,
        probabilities: bool = False,
        depth: int | None = None,
        ties: TiesOfPairs = "expected",
        score_dtype: ScoreDtype = "float64",
        variance: bool = False,
        qrels_format: QrelsFormatOfRows = "auto",
        duplicates: str = "error",
        threads: int = 1,
    ) -> None:
        policies = Policies("pairs", ties=ties, score_dtype=score_dtype)
        self._measures = as_comparing_measures(measures)
        judgments = Judgments(qrels_format, () if grades is None else grades)
        self._judgments = None if grades is None else judgments
        self._duplicates = check_one_of("duplicates", duplicates, DUPLICATES)
        self._probabilities = check_flag("probabilities", probabilities)
        counted = depth if depth is None else check_count("depth", depth)
        self._options: dict[str, Any] = {
            "policies": policies, "variance": check_flag("variance", variance), "depth": counted, "threads": threads,
        }  # fmt: skip
        # What is wrong is refused here, not far away.
        sample = Run.from_mapping({"query": {"document": 1.0}})
        self._rows(sample, sample, self._judgments.sample() if self._judgments else None, None)

    def _rows(self, a: Run, b: Run, qrels: Qrels | None, probabilities: Run | None) -> Any:
        known: dict[str, Any] = {"qrels": qrels, "probabilities": probabilities}
        return reader_of(_core.compare_rows(a, b, self._measures, **known, **self._options))

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Compare all queries.

        Parameters
        ----------
        batches : iterable of pyarrow.RecordBatch

        Yields
        ------
        pyarrow.RecordBatch

        Raises
        ------
        UntiedError
            As for `BatchEvaluator`.
        """
        judged = self._judgments.columns if self._judgments else []
        numbers = [*_SCORES, *judged[:1], *(["probability"] if self._probabilities else [])]
        for piece in whole_queries(batches, ["document", *numbers, *judged[1:]]):
            check_rows(piece, numbers)
            qrels = self._judgments.read(piece) if self._judgments else None
            probabilities = run_of(piece, "probability") if self._probabilities else None
            runs, repeats = [], []
            for column in _SCORES:
                tolerance = Tolerance(self._duplicates)
                runs.append(run_of(piece, column, tolerance))
                repeats.append(repeats_of(piece, column) if tolerance.repeats else {})
            for rows in self._rows(runs[0], runs[1], qrels, probabilities):
                yield self._with_repeats(rows, repeats)

    def _with_repeats(self, rows: Any, repeats: Sequence[Mapping[str, int]]) -> Any:
        """Return the rows with the numbers of repeated documents in both runs, unless these are refused."""
        if self._duplicates != "error":
            for name, of_run in zip(_REPEATED, repeats, strict=True):
                rows = with_counts(rows, name, of_run)
        return rows

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of the batches that it yields."""
        nothing = Run.from_mapping({})
        return self._with_repeats(self._rows(nothing, nothing, None, None).read_all(), [{}, {}]).schema

    def summary(
        self, batches: Iterable[Any], names: tuple[str, str] = ("a", "b"), *, warn: bool = True
    ) -> ComparisonSummary:
        """Return the means over all queries. Pass the rows that all calls together have yielded.

        Parameters
        ----------
        batches : iterable of pyarrow.RecordBatch
            These rows, sorted by query (by the bytes of its text).
        names : tuple of str
            What to call the runs in tables.
        warn : bool
            Whether to warn. Pass False in a process whose warnings nobody sees.

        Returns
        -------
        ComparisonSummary

        Raises
        ------
        UntiedError
            The runs have no query in common, rows are not sorted by query, or a query has more than one row.

        Warns
        -----
        UntiedWarning
            The runs have no document in common. Or there are qrels, but they judge no document of the runs. Or a run
            has duplicates, which are counted.
        """
        names = check_two(names)
        sums = Sums(self._measures, self.schema.names, _core.Totals(self._measures))
        alone, repeats, affected, retrieved = ([0, 0] for _ in range(4))
        undefined = {str(measure): 0 for measure in self._measures}
        compared = matched = judged = 0
        for rows in sums.add(batches):
            matched += count_true(rows["matched"])
            judged += count_true(rows["judged"])
            lonely = rows.filter(rows["measure"].is_null())
            once = rows.filter(equals_or_null(rows["measure"], str(self._measures[0])))
            for number, of_run in enumerate(("in_a", "in_b")):
                alone[number] += count_true(lonely[of_run])
                retrieved[number] += count_true(once[of_run])
                if self._duplicates != "error":
                    repeated = once[_REPEATED[number]]
                    repeats[number] += pc.sum(repeated).as_py() or 0
                    affected[number] += count_true(pc.greater(repeated, 0))
            for measure in undefined:
                undefined[measure] += count_true(pc.is_nan(rows.filter(equals(rows["measure"], measure))["value"]))
            compared += len(rows) - len(lonely)
        if not compared:
            raise UntiedError("the runs have no query in common")
        unjudged = mismatch.DOCUMENTS if self._judgments is not None and not judged else None
        apart = None if matched else mismatch.APART
        reasons: list[dict[str, str | None]] = [{names[1]: apart}, dict.fromkeys(names, unjudged)]
        result = ComparisonSummary(
            self._measures, sums.totals.finish(), names, self._options["variance"], (alone[0], alone[1]), undefined,
            reasons,
            [of_repeats(self._duplicates, *counts) for counts in zip(repeats, affected, retrieved, names, strict=True)],
        )  # fmt: skip
        if warn:
            result.warn()
        return result
