"""What a report says in words, and the texts of queries and documents that it shows."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

import untied
from nightly import many, seeded
from oracle.verdicts import Case, extremes
from page_data import data_of
from test_certify import FORMS, TOLERANCE, Form
from test_report import EXAMPLE
from untied.cli import main
from untied.comparison.changes import TopChanges, changed_at_the_top
from untied.errors import InputError, UntiedError
from untied.inputs.provenance import named_inputs
from untied.inputs.texts import texts_of
from untied.report import comparison_report, report
from untied.report.page import asset
from untied.statistics.notes import least_p

Words = Callable[[dict[str, Any]], list[list[str]]]
Headline = Callable[..., list[list[str]]]


@pytest.fixture(scope="module")
def words(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Words:
    """The sentences of each measure that a page writes about its data."""
    path = tmp_path_factory.mktemp("words") / "words.html"
    script = "".join(map(asset, ("base.js", "data.js", "words.js")))
    path.write_text(f"<!doctype html><script>{script}</script>", encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    every = "data => data.measures.map((_, place) => sentencesOf(data, place))"
    return lambda data: cast("list[list[str]]", page.evaluate(every, data))


@pytest.fixture
def headline(words: Words) -> Headline:
    """The sentences of a report."""
    return lambda *args, **options: words(data_of(report(*args, **options)))


QUERIES = [f"q{number}" for number in range(10)]
QRELS = {q: {"a": 1, "b": 0, "c": 0} for q in QUERIES}
GOOD = {q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in QUERIES}
BAD = {q: {"a": 1.0, "b": 3.0, "c": 2.0} for q in QUERIES}
TIED = {q: {"a": 1.0, "b": 1.0, "c": 1.0} for q in QUERIES}


def test_who_leads_by_how_much(headline: Headline) -> None:
    first, test, ties, judgments = headline(QRELS, {"bad": BAD, "good": GOOD}, "RR")[0]
    assert first == "good leads by RR: 1.0000, 0.6667 above bad (0.3333)."
    assert test.startswith("The difference is significant: p = 0.0020 (paired randomisation test")
    assert ties == "Ties cannot change the difference."
    assert judgments == "Missing judgments cannot change the difference."
    # Of ESL lower is better: the same run leads.
    first, *_ = headline(QRELS, {"bad": BAD, "good": GOOD}, "ESL")[0]
    assert first == "good leads by ESL: 0.0000 (lower is better), 2.0000 below bad (2.0000)."


def test_changes_that_the_digits_do_not_show(headline: Headline) -> None:
    qrels = {q: {"a": 1, "n0": 0} for q in QUERIES} | {"deep": {"a": 1, "b": 1}}
    deep = {"a": 500.0, "b": 1.0} | {f"n{place}": 499.0 - place for place in range(397)} | {"last": 1.0}
    good, bad = GOOD | {"deep": deep}, {q: {"n0": 2.0, "a": 1.0} for q in [*QUERIES, "deep"]}
    _, _, ties, _ = headline(qrels, {"good": good, "bad": bad}, "AP")[0]
    assert ties == "Ties cannot change the difference by 0.0001 or more."
    assert headline(qrels, {"good": good}, "AP")[0][1] == "Ties cannot change the score by 0.0001 or more."


def test_a_baseline_and_others(headline: Headline, words: Words) -> None:
    page = data_of(report(QRELS, {"bad": BAD, "tied": TIED, "good": GOOD}, "RR", baseline="bad"))
    first, test, *_ = words(page)[0]
    assert first == "good leads by RR: 1.0000, 0.6667 above the baseline bad (0.3333)."
    assert test.endswith(
        "Of the 2 other runs, 2 are significantly better and none are significantly worse than the baseline."
    )
    assert page["leading"] == [[2, 0]]
    assert "<h1>Evaluation of 3 runs</h1>" in report(QRELS, {"bad": BAD, "tied": TIED, "good": GOOD}, "RR")
    assert "<h1>good against bad</h1>" in report(QRELS, {"bad": BAD, "good": GOOD}, "RR", baseline="bad")
    assert "<h1>bad and good</h1>" in report(QRELS, {"bad": BAD, "good": GOOD}, "RR")
    assert "<h1>bad</h1>" in report(QRELS, {"bad": BAD}, "RR")
    page = data_of(report(QRELS, {"bad": BAD, "tied": TIED, "good": GOOD}, "RR"))
    assert words(page)[0][1].endswith("good is significantly better than both other runs.")
    page = data_of(report(QRELS, {"x": GOOD, "y": GOOD, "z": GOOD}, "RR", baseline="x"))
    assert words(page)[0][1].endswith("None of the other runs is significantly better or worse than the baseline.")
    page = data_of(report(QRELS, {"x": GOOD, "y": GOOD, "z": GOOD}, "RR"))
    assert words(page)[0][1].endswith("x is not significantly better than any other run.")
    first, *_ = headline(QRELS, {"bad": BAD, "good": GOOD}, "RR", baseline="good")[0]
    assert first.startswith("good, the baseline, leads by RR")
    first, *_ = headline(QRELS, {"x": GOOD, "y": GOOD}, "RR")[0]
    assert first == "x and y are equal by RR: 1.0000."


def test_what_ties_could_change(headline: Headline) -> None:
    of = {"tied": TIED, "bad": BAD}
    assert headline(QRELS, of, "RR")[0][2] == (
        "Ties could end the lead: depending on the order of tied documents, the difference lies between 0.0000 and "
        "+0.6667."
    )
    half = {q: {"a": 3.0, "b": 3.0, "c": 1.0} for q in QUERIES}
    assert headline(QRELS, {"half": half, "bad": BAD}, "RR")[0][2] == (
        "Ties cannot end the lead or make the difference insignificant: depending on the order of tied documents, the "
        "difference lies between +0.1667 and +0.6667."
    )
    few = QUERIES[:3]  # too few for anything to be significant
    part = [{q: run[q] for q in few} for run in (half, BAD)]
    assert headline({q: QRELS[q] for q in few}, {"half": part[0], "bad": part[1]}, "RR")[0][2] == (
        "Ties cannot end the lead: depending on the order of tied documents, the difference lies between +0.1667 and "
        "+0.6667."
    )
    # Turned, as tests have the runs in the order in which they came.
    assert headline(QRELS, dict(reversed(of.items())), "RR")[0] == headline(QRELS, of, "RR")[0]


def test_what_missing_judgments_could_change(headline: Headline) -> None:
    sparse = {q: {"a": 1} for q in QUERIES}
    runs = {"good": {q: ["a", "x"] for q in QUERIES}, "late": {q: ["x", "a"] for q in QUERIES}}
    assert headline(sparse, runs, "RR")[0][3] == (
        "Missing judgments could end the lead: depending on the grades of unjudged documents, the difference lies "
        "between 0.0000 and +0.5000. 10 unjudged documents can be enough if they are relevant. Of the first ten "
        "documents, 50.0 % (good) and 50.0 % (late) are unjudged."
    )
    runs["late"] = {q: ["b", "y", "a"] for q in QUERIES}
    judged = {q: {"a": 1, "b": 0} for q in QUERIES}
    assert headline(judged, runs, "P@2")[0][3].startswith(
        "Missing judgments could end the lead: depending on the grades of unjudged documents, the difference lies"
    )
    assert headline(judged, runs, "AP@2")[0][3].startswith(
        "Missing judgments cannot end the lead: depending on the grades of unjudged documents, the difference lies "
        "between +"
    )
    # x and y are in one run each, so no bounds of single runs would do.
    assert headline(judged, runs, "Q")[0][3] == (
        "Missing judgments could end the lead: depending on the grades of unjudged documents, the difference lies "
        "between −0.1500 and +0.8000. 8 unjudged documents can be enough if they are relevant. Of the first "
        "ten documents, 50.0 % (good) and 33.3 % (late) are unjudged."
    )
    assert headline(judged, runs, "P@1")[0][3] == "Missing judgments cannot change the difference."
    assert headline(judged, runs, "RR")[0][3] == (
        "Missing judgments cannot end the lead: depending on the grades of unjudged documents, the difference lies "
        "between +0.5000 and +0.6667."
    )
    assert headline(judged, runs, "infAP")[0][3] == (
        "Whether missing judgments could end the lead is unknown: infAP has no bounds of differences for missing "
        "judgments."
    )


def test_the_shares_are_of_the_runs_that_are_named(headline: Headline) -> None:
    """In their order, which is by how far they could be ahead."""
    runs = {"leader": {"q": ["r", "r2", "n"]}}
    runs |= {f"run{number}": {"q": ["r", *(f"x{number}{rank}" for rank in range(number))]} for number in range(1, 5)}
    said = headline({"q": {"r": 1, "r2": 1, "n": 0}}, runs, "DCG@6")[0]
    [sentence] = [one for one in said if one.startswith("Missing judgments could end the lead")]
    bounds, _, shares = sentence.partition(" Of the first ten documents, ")
    assert re.findall(r" to (run\d)", bounds) == ["run4", "run3", "run2"]
    assert re.findall(r"\((\w+)\)", shares) == ["leader", "run4", "run3", "run2"]


def test_bounds_that_do_not_hold_the_difference(headline: Headline) -> None:
    qrels = {"q0": {"d5": 1, "d1": 1, "d0": 0, "d4": 1, "d2": -1}, "q1": {"d2": -1, "d1": 0, "d0": 1, "d4": -1}}
    runs = {
        "a": {"q0": ["d5", "d4", "d3", "d0"], "q1": ["d2", "d4"]},
        "b": {"q0": ["d0", "d3", "d2"], "q1": ["d2", "d4", "d0"]},
    }
    said = headline(qrels, runs, ["Bpref"])[0]
    assert said[0].startswith(
        "b leads by Bpref"
    )  # and yet a is better for all grades: tests/certify/test_joint_bounds.py
    assert said[-1] == (
        "Whether missing judgments could end the lead is unknown: Bpref ignores unjudged documents, but its bounds "
        "give each of them a grade."
    )


def test_what_is_certain(words: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {"bad": BAD, "good": GOOD, "new": {q: ["n1", "n2", "a"] for q in QUERIES}}
    measures = ["RR", "infAP", "P@2"]
    page = data_of(report(QRELS, runs, measures))
    verdicts = untied.certify(QRELS, runs, ["RR", "P@2"])
    ranks = verdicts.ranks.to_dicts()
    for place, measure in ((0, "RR"), (2, "P@2")):
        expected = [[row["best"], row["worst"]] for row in ranks if row["measure"] == measure]
        assert page["ranks"][place] == expected
    assert page["ranks"][0][:2] == [[2, 3], [1, 2]]
    assert page["ranks"][1] is None
    for test in page["tests"]:
        measure, names = measures[test["measure"]], list(runs)
        if measure == "infAP":
            assert (test["verdict"], test["overturn"]) == (None, None)
            continue
        one = verdicts.between(names[test["a"]], names[test["b"]], measure)
        assert test["verdict"] == one.verdict
        assert test["overturn"] == ("never" if one.overturn == float("inf") else one.overturn)
    assert {test["overturn"] for test in page["tests"] if test["measure"] == 0} == {"never", 10, 0}
    # Of too many pairs those with the leading run have bounds.
    monkeypatch.setattr("untied.report.verdicts.MOST", 10)
    less = data_of(report(QRELS, runs, measures))
    assert less["ranks"] == [None] * 3
    for part in ("ties", "judgments", "both"):
        assert [answer[part] for answer in less["answers"]] == [answer[part] for answer in page["answers"]]
    assert "10 unjudged documents can be enough" in words(page)[0][3]
    assert words(less)[0][3].startswith("Missing judgments might end the lead: depending")
    assert {test["overturn"] for test in less["tests"]} == {None}
    assert less["notes"][-1].startswith("ranks and overturn numbers are left out, because 3 pairs of runs")


def test_missing_judgments_are_not_examined_if_that_takes_long(
    headline: Headline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("untied.report.verdicts.MOST_EXAMINED", 2 * len(QRELS))
    pair = {"bad": BAD, "good": GOOD}
    assert headline(QRELS, pair, "RR")[0][3] == "Missing judgments cannot change the difference."
    monkeypatch.setattr("untied.report.verdicts.MOST_EXAMINED", len(QRELS) - 1)
    *_, last = headline(QRELS, pair, "RR")[0]
    assert last == (
        "Whether missing judgments could end the lead was not examined: it takes long for 10 queries, and untied "
        "certify does it."
    )
    *_, last = headline(QRELS, {"good": GOOD}, "RR")[0]
    assert last == (
        "How far missing judgments could change the score was not examined: it takes long for 10 queries, and untied "
        "eval --unjudged range does it."
    )


def test_the_headline_speaks_of_every_run_that_could_lead(headline: Headline) -> None:
    """Not of the leading run and the next one alone: uos, in which all documents are tied, could reach 1."""
    runs = [str(EXAMPLE / f"{name}.run") for name in ("amc", "qut", "uos", "waterloo")]
    said = headline(str(EXAMPLE / "qrels.txt"), runs, "AP")[0]
    assert said[0] == "waterloo leads by AP: 0.3561, 0.1367 above amc (0.2194)."
    assert said[2] == (
        "Ties could end the lead: depending on the order of tied documents, the difference to uos lies between "
        "−0.6439 and +0.3129."
    )
    assert said[3:] == ["Missing judgments cannot change any difference to waterloo."]


@pytest.mark.parametrize(
    "form", [form for form in FORMS if form.name in ("P@3", "RR", "AP")], ids=lambda form: form.name
)
def test_the_headline_holds_for_all_orders_and_grades(words: Words, form: Form) -> None:
    """Against all of them, enumerated; and certify, stats and notebooks say the same."""
    chance = seeded(f"headline {form.name}")
    docs, names = [f"d{number}" for number in range(5)], ["one", "two", "three"]
    claims = {"cannot": 0, "could": 0, "together": 0}
    for _ in range(many(40)):
        known = {doc: chance.randrange(2) for doc in docs if doc == "d0" or chance.random() < 0.5} | {
            "top": 1,
            "bottom": 0,
        }
        rankings = {name: tied(chance, docs) for name in names}
        qrels = {"q": known}
        runs = {name: {"q": groups} for name, groups in rankings.items()}
        page = data_of(report(qrels, runs, form.name))
        said = words(page)[0]
        leader = names[page["leading"][0][0]]
        reach: dict[str, set[str]] = {"ties": set(), "judgments": set(), "both": set()}
        for other in set(names) - {leader}:
            case = Case(rankings[leader], rankings[other], known)
            ends = {
                "ties": extremes(form.score, case, form.grades, any_order=True)[0],
                "judgments": extremes(form.score, case, form.grades)[-1],
                "both": extremes(form.score, case, form.grades, any_order=True)[-1],
            }
            for what, (low, high) in ends.items():
                if low <= TOLERANCE and (low < -TOLERANCE or high > TOLERANCE):
                    reach[what].add(other)
        sentences = {
            "ties": next(one for one in said if one.startswith("Ties c")),
            "judgments": next(one for one in said if one.startswith("Missing judgments ")),
            "both": next((one for one in said if one.startswith("Ties and missing judgments together ")), ""),
        }
        alone = {name for what in ("ties", "judgments") for name in named(sentences[what], names)}
        assert named(sentences["ties"], names) == reach["ties"]
        # Bounds of AP may be wider than necessary where documents are tied.
        assert named(sentences["judgments"], names) >= reach["judgments"]
        assert alone | named(sentences["both"], names) >= reach["both"]
        if form.any_order:
            assert named(sentences["judgments"], names) == reach["judgments"]
            assert alone | named(sentences["both"], names) == reach["both"]
        verdicts = untied.certify(qrels, runs, form.name)
        about = {other: verdicts.between(leader, other) for other in set(names) - {leader}}
        assert named(sentences["judgments"], names) == {
            other for other, one in about.items() if one.verdict == "open" and not one.low == one.high == 0
        }
        results = untied.evaluate(qrels, runs, form.name, ties="range", unjudged="range")
        shown = f"Another could be as good or better by {form.name}." in results._repr_html_()
        assert shown == bool(alone | named(sentences["both"], names))
        claims["cannot"] += not alone
        claims["could"] += bool(alone)
        claims["together"] += bool(named(sentences["both"], names) - alone)
    assert all(claims.values()), claims


def tied(chance: Random, docs: list[str]) -> list[list[str]]:
    """A random ranking of the first document and some others, with ties."""
    groups: list[list[str]] = []
    ranked = [docs[0], *chance.sample(docs[1:], chance.randrange(1, len(docs)))]
    for doc in chance.sample(ranked, len(ranked)):
        if groups and chance.random() < 0.4:
            groups[-1].append(doc)
        else:
            groups.append([doc])
    return groups


def named(sentence: str, names: list[str]) -> set[str]:
    """The runs that a sentence says could lead."""
    is_able = re.search(r"\b(could|might)( also)? (end the lead|change this)", sentence)
    return {name for name in names if is_able and f" to {name}" in sentence}


def test_a_small_p_is_a_bound(headline: Headline) -> None:
    many = [f"q{number}" for number in range(40)]
    runs = {name: dict.fromkeys(many, run["q0"]) for name, run in (("good", GOOD), ("bad", BAD))}
    said = headline(dict.fromkeys(many, QRELS["q0"]), runs, "RR", test="t")[0][1]
    assert said.startswith("The difference is significant: p < 0.0001 (")


def test_depths_end_where_rankings_do() -> None:
    page = data_of(report(QRELS, {"good": GOOD, "bad": BAD}, "RR"))
    assert page["unjudged"]["depths"] == [1, 3]
    assert page["top_ten"] == [0.0, 0.0]
    assert page["curves"]["ranks"] == [1, 2, 3]
    deep = {q: ["a", *(f"x{rank}" for rank in range(29))] for q in QUERIES}
    page = data_of(report(QRELS, {"deep": deep, "bad": BAD}, "RR"))
    assert page["unjudged"]["depths"] == [1, 5, 10, 20, 30]
    assert page["unjudged"]["shares"] == [pytest.approx([0.0, 0.8, 0.9, 0.95, 29 / 30]), [0.0] * 5]
    assert page["top_ten"] == pytest.approx([0.9, 0.0])


def test_a_single_run(headline: Headline) -> None:
    assert headline(QRELS, {"tied": TIED}, "RR") == [
        [
            "tied: RR 0.6111.",
            "Depending on the order of tied documents, the score lies between 0.3333 and 1.0000.",
            "Missing judgments cannot change the score.",
        ]
    ]
    assert headline(QRELS, {"good": GOOD}, "RR")[0][1] == "Ties cannot change the score."
    late = {q: ["x", "a"] for q in QUERIES}
    assert headline(QRELS, {"late": late}, "RR")[0][2] == (
        "Depending on the grades of unjudged documents, the score lies between 0.5000 and 1.0000. "
        "Of the first ten documents, 50.0 % are unjudged."
    )
    assert headline(QRELS, {"late": late}, "infAP")[0][2] == (
        "How far missing judgments could change the score is unknown: infAP has no bounds for missing judgments."
    )


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
def test_runs_with_nothing_in_common_are_not_said_to_lack_bounds(headline: Headline, words: Words) -> None:
    foreign = {q: ["z1", "z2"] for q in QUERIES}
    assert headline(QRELS, {"foreign": foreign}, "RR")[0][2] == (
        "How far missing judgments could change the score was not examined: queries in common with the qrels, but no "
        "document: 'foreign'."
    )
    # Each has judged documents, but they share none: there are tests and bounds.
    judged = {q: {"a": 1, "b": 1} for q in QUERIES}
    runs = {"one": {q: ["a"] for q in QUERIES}, "other": {q: ["x", "b"] for q in QUERIES}}
    page = data_of(report(judged, runs, "RR"))
    assert "no document in common with the other runs" in page["notes"][0]
    assert words(page)[0][3] == (
        "Missing judgments could end the lead: depending on the grades of unjudged documents, the difference lies "
        "between 0.0000 and +0.5000. 10 unjudged documents can be enough if they are relevant. Of the first ten "
        "documents, 0.0 % (one) and 50.0 % (other) are unjudged."
    )
    assert page["ranks"][0] is not None


def test_a_test_that_cannot_find_anything_is_not_said_to_have_found_nothing(headline: Headline) -> None:
    few = QUERIES[:3]
    runs = {name: {q: run[q] for q in few} for name, run in (("good", GOOD), ("bad", BAD), ("tied", TIED))}
    said = headline({q: QRELS[q] for q in few}, runs, "RR")[0][1]
    assert said.startswith("The difference is not significant, and no difference could be (see the note): p = 0.75")
    assert "other runs" not in said
    assert least_p(3, 3, {"test": "t", "samples": 10, "correction": "holm"}) == 0
    assert least_p(3, 2, {"test": "randomization", "samples": 10, "correction": "holm"}) == 0.5
    assert least_p(30, 2, {"test": "randomization", "samples": 9, "correction": "none"}) == 0.1


def test_top_tens_that_changed() -> None:
    old = {q: [f"d{rank}" for rank in range(20)] for q in QUERIES}
    new = {q: list(ranking) for q, ranking in old.items()}
    new["q0"][9], new["q0"][10] = new["q0"][10], new["q0"][9]  # in and out
    new["q1"][0], new["q1"][1] = new["q1"][1], new["q1"][0]  # the same documents
    new["q2"][10], new["q2"][11] = new["q2"][11], new["q2"][10]  # below
    found = untied.compare(old, new, ["RBO", "MED(nDCG@10)"])
    assert repr(found.top_changes(10)) == "TopChanges(queries=10, changed=1, reordered=1, left=1)"
    said = data_of(comparison_report(found))["headline"]
    assert said[0][:4] == [
        "The first 10 documents changed in 10 % of queries: in 1 of 10 queries, a document entered or left.",
        "On average, 0.1 documents left the first 10.",
        "In 1 other query, the same documents have other ranks.",
        "In 8 other queries, the first 10 documents did not move.",
    ]
    assert "could show. untied eval divides by another number than MED" in said[1][4]
    assert said[0][5] == "The query that changed most by RBO is q1."
    # Two queries swap the same ranks, and none beyond the depth moves; in a larger collection, few documents leave.
    new["q2"] = new["q1"]
    assert headline_of(old, new)[-1] == "The queries that changed most by RBO are q1 and 1 more, all equally."
    del new["q1"], new["q2"]
    assert headline_of(old, new, depth=5) == [
        "The first 5 documents changed in 0 % of queries: in 0 of 8 queries, a document entered or left.",
        "In 8 queries, the first 5 documents did not move.",
        "No query changed more than another by RBO.",
    ]
    assert len(headline_of({"q": ["a", "b"]}, {"q": ["b", "a"]})) == 2  # nothing to choose from
    same = {f"q{number}": ["a"] for number in range(99)}
    assert headline_of(same | {"x": list("abcdefghij")}, same | {"x": list("abcdefghik")})[:2] == [
        "The first 10 documents changed in 1 % of queries: in 1 of 100 queries, a document entered or left.",
        "On average, 0.01 documents left the first 10.",
    ]
    tied = {q: {"a": 1.0, "b": 1.0} for q in QUERIES}
    itself = untied.compare(tied, tied, "RBO").top_changes(1)
    assert repr(itself) == "TopChanges(queries=10, changed=0, reordered=0, left=0)"


def headline_of(old: Any, new: Any, **options: Any) -> list[str]:
    """What a comparison by RBO says, without its value."""
    said = data_of(comparison_report(untied.compare(old, new, "RBO", **options)))["headline"][0]
    return [sentence for sentence in said if not sentence.startswith("RBO is ")]


@pytest.mark.parametrize(
    ("changed", "share"), [(0, "0"), (1, "0.001"), (500, "0.50"), (99_999, "99.999"), (10**5, "100")]
)
def test_a_share_is_not_rounded_to_none_or_all(changed: int, share: str) -> None:
    said = changed_at_the_top(TopChanges(10**5, changed, 0, changed), 10)
    assert said.startswith(f"The first 10 documents changed in {share} % of queries: in {changed:,} of 100,000 queries")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.tsv", "q1\tfirst  text\n\nq2\tsecond\r\nq3\tno one asks\n"),
        ("t.txt.gz", "q1\tfirst text\nq2\tsecond\n"),
        ("t.jsonl", '{"_id": "q1", "title": "first text", "text": "more"}\n{"id": "q2", "text": "second"}\n'),
        ("t.ndjson", '{"query_id": "q1", "title": "", "text": "first text"}\n{"qid": "q2", "query": "second"}\n'),
    ],
)
def test_texts(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    assert texts_of(path, {"q1", "q2", "q4"}, 100) == {"q1": "first text", "q2": "second"}
    assert texts_of(path, {"q1"}, 6) == {"q1": "first…"}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.tsv", b"q1\ttext\nq2 text\n", "t.tsv:2: expected an id, a tab and a text, found 'q2 text'"),
        ("t.tsv", b"q1\ttext\nq1\ttext\n", "t.tsv:2: expected every id once, found 'q1' again"),
        ("t.tsv", b"q1\t\xff\n", "t.tsv:1: expected text in UTF-8"),
        ("t.tsv", b"q1\ttext\n\xef\xbb\xbfq2\ttext\n", "t.tsv:2: expected text, found a byte-order mark"),
        ("t.jsonl", b"q1\ttext\n", "t.jsonl:1: expected an object with an id"),
        ("t.jsonl", b'{"_id": "q1"}\n', "t.jsonl:1: expected an object with an id"),
        ("t.jsonl", b'["q1", "text"]\n', "t.jsonl:1: expected an object with an id"),
    ],
)
def test_lines_that_are_refused(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(says)):
        texts_of(path, {"q1", "q2"}, 100)


def test_texts_on_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    for name, docs in (("x", "ab"), ("y", "ba")):
        (tmp_path / f"{name}.run").write_text("".join(f"q Q0 {doc} 1 {9 - rank} t\n" for rank, doc in enumerate(docs)))
    (tmp_path / "queries.tsv").write_text("q\tWhat is tied?\n")
    (tmp_path / "docs.jsonl").write_text('{"_id": "a", "title": "A document"}\n')
    qrels, one, other, queries, docs, out = (
        str(tmp_path / name) for name in ("qrels", "x.run", "y.run", "queries.tsv", "docs.jsonl", "page.html")
    )
    texts = ["--queries-text", queries, "--docs-text", docs]
    assert main(["report", qrels, one, other, *texts, "-o", out]) == 0
    data = data_of(Path(out).read_text())
    assert data["titles"] == ["What is tied?"]
    assert data["rankings"][0]["texts"] == ["A document", None]
    names = ["qrels", "x.run", "y.run", "queries.tsv", "docs.jsonl"]
    assert [file["path"] for file in data["inputs"]] == names  # folders are nobody else's business
    twice = named_inputs([tmp_path / "old" / "x.run", tmp_path / "new" / "x.run", "x.run", "-"])
    assert [file["path"] for file in twice] == ["old/x.run", "new/x.run", "x.run", "-"]
    assert main(["compare", one, other, *texts, "-o", out]) == 0
    assert data_of(Path(out).read_text())["titles"] == ["What is tied?"]
    capfd.readouterr()
    assert main(["compare", one, other, *texts]) == 2
    assert "--queries-text needs -o FILE.html" in capfd.readouterr().err
    with pytest.raises(UntiedError, match="docs_text must be a path or a mapping of ids to texts, not int"):
        report(qrels, [one], docs_text=3)  # type: ignore[arg-type]
