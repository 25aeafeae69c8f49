"""Writes ragas-VERSION.jsonl, run with Ragas installed: python write_ragas.py."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from ragas import EvaluationDataset, SingleTurnSample

SAMPLES = [
    ("capital of Peru?", ["7", "3", "9"], ["7", "9"]),
    ("capital of Chile?", ["4", "8"], ["8"]),
    ("capital of Mars?", [], []),
]

dataset = EvaluationDataset(
    samples=[
        SingleTurnSample(
            user_input=question,
            retrieved_context_ids=retrieved,
            reference_context_ids=relevant,
            retrieved_contexts=[f"text of {document}" for document in retrieved],
            response="An answer.",
        )
        for question, retrieved, relevant in SAMPLES
    ]
)
dataset.to_jsonl(Path(__file__).with_name(f"ragas-{version('ragas')}.jsonl"))
