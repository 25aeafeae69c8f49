"""Under the grades that MED names, the two rankings are as far apart as it says."""

from __future__ import annotations

from fractions import Fraction

import pytest

import untied
from nightly import many
from oracle.difference import differences, filled
from oracle.enumeration import permutations
from oracle.judgements import Groups
from test_med import FORMS, OF_TIES, Form, Instance, compared, instances, of_form


def judged(form: Form, instance: Instance, found: untied.Assignment) -> tuple[list[Groups], dict[str, int]]:
    """Both rankings up to the cutoff, and what is then known of every document."""
    rankings = [filled(instance.a, form.k, "+a"), filled(instance.b, form.k, "+b")]
    truth = {doc: 0 for ranking in rankings for group in ranking for doc in group}
    truth |= instance.known | {doc: int(grade) for doc, grade in found.grades.items()}
    ahead = "+a" if found.direction == "a-b" else "+b"
    lacking = [doc for doc in truth if doc.startswith(ahead)]
    truth |= {doc: int(grade) for doc, grade in zip(lacking, found.filling, strict=form.k is not None)}
    return rankings, truth


def flat(ranking: Groups) -> list[str]:
    return [doc for group in ranking for doc in group]


def scores(form: Form, ranking: Groups, truth: dict[str, int]) -> list[Fraction]:
    return [form.score(order, truth) for order in permutations(ranking)]


@pytest.mark.parametrize(("form", "ties"), OF_TIES)
def test_the_difference_is_that_of_med(form: Form, ties: bool) -> None:
    drawn = of_form(form, form.name, ties, many(50))
    top = max(form.grades)
    options = form.options + ("" if "rel=" in form.name or top == 1 else f", max_grade={top}")
    names = [f"MED({form.name}{options}{direction})" for direction in ("", ", direction='a-b'", ", direction='b-a'")]
    found = compared(drawn, names, form.docs)
    allowed = {0.0, 2.0 if "rel=2" in form.name else float(top)} | ({1.0} if "per_grade" in options else set())
    for query, instance in drawn.items():
        for measure, direction in zip(found.measures, ("", "a-b", "b-a"), strict=True):
            best = found.assignment(measure, query)
            assert best.direction in (direction or ("a-b", "b-a"))
            # Those that count are named, and none that is judged.
            cutoff = 3 if form.name.endswith("@3") else form.k
            first = {doc for ranking in (instance.a, instance.b) for doc in flat(ranking)[:cutoff]}
            union = {doc for ranking in (instance.a, instance.b) for doc in flat(ranking)}
            assert first <= best.grades.keys() | instance.known.keys()
            assert best.grades.keys() <= union - instance.known.keys()
            assert {*best.grades.values(), *best.filling} <= allowed
            assert best.value == found.value(measure, query).mean
            (a, b), truth = judged(form, instance, best)
            means = [sum(all_orders) / len(all_orders) for all_orders in (scores(form, r, truth) for r in (a, b))]
            sign = 1 if best.direction == "a-b" else -1
            assert best.value == pytest.approx(float(sign * (means[0] - means[1])), rel=1e-12, abs=1e-13)


def test_orders_of_ties_may_be_the_best() -> None:
    form = next(form for form in FORMS if form.name == "DCG@3" and not form.options)
    drawn = instances("optimistic", form.grades, True, many(60))
    [measure] = (found := compared(drawn, ["MED(DCG@3, ties='optimistic', max_grade=2)"])).measures
    for query, instance in drawn.items():
        best = found.assignment(measure, query)
        (a, b), truth = judged(form, instance, best)
        ahead, behind = (a, b) if best.direction == "a-b" else (b, a)
        difference = max(scores(form, ahead, truth)) - min(scores(form, behind, truth))
        assert best.value == pytest.approx(float(difference), rel=1e-12, abs=1e-13)
        given = form.score, instance.a, instance.b, instance.known, form.grades, form.k
        largest = max(differences(*given, over=(max, min)).up, differences(*given, over=(min, max)).down)
        assert best.value == pytest.approx(float(largest), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(
    ("name", "of"),
    {
        "AP@4": "AP(recall_base=4)@4",
        "DCG@4": "DCG@4",
        "ERR@4": "ERR@4",
        "P@4": "P@4",
        "RBP(p=0.7)@4": "RBP(p=0.7)@4",
        "RR@4": "RR@4",
    }.items(),
)
def test_evaluation_gives_the_value_back(name: str, of: str) -> None:
    a, b = {"q": ["u", "v", "w", "x", "y"]}, {"q": ["x", "z", "u", "y", "v"]}
    for known in ({}, {"x": 1, "w": 0}):
        found = untied.compare(a, b, f"MED({name})", qrels={"q": known} if known else None)
        best = found.assignment()
        qrels = {"q": best.grades | known}
        one, other = (untied.evaluate(qrels, run, of)[of].mean for run in (a, b))
        assert best.value == pytest.approx(one - other if best.direction == "a-b" else other - one, rel=1e-12)
        assert best.value > 0


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # runs that share nothing
def test_what_is_refused() -> None:
    found = untied.compare(
        ["x", ["y", "z"]], ["z", "x"], ["MED(AP@2, R='relevant')", "MED(P@2)", "Overlap@2", "Delta(P@2)"]
    )
    for measure in ("MED(AP@2, R='relevant')", "Overlap@2", "Delta(P@2)"):
        with pytest.raises(untied.UntiedError, match=r"no assignment for .* in query query: only MED has one"):
            found.assignment(measure)
    with pytest.raises(KeyError, match="query 'other' is not in both runs"):
        found.assignment("MED(P@2)", "other")
    with pytest.raises(KeyError, match="was not computed"):
        found.assignment("MED(P@3)")
    two = untied.compare({"1": ["x"], "2": ["y"]}, {"1": ["y"], "2": ["x"]}, "MED(P@1)")
    with pytest.raises(KeyError, match="give the id of a query"):
        two.assignment()
