"""Rankings of passages against all assignments of gains to characters, in exact fractions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest

import untied

Passage = tuple[str, int, int]
Judged = tuple[str, int, int, float]
Character = tuple[str, int]


def characters(document: str, start: int, length: int) -> list[Character]:
    return [(document, start + i) for i in range(length)]


def score(
    ranking: Sequence[Passage], gains: Mapping[Character, Fraction], length: Fraction, overhead: Fraction
) -> Fraction:
    """S of a ranking, read character by character, each at time i for D(i) = 1 - i / length."""
    time = total = Fraction(0)
    for passage in ranking:
        time += overhead * (passage[2] > 0)
        for character in characters(*passage):
            time += 1
            total += gains[character] * max(Fraction(0), 1 - time / length)
    return total


def largest(
    a: list[Passage], b: list[Passage], judged: list[Judged], length: Fraction, overhead: Fraction
) -> tuple[Fraction, Fraction]:
    """The largest S(A) - S(B) and S(B) - S(A) over gains 0 and 1 of every character that is not judged."""
    known: dict[Character, Fraction] = {}
    for document, start, extent, gain in judged:
        for character in characters(document, start, extent):
            known[character] = max(known.get(character, Fraction(0)), Fraction(gain))
    unknown = sorted({c for passage in [*a, *b] for c in characters(*passage)} - known.keys())
    differences = []
    for drawn in itertools.product([Fraction(0), Fraction(1)], repeat=len(unknown)):
        gains = {**known, **dict(zip(unknown, drawn, strict=True))}
        differences.append(score(a, gains, length, overhead) - score(b, gains, length, overhead))
    return max(differences), -min(differences)


def rest(ranking: list[Passage], length: Fraction, overhead: Fraction) -> Fraction:
    """What text of its own that follows a ranking at once is worth, if all of it gains 1."""
    time = sum((passage[2] + overhead * (passage[2] > 0) for passage in ranking), Fraction(0))
    return sum((max(Fraction(0), 1 - (time + i) / length) for i in range(1, int(length) + 1)), Fraction(0))


@pytest.mark.parametrize("filled", [True, False], ids=["filled", "not filled"])
def test_all_assignments(filled: bool) -> None:
    chance = random.Random(f"passages {filled}")
    for _ in range(400):

        def passage() -> Passage:
            return chance.choice("xyz"), chance.randrange(3), chance.randrange(3)

        a, b = ([passage() for _ in range(chance.randrange(4))] for _ in "ab")
        judged = [(*passage(), chance.choice([0, 0.25, 1])) for _ in range(chance.randrange(3))]
        length, overhead = Fraction(chance.randrange(2, 24), 2), chance.choice([Fraction(0), Fraction(3, 4)])
        up, down = largest(a, b, judged, length, overhead)
        if filled:
            up, down = (value + rest(one, length, overhead) for value, one in ((up, a), (down, b)))
        options = {"judged": judged, "length": float(length), "overhead": float(overhead), "filled": filled}
        found = {
            direction: untied.compare_passages(a, b, **options, direction=direction).mean
            for direction in ("a-b", "b-a", "both")
        }
        assert found == {
            "a-b": pytest.approx(float(up), abs=1e-12),
            "b-a": pytest.approx(float(down), abs=1e-12),
            "both": pytest.approx(float(max(up, down)), abs=1e-12),
        }


def test_what_the_paper_has() -> None:
    """Rankings without common text differ by all of U: 5999.5, half of it where relevant text gains 1/2."""
    a, b = [("x", 500, 9000), ("y", 0, 7000)], [("x", 9500, 700), ("z", 100, 200)]
    assert untied.compare_passages(a, b).mean == pytest.approx(5999.5, rel=1e-13)
    assert untied.compare_passages(a, b, max_gain=0.5).mean == pytest.approx(2999.75, rel=1e-13)
    assert untied.compare_passages(a, a).mean == 0


def test_exponential_decay() -> None:
    """Adding up a geometric sequence: 1000 characters against nothing."""
    found = untied.compare_passages([("x", 7, 1000)], [], decay="exponential", length=300, filled=False).mean
    assert found == pytest.approx(sum(2 ** (-i / 300) for i in range(1, 1001)), rel=1e-12)


def test_queries() -> None:
    a = {"1": [("x", 0, 10)], "2": [("x", 0, 10)], "3": []}
    b = {"2": [("x", 0, 10)], "10": [], "1": [("y", 0, 10)]}
    found = untied.compare_passages(a, b, judged={"1": [("x", 0, 100, 0)]}, filled=False, length=10)
    assert found.per_query == {"1": pytest.approx(4.5), "2": 0}
    assert (found.mean, found.alone) == (pytest.approx(2.25), (1, 1))
    assert repr(found) == "<untied.PassageComparison: mean 2.2500 of 2 queries>"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"decay": "none"}, "decay must be 'linear' or 'exponential', not 'none'"),
        ({"direction": "up"}, "direction must be 'both', 'a-b' or 'b-a', not 'up'"),
        ({"length": 0}, "length must be a number above 0, not 0"),
        ({"length": float("nan")}, "length must be a number above 0, not nan"),
        ({"max_gain": float("inf")}, "max_gain must be a number above 0, not inf"),
        ({"overhead": -1}, "overhead must be a number from 0, not -1"),
        ({"a": [("x", 0, 1), ("x", 3)]}, r"query 'query' of a, passage 2: expected \(document, start, length\)"),
        ({"b": [("x", -1, 1)]}, "of b, passage 1: start and length must be whole numbers from 0, not -1 and 1"),
        ({"b": [("x", 1 << 32, 1)]}, "of b, passage 1: it ends at 4294967297, beyond 4294967296"),
        ({"judged": [("x", 0, 1)]}, r"of judged, passage 1: expected \(document, start, length, gain\)"),
        ({"judged": [("x", 0, 1, -1)]}, "of judged, passage 1: the gain must be a number from 0, not -1"),
        ({"a": {"1": []}, "b": {"2": []}}, "no query in common"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(untied.UntiedError, match=message):
        untied.compare_passages(**{"a": [("x", 0, 1)], "b": [], **arguments})


def test_lists_go_with_lists() -> None:
    with pytest.raises(TypeError, match="a ranked list"):
        untied.compare_passages([("x", 0, 1)], {"1": []})
    with pytest.raises(TypeError, match="a dict"):
        untied.compare_passages({"1": []}, {"1": []}, judged=[("x", 0, 1, 0)])
