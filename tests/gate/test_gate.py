"""The gate: limits, exit codes, reports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import untied
from untied.cli import main
from untied.errors import UntiedError
from untied.gate import gate
from untied.inputs.mismatch import Silence
from untied.statistics import randomization_test, significance

QRELS = {f"q{q}": {"a": 1, "b": 0} for q in range(8)}
GOOD = {query: ["a", "b"] for query in QRELS}
BAD = {query: ["b", "a"] for query in QRELS}
#: As good as GOOD but for one query.
CLOSE = GOOD | {"q3": ["b", "a"]}


def test_each_kind_of_limit_at_its_edge() -> None:
    kept = gate(
        QRELS, CLOSE, baseline=GOOD, min={"RR": 15 / 16}, max={"ESL": 1 / 8}, max_drop={"RR": 1 / 16, "ESL": 0.125},
        max_med={"RR": 1 / 16},
    )  # fmt: skip
    assert kept.passed
    assert [check.kind for check in kept.checks] == ["min", "max", "max-drop", "max-drop", "max-med"]
    assert [check.value for check in kept.checks] == [15 / 16, 1 / 8, 1 / 16, 1 / 8, 1 / 16]
    assert [check.more for check in kept.checks] == [0] * 5
    broken = gate(
        QRELS, CLOSE, baseline=GOOD, min={"RR": 0.938}, max={"ESL": 0.12}, max_drop={"RR": "6%", "ESL": 0.12},
        max_med={"RR": 0.06},
    )  # fmt: skip
    assert [check.passed for check in broken.checks] == [False] * 5
    # The query that did it comes first.
    assert [check.queries[0] for check in broken.checks] == [
        {"query": "q3", "value": 0.5},
        {"query": "q3", "value": 1.0},
        {"query": "q3", "value": 0.5, "baseline": 1.0, "run": 0.5},
        {"query": "q3", "value": 1.0, "baseline": 0.0, "run": 1.0},
        {"query": "q3", "value": 0.5},
    ]
    assert [check.limit_given for check in broken.checks] == ["0.938", "0.12", "6%", "0.12", "0.06"]


def test_a_value_that_misses_its_limit_does_not_look_like_it() -> None:
    [missed] = gate(QRELS, CLOSE, min={"RR": 0.9375001}).checks
    assert missed.sentence == "RR is 0.9375000 (mean of 8 queries), at least 0.9375001 is required"
    [dropped] = gate(QRELS, CLOSE, baseline=GOOD, max_drop={"RR": 0.06249}).checks
    assert dropped.sentence == "RR drops by 0.06250 (from 1.00000 to 0.93750, mean of 8 queries), 0.06249 is allowed"
    # A small limit has three digits, and at most nine decimals.
    for limit, shown in ((0.0005, "0.000500"), (1e-5, "0.0000100"), (2e-9, "2e-09")):
        [kept] = gate(QRELS, BAD, min={"RR": limit}).checks
        value = f"{0.5:.{9 if 'e' in shown else len(shown) - 2}f}"
        assert kept.sentence == f"RR is {value} (mean of 8 queries), at least {shown} is required"


def test_only_significant_drops_count_if_asked() -> None:
    one = gate(QRELS, CLOSE, baseline=GOOD, max_drop={"RR": 0}, significant=True)
    assert one.passed
    assert one.checks[0].p == 0.5
    every = gate(QRELS, BAD, baseline=GOOD, max_drop={"RR": 0}, significant=True)
    assert not every.passed
    assert every.checks[0].p == randomization_test([0.5] * 8, [0.0] * 8, alternative="greater").p == 1 / 256
    # 15 permutations can tell at a level of 15/16, and at no higher one.
    for level, decides in ((15 / 16, True), (0.94, False)):
        [drawn] = gate(QRELS, BAD, baseline=GOOD, max_drop={"RR": 0}, significant=True, level=level, samples=15).checks
        assert ("--significant cannot decide" not in str(drawn.reasons)) == decides


def test_a_better_run_passes() -> None:
    better = gate(QRELS, GOOD, baseline=BAD, max_drop={"RR": 0.0})
    assert better.passed
    assert better.checks[0].sentence == (
        "RR does not drop (from 0.5000 to 1.0000, mean of 8 queries), 0.0000 is allowed"
    )


def test_a_run_and_qrels_that_look_swapped_are_refused() -> None:
    scores = {"q1": {"a": 0.9, "b": 0.4}, "q2": {"c": 0.8, "x": 0.3}, "q3": {"f": 0.75, "e": 0.25}}
    grades = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}, "q3": {"e": 1, "f": 0}}
    with pytest.raises(UntiedError, match=r"are the run and the qrels swapped\?\): 'run'$"):
        gate(scores, grades, min={"RR": 0.1})


def test_one_document_overturns_and_several_overturn() -> None:
    judged, lead, behind = {"q": {"a": 1}}, {"q": ["a", "x"]}, {"q": ["x", "y", "z", "a"]}
    [check] = gate(judged, lead, baseline=behind, min_overturn={"P@3": 1}).checks
    assert check.sentence == (
        "1 further relevant document overturns the lead by P@3 (mean of 1 query), at least 1 is required"
    )
    judged |= {"r": {"a": 1}}
    [check] = gate(judged, lead | {"r": ["a"]}, baseline=behind | {"r": ["y", "a"]}, min_overturn={"RR": 3}).checks
    assert "2 further relevant documents overturn the lead by RR (mean of 2 queries), at least 3 are" in check.sentence


def test_tie_policies_hold() -> None:
    tied = {query: [["a", "b"]] for query in QRELS}
    assert gate(QRELS, tied, min={"RR": 0.75}).passed
    assert not gate(QRELS, tied, min={"RR": 0.75}, ties="worst").passed


def test_missing_queries_are_noted() -> None:
    partial = {query: GOOD[query] for query in list(QRELS)[:6]} | {"other": ["a"]}
    verdict = gate(QRELS, partial, min={"RR": 0.75}, allow_missing=True)
    assert verdict.passed
    assert verdict.checks[0].decided_on == "mean of 8 queries; counted as empty rankings: 2 missing"
    assert verdict.notes == [
        "judged queries missing from the run: 2",
        "queries of the run without judgments: 1 (only --max-med counts them; untied check lists them)",
    ]
    assert not gate(QRELS, partial, min={"RR": 0.75}).passed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give a limit: min, max, max_drop, max_med, certain or min_overturn$"),
        ({"max_drop": {"RR": 0}}, "max_drop needs a baseline"),
        ({"min": {"RR": "x"}}, "the limit of --min for RR must be a number, not 'x'"),
        ({"min": {"RR": "5%"}}, "the limit of --min for RR must be a number"),
        ({"min": {"RR": float("nan")}}, "the limit of --min for RR must be a number"),
        ({"min": {"RR": 0}, "ties": "range"}, "not 'range': here a result is one value"),
        ({"min": {"RR": 0}, "level": 2}, "level must be between 0 and 1"),
        (
            {"max_drop": {"RR": 0}, "baseline": GOOD, "significant": True, "level": 0.05},
            "level is a confidence: pass 0.95 to test at a significance level of 0.05",
        ),
        ({"min": {"RR": 0}, "samples": 0}, "samples must be at least 1"),
        ({"min": {"RR": 0}, "on_undefined": "raise"}, "on_undefined must be fail, zero or nan"),
        ({"max_drop": {"RR": "inf"}, "baseline": GOOD}, "--max-drop for RR must be a number or a percentage"),
        ({"max_drop": {"RR": "nan%"}, "baseline": GOOD}, "--max-drop for RR must be a number or a percentage"),
        (
            {"max_drop": {"RR": -0.1}, "baseline": GOOD},
            "--max-drop for RR must not be negative, found -0.1; --certain requires that the run is better",
        ),
        ({"max_drop": {"RR": "-1%"}, "baseline": GOOD}, "--max-drop for RR must not be negative, found -1%"),
        ({"max_drop": {"RR": "-0%"}, "baseline": GOOD}, "--max-drop for RR must not be negative, found -0%"),
        ({"max_med": {"RR": -0.0}, "baseline": GOOD}, "--max-med for RR must not be negative, found -0.0"),
        ({"min": {"RR": "-0"}}, "--min for RR must be from 0 to 1, like its values, found -0"),
        ({"max_drop": {"NumRet": -1}, "baseline": GOOD}, "must not be negative"),
        ({"max_med": {"RR": -0.1}, "baseline": GOOD}, "--max-med for RR must not be negative, found -0.1$"),
        ({"min_overturn": {"RR": -1}, "baseline": GOOD}, "must be a whole number of at least 1"),
        ({"min": {"RR": -0.1}}, "--min for RR must be from 0 to 1, like its values, found -0.1"),
        ({"max": {"nDCG@10": 42}}, "--max for nDCG@10 must be from 0 to 1"),
        ({"min": {"RR": 0}, "seed": -1}, r"seed must be from 0 to 2\^64 - 1, not -1"),
        ({"max_med": {"RR": 0.1}, "baseline": GOOD, "ties": "worst"}, "--max-med does not support --ties worst"),
        ({"max_med": {"ESL": 0.1}, "baseline": GOOD}, "the largest difference in ESL is not known"),
        ({"max_med": {"AP(mean='geometric')": 0.1}, "baseline": GOOD}, "mean"),
        ({"min": {"XY": 0}}, "XY"),
        ({"min": "RR=0"}, r"limits must be \{measure: value\} or a list of \(measure, value\), found 'R'"),
        ({"min": ("RR", 0)}, "or a list of .*, found 'RR'"),
        ({"min": 0.5}, "or a list of .*, found 0.5"),
    ],
)
def test_what_is_refused(options: dict, message: str) -> None:
    with pytest.raises(UntiedError, match=message):
        gate(QRELS, GOOD, **options)


def files(tmp_path) -> list[str]:
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, of in QRELS.items() for d, g in of.items()))
    for name, run in (("new", CLOSE), ("old", GOOD)):
        lines = (f"{q} Q0 {d} {i} {-i} t\n" for q, docs in run.items() for i, d in enumerate(docs))
        (tmp_path / name).write_text("".join(lines))
    return [str(tmp_path / name) for name in ("qrels", "new", "old")]


def test_exit_codes_and_reports(tmp_path, capfd) -> None:
    qrels, new, old = files(tmp_path)
    junit, out = tmp_path / "junit.xml", tmp_path / "gate.json"
    assert main(["gate", qrels, new, "--min", "RR=0.9", "--min", "RBP(p=0.5)@2=0.4"]) == 0
    assert capfd.readouterr().out.startswith(
        "passed    RR is 0.9375 (mean of 8 queries), at least 0.9000 is required\n"
    )
    limits = ["--min", "RR=0.9", "--max-drop", "RR=1%", "--max-med", "nDCG@2=0.01"]
    command = ["gate", qrels, new, "--baseline", old, *limits, "-o", str(junit)]
    assert main([*command, "-o", str(out)]) == 1
    document = json.loads(out.read_text())
    assert document["passed"] is False
    assert [check["passed"] for check in document["checks"]] == [True, False, False]
    suite = ElementTree.fromstring(junit.read_text())
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "2", "0")
    [failure] = suite.findall("testcase[@classname='untied.max-drop']/failure")
    assert failure.get("message") == (
        "RR drops by 0.0625 (from 1.0000 to 0.9375, mean of 8 queries), 0.0100 is allowed"
    )
    assert failure.text is not None
    assert failure.text.startswith("query q3: 1.0000 to 0.5000")
    said = [case.findtext("system-out") for case in suite]
    assert said[0] == "RR is 0.9375 (mean of 8 queries), at least 0.9000 is required"
    assert [check["decided_on"] for check in document["checks"]] == ["mean of 8 queries"] * 3
    assert [check["limit_given"] for check in document["checks"]] == ["0.9", "1%", "0.01"]
    assert (document["run"], document["baseline"]) == (new, old)
    dropped = {"query": "q3", "value": 0.5, "baseline": 1.0, "run": 0.5}
    assert (document["checks"][1]["queries"], document["checks"][1]["more"]) == ([dropped], 0)
    said = capfd.readouterr().err
    assert "untied: FAILED    RR drops by 0.0625" in said
    assert "\n          query q3: 1.0000 to 0.5000\n" in said, "as without -o"
    for unusable in ([qrels, "absent", "--min", "RR=1"], [qrels, new, "--max-drop", "RR=1"], [qrels, new]):
        assert main(["gate", *unusable]) == 2
        said = capfd.readouterr().err
        assert said.startswith("untied: ")
        assert "baseline=" not in said
    one_percent = ["gate", qrels, new, "--baseline", old, "--max-drop", "RR=1"]
    assert main(one_percent) == 2, "nothing drops by more than 1"
    assert "--max-drop RR=1 allows all values of RR; did you mean 1%?" in capfd.readouterr().err
    assert main([*command, "--top", "1"]) == 1
    assert sum("query q" in line for line in capfd.readouterr().out.splitlines()) == 2
    with pytest.raises(SystemExit) as refused:
        main(["gate", qrels, new, "--min", "RR"])
    assert refused.value.code == 2


def test_queries_as_bad_as_the_last_one_named_are_counted() -> None:
    """By RR, all eight queries drop from 1 to 1/2; by ESL, from 0 to 1."""
    rules = {"min": {"RR": 1}, "max": {"ESL": 0}, "max_drop": {"RR": 0, "ESL": 0}, "max_med": {"RR": 0}}
    verdict = gate(QRELS, BAD, baseline=GOOD, **rules, certain="RR", top=3)
    assert [(len(check.queries), check.more) for check in verdict.checks] == [(3, 5)] * 6
    what = ["value", "value", "drop", "drop", "value", "value"]
    assert [check.worst[-1] for check in verdict.checks] == [f"... and 5 more with the same {one}" for one in what]
    [two] = gate(QRELS, BAD | {"q5": ["a"], "q1": ["x", "y", "a"]}, baseline=GOOD, max_drop={"RR": 0}, top=1).checks
    assert (two.worst, two.more) == (["query q1: 1.0000 to 0.3333"], 0)
    assert not any(
        "more" in line for check in gate(QRELS, BAD, baseline=GOOD, **rules, top=8).checks for line in check.worst
    )


def test_queries_that_make_a_lead_uncertain_come_first() -> None:
    [check] = gate(QRELS, CLOSE, baseline=GOOD, certain="RR", top=1).checks
    assert check.worst == ["query q3: -0.5000"]


def test_unjudged_documents_may_have_grades_of_queries_that_the_baseline_lacks() -> None:
    """The baseline has no r, whose grade 3 an unjudged document of q may have too."""
    qrels = {"q": {"a": 2}, "r": {"b": 3}}
    runs = {"run": {"q": ["a", "c"], "r": ["b"]}, "baseline": {"q": ["x", "y"]}}
    [check] = gate(qrels, runs["run"], baseline=runs["baseline"], certain="DCG@1").checks
    assert check.value == 2 - 3
    assert check.decided_on == "mean of 1 query; left out: 1 that the baseline lacks"


def test_differences_that_are_only_rounding_are_none() -> None:
    """3 + 2 / log2 3 + 2 / log2 9 = 2 + 3 / log2 3 + 2 / log2 4, but not as floating-point sums."""
    qrels = {"q": {"a": 3, "b": 2, "c": 2}, "r": {"a": 1}}
    old = {"q": ["a", "b", *"vwxyz", "c"], "r": ["a"]}
    new = {"q": ["b", "a", "c"], "r": ["x", "a"]}
    results = untied.evaluate(qrels, {"new": new, "old": old}, "DCG")
    assert 0 < abs(float(results.value("DCG", "q", run="new")) - float(results.value("DCG", "q", run="old"))) < 1e-12
    [check] = gate(qrels, new, baseline=old, max_drop={"DCG": 0}, significant=True).checks
    assert check.decided_on == "mean of 2 queries; 1 of them differs"
    [check] = gate(qrels, new, baseline=old, max_drop={"DCG": 0}).checks
    assert [one["query"] for one in check.queries] == ["r"]
    [row] = significance(results).table.to_dicts()
    assert (row["better"], row["equal"], row["worse"]) == (0, 1, 1)
    found = results.query_differences().to_dicts()
    assert [(one["query"], one["change"]) for one in found] == [("r", "loss"), ("q", "none")]
    assert found[1]["difference"] == 0
    geometric = significance(untied.evaluate(qrels, {"new": new, "old": old}, "nDCG(mean='geometric')")).table
    assert (geometric["equal"], geometric["worse"]) == ([1], [1])


def test_a_gate_that_failed_is_false() -> None:
    assert gate(QRELS, GOOD, min={"RR": 1})
    assert not gate(QRELS, CLOSE, min={"RR": 1})


def test_ids_cannot_break_the_report() -> None:
    odd = {'<q&"\x1b\x00': {"a": 1}}
    verdict = gate(odd, {'<q&"\x1b\x00': ["b", "a"]}, min={"RR": 1})
    suite = ElementTree.fromstring(verdict.to_junit("\x01<name>"))
    assert suite.get("name") == "\ufffd<name>"
    assert suite[0][0].text == 'query <q&"\\u{1b}\\u{0}: 0.5000'
    assert isinstance(verdict.checks[0], untied.gate.Check)


MEASURED = """
import sys
import untied
from untied.gate import gate

def memory(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) / 1024

qrels, new, old = untied.Qrels(sys.argv[1]), untied.Run(sys.argv[2]), untied.Run(sys.argv[3])
gate({"q": {"a": 1}}, {"q": ["a"]}, baseline={"q": ["a"]}, max_drop={"AP": 0}, max_med={"nDCG@2": 1})  # loads all
before = memory("VmRSS")
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak begins anew
limits = {"min": {"AP": 1}, "max_drop": {"AP": 0, "nDCG@2": "1%"}, "max_med": {"nDCG@2": 0}}
assert not gate(qrels, new, baseline=old, **limits).passed
print(memory("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of memory is Linux's to tell")
def test_queries_take_little_memory(tmp_path) -> None:
    """A million queries take at most 300 MB beyond the input, so 200,000 a fifth of that."""
    queries = range(200_000)
    (tmp_path / "qrels").write_text("".join(f"q{query} 0 a 1\nq{query} 0 b 0\n" for query in queries))
    for name, turn in (("new", 3), ("old", 4)):
        lines = (f"q{query} Q0 {'ba'[query % turn > 0]} 1 2 t\nq{query} Q0 c 2 1 t\n" for query in queries)
        (tmp_path / name).write_text("".join(lines))
    command = [sys.executable, "-c", MEASURED, *(str(tmp_path / name) for name in ("qrels", "new", "old"))]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    assert float(found.stdout) < 60


def test_queries_without_judged_documents_do_not_shift_the_others() -> None:
    qrels = {"q1": {}, "q2": {"a": 1}, "q3": {"a": 1}, "q4": {"a": 1}}
    run = {"q1": ["a"], "q2": ["a"], "q3": ["a"], "q4": ["x"]}
    before = {"q1": ["a"], "q2": ["a"], "q3": ["a"], "q4": ["a"]}
    options = {"min": {"AP": 0.9}, "max_drop": {"AP": 0.1}, "baseline": before, "top": 1}
    for on_undefined, reasons in (("fail", ["undefined for 1 query (q1)"]), ("zero", []), ("nan", [])):
        with Silence():
            own, drop = gate(qrels, run, on_undefined=on_undefined, **options).checks
        assert [reason.partition(":")[0] for reason in own.reasons] == reasons
        assert [check.queries[0]["query"] for check in (own, drop)] == ["q4", "q4"]


def test_an_empty_ranking_is_not_missing() -> None:
    """A query for which the run found nothing counts as 0 in every rule; one that it lacks fails the gate."""
    nothing, lacks = GOOD | {"q0": []}, {query: docs for query, docs in GOOD.items() if query != "q0"}
    limits: dict[str, dict[str, float]] = {"min": {"RR": 0.8}, "max_drop": {"RR": 0.2}}
    assert gate(QRELS, nothing, baseline=GOOD, **limits).passed
    assert not gate(QRELS, lacks, baseline=GOOD, **limits).passed
    assert gate(QRELS, nothing, baseline=GOOD, max_drop={"RR": 0.1}).checks[0].value == 0.125
    assert not gate(QRELS, GOOD, baseline=nothing, certain=["RR"], max_drop={"RR": 0}).notes
