"""Similarities and distances of two rankings against their definitions, enumerated over all orders of ties."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import untied
from nightly import seeded
from oracle import ranked as oracle
from oracle.enumeration import Statistics
from untied.comparison import correlation, distances

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "golden.json").read_text())["cases"]
Groups = list[list[str]]


@st.composite
def rankings(draw: st.DrawFn, most: int = 5, group: int = 4, docs: str = "abcdefgh") -> Groups:
    chosen = draw(st.lists(st.sampled_from(docs), max_size=most, unique=True))
    ranking: Groups = []
    for doc in chosen:
        if ranking and len(ranking[-1]) < group and draw(st.booleans()):
            ranking[-1].append(doc)
        else:
            ranking.append([doc])
    return ranking


def value(a: Groups, b: Groups, measure: str) -> untied.Value:
    return untied.compare(a, b, measure, variance=True)[measure]


def agrees(found: untied.Value, expected: Any, *, extremes: bool = True, variance: bool = True) -> None:
    """Whether a value is that of the definition; what is not known is None."""
    if expected is None:
        assert math.isnan(found.mean)
        return
    assert found.mean == pytest.approx(float(expected.mean), rel=1e-12, abs=1e-14)
    if extremes:
        assert found.low == pytest.approx(float(expected.low), rel=1e-12, abs=1e-14)
        assert found.high == pytest.approx(float(expected.high), rel=1e-12, abs=1e-14)
    elif found.low is not None:
        assert expected.low == expected.high
    if variance:
        assert found.variance == pytest.approx(float(expected.variance), rel=1e-10, abs=1e-14)
    elif found.variance is not None:
        assert expected.variance == found.variance == 0


def one_by_one(ranking: Groups) -> Groups:
    return [[doc] for group in ranking for doc in group]


@given(rankings(), rankings(), st.integers(1, 7))
def test_jaccard(a: Groups, b: Groups, k: int) -> None:
    agrees(value(a, b, f"Jaccard@{k}"), oracle.over_orders(lambda x, y: oracle.jaccard(x, y, k), a, b))


@given(rankings(), rankings())
def test_tau(a: Groups, b: Groups) -> None:
    agrees(value(a, b, "Tau"), oracle.over_orders(oracle.tau, a, b))


@given(rankings(), rankings())
def test_spearman(a: Groups, b: Groups) -> None:
    agrees(value(a, b, "Spearman"), oracle.over_orders(oracle.spearman, a, b))


@given(rankings(), rankings())
def test_tau_ap(a: Groups, b: Groups) -> None:
    agrees(value(a, b, "TauAP"), oracle.over_orders(oracle.tau_ap, a, b))


cutoffs = st.none() | st.integers(1, 7)


def name(kind: str, k: int | None = None, **parameters: object) -> str:
    """A name in the canonical spelling, in which defaults are left out."""
    defaults: dict[str, object] = {"p": 0.5, "normalize": True, "power": 1, "l": None, "q": 1, "n": None,
                                     "delta": "'dcg'", "unmoved": 1, "absent": "'last'"}  # fmt: skip
    given_ = [f"{key}={value}" for key, value in parameters.items() if value != defaults[key]]
    return kind + f"({', '.join(given_)})" * bool(given_) + (f"@{k}" if k else "")


def distance(
    measure: Callable[[oracle.Order, oracle.Order], Fraction], normalize: bool, a: Groups, b: Groups
) -> Statistics:
    """Statistics of a distance or of its share of the largest."""
    found = oracle.over_orders(lambda x, y: oracle.normalized(measure, x, y) if normalize else measure(x, y), a, b)
    assert found is not None
    return found


def parts(ranking: Groups, k: int | None) -> bool:
    """Whether a cutoff parts a tie group."""
    ends = list(itertools.accumulate(map(len, ranking), initial=0))
    return k is not None and k < ends[-1] and k not in ends


@given(rankings(), rankings(), cutoffs, st.sampled_from([None, 0, 1.5]), st.booleans())
def test_footrule(a: Groups, b: Groups, k: int | None, more: float | None, normalize: bool) -> None:
    location = None if more is None or k is None else k + more
    exact = distance(lambda x, y: oracle.footrule(x, y, k, None if location is None else Fraction(location)),
                     normalize, a, b)  # fmt: skip
    location = k if more == 0 else location
    agrees(value(a, b, name("Footrule", k, l=location, normalize=normalize)), exact)


@given(rankings(), rankings(), cutoffs, st.sampled_from([1, 2]), st.booleans())
def test_reciprocal_ranks(a: Groups, b: Groups, k: int | None, power: int, normalize: bool) -> None:
    exact = distance(lambda x, y: oracle.reciprocal_ranks(x, y, k, power), normalize, a, b)
    found = value(a, b, name("RRDistance", k, power=power, normalize=normalize))
    agrees(found, exact, extremes=power == 1, variance=power == 1)


@given(rankings(), rankings(), cutoffs, st.sampled_from([0, 0.25, 0.5, 1]), st.booleans())
def test_kendall_distance(a: Groups, b: Groups, k: int | None, p: float, normalize: bool) -> None:
    exact = distance(lambda x, y: oracle.kendall_distance(x, y, k, Fraction(p)), normalize, a, b)
    known = not parts(a, k) and not parts(b, k)
    agrees(value(a, b, name("KendallDistance", k, p=p, normalize=normalize)), exact, extremes=known, variance=known)


@given(rankings(), rankings(), cutoffs, st.integers(0, 2), st.none() | st.integers(1, 12))
def test_hoeffding(a: Groups, b: Groups, k: int | None, q: int, n: int | None) -> None:
    both = [(x[:k], y[:k]) for x in oracle.permutations(a) for y in oracle.permutations(b)]
    documents = max(n or 0, *(len({*x, *y}) for x, y in both))
    found = value(a, b, name("Hoeffding", k, q=q, n=n))
    agrees(found, oracle.over_orders(
        lambda x, y: oracle.hoeffding(x[:k], y[:k], documents, lambda t: Fraction(1, t**q)), a, b))  # fmt: skip


def test_expected_hoeffding_by_completions() -> None:
    """The oracle goes document by document; here all orders of five documents are listed."""
    for a, b in ((["a", "b"], ["b", "c", "d"]), ([], ["a"]), (["a", "b"], ["a", "b"])):
        docs = ["a", "b", "c", "d", "e"]
        pairs = itertools.product(oracle.completions(a, docs), oracle.completions(b, docs))
        listed = [
            sum(oracle.weighted(x.index(doc) + 1, y.index(doc) + 1, lambda t: Fraction(1, t)) for doc in docs)
            for x, y in pairs
        ]
        mean = sum(listed, Fraction(0)) / len(listed)
        assert oracle.hoeffding(a, b, 5, lambda t: Fraction(1, t)) == mean
        assert untied.compare(a, b, "Hoeffding(n=5)")["Hoeffding(n=5)"].mean == pytest.approx(float(mean), rel=1e-13)


@given(rankings(), rankings(), st.integers(1, 7))
def test_anchor_map(a: Groups, b: Groups, k: int) -> None:
    exact = oracle.over_orders(lambda x, y: oracle.anchor_map(x, y, k), a, b)
    parted = parts(a, k)
    found = value(a, b, f"AnchorMAP@{k}")
    if parted and found.variance is not None:
        parted = False  # B has no document of the parted group
    agrees(found, exact, variance=not parted)


@given(rankings(8), rankings(8))
def test_half_a_penalty_is_the_mean_over_completions(a: Groups, b: Groups) -> None:
    """Fagin, Kumar & Sivakumar: K^(1/2) is the mean of Kendall's distance over all completions of the lists."""
    missing = [[doc for doc in one_doc_each(y) if [doc] not in one_by_one(x)] for x, y in ((a, b), (b, a))]
    whole = [x + [docs] * bool(docs) for x, docs in zip((a, b), missing, strict=True)]
    half = value(a, b, "KendallDistance(normalize=False)").mean
    assert half == pytest.approx(value(whole[0], whole[1], "KendallDistance(normalize=False)").mean, abs=1e-10)
    n = len(one_by_one(whole[0]))
    if n > 1:
        assert half == pytest.approx((1 - value(whole[0], whole[1], "Tau").mean) / 2 * n * (n - 1) / 2, abs=1e-10)


def one_doc_each(ranking: Groups) -> list[str]:
    return [doc for group in ranking for doc in group]


DISTANCES = (
    "WeightedKendall",
    "KendallDistance",
    "KendallDistance(p=1)",
    "Footrule",
    "RRDistance",
    "RRDistance(power=2)",
    "Hoeffding",
    "Hoeffding(n=30)",
)


@given(rankings(8, 8), rankings(8, 8), cutoffs)
def test_distances_are_symmetric_and_at_most_one(a: Groups, b: Groups, k: int | None) -> None:
    for measure in DISTANCES:
        at = f"@{k}" if k and measure != "WeightedKendall" else ""
        found = value(a, b, measure + at)
        assert found.mean == pytest.approx(value(b, a, measure + at).mean, rel=1e-12, abs=1e-13)
        assert found.mean >= 0
        untied_a = one_by_one(a)
        if "n=" not in measure:  # in a collection of unseen documents a list is not near itself
            assert value(untied_a, untied_a, measure + at).mean == 0
        if not measure.startswith(("Hoeffding", "Weighted")):
            assert found.mean <= 1 + 1e-12
            if a or b:
                apart = [[f"{doc}'" for doc in group] for group in b]
                assert value(a, apart, measure + at).mean in (pytest.approx(1), 0.0)


DELTAS: dict[str, Callable[[int], Fraction]] = {
    "'dcg'": lambda i: Fraction(1 / math.log2(i)) - Fraction(1 / math.log2(i + 1)),
    "'inverse'": lambda i: Fraction(1, i * (i - 1)),
    "'none'": lambda _: Fraction(1),
    "[2, 0.5]": lambda i: {2: Fraction(2), 3: Fraction(1, 2)}.get(i, Fraction(0)),
}
few = rankings(4, docs="abcd")


@given(few, few, st.sampled_from(list(DELTAS)), st.sampled_from([0, 1, 0.5]), st.sampled_from(["last", "drop"]))
def test_weights_of_positions(a: Groups, b: Groups, delta: str, unmoved: float, absent: str) -> None:
    same = oracle.same_documents(a, b, absent)
    tied = any(len(group) > 1 for ranking in same for group in ranking)
    for measure, of in (("WeightedKendall", oracle.weighted_kendall), ("WeightedFootrule", oracle.weighted_footrule)):
        found = value(a, b, name(measure, delta=delta, unmoved=unmoved, absent=f"'{absent}'"))
        exact = oracle.over_orders(lambda x, y, of=of: of(x, y, DELTAS[delta], Fraction(unmoved)), *same)
        known = measure == "WeightedFootrule" or not tied
        agrees(found, exact, extremes=known, variance=known)
        assert found.certainty == "exact"


@given(rankings(8, 8), rankings(8, 8), st.sampled_from(list(DELTAS)))
def test_kendall_and_footrule_differ_by_a_factor_of_two_at_most(a: Groups, b: Groups, delta: str) -> None:
    """Diaconis & Graham's inequality holds for every order, so for means too."""
    a, b = one_by_one(a), one_by_one(b)
    of = {measure: value(a, b, name(measure, delta=delta, absent="'drop'")).mean
          for measure in ("WeightedKendall", "WeightedFootrule")}  # fmt: skip
    assert of["WeightedKendall"] <= of["WeightedFootrule"] + 1e-12
    assert of["WeightedFootrule"] <= 2 * of["WeightedKendall"] + 1e-12


def test_weights_of_positions_in_large_groups() -> None:
    """The exact mean of Kendall's distance against orders drawn; the footrule's mean is an estimate and says so."""
    chance = random.Random(5)
    docs = [f"d{i}" for i in range(40)]
    a, b = ([sorted(group) for group in (docs[:3], docs[3:18], docs[18:30])],
            [sorted(group) for group in (docs[10:25], docs[:4], docs[26:40])])  # fmt: skip
    same = oracle.same_documents(a, b, "last")

    def drawn() -> list[list[str]]:
        return [[doc for group in ranking for doc in chance.sample(group, len(group))] for ranking in same]

    samples = [untied.compare(*drawn(), ["WeightedKendall", "WeightedFootrule"]) for _ in range(300)]
    for measure in ("WeightedKendall", "WeightedFootrule"):
        values = [one[measure].mean for one in samples]
        mean = sum(values) / len(values)
        error = math.sqrt(sum((one - mean) ** 2 for one in values) / len(values) / len(values))
        found = value(a, b, measure)
        assert abs(found.mean - mean) < 6 * error
        assert found.certainty == ("exact" if measure == "WeightedKendall" else "estimate")
        assert (found.low, found.high, found.variance) == (None, None, None)


def unlike(x: str, y: str) -> Fraction:
    """Documents that stand next to each other in the alphabet are nearly alike."""
    return Fraction(min(abs(ord(x) - ord(y)), 3), 4)


@given(few, few, st.sampled_from([None, *DELTAS]), st.booleans(), st.booleans())
def test_weights_of_items_and_their_likeness(
    a: Groups, b: Groups, delta: str | None, weighted: bool, likeness: bool
) -> None:
    a, b = oracle.same_documents(a, b, "last")
    costs = DELTAS[delta or "'none'"]
    weights = {doc: Fraction(number, 2) for number, doc in enumerate("abcd")} if weighted else None
    between = unlike if likeness else None
    for of, stated in (
        (distances.kendall_distance, oracle.weighted_kendall),
        (distances.footrule, oracle.weighted_footrule),
    ):
        found = of(
            a,
            b,
            weights={doc: float(weight) for doc, weight in weights.items()} if weights else None,
            delta=None if delta is None else lambda rank: float(costs(rank)),
            dissimilarity=(lambda x, y: float(unlike(x, y))) if likeness else None,
        )
        exact = oracle.over_orders(lambda x, y, of=stated: of(x, y, costs, Fraction(1), weights, between), a, b)
        agrees(found, exact)


def test_measures_and_functions_agree() -> None:
    a, b = [["a"], ["b", "c"], ["d", "e"]], [["c"], ["a", "e"], ["b"], ["d"]]
    for measure, of in (("WeightedKendall", distances.kendall_distance), ("WeightedFootrule", distances.footrule)):
        found = of(a, b, delta=[0.5, 0.25, 0.125, 0], unmoved=0.3)
        assert value(a, b, f"{measure}(delta=[0.5, 0.25, 0.125, 0], unmoved=0.3)").mean == pytest.approx(found.mean)
    assert distances.kendall_distance(a, b).mean == pytest.approx(value(a, b, "KendallDistance(normalize=False)").mean)
    docs = [str(number) for number in range(20)]
    many = distances.kendall_distance([docs], [docs[::-1]])
    assert many.certainty == "estimate"
    assert many.mean == pytest.approx(20 * 19 / 4, rel=0.05)
    assert many == distances.kendall_distance([docs], [docs[::-1]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": {"a": 1.0}}, "'b' has no weight"),
        ({"weights": {"a": 1.0, "b": -1.0}}, "a weight must be a number of at least 0, not -1.0"),
        ({"delta": [math.nan]}, "a cost must be a number of at least 0, not nan"),
        ({"dissimilarity": lambda *_: -1}, "a dissimilarity must be a number of at least 0, not -1"),
    ],
)
def test_refused_weights(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(untied.UntiedError, match=message):
        distances.footrule(["a", "b"], ["b", "a"], **arguments)


def test_rankings_of_different_items_are_refused() -> None:
    with pytest.raises(untied.UntiedError, match="only one holds 'c'"):
        distances.kendall_distance(["a", "c"], ["a"])


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("Jaccard", "Jaccard needs a cutoff, for instance Jaccard@10"),
        ("AnchorMAP", "AnchorMAP needs a cutoff"),
        ("Tau@5", "Tau takes no cutoff"),
        ("Tau(variant='c')", "variant must be 'a' or 'b', not 'c'"),
        ("Footrule(l=5)", "l needs a cutoff"),
        ("Footrule(l=5)@6", "l must be at least 6, not 5"),
        ("Footrule(normalize=1)", "normalize must be True or False, not 1"),
        ("RRDistance(power=3)", "power must be 1 or 2, not 3"),
        ("KendallDistance(p=2)", "p must be a number from 0 to 1, not 2"),
        ("Hoeffding(n=1.5)", "n must be a whole number"),
        ("Hoeffding(q=-1)", "q must be a number of at least 0"),
        ("WeightedKendall(delta='log')", "delta must be 'dcg', 'inverse' or 'none', not 'log'"),
        ("WeightedKendall(delta=[1, -1])", "delta must be 'dcg', 'inverse', 'none' or a list"),
        ("WeightedFootrule(absent='first')", "absent must be 'last' or 'drop'"),
        ("TauAP(mean='geometric')", "only the arithmetic mean"),
    ],
)
def test_refused_parameters(measure: str, message: str) -> None:
    with pytest.raises(untied.MeasureError, match=re.escape(message)):
        untied.compare(["a"], ["b"], measure)


@given(rankings(8), rankings(8))
def test_ties_as_equality(a: Groups, b: Groups) -> None:
    for name, stated in (("Tau", oracle.tau_b(a, b)), ("TauAP", oracle.tau_ap_b(a, b))):
        found = value(a, b, f"{name}(variant='b')")
        assert found.mean == pytest.approx(math.nan if stated is None else float(stated), nan_ok=True, abs=1e-13)
        assert (found.low, found.high, found.variance) == (None, None, None)


@given(rankings(8, 8))
def test_no_ties_no_uncertainty(a: Groups) -> None:
    """A ranking is wholly like itself; in the opposite order wholly unlike."""
    assume(sum(map(len, a)) > 1)
    a = one_by_one(a)
    for name in ("Tau", "TauAP", "Tau(variant='b')", "TauAP(variant='b')"):
        assert value(a, a, name).mean == pytest.approx(1)
        assert value(a, a[::-1], name).mean == pytest.approx(-1)
    assert value(a, a, "Jaccard@5") == untied.Value(1.0, 1.0, 1.0, 0.0, "exact")


def test_variance_only_where_asked_for() -> None:
    for measure in (*DISTANCES, "RBO", "Overlap@2", "Jaccard@2", "AnchorMAP@2", "Tau", "TauAP", "WeightedFootrule"):
        for a, b in ((["a", "b"], ["b", "a"]), ([["a", "b"]], ["b", "a"]), ([], ["a"]), ([], [])):
            assert untied.compare(a, b, measure)[measure].variance is None


def test_large_groups() -> None:
    """Of 3,000 documents: scipy's tau_b, this package's correlations, and Jaccard of what a sampled order has."""
    stats = pytest.importorskip("scipy.stats")
    chance = random.Random(11)
    docs = [f"d{i}" for i in range(3_000)]
    a = {doc: float(chance.randrange(40)) for doc in docs}
    b = {doc: a[doc] + chance.randrange(30) for doc in docs}
    found = untied.compare({"q": a}, {"q": b}, ["Tau", "Tau(variant='b')", "TauAP", "Jaccard@100", "Overlap@100"])
    assert found["Tau(variant='b')"].mean == pytest.approx(
        stats.kendalltau([a[doc] for doc in docs], [b[doc] for doc in docs]).statistic, rel=1e-12
    )
    of_lists = correlation.kendall(a, b)
    assert (found["Tau"].mean, found["Tau"].low, found["Tau"].high) == (of_lists.mean, of_lists.low, of_lists.high)
    assert found["TauAP"].mean == pytest.approx(correlation.tau_ap(a, b).mean, rel=1e-12)
    jaccard, overlap = found["Jaccard@100"], found["Overlap@100"]
    assert overlap.low is not None
    assert jaccard.low == pytest.approx(overlap.low / (2 - overlap.low))
    # x / (2 - x) is convex, and the overlap hardly varies.
    assert 0 < jaccard.mean - overlap.mean / (2 - overlap.mean) < 0.01


def large(chance: random.Random, docs: int) -> Groups:
    """A ranking of all documents with groups of many sizes."""
    order = chance.sample([f"d{i}" for i in range(docs)], docs)
    ranking: Groups = []
    while order:
        size = chance.choice([1, 1, 2, 7, 60, 300])
        ranking.append(order[:size])
        del order[:size]
    return ranking


def numbers(found: untied.Value) -> tuple[float | None, ...]:
    return found.mean, found.low, found.high, found.variance


def test_distances_of_large_groups() -> None:
    """What they have to do with each other, where orders cannot be listed."""
    chance = seeded(3)
    a, b = large(chance, 1_000), large(chance, 1_000)
    pairs = 1_000 * 999 / 2
    raw, tau = value(a, b, "KendallDistance(normalize=False)"), value(a, b, "Tau")
    assert raw.mean == pytest.approx((1 - tau.mean) / 2 * pairs, rel=1e-12)
    assert (raw.low, raw.high) == pytest.approx(
        ((1 - (tau.high or 0)) / 2 * pairs, (1 - (tau.low or 0)) / 2 * pairs), rel=1e-12
    )
    assert raw.variance == pytest.approx((tau.variance or 0) / 4 * pairs**2, rel=1e-12)
    plain = value(a, b, "WeightedKendall(delta='none')")
    assert plain.mean == pytest.approx(raw.mean, rel=1e-12)
    # q = 0: every rank weighs 1, and nothing follows what is whole.
    moved, footrule = value(a, b, "Hoeffding(q=0)"), value(a, b, "Footrule(normalize=False)")
    assert numbers(moved) == pytest.approx(numbers(footrule), rel=1e-12)
    # Spearman's footrule of two orders drawn at random is (n^2 - 1) / 3 on average.
    whole = [[f"d{i}" for i in range(1_000)]]
    assert value(whole, whole, "Footrule(normalize=False)").mean == pytest.approx((1_000**2 - 1) / 3, rel=1e-12)


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # the judged one may be the one that is missing
@pytest.mark.parametrize("k", [1, 2, 10, 100, 300, 499])
def test_anchor_map_is_average_precision(k: int) -> None:
    """Of a first ranking without ties: AP with its first k documents as judgments, in groups of any size."""
    chance = seeded(k)
    a, b = one_by_one(large(chance, 500)), large(chance, 500)
    missing = chance.randrange(100)
    b = [group for group in b if f"d{missing}" not in group]
    found = value(a, b, f"AnchorMAP@{k}")
    qrels = {"q": {doc: 1 for [doc] in a[:k]}}
    expected = untied.evaluate(qrels, {"q": b}, ["AP"], ties="range", variance=True)["AP"]
    assert numbers(found) == pytest.approx(numbers(expected), rel=1e-11)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["measure"] in ("tau", "tauAP", "tau_b", "tauAP_b")], ids=lambda c: c["id"]
)
def test_golden(case: dict[str, Any]) -> None:
    a, b = case["input"]["a"], case["input"]["b"]
    name = {"tau": "Tau", "tauAP": "TauAP", "tau_b": "Tau(variant='b')", "tauAP_b": "TauAP(variant='b')"}
    measure = name[case["measure"]]
    statistic = {"mean": "mean", "value": "mean", "var": "variance", "min": "low", "max": "high"}[case["statistic"]]
    if measure in ("Tau", "TauAP"):
        exact = oracle.over_orders(oracle.tau if measure == "Tau" else oracle.tau_ap, a, b)
        assert getattr(exact, statistic) == Fraction(case["value"])
    if measure == "TauAP" and statistic != "mean":
        return  # of which there is no closed form: only the oracle, and `correlation.tau_ap` where orders are few
    assert getattr(value(a, b, measure), statistic) == pytest.approx(case["float"], rel=1e-12)
