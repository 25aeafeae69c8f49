"""Unions of several searches, and questions for which any of several documents is enough or all of them are needed."""

from __future__ import annotations

import json

import pytest

import untied

BOTH = {"q": {"a": 1, "b": 1}}


def test_a_union_is_one_tie_group(tmp_path, untied_):
    """The union a, x, b of an agent's searches, as a list in Python, as JSON, and as a row with equal scores."""
    expected = {"SetR": (1, 1, 1), "R@2": (0.5, 2 / 3, 1), "RR": (0.5, 5 / 6, 1)}
    (tmp_path / "x.json").write_text('{"q": [["a", "x", "b"]]}')
    (tmp_path / "x.jsonl").write_text('{"query_id": "q", "retrieved_docids": ["a", "x", "b"], "scores": [0, 0, 0]}\n')
    for union in ({"q": [["a", "x", "b"]]}, tmp_path / "x.json", tmp_path / "x.jsonl"):
        results = untied.evaluate(BOTH, union, list(expected), ties="range")
        for measure, bounds in expected.items():
            value = results[measure]
            assert [pytest.approx(bound) for bound in (value.low, value, value.high)] == [*bounds]
    (tmp_path / "q.json").write_text(json.dumps(BOTH))
    out = untied_("eval", tmp_path / "q.json", tmp_path / "x.json", "-m", "R@2", "--ties", "range")[1]
    assert out.splitlines()[-1] == "x\tall\tR@2\t0.6667\t0.5000\t1.0000"


def test_searches_in_turns_tie_equal_ranks():
    """Each turn is a tie group, so the value is the mean over both orders of each turn."""
    turns = {"q": [["a", "y"], ["x", "b"]]}
    value = untied.evaluate(BOTH, turns, "AP", ties="range")["AP"]
    orders = [
        untied.evaluate(BOTH, {"q": [*first, *second]}, "AP")["AP"]
        for first in ("ay", "ya")
        for second in ("xb", "bx")
    ]  # fmt: skip
    assert (value.low, value.high) == (min(orders), max(orders))
    assert value == pytest.approx(sum(orders) / 4)


def test_any_of_the_documents_of_a_subtopic_is_enough():
    qrels = {"q": {"0": {"a": 1, "b": 1}, "1": {"c": 1}}}
    results = untied.evaluate(qrels, {"q": ["b", "x", "c"]}, ["StRecall@1", "StRecall@3"])
    assert (results["StRecall@1"], results["StRecall@3"]) == (0.5, 1)


def test_how_probable_it_is_that_all_is_found():
    """As a measure of one's own that says whether all is found, without its trick of a grade for each fact."""
    qrels = {"q": {"0": {"a": 1, "b": 1}, "1": {"c": 1}}}
    for ranking, depth, chance in (
        (["b", "x", "c"], 2, 0), (["b", "x", "c"], 3, 1), ([["b", "c", "x"]], 2, 1 / 3), ([["a", "b", "c"]], 2, 2 / 3)
    ):  # fmt: skip
        measure = f"StRecall@{depth}"
        found = untied.distributions(qrels, {"q": ranking}, measure, per_query=True).query("q", measure)
        assert dict(found.lower).get(1.0, 0) == pytest.approx(chance)
        assert found.certainty == "exact"


def test_whether_all_is_found():
    @untied.measure(cutoff="required")
    def AllFoundHere(grades, ideal):
        return {grade for grade in ideal if grade > 0} <= set(grades)

    qrels = {"q": {"a": 1, "b": 1, "c": 2}}
    results = untied.evaluate(qrels, {"q": ["b", "x", "c"]}, [AllFoundHere @ 2, AllFoundHere @ 3])
    assert (results["AllFoundHere@2"], results["AllFoundHere@3"]) == (0, 1)
    value = untied.evaluate(qrels, {"q": [["b", "c", "x"]]}, AllFoundHere @ 2)["AllFoundHere@2"]
    assert (value, value.certainty) == (pytest.approx(1 / 3), "exact")


def test_a_question_with_an_empty_group_has_no_answer():
    with pytest.warns(untied.UntiedWarning, match=r"queries without judged documents: 1 .* left out"):
        results = untied.evaluate({"p": {"a": 1}, "q": {}}, {"p": ["a"], "q": ["b"]}, "R@2", on_undefined="nan")
    assert list(results.queries) == ["p"]


@pytest.mark.parametrize("facts", [["a", "b"], [["a"], "b"], [[["a"]]], [[None]], [[1.5]]])
def test_facts_are_lists_of_documents(facts, tmp_path):
    expected = "expected a list of documents for each subtopic"
    with pytest.raises(TypeError, match=expected):
        untied.Qrels({"q": facts}, format="subtopics")
    (tmp_path / "facts.json").write_text(json.dumps({"q": facts}))
    (tmp_path / "facts.jsonl").write_text(json.dumps({"query_id": "q", "relevant": facts}))
    for suffix in ("json", "jsonl"):
        path = tmp_path / f"facts.{suffix}"
        with pytest.raises(untied.UntiedError, match=rf"facts\.{suffix}.*{expected}"):
            untied.read_qrels(path, format="subtopics")


@pytest.mark.parametrize("facts", [[], [[]], {}, {"1": {}}])
def test_a_query_without_facts_has_no_answer(facts):
    qrels = untied.Qrels({"p": [["a"]], "q": facts}, format="subtopics")
    assert qrels.queries() == ["p", "q"]
    with pytest.warns(untied.UntiedWarning, match="queries without judged documents: 1"):
        results = untied.evaluate(qrels, {"p": ["a"], "q": ["a"]}, "StRecall", on_undefined="nan")
    assert results["StRecall"] == 1
    assert untied.evaluate(qrels, {"p": ["a"], "q": ["a"]}, "StRecall")["StRecall"] == 0.5


def test_a_query_with_facts_has_one_row(tmp_path):
    path = tmp_path / "facts.jsonl"
    path.write_text('{"query_id": "q", "relevant": [["a"]]}\n{"query_id": "q", "relevant": [["b"]]}\n')
    with pytest.raises(untied.UntiedError, match="one row for each query, found query q again"):
        untied.read_qrels(path, format="subtopics")


def test_ordinary_tables_of_subtopics_say_what_is_wrong(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"query_id": "q", "doc_id": "a", "subtopic": 1, "grade": "x"}\n')
    with pytest.raises(untied.UntiedError, match="line 1: expected a finite number"):
        untied.read_qrels(path, format="subtopics")
    path.write_text('{"query_id": "q", "doc_id": "a", "grade": 1}\n')
    with pytest.raises(untied.UntiedError, match="subtopic"):
        untied.read_qrels(path, format="subtopics")
