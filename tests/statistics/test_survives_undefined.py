"""What survives where grades of unjudged documents decide whether a query has a value: every joint assignment."""

from __future__ import annotations

import itertools
import math
from random import Random
from typing import Any

import pytest

import untied
from untied.errors import UntiedError
from untied.statistics import randomization_test, significance

# Of the first queries a is ahead; of the others only what nobody judged decides whether they have a value at all.
SETTLED = {f"q{i}": {"r": 1, "n": 0, "m": 0} for i in range(6)}
OPEN = {f"u{i}": {"n": 0, "m": 0} for i in range(6)}
QRELS = SETTLED | OPEN


def ranked(queries: dict[str, Any], *docs: str) -> dict[str, list[str]]:
    return {query: list(docs) for query in queries}


BETTER, WORSE = ranked(SETTLED, "r", "n", "m"), ranked(SETTLED, "n", "m", "r")
LATE, EARLY = ranked(OPEN, "n", "m", "x"), ranked(OPEN, "x", "n", "m")


@pytest.mark.parametrize("measure", ["ESL", "AP", "RR", "nDCG", "AP(mean='geometric')"])
@pytest.mark.parametrize("test", ["randomization", "wilcoxon", "tukey"])
def test_no_difference_survives_that_queries_without_a_value_could_turn(measure: str, test: str) -> None:
    runs = {"a": BETTER | LATE, "b": WORSE | EARLY}
    found = untied.evaluate(QRELS, runs, measure, unjudged="range", on_undefined="nan")
    tested = significance(found, test=test, interval="none")
    row = tested.table.to_dicts()[0]
    assert row["significant"] == "yes"
    assert row["survives"] == "no"
    assert row["least"] <= 0 <= row["most"]
    assert tested.dropped == {found.measures[0]: 6}
    assert any(f"whether a run has a value: 6 of {found.measures[0]}" in note for note in tested.notes)


def test_a_difference_survives_that_they_cannot_turn() -> None:
    runs = {"a": BETTER | EARLY, "b": WORSE | LATE}
    found = untied.evaluate(QRELS, runs, "AP", unjudged="range", on_undefined="nan")
    row = significance(found, interval="none").table.to_dicts()[0]
    assert (row["survives"], row["p_most"]) == ("yes", row["p"])
    # With a grade for x, each of the others is 1 - 1/3 as well; as far as verdicts know, it may also be 0.
    assert (row["least"], row["most"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


@pytest.mark.parametrize("measure", ["AP", "RR", "nDCG", "ESL"])
def test_what_only_one_run_retrieves_may_give_the_other_a_value(measure: str) -> None:
    """Queries for which b finds nothing unjudged: if x is relevant, b is worth 0 there; ESL stays undefined."""
    runs = {"a": WORSE | EARLY, "b": BETTER | ranked(OPEN, "n", "m")}
    found = untied.evaluate(QRELS, runs, measure, unjudged="range", on_undefined="nan")
    row = significance(found, interval="none").table.to_dicts()[0]
    assert (row["significant"], row["survives"]) == ("yes", "yes" if measure == "ESL" else "no")
    joint = untied.evaluate({q: docs | {"x": 1} if q in OPEN else docs for q, docs in QRELS.items()}, runs, measure)
    difference = joint.value(measure, run="a").mean - joint.value(measure, run="b").mean
    assert row["least"] - 1e-12 <= difference <= row["most"] + 1e-12 or measure == "ESL"


@pytest.mark.parametrize("measure", ["ESL", "AP", "RR", "RR(mean='geometric')"])
def test_all_joint_assignments(measure: str) -> None:
    """Nothing that the grades of a document in each query can make lies outside of what is said."""
    random, yes, turned = Random(measure), 0, 0
    for _ in range(25):
        qrels: dict[str, dict[str, int]] = {}
        runs: dict[str, dict[str, list[str]]] = {"a": {}, "b": {}}
        for i in range(5):
            qrels[f"q{i}"] = {"r": int(i < 3 or random.random() < 0.3), "n": 0, "m": 0}
            docs = ["r", "n", "x"] if random.random() < 0.5 else ["r", "n", "m"]
            runs["a"][f"q{i}"] = random.choice([docs, docs, random.sample(docs, 3)])
            runs["b"][f"q{i}"] = random.choice([docs[::-1], random.sample(docs, 3)])
        options: dict[str, Any] = {"on_undefined": "nan", "queries": "qrels"}
        retrieved = [any("x" in run[query] for run in runs.values()) for query in qrels]
        ranged = untied.evaluate(qrels, runs, measure, unjudged="range", **options)
        row = significance(ranged, interval="none", level=0.4, correction="none").table.to_dicts()[0]
        for grades in itertools.product((0, 1), repeat=5):
            joint = zip(qrels.items(), grades, retrieved, strict=True)
            judged = {query: docs | {"x": grade} if found else docs for (query, docs), grade, found in joint}
            for_each = untied.evaluate(judged, runs, measure, **options)
            values = [[for_each.value(measure, query=q, run=run).mean for run in runs] for q in qrels]
            if measure.endswith("'geometric')"):
                values = [[math.log(max(x, 1e-5)) for x in pair] for pair in values]
            both = [(x, y) for x, y in values if not math.isnan(x) and not math.isnan(y)]
            a, b = zip(*both, strict=True)
            p = randomization_test(a, b).p
            mean = math.fsum(x - y for x, y in both) / len(both)
            assert row["least"] - 1e-12 <= mean <= row["most"] + 1e-12
            assert p <= row["p_most"] + 1e-12
            assert row["survives"] == "no" or p <= 0.6
            turned += mean * row["difference"] < 0
        yes += row["survives"] == "yes"
    assert yes
    assert turned


def test_bounds_by_delta_hold_for_queries_without_a_value_too() -> None:
    runs = {"a": BETTER | LATE, "b": WORSE | EARLY}
    found = untied.evaluate(QRELS, runs, "RR@3", on_undefined="nan")
    delta = untied.compare(runs["a"], runs["b"], "Delta(RR@3)", qrels=QRELS, names=("a", "b"))
    row = significance(found, bounds=[delta], interval="none").table.to_dicts()[0]
    assert (row["significant"], row["survives"]) == ("yes", "no")
    assert row["least"] == pytest.approx(0)  # six times 1 - 1/3, six times 1/3 - 1
    turned = significance(found, bounds=[delta], interval="none", baseline="a").table.to_dicts()[0]
    assert (turned["least"], turned["most"]) == (-row["most"], -row["least"])
    lacking = {"a": runs["a"], "b": {query: docs for query, docs in runs["b"].items() if query != "u3"}}
    delta = untied.compare(lacking["a"], lacking["b"], "Delta(RR@3)", qrels=QRELS, names=("a", "b"))
    found = untied.evaluate(QRELS, lacking, "RR@3", on_undefined="nan")
    with pytest.raises(UntiedError, match="bounds lack query 'u3', which a or b does not have"):
        significance(found, bounds=[delta], interval="none")
