"""A gate with a machine's judgments decides on the estimates of `estimate_runs`, and on nothing else."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import untied
from commands import Command
from nightly import many, seeded
from strategies import ESTIMATED
from untied.gate import Check, gate
from untied.statistics import estimate_runs

Judgments = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]
#: Documents of each query, and how many queries there are and people judged.
DOCS, QUERIES, JUDGED = 6, 40, 15


def world(seed: str) -> tuple[Judgments, Judgments, Ranked, Ranked]:
    """Human and machine judgments, and two runs with ties; the second is worse."""
    rng = seeded(seed)
    names = [f"q{number:02}" for number in range(QUERIES)]
    grades = {name: {f"d{place}": int(place == 0 or rng.random() < 0.4) for place in range(DOCS)} for name in names}
    machine = {
        name: {doc: grade if rng.random() < 0.8 else 1 - grade for doc, grade in docs.items()}
        for name, docs in grades.items()
    }
    run, baseline = (
        {
            name: {doc: round(grade + rng.gauss(0, noise)) for doc, grade in docs.items()}
            for name, docs in grades.items()
        }
        for noise in (1.2, 0.7)
    )
    return {name: grades[name] for name in rng.sample(names, JUDGED)}, machine, run, baseline


def rows(human: Any, machine: Any, runs: Any, measure: str, **options: Any) -> list[dict[str, Any]]:
    """The rows of `estimate_runs`: the run, the baseline, and the run minus the baseline."""
    strata, level = options.pop("strata", None), options.pop("level", 0.95)
    both = [untied.evaluate(qrels, runs, measure, **options) for qrels in (human, machine)]
    return estimate_runs(*both, baseline="baseline", strata=strata, level=level).table.to_dicts()


def numbers(check: Check) -> tuple[Any, ...]:
    return check.value, check.low, check.high


@pytest.mark.parametrize("ties", ["expected", "docid"])
def test_each_number_is_that_of_estimate_runs(ties: Any) -> None:
    """To the last bit; a drop in a measure of which lower is better is a rise."""
    for number in range(many(5)):
        human, machine, run, baseline = world(f"gate {number}")
        for measure in ("AP", "ESL"):
            mean, before, change = rows(human, machine, {"run": run, "baseline": baseline}, measure, ties=ties)
            found = gate(
                human, run, baseline=baseline, machine=machine, ties=ties, min={measure: 0.5}, max={measure: 0.5},
                max_drop=[(measure, 0.01), (measure, "5%")],
            )  # fmt: skip
            least, most, drop, share = found.checks
            assert numbers(least) == numbers(most) == (mean["estimate"], mean["low"], mean["high"])
            assert least.passed == (mean["estimate"] >= 0.5)
            assert most.passed == (mean["estimate"] <= 0.5)
            sign = 1 if measure == "ESL" else -1
            ends = sorted((sign * change["low"], sign * change["high"]))
            assert numbers(drop) == numbers(share) == (sign * change["estimate"], *ends)
            assert (drop.run, drop.baseline) == (mean["estimate"], before["estimate"])
            assert share.limit == 0.05 * before["estimate"]
            assert [one.passed for one in (drop, share)] == [one.value <= one.limit for one in (drop, share)]
            assert all("estimate" in one.decided_on and one.p is None for one in found.checks)


def test_a_significant_drop_has_an_interval_without_0() -> None:
    """A one-sided test at 95 % asks for the lower end of a two-sided interval at 90 %."""
    verdicts = set()
    for number in range(40):
        human, machine, run, baseline = world(f"significant {number}")
        *_, change = rows(human, machine, {"run": run, "baseline": baseline}, "nDCG@3", level=2 * 0.95 - 1)
        [check] = gate(
            human, run, baseline=baseline, machine=machine, max_drop={"nDCG@3": 0.02}, significant=True
        ).checks
        assert (check.low, check.high) == (-change["high"], -change["low"])
        assert check.passed == (check.value <= 0.02 or check.low <= 0)
        verdicts.add((check.value <= 0.02, check.passed))
        if check.value > 0.02:
            assert f"which {'excludes' if check.low > 0 else 'includes'} 0)" in check.sentence
    assert verdicts == {(True, True), (False, True), (False, False)}


def test_strata_are_those_of_estimate_runs(tmp_path: Path) -> None:
    human, machine, run, baseline = world("strata")
    kinds = {name: "even" if int(name[1:]) % 2 == 0 else "odd" for name in machine}
    with (tmp_path / "q.csv").open("w", newline="") as table:
        csv.writer(table).writerows([("query_id", "kind"), *kinds.items()])
    mean, *_ = rows(human, machine, {"run": run, "baseline": baseline}, "AP", strata=kinds)
    found = gate(human, run, machine=machine, min={"AP": 0}, query_table=tmp_path / "q.csv", strata="kind")
    assert numbers(found.checks[0]) == (mean["estimate"], mean["low"], mean["high"])
    assert "queries in 2 strata" in found.checks[0].sentence


def test_a_query_that_only_the_machine_judged_may_be_missing() -> None:
    human, machine, run, baseline = world("missing")
    lost = next(name for name in machine if name not in human)
    short = {name: docs for name, docs in run.items() if name != lost}
    given: dict[str, Any] = {"baseline": baseline, "machine": machine, "min": {"AP": 0}, "max_drop": {"AP": 0.9}}
    for check in gate(human, short, **given).checks:
        assert not check.passed
        assert f"({lost}): --allow-missing" in check.sentence
    found = gate(human, short, allow_missing=True, **given)
    assert found.passed
    mean, _, change = rows(human, machine, {"run": short, "baseline": baseline}, "AP")
    assert [check.value for check in found.checks] == [mean["estimate"], -change["estimate"]]
    assert all("counted as empty rankings: 1 missing from the run" in check.sentence for check in found.checks)
    assert "judged queries missing from the run: 1" in found.notes


@pytest.mark.parametrize("is_human", [False, True])
def test_a_drop_is_over_the_queries_of_the_baseline(is_human: bool) -> None:
    human, machine, run, baseline = world("baseline")
    lost = next(name for name in machine if (name in human) == is_human)
    short = {name: docs for name, docs in baseline.items() if name != lost}
    found = gate(human, run, baseline=short, machine=machine, max_drop={"AP": 0.9}, min={"AP": 0})
    assert found.passed
    least, drop = found.checks
    assert least.value == rows(human, machine, {"run": run, "baseline": short}, "AP")[0]["estimate"]
    left = [{name: docs for name, docs in qrels.items() if name != lost} for qrels in (human, machine)]
    *_, change = rows(*left, {"run": run, "baseline": short}, "AP")
    assert drop.value == -change["estimate"]
    assert "left out: 1 that the baseline lacks" in drop.sentence
    assert f"of {JUDGED - is_human} of {QUERIES - 1} queries" in drop.sentence


def test_people_must_leave_no_query_undefined() -> None:
    human, machine, run, baseline = world("undefined")
    name = next(iter(human))
    human[name] = dict.fromkeys(human[name], 0)
    given: dict[str, Any] = {"baseline": baseline, "machine": machine, "min": {"AP": 0}, "max_drop": {"AP": 0.9}}
    least, drop = gate(human, run, **given).checks
    assert (
        f"undefined for 1 query ({name}): --on-undefined zero (on_undefined='zero') counts them as 0" in least.sentence
    )
    assert not least.passed
    assert drop.passed  # the difference is 0
    assert gate(human, run, on_undefined="zero", **given).passed
    with pytest.raises(untied.UntiedError, match=f"query '{name}' no value of ESL"):  # 0 would be the best value
        gate(human, run, machine=machine, max={"ESL": 9}, on_undefined="zero")
    with pytest.raises(untied.UntiedError, match="use on_undefined='zero', not 'nan'"):
        gate(human, run, on_undefined="nan", **given)


def test_with_few_human_queries_only_the_estimate_decides() -> None:
    human, machine, run, baseline = world("few")
    human = {name: human[name] for name in sorted(human)[:4]}
    given: dict[str, Any] = {"baseline": baseline, "machine": machine, "max_drop": {"AP": 0}}
    found = gate(human, run, **given)
    [check] = found.checks
    assert check.passed == (check.value <= 0)
    assert not check.passed
    assert check.sentence.endswith("; no interval), 0.0000 is allowed")
    assert check.to_dict()["low"] is None
    assert "no interval: it needs 5 human queries or more" in found.notes
    [tested] = gate(human, run, significant=True, **given).checks
    assert tested.sentence.endswith("--significant cannot decide: an interval needs 5 human queries or more")
    assert not tested.passed


def test_estimated_values_cannot_decide() -> None:
    """Such as those of a measure whose mean over the orders of a tie group is sampled."""
    docs = [f"d{place}" for place in range(40)]
    graded = {f"q{number}": {doc: float(place % 4) for place, doc in enumerate(docs)} for number in range(9)}
    tied = {name: [docs] for name in graded}
    [check] = gate(dict(list(graded.items())[:6]), tied, machine=graded, min={ESTIMATED[0]: -9}).checks
    assert not check.passed
    assert "values under --ties expected are not exact here" in check.sentence
    assert gate(
        dict(list(graded.items())[:6]), tied, machine=graded, min={ESTIMATED[0]: -9}, ties="docid"
    ).passed  # fmt: skip


@pytest.mark.parametrize(("options", "why"), [
    ({"max_med": {"P@2": 1}}, "max_med needs no judgments"),
    ({"certain": "P@2"}, "which a machine's judgments only estimate"),
    ({"min_overturn": {"P@2": 1}}, "whatever a machine says"),
    ({"by": "re:(q).*"}, "by has no effect with machine: estimates count every query once"),
    ({"weight": "traffic"}, "weight has no effect with machine"),
    ({"cluster": "session", "significant": True}, "cluster has no effect with machine"),
    ({"ties": "worst"}, "ties='worst' asks for bounds"),
    ({"unjudged": "best"}, "unjudged='best' asks for bounds"),
    ({"significant": True, "seed": 1}, "samples and seed have no effect with machine"),
    ({"significant": True, "level": 0.5}, "level must be above 0.5"),
    ({"query_table": "queries.tsv"}, "query_table has no effect without strata"),
    ({"max_drop": {"NumRet": 1}}, "NumRet is no mean over queries"),
    ({"max_drop": {"GMAP": 1}}, "is no mean over queries"),
])  # fmt: skip
def test_what_has_no_meaning_for_estimates_is_refused(options: dict[str, Any], why: str) -> None:
    human, machine, run, baseline = world("refused")
    with pytest.raises(untied.UntiedError, match=why):
        gate(human, run, **{"baseline": baseline, "max_drop": {"AP": 1}, "machine": machine} | options)


def test_strata_need_a_machine() -> None:
    with pytest.raises(untied.UntiedError, match="strata has no effect without machine"):
        gate("QRELS", "NEW", min={"AP": 0}, strata="kind")


def test_the_command_is_the_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, untied_: Command) -> None:
    monkeypatch.chdir(tmp_path)
    human, machine, run, baseline = world("command")
    failed = next(iter(human))
    machine[failed]["d3"] = -1
    with Path("machine.csv").open("w", newline="") as table:
        labels = [
            (q, doc, grade if grade >= 0 else "ERROR") for q, docs in machine.items() for doc, grade in docs.items()
        ]
        csv.writer(table).writerows([("query_id", "docid", "label"), *labels])
    lines = (f"{q} 0 {doc} {grade}\n" for q, docs in human.items() for doc, grade in docs.items())
    Path("human.txt").write_text("".join(lines))
    for name, scores in {"new.run": run, "old.run": baseline}.items():
        ranked = (f"{q} Q0 {doc} 0 {score} x\n" for q, docs in scores.items() for doc, score in docs.items())
        Path(name).write_text("".join(ranked))
    files = ["gate", "human.txt", "new.run", "--baseline", "old.run", "--machine", "machine.csv"]
    words = [*files, "--max-drop", "AP=0.001"]
    code, out, _ = untied_(*words, "--format", "json")
    found = gate(human, run, baseline=baseline, machine=machine, max_drop={"AP": 0.001})
    written = json.loads(out)
    assert code == (not found.passed) == 1
    assert {**written["checks"][0], "limit_given": "0.001"} == json.loads(json.dumps(found.checks[0].to_dict()))
    assert written["machine"] == "machine.csv"
    assert [one["path"] for one in written["inputs"]] == ["human.txt", "machine.csv", "new.run", "old.run"]
    assert found.notes[-1] == "documents that people judged and the machine did not, unjudged for the machine: 1"
    assert found.notes[-1] in written["notes"]
    with pytest.warns(untied.UntiedWarning, match="1 of 240 documents in machine.csv"):
        by_path = gate("human.txt", "new.run", baseline="old.run", machine="machine.csv", max_drop={"AP": 0.001})
    assert by_path.checks[0].to_dict() == found.checks[0].to_dict()
    assert untied_(*words, "--max-drop", "AP=0.9")[0] == 1
    assert untied_(*files, "--max-drop", "AP=0.9")[0] == 0


def test_preferences_are_judgments_too() -> None:
    rng = seeded("preferences")
    names = [f"q{number}" for number in range(12)]
    machine = {name: [(a, b) for a, b in (("a", "b"), ("b", "c"), ("a", "c")) if rng.random() < 0.7] or [("a", "c")]
               for name in names}  # fmt: skip
    human = {name: machine[name] for name in names[:7]}
    run = {name: rng.sample("abc", 3) for name in names}
    both = [untied.evaluate(qrels, run, "PairConcordance", qrels_format="preferences") for qrels in (human, machine)]
    [check] = gate(human, run, machine=machine, min={"PairConcordance": 0}, qrels_format="preferences").checks
    assert check.value == estimate_runs(*both).table.to_dicts()[0]["estimate"]


def test_a_machine_may_give_probabilities() -> None:
    human, machine, run, _ = world("probabilities")
    rng = seeded("probabilities")
    sure = {query: {doc: round(rng.random(), 2) for doc in docs} for query, docs in machine.items()}
    both = [untied.evaluate(human, run, "P@3"), untied.evaluate(sure, run, "P@3", qrels_format="probabilities")]
    [check] = gate(human, run, machine=sure, min={"P@3": 0}, qrels_format="probabilities").checks
    assert check.value == estimate_runs(*both).table.to_dicts()[0]["estimate"]
    with pytest.raises(untied.UntiedError, match="a gate needs grades"):
        gate(sure, run, min={"P@3": 0}, qrels_format="probabilities")


def test_queries_that_only_people_judged_are_judged() -> None:
    """No note counts them as left out; the machine's mean stands for the machine's value."""
    human, machine, run, _ = world("people only")
    name = next(iter(human))
    less = {query: docs for query, docs in machine.items() if query != name}
    more = run | {"unknown": run[name]}
    notes = gate(human, more, machine=less, min={"AP": 0}).notes
    assert "queries of the run without judgments: 1 (untied check lists them)" in notes
    assert "queries that the machine did not judge, which get the mean of its values: 1" in notes
    assert sum("without judgments" in note for note in notes) == 1


def test_a_machine_without_judgments_is_refused() -> None:
    human, _, run, _ = world("nothing")
    with pytest.raises(untied.UntiedError, match="the machine judged no query"):
        gate(human, run, machine={}, min={"AP": 0})


def test_no_drop_is_plain_zero() -> None:
    """A negated zero would be printed as -0.0000."""
    human, machine, run, _ = world("no drop")
    [check] = gate(human, run, baseline=run, machine=machine, max_drop=[("AP", 0)]).checks
    assert [str(number) for number in numbers(check)] == ["0.0"] * 3
    assert "interval from 0.0000 to 0.0000" in check.sentence


@pytest.mark.parametrize("limits", [{"max_drop": [("P@3", 1)]}, {"min": [("P@3", 0)], "max_drop": [("P@3", 1)]}])
def test_notes_are_on_the_estimates_that_decide(limits: Any) -> None:
    """Without queries that the baseline lacks, the two runs are equal, so no query has most of the variance."""
    human, machine, run, _ = world("notes")
    lacking = {query: ranked for query, ranked in run.items() if query != next(iter(human))}
    result = gate(human, run, baseline=lacking, machine=machine, **limits)
    assert result.checks[-1].value == 0
    said = [note for note in result.notes if "run - baseline" in note]
    assert said == ["all human values are equal, so nothing says how far others could lie (P@3 of run - baseline)"]
    alone = gate(human, run, machine=machine, min=[("P@3", 0)])
    if "min" in limits:
        assert numbers(result.checks[0]) == numbers(alone.checks[0])
