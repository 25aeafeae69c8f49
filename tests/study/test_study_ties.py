"""The study of ties: its tables against the public interface and by hand."""

from __future__ import annotations

import itertools
import pathlib

import pytest

import untied
from study_data import check, collection
from untied import study
from untied.cli import main
from untied.comparison.correlation import kendall, swapped
from untied.study.ties_precision import at_precision


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[study.Result, pathlib.Path, list[pathlib.Path]]:
    folder = tmp_path_factory.mktemp("ties")
    qrels, runs = collection(folder)
    return check(study.ties, qrels, runs, folder, measures=["AP", "RR", "nDCG@5"]), qrels, runs


def test_values(found: tuple[study.Result, pathlib.Path, list[pathlib.Path]]) -> None:
    result, qrels, runs = found
    for ties, column in (("range", "value"), ("docid", "docid"), ("given", "given")):
        expected = untied.evaluate(qrels, runs, ["AP", "RR", "nDCG@5"], ties=ties, score_dtype="bfloat16")
        for row in result.tables["ties"].to_dicts():
            if row["precision"] == "bfloat16":
                value = expected.value(row["measure"], run=row["run"])
                assert row[column] == value.mean
                if ties == "range":
                    assert (row["low"], row["high"]) == (value.low, value.high)
    queries = untied.evaluate(qrels, runs, ["AP", "RR", "nDCG@5"], ties="range").per_query
    assert result.tables["ties-queries"].to_dicts() == queries.to_dicts()


def test_counts(found: tuple[study.Result, pathlib.Path, list[pathlib.Path]]) -> None:
    result, qrels, runs = found
    rows = {(row["run"], row["precision"]): row for row in result.tables["ties-runs"].to_dicts()}
    for path in runs:
        run = untied.read_run(path)
        groups = [
            len(list(group))
            for query in run.queries()
            for _, group in itertools.groupby(sorted(score for _, score in run[query]))
        ]
        row = rows[path.stem, "float64"]
        assert row["documents"] == sum(groups) == 200
        assert row["tied"] == sum(size for size in groups if size > 1)
        assert row["largest"] == max(groups)
        assert row["mixed_queries"] == untied.evaluate(qrels, run, "AP").facts()["run"]["mixed"]
    assert rows["aaa1", "float64"]["tied_queries"] == 5


def test_rankings_of_runs(found: tuple[study.Result, pathlib.Path, list[pathlib.Path]]) -> None:
    result, qrels, runs = found
    values = untied.evaluate(qrels, runs, "RR", ties="range")
    by_id = untied.evaluate(qrels, runs, "RR", ties="docid", score_dtype="float16")
    one = {run: round(by_id[run, "RR"].mean, 12) for run in by_id.runs}
    other = {run: round(values[run, "RR"].mean, 12) for run in values.runs}
    [row] = [
        row for row in result.tables["ties-orders"].rows() if row[:5] == ("RR", "float16", "docid", "float64", "mean")
    ]
    assert row[5:] == (6, kendall(one, other, variant="b").mean, swapped(one, other), 15)
    reversible = 0
    for a, b in itertools.combinations(values.runs, 2):
        x, y = values[a, "RR"], values[b, "RR"]
        ahead, behind = (x, y) if x.mean > y.mean else (y, x)
        reversible += x.mean != y.mean and behind.high > ahead.low
    [row] = [row for row in result.tables["ties-reversible"].rows() if row[:2] == ("RR", "float64")]
    assert row[4:6] == (15, reversible)
    assert reversible > 0


def test_eight_bits() -> None:
    """The scores of a query are spread over 256 levels, whatever those of another are."""
    scores = {"q": {"a": 1.0, "b": 0.0, "c": 0.5, "d": 0.5 + 0.4 / 255, "e": -0.0}, "one": {"x": 7.0}, "far": {
        "x": 1.7e308, "y": -1.7e308, "z": 0.0}}  # fmt: skip
    read, dtype = at_precision(untied.Run.from_mapping(scores), "8 bits")
    assert dtype == "float64"
    assert dict(read["q"]) == {"a": 255, "b": 0, "c": 128, "d": 128, "e": 0}
    assert dict(read["one"]) == {"x": 0}
    assert dict(read["far"]) == {"x": 255, "y": 0, "z": 128}


def test_scores_that_do_not_fit(tmp_path: pathlib.Path) -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    runs = {"small": {"q": {"a": 1.0, "b": 2.0}}, "large": {"q": {"a": 1e5, "b": 2e5}}}
    found = study.ties(qrels, runs, tmp_path, measures="RR", plots="none")
    assert {(row["run"], row["precision"]) for row in found.tables["ties"].to_dicts() if row["run"] == "large"} == {
        ("large", precision) for precision in ("float64", "float32", "bfloat16", "8 bits")
    }
    [tied] = [row["tied"] for row in found.tables["ties-runs"].to_dicts() if row["run"] == "large"
              and row["precision"] == "float16"]  # fmt: skip
    assert tied is None
    assert "| float16 | 1 |" in found.summary


def test_names_of_runs_are_no_markup(tmp_path: pathlib.Path) -> None:
    """In the summary, in its notes, and in pictures, where dollars would begin a formula."""
    qrels = {"q": {"a": 1, "b": 0, "c": 1}, "r": {"a": 1}}
    runs = {"a`b$x^2$": {"q": {"a": 1, "b": 1, "c": 1}}, "<i>*c*": {"q": {"a": 2, "b": 1, "c": 1}, "r": {"a": 1}}}
    result = study.ties(qrels, runs, tmp_path / "out", measures=["AP"])
    assert "in the run ``a`b$x^2$``" in result.summary
    assert "| ``a`b$x^2$`` 0." in result.summary
    assert r"missing, and count as empty rankings: 1 in a\`b$x^2$." in result.summary
    pictures = [(tmp_path / "out" / file).read_text() for file in result.files if file.endswith(".svg")]
    assert any("<!-- a`b$x^2$ -->" in picture for picture in pictures)


def test_one_run_and_cost(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, runs = collection(tmp_path)
    assert main(["study", "ties", str(qrels), str(runs[0]), "-o", str(tmp_path / "out"), "-m", "P@5", "--cost"]) == 0
    assert "ties-cost.tsv" in capsys.readouterr().err
    header, *lines = (tmp_path / "out" / "ties-cost.tsv").read_text().splitlines()
    assert header.split("\t") == ["measure", "precision", "given_ms", "docid_ms", "expected_ms", "range_ms", "to_given",
                                  "to_docid"]  # fmt: skip
    assert [line.split("\t")[:2] for line in lines] == [["P@5", "float64"], ["P@5", "8 bits"]]
    summary = (tmp_path / "out" / "summary.md").read_text()
    assert summary.index("## What averaging over ties costs") < summary.index("## Tables")
    times = " | ".join(f"{float(cell):.2f}" for cell in lines[0].split("\t")[2:])
    assert f"| P@5 | float64 | {times} |" in summary
    assert "--cost -o DIR" in summary
    assert "| `range_ms` | CPU milliseconds" in summary
    # Times are no part of what is kept: without them the study goes on.
    assert main(["study", "ties", str(qrels), str(runs[0]), "-o", str(tmp_path / "out"), "-m", "P@5"]) == 0
    assert "(5 parts were already finished)" in capsys.readouterr().err
    assert "averaging over ties costs" not in (tmp_path / "out" / "summary.md").read_text()
    assert not (tmp_path / "out" / "ties-swaps.svg").exists()
    with pytest.raises(SystemExit):
        main(["study", "ties", str(qrels), str(runs[0]), "-o", str(tmp_path / "out"), "--seed", "1"])
