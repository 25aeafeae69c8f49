"""What scoring all features of a learning-to-rank data set costs, beside scikit-learn where it has the measure.

1. The whole process `untied features`, with nine measures, under tie policies, and unpacking the files alone.
2. In process, from files in memory's cache: nDCG and nDCG@10 of every feature, untied and scikit-learn's `ndcg_score`
   (which averages over ties, too), with the largest difference between their values; AP of untied beside
   `average_precision_score`, which takes a tie group as one step and so is another number.

Figures are medians; CPU seconds are those of all threads. The files are LETOR's, for instance MQ2008's S1 to S3.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import untied
from measure import in_turns, machine, markdown_table, run_child, seconds, times

MEASURES = ["AP", "nDCG@10", "nDCG", "nDCG@5", "RR", "P@5", "P@10", "R@10", "F1@10"]


def processes(paths: list[str], repeats: int) -> list[list[str]]:
    """Whole processes: untied under tie policies, and what only unpacks."""
    untied_ = [sys.executable, "-m", "untied", "features", *paths]
    untied_ += [option for measure in MEASURES for option in ("-m", measure)]
    commands = {f"untied features --ties {ties}": [*untied_, "--ties", ties] for ties in ("range", "expected", "given")}
    if any(path.endswith(".xz") for path in paths):
        commands["xz -dc, unpacking alone"] = ["xz", "-dc", *paths]
    commands["python -c pass"] = [sys.executable, "-c", "pass"]
    costs = in_turns({name: lambda command=command: run_child(command) for name, command in commands.items()}, repeats)
    return [[name, seconds(cost.cpu), seconds(cost.wall), f"{cost.peak_mib:.0f}"] for name, cost in costs.items()]


def once(function: Callable[[], Any]) -> tuple[Any, float, float]:
    """The result of one call, its CPU and its wall-clock seconds."""
    wall, cpu = perf_counter(), process_time()
    result = function()
    return result, process_time() - cpu, perf_counter() - wall


def beside_scikit_learn(paths: list[str]) -> list[list[str]]:
    """What nDCG and AP of all features cost, from files to means."""
    import numpy
    from sklearn.datasets import load_svmlight_file
    from sklearn.metrics import average_precision_score, ndcg_score

    from untied._core import read_bytes

    def load() -> tuple[Any, Any, list[slice]]:
        whole = b"".join(read_bytes(path, lines=False) for path in paths)
        matrix, labels, queries = load_svmlight_file(io.BytesIO(whole), query_id=True)
        starts = numpy.flatnonzero(numpy.concatenate(([True], queries[1:] != queries[:-1])))
        ends = numpy.append(starts[1:], len(queries))
        return matrix.toarray(), labels, [slice(start, end) for start, end in zip(starts, ends, strict=True)]

    def means(of: Callable[[Any, Any], float]) -> Any:
        columns = matrix.shape[1]
        return [sum(of(labels[rows], matrix[rows, f]) for rows in queries) / len(queries) for f in range(columns)]

    (matrix, labels, queries), cpu, wall = once(load)
    rows = [["load_svmlight_file, packed as it is", seconds(cpu), seconds(wall), "", ""]]

    def ndcg(k: int | None) -> Callable[[Any, Any], float]:
        return lambda truth, scores: ndcg_score([truth], [scores], k=k) if len(truth) > 1 else float(truth[0] > 0)

    def precision(truth: Any, scores: Any) -> float:
        return average_precision_score(truth > 0, scores) if truth.any() else 0.0

    for measure, theirs in [("nDCG@10", ndcg(10)), ("nDCG", ndcg(None)), ("AP", precision)]:
        ours, our_cpu, our_wall = once(
            lambda measure=measure: untied.evaluate_features(paths, measure, ties="expected")
        )
        rows.append([f"untied, {measure}, from packed files", seconds(our_cpu), seconds(our_wall), "", ""])
        values, cpu, wall = once(lambda theirs=theirs: means(theirs))
        apart = max(
            abs(value - ours[feature, measure].mean) for feature, value in zip(ours.features, values, strict=True)
        )
        name = "average_precision_score" if measure == "AP" else "ndcg_score"
        rows.append([f"scikit-learn, {name}", seconds(cpu), seconds(wall), times(cpu / our_cpu), f"{apart:.1e}"])
    return rows


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", metavar="DATA", help="LETOR files, a feature in all of them")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    paths = [str(path) for path in options.data]
    print(machine(["scikit-learn"]), end="\n\n")
    head = ["process", "CPU", "wall clock", "peak MiB"]
    print(markdown_table(head, processes(paths, options.repeats)), end="\n\n")
    head = ["in process", "CPU", "wall clock", "times untied", "largest difference"]
    print(markdown_table(head, beside_scikit_learn(paths)))


if __name__ == "__main__":
    main()
