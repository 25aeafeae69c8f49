"""Values adjusted for chance against all orders of the retrieved documents, in exact fractions, and closed forms."""

from __future__ import annotations

import inspect
import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

import oracle
import untied
from nightly import many, seeded
from oracle.measures import Measure
from strategies import ESTIMATED, as_text
from test_distributions import FORMS, judgments, ranking
from test_policies import ENTRY_POINTS
from untied.cli import main

OTHERS = [
    Measure("infAP"),
    Measure("G"),
    Measure("NCU"),
    *map(Measure, ESTIMATED),
    Measure("binG"),
    Measure("Rnorm"),
    Measure("Accuracy"),
    Measure("Pplus"),
    Measure("IPrec", 0.5),
]
MEAN = [one for one in [*FORMS, *OTHERS] if one.name not in ("Hits",) and one.name in oracle.MEASURES]


def adjusted(measure: Measure, groups: list[list[str]], truth: oracle.judgements.Truth) -> oracle.Statistics | None:
    """From the definition: all orders of all documents are listed for what is expected and best."""
    found = oracle.statistics(measure, groups, truth)
    shuffled = oracle.statistics(measure, [[doc for group in groups for doc in group]], truth)
    if found is None or shuffled is None or shuffled.high - shuffled.mean < Fraction(1, 10**12):
        return None
    room = shuffled.high - shuffled.mean

    def of(value: Fraction) -> Fraction:
        return (value - shuffled.mean) / room

    variance = None if found.variance is None else found.variance / room**2
    return oracle.Statistics(of(found.mean), variance, of(found.low), of(found.high))


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # nothing may be in common, or relevant
@pytest.mark.parametrize("measure", MEAN, ids=as_text)
def test_values_are_adjusted_by_all_orders_of_the_same_documents(measure: Measure) -> None:
    rng = seeded(f"adjust {as_text(measure)}")
    for _ in range(many(3)):
        truth, groups = judgments(rng), ranking(rng)[:3]
        expected = adjusted(measure, groups, truth)
        for policy in ("zero", "nan"):
            found = untied.evaluate(
                {"q": truth}, {"q": groups}, as_text(measure), ties="range", variance=True, adjust="chance",
                on_undefined=policy,
            )  # fmt: skip
            value = found.value(as_text(measure), query="q")
            if expected is None:
                assert value == 0 if policy == "zero" else math.isnan(value)
                continue
            assert value.low is not None
            assert value.high is not None
            assert value == pytest.approx(float(expected.mean), abs=1e-9)
            assert value.low == pytest.approx(float(expected.low), abs=1e-9)
            assert value.high == pytest.approx(float(expected.high), abs=1e-9)
            if expected.variance is not None and value.variance is not None:
                assert value.variance == pytest.approx(float(expected.variance), abs=1e-9)


def test_reciprocal_ranks_are_adjusted_as_those_of_knowledge_graphs() -> None:
    # One relevant document among n candidates: a random order has E = (1 + 1/2 + .. + 1/n) / n (PyKEEN: adjusted mean
    # reciprocal rank index).
    for n in (2, 5, 40):
        expected = sum(1 / i for i in range(1, n + 1)) / n
        docs = [f"d{i:02}" for i in range(n)]
        ranks = sorted({1, 2, n})
        qrels = {f"q{rank}": {docs[rank - 1]: 1} for rank in ranks}
        run = dict.fromkeys(qrels, docs)
        found = untied.evaluate(qrels, run, "RR", adjust="chance")
        values = [(1 / rank - expected) / (1 - expected) for rank in ranks]
        for rank, value in zip(ranks, values, strict=True):
            assert found.value("RR", query=f"q{rank}") == pytest.approx(value, abs=1e-12)
        assert found["RR"] == pytest.approx(sum(values) / len(values), abs=1e-12)
        tied = untied.evaluate(qrels, {query: [docs] for query in qrels}, "RR", adjust="chance")
        assert tied["RR"] == pytest.approx(0, abs=1e-12)


def test_precision_is_adjusted_by_the_hypergeometric_mean() -> None:
    docs = [f"d{i}" for i in range(20)]
    qrels = {"q": dict.fromkeys(docs[3:9], 1)}
    value = untied.evaluate(qrels, {"q": docs}, "P@5", adjust="chance")["P@5"]
    expected = 5 * 6 / 20
    assert value == pytest.approx((2 - expected) / (5 - expected), abs=1e-12)


def test_what_cannot_be_adjusted_is_refused() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": ["a", "b"]}
    for measure, options, said in (
        ("ESL", {}, "ESL cannot be adjusted for chance"),
        ("NumRelRet", {}, "cannot be adjusted for chance"),
        ("AP(mean='geometric')", {}, "cannot be adjusted for chance"),
        ("AP", {"unjudged": "range"}, "adjust 'chance' needs unjudged nonrelevant or remove"),
        ("AP", {"adjust": "luck"}, "adjust must be none or chance, not 'luck'"),
    ):
        with pytest.raises(untied.UntiedError, match=said):
            untied.evaluate(qrels, run, measure, **{"adjust": "chance", **options})  # type: ignore[arg-type]
    alone = untied.evaluate(qrels, {"q": ["a"]}, "AP", adjust="chance", on_undefined="nan")["AP"]
    assert math.isnan(alone)


#: Commands and enough arguments for what is wrong with them to be the option.
COMMANDS_WITHOUT = {
    "gate": ["QRELS", "RUN", "--min", "AP=0"],
    "report": ["-o", "page.html", "QRELS", "RUN"],
    "compare": ["RUN", "OTHER"],
    "certify": ["QRELS", "RUN", "OTHER"],
    "features": ["DATA"],
    "curve": ["--query", "q", "QRELS", "RUN"],
    "judge-next": ["QRELS", "RUN", "OTHER"],
}


@pytest.mark.parametrize("command", COMMANDS_WITHOUT)
def test_other_commands_refuse_to_adjust(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, *COMMANDS_WITHOUT[command], "--adjust", "chance"])
    assert stopped.value.code == 2
    assert "unknown option --adjust" in capsys.readouterr().err


def test_every_function_either_adjusts_or_refuses() -> None:
    """There is no function that takes the policy among others without a parameter, and drops it."""
    adjusting = set()
    for name, entry in ENTRY_POINTS.items():
        if "adjust" in inspect.signature(entry.function).parameters:
            adjusting.add(name)
            continue
        with pytest.raises(TypeError, match="adjust"):
            entry.absent(adjust="chance")
    assert adjusting == {"evaluate", "Evaluator"}


def test_stats_tests_adjusted_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels = {f"q{i}": {"x": 1, "y": 0} for i in range(5)} | {"none": {"y": 0}}
    runs = {name: {query: list(docs) for query in qrels} for name, docs in (("a", "xyz"), ("b", "yxz"))}
    files = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    Path(files[0]).write_text(
        "".join(f"{q} 0 {doc} {grade}\n" for q, docs in qrels.items() for doc, grade in docs.items())
    )
    for file, run in zip(files[1:], runs.values(), strict=True):
        lines = [f"{q} Q0 {doc} 1 {-place} t\n" for q, docs in run.items() for place, doc in enumerate(docs)]
        Path(file).write_text("".join(lines))
    results = untied.evaluate(qrels, runs, "RR", adjust="chance")
    # 11/18 is expected of a random order, and 1 the best: a has 1, and b (1/2 - 11/18) / (1 - 11/18) = -2/7.
    (row,) = untied.statistics.significance(results).table.to_dicts()
    assert (row["mean_a"], row["mean_b"]) == pytest.approx((5 / 6, -2 / 7 * 5 / 6))
    assert main(["stats", *files, "-m", "RR", "--adjust", "chance", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert told["settings"]["adjust"] == "chance"
    assert (told["results"][0]["mean_a"], told["results"][0]["p"]) == (row["mean_a"], row["p"])
    assert "values are adjusted for chance" in err
    assert "counted as 0, because nothing is relevant or the best order is no better than a random order: 1 of a" in err
    assert main(["stats", *files, "-m", "RR", "--adjust", "chance", "--format", "table"]) == 0
    assert capsys.readouterr().out.startswith("RR (adjusted): ")
    assert main(["stats", *files, "-m", "RR", "--adjust", "chance", "--format", "latex"]) == 0
    assert "Values are adjusted for chance" in capsys.readouterr().out
    for option in ("--certify", "--shuffle"):
        assert main(["stats", *files, "-m", "RR", "--adjust", "chance", option]) == 2
        assert f"{option} cannot be combined with --adjust chance" in capsys.readouterr().err
