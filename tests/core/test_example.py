"""The bundled example, examples/tar2017: its figures, and every value and extreme against exact counting."""

from __future__ import annotations

from pathlib import Path

import pytest

import oracle
import untied
from strategies import as_text, close

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "tar2017"
RUNS = ["amc", "qut", "uos", "waterloo"]
MEASURES = [oracle.Measure("AP"), oracle.Measure("nDCG", 10), oracle.Measure("RR")]


def test_figures_of_the_all_tied_run() -> None:
    qrels, run = EXAMPLE / "qrels.txt", EXAMPLE / "uos.run"
    value = untied.evaluate(qrels, run, ["AP"], ties="range").value("AP")
    assert [f"{x:.4f}" for x in (value.mean, value.low, value.high)] == ["0.0971", "0.0432", "1.0000"]
    assert f"{untied.evaluate(qrels, run, ['AP'], ties='docid').value('AP').mean:.4f}" == "0.0916"


@pytest.mark.parametrize("name", RUNS)
def test_statistics(name: str) -> None:
    """Groups of up to 1,573 documents: far too many orders to list, so the oracle counts them."""
    qrels, run = oracle.read_qrels(EXAMPLE / "qrels.txt"), oracle.read_run(EXAMPLE / f"{name}.run")
    texts = [as_text(measure) for measure in MEASURES]
    results = untied.evaluate(EXAMPLE / "qrels.txt", EXAMPLE / f"{name}.run", texts, ties="range", variance=True)
    assert results.queries == sorted(qrels)
    for measure, text in zip(MEASURES, texts, strict=True):
        topics = {
            query: oracle.counted(measure, oracle.group_scores(run.get(query, {})), truth)
            for query, truth in qrels.items()
        }
        for query, want in [*topics.items(), (None, oracle.aggregate(measure, list(topics.values())))]:
            value = results.value(text, query=query)
            for statistic in ("mean", "variance", "low", "high"):
                got, exact = getattr(value, statistic), getattr(want, statistic)
                assert close(got, exact), (name, text, query, statistic, got, float(exact))


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("ties", ["docid", "given"])
def test_fixed_orders(name: str, ties: str) -> None:
    qrels, run = oracle.read_qrels(EXAMPLE / "qrels.txt"), oracle.read_run(EXAMPLE / f"{name}.run")
    texts = [as_text(measure) for measure in MEASURES]
    results = untied.evaluate(EXAMPLE / "qrels.txt", EXAMPLE / f"{name}.run", texts, ties=ties)
    for measure, text in zip(MEASURES, texts, strict=True):
        for query, truth in qrels.items():
            want = oracle.tie_policy(measure, run.get(query, {}), truth, ties)
            assert close(results.value(text, query=query).mean, want), (text, query)
