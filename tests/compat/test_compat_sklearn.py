"""scikit-learn's ranking metrics, with and without ties."""

from __future__ import annotations

import math
import sys
from itertools import permutations
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import scipy.sparse
import sklearn.metrics as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.exceptions import UndefinedMetricWarning

from nightly import many
from untied.compat import sklearn as ours

OURS = ["ndcg_score", "dcg_score", "label_ranking_average_precision_score", "label_ranking_loss", "coverage_error"]


@st.composite
def samples(draw: st.DrawFn, distinct: bool, gains: tuple[float, ...] = (0, 1, 2, 3.5)) -> tuple[Any, Any, Any]:
    """Gains, scores and weights."""
    shape = (draw(st.integers(1, 4)), draw(st.integers(2, 5)))
    y_true = draw(arrays.arrays(float, shape, elements=st.sampled_from(gains)))
    if distinct:
        scores = np.array([draw(st.permutations(range(shape[1]))) for _ in range(shape[0])]) / 2
    else:
        scores = draw(arrays.arrays(float, shape, elements=st.sampled_from([0, 0.5, 1, 2])))
    weights = draw(st.none() | arrays.arrays(float, shape[0], elements=st.sampled_from([0.5, 1, 3])))
    return y_true, scores, weights


@given(samples(distinct=False), st.none() | st.integers(1, 7), st.sampled_from([2, 3, 10]))
def test_gains_with_ties(sample: tuple[Any, Any, Any], k: int | None, log_base: float) -> None:
    y_true, scores, weights = sample
    options = {"k": k, "sample_weight": weights}
    assert ours.ndcg_score(y_true, scores, **options) == pytest.approx(theirs.ndcg_score(y_true, scores, **options))
    options["log_base"] = log_base
    assert ours.dcg_score(y_true, scores, **options) == pytest.approx(theirs.dcg_score(y_true, scores, **options))


@given(samples(distinct=True), st.none() | st.integers(1, 7))
def test_gains_without_ties(sample: tuple[Any, Any, Any], k: int | None) -> None:
    y_true, scores, weights = sample
    options = {"k": k, "sample_weight": weights, "ignore_ties": True}
    assert ours.ndcg_score(y_true, scores, **options) == pytest.approx(theirs.ndcg_score(y_true, scores, **options))
    assert ours.dcg_score(y_true, scores, **options) == pytest.approx(theirs.dcg_score(y_true, scores, **options))


@given(samples(distinct=True, gains=(0, 1)))
def test_labels_without_ties(sample: tuple[Any, Any, Any]) -> None:
    y_true, scores, weights = sample
    for name in OURS[2:]:
        found = getattr(ours, name)(y_true, scores, sample_weight=weights)
        assert found == pytest.approx(getattr(theirs, name)(y_true, scores, sample_weight=weights), abs=1e-12), name


@settings(max_examples=many(12, nightly=250))
@given(samples(distinct=False, gains=(0, 1)))
def test_labels_with_ties_are_the_mean_over_orders(sample: tuple[Any, Any, Any]) -> None:
    y_true, scores, _ = sample
    # Every order of the columns, as scores too small to part what is not tied.
    small = [np.array(order) / 1000 for order in permutations(range(scores.shape[1]))]
    for name in OURS[2:]:
        mean = np.mean([getattr(theirs, name)(y_true, scores + order) for order in small])
        assert getattr(ours, name)(y_true, scores) == pytest.approx(mean, abs=1e-12), name


def test_the_stated_differences_under_ties() -> None:
    y_true, scores = [[1, 0, 0], [0, 1, 0]], [[1, 1, 0], [1, 1, 1]]
    assert theirs.label_ranking_average_precision_score(y_true, scores) == pytest.approx((1 / 2 + 1 / 3) / 2)
    expected = ((1 + 1 / 2) / 2 + (1 + 1 / 2 + 1 / 3) / 3) / 2
    assert ours.label_ranking_average_precision_score(y_true, scores) == pytest.approx(expected)
    assert theirs.label_ranking_loss(y_true, scores) == pytest.approx((1 / 2 + 1) / 2)
    assert ours.label_ranking_loss(y_true, scores) == pytest.approx((1 / 4 + 1 / 2) / 2)
    assert theirs.coverage_error(y_true, scores) == (2 + 3) / 2
    assert ours.coverage_error(y_true, scores) == (1.5 + 2) / 2
    # The class that comes last in the array first, or the mean.
    assert [theirs.top_k_accuracy_score([y, 2], [[1, 1, 0], [0, 0, 1]], k=1, labels=[0, 1, 2]) for y in (0, 1)] == [
        0.5,
        1,
    ]
    assert ours.top_k_accuracy_score([0, 2], [[1, 1, 0], [0, 0, 1]], k=1, labels=[0, 1, 2]) == 0.75
    # No ranking, but thresholds: a tied group is one.
    assert theirs.average_precision_score([1, 0], [1, 1]) == 0.5
    # Tied documents stay in the order of the array.
    assert ours.dcg_score([[5, 10]], [[1, 1]], k=1, ignore_ties=True) == 5
    assert ours.dcg_score([[5, 10]], [[1, 1]], k=1) == 7.5


def test_samples_without_labels() -> None:
    y_true, scores = np.array([[0, 0], [1, 1], [1, 0]]), np.array([[1, 2], [1, 2], [1, 2]])
    for name in OURS[2:]:
        assert getattr(ours, name)(y_true, scores) == pytest.approx(getattr(theirs, name)(y_true, scores)), name
    assert ours.ndcg_score(y_true[:2], scores[:2]) == pytest.approx(theirs.ndcg_score(y_true[:2], scores[:2]))


def test_half_precision_is_not_cast() -> None:
    scores = np.array([[1, 1.001, 0.5]], dtype=ml_dtypes.bfloat16)
    assert ours.ndcg_score([[1, 0, 0]], scores, k=1) == 0.5


@pytest.mark.parametrize("name", OURS[2:])
@pytest.mark.parametrize("container", ["csr_matrix", "csr_array", "coo_array", "lil_matrix"])
def test_sparse_labels(name: str, container: str) -> None:
    labels, scores = [[0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]], [[0.1, 10, -3, 4], [0, 1, 3, 2], [1, 2, 3, 4]]
    found = getattr(ours, name)(getattr(scipy.sparse, container)(labels), scores)
    assert found == getattr(ours, name)(labels, scores) == pytest.approx(getattr(theirs, name)(labels, scores))


@given(st.data())
def test_top_k_accuracy(data: st.DataObject) -> None:
    """Without ties as scikit-learn has it; with ties the mean over all orders."""
    classes, samples = data.draw(st.integers(3, 5)), data.draw(st.integers(1, 4))
    distinct = data.draw(st.booleans())
    rows = (
        st.permutations(range(classes))
        if distinct
        else st.lists(st.sampled_from([0, 1, 2]), min_size=classes, max_size=classes)
    )
    scores = np.array([data.draw(rows) for _ in range(samples)], dtype=float)
    labels = list("abcde")[:classes]
    y_true = data.draw(st.lists(st.sampled_from(labels), min_size=samples, max_size=samples))
    weights = data.draw(st.none() | arrays.arrays(float, samples, elements=st.sampled_from([0.5, 1, 3])))
    options = {"k": data.draw(st.integers(1, classes - 1)), "labels": labels, "sample_weight": weights,
               "normalize": data.draw(st.booleans())}  # fmt: skip
    small = [np.array(order) / 1000 for order in permutations(range(classes))]
    mean = np.mean([theirs.top_k_accuracy_score(y_true, scores + order, **options) for order in small])
    assert ours.top_k_accuracy_score(y_true, scores, **options) == pytest.approx(mean, abs=1e-12)
    if distinct:
        assert mean == pytest.approx(theirs.top_k_accuracy_score(y_true, scores, **options))


def test_top_k_accuracy_of_two_classes() -> None:
    for scores in ([0.2, 0.6, 0.9], [-1.0, 2.0, 0.5]):
        for y_true in ([0, 1, 1], ["no", "yes", "no"]):
            found = ours.top_k_accuracy_score(y_true, scores, k=1)
            assert found == pytest.approx(theirs.top_k_accuracy_score(y_true, scores, k=1))
    assert ours.top_k_accuracy_score([0, 1], [0.5, 0.5], k=1) == 0.5  # on the threshold: tied


def test_top_k_accuracy_refuses() -> None:
    scores = [[1, 2, 3], [1, 2, 3]]
    for y_true, labels, message in (
        ([0, 1], None, "expected 2 samples of 2 classes"),
        ([0, 1], [0, 1, 1], "labels must be distinct and in ascending order"),
        ([0, 1], [2, 1, 0], "labels must be distinct and in ascending order"),
        ([0, 7], [0, 1, 2], "classes that are not in labels"),
        ([[0], [1]], [0, 1, 2], "needs one class and a row of scores"),
    ):
        with pytest.raises(ValueError, match=message):
            ours.top_k_accuracy_score(y_true, scores, labels=labels)


@pytest.mark.parametrize("k", [3, 4])
def test_top_k_accuracy_of_all_classes_warns(k: int) -> None:
    scores = [[1, 2, 3], [1, 2, 3]]
    for module in (ours, theirs):
        with pytest.warns(UndefinedMetricWarning):
            assert module.top_k_accuracy_score([0, 1], scores, k=k, labels=[0, 1, 2]) == 1


def test_warnings_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.exceptions", None)
    with pytest.warns(UserWarning, match="k = 2 includes all 2 classes") as caught:
        assert ours.top_k_accuracy_score([0, 1], [0.2, 0.6], k=2) == 1
    assert [warning.category for warning in caught] == [UserWarning]


@pytest.mark.parametrize("name", OURS)
def test_refused(name: str) -> None:
    function = getattr(ours, name)
    with pytest.raises(ValueError, match=f"{name}: y_true must"):
        function([1, 0], [1, 2])
    with pytest.raises(ValueError, match=f"{name}: y_true must"):
        function([[1, -1]], [[1, 2]])
    with pytest.raises(ValueError, match="scores have shape"):
        function([[1, 0]], [[1, 2, 3]])
    with pytest.raises((ValueError, TypeError), match=r"[Ww]eights"):
        function([[1, 0]], [[1, 2]], sample_weight=[1, 2])


def test_one_document_is_refused() -> None:
    with pytest.raises(ValueError, match="more than one document"):
        ours.ndcg_score([[1]], [[1]])


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize(
    ("y_true", "scores"),
    [
        (np.zeros((0, 3)), np.zeros((0, 3))), ([[0, 1, 0]], [[0, math.nan, 1]]), ([[0, 1, 0]], [[0, math.inf, 1]]),
        ([[0, 1, math.nan]], [[0, 1, 2]]), ([[0, 1, 0]], [["a", "b", "c"]]), ([[0, 1], [1, 0, 1]], [[0, 1], [1, 0]]),
        ([[0, 1, 0]], [[1, 2]]), ([], []), ([[0, 1], [0, 0]], [[0, 1], [1, math.nan]]),
        ([[0, 0], [1, 1]], [[math.inf, 1], [0, 1]]),
    ],
)  # fmt: skip
def test_refused_as_there(name: str, y_true: Any, scores: Any) -> None:
    """Nothing is 0 in silence that scikit-learn refuses."""
    with pytest.raises((ValueError, TypeError)):
        getattr(theirs, name)(y_true, scores)
    with pytest.raises((ValueError, TypeError)):
        getattr(ours, name)(y_true, scores)


@pytest.mark.parametrize("name", OURS[2:])
def test_a_refused_score_is_named_by_its_row(name: str) -> None:
    with pytest.raises(ValueError, match=r"found NaN for query 1, document 0 \(counted from 0\)"):
        getattr(ours, name)([[0, 1], [1, 1], [0, 1]], [[0, 1], [math.nan, 1], [0, 1]])


@pytest.mark.parametrize("function", [ours.ndcg_score, ours.dcg_score])
def test_flat_arrays_are_told_where_to_go(function: Any) -> None:
    """XGBRanker passes flat arrays, without groups, to the metric that it is given."""
    with pytest.raises(
        ValueError, match=r"not 1: pass \[y_true\] .* untied.evaluate_arrays\(scores, labels, sizes=groups\)"
    ):
        function([1, 0, 2], [0.1, 0.2, 0.3])
