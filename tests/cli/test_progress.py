"""The line that tells how far long work is."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading

import pytest

import untied
from untied.cli import progress
from untied.cli.progress import Bar
from untied.progress import Parts, _from_core, begin_part, each, observe, steps
from untied.report import report


class Screen(io.StringIO):
    encoding = "ascii"

    def shown(self):
        """What stands in the line now."""
        return self.getvalue().rsplit("\r", 1)[-1].removesuffix("\x1b[K")


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])

    def wait(seconds):
        now[0] += seconds

    return wait


def test_nothing_is_shown_before_a_second_and_nothing_stays(clock):
    screen = Screen()
    bar = Bar(screen)
    bar("reading a", "bytes", 10, 100)
    clock(0.9)
    bar("reading a", "bytes", 20, 100)
    bar("", "", 0, None)
    assert screen.getvalue() == ""
    clock(0.2)
    bar("reading a", "bytes", 25_000_000, 100_000_000)
    assert screen.shown() == "reading a  ######------------------   25%  25 of 100 MB  3 s left"
    clock(0.05)
    bar("reading a", "bytes", 90_000_000, 100_000_000)
    assert "25%" in screen.shown()  # not more often than the eye sees
    bar("", "", 0, None)
    assert screen.shown() == ""


def test_work_that_begins_again_has_time_left(clock):
    screen = Screen()
    bar = Bar(screen)
    for done in (0, 60):
        bar("testing", "values", done, 100)
        clock(2)
    bar("testing", "values", 10, 100)
    assert screen.shown() == "testing  ##----------------------   10%  10 of 100 values"
    clock(2)
    bar("testing", "values", 40, 100)
    assert screen.shown() == "testing  #########---------------   40%  40 of 100 values  4 s left"


def test_without_a_total_there_is_an_amount_and_a_speed(clock):
    screen = Screen()
    bar = Bar(screen)
    bar("reading -", "bytes", 0, None)
    clock(2)
    bar("reading -", "bytes", 3_000_000_000, None)
    assert screen.shown() == "reading -  3.0 GB  1.5 GB/s"


@pytest.mark.parametrize("columns", range(1, 90))
def test_the_line_never_wraps(clock, monkeypatch, columns):
    monkeypatch.setattr(Bar, "_width", lambda self: columns)
    screen = Screen()
    bar = Bar(screen)
    bar("run 3 of 20: reading runs/bm25.run", "bytes", 0, 10**9)
    clock(5)
    bar("run 3 of 20: reading runs/bm25.run", "bytes", 10**8, 10**9)
    assert len(screen.shown()) < columns or columns == 1
    if columns > 60:
        assert "run 3 of 20: reading runs/bm25.run" in screen.shown()


def test_loops_tell_their_steps_and_native_work_within_them(tmp_path):
    seen = []
    observe(lambda *news: seen.append(news))
    try:
        for item in each([5, 6], "run"):
            seen.append(item)
        assert list(each([7], "run")) == [7]
    finally:
        observe(None)
    assert seen == [("run 1 of 2", "runs", 0, 2), 5, ("run 2 of 2", "runs", 1, 2), 6, ("", "", 0, None)]
    list(each([1, 2], "run"))
    assert len(seen) == 5


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_native_work_is_observed_and_an_error_of_the_observer_ends_it(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    seen = []

    def observer(*news):
        seen.append(news)
        if len(seen) == 5:
            raise RuntimeError("enough")

    def write():
        try:
            with open(pipe, "wb", buffering=0) as file:
                for i in range(10**9):
                    file.write(b"%d Q0 d 0 1 t\n" % i)
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=write)
    writer.start()
    observe(observer)
    try:
        with pytest.raises(RuntimeError, match="enough"):
            untied.evaluate({"0": {"d": 1}}, pipe, "AP", stream=True)
    finally:
        observe(None)
    writer.join()
    assert {(what, unit, total) for what, unit, _, total in seen} == {(f"reading {pipe}", "bytes", None)}
    amounts = [done for _, _, done, _ in seen]
    assert amounts == sorted(amounts)
    assert amounts[-1] > 0


def test_a_terminal_shows_a_bar_and_gets_rid_of_it(tmp_path):
    pty = pytest.importorskip("pty")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "qrels").write_text("1 0 d 1\n")
    command = [sys.executable, "-m", "untied", "eval", "qrels", "pipe", "-m", "AP", "--format", "tsv"]

    def run(environment):
        """What is on the terminal while the run is written slowly, and standard output."""
        terminal, stderr = pty.openpty()
        env = {name: value for name, value in os.environ.items() if name != "CI"} | {"TERM": "xterm"} | environment
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, env=env, cwd=tmp_path)
        os.close(stderr)
        shown = bytearray()

        def read():
            try:
                while piece := os.read(terminal, 4096):
                    shown.extend(piece)
            except OSError:
                pass  # the other end is closed

        reader = threading.Thread(target=read)
        reader.start()
        with open(pipe, "wb", buffering=0) as file:
            file.write(b"1 Q0 d 0 1 t\n")
            tries = 0
            while b"reading" not in shown and tries < (300 if not environment else 15):
                reader.join(0.1)
                tries += 1
        output = child.communicate(timeout=60)[0].decode()
        reader.join()
        os.close(terminal)
        assert child.returncode == 0
        return shown.decode(), output

    shown, output = run({})
    assert "\rreading pipe  13 bytes\x1b[K" in shown
    assert shown.endswith("\r\x1b[K")
    assert output == "run\tquery\tmeasure\tvalue\npipe\tall\tAP\t1.0000\n"
    assert run({"CI": "true"}) == ("", output)
    assert run({"TERM": "dumb"}) == ("", output)


def test_of_steps_only_the_whole_is_told():
    told = []
    observe(lambda *told_now: told.append(told_now))
    try:
        for _ in steps([1, 2], "parts", "study"):
            list(each([3, 4], "run"))
        list(each([5, 6], "run"))
    finally:
        observe(None)
    assert told[:3] == [("study", "parts", 0, 2), ("study", "parts", 1, 2), ("", "", 0, None)]
    assert told[3][0] == "run 1 of 2", "what comes after is told again"
    assert list(steps([1, 2], "parts", "study")) == [1, 2]


def test_work_in_parts_is_one_bar_that_never_runs_backwards():
    seen = []
    observe(lambda *told: seen.append(told))
    try:
        with Parts("report", 4):
            for _ in range(4):
                begin_part()
                for task in range(6):
                    for done in (0, 5, 10):
                        _from_core(f"task {task}", "queries", done, 10)
                    _from_core("", "", 0, None)
        told = [one for one in seen if one[1]]
        assert {(what, unit, total) for what, unit, _, total in told} == {("report", "%", 100)}
        shares = [done for _, _, done, _ in told]
        assert shares == sorted(shares)
        assert shares[0] == 0
        assert [shares[18 * part - 1] >= 25 * (part - 1) + 10 for part in range(1, 5)] == [True] * 4
        assert shares[-1] < 100
        seen.clear()
        qrels = {f"q{n}": {"a": 1} for n in range(9)}
        runs = {name: dict.fromkeys(qrels, docs) for name, docs in (("x", ["a", "b"]), ("y", ["b", "a"]))}
        report(qrels, runs, ["AP", "nDCG@10", "P@10"])
        assert {one[0] for one in seen if one[1]} <= {"report"}
        shares = [one[2] for one in seen if one[1]]
        assert shares == sorted(shares)
    finally:
        observe(None)
