"""A mean from human values of some queries and a machine's of all: against its definition, and over all samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from scipy import stats

import untied
from nightly import many, seeded
from oracle import judges as oracle
from untied.statistics import Estimate, estimate_mean

#: Human values, and machine values, of all queries.
Population = tuple[list[Fraction], list[Fraction]]


def populations(name: str, count: int, sizes: tuple[int, int]) -> Iterator[Population]:
    """Random populations: with equal values, values equal but in one query, and machines of every quality."""
    rng = seeded(name)
    for number in range(many(count)):
        size = rng.randint(*sizes)
        human = [Fraction(rng.randint(0, 6), 6) for _ in range(size)]
        machine = [
            rng.choice([y, y, Fraction(rng.randint(0, 6), 6)])
            if number % 4
            else 1 - y
            if number % 8
            else Fraction(1, 3)
            for y in human
        ]
        if number % 3 == 0:
            machine = [*[Fraction(1, 10)] * (size - 1), Fraction(9, 10)]
        yield human, machine


def estimated(population: Population, sample: Sequence[int], **options) -> Estimate:
    human, machine = population
    return estimate_mean({i: float(human[i]) for i in sample}, {i: float(f) for i, f in enumerate(machine)}, **options)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_unbiased_over_all_samples(n):
    for population in populations(f"unbiased {n}", 12, (n, 7)):
        human, machine = population
        samples = list(combinations(range(len(human)), n))
        assert oracle.mean([oracle.estimate(human, machine, sample) for sample in samples]) == oracle.mean(human)
        means = [estimated(population, sample).mean for sample in samples]
        assert math.fsum(means) / len(means) == pytest.approx(float(oracle.mean(human)), abs=1e-12)


def test_estimate_and_interval_as_defined():
    rng = seeded("samples")
    for population in populations("defined", 60, (6, 14)):
        human, machine = population
        sample = rng.sample(range(len(human)), rng.randint(5, len(human)))
        for target in ("all", "these"):
            estimate = estimated(population, sample, target=target, level=0.9)
            assert estimate.mean == pytest.approx(float(oracle.estimate(human, machine, sample)), abs=1e-12)
            variance = oracle.variance(human, machine, sample, all_queries=target == "all")
            half = stats.t.ppf(0.95, len(sample) - 1) * math.sqrt(variance)
            assert estimate.high - estimate.mean == pytest.approx(half, abs=1e-12)
            assert estimate.mean - estimate.low == pytest.approx(half, abs=1e-12)
            y, f = [human[i] for i in sample], [machine[i] for i in sample]
            assert estimate.slope == pytest.approx(float(oracle.slope(y, f)), abs=1e-12)


def test_as_wide_as_the_equivalent_number_of_human_queries():
    for population in populations("equivalent", 30, (20, 40)):
        sample = range(12)
        both = [estimated(population, sample, target=target) for target in ("all", "these")]
        assert both[0].equivalent == both[1].equivalent
        y = [population[0][i] for i in sample]
        spread = float(oracle.product(y, y)) / 11
        queries = len(population[0])
        for estimate, beyond in zip(both, (spread / queries, 0), strict=True):
            without = spread * (1 / estimate.equivalent - 1 / queries) + beyond
            half = stats.t.ppf(0.975, 11) * math.sqrt(without)
            assert estimate.high - estimate.mean == pytest.approx(half, rel=1e-9)
            alone = stats.t.ppf(0.975, 11) * math.sqrt(spread * (1 / 12 - 1 / queries) + beyond)
            assert estimate.width == pytest.approx(half / alone, rel=1e-9)


def test_a_constant_error_of_the_machine_is_harmless():
    human = {i: (i * 7 % 13) / 13 for i in range(40)}
    machine = {i: (i * 7 % 13) / 13 + 0.25 for i in range(400)}
    estimate = estimate_mean(human, machine, target="these")
    assert estimate.mean == pytest.approx(sum((i * 7 % 13) / 13 for i in range(400)) / 400, abs=1e-3)
    assert estimate.bias == pytest.approx(0.25)
    assert estimate.slope > 0.99
    assert estimate.width == pytest.approx(1 / math.sqrt(40), abs=0.01)  # the floor
    assert estimate.notes == []


def test_a_machine_that_is_inverted_or_constant_is_not_used():
    human = {i: (i * 7 % 13) / 13 for i in range(26)}
    inverted = estimate_mean(human, {i: -(i * 7 % 13) / 13 for i in range(100)})
    constant = estimate_mean(human, dict.fromkeys(range(100), 0.5))
    for estimate in (inverted, constant):
        assert estimate.mean == pytest.approx(estimate.human)
        assert (estimate.slope, estimate.width) == (0, pytest.approx(1))
        assert estimate.notes == ["the machine is not used: its values do not rise with the human values"]


def test_all_queries_judged_by_people_leave_nothing_to_the_machine():
    human = {i: (i * 5 % 11) / 11 for i in range(22)}
    estimate = estimate_mean(human, {i: (i * 3 % 11) / 11 for i in range(22)}, target="these")
    assert estimate.mean == estimate.low == estimate.high == pytest.approx(sum(human.values()) / 22)
    assert (estimate.width, estimate.equivalent) == (1, pytest.approx(22))
    assert estimate.notes == []


def test_equal_human_values():
    estimate = estimate_mean(dict.fromkeys(range(8), 0.1 + 0.2), {i: i / 10 for i in range(10)})
    assert estimate.mean == estimate.low == estimate.high == pytest.approx(0.3)
    assert math.isnan(estimate.correlation)
    assert (estimate.width, estimate.equivalent) == (1, 8)
    assert estimate.notes[-1] == "all human values are equal, so nothing says how far others could lie"


def test_notes():
    def notes(human: Sequence[float], machine: Sequence[float]) -> list[str]:
        by_name = {f"q{i}": value for i, value in enumerate(machine)}
        return estimate_mean({f"q{i}": value for i, value in enumerate(human)}, by_name).notes

    assert notes([0.1, 0.5, 0.3], [0.1, 0.4, 0.3, 0.2]) == ["no interval: it needs 5 human queries or more"]
    spread = [0.1, 0.8, 0.3, 0.6, 0.2, 0.9, 0.5]
    off = [value + 0.1 * (-1) ** place for place, value in enumerate(spread)]
    assert notes(spread, [*off, 0.5, 0.4]) == [
        "with only 7 human queries, intervals may be too narrow; so would they be without the machine"
    ]
    twice = spread * 2
    assert notes(twice, [0.2, *twice[1:], 0.5, 0.4]) == [
        "human and machine values differ in fewer than 5 queries, so a margin of safety, not the data, sets the width "
        "of the interval",
        "query q0 has over half of the variance",
    ]
    assert notes([0.1, 0.2] * 9 + [1.0], [0.3, 0.1, 0.2] * 10)[-1].startswith("human values are skewed")


def test_whole_numbers_name_queries_too():
    values = [0.1, 0.8, 0.3, 0.6, 0.2, 0.9, 0.5] * 2
    machine = dict(enumerate([*values, 0.5, 0.4]))
    machine[3] = 0.1
    assert "query 3 has over half of the variance" in estimate_mean(dict(enumerate(values)), machine).notes


@pytest.mark.parametrize(
    ("human", "machine", "options", "said"),
    [
        ({"a": 1.0}, {"b": 1.0}, {}, "machine lacks query 'a', which human has"),
        ([1.0], [1.0], {}, "human and machine must both be dicts"),
        ({}, {"b": 1.0}, {}, "human has no values"),
        ({"a": math.nan}, {"a": 1.0}, {}, "value of query 'a' in human must be a finite number"),
        ({"a": 1.0}, {"a": math.inf}, {}, "value of query 'a' in machine must be a finite number"),
        ({"a": 1.0}, {"a": 1.0}, {"target": "some"}, "target must be"),
        ({"a": 1.0}, {"a": 1.0}, {"level": 95}, "level must be between 0 and 1"),
    ],
)
def test_what_is_refused(human, machine, options, said):
    with pytest.raises(untied.UntiedError, match=said):
        estimate_mean(human, machine, **options)
