"""How many random instances tests draw, and from which seed.

Tests usually draw few instances, the same on every machine. ``python3 dev.py nightly`` draws at least ten times as
many, from a seed that it prints and sets as ``UNTIED_NIGHTLY``.
"""

from __future__ import annotations

import os
import random

SEED = os.environ.get("UNTIED_NIGHTLY")


def many(instances: int, nightly: int | None = None) -> int:
    """The number of instances to draw: `instances`, or ten times as many (or `nightly`) in a nightly run."""
    return (nightly or 10 * instances) if SEED else instances


def seeded(name: int | str) -> random.Random:
    """The random numbers of a test, by any name."""
    return random.Random(f"{SEED} {name}" if SEED else name)
