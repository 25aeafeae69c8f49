"""What comparing runs costs: every two of a folder of runs, and a million pairs of rankings as arrays.

1. Every two runs of a folder, to depth 100: CPU seconds on one thread once the runs are loaded, a measure.
2. The same of whole rankings, with exact means over orders of ties: RBO@100 beside depth=100, MED beside ties in one
   order, and how many pairs are not certified.
3. Pairs of rankings of 20 ids as two arrays: CPU seconds on one thread and peak memory of the process, which holds the
   arrays too (2 x 160 MB for a million pairs).

The arrays share most ids, moved by a few ranks: the ids of a query are a shuffled window of 40, of which the first
array has 20 and the second the 20 first after every place was moved by a normal deviate with standard deviation 6.
"""

from __future__ import annotations

import argparse
import resource
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy

import untied
from measure import machine, markdown_table

MEASURES = ["MED(nDCG@20)", "MED(RBP)", "RBO", "Overlap@10"]
#: Differences that are searched; each by itself, with ties in one order.
SEARCHED = ["MED(AP@100)", "MED(ERR(max_grade=2)@100, tail='upper')"]
#: Measures of whole rankings by default, and the peers that their time is divided by.
RATIOS: list[tuple[str, str, dict[str, Any]]] = [
    ("RBO@100", "depth=100", {"depth": 100}),
    ("MED(AP@100)", "ties='docid'", {"ties": "docid"}),
    ("MED(ERR@100)", "ties='docid'", {"ties": "docid"}),
]
OF_ARRAYS = ["MED(nDCG@20)", "RBO", "Overlap@20"]


def of_runs(folder: Path, repeats: int, measures: list[str]) -> list[list[str]]:
    """Every two runs of a folder, measure by measure and together."""
    runs = {path.stem: untied.read_run(path, threads=1) for path in sorted(folder.glob("*.run"))}
    rows = []
    searched = [[measure] for measure in SEARCHED] if measures == MEASURES else []
    for asked in [*([measure] for measure in measures), measures, *searched]:
        taken = []
        for _ in range(repeats):
            start = process_time()
            ties = "docid" if asked in searched else "expected"
            found = untied.compare_all(runs, asked, depth=100, itself=False, threads=1, ties=ties)
            taken.append(process_time() - start)
        each = median(taken) / sum(len(found[pair].queries) for pair in found.pairs)
        rows.append([", ".join(asked), f"{median(taken):.2f}", f"{1e6 * each:.1f}"])
    return rows


def ratios(folder: Path, step: int, repeats: int) -> list[list[str]]:
    """What a cutoff and means over ties cost, of every ``step``-th run of a folder."""
    paths = sorted(folder.glob("*.run"))[::step]
    runs = {path.stem: untied.read_run(path, threads=1) for path in paths}

    def seconds(measure: str, **options: Any) -> tuple[float, Any]:
        """The median time, and the comparison."""
        taken = []
        for _ in range(repeats):
            start = process_time()
            found = untied.compare_all(runs, [measure], itself=False, threads=1, **options)
            taken.append(process_time() - start)
        return median(taken), found

    rows = []
    for measure, named, peer in RATIOS:
        (taken, found), (by_peer, _) = seconds(measure), seconds(measure, **peer)
        scores = [found[pair].value(measure, query) for pair in found.pairs for query in found[pair].queries]
        is_open = sum(score.certainty != "exact" for score in scores)
        certified = f"{len(scores) - is_open} of {len(scores)}"
        rows.append([measure, named, f"{taken:.2f}", f"{by_peer:.2f}", f"{taken / by_peer:.2f}", certified])
    return rows


def of_arrays(pairs: int, repeats: int) -> list[list[str]]:
    """Arrays of ids, measure by measure and together."""
    a, b = (numpy.empty((pairs, 20), numpy.int64) for _ in range(2))
    chance = numpy.random.default_rng(1)
    for first in range(0, pairs, 50_000):
        rows = len(a[first : first + 50_000])
        window = chance.permuted(numpy.tile(numpy.arange(40), (rows, 1)), axis=1)
        ids = window + 100 * chance.integers(0, 10**9, (rows, 1))
        moved = numpy.argsort(numpy.arange(40) + chance.normal(0, 6, (rows, 40)), axis=1)[:, :20]
        a[first : first + rows] = ids[:, :20]
        b[first : first + rows] = numpy.take_along_axis(ids, moved, axis=1)
    table = []
    for asked in [*([measure] for measure in OF_ARRAYS), OF_ARRAYS]:
        taken = []
        for _ in range(repeats):
            start = process_time()
            untied.compare_arrays(a, b, asked, threads=1)
            taken.append(process_time() - start)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        table.append([", ".join(asked), f"{median(taken):.2f}", f"{peak:.0f}"])
    return table


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trec", type=Path, metavar="DIR", help="folder with *.run (TREC-8, unpacked)")
    parser.add_argument("-m", "--measure", action="append", help=f"for runs (default: {', '.join(MEASURES)})")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=1_000_000, help="rows of the arrays (default: a million)")
    parser.add_argument("--step", type=int, default=1, help="of the runs, every how many-th is compared for ratios")
    options = parser.parse_args()
    print(machine(["numpy"]), end="\n\n")
    print(markdown_table(["arrays", "CPU s", "peak MB"], of_arrays(options.pairs, options.repeats)))
    if options.trec:
        head = ["every two runs", "CPU s", "us a pair and query"]
        print(end="\n")
        print(markdown_table(head, of_runs(options.trec, options.repeats, options.measure or MEASURES)))
        head = ["measure", "cheaper option", "CPU s", "CPU s, cheaper option", "ratio", "exact values"]
        print(end="\n")
        print(markdown_table(head, ratios(options.trec, options.step, options.repeats)))


if __name__ == "__main__":
    main()
