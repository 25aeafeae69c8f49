"""The names of the measures, and a measure with its parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from typing import Any

from oracle import binary, blended, graded, partial, sampled, subtopics, users
from oracle.judgements import Lengths, Number, Subtopics, Truth, gain_of, is_judged, relevant_total
from oracle.stated import STATED

MODULES = (binary, blended, graded, users, partial, sampled, subtopics)  # where measures are stated

MEASURES: dict[str, Callable[..., Fraction | None]] = {name: one.definition for name, one in STATED.items()}
COUNTS = {name for name, one in STATED.items() if one.is_count}
LOWER_IS_BETTER = {name for name, one in STATED.items() if one.lower_is_better}
OF_SUBTOPICS = {name for name, one in STATED.items() if one.form == "subtopics"}
#: Judgements are pairs; their format.
OF_PAIRS = {name: one.form for name, one in STATED.items() if one.form not in (None, "subtopics")}
OF_DOCUMENTS = {name for name, one in MEASURES.items() if "lengths" in signature(one).parameters}
#: What follows the @ is a recall level, not a cutoff.
AT_RECALL = {name for name, one in MEASURES.items() if "recall" in signature(one).parameters}


@dataclass(frozen=True, init=False)
class Measure:
    """A measure, what follows its @, and its parameters; one that is None keeps the default of the definition."""

    name: str
    k: int | float | None
    params: dict[str, Any]

    def __init__(self, name: str, k: int | float | None = None, **params: Any) -> None:
        if params.get("judged_only") is False:
            del params["judged_only"]
        given = {key: value for key, value in params.items() if value is not None}
        for key, value in (("name", name), ("k", k), ("params", given)):
            object.__setattr__(self, key, value)

    def of(self, order: Sequence[str], truth: Truth | Subtopics, lengths: Lengths | None = None) -> Fraction | None:
        """Value for one total order; None if it is left undefined."""
        params = {key: value for key, value in self.params.items() if key not in ("judged_only", "mean")}
        if "judged_only" in self.params:
            order = [doc for doc in order if self.is_judged(doc, truth)]
        if self.k is not None:
            params["recall" if self.name in AT_RECALL else "k"] = self.k
        if self.name in OF_DOCUMENTS:
            params["lengths"] = lengths
        return MEASURES[self.name](order, truth, **params)

    def is_defined(self, order: Sequence[str], truth: Truth) -> bool:
        """Whether it has a value of its own, and not the 0 that stands for none."""
        if self.name == "nDCG":
            base = {doc: truth[doc] for doc in order if doc in truth}
            return self._gain(base if self.params.get("recall_base") == "ranking" else truth)
        if (is_defined := STATED[self.name].is_defined) is not None:
            return is_defined(order, truth, **{key: v for key, v in self.params.items() if key != "mean"})
        if STATED[self.name].of_relevant:
            return relevant_total(order, truth, self.params.get("rel", 1), self.params.get("recall_base", "qrels")) > 0
        return self.of(order, truth) is not None if self.name in LOWER_IS_BETTER else True

    def _gain(self, truth: Truth) -> bool:
        """Whether an ideal ranking of these documents has any gain."""
        of = {key: self.params[key] for key in ("gain", "rel") if key in self.params}
        return any(gain_of(doc, truth, of.get("gain", "linear"), of.get("rel", 0)) > 0 for doc in truth)

    def moments(self, order: Sequence[str], truth: Any) -> tuple[Fraction, Fraction]:
        """Mean and mean square of a measure that is random even for one order."""
        moments = STATED[self.name].moments
        assert moments is not None
        return moments(order, truth, **{key: v for key, v in self.params.items() if key != "mean"})

    def possible(self, judged: Iterable[Number]) -> list[Number]:
        """Grades that a document without a judgment may have, given those of all judged documents of all queries.

        Such a document may be non-relevant, or have any positive grade that occurs. Nobody can exclude that it is
        relevant: where no grade that occurs is relevant to the measure, it may have the lowest that is, `rel` but at
        least 1.
        """
        positive = {grade for grade in judged if grade > 0}
        rel = signature(MEASURES[self.name]).parameters.get("rel")
        least = self.params.get("rel", 0 if rel is None else rel.default) or 0
        if self.name == "RBP" and "max_grade" in self.params:
            least = 0  # every grade gains
        gains = self.params.get("gain")
        if isinstance(gains, dict):
            worth = {grade for grade, gain in gains.items() if grade > 0 and gain > 0 and grade >= least}
            return sorted({0, *positive} if worth & positive else {0, *positive, *sorted(worth)[:1]})
        return sorted({0, *positive} if any(grade >= least for grade in positive) else {0, *positive, max(least, 1)})

    def is_judged(self, doc: str, truth: Any) -> bool:
        """Whether the document is judged, for some subtopic if there are subtopics."""
        if self.name in OF_SUBTOPICS:
            return any(is_judged(doc, one) for one in truth.values())
        if self.name in OF_PAIRS:
            return doc in truth and truth[doc][0 if OF_PAIRS[self.name] == "prels" else 1] >= 0
        return is_judged(doc, truth)

    def sees(self, doc: str, truth: Any, lengths: Lengths | None = None) -> Hashable:
        """Everything that the measure can know of a document."""
        if self.name in OF_SUBTOPICS:
            return tuple(one.get(doc) for one in truth.values())
        if self.name in OF_DOCUMENTS:
            assert lengths is not None
            return truth.get(doc), lengths[doc]
        return truth.get(doc)
