"""The reference cases of golden.json, for the package and for the oracle."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import oracle
import untied
from strategies import as_object, as_text, close

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("golden.json").read_text())["cases"]

NAMES = {"P": "P", "R": "R", "F1": "F1", "AP": "AP", "RR": "RR", "DCG": "DCG", "nDCG": "nDCG", "success": "Success",
         "Rprec": "Rprec", "RBP": "RBP", "RBP.residual": "RBPResidual"}  # fmt: skip
STATISTICS = {"mean": "mean", "value": "mean", "var": "variance", "min": "low", "max": "high"}

# What the package does not compute yet: measures, or single statistics of a measure. To be emptied, never silently.
NOT_YET = {
    "11pt",
    "ADR",
    "ADR.inverted",
    "ADR.profile",
    "AP/judgement_bounds",
    "ERR",
    "ESL",
    "MED-AP",
    "MED-DCG",
    "MED-ERR",
    "MED-P",
    "MED-RBP",
    "MED-RR",
    "MED-nDCG",
    "R/judgement_bounds",
    "RBO",
    "RBO.permutation",
    "Rprec/judgement_bounds",
    "TBG",
    "U",
    "bpref",
    "cascade",
    "compat",
    "indAP",
    "infAP",
    "infNDCG",
    "iprec",
    "nDCG/judgement_bounds",
    "pair_concordance",
    "statAP",
    "subAP",
    "tau",
    "tauAP",
    "tauAP_b",
    "tau_b",
    "xinfAP",
}


def is_not_yet(case: dict[str, Any]) -> bool:
    return case["measure"] in NOT_YET or f"{case['measure']}/{case['statistic']}" in NOT_YET


COVERED = [case for case in CASES if not is_not_yet(case)]
by_id = pytest.mark.parametrize("case", COVERED, ids=lambda case: case["id"])


def measure_of(case: dict[str, Any]) -> oracle.Measure:
    """The case's measure; raises on any parameter that is not understood."""
    params = dict(case["input"]["params"])
    k = params.pop("k", None)
    kwargs: dict[str, Any] = {}
    if case["measure"] == "Rprec":
        k = None  # one case states a cutoff, which R-precision does not have
    if "R" in params:
        kwargs["recall_base"] = params.pop("R")
    if "ideal" in params:
        kwargs["recall_base"] = params.pop("ideal")
    if "p" in params:
        kwargs["p"] = Fraction(params.pop("p"))
    if "gain" in params:
        kwargs["gain"] = {"exp": "exp2", "linear": "linear"}[params.pop("gain")]
    if "discount" in params:
        kwargs["discount"] = {"inv": "inverse", "log2": "log2", "jk2": "log(2)"}[params.pop("discount")]
    assert not params, f"parameters not understood: {params}"
    return oracle.Measure(NAMES[case["measure"]], k, **kwargs)


def test_every_case_is_covered_or_listed() -> None:
    for case in COVERED:
        assert case["measure"] in NAMES, case["id"]
        assert case["statistic"] in STATISTICS, case["id"]
        assert set(case["input"]) <= {"ranking", "orders", "qrels", "params"}, case["id"]
    stale = NOT_YET - {c["measure"] for c in CASES} - {f"{c['measure']}/{c['statistic']}" for c in CASES}
    assert not stale
    assert not NOT_YET & set(NAMES)
    assert len(COVERED) + sum(map(is_not_yet, CASES)) == len(CASES) == 425


@by_id
def test_oracle(case: dict[str, Any]) -> None:
    groups, truth = case["input"]["ranking"], case["input"]["qrels"]
    if case["statistic"] == "value":
        assert all(len(group) == 1 for group in groups)
    assert sum(1 for _ in oracle.permutations(groups)) == case["input"].get("orders", 1)
    result = getattr(oracle.statistics(measure_of(case), groups, truth), STATISTICS[case["statistic"]])
    if case["exact"]:
        assert result == Fraction(case["value"])
    else:
        assert close(result, case["float"])


@by_id
@pytest.mark.parametrize("form", [as_text, as_object])
def test_package(case: dict[str, Any], form: Any) -> None:
    measure = form(measure_of(case))
    results = untied.evaluate(
        {"q": case["input"]["qrels"]}, {"q": case["input"]["ranking"]}, [measure], ties="range", variance=True
    )
    value = results.value(measure, query="q")
    assert close(getattr(value, STATISTICS[case["statistic"]]), case["float"])
