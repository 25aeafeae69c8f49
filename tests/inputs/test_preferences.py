"""Preferences as qrels, which may form no groups: against all right orders and all orders of ties, as fractions."""

from __future__ import annotations

import itertools
import json
import pickle
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest

import oracle
import untied
from commands import Command
from nightly import many, seeded
from oracle.enumeration import permutations
from oracle.partial import adr_of_preferences, concordance_of_preferences, extensions
from page_data import data_of
from untied import _core
from untied.evaluation.curves import curves
from untied.gate import gate
from untied.inputs.truth import groups_from_preferences, orders_of_preferences, read_preferences
from untied.judging import judge_next
from untied.measures import help
from untied.report import report

Of = Callable[[Sequence[str], Sequence[tuple[str, ...]]], Fraction]
Pairs = list[tuple[str, str]]

MEASURES: dict[str, Of] = {
    "ADR": adr_of_preferences,
    "ADR@1": partial(adr_of_preferences, k=1),
    "ADR@3": partial(adr_of_preferences, k=3),
    "ADR@9": partial(adr_of_preferences, k=9),
    "ADR(beyond='recall')@9": partial(adr_of_preferences, k=9, beyond="recall"),
    "PairConcordance": concordance_of_preferences,
}
#: No document is in a group with another one in any way that all preferences allow.
ZIGZAG = [("a", "d"), ("b", "c"), ("c", "d")]
QRELS = untied.Qrels({"q": ZIGZAG}, format="preferences")


def preferences_of(chance: random.Random) -> Pairs:
    """Some of those that an order agrees with, so that there is no cycle."""
    docs = chance.sample("abcdef", chance.randint(2, 6))
    share = chance.choice([0.2, 0.4, 0.9])
    pairs = [(x, y) for i, x in enumerate(docs) for y in docs[i + 1 :] if chance.random() < share]
    return chance.sample(pairs, len(pairs)) or [(docs[0], docs[1])]


def ranking(chance: random.Random) -> list[list[str]]:
    """Of documents that have been compared, and of others."""
    docs = chance.sample("abcdefxy", chance.randint(0, 6))
    groups: list[list[str]] = []
    for doc in docs:
        if groups and chance.random() < 0.4:
            groups[-1].append(doc)
        else:
            groups.append([doc])
    return groups


def instances(name: str, count: int) -> tuple[dict[str, Pairs], dict[str, list[list[str]]]]:
    """Preferences and rankings of some queries."""
    chance = seeded(name)
    queries = [f"q{number:04}" for number in range(count)]
    return {query: preferences_of(chance) for query in queries}, {query: ranking(chance) for query in queries}


def numbers(value: untied.Value) -> tuple[float | None, ...]:
    return value.mean, value.low, value.high, value.variance


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # rankings may have nothing of the truth
@pytest.mark.parametrize("measure", MEASURES)
def test_all_orders(measure: str) -> None:
    judged, run = instances(f"all orders {measure}", many(200, 2500))
    found = untied.evaluate(judged, run, measure, ties="range", variance=True, qrels_format="preferences")
    for query, preferences in judged.items():
        right = extensions(preferences)
        values = [MEASURES[measure](order, right) for order in permutations(run[query])]
        mean = sum(values, Fraction(0)) / len(values)
        variance = sum(((value - mean) ** 2 for value in values), Fraction(0)) / len(values)
        assert numbers(found.value(measure, query)) == pytest.approx(
            tuple(map(float, (mean, min(values), max(values), variance))), rel=1e-12, abs=1e-15
        )


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
def test_preferences_that_form_groups_have_the_values_of_groups() -> None:
    judged, run = instances("groups", 400)
    grouped: dict[str, Any] = {}
    for query, preferences in judged.items():
        try:
            grouped[query] = groups_from_preferences(preferences)
        except untied.UntiedError:
            continue
    assert 40 < len(grouped) < 360
    some = {query: judged[query] for query in grouped}
    options: Any = {"ties": "range", "variance": True}
    one = untied.evaluate(some, run, list(MEASURES), qrels_format="preferences", **options)
    other = untied.evaluate(grouped, run, list(MEASURES), **options)
    for query in grouped:
        for measure in MEASURES:
            found, expected = one.value(measure, query), other.value(measure, query)
            assert found.mean == expected.mean
            # The best and the worst order add the same numbers in another order.
            assert numbers(found) == pytest.approx(numbers(expected), abs=1e-15)
            if measure != "PairConcordance":  # of which the variance of groups has another formula
                assert found.variance == expected.variance


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
@pytest.mark.parametrize("measure", ["ADR", "ADR@3", "PairConcordance"])
def test_distributions_are_those_of_all_orders(measure: str) -> None:
    judged, run = instances(f"laws {measure}", many(60, 600))
    found = untied.distributions(judged, run, measure, per_query=True, qrels_format="preferences")
    for query, preferences in judged.items():
        right = extensions(preferences)
        values = Counter(MEASURES[measure](order, right) for order in permutations(run[query]))
        law = found.query(query, measure)
        assert law.certainty == "exact"
        assert [value for value, _ in law.lower] == pytest.approx(list(map(float, sorted(values))), abs=1e-12)
        chances = [float(Fraction(values[value], values.total())) for value in sorted(values)]
        assert [chance for _, chance in law.lower] == pytest.approx(chances, abs=1e-12)


def test_distributions_of_long_tie_groups() -> None:
    docs = [f"d{i:02}" for i in range(30)]
    pairs = [*zip(docs, docs[2:], strict=False), (docs[0], docs[29])]
    found = untied.distributions({"q": pairs}, {"q": [docs]}, ["ADR", "PairConcordance"], qrels_format="preferences")
    assert found["PairConcordance"].certainty == "interval"
    assert found["PairConcordance"].at_most(0.5)[0] == 0
    mean = untied.evaluate({"q": pairs}, {"q": [docs]}, "ADR", qrels_format="preferences")["ADR"].mean
    low, high = (sum(value * chance for value, chance in law) for law in (found["ADR"].lower, found["ADR"].upper))
    assert low - 1e-9 <= mean <= high + 1e-9


def test_a_ranking_that_agrees_with_all_preferences_has_1() -> None:
    for n in range(2, 40):
        docs = [f"d{place}" for place in range(n)]
        judged = {"q": list(itertools.pairwise(docs))}
        found = untied.evaluate(judged, {"q": docs}, ["ADR", "PairConcordance"], qrels_format="preferences")
        assert found["ADR"].mean == pytest.approx(1, abs=1e-15)
        assert found["PairConcordance"].mean == 1


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
def test_unknown_documents_and_empty_rankings() -> None:
    others = [f"x{i}" for i in range(20_000)]
    judged = {"q": [("a", "b")]}
    found = untied.evaluate(judged, {"q": [["a", *others]]}, "ADR", ties="range", qrels_format="preferences")["ADR"]
    assert found.mean == pytest.approx((0.75 + 0.25) / 20_001)
    assert (found.low, found.high) == (0, 0.75)
    condensed = untied.evaluate(judged, {"q": ["x", "a"]}, "ADR", unjudged="remove", qrels_format="preferences")["ADR"]
    assert condensed.mean == 0.75
    absent = untied.evaluate(judged, {"r": ["a"], "q": []}, ["ADR", "PairConcordance"], qrels_format="preferences")
    assert absent["ADR"].mean == absent["PairConcordance"].mean == 0


def test_values_can_be_adjusted_for_chance() -> None:
    """With c of {a, c} first and b last, ADR is what the formula gives from the mean and the best of all orders."""
    ranked = ["d", "c", "a", "b"]
    right = extensions(ZIGZAG)
    values = [adr_of_preferences(order, right) for order in permutations([ranked])]
    expected, best, value = sum(values) / len(values), max(values), adr_of_preferences(ranked, right)
    found = untied.evaluate(QRELS, {"q": ranked}, "ADR", adjust="chance")["ADR"]
    assert found.mean == pytest.approx(float((value - expected) / (best - expected)))


# ---------------------------------------------------------------------------------------------------------------------
# All orders that agree


def test_all_orders_that_agree_are_listed() -> None:
    judged, _ = instances("listed", many(200, 2000))
    for preferences in judged.values():
        orders = orders_of_preferences(preferences)
        assert sorted(map(tuple, orders)) == sorted(extensions(preferences))
        assert orders_of_preferences(iter(preferences), most=len(orders)) == orders
        if len(orders) > 1:
            with pytest.raises(untied.UntiedError, match=f"more than {len(orders) - 1} orders agree"):
                orders_of_preferences(preferences, most=len(orders) - 1)
    assert orders_of_preferences([]) == [[]]
    assert orders_of_preferences([(place, place + 1) for place in range(200)]) == [list(range(201))]
    with pytest.raises(untied.UntiedError, match="more than 10,000 orders agree with the preferences; most= lets"):
        orders_of_preferences([(f"a{i}", f"b{i}") for i in range(300)])
    with pytest.raises(untied.UntiedError, match="preferences contradict each other"):
        orders_of_preferences([("a", "b"), ("b", "a")])
    with pytest.raises(untied.UntiedError, match="most must be at least 1"):
        orders_of_preferences([("a", "b")], most=0)


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("ADR", oracle.Measure("ADR")),
        ("ADR@3", oracle.Measure("ADR", 3)),
        ("ADRInverted", oracle.Measure("ADRInverted")),
        ("Compat(p=0.5, depth=4)", oracle.Measure("Compat", p=Fraction(1, 2), depth=4)),
        ("PairConcordance", oracle.Measure("PairConcordance")),
    ],
    ids=["ADR", "ADR@3", "ADRInverted", "Compat", "PairConcordance"],
)
def test_means_over_all_orders_that_agree(name: str, measure: oracle.Measure) -> None:
    """Each order is the truth of a query, so the mean over queries is that over orders. ADR is never below it."""
    judged, run = instances(f"orders {name}", many(40, 2000))
    truth, lists = {}, {}
    for query, preferences in judged.items():
        for number, order in enumerate(orders_of_preferences(preferences)):
            truth[f"{query}.{number}"] = [[doc] for doc in order]
            lists[f"{query}.{number}"] = run[query]
    found = untied.evaluate(truth, lists, name)
    of_preferences = untied.evaluate(judged, run, "ADR", qrels_format="preferences")
    for query, preferences in judged.items():
        right = extensions(preferences)
        values = [
            measure.of(order, {doc: -place for place, doc in enumerate(one, -len(one))})
            for one in right
            for order in permutations(run[query])
        ]
        mean = sum((value or Fraction(0) for value in values), Fraction(0)) / len(values)
        means = [found.value(name, f"{query}.{number}").mean for number in range(len(right))]
        assert sum(means) / len(means) == pytest.approx(float(mean), abs=1e-12)
        if name == "ADR":
            assert mean <= of_preferences.value("ADR", query).mean + 1e-12


# ---------------------------------------------------------------------------------------------------------------------
# Ways in


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
def test_files_and_dicts_agree_to_the_bit(tmp_path: Path, untied_: Command) -> None:
    judged, run = instances("files", 60)
    lines = [f"{query} {better}\t{worse}\n" for query, pairs in judged.items() for better, worse in pairs]
    chance = seeded("lines")
    path, results = tmp_path / "preferences.txt", tmp_path / "run.json"
    path.write_text("# the better one first\n\n" + "".join(chance.sample(lines, len(lines))) + lines[0])
    results.write_text(json.dumps(run))
    assert {query: sorted(pairs) for query, pairs in read_preferences(path).items()} == {
        query: sorted(set(pairs)) for query, pairs in judged.items()
    }
    options: Any = {"ties": "range", "variance": True}
    expected = untied.evaluate(judged, run, list(MEASURES), qrels_format="preferences", **options)
    of_file = untied.evaluate(path, run, list(MEASURES), qrels_format="preferences", **options)
    pickled = pickle.loads(pickle.dumps(untied.read_qrels(path, format="preferences")))
    again = untied.evaluate(pickled, run, list(MEASURES), qrels_format="preferences", **options)
    for query in judged:
        for measure in MEASURES:
            value = numbers(expected.value(measure, query))
            assert numbers(of_file.value(measure, query)) == numbers(again.value(measure, query)) == value
    asked = ("--qrels-format", "preferences", "-m", "ADR", "-m", "PairConcordance", "--format", "tsv")
    code, out, _ = untied_("eval", path, results, *asked)
    assert code == 0
    values = [line.split("\t")[3] for line in out.splitlines()[1:]]
    assert values == [f"{expected[name].mean:.4f}" for name in ("ADR", "PairConcordance")]


def test_ids_are_text_bytes_or_whole_numbers() -> None:
    """As in a dict of grades, a text may be empty, too."""
    assert untied.Qrels({"q": [("", "a")]}, format="preferences").places("q") == {"": 1, "a": 2}
    found = untied.Qrels({7: [(1, b"2"), ("2", numpy.int64(3))]}, format="preferences")
    same = untied.Qrels({"7": [("1", "2"), ("2", "3"), ("1", "3")]}, format="preferences")
    assert found.__reduce__() == same.__reduce__()
    assert (found.format, found.queries(), repr(found)) == (
        "preferences",
        ["7"],
        "<untied.Qrels: 1 queries, 3 judgments>",
    )
    assert untied.Qrels(found, format="preferences") is found


def test_levels_of_trec_eval_are_preferences(tmp_path: Path, untied_: Command) -> None:
    """Within a subgroup by level; trec_eval's prefs_simp is the share of all preferences, and so is PairConcordance."""
    chance = random.Random(11)
    prefs, lists = tmp_path / "prefs.txt", tmp_path / "run.txt"
    for _ in range(20):
        true = {doc: chance.randint(0, 4) for doc in "abcdefg"}  # all subgroups agree with it
        lines = [
            f"q group s{subgroup} {doc} {true[doc] + 0.5}\n"
            for subgroup in range(3)
            for doc in chance.sample("abcdefg", 4)
        ]
        prefs.write_text("".join(lines))
        ranked = chance.sample("abcdefgxy", 6)
        lists.write_text("".join(f"q Q0 {doc} 0 {-rank} run\n" for rank, doc in enumerate(ranked)))
        judged = read_preferences(prefs)
        assert all(true[better] > true[worse] for better, worse in judged["q"])
        found = untied.evaluate(prefs, lists, "PairConcordance", qrels_format="preferences")["PairConcordance"]
        code, out, err = untied_("trec_eval", "-R", "prefs", "-m", "prefs_simp", prefs, lists)
        assert (code, err) == (0, "")
        assert f"{found.mean:.4f}" == out.split()[2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q a b\nq b\n", r":2: expected 3 columns \(query document document\) or 5 \(.*\), found 2"),
        ("q a b\nq g s b 1\n", ":2: expected 3 columns, as in the first line, found 5"),
        ("q a b\n\nq c c\n", ":3: expected two documents, found c twice"),
        (
            "q a b\nr b a\nq b a\nq c d\n",
            ":3: expected preferences of query q without a cycle, found a cycle among 'a', 'b'",
        ),
        ("q c a\nq a b\nq b c\nq x a\n", ":3: .* found a cycle among 'c', 'a', 'b'"),
        ("q g s a 1\nq h s b 0\n", ":2: expected one group of judgments for query q, g, found h"),
        ("q g s a 1\nq g s b high\n", ":2: expected a finite number as the level, found high"),
        ("q g s a 1\nq g s b inf\n", ":2: expected a finite number as the level, found inf"),
        ("q g s a 1\nq g s a 2\n", ":2: expected one level for every document of a subgroup, found another of a"),
        ("q g s a 1\nq g s b 0\nq g t b 3\nq g t a 1\n", ":4: .* found a cycle among 'a', 'b'"),
        ("q g s a 1\nq g s b 1\n", ": expected preferences, found only equal levels"),
        ("# nothing\n", "found nothing"),
        ("q a\0 b\n", ":1: expected text, found binary data: a NUL byte"),
    ],
)
def test_refused_files(tmp_path: Path, untied_: Command, text: str, message: str) -> None:
    path = tmp_path / "preferences.txt"
    path.write_text(text)
    with pytest.raises(untied.InputError, match=message):
        untied.read_qrels(path, format="preferences")
    (tmp_path / "run.txt").write_text("q Q0 a 1 1 t\n")
    code, out, err = untied_("eval", path, tmp_path / "run.txt", "--qrels-format", "preferences", "-m", "ADR")
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("judged", "message"),
    [
        ({"q": [("a", "b"), ("b", "a")]}, r"qrels\['q'\]: preferences contradict each other: .* cycle among 'a', 'b'"),
        ({"q": [("a", "a")]}, r"qrels\['q'\]: 'a' is preferred to itself"),
        ({"q": [("a", 1.0)]}, r"expected pairs \(better, worse\) of document ids, found 1.0"),
        ({"q": [(1, "1")]}, r"qrels\['q'\]: '1' is preferred to itself"),
        (
            {"q": [("a", "b", "c")]},
            r"qrels\['q'\]: expected pairs \(better, worse\) of document ids, found \('a', 'b', 'c'\)",
        ),
        ({"q": ["ab"]}, "expected pairs .* found 'ab'"),
        ({"q": "ab"}, "expected pairs .* found 'ab'"),
        ({"q": {"a": 1}}, "expected pairs .* found {'a': 1}"),
        ({"q": [("a", None)]}, "expected pairs .* found None"),
        ({"q": [("a", True)]}, "expected pairs .* found True"),
        ({"q": 3}, "expected pairs .* found 3"),
        (
            [("q", "a", "b")],
            r"expected a path or {query: \[\(better, worse\), ...\]} in format 'preferences', not list",
        ),
        (pandas.DataFrame({"qid": ["q"]}), "expected a path or .*, not DataFrame"),
        (
            untied.Qrels({"q": {"a": 1}}),
            r"the qrels have format 'trec', not 'preferences': expected {query: \[\(better",
        ),
    ],
)
def test_refused_objects(judged: Any, message: str) -> None:
    with pytest.raises((untied.UntiedError, TypeError), match=message):
        untied.Qrels(judged, format="preferences")


# ---------------------------------------------------------------------------------------------------------------------
# What cannot read preferences


def test_no_other_measure_reads_preferences() -> None:
    read = ("ADR", "PairConcordance", "NumQ", "NumRet")
    others = [info for info in _core.measure_info() if info["name"] not in read]
    assert len(others) > 60
    for info in others:
        name, docs = help.name_in_example(info, comparing=False), help.inputs(info).get("docs")
        with pytest.raises(untied.UntiedError) as refused:
            untied.evaluate(QRELS, {"q": ["a"]}, name, docs=docs)
        needs = r"grades or ordered groups|judgments by subtopic|strata|inclusion probabilities"
        assert re.search(rf"^{info['name']}.* needs ({needs})", str(refused.value)), refused.value


RUN = {"q": ["a", "x", "b"]}
BOTH = {"a": RUN, "b": {"q": ["b", "a"]}}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: untied.evaluate(QRELS, RUN, "ADR(rel=2)"),
            r"rel= is for qrels with grades, and preferences have none",
        ),
        (lambda: untied.evaluate(QRELS, RUN, "ADR", unjudged="range"), "do not say what unjudged documents could be"),
        (lambda: untied.evaluate(QRELS, RUN, "ADR", unjudged="best"), "do not say what unjudged documents could be"),
        (lambda: untied.certify(QRELS, BOTH, "ADR"), "do not say what unjudged documents could be"),
        (lambda: untied.certify(QRELS, BOTH, "AP"), "AP needs grades or ordered groups"),
        (lambda: untied.compare(*BOTH.values(), "MED(ADR@3)", qrels=QRELS), "do not say what unjudged documents"),
        (lambda: untied.compare(*BOTH.values(), "Delta(AP@3, p=0.5)", qrels=QRELS), "AP@3 needs grades or ordered"),
        (lambda: judge_next(QRELS, RUN, "PairConcordance"), "do not say what unjudged documents could be"),
        (lambda: curves(QRELS, RUN, "q"), "the qrels have only preferences between documents, and no grades"),
        (lambda: QRELS["q"], "the qrels have only preferences between documents, and no grades"),
        (lambda: untied.judging.sample.pool([RUN], 2, QRELS), "samples and pools need a grade for each document"),
        (lambda: untied.judging.agreement(QRELS, QRELS), "the qrels have only preferences between documents"),
        (lambda: gate(QRELS, RUN, min={"AP": 0.1}), "^AP needs grades or ordered groups of documents"),
        (
            lambda: gate(QRELS, RUN, baseline=RUN, max_med={"ADR@3": 0.1}),
            "do not say what unjudged documents could be",
        ),
        (lambda: gate(QRELS, RUN, baseline=RUN, certain=["ADR"]), "do not say what unjudged documents could be"),
        (lambda: report(QRELS, RUN, "AP"), "^AP needs grades or ordered groups of documents"),
        (lambda: report(QRELS, RUN, "ADR", live=True), "^a live report lets its readers choose measures"),
        (lambda: untied.Qrels({"q": {"a": 1}}).places("q"), "the qrels have grades, and no preferences"),
    ],
)
def test_what_needs_more_than_preferences(call: Callable[[], object], message: str) -> None:
    with pytest.raises(untied.UntiedError, match=message):
        call()


def test_documents_and_queries_are_counted() -> None:
    found = untied.evaluate(QRELS, BOTH, ["NumQ", "NumRet", "NumRet(judged_only=True)", "ADR"])
    assert [found.value(name, run="a").mean for name in found.measures[:3]] == [1, 3, 2]
    assert [found.value(name, run="b").mean for name in found.measures[:3]] == [1, 2, 2]


def test_a_gate_reads_preferences() -> None:
    """It gives the limits the values of `evaluate`, in a dict as in a file's qrels."""
    means = {run: untied.evaluate(QRELS, BOTH[run], "ADR")["ADR"].mean for run in "ab"}
    passed = gate({"q": ZIGZAG}, BOTH["b"], min={"ADR": means["b"]}, qrels_format="preferences")
    failed = gate(QRELS, BOTH["a"], baseline=BOTH["b"], max_drop={"ADR": 0.0})
    assert means["b"] > means["a"]
    assert (passed.passed, failed.passed) == (True, False)
    assert f"from {means['b']:.4f} to {means['a']:.4f}" in str(failed)


def test_a_report_of_preferences_shows_places_and_says_what_it_leaves_out() -> None:
    page = data_of(report(QRELS, BOTH, "ADR"))
    [query] = page["rankings"]
    assert dict(zip(query["docs"], query["grades"], strict=True)) == {"a": 1, "x": None, "b": 1}
    assert QRELS.places("q") == {"a": 1, "b": 1, "c": 2, "d": 4}
    assert (query["relevant"], page["has_preferences"], page["is_examined"]) == (4, True, False)
    assert (page["curves"]["precision"], len(page["curves"]["dynamic_recall"])) == ([[], []], 2)
    assert page["means"][0][0]["mean"] == untied.evaluate(QRELS, BOTH["a"], "ADR")["ADR"].mean
    assert "judgments" not in page["answers"][0]
    assert any("preferences do not say what unjudged documents could be" in note for note in page["notes"])
    alone = data_of(report(QRELS, BOTH["a"], "ADR"))
    assert "judgments" not in alone["answers"][0]


def test_notes_on_ties_speak_of_preferences() -> None:
    tied = {"q": [["a", "d"], "b"]}
    found = untied.evaluate(QRELS, tied, "ADR")
    assert "tied documents differ by the preferences in 1 of 1 queries of run: each value is the mean" in str(found)
    assert "tied documents have different grades in 1 of 1" in str(untied.evaluate({"q": {"a": 1}}, tied, "ADR"))
    assert "tied documents differ by the preferences in 1 of 1 queries" in found._repr_html_()
    assert (QRELS.grades(), found.facts()["run"]["highest"]) == ([], None)
    grouped = untied.evaluate({"q": {"a": 2, "d": 0}}, tied, "ADR").facts()["run"]
    assert grouped["highest"] == 2


def test_a_run_is_compared_without_the_qrels() -> None:
    assert untied.compare(*BOTH.values(), "RBO", qrels=QRELS)["RBO"].mean > 0
