"""Every input that is refused is told of, not only the first."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import untied
from commands import Command
from test_golden_cli import parser_of
from untied.cli import COMMANDS

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
    assert (code, out) == (2, "")
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
    assert (code, out) == (2, "")
    assert begin_alike(err, [BAD[0], BAD[2]]), "nothing is left"


def test_qrels_too(run: Run) -> None:
    for command in ("eval", "check"):
        code, out, err = run(command, "good.run", *RUNS)
        assert (code, out) == (2, "")
        assert begin_alike(err, ["untied: good.run, line 1: expected 4 columns", *BAD, "untied: QRELS comes first"]), (
            err
        )


def test_check_tells_of_all_and_shows_what_is_fine(run: Run) -> None:
    code, out, err = run("check", "qrels", *RUNS)
    assert code == 2
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


#: A command line of every command that succeeds, or to which `untied gate` says no.
ACCEPTED = {
    "eval": "qrels good.run",
    "compare": "good.run better.run",
    "passages": "good.passages better.passages",
    "stats": "qrels good.run better.run --samples 9",
    "judges": "qrels qrels good.run better.run",
    "certify": "qrels good.run better.run -m P@1 --certificate certificate.json",
    "verify": "certificate.json qrels good.run better.run",
    "report": "qrels good.run better.run -o page.html",
    "check": "qrels good.run",
    "gate": "qrels good.run --max AP=0",
    "curve": "qrels good.run --query q",
    "features": "letor",
    "judge-next": "qrels good.run",
    "sample": "qrels --rate 1",
    "convert": "run good.run",
    "study": "ties qrels good.run better.run -o study --plots none",
    "measures": "AP",
    "completion": "bash",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_whatever_is_refused_ends_with_2(run: Run, command: str, tmp_path: Path) -> None:
    """One meaning for every exit code: 1 is a negative answer of gate and verify, 2 a refusal of any command."""
    if command == "trec_eval":  # has trec_eval's codes
        return
    Path("letor").write_text("1 qid:1 1:0.5 2:0.1\n0 qid:1 1:0.2 2:0.3\n")
    Path("broken").write_text("? ? ?\n")
    for passages in ("good.passages", "better.passages"):
        Path(passages).write_text("q d 0 9 1 2.0 t\n")
    if command == "verify":
        assert run("certify", *ACCEPTED["certify"].split())[0] == 0
    words = [command, *ACCEPTED[command].split()]
    code, _, err = run(*words)
    assert code == (command == "gate"), err
    refused = [[*words, "--nope"], *([*words, option, "?"] for option in _of_one_kind(words))]
    for place, word in enumerate(words):
        if Path(word).is_file() and words[place - 1] not in ("-o", "--certificate"):
            refused += [[*words[:place], other, *words[place + 1 :]] for other in ("nowhere", "broken")]
    if {"-o", "--output"} & _options(words):
        others = [word for place, word in enumerate(words) if "-o" not in (word, words[place - 1])]
        refused.append([*others, "-o", "good.run/x" if command == "study" else "nowhere/x"])
    if "-m" in _options(words):
        refused.append([*words, "-m", "Nope"])
    if command == "measures":
        refused.append([*words, "Nope"])
    for line in refused:
        code, out, err = run(*line)
        is_no = command == "verify" and line[1] == "broken"  # a certificate that says nothing proves nothing
        assert code == (1 if is_no else 2), (line, out, err)
        assert is_no or (err[0].startswith(f"untied{' ' if ': error:' in err[0] else ':'}") or "bad input" in err[0])
    assert len(refused) >= 1 + (command not in ("measures", "completion"))


def _options(words: list[str]) -> set[str]:
    made = parser_of(words)
    return set() if made is None else {name for one in made[0].declared for name in one.names}


def _of_one_kind(words: list[str]) -> list[str]:
    """The options whose values are of some kind, so that a question mark is none, and that are not in a line yet."""
    made = parser_of(words)
    assert made is not None
    of_kinds = [one for one in made[0].declared if one.is_option and {"choices", "type"} & one.options.keys()]
    return [one.name for one in of_kinds if not {*one.names} & {*words}]


def test_a_missing_file_may_be_another(run: Run, tmp_path: Path) -> None:
    missing = "No such file or directory"
    assert run("eval", "qrel", "good.run")[2] == [f"untied: qrel: {missing}; did you mean qrels?"]
    assert run("check", "qrels", "bettr.run")[2] == [
        f"untied: bettr.run: {missing}; did you mean better.run or text.run?"
    ]
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25\x1b.run").write_text("q Q0 d 1 2 t\n")
    assert run("features", "runs/bm25.run")[2] == [
        f"untied: runs/bm25.run: {missing}; did you mean runs/bm25\\u{{1b}}.run?"
    ]
    assert run("eval", "qrels", "nowhere/good.run")[2] == [f"untied: nowhere/good.run: {missing}"]
    assert run("eval", "qrels", "zzzz")[2] == [f"untied: zzzz: {missing}"]


OF_NOTHING = ["DCG(gain={1: 0})", "nDCG(discount=[0, 0])@2", "Cascade(gain={1: 0}, go_on={1: 0.5})"]


@pytest.mark.parametrize("measure", [*OF_NOTHING, "Utility(weights=[0, 0, 0, 0])"])
def test_a_measure_of_which_everything_is_worth_nothing(measure: str) -> None:
    with pytest.raises(untied.UntiedError, match=r"must not be 0, or every ranking is worth 0"):
        untied.evaluate({"q": {"a": 1}}, {"q": ["a"]}, measure)


@pytest.mark.parametrize("measure", ["MED(DCG(gain={1: 0})@3)", "Delta(nDCG(discount=[0])@1)"])
def test_a_difference_in_one(measure: str) -> None:
    with pytest.raises(untied.UntiedError, match=r"must not be 0, or every ranking is worth 0"):
        untied.compare(["a"], ["b"], measure)
