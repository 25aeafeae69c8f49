"""LightGBM's evaluation of a validation set whose scores are given as its initial scores."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, NotOffered, arrays_of_queries

PACKAGE = "lightgbm"
HOW = "the metrics ndcg (with label_gain) and map of a validation set, with scores as init_score and no split"

NAMES = {"nDCG": "ndcg", "nDCG@k": "ndcg", "nDCG(gain='exp2')@k": "ndcg", "AP": "map", "AP@k": "map"}


def answer(case: Case) -> Any:
    """The metric after one round that changes no score."""
    import lightgbm
    import numpy

    name = case.look_up(NAMES)
    grades: list[int] = []
    scores: list[float] = []
    sizes = []
    for own, values in arrays_of_queries(case):
        grades += own
        scores += values
        sizes.append(len(own))
    if max(grades) > 30:
        raise NotOffered("has gains for grades up to 30")
    linear = list(range(31))
    exponential = [2**grade - 1 for grade in linear]
    k = case.cutoff or 100
    features = numpy.zeros((len(grades), 1))
    options = {
        "objective": "lambdarank", "metric": name, "eval_at": [k], "verbose": -1, "num_threads": 1,
        "label_gain": exponential if "exp2" in case.measure else linear, "boost_from_average": False,
    }  # fmt: skip
    train = lightgbm.Dataset(numpy.zeros((4, 1)), [0, 1, 0, 1], group=[4], params={"verbose": -1})
    valid = lightgbm.Dataset(features, grades, group=sizes, init_score=numpy.array(scores), reference=train)
    found: dict[str, Any] = {}
    lightgbm.train(
        options, train, 1, valid_sets=[valid], valid_names=["v"], callbacks=[lightgbm.record_evaluation(found)]
    )
    return found["v"][f"{name}@{k}"][0]
