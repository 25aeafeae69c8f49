"""untied as a provider of ir_measures: the measures that it adds, and equality with ir_measures' own providers.

Each of them has its own rule for equal scores, found in its source: see TIES.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import untied
from nightly import many, seeded
from strategies import BUILT_IN
from test_peers import random_collection

irm = pytest.importorskip("ir_measures")
ours = pytest.importorskip("untied.compat.ir_measures")

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1}, "q3": {"d9": 1}}
RUN = {"q1": {"d1": 2.5, "d2": 2.5, "d3": 1.0}, "q2": {"d1": 1.0}, "q4": {"d1": 1.0}}


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    """As after the import, before and after each test."""
    ours.install()
    yield
    ours.install()


def by_query(metrics: Any) -> dict[tuple[str, str], float]:
    return {(str(metric.measure), metric.query_id): float(metric.value) for metric in metrics}


# ---------------------------------------------------------------------------------------------------------------------
# What the import adds


def test_new_measures_stand_beside_those_of_ir_measures() -> None:
    from untied.compat.ir_measures import DCG, F1, untied_AP

    measures = [F1 @ 2, DCG(gain="exp2") @ 3, untied_AP(ties="expected"), irm.AP, irm.nDCG @ 10]
    found = irm.calc_aggregate(measures, QRELS, RUN)
    for measure, name, ties in (
        (measures[0], "F1@2", "trec"),
        (measures[1], "DCG(gain='exp2')@3", "trec"),
        (measures[2], "AP", "expected"),
        (measures[3], "AP", "trec"),
        (measures[4], "nDCG@10", "trec"),
    ):
        assert found[measure] == pytest.approx(untied.evaluate(QRELS, RUN, [name], ties=ties)[name].mean, abs=1e-12)
    assert found == irm.evaluator(measures, QRELS).calc_aggregate(RUN)
    assert found == irm.calc(measures, QRELS, RUN).aggregated
    per_query = by_query(irm.iter_calc(measures, QRELS, RUN))
    assert {query for _, query in per_query} == {"q1", "q2", "q3"}
    assert per_query["untied_AP(ties='expected')", "q1"] == pytest.approx((3 / 4 + 1 / 3 + 1 / 4) / 2 + 1 / 24)
    assert per_query["F1@2", "q3"] == 0


def test_every_measure_has_a_name_there() -> None:
    """Under its own name, or with a prefix where ir_measures has that name already."""
    taken = set(irm.measures.registry) - set(ours.MEASURES)
    for info in BUILT_IN:
        if info["needs"] == "documents":
            assert info["name"] not in ours.MEASURES  # nothing in ir_measures tells lengths of documents
            continue
        name = f"untied_{info['name']}" if info["name"] in taken else info["name"]
        assert irm.measures.registry[name] is ours.MEASURES[name] is getattr(ours, name)
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        ours.nope  # noqa: B018


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="ir_measures 0.4.3 parses names by what Python 3.12 deprecates")
def test_new_measures_are_parsed() -> None:
    for text in ("F1@5", "F1(rel=2)@5", "untied_AP(ties='best')", "untied_nDCG(gain='exp2',judged_only=True)@10"):
        measure = irm.parse_measure(text)
        assert str(measure) == text
        assert irm.parse_measure(str(measure)) == measure


def test_new_measures_know_how_they_aggregate() -> None:
    found = irm.calc_aggregate([ours.untied_NumRelRet, ours.untied_AP(mean="geometric"), ours.untied_AP], QRELS, RUN)
    assert found[ours.untied_NumRelRet] == 3
    gmap = untied.evaluate(QRELS, RUN, ["gm_map"], ties="trec")["gm_map"].mean
    assert found[ours.untied_AP(mean="geometric")] == pytest.approx(gmap)
    assert math.isnan(ours.untied_AP(mean="geometric").aggregator().result())


def test_new_measures_are_checked() -> None:
    with pytest.raises(untied.MeasureError, match="F1 needs a cutoff, for instance F1@10"):
        irm.calc_aggregate([ours.F1], QRELS, RUN)
    with pytest.raises(untied.MeasureError, match="F1 has no parameter 'foo'; it has: rel"):
        ours.F1(foo=1)
    with pytest.raises(untied.MeasureError, match="rel must be a number above 0"):
        irm.calc_aggregate([ours.F1(rel=-1) @ 5], QRELS, RUN)
    with pytest.raises(untied.MeasureError, match="ties must be expected, best, worst"):
        irm.calc_aggregate([ours.F1(ties="range") @ 5], QRELS, RUN)
    with pytest.raises(untied.UntiedError, match="ties must be expected, best, worst"):
        ours.install(ties="range")


def test_ours_are_measures_of_untied_too() -> None:
    results = untied.evaluate(QRELS, RUN, [ours.F1 @ 2, ours.untied_AP(rel=2)])
    assert results.measures == ["F1@2", "AP(rel=2)"]
    with pytest.raises(untied.MeasureError, match="AP has no parameter"):
        untied.evaluate(QRELS, RUN, [ours.untied_AP(ties="best")])


def test_uninstall_and_install() -> None:
    """Without untied, ir_measures is as it was: another process that never saw it says the same."""
    script = (
        "import ir_measures as m; print(sorted(m.measures.registry), [p.NAME for p in m.DefaultPipeline.providers])"
    )
    untouched = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    ours.uninstall()
    names = [provider.NAME for provider in irm.DefaultPipeline.providers]
    assert f"{sorted(irm.measures.registry)} {names}\n" == untouched
    assert "untied" not in irm.providers.registry
    with pytest.raises(ValueError, match="Unsupported measures"):
        irm.calc_aggregate([ours.F1 @ 5], QRELS, RUN)
    ours.install()
    ours.install()
    assert [p.NAME for p in irm.DefaultPipeline.providers].count("untied") == 1


def test_pyterrier_loads_the_module() -> None:
    """PyTerrier makes modules of this entry point its own: ``pyterrier.untied`` (tried with PyTerrier 1.1.2)."""
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text())
    assert project["project"]["entry-points"]["pyterrier.modules"] == {"untied": ours.__name__}


# ---------------------------------------------------------------------------------------------------------------------
# Shapes of runs and qrels


def test_shapes() -> None:
    pandas = pytest.importorskip("pandas")
    measures = [ours.F1 @ 2, ours.untied_nDCG]
    expected = by_query(irm.iter_calc(measures, QRELS, RUN))
    judged = [irm.Qrel(query, doc, grade) for query, docs in QRELS.items() for doc, grade in docs.items()]
    found = [irm.ScoredDoc(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
    for qrels in (iter(judged), pandas.DataFrame(judged), judged):
        for run in (iter(found), pandas.DataFrame(found), pandas.DataFrame(found).astype({"doc_id": object})):
            again = qrels if hasattr(qrels, "columns") else iter(judged)
            assert by_query(irm.iter_calc(measures, again, run)) == expected
    # Beside a measure of another provider, iterators are split.
    mixed = irm.calc_aggregate([ours.F1 @ 2, irm.Judged @ 2], iter(judged), iter(found))
    assert mixed[ours.F1 @ 2] == irm.calc_aggregate([ours.F1 @ 2], QRELS, RUN)[ours.F1 @ 2]


def test_ids_come_back_as_they_were() -> None:
    found = list(irm.iter_calc([ours.F1 @ 1], {1: {10: 1}, 2: {10: 1}}, {1: {10: 0.5}}))
    assert [(metric.query_id, metric.value) for metric in found] == [(1, 1.0), (2, 0.0)]


def test_an_empty_run_has_the_defaults_of_ir_measures() -> None:
    assert irm.calc_aggregate([ours.F1 @ 1, irm.AP], QRELS, {}) == {ours.F1 @ 1: 0, irm.AP: 0}


def test_repeated_documents_are_refused() -> None:
    doc, qrel = irm.ScoredDoc("q1", "d1", 1.0), irm.Qrel("q1", "d1", 1)
    with pytest.raises(untied.UntiedError, match="query 'q1' has document 'd1' twice"):
        irm.calc_aggregate([ours.F1 @ 1], QRELS, iter([doc, doc]))
    with pytest.raises(untied.UntiedError, match="query 'q1' has document 'd1' twice"):
        irm.calc_aggregate([ours.F1 @ 1], iter([qrel, irm.Qrel("q1", "d1", 0)]), RUN)
    assert irm.calc_aggregate([ours.F1 @ 1], iter([qrel, qrel]), iter([doc])) == {ours.F1 @ 1: 1}


# ---------------------------------------------------------------------------------------------------------------------
# Preferred: the numbers of ir_measures' own providers

#: What each provider does with equal scores. `ascending` is not among untied's policies: msmarco, judged and pyndeval
#: rank by id, ascending, where pytrec_eval and gdeval rank descending. cwl_eval and accuracy sort stably. compat ranks
#: ascending and its ideal ranking in the order of the qrels, so it is compared on distinct scores.
TIES = {"pyndeval": "ascending", "pytrec_eval": "trec", "cwl_eval": "given", "accuracy": "given", "gdeval": "docid",
        "compat": "trec", "judged": "ascending", "msmarco": "ascending"}  # fmt: skip

MEASURES: dict[str, list[Any]] = {
    "pytrec_eval": [
        irm.P @ 5, irm.P(rel=2) @ 5, irm.P(judged_only=True) @ 5, irm.R @ 5, irm.R(rel=2) @ 50,
        irm.R(judged_only=True) @ 5, irm.AP, irm.AP @ 5, irm.AP(rel=2), irm.AP(judged_only=True), irm.AP(rel=2) @ 3,
        irm.RR, irm.RR(rel=2), irm.RR(judged_only=True), irm.Rprec, irm.Rprec(rel=2), irm.Rprec(judged_only=True),
        irm.nDCG, irm.nDCG @ 5, irm.nDCG(judged_only=True) @ 5, irm.nDCG(gains={1: 5, 2: 1}) @ 5, irm.Bpref,
        irm.Bpref(rel=2), irm.NumRet, irm.NumRet(rel=1), irm.NumRet(rel=2), irm.NumRelRet, irm.NumQ, irm.NumRel,
        irm.SetAP, irm.SetAP(rel=2), irm.SetAP(judged_only=True), irm.SetF, irm.SetF(beta=0.5), irm.SetF(rel=2),
        irm.SetP, irm.SetP(judged_only=True), irm.SetP(relative=True), irm.SetRelP(rel=2), irm.SetR, irm.SetR(rel=2),
        irm.Success @ 5, irm.Success(rel=2) @ 1, irm.Success(judged_only=True) @ 1, irm.IPrec @ 0.1, irm.IPrec @ 0.5,
        irm.IPrec(rel=2) @ 0.3, irm.IPrec(judged_only=True) @ 1.0, irm.infAP, irm.infAP(rel=2),
    ],
    "cwl_eval": [
        irm.P @ 5, irm.P(rel=2) @ 50, irm.RR, irm.RR(rel=2), irm.RBP(rel=1), irm.RBP(rel=2, p=0.5),
        irm.BPM(max_rel=3) @ 5, irm.BPM(T=2.0, max_rel=4) @ 10, irm.BPM(min_rel=1, max_rel=3) @ 10,
        irm.SDCG(max_rel=3) @ 5, irm.SDCG(dcg="log2", min_rel=1, max_rel=3) @ 5, irm.NERR8(max_rel=3) @ 5,
        irm.NERR9(max_rel=3) @ 5, irm.NERR10(max_rel=3), irm.NERR10(p=0.5, max_rel=3), irm.NERR11(max_rel=3),
        irm.NERR11(T=2.0, max_rel=3), irm.INST(max_rel=3), irm.INST(T=3.0, min_rel=1, max_rel=3), irm.INSQ(max_rel=3),
        irm.INSQ(T=3.0, max_rel=3),
    ],
    "compat": [irm.Compat, irm.Compat(p=0.8), irm.Compat(p=0.9, normalize=False)],
    "judged": [irm.Judged, irm.Judged @ 5, irm.Judged @ 20],
    "msmarco": [irm.RR @ 10, irm.RR @ 3, irm.RR(rel=2) @ 10, irm.RR],
    "accuracy": [irm.Accuracy, irm.Accuracy @ 5, irm.Accuracy(rel=2) @ 10],
    "pyndeval": [
        irm.alpha_DCG @ 5, irm.alpha_nDCG @ 5, irm.alpha_nDCG(alpha=0.3) @ 10, irm.alpha_nDCG(rel=2) @ 20,
        irm.ERR_IA @ 5, irm.ERR_IA(rel=2) @ 20, irm.nERR_IA @ 10, irm.NRBP, irm.NRBP(alpha=0.3, beta=0.7), irm.nNRBP,
        irm.nNRBP(rel=2), irm.AP_IA, irm.AP_IA(rel=2), irm.P_IA @ 5, irm.P_IA(rel=2) @ 10, irm.StRecall @ 5,
        irm.StRecall(rel=2) @ 10,
    ],
    "gdeval": [irm.nDCG(dcg="exp-log2") @ 5, irm.nDCG(dcg="exp-log2") @ 20, irm.ERR @ 5, irm.ERR @ 20],
}  # fmt: skip

CASES = [(provider, measure) for provider, measures in MEASURES.items() for measure in measures]


def collection(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Random queries with numbers for names, which gdeval insists on."""
    qrels, run = random_collection(seed, 40)
    return {q[1:]: docs for q, docs in qrels.items()}, {q[1:]: docs for q, docs in run.items() if q != "q7"}


def judged_by_subtopic(seed: int) -> list[Any]:
    """Judgments of the documents of `collection`, each for some subtopics."""
    rng = seeded(seed)
    return [
        irm.Qrel(str(query), f"d{doc}", rng.choice([0, 1, 1, 2]), str(subtopic))
        for query in range(40)
        for subtopic in range(rng.randint(1, 5))
        for doc in rng.sample(range(40), rng.randint(1, 12))
    ]


@pytest.mark.filterwarnings("ignore")  # the others' own
@pytest.mark.parametrize("seed", range(many(2, nightly=30)))
@pytest.mark.parametrize(("name", "measure"), CASES, ids=str)
def test_equal_to_its_own_providers(name: str, measure: Any, seed: int) -> None:
    provider = irm.providers.registry[name]
    if not provider.is_available():
        pytest.skip(f"provider {name} needs more: {provider.install_instructions()}")
    qrels: Any
    qrels, run = collection(seed)
    if name == "pyndeval":
        qrels = judged_by_subtopic(seed)
    if name == "accuracy":  # it divides by zero where no non-relevant document is retrieved
        run = {query: {"top": 1e6, **docs} for query, docs in run.items()}
    if name == "compat":  # its ideal ranking has documents that were not retrieved before those of negative scores
        run = {query: {doc: float(rank) for rank, doc in enumerate(docs, 1)} for query, docs in run.items()}
    theirs = by_query(provider.iter_calc([measure], qrels, run))
    ties = TIES[name]
    if ties == "ascending":
        ties, run = "given", {query: dict(sorted(docs.items())) for query, docs in run.items()}
    ours.install(prefer=True, ties=ties)
    assert isinstance(irm.evaluator([measure], qrels), ours.UntiedEvaluator)
    mine = by_query(irm.iter_calc([measure], qrels, run))
    for key, value in mine.items():
        # Undefined: accuracy leaves it out, pytrec_eval has NaN for IPrec of an empty ranking.
        if key not in theirs or math.isnan(theirs[key]):
            assert measure.NAME in ("Accuracy", "IPrec", "nNRBP")
            assert value == 0
        else:
            # gdeval prints five decimals.
            assert value == pytest.approx(theirs[key], abs=0.5001e-5 if name == "gdeval" else 1e-9), key
    assert set(theirs) <= set(mine)


def test_all_measures_of_ir_measures_are_compared() -> None:
    compared = {measure.NAME for measures in MEASURES.values() for measure in measures}
    names = {measure.NAME for name, measure in irm.measures.registry.items() if name not in ours.MEASURES}
    assert names == compared


def test_what_it_does_not_take_over() -> None:
    ours.install(prefer=True)
    for measure in (irm.RBP(p=0.9), irm.define(lambda qrels, run: [], "AP")):
        assert not ours.PROVIDER.supports(measure)


# ---------------------------------------------------------------------------------------------------------------------
# Where ir_measures' providers contradict each other


def test_contradiction_of_ties() -> None:
    """One call, one run of equal scores: RR says the relevant document is first, RR@10 says it is second."""
    qrels, run = {"q": {"b": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    assert irm.calc_aggregate([irm.RR, irm.RR @ 10], qrels, run) == {irm.RR: 1, irm.RR @ 10: 0.5}
    ours.install(prefer=True)
    assert irm.calc_aggregate([irm.RR, irm.RR @ 10], qrels, run) == {irm.RR: 1, irm.RR @ 10: 1}
    ours.install(prefer=True, ties="expected")
    assert irm.calc_aggregate([irm.RR, irm.RR @ 10], qrels, run) == {irm.RR: 0.75, irm.RR @ 10: 0.75}


def test_contradiction_of_precision() -> None:
    """pytrec_eval ties what is equal in 32 bits, msmarco does not."""
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.000000002, "b": 1.000000001}}
    assert irm.calc_aggregate([irm.RR, irm.RR @ 10], qrels, run) == {irm.RR: 0.5, irm.RR @ 10: 1}


@pytest.mark.filterwarnings("ignore")
def test_contradiction_of_average_precision() -> None:
    """cwl_eval divides by the relevant documents that were retrieved, pytrec_eval by all: untied has both."""
    if not irm.cwl_eval.is_available():
        pytest.skip("cwl-eval is not installed")
    qrels, run = {"q": {"a": 1, "x": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    assert irm.cwl_eval.calc_aggregate([irm.AP], qrels, run)[irm.AP] == 0.5
    assert irm.pytrec_eval.calc_aggregate([irm.AP], qrels, run)[irm.AP] == 0.25
    measures = [ours.untied_AP(recall_base="ranking"), ours.untied_AP]
    assert list(irm.calc_aggregate(measures, qrels, run).values()) in ([0.5, 0.25], [0.25, 0.5])
    assert irm.calc_aggregate(measures, qrels, run)[measures[0]] == 0.5


def test_contradiction_of_recall_levels() -> None:
    """IPrec at a level x with xR just above a whole number: pytrec_eval is content with one document less."""
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    measure = irm.IPrec @ 0.35  # 1.05 of 3 documents: one there, two here
    assert irm.calc_aggregate([measure], qrels, run) == {measure: 1}
    ours.install(prefer=True)
    assert irm.calc_aggregate([measure], qrels, run) == {measure: pytest.approx(2 / 3)}


def test_contradiction_of_ideal_rankings() -> None:
    """Compat is defined by the best ideal ranking; ir_measures' depends on whether scores are negative."""
    qrels = {"q": {"a": 1, "b": 1}}
    above, below = {"q": {"b": 3.0, "x": 2.0, "y": 1.0}}, {"q": {"b": -1.0, "x": -2.0, "y": -3.0}}
    low, high = (irm.calc_aggregate([irm.Compat], qrels, run)[irm.Compat] for run in (below, above))
    assert low < high
    ours.install(prefer=True)
    for run in (below, above):
        assert irm.calc_aggregate([irm.Compat], qrels, run)[irm.Compat] == pytest.approx(high, abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_contradiction_of_goal() -> None:
    """Gains of 2/3, 1 and 1/3 reach a goal of 2; cwl_eval adds them up as floats and misses it."""
    qrels, run = {"q": {"a": 2, "b": 3, "c": 1}}, {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    measure = irm.BPM(T=2.0, max_rel=3) @ 4
    assert irm.calc_aggregate([ours.untied_BPM(T=2.0, max_rel=3) @ 4], qrels, run).popitem()[1] == 2 / 3
    if not irm.cwl_eval.is_available():
        pytest.skip("cwl-eval is not installed")
    assert irm.cwl_eval.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(2 / 4)
    ours.install(prefer=True)
    assert irm.calc_aggregate([measure], qrels, run)[measure] == 2 / 3


def test_contradiction_of_judged() -> None:
    """Grade -1 is judged for Judged@k, and not judged for judged_only."""
    qrels, run = {"q": {"a": -1, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    assert irm.calc_aggregate([irm.Judged @ 1], qrels, run) == {irm.Judged @ 1: 1}
    assert irm.calc_aggregate([irm.RR(judged_only=True)], qrels, run) == {irm.RR(judged_only=True): 1}
    ours.install(prefer=True)
    assert irm.calc_aggregate([irm.Judged @ 1], qrels, run) == {irm.Judged @ 1: 1}
    assert irm.calc_aggregate([irm.RR(judged_only=True)], qrels, run) == {irm.RR(judged_only=True): 1}


def test_parameters_that_pyndeval_does_not_take() -> None:
    """A cutoff is optional in ir_measures' description, and judged_only allowed; the provider takes neither."""
    if not irm.pyndeval.is_available():
        pytest.skip("pyndeval is not installed")
    qrels = [irm.Qrel("q", "a", 1, "1"), irm.Qrel("q", "b", 1, "2")]
    run = {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    for measure, error in ((irm.alpha_nDCG, ValueError), (irm.alpha_nDCG(judged_only=True) @ 2, TypeError)):
        with pytest.raises(error):
            irm.pyndeval.calc_aggregate([measure], qrels, run)
        ours.install(prefer=True)
        assert 0 < irm.calc_aggregate([measure], qrels, run)[measure] <= 1
    assert irm.calc_aggregate([irm.alpha_nDCG(judged_only=True) @ 2], qrels, run)[
        irm.alpha_nDCG(judged_only=True) @ 2
    ] == pytest.approx(1)


def test_subtopics_in_every_shape() -> None:
    pandas = pytest.importorskip("pandas")
    judged = judged_by_subtopic(1)
    run = collection(1)[1]
    ours.install(prefer=True)
    measures = [irm.alpha_nDCG @ 10, ours.untied_alpha_nDCG(ideal="ndeval") @ 10, irm.AP]
    found = irm.calc_aggregate(measures, iter(judged), run)
    assert found[measures[0]] == pytest.approx(found[measures[1]], abs=1e-12)
    assert irm.calc_aggregate(measures, pandas.DataFrame(judged), run) == found
    # Other measures see the highest grade of a document.
    best: dict[str, dict[str, int]] = {}
    for query, doc, grade, _ in judged:
        documents = best.setdefault(query, {})
        documents[doc] = max(grade, documents.get(doc, grade))
    assert irm.calc_aggregate([irm.AP], best, run)[irm.AP] == pytest.approx(found[irm.AP], abs=1e-12)
    with pytest.raises(untied.UntiedError, match="twice in a subtopic"):
        irm.calc_aggregate(measures, [irm.Qrel("q", "a", 1, "1"), irm.Qrel("q", "a", 0, "1")], run)


def test_contradiction_of_undefined_values() -> None:
    """Accuracy is undefined where nothing relevant is retrieved: left out of the mean, but 0 beside another measure.

    untied, which computes both measures, always counts 0.
    """
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    run = {"q": {"a": 2.0, "b": 1.0}, "r": {"b": 1.0}}
    for retrieved in (run, {"q": run["q"]}):  # the relevant document is missing, or the query
        ours.uninstall()
        assert irm.calc_aggregate([irm.Accuracy], qrels, retrieved) == {irm.Accuracy: 1}
        assert irm.calc_aggregate([irm.Accuracy, irm.AP], qrels, retrieved) == {irm.Accuracy: 0.5, irm.AP: 0.5}
        ours.install(prefer=True)
        assert irm.calc_aggregate([irm.Accuracy], qrels, retrieved) == {irm.Accuracy: 0.5}
        assert irm.calc_aggregate([irm.Accuracy, irm.AP], qrels, retrieved) == {irm.Accuracy: 0.5, irm.AP: 0.5}
    ours.uninstall()
    measure = irm.IPrec(judged_only=True) @ 0.0
    found = irm.calc_aggregate([measure, irm.AP], qrels, run)
    assert math.isnan(found[measure])
    ours.install(prefer=True)
    assert irm.calc_aggregate([irm.Accuracy, measure], qrels, run) == {irm.Accuracy: 0.5, measure: 0.5}


def test_counts_of_queries_that_the_run_lacks() -> None:
    """ir_measures' NumQ and NumRel leave them out; untied's own count them."""
    assert irm.calc_aggregate([irm.NumQ, irm.NumRel], QRELS, RUN) == {irm.NumQ: 2, irm.NumRel: 3}
    ours.install(prefer=True)
    measures = [irm.NumQ, irm.NumRel, ours.untied_NumQ, ours.untied_NumRel]
    assert irm.calc_aggregate(measures, QRELS, RUN) == dict(zip(measures, (2, 3, 3, 4), strict=True))


# ---------------------------------------------------------------------------------------------------------------------
# From end to end


def test_a_script_gets_the_same_numbers_and_then_better_ones() -> None:
    """All measures at once, as in a script; then the same under the expectation over ties."""
    qrels, run = collection(11)
    script = [irm.AP, irm.nDCG @ 10, irm.RR, irm.P @ 10, irm.R @ 100, irm.Bpref, irm.Judged @ 10, irm.SetF]
    before = irm.calc_aggregate(script, qrels, run)
    ours.install(prefer=True)
    after = irm.calc_aggregate(script, qrels, run)
    assert {measure for measure in script if after[measure] != pytest.approx(before[measure], abs=1e-9)} <= {
        irm.Judged @ 10  # ascending ids there
    }
    ours.install(prefer=True, ties="expected")
    expected = irm.calc_aggregate(script, qrels, run)
    results = untied.evaluate(qrels, run, script)
    for measure in script:
        assert expected[measure] == pytest.approx(results[measure].mean, abs=1e-12)
    renamed = {query: {f"{int(doc[1:]):05}": score for doc, score in docs.items()} for query, docs in run.items()}
    judged = {query: {f"{int(doc[1:]):05}": grade for doc, grade in docs.items() if doc[0] == "d" and doc[1:].isdigit()}
              for query, docs in qrels.items()}  # fmt: skip
    plain = {query: {doc: grade for doc, grade in docs.items() if doc[0] == "d" and doc[1:].isdigit()}
             for query, docs in qrels.items()}  # fmt: skip
    assert irm.calc_aggregate(script, judged, renamed) == irm.calc_aggregate(script, plain, run)
