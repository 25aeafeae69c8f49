"""Simulated machine judges, each with its own way of erring about relevance."""

from __future__ import annotations

from math import exp
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random
    from typing import TypeAlias

    #: Says of a document how probable it is that the machine calls it relevant though it's not, and the reverse.
    Errors: TypeAlias = Callable[["Seen"], tuple[float, float]]


class Seen(NamedTuple):
    """A document of a query that the machine labels."""

    #: The human grade; 0 if people did not judge it.
    grade: float
    #: Its best rank in any run, and its best rank in the first two runs (None if neither has it).
    rank: int
    family_rank: int | None


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x))


def _good(_: Random) -> Errors:
    return lambda _: (0.1, 0.1)


def _llm(chance: Random) -> Errors:
    leniency = chance.gauss(0, 1)
    errors = _logistic(leniency - 3), _logistic(-leniency - 1.2)
    return lambda _: errors


def _generous(_: Random) -> Errors:
    return lambda _: (0.3, 0.0)


def _top_ranks(_: Random) -> Errors:
    def errors(seen: Seen) -> tuple[float, float]:
        near = exp(-(seen.rank - 1) / 20)
        return 0.6 * near, 0.4 * (1 - near)

    return errors


def _family(_: Random) -> Errors:
    def errors(seen: Seen) -> tuple[float, float]:
        rank = seen.family_rank
        return 0.5 if rank is not None and rank <= 20 else 0.02, 0.5 if rank is None else 0.1

    return errors


def _useless(_: Random) -> Errors:
    return lambda _: (0.1, 0.9)


def _inverted(_: Random) -> Errors:
    return lambda _: (1.0, 1.0)


#: For each machine what it does, and what makes its errors in a query.
MACHINES: dict[str, tuple[str, Callable[[Random], Errors]]] = {
    "good": ("gets one label in ten wrong", _good),
    "llm": (
        "finds about three quarters of the relevant documents and calls about 6 % of the others relevant, and is "
        "lenient in some queries and strict in others",
        _llm,
    ),
    "generous": ("calls 30 % of the documents relevant that are not", _generous),
    "top-ranks": ("takes documents near the top for relevant, and misses relevant ones further down", _top_ranks),
    "family": (
        "likes the first two runs: it calls half of what they show in the first 20 ranks relevant, and misses half of "
        "what only other runs retrieve",
        _family,
    ),
    "useless": ("calls 10 % of the documents relevant, at random", _useless),
    "inverted": ("takes relevant documents for others, and others for relevant ones", _inverted),
}


def labels(name: str, documents: Mapping[str, Seen], chance: Random) -> dict[str, float]:
    """Return the grades that a machine gives to the documents of a query."""
    errors = MACHINES[name][1](chance)
    found = {}
    for document, seen in documents.items():
        to_relevant, to_other = errors(seen)
        draw = chance.random()
        found[document] = (0.0 if draw < to_other else seen.grade) if seen.grade > 0 else float(draw < to_relevant)
    return found
