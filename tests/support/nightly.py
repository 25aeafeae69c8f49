"""How many random instances tests draw, and from which seed.

Tests usually draw few instances, the same on every machine. ``python3 dev.py nightly`` draws at least ten times as
many, from a seed that it prints and sets as ``UNTIED_NIGHTLY``.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")

SEED = os.environ.get("UNTIED_NIGHTLY")


def many(instances: int, nightly: int | None = None) -> int:
    """The number of instances to draw: `instances`, or ten times as many (or `nightly`) in a nightly run."""
    return (nightly or 10 * instances) if SEED else instances


def some(cases: Sequence[Case], each: int) -> Sequence[Case]:
    """One of every `each` similar cases, or all of them in a nightly run."""
    return cases[:: 1 if SEED else each]


def at_night(*cases: Case) -> tuple[Case, ...]:
    """Cases that cost much and are like others: a nightly run has them."""
    return cases if SEED else ()


def seeded(name: int | str) -> random.Random:
    """The random numbers of a test, by any name."""
    return random.Random(f"{SEED} {name}" if SEED else name)
