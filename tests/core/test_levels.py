"""A measure that asks for a higher grade than there is: its values are 0, and every entry point says why."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy
import pytest

import untied
import untied.gate
from untied.batches import BatchEvaluator
from untied.cli import main

QRELS = {"q": {"a": 1, "b": 0}}
RUN = {"q": ["a", "b"]}
SAID = r"the highest grade is 1, lower than these measures need: AP\(rel=2\)"


def test_evaluate() -> None:
    with pytest.warns(untied.UntiedWarning, match=SAID + "$"):
        assert untied.evaluate(QRELS, RUN, ["AP(rel=2)", "AP"])["AP(rel=2)"].mean == 0
    with pytest.raises(untied.UntiedError, match=SAID):
        untied.evaluate(QRELS, RUN, ["AP(rel=2)"], strict=True)


@pytest.mark.parametrize("measure", ["AP", "P(rel=0.5)@2", "nDCG", "DCG", "Compat(p=0.9)", "NERR8(max_rel=1)@5"])
def test_nothing_is_said_where_a_document_is_as_high(measure: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        untied.evaluate(QRELS, RUN, [measure])


@pytest.mark.parametrize(
    ("grade", "measure"), [(0.5, "AP"), (0.5, "ERR_IA"), (1, "NERR8(min_rel=1, max_rel=2)@5"), (3, "nDCG(rel=4)")]
)
def test_defaults_and_other_parameters(grade: float, measure: str) -> None:
    qrels: Any = {"q": {"1": {"a": grade}}} if measure == "ERR_IA" else {"q": {"a": grade}}
    form = "subtopics" if measure == "ERR_IA" else "auto"
    with pytest.warns(untied.UntiedWarning, match="lower than these measures need"):
        untied.evaluate(qrels, RUN, [measure], qrels_format=form)


def test_arrays_features_and_batches() -> None:
    with pytest.warns(untied.UntiedWarning, match=SAID):
        untied.evaluate_arrays(numpy.array([[2.0, 1.0]]), numpy.array([[1, 0]]), ["AP(rel=2)"])
    with pytest.warns(untied.UntiedWarning, match=SAID):
        untied.evaluate_features({"f": [2.0, 1.0]}, ["AP(rel=2)"], labels=[1, 0], query_ids=[1, 1])
    import pyarrow

    rows = pyarrow.table({"query": ["q", "q"], "document": ["a", "b"], "score": [2.0, 1.0], "grade": [1.0, 0.0]})
    evaluator = BatchEvaluator(["AP(rel=2)"], grades=[0, 1])
    with pytest.warns(untied.UntiedWarning, match=SAID):
        evaluator.summary(evaluator(rows.to_batches())).warn()


def test_command_line_and_gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "one.run"
    qrels.write_text("q 0 a 1\nq 0 b 0\n")
    run.write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    assert main(["eval", str(qrels), str(run), "-m", "AP(rel=2)"]) == 0
    assert capsys.readouterr().err.count("the highest grade is 1, lower than these measures need: AP(rel=2)") == 1
    assert main(["gate", str(qrels), str(run), "--min", "AP(rel=2)=0"]) > 0
    assert "lower than these measures need" in capsys.readouterr().err
    with pytest.raises(untied.UntiedError, match=SAID):
        untied.gate.gate(QRELS, RUN, min={"AP(rel=2)": 0})
