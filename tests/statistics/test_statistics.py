"""Statistics: against SciPy where it has the method, against all permutations where it has not."""

from __future__ import annotations

import itertools
import json
import math
import pickle
import re
import subprocess
import sys
from array import array
from fractions import Fraction
from pathlib import Path

import numpy
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

import untied
from commands import Command
from nightly import many, seeded
from untied import _core
from untied.cli import main
from untied.cli.stats import _fitting, _line
from untied.errors import UntiedError
from untied.statistics import (
    adjust,
    discriminative_power,
    effect_size,
    mean_interval,
    randomization_test,
    significance,
    t_test,
    wilcoxon_test,
)
from untied.statistics.notes import _disagreements, shown_p

EXAMPLE = Path(__file__).parents[2] / "examples" / "tar2017"
#: Few values, so that sums are often equal.
STEPS = st.integers(0, 8).map(lambda step: step / 8)
PAIRED = st.lists(st.tuples(STEPS, STEPS), min_size=1, max_size=8)
ALTERNATIVES = ["two-sided", "greater", "less"]


def all_signs(differences: list[Fraction], alternative: str) -> Fraction:
    """The p-value by definition."""
    seen = sum(differences)
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    extreme = {
        "two-sided": lambda total: abs(total) >= abs(seen),
        "greater": lambda total: total >= seen,
        "less": lambda total: total <= seen,
    }[alternative]
    return Fraction(sum(map(extreme, sums)), len(sums))


@given(PAIRED, st.sampled_from(ALTERNATIVES))
def test_the_randomization_test_counts_all_signs(pairs: list[tuple[float, float]], alternative: str) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    found = randomization_test(a, b, alternative=alternative)
    assert found.certainty == "exact"
    assert found.p == all_signs([Fraction(x) - Fraction(y) for x, y in pairs], alternative)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_randomization_test_is_scipys(alternative: str) -> None:
    rng = numpy.random.default_rng(4)
    for n in (3, 9, 13):
        a, b = rng.random(n), rng.random(n)
        theirs = stats.permutation_test(
            (a - b,), numpy.sum, permutation_type="samples", n_resamples=numpy.inf, alternative=alternative
        )
        assert randomization_test(a, b, alternative=alternative).p == pytest.approx(theirs.pvalue, rel=1e-12)


def test_a_sample_is_seeded_counts_what_was_seen_and_is_close() -> None:
    rng = numpy.random.default_rng(5)
    a, b = rng.random(60), rng.random(60) + 0.08
    one, same, other = (randomization_test(a, b, samples=20_000, seed=seed) for seed in (1, 1, 2))
    assert one.certainty == "estimate"
    assert one.p == same.p != other.p
    theirs = stats.permutation_test((a - b,), numpy.sum, permutation_type="samples", n_resamples=20_000, rng=rng)
    assert one.p == pytest.approx(theirs.pvalue, abs=4 * (theirs.pvalue / 20_000) ** 0.5)
    # However far apart, p is not 0.
    assert randomization_test([1.0] * 60, [0.0] * 60, samples=999).p == 1 / 1000


@pytest.mark.parametrize(("queries", "certainty"), [(31, "exact"), (32, "exact"), (33, "estimate"), (34, "estimate")])
def test_all_signs_are_tried_for_32_queries(queries: int, certainty: str) -> None:
    values = [query / 7 for query in range(1, queries + 1)]
    assert randomization_test(values, [0.0] * queries).certainty == certainty


def test_rounding_does_not_part_equal_sums() -> None:
    # 0.1 + 0.2 - 0.3 is not 0 in floating point.
    a, b = [0.1, 0.2, 0.0], [0.0, 0.0, 0.3]
    assert randomization_test(a, b).p == 1.0


@given(PAIRED, st.randoms())
def test_the_order_of_queries_does_not_matter(pairs: list[tuple[float, float]], random: object) -> None:
    queries = {str(place): pair for place, pair in enumerate(pairs)}
    names = list(queries)
    random.shuffle(names)  # type: ignore[attr-defined]
    a, b = {name: queries[name][0] for name in queries}, {name: queries[name][1] for name in names}
    one = randomization_test(a, b)
    assert one.p == randomization_test([x for x, _ in pairs], [y for _, y in pairs]).p
    assert randomization_test(b, a).difference == -one.difference


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_t_and_wilcoxon_are_scipys(alternative: str) -> None:
    rng = numpy.random.default_rng(6)
    a, b = rng.random(25), rng.random(25)
    assert t_test(a, b, alternative=alternative).p == pytest.approx(
        stats.ttest_rel(a, b, alternative=alternative).pvalue, rel=1e-9
    )
    assert wilcoxon_test(a, b, alternative=alternative).p == pytest.approx(
        stats.wilcoxon(a, b, alternative=alternative).pvalue, rel=1e-12
    )


def test_equal_means_have_no_sign_in_t_tests() -> None:
    random = seeded("t-tests of permuted columns")
    for _ in range(many(300)):
        a = [random.randint(0, 20) / random.choice([1, 3, 7, 20]) for _ in range(random.randint(2, 40))]
        b = random.sample(a, len(a))
        expected = (1.0, 1.0, 1.0) if a == b else (1.0, 0.5, 0.5)
        assert tuple(t_test(a, b, alternative=one).p for one in ("two-sided", "greater", "less")) == expected
    columns = {"a": {"x": 0.1, "y": 0.2, "z": 0.3}, "b": {"x": 0.3, "y": 0.1, "z": 0.2}}
    assert t_test(columns["a"], columns["b"]).p == 1.0


def test_tests_of_equal_and_of_constant_differences() -> None:
    equal = [0.2, 0.4], [0.2, 0.4]
    assert t_test(*equal).p == wilcoxon_test(*equal).p == randomization_test(*equal).p == 1.0
    assert t_test([0.5, 0.5], [0.25, 0.25]).p == 0.0
    assert numpy.isnan(t_test([0.5], [0.25]).p)
    assert mean_interval([0.5, 0.5], [0.25, 0.25]) == (0.25, 0.25)


def test_intervals_are_scipys() -> None:
    rng = numpy.random.default_rng(7)
    a, b = rng.random(30) ** 2, rng.random(30)
    low, high = mean_interval(a, b, method="t", level=0.9)
    theirs = stats.ttest_rel(a, b).confidence_interval(0.9)
    assert (low, high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
    low, high = mean_interval(a, b, level=0.9, samples=2_000)
    theirs = stats.bootstrap(
        (a, b), lambda x, y, axis: numpy.mean(x - y, axis=axis), paired=True, confidence_level=0.9, n_resamples=2_000,
        vectorized=True, rng=numpy.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


@pytest.mark.parametrize("n", [2, 3, 17, 400])
@pytest.mark.parametrize("kind", ["smooth", "few values"])
def test_bootstrap_intervals_are_scipys_for_the_same_samples(n: int, kind: str) -> None:
    """SciPy's own formula is given the bootstrap distribution that the core drew."""
    rng = numpy.random.default_rng(n)
    values = rng.random(n) ** 3 if kind == "smooth" else numpy.arange(n) % 3 / 2 + (numpy.arange(n) == 0)
    drawn, below, at_most = untied._core.bootstrap_means(list(values), 999, 5)
    mean = values.mean()
    assert drawn == sorted(drawn)
    assert below == sum(one < mean - 1e-9 for one in drawn)
    assert at_most == sum(one <= mean + 1e-9 for one in drawn)
    exact = numpy.where(numpy.abs(numpy.asarray(drawn) - mean) < 1e-9, mean, drawn)
    theirs = stats.bootstrap(
        (values,), numpy.mean, n_resamples=0, method="BCa", confidence_level=0.9,
        bootstrap_result=type("Drawn", (), {"bootstrap_distribution": exact}),
    ).confidence_interval  # fmt: skip
    found = mean_interval(list(values), level=0.9, samples=999, seed=5)
    assert found == pytest.approx((theirs.low, theirs.high), rel=1e-9, abs=1e-12, nan_ok=True)


def test_bootstrap_intervals_depend_on_values_and_seed_alone() -> None:
    values = [place * 0.37 % 1 for place in range(5000)]
    found = mean_interval(values, samples=500)
    assert found == mean_interval(values, samples=500, threads=1)
    assert found != mean_interval(values, samples=500, seed=1)
    assert mean_interval([-value for value in values], samples=500) == pytest.approx((-found[1], -found[0]), abs=2e-3)


def test_series_of_pandas_are_values_by_query() -> None:
    one, other = pandas.Series({"q": 0.5, "r": 0.25, "s": 1.0}), pandas.Series({"s": 0.5, "q": 0.25, "r": 0.5})
    assert repr(randomization_test(one, other)) == repr(randomization_test(dict(one), dict(other)))
    assert mean_interval(one) == mean_interval([0.5, 0.25, 1.0])


def test_effect_sizes() -> None:
    a, b = [0.4, 0.6, 0.5, 0.9], [0.1, 0.4, 0.3, 0.2]
    differences = numpy.subtract(a, b)
    assert effect_size(a, b) == pytest.approx(differences.mean() / differences.std(ddof=1))
    pooled = numpy.sqrt((numpy.var(a, ddof=1) + numpy.var(b, ddof=1)) / 2)
    assert effect_size(a, b, kind="pooled") == pytest.approx(differences.mean() / pooled)
    # The usual approximation of Hedges' factor is 1 - 3 / (4 m - 1).
    ratio = effect_size(a * 10, b * 10, hedges=True) / effect_size(a * 10, b * 10)
    assert ratio == pytest.approx(1 - 3 / (4 * 39 - 1), abs=1e-4)
    assert effect_size([1.0, 1.0], [0.0, 0.0]) == float("inf")
    assert effect_size([1.0, 1.0], [1.0, 1.0]) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections_by_definition(p_values: list[float]) -> None:
    n = len(p_values)
    ascending = sorted(p_values)
    for p, bonferroni, holm, bh in zip(
        p_values, adjust(p_values, "bonferroni"), adjust(p_values, "holm"), adjust(p_values, "bh"), strict=True
    ):
        assert bonferroni == min(1, n * p)
        steps = [min(1.0, (n - rank) * q) for rank, q in enumerate(ascending) if q <= p]
        assert holm == pytest.approx(max(steps), rel=1e-12)
        assert holm <= bonferroni
        assert bh <= holm + 1e-15
    theirs = stats.false_discovery_control(p_values, method="bh")
    assert adjust(p_values, "bh") == pytest.approx(list(theirs), rel=1e-12)
    assert adjust(p_values, "none") == p_values


@pytest.mark.parametrize(("ours", "theirs"), [("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh")])
def test_corrections_are_those_of_statsmodels(ours: str, theirs: str) -> None:
    """Few lists: each call of theirs collects the garbage of the whole process."""
    random = seeded(f"corrections {ours}")
    for n in (1, 2, 5, 12):
        p_values = [random.choice([0.0, 1.0, random.random()]) for _ in range(n)]
        assert adjust(p_values, ours) == pytest.approx(list(multipletests(p_values, method=theirs)[1]), rel=1e-12)


def results(values: dict[str, list[float]]) -> untied.Results:
    """Results of runs with these values of P@8 for queries."""
    queries = range(len(next(iter(values.values()))))
    qrels = {f"q{q}": {f"d{d}": 1 for d in range(8)} for q in queries}
    runs = {
        run: {f"q{q}": [f"d{d}" if d < of_run[q] * 8 else f"x{d}" for d in range(8)] for q in queries}
        for run, of_run in values.items()
    }
    return untied.evaluate(qrels, runs, "P@8")


VALUES = {"one": [0.75, 0.5, 0.25, 1.0], "other": [0.25, 0.5, 0.0, 0.375], "third": [0.5, 0.625, 0.125, 0.5]}


def test_tukeys_test_against_all_deals() -> None:
    columns = [[Fraction(value) for value in of_run] for of_run in VALUES.values()]
    queries = list(zip(*columns, strict=True))
    ranges = []
    for deal in itertools.product(*(itertools.permutations(query) for query in queries)):
        sums = [sum(query[run] for query in deal) for run in range(3)]
        ranges.append(max(sums) - min(sums))
    samples = 40_000
    found = significance(results(VALUES), test="tukey", samples=samples, interval="none").table
    for row, (a, b) in zip(found.to_dicts(), itertools.combinations(range(3), 2), strict=True):
        seen = abs(sum(columns[a]) - sum(columns[b]))
        p = float(Fraction(sum(one >= seen for one in ranges), len(ranges)))
        assert row["p"] == pytest.approx(p, abs=4 * (p * (1 - p) / samples) ** 0.5 + 1 / samples)
        assert row["p_adjusted"] == row["p"]


def test_every_two_runs_or_a_baseline() -> None:
    found = significance(results(VALUES))
    table = found.table
    assert list(zip(table["run_a"], table["run_b"], strict=True)) == [
        ("one", "other"), ("one", "third"), ("other", "third")
    ]  # fmt: skip
    row = table.to_dicts()[0]
    assert row["difference"] == pytest.approx(row["mean_a"] - row["mean_b"])
    assert (row["better"], row["worse"], row["equal"]) == (3, 0, 1)
    assert row["p"] == randomization_test(VALUES["one"], VALUES["other"]).p
    assert row["ci_low"] < row["difference"] < row["ci_high"]
    assert adjust(table["p"], "holm") == table["p_adjusted"]
    against = significance(results(VALUES), baseline="third", interval="t").table
    assert list(zip(against["run_a"], against["run_b"], strict=True)) == [("one", "third"), ("other", "third")]


def spread_results(ties: str = "range") -> tuple[untied.Results, dict, dict]:
    rng = numpy.random.default_rng(8)
    qrels = {f"q{q}": {f"d{d}": int(rng.random() < 0.4) for d in range(6)} | {"r": 1} for q in range(6)}
    runs = {
        name: {q: {d: float(rng.integers(0, 3)) + (good and grade) for d, grade in qrels[q].items()} for q in qrels}
        for name, good in (("a", 2), ("b", 0))
    }
    return untied.evaluate(qrels, runs, ["P@2", "RR"], ties=ties), qrels, runs


@pytest.mark.parametrize("samples", [100_000, 7])  # all signs, and a sample
def test_no_tie_order_has_a_larger_p(samples: int) -> None:
    spread, _, _ = spread_results()
    table = significance(spread, samples=samples, seed=3, correction="none", interval="none").table
    survivors = 0
    for row in table.to_dicts():
        ends = []
        for query in spread.queries:
            a, b = (spread.value(row["measure"], query, run) for run in ("a", "b"))
            ends.append((a.low - b.high, a.high - b.low))
        # Every corner, and points between them.
        worst = 0.0
        for corner in itertools.product((0.0, 1.0, 0.5), repeat=len(ends)):
            differences = [low + (high - low) * t for (low, high), t in zip(ends, corner, strict=True)]
            p = randomization_test(differences, [0.0] * len(ends), samples=samples, seed=3).p
            worst = max(worst, p)
            assert p <= row["p_most"]
            assert row["least"] - 1e-12 <= numpy.mean(differences) <= row["most"] + 1e-12
        if row["least"] > 0:
            assert row["p_most"] == worst  # reached
            survivors += 1
    assert survivors


def test_bounds_of_differences_know_that_a_document_has_one_grade() -> None:
    qrels = {f"q{q}": {"d0": 1, "d1": 0} for q in range(6)}
    runs = {"a": {q: ["d0", "u", "d1"] for q in qrels}, "b": {q: ["d1", "u", "d0"] for q in qrels}}
    ranged = untied.evaluate(qrels, runs, "P@2", unjudged="range")
    by_runs = significance(ranged, interval="none").table.to_dicts()[0]
    plain = untied.evaluate(qrels, runs, "P@2")
    delta = untied.compare(runs["a"], runs["b"], "Delta(P@2)", qrels=qrels, names=("a", "b"))
    by_delta = significance(plain, bounds=[delta], interval="none").table.to_dicts()[0]
    assert (by_runs["least"], by_runs["most"], by_runs["survives"]) == (0.5, 0.5, "yes")
    # The unjudged document is in both.
    assert (by_delta["least"], by_delta["most"], by_delta["survives"]) == (0.5, 0.5, "yes")
    turned = significance(plain, bounds=[delta], baseline="a", interval="none").table.to_dicts()[0]
    assert (turned["least"], turned["most"]) == (-0.5, -0.5)
    # Of a query that one run lacks nothing is known, though what the other found may yet be judged.
    lacking = {"a": runs["a"], "b": {q: runs["b"][q] for q in list(qrels)[1:]}}
    delta = untied.compare(lacking["a"], lacking["b"], "Delta(P@2)", qrels=qrels, names=("a", "b"))
    with pytest.raises(UntiedError, match="bounds lack query 'q0', which a or b does not have"):
        significance(untied.evaluate(qrels, lacking, "P@2"), bounds=[delta], interval="none")
    # nDCG divides by what is relevant, Delta(nDCG) by what is possible.
    ndcg = untied.evaluate(qrels | {"q6": {"d0": 1}}, runs, "nDCG@2", queries="common")
    delta = untied.compare(runs["a"], runs["b"], "Delta(nDCG@2)", qrels=qrels, names=("a", "b"))
    with pytest.raises(UntiedError, match=r"not the difference of nDCG@2"):
        significance(ndcg, bounds=[delta], interval="none")


@pytest.mark.parametrize("test", ["randomization", "tukey"])
def test_false_positives_are_as_many_as_promised(test: str) -> None:
    """At 5 %, of runs that do not differ, with many equal values of queries."""
    rng = numpy.random.default_rng(9)
    trials, rejected = many(200), 0
    for trial in range(trials):
        columns = rng.integers(0, 9, (3, 20)) / 8
        found = significance(
            results({f"r{run}": list(column) for run, column in enumerate(columns)}),
            test=test, correction="bonferroni", interval="none", samples=1_500, seed=trial,
        ).table  # fmt: skip
        rejected += "yes" in found["significant"]
    # Three comparisons: Bonferroni is a little strict, Tukey's test is not.
    interval = stats.binomtest(rejected, trials).proportion_ci(0.999)
    assert interval.low <= 0.05, rejected
    assert interval.high >= 0.05 if test == "tukey" else rejected > 0


def test_discriminative_power() -> None:
    rng = numpy.random.default_rng(10)
    base = rng.integers(1, 4, 30) / 8
    table = discriminative_power(
        results({"low": list(base), "same": list(base), "high": list(base + 0.5)}), samples=2_000
    )
    assert table.to_dicts() == [
        {"measure": "P@8", "power": pytest.approx(2 / 3), "pairs": 3, "significant": 2, "difference_required": 0.5}
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: randomization_test([0.1], [0.1, 0.2]), "a has 1 values and b has 2"),
        (lambda: randomization_test({"q": 1.0}, {"p": 1.0}), "must have the same queries"),
        (lambda: randomization_test({"q": 1.0}, [1.0]), "both be dicts or both be lists"),
        (lambda: randomization_test([], []), "a has no values"),
        (lambda: mean_interval(pandas.Series([1.0, 2.0], index=["q", "q"])), "a has query 'q' more than once"),
        (
            lambda: randomization_test({"q": float("nan")}, {"q": 1.0}),
            "value of query 'q' in a must be a finite number",
        ),
        (
            lambda: randomization_test([1.0], [0.0], alternative="more"),
            "alternative must be two-sided, greater or less",
        ),
        (lambda: randomization_test([1.0], [0.0], samples=0), "samples must be at least 1"),
        (lambda: randomization_test([1.0], [0.0], seed=-1), r"seed must be from 0 to 2\^64 - 1, not -1"),
        (lambda: mean_interval([1.0, 0.0], seed=1 << 64), "seed must be from 0"),
        (lambda: significance(results(VALUES), seed=-1), "seed must be from 0"),
        (lambda: adjust([1.5]), "a p-value must be from 0 to 1"),
        (lambda: adjust([0.5], "sidak"), "correction must be holm, bonferroni, bh or none"),
        (lambda: mean_interval([1.0, 2.0], level=95), "level must be between 0 and 1, not 95: 95 % is 0.95"),
        (lambda: effect_size([1.0], [1.0], kind="glass"), "kind must be"),
        (lambda: significance(results({"one": [0.5]})), "two runs or more"),
        (lambda: significance(results(VALUES), baseline="bm25"), "no run 'bm25'; the runs are one, other, third"),
    ],
)
def test_what_is_refused(call: object, message: str) -> None:
    with pytest.raises(UntiedError, match=message):
        call()  # type: ignore[operator]


def test_power_counts_stars_only_if_p_is_corrected(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["stats", f"{EXAMPLE}/qrels.txt", *map(str, sorted(EXAMPLE.glob("*.run"))), "-m", "AP", "--samples", "99"]

    def counted(*options: str) -> tuple[int, str]:
        assert main([*command, "--show", "power", *options]) == 0
        out, err = capsys.readouterr()
        return int(float(out.splitlines()[1].split("\t")[3])), err

    def stars(*options: str) -> int:
        assert main([*command, *options]) == 0
        return capsys.readouterr().out.count("\tyes")

    uncorrected = "note: p-values are not corrected for 6 comparisons; --correction holm corrects them"
    number, said = counted()
    assert (number, uncorrected in said) == (stars("--correction", "none"), True)
    for correction in ("holm", "bonferroni"):
        number, said = counted("--correction", correction)
        assert (number, uncorrected in said) == (stars("--correction", correction), False)
    assert counted("--correction", "holm")[0] < counted()[0]
    assert uncorrected not in counted("--test", "tukey")[1]
    assert main([*command, "--show", "power", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["correction"] == "none"


def test_comparisons_begin_with_the_best_runs(untied_: Command) -> None:
    qrels, *runs = (str(EXAMPLE / name) for name in ("qrels.txt", "uos.run", "qut.run", "waterloo.run", "amc.run"))
    command = ("stats", qrels, *runs, "-m", "AP", "-m", "P@10", "--interval", "none")

    def pairs(*options: str) -> list[tuple[str, ...]]:
        code, out, err = untied_(*command, "--format", "json", *options)
        assert code == 0, err
        return [(row["run_a"], row["run_b"]) for row in json.loads(out)["results"] if row["measure"] == "AP"]

    assert pairs()[0] == ("uos", "qut"), "in the order of the input"
    best = ["waterloo", "amc", "qut", "uos"]
    assert pairs("--sort-by", "AP") == list(itertools.combinations(best, 2))
    assert pairs("--sort-by", "AP", "--baseline", "qut") == [(run, "qut") for run in best if run != "qut"]
    assert pairs("--sort-by", "width", "--ties", "range")[0] == ("uos", "qut")
    out = untied_(*command[:-2], "--format", "latex")[1]
    assert re.findall(r"\(.\) (\w+)", out) == ["uos", "qut", "waterloo", "amc"], "in the order of the input"
    out = untied_(*command[:-2], "--format", "latex", "--sort-by", "AP")[1]
    assert re.findall(r"\(.\) (\w+)", out) == best
    beside = json.loads(untied_(*command, "--certify", "--sort-by", "AP", "--format", "json")[1])["results"]
    assert {row["verdict"] for row in beside if "waterloo" in (row["run_a"], row["run_b"])} <= {"A", "open"}
    assert untied_(*command, "--sort-by", "width")[::2] == (
        2, "untied: --sort-by width needs --ties range or --unjudged range\n"
    )  # fmt: skip
    assert untied_(*command[:-2], "--show", "runs", "--rows", "9")[::2] == (
        2, "untied: --show runs cannot be combined with --rows\n"
    )  # fmt: skip


def test_tables_show_some_comparisons_and_say_where_the_others_are(untied_: Command, tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"q{query} 0 d 1\n" for query in range(6)))
    runs = [tmp_path / f"run{number}" for number in range(9)]
    for number, run in enumerate(runs):
        run.write_text("".join(f"q{query} Q0 {'d' if query <= number else 'x'} 1 1 t\n" for query in range(6)))

    def shown(*options: str) -> list[str]:
        code, out, err = untied_("stats", qrels, *runs, "-m", "P@1", "-m", "RR", "--interval", "none", *options)
        assert code == 0, err
        return out.splitlines()

    comparison = re.compile(r"^(?:\| )?run\d ")
    rest = "--rows N shows N, and --format tsv all"
    more = f"... and 6 more comparisons: {rest}; --sort-by MEASURE begins with the best runs"
    table = shown("--format", "table")
    assert (sum(map(bool, map(comparison.match, table))), table.count(more)) == (60, 2)
    table = shown("--format", "table", "--rows", "35", "--sort-by", "RR", "--top", "1")
    assert table.count(f"... and 1 more comparison: {rest}") == 2
    assert sum("largest gains" in line for line in table) == 70, "of the comparisons that are shown"
    assert sum(map(bool, map(comparison.match, shown("--format", "table", "--rows", "36")))) == 72
    assert sum(map(bool, map(comparison.match, shown("--format", "md")))) == 72
    assert sum(map(bool, map(comparison.match, shown("--format", "md", "--rows", "1")))) == 2
    assert len(shown("--format", "tsv")) == 1 + 72


def test_the_command_line(tmp_path, capfd) -> None:
    qrels, runs = tmp_path / "qrels.txt", []
    qrels.write_text("".join(f"q{q} 0 d{d} 1\n" for q in range(4) for d in range(8)))
    for name, values in VALUES.items():
        path = tmp_path / f"{name}.run"
        path.write_text(
            "".join(
                f"q{q} Q0 {'d' if d < value * 8 else 'x'}{d} 0 {9 - d} t\n"
                for q, value in enumerate(values)
                for d in range(8)
            )
        )
        runs.append(str(path))
    arguments = ["stats", str(qrels), *runs, "-m", "P@8"]
    assert main([*arguments, "--format", "json"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert document["results"] == significance(results(VALUES)).table.to_dicts()
    assert document["settings"]["test"] == "randomization"
    assert main([*arguments, "--baseline", "third", "--format", "table", "--ties", "range"]) == 0
    shown = capfd.readouterr().out
    assert "paired randomisation test with Holm's correction" in shown
    assert "a - b can be" in shown
    assert main([*arguments, "--show", "power", "--samples", "100"]) == 0
    assert capfd.readouterr().out.startswith("measure\tpower\tpairs\tsignificant\tdifference_required\nP@8\t")
    assert main([*arguments, "--samples", "20", "--test", "tukey"]) == 0
    assert "cannot be below" not in capfd.readouterr().err
    assert main([*arguments, "--samples", "2", "--test", "tukey", "--format", "md"]) == 0
    captured = capfd.readouterr()
    assert "| a | b |" in captured.out
    assert "note: with 2 permutations, p cannot be below 0.33; draw more" in captured.err
    assert main([*arguments, "--format", "md"]) == 0
    assert "with 4 queries, p corrected for 3 comparisons cannot be below 0.38; no difference" in capfd.readouterr().err
    assert main([*arguments, "--baseline", "none"]) == 2
    said = "untied: --baseline must name one of the given runs (one, other, third), not none\n"
    assert capfd.readouterr().err == said


def test_what_tests_other_than_randomisation_leave_open_is_said() -> None:
    """A column that is asked for is never left out: it says no, or that it is unknown."""
    qrels = {f"q{q}": {"r": 1} for q in range(12)}
    best = {query: ["r"] for query in qrels}
    worst = {query: ["x", "r"] for query in qrels}
    tied = {query: [["x", "r"]] for query in qrels}
    runs = {"best": best, "worst": worst, "tied": tied}
    found = untied.evaluate(qrels, runs, "RR", ties="range")
    for test in ("tukey", "t", "wilcoxon"):
        tested = significance(found, test=test, interval="none", samples=2000)
        survives = {(row["run_a"], row["run_b"]): row["survives"] for row in tested.table.to_dicts()}
        assert survives == {("best", "worst"): "unknown", ("best", "tied"): "no", ("worst", "tied"): "no"}
        assert "p_most" not in tested.table.columns
        said = "whether ties could make a significant difference insignificant is unknown for 1 comparison"
        assert any(note.startswith(said) for note in tested.notes), test
    tested = significance(found, interval="none")
    assert tested.table["survives"] == ["yes", "no", "no"]
    assert tested.notes == []


#: Values of RR, by query, of the run old and of the run new; q5 has no relevant document.
CHANGED = {"q1": (1.0, 0.25), "q2": (0.5, 1.0), "q3": (1.0, 1.0), "q4": (1.0, 0.5), "q5": (0.0, 0.0)}


def changed_runs() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """Qrels and two runs that have these values."""
    qrels = {query: {"d": 0 if query == "q5" else 1} for query in CHANGED}
    runs = {
        name: {
            query: [*"xyz"[: round(1 / pair[side] if pair[side] else 1) - 1], "d"] for query, pair in CHANGED.items()
        }
        for side, name in enumerate(("old", "new"))
    }
    return qrels, runs


def test_losses_come_before_gains_and_the_largest_first() -> None:
    qrels, runs = changed_runs()
    results = untied.evaluate(qrels, runs, "RR", on_undefined="nan")
    found = results.query_differences(baseline="old")
    rows = [(row["query"], row["value_a"], row["value_b"], row["difference"]) for row in found.to_dicts()]
    assert rows == [("q1", 0.25, 1.0, -0.75), ("q4", 0.5, 1.0, -0.5), ("q2", 1.0, 0.5, 0.5), ("q3", 1.0, 1.0, 0.0)]
    assert results.query_differences(baseline="old", top=1)["query"] == ["q1", "q2"]
    assert [-x for x in results.query_differences(top=2)["difference"]] == [0.5, -0.75, -0.5]
    assert pickle.loads(pickle.dumps(results)).query_differences().to_dicts() == results.query_differences().to_dicts()
    for wrong, part in (({"top": 0}, "top must be at least 1"), ({"baseline": "x"}, "no run 'x'")):
        with pytest.raises(UntiedError, match=part):
            results.query_differences(**wrong)


def test_where_lower_is_better_a_higher_value_is_a_loss() -> None:
    """By ESL, new has 3, 0, 0 and 1 documents before the relevant one, old 0, 1, 0 and 0."""
    qrels, runs = changed_runs()
    results = untied.evaluate({query: qrels[query] for query in qrels if query != "q5"}, runs, "ESL")
    found = results.query_differences(baseline="old").to_dicts()
    changes = [(row["query"], row["change"], row["difference"]) for row in found]
    assert changes == [("q1", "loss", 3), ("q4", "loss", 1), ("q2", "gain", -1), ("q3", "none", 0)]
    assert results.query_differences(baseline="old", top=1)["query"] == ["q1", "q2"]
    [row] = significance(results, baseline="old").table.to_dicts()
    assert (row["better"], row["worse"], row["equal"], row["difference"]) == (1, 2, 1, 0.75)


def test_what_a_narrow_terminal_hides_is_named() -> None:
    (row,) = significance(results({"old": [0.25, 0.5, 1.0], "new": [0.5, 0.5, 0.75]}), interval="none").table.to_dicts()
    for columns, hidden in ((100, ""), (66, "better/equal/worse"), (48, "better/equal/worse, d")):
        table = _fitting([_line(row, 4, "")], columns).splitlines()
        assert max(map(len, table)) <= columns
        said = " ".join(line for line in table[2:] if not line.startswith("means: "))
        assert said == (f"{hidden} hidden: widen the terminal or use --format tsv" if hidden else "")


def test_small_p_values_have_four_decimals_too() -> None:
    assert [shown_p(p) for p in (1.0, 0.06766, 0.0001, 9.9999e-05, 0.0)] == [
        "1.0000", "0.0677", "0.0001", "<0.0001", "<0.0001",
    ]  # fmt: skip
    assert shown_p(math.nan) == "nan"


def test_a_note_names_differences_about_which_p_and_the_interval_disagree() -> None:
    five = {"one": [1.0, 0.75, 0.75, 0.625, 0.5], "other": [0.125, 0.25, 0.25, 0.25, 0.125]}  # p is at least 1/16
    found = significance(results(five))
    row = found.table.to_dicts()[0]
    assert row["p"] == 0.0625
    assert [note for note in found.notes if note.startswith("p and the interval")] == [
        f"p and the interval disagree about P@8 of one and other (p = 0.0625, interval [{row['ci_low']:+.4f}, "
        f"{row['ci_high']:+.4f}]): p is from the paired randomisation test and the interval from a bootstrap; "
        "p decides significance"
    ]
    eight = {name: values + values[:3] for name, values in five.items()}  # p is at least 1/128, thrice that corrected
    eight["third"] = [value - 0.125 * (place in (0, 3, 5)) for place, value in enumerate(eight["one"])]
    found = significance(results(eight), level=0.98)
    [note] = [note for note in found.notes if note.startswith("p and the interval")]
    assert "P@8 of one and other (p = 0.0234" in note
    assert ": p is corrected for the number of comparisons and the interval is not; p decides significance" in note
    columns = {"ci_low": [0.1] * 6, "ci_high": [0.2] * 6, "p": [0.5] * 6, "p_adjusted": [0.5] * 6}
    texts = {"measure": ["RR"] * 6, "run_a": list("abcdef"), "run_b": ["z"] * 6, "significant": ["no"] * 6}
    [note] = _disagreements(texts, columns, found.settings)
    assert " and 2 more (the columns p_adjusted, ci_low and ci_high have all):" in note
    for agreeing in ({"interval": "none"}, {"level": 0.9}):
        assert not any("disagree" in note for note in significance(results(five), **agreeing).notes)


def test_differences_of_queries_have_the_ends_that_ties_allow() -> None:
    tied = {"q": {"d": 1.0, "x": 1.0}}
    results = untied.evaluate({"q": {"d": 1}}, {"a": tied, "b": {"q": ["d"]}}, "RR", ties="range")
    [row] = results.query_differences().to_dicts()
    assert (row["difference"], row["least"], row["most"]) == (-0.25, -0.5, 0.0)


def test_stats_lists_the_queries_that_changed_most(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, runs = changed_runs()
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{query} 0 d {0 if query == 'q5' else 1}\n" for query in CHANGED))
    files = []
    for name in ("new", "old"):
        files.append(str(tmp_path / f"{name}.run"))
        lines = [f"{query} Q0 {document} 0 {-place} t\n" for query, documents in runs[name].items()
                 for place, document in enumerate(documents)]  # fmt: skip
        Path(files[-1]).write_text("".join(lines))
    command = ["stats", str(qrels), *files, "-m", "RR", "--samples", "100", "--top", "1"]
    assert main([*command, "--format", "table"]) == 0
    shown = capsys.readouterr().out
    assert "holm" not in shown, "a single comparison is not corrected"
    below, above = shown.split("\n\n")[1:]
    assert below.splitlines()[0] == "RR: largest losses of new (a) against old (b)"
    assert below.splitlines()[2].split() == ["q1", "0.2500", "1.0000", "-0.7500"]
    assert above.splitlines()[2].split() == ["q2", "1.0000", "0.5000", "+0.5000"]
    few = "cannot be below"  # of five queries
    assert main([*command[:-2], "--format", "tsv"]) == 0
    assert few in capsys.readouterr().err
    assert main([*command, "--format", "tsv"]) == 0
    out, err = capsys.readouterr()
    assert few not in err, "no test is printed"
    listed = [tuple(line.split("\t")[3:5]) for line in out.splitlines()]
    assert listed == [("query", "change"), ("q1", "loss"), ("q2", "gain")]
    assert main([*command, "--format", "json"]) == 0
    assert [row["query"] for row in json.loads(capsys.readouterr().out)["queries"]] == ["q1", "q2"]
    assert main([*command, "--show", "power"]) == 2
    assert "--show power cannot be combined with --top" in capsys.readouterr().err


def test_stats_counts_queries_that_lose_as_much_as_the_last_one_listed(tmp_path: Path, untied_: Command) -> None:
    """By RR, new loses 1/2, 1 four times, and gains 1/2 twice and 1/3."""
    old = {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 2, "g": 2, "h": 3, "i": 1}
    new = {"a": 2, "b": 0, "c": 0, "d": 0, "e": 0, "f": 1, "g": 1, "h": 2, "i": 1}
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 d 1\n" for query in old))
    for name, ranks in (("old", old), ("new", new)):
        lines = [
            f"{query} Q0 {'d' if rank == place else f'x{place}'} 0 {-place} t\n"
            for query, rank in ranks.items() for place in range(1, 4)
        ]  # fmt: skip
        (tmp_path / f"{name}.run").write_text("".join(lines))
    command = ["stats", *(tmp_path / name for name in ("qrels.txt", "new.run", "old.run")), "-m", "RR", "--top"]
    losses, gains = untied_(*command, 2, "--format", "table")[1].split("\n\n")[1:]
    assert [line.split()[0] for line in losses.splitlines()[2:]] == ["b", "c", "..."]
    assert losses.splitlines()[-1] == "... and 2 more with the same loss as the last one: a larger --top lists them"
    assert [line.split()[0] for line in gains.splitlines()[2:]] == ["f", "g"]
    _, shown, said = untied_(*command, 1, "--format", "md")
    assert "... and 3 more with the same loss as the last one: a larger --top lists them\n" in shown
    assert "... and 1 more with the same gain as the last one: a larger --top lists them\n" in shown
    assert "left out" not in said
    expected = (
        "queries left out that lose or gain as much as the last one listed: "
        "3 losses of new against old by RR, 1 gain of new against old by RR; a larger --top lists them"
    )
    for style in ("tsv", "csv", "json"):
        assert f"note: {expected}\n" in untied_(*command, 1, "--format", style)[2]
    found = json.loads(untied_(*command, 3, "--format", "json")[1])
    assert [row["query"] for row in found["queries"]] == ["b", "c", "d", "f", "g", "h"]
    assert expected.partition(":")[0] in str(found["notes"])
    assert "left out" not in untied_(*command, 5, "--format", "json")[2]


def test_stats_says_which_differences_ties_could_reverse(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path("examples/tar2017")
    runs = [str(folder / f"{name}.run") for name in ("amc", "qut", "uos")]
    command = ["stats", str(folder / "qrels.txt"), *runs, "-m", "AP", "--ties", "range", "--samples", "1000"]
    assert main([*command, "--format", "table"]) == 0
    _, _, *lines, below = capsys.readouterr().out.splitlines()
    assert [(line.split()[-1], "] ~" in line) for line in lines] == [("no", False), ("no", True), ("no", True)]
    assert below == "~ ties could reverse 2 of 3 pairs"


def test_bounds_count_what_only_the_other_run_retrieved() -> None:
    """It adds to R, by which AP divides: bounds of each run alone would have .31 as the least, and -.57 is reached."""
    unknown = [f"u{number}" for number in range(2, 10)]
    queries = [f"q{number}" for number in range(8)]
    qrels = {query: {"r1": 1, "n1": 0} for query in queries}
    runs = {
        "a": {query: {"r1": 1.0} for query in queries},
        "b": {query: {name: -float(rank) for rank, name in enumerate(["n1", *unknown])} for query in queries},
    }
    results = untied.evaluate(qrels, runs, "AP", unjudged="range")
    (row,) = significance(results).table.to_dicts()
    relevant = {query: judged | dict.fromkeys(unknown, 1) for query, judged in qrels.items()}
    judged = untied.evaluate(relevant, runs, "AP")
    reached = float(judged.value("AP", run="a")) - float(judged.value("AP", run="b"))
    assert reached == pytest.approx(-0.574559, abs=1e-6)
    assert (row["significant"], row["survives"], row["least"]) == ("yes", "no", pytest.approx(reached, abs=1e-12))
    verdict = untied.certify(qrels, runs, "AP")["a", "b"]["AP"]
    assert (verdict.verdict, verdict.low) == ("open", pytest.approx(reached, abs=1e-12))
    (query, *_) = results.query_differences(top=1).to_dicts()
    assert query["least"] == pytest.approx(reached, abs=1e-12)
    again = pickle.loads(pickle.dumps(results))
    assert significance(again).table.to_dicts() == [row]


@pytest.mark.parametrize(
    ("measure", "a", "b", "expected"),
    [
        (untied.AP, (0.625, 0.75), (0.25, 0.5), "better"),
        (untied.AP, (0.125, 0.25), (0.5, 0.75), "worse"),
        (untied.AP, (0.25, 0.75), (0.5, 0.5), "open"),
        (untied.AP, (0.25, 0.5), (0.125, 0.25), "open"),  # they may be equal
        (untied.AP, (0.125, 0.25), (0.25, 0.5), "open"),
        (untied.AP, (0.25, 0.25), (0.25, 0.25), "equal"),
        (untied.ESL, (2, 3), (4, 5), "better"),
        (untied.ESL, (4, 5), (2, 3), "worse"),
    ],
)
def test_a_run_is_ahead_if_its_worst_value_beats_the_best_of_the_other(
    measure: untied.Measure, a: tuple[float, float], b: tuple[float, float], expected: str
) -> None:
    ends = ([array("d", [end]) for end in run] for run in (a, b))
    assert _core.standing(*(_core.Terms("run", measure, low, (low, high)) for low, high in ends))[2] == expected


def test_too_many_pairs_of_runs_are_refused_before_they_are_made() -> None:
    """Ten thousand runs make 50 million pairs, whose rows would take many gigabytes."""
    results = untied.evaluate({"q": {"a": 1}}, {f"run{number}": {"q": ["a"]} for number in range(1_500)}, "RR")
    with pytest.raises(
        UntiedError, match="1,500 runs make 1,124,250 pairs, more than 1,000,000; compare all runs with"
    ):
        significance(results, interval="none")
    assert len(significance(results, interval="none", baseline="run7", samples=9).table) == 1_499
    few = {name: {"q": ["a"]} for name in results.runs}
    for function in (untied.certify, untied.compare_all):
        inputs = ({"q": {"a": 1}}, few) if function is untied.certify else (few,)
        with pytest.raises(UntiedError, match=r"1,500 runs make 1,124,250 pairs, more than 1,000,000; .* fewer runs"):
            function(*inputs)


def test_counts_beyond_64_bits_are_refused(tmp_path: Path) -> None:
    huge = 10**23
    sentence = "must be at most 9,223,372,036,854,775,807"
    with pytest.raises(UntiedError, match=f"most {sentence}"):
        untied.certify({"q": {"a": 1}}, {"one": {"q": ["a"]}, "two": {"q": ["a"]}}, "RR", most=huge)
    with pytest.raises(UntiedError, match=f"samples {sentence}"):
        significance(untied.evaluate({"q": {"a": 1}}, {"one": {"q": ["a"]}, "two": {"q": ["a"]}}, "RR"), samples=huge)
    (tmp_path / "q").write_text("q 0 a 1\n")
    for run in "rs":
        (tmp_path / run).write_text("q Q0 a 1 1 t\n")
    for command in ("certify --most", "judge-next --depth", "judge-next --top", "stats --samples", "compare --depth"):
        name, option = command.split()
        files = [str(tmp_path / file) for file in ("rs" if name == "compare" else "qrs")]
        done = subprocess.run(
            [sys.executable, "-m", "untied", name, *files, option, str(huge)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2, command
        assert "9,223,372,036,854,775,807" in done.stderr, command


def test_intervals_of_many_values_are_mirrored_when_runs_are_exchanged() -> None:
    """More values than a block holds are drawn in the order of their sizes, so that their signs do not matter."""
    chance = seeded("mirrored intervals")
    values = [chance.gauss(0.1, 1) for _ in range(5000)]
    low, high = mean_interval(values, samples=200)
    assert mean_interval([-value for value in values], samples=200) == pytest.approx((-high, -low))
