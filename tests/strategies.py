"""Hypothesis strategies for small tied rankings, and how an oracle measure is written for the package."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import oracle
import untied

CUT = {"P", "R", "RelP", "F1"}  # need a cutoff
MAY_CUT = {"AP", "RR", "DCG", "nDCG", "RBP", "RBPResidual", "Success", "Hits"}
SETS = {"SetP", "SetRelP", "SetR", "SetF", "SetAP"}
BINARY = {"P", "R", "RelP", "F1", "AP", "RR", "Success", "Rprec", "RBP", "NumRel", "NumRelRet", "NumNonrelJudgedRet"}
BINARY |= {*SETS, "Hits"}
BASED = {"R", "RelP", "F1", "AP", "Rprec", *SETS} - {"SetP"}
GAINED = {"DCG", "nDCG"}

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
    return {key: float(value) if isinstance(value, Fraction) else value for key, value in measure.params().items()}


def as_text(measure: oracle.Measure) -> str:
    """For example ``nDCG(gain='exp2', discount=[1, 0.5])@3``."""
    params = ", ".join(f"{key}={value!r}" for key, value in plain_params(measure).items())
    return measure.name + (f"({params})" if params else "") + (f"@{measure.k}" if measure.k is not None else "")


def as_object(measure: oracle.Measure) -> Any:
    """For example ``untied.nDCG(gain="exp2") @ 3``."""
    result = getattr(untied, measure.name)
    if measure.params():
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


@st.composite
def topics(draw: st.DrawFn, real: bool = True) -> Topic:
    """Rankings of at most 9 documents in groups of at most 6; with whole grades only if ``real`` is False.

    A few grades per topic keep the arrangements few: at most 540 for 9 documents. Grade None is unjudged.
    """
    n = draw(st.sampled_from([5, 7, 6, 8, 9, 4, 3, 2, 1, 0, 9, 8, 7, 6]))
    pool: list[float | None] = [1, 0, 2, None, -1, 3, -2, *([0.5, 1.5, 2.75] if real else [])]
    palette = [draw(st.sampled_from([1, 2, *pool])), draw(st.sampled_from([0, *pool])), draw(st.sampled_from(pool))]
    if n <= 5:
        palette += draw(st.lists(st.sampled_from(pool), max_size=2))
    docs = draw(st.permutations(DOCS))[:n]
    judged = [*docs, *UNRETRIEVED[: draw(st.integers(0, 3))]]
    grades = [draw(st.sampled_from(palette)) for _ in judged]
    truth = {doc: grade for doc, grade in zip(judged, grades, strict=True) if grade is not None}
    truth.setdefault("judged", 0)  # a topic without any judgement is not a topic
    groups = []
    while docs:
        size = draw(st.integers(1, 6))
        groups.append(tuple(docs[:size]))
        docs = docs[size:]
    return Topic(tuple(groups), truth)


def cutoffs() -> st.SearchStrategy[int]:
    return st.integers(1, 11)


@st.composite
def measures(draw: st.DrawFn, name: str, tables: bool = False) -> oracle.Measure:
    """A measure with random parameters; gain tables, which need whole grades, on request."""
    kwargs: dict[str, Any] = {}
    if name in CUT or (name in MAY_CUT and draw(st.booleans())):
        kwargs["k"] = draw(cutoffs())
    if name in BINARY:
        kwargs["rel"] = draw(st.sampled_from([None, None, 1, 2, 3, 0.5, 1.25]))
    if name in BASED:
        kwargs["recall_base"] = draw(st.sampled_from([None, "qrels", "ranking", 1, 2, 5, 20]))
    if name in GAINED:
        gains: list[Any] = [None, "linear", "exp2"]
        if tables:
            gains = [
                {0: 0, 1: 1, 2: 3, 3: 7},
                {0: 0, 1: 0.25, 2: 0.5, 3: 4},
                {0: 0, 1: 3, 2: 2, 3: 1},
                {0: -1, 1: 1, 2: -0.5, 3: 2},
                {0: 0.5, 1: 1, 2: 3, 3: 7},
            ]
        kwargs["gain"] = draw(st.sampled_from(gains))
        lists: list[Any] = [[1, 0.5, 0.25], [1.0] * 12, [0.5, 1, 0, 0.75], [1, -0.5, 0.25]]
        kwargs["discount"] = draw(st.sampled_from([None, "log2", "log(2)", "log(10)", "log(2.5)", "inverse", *lists]))
        kwargs["rel"] = draw(st.sampled_from([None, None, 1, 2, 0.5, 1.25]))
    if name == "nDCG":
        kwargs["recall_base"] = draw(st.sampled_from([None, "qrels", "ranking"]))
    if name in ("RBP", "RBPResidual"):
        kwargs["p"] = draw(st.sampled_from([None, 0.8, 0.5, 0.95, 0.125]))
    if name == "RBP":
        kwargs["max_grade"] = draw(st.sampled_from([None, None, 3, 4.5]))
    if name == "SetF":
        kwargs["beta"] = draw(st.sampled_from([None, 0, 0.5, 1, 2]))
    if name not in oracle.COUNTS and name != "RBPResidual":
        kwargs["judged_only"] = draw(st.sampled_from([False, False, True]))
    return oracle.Measure(name, **kwargs)


def as_run(topic: Topic, form: str) -> Any:
    """A topic's ranking as tie groups or as scores."""
    return [list(group) for group in topic.groups] if form == "groups" else topic.scores()
