"""implicit's ranking metrics, for a model that recommends fixed lists."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, ranked_list, relevant

PACKAGE = "implicit"
HOW = "ranking_metrics_at_k of a model whose recommend returns the ranked lists"

NAMES = {"P@k": "precision", "AP@k": "map", "nDCG@k": "ndcg"}


def answer(case: Case) -> Any:
    """The metric over all users with test items."""
    import numpy
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    name = case.look_up(NAMES)
    if set(case.qrels) != set(case.run):
        raise NotOffered("takes recommendations for users of the test set")
    if name == "ndcg" and any(grade not in (0, 1) for truth in case.qrels.values() for grade in truth.values()):
        raise NotOffered("has binary gains alone")
    lists = [ranked_list(case.run[query]) for query in case.qrels]
    items = list(
        dict.fromkeys([*(doc for docs in lists for doc in docs), *(d for t in case.qrels.values() for d in t)])
    )
    test = numpy.zeros((len(lists), len(items)))
    for row, truth in enumerate(case.qrels.values()):
        for doc in relevant(truth):
            test[row, items.index(doc)] = 1
    width = max(map(len, lists), default=0)
    if any(len(docs) != width for docs in lists):
        raise NotOffered("takes lists of one length")

    class Fixed:
        def recommend(self, users: Any, *_: Any, N: int = 10, **__: Any) -> Any:
            ids = numpy.array([[items.index(doc) for doc in lists[user]][:N] for user in users], dtype=numpy.int32)
            return ids, numpy.zeros(ids.shape, dtype=numpy.float32)

    found = ranking_metrics_at_k(Fixed(), csr_matrix(test.shape), csr_matrix(test), K=case.cutoff, show_progress=False)
    return found[name]
