"""In process, the data already loaded: from dicts to means, and a prepared evaluator in a loop.

The dicts are those every library takes, {query: {document: grade}} and {query: {document: score}}.  `untied` computes
exact means over all orders of tied documents unless told otherwise; the others evaluate one order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from measure import (
    NOT_INSTALLED,
    Cost,
    argument_parser,
    check_data,
    is_installed,
    machine,
    markdown_table,
    progress,
    seconds,
    time_functions,
    times,
    write_json,
)

SETS = {
    "nDCG@10": {
        "untied": ["nDCG@10"],
        "pytrec_eval": ["ndcg_cut_10"],
        "ranx": ["ndcg@10"],
    },
    "five measures": {
        "untied": ["AP", "nDCG@10", "RR", "P@10", "R@1000"],
        "pytrec_eval": ["map", "ndcg_cut_10", "recip_rank", "P_10", "recall_1000"],
        "ranx": ["map", "ndcg@10", "mrr", "precision@10", "recall@1000"],
    },
}
Function = Callable[[], object]
UNTIED_DICTS = "untied.evaluate(dict, dict)"
UNTIED_LOOP = "untied Evaluator.means(Run)"


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Grades by document by query."""
    qrels: dict[str, dict[str, int]] = {}
    with path.open() as file:
        for line in file:
            query, _, document, grade = line.split()
            qrels.setdefault(query, {})[document] = int(grade)
    return qrels


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """Scores by document by query."""
    run: dict[str, dict[str, float]] = {}
    with path.open() as file:
        for line in file:
            query, _, document, _, score, _ = line.split()
            run.setdefault(query, {})[document] = float(score)
    return run


def pytrec_eval_means(evaluator: Any, run: Any, measures: Sequence[str]) -> dict[str, float]:
    """Means by measure: pytrec_eval leaves them to its caller."""
    results = evaluator.evaluate(run)
    return {measure: sum(values[measure] for values in results.values()) / len(results) for measure in measures}


def from_dicts(qrels: Any, run: Any, names: Mapping[str, list[str]]) -> dict[str, Function]:
    """Everything from dicts to means: a function a contender, of those that are installed."""
    functions: dict[str, Function] = {}
    if is_installed("untied"):
        import untied

        measures = names["untied"]
        functions[UNTIED_DICTS] = lambda: untied.evaluate(qrels, run, measures)
        functions["untied.evaluate(…, threads=1)"] = lambda: untied.evaluate(qrels, run, measures, threads=1)
        functions['untied.evaluate(…, ties="trec")'] = lambda: untied.evaluate(qrels, run, measures, ties="trec")
    if is_installed("pytrec_eval"):
        import pytrec_eval

        peers = names["pytrec_eval"]
        functions["pytrec_eval RelevanceEvaluator, evaluate"] = lambda: pytrec_eval_means(
            pytrec_eval.RelevanceEvaluator(qrels, set(peers)), run, peers
        )
    if is_installed("ir_measures"):
        import ir_measures

        parsed = [ir_measures.parse_measure(name) for name in names["untied"]]
        functions["ir_measures.calc_aggregate"] = lambda: ir_measures.calc_aggregate(parsed, qrels, run)
    if is_installed("ranx"):
        import ranx

        functions["ranx.evaluate(Qrels(dict), Run(dict))"] = lambda: ranx.evaluate(
            ranx.Qrels(qrels), ranx.Run(run), names["ranx"]
        )
    return functions


def in_a_loop(qrels: Any, run: Any, folder: Path, shape: str, names: Mapping[str, list[str]]) -> dict[str, Function]:
    """Evaluation of run after run against the same qrels, everything prepared that can be."""
    functions: dict[str, Function] = {}
    if is_installed("untied"):
        import untied

        evaluator = untied.Evaluator(qrels, names["untied"])
        one_thread = untied.Evaluator(qrels, names["untied"], threads=1)
        prepared = untied.read_run(folder / f"{shape}.run")
        functions[UNTIED_LOOP] = lambda: evaluator.means(prepared)
        functions["untied Evaluator(threads=1).means(Run)"] = lambda: one_thread.means(prepared)
        functions["untied Evaluator.evaluate(Run)"] = lambda: evaluator.evaluate(prepared)
        functions["untied Evaluator.means(dict)"] = lambda: evaluator.means(run)
    if is_installed("pytrec_eval"):
        import pytrec_eval

        peer = pytrec_eval.RelevanceEvaluator(qrels, set(names["pytrec_eval"]))
        functions["pytrec_eval evaluate(dict), means"] = lambda: pytrec_eval_means(peer, run, names["pytrec_eval"])
    if is_installed("ir_measures"):
        import ir_measures

        parsed = [ir_measures.parse_measure(name) for name in names["untied"]]
        irm = ir_measures.evaluator(parsed, qrels)
        functions["ir_measures evaluator.calc_aggregate(dict)"] = lambda: irm.calc_aggregate(run)
    if is_installed("ranx"):
        import ranx

        ranx_qrels, ranx_run = ranx.Qrels(qrels), ranx.Run(run)
        functions["ranx.evaluate(Qrels, Run)"] = lambda: ranx.evaluate(ranx_qrels, ranx_run, names["ranx"])
    return functions


CONTENDERS = {
    "from dicts to means": [
        UNTIED_DICTS,
        "untied.evaluate(…, threads=1)",
        'untied.evaluate(…, ties="trec")',
        "pytrec_eval RelevanceEvaluator, evaluate",
        "ir_measures.calc_aggregate",
        "ranx.evaluate(Qrels(dict), Run(dict))",
    ],
    "in a loop": [
        UNTIED_LOOP,
        "untied Evaluator(threads=1).means(Run)",
        "untied Evaluator.evaluate(Run)",
        "untied Evaluator.means(dict)",
        "pytrec_eval evaluate(dict), means",
        "ir_measures evaluator.calc_aggregate(dict)",
        "ranx.evaluate(Qrels, Run)",
    ],
}
NOTE = (
    "Times are CPU times, added up over all threads. Each time is the median of {n} samples. The benchmark "
    "takes the first sample of every row, then the second sample of every row, and so on. "
    "Each ratio compares a time with the time in the first row."
)


def table(title: str, costs: Mapping[str, Mapping[str, Cost]]) -> str:
    """A row a contender; a column of CPU and of its ratio for every shape and set of measures."""
    header = [title]
    for column in costs:
        header += [column, "ratio"]
    rows = []
    for name in CONTENDERS[title]:
        row = [name]
        for of_column in costs.values():
            base = of_column.get(CONTENDERS[title][0])
            cost = of_column.get(name)
            row.append(NOT_INSTALLED if cost is None else seconds(cost.cpu))
            row.append(times(cost.cpu / base.cpu) if cost and base else "")
        rows.append(row)
    return markdown_table(header, rows)


def largest_difference(folder: Path, shapes: str) -> str:
    """Whether the figures compared are figures of the same thing: untied with trec_eval's order of ties."""
    if not (is_installed("untied") and is_installed("pytrec_eval")):
        return "Means not compared: untied or pytrec_eval is not installed."
    import pytrec_eval

    import untied

    names = SETS["five measures"]
    largest = 0.0
    for shape in shapes:
        qrels, run = read_qrels(folder / f"{shape}.qrels"), read_run(folder / f"{shape}.run")
        ours = untied.evaluate(qrels, run, names["untied"], ties="trec")
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(names["pytrec_eval"]))
        theirs = pytrec_eval_means(evaluator, run, names["pytrec_eval"])
        for mine, peer in zip(names["untied"], names["pytrec_eval"], strict=True):
            largest = max(largest, abs(ours[mine].mean - theirs[peer]))
    differ = "are equal" if largest == 0 else f"differ by at most {largest:.1e}"
    return f"The means of untied (ties='trec') and pytrec_eval {differ}."


def main() -> None:
    """Measure and print both tables."""
    parser = argument_parser(__doc__, repetitions=7)
    parser.add_argument("--shapes", default="SM", help="default: %(default)s")
    options = parser.parse_args()
    check_data(parser, options.data, options.shapes)

    figures: dict[str, dict[str, dict[str, Cost]]] = {title: {} for title in CONTENDERS}
    for shape in options.shapes:
        qrels, run = read_qrels(options.data / f"{shape}.qrels"), read_run(options.data / f"{shape}.run")
        for measures, names in SETS.items():
            progress(f"{shape}, {measures}")
            column = f"{shape} {measures}"
            for title, functions in (
                ("from dicts to means", from_dicts(qrels, run, names)),
                ("in a loop", in_a_loop(qrels, run, options.data, shape, names)),
            ):
                figures[title][column] = time_functions(functions, options.repetitions)

    packages = ["untied", "pytrec-eval-terrier", "ir-measures", "ranx"]
    print(machine(packages), end="\n\n")
    for title, costs in figures.items():
        print(table(title, costs), end="\n\n")
    print(NOTE.format(n=options.repetitions), largest_difference(options.data, options.shapes))
    write_json(options.json, {"machine": machine(packages), "memory": figures})


if __name__ == "__main__":
    main()
