"""pytrec_eval and `untied.compat.pytrec_eval` side by side: the same dicts, the same measures, the same results.

One call is what a user of pytrec_eval writes: an evaluator made from the qrels, and one run evaluated with it; then its
two parts on their own.  The last rows are a run of one topic on an evaluator that is there already, as in a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytrec_eval as peer

from measure import (
    argument_parser,
    check_data,
    machine,
    markdown_table,
    progress,
    seconds,
    time_functions,
    times,
    write_json,
)
from memory import read_qrels, read_run
from untied.compat import pytrec_eval as ours

SETS = {"official": {"official"}, "all": peer.supported_measures}


def agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two results have the same topics and keys in the same order, and equal numbers."""
    return list(one) == list(other) and all(
        list(one[topic]) == list(other[topic])
        and all(abs(one[topic][name] - other[topic][name]) <= 1e-9 for name in other[topic])
        for topic in other
    )


def functions(module: Any, qrels: Any, run: Any, measures: set[str]) -> dict[str, Callable[[], Any]]:
    """What is measured, by name."""
    evaluator = module.RelevanceEvaluator(qrels, measures)
    topic = next(topic for topic in run if topic in qrels)
    one = {topic: run[topic]}
    return {
        "qrels and run": lambda: module.RelevanceEvaluator(qrels, measures).evaluate(run),
        "qrels": lambda: module.RelevanceEvaluator(qrels, measures),
        "run": lambda: evaluator.evaluate(run),
        "one topic": lambda: evaluator.evaluate(one),
    }


def main() -> None:
    """Print a table a shape."""
    parser = argument_parser(__doc__, repetitions=7)
    parser.add_argument("--shapes", default="SM", help="letters of S, M and L; default: %(default)s")
    arguments = parser.parse_args()
    check_data(parser, arguments.data, arguments.shapes)
    print(f"{machine(['pytrec-eval-terrier'])}\n")
    figures: dict[str, dict[str, float]] = {}
    for shape in arguments.shapes:
        qrels, run = read_qrels(arguments.data / f"{shape}.qrels"), read_run(arguments.data / f"{shape}.run")
        rows = []
        for name, measures in SETS.items():
            progress(f"{shape}: {name}")
            pair = [functions(module, qrels, run, measures) for module in (peer, ours)]
            if not agree(pair[0]["run"](), pair[1]["run"]()):
                raise SystemExit(f"{shape}, {name}: results differ")
            for what in pair[0]:
                costs = time_functions({"peer": pair[0][what], "ours": pair[1][what]}, arguments.repetitions)
                theirs, mine = costs["peer"], costs["ours"]
                ratios = theirs.wall / mine.wall, theirs.cpu / mine.cpu
                figures[f"{shape}, {name}, {what}"] = {
                    "peer": theirs.wall,
                    "ours": mine.wall,
                    "wall": ratios[0],
                    "cpu": ratios[1],
                }
                rows.append([f"{name}: {what}", seconds(theirs.wall), seconds(mine.wall), *map(times, ratios)])
        print(f"### {shape}\n")
        print(markdown_table(["measures", "pytrec_eval", "untied", "× wall", "× CPU"], rows), "\n")
    write_json(arguments.json, figures)


if __name__ == "__main__":
    main()
