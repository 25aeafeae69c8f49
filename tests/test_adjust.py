"""Values adjusted for chance against all orders of the retrieved documents, in exact fractions, and closed forms."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import oracle
import untied
from nightly import many, seeded
from oracle.measures import Measure
from strategies import as_text
from test_distributions import FORMS, judgments, ranking

OTHERS = [
    Measure("infAP"),
    Measure("G"),
    Measure("NCU"),
    Measure("YAAP"),
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
