"""untied's functions on runs and qrels: ``evaluate``, ``compare``, ``certify``, ``distributions``."""

from __future__ import annotations

from typing import Any

import untied
from conformance.adapters.common import Case, NotOffered

PACKAGE = "untied"
HOW = "untied.evaluate(qrels, run, measure, ties='range'), and compare, certify, distributions"
REFUSALS = (untied.UntiedError,)
#: Conventions that this face may follow; all else is exact.
DECLARED = {"0/0 is 0"}


def answer(case: Case) -> Any:
    """Each question has its function."""
    return ANSWERS[case.question](case)


def value(case: Case) -> Any:
    """The mean, the lowest and the highest value over orders of ties; what is undefined counts 0."""
    if case.name == "Rank":  # one more than the documents above it
        found = untied.evaluate(*inputs(case), "ESL", ties="range")["ESL"]
        return {"mean": found.mean + 1, "lowest": found.low + 1, "highest": found.high + 1}
    found = untied.evaluate(
        *inputs(case), case.measure, ties="range", qrels_format=case.fields.get("judgments", "trec"),
        docs=case.fields.get("lengths"),
    )[case.measure]  # fmt: skip
    return {"mean": found.mean, "lowest": found.low, "highest": found.high}


def inputs(case: Case) -> tuple[Any, Any]:
    """Judgments, and a run of pairs in the order given."""
    return case.qrels, rows(case.run)


def rows(run: dict[str, list[tuple[str, float]]]) -> Any:
    """A run as a dict; as rows where a document occurs twice, which a dict cannot hold."""
    if all(len({doc for doc, _ in ranked}) == len(ranked) for ranked in run.values()):
        return {query: dict(ranked) for query, ranked in run.items()}
    return [{"query": query, "doc": doc, "score": score} for query, ranked in run.items() for doc, score in ranked]


def similarity(case: Case) -> Any:
    """The mean over orders of both rankings, with its ends."""
    found = untied.compare({"q": dict(case.run_a)}, {"q": dict(case.run_b)}, case.measure)[case.measure]
    return {"mean": found.mean} | ({"lowest": found.low, "highest": found.high} if found.low is not None else {})


def neighbours(case: Case) -> Any:
    """Recall of neighbours has no function of its own."""
    raise NotOffered("has no NNRecall")


def med(case: Case) -> Any:
    """The largest differences that judgments could make, and the difference now."""
    top = "" if case.grades == [0, 1] else f", max_grade={case.grades[-1]}"
    names = {
        "MED": f"MED({case.measure}{top})", "MED, a - b": f"MED({case.measure}{top}, direction='a-b')",
        "MED, b - a": f"MED({case.measure}{top}, direction='b-a')", "Delta": f"Delta({case.measure}{top})",
    }  # fmt: skip
    known = {"q": case.known} if case.known else None
    found = untied.compare({"q": dict(case.run_a)}, {"q": dict(case.run_b)}, list(names.values()), qrels=known)
    values = {name: found[text] for name, text in zip(names, found.measures, strict=True)}
    return {name: one.mean for name, one in values.items() if one.certainty == "exact"}


def bounds(case: Case) -> Any:
    """Ends of the mean over orders, and of the value in any order."""
    options = {"unjudged": "range", "unretrieved": "pooled" if case.pooled else "none"}
    mean = untied.evaluate(*inputs(case), case.measure, **options)[case.measure]
    any_order = untied.evaluate(*inputs(case), case.measure, ties="range", **options)[case.measure]
    return {
        "lowest mean": mean.low, "highest mean": mean.high, "lowest": any_order.low, "highest": any_order.high
    }  # fmt: skip


def verdict(case: Case) -> Any:
    """Who is ahead whatever is unjudged, and how many relevant documents could overturn that."""
    runs = {name: {query: dict(ranked) for query, ranked in run.items()} for name, run in
            (("a", case.run_a), ("b", case.run_b))}  # fmt: skip
    found = untied.certify(case.qrels, runs, case.measure, unretrieved="pooled")["a", "b"][case.measure]
    said = {
        "lowest difference": found.low, "highest difference": found.high, "ahead": found.verdict,
        "overturn number": "none" if found.overturn == float("inf") else str(found.overturn),
    }  # fmt: skip
    if found.largest_m is not None and "largest safe number" in case.answers:
        said["largest safe number"] = "any" if found.largest_m == float("inf") else str(found.largest_m)
    return said


def law(case: Case) -> Any:
    """The distribution over orders of ties, and the chances against another run."""
    runs = {name: {query: dict(ranked) for query, ranked in run.items()} for name, run in
            (("run", case.run), ("beside", case.beside))}  # fmt: skip
    found = untied.distributions(case.qrels, runs, case.measure)
    own, chances = found["run", case.measure], found.chances("run", "beside", case.measure)
    return {
        "values": [value for value, _ in own.lower], "probabilities": [chance for _, chance in own.lower],
        "median": own.quantile(0.5)[0], "ahead": chances.greater[0], "equal": chances.equal[0],
        "behind": chances.less[0],
    }  # fmt: skip


def adjusted(case: Case) -> Any:
    """Values adjusted for chance."""
    found = untied.evaluate(*inputs(case), case.measure, ties="range", adjust="chance", on_undefined="nan")[
        case.measure
    ]
    return {"mean": found.mean, "lowest": found.low, "highest": found.high}


ANSWERS = {
    "value": value, "similarity": similarity, "neighbours": neighbours, "med": med, "bounds": bounds,
    "verdict": verdict, "law": law, "adjusted": adjusted,
}  # fmt: skip
