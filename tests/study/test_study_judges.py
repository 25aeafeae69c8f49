"""The study of machine judges: its tables from single estimates, PPI++ from its definition, and simulated machines."""

from __future__ import annotations

import math
import pathlib
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import untied
from nightly import many, seeded
from oracle import judges as oracle
from study_data import check, collection
from untied import study
from untied.cli import main
from untied.statistics import estimate_mean, estimate_strata
from untied.study.judges import strata_of
from untied.study.judges_intervals import both, plug_in, stratified
from untied.study.judges_machines import MACHINES, Seen, labels

#: Half of a 95 % interval for normal values, in standard errors.
NORMAL = 1.959963984540054

Judged = dict[str, dict[str, float]]


def collection_of(queries: int) -> tuple[Judged, Judged, dict[str, Judged]]:
    """Judgments by people, by a machine, and two runs."""
    rng = random.Random(5)
    human = {f"q{i:02}": {f"d{j}": float(rng.random() < 0.3) for j in range(12)} for i in range(queries)}
    machine = {q: {d: g if rng.random() < 0.8 else 1 - g for d, g in of.items()} for q, of in human.items()}
    runs = {
        name: {q: {d: g + rng.gauss(0, noise) for d, g in of.items()} for q, of in human.items()}
        for name, noise in (("a", 0.5), ("b", 1.0))
    }
    return human, machine, runs


def test_tables_from_single_estimates(tmp_path: pathlib.Path) -> None:
    human, machine, runs = collection_of(20)
    samples, judged = 7, 8
    result = study.judges(
        human, runs, tmp_path, measures=["AP"], machines={"m": machine}, judged=[judged], samples=samples, depth=12,
        seed=3, plots="none",
    )  # fmt: skip
    queries = list(human)
    values: dict[str, list[dict[str, float]]] = {}
    for qrels in (human, machine):
        results = untied.evaluate(qrels, runs, "AP")
        a, b = ({q: results.value("AP", q, run).mean for q in queries} for run in "ab")
        for name, of_subject in (("a", a), ("b", b), ("a - b", {q: a[q] - b[q] for q in queries})):
            values.setdefault(name, []).append(of_subject)
    chance = random.Random(f"3 m 0 {judged}")
    drawn = [chance.sample(range(len(queries)), judged) for _ in range(samples)]
    rows = {(row["run_a"], row["run_b"], row["method"]): row for row in result.tables["judges-estimates"].to_dicts()}
    assert len(rows) == 3 * 3
    for name, (y, f) in values.items():
        truth = sum(y.values()) / len(queries)
        found: dict[str, list[tuple[float, float]]] = {"people alone": [], "with machine": [], "PPI++": []}
        for sample in drawn:
            judged_values = {queries[place]: y[queries[place]] for place in sample}
            estimate = estimate_mean(judged_values, f, target="these")
            half = (estimate.high - estimate.low) / 2
            found["with machine"].append((estimate.mean, half))
            found["people alone"].append((estimate.human, half / estimate.width))
            exact = [[Fraction(one) for one in of.values()] for of in (y, f)]
            middle, variance = oracle.plug_in(*exact, sample, all_queries=False)
            found["PPI++"].append((float(middle), NORMAL * math.sqrt(variance)))
        a, _, b = name.partition(" - ")
        alone = rows[a, b, "people alone"]
        for method, intervals in found.items():
            row = rows[a, b, method]
            assert (row["machine"], row["measure"], row["judged"], row["samples"]) == ("m", "AP", judged, samples)
            assert row["truth"] == pytest.approx(truth)
            assert row["coverage"] == sum(abs(mean - truth) <= half for mean, half in intervals) / samples
            assert row["half"] == pytest.approx(sum(half for _, half in intervals) / samples)
            assert row["width"] == pytest.approx(row["half"] / alone["half"])
            errors = [mean - truth for mean, _ in intervals]
            assert row["bias"] == pytest.approx(sum(errors) / samples)
            assert row["error"] == pytest.approx(math.sqrt(sum(one**2 for one in errors) / samples))
    main_rows = {(row["of"], row["method"]): row for row in result.tables["judges"].to_dicts()}
    for (of, method), row in main_rows.items():
        mine = [one for key, one in rows.items() if (key[1] != "") == (of == "differences") and key[2] == method]
        assert (row["estimates"], row["samples"], row["judged"]) == (len(mine), samples, judged)
        assert row["coverage"] == pytest.approx(sum(one["coverage"] for one in mine) / len(mine))
        assert row["lowest"] == min(one["coverage"] for one in mine)
        assert row["width"] == pytest.approx(sum(one["width"] for one in mine) / len(mine))
        assert row["bias"] == max(abs(one["bias"]) for one in mine)
        alone = [rows[key[0], key[1], "people alone"] for key, one in rows.items() if one in mine]
        assert row["error"] == pytest.approx(
            sum(one["error"] / other["error"] for one, other in zip(mine, alone, strict=True)) / len(mine)
        )


def test_interrupted(tmp_path: pathlib.Path) -> None:
    """Five queries, drawn with replacement, with strata and every simulated machine."""
    qrels, runs = collection(tmp_path)
    result = check(
        study.judges, qrels, runs[:3], tmp_path, measures=["P@5"], asked=30, judged=[8, 12], samples=4, strata=2
    )
    assert {row["machine"] for row in result.tables["judges"].to_dicts()} == set(MACHINES)
    methods = ["people alone", "with machine", "PPI++", "with machine, strata"]
    assert list(dict.fromkeys(row["method"] for row in result.tables["judges"].to_dicts())) == methods
    assert all(f"**{name}**" in result.summary for name in MACHINES)


def test_a_machine_like_people(tmp_path: pathlib.Path) -> None:
    """It makes intervals narrow, and one that fails in some queries less so."""
    human, _, runs = collection_of(40)
    half = {query: of if place % 2 else dict.fromkeys(of, -1.0) for place, (query, of) in enumerate(human.items())}
    result = study.judges(
        human, runs, tmp_path, measures=["P@5"], machines={"same": human, "half": half}, judged=[12], samples=30,
        plots="none",
    )  # fmt: skip
    width = {row["machine"]: row["width"] for row in result.tables["judges"].to_dicts()
             if (row["of"], row["method"]) == ("means", "with machine")}  # fmt: skip
    assert width["same"] < 0.45
    assert width["same"] < width["half"] < 1.05


def values(rng: random.Random, size: int) -> tuple[list[Fraction], list[Fraction]]:
    """Human and machine values, of which many are equal."""
    human = [Fraction(rng.randint(0, 6), 6) for _ in range(size)]
    if rng.random() < 0.2:
        human = [Fraction(1, 3)] * (size - 1) + [Fraction(rng.randint(1, 2), 3)]
    if rng.random() < 0.2:
        return human, [Fraction(1, 10)] * (size - 1) + [Fraction(rng.randint(1, 9), 10)]
    return human, [rng.choice([y, y, Fraction(rng.randint(0, 6), 6), Fraction(1, 2)]) for y in human]


def arrays(human: Any, machine: Any, samples: list[list[int]], every: list[int]) -> tuple[Any, Any, Any]:
    y, f = np.array(list(map(float, human))), np.array(list(map(float, machine)))
    return y[samples], f[samples], f[every][None]


def test_plug_in_as_defined() -> None:
    rng = seeded("plug-in")
    for _ in range(many(60)):
        size = rng.randint(4, 14)
        human, machine = values(rng, size)
        n = rng.randint(2, size - 1)
        samples = [rng.sample(range(size), n) for _ in range(3)]
        for these in (True, False):
            found = plug_in(*arrays(human, machine, samples, list(range(size))), these=these)
            for sample, middle, half in zip(samples, *found, strict=True):
                exact, variance = oracle.plug_in(human, machine, sample, all_queries=not these)
                assert middle == pytest.approx(float(exact), abs=1e-12)
                assert half == pytest.approx(NORMAL * math.sqrt(variance), abs=1e-9)


def test_arrays_as_the_public_functions() -> None:
    """Many samples at once give the intervals that the functions give for one."""
    rng = seeded("arrays of samples")
    for _ in range(many(60)):
        size = rng.randint(10, 24)
        human, machine = values(rng, size)
        n = rng.randint(5, size - 1)
        samples = [rng.sample(range(size), n) for _ in range(3)]
        by_machine = {query: float(value) for query, value in enumerate(machine)}
        strata = {query: query % 2 for query in range(size)}
        parts = [[query for query in strata if strata[query] == stratum] for stratum in (0, 1)]
        drawn = [[rng.sample(part, k) for _ in range(3)] for part, k in zip(parts, (rng.randint(2, 5), 5), strict=True)]
        for these in (True, False):
            target: Any = "these" if these else "all"
            alone, with_machine = both(*arrays(human, machine, samples, list(range(size))), these=these)
            of_strata = stratified(
                [arrays(human, machine, one, part) for one, part in zip(drawn, parts, strict=True)], these=these
            )
            for place, sample in enumerate(samples):
                one = estimate_mean({q: float(human[q]) for q in sample}, by_machine, target=target)
                half = (one.high - one.low) / 2
                assert with_machine.middle[place] == pytest.approx(one.mean, abs=1e-12)
                assert with_machine.half[place] == pytest.approx(half, abs=1e-9)
                assert alone.middle[place] == pytest.approx(one.human, abs=1e-12)
                assert alone.half[place] == pytest.approx(half / one.width if one.width else 0, abs=1e-9)
                judged = {q: float(human[q]) for of in drawn for q in of[place]}
                one = estimate_strata(judged, by_machine, strata, target=target)
                assert of_strata.middle[place] == pytest.approx(one.mean, abs=1e-12)
                assert of_strata.half[place] == pytest.approx((one.high - one.low) / 2, abs=1e-9)


def test_strata_of_equal_sizes() -> None:
    rng = random.Random(2)
    machine = {number: rng.choice([0.0, 0.5, 1.0]) for number in range(17)}
    strata = strata_of(machine, 3)
    assert sorted(map(list(strata.values()).count, range(3))) == [5, 6, 6]
    assert all(machine[a] <= machine[b] for a in machine for b in machine if strata[a] < strata[b])


def test_simulated_machines() -> None:
    """Shares of errors, over many queries and documents."""
    relevant = {f"r{rank}": Seen(2.0, rank, rank if rank % 2 else None) for rank in range(1, 101)}
    others = {f"n{rank}": Seen(0.0, rank, rank if rank % 2 else None) for rank in range(1, 101)}
    shares: dict[str, tuple[float, float]] = {}
    near: dict[str, tuple[float, float]] = {}
    for name in MACHINES:
        given: list[Any] = [labels(name, relevant | others, random.Random(f"{query}")) for query in range(300)]
        assert given[0] == labels(name, relevant | others, random.Random("0"))
        assert {grade for of in given for grade in of.values()} <= {0.0, 1.0, 2.0}
        for shown, ranks in ((shares, range(1, 101)), (near, range(1, 11))):
            found, called = (
                sum(of[f"{kind}{rank}"] > 0 for of in given for rank in ranks) / len(ranks) / 300 for kind in "rn"
            )
            shown[name] = (found, called)
    for name, expected in {
        "good": (0.9, 0.1), "llm": (0.75, 0.06), "generous": (1.0, 0.3), "useless": (0.1, 0.1), "inverted": (0.0, 1.0),
    }.items():  # fmt: skip
        assert shares[name] == pytest.approx(expected, abs=0.03), name
        assert near[name] == pytest.approx(shares[name], abs=0.03), name
    assert near["top-ranks"][1] > 0.4 > 0.2 > shares["top-ranks"][1]
    assert near["top-ranks"][0] > 0.9 > 0.75 > shares["top-ranks"][0]
    # Half of the documents are of the first two runs, and a tenth of them in their first 20 ranks.
    assert shares["family"] == pytest.approx((0.7, 0.1 * 0.5 + 0.9 * 0.02), abs=0.03)
    assert near["family"][1] == pytest.approx(0.26, abs=0.03)


def test_refusals(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    human, _, runs = collection_of(10)

    def refused(said: str, **options: Any) -> None:
        with pytest.raises(untied.UntiedError, match=said):
            study.judges(human, runs, tmp_path / "out", **options)
        assert not (tmp_path / "out" / "judges.tsv").exists()

    refused("needs more than 10 judged queries, found 10; or let people judge fewer with --judged")
    refused("judged must be from 5 to 9, one less than all queries, not 4", judged=[4])
    refused("judged must be from 5 to 9, one less than all queries, not 10", judged=[6, 10])
    refused("judged needs a number of queries", judged=[])
    refused("3 strata need 6 judged queries or more, not 5", judged=[5], strata=3)
    refused("the study needs a machine", judged=[5], machines=[])
    refused("a machine cannot be named 'good'", judged=[5], machines={"good": human})
    refused("NumRet is no mean over queries", judged=[5], measures=["num_ret"])
    refused("samples must be at least 1, not 0", judged=[5], samples=0)
    path = tmp_path / "model.qrels"
    path.write_text("".join(f"{q} 0 {d} {g:.0f}\n" for q, of in human.items() for d, g in of.items()))
    run = tmp_path / "a.run"
    run.write_text("".join(f"{q} Q0 {d} 0 {s} a\n" for q, of in runs["a"].items() for d, s in of.items()))
    arguments = ["study", "judges", str(path), str(run), "--judged", "5", "--samples", "2", "--plots", "none", "-o"]
    assert main([*arguments, str(tmp_path / "one"), "--machine", "goood"]) == 2
    assert "goood" in capsys.readouterr().err
    assert main([*arguments, str(tmp_path / "two"), "--machine", "llm", "--machine", str(path)]) == 0
    summary = (tmp_path / "two" / "summary.md").read_text()
    assert f"--machine {path}" in summary
    assert "--machine llm" in summary
