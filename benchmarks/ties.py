"""What exactness under ties costs.

1. The claim of McSherry & Najork (2008, section 3): the tie-aware mean costs hardly more than evaluating one order,
   but for reciprocal rank, 25 %.  Here: ties="expected" against ties="given" and ties="docid", a measure at a time,
   the run in memory.  What ranking and judging take is part of it, as in the paper; "beyond NumQ" is what is left
   without them.
2. Growth with the size of a tie group, of the mean and of the variance.
3. The same means by libraries that know ties: tie-aware-retrieval-metrics and scikit-learn.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from measure import (
    NOT_INSTALLED,
    Cost,
    argument_parser,
    call_cost,
    check_data,
    is_installed,
    machine,
    markdown_table,
    percent,
    progress,
    seconds,
    time_functions,
    times,
    write_json,
)
from memory import read_qrels, read_run

PAPER = {
    "P@10": "negligible",
    "R@10": "negligible",
    "F1@10": "negligible",
    "AP": "negligible",
    "RR": "+25 %",
    "DCG@10": "–",
    "nDCG@10": "negligible",
    "nDCG": "negligible",
    "Success@10": "–",
    "Rprec": "–",
    "RR@10": "+25 %",
    "AP@10": "negligible",
}
"""What the paper says of each measure; DCG, success and R-precision are not in it."""

POLICIES = ["given", "docid", "expected"]
BASELINE = "NumQ"
"""The measure that does nothing: it costs what ranking and judging cost."""

MEASURES = [BASELINE, *PAPER]

Figures = dict[str, Any]


def claim(folder: Path, shape: str, repetitions: int) -> Figures:
    """Cost of every measure under every policy on one shape, one thread."""
    import untied

    qrels, run = untied.read_qrels(folder / f"{shape}.qrels"), untied.read_run(folder / f"{shape}.run")
    costs: Figures = {}
    for measure in PAPER:
        progress(f"ties, {shape}: {measure}")
        functions = {}
        for policy in POLICIES:
            # The baseline takes its turns beside the measure it is subtracted from.
            for column, name in ((policy, measure), (f"{policy}, {BASELINE}", BASELINE)):
                functions[column] = partial(untied.Evaluator(qrels, [name], ties=policy, threads=1).means, run)
        costs[measure] = time_functions(functions, repetitions)
    return costs


def claim_table(shape: str, costs: Mapping[str, Mapping[str, Cost]]) -> str:
    """A row a measure."""
    header = [shape, *POLICIES, "expected / given", "expected / docid", "the paper"]
    header += [f"beyond {BASELINE}: given", "docid", "expected"]
    rows = []
    for measure, of_measure in costs.items():
        given, docid, expected = (of_measure[policy].cpu for policy in POLICIES)
        beyond = [of_measure[policy].cpu - of_measure[f"{policy}, {BASELINE}"].cpu for policy in POLICIES]
        rows.append(
            [
                measure,
                *map(seconds, (given, docid, expected)),
                percent(expected / given - 1),
                percent(expected / docid - 1),
                PAPER[measure],
                *map(milliseconds, beyond),
            ]
        )
    return markdown_table(header, rows)


def milliseconds(value: float) -> str:
    """A difference of two costs, which may be negative."""
    return f"{1e3 * value:.1f} ms".replace("-", "−")


def microseconds(value: float) -> str:
    """Three digits, without the unit."""
    return f"{1e6 * value:,.0f}" if value >= 1e-4 else f"{1e6 * value:#.3g}"


SIZES = [1_000, 10_000, 100_000]
LONGEST = 20.0
"""A size is left out where the growth before it lets expect more seconds than this."""

GROUPS = {
    "one group, 1 % relevant": (None, 0.01),
    "one group, 50 % relevant": (None, 0.5),
    "groups of 100, 50 % relevant": (100, 0.5),
}
"""Size of the tie groups (None: one group of all documents) and share of relevant documents."""


def write_tied(folder: Path, documents: int, group_size: int | None, relevant_share: float) -> tuple[Path, Path]:
    """Qrels and run of one query; every document is judged, the relevant ones are spread evenly over the groups."""
    rng = random.Random(documents)
    names = [f"doc{number}" for number in rng.sample(range(10 * documents), documents)]
    every = round(1 / relevant_share)
    qrels, run = folder / "tied.qrels", folder / "tied.run"
    qrels.write_text(
        "".join(f"1 0 {name} {rng.randint(1, 3) if number % every == 0 else 0}\n" for number, name in enumerate(names))
    )
    run.write_text(
        "".join(
            f"1 Q0 {name} {number + 1} {-(number // (group_size or documents))} tied\n"
            for number, name in enumerate(names)
        )
    )
    return qrels, run


def growth(repetitions: int) -> Figures:
    """Cost of a call by kind of groups, measure, "mean" or "variance", and size."""
    import untied

    costs: Figures = {kind: {measure: {"mean": {}, "variance": {}} for measure in MEASURES} for kind in GROUPS}
    with tempfile.TemporaryDirectory() as name:
        for kind, (group_size, relevant_share) in GROUPS.items():
            for size in SIZES:
                progress(f"growth, {kind}: {size:,} documents")
                files = write_tied(Path(name), size, group_size, relevant_share)
                qrels, run = untied.read_qrels(files[0]), untied.read_run(files[1])
                for measure in MEASURES:
                    functions = {}
                    for what, known in costs[kind][measure].items():
                        if foreseen(known, size) < LONGEST:
                            variance = what == "variance"
                            evaluator = untied.Evaluator(qrels, [measure], variance=variance, threads=1)
                            functions[what] = partial(evaluator.evaluate, run)
                    for what, cost in time_functions(functions, repetitions).items():
                        costs[kind][measure][what][str(size)] = cost
    return costs


def foreseen(by_size: Mapping[str, Cost], size: int) -> float:
    """Seconds to expect at this size if the cost grows as it grew from size to size before."""
    known = [cost.cpu for cost in by_size.values()]
    if len(known) < SIZES.index(size):
        return float("inf")
    return known[-1] * max(10.0, known[-1] / known[-2]) if len(known) > 1 else 0.0


def growth_table(kind: str, costs: Figures) -> str:
    """A row a measure; cost at every size and how much the last tenfold step multiplied it."""
    header = [kind]
    for what in ("mean", "variance"):
        header += [f"{what}: {SIZES[0]:,}", *(f"{size:,}" for size in SIZES[1:]), "last × 10"]
    rows = []
    for measure, of_measure in costs.items():
        row = [measure]
        for of_size in of_measure.values():
            known = [of_size.get(str(size)) for size in SIZES]
            row += [seconds(cost.cpu) if cost else f"> {LONGEST:.0f} s" for cost in known]
            row.append(times(known[-1].cpu / known[-2].cpu) if known[-1] and known[-2] else "")
        rows.append(row)
    return markdown_table(header, rows)


PEER_MEASURES = {
    "nDCG@10": ("nDCG(recall_base='ranking')@10", "ndcg", 10),
    "nDCG@1000": ("nDCG(recall_base='ranking')@1000", "ndcg", 1000),
    "AP@10": ("AP(recall_base='ranking')@10", "map", 10),
    "AP@1000": ("AP(recall_base='ranking')@1000", "map", 1000),
    "RR@10": ("RR@10", "mrr", 10),
    "R@10": ("R(recall_base='ranking')@10", "recall", 10),
}
"""Ours, the name in tie-aware-retrieval-metrics, the cutoff: that library knows nothing but retrieved documents."""

PEER_COLUMNS = [
    "untied, dicts, expected",
    "untied, dicts, range",
    "untied, Run, expected",
    "tie-aware-retrieval-metrics",
    "scikit-learn",
    "scikit-learn, ignore_ties",
]


def peer_functions(measure: str, qrels: Any, run: Any) -> tuple[dict[str, Callable[[], object]], dict[str, float]]:
    """A function a contender, and what each says the mean is."""
    ours, theirs, cutoff = PEER_MEASURES[measure]
    functions: dict[str, Callable[[], object]] = {}
    means: dict[str, float] = {}
    if is_installed("untied"):
        import untied

        one = partial(untied.evaluate, qrels, run, [ours], threads=1)
        functions["untied, dicts, expected"] = one
        functions["untied, dicts, range"] = partial(one, ties="range")
        with tempfile.NamedTemporaryFile("w", suffix=".run") as file:
            for query, scores in run.items():
                file.writelines(f"{query} Q0 {document} 0 {score!r} x\n" for document, score in scores.items())
            file.flush()
            prepared = untied.read_run(file.name)
        functions["untied, Run, expected"] = partial(untied.Evaluator(qrels, [ours], threads=1).means, prepared)
        means["untied"] = one()[ours].mean

    scores = [list(of_query.values()) for of_query in run.values()]
    labels = [[bool(qrels[query].get(document, 0)) for document in of_query] for query, of_query in run.items()]
    if is_installed("trm"):
        import trm

        tie_aware = partial(trm.evaluate, scores, labels, [theirs], [cutoff])
        functions["tie-aware-retrieval-metrics"] = tie_aware
        means["tie-aware-retrieval-metrics"] = tie_aware().metrics[theirs][cutoff].expected
    if theirs == "ndcg" and is_installed("sklearn"):
        batches = as_batches(labels, scores)
        functions["scikit-learn"] = partial(sklearn_mean, batches, cutoff)
        functions["scikit-learn, ignore_ties"] = partial(sklearn_mean, batches, cutoff, ignore_ties=True)
        means["scikit-learn"] = sklearn_mean(batches, cutoff)
    return functions, means


def as_batches(labels: Sequence[Sequence[bool]], scores: Sequence[Sequence[float]]) -> list[tuple[Any, Any]]:
    """Arrays for scikit-learn: one where all queries are of one length, else one a query."""
    import numpy as np

    if len({len(of_query) for of_query in scores}) == 1:
        return [(np.asarray(labels, float), np.asarray(scores, float))]
    return [(np.asarray([a], float), np.asarray([b], float)) for a, b in zip(labels, scores, strict=True)]


def sklearn_mean(batches: Sequence[tuple[Any, Any]], cutoff: int, *, ignore_ties: bool = False) -> float:
    """Mean nDCG over all batches."""
    from sklearn.metrics import ndcg_score

    total = sum(len(truth) * ndcg_score(truth, score, k=cutoff, ignore_ties=ignore_ties) for truth, score in batches)
    return float(total) / sum(len(truth) for truth, _ in batches)


def peers(folder: Path, shape: str, queries: int, repetitions: int) -> Figures:
    """Costs by measure and contender on the first queries of a shape, grades made binary; and the means."""
    qrels, run = read_qrels(folder / f"{shape}.qrels"), read_run(folder / f"{shape}.run")
    run = dict(islice(run.items(), queries))
    binary = {query: {name: int(grade > 0) for name, grade in qrels[query].items()} for query in run}
    figures: Figures = {"queries": len(run), "costs": {}, "means": {}}
    for measure in PEER_MEASURES:
        progress(f"peers, {shape}: {measure}")
        functions, figures["means"][measure] = peer_functions(measure, binary, run)
        slow = {name for name, function in functions.items() if call_cost(function, 1).wall > 2}
        figures["costs"][measure] = {
            **time_functions({name: functions[name] for name in functions if name not in slow}, repetitions),
            **time_functions({name: functions[name] for name in slow}, 1),
        }
    return figures


def peers_table(shape: str, figures: Figures) -> str:
    """A row a measure: microseconds a query, and whether the means agree."""
    header = [f"µs a query, {shape} ({figures['queries']:,} queries)", *PEER_COLUMNS, "means differ by"]
    modules = dict(zip(PEER_COLUMNS, ["untied"] * 3 + ["trm"] + ["sklearn"] * 2, strict=True))
    rows = []
    for measure, costs in figures["costs"].items():
        row = [measure]
        for column in PEER_COLUMNS:
            if column in costs:
                row.append(microseconds(costs[column].cpu / figures["queries"]))
            else:
                row.append("–" if is_installed(modules[column]) else NOT_INSTALLED)
        means = figures["means"][measure].values()
        row.append(f"{max(means) - min(means):.0e}" if len(means) > 1 else "")
        rows.append(row)
    return markdown_table(header, rows)


def main() -> None:
    """Measure and print all tables."""
    parser = argument_parser(__doc__, repetitions=7)
    parser.add_argument("--shapes", default="WM", help="default: %(default)s")
    parser.add_argument("--queries", type=int, default=1000, help="in the third table (default: %(default)s)")
    parser.add_argument("--only", choices=["claim", "growth", "peers"], help="one of the three parts")
    options = parser.parse_args()
    check_data(parser, options.data, options.shapes)
    parts = [options.only] if options.only else ["claim", "growth", "peers"]

    packages = ["untied", "tie-aware-retrieval-metrics", "scikit-learn"]
    print(machine(packages), end="\n\n")
    figures: Figures = {"machine": machine(packages)}
    if not is_installed("untied"):
        print("untied is not installed: the first two parts are left out.\n")
        parts = [part for part in parts if part == "peers"]
    if "claim" in parts:
        figures["claim"] = {shape: claim(options.data, shape, options.repetitions) for shape in options.shapes}
        for shape, costs in figures["claim"].items():
            print(claim_table(shape, costs), end="\n\n")
    if "growth" in parts:
        figures["growth"] = growth(options.repetitions)
        for kind, costs in figures["growth"].items():
            print(growth_table(f"one query, {kind}", costs), end="\n\n")
    if "peers" in parts:
        for shape in options.shapes:
            figures[f"peers, {shape}"] = peers(options.data, shape, options.queries, min(options.repetitions, 3))
            print(peers_table(shape, figures[f"peers, {shape}"]), end="\n\n")
    print(f"CPU time, one thread, medians of {options.repetitions} samples taken in turns (of 3 beside peers).")
    write_json(options.json, figures)


if __name__ == "__main__":
    main()
