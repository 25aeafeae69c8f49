"""The evaluators of trainers on awkward input: what BEIR, sentence-transformers and MTEB gave, and where we differ.

`trainers_awkward.json` holds what their own functions gave once (versions in it) on random data with infinite scores,
queries without judgments, without results, and in one of the two only; the name of the exception where they raised one.
"""

from __future__ import annotations

import json
import logging
import math
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import untied
from test_compat_trainers import relevant, result_lists
from untied.compat import beir, mteb
from untied.compat import sentence_transformers as st

RECORD: dict[str, Any] = json.loads(Path(__file__).with_name("trainers_awkward.json").read_text(encoding="utf-8"))
K = RECORD["k_values"]
each = pytest.mark.parametrize("case", RECORD["cases"], ids=range(len(RECORD["cases"])))


def copied(results: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {query: dict(documents) for query, documents in results.items()}


def approximately(theirs: Any, tolerance: float = 1e-9) -> Any:
    """To compare with nested dicts and lists that hold numbers."""
    if isinstance(theirs, dict):
        return {key: approximately(value, tolerance) for key, value in theirs.items()}
    if isinstance(theirs, (list, tuple)):
        return [approximately(value, tolerance) for value in theirs]
    return theirs if theirs is None else pytest.approx(theirs, abs=tolerance)


# ---------------------------------------------------------------------------------------------------------------------
# BEIR


@each
def test_beir_evaluate(case: dict[str, Any]) -> None:
    if case["evaluate"] == "ZeroDivisionError":
        with pytest.raises(untied.UntiedError, match="no query of the results has judgments"):
            beir.EvaluateRetrieval.evaluate(case["qrels"], copied(case["results"]), K)
    else:
        ours = beir.EvaluateRetrieval.evaluate(case["qrels"], copied(case["results"]), K)
        assert list(ours) == approximately(case["evaluate"])


@each
@pytest.mark.parametrize("metric", ["mrr", "recall_cap", "hole", "top_k_accuracy"])
def test_beir_evaluate_custom(case: dict[str, Any], metric: str) -> None:
    qrels, results, theirs = case["qrels"], case["results"], case[metric]
    unknown = metric != "hole" and any(query not in qrels for query in results)
    assert not unknown or theirs in ("KeyError", "ZeroDivisionError")
    if unknown or not qrels:
        with pytest.raises(untied.UntiedError, match=r"of the results is not in the qrels|the qrels are empty"):
            beir.EvaluateRetrieval.evaluate_custom(qrels, results, K, metric)
        return
    ours = beir.EvaluateRetrieval.evaluate_custom(qrels, results, K, metric)
    if theirs == "ZeroDivisionError":  # a query without relevant documents counts 0 here
        assert metric == "recall_cap"
        assert not all(relevant(qrels)[query] for query in results)
    else:
        assert ours == approximately(theirs)


def test_beir_of_nothing() -> None:
    """Results without a query are 0, as there; nothing judged is an error, where BEIR divides by zero."""
    qrels: dict[str, dict[str, int]] = {"q": {"a": 1}}
    for metric, key in (("mrr", "MRR"), ("r_cap", "R_cap"), ("hole", "Hole"), ("acc", "Accuracy")):
        assert beir.EvaluateRetrieval.evaluate_custom(qrels, {}, [1, 5], metric) == {f"{key}@1": 0, f"{key}@5": 0}
        with pytest.raises(untied.UntiedError, match="no query to evaluate: the qrels are empty"):
            beir.EvaluateRetrieval.evaluate_custom({}, {}, [1], metric)
    for judged, results in ((qrels, {}), ({}, {"q": {"a": 1.0}}), (qrels, {"r": {"a": 1.0}})):
        with pytest.raises(untied.UntiedError, match="no query of the results has judgments"):
            beir.EvaluateRetrieval.evaluate(judged, results, [1])


def test_beir_refuses_nan() -> None:
    for evaluate in (
        lambda results: beir.EvaluateRetrieval.evaluate({"q": {"a": 1}}, results, [1]),
        lambda results: beir.mrr({"q": {"a": 1}}, results, [1]),
    ):
        with pytest.raises((ValueError, untied.UntiedError), match=r'query "q", document "a".* cannot be NaN'):
            evaluate({"q": {"b": 1.0, "a": math.nan}})


def test_beir_counts_a_repeated_cutoff_once() -> None:
    """BEIR adds up under one key as often as the cutoff is given: its MRR@1 of [1, 1] would be 2."""
    qrels, results = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}
    assert beir.mrr(qrels, results, [1, 1]) == {"MRR@1": 1}
    assert beir.EvaluateRetrieval.evaluate(qrels, results, [1, 1])[3] == {"P@1": 1}


def test_beir_logs(caplog: pytest.LogCaptureFixture) -> None:
    qrels, results = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}
    beir.EvaluateRetrieval.evaluate(qrels, results, [1])
    assert not caplog.records
    with caplog.at_level(logging.INFO):
        beir.EvaluateRetrieval.evaluate(qrels, results, [1])
        beir.EvaluateRetrieval.evaluate_custom(qrels, results, [1, 2], "hole")
    lines = [record.message for record in caplog.records if "@" in record.message]
    assert lines == ["NDCG@1: 1.0000", "MAP@1: 1.0000", "Recall@1: 1.0000", "P@1: 1.0000", "Hole@1: 0.0000",
                     "Hole@2: 0.5000"]  # fmt: skip
    assert any("id of their query" in record.message for record in caplog.records)
    assert {record.levelno for record in caplog.records} == {logging.INFO}


def test_beir_encodes_and_retrieves(tmp_path: Path) -> None:
    class Search:
        def encode(self, corpus: Any, queries: Any, encode_output_path: str, **kwargs: Any) -> None:
            assert (corpus, queries) == ({"d": "text"}, {"q": "words"})
            assert kwargs == {"overwrite": True, "query_filename": "q.pkl", "corpus_filename": "c.*.pkl", "batch": 8}
            for name in ("q.pkl", "c.0.pkl", "c.1.pkl"):
                Path(encode_output_path, name).touch()

        def search_from_files(self, **kwargs: Any) -> Any:
            return kwargs

    evaluator = beir.EvaluateRetrieval(Search(), k_values=[1, 7])
    found = evaluator.encode_and_retrieve(
        {"d": "text"}, {"q": "words"}, str(tmp_path), True, "q.pkl", "c.*.pkl", batch=8
    )
    assert sorted(found.pop("corpus_embeddings_files")) == [f"{tmp_path}/c.0.pkl", f"{tmp_path}/c.1.pkl"]
    assert found == {"query_embeddings_file": f"{tmp_path}/q.pkl", "top_k": 7, "batch": 8}
    with pytest.raises(ValueError, match="no retriever"):
        beir.EvaluateRetrieval().encode_and_retrieve({}, {})


# ---------------------------------------------------------------------------------------------------------------------
# sentence-transformers


@each
def test_sentence_transformers(case: dict[str, Any]) -> None:
    qrels, results, theirs = relevant(case["qrels"]), case["results"], case["sentence_transformers"]

    def ours() -> Any:
        return st.compute_metrics(
            result_lists(results), list(results), qrels,
            mrr_at_k=K, ndcg_at_k=K, map_at_k=K, accuracy_at_k=K, precision_recall_at_k=K,
        )  # fmt: skip

    if theirs == "KeyError":
        with pytest.raises((KeyError, untied.UntiedError)):
            ours()
    elif theirs == "ZeroDivisionError":
        with pytest.raises(untied.UntiedError, match=r"has no relevant documents|the qrels are empty"):
            ours()
    else:
        numbered = {name: {int(k): value for k, value in values.items()} for name, values in theirs.items()}
        assert ours() == approximately(numbered)


@pytest.mark.parametrize("ties", ["corpus_id", "expected", "docid", "trec", "given"])
def test_sentence_transformers_names_the_query(ties: str) -> None:
    hits = [[{"corpus_id": "a", "score": 1.0}], [{"corpus_id": "b", "score": math.nan}]]
    with pytest.raises(untied.UntiedError, match='query "second", document "b": the score cannot be NaN'):
        st.compute_metrics(hits, ["first", "second"], {"first": {"a"}, "second": {"b"}}, ties=ties)
    hits[1][0]["score"] = math.inf
    metrics = st.compute_metrics(hits, ["first", "second"], {"first": {"a"}, "second": {"b"}}, ties=ties)
    assert metrics["mrr@k"] == {10: 1}
    with pytest.raises((untied.UntiedError, TypeError), match=r'query "second"|bad operand'):
        st.compute_metrics(
            [hits[0], [{"corpus_id": "b", "score": "high"}]],
            ["first", "second"], {"first": {"a"}, "second": {"b"}}, ties=ties,
        )  # fmt: skip
    with pytest.raises(untied.UntiedError, match="query 1 is given twice"):
        st.compute_metrics([[], []], ["1", 1], {"1": {"a"}, 1: {"a"}}, ties=ties)


# ---------------------------------------------------------------------------------------------------------------------
# MTEB


@each
@pytest.mark.parametrize("name", ["mrr", "recall_cap"])
def test_mteb(case: dict[str, Any], name: str) -> None:
    theirs = case[f"mteb_{name}"]
    if theirs == "KeyError":
        with pytest.raises(KeyError):
            getattr(mteb, name)(case["qrels"], case["results"], K)
    else:
        assert getattr(mteb, name)(case["qrels"], case["results"], K) == approximately(theirs)


def test_mteb_recall_cap_under_ties() -> None:
    qrels, results = {"q": {"a": 1, "c": 1}, "r": {"a": 0}}, {"q": {"a": 0.5, "b": 0.5}, "r": {"a": 1.0}}
    assert mteb.recall_cap(qrels, results, [1, 2]) == {"R_cap_at_1": [0, None], "R_cap_at_2": [0.5, None]}
    assert mteb.recall_cap(qrels, results, [1], ties="expected") == {"R_cap_at_1": [0.5, None]}


def test_mteb_tasks_that_import_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for MTEB, one of whose tasks has imported a function of the module of metrics."""
    metrics, task = types.ModuleType(mteb.MODULE), types.ModuleType("mteb.tasks.task")

    def recall_cap(*_: Any) -> None: ...

    metrics.__dict__.update(pytrec_eval="theirs", mrr="theirs", recall_cap=recall_cap)
    task.__dict__.update(recall_cap=recall_cap, mrr="its own")
    for module in (types.ModuleType("mteb"), types.ModuleType("mteb._evaluators"), metrics, task):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    mteb.install()
    assert task.recall_cap is metrics.recall_cap is recall_cap
    mteb.install(ties="expected")
    assert task.recall_cap is metrics.recall_cap
    assert task.recall_cap({"q": {"a": 1}}, {"q": {"a": 0.5, "b": 0.5}}, [1]) == {"R_cap_at_1": [0.5]}
    assert task.mrr == "its own"
    mteb.uninstall()
    assert task.recall_cap is metrics.recall_cap is recall_cap
    assert metrics.pytrec_eval == "theirs"
