"""A case as adapters ask for it. Each look at the input raises `NotOffered` where an evaluator cannot be given it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class NotOffered(Exception):
    """The evaluator lacks the measure, or takes other input."""


class Case:
    """A case, and the forms of its input that evaluators take."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields
        self.question: str = fields["question"]
        measure = fields["measure"]
        self.name: str = measure["name"]
        self.cutoff: int | None = measure.get("cutoff")
        self.recall: float | None = measure.get("recall")
        self.parameters: dict[str, Any] = measure.get("parameters", {})

    def __getattr__(self, name: str) -> Any:
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def measure(self) -> str:
        """The measure in one line, for instance ``nDCG(gain='exp2')@3``."""
        given = ", ".join(f"{key}={as_python(value)!r}" for key, value in self.parameters.items())
        at = self.cutoff if self.recall is None else self.recall
        return self.name + (f"({given})" if given else "") + (f"@{at}" if at is not None else "")

    @property
    def family(self) -> str:
        """The measure without its cutoff, ``nDCG(gain='exp2')@k`` for instance."""
        text = self.measure
        return text[: text.rindex("@")] + "@k" if self.cutoff is not None else text

    def asks(self, *questions: str) -> None:
        """That the case asks one of these questions, of grades."""
        if self.question not in questions:
            raise NotOffered(f"answers no question of {self.question}")
        if "judgments" in self.fields or "lengths" in self.fields:
            raise NotOffered("takes grades alone")

    def look_up(self, table: dict[str, Any]) -> Any:
        """What the evaluator calls the measure."""
        self.asks("value")
        if self.family not in table:
            raise NotOffered(f"has no {self.family}")
        return table[self.family]

    # ------------------------------------------------------------------------------------------------------------------
    # Input

    def dicts(self) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, float]]]:
        """Judgments and run as dicts, which hold a document once."""
        if self.fields.get("refuse"):
            raise NotOffered("takes a dict, which holds a document once")
        return self.fields["qrels"], {query: dict(ranked) for query, ranked in self.fields["run"].items()}

    def query(self) -> tuple[dict[str, Any], list[tuple[str, float]]]:
        """The judgments and the ranking of the only query."""
        self.asks("value")
        qrels, run = self.fields["qrels"], self.fields["run"]
        if len(qrels) > 1 or len(run) > 1 or set(qrels) != set(run):
            raise NotOffered("takes one query")
        [query] = qrels
        return qrels[query], [(doc, score) for doc, score in run[query]]

    def means(self, of_query: Callable[[dict[str, Any], list[tuple[str, float]]], float]) -> float:
        """The plain mean of single queries, as users of an evaluator of one query take it; not of missing ones."""
        self.asks("value")
        qrels, run = self.fields["qrels"], self.fields["run"]
        if set(qrels) != set(run):
            raise NotOffered("takes one query")
        values = [of_query(qrels[query], [(doc, score) for doc, score in run[query]]) for query in qrels]
        return sum(values) / len(values)


def ranked_list(ranked: list[tuple[str, float]]) -> list[str]:
    """Documents by falling score, for evaluators that take no scores: there must be no tie."""
    if len({score for _, score in ranked}) < len(ranked):
        raise NotOffered("takes a ranked list without scores, so ties are the caller's")
    return [doc for doc, _ in sorted(ranked, key=lambda pair: -pair[1])]


def relevant(truth: dict[str, Any]) -> list[str]:
    """Ids of relevant documents, for evaluators that take no grades: these must be whole and not negative."""
    if any(grade < 0 or grade != int(grade) for grade in truth.values()):
        raise NotOffered("takes relevant ids without grades")
    return [doc for doc, grade in truth.items() if grade >= 1]


def whole_grades(truth: dict[str, Any]) -> dict[str, int]:
    """Grades, for evaluators that take integers only."""
    if any(grade != int(grade) for grade in truth.values()):
        raise NotOffered("takes whole grades")
    return {doc: int(grade) for doc, grade in truth.items()}


def all_retrieved(truth: dict[str, Any], ranked: list[tuple[str, float]]) -> None:
    """That arrays of labels hold all judgments: nothing relevant is unretrieved."""
    retrieved = {doc for doc, _ in ranked}
    if any(grade > 0 for doc, grade in truth.items() if doc not in retrieved):
        raise NotOffered("takes labels of retrieved documents alone")


def labels(truth: dict[str, Any], ranked: list[tuple[str, float]]) -> tuple[list[Any], list[float]]:
    """The grades of the retrieved documents, 0 where there is none, and their scores, in the order given."""
    if len({doc for doc, _ in ranked}) < len(ranked):
        raise NotOffered("takes arrays without ids")
    return [truth.get(doc, 0) for doc, _ in ranked], [score for _, score in ranked]


def arrays_of_queries(case: Case) -> Iterator[tuple[list[Any], list[float]]]:
    """`labels` of each judged query, for evaluators that take flat arrays and the sizes of the queries."""
    for query, truth in case.qrels.items():
        ranked = case.run.get(query)
        if not ranked or len(case.run) != len(case.qrels):
            raise NotOffered("takes arrays of judged queries")
        all_retrieved(truth, ranked)
        relevant(truth)
        yield labels(truth, ranked)


def as_python(value: Any) -> Any:
    """A parameter: keys that are numbers are numbers again."""
    if isinstance(value, dict):
        return {int(key) if key.isdigit() else key: one for key, one in value.items()}
    return value
