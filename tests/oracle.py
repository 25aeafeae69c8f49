"""Every measure once more, from its textbook definition, and every statistic by enumeration.

This is the reference the package is tested against, so it shares no code and no formula with it. A measure is a
function of ONE total order and the judgements; its mean, variance, minimum and maximum under ties are taken over the
explicitly listed orders. Numbers are exact fractions; logarithms and powers are 50-digit decimals turned into
fractions, so that nothing here is rounded to a float before the comparison.

For real data, where orders cannot be listed, `counted` counts them instead (see there).
"""

from __future__ import annotations

import functools
import itertools
import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

Number = Fraction | float | int
Truth = Mapping[str, Number]  # document -> grade; absent: not judged; negative: pooled but not judged
Groups = Sequence[Sequence[str]]  # tie groups, best first
Gain = str | Mapping[int, Number]
Discount = str | Sequence[Number]

DIGITS = 50
ZERO = Fraction(0)


# ---------------------------------------------------------------------------------------------------------------------
# Judgements


def is_judged(doc: str, truth: Truth) -> bool:
    """Whether the document has a grade of at least 0."""
    return doc in truth and truth[doc] >= 0


def is_relevant(doc: str, truth: Truth, rel: Number) -> bool:
    return is_judged(doc, truth) and truth[doc] >= rel


def hits(order: Sequence[str], truth: Truth, rel: Number) -> int:
    return sum(is_relevant(doc, truth, rel) for doc in order)


def relevant_total(order: Sequence[str], truth: Truth, rel: Number, recall_base: str | int) -> int:
    """R: the number of relevant documents that recall, F1, AP and R-precision refer to."""
    if isinstance(recall_base, int):
        return recall_base
    return hits(order if recall_base == "ranking" else list(truth), truth, rel)


# ---------------------------------------------------------------------------------------------------------------------
# Gains and discounts


def _decimal(x: Number) -> Decimal:
    x = Fraction(x)
    return Decimal(x.numerator) / Decimal(x.denominator)


@functools.cache
def power_of_two(exponent: Fraction) -> Fraction:
    if exponent.denominator == 1:
        return Fraction(2) ** int(exponent)
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction(Decimal(2) ** _decimal(exponent))


@functools.cache
def log_ratio(x: Fraction, y: Fraction) -> Fraction:
    """log(x) / log(y), to any base."""
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction(_decimal(x).ln() / _decimal(y).ln())


def gain_of(doc: str, truth: Truth, gain: Gain, rel: Number = 0) -> Fraction:
    if not is_relevant(doc, truth, rel):
        return ZERO
    grade = Fraction(truth[doc])
    if gain == "linear":
        return grade
    if gain == "exp2":
        return power_of_two(grade) - 1
    assert not isinstance(gain, str)
    return Fraction(gain[int(grade)])


def discount_at(rank: int, discount: Discount) -> Fraction:
    if discount == "log2":
        return log_ratio(Fraction(2), Fraction(1 + rank))
    if discount == "inverse":
        return Fraction(1, rank)
    if isinstance(discount, str):
        base = Fraction(discount.removeprefix("log(").removesuffix(")"))
        return Fraction(1) if rank < base else log_ratio(base, Fraction(rank))
    return Fraction(discount[rank - 1]) if rank <= len(discount) else ZERO


# ---------------------------------------------------------------------------------------------------------------------
# Measures of one total order. A quantity that is undefined (0/0) is 0, as in trec_eval.


def precision(order: Sequence[str], truth: Truth, k: int, rel: Number = 1) -> Fraction:
    return Fraction(hits(order[:k], truth, rel), k)


def recall(order: Sequence[str], truth: Truth, k: int, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    total = relevant_total(order, truth, rel, recall_base)
    return Fraction(hits(order[:k], truth, rel), total) if total else ZERO


def f1(order: Sequence[str], truth: Truth, k: int, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    p, r = precision(order, truth, k, rel), recall(order, truth, k, rel, recall_base)
    return 2 / (1 / p + 1 / r) if p and r else ZERO


def ap(
    order: Sequence[str], truth: Truth, k: int | None = None, rel: Number = 1, recall_base: str | int = "qrels"
) -> Fraction:
    total = relevant_total(order, truth, rel, recall_base)
    if not total:
        return ZERO
    ranks = [i for i, doc in enumerate(order[:k], 1) if is_relevant(doc, truth, rel)]
    return sum((precision(order, truth, i, rel) for i in ranks), ZERO) / total


def rr(order: Sequence[str], truth: Truth, k: int | None = None, rel: Number = 1) -> Fraction:
    for i, doc in enumerate(order[:k], 1):
        if is_relevant(doc, truth, rel):
            return Fraction(1, i)
    return ZERO


def hits_within(order: Sequence[str], truth: Truth, k: int | None = None, rel: Number = 1) -> Fraction:
    return Fraction(hits(order[:k], truth, rel))


def success(order: Sequence[str], truth: Truth, k: int | None = None, rel: Number = 1) -> Fraction:
    return Fraction(any(is_relevant(doc, truth, rel) for doc in order[:k]))


def rprec(order: Sequence[str], truth: Truth, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    total = relevant_total(order, truth, rel, recall_base)
    return precision(order, truth, total, rel) if total else ZERO


def _discounted(gains: Iterable[Fraction], discount: Discount) -> Fraction:
    return sum((g * discount_at(i, discount) for i, g in enumerate(gains, 1) if g), ZERO)


def dcg(
    order: Sequence[str],
    truth: Truth,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    rel: Number = 0,
) -> Fraction:
    return _discounted((gain_of(doc, truth, gain, rel) for doc in order[:k]), discount)


def ndcg(
    order: Sequence[str],
    truth: Truth,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    rel: Number = 0,
    recall_base: str = "qrels",
) -> Fraction:
    pool = order if recall_base == "ranking" else list(truth)
    gains = sorted((gain_of(doc, truth, gain, rel) for doc in pool), reverse=True)
    ideal = _discounted([g for g in gains if g > 0][:k], discount)
    return dcg(order, truth, k, gain, discount, rel) / ideal if ideal else ZERO


def relp(order: Sequence[str], truth: Truth, k: int, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    total = relevant_total(order, truth, rel, recall_base)
    return Fraction(hits(order[:k], truth, rel), min(k, total)) if total else ZERO


def rbp(
    order: Sequence[str],
    truth: Truth,
    k: int | None = None,
    p: Number = Fraction(4, 5),
    rel: Number = 1,
    max_grade: Number | None = None,
) -> Fraction:
    value, weight = ZERO, 1 - Fraction(p)
    for doc in order[:k]:
        if max_grade is None:
            value += weight * is_relevant(doc, truth, rel)
        elif is_judged(doc, truth):
            value += weight * Fraction(truth[doc]) / Fraction(max_grade)
        weight *= Fraction(p)
    return value


def rbp_residual(order: Sequence[str], truth: Truth, k: int | None = None, p: Number = Fraction(4, 5)) -> Fraction:
    """The weight of the unjudged documents among the first k, and of everything after them."""
    seen = order[:k]
    value, weight = ZERO, 1 - Fraction(p)
    for doc in seen:
        value += weight * (not is_judged(doc, truth))
        weight *= Fraction(p)
    return value + Fraction(p) ** len(seen)


def set_p(order: Sequence[str], truth: Truth, rel: Number = 1) -> Fraction:
    return Fraction(hits(order, truth, rel), len(order)) if order else ZERO


def set_r(order: Sequence[str], truth: Truth, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    total = relevant_total(order, truth, rel, recall_base)
    return Fraction(hits(order, truth, rel), total) if total else ZERO


def set_relp(order: Sequence[str], truth: Truth, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    return relp(order, truth, len(order), rel, recall_base) if order else ZERO


def set_ap(order: Sequence[str], truth: Truth, rel: Number = 1, recall_base: str | int = "qrels") -> Fraction:
    return set_p(order, truth, rel) * set_r(order, truth, rel, recall_base)


def set_f(
    order: Sequence[str], truth: Truth, beta: Number = 1, rel: Number = 1, recall_base: str | int = "qrels"
) -> Fraction:
    p, r, x = set_p(order, truth, rel), set_r(order, truth, rel, recall_base), Fraction(beta)
    return (x + 1) * p * r / (x * p + r) if p and r else ZERO


def num_nonrel_judged_ret(order: Sequence[str], truth: Truth, rel: Number = 1) -> Fraction:
    return Fraction(sum(is_judged(doc, truth) and not is_relevant(doc, truth, rel) for doc in order))


def num_ret(order: Sequence[str], truth: Truth) -> Fraction:
    return Fraction(len(order))


def num_rel(order: Sequence[str], truth: Truth, rel: Number = 1) -> Fraction:
    return Fraction(hits(list(truth), truth, rel))


def num_rel_ret(order: Sequence[str], truth: Truth, rel: Number = 1) -> Fraction:
    return Fraction(hits(order, truth, rel))


def num_q(order: Sequence[str], truth: Truth) -> Fraction:
    return Fraction(1)


MEASURES: dict[str, Callable[..., Fraction]] = {
    "P": precision,
    "R": recall,
    "F1": f1,
    "Hits": hits_within,
    "AP": ap,
    "RR": rr,
    "Success": success,
    "Rprec": rprec,
    "DCG": dcg,
    "nDCG": ndcg,
    "RelP": relp,
    "RBP": rbp,
    "RBPResidual": rbp_residual,
    "SetP": set_p,
    "SetRelP": set_relp,
    "SetR": set_r,
    "SetF": set_f,
    "SetAP": set_ap,
    "NumNonrelJudgedRet": num_nonrel_judged_ret,
    "NumRet": num_ret,
    "NumRel": num_rel,
    "NumRelRet": num_rel_ret,
    "NumQ": num_q,
}

COUNTS = {"NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet", "NumQ"}  # their aggregate is a sum


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters; a parameter left at None keeps the default of the definition."""

    name: str
    k: int | None = None
    rel: Number | None = None
    recall_base: str | int | None = None
    gain: Gain | None = None
    discount: Discount | None = None
    p: Number | None = None
    max_grade: Number | None = None
    beta: Number | None = None
    judged_only: bool = False

    def params(self) -> dict[str, Any]:
        """The parameters that were given, without the cutoff."""
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("name", "k")}
        return {key: value for key, value in given.items() if value is not None and value is not False}

    def of(self, order: Sequence[str], truth: Truth) -> Fraction:
        """Value for one total order."""
        params = self.params()
        if params.pop("judged_only", False):
            order = [doc for doc in order if is_judged(doc, truth)]
        if self.k is not None:
            params["k"] = self.k
        return MEASURES[self.name](order, truth, **params)


# ---------------------------------------------------------------------------------------------------------------------
# Orders of a tied ranking, and statistics over them


@dataclass(frozen=True)
class Statistics:
    """Mean, population variance, minimum and maximum over tie orders."""

    mean: Fraction
    variance: Fraction
    low: Fraction
    high: Fraction


def permutations(groups: Groups) -> Iterator[list[str]]:
    """Every total order that agrees with the tie groups."""
    for parts in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield list(itertools.chain.from_iterable(parts))


def _arrangements(group: Sequence[str], truth: Truth) -> list[tuple[str, ...]]:
    by_grade: dict[Number | None, list[str]] = {}
    for doc in group:
        by_grade.setdefault(truth.get(doc), []).append(doc)
    labels = [label for label, docs in enumerate(by_grade.values()) for _ in docs]
    result = []
    for arrangement in sorted(set(itertools.permutations(labels))):
        docs = [iter(members) for members in by_grade.values()]
        result.append(tuple(next(docs[label]) for label in arrangement))
    return result


def orders(groups: Groups, truth: Truth) -> Iterator[list[str]]:
    """One total order for every distinct arrangement of grades.

    Still enumeration: no measure looks at anything but grades, so documents of equal grade are interchangeable, and
    each arrangement of a group stands for the same number of permutations (the product of the factorials of the grade
    counts). Plain averages over arrangements are therefore averages over permutations.
    """
    for parts in itertools.product(*(_arrangements(group, truth) for group in groups)):
        yield list(itertools.chain.from_iterable(parts))


def summarise(values: Sequence[Fraction]) -> Statistics:
    mean = sum(values, ZERO) / len(values)
    variance = sum(((v - mean) ** 2 for v in values), ZERO) / len(values)
    return Statistics(mean, variance, min(values), max(values))


def remove_unjudged(groups: Groups, truth: Truth) -> list[list[str]]:
    return [kept for group in groups if (kept := [doc for doc in group if is_judged(doc, truth)])]


def statistics(measure: Measure, groups: Groups, truth: Truth, unjudged: str = "nonrelevant") -> Statistics:
    """Statistics of a measure over all tie orders."""
    if unjudged == "remove":
        groups = remove_unjudged(groups, truth)
    return summarise([measure.of(order, truth) for order in orders(groups, truth)])


def aggregate(measure: Measure, topics: Sequence[Statistics]) -> Statistics:
    """The row over all topics; tie orders of different topics are independent."""
    n = 1 if measure.name in COUNTS else len(topics)
    return Statistics(
        sum((t.mean for t in topics), ZERO) / n,
        sum((t.variance for t in topics), ZERO) / n**2,
        sum((t.low for t in topics), ZERO) / n,
        sum((t.high for t in topics), ZERO) / n,
    )


# ---------------------------------------------------------------------------------------------------------------------
# Scores, how they are read, and fixed tie orders


def to_float32(x: float) -> float:
    try:
        return cast(float, struct.unpack("<f", struct.pack("<f", x))[0])
    except OverflowError:  # a cast in C gives infinity
        return math.copysign(math.inf, x)


def to_float16(x: float) -> float:
    try:
        return cast(float, struct.unpack("<e", struct.pack("<e", x))[0])
    except OverflowError:
        return math.copysign(math.inf, x)


def to_bfloat16(x: float) -> float:
    """Nearest number with 8 significant bits and the exponents of a float32, ties to even."""
    if x == 0 or math.isinf(x):
        return x
    exponent = max(math.frexp(x)[1] - 8, -133)
    unit = Fraction(2) ** exponent
    rounded = round(Fraction(x) / unit) * unit  # round() of a fraction takes ties to even
    if abs(rounded) >= Fraction(2) ** 128:
        return math.copysign(math.inf, x)
    return float(rounded)


def to_decimals(x: float, digits: int) -> float:
    return x if math.isinf(x) else round(x, digits)


def read_score(x: float, score_dtype: str = "float64") -> float:
    if score_dtype.startswith("decimals="):
        return to_decimals(x, int(score_dtype.removeprefix("decimals=")))
    readers: dict[str, Callable[[float], float]] = {
        "float64": float,
        "float32": to_float32,
        "float16": to_float16,
        "bfloat16": to_bfloat16,
    }
    return readers[score_dtype](x)


def group_scores(scores: Mapping[str, float], score_dtype: str = "float64") -> list[list[str]]:
    """Tie groups, best first; within a group in the order given."""
    groups: dict[float, list[str]] = {}
    for doc, score in scores.items():
        groups.setdefault(read_score(score, score_dtype), []).append(doc)  # 0.0 and -0.0 are one key
    return [groups[score] for score in sorted(groups, reverse=True)]


def tie_policy(
    measure: Measure,
    scores: Mapping[str, float],
    truth: Truth,
    ties: str,
    unjudged: str = "nonrelevant",
    score_dtype: str = "float64",
) -> Fraction:
    """Value under a tie policy that yields one number."""
    groups = group_scores(scores, "float32" if ties == "trec" else score_dtype)
    if ties in ("expected", "best", "worst"):
        result = statistics(measure, groups, truth, unjudged)
        return {"expected": result.mean, "best": result.high, "worst": result.low}[ties]
    if ties in ("docid", "trec"):
        groups = [sorted(group, key=lambda doc: doc.encode(), reverse=True) for group in groups]
    if unjudged == "remove":
        groups = remove_unjudged(groups, truth)
    return measure.of(list(itertools.chain.from_iterable(groups)), truth)


# ---------------------------------------------------------------------------------------------------------------------
# Large groups: orders are counted, not listed


def counted(measure: Measure, groups: Groups, truth: Truth) -> Statistics:
    """Statistics of AP, RR, P, R, DCG or nDCG for groups of any size, by counting arrangements.

    Enumeration lists the C(n, r) arrangements of the r relevant among the n documents of a group and averages. The
    measures here are sums over relevant documents of a number c(rank, relevant documents before it) that depends on
    nothing else, so the same sum can be taken prefix by prefix: all prefixes of equal length with equally many hits
    continue in the same ways, hence it is enough to know how many there are and the sums of their values and of their
    squares. With g hits in the first a slots, a prefix is extended by a hit or by a miss, and a prefix that used up
    its hits or misses is not extended that way; after n slots every arrangement was formed exactly once. Groups do
    not influence each other (how many hits precede a group is fixed), so their means and variances add.

    The extremes come from sorting: exchanging a neighbouring miss and hit so that the hit moves up never lowers one
    of these measures, thus hits first is a maximum and hits last a minimum.

    Grades are used only to tell relevant from not, so DCG and nDCG need grades 0 and 1.
    """
    rel = measure.rel or 1
    contribution, norm = _contribution(measure, [doc for group in groups for doc in group], truth)
    mean, variance, before, start = ZERO, ZERO, 0, 0
    for group in groups:
        n, r = len(group), hits(group, truth, rel)
        weights = {
            (slot, found): contribution(start + slot, before + found)
            for slot in range(1, n + 1)
            for found in range(max(0, slot - 1 - (n - r)), min(r, slot))
        }
        # Integers are much faster than fractions: bring all weights to one denominator.
        unit = math.lcm(*{w.denominator for w in weights.values()})
        scaled = {key: w.numerator * (unit // w.denominator) for key, w in weights.items()}
        prefixes: dict[int, tuple[int, int, int]] = {0: (1, 0, 0)}  # hits -> (prefixes, sum, sum of squares)
        for slot in range(1, n + 1):
            longer: dict[int, tuple[int, int, int]] = {}
            for found, (count, total, squares) in prefixes.items():
                if slot - 1 - found < n - r:
                    a, b, c = longer.get(found, (0, 0, 0))
                    longer[found] = (a + count, b + total, c + squares)
                if found < r:
                    w = scaled[slot, found]
                    a, b, c = longer.get(found + 1, (0, 0, 0))
                    longer[found + 1] = (a + count, b + total + w * count, c + squares + w * (2 * total + w * count))
            prefixes = longer
        count, total, squares = prefixes[r]
        assert count == math.comb(n, r)
        group_mean = Fraction(total, count * unit)
        mean += group_mean
        variance += Fraction(squares, count * unit**2) - group_mean**2
        before, start = before + r, start + n

    def sorted_value(hits_first: bool) -> Fraction:
        order = []
        for group in groups:
            order += sorted(group, key=lambda doc: is_relevant(doc, truth, rel), reverse=hits_first)
        return measure.of(order, truth)

    return Statistics(mean * norm, variance * norm**2, sorted_value(False), sorted_value(True))


def _contribution(
    measure: Measure, flat: Sequence[str], truth: Truth
) -> tuple[Callable[[int, int], Fraction], Fraction]:
    """What a relevant document at a rank adds, given how many relevant ones precede it; and a constant factor."""
    k = measure.k or len(flat)
    total = relevant_total(flat, truth, measure.rel or 1, measure.recall_base or "qrels")
    share = Fraction(1, total) if total else ZERO

    def within(value: Callable[[int, int], Fraction]) -> Callable[[int, int], Fraction]:
        return lambda rank, before: value(rank, before) if rank <= k else ZERO

    one = Fraction(1)
    if measure.name == "P":
        return within(lambda rank, before: one), Fraction(1, k)
    if measure.name == "R":
        return within(lambda rank, before: one), share
    if measure.name == "AP":
        return within(lambda rank, before: Fraction(before + 1, rank)), share
    if measure.name == "RR":
        return within(lambda rank, before: ZERO if before else Fraction(1, rank)), one
    discount = measure.discount or "log2"
    assert measure.name in ("DCG", "nDCG")
    assert measure.gain in (None, "linear")
    assert set(truth.values()) <= {0, 1}
    norm = one
    if measure.name == "nDCG":
        # Unlike the ranking the ideal may be longer than the list, so its cutoff is the measure's own.
        ideal = sum((discount_at(i, discount) for i in range(1, min(measure.k or total, total) + 1)), ZERO)
        norm = 1 / ideal if ideal else ZERO
    return within(lambda rank, before: discount_at(rank, discount)), norm


# ---------------------------------------------------------------------------------------------------------------------
# Files


def read_run(path: Path) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        topic, _, doc, _, score, _ = line.split()
        run.setdefault(topic, {})[doc] = float(score)
    return run


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines():
        topic, _, doc, grade = line.split()
        qrels.setdefault(topic, {})[doc] = int(grade)
    return qrels
