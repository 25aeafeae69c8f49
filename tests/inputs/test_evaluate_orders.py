"""Means over all orders that agree with preferences, and intervals that hold them, against enumeration in fractions."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import oracle
import untied
from nightly import many, seeded
from oracle.enumeration import permutations
from oracle.judgements import Groups
from oracle.partial import extensions
from untied.errors import MeasureError, UntiedError
from untied.evaluation.orders import evaluate_orders

Pairs = list[tuple[str, str]]
ENCLOSED = {
    "ADR": oracle.Measure("ADR"),
    "ADR@1": oracle.Measure("ADR", 1),
    "ADR@3": oracle.Measure("ADR", 3),
    "ADR@9": oracle.Measure("ADR", 9),
}


def preferences_of(chance: random.Random) -> Pairs:
    """Between documents in a random order, so that none contradict each other."""
    documents = chance.sample("abcdef", chance.choice([2, 3, 4, 5]))
    share = chance.choice([0.2, 0.5, 0.8])
    pairs = [(x, y) for place, x in enumerate(documents) for y in documents[place + 1 :] if chance.random() < share]
    return pairs or [(documents[0], documents[1])]


def ranking(chance: random.Random) -> Groups:
    groups: list[list[str]] = []
    for doc in chance.sample("abcdefxy", chance.choice([0, 1, 3, 5, 6])):
        if groups and len(groups[-1]) < 3 and chance.random() < 0.3:
            groups[-1].append(doc)
        else:
            groups.append([doc])
    return groups


def found(table: untied.Table) -> dict[tuple[str, str], tuple[float, float]]:
    return {(row["query"], row["measure"]): (row["low"], row["high"]) for row in table.to_dicts()}


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
@pytest.mark.parametrize("name", ENCLOSED)
def test_the_interval_holds_the_mean(name: str) -> None:
    """Its ends are what a document is worth at the last and the first position of any order that agrees."""
    chance, of = seeded(f"enclosed {name}"), ENCLOSED[name].of
    judged = {f"q{number}": preferences_of(chance) for number in range(many(60, 2000))}
    run = {query: ranking(chance) for query in judged}
    enclosed = found(evaluate_orders(judged, run, name, most=1))
    listed = found(evaluate_orders(judged, run, name))
    for query, pairs in judged.items():
        right = extensions(pairs)
        documents, k = len(right[0]), ENCLOSED[name].k
        lists = list(permutations(run[query]))
        truths = [{doc: documents - place for place, doc in enumerate(order)} for order in right]
        mean = sum((of(order, truth) or Fraction(0) for truth in truths for order in lists), Fraction(0))
        mean /= len(right) * len(lists)
        assert listed[query, name] == pytest.approx((float(mean), float(mean)), abs=1e-12)
        depth = k or documents
        ends = []
        for position in (max, min):
            worth = Fraction(0)
            for order in lists:
                for rank, doc in enumerate(order, 1):
                    if doc in right[0]:
                        first = max(rank, 1 + position(one.index(doc) for one in right))
                        worth += sum((Fraction(1, i) for i in range(first, depth + 1)), Fraction(0))
            ends.append(worth / depth / len(lists))
        low, high = (ends[0], ends[1]) if len(right) > 1 else (mean, mean)
        assert enclosed[query, name] == pytest.approx((float(low), float(high)), abs=1e-12)
        assert low <= mean <= high
    for rows in (listed, enclosed):
        ends_of_all = [sum(rows[query, name][side] for query in judged) / len(judged) for side in (0, 1)]
        assert rows["all", name] == pytest.approx(tuple(ends_of_all), abs=1e-12)


def test_far_too_many_orders() -> None:
    """Of 40 documents of which each is better than one other; ids that could be those of helpers are no problem."""
    pairs = [(f"before {i}", f"worse{i}") for i in range(20)]
    run = {"q": [f"before {i}" for i in range(20)] + [f"worse{i}" for i in range(20)]}
    low, high = found(evaluate_orders({"q": pairs}, run))["q", "ADR"]
    assert 0 < low < high == untied.evaluate({"q": pairs}, run, "ADR", qrels_format="preferences")["ADR"].mean


def test_measures_without_an_interval_need_few_orders() -> None:
    pairs = {"q": [("a", "d"), ("b", "c"), ("c", "d")]}
    table = found(evaluate_orders(pairs, {"q": ["c", "a"]}, ["Compat", "ADR(beyond='recall')@9"]))
    assert all(low == high for low, high in table.values())
    assert len(table) == 4
    with pytest.raises(MeasureError, match=r"Compat.*: more than 2 orders agree with the preferences"):
        evaluate_orders(pairs, {"q": ["c", "a"]}, ["Compat", "ADR"], most=2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate_orders({}, {"q": ["a"]}), "there is no query with preferences"),
        (lambda: evaluate_orders({"q": [("a", "b"), ("b", "a")]}, {"q": ["a"]}), "preferences contradict each other"),
        (lambda: evaluate_orders({"q": [("a", "b")]}, {"q": ["a"]}, "NumRet"), "NumRet is not a mean over queries"),
        (lambda: evaluate_orders({"q": [("a", "b")]}, {"q": ["a"]}, most=0), "most must be at least 1"),
        (
            lambda: evaluate_orders({1.5: [("a", "b")]}, {"q": ["a"]}),
            "a query id must be a str, bytes or an int",
        ),
        (lambda: evaluate_orders({"q": ["ab"]}, {"q": ["a"]}), "expected pairs"),
    ],
)
def test_refusals(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((UntiedError, TypeError), match=message):
        call()


def test_a_run_without_any_of_the_documents() -> None:
    with pytest.warns(untied.UntiedWarning, match="no document"):
        evaluate_orders({"q": [("a", "b")]}, {"q": ["x"]})


def test_files_and_ids(tmp_path: Path) -> None:
    """A run may be a file, and ids may be numbers; a query that the run lacks counts as an empty ranking."""
    path = tmp_path / "a.run"
    path.write_text("1 Q0 7 1 2 r\n1 Q0 8 2 1 r\n")
    table = found(evaluate_orders({1: [(7, 8)], 2: [(7, 8)]}, path))
    assert table["1", "ADR"] == (1.0, 1.0)
    assert table["2", "ADR"] == (0.0, 0.0)
    assert table["all", "ADR"] == (0.5, 0.5)
