"""Cases of one ranking a query: ties, grades, missing judgments, short lists, and every family of measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from conformance.generate.answers import (
    Answers,
    Ranked,
    Reading,
    answers,
    as_text,
    attainable,
    in_text,
    of_measure,
    told_apart,
    with_precision,
)
from conformance.generate.definitions import of_groups, variants
from oracle.measures import Measure

Case = dict[str, Any]
Qrels = Mapping[str, Mapping[str, Any]]
ZERO, ONE = Fraction(0), Fraction(1)

VERSION = 1


def M(name: str, k: Any = None, **parameters: Any) -> Measure:
    """A measure with its cutoff or recall level."""
    return Measure(name, k, **parameters)


def readings(
    measure: Measure, truths: Sequence[Any], lengths: Mapping[str, float] | None = None
) -> tuple[Reading, dict[str, Reading]]:
    """The definition, and the variants of it that evaluators use under its name."""
    whole = of_groups(measure, truths)
    if measure.name == "Rank":
        own = Reading(rank_of_first, has_relevant, lower_is_better=True, of_groups=whole)
        return own, {}
    own = of_measure(measure, lengths, of_groups=whole)
    return own, {name: replace(own, score=score, of_groups={}) for name, score in variants(measure).items()}


def has_relevant(order: Sequence[str], truth: Mapping[str, float]) -> bool:
    """Whether the relevant entity is in the ranking."""
    return any(truth.get(doc, 0) >= 1 for doc in order)


def rank_of_first(order: Sequence[str], truth: Mapping[str, float]) -> Fraction | None:
    """The rank of the first relevant document."""
    return next((Fraction(rank) for rank, doc in enumerate(order, 1) if truth.get(doc, 0) >= 1), None)


def measure_of(measure: Measure) -> Case:
    """How a case names its measure."""
    found: Case = {"name": measure.name}
    if measure.k is not None:
        found["recall" if isinstance(measure.k, float) else "cutoff"] = measure.k
    parameters = {key: plain(value) for key, value in measure.params.items()}
    return found | ({"parameters": parameters} if parameters else {})


def plain(value: Any) -> Any:
    """A parameter as JSON has it; keys of objects are texts."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    return float(value) if isinstance(value, Fraction) else value


def slug(measure: Measure) -> str:
    """The part of a case's name that says the measure, for instance ``ndcg-exp2@3``."""
    parts = [measure.name.lower().replace("_", "-")]
    for key, value in measure.params.items():
        shown = {dict: "table", list: "list", str: value}.get(type(value), f"{key}{value}")
        parts.append(str(shown).replace("/", "-over-"))
    return "-".join(parts).replace(" ", "") + (f"@{measure.k}" if measure.k is not None else "")


def build(
    group: str, name: str, about: str, measure: Measure, qrels: Qrels, run: Mapping[str, Ranked], *,
    others: Mapping[str, Reading] | None = None, own: Reading | None = None, refuse: bool = False,
    judgments: str = "grades", lengths: Mapping[str, float] | None = None,
) -> Case:  # fmt: skip
    """One case with its answers: those of the definition, then those of variants that differ."""
    base, definitions = readings(measure, list(qrels.values()), lengths)
    base = own or base
    main = None if refuse else answers(qrels, run, base)
    known = {**definitions, **(others or {})}
    found: Case = {
        "case": f"{group}/{name}", "version": VERSION, "about": about, "question": "value",
        "measure": measure_of(measure), "qrels": qrels,
        "run": {query: [list(pair) for pair in ranked] for query, ranked in run.items()},
    }  # fmt: skip
    if judgments != "grades":
        found["judgments"] = judgments
    if lengths:
        found["lengths"] = lengths
    found["answers"] = {} if refuse else in_text(main)
    if refuse:
        found["refuse"] = True
    told = told_apart(main, {key: answers(qrels, run, reading) for key, reading in known.items()})
    if told:
        found["variants"] = told
    if len(qrels) == 1 and set(run) == set(qrels) and not refuse:
        [(query, ranked)] = run.items()
        values = attainable(qrels[query], ranked, base)
        if values and main is not None:
            found["orders"] = [as_text(value) for value in values]
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Ties

#: Four documents whose orders by id, by reversed id, as given and reversed put the first one at ranks 3, 2, 1 and 4.
FOUR = ("c", "a", "d", "b")


def tied(docs: Sequence[str], score: float) -> list[tuple[str, float]]:
    """Documents with one score."""
    return [(doc, score) for doc in docs]


BASIC = [
    M("AP"), M("AP", 2), M("RR"), M("RR", 2), M("P", 2), M("R", 2), M("F1", 2), M("Success", 1), M("Rprec"),
    M("nDCG"), M("nDCG", 2), M("nDCG", 3, gain="exp2"), M("DCG", 3), M("ERR", 3, max_grade=2),
    M("RBP", p=Fraction(4, 5)), M("Bpref"),
]  # fmt: skip
SHAPES: dict[str, tuple[str, Ranked, dict[str, int]]] = {
    "top": ("four tied documents, one of them relevant", tied(FOUR, 1.0), {"c": 2, "a": 0, "d": 0, "b": 0}),
    "below": (
        "a non-relevant document above four tied ones, one of them relevant",
        [("e", 2.0), *tied(FOUR, 1.0)],
        {"e": 0, "c": 1, "a": 0, "d": 0, "b": 0},
    ),
    "two-grades": (
        "four tied documents, two of them relevant with different grades",
        tied(FOUR, 0.5),
        {"c": 2, "a": 0, "d": 1, "b": 0},
    ),
    "unretrieved": (
        "four tied documents, two of them relevant, and a relevant one that is not retrieved",
        tied(FOUR, 7.0),
        {"c": 1, "a": 1, "d": 0, "b": 0, "x": 1},
    ),
    "two-ties": (
        "two ties of three documents, each with a relevant one",
        [*tied(("g", "e", "f"), 3.0), *tied(("c", "a", "b"), 1.0)],
        {"g": 1, "e": 0, "f": 0, "c": 0, "a": 2, "b": 0},
    ),
}


def ties() -> Iterator[Case]:
    """Scores that are equal in every precision."""
    for shape, (words, ranked, truth) in SHAPES.items():
        for measure in BASIC:
            yield build(
                "ties", f"{shape}/{slug(measure)}", f"{words.capitalize()}.", measure, {"q": truth}, {"q": ranked}
            )


#: Distinct scores, with the precisions in which some of them are equal.
CLOSE: dict[str, tuple[str, tuple[float, ...], tuple[str, ...]]] = {
    "32-bit": ("Four distinct scores that are equal in 32 bits.",
               (1.00000004, 1.00000003, 1.00000002, 1.00000001), ("32-bit scores",)),
    "16-bit": ("Four distinct scores that are equal in 16 bits.",
               (1.0004, 1.0003, 1.0002, 1.0001), ("16-bit scores", "bfloat16 scores")),
    "bfloat16": ("Four distinct scores that are equal in bfloat16.",
                 (1.003, 1.002, 1.001, 1.0), ("bfloat16 scores",)),
    "large": ("Scores above 2^24, of which the last two are equal in 32 bits.",
              (16777222.0, 16777220.0, 16777217.0, 16777216.5), ("32-bit scores",)),
    "tiny": ("Four distinct scores that are all 0 in 32 bits.",
             (1e-300, 5e-301, 0.0, -1e-300), ("32-bit scores", "16-bit scores", "bfloat16 scores")),
}  # fmt: skip
PRECISIONS = {"32-bit scores": "float32", "16-bit scores": "float16", "bfloat16 scores": "bfloat16"}


def precision() -> Iterator[Case]:
    """Scores that differ by less than some precision can tell."""
    close = [M("AP"), M("RR"), M("P", 2), M("R", 2), M("nDCG"), M("nDCG", 2), M("Success", 1), M("DCG", 3)]
    for shape, (about, scores, said) in CLOSE.items():
        ranked = sorted(zip(("b", "d", "a", "c"), scores, strict=True), key=lambda pair: "dacb".index(pair[0]))
        for measure in close if shape != "large" else close[:4]:
            own, _ = readings(measure, [{"a": 1}])
            yield build(
                "precision", f"{shape}/{slug(measure)}", about, measure,
                {"q": {"b": 1, "a": 0, "c": 0, "d": 0}}, {"q": ranked},
                others={name: with_precision(own, PRECISIONS[name]) for name in said},
            )  # fmt: skip
    for measure in close[:4]:  # zeros of both signs are equal
        yield build(
            "precision", f"signed-zeros/{slug(measure)}", "Scores of 0 and -0, which are equal.", measure,
            {"q": {"c": 1, "a": 0, "d": 0, "b": 0}}, {"q": list(zip(FOUR, (0.0, -0.0, 0.0, -0.0), strict=True))},
        )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# Lists and cutoffs


def untied_scores(docs: Sequence[str]) -> list[tuple[str, float]]:
    """Documents with falling scores."""
    return [(doc, float(len(docs) - i)) for i, doc in enumerate(docs)]


AT = ("P", "R", "F1", "AP", "RR", "Success", "nDCG", "DCG")


def cutoffs() -> Iterator[Case]:
    """Cutoffs within a tie, at its ends, and beyond the list."""
    ranked = [("e", 2.0), *tied(FOUR, 1.0)]
    truth = {"e": 1, "c": 1, "a": 0, "d": 1, "b": 0}
    places = {1: "above a tie", 3: "within a tie", 5: "at the end of a tie"}
    for k, place in places.items():
        for name in AT:
            yield build(
                "cutoffs", f"{place.replace(' ', '-')}/{slug(M(name, k))}", f"A cutoff {place}.", M(name, k),
                {"q": truth}, {"q": ranked},
            )  # fmt: skip
    for name in AT:
        yield build(
            "cutoffs", f"beyond-the-list/{slug(M(name, 10))}", "A cutoff beyond the end of a tied list.", M(name, 10),
            {"q": truth}, {"q": ranked},
        )  # fmt: skip


def short_lists() -> Iterator[Case]:
    """Fewer documents than the cutoff, or than there are relevant ones."""
    for name, docs, truth in (
        ("three-of-five", ("b", "a", "c"), {"a": 1, "c": 1, "b": 0, "x": 1, "y": 1}),
        ("one-of-five", ("a",), {"a": 1, "x": 2}),
        (
            "more-relevant-than-cutoff",
            ("a", "b", "c", "d", "e", "f"),
            {doc: int(doc not in "bd") for doc in "abcdefgh"},
        ),
    ):
        for of in AT:
            measure = M(of, 5)
            yield build(
                "short lists", f"{name}/{slug(measure)}",
                "More documents are relevant than the cutoff." if len(docs) > 5
                else f"{'One document' if len(docs) == 1 else 'Three documents'} for a cutoff of 5.",
                measure, {"q": truth}, {"q": untied_scores(docs)},
            )  # fmt: skip


def ideal() -> Iterator[Case]:
    """What the ideal ranking is made of."""
    everything = {"a": 1, "b": 0, "c": 2, "x": 3, "y": 1}
    only_worse = {"a": 1, "b": 0, "c": 0, "x": 2}
    for name, about, truth, docs in (
        ("unretrieved", "The most relevant document is not retrieved.", everything, ("b", "a", "c")),
        ("perfect-but-incomplete", "All that is retrieved is in ideal order, but more is relevant.", only_worse,
         ("a", "b", "c")),
        ("found-below-cutoff", "The most relevant document is retrieved below the cutoff.", {"a": 1, "b": 0, "c": 2},
         ("a", "b", "c")),
        ("single", "One relevant document of two is retrieved, at rank 1.", {"a": 1, "x": 1}, ("a",)),
    ):  # fmt: skip
        for measure in (M("nDCG"), M("nDCG", 2), M("nDCG", 5), M("nDCG", 2, gain="exp2"), M("nDCG", 5, gain="exp2")):
            yield build(
                "ideal rankings", f"{name}/{slug(measure)}", about, measure, {"q": truth}, {"q": untied_scores(docs)}
            )


# ---------------------------------------------------------------------------------------------------------------------
# Judgments


def whole(truth: Mapping[str, float]) -> dict[str, float]:
    """Grades cut down to whole numbers."""
    return {doc: int(grade) for doc, grade in truth.items()}


def rounded_up(truth: Mapping[str, float]) -> dict[str, float]:
    """Grades in which anything above 0 is relevant."""
    return {doc: max(1, grade) if grade > 0 else grade for doc, grade in truth.items()}


def any_above_0(truth: Mapping[str, float]) -> dict[str, float]:
    """Grades of which only the sign counts."""
    return {doc: int(grade > 0) for doc, grade in truth.items()}


def negative_gains(order: Sequence[str], truth: Mapping[str, float]) -> Fraction:
    """DCG that subtracts negative grades."""
    from oracle.judgements import discount_at

    return sum((Fraction(truth.get(doc, 0)) * discount_at(i, "log2") for i, doc in enumerate(order, 1)), ZERO)


def grades() -> Iterator[Case]:
    """Fractional and negative grades."""
    fractions = {"a": 0.5, "b": 1.5, "c": 0.0, "d": 0.25}
    ranked = untied_scores(("c", "a", "b", "d"))
    for measure in (
        M("nDCG"),
        M("nDCG", 2),
        M("DCG", 3),
        M("AP"),
        M("RR"),
        M("P", 2),
        M("R", 2),
        M("nDCG", gain="exp2"),
    ):
        own, definitions = readings(measure, [fractions])
        others = {"grades cut to whole numbers": replace(own, qrels=whole, undefined=ZERO)}
        if measure.name in ("AP", "RR", "P", "R"):
            others["any grade above 0 is relevant"] = replace(own, qrels=any_above_0)
        else:
            others |= {
                f"grades cut to whole numbers + {name}": replace(reading, qrels=whole)
                for name, reading in definitions.items()
            }
        yield build(
            "grades", f"fractional/{slug(measure)}", "Fractional grades; relevant is a grade of 1 or more.", measure,
            {"q": fractions}, {"q": ranked}, others=others,
        )  # fmt: skip
    tied_fractions = {"c": 0.5, "a": 0.75, "d": 0.0, "b": 1.25}
    for measure in (M("nDCG"), M("DCG", 2), M("nDCG", 1)):
        own, _ = readings(measure, [fractions])
        yield build(
            "grades", f"fractional-tied/{slug(measure)}", "Fractional grades of four tied documents.", measure,
            {"q": tied_fractions}, {"q": tied(FOUR, 1.0)},
            others={"grades cut to whole numbers": replace(own, qrels=whole, undefined=ZERO)},
        )  # fmt: skip
    negatives = {"a": -1, "b": 2, "c": -2, "d": 0, "x": 1}
    ranked = untied_scores(("a", "b", "c", "d"))
    for measure in (
        M("AP"),
        M("RR"),
        M("P", 3),
        M("R", 3),
        M("nDCG"),
        M("nDCG", 3),
        M("DCG", 3),
        M("Bpref"),
        M("Rprec"),
    ):
        others = {}
        if measure.name == "Bpref":
            own, _ = readings(measure, [negatives])
            others["negative grades are judged non-relevant"] = replace(
                own, qrels=lambda truth: {doc: max(0, grade) for doc, grade in truth.items()}
            )
        if measure.name in ("DCG", "nDCG"):
            others = signed(measure, negatives)
        yield build(
            "grades", f"negative/{slug(measure)}", "Negative grades, which mark documents that were not judged.",
            measure, {"q": negatives}, {"q": ranked}, others=others,
        )  # fmt: skip
    yield build(
        "grades", "negative-only/ap", "A query with no grade above -1 beside one relevant document.", M("AP"),
        {"q": {"a": -1, "b": -1, "c": 1}}, {"q": untied_scores(("a", "b", "c"))},
    )  # fmt: skip
    large = {"a": 100, "b": 0, "c": 40}
    for measure in (M("nDCG"), M("nDCG", gain="exp2"), M("DCG", 2)):
        yield build(
            "grades", f"large/{slug(measure)}", "Grades of 40 and 100.", measure, {"q": large},
            {"q": untied_scores(("b", "c", "a"))},
        )  # fmt: skip


def signed(measure: Measure, truth: Mapping[str, float]) -> dict[str, Reading]:
    """DCG and nDCG in which negative grades are losses, with an ideal ranking that has them or not."""
    own, _ = readings(measure, [truth])
    k = measure.k

    def dcg(order: Sequence[str], grades: Mapping[str, float]) -> Fraction:
        return negative_gains(order[:k], grades)

    if measure.name == "DCG":
        return {"negative grades are losses": replace(own, score=dcg)}

    def over(pool: Callable[[Sequence[str], Mapping[str, float]], list[str]]) -> Reading:
        def ndcg(order: Sequence[str], grades: Mapping[str, float]) -> Fraction:
            best = sorted(pool(order, grades), key=lambda doc: -grades.get(doc, 0))
            most = dcg(best, grades)
            return dcg(order, grades) / most if most else ZERO

        return replace(own, score=ndcg)

    return {
        "negative grades are losses": over(lambda order, grades: [doc for doc in grades if grades[doc] > 0]),
        "negative grades are losses, in the ideal too": over(lambda order, grades: list(grades)),
        "negative grades are losses, in an ideal of the retrieved": over(lambda order, grades: list(order)),
    }


def judged_only(
    score: Callable[[Sequence[str], Any], Fraction | None],
) -> Callable[[Sequence[str], Any], Fraction | None]:
    """The value of a ranking without its unjudged documents."""
    return lambda order, truth: score([doc for doc in order if truth.get(doc, -1) >= 0], truth)


def unjudged() -> Iterator[Case]:
    """Documents without a judgment."""
    truth = {"a": 1, "b": 0, "d": 1, "x": 0, "y": 1}
    for name, ranked in (
        ("above", untied_scores(("u", "a", "v", "b", "d"))),
        ("tied", [("c", 2.0), ("a", 2.0), ("d", 2.0), ("b", 2.0)]),
    ):
        for measure in (M("AP"), M("RR"), M("P", 2), M("R", 2), M("nDCG"), M("nDCG", 2), M("Bpref"), M("Rprec"),
                        M("Judged", 2), M("infAP")):  # fmt: skip
            own, _ = readings(measure, [truth])
            others = {"unjudged documents left out": replace(own, score=judged_only(own.score))}
            if measure.name in ("Judged", "infAP", "Bpref"):
                others = {}
            yield build(
                "unjudged documents", f"{name}/{slug(measure)}",
                "Unjudged documents above relevant ones." if name == "above" else
                "An unjudged document tied with judged ones.",
                measure, {"q": truth}, {"q": ranked}, others=others,
            )  # fmt: skip


def queries() -> Iterator[Case]:
    """Queries that the run lacks, or that have no judgments."""
    truth, other = {"a": 1, "b": 0}, {"c": 1, "d": 1}
    ranked = untied_scores(("b", "a"))
    for measure in (M("AP"), M("RR"), M("P", 2), M("R", 2), M("nDCG"), M("nDCG", 2), M("Success", 2)):
        own, _ = readings(measure, [truth])
        yield build(
            "missing queries", f"not-in-the-run/{slug(measure)}",
            "Two judged queries, one of which the run lacks: the mean is over both.", measure,
            {"q1": truth, "q2": other}, {"q1": ranked}, others={"left out": replace(own, missing="left out")},
        )  # fmt: skip
        yield build(
            "missing queries", f"not-judged/{slug(measure)}",
            "A query of the run without judgments: the mean is over the judged query.", measure, {"q1": truth},
            {"q1": ranked, "q2": untied_scores(("c", "d"))},
            others={"unjudged queries count 0": replace(own, unjudged_queries="count 0")},
        )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# Awkward input


def duplicates() -> Iterator[Case]:
    """A document twice in one ranking: nothing is right but to refuse it."""
    for name, about, docs, truth in (
        ("relevant-twice", "A relevant document stands at ranks 1 and 3.", ("a", "b", "a"), {"a": 1, "b": 0, "x": 1}),
        ("relevant-twice-and-complete", "The only relevant document stands at ranks 1 and 2.", ("a", "a", "b"),
         {"a": 1, "b": 0}),
        ("relevant-again-below", "A non-relevant document stands at ranks 1 and 2, above the relevant one.",
         ("b", "b", "a"), {"a": 1, "b": 0}),
    ):  # fmt: skip
        for measure in (M("AP"), M("RR"), M("P", 3), M("R", 3), M("nDCG"), M("DCG", 3)):
            yield duplicate(name, about, untied_scores(docs), truth, measure)


def duplicate(name: str, about: str, ranked: Ranked, truth: Mapping[str, int], measure: Measure) -> Case:
    """A case with a document twice, and what the ways to go on give."""
    case = build(
        "duplicates", f"{name}/{slug(measure)}", f"{about} No value is right.", measure, {"q": truth}, {"q": ranked},
        refuse=True,
    )  # fmt: skip
    renamed, seen = [], set()
    for doc, score in ranked:
        renamed.append((f"{doc} again" if doc in seen else doc, score))
        seen.add(doc)
    copies = {f"{doc} again": grade for doc, grade in truth.items() if f"{doc} again" in dict(renamed)}
    first, last = dict(reversed(ranked)), dict(ranked)
    own, definitions = readings(measure, [truth])

    def every_copy(reading: Reading) -> Answers | None:
        """R and the ideal ranking have each document once; the ranking is credited for every copy."""

        def once(order: Sequence[str], grades: Any) -> Fraction | None:
            return credited(measure, order, truth)

        return answers({"q": truth}, {"q": renamed}, replace(reading, score=once, of_groups={}))

    ways: dict[str, Answers | None] = {
        "every copy counts": every_copy(own),
        "the first copy counts": answers({"q": truth}, {"q": sorted(first.items(), key=lambda pair: -pair[1])}, own),
        "the last copy counts": answers({"q": truth}, {"q": list(last.items())}, own),
        "later copies take a rank and gain nothing": answers({"q": truth}, {"q": renamed}, own),
        "copies are documents of their own": answers({"q": {**truth, **copies}}, {"q": renamed}, own),
    }
    for variant, reading in definitions.items():
        ways[f"later copies take a rank and gain nothing + {variant}"] = answers({"q": truth}, {"q": renamed}, reading)
        ways[f"copies are documents of their own + {variant}"] = answers(
            {"q": {**truth, **copies}}, {"q": renamed}, reading
        )
        ways[f"the first copy counts + {variant}"] = answers(
            {"q": truth}, {"q": sorted(first.items(), key=lambda pair: -pair[1])}, reading
        )
        ways[f"the last copy counts + {variant}"] = answers({"q": truth}, {"q": list(last.items())}, reading)
    case["variants"] = {name: in_text(found) for name, found in ways.items()}
    return case


def credited(measure: Measure, order: Sequence[str], truth: Mapping[str, int]) -> Fraction:
    """The value of a ranking in which a copy is the document again, over the R or the ideal of the judgments."""
    from oracle.graded import ideal_dcg
    from oracle.judgements import discount_at, hits

    order = [doc.removesuffix(" again") for doc in order]
    total, k = hits(list(truth), truth, 1), measure.k
    if measure.name in ("DCG", "nDCG"):
        gained = sum(
            (Fraction(max(0, truth.get(doc, 0))) * discount_at(i, "log2") for i, doc in enumerate(order[:k], 1)), ZERO
        )
        return gained if measure.name == "DCG" else gained / ideal_dcg(list(truth), truth, k, "linear", "log2")
    if measure.name == "R":
        return Fraction(hits(order[:k], truth, 1), total)
    value = Measure(measure.name, k).of(order, truth)
    assert value is not None
    return value


def nothing_relevant() -> Iterator[Case]:
    """Queries without a relevant document, of which most measures are undefined."""
    measures = (M("AP"), M("RR"), M("R", 2), M("nDCG"), M("nDCG", 2), M("Rprec"), M("Success", 2), M("Bpref"))
    for measure in measures:
        for name, truth, ranked in (
            ("all-grades-0", {"a": 0, "b": 0}, untied_scores(("a", "b"))),
            ("tied", {"a": 0, "b": 0}, tied(("b", "a"), 1.0)),
        ):
            own, _ = readings(measure, [truth])
            yield build(
                "nothing relevant", f"{name}/{slug(measure)}",
                "No document is relevant: 0/0." if name == "all-grades-0" else
                "No document is relevant, and all scores are equal.",
                measure, {"q": truth}, {"q": ranked},
                others={"0/0 is 0": replace(own, undefined=ZERO), "0/0 is 1": replace(own, undefined=ONE)},
            )  # fmt: skip
    for measure in measures[:5]:
        own, _ = readings(measure, [{"a": 1}])
        yield build(
            "nothing relevant", f"in-one-of-two-queries/{slug(measure)}",
            "One of two queries has no relevant document.", measure,
            {"q1": {"a": 1, "b": 0, "x": 1}, "q2": {"c": 0, "d": 0}},
            {"q1": untied_scores(("b", "a")), "q2": untied_scores(("c", "d"))},
            others={
                "0/0 is 0": replace(own, undefined=ZERO), "0/0 is 1": replace(own, undefined=ONE),
                "left out": replace(own, undefined="left out"),
            },
        )  # fmt: skip


def empty() -> Iterator[Case]:
    """Queries for which nothing is retrieved."""
    for measure in (M("AP"), M("RR"), M("P", 2), M("R", 2), M("nDCG"), M("nDCG", 2), M("Success", 2), M("DCG", 2)):
        own, _ = readings(measure, [{"a": 1}])
        yield build(
            "empty results", f"alone/{slug(measure)}", "Nothing is retrieved for the only query.", measure,
            {"q": {"a": 1, "b": 0}}, {"q": []},
        )  # fmt: skip
        yield build(
            "empty results", f"one-of-two/{slug(measure)}",
            "Nothing is retrieved for one of two judged queries: the mean is over both.", measure,
            {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}, {"q1": untied_scores(("b", "a")), "q2": []},
            others={"left out": replace(own, missing="left out")},
        )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# Families of measures

#: Five ranks, the last three tied; a judged document and an unjudged one are not retrieved or not judged.
RANKED: Ranked = [("e", 3.0), ("a", 2.0), *tied(("c", "d", "b"), 1.0)]
TRUTH = {"e": 0, "a": 1, "c": 2, "d": 0, "x": 3}
LENGTHS = {"e": 100, "a": 300, "c": 200, "d": 50, "b": 400}
PLAIN = [
    M("P", 4), M("P", 3, rel=2), M("R", 4), M("R", 4, rel=2), M("F1", 4), M("Hits", 4), M("Hits"), M("RelP", 4),
    M("Rprec"), M("Rprec", mult=2), M("Success", 3), M("AP", rel=2), M("AP", 4), M("AP", recall_base="ranking"),
    M("AP", recall_base=5), M("AP", judged_only=True), M("YAAP"), M("RR", rel=2), M("RR", 4, rel=2),
    M("IPrec", 0.0), M("IPrec", 0.5), M("IPrecMean"), M("IPrecMean", levels=[0.25, 0.5, 0.75]),
    M("DCG"), M("DCG", 4, gain="exp2"), M("DCG", discount="inverse"), M("DCG", discount="log(2)"),
    M("DCG", discount="log(10)"), M("nDCG", 4), M("nDCG", 4, gain="exp2"), M("nDCG", discount="inverse"),
    M("nDCG", discount="log(2)"), M("nDCG", gain={0: 0, 1: 1, 2: 10, 3: 100}), M("nDCG", recall_base="ranking"),
    M("nDCG", rel=2), M("nDCG", discount=[1, 0.5, 0.25, 0.125, 0.0625]), M("Rndcg"), M("nDCGRel"), M("G"),
    M("binG"),
    M("Q"), M("Q", 3), M("Q", beta=10), M("Q", gain="exp2"), M("O"), M("Pmeasure"), M("Pplus"), M("NCU"),
    M("NCU", utility="P"), M("NCU", user="graded-uniform"), M("GAP"),
    M("GAP", 4, thresholds={1: 0.5, 2: 0.25, 3: 0.25}),
    M("RBP"), M("RBP", 4, p=Fraction(1, 2)), M("RBP", p=0.95, max_grade=3), M("RBPResidual"), M("ERR"),
    M("ERR", 4, max_grade=3), M("nERR", max_grade=3), M("Cascade", gain={1: 0.25, 2: 0.5, 3: 1}),
    M("Cascade", gain="linear", go_on={0: 1, 1: 0.5, 2: 0.25, 3: 0}), M("iRBU"), M("iRBU", 3, p=0.9, max_grade=3),
    M("NERR8", 4, max_rel=3), M("NERR9", 4, max_rel=3), M("NERR10", max_rel=3, p=0.8, depth=20),
    M("NERR11", max_rel=3, T=2, depth=20), M("BPM", 4, max_rel=3), M("INST", max_rel=3, T=1, depth=20),
    M("INSQ", max_rel=3, T=2, depth=20), M("SDCG", 4, max_rel=3), M("ESL"), M("ESL", q=2), M("EP", 0.5), M("Rnorm"),
    M("Rnorm", collection=20), M("Accuracy"), M("Accuracy", 4), M("PairConcordance"), M("Bpref"),
    M("Bpref", variant="paper"), M("Bpref", extra=10), M("infAP"), M("subAP", p=0.5), M("Judged", 4), M("Unjudged", 4),
    M("ADR"), M("ADR", 4), M("ADRInverted"), M("Compat", p=0.8, depth=5), M("SetP"), M("SetRelP"), M("SetR"), M("SetF"),
    M("SetF", beta=0.5), M("SetAP"), M("Utility"), M("Utility", weights=[1, -0.25, 0, 0.5], collection=100),
    M("NumQ"), M("NumRet"), M("NumRel"), M("NumRelRet"), M("NumNonrelJudgedRet"),
]  # fmt: skip
OF_LENGTHS = [M("TBG"), M("TBG", 4, h=60), M("U"), M("U", L=500), M("U", 4, L=500, gain_at="start")]
OF_SUBTOPICS = [
    M("alpha_DCG", 4), M("alpha_nDCG", 4), M("alpha_nDCG", 4, alpha=0.75), M("ERR_IA", 4), M("nERR_IA", 4), M("NRBP"),
    M("nNRBP"), M("AP_IA"), M("P_IA", 4), M("StRecall", 4), M("D_nDCG", 4), M("Dsharp_nDCG", 4), M("RBU", 4),
]  # fmt: skip
SUBTOPICS = {"1": {"a": 1, "c": 2, "e": 0}, "2": {"c": 1, "x": 1, "d": 0}}
OF_STRATA = [M("xinfAP"), M("infNDCG", 4)]
STRATA = {"e": (1, 0), "a": (1, 1), "c": (2, 2), "d": (2, -1), "b": (2, 0), "x": (2, -1)}
OF_PROBABILITIES = [M("statAP"), M("statAP", self_weight="ht")]
PROBABILITIES = {"e": (0, 1.0), "a": (1, 0.5), "c": (2, 0.25), "d": (0, 0.25), "x": (1, 0.5)}


def families() -> Iterator[Case]:
    """Every measure, with its parameters, of one ranking with a tie."""
    about = "Five documents, of which the last three are tied, and a relevant document that is not retrieved."
    for measures, truth, judgments, lengths in (
        (PLAIN, TRUTH, "grades", None),
        (OF_LENGTHS, TRUTH, "grades", LENGTHS),
        (OF_SUBTOPICS, SUBTOPICS, "subtopics", None),
        (OF_STRATA, STRATA, "stratified", None),
        (OF_PROBABILITIES, PROBABILITIES, "prels", None),
    ):
        for measure in measures:
            yield build(
                "families", slug(measure), about, measure, {"q": truth}, {"q": RANKED}, judgments=judgments,
                lengths=lengths,
            )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# Link prediction


def link_prediction() -> Iterator[Case]:
    """The rank of a true entity among candidates."""
    measures = (M("RR"), M("Rank"), M("Success", 1), M("Success", 3))
    shapes: dict[str, tuple[str, Ranked, str]] = {
        "constant-scorer": ("All five candidates have one score.", tied(("c", "a", "d", "b", "e"), 0.0), "c"),
        "tied-at-the-top": ("The true entity is tied with another one at the top.",
                            [("b", 9.0), ("t", 9.0), ("a", 5.0), ("c", 4.0)], "t"),
        "tied-below": ("The true entity is tied with two others below a better one.",
                       [("z", 9.0), ("b", 5.0), ("a", 5.0), ("c", 5.0)], "c"),
        "alone": ("The true entity has a score of its own.", untied_scores(("b", "a", "t", "c")), "t"),
        "negative-scores": ("All scores are negative, and the true entity is tied.",
                            [("b", -3.0), ("t", -1.0), ("a", -1.0), ("c", -2.0)], "t"),
    }  # fmt: skip
    for name, (about, ranked, true) in shapes.items():
        for measure in measures:
            yield build("link prediction", f"{name}/{slug(measure)}", about, measure, {"q": {true: 1}}, {"q": ranked})
    for measure in measures:
        yield build(
            "link prediction", f"two-triples/{slug(measure)}", "Two triples, one of them with a tie.", measure,
            {"q1": {"t": 1}, "q2": {"c": 1}},
            {"q1": untied_scores(("b", "t", "a")), "q2": tied(("c", "a", "d", "b"), 1.0)},
        )  # fmt: skip


GROUPS: dict[str, Callable[[], Iterator[Case]]] = {
    "ties": ties,
    "precision": precision,
    "cutoffs": cutoffs,
    "short lists": short_lists,
    "ideal rankings": ideal,
    "grades": grades,
    "unjudged documents": unjudged,
    "missing queries": queries,
    "duplicates": duplicates,
    "nothing relevant": nothing_relevant,
    "empty results": empty,
    "families": families,
    "link prediction": link_prediction,
}
