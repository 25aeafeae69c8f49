"""Estimates from samples of each query's documents: unbiased over all samples, and as the command prints them."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import untied
from commands import Command
from nightly import many, seeded
from oracle.drawn import draws, expanded, outcomes, variance
from untied._core import Qrels
from untied.gate import gate
from untied.statistics import estimate_drawn
from untied.statistics.drawn_documents import DrawnQuery, RankGains, drawn_queries

Strata = list[tuple[list[str], int]]
Run = dict[str, list[list[str]]]
#: Sums of weights times gains.
LINEAR = ["P@3", "P(rel=2)@5", "Hits@4", "DCG", "DCG(gain='exp2')@4", "RBP(p=0.5)", "RBP(max_grade=2)@4"]
NORMALISED = ["nDCG@3", "nDCG", "nDCG(gain='exp2')@4", "nDCG(rel=2)@5"]


def problem(name: str, queries: int = 2) -> tuple[dict[str, Strata], dict[str, Any], dict[str, Any], dict[str, Run]]:
    """Strata with numbers to draw, human and machine grades of all documents, and two runs with ties."""
    chance = seeded(name)
    strata, human, machine = {}, {}, {}
    runs: dict[str, Run] = {"a": {}, "b": {}}
    for number in range(queries):
        query, docs = f"q{number}", [f"d{i}" for i in range(6)]
        strata[query] = [(docs[:3], chance.choice([2, 3])), (docs[3:], 2)]
        human[query] = {doc: chance.choice([0, 0, 1, 2]) for doc in docs}
        machine[query] = {doc: chance.choice([grade, grade, 0, 1]) for doc, grade in human[query].items()}
        human[query]["d5"] = machine[query]["d5"] = 2  # so that rel=2 means something
        for run in runs.values():
            groups: list[list[str]] = []
            for doc in chance.sample([*docs, "x"], chance.randint(3, 7)):
                if groups and chance.random() < 0.4:
                    groups[-1].append(doc)
                else:
                    groups.append([doc])
            run[query] = groups
    return strata, human, machine, runs


def drawn(strata: dict[str, Strata], human: dict[str, Any], outcome: Any) -> dict[str, dict[str, tuple[int, float]]]:
    """The human judgments of an outcome, as a stratified sample."""
    return {
        query: {
            doc: (number, human[query][doc] if doc in draw else -1)
            for number, (docs, _) in enumerate(of_query)
            for doc in docs
        }
        for (query, of_query), draw in zip(strata.items(), outcome, strict=True)
    }


@pytest.mark.parametrize("measure", LINEAR)
@pytest.mark.parametrize("target", ["all", "these"])
def test_over_all_samples_linear_measures_have_no_bias(measure: str, target: Any) -> None:
    for number in range(many(2, 20)):
        strata, human, machine, runs = problem(f"drawn {measure} {number}")
        every = [draws(of_query) for of_query in strata.values()]
        truth = {name: untied.evaluate(human, run, measure)[measure] for name, run in runs.items()}
        truth["difference"] = truth["a"] - truth["b"]
        sums = dict.fromkeys(truth, 0.0)
        alone = dict.fromkeys(truth, 0.0)
        count = 0
        for outcome in outcomes(every):
            count += 1
            table = estimate_drawn(drawn(strata, human, outcome), machine, runs, measure, target=target).table
            for row in table.to_dicts():
                which = "difference" if row["run_b"] else row["run_a"]
                sums[which] += row["estimate"]
                alone[which] += row["human"]
        for which, value in truth.items():
            assert sums[which] / count == pytest.approx(value, abs=1e-12)
            assert alone[which] / count == pytest.approx(value, abs=1e-12)


def test_variances_within_queries_have_no_bias() -> None:
    """Over all samples, the estimated variance of Horvitz and Thompson's sum is, on average, its variance."""
    chance = seeded("variances")
    for _ in range(many(20)):
        docs = [f"d{i}" for i in range(7)]
        strata: Strata = [(docs[:4], chance.choice([2, 3])), (docs[4:], 2)]
        gains = {doc: Fraction(chance.randint(0, 8), 4) for doc in docs}
        every = draws(strata)
        exact = variance([expanded(draw, strata, gains) for draw in every])
        total = 0.0
        for draw in every:
            parts = {doc: float(gains[doc]) for doc in draw}
            of_strata = [(len(documents), [doc for doc in documents if doc in draw]) for documents, _ in strata]
            query = DrawnQuery("q", {}, {}, {}, of_strata, 7.0)
            total += query.covariance(parts, parts)
        assert total / len(every) == pytest.approx(float(exact), abs=1e-12)


def test_independent_draws_have_no_bias_either() -> None:
    human = {"a": 1, "b": 0, "c": 2, "d": 1}
    machine = {"q": {"a": 1, "b": 1, "c": 0, "d": 1}}
    chances = {"a": 0.5, "b": 0.75, "c": 0.25, "d": 1.0}
    run = {"q": ["c", "a", "b", "d"]}
    truth = untied.evaluate({"q": human}, run, "DCG@3")["DCG@3"]
    mean = 0.0
    values, weights, estimates = [], [], []
    for kept in itertools.product([True, False], repeat=4):
        chance = math.prod(p if keep else 1 - p for p, keep in zip(chances.values(), kept, strict=True))
        if not chance:
            continue
        sample = {"q": {d: (human[d], p) for (d, p), keep in zip(chances.items(), kept, strict=True) if keep}}
        [row] = estimate_drawn(sample, machine, run, "DCG@3", format="prels").table.to_dicts()
        mean += chance * row["estimate"]
        [query] = drawn_queries(Qrels(sample, format="prels"), Qrels(machine))
        gains = RankGains(untied.measures.parse_measure("DCG@3"), {1, 2}, 4)
        weighted = gains.of_documents(untied.Run(run), "q")
        value, parts = gains.value(weighted, query.human, query.chances, query.size)
        values.append(value)
        weights.append(chance)
        estimates.append(query.covariance(parts, parts))
    assert mean == pytest.approx(truth, abs=1e-12)
    exact = sum(w * (v - truth) ** 2 for w, v in zip(weights, values, strict=True))
    assert sum(w * v for w, v in zip(weights, estimates, strict=True)) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("measure", [*LINEAR, *NORMALISED, "INSQ(max_rel=2)", "SDCG(max_rel=2)@4"])
def test_with_all_documents_the_estimate_is_the_value(measure: str) -> None:
    for number in range(many(20)):
        strata, human, machine, runs = problem(f"complete {measure} {number}", queries=3)
        for of_query in strata.values():
            of_query[:] = [(docs, len(docs)) for docs, _ in of_query]
        outcome = [tuple(human[query]) for query in strata]
        by_people, by_machine = (untied.evaluate(labels, runs, measure) for labels in (human, machine))
        estimates = estimate_drawn(drawn(strata, human, outcome), machine, runs, measure, target="these")
        for row in estimates.table.to_dicts()[:2]:
            name = row["run_a"]
            assert row["estimate"] == pytest.approx(float(by_people.value(measure, run=name)), abs=1e-12)
            assert row["machine"] == pytest.approx(float(by_machine.value(measure, run=name)), abs=1e-12)
            assert row["high"] - row["low"] == pytest.approx(0, abs=1e-12)


def simulated(chance: random.Random, queries: int, documents: int) -> tuple[Any, Any, Any]:
    """Grades by people and by a machine that errs in every tenth label, and a run."""
    human, machine, run = {}, {}, {}
    for number in range(queries):
        query, share = f"q{number}", chance.uniform(0.1, 0.5)
        human[query] = {f"d{i}": int(chance.random() < share) for i in range(documents)}
        machine[query] = {doc: grade ^ (chance.random() < 0.1) for doc, grade in human[query].items()}
        scores = {doc: grade + chance.gauss(0, 0.8) for doc, grade in human[query].items()}
        run[query] = sorted(scores, key=lambda doc: -scores[doc])
    return human, machine, run


def test_intervals_hold_the_mean_of_these_queries() -> None:
    chance = seeded("coverage of these")
    human, machine, run = simulated(chance, 30, 60)
    truth = untied.evaluate(human, run, ["P@10", "nDCG@10"])
    held = {"P@10": 0, "nDCG@10": 0}
    widths = []
    repeats = many(100, 1000)
    for _ in range(repeats):
        sample = {}
        for query, grades in human.items():
            top = run[query][:10]
            kept = {*chance.sample(top, 4), *chance.sample(run[query][10:], 10)}
            sample[query] = {doc: (int(doc not in top), grade if doc in kept else -1) for doc, grade in grades.items()}
        for row in estimate_drawn(sample, machine, run, list(held), target="these").table.to_dicts():
            held[row["measure"]] += row["low"] <= truth[row["measure"]] <= row["high"]
            widths.append(row["width"])
    assert held["P@10"] / repeats > 0.88
    assert held["nDCG@10"] / repeats > 0.85
    assert sum(widths) / len(widths) < 0.75  # the machine is good


def test_a_useless_machine_costs_little() -> None:
    chance = seeded("useless")
    human, _, run = simulated(chance, 30, 60)
    machine = {query: {doc: chance.randint(0, 1) for doc in grades} for query, grades in human.items()}
    sample = {
        query: {doc: (0, grade if chance.random() < 0.4 else -1) for doc, grade in grades.items()}
        for query, grades in human.items()
    }
    for target in ("all", "these"):
        [row] = estimate_drawn(sample, machine, run, "P@10", target=target).table.to_dicts()
        assert 0.8 < row["width"] < 1.1


SAMPLE = {f"q{i}": {"a": (0, 1), "b": (0, i % 2), "c": (0, -1), "d": (0, -1)} for i in range(6)}
MACHINE = {f"q{i}": {"a": 1, "b": i % 2, "c": 0, "d": 1} for i in range(6)}
RUN = {f"q{i}": ["d", "a", "b"] for i in range(6)}


def test_what_cannot_be_estimated_is_refused() -> None:
    for measure in ("AP", "RR", "ERR", "R@3", "nDCG(recall_base='ranking')", "P(judged_only=True)@2"):
        with pytest.raises(untied.UntiedError, match="cannot be estimated from samples of documents"):
            estimate_drawn(SAMPLE, MACHINE, RUN, measure)
    one = {"q0": {"a": (0, 1), "b": (0, -1)}}
    with pytest.raises(untied.UntiedError, match="one of 2 documents of a stratum was drawn, a"):
        estimate_drawn(one, MACHINE, RUN, "P@1", target="these")
    with pytest.raises(untied.UntiedError, match="stratum 1: no document of it was drawn"):
        estimate_drawn({"q0": {"a": (0, 1), "b": (1, -1)}}, MACHINE, RUN, "P@1")
    with pytest.raises(untied.UntiedError, match="no query in common"):
        estimate_drawn(SAMPLE, {"z": {"a": 1}}, RUN, "P@1")
    with pytest.raises(untied.UntiedError, match="no run 'z'"):
        estimate_drawn(SAMPLE, MACHINE, RUN, "P@1", baseline="z")
    with pytest.raises(untied.UntiedError, match="format must be stratified or prels"):
        estimate_drawn(SAMPLE, MACHINE, RUN, "P@1", format="trec")
    with pytest.raises(untied.UntiedError, match="no strata and no probabilities of inclusion"):
        Qrels(MACHINE).drawn("q0")
    with pytest.raises(KeyError):
        Qrels(SAMPLE, format="stratified").drawn("z")
    with pytest.raises(untied.UntiedError, match="only probabilities of grades"):
        estimate_drawn(SAMPLE, Qrels({"q0": {"a": 0.5}}, format="probabilities"), RUN, "P@1")
    with pytest.raises(untied.UntiedError, match="are a sample of each query's documents"):
        gate(Qrels(SAMPLE, format="stratified"), RUN, machine=MACHINE, min={"P@1": 0.1})
    with pytest.raises(untied.UntiedError, match="are a sample of each query's documents"):
        gate(SAMPLE, RUN, machine=Qrels(MACHINE), min={"P@1": 0.1}, qrels_format="stratified")
    with pytest.raises(untied.UntiedError, match="target must be"):
        estimate_drawn(SAMPLE, MACHINE, RUN, "P@1", target="some")  # type: ignore[arg-type]


def test_notes_say_what_the_intervals_rest_on() -> None:
    few = {query: SAMPLE[query] for query in ("q0", "q1")}
    assert "no interval: it needs 5 queries or more" in estimate_drawn(few, MACHINE, RUN, "P@1").notes
    assert any("the ideal DCG" in note for note in estimate_drawn(SAMPLE, MACHINE, RUN, "nDCG@2").notes)
    exact = {query: {doc: max(grade, 0) for doc, (_, grade) in docs.items()} for query, docs in SAMPLE.items()}
    exact["q0"]["d"] = 1
    alike = estimate_drawn(SAMPLE, exact, RUN, "P@3", target="these").notes
    assert any("in fewer than 5 queries" in note for note in alike)
    assert not any("in fewer than 5 queries" in note for note in estimate_drawn(SAMPLE, exact, RUN, "P@3").notes)
    estimates = estimate_drawn(SAMPLE, MACHINE, RUN, "P@2")
    assert estimates.basis == "from human judgments of 12 documents in 6 queries"
    rare = {f"q{i}": {"a": (1, 0.01), "b": (0, 1.0)} for i in range(6)}
    assert any("over 20 others" in note for note in estimate_drawn(rare, MACHINE, RUN, "P@2", format="prels").notes)


def test_the_command_prints_what_the_function_returns(untied_: Command, tmp_path: Path) -> None:
    lines = [
        f"{query} 0 {doc} {stratum} {grade}\n"
        for query, docs in SAMPLE.items()
        for doc, (stratum, grade) in docs.items()
    ]
    (tmp_path / "human.txt").write_text("".join(lines))
    machine = [f"{query} 0 {doc} {grade}\n" for query, docs in MACHINE.items() for doc, grade in docs.items()]
    (tmp_path / "model.qrels").write_text("".join(machine))
    run = [f"{query} Q0 {doc} 0 {-rank} r\n" for query, docs in RUN.items() for rank, doc in enumerate(docs)]
    (tmp_path / "r.run").write_text("".join(run))
    given = [str(tmp_path / name) for name in ("human.txt", "model.qrels", "r.run")]
    code, text, said = untied_("judges", *given, "--qrels-format", "stratified", "-m", "P@2", "--format", "tsv")
    assert code == 0, said
    header, row = (line.split("\t") for line in text.splitlines())
    cells = dict(zip(header, row, strict=True))
    [expected] = estimate_drawn(SAMPLE, MACHINE, RUN, "P@2").table.to_dicts()
    for name in ("estimate", "low", "high", "human", "machine", "slope", "width"):
        assert cells[name] == f"{expected[name]:.4f}", name
    code, text, _ = untied_("judges", *given, "--qrels-format", "stratified", "-m", "P@2", "--format", "table")
    assert "12 documents in 6 queries" in text
    code, _, said = untied_("judges", *given, "--qrels-format", "stratified", "-m", "P@2", "--unjudged", "remove")
    assert (code, "--unjudged has no effect" in said) == (2, True)


def test_a_sample_that_is_read_as_full_judgments_is_noted(untied_: Command, tmp_path: Path) -> None:
    human = [f"{query} 0 {doc} {grade}\n" for query, docs in SAMPLE.items() for doc, (_, grade) in docs.items()]
    machine = [f"{query} 0 {doc} {grade}\n" for query, docs in MACHINE.items() for doc, grade in docs.items()]
    run = [f"{query} Q0 {doc} 0 {-rank} r\n" for query, docs in RUN.items() for rank, doc in enumerate(docs)]
    paths = [str(tmp_path / name) for name in ("human.qrels", "model.qrels", "r.run")]
    for path, lines in zip(paths, (human, machine, run), strict=True):
        Path(path).write_text("".join(lines))
    code, _, said = untied_("judges", *paths, "-m", "P@2")
    assert code == 0
    assert "which count as not relevant: 12; if people judged a random sample" in " ".join(said.split())


def test_queries_that_are_not_everywhere_are_counted() -> None:
    """Those that a run or the machine lacks count as empty ones, and those that people did not judge not at all."""
    run = {query: ranked for query, ranked in RUN.items() if query != "q1"} | {"q8": ["a"]}
    machine = {query: labels for query, labels in MACHINE.items() if query not in ("q2", "q3")} | {"q9": {"a": 1}}
    found = estimate_drawn(SAMPLE, machine, {"r": run}, "P@1")
    emptied = estimate_drawn(SAMPLE, MACHINE | {"q2": {"a": 0}, "q3": {"a": 0}}, {"r": run | {"q1": []}}, "P@1")
    assert found.table.to_dicts() == emptied.table.to_dicts()
    assert [note for note in found.notes if "queries" in note and "interval" not in note] == [
        "judged queries missing from a run: 1 from r (counted as empty rankings)",
        "queries without judgments, left out: 1 of r; untied check lists them, and ids that nearly match",
        "queries that the machine did not judge, in which no document counts as relevant to it: 2",
        "queries that only the machine judged, left out: 1",
    ]
