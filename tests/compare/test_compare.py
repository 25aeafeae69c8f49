"""Similarities of two runs: definitions by enumeration, Corsi & Urbano's test values, golden cases, the command."""

from __future__ import annotations

import csv
import itertools
import json
import lzma
import math
import os
import random
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import untied
from commands import Command
from nightly import SEED
from oracle import similarity as oracle

SHARED = Path(os.environ.get("UNTIED_SHARED") or Path(__file__).resolve().parents[3] / "shared")
CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "golden.json").read_text())["cases"]
SCORES = ("truncated", "min", "max", "ext", "res")
Groups = list[list[str]]


def rbo(p: float, score: str, variant: str = "expected", k: int | None = None) -> str:
    """A name in the canonical spelling."""
    parameters = [f"p={p!r}"] * (p != 0.9)
    parameters += [f"score='{score}'"] * (score != "ext") + [f"variant='{variant}'"] * (variant != "expected")
    return "RBO" + f"({', '.join(parameters)})" * bool(parameters) + (f"@{k}" if k else "")


def value(a: Groups, b: Groups, measure: str) -> untied.Value:
    return untied.compare(a, b, measure, variance=True)[measure]


@st.composite
def rankings(draw: st.DrawFn, most: int = 6) -> Groups:
    docs = draw(st.lists(st.sampled_from("abcdefghi"), max_size=most, unique=True))
    ranking: Groups = []
    for doc in docs:
        if ranking and len(ranking[-1]) < 4 and draw(st.booleans()):
            ranking[-1].append(doc)
        else:
            ranking.append([doc])
    return ranking


persistences = st.sampled_from([0.1, 0.5, 0.9, 0.98, 0.995])


def agrees(found: untied.Value, expected: Any) -> None:
    assert found.mean == pytest.approx(float(expected.mean), rel=1e-12, abs=1e-14)
    assert found.low == pytest.approx(float(expected.low), rel=1e-12, abs=1e-14)
    assert found.high == pytest.approx(float(expected.high), rel=1e-12, abs=1e-14)
    assert found.variance == pytest.approx(float(expected.variance), rel=1e-10, abs=1e-15)


@given(rankings(5), rankings(5), persistences, st.sampled_from(SCORES))
def test_rbo_over_all_orders(a: Groups, b: Groups, p: float, score: str) -> None:
    agrees(value(a, b, rbo(p, score)), oracle.similarity("RBO", a, b, p=Fraction(p), score=score))


@given(rankings(5), rankings(5), persistences, st.sampled_from(["truncated", "min", "ext"]), st.integers(1, 8))
def test_rbo_to_a_cutoff(a: Groups, b: Groups, p: float, score: str, k: int) -> None:
    agrees(value(a, b, rbo(p, score, k=k)), oracle.similarity("RBO", a, b, k, p=Fraction(p), score=score))


@given(rankings(5), rankings(5), st.sampled_from(["Overlap", "AO"]), st.integers(1, 8))
def test_overlaps_over_all_orders(a: Groups, b: Groups, name: str, k: int) -> None:
    agrees(value(a, b, f"{name}@{k}"), oracle.similarity(name, a, b, k))


@given(
    rankings(8).filter(bool), rankings(8).filter(bool), persistences, st.sampled_from(SCORES), st.sampled_from("wab")
)
def test_tied_variants(a: Groups, b: Groups, p: float, score: str, variant: str) -> None:
    found = value(a, b, rbo(p, score, variant))
    stated = float(oracle.tied_rbo(a, b, Fraction(p), score, variant))
    assert found.mean == pytest.approx(stated, rel=1e-12, abs=1e-14)
    assert (found.low, found.high, found.variance) == (None, None, None)


@given(rankings(8).filter(bool), rankings(8).filter(bool), persistences)
def test_properties_of_rbo(a: Groups, b: Groups, p: float) -> None:
    """Symmetric; min <= ext <= max; without ties all variants are one; a ranking is wholly like itself."""
    ext = value(a, b, rbo(p, "ext")).mean
    assert ext == pytest.approx(value(b, a, rbo(p, "ext")).mean, abs=1e-13)
    assert value(a, b, rbo(p, "min")).mean - 1e-12 <= ext <= value(a, b, rbo(p, "max")).mean + 1e-12
    untied_a, untied_b = ([[doc] for group in ranking for doc in group] for ranking in (a, b))
    for score in SCORES:
        one = value(untied_a, untied_b, rbo(p, score)).mean
        for variant in "wab":
            assert value(untied_a, untied_b, rbo(p, score, variant)).mean == pytest.approx(one, abs=1e-13)
    assert value(untied_a, untied_a, rbo(p, "ext")).mean == pytest.approx(1)
    assert value(a, a, rbo(p, "ext", "b")).mean == pytest.approx(1)


@given(rankings(9), rankings(9), st.integers(1, 7))
def test_nothing_below_the_cutoff_counts(a: Groups, b: Groups, k: int) -> None:
    """A measure by itself joins rankings to its cutoff; beside another one, as deep as that one needs."""
    names = [f"{name}@{k}" for name in ("AO", "AnchorMAP", "Footrule", "Hoeffding", "Jaccard", "KendallDistance")]
    names += [f"{name}@{k}" for name in ("Overlap", "RBO", "RBO(variant='a', score='truncated')", "RRDistance")]
    beside = untied.compare(a, b, [*names, "RBO"], variance=True)
    for name in names:
        found = untied.compare(a, b, name, variance=True)[name]
        assert repr(found) == repr(beside[name])
        assert found.low == beside[name].low or math.isnan(found.low)


#: Measures for each way in which `MED` and `Delta` are found.
OF_ONE = ["AP", "DCG", "ERR", "F1", "GAP", "P", "Q", "R", "RBP", "RR", "RelP", "Success", "iRBU", "nDCG"]


@given(rankings(7), rankings(7), st.integers(1, 4), st.dictionaries(st.sampled_from("abcdefghi"), st.integers(0, 1)))
@example([["r"], ["x"], ["u"]], [["y"], ["z"], ["v"]], 2, dict.fromkeys("xyz", 0) | {"r": 1})
def test_differences_do_not_depend_on_measures_beside_them(
    a: Groups, b: Groups, k: int, grades: dict[str, int]
) -> None:
    """Rankings are read to the cutoff of each measure, however deep others are read."""
    qrels = {"q": {**grades, "judged": 0}}
    names = [form % f"{name}@{k}" for name in OF_ONE for form in ("MED(%s)", "Delta(%s)")]
    beside = untied.compare(a, b, [*names, "RBO"], qrels=qrels)
    for name in names:
        alone = untied.compare(a, b, name, qrels=qrels)[name]
        assert repr(alone) == repr(beside[name])
        assert all(str(part) != "-0.0" for part in (alone.mean, alone.low, alone.high))


def test_empty_rankings() -> None:
    found = {pair: value(*pair_of, "RBO").mean for pair, pair_of in
             {"both": ([], []), "one": ([], [["a"]]), "other": ([["a"]], [])}.items()}  # fmt: skip
    assert found == {"both": 1, "one": 0, "other": 0}
    for variant in ("w", "a", "b"):
        assert value([], [], rbo(0.9, "truncated", variant, 3)).mean == 0


def test_long_rankings() -> None:
    """Large groups against sampled orders: the mean within six standard errors; and 3,000 documents in one group."""
    chance = random.Random(7)
    docs = [f"d{i}" for i in range(300)]

    def ranking(sizes: list[int]) -> Groups:
        drawn = iter(chance.sample(docs, sum(sizes)))
        return [[next(drawn) for _ in range(size)] for size in sizes]

    a, b = ranking([1, 60, 3, 100, 20]), ranking([30, 2, 80, 1, 60, 40])
    found = value(a, b, "RBO(p=0.98)")

    def shuffled(groups: Groups) -> list[str]:
        return [doc for group in groups for doc in chance.sample(group, len(group))]

    samples = [value_of_orders(shuffled(a), shuffled(b)) for _ in range(400)]
    mean = sum(samples) / len(samples)
    variance = sum((sample - mean) ** 2 for sample in samples) / len(samples)
    assert found.low is not None
    assert found.high is not None
    assert found.variance is not None
    assert abs(found.mean - mean) < 6 * math.sqrt(found.variance / len(samples))
    assert variance == pytest.approx(found.variance, rel=0.4)
    assert found.low <= min(samples) <= max(samples) <= found.high
    whole = [[f"d{i}" for i in range(3000)]]
    assert value(whole, whole, "Overlap@3000").mean == 1
    assert value(whole, whole, "Overlap@1500").mean == pytest.approx(0.5)


def value_of_orders(a: list[str], b: list[str]) -> float:
    return untied.compare(a, b, "RBO(p=0.98)")["RBO(p=0.98)"].mean


OF_RBO = [case for case in CASES if case["measure"] in ("RBO", "RBO.permutation")]
KINDS = {"trunc": "truncated", "min": "min", "max": "max", "ext": "ext"}


@pytest.mark.parametrize("case", OF_RBO, ids=lambda case: case["id"])
def test_golden(case: dict[str, Any]) -> None:
    """Of the package and of the oracle."""
    params = case["input"]["params"]
    a, b, p = case["input"]["a"], case["input"]["b"], Fraction(params["p"])
    if case["measure"] == "RBO":
        variant = params["ties"]
        score = KINDS[case["statistic"]]
        mine = value(a, b, rbo(float(p), score, "expected" if variant == "none" else variant)).mean
        stated = float(oracle.tied_rbo(a, b, p, score, "a" if variant == "none" else variant))
    else:
        score = KINDS[params["score"]]
        name = {"mean": "mean", "var": "variance", "min": "low", "max": "high"}[case["statistic"]]
        mine = getattr(value(a, b, rbo(float(p), score)), name)
        exact = getattr(oracle.similarity("RBO", a, b, p=p, score=score), name)
        assert exact == Fraction(case["value"]) if case["exact"] else True
        stated = float(exact)
    assert mine == pytest.approx(case["float"], rel=1e-12)
    assert stated == pytest.approx(case["float"], rel=1e-12)


def read_groups(text: str) -> Groups:
    return [found.strip("()").split() for found in re.findall(r"\([^)]*\)|\S+", text)]


def test_corsi_and_urbano() -> None:
    """Their own test, all variants and scores: each night all 10,000 pairs of tied rankings, by day every eighth."""
    path = SHARED / "data" / "rbo_ties" / "test.csv.xz"
    if not path.is_file():
        pytest.skip(f"no {path.name} in {path.parent} (set UNTIED_SHARED to the folder that holds data/)")
    compared, wrong = 0, []
    with lzma.open(path, "rt") as lines:
        for row in itertools.islice(csv.DictReader(lines), 0, None, 1 if SEED else 8):
            a, b, p = read_groups(row["x"]), read_groups(row["y"]), float(row["p"])
            names = {f"{v}.{s}": f"RBO(p={p!r}, score='{s}', variant='{v}')" for v in "wab" for s in SCORES[1:]}
            found = untied.compare(a, b, list(names.values())).means["value"]
            for column, mine in zip(names, found, strict=True):
                compared += 1
                if not abs(mine - float(row[column])) <= 1e-12:
                    wrong.append(f"{row['x']} | {row['y']} | {p} {column}: {mine}, theirs {row[column]}")
    assert not wrong, f"{len(wrong)}: " + "\n".join(wrong[:10])
    assert compared == 12 * (10_000 if SEED else 1_250)


def test_two_runs(tmp_path: Path) -> None:
    a = {"1": {"x": 3.0, "y": 2.0, "z": 2.0}, "2": {"x": 1.0}, "only": {"x": 1.0}}
    b = {"1": {"y": 9.0, "x": 8.0}, "2": {"y": 1.0}}
    found = untied.compare(a, b, ["Overlap@2", "RBO"], names=("old", "new"))
    assert found.queries == ["1", "2"]
    assert found.alone == (1, 0)
    one = found.value("Overlap@2", "1")
    assert (one.mean, one.low, one.high) == (0.75, 0.5, 1.0)
    assert found["Overlap@2"].mean == 0.375
    assert len(found.table()) == 6
    assert found.means.to_dicts()[0] == {
        "run_a": "old", "run_b": "new", "query": "all", "measure": "Overlap@2", "certainty": "exact",
        "value": 0.375, "low": 0.25, "high": 0.5}  # fmt: skip
    assert untied.compare(a, b, "Overlap@2", ties="given").value("Overlap@2", "1").mean == 1.0
    assert untied.compare(a, b, "Overlap@2", ties="docid").value("Overlap@2", "1").mean == 0.5
    for number, run in enumerate((a, b)):
        lines = [f"{q} Q0 {doc} 0 {score} t\n" for q, docs in run.items() for doc, score in docs.items()]
        (tmp_path / f"{'ab'[number]}.run").write_text("".join(lines))
    from_files = untied.compare(tmp_path / "a.run", tmp_path / "b.run", ["Overlap@2", "RBO"])
    assert from_files.means["value"] == found.means["value"]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("RBO(p=1)", "p must be a number between 0 and 1"),
        ("RBO(score='best')", "score must be"),
        ("RBO(variant='c')", "variant must be"),
        ("RBO(score='max')@10", "a cutoff can be combined only with"),
        ("RBO(variant='w')@10", "a cutoff can be combined only with"),
        ("RBO(mean='geometric')", "arithmetic"),
        ("Overlap", "needs a cutoff"),
        ("RBQ", "did you mean RBO"),
        ("nDCG@10", "nDCG@10 reads one ranking and judgments; it does not compare two"),
        ("MED", "MED needs a measure, for instance MED(nDCG@20)"),
        ("MED(RBO)", "RBO compares two rankings; it does not evaluate one"),
    ],
)
def test_refused(measure: str, message: str) -> None:
    with pytest.raises(untied.MeasureError, match=re.escape(message)):
        untied.compare(["a"], ["b"], measure)


def test_refused_inputs() -> None:
    with pytest.raises(untied.UntiedError, match="no query in common"):
        untied.compare({"1": ["a"]}, {"2": ["a"]})
    with pytest.raises(untied.UntiedError, match="ties must be"):
        untied.compare(["a"], ["b"], ties="best")
    with pytest.raises(TypeError, match="both inputs must be ranked lists, or both runs"):
        untied.compare(["a"], {"1": ["a"]})
    for names in (("x", "x"), ("x", "y", "z"), ("x",), "xy"):
        with pytest.raises(untied.UntiedError, match=re.escape(f"two different names of runs, not {names!r}")):
            untied.compare(["a"], ["b"], names=names)  # type: ignore[arg-type]


def test_command(tmp_path: Path, untied_: Command) -> None:
    a, b = tmp_path / "old.run", tmp_path / "new.run"
    a.write_text("1 Q0 x 1 3 t\n1 Q0 y 2 2 t\n1 Q0 z 3 2 t\n2 Q0 x 1 1 t\n3 Q0 x 1 1 t\n")
    b.write_text("1 Q0 y 1 9 t\n1 Q0 x 2 8 t\n2 Q0 y 1 1 t\n4 Q0 x 1 1 t\n")
    assert untied_("compare", a, b, "-m", "Overlap@2", "-q") == (
        0,
        "run_a\trun_b\tquery\tmeasure\tvalue\tlow\thigh\tcertainty\n"
        "old\tnew\t1\tOverlap@2\t0.7500\t0.5000\t1.0000\texact\n"
        "old\tnew\t2\tOverlap@2\t0.0000\t0.0000\t0.0000\texact\n"
        "old\tnew\tall\tOverlap@2\t0.3750\t0.2500\t0.5000\texact\n",
        "note: queries in only one run, left out: 1 of old, 1 of new\n",
    )
    top = untied_("compare", a, b, "-m", "Overlap@2", "-m", "RBO(variant='w')", "--top", 1)[1].splitlines()
    assert [line.split("\t")[2:4] for line in top[1:]] == [
        ["2", "Overlap@2"], ["2", "RBO(variant='w')"], ["all", "Overlap@2"], ["all", "RBO(variant='w')"]]  # fmt: skip
    assert top[2].split("\t")[5:7] == ["", ""]
    assert untied_("compare", a, b, "-m", "nDCG@10")[0] == 2
    assert untied_("compare", a, tmp_path / "absent")[0] == 2
    assert untied_("compare", "-", "-")[0] == 2


def test_lengths_of_documents(tmp_path: Path) -> None:
    """Files and dicts agree; a document without a length is an error, wherever it is needed."""
    (tmp_path / "a.run").write_text("q Q0 x 1 2 a\nq Q0 y 2 1 a\n")
    (tmp_path / "b.run").write_text("q Q0 z 1 2 b\nq Q0 x 2 1 b\n")
    (tmp_path / "docs").write_text("# a header\nx 10\ny 5 7.5\nz 20\n")
    measures = ["MED(U(L=40)@2)", "MED(TBG)", "Delta(TBG, p=0.5)"]
    found = untied.compare(tmp_path / "a.run", tmp_path / "b.run", measures, docs=tmp_path / "docs")
    docs = {"x": 10, "y": (5, 7.5), "z": 20}
    again = untied.compare(["x", "y"], ["z", "x"], measures, docs=docs)
    assert [found[name] for name in found.measures] == [again[name] for name in again.measures]
    # x ends at 10 or at 30, y at 15: 3/4 + 25/40 less 1/4, against 1/2.
    assert again["MED(U(L=40)@2)"].mean == 0.75 - 0.25 + 0.625
    command = [sys.executable, "-m", "untied", "compare", "a.run", "b.run", "--format", "tsv", "--digits", "9"]
    command += [part for name in measures for part in ("-m", name)]
    done = subprocess.run([*command, "--docs", "docs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    values = [float(line.split("\t")[4]) for line in done.stdout.splitlines()[1:]]
    assert values == pytest.approx([found[name].mean for name in found.measures], abs=1e-9)
    (tmp_path / "docs").write_text("x 10\ny 5\n")
    done = subprocess.run([*command, "--docs", "docs"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert 'docs has no length of document "z", retrieved for query "q"' in done.stderr
    for call in (lambda: untied.compare(["x"], ["y"], "Delta(TBG)"),
                 lambda: untied.compare_arrays([[1]], [[2]], "MED(U@1)")):  # fmt: skip
        with pytest.raises(untied.UntiedError, match=r"needs lengths of documents \(--docs FILE, docs=\)"):
            call()
    # Lengths of documents that do not count are not asked for; nor are any where no measure needs them.
    untied.compare(["x", "?"], ["z", "!"], "MED(U@1)", docs=docs)
    untied.compare(["x", "?"], ["z", "!"], "MED(P@2)", docs=docs)


@pytest.mark.parametrize(
    ("name_a", "name_b", "names"),
    [
        (None, None, ("a", "b")),
        ("bm25", None, ("bm25", "b")),
        (None, "bm25", ("a", "bm25")),
        ("b", None, ("b", "b_")),
        (None, "a", ("a_", "a")),
        ("b", "a", ("b", "a")),
    ],
)
def test_a_named_run_keeps_its_name_beside_one_without(name_a, name_b, names):
    run = {"q": {"x": 1.0, "y": 2.0}}
    a, b = (run if name is None else untied.Run(run, name=name) for name in (name_a, name_b))
    assert untied.compare(a, b, "RBO").runs == names
