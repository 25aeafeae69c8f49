"""Agreement of human and machine grades: against scikit-learn's kappa, and by hand."""

from __future__ import annotations

import math

import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

import untied
from nightly import many, seeded
from untied.inputs.convert import as_qrels
from untied.judging import agreement
from untied.judging.labels import unlabelled


def random_judgments(name: str, queries: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    rng = seeded(name)
    human = {f"q{i}": {f"d{j}": rng.randint(0, 3) for j in range(rng.randint(3, 9))} for i in range(queries)}
    machine = {
        query: {doc: grade if rng.random() < 0.6 else rng.randint(0, 3) for doc, grade in docs.items()}
        for query, docs in human.items()
    }
    return human, machine


def kappa_of(human: dict[str, dict[str, int]], machine: dict[str, dict[str, int]]) -> float:
    pairs = [(grade, machine[query][doc]) for query, docs in human.items() for doc, grade in docs.items()]
    return float(cohen_kappa_score(*zip(*pairs, strict=True), weights="quadratic", labels=[0, 1, 2, 3]))


def test_kappa_as_in_scikit_learn_and_its_interval_as_a_jackknife():
    for number in range(many(15)):
        human, machine = random_judgments(f"kappa {number}", 7)
        row = agreement(human, machine, level=0.9).to_dicts()[0]
        assert row["kappa"] == pytest.approx(kappa_of(human, machine), abs=1e-12)
        left_out = [kappa_of({q: d for q, d in human.items() if q != query}, machine) for query in human]
        middle = sum(left_out) / 7
        half = stats.t.ppf(0.95, 6) * math.sqrt(6 / 7 * sum((one - middle) ** 2 for one in left_out))
        assert (row["kappa_low"], row["kappa_high"]) == pytest.approx((row["kappa"] - half, row["kappa"] + half))


def test_groups_by_grade_and_by_best_rank():
    human = {"q1": {"a": 2, "b": 0, "c": 0, "d": 1}, "q2": {"a": 0, "b": 1}}
    machine = {"q1": {"a": 1, "b": 1, "c": 0, "d": 1}, "q2": {"a": 0, "b": 0}}
    fillers = [f"x{i}" for i in range(10)]
    runs = {"one": {"q1": ["a", *fillers, "b"], "q2": ["b"]}, "two": {"q1": ["b", *fillers * 1, "c"]}}
    rows = {row["group"]: row for row in agreement(human, machine, runs).to_dicts()}
    assert list(rows) == ["all", "grade 0", "grade 1", "grade 2", "ranks 1-10", "ranks 11-100", "in no run"]
    assert [row["documents"] for row in rows.values()] == [6, 3, 2, 1, 3, 1, 2]
    assert rows["grade 0"]["bias"] == pytest.approx(1 / 3)
    assert (rows["grade 2"]["human"], rows["grade 2"]["machine"], rows["grade 2"]["equal"]) == (2, 1, 0)
    assert rows["ranks 1-10"]["equal"] == 0
    assert rows["all"]["equal"] == pytest.approx(3 / 6)
    assert math.isnan(rows["grade 1"]["kappa"])
    assert math.isnan(rows["all"]["kappa_low"])  # of two queries


def test_a_single_human_grade_leaves_kappa_without_an_interval():
    human = {f"q{i}": {"a": 0, "b": 0} for i in range(6)}
    machine = {f"q{i}": {"a": i % 2, "b": 0.3} for i in range(6)}
    row = agreement(human, machine).to_dicts()[0]
    assert row["kappa"] == pytest.approx(0, abs=1e-12)
    assert math.isnan(row["kappa_low"])
    assert math.isnan(row["kappa_high"])


def test_only_what_both_judged_counts():
    human = {"q1": {"a": 1, "b": 0, "c": -1, "d": 1}, "q2": {"a": 1}}
    machine = {"q1": {"a": 1, "b": -1, "c": 1}, "q3": {"a": 1}}
    rows = agreement(human, machine).to_dicts()
    assert [(row["group"], row["documents"]) for row in rows] == [("all", 1), ("grade 1", 1)]
    only_human, skipped = unlabelled(as_qrels(human), as_qrels(machine))
    assert only_human == "documents that people judged and the machine did not, unjudged for the machine: 2"
    assert "human judgments, which count as not relevant: 1; if people judged a random sample" in skipped
    assert list(unlabelled(as_qrels(human), as_qrels(human))) == [skipped]
    assert not list(unlabelled(as_qrels({"q2": {"a": 1}}), as_qrels(human)))


def test_judgments_without_a_common_query_are_refused():
    with pytest.raises(untied.UntiedError, match="no query in common"):
        agreement({"q1": {"a": 1}}, {"q2": {"a": 1}})


def test_judgments_without_a_common_document_are_refused():
    with pytest.raises(untied.UntiedError, match="no document in common"):
        agreement({"q1": {"a": 1}}, {"q1": {"b": 1}})
