"""The evaluators of trainers: BEIR, sentence-transformers, MTEB.

These packages need gigabytes to install (torch), so `trainers.json` holds values that their own functions gave once, on
random data with ties (also such that exist in 32 bits only), negative grades, documents with their query's id and
queries without results: beir 2.2.0 (evaluate, evaluate_custom), sentence-transformers 6.2.0
(InformationRetrievalEvaluator.compute_metrics), mteb 2.26.24 (calculate_retrieval_scores).
"""

from __future__ import annotations

import copy
import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import untied
from untied.compat import beir, mteb
from untied.compat import sentence_transformers as st

RECORD: dict[str, Any] = json.loads(Path(__file__).with_name("trainers.json").read_text())
K = RECORD["k_values"]
each = pytest.mark.parametrize("data", RECORD["collections"], ids=["first", "second"])


def result_lists(results: dict[str, dict[str, float]]) -> list[list[dict[str, Any]]]:
    return [[{"corpus_id": doc, "score": score} for doc, score in docs.items()] for docs in results.values()]


def relevant(qrels: dict[str, dict[str, int]]) -> dict[str, set[str]]:
    return {query: {doc for doc, grade in docs.items() if grade > 0} for query, docs in qrels.items()}


# ---------------------------------------------------------------------------------------------------------------------
# BEIR


@each
def test_beir_evaluate(data: dict[str, Any]) -> None:
    results = copy.deepcopy(data["results"])
    for name, ignore in (("evaluate_all_ids", False), ("evaluate", True)):
        ours = beir.EvaluateRetrieval.evaluate(data["qrels"], results, K, ignore_identical_ids=ignore)
        for mine, theirs in zip(ours, data[name], strict=True):
            assert list(mine) == list(theirs)
            assert mine == pytest.approx(theirs, abs=1e-9)
    assert "q2" not in results["q2"]  # taken out of the dict itself, as BEIR does
    assert "q2" in data["results"]["q2"]


@each
@pytest.mark.parametrize("metric", ["mrr", "recall_cap", "hole", "top_k_accuracy"])
def test_beir_evaluate_custom(data: dict[str, Any], metric: str) -> None:
    ours = beir.EvaluateRetrieval.evaluate_custom(data["qrels"], data["results"], K, metric)
    assert list(ours) == list(data["custom"][metric])
    assert ours == pytest.approx(data["custom"][metric], abs=1e-9)


def test_beir_ties() -> None:
    """Two rules in one package: by id in one method, by place in the dict in the other; the expectation in both."""
    qrels, results = {"q": {"a": 1}}, {"q": {"a": 0.5, "b": 0.5}}
    evaluate, custom = beir.EvaluateRetrieval.evaluate, beir.EvaluateRetrieval.evaluate_custom
    assert evaluate(qrels, results, [1])[1] == {"MAP@1": 0}
    assert custom(qrels, results, [1], "mrr") == {"MRR@1": 1}
    assert evaluate(qrels, results, [1], ties="expected")[1] == {"MAP@1": 0.5}
    for metric, key in (("mrr", "MRR@1"), ("r_cap", "R_cap@1"), ("Accuracy@k", "Accuracy@1")):
        assert custom(qrels, results, [1], metric, ties="expected") == {key: 0.5}
    assert custom(qrels, results, [1, 2, 4], "hole", ties="expected") == {"Hole@1": 0.5, "Hole@2": 0.5, "Hole@4": 0.25}


def test_beir_refuses() -> None:
    with pytest.raises(untied.UntiedError, match="no metric 'nope'; the metrics are mrr, recall_cap, hole"):
        beir.EvaluateRetrieval.evaluate_custom({"q": {"a": 1}}, {"q": {"a": 1.0}}, [1], "nope")
    with pytest.raises(untied.UntiedError, match="query 'r' of the results is not in the qrels"):
        beir.mrr({"q": {"a": 1}}, {"r": {"a": 1.0}}, [1])
    with pytest.raises(untied.UntiedError, match="not 'range': here a result is one value"):
        beir.EvaluateRetrieval.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, [1], ties="range")
    assert beir.recall_cap({"q": {"a": 0}}, {"q": {"a": 1.0}}, [1]) == {"R_cap@1": 0}  # BEIR divides by zero


def test_beir_retrieves() -> None:
    class Search:
        def search(self, corpus: Any, queries: Any, top_k: int, score_function: str, **kwargs: Any) -> Any:
            return corpus, queries, top_k, score_function, kwargs

    retriever = beir.EvaluateRetrieval(Search(), k_values=[1, 7], score_function="dot")
    assert retriever.retrieve({"d": "text"}, {"q": "text"}, x=1) == ({"d": "text"}, {"q": "text"}, 7, "dot", {"x": 1})
    with pytest.raises(ValueError, match="no retriever"):
        beir.EvaluateRetrieval().retrieve({}, {})


# ---------------------------------------------------------------------------------------------------------------------
# sentence-transformers

CUTOFFS: dict[str, Any] = {"mrr_at_k": [3, 10], "ndcg_at_k": [3, 10], "map_at_k": [2, 100]}


@each
def test_sentence_transformers(data: dict[str, Any]) -> None:
    lists, queries = result_lists(data["results"]), list(data["results"])
    ours = st.compute_metrics(lists, queries, relevant(data["qrels"]), **CUTOFFS)
    assert list(ours) == list(data["sentence_transformers"])
    for name, theirs in data["sentence_transformers"].items():
        assert ours[name] == pytest.approx({int(k): value for k, value in theirs.items()}, abs=1e-12), name


@each
def test_sentence_transformers_mixin(data: dict[str, Any]) -> None:
    """The method takes its cutoffs from the evaluator it is mixed into."""

    class Evaluator(st.TieAware):
        def __init__(self) -> None:
            self.queries_ids, self.relevant_docs = list(data["results"]), relevant(data["qrels"])
            self.mrr_at_k, self.ndcg_at_k, self.map_at_k = [3, 10], [3, 10], [2, 100]
            self.accuracy_at_k = self.precision_recall_at_k = [1, 3, 5, 10]

    lists = result_lists(data["results"])
    evaluator = Evaluator()
    tied = evaluator.compute_metrics(lists)
    assert tied == st.compute_metrics(lists, evaluator.queries_ids, evaluator.relevant_docs, ties="expected", **CUTOFFS)
    assert tied == evaluator.compute_metrics([docs[::-1] for docs in lists])
    evaluator.ties = "corpus_id"
    assert evaluator.compute_metrics(lists)["mrr@k"][10] == pytest.approx(data["sentence_transformers"]["mrr@k"]["10"])


def test_sentence_transformers_ties() -> None:
    hits = [[{"corpus_id": 2, "score": 0.5}, {"corpus_id": 10, "score": 0.5}, {"corpus_id": 3, "score": 0.1}]]

    def mrr(ties: str) -> float:
        return st.compute_metrics(hits, ["q"], {"q": {10}}, ties=ties)["mrr@k"][10]

    assert mrr("corpus_id") == 0.5  # 2 before 10: numbers, not texts
    assert mrr("docid") == 0.5
    assert mrr("expected") == 0.75
    assert (mrr("best"), mrr("worst")) == (1, 0.5)


def test_sentence_transformers_map_is_capped() -> None:
    """MAP@k divides by min(k, R): one hit at rank 1 of two relevant documents has MAP@1 = 1."""
    hits = [[{"corpus_id": "a", "score": 2.0}, {"corpus_id": "b", "score": 1.0}]]
    assert st.compute_metrics(hits, ["q"], {"q": {"a", "x"}}, map_at_k=[1, 2])["map@k"] == {1: 1, 2: 0.5}


def test_sentence_transformers_refuses() -> None:
    hit = {"corpus_id": "a", "score": 1.0}
    with pytest.raises(untied.UntiedError, match="'q' has no relevant documents"):
        st.compute_metrics([[hit]], ["q"], {"q": set()})
    with pytest.raises(untied.UntiedError, match="twice"):
        st.compute_metrics([[hit, hit]], ["q"], {"q": {"a"}}, ties="expected")
    with pytest.raises(untied.UntiedError, match="twice"):
        st.compute_metrics([[hit, hit]], ["q"], {"q": {"a"}})
    with pytest.raises(untied.UntiedError, match="not 'range': here a result is one value"):
        st.compute_metrics([[hit]], ["q"], {"q": {"a"}}, ties="range")


# ---------------------------------------------------------------------------------------------------------------------
# MTEB


@each
def test_mteb(data: dict[str, Any]) -> None:
    """MTEB asks pytrec_eval (ties by id over 32 bits), but for MRR: by id over the scores as they are."""
    families = {"ndcg": ("NDCG", "nDCG"), "map": ("MAP", "AP"), "recall": ("Recall", "R"), "precision": ("P", "P"),
                "hit_rate": ("HitRate", "Success"), "mrr": ("MRR", "RR")}  # fmt: skip
    for family, (theirs, name) in families.items():
        ties = "docid" if family == "mrr" else "trec"
        found = untied.evaluate(data["qrels"], data["results"], [f"{name}@{k}" for k in K], ties=ties, queries="common")
        for k in K:
            tolerance = 1e-9 if family == "mrr" else 0.5001e-5  # the others are rounded
            assert found[f"{name}@{k}"].mean == pytest.approx(data["mteb"][family][f"{theirs}@{k}"], abs=tolerance)


@each
def test_mteb_mrr(data: dict[str, Any]) -> None:
    theirs = data["mteb"]["mrr"]
    ours = mteb.mrr(data["qrels"], data["results"], K)
    assert {key: sum(values) / len(values) for key, values in ours.items()} == pytest.approx(theirs, abs=1e-12)


def test_mteb_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a stand-in for MTEB's module, with what its function of scores uses."""
    module = types.ModuleType(mteb.MODULE)
    module.__dict__.update(pytrec_eval="theirs", mrr="theirs", recall_cap="theirs")
    for name in ("mteb", "mteb._evaluators"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, mteb.MODULE, module)
    data = RECORD["collections"][0]
    asked = {"ndcg_cut.10", "map_cut.10", "recall.10", "P.10", "success.10"}

    def scores() -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = module.pytrec_eval.RelevanceEvaluator(data["qrels"], asked).evaluate(
            data["results"]
        )
        return found

    mteb.install()
    assert module.mrr == "theirs"
    mean = sum(values["ndcg_cut_10"] for values in scores().values()) / len(scores())
    assert round(mean, 5) == data["mteb"]["ndcg"]["NDCG@10"]
    mteb.install(ties="expected")
    found = untied.evaluate(data["qrels"], data["results"], ["nDCG@10", "RR@10"], queries="common")
    assert list(scores()) == list(data["results"])  # MTEB pairs them by place
    assert {query: values["ndcg_cut_10"] for query, values in scores().items()} == pytest.approx(
        {query: found.value("nDCG@10", query=query).mean for query in found.queries}
    )
    values = module.mrr(data["qrels"], data["results"], [10])["MRR@10"]
    assert values == [found.value("RR@10", query=query).mean for query in data["results"]]
    mteb.uninstall()
    mteb.uninstall()
    assert (module.pytrec_eval, module.mrr) == ("theirs", "theirs")
