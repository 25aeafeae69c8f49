"""The study of agreement: its tables against the public interface and by hand."""

from __future__ import annotations

import pathlib

import pytest

import untied
from study_data import check, collection
from untied import study
from untied.cli import main
from untied.comparison.correlation import kendall, swapped, tau_ap
from untied.judging import sample

MEASURES = ["AP", "P@5", "RR"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, list[pathlib.Path]]:
    return collection(tmp_path_factory.mktemp("agreement"))


def means(qrels: object, runs: list[pathlib.Path], measure: str) -> dict[str, float]:
    found = untied.evaluate(qrels, runs, measure)
    return {run: round(found[run, measure].mean, 12) for run in found.runs}


def test_tables(data: tuple[pathlib.Path, list[pathlib.Path]], tmp_path: pathlib.Path) -> None:
    qrels, runs = data
    other = tmp_path / "other.qrels"
    other.write_text("".join(f"{line[:-1]}{(number * 7) % 3}\n" for number, line in enumerate(
        qrels.read_text().splitlines())))  # fmt: skip
    found = check(study.agreement, qrels, runs, tmp_path, measures=MEASURES, depths=[5, 2], qrels_also=[other])
    conditions = {"all": qrels, "depth 5": sample.pool(runs, 5, qrels), "depth 2": sample.pool(runs, 2, qrels),
                  "other": other}  # fmt: skip
    expected = {(measure, label): means(of, runs, measure) for label, of in conditions.items() for measure in MEASURES}
    # 3 pairs of measures with each judgments, 6 pairs of judgments with each measure.
    assert len(found.rows) == 4 * 3 + 3 * 6
    for measure, label, to_measure, to_label, tau, ap, swaps, tied, to_tied, pairs in found.rows:
        one, to = expected[measure, label], expected[to_measure, to_label]
        assert tau == kendall(one, to, variant="b").mean
        assert ap == tau_ap(one, to, variant="b").mean
        assert swaps == swapped(one, to)
        assert pairs == 15
        equal = [sum(values[a] == values[b] for a in values for b in values if a < b) for values in (one, to)]
        assert [tied, to_tied] == equal
    for run, measure, label, value, rank in found.tables["agreement-runs"].rows():
        values = expected[measure, label]
        assert round(value, 12) == values[run]
        better, equal = sum(v > values[run] for v in values.values()), sum(v == values[run] for v in values.values())
        assert rank == better + (equal + 1) / 2
    judged = {row["judgments"]: row for row in found.tables["agreement-judgments"].to_dicts()}
    grades = [grade for of in conditions["depth 5"].values() for grade in of.values()]
    assert judged["all"]["judged"] == 125
    assert judged["depth 5"]["judged"] == sum(grade >= 0 for grade in grades) < len(grades)
    assert f"--qrels-also {other}" in found.summary


def test_moves(tmp_path: pathlib.Path) -> None:
    """By hand: by RR x is first, y second, z last; by P@3 z is first, x and y are equal."""
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    runs = {
        "x": {"q": ["a", "n1", "n2"]},
        "y": {"q": ["n1", "a", "n2"]},
        "z": {"q": ["n1", "n2", "a", "b", "c"]},
    }
    found = study.agreement(qrels, runs, tmp_path, measures=["RR", "R@5"], depths=[0], plots="none")
    moves = {row["run"]: row for row in found.tables["agreement-moves"].to_dicts() if row["over"] == "measure"}
    assert [(moves[run]["highest_rank"], moves[run]["lowest_rank"]) for run in "xyz"] == [(1, 2.5), (2, 2.5), (1, 3)]
    assert (moves["z"]["highest"], moves["z"]["lowest"]) == ("R@5", "RR")
    [row] = found.rows
    # Of RR's three pairs R@5 ties one and swaps two.
    assert row == ("RR", "all", "R@5", "all", -2 / (3 * 2) ** 0.5, pytest.approx(-1), 2, 0, 1, 3)
    assert "--depths 0 -o DIR" in found.summary


def test_refusals(
    data: tuple[pathlib.Path, list[pathlib.Path]], tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, runs = data
    for options, said in (
        ({"depths": [-1]}, r"a pool's depth must be at least 1 \(0: none\), not -1"),
        ({"qrels_also": {"all": qrels}}, "other judgments cannot be named 'all'"),
    ):
        with pytest.raises(untied.UntiedError, match=said):
            study.agreement(qrels, runs, tmp_path / "out", **options)
    with pytest.raises(untied.UntiedError, match="a ranking of runs needs at least 2 runs, found 1"):
        study.agreement(qrels, runs[0], tmp_path / "out")
    with pytest.raises(SystemExit):
        main(["study", "agreement", str(qrels), *map(str, runs), "-o", str(tmp_path / "out"), "--depths", "x"])
    assert "must be whole numbers separated by commas, not 'x'" in capsys.readouterr().err
