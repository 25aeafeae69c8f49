"""untied as a provider of ir_measures (0.4.3), and with it of PyTerrier's experiments.

Importing this module adds measures that ir_measures does not have. They take its runs and qrels, and can be mixed with
its own measures:

>>> import ir_measures
>>> from untied.compat.ir_measures import F1, untied_AP
>>> qrels, run = {"q": {"d1": 1}}, {"q": {"d1": 2.5, "d2": 2.5}}
>>> values = ir_measures.calc_aggregate([F1 @ 1, untied_AP(ties="expected")], qrels, run)
>>> values[F1 @ 1], values[untied_AP(ties="expected")]
(0.0, 0.75)

Where ir_measures has a measure of that name already, ours is called ``untied_...``, with all of untied's parameters.
Each also takes ``ties``. `install` makes untied the provider of ir_measures' own measures too. PyTerrier loads this
module by itself, as ``pyterrier.untied``.
"""

from __future__ import annotations

import ast
import math
import re

import ir_measures
from ir_measures.measures.base import Agg, SumAgg
from ir_measures.providers.base import NOT_PROVIDED
from ir_measures.util import QrelsConverter, RunConverter

from untied._core import Policies, measure_info, why_not
from untied.compat._scores import with_finite_scores
from untied.errors import MeasureError, UntiedError
from untied.evaluation.runs import Evaluator
from untied.inputs.convert import as_qrels
from untied.inputs.mismatch import Silence
from untied.measures import as_measure
from untied.policies import PolicyOption

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from untied._core import Measure as OwnMeasure
    from untied._literals import TiesOfOneValue
    from untied._types import MeasureInfo

__all__ = ["MEASURES", "install", "uninstall"]

#: What can become of equal scores here, where a measure has one value.
TIES = PolicyOption("one-value", "ties").values


class UntiedMeasure(ir_measures.Measure):
    """A measure of untied, as an object of ir_measures."""

    def __init__(self, **params: Any) -> None:
        for name in params:
            if name not in self.SUPPORTED_PARAMS:
                raise MeasureError(f"{self.NAME} has no parameter {name!r}; it has: {', '.join(self.SUPPORTED_PARAMS)}")
        super().__init__(**params)  # type: ignore[no-untyped-call]

    def validate_params(self) -> None:
        """Raise `MeasureError` if untied does not understand the measure."""
        why = None if self["ties"] is NOT_PROVIDED else why_not("one-value", "ties", self["ties"])
        if why is not None:
            raise MeasureError(f"{self.NAME}: ties {why}")
        self.own()

    def own(self) -> OwnMeasure:
        """The measure of untied."""
        return as_measure(type(self)(**{name: value for name, value in self.params.items() if name != "ties"}))

    def aggregator(self) -> Agg:
        """Return the object that aggregates the values of queries."""
        if self.own().is_count:
            return SumAgg()
        return GeometricMean() if self.params.get("mean") == "geometric" else Mean()


class Mean(Agg):
    """The mean of values. Undefined ones are left out, as in untied; only ESL has them here."""

    def __init__(self) -> None:
        self.terms: list[float] = []

    def add(self, value: float) -> None:
        """Add a value."""
        if not math.isnan(value):
            self.terms.append(value)

    def result(self) -> float:
        """Return the mean so far, or NaN if there are no values."""
        return math.fsum(self.terms) / len(self.terms) if self.terms else math.nan


class GeometricMean(Mean):
    """The geometric mean of values. Values below 0.00001 count as 0.00001."""

    def add(self, value: float) -> None:
        """Add a value."""
        super().add(math.log(max(value, 1e-5)))

    def result(self) -> float:
        """Return the mean so far, or NaN if there are no values."""
        return math.exp(super().result())


def _measure(info: MeasureInfo) -> UntiedMeasure:
    """Return a measure in the form in which ir_measures describes its own."""
    name = f"untied_{info['name']}" if info["name"] in ir_measures.measures.registry else info["name"]
    parameters = {
        parameter: ir_measures.ParamInfo(default=_default(default), desc=text)
        for parameter, default, text in info["parameters"]
    }
    for parameter, text in (("mean", "'arithmetic' or 'geometric'"), ("ties", f"one of {', '.join(TIES)}")):
        parameters[parameter] = ir_measures.ParamInfo(desc=text)
    at = "recall" if info["cutoff"] == "recall" else "cutoff"
    parameters.setdefault(at, ir_measures.ParamInfo(desc="cutoff"))
    attributes = {
        "__name__": name,
        "__doc__": f"{info['title']}: {info['equation']}. {info['reference']}.",
        "NAME": name,
        "PRETTY_NAME": info["title"],
        "SHORT_DESC": info["equation"],
        "AT_PARAM": at,
        "SUPPORTED_PARAMS": parameters,
    }
    made: UntiedMeasure = type(name, (UntiedMeasure,), attributes)()
    return made


def _default(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return NOT_PROVIDED


class UntiedProvider(ir_measures.Provider):
    """The provider of untied's measures. With `prefer`, it also provides those of ir_measures that untied knows."""

    NAME = "untied"

    prefer = False
    ties: TiesOfOneValue = "trec"

    def supports(self, measure: Any) -> bool:
        """Say whether untied computes this measure: its own, or with `prefer` one of ir_measures that it knows."""
        measure.validate_params()
        if isinstance(measure, UntiedMeasure):
            return True
        # Without rel, ir_measures wants grades as gains, on a scale that it leaves open.
        if not self.prefer or (measure.NAME == "RBP" and measure["rel"] is NOT_PROVIDED):
            return False
        try:
            as_measure(measure)
        except MeasureError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> UntiedEvaluator:
        # ir_measures asks for sets: in an order of their names, results do not depend on how strings are hashed.
        in_order = sorted(measures, key=_natural) if isinstance(measures, (set, frozenset)) else list(measures)
        return UntiedEvaluator(in_order, qrels, self.ties)


def _natural(measure: Any) -> list[str | int]:
    """A sort key that puts P@5 before P@10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", str(measure))]


class UntiedEvaluator(ir_measures.Evaluator):
    """Qrels and measures, prepared for any number of runs."""

    def __init__(self, measures: list[Any], qrels: Any, ties: TiesOfOneValue) -> None:
        own = {
            measure: measure.own() if isinstance(measure, UntiedMeasure) else as_measure(measure)
            for measure in measures
        }
        by_subtopic = any(NEEDS[mine.name] == "subtopics" for mine in own.values())
        judged = _by_subtopic(QrelsConverter(qrels)) if by_subtopic else _nested(QrelsConverter(qrels), "relevance")
        super().__init__(measures, set(judged))
        # No judgments are no error in ir_measures, for a query or for all: PyTerrier's batches may have none.
        judged = {query: documents for query, documents in judged.items() if documents}
        self.ids = {str(query): query for query in judged}
        qrels = as_qrels(judged)
        grades = [grade for grade in qrels.grades() if grade > 0]
        # By tie policy: what untied calls a measure, and who asked for it.
        asked: dict[TiesOfOneValue, dict[OwnMeasure, list[Any]]] = {}
        for measure in measures:
            is_own = isinstance(measure, UntiedMeasure)
            policy = measure.params.get("ties", ties) if is_own else ties
            mine = own[measure] if is_own else _as_provided(measure, grades)
            asked.setdefault(policy, {}).setdefault(mine, []).append(measure)
        policies = asked.items() if judged else ()
        self.parts = [
            (policy, {str(mine): names for mine, names in group.items()}, Evaluator(qrels, list(group), ties=policy))
            for policy, group in policies
        ]

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        retrieved = _nested(RunConverter(run), "score")
        present: dict[str, list[ir_measures.Metric]] = {str(query): [] for query in retrieved}
        absent = []
        for policy, asked, evaluator in self.parts:
            with Silence():  # the original package does not warn either
                table = evaluator.evaluate(with_finite_scores(retrieved, Policies("one-value", ties=policy))).per_query
            for query, name, value in zip(table["query"], table["measure"], table["value"], strict=True):
                for measure in asked[name]:
                    metric = ir_measures.Metric(query_id=self.ids[query], measure=measure, value=value)
                    if query in present:
                        present[query].append(metric)
                    # ir_measures gives its own measures a default for queries that the run lacks, NumRel among them.
                    elif isinstance(measure, UntiedMeasure):
                        absent.append(metric)
        for metrics in present.values():  # in the run's order
            yield from metrics
        yield from absent


def _as_provided(measure: Any, grades: list[float]) -> OwnMeasure:
    """Return the measure with the settings of ir_measures' own provider.

    A grade that `gains` lacks is its own gain. Ideal rankings are those of ndeval.
    """
    gains = measure.params.get("gains")
    mine = as_measure(measure if gains is None else measure(gains={**{grade: grade for grade in grades}, **gains}))
    return mine(ideal="ndeval") if mine.name in WITH_IDEAL else mine


def _nested(converter: Any, number: str) -> dict[Any, dict[Any, Any]]:
    """``{query: {document: number}}`` from any of the shapes that ir_measures takes."""
    source = converter.qrels if number == "relevance" else converter.run
    kind, _ = converter.predict_type()
    if kind == "dict_of_dict":
        return dict(source)
    columns = ("query_id", "doc_id", number)
    if kind == "pd_dataframe":
        rows: Iterable[Any] = zip(*(source[column].tolist() for column in columns), strict=True)
    else:
        rows = ([getattr(row, column) for column in columns] for row in converter.as_namedtuple_iter())
    nested: dict[Any, dict[Any, Any]] = {}
    for query, document, value in rows:
        documents = nested.setdefault(query, {})
        if document in documents and (number == "score" or documents[document] != value):
            raise UntiedError(f"query {query!r} has document {document!r} twice")
        documents[document] = value
    return nested


def _by_subtopic(converter: Any) -> dict[Any, dict[Any, dict[Any, Any]]]:
    """``{query: {subtopic: {document: grade}}}``: the subtopic is what ir_measures calls iteration."""
    nested: dict[Any, dict[Any, dict[Any, Any]]] = {}
    for row in converter.as_namedtuple_iter():
        documents = nested.setdefault(row.query_id, {}).setdefault(getattr(row, "iteration", "0"), {})
        if documents.setdefault(row.doc_id, row.relevance) != row.relevance:
            raise UntiedError(f"query {row.query_id!r} has document {row.doc_id!r} twice in a subtopic")
    return nested


PROVIDER = UntiedProvider()  # type: ignore[no-untyped-call]

#: Measures that users define stay with untied.
BUILT_IN = [info for info in measure_info() if not info["family"].startswith("Defined in ")]

WITH_IDEAL = {info["name"] for info in BUILT_IN if any(name == "ideal" for name, *_ in info["parameters"])}

#: untied's measures by the names they have in ir_measures; those of documents' lengths have no place for them there.
MEASURES: dict[str, UntiedMeasure] = {
    str(measure): measure for measure in (_measure(info) for info in BUILT_IN if info["needs"] != "documents")
}

#: What measures read.
NEEDS = {info["name"]: info["needs"] for info in BUILT_IN}


def __getattr__(name: str) -> UntiedMeasure:
    try:
        return MEASURES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def install(*, prefer: bool = False, ties: TiesOfOneValue = "trec") -> None:
    """Register untied with ir_measures.

    Importing this module already does so. Call this function if you want untied to compute ir_measures' own measures,
    too, or if you want another policy for ties.

    Parameters
    ----------
    prefer : bool
        Whether untied also computes ir_measures' own measures. It then goes before all other providers.
    ties : str
        How to score documents with equal scores. A measure may have a setting of its own. ``"trec"`` gives the values
        of ir_measures' pytrec_eval provider. ``"expected"``, ``"best"``, ``"worst"``, ``"docid"`` and ``"given"`` are
        as for `untied.evaluate`.
    """
    Policies("one-value", ties=ties)
    uninstall()
    PROVIDER.prefer, PROVIDER.ties = prefer, ties
    ir_measures.providers.register(PROVIDER)
    ir_measures.measures.registry.update(MEASURES)
    ir_measures.DefaultPipeline.providers.insert(0, PROVIDER)


def uninstall() -> None:
    """Undo `install` and the import: ir_measures is what it was before."""
    ir_measures.providers.registry.pop(PROVIDER.NAME, None)
    for name in MEASURES:
        ir_measures.measures.registry.pop(name, None)
    providers = ir_measures.DefaultPipeline.providers
    providers[:] = [provider for provider in providers if provider is not PROVIDER]


install()
