"""Segments, weights, macro means and clusters: acceptance cases, and exact fractions for means, variances and tests."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import pytest
from scipy import stats

import untied
from oracle import designs
from support.nightly import many, seeded
from untied.errors import UntiedError
from untied.gate import gate
from untied.results.design import Design, effective, weighted_deviation, weighted_mean
from untied.statistics import significance
from untied.statistics.samples import influences, sums


def _results(values, measures="P@4"):
    """Results whose values of P@4 are the given ones, in quarters, by run and query."""
    qrels = {query: {f"d{i}": 1 for i in range(4)} for query in next(iter(values.values()))}
    runs = {
        name: {
            query: [*(f"d{i}" for i in range(round(4 * value))), *(f"x{i}" for i in range(4 - round(4 * value)))]
            for query, value in of_run.items()
        }
        for name, of_run in values.items()
    }
    return untied.evaluate(qrels, runs, measures)


def _column(queries, **columns):
    return {query: {name: cells[place] for name, cells in columns.items()} for place, query in enumerate(queries)}


# The acceptance cases of the study of data shapes, section 8.


def test_case_of_weighted_mean():
    """AP 1 (weight 3) and 0.5 (weight 1): mean 0.875, effective 1.6."""
    results = untied.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": ["a"], "q2": ["x", "a"]}, "AP")
    weighted = results.grouped(_column(["q1", "q2"], traffic=[3, 1]), weight="traffic")
    assert weighted["AP"] == 0.875
    assert weighted._design.counts(["q1", "q2"]) == (2, 1.6)
    assert "effective number of queries: 1.6 of 2 (weighted by traffic" in repr(weighted)


def test_case_of_macro_mean():
    """Segments of 2 and 1 queries with means 0.4 and 1: pooled 0.6, macro 0.7."""
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    first, second = ["x1", "x2", "a", "y"], ["x1", "a", "y"]
    results = untied.evaluate(qrels, {"q1": first, "q2": second, "q3": ["a"]}, "R(rel=1)@1")
    assert results["R@1"] == pytest.approx(1 / 3)
    # P@5 of 2 of 5 relevant documents is 0.4.
    qrels = {query: {f"d{i}": 1 for i in range(5)} for query in ("q1", "q2", "q3")}
    run = {
        "q1": ["d1", "d2", "x", "y", "z"],
        "q2": ["x", "d1", "y", "d2", "z"],
        "q3": [f"d{i}" for i in range(5)],
    }
    results, table = untied.evaluate(qrels, run, "P@5"), _column(qrels, market=["de", "de", "fr"])
    segments = results.grouped(table, by="market")
    assert segments.means["segment"] == ["de", "fr", "all"]
    assert segments.means["value"] == pytest.approx([0.4, 1, 0.6], abs=1e-15)
    assert segments.means["queries"] == [2, 1, 3]
    assert results.grouped(table, macro="market")["P@5"] == pytest.approx(0.7, abs=1e-15)


def test_case_of_gate_by_segment():
    """A gate ``--min nDCG@10=0.3 --by market`` fails if any market does."""
    qrels = {query: {"a": 1} for query in ("q1", "q2", "q3")}
    run = {"q1": ["a"], "q2": ["a"], "q3": ["x", "y"]}
    assert gate(qrels, run, min={"nDCG@10": 0.3})
    by_market = gate(
        qrels, run, min={"nDCG@10": 0.3}, query_table=_column(qrels, market=["de", "de", "fr"]), by="market"
    )
    assert not by_market
    assert [(check.segment, check.passed) for check in by_market.checks] == [("de", True), ("fr", False)]


def test_case_of_collections_by_ids():
    """``macro`` of collections with ids ``nq/1``; mean ranks and Borda counts."""
    ids = ["nq/1", "nq/2", "nq/3", "fiqa/1", "msmarco/1"]
    values = {"a": [1, 1, 1, 0.25, 0.5], "b": [0.5, 0.5, 0.5, 0.5, 0.5], "c": [0, 0, 0, 1, 1]}
    results = _results({run: dict(zip(ids, cells, strict=True)) for run, cells in values.items()})
    collection = "re:([^/]+)/.+"
    assert results.grouped(macro=collection).means["value"] == pytest.approx([1.75 / 3, 0.5, 2 / 3], abs=1e-15)
    ranks = results.grouped(by=collection).mean_ranks
    # fiqa: c a/b by .5 and .25; msmarco: c, then a and b share ranks 2 and 3; nq: a, b, c.
    assert ranks["mean_rank"] == pytest.approx([(3 + 2.5 + 1) / 3, (2 + 2.5 + 2) / 3, (1 + 1 + 3) / 3])
    assert ranks["borda"] == [2.5, 2.5, 4]


def test_case_of_a_missing_collection():
    """Means over collections and mean ranks are undefined if one is missing."""
    qrels = {"nq/1": {"a": 1}, "fiqa/1": {"a": 1}}
    runs = {"x": {"nq/1": ["a"], "fiqa/1": ["a"]}, "y": {"nq/1": ["a"]}}
    results = untied.evaluate(qrels, runs, "RR", queries="common")
    grouped = results.grouped(by="re:([^/]+)/.+")
    with pytest.raises(UntiedError, match="run y was evaluated on no query of the segment fiqa"):
        _ = grouped.mean_ranks
    with pytest.raises(UntiedError, match="run y was evaluated on no query of the segment fiqa"):
        _ = grouped.means
    with pytest.raises(UntiedError, match="run y was evaluated on no query of the segment fiqa, so the mean of"):
        results.grouped(macro="re:([^/]+)/.+")


# Means.


def test_weighted_means_are_exact_fractions():
    rng = seeded("weighted means")
    for _ in range(many(100)):
        n = rng.randint(1, 12)
        values = [Fraction(rng.randint(0, 64), 64) for _ in range(n)]
        weights = [Fraction(rng.randint(1, 40), rng.choice([1, 2, 8])) for _ in range(n)]
        found = weighted_mean(list(map(float, values)), list(map(float, weights)))
        assert found == pytest.approx(float(designs.weighted_mean(values, weights)), rel=1e-15)
        assert effective(list(map(float, weights))) == pytest.approx(float(designs.effective(weights)), rel=1e-14)


def test_the_smallest_and_the_largest_weights():
    """Sums and squares of the weights that tables may have neither overflow nor vanish."""
    queries = [f"q{place}" for place in range(6)]
    values = {"a": [1, 1, 0.5, 0, 0.25, 1], "b": [0, 1, 0.25, 0.5, 0, 1]}
    results = _results({run: dict(zip(queries, of_run, strict=True)) for run, of_run in values.items()})
    for weights in ([1e100] * 6, [1e-100] * 6, [1e-100, 1e100] * 3):
        table = _column(queries, w=weights, s=list("aabbcc"), c=list("xxyyyy"))
        for options in ({}, {"macro": "s"}, {"by": "s"}, {"cluster": "c"}):
            weighted = results.grouped(table, weight="w", **options)
            row = significance(weighted).table.to_dicts()[-1]
            assert 0 < row["effective"] <= 6 + 1e-9
            assert 0 <= row["p"] <= 1
            assert row["mean_a"] == weighted["a", "P@4"]
            assert "effective number of queries" in repr(weighted)


def test_macro_means_and_weighted_macro_means_are_exact_fractions():
    rng = seeded("macro means")
    for _ in range(many(30)):
        n = rng.randint(2, 9)
        queries = [f"q{place}" for place in range(n)]
        values = [Fraction(1), *(Fraction(rng.randint(0, 4), 4) for _ in queries[1:])]
        weights = [rng.randint(1, 9) for _ in queries]
        segments = [rng.choice("abc") for _ in queries]
        results = _results({"run": dict(zip(queries, map(float, values), strict=True))})
        table = _column(queries, w=weights, s=segments)
        for given, options in (([1] * n, {}), (weights, {"weight": "w"})):
            expected = designs.macro_mean(values, list(map(Fraction, given)), segments)
            assert results.grouped(table, macro="s", **options)["P@4"] == pytest.approx(float(expected), rel=1e-14)
        pooled = results.grouped(table, by="s", weight="w")
        for segment, part in pooled.segments.items():
            rows = [place for place in range(n) if segments[place] == segment]
            expected = designs.weighted_mean([values[row] for row in rows], [Fraction(weights[row]) for row in rows])
            assert part["P@4"] == pytest.approx(float(expected), rel=1e-14)


def test_segments_are_those_of_an_evaluation_of_their_queries():
    rng = seeded("segments")
    for _ in range(many(10)):
        queries = [f"q{place}" for place in range(10)]
        qrels = {query: {f"d{i}": rng.randint(0, 2) for i in range(6)} for query in queries}
        run = {query: {f"d{i}": rng.randint(0, 2) for i in range(8)} for query in queries}
        segments = {query: rng.choice("ab") for query in queries}
        options = {"ties": "range", "variance": True}
        results = untied.evaluate(qrels, run, ["AP", "nDCG@3", "NumRet"], **options)
        grouped = results.grouped({query: {"s": segments[query]} for query in queries}, by="s")
        for segment, part in grouped.segments.items():
            alone = {query: qrels[query] for query in queries if segments[query] == segment}
            expected = untied.evaluate(alone, {query: run[query] for query in alone}, results.measures, **options)
            assert part.means.to_dicts() == expected.means.to_dicts()


def test_queries_without_a_value_are_left_out():
    results = _results({"x": {"q1": 0.25, "q2": 0.75, "q3": 0.5}})
    design = Design(
        _column(["q1", "q2", "q3"], w=[3, 1, 96], s=["a", "a", "b"]), results.queries, weight="w", macro="s"
    )
    assert list(design.weights_of(["q1", "q3"], ["q1", "q3"], "")) == [1, 1]
    with pytest.raises(UntiedError, match="P@4 has a value for no query of the segment b, so the mean"):
        design.weights_of(["q1", "q2"], ["q1", "q2", "q3"], "P@4")


def test_means_that_judgments_decide_have_no_bounds():
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}}
    results = untied.evaluate(qrels, {"q1": ["a"], "q2": ["x"]}, "AP", on_undefined="nan", unjudged="range")
    with pytest.raises(UntiedError, match="missing judgments decide whether some queries have a value"):
        _ = results.grouped(_column(["q1", "q2"], w=[1, 2]), weight="w")["AP"]


def test_bounds_and_variances_are_weighted():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    run = {"q1": {"a": 1, "x": 1}, "q2": {"a": 2, "x": 1}}  # RR of q1 is 0.5 or 1
    value = untied.evaluate(qrels, run, "RR", ties="range", variance=True).grouped(
        _column(["q1", "q2"], w=[3, 1]), weight="w"
    )["RR"]
    assert (value.mean, value.low, value.high) == (0.8125, 0.625, 1)
    assert value.variance == pytest.approx(9 / 16 * 0.0625)


def test_measures_that_cannot_be_weighted():
    results = untied.evaluate({"q1": {"a": 1}}, {"q1": ["a"]}, ["AP", "NumRet"])
    table = _column(["q1"], w=[2], s=["a"])
    for options in ({"weight": "w"}, {"macro": "s"}, {"cluster": "s"}):
        with pytest.raises(UntiedError, match="NumRet is a sum over queries; weights, macro means and clusters"):
            results.grouped(table, **options)
    assert results.grouped(table, by="s").means["value"] == [1, 1, 1, 1]
    geometric = untied.evaluate({"q1": {"a": 1}}, {"q1": ["a"]}, "AP(mean=geometric)")
    with pytest.raises(UntiedError, match="is a geometric mean"):
        geometric.grouped(table, weight="w")


def test_grouped_results_can_be_pickled_but_not_grouped_again():
    results = untied.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": ["a"], "q2": ["x", "a"]}, "AP")
    table = _column(["q1", "q2"], w=[3, 1], s=["a", "b"])
    grouped = results.grouped(table, by="s", weight="w")
    assert pickle.loads(pickle.dumps(grouped)).table().to_dicts() == grouped.table().to_dicts()
    with pytest.raises(UntiedError, match="grouped already"):
        grouped.grouped(table, by="s")
    with pytest.raises(UntiedError, match="mean ranks are over segments"):
        _ = results.mean_ranks


# Tests and intervals.


def _sample_variance(numbers):
    mean = math.fsum(numbers) / len(numbers)
    return math.fsum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1) / len(numbers)


def test_variances_are_those_of_the_definitions():
    rng = seeded("variances")
    for _ in range(many(60)):
        n = rng.randint(4, 14)
        values = [Fraction(rng.randint(-32, 32), 32) for _ in range(n)]
        weights = [Fraction(rng.randint(1, 9)) for _ in range(n)]
        clusters = [0, 1, *(rng.randrange(n) for _ in range(n - 2))]
        strata = ["a", "a", "b", "b", *(rng.choice("ab") for _ in range(n - 4))]
        plain, w = list(map(float, values)), list(map(float, weights))
        ones = [1.0] * n
        for of, expected in (
            (influences(plain, w, range(n)), designs.variance_of_weighted_mean(values, weights, range(n))),
            (influences(plain, w, clusters), designs.variance_of_weighted_mean(values, weights, clusters)),
            (influences(plain, ones, range(n), strata), designs.variance_of_pooled_mean(values, strata)),
            (
                influences(plain, [1 / strata.count(one) for one in strata], range(n), strata, is_macro=True),
                designs.variance_of_macro_mean(values, strata),
            ),
        ):
            assert _sample_variance(of) == pytest.approx(float(expected), rel=1e-12, abs=1e-18)
        assert math.fsum(influences(plain, w, clusters)) / len(set(clusters)) == pytest.approx(
            float(designs.weighted_mean(values, weights)), abs=1e-15
        )
        assert math.fsum(sums(plain, w, clusters)) / len(set(clusters)) == pytest.approx(
            float(designs.weighted_mean(values, weights)), abs=1e-15
        )


def test_a_stratum_of_one_query_is_taken_with_another():
    values = [0.5, 0.25, 1.0, 0.75, 0.0, 0.25]
    alone = influences(values, [1.0] * 6, range(6), ["a", "b", "c", "c", "c", "c"])
    joined = influences(values, [1.0] * 6, range(6), ["a", "a", "c", "c", "c", "c"])
    assert list(alone) == list(joined)
    smallest = influences(values, [1.0] * 6, range(6), ["a", "b", "b", "c", "c", "c"])
    assert list(smallest) == list(influences(values, [1.0] * 6, range(6), ["b", "b", "b", "c", "c", "c"]))
    for found in (alone, smallest):
        assert math.fsum(found) / 6 == pytest.approx(math.fsum(values) / 6, abs=1e-15)


def test_clusters_that_span_segments_are_drawn_as_a_whole():
    values, clusters, strata = [0.5, 0.25, 1.0, 0.0], [0, 1, 0, 1], ["a", "a", "b", "b"]
    assert list(influences(values, [1.0] * 4, clusters, strata)) == list(influences(values, [1.0] * 4, clusters))


def test_equal_weights_are_no_weights():
    assert weighted_deviation([0.25, 0.5, 1.0], [2.0, 2.0, 2.0]) == pytest.approx(0.38188130791298666)
    results = _random_results(12)
    table = _column(results.queries, w=[7] * 12, c=list(range(12)))
    plain = significance(results).table.to_dicts()
    for options in ({"weight": "w"}, {"cluster": "c"}):
        for row, other in zip(plain, significance(results.grouped(table, **options)).table.to_dicts(), strict=True):
            assert {name: other[name] for name in row} == {
                name: pytest.approx(cell, abs=1e-12) if isinstance(cell, float) else cell for name, cell in row.items()
            }


def _random_results(n, runs="ab", seed="runs"):
    rng = seeded(seed)
    return _results({run: {f"q{place:02}": rng.randint(0, 4) / 4 for place in range(n)} for run in runs})


def test_p_values_by_enumeration_and_holm_over_segments():
    results = _random_results(14, "abc")
    queries = results.queries
    weights, segments = [1 + place % 3 for place in range(14)], ["x", "y"] * 7
    clusters = [f"{segments[place]}{place // 4}" for place in range(14)]
    table = _column(queries, w=weights, s=segments, c=clusters)
    grouped = results.grouped(table, by="s", weight="w", cluster="c")
    rows = significance(grouped, interval="t").table.to_dicts()
    values = {run: [Fraction(results.value("P@4", query=query, run=run).mean) for query in queries] for run in "abc"}
    expected = []
    for row in rows:
        kept = [place for place in range(14) if row["segment"] in ("all", segments[place])]
        differences = [values[row["run_a"]][place] - values[row["run_b"]][place] for place in kept]
        w = [Fraction(weights[place]) for place in kept]
        c = [clusters[place] for place in kept]
        expected.append(designs.randomization_p(differences, w, c))
        assert row["difference"] == pytest.approx(float(designs.weighted_mean(differences, w)), abs=1e-15)
        assert row["p"] == pytest.approx(float(expected[-1]), rel=1e-12)
        assert row["queries"] == len(kept)
        assert row["effective"] == pytest.approx(float(designs.effective(w)))
        if row["segment"] != "all":
            half = stats.t.ppf(0.975, len(set(c)) - 1) * math.sqrt(designs.variance_of_weighted_mean(differences, w, c))
            assert row["ci_high"] - row["ci_low"] == pytest.approx(2 * half, rel=1e-9)
    of_segments = [place for place, row in enumerate(rows) if row["segment"] != "all"]
    of_all = [place for place, row in enumerate(rows) if row["segment"] == "all"]
    assert (len(of_segments), len(of_all)) == (6, 3)
    for family in (of_segments, of_all):
        adjusted = designs.holm([expected[place] for place in family])
        assert [rows[place]["p_adjusted"] for place in family] == pytest.approx(list(map(float, adjusted)), rel=1e-12)


def test_all_queries_are_tested_as_without_segments():
    results = _random_results(10)
    table = _column(results.queries, s=list("aabbaabbab"))
    [plain] = significance(results).table.to_dicts()
    grouped = significance(results.grouped(table, by="s"))
    *_, row = grouped.table.to_dicts()
    same = ("mean_a", "mean_b", "difference", "effect", "better", "worse", "equal", "p", "p_adjusted", "significant")
    assert {name: row[name] for name in same} == {name: plain[name] for name in same}
    assert grouped.segments == ["a", "b"]
    assert grouped.correction == "holm"
    assert "Holm's correction" in repr(grouped)


def test_intervals_of_all_draw_within_segments():
    queries = [f"q{place:02}" for place in range(20)]
    values = {"a": {q: 0.75 + 0.25 * (place % 2) for place, q in enumerate(queries)}, "b": dict.fromkeys(queries, 0.5)}
    table = _column(queries, s=["odd" if place % 2 else "even" for place in range(20)])
    results = _results(values)
    [plain] = significance(results).table.to_dicts()
    row = significance(results.grouped(table, by="s")).table.to_dicts()[-1]
    assert plain["ci_low"] < plain["difference"] < plain["ci_high"]
    # Inside each segment, all differences are equal.
    assert row["ci_low"] == row["ci_high"] == pytest.approx(row["difference"])


@pytest.mark.parametrize("test", ["tukey", "wilcoxon"])
def test_tests_that_take_no_weights(test):
    results = _random_results(10)
    table = _column(results.queries, w=[2] * 10, s=list("aabbaabbab"))
    for column in ({"weight": "w"}, {"macro": "s"}, {"cluster": "s"}):
        with pytest.raises(UntiedError, match="takes neither weights nor clusters"):
            significance(results.grouped(table, **column), test=test)
    assert len(significance(results.grouped(table, by="s"), test=test).table) == 3


def test_what_survives_is_weighted_too():
    qrels = {f"q{i}": {"a": 1} for i in range(8)}
    tied = {query: {"a": 1, "x": 1, "y": 0.5} for query in qrels}  # RR is 0.5 or 1
    bad = {query: ["x", "y", "z", "a"] for query in qrels}  # RR is 0.25
    results = untied.evaluate(qrels, {"tied": tied, "bad": bad}, "RR", ties="range")
    table = _column(qrels, w=[1, 2, 3, 4, 5, 6, 7, 8])
    [row] = significance(results.grouped(table, weight="w")).table.to_dicts()
    assert (row["difference"], row["least"], row["most"]) == pytest.approx((0.5, 0.25, 0.75))
    assert (row["survives"], row["p_most"]) == ("yes", 2 / 2**8)


def test_bounds_over_judgments_are_weighted_too():
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(6)}
    runs = {
        "x": {query: ["a", f"new{place}", "b"] for place, query in enumerate(qrels)},
        "y": {query: ["b", f"new{place}", "other", "a"] for place, query in enumerate(qrels)},
    }
    results = untied.evaluate(qrels, runs, "P@3", unjudged="range")
    weights = [1, 2, 3, 4, 5, 6]
    table = _column(qrels, w=weights, c=list("aabbcc"), s=list("aaabbb"))
    [(low, high)] = results._difference_bounds.bounds(results._measures[0], [("x", "y")])
    [row] = significance(results.grouped(table, weight="w", cluster="c")).table.to_dicts()
    assert (row["least"], row["most"]) == pytest.approx((weighted_mean(low, weights), weighted_mean(high, weights)))
    assert row["least"] < row["difference"] <= row["most"]
    rows = significance(results.grouped(table, by="s", weight="w")).table.to_dicts()
    assert rows[0]["least"] == pytest.approx(weighted_mean(low[:3], weights[:3]))


def test_few_queries_are_noted():
    results = _random_results(7)
    table = _column(results.queries, s=list("aaaaabb"))
    tested = significance(results.grouped(table, by="s"))
    assert "segments of fewer than 5 queries, whose means say little: b (2)" in tested.queries
    assert any("segments with too few queries for a significant difference" in note for note in tested.notes)
    clusters = _column(results.queries, s=list("aaaabbb"))
    tested = significance(results.grouped(clusters, cluster="s"))
    assert any(note.startswith("with 2 clusters, p cannot be below 0.5") for note in tested.notes)


def test_a_segment_that_cannot_be_tested_is_named():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0, "b": 1}}
    run = {query: ["a"] for query in qrels}
    results = untied.evaluate(qrels, {"x": run, "y": run}, "AP(rel=1)", on_undefined="nan")
    table = _column(["q1", "q2", "q3"], s=["a", "a", "b"])
    assert len(significance(results.grouped(table, by="s")).table) == 3


def test_functions_that_look_at_all_queries_refuse_segments():
    from untied.paper import paper_table
    from untied.statistics import discriminative_power, required_queries

    results = _random_results(10, "abc")
    table = _column(results.queries, s=list("aabbaabbab"), w=[1] * 10)
    by = results.grouped(table, by="s")
    for function in (discriminative_power, paper_table):
        with pytest.raises(UntiedError, match="does not show segments"):
            function(by)
    for grouped in (by, results.grouped(table, weight="w")):
        with pytest.raises(UntiedError, match="independent and count alike"):
            required_queries(grouped)
    assert discriminative_power(results.grouped(table, weight="w"))["pairs"] == [3]


def test_reasons_count_clusters():
    """If a test takes clusters as a whole, it is their number that decides what can be significant."""
    queries = [f"q{place}" for place in range(6)]
    qrels = {query: {"a": 1} for query in queries}
    good, bad = (dict.fromkeys(queries, ranking) for ranking in (["a"], ["x", "a"]))
    for team, said in (("xxxyyy", "with 2 clusters and"), ("xxxxxx", "with 1 cluster and"), ("abcdef", "6 clusters")):
        [check] = gate(
            qrels, bad, baseline=good, max_drop={"RR": 0}, significant=True, level=0.99, cluster="team",
            query_table=_column(queries, team=list(team)),
        ).checks  # fmt: skip
        assert said in check.reasons[0]
    results = untied.evaluate(qrels, {"good": good, "bad": bad}, "RR")
    one = results.grouped(_column(queries, team=["x"] * 6), cluster="team")
    assert any("with 1 cluster, p cannot be below 1;" in note for note in significance(one).notes)
    table = _column(queries, team=list("xyzxyz"), size=list("aaabbb"))
    by_size = significance(results.grouped(table, by="size", cluster="team"))
    assert any(note.startswith("segments with too few clusters for a significant") for note in by_size.notes)
