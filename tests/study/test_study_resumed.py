"""Going on with a study that is another one now: other inputs, another release, other options, a damaged file."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

import pytest

import untied
from study_data import collection, contents
from untied import study
from untied.cli import main

#: What makes every study quick.
QUICK: dict[str, dict[str, Any]] = {
    "incomplete": {"rates": [0.5], "samples": 1, "measures": ["infAP"]},
    "imperfect": {"rates": [0.5], "samples": 1, "measures": ["infAP"]},
    "ties": {"measures": ["AP"]},
    "med": {"measure": "nDCG@5", "distances": ["RBO"], "rates": [0.5], "psi": [0.5], "cutoffs": [5]},
    "agreement": {"measures": ["AP"], "depths": [5]},
    "order": {"measures": ["AP"], "depth": 5},
    "judges": {"measures": ["AP"], "machines": ["good"], "judged": [6], "samples": 1, "asked": 12},
}
#: Of every option on which values depend another value.
OTHERS: dict[str, dict[str, Any]] = {
    "incomplete": {
        "rates": [0.4], "samples": 2, "measures": ["indAP"], "rel": 2, "pool_depth": 5, "sampling": "simple-random",
        "seed": 1,
    },
    "imperfect": {"rates": [0.4], "samples": 2, "measures": ["indAP"], "rel": 2, "pool_depth": 5, "seed": 1},
    "ties": {"measures": ["RR"]},
    "med": {
        "measure": "nDCG@4", "distances": ["RBO(p=0.8)"], "rates": [0.4], "psi": [0.6], "cutoffs": [4], "prefix": 1,
        "ties": "given", "seed": 1,
    },
    "agreement": {"measures": ["RR"], "depths": [6]},
    "order": {"measures": ["RR"], "depth": 6},
    "judges": {
        "measures": ["RR"], "machines": ["llm"], "judged": [7], "samples": 2, "asked": 13, "strata": 2, "depth": 6,
        "seed": 1,
    },
}  # fmt: skip


def begin(name: str, folder: pathlib.Path, **options: Any) -> study.Result:
    """The study over the collection in a folder, in its folder `out`."""
    paths = sorted(folder.glob("*.run"))
    out = folder / "out"
    return getattr(study, name)(folder / "qrels.txt", paths, out, plots="none", **{**QUICK[name], **options})


def refused(name: str, folder: pathlib.Path, said: str, **options: Any) -> None:
    """The study is not gone on with, and what is there stays."""
    before = contents(folder / "out")
    with pytest.raises(untied.UntiedError, match=said):
        begin(name, folder, **options)
    assert contents(folder / "out") == before


@pytest.mark.parametrize("name", QUICK)
def test_every_option_that_values_depend_on_belongs_to_the_study(name: str, tmp_path: pathlib.Path) -> None:
    collection(tmp_path)
    begin(name, tmp_path)
    settings = json.loads((tmp_path / "out" / "parts.jsonl").read_text().splitlines()[0])
    assert OTHERS[name].keys() == settings.keys() - {"study", "untied", "inputs", "qrels_format"}
    for option, value in OTHERS[name].items():
        refused(name, tmp_path, f"holds a study with {option} ", **{option: value})
    assert begin(name, tmp_path).computed == 0


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("changed", ["qrels.txt", "bbb1.run"])
def test_another_content_of_the_same_path(name: str, changed: str, tmp_path: pathlib.Path) -> None:
    collection(tmp_path)
    first = begin(name, tmp_path)
    path = tmp_path / changed
    old = path.read_text()
    path.write_text(old.replace(" 0 d0-2 1", " 0 d0-2 2") if changed == "qrels.txt" else old.replace(" 1.", " 2."))
    assert path.read_text() != old
    refused(name, tmp_path, "holds a study with other runs or judgments; start again with --restart")
    assert begin(name, tmp_path, restart=True).kept == 0
    path.write_text(old)
    refused(name, tmp_path, "holds a study with other runs or judgments; start again with --restart")
    again = begin(name, tmp_path, restart=True)
    assert again.rows == first.rows


@pytest.mark.parametrize("name", QUICK)
def test_another_release(name: str, tmp_path: pathlib.Path) -> None:
    collection(tmp_path)
    begin(name, tmp_path)
    parts = tmp_path / "out" / "parts.jsonl"
    parts.write_text(parts.read_text().replace(f'"untied":"{untied.__version__}"', '"untied":"0.0.1"', 1))
    refused(name, tmp_path, f'holds a study with untied "0.0.1", not "{untied.__version__}"; start again')


def test_another_study(tmp_path: pathlib.Path) -> None:
    collection(tmp_path)
    begin("incomplete", tmp_path)
    refused("imperfect", tmp_path, 'holds a study with study "incomplete", not "imperfect"; start again')


@pytest.mark.parametrize("line", ["[]", "7", "null", "[1, 2, 3]", '{"a": 1}', "[[0.5, 1], 3]", "[0.5, [[1]]]", "[["])
def test_damaged_parts_are_named(line: str, tmp_path: pathlib.Path) -> None:
    collection(tmp_path)
    begin("incomplete", tmp_path)
    parts = tmp_path / "out" / "parts.jsonl"
    parts.write_text(f"{parts.read_text()}{line}\n")
    refused("incomplete", tmp_path, r"parts\.jsonl:4: expected a finished part as JSON, found something else")


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("incomplete", {"seed": 1.5}, "seed must be a whole number, not 1.5"),
        ("imperfect", {"seed": "1"}, "seed must be a whole number, not '1'"),
        ("med", {"seed": 0.0}, "seed must be a whole number, not 0.0"),
        ("incomplete", {"seed": 10**70}, "a seed has at most 64 digits, not 77"),
        ("incomplete", {"samples": 2.5}, "samples must be a whole number, not 2.5"),
        ("incomplete", {"pool_depth": 2.5}, "pool_depth must be a whole number, not 2.5"),
        ("agreement", {"depths": [2.5]}, "depths must be a whole number, not 2.5"),
        ("order", {"depth": 2.5}, "depth must be a whole number, not 2.5"),
        ("judges", {"judged": [6.5]}, "judged must be a whole number, not 6.5"),
        ("med", {"cutoffs": [2.5]}, "cutoffs must be a whole number, not 2.5"),
        ("incomplete", {"rel": 3}, "the judgments: expected a document of grade 3 or above, found none"),
        ("imperfect", {"rel": 3}, "the judgments: expected a document of grade 3 or above, found none"),
    ],
)
def test_refused_numbers(name: str, options: dict[str, Any], said: str, tmp_path: pathlib.Path) -> None:
    collection(tmp_path)
    with pytest.raises(untied.UntiedError, match=said):
        begin(name, tmp_path, **options)


def test_a_pool_without_relevant_documents(tmp_path: pathlib.Path) -> None:
    qrels = {"q": {"a": 0, "b": 0, "c": 1}}
    runs = {name: {"q": {"a": first, "b": 2.0, "c": 1.0}} for name, first in (("one", 3.0), ("two", 4.0))}
    with pytest.raises(untied.UntiedError, match="the pool of depth 2: expected a document of grade 1 or above"):
        study.incomplete(qrels, runs, tmp_path / "out", pool_depth=2, plots="none", **QUICK["incomplete"])


def test_numbers_of_numpy(tmp_path: pathlib.Path) -> None:
    numpy = pytest.importorskip("numpy")
    collection(tmp_path)
    begin("incomplete", tmp_path, seed=1, samples=2, rates=[0.5, 0.2], pool_depth=9)
    again = begin("incomplete", tmp_path, seed=numpy.int64(1), samples=numpy.int32(2),
                  rates=numpy.array([0.5, 0.2]), pool_depth=numpy.int64(9))  # fmt: skip
    assert again.computed == 0
    begin("agreement", tmp_path, restart=True)
    assert begin("agreement", tmp_path, depths=numpy.array([5])).computed == 0


def test_objects_are_known_by_what_they_hold_in_every_process(tmp_path: pathlib.Path) -> None:
    """Hashes of ids are keyed by process; what a study remembers of an object in memory is not."""
    collection(tmp_path)
    program = """
import sys, untied
from untied import study
folder = sys.argv[1]
runs = {name: untied.read_run(f"{folder}/{name}.run") for name in ("aaa1", "bbb1")}
found = study.incomplete(untied.read_qrels(f"{folder}/qrels.txt"), runs, f"{folder}/out", rates=[0.5], samples=2,
                         measures=["infAP"], plots="none", threads=int(sys.argv[2]))
print(found.computed)
"""
    for threads, computed in (("1", "3"), ("2", "0")):
        command = [sys.executable, "-c", program, str(tmp_path), threads]
        assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip() == computed


def test_one_run_the_same_name_twice_and_no_documents(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What every study says."""
    qrels, paths = collection(tmp_path)
    (tmp_path / "empty.run").write_text("")
    least = {"ties": 1, "med": 3, "judges": 1}
    few_queries = {"judges": ["--judged", "6", "--asked", "12"]}
    for name in QUICK:
        command = ["study", name, str(qrels), "-o", str(tmp_path / name), "--plots", "none", *few_queries.get(name, [])]
        number = least.get(name, 2)
        if number > 1:
            assert main([*command, *map(str, paths[: number - 1])]) == 2
            assert f"at least {number} runs, found {number - 1}" in capsys.readouterr().err
        assert main([*command, *map(str, paths[:3]), str(paths[0])]) == 2
        assert "is given twice" in capsys.readouterr().err
        assert main([*command, *map(str, paths[:3]), str(tmp_path / "empty.run")]) == 2
        assert "empty.run" in capsys.readouterr().err
        assert not (tmp_path / name).exists()
