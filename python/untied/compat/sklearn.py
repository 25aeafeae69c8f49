"""scikit-learn's ranking metrics with its names and arguments, exact under ties.

Without ties the values are scikit-learn's, up to rounding. With ties:

* `ndcg_score` and `dcg_score` average over ties in both. With ``ignore_ties=True``, scikit-learn ranks tied documents
as its sort leaves them; untied keeps the order of the array.
* `label_ranking_average_precision_score` is the mean over all orders of tied labels; scikit-learn gives each the lowest
rank of its group, which is not the value of any order.
* `label_ranking_loss` is the mean over all orders, so that a tied pair is half wrong; scikit-learn counts it as wrong.
* `coverage_error` is the mean over all orders; scikit-learn puts the true labels of a tied group at its end.
* `top_k_accuracy_score` is the mean over all orders; scikit-learn ranks the tied class that comes last in the array
  first.

``average_precision_score`` has no counterpart, because it does not rank: it uses score thresholds, and a tied group is
one threshold.

Scores are compared at the precision in which they are given, bfloat16 included. Negative values of `y_true` are
refused by `dcg_score` too.
"""

from __future__ import annotations

import warnings

from untied.arrays import evaluate_arrays
from untied.inputs.mismatch import Silence
from untied.measures import AP, DCG, ESL, PairConcordance, Success, nDCG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied._core import Measure
    from untied._literals import TiesOfArrays

__all__ = [
    "coverage_error",
    "dcg_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "ndcg_score",
    "top_k_accuracy_score",
]


def ndcg_score(
    y_true: Any, y_score: Any, *, k: int | None = None, sample_weight: Any = None, ignore_ties: bool = False
) -> float:
    """Return the normalised discounted cumulative gain, averaged over samples.

    A sample without gain counts as 0.

    Parameters
    ----------
    y_true : array, samples x documents
        The gain of each document, at least 0.
    y_score : array, samples x documents
        The score of each document; higher is better.
    k : int, optional
        The cutoff. By default, all ranks count.
    sample_weight : array, optional
        A weight for each sample. By default, all count the same.
    ignore_ties : bool
        Whether to take tied documents in the order of the array. By default, you get the mean over all their orders.

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


# described by untied.compat.sklearn.ndcg_score: y_true, y_score, k, sample_weight, ignore_ties
def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Return the discounted cumulative gain, averaged over samples.

    Parameters
    ----------
    y_true : array, samples x documents
        The gain of each document, at least 0.
    y_score : array, samples x documents
        The score of each document; higher is better.
    k : int, optional
        The cutoff. By default, all ranks count.
    sample_weight : array, optional
        A weight for each sample. By default, all count the same.
    ignore_ties : bool
        Whether to take tied documents in the order of the array. By default, you get the mean over all their orders.
    log_base : float
        The base of the logarithm in the discount.

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
    """Return the average precision of a sample's true labels, averaged over samples.

    A sample without true labels counts as 1.

    Parameters
    ----------
    y_true : array or sparse array, samples x labels
        For each sample, 1 for its labels and 0 for the others.
    y_score : array, samples x labels
        The score of each label; higher is better.
    sample_weight : array, optional
        A weight for each sample. By default, all count the same.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Shapes do not fit, or `y_true` has other values than 0 and 1.
    """
    return _average(AP, _indicators("label_ranking_average_precision_score", y_true), y_score, sample_weight, False, 1)


# described by untied.compat.sklearn.label_ranking_average_precision_score: y_true, y_score, sample_weight
def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Return the share of a sample's pairs that are in the wrong order, averaged over samples.

    A pair is a true and a false label of a sample. It is in the wrong order if the false label has the higher score.

    Parameters
    ----------
    y_true : array or sparse array, samples x labels
        For each sample, 1 for its labels and 0 for the others.
    y_score : array, samples x labels
        The score of each label; higher is better.
    sample_weight : array, optional
        A weight for each sample. By default, all count the same.

    Returns
    -------
    float
        0 is perfect. A sample with only true labels, or none, counts 0.

    Raises
    ------
    ValueError
        Shapes do not fit, or `y_true` has other values than 0 and 1.
    """
    grades = _indicators("label_ranking_loss", y_true) + 1  # a pair is of two relevant documents
    return 1 - _average(PairConcordance, grades, y_score, sample_weight, False, 1)


# described by untied.compat.sklearn.label_ranking_average_precision_score: y_true, y_score, sample_weight
def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Return the rank of a sample's last true label, averaged over samples.

    Parameters
    ----------
    y_true : array or sparse array, samples x labels
        For each sample, 1 for its labels and 0 for the others.
    y_score : array, samples x labels
        The score of each label; higher is better.
    sample_weight : array, optional
        A weight for each sample. By default, all count the same.

    Returns
    -------
    float
        How far down you have to go to find all true labels. A sample without true labels counts 0.

    Raises
    ------
    ValueError
        Shapes do not fit, or `y_true` has other values than 0 and 1.

    Examples
    --------
    >>> from untied.compat.sklearn import coverage_error
    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    >>> coverage_error([[1, 0, 0]], [[0.5, 0.5, 0.5]])
    2.0
    """
    import numpy

    labels, scores = _indicators("coverage_error", y_true), numpy.asarray(y_score)
    if scores.shape != labels.shape:
        raise ValueError(f"coverage_error: scores have shape {scores.shape}, labels {labels.shape}")
    if len(labels) == 0:
        raise ValueError("coverage_error: there is no sample")
    counts = labels.sum(axis=1, dtype=int)
    # The first search length checks all scores: those of samples without labels too, and errors name the row.
    ranks = numpy.where(counts == 1, 1 + _values(ESL(q=1), labels, scores, False), 0.0)
    for count in set(counts.tolist()) - {0, 1}:  # a search length is that of a number of labels
        rows = counts == count
        ranks[rows] = count + _values(ESL(q=count), labels[rows], scores[rows], False)
    return float(numpy.average(ranks, weights=sample_weight))


def top_k_accuracy_score(
    y_true: Any, y_score: Any, *, k: int = 2, normalize: bool = True, sample_weight: Any = None, labels: Any = None
) -> float:
    """Return the share of samples whose true class is among the k best.

    Parameters
    ----------
    y_true : array of samples
        The class of each sample.
    y_score : array, samples x classes
        Scores of the classes, in ascending order of classes; higher is better. If there are two classes, one score per
        sample will do: that of the second class. The first class then has the score .5 if all scores are between 0 and
        1, and otherwise 0.
    k : int
        How many top classes count.
    normalize : bool
        Whether to return a share. Otherwise you get the number of such samples, or their weight.
    sample_weight : array, optional
        A weight for each sample. By default, all count the same.
    labels : array, optional
        All classes, in ascending order. By default, these are the classes in `y_true`, and `y_score` needs a column for
        each.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Classes and scores do not fit, or classes are unknown, repeated or out of order.

    Warns
    -----
    UndefinedMetricWarning
        `k` is at least the number of classes, so every sample is right. Without scikit-learn, it is a UserWarning.

    Examples
    --------
    >>> from untied.compat.sklearn import top_k_accuracy_score
    >>> top_k_accuracy_score([0, 1, 2], [[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.6, 0.2, 0.2]], k=1)
    0.6666666666666666
    >>> top_k_accuracy_score([0, 1, 2], [[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.6, 0.2, 0.2]])
    0.8333333333333334
    """
    import numpy

    truth, scores = numpy.asarray(y_true), numpy.asarray(y_score)
    if scores.ndim == 1 and len(scores) > 0:
        first = 0.5 if scores.min() >= 0 and scores.max() <= 1 else 0.0
        scores = numpy.column_stack((numpy.full(len(scores), first), scores))
    if truth.ndim != 1 or scores.ndim != 2:
        raise ValueError("top_k_accuracy_score needs one class and a row of scores for each sample")
    classes = numpy.unique(truth if labels is None else labels)
    if labels is not None and not numpy.array_equal(classes, labels):
        raise ValueError("top_k_accuracy_score: labels must be distinct and in ascending order")
    if not numpy.isin(truth, classes).all():
        raise ValueError("top_k_accuracy_score: y_true has classes that are not in labels")
    if scores.shape != (len(truth), len(classes)):
        expected = f"{len(truth)} samples of {len(classes)} classes"
        raise ValueError(f"top_k_accuracy_score: scores have shape {scores.shape}, expected {expected}")
    if k >= len(classes):
        warnings.warn(
            f"top_k_accuracy_score: k = {k} includes all {len(classes)} classes: no score can be wrong",
            _undefined_metric_warning(),
            stacklevel=2,
        )
    hits = _values(Success @ k, (truth[:, None] == classes).astype(numpy.int8), scores, False)
    if normalize:
        return float(numpy.average(hits, weights=sample_weight))
    return float(numpy.dot(hits, numpy.ones(len(hits)) if sample_weight is None else sample_weight))


def _undefined_metric_warning() -> type[UserWarning]:
    """Return scikit-learn's class of warnings, so that filters for it apply, or else UserWarning."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning
    except ImportError:
        return UserWarning
    category: type[UserWarning] = UndefinedMetricWarning
    return category


def _gains(function: str, y_true: Any) -> Any:
    import numpy

    gains = numpy.asarray(y_true)
    if gains.ndim != 2:
        remedy = (
            ": pass [y_true] and [y_score] for one query; flat arrays of several, as XGBRanker passes to its "
            "eval_metric, go with the sizes of their groups to untied.evaluate_arrays(scores, labels, sizes=groups)"
        )
        raise ValueError(
            f"{function}: y_true must have two dimensions, samples and documents, not {gains.ndim}"
            + (remedy if gains.ndim == 1 else "")
        )
    if not numpy.all(gains >= 0):
        raise ValueError(f"{function}: y_true must not hold negative values or NaN")
    return gains


def _indicators(function: str, y_true: Any) -> Any:
    import numpy

    indicators = numpy.asarray(y_true.toarray() if hasattr(y_true, "toarray") else y_true)
    if indicators.ndim != 2 or not numpy.isin(indicators, (0, 1)).all():
        raise ValueError(f"{function}: y_true must be an array of 0 and 1, samples x labels")
    return indicators.astype(numpy.int8)


def _average(
    measure: Measure, y_true: Any, y_score: Any, sample_weight: Any, ignore_ties: bool, undefined: float = 0
) -> float:
    """The mean of a measure over samples, by their weights."""
    import numpy

    values = _values(measure, y_true, y_score, ignore_ties)
    return float(numpy.average(numpy.where(numpy.isnan(values), undefined, values), weights=sample_weight))


def _values(measure: Measure, y_true: Any, y_score: Any, ignore_ties: bool) -> Any:
    """The value of each sample, NaN where it is undefined."""
    ties: TiesOfArrays = "given" if ignore_ties else "expected"
    with Silence():  # the original package does not warn either
        results = evaluate_arrays(y_score, y_true, measure, ties=ties, on_undefined="nan", per_query=True)
    return results.per_query[measure].value
