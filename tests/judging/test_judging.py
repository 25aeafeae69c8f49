"""What to judge next, against every judgment made and evaluated anew."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import untied
from nightly import many, seeded
from strategies import topics
from untied.cli import judge_next as commanded
from untied.cli import main
from untied.inputs.convert import as_qrels
from untied.judging import Advice, judge_next
from untied.statistics import significance

MEASURES = ["AP", "nDCG", "nDCG@3", "Bpref", "P@2", "RBP(p=0.5)", "ERR(max_grade=4)", "Rprec", "NumRelRet", "RR(rel=2)",
            "ADR", "ADR@3", "PairConcordance"]  # fmt: skip


def anew(qrels: Any, run: Any, measure: str) -> tuple[float, float, float]:
    value = untied.evaluate(qrels, run, [measure], unjudged="range")[measure]
    assert value.low is not None
    assert value.high is not None
    return value.mean, value.low, value.high


@settings(max_examples=many(60, nightly=1500))
@given(st.data(), st.sampled_from(MEASURES), st.sampled_from([None, 0.0, 0.3, 1.0]))
def test_every_judgment_made(data: st.DataObject, measure: str, prior: float | None) -> None:
    drawn = data.draw(st.lists(topics(), min_size=1, max_size=2))
    qrels = {f"q{i}": topic.truth for i, topic in enumerate(drawn)}
    one = {f"q{i}": topic.scores() for i, topic in enumerate(drawn)}
    assume(any(one.values()))
    other = {query: dict.fromkeys(list(docs)[::2], 1.0) | {"new": 0.5} for query, docs in one.items()}
    runs = data.draw(st.sampled_from([[one], [one, other]]))
    judged = [grade for truth in qrels.values() for grade in truth.values() if grade > 0]
    advice = judge_next(qrels, {str(i): run for i, run in enumerate(runs)}, measure, prior=prior, top=1000)
    open_documents = {
        (query, doc) for run in runs for query, docs in run.items() for doc in docs if qrels[query].get(doc, -1) < 0
    }
    assert {(c.query, c.document) for c in advice.candidates} == open_documents
    assert advice.considered == len(open_documents)
    now = [anew(qrels, run, measure) for run in runs]
    assert list(advice.bounds) == [pytest.approx(one[1:], abs=1e-12) for one in now]
    for found in advice.candidates[:4]:
        known = [grade for grade in qrels[found.query].values() if grade >= 0]
        # A grade that no document has counts as half a document.
        least = 2 if measure == "RR(rel=2)" else 0 if measure.startswith(("nDCG", "ERR")) else 1
        positive = [1.0] * len(judged)
        grades = list(judged)
        if not any(grade >= least for grade in judged):
            grades.append(max(least, 1))
            positive.append(0.5)
        share = {
            grade: sum(weight for one, weight in zip(grades, positive, strict=True) if one == grade) / sum(positive)
            for grade in grades
        }
        likely = (sum(grade > 0 for grade in known) + 0.5) / (len(known) + 1) if prior is None else prior
        chances = {grade: likely * share[grade] for grade in share} | {0: 1 - likely}
        assert found.probability == likely
        narrowing = swing = 0.0
        for sign, run, (_, low, high) in zip((1, -1), runs, now, strict=False):
            narrowing += high - low
            for grade, chance in chances.items():
                # The same grades stay possible, even if the last judgment of one were at stake.
                value, least, most = anew(
                    qrels | {found.query: qrels[found.query] | {found.document: grade}}, run, measure
                )
                narrowing -= chance * (most - least)
                swing += sign * value * (share[grade] if grade else -1)
        assert found.narrowing == pytest.approx(narrowing, abs=1e-12)
        assert found.swing == pytest.approx(swing, abs=1e-12)
    if len(runs) == 1:
        worth = [c.narrowing for c in advice.candidates]
    else:
        worth = [c.probability * abs(c.swing) for c in advice.candidates]
        assert advice.difference is not None
        # With one grade PairConcordance compares nothing.
        compares_nothing = measure == "PairConcordance" and len({*judged}) < 2
        assert advice.is_joint is (measure != "NumRelRet" and not compares_nothing)
        assert advice.difference[0] <= now[0][0] - now[1][0] + 1e-12
        assert now[0][0] - now[1][0] <= advice.difference[1] + 1e-12
        if advice.is_joint and judged:
            (row,) = significance(
                untied.evaluate(qrels, dict(zip("01", runs, strict=True)), measure, unjudged="range"), interval="none"
            ).table.to_dicts()
            assert advice.difference == pytest.approx((row["least"], row["most"]), abs=1e-12)
    assert [c.worth for c in advice.candidates] == worth == sorted(worth, reverse=True)


def test_what_both_have_at_one_rank_settles_nothing() -> None:
    qrels = {"q": {"r": 1, "n": 0}}
    advice = judge_next(qrels, {"a": {"q": ["x", "y", "r"]}, "b": {"q": ["x", "r", "n", "y"]}}, "P@2", prior=0.5)
    assert [(c.document, c.ranks, c.swing) for c in advice.candidates] == [("y", (2, 4), 0.5), ("x", (1, 1), 0.0)]
    assert advice.difference == (-0.5, 0.0)
    assert not advice.settled
    assert judge_next(qrels, {"a": {"q": ["r", "r2"]}, "b": {"q": ["n", "x"]}}, "P@1").settled


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # the first run has no judged document
@pytest.mark.parametrize("measure", ["nDCG", "nDCG(gain='exp2')", "Q", "AP"])
def test_a_document_that_a_run_lacks_narrows_its_bounds(measure: str) -> None:
    """It counts in the ideal ranking, which is longer than the run and the qrels."""
    qrels, runs = {"q": {"d0": 1, "d3": 1}}, {"a": {"q": ["d5"]}, "b": {"q": ["d2"]}}
    [found] = [c for c in judge_next(qrels, runs, measure, prior=0.3).candidates if c.document == "d2"]
    expected = 0.0
    for run in runs.values():
        _, low, high = anew(qrels, run, measure)
        after = [anew({"q": qrels["q"] | {"d2": grade}}, run, measure) for grade in (0, 1)]
        expected += high - low - sum(p * (most - least) for p, (_, least, most) in zip((0.7, 0.3), after, strict=True))
    assert expected > 0.01
    assert found.narrowing == pytest.approx(expected, abs=1e-12)


def test_depth_and_top() -> None:
    qrels, run = {"q": {"r": 1}}, {"q": ["x1", "x2", "r", "x3", "x4"]}
    assert [c.document for c in judge_next(qrels, run, depth=2).candidates] == ["x1", "x2"]
    advice = judge_next(qrels, run, "RR", top=1)
    assert ([c.document for c in advice.candidates], advice.considered) == (["x1"], 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": 1.5}, "prior must be from 0 to 1, not 1.5"),
        ({"top": 0}, "top must be at least 1, not 0"),
        ({"measure": "AP(judged_only=True)"}, "bounds over unjudged documents are not known for"),
        ({"measure": "infAP"}, "bounds over unjudged documents are not known for infAP"),
        ({"measure": "AP(mean='geometric')"}, "needs a measure with an arithmetic mean over queries"),
        ({"runs": [{"q": ["a"]}] * 3}, "expected one run, or two to compare, found 3"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(untied.UntiedError, match=message.replace("(", r"\(").replace(")", r"\)")):
        judge_next({"q": {"r": 1}}, **({"runs": {"q": ["a"]}} | options))


def test_measures_of_subtopics_are_refused() -> None:
    qrels = as_qrels({"q": {"1": {"a": 1}, "2": {"b": 1}}}, None, "subtopics")
    with pytest.raises(untied.UntiedError, match="bounds over unjudged documents are not known for alpha_DCG"):
        judge_next(qrels, {"q": ["a", "c", "b"]}, "alpha_DCG")


def test_command(tmp_path, capsys) -> None:
    (tmp_path / "qrels").write_text("q 0 r 1\nq 0 n 0\n")
    for name, docs in {"a": "xyr", "b": "xrny"}.items():
        (tmp_path / name).write_text("".join(f"q Q0 {doc} {i} {-i} t\n" for i, doc in enumerate(docs)))
    arguments = ["judge-next", f"{tmp_path}/qrels", f"{tmp_path}/a", f"{tmp_path}/b", "-m", "P@2", "--prior", "0.5"]
    assert main([*arguments, "--digits", "2"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "query\tdocument\trank in a\trank in b\tprobability\tnarrowing\tswing\tworth",
        "q\ty\t2\t4\t0.50\t0.50\t0.50\t0.25",
        "q\tx\t1\t1\t0.50\t1.00\t0.00\t0.00",
    ]
    assert err.splitlines() == [
        "note: P@2 of a is between 0.00 and 1.00",
        "note: P@2 of b is between 0.50 and 1.00",
        "note: the difference is between -0.50 and 0.00",
    ]
    assert main([*arguments, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["difference"] == [-0.5, 0.0]
    assert [row["document"] for row in document["candidates"]] == ["y", "x"]
    assert main([*arguments, "--format", "csv", "--top", "1"]) == 0
    assert [row["document"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))] == ["y"]
    assert main([*arguments, "--format", "table"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("query   document   rank in a")


def test_what_a_larger_depth_would_do_is_not_claimed(tmp_path, capsys) -> None:
    """Whether rankings go on below the depth or not."""
    (tmp_path / "qrels").write_text("q 0 x 1\nq 0 y 0\n")
    (tmp_path / "a").write_text("q Q0 x 1 9 a\nq Q0 y 2 8 a\n")
    for depth in ("1", "2", "100"):
        assert main(["judge-next", str(tmp_path / "qrels"), str(tmp_path / "a"), "--depth", depth]) == 0
        said = f"all documents down to rank {depth} are judged; if rankings are longer, a larger --depth looks further"
        assert f"note: {said}\n" in capsys.readouterr().err


def test_queries_that_do_not_count_are_noted(tmp_path, capsys) -> None:
    """As by certify, with the same words."""
    (tmp_path / "qrels").write_text("q 0 r 1\nr 0 n 0\n")
    (tmp_path / "a").write_text("q Q0 x 1 9 a\nq Q0 r 2 8 a\nnew Q0 x 1 9 a\nnewer Q0 x 1 9 a\n")
    (tmp_path / "b").write_text("q Q0 r 1 9 b\nq Q0 y 2 8 b\nr Q0 n 1 9 b\n")
    files = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    expected = [
        "note: judged queries missing from a run: 1 from a (counted as empty rankings)",
        "note: queries without judgments, left out: 2 of a; untied check lists them, and ids that nearly match",
    ]
    for more in ([], ["--until-decided"]):
        assert main(["judge-next", *files, "-m", "P@2", *more]) == 0
        assert capsys.readouterr().err.splitlines()[:2] == expected
    assert main(["certify", *files, "-m", "P@2"]) == 0
    assert capsys.readouterr().err.splitlines()[:2] == expected
    assert judge_next(*files[:2], "P@2").facts == {"a": {"absent": 1, "unknown": 2}}


def decided(seed: str) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """Full judgments, and two runs of which one is better whatever else is judged."""
    chance = seeded(seed)
    qrels, runs = {}, {"a": {}, "b": {}}
    for query in ("q1", "q2", "q3"):
        qrels[query] = {f"d{n}": int(chance.random() < 0.5) for n in range(9)}
        for run in runs.values():
            run[query] = chance.sample(sorted(qrels[query]), 5)
    return qrels, runs


@pytest.mark.parametrize("measure", ["P@3", "nDCG@3", "RR", "RBP(p=0.8)@4", "ADR@3"])
@pytest.mark.parametrize("seed", range(4))
def test_until_decided(measure: str, seed: int) -> None:
    """Judgments in the order of advice decide the verdict, and each document ranks by what it is said to rank by."""
    truth, runs = decided(f"until {seed}")
    for run in runs.values():
        run["q1"] = ["seen", *run["q1"][1:]]
    known = {query: {"d0": grade["d0"], "seen": 0, "good": 1} for query, grade in truth.items()}
    total = sum(map(len, truth.values()))
    for _ in range(total + 1):
        advice = judge_next(known, runs, measure, until_decided=True, top=total)
        found = untied.certify(known, runs, measure)["a", "b"][measure]
        assert advice.verdict == found
        assert advice.settled is (found.verdict != "open")
        if found.verdict != "open" or not advice.candidates:
            assert advice.candidates == []
            break
        lead = untied.evaluate(known, runs, measure)
        ahead = lead["a", measure].mean - lead["b", measure].mean
        worths = []
        for one in advice.candidates:
            helps_behind = one.swing * ahead < -1e-15
            worths.append(abs(one.swing) * (1 - one.probability if helps_behind else one.probability))
        if abs(ahead) > 1e-12:
            assert worths == [one.worth for one in advice.candidates]
            assert worths == sorted(worths, reverse=True)
        first = advice.candidates[0]
        known[first.query][first.document] = truth[first.query][first.document]
    else:
        pytest.fail("no document was left, and none was")
    full = untied.certify({q: {**known[q], **truth[q]} for q in truth}, runs, measure)["a", "b"][measure]
    assert advice.verdict is not None
    assert advice.verdict.verdict in ("open", full.verdict)


@pytest.mark.parametrize("signs", [(1, 1, -1), (-1, -1, 1)])
def test_no_run_leads_by_rounding(signs: tuple[int, ...]) -> None:
    """Differences of P@10 of .1, .2 and -.3 add up to 0, so neither run is behind, whatever a judgment would do."""
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, list[str]]] = {"a": {}, "b": {}}
    for count, sign in enumerate(signs, 1):
        query, relevant = f"q{count}", [f"r{place}" for place in range(count)]
        qrels[query] = dict.fromkeys(relevant, 1) | {"n": 0}
        runs["a" if sign > 0 else "b"][query] = ["x", *relevant]
        runs["b" if sign > 0 else "a"][query] = ["y", "z", "n"]
    check_that_no_run_leads(judge_next(qrels, runs, "P@10", until_decided=True))


def test_no_run_leads_by_the_order_of_a_sum() -> None:
    qrels = {"q0": {"d1": 1, "d2": 1, "z": 0}, "q1": {"d0": 1, "z": 1}}
    runs = {
        "a": {"q0": ["d0", "d1"], "q1": ["z", "d2", "d3"]},
        "b": {"q0": ["d0", "d1", "d2", "z"], "q1": ["d3", "d2", "d0"]},
    }
    check_that_no_run_leads(judge_next(qrels, runs, "AP", until_decided=True))


def check_that_no_run_leads(advice: Advice) -> None:
    assert any(one.swing < -0.01 for one in advice.candidates)
    for one in advice.candidates:
        assert one.worth == abs(one.swing) * one.probability


def test_margins_grow_with_gains() -> None:
    """As those of verdicts do: what certify calls open is not settled."""
    qrels, runs = {"q": {"r": 1e9 + 1e-6, "s": 1e9}}, {"a": {"q": ["r"]}, "b": {"q": ["s"]}}
    advice = judge_next(qrels, runs, "DCG@1")
    assert advice.difference is not None
    assert advice.difference[0] > 1e-9
    assert advice.settled is judge_next(qrels, runs, "DCG@1", until_decided=True).settled is False


def test_until_decided_on_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 0\n")
    for name, docs in (("one", "ax"), ("two", "by")):
        rows = (f"q Q0 {doc} 1 {-rank} x\n" for rank, doc in enumerate(docs))
        (tmp_path / f"{name}.run").write_text("".join(rows))
    inputs = [str(tmp_path / name) for name in ("qrels.txt", "one.run", "two.run")]
    main(["judge-next", *inputs, "-m", "P@2", "--until-decided"])
    out, err = capsys.readouterr()
    assert [line.split("\t")[1] for line in out.splitlines()[1:]] == ["x", "y"]
    assert err == "note: P@2: open, the difference is between 0.000000 and 1.000000; overturn number: 1\n"
    main(["judge-next", *inputs, "-m", "P@1", "--until-decided", "--format", "json"])
    out, err = capsys.readouterr()
    assert json.loads(out)["verdict"]["verdict"] == "A"
    assert json.loads(out)["candidates"] == []
    assert err == "note: P@1: one is better for all grades of unjudged documents (1.000000 to 1.000000)\n"
    assert main(["judge-next", *inputs[:2], "--until-decided"]) == 2
    assert "until_decided needs two runs, found 1" in capsys.readouterr().err


def test_a_narrow_terminal_has_what_rows_are_sorted_by(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "qrels").write_text("q 0 r 1\nq 0 n 0\n")
    for name, docs in {"a": "xyr", "b": "xrny"}.items():
        (tmp_path / name).write_text("".join(f"q Q0 {doc} {i} {-i} t\n" for i, doc in enumerate(docs)))
    files = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    columns = 120
    for hidden in ("", "narrowing", "narrowing, probability"):
        monkeypatch.setattr(commanded, "width", lambda columns=columns: columns)
        assert main(["judge-next", *files, "-m", "P@2", "--format", "table"]) == 0
        head, *_, last = capsys.readouterr().out.splitlines()
        assert len(head) <= columns
        assert head.split()[-2:] == ["swing", "worth"]
        assert [name for name in ("narrowing", "probability") if name not in head] == hidden.split(", ") * bool(hidden)
        assert (last == f"{hidden} hidden: widen the terminal or use --format tsv") is bool(hidden)
        columns = len(head) - 1
