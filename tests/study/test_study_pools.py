"""Studies of incomplete judgments: pools of the runs, samples of an exact size, measures of one's own."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable

import pytest

import untied
from study_data import collection, contents
from untied import study
from untied.cli import main
from untied.judging import sample
from untied.study.incomplete import Incomplete
from untied.study.inputs import Inputs

OPTIONS = {"rates": [0.4], "samples": 2, "plots": "none"}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    qrels, runs = collection(tmp_path_factory.mktemp("pools"))
    return str(qrels), [str(run) for run in runs]


def values(found: study.Result, rate: float = 1, number: int = 1) -> dict[str, dict[str, float]]:
    """Means by measure and run."""
    means: dict[str, dict[str, float]] = {}
    for row in found.tables[f"{found.name}-runs"].to_dicts():
        if (row["rate"], row["sample"]) == (rate, number):
            means.setdefault(row["measure"], {})[row["run"]] = row["value"]
    return means


def expected(qrels: object, runs: list[str], measure: str) -> dict[str, float]:
    rows = untied.evaluate(qrels, runs, [measure]).table(per_query=False).to_dicts()
    return {row["run"]: row["value"] for row in rows}


def as_if_judged(qrels: str, runs: list[str], depth: int) -> dict[str, dict[str, float]]:
    """The pool of the runs, put together by hand from their rankings."""
    judged, pool = untied.read_qrels(qrels), {}
    for run in map(untied.read_run, runs):
        for query in run.queries():
            ranked = sorted(run[query], key=lambda row: (row[1], row[0]), reverse=True)
            for document, _ in ranked[:depth]:
                pool.setdefault(query, {})[document] = judged[query].get(document, 0.0)
    return pool


@pytest.mark.parametrize("name", ["incomplete", "imperfect"])
def test_judgments_of_the_pool_of_the_runs(name: str, small: tuple[str, list[str]], tmp_path: pathlib.Path) -> None:
    """Its documents without judgment are non-relevant, as the paper has infAP and subAP equal AP with all judgments."""
    qrels, runs = small
    found = getattr(study, name)(qrels, runs, tmp_path / "pool", pool_depth=8, **OPTIONS)
    pool = as_if_judged(qrels, runs, 8)
    at_all = values(found)
    for label, measure in (("AP", "AP"), ("indAP", "AP(judged_only=True)"), ("bpref", "Bpref(variant='paper')")):
        assert at_all[label] == expected(pool, runs, measure)
    assert at_all["subAP"] == pytest.approx(at_all["AP"], abs=1e-12)
    assert at_all["infAP"] == pytest.approx(at_all["AP"], abs=1e-4)
    assert at_all["AP"] != expected(qrels, runs, "AP"), "relevant documents outside the pool are left out"
    judged = untied.read_qrels(qrels)
    pooled = sum(map(len, pool.values()))
    filled = sum(document not in judged[query] for query, of in pool.items() for document in of)
    outside = [
        grade for query in judged.queries() for doc, grade in judged[query].items() if doc not in pool.get(query, {})
    ]
    assert 0 < filled < pooled
    assert found.notes == [
        f"the pool of depth 8 has {pooled} documents: {filled} without a judgment count as non-relevant, and "
        f"{len(outside)} judged documents outside the pool "
        f"({sum(grade > 0 for grade in outside)} relevant) are left out"
    ]
    assert found.notes[0] in found.summary
    assert "--pool-depth 8" in found.summary


def test_samples_are_drawn_from_the_pool(small: tuple[str, list[str]], tmp_path: pathlib.Path) -> None:
    qrels, runs = small
    found = study.incomplete(
        qrels, runs, tmp_path / "out", pool_depth=8, sampling="simple-random", seed=3, measures="infAP", **OPTIONS
    )
    drawn = sample.judgments(as_if_judged(qrels, runs, 8), 0.4, seed=3_000_002, by_query=True)
    for judged in drawn.values():
        assert sum(grade >= 0 for grade in judged.values()) == round(0.4 * len(judged)), "exactly 40 %"
    assert values(found, 0.4, 2)["infAP"] == expected(drawn, runs, "infAP")
    assert "Exactly this share of each query's judgments was kept (simple random sampling)." in found.summary
    assert "--sampling simple-random" in found.summary
    bernoulli = study.incomplete(qrels, runs, tmp_path / "bernoulli", pool_depth=8, seed=3, **OPTIONS)
    assert values(bernoulli, 0.4, 2)["infAP"] != values(found, 0.4, 2)["infAP"]
    assert "with a probability of the rate (Bernoulli sampling)." in bernoulli.summary


def test_measures_of_ones_own(small: tuple[str, list[str]], tmp_path: pathlib.Path) -> None:
    qrels, runs = small
    asked = ["bpref-10", "nDCG@10", "subAP(p={p},rel=1)", "Bpref(variant='paper',extra=10)", "AP(rel=1)"]
    options = [word for one in asked for word in ("-m", one)]
    command = ["study", "incomplete", qrels, *runs, *options, "--rel", "2", "--rates", "0.3", "--samples", "1"]
    assert main([*command, "-o", str(tmp_path)]) == 0
    rows = [line.split("\t") for line in (tmp_path / "incomplete.tsv").read_text().splitlines()[1:]]
    own = ["nDCG@10", "subAP(p={p},rel=1)", "Bpref(variant='paper', extra=10)", "AP(rel=1)"]
    assert list(dict.fromkeys(row[0] for row in rows)) == ["bpref-10", *own, "AP"], "AP is always there"
    found = study.incomplete(qrels, runs, tmp_path, measures=asked, rel=2, rates=[0.3], samples=1)
    assert found.kept == 2
    for rate in (1, 0.3):
        judged = qrels if rate == 1 else sample.judgments(qrels, 0.3, seed=1, rel=2)
        means = values(found, rate)
        for label, measure in (
            ("bpref-10", "Bpref(rel=2,variant='paper',extra=10)"),
            (own[0], own[0]),
            (own[1], f"subAP(p={float(rate)},rel=1)"),
            (own[2], own[2]),
            ("AP(rel=1)", "AP"),
            ("AP", "AP(rel=2)"),
        ):
            assert means[label] == expected(judged, runs, measure)
    assert {"incomplete-scatter-nDCG@10.svg", "incomplete-scatter-AP-rel-1.svg"} <= set(found.files)
    assert "Left out of the lower plots, because their scale differs: nDCG@10\n" in found.summary.replace("*\n", "\n")
    for one, error in (("nonsense", "unknown measure"), ("subAP(p={p}", "cannot read measure")):
        with pytest.raises(untied.MeasureError, match=error):
            study.incomplete(qrels, runs, tmp_path / "refused", measures=[one], **OPTIONS)


def test_refused_options(small: tuple[str, list[str]], tmp_path: pathlib.Path) -> None:
    qrels, runs = small
    for options, said in (
        ({"pool_depth": 0}, "pool_depth must be at least 1, not 0"),
        ({"sampling": "stratified"}, "sampling must be one of bernoulli, simple-random, not 'stratified'"),
    ):
        with pytest.raises(untied.UntiedError, match=said):
            study.incomplete(qrels, runs, tmp_path / "out", **OPTIONS, **options)


def test_a_study_with_another_pool_sampling_or_measure_is_another_study(
    small: tuple[str, list[str]], tmp_path: pathlib.Path
) -> None:
    qrels, runs = small
    study.incomplete(qrels, runs, tmp_path, **OPTIONS)
    before = contents(tmp_path)
    for options, said in (
        ({"pool_depth": 9}, "pool_depth null, not 9"),
        ({"sampling": "simple-random"}, 'sampling "bernoulli", not "simple-random"'),
        ({"measures": ["AP"]}, "measures .*, not"),
        ({"rel": 2}, "rel 1.0, not 2.0"),
    ):
        with pytest.raises(untied.UntiedError, match=said):
            study.incomplete(qrels, runs, tmp_path, **OPTIONS, **options)
    assert contents(tmp_path) == before


def test_how_judgments_are_read_belongs_to_a_study(tmp_path: pathlib.Path) -> None:
    """One file, read as grades and as ordered groups: other values, another study, another command."""
    qrels = tmp_path / "judged"
    qrels.write_text("".join(f"q q d{i} {1 + i // 3}\n" for i in range(9)))
    runs = {name: {"q": {f"d{i}": float(i * step % 10) for i in range(9)}} for name, step in (("a", 1), ("b", 3))}
    options = {"measures": ["nDCG"], **OPTIONS}
    groups = study.incomplete(qrels, runs, tmp_path / "out", qrels_format="mirex", **options)
    assert "--qrels-format mirex" in groups.summary
    with pytest.raises(untied.UntiedError, match='a study with qrels_format "mirex", not "auto"'):
        study.incomplete(qrels, runs, tmp_path / "out", **options)
    grades = study.incomplete(qrels, runs, tmp_path / "out", restart=True, **options)
    assert values(grades)["nDCG"] != values(groups)["nDCG"]
    assert "--qrels-format" not in grades.summary


def test_the_paper_s_pool_of_trec8(unpacked: Callable[[str], pathlib.Path], tmp_path: pathlib.Path) -> None:
    """All 129 submitted runs to depth 100 (footnote 2): 21,989 more documents, tau of indAP .9857, not .9775."""
    folder = unpacked("trec8")
    runs = sorted(folder.glob("*.run"))
    found = study.incomplete(
        folder / "qrels.txt", runs, tmp_path, measures=["indAP"], rates=[0.5], samples=1, pool_depth=100, plots="none"
    )
    assert found.notes[0].startswith(
        "the pool of depth 100 has 108,819 documents: 21,989 without a judgment count as non-relevant, and 0 judged"
    )
    rows = found.tables["incomplete"].to_dicts()
    (tau,) = [row["kendall"] for row in rows if (row["measure"], row["rate"]) == ("indAP", 1)]
    assert f"{tau:.4f}" == "0.9857"
    header = json.loads((tmp_path / "parts.jsonl").read_text().splitlines()[0])
    assert (header["pool_depth"], header["sampling"]) == (100, "bernoulli")


def test_estimates_are_known_by_any_of_their_names(small: tuple[str, list[str]]) -> None:
    """A measure is on AP's scale whatever its spelling: `subap` is subAP."""
    qrels, runs = small
    for spelling in ("subAP(p={p})", "subap(p={p})"):
        settings = {"rates": [0.5], "samples": 1, "rel": 1.0, "measures": ["AP", spelling], "pool_depth": None}
        assert Incomplete(Inputs(qrels, runs), settings).on_scale == ["AP", spelling]
