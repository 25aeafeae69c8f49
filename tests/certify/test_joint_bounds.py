"""Bounds of differences in tables of tests are those of verdicts: against all grades of unjudged documents."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Any

import pytest

import untied
from nightly import many
from oracle.verdicts import Case, extremes
from test_certify import FORMS, TOLERANCE, Form, as_run, drawn, with_scale
from untied.cli import main
from untied.measures import as_measure
from untied.report.verdicts import PageVerdicts
from untied.statistics import significance

EXACT = [form for form in FORMS if form.name not in ("ERR(max_grade=1)",)]


@pytest.mark.parametrize("options", [{}, {"ties": "docid"}, {"queries": "common"}, {"ties": "range"}], ids=str)
@pytest.mark.parametrize("form", EXACT, ids=lambda form: form.name)
def test_all_grades(form: Form, options: dict[str, Any]) -> None:
    """Of every query, of the mean, in tests, tables of differences and verdicts; both runs are in both orders."""
    tied = options.get("ties") == "range"
    cases = with_scale(drawn(f"joint {form.name} {options}", form.grades, tied, many(4, nightly=500)), form.grades)
    cases = [case for case in cases if (case.a and case.b) or "queries" not in options]
    both = [["x"], ["d"]]  # so that runs and judgments have documents in common
    cases.append(Case(both, both[::-1], {"x": form.grades[-1], "d": 0}))
    queries = {f"q{i:05}": case for i, case in enumerate(cases)}
    qrels = {query: {**case.known, **dict.fromkeys(case.free, -1)} for query, case in queries.items()}
    runs = {"a": as_run(queries, "a"), "b": as_run(queries, "b")}
    results = untied.evaluate(qrels, runs, form.name, unjudged="range", unretrieved="pooled", **options)
    found = {row["query"]: row for row in results.query_differences().to_dicts()}
    lows, highs = [], []
    is_exact = form.any_order if tied else True
    for query, case in queries.items():
        low, high = extremes(form.score, case, form.grades, any_order=tied)[-1]
        assert found[query]["least"] <= low + TOLERANCE
        assert found[query]["most"] >= high - TOLERANCE
        if is_exact:
            assert (found[query]["least"], found[query]["most"]) == pytest.approx((float(low), float(high)), abs=1e-9)
        lows.append(low)
        highs.append(high)
    tested = significance(results, interval="none")
    assert not tested.apart
    (row,) = tested.table.to_dicts()
    (turned,) = significance(results, interval="none", baseline="a").table.to_dicts()
    assert (turned["least"], turned["most"]) == pytest.approx((-row["most"], -row["least"]), abs=1e-12)
    number = len(lows)
    if is_exact:
        assert row["least"] == pytest.approx(float(sum(lows)) / number, abs=TOLERANCE)
        assert row["most"] == pytest.approx(float(sum(highs)) / number, abs=TOLERANCE)
    if "queries" not in options:
        told = untied.certify(qrels, runs, form.name, unretrieved="pooled", ties=options.get("ties", "expected"))
        verdict = told["a", "b"][form.name]
        assert (row["least"], row["most"]) == pytest.approx((verdict.low, verdict.high), abs=1e-12)
        assert row["survives"] == "no" or verdict.verdict != "open"


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
@pytest.mark.parametrize(
    ("measure", "options"), [("ESL", {}), ("RR(mean='geometric')", {}), ("AP", {"ties": "best"}), ("AP", {"s": 1})]
)
def test_bounds_of_each_run_alone_say_so(tmp_path: Any, measure: str, options: dict[str, Any]) -> None:
    """Where both runs have no bounds together: no verdicts, the best order of ties, streamed runs."""
    qrels = {"q": {"x": 1, "y": 0}, "r": {"x": 1}}
    runs: dict[str, Any] = {"a": {"q": ["x", "u"], "r": ["x"]}, "b": {"q": ["y", "v", "x"], "r": ["v", "x"]}}
    stream = bool(options.pop("s", None))
    if stream:
        for name, run in runs.items():
            runs[name] = tmp_path / f"{name}.run"
            rows = [f"{query} Q0 {doc} 1 {-rank} t\n" for query, docs in run.items() for rank, doc in enumerate(docs)]
            runs[name].write_text("".join(rows))
    results = untied.Evaluator(qrels, measure, unjudged="range", **options).evaluate(runs, stream=stream)
    tested = significance(results, interval="none")
    assert tested.apart == results.measures
    assert any(
        f"bounds of {results.measures[0]} over unjudged documents are computed for each run alone" in x
        for x in tested.notes
    )
    (row,) = tested.table.to_dicts()
    assert row["least"] <= row["difference"] <= row["most"]


def test_runs_ordered_by_rank_have_bounds_together(tmp_path: Any) -> None:
    files = []
    for name, docs in {"a": "xu", "b": "yv"}.items():
        files.append(tmp_path / f"{name}.run")
        files[-1].write_text("".join(f"q Q0 {doc} {rank} {rank} t\n" for rank, doc in enumerate(docs, 1)))
    results = untied.evaluate({"q": {"x": 1, "y": 0}}, files, "AP", run_format="trec-ranks", unjudged="range")
    (row,) = significance(results, interval="none").table.to_dicts()
    # With v relevant and u not: x is first of two relevant ones, v second.
    assert (row["least"], row["most"]) == pytest.approx((1 / 2 - 1 / 4, 1.0))


def test_ends_on_a_page_are_of_both_runs() -> None:
    """They are those of verdicts; where runs have no bounds together, the page has none."""
    from untied.inputs.convert import as_qrels, as_run

    qrels = as_qrels({"q": {"r": 1, "n": 0}})
    runs = {"a": as_run({"q": ["r"]}), "b": as_run({"q": ["n", "u", "v"]})}
    certain = PageVerdicts(qrels, runs, {"score_dtype": "float64", "threads": 1})
    verdict = untied.certify(qrels, runs, "AP")["a", "b"]["AP"]
    assert certain.others(untied.AP, 0, "expected") == [
        {"run": 1, "low": verdict.low, "high": verdict.high, "standing": "open"}
    ]
    assert certain.others(as_measure("RR(mean='geometric')"), 0, "expected") is None


def test_bpref_lies_within_what_is_said_of_it() -> None:
    """It leaves unjudged documents out, where its bounds give each of them a grade."""
    qrels = {
        "q0": {"d5": 1, "d1": 1, "d0": 0, "d4": 1, "d2": -1},
        "q1": {"d2": -1, "d1": 0, "d0": 1, "d4": -1},
    }
    runs = {
        "a": {"q0": ["d5", "d4", "d3", "d0"], "q1": ["d2", "d4"]},
        "b": {"q0": ["d0", "d3", "d2"], "q1": ["d2", "d4", "d0"]},
    }
    results = untied.evaluate(qrels, runs, "Bpref", unjudged="range")
    [row] = significance(results, interval="none").table.to_dicts()
    assert row["difference"] == pytest.approx(-1 / 6)
    assert row["least"] <= row["difference"] < 0 < row["most"]
    assert row["p_most"] >= row["p_adjusted"]
    for row in results.query_differences().to_dicts():
        assert row["least"] <= row["difference"] <= row["most"]
    verdict = untied.certify(qrels, runs, "Bpref")["a", "b"]["Bpref"]
    assert verdict.verdict == "A"  # and yet b leads by what is evaluated


def test_bounds_of_each_run_alone_are_not_bounds_of_a_difference() -> None:
    """A document that only the other run retrieved changes the difference, too: without a joint bound there is none."""
    qrels = {"q1": {"d1": 1, "d2": 0, "d3": 1}}
    runs = {"a": {"q1": ["d1", "x", "d3"]}, "b": {"q1": ["y", "d1", "z", "d3"]}}
    found = untied.evaluate(qrels, runs, ["AP", "ESL"], unjudged="range").query_differences().to_dicts()
    assert [isnan(row["least"]) and isnan(row["most"]) for row in found] == [False, True]
    assert found[0]["least"] <= found[0]["difference"] <= found[0]["most"]
    tied = untied.evaluate(qrels, runs, ["IPrec@0.5"], ties="range").query_differences().to_dicts()
    assert tied[0]["least"] == tied[0]["difference"] == tied[0]["most"]


def test_unknown_bounds_are_a_dash_on_the_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, lines in {
        "qrels": ["q1 0 d1 1", "q1 0 d2 0", "q1 0 d3 1"],
        "a": ["q1 0 d1 1 3 a", "q1 0 x 2 2 a", "q1 0 d3 3 1 a"],
        "b": ["q1 0 y 1 4 b", "q1 0 d1 2 3 b", "q1 0 z 3 2 b", "q1 0 d3 4 1 b"],
    }.items():
        (tmp_path / name).write_text("\n".join([*lines, ""]))
    given = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    assert main(["stats", *given, "-m", "ESL", "--unjudged", "range", "--top", "1", "--format", "table"]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("q1 ")]
    assert line.split() == ["q1", "0.0000", "1.0000", "-1.0000", "-"]
