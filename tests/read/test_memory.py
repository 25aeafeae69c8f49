"""How much memory the commands take beyond their input, where there are many queries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nightly import SEED

MEASURED = """
import contextlib, io, sys
import untied
from untied.statistics import paired
from untied.cli import main
from untied.report import data, values

def memory(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) / 1024

def run(qrels, new, old):
    command = sys.argv[2]
    inputs = {"compare": [new, old], "gate": [qrels, new, "--baseline", old]}.get(command, [qrels, new, old])
    with contextlib.redirect_stdout(io.StringIO()):
        # The run does not pass the gate: the queries that are listed cost most.
        assert main([command, *inputs, *sys.argv[9:]]) == (command == "gate")

for module in (paired, data, values):
    module.HELD //= int(sys.argv[1])
run(*sys.argv[3:6])  # loads all modules
loaded = untied.Qrels(sys.argv[6]), untied.Run(sys.argv[7]), untied.Run(sys.argv[8])
before = memory("VmRSS")
del loaded  # the command loads them again, or reads them in pieces
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak begins anew
run(*sys.argv[6:9])
print(memory("VmHWM") - before)
"""
#: A million queries have so many parts, of which one is measured.
PARTS = 12
#: Student's intervals, and few samples where they can be chosen: more take minutes, and 8 bytes each.
TESTING = ("--interval", "t")
#: A report draws 100,000 samples for each randomisation test, which takes a minute and next to no memory.
REPORTING = TESTING if SEED else (*TESTING, "--test", "t")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Qrels and two runs of a few queries, and then of a part of a million."""
    folder = tmp_path_factory.mktemp("memory")
    paths = []
    for count in (20, 1_000_000 // PARTS):
        qrels, *runs = (folder / f"{count}{name}" for name in ("qrels", "new.run", "old.run"))
        qrels.write_text("".join(f"q{query} 0 a 1\nq{query} 0 b 0\n" for query in range(count)))
        for path, turn in zip(runs, (3, 4), strict=True):
            lines = (f"q{query} Q0 {'ba'[query % turn > 0]} 1 2 t\nq{query} Q0 c 2 1 t\n" for query in range(count))
            path.write_text("".join(lines))
        paths += map(str, (qrels, *runs))
    return paths


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of memory is Linux's to tell")
@pytest.mark.parametrize(
    ("most", "command", "options"),
    [
        (300, "stats", ("-m", "AP", "-m", "nDCG@10", "-m", "RR", "--ties", "range", "--samples", "1000", *TESTING)),
        (300, "report", ("-o", "page.html", *REPORTING)),
        (300, "compare", ("-o", "page.html")),
        (600, "certify", ("-m", "AP")),
        (600, "judge-next", ()),
        (600, "gate", ("--certain", "AP", "--min-overturn", "P@1=3")),
    ],
)
def test_queries_take_little_memory(
    inputs: list[str], tmp_path: Path, most: int, command: str, options: tuple[str, ...]
) -> None:
    """A million queries take at most so many MB beyond the input, of which 20 MB are for buffers of files.

    So a part of the queries takes a part of the rest, with a part of the values that may be held at once.
    """
    found = subprocess.run(
        [sys.executable, "-c", MEASURED, str(PARTS), command, *inputs, *options],
        check=True, capture_output=True, text=True, cwd=tmp_path, env=os.environ | {"COLUMNS": "200"},
    )  # fmt: skip
    assert float(found.stdout) < (most - 20) / PARTS + 20
