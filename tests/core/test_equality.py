"""What differs only by rounding is equal: no sign, rank, verdict or p-value may come of it."""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import untied
from commands import Command
from nightly import many, seeded
from untied import _core
from untied.report.page import asset
from untied.statistics import (
    effect_size,
    mean_interval,
    randomization_test,
    significance,
    t_test,
    wilcoxon_test,
)

DATA = Path(os.environ.get("UNTIED_SHARED") or Path(__file__).resolve().parents[3] / "shared") / "data"
TESTS = (randomization_test, t_test, wilcoxon_test)
#: Tenths, as values of P@10: their differences and sums are rounded in many ways.
TENTHS = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=2, max_size=12)


def tenths(pairs: list[tuple[int, int]]) -> tuple[list[float], list[float]]:
    return [a / 10 for a, _ in pairs], [b / 10 for _, b in pairs]


@given(TENTHS, st.randoms(use_true_random=False))
def test_scaling_and_the_order_of_queries_change_no_test(pairs: list[tuple[int, int]], random: Any) -> None:
    a, b = tenths(pairs)
    whole = [float(x) for x, _ in pairs], [float(y) for _, y in pairs]
    for test in TESTS:
        # SciPy lists all signs of differences that are tied or 0; every further pair doubles its time.
        few = pairs[:7] if test is wilcoxon_test else pairs
        found, turned = test(*tenths(few)), test(*tenths(random.sample(few, len(few))))
        times_ten = test([float(x) for x, _ in few], [float(y) for _, y in few])
        assert found.p == pytest.approx(times_ten.p, rel=1e-9, nan_ok=True), test
        assert (found.p, found.difference) == pytest.approx((turned.p, turned.difference), rel=1e-14, nan_ok=True)
        assert (found.difference > 0, found.difference < 0) == (times_ten.difference > 0, times_ten.difference < 0)
        if sum(x for x, _ in few) == sum(y for _, y in few):
            assert found.difference == 0
    for kind in ("paired", "pooled"):
        found, times_ten = effect_size(a, b, kind=kind), effect_size(*whole, kind=kind)
        assert found == pytest.approx(times_ten, rel=1e-9)
        assert (found == 0) == (times_ten == 0)
    for method in ("bca", "t"):
        ends = mean_interval(a, b, method=method, samples=99)
        times_ten = mean_interval(*whole, method=method, samples=99)
        assert [10 * end for end in ends] == pytest.approx(times_ten, rel=1e-9, abs=1e-10, nan_ok=True)
        assert [end > 0 for end in ends] == [end > 0 for end in times_ten]
        assert [end < 0 for end in ends] == [end < 0 for end in times_ten]


@pytest.mark.parametrize("test", TESTS)
def test_equal_columns_have_no_difference(test: Callable[..., Any]) -> None:
    thirds = [sum([0.1, 0.2]), 11 / 18, sum([0.7, 0.1, 0.1])] * 4
    others = [0.3, sum([1, 1 / 2, 1 / 3]) / 3, 0.9] * 4
    assert thirds != others
    for a, b in ((thirds, others), ([1e-17] * 12, [0.0] * 12)):
        found = test(a, b)
        assert (found.p, found.difference) == (1, 0)
        assert effect_size(a, b) == 0
        assert mean_interval(a, b) == (0, 0)


def test_equal_means_are_not_significant_where_ranks_differ() -> None:
    queries = [f"q{number:02}" for number in range(30)]
    relevant, others = [f"r{place}" for place in range(30)], [f"n{place}" for place in range(30)]
    qrels = {query: dict.fromkeys(relevant, 1) | dict.fromkeys(others, 0) for query in queries}

    def run(one: int, rest: int) -> dict[str, list[str]]:
        """A run that finds so many relevant documents in one query, and in each of the others."""
        found = dict.fromkeys(queries, rest) | {queries[0]: one}
        return {query: relevant[:hits] + others[hits:] for query, hits in found.items()}

    runs = {"often": run(0, 1), "once": run(29, 0)}
    for order in (["often", "once"], ["once", "often"]):
        results = untied.evaluate(qrels, {name: runs[name] for name in order}, "P@30")
        tested = significance(results, test="wilcoxon")
        (row,) = tested.table.to_dicts()
        assert (row["difference"], row["significant"]) == (0, "no")
        assert row["p"] < 1e-4  # it is of ranks
        assert not any("disagree" in note for note in tested.notes)


def test_magnitudes_that_are_equal_but_for_rounding_are_tied() -> None:
    a, b = [0.3, 0.1, 0.9, 0.6, 0.4, 0.8], [0.2, 0.2, 0.8, 0.4, 0.7, 0.4]
    assert len({abs(x - y) for x, y in zip(a, b, strict=True)}) > 4  # of 1, 2, 3 and 4 tenths
    ranks = [2, -2, 2, 4, -5, 6]  # of 1, -1, 1, 2, -3 and 4 tenths
    sums = [sum(map(prod, zip(signs, ranks, strict=True))) for signs in itertools.product((1, -1), repeat=6)]
    p = sum(abs(total) >= abs(sum(ranks)) for total in sums) / len(sums)
    assert wilcoxon_test(a, b).p == pytest.approx(p)


def test_equal_differences_have_no_deviation() -> None:
    queries = [f"q{number}" for number in range(12)]
    qrels = {query: {"x": 1} for query in queries}
    runs = {"a": {query: ["x", "y", "z"] for query in queries}, "b": {query: ["y", "z", "x"] for query in queries}}
    for row in significance(untied.evaluate(qrels, runs, ["RR", "P@1"]), test="t").table.to_dicts():
        assert (row["effect"], row["p"]) == (math.inf, 0)
    assert effect_size([1.0] * 12, [1 / 3] * 12) == math.inf
    assert effect_size([0.9, 0.3, 0.8], [0.8, 0.2, 0.7], kind="paired") == math.inf


#: RR of three tied documents is (1 + 1/2 + 1/3) / 3 in each query; without ties it is 1, 1/2 and 1/3.
TIED = {query: {"x": 1.0, "y": 1.0, "z": 1.0} for query in "abc"}
PLAIN = {"a": ["x", "y", "z"], "b": ["y", "x", "z"], "c": ["y", "z", "x"]}
#: A number for every document, so that verdicts are certain.
QRELS = {query: {"x": 1, "y": 0, "z": 0} for query in "abc"}


def files(folder: Path, qrels: dict[str, dict[str, int]], **runs: Any) -> list[str]:
    lines = [f"{query} 0 {doc} {grade}" for query, judged in qrels.items() for doc, grade in judged.items()]
    (folder / "qrels.txt").write_text("\n".join(lines))
    for name, run in runs.items():
        scored = {
            query: documents if isinstance(documents, dict) else {doc: -place for place, doc in enumerate(documents)}
            for query, documents in run.items()
        }
        lines = [f"{q} Q0 {doc} 0 {score} t" for q, documents in scored.items() for doc, score in documents.items()]
        (folder / f"{name}.run").write_text("\n".join(lines))
    return [str(folder / "qrels.txt"), *(str(folder / f"{name}.run") for name in runs)]


def test_equal_means_of_different_values_get_no_verdict(tmp_path: Path, untied_: Command) -> None:
    results = untied.evaluate(QRELS, {"tied": TIED, "plain": PLAIN}, "RR")
    assert [results.value("RR", run=run).mean for run in results.runs] == pytest.approx([11 / 18] * 2)
    paths = files(tmp_path, QRELS, tied=TIED, plain=PLAIN)
    code, out, _ = untied_("certify", *paths, "-m", "RR", "--show", "levels")
    assert code == 0
    assert [line.split()[4] for line in out.splitlines() if line.startswith("tied")] == ["open"] * 3
    code, out, _ = untied_("gate", *paths[:2], "--baseline", paths[2], "--max-drop", "RR=0")
    assert (code, "does not drop" in out) == (0, True)
    code, out, _ = untied_("gate", paths[0], paths[2], "--baseline", paths[1], "--max-drop", "RR=0")
    assert (code, "does not drop" in out) == (0, True)
    code, out, _ = untied_("gate", *paths[:2], "--min", f"RR={11 / 18!r}", "--max", f"RR={11 / 18!r}")
    assert code == 0


def test_pages_follow_the_rule_of_the_core(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "base.html"
    path.write_text(f"<!doctype html><script>{asset('base.js')}</script>", encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    random = seeded("equality")
    numbers = [0.0, 1e-17, 1e-15, 1e-14, 0.3, 0.1 + 0.2, 0.3 + 1e-13, 0.3 + 1e-11, 1.0, 11 / 18, -0.3, 1e6, 1e6 + 1e-7]
    pairs = [random.sample(numbers, 2) for _ in range(many(200))]
    assert page.evaluate("pairs => pairs.map(([x, y]) => minus(x, y))", pairs) == [
        _core.difference(x, y) for x, y in pairs
    ]
    for lower in (False, True):
        for _ in range(many(20)):
            values = random.choices([*numbers, None], k=random.randint(0, 9))
            known = [math.nan if value is None else value for value in values]
            found = page.evaluate("([values, lower]) => bestFirst(values, lower)", [values, lower])
            assert found == [place for place, _ in _core.ranked(known, lower)], (values, lower)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no TREC data in {DATA} (set UNTIED_SHARED to the folder above it)")
def test_equal_means_at_trec8_get_no_verdict(unpacked: Callable[[str], Path]) -> None:
    folder = unpacked("trec8")
    paths = {path.stem: path for path in sorted(folder.glob("*.run"))}
    results = untied.evaluate(folder / "qrels.txt", paths, ["P@10", "Hits@10"], ties="docid")
    hits = {run: round(results.value("Hits@10", run=run).mean, 9) for run in results.runs}
    pairs = [(a, b) for a, b in itertools.combinations(results.runs, 2) if hits[a] == hits[b]]
    assert len(pairs) == 50
    qrels = untied.read_qrels(folder / "qrels.txt")
    runs = {run: untied.read_run(paths[run]) for run in {run for pair in pairs for run in pair}}
    for pair in pairs:
        levels = untied.certify(qrels, {run: runs[run] for run in pair}, "P@10", ties="docid").levels()
        assert [row["verdict"] for row in levels.to_dicts()] == ["open"] * 3, pair
    means = [results.value("P@10", run=run).mean for run in results.runs]
    ranks = {results.runs[place]: rank for place, rank in _core.ranked(means, False)}
    for a, b in pairs:
        assert ranks[a] == ranks[b]


@given(TENTHS, st.randoms(use_true_random=False))
def test_the_order_of_queries_changes_no_mean(pairs: list[tuple[int, int]], random: Any) -> None:
    queries = [f"q{place:02}" for place in range(len(pairs))]
    means = []
    for _ in range(2):
        relevant = dict(zip(queries, pairs, strict=True))
        qrels = {query: {f"d{place}": int(place < a) for place in range(10)} for query, (a, _) in relevant.items()}
        run = {query: {f"d{place}": -place for place in range(b)} or {"x": 1} for query, (_, b) in relevant.items()}
        results = untied.evaluate(qrels, run, ["P@10", "AP", "nDCG", "P(mean='geometric')@10"])
        means.append([results[name].mean for name in results.measures])
        random.shuffle(pairs)
    assert means[0] == means[1]


def test_no_number_is_printed_as_minus_zero(tmp_path: Path, untied_: Command, browser: Any) -> None:
    qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 1, "y": 0}}
    first = {"a": ["x", "y"], "b": {**{f"d{place}": 40_000.0 - place for place in range(30_000)}, "x": 1.0}}
    second = {"a": ["x", "y"], "b": {**{f"d{place}": 40_000.0 - place for place in range(29_000)}, "x": 1.0}}
    qrels_path, *paths = files(tmp_path, qrels, first=first, second=second)
    for arguments in (
        ("compare", *paths, "--qrels", qrels_path, "-m", "Delta(RR)"),
        ("stats", qrels_path, *paths, "-m", "RR"),
        ("certify", qrels_path, *paths, "-m", "RR", "--show", "levels"),
        ("certify", qrels_path, *paths, "-m", "RR"),
    ):
        code, out, _ = untied_(*arguments)
        assert (code, re.search(r"[-−]0\.0+(?!\d)", out)) == (0, None), out
    assert 0 < untied.evaluate(qrels, second, "RR")["RR"].mean - untied.evaluate(qrels, first, "RR")["RR"].mean < 1e-4
    path = tmp_path / "base.html"
    path.write_text(f"<!doctype html><script>{asset('base.js')}</script>", encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    for value in (-1e-6, 0, -0.0, 1e-6):
        assert page.evaluate("value => [show(value), signed(value)]", value) == ["0.0000"] * 2
    assert page.evaluate("[show(-0.03125), signed(-0.03125), fixed(-0.5, 0), show(-0.25)]") == [
        "-0.0312", "−0.0312", "0", "-0.2500",
    ]  # fmt: skip
