"""Queries for which no document is judged: left out of every measure where undefined values are."""

from __future__ import annotations

import json

import pytest

import untied
from untied.gate import gate
from untied.inputs.mismatch import Silence

QRELS = {"q1": {"a": 1}, "q2": {}}
RUN = {"q1": ["a"], "q2": ["b"]}


def test_all_measures_leave_them_out():
    with pytest.warns(untied.UntiedWarning, match="queries without judged documents: 1 .* left out"):
        results = untied.evaluate(QRELS, RUN, ["AP", "P@1"], on_undefined="nan")
    assert (results["AP"], results["P@1"], list(results.queries)) == (1, 1, ["q1"])


def test_by_default_they_count_as_0():
    results = untied.evaluate(QRELS, RUN, ["AP", "P@1"])
    assert (results["AP"], results["P@1"]) == (0.5, 0.5)


def test_queries_whose_documents_are_all_irrelevant_are_answered():
    results = untied.evaluate({"q1": {"a": 1}, "q2": {"b": 0}}, RUN, ["AP", "P@1"], on_undefined="nan")
    assert (results["AP"], results["P@1"]) == (1, 0.5)


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
@pytest.mark.parametrize("retrieved", [0, 1, 3, 4, 9])
def test_unjudged_is_the_share_of_places_that_should_be_empty(retrieved):
    """Whether a query without an answer abstains, and how many of its first places are filled wrongly."""
    run = {"q2": {f"d{number}": number // 2 for number in range(retrieved)}}
    for qrels in ({"q2": {}}, {"q2": {"d0": -1}}):
        results = untied.evaluate(qrels, run, ["Unjudged@1", "Unjudged@4"])
        assert 1 - results["Unjudged@1"] == (retrieved == 0)
        assert results["Unjudged@4"] == min(retrieved, 4) / 4


def test_there_may_be_no_other_query():
    with pytest.warns(untied.UntiedWarning, match="no document"):
        assert len(untied.evaluate({"q2": {}}, RUN, "P@1", on_undefined="nan").queries) == 1


def test_gates_and_commands_do_the_same(tmp_path, untied_):
    with pytest.warns(untied.UntiedWarning, match="1 .* left out"):
        assert gate(QRELS, RUN, min={"P@1": 1}, on_undefined="nan")
    for name, content in (("q", QRELS), ("r", RUN)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    given = (tmp_path / "q.json", tmp_path / "q.json", "-m", "P@1", "--on-undefined", "nan")
    code, out, err = untied_("eval", *given)
    assert (code, out.splitlines()[-1]) == (0, "q\tall\tP@1\t1.0000")
    assert "queries without judged documents: 1 (they have no answer, or none is known yet; left out)" in err
    err = untied_("eval", *given[:4])[2]
    assert "queries without judged documents: 1 (they have no answer, or none is known yet; --on-undefined nan" in err


def test_gates_name_the_right_queries():
    """Rows of queries are those of all judgments, unless queries without judged documents are to be left out."""
    qrels, run = {"q1": {}, "q2": {"a": 1}, "q3": {"a": 1}, "q4": {"a": 1}}, {"q1": ["b"], "q2": ["a"], "q3": ["b"]}
    [ap, p] = gate(qrels, run, min={"AP": 0.5, "P@1": 0.5}).checks
    assert "the run lacks 1 query (q4)" in ap.sentence
    assert "undefined for 1 query (q1)" in ap.sentence
    assert [query["query"] for query in ap.queries] == ["q3", "q4", "q2"]
    assert (p.run, p.decided_on) == (0.25, "mean of 4 queries")
    with pytest.warns(untied.UntiedWarning, match=r"documents: 1 .* left out"):
        [ap, p] = gate(qrels, run, min={"AP": 0.5, "P@1": 0.5}, on_undefined="nan").checks
    assert (ap.run, p.run, p.decided_on) == (1 / 3, 1 / 3, "mean of 3 queries")
    assert "undefined" not in ap.sentence


def test_silence_is_a_measure_of_its_own():
    """Of queries without an answer: whether nothing is retrieved, and the share of places that are filled."""

    @untied.measure(cutoff="none")
    def AbstainsHere(retrieved):
        return retrieved == 0

    @untied.measure(cutoff="required")
    def FalseHitsHere(retrieved, cutoff):
        return min(retrieved, cutoff) / cutoff

    run = {"q1": {"a": 2.0}, "q2": {"b": 1.0, "c": 1.0}}
    cut = {query: {doc: score for doc, score in docs.items() if score > 1} for query, docs in run.items()}
    for of_run, expected in ((run, [0, 1, 0.5]), (cut, [1, 0, 0])):
        with Silence():
            silent = untied.evaluate({"q2": {}}, of_run, [AbstainsHere, FalseHitsHere @ 1, FalseHitsHere @ 4])
            answered = untied.evaluate(QRELS, of_run, ["AP", "P@1"], on_undefined="nan")
        assert [silent[measure] for measure in silent.measures] == expected
        assert [answered["AP"], answered["P@1"]] == [1, 1]
