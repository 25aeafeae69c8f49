"""Estimates from human and machine judgments on a page: the numbers of `estimate_runs` and `agreement`."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest

import untied
from browsing import Tab
from commands import Command
from nightly import seeded
from page_data import data_of
from untied.judging import agreement
from untied.report import judges, report
from untied.statistics import estimate_runs

Judgments = dict[str, dict[str, int]]
MEASURES = ["nDCG@3", "AP"]


def world(runs: int = 3, judged: int = 12) -> tuple[Judgments, Judgments, dict[str, dict[str, dict[str, float]]]]:
    """Human and machine judgments, and runs with ties."""
    rng = seeded("judges on a page")
    names = [f"q{number:02}" for number in range(30)]
    grades = {name: {f"d{place}": rng.choice([0, 0, 1, 2]) for place in range(8)} for name in names}
    machine = {
        name: {doc: grade if rng.random() < 0.75 else rng.choice([0, 1, 2]) for doc, grade in docs.items()}
        for name, docs in grades.items()
    }
    made = {
        f"run{number}": {
            name: {doc: round(grade + rng.gauss(0, 0.4 + number / 4)) for doc, grade in docs.items()}
            for name, docs in grades.items()
        }
        for number in range(runs)
    }
    return {name: grades[name] for name in rng.sample(names, judged)}, machine, made


def estimated(human: Any, machine: Any, runs: Any, **options: Any) -> Any:
    return estimate_runs(*(untied.evaluate(qrels, runs, MEASURES) for qrels in (human, machine)), **options)


def known(value: float) -> float | None:
    return None if math.isnan(value) else value


@pytest.mark.parametrize("baseline", [None, "run1"])
def test_the_numbers_are_those_of_the_functions(baseline: str | None) -> None:
    human, machine, runs = world()
    page = data_of(report(human, runs, MEASURES, machine=machine, baseline=baseline, level=0.9))
    shown = page["judges"]
    found = estimated(human, machine, runs, baseline=baseline, level=0.9)
    assert [shown[name] for name in ("basis", "target", "level")] == [found.basis, "all", 0.9]
    rows = [row for of_measure in shown["estimates"] for row in of_measure]
    for row, expected in zip(rows, found.table.to_dicts(), strict=True):
        assert page["runs"][row["a"]] == expected["run_a"]
        assert (row["b"] is None) == (not expected["run_b"])
        assert row["b"] is None or page["runs"][row["b"]] == expected["run_b"]
        numbers = {name: value for name, value in expected.items() if isinstance(value, float)}
        assert {name: row[name] for name in numbers} == {name: known(value) for name, value in numbers.items()}
        half = (expected["high"] - expected["low"]) / 2 / expected["width"]
        assert (row["human_low"], row["human_high"]) == (expected["human"] - half, expected["human"] + half)
    for row, expected in zip(shown["agreement"], agreement(human, machine, runs, level=0.9).to_dicts(), strict=True):
        assert row == {name: known(value) if isinstance(value, float) else value for name, value in expected.items()}
    assert shown["notes"] == found.notes
    assert page["notes"][-1].startswith("only the queries that people judged count here")


def test_the_human_mean_is_that_of_the_summary() -> None:
    human, machine, runs = world()
    page = data_of(report(human, runs, MEASURES, machine=machine))
    for means, rows in zip(page["means"], page["judges"]["estimates"], strict=True):
        assert [one["mean"] for one in means] == [row["human"] for row in rows if row["b"] is None]


def test_with_few_human_queries_there_is_no_interval() -> None:
    human, machine, runs = world(judged=4)
    shown = data_of(report(human, runs, "AP", machine=machine))["judges"]
    assert {row[end] for row in shown["estimates"][0] for end in ("low", "high", "human_low", "human_high")} == {None}
    assert "no interval: it needs 5 human queries or more" in shown["notes"]


def test_of_many_pairs_a_page_has_those_of_the_best_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "MOST_PAIRS", 2)
    human, machine, runs = world()
    page = data_of(report(human, runs, MEASURES, machine=machine))
    means = [row for row in estimated(human, machine, runs).table.to_dicts() if not row["run_b"]][:3]
    best = max(means, key=lambda row: row["estimate"])["run_a"]
    for rows in page["judges"]["estimates"]:
        assert [page["runs"][row["b"]] for row in rows if row["b"] is not None] == [best, best]
    assert page["judges"]["notes"][0].startswith(f"differences are from {best}, the best run by nDCG@3")


def test_strata_are_those_of_estimate_runs(tmp_path: Path) -> None:
    human, machine, runs = world(judged=20)
    kinds = {name: "even" if int(name[1:]) % 2 == 0 else "odd" for name in machine}
    with (tmp_path / "q.csv").open("w", newline="") as table:
        csv.writer(table).writerows([("query_id", "kind"), *kinds.items()])
    page = data_of(report(human, runs, "AP", machine=machine, query_table=tmp_path / "q.csv", strata="kind"))
    both = [untied.evaluate(qrels, runs, "AP") for qrels in (human, machine)]
    expected = estimate_runs(*both, strata=kinds).table.to_dicts()
    assert [row["low"] for row in page["judges"]["estimates"][0]] == [row["low"] for row in expected]
    assert page["judges"]["basis"].endswith("in 2 strata")
    assert page["settings"]["strata"] == "kind"


def test_preferences_have_estimates_and_no_grades_to_agree() -> None:
    rng = seeded("preferences on a page")
    pairs = {f"q{number}": [("a", "b")] if rng.random() < 0.5 else [("b", "c"), ("a", "c")] for number in range(12)}
    runs = {name: {query: rng.sample("abc", 3) for query in pairs} for name in ("one", "two")}
    human = {query: pairs[query] for query in list(pairs)[:7]}
    page = data_of(report(human, runs, "PairConcordance", machine=pairs, qrels_format="preferences"))
    assert page["judges"]["agreement"] == []
    assert len(page["judges"]["estimates"][0]) == 3


def test_segments_and_estimates_go_together() -> None:
    human, machine, runs = world()
    page = data_of(report(human, runs, "AP", machine=machine, by="re:(q[0-2]).*"))
    assert page["judges"] == data_of(report(human, runs, "AP", machine=machine))["judges"]


def test_a_machine_may_give_probabilities() -> None:
    human, machine, runs = world()
    rng = seeded("probabilities on a page")
    sure = {query: {doc: round(rng.random(), 2) for doc in docs} for query, docs in machine.items()}
    page = data_of(report(human, runs, "P@3", machine=sure, qrels_format="probabilities"))
    both = [
        untied.evaluate(human, runs, "P@3"), untied.evaluate(sure, runs, "P@3", qrels_format="probabilities")
    ]  # fmt: skip
    expected = estimate_runs(*both).table.to_dicts()
    assert [row["estimate"] for row in page["judges"]["estimates"][0]] == [row["estimate"] for row in expected]
    assert page["judges"]["agreement"] == []


@pytest.mark.parametrize(("options", "why"), [
    ({"machine": {}, "live": True}, "a live report cannot estimate"),
    ({"strata": "kind"}, "strata has no effect without machine"),
    ({"query_table": "q.csv"}, "query_table has no effect without by or strata"),
])  # fmt: skip
def test_refusals(options: dict[str, Any], why: str) -> None:
    human, machine, runs = world()
    with pytest.raises(untied.UntiedError, match=why):
        report(human, runs, "AP", **options)
    with pytest.raises(untied.UntiedError, match="NumRet is no mean over queries"):
        report(human, runs, "NumRet", machine=machine)


def write(folder: Path, human: Judgments, machine: Judgments, runs: Any) -> list[str]:
    """Write files, and return the names of the runs'."""
    for name, qrels in {"human.qrels": human, "machine.qrels": machine}.items():
        lines = (f"{query} 0 {doc} {grade}\n" for query, docs in qrels.items() for doc, grade in docs.items())
        (folder / name).write_text("".join(lines))
    for name, run in runs.items():
        lines = (f"{query} Q0 {doc} 0 {score} x\n" for query, docs in run.items() for doc, score in docs.items())
        (folder / f"{name}.run").write_text("".join(lines))
    return [f"{name}.run" for name in runs]


def test_the_command_makes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, untied_: Command) -> None:
    monkeypatch.chdir(tmp_path)
    human, machine, runs = world()
    files = write(tmp_path, human, machine, runs)
    words = ["report", "human.qrels", *files, "-m", "AP", "--machine", "machine.qrels", "-o", "page.html"]
    code, _, err = untied_(*words)
    assert code == 0, err
    page = data_of(Path("page.html").read_text("utf-8"))
    inputs = ["human.qrels", "machine.qrels", *files]
    assert [one["path"] for one in page["inputs"]] == inputs
    assert Path("page.html").read_text("utf-8") == report(
        "human.qrels", files, "AP", machine="machine.qrels", inputs=inputs
    )  # fmt: skip
    code, _, err = untied_(*words, "--live")
    assert (code, "--live cannot be combined with --machine" in err) == (2, True)


def test_in_a_browser(browser: Any, tmp_path: Path) -> None:
    """The section follows the chosen measure, has a mark and two lines for each row, and fits a phone."""
    human, machine, runs = world()
    path = tmp_path / "page.html"
    path.write_text(report(human, runs, MEASURES, machine=machine), "utf-8")
    rows = estimated(human, machine, runs).table.to_dicts()
    tab = Tab(browser, path, viewport={"width": 380, "height": 800})
    where = tab.page.locator("#judges")
    for measure in MEASURES:
        tab.page.select_option("#measure", label=measure)
        mine = [row for row in rows if row["measure"] == measure]
        cells = where.locator("table").first.locator("tbody tr").all_inner_texts()
        for row, text in zip(mine, cells, strict=True):
            shown = f"{abs(row['estimate']):.4f}"
            assert shown in text
            assert ("*" in text) == bool(row["run_b"] and (row["low"] > 0 or row["high"] < 0))
        drawing = where.locator(".chart svg").first
        for mark in ("path.both", "circle.mean", "path.people", "circle.people", "path.machine"):
            assert drawing.locator(mark).count() == len(mine), mark
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.close()


def test_a_page_without_intervals_says_nothing_about_them(browser: Any, tmp_path: Path) -> None:
    human, machine, runs = world()
    few = dict(list(human.items())[:1])
    for judged, said in ((few, ""), (human, "The interval of each difference includes 0.")):
        path = tmp_path / "page.html"
        alike = {"a": runs["run0"], "b": runs["run0"]}
        path.write_text(report(judged, alike, "AP", machine=machine), "utf-8")
        tab = Tab(browser, path)
        assert tab.page.locator("#judges p.note").first.inner_text() == said
        queries = "1 query" if judged is few else f"{len(human)} queries"
        assert f"2 runs · {queries} ·" in tab.page.locator("header").inner_text()
        tab.close()
