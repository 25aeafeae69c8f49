"""Verdicts against all grades that unjudged documents may have, in exact fractions, on random instances."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

import untied
from nightly import SEED, seeded
from oracle import binary, graded, users
from oracle.difference import Score
from oracle.verdicts import Case, difference, extremes, largest, overturn

#: Queries a measure: each is an instance in both directions.
INSTANCES = 5000 if SEED else 120
TOLERANCE = 1e-9


class Form(NamedTuple):
    """A measure: its name, its definition, the grades of the scale."""

    name: str
    score: Score
    grades: tuple[int, ...] = (0, 1)
    #: Whether all ceilings are reached, and not only the last.
    steps: bool = True
    #: Whether the mean over orders of ties is found exactly.
    ties: bool = True


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
        "nDCG(discount='inverse')", lambda order, truth: graded.ndcg(order, truth, None, "linear", "inverse"), (0, 1, 2)
    ),
    Form(
        "nDCG(gain='exp2', discount='inverse')@3",
        lambda order, truth: graded.ndcg(order, truth, 3, "exp2", "inverse"),
        (0, 1, 2),
    ),
    Form("RR", binary.rr, ties=False),
    Form("RR@2", lambda order, truth: binary.rr(order, truth, 2), ties=False),
    Form("Success@2", lambda order, truth: binary.success(order, truth, 2), ties=False),
    Form("Rprec", binary.rprec, ties=False),
    Form("AP", binary.ap, steps=False, ties=False),
    Form("AP@3", lambda order, truth: binary.ap(order, truth, 3), steps=False, ties=False),
    Form("ERR(max_grade=2)@3", lambda order, truth: users.err(order, truth, 3, 2), (0, 1, 2), steps=False, ties=False),
    Form("Bpref", binary.bpref, ties=False),
    Form("Bpref(variant='paper')", lambda order, truth: binary.bpref(order, truth, 1, "paper"), ties=False),
    Form("Bpref(extra=1)", lambda order, truth: binary.bpref(order, truth, 1, extra=1), ties=False),
    Form("ERR(max_grade=1)", lambda order, truth: users.err(order, truth, None, 1), steps=False, ties=False),
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
    """One of the rankings of every case; those without documents are missing, and one query is not judged."""
    rankings = {query: getattr(case, side) for query, case in cases.items()}
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
        assert one.low <= low + TOLERANCE
        assert one.high >= high - TOLERANCE
        if most is None or form.steps:
            assert (one.low, one.high) == (pytest.approx(low, abs=TOLERANCE), pytest.approx(high, abs=TOLERANCE))
        for witness, end in ((one.lowest, low), (one.highest, high)):
            grades = given(case, witness)
            assert set(grades) <= set(case.unknown)
            assert sum(grade > 0 for grade in grades.values()) <= (len(case.unknown) if most is None else most)
            assert float(difference(form.score, case, grades)) == pytest.approx(witness.difference, abs=TOLERANCE)
            if most is None or form.steps:
                assert witness.difference == pytest.approx(end, abs=TOLERANCE)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_all_grades_and_the_mean_over_orders(form: Form) -> None:
    cases = drawn(f"{form.name} tied", form.grades, True, INSTANCES // 6)
    if len(form.grades) > 2 or form.grades[-1] > 1:
        cases = with_scale(cases, form.grades)
    queries = {f"q{i:05}": case for i, case in enumerate(cases)}
    found = certified(queries, form.name).explain("a", "b", form.name)
    for case, one in zip(cases, found.queries, strict=True):
        low, high = map(float, extremes(form.score, case, form.grades)[-1])
        assert one.low <= low + TOLERANCE
        assert one.high >= high - TOLERANCE
        if form.ties:
            assert (one.low, one.high) == (pytest.approx(low, abs=TOLERANCE), pytest.approx(high, abs=TOLERANCE))
    assert form.ties or not found.verdict.is_exact


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
        truly = "A" if low > 0 else "B" if high < 0 else "open"
        assert found.verdict == truly
        assert (found.low, found.high) == (
            pytest.approx(float(low), abs=TOLERANCE),
            pytest.approx(float(high), abs=TOLERANCE),
        )
        assert found.is_exact
        least, most = overturn(ends), largest(ends)
        true_overturn = float("inf") if least is None else least
        true_largest = float("inf") if most == -1 else most
        if found.overturn_is_exact:
            assert found.overturn == true_overturn
        else:
            assert not form.steps
            assert found.overturn <= true_overturn
        if form.steps or true_largest in (None, float("inf")):
            assert found.largest_m == true_largest
        else:
            assert found.largest_m <= true_largest
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
