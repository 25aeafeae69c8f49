"""Queries for which no document is judged: left out of every measure where undefined values are."""

from __future__ import annotations

import json

import pytest

import untied
from untied.gate import gate

QRELS = {"q1": {"a": 1}, "q2": {}}
RUN = {"q1": ["a"], "q2": ["b"]}


def test_all_measures_leave_them_out():
    with pytest.warns(untied.UntiedWarning, match="queries without judged documents, left out: 1"):
        results = untied.evaluate(QRELS, RUN, ["AP", "P@1"], on_undefined="nan")
    assert (results["AP"], results["P@1"], list(results.queries)) == (1, 1, ["q1"])


def test_by_default_they_count_as_0():
    results = untied.evaluate(QRELS, RUN, ["AP", "P@1"])
    assert (results["AP"], results["P@1"]) == (0.5, 0.5)


def test_queries_whose_documents_are_all_irrelevant_are_answered():
    results = untied.evaluate({"q1": {"a": 1}, "q2": {"b": 0}}, RUN, ["AP", "P@1"], on_undefined="nan")
    assert (results["AP"], results["P@1"]) == (1, 0.5)


def test_there_may_be_no_other_query():
    with pytest.warns(untied.UntiedWarning, match="no document"):
        assert len(untied.evaluate({"q2": {}}, RUN, "P@1", on_undefined="nan").queries) == 1


def test_gates_and_commands_do_the_same(tmp_path, untied_):
    with pytest.warns(untied.UntiedWarning, match="left out: 1"):
        assert gate(QRELS, RUN, min={"P@1": 1}, on_undefined="nan")
    for name, content in (("q", QRELS), ("r", RUN)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    given = (tmp_path / "q.json", tmp_path / "q.json", "-m", "P@1", "--on-undefined", "nan")
    code, out, err = untied_("eval", *given)
    assert (code, out.splitlines()[-1]) == (0, "q\tall\tP@1\t1.0000")
    assert "queries without judged documents, left out: 1" in err
