"""The reference cases of golden.json, for the package and for the oracle."""

import inspect
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import oracle
import untied
from strategies import NOT_YET, PACKAGE, as_object, as_text, close

# Some cases have nothing relevant, or nothing in common, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::untied.UntiedWarning")

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "golden.json").read_text())["cases"]

NAMES = {"P": "P", "R": "R", "F1": "F1", "AP": "AP", "indAP": "AP", "RR": "RR", "DCG": "DCG", "nDCG": "nDCG",
         "success": "Success", "Rprec": "Rprec", "RBP": "RBP", "RBP.residual": "RBPResidual", "ERR": "ERR",
         "cascade": "Cascade", "iprec": "IPrec", "11pt": "IPrecMean", "ESL": "ESL", "bpref": "Bpref",
         "infAP": "infAP", "ADR": "ADR", "pair_concordance": "PairConcordance", "compat": "Compat", "subAP": "subAP",
         "TBG": "TBG", "U": "U", "xinfAP": "xinfAP", "infNDCG": "infNDCG", "statAP": "statAP",
         "ADR.inverted": "ADRInverted"}  # fmt: skip
NAMES |= {name: name for name in ("Q", "O", "Pmeasure", "Pplus", "NCU", "GAP", "iRBU", "Rnorm")}
NAMES |= {name: name for name in ("RBU", "D_nDCG", "Dsharp_nDCG")}
STATISTICS = {"mean": "mean", "value": "mean", "var": "variance", "min": "low", "max": "high"}

# What neither the package nor the oracle computes: measures, or single statistics of a measure. To be emptied, never
# silently. Measures that only the package lacks are in NOT_YET of strategies.py: the oracle is held to their cases.
NOT_STATED: set[str] = set()


# Cases that other tests have.
ELSEWHERE = {
    "RBO": "test_compare.py",
    "RBO.permutation": "test_compare.py",
    "ADR.profile": "test_partial_order.py",
    "tau": "test_correlation.py",
    "tauAP": "test_correlation.py",
    "tauAP_b": "test_correlation.py",
    "tau_b": "test_correlation.py",
    **dict.fromkeys(("MED-AP", "MED-DCG", "MED-ERR", "MED-P", "MED-RBP", "MED-RR", "MED-nDCG"), "test_med.py"),
}


def is_not_stated(case: dict[str, Any]) -> bool:
    if case["statistic"] == "judgement_bounds":
        return True  # test_bounds.py has these
    if case["measure"] in ELSEWHERE:
        return True
    return case["measure"] in NOT_STATED or f"{case['measure']}/{case['statistic']}" in NOT_STATED


COVERED = [case for case in CASES if not is_not_stated(case)]
by_id = pytest.mark.parametrize("case", COVERED, ids=lambda case: case["id"])


def measure_of(case: dict[str, Any]) -> tuple[oracle.Measure, dict[str, Any]]:
    """The case's measure and judgements; raises on any parameter that is not understood."""
    name, given = case["measure"], case["input"]
    params = dict(given["params"])
    k = params.pop("k", None)
    if name in ("Rprec", "bpref", "infAP"):
        k = None  # some cases state a cutoff, which these do not have
    if name == "ERR":
        return reciprocal_rank_of(k, params, {doc: Fraction(stop) for doc, stop in given["stop"].items()})
    if name == "cascade":
        return cascade_of(given["gain"], given["cont"], [Fraction(w) for w in params["weights"]])
    kwargs: dict[str, Any] = {"judged_only": name == "indAP"}
    if name == "iprec":
        k = float(Fraction(params.pop("recall")))
    if "R" in params:
        kwargs["recall_base"] = params.pop("R")
    if "ideal" in params:
        kwargs["recall_base"] = params.pop("ideal")
    for key in ("p", "eps", "gamma", "e"):
        if key in params:
            kwargs[key] = Fraction(params.pop(key))
    if name == "ADR":
        k = params.pop("depth", None)
    for key in (
        "q",
        "variant",
        "extra",
        "prior",
        "self_weight",
        "L",
        "gain_at",
        "h",
        "beyond",
        "depth",
        "normalize",
        "count",
        "beta",
        "user",
        "utility",
        "max_grade",
        "collection",
    ):
        if key in params:
            kwargs[key] = params.pop(key)
    if "stops" in params:
        kwargs["stops"] = {int(grade): stop for grade, stop in params.pop("stops").items()}
    if "gain" in params:
        kwargs["gain"] = {"exp": "exp2", "linear": "linear"}[params.pop("gain")]
    if "discount" in params:
        kwargs["discount"] = {"inv": "inverse", "log2": "log2", "jk2": "log(2)"}[params.pop("discount")]
    assert not params, f"parameters not understood: {params}"
    if "truth" in given:
        grades = {doc: len(given["truth"]) - j for j, group in enumerate(given["truth"]) for doc in group}
        return oracle.Measure(NAMES[name], k, **kwargs), grades
    if "strata" in given:
        return oracle.Measure(NAMES[name], k, **kwargs), pairs(given["strata"], given["qrels"])
    if "incl" in given:
        inclusion = {doc: float(Fraction(probability)) for doc, probability in given["incl"].items()}
        return oracle.Measure(NAMES[name], k, **kwargs), pairs(given["rels"], inclusion)
    return oracle.Measure(NAMES[name], k, **kwargs), given["gain" if name == "U" else "qrels"]


def pairs(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    assert one.keys() == other.keys()
    return {doc: (one[doc], other[doc]) for doc in one}


def reciprocal_rank_of(
    k: int | None, params: dict[str, Any], stop: dict[str, Fraction]
) -> tuple[oracle.Measure, dict[str, Any]]:
    """ERR's cases give stop probabilities; (2^g - 1) / 2^max_grade is one of them for some grade g."""
    if params:
        max_grade, grades = params["gmax"], params["grades"]
        assert stop == {doc: Fraction(2 ** grades[doc] - 1, 2**max_grade) for doc in stop}
        return oracle.Measure("ERR", k, max_grade=max_grade), grades
    if set(stop.values()) <= {0, 1}:  # no grade stops for sure: a cascade whose weights are 1/rank
        return oracle.Measure("Cascade", k, discount="inverse"), {doc: int(p) for doc, p in stop.items()}
    grade = {Fraction(0): 0, Fraction(1, 4): 1, Fraction(3, 4): 2}
    return oracle.Measure("ERR", k, max_grade=2), {doc: grade[p] for doc, p in stop.items()}


def cascade_of(
    gain: dict[str, str], go_on: dict[str, str], weights: list[Fraction]
) -> tuple[oracle.Measure, dict[str, Any]]:
    """A cascade's cases give gains and continuations per document: every document gets a grade of its own."""
    assert weights == [Fraction(1, rank) for rank in range(1, len(weights) + 1)]
    grades = {doc: grade for grade, doc in enumerate(sorted(gain, key=lambda doc: Fraction(gain[doc])))}
    gains = {grade: float(Fraction(gain[doc])) for doc, grade in grades.items()}
    continuations = {grade: float(Fraction(go_on[doc])) for doc, grade in grades.items()}
    return oracle.Measure("Cascade", None, gain=gains, go_on=continuations, discount="inverse"), grades


def test_every_case_is_covered_or_listed() -> None:
    for case in COVERED:
        assert case["measure"] in NAMES, case["id"]
        assert case["statistic"] in STATISTICS, case["id"]
        assert set(case["input"]) <= {
            "ranking",
            "orders",
            "qrels",
            "params",
            "stop",
            "gain",
            "cont",
            "length",
            "truth",
            "strata",
            "rels",
            "incl",
        }
    stale = NOT_STATED - {c["measure"] for c in CASES} - {f"{c['measure']}/{c['statistic']}" for c in CASES}
    assert not stale
    assert not NOT_STATED & set(NAMES)
    assert len(COVERED) + sum(map(is_not_stated, CASES)) == len(CASES) == 609


def test_not_yet() -> None:
    """What the package has is not in the list of what it lacks any more, and nothing is left out silently."""
    lacking = {name for name in oracle.MEASURES if name not in PACKAGE}
    assert lacking == {name for name in NOT_YET if "." not in name}, "take what exists out of NOT_YET in strategies.py"
    parameters = set()
    for name in oracle.MEASURES.keys() & PACKAGE.keys():
        known = {"order", "truth", "lengths", "k", "recall", *(key for key, *_ in PACKAGE[name]["parameters"])}
        defined = inspect.signature(oracle.MEASURES[name]).parameters.keys()
        parameters |= {f"{name}.{key}" for key in defined - known}
    assert parameters == {name for name in NOT_YET if "." in name}, "take what exists out of NOT_YET in strategies.py"


@by_id
def test_oracle(case: dict[str, Any]) -> None:
    groups, (measure, truth) = case["input"]["ranking"], measure_of(case)
    if case["statistic"] == "value":
        assert all(len(group) == 1 for group in groups)
    if "orders" in case["input"]:
        assert sum(1 for _ in oracle.permutations(groups)) == case["input"]["orders"]
    statistics = oracle.statistics(measure, groups, truth, lengths=case["input"].get("length"))
    result = getattr(statistics, STATISTICS[case["statistic"]])
    if case["exact"]:
        assert result == Fraction(case["value"])
    else:
        assert close(result, case["float"])


@by_id
@pytest.mark.parametrize("form", [as_text, as_object])
def test_package(case: dict[str, Any], form: Any) -> None:
    measure, truth = measure_of(case)
    if measure.name in NOT_YET:
        pytest.skip(f"the package does not have {measure.name} yet")
    asked = form(measure)
    kind, run = oracle.OF_PAIRS.get(measure.name, "trec"), {"q": case["input"]["ranking"]}
    docs = case["input"].get("length")
    results = untied.evaluate({"q": truth}, run, [asked], qrels_format=kind, docs=docs, ties="range", variance=True)
    value = results.value(asked, query="q")
    assert close(getattr(value, STATISTICS[case["statistic"]]), case["float"])
