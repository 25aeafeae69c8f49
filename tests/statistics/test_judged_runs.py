"""Estimates of runs from human and machine judgments: each is that of its values, and of what they cannot be."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import untied
from nightly import seeded
from untied.inputs.convert import as_qrels, as_run
from untied.measures import as_measure
from untied.statistics import estimate_mean, estimate_runs, judged_plot, mean_interval
from untied.statistics.judged_runs import by_people_alone, estimate_judged, notes_on_queries

MEASURES = ["AP", "nDCG@3", "P@3"]
Qrels = dict[str, dict[str, Any]]


def collection(queries: int = 30, judged: int = 12) -> tuple[Qrels, Qrels, dict[str, Qrels]]:
    """Human judgments, a machine's, and three runs with ties."""
    rng = seeded("judged runs")
    grades = {f"q{i:02}": {f"d{j}": rng.choice([0, 0, 1, 2]) for j in range(8)} for i in range(queries)}
    machine = {
        query: {doc: grade if rng.random() < 0.8 else rng.choice([0, 1, 2]) for doc, grade in docs.items()}
        for query, docs in grades.items()
    }
    runs = {
        name: {
            query: {doc: round(grade + rng.gauss(0, noise)) for doc, grade in docs.items()}
            for query, docs in grades.items()
        }
        for name, noise in (("good", 0.8), ("fair", 1.2), ("poor", 4))
    }
    return {query: grades[query] for query in sorted(grades)[:judged]}, machine, runs


def evaluated(**options) -> list[untied.Results]:
    human, machine, runs = collection()
    return [untied.evaluate(qrels, runs, MEASURES, **options) for qrels in (human, machine)]


def by_query(results: untied.Results, measure: str, run: str) -> dict[str, float]:
    return {query: results.value(measure, query, run).mean for query in results.queries}


@pytest.mark.parametrize("ties", ["expected", "docid"])
@pytest.mark.parametrize("target", ["all", "these"])
def test_each_estimate_is_that_of_its_values(ties, target):
    human, machine = evaluated(ties=ties)
    estimates = estimate_runs(human, machine, target=target, level=0.9)
    rows = estimates.table.to_dicts()
    assert len(rows) == len(MEASURES) * (3 + 3)
    assert (estimates.judged, estimates.queries, estimates.target, estimates.level) == (12, 30, target, 0.9)
    for row in rows:
        sides = [by_query(results, row["measure"], row["run_a"]) for results in (human, machine)]
        if row["run_b"]:
            others = [by_query(results, row["measure"], row["run_b"]) for results in (human, machine)]
            sides = [{query: a[query] - b[query] for query in a} for a, b in zip(sides, others, strict=True)]
        expected = estimate_mean(*sides, target=target, level=0.9)
        names = ["mean", "low", "high", "human", "machine", "bias", "correlation", "slope", "width", "equivalent"]
        found = list(row.values())[3:]
        assert found == pytest.approx([getattr(expected, name) for name in names], abs=1e-12, nan_ok=True)


def test_a_baseline_is_the_second_of_each_pair():
    rows = estimate_runs(*evaluated(), baseline="fair").table.to_dicts()
    assert [(row["run_a"], row["run_b"]) for row in rows[:5]] == [
        ("good", ""), ("fair", ""), ("poor", ""), ("good", "fair"), ("poor", "fair"),
    ]  # fmt: skip


def test_one_run_has_no_difference():
    human, machine, runs = collection()
    both = [untied.evaluate(qrels, {"good": runs["good"]}, "AP") for qrels in (human, machine)]
    estimates = estimate_runs(*both)
    assert len(estimates.table) == 1
    assert not any("one comparison" in note for note in estimates.notes)


def test_a_query_that_the_machine_left_out_gets_the_mean_of_the_others():
    human, machine, runs = collection()
    del machine["q03"]
    both = [untied.evaluate(qrels, runs, MEASURES) for qrels in (human, machine)]
    estimates = estimate_runs(*both)
    assert "queries that the machine did not judge, which get the mean of its values: 1" in estimates.notes
    assert estimates.queries == 30
    values = by_query(both[1], "AP", "good")
    expected = estimate_mean(by_query(both[0], "AP", "good"), values | {"q03": math.fsum(values.values()) / 29})
    row = estimates.table.to_dicts()[0]
    assert (row["estimate"], row["high"]) == pytest.approx((expected.mean, expected.high), abs=1e-12)


def test_a_machine_without_a_value_gets_the_mean_of_the_others():
    human, machine, runs = collection()
    machine["q20"] = dict.fromkeys(machine["q20"], 0)
    both = [untied.evaluate(qrels, {"good": runs["good"]}, "AP", on_undefined="nan") for qrels in (human, machine)]
    row = estimate_runs(*both).table.to_dicts()[0]
    defined = [value for value in by_query(both[1], "AP", "good").values() if not math.isnan(value)]
    assert len(defined) == 29
    assert row["machine"] == pytest.approx(math.fsum(defined) / 29, abs=1e-12)


def test_notes_name_the_estimates_that_they_are_about():
    human, machine, runs = collection()
    both = [untied.evaluate(qrels, {"x": runs["good"], "y": runs["good"]}, "AP") for qrels in (human, machine)]
    skewed, equal = estimate_runs(*both).notes
    assert skewed.endswith("without the machine (AP of x, AP of y)")
    assert equal == "all human values are equal, so nothing says how far others could lie (AP of x - y)"
    few = {query: human[query] for query in sorted(human)[:4]}
    both = [untied.evaluate(qrels, runs, "AP") for qrels in (few, machine)]
    notes = estimate_runs(*both).notes
    assert notes[0] == "no interval: it needs 5 human queries or more"  # of all estimates
    assert notes[-1] == "each interval is for one comparison: of 3, some may exclude 0 by chance"


def test_ranges_are_no_part_of_intervals():
    plain, ranged = (estimate_runs(*evaluated(ties=ties)) for ties in ("expected", "range"))
    assert ranged.table.to_dicts() == plain.table.to_dicts()
    assert set(ranged.notes) - set(plain.notes) == {
        "intervals are for the values themselves: how far ties or judgments could move them is not part of them"
    }


def test_what_is_refused():
    human, machine, runs = collection()
    sound = untied.evaluate(machine, runs, "AP")

    def refuse(said: str, one: untied.Results, other: untied.Results = sound, **options) -> None:
        with pytest.raises(untied.UntiedError, match=said):
            estimate_runs(one, other, **options)

    refuse("must be of the same runs and measures", untied.evaluate(human, runs, "P@3"))
    refuse("must be of the same runs and measures", untied.evaluate(human, {"good": runs["good"]}, "AP"))
    refuse("judged 30 queries and the machine only 12", sound, untied.evaluate(human, runs, "AP"))
    refuse("no run 'none'", untied.evaluate(human, runs, "AP"), baseline="none")
    counts = [untied.evaluate(qrels, runs, "NumRelRet") for qrels in (human, machine)]
    refuse("NumRelRet is no mean over queries", *counts)
    human["q00"] = dict.fromkeys(human["q00"], 0)
    undefined = untied.evaluate(human, runs, "AP", on_undefined="nan")
    refuse("the human judgments give query 'q00' no value of AP", undefined)


def test_the_picture_has_all_estimates(monkeypatch):
    """For each row, the marks and the ends of both lines are the numbers of the table; differences have a zero line."""
    matplotlib = pytest.importorskip("matplotlib.figure")
    figures = []

    def picture(draw, size, style):
        figures.append(matplotlib.Figure(figsize=size))
        draw(figures[-1])
        return style.encode()

    monkeypatch.setattr(judged_plot, "picture", picture)
    estimates = estimate_runs(*evaluated())
    assert estimates.plot("nDCG@3", style="pdf") == b"pdf"
    [figure] = figures
    rows = [row for row in estimates.table.to_dicts() if row["measure"] == "nDCG@3"]
    drawn = []
    for axis, panel in zip(figure.axes, (rows[:3], rows[3:]), strict=True):
        assert [label.get_text() for label in axis.get_yticklabels()] == [
            " \u2212 ".join(filter(None, (row["run_a"], row["run_b"]))) for row in panel
        ]
        drawn += [list(line.get_xdata()) for line in axis.get_lines()]
    expected = []
    for row in rows:
        half = (row["high"] - row["low"]) / 2 / row["width"]
        alone = [row["human"] - half, row["human"] + half]
        expected += [alone, [row["low"], row["high"]], [row["human"]], [row["estimate"]], [row["machine"]]]
    assert drawn == [*expected, [0, 0]]


def test_people_alone_have_their_own_interval():
    """The blue line of the picture is Student's interval of the human values, for the target "all"."""
    human, machine = evaluated()
    row = estimate_runs(human, machine).table.to_dicts()[0]
    low, high = mean_interval(list(by_query(human, "AP", "good").values()), method="t")
    assert by_people_alone(row) == pytest.approx((low, high), abs=1e-12)


def test_pictures_are_files():
    pytest.importorskip("matplotlib")
    estimates = estimate_runs(*evaluated())
    assert estimates.plot() == estimates.plot("AP", style="svg")
    assert estimates.plot("P@3", style="png").startswith(b"\x89PNG")
    with pytest.raises(KeyError, match="no estimate by RR; the measures are AP, nDCG@3, P@3"):
        estimates.plot("RR")
    with pytest.raises(untied.UntiedError, match="style must be"):
        estimates.plot(style="gif")
    few, machine, runs = collection(judged=4)
    both = [untied.evaluate(qrels, runs, "AP") for qrels in (few, machine)]
    assert estimate_runs(*both).plot().startswith(b"<?xml")  # without intervals


def test_the_basis_counts_queries_and_strata():
    human, machine = evaluated()
    assert estimate_runs(human, machine).basis == "from human judgments of 12 of 30 queries"
    strata = {query: query < "q06" for query in machine.queries}
    assert estimate_runs(human, machine, strata=strata).basis == (
        "from human judgments of 12 of 30 queries in 2 strata"
    )


def test_the_command_draws_one_measure(tmp_path, monkeypatch, untied_):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    human, machine, runs = collection()
    for name, qrels in {"human": human, "machine": machine}.items():
        lines = (f"{query} 0 {doc} {grade}\n" for query, docs in qrels.items() for doc, grade in docs.items())
        (tmp_path / name).write_text("".join(lines))
    for name, run in runs.items():
        lines = (f"{query} Q0 {doc} 0 {score} x\n" for query, docs in run.items() for doc, score in docs.items())
        (tmp_path / name).write_text("".join(lines))
    code, out, err = untied_("judges", "human", "machine", *runs, "-m", "AP", "-o", "a.svg", "-o", "a.tsv")
    assert (code, out) == (0, ""), err
    by_file = [untied.evaluate(qrels, list(runs), "AP") for qrels in ("human", "machine")]
    assert (tmp_path / "a.svg").read_bytes() == estimate_runs(*by_file).plot()
    assert (tmp_path / "a.tsv").read_text().startswith("measure\trun_a")
    code, _, err = untied_("judges", "human", "machine", *runs, "-m", "AP", "-m", "RR", "-o", "b.png")
    assert (code, "a plot needs one measure" in err) == (2, True), err
    assert not (tmp_path / "b.png").exists()


def test_only_queries_that_neither_judged_are_left_out():
    human, machine, runs = collection()
    del machine["q03"]
    loaded = {name: as_run(run | {"q99": {"d0": 1.0}}) for name, run in runs.items()}
    loaded["poor"] = as_run({query: docs for query, docs in runs["poor"].items() if query != "q20"})
    _, *both = estimate_judged(as_qrels(human), as_qrels(machine), loaded, [as_measure("AP")])
    missing, unknown = notes_on_queries({query for one in both for query in one.queries}, loaded)
    assert missing == "judged queries missing from a run: 1 from poor (counted as empty rankings)"
    assert unknown.startswith("queries without judgments, left out: 1 of good, 1 of fair")


@pytest.mark.parametrize("whose", ["human", "machine"])
def test_errors_say_which_judgments_are_unusable(whose):
    human, machine, runs = collection()
    both = {"human": human, "machine": machine}
    both[whose] = {query: dict.fromkeys(grades, 0) for query, grades in both[whose].items()}
    with pytest.warns(untied.UntiedWarning, match="nothing is relevant"):
        results = [untied.evaluate(qrels, runs, "P@3") for qrels in both.values()]
    with pytest.raises(untied.UntiedError, match=f"^{whose} judgments: nothing is relevant"):
        estimate_runs(*results)


@pytest.mark.parametrize("whose", ["human", "machine"])
def test_errors_say_which_judgments_have_no_query_of_a_run(whose, tmp_path, untied_):
    human, machine, runs = collection()
    both = {"human": human, "machine": machine}
    both[whose] = {f"other {query}": grades for query, grades in both[whose].items()}
    names = []
    for name, content in (*both.items(), ("good", runs["good"])):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
        names.append(tmp_path / f"{name}.json")
    code, _, err = untied_("judges", *names, "-m", "P@3")
    assert code == 2
    assert f"untied: {whose} judgments: no query in common with the qrels: 'good'" in err
