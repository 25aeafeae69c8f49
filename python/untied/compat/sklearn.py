"""scikit-learn's ranking metrics with its names and arguments, exact under ties.

Without ties the values are scikit-learn's, up to rounding. With ties:

* `ndcg_score` and `dcg_score` average over ties in both. With ``ignore_ties=True`` scikit-learn ranks tied documents
  as its sort leaves them; here they stay in the order of the array.
* `label_ranking_average_precision_score` is the mean over all orders of tied labels; scikit-learn gives every one of
  them the lowest rank of its group, which no order does.
* `label_ranking_loss` is the mean over all orders, so that a tied pair is half wrong; scikit-learn has it as wrong.

Scores are compared at the precision in which they are given, bfloat16 included. Negative values of `y_true` are
refused by `dcg_score` too.
"""

from __future__ import annotations

from untied.arrays import evaluate_arrays
from untied.measures import AP, DCG, PairConcordance, nDCG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied._core import Measure

__all__ = ["dcg_score", "label_ranking_average_precision_score", "label_ranking_loss", "ndcg_score"]


def ndcg_score(
    y_true: Any, y_score: Any, *, k: int | None = None, sample_weight: Any = None, ignore_ties: bool = False
) -> float:
    """Normalised discounted cumulative gain, averaged over samples; 0 for one without any gain.

    Parameters
    ----------
    y_true : array, samples x documents
        Gains, from 0.
    y_score : array, samples x documents
        Scores; higher is better.
    k : int, optional
        Only the first so many ranks count.
    sample_weight : array, optional
        Weights of the samples.
    ignore_ties : bool
        Take tied documents in the order of the array, instead of averaging over all their orders.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Shapes do not fit, a gain is negative, or there are fewer than two documents.

    Examples
    --------
    >>> from untied.compat.sklearn import ndcg_score
    >>> round(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
    0.6957
    >>> ndcg_score([[10, 0, 0, 1, 5]], [[1, 0, 0, 0, 1]], k=1)
    0.75
    """
    gains = _gains("ndcg_score", y_true)
    if gains.shape[1] < 2:
        raise ValueError(f"ndcg_score needs more than one document, found {gains.shape[1]}")
    return _average(nDCG if k is None else nDCG @ k, gains, y_score, sample_weight, ignore_ties)


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Discounted cumulative gain, averaged over samples.

    Parameters
    ----------
    y_true, y_score, k, sample_weight, ignore_ties
        As for `ndcg_score`.
    log_base : float
        Base of the logarithm of the discount.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Shapes do not fit, or a gain is negative.
    """
    from math import log2

    gains = _gains("dcg_score", y_true)
    return log2(log_base) * _average(DCG if k is None else DCG @ k, gains, y_score, sample_weight, ignore_ties)


def label_ranking_average_precision_score(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Average precision of the true labels of a sample, averaged over samples; 1 for one without any.

    Parameters
    ----------
    y_true : array, samples x labels
        1 for the sample's labels, else 0.
    y_score : array, samples x labels
        Scores; higher is better.
    sample_weight : array, optional
        Weights of the samples.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Shapes do not fit, or `y_true` has other values than 0 and 1.
    """
    return _average(AP, _indicators("label_ranking_average_precision_score", y_true), y_score, sample_weight, False, 1)


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Share of pairs of a true and another label that are ordered wrongly, averaged over samples.

    Parameters
    ----------
    y_true, y_score, sample_weight
        As for `label_ranking_average_precision_score`.

    Returns
    -------
    float
        0 is perfect; a sample with only true labels, or none, counts 0.

    Raises
    ------
    ValueError
        Shapes do not fit, or `y_true` has other values than 0 and 1.
    """
    grades = _indicators("label_ranking_loss", y_true) + 1  # a pair is of two relevant documents
    return 1 - _average(PairConcordance, grades, y_score, sample_weight, False, 1)


def _gains(function: str, y_true: Any) -> Any:
    import numpy

    gains = numpy.asarray(y_true)
    if gains.ndim != 2:
        raise ValueError(f"{function}: y_true must have two dimensions, samples and documents, not {gains.ndim}")
    if not numpy.all(gains >= 0):
        raise ValueError(f"{function}: y_true must not hold negative values or NaN")
    return gains


def _indicators(function: str, y_true: Any) -> Any:
    import numpy

    indicators = numpy.asarray(y_true)
    if indicators.ndim != 2 or not numpy.isin(indicators, (0, 1)).all():
        raise ValueError(f"{function}: y_true must be an array of 0 and 1, samples x labels")
    return indicators.astype(numpy.int8)


def _average(
    measure: Measure, y_true: Any, y_score: Any, sample_weight: Any, ignore_ties: bool, undefined: float = 0
) -> float:
    """The mean of a measure over samples, by their weights."""
    import numpy

    found = evaluate_arrays(
        y_score, y_true, measure, ties="given" if ignore_ties else "expected", on_undefined="nan", per_query=True
    )
    values = found.per_query(measure).value
    return float(numpy.average(numpy.where(numpy.isnan(values), undefined, values), weights=sample_weight))
