"""The cases of ``conformance/``, for every interface of untied, through the runner that asks other evaluators too."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import untied
from conformance import judging, page, reading, runner
from conformance.adapters import untied_evaluate
from conformance.adapters.common import Case

# Cases have nothing relevant, nothing in common or nothing judged, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore")

ROOT = Path(__file__).parents[2]
CASES = reading.read()
BY_GROUP = {group: [case for case in CASES if reading.group_of(case) == group] for group in reading.groups(CASES)}
SECOND_PART = {"adjusted for chance", "bounds", "distributions", "largest differences", "verdicts"}

#: What an interface refuses because the one that it replaces does.
REFUSES = {
    "untied_trec_eval": {"empty results"},  # of an empty file
    "untied_pytrec_eval": {"families"},  # yaap
    "untied_ir_measures": {"grades"},  # fractional ones
    "untied_beir": {"missing queries"},  # where BEIR fails on an unknown query
}
INTERFACES = sorted(path.stem for path in (ROOT / "conformance" / "adapters").glob("untied_*.py"))


def asked(adapter: Any, cases: list[dict[str, Any]] = CASES) -> dict[str, judging.Outcome]:
    """The outcomes of an evaluator, asked in this process."""
    return runner.outcomes(cases, runner.in_process(adapter, cases), getattr(adapter, "TOLERANCE", 1e-9))


def test_cases_are_what_the_oracle_gives() -> None:
    command = [sys.executable, "-m", "conformance.generate", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_group_has_cases_with_names_of_their_own() -> None:
    names = [case["case"] for case in CASES]
    assert len(names) == len(set(names))
    second = sum(len(BY_GROUP[group]) for group in SECOND_PART)
    assert len(CASES) - second >= 400
    assert second >= 200
    assert min(map(len, BY_GROUP.values())) >= 9


def test_a_line_that_is_no_case_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ties.jsonl"
    path.write_text('{"case": "a/b/c", "version": 2, "about": "", "question": "value", "measure": {}, "answers": {}}\n')
    with pytest.raises(ValueError, match=r"ties\.jsonl, line 1: 'version' must be one of"):
        list(reading.of_file(path))
    path.write_text('{"case": "a/b/c"}\n')
    with pytest.raises(ValueError, match="'version' is missing"):
        list(reading.of_file(path))


@pytest.mark.parametrize("name", INTERFACES)
def test_interfaces_follow_the_conventions_that_they_declare_as_recorded(name: str) -> None:
    adapter = importlib.import_module(f"conformance.adapters.{name}")
    found = asked(adapter)
    assert {one.kind for one in found.values()} <= {"exact", "convention", "refuses", "not offered"}
    followed = {part for one in found.values() for convention in one.conventions for part in judging.parts(convention)}
    assert followed - adapter.DECLARED == set()
    assert {case.split("/")[0] for case, one in found.items() if one.kind == "refuses"} == REFUSES.get(name, set())
    offered = sum(one.kind != "not offered" for one in found.values())
    assert offered >= 70  # an adapter that offers nothing would pass
    [record] = [record for record in page.results() if record["evaluator"] == name]
    recorded = {case: one.get("conventions") for case, one in record["outcomes"].items()}
    answered = {case: one.to_dict() for case, one in found.items() if one.kind != "not offered"}
    assert recorded == {case: one.get("conventions") for case, one in answered.items()}


def test_functions_answer_every_group_but_that_of_neighbours() -> None:
    found = asked(untied_evaluate)
    lacking = {case.split("/")[0] for case, one in found.items() if one.kind == "not offered"}
    assert lacking == {"neighbours"}


# ---------------------------------------------------------------------------------------------------------------------
# Evaluators that are broken on purpose

Answer = Callable[[Case], Any]


def changed(change: Callable[[float], float]) -> Answer:
    """An evaluator whose numbers are changed."""

    def altered(answer: Any) -> Any:
        if isinstance(answer, dict):
            return {name: altered(value) for name, value in answer.items()}
        if isinstance(answer, (list, tuple)):
            return [altered(value) for value in answer]
        return answer if answer is None or isinstance(answer, str) else change(answer)

    return lambda case: altered(correct(case))


def correct(case: Case) -> Any:
    """untied's answer, and the definition for neighbours, which it has no function for."""
    return untied_evaluate.answer(case) if case.question != "neighbours" else nearest(case)


def nearest(case: Case) -> float:
    """Recall of neighbours, of which those at the k-th distance may stand for each other."""
    k, distances = case.cutoff or 0, dict(case.neighbours)
    last = sorted(distances.values())[k - 1]
    if len(set(case.returned)) < len(case.returned):
        raise ValueError("a neighbour is returned twice")
    nearer = {point for point, distance in distances.items() if distance < last}
    tied = {point for point, distance in distances.items() if distance == last}
    found = set(case.returned)
    return (len(nearer & found) + min(len(tied & found), k - len(nearer))) / k


def with_input(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Answer:
    """An evaluator that changes its input first."""
    return lambda case: correct(Case(change(dict(case.fields))))


def with_options(**options: Any) -> Answer:
    """untied with another policy."""

    def answer(case: Case) -> Any:
        case.asks("value")
        return untied.evaluate(*untied_evaluate.inputs(case), case.measure, **options)[case.measure].mean

    return answer


def each_list(change: Callable[[list[Any]], list[Any]], *fields: str) -> Answer:
    """An evaluator that changes each ranking."""

    def altered(value: Any) -> Any:
        return {query: change(ranked) for query, ranked in value.items()} if isinstance(value, dict) else change(value)

    return with_input(lambda case: case | {field: altered(case[field]) for field in fields if field in case})


def binary(case: dict[str, Any]) -> dict[str, Any]:
    return case | {"qrels": {q: {doc: int(g > 0) for doc, g in truth.items()} for q, truth in case["qrels"].items()}}


def of_retrieved(case: dict[str, Any]) -> dict[str, Any]:
    kept = {query: {doc for doc, _ in case["run"].get(query, [])} for query in case["qrels"]}
    return case | {
        "qrels": {
            query: {doc: grade for doc, grade in truth.items() if doc in kept[query]} | {"none": 0}
            for query, truth in case["qrels"].items()
        }
    }


def shorter_cutoff(case: dict[str, Any]) -> dict[str, Any]:
    measure = dict(case["measure"])
    if "cutoff" in measure:
        measure["cutoff"] += 1
    return case | {"measure": measure}


def last_copy(case: dict[str, Any]) -> dict[str, Any]:
    return case | {"run": {query: list(dict(ranked).items()) for query, ranked in case["run"].items()}}


def only_present(case: dict[str, Any]) -> dict[str, Any]:
    return case | {"qrels": {query: truth for query, truth in case["qrels"].items() if case["run"].get(query)}}


def judged_queries_grow(case: dict[str, Any]) -> dict[str, Any]:
    return case | {"qrels": case["qrels"] | {query: {"none": 1} for query in case["run"] if query not in case["qrels"]}}


def without_unknown(case: dict[str, Any]) -> dict[str, Any]:
    """Everything that is unjudged counts as non-relevant, known for sure."""
    return case | {"grades": [0], "pooled": False, "qrels": {q: known(t, case) for q, t in case["qrels"].items()}}


def known(truth: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    rankings = [case[field] for field in ("run", "run_a", "run_b") if field in case]
    docs = [doc for run in rankings for ranked in run.values() for doc, _ in ranked]
    return {doc: max(0, truth.get(doc, 0)) for doc in [*docs, *truth]}


def swapped(case: Case) -> Any:
    """MED with the directions exchanged."""
    found = dict(untied_evaluate.answer(case))
    if {"MED, a - b", "MED, b - a"} <= set(found):
        found["MED, a - b"], found["MED, b - a"] = found["MED, b - a"], found["MED, a - b"]
    return found


def overturned_later(case: Case) -> Any:
    """An overturn number that is one too large."""
    found = dict(untied_evaluate.answer(case))
    if found["overturn number"].isdigit():
        found["overturn number"] = str(int(found["overturn number"]) + 1)
    return found


def most_of(case: Case) -> float:
    """Recall of neighbours that forgives a nearer one that is missing."""
    last = sorted(distance for _, distance in case.neighbours)[(case.cutoff or 0) - 1]
    within = {point for point, distance in case.neighbours if distance <= last}
    return len(within & set(case.returned)) / (case.cutoff or 0)


OFF = {
    "adds a hundred-millionth": changed(lambda value: value + 1e-8),
    "rounds to one digit": changed(lambda value: round(value, 1)),
}
LAST_IS_LOST = each_list(lambda ranked: ranked[:-1], "run", "run_a")
REVERSED = each_list(lambda ranked: [(doc, -score) for doc, score in ranked], "run", "run_a")
BROKEN: dict[str, dict[str, Answer]] = {
    "ties": {"ids": with_options(ties="docid"), "order": with_options(ties="given"), "best": with_options(ties="best")},
    "precision": {"32 bits": with_options(score_dtype="float32"), "16 bits": with_options(score_dtype="float16")},
    "cutoffs": {"one more": with_input(shorter_cutoff), "ids": with_options(ties="docid")},
    "short lists": {"one more": with_input(shorter_cutoff), "retrieved": with_input(of_retrieved)},
    "ideal rankings": {"retrieved": with_input(of_retrieved), "binary": with_input(binary)},
    "grades": {"binary": with_input(binary), "only judged": with_options(unjudged="remove")},
    "unjudged documents": {"only judged": with_options(unjudged="remove"), "retrieved": with_input(of_retrieved)},
    "missing queries": {"present": with_input(only_present), "all": with_input(judged_queries_grow)},
    "duplicates": {"last copy": with_input(last_copy)},
    "nothing relevant": {"left out": with_options(on_undefined="nan"), "retrieved": REVERSED},
    "empty results": {"present": with_input(only_present)},
    "families": {"lost": LAST_IS_LOST, "ids": with_options(ties="docid"), "binary": with_input(binary)},
    "link prediction": {"best": with_options(ties="best"), "worst": with_options(ties="worst"), "lost": LAST_IS_LOST},
    "two rankings": {"lost": LAST_IS_LOST, "reversed": REVERSED},
    "neighbours": {"any": most_of},
    "largest differences": {"swapped": swapped, "lost": LAST_IS_LOST},
    "bounds": {"all known": with_input(without_unknown), "lost": LAST_IS_LOST},
    "verdicts": {"all known": with_input(without_unknown), "later": overturned_later},
    "distributions": {"reversed": REVERSED, "lost": LAST_IS_LOST},
    "adjusted for chance": {"reversed": REVERSED, "lost": LAST_IS_LOST},
}


@pytest.mark.parametrize("group", BY_GROUP)
def test_every_group_catches_evaluators_that_are_broken_on_purpose(group: str) -> None:
    cases = BY_GROUP[group]
    intact = asked(SimpleNamespace(answer=correct, REFUSALS=(untied.UntiedError,)), cases)
    assert {one.kind for one in intact.values()} <= {"exact", "convention"}
    for name, answer in {**(OFF if group != "duplicates" else {}), **BROKEN[group]}.items():
        found = asked(SimpleNamespace(answer=answer, REFUSALS=(untied.UntiedError,)), cases)
        assert any(
            (one.kind, one.conventions) != (intact[case].kind, intact[case].conventions) and one.kind != "not offered"
            for case, one in found.items()
        ), name


# ---------------------------------------------------------------------------------------------------------------------
# The judge and the runner

TIED: dict[str, Any] = {
    "case": "ties/pair/rr", "question": "value",
    "answers": {"mean": "3/4", "lowest": "1/2", "highest": "1", "docid up": "1/2", "docid down": "1"},
    "variants": {"from 0": {"mean": "1/4"}, "from 2": {"mean": "1/5", "docid up": "1/6"}},
    "orders": ["1/2", "2/3", "1"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "kind", "conventions"),
    [
        (0.75, "exact", []),
        ({"mean": 0.75, "lowest": 0.5, "highest": 1.0}, "exact", []),
        ({"mean": 0.75, "lowest": 0.4, "highest": 1.0}, "wrong", []),
        (1.0, "convention", ["docid down"]),
        (0.25, "convention", ["from 0"]),
        (1 / 6, "convention", ["from 2 + docid up"]),
        (0.2, "convention", ["from 2 + mean over orders"]),
        (2 / 3, "convention", ["some other order"]),
        (None, "convention", ["left undefined"]),
        (0.7, "wrong", []),
        (float("inf"), "wrong", []),
    ],
)
def test_an_answer_is_exact_a_convention_or_wrong(answer: Any, kind: str, conventions: list[str]) -> None:
    found = judging.judge(TIED, answer)
    assert (found.kind, found.conventions) == (kind, conventions)


def test_undefined_values_and_refusals() -> None:
    nothing = {
        "case": "n/r/ap",
        "question": "value",
        "answers": {"mean": None},
        "variants": {"0/0 is 0": {"mean": "0"}},
    }
    assert judging.judge(nothing, None).kind == judging.judge(nothing, float("nan")).kind == "exact"
    assert judging.judge(nothing, 0.0).conventions == ["0/0 is 0"]
    twice = {"case": "d/t/ap", "question": "value", "answers": {}, "refuse": True, "variants": {"once": {"mean": "1"}}}
    assert judging.judge(twice, 1.0).conventions == ["once"]
    assert judging.judge(twice, 0.5).kind == "wrong"
    refused = runner.outcomes([twice], {"d/t/ap": {"refuses": "ValueError: duplicate"}}, 1e-9)
    assert refused["d/t/ap"].kind == "exact"


def test_one_convention_explains_as_many_answers_as_it_can() -> None:
    kinds = {"a/1/ap": ["docid up", "optimistic"], "a/2/ap": ["docid up", "as given"], "a/3/rr": ["as given"]}
    found = judging.settle({case: judging.Outcome("convention", names) for case, names in kinds.items()})
    assert [one.conventions for one in found.values()] == [["docid up"], ["docid up"], ["as given"]]


def test_three_orders_for_one_measure_are_no_rule() -> None:
    orders = ["docid up", "docid down", "as given"]
    found = judging.settle({f"a/{i}/ap": judging.Outcome("convention", [name]) for i, name in enumerate(orders)})
    assert [one.conventions for one in found.values()] == [["some other order"]] * 3


PROGRAM = """
import json, os, sys, time
print(json.dumps({"ready": "7"}), flush=True)
for line in sys.stdin:
    name = json.loads(line)["case"]
    if name == "dies": os.abort()
    if name == "ends": sys.exit(3)
    if name == "hangs": time.sleep(60)
    print(json.dumps({"value": 0.5}), flush=True)
"""


def test_a_child_that_crashes_or_hangs_does_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    cases = [{"case": name} for name in ("first", "dies", "second", "ends", "third", "hangs", "last")]
    version, answers = runner.in_child([sys.executable, str(path)], cases, 2)
    assert version == "7"
    assert [list(answer) for answer in answers.values()] == [
        ["value"], ["crashes"], ["value"], ["crashes"], ["value"], ["hangs"], ["value"]
    ]  # fmt: skip
    assert answers["dies"] == {"crashes": "ended by signal 6"}
    assert answers["ends"] == {"crashes": "ended with exit code 3"}


def test_adapters_are_asked_in_children_as_they_are_here() -> None:
    cases = BY_GROUP["duplicates"] + BY_GROUP["neighbours"]
    record = runner.run("untied_evaluate", sys.executable, cases)
    here = asked(untied_evaluate, cases)
    assert record["package"] == "untied"
    assert record["outcomes"].keys() == {case for case, one in here.items() if one.kind != "not offered"}
    assert {one["kind"] for one in record["outcomes"].values()} == {"exact"}


def test_pages_and_records_are_of_these_cases_and_adapters() -> None:
    assert [path.name for path, text in page.generated().items() if path.read_text(encoding="utf-8") != text] == []
    named = {case["case"] for case in CASES}
    for record in page.results():
        assert set(record["outcomes"]) <= named, record["evaluator"]
        about = runner.about(record["evaluator"])
        assert (record["package"], record["how"]) == (about["package"], about["how"])


def test_every_fault_that_is_explained_has_its_report() -> None:
    reports = {path.name for path in (ROOT / "conformance" / "reports").glob("*.md")}
    stated = {one["report"] for parts in page.EXPLAINED.values() for one in parts.values()}
    assert stated - {""} <= reports
