"""How cost grows: ten and a hundred times as many lines, queries, candidates, tied documents, pairs; two threads.

A row is one kind of work; its columns are CPU seconds of the smallest size, and by what ten times and a hundred times
as much multiplies them: 10 and 100 where growth is linear. The last table has seconds by the clock on one and two
threads. Everything but the lines of a file is made here and held in memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

import untied
from measure import argument_parser, check_data, machine, markdown_table, progress, seconds, time_functions, times
from ties import write_tied

FIVE = ["AP", "nDCG@10", "RR", "P@10", "R@1000"]
TENS = [1, 10, 100]
#: Rows of the arrays that threads share.
ARRAYS = 500_000
HEAD = [
    "small input",
    "what grows",
    "CPU time",
    "ratio for 10 x the input",
    "ratio for 100 x the input",
]

Work = Callable[[], object]


def lines(data: Path, folder: Path) -> Iterator[tuple[str, str, Work]]:
    """A file of 70,000 lines, of ten times as many, and all 7 million of shape L."""
    for times_ten in TENS:
        run = data / "L.run"
        if times_ten < TENS[-1]:
            run = folder / f"{times_ten}.run"
            with (data / "L.run").open("rb") as whole, run.open("wb") as part:
                part.writelines(islice(whole, 69_800 * times_ten))
        yield "a run of 69,800 lines", "lines", partial(untied.evaluate, data / "L.qrels", run, FIVE, threads=1)


def queries() -> Iterator[tuple[str, str, Work]]:
    """Rows of ten documents."""
    random = np.random.default_rng(1)
    for times_ten in TENS:
        shape = (10_000 * times_ten, 10)
        scores, labels = np.round(random.random(shape), 2), random.integers(0, 4, shape)
        yield (
            "arrays with 10,000 queries of 10 documents",
            "queries",
            partial(untied.evaluate_arrays, scores, labels, FIVE, threads=1),
        )


def candidates() -> Iterator[tuple[str, str, Work]]:
    """Rows of which ten documents are relevant."""
    random = np.random.default_rng(2)
    for times_ten in TENS:
        shape = (100, 1000 * times_ten)
        scores, labels = random.random(shape, dtype=np.float32), np.zeros(shape, dtype=np.int8)
        labels[:, :: shape[1] // 10] = 1
        yield (
            "arrays with 100 queries of 1,000 candidates",
            "candidates",
            partial(untied.evaluate_arrays, scores, labels, ["nDCG@10", "R@100", "RR@10"], threads=1),
        )


def tied(folder: Path) -> Iterator[tuple[str, str, Work]]:
    """One group of tied documents, half of them relevant: means and variances."""
    for times_ten in TENS:
        files = write_tied(folder, 1000 * times_ten, None, 0.5)
        qrels, run = untied.read_qrels(files[0]), untied.read_run(files[1])
        yield (
            "a tie group of 1,000 documents",
            "documents",
            partial(untied.Evaluator(qrels, ["AP", "nDCG@10", "RR"], variance=True, threads=1).means, run),
        )


def pairs() -> Iterator[tuple[str, str, Work]]:
    """Pairs of rankings of 20 ids."""
    random = np.random.default_rng(3)
    for times_ten in TENS:
        ids = random.permuted(np.tile(np.arange(40), (2000 * times_ten, 1)), axis=1)
        yield (
            "2,000 pairs of rankings",
            "pairs",
            partial(
                untied.compare_arrays,
                np.ascontiguousarray(ids[:, :20]),
                np.ascontiguousarray(ids[:, 10:30]),
                ["RBO", "MED(nDCG@20)"],
                threads=1,
            ),
        )


def growth(data: Path, repetitions: int) -> str:
    """A row a kind of work."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for works in (lines(data, folder), queries(), candidates(), tied(folder), pairs()):
            taken = []
            for what, grown, work in works:
                progress(f"growth: {what}, times {TENS[len(taken)]}")
                taken.append(time_functions({what: work}, repetitions)[what].cpu)
                names = [what, grown]
            rows.append([*names, seconds(taken[0]), *(times(cost / taken[0]) for cost in taken[1:])])
    return markdown_table(HEAD, rows)


def threads(data: Path, repetitions: int) -> str:
    """A row a kind of work, by the clock."""
    random = np.random.default_rng(4)
    scores = random.random((ARRAYS, 10))
    labels = random.integers(0, 4, scores.shape)
    qrels, run = untied.read_qrels(data / "M.qrels"), untied.read_run(data / "M.run")
    works: dict[str, Callable[[int], object]] = {
        "7 million lines": lambda number: untied.evaluate(data / "L.qrels", data / "L.run", FIVE, threads=number),
        "run M in memory": lambda number: untied.Evaluator(qrels, FIVE, threads=number).means(run),
        f"arrays with {ARRAYS:,} queries of 10 documents": lambda number: untied.evaluate_arrays(
            scores, labels, FIVE, threads=number
        ),
    }
    rows = []
    for what, work in works.items():
        progress(f"threads: {what}")
        costs = time_functions({str(number): partial(work, number) for number in (1, 2)}, repetitions)
        one, two = costs["1"].wall, costs["2"].wall
        rows.append([what, seconds(one), seconds(two), times(one / two)])
    return markdown_table(["elapsed time", "1 thread", "2 threads", "times as fast"], rows)


def main() -> None:
    """Print both tables."""
    parser = argument_parser(__doc__, repetitions=3)
    options = parser.parse_args()
    check_data(parser, options.data, "ML")
    print(machine(["untied", "numpy"]), end="\n\n")
    print(growth(options.data, options.repetitions), end="\n\n")
    print(threads(options.data, options.repetitions))


if __name__ == "__main__":
    main()
