"""What a case's answers are: a definition evaluated under every convention for ties, and under every variant of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from oracle.enumeration import permutations
from oracle.judgements import Truth
from oracle.measures import LOWER_IS_BETTER, Measure
from oracle.scores import group_scores

Order = Sequence[str]
Ranked = Sequence[tuple[str, float]]
Score = Callable[[Order, Any], Fraction | None]
Answers = dict[str, Fraction]
#: A convention that treats a tie group as a whole, instead of choosing an order.
OfGroups = Callable[[Sequence[Sequence[str]], Any], Fraction]

DIGITS = 50
#: A fraction with a larger denominator holds logarithms or roots, and is written as a decimal.
LONGEST = 10**24
#: More attainable values than these are not listed.
MOST_VALUES = 24


def in_bytes(doc: str) -> bytes:
    """The key of trec_eval's order of ids."""
    return doc.encode()


ORDERS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "docid up": lambda group: sorted(group, key=in_bytes),
    "docid down": lambda group: sorted(group, key=in_bytes, reverse=True),
    "as given": list,
    "as given, reversed": lambda group: list(group)[::-1],
}


@dataclass(frozen=True)
class Reading:
    """How an evaluator may read the files of a case, and what it may compute from them."""

    score: Score
    is_defined: Callable[[Order, Any], bool] = lambda order, truth: True
    lower_is_better: bool = False
    precision: str = "float64"
    #: What a query counts whose value is undefined: a number, "left out", or None if then all is undefined.
    undefined: Fraction | str | None = None
    #: What a judged query counts that the run lacks or has no documents of.
    missing: str = "empty ranking"
    #: What a query counts that has no judgments.
    unjudged_queries: str = "left out"
    qrels: Callable[[Truth], Truth] = lambda truth: truth
    run: Callable[[Ranked], Ranked] = lambda ranked: ranked
    of_groups: Mapping[str, OfGroups] = field(default_factory=dict)


def of_measure(measure: Measure, lengths: Mapping[str, float] | None = None, **options: Any) -> Reading:
    """The reading that the oracle's definition is: unjudged documents are non-relevant, ties have a mean."""
    return Reading(
        lambda order, truth: measure.of(order, truth, lengths),
        measure.is_defined if measure.name not in SUBTOPICS_OR_PAIRS else Reading.is_defined,
        measure.name in LOWER_IS_BETTER,
        **options,
    )


SUBTOPICS_OR_PAIRS = {
    "alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall", "D_nDCG",
    "Dsharp_nDCG", "RBU", "xinfAP", "infNDCG", "statAP",
}  # fmt: skip


def answers(qrels: Mapping[str, Any], run: Mapping[str, Ranked], reading: Reading) -> Answers | None:
    """The mean over queries under every convention; None where it is undefined."""
    per_query: list[Answers] = []
    queries = [*qrels, *(query for query in run if query not in qrels and reading.unjudged_queries == "count 0")]
    for query in queries:
        if query not in qrels or (not run.get(query) and reading.missing == "count 0"):
            per_query.append({"mean": Fraction(0)})
            continue
        if not run.get(query) and reading.missing == "left out":
            continue
        found = of_query(reading.qrels(qrels[query]), reading.run(run.get(query, [])), reading)
        if found is not None:
            per_query.append(found)
        elif isinstance(reading.undefined, Fraction):
            per_query.append({"mean": reading.undefined})
        elif reading.undefined is None:
            return None
    if not per_query:
        return None
    names = dict.fromkeys(name for one in per_query for name in one)
    means = {
        name: sum((one.get(name, one["mean"]) for one in per_query), Fraction(0)) / len(per_query) for name in names
    }
    return {name: value for name, value in means.items() if name == "mean" or value != means["mean"]}


def of_query(truth: Any, ranked: Ranked, reading: Reading) -> Answers | None:
    """The answers of one query; those that no convention changes are the mean alone."""
    groups = group_scores(dict(ranked), reading.precision)
    flat = [doc for group in groups for doc in group]
    values = [reading.score(order, truth) for order in permutations(groups)]
    if None in values or not reading.is_defined(flat, truth):
        return None
    defined = [value for value in values if value is not None]
    lowest, highest = min(defined), max(defined)
    best, worst = (lowest, highest) if reading.lower_is_better else (highest, lowest)
    result = {"mean": sum(defined, Fraction(0)) / len(defined), "lowest": lowest, "highest": highest}
    result |= {"optimistic": best, "pessimistic": worst}
    for name, arrange in ORDERS.items():
        value = reading.score([doc for group in groups for doc in arrange(group)], truth)
        assert value is not None
        result[name] = value
    return result | {name: whole(groups, truth) for name, whole in reading.of_groups.items()}


def attainable(truth: Any, ranked: Ranked, reading: Reading) -> list[Fraction]:
    """All values that some order of the tied documents has; none where they are too many to list."""
    groups = group_scores(dict(ranked), reading.precision)
    values = {value for order in permutations(groups) if (value := reading.score(order, truth)) is not None}
    return sorted(values) if 1 < len(values) <= MOST_VALUES else []


def as_text(value: Fraction | int | None) -> str | None:
    """A fraction, or a decimal of 50 digits where there are logarithms or roots; None is undefined."""
    if value is None:
        return None
    value = Fraction(value)
    if value.denominator <= LONGEST:
        return str(value)
    with localcontext() as context:
        context.prec = DIGITS
        return str(Decimal(value.numerator) / Decimal(value.denominator))


def in_text(found: Answers | None) -> dict[str, str | None]:
    """Answers as they are written; what is undefined has no value but that."""
    return {"mean": None} if found is None else {name: as_text(value) for name, value in found.items()}


def told_apart(main: Answers | None, others: Mapping[str, Answers | None]) -> dict[str, dict[str, str | None]]:
    """The variants that give other answers than the definition, in the order in which they are looked for."""
    result: dict[str, dict[str, str | None]] = {}
    for name, found in others.items():
        if found == main:
            continue
        if main is not None and found is not None and all(main.get(key, main["mean"]) == found[key] for key in found):
            continue
        result[name] = in_text(found)
    return result


def with_precision(reading: Reading, precision: str) -> Reading:
    """The same reading of scores that were rounded first."""
    return replace(reading, precision=precision)
