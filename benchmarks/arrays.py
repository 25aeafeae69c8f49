"""What arrays cost: scores and labels of many queries in memory, in microseconds of CPU a query.

1. Shape A (`generate.py`), 1,000,000 queries x 10 documents, one thread: tie-aware nDCG@10, RR@10 and AP together, from
   the arrays to means and to the values of every query, the labels prepared in the call and before it; by type of
   scores. Rounding makes more ties: the share of queries that have any stands beside it.
2. The same for 10,000 queries x 1,000 documents, their scores those of A's model.
3. Other libraries on A: scikit-learn's `ndcg_score`, which averages over ties or ignores them, ranx on arrays (it
   knows no ties), and tie-aware-retrieval-metrics, which takes lists of one query. The slow ones see the first
   queries only. The last column is the difference of the means of nDCG@10 to ours under the same rule; ties that a sort
   breaks as it likes have none.
4. Many columns of scores over one set of labels: 46 of them, 784 queries x 20 documents.
5. Wide arrays, 2,000 queries x 10,000 candidates in float32 with ten relevant documents each, or with 30 % relevant
   ones, in nanoseconds a candidate, beside what numpy takes to find the first 100 (argpartition) or to sort, and beside
   the way in which torchmetrics computes nDCG@10, written in numpy: sort, gather, discount (it knows no ties).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import untied
from measure import argument_parser, is_installed, machine, markdown_table, time_functions, write_json

MEASURES = ["nDCG@10", "RR@10", "AP"]
SIX = ["nDCG@10", "P@10", "R@10", "RR@10", "AP", "Success@10"]
#: Queries and documents of the second and of the last table.
DEEP, WIDE = (10_000, 1000), (2000, 10_000)
DTYPES = ["float64", "float32", "float16", "bfloat16", "int64"]


def as_type(scores: np.ndarray, dtype: str) -> np.ndarray:
    """The scores in some type; integers from the digits."""
    if dtype == "bfloat16":
        import ml_dtypes

        return scores.astype(ml_dtypes.bfloat16)
    return np.rint(scores * 1e5).astype(dtype) if dtype.startswith("int") else scores.astype(dtype)


def share_tied(scores: np.ndarray) -> float:
    """Share of rows in which two scores are equal."""
    ordered = np.sort(scores.astype(np.float64), axis=1)
    return float((ordered[:, 1:] == ordered[:, :-1]).any(axis=1).mean())


def by_type(scores: np.ndarray, labels: np.ndarray, repetitions: int) -> list[list[str]]:
    """A row a type of scores."""
    rows = []
    for dtype in DTYPES:
        if dtype == "bfloat16" and not is_installed("ml_dtypes"):
            rows.append([dtype, "", "", "ml_dtypes is not installed"])
            continue
        typed = as_type(scores, dtype)
        prepared = untied.ArrayEvaluator(labels, MEASURES, threads=1)
        costs = time_functions(
            {
                "all": partial(untied.evaluate_arrays, typed, labels, MEASURES, threads=1),
                "prepared": partial(prepared.evaluate, typed),
            },
            repetitions,
        )
        each = [f"{1e6 * costs[name].cpu / len(scores):.3f}" for name in ("all", "prepared")]
        rows.append([dtype, *each, f"{100 * share_tied(typed):.0f} %"])
    return rows


def peers(scores: np.ndarray, labels: np.ndarray, repetitions: int) -> list[list[str]]:
    """A row a library and rule."""
    some = 20_000
    contenders: dict[str, tuple[int, Callable[[], object], str]] = {
        "untied, nDCG@10": (
            len(scores),
            lambda: untied.evaluate_arrays(scores, labels, "nDCG@10", threads=1)["nDCG@10"].mean,
            "expected",
        ),
        "untied, nDCG@10 + RR@10 + AP": (
            len(scores),
            lambda: untied.evaluate_arrays(scores, labels, MEASURES, threads=1)["nDCG@10"].mean,
            "expected",
        ),
        "untied, six measures": (
            len(scores),
            lambda: untied.evaluate_arrays(scores, labels, SIX, threads=1)["nDCG@10"].mean,
            "expected",
        ),
        "numpy argsort, no measure": (len(scores), lambda: np.argsort(scores, axis=1), ""),
    }
    if is_installed("sklearn"):
        from sklearn.metrics import ndcg_score

        contenders["scikit-learn ndcg_score"] = (
            some,
            lambda: float(ndcg_score(labels[:some], scores[:some], k=10)),
            "expected",
        )
        contenders["scikit-learn ndcg_score, ties ignored"] = (
            len(scores),
            lambda: float(ndcg_score(labels, scores, k=10, ignore_ties=True)),
            "",
        )
    if is_installed("ranx"):
        from ranx.metrics import ndcg

        # Sorted by gain, as ranx has them; only what ranks is done anew in each call.
        best = np.argsort(-labels.astype(np.int64), axis=1)
        qrels = np.stack([best, np.take_along_axis(labels, best, axis=1)], axis=2).astype(np.float64)

        def ranx() -> float:
            order = np.argsort(-scores, axis=1)
            run = np.stack([order.astype(np.float64), np.take_along_axis(scores, order, axis=1)], axis=2)
            return float(np.mean(ndcg(qrels, run, 10)))

        contenders["ranx ndcg, sorting included"] = (len(scores), ranx, "")
    if is_installed("trm"):
        import trm

        few = 5_000
        lists, truths = scores[:few].tolist(), (labels[:few] > 0).tolist()
        for metric in ("ndcg", "map", "mrr"):
            call = partial(trm.evaluate, lists, truths, [metric], [10])
            contenders[f"tie-aware-retrieval-metrics, {metric}@10"] = (few, call, "")
    costs = time_functions({name: call for name, (_, call, _) in contenders.items()}, repetitions, at_least=0)
    rows = []
    for name, (queries, call, rule) in contenders.items():
        ours = untied.evaluate_arrays(scores[:queries], labels[:queries], "nDCG@10")["nDCG@10"].mean if rule else 0.0
        difference = f"{abs(float(call()) - ours):.0e}" if rule else ""  # type: ignore[arg-type]
        rows.append([name, f"{1e6 * costs[name].cpu / queries:.2f}", difference])
    return rows


def gathered(scores: np.ndarray, labels: np.ndarray) -> float:
    """Mean nDCG@10 as torchmetrics computes it: sort, gather, discount."""
    discounts = 1 / np.log2(np.arange(2, 12))
    order = np.argsort(-scores, axis=1)[:, :10]
    ideal = -np.sort(-labels, axis=1)[:, :10]
    return float(np.mean((np.take_along_axis(labels, order, axis=1) @ discounts) / (ideal @ discounts)))


def wide(repetitions: int) -> list[list[str]]:
    """A row a way through wide arrays."""
    random = np.random.default_rng(5)
    scores = random.random(WIDE, dtype=np.float32)
    labels = np.zeros(scores.shape, dtype=np.int8)
    for row in labels:
        row[random.choice(len(row), 10, replace=False)] = 1
    top = ["nDCG@10", "R@100", "RR@10"]
    many = (random.random(scores.shape, dtype=np.float32) < 0.3).astype(np.int8)
    prepared = untied.ArrayEvaluator(labels, top, threads=1)
    contenders: dict[str, Callable[[], object]] = {
        "untied, nDCG@10 + R@100 + RR@10": partial(untied.evaluate_arrays, scores, labels, top, threads=1),
        "untied, labels prepared before": partial(prepared.evaluate, scores),
        "untied, AP": partial(untied.evaluate_arrays, scores, labels, ["AP"], threads=1),
        "untied, nDCG@10 + R@100, 30 % relevant": partial(
            untied.evaluate_arrays, scores, many, ["nDCG@10", "R@100"], threads=1
        ),
        "numpy argpartition, first 100": partial(np.argpartition, scores, -100, axis=1),
        "numpy sort": partial(np.sort, scores, axis=1),
        "torchmetrics' nDCG@10 in numpy": partial(gathered, scores, labels),
    }
    costs = time_functions(contenders, repetitions, at_least=0)
    return [[name, f"{1e9 * costs[name].cpu / scores.size:.2f}"] for name in contenders]


def columns(repetitions: int) -> list[list[str]]:
    """Features of a learning-to-rank set, one evaluation each and all in one call."""
    random = np.random.default_rng(3)
    scores = np.round(random.random((46, 784, 20)), 2)
    labels = random.integers(0, 3, (784, 20))
    measures = ["nDCG@5", "nDCG@10", "nDCG", "AP", "RR", "P@5", "P@10", "R@10", "ERR@10"]
    costs = time_functions({"all": partial(untied.evaluate_arrays, scores, labels, measures, threads=1)}, repetitions)
    return [["46 columns x 9 measures", f"{1e3 * costs['all'].cpu:.0f}"]]


def main() -> None:
    """Print the tables."""
    parser = argument_parser(__doc__, 5)
    options = parser.parse_args()
    path: Path = options.data / "A.npz"
    if not path.exists():
        parser.error(f"no A.npz in {options.data}; write it with generate.py")
    stored = np.load(path)
    scores, labels = stored["scores"], stored["gains"]
    random = np.random.default_rng(4)
    deep = np.sort(np.round(30 - np.cumsum(random.exponential(0.01, DEEP), axis=1), 2), axis=1)
    deep = random.permuted(deep, axis=1)
    deep_labels = (random.random(deep.shape) < 0.05).astype(np.int8)
    print(machine(["untied", "numpy", "scikit-learn", "ranx", "tie-aware-retrieval-metrics"]), end="\n\n")
    head = ["labels prepared", "in the call", "before", "queries with ties"]
    figures: dict[str, object] = {}
    for title, rows in [
        ("1,000,000 x 10", by_type(scores, labels, options.repetitions)),
        (f"{DEEP[0]:,} x {DEEP[1]:,}", by_type(deep, deep_labels, options.repetitions)),
    ]:
        print(markdown_table([f"{title}, µs a query; {head[0]}", *head[1:]], rows), end="\n\n")
        figures[title] = rows
    figures["peers"] = peers(scores, labels, options.repetitions)
    print(
        markdown_table(["1,000,000 x 10", "µs per query", "difference from untied's nDCG@10"], figures["peers"]),
        end="\n\n",
    )
    figures["columns"] = columns(options.repetitions)
    print(markdown_table(["784 queries x 20 documents", "ms of CPU"], figures["columns"]), end="\n\n")
    figures["wide"] = wide(options.repetitions)
    print(markdown_table([f"{WIDE[0]:,} x {WIDE[1]:,} float32", "ns a candidate"], figures["wide"]))
    write_json(options.json, figures)


if __name__ == "__main__":
    main()
