#!/usr/bin/env python3
"""How many instructions commands take, counted by valgrind: a check that nothing has become slower.

Time wanders by a third on a machine that others use; instructions do not by a thousandth. Commands run one after the
other over a small generated input, on one thread of a process that has run each of them before, so the start of Python
does not count. ``instructions.json`` holds the counts by version of the compiler and level of optimisation, as another
makes other code: level 1 is what ``python3 dev.py build`` makes, 3 what is released. For one that is not there, counts
are printed and nothing is checked. ``--write`` records them: do so with the reason in the commit. Needs valgrind.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from untied._core import OPT_LEVEL

RECORDED = Path(__file__).with_suffix(".json")
#: More than this above the record is a regression. As much below it, the record hides the next one: renew it.
TOLERANCE = 0.05
QUERIES = 40

COMMANDS = {
    "eval": ["eval", "qrels", "run", "-m", "AP", "-m", "nDCG@10", "-m", "RR", "-m", "P@10", "-m", "R@100"],
    "eval, gzip": ["eval", "qrels", "run.gz", "-m", "AP"],
    "eval, ties": ["eval", "qrels", "tied", "-m", "AP", "-m", "nDCG@10", "-m", "RR", "--ties", "range", "--variance"],
    "trec_eval": ["trec_eval", "-m", "all_trec", "qrels", "tied"],
    "compare": ["compare", "run", "other", "-m", "RBO", "-m", "MED(nDCG@20)", "-m", "Overlap@10"],
    "compare, ties": ["compare", "run", "tied", "-m", "RBO", "-m", "MED(nDCG@20)", "-m", "Tau"],
    "MED(AP)": ["compare", "run", "other", "-m", "MED(AP@100)"],
    "MED(ERR)": ["compare", "run", "other", "-m", "MED(ERR@100)"],
    "MED, ties": ["compare", "run", "tied", "-m", "MED(AP@100)", "-m", "MED(RR)"],
    "certify": ["certify", "qrels", "run", "other", "-m", "AP@20", "-m", "nDCG@10", "-m", "R@20", "-m", "RR"],
    "certify, ties": ["certify", "qrels", "run", "tied", "-m", "nDCG@10", "-m", "P@20", "--ties", "range"],
    "features": ["features", "letor", "-m", "AP", "-m", "nDCG@10"],
}


def write_inputs(folder: Path, queries: int) -> None:
    """Write runs of 300 documents a query, qrels, and learning-to-rank data of 10 features."""
    folder.mkdir()
    rng = random.Random(9)
    texts: dict[str, list[str]] = {name: [] for name in ("qrels", "run", "other", "tied", "letor")}
    for query in range(queries):
        for name, levels in (("run", 10**6), ("other", 10**6), ("tied", 20)):
            scores = sorted((rng.randrange(levels) / 1000 for _ in range(300)), reverse=True)
            documents = rng.sample(range(500), 300)
            texts[name] += [
                f"q{query} Q0 DOC-{d:06} {i} {s} t" for i, (d, s) in enumerate(zip(documents, scores, strict=True))
            ]
        texts["qrels"] += [f"q{query} 0 DOC-{d:06} {rng.choice([0, 0, 0, 1, 2])}" for d in rng.sample(range(500), 60)]
        for _ in range(40):
            values = " ".join(f"{feature}:{rng.randrange(30) / 10}" for feature in range(1, 11))
            texts["letor"].append(f"{rng.choice([0, 0, 1, 2])} qid:{query} {values}")
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    subprocess.run(["gzip", "-k", "-n", folder / "run"], check=True)


#: Runs commands, each over one query and then over all; between them it calls what valgrind looks out for.
PROGRAM = """
import contextlib, gc, io, json, os, sys
from untied.cli import main
gc.disable()
for command in json.loads(sys.argv[1]):
    for folder in ("one", "many"):
        os.chdir(os.path.join(sys.argv[2], folder))
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.redirect_stderr(io.StringIO()):
            os.getppid()
            code = main(command)
            os.getppid()
        if code:
            sys.exit(f"{command} failed")
"""


def count(folder: Path) -> dict[str, int]:
    """Instructions of all commands."""
    commands = [[*line, *([] if line[0] == "trec_eval" else ["--threads", "1"])] for line in COMMANDS.values()]
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder / 'counts'}", "--dump-before=getppid"]
    command = [*valgrind, sys.executable, "-c", PROGRAM, json.dumps(commands), folder]
    environment = os.environ | {"PYTHONHASHSEED": "0", "RAYON_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"failed under valgrind:\n{done.stderr}")
    # Of each command there are four parts: before it, over one query, in between, over all.
    parts = [folder / f"counts.{4 * number + 4}" for number in range(len(COMMANDS))]
    found = [re.search(r"^(?:summary|totals): (\d+)", part.read_text(), re.MULTILINE) for part in parts]
    assert all(found)
    return {name: int(one[1]) for name, one in zip(COMMANDS, found, strict=True) if one}


def compiler() -> str:
    """What the counts depend on."""
    told = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    version = re.search(r"release: (\S+)", told)
    host = re.search(r"host: (\S+)", told)
    assert version
    assert host
    return f"rustc {version[1]}, {host[1]}, opt-level {OPT_LEVEL}"


def main() -> None:
    """Count, then compare or record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="record the counts")
    write = parser.parse_args().write
    if not shutil.which("valgrind"):
        sys.exit("valgrind is needed (apt-get install valgrind)")
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(Path(folder, "many"), QUERIES)
        write_inputs(Path(folder, "one"), 1)
        found = count(Path(folder))
    records = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    by = compiler()
    known = records.get(by, {})
    more, fewer = [], []
    print(f"million instructions, {by}" + ("" if known else ": not recorded, so nothing is checked"))
    for name, instructions in found.items():
        change = instructions / known[name] - 1 if name in known else float("nan")
        print(f"{name:<16}{instructions / 1e6:>8.2f}" + (f"  {change:+.1%}" if name in known else ""))
        if abs(change) > TOLERANCE:
            (more if change > 0 else fewer).append(name)
    if write:
        records[by] = found
        RECORDED.write_text(json.dumps(records, indent=1) + "\n")
    elif fewer:
        print("fewer than recorded; renew the record (benchmarks/instructions.py --write):", *fewer, sep="\n  ")
    if more and not write:
        sys.exit("more instructions than recorded: " + ", ".join(more))


if __name__ == "__main__":
    main()
