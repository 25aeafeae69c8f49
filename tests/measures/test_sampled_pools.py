"""Qrels of sampled pools and the measures that read them: inputs, NIST's values, orders that are too many to list."""

from __future__ import annotations

import importlib.util
import itertools
import math
import random
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import oracle
import untied
from nightly import seeded
from test_trec8 import DATA
from untied.cli import main

STRATIFIED: dict[str, Any] = {
    "q1": {"a": (1, 1), "b": (1, -1), "c": (1, 0), "d": (2, 2), "e": (2, -1)},
    "q2": {"a": (7, 0)},
}
STRATA_LINES = "q1 0 a 1 1\nq1 0 b 1 -1\nq1 0 c 1 0\nq2 0 a 7 0\nq1 0 d 2 2\nq1 0 e 2 -1\n"
PRELS: dict[str, Any] = {"q1": {"a": (1, 0.5), "c": (0, 1), "d": (2, 0.25)}, "q2": {"a": (0, 1)}}
PRELS_LINES = "q1 a 1 1 0.5\nq1 c 0 0 1\nq2 a 0 0 1\nq1 d 2 1 0.25\n"
RUN = {"q1": {"a": 3, "b": 2, "c": 2, "d": 1, "x": 0}, "q2": {"a": 1}}
FORMS = [
    ("stratified", STRATIFIED, STRATA_LINES, ["xinfAP", "infNDCG@3", "AP", "infAP", "nDCG"], 1),
    ("prels", PRELS, PRELS_LINES, ["statAP", "statAP(self_weight='ht')", "AP", "nDCG", "NumRel"], 0),
]
by_format = pytest.mark.parametrize(
    ("kind", "qrels", "lines", "names", "grade"), FORMS, ids=[form[0] for form in FORMS]
)
RANGE: dict[str, Any] = {"ties": "range", "variance": True}


def values(results: untied.Results) -> dict[tuple[str, str | None], list[float | None]]:
    found = {}
    for name, query in itertools.product(results.measures, ("q1", "q2", None)):
        value = results.value(name, query=query)
        found[name, query] = [value.mean, value.low, value.high, value.variance]
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Inputs


@by_format
def test_file_and_dict_are_the_same(
    tmp_path: Path, kind: str, qrels: Any, lines: str, names: list[str], grade: int
) -> None:
    path = tmp_path / "qrels"
    path.write_text(lines)
    expected = values(untied.evaluate(path, RUN, names, qrels_format=kind, **RANGE))
    assert expected[names[0], "q1"][0]
    assert values(untied.evaluate(qrels, RUN, names, qrels_format=kind, **RANGE)) == expected
    for read in (untied.read_qrels(path, format=kind), untied.Qrels(qrels, format=kind)):
        assert read.format == kind
        assert values(untied.evaluate(read, RUN, names, **RANGE)) == expected


@by_format
def test_other_measures_read_grades(
    tmp_path: Path, kind: str, qrels: Any, lines: str, names: list[str], grade: int
) -> None:
    plain = {query: {doc: pair[grade] for doc, pair in of.items()} for query, of in qrels.items()}
    assert dict(untied.Qrels(qrels, format=kind)["q1"]) == plain["q1"]
    names = ["AP", "nDCG", "infAP", "P@2", "NumRel", "NumNonrelJudgedRet", "AP(judged_only=True)"]
    expected = values(untied.evaluate(plain, RUN, names, **RANGE))
    assert values(untied.evaluate(qrels, RUN, names, qrels_format=kind, **RANGE)) == expected


@pytest.mark.parametrize(
    ("kind", "lines", "message"),
    [
        ("stratified", "q 0 a 1\n", r"line 1: expected 5 columns \(query 0 document stratum grade\), found 4"),
        (
            "stratified",
            "q 0 a 1 1\nq 0 b x 1\n",
            'line 2: expected a whole number of at least 0 as the stratum, found "x"',
        ),
        ("stratified", "q 0 a 1.5 1\n", "line 1: expected a whole number of at least 0 as the stratum"),
        ("stratified", "q 0 a -1 1\n", "line 1: expected a whole number of at least 0 as the stratum"),
        ("stratified", "q 0 a 1 nan\n", "line 1: expected a finite number as the grade"),
        ("stratified", "q 0 a 1 1\n\nq 0 a 2 1\n", 'line 3: expected one stratum .* "a" of query "q".* 1 in line 1'),
        ("stratified", "q 0 a 1 1\nq 0 a 1 0\n", "line 2: expected one grade for every document"),
        ("prels", "q a 1 1\n", r"line 1: expected 5 columns \(query document grade method probability\), found 4"),
        ("prels", "q a 1 1 1\nq b 0 1 0\n", 'line 2: expected a number above 0 and at most 1 as .* found "0"'),
        ("prels", "q a 1 1 1.01\n", "line 1: expected a number above 0 and at most 1 as the inclusion probability"),
        ("prels", "q a 1 1 nan\n", "line 1: expected a number above 0 and at most 1 as the inclusion probability"),
        ("prels", "q a 1 1 0.5\nq a 1 1 0.25\n", "line 2: expected one inclusion probability for every document"),
        ("prels", "q a 1 1 1\nq a 2 0 1\n", "line 2: expected one grade for every document"),
    ],
)
def test_malformed_files(tmp_path: Path, kind: str, lines: str, message: str) -> None:
    path = tmp_path / "qrels"
    path.write_text(lines)
    with pytest.raises(untied.InputError, match=message):
        untied.read_qrels(path, format=kind)


def test_repeated_judgments_count_once(tmp_path: Path) -> None:
    for kind, qrels, lines, names, _ in FORMS:
        (tmp_path / "qrels").write_text(lines + lines)
        repeated = untied.read_qrels(tmp_path / "qrels", format=kind)
        assert repeated.repeated == len(lines.splitlines())
        expected = values(untied.evaluate(qrels, RUN, names, qrels_format=kind, **RANGE))
        assert values(untied.evaluate(repeated, RUN, names, **RANGE)) == expected


def test_refused() -> None:
    plain = {"q1": {"a": 1}}
    with pytest.raises(untied.UntiedError, match="xinfAP needs strata"):
        untied.evaluate(plain, RUN, ["AP", "xinfAP"])
    with pytest.raises(untied.UntiedError, match="statAP needs inclusion probabilities"):
        untied.evaluate(STRATIFIED, RUN, ["statAP"], qrels_format="stratified")
    with pytest.raises(untied.UntiedError, match="have format 'prels', not 'stratified'"):
        untied.evaluate(untied.Qrels(PRELS, format="prels"), RUN, ["AP"], qrels_format="stratified")
    for qrels, kind, message in [
        (plain, "stratified", 'query "q1", document "a": expected a pair of numbers, found 1'),
        ({"q": {"a": (1, 2, 3)}}, "prels", "expected a pair of numbers"),
        (
            {"q": {"a": (1, 0)}},
            "prels",
            "expected a number above 0 and at most 1 as the inclusion probability, found 0",
        ),
        ({"q": {"a": (0.5, 1)}}, "stratified", "expected a whole number of at least 0 as the stratum, found 0.5"),
        ({"q": {"a": (1, math.inf)}}, "stratified", "expected a finite number as the grade, found inf"),
        (STRATIFIED, "trec", "expected a finite number as the grade"),
        (STRATIFIED, "other", "qrels format must be auto, .* mirex, preferences or probabilities, not 'other'"),
    ]:
        with pytest.raises(untied.UntiedError, match=message):
            untied.evaluate(qrels, RUN, ["AP"], qrels_format=kind)
    with pytest.raises(untied.UntiedError, match="bounds over unjudged documents are not known for xinfAP"):
        untied.evaluate(STRATIFIED, RUN, ["xinfAP"], qrels_format="stratified", unjudged="range")
    for name in ("xinfAP(prior=0.5)", "xinfAP(eps=-1)", "xinfAP(estimator='x')", "statAP(self_weight=1)", "statAP@5"):
        with pytest.raises(untied.MeasureError):
            untied.parse_measure(name)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.run").write_text("".join(f"q1 Q0 {doc} 0 {score} t\n" for doc, score in RUN["q1"].items()))
    (tmp_path / "qrels").write_text(PRELS_LINES)
    arguments = ["eval", str(tmp_path / "qrels"), str(tmp_path / "a.run"), "-m", "statAP", "--format", "tsv", "-q"]
    assert main([*arguments, "--qrels-format", "prels"]) == 0
    assert "a\tq1\tstatAP\t0.8333\n" in capsys.readouterr().out  # (2 (1/1) + 4 (1 + 2) / 4) / 6
    assert main(arguments) == 2
    assert "expected 4 columns" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------------------------------
# Values


def test_prior_of_sample_eval() -> None:
    """2 is not the default there, so it must not be taken for it."""
    names = ["xinfAP(estimator='sample_eval')", "xinfAP(estimator='sample_eval', prior=2)", "xinfAP"]
    qrels = {"q": {"x": (1, -1), "a": (1, 1), "b": (1, 0)}}
    results = untied.evaluate(qrels, {"q": [["x"], ["a"]]}, names, qrels_format="stratified")
    found = [results.value(name).mean for name in names]
    assert found == pytest.approx([(1 + 1 / 3) / 2, (1 + 1 / 2) / 2, (1 + 1 / 2) / 2])


@pytest.mark.skipif(not DATA.is_dir(), reason="no TREC data (set UNTIED_SHARED to the folder that holds data/)")
def test_sample_eval_on_trecvid() -> None:
    """NIST's sample_eval.pl, TRECVID AVS 2021: 20 topics, both measures."""
    folder = DATA / "stratified"
    names = {"infAP": "xinfAP(estimator='sample_eval')", "infNDCG": "infNDCG(estimator='sample_eval')"}
    qrels, run = folder / "avs21.qrels.xz", folder / "test_run.xz"
    results = untied.evaluate(qrels, run, list(names.values()), qrels_format="stratified", ties="range")
    compared = 0
    for line in (folder / "sample_eval.expected.txt").read_text().splitlines():
        name, query, expected = line.split()
        if name in names:
            found = results.value(names[name], query=None if query == "all" else query)
            assert found.mean == pytest.approx(float(expected), abs=0.5e-4 + 1e-9), line
            assert found.low == found.mean == found.high
            compared += query != "all"
    assert compared == 40


def test_one_stratum_is_inf_ap() -> None:
    chance = seeded(5)
    docs = [f"d{i}" for i in range(30)]
    for _ in range(40):
        grades = {doc: chance.choice([1, 0, -1]) for doc in docs if chance.random() < 0.8} | {"u": 1}
        groups: list[list[str]] = []
        for doc in docs:
            groups.append([doc]) if chance.random() < 0.5 or not groups else groups[-1].append(doc)
        plain = untied.evaluate({"q": grades}, {"q": groups}, ["infAP"], **RANGE).value("infAP")
        one = {"q": {doc: (3, grade) for doc, grade in grades.items()}}
        found = untied.evaluate(one, {"q": groups}, ["xinfAP"], qrels_format="stratified", **RANGE).value("xinfAP")
        assert found.mean == pytest.approx(plain.mean, rel=1e-12)
        assert (found.low, found.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
        assert found.variance == pytest.approx(plain.variance, rel=1e-9, abs=1e-20)


def test_everything_judged_is_ap() -> None:
    """With all of the pool judged xinfAP is AP but for eps, infNDCG is nDCG, and statAP with certain inclusion AP."""
    chance = seeded(6)
    docs = [f"d{i}" for i in range(25)]
    grades = {doc: chance.choice([2, 1, 0, 0]) for doc in docs[:20]}
    run = {"q": [docs[3:9], docs[:3], docs[9:25]]}
    plain = untied.evaluate({"q": grades}, run, ["AP", "nDCG@7"], **RANGE)
    strata = {"q": {doc: (chance.choice([1, 2]), grade) for doc, grade in grades.items()}}
    found = untied.evaluate(strata, run, ["xinfAP(eps=0)", "infNDCG@7"], qrels_format="stratified", **RANGE)
    certain = untied.evaluate(
        {"q": {doc: (g, 1) for doc, g in grades.items()}}, run, ["statAP"], qrels_format="prels", **RANGE
    )
    for other, name, one in [
        (found.value("xinfAP(eps=0)"), "AP", plain),
        (found.value("infNDCG@7"), "nDCG@7", plain),
        (certain.value("statAP"), "AP", plain),
    ]:
        value = one.value(name)
        assert (other.mean, other.low, other.high) == pytest.approx((value.mean, value.low, value.high), rel=1e-12)
        assert other.variance == pytest.approx(value.variance, rel=1e-9)


def test_orders_that_are_too_many() -> None:
    """Means of large groups lie where random orders say; bounds enclose, and say so; what is not known is left out."""
    chance = random.Random(1)
    docs = [f"d{i}" for i in range(150)]
    run = {doc: float(i < 30) for i, doc in enumerate(docs)}
    strata: Any = {doc: (chance.randint(1, 4), chance.choice([1, 0, -1])) for doc in docs[:120]}
    prels: Any = {doc: (chance.choice([1, 0]), chance.uniform(0.1, 1)) for doc in docs[:120]}
    for qrels, kind, name, certainty, known in [
        (strata, "stratified", "xinfAP", "interval", False),
        (strata, "stratified", "infNDCG@40", "exact", True),
        (prels, "prels", "statAP", "exact", False),
        (prels, "prels", "statAP(self_weight='ht')", "exact", False),
    ]:
        tied = untied.evaluate({"q": qrels}, {"q": run}, [name], qrels_format=kind, **RANGE).value(name, query="q")
        assert (tied.certainty, tied.variance is not None) == (certainty, known)
        judged = untied.Qrels({"q": qrels}, format=kind)
        evaluator, drawn = untied.Evaluator(judged, [name], ties="given"), []
        for _ in range(400):
            order = sorted(docs, key=lambda doc: (-run[doc], chance.random()))
            drawn.append(evaluator.means({"q": order})[name])
        mean = sum(drawn) / len(drawn)
        error = math.sqrt(sum((value - mean) ** 2 for value in drawn)) / len(drawn)
        assert abs(mean - tied.mean) <= 5 * error, name
        assert tied.low <= min(drawn) <= max(drawn) <= tied.high, name


def test_stat_ap_over_all_samples() -> None:
    """Over all samples of independently included documents the sum of statAP has the mean of AP's; the ratio not."""
    order, relevant = ["r1", "x", "r2", "r3"], ["r1", "r2", "r3"]
    probability = {"r1": Fraction(1), "x": Fraction(1, 4), "r2": Fraction(1, 2), "r3": Fraction(3, 4)}
    sums = {"one": Fraction(0), "ht": Fraction(0)}
    for kept in itertools.product([True, False], repeat=4):
        chance = math.prod(
            (probability[doc] if keep else 1 - probability[doc] for doc, keep in zip(order, kept, strict=True)),
            start=Fraction(1),
        )
        sample = {
            doc: (int(doc in relevant), float(probability[doc])) for doc, keep in zip(order, kept, strict=True) if keep
        }
        if not chance:
            continue
        total = sum((1 / probability[doc] for doc in sample if doc in relevant), Fraction(0))
        for weight in sums:
            name = f"statAP(self_weight='{weight}')"
            found = untied.evaluate({"q": sample}, {"q": order}, [name], qrels_format="prels", ties="given")
            sums[weight] += chance * total * Fraction(found.value(name).mean)
    ap = oracle.MEASURES["AP"](order, dict.fromkeys(relevant, 1))
    assert ap is not None
    assert float(sums["one"]) == pytest.approx(float(3 * ap), rel=1e-12)
    assert sums["ht"] > 3 * ap * Fraction(11, 10)


@pytest.mark.skipif(not DATA.is_dir(), reason="no MQ2008 data (set UNTIED_SHARED to the folder that holds data/)")
def test_study_of_stat_ap() -> None:
    """A few samples of the study: the sum is unbiased, the quotients are not."""
    path = Path(__file__).parents[2] / "examples" / "studies" / "statap_bias.py"
    spec = importlib.util.spec_from_file_location("statap_bias", path)
    assert spec is not None
    assert spec.loader is not None
    study = sys.modules["statap_bias"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(study)
    found = study.simulate(study.read(DATA / "mq2008", feature=40, queries=150), draws=20, floor=0.2)
    assert found.queries == 150
    assert abs(found.numerator.mean - found.truth) < 4 * found.numerator.error < 0.2
    assert found.ratio.mean < found.truth - 4 * found.ratio.error
    assert found.ratio_ht.mean > found.truth + 4 * found.ratio_ht.error
