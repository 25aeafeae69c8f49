"""What is shown and tested of a measure is the aggregate that `evaluate` has: a mean, a geometric mean or a sum."""

from __future__ import annotations

import json
import re
from math import exp, log

import pytest

import untied
from page_data import data_of
from strategies import BUILT_IN
from untied.cli import main
from untied.errors import UntiedError
from untied.gate import gate
from untied.measures import as_measure
from untied.paper import paper_table
from untied.report import report
from untied.statistics import mean_interval, randomization_test, significance

QUERIES = [f"q{number}" for number in range(8)]
DOCS = [f"d{number}" for number in range(12)]


def grades(query: int) -> dict[str, float]:
    """Judgments of a query: relevant documents of two grades, and one that is not."""
    return {doc: float((query + place) % 3) for place, doc in enumerate(DOCS[:9])}


def ranking(query: int, run: int) -> list[str]:
    turn = (query * (run + 1) + run) % len(DOCS)
    return DOCS[turn:] + DOCS[:turn]


QRELS = {
    "auto": {query: grades(number) for number, query in enumerate(QUERIES)},
    "subtopics": {
        query: {str(topic): {doc: float(grade > topic) for doc, grade in grades(number).items()} for topic in range(2)}
        for number, query in enumerate(QUERIES)
    },
    "stratified": {
        query: {doc: (1 + place % 2, grade) for place, (doc, grade) in enumerate(grades(number).items())}
        for number, query in enumerate(QUERIES)
    },
    "prels": {
        query: {doc: (grade, 0.5) for doc, grade in grades(number).items()} for number, query in enumerate(QUERIES)
    },
}
RUNS = {f"run{run}": {query: ranking(number, run) for number, query in enumerate(QUERIES)} for run in range(2)}
FORMAT = {"subtopics": "subtopics", "strata": "stratified", "inclusion": "prels"}
LENGTHS = {doc: 100.0 + 10 * place for place, doc in enumerate(DOCS)}


def spelled(info: dict) -> str:
    """The measure with a cutoff and a parameter where it needs one."""
    given = "(max_rel=2)" if ("max_rel", "") in {(name, default) for name, default, _ in info["parameters"]} else ""
    given = "(go_on={0: 1, 1: 0.5, 2: 0})" if info["name"] == "Cascade" else given
    return info["name"] + given + {"required": "@5", "recall": "@0.5"}.get(info["cutoff"], "")


def geometric(name: str) -> str:
    """The same measure with a geometric mean."""
    head, _, rest = name.partition("@")
    inside = head.removesuffix(")") + ", " if "(" in head else head + "("
    return f"{inside}mean='geometric')" + (f"@{rest}" if rest else "")


NAMES = [(spelled(info), FORMAT.get(info["needs"], "auto")) for info in BUILT_IN]
NAMES += [(geometric(name), kind) for name, kind in NAMES if not as_measure(name).is_count]


@pytest.mark.parametrize(("name", "kind"), NAMES, ids=[name for name, _ in NAMES])
def test_what_is_shown_is_the_aggregate(name: str, kind: str) -> None:
    options = {"qrels_format": kind, "docs": LENGTHS}
    results = untied.evaluate(QRELS[kind], RUNS, [name], ties="range", **options)
    means = {run: results[run, name].mean for run in RUNS}
    assert all(mean == mean for mean in means.values())
    found = significance(results, interval="t", samples=100)
    [row] = found.table.to_dicts()
    near = 1e-12 if as_measure(name).is_geometric else 0.0  # Python's logarithms differ in the last bit
    assert (row["mean_a"], row["mean_b"]) == pytest.approx(tuple(means.values()), rel=near, abs=near)
    change = log(means["run0"] / means["run1"]) if as_measure(name).is_geometric else means["run0"] - means["run1"]
    assert row["difference"] == pytest.approx(change, rel=1e-9, abs=1e-12)
    assert row["ci_low"] <= row["difference"] <= row["ci_high"]
    assert row["least"] <= row["difference"] + 1e-12
    assert row["difference"] <= row["most"] + 1e-12
    # The gate reads the same, to the last bit where it is by itself.
    held = gate(QRELS[kind], RUNS["run0"], baseline=RUNS["run1"], min={name: means["run0"]}, max={name: means["run0"]},
                max_drop={name: 1e9}, **options)  # fmt: skip
    assert held.passed
    assert [check.run for check in held.checks[:2]] == [means["run0"]] * 2
    sign = 1 if as_measure(name).lower_is_better else -1
    drop = held.checks[2]
    assert (drop.run, drop.baseline) == pytest.approx(tuple(means.values()), rel=near, abs=near)
    assert drop.value == pytest.approx(sign * (means["run0"] - means["run1"]), rel=1e-9, abs=1e-12)
    table = paper_table(results, found, style="tsv", digits=9)
    printed = {line.split("\t")[0]: line.split("\t")[2] for line in table.splitlines()[1:]}
    assert printed == {run: f"{mean:.9f}" for run, mean in means.items()}
    if kind == "auto" and not needs_lengths(name):
        data = data_of(report(QRELS[kind], RUNS, [name], depth=5, interval="t", samples=100, qrels_format=kind))
        for mean, of_run in zip(means.values(), data["means"][0], strict=True):
            assert of_run["mean"] == pytest.approx(mean, abs=1e-5)
            assert of_run["ci_low"] - 1e-5 <= mean <= of_run["ci_high"] + 1e-5


def needs_lengths(name: str) -> bool:
    return name.startswith(("TBG", "U@", "U(")) or name == "U"


def test_means_have_the_same_bits_in_tests() -> None:
    """.50125 is a tie of the fourth decimal, which the last bit decides: one command showed .5012, another .5013."""
    qrels = {f"q{number:02}": {"a": 1.0} for number in range(40)}
    run = {query: ["a"] if number % 2 else [*map(str, range(399)), "a"] for number, query in enumerate(qrels)}
    results = untied.evaluate(qrels, {"one": run, "other": {query: ["x", "a"] for query in qrels}}, ["AP"])
    [row] = significance(results, interval="none", samples=100).table.to_dicts()
    assert f"{row['mean_a']:.4f}" == f"{results['one', 'AP'].mean:.4f}"
    assert row["mean_a"] == results["one", "AP"].mean


def test_geometric_means_are_tested_by_logarithms() -> None:
    """A run that loses a hundredfold on half of its queries and gains a little on the others."""
    qrels = {f"q{number:02}": {"a": 1.0} for number in range(40)}
    depth = [f"x{number}" for number in range(999)]
    steady = {query: ["x", "a"] for query in qrels}
    shaky = {query: ["a"] if number % 2 else [*depth, "a"] for number, query in enumerate(qrels)}
    name = "AP(mean='geometric')"
    results = untied.evaluate(qrels, {"shaky": shaky, "steady": steady}, [name, "AP"])
    rows = {row["measure"]: row for row in significance(results).table.to_dicts()}
    assert rows["AP"]["mean_a"] == pytest.approx(0.5005)
    assert rows["AP"]["scale"] == "mean"
    of_logs = rows[name]
    assert of_logs["scale"] == "log"
    assert of_logs["mean_a"] == pytest.approx(results["shaky", name].mean) == pytest.approx(0.001**0.5)
    logarithms = [log(0.001), log(1.0)] * 20
    half = [log(0.5)] * 40
    assert of_logs["difference"] == pytest.approx(log(of_logs["mean_a"] / of_logs["mean_b"]))
    assert of_logs["p"] == randomization_test(logarithms, half).p < 0.001 < 0.8 < rows["AP"]["p"]
    ends = mean_interval([x - y for x, y in zip(logarithms, half, strict=True)])
    assert (of_logs["ci_low"], of_logs["ci_high"]) == pytest.approx(ends)
    assert exp(of_logs["ci_high"]) < 0.5  # a ratio of means
    with pytest.raises(UntiedError, match="use logarithms"):
        significance(results, bounds=[untied.compare(shaky, steady, "Delta(AP@9)", names=("shaky", "steady"))])


def test_the_gate_tests_logarithms() -> None:
    """What was printed as .5 and .5, difference 0, p 1."""
    name = "AP(mean='geometric')"
    qrels = {f"q{number:02}": {"a": 1.0} for number in range(40)}
    depth = [f"x{number}" for number in range(999)]
    steady = {query: ["x", "a"] for query in qrels}
    shaky = {query: ["a"] if number % 2 else [*depth, "a"] for number, query in enumerate(qrels)}
    [check] = gate(qrels, shaky, baseline=steady, max_drop={name: 0.01}, significant=True).checks
    assert not check.passed
    assert (check.run, check.baseline) == pytest.approx((0.001**0.5, 0.5))
    assert check.value == pytest.approx(0.5 - 0.001**0.5)
    assert check.decided_on == "geometric mean of 40 queries; 40 of them differ"
    assert check.p is not None
    assert check.p < 0.001
    assert gate(qrels, shaky, baseline=steady, max_drop={"AP": 0}, significant=True).passed


def test_logarithms_have_the_floor_of_the_mean() -> None:
    qrels = {f"q{number}": {"a": 1.0, "x": 0.0} for number in range(6)}
    none, some = {query: ["x"] for query in qrels}, {query: ["a"] for query in qrels}
    results = untied.evaluate(qrels, {"none": none, "some": some}, ["AP(mean='geometric')"])
    [row] = significance(results, interval="none").table.to_dicts()
    assert row["mean_a"] == pytest.approx(1e-5) == pytest.approx(results["none", "AP(mean='geometric')"].mean)
    assert row["difference"] == pytest.approx(log(1e-5))


def test_the_command_says_what_it_shows(tmp_path, capsys) -> None:
    (tmp_path / "qrels").write_text("".join(f"{query} 0 d1 1\n" for query in QUERIES))
    for name, lines in (("one", "{} Q0 d1 1 2 t\n"), ("two", "{} Q0 x 1 2 t\n{} Q0 d1 2 1 t\n")):
        (tmp_path / name).write_text("".join(lines.format(query, query) for query in QUERIES))
    command = ["stats", *(str(tmp_path / name) for name in ("qrels", "one", "two"))]
    measures = ["-m", "AP(mean='geometric')", "-m", "NumRelRet", "-m", "AP"]
    main([*command, *measures, "--format", "md", "--interval", "none"])
    shown = capsys.readouterr().out
    assert "AP(mean='geometric'): paired randomisation test of logarithms, as the mean is geometric" in shown
    assert re.search(r"\| a \| b \| mean a \| mean b \| ln a - ln b \|", shown)
    assert re.search(r"\| one \| two \| 1.0000 \| 0.5000 \| \+0.6931 \|", shown)
    assert re.search(r"\| a \| b \| sum a \| sum b \| a - b \|", shown)
    assert re.search(r"\| one \| two \| 8.0000 \| 8.0000 \| \+0.0000 \|", shown)
    main([*command, *measures, "--format", "json", "--interval", "none"])
    assert [row["scale"] for row in json.loads(capsys.readouterr().out)["results"]] == ["log", "sum", "mean"]
    main([*command, *measures, "--show", "runs", "--format", "md"])
    caption = capsys.readouterr().out
    assert "Means over 8 queries, sums of NumRelRet." in caption
    assert "Tested by logarithms: AP(mean='geometric')." in caption
