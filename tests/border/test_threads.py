"""Calls from several of Python's threads at once, with or without its global lock: no thread sees another's work."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

import untied
from untied.inputs import mismatch

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "tar2017"
QRELS = EXAMPLE / "qrels.txt"
RUNS = sorted(EXAMPLE.glob("*.run"))
MEASURES = ["AP", "nDCG@10", "RBP", "Bpref"]
#: More than there are processors.
THREADS = 8
T = TypeVar("T")


def at_once(work: Callable[[int], T], count: int = THREADS) -> list[T]:
    """What work gives for each number, by threads that start together."""
    barrier = threading.Barrier(count)

    def one(number: int) -> T:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(one, range(count)))


def test_runs_and_qrels_are_shared_by_threads() -> None:
    qrels, runs = untied.Qrels(QRELS), [untied.Run(path) for path in RUNS]

    def values(number: int) -> list[list[dict[str, object]]]:
        return [
            untied.evaluate(qrels, run, MEASURES, ties="range", threads=1 + number % 3).per_query.to_dicts()
            for run in [*runs[number % len(runs) :], *runs[: number % len(runs)]]
        ]

    alone = values(0)
    for number, found in enumerate(at_once(values)):
        turn = number % len(runs)
        assert found == [*alone[turn:], *alone[:turn]]


def test_one_evaluator_is_called_by_threads() -> None:
    evaluator = untied.Evaluator(QRELS, MEASURES)
    alone = [evaluator.evaluate(path).per_query.to_dicts() for path in RUNS]
    assert at_once(lambda _: [evaluator.evaluate(path).per_query.to_dicts() for path in RUNS]) == [alone] * THREADS


def test_notes_of_one_thread_are_not_anothers() -> None:
    """What collects warnings here, as reports do, neither takes those of other threads nor lets its own out."""
    strange = {"CD008081": {"zzz": 1.0}}
    entered, left = threading.Event(), threading.Event()

    def collect() -> list[str]:
        with mismatch.CollectedNotes() as notes:
            entered.set()
            assert left.wait(10)
        return notes

    with ThreadPoolExecutor(1) as other:
        collected = other.submit(collect)
        assert entered.wait(10)
        try:
            with pytest.warns(untied.UntiedWarning, match="no document"):
                untied.evaluate(QRELS, strange, ["AP"])
        finally:
            left.set()
        assert collected.result() == []


def test_notes_are_of_the_innermost_context() -> None:
    with mismatch.CollectedNotes() as outer:
        mismatch.warn_or_raise("one")
        with mismatch.CollectedNotes() as inner:
            mismatch.warn_or_raise("two")
        mismatch.warn_or_raise("three")
    assert (outer, inner) == (["one", "three"], ["two"])


def test_a_name_is_given_to_one_of_many_definitions() -> None:
    """Each of these is in another place; the first has the name, and all others are told so."""

    def define(number: int) -> str | None:
        exec(compile(f"def f{number}(grades): return 0.0", f"place{number}.py", "exec"), functions := {})
        try:
            untied.measure(name="GivenOnce")(functions[f"f{number}"])
        except untied.UntiedError as error:
            return str(error)
        return None

    refused = [told for told in at_once(define) if told is not None]
    assert len(refused) == THREADS - 1
    assert all("GivenOnce is already defined, by " in told for told in refused)


def test_formulas_of_threads_do_not_meet() -> None:
    """A formula that evaluates is not taken to evaluate itself when another thread is in it too."""

    @untied.measure(name="MeanOfShared")
    def shared(grades: list[float]) -> float:
        return sum(grades) / len(grades) if grades else 0.0

    def value(number: int) -> float:
        qrels = {"q": {"a": 1, "b": number}}
        return untied.evaluate(qrels, {"q": {"a": 2.0, "b": 1.0}}, [shared]).value("MeanOfShared")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", untied.UntiedWarning)
        assert at_once(value) == [(1 + number) / 2 for number in range(THREADS)]
