"""MED of the TREC-8 runs: the values of Clarke's own program, and pairs of runs certified.

They are all 8,256 in a nightly run, and as a rule the 903 of every third run.

What his program (med.c) printed for 15 runs, without and with judgments, equals ours once three habits of it are known:

* Its loop over the ranks of a list stops one too early. A document that A has above rank j, where B's counted part ends
  with it, is taken for one that B lacks: it adds D(i) to S(A) - S(B), not D(i) - D(j). So of nDCG and RBP, and only of
  documents without judgment. It is as if the last document of B had another name.
* In nDCG and ERR a list shorter than the cutoff is not filled up: it is as if documents judged 0 followed it.
  (For RBP it is filled up, as here.)
* Its MED of ERR lets at most five documents of both lists be relevant. On 2 of 5,250 queries the largest
  difference needs six.
"""

from __future__ import annotations

import csv
import itertools
import lzma
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import untied
from nightly import SEED

SHARED = Path(os.environ.get("UNTIED_SHARED") or Path(__file__).resolve().parents[3] / "shared")
DATA = SHARED / "data"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no TREC data in {SHARED} (set UNTIED_SHARED to the folder that holds data/)"
)

#: Every how many runs are compared with each other.
STEP = 1 if SEED else 3
PRINTED = 0.5e-5 + 1e-9  # half a unit of the fifth decimal
Key = tuple[str, str, str]
Lists = dict[str, dict[str, list[str]]]


class Program(NamedTuple):
    """One of its three measures, and its habits."""

    column: str
    measure: str
    k: int
    fills: bool
    misses_last: bool

    def name(self, direction: str = "both") -> str:
        return f"MED({self.measure}@{self.k}, max_grade=2, direction='{direction}')"

    def taken(self, a: list[str], b: list[str], judged: dict[str, int]) -> tuple[list[str], list[str], dict[str, int]]:
        """Lists and judgments of which our S(A) - S(B) is the one that it prints."""
        a, b, judged = a[: self.k], b[: self.k], dict(judged)
        last = b[-1]
        if self.misses_last and last not in judged and last in a[: len(b) - 1]:
            b[-1] = "not " + last
        if not self.fills:
            for side, ranking in (("a", a), ("b", b)):
                added = [f"after {side} {rank}" for rank in range(len(ranking), self.k)]
                ranking += added
                judged |= dict.fromkeys(added, 0)
        return a, b, {doc: judged[doc] for doc in (*a, *b) if doc in judged}


NDCG = Program("MED-nDCG@20", "nDCG(gain='exp2')", 20, fills=False, misses_last=True)
ERR = Program("MED-ERR@30", "ERR(max_grade=2)", 30, fills=False, misses_last=False)
RBP = Program("MED-RBP0.95", "RBP(p=0.95)", 1000, fills=True, misses_last=True)


@pytest.fixture(scope="module")
def trec8(unpacked: Callable[[str], Path]) -> Path:
    return unpacked("trec8")


@pytest.fixture(scope="module")
def runs(trec8: Path) -> dict[str, Path]:
    return {path.stem: path for path in sorted(trec8.glob("*.run"))}


@pytest.fixture(scope="module")
def some(runs: dict[str, Path]) -> dict[str, Path]:
    """The runs of which every two are compared."""
    return {name: runs[name] for name in list(runs)[::STEP]}


def printed(file: str, column: str) -> tuple[dict[Key, float], dict[tuple[str, str], float]]:
    """Values by pair of runs and topic, and means by pair."""
    values: dict[Key, float] = {}
    means: dict[tuple[str, str], float] = {}
    with lzma.open(DATA / "trec8" / f"med.{file}.csv.xz", "rt") as lines:
        for row in csv.DictReader(lines):
            pair, topic, value = (row["run1"], row["run2"]), row["topic"], float(row[column])
            if topic == "amean":
                means[pair] = value
            else:
                values[*pair, topic] = value
    return values, means


def by_docid(run: Path) -> dict[str, list[str]]:
    """Its order: scores descending, equal ones by document id descending."""
    scored: dict[str, list[tuple[float, str]]] = {}
    with run.open() as lines:
        for line in lines:
            topic, _, doc, _, score, _ = line.split()
            scored.setdefault(topic, []).append((float(score), doc))
    return {topic: [doc for _, doc in sorted(docs, reverse=True)] for topic, docs in scored.items()}


@pytest.fixture(scope="module")
def lists(runs: dict[str, Path]) -> Lists:
    values, _ = printed("noqrels", NDCG.column)
    return {run: by_docid(runs[run]) for run in {name for *pair, _ in values for name in pair}}


@pytest.fixture(scope="module")
def judgments(trec8: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for line in (trec8 / "qrels.txt").read_text().splitlines():
        topic, _, doc, grade = line.split()
        grades.setdefault(topic, {})[doc] = int(grade)
    return grades


def ours(program: Program, lists: Lists, runs: dict[str, Path], qrels: Path | None) -> Callable[[Key], untied.Value]:
    """MED as it is, both runs read from their files."""
    name = program.name()
    found = untied.compare_all({run: runs[run] for run in sorted(lists)}, name, qrels=qrels, ties="docid", itself=False)

    def value(key: Key) -> untied.Value:
        one, two, topic = key
        return found[min(one, two), max(one, two)].value(name, topic)

    return value


@pytest.mark.parametrize(
    ("file", "program", "different"),
    [
        ("noqrels", NDCG, 1899),
        ("noqrels", RBP, 160),
        ("noqrels", ERR, 21),
        ("qrels", NDCG, 70),
        ("qrels", RBP, 0),
        ("qrels", ERR, 107),
    ],
    ids=lambda of: of.column if isinstance(of, Program) else str(of),
)
def test_clarke(
    file: str, program: Program, different: int, lists: Lists, runs: dict[str, Path], trec8: Path,
    judgments: dict[str, dict[str, int]],
) -> None:  # fmt: skip
    """Equal where the program is right; and where it is not, with what it took for the lists."""
    expected, means = printed(file, program.column)
    assert len(expected) == 50 * math.comb(15, 2)
    value = ours(program, lists, runs, trec8 / "qrels.txt" if file == "qrels" else None)
    sides: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
    qrels: dict[str, dict[str, int]] = {}
    found: dict[Key, float] = {}
    for key in expected:
        one, two = (lists[run][key[2]] for run in key[:2])
        # At rank 1,000 RBP's weight is 1e-24.
        if program.k == RBP.k and min(len(one), len(two)) == RBP.k:
            found[key] = value(key).mean
            continue
        judged = judgments[key[2]] if file == "qrels" else {}
        taken = [program.taken(one, two, judged), program.taken(two, one, judged)]
        if taken[0][:2] == taken[1][1::-1] == (one[: program.k], two[: program.k]):
            found[key] = value(key).mean
            continue
        for direction, (a, b, known) in zip(("up", "down"), taken, strict=True):
            query = " ".join((*key, direction))
            sides[0][query], sides[1][query] = a, b
            if known:
                qrels[query] = known
    assert len(found) > 1000
    if sides[0]:
        name = program.name("a-b")
        as_taken = untied.compare(*sides, name, qrels=qrels or None)
        for key in set(expected) - set(found):
            found[key] = max(as_taken.value(name, " ".join((*key, way))).mean for way in ("up", "down"))
    wrong = {key for key in expected if abs(found[key] - expected[key]) > PRINTED}
    if (file, program) == ("noqrels", ERR):
        assert wrong == FIVE_ARE_TOO_FEW
        assert all(0 < found[key] - expected[key] < 2e-5 for key in wrong)
    else:
        assert not wrong
    # So many values are not those of the definition.
    excess = {key: expected[key] - value(key).mean for key in expected}
    assert sum(abs(by) > 1.2 * PRINTED for by in excess.values()) == different
    if program.misses_last and file == "noqrels":
        page = (Path(__file__).parents[2] / "docs" / "coming_from_paper.md").read_text()
        assert f"by up to {max(excess.values()):.3f}" in " ".join(page.split())
    for pair, mean in means.items():
        topics = [found[key] for key in expected if key[:2] == pair]
        assert math.fsum(topics) / 50 == pytest.approx(mean, abs=2 * PRINTED)


FIVE_ARE_TOO_FEW = {("att99atde", "tno8d3", "410"), ("8manexT3D1N0", "tno8d3", "410")}


@pytest.mark.parametrize("key", sorted(FIVE_ARE_TOO_FEW), ids=lambda key: key[0])
def test_clarke_err_needs_six(key: Key, lists: Lists) -> None:
    """With at most five documents of both lists relevant it is what the program prints, with six what is certified."""
    b, a = (lists[run][key[2]][: ERR.k] for run in key[:2])
    both = set(a) & set(b)

    def err(ranking: list[str], relevant: set[str]) -> float:
        value, goes_on = 0.0, 1.0
        for rank, doc in enumerate(ranking, 1):
            if doc in relevant:
                value += goes_on * 0.75 / rank
                goes_on *= 0.25
        return value

    alone = set(a) - both
    five = max(
        err(a, alone | {*chosen}) - err(b, {*chosen})
        for chosen in itertools.chain.from_iterable(itertools.combinations(sorted(both), n) for n in range(6))
    )
    assert five == pytest.approx(printed("noqrels", ERR.column)[0][key], abs=PRINTED)
    found = untied.compare(a, b, ERR.name("a-b"))[ERR.name("a-b")]
    assert found.certainty == "exact"
    assert found.mean > five + PRINTED


def test_map_every_two_runs(some: dict[str, Path], trec8: Path) -> None:
    """AP: the largest difference of pairs of runs, 50 topics each, certified in both directions."""
    up, down, delta = "MED(AP@100, direction='a-b')", "MED(AP@100, direction='b-a')", "Delta(AP@100)"
    options = {"depth": 100, "ties": "docid", "itself": False}
    found = untied.compare_all(some, [up, down], **options)
    judged = untied.compare_all(some, delta, qrels=trec8 / "qrels.txt", **options)
    assert len(found.pairs) == math.comb(len(some), 2)
    topics = 0
    for pair in found.pairs:
        table, known = found[pair].per_query, judged[pair].per_query
        assert {*table["certainty"], *known["certainty"]} == {"exact"}
        assert table["value"] == table["low"] == table["high"]
        # What is known of the difference, and what it may become, is within what it could be.
        highest, lowest = table["value"][::2], [-value for value in table["value"][1::2]]
        rows = zip(lowest, known["low"], known["value"], known["high"], highest, strict=True)
        for least, low, now, high, most in rows:
            assert least - 1e-12 <= low <= now <= high <= most + 1e-12
            topics += 1
    assert topics == 50 * math.comb(len(some), 2)
    # The difference that two evaluations have, with R the depth.
    measure = "AP(recall_base=100)@100"
    evaluated = untied.evaluate(trec8 / "qrels.txt", some, measure, ties="docid")
    for a, b in found.pairs:
        difference = evaluated.value(measure, run=a).mean - evaluated.value(measure, run=b).mean
        assert judged[a, b][delta].mean == pytest.approx(difference, abs=1e-12)


def test_err_every_two_runs(some: dict[str, Path]) -> None:
    """ERR with all that could follow: certified but for 5 at most, and these nearly."""
    found = untied.compare_all(some, "MED(ERR(max_grade=2)@100, tail='upper')", depth=100, ties="docid", itself=False)
    open_ = []
    for pair in found.pairs:
        table = found[pair].per_query
        assert len(table) == 50
        rows = zip(table["certainty"], table["low"], table["high"], strict=True)
        open_ += [high - low for certainty, low, high in rows if certainty != "exact"]
    assert len(open_) <= 5
    assert all(width < 1e-4 for width in open_)
