"""Slips that are refused or told: two outputs in one file, an option given twice, names of other tools, odd inputs."""

from __future__ import annotations

import json
import math
import pickle
import random
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import pytest

import untied
from commands import Command, Outcome
from strategies import PACKAGE
from untied._core import parse_measures
from untied.cli import notes
from untied.cli.stats import _chance
from untied.gate import gate
from untied.inputs import mismatch
from untied.judging import estimates, judge_next, sample
from untied.policies import PolicyOption
from untied.results.notes import by_run
from untied.statistics import significance

QRELS = "q 0 a 1\nq 0 b 0\nr 0 a 1\n"
GOOD = "q Q0 a 2 9 one\nq Q0 b 1 8 one\nr Q0 a 1 1 one\n"
TIED = "q Q0 a 1 1 two\nq Q0 b 1 1 two\nr Q0 a 1 1 two\n"
OLD = "x Q0 a 1 1 old\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in {"qrels": QRELS, "good": GOOD, "tied": TIED, "old": OLD}.items():
        Path(name).write_text(content, encoding="utf-8")


@pytest.fixture
def run(untied_: Command) -> Callable[[str], Outcome]:
    return lambda line: untied_(*line.split())


@pytest.mark.parametrize("line", [
    "certify qrels good tied -m P@1 --certificate x.json -o {}",
    "certify qrels good tied -m P@1 -o x.svg --certificate {}",
    "certify qrels good tied -m P@1 -o x.svg -o {} --format tsv",
    "compare good tied -o x.html -o {} --format tsv",
    "gate qrels good --min AP=0 -o x.xml -o {} --format json",
])  # fmt: skip
def test_two_outputs_are_never_one_file(run, line: str) -> None:
    first = next(word for word in line.split() if word.startswith("x."))
    Path("link").symlink_to(first)
    for same in (first, f"./{first}", "link"):
        code, out, err = run(line.format(same))
        assert (code, out) == (2, "")
        assert "name the same file; choose two" in err
        assert not Path(first).exists()
    code, _, err = run("gate qrels good --min AP=0 -o /dev/null")
    assert (code, err) == (0, "")


@pytest.mark.parametrize("options", ["", "--from-sample"])
def test_verdicts_about_other_queries_are_refused_as_tests_are(run, options: str) -> None:
    why = "untied: no query in common with the qrels: 'old'; untied check shows query ids that nearly match\n"
    assert run("stats qrels good old") == (2, "", why)
    assert run(f"certify qrels good old -m P@10 {options}") == (2, "", why)
    with pytest.raises(untied.UntiedError, match="no query in common with the qrels: 'old'"):
        untied.certify("qrels", ["good", "old"])


@pytest.mark.parametrize(("line", "option"), [
    ("judge-next qrels good -m P@10 -m RR", "-m/--measure"),
    ("judge-next qrels good --measure=P@10 -m RR", "-m/--measure"),
    ("eval qrels good --sort-by AP --sort-by RR", "--sort-by"),
    ("eval qrels good --ties range --ties docid", "--ties"),
    ("stats qrels good tied --baseline good --baseline tied", "--baseline"),
    ("gate qrels good --min AP=0 --baseline good --baseline tied", "--baseline"),
    ("certify qrels good tied --explain good tied --explain tied good", "--explain"),
])  # fmt: skip
def test_an_option_with_one_value_is_not_given_twice(run, line: str, option: str) -> None:
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert f"argument {option}: given twice, but takes one value" in err
    assert run("eval good qrels -q -q")[0] == run("eval good qrels -q")[0]


def test_an_option_of_another_command_is_pointed_to(run) -> None:
    hint = "unknown option --baseline; to compare with one run, use untied stats --certify --baseline RUN\n"
    for given in ("--baseline good", "--baseline=good"):
        code, _, err = run(f"certify qrels good tied {given}")
        assert (code, err.splitlines(keepends=True)[0]) == (2, f"untied certify: error: {hint}")
    assert run("stats qrels good tied -m P@1 --certify --baseline good")[0] == 0


def test_a_baseline_is_one_of_the_given_runs(run) -> None:
    """By its name or its file; ``untied gate`` takes a file that is not given otherwise."""
    Path("old.run").write_text(TIED)
    for command in ("stats qrels good old.run -m P@1", "report qrels good old.run -m P@1 -o -"):
        code, by_name, err = run(f"{command} --baseline old")
        assert (code, "\told\t" in by_name or '"baseline":1' in by_name) == (0, True), err
        for file in ("old.run", "./old.run", str(Path("old.run").absolute())):
            assert run(f"{command} --baseline {file}") == (0, by_name, err)
        for wrong, hint in (("odl", ""), ("tied", "; give this file as a run, too")):
            expected = f"--baseline must name one of the given runs (good, old), not {wrong}{hint}"
            code, out, err = run(f"{command} --baseline {wrong}")
            assert (code, out, expected in err) == (2, "", True), err
        code, _, err = run(f"{command.replace(' old.run', '')} --baseline old.run")
        assert code == 2
        assert "one of the given runs (good), not old.run; give this file as a run, too" in err
    assert run("stats qrels good old.run -m P@1 --names tag --baseline old.run")[0] == 0
    found = json.loads(run("stats qrels good old.run -m P@1 --baseline old.run --format json")[1])
    assert (found["settings"]["baseline"], found["results"][0]["run_b"]) == ("old", "old")
    top = run("stats qrels good old.run -m P@1 --baseline old.run --top 1 --format tsv")
    assert top[1].splitlines()[1].split("\t")[1:3] == ["good", "old"]


def test_delta_of_measures_with_another_divisor_says_so(run) -> None:
    """Only nDCG, AP and Bpref have one, and AP not if it is divided by the number of relevant documents."""
    line, notes = "compare good tied --qrels qrels", {}
    for measure in ("nDCG@5", "AP@5", "Bpref", "P@5", "RR"):
        code, _, err = run(f"{line} -m Delta({measure})")
        notes[measure] = next(line for line in err.splitlines() if "Delta is good minus tied" in line)
        assert code == 0
    several = run(f"{line} -m Delta(P@5) -m Delta(AP@5) -m Delta(nDCG@5) -m MED(Bpref)")[2]
    for measure in ("nDCG@5", "AP@5", "Bpref"):
        expected = (
            f"; Delta divides {measure} by a constant, but untied stats by a number that depends on the judgments"
        )
        assert notes[measure].endswith(expected)
    assert "divides" not in notes["P@5"] + notes["RR"] + run(f"{line} -m Delta(AP@5,R='relevant')")[2]
    assert "; Delta divides AP@5, nDCG@5 by a constant" in several


def test_verdicts_for_every_order_say_so(run) -> None:
    decided = "yes, good is better for all grades of unjudged documents"
    assert run("certify qrels good tied -m P@1")[2].endswith(f"{decided}\n")
    assert run("certify qrels good tied -m P@1 --ties range")[2] == "note: P@1: no, neither run is certainly better\n"
    Path("late").write_text("q Q0 b 2 9 late\nq Q0 a 1 8 late\n")
    err = run("certify qrels good late -m P@1 --ties range")[2]
    assert err.endswith(f"{decided} and in every order of tied documents\n")
    several = "P@1: in 3 of 3 pairs of runs, one run is better for all grades of unjudged documents"
    assert run("certify qrels good tied late -m P@1")[2].endswith(f"note: {several}\n")


def test_the_answer_of_certify_comes_first_in_words(run) -> None:
    """Above a table, and as the conclusion of an explanation."""
    Path("open").write_text("q Q0 u 2 9 open\nq Q0 a 1 1 open\nr Q0 v 1 1 open\n")
    answer = "P@1: no, neither run is certainly better: the lead could end if 2 unjudged documents were relevant"
    out = run("certify qrels good open -m P@1 --format table")[1]
    assert out.splitlines()[0] == answer
    err = run("certify qrels good open -m P@1 --explain good open --format table")[2]
    assert err.splitlines()[-1] == f"note: {answer}"


def test_a_few_judged_queries_may_not_stand_for_all(run) -> None:
    for count, noted in ((18, False), (19, True)):
        for name in ("good", "tied"):
            Path(f"{name}{count}").write_text(
                Path(name).read_text() + "".join(f"x{n} Q0 a 1 1 more\n" for n in range(count))
            )
        err = run(f"certify qrels good{count} tied{count} -m P@1")[2]
        assert ("note: only 2 of 21 queries are judged, and they may not stand for the others" in err) is noted


@pytest.mark.parametrize(
    "command", ["eval qrels good tied --format latex", "stats qrels good tied --show runs --format md"]
)
def test_captions_name_the_order_of_ties(run, command: str) -> None:
    """Where values are no means over all orders, or their bounds."""
    plain = [run(f"{command} -m RR --ties {ties}")[1] for ties in ("expected", "range")]
    assert not any("Values are computed" in text for text in plain)
    policy = PolicyOption("runs", "ties")
    for ties in {*policy.values} - {"expected", "range"}:
        code, out, _ = run(f"{command} -m RR --ties {ties}")
        assert code == 0
        assert policy.phrase(ties).startswith("with ")
        assert f"Values are computed {policy.phrase(ties)}." in " ".join(out.split())


def test_one_more_is_not_plural() -> None:
    counts = dict(zip("abcdefg", range(1, 8), strict=True))
    five = dict(list(counts.items())[:5])
    assert by_run(five) == "1 of a, 2 of b, 3 of c, 4 of d and 5 of 1 more run"
    assert by_run(counts) == "1 of a, 2 of b, 3 of c, 4 of d and 5 to 7 each of 3 more runs"
    assert notes.listed(list(five), "run") == "a, b, c, d and 1 more run"
    assert notes.listed(list(counts), "run") == "a, b, c, d and 3 more runs"
    assert notes.listed(list(five)) == "a, b, c, d and 1 more"
    assert mismatch.sentence(dict.fromkeys(five, mismatch.QUERIES)).endswith("'a', 'b', 'c', 'd' and 1 more run")


def test_files_beside_the_output_are_known_by_their_suffix(run) -> None:
    code, _, err = run("certify qrels good tied -o c.jpg")
    known = ".tsv, .csv, .json, .md, .tex, .svg, .png or .pdf"
    known = f"expected a suffix of {known}, found .jpg; --format writes to any name"
    assert (code, err) == (2, f"untied: -o c.jpg: {known}\n")
    code, printed, _ = run("certify qrels good tied -m P@1")
    assert code == 0
    assert run("certify qrels good tied -m P@1 -o c.svg -o c.PNG")[:2] == (0, printed)
    assert Path("c.svg").read_bytes().startswith(b"<?xml")
    assert Path("c.PNG").read_bytes().startswith(b"\x89PNG")
    assert run("certify qrels good tied -m P@1 -o c.svg -o c.tsv")[:2] == (0, "")
    assert Path("c.tsv").read_text() == printed


def test_numbers_that_one_query_does_not_have_are_dashes(run) -> None:
    Path("one").write_text("q 0 a 1\n", encoding="utf-8")
    _, out, _ = run("stats one good tied -m RR --format table")
    assert "nan" not in out
    assert out.splitlines()[-1].split()[5:7] == ["-", "-"]


def test_chances_are_0_or_1_only_where_they_are() -> None:
    assert _chance(1.0, 1.0, 4) == "1.0000"
    assert _chance(1 - 1e-9, 1 - 1e-9, 4) == ">0.9999"
    assert _chance(1e-9, 1e-9, 4) == "<0.0001"
    assert _chance(0.0, 1e-9, 4) == "<0.0001"  # it may be 0
    assert _chance(0.25, 0.25, 2) == "0.25"


def test_equal_means_are_shown_where_ties_allow_them(run) -> None:
    _, out, _ = run("stats qrels good tied -m RR --shuffle --format table")
    head, line = out.splitlines()[1:]
    assert head.split("P(a > b)")[1].split() == ["P(a", "=", "b)"]
    assert line.split()[-2:] == ["0.5000", "0.5000"]
    Path("b").write_text("q Q0 b 1 1 two\nr Q0 b 1 1 two\n", encoding="utf-8")
    assert "P(a = b)" not in run("stats qrels good b -m RR --shuffle --format table")[1]


def test_means_are_found_by_any_spelling() -> None:
    asked = ["nDCG@10", "Recall@100"]
    arrays = untied.ArrayEvaluator([[1, 0]], asked).means([[0.5, 1.0]])
    files = untied.Evaluator("qrels", asked).means("good")
    for means in (arrays, files):
        assert list(means) == ["nDCG@10", "R@100"]
        assert means["Recall@100"] == means[untied.R @ 100] == means["R@100"] == 1
        assert "recall_100" in means
        assert means.get("Recall@100") == 1
        assert means.get("AP", 7) == 7
        assert json.loads(json.dumps(means)) == dict(means)
        with pytest.raises(KeyError, match=r"AP was not computed; nDCG@10, R@100 were"):
            means["AP"]


@pytest.mark.parametrize("style", ["table", "tsv", "md", "csv"])
def test_adjusted_values_say_so(run, style: str) -> None:
    _, out, err = run(f"eval qrels good tied -m map --adjust chance --format {style}")
    assert "(adjusted)" in out
    assert "note: values are adjusted for chance: 0 is a random order" in err
    assert "adjusted" not in "".join(run(f"eval qrels good tied -m map --format {style}")[1:])


def test_adjusted_values_that_are_undefined_are_counted(run) -> None:
    _, out, _ = run("eval qrels good -m AP --adjust chance --format latex")
    assert "Values are adjusted for chance" in out
    code, _, err = run("eval qrels good -m AP --adjust chance")
    assert code == 0
    assert "values counted as 0, because nothing is relevant or the best order is no better" in err
    assert "a random order: 1 (--on-undefined nan leaves them out)" in err  # of query r, which has one document
    assert "or the best order is no better than a random order: 1 of 2 (left out of the means)" in run(
        "eval qrels good -m AP --adjust chance --on-undefined nan"
    )[2]  # fmt: skip


#: Measures that no order of the retrieved documents changes, if they have no cutoff.
OF_SETS = {"SetP", "SetR", "SetF", "SetAP", "SetRelP", "Judged", "Success", "AllFound", "Utility", "Hits"}


@pytest.mark.parametrize("name", sorted(OF_SETS))
def test_measures_that_no_order_changes_are_not_adjusted(run, name: str) -> None:
    code, out, err = run(f"eval qrels good -m {name} --adjust chance")
    assert (code, out) == (2, "")
    assert err == f"untied: {name} cannot be adjusted for chance: no order of the retrieved documents changes it\n"
    assert run("eval qrels good -m Judged@1 --adjust chance")[0] == 0


def test_no_order_changes_these_measures_and_no_others() -> None:
    """The best and the worst order of tied documents have one value, whatever the grades are."""
    draw = random.Random(1)
    qrels = {f"q{n}": {"d0": 1} | {f"d{i}": draw.choice((0, 0, 1, 2)) for i in range(1, 9)} for n in range(30)}
    tied = {query: {f"d{i}": 1.0 for i in range(draw.randint(2, 12))} for query in qrels}
    unmoved, refused = set(), set()
    for about in PACKAGE.values():  # without those that other tests define
        if about["cutoff"] in ("required", "recall") or about["needs"] != "judgments":
            continue
        try:
            [measure] = parse_measures(about["name"])
            value = untied.evaluate(qrels, tied, [measure], ties="range")[measure]
        except untied.UntiedError:  # a parameter has no default, or not for grade 2
            refused.add(about["name"])
            continue
        if value.low == value.high and not about["name"].startswith("Num"):
            unmoved.add(about["name"])
    assert unmoved == OF_SETS
    assert refused == {"Cascade", "INSQ", "INST", "NERR10", "NERR11"}


def test_verdicts_beside_tests_have_their_notes(run) -> None:
    bounds = "bounds of the difference that may be wider than necessary: 1 of AP@3"
    note = f"note: verdicts from {bounds}"
    Path("more").write_text("q Q0 x 1 9 m\nq Q0 y 1 9 m\nq Q0 a 1 9 m\nr Q0 z 1 1 m\n", encoding="utf-8")
    overturn = "overturn numbers that may be larger than shown: 1 of AP@3"
    for columns, said, with_overturn in (
        ("", f"note: {bounds}", True), ("--explain more tied", note, True), ("--show levels", f"note: {bounds}", False),
        ("--show ranks", f"note: ranks from {bounds}", False),
    ):  # fmt: skip
        err = run(f"certify qrels more tied -m AP@3 {columns}")[2]
        assert said in err, columns
        assert (overturn in err) == with_overturn, columns
    assert note in run("stats qrels more tied -m AP@3 --certify")[2]
    assert note in run("compare more tied --qrels qrels -m Delta(AP@3) --certify")[2]


def test_certify_says_which_queries_count(run) -> None:
    Path("more").write_text("q Q0 a 1 9 m\nz Q0 z 1 1 m\n", encoding="utf-8")
    err = run("certify qrels good more -m P@1")[2]
    assert "note: queries without judgments, left out: 1 of more; untied check lists them, and ids that" in err
    many = "".join(f"z{number} Q0 z 1 1 m\n" for number in range(8))
    Path("more").write_text(many, encoding="utf-8")
    assert "! queries without judgments: 8 (z0, z1, z2, z3, z4 and 3 more)\n" in run("check qrels more")[1]
    assert "! queries without judgments: 8 (z0, z1, z2, z3, z4, z5, z6, z7)\n" in run("check qrels more --list 8")[1]
    assert "note: judged queries missing from a run: 1 from more (counted as empty rankings)\n" in err


def test_defaults_of_samples_are_in_the_help(run) -> None:
    Path("pool").write_text("q 0 a 1\nq 0 b -1\nr 0 a -1\nr 0 c 0\n", encoding="utf-8")
    _, out, _ = run("certify pool good tied --from-sample")
    assert [line.split("\t")[2] for line in out.splitlines()[1:]] == ["P@10"]
    assert "default measure: P@10" in " ".join(run("certify --help")[1].split())


@pytest.mark.parametrize(("line", "said"), [
    ("qrels good", "unknown command 'qrels'; did you mean untied eval qrels ...?"),
    ("eval qrels good -c", "unknown option -c; untied trec_eval has trec_eval's options"),
    ("eval qrels good -l2", "unknown option -l2; untied trec_eval has trec_eval's options"),
    ("eval qrels good -m official", "-m official is a set of measures of trec_eval: untied trec_eval -m official"),
])  # fmt: skip
def test_habits_of_trec_eval_are_pointed_the_right_way(run, line: str, said: str) -> None:
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert said in err


def test_measures_of_trec_eval_are_written_in_small_letters(run) -> None:
    code, out, err = run("trec_eval -m MAP qrels good")
    assert (code, out) == (1, ""), "trec_eval's exit code"
    assert 'unknown measure "MAP"; did you mean map?' in err


def test_a_gate_that_writes_files_says_what_failed(run) -> None:
    code, out, err = run("gate qrels tied --min AP=0.9 --max AP=1 -o gate.json -o g.xml")
    assert (code, out) == (1, "")
    assert "FAILED    AP is 0.8750" in err
    assert "passed" not in err
    assert "FAILED" not in run("gate qrels tied --min AP=0.9")[2]


def test_results_of_arrays_are_tested_as_those_of_runs() -> None:
    labels = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    scores = numpy.array([[[3, 2, 1.0]] * 3, [[1, 3, 2.0]] * 3])
    both = untied.evaluate_arrays(scores, labels, "RR", per_query=True)
    for wrong in ([both, both], both.per_query["RR"]):
        with pytest.raises(TypeError, match=r"expected results of untied.evaluate .*or a dict of results of arrays"):
            significance(wrong)
    old, new = both.per_query["RR"].value
    (row,) = significance(both).table.to_dicts()
    assert row["p"] == untied.statistics.randomization_test(old, new).p


def test_a_key_of_one_run_is_no_pair() -> None:
    verdicts = untied.certify("qrels", ["good", "tied"], "P@1")
    with pytest.raises(KeyError, match=r"expected two runs, such as \('good', 'tied'\), found 'good'"):
        verdicts["good"]
    assert math.isfinite(verdicts["good", "tied"]["P@1"].low)


def test_help_names_the_number_of_runs_and_groups_options(run) -> None:
    gating = run("gate --help-all")[1]
    assert re.search(r"\n  RUN +a run, one document per line:", gating)
    limits = gating.partition("\nlimits:\n")[2].partition("\n\n")[0]
    for option in ("--min", "--max", "--max-drop", "--max-med", "--certain", "--min-overturn"):
        assert f"\n  {option} MEASURE" in limits
    assert re.search(r"\n  RUN +a run, or two runs to compare; files", run("judge-next --help-all")[1])
    certifying = run("certify --help-all")[1]
    assert certifying.index("\nverdicts from a sample:\n") < certifying.index("\nother options:\n")


BOTH = {"a": {"q": ["x", "y"]}, "b": {"q": ["y", "x"]}}
TRUTH = {"q": {"x": 1, "y": 0}}
#: Options and values of the wrong kind, by the function that takes them.
WRONG_KINDS: list[tuple[Callable[..., object], dict[str, object], str]] = [
    *(
        (partial(function, TRUTH, BOTH, "P@1"), {"strict": "no"}, "strict must be True or False, not 'no'")
        for function in (untied.evaluate, untied.certify, untied.distributions)
    ),
    (partial(untied.compare, BOTH["a"], BOTH["b"]), {"strict": 1}, "strict must be True or False, not 1"),
    (partial(untied.evaluate, TRUTH, BOTH, "P@1"), {"stream": "no"}, "stream must be True or False, not 'no'"),
    *(
        (partial(gate, TRUTH, BOTH["a"], min={"RR": 0}), {name: "no"}, f"{name} must be True or False, not 'no'")
        for name in ("allow_missing", "significant")
    ),
    *(
        (partial(gate, TRUTH, BOTH["a"], min={"RR": 0}), {name: value}, f"{name} must be a whole number, not {value!r}")
        for name, value in {"top": "2", "samples": math.nan, "seed": None}.items()
    ),
    (partial(gate, TRUTH, BOTH["a"], min={"RR": 0}), {"level": "0.9"}, "level must be a number, not '0.9'"),
    (partial(judge_next, TRUTH, BOTH, "P@1"), {"until_decided": "no"}, "until_decided must be True or False, not 'no'"),
    (partial(judge_next, TRUTH, BOTH, "P@1"), {"depth": None}, "depth must be a whole number, not None"),
    (partial(sample.judgments, TRUTH, 0.5), {"by_query": "no"}, "by_query must be True or False, not 'no'"),
    (partial(sample.judgments, TRUTH, 0.5), {"seed": 1.0}, "seed must be a whole number, not 1.0"),
    (partial(sample.judgments, TRUTH, 0.5), {"rel": "1"}, "rel must be a number, not '1'"),
    (partial(sample.collection, TRUTH, BOTH, 0.5), {"sample_judgments": 0},
     "sample_judgments must be True or False, not 0"),
    (partial(estimates.subcollection, TRUTH, BOTH["a"]), {"seed": "1"}, "seed must be a whole number, not '1'"),
    (partial(untied.compare, BOTH["a"], BOTH["b"]), {"depth": "2"}, "depth must be a whole number, not '2'"),
    (partial(untied.compare_all, BOTH), {"depth": 1.5}, "depth must be a whole number, not 1.5"),
    (partial(untied.certify, TRUTH, BOTH, "P@1"), {"most": "2"}, "most must be a whole number, not '2'"),
    (partial(untied.distributions, TRUTH, BOTH, "P@1"), {"states": None}, "states must be a whole number, not None"),
    (untied.evaluate(TRUTH, BOTH, "P@1").query_differences, {"top": 1.5}, "top must be a whole number, not 1.5"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "option", "message"), WRONG_KINDS)
def test_a_value_of_the_wrong_kind_is_refused_by_name(
    function: Callable[..., object], option: dict[str, object], message: str
) -> None:
    """Any text counts as True where Python decides, and 1.0 is another seed than 1."""
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        function(**option)


def test_flags_of_numpy_are_flags() -> None:
    assert untied.evaluate(TRUTH, BOTH, "P@1", strict=numpy.bool_(True))["a", "P@1"].mean == 1.0  # type: ignore[arg-type]


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_is_at_least_1(depth: int) -> None:
    with pytest.raises(untied.UntiedError, match=f"^depth must be at least 1, not {depth}$"):
        untied.compare(BOTH["a"], BOTH["b"], depth=depth)


def test_no_number_is_no_grade() -> None:
    with pytest.raises(untied.UntiedError, match="rel must be a finite number, not nan"):
        sample.judgments(TRUTH, 0.5, rel=math.nan)


def test_a_baseline_that_no_limit_compares_is_refused(untied_: Command, tmp_path: Path) -> None:
    """The gate would pass although nothing was compared."""
    alone = partial(gate, TRUTH, BOTH["b"], min={"RR": 0.5})
    with pytest.raises(
        untied.UntiedError, match=r"^a baseline has no effect without max_drop, max_med, certain or min"
    ):
        alone(baseline=BOTH["a"])
    with pytest.raises(untied.UntiedError, match=r"^significant has no effect without max_drop$"):
        alone(significant=True)
    for name, text in (("qrels", QRELS), ("run", GOOD)):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("qrels", "run")]
    for given, message in (
        (
            ["--baseline", files[1]],
            "--baseline has no effect without --max-drop, --max-med, --certain or --min-overturn",
        ),
        (["--significant", "0.95"], "--significant has no effect without --max-drop"),
    ):
        code, out, said = untied_("gate", *files, "--min", "RR=0.5", *given)
        assert (code, out) == (2, "")
        assert message in said


JUDGED, RUNS = {"q": {"a": 1}}, {"old": {"q": ["a"]}, "new": {"q": ["b", "a"]}}
SCORES: Any = [[2.0, 1.0]]


@pytest.mark.parametrize(("call", "named"), [
    (lambda: untied.evaluate(JUDGED, RUNS, variance=1), "variance must be True or False, not 1"),
    (lambda: untied.Evaluator(JUDGED, variance="no"), "variance must be True or False, not 'no'"),
    (lambda: untied.compare_all(RUNS, variance=1), "variance must be True or False, not 1"),
    (lambda: untied.compare_all(RUNS, itself=1), "itself must be True or False, not 1"),
    (lambda: untied.evaluate_arrays(SCORES, SCORES, variance="x"), "variance must be True or False, not 'x'"),
    (lambda: untied.evaluate_arrays(SCORES, SCORES, per_query="x"), "per_query must be True or False, not 'x'"),
    (lambda: untied.distributions(JUDGED, RUNS, per_query=1), "per_query must be True or False, not 1"),
    (lambda: untied.distributions(JUDGED, RUNS).quantiles(per_query=1), "per_query must be True or False, not 1"),
    (lambda: untied.evaluate_features([[1]], labels=[1], query_ids=[1], per_query=2),
     "per_query must be True or False, not 2"),
    (lambda: untied.evaluate(JUDGED, RUNS).table(per_query="no"), "per_query must be True or False, not 'no'"),
    (lambda: untied.evaluate(JUDGED, RUNS).table(means="no"), "means must be True or False, not 'no'"),
    (lambda: untied.compare(*RUNS.values()).table(means="no"), "means must be True or False, not 'no'"),
    (lambda: untied.evaluate(JUDGED, RUNS, threads="2"), "threads must be a whole number, not '2'"),
    (lambda: untied.evaluate(JUDGED, RUNS, threads=2.0), "threads must be a whole number, not 2.0"),
    (lambda: untied.compare_all(RUNS, threads="2"), "threads must be a whole number, not '2'"),
    (lambda: untied.certify(JUDGED, RUNS, "P@1", threads="2"), "threads must be a whole number, not '2'"),
    (lambda: significance(untied.evaluate(JUDGED, RUNS), threads="2"), "threads must be a whole number, not '2'"),
    (lambda: untied.evaluate_arrays(SCORES, SCORES, threads="2"), "threads must be a whole number, not '2'"),
    (lambda: untied.evaluate_features([[1]], labels=[1], query_ids=[1], threads="2"),
     "threads must be a whole number, not '2'"),
    (lambda: untied.read_run("good", threads="2"), "threads must be a whole number, not '2'"),
    (lambda: judge_next(JUDGED, RUNS, threads="2"), "threads must be a whole number, not '2'"),
], ids=lambda given: given if isinstance(given, str) else "")  # fmt: skip
def test_the_error_names_the_option_of_the_wrong_kind(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value) == named


def test_numbers_of_threads_of_other_kinds(run) -> None:
    for threads in (1, numpy.int8(2), 10**6):
        assert untied.evaluate(JUDGED, RUNS["old"], "RR", threads=threads)["RR"] == 1.0  # type: ignore[arg-type]
    for threads in (10**30, -(10**30)):
        with pytest.raises(OverflowError):
            untied.evaluate(JUDGED, RUNS, threads=threads)
    assert pickle.loads(pickle.dumps(untied.Evaluator(JUDGED, threads=2))).means(RUNS["old"])["RR"] == 1.0
