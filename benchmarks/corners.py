"""What every measure of one run costs where collections are unusual, so that slow corners show.

Shapes, the same for the same seed:

    open     16 topics of 2,000 to 13,000 documents in the pool, a tenth of them judged, with grades 0 and 1; the run
             ranks half of them. All others may have any grade: bounds over them, where a measure has bounds
    graded   the same with grades 0 to 3
    coarse   as open, ranked by 25 scores; over the orders of ties the mean, or ("range") the extremes
    rough    as coarse, with grades 0 to 3
    flat     queries whose 1,000 documents all have one score; 50 are judged, with grades 0 to 3
    sparse   the same with one or two relevant documents and nothing else judged
    pairs    queries of 1,000 documents in groups of two, 50 of them judged with grades 0 to 3
    million  one query whose million documents all have one score; 50 are judged, with grades 0 to 3

Measures that need them get subtopics, strata, probabilities of inclusion, and lengths of documents.

A cell is CPU seconds of one evaluation on one thread, reading left out; for shapes of many queries of 1,000 documents
it is the cost of 7,000, from fewer. Each is measured in a process of its own, which ends after ``--limit`` seconds: ">"
and what that amounts to. Those of at least ``--least`` seconds are printed, worst first; all with ``--least 0``.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Any

import untied
from measure import machine, markdown_table
from untied import _core

CUTOFFS = {"required": "@100", "recall": "@0.5", "optional": "", "none": ""}
"""What is put behind a measure's name."""
HIGHEST = 3
"""The highest grade, for measures that have to be told."""
QUERIES = 7000
"""Queries that a figure is for, in shapes of many."""
MILLION = 1_000_000
"""Documents of the shape with the largest tie group."""
POOLS = (2_000, 13_000)
"""Documents of the smallest and the largest pool."""

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]
Policies = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Shape:
    """Judgments and a run, and how they are evaluated."""

    qrels: Grades
    run: Scores
    policies: Policies
    """Options of the evaluation by what they are called in the table."""
    times: float = 1.0
    """What a figure is multiplied by."""


BOUNDS = {"unjudged": "range", "unretrieved": "pooled"}
TIES: Policies = {"mean": {}, "range": {"ties": "range"}, "variance": {"variance": True}}


def open_topics(rng: random.Random, grades: list[int], scores: int | None) -> Shape:
    """Large pools with few judgments; rankings have `scores` different scores, or no ties if that is None."""
    qrels, run = {}, {}
    for topic in range(16):
        size = POOLS[0] + topic * (POOLS[1] - POOLS[0]) // 15
        docs = [f"d{i}" for i in range(size)]
        qrels[str(topic)] = {doc: rng.choice(grades) if rng.random() < 0.1 else -1 for doc in docs}
        ranked = rng.sample(docs, size // 2)
        run[str(topic)] = {doc: -float(rank * scores // len(ranked) if scores else rank)
                           for rank, doc in enumerate(ranked)}  # fmt: skip
    policies = {"bounds": BOUNDS} | ({"bounds, range": BOUNDS | {"ties": "range"}} if scores else {})
    return Shape(qrels, run, policies)


def tied_queries(
    rng: random.Random, number: int, size: int, judge: Callable[[random.Random, list[str]], dict[str, int]]
) -> Shape:
    """Many queries of 1,000 documents in groups of this size."""
    docs = [f"d{i}" for i in range(1000)]
    run = {str(query): {doc: -float(rank // size) for rank, doc in enumerate(docs)} for query in range(number)}
    return Shape({query: judge(rng, docs) for query in run}, run, TIES, QUERIES / number)


def one_score(rng: random.Random, size: int, judge: Callable[[random.Random, list[str]], dict[str, int]]) -> Shape:
    """One query, whose documents are all tied."""
    docs = [f"d{i}" for i in range(size)]
    return Shape({"1": judge(rng, docs)}, {"1": dict.fromkeys(docs, 1.0)}, TIES)


def shapes(seed: int, number: int) -> dict[str, Callable[[], Shape]]:
    """What makes each of them, by name."""
    binary, graded = [0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 2, 3]

    def fifty(rng: random.Random, docs: list[str]) -> dict[str, int]:
        return {doc: rng.choice(graded) for doc in rng.sample(docs, 50)}

    def few(rng: random.Random, docs: list[str]) -> dict[str, int]:
        return dict.fromkeys(rng.sample(docs, rng.choice([1, 1, 2])), 1)

    made: dict[str, Callable[[random.Random], Shape]] = {
        "open": lambda rng: open_topics(rng, binary, None),
        "graded": lambda rng: open_topics(rng, graded, None),
        "coarse": lambda rng: open_topics(rng, binary, 25),
        "rough": lambda rng: open_topics(rng, graded, 25),
        "flat": lambda rng: tied_queries(rng, number, 1000, fifty),
        "sparse": lambda rng: tied_queries(rng, number, 1000, few),
        "pairs": lambda rng: tied_queries(rng, number, 2, fifty),
        "million": lambda rng: one_score(rng, MILLION, fifty),
    }
    return {name: partial(make, random.Random(f"{seed} {name}")) for name, make in made.items()}


def judgments(qrels: Grades, needs: str) -> _core.Qrels:
    """Judgments of the kind that a measure needs, made of grades."""
    match needs:
        case "subtopics":
            return untied.Qrels(
                {query: {str(i): {doc: grade for doc, grade in docs.items() if hash_of(doc) % 3 == i or grade > 1}
                         for i in range(3)} for query, docs in qrels.items()},
                format="subtopics",
            )  # fmt: skip
        case "strata":
            strata = {query: {doc: (1 + hash_of(doc) % 3, grade) for doc, grade in docs.items()}
                      for query, docs in qrels.items()}  # fmt: skip
            return untied.Qrels(strata, format="stratified")
        case "inclusion":
            prels = {query: {doc: (grade, 1 / (1 + hash_of(doc) % 3)) for doc, grade in docs.items() if grade >= 0}
                     for query, docs in qrels.items()}  # fmt: skip
            return untied.Qrels(prels, format="prels")
    return untied.Qrels(qrels)


def hash_of(doc: str) -> int:
    """A number of a document that does not change from process to process, as Python's own does."""
    return int(doc[1:]) * 2654435761 % 2**32 >> 8


def measures(chosen: list[str]) -> Iterator[tuple[str, str]]:
    """The measures of the registry with what they need, or those that are asked for."""
    known = _core.measure_info()
    needs = {info["name"]: info["needs"] for info in known}
    if chosen:
        yield from ((name, needs[untied.parse_measure(name).name]) for name in chosen)
        return
    for info in known:
        given = ", ".join(
            f"{name}={HIGHEST}"
            for name, default, *_ in info["parameters"]
            if not default and info["cutoff"] != "recall"
        )
        yield f"{info['name']}{given and f'({given})'}{CUTOFFS[info['cutoff']]}", info["needs"]


def cpu_within(limit: int, work: Callable[[], object]) -> float | str | None:
    """CPU seconds of work, done in a process of its own; nothing where that exceeds the limit, or why it fails."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            start = process_time()
            most = int(start) + limit + 1
            resource.setrlimit(resource.RLIMIT_CPU, (most, most))
            work()
            answer = str(process_time() - start)
        except untied.UntiedError as error:
            answer = str(error)
        finally:
            os.write(writing, answer.encode())
            os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    try:
        return float(answer) if answer else None
    except ValueError:
        return answer


def measured(shape: Shape, chosen: list[str], limit: int) -> Iterator[tuple[float, bool, str, str]]:
    """Seconds, whether there are more, measure, and policies."""
    run = untied.Run(shape.run)

    def cost(made: Callable[[], untied.Evaluator]) -> float | str | None:
        return cpu_within(limit, lambda: made().means(run))

    docs = {doc: 100 + hash_of(doc) % 900 for ranking in shape.run.values() for doc in ranking}
    prepared = {needs: judgments(shape.qrels, needs) for needs in ("judgments", "subtopics", "strata", "inclusion")}
    for measure, needs in measures(chosen):
        given: dict[str, Any] = {"docs": docs} if needs == "documents" else {}
        evaluator = partial(untied.Evaluator, prepared["judgments" if given else needs], measure, threads=1, **given)
        for policy, policies in shape.policies.items():
            taken = cost(partial(evaluator, **policies))
            if isinstance(taken, str) and "bounds" in policy:
                policy = policy.replace("bounds", "no bounds")
                closed = {name: value for name, value in policies.items() if name not in BOUNDS}
                taken = cost(partial(evaluator, **closed))
            if isinstance(taken, str):
                print(f"not measured: {taken}", file=sys.stderr)
                continue
            yield shape.times * (limit if taken is None else taken), taken is None, measure, policy


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measures", nargs="*", help="only these, for instance Rprec EP@0.5; default: all of one run")
    parser.add_argument("--shapes", nargs="+", metavar="NAME", help="only these shapes")
    parser.add_argument("--queries", type=int, default=70, help="queries in shapes of many (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=10, help="CPU seconds of one process (default: %(default)s)")
    parser.add_argument(
        "--least",
        type=float,
        default=0.2,
        help="print what takes this many seconds or more (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=22, help="of the shapes (default: %(default)s)")
    options = parser.parse_args()
    every = shapes(options.seed, options.queries)
    if unknown := set(options.shapes or ()) - every.keys():
        parser.error(f"no shape {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    of_one_run = {info["name"] for info in _core.measure_info()}
    for measure in options.measures:
        try:
            name = untied.parse_measure(measure).name
        except untied.UntiedError as error:
            parser.error(str(error))
        if name not in of_one_run:
            parser.error(f"expected measures of one run, found {measure}")
    found = []
    for name in options.shapes or every:
        for seconds, above, measure, policy in measured(every[name](), options.measures, options.limit):
            found.append((seconds, [measure, f"{'>' * above}{seconds:.2f}", f"{name}, {policy}"]))
            if sys.stderr.isatty():
                print(f"\r{name}: {measure:<20}", end="", file=sys.stderr)
    print(f"{machine([])}\n")
    print(f"{len(found)} cells, {sum(seconds for seconds, _ in found):.0f} s in all\n")
    rows = [row for seconds, row in sorted(found, reverse=True) if seconds >= options.least]
    print(markdown_table(["measure", "CPU s", "shape"], rows))


if __name__ == "__main__":
    main()
