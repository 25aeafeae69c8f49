"""What measures say is sampled or left out in large tie groups, held to what the core does."""

from __future__ import annotations

import re
from typing import Any

import pytest

import oracle
import untied
from strategies import PACKAGE

SMALL, LARGE = 3, 3200


def said(name: str) -> set[str]:
    """What the facts say of a measure: estimate, interval, variance (there is none)."""
    kinds: set[str] = set()
    for _, then in PACKAGE[name]["sampled"]:
        of_row = {"estimate"} if "estimates" in then else set()
        of_row |= {"interval"} if "too low" in then else set()
        of_row |= {"variance"} if re.search("the variance (is|may) not (be )?available", then) else set()
        assert of_row, then
        kinds |= of_row
    return kinds


def query(name: str, size: int) -> untied.Qrels:
    """Tied documents of very many kinds: grades, pooled and not, subtopics, strata and shares."""
    every = range(size)
    if name in oracle.OF_SUBTOPICS:
        subtopics = {str(t): {f"d{i}": int((i >> t) % 2) for i in every if i % (t + 2)} for t in range(5)}
        return untied.Qrels({"q": subtopics}, format="subtopics")
    truth = {f"d{i}": i % 40 * 25 if i % 4 else i % 2 for i in every if i % 5}
    truth |= {f"d{i}": -1 for i in every if i % 10 == 5}
    form = oracle.OF_PAIRS.get(name, "trec")
    if form == "stratified":
        return untied.Qrels(
            {"q": {doc: (1 + i % 3, grade) for i, (doc, grade) in enumerate(truth.items())}}, format=form
        )
    if form == "prels":
        shares = (0.1, 0.3, 0.5, 1.0)
        pairs = {doc: (grade, shares[i % 4]) for i, (doc, grade) in enumerate(truth.items())}
        return untied.Qrels({"q": pairs}, format=form)
    return untied.Qrels({"q": truth | {"other": 975}}, format=form)


def values(name: str, size: int) -> list[untied.Value]:
    """Of one group of so many documents, by all that the measure looks at and by its first ranks."""
    info: dict[str, Any] = PACKAGE[name]
    params: dict[str, Any] = {key: 1000 for key, default, *_ in info["parameters"] if not default and key != "recall"}
    if name in ("ERR", "nERR", "iRBU"):
        params["max_grade"] = 1000
    if name == "iRBU":
        params["gain"] = "exp2"  # nearly nobody stops at most of the documents
    if name == "BPM":
        params["T"] = 100
    if name == "NCU":
        params["user"] = "graded-uniform"
    if name == "Cascade":
        # A higher grade stops more users or fewer, so that no order of documents is best at all ranks.
        stops = {grade: grade / 1000 if grade % 50 else 1 - grade / 1000 for grade in range(1, 1000)}
        params |= {"go_on": {grade: 1 - stop for grade, stop in stops.items()}, "discount": "log2"}
    recall = next((default for key, default, *_ in info["parameters"] if key == "recall"), None)
    cutoffs = ["@0.5"] if recall == "" else [f"@{size - 1}"] if info["cutoff"] == "required" else [""]
    if info["cutoff"] == "optional" and recall is None:
        cutoffs.append(f"@{size // 2}")
    text = name + (f"({', '.join(f'{key}={value!r}' for key, value in params.items())})" if params else "")
    docs = [f"d{i}" for i in range(size)]
    options: dict[str, Any] = {"docs": {doc: 100 + i * 7919 % 3001 for i, doc in enumerate(docs)}, "ties": "range"}
    every = [text + cutoff for cutoff in cutoffs]
    found = untied.evaluate(query(name, size), {"q": [docs]}, every, variance=True, **options)
    return [found.value(measure, query="q") for measure in found.measures]


@pytest.mark.parametrize("name", sorted(PACKAGE))
def test_facts_are_what_the_core_does(name: str) -> None:
    small, large = values(name, SMALL), values(name, LARGE)
    assert {value.certainty for value in small} == {"exact"}
    observed = {value.certainty for value in large} - {"exact"}
    if any(value.variance is not None for value in small):  # PRR has none: it is a quotient of a mean
        observed |= {"variance"} if any(value.variance is None for value in large) else set()
    assert observed <= said(name), "not said"
    assert bool(observed) == bool(said(name)), "said, and yet exact"


def test_gains_of_many_small_tie_groups_are_exact() -> None:
    """All orders of the ranking are too many to list, but those of each group are few."""
    docs = [f"d{number}" for number in range(80)]
    grades = {doc: 1 + number % 2 for number, doc in enumerate(docs)}
    scores = {doc: -(number // 2) for number, doc in enumerate(docs)}
    assert untied.evaluate({"q": grades}, {"q": scores}, "G").value("G", query="q").certainty == "exact"
