"""Helpers for estimating from incomplete judgments: pools, standard errors and random samples."""

from __future__ import annotations

from math import fsum, sqrt

from untied.errors import UntiedError, check_share, check_whole
from untied.inputs import mismatch
from untied.inputs.convert import as_qrels, as_run
from untied.judging.sample import UNSAMPLED, document_key, ranked

__all__ = ["infap_error", "subcollection", "with_pool"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied.inputs.convert import OneRun, QrelsLike
    from untied.judging.sample import Judgments


def with_pool(qrels: QrelsLike, pool: QrelsLike) -> Judgments:
    """Add the unjudged documents of a pool to qrels, with grade -1 (*pooled but not judged*).

    Estimators such as infAP need to know which documents were in the pool, and qrels often list only the judged ones.

    Parameters
    ----------
    qrels : Qrels, path, or {query: {document: grade}}
        The judgments.
    pool : Qrels, path, or {query: {document: anything}}
        All documents of the pool, in the form of qrels. Their grades do not matter.

    Returns
    -------
    dict
        ``{query: {document: grade}}`` for the queries of the qrels: all judgments, and grade -1 for the other documents
        of the pool.

    Raises
    ------
    UntiedError
        A judged document is not in the pool.
    """
    judged, pooled = as_qrels(qrels), as_qrels(pool)
    judgments: Judgments = {}
    for query in judged.queries():
        documents = dict.fromkeys(pooled[query], UNSAMPLED) if query in pooled else {}
        for document, grade in judged[query].items():
            if grade >= 0 and document not in documents:
                raise UntiedError(f"query {query!r}: document {document!r} is judged, but not in the pool")
            documents[document] = grade
        judgments[query] = documents
    return judgments


def infap_error(qrels: QrelsLike, run: OneRun, *, rel: float = 1) -> dict[str, float]:
    """Return the standard error of each query's infAP, which estimates AP from a random part of the pool.

    It says how far off infAP may be because only a part of the pool was judged (Yilmaz, Kanoulas & Aslam 2008). But the
    formula is asymptotic, so the result is **too small**: by 10 to 20 % for TREC-8 runs with 5 to 50 % of the pool
    judged. In small pools, 95 % intervals contained the true value for only 55 to 84 % of all possible samples. So for
    small samples, prefer bounds (``unjudged="range"``) or a bootstrap over queries.

    Parameters
    ----------
    qrels : Qrels, path, or {query: {document: grade}}
        The judgments of a sample. The rest of the pool has negative grades, as `with_pool` gives them.
    run : run
        The run, as for `untied.evaluate`. Tied documents are ordered by id, descending.
    rel : float
        The lowest relevant grade.

    Returns
    -------
    dict
        The standard error of each query. It is NaN if fewer than two documents are judged relevant. Queries are
        independent, so the standard error of their mean is the root of the sum of squares, divided by the number of
        queries.

    Warns
    -----
    UntiedWarning
        The run and the qrels have no document in common, or nothing is relevant.

    Notes
    -----
    The variance has two parts: how much the precisions at relevant documents vary, and how far off each of them is. The
    latter are estimated from nested samples, so there are covariances. Let R be the number of judged relevant
    documents, f the judged share of the pool (both are treated as known), and s2 the variance of the R estimated
    precisions. Above rank k there are D pooled and m judged documents, rho is the smoothed share of relevant documents
    among the m, and v = rho (1 - rho) / m (1 - m/D):

        Var = (1 - f) s2 / R + (1/R^2) sum over j, k of (D_j / j) (D_k / k) v_max(j, k).
    """
    judged, retrieved = as_qrels(qrels), as_run(run)
    mismatch.warn({"run": mismatch.of_inputs(judged, retrieved)})
    return {query: _standard_error(judged[query], ranked(retrieved, query), rel) for query in judged.queries()}


def _standard_error(grades: dict[str, float], documents: list[str], rel: float) -> float:
    relevant = sum(grade >= rel for grade in grades.values())
    if relevant < 2:
        return float("nan")
    share = sum(grade >= 0 for grade in grades.values()) / len(grades)
    precisions, weights, within = [], [], []  # by rank: the estimate, D/k, v
    pooled = sampled = hits = 0
    for rank, document in enumerate(documents, 1):
        grade = grades.get(document)
        if grade is None:
            continue
        if grade >= rel:
            ratio = (hits + 1e-5) / (sampled + 2e-5)
            precisions.append(1.0 if rank == 1 else (1 + pooled * ratio) / rank)
            if sampled:
                smoothed = (hits + 0.5) / (sampled + 1)
                weights.append(pooled / rank)
                within.append(smoothed * (1 - smoothed) / sampled * (1 - sampled / pooled))
            hits += 1
        pooled += 1
        sampled += grade >= 0
    precisions += [0.0] * (relevant - len(precisions))
    mean = fsum(precisions) / relevant
    between = fsum((precision - mean) ** 2 for precision in precisions) / (relevant - 1)
    variance = (1 - share) * between / relevant
    above = 0.0
    for weight, v in zip(weights, within, strict=True):
        variance += weight * v * (weight + 2 * above) / relevant**2
        above += weight
    return sqrt(variance)


def subcollection(
    qrels: QrelsLike, run: OneRun, *, rate: float | None = None, seed: int = 0
) -> dict[str, dict[str, float]]:
    """Return a run on a random part of the collection, on which AP is one draw of subAP.

    Judged documents stay, unjudged documents of the pool are removed, and each document outside the pool stays with the
    probability `rate`. With the same `seed`, several runs keep the same part. You rarely need this, because the measure
    ``subAP`` is the exact mean over all such draws.

    Parameters
    ----------
    qrels : Qrels, path, or {query: {document: grade}}
        The judgments. Unjudged documents of the pool have negative grades, as `with_pool` gives them.
    run : run
        The run, as for `untied.evaluate`.
    rate : float, optional
        How probable it is that a document outside the pool stays, from 0 to 1. By default, it is the judged share of
        the query's pool.
    seed : int
        The seed of the random choice. The same seed gives the same part.

    Returns
    -------
    dict
        The run on this part, ``{query: {document: score}}``.

    Raises
    ------
    UntiedError
        The rate is not from 0 to 1, or the run and the qrels have no query in common.

    Warns
    -----
    UntiedWarning
        The run and the qrels have no document in common.
    """
    check_whole("seed", seed)
    if rate is not None:
        check_share("rate", rate)
    judged, retrieved = as_qrels(qrels), as_run(run)
    mismatch.warn({"run": mismatch.of_inputs(judged, retrieved, judging=True)})
    kept = {}
    for query in retrieved.queries():
        grades = dict(judged[query]) if query in judged else {}
        share = rate if rate is not None else sum(grade >= 0 for grade in grades.values()) / max(len(grades), 1)
        kept[query] = {
            document: score
            for document, score in retrieved[query]
            if (grades[document] >= 0 if document in grades else document_key(seed, query, document) < share)
        }
    return kept
