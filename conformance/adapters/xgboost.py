"""XGBoost's evaluation of a data set whose scores are given as its base margin."""

from __future__ import annotations

from typing import Any

from conformance.adapters.common import Case, arrays_of_queries

PACKAGE = "xgboost"
HOW = "Booster.eval of a DMatrix with scores as base_margin and no trees; ndcg, map, pre"
#: It prints six decimals of 32-bit numbers.
TOLERANCE = 2e-6

NAMES = {"nDCG": "ndcg", "nDCG@k": "ndcg", "nDCG(gain='exp2')@k": "ndcg", "AP": "map", "AP@k": "map", "P@k": "pre"}


def answer(case: Case) -> Any:
    """The number in the line that eval returns."""
    import numpy
    import xgboost

    name = case.look_up(NAMES)
    grades: list[int] = []
    scores: list[float] = []
    sizes = []
    for own, values in arrays_of_queries(case):
        grades += own if name == "ndcg" else [int(grade >= 1) for grade in own]
        scores += values
        sizes.append(len(own))
    metric = f"{name}@{case.cutoff}" if case.cutoff else name
    objective = {"ndcg": "rank:ndcg", "map": "rank:map", "pre": "rank:map"}[name]
    options = {"objective": objective, "eval_metric": metric, "verbosity": 0, "nthread": 1, "base_score": 0.0}
    if name == "ndcg":
        options["ndcg_exp_gain"] = "exp2" in case.measure
    data = xgboost.DMatrix(numpy.zeros((len(grades), 1)), grades, base_margin=numpy.array(scores))
    data.set_group(sizes)
    booster = xgboost.train(options, data, 0)
    return float(booster.eval(data).rsplit(":", 1)[1])
