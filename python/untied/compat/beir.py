"""BEIR's evaluation (2.2), with its names, keys and rounding: replace ``from beir.retrieval.evaluation`` by this.

Each method also takes ``ties``. Without it, equal scores are ranked as BEIR ranks them, which depends on the
measure: by document id, descending, over 32-bit scores in `EvaluateRetrieval.evaluate` (pytrec_eval's rule), and in the
order of the dict in `EvaluateRetrieval.evaluate_custom` (a stable sort). ``ties="expected"`` is the same for both.
"""

from __future__ import annotations

import logging
from glob import glob

from untied._core import Policies
from untied.compat._scores import with_finite_scores
from untied.compat.pytrec_eval import RelevanceEvaluator
from untied.errors import UntiedError
from untied.evaluation.runs import evaluate
from untied.inputs.mismatch import Silence
from untied.measures import RR, P, RelP, Success

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from untied._core import Measure
    from untied._literals import TiesOfOneValue

    Grades: TypeAlias = Mapping[str, Mapping[str, float]]
    Scores: TypeAlias = Mapping[str, Mapping[str, float]]

__all__ = ["EvaluateRetrieval", "hole", "mrr", "recall_cap", "top_k_accuracy"]

logger = logging.getLogger(__name__)

_CUSTOM = {
    "mrr": ("mrr", "mrr@k", "mrr_cut"),
    "recall_cap": ("recall_cap", "r_cap", "r_cap@k"),
    "hole": ("hole", "hole@k"),
    "top_k_accuracy": ("acc", "top_k_acc", "accuracy", "accuracy@k", "top_k_accuracy"),
}


class EvaluateRetrieval:
    """Retrieve documents and evaluate the results, as BEIR's own ``EvaluateRetrieval`` does.

    `evaluate` and `evaluate_custom` need no retriever; you can call them on the class itself.

    Parameters
    ----------
    retriever : object, optional
        An object with BEIR's ``search(corpus, queries, top_k, score_function)``, which `retrieve` calls.
    k_values : list of int
        The cutoffs, such as ``[1, 10, 100]``. `retrieve` asks for as many documents per query as the largest one says,
        here 100.
    score_function : str, optional
        The ``score_function`` that the retriever's ``search`` gets, such as ``"cos_sim"`` or ``"dot"``.
    """

    def __init__(
        self,
        retriever: Any = None,
        k_values: Sequence[int] = (1, 3, 5, 10, 100, 1000),
        score_function: str | None = "cos_sim",
    ) -> None:
        self.k_values = list(k_values)
        self.top_k = max(k_values)
        self.retriever = retriever
        self.score_function = score_function

    def retrieve(self, corpus: Mapping[str, Any], queries: Mapping[str, str], **kwargs: Any) -> Any:
        """Return the best documents of each query, which the retriever finds."""
        return self._asked().search(corpus, queries, self.top_k, self.score_function, **kwargs)

    def encode_and_retrieve(
        self,
        corpus: Mapping[str, Any],
        queries: Mapping[str, str],
        encode_output_path: str = "./embeddings/",
        overwrite: bool = False,
        query_filename: str = "queries.pkl",
        corpus_filename: str = "corpus.*.pkl",
        **kwargs: Any,
    ) -> Any:
        """Return the best documents of each query, which the retriever finds in files of embeddings.

        It writes these files first.

        Parameters
        ----------
        corpus, queries : dict
            Texts by id.
        encode_output_path : str
            The folder of the files.
        overwrite : bool
            Passed to the retriever's ``encode``.
        query_filename, corpus_filename : str
            Names of the files; for the corpus, a pattern that may match several.
        **kwargs
            Passed to the retriever's ``encode`` and ``search_from_files``.
        """
        retriever = self._asked()
        names = {"query_filename": query_filename, "corpus_filename": corpus_filename}
        retriever.encode(corpus, queries, encode_output_path=encode_output_path, overwrite=overwrite, **names, **kwargs)
        return retriever.search_from_files(
            query_embeddings_file=f"{encode_output_path}/{query_filename}",
            corpus_embeddings_files=glob(f"{encode_output_path}/{corpus_filename}"),
            top_k=self.top_k,
            **kwargs,
        )

    def _asked(self) -> Any:
        if not self.retriever:
            raise ValueError("no retriever was given to EvaluateRetrieval")
        return self.retriever

    @staticmethod
    def evaluate(
        qrels: Grades,
        results: dict[str, dict[str, float]],
        k_values: Iterable[int],
        ignore_identical_ids: bool = True,
        *,
        ties: TiesOfOneValue = "trec",
    ) -> tuple[dict[str, float], dict[str, float], dict[str, float], dict[str, float]]:
        """Return NDCG, MAP, Recall and P at each cutoff. They are means over the queries that qrels and results share.

        Parameters
        ----------
        qrels : dict
            The judgments, ``{query: {document: grade}}``.
        results : dict
            The run, ``{query: {document: score}}``.
        k_values : list of int
            The cutoffs.
        ignore_identical_ids : bool
            Whether to remove documents that have the id of their query before anything is computed. As in BEIR, this
            changes the dict `results` itself.
        ties : str
            How to order tied documents. ``"trec"`` (default): by id, descending, as pytrec_eval does, which BEIR uses.
            ``"expected"``: by the mean over all orders. ``"best"``, ``"worst"``, ``"docid"`` and ``"given"`` are as for
            `untied.evaluate`.

        Returns
        -------
        tuple of four dicts
            ``{"NDCG@10": ...}``, ``{"MAP@10": ...}``, ``{"Recall@10": ...}`` and ``{"P@10": ...}``, rounded to five
            decimals. They are also logged, at the level INFO.

        Raises
        ------
        UntiedError
            The qrels and the results have no query in common (BEIR divides by zero).
        """
        Policies("one-value", ties=ties)
        if ignore_identical_ids:
            logger.info("documents with the id of their query are left out (ignore_identical_ids=True)")
            for query, documents in results.items():
                documents.pop(query, None)
        cutoffs = [str(k) for k in k_values]
        families = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P"}
        asked = [f"{name}.{','.join(dict.fromkeys(cutoffs))}" for name in families.values()]
        by_query = RelevanceEvaluator(qrels, asked, ties=ties).evaluate(results)
        if not by_query:
            raise UntiedError("no query of the results has judgments")
        ndcg, ap, recall, precision = (
            _logged({f"{key}@{k}": _mean([values[f"{name}_{k}"] for values in by_query.values()]) for k in cutoffs})
            for key, name in families.items()
        )
        return ndcg, ap, recall, precision

    @staticmethod
    def evaluate_custom(
        qrels: Grades, results: Scores, k_values: Iterable[int], metric: str, *, ties: TiesOfOneValue = "given"
    ) -> dict[str, float]:
        """Return what `mrr`, `recall_cap`, `hole` or `top_k_accuracy` returns. `metric` is any of BEIR's names for it.

        Raises
        ------
        UntiedError
            There is no such metric (BEIR returns None).
        """
        for function, names in _CUSTOM.items():
            if metric.lower() in names:
                values: dict[str, float] = globals()[function](qrels, results, k_values, ties=ties)
                return values
        raise UntiedError(f"no metric {metric!r}; the metrics are {', '.join(_CUSTOM)}")


def mrr(qrels: Grades, results: Scores, k_values: Iterable[int], *, ties: TiesOfOneValue = "given") -> dict[str, float]:
    """Return ``MRR@k``: the reciprocal rank of the first relevant document, averaged over all judged queries."""
    return _custom(qrels, results, {f"MRR@{k}": RR @ k for k in k_values}, ties)


def recall_cap(
    qrels: Grades, results: Scores, k_values: Iterable[int], *, ties: TiesOfOneValue = "given"
) -> dict[str, float]:
    """Return ``R_cap@k``: the relevant documents among the first k, divided by the most that there could be.

    With R relevant documents, the divisor is the smaller of k and R. untied calls this RelP. A query without relevant
    documents counts 0, where BEIR divides by zero.
    """
    return _custom(qrels, results, {f"R_cap@{k}": RelP @ k for k in k_values}, ties)


def top_k_accuracy(
    qrels: Grades, results: Scores, k_values: Iterable[int], *, ties: TiesOfOneValue = "given"
) -> dict[str, float]:
    """Return ``Accuracy@k``: the share of judged queries with a relevant document among the first k."""
    return _custom(qrels, results, {f"Accuracy@{k}": Success @ k for k in k_values}, ties)


def hole(
    qrels: Grades, results: Scores, k_values: Iterable[int], *, ties: TiesOfOneValue = "given"
) -> dict[str, float]:
    """Return ``Hole@k``: the share of the first k documents that are judged for no query at all."""
    judged = {document for documents in qrels.values() for document in documents}
    # Precision, with the documents that nobody judged in the place of the relevant ones.
    holes = {
        query: {document: int(document not in judged) for document in documents} for query, documents in results.items()
    }
    return _means(holes, results, {f"Hole@{k}": P @ k for k in k_values}, ties, len(qrels))


def _custom(qrels: Grades, results: Scores, measures: dict[str, Measure], ties: TiesOfOneValue) -> dict[str, float]:
    """Return means over all queries of the qrels. Every grade above 0 is relevant."""
    for query in results:
        if query not in qrels:
            raise UntiedError(f"query {query!r} of the results is not in the qrels")
    binary = {query: {document: int(grade > 0) for document, grade in qrels[query].items()} for query in results}
    return _means(binary, results, measures, ties, len(qrels))


def _means(
    qrels: Grades, results: Scores, measures: dict[str, Measure], ties: TiesOfOneValue, queries: int
) -> dict[str, float]:
    """Return the sum of the values of all queries in the results, divided by a number of queries."""
    policies = Policies("one-value", ties=ties)
    if queries == 0:
        raise UntiedError("no query to evaluate: the qrels are empty")
    if not results:
        return _logged(dict.fromkeys(measures, 0.0))
    with Silence():  # the original package does not warn either
        table = evaluate(qrels, with_finite_scores(results, policies), list(measures.values()), ties=ties).per_query
    totals = dict.fromkeys(map(str, measures.values()), 0.0)
    for measure, value in zip(table["measure"], table["value"], strict=True):
        totals[measure] += value
    return _logged({key: round(totals[str(measure)] / queries, 5) for key, measure in measures.items()})


def _mean(values: list[float]) -> float:
    return round(sum(values) / len(values), 5)


def _logged(values: dict[str, float]) -> dict[str, float]:
    """Log the results as BEIR does, and return them."""
    logger.info("\n")
    for key, value in values.items():
        logger.info(f"{key}: {value:.4f}")
    return values
