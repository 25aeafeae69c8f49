"""MED and Delta against all assignments of grades, in exact fractions, on random instances."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

import untied
from nightly import many, seeded
from oracle import binary, graded, users
from oracle.difference import Allowed, Score, differences
from oracle.judgements import Groups

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "golden.json").read_text())["cases"]
INSTANCES = many(60, nightly=2000)


class Instance(NamedTuple):
    """Two rankings and what is known."""

    a: Groups
    b: Groups
    known: dict[str, int]


class Form(NamedTuple):
    """A measure: its name, its definition, the grades of the scale, and the cutoff that rankings are filled to."""

    name: str
    score: Score
    grades: tuple[int, ...]
    k: int | None
    #: What follows the measure in MED.
    options: str = ""
    allowed: Allowed = lambda known, drawn: True
    #: Lengths that rankings may have; any where there are none.
    lengths: tuple[int, ...] = ()
    #: Whether the score depends on the ranking's own documents alone.
    local: bool = True
    #: Lengths of documents.
    docs: Mapping[str, int] | None = None


def fixed_ndcg(k: int, top: int, **options: Any) -> Score:
    """NDCG whose ideal ranking has the highest grade at all k ranks."""
    best = [f"best{i}" for i in range(k)]
    ideal = graded.dcg(best, dict.fromkeys(best, top), k, **options)
    return lambda order, truth: graded.dcg(order, truth, k, **options) / ideal


def all_judged_bpref(order: Sequence[str], truth: Mapping[str, int], k: int) -> Fraction:
    """Bpref where R and the non-relevant documents that count are the depth: so many there may be."""
    total, above = Fraction(0), 0
    for doc in order[:k]:
        if truth[doc]:
            total += 1 - Fraction(above, k)
        else:
            above += 1
    return total / k


def one_a_grade(known: Mapping[str, int], drawn: Sequence[int]) -> bool:
    """At most one document has grade 1, and one grade 2, unless more are judged so."""
    judged = list(known.values())
    return all(drawn.count(grade) <= max(0, 1 - judged.count(grade)) for grade in (1, 2))


def one_of_the_best(known: Mapping[str, int], drawn: Sequence[int]) -> bool:
    """At most one document has grade 2, unless more are judged so; any number has grade 1."""
    return drawn.count(2) <= max(0, 1 - list(known.values()).count(2))


def read(name: str, measure: Callable[..., Fraction], docs: Mapping[str, int], **options: Any) -> Form:
    """A measure that looks at lengths; nobody knows how long a document would be that fills a ranking."""
    return Form(name, lambda order, truth: measure(order, truth, docs, **options), BINARY, None, docs=docs)


BINARY, SCALE = (0, 1), (0, 1, 2)
#: Some are never finished, some cost all that comes after them.
CHARACTERS = {"a": 2, "b": 3, "c": 0, "d": 2, "e": 4}
WORDS = {"a": 100, "b": 9000, "c": 0, "d": 1500, "e": 100}
FORMS = [
    Form("P@3", lambda order, truth: binary.precision(order, truth, 3), BINARY, 3),
    Form("P(rel=2)@3", lambda order, truth: binary.precision(order, truth, 3, 2), SCALE, 3),
    Form("DCG@3", lambda order, truth: graded.dcg(order, truth, 3), SCALE, 3),
    Form("nDCG@3", fixed_ndcg(3, 2), SCALE, 3),
    Form("nDCG(gain='exp2', discount='inverse')@3", fixed_ndcg(3, 2, gain="exp2", discount="inverse"), SCALE, 3),
    Form("RBP(p=0.7)@4", lambda order, truth: users.rbp(order, truth, 4, Fraction(7, 10)), BINARY, 4),
    Form("AP@3", lambda order, truth: binary.ap(order, truth, 3, recall_base=3), BINARY, 3),
    Form("AP@4", lambda order, truth: binary.ap(order, truth, 4, recall_base=4), BINARY, 4),
    Form("RR", binary.rr, BINARY, None),
    Form("RR@3", lambda order, truth: binary.rr(order, truth, 3), BINARY, 3),
    Form("ERR(max_grade=2)@3", lambda order, truth: users.err(order, truth, 3, max_grade=2), SCALE, 3),
    Form("ERR(max_grade=1)@4", lambda order, truth: users.err(order, truth, 4, max_grade=1), BINARY, 4),
    # What is relevant counts in R, so no unknown document stands below the cutoff.
    Form("R@3", lambda order, truth: binary.recall(order, truth, 3), BINARY, 3, lengths=(0, 1, 2, 3), local=False),
    Form("F1@3", lambda order, truth: binary.f1(order, truth, 3), BINARY, 3, lengths=(0, 1, 2, 3), local=False),
    Form("Success@3", lambda order, truth: binary.success(order, truth, 3), BINARY, 3),
    Form("Bpref", lambda order, truth: all_judged_bpref(order, truth, 4), BINARY, None, lengths=(4,), local=False),
    Form(
        "AP@3",
        lambda order, truth: binary.ap(order, truth, 3),
        BINARY,
        3,
        ", R='relevant'",
        lengths=(0, 2, 3),
        local=False,
    ),
    Form("DCG@3", lambda order, truth: graded.dcg(order, truth, 3), SCALE, 3, ", per_grade=1", one_a_grade),
    Form("DCG@3", lambda order, truth: graded.dcg(order, truth, 3), SCALE, 3, ", per_grade={2: 1}", one_of_the_best),
    Form("RBP(max_grade=2)@3", lambda order, truth: users.rbp(order, truth, 3, max_grade=2), SCALE, 3),
    read("U(L=20)", users.u_measure, CHARACTERS, L=20),
    read("U(L=6, gain_at='start', norm=2)@3", users.u_measure, CHARACTERS, k=3, L=6, gain_at="start", norm=2),
    read("U(L=5)", users.u_measure, CHARACTERS, L=5),
    read("TBG", users.tbg, WORDS),
    read(
        "TBG(h=60, click_relevant=0.9, click_other=0.05)@3",
        users.tbg,
        WORDS,
        k=3,
        h=60,
        click_relevant=0.9,
        click_other=0.05,
    ),
    read("TBG(h=30, click_relevant=0.3, click_other=0.8)", users.tbg, WORDS, h=30, click_relevant=0.3, click_other=0.8),
    read("TBG(click_other=0.64)", users.tbg, WORDS, click_other=0.64),
]


def instances(
    seed: str, scale: tuple[int, ...], ties: bool, n: int, lengths: tuple[int, ...] = (), last: int | None = None
) -> dict[str, Instance]:
    """Random instances by query; few unknown documents where the scale has many grades.

    Only the tie groups count that begin within rank `last`.
    """
    chance = seeded(seed)
    pool = "abcde" if len(scale) == 2 else "abcd"

    def ranking() -> Groups:
        docs = chance.sample(pool, chance.choice(lengths or [0, 1, 2, 2, 3, 3, 3, 4, 4, len(pool)]))
        groups: list[list[str]] = []
        for place, doc in enumerate(docs):
            if groups and ties and chance.random() < 0.4:
                groups[-1].append(doc)
            elif last is None or place < last:
                groups.append([doc])
            else:
                break
        return groups

    def one() -> Instance:
        share = chance.choice([0, 0.3, 0.7, 1])
        return Instance(ranking(), ranking(), {doc: chance.choice(scale) for doc in pool if chance.random() < share})

    return {f"q{i}": one() for i in range(n)}


def compared(
    drawn: dict[str, Instance], measures: list[str], docs: Mapping[str, int] | None = None
) -> untied.Comparison:
    """All instances in one comparison."""
    runs = ({query: getattr(instance, side) for query, instance in drawn.items()} for side in ("a", "b"))
    # The scale's grades occur, so that the highest is known: in a query that neither run has.
    qrels = {query: instance.known for query, instance in drawn.items() if instance.known}
    return untied.compare(*runs, measures, qrels=qrels, docs=docs)


def holds(found: untied.Value, expected: Fraction) -> None:
    """The value, and where it is not certified an interval around it that holds the true one."""
    assert found.low is not None
    assert found.high is not None
    assert found.low - 1e-12 <= float(expected) <= found.high + 1e-12
    if found.certainty == "exact":
        assert found.mean == pytest.approx(float(expected), rel=1e-12, abs=1e-13)


def of_form(form: Form, seed: str, ties: bool, n: int) -> dict[str, Instance]:
    """Instances for a measure. Where relevant documents count in R, all are in groups that begin within the cutoff."""
    lengths = (0, 1, 3, 4, 5) if ties and form.lengths == (0, 1, 2, 3) else form.lengths
    return instances(seed, form.grades, ties, n, lengths, None if form.local else form.k)


#: What is expected of tied rankings is not known where the denominator of AP moves.
OF_TIES = [
    pytest.param(form, ties, id=form.name + form.options + "-tied" * ties)
    for form in FORMS
    for ties in (False, True)
    if not (ties and "R='relevant'" in form.options)
]


@pytest.mark.parametrize(("form", "ties"), OF_TIES)
def test_all_assignments(form: Form, ties: bool) -> None:
    drawn = of_form(form, form.name, ties, INSTANCES // 10 if ties else INSTANCES)
    top = max(form.grades)
    options = form.options + ("" if "rel=" in form.name or top == 1 else f", max_grade={top}")
    # Delta always allows any number of documents a grade.
    of_delta = re.sub(r", per_grade=(\{.*\}|\d+)", "", options)
    names = [
        f"MED({form.name}{options})",
        f"MED({form.name}{options}, direction='a-b')",
        f"MED({form.name}{options}, direction='b-a')",
        f"Delta({form.name}{of_delta})",
    ]
    found = compared(drawn, names, form.docs)
    names = found.measures
    rows = found.per_query.to_dicts()
    for start in range(0, len(rows), len(names)):
        instance = drawn[str(rows[start]["query"])]
        expected = differences(
            form.score,
            instance.a,
            instance.b,
            instance.known,
            form.grades,
            form.k,
            form.allowed,
            local=form.local,
        )
        med, up, down, delta = (
            untied.Value(row["value"], row["low"], row["high"], None, row["certainty"])
            for row in rows[start : start + len(names)]
        )
        holds(med, max(expected.up, expected.down))
        holds(up, expected.up)
        holds(down, expected.down)
        assert delta.mean == pytest.approx(float(expected.now), rel=1e-12, abs=1e-13)
        assert (
            options != of_delta
            or (delta.low, delta.high)
            == (
                pytest.approx(float(-expected.down), rel=1e-12, abs=1e-13),
                pytest.approx(float(expected.up), rel=1e-12, abs=1e-13),
            )
            or delta.certainty != "exact"
        )


def of(a: Groups, b: Groups, measure: str, qrels: Any = None) -> untied.Value:
    found = untied.compare(a, b, measure, qrels=qrels)
    return found[found.measures[0]]


GOLDEN: dict[str, Callable[[dict[str, Any]], str]] = {
    "MED-P": lambda params: f"MED(P@{params['k']})",
    "MED-nDCG": lambda params: f"MED(nDCG(discount='{params['discount']}')@{params['k']})",
    "MED-DCG": lambda params: f"MED(DCG(discount='{params['discount']}'), ties='optimistic', direction='a-b')",
    "MED-AP": lambda params: f"MED(AP@{params['k']})",
    "MED-RR": lambda params: "MED(RR)",
    "MED-ERR": lambda params: "MED(ERR(max_grade=2))",
    "MED-RBP": lambda params: (
        f"MED(RBP(p={float(Fraction(params['p']))}), tail='{'upper' if params['tail'] else 'none'}')"
    ),
}


@pytest.mark.parametrize("case", [case for case in CASES if case["measure"] in GOLDEN], ids=lambda case: case["id"])
def test_golden(case: dict[str, Any]) -> None:
    given = case["input"]
    found = of(given["a"], given["b"], GOLDEN[case["measure"]](given["params"]), given["params"].get("known"))
    assert found.mean == pytest.approx(case["float"], rel=1e-12)


def test_unseen_tail_of_rbp() -> None:
    """Any continuation of both rankings lies in the interval; Tan & Clarke's Eq. 13 is its upper end."""
    chance = seeded(13)
    docs = [f"d{i}" for i in range(8)]
    for _ in range(100):
        a, b = ([[doc] for doc in chance.sample(docs, 6)] for _ in "ab")
        head = of(a[:3], b[:3], "MED(RBP(p=0.7))")
        upper = of(a[:3], b[:3], "MED(RBP(p=0.7), tail='upper')")
        assert upper.mean == head.high == pytest.approx(head.mean + 0.7**3)
        assert head.low is not None
        longer = of(a, b, "MED(RBP(p=0.7))").mean
        assert head.low - 1e-12 <= longer <= upper.mean + 1e-12


def test_tail_of_tied_rankings() -> None:
    """What follows counts in the value, in whatever order tied documents stand."""
    a, b = [["a", "b"], ["c"]], [["c"], ["a", "d"]]
    head = of(a, b, "MED(RBP(p=0.7), ties='optimistic')")
    upper = of(a, b, "MED(RBP(p=0.7), tail='upper', ties='optimistic')")
    assert upper.mean == upper.low == upper.high == head.high == pytest.approx(head.mean + 0.7**3)


@pytest.mark.parametrize("ties", [False, True], ids=["untied", "tied"])
@pytest.mark.parametrize(
    "name",
    ["P{}@3", "Hits{}@3", "R{}@3", "F1{}@3", "RR{}@3", "Success{}@3", "AP{}@3", "Bpref{}", "RBP{}", "U{}", "TBG{}"],
)
def test_documents_that_cannot_be_relevant_change_nothing(name: str, ties: bool) -> None:
    """Where `max_grade` is below the least relevant grade; so it is with those that fill rankings."""
    a, b = ([["x", "y"]], [["z", "u"], ["x"]]) if ties else ([["x"], ["y"]], [["z"], ["x"]])
    measure = name.format("(L=9, rel=2)" if name == "U{}" else "(rel=2)")
    found = untied.compare(
        {"q": a},
        {"q": b},
        [f"MED({measure}, max_grade=1)", f"Delta({measure}, max_grade=1)"],
        qrels={"q": {"x": 2}},
        docs=dict.fromkeys("uxyz", 3),
    )
    med, delta = (found[measure] for measure in found.measures)
    assert (delta.low, delta.high) == (pytest.approx(delta.mean),) * 2
    assert (med.low, med.mean, med.high) == (pytest.approx(abs(delta.mean)),) * 3


def test_what_is_refused() -> None:
    for name, message in {
        "MED": "MED needs a measure, for instance MED\\(nDCG@20\\)",
        "MED()": "MED needs a measure",
        "MED(nDCG)@5": "takes no cutoff",
        "MED(xyz@5)": "unknown measure",
        "MED(P)": "P needs a cutoff",
        "MED(P@5, P@6)": "expected",
        "MED(P@5, direction='up')": "direction must be 'both', 'a-b' or 'b-a', not 'up'",
        "MED(P@5, max_grade=0)": "max_grade must be a number above 0",
        "MED(P@5, tail='upper')": "tail='upper' is only for",
        "MED(P@5, tail=3)": "tail must be 'none' or 'upper', not 3",
        "MED(AP)": "AP needs a cutoff",
        "MED(AP(recall_base=3)@5)": "recall_base cannot be used for a difference of two rankings",
        "MED(P(judged_only=True)@5)": "judged_only cannot be used for a difference of two rankings",
        "MED(P@5, R='relevant')": "R is only for AP, not for P@5",
        "MED(AP@5, R=0)": "R must be 'depth', 'relevant' or a whole number of at least 1, not 0",
        "MED(AP@5, R='k')": "R must be",
        "MED(P@5, per_grade=2)": "per_grade is only for DCG and nDCG",
        "MED(DCG@5, per_grade=1.5)": "per_grade must be a whole number of at least 1",
        "MED(DCG@5, per_grade={1: 1.5})": "per_grade must have whole grades of at least 1 with whole numbers",
        "MED(AP@5, ties='optimistic')": "is only for sums of gains times discounts",
        "MED(P@5, mean='geometric')": "only the arithmetic mean",
        "MED(U@5, ties='optimistic')": "is only for sums of gains times discounts",
        "MED(TBG, per_grade=2)": "per_grade is only for DCG and nDCG",
        "MED(U(judged_only=True)@5)": "judged_only cannot be used for a difference of two rankings",
        "P@5": "it does not compare two|unknown measure",
    }.items():
        with pytest.raises(untied.MeasureError, match=message):
            untied.compare(["a"], ["b"], name)


#: Normalisers that nothing changes.
FIXED = {"P@3", "DCG@3", "nDCG@3", "RBP(p=0.7)@4", "AP@3", "RR@3", "ERR(max_grade=2)@3"}


# Small random rankings need not have a document in common.
@pytest.mark.filterwarnings("ignore::untied.errors.UntiedWarning")
@pytest.mark.parametrize("ties", [False, True], ids=["untied", "tied"])
def test_properties(ties: bool) -> None:
    """Symmetric; the triangle inequality holds; a judgment never adds to the largest difference."""
    drawn = list(instances("properties", SCALE, ties, many(300)).values())
    names = [f"MED({form.name}, max_grade=2)" for form in FORMS if form.name in FIXED]
    for one, two in zip(drawn[::2], drawn[1::2], strict=True):
        known = {doc: grade for doc, grade in one.known.items() if doc != "a"}
        pairs = {"ab": (one.a, one.b), "ba": (one.b, one.a), "bc": (one.b, two.a), "ac": (one.a, two.a)}
        runs = ({query: pair[side] for query, pair in pairs.items()} for side in (0, 1))
        found = untied.compare(*runs, names, qrels=dict.fromkeys(pairs, known) if known else None)
        judged = untied.compare(one.a, one.b, names, qrels={**known, "a": one.known.get("a", 2)})
        for name in found.measures:
            values = {pair: found.value(name, pair) for pair in pairs}
            assert values["ab"].mean == pytest.approx(values["ba"].mean, abs=1e-13)
            assert (values["ac"].high or 0) <= (values["ab"].high or 0) + (values["bc"].high or 0) + 1e-12
            assert judged[name].mean <= (values["ab"].high or 0) + 1e-12


@pytest.mark.parametrize("direction", ["both", "a-b", "b-a"])
def test_no_value_of_tied_rankings_where_none_is_known(direction: str) -> None:
    found = of([["a", "b"], ["c"]], [["b"], ["a"], ["d"]], f"MED(AP@3, R='relevant', direction='{direction}')")
    assert math.isnan(found.mean)
    assert (found.low, found.high, found.certainty) == (None, None, "exact")


def test_what_med_is_not() -> None:
    """No metric (errata of Tan & Clarke): different rankings at distance 0, a ranking at a distance from itself."""
    assert of([["a"], ["b"]], [["b"], ["a"]], "MED(P@2)").mean == 0
    ranking = [["a"], ["b"], ["c"]]
    assert of(ranking, ranking, "MED(RBP(p=0.9), tail='upper')").mean == pytest.approx(0.729)


def test_a_search_goes_on_where_its_first_assignment_is_not_the_best() -> None:
    """The first one found is worth 0.71295: with a bound that is too low, the search would end there."""
    ranking = [f"d{number}" for number in range(80)]
    other = Random(1664).sample(ranking, len(ranking))
    found = untied.compare({"q": ranking}, {"q": other}, "MED(AP@40)")["MED(AP@40)"]
    assert (found.mean, found.high) == pytest.approx((0.7130572692609956,) * 2, abs=1e-12)
