"""The evidence for the rules of a gate: values of both runs by query, and missing queries."""

from __future__ import annotations

from copy import copy
from functools import partial
from math import copysign, isnan, sqrt

from untied import _core
from untied.errors import UntiedError
from untied.evaluation.runs import Evaluator
from untied.inputs import mismatch
from untied.measures import NumRet
from untied.results.design import weighted_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Lengths, Measure, Policies, Qrels, Run
    from untied._literals import OnUndefined
    from untied.results.design import Design
    from untied.results.evaluation import Results
    from untied.results.value import Value

#: Queries that are named where a limit is broken, or that are missing.
NAMED = 5
#: The number of standard errors by which an estimate is moved against the run.
ERRORS = 2


class Evidence:
    """Values of a run and a baseline over all judged queries."""

    def __init__(
        self,
        qrels: Qrels,
        runs: Mapping[str, Run],
        measures: Sequence[Measure],
        policies: Policies,
        docs: Lengths | None,
        threads: int | None,
        design: Design | None = None,
    ) -> None:
        #: What queries count for, and the segment that this is about.
        self.design = design
        self.segment: str | None = None
        self._whole: dict[tuple[Any, ...], dict[str | None, Results]] = {}
        self.qrels, self.runs, self.docs, self.threads = qrels, runs, docs, threads
        self.ties = policies["ties"]
        self.score_dtype = policies["score_dtype"]
        self.policies = policies
        self._measures = list(measures)
        self._look()

    def _look(self) -> None:
        """Evaluate the runs, or take the part of a segment from what was evaluated."""
        self.unknown: dict[str, int] = {}
        #: Why values of a run mean nothing; None where it and the qrels have documents in common.
        self.apart: dict[str, str | None] = {}
        self._missing: dict[str, frozenset[int]] = {}
        self._retrieved: dict[str, Sequence[float]] = {}
        for name, run in self.runs.items():
            results = self._part_of(("retrieved", name), partial(self._retrieving, name, run))
            facts = results.facts()[name]
            self.unknown[name], self.apart[name] = facts["unknown"], mismatch.of_facts(facts)
            self._retrieved[name] = _column(results, NumRet, name)
            self._rows = results._evaluations[name]
            empty = (row for row, number in enumerate(self._retrieved[name]) if not number)
            self._missing[name] = frozenset(row for row in empty if self._rows.query(row) not in run)
        self._by_itself: dict[tuple[Measure, bool], Results] = {}
        self._results = {"nan": self._evaluated(self._measures, "nan")} if self._measures else {}

    def _retrieving(self, name: str, run: Run) -> Results:
        return Evaluator(self.qrels, NumRet, threads=self.threads).evaluate({name: run})

    def segments(self) -> Iterator[Evidence]:
        """The evidence of each segment, or only this one."""
        if self.design is None or self.design.segments is None:
            yield self
            return
        for name in self.design.names(self.qrels.queries()):
            part = copy(self)
            part.segment = name
            part._look()
            yield part

    def _part_of(self, key: tuple[Any, ...], evaluate: Callable[[], Results]) -> Results:
        """Results of this segment, or of all queries. They are made once, for all segments together."""
        if key not in self._whole:
            results = evaluate() if self.design is None else evaluate()._in_design(self.design)
            self._whole[key] = {None: results} | results.segments
        return self._whole[key][self.segment]

    def _evaluated(self, measures: Sequence[Measure], on_undefined: OnUndefined, *, variance: bool = False) -> Results:
        def evaluate() -> Results:
            evaluator = _OfAllQueries(
                self.qrels, list(measures), ties=self.ties, unjudged=self.policies["unjudged"],
                score_dtype=self.score_dtype, on_undefined=on_undefined, variance=variance, docs=self.docs,
                threads=self.threads,
            )  # fmt: skip
            return evaluator.evaluate(self.runs)

        return self._part_of((on_undefined, variance, *map(str, measures)), evaluate)

    def weights(self, rows: Sequence[int]) -> Sequence[float] | None:
        """The weights of queries with a value; None if all count alike."""
        if self.design is None or not self.design.is_weighted:
            return None
        where = self.segment or "the run"
        return self.design.weights_of(self.queries(rows), self._rows.queries(), where)

    def clusters(self, rows: Sequence[int]) -> Sequence[Any]:
        """The cluster of each query, which without clusters is one of its own."""
        clusters = None if self.design is None else self.design.clusters
        return rows if clusters is None else [clusters[query] for query in self.queries(rows)]

    def _alone(self, measure: Measure, *, variance: bool = False) -> Results:
        """The evaluation of one measure, made once for all runs and limits."""
        key = (measure, variance)
        if key not in self._by_itself:
            self._by_itself[key] = self._evaluated([measure], "nan", variance=variance)
        return self._by_itself[key]

    def values(self, measure: Measure, run: str) -> Sequence[float]:
        """Values of all judged queries in the order of their ids; NaN where the measure is undefined."""
        return _column(self._results["nan"], measure, run)

    def total(self, measure: Measure, run: str, *, with_zeros: bool) -> Value:
        """The mean, as in `evaluate`; undefined values count 0, or are left out."""
        if with_zeros:
            if "zero" not in self._results:
                self._results["zero"] = self._evaluated(self._results["nan"]._measures, "zero")
            return self._results["zero"].value(measure, run=run)
        return self._results["nan"].value(measure, run=run)

    def unsettled(self, measure: Measure, run: str) -> int:
        """Number of queries for which unjudged documents decide whether there is a value."""
        if not self._results["nan"].facts()[run]["unsettled"]:
            return 0
        return self._alone(measure).facts()[run]["unsettled"]

    def missing(self, run: str) -> frozenset[int]:
        """Rows of judged queries that a run lacks; one that is there with an empty ranking is none of them."""
        return self._missing[run]

    def queries(self, rows: Sequence[int]) -> list[str]:
        """Ids of queries."""
        return [self._rows.query(row) for row in rows]

    def margin(self, measure: Measure, run: str) -> float:
        """The margin of error of an estimated mean; 0 if it is exact, NaN if the error is unknown.

        All queries use the same seed, so their errors are added.
        """
        total = self.total(measure, run, with_zeros=False)
        if total.certainty != "estimate" or isnan(total.mean):
            return 0.0
        error = total.standard_error
        if error is None and not measure.is_geometric:
            # Of its own measures the core keeps the variance over orders, not the error of the mean.
            evaluation = self._alone(measure, variance=True)._evaluations[run]
            variances = memoryview(evaluation.column(0, "variance")).cast("d")
            drawn = [_core.drawn_at_least(int(number)) for number in self._retrieved[run]]
            errors = [sqrt(max(variance, 0.0) / orders) for variance, orders in zip(variances, drawn, strict=True)]
            rows = [row for row, value in enumerate(self.values(measure, run)) if not isnan(value)]
            known = [errors[row] for row in rows]
            weights = self.weights(rows)
            error = sum(known) if measure.is_count else weighted_mean(known, weights or [1.0] * len(known))
        return float("nan") if error is None else ERRORS * error


def named(queries: Sequence[str]) -> str:
    """Ids of the first queries, and the number of the others."""
    more = [f"{len(queries) - NAMED} more"] if len(queries) > NAMED else []
    return ", ".join([*map(_core.show_id, queries[:NAMED]), *more])


class _OfAllQueries(Evaluator):
    """An evaluator whose values have a row for every judged query, as the rules of a gate expect."""

    _leaves_out_unanswered = False


def _column(results: Results, measure: Measure, run: str) -> Sequence[float]:
    number = results.measures.index(str(measure))
    return memoryview(results._evaluations[run].column(number, "value")).cast("d")


class Limit:
    """A limit as given: a number, or a share of the baseline's mean."""

    def __init__(self, kind: str, measure: Measure, given: float | str) -> None:
        self.kind, self.measure = kind, measure
        #: The limit in the words of the user; None where the rule has no number.
        self.given = None if kind == "certain" else str(given).strip()
        text = str(given).strip().replace("_", "?")  # 0_01 would be 1
        self.is_share = kind == "max-drop" and text.endswith("%")
        try:
            self.number = float(text[:-1]) / 100 if self.is_share else float(text)
        except ValueError:
            self.number = float("nan")
        if not abs(self.number) < float("inf"):
            expected = "a number or a percentage" if kind == "max-drop" else "a number"
            raise UntiedError(f"the limit of --{kind} for {measure} must be {expected}, not {given!r}")
        # -0 as well: it is a slip for something else.
        is_negative = copysign(1, self.number) < 0
        if kind in ("max-drop", "max-med") and is_negative:
            to_be_better = "; --certain requires that the run is better" if kind == "max-drop" else ""
            raise UntiedError(f"the limit of --{kind} for {measure} must not be negative, found {given}{to_be_better}")
        if kind in ("min", "max") and self._is_share_of_one and (is_negative or self.number > 1):
            raise UntiedError(
                f"the limit of --{kind} for {measure} must be from 0 to 1, like its values, found {given}"
            )

    @property
    def allows_all(self) -> bool:
        """Whether the limit allows a drop or difference as large as the measure's range."""
        return self.kind in ("max-drop", "max-med") and self._is_share_of_one and self.number >= 1

    @property
    def _is_share_of_one(self) -> bool:
        """Whether all values of the measure, and so its means, are known to be from 0 to 1."""
        if self.measure.is_geometric:
            return False
        ranges = {info["name"]: info["range"] for info in _core.measure_info()}
        range_, _, beyond = ranges.get(self.measure.name, "").partition(";")
        # Parameters may widen the range.
        is_certain = not beyond or ("rarely" not in beyond and "(" not in str(self.measure))
        return range_ == "0 to 1" and is_certain

    def of(self, baseline: float) -> float:
        """The limit as a value of the measure."""
        return self.number * abs(baseline) if self.is_share else self.number
