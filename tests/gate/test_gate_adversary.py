"""Attempts to have the gate pass a run that got worse, or that nothing is known of."""

from __future__ import annotations

import json
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import untied
from untied.cli import main
from untied.errors import UntiedError
from untied.gate import GateResult, gate

QRELS = {f"q{number}": {"a": 1, "b": 0, "c": 0} for number in range(8)}
GOOD = {query: ["a", "b", "c"] for query in QRELS}
BAD = {query: ["c", "b", "a"] for query in QRELS}


def reasons(verdict: GateResult) -> str:
    """Why all checks fail."""
    assert not verdict.passed
    assert not any(check.passed for check in verdict.checks)
    return "; ".join(check.sentence for check in verdict.checks)


ALL: dict[str, Any] = {
    "min": {"AP": 0, "Utility": -9}, "max": {"ESL": 9, "Unjudged@5": 1, "NumNonrelJudgedRet": 99},
    "max_drop": {"AP": 1, "ESL": 9, "NumRelRet": 99, "AP(mean='geometric')": 1}, "max_med": {"nDCG@5": 1},
}  # fmt: skip


@pytest.mark.parametrize("missing", [False, True])
def test_a_run_without_anything(missing: bool) -> None:
    for empty in ({}, {query: [] for query in QRELS}):
        own = {option: limits for option, limits in ALL.items() if option != "max_med"}
        verdict = gate(QRELS, empty, baseline=GOOD, **own, allow_missing=missing, on_undefined="nan")
        said = reasons(verdict)
        assert said.count("; the run: ") == len(verdict.checks)
        assert ("the run lacks 8 queries" in said) is not (missing or bool(empty))
    with pytest.raises(UntiedError, match="in common"):
        gate(QRELS, {"other": ["a"]}, baseline=GOOD, max_med={"nDCG@5": 1})


def test_run_and_baseline_that_share_nothing_with_the_qrels() -> None:
    other = {query: ["x", "y"] for query in QRELS}
    limits = {"min": {"AP": 0}, "max": {"Unjudged@2": 1}, "max_drop": {"AP": 0, "Unjudged@2": 0}}
    said = reasons(gate(QRELS, other, baseline=other, **limits))
    assert said.count("the run: queries in common with the qrels, but no document") == 4
    assert said.count("the baseline: queries in common with the qrels, but no document") == 2
    # MED needs no judgments, but a reader should know.
    verdict = gate(QRELS, other, baseline=other, max_med={"nDCG@5": 0.5})
    assert verdict.passed
    assert verdict.notes == [
        "the run: queries in common with the qrels, but no document",
        "the baseline: queries in common with the qrels, but no document",
    ]


def test_a_baseline_that_lost_its_queries_does_not_let_everything_pass() -> None:
    """Queries that the baseline lacks would count 0 in its mean."""
    one = {"q0": GOOD["q0"]}
    run = GOOD | {"q0": BAD["q0"]}
    [check] = gate(QRELS, run, baseline=one, max_drop={"RR": 0.1}).checks
    assert not check.passed
    assert check.decided_on == "mean of 1 query; left out: 7 that the baseline lacks"
    assert (check.run, check.baseline) == (1 / 3, 1)


def test_every_one_of_several_limits_counts() -> None:
    limits = [("RR", 0.9), ("RR", 0.1), ("recip_rank", 0.2)]
    verdict = gate(QRELS, BAD, min=limits)
    assert [check.passed for check in verdict.checks] == [False, True, True]
    assert not verdict.passed


def test_percentages_of_baselines_that_are_negative_or_zero() -> None:
    # Utility of a relevant and two other documents is -1, that of three others -3.
    junk = {query: ["b", "c", "x", "y"] for query in QRELS}
    cases = {"150%": False, "200%": False, "300%": True}
    for percent, passes in cases.items():
        [check] = gate(QRELS, junk, baseline=GOOD, max_drop={"Utility": percent}).checks
        assert (check.baseline, check.run, check.value) == (-1, -4, 3)
        assert check.passed is passes
    nothing = {query: ["b", "x"] for query in QRELS}
    [check] = gate(QRELS, nothing, baseline=nothing, max_drop={"RR": "50%"}).checks
    assert (check.limit, check.value, check.passed) == (0, 0, True)
    worse = {query: ["b", "c"] for query in QRELS}
    [check] = gate(QRELS, worse, baseline=nothing, max_drop={"Unjudged@2": "5%"}).checks
    assert check.limit == 0.025


@pytest.mark.parametrize("limit", [nan, inf, -inf, "nan", "inf%", "1e999", "", "%", "5%%", None, True, "0x1", "0_01"])
@pytest.mark.parametrize("option", ["min", "max", "max_drop", "max_med"])
def test_limits_that_are_no_numbers(option: str, limit: Any) -> None:
    with pytest.raises(UntiedError, match=f"--{option.replace('_', '-')} for RR must be a number"):
        gate(QRELS, GOOD, baseline=GOOD, **{option: {"RR": limit}})


def test_scores_that_are_no_numbers() -> None:
    for score in (nan, inf):
        scores = {query: {"a": score, "b": 1.0} for query in QRELS}
        with pytest.raises(UntiedError, match="finite"):
            gate(QRELS, scores, min={"RR": 0})


def test_a_tied_run_cannot_hide_in_one_order() -> None:
    tied = {query: [["a", "b", "c"]] for query in QRELS}
    for ties in ("expected", "worst"):
        assert not gate(QRELS, tied, baseline=GOOD, max_drop={"RR": 0.1}, ties=ties).passed
    # Named by the user.
    assert gate(QRELS, tied, baseline=GOOD, max_drop={"RR": 0.1}, ties="best").passed
    # Where lower is better, the worst order has the highest value.
    assert not gate(QRELS, tied, max={"ESL": 1.9}, ties="worst").passed
    assert gate(QRELS, tied, max={"ESL": 2}, ties="worst").passed


def test_unjudged_documents_that_are_removed() -> None:
    hidden = {query: ["x", "y", "a"] for query in QRELS}
    assert not gate(QRELS, hidden, baseline=GOOD, max_drop={"RR": 0.1}).passed
    assert gate(QRELS, hidden, baseline=GOOD, max_drop={"RR": 0.1}, unjudged="remove").passed
    # Nothing is left of a query: it has no value, rather than a good one.
    gone = hidden | {"q0": ["x", "y"]}
    said = reasons(gate(QRELS, gone, baseline=GOOD, max_drop={"ESL": 0}, unjudged="remove"))
    assert "1 query became undefined (q0)" in said


def test_what_judgments_decide_is_not_compared() -> None:
    """With unjudged='worst' the query counts only if a document turns out relevant."""
    qrels = QRELS | {"q0": {"b": 0, "c": 0}}
    run = GOOD | {"q0": ["x", "b", "c"]}
    said = reasons(gate(qrels, run, baseline=run, max_drop={"ESL": 0}, unjudged="worst"))
    assert "judgments decide whether there is a value for 1 query" in said


def test_measures_of_ones_own() -> None:
    @untied.measure
    def GateNever(grades):
        return nan

    @untied.measure(lower_is_better=True)
    def GateDepth(grades):
        return float(grades.index(1)) if 1 in grades else nan

    said = reasons(gate(QRELS, GOOD, baseline=GOOD, min={GateNever: -1}, max={GateNever: 1}, max_drop={GateNever: 1}))
    assert said.count("undefined for 8 queries") == 2
    assert said.count("no query can be compared") == 1
    reasons(gate(QRELS, GOOD, baseline=GOOD, min={GateNever: -1}, max_drop={GateNever: 1}, on_undefined="nan"))
    assert not gate(QRELS, BAD, baseline=GOOD, max_drop={GateDepth: 1}).passed
    assert gate(QRELS, BAD, baseline=GOOD, max_drop={GateDepth: 2}).passed
    lost = GOOD | {"q3": ["b"]}
    assert "1 query became undefined (q3)" in reasons(gate(QRELS, lost, baseline=BAD, max_drop={GateDepth: 0}))


def test_a_lost_query_cannot_be_paid_for_by_others() -> None:
    better = {query: docs for query, docs in GOOD.items() if query != "q7"}
    said = reasons(gate(QRELS, better, baseline=BAD, max_drop={"RR": 0, "NumRelRet": 1, "ESL": 0}))
    assert said.count("the run lacks 1 query of the baseline (q7)") == 3


def test_ids_that_are_no_text(tmp_path) -> None:
    """An id that is not UTF-8 is a query like others: not missing where it is there."""
    (tmp_path / "qrels").write_bytes(b"q\xff 0 a 1\nq2 0 a 1\n")
    (tmp_path / "both").write_bytes(b"q\xff Q0 a 1 1 t\nq2 Q0 a 1 1 t\n")
    (tmp_path / "one").write_bytes(b"q2 Q0 a 1 1 t\n")
    paths = {name: str(tmp_path / name) for name in ("qrels", "both", "one")}
    assert gate(paths["qrels"], paths["both"], baseline=paths["both"], min={"AP": 1}, max_drop={"AP": 0}).passed
    said = reasons(gate(paths["qrels"], paths["one"], baseline=paths["both"], max_drop={"AP": 1}))
    assert "lacks 1 query of the baseline (q\\xff)" in said


def test_the_command_line_names_what_is_allowed(tmp_path, capfd) -> None:
    (tmp_path / "qrels").write_text("".join(f"{query} 0 a 1\n" for query in QRELS))
    (tmp_path / "old").write_text("".join(f"{query} Q0 a 1 1 t\n" for query in QRELS))
    (tmp_path / "new").write_text("".join(f"{query} Q0 {'x' if query == 'q0' else 'a'} 1 1 t\n" for query in QRELS))
    (tmp_path / "less").write_text("".join(f"{query} Q0 a 1 1 t\n" for query in list(QRELS)[1:]))
    qrels, old, new, less = (str(tmp_path / name) for name in ("qrels", "old", "new", "less"))
    limits = ["--baseline", old, "--max-drop", "ESL=0", "--max-drop", "AP=0.2"]
    assert main(["gate", qrels, new, *limits]) == 1
    assert main(["gate", qrels, new, *limits, "--on-undefined", "zero"]) == 1
    assert main(["gate", qrels, new, *limits, "--on-undefined", "nan"]) == 0
    assert main(["gate", qrels, less, *limits]) == 1
    assert main(["gate", qrels, less, *limits, "--allow-missing"]) == 1
    capfd.readouterr()
    assert main(["gate", qrels, less, *limits, "--allow-missing", "--on-undefined", "nan", "--format", "json"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert document["settings"]["allow_missing"] is True
    assert document["settings"]["on_undefined"] == "nan"
    assert document["checks"][0]["decided_on"] == (
        "mean of 7 queries; left out: 1 undefined in the run; counted as empty rankings: 1 missing from the run"
    )


RANKINGS = st.lists(st.permutations(["a", "b", "c", "x"]).map(lambda docs: docs[:3]), min_size=8, max_size=8)


@given(RANKINGS, RANKINGS, st.sampled_from(["AP", "ESL", "NumRelRet", "AP(mean='geometric')", "Judged@2", "RR"]))
def test_what_passes_without_a_limit_is_no_worse(one: Any, other: Any, measure: str) -> None:
    """A drop of 0 passes just if every query of the baseline has a value, and these are no worse on the whole."""
    new, old = (dict(zip(QRELS, lists, strict=True)) for lists in (one, other))
    results = untied.evaluate(QRELS, {"new": new, "old": old}, [measure], on_undefined="nan")
    passes = gate(QRELS, new, baseline=old, max_drop={measure: 0}).passed
    values = [tuple(results.value(measure, query, run).mean for run in ("new", "old")) for query in QRELS]
    if any(x != x and y == y for x, y in values):
        assert not passes
        return
    both = [(x, y) for x, y in values if x == x and y == y]
    if "geometric" in measure:
        both = [(max(x, 1e-5), max(y, 1e-5)) for x, y in both]
        products = [1.0, 1.0]
        for x, y in both:
            products = [products[0] * x, products[1] * y]
        drop = products[1] - products[0]
    else:
        drop = sum(y - x for x, y in both) * (-1 if measure == "ESL" else 1)
    if abs(drop) > 1e-12:
        assert passes is (drop < 0)


def test_with_weights_the_query_that_costs_the_mean_most_comes_first():
    qrels = {"rare": {"a": 1}, "frequent": {"a": 1}}
    baseline = {query: ["a", "x", "y"] for query in qrels}
    run = {"rare": ["x", "y", "a"], "frequent": ["x", "a", "y"]}
    table = {"rare": {"traffic": 1}, "frequent": {"traffic": 100}}
    result = gate(qrels, run, baseline=baseline, max_drop={"RR": 0.1}, query_table=table, weight="traffic")
    assert [query["query"] for query in result.checks[0].queries] == ["frequent", "rare"]
    plain = gate(qrels, run, baseline=baseline, max_drop={"RR": 0.1})
    assert [query["query"] for query in plain.checks[0].queries] == ["rare", "frequent"]
