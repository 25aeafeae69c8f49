"""All 129 TREC-8 ad hoc runs and the TREC 2003 robust track against trec_eval's published output and pytrec_eval.

The data carry no licence to redistribute, so they live outside the repository: in the folder ``shared`` next to it, or
wherever the environment variable UNTIED_SHARED points to. Without them these tests are skipped.
"""

from __future__ import annotations

import gzip
import itertools
import lzma
import math
import os
import random
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import untied
from nightly import SEED

SHARED = Path(os.environ.get("UNTIED_SHARED") or Path(__file__).resolve().parents[3] / "shared")
DATA = SHARED / "data"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no TREC data in {SHARED} (set UNTIED_SHARED to the folder that holds data/)"
)

# Names in trec_eval's output and ours.
NAMES = {
    "map": "AP",
    "map_cut_10": "AP@10",
    "P_10": "P@10",
    "recall_100": "R@100",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "infAP": "infAP",
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "success_5": "Success@5",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
}
PRINTED = 0.5e-4 + 1e-9  # half a unit of the fourth decimal


@dataclass
class Collection:
    """Unpacked runs with their qrels and the published values: run -> topic -> trec_eval name -> value."""

    qrels: Path
    runs: dict[str, Path]
    published: dict[str, dict[str, dict[str, float]]]


def read_published(archive: Path) -> dict[str, dict[str, dict[str, float]]]:
    published: dict[str, dict[str, dict[str, float]]] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            content = tar.extractfile(member)
            if content is None:
                continue
            values: dict[str, dict[str, float]] = {}
            for line in content.read().decode().splitlines():
                name, topic, value = line.split(None, 2)
                if name in NAMES:
                    values.setdefault(topic, {})[name] = float(value)
            published[Path(member.name).name.removeprefix("eval.")] = values
    return published


def collection(name: str, archive: str, folder: Path) -> Collection:
    runs = {path.stem: path for path in sorted(folder.glob("*.run"))}
    return Collection(folder / "qrels.txt", runs, read_published(DATA / name / archive))


@pytest.fixture(scope="session")
def trec8(unpacked: Callable[[str], Path]) -> Collection:
    return collection("trec8", "published-eval.tar.xz", unpacked("trec8"))


@pytest.fixture(scope="session")
def robust03(unpacked: Callable[[str], Path]) -> Collection:
    return collection("robust03", "trec_eval-10.tar.xz", unpacked("robust03"))


def differences(collection: Collection, results: Any) -> tuple[int, list[str]]:
    """How many values were compared, and those that differ from the published ones, topics and means."""
    compared, wrong = 0, []
    for run, topics in collection.published.items():
        for topic, values in topics.items():
            query = None if topic == "all" else topic
            for name, value in values.items():
                mine = results.value(NAMES[name], query=query, run=run).mean
                compared += 1
                if abs(mine - value) > PRINTED:
                    wrong.append(f"{run} {topic} {name}: {mine}, published {value}")
    return compared, wrong


def test_trec8_published(trec8: Collection) -> None:
    """trec_eval 10 reads scores as doubles and breaks ties by document id, descending: ties='docid'."""
    assert len(trec8.runs) == 129
    assert set(trec8.runs) == set(trec8.published)
    results = untied.evaluate(trec8.qrels, trec8.runs, list(NAMES.values()), ties="docid")
    assert set(results.runs) == set(trec8.runs)
    assert len(results.queries) == 50
    compared, wrong = differences(trec8, results)
    assert not wrong, "\n".join(wrong[:20])
    assert compared == 129 * (50 + 1) * len(NAMES)


def test_trec8_pytrec_eval(trec8: Collection) -> None:
    """trec_eval 9, inside pytrec_eval, reads scores as 32-bit floats: ties='trec'.

    It reads all runs in a nightly run, and as a rule every third and the one whose scores tie only in 32 bits.
    """
    pytrec_eval = pytest.importorskip("pytrec_eval")
    chosen = {*trec8.runs} if SEED else {*list(trec8.runs)[::3], "uwmt8a0"}
    runs = {run: path for run, path in trec8.runs.items() if run in chosen}
    assert "uwmt8a0" in runs
    results = untied.evaluate(trec8.qrels, runs, list(NAMES.values()), ties="trec")
    with trec8.qrels.open() as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), set(NAMES))
    wrong = []
    for run, path in runs.items():
        with path.open(errors="surrogateescape") as lines:
            theirs = evaluator.evaluate(pytrec_eval.parse_run(lines))
        assert sorted(theirs) == results.queries
        for query, values in theirs.items():
            assert set(values) == set(NAMES)
            for name, value in values.items():
                mine = results.value(NAMES[name], query=query, run=run).mean
                if abs(mine - value) > 1e-9:
                    wrong.append(f"{run} {query} {name}: {mine}, pytrec_eval {value}")
    assert not wrong, "\n".join(wrong[:20])


def test_trec8_range(trec8: Collection) -> None:
    """Expected values and those of trec_eval's order lie within the range; the range opens only with ties."""
    runs = {run: trec8.runs[run] for run in sorted(trec8.runs)[::10]}
    measures = ["AP", "P@10", "RR", "Rprec", "nDCG", "nDCG@10"]
    ranges = untied.evaluate(trec8.qrels, runs, measures, ties="range")
    docid = untied.evaluate(trec8.qrels, runs, measures, ties="docid")
    opened = 0
    for run in runs:
        for measure in measures:
            for query in (*ranges.queries, None):
                value = ranges.value(measure, query=query, run=run)
                assert value.low is not None
                assert value.high is not None
                assert value.low <= value.mean <= value.high
                assert value.low <= docid.value(measure, query=query, run=run).mean <= value.high
                opened += value.low < value.high
    assert opened


@pytest.mark.parametrize("rate", ["0.1", "0.02"])
def test_trec8_sampled(trec8: Collection, tmp_path: Path, rate: str) -> None:
    """What trec_eval 9.0.8 printed for samples of the judgments, the rest of the pool being marked with -1."""
    qrels = tmp_path / "qrels"
    qrels.write_bytes(lzma.decompress((DATA / "trec8" / f"sampled-{rate}.qrels.xz").read_bytes()))
    published: dict[str, dict[str, dict[str, float]]] = {}
    with gzip.open(DATA / "trec8" / f"sampled-{rate}.trec_eval-9.0.8.txt.gz", "rt") as lines:
        for line in lines:
            run, name, topic, value = line.split()
            if name in ("map", "bpref", "infAP") and topic != "all":
                published.setdefault(run, {}).setdefault(topic, {})[name] = float(value)
    assert len(published) == 129
    results = untied.evaluate(qrels, trec8.runs, ["AP", "Bpref", "infAP"], ties="trec")
    compared, wrong = differences(Collection(qrels, trec8.runs, published), results)
    assert not wrong, "\n".join(wrong[:20])
    assert compared == 129 * 3 * 50


def test_trec8_induced(trec8: Collection) -> None:
    """AP of judged documents alone, on the pool of depth 10: TREC's figures, and their Kendall tau to AP."""
    lines = (DATA / "trec8" / "depth10.map").read_text().splitlines()
    published = {run: float(value) for run, value in map(str.split, lines)}
    assert set(published) == set(trec8.runs)
    for measure, options in {"AP(judged_only=True)": {}, "AP": {"unjudged": "remove"}}.items():
        results = untied.evaluate(DATA / "trec8" / "depth10.qrels", trec8.runs, [measure], ties="docid", **options)
        induced = {run: results.value(measure, run=run).mean for run in published}
        assert {run for run, value in published.items() if abs(induced[run] - value) > PRINTED} == set()
    full = untied.evaluate(trec8.qrels, trec8.runs, ["AP"], ties="docid")
    # As the figures stand in print, four decimals, of which some are equal.
    pairs = [(round(full.value("AP", run=run).mean, 4), round(value, 4)) for run, value in induced.items()]
    agreeing = sum(
        ((a - c) * (b - d) > 0) - ((a - c) * (b - d) < 0) for (a, b), (c, d) in itertools.combinations(pairs, 2)
    )
    assert f"{agreeing / math.comb(129, 2):.3f}" == "0.918"


def test_trec8_every_two_runs(trec8: Collection) -> None:
    """50 topics of each pair; with judgments nothing can differ more than without.

    They are all 8,256 pairs in a nightly run, and as a rule the 903 of every third run.
    """
    measures = ["MED(nDCG@20)", "RBO", "Delta(P@10)"]
    runs = {name: trec8.runs[name] for name in list(trec8.runs)[:: 1 if SEED else 3]}
    pairs = math.comb(len(runs), 2)
    assert pairs == (8256 if SEED else 903)
    found = untied.compare_all(runs, measures, depth=20)
    judged = untied.compare_all(runs, measures, qrels=trec8.qrels, depth=20)
    assert len(found.pairs) == len(judged.pairs) == pairs
    assert sum(len(found[pair].queries) for pair in found.pairs) == 50 * pairs
    chance = random.Random(8)
    for a, b in chance.sample(found.pairs, 12):
        for several, qrels in ((found, None), (judged, trec8.qrels)):
            two = untied.compare(runs[a], runs[b], measures, qrels=qrels, depth=20, names=(a, b))
            assert several[a, b].table().to_dicts() == two.table().to_dicts()
    open_, known = (one.matrix("MED(nDCG@20)").to_numpy() for one in (found, judged))
    assert (known <= open_ + 1e-12).all()
    assert (open_ == open_.T).all()
    # The difference of precisions that two evaluations have, where every retrieved document counts as judged.
    precision = untied.evaluate(trec8.qrels, runs, "P@10")
    means = [precision.value("P@10", run=run).mean for run in runs]
    expected = [[pytest.approx(a - b, abs=1e-12) for b in means] for a in means]
    assert judged.matrix("Delta(P@10)").to_numpy().tolist() == expected


def test_robust03_published(robust03: Collection) -> None:
    """Graded judgements, 0 to 2."""
    assert len(robust03.runs) == 17
    assert set(robust03.runs) == set(robust03.published)
    results = untied.evaluate(robust03.qrels, robust03.runs, list(NAMES.values()), ties="docid")
    compared, wrong = differences(robust03, results)
    assert not wrong, "\n".join(wrong[:20])
    assert compared == 17 * (100 + 1) * len(NAMES)
