"""Agreement with pytrec_eval (trec_eval's own code) and scikit-learn, and where we differ on purpose."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

import untied
from nightly import many, seeded
from strategies import close

GRADES = [-2, -1, 0, 0, 0, 1, 1, 2, 3]
CUTOFFS = [1, 2, 3, 5, 7, 10, 20, 100]


def random_topic(rng: random.Random) -> tuple[dict[str, float], dict[str, int]]:
    """A run with many ties, some of them only in 32 bits, and qrels with gaps."""
    docs = [f"d{i}" for i in range(rng.randint(1, 40))]
    levels = rng.choice([1, 2, 5, 20, 1000])
    scores: dict[str, float] = {}
    for doc in rng.sample(docs, len(docs)):
        scores[doc] = rng.randint(-levels, levels) / 8 + rng.choice([0, 0, 1e-9, 2e-9])
    truth = {doc: rng.choice(GRADES) for doc in [*docs, "x1", "x2", "x3"] if rng.random() < 0.7}
    if rng.random() < 0.1:  # no relevant document at all
        truth = {doc: min(grade, 0) for doc, grade in truth.items()}
    if all(grade < 0 for grade in truth.values()):
        truth["judged"] = 0  # pytrec_eval never returns from a topic of negative grades only
    return scores, truth


def random_collection(seed: int, topics: int = 100) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = seeded(seed)
    drawn = {f"q{i}": random_topic(rng) for i in range(topics)}
    return {q: truth for q, (_, truth) in drawn.items()}, {q: scores for q, (scores, _) in drawn.items()}


@pytest.mark.parametrize("seed", range(many(5)))
@pytest.mark.parametrize("rel", [1, 2])
def test_pytrec_eval(seed: int, rel: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_collection(seed)
    cut = ",".join(map(str, CUTOFFS))
    asked = {"map", "recip_rank", "Rprec", "ndcg", "num_ret", "num_rel", "num_rel_ret"}
    asked |= {f"{name}.{cut}" for name in ("map_cut", "P", "recall", "success", "ndcg_cut")}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=rel).evaluate(run)
    suffix = "" if rel == 1 else f"(rel={rel})"
    ours = {
        "map": f"AP{suffix}", "recip_rank": f"RR{suffix}", "Rprec": f"Rprec{suffix}", "ndcg": "nDCG",
        "num_ret": "NumRet", "num_rel": f"NumRel{suffix}", "num_rel_ret": f"NumRelRet{suffix}",
    }  # fmt: skip
    for k in CUTOFFS:
        ours |= {
            f"map_cut_{k}": f"AP{suffix}@{k}", f"P_{k}": f"P{suffix}@{k}", f"recall_{k}": f"R{suffix}@{k}",
            f"success_{k}": f"Success{suffix}@{k}", f"ndcg_cut_{k}": f"nDCG@{k}",
        }  # fmt: skip
    results = untied.evaluate(qrels, run, list(ours.values()), ties="trec")
    assert sorted(theirs) == results.queries
    for query, values in theirs.items():
        assert set(values) == set(ours)
        for name, value in values.items():
            mine = results.value(ours[name], query=query).mean
            assert close(mine, value, 1e-9), (ours[name], mine, value, run[query], qrels[query])


@pytest.mark.parametrize("name", ["map", "recip_rank", "Rprec", "ndcg", "P_5", "recall_5", "map_cut_5", "ndcg_cut_5",
                                  "success_5", "num_ret", "num_rel", "num_rel_ret"])  # fmt: skip
def test_trec_eval_names(name: str) -> None:
    """The measures answer to their trec_eval names."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_collection(99)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run)
    results = untied.evaluate(qrels, run, [name], ties="trec")
    for query, values in theirs.items():
        assert close(results.value(name, query=query).mean, values[name], 1e-9)


LEVELS = [i / 10 for i in range(11)]


def rounds(level: float, relevant: int) -> bool:
    """Whether trec_eval 9 asks for another number of documents: 0.7 * 3 + 0.9 is a little less than 3, so for 2."""
    return math.ceil(Fraction(str(level)) * relevant) != int(level * relevant + 0.9)


@pytest.mark.parametrize("seed", range(many(3)))
@pytest.mark.parametrize("rel", [1, 2])
def test_pytrec_eval_all_measures(seed: int, rel: int) -> None:
    """Its other measures, under our own names; where it departs from a definition, it is known by how much."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_collection(seed)
    if rel == 2:  # pytrec_eval reads beyond an array's end where no grade reaches the level
        qrels = {query: truth | {"x4": 3} for query, truth in qrels.items()}
    with_rel = "" if rel == 1 else f"rel={rel}"
    ours = {name: (f"{measure}({with_rel})" if rel == 2 else measure) for name, measure in BINARY.items()} | GRADED
    for x in LEVELS:
        ours[f"iprec_at_recall_{x:.2f}"] = f"IPrec({with_rel})@{x}" if rel == 2 else f"IPrec@{x}"
    for m in [i / 5 for i in range(1, 11)]:
        ours[f"Rprec_mult_{m:.2f}"] = f"Rprec(mult={m}, {with_rel})" if rel == 2 else f"Rprec(mult={m})"
    for k in (5, 10):
        ours[f"relative_P_{k}"] = f"RelP({with_rel})@{k}" if rel == 2 else f"RelP@{k}"
    asked = {*BINARY, *GRADED, "iprec_at_recall", "Rprec_mult", "relative_P.5,10"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=rel).evaluate(run)
    results = untied.evaluate(qrels, run, list(ours.values()), ties="trec")
    for query, values in theirs.items():
        relevant = sum(grade >= rel for grade in qrels[query].values())
        gained, retrieved = sum(grade > 0 for grade in qrels[query].values()), len(run[query])
        for name, value in values.items():
            mine = results.value(ours[name], query=query).mean
            levels = [float(name.rpartition("_")[2])] if name.startswith(("iprec", "Rprec_mult")) else LEVELS
            if name.startswith(("iprec", "Rprec_mult", "11pt")) and any(rounds(x, relevant) for x in levels):
                continue
            if name == "Rndcg" and retrieved == gained + 1:
                continue  # trec_eval forgets the end of a ranking that is one document longer than the ideal one
            assert close(mine, value, 1e-9), (ours[name], mine, value, run[query], qrels[query])


BINARY = {
    "11pt_avg": "IPrecMean", "bpref": "Bpref", "infAP": "infAP", "binG": "binG", "set_P": "SetP", "set_map": "SetAP",
    "set_recall": "SetR", "set_relative_P": "SetRelP", "set_F": "SetF", "utility": "Utility",
    "num_nonrel_judged_ret": "NumNonrelJudgedRet",
}  # fmt: skip
GRADED = {"G": "G", "Rndcg": "Rndcg", "ndcg_rel": "nDCGRel"}


@pytest.mark.parametrize("name", ["gm_map", "gm_bpref"])
def test_pytrec_eval_geometric_means(name: str) -> None:
    """A topic's value is the logarithm; what pytrec_eval makes of all of them is the geometric mean."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_collection(7)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run)
    mean = pytrec_eval.compute_aggregated_measure(name, [values[name] for values in theirs.values()])
    assert close(untied.evaluate(qrels, run, [name], ties="trec").value(name).mean, mean, 1e-9)


def test_float32_ties_only_under_trec() -> None:
    """trec_eval 9 reads scores as 32-bit floats and then ties them; ties='docid' does not."""
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.000000002, "b": 1.000000001}}
    assert untied.evaluate(qrels, run, ["RR"], ties="docid").value("RR").mean == 1
    assert untied.evaluate(qrels, run, ["RR"], ties="trec").value("RR").mean == 0.5


def sklearn_topic(rng: random.Random) -> tuple[list[float], list[float]]:
    n = rng.randint(2, 30)
    levels = rng.choice([1, 3, 10])
    return [rng.choice([0, 0, 1, 2, 3, 0.5]) for _ in range(n)], [rng.randint(0, levels) / 4 for _ in range(n)]


@pytest.mark.parametrize("seed", range(many(2, nightly=50)))
def test_sklearn_dcg(seed: int) -> None:
    """scikit-learn averages DCG and nDCG over ties; it knows the listed documents only."""
    metrics = pytest.importorskip("sklearn.metrics")
    rng = seeded(seed)
    drawn = {f"q{i}": sklearn_topic(rng) for i in range(100)}
    qrels = {q: {f"d{i}": grade for i, grade in enumerate(truth)} for q, (truth, _) in drawn.items()}
    run = {q: {f"d{i}": score for i, score in enumerate(scores)} for q, (_, scores) in drawn.items()}
    measures: dict[tuple[str, int | None], str] = {}
    for k in (None, 1, 3, 10, 50):
        cut = f"@{k}" if k else ""
        measures["dcg_score", k] = f"DCG{cut}"
        measures["ndcg_score", k] = f"nDCG(recall_base='ranking'){cut}"
    results = untied.evaluate(qrels, run, list(measures.values()), ties="expected")
    for query, (truth, scores) in drawn.items():
        for (function, k), measure in measures.items():
            theirs = float(getattr(metrics, function)([truth], [scores], k=k))
            mine = results.value(measure, query=query).mean
            assert close(mine, theirs), (measure, mine, theirs, truth, scores)


def test_sklearn_average_precision_is_another_measure() -> None:
    """scikit-learn's average precision evaluates a tie group at its end, as one threshold: 1/2 for this list.

    Over the two orders of a tied relevant and non-relevant document AP is 1 and 1/2, so its expectation is 3/4.
    """
    metrics = pytest.importorskip("sklearn.metrics")
    assert metrics.average_precision_score([1, 0], [0.5, 0.5]) == 0.5
    results = untied.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 0.5, "b": 0.5}}, ["AP"], ties="range")
    value = results.value("AP")
    assert (value.low, value.mean, value.high) == (0.5, 0.75, 1.0)


def test_sklearn_average_precision_without_ties() -> None:
    """Without ties the two definitions meet."""
    metrics = pytest.importorskip("sklearn.metrics")
    rng = random.Random(1)
    for _ in range(100):
        n = rng.randint(2, 30)
        truth = [1, *(rng.randint(0, 1) for _ in range(n - 1))]
        scores = [float(x) for x in rng.sample(range(1000), n)]
        theirs = float(metrics.average_precision_score(truth, scores))
        ours = untied.evaluate(
            {"q": {f"d{i}": x for i, x in enumerate(truth)}}, {"q": {f"d{i}": x for i, x in enumerate(scores)}}, ["AP"]
        )
        assert math.isclose(ours.value("AP").mean, theirs, rel_tol=1e-12)
