"""A keyword of a wrong type is one error that names it, whichever public function it is given to."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path

import numpy
import pytest

import untied
from untied import gate, judging, statistics
from untied.evaluation.orders import evaluate_orders
from untied.evaluation.searches import evaluate_searches

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
RUNS = {"old": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}}, "new": {"q1": {"a": 1.0, "b": 2.0}, "q2": {"c": 1.0}}}
RESULTS = untied.evaluate(QRELS, RUNS, "AP")
TABLE = {"q1": {"m": "de", "w": 1}, "q2": {"m": "fr", "w": 2}}
PASSAGES = [("d", 0, 5)]
HALF, WHOLE = {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0, "c": 3.0}
FEATURES = numpy.array([[1.0, 2.0], [2.0, 1.0]])

#: Public functions, with what else they need.
CALLS = {
    "evaluate": (untied.evaluate, (QRELS, RUNS), {}),
    "Evaluator": (untied.Evaluator, (QRELS,), {}),
    "certify": (untied.certify, (QRELS, RUNS), {"measures": "P@1"}),
    "compare": (untied.compare, tuple(RUNS.values()), {}),
    "compare_all": (untied.compare_all, (RUNS,), {}),
    "compare_passages": (untied.compare_passages, (PASSAGES, PASSAGES), {}),
    "distributions": (untied.distributions, (QRELS, RUNS), {}),
    "evaluate_orders": (evaluate_orders, ({"q1": [("a", "b")]}, RUNS["old"]), {}),
    "evaluate_searches": (evaluate_searches, (QRELS, {"q1": [["a"], ["b"]]}), {}),
    "evaluate_arrays": (untied.evaluate_arrays, ([[1.0, 2.0]], [[1, 0]], "AP"), {}),
    "evaluate_features": (untied.evaluate_features, (FEATURES, "AP"), {"labels": [1, 0], "query_ids": ["q", "q"]}),
    "read_run": (untied.read_run, ("x.run",), {}),
    "read_qrels": (untied.read_qrels, ("qrels",), {}),
    "Run": (untied.Run, (RUNS["old"],), {}),
    "Qrels": (untied.Qrels, (QRELS,), {}),
    "Results.grouped": (RESULTS.grouped, (TABLE,), {"by": "m"}),
    "Results.grouped by a pattern": (RESULTS.grouped, (), {}),
    "Results.value": (RESULTS.value, ("AP",), {"run": "old"}),
    "Results.query_differences": (RESULTS.query_differences, (), {}),
    "Results.table": (RESULTS.table, (), {}),
    "gate": (gate.gate, (QRELS, RUNS["old"]), {"min": {"AP": 0.1}}),
    "agreement": (judging.agreement, (QRELS, QRELS, RUNS), {}),
    "judge_next": (judging.judge_next, (QRELS, RUNS), {}),
    "significance": (statistics.significance, (RESULTS,), {"samples": 9}),
    "required_queries": (statistics.required_queries, (RESULTS,), {}),
    "discriminative_power": (statistics.discriminative_power, (RESULTS,), {"samples": 9}),
    "mean_interval": (statistics.mean_interval, ([1, 2, 3.0],), {"samples": 9}),
    "allocate": (statistics.allocate, (HALF, dict.fromkeys(HALF, "s"), 2), {}),
    "estimate_mean": (statistics.estimate_mean, (HALF, WHOLE), {}),
    "adjust": (statistics.adjust, ([0.1, 0.2],), {}),
    "effect_size": (statistics.effect_size, ([1, 2.0], [2, 2.5]), {}),
    "randomization_test": (statistics.randomization_test, ([1, 2.0], [2, 2.5]), {"samples": 9}),
}
#: Of each a few parameters accept some, but no parameter accepts them all.
WRONG = (3, 1.5, b"x", object(), ["x"], {"x": 3}, ("x",), True, float("nan"))
#: Parameters that take any object.
ANY = {("mean_interval", "a"), ("Results.value", "measure")}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_types_are_refused_in_words(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.run").write_text("q1 Q0 a 1 2 t\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    monkeypatch.chdir(tmp_path)
    function, positional, keywords = CALLS[name]
    parameters = list(inspect.signature(function).parameters)
    for place, parameter in enumerate(parameters):
        refused = 0
        for value in WRONG:
            arguments = [value if at == place else given for at, given in enumerate(positional)]
            options = keywords if place < len(positional) else keywords | {parameter: value}
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    function(*arguments, **options)
            except (untied.UntiedError, OSError):
                refused += 1
            except (TypeError, KeyError) as error:
                refused += 1
                said = " ".join([str(error), *getattr(error, "__notes__", ())])
                is_named = parameter in said or "expected" in said or "must be" in said or repr(value) in said
                assert is_named, f"{name}({parameter}={value!r}): {said}"
        assert refused, f"{name} accepts anything as {parameter}"


@pytest.mark.parametrize("option", ["by", "weight", "macro", "cluster"])
@pytest.mark.parametrize("value", [3, ["m"], b"m", True])
def test_columns_of_queries_are_named_by_text(option: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"^{option} must be text, not "):
        RESULTS.grouped(TABLE, **{option: value})
    if option != "cluster":
        with pytest.raises(TypeError, match=f"^{option} must be text, not "):
            gate.gate(QRELS, RUNS["old"], min={"AP": 0.1}, query_table=TABLE, **{option: value})


def test_an_empty_name_of_a_column_is_not_left_out() -> None:
    with pytest.raises(untied.UntiedError, match="no column "):
        RESULTS.grouped(TABLE, by="")
    with pytest.raises(untied.UntiedError, match="is a column of a table"):
        gate.gate(QRELS, RUNS["old"], min={"AP": 0.1}, by="")
