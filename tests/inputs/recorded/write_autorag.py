"""Writes autorag-VERSION.parquet, run with AutoRAG installed: python write_autorag.py.

It has questions with the passages that answer them: one of each group is needed.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from autorag.data.qa.schema import QA, Corpus, Raw
from pandas import DataFrame

QUESTIONS = DataFrame(
    {
        "qid": ["q1", "q2"],
        "query": ["Which city is older, Lima or Cusco?", "What is the capital of Chile?"],
        "retrieval_gt": [[["lima-1", "lima-2"], ["cusco-1"]], [["santiago-1"]]],
        "generation_gt": [["Cusco"], ["Santiago"]],
    }
)
PASSAGES = DataFrame({"doc_id": ["lima-1", "lima-2", "cusco-1", "santiago-1"], "contents": ["", "", "", ""]})

path = Path(__file__).with_name(f"autorag-{version('AutoRAG')}.parquet")
with TemporaryDirectory() as folder:
    corpus = Corpus(PASSAGES, Raw(DataFrame()))
    QA(QUESTIONS, corpus).to_parquet(str(path), f"{folder}/corpus.parquet")
