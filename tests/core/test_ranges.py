"""Values lie within the range that a measure states, and parameters as large or small as may be do no harm."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import untied
from nightly import at_night, many
from strategies import PACKAGE, TESTED, as_text, cases, close, measures

# Some grades that are asked for are higher than any.
pytestmark = pytest.mark.filterwarnings("ignore:the highest grade is:untied.UntiedWarning")

ROUNDING = 1e-12
REFUSED = ("bounds over unjudged", "max_grade", "without go_on", "go_on has")
FROM_0_TO_1 = re.compile(r"0 to 1(?:; (?P<but>.*))?")
FROM_0 = re.compile(r"(?:0|1) (?:or more|for a query)\b.*")


def qrels_of(name: str, truth: Any) -> untied.Qrels:
    form = "subtopics" if name in oracle.OF_SUBTOPICS else oracle.OF_PAIRS.get(name, "trec")
    return untied.Qrels({"q": truth}, format=form)


def is_usual(measure: oracle.Measure, may_rise: bool) -> bool:
    """Whether no gain and no discount is negative, and discounts do not rise."""
    gain, discount = measure.params.get("gain"), measure.params.get("discount")
    gains = [*gain.values()] if isinstance(gain, dict) else []
    discounts = [*discount, 0] if isinstance(discount, list) else []
    return min([*gains, *discounts, 0]) >= 0 and (may_rise or discounts == sorted(discounts, reverse=True))


def stated(measure: oracle.Measure, truth: Any) -> tuple[float, float]:
    """The ends of the range that is stated for the measure."""
    text = PACKAGE[measure.name]["range"]
    text, unusual, negative = text.partition("; any number if ")
    if unusual and not is_usual(measure, may_rise="rise" not in negative):
        return -math.inf, math.inf
    if text == "any number":
        return -math.inf, math.inf
    if text == "-ln(1 + R) to ln(1 + R)":
        most = math.log(1 + sum(grade >= measure.params.get("rel", 1) for grade in truth.values()))
        return -most, most
    if text == "-e to 1":
        return -measure.params.get("e", 0.03), 1
    if text == "0 to p":
        return 0, measure.params.get("p", 0.99)
    if found := FROM_0_TO_1.fullmatch(text):
        but = found["but"] or ""
        if "recall_base" in but:
            assert "undefined" not in but
            return 0, math.inf if isinstance(measure.params.get("recall_base"), int) else 1
        return 0, math.inf if "rarely above" in but else 1
    assert FROM_0.fullmatch(text), text
    return 0, math.inf


@settings(max_examples=many(5, nightly=150))
@given(data=st.data())
@pytest.mark.parametrize("name", TESTED)
def test_values_lie_within_the_stated_range(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(name, real=False))
    measure = data.draw(measures(name))
    text, (least, most) = as_text(measure), stated(measure, case.truth)
    run = {"q": [list(group) for group in case.groups]}
    for unjudged in ("nonrelevant", "remove", "range", "best", "worst"):
        try:
            found = untied.evaluate(
                qrels_of(name, case.truth), run, [text], docs=case.lengths, unjudged=unjudged, ties="range"
            ).value(text, query="q")
        except untied.UntiedError as error:
            if not any(said in str(error) for said in REFUSED):
                raise
            continue
        for value in (found.mean, found.low, found.high):
            assert value is not None
            assert math.isnan(value) or least - ROUNDING <= value <= most + ROUNDING, (unjudged, text, found)


EXTREMES = ["1e-61", "1e-60", "1e-17", "0", "0.9999999999999999", "1.0000000000000002", "1e3", "1e17"]
EXTREMES += ["1e60", "1e61", "1.7976931348623157e308", "5e-324", "-1e60", *at_night("1e6", "1e9")]
TRUTH = {"a": 1, "b": 0, "c": 3, "d": -1, "e": 2, "z": 1}
RUN = [["x", "a"], ["b", "c"], ["d"], ["e"]]
LENGTHS = {doc: 100 + 50 * i for i, doc in enumerate("abcdexz")}
OTHERS: dict[str, Any] = {
    "subtopics": {"1": {"a": 1, "b": 0, "c": 1}, "2": {"b": 1, "z": 1}},
    "stratified": {doc: (1 + (doc in "ab"), grade) for doc, grade in TRUTH.items()},
    "prels": {doc: (grade, 0.5) for doc, grade in TRUTH.items()},
}
LISTS = {"weights": "[{0}, {0}, {0}, {0}]", "discount": "[{0}, {0}, {0}]", "gain": "{{0: 0, 1: {0}, 2: {0}, 3: {0}}}"}


def numbers(name: str) -> list[tuple[str, str, str]]:
    """Every parameter that takes numbers, with an extreme one, and all others that are needed."""
    found = []
    for key, default, *_ in PACKAGE[name]["parameters"]:
        if key in ("judged_only", "mean", "recall", "recall_base") or (default.startswith("'") and key not in LISTS):
            continue
        found += [(key, LISTS.get(key, "{}").format(number), number) for number in EXTREMES]
    return found


@pytest.mark.parametrize("name", sorted(PACKAGE))
def test_parameters_at_their_extremes(name: str) -> None:
    """Refused, or as the oracle has it in exact fractions; with bounds, if there are any, around it."""
    truth = OTHERS.get("subtopics" if name in oracle.OF_SUBTOPICS else oracle.OF_PAIRS.get(name, ""), TRUTH)
    needed = {key: "2" for key, default, *_ in PACKAGE[name]["parameters"] if not default and key != "recall"}
    if name in ("ERR", "nERR"):
        needed["max_grade"] = "4"
    at_recall = any(key == "recall" and not default for key, default, *_ in PACKAGE[name]["parameters"])
    at = 3 if PACKAGE[name]["cutoff"] == "required" else 0.5 if at_recall else None
    accepted = 0
    for key, value, number in numbers(name):
        params = needed | {key: value}
        if name == "Cascade" and key == "gain":
            params["go_on"] = "{1: 0.5, 2: 0.5, 3: 0.5}"
        text = f"{name}({', '.join(f'{one}={other}' for one, other in params.items())})" + (f"@{at}" if at else "")
        options: dict[str, Any] = {"docs": LENGTHS, "ties": "range"}
        try:
            found = untied.evaluate(qrels_of(name, truth), {"q": RUN}, [text], variance=True, **options)
        except untied.UntiedError:
            continue
        assert number not in ("1e-61", "1e61", "1.7976931348623157e308", "5e-324"), text
        accepted += 1
        one = found.value(text, query="q")
        expected = None
        if name in oracle.MEASURES and name not in ("Compat", "TBG"):
            given_ = {other: eval(params[other]) for other in params}
            whole = {
                other: int(v) if isinstance(v, float) and v == int(v) and v < 2**53 else v
                for other, v in given_.items()
            }
            expected = oracle.statistics(oracle.Measure(name, at, **whole), RUN, truth, lengths=LENGTHS)
            assert (expected is None) == math.isnan(one.mean)
        if math.isnan(one.mean):
            continue
        for value_, exact in zip(
            (one.mean, one.low, one.high),
            (expected and (expected.mean, expected.low, expected.high)) or (None,) * 3,
            strict=True,
        ):
            assert value_ is not None
            assert math.isfinite(value_), text
            assert exact is None or close(value_, exact, 1e-11, 1e-70), (text, value_, float(exact))
        assert one.variance is None or math.isfinite(one.variance), text
        try:
            bounds = untied.evaluate(qrels_of(name, truth), {"q": RUN}, [text], unjudged="range", **options).value(text)
        except untied.UntiedError:
            continue
        assert bounds.low is not None
        assert bounds.high is not None
        assert math.isfinite(bounds.low), text
        assert math.isfinite(bounds.high), text
    assert accepted or not numbers(name)
