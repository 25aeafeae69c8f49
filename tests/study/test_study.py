"""Studies: what their numbers are, going on where they were interrupted, equal files from equal seeds."""

from __future__ import annotations

import math
import os
import pathlib
import random
import subprocess
import sys

import pytest

import untied
from untied import _core, study
from untied.cli import main
from untied.judging import sample
from untied.study import estimates, rows
from untied.study.checkpoint import Checkpoint
from untied.study.conduct import conduct
from untied.study.inputs import Inputs
from untied.study.plots import Figure, looks

QUERIES = 8
DOCS = 150


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Judgments of 60 documents of 150 a query, and six runs of which each is a little worse than the one before."""
    folder = tmp_path_factory.mktemp("collection")
    generator = random.Random(3)
    grades = {f"q{query}": {f"d{query}-{doc}": int(doc < 12) for doc in range(60)} for query in range(QUERIES)}
    (folder / "qrels.txt").write_text(
        "".join(f"{query} 0 {doc} {grade}\n" for query, judged in grades.items() for doc, grade in judged.items())
    )
    for number in range(6):
        lines = []
        for query, judged in grades.items():
            for doc in range(DOCS):
                name = f"d{query[1:]}-{doc}"
                score = judged.get(name, 0) + generator.gauss(0, 0.4 + 0.3 * number)
                lines.append(f"{query} Q0 {name} 0 {score:.6f} r{number}\n")
        (folder / f"r{number}.run").write_text("".join(lines))
    return folder


def runs(data: pathlib.Path) -> list[str]:
    return [str(path) for path in sorted(data.glob("*.run"))]


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


SMALL = {"incomplete": {"rates": [0.5, 0.1], "samples": 3}, "imperfect": {"rates": [0.8, 0.5], "samples": 2}}


@pytest.mark.parametrize("name", SMALL)
def test_equal_seeds_give_equal_files(name: str, data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    conduct, small = getattr(study, name), SMALL[name]
    one = conduct(str(data / "qrels.txt"), runs(data), tmp_path / "one", seed=5, **small)
    conduct(str(data / "qrels.txt"), runs(data), str(tmp_path / "two"), seed=5, threads=1, **small)
    other = conduct(str(data / "qrels.txt"), runs(data), tmp_path / "other", seed=6, plots="none", **small)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert one.rows != other.rows
    assert one.summary == (tmp_path / "one" / "summary.md").read_text()
    assert {*one.files, "parts.jsonl"} == set(contents(tmp_path / "one"))
    assert not any(file.endswith(".svg") for file in other.files)
    assert all(file in one.summary for file in one.files if file.endswith(".svg")), "every plot is shown"
    assert "![" not in other.summary
    for table in one.tables.values():
        assert set(table.columns) <= set(study.STUDIES[name].columns), "columns are explained"
    header, *lines = (tmp_path / "one" / f"{name}.tsv").read_text().splitlines()
    assert header.split("\t") == one.columns
    assert [tuple(map(repr, row[1:])) for row in one.rows] == [tuple(line.split("\t")[1:]) for line in lines]


@pytest.mark.parametrize("name", SMALL)
def test_killed_at_any_moment_it_goes_on(name: str, data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    arguments = [str(data / "qrels.txt"), *runs(data), "--plots", "none", "--samples", "2", "--rates", "0.5,0.2"]
    whole = tmp_path / "whole"
    assert main(["study", name, *arguments, "-o", str(whole)]) == 0
    expected = contents(whole)
    kept = expected["parts.jsonl"]
    ends = [i + 1 for i, byte in enumerate(kept) if byte == ord("\n")]
    # What a process leaves that was killed: any beginning of the parts.
    for number, length in enumerate([0, 10, ends[0], ends[0] + 1, ends[1] + 40, ends[-1] - 1, ends[-1]]):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        (folder / "parts.jsonl").write_bytes(kept[:length])
        assert main(["study", name, *arguments, "-o", str(folder)]) == 0
        assert contents(folder) == expected, length


def test_kill_9(data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A process that kills itself when the third part is done, then one that goes on."""
    program = """
import os, sys
from untied.cli import main
from untied.study.checkpoint import Checkpoint
add = Checkpoint.add
def adding(self, part, rows):
    add(self, part, rows)
    if len(self.parts) == 3:
        with open(self._path, "ab") as file:
            file.write(b'[[0.5,3],[["r')
        os.kill(os.getpid(), 9)
if sys.argv.pop(1) == "killed":
    Checkpoint.add = adding
sys.exit(main(sys.argv[1:]))
"""
    arguments = ["study", "incomplete", str(data / "qrels.txt"), *runs(data), "--rates", "0.5", "--plots", "none"]

    def process(how: str, folder: str) -> int:
        command = [sys.executable, "-c", program, how, *arguments, "-o", str(tmp_path / folder)]
        return subprocess.run(command, check=False, capture_output=True).returncode

    assert process("killed", "one") == -9
    assert len((tmp_path / "one" / "parts.jsonl").read_bytes().splitlines()) == 1 + 3 + 1
    assert process("goes on", "one") == 0
    assert process("whole", "two") == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_other_settings_in_a_folder_are_refused(
    data: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, folder = str(data / "qrels.txt"), str(tmp_path / "out")

    def conduct(*options: str, rates: str = "0.5", among: slice = slice(None)) -> tuple[int, str]:
        arguments = ["study", "incomplete", qrels, *runs(data)[among], "-o", folder, "--plots", "none"]
        return main([*arguments, "--rates", rates, *options]), capsys.readouterr().err

    assert conduct("--samples", "2")[0] == 0
    before = contents(tmp_path / "out")
    for options, rates, said in (
        (("--samples", "3"), "0.5", "a study with samples 2, not 3; start again with --restart (restart=True)"),
        (("--samples", "2", "--seed", "1"), "0.5", "a study with seed 0, not 1;"),
        (("--samples", "2"), "0.4", "a study with rates [1.0, 0.5], not [1.0, 0.4];"),
    ):
        code, error = conduct(*options, rates=rates)
        assert (code, error.startswith("untied: ")) == (2, True)
        assert said in error
    assert "a study with other runs or judgments;" in conduct("--samples", "2", among=slice(3))[1]
    assert contents(tmp_path / "out") == before
    assert conduct("--samples", "3", "--restart")[0] == 0
    assert "(4 parts were already finished)" in conduct("--samples", "3")[1]
    (tmp_path / "out" / "parts.jsonl").write_bytes(before["parts.jsonl"] + b"nonsense\n")
    assert "parts.jsonl:5: expected a finished part as JSON, found something else" in conduct("--samples", "2")[1]
    (tmp_path / "out" / "parts.jsonl").write_text("somebody else's")
    assert "parts.jsonl:1: expected a finished part as JSON" in conduct()[1]
    assert (tmp_path / "out" / "parts.jsonl").read_text() == "somebody else's"


def test_refusals(data: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, first = str(data / "qrels.txt"), runs(data)[0]
    for options, said in (
        ({"rates": [0]}, "rates must be above 0 and at most 1, not 0"),
        ({"rates": [0.5, 10]}, "rates must be above 0 and at most 1, not 10: 10 % is 0.1"),
        ({"rates": [1]}, "rates must have a share below 1, because 1 keeps everything: 1 % is 0.01"),
        ({"samples": 0}, "samples must be at least 1, not 0"),
        ({"rel": 0}, "rel must be a number above 0, not 0"),
        ({"plots": "pdf"}, "plots must be one of svg, png, both, none, not 'pdf'"),
    ):
        with pytest.raises(untied.UntiedError, match=said):
            study.incomplete(qrels, runs(data), tmp_path / "out", **options)
    with pytest.raises(untied.UntiedError, match="a ranking of runs needs at least 2 runs, found 1"):
        study.incomplete(qrels, first, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert main(["study"]) == 2
    assert "usage: untied study NAME" in capsys.readouterr().out
    assert main(["study", "nonsense"]) == 2
    assert "unknown study 'nonsense'\nstudies: incomplete" in capsys.readouterr().err
    inside = tmp_path / "summary.md"
    inside.write_bytes(pathlib.Path(first).read_bytes())
    assert main(["study", "incomplete", qrels, first, str(inside), "-o", str(tmp_path)]) == 2
    assert "is one of the inputs; choose another output file" in capsys.readouterr().err


def test_plots_need_matplotlib(data: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(untied.UntiedError, match=r"plots need matplotlib: pip install matplotlib"):
        study.incomplete(str(data / "qrels.txt"), runs(data), tmp_path / "out")
    study.incomplete(str(data / "qrels.txt"), runs(data), tmp_path / "out", rates=[0.5], samples=1, plots="none")


def test_objects_in_memory(data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    read = {pathlib.Path(path).stem: untied.read_run(path) for path in runs(data)}
    options = {"rates": [0.5], "samples": 1, "plots": "none"}
    one = study.incomplete(untied.read_qrels(data / "qrels.txt"), read, tmp_path / "one", **options)
    two = study.incomplete(data / "qrels.txt", [pathlib.Path(path) for path in runs(data)], tmp_path / "two", **options)
    assert one.rows == two.rows
    assert "in memory" in one.summary
    assert "untied study incomplete" in two.summary
    again = study.incomplete(untied.read_qrels(data / "qrels.txt"), read, tmp_path / "one", **options)
    assert (again.computed, again.kept) == (0, 2)


def test_queries_that_are_not_everywhere_are_noted(
    data: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = {f"r{i}": {f"q{query}": {f"d{query}-1": 1.0} for query in range(i, 9)} for i in range(7)}
    found = study.incomplete(data / "qrels.txt", held, tmp_path / "a", rates=[0.5], samples=1, plots="none")
    assert found.notes == [
        "judged queries that are missing, and count as empty rankings: "
        "1 in r1, 2 in r2, 3 in r3, 4 in r4, 5 in r5, 1 more",
        "queries without judgments, left out: 1 in r0, 1 in r1, 1 in r2, 1 in r3, 1 in r4, 2 more",
    ]
    assert all(f"Note: {note}." in found.summary for note in found.notes)
    (tmp_path / "one.run").write_text("q0 Q0 d0-1 1 2.5 tag\n")
    arguments = [str(data / "qrels.txt"), str(tmp_path / "one.run"), runs(data)[0], "-o", str(tmp_path / "b")]
    assert main(["study", "imperfect", *arguments, "--rates", "0.5", "--samples", "1", "--plots", "none"]) == 0
    assert "note: judged queries that are missing, and count as empty rankings: 7 in one\n" in capsys.readouterr().err


def truth(data: pathlib.Path) -> dict[str, float]:
    found = untied.evaluate(data / "qrels.txt", runs(data), ["AP"])
    return {row["run"]: row["value"] for row in found.table(per_query=False).to_dicts()}


def test_incomplete_is_what_the_public_interface_gives(data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    found = study.incomplete(data / "qrels.txt", runs(data), tmp_path, rates=[0.2], samples=2, seed=4, plots="none")
    assert len(found.rows) == 9 * 3
    judged = sample.judgments(data / "qrels.txt", 0.2, seed=4_000_002)
    expected = untied.evaluate(
        judged,
        runs(data),
        ["Bpref(variant='paper',extra=10)", "Bpref", "AP(judged_only=True)", "subAP(p=0.2)", "infAP", "AP", "nDCG"],
    )
    labels = ["bpref-10", "bpref (trec_eval)", "indAP", "subAP", "infAP", "AP", "nDCG"]
    means: dict[str, dict[str, float]] = {label: {} for label in labels}
    order = list(expected.table(per_query=False).to_dicts())
    for number, row in enumerate(order):
        means[labels[number % len(labels)]][row["run"]] = row["value"]
    kept = {label: {} for label in labels}
    for row in found.tables["incomplete-runs"].to_dicts():
        if (row["rate"], row["sample"]) == (0.2, 2) and row["measure"] in kept:
            kept[row["measure"]][row["run"]] = row["value"]
    assert kept == means
    statistics = {
        row["measure"]: row for row in found.tables["incomplete"].to_dicts() if (row["rate"], row["sample"]) == (0.2, 2)
    }
    scipy = pytest.importorskip("scipy.stats")
    actual = truth(data)
    for label in labels:
        x, y = list(actual.values()), [means[label][run] for run in actual]
        assert len(set(y)) == len(y)
        assert statistics[label]["kendall"] == pytest.approx(scipy.kendalltau(x, y).statistic, abs=1e-12)
        assert statistics[label]["linear"] == pytest.approx(scipy.pearsonr(x, y).statistic, abs=1e-12)
        squares = [(b - a) ** 2 for a, b in zip(x, y, strict=True)]
        assert statistics[label]["rms"] == pytest.approx(math.sqrt(sum(squares) / 6), abs=1e-12)
        assert statistics[label]["mean"] == pytest.approx(sum(y) / 6, abs=1e-12)
    ap = [row for row in found.tables["incomplete"].to_dicts() if row["measure"] == "AP"]
    assert [row["rate"] for row in ap] == [1, 0.2, 0.2]
    assert (ap[0]["kendall"], ap[0]["rms"], ap[0]["drift"]) == (1, 0, 0)
    assert ap[2]["drift"] == ap[2]["mean"] - ap[0]["mean"]


def test_imperfect_is_what_the_public_interface_gives(data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    found = study.imperfect(data / "qrels.txt", runs(data), tmp_path, rates=[0.6], samples=2, seed=4, plots="none")
    named = {pathlib.Path(path).stem: path for path in runs(data)}
    qrels, parts = sample.collection(data / "qrels.txt", named, 0.6, seed=4_000_002)
    for label, measure in (("AP", "AP"), ("indAP", "AP(judged_only=True)"), ("nDCG", "nDCG")):
        expected = {
            row["run"]: row["value"]
            for row in untied.evaluate(qrels, parts, [measure]).table(per_query=False).to_dicts()
        }
        assert expected == {
            row["run"]: row["value"]
            for row in found.tables["imperfect-runs"].to_dicts()
            if (row["measure"], row["rate"], row["sample"]) == (label, 0.6, 2)
        }


def test_runs_without_documents(data: pathlib.Path) -> None:
    held = [untied.read_run(path) for path in runs(data)[:2]]
    documents = _core.retrieved_documents(held)
    assert documents == sorted({doc for run in held for query in run.queries() for doc, _ in run[query]})
    one, two = _core.only_documents(held, iter(["d0-3", "d0-1", "none", "d5-7", "d0-3"]))
    assert {query: one[query] for query in one.queries()} == {
        query: [row for row in held[0][query] if row[0] in ("d0-1", "d0-3", "d5-7")] for query in held[0].queries()
    }
    assert [doc for doc, _ in two["q0"]] == ["d0-1", "d0-3"]
    with pytest.raises(TypeError, match="a document id must be a str, bytes or an int"):
        _core.only_documents(held, iter([None]))


def test_measures_look_alike_in_all_studies() -> None:
    shown = {
        "estimates": looks(estimates.PLOTTED),
        "ties": looks(("P@10", "R@100", "F1@10", "AP", "RR", "nDCG@10", "nDCG", "Rprec", "Bpref")),
        "agreement": looks(("AP", "nDCG", "Rprec", "Bpref", "R@100", "nDCG@10", "P@10", "RBP", "RR")),
        "others": looks(("ERR", "nDCG", "P@7", "AP")),
    }
    for one in shown.values():
        assert len({str((look["color"], look["linestyle"])) for look in one.values()}) == len(one)
        for other in shown.values():
            assert all(other.get(measure, look) == look for measure, look in one.items())


def test_statistics_of_what_is_constant() -> None:
    assert math.isnan(rows.linear([1.0, 1.0], [0.0, 1.0]))
    assert rows.rms([0.0, 0.5], [0.3, 0.9]) == pytest.approx(math.sqrt(0.125))


def test_a_small_study(tmp_path: pathlib.Path) -> None:
    """The frame: parts are computed once, in order; rows come back as they were kept; plots are equal files."""
    computed = []

    class Squares(study.Study):
        name, title, columns = "squares", "Squares", {"word": "a word", "n": "a number", "square": "its square"}

        def parts(self):
            return [("a", 1), ("b", 2)]

        def compute(self, word, n):
            computed.append((word, n))
            return [(word, n, float(n * n), None)]

        def tables(self, found):
            rows = [row for rows in found.values() for row in rows]
            return {"squares": untied.Table({"word": [r[0] for r in rows]}, {"n": [r[1] for r in rows]})}

        def summary(self, tables):
            yield "Found:"
            yield Figure("line", "A line", (2, 2), lambda figure: figure.subplots().plot([0, 1]))

    inputs = Inputs({"q": {"a": 1}}, {"r": {"q": {"a": 1.0}}})
    for folder in (tmp_path / "one", tmp_path / "two"):
        found = conduct(Squares(inputs, {"words": ["x", "y"], "seed": 3}), folder, plots="both")
        assert found.rows == [("a", 1), ("b", 2)]
        assert found.files == ["squares.tsv", "squares-line.svg", "squares-line.png", "summary.md"]
    assert computed == [("a", 1), ("b", 2)] * 2
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    conduct(Squares(inputs, {"words": ["x", "y"], "seed": 3}), tmp_path / "one", plots="none")
    assert len(computed) == 4
    assert "untied study squares qrels r --word x --word y --seed 3 -o DIR" in found.summary
    assert "![A line](squares-line.svg)" in found.summary
    with pytest.raises(untied.UntiedError, match='a study with words \\["x", "y"\\], not \\["x"\\]'):
        conduct(Squares(inputs, {"words": ["x"], "seed": 3}), tmp_path / "one", plots="none")


def test_a_folder_belongs_to_one_study_at_a_time(tmp_path: pathlib.Path) -> None:
    """Also where another begins anew; what is there is not touched."""
    path = os.fspath(tmp_path / "parts.jsonl")
    with Checkpoint(path, {"seed": 1}) as kept:
        kept.add(("a",), [(1,)])
        for restart in (False, True):
            with pytest.raises(untied.UntiedError, match=r"parts\.jsonl: another study is running in this folder"):
                Checkpoint(path, {"seed": 1}, restart=restart)
        kept.add(("b",), [(2,)])
    with Checkpoint(path, {"seed": 1}) as kept:
        assert kept.parts == {("a",): [(1,)], ("b",): [(2,)]}
    with Checkpoint(path, {"seed": 2}, restart=True) as kept:
        assert kept.parts == {}


def test_parts_that_are_not_numbers_of_json(tmp_path: pathlib.Path) -> None:
    path = os.fspath(tmp_path / "parts.jsonl")
    with Checkpoint(path, {"seed": 1}) as kept:
        kept.add(("a", 0.1), [("\udcff", math.inf, None), ("b", math.nan, 1 / 3)])
    with Checkpoint(path, {"seed": 1}) as kept:
        rows = kept.parts["a", 0.1]
    assert rows[0] == ("\udcff", math.inf, None)
    assert math.isnan(rows[1][1])
    assert rows[1][2] == 1 / 3


def test_importing_is_light() -> None:
    program = "import sys, untied.study; print([name for name in ('numpy', 'matplotlib') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert found.stdout == "[]\n"
