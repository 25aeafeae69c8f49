"""Old public names work until they go, and say what to use instead (docs/versioning.md)."""

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow
import pytest

import untied
from untied import gate
from untied.batches import BatchComparer, BatchEvaluator
from untied.statistics import significance

QRELS = {"q": {"a": 1}, "r": {"b": 1}}
RUNS = {"x": {"q": ["a", "b"], "r": ["a", "b"]}, "y": {"q": ["b", "a"], "r": ["a", "b"]}}


def old(call: Callable[[], Any], new: str) -> Any:
    """What an old name gives, which warns in the caller's file."""
    with pytest.warns(DeprecationWarning, match="goes in untied 0.3; use ") as found:
        value = call()
    assert [warning.filename for warning in found] == [__file__]
    assert new in str(found[0].message)
    return value


def test_means_of_results_were_aggregates() -> None:
    results = untied.evaluate(QRELS, RUNS, "RR")
    table = old(lambda: results.table(aggregates=False), "means=")
    assert table.to_dicts() == results.per_query.to_dicts()
    assert old(lambda: results.table(per_query=False, aggregates=True), "means=").to_dicts() == results.means.to_dicts()


def test_the_certainty_of_comparisons_was_a_certificate() -> None:
    found = untied.compare(*RUNS.values(), "RBO")
    assert old(lambda: found.means["certificate"], "'certainty'") == found.means["certainty"] == ["exact"]
    assert "certificate" not in found.means.columns


def test_values_of_queries_from_arrays_were_a_call() -> None:
    found = untied.evaluate_arrays([[2.0, 1.0], [1.0, 2.0]], [[1, 0], [1, 0]], "RR")
    assert old(lambda: found.per_query("RR"), "per_query[measure]").value.tolist() == [1.0, 0.5]


def test_the_result_of_a_gate_was_a_verdict() -> None:
    assert old(lambda: gate.Verdict, "untied.gate.GateResult") is gate.GateResult
    with pytest.raises(AttributeError, match="has no attribute 'Verdicts'"):
        _ = gate.Verdicts


def test_ends_of_confidence_intervals_were_low_and_high() -> None:
    table = significance(untied.evaluate(QRELS, RUNS, "RR"), interval="bca").table
    assert old(lambda: table["low"], "'ci_low'") == table["ci_low"]
    assert old(lambda: table["high"], "'ci_high'") == table["ci_high"]


@pytest.mark.parametrize(
    ("made", "columns"),
    [
        (BatchEvaluator(["RR"], grades=[0, 1]), {"score": [2.0, 1.0], "grade": [1, None]}),
        (BatchComparer(["RBO"]), {"score_a": [2.0, 1.0], "score_b": [1.0, 2.0]}),
    ],
)
def test_summaries_of_batches_were_aggregates_too(made: Any, columns: Mapping[str, Any]) -> None:
    rows = pyarrow.table({"query": ["q", "q"], "document": ["a", "b"], **columns}).to_batches()
    found = old(lambda: made.aggregate(made(rows)), "summary(..., warn=False)")
    assert found.means.to_dicts() == made.summary(made(rows)).means.to_dicts()


def test_plots_of_verdicts_were_pictures() -> None:
    found = untied.certify(QRELS, RUNS, "RR")
    assert old(lambda: found.picture("svg"), "Verdicts.plot") == found.plot() == found.plot(style="svg")
