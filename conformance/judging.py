"""What an evaluator's answer to a case is: exact, a named convention, wrong, or no answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

#: Outcomes, the best first. *not offered* is not a fault: the evaluator lacks the measure or takes other input.
KINDS = ("exact", "convention", "wrong", "refuses", "crashes", "hangs", "not offered")


@dataclass(frozen=True)
class Outcome:
    """What an evaluator made of a case."""

    kind: str
    #: The conventions and definitions that give the evaluator's value, where it is not the exact one.
    conventions: list[str] = field(default_factory=list)
    #: The value, or what the evaluator said.
    said: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it, without what is empty."""
        return {key: value for key, value in asdict(self).items() if value}


def judge(case: Mapping[str, Any], answer: Any, tolerance: float = 1e-9) -> Outcome:
    """The outcome of an answer: a number, None for undefined, or an object with several numbers by name."""
    said = shown(answer)
    if case["question"] not in ("value", "similarity", "neighbours"):
        return Outcome("exact" if same_answers(case["answers"], answer, tolerance) else "wrong", said=said)
    named = answer if isinstance(answer, dict) else {"mean": answer}
    value = named["mean"]
    if case.get("refuse"):
        conventions = list(matching(case.get("variants", {}), value, tolerance))
        return Outcome("convention" if conventions else "wrong", conventions, said)
    answers = case["answers"]
    if same(answers["mean"], value, tolerance):
        whole = all(same(answers.get(name, answers["mean"]), one, tolerance) for name, one in named.items())
        return Outcome("exact" if whole else "wrong", said=said)
    conventions = [
        name for name in answers if name not in ("lowest", "highest") and same(answers[name], value, tolerance)
    ]
    if not conventions:
        conventions = list(matching(case.get("variants", {}), value, tolerance))
    if not conventions and any(same(one, value, tolerance) for one in case.get("orders", [])):
        conventions = ["some other order"]
    if not conventions and same(None, value, tolerance):
        conventions = ["left undefined"]
    return Outcome("convention" if conventions else "wrong", conventions, said)


def matching(variants: Mapping[str, Mapping[str, str | None]], value: Any, tolerance: float) -> Iterable[str]:
    """The variants that give a value, each with the convention for ties that it needs."""
    for variant, answers in variants.items():
        for convention, stated in answers.items():
            if convention not in ("lowest", "highest") and same(stated, value, tolerance):
                alone = convention == "mean" and len(answers) == 1
                yield variant if alone else f"{variant} + {'mean over orders' if convention == 'mean' else convention}"


def same(stated: str | None, value: Any, tolerance: float) -> bool:
    """Whether a value is the stated one; NaN and None are undefined."""
    undefined = value is None or math.isnan(value)
    if stated is None or undefined:
        return bool(stated is None and undefined)
    if math.isinf(value):
        return False
    exact = Fraction(stated)
    return abs(exact - Fraction(value)) <= Fraction(tolerance) * max(Fraction(1), abs(exact))


def same_answers(stated: Mapping[str, Any], answer: Mapping[str, Any], tolerance: float) -> bool:
    """Whether all answers given to a case with several are the stated ones; at least one must be given."""
    return bool(answer) and all(_same_part(stated[name], value, tolerance) for name, value in answer.items())


def _same_part(stated: Any, value: Any, tolerance: float) -> bool:
    if isinstance(stated, list):
        return len(stated) == len(value) and all(map(lambda s, v: same(s, v, tolerance), stated, value))
    if isinstance(value, str):
        return bool(stated == value)
    return same(stated, value, tolerance)


def shown(answer: Any) -> str:
    """An answer as the record has it."""
    if isinstance(answer, dict):
        return ", ".join(f"{name} {shown(value)}" for name, value in answer.items())
    if isinstance(answer, list):
        return " ".join(map(shown, answer))
    return f"{answer:.6g}" if isinstance(answer, float) else str(answer)


#: Conventions that choose an order by a rule come before those that look at the judgments.
LOOKS_AT_JUDGMENTS = ("optimistic", "pessimistic", "realistic", "some other order")
FIXED_ORDERS = ("docid up", "docid down", "as given", "as given, reversed")


def settle(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The same outcomes of one evaluator, each with the one convention that explains most of its other answers too.

    An evaluator may follow different conventions for different measures, so answers for the same measure count first.
    """
    frequency = Counter(
        (measure, part)
        for case, one in outcomes.items()
        for name in one.conventions
        for part in parts(name)
        for measure in ("", family(case))
    )

    def weight(case: str, name: str) -> tuple[int, int, int, int]:
        own = parts(name)
        here, everywhere = ([frequency[measure, part] for part in own] for measure in (family(case), ""))
        return min(here), -len(own), -any(part in LOOKS_AT_JUDGMENTS for part in own), sum(everywhere)

    settled = {}
    for case, one in outcomes.items():
        chosen = sorted(one.conventions, key=lambda name, case=case: weight(case, name), reverse=True)[:1]  # type: ignore[misc]
        settled[case] = Outcome(one.kind, chosen, one.said)
    return _without_a_rule(settled)


def _without_a_rule(settled: dict[str, Outcome]) -> dict[str, Outcome]:
    """The same, but an evaluator that seems to follow three orders of ties for one measure follows none of them."""
    orders = (*FIXED_ORDERS, *LOOKS_AT_JUDGMENTS)
    seen: dict[str, set[str]] = {}
    for case, one in settled.items():
        own = {part for name in one.conventions for part in parts(name)}
        seen.setdefault(family(case), set()).update(own.intersection(orders))
    found = {}
    for case, one in settled.items():
        mixed = len(seen[family(case)].intersection(FIXED_ORDERS)) > 2
        told = [
            " + ".join("some other order" if mixed and part in orders else part for part in parts(name))
            for name in one.conventions
        ]
        found[case] = Outcome(one.kind, told, one.said)
    return found


def family(case: str) -> str:
    """The measure of a case without its cutoff, from its name."""
    return case.rsplit("/", 1)[1].split("@")[0] + "@" * ("@" in case)


def parts(convention: str) -> list[str]:
    """A convention's parts: a variant of the definition, a precision, an order of ties."""
    return convention.split(" + ")


def number(stated: str) -> float:
    """A stated answer as a float."""
    return float(Fraction(stated))
