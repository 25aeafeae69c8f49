"""Any trec_eval: the program that the variable TREC_EVAL names, or the one on the path."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from conformance.adapters.common import Case
from conformance.adapters.trec_names import names

PROGRAM = os.path.abspath(os.environ.get("TREC_EVAL") or shutil.which("trec_eval") or "trec_eval")
PACKAGE = "trec_eval"
HOW = "trec_eval -c -m MEASURE QRELS RUN: the row of all queries"
#: It prints four decimals.
TOLERANCE = 5.1e-5


def __getattr__(name: str) -> str:
    """Its version, which it prints on an unknown option."""
    if name != "VERSION":
        raise AttributeError(name)
    said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=False)
    return (said.stdout + said.stderr).strip().splitlines()[0]


class Refused(Exception):
    """It ended with an error."""


REFUSALS = (Refused,)


def answer(case: Case) -> Any:
    """The value of the row for all queries."""
    return by([PROGRAM], case)


def by(program: list[str], case: Case) -> Any:
    """The same with any program that takes trec_eval's arguments."""
    asked, printed = names(case)
    with tempfile.TemporaryDirectory() as folder:
        command = [*program, "-c", "-m", asked, *write(case, Path(folder))]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode < 0:
        raise RuntimeError(f"ended by signal {-done.returncode}")
    if done.returncode:
        raise Refused((done.stderr or done.stdout).strip())
    return value(done.stdout, printed)


def write(case: Case, folder: Path) -> list[str]:
    """Files of judgments and of the run: their names, so that messages do not have the folder's."""
    qrels, run = folder / "qrels", folder / "run"
    qrels.write_text("".join(f"{query} 0 {doc} {grade}\n" for query, truth in case.qrels.items()
                             for doc, grade in truth.items()))  # fmt: skip
    run.write_text("".join(f"{query} Q0 {doc} {rank} {score!r} tag\n" for query, ranked in case.run.items()
                           for rank, (doc, score) in enumerate(ranked, 1)))  # fmt: skip
    return [qrels.name, run.name]


def value(output: str, printed: str) -> float:
    """The number in the row of all queries."""
    for line in output.splitlines():
        name, query, number = line.split()
        if name == printed and query == "all":
            return float(number)
    raise Refused(f"no row {printed} all")
