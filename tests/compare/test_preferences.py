"""Measures of preferences that may form no groups: against all right orders and all orders of ties, as fractions."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

import oracle
import untied
from nightly import many, seeded
from oracle.enumeration import permutations
from oracle.partial import adr_of_preferences, concordance_of_preferences, extensions
from untied.comparison.preferences import adr, pair_concordance
from untied.inputs.truth import groups_from_preferences, orders_of_preferences

Of = Callable[[Sequence[str], Sequence[tuple[str, ...]]], Fraction]


def preferences_of(chance: random.Random) -> list[tuple[str, str]]:
    """Some of those that an order agrees with, so that there is no cycle."""
    docs = chance.sample("abcdef", chance.randint(2, 6))
    share = chance.choice([0.2, 0.4, 0.9])
    pairs = [(x, y) for i, x in enumerate(docs) for y in docs[i + 1 :] if chance.random() < share]
    return chance.sample(pairs, len(pairs)) or [(docs[0], docs[1])]


def ranking(chance: random.Random) -> list[list[str]]:
    """Of documents that have been compared, and of others."""
    docs = chance.sample("abcdefxy", chance.randint(0, 6))
    groups: list[list[str]] = []
    for doc in docs:
        if groups and chance.random() < 0.4:
            groups[-1].append(doc)
        else:
            groups.append([doc])
    return groups


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # rankings may have nothing of the truth
@pytest.mark.parametrize(
    ("function", "of"),
    [(adr, adr_of_preferences), (pair_concordance, concordance_of_preferences)],
    ids=["adr", "pair_concordance"],
)
def test_all_orders(function: Callable[..., untied.results.Value], of: Of) -> None:
    chance = seeded(function.__name__)
    without_groups = 0
    for _ in range(many(300, 3000)):
        preferences, groups = preferences_of(chance), ranking(chance)
        right = extensions(preferences)
        values = [of(order, right) for order in permutations(groups)]
        mean = sum(values, Fraction(0)) / len(values)
        variance = sum(((value - mean) ** 2 for value in values), Fraction(0)) / len(values)
        found = function(preferences, groups)
        assert (found.mean, found.low, found.high, found.variance) == pytest.approx(
            tuple(map(float, (mean, min(values), max(values), variance))), rel=1e-12, abs=1e-15
        )
        try:
            truth = {"q": groups_from_preferences(preferences)}
        except untied.UntiedError:
            without_groups += 1
            continue
        name = "ADR" if function is adr else "PairConcordance"
        same = untied.evaluate(truth, {"q": groups}, name, ties="range", variance=True, on_undefined="nan")[name]
        assert (same.mean, same.low, same.high, same.variance) == pytest.approx(
            (found.mean, found.low, found.high, found.variance), abs=1e-12
        )
    assert without_groups > 40


def test_a_ranking_that_agrees_with_all_preferences_has_exactly_1() -> None:
    for n in range(2, 40):
        found = adr([(place, place + 1) for place in range(n - 1)], list(range(n)))
        assert (found.mean, found.low, found.high, found.variance) == (1, 1, 1, 0)


def test_the_mean_is_within_its_bounds() -> None:
    """Also where rounding of three different sums could put it outside."""
    found = adr([(3, 0), (2, 4), (0, 5), (1, 5), (1, 4)], [[5, 4, "y"], ["x"]])
    assert found.low == found.mean == found.high


def test_scores_and_no_preferences() -> None:
    assert adr([("a", "b")], {"b": 1.0, "a": 2.0}).mean == 1
    assert pair_concordance([("a", "b")], {"b": 1.0, "a": 1.0}).mean == 0.5
    assert math.isnan(adr([], ["a"]).mean)
    assert math.isnan(pair_concordance([], ["a"]).mean)


def test_a_long_group_of_others_takes_no_long_table() -> None:
    others = [f"x{i}" for i in range(20_000)]
    found = adr([("a", "b")], [["a", *others]])
    assert found.mean == pytest.approx((0.75 + 0.25) / 20_001)
    assert (found.low, found.high) == (0, 0.75)


@pytest.mark.parametrize("function", [adr, pair_concordance])
def test_what_is_refused(function: Callable[..., untied.results.Value]) -> None:
    with pytest.raises(untied.UntiedError, match="preferences contradict each other"):
        function([("a", "b"), ("b", "a")], ["a"])
    with pytest.raises(untied.UntiedError, match="'a' appears twice"):
        function([("a", "b")], ["a", ["b", "a"]])


# ---------------------------------------------------------------------------------------------------------------------
# All orders that agree


def test_all_orders_that_agree_are_listed() -> None:
    chance = seeded("orders that agree")
    for _ in range(many(200, 2000)):
        preferences = preferences_of(chance)
        orders = orders_of_preferences(preferences)
        assert sorted(map(tuple, orders)) == sorted(extensions(preferences))
        assert orders_of_preferences(iter(preferences), most=len(orders)) == orders
        if len(orders) > 1:
            with pytest.raises(untied.UntiedError, match=f"more than {len(orders) - 1} orders agree"):
                orders_of_preferences(preferences, most=len(orders) - 1)
    assert orders_of_preferences([]) == [[]]
    assert orders_of_preferences([(place, place + 1) for place in range(200)]) == [list(range(201))]
    with pytest.raises(untied.UntiedError, match="more than 10,000 orders agree with the preferences; most= lets"):
        orders_of_preferences([(f"a{i}", f"b{i}") for i in range(300)])
    with pytest.raises(untied.UntiedError, match="preferences contradict each other"):
        orders_of_preferences([("a", "b"), ("b", "a")])
    with pytest.raises(untied.UntiedError, match="most must be at least 1"):
        orders_of_preferences([("a", "b")], most=0)


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("ADR", oracle.Measure("ADR")),
        ("ADR@3", oracle.Measure("ADR", 3)),
        ("ADRInverted", oracle.Measure("ADRInverted")),
        ("Compat(p=0.5, depth=4)", oracle.Measure("Compat", p=Fraction(1, 2), depth=4)),
        ("PairConcordance", oracle.Measure("PairConcordance")),
    ],
    ids=["ADR", "ADR@3", "ADRInverted", "Compat", "PairConcordance"],
)
def test_means_over_all_orders_that_agree(name: str, measure: oracle.Measure) -> None:
    """Each order is the truth of a query. ADR of the preferences themselves is never below the mean over orders."""
    chance = seeded(f"means over orders {name}")
    judged = {f"q{number}": preferences_of(chance) for number in range(many(30, 2000))}
    run = {query: ranking(chance) for query in judged}
    orders = {query: orders_of_preferences(preferences) for query, preferences in judged.items()}
    truth = {f"{query}.{n}": [[doc] for doc in order] for query in judged for n, order in enumerate(orders[query])}
    found = untied.evaluate(truth, {query: run[query.partition(".")[0]] for query in truth}, name)
    for query, preferences in judged.items():
        right = extensions(preferences)
        values = [
            measure.of(order, {doc: len(one) - place for place, doc in enumerate(one)}) or Fraction(0)
            for one in right
            for order in permutations(run[query])
        ]
        mean = sum(values, Fraction(0)) / len(values)
        means = [found.value(name, f"{query}.{number}").mean for number in range(len(right))]
        assert math.fsum(means) / len(means) == pytest.approx(float(mean), abs=1e-12)
        if name == "ADR":
            assert mean <= adr(preferences, run[query]).mean + 1e-12
