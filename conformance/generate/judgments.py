"""Cases of what judgments could change (largest differences, bounds, verdicts), and of distributions over ties."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from conformance.generate.answers import as_text
from conformance.generate.rankings import as_run
from conformance.generate.retrieval import VERSION, Case, M, measure_of, slug
from oracle import binary, distributions, graded, users
from oracle import statistics as statistics_over_orders
from oracle import verdicts as stated
from oracle.difference import Score, differences
from oracle.judgements import Groups
from oracle.measures import Measure

ONE = Fraction(1)
BINARY, SCALE = (0, 1), (0, 1, 2)


def case(name: str, about: str, question: str, **fields: Any) -> Case:
    """A case of the second part."""
    return {"case": name, "version": VERSION, "about": about, "question": question, **fields}


# ---------------------------------------------------------------------------------------------------------------------
# MED and Delta


def fixed_ndcg(k: int, top: int, **options: Any) -> Score:
    """NDCG whose ideal ranking has the highest grade at all k ranks."""
    best = [f"best{i}" for i in range(k)]
    most = graded.dcg(best, dict.fromkeys(best, top), k, **options)
    return lambda order, truth: graded.dcg(order, truth, k, **options) / most


#: Measures as MED takes them: with their definition, the scale of grades, and the cutoff.
OF_MED: list[tuple[Measure, Score, tuple[int, ...], int | None]] = [
    (M("P", 3), lambda order, truth: binary.precision(order, truth, 3), BINARY, 3),
    (M("DCG", 3), lambda order, truth: graded.dcg(order, truth, 3), SCALE, 3),
    (M("nDCG", 3), fixed_ndcg(3, 2), SCALE, 3),
    (M("nDCG", 3, gain="exp2"), fixed_ndcg(3, 2, gain="exp2"), SCALE, 3),
    (M("RBP", 3, p=0.5), lambda order, truth: users.rbp(order, truth, 3, Fraction(1, 2)), BINARY, 3),
    (M("AP", 3), lambda order, truth: binary.ap(order, truth, 3, recall_base=3), BINARY, 3),
    (M("RR", 3), lambda order, truth: binary.rr(order, truth, 3), BINARY, 3),
    (M("ERR", 3, max_grade=2), lambda order, truth: users.err(order, truth, 3, max_grade=2), SCALE, 3),
    (M("Success", 2), lambda order, truth: binary.success(order, truth, 2), BINARY, 2),
]
TWO: dict[str, tuple[str, Groups, Groups, dict[str, int]]] = {
    "swapped": ("Two rankings with their first documents swapped, and no judgments.", [["a"], ["b"], ["c"]],
                [["b"], ["a"], ["c"]], {}),
    "disjoint": ("Two rankings without a document in common.", [["a"], ["b"], ["c"]], [["x"], ["y"], ["z"]], {}),
    "one-judged": ("Two rankings of which one document is judged relevant.", [["a"], ["b"], ["c"]],
                   [["c"], ["d"], ["a"]], {"c": 1}),
    "one-non-relevant": ("Two rankings of which one document is judged non-relevant.", [["a"], ["b"], ["c"]],
                         [["c"], ["a"], ["d"]], {"a": 0}),
    "tied": ("A ranking with a tie, and one without.", [["a", "b"], ["c"]], [["b"], ["a"], ["c"]], {}),
    "all-judged": ("Two rankings whose documents are all judged.", [["a"], ["b"], ["c"]], [["b"], ["c"], ["a"]],
                   {"a": 1, "b": 0, "c": 1}),
    "short": ("A ranking that is shorter than the cutoff.", [["a"]], [["b"], ["a"], ["c"]], {}),
    "identical": ("Two equal rankings.", [["a"], ["b"]], [["a"], ["b"]], {}),
}  # fmt: skip


def med() -> Iterator[Case]:
    """The most by which judgments could make a measure rate two rankings differently, and the difference now."""
    for name, (about, a, b, known) in TWO.items():
        for measure, score, scale, k in OF_MED:
            found = differences(score, a, b, known, scale, k)
            yield case(
                f"largest differences/{name}/{slug(measure)}", about, "med", measure=measure_of(measure),
                run_a=as_run(a), run_b=as_run(b), known=known, grades=list(scale),
                answers={
                    "MED": as_text(max(found.up, found.down)), "MED, a - b": as_text(found.up),
                    "MED, b - a": as_text(found.down), "Delta": as_text(found.now),
                },
            )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# Bounds

OF_BOUNDS = [
    M("AP"), M("AP", 3), M("P", 3), M("R", 3), M("RR"), M("nDCG"), M("nDCG", 3, gain="exp2"), M("Bpref"), M("Rprec"),
    M("DCG", 3),
]  # fmt: skip
OPEN: dict[str, tuple[str, Groups, dict[str, int], bool]] = {
    "one-open": ("One retrieved document is unjudged.", [["a"], ["u"], ["b"]], {"a": 0, "b": 1}, False),
    "graded": ("Two documents are unjudged, and grades go up to 2.", [["u"], ["a"], ["v"]], {"a": 1, "x": 2}, False),
    "tied": ("An unjudged document is tied with a relevant one.", [["a", "u"], ["b"], ["v"]], {"a": 1, "b": 0}, False),
    "pooled": ("A retrieved document is unjudged, and one of the pool that is not retrieved.", [["a"], ["u"]],
               {"a": 1, "y": -1}, True),
    "all-judged": ("Nothing is unjudged.", [["a"], ["b"]], {"a": 1, "b": 0}, False),
}  # fmt: skip


def bounds() -> Iterator[Case]:
    """The lowest and the highest value over all grades that unjudged documents may have."""
    for name, (about, groups, judged, pooled) in OPEN.items():
        for measure in OF_BOUNDS:
            grades = measure.possible(judged.values())
            yield case(
                f"bounds/{name}/{slug(measure)}", about, "bounds", measure=measure_of(measure), qrels={"q": judged},
                run={"q": as_run(groups)}, grades=grades, pooled=pooled,
                answers=of_bounds(measure, groups, judged, grades, pooled),
            )  # fmt: skip


def of_bounds(
    measure: Measure, groups: Groups, judged: Mapping[str, int], grades: Sequence[Any], pooled: bool
) -> dict[str, str | None]:
    """The ends of the mean over orders of ties, and of the value in any order."""
    known = {doc: grade for doc, grade in judged.items() if grade >= 0}
    docs = dict.fromkeys([*(doc for group in groups for doc in group), *(judged if pooled else ())])
    unknown = [doc for doc in docs if doc not in known]
    found = []
    for drawn in itertools.product(grades, repeat=len(unknown)):
        one = statistics_over_orders(measure, groups, {**known, **dict(zip(unknown, drawn, strict=True))})
        assert one is not None
        found.append(one)
    return {
        "lowest mean": as_text(min(one.mean for one in found)),
        "highest mean": as_text(max(one.mean for one in found)),
        "lowest": as_text(min(one.low for one in found)),
        "highest": as_text(max(one.high for one in found)),
    }


# ---------------------------------------------------------------------------------------------------------------------
# Verdicts

OF_VERDICTS: list[tuple[Measure, Score]] = [
    (M("P", 2), lambda order, truth: binary.precision(order, truth, 2)),
    (M("R", 2), lambda order, truth: binary.recall(order, truth, 2)),
    (M("RR"), binary.rr),
    (M("AP"), binary.ap),
    (M("nDCG"), graded.ndcg),
    (M("Success", 2), lambda order, truth: binary.success(order, truth, 2)),
]
#: For each query the two rankings and what is judged.
RUNS: dict[str, tuple[str, list[tuple[list[str], list[str], dict[str, int]]]]] = {
    "certain": ("All is judged, so A is certainly ahead.", [(["a", "b"], ["b", "a"], {"a": 1, "b": 0})]),
    "open": ("One unjudged document decides.", [(["a", "b"], ["u", "b"], {"a": 1, "b": 0})]),
    "equal-but-open": ("The runs are equal now, and each has an unjudged document.",
                       [(["u", "a"], ["v", "a"], {"a": 1})]),
    "behind": ("B is ahead, and A has an unjudged document below it.",
               [(["b", "a", "u"], ["a", "c", "b"], {"a": 1, "b": 0, "c": 1})]),
    "two-queries": ("A is ahead in one of two queries, and an unjudged document stands in the other.",
                    [(["a", "b"], ["b", "a"], {"a": 1, "b": 0}), (["c", "d"], ["u", "c"], {"c": 1, "d": 0})]),
    "shared": ("The only unjudged document is in both runs, higher in B.",
               [(["a", "u"], ["u", "b"], {"a": 1, "b": 0, "x": 1})]),
}  # fmt: skip


def verdicts() -> Iterator[Case]:
    """Whether a run is ahead whatever unjudged documents are, and how many relevant ones could overturn that."""
    for name, (about, queries) in RUNS.items():
        for measure, score in OF_VERDICTS:
            ends = [
                stated.extremes(score, stated.Case([[doc] for doc in a], [[doc] for doc in b], known), BINARY)
                for a, b, known in queries
            ]
            low, high = (sum((query[-1][side] for query in ends), Fraction(0)) / len(ends) for side in (0, 1))
            least, most = stated.overturn(ends), stated.largest(ends)
            ahead = "A" if low > stated.NOTHING else "B" if high < -stated.NOTHING else "open"
            yield case(
                f"verdicts/{name}/{slug(measure)}", about, "verdict", measure=measure_of(measure),
                qrels={f"q{i}": known for i, (_, _, known) in enumerate(queries, 1)},
                run_a={f"q{i}": as_run([[doc] for doc in a]) for i, (a, _, _) in enumerate(queries, 1)},
                run_b={f"q{i}": as_run([[doc] for doc in b]) for i, (_, b, _) in enumerate(queries, 1)},
                grades=list(BINARY),
                answers={
                    "lowest difference": as_text(low), "highest difference": as_text(high), "ahead": ahead,
                    "overturn number": "none" if least is None else str(least),
                    **({"largest safe number": "any" if most == -1 else str(most)} if most is not None else {}),
                },
            )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# Laws over orders of ties

OF_LAWS = [M("RR"), M("AP"), M("P", 2), M("R", 2), M("nDCG", 2), M("Success", 2), M("DCG", discount="inverse")]
TIED: dict[str, tuple[str, Groups, dict[str, int]]] = {
    "one-of-four": ("Four tied documents, one of them relevant.", [["a", "b", "c", "d"]], {"a": 1, "b": 0}),
    "graded": ("A tie of three documents with grades 0, 1 and 2, below another document.",
               [["x"], ["a", "b", "c"]], {"x": 0, "a": 1, "b": 2, "c": 0}),
    "two-ties": ("Two ties, each with a relevant document.", [["a", "b"], ["c", "d"]], {"a": 1, "d": 1, "b": 0}),
    "untied": ("No ties: one value.", [["b"], ["a"]], {"a": 1, "b": 0}),
}  # fmt: skip
BESIDE: tuple[Groups, dict[str, int]] = ([["b"], ["a"], ["c"]], {})


def laws() -> Iterator[Case]:
    """The probability of each value over all orders of ties, and of being ahead of another ranking."""
    for name, (about, groups, truth) in TIED.items():
        for measure in OF_LAWS:
            law = distributions.law(measure, groups, truth)
            other = distributions.law(measure, BESIDE[0], truth)
            assert law is not None
            assert other is not None
            steps = distributions.steps(law)
            ahead, equal, behind = distributions.chances(law, other)
            yield case(
                f"distributions/{name}/{slug(measure)}", about, "law", measure=measure_of(measure), qrels={"q": truth},
                run={"q": as_run(groups)}, beside={"q": as_run(BESIDE[0])},
                answers={
                    "values": [as_text(value) for value in sorted(law)],
                    "probabilities": [as_text(law[value]) for value in sorted(law)],
                    "median": as_text(steps.quantile(Fraction(1, 2))),
                    "ahead": as_text(ahead), "equal": as_text(equal), "behind": as_text(behind),
                },
            )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# Values adjusted for chance

OF_CHANCE = [M("RR"), M("AP"), M("P", 2), M("R", 2), M("nDCG"), M("nDCG", 2)]
SHUFFLED: dict[str, tuple[str, Groups, dict[str, int]]] = {
    "perfect": ("The best order: 1.", [["a"], ["b"], ["c"], ["d"]], {"a": 1, "b": 0}),
    "constant": ("All documents are tied, as chance has it: 0.", [["a", "b", "c", "d"]], {"a": 1, "b": 0}),
    "worse-than-chance": ("The relevant document is last.", [["b"], ["c"], ["a"]], {"a": 1, "b": 0}),
    "tied": ("The relevant document is tied with another below the first.", [["b"], ["a", "c"], ["d"]],
             {"a": 1, "b": 0}),
}  # fmt: skip


def adjusted() -> Iterator[Case]:
    """How much better a ranking is than a random order of its documents."""
    for name, (about, groups, truth) in SHUFFLED.items():
        for measure in OF_CHANCE:
            own = statistics_over_orders(measure, groups, truth)
            chance = statistics_over_orders(measure, [[doc for group in groups for doc in group]], truth)
            assert own is not None
            assert chance is not None
            room = chance.high - chance.mean
            yield case(
                f"adjusted for chance/{name}/{slug(measure)}", about, "adjusted", measure=measure_of(measure),
                qrels={"q": truth}, run={"q": as_run(groups)},
                answers={
                    key: as_text((value - chance.mean) / room) if room else None
                    for key, value in (("mean", own.mean), ("lowest", own.low), ("highest", own.high))
                },
            )  # fmt: skip


GROUPS: Mapping[str, Callable[[], Iterator[Case]]] = {
    "largest differences": med,
    "bounds": bounds,
    "verdicts": verdicts,
    "distributions": laws,
    "adjusted for chance": adjusted,
}
