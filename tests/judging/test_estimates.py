"""Pools, standard errors of infAP, and draws of subAP."""

from __future__ import annotations

import itertools
import json
import math
import pathlib
import random
import statistics

import pytest

import untied
from untied.cli import main
from untied.judging import estimates

QRELS = {"q": {"a": 1, "b": 0, "c": 2}}
POOL = {"q": {"a": 0, "b": 0, "c": 0, "d": 5, "e": -1}, "other": {"x": 1}}


def test_documents_of_the_pool_count_as_not_judged() -> None:
    assert estimates.with_pool(QRELS, POOL) == {"q": {"a": 1.0, "b": 0.0, "c": 2.0, "d": -1.0, "e": -1.0}}
    assert estimates.with_pool({"q": {"a": 1, "z": -1}}, POOL)["q"]["z"] == -1


def test_a_judged_document_outside_the_pool_is_refused() -> None:
    with pytest.raises(untied.UntiedError, match="query 'q': document 'z' is judged, but not in the pool"):
        estimates.with_pool({"q": {"a": 1, "z": 0}}, POOL)
    with pytest.raises(untied.UntiedError, match="document 'a' is judged, but not in the pool"):
        estimates.with_pool({"new": {"a": 1}}, POOL)


def test_infap_with_a_pool_on_the_command_line(tmp_path, capsys) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\nq 0 c 2\n")
    (tmp_path / "pool").write_text("".join(f"q 0 {doc} 0\n" for doc in "abcde"))
    (tmp_path / "run").write_text("".join(f"q Q0 {doc} {i} {-i} t\n" for i, doc in enumerate("xdbac")))
    arguments = ["eval", f"{tmp_path}/qrels", f"{tmp_path}/run", "-m", "infAP", "--digits", "12"]
    values = []
    for more in ([], ["--pool", f"{tmp_path}/pool"]):
        assert main([*arguments, *more]) == 0
        values.append(float(capsys.readouterr().out.split()[-1]))
    ranked = {"q": list("xdbac")}
    for qrels, value in zip((QRELS, estimates.with_pool(QRELS, POOL)), values, strict=True):
        assert untied.evaluate(qrels, ranked, ["infAP"])["infAP"].mean == pytest.approx(value, abs=1e-11)
    assert values[0] != values[1]
    (tmp_path / "pool").write_text("q 0 a 1\n")
    assert main([*arguments, "--pool", f"{tmp_path}/pool"]) == 2
    assert "is judged, but not in the pool" in capsys.readouterr().err


def test_standard_error_by_hand() -> None:
    # a at rank 2 below d (pooled), c at rank 4 below d, a and b: precisions 3/4 (prior) and about 5/8.
    found = estimates.infap_error(estimates.with_pool(QRELS, POOL), {"q": ["d", "a", "b", "c"]})
    first, second = 0.5 + 0.5 * 0.5, 0.25 + 0.75 * (1 + 1e-5) / (2 + 2e-5)
    between = (first - second) ** 2 / 2
    v = 0.5 * 0.5 / 2 * (1 - 2 / 3)  # of c: 1 of 2 judged is relevant, 3 are pooled; above a nothing is judged
    variance = (1 - 3 / 5) * between / 2 + (3 / 4) ** 2 * v / 4
    assert found["q"] == pytest.approx(math.sqrt(variance), rel=1e-12)
    assert math.isnan(estimates.infap_error({"q": {"a": 1}}, {"q": ["a"]})["q"])


def test_standard_error_of_the_mean_on_the_command_line(tmp_path, capsys) -> None:
    generator = random.Random(2)
    qrels = {str(q): {f"d{i}": generator.choice([1, 0, 0, -1]) for i in range(40)} for q in range(6)}
    qrels["few"] = {"d1": 1, "d2": 0}
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()))
    (tmp_path / "a.run").write_text("".join(f"{q} Q0 d{i} 1 {-i} t\n" for q in qrels for i in range(50)))
    arguments = ["eval", f"{tmp_path}/qrels", f"{tmp_path}/a.run", "--sampling-error", "-m"]
    assert main([*arguments, "infAP", "--digits", "12"]) == 0
    errors = estimates.infap_error(qrels, {q: [f"d{i}" for i in range(50)] for q in qrels})
    known = [error for error in errors.values() if not math.isnan(error)]
    assert len(known) == 6
    of_mean = f"{math.sqrt(sum(error**2 for error in known)) / 6:.12f}"
    out, err = capsys.readouterr()
    head, row = (line.split("\t") for line in out.splitlines())
    assert head == ["run", "query", "measure", "value", "sampling_error"]
    assert (row[:3], row[4]) == (["a", "all", "infAP"], of_mean)
    assert "note: standard errors of infAP (sampling_error) leave out queries with fewer than two relevant" in err
    assert main([*arguments, "infAP", "-m", "AP", "-q", "--digits", "12"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]
    found = {(query, measure): error for _, query, measure, _, error in rows}
    expected = {(query, "infAP"): "" if math.isnan(error) else f"{error:.12f}" for query, error in errors.items()}
    assert found == expected | dict.fromkeys([(query, "AP") for query in [*qrels, "all"]], "") | {
        ("all", "infAP"): of_mean
    }  # fmt: skip
    assert main([*arguments, "infAP", "-m", "AP", "--format", "table", "-q"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split() == ["run", "query", "infAP", "AP"]
    assert table[1].split()[3:5] == ["se", f"{errors['0']:.4f}"]
    assert table[7].split()[1:5] == ["few", table[7].split()[2], "se", "?"]
    assert main([*arguments, "infAP", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["sampling_error"] == pytest.approx(float(of_mean))
    for options in (["AP"], ["infAP(rel=2)"], ["infAP", "--adjust", "chance"], ["infAP", "--format", "latex"]):
        assert main([*arguments, *options]) == 2
        assert "--sampling-error" in capsys.readouterr().err
    assert main([*arguments[:3], "--variance", "--format", "latex"]) == 2
    assert "--variance cannot be combined with --format latex, which shows only means" in capsys.readouterr().err


def test_the_example_of_the_docs() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": -1, "e": 0, "f": 1, "g": -1}}
    results = untied.evaluate(qrels, {"q": list("axdbcyef")}, ["AP", "Bpref", "AP(judged_only=True)", "subAP", "infAP"])
    p = 5 / 7
    of_c = (1 - p) / 3 + p / 4
    of_f = (1 - p) ** 2 / 5 + 2 * p * (1 - p) / 6 + p**2 / 7
    values = {
        "AP": (1 + 2 / 5 + 3 / 8) / 3,
        "Bpref": (1 + 1 / 2 + 0) / 3,
        "AP(judged_only=True)": (1 + 2 / 3 + 3 / 5) / 3,
        "subAP": (1 + 2 * of_c + 3 * of_f) / 3,
        "infAP": (1 + 1 / 5 + 3 / 5 / 2 + 1 / 8 + 5 / 8 / 2) / 3,
    }
    page = (pathlib.Path(__file__).parents[2] / "docs" / "estimators.md").read_text()
    for name, value in values.items():
        assert results[name].mean == pytest.approx(value, abs=1e-5)
        (row,) = (line for line in page.splitlines() if line.startswith(f"| `{name}` | 1 |"))
        assert row.endswith(f"| {value:.4f} |")
    bounds = untied.evaluate(qrels, {"q": list("axdbcyef")}, "AP", unjudged="range")["AP"]
    assert f"AP is between {bounds.low:.4f} and {bounds.high:.4f}" in page


def test_nothing_is_uncertain_where_all_is_judged() -> None:
    qrels = {"q": {f"d{i}": i % 3 == 0 for i in range(12)}}
    assert estimates.infap_error(qrels, {"q": sorted(qrels["q"])}) == {"q": 0.0}


def test_standard_error_against_all_samples() -> None:
    """It is of the size of the true one, and below it, as it says."""
    docs = [f"d{i:02}" for i in range(12)]
    relevant = {"d00", "d02", "d03", "d05", "d08", "d09"}
    values, errors = [], []
    for sample in itertools.combinations(docs, 8):
        qrels = {"q": {doc: (doc in relevant) if doc in sample else -1 for doc in docs}}
        if len(relevant & set(sample)) >= 2:
            values.append(untied.evaluate(qrels, {"q": docs}, ["infAP"])["infAP"].mean)
            errors.append(estimates.infap_error(qrels, {"q": docs})["q"])
    mean = sum(values) / len(values)
    true = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    typical = math.sqrt(sum(error**2 for error in errors) / len(errors))
    assert 0.5 * true < typical < 1.1 * true


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_standard_errors_are_too_small_by_as_much_as_the_page_says(share: float) -> None:
    generator = random.Random(1)
    docs = [f"d{i}" for i in range(400)]
    relevant = {doc for i, doc in enumerate(docs) if generator.random() < 0.35 * math.exp(-i / 80) + 0.02}
    qrels = {
        f"q{sample}": {doc: (doc in relevant) if generator.random() < share else -1 for doc in docs}
        for sample in range(400)
    }
    run = dict.fromkeys(qrels, docs)
    errors = {query: error for query, error in estimates.infap_error(qrels, run).items() if not math.isnan(error)}
    infap = untied.evaluate(qrels, run, ["infAP"])
    deviation = statistics.stdev(infap.value("infAP", query=query).mean for query in errors)
    error = math.sqrt(statistics.mean(error**2 for error in errors.values()))
    assert 0.7 < error / deviation < 0.95


def test_draws_of_subap() -> None:
    generator = random.Random(5)
    docs = [f"d{i}" for i in range(40)]
    qrels = {"q": {doc: generator.choice([0, 1, -1]) for doc in generator.sample(docs, 20)}}
    run = {"q": docs}
    exact = untied.evaluate(qrels, run, ["subAP"], variance=True)["subAP"]

    def draw(**options: object) -> float:
        return untied.evaluate(qrels, estimates.subcollection(qrels, run, **options), ["AP"])["AP"].mean

    induced = untied.evaluate(qrels, run, ["AP"], unjudged="remove")["AP"].mean
    assert draw(rate=0) == pytest.approx(induced)
    assert draw(rate=1) == pytest.approx(untied.evaluate(qrels, run, ["subAP(p=1)"])["subAP(p=1)"].mean)
    assert draw(seed=3) == draw(seed=3)
    draws = [draw(seed=seed) for seed in range(400)]
    assert exact.variance is not None
    assert abs(sum(draws) / 400 - exact.mean) < 4 * math.sqrt(exact.variance / 400)
    with pytest.raises(untied.UntiedError, match=r"rate must be from 0 to 1, not 1\.5"):
        estimates.subcollection(qrels, run, rate=1.5)


def test_the_variance_of_one_order_is_that_of_inclusion() -> None:
    """The best and the worst order vary by what is drawn, as a ranking without ties does."""
    qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": -1, "e": 1}}
    tied = {"q": [["x", "a", "b"], ["y", "c", "d"], ["e"]]}
    orders = {"best": {"q": list("abxcdye")}, "worst": {"q": list("xbaydce")}}
    measure = "subAP(p=0.5)"
    for ties, order in orders.items():
        found = untied.evaluate(qrels, tied, measure, ties=ties, variance=True)[measure]
        alone = untied.evaluate(qrels, order, measure, variance=True)[measure]
        assert (found.mean, found.variance) == (alone.mean, alone.variance)
        assert found.variance
        assert untied.evaluate(qrels, tied, "AP", ties=ties, variance=True)["AP"].variance == 0
