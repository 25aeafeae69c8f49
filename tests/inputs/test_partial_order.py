"""Partly ordered truth: its formats, the paper's criteria for a measure of it, MIREX 2005 and CAsT 2019."""

from __future__ import annotations

import collections
import itertools
import lzma
import os
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracle
import untied
from strategies import close
from untied.inputs.truth import groups_from_preferences, groups_from_rankings, read_groups, read_mirex

SHARED = Path(os.environ.get("UNTIED_SHARED") or Path(__file__).resolve().parents[3] / "shared")
MIREX = SHARED / "data" / "mirex2005" / "MTurk.qrel"
CAST = SHARED / "data" / "cast2019" / "preferences.qrels.xz"
needs_data = pytest.mark.skipif(not MIREX.is_file(), reason=f"no data in {SHARED} (set UNTIED_SHARED to its folder)")

TRUTH = [["1", "2"], ["3", "4", "5"]]


def value(truth: Any, ranking: Any, measure: str = "ADR") -> float:
    return untied.evaluate({"q": truth}, {"q": ranking}, [measure])[measure].mean


# ---------------------------------------------------------------------------------------------------------------------
# Ways in


def test_the_examples_of_the_paper() -> None:
    assert close(value(TRUTH, ["2", "3", "1", "5", "7", "8", "9", "4"]), Fraction(86, 100))
    assert close(value(TRUTH, ["2", "10", "3", "1", "5", "7", "8", "9", "4"]), Fraction(223, 300))
    blind = [["1"], ["2"], ["3"], ["4"]]
    worse, better = ["4", "3", "5", "6"], ["3", "4", "5", "6"]
    assert value(blind, worse) == value(blind, better)
    assert close(value(blind, worse, "ADRInverted"), Fraction(41, 48))
    assert close(value(blind, better, "ADRInverted"), Fraction(29, 48))
    assert close(value(blind, worse, "ADRInverted(count='list')"), Fraction(11, 12))
    assert close(value(blind, better, "ADRInverted(count='list')"), Fraction(2, 3))
    assert value(blind, worse, "PairConcordance") < value(blind, better, "PairConcordance")


def test_the_inverted_list_is_not_consistent() -> None:
    """Where the better ranking has the lower value in the paper's example, it has the higher one here."""
    truth = [["1"], ["2"], ["3"], ["4"]]
    better, worse = ["1", "3", "4", "2"], ["1", "4", "3", "2"]
    assert value(truth, better) == value(truth, worse)
    assert value(truth, better, "ADRInverted") > value(truth, worse, "ADRInverted")
    assert value(truth, better, "PairConcordance") > value(truth, worse, "PairConcordance")


def test_many_orders_of_the_inverted_list_are_sampled() -> None:
    docs = [f"d{i}" for i in range(30)]
    found = untied.evaluate({"q": [[doc] for doc in docs]}, {"q": [docs]}, ["ADRInverted"], variance=True)
    sampled = found.value("ADRInverted", query="q")
    assert sampled.certainty == "estimate"
    chance = random.Random(1)
    grades = {doc: float(-i) for i, doc in enumerate(docs, -30)}
    drawn = [float(oracle.Measure("ADRInverted").of(chance.sample(docs, 30), grades) or 0) for _ in range(200)]
    assert sampled.mean == pytest.approx(sum(drawn) / 200, abs=5 * ((sampled.variance or 0) / 200) ** 0.5)


def test_groups_are_grades() -> None:
    qrels = untied.Qrels({"q": [["a", "b"], ["c"], ["d"]], "r": {"a": 2}})
    assert qrels["q"] == {"a": 3, "b": 3, "c": 2, "d": 1}
    assert qrels["r"] == {"a": 2}
    with pytest.raises(untied.UntiedError, match="grade 1 for document"):
        untied.Qrels({"q": [["a"], ["a"]]})


@pytest.mark.parametrize(("format", "text"), [("groups", "q a | b\n"), ("mirex", "s q a 1\ns q b 2\n")])
def test_every_way_in_reads_files_of_groups(format: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "truth.txt"
    path.write_text(text)
    truth = {"a": 2.0, "b": 1.0}
    assert untied.Qrels(path, format=format)["q"] == untied.Qrels(str(path), format=format)["q"] == truth
    assert untied.read_qrels(path, format=format)["q"] == truth
    assert untied.Qrels({"q": [["a"], ["b"]]}, format=format)["q"] == truth
    with pytest.raises(untied.UntiedError, match="prels, groups, mirex, preferences or probabilities, not 'group'"):
        untied.Qrels(path, format="group")


def test_file_of_groups(tmp_path: Path) -> None:
    path = tmp_path / "truth.txt"
    path.write_bytes("\ufeff# best first\nq1\ta b | c\r\n\nq2 é|x | y\n".encode())
    assert read_groups(path) == {"q1": {"a": 2, "b": 2, "c": 1}, "q2": {"é|x": 2, "y": 1}}
    run = {"q1": ["b", "a", "c"], "q2": ["y"]}
    for form in (path, tmp_path / "truth.xz"):
        if form != path:
            form.write_bytes(lzma.compress(path.read_bytes()))
        found = untied.evaluate(form, run, ["ADR"], qrels_format="groups")
        assert found.value("ADR", query="q1").mean == 1
        assert close(found.value("ADR", query="q2").mean, Fraction(1, 4))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q a | | b\n", r":1: expected documents in every group .*, found an empty group of q"),
        ("q | a\n", "an empty group"),
        ("q\n", "an empty group"),
        ("q a | b\n\nq c\n", ":3: expected one line for every query"),
        ("q a | b a\n", "expected every document once, found a again"),
        ("# nothing\n", "found nothing"),
        ("q a\0\n", ":1: expected text, found binary data: a NUL byte"),
        (f"q {'a' * 999} {'a' * 999}\n", "expected every document once, found a{200}\\.\\.\\.$"),
    ],
)
def test_refused_groups(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "truth.txt"
    path.write_text(text)
    with pytest.raises(untied.InputError, match=message):
        untied.read_qrels(path, format="groups")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s q a\n", r"expected 4 columns \(source query document group\), found 3"),
        ("s q a 1\ns q b 0\n", ":2: expected a whole number of at least 1 as the group, found 0"),
        ("s q a 1\ns q a 2\n", "expected one group for every document of a query"),
        ("s q a 1\nt q b 2\n", "expected one source in the whole file, s, found t"),
        ("", "found nothing"),
    ],
)
def test_refused_mirex(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "truth.txt"
    path.write_text(text)
    with pytest.raises(untied.InputError, match=message):
        untied.read_qrels(path, format="mirex")


def test_preferences() -> None:
    pairs = [(a, b) for a in "ab" for b in "cd"] + [(c, "e") for c in "cd"]
    assert groups_from_preferences(pairs) == [["a", "b"], ["c", "d"], ["e"]]
    assert groups_from_preferences([*pairs, ("a", "e"), ("a", "e")]) == [["a", "b"], ["c", "d"], ["e"]]
    assert groups_from_preferences([]) == []
    # b is over c, and nothing is said of a: no group can hold it.
    with pytest.raises(untied.UntiedError, match="no preference compares 'a' with 'c', but"):
        groups_from_preferences([("a", "d"), ("b", "c"), ("c", "d")])
    assert groups_from_preferences([("a", "d"), ("b", "c"), ("c", "d")], coarsen=True) == [["a", "b"], ["c"], ["d"]]
    for circle in ([("a", "b"), ("b", "a")], [("a", "a")], [("x", "a"), ("a", "b"), ("b", "c"), ("c", "a")]):
        with pytest.raises(untied.UntiedError, match="cycle among 'a'"):
            groups_from_preferences(circle, coarsen=True)
    with pytest.raises(untied.UntiedError, match=r"cycle among 'first', 'second'$"):
        groups_from_preferences([("first", "second"), ("other", "first"), ("second", "first")])


@given(st.lists(st.integers(1, 3), min_size=2, max_size=5), st.randoms())
def test_preferences_of_groups_give_the_groups(sizes: list[int], chance: random.Random) -> None:
    groups = [[f"{j}.{i}" for i in range(size)] for j, size in enumerate(sizes)]
    pairs = [(a, b) for j, group in enumerate(groups) for a in group for later in groups[j + 1 :] for b in later]
    chance.shuffle(pairs)
    found = groups_from_preferences(pairs)
    assert [sorted(group) for group in found] == groups
    assert groups_from_preferences(pairs, coarsen=True) == found


def test_rankings_of_experts() -> None:
    experts = [["a", "b", "c", "d", "e"]] * 5 + [["a", "c", "b", "e", "d"]] * 5
    assert groups_from_rankings(experts) == [["a"], ["b", "c"], ["d", "e"]]
    # Two experts show nothing, however much they agree.
    assert groups_from_rankings(experts[:2]) == [["a", "b", "c", "d", "e"]]
    # Each differs from its neighbour; a test of our own.
    assert groups_from_rankings([["a", "b"]], p_value=lambda one, other: abs(one[0] - other[0]) / 100) == [["a"], ["b"]]
    assert groups_from_rankings([["a", "b"]] * 9, alpha=1e-9) == [["a", "b"]]
    assert groups_from_rankings({"a": [1] * 8, "b": [2] * 8, "c": [2] * 8}) == [["a"], ["b", "c"]]
    for wrong, message in (
        ([["a", "b"], ["a"]], "ranking 2 must hold"),
        ([["a", "a"]], "ranking 1 must hold"),
        ({"a": []}, "no expert ranked 'a'"),
    ):
        with pytest.raises(untied.UntiedError, match=message):
            groups_from_rankings(wrong)
    with pytest.raises(untied.UntiedError, match="alpha must be between"):
        groups_from_rankings(experts, alpha=1)


# ---------------------------------------------------------------------------------------------------------------------
# What Typke, Veltkamp & Wiering ask of a measure (section 2), in their numbering


@st.composite
def truths(draw: st.DrawFn) -> list[list[str]]:
    sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=4))
    return [[f"{j}.{i}" for i in range(size)] for j, size in enumerate(sizes)]


@st.composite
def instances(draw: st.DrawFn) -> tuple[list[list[str]], list[str]]:
    """A truth, and a ranking of some of it with documents that are not in it."""
    truth = draw(truths())
    docs = [doc for group in truth for doc in group] + ["x", "y", "z"]
    ranking = draw(st.permutations(docs))
    return truth, ranking[: draw(st.integers(1, len(ranking)))]


@given(instances())
def test_1_a_number_from_0_to_1(instance: tuple[list[list[str]], list[str]]) -> None:
    truth, ranking = instance
    assert -1e-12 <= value(truth, ranking) <= 1 + 1e-12
    assert value(truth, ["x", "y", "z"]) == 0
    assert close(value(truth, [doc for group in truth for doc in group]), 1)


@given(instances(), st.integers(1, 3))
def test_2_3_4_groups_in_order_are_all_it_needs(instance: Any, step: int) -> None:
    """No order inside groups, no grades and no parameter: other grades in the same order give the same value."""
    truth, ranking = instance
    grades = {doc: float((len(truth) - j) ** step + step) for j, group in enumerate(truth) for doc in group}
    assert value(grades, ranking) == value(truth, ranking)
    (info,) = [info for info in untied._core.measure_info() if info["name"] == "ADR"]
    assert {name for name, *_ in info["parameters"]} == {"rel", "beyond", "judged_only"}


@given(instances(), st.data())
def test_5_order_within_groups_has_no_influence(instance: Any, data: st.DataObject) -> None:
    truth, ranking = instance
    group = data.draw(st.sampled_from(truth))
    renamed = dict(zip(group, data.draw(st.permutations(group)), strict=True))
    assert close(value(truth, ranking), value(truth, [renamed.get(doc, doc) for doc in ranking]))


@given(truths(), st.data())
def test_6_violations_across_groups_are_punished(truth: list[list[str]], data: st.DataObject) -> None:
    """In a right ranking, exchanging documents of two groups lowers the value; in any ranking it never raises it."""
    ranking = [doc for group in truth for doc in data.draw(st.permutations(group))]
    group_of = {doc: j for j, group in enumerate(truth) for doc in group}
    i, j = sorted(data.draw(st.lists(st.integers(0, len(ranking) - 1), min_size=2, max_size=2, unique=True)))
    assume(group_of[ranking[i]] != group_of[ranking[j]])
    swapped = list(ranking)
    swapped[i], swapped[j] = ranking[j], ranking[i]
    assert value(truth, swapped) < 1 - 1e-9
    shuffled = data.draw(st.permutations(ranking))
    better, worse = sorted((i, j), key=lambda at: group_of[shuffled[at]])
    if better > worse:
        improved = list(shuffled)
        improved[better], improved[worse] = shuffled[worse], shuffled[better]
        assert value(truth, improved) >= value(truth, shuffled) - 1e-12


@given(instances(), st.data())
def test_7_false_positives_lower_the_value(instance: Any, data: st.DataObject) -> None:
    truth, ranking = instance
    n = sum(map(len, truth))
    at = data.draw(st.integers(0, len(ranking)))
    longer = [*ranking[:at], "false", *ranking[at:]]
    assert value(truth, longer) <= value(truth, ranking) + 1e-12
    right = [doc for group in truth for doc in group]
    at = data.draw(st.integers(0, n - 1))
    assert value(truth, [*right[:at], "false", *right[at:]]) < 1 - 1e-9


@given(truths(), st.data())
def test_8_early_positions_have_more_influence(truth: list[list[str]], data: st.DataObject) -> None:
    """In a right ranking a false positive costs more the earlier it comes; a true one of the best group gains more."""
    right = [doc for group in truth for doc in group]
    early, late = sorted(data.draw(st.lists(st.integers(0, len(right) - 1), min_size=2, max_size=2, unique=True)))
    with_false = [value(truth, [*right[:at], "false", *right[at:]]) for at in (early, late)]
    assert with_false[0] < with_false[1]
    lone = [value(truth, [*"uvwxyzabcdefgh"[:at], truth[0][0]]) for at in (early, late)]
    assert lone[0] > lone[1]


def test_the_criteria_for_every_small_ranking() -> None:
    """As docs/studies/order_criteria.md has them: all truths of up to four documents, with up to two others."""
    values: dict[tuple[Any, ...], float] = {}
    cases = {}
    for n in range(1, 5):
        for cuts in itertools.product((False, True), repeat=n - 1):
            truth = [["1"]]
            for number, cut in enumerate(cuts, 2):
                truth.append([]) if cut else None
                truth[-1].append(str(number))
            docs = [doc for group in truth for doc in group]
            for length in range(1, n + 2):
                for ranking in itertools.permutations([*docs, "x", "y"], length):
                    if "y" not in ranking or "x" in ranking[: ranking.index("y")]:  # both others are alike
                        cases[len(cases)] = (truth, ranking)
    truths = {f"{query}": truth for query, (truth, _) in cases.items()}
    runs = {f"{query}": [*ranking] for query, (_, ranking) in cases.items()}
    results = untied.evaluate(truths, runs, "ADR")
    for query, (truth, ranking) in cases.items():
        values[tuple(map(tuple, truth)), ranking] = results.value("ADR", f"{query}").mean
    failing = collections.Counter()
    for (truth, ranking), adr in values.items():
        docs = [doc for group in truth for doc in group]
        group_of = {doc: number for number, group in enumerate(truth) for doc in group}
        n = len(docs)
        is_right = sorted(ranking[:n], key=lambda doc: group_of.get(doc, n)) == [*ranking[:n]] and {*ranking[:n]} == {
            *docs
        }
        assert (adr > 1 - 1e-9) is is_right
        assert (adr < 1e-9) is not any(doc in group_of for doc in ranking[:n])
        failing["0 without being useless"] += adr < 1e-9 and any(doc in group_of for doc in ranking)
        for rank in range(len(ranking) - 1):
            upper, lower = ranking[rank : rank + 2]
            swapped = (*ranking[:rank], lower, upper, *ranking[rank + 2 :])
            if upper in group_of and lower in group_of and group_of[upper] <= group_of[lower]:
                change = values[truth, swapped] - adr
                assert change <= 1e-12
                if group_of[upper] == group_of[lower]:
                    assert change == pytest.approx(0, abs=1e-12)
                elif rank + 1 < n:
                    failing["an order across groups without influence"] += change > -1e-12
        other = "y" if "x" in ranking else "x"
        if len(ranking) <= n and other not in ranking:
            costs = []
            for rank in range(len(ranking)):
                longer = tuple(_in_order([*ranking[:rank], other, *ranking[rank:]]))
                costs.append(adr - values[truth, longer])
            assert min(costs) >= -1e-12
            assert sorted(costs, reverse=True) == pytest.approx(costs, abs=1e-12)
            if {*ranking} == {*docs}:
                assert min(costs) > 1e-9
            failing["another document without influence"] += min(costs) < 1e-12
        replaced = [
            adr - values[truth, tuple(_in_order([*ranking[:rank], other, *ranking[rank + 1 :]]))]
            for rank, doc in enumerate(ranking)
            if doc in group_of and other not in ranking
        ]
        failing["a later replacement that costs more"] += any(x < y - 1e-12 for x, y in itertools.pairwise(replaced))
        for at in range(len(truth) - 1):
            merged = (*truth[:at], truth[at] + truth[at + 1], *truth[at + 2 :])
            assert -1e-12 <= values[merged, ranking] - adr <= len(truth[at]) / n + 1e-12
    assert min(failing.values()) > 0
    assert values[(("1",), ("2",), ("3",)), ("2", "3")] == values[(("1",), ("2",), ("3",)), ("3", "2")]
    assert values[(("1",), ("2",)), ("2",)] == values[(("1",), ("2",)), ("x", "2")]
    assert [values[(("1",), ("2",)), run] for run in (("2", "1"), ("1", "x"))] == [1 / 2, 3 / 4]
    assert [values[(("1", "2"),), run] for run in (("2", "1"), ("1", "x"))] == [1, 3 / 4]


def _in_order(ranking: list[str]) -> list[str]:
    """The ranking with its first other document called x, and its second y."""
    names = iter("xy")
    return [next(names) if doc in "xy" else doc for doc in ranking]


def test_9_group_sizes_have_an_influence_that_is_bounded() -> None:
    """Two neighbouring groups put into one, as another level of significance would.

    r_i changes only where c(i) did, at the places of the first of the two groups, and only by documents of the second:
    so ADR never falls, and never rises by more than the share of these places. That is not little: the bound is
    reached, and the typical change is larger than nDCG's. docs/studies/order_criteria.md says so.
    """
    assert value([["a"], ["b"]], ["b", "a"]) == 1 / 2
    assert value([["a", "b"]], ["b", "a"]) == 1
    chance = random.Random(9)
    truths, merged, run, bounds = {}, {}, {}, []
    for number in range(1500):
        sizes = [chance.randint(1, 4) for _ in range(chance.randint(3, 6))]
        truth = [[f"{j}.{i}" for i in range(size)] for j, size in enumerate(sizes)]
        at = chance.randrange(len(truth) - 1)
        query = f"{number:04}"
        truths[query] = truth
        merged[query] = [*truth[:at], truth[at] + truth[at + 1], *truth[at + 2 :]]
        docs = [doc for group in truth for doc in group]
        run[query] = sorted([*docs, *"xyz"], key=lambda doc: chance.gauss(docs.index(doc) if doc in docs else 5, 3))
        bounds.append(sizes[at] / len(docs))
    before, after = (untied.evaluate(judged, run, ["ADR", "nDCG"]) for judged in (truths, merged))

    def changes(measure: str) -> list[float]:
        return [after.value(measure, query).mean - before.value(measure, query).mean for query in run]

    rises = changes("ADR")
    assert all(-1e-12 <= rise <= bound + 1e-12 for rise, bound in zip(rises, bounds, strict=True))
    # As the page has them.
    assert round(sum(rises) / 1500, 3) == 0.028
    assert round(sum(map(abs, changes("nDCG"))) / 1500, 3) == 0.013
    assert round(sorted(rises)[1425], 2) == 0.14


def test_a_favourable_judgment_may_lower_a_value_of_fixed_depth() -> None:
    """A document that joins the best group moves the places of the others down."""
    assert value([["a"], ["b"]], ["a", "b", "x"], "ADR@2") == 1
    assert value([["a", "x"], ["b"]], ["a", "b", "x"], "ADR@2") == 3 / 4
    bounded = untied.evaluate({"q": [["a"], ["b"]]}, {"q": ["a", "b", "x"]}, "ADR@2", unjudged="range")["ADR@2"]
    assert (bounded.low, bounded.high) == (3 / 4, 1)


def test_bounds_of_many_unjudged_documents_are_those_of_the_measure() -> None:
    for count in (100, 8193):
        run = {"q": ["a", *map(str, range(count))]}
        bounded = untied.evaluate({"q": [["a"], ["b"]]}, run, "ADR@9", unjudged="range")["ADR@9"]
        assert bounded.low is not None
        assert bounded.high is not None
        assert 0 <= bounded.low <= bounded.mean <= bounded.high <= 1
        assert ((bounded.low, bounded.high) == (0, 1)) is (count > 8192)


def test_ndcg_turns_with_discount_and_grades_and_adr_does_not() -> None:
    """Section 4: which of two rankings is better by nDCG depends on the logarithm, and on the grades."""
    grades = {"a": 3, "b": 2, "c": 1}
    steeper = {"a": 7, "b": 3, "c": 1}
    rankings = ["c", "x", "b", "y", "a"], ["x", "y", "a", "b", "c"]

    def both(truth: Any, measure: str) -> list[float]:
        return [round(value(truth, ranking, measure), 4) for ranking in rankings]

    # As docs/partial-order.md has them.
    assert both(grades, "nDCG(discount='log(2)')") == [0.6311, 0.5902]
    assert both(grades, "nDCG(discount='log(3)')") == [0.8413, 0.8779]
    assert both(steeper, "nDCG(discount='log(2)')") == [0.5557, 0.5970]
    assert both(grades, "ADR") == both(steeper, "ADR") == both([["a"], ["b"], ["c"]], "ADR") == [0.2222, 0.1111]


# ---------------------------------------------------------------------------------------------------------------------
# Real truth


@pytest.fixture(scope="module")
def mirex() -> dict[str, list[list[str]]]:
    groups: dict[str, list[list[str]]] = {}
    for query, grades in read_mirex(MIREX).items():
        by_grade = sorted(set(grades.values()), reverse=True)
        groups[query] = [[doc for doc in grades if grades[doc] == grade] for grade in by_grade]
    return groups


@needs_data
def test_mirex_2005(mirex: dict[str, list[list[str]]]) -> None:
    assert len(mirex) == 11
    assert sum(len(group) for groups in mirex.values() for group in groups) == 118
    chance = random.Random(2005)
    right = {query: [doc for group in groups for doc in group] for query, groups in mirex.items()}
    shuffled = {q: [doc for group in groups for doc in chance.sample(group, len(group))] for q, groups in mirex.items()}
    tied = dict(mirex)
    qrels = untied.read_qrels(MIREX, format="mirex")
    for run in (right, shuffled, tied):
        found = untied.evaluate(qrels, run, ["ADR", "PairConcordance", "Compat"], ties="range")
        for query in mirex:
            for measure in ("ADR", "PairConcordance", "Compat"):
                one = found.value(measure, query=query)
                assert close(one.mean, 1)
                assert close(one.low, 1)
    for query, groups in mirex.items():
        for j in range(len(groups) - 1):
            start = sum(map(len, groups[:j]))
            swapped = list(right[query])
            last, first = start + len(groups[j]) - 1, start + len(groups[j])
            swapped[last], swapped[first] = right[query][first], right[query][last]
            found = untied.evaluate({query: mirex[query]}, {query: swapped}, ["ADR", "PairConcordance"])
            assert found["ADR"].mean < 1 - 1e-9
            assert found["PairConcordance"].mean < 1 - 1e-9


@needs_data
def test_mirex_2005_is_what_the_definition_says(mirex: dict[str, list[list[str]]]) -> None:
    chance = random.Random(7)
    for query, groups in mirex.items():
        docs = [doc for group in groups for doc in group]
        ranking = chance.sample([*docs, "x", "y"], len(docs))
        grades = {doc: float(len(groups) - j) for j, group in enumerate(groups) for doc in group}
        expected = oracle.Measure("ADR").of(ranking, grades)
        assert expected is not None
        found = untied.evaluate(MIREX, {query: ranking}, ["ADR"], qrels_format="mirex", queries="common")
        assert close(found.value("ADR", query=query).mean, expected)


@needs_data
def test_the_walk_through_of_the_docs() -> None:
    truth = untied.read_qrels(MIREX, format="mirex")
    query = "400.065.784-1.1.1"
    run = {query: {doc: (grade + 1) // 2 for doc, grade in truth[query].items()}}
    found = untied.evaluate(truth, run, ["ADR", "PairConcordance", "Compat"], ties="range", queries="common")
    assert [str(found[name]) for name in ("ADR", "PairConcordance", "Compat")] == [
        "0.9690 [0.9396, 1.0000] (see .notes)",
        "0.9665 [0.9331, 1.0000] (see .notes)",
        "0.9669 [0.9324, 1.0000] (see .notes)",
    ]


@given(instances(), st.booleans())
def test_compatibility_without_end_is_what_depths_go_to(instance: Any, normalize: bool) -> None:
    truth, ranking = instance
    grades = {doc: float(len(truth) - j) for j, group in enumerate(truth) for doc in group}
    found = value(truth, ranking, f"Compat(p=0.5, depth='infinite', normalize={normalize})")
    assert close(found, oracle.partial.compat(ranking, grades, Fraction(1, 2), 60, normalize))
    assert close(value(truth, ranking, f"Compat(p=0.5, depth=60, normalize={normalize})"), found)


@needs_data
def test_cast_2019() -> None:
    """Real-valued preferences, each value a group: a right ranking has 1, a wrong one less, a tied one is between."""
    qrels = untied.read_qrels(CAST)
    assert len(qrels.grades()) > 2
    right = {query: {doc: grade for doc, grade in qrels[query].items() if grade > 0} for query in qrels.queries()}
    wrong = {query: {doc: -grade for doc, grade in judged.items()} for query, judged in right.items()}
    tied = {query: dict.fromkeys(judged, 0.0) for query, judged in right.items()}
    found = untied.evaluate(qrels, {"right": right, "wrong": wrong, "tied": tied}, ["Compat"], ties="range")
    compared = 0
    for query, judged in right.items():
        if not judged:
            continue
        best, worst, between = (found.value("Compat", query=query, run=run) for run in ("right", "wrong", "tied"))
        assert close(best.mean, 1)
        if len(set(judged.values())) > 1:
            compared += 1
            assert worst.mean < between.mean < best.mean
            assert between.low is not None
            assert between.high is not None
            assert close(between.low, worst.mean)
            assert close(between.high, best.mean)
    assert compared > 100
