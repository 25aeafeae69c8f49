"""Verdicts from a random sample of judgments: limits against enumeration, coverage, refusals."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product
from math import comb, log
from pathlib import Path
from typing import Any

import pytest

import untied
from nightly import many, seeded
from untied.cli import main
from untied.errors import MeasureError, UntiedError
from untied.judging import sample
from untied.verdicts import from_sample
from untied.verdicts.hypergeometric import at_least, at_most, cost, least_product, least_sum, tail
from untied.verdicts.weights import of_ranking, steps


def so_few(found: int, size: int, drawn: int, relevant: int) -> Fraction:
    """P(X <= found) by counting samples of a population in which the first documents are relevant."""
    samples = combinations(range(size), drawn)
    return Fraction(sum(sum(doc < relevant for doc in sample) <= found for sample in samples), comb(size, drawn))


def test_probabilities_are_those_of_all_samples() -> None:
    for size in range(1, 9):
        for drawn in range(size + 1):
            for found in range(drawn + 1):
                possible = range(found, size - drawn + found + 1)
                few = [float(so_few(found, size, drawn, one)) for one in possible]
                many_ = [float(1 - so_few(found - 1, size, drawn, one)) for one in possible]
                assert list(at_most(size, drawn, found)) == pytest.approx(few, abs=1e-15)
                assert list(at_least(size, drawn, found)) == pytest.approx(many_, abs=1e-15)
                if 2 * drawn - size <= found:
                    few_here, many_here = so_few(found, size, drawn, drawn), 1 - so_few(found - 1, size, drawn, drawn)
                    side = few_here if found * size <= drawn * drawn else many_here
                    assert tail(size, drawn, drawn, found) == pytest.approx(float(side), rel=1e-9)


def test_probabilities_of_large_populations() -> None:
    def exact(relevant: int) -> float:
        total = sum(comb(relevant, i) * comb(10_000 - relevant, 1_000 - i) for i in range(41))
        return total / comb(10_000, 1_000)

    found = at_most(10_000, 1_000, 40)
    assert len(found) == 9_001
    assert [found[relevant - 40] for relevant in (40, 300, 560, 700)] == [exact(n) for n in (40, 300, 560, 700)]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_products_of_p_values_are_as_improbable(count: int) -> None:
    chance, draws = random.Random(count), 20_000
    least = least_product(count, 0.1)
    below = sum(sum(-log(1 - chance.random()) for _ in range(count)) >= least for _ in range(draws))
    assert below / draws == pytest.approx(0.1, abs=0.008)
    assert least_product(1, 0.1) == pytest.approx(-log(0.1))


@pytest.mark.parametrize("seed", range(8))
def test_least_sums_are_below_the_best_combination_and_close(seed: int) -> None:
    chance = random.Random(seed)
    populations = []
    for _ in range(chance.randint(1, 3)):
        size = chance.randint(3, 12)
        drawn = chance.randint(1, size - 1)
        found = chance.randint(0, drawn)
        weights = sorted(chance.random() for _ in range(size - drawn))
        sums = [sum(weights[:n]) for n in range(size - drawn + 1)]
        populations.append(list(zip(sums, map(cost, at_least(size, drawn, found)), strict=True)))
    most = least_product(len(populations), 0.2)
    best = min(sum(add for add, _ in one) for one in product(*populations) if sum(c for _, c in one) <= most)
    found = least_sum(populations, 0.2)
    assert found <= best + 1e-9
    assert found >= best - max(add for one in populations for add, _ in one)
    assert least_sum([], 0.2) == 0


@pytest.mark.parametrize(
    "measure", ["P@3", "P(rel=2)@2", "Hits@4", "RBP(p=0.5)@3", "DCG@4", "DCG(gain='exp2', discount='inverse')"]
)
@pytest.mark.parametrize("seed", range(3))
def test_values_are_sums_of_weights(measure: str, seed: int) -> None:
    """What documents add is what the measure says of the whole ranking, with ties and grades."""
    chance = seeded(f"{measure} {seed}")
    run = {"q": {f"d{n}": float(chance.randrange(3)) for n in range(6)}}
    grades = {f"d{n}": chance.choice([0, 1, 2]) for n in range(8)} | {"d0": 2, "d1": 1}
    asked = untied.parse_measure(measure)
    worth = steps(asked, [1, 2], 6)
    for one_order, ties in ((False, "expected"), (True, "docid")):
        adds = of_ranking(untied.Run(run), "q", grades, worth, one_order=one_order)
        total = sum(sum(of[: int(grades[document])]) for document, of in adds.items())
        assert total == pytest.approx(untied.evaluate({"q": grades}, run, measure, ties=ties)[measure].mean, abs=1e-12)


def collection(
    seed: str, queries: int = 12, docs: int = 10
) -> tuple[dict[str, dict[str, int]], list[dict[str, list[str]]]]:
    """Full judgments of a pool, and two runs, the first of which is somewhat better."""
    chance = seeded(seed)
    qrels, better, worse = {}, {}, {}
    for number in range(queries):
        grades = {f"d{n}": int(chance.random() < 0.4) + (chance.random() < 0.1) for n in range(docs)}
        order = sorted(grades, key=lambda doc, of=grades: of[doc] + 1.5 * chance.random(), reverse=True)
        qrels[f"q{number}"] = grades
        better[f"q{number}"], worse[f"q{number}"] = order, chance.sample(sorted(grades), docs)
    return qrels, [better, worse]


@pytest.mark.parametrize("measure", ["P@4", "DCG@4", "RBP(p=0.75)@5"])
def test_intervals_hold_with_their_confidence(measure: str) -> None:
    """At 60 % of confidence, where a wrong method would show, in samples of random collections."""
    missed = total = 0
    for trial in range(many(60)):
        chance = random.Random(trial)
        qrels, runs = collection(f"cover {trial % 10}")
        part = {q: {d: g if chance.random() < 0.4 else -1 for d, g in of.items()} for q, of in qrels.items()}
        named = dict(zip("ab", runs, strict=True))
        row = from_sample(part, named, measure, grades=(0, 1, 2), level=0.6).to_dicts()[0]
        found = untied.evaluate(qrels, named, measure)
        truth = found["a", measure].mean - found["b", measure].mean
        missed += not row["low"] - 1e-9 <= truth <= row["high"] + 1e-9
        assert row["low"] <= row["high"]
        expected = "A (60 %)" if row["low"] > 1e-9 else "B (60 %)" if row["high"] < -1e-9 else "open"
        assert row["verdict"] == expected
        total += 1
    assert missed <= 0.4 * total


def test_full_judgments_leave_nothing_open_but_the_pool() -> None:
    qrels, runs = collection("full")
    qrels["q0"]["off"] = -1
    named = dict(zip("ab", runs, strict=True))
    rows = from_sample(qrels, named, ["P@4", "DCG@4"], grades=(0, 1, 2)).to_dicts()
    found = untied.evaluate(qrels, named, ["P@4", "DCG@4"])
    for row in rows:
        difference = found["a", row["measure"]].mean - found["b", row["measure"]].mean
        assert (row["low"], row["high"]) == (pytest.approx(difference), pytest.approx(difference))


def test_correction_widens() -> None:
    qrels, runs = collection("correct", 30)
    chance = random.Random(2)
    part = {q: {d: g if chance.random() < 0.5 else -1 for d, g in of.items()} for q, of in qrels.items()}
    named = {"a": runs[0], "b": runs[1], "c": {q: list(reversed(of)) for q, of in runs[0].items()}}
    one, corrected, alone = (
        from_sample(part, some, "P@4", correction=how).to_dicts()
        for some, how in ((named, "none"), (named, "bonferroni"), ({n: named[n] for n in "ab"}, "bonferroni"))
    )
    assert one[0] == alone[0]  # a single pair needs no correction
    assert all(x["high"] - x["low"] < y["high"] - y["low"] for x, y in zip(one, corrected, strict=True))
    assert {row["verdict"] for row in one} <= {"A (95 %)", "B (95 %)", "open"}


@pytest.mark.filterwarnings("ignore:nothing is relevant:untied.UntiedWarning")
def test_an_unjudged_document_can_be_relevant_if_no_judged_one_is() -> None:
    """Nothing judged is relevant, so nothing is known of the other documents."""
    for measure, grade in (("P@1", 0), ("DCG@1", 0), ("P(rel=2)@1", 1)):
        qrels = {f"q{n}": {"x": -1, "y": grade, "z": -1} for n in range(8)}
        runs = {"a": {q: ["x"] for q in qrels}, "b": {q: ["z"] for q in qrels}}
        scale = (0, 1) if measure == "DCG@1" else None
        [row] = from_sample(qrels, runs, measure, grades=scale).to_dicts()
        assert (row["low"], row["high"], row["verdict"]) == (-1, 1, "open")
        certain = untied.certify(qrels, runs, measure)["a", "b"][measure]
        assert (certain.low, certain.high) == (row["low"], row["high"])


def test_samples_that_are_not_drawn_again_hold_with_their_confidence() -> None:
    """Relevant documents of ``a`` are the only one of their query: samples drawn for a relevant one favour ``a``."""
    qrels = {f"few{n}": {f"d{i}": int(i == 0) for i in range(10)} for n in range(40)}
    qrels |= {f"many{n}": {f"d{i}": int(i < 10) for i in range(60)} for n in range(6)}
    found, missed = [f"d{i}" for i in range(10)], [f"x{i}" for i in range(10)]
    runs = {
        "a": {query: found if query.startswith("few") else missed for query in qrels},
        "b": {query: missed if query.startswith("few") else found for query in qrels},
    }  # a finds 40 relevant documents, b finds 60

    def wrong(rel: float | None) -> int:
        samples = [sample.judgments(qrels, 0.3, seed=seed, rel=rel) for seed in range(12)]
        return sum(from_sample(one, runs, "P@10").to_dicts()[0]["verdict"] == "A (95 %)" for one in samples)

    assert wrong(None) == 0
    assert wrong(1) > 6


def test_a_grade_that_the_sample_misses_breaks_no_confidence() -> None:
    """Run b finds the twelve documents of grade 3, each worth seven others; a sample may have none of them."""
    chance = seeded("missed grade")
    qrels = {f"q{n}": {f"d{i}": int(i < 5 and chance.random() < 0.1) for i in range(20)} for n in range(150)}
    for n in range(12):
        qrels[f"q{n}"]["d5"] = 3
    runs = {
        "a": {query: [f"d{i}" for i in range(5)] for query in qrels},
        "b": {query: ["d5", "x1", "x2", "x3", "x4"] for query in qrels},
    }
    measure = "DCG(gain='exp2')@5"
    found = untied.evaluate(qrels, runs, measure)
    truth = found["a", measure].mean - found["b", measure].mean
    missed = {"seen": 0, "scale": 0}
    for seed in range(many(40)):
        part = sample.judgments(qrels, 0.1, seed=seed, rel=None)
        seen = {1, *(grade for of in part.values() for grade in of.values() if grade > 0)}
        for name, grades in (("seen", seen), ("scale", (0, 1, 2, 3))):
            [row] = from_sample(part, runs, measure, grades=grades).to_dicts()
            missed[name] += not row["low"] <= truth <= row["high"]
    assert missed["scale"] <= 0.05 * many(40) < missed["seen"]


def test_scales_that_are_refused() -> None:
    qrels, runs = collection("scales")
    qrels["q0"]["off"] = -1
    qrels["q1"]["d0"] = 2
    named = dict(zip("ab", runs, strict=True))
    for measure in ("DCG@4", "RBP(max_grade=2)@4"):
        with pytest.raises(MeasureError, match="a sample may miss the highest grades; give all grades of the scale"):
            from_sample(qrels, named, measure)
    for measure in ("P@4", "Hits@4", "RBP@4"):
        assert len(from_sample(qrels, named, measure)) == 1
    with pytest.raises(UntiedError, match=r"grade 2 of document 'd[0-9]' is not one of the grades"):
        from_sample(qrels, named, "DCG@4", grades=(0, 1))
    for grades in ((), (0,), (-1, 1)):
        with pytest.raises(UntiedError, match="grades must be numbers of at least 0, one of them above 0"):
            from_sample(qrels, named, "DCG@4", grades=grades)


def sampled(qrels: dict[str, dict[str, int]], keep: Any) -> dict[str, dict[str, int]]:
    return {q: {d: g if keep(q, d) else -1 for d, g in of.items()} for q, of in qrels.items()}


def test_refused() -> None:
    qrels, runs = collection("refused", 60)
    named = dict(zip("ab", runs, strict=True))
    with pytest.raises(UntiedError, match="the qrels have no pool"):
        from_sample(qrels, named, "P@4")
    with pytest.raises(UntiedError, match="not a random sample of the pool: 10 of 10 documents of query 'q0'"):
        from_sample(sampled(qrels, lambda q, d: q in ("q0", "q1", "q2")), named, "P@4")
    tops = sampled(qrels, lambda q, d: d in runs[0][q][:3])
    with pytest.raises(UntiedError, match="that P@3 sees of run 'a' are judged"):
        from_sample(tops, named, "P@3")
    part = sampled(qrels, lambda q, d: hash((len(d), ord(d[1]), int(q[1:]))) % 2)
    for measure in ("AP", "nDCG@10", "RR", "P(judged_only=True)@3", "R@4"):
        with pytest.raises(
            MeasureError, match="verdicts from a sample are available only for sums over documents: P, Hits, RBP"
        ):
            from_sample(part, named, measure)
    with pytest.raises(UntiedError, match="ties"):
        from_sample(part, named, "P@4", ties="range")  # type: ignore[arg-type]
    with pytest.raises(UntiedError, match="only one run"):
        from_sample(part, {"a": runs[0]}, "P@4")


@pytest.mark.parametrize(
    ("format", "judgment"), [("stratified", lambda grade: (1, grade)), ("prels", lambda grade: (grade, 0.5))]
)
def test_samples_with_rates_of_their_own_are_refused(format: Any, judgment: Any) -> None:
    """Strata and probabilities say that documents were not sampled alike; without them the verdict would be A."""
    qrels = {f"q{n}": {"good": 1, "bad": -1} if n % 2 else {"good": -1, "bad": 0} for n in range(40)}
    runs = {"a": {q: ["good"] for q in qrels}, "b": {q: ["bad"] for q in qrels}}
    assert from_sample(qrels, runs, "P@1").to_dicts()[0]["verdict"] == "A (95 %)"
    detailed = {q: {doc: judgment(grade) for doc, grade in of.items()} for q, of in qrels.items()}
    with pytest.raises(
        UntiedError, match=f"all judged with the same probability; found qrels in the format '{format}'"
    ):
        from_sample(untied.Qrels(detailed, format=format), runs, "P@1")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, runs = collection("command", 30)
    part = sampled(qrels, lambda q, d: (int(q[1:]) + int(d[1])) % 2)
    lines = (f"{q} 0 {d} {g}\n" for q, of in part.items() for d, g in of.items())
    (tmp_path / "qrels.txt").write_text("".join(lines))
    for name, run in zip("ab", runs, strict=True):
        rows = (f"{q} Q0 {d} 1 {-rank} x\n" for q, docs in run.items() for rank, d in enumerate(docs))
        (tmp_path / f"{name}.run").write_text("".join(rows))
    inputs = [str(tmp_path / name) for name in ("qrels.txt", "a.run", "b.run")]
    main(["certify", *inputs, "-m", "P@4", "--from-sample", "--level", "0.9", "--digits", "6"])
    out, err = capsys.readouterr()
    [row] = from_sample(part, dict(zip("ab", runs, strict=True)), "P@4", level=0.9).to_dicts()
    assert out.splitlines()[0].split("\t") == ["run_a", "run_b", "measure", "low", "high", "verdict"]
    assert out.splitlines()[1].split("\t") == [
        "a", "b", "P@4", f"{row['low']:.6f}", f"{row['high']:.6f}", row["verdict"],
    ]  # fmt: skip
    assert "not certain" in err
    for more, said in (
        (["--show", "ranks"], "--from-sample cannot be combined with --show"),
        (["--most", "3"], "--from-sample cannot be combined with --most"),
        (["--unjudged", "pooled"], "--from-sample cannot be combined with --unjudged"),
        (["--ties", "given"], "ties"),
    ):
        assert main(["certify", *inputs, "-m", "P@4", "--from-sample", *more]) == 2
        assert said in capsys.readouterr().err
    assert main(["certify", *inputs, "-m", "P@4", "--level", "0.9"]) == 2
    assert "--level has no effect without --from-sample" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["certify", *inputs, "--from-sample", "--grades", "0,x"])
    assert "--grades: must be numbers with commas between them, such as 0,1,2,3" in capsys.readouterr().err
    assert main(["certify", *inputs, "-m", "DCG@4", "--from-sample"]) == 2
    assert "DCG@4: a sample may miss the highest grades" in capsys.readouterr().err
    assert main(["certify", *inputs, "-m", "DCG@4", "--from-sample", "--grades", "0,1,2"]) == 0
