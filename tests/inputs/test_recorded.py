"""Files that other packages wrote: `recorded/` has each with its version, and the script that wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import untied

RECORDED = Path(__file__).with_name("recorded")


def _only(pattern: str) -> Path:
    [path] = RECORDED.glob(pattern)
    return path


def test_ragas() -> None:
    path = _only("ragas-*.jsonl")
    results = untied.evaluate(path, path, ["SetR", "SetP", "R@2", "nDCG@3"])
    values = {name: results.value(name, query="capital of Peru?") for name in results.measures}
    assert values == pytest.approx({"SetR": 1, "SetP": 2 / 3, "R@2": 0.5, "nDCG@3": 0.9197207891481876})
    assert results.value("SetR", query="capital of Chile?") == 1
    assert results.queries == ["capital of Chile?", "capital of Mars?", "capital of Peru?"]
    assert untied.read_run(path)["capital of Mars?"] == []


def test_llama_index() -> None:
    path = _only("llama-index-*.jsonl")
    ours = untied.evaluate(path, path, ["RR", "Success@2", "SetR"])
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == 3
    for row in rows:
        for name, measure in (("mrr", "RR"), ("hit_rate", "Success@2"), ("recall", "SetR")):
            assert ours.value(measure, query=row["query"]) == row["metric_dict"][name]["score"]


def test_haystack() -> None:
    recorded = json.loads(_only("haystack-*.json").read_text())
    # Documents of Haystack are objects with these fields.
    found = {
        query: [SimpleNamespace(**document) for document in documents] for query, documents in recorded["found"].items()
    }
    qrels = {query: {document: 1} for query, document in recorded["relevant"].items()}
    results = untied.evaluate(qrels, found, "RR")
    assert {query: results.value("RR", query=query) for query in qrels} == recorded["reciprocal_ranks"]
