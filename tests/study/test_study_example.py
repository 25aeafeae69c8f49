"""Every study on the bundled example: whole, and with one run, two runs, one query."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping

import pytest

import untied
from nightly import at_night
from untied import study
from untied.cli import main

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "tar2017"
PATHS = [EXAMPLE / f"{name}.run" for name in ("amc", "qut", "uos", "waterloo")]
#: Less of what takes long.
OPTIONS: dict[str, dict[str, object]] = {
    "incomplete": {"rates": [1, 0.5, 0.1], "samples": 2},
    "judges": {"samples": 2, "asked": 12},
}
#: Those of runs of documents.
OF_DOCUMENTS = [name for name in study.STUDIES if name != "passages"]
#: How many runs each needs.
LEAST = {"ties": 1, "judges": 1, "med": 3}

Judged = dict[str, dict[str, float]]


def read(path: pathlib.Path, column: int) -> Judged:
    found: Judged = {}
    for fields in map(str.split, path.read_text().splitlines()):
        found.setdefault(fields[0], {})[fields[2]] = float(fields[column])
    return found


@pytest.fixture(scope="module")
def example() -> tuple[Judged, dict[str, Judged]]:
    return read(EXAMPLE / "qrels.txt", 3), {path.stem: read(path, 4) for path in PATHS}


def conducted(name: str, qrels: Judged, runs: Mapping[str, Judged], folder: pathlib.Path) -> None:
    """All of its files are there, and its summary shows every picture; too few runs are refused."""
    conduct = getattr(study, name)
    options = OPTIONS.get(name, {})
    least = LEAST.get(name, 2)
    if len(runs) < least:
        with pytest.raises(untied.UntiedError, match=f"at least {least} runs, found {len(runs)}"):
            conduct(qrels, runs, folder, **options)
        return
    found = conduct(qrels, runs, folder, **options)
    assert {path.name for path in folder.iterdir()} >= set(found.files)
    drawn = [path.name for path in folder.glob("*.svg")]
    assert drawn
    assert all(f"({file})" in found.summary for file in drawn)
    assert found.rows


@pytest.mark.parametrize("count", [4, 1, *at_night(2)])
@pytest.mark.parametrize("name", OF_DOCUMENTS)
def test_runs(name: str, count: int, example: tuple[Judged, dict[str, Judged]], tmp_path: pathlib.Path) -> None:
    qrels, runs = example
    conducted(name, qrels, dict(list(runs.items())[:count]), tmp_path / "study")


@pytest.mark.parametrize("name", OF_DOCUMENTS)
def test_one_query(name: str, example: tuple[Judged, dict[str, Judged]], tmp_path: pathlib.Path) -> None:
    """Of as few runs as the study takes."""
    qrels, runs = example
    query = min(qrels)
    of_query = {run: {query: ranking[query]} for run, ranking in list(runs.items())[: LEAST.get(name, 2)]}
    conducted(name, {query: qrels[query]}, of_query, tmp_path / "study")


def test_runs_of_no_common_group(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No two names of the example begin alike: there are no bars, and the summary has no place for them."""
    assert main(["study", "med", str(EXAMPLE / "qrels.txt"), *map(str, PATHS), "-o", str(tmp_path)]) == 0
    assert "error" not in capsys.readouterr().err
    assert not (tmp_path / "med-groups.svg").exists()
    assert (tmp_path / "med-map.svg").exists()
    summary = (tmp_path / "summary.md").read_text()
    assert "0 of them from the same group" in summary
    assert "med-groups" not in summary


def test_nothing_swept(example: tuple[Judged, dict[str, Judged]], tmp_path: pathlib.Path) -> None:
    """Without other distances and parameters there is no plot of these."""
    qrels, runs = example
    found = study.med(qrels, runs, tmp_path, distances=[], psi=[], cutoffs=[], rates=[0])
    assert not {"med-measures.svg", "med-parameters.svg"} & set(found.files)
    one = study.agreement(qrels, runs, tmp_path / "one", measures=["AP"])
    assert "agreement-measures.svg" not in one.files
