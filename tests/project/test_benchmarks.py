"""Every benchmark runs, on inputs so small that its figures mean nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nightly import SEED

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
EXAMPLE = str(ROOT / "examples" / "tar2017")

#: Runs a benchmark with other constants, one sample of one call, and as if no other library were installed.
TINY = """
import importlib, json, sys
name, constants, *arguments = sys.argv[1:]
import measure
measure.calls_for = lambda function, at_least: 1
measure.in_turns = lambda samplers, repetitions, once=measure.in_turns: once(samplers, 1)
measure.gc.collect = lambda: 0
measure.is_installed = lambda module: module == "untied"
for constant, value in json.loads(constants).items():
    module, constant = constant.split(".")
    module = importlib.import_module(module)
    assert hasattr(module, constant), constant
    setattr(module, constant, value)
benchmark = importlib.import_module(name)
sys.argv = [name, *arguments]
"""

#: Arguments and constants of benchmarks; {data} is a folder of small inputs, {letor} a file of features.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "arrays": ("{data} -n 1", {"arrays.DEEP": [20, 100], "arrays.WIDE": [5, 200]}),
    "certify": (f"--trec {EXAMPLE}", {}),
    "compare": (f"--trec {EXAMPLE} --pairs 50 --repeats 1 --step 2", {}),
    "corners": ("AP --shapes pairs --queries 2", {}),
    "dropin": ("{data} -n 1 --shapes S", {}),
    "features": ("{letor} --repeats 1", {}),
    "files": ("{data} -n 1 --shapes S", {}),
    "frames": ("{data} -n 1 --shapes S", {}),
    "growth": ("{data} -n 1", {"growth.TENS": [1, 2, 3], "growth.ARRAYS": 500}),
    "incomplete": (f"--trec {EXAMPLE} --repeats 1", {}),
    "judges": (f"--trec {EXAMPLE} --samples 2 --sizes 5 --step 2 --asked 12", {}),
    "memory": ("{data} -n 1 --shapes S", {}),
    "million": ("{data}", {"million.QUERIES": 30}),
    "ties": ("{data} -n 1 --queries 2", {"ties.SIZES": [10, 20, 40]}),
}
#: Packages that benchmarks cannot do without.
NEEDED = {"dropin": "pytrec_eval", "features": "sklearn", "frames": "polars"}
#: What runs elsewhere.
ELSEWHERE = {
    "generate": "makes the inputs of this file",
    "instructions": "counts what an optimised build does: python3 dev.py instructions",
    "performance": "test_the_parts_of_the_page_on_performance_run",
    "spark": "test_spark.py, where there is a session",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Inputs of all shapes, as small as they can be."""
    from benchmarks import generate

    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        small = {
            name: replace(shape, topics=3, depth=20, judged=shape.judged and 15)
            for name, shape in generate.COLLECTIONS.items()
        }
        patch.setattr(generate, "COLLECTIONS", small)
        for name in "SML":
            generate.write_collection(name, folder, 0.1, 1, False)
    generate.write_arrays(folder, 0.1, 1, queries=20)
    generate.write_in_degree(folder, 1, generate.InDegree(queries=3))
    generate.write_one_group(folder, 1, documents=100, relevant=5)
    letor = folder / "letor.txt"
    letor.write_text("".join(f"{row % 2} qid:{row // 4} 1:{row % 3} 2:0.5 3:{row}\n" for row in range(12)))
    return {"data": folder, "letor": letor}


def run(name: str, constants: dict[str, Any], arguments: list[str], code: str = "benchmark.main()") -> str:
    """What a benchmark prints."""
    command = [sys.executable, "-c", TINY + code, name, json.dumps(constants), *arguments]
    done = subprocess.run(command, cwd=BENCHMARKS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_every_benchmark_runs_somewhere() -> None:
    scripts = {path.stem for path in BENCHMARKS.glob("*.py") if "\ndef main(" in path.read_text("utf-8")}
    assert scripts == CASES.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("name", CASES)
def test_benchmark(name: str, inputs: dict[str, Path]) -> None:
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    arguments, constants = CASES[name]
    printed = run(name, constants, [word.format(**inputs) for word in arguments.split()])
    assert re.search(r"^\|[ -]*-:?[ -]*\|", printed, re.MULTILINE), "a table"
    assert re.search(r"\d\.\d", printed), "and figures in it"


#: Prints every part of the page on performance, without writing it: by day without the one that frames.py prints.
PARTS = """
import argparse
from pathlib import Path
*skipped, data, trec = arguments
data, trec = Path(data), Path(trec)
for name, part in benchmark.PARTS.items():
    if name not in skipped:
        print(name, part(argparse.Namespace(data=data, trec=trec, trec_eval=None)), sep=chr(10))
"""


def test_the_parts_of_the_page_on_performance_run(inputs: dict[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("pytrec_eval")
    pytest.importorskip("polars")
    for number in range(7):  # every sixth run is compared
        (tmp_path / f"{number}.run").symlink_to(f"{EXAMPLE}/{'qut' if number else 'amc'}.run")
    constants = {
        "arrays.WIDE": [5, 200], "growth.TENS": [1, 2, 3], "growth.ARRAYS": 500, "performance.BYTES": 1 << 16,
        "performance.CORNERS": ["P@5"], "performance.LABELLED": [[20, 10], [20, 50]], "corners.POOLS": [20, 130],
    }  # fmt: skip
    skipped = [] if SEED else ["formats"]
    printed = run("performance", constants, [*skipped, str(inputs["data"]), str(tmp_path)], PARTS)
    assert len(re.findall(r"^\|[ -]*-:?[ -]*\|", printed, re.MULTILINE)) >= 11 - len(skipped), (
        "a table or more of each part"
    )
