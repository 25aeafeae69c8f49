"""Writes llama-index-VERSION.jsonl, run with llama-index-core installed: python write_llama_index.py.

Every line is a result of a retriever's evaluation, with what LlamaIndex's own metrics say.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from llama_index.core.evaluation.retrieval.base import RetrievalEvalResult
from llama_index.core.evaluation.retrieval.metrics import MRR, HitRate, Recall

RESULTS = [
    ("capital of Peru?", ["7", "3", "9"], ["7", "9"]),
    ("capital of Chile?", ["4", "8"], ["8"]),
    ("capital of Cuba?", ["5", "6"], ["2"]),
]

METRICS = {"mrr": MRR(), "hit_rate": HitRate(), "recall": Recall()}


def result(query: str, retrieved: list[str], expected: list[str]) -> RetrievalEvalResult:
    ids = {"expected_ids": expected, "retrieved_ids": retrieved}
    return RetrievalEvalResult(
        query=query,
        expected_texts=None,
        retrieved_texts=[f"text of {document}" for document in retrieved],
        metric_dict={name: metric.compute(query=query, **ids) for name, metric in METRICS.items()},
        **ids,
    )


with Path(__file__).with_name(f"llama-index-{version('llama-index-core')}.jsonl").open("w") as file:
    for given in RESULTS:
        file.write(result(*given).model_dump_json() + "\n")
