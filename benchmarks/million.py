#!/usr/bin/env python3
"""What commands cost on two runs of a million queries: ``python benchmarks/million.py``.

The inputs are like MS MARCO's: ten documents a query with some ties, and about three judgments. Each command runs once,
in a process of its own. ``--page`` puts the table on docs/performance.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from measure import machine, markdown_table, progress, run_child
from performance import put

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
QUERIES = 1_000_000
AT_ONCE = 10_000
"""Queries that are written at once; each part has a seed of its own."""
DOCUMENTS = 8_841_823
POOL, DEPTH = 14, 10
QRELS, ONE, OTHER = "million.qrels", "million-1.run", "million-2.run"

COMMANDS: dict[str, list[str]] = {
    "eval": [QRELS, ONE, OTHER],
    "eval --quantiles": [QRELS, ONE, OTHER, "--quantiles", "0.05,0.95"],
    "check": [QRELS, ONE],
    "compare": [ONE, OTHER],
    "certify": [QRELS, ONE, OTHER],
    "gate --certain": [QRELS, ONE, "--baseline", OTHER, "--certain", "AP"],
    "stats": [QRELS, ONE, OTHER],
    "judge-next": [QRELS, ONE, OTHER],
    "report": [QRELS, ONE, OTHER, "-o", "million.html"],
}
"""Arguments by command; an option in a name is among them."""
REFUSES = {"gate --certain"}
"""Commands that end with exit code 1, because they find the run wanting."""


def write_inputs(folder: Path, queries: int) -> None:
    """Write two runs and qrels; the same bytes each time."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    with (
        (folder / QRELS).open("w", newline="") as qrels,
        (folder / ONE).open("w", newline="") as one,
        (folder / OTHER).open("w", newline="") as other,
    ):
        for first in range(0, queries, AT_ONCE):
            rng = np.random.default_rng([1, first])
            count = min(AT_ONCE, queries - first)
            topics = np.arange(first + 1, first + count + 1)
            steps = rng.integers(1, 1000, (count, 1)) * np.arange(POOL)
            documents = (rng.integers(0, DOCUMENTS, (count, 1)) + steps) % DOCUMENTS
            judged = rng.random((count, POOL)) < 0.2
            judged[:, 0] = True
            grades = rng.binomial(2, 0.6, (count, POOL))
            for file, noise in ((one, 0.5), (other, 0.6)):
                quality = (np.arange(POOL) < 3) * 0.6 + judged * 0.2 + noise * rng.normal(size=(count, POOL))
                retrieved = np.take_along_axis(documents, np.argsort(-quality, axis=1)[:, :DEPTH], axis=1)
                drops = rng.exponential(0.1, (count, DEPTH)) * (rng.random((count, DEPTH)) > 0.1)
                scores = 30 - np.cumsum(drops, axis=1)
                rows = zip(np.repeat(topics, DEPTH).tolist(), retrieved.flat, scores.flat, strict=True)
                file.write("".join(f"{topic} Q0 {document} 0 {score:.5f} m\n" for topic, document, score in rows))
            queries_of, places = np.nonzero(judged)
            judgments = zip(topics[queries_of], documents[judged], grades[queries_of, places], strict=True)
            qrels.write("".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in judgments))


def rows(folder: Path, names: list[str]) -> list[list[str]]:
    """CPU seconds, elapsed seconds and peak memory of each command."""
    found = []
    for name in names:
        command, *_ = name.split()
        arguments = [str(folder / word) if word.startswith("million") else word for word in COMMANDS[name]]
        cost = run_child([sys.executable, "-m", "untied", command, *arguments], {int(name in REFUSES)})
        progress(f"{name}: {cost}")
        found.append([f"`{name}`", f"{cost.cpu:.1f}", f"{cost.wall:.1f}", f"{cost.peak_mib:.0f}"])
    return found


def main() -> None:
    """Write the inputs if they are not there, run the commands, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default_folder = Path(__file__).parent / "data"
    parser.add_argument("data", nargs="?", type=Path, default=default_folder, help="default: benchmarks/data")
    parser.add_argument("--only", nargs="+", choices=COMMANDS, metavar="COMMAND", help=f"of {', '.join(COMMANDS)}")
    parser.add_argument("--page", action="store_true", help="put the table on docs/performance.md")
    options = parser.parse_args()
    if not (options.data / OTHER).exists():
        progress("inputs")
        # A child's peak memory counts from its parent's, so numpy is loaded elsewhere.
        write = "import sys, pathlib, million; million.write_inputs(pathlib.Path(sys.argv[1]), int(sys.argv[2]))"
        command = [sys.executable, "-c", write, str(options.data.resolve()), str(QUERIES)]
        subprocess.run(command, check=True, cwd=Path(__file__).parent)
    inputs = sum((options.data / name).stat().st_size for name in (QRELS, ONE, OTHER)) / 2**20
    head = [f"{QUERIES:,} queries", "CPU s", "elapsed s", "peak MiB"]
    table = markdown_table(head, rows(options.data, options.only or list(COMMANDS)))
    about = f"Measured on {time.strftime('%Y-%m-%d')}: {machine(['untied'])}. The inputs have {inputs:.0f} MiB."
    print(f"{table}\n\n{about}")
    if options.page:
        PAGE.write_text(put(PAGE.read_text("utf-8"), "million", f"{table}\n\n{about}"), "utf-8")


if __name__ == "__main__":
    main()
