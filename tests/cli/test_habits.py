"""Habits of the command line: suggestions, folders, orders of rows, marks, runs that cannot be read, completion."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import untied
from untied.cli import completion
from untied.cli.commands import COMMANDS
from untied.cli.study import arguments_parser as of_study

QRELS = "q 0 a 1\nq 0 b 0\nr 0 a 1\n"
#: First among equals by score; last by rank.
GOOD = "q Q0 a 2 9 one\nq Q0 b 1 8 one\nr Q0 a 1 1 one\n"
TIED = "q Q0 a 1 1 two\nq Q0 b 1 1 two\nr Q0 a 1 1 two\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for name, content in {"qrels": QRELS, "runs/good.run": GOOD, "runs/tied.run": TIED, "runs/.hidden": "x"}.items():
        Path(name).write_text(content, encoding="utf-8")


@pytest.mark.parametrize(("line", "meant"), [
    ("evla qrels r", "untied: unknown command 'evla'; did you mean eval?"),
    ("eval qrels r --tise range", "untied eval: error: unknown option --tise; did you mean --ties"),
    ("eval qrels r --sortby=AP", "untied eval: error: unknown option --sortby; did you mean --sort-by"),
    ("eval qrels r --latex", "unknown option --latex; did you mean --format latex?"),
    ("stats qrels r s --json", "unknown option --json; did you mean --format json?"),
    ("gate qrels r --json", "unknown option --json; did you mean --format json?"),
    ("certify qrels r s --latex", "unknown option --latex; did you mean --format latex?"),
    ("compare r s --latex", "--latex; only untied eval, stats and certify write --format latex; this command writes"),
    ("compare r s --format latex", "must be auto, table, tsv, csv, json or md, not 'latex'"),
    ("eval qrels r --format tbale", "tsv, csv, json, md or latex, not 'tbale'; did you mean table?"),
    ("eval qrels r --run-format trek", "not 'trek'; did you mean trec"),
    ("eval qrels r --qrels-format groop", "not 'groop'; did you mean groups"),
    ("stats qrels r s --test tukee", "not 'tukee'; did you mean tukey?"),
    ("study tise qrels r -o x", "untied: unknown study 'tise'; did you mean ties?"),
    ("completion bsah", "must be bash, zsh or fish, not 'bsah'; did you mean bash?"),
    ("eval", "untied eval: error: missing: QRELS, RUN"),
    (
        "eval qrels r -o x.xls",
        "-o x.xls: expected a suffix of .tsv, .csv, .json, .md, .tex, .svg, .png or .pdf, found .xls",
    ),
])  # fmt: skip
def test_wrong_usage_is_told_before_anything_is_read(untied_, line: str, meant: str) -> None:
    code, out, err = untied_(*line.split())
    assert (code, out) == (2, "")
    assert meant in err
    assert len(err.splitlines()) <= 2


def test_measures_among_the_files_are_told_where_they_belong(untied_) -> None:
    code, _, err = untied_("eval", "qrels", "runs/good.run", "nDCG@10")
    assert (code, err) == (2, "untied: nDCG@10: No such file or directory; did you mean -m nDCG@10?\n")


@pytest.mark.parametrize("command", ["eval", "check", "stats"])
def test_a_folder_with_other_files_gets_advice(untied_, command: str) -> None:
    Path("runs/LICENSE").write_text("MIT License\n", encoding="utf-8")
    advice = "untied: --keep-going skips files that are not runs"
    assert untied_(command, "qrels", "runs")[2].splitlines()[-1] == advice
    assert advice not in untied_(command, "qrels", "runs", "--keep-going")[2]
    assert advice not in untied_(command, "qrels", "runs/good.run", "runs/LICENSE", "runs/tied.run")[2]


def test_folders_and_globs_are_runs(untied_) -> None:
    listed = untied_("eval", "qrels", "runs/good.run", "runs/tied.run")
    assert listed[0] == 0
    assert untied_("eval", "qrels", "runs") == untied_("eval", "qrels", "runs/*.run") == listed
    shutil.move("qrels", "runs/qrels.txt")
    assert untied_("eval", "runs/qrels.txt", "runs")[:2] == listed[:2]
    Path("empty").mkdir()
    assert untied_("check", "runs/qrels.txt", "empty")[::2] == (2, "untied: empty: no run in this folder\n")
    assert untied_("compare", "no*.run")[::2] == (2, "untied: no*.run: no file matches this pattern\n")


def test_the_best_run_first(untied_) -> None:
    def runs(*options: str) -> list[str]:
        out = untied_("eval", "qrels", "runs/tied.run", "runs/good.run", *options)[1]
        return list(dict.fromkeys(line.split("\t")[0] for line in out.splitlines()[1:]))

    assert runs("-m", "AP") == ["tied", "good"]
    assert runs("-m", "AP", "--sort-by", "AP") == ["good", "tied"]
    assert runs("-m", "AP", "-q", "--sort-by", "map") == ["good", "tied"]
    assert runs("-m", "AP", "--sort-by", "ESL") == ["good", "tied"], "the lowest is the best, and is computed"
    results = untied.evaluate("qrels", ["runs/tied.run", "runs/good.run"], ["ESL"])
    assert results["good", "ESL"].mean < results["tied", "ESL"].mean


def test_stats_sort_by_a_measure_that_is_not_tested(untied_) -> None:
    def rows(*options: str) -> list[dict[str, str]]:
        code, out, err = untied_("stats", "qrels", "runs/tied.run", "runs/good.run", *options)
        assert code == 0, err
        return list(csv.DictReader(out.splitlines(), delimiter="\t"))

    plain, by_other = rows("-m", "AP"), rows("-m", "AP", "--sort-by", "ESL")
    assert [(row["measure"], row["run_a"]) for row in plain] == [("AP", "tied")]
    assert [(row["measure"], row["run_a"]) for row in by_other] == [("AP", "good")]
    assert by_other == rows("-m", "AP", "--sort-by", "AP")
    assert rows("-m", "AP", "--sort-by", "ESL", "--ties", "range", "--shuffle") == rows(
        "-m", "AP", "--sort-by", "AP", "--ties", "range", "--shuffle"
    )


def test_the_widest_range_first(untied_) -> None:
    Path("more").write_text("q Q0 a 1 1 x\nq Q0 b 1 1 x\nr Q0 a 1 2 x\nr Q0 c 1 2 x\nr Q0 d 1 2 x\n", encoding="utf-8")

    def rows(*options: str) -> list[tuple[str, str]]:
        code, out, err = untied_("eval", "qrels", "runs/tied.run", "runs/good.run", "more", *options)
        assert code == 0, err
        found = json.loads(out)["results"] if "json" in options else csv.DictReader(out.splitlines(), delimiter="\t")
        return list(dict.fromkeys((row["run"], row["query"]) for row in found))

    by_range = ("-m", "P@1", "-m", "RR", "--ties", "range")
    assert rows(*by_range) == [("tied", "all"), ("good", "all"), ("more", "all")]
    # Of RR, q can be .5 to 1 and r 1/3 to 1 in `more`; by P@1, all of them 0 to 1.
    widest = [("more", "r"), ("more", "q"), ("more", "all"), ("tied", "q"), ("tied", "r"), ("tied", "all")]
    widest += [("good", "q"), ("good", "r"), ("good", "all")]
    for more in ([], ["--wide"], ["--format", "json"]):
        assert rows(*by_range, "-q", "--sort-by", "width of recip_rank", *more) == widest
    assert rows(*by_range, "-q", "--sort-by", "width")[:2] == [("more", "q"), ("more", "r")], "of the first measure"
    assert rows(*by_range, "--sort-by", "width of RR") == [("more", "all"), ("tied", "all"), ("good", "all")]
    assert rows("-m", "P@1", "--sort-by", "width of AP", "--unjudged", "range") == [
        ("more", "all"), ("tied", "all"), ("good", "all"),
    ], "of a measure that is not asked for otherwise, over judgments"  # fmt: skip
    assert rows("-m", "AP", "-q", "--sort-by", "AP")[0] == ("good", "q"), "queries are in order of their ids"


@pytest.mark.parametrize(("asked", "refusal"), [
    ("width", "--sort-by width needs --ties range or --unjudged range"),
    ("width AP", "--sort-by must be MEASURE, width or 'width of MEASURE', not 'width AP'"),
    ("width of", "--sort-by must be MEASURE, width or 'width of MEASURE', not 'width of'"),
    ("widht", 'unknown measure "widht"; untied measures lists all; --sort-by also takes width or \'width of MEASURE\''),
    ("", "expected a measure's name, found the end"),
])  # fmt: skip
def test_what_sort_by_cannot_mean(untied_, asked: str, refusal: str) -> None:
    code, out, err = untied_("eval", "missing", "runs", "--sort-by", asked)
    assert (code, out) == (2, "")
    assert refusal in err


def test_tables_mark_what_ties_leave_open(untied_) -> None:
    _, out, _ = untied_("eval", "qrels", "runs", "-m", "AP", "-m", "R@5", "--format", "table")
    assert out.splitlines() == [
        "run        AP       R@5",
        "good   1.0000    1.0000",
        "tied   0.8750~   1.0000",
        "~ depends on the order of tied documents; --ties range shows how far",
    ]
    _, out, _ = untied_("eval", "qrels", "runs/good.run", "--format", "table")
    assert "~" not in out
    _, out, _ = untied_("eval", "qrels", "runs", "--format", "table", "--ties", "docid")
    assert "~" not in out


def test_wide(untied_) -> None:
    _, out, _ = untied_("eval", "qrels", "runs", "-q", "--wide", "-m", "AP", "-m", "num_ret", "--ties", "range")
    assert out.splitlines()[:3] == [
        "run\tquery\tAP\tAP low\tAP high\tNumRet\tNumRet low\tNumRet high",
        "good\tq\t1.0000\t1.0000\t1.0000\t2\t2\t2",
        "good\tr\t1.0000\t1.0000\t1.0000\t1\t1\t1",
    ]
    assert untied_("eval", "qrels", "runs", "--wide", "--format", "json")[0] == 2


def test_by_rank(untied_) -> None:
    """Ranks order, scores are not read, and equal ranks are tied."""
    by_rank: dict[str, Any] = {"run_format": "trec-ranks"}
    assert "good\tall\tAP\t0.7500" in untied_("eval", "qrels", "runs", "-m", "AP", "--run-format", "trec-ranks")[1]
    assert "tied\tall\tAP\t0.8750" in untied_("eval", "qrels", "runs", "-m", "AP", "--run-format", "trec-ranks")[1]
    found = untied.evaluate("qrels", "runs/good.run", ["AP"], **by_rank)
    assert found["AP"].mean == 0.75
    assert untied.Evaluator("qrels", ["AP"]).evaluate("runs/good.run", **by_rank)["AP"].mean == 0.75
    assert untied.evaluate("qrels", untied.read_run("runs/good.run", format="trec-ranks"), ["AP"])["AP"].mean == 0.75
    shuffled = sorted(GOOD.splitlines(keepends=True), reverse=True)
    Path("shuffled").write_text("".join(shuffled).replace(" 9 ", " no-score "), encoding="utf-8")
    assert untied.evaluate("qrels", "shuffled", ["AP"], **by_rank)["AP"].mean == 0.75
    told = json.loads(untied_("eval", "qrels", "runs", "--run-format", "trec-ranks", "--format", "json")[1])
    assert told["settings"]["run_format"] == "trec-ranks"
    Path("none").write_text("q Q0 a - 1 t\n", encoding="utf-8")
    assert untied_("eval", "qrels", "none", "--run-format", "trec-ranks")[::2] == (
        2, 'untied: none, line 1: expected a number as the rank, found "-"\n',
    )  # fmt: skip
    for run in ({"q": {"a": 1.0}}, untied.Run({"q": {"a": 1.0}}), [("q", "a", 1.0)]):
        with pytest.raises(
            untied.UntiedError, match=f"run format 'trec-ranks' is for files, not for a {type(run).__name__}"
        ):
            untied.evaluate({"q": {"a": 1}}, {"name": run}, **by_rank)
    with pytest.raises(untied.UntiedError, match=r"run_format must be auto, trec, .*, not 'rank'"):
        untied.evaluate("qrels", "absent", run_format="rank")  # type: ignore[arg-type]
    assert untied_("eval", "qrels", "runs/good.run", "--run-format", "trec-ranks", "--stream")[::2] == (
        2,
        "untied: runs/good.run: only runs of format trec, csv, tsv, jsonl or parquet can be streamed, not trec-ranks\n",
    )


def test_names_by_run_tag(untied_) -> None:
    _, out, _ = untied_("eval", "qrels", "runs", "-m", "AP", "--names", "tag")
    assert [line.split("\t")[0] for line in out.splitlines()[1:]] == ["one", "two"]
    assert "\tone\ttwo\t" in untied_("stats", "qrels", "runs", "--names", "tag", "--format", "tsv")[1]
    shutil.copy("runs/good.run", "runs/same.run")
    assert untied_("eval", "qrels", "runs", "--names", "tag")[::2] == (
        2, "untied: --names tag: runs/good.run and runs/same.run have the run tag one; leave out --names\n",
    )  # fmt: skip
    Path("x.tsv").write_text("query\tdocument\tscore\nq\ta\t1\n", encoding="utf-8")
    assert "x.tsv has no run tag" in untied_("eval", "qrels", "x.tsv", "--names", "tag")[2]


@pytest.mark.parametrize("command", ["eval", "check", "stats", "compare", "report"])
def test_bad_runs_are_all_told_and_can_be_skipped(untied_, command: str) -> None:
    Path("short").write_text("q Q0 a\n", encoding="utf-8")
    given = [command, *(["qrels"] if command != "compare" else []), "runs", "short", "nowhere"]
    given += ["-o", "page.html"] if command == "report" else []
    code, out, err = untied_(*given)
    assert code == 2
    assert out == "" or command == "check"
    assert [line.split(",")[0] for line in err.splitlines()] == [
        "untied: short", "untied: nowhere: No such file or directory",
    ]  # fmt: skip
    code, out, err = untied_(*given, "--keep-going")
    assert code == 0
    assert "note: runs skipped: 2 of 4\n" in err
    assert "note: skipped: nowhere: No such file or directory\n" in err
    assert "good" in out or Path("page.html").stat().st_size > 1000
    few = [word for word in given if word != "runs"]
    assert untied_(*few, "--keep-going")[0] == 2, "nothing is left"


def test_colours_need_a_terminal_and_can_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from untied.cli import paint

    class Terminal:
        def isatty(self) -> bool:
            return True

    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert paint("x", "red", Terminal()) == "\x1b[31mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint("x", "red", Terminal()) == "x"
    monkeypatch.setenv("NO_COLOR", "")
    monkeypatch.setenv("TERM", "dumb")
    assert paint("x", "red", Terminal()) == "x"
    assert paint("x", "red", None) == "x"


def test_notes_are_broken_between_words(untied_, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = untied_("eval", "qrels", "runs/tied.run", "-m", "AP")[2]
    assert whole.count("\n") == 1
    monkeypatch.setattr("untied.cli.notes.width", lambda stream: 60)
    *first, last = untied_("eval", "qrels", "runs/tied.run", "-m", "AP")[2].splitlines()
    assert all(len(line) <= 60 for line in (*first, last))
    assert " ".join(line.strip() for line in (*first, last)) == whole.strip()


def test_stats_fit_the_terminal(untied_, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("stats", "qrels", "runs", "-m", "AP", "--ties", "range", "--format", "table")
    _, whole, _ = untied_(*command)
    assert "hidden" not in whole
    for columns in (80, 100, 120):
        monkeypatch.setattr("untied.cli.stats.width", lambda columns=columns: columns)
        _, out, _ = untied_(*command)
        assert all(len(line) <= columns for line in out.splitlines())
        assert "better/equal/worse" in out.partition("hidden:")[0]
        assert "survives" in out.splitlines()[1]


def test_a_run_without_a_tag_is_skipped(untied_) -> None:
    Path("bad.run").write_text("nothing\n", encoding="utf-8")
    for command in (("eval", "qrels"), ("stats", "qrels", "runs/tied.run"), ("compare", "runs/tied.run")):
        code, out, err = untied_(*command, "runs/good.run", "bad.run", "--names", "tag", "--keep-going")
        assert code == 0, err
        assert "one" in out
        assert "skipped: bad.run, line 1: expected 6 columns" in err
    assert untied_("eval", "qrels", "runs/good.run", "bad.run", "--names", "tag")[0] == 2


@pytest.mark.parametrize("command", [*COMMANDS, "study med", "study incomplete", ""])
def test_help_fits_80_columns(untied_, command: str) -> None:
    if command == "trec_eval":
        return  # as trec_eval has it
    code, out, _ = untied_(*command.split(), "--help")
    assert code == 0
    assert [line for line in out.splitlines() if len(line) > 80] == []
    assert "as for" not in out


@pytest.mark.parametrize("shell", completion.SCRIPTS)
def test_completion_names_everything(untied_, shell: str) -> None:
    code, out, _ = untied_("completion", shell)
    assert code == 0
    for command in COMMANDS:
        assert command in out
    options = {name for action in of_study("med").full()._actions for name in action.option_strings}
    assert all(option.lstrip("-") in out for option in options)
    if shutil.which(shell) and os.name == "posix":
        Path("script").write_text(out, encoding="utf-8")
        subprocess.run([shell, "-n", "script"], check=True)
