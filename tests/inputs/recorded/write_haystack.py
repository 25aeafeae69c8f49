"""Writes haystack-VERSION.json, run with haystack-ai installed: python write_haystack.py.

It has what a retriever of Haystack found for each query, and the mean reciprocal rank that Haystack's evaluator gives.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

from haystack import Document
from haystack.components.evaluators import DocumentMRREvaluator
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

TEXTS = {"lima": "Lima is the capital of Peru", "cusco": "Cusco is in Peru", "andes": "Chile is long"}
QUERIES = {"capital of Peru": "cusco", "Chile": "andes"}

store = InMemoryDocumentStore()
store.write_documents([Document(id=name, content=text) for name, text in TEXTS.items()])
retriever = InMemoryBM25Retriever(store)
found = {query: retriever.run(query)["documents"] for query in QUERIES}
relevant = [[Document(id=name, content=TEXTS[name])] for name in QUERIES.values()]
scores = DocumentMRREvaluator().run(ground_truth_documents=relevant, retrieved_documents=list(found.values()))
content = {
    "relevant": QUERIES,
    "found": {query: [document.to_dict(flatten=False) for document in documents] for query, documents in found.items()},
    "reciprocal_ranks": dict(zip(QUERIES, scores["individual_scores"], strict=True)),
}
path = Path(__file__).with_name(f"haystack-{version('haystack-ai')}.json")
path.write_text(json.dumps(content, indent=1) + "\n")
