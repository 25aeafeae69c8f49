"""Verdicts, distributions and judgments to make next of TBG and U, which read lengths, against enumeration."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import untied
from commands import Command
from nightly import many, seeded
from oracle.enumeration import permutations
from oracle.judgements import Groups
from oracle.users import tbg, u_measure
from untied import _core
from untied.errors import UntiedError
from untied.inputs.convert import as_lengths, as_qrels
from untied.judging import judge_next
from untied.results.difference_bounds import DifferenceBounds

Of = Callable[[Sequence[str], Mapping[str, int]], Fraction]
DOCUMENTS = "abcde"
LENGTHS = {"a": 100, "b": 700, "c": 300, "d": 100, "e": 2500}
MEASURES: dict[str, Of] = {
    "U": partial(u_measure, lengths=LENGTHS),
    "U(L=900)@3": partial(u_measure, lengths=LENGTHS, k=3, L=900),
    "U(L=1200, gain_at='start', norm=2)": partial(u_measure, lengths=LENGTHS, L=1200, gain_at="start", norm=2),
    "TBG": partial(tbg, lengths=LENGTHS),
    "TBG(h=20)@2": partial(tbg, lengths=LENGTHS, k=2, h=20),
    "TBG(h=5, click_relevant=1, click_other=0.1)": partial(
        tbg, lengths=LENGTHS, h=5, click_relevant=1, click_other=0.1
    ),
}


def ranking(chance: random.Random, ties: bool) -> Groups:
    groups: list[list[str]] = []
    for doc in chance.sample(DOCUMENTS, chance.choice([0, 2, 3, 4, 4])):
        if groups and ties and chance.random() < 0.5:
            groups[-1].append(doc)
        else:
            groups.append([doc])
    return groups


def enumerated(of: Of) -> Callable[[Groups, Mapping[str, int]], Fraction]:
    """The mean over tie orders, remembered by the ranking and the grades of its documents."""

    @cache
    def mean(groups: tuple[tuple[str, ...], ...], relevant: frozenset[str]) -> Fraction:
        truth = {doc: int(doc in relevant) for doc in DOCUMENTS}
        values = [of(order, truth) for order in permutations(groups)]
        return sum(values, Fraction(0)) / len(values)

    def found(groups: Groups, truth: Mapping[str, int]) -> Fraction:
        shown = {doc for group in groups for doc in group}
        return mean(tuple(map(tuple, groups)), frozenset(doc for doc in shown if truth.get(doc, 0) > 0))

    return found


@pytest.mark.parametrize("ties", [False, True], ids=["untied", "tied"])
@pytest.mark.parametrize("name", MEASURES)
def test_bounds_of_differences(name: str, ties: bool) -> None:
    """By number of relevant unknown documents; the bounds of U and those without a limit are reached."""
    chance, mean = seeded(f"lengths {name} {ties}"), enumerated(MEASURES[name])
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, Groups]] = {"a": {}, "b": {}}
    for number in range(many(60, nightly=1200)):
        query = f"q{number:04}"
        qrels[query] = {doc: chance.randrange(2) for doc in DOCUMENTS if chance.random() < 0.4} | {"y": 1}
        runs["a"][query], runs["b"][query] = ranking(chance, ties), ranking(chance, ties)
    extremes: dict[str, list[tuple[Fraction, Fraction]]] = {}
    for query, known in qrels.items():
        a, b = runs["a"][query], runs["b"][query]
        unknown = sorted({doc for group in [*a, *b] for doc in group} - known.keys())
        by_count: list[list[Fraction]] = [[] for _ in range(len(unknown) + 1)]
        for chosen in itertools.product((0, 1), repeat=len(unknown)):
            truth = known | dict(zip(unknown, chosen, strict=True))
            by_count[sum(chosen)].append(mean(a, truth) - mean(b, truth))
        lows = itertools.accumulate(map(min, by_count), min)
        highs = itertools.accumulate(map(max, by_count), max)
        extremes[query] = list(zip(lows, highs, strict=True))
    one = untied.certify(qrels, runs, name, docs=LENGTHS)["a", "b"][name]
    of_queries = untied.certify(qrels, runs, name, docs=LENGTHS).explain("a", "b").queries
    for found in of_queries:
        low, high = extremes[found.query][-1]
        assert (found.low, found.high) == pytest.approx((float(low), float(high)), abs=1e-12)
        known, rankings = qrels[found.query], (runs["a"][found.query], runs["b"][found.query])
        for grades, bound in ((found.lowest, low), (found.highest, high)):
            truth = known | {doc: int(grade) for doc, grade in grades.documents.items()}
            assert mean(rankings[0], truth) - mean(rankings[1], truth) == pytest.approx(bound, abs=1e-12)
    ends = [sum((of[-1][side] for of in extremes.values()), Fraction(0)) / len(qrels) for side in (0, 1)]
    assert (one.low, one.high) == pytest.approx(tuple(map(float, ends)), abs=1e-12)
    assert one.is_exact
    for most in (0, 1, 2):
        limited = untied.certify(qrels, runs, name, docs=LENGTHS, most=most)["a", "b"][name]
        ends = [
            sum((of[min(most, len(of) - 1)][side] for of in extremes.values()), Fraction(0)) / len(qrels)
            for side in (0, 1)
        ]
        assert limited.low <= float(ends[0]) + 1e-12
        assert float(ends[1]) <= limited.high + 1e-12
        if most == 0 or name.startswith("U"):
            assert (limited.low, limited.high) == pytest.approx(tuple(map(float, ends)), abs=1e-12)


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # some rankings are empty, or without judged documents
@pytest.mark.parametrize("name", MEASURES)
def test_laws_over_orders(name: str) -> None:
    """Every order is equally likely, also where no tied document is judged."""
    chance, of = seeded(f"laws of lengths {name}"), MEASURES[name]
    for _ in range(many(40)):
        groups = ranking(chance, True)
        truth = {doc: chance.randrange(2) for doc in DOCUMENTS if chance.random() < 0.5} | {"y": 1}
        found = untied.distributions({"q": truth}, {"q": groups}, name, docs=LENGTHS)[name]
        values = sorted(float(of(order, truth)) for order in permutations(groups))
        for value in values:
            share = sum(other <= value + 1e-9 for other in values) / len(values)
            assert found.at_most(value + 1e-9) == pytest.approx((share, share), abs=1e-12)
        assert found.certainty == "exact"


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # some rankings are empty, or without judged documents
@pytest.mark.parametrize("name", ["U(L=900)@3", "TBG", "TBG(h=20)@2"])
@pytest.mark.parametrize("runs", [1, 2])
def test_every_judgment_made(name: str, runs: int) -> None:
    """What a judgment is expected to tell, from evaluations of all its outcomes."""
    chance = seeded(f"judgments of lengths {name} {runs}")
    for _ in range(many(8)):
        qrels = {"q": {doc: chance.randrange(2) for doc in DOCUMENTS if chance.random() < 0.3} | {"y": 1}}
        given = [{"q": ranking(chance, True)} for _ in range(runs)]

        def anew(judged: dict[str, dict[str, int]], run: Any) -> tuple[float, float, float]:
            value = untied.evaluate(judged, run, name, unjudged="range", docs=LENGTHS)[name]
            assert value.low is not None
            assert value.high is not None
            return value.mean, value.low, value.high

        advice = judge_next(qrels, dict(zip("ab", given, strict=False)), name, prior=0.25, docs=LENGTHS)
        now = [anew(qrels, run) for run in given]
        assert list(advice.bounds) == [pytest.approx(one[1:], abs=1e-12) for one in now]
        assert {one.document for one in advice.candidates} == {
            doc for run in given for group in run["q"] for doc in group if doc not in qrels["q"]
        }
        for one in advice.candidates:
            narrowing = swing = 0.0
            for sign, run, (_, low, high) in zip((1, -1), given, now, strict=False):
                after = [anew({"q": qrels["q"] | {one.document: grade}}, run) for grade in (0, 1)]
                narrowing += (
                    high
                    - low
                    - sum(p * (most - least) for p, (_, least, most) in zip((0.75, 0.25), after, strict=True))
                )
                swing += sign * (after[1][0] - after[0][0])
            assert (one.narrowing, one.swing) == pytest.approx((narrowing, swing), abs=1e-12)


def test_a_group_that_is_sampled_has_no_certain_verdict() -> None:
    """The mean worth of very many lengths is an estimate, so its bounds are what no order can exceed."""
    documents = [f"d{i:03}" for i in range(120)]
    docs = {doc: 100 + i * i for i, doc in enumerate(documents)}
    runs = {"a": {"q": [documents]}, "b": {"q": documents[:2]}}
    found = untied.certify({"q": {documents[0]: 1}}, runs, "U(L=50000)", docs=docs)["a", "b"]["U(L=50000)"]
    assert not found.is_exact
    assert (found.verdict, found.low, found.high) == ("open", -2.0, 120.0)


QRELS, RUNS = {"q": {"a": 1, "b": 0}}, {"a": {"q": ["a", "c"]}, "b": {"q": ["c", "b"]}}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: untied.certify(QRELS, RUNS, "TBG"), r"TBG needs lengths of documents \(--docs FILE, docs=\)"),
        (lambda: untied.certify(QRELS, RUNS, "U", docs={"a": 1}), "no length of document"),
        (lambda: untied.certify(QRELS, RUNS, "U", docs=LENGTHS, ties="range"), "for all orders of ties is not known"),
        (lambda: untied.distributions(QRELS, RUNS, "U"), r"U needs lengths of documents"),
        (lambda: untied.distributions(QRELS, RUNS, "U", docs={"a": 1}), "no length of document"),
        (lambda: judge_next(QRELS, RUNS, "U"), r"U needs lengths of documents"),
        (lambda: judge_next(QRELS, RUNS, "TBG", docs={"a": 1}), "no length of document"),
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UntiedError, match=message):
        call()


def test_bounds_beside_values_and_limits_of_a_gate() -> None:
    """Where verdicts are known, differences of an evaluation are bounded as they are, and a gate can ask for them."""
    found = untied.certify(QRELS, RUNS, "U", docs=LENGTHS)
    policies = _core.Policies("runs", unjudged="range")
    bounds = DifferenceBounds(as_qrels(QRELS), {name: untied.Run(run) for name, run in RUNS.items()}, policies,
                              as_lengths(LENGTHS), None).bounds(_core.Measure("U"), [("a", "b")])  # fmt: skip
    assert bounds is not None
    [([low], [high])] = bounds
    assert (low, high) == (found["a", "b"]["U"].low, found["a", "b"]["U"].high)
    limits = untied.gate.gate(QRELS, RUNS["a"], baseline=RUNS["b"], certain=["U"], docs=LENGTHS)
    assert limits.passed is (found["a", "b"]["U"].verdict == "A")
    assert found.levels().to_dicts()[1]["level"] == "judgments"


def test_commands(tmp_path: Path, untied_: Command) -> None:
    """Files give what dicts give."""
    qrels, docs = tmp_path / "qrels.txt", tmp_path / "docs.txt"
    qrels.write_text("q 0 a 1\nq 0 b 0\n")
    docs.write_text("".join(f"{doc}\t{length}\n" for doc, length in LENGTHS.items()))
    files = []
    for name, run in RUNS.items():
        files.append(tmp_path / f"{name}.run")
        files[-1].write_text("".join(f"q Q0 {doc} {rank} {-rank} r\n" for rank, doc in enumerate(run["q"], 1)))
    verdict = untied.certify(QRELS, RUNS, "TBG", docs=LENGTHS)["a", "b"]["TBG"]
    code, out, _ = untied_("certify", qrels, *files, "-m", "TBG", "--docs", docs, "--format", "tsv", "--digits", "6")
    assert code == 0
    assert f"{verdict.low:.6f}\t{verdict.high:.6f}\t{verdict.verdict}" in out
    code, out, _ = untied_("judge-next", qrels, *files, "-m", "TBG", "--docs", docs, "--format", "tsv")
    assert code == 0
    assert out.splitlines()[1].startswith("q\tc\t2\t1\t")
    code, out, _ = untied_("eval", qrels, files[0], "-m", "U", "--docs", docs, "--quantiles", "0.5")
    assert code == 0
    assert out.splitlines()[1] == "a\tall\tU\texact\t0.5\t0.9992\t0.9992"
    code, _, err = untied_("certify", qrels, *files, "-m", "TBG")
    assert code == 2
    assert "needs lengths of documents" in err
