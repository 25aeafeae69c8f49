"""Cases of two rankings: rank-biased overlap and its relatives with ties, and recall of nearest neighbours."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from conformance.generate.answers import ORDERS, Answers, as_text, in_text, told_apart
from conformance.generate.retrieval import VERSION, Case
from oracle import ranked, similarity
from oracle.enumeration import permutations
from oracle.judgements import Groups

Similarity = Callable[[Sequence[str], Sequence[str]], Fraction | None]
P = Fraction(9, 10)

PAIRS: dict[str, tuple[str, Groups, Groups]] = {
    "untied": ("Two rankings of the same four documents without ties.", [["a"], ["b"], ["c"], ["d"]],
               [["b"], ["a"], ["d"], ["c"]]),
    "one-tied": ("A ranking with a tie of three documents, and one without ties.", [["c", "a", "b"], ["d"]],
                 [["a"], ["b"], ["c"], ["d"]]),
    "both-tied": ("Two rankings with ties at different places.", [["c", "a"], ["d", "b"]], [["a"], ["d", "c"], ["b"]]),
    "uneven": ("Rankings of different lengths and documents, with ties.", [["a", "b"], ["c"]],
               [["b"], ["x", "a"], ["y"], ["z"]]),
    "identical-ties": ("Two rankings that are one tie of the same documents.", [["b", "c", "a"]], [["b", "c", "a"]]),
    "disjoint": ("Two rankings without a document in common.", [["a"], ["b", "c"]], [["x", "y"], ["z"]]),
}  # fmt: skip


def under_orders(of: Similarity, a: Groups, b: Groups) -> Answers | None:
    """The mean, the lowest and the highest over all orders of both, and the values of fixed orders."""
    values = [of(one, other) for one, other in itertools.product(permutations(a), permutations(b))]
    defined = [value for value in values if value is not None]
    if len(defined) < len(values):
        return None
    found = {"mean": sum(defined, Fraction(0)) / len(defined), "lowest": min(defined), "highest": max(defined)}
    for name, arrange in ORDERS.items():
        value = of(*([doc for group in side for doc in arrange(group)] for side in (a, b)))
        assert value is not None
        found[name] = value
    return {name: value for name, value in found.items() if name == "mean" or value != found["mean"]}


def as_run(groups: Groups) -> list[list[Any]]:
    """A ranking as a case has it: documents with scores."""
    return [[doc, float(len(groups) - i)] for i, group in enumerate(groups) for doc in group]


def compared(
    name: str, measure: Case, a: Groups, b: Groups, about: str, of: Similarity,
    others: Mapping[str, Answers | None] | None = None,
) -> Case:  # fmt: skip
    """One case of two rankings."""
    main = under_orders(of, a, b)
    found: Case = {
        "case": f"two rankings/{name}", "version": VERSION, "about": about, "question": "similarity",
        "measure": measure, "run_a": as_run(a), "run_b": as_run(b), "answers": in_text(main),
    }  # fmt: skip
    told = told_apart(main, others or {})
    return found | ({"variants": told} if told else {})


def overlaps() -> Iterator[Case]:
    """RBO with its scores, overlap, Jaccard's index, and rank correlations."""
    for name, (about, a, b) in PAIRS.items():
        for score in ("ext", "min", "max", "res", "truncated"):
            others: dict[str, Answers | None] = {
                f"RBO-{variant}": {"mean": similarity.tied_rbo(a, b, P, score, variant)} for variant in "wab"
            }
            if score == "ext":
                for other in ("min", "max", "truncated"):
                    others[f"score {other}"] = under_orders(rbo(other), a, b)
            measure = {"name": "RBO", "parameters": {"p": float(P), "score": score}}
            yield compared(f"{name}/rbo-{score}", measure, a, b, about, rbo(score), others)
        if name in ("untied", "one-tied", "both-tied"):
            plain: dict[str, tuple[Case, Similarity]] = {
                "overlap@2": ({"name": "Overlap", "cutoff": 2}, lambda x, y: similarity.overlap_share(x, y, 2)),
                "ao@3": ({"name": "AO", "cutoff": 3}, lambda x, y: similarity.average_overlap(x, y, 3)),
                "jaccard@2": ({"name": "Jaccard", "cutoff": 2}, lambda x, y: ranked.jaccard(x, y, 2)),
                "tau": ({"name": "Tau"}, ranked.tau),
                "tau-ap": ({"name": "TauAP"}, ranked.tau_ap),
            }
            for slug, (measure, of) in plain.items():
                yield compared(f"{name}/{slug}", measure, a, b, about, of, variants_of(slug, a, b))


def variants_of(slug: str, a: Groups, b: Groups) -> dict[str, Answers | None]:
    """Correlations of tied rankings that are not means over orders."""
    if slug == "tau":
        value = ranked.tau_b(a, b)
        return {"tau-b": None if value is None else {"mean": value}}
    if slug == "tau-ap":
        both = ranked.tau_ap_b(a, b)
        return {"tau-AP-b": None if both is None else {"mean": both}}
    return {}


def rbo(score: str) -> Similarity:
    """RBO of two orders, with p = 0.9."""
    return lambda x, y: similarity.rbo(x, y, P, score)


# ---------------------------------------------------------------------------------------------------------------------
# Nearest neighbours

NEIGHBOURS: dict[str, tuple[str, list[tuple[str, float]], list[str], int]] = {
    "tied-at-k-and-complete": ("The nearest neighbour and one of two at the second distance are found.",
                               [("a", 1.0), ("b", 2.0), ("c", 2.0)], ["a", "c"], 2),
    "nearer-one-missed": ("Both neighbours at the second distance are found, and the nearest is missed.",
                          [("a", 1.0), ("b", 2.0), ("c", 2.0)], ["b", "c"], 2),
    "all-tied": ("All distances are equal: any neighbours will do.",
                 [("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.0)], ["d", "c"], 2),
    "none-found": ("Only farther points are found.", [("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 3.0)], ["d", "e"], 2),
    "too-few": ("One neighbour is returned for k = 3.", [("a", 1.0), ("b", 2.0), ("c", 3.0)], ["b"], 3),
    "distinct": ("All distances differ.", [("a", 1.0), ("b", 2.0), ("c", 3.0)], ["a", "c"], 2),
    "wide-tie": ("Five points share the second distance, of which two belong to the answer.",
                 [("a", 1.0), *((doc, 2.0) for doc in "bcdef")], ["f", "a", "e"], 3),
    "one-of-wide-tie": ("Five points share the second distance, and one of them is found.",
                        [("a", 1.0), *((doc, 2.0) for doc in "bcdef")], ["a", "f", "x"], 3),
}  # fmt: skip


def neighbours() -> Iterator[Case]:
    """Recall of k nearest neighbours where the k-th distance is shared."""
    for name, (about, truth, returned, k) in NEIGHBOURS.items():
        last = sorted(distance for _, distance in truth)[k - 1]
        nearer = {doc for doc, distance in truth if distance < last}
        at_last = {doc for doc, distance in truth if distance == last}
        right = len(nearer & set(returned)) + min(len(at_last & set(returned)), k - len(nearer))
        first = {doc for doc, _ in truth[:k]}
        other: dict[str, Answers | None] = {
            "any within the k-th distance": {"mean": Fraction(min(k, len((nearer | at_last) & set(returned))), k)},
            "the first k of the list": {"mean": Fraction(len(first & set(returned)), k)},
        }
        main: Answers = {"mean": Fraction(right, k)}
        yield {
            "case": f"neighbours/{name}", "version": VERSION, "about": about, "question": "neighbours",
            "measure": {"name": "NNRecall", "cutoff": k}, "neighbours": [list(pair) for pair in truth],
            "returned": returned, "answers": in_text(main), "variants": told_apart(main, other),
        }  # fmt: skip
    yield {
        "case": "neighbours/duplicate", "version": VERSION, "question": "neighbours",
        "about": "One neighbour is returned twice. No value is right.", "measure": {"name": "NNRecall", "cutoff": 2},
        "neighbours": [["a", 1.0], ["b", 2.0], ["c", 3.0]], "returned": ["a", "a"], "answers": {}, "refuse": True,
        "variants": {"every copy counts": {"mean": "1"}, "a copy counts once": {"mean": as_text(Fraction(1, 2))}},
    }  # fmt: skip


GROUPS: Mapping[str, Callable[[], Iterator[Case]]] = {"two rankings": overlaps, "neighbours": neighbours}
