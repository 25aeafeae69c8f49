"""The notebooks run, and show what is stored in them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from docsite import notebooks
from docsite.navigation import ROOT

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("name", notebooks.NOTEBOOKS)
def test_notebook(name: str) -> None:
    """In a process of its own, as matplotlib keeps state; refresh by ``python -m docsite.notebooks``."""
    command = [sys.executable, "-m", "docsite.notebooks", "--check", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (wrong := json.loads(done.stdout)), "\n\n".join(wrong)


@pytest.mark.parametrize("name", notebooks.NOTEBOOKS)
def test_its_picture_is_in_the_tutorial(name: str) -> None:
    stored = [cell["outputs"] for cell in notebooks.code_cells(notebooks.load(name))]
    image = f"images/notebook_{name}.svg"
    assert (ROOT / "docs" / image).read_text(encoding="utf-8") == notebooks.picture_of(stored)
    tutorial = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
    assert image in tutorial
    assert f"{name}.ipynb" in tutorial


def test_there_are_notebooks_and_a_difference_is_found(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert notebooks.NOTEBOOKS == ["half_precision", "shallow_pools", "two_engines"]
    cell = {"cell_type": "code", "source": ["x = 6\n", "print('six')\n", "x"], "outputs": []}
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": [cell]}))
    monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
    [[printed, value]] = notebooks.run(notebooks.load("n"))
    assert printed["text"] == ["six\n"]
    assert value["data"] == {"text/plain": ["6"]}
    [wrong] = notebooks.differences("n")
    assert "six" in wrong
