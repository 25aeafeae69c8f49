"""The metrics of sentence-transformers' ``InformationRetrievalEvaluator`` (6.2), from its lists of results.

`compute_metrics` replaces its method of the same name, and `TieAware` adds it to an evaluator:

>>> from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator  # doctest: +SKIP
>>> class Evaluator(TieAware, InformationRetrievalEvaluator):  # doctest: +SKIP
...     ties: TiesOfOneValue | Literal["corpus_id"] = "expected"

The evaluator itself keeps only as many documents as its largest cutoff. If documents are tied at that rank, it has
already chosen among them by id. To include all tied documents, set a larger cutoff than you need.
"""

from __future__ import annotations

from math import fsum

from untied._core import Policies
from untied.compat._scores import finite_scores
from untied.errors import UntiedError
from untied.evaluation.runs import evaluate
from untied.inputs.mismatch import Silence
from untied.measures import AP, RR, P, R, Success, nDCG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    from untied._core import Measure
    from untied._literals import TiesOfOneValue

    Hits: TypeAlias = Sequence[Mapping[str, Any]]

__all__ = ["TieAware", "compute_metrics"]


def compute_metrics(
    queries_result_list: Sequence[Hits],
    queries_ids: Sequence[Any],
    relevant_docs: Mapping[Any, Collection[Any]],
    *,
    mrr_at_k: Sequence[int] = (10,),
    ndcg_at_k: Sequence[int] = (10,),
    accuracy_at_k: Sequence[int] = (1, 3, 5, 10),
    precision_recall_at_k: Sequence[int] = (1, 3, 5, 10),
    map_at_k: Sequence[int] = (100,),
    ties: TiesOfOneValue | Literal["corpus_id"] = "corpus_id",
) -> dict[str, dict[int, float]]:
    """Return the metrics of ``InformationRetrievalEvaluator``.

    Parameters
    ----------
    queries_result_list : list of lists
        For each query, what was retrieved: ``[{"corpus_id": ..., "score": ...}, ...]``, in any order.
    queries_ids : list
        Ids of the queries, in the same order.
    relevant_docs : dict
        The relevant documents of each query. Each needs at least one.
    mrr_at_k, ndcg_at_k, accuracy_at_k, precision_recall_at_k, map_at_k : list of int
        Cutoffs.
    ties : str
        How to order documents with equal scores. ``"corpus_id"``: by id, ascending, as the evaluator does.
        ``"given"``: as in the list, as the evaluator did before release 6. The other values of `untied.evaluate` are
        allowed too, except ``"range"``.

    Returns
    -------
    dict
        ``accuracy@k``, ``precision@k``, ``recall@k``, ``ndcg@k``, ``mrr@k`` and ``map@k``, each a dict by cutoff. With
        R relevant documents, MAP@k is divided by the smaller of k and R. In trec_eval and in untied's AP@k, it is
        always R.
    """
    policy: TiesOfOneValue = "given" if ties == "corpus_id" else ties
    single = Policies("one-value", ties=policy)["score_dtype"] == "float32"
    qrels: dict[str, dict[Any, int]] = {}
    run: dict[str, Any] = {}
    for query, hits in zip(queries_ids, queries_result_list, strict=True):
        name = str(query)
        if name in qrels:
            raise UntiedError(f"query {query!r} is given twice")
        qrels[name] = dict.fromkeys(relevant_docs[query], 1)
        if not qrels[name]:
            raise UntiedError(f"query {query!r} has no relevant documents")
        scores: Mapping[Any, Any] = {hit["corpus_id"]: hit["score"] for hit in hits}
        if len(scores) < len(hits):
            raise UntiedError(f"query {query!r} has a document twice")
        scores = finite_scores(query, scores, single=single)
        # Ids in Python's order: numbers as numbers.
        run[name] = sorted(scores, key=lambda doc: (-scores[doc], doc)) if ties == "corpus_id" else scores
    families: dict[str, tuple[Measure, Sequence[int]]] = {
        "accuracy@k": (Success, accuracy_at_k),
        "precision@k": (P, precision_recall_at_k),
        "recall@k": (R, precision_recall_at_k),
        "ndcg@k": (nDCG, ndcg_at_k),
        "mrr@k": (RR, mrr_at_k),
        "map@k": (AP, map_at_k),
    }
    asked = [measure @ k for measure, cutoffs in families.values() for k in cutoffs]
    with Silence():  # the original package does not warn either
        results = evaluate(qrels, run, asked, ties=policy)
    metrics = {name: {k: results[measure @ k].mean for k in cutoffs} for name, (measure, cutoffs) in families.items()}
    for k in map_at_k:
        capped = (
            results.value(AP @ k, query=query).mean * (len(relevant) / min(k, len(relevant)))
            for query, relevant in qrels.items()
        )
        metrics["map@k"][k] = fsum(capped) / len(qrels)
    return metrics


class TieAware:
    """A mixin that makes the evaluator's metrics use the policy `ties`.

    List it before ``InformationRetrievalEvaluator`` in your class's bases.
    """

    ties: TiesOfOneValue | Literal["corpus_id"] = "expected"

    def compute_metrics(self, queries_result_list: Sequence[Hits]) -> dict[str, dict[int, float]]:
        """Compute the evaluator's metrics as this module's function `compute_metrics` does, with the policy `ties`."""
        evaluator: Any = self
        return compute_metrics(
            queries_result_list,
            evaluator.queries_ids,
            evaluator.relevant_docs,
            mrr_at_k=evaluator.mrr_at_k,
            ndcg_at_k=evaluator.ndcg_at_k,
            accuracy_at_k=evaluator.accuracy_at_k,
            precision_recall_at_k=evaluator.precision_recall_at_k,
            map_at_k=evaluator.map_at_k,
            ties=self.ties,
        )
