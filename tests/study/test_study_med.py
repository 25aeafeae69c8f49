"""The study of MED: its tables against the public interface and by hand, for documents and for passages."""

from __future__ import annotations

import math
import pathlib
import random

import pytest

import untied
from study_data import check, collection
from untied import study
from untied._core import measure_info
from untied.cli import main
from untied.comparison.measures import as_comparing
from untied.judging import sample
from untied.study.med_names import distance, short
from untied.study.med_plots import best_groups

SMALL = {
    "measure": "nDCG@5",
    "distances": ["MED(AP@5)", "MED(ERR(max_grade={grade})@5)", "RBO(p=0.8)"],
    "rates": [0, 0.5, 1],
    "psi": [0.5, 0.8],
    "cutoffs": [2, 5],
    "seed": 4,
}
Found = tuple[study.Result, pathlib.Path, list[pathlib.Path]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    folder = tmp_path_factory.mktemp("med")
    qrels, runs = collection(folder)
    return check(study.med, qrels, runs, folder, **SMALL), qrels, runs


def test_distances(found: Found) -> None:
    result, qrels, runs = found
    rows = {tuple(row[:2]) + tuple(row[3:5]): row for row in result.rows}
    a, b = runs[0].stem, runs[3].stem
    expected = {
        ("MED(nDCG@5, max_grade=2)", 0.0): ("MED(nDCG@5, max_grade=2)", None),
        ("MED(nDCG@5, max_grade=2)", 1.0): ("MED(nDCG@5, max_grade=2)", qrels),
        ("MED(AP@5)", 0.0): ("MED(AP@5)", None),
        ("MED(ERR(max_grade=2)@5)", 0.0): ("MED(ERR(max_grade=2)@5)", None),
        ("RBO(p=0.8)", 0.0): ("RBO(p=0.8)", None),
        ("MED(RBP(p=0.5))", 0.0): ("MED(RBP(p=0.5))", None),
        ("MED(nDCG@2, max_grade=2)", 0.0): ("MED(nDCG@2, max_grade=2)", None),
    }
    drawn = {
        query: {doc: grade for doc, grade in judged.items() if grade >= 0}
        for query, judged in sample.judgments(qrels, 0.5, seed=4_000_000).items()
    }
    expected["MED(nDCG@5, max_grade=2)", 0.5] = ("MED(nDCG@5, max_grade=2)", drawn)
    for key, (name, judged) in expected.items():
        value = untied.compare(runs[0], runs[3], name, qrels=judged, ties="docid")[name].mean
        [row] = [
            row for row in rows.values() if row[:2] == (a, b) and (_same(row[3], key[0]), row[4]) == (True, key[1])
        ]
        assert row[5] == (1 - value if name.startswith("RBO") else value)
        assert row[2] == ""
    assert {row[2] for row in result.rows if row[0][:3] == row[1][:3]} == {"aaa", "bbb", "ccc"}
    # 15 pairs by the first distance, three others, what is swept (one of nDCG and RBO's 0.8 are there), two shares.
    assert len(result.rows) == 15 * (1 + 3 + 2 + 1 + 1 + 1 + 2)


def _same(one: str, other: str) -> bool:
    return one.replace(" ", "") == other.replace(" ", "") or short(one) == short(other)


def test_differences(found: Found) -> None:
    result, qrels, runs = found
    values = untied.evaluate(qrels, runs, "nDCG@5", ties="docid")
    row = result.tables["med-differences"].to_dicts()[2]
    a, b = row["run_a"], row["run_b"]
    assert row["difference"] == abs(values[a, "nDCG@5"].mean - values[b, "nDCG@5"].mean)
    of = [abs(values.value("nDCG@5", q, a).mean - values.value("nDCG@5", q, b).mean) for q in values.queries]
    assert row["per_query"] == pytest.approx(sum(of) / 5, abs=1e-15)
    # With all documents to rank 5 judged, MED would be the difference that there is, scaled alike.
    name = "MED(nDCG@5, max_grade=2)"
    paths = {path.stem: path for path in runs}
    told = untied.compare(paths[a], paths[b], name, qrels=qrels, ties="docid")[name].mean
    assert row["scaled"] <= told
    everything = {query: {f"d{query[1:]}-{doc}": 0 for doc in range(40)} | judged
                  for query, judged in ((q, untied.read_qrels(qrels)[q]) for q in values.queries)}  # fmt: skip
    everything = {query: {doc: float(grade) for doc, grade in of.items()} for query, of in everything.items()}
    assert row["scaled"] == pytest.approx(
        untied.compare(paths[a], paths[b], name, qrels=everything, ties="docid")[name].mean
    )


def test_correlations(found: Found) -> None:
    result, *_ = found
    scipy = pytest.importorskip("scipy.stats")
    values: dict[tuple[str, float], list[tuple[float, bool]]] = {}
    for _, _, group, measure, judged, value, _ in result.rows:
        values.setdefault((measure, judged), []).append((value, bool(group)))
    differences = result.tables["med-differences"]
    seen = 0
    for row in result.tables["med-correlations"].to_dicts():
        one = values[row["measure"], row["judged"]]
        if row["to"] in ("difference", "per_query", "scaled"):
            other = list(differences[row["to"]])
        else:
            other = [value for value, _ in values[row["to"], 0.0]]
        pairs = [
            (round(x, 12), round(y, 12))
            for (x, same), y in zip(one, other, strict=True)
            if row["among"] == "all" or same is (row["among"] == "same")
        ]
        assert row["pairs"] == len(pairs) == {"all": 15, "same": 3, "other": 12}[row["among"]]
        x, y = zip(*pairs, strict=True)
        tau = scipy.kendalltau(x, y).statistic
        assert row["kendall"] == pytest.approx(tau, abs=1e-12, nan_ok=True)
        if len(set(x)) > 1 and len(set(y)) > 1:
            assert row["pearson"] == pytest.approx(scipy.pearsonr(x, y).statistic, abs=1e-9)
        seen += 1
    assert seen == 3 * len({(r["measure"], r["judged"], r["to"]) for r in result.tables["med-correlations"].to_dicts()})


def test_map_and_groups(found: Found) -> None:
    result, *_ = found
    rows = {row["run"]: row for row in result.tables["med-map"].to_dicts()}
    assert list(rows) == ["aaa1", "aaa2", "bbb1", "bbb2", "ccc1", "ccc2"]
    assert rows["bbb2"]["group"] == "bbb"
    best = best_groups(result.tables["med-map"])
    assert best == sorted(best, key=lambda group: -max(rows[run]["mean"] for run in rows if run.startswith(group)))


def test_groups_of_a_file(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, runs = collection(tmp_path)
    groups = tmp_path / "groups.txt"
    groups.write_text("# run group\naaa1 one\naaa2 two\nbbb1 one\n\nbbb2 two\nccc1 three\nccc2 four\n")
    arguments = ["study", "med", str(qrels), *map(str, runs), "-m", "P@3", "--distance", "RBO", "--plots", "none",
                 "--rates", "1", "--psi", "0.5", "--cutoffs", "3", "--groups", str(groups)]  # fmt: skip
    assert main([*arguments, "-o", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "med.tsv").read_text()
    assert "aaa1\tbbb1\tone\t" in text
    assert f"--groups {groups}" in (tmp_path / "out" / "summary.md").read_text()
    groups.write_text("aaa1 one\n")
    assert main([*arguments, "-o", str(tmp_path / "other")]) == 2
    assert "run aaa2 has no group" in capsys.readouterr().err
    for bad, said in (("aaa1\n", "expected 2 fields (run group), found 1"), ("a x\na y\n", "expected one group for a")):
        groups.write_text(bad)
        assert main([*arguments, "-o", str(tmp_path / "other")]) == 2
        assert said in capsys.readouterr().err


def test_refusals(tmp_path: pathlib.Path) -> None:
    qrels, runs = collection(tmp_path)
    for options, said in (
        ({"rates": [25]}, "rates must be from 0 to 1, not 25: 25 % is 0.25"),
        ({"prefix": 0}, "prefix must be at least 1, not 0"),
        ({"psi": [1.5]}, "p must be a number between 0 and 1, not 1.5"),
    ):
        with pytest.raises(untied.UntiedError, match=said):
            study.med(qrels, runs, tmp_path / "out", **options)
    with pytest.raises(untied.UntiedError, match="at least 3 runs, found 2"):
        study.med(qrels, runs[:2], tmp_path / "out")


def test_names_in_plots() -> None:
    assert short("MED(nDCG@20, max_grade=1)") == "MED-nDCG@20"
    assert short("MED(RBP(p=0.9))") == "MED-RBP(p=0.9)"
    assert short("MED(ERR(max_grade=2)@30)") == "MED-ERR@30"
    assert short("RBO(p=0.9)") == "1 - RBO(p=0.9)"
    assert short("Hoeffding@20") == "Hoeffding@20"
    assert short("Footrule") == "Footrule"
    assert short("KendallDistance") == "KendallDistance"
    assert short("RRDistance") == "RRDistance"
    assert short("Delta(nDCG@20, p=0.2)") == "absolute Delta(nDCG@20, p=0.2)"


@pytest.mark.parametrize(
    "name",
    [
        "MED(nDCG@5)",
        *(
            info["name"] + "@9" * (info["cutoff"] == "required")
            for info in measure_info(comparing=True)
            if info["name"] not in ("MED", "Delta")
        ),
    ],
)
def test_every_measure_of_two_rankings_is_a_distance(name: str) -> None:
    """It is 0 for equal rankings, and larger for a ranking with more changes; the label says how it is made."""
    docs = [f"d{number}" for number in range(9)]
    runs = {
        "same": docs,
        "near": [*docs[:2], docs[3], docs[2], *docs[4:]],
        "far": [*docs[:1:-1], "x", "y"],
    }
    lists = {run: {"q": {doc: -float(rank) for rank, doc in enumerate(order)}} for run, order in runs.items()}
    means = {run: untied.compare(lists["same"], ranking, name)[name].mean for run, ranking in lists.items()}
    same, near, far = (distance(name, means[run]) for run in runs)
    assert same == pytest.approx(0, abs=1e-12)
    assert 0 <= near <= far
    assert far > 1e-6
    label = short(name)
    assert label == (f"1 - {name}" if far == 1 - means["far"] else "MED-nDCG@5" if name.startswith("MED") else name)


def test_expected_differences_approach_actual_ones(tmp_path: pathlib.Path) -> None:
    """The absolute mean of Delta, which needs judgments; with all of them and no prior it is the actual difference."""
    qrels, runs = collection(tmp_path)
    name = str(as_comparing("Delta(P@5, p=0)"))
    result = study.med(qrels, runs, tmp_path / "out", **{**SMALL, "measure": "P@5", "distances": [name]})
    rows = [row for row in result.rows if row[3] == name]
    assert {row[4] for row in rows} == {0.5, 1.0}
    assert len(rows) == 2 * 15
    actual = {(row["run_a"], row["run_b"]): row["difference"] for row in result.tables["med-differences"].to_dicts()}
    assert max(actual.values()) > 0
    for a, b, _, _, judged, value, width in rows:
        assert value >= 0
        assert width == 0
        if judged == 1:
            assert value == pytest.approx(actual[a, b], abs=1e-12)
    text = (tmp_path / "out" / "summary.md").read_text()
    assert f"absolute {name}" in text


def passages(folder: pathlib.Path) -> tuple[pathlib.Path, list[pathlib.Path]]:
    """Four runs of two groups, of passages of one thousand characters; those of a group share many."""
    generator = random.Random(5)
    judged = [f"q{query} d{doc} {start} 300 1" for query in range(3) for doc in range(6) for start in (0, 1000)]
    (folder / "judged.txt").write_text("\n".join(judged) + "\n")
    paths = []
    for name in ("one1", "one2", "two1", "two2"):
        lines = []
        for query in range(3):
            docs = range(4) if name.startswith("one") else range(3, 9)
            for doc in docs:
                score = doc + generator.gauss(0, 1)
                lines.append(f"q{query} Q0 d{doc} {generator.choice([0, 200, 900])} 600 0 {score:.4f} {name}".replace(
                    " Q0 ", " "))  # fmt: skip
        paths.append(folder / f"{name}.passages")
        paths[-1].write_text("\n".join(lines) + "\n")
    return folder / "judged.txt", paths


def test_passages(tmp_path: pathlib.Path) -> None:
    judged, runs = passages(tmp_path)
    found = check(study.passages, judged, runs, tmp_path, text_length=2000.0)
    assert len(found.rows) == 6 * 3
    one, other = (untied.comparison.passages.read_passages(path)[0] for path in runs[1:3])
    of = {row["query"]: row for row in found.tables["passages"].to_dicts()
          if (row["run_a"], row["run_b"]) == ("one2", "two1")}  # fmt: skip
    assert {query: row["value"] for query, row in of.items()} == untied.compare_passages(
        one, other, length=2000
    ).per_query
    # By hand: S of a ranking, character by character, each with gain 1 where a judged passage has it.
    relevant = {(f"d{doc}", start + i) for doc in range(6) for start in (0, 1000) for i in range(300)}

    def score(ranking: list[tuple[str, int, int]]) -> float:
        read = [(doc, start + i) for doc, start, length in ranking for i in range(length)]
        return math.fsum(
            (1 - (place + 1) / 2000) for place, character in enumerate(read[:2000]) if character in relevant
        )

    for query, row in of.items():
        assert row["difference"] == pytest.approx(abs(score(one[query]) - score(other[query])))
        assert row["difference"] <= row["value"] + 1e-9
    assert "untied study passages" in found.summary
    assert {row["group"] for row in found.tables["passages"].to_dicts()} == {"", "one", "two"}
