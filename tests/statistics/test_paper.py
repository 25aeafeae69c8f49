"""Tables for papers: marks, escapes, and the ways to them."""

from __future__ import annotations

import csv
import io
import pickle
from pathlib import Path
from typing import Any

import pytest

import untied
from untied.cli import main
from untied.paper import paper_table
from untied.statistics import significance

QUERIES = [f"q{i}" for i in range(12)]
QRELS = {query: {"r": 1} for query in QUERIES}


def ranks(*places: int) -> dict[str, list[str]]:
    """A run that finds the relevant document at these places, query by query over and over."""
    return {query: [f"n{j}" for j in range(places[i % len(places)] - 1)] + ["r"] for i, query in enumerate(QUERIES)}


RUNS = {"good": ranks(1), "also good": ranks(1, 1, 1, 2), "bad": ranks(5, 6), "worst": ranks(9, 10, 11)}


@pytest.fixture(scope="module")
def results() -> Any:
    return untied.evaluate(QRELS, RUNS, ["RR", "ESL"])


def rows_of(text: str) -> list[list[str]]:
    """Cells of a table in Markdown."""
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if line[:1] == "|"]


def test_letters_are_the_significant_pairs(results: Any) -> None:
    found = significance(results, interval="none")
    _, _, *body = rows_of(paper_table(results, found, style="md"))
    letters = dict(zip("abcd", RUNS, strict=True))
    assert [row[0] for row in body] == [f"({letter}) {run}" for letter, run in letters.items()]
    marked = {
        (measure, letters[row[0][1]], letters[letter])
        for row in body
        for measure, cell in zip(results.measures, row[1:], strict=True)
        for letter in cell.partition("<sup>")[2].partition("</sup>")[0]
    }
    expected = set()
    for row in found.table.to_dicts():
        if row["significant"] == "yes":
            # A small ESL is better than a large one.
            first = (row["difference"] > 0) == (row["measure"] == "RR")
            pair = (row["run_a"], row["run_b"]) if first else (row["run_b"], row["run_a"])
            expected.add((row["measure"], *pair))
    assert marked == expected
    assert ("ESL", "good", "worst") in marked
    assert ("RR", "good", "also good") not in marked


def test_best_and_arrows(results: Any) -> None:
    text = paper_table(results, significance(results, baseline="bad", interval="none"), style="md", digits=2)
    _, _, *body = rows_of(text)
    assert body == [
        ["good", "**1.00**<sup>↑</sup>", "**0.00**<sup>↑</sup>"],
        ["also good", "0.88<sup>↑</sup>", "0.25<sup>↑</sup>"],
        ["bad", "0.18", "4.50"],
        ["worst", "0.10<sup>↓</sup>", "9.00<sup>↓</sup>"],
    ]
    assert text.endswith(
        "\nMeans over 12 queries. Bold: best. Arrows: significantly better (↑) or worse (↓) than bad "
        "(paired randomisation test with Holm's correction, p ≤ 0.05).\n"
    )


def test_what_does_not_survive_ties_has_a_question_mark() -> None:
    runs = {"sure": ranks(1), "tied": {query: [["r", *(f"n{i}" for i in range(9))]] for query in QUERIES}}
    results = untied.evaluate(QRELS, runs, ["RR", "P@1"], ties="range")
    text = paper_table(results, significance(results, interval="none"), style="tsv", digits=1)
    assert text.splitlines()[1].split("\t") == [
        "sure", "a", "1.0", "[1.0, 1.0]", "b?", "1.0", "[1.0, 1.0]", "b?",
    ]  # fmt: skip
    latex = paper_table(results, significance(results, interval="none"), digits=1)
    assert "(a) sure & \\textbf{1.0}\\textsuperscript{b?}\\phantom{ {\\scriptsize [0.1, 1.0]}} & " in latex
    assert "(b) tied & 0.3\\phantom{\\textsuperscript{b?}} {\\scriptsize [0.1, 1.0]} & " in latex
    assert "\\begin{tabular}{lrr}" in latex


CAUSES = {
    ("range", "nonrelevant"): ("all orders of tied documents", "some order of tied documents"),
    ("expected", "range"): ("all grades of unjudged documents", "some grades of unjudged documents"),
    ("range", "range"): (
        "all orders of tied documents and all grades of unjudged documents",
        "some order of tied documents or some grades of unjudged documents",
    ),
}


@pytest.mark.parametrize(("ties", "unjudged"), CAUSES)
def test_captions_name_what_was_varied(ties: Any, unjudged: Any) -> None:
    runs = {"sure": ranks(1), "tied": {query: [["r", *(f"n{i}" for i in range(9))]] for query in QUERIES}}
    results = untied.evaluate(QRELS, runs, "RR", ties=ties, unjudged=unjudged)
    over, some = CAUSES[ties, unjudged]
    for given in (results, pickle.loads(pickle.dumps(results))):
        found = significance(given, interval="none")
        text = paper_table(given, found, style="md")
        assert f"Means over 12 queries, in brackets the lowest and highest mean over {over}. Bold" in text
        # Bounds over judgments may be wider than what is reached.
        could = "might" if unjudged == "range" else "would"
        assert f"With a question mark: {some} {could} make the difference insignificant." in text
        sure = untied.evaluate(QRELS, {"good": ranks(1), "worse": ranks(2)}, "RR", ties="range")
        assert "?" not in paper_table(sure, significance(sure, interval="none"))
        assert found.varied == ("ties",) * (ties == "range") + ("judgments",) * (unjudged == "range")


def test_latex_takes_any_name() -> None:
    results = untied.evaluate(QRELS, {r"50%_of $x^2$ {#1} \~&<|>": RUNS["good"], "\x1b[1m\n": RUNS["bad"]}, ["R@2"])
    names = [line.split(" & ")[0].strip() for line in paper_table(results).splitlines() if " & " in line]
    assert names[1] == (
        r"50\%\_of \$x\textasciicircum{}2\$ \{\#1\} \textbackslash{}\textasciitilde{}\&\textless{}\textbar{}"
        r"\textgreater{}"
    )
    assert "\x1b" not in names[2]
    assert names[2].startswith(r"\textbackslash{}")


def test_more_runs_than_letters() -> None:
    runs = {f"run{i}": RUNS["good"] for i in range(27)} | {"bad": RUNS["worst"]}
    results = untied.evaluate(QRELS, runs, ["RR"])
    text = paper_table(results, significance(results, test="t", correction="none", interval="none"), style="csv")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["run", "letter", "RR", "RR marks"]
    assert rows[27] == ["run26", "27", "1.0000", "28"]
    assert rows[28][3] == ""


def test_wrong_use(results: Any) -> None:
    with pytest.raises(untied.UntiedError, match="style must be latex, md, csv, tsv or table, not 'word'"):
        paper_table(results, style="word")
    other = untied.evaluate(QRELS, RUNS, ["AP"])
    with pytest.raises(untied.UntiedError, match=r"AP of .* was tested, but is not in these results"):
        paper_table(results, significance(other, interval="none"))


def test_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, results: Any
) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{query} 0 r 1\n" for query in QUERIES))
    paths = []
    for name, run in RUNS.items():
        paths.append(tmp_path / f"{name}.run")
        paths[-1].write_text(
            "".join(f"{query} Q0 {doc} 1 {-i} t\n" for query, docs in run.items() for i, doc in enumerate(docs))
        )
    given = [str(qrels), *map(str, paths), "-m", "RR", "-m", "ESL"]
    found = significance(results, interval="none")
    for arguments, expected in (
        (["stats", *given, "--format", "latex"], paper_table(results, found)),
        (["stats", *given, "--show", "runs", "--format", "md"], paper_table(results, found, style="md")),
        (["stats", *given, "--show", "runs", "--format", "csv"], paper_table(results, found, style="csv")),
        (["eval", *given, "--format", "latex"], paper_table(results)),
    ):
        assert main(arguments) == 0
        assert capsys.readouterr().out == expected
    assert main(["stats", *given, "--show", "runs", "--format", "table"]) == 0
    wide = capsys.readouterr().out
    assert wide == paper_table(results, found, style="table")
    assert "1.0000^" in wide  # a star would mean "significant", as in the other tables of untied stats
    assert "^: best. Letters: " in wide
    monkeypatch.setattr("untied.cli.tables.width", lambda: 60)
    assert main(["stats", *given, "--show", "runs", "--format", "table"]) == 0
    narrow = capsys.readouterr().out
    assert max(map(len, narrow.splitlines())) <= 60
    assert narrow.split() == wide.split()
    assert main(["stats", *given, "-o", str(tmp_path / "t.tex")]) == 0
    assert (tmp_path / "t.tex").read_text() == paper_table(results, found)
    capsys.readouterr()
    for arguments, complaint in (
        (["stats", *given, "--show", "runs", "--format", "json"], "--show runs cannot be combined with --format json"),
        (["eval", *given, "-q", "--format", "latex"], "--per-query cannot be combined with --format latex"),
    ):
        assert main(arguments) == 2
        assert complaint in capsys.readouterr().err


def test_run_format_of_all_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A format that no suffix tells, in the commands that take runs."""
    qrels, run, other = tmp_path / "qrels", tmp_path / "a.txt", tmp_path / "b.txt"
    qrels.write_text("".join(f"{query} 0 r 1\n" for query in QUERIES))
    run.write_text("".join(f"{query}\tr\t1\n" for query in QUERIES))
    other.write_text("".join(f"{query}\tx\t1\n{query}\tr\t2\n" for query in QUERIES))
    both = [str(qrels), str(run), str(other), "-m", "RR", "--run-format", "msmarco"]
    assert main(["stats", *both, "--interval", "none", "--format", "tsv"]) == 0
    assert "1.0000\t0.5000" in capsys.readouterr().out
    gate = ["gate", str(qrels), str(other), "--baseline", str(run), "--max-drop", "RR=0.1", "--run-format", "msmarco"]
    assert main(gate) == 1
    assert "drops by 0.5000" in capsys.readouterr().out
    assert main(["report", *both, "-o", str(tmp_path / "page.html")]) == 0
    assert '"a"' in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(("style", "sign"), [("tsv", "\t"), ("csv", ",")])
def test_data_with_a_baseline_have_arrows_and_no_letters(results: Any, style: Any, sign: str) -> None:
    found = significance(results, baseline="bad", interval="none")
    rows = [line.split(sign) for line in paper_table(results, found, style=style, digits=1).splitlines()]
    assert rows[0] == ["run", "RR", "RR marks", "ESL", "ESL marks"]
    assert [(row[0], row[2], row[4]) for row in rows[1:]] == [
        ("good", "↑", "↑"), ("also good", "↑", "↑"), ("bad", "", ""), ("worst", "↓", "↓"),
    ]  # fmt: skip
