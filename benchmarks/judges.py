"""How often the intervals of `untied.statistics.estimate_mean` hold the truth, and how wide they are.

The qrels of a folder of TREC runs play the people, who judged n of the queries at random; simulated machines judge the
first 100 documents of a few runs in every query. For each run and each pair of runs, and each of four measures, samples
are drawn again and again. The truth is known, because the qrels have all queries: the target is "these".

Machines: *good* flips 10 % of the labels; *llm* finds about 75 % of the relevant documents and calls 6 % of the others
relevant, and is lenient in some queries and strict in others; *useless* calls 10 % relevant at random.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from itertools import combinations
from math import exp
from pathlib import Path

import untied
from measure import markdown_table
from untied.statistics import Estimate, estimate_mean

MEASURES = ["P@10", "AP", "nDCG@10", "RR"]
#: The documents of a query that are judged: down to this rank in any run.
DEPTH = 100

Labels = dict[str, float]
Machine = Callable[[Labels, random.Random], Labels]
Values = dict[str, float]


def flip(labels: Labels, rng: random.Random, to_relevant: float, to_other: float) -> Labels:
    """Labels in which documents have the opposite relevance with these probabilities."""
    return {
        document: (0 if rng.random() < to_other else grade) if grade > 0 else float(rng.random() < to_relevant)
        for document, grade in labels.items()
    }


def llm(labels: Labels, rng: random.Random) -> Labels:
    """Labels by a judge whose leniency varies from query to query."""
    shift = rng.gauss(0, 1)
    return flip(labels, rng, 1 / (1 + exp(3 - shift)), 1 / (1 + exp(1.2 + shift)))


MACHINES: dict[str, Machine] = {
    "good": lambda labels, rng: flip(labels, rng, 0.1, 0.1),
    "llm": llm,
    "useless": lambda labels, rng: {document: float(rng.random() < 0.1) for document in labels},
}


def first_documents(run: untied.Run) -> dict[str, dict[str, float]]:
    """The documents of a run down to the rank that is judged."""
    return {
        query: dict(sorted(run[query], key=lambda pair: (pair[1], pair[0]), reverse=True)[:DEPTH])
        for query in run.queries()
    }


def collection(folder: Path, step: int) -> tuple[dict[str, Labels], dict[str, dict[str, dict[str, float]]]]:
    """The labels of the documents that a part of the runs retrieve, and these runs."""
    qrels = untied.read_qrels(folder / "qrels.txt")
    runs = {path.stem: first_documents(untied.read_run(path)) for path in sorted(folder.glob("*.run"))[::step]}
    labels = {
        query: {
            document: max(qrels[query].get(document, 0.0), 0.0)
            for run in runs.values()
            for document in sorted(run.get(query, {}))
        }
        for query in qrels.queries()
    }
    return labels, runs


def values(labels: dict[str, Labels], runs: dict[str, dict[str, dict[str, float]]]) -> dict[tuple[str, str], Values]:
    """The values of all queries by measure and by run or pair of runs."""
    results = untied.evaluate(labels, runs, MEASURES)
    cells = {}
    for measure in results.measures:
        by_run = {run: {query: results.value(measure, query, run).mean for query in labels} for run in runs}
        cells |= {(measure, run): by_query for run, by_query in by_run.items()}
        for a, b in combinations(runs, 2):
            cells[measure, f"{a} - {b}"] = {query: by_run[a][query] - by_run[b][query] for query in labels}
    return cells


class Tally:
    """The coverage and the widths of one cell's intervals, with the machine and with people alone."""

    def __init__(self) -> None:
        self.covered = [0, 0]
        self.widths = [0.0, 0.0]

    def add(self, truth: float, estimate: Estimate) -> None:
        """Count the interval of a sample, and that of people alone."""
        half = (estimate.high - estimate.low) / 2
        for place, (middle, one) in enumerate([(estimate.mean, half), (estimate.human, half / estimate.width)]):
            self.covered[place] += abs(middle - truth) <= one + 1e-12
            self.widths[place] += one


def simulate(folder: Path, sizes: list[int], samples: int, step: int, seed: int = 1) -> Iterator[list[str]]:
    """A row for every machine, number of human queries and kind of estimate."""
    labels, runs = collection(folder, step)
    if len(runs) < 2:
        raise SystemExit(f"{folder} has fewer than two of every {step} runs: give a smaller --step")
    human = values(labels, runs)
    queries = list(labels)
    for name, judge in MACHINES.items():
        rng = random.Random(f"{seed} {name}")
        machine = values({query: judge(by_people, rng) for query, by_people in labels.items()}, runs)
        for size in sizes:
            tallies = {cell: Tally() for cell in human}
            for _ in range(samples):
                sample = rng.sample(queries, size)
                for cell, tally in tallies.items():
                    judged = {query: human[cell][query] for query in sample}
                    truth = sum(human[cell].values()) / len(queries)
                    tally.add(truth, estimate_mean(judged, machine[cell], target="these"))
            for kind in ("differences", "means"):
                mine = [tally for cell, tally in tallies.items() if (" - " in cell[1]) == (kind == "differences")]
                cover = [[100 * tally.covered[place] / samples for tally in mine] for place in (0, 1)]
                width = sum(tally.widths[0] / tally.widths[1] for tally in mine) / len(mine)
                shown = [f"{sum(one) / len(one):.1f} ({min(one):.0f})" for one in cover]
                yield [name, str(size), kind, *shown, f"{width:.2f}"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trec", type=Path, required=True, help="folder with qrels.txt and *.run")
    parser.add_argument("--sizes", default="10,25", help="numbers of queries that people judge")
    parser.add_argument("--samples", type=int, default=400, help="samples of queries for each cell")
    parser.add_argument("--step", type=int, default=30, help="take every STEPth run")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    head = ["machine", "human queries", "of", "coverage in % (lowest)", "people alone", "relative width"]
    print(markdown_table(head, list(simulate(options.trec, sizes, options.samples, options.step))))


if __name__ == "__main__":
    main()
