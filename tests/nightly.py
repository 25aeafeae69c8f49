"""How many random instances tests draw, and from which seed.

As a rule they are few, and the same on every machine. ``python3 dev.py nightly`` draws ten times as many from a seed
that it prints; it is in ``UNTIED_NIGHTLY``.
"""

from __future__ import annotations

import os
import random

SEED = os.environ.get("UNTIED_NIGHTLY")


def many(instances: int, nightly: int | None = None) -> int:
    """How many instances to draw where there are so many as a rule; by night ten times as many, or another number."""
    return (nightly or 10 * instances) if SEED else instances


def seeded(name: int | str) -> random.Random:
    """The random numbers of a test, by any name."""
    return random.Random(f"{SEED} {name}" if SEED else name)
