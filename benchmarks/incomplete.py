"""What measures for incomplete judgments cost: beside AP on TREC-8, and query by query at depth 1,000.

1. AP alone, and with Bpref, AP(judged_only=True) and infAP, for a folder of TREC runs and their qrels.
2. The expected subAP at depth 1,000, with every third document outside the pool.
3. Bounds over 500 unjudged documents of 1,000, for each measure that has some.

Times are CPU milliseconds on one thread, medians of several calls, reading left out.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from statistics import median
from time import process_time

import untied
from measure import machine, markdown_table

BOUNDED = ["P@10", "R@100", "AP", "nDCG", "nDCG@10", "DCG", "RR", "RBP", "ERR", "Bpref", "Success@10"]
BOUNDED += ["SetF", "Rprec", "IPrec@0.5", "IPrecMean"]


def cost(evaluator: untied.Evaluator, run: untied.Run, repeats: int) -> float:
    """CPU milliseconds of one evaluation."""
    evaluator.means(run)  # makes the discounts
    taken = []
    for _ in range(repeats):
        start = process_time()
        evaluator.means(run)
        taken.append(1000 * (process_time() - start))
    return median(taken)


def beside_ap(folder: Path, repeats: int) -> list[list[str]]:
    """The estimators for all runs of a folder, against AP alone."""
    qrels = untied.read_qrels(folder / "qrels.txt")
    files = sorted(folder.glob("*.run"))
    totals = {"AP": 0.0, "AP, Bpref, AP(judged_only=True), infAP": 0.0}
    evaluators = {names: untied.Evaluator(qrels, names.split(", "), threads=1) for names in totals}
    reading = 0.0
    for path in files:
        start = process_time()
        run = untied.read_run(path, threads=1)
        reading += 1000 * (process_time() - start)
        for names, evaluator in evaluators.items():
            totals[names] += cost(evaluator, run, repeats)
    base = totals["AP"]
    return [
        [
            names,
            f"{total:.0f}",
            f"{100 * (total / base - 1):+.0f} %",
            f"{100 * (total - base) / (reading + base):+.0f} %",
        ]
        for names, total in totals.items()
    ]


def by_query(repeats: int) -> list[list[str]]:
    """Expected subAP and bounds, for synthetic queries of 1,000 documents."""
    generator = random.Random(4)
    docs = [f"d{i:04}" for i in range(1000)]
    queries = [f"q{i}" for i in range(10)]
    run = untied.Run({query: {doc: -float(i) for i, doc in enumerate(docs)} for query in queries})

    def judged(grades: list[int]) -> untied.Qrels:
        half = {query: generator.sample(docs, 500) for query in queries}
        return untied.Qrels({query: {doc: generator.choice(grades) for doc in docs} for query, docs in half.items()})

    pool = untied.Qrels(
        {query: {doc: generator.choice([1, 0, -1]) for i, doc in enumerate(docs) if i % 3} for query in queries}
    )
    rows = [
        ["subAP, one run", "", f"{cost(untied.Evaluator(pool, 'subAP', threads=1), run, repeats) / len(queries):.3f}"]
    ]
    for name in BOUNDED:
        cells = []
        for grades in ([0, 0, 0, 1], [0, 0, 0, 0, 1, 2, 3]):
            evaluator = untied.Evaluator(judged(grades), name, unjudged="range", threads=1)
            cells.append(f"{cost(evaluator, run, repeats) / len(queries):.3f}")
        rows.append([f"bounds of {name}", *cells])
    return rows


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trec", type=Path, metavar="DIR", help="folder with qrels.txt and *.run (TREC-8, unpacked)")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print(machine([]), end="\n\n")
    if options.trec:
        head = ["CPU ms, all runs", "", "beyond AP", "beyond AP and reading"]
        print(markdown_table(head, beside_ap(options.trec, options.repeats)), end="\n\n")
    print(markdown_table(["CPU ms a query", "two grades", "four grades"], by_query(options.repeats)))


if __name__ == "__main__":
    main()
