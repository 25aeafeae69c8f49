"""Means from stratified samples: against their definition, over all samples, and over all allocations."""

from __future__ import annotations

import math
import random
import statistics
from fractions import Fraction
from itertools import combinations, product

import pytest
from scipy import stats

import untied
from nightly import many, seeded
from oracle import judges as oracle
from untied.statistics import allocate, estimate_mean, estimate_runs, estimate_strata


def values_of(rng, size):
    human = [Fraction(rng.randint(0, 6), 6) for _ in range(size)]
    return human, [rng.choice([y, 1 - y, Fraction(rng.randint(0, 6), 6)]) for y in human]


def estimated(human, machine, strata, samples, **options):
    names = {query: place for place, inside in enumerate(strata) for query in inside}
    judged = {query: float(human[query]) for sample in samples for query in sample}
    return estimate_strata(judged, dict(enumerate(map(float, machine))), names, **options)


def test_unbiased_over_all_samples():
    rng = seeded("strata")
    for _ in range(many(6)):
        human, machine = values_of(rng, 9)
        strata = [list(range(5)), list(range(5, 9))]
        drawn = list(product(combinations(strata[0], rng.randint(2, 5)), combinations(strata[1], rng.randint(2, 4))))
        exact = [oracle.stratified(human, machine, strata, samples)[0] for samples in drawn]
        assert oracle.mean(exact) == oracle.mean(human)
        means = [estimated(human, machine, strata, samples).mean for samples in drawn]
        assert means == pytest.approx([float(one) for one in exact], abs=1e-12)


def test_interval_as_defined():
    rng = seeded("intervals of strata")
    for _ in range(many(40)):
        human, machine = values_of(rng, 24)
        strata = [list(range(6)), list(range(6, 14)), list(range(14, 24))]
        samples = [rng.sample(inside, rng.randint(2, len(inside))) for inside in strata]
        these = estimated(human, machine, strata, samples, target="these", level=0.9)
        parts = []
        for inside, sample in zip(strata, samples, strict=True):
            others = [[] if one is not inside else sample for one in strata]
            kept = [one for one in zip(strata, others, strict=True) if one[1]]
            y = [human[query] for query in kept[0][0]]
            f = [machine[query] for query in kept[0][0]]
            places = [inside.index(query) for query in sample]
            part = oracle.variance(y, f, places, all_queries=False) if len(sample) < len(inside) else 0
            parts.append(float(part) * (len(inside) / 24) ** 2)
        variance = float(oracle.stratified(human, machine, strata, samples)[1])
        assert variance == pytest.approx(sum(parts))
        squares = sum(part**2 / (len(sample) - 1) for part, sample in zip(parts, samples, strict=True))
        half = stats.t.ppf(0.95, variance**2 / squares) * math.sqrt(variance) if squares else 0
        assert these.high - these.mean == pytest.approx(half, abs=1e-12)
        assert these.mean - these.low == pytest.approx(half, abs=1e-12)
        assert estimated(human, machine, strata, samples, target="all").high >= these.mean


def test_one_stratum_is_no_stratification():
    rng = seeded("one stratum")
    human, machine = values_of(rng, 30)
    sample = rng.sample(range(30), 12)
    one = estimated(human, machine, [list(range(30))], [sample], target="these")
    other = estimate_mean({q: float(human[q]) for q in sample}, dict(enumerate(map(float, machine))), target="these")
    for name in ("mean", "low", "high", "width", "slope", "bias", "correlation", "human", "machine", "equivalent"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-12), name


def test_no_other_allocation_has_a_smaller_variance():
    """Of those that give each stratum two queries, and half of its share by size."""
    rng = seeded("allocations")
    for _ in range(many(20)):
        sizes = [rng.randint(1, 7) for _ in range(3)]
        strata = {(place, i): place for place, size in enumerate(sizes) for i in range(size)}
        machine = {query: rng.randint(0, 6) / 6 * (query[0] + 1) for query in strata}
        twos = sum(min(2, size) for size in sizes)
        judged = rng.randint(twos, sum(sizes))
        least = [min(size, max(2, judged * size // (2 * sum(sizes)))) for size in sizes]
        spreads = [
            statistics.stdev(inside) if len(inside := [machine[q] for q in strata if q[0] == place]) > 1 else 0
            for place in range(3)
        ]

        def variance(numbers, sizes=sizes, spreads=spreads):
            return sum(N * N * s * s * (1 / n - 1 / N) for N, s, n in zip(sizes, spreads, numbers, strict=True))

        every = [
            numbers
            for numbers in product(*(range(low, size + 1) for low, size in zip(least, sizes, strict=True)))
            if sum(numbers) == judged
        ]
        planned = allocate(machine, strata, judged)
        assert sum(planned.values()) == judged
        if not every:  # two of each leave too few for the half shares
            continue
        assert tuple(planned[place] for place in range(3)) in every
        assert variance(planned.values()) == pytest.approx(min(map(variance, every)), abs=1e-12)


def test_intervals_hold_the_mean_and_strata_narrow_them():
    rng = random.Random(5)
    strata = {i: "easy" if i < 200 else "hard" for i in range(300)}
    machine = {i: rng.gauss(0.8, 0.05) if i < 200 else rng.uniform(0, 1) for i in range(300)}
    human = {i: f + rng.gauss(-0.1, 0.02 if i < 200 else 0.2) for i, f in machine.items()}
    truth = math.fsum(human.values()) / 300
    numbers = allocate(machine, strata, 40)
    held, narrower = 0, 0
    for _ in range(200):
        sample = [q for s, n in numbers.items() for q in rng.sample([q for q in strata if strata[q] == s], n)]
        estimate = estimate_strata({q: human[q] for q in sample}, machine, strata, target="these")
        simple = estimate_mean({q: human[q] for q in rng.sample(range(300), 40)}, machine, target="these")
        held += estimate.low <= truth <= estimate.high
        narrower += estimate.high - estimate.low < simple.high - simple.low
    assert held >= 180, held
    assert narrower >= 150, narrower


def test_runs_by_strata():
    human = {f"q{i}": {"a": 1, "b": i % 2} for i in range(20)}
    machine = {f"q{i}": {"a": 1 - (i % 5 == 0), "b": i % 2} for i in range(60)}
    strata = {f"q{i}": i % 3 for i in range(60)}
    run = {f"q{i}": ["b", "a"] for i in range(60)}
    both = [untied.evaluate(qrels, run, "RR", queries="common") for qrels in (human, machine)]
    row = estimate_runs(*both, strata=strata).table.to_dicts()[0]
    values = [{query: one.value("RR", query).mean for query in one.queries} for one in both]
    expected = estimate_strata(*values, strata)
    assert (row["estimate"], row["low"], row["width"]) == (expected.mean, expected.low, expected.width)
    assert row["low"] != estimate_runs(*both).table.to_dicts()[0]["low"]


@pytest.mark.parametrize(
    ("human", "strata", "said"),
    [
        ({0: 1.0}, {0: "a", 1: "a", 2: "b"}, "people judged 1 of 2 queries of stratum 'a': two are needed"),
        ({0: 1.0, 1: 0.5}, {0: "a", 1: "a", 2: "b"}, "people judged 0 of 1 queries of stratum 'b'"),
        ({0: 1.0, 1: 0.5}, {0: "a", 1: "a"}, "query 2 has no stratum"),
        ({0: 1.0, 7: 0.5}, {0: "a", 1: "a", 2: "b"}, "machine lacks query 7"),
        ([1.0], {0: "a", 1: "a", 2: "b"}, "human must be a dict"),
    ],
)
def test_what_is_refused(human, strata, said):
    with pytest.raises(untied.UntiedError, match=said):
        estimate_strata(human, {0: 1.0, 1: 0.5, 2: 0.2}, strata)


@pytest.mark.parametrize("judged", [2, 4])
def test_too_few_or_too_many_to_allocate(judged):
    with pytest.raises(untied.UntiedError, match=r"judged must be from 3 \(two of each stratum\) to 3, not"):
        allocate({0: 1.0, 1: 0.5, 2: 0.2}, {0: "a", 1: "a", 2: "b"}, judged)


def test_notes_are_those_of_a_plain_sample():
    """Every note of `estimate_mean` that says something about a stratified sample."""

    def notes(human, machine, ends=(12, 24, 60)):
        """The notes on three strata of queries; people judged the first 12, 12 and 16 of each."""
        strata = {place: sum(place >= end for end in ends) for place in range(60)}
        judged = {q: human[q] for q in (*range(10), *range(12, 22), *range(24, 40))}
        return estimate_strata(judged, dict(enumerate(machine)), strata).notes

    plain = [place % 7 / 7 for place in range(60)]
    noisy = [value + place % 3 / 5 for place, value in enumerate(plain)]
    assert notes(plain, noisy) == []
    assert notes(plain, [-value for value in plain]) == [
        "the machine is not used: its values do not rise with the human values"
    ]
    assert notes(plain, plain) == [
        "human and machine values differ in fewer than 5 queries, so a margin of safety, not the data, sets the width "
        "of the interval"
    ]
    assert notes([0.5] * 60, noisy) == [
        "all human values of each stratum are equal, so nothing says how far others could lie"
    ]
    assert "query 30 has over half of the variance" in notes([*plain[:30], 9.0, *plain[31:]], plain)
    assert notes([float(place in (3, 30)) for place in range(60)], noisy)[-1].startswith("human values are skewed")


def test_the_variance_of_a_query_counts_with_its_stratum():
    """Without its weight, the query that is far off in the small stratum would have over half of the variance."""
    strata = {place: place >= 20 for place in range(400)}
    machine = {place: place % 7 / 7 for place in strata}
    human = {place: machine[place] + place % 3 / 5 for place in (*range(12), *range(20, 40))}
    human[3] += 1.5
    assert estimate_strata(human, machine, strata).notes == []
    human[30] += 1.5
    assert estimate_strata(human, machine, strata).notes[0] == "query 30 has over half of the variance"
