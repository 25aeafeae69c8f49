"""Evaluating and comparing tables that are held in pieces: by Spark, Ray, Dask, Polars, DuckDB, or Arrow alone."""

from __future__ import annotations

from math import isfinite

import pyarrow
import pyarrow.compute as pc

from untied import _core
from untied._core import Qrels, Run
from untied.compare.runs import DEFAULT, as_comparing_measures, as_table
from untied.errors import UntiedError
from untied.inputs import overlap
from untied.inputs.convert import as_lengths
from untied.measures import as_measure, as_measures
from untied.policies import COMPARING, EVALUATING, Policies
from untied.results.table import Table, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from untied._core import Lengths, Measure
    from untied._types import Facts
    from untied.compare.runs import ComparingMeasures
    from untied.inputs.convert import DocsLike
    from untied.measures import MeasureLike
    from untied.policies import (
        OnUndefined,
        QrelsFormatOfRows,
        Queries,
        ScoreDtype,
        Ties,
        TiesOfPairs,
        Unjudged,
        Unretrieved,
    )

#: Rows that are put together before they are evaluated: enough to make what is done once for all of them cheap.
ROWS = 1 << 17

#: Columns that qrels have besides grades, by their format.
DETAILS = {"auto": None, "trec": None, "subtopics": "subtopic", "stratified": "stratum", "prels": "probability"}


class Summary:
    """Aggregates over queries.

    ``summary["AP"]`` is that of a measure, `means` a table of all.
    """

    def __init__(self, measures: list[Measure], parts: list[Any], reasons: list[dict[str, str | None]]) -> None:
        self._measures = measures
        self._parts = parts
        self._reasons = reasons
        self._levels: str | None = None

    def warn(self) -> None:
        """Warn where the values mean nothing, as what was evaluated has nothing in common."""
        overlap.warn(*self._reasons)
        if not any(reason for reasons in self._reasons for reason in reasons.values()):
            overlap.say(self._levels)

    @property
    def measures(self) -> list[str]:
        """Canonical names of the measures."""
        return [str(measure) for measure in self._measures]

    #: Values are looked up, not iterated over.
    __iter__ = None

    def __getitem__(self, measure: MeasureLike) -> Value:
        found = self._find(measure)
        if found not in self._measures:
            raise KeyError(f"{found} was not computed; {', '.join(self.measures)} were")
        return Value(*self._parts[self._measures.index(found)])

    def _find(self, measure: Any) -> Measure:
        return as_measure(measure)

    @property
    def means(self) -> Table:
        """Aggregates of all measures."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return repr(self.means)

    def _repr_html_(self) -> str:
        return self.means._repr_html_()


class EvaluationSummary(Summary):
    """Aggregates of a run, and what to know about it."""

    def __init__(self, measures: list[Measure], parts: list[Any], facts: Facts, columns: Sequence[str]) -> None:
        super().__init__(measures, parts, [{"run": overlap.of_facts(facts)}])
        self._facts = facts
        self._columns = columns
        self._levels = overlap.of_levels(measures, facts["highest"])

    @property
    def means(self) -> Table:
        """Columns run, query (``all``), measure, value, and low, high, variance where computed."""
        columns = dict(zip(("value", "low", "high", "variance"), zip(*self._parts, strict=True), strict=False))
        size = len(self._measures)
        texts = {"run": ["run"] * size, "query": ["all"] * size, "measure": self.measures}
        return Table(texts, {name: list(column) for name, column in columns.items() if name in self._columns})

    def facts(self) -> Facts:
        """What to know before believing the values: see `Results.facts`."""
        return self._facts.copy()


class ComparisonSummary(Summary):
    """Means of a comparison.

    Attributes
    ----------
    alone : tuple of int
        How many queries only the first and only the second run has; they are left out.
    undefined : dict of str and int
        For each measure, for how many queries it is not defined; the mean leaves them out.
    """

    def __init__(
        self, measures: list[Measure], parts: list[Any], names: tuple[str, str], variance: bool,
        alone: tuple[int, int], undefined: dict[str, int], reasons: list[dict[str, str | None]],
    ) -> None:  # fmt: skip
        super().__init__(measures, parts, reasons)
        self._names = names
        self._variance = variance
        self.alone = alone
        self.undefined = undefined

    def _find(self, measure: Any) -> Measure:
        return _core.comparing_measure(str(measure))

    @property
    def means(self) -> Table:
        """Columns run_a, run_b, query (``all``), measure, certificate, value, low, high, and variance if computed."""
        return as_table([(*self._names, "all", measure) for measure in self.measures], self._parts, self._variance)


class BatchEvaluator:
    """Evaluate a run whose rows come in Arrow batches, together with those of the qrels.

    A function of an iterable of `pyarrow.RecordBatch` that yields others. The columns that it reads:

    * ``query`` and ``document``: text or whole numbers;
    * ``score``: null in a row that is only a judgment;
    * ``grade``: null in a row that is only a retrieved document;
    * with a `qrels_format` also ``subtopic``, ``stratum`` or ``probability``.

    So the two tables are put one below the other (``pyarrow.concat_tables(..., promote_options="default")``,
    ``polars.concat(..., how="diagonal")``, ``UNION ALL BY NAME``) or joined (``FULL JOIN``), and sorted by query, or at
    least grouped. All rows of a query must go to the same call.

    What it yields has a row for each query and measure: ``query``, ``measure``, ``value``, ``low`` and ``high`` if
    asked for, ``variance`` if asked for, ``certainty``; then yes or no: whether the query is ``judged`` and
    ``retrieved``, whether a retrieved document is judged (``matched``) and any document ``relevant``, whether tied
    documents are ``mixed``, of different grades, and whether the value is ``undefined``, ``overstated``, or
    ``unsettled`` (see `Results.facts`). A query that is not evaluated has one row without a measure.

    Parameters
    ----------
    measures : measures or their names, optional
        As for `Evaluator`.
    grades : iterable of float
        All grades that occur in the qrels, in any piece: the highest gain and the grades that unjudged documents may
        have are told from them.
    ties, unjudged, unretrieved, score_dtype, queries, qrels_format, on_undefined, docs, variance
        As for `Evaluator`. `docs` goes where the function goes: a path must be there to be read.
    threads : int
        Number of threads of each call: engines run several at once.

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
        threads: int = 1,
    ) -> None:
        policies = Policies(
            EVALUATING, ties=ties, unjudged=unjudged, unretrieved=unretrieved, score_dtype=score_dtype, queries=queries,
            on_undefined=on_undefined, variance=variance,
        )  # fmt: skip
        self._measures = as_measures(measures)
        self._judgments = _Judgments(qrels_format, grades)
        self._docs = docs
        self._options: dict[str, Any] = {**policies.options, "threads": threads}
        self._evaluator(
            self._judgments.sample(), as_lengths(docs, threads)
        )  # what is wrong is refused here, not far away

    def _evaluator(self, qrels: Qrels, docs: Lengths | None, **options: Any) -> _core.Evaluator:
        return _core.Evaluator(qrels, self._measures, docs=docs, **(self._options | options))

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
            A column is missing, holds a null or something that is not a finite number; a document stands twice in a
            query; or the rows of a query do not stand together.
        """
        docs = as_lengths(self._docs, self._options["threads"])
        for piece in _pieces(batches, ["document", "score", *self._judgments.columns]):
            _check(piece, ["score", "grade"])
            evaluator = self._evaluator(self._judgments.read(piece), docs)
            yield from _reader(evaluator.rows(_run(piece, "score")))

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of what it yields."""
        nothing = Run.from_mapping({})
        docs = as_lengths(self._docs, self._options["threads"])
        return _reader(self._evaluator(self._judgments.sample(), docs, queries="common").rows(nothing)).schema

    def summary(self, batches: Iterable[Any]) -> EvaluationSummary:
        """Aggregate the values of queries.

        Parameters
        ----------
        batches : iterable of pyarrow.RecordBatch
            What calls yielded: that of all pieces, sorted by query (as text, by bytes) so that sums are always added up
            in the same order.

        Returns
        -------
        EvaluationSummary

        Raises
        ------
        UntiedError
            No query was evaluated, or rows are not sorted by query, each query standing once.

        Warns
        -----
        UntiedWarning
            The run and the qrels have no query or no document in common, or nothing is relevant.
        """
        found = self.aggregate(batches)
        found.warn()
        return found

    def aggregate(self, batches: Iterable[Any]) -> EvaluationSummary:
        """Aggregate as `summary` does, without a warning: in a process whose warnings nobody sees."""
        policies = self._options["ties"], self._options["unjudged"], self._options["variance"]
        sums = _Sums(self._measures, self.schema.names, policies)
        # The standard error of an estimate is not known here: rows of batches do not hold it.
        facts: Facts = {
            "evaluated": 0,
            "mixed": 0,
            "absent": 0,
            "unknown": 0,
            "common": 0,
            "matched": 0,
            "relevant": 0,
            "swapped": False,
            "highest": max([0.0, *self._judgments.grades]),
            "undefined": 0,
            "left_out": 0,
            "estimated": 0,
            "standard_error": None,
            "enclosed": 0,
            "overstated": 0,
            "unsettled": 0,
            "ungrouped": False,
        }
        judged = 0
        for rows in sums.add(batches):
            once = rows.filter(_either_is(rows["measure"], str(self._measures[0])))
            evaluated = once.filter(once["measure"].is_valid())
            facts["evaluated"] += len(evaluated)
            facts["mixed"] += _count(evaluated["mixed"])
            facts["unknown"] += len(once) - _count(once["judged"])
            facts["absent"] += len(once) - _count(once["retrieved"])
            facts["common"] += _count(pc.and_(once["judged"], once["retrieved"]))
            facts["matched"] += _count(once["matched"])
            facts["relevant"] += _count(once["relevant"])
            judged += _count(once["judged"])
            facts["undefined"] += _count(rows["undefined"])
            facts["left_out"] += _count(pc.is_nan(rows["value"]))
            facts["overstated"] += _count(rows["overstated"])
            facts["unsettled"] += _count(rows["unsettled"])
            facts["estimated"] += _count(_is(rows["certainty"], "estimate"))
            facts["enclosed"] += _count(_is(rows["certainty"], "interval"))
        if not facts["evaluated"]:
            why = "the run and the qrels have none in common" if judged else "the qrels are empty"
            raise UntiedError(f"no query to evaluate: {why}")
        return EvaluationSummary(self._measures, sums.totals.finish(), facts, sums.columns)


class BatchComparer:
    """Compare two runs whose rows come in Arrow batches.

    A function of an iterable of `pyarrow.RecordBatch` that yields others, as `BatchEvaluator`. The columns that it
    reads:

    * ``query`` and ``document``: text or whole numbers;
    * ``score_a`` and ``score_b``: null in a row that is not one of that run;
    * ``grade``, with `grades`: null in a row that is not a judgment;
    * ``probability``, with `probabilities`: null in a row that says nothing of it.

    What it yields has a row for each query of both runs and each measure: ``query``, ``measure``, ``value``, ``low``,
    ``high``, ``variance`` if asked for, ``certainty``; then whether the query is ``in_a`` and ``in_b``, whether a
    document is in both (``matched``), and whether one of either is in the qrels (``judged``). A query that only one run
    has, has one row without a measure.

    Parameters
    ----------
    measures : measures or their names
        As for `compare`.
    grades : iterable of float, optional
        All grades that occur in the qrels, in any piece. Without them nothing is known of any document.
    probabilities : bool
        Whether there are probabilities of relevance.
    depth, ties, score_dtype, variance
        As for `compare`.
    qrels_format : str
        ``"auto"`` (or ``"trec"``): grades; ``"subtopics"`` where there is a column ``subtopic``.
    threads : int
        Number of threads of each call.

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
    0.5000 [0.5000, 0.5000]
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
        threads: int = 1,
    ) -> None:
        policies = Policies(COMPARING, ties=ties, score_dtype=score_dtype, variance=variance)
        self._measures = as_comparing_measures(measures)
        self._judgments = None if grades is None else _Judgments(qrels_format, grades)
        self._probabilities = probabilities
        self._options: dict[str, Any] = {**policies.options, "depth": depth, "threads": threads}
        # What is wrong is refused here, not far away.
        sample = Run.from_mapping({"query": {"document": 1.0}})
        self._rows(sample, sample, self._judgments.sample() if self._judgments else None, None)

    def _rows(self, a: Run, b: Run, qrels: Qrels | None, probabilities: Run | None) -> Any:
        known: dict[str, Any] = {"qrels": qrels, "probabilities": probabilities}
        return _reader(_core.compare_rows(a, b, self._measures, **known, **self._options))

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
        numbers = ["score_a", "score_b", *judged[:1], *(["probability"] if self._probabilities else [])]
        for piece in _pieces(batches, ["document", *numbers, *judged[1:]]):
            _check(piece, numbers)
            qrels = self._judgments.read(piece) if self._judgments else None
            probabilities = _run(piece, "probability") if self._probabilities else None
            yield from self._rows(_run(piece, "score_a"), _run(piece, "score_b"), qrels, probabilities)

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of what it yields."""
        nothing = Run.from_mapping({})
        return self._rows(nothing, nothing, None, None).schema

    def summary(self, batches: Iterable[Any], names: tuple[str, str] = ("a", "b")) -> ComparisonSummary:
        """Aggregate the values of queries.

        Parameters
        ----------
        batches : iterable of pyarrow.RecordBatch
            What calls yielded: that of all pieces, sorted by query (as text, by bytes).
        names : tuple of str
            What the runs are called in tables.

        Returns
        -------
        ComparisonSummary

        Raises
        ------
        UntiedError
            The runs have no query in common, or rows are not sorted by query, each query standing once.

        Warns
        -----
        UntiedWarning
            The runs have no document in common, or no document of theirs is judged though there are qrels.
        """
        found = self.aggregate(batches, names)
        found.warn()
        return found

    def aggregate(self, batches: Iterable[Any], names: tuple[str, str] = ("a", "b")) -> ComparisonSummary:
        """Aggregate as `summary` does, without a warning: in a process whose warnings nobody sees."""
        sums = _Sums(self._measures, self.schema.names)
        alone = [0, 0]
        undefined = {str(measure): 0 for measure in self._measures}
        compared = matched = judged = 0
        for rows in sums.add(batches):
            matched += _count(rows["matched"])
            judged += _count(rows["judged"])
            lonely = rows.filter(rows["measure"].is_null())
            alone[0] += _count(lonely["in_a"])
            alone[1] += _count(lonely["in_b"])
            for measure in undefined:
                undefined[measure] += _count(pc.is_nan(rows.filter(_is(rows["measure"], measure))["value"]))
            compared += len(rows) - len(lonely)
        if not compared:
            raise UntiedError("the runs have no query in common")
        unjudged = overlap.DOCUMENTS if self._judgments is not None and not judged else None
        apart = None if matched else overlap.APART
        reasons: list[dict[str, str | None]] = [{names[1]: apart}, dict.fromkeys(names, unjudged)]
        return ComparisonSummary(
            self._measures, sums.totals.finish(), names, self._options["variance"], (alone[0], alone[1]), undefined,
            reasons,
        )  # fmt: skip


class _Judgments:
    """How qrels are read from a piece."""

    def __init__(self, format: str, grades: Iterable[float]) -> None:
        if format not in DETAILS:
            *others, last = DETAILS
            raise UntiedError(f"qrels format must be {', '.join(others)} or {last} here, not {format!r}")
        self.format = "trec" if format == "auto" else format
        self.grades = sorted({float(grade) + 0.0 for grade in grades})
        odd = [grade for grade in self.grades if not isfinite(grade)]
        if odd:
            raise UntiedError(f"expected finite numbers as grades, found {odd[0]}")
        detail = DETAILS[format]
        self.columns = ["grade"] if detail is None else ["grade", detail]

    def sample(self) -> Qrels:
        """Qrels that look like those of a piece."""
        judgment = {"trec": {"d": 0}, "subtopics": {"s": {"d": 0}}, "stratified": {"d": (0, 0)}, "prels": {"d": (0, 1)}}
        return Qrels.from_mapping({"q": judgment[self.format]}, None, self.format).among(self.grades)

    def read(self, piece: Any) -> Qrels:
        judged = _there(piece, "grade", self.columns[1:])
        qrels = _qrels(judged, self.format)
        unknown = sorted(set(qrels.grades()) - set(self.grades))
        if unknown:
            raise UntiedError(f"grade {unknown[0]:g} is not among the grades that were named: {self.grades}")
        return qrels.among(self.grades)


class _Sums:
    """Values of queries, added up in the order of queries."""

    def __init__(
        self, measures: list[Measure], columns: list[str], policies: tuple[str, str, bool] | None = None
    ) -> None:
        self.columns = [name for name in ("value", "low", "high", "variance") if name in columns]
        self._all = columns[1:]
        self.totals = _core.Totals(measures, policies)
        self._measures = [str(measure) for measure in measures]

    def add(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Add what is in batches; yields it in tables of whole queries."""
        last = None
        for rows in _pieces(batches, self._all, sorted_too=True):
            last = self._check_order(rows, last)
            for number, measure in enumerate(self._measures):
                of_measure = rows.filter(_is(rows["measure"], measure))
                columns = [
                    of_measure[name].to_pylist() if name in self.columns else [None] * len(of_measure)
                    for name in ("value", "low", "high", "variance")
                ]
                certainties = of_measure["certainty"].to_pylist()
                evaluated = "unsettled" in self._all  # of comparisons nothing is
                unsettled = of_measure["unsettled"].to_pylist() if evaluated else [False] * len(of_measure)
                self.totals.add(number, list(zip(*columns, certainties, unsettled, strict=True)))
            yield rows

    def _check_order(self, rows: Any, last: str | None) -> str:
        """Every query must come once, with a row for each measure or with one without any."""
        encoded = pc.run_end_encode(rows["query"].combine_chunks())
        queries, ends = encoded.values.to_pylist(), encoded.run_ends.to_pylist()
        missing = rows["measure"].is_null().to_pylist()
        start = 0
        for query, end in zip(queries, ends, strict=True):
            expected = 1 if missing[start] else len(self._measures)
            if end - start != expected or (last is not None and query <= last):
                raise UntiedError(
                    f"values of query {query!r} are not where they should be: sort them by query, and let all rows of "
                    "a query go to one call"
                )
            start, last = end, query
        return str(last)


def _pieces(batches: Iterable[Any], columns: Sequence[str], sorted_too: bool = False) -> Iterator[Any]:
    """Tables of whole queries, of `ROWS` rows or more; only the columns that are named, and ``query`` as text.

    That the rows of a query stand together is checked, unless the caller checks that they are sorted.
    """
    waiting: list[Any] = []
    current: str | None = None
    seen: set[str] = set()
    for batch in batches:
        if not batch.num_rows:
            continue
        chosen = _select(batch, columns)
        encoded = pc.run_end_encode(chosen["query"])
        queries = encoded.values.to_pylist()
        begun = queries[1:] if queries[0] == current else queries
        if not sorted_too:
            for query in begun:
                if query in seen:
                    raise UntiedError(f"the rows of query {query!r} do not stand together: sort them by query")
                seen.add(query)
        if not begun:
            waiting.append(chosen)
            continue
        cut = encoded.run_ends[-2].as_py() if len(queries) > 1 else 0
        if cut:
            waiting.append(chosen.slice(0, cut))
        if sum(map(len, waiting)) >= ROWS:
            yield pyarrow.Table.from_batches(waiting)
            waiting = []
        waiting.append(chosen.slice(cut))
        current = queries[-1]
    if waiting:
        yield pyarrow.Table.from_batches(waiting)


def _select(batch: Any, columns: Sequence[str]) -> Any:
    """The columns that are needed, with queries as text."""
    names = ["query", *columns]
    missing = [name for name in names if name not in batch.schema.names]
    if missing:
        raise UntiedError(f"expected a column {missing[0]!r}, found {', '.join(map(repr, batch.schema.names))}")
    chosen = batch.select(names)
    queries = chosen.column(0)
    kind = queries.type.value_type if pyarrow.types.is_dictionary(queries.type) else queries.type
    if not (_is_text(kind) or pyarrow.types.is_integer(kind)):
        raise UntiedError(f"expected text or whole numbers in column 'query', found {queries.type}")
    if queries.null_count:
        raise UntiedError("column 'query' has a null")
    for number, name in enumerate(names):
        # Views know no filters.
        if name == "query" or pyarrow.types.is_string_view(chosen.schema.types[number]):
            chosen = chosen.set_column(number, name, chosen.column(number).cast(pyarrow.string()))
    return chosen


def _is_text(kind: Any) -> bool:
    tests = (pyarrow.types.is_string, pyarrow.types.is_large_string, pyarrow.types.is_string_view)
    return any(test(kind) for test in tests)


def _check(piece: Any, numbers: Sequence[str]) -> None:
    """Documents must be there, numbers finite, and each row have one at least."""

    def refuse(wrong: Any, what: str, column: str | None = None) -> None:
        row = pc.index(wrong.combine_chunks(), True).as_py()
        if row >= 0:
            found = "" if column is None else f", found {piece[column][row].as_py()}"
            document = piece["document"][row].as_py()
            place = f"query {piece['query'][row].as_py()!r}"
            raise UntiedError(f"{place}{'' if document is None else f', document {document!r}'}: {what}{found}")

    refuse(piece["document"].is_null(), "column 'document' has a null")
    empty = piece[numbers[0]].is_null()
    for column in numbers:
        empty = pc.and_(empty, piece[column].is_null())
        if pyarrow.types.is_floating(piece[column].type):
            odd = pc.invert(pc.is_finite(piece[column])).fill_null(False)
            refuse(odd, f"expected a finite number in column {column!r}", column)
    refuse(empty, f"all of {', '.join(map(repr, numbers))} are null")


def _there(piece: Any, column: str, others: Sequence[str] = ()) -> Any:
    """The rows that have something in a column: queries, documents, that column, and others."""
    there = piece.select(["query", "document", column, *others])
    return there.filter(there[column].is_valid()) if there[column].null_count else there


def _is(column: Any, text: str) -> Any:
    return pc.equal(column, text).fill_null(False)


def _either_is(column: Any, text: str) -> Any:
    """Where a column holds a text, or nothing."""
    return pc.equal(column, text).fill_null(True)


def _count(flags: Any) -> int:
    return int(pc.sum(flags).as_py() or 0)


class _Stream:
    """A capsule as an object that libraries understand."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._capsule


def _reader(capsule: object) -> Any:
    return pyarrow.RecordBatchReader.from_stream(_Stream(capsule))


#: Names of columns, as they are read from a piece.
_NAMES = {"query": "query", "document": "document"}


def _run(piece: Any, column: str) -> Run:
    return Run.from_arrow(_there(piece, column), 1, {**_NAMES, "score": column}, piece=True)


def _qrels(judged: Any, format: str) -> Qrels:
    return Qrels.from_arrow(judged, 1, format, _NAMES, piece=True)
