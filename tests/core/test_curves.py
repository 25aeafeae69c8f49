"""Curves of one query: against the definitions, every order of ties, and as files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import untied
from oracle.partial import adr_profile
from strategies import close
from untied.cli import main
from untied.evaluation.curves import NAMES, curves

CASES = json.loads((Path(__file__).parents[1] / "golden.json").read_text())["cases"]
EXAMPLE = Path(__file__).parents[2] / "examples" / "tar2017"
QUERY = "CD010023"


def column(table: Any, curve: str, name: str = "value") -> list[float]:
    return [row[name] for row in table.to_dicts() if row["curve"] == curve]


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["measure"] == "ADR.profile"], ids=lambda case: case["id"]
)
def test_golden(case: dict[str, Any]) -> None:
    given_ = case["input"]
    assert given_["params"] == {"beyond": "position"}
    table = curves({"q": given_["truth"]}, {"q": given_["ranking"]}, "q")
    assert all(map(close, column(table, "dynamic_recall"), case["float"]))
    assert len(column(table, "dynamic_recall")) == len(case["float"])


@given(st.data())
def test_over_all_orders(data: st.DataObject) -> None:
    docs = "abcdef"
    grades = {doc: float(data.draw(st.integers(0, 3))) for doc in docs} | {"u": 1.0}
    groups: list[list[str]] = []
    for doc in data.draw(st.permutations([*docs, "x"])):
        if groups and data.draw(st.booleans()):
            groups[-1].append(doc)
        else:
            groups.append([doc])
    table = curves({"q": grades}, {"q": groups}, "q")
    depth = len(column(table, "found"))
    assert depth == 7
    orders = list(oracle.permutations(groups)) if max(map(len, groups)) < 5 else []
    listed = {
        "dynamic_recall": [adr_profile(order, grades) for order in orders],
        "found": [[sum(grades.get(doc, 0) >= 1 for doc in order[:k]) for k in range(1, 8)] for order in orders],
    }
    for curve, profiles in listed.items():
        for k in range(depth if orders else 0):
            values = [Fraction(profile[k]) for profile in profiles]
            assert close(column(table, curve)[k], sum(values) / len(values))
            assert close(column(table, curve, "low")[k], min(values))
            assert close(column(table, curve, "high")[k], max(values))
    # The mean of the curve, to the end of the truth, is ADR.
    n = sum(grade >= 1 for grade in grades.values())
    adr = untied.evaluate({"q": grades}, {"q": groups}, ["ADR"])["ADR"].mean
    found = [*column(table, "dynamic_recall"), 0.0][:n]
    assert close(sum(found) / n, adr) or n > depth


def test_precision_recall_and_gain_are_the_measures() -> None:
    table = curves(EXAMPLE / "qrels.txt", [EXAMPLE / "amc.run", EXAMPLE / "uos.run"], QUERY, depth=12, ties="best")
    assert table.columns == ["run", "query", "curve", "rank", "value"]
    names = {"found": "Hits@7", "precision": "P@7", "recall": "R@7", "DCG": "DCG@7"}
    runs = [EXAMPLE / "amc.run", EXAMPLE / "uos.run"]
    results = untied.evaluate(EXAMPLE / "qrels.txt", runs, list(names.values()), ties="best")
    rows = {(row["run"], row["curve"]): row["value"] for row in table.to_dicts() if row["rank"] == 7}
    assert {curve for _, curve in rows} == set(NAMES)
    for run in ("amc", "uos"):
        for curve, measure in names.items():
            assert rows[run, curve] == results.value(measure, query=QUERY, run=run).mean


def test_a_run_without_the_query_is_empty() -> None:
    with pytest.warns(untied.UntiedWarning, match="nothing is retrieved: 'run'"):
        assert curves({"q": [["a"], ["b"]], "r": {"a": 1}}, {"r": ["a"]}, "q")["value"] == [0.0] * 10
    with pytest.raises(untied.UntiedError, match="no query in common with the qrels: 'run'"):
        curves({"q": {"a": 1}}, {"r": ["a"]}, "q")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--query", "none"), "query 'none' is not in the qrels"),
        (("--query", QUERY, "--rel", "9"), f"nothing is relevant to query '{QUERY}'"),
        (("--query", QUERY, "--panel", "gain"), "--panel needs --format svg, png or pdf"),
    ],
)
def test_refused(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    assert main(["curve", str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "amc.run"), *arguments]) == 2
    assert message in capsys.readouterr().err
    with pytest.raises(untied.UntiedError, match="depth must be at least 1"):
        curves({"q": {"a": 1}}, {"q": ["a"]}, "q", depth=0)


def test_tsv_and_csv(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    arguments = ["curve", str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "uos.run"), "--query", QUERY, "--depth", "3"]
    assert main(arguments) == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert lines[0] == "run\tquery\tcurve\trank\tvalue\tlow\thigh"
    assert len(lines) == 1 + 3 * len(NAMES)
    assert main([*arguments, "-o", str(tmp_path / "curves.csv")]) == 0
    assert (tmp_path / "curves.csv").read_text().splitlines() == [line.replace("\t", ",") for line in lines]


@pytest.mark.parametrize("style", ["svg", "png", "pdf"])
def test_plots(tmp_path: Path, style: str) -> None:
    pytest.importorskip("matplotlib")
    runs = [str(EXAMPLE / f"{name}.run") for name in ("amc", "uos")]
    files = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.{style}"
        assert (
            main(["curve", str(EXAMPLE / "qrels.txt"), *runs, "--query", QUERY, "--depth", "20", "-o", str(path)]) == 0
        )
        files.append(path.read_bytes())
    assert files[0] == files[1]
    assert files[0].startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[style])
    one_panel = tmp_path / f"panel.{style}"
    arguments = ["curve", str(EXAMPLE / "qrels.txt"), runs[0], "--query", QUERY, "--panel", "dynamic-recall"]
    assert main([*arguments, "-o", str(one_panel)]) == 0
    assert one_panel.stat().st_size != len(files[0])


@pytest.mark.parametrize("depth", [1, 2, 23, 100])
@pytest.mark.parametrize("panel", ["dynamic-recall", "gain"])
def test_ranks_of_a_plot_begin_with_1(tmp_path: Path, depth: int, panel: str) -> None:
    """No tick stands at rank 0 or between two ranks, and a curve of one rank is a point that can be seen."""
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.svg"
    arguments = ["--query", QUERY, "--depth", str(depth), "--panel", panel, "-o", str(path)]
    assert main(["curve", str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "amc.run"), *arguments]) == 0
    drawn = path.read_text()
    # Matplotlib writes what each label says into a comment.
    ticks = re.findall("<!-- ([0-9.]+) -->", drawn[drawn.index("matplotlib.axis_1") : drawn.index("matplotlib.axis_2")])
    assert ticks
    assert all(tick.isdigit() and 1 <= int(tick) <= depth for tick in ticks)
    assert bool(re.search('<use [^>]*style="fill: #0072b2; stroke: #0072b2', drawn)) == (depth == 1)


def test_without_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    path = tmp_path / "plot.svg"
    arguments = ["curve", str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "amc.run"), "--query", QUERY, "-o", str(path)]
    assert main(arguments) == 2
    assert "plots need matplotlib" in capsys.readouterr().err
    assert not path.exists()


def test_printing_loads_no_matplotlib() -> None:
    code = "import sys; from untied.cli import main; main(sys.argv[1:]); sys.exit(3 * ('matplotlib' in sys.modules))"
    arguments = ["curve", str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "amc.run"), "--query", QUERY, "--depth", "2"]
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.DEVNULL)
