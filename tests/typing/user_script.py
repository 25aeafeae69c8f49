"""What a user may write, over all that is public: mypy and pyright accept it as they are strictest.

It is not run; `assert_type` has checkers say what results are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import assert_type

import untied
from untied import (
    batches,
    errors,
    gate,
    inputs,
    judging,
    paper,
    report,
    results,
    spark,
    statistics,
    study,
)
from untied.comparison import correlation, distances, passages
from untied.compat import beir, ir_measures, mteb, pytrec_eval, sklearn
from untied.evaluation import curves, orders, searches
from untied.inputs import truth
from untied.judging import estimates, sample
from untied.measures import own

GRADES = {"q": {"a": 1, "b": 0}}
SCORES = {"q": {"a": 2.0, "b": 2.0}}


def measures() -> list[untied.Measure]:
    """Measures in the grammar of names."""
    assert_type(untied.nDCG @ 10, untied.Measure)
    assert_type(untied.AP(rel=2), untied.Measure)
    return [untied.RBP(p=0.9) @ 20, untied.parse_measure("MED(nDCG@10)")]


def evaluation() -> float:
    """Evaluate runs; values are numbers."""
    results = untied.evaluate(GRADES, {"one": SCORES}, [untied.nDCG @ 10, "AP"], ties="range", unjudged="remove")
    assert_type(results, untied.Results)
    value = results["AP"]
    assert_type(value, untied.Value)
    assert_type(value.mean, float)
    assert_type(value.low, float | None)
    assert_type(results["one", untied.AP].high, float | None)
    assert_type(results.means, untied.Table)
    assert_type(results.per_query, untied.Table)
    assert_type(results.queries, list[str])
    assert_type(orders.evaluate_orders({"q": [("a", "b")]}, {"q": ["a"]}, "ADR@3"), untied.Table)
    assert_type(searches.evaluate_searches(GRADES, {"q": [["a"], ["b"]]}, "R@2"), untied.Table)
    assert_type(results.runs, list[str])
    assert_type(results.value("AP", "q", "one"), untied.Value)
    facts = results.facts()["one"]
    assert_type(facts["mixed"], int)
    json.dumps(value)
    better: bool = value > 0.5
    evaluator = untied.Evaluator("qrels.txt", "AP", ties="docid", queries="common", on_undefined="nan", variance=True)
    assert_type(evaluator.means(SCORES), dict[str, float])
    assert_type(evaluator.evaluate([Path("a.run"), Path("b.run")]), untied.Results)
    shown: untied.Table = results.table(per_query=False)
    assert_type(shown.columns, list[str])
    assert_type(len(shown), int)
    return value + sum([value, 0.5]) + round(value, 2) + max(value, 1.0) if better else float(value)


def verdicts() -> None:
    """What judgments leave open."""
    found = untied.certify(GRADES, {"a": SCORES, "b": "new.run"}, [untied.P @ 10, "RR"], ties="docid", most=2)
    assert_type(found, untied.Verdicts)
    assert_type(found["a", "b"]["RR"], untied.Verdict)
    assert_type(found["a", "b"]["RR"].low, float)
    assert_type(found.ranks, untied.Table)
    assert_type(found.table, untied.Table)
    found.explain("a", "b", "RR")
    found.write_certificate(Path("certificate.json"), "qrels.txt", ["old.run", Path("new.run")])


def shuffled() -> None:
    """Distributions over orders of ties."""
    found = untied.distributions(GRADES, {"a": SCORES, "b": "new.run"}, ["AP"], per_query=True, states=1000)
    assert_type(found, untied.Distributions)
    assert_type(found["a", "AP"], untied.Distribution)
    assert_type(found["a", "AP"].quantile(0.5), tuple[float, float])
    assert_type(found.chances("a", "b").greater, tuple[float, float])
    assert_type(found.quantiles([0.5], per_query=True), untied.Table)
    assert_type(found.plot("AP", style="png"), bytes)


def reading() -> None:
    """Runs and judgments."""
    assert_type(untied.read_qrels("qrels.txt", format="trec"), untied.Qrels)
    assert_type(untied.read_run(Path("a.run")), untied.Run)
    assert_type(inputs.read_run("a.run"), untied.Run)
    assert_type(untied.Run.from_mapping(SCORES).queries(), list[str])
    assert_type(list(untied.Run(SCORES)), list[str])
    assert_type(list(untied.Qrels(GRADES)), list[str])
    assert_type(untied.Qrels.from_mapping(GRADES)["q"], dict[str, float])
    truth.read_groups("groups.txt")
    truth.orders_of_preferences([("a", "b")])
    truth.read_mirex("mirex.txt")
    truth.read_preferences("preferences.txt")
    truth.groups_from_preferences([("a", "b")])
    truth.groups_from_rankings([["a", "b"], ["b", "a"]])


def comparison() -> str:
    """Two runs, several, rankings as arrays, passages."""
    found = untied.compare(SCORES, "new.run", ["RBO", untied.MED(untied.nDCG @ 10)], qrels=GRADES, ties="docid")
    assert_type(found, untied.Comparison)
    assert_type(found["RBO"], untied.Value)
    assert_type(found.most_changed(5), list[str])
    assert_type(found.assignment("MED(nDCG@10)", "q"), untied.Assignment)
    assert_type(found.outcomes("Delta(AP@10)", "q"), untied.Outcomes)
    several = untied.compare_all({"one": SCORES, "two": SCORES}, "RBO")
    assert_type(several, untied.Comparisons)
    assert_type(several.matrix("RBO"), untied.Table)
    assert_type(untied.compare_arrays([[1, 2]], [[2, 1]], ["RBO"]), untied.ArrayComparison)
    one: dict[str, list[tuple[str, int, int]]] = {"q": [("a", 0, 100)]}
    compared = untied.compare_passages(one, one)
    assert_type(compared, untied.PassageComparison)
    assert_type(compared.mean, float)
    assert_type(passages.compare_passages(one, one), passages.PassageComparison)
    passages.read_passages("a.passages")
    passages.read_judged_passages("judged.txt")
    return report.comparison_report(found)


def arrays_and_features(scores: Sequence[Sequence[float]], labels: Sequence[Sequence[int]]) -> None:
    """Documents without ids."""
    found = untied.evaluate_arrays(scores, labels, [untied.nDCG @ 10], ties="range")
    assert_type(found, untied.ArrayResults)
    value = found["nDCG@10"]
    assert_type(value, untied.Value | untied.ArrayValues)  # of one column, or of several
    print(value.low, value.mean if isinstance(value, untied.Value) else value.value)
    assert_type(found.per_query, untied.ArrayQueries)
    assert_type(found.per_query["nDCG@10"], untied.ArrayValues)
    evaluator = untied.ArrayEvaluator(labels, "nDCG@10", unjudged="remove")
    assert_type(evaluator.evaluate(scores), untied.ArrayResults)
    assert_type(untied.evaluate_features("train.txt", "nDCG@10", directions="both"), untied.FeatureResults)


def ones_own() -> None:
    """Measures of one's own."""

    @untied.additive_measure
    def gain(grade: float, rank: int) -> float:
        return grade / rank

    @untied.measure(name="Last", cutoff="required")
    def last(ranking: Sequence[float]) -> float:
        return ranking[-1]

    assert_type((gain, last), tuple[untied.Measure, untied.Measure])

    @own.measure
    def first(ranking: Sequence[float]) -> float:
        return ranking[0]

    assert_type(first, untied.Measure)

    @own.additive_measure(name="Sum", ideal=True)
    def every(grade: float, rank: int) -> float:
        return grade / rank

    assert_type(every, untied.Measure)
    own.load_plugin("plugin.py")


def inference(results: untied.Results) -> str:
    """What is significant, and tables of papers."""
    found = statistics.significance(results, baseline="one", test="t", correction="holm")
    assert_type(found, statistics.Significance)
    one, two = {"q": 0.5, "r": 0.25}, {"q": 0.25, "r": 0.5}
    for test in (statistics.t_test, statistics.wilcoxon_test, statistics.randomization_test):
        assert_type(test(one, two), statistics.Test)
    assert_type(statistics.effect_size(one, two), float)
    assert_type(statistics.mean_interval(one, two), tuple[float, float])
    assert_type(statistics.adjust([0.1, 0.2], "holm"), list[float])
    statistics.paired_p([0.1, -0.2], samples=100, seed=1)
    statistics.discriminative_power(results)
    assert_type(statistics.estimate_mean(one, two), statistics.Estimate)
    assert_type(statistics.estimate_strata(one, two, {"q": "s", "r": "s"}), statistics.Estimate)
    statistics.allocate(one, {"q": "s", "r": "s"}, 2)
    assert_type(statistics.estimate_runs(results, results, target="these"), statistics.RunEstimates)
    assert_type(statistics.estimate_drawn({}, {}, {}, "P@10", target="these"), statistics.RunEstimates)
    assert "t" in statistics.TESTS
    return paper.paper_table(results, found, style="latex")


def judgments() -> None:
    """What to judge next, samples, estimates, gates."""
    advice = judging.judge_next(GRADES, {"one": SCORES}, "AP", top=3)
    assert_type(advice, judging.Advice)
    assert_type(advice.candidates, list[judging.Candidate])
    drawn: sample.Judgments = sample.judgments(GRADES, 0.5, seed=1)
    sample.pool([SCORES], 10, drawn)
    sample.collection(GRADES, {"one": SCORES}, 0.5)
    assert_type(sample.keeps_document("a", 0.5), bool)
    estimates.infap_error(GRADES, SCORES)
    estimates.subcollection(GRADES, SCORES, rate=0.5)
    estimates.with_pool(GRADES, GRADES)
    checked = gate.gate(GRADES, SCORES, baseline="old.run", min={"AP": 0.3}, max_drop={"AP": 0.01}, ties="worst")
    assert_type(checked, gate.GateResult)
    estimated = gate.gate(GRADES, SCORES, min={"AP": 0.3}, machine="model.qrels", query_table="q.csv", strata="market")
    assert_type(estimated.checks[0].low, float | None)
    assert_type(checked.checks, list[gate.Check])
    assert_type(checked.passed, bool)


def rankings() -> None:
    """Two rankings of the same things."""
    one, two = {"a": 1.0, "b": 2.0}, [["b"], ["a"]]
    assert_type(correlation.kendall(one, two, variant="b"), untied.Value)
    assert_type(correlation.tau_ap(one, two), untied.Value)
    assert_type(correlation.spearman(one, two), untied.Value)
    assert_type(correlation.swapped(one, two), int)
    assert_type(distances.kendall_distance(one, two), untied.Value)
    assert_type(distances.footrule(one, two), untied.Value)


def pages_and_studies(folder: Path) -> None:
    """Pages, curves, studies."""
    assert_type(report.report("qrels.txt", ["a.run"], ["AP"], test="t", machine="model.qrels"), str)
    assert_type(curves.curves("qrels.txt", "a.run", "q", ties="range"), untied.Table)
    assert "P" in curves.NAMES
    found = study.ties("qrels.txt", ["a.run"], folder, measures=["AP"], cost=True, plots="none")
    assert_type(found, study.Result)
    study.incomplete("qrels.txt", ["a.run", "b.run"], folder, rates=[0.5, 0.1], sampling="simple-random")
    study.imperfect("qrels.txt", ["a.run", "b.run"], folder, samples=2)
    study.med("qrels.txt", ["a.run", "b.run", "c.run"], folder, ties="docid")
    study.agreement("qrels.txt", ["a.run", "b.run"], folder, depths=[10])
    study.order("qrels.txt", ["a.run", "b.run"], folder, depth=20)
    study.judges("qrels.txt", ["a.run"], folder, machines={"gpt": "gpt.qrels"}, judged=[10])
    assert "svg" in study.PLOTS
    assert issubclass(study.STUDIES["med"], study.Study)


def engines() -> list[object]:
    """Functions on Arrow's batches; Spark; interfaces of other packages."""
    batches.BatchEvaluator(["AP"], grades=[0, 1], ties="range")
    batches.BatchComparer(["RBO"], ties="expected")
    ir_measures.install()
    ir_measures.uninstall()
    mteb.install()
    evaluator = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, {"map"})
    evaluator.evaluate({"q": {"a": 1.0}})
    found: list[object] = [batches.EvaluationSummary, batches.ComparisonSummary, beir.EvaluateRetrieval]
    found += [spark.evaluate, spark.compare, spark.clear_errors, sklearn.ndcg_score]
    return [*found, spark.SparkResults, spark.SparkEvaluation, spark.SparkComparison]


def failing() -> str:
    """What may be raised, and warned of."""
    assert issubclass(untied.UntiedWarning, UserWarning)
    try:
        untied.evaluate("qrels.txt", "a.run")
    except (errors.InputError, untied.InputError, untied.MeasureError, untied.UndefinedError) as error:
        return f"{error}, {untied.__version__}"
    except untied.UntiedError:
        raise
    return results.Results.__name__ + results.MeasureResults.__name__
