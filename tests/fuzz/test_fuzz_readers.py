"""The readers that are written in Python, fuzzed: every target over its corpus and a fixed sample of mutations.

The same on every machine, in seconds. `fuzz/campaign.py` runs the targets with a fuzzer (docs/testing.md).
"""

from __future__ import annotations

import random
import re
import runpy
from pathlib import Path

import pytest
from readers import TARGETS

from nightly import seeded

FUZZ = Path(__file__).parents[2] / "fuzz"

#: Mutations of seeds that are tried.
SAMPLE = 300


def words() -> list[bytes]:
    """The words of the dictionary."""
    found = re.findall(r'^"(.*)"$', (FUZZ / "python" / "dictionary").read_text(), re.MULTILINE)
    return [word.encode().decode("unicode_escape").encode("latin-1") for word in found]


def mutated(data: bytes, other: bytes, words: list[bytes], draw: random.Random) -> bytes:
    """One to four small changes."""
    data = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at = draw.randint(0, len(data))
        end = min(at + draw.randint(0, 30), len(data))
        cut = draw.randint(0, len(other))
        piece = [
            bytes([draw.randrange(256)]),
            data[at:end] * 2,
            other[cut : cut + 40],
            draw.choice(words),
            b"",
        ][draw.randrange(5)]
        data[at : draw.choice([at, at + 1, end])] = piece
    return bytes(data)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_mutations_of_them(name, tmp_path):
    target, path = TARGETS[name], tmp_path / "file"
    seeds = [seed.read_bytes() for seed in sorted((FUZZ / "corpus" / name).iterdir())]
    for seed in seeds:
        target(seed, path)
    draw, known = seeded(name), words()
    for at in range(SAMPLE):
        data = mutated(seeds[at % len(seeds)], draw.choice(seeds), known, draw)
        try:
            target(data, path)
        except Exception as error:
            error.add_note(f"target {name} failed on {data!r}")
            raise


def test_the_campaign_knows_all_targets():
    campaign = runpy.run_path(str(FUZZ / "campaign.py"))
    assert campaign["PYTHON"] == tuple(TARGETS)
    assert not set(campaign["PYTHON"]) & set(campaign["names"]())
