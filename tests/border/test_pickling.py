"""Everything public is pickled, copied and deep-copied, or says why not."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy
import pyarrow
import pytest

import untied
from untied import _core, batches, errors, gate, judging, statistics
from untied.compat import beir, pytrec_eval

QRELS = {f"q{n}": {"a": 1, "b": 0, "c": 2} for n in range(9)}
RUNS = {
    "one": {f"q{n}": {"a": 1.0, "b": 1.0, "c": 3.0} for n in range(9)},
    "two": {f"q{n}": {"a": 3.0, "b": 2.0, "c": float(n)} for n in range(9)},
}
LABELS = numpy.array([[1, 0, 2, -1], [0, 1, 0, 5]])
SCORES = numpy.array([[3.0, 3, 1, 2], [1, 1, 1, 1]])


@cache
def results() -> untied.Results:
    return untied.evaluate(QRELS, RUNS, ["AP", "RR"], ties="range", variance=True)


@cache
def comparison() -> untied.Comparison:
    return untied.compare(RUNS["one"], RUNS["two"], ["RBO", "MED(AP@10)", "Delta(P@3)"], qrels=QRELS)


def evaluation_summary() -> Any:
    rows = pyarrow.table({"query": ["q"] * 2, "document": ["a", "b"], "score": [1.0, 2.0], "grade": [1.0, 0.0]})
    made = batches.BatchEvaluator(["AP"], grades=[0, 1])
    return made.summary(made(rows.to_batches()))


def comparison_summary() -> Any:
    rows = pyarrow.table({"query": ["q"] * 2, "document": ["a", "b"], "score_a": [1.0, 2.0], "score_b": [1.0, 0.0]})
    made = batches.BatchComparer(["RBO"])
    return made.summary(made(rows.to_batches()))


def features(**options: Any) -> untied.FeatureResults:
    return untied.evaluate_features(
        [[7, 1], [7, 2]], ["RR"], labels=[1, 0], query_ids=["q", "q"], names=["a", "b"], **options
    )


#: For every public class something of it, and what it says when it is asked for all that it holds.
HELD: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "Run": (lambda: untied.Run(RUNS["one"]), lambda run: [run[query] for query in run.queries()]),
    "Qrels": (lambda: untied.Qrels(QRELS), lambda qrels: [qrels[query] for query in qrels.queries()]),
    "Lengths": (
        lambda: _core.Lengths.from_mapping({"a": 1, "b": (2, 3.0), "c": 7}),
        lambda docs: (len(docs), untied.evaluate(QRELS, RUNS["one"], "TBG", docs=docs).means.to_dicts()),
    ),
    "Measure": (lambda: untied.nDCG(gain={1: 3, 2: 4}) @ 10, str),
    "Evaluator": (
        lambda: untied.Evaluator(
            QRELS,
            ["AP", "TBG"],
            ties="range",
            variance=True,
            docs={"a": 1, "b": 2, "c": 3},
            threads=1,
            queries="common",
        ),
        lambda evaluator: evaluator.evaluate(RUNS).table().to_dicts(),
    ),
    "ArrayEvaluator": (
        lambda: untied.ArrayEvaluator(LABELS, ["AP", "nDCG"], ties="range", threads=1),
        lambda evaluator: (evaluator.evaluate(SCORES).means.to_dicts(), evaluator.evaluate([SCORES, -SCORES]).facts()),
    ),
    "BatchEvaluator": (lambda: batches.BatchEvaluator(["AP"], grades=[0, 1]), lambda made: made.schema),
    "BatchComparer": (lambda: batches.BatchComparer(["RBO"]), lambda made: made.schema),
    "EvaluationSummary": (evaluation_summary, lambda found: (found.means.to_dicts(), found.facts())),
    "ComparisonSummary": (comparison_summary, lambda found: found.means.to_dicts()),
    "Results": (results, lambda found: (found.table().to_dicts(), found.facts(), found.value("AP", "q1", "one"))),
    "Table": (lambda: results().means, lambda table: table.to_dicts()),
    "Value": (lambda: results()["one", "AP"], lambda value: value),
    "Comparison": (
        comparison,
        lambda found: (
            found.table().to_dicts(),
            found.value("RBO", "q3"),
            found.distribution.to_dicts(),
            (found.alone, found.undefined, found.most_changed()),
            found.moved("q2").to_dicts(),
            found.assignment("MED(AP@10)", "q1").grades,
        ),
    ),
    "Comparisons": (
        lambda: untied.compare_all(RUNS, ["RBO"]),
        lambda found: (found.means.to_dicts(), found.matrix().to_dicts(), found["one", "two"].table().to_dicts()),
    ),
    "Assignment": (lambda: comparison().assignment("MED(AP@10)", "q1"), lambda found: (found.value, found.grades)),
    "Outcomes": (lambda: comparison().outcomes("Delta(P@3)", "q1"), repr),
    "ArrayResults": (
        lambda: untied.evaluate_arrays([SCORES, -SCORES], LABELS, ["AP"], ties="range", per_query=True, variance=True),
        lambda found: (
            found.means.to_dicts(),
            found.per_query["AP"].low.tolist(),
            found.per_query["AP"].variance.tolist(),
        ),
    ),
    "ArrayQueries": (
        lambda: untied.evaluate_arrays([SCORES, -SCORES], LABELS, ["AP", "RR"], ties="range", per_query=True).per_query,
        lambda found: found.to_dicts(),
    ),
    "ArrayValues": (
        lambda: untied.evaluate_arrays(SCORES, LABELS, "AP").per_query["AP"],
        lambda held: held.value.tolist(),
    ),
    "ArrayComparison": (
        lambda: untied.compare_arrays([[1, 2]], [[2, 1]], "RBO"),
        lambda found: found["RBO"].value.tolist(),
    ),
    "FeatureResults": (
        lambda: features(directions="both", ties="range", per_query=True),
        lambda found: (
            found.table(per_query=True).to_dicts(),
            found.facts(),
            found.queries,
            found.documents,
            len(found),
        ),
    ),
    "PassageComparison": (lambda: untied.compare_passages([("d", 0, 10)], [("d", 5, 10)]), lambda found: found.mean),
    "Significance": (lambda: statistics.significance(untied.evaluate(QRELS, RUNS, "AP"), samples=99), repr),
    "Test": (lambda: statistics.t_test([1, 2, 3], [2, 2, 5]), repr),
    "GateResult": (lambda: gate.gate(QRELS, RUNS["one"], min={"AP": 0.1}), lambda found: (str(found), found.passed)),
    "Verdict": (lambda: untied.certify(QRELS, RUNS, "P@2")["one", "two"]["P@2"], repr),
    "Distributions": (
        lambda: untied.distributions(QRELS, RUNS, "AP", per_query=True),
        lambda found: found.quantiles(per_query=True).to_dicts(),
    ),
    "Distribution": (
        lambda: untied.distributions(QRELS, RUNS["one"], "AP")["AP"],
        lambda found: (found.lower, found.upper, found.certainty, repr(found), found.at_most(0.5)),
    ),
    "Verdicts": (lambda: untied.certify(QRELS, RUNS, "P@2", ties="docid"), lambda found: found.table.to_dicts()),
    "Advice": (lambda: judging.judge_next(QRELS, RUNS), repr),
    "EvaluateRetrieval": (beir.EvaluateRetrieval, lambda made: vars(made)),
    "InputError": (lambda: untied.InputError("said", "f", 1, "e", "x"), lambda error: (str(error), vars(error))),
    "UntiedError": (lambda: untied.UntiedError("said"), str),
    "UntiedWarning": (lambda: untied.UntiedWarning("said"), str),
    "MeasureError": (lambda: untied.MeasureError("said"), str),
    "NotKeptError": (lambda: errors.NotKeptError("said"), str),
    "UndefinedError": (lambda: untied.UndefinedError("said"), str),
}
WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda held: pickle.loads(pickle.dumps(held)),
    "twice": lambda held: pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(held)))),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", HELD)
def test_what_comes_back_says_the_same(name: str, way: str) -> None:
    make, says = HELD[name]
    held = make()
    again = WAYS[way](held)
    assert type(again) is type(held)
    assert says(again) == says(held)


def test_every_public_class_is_held() -> None:
    public = {name for name in untied.__all__ if isinstance(getattr(untied, name), type)}
    assert public <= set(HELD)


@pytest.mark.parametrize(
    "given",
    [
        {"mask": numpy.array([[1, 1, 0, 1], [1, 0, 0, 1]], dtype=bool)},
        {"judged": numpy.array([[1, 1, 0, 1], [1, 0, 0, 1]], dtype=bool), "unjudged": "range"},
        {"num_relevant": {1: [3, 4], 2: [1, 7]}},
        {"score_dtype": "float32", "variance": True, "on_undefined": "nan"},
    ],
)
def test_labels_come_back_with_all_that_was_said_of_them(given: dict[str, Any]) -> None:
    evaluator = untied.ArrayEvaluator(LABELS, ["AP", "nDCG", "R@2"], ties="range", **given)
    again = pickle.loads(pickle.dumps(evaluator))
    assert repr(again.evaluate(SCORES).means) == repr(evaluator.evaluate(SCORES).means)
    assert (
        again.evaluate(SCORES).per_query["AP"].high.tolist() == evaluator.evaluate(SCORES).per_query["AP"].high.tolist()
    )


def test_flat_labels_keep_their_queries() -> None:
    flat = {"labels": [1, 0, numpy.nan, 1.5, 0], "query_ids": ["x", "x", "y", "y", "y"]}
    evaluator = untied.ArrayEvaluator(measures="AP", **flat)
    again = pickle.loads(pickle.dumps(evaluator))
    found = again.evaluate([1, 1, 2, 3, 4])
    assert found.queries.tolist() == ["x", "y"]
    assert found["AP"] == evaluator.evaluate([1, 1, 2, 3, 4])["AP"]


def test_labels_that_change_afterwards_are_not_those_of_a_pickle() -> None:
    labels = LABELS.astype(float)
    evaluator = untied.ArrayEvaluator(labels, "AP")
    expected = evaluator.evaluate(SCORES)["AP"]
    labels[:] = 0
    assert pickle.loads(pickle.dumps(evaluator)).evaluate(SCORES)["AP"] == expected


def test_what_is_refused_says_what_to_do() -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"map"})
    for way in WAYS.values():
        with pytest.raises(TypeError, match="cannot be pickled or copied: make another of the same qrels"):
            way(evaluator)
