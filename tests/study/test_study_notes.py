"""What studies and comparisons say about inputs that do not fit together, and about short rankings."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import pytest

import untied
from page_data import data_of
from untied import study
from untied.cli import main

#: Every study over qrels and runs, with options that make it quick.
STUDIES: dict[str, dict[str, Any]] = {
    "incomplete": {"rates": [0.5], "samples": 1, "measures": ["infAP"]},
    "imperfect": {"rates": [0.5], "samples": 1, "measures": ["infAP"]},
    "ties": {"measures": ["AP"]},
    "med": {"measure": "nDCG@5", "distances": ["RBO"], "rates": [1], "psi": [0.5], "cutoffs": [5], "prefix": 1},
    "agreement": {"measures": ["AP"], "depths": [0]},
    "judging": {"measures": ["P@2"], "pairs": 1},
    "order": {"measures": ["ADR"]},
    "judges": {"measures": ["P@2"], "machines": ["good"], "judged": [6], "samples": 1, "asked": 12},
}
QRELS = {query: {f"{query}{i}": i % 2 for i in range(8)} for query in "abc"}


def runs(**queries: str) -> dict[str, dict[str, dict[str, float]]]:
    """Runs by name, which have all documents of these queries, each in an order of its own."""
    return {
        name: {query: {f"{query}{i}": float((i * step) % 11) for i in range(8)} for query in of}
        for step, (name, of) in enumerate(queries.items(), 2)
    }


def conduct(name: str, qrels: Any, given: Any, folder: pathlib.Path, **options: Any) -> study.Result:
    return getattr(study, name)(qrels, given, folder, plots="none", **{**STUDIES[name], **options})


@pytest.mark.parametrize("name", STUDIES)
def test_queries_that_are_not_everywhere_are_named(name: str, tmp_path: pathlib.Path) -> None:
    found = conduct(name, QRELS, runs(one="abc", two="bcd", three="abcd"), tmp_path)
    expected = [
        "judged queries that are missing, and count as empty rankings: 1 in two",
        "queries without judgments, left out: 1 in two, 1 in three",
    ]
    if name == "med":
        expected.append(
            "queries that are missing from another run, left out when the two runs are compared: "
            "1 in one, 1 in two, 2 in three"
        )
    assert found.notes == expected
    assert all(f"Note: {note}." in found.summary for note in expected)
    assert not conduct(name, QRELS, runs(one="abc", two="abc", three="abc"), tmp_path / "whole").notes


def short_runs() -> dict[str, dict[str, dict[str, float]]]:
    given = runs(one="abc", two="abc", tiny="abc")
    given["tiny"] = {query: dict(list(of.items())[: 3 if query == "a" else 4]) for query, of in given["tiny"].items()}
    return given


def test_med_names_runs_that_are_shorter_than_the_cutoff(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"measure": "nDCG@4", "distances": ["MED(P@5)", "MED(RBP)", "RBO"], "cutoffs": [3]}
    found = conduct("med", QRELS, short_runs(), tmp_path / "out", **options)
    notes = [
        f"rankings with fewer than {cutoff} documents (MED fills them up with documents that cannot be judged, so "
        f"their distances stay large): {count} in tiny"
        for cutoff, count in ((4, 1), (5, 3))
    ]
    assert found.notes == notes
    assert all(f"Note: {note}." in found.summary for note in notes)
    # The same on standard error.
    paths = []
    for name, run in short_runs().items():
        paths.append(str(tmp_path / f"{name}.run"))
        lines = (f"{query} Q0 {doc} 0 {score} {name}" for query, of in run.items() for doc, score in of.items())
        pathlib.Path(paths[-1]).write_text("\n".join(lines) + "\n")
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{query} 0 {doc} {grade}\n" for query, of in QRELS.items() for doc, grade in of.items()))
    command = [
        "study",
        "med",
        str(qrels),
        *paths,
        "-m",
        "nDCG@4",
        "--distance",
        "RBO",
        "--cutoffs",
        "3",
        "--prefix",
        "1",
    ]
    assert main([*command, "--rates", "1", "--plots", "none", "-o", str(tmp_path / "cli")]) == 0
    assert f"note: {notes[0]}\n" in capsys.readouterr().err


def test_med_of_robust03_names_the_run_of_ten_documents(
    unpacked: Callable[[str], pathlib.Path], tmp_path: pathlib.Path
) -> None:
    """Filled up to 20, it makes the correlation with differences fall from .705 to .361 as judgments become known."""
    folder = unpacked("robust03")
    measure = "nDCG(gain='exp2')@20"
    options = {"measure": measure, "distances": ["RBO"], "rates": [1], "psi": [0.5], "cutoffs": [5], "prefix": 1}
    pearson = {}
    for left_out in ("", "NLPR03vb10"):
        given = [path for path in sorted(folder.glob("*.run")) if path.stem != left_out]
        found = conduct("med", folder / "qrels.txt", given, tmp_path / f"out{left_out}", **options)
        for row in found.tables["med-correlations"].to_dicts():
            if (row["to"], row["among"]) == ("difference", "all") and row["measure"].startswith("MED("):
                pearson[left_out, row["judged"]] = f"{row['pearson']:.3f}"
        assert [note.rpartition(": ")[2] for note in found.notes] == ([] if left_out else ["100 in NLPR03vb10"])
    assert pearson == {("", 0): "0.705", ("", 1): "0.361", ("NLPR03vb10", 0): "0.772", ("NLPR03vb10", 1): "0.866"}


@pytest.mark.parametrize(
    ("measure", "depth", "expected"),
    [
        ("MED(nDCG@3)", None, None),
        ("MED(nDCG@4)", None, (0, 1)),
        ("MED(P@5)", None, (0, 3)),
        ("MED(AP@9)", None, (3, 3)),
        ("MED(ERR@5)", None, (0, 3)),
        ("MED(RR@5)", None, (0, 3)),
        ("MED(Success@5)", None, (0, 3)),
        ("MED(R@5)", None, (0, 3)),
        ("Delta(P@5)", None, (0, 3)),
        ("Delta(RBP@5)", None, (0, 3)),
        ("MED(P@5)", 3, (3, 3)),
        ("MED(nDCG)", None, None),
        ("MED(RBP)", None, None),
        ("RBO", None, None),
        ("Overlap@5", None, None),
    ],
)
def test_compare_tells_which_rankings_are_filled(
    measure: str, depth: int | None, expected: tuple[int, int] | None
) -> None:
    given = short_runs()
    found = untied.compare(given["one"], given["tiny"], measure, depth=depth)
    assert found.filled == ({} if expected is None else {found.measures[0]: expected})
    if expected is None or depth is not None:
        return
    # That is what it does: to fill rankings up by hand changes nothing.
    by_hand = [
        {query: {**of, **{f"{side}{i}": -1.0 - i for i in range(len(of), 9)}} for query, of in given[name].items()}
        for side, name in (("x", "one"), ("y", "tiny"))
    ]
    filled = untied.compare(*by_hand, measure)
    assert filled.filled == {}
    whole, value = filled[measure], found[measure]
    assert (whole.low, whole.high) == pytest.approx((value.low, value.high), abs=1e-12)


@pytest.mark.parametrize("measure", ["MED(U@5)", "MED(TBG@5)"])
def test_texts_of_unknown_length_fill_nothing(measure: str) -> None:
    given = short_runs()
    lengths = {f"{query}{i}": (100, 30.0) for query in "abc" for i in range(8)}
    assert untied.compare(given["one"], given["tiny"], measure, docs=lengths).filled == {}


def test_the_page_of_a_comparison_says_which_rankings_are_filled() -> None:
    given = short_runs()
    page = untied.report.comparison_report(untied.compare(given["one"], given["tiny"], ["RBO", "MED(P@5)"]))
    assert data_of(page)["filled"] == [["MED(P@5)", 0, 3]]
    assert "filled up to the cutoff of" in page


def test_compare_notes_filled_rankings(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, ids in (("old", "abcdef"), ("new", "abx"), ("other", "fed")):
        lines = (f"q Q0 {doc} 0 {-i} {name}\n" for i, doc in enumerate(ids))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    paths = [str(tmp_path / f"{name}.run") for name in ("old", "new", "other")]
    note = "note: rankings that end before the cutoff of MED(nDCG@5), filled up with unknown documents: "
    assert main(["compare", *paths, "-m", "MED(nDCG@5)"]) == 0
    assert f"{note}1 of new, 1 of other\n" in capsys.readouterr().err
    assert main(["compare", *paths[:2], "-m", "MED(nDCG@3)", "-m", "RBO@10"]) == 0
    assert "filled up" not in capsys.readouterr().err


@pytest.mark.parametrize("name", STUDIES)
def test_runs_without_a_judged_query(name: str, tmp_path: pathlib.Path) -> None:
    """Such a run is refused; a run without a judged document is named in a warning and in the summary."""
    given = runs(one="abc", two="abcxy", three="xyzabc")
    given["three"] = {query: {f"{doc}!": score for doc, score in of.items()} for query, of in given["three"].items()}
    reason = "queries in common with the qrels, but no document"
    with pytest.warns(untied.UntiedWarning, match=f"^{reason}: 'three'") as caught:
        found = conduct(name, QRELS, given, tmp_path / "one")
    assert len(caught) == 1
    assert f"Note: {caught[0].message}." in found.summary
    if name == "med":
        assert "no document in common with the other runs: 'three'" in found.summary
    for qrels, named in (({"other": QRELS["a"]}, "'one', 'two', 'three'"), ({"x": QRELS["a"]}, "'one';")):
        with pytest.raises(untied.UntiedError, match=f"^no query in common with the qrels: {named}"):
            conduct(name, qrels, given, tmp_path / "refused")
    assert not (tmp_path / "refused").exists()


def test_other_judgments_without_a_query_in_common(tmp_path: pathlib.Path) -> None:
    also = {"mine": {"a": QRELS["a"]}, "theirs": {"other": QRELS["a"]}}
    with pytest.raises(
        untied.UntiedError, match=r"^no query in common with the qrels: 'one' with 'theirs', 'two' with 'theirs';"
    ):
        conduct("agreement", QRELS, runs(one="abc", two="abc"), tmp_path / "out", qrels_also=also)


def test_samples_without_a_document_in_common_are_not_warned_of(
    tmp_path: pathlib.Path, recwarn: pytest.WarningsRecorder
) -> None:
    """A small part of a short run may hold nothing that is judged; the study says so of its inputs alone."""
    given = runs(one="abc", two="abc")
    given["two"] = {query: dict(list(of.items())[:1]) for query, of in given["two"].items()}
    conduct("imperfect", QRELS, given, tmp_path / "imperfect", rates=[0.05], samples=5)
    conduct("incomplete", QRELS, given, tmp_path / "incomplete", rates=[0.1], samples=5)
    assert not recwarn.list


def test_passages_without_a_judged_query(tmp_path: pathlib.Path) -> None:
    (tmp_path / "judged").write_text("1 d 0 100 1\n")
    for name, query in (("a1", "1"), ("a2", "1"), ("b1", "2")):
        (tmp_path / name).write_text(f"{query} d 0 50 0 1.5 {name}\n")
    paths = [tmp_path / name for name in ("a1", "a2", "b1")]
    options: dict[str, Any] = {"prefix": 1, "plots": "none"}
    with pytest.raises(untied.UntiedError, match=r"^no query in common with the qrels: 'b1';"):
        study.passages(tmp_path / "judged", paths, tmp_path / "out", **options)
    with open(tmp_path / "judged", "a") as file:
        file.write("3 d 0 100 1\n")
    with open(tmp_path / "b1", "a") as file:
        file.write("3 d 0 50 0 1.5 b1\n")
    found = study.passages(tmp_path / "judged", paths, tmp_path / "out", **options)
    assert found.notes == [
        "queries without judged passages, left out: 1 in b1",
        "judged queries that are missing from another run, left out when the two runs are compared: 1 in a1, "
        "1 in a2, 1 in b1",
    ]
    (tmp_path / "judged").write_text("4 d 0 100 1\n")
    with pytest.raises(untied.UntiedError, match=r"^no query in common with the qrels: 'a1', 'a2', 'b1';"):
        study.passages(tmp_path / "judged", paths, tmp_path / "none", **options)
