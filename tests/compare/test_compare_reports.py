"""What `untied compare` tells: distributions, queries that changed most, what moved, matrices, every format."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import pathlib
import pickle
from functools import partial
from typing import Any

import pytest

import untied
from commands import Command
from nightly import many, seeded
from oracle import permutations
from untied.cli import changes

OLD = {"1": ["a", "b", "c", "d"], "2": ["a", "b"], "3": ["x", "y"]}
NEW = {"1": [["c", "e"], ["a"], ["d"]], "2": ["a", "b"], "4": ["x"]}
QRELS = {"1": {"e": 2, "b": 0, "c": -1}}


@pytest.fixture
def compare(untied_: Command, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run ``untied compare`` in a folder with its files."""
    for name, run in {"old": OLD, "new": NEW, "other": {"1": ["a", "z"], "2": ["b", "a"]}}.items():
        lines = [
            f"{query} Q0 {doc} 1 {-rank} t\n"
            for query, ranking in run.items()
            for rank, group in enumerate(ranking)
            for doc in group
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    graded = [f"{query} 0 {doc} {grade}\n" for query, docs in QRELS.items() for doc, grade in docs.items()]
    (tmp_path / "qrels").write_text("".join(graded))

    monkeypatch.chdir(tmp_path)
    return partial(untied_, "compare")


def moved(depth: int | None, measures: Any = "Overlap@2", **options: Any) -> dict[str, tuple[Any, ...]]:
    table = untied.compare(OLD, NEW, measures, qrels=QRELS, **options).moved("1", depth)
    assert table.columns == ["document", "change", "rank_a", "rank_b", "tied_a", "tied_b", "grade"]
    return {document: tuple(rest) for document, *rest in table.rows()}


def test_what_moved() -> None:
    assert moved(2) == {
        "a": ("left", 1, 3, 1, 1, None),
        "b": ("left", 2, None, 1, None, 0),
        "c": ("entered", 3, 1, 1, 2, None),  # a negative grade is no judgment
        "e": ("entered", None, 1, None, 2, 2),
    }
    assert {document: row[0] for document, row in moved(4).items()} == {
        "a": "fell", "b": "left", "c": "rose", "d": "stayed", "e": "entered"}  # fmt: skip
    found = untied.compare(OLD, NEW, "Overlap@2", qrels=QRELS).moved("1")
    assert [line.split()[:3] for line in repr(found).splitlines()[1:3]] == [["a", "left", "1"], ["b", "left", "2"]]
    # Ranks under the policy: c and e stand one by one. A group counts within the depth if it begins there.
    assert moved(1, ties="docid")["e"] == ("entered", None, 1, None, 1, 2)
    assert "c" not in moved(1, ties="docid")
    assert moved(1)["c"][0] == "entered"
    # The middle of the shared ranks decides.
    tied = untied.compare({"q": [["a", "b", "c"]]}, {"q": ["b", "a", "c"]}, "Overlap@3").moved("q")
    assert dict(zip(tied["document"], tied["change"], strict=True)) == {"a": "stayed", "b": "rose", "c": "fell"}
    # The depth: of the first measure, or of the one that it is of; else that of the comparison; else 10.
    assert moved(None) == moved(2)
    assert untied.compare(OLD, NEW, ["MED(nDCG@3)", "RBO"]).moving_depth == 3
    assert untied.compare(OLD, NEW, ["RBO", "Overlap@3"]).moving_depth == 10
    assert untied.compare(OLD, NEW, "RBO", depth=7).moving_depth == 7
    assert len(untied.compare(OLD, NEW).moved("4")) == 1
    with pytest.raises(KeyError, match="query 'absent' is in neither run"):
        untied.compare(OLD, NEW).moved("absent")


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # runs that share nothing, on purpose
def test_distribution() -> None:
    old = {str(i): ["a", "b", "c", "d"] for i in range(5)}
    new = {str(i): ["abcd"[j] if j < i else f"{i}{j}" for j in range(4)] for i in range(5)}
    found = untied.compare(old, new, ["Overlap@4", "Tau"]).distribution
    assert found.columns == ["measure", "mean", "min", "5%", "25%", "50%", "75%", "95%", "max"]
    overlap, tau = found.rows()
    assert overlap[0] == "Overlap@4"
    assert overlap[1:] == pytest.approx((0.5, 0, 0.05, 0.25, 0.5, 0.75, 0.95, 1))
    assert tau[1:] == (1,) * 8  # of the queries with two documents in common
    assert untied.compare({"1": ["a"]}, {"1": ["b"]}, "Tau").distribution["50%"] != [0.0]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("Overlap@2", ["none", "half", "same", "undone"]),
        ("MED(P@2)", ["none", "half", "same", "undone"]),
        ("Delta(P@2)", ["half", "none", "same", "undone"]),
        ("Tau", ["undone", "same", "half", "none"]),  # not defined for the last two
    ],
)
def test_queries_that_changed_most(measure: str, expected: list[str]) -> None:
    old = {"same": ["a", "b"], "undone": ["a", "b"], "half": ["a", "b"], "none": ["a", "b"]}
    new = {"same": ["a", "b"], "undone": ["b", "a"], "half": ["a", "c"], "none": ["c", "d"]}
    found = untied.compare(old, new, ["RBO", measure], qrels={"half": {"b": 1}})
    assert found.most_changed(measure=measure) == expected
    assert found.most_changed(2, measure) == expected[:2]
    assert found.most_changed(1) == ["none"]


def test_measures_as_objects() -> None:
    med = untied.MED(untied.nDCG @ 20, max_grade=2)
    assert str(med) == repr(med) == "MED(nDCG@20, max_grade=2)"
    assert untied.MED("ndcg_cut_20", max_grade=2) == med == untied.MED(of=untied.nDCG @ 20, max_grade=2)
    assert pickle.loads(pickle.dumps(med)) == med
    measures = [med, untied.RBO(p=0.95), untied.Overlap @ 10, "overlap@10"]
    found = untied.compare(OLD, NEW, measures)
    assert found.measures == ["MED(nDCG@20, max_grade=2)", "RBO(p=0.95)", "Overlap@10"]
    assert found[untied.Overlap @ 10] == found["Overlap@10"] == found["overlap@10"]
    assert untied.compare(OLD, NEW, untied.Overlap @ 10).measures == ["Overlap@10"]
    with pytest.raises(untied.MeasureError, match="RBO compares two rankings; it does not evaluate one"):
        untied.evaluate(QRELS, NEW, [untied.RBO])
    with pytest.raises(untied.MeasureError, match=r"MED\(nDCG@20\) compares two rankings"):
        untied.evaluate(QRELS, NEW, "MED(nDCG@20)")
    with pytest.raises(untied.MeasureError, match="needs a cutoff"):
        untied.MED(untied.P)
    with pytest.raises(untied.MeasureError, match="has no parameter"):
        untied.nDCG(untied.AP)
    with pytest.raises(TypeError, match="expected a measure, found 3"):
        untied.MED(3)  # type: ignore[arg-type]


def test_all_pairs() -> None:
    runs = {"a": {"q": ["x", "y"]}, "b": {"q": ["y", "z"]}, "c": {"q": [["x", "y"]]}}
    measures = ["Overlap@1", "Delta(P@1)", "MED(P@1, direction='a-b')"]
    found = untied.compare_all(runs, measures, qrels={"q": {"x": 1, "y": 0, "z": 0}})
    assert found.pairs == [("a", "b"), ("a", "c"), ("b", "c")]
    pairs = {pair: untied.compare(runs[pair[0]], runs[pair[1]], measures, qrels={"q": {"x": 1, "y": 0, "z": 0}})
             for pair in found.pairs}  # fmt: skip
    for pair, alone in pairs.items():
        assert found[pair].means["value"] == alone.means["value"]
        assert found[pair].moved("q").to_dicts() == alone.moved("q").to_dicts()
    assert found.means["value"] == [value for alone in pairs.values() for value in alone.means["value"]]
    overlap, delta, directed = map(found.matrix, measures)
    assert list(overlap.rows()) == [("a", 1, 0, 0.5), ("b", 0, 1, 0.5), ("c", 0.5, 0.5, 0.5)]
    assert list(delta.rows()) == [("a", 0, 1, 0.5), ("b", -1, 0, -0.5), ("c", -0.5, 0.5, 0)]
    assert list(directed.rows()) == [("a", 0, 1, 0.5), ("b", None, 0, -0.5), ("c", None, None, 0)]
    without = untied.compare_all(runs, "Overlap@1", itself=False)
    assert without.pairs == found.pairs
    assert next(iter(without.matrix().rows())) == ("a", None, 0, 0.5)
    assert found.matrix().to_numpy().tolist() == [[1, 0, 0.5], [0, 1, 0.5], [0.5, 0.5, 0.5]]
    assert found.matrix().to_pandas().set_index("run").loc["a", "c"] == 0.5
    with pytest.raises(KeyError, match="compared in the order"):
        found["b", "a"]
    with pytest.raises(KeyError, match="no run 'd'"):
        found["a", "d"]
    with pytest.raises(untied.UntiedError, match="runs 'b' and 'c' have no query in common"):
        untied.compare_all({"a": {"1": ["a"], "2": ["a"]}, "b": {"1": ["a"]}, "c": {"2": ["a"]}})
    with pytest.raises(untied.UntiedError, match="runs 'b' and 'c' have no query in common"):
        untied.compare({"1": ["a"]}, {"2": ["a"]}, names=("b", "c"))
    with pytest.raises(untied.UntiedError, match="there is only one run"):
        untied.compare_all({"a": runs["a"]})
    named = untied.compare_all({"run": runs["a"], "b": runs["b"]}, "RBO").matrix()
    assert named.columns == ["run_", "run", "b"]


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # runs that share nothing, on purpose
def test_a_matrix_of_many_runs_holds_what_pairs_do() -> None:
    """Symmetric measures computed once, in whatever order the runs are."""
    runs = {f"r{i}": {q: [f"{(i * j + len(q)) % 7}" for j in range(1, 4)] for q in ("1", "22")} for i in range(1, 7)}
    for measure in ("RBO", "MED(nDCG@3)", "MED(RBP)", "TauAP"):
        matrix, reverse = (untied.compare_all(dict(order), measure).matrix(measure).to_dicts()
                           for order in (runs.items(), reversed(runs.items())))  # fmt: skip
        for a, of_a in zip(runs, matrix, strict=True):
            for b, of_b in zip(runs, matrix, strict=True):
                direct = untied.compare(runs[a], runs[b], measure)[measure].mean
                if measure != "TauAP" or a <= b:
                    assert of_a[b] == pytest.approx(direct, abs=1e-12, nan_ok=True)
                if measure != "TauAP":
                    assert of_a[b] == of_b[a]
                    assert reverse[-1 - list(runs).index(a)][b] == pytest.approx(direct, abs=1e-12)


def test_tsv_and_csv(compare: Command) -> None:
    code, out, err = compare("old.run", "new.run", "-m", "Overlap@2", "-m", "MED(RBP)", "-q")
    assert code == 0
    lines = [line.split("\t") for line in out.splitlines()]
    assert lines[0] == ["run_a", "run_b", "query", "measure", "value", "low", "high", "certainty"]
    assert lines[1] == ["old", "new", "1", "Overlap@2", "0.0000", "0.0000", "0.0000", "exact"]
    assert [line[2] for line in lines[1:]] == ["1", "1", "2", "2", "all", "all"]
    assert lines[2][3:4] + lines[2][7:] == ["MED(RBP)", "interval"]
    assert err == "note: queries in only one run, left out: 1 of old, 1 of new\n"
    _, comma, _ = compare("old.run", "new.run", "-m", "Overlap@2", "-m", "MED(RBP)", "-q", "--format", "csv")
    assert list(csv.reader(io.StringIO(comma))) == lines


def test_json(compare: Command, tmp_path: pathlib.Path) -> None:
    arguments = ("old.run", "new.run", "--qrels", "qrels", "-m", "Overlap@2", "-m", "Tau", "--top", 1)
    _, out, _ = compare(*arguments, "--format", "json", "--depth", 3, "--ties", "trec")
    found = json.loads(out)
    assert found["untied"] == untied.__version__
    assert found["settings"] == {"ties": "trec", "score_dtype": "float32", "depth": 3, "qrels_format": "auto"}
    hashes = [hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("old.run", "new.run", "qrels")]
    assert [one["sha256"] for one in found["inputs"]] == hashes
    assert found["runs"] == ["old", "new"]
    assert found["queries"] == {"both": 2, "alone": [1, 1]}
    assert found["notes"] == ["queries in only one run, left out: 1 of old, 1 of new"]
    assert [row["query"] for row in found["results"]] == ["1", "1", "all", "all"]
    assert found["results"][1]["value"] == -1
    assert found["distribution"][0]["50%"] == 0.5
    [changed] = found["most_changed"]
    assert changed["query"] == "1"
    assert {row["document"]: row["change"] for row in changed["moved"]}["e"] == "entered"
    _, out, err = compare("old.run", "other.run", "-m", "Tau", "-q", "--format", "json")
    assert err.splitlines()[1] == "note: undefined values, left out of the means: 1 of Tau"
    found = json.loads(out)
    assert [row["value"] for row in found["results"]] == [None, -1, -1]  # one document in common: not defined
    assert "most_changed" not in found


def test_report(compare: Command) -> None:
    _, out, _ = compare("old.run", "new.run", "--qrels", "qrels", "-m", "Overlap@2", "--format", "table", "--top", 1)
    assert out == (
        "old to new: 2 queries\n\n"
        "The first 10 documents changed in 50 % of queries: in 1 of 2 queries, a document entered or left.\n\n"
        "              mean      min       5%      25%      50%      75%      95%      max\n"
        "Overlap@2   0.5000   0.0000   0.0500   0.2500   0.5000   0.7500   0.9500   1.0000\n\n"
        "changed most by Overlap@2\n\n"
        "query   Overlap@2\n"
        "1          0.0000\n"
        "  entered  c (3 to 1-2), e (new at 1-2, grade 2)\n"
        "  left     a (1 to 3), b (2, gone, grade 0)\n"
    )
    without = out.partition("\nchanged most")[0]
    assert compare("old.run", "new.run", "-m", "Overlap@2", "--format", "table", "--top", 0)[:2] == (0, without)
    _, out, _ = compare("old.run", "new.run", "-m", "Overlap@2", "--format", "md", "--top", 1, "-q")
    assert "| query | Overlap@2 |\n| --- | ---: |\n| 1 | 0.0000 |\n| 2 | 1.0000 |\n" in out
    assert "* **1**: Overlap@2 0.0000\n  * entered: c (3 to 1-2), e (new at 1-2)\n" in out
    _, out, _ = compare("old.run", "new.run", "other.run", "-m", "Overlap@1", "--format", "table")
    assert out == (
        "run a   run b   Overlap@1\n"
        "old     new        0.5000\n"
        "old     other      0.5000\n"
        "new     other      0.0000 [0.0000, 0.0000]\n".replace(" [0.0000, 0.0000]", "")
    )


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # runs that share nothing, on purpose
def test_a_report_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are never broken, and the distribution stands upright where it would be too wide."""
    terminal = [60]
    monkeypatch.setattr(changes, "width", lambda: terminal[0])
    old, new = ({"q": [f"{name}-document-{i}" for i in range(10)]} for name in ("old", "new"))
    found = untied.compare(old, new)
    text = changes.ComparisonText("table", 4, on_screen=True).of_two(found, per_query=False, top=5)
    assert max(map(len, text.splitlines())) <= 60
    assert "\nquery   MED(nDCG@10)      RBO   Overlap@10\nq             1.0000   0.0000       0.0000\n" in text
    assert text.count("(new at ") == 10
    assert text.count(", gone)") == 10
    assert "\nmax " in text
    # A line for each measure where columns would be too wide.
    terminal[0] = 40
    text = changes.ComparisonText("table", 4, on_screen=True).of_two(found, per_query=True, top=5)
    assert max(map(len, text.splitlines())) <= 40
    assert text.count("query   measure         value\nq       MED(nDCG@10)   1.0000\nq       RBO") == 2
    text = changes.ComparisonText("table", 4, on_screen=True).of_many([found], per_query=False)
    assert text.splitlines()[1] == "a       b       MED(nDCG@10)   1.0000"
    long = untied.compare(old, new, "RBO", depth=10).moved("q", 10)
    assert len(long) == 20


def test_matrix(compare: Command) -> None:
    arguments = ("--show", "matrix", "old.run", "new.run", "other.run", "-m", "Overlap@1", "-m", "Delta(P@1)")
    code, out, err = compare(*arguments)
    assert code == 0
    assert out == (
        "measure\trun\told\tnew\tother\n"
        "Overlap@1\told\t1.0000\t0.5000\t0.5000\n"
        "Overlap@1\tnew\t0.5000\t0.8333\t0.0000\n"
        "Overlap@1\tother\t0.5000\t0.0000\t1.0000\n"
        "Delta(P@1)\told\t0.0000\t0.0000\t0.0000\n"
        "Delta(P@1)\tnew\t0.0000\t0.0000\t0.0000\n"
        "Delta(P@1)\tother\t0.0000\t0.0000\t0.0000\n"
    )
    assert err == "note: queries that another run lacks, left out: 1 of old, 1 of new\n"
    _, out, _ = compare(*arguments, "--format", "table")
    assert out.splitlines()[:2] == ["Overlap@1      old      new    other", "old         1.0000   0.5000   0.5000"]
    _, out, _ = compare(*arguments, "--format", "json")
    assert json.loads(out)["matrices"]["Overlap@1"][0] == [1.0, 0.5, 0.5]
    _, out, _ = compare(*arguments[2:5], "-m", "Overlap@1")
    assert [line.split("\t")[:3] for line in out.splitlines()[1:]] == [
        ["old", "new", "all"], ["old", "other", "all"], ["new", "other", "all"]]  # fmt: skip


def test_usage(compare: Command) -> None:
    assert compare("old.run")[0] == 2
    assert "there is only one run" in compare("old.run")[2]
    matrix = ("old.run", "new.run", "--show", "matrix")
    assert "--show matrix cannot be combined with --top" in compare(*matrix, "--top", 2)[2]
    assert "--per-query, because it shows only means" in compare(*matrix, "-q")[2]
    assert "only one input can be standard input" in compare("old.run", "-", "--qrels", "-")[2]
    assert compare("old.run", "new.run", "--top", "-1")[0] == 2
    assert compare(*matrix, "--top", 0)[0] == 2
    assert "expected a suffix of .tsv" in compare("old.run", "new.run", "-o", "old.run")[2]
    assert "one of the inputs" in compare("old.run", "new.run", "-o", "old.run", "--format", "tsv")[2]
    assert "run 'old.run' is given twice" in compare("old.run", "old.run")[2]


def test_judgments_by_subtopic(compare: Command, tmp_path: pathlib.Path) -> None:
    """Their format is named as for `untied eval`; the grade of one subtopic is not that of another."""
    (tmp_path / "subtopics").write_text("1 1 a 1\n1 2 e 1\n1 1 c 0\n")
    asked = ("-m", "MED(alpha_nDCG@3)", "--qrels", "subtopics", "-q", "--format", "tsv", "--digits", "12")
    code, output, _ = compare("old.run", "new.run", "--qrels-format", "subtopics", *asked)
    assert code == 0
    qrels = {"1": {"1": {"a": 1, "c": 0}, "2": {"e": 1}}}
    expected = untied.compare(OLD, NEW, "MED(alpha_nDCG@3)", qrels=qrels).value("MED(alpha_nDCG@3)", "1")
    [row] = [line.split("\t") for line in output.splitlines() if line.split("\t")[2] == "1"]
    assert float(row[4]) == pytest.approx(expected.mean, abs=1e-12)
    code, _, message = compare("old.run", "new.run", *asked)
    assert code != 0
    assert "subtopics" in message


@pytest.mark.parametrize("seed", range(many(60)))
def test_what_ties_alone_explain_is_marked(seed: int) -> None:
    """Whether some order of each ranking is the same, by listing all orders."""
    chance = seeded(f"only ties {seed}")

    def ranking() -> list[list[str]]:
        docs = chance.sample("abcd", 4 if chance.random() < 0.8 else 3)
        groups: list[list[str]] = [[]]
        for doc in docs:
            groups += [[]] if chance.random() < 0.5 and groups[-1] else []
            groups[-1].append(doc)
        return groups

    old = ranking()
    new = ranking() if chance.random() < 0.7 else [[doc] for group in old for doc in group]
    found = untied.compare(old, new, "Overlap@9", depth=9)
    some = {tuple(order) for order in permutations(old)} & {tuple(order) for order in permutations(new)}
    assert changes.only_ties(found.moved("query", 9)) is bool(some)
    text = changes.ComparisonText("table", 4, on_screen=False).of_two(found, per_query=False, top=1)
    is_same = [set(group) for group in old] == [set(group) for group in new]
    marked = "  ~        some order of tied documents makes the first 9 ranks equal\n"
    assert (marked in text) is (bool(some) and not is_same)
