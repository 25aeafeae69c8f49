"""Verdicts beside what other commands find of the same runs."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import untied
from untied.cli import main
from untied.statistics import significance
from untied.verdicts import Verdict
from untied.verdicts.results import judged_measure

QUERIES = [f"q{number}" for number in range(6)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Qrels with few judgments and three runs, with ties."""
    folder, chance = tmp_path_factory.mktemp("beside"), random.Random(5)
    pool = [f"d{number}" for number in range(12)]
    with (folder / "qrels.txt").open("w") as qrels:
        for query in QUERIES:
            qrels.writelines(f"{query} 0 {doc} {number % 2}\n" for number, doc in enumerate(chance.sample(pool, 5)))
    for name in "abc":
        with (folder / f"{name}.run").open("w") as run:
            for query in QUERIES:
                docs = chance.sample(pool, 8)
                run.writelines(f"{query} Q0 {doc} 1 {chance.randrange(6)} {name}\n" for doc in docs)
    return folder


def asked(files: Path, *measures: str) -> untied.verdicts.Verdicts:
    return untied.certify(files / "qrels.txt", [files / f"{name}.run" for name in "abc"], list(measures))


def rows_of(text: str) -> list[dict[str, str]]:
    head, *lines = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(head, line, strict=True)) for line in lines]


def written(number: float | None) -> str:
    return "" if number is None else str(number)


def test_turned() -> None:
    assert Verdict("A", 0.1, 0.3, 4, 2).turned == Verdict("B", -0.3, -0.1, 4, 2)
    assert str(Verdict("open", 0.0, 0.3, 4, 2).turned.high) == "0.0"


def test_measures_inside() -> None:
    names = [
        "Delta(nDCG@10)",
        "Delta(P@2, p=0.5)",
        "MED(RBP(p=0.75, max_grade=2)@10)",
        "MED(AP@10, R='relevant')",
        "RBO",
    ]
    assert list(map(judged_measure, names)) == ["nDCG@10", "P@2", "RBP(p=0.75, max_grade=2)@10", "AP@10", "RBO"]


def test_beside_tests_whatever_the_order_of_runs(files: Path) -> None:
    verdicts = asked(files, "P@3", "RR")
    results = untied.evaluate(files / "qrels.txt", [files / f"{name}.run" for name in "cba"], ["P@3", "RR", "AP"])
    plain = significance(results, baseline="b").table
    table = verdicts.beside(plain)
    assert table.columns == [*plain._texts, "verdict", *plain._numbers, "overturn", "largest_m"]
    rows = table.to_dicts()
    assert [(row["run_a"], row["run_b"]) for row in rows] == [("c", "b"), ("a", "b")] * 3
    for row in rows:
        if row["measure"] == "AP":
            assert (row["verdict"], row["overturn"], row["largest_m"]) == ("", None, None)
            continue
        one = verdicts["b", "c"][row["measure"]].turned if row["run_a"] == "c" else verdicts["a", "b"][row["measure"]]
        assert (row["verdict"], row["overturn"], row["largest_m"]) == (one.verdict, one.overturn, one.largest_m)
        assert one.low - 1e-12 <= row["difference"] <= one.high + 1e-12
    with pytest.raises(KeyError, match="no run 'b'"):
        untied.certify(files / "qrels.txt", {"x": files / "a.run", "c": files / "c.run"}).beside(plain)


def test_a_query_may_be_called_all() -> None:
    qrels = {"all": {"x": 1, "y": 0}, "z": {"x": 1}}
    runs = {"a": {"all": ["x"], "z": ["new"]}, "b": {"all": ["y", "x"], "z": ["y", "x"]}}
    verdicts, chances = untied.certify(qrels, runs, "P@1"), untied.distributions(qrels, runs, "P@1")
    compared = untied.compare_all(runs, "Delta(P@1)", qrels=qrels)["a", "b"]
    table = compared.table()
    assert table["query"] == ["all", "z", "all"]
    assert verdicts.beside(table)["verdict"] == ["", "", verdicts["a", "b"]["P@1"].verdict]
    assert verdicts.beside(compared.per_query)["overturn"] == [None, None]
    assert verdicts.beside(compared.means)["overturn"] == [verdicts["a", "b"]["P@1"].overturn]
    differences = untied.evaluate(qrels, runs, "P@1").query_differences()
    assert sorted(differences["query"]) == ["all", "z"]
    assert verdicts.beside(differences)["verdict"] == ["", ""]
    assert chances.beside(differences)["greater_low"] == [None, None]
    again = chances.beside(verdicts.beside(significance(untied.evaluate(qrels, runs, "P@1"), interval="none").table))
    assert again["greater_low"] == [1.0]


def test_stats(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["stats", str(files / "qrels.txt"), *(str(files / f"{name}.run") for name in "abc"), "-m", "P@3"]
    verdicts = asked(files, "P@3")
    main([*arguments, "--certify", "--baseline", "a", "--ties", "range"])
    for row in rows_of(capsys.readouterr().out):
        one = verdicts["a", row["run_a"]]["P@3"].turned
        assert row["verdict"] == one.verdict
        assert row["overturn"] == written(one.overturn)
        assert row["largest_m"] == written(one.largest_m)
    main([*arguments, "--certify", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert found["settings"]["certify"] is True
    assert [row["verdict"] for row in found["results"]] == [verdicts[pair]["P@3"].verdict for pair in verdicts.pairs]
    main([*arguments, "--certify", "--format", "table"])
    _, head, *_ = capsys.readouterr().out.splitlines()
    assert head.split("   ")[-3:] == ["verdict", "overturn", "largest m"]
    main(arguments)
    assert "verdict" not in capsys.readouterr().out


def test_compare(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(files / f"{name}.run") for name in "abc"]
    arguments = ["compare", *runs, "--qrels", str(files / "qrels.txt"), "-m", "RBO", "-m", "Delta(P@3)", "--certify"]
    verdicts = asked(files, "P@3")
    main([*arguments, "-q"])
    rows = rows_of(capsys.readouterr().out)
    means = [row for row in rows if row["query"] == "all" and row["measure"] == "Delta(P@3)"]
    expected = [verdicts[pair]["P@3"] for pair in verdicts.pairs]
    assert [row["verdict"] for row in means] == [one.verdict for one in expected]
    assert [row["overturn"] for row in means] == [written(one.overturn) for one in expected]
    assert {row["verdict"] for row in rows if row["query"] != "all" or row["measure"] == "RBO"} == {""}
    main([*arguments, "--format", "table"])
    out = capsys.readouterr().out
    assert out.splitlines()[-4].split() == ["run", "a", "run", "b", "measure", "verdict", "overturn", "largest_m"]
    assert [line.split()[3] for line in out.splitlines()[-3:]] == [one.verdict for one in expected]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            "stats {q} {a} {b} -m P@3 --certify --ties worst",
            "with --certify, --ties must be expected, range, docid, trec or given, not 'worst'",
        ),
        ("stats {q} {a} {b} -m P@3 --certify --unjudged remove", "--certify needs --unjudged nonrelevant or range"),
        ("stats {q} {a} {b} -m P@3 --certify --show power", "--show power cannot be combined with --certify"),
        ("stats {q} {a} {b} -m infAP --certify", "the verdict in infAP is not known: it has no bounds"),
        ("compare {a} {b} --certify -m Delta(P@3)", "--certify has no effect without --qrels"),
        ("compare {a} {b} --qrels {q} --certify -m RBO", "--certify needs MED or Delta"),
        ("gate {q} {a} --certain P@3", "--certain has no effect without --baseline"),
        ("gate {q} {a}", "give a limit: --min, --max, --max-drop, --max-med, --certain or --min-overturn"),
        ("gate {q} {a} --baseline {b} --min-overturn P@3=1.5", "must be a whole number of at least 1"),
        ("gate {q} {a} --baseline {b} --certain P@3 --ties worst", "--certain does not support --ties worst"),
    ],
)
def test_refused(arguments: str, said: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = {"q": files / "qrels.txt", "a": files / "a.run", "b": files / "b.run"}
    line = [word.format(**paths) for word in arguments.split()]
    try:
        code = main(line)
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert said in capsys.readouterr().err


def test_gate_names_what_overturns(files: Path) -> None:
    better, worse = ({query: [doc] for query in QUERIES} for doc in ("good", "bad"))
    qrels = {query: {"good": 1, "bad": 0} for query in QUERIES}
    run = better | {"q0": ["new", "good"]}
    [check] = untied.gate.gate(qrels, worse | {"q0": ["bad", "new"]}, baseline=run, certain="P@1").checks
    assert (check.passed, check.value) == (False, -1.0)
    [check] = untied.gate.gate(qrels, run, baseline=worse, min_overturn={"P@1": 7}).checks
    assert check.passed  # no unjudged document is in the baseline
    assert check.value == float("inf")
    base = worse | {query: ["n1"] for query in QUERIES[:3]}
    [check] = untied.gate.gate(qrels, better, baseline=base, min_overturn={"P@2": 7}).checks
    assert check.passed
    base = {query: ["n1", "n2"] for query in QUERIES}
    [check] = untied.gate.gate(qrels, better, baseline=base, min_overturn={"P@2": 7}, top=9).checks
    assert not check.passed
    assert check.value == 6  # one for each lead of a half, and the runs are equal
    assert sum(one["value"] for one in check.queries) == 6
    assert check.worst[0].endswith("of the documents")
    alike = [one["value"] for one in check.queries].count(check.queries[0]["value"]) - 1
    [check] = untied.gate.gate(qrels, better, baseline=base, min_overturn={"P@2": 7}, top=1).checks
    assert check.more == alike > 0
    assert check.worst[1:] == [f"... and {alike} more with the same number"]


@pytest.mark.parametrize("ties", ["expected", "docid"])
def test_levels(ties: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = {name: files / f"{name}.run" for name in "abc"}
    measures = ["P@3", "RR"]
    found = untied.certify(files / "qrels.txt", runs, measures, ties=ties)
    rows = found.levels(level=0.9).to_dicts()
    assert [(row["run_a"], row["run_b"]) for row in rows[::6]] == found.pairs
    alone = untied.evaluate(files / "qrels.txt", runs, measures, ties="range" if ties == "expected" else ties)
    tested = significance(alone, level=0.9, correction="none").table.to_dicts()
    intervals = {(row["measure"], row["run_a"], row["run_b"]): (row["ci_low"], row["ci_high"]) for row in tested}
    for row in rows:
        a, b, measure, low, high = (row[name] for name in ("run_a", "run_b", "measure", "low", "high"))
        if row["level"] == "judgments":
            one = found[a, b][measure]
            assert (row["verdict"], low, high) == (one.verdict, one.low, one.high)
        elif row["level"] == "queries":
            assert (low, high) == intervals[measure, a, b]
            assert row["verdict"] == ("A (90 %)" if low > 0 else "B (90 %)" if high < 0 else "open")
        else:
            first, second = alone[a, measure], alone[b, measure]
            ends = [(one.mean, one.mean) if one.low is None else (one.low, one.high) for one in (first, second)]
            assert (low, high) == pytest.approx((ends[0][0] - ends[1][1], ends[0][1] - ends[1][0]), abs=1e-12)
            assert row["verdict"] == ("A" if low > 0 else "B" if high < 0 else "open")
    assert {row["level"] for row in rows} == {"ties", "judgments", "queries"}
    lines = [str(files / "qrels.txt"), *map(str, runs.values()), "-m", "P@3", "--ties", ties, "--show", "levels"]
    main(["certify", *lines])
    assert len(rows_of(capsys.readouterr().out)) == 9
    assert main(["certify", *lines, "--explain", "a", "b"]) == 2
