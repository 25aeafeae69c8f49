"""Delta where documents have probabilities of their own, against all sets of relevant documents in exact fractions."""

from __future__ import annotations

import itertools
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import untied
from nightly import many, seeded
from oracle.difference import outcomes
from test_med import OF_TIES, Form, of_form

ANY_NUMBER_A_GRADE = [case for case in OF_TIES if "per_grade" not in str(case.id)]

#: Estimated from draws, and where there are ties two more.
DRAWN = {"R@3", "F1@3", "Success@3", "Bpref", "AP@3, R='relevant'"}
DRAWN_IF_TIED = ("RR", "ERR")


@pytest.mark.parametrize(("form", "ties"), ANY_NUMBER_A_GRADE)
def test_mean_and_variance(form: Form, ties: bool) -> None:
    drawn = of_form(form, "chances " + form.name, ties, many(30))
    chance = seeded(form.name)
    given = {
        query: {doc: Fraction(chance.randrange(5), 4) for doc in "abcde" if chance.random() < 0.7} for query in drawn
    }
    top = max(form.grades)
    options = form.options + ("" if "rel=" in form.name or top == 1 else f", max_grade={top}")
    runs = ({query: getattr(instance, side) for query, instance in drawn.items()} for side in ("a", "b"))
    found = untied.compare(
        *runs,
        f"Delta({form.name}{options}, p=0.25)",
        qrels={query: instance.known for query, instance in drawn.items() if instance.known},
        probabilities={query: {doc: float(p) for doc, p in one.items()} for query, one in given.items() if one},
        docs=form.docs,
    )
    for query, instance in drawn.items():
        chances = {doc: given[query].get(doc, Fraction(1, 4)) for doc in "abcde"}
        all_outcomes = outcomes(
            form.score, instance.a, instance.b, instance.known, chances, top, form.k, local=form.local
        )
        mean = sum((value * p for value, p in all_outcomes), Fraction(0))
        variance = float(sum((value * value * p for value, p in all_outcomes), Fraction(0)) - mean * mean)
        value = found.value(found.measures[0], query)
        if value.certainty == "estimate":
            assert form.name + form.options in DRAWN or (ties and form.name.startswith(DRAWN_IF_TIED))
            assert value.mean == pytest.approx(float(mean), abs=5 * (variance / 10_000) ** 0.5 + 1e-12)
            # Differences lie within 2 of their mean, so the fourth moment is at most 4 times the variance.
            assert value.variance == pytest.approx(variance, abs=5 * (4 * variance / 10_000) ** 0.5 + 1e-12)
        else:
            assert value.mean == pytest.approx(float(mean), rel=1e-11, abs=1e-13)
            if form.name.startswith("TBG"):
                assert value.variance is None  # not known
            else:
                assert value.variance == pytest.approx(variance, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize(("form", "ties"), ANY_NUMBER_A_GRADE)
def test_outcomes(form: Form, ties: bool) -> None:
    """Of sums every distribution function is within the error; of draws within what chance allows."""
    chances = {doc: Fraction(i, 7) for i, doc in enumerate("abcde", 1)}
    top = max(form.grades)
    options = form.options + ("" if "rel=" in form.name or top == 1 else f", max_grade={top}")
    drawn = of_form(form, "outcomes " + form.name, ties, 12)
    runs = ({query: getattr(instance, side) for query, instance in drawn.items()} for side in ("a", "b"))
    found = untied.compare(
        *runs,
        f"Delta({form.name}{options})",
        qrels={query: instance.known for query, instance in drawn.items() if instance.known},
        probabilities={query: {doc: float(p) for doc, p in chances.items()} for query in drawn},
        docs=form.docs,
    )
    is_sum = form.name.split("@")[0].split("(")[0] in {"P", "DCG", "nDCG", "RBP", "U"}
    for query, instance in drawn.items():
        expected = outcomes(form.score, instance.a, instance.b, instance.known, chances, top, form.k, local=form.local)
        of_query = found.outcomes(query=query, points=200)
        assert (of_query.error is not None) == is_sum == (of_query.certainty != "estimate")
        assert sum(of_query.probabilities) == pytest.approx(1)
        assert of_query.values == sorted(of_query.values)
        # Half a step for each of at most ten terms.
        slack, allowed = (of_query.error + 1e-12, 1e-12) if of_query.error is not None else (1e-12, 0.025)
        assert slack < 10 / 2 * 10 / 199
        total = 0.0
        for value, probability in zip(of_query.values, of_query.probabilities, strict=True):
            total += probability
            below = [float(sum(p for v, p in expected if v <= value + by)) for by in (-slack, slack)]
            assert below[0] - allowed <= total <= below[1] + allowed
        assert of_query.quantile(0) == of_query.values[0]
        assert of_query.quantile(1) == of_query.values[-1]


@pytest.mark.parametrize("a", [["x", "y", "z"], [["x", "y"], "z"]], ids=["untied", "tied"])
@pytest.mark.parametrize("name", ["P@3", "DCG@3", "RBP(p=0.5)@3", "RR@3", "ERR(max_grade=1)@3", "Success@3", "AP@3"])
def test_what_fills_short_rankings_counts_in_bounds_alone(name: str, a: list[str | list[str]]) -> None:
    """The mean is that of what `evaluate` gives, in which nothing follows a ranking's end; bounds go further."""
    same = name.replace("AP@3", "AP(recall_base=3)@3")
    measure = f"Delta({name}, p=0.5)"
    found = untied.compare({"q": a}, {"q": ["x"]}, measure)[measure]
    every = []
    for grades in itertools.product((0, 1), repeat=3):
        qrels = {"q": dict(zip("xyz", grades, strict=True)), "other": {"r": 1}}
        one, other = (untied.evaluate(qrels, {"q": run}, same).value(same, query="q").mean for run in (a, ["x"]))
        every.append(one - other)
    mean = sum(every) / len(every)
    # Where there is no formula, means come from draws.
    assert found.mean == pytest.approx(mean, abs=0.03 if found.certainty == "estimate" else 1e-12)
    assert found.low is not None
    assert found.low < min(every) - 0.05


def test_average_precision_may_divide_by_the_judged_and_some_more() -> None:
    """With R=5, the sum of precisions is divided by the judged relevant document and five more, not by the depth."""
    a, b = {"q": ["u", "v", "w"]}, {"q": ["w", "x", "u"]}
    certain = {"q": {"v": 1.0, "w": 0.0}}
    names = ["Delta(AP@3)", "Delta(AP@3, R=5)", "MED(AP@3)", "MED(AP@3, R=5)"]
    found = untied.compare(a, b, names, qrels={"q": {"u": 1, "x": 0}}, probabilities=certain)
    by_depth, by_relevant, largest, largest_by_relevant = (found.value(name, "q").mean for name in found.measures)
    assert by_depth == pytest.approx(float(1 + 1 - Fraction(1, 3)) / 3)  # u and v in A, u in B
    assert by_relevant == pytest.approx(by_depth * 3 / 6)
    assert largest_by_relevant == pytest.approx(largest * 3 / 6)


def test_a_sample_is_repeated() -> None:
    found = untied.compare(list("abcdef"), list("fbcxyd"), "Delta(AP@5, p=0.4)")
    one, other = found.outcomes(seed=1), found.outcomes(seed=2)
    assert (one.values, one.probabilities) == (found.outcomes(seed=1).values, found.outcomes(seed=1).probabilities)
    assert one.probabilities != other.probabilities


def test_outcomes_that_are_refused() -> None:
    found = untied.compare(
        ["x", ["y", "z"]], ["z", "x"], ["MED(P@2)", "RBO", "Delta(AP@2, R='relevant')", "Delta(P@2)"]
    )
    for measure in ("MED(P@2)", "RBO", "Delta(AP@2, R='relevant')"):
        with pytest.raises(untied.UntiedError, match=r"no outcomes of .* in query query: only Delta has them"):
            found.outcomes(measure)
    with pytest.raises(untied.UntiedError, match="points must be a whole number from 2 to 10,000,000, not 1"):
        found.outcomes("Delta(P@2)", points=1)
    with pytest.raises(untied.UntiedError, match="must be from 0 to 1, not 2"):
        found.outcomes("Delta(P@2)").quantile(2)


def test_what_a_probability_is() -> None:
    """It is for a document that is not judged; others have p; a judged one keeps its grade."""
    a, b = ["x", "y"], ["z", "x"]

    def mean(probabilities: dict[str, float] | None, qrels: dict[str, int] | None = None) -> float:
        return untied.compare(a, b, "Delta(P@2, p=0.5)", qrels=qrels, probabilities=probabilities)[
            "Delta(P@2, p=0.5)"
        ].mean

    assert mean(None) == 0
    assert mean({"y": 1, "z": 0}) == mean({"y": 1, "z": 0, "elsewhere": 0.3}) == 0.5
    assert mean({"x": 0.1, "y": 0.75}) == 0.125  # z has p, and x is in both
    assert mean({"y": 1, "z": 0}, {"z": 1}) == 0


@pytest.mark.parametrize("wrong", [1.5, -0.1])
def test_probabilities_are_checked(wrong: float) -> None:
    with pytest.raises(
        untied.UntiedError, match=rf"probability of document y in query query must be a number from 0 to 1, not {wrong}"
    ):
        untied.compare(["x"], ["y"], "Delta(P@1)", probabilities={"x": 0.5, "y": wrong})


def test_command(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q Q0 x 1 2 a\nq Q0 y 2 1 a\n")
    (tmp_path / "b.run").write_text("q Q0 z 1 2 b\nq Q0 x 2 1 b\n")
    (tmp_path / "p.run").write_text("q Q0 y 1 0.75 p\nq Q0 z 2 0.25 p\n")
    command = [sys.executable, "-m", "untied", "compare", "a.run", "b.run", "-m", "Delta(P@2)"]
    done = subprocess.run(
        [*command, "--probabilities", "p.run", "--format", "tsv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "\t0.2500\t" in done.stdout.splitlines()[1]
