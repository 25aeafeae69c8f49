"""`untied check` lists every malformed line of a file, where reading stops at the first one."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

import untied
from nightly import many, seeded
from untied import _core
from untied.cli import main
from untied.cli.check import LISTED
from untied.inputs.convert import as_lengths

LINES = {
    ("trec", True): ["q Q0 {} 1 2 t", "", "#", "\ufeffq Q0 {} 1 2 t", "q Q0 {} 1 x t", "q Q0 {} 1 nan t", "q {} 1 2 t"],
    ("trec-ranks", True): ["q Q0 {} 1 2.5 t", "q Q0 {} x 2.5 t", "q Q0 {} 3 none t", "\ufeffq Q0 {} 3 1 t"],
    ("msmarco", True): ["q {} 1", "q {}", "q {} first", "\ufeffq {} 1"],
    ("trec", False): ["q 0 {} 1", "q 0 {} -1", "q 0 {}", "q 0 {} x", "q 0 {} inf", "\ufeffq 0 {} 1"],
    ("prels", False): ["q {} 1 0 0.5", "q {} 1 0 2", "q {} 1 0", "\ufeffq {} 1 0 0.5"],
}  # fmt: skip


def first_error(path: Path, format: str, is_run: bool) -> str | None:
    """The error of reading a file, None if it can be read."""
    read = untied.read_run if is_run else untied.read_qrels
    try:
        read(path, format=format)
    except untied.InputError as error:
        return None if error.line is None else str(error)
    return None


@pytest.mark.parametrize(("format", "is_run"), LINES)
def test_every_malformed_line_is_found(tmp_path: Path, format: str, is_run: bool) -> None:
    """Every line by itself in a file, at its place, is malformed or not."""
    chance = seeded(f"malformed {format} {is_run}")
    for _ in range(many(10)):
        lines = [chance.choice(LINES[format, is_run]).format(f"d{n}") for n in range(chance.randrange(1, 25))]
        path = tmp_path / "file"
        expected = []
        for place, line in enumerate(lines):
            path.write_text("\n" * place + line, encoding="utf-8")
            if (error := first_error(path, format, is_run)) is not None:
                expected.append(error)
        path.write_text("\n".join(lines) + chance.choice(["", "\n"]), encoding="utf-8")
        for most in (0, 3, 100):
            assert _core.malformed_lines(path, format, is_run, most) == (expected[:most], len(expected))


def test_a_file_that_was_appended_to_another_keeps_no_byte_order_mark(tmp_path: Path) -> None:
    """Its mark would become part of the first id, so that a query is missing."""
    text = {"run": "\ufeffq{} Q0 d 1 2.5 t\n", "qrels": "\ufeffq{} 0 d 1\n", "lengths": "\ufeffd{} 7\n"}
    reads = {"run": untied.read_run, "qrels": untied.read_qrels, "lengths": as_lengths}
    for name, line in text.items():
        path = tmp_path / name
        path.write_text(line.format(1), encoding="utf-8")
        reads[name](path)
        path.write_text(line.format(1) + line.format(2), encoding="utf-8")
        with pytest.raises(untied.InputError, match="line 2: expected text, found a byte-order mark"):
            reads[name](path)


def test_lines_are_counted_over_blocks(tmp_path: Path) -> None:
    chance = random.Random(5)
    bad = sorted(chance.sample(range(200_000), 300))
    lines = [f"q Q0 d{n} {n} {-n} tag" for n in range(200_000)]
    for place in bad:
        lines[place] = "q Q0"
    text = "\n".join(lines).encode()
    assert len(text) > 5 << 19, "several blocks"
    (tmp_path / "plain").write_bytes(text)
    (tmp_path / "packed.gz").write_bytes(gzip.compress(text, 1))
    for name in ("plain", "packed.gz"):
        messages, count = _core.malformed_lines(tmp_path / name, "trec", True, 40)
        assert count == 300
        assert [message.split(", line ")[1].split(":")[0] for message in messages] == [str(n + 1) for n in bad[:40]]


def test_check_lists_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q 0 a 1\nq 0\nq 0 b x\n", encoding="utf-8")
    Path("run").write_text("q Q0 a 1 2 t\nq Q0 b\n" + "q Q0 c 1 nan t\n" * (LISTED + 1), encoding="utf-8")
    Path("good").write_text("q Q0 a 1 2 t\n", encoding="utf-8")
    Path("twice").write_text("q Q0 a 1 2 t\nq Q0 a 1 2 t\n", encoding="utf-8")
    assert main(["check", "qrels", "run"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == [
        'untied: qrels, line 2: expected 4 columns (query iteration document grade), found 2: "q 0"',
        'untied: qrels, line 3: expected a number as the grade, found "x"',
    ]
    Path("qrels").write_text("q 0 a 1\n", encoding="utf-8")
    assert main(["check", "qrels", "run", "good", "twice"]) == 2
    out, err = capsys.readouterr()
    said = err.splitlines()
    assert "good: 1 queries" in out
    assert len(said) == LISTED + 2
    assert said[0].startswith("untied: run, line 2: expected 6 columns")
    assert said[LISTED - 1].startswith(f"untied: run, line {LISTED + 1}: ")
    assert said[LISTED] == "untied: run: 2 more malformed lines"
    assert said[LISTED + 1].startswith("untied: twice, line 2: "), "not malformed, but refused"
    assert main(["check", "qrels", "run", "good", "--keep-going"]) == 0
    assert "runs skipped: 1 of 2" in capsys.readouterr().err
