"""Verdicts against all grades that unjudged documents may have, in exact fractions, on random instances."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

import untied
from commands import Command
from nightly import many, seeded
from oracle import binary, graded, partial, users
from oracle.difference import Score
from oracle.verdicts import NOTHING, Case, difference, extremes, largest, overturn

#: Queries a measure: each is an instance in both directions.
INSTANCES = many(60, nightly=5000)
#: The same of tied rankings, whose orders are all tried.
TIED = many(10, nightly=5000)
TOLERANCE = 1e-9


class Form(NamedTuple):
    """A measure: its name, its definition, the grades of the scale."""

    name: str
    score: Score
    grades: tuple[int, ...] = (0, 1)
    #: Whether all ceilings are reached without a search for each.
    steps: bool = True
    #: Whether the mean over orders of ties is found exactly.
    ties: bool = True
    #: Whether bounds over all orders of ties are.
    any_order: bool = True


FORMS = [
    Form("P@3", lambda order, truth: binary.precision(order, truth, 3)),
    Form("P(rel=2)@3", lambda order, truth: binary.precision(order, truth, 3, 2), (0, 2)),
    Form("Hits@2", lambda order, truth: binary.hits_within(order, truth, 2)),
    Form("R@3", lambda order, truth: binary.recall(order, truth, 3)),
    Form("F1@3", lambda order, truth: binary.f1(order, truth, 3)),
    Form("RBP(p=0.75)", lambda order, truth: users.rbp(order, truth, None, Fraction(3, 4))),
    Form(
        "RBP(p=0.75, max_grade=2)@3",
        lambda order, truth: users.rbp(order, truth, 3, Fraction(3, 4), max_grade=2),
        (0, 1, 2),
    ),
    Form("DCG(discount='inverse')@3", lambda order, truth: graded.dcg(order, truth, 3, "linear", "inverse"), (0, 1, 2)),
    Form("nDCG(discount='inverse')@3", lambda order, truth: graded.ndcg(order, truth, 3, "linear", "inverse")),
    Form("nDCG", graded.ndcg),
    Form(
        "nDCG(discount='inverse')",
        lambda order, truth: graded.ndcg(order, truth, None, "linear", "inverse"),
        (0, 1, 2),
        any_order=False,
    ),
    Form(
        "nDCG(gain='exp2', discount='inverse')@3",
        lambda order, truth: graded.ndcg(order, truth, 3, "exp2", "inverse"),
        (0, 1, 2),
        any_order=False,
    ),
    Form("RR", binary.rr),
    Form("RR@2", lambda order, truth: binary.rr(order, truth, 2)),
    Form("Success@2", lambda order, truth: binary.success(order, truth, 2)),
    Form("Rprec", binary.rprec),
    Form("AP", binary.ap, steps=False, ties=False, any_order=False),
    Form("AP@3", lambda order, truth: binary.ap(order, truth, 3), steps=False, ties=False, any_order=False),
    Form(
        "ERR(max_grade=2)@3",
        lambda order, truth: users.err(order, truth, 3, 2),
        (0, 1, 2),
        steps=False,
        ties=False,
        any_order=False,
    ),
    Form("Bpref", binary.bpref, ties=False, any_order=False),
    Form(
        "Bpref(variant='paper')",
        lambda order, truth: binary.bpref(order, truth, 1, "paper"),
        ties=False,
        any_order=False,
    ),
    Form("Bpref(extra=1)", lambda order, truth: binary.bpref(order, truth, 1, extra=1), ties=False, any_order=False),
    Form(
        "ERR(max_grade=1)",
        lambda order, truth: users.err(order, truth, None, 1),
        steps=False,
        ties=False,
        any_order=False,
    ),
]


#: Measures whose bounds are searched for by way of those of either run.
SEARCHED = [
    Form("ADR", partial.adr, (0, 1, 2), steps=False, ties=False, any_order=False),
    Form("ADR@2", lambda order, truth: partial.adr(order, truth, 2), (0, 1, 2), False, False, False),
    Form("PairConcordance", partial.pair_concordance, (0, 1, 2), False, False, False),
    Form(
        "Compat(depth=3, p=0.5)",
        lambda order, truth: partial.compat(order, truth, Fraction(1, 2), 3),
        (0, 1, 2),
        False,
        False,
        False,
    ),
    Form("Rnorm(collection=9)", lambda order, truth: binary.r_norm(order, truth, 1, 9), (0, 1), False, False, False),
    Form("RelP@2", lambda order, truth: binary.relp(order, truth, 2), (0, 1), False, False, False),
    Form("AllFound@2", lambda order, truth: binary.all_found(order, truth, 2), (0, 1), False, False, False),
]


def drawn(seed: str, grades: Sequence[int], ties: bool, n: int) -> list[Case]:
    """Random cases: partial overlap, near copies, prefixes, empty rankings; free documents in some."""
    chance = seeded(seed)
    pool = [f"d{i}" for i in range({2: 5, 3: 4}[len(grades)])]

    def ranking(docs: list[str]) -> list[list[str]]:
        groups: list[list[str]] = []
        for doc in docs:
            if groups and ties and chance.random() < 0.4:
                groups[-1].append(doc)
            else:
                groups.append([doc])
        return groups

    def one() -> Case:
        a = chance.sample(pool, chance.choice([0, 1, 2, 3, 4, len(pool), len(pool)]))
        kind = chance.choice(["random", "copy", "prefix", "other", "other"])
        b = chance.sample(pool, chance.randrange(len(pool) + 1))
        if kind == "copy" and len(a) > 1:
            b = list(a)
            place = chance.randrange(len(b) - 1)
            b[place], b[place + 1] = b[place + 1], b[place]
        elif kind == "prefix":
            b = a[: chance.randrange(len(a) + 1)]
        share = chance.choice([0, 0.3, 0.7, 1])
        known = {doc: chance.choice(grades) for doc in [*pool, "x", "y"] if chance.random() < share}
        free = [f"free{i}" for i in range(chance.choice([0, 0, 0, 1, 4 - len(grades)]))]
        return Case(ranking(a), ranking(b), known if known or free else {"nothing": 0}, free)

    return [one() for _ in range(n)]


def as_run(cases: dict[str, Case], side: str) -> dict[str, dict[str, float]]:
    """One of the rankings of every case; those without documents are missing, and one query more is not judged."""
    rankings = {query: getattr(case, side) for query, case in cases.items()}
    if not any(rankings.values()):  # a run of other queries alone is refused
        return {query: {} for query in rankings}
    return {"other": {"d0": 1.0}} | {
        query: {doc: -float(place) for place, group in enumerate(groups) for doc in group}
        for query, groups in rankings.items()
        if groups
    }


def certified(cases: dict[str, Case], measure: str, **options: Any) -> Any:
    """Verdicts about all cases as queries of two runs; a query that neither has knows the highest grade."""
    qrels = {query: {**case.known, **dict.fromkeys(case.free, -1)} for query, case in cases.items()}
    runs = {"a": as_run(cases, "a"), "b": as_run(cases, "b")}
    return untied.certify(qrels, runs, measure, unretrieved="pooled", **options)


def given(case: Case, grades: Any) -> dict[str, Any]:
    """The grades of unknown documents of a case, those that neither ranking has in any order."""
    return {**grades.documents, **dict(zip(case.free, grades.elsewhere, strict=False))}


def with_scale(cases: Sequence[Case], grades: Sequence[int]) -> list[Case]:
    """All of them, the highest grade being known in each."""
    return [Case(case.a, case.b, {**case.known, "top": grades[-1]}, case.free) for case in cases]


@pytest.mark.parametrize("most", [None, 1, 2], ids=["any", "most1", "most2"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_all_grades(form: Form, most: int | None) -> None:
    count = INSTANCES if most is None else INSTANCES // 4
    cases = drawn(f"{form.name} {most}", form.grades, False, count)
    if len(form.grades) > 2 or form.grades[-1] > 1:
        cases = with_scale(cases, form.grades)
    queries = {f"q{i:05}": case for i, case in enumerate(cases)}
    found = certified(queries, form.name, most=most).explain("a", "b", form.name)
    assert len(found.queries) == len(cases)
    for (query, case), one in zip(queries.items(), found.queries, strict=True):
        assert one.query == query
        ends = extremes(form.score, case, form.grades)
        low, high = map(float, ends[-1 if most is None else min(most, len(ends) - 1)])
        assert (one.low, one.high) == (pytest.approx(low, abs=TOLERANCE), pytest.approx(high, abs=TOLERANCE))
        for witness, end in ((one.lowest, low), (one.highest, high)):
            grades = given(case, witness)
            assert set(grades) <= set(case.unknown)
            assert sum(grade > 0 for grade in grades.values()) <= (len(case.unknown) if most is None else most)
            assert float(difference(form.score, case, grades)) == pytest.approx(witness.difference, abs=TOLERANCE)
            assert witness.difference == pytest.approx(end, abs=TOLERANCE)
    assert found.verdict.is_exact


@pytest.mark.parametrize("most", [None, 1], ids=["any", "most1"])
@pytest.mark.parametrize("ties", ["expected", "range"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_all_grades_of_tied_rankings(form: Form, ties: str, most: int | None) -> None:
    """The mean over all orders, and any order of either ranking."""
    cases = drawn(f"{form.name} {ties} {most}", form.grades, True, TIED if most is None else many(5, nightly=1250))
    if len(form.grades) > 2 or form.grades[-1] > 1:
        cases = with_scale(cases, form.grades)
    queries = {f"q{i:05}": case for i, case in enumerate(cases)}
    found = certified(queries, form.name, ties=ties, most=most).explain("a", "b", form.name)
    is_exact = form.any_order if ties == "range" else form.ties
    for case, one in zip(cases, found.queries, strict=True):
        ends = extremes(form.score, case, form.grades, any_order=ties == "range")
        low, high = map(float, ends[-1 if most is None else min(most, len(ends) - 1)])
        assert one.low <= low + TOLERANCE
        assert one.high >= high - TOLERANCE
        if not is_exact and case.unknown and not found.verdict.is_exact:
            continue
        assert (one.low, one.high) == (pytest.approx(low, abs=TOLERANCE), pytest.approx(high, abs=TOLERANCE))
        over = {"low": (min, max), "high": (max, min)} if ties == "range" else {"low": (), "high": ()}
        for witness, end, orders in ((one.lowest, low, over["low"]), (one.highest, high, over["high"])):
            grades = given(case, witness)
            assert sum(grade > 0 for grade in grades.values()) <= (len(case.unknown) if most is None else most)
            assert float(difference(form.score, case, grades, *orders)) == pytest.approx(end, abs=TOLERANCE)
    assert found.verdict.is_exact or not is_exact


@pytest.mark.parametrize("ties", ["expected", "range"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_tied_rankings_that_are_judged_as_a_whole(form: Form, ties: str) -> None:
    """Nothing is open but, with ``range``, the order of ties; verdicts and overturn numbers say so."""
    cases = drawn(f"{form.name} {ties} judged", form.grades, True, TIED)
    cases = [
        Case(case.a, case.b, dict.fromkeys(case.unknown, 0) | {"top": form.grades[-1]} | dict(case.known))
        for case in cases
    ]
    queries = {f"q{i:05}": case for i, case in enumerate(cases)}
    found = certified(queries, form.name, ties=ties).explain("a", "b", form.name)
    ends = [extremes(form.score, case, form.grades, any_order=ties == "range")[0] for case in cases]
    if ties == "expected" or not form.name.startswith("nDCG"):
        assert found.verdict.is_exact
        assert found.verdict.low == pytest.approx(float(sum(low for low, _ in ends)) / len(ends), abs=TOLERANCE)
        assert found.verdict.high == pytest.approx(float(sum(high for _, high in ends)) / len(ends), abs=TOLERANCE)
    if ties == "expected" and abs(found.verdict.low) > 1e-9:
        assert found.verdict.verdict == ("A" if found.verdict.low > 0 else "B")
        assert found.verdict.overturn == found.verdict.largest_m == float("inf")


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # small instances often have nothing in common
@pytest.mark.parametrize("most", [None, 1], ids=["any", "most1"])
@pytest.mark.parametrize("ties", ["docid", "expected", "range"])
@pytest.mark.parametrize("form", SEARCHED, ids=lambda form: form.name)
def test_measures_without_a_solver_are_searched(form: Form, ties: str, most: int | None) -> None:
    """Bounds hold, and are reached where they say so; grades lead to the differences that they are said to lead to."""
    cases = with_scale(
        drawn(f"{form.name} {ties} {most} searched", form.grades, ties != "docid", many(6, nightly=5000)), form.grades
    )
    queries = {f"q{i:05}": case for i, case in enumerate(cases)}
    exact = 0
    for query, case in queries.items():
        found = certified(
            {query: case, "other": with_scale([AWKWARD["all judged"]], form.grades)[0]}, form.name, ties=ties, most=most
        )
        [one] = [one for one in found.explain("a", "b", form.name).queries if one.query == query]
        ends = extremes(form.score, case, form.grades, any_order=ties == "range")
        low, high = map(float, ends[-1 if most is None else min(most, len(ends) - 1)])
        assert one.low <= low + TOLERANCE
        assert one.high >= high - TOLERANCE
        if found["a", "b"][form.name].is_exact:
            exact += 1
            assert (one.low, one.high) == (pytest.approx(low, abs=TOLERANCE), pytest.approx(high, abs=TOLERANCE))
        if ties != "range":
            for witness in (one.lowest, one.highest):
                grades = given(case, witness)
                assert sum(grade > 0 for grade in grades.values()) <= (len(case.unknown) if most is None else most)
                assert float(difference(form.score, case, grades)) == pytest.approx(witness.difference, abs=TOLERANCE)
    assert exact > len(cases) / 5 or ties == "range"


#: Cases that mistakes are made of: rankings a and b, grades, documents that neither has (certify.md, section 9).
AWKWARD = {
    "no assignment puts A ahead": Case([["u"]], [["v"], ["u"]], {"n": 0}),
    "only B has the unknown document": Case([["n"]], [["u"]], {"n": 0}),
    "a document of neither dilutes": Case([["n"]], [["r"], ["u"]], {"r": 1, "n": 0}, ["f", "g"]),
    "the cutoff passes another document": Case([["u"], ["r"], ["v"]], [["n"], ["v"], ["r"]], {"r": 1, "n": 0}),
    "a grade between": Case([["u"], ["r"], ["n"]], [["r"], ["v"], ["u"]], {"r": 1, "n": 0, "elsewhere": 1}),
    "everything may be relevant": Case([["u"], ["v"]], [["v"], ["w"]], {"z": 1}),
    "fewer non-relevant documents": Case([["u"], ["r"]], [["s"], ["u"]], {"r": 1, "s": 1, "t": 1}),
    "rankings are short": Case([["u"]], [["v"]], {"r": 1, "s": 1, "n": 0, "o": 0, "p": 0}),
    "rotated": Case([[x] for x in "abcdef"], [[x] for x in "fabcde"], {"z": 1}),
    "blocks reversed": Case([[x] for x in "abcdef"], [[x] for x in "cbafed"], {"z": 1}),
    "equal": Case([[x] for x in "abcd"], [[x] for x in "abcd"], {"b": 1, "z": 1}, ["f"]),
    "B is empty": Case([[x] for x in "abcd"], [], {"b": 1, "z": 1}),
    "a prefix": Case([[x] for x in "abcde"], [[x] for x in "abc"], {"b": 0, "z": 1}),
    "all judged": Case([["r"], ["n"]], [["n"], ["r"]], {"r": 1, "n": 0}),
}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_awkward_cases(form: Form) -> None:
    top = form.grades[-1]
    cases = {
        query: Case(case.a, case.b, {doc: grade * top for doc, grade in case.known.items()} | {"top": top}, case.free)
        if top > 1
        else case
        for query, case in AWKWARD.items()
    }
    found = certified(cases, form.name).explain("a", "b", form.name)
    assert [one.query for one in found.queries] == sorted(cases)
    for one in found.queries:
        low, high = map(float, extremes(form.score, cases[one.query], form.grades)[-1])
        assert (one.low, one.high) == (pytest.approx(low, abs=TOLERANCE), pytest.approx(high, abs=TOLERANCE))
        if one.query == "equal":
            assert (one.low, one.high) == (0, 0)
        if one.query == "all judged":
            assert one.low == one.high


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # nothing in common is what this is about
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_beside_an_empty_ranking_bounds_are_those_of_the_other(form: Form) -> None:
    """They are found in other ways where a run is evaluated alone."""
    cases = with_scale(drawn(f"{form.name} alone", form.grades, False, 12), form.grades)
    queries = {f"q{i:02}": Case(case.a, [], case.known) for i, case in enumerate(cases)}
    qrels = {query: case.known for query, case in queries.items()}
    alone = untied.evaluate(qrels, as_run(queries, "a"), form.name, unjudged="range")[form.name]
    for pair in (("a", "b"), ("b", "a")):
        runs = {name: as_run(queries, name) for name in pair}
        found = untied.certify(qrels, runs, form.name)[pair][form.name]
        low, high = (found.low, found.high) if pair[0] == "a" else (-found.high, -found.low)
        assert low == pytest.approx(alone.low, abs=TOLERANCE)
        if form.name.startswith(("RBP", "ERR")):  # alone, documents after the end of a ranking count too
            assert high <= alone.high + TOLERANCE
        else:
            assert high == pytest.approx(alone.high, abs=TOLERANCE)


@pytest.mark.parametrize("most", [None, 3], ids=["any", "most3"])
def test_the_best_grades_of_many_documents_reach_what_is_said_of_ap(most: int | None) -> None:
    """Of near copies of 300 documents, AP from its definition."""
    chance = seeded("many documents")
    docs = [f"d{i:03}" for i in range(300)]
    other = list(docs)
    for i in range(0, 290, 7):
        j = i + chance.randrange(1, 6)
        other[i], other[j] = other[j], other[i]
    case = Case([[doc] for doc in docs], [[doc] for doc in other], dict.fromkeys(chance.sample(docs, 20), 1))
    found = certified({"q": case}, "AP", most=most).explain("a", "b")
    assert found.verdict.is_exact
    [one] = found.queries
    for witness, end in ((one.lowest, one.low), (one.highest, one.high)):
        assert float(difference(binary.ap, case, given(case, witness))) == pytest.approx(end, abs=TOLERANCE)
        assert most is None or len(witness.documents) <= most
    assert one.low < 0 < one.high


@pytest.mark.filterwarnings("ignore:nothing is relevant:untied.UntiedWarning")
def test_a_document_that_both_runs_have_counts_in_both() -> None:
    """x is first in A and second in B, so that A leads by a half if it is relevant. Ties stand below it."""
    qrels = {"q": {"j": 0, "k": 0, "l": 0}}
    runs = {"a": {"q": {"x": 3, "j": 1, "k": 1}}, "b": {"q": {"l": 3, "x": 2}}}
    verdict = untied.certify(qrels, runs, "AP")["a", "b"]["AP"]
    assert (verdict.low, verdict.high) == pytest.approx((0, 0.5), abs=1e-12)


def test_documents_outside_the_pool_are_non_relevant_in_bpref() -> None:
    """They are judged so: they stand above relevant ones, and count in N."""
    case = Case([["o"], ["r"], ["u"]], [["r"], ["u"], ["p"]], {"r": 1, "o": 0, "p": 0})
    qrels = {"q": {"r": 1, "u": -1}}
    runs = {"a": as_run({"q": case}, "a"), "b": as_run({"q": case}, "b")}
    [found] = untied.certify(qrels, runs, "Bpref", unjudged="pooled").explain("a", "b").queries
    low, high = map(float, extremes(binary.bpref, case, (0, 1))[-1])
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert low < high


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # small instances often have nothing in common
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_verdicts_overturn_numbers_and_largest_m(form: Form) -> None:
    """Of three queries each, from the extremes of every number of documents."""
    cases = drawn(f"{form.name} overturned", form.grades, False, INSTANCES // 4 * 3)
    if len(form.grades) > 2 or form.grades[-1] > 1:
        cases = with_scale(cases, form.grades)
    kinds = set()
    for start in range(0, len(cases), 3):
        three = cases[start : start + 3]
        queries = {f"q{i}": case for i, case in enumerate(three)}
        all_found = certified(queries, form.name)
        found = all_found["a", "b"][form.name]
        ends = [extremes(form.score, case, form.grades) for case in three]
        low, high = (sum(query[-1][side] for query in ends) / 3 for side in (0, 1))
        truly = "A" if low > NOTHING else "B" if high < -NOTHING else "open"
        assert found.verdict == truly
        assert (found.low, found.high) == (
            pytest.approx(float(low), abs=TOLERANCE),
            pytest.approx(float(high), abs=TOLERANCE),
        )
        assert found.is_exact
        least, most = overturn(ends), largest(ends)
        true_overturn = float("inf") if least is None else least
        true_largest = float("inf") if most == -1 else most
        assert (found.overturn, found.overturn_is_exact) == (true_overturn, True)
        assert found.largest_m_is_exact or not form.steps
        assert found.largest_m == true_largest or (not found.largest_m_is_exact and found.largest_m < true_largest)
        kinds.add(truly)
        explained = all_found.explain("a", "b", form.name)
        assert explained.verdict == found
        if found.overturn_is_exact and found.overturn < float("inf"):
            chosen = [one.overturning for one in explained.queries]
            assert sum(len(one.documents) + len(one.elsewhere) for one in chosen) <= found.overturn
            differences = [
                difference(form.score, case, given(case, one)) for case, one in zip(three, chosen, strict=True)
            ]
            assert [one.difference for one in chosen] == pytest.approx(list(map(float, differences)), abs=TOLERANCE)
            now = sum(query[0][0] for query in ends)
            assert (sum(differences) if now > 0 else -sum(differences) if now < 0 else 0) <= TOLERANCE
    assert {"open"} < kinds


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
@pytest.mark.parametrize("name", ["AP", "AP@3", "ERR(max_grade=1)", "Bpref"])
def test_numbers_of_tied_rankings_say_whether_they_are_exact(name: str) -> None:
    """Beside an untied query, whose ceilings are reached."""
    form = next(form for form in FORMS if form.name == name)
    tied, untied_ = (drawn(f"{name} {ties} beside", form.grades, ties, many(100)) for ties in (True, False))
    seen = set()
    for pair in zip(tied, untied_, strict=True):
        found = certified({f"q{i}": case for i, case in enumerate(pair)}, name)["a", "b"][name]
        ends = [extremes(form.score, case, form.grades) for case in pair]
        least, most = overturn(ends), largest(ends)
        true_overturn, true_largest = float("inf") if least is None else least, float("inf") if most == -1 else most
        assert found.overturn == true_overturn or (not found.overturn_is_exact and found.overturn < true_overturn)
        assert found.largest_m == true_largest or (not found.largest_m_is_exact and found.largest_m < true_largest)
        seen.add((found.overturn_is_exact, found.largest_m_is_exact))
    assert {(True, True), (False, False)} <= seen


def test_a_largest_m_from_bounds_that_are_not_reached_says_so() -> None:
    """The first query is tied, so its ceilings only enclose; the second one decides the overturn number alone."""
    cases = {
        "q0": Case([["d0"], ["d4", "d3"], ["d1", "d2"]], [["d0"]], {"d0": 0, "d1": 1, "d3": 0, "d4": 1}, ["f", "g"]),
        "q1": Case([["d3"], ["d1"], ["d4"]], [["d1"], ["d4"], ["d2"]], {}, ["f", "g"]),
    }
    form = next(form for form in FORMS if form.name == "ERR(max_grade=1)")
    found = certified(cases, form.name)["a", "b"][form.name]
    ends = [extremes(form.score, case, form.grades) for case in cases.values()]
    assert (found.overturn, found.overturn_is_exact) == (2, True) == (overturn(ends), True)
    assert (found.largest_m, found.largest_m_is_exact) == (0, False)
    assert largest(ends) == 1


def test_verdicts_have_the_notes_of_the_command_line(untied_: Command, tmp_path: Path) -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1, "d3": 0}}
    runs = {"a": {"q1": {"d1": 1, "d2": 1}, "q2": {"d2": 2, "d3": 1}, "q9": {"d": 1}}, "b": {"q1": {"d2": 2, "d1": 1}}}
    for name, content in {"qrels": qrels, **runs}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    files = [tmp_path / f"{name}.json" for name in ("qrels", "a", "b")]
    said = json.loads(untied_("certify", *files, "-m", "AP", "--format", "json")[1])["notes"]
    found = untied.certify(qrels, runs, "AP")
    lines = repr(found).splitlines()
    assert lines[2:] == [f"note: {note}" for note in said[:-1]]  # the answer in words stands above the table there
    assert len(lines) == 5
    assert lines[-1] == "note: bounds of the difference that may be wider than necessary: 1 of AP"
    assert repr(found["a", "b"]["AP"]).endswith("largest_m=inf, is_exact=False)")
    exact = untied.certify(qrels, runs, "P@1")["a", "b"]["P@1"]
    assert "exact" not in repr(exact)


def test_an_explanation_names_each_case_once(untied_: Command, tmp_path: Path) -> None:
    """On a screen; in files, every row stands for itself."""
    (tmp_path / "qrels").write_text("q 0 z 1\nr 0 z 1\n")
    for name, docs in {"a": "abc", "b": "xyb"}.items():
        lines = [f"{query} Q0 {doc} 0 -{i} t\n" for query in "qr" for i, doc in enumerate(docs)]
        (tmp_path / name).write_text("".join(lines))
    line = ["certify", *(tmp_path / name for name in ("qrels", "a", "b")), "-m", "P@2", "--explain", "a", "b"]
    rows = json.loads(untied_(*line, "--format", "json")[1])["results"]
    cases = [tuple(row[name] for name in ("measure", "query", "bound", "difference")) for row in rows]
    assert len(rows) > len(set(cases)) >= 4
    assert all(len(text.split("\t")) == 6 and all(text.split("\t")) for text in untied_(*line)[1].splitlines())
    for style in ("table", "md", "latex"):
        text = untied_(*line, "--format", style)[1]
        assert text.count("P@2") == len(set(cases))
        assert sum(row["document"] in text.replace("document", "") for row in rows) == len(rows)
    shown = [one.split() for one in untied_(*line, "--format", "table")[1].splitlines()[2:]]
    above: list[str] = []
    for row, words in zip(rows, shown, strict=True):
        above = above if len(words) == 2 else [*words[:3], words[4]]
        assert above == [row["measure"], row["query"], row["bound"], f"{row['difference']:.4f}"]
        assert words[-1] == f"{row['grade']:g}"
        assert row["document"] in words


@pytest.mark.parametrize("number", range(many(12)))
def test_names_change_no_verdict_and_no_law(number: int) -> None:
    """Other names of documents and queries change no bit of verdicts; laws of means are added in another order then."""
    measures = ["AP", "nDCG@3", "P@3", "RR", "RBP(p=0.5)", "Bpref"]
    rng = seeded(f"names {number}")
    docs, queries = [f"d{i}" for i in range(9)], [f"q{i}" for i in range(3)]
    new_docs = dict(zip(docs, rng.sample([f"n{i}" for i in range(50)], len(docs)), strict=True))
    new_queries = dict(zip(queries, rng.sample(queries, len(queries)), strict=True))

    def drawn(documents: int) -> dict[str, dict[str, int]]:
        return {query: {doc: rng.randrange(3) for doc in rng.sample(docs, documents)} for query in queries}

    def renamed(table: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
        return {
            new_queries[query]: {new_docs[doc]: number for doc, number in reversed(row.items())}
            for query, row in reversed(table.items())
        }

    qrels, runs = drawn(5), {"one": drawn(6), "two": drawn(6)}
    new_qrels, new_runs = renamed(qrels), {run: renamed(table) for run, table in runs.items()}
    old, new = (
        untied.certify(truth, tables, measures)["one", "two"]
        for truth, tables in ((qrels, runs), (new_qrels, new_runs))
    )
    assert [repr(new[name]) for name in measures] == [repr(old[name]) for name in measures]
    old_laws, new_laws = (
        untied.distributions(truth, tables, measures).means.to_dicts()
        for truth, tables in ((qrels, runs), (new_qrels, new_runs))
    )
    for one, other in zip(old_laws, new_laws, strict=True):
        assert {name: pytest.approx(cell, abs=1e-12) if isinstance(cell, float) else cell
                for name, cell in one.items()} == other  # fmt: skip


def test_possible_ranks_count_runs_that_are_certainly_better_and_worse() -> None:
    runs = {"first": {"q": ["a", "b"]}, "second": {"q": ["b", "a"]}, "open": {"q": ["x", "b"]}}
    found = untied.certify({"q": {"a": 1, "b": 0}}, runs, "RR")
    ranks = {row["run"]: (row["best"], row["worst"]) for row in found.ranks.to_dicts()}
    assert ranks == {"first": (1, 2), "second": (2, 3), "open": (1, 3)}


def test_average_precision_keeps_every_document_that_could_be_relevant() -> None:
    """Two long rankings, where bounds that rule out too much would end the search at 0.71390."""
    ranking = [f"d{number}" for number in range(40)]
    runs = {"a": {"q": ranking}, "b": {"q": Random(19).sample(ranking, len(ranking))}}
    with pytest.warns(untied.UntiedWarning, match="no document"):
        [row] = untied.certify({"q": {"other": 1}}, runs, "AP@20").table.to_dicts()
    assert (row["low"], row["high"]) == pytest.approx((-0.7750412355675513, 0.7224489795918366), abs=1e-12)
