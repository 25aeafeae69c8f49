"""The study of judging until decided, on a small collection."""

from __future__ import annotations

import pathlib
import random

import pytest

import untied
from study_data import collection, contents
from untied import study
from untied.cli import main
from untied.judging.sample import ranked
from untied.study.judging import STRATEGIES, _PairState


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, list[pathlib.Path]]:
    return collection(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def found(data: tuple[pathlib.Path, list[pathlib.Path]], tmp_path_factory: pytest.TempPathFactory) -> study.Result:
    folder = tmp_path_factory.mktemp("out")
    return study.judging(*data, folder, measures=["P@4", "nDCG@4"], pairs=5, depth=4, batch=3)


def state(data: tuple[pathlib.Path, list[pathlib.Path]], measure: str) -> _PairState:
    qrels = untied.read_qrels(data[0])
    runs = {}
    for path in (data[1][0], data[1][5]):
        run = untied.read_run(path)
        runs[path.stem] = {query: ranked(run, query)[:4] for query in qrels.queries()}
    return _PairState({query: dict(qrels[query]) for query in qrels.queries()}, runs, measure, None)


@pytest.mark.parametrize("measure", ["P@4", "nDCG@4"])
@pytest.mark.filterwarnings("ignore:queries in common with the qrels, but no document")
def test_needed_is_the_first_number_that_decides(data: tuple[pathlib.Path, list[pathlib.Path]], measure: str) -> None:
    held = state(data, measure)
    assert held.is_decided(held.documents)
    for order in (held.pooling(random.Random(1)), held.move_to_front(random.Random(1)), held.foresight()):
        assert sorted(order) == sorted(held.documents)
        decided = [held.is_decided(order[:number]) for number in range(len(order) + 1)]
        assert decided == sorted(decided)  # once decided, a verdict stays
        assert held.needed(order) == decided.index(True)
    # As the verdict of `certify` about the same judgments without the query of all grades.
    order = held.pooling(random.Random(1))
    some = {query: {"none": 0.0} for query in held._truth}
    for query, document in order:
        some[query][document] = held.grade(query, document)
    verdict = untied.certify(some, held._runs, measure).between(*held._runs)
    assert verdict.verdict != "open"


def test_move_to_front_stays_with_the_run_that_finds(data: tuple[pathlib.Path, list[pathlib.Path]]) -> None:
    truth = {"q": {"a1": 1.0, "a2": 0.0, "b1": 0.0, "b2": 1.0}}
    held = _PairState(truth, {"a": {"q": ["a1", "a2", "a3"]}, "b": {"q": ["b1", "b2", "b3"]}}, "P@3", None)
    # a1 is relevant; a2 is not, so b1 is next, and is not; then a3 and b2 have turns.
    assert [document for _, document in held.move_to_front(random.Random(0))] == ["a1", "a2", "b1", "a3", "b2", "b3"]


def test_rows(found: study.Result) -> None:
    rows = found.tables["judging"].to_dicts()
    assert len(rows) == 2 * 5 * len(STRATEGIES)
    for start in range(0, len(rows), len(STRATEGIES)):
        of_pair = rows[start : start + len(STRATEGIES)]
        assert [row["strategy"] for row in of_pair] == list(STRATEGIES)
        needed = {row["strategy"]: row["judgments"] for row in of_pair}
        assert all(0 < number <= of_pair[0]["documents"] for number in needed.values())
        if of_pair[0]["measure"] == "P@4":
            assert needed["foresight"] == min(needed.values())
    for row in found.tables["judging-strategies"].to_dicts():
        mine = [one for one in rows if (one["measure"], one["strategy"]) == (row["measure"], row["strategy"])]
        assert row["pairs"] == len(mine) == 5
        assert row["decided"] == sum(one["judgments"] is not None for one in mine)
        assert row["median"] == sorted(one["judgments"] for one in mine)[2]
    assert "judging-decided.svg" in found.files
    assert "| until decided | 5 of 5 |" in found.summary


def test_equal_runs_are_never_decided(tmp_path: pathlib.Path) -> None:
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}}
    runs = {"one": {query: ["a", "b"] for query in qrels}, "two": {query: ["a", "b"] for query in qrels}}
    found = study.judging(qrels, runs, tmp_path, measures="P@2", plots="none")
    assert {row["judgments"] for row in found.tables["judging"].to_dicts()} == {None}
    assert "| random | 0 of 1 |  |  | 0 |" in found.summary


def test_the_command_and_seeds(
    data: tuple[pathlib.Path, list[pathlib.Path]], tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["study", "judging", *map(str, [data[0], *data[1][::2]]), "-m", "P@3", "--depth", "3"]
    for folder, seed in (("one", "1"), ("again", "1")):
        assert main([*arguments, "--pairs", "2", "--seed", seed, "--plots", "none", "-o", str(tmp_path / folder)]) == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "again")
    assert main([*arguments, "--pairs", "0", "-o", str(tmp_path / "none")]) == 2
    assert "pairs must be at least 1" in capsys.readouterr().err
