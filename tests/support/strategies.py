"""Hypothesis strategies for small tied rankings, and how an oracle measure is written for the package."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import oracle
import untied
from oracle.stated import DISCOUNTS, TABLES
from untied._core import measure_info

# Measures and parameters that the oracle states and the package does not have yet. To be emptied: a name in it that
# the package knows is an error (test_golden.py).
NOT_YET: set[str] = set()
BUILT_IN = [info for info in measure_info() if not info["family"].startswith("Defined in ")]  # tests define others
PACKAGE = {info["name"]: info for info in BUILT_IN}
# Measures of which the mean over orders is estimated where ties are large, as there are too many to list; those that
# need grades and no parameter.
ESTIMATED = [
    name
    for name, info in PACKAGE.items()
    if info["needs"] == "judgments" and all(default for _, default, _ in info["parameters"])
    if any(
        "arranged" in unless and then == "the mean and the variance are estimates" for unless, then in info["sampled"]
    )
]
TESTED = [name for name in oracle.MEASURES if name not in NOT_YET]

Groups = tuple[tuple[str, ...], ...]


def close(a: float | Fraction, b: float | Fraction, tolerance: float = 1e-12, floor: float = 1e-20) -> bool:
    """Whether two numbers agree, relatively, or both as good as 0.

    Relative below 1 too: a variance is often 1e-9, and an absolute bound would check hardly any of its digits. For
    groups that can be enumerated, means agree to about 2e-15 and variances to about 1e-14; where a number is exactly 0
    so is the package's. The worst known is the variance of AP, a sum of terms of both signs: 2e-12 of 8e-10 in a group
    of the bundled example. Hence the floor: it lets that pass and still holds a variance of 1e-9 to ten digits.
    """
    x, y = Fraction(a), Fraction(b)
    return abs(x - y) <= max(Fraction(tolerance) * max(abs(x), abs(y)), Fraction(floor))


# ---------------------------------------------------------------------------------------------------------------------
# Measures, as strings and as objects


def plain_params(measure: oracle.Measure) -> dict[str, Any]:
    """The parameters, as a user of the package writes them."""
    return {key: float(value) if isinstance(value, Fraction) else value for key, value in measure.params.items()}


def as_text(measure: oracle.Measure) -> str:
    """For example ``nDCG(gain='exp2', discount=[1, 0.5])@3``."""
    params = ", ".join(f"{key}={value!r}" for key, value in plain_params(measure).items())
    return measure.name + (f"({params})" if params else "") + (f"@{measure.k!r}" if measure.k is not None else "")


def as_object(measure: oracle.Measure) -> Any:
    """For example ``untied.nDCG(gain="exp2") @ 3``."""
    result = getattr(untied, measure.name)
    if measure.params:
        result = result(**plain_params(measure))
    return result @ measure.k if measure.k is not None else result


# ---------------------------------------------------------------------------------------------------------------------
# Instances

DOCS = ["d1", "d10", "d2", "B", "b", "~", "é", "\uffee", "\U0001f600"]  # byte order is not that of UTF-16, nor natural
UNRETRIEVED = ["u1", "u2", "u3"]


@dataclass(frozen=True)
class Topic:
    """A tied ranking and its judgements."""

    groups: Groups
    truth: dict[str, float]

    def scores(self) -> dict[str, float]:
        """Scores that give the tie groups; exact in every score type."""
        return {doc: float(-i) for i, group in enumerate(self.groups) for doc in group}


@dataclass(frozen=True)
class Case:
    """A tied ranking and everything that measures may look at."""

    groups: Groups
    truth: Any  # grades, grades by subtopic, or pairs with a stratum or a probability
    lengths: dict[str, float]


# Made once: to make a strategy takes longer than to draw from it.
SIZES = st.sampled_from([5, 7, 6, 8, 9, 4, 3, 2, 1, 0, 9, 8, 7, 6])
POOLS: dict[bool, list[float | None]] = {
    real: [1, 0, 2, None, -1, 3, -2, *([0.5, 1.5, 2.75] if real else [])] for real in (False, True)
}
GRADES = {
    real: [st.sampled_from([1, 2, *pool]), st.sampled_from([0, *pool]), st.sampled_from(pool)]
    for real, pool in POOLS.items()
}
MORE_GRADES = {real: st.lists(st.sampled_from(pool), max_size=2) for real, pool in POOLS.items()}
SHUFFLED = st.permutations(DOCS)
UP_TO_3 = st.integers(0, 3)
GROUP_SIZES = st.integers(1, 6)
LENGTHS = st.lists(st.sampled_from([0, 100, 300, 1000, 2500]), min_size=1, max_size=2)
CHANGES = st.sampled_from(["same", "same", "relevant", "not", "absent"])
SUBTOPICS = st.integers(1, 3)
RECALLS = st.sampled_from([0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 0.6, 0.7, 0.9, 1])
CUTOFFS = st.integers(1, 11)
MEANS = st.sampled_from([None] * 7 + ["geometric"])
FEW_CONDENSED = st.sampled_from([False, False, True])


@functools.cache
@st.composite
def cases(draw: st.DrawFn, name: str, real: bool = True) -> Case:
    """What the measure looks at: lengths of documents, judgements of several subtopics, of a sampled pool."""
    topic = draw(
        topics(real, most=7 if name in oracle.OF_DOCUMENTS | oracle.OF_SUBTOPICS | oracle.OF_PAIRS.keys() else 9)
    )
    if name in oracle.OF_DOCUMENTS:
        length = st.sampled_from(draw(LENGTHS))
        return Case(topic.groups, topic.truth, {doc: draw(length) for doc in (*DOCS, *UNRETRIEVED)})
    if name in oracle.OF_PAIRS:
        strata = oracle.OF_PAIRS[name] == "stratified"
        other = st.sampled_from(
            draw(st.sampled_from([[7], [1, 2], [0, 2, 30]] if strata else [[1], [0.5, 1], [0.1, 1, 0.3]]))
        )
        pairs = {doc: (draw(other), grade) for doc, grade in topic.truth.items()}
        return Case(topic.groups, pairs if strata else {doc: pair[::-1] for doc, pair in pairs.items()}, {})
    if name in oracle.OF_SUBTOPICS:
        truth = {f"{i}": dict(topic.truth) for i in range(draw(SUBTOPICS))}
        for one in list(truth.values())[1:]:
            for doc in list(one):
                changed = draw(CHANGES)
                if changed == "absent":
                    del one[doc]
                elif changed != "same":
                    one[doc] = float(changed == "relevant")
        return Case(topic.groups, truth, {})
    return Case(topic.groups, topic.truth, {})


@functools.cache
@st.composite
def topics(draw: st.DrawFn, real: bool = True, most: int = 9) -> Topic:
    """Rankings of at most 9 documents in groups of at most 6; with whole grades only if ``real`` is False.

    A few grades per topic keep the arrangements few: at most 540 for 9 documents. Grade None is unjudged.
    """
    n = min(draw(SIZES), most)
    palette = [draw(grade) for grade in GRADES[real]]
    if n <= 5:
        palette += draw(MORE_GRADES[real])
    docs = draw(SHUFFLED)[:n]
    judged = [*docs, *UNRETRIEVED[: draw(UP_TO_3)]]
    of_palette = st.sampled_from(palette)
    grades = [draw(of_palette) for _ in judged]
    truth = {doc: grade for doc, grade in zip(judged, grades, strict=True) if grade is not None}
    truth.setdefault("judged", 0)  # a topic without any judgement is not a topic
    groups = []
    while docs:
        size = draw(GROUP_SIZES)
        groups.append(tuple(docs[:size]))
        docs = docs[size:]
    return Topic(tuple(groups), truth)


REL: list[Any] = [None, None, 1, 2, 3, 0.5, 1.25]
# Values of parameters, by its name; measures may have others (`oracle.stated`). None: not given.
VALUES: dict[str, list[Any]] = {
    "alpha": [None, 0, 0.5, 0.75, 1],
    "beta": [None, 0.5, 0.9, 0.125],
    "discount": DISCOUNTS,
    "eps": [None, 0, 0.5, 1e-5],
    "estimator": [None, "paper", "sample_eval"],
    "extra": [None, 0, 1, 10],
    "gain": [None, "linear", "exp2", None, "linear", "exp2", None, "linear", "exp2", *TABLES],
    "levels": [None, [0.5], [0, 0.3, 1], [0.25, 0.5, 0.75]],
    "max_grade": [None, 3, 4, 5],
    "max_rel": [1, 2, 3, 4],
    "min_rel": [None, 0],
    "mult": [None, 0.2, 0.5, 0.6, 1.2, 2, 3.5],
    "p": [None, 0.8, 0.5, 0.95, 0.125],
    "prior": [None, 1, 2, 3, 2.5],
    "q": [None, 1, 2, 3],
    "recall_base": [None, "qrels", "ranking", 1, 2, 5, 20],
    "rel": REL,
    "self_weight": [None, "one", "ht"],
    "T": [None, 1, 2, 0.75, 1.5],
    "variant": [None, "trec_eval", "paper"],
    "L": [1000, 2000, 10_000, 500],
    "gain_at": [None, "end", "start"],
    "h": [None, 224, 100],
    "summary": [None, 0, 2.5],
    "per_word": [None, 0, 0.05],
    "per_document": [None, 0, 3],
    "click_relevant": [None, 1, 0.5],
    "click_other": [None, 0, 0.75],
    "save": [None, 0.5],
    "norm": [None, 1, 4],
    "depth": [None, 1000, 5, 1, 40],
    "count": [None, "set", "list"],
    "beyond": [None, "position", "recall"],
}


@functools.cache
def together(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Values of parameters that go together."""
    return st.sampled_from(oracle.STATED[name].together)


@functools.cache
def values(name: str, key: str) -> st.SearchStrategy[Any]:
    """Values of a parameter."""
    tried = oracle.STATED[name].tried
    return st.sampled_from(tried[key] if key in tried else VALUES[key])


@functools.cache
def defined(name: str) -> dict[str, inspect.Parameter]:
    """The parameters of a measure's definition, with what follows the @, without the order and what is known of it."""
    parameters = inspect.signature(oracle.MEASURES[name]).parameters
    without = ("order", "truth", "lengths")
    return {key: p for key, p in parameters.items() if key not in without and f"{name}.{key}" not in NOT_YET}


@functools.cache
@st.composite
def measures(draw: st.DrawFn, name: str) -> oracle.Measure:
    """A measure with random parameters: all that its definition has."""
    stated = oracle.STATED[name]
    given = draw(together(name))
    at: Any = None
    for key, parameter in defined(name).items():
        if name in oracle.AT_RECALL and key == "recall":
            at = draw(RECALLS)
        elif key == "k":
            if parameter.default is inspect.Parameter.empty or draw(st.booleans()):
                at = draw(CUTOFFS)
        elif key not in given and (key in stated.tried or key in VALUES or len(stated.together) == 1):
            given = given | {key: draw(values(name, key))}
    if may_condense(name):
        given = given | {"judged_only": draw(FEW_CONDENSED)}
    if name not in oracle.COUNTS:
        given = given | {"mean": draw(MEANS)}
    return oracle.Measure(name, at, **given)


def may_condense(name: str) -> bool:
    """Whether the package takes ``judged_only`` for the measure; unknown ones do not, here."""
    return name in PACKAGE and any(key == "judged_only" for key, *_ in PACKAGE[name]["parameters"])


def has_table(measure: oracle.Measure) -> bool:
    """Whether a parameter says something of single grades, which are to be whole then."""
    return any(isinstance(value, dict) for value in measure.params.values())


def as_run(topic: Topic, form: str) -> Any:
    """A topic's ranking as tie groups or as scores."""
    return [list(group) for group in topic.groups] if form == "groups" else topic.scores()
