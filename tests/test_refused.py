"""Every input that is refused is told of, not only the first."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import untied
from commands import Command

Run = Callable[..., tuple[int, str, list[str]]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, untied_: Command) -> Run:
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    (tmp_path / "good.run").write_text("q Q0 d 1 2 t\n")
    (tmp_path / "better.run").write_text("q Q0 d 1 2 t\nq Q0 e 1 1 t\n")
    (tmp_path / "short.run").write_text("q Q0 d\n")
    (tmp_path / "text.run").write_text("q Q0 d 1 x t\n")
    (tmp_path / "two.run").write_text("q Q0 d 1 2 bm25\nq Q0 e 1 1 bm25\np Q0 d 1 2 dense\n")
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> tuple[int, str, list[str]]:
        code, out, err = untied_(*arguments)
        return code, out, err.splitlines()

    return command


BAD = [
    "untied: short.run, line 1: expected 6 columns",
    "untied: absent.run: No such file or directory",
    'untied: text.run, line 1: expected a number as the score, found "x"',
]
RUNS = ["short.run", "good.run", "absent.run", "text.run", "better.run"]


def begin_alike(lines: list[str], expected: list[str]) -> bool:
    return len(lines) == len(expected) and all(map(str.startswith, lines, expected))


def test_eval_tells_of_all_and_prints_nothing(run: Run) -> None:
    code, out, err = run("eval", "qrels", *RUNS)
    assert (code, out) == (1, "")
    assert begin_alike(err, BAD), err


def test_eval_keeps_going(run: Run) -> None:
    code, out, err = run("eval", "qrels", *RUNS, "-m", "AP", "--keep-going")
    assert code == 0
    assert [line.split("\t")[0] for line in out.splitlines()[1:]] == ["good", "better"]
    assert err[0] == "note: runs skipped: 3 of 5"
    assert begin_alike(err[1:4], [line.replace("untied", "note: skipped") for line in BAD]), err
    code, out, _ = run("eval", "qrels", *RUNS, "-m", "AP", "--keep-going", "--format", "json")
    assert code == 0
    assert "runs skipped: 3 of 5" in json.loads(out)["notes"]
    code, out, err = run("eval", "qrels", "short.run", "text.run", "--keep-going")
    assert (code, out) == (1, "")
    assert begin_alike(err, [BAD[0], BAD[2]]), "nothing is left"


def test_qrels_too(run: Run) -> None:
    for command in ("eval", "check"):
        code, out, err = run(command, "good.run", *RUNS)
        assert (code, out) == (1, "")
        assert begin_alike(err, ["untied: good.run, line 1: expected 4 columns", *BAD, "untied: QRELS comes first"]), (
            err
        )


def test_check_tells_of_all_and_shows_what_is_fine(run: Run) -> None:
    code, out, err = run("check", "qrels", *RUNS)
    assert code == 1
    assert re.findall(r"^(\S+): ", out, re.M) == ["qrels", "good.run", "better.run"]
    assert begin_alike(err, BAD), err


def test_check_finds_several_runs_in_one_file(run: Run) -> None:
    code, out, _ = run("check", "qrels", "two.run", "better.run")
    assert code == 0
    found = [line for line in out.splitlines() if "run tags" in line]
    assert found == ["! several run tags; perhaps several runs are in one file: 2 (bm25, dense)"]


def test_many_tags_are_counted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "many.run").write_text("".join(f"q{n} Q0 d 1 2 tag{n % 1000:03}\n" for n in range(60_000)))
    _, out, _ = run("check", "qrels", "many.run")
    assert "file: 1,000 (tag000, tag001, tag002, tag003, tag004 and 995 more)" in out


OF_NOTHING = ["DCG(gain={1: 0})", "nDCG(discount=[0, 0])@2", "Cascade(gain={1: 0}, go_on={1: 0.5})"]


@pytest.mark.parametrize("measure", [*OF_NOTHING, "Utility(weights=[0, 0, 0, 0])"])
def test_a_measure_of_which_everything_is_worth_nothing(measure: str) -> None:
    with pytest.raises(untied.UntiedError, match=r"must not be 0, or every ranking is worth 0"):
        untied.evaluate({"q": {"a": 1}}, {"q": ["a"]}, measure)


@pytest.mark.parametrize("measure", ["MED(DCG(gain={1: 0})@3)", "Delta(nDCG(discount=[0])@1)"])
def test_a_difference_in_one(measure: str) -> None:
    with pytest.raises(untied.UntiedError, match=r"must not be 0, or every ranking is worth 0"):
        untied.compare(["a"], ["b"], measure)
