"""Types for users: mypy and pyright at their strictest accept a script over all that is public, and refuse mistakes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import untied
from test_rooms import PUBLIC

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "typing"
#: Lines that must be refused.
WRONG = {
    number for number, line in enumerate((FOLDER / "refused.py").read_text().splitlines(), 1) if "# refused" in line
}


def checked(*command: str) -> str:
    found = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False, cwd=ROOT)
    assert found.returncode == 1, found.stdout + found.stderr
    return found.stdout


def test_the_script_names_all_that_is_public() -> None:
    script = (FOLDER / "user_script.py").read_text()
    measures = (FOLDER / "all_measures.py").read_text()  # generated
    names = set(re.findall(r"\b\w+\b", script + measures))
    assert set(untied.__all__) <= names
    modules = set(re.findall(r"\b\w+(?:\.\w+)*", script))
    inside = {"compat.sentence_transformers", "measures", "comparison", "evaluation", "features", "arrays"}
    missing = {module for module in PUBLIC if module not in inside and module.rpartition(".")[2] not in modules}
    assert not missing
    for module in (
        *("statistics", "gate", "study", "judging", "judging.sample", "judging.estimates", "inputs.truth", "report"),
        "comparison.distances",
    ):
        assert [name for name in PUBLIC[module].split() if name not in names] in ([], ["kendall"]), module


def test_mypy() -> None:
    pytest.importorskip("mypy")
    files = [str(FOLDER / name) for name in ("user_script.py", "all_measures.py", "refused.py")]
    said = checked("mypy", "--strict", "--no-error-summary", *files)
    errors = [re.match(r"(.*?):(\d+): error: ", line) for line in said.splitlines()]
    found = {(Path(one[1]).name, int(one[2])) for one in errors if one}
    assert found == {("refused.py", number) for number in WRONG}, said


def test_pyright() -> None:
    pytest.importorskip("basedpyright")
    said = checked("basedpyright", "-p", str(FOLDER), "--pythonpath", sys.executable, "--outputjson")
    found = {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1)
        for one in json.loads(said)["generalDiagnostics"]
        if one["severity"] == "error"
    }
    assert found == {("refused.py", number) for number in WRONG}, said
