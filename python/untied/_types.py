"""Types of the dicts that the native code returns, for type checkers only."""

from typing import Literal, TypeAlias, TypedDict

#: Value, low, high, variance, certainty, standard error.
Parts: TypeAlias = tuple[float, float | None, float | None, float | None, str, float | None]

#: Low, high, whether they are reached, verdict, overturn number, whether it is exact, largest m (-1 for any).
Concluded: TypeAlias = tuple[float, float, bool, str, int | None, bool, int | None, bool]
#: Difference, documents with their grades, grades of documents that neither run retrieves.
Assigned: TypeAlias = tuple[float, list[tuple[str, float]], list[float]]
#: Query, lowest and highest difference, grades with which it is so, and with which the verdict is overturned.
Explained: TypeAlias = tuple[str, float, float, Assigned, Assigned, Assigned]


#: What is evaluated; it decides which values a policy has.
Purpose: TypeAlias = Literal["runs", "arrays", "pairs", "verdicts", "one-value", "distributions", "samples"]


class PolicyInfo(TypedDict):
    """A policy and its values for a purpose; each value with its meaning, and how captions describe it."""

    name: str
    label: str
    about: str
    placeholder: str
    choices: list[tuple[str, str, str]]


class MeasureInfo(TypedDict):
    """Facts about a measure."""

    family: str
    name: str
    aliases: list[str]
    title: str
    text: str
    cutoff: Literal["required", "optional", "none", "recall"]
    needs: Literal["judgments", "documents", "subtopics", "strata", "inclusion"]
    parameters: list[tuple[str, str, str]]
    range: str
    equation: str
    tex: str
    reference: str
    #: When an exact way takes too long, and what values are then.
    sampled: list[tuple[str, str]]
    #: Whether there are distributions over orders of ties.
    has_law: bool
    #: Why bounds over the grades of unjudged documents are not known, where that is so.
    unbounded: str | None


class AboutMeasure(TypedDict):
    """Description of a measure defined in Python."""

    name: str
    place: str
    by: str
    title: str
    text: str
    cutoff: Literal["required", "optional", "none"]
    parameters: list[tuple[str, object]]
    lower_is_better: bool


class Facts(TypedDict):
    """Counts that affect the values of an evaluation."""

    evaluated: int
    mixed: int
    absent: int
    unknown: int
    common: int
    matched: int
    relevant: int
    swapped: bool
    highest: float
    undefined: int
    undefined_queries: int
    left_out: int
    estimated: int
    standard_error: float | None
    enclosed: int
    overstated: int
    unsettled: int
    ungrouped: bool


class FeatureTies(TypedDict):
    """Numbers of tied documents and of distinct values of a feature."""

    distinct: int | None
    tied: float
    missing: int
    absent: int
    varied: int


class Findings(TypedDict):
    """Problems found in a run."""

    queries: tuple[int, int]
    documents: int
    absent: list[str]
    unknown: list[str]
    near_queries: list[tuple[str, str]]
    rank_contradicts: int
    rank_not_a_number: int
    tied_queries: tuple[int, int]
    tied_documents: int
    tied_in_32_bits: tuple[int, int]
    depths: tuple[int, int, int]
    top: tuple[int, int, int]
    judged: int
    near_document: tuple[str, str] | None
    without_relevant: list[str]
    repeated: int
    swapped: bool
    tags: list[str]


#: Values with their probabilities: of a distribution, or of two that enclose it.
Law: TypeAlias = tuple[list[tuple[float, float]], list[tuple[float, float]] | None]
#: Between which numbers P(A > B), P(A = B) and P(A < B) lie.
Compared: TypeAlias = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]


class TrecOptions(TypedDict):
    """Options of ``untied trec_eval``; numbers as written on the command line."""

    version: int
    measures: list[str]
    per_topic: bool
    summary: bool
    complete: bool
    judged_only: bool
    level: str
    collection: str
    depth: str | None
    judgments: str
    results: str
    deviations: str | None
    topic: str | None
