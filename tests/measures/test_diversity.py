"""Qrels by subtopic and the measures that read them: inputs, ndeval's values, and orders that are too many to try."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from pathlib import Path
from typing import Any

import pyndeval
import pytest

import untied
from nightly import many, seeded
from untied.cli import main

QRELS: dict[str, Any] = {
    "q1": {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "d": 1}, "3": {"b": 0, "e": -1}},
    "q2": {"1": {"a": 0}},
}
LINES = "q1 1 a 1\nq1 2 a 1\nq1 1 b 0\nq1 3 b 0\nq1 1 c 2\nq2 1 a 0\nq1 2 d 1\nq1 3 e -1\n"
RUN = {"q1": {"a": 3, "b": 2, "c": 2, "d": 1, "x": 0}, "q2": {"a": 1}}
MEASURES = ["alpha_nDCG@3", "StRecall@2", "AP_IA", "AP", "nDCG@3", "NumRel"]

NDEVAL = {
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "P-IA": "P_IA",
    "strec": "StRecall",
}


def values(results: untied.Results) -> dict[str, list[float | None]]:
    return {
        name: [number for query in ("q1", "q2", None) for number in vars_of(results.value(name, query=query))]
        for name in results.measures
    }


def vars_of(value: untied.Value) -> list[float | None]:
    return [value.mean, value.low, value.high, value.variance]


# ---------------------------------------------------------------------------------------------------------------------
# Inputs


def test_file_and_dict_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text(LINES)
    options: dict[str, Any] = {"ties": "range", "variance": True}
    expected = values(untied.evaluate(QRELS, RUN, MEASURES, **options))
    assert values(untied.evaluate(path, RUN, MEASURES, qrels_format="subtopics", **options)) == expected
    assert values(untied.evaluate(QRELS, RUN, MEASURES, qrels_format="subtopics", **options)) == expected
    for qrels in (
        untied.read_qrels(path, format="subtopics"),
        untied.Qrels(path, format="subtopics"),
        untied.Qrels(QRELS),
    ):
        assert values(untied.evaluate(qrels, RUN, MEASURES, **options)) == expected


def test_other_measures_read_the_highest_grade() -> None:
    highest = {"q1": {"a": 1, "b": 0, "c": 2, "d": 1, "e": -1}, "q2": {"a": 0}}
    names = ["AP", "nDCG", "P@2", "NumRel", "NumNonrelJudgedRet", "AP(judged_only=True)"]
    options: dict[str, Any] = {"ties": "range", "variance": True}
    assert dict(untied.Qrels(QRELS)["q1"]) == highest["q1"]
    expected = values(untied.evaluate(highest, RUN, names, **options))
    assert values(untied.evaluate(QRELS, RUN, names, **options)) == expected


def test_by_hand() -> None:
    """Subtopic 3 has no relevant document; 1 has a and c, 2 has a and d."""
    results = untied.evaluate(QRELS, RUN, ["StRecall@1", "P_IA@2", "AP_IA", "alpha_DCG@2", "AP_IA(rel=2)"])
    found = {name: results.value(name, query="q1").mean for name in results.measures}
    assert found["StRecall@1"] == 1
    assert found["P_IA@2"] == pytest.approx((2 + 0.5) / 4)  # b or c is second
    assert found["AP_IA"] == pytest.approx(((1 + (1 + 2 / 3) / 2) / 2 + (1 + 2 / 4) / 2) / 2)
    second = 1 / math.log2(3)
    assert found["alpha_DCG@2"] == pytest.approx((2 + 0.25 * second) / (2 * (1 + 0.5 * second)))
    assert found["AP_IA(rel=2)"] == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert results.value("AP_IA", query="q2").mean == 0


def test_repeated_judgments_count_once(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text(LINES + "q1 2 d 1\n")
    qrels = untied.read_qrels(path, format="subtopics")
    assert qrels.repeated == 1
    assert values(untied.evaluate(qrels, RUN, MEASURES)) == values(untied.evaluate(QRELS, RUN, MEASURES))


def test_contradiction(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text(LINES + "q1 2 d 0\n")
    with pytest.raises(untied.InputError, match=r'line 9: .* one grade .*"d" of query "q1 2".* line 7'):
        untied.read_qrels(path, format="subtopics")


def test_refused(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("q1 0 a 1\n")
    plain = {"q1": {"a": 1}}
    with pytest.raises(untied.UntiedError, match="alpha_nDCG@10 needs judgments by subtopic"):
        untied.evaluate(plain, RUN, ["AP", "alpha_nDCG@10"])
    with pytest.raises(untied.UntiedError, match="have format 'trec', not 'subtopics'"):
        untied.evaluate(plain, RUN, ["AP"], qrels_format="subtopics")
    for qrels in (path, QRELS):
        with pytest.raises(
            untied.UntiedError, match="stratified, prels, groups, mirex, preferences or probabilities, not 'diversity'"
        ):
            untied.evaluate(qrels, RUN, ["AP"], qrels_format="diversity")
    with pytest.raises(untied.UntiedError, match='must not contain blanks, found "1 2"'):
        untied.Qrels({"q1": {"1 2": {"a": 1}}})
    with pytest.raises(TypeError, match=r"qrels\['q1'\]\['2'\] must be a mapping"):
        untied.Qrels({"q1": {"1": {"a": 1}, "2": 1}})
    with pytest.raises(untied.UntiedError, match="bounds over unjudged documents are not known for StRecall"):
        untied.evaluate(QRELS, RUN, ["StRecall@2"], unjudged="range")
    for name in ("alpha_DCG(alpha=1.5)", "NRBP(beta=1)", "NRBP@10", "alpha_DCG(alpha=0)@1000000000"):
        with pytest.raises(untied.MeasureError):
            untied.parse_measure(name)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text(LINES)
    (tmp_path / "a.run").write_text("".join(f"q1 Q0 {doc} 0 {score} t\n" for doc, score in RUN["q1"].items()))
    arguments = ["eval", str(tmp_path / "qrels"), str(tmp_path / "a.run"), "-m", "P_IA@2", "--format", "tsv"]
    assert main([*arguments, "-q", "--qrels-format", "subtopics"]) == 0
    assert "a\tq1\tP_IA@2\t0.6250\n" in capsys.readouterr().out
    assert main(arguments) == 2
    assert "P_IA@2 needs judgments by subtopic" in capsys.readouterr().err


def test_bounds_that_need_not_be_reached_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = [f"d{i}" for i in range(40)]
    lines = [f"q {subtopic} {doc} 1\n" for subtopic in range(3) for doc in docs[subtopic * 5 : subtopic * 5 + 8]]
    (tmp_path / "qrels").write_text("".join(lines))
    (tmp_path / "a.run").write_text("".join(f"q Q0 {doc} 0 1 t\n" for doc in docs))
    arguments = ["eval", str(tmp_path / "qrels"), str(tmp_path / "a.run"), "--qrels-format", "subtopics"]
    note = "note: values whose printed range may be wider than any order of tied documents can reach: 1\n"
    for ties, told in [("range", True), ("best", True), ("expected", False), ("docid", False)]:
        assert main([*arguments, "-m", "ERR_IA@5", "-m", "P_IA@5", "--ties", ties]) == 0
        assert (note in capsys.readouterr().err) == told


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("alpha-nDCG@10", "alpha_nDCG@10"),
        ("α_nDCG(alpha=0.3)@10", "alpha_nDCG(alpha=0.3)@10"),
        ("ERR-IA@20", "ERR_IA@20"),
        ("MAP-IA", "AP_IA"),
        ("strec_10", "StRecall@10"),
        ("P-IA@5", "P_IA@5"),
    ],
)
def test_names_of_ndeval_and_ir_measures(text: str, name: str) -> None:
    assert str(untied.parse_measure(text)) == name


# ---------------------------------------------------------------------------------------------------------------------
# Values


@pytest.mark.parametrize("seed", range(many(60, nightly=1500)))
@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # random judgments may have nothing relevant
def test_ndeval(seed: int) -> None:
    """Without ties, every value is ndeval's. At rank 1 it forgets to normalise ERR-IA and alpha-DCG."""
    chance = seeded(seed)
    alpha, beta, rel = (
        chance.choice([0, 0.25, 0.3, 0.5, 0.75, 1]),
        chance.choice([0.25, 0.5, 0.8]),
        chance.choice([1, 2]),
    )
    docs = [f"d{i}" for i in range(chance.randint(3, 30))]
    qrels: dict[str, dict[str, int]] = {"0": {"judged": 0}}
    for subtopic in range(chance.randint(1, 5)):
        chosen = {doc: chance.choice([0, 0, 1, 2]) for doc in docs if chance.random() < 0.5}
        qrels.setdefault(str(subtopic), {}).update(chosen)
    retrieved = chance.sample(docs, chance.randint(1, len(docs))) + [f"u{i}" for i in range(5)]
    run = {doc: chance.random() for doc in retrieved}
    names = [f"{name}@{k}" for name in NDEVAL for k in (1, 2, 3, 5, 10, 20)] + ["NRBP", "nNRBP", "MAP-IA"]
    rows = [("q", subtopic, doc, grade) for subtopic, grades in qrels.items() for doc, grade in grades.items()]
    peer = pyndeval.RelevanceEvaluator(rows, names, relevance_level=rel, alpha=alpha, beta=beta)
    expected = peer.evaluate([("q", doc, score) for doc, score in run.items()])["q"]
    for name, value in expected.items():
        of_all = name.startswith(("ERR-IA@1", "alpha-DCG@1")) and name.endswith("@1")
        if ("ERR" in name and alpha != 0.5) or math.isnan(value):
            continue  # ir_measures' ERR-IA has no alpha; nNRBP where nothing is relevant is 0 / 0
        measure = untied.parse_measure(name)(rel=rel)
        measure = measure(alpha=alpha) if "alpha" in name or "NRBP" in name else measure
        measure = measure(beta=beta) if "NRBP" in name else measure
        measure = measure(ideal="ndeval") if name.startswith(("n", "alpha-n")) else measure
        found = untied.evaluate({"q": qrels}, {"q": run}, [measure]).value(str(measure), query="q").mean
        relevant = sum(any(grade >= rel for grade in grades.values()) for grades in qrels.values())
        assert found == pytest.approx(value / max(relevant, 1) if of_all else value, abs=1e-12), name


@pytest.mark.parametrize("name", ["alpha_nDCG@9", "alpha_nDCG", "nERR_IA@9", "nNRBP"])
def test_names_of_documents_make_no_difference_to_the_ideal(name: str) -> None:
    """Three documents have the largest gain at first, and what is best depends on which of them comes first."""
    found = {}
    for ideal in ("best", "ndeval"):
        measure = untied.parse_measure(name)(ideal=ideal)
        values = set()
        for a, b, c in itertools.permutations(["d1", "d3", "d4"]):
            qrels = {"0": {a: 1, c: 1}, "1": {a: 1}, "2": {b: 1, c: 1}, "3": {b: 1}}
            values.add(untied.evaluate({"q": qrels}, {"q": ["y", [a, b, c]]}, [measure]).value(measure).mean)
        found[ideal] = values
    assert len(found["best"]) == 1
    assert len(found["ndeval"]) > 1
    assert found["best"] == {min(found["ndeval"])}


def test_ideal_of_many_documents_is_found_in_time_whatever_they_are_called() -> None:
    chance = random.Random(4)
    docs = [f"d{i}" for i in range(300)]
    qrels = {str(subtopic): dict.fromkeys(chance.sample(docs, 90), 1) for subtopic in range(8)}
    names = ["alpha_nDCG@20", "alpha_nDCG", "nERR_IA@20", "nNRBP"]
    renamed = dict(zip(docs, chance.sample(docs, len(docs)), strict=True))
    again = {subtopic: {renamed[doc]: grade for doc, grade in grades.items()} for subtopic, grades in qrels.items()}
    run = chance.sample(docs, 100)
    one = untied.evaluate({"q": qrels}, {"q": run}, names)
    other = untied.evaluate({"q": again}, {"q": [renamed[doc] for doc in run]}, names)
    greedy = untied.evaluate({"q": qrels}, {"q": run}, [untied.parse_measure(name)(ideal="ndeval") for name in names])
    for name, by_greedy in zip(names, greedy.measures, strict=True):
        assert one.value(name).mean == other.value(name).mean
        assert one.value(name).mean <= greedy.value(by_greedy).mean * (1 + 1e-12) or name == "alpha_nDCG"


def test_orders_that_are_too_many() -> None:
    """The mean is exact, lowest and highest value enclose those of all orders, the variance is not known."""
    chance = random.Random(1)
    docs = [f"d{i}" for i in range(60)]
    qrels = {str(subtopic): dict.fromkeys(chance.sample(docs, 12), 1) for subtopic in range(4)}
    names = ["alpha_nDCG@10", "nERR_IA@10", "nNRBP", "AP_IA", "StRecall@5", "P_IA@10"]
    run = {doc: float(i < 15) for i, doc in enumerate(docs)}
    results = untied.evaluate({"q": qrels}, {"q": run}, names, ties="range", variance=True)
    tied = {name: results.value(name, query="q") for name in names}
    sums = dict.fromkeys(names, 0.0)
    squares = dict.fromkeys(names, 0.0)
    drawn = 3000
    evaluator = untied.Evaluator({"q": qrels}, names, ties="given")
    for _ in range(drawn):
        order = sorted(docs, key=lambda doc: (-run[doc], chance.random()))
        for name, value in evaluator.means({"q": order}).items():
            assert tied[name].low - 1e-12 <= value <= tied[name].high + 1e-12  # type: ignore[operator]
            sums[name] += value
            squares[name] += value * value
    for name, value in tied.items():
        mean = sums[name] / drawn
        error = math.sqrt((squares[name] / drawn - mean * mean) / drawn)
        assert abs(value.mean - mean) <= 5 * error, name
        assert (value.certainty, value.variance is None) == (
            ("exact", False) if name == "P_IA@10" else ("interval", True)
        )


def test_nested_subtopics_have_one_best_order() -> None:
    """However many orders there are: 20 documents are relevant to 1, half of these to 2 too, half of these to 3."""
    docs = [f"d{i}" for i in range(100)]
    qrels = {"1": dict.fromkeys(docs[:20], 1), "2": dict.fromkeys(docs[:10], 1), "3": dict.fromkeys(docs[:5], 1)}
    names = ["alpha_DCG@10", "ERR_IA@10", "NRBP", "AP_IA", "StRecall@5"]
    tied = untied.evaluate({"q": qrels}, {"q": [docs]}, names, ties="range")
    best = untied.evaluate({"q": qrels}, {"q": docs}, names, ties="given")
    worst = untied.evaluate({"q": qrels}, {"q": docs[::-1]}, names, ties="given")
    for name in names:
        value = tied.value(name, query="q")
        assert value.certainty == "exact"
        assert value.high == pytest.approx(best.value(name, query="q").mean, abs=1e-14)
        assert value.low == pytest.approx(worst.value(name, query="q").mean, abs=1e-14)


def test_without_alpha_each_document_is_worth_its_number_of_subtopics() -> None:
    qrels = untied.Qrels({"q": {"1": {"a": 1, "b": 1}, "2": {"a": 1, "c": 1}}}, format="subtopics")
    name = "alpha_DCG(alpha=0)@3"
    found = untied.evaluate(qrels, {"q": [["a", "b", "c", "d"]]}, name, variance=True).value(name, query="q")
    sums = [
        sum(worth / math.log2(rank + 1) for rank, worth in enumerate(order[:3], 1))
        for order in itertools.permutations((2, 1, 1, 0))
    ]
    factor = found.mean / statistics.mean(sums)
    assert found.variance == pytest.approx(factor**2 * statistics.pvariance(sums))
