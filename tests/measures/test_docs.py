"""Lengths of documents: their files, their mappings, and the measures that read them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import untied
from untied.cli import main

QRELS = {"q": {"a": 1, "c": 1}}
TIED = {"q": [["a", "b"], ["c"]]}
LENGTHS = {"a": 100, "b": 300, "c": 100}


def value(measure: Any, docs: Any, run: Any = TIED, **kwargs: Any) -> untied.Value:
    return untied.evaluate(QRELS, run, [measure], docs=docs, **kwargs).value(measure)


def test_time_biased_gain_by_hand() -> None:
    """Reading a takes 4.4 + 0.64 (0.018 * 100 + 7.8), reading b 4.4 + 0.39 (0.018 * 300 + 7.8) seconds."""
    a, b = 4.4 + 0.64 * 9.6, 4.4 + 0.39 * 13.2
    gain = 0.64 * 0.77
    low = gain * (2 ** (-b / 224) + 2 ** (-(a + b) / 224))
    high = gain * (1 + 2 ** (-(a + b) / 224))
    found = value("TBG", LENGTHS, ties="range", variance=True)
    assert found.low == pytest.approx(low, rel=1e-14)
    assert found.high == pytest.approx(high, rel=1e-14)
    assert found.mean == pytest.approx((low + high) / 2, rel=1e-14)
    assert found.variance == pytest.approx((high - low) ** 2 / 4, rel=1e-13)


def test_seconds_stand_for_what_length_would_give() -> None:
    seconds = {doc: (length, 0.018 * length + 7.8) for doc, length in LENGTHS.items()}
    assert value("TBG", seconds) == value("TBG", LENGTHS)
    assert value("TBG", seconds | {"a": (100, 60)}).mean < value("TBG", LENGTHS).mean
    assert value("U", seconds) == value("U", LENGTHS)


@pytest.mark.parametrize("name", ["TBG", "U(L=1000)", "U(L=350, gain_at='start')@2"])
def test_policies(name: str) -> None:
    """The order that a policy asks for is that order, whatever the others' lengths."""
    run = {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}
    of = {order: value(name, LENGTHS, {"q": list(order)}).mean for order in ("abc", "bac")}
    assert of["abc"] != of["bac"]
    assert value(name, LENGTHS, run, ties="docid").mean == of["bac"]
    assert value(name, LENGTHS, run, ties="given").mean == of["abc"]
    assert value(name, LENGTHS, run, ties="best").mean == max(of.values())
    assert value(name, LENGTHS, run, ties="worst").mean == min(of.values())
    assert value(name, LENGTHS, run).mean == pytest.approx(sum(of.values()) / 2, rel=1e-15)


def test_condensed_lists_are_not_read_by_unjudged_documents() -> None:
    judged = {"q": ["a", "c"]}
    assert value("TBG", LENGTHS, unjudged="remove") == value("TBG", LENGTHS, judged)
    assert value("U(judged_only=True)", LENGTHS).mean == value("U", LENGTHS, judged).mean


@pytest.mark.parametrize("packed", [False, True])
def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], packed: bool) -> None:
    text = "# document length seconds\na 100\n\nb\t300\nc 100 12.5\nc 100 12.5\n"
    docs = tmp_path / "docs.tsv"
    docs.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    expected = value("TBG", {"a": 100, "b": 300, "c": (100, 12.5)})
    assert value("TBG", docs) == expected
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 c 1\n")
    (tmp_path / "a.run").write_text("q Q0 a 1 1 t\nq Q0 b 2 1 t\nq Q0 c 3 0.5 t\n")
    arguments = ["eval", f"{tmp_path}/qrels", f"{tmp_path}/a.run", "-m", "TBG", "-m", "AP", "--format", "json"]
    assert main([*arguments, "--docs", str(docs)]) == 0
    out = json.loads(capsys.readouterr().out)
    assert [Path(one["path"]).name for one in out["inputs"]] == ["qrels", "a.run", "docs.tsv"]
    assert expected.mean in [row["value"] for row in out["results"] if row["measure"] == "TBG"]
    assert main(arguments) == 2
    assert "TBG needs lengths of documents (--docs FILE, docs=)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n", "line 1: expected 2 or 3 columns (document length, or document length seconds), found 1"),
        ("a 1 2 3\n", "expected 2 or 3 columns (document length, or document length seconds), found 4"),
        ("document length\na 1\n", 'line 1: expected a number as the length, found "length"'),
        ("a 1\nb 2 x\n", 'line 2: expected a number as the time, found "x"'),
        ("a 1\n\nb -2\n", 'line 3: expected a length of at least 0, found -2 for document "b"'),
        ("a 1 -2\n", 'line 1: expected a time of at least 0, found -2 for document "a"'),
        ("a 1\nb 1\na 2\n", 'line 3: expected every document once, found other numbers again for document "a"'),
        ("# nothing\n", "only blank lines and comments"),
    ],
)
def test_malformed_files(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "docs").write_text(text)
    with pytest.raises(untied.InputError) as error:
        value("TBG", tmp_path / "docs")
    assert message in str(error.value)


@pytest.mark.parametrize("wrong", ["x", None, float("nan"), (1, 2, 3), (), (1, float("inf"))])
def test_malformed_mappings(wrong: Any) -> None:
    with pytest.raises(untied.UntiedError, match='document "b": expected a finite length'):
        value("TBG", LENGTHS | {"b": wrong})


def test_documents_without_a_length() -> None:
    with pytest.raises(untied.UntiedError, match='docs has no length of document "b", retrieved for query "q"'):
        value("U", {"a": 1, "c": 1})
    assert value("AP", {"a": 1}).mean == value("AP", None).mean  # which does not ask


def test_very_large_groups() -> None:
    """All of different length, all tied: what would be too much work is left out, or estimated, and says so."""
    docs = {f"d{i}": i for i in range(2_000)}
    qrels = {"q": {f"d{i}": i // 40 % 2 for i in range(0, 2_000, 40)}}
    results = untied.evaluate(qrels, {"q": [list(docs)]}, ["TBG", "U"], docs=docs, ties="range", variance=True)
    gain = results.value("TBG")
    assert gain.low is not None
    assert gain.high is not None
    assert 0 <= gain.low < gain.mean < gain.high
    assert gain.certainty == "exact"
    assert gain.variance is None  # too much work
    assert results.value("U").certainty == "estimate"
