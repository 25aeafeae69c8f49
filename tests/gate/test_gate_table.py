"""The table of docs/gate_reference.md: what each rule decides on where values are missing, undefined or not exact."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import untied
from strategies import ESTIMATED
from untied.gate import Check, gate

#: Eight queries; in the first nothing is relevant where a case takes NOTHING.
QRELS = {f"q{number}": {"a": 1, "b": 0} for number in range(8)}
NOTHING = QRELS | {"q0": {"a": 0, "b": 0}}
GOOD = {query: ["a", "b"] for query in QRELS}
#: Without the only relevant document of the first query.
LOST = GOOD | {"q0": ["b", "x"]}
#: Without the first query.
SHORT = {query: docs for query, docs in GOOD.items() if query != "q0"}
#: The first query's ranking is not as good.
WORSE = GOOD | {"q1": ["b", "a"]}

#: One group of so many documents that bounds of infAP over its orders are not those of any order.
MANY = [f"d{number}" for number in range(400)]
SAMPLED = {"q": {doc: [1, 0, -1][place % 4] for place, doc in enumerate(MANY) if place % 4 < 3}}
TIED = {"q": [MANY]}
IN_ORDER = {"q": MANY}
#: One group in which the orders of documents are sampled for this measure.
MEASURE = ESTIMATED[0]
FORTY = MANY[:40]
GRADED = {"q": {doc: float(place % 4) for place, doc in enumerate(FORTY)}}
#: MED of U is estimated for lengths that differ, that of ERR is enclosed.
LENGTHS = {doc: 10.0 * place * place + 101.3 * place + 100 for place, doc in enumerate(FORTY)}
ONE, OTHER = {"q": [FORTY]}, {"q": [FORTY[:14:-1], FORTY[14::-1]]}

#: Ties for which bounds of AP over unjudged documents only enclose.
GROUP = {"q0": [["a", "n1", "n2"]]}
LATE = {"q0": ["b", "m1", "m2", "m3", "m4", "m5", "a"]}

#: A case: options of the gate, whether it passes, and what the sentence has.
Case = tuple[dict[str, Any], bool, str]


def of(qrels: Any, run: Any, **options: Any) -> dict[str, Any]:
    return {"qrels": qrels, "run": run, **options}


def undefined_in_min() -> list[Case]:
    case = of(NOTHING, GOOD, min={"AP": 0.8})
    return [
        (case, False, "AP is 1.0000 (mean of 7 queries; left out: 1 undefined), at least 0.8000 is required; "
                      "undefined for 1 query (q0): --on-undefined nan"),
        (case | {"on_undefined": "zero"}, True, "0.8750 (mean of 8 queries; counted as 0: 1 undefined)"),
        (case | {"on_undefined": "nan"}, True, "1.0000 (mean of 7 queries; left out: 1 undefined)"),
        (of(NOTHING, GOOD, min={"AP": 0.9}, on_undefined="zero"), False, "0.8750"),
    ]  # fmt: skip


def undefined_in_max() -> list[Case]:
    case = of(QRELS, LOST, max={"ESL": 1})
    return [
        (case, False, "undefined for 1 query (q0): --on-undefined nan (on_undefined='nan') leaves them out"),
        (case | {"on_undefined": "zero"}, False, "they cannot count as 0, which is the best value"),
        (case | {"on_undefined": "nan"}, True, "mean of 7 queries; left out: 1 undefined"),
    ]


def undefined_in_drop(**significant: Any) -> list[Case]:
    # With --significant the limit is broken by an insignificant drop, so that only the undefined query can fail.
    run, more = (LOST | {"q1": ["b", "a"]}, significant) if significant else (LOST, {})
    case = of(QRELS, run, baseline=GOOD, max_drop={"ESL": 0}, **more)
    name = "AP(recall_base='ranking')"
    fraction = of(QRELS, LOST, baseline=GOOD, max_drop={name: 0.2}, **more)
    both = of(NOTHING, WORSE if significant else GOOD, baseline=GOOD, max_drop={"AP": 0}, **more)
    return [
        (case, False, "1 query became undefined (q0): --on-undefined nan (on_undefined='nan') leaves them out"),
        (case | {"on_undefined": "zero"}, False, "they cannot count as 0, which is the best value"),
        (case | {"on_undefined": "nan"}, True, "left out: 1 undefined in the run"),
        (fraction, False, "1 query became undefined (q0)"),
        (fraction | {"on_undefined": "zero"}, True, "drops by 0.1250 (from 1.0000 to 0.8750"),
        (both, True, "left out: 1 undefined in both"),
        (both | {"on_undefined": "zero"}, True, "counted as 0: 1 undefined in both"),
        (of(QRELS, GOOD, baseline=LOST, max_drop={"ESL": 0}, **more), True, "left out: 1 undefined in the baseline"),
    ]


def undefined_in_med() -> list[Case]:
    # R is undefined for the first query, but what judgments could make of it is known.
    return [(of(NOTHING, GOOD, baseline=GOOD, max_med={"R@2": 0}), True, "can be 0.0000 (mean of 8 queries)")]


def missing_in_min() -> list[Case]:
    case = of(QRELS, SHORT, min={"RR": 0.8})
    return [
        (case, False, "the run lacks 1 query (q0): --allow-missing (allow_missing=True)"),
        (case | {"allow_missing": True}, True, "0.8750 (mean of 8 queries; counted as empty rankings: 1 missing)"),
        (of(QRELS, SHORT, min={"RR": 0.9}, allow_missing=True), False, "0.8750"),
    ]


def missing_in_max() -> list[Case]:
    case = of(QRELS, SHORT, max={"Unjudged@2": 0.1})
    return [
        (case, False, "the run lacks 1 query (q0)"),
        (case | {"allow_missing": True}, True, "mean of 8 queries; counted as empty rankings: 1 missing"),
        # ESL of an empty ranking is undefined, which is another thing to allow.
        (of(QRELS, SHORT, max={"ESL": 1}, allow_missing=True), False, "undefined for 1 query (q0)"),
    ]


def missing_in_drop(**significant: Any) -> list[Case]:
    case = of(QRELS, SHORT, baseline=GOOD, max_drop={"RR": 0.2}, **significant)
    close = of(QRELS, SHORT, baseline=GOOD, max_drop={"RR": 0.1}, allow_missing=True, **significant)
    return [
        (case, False, "the run lacks 1 query of the baseline (q0)"),
        (case | {"allow_missing": True}, True, "drops by 0.1250"),
        (close, bool(significant), "counted as empty rankings: 1 missing from the run"),
        # What the baseline lacks cannot make up for anything.
        (of(QRELS, WORSE, baseline=SHORT, max_drop={"RR": 0.05}, **significant), bool(significant),
         "drops by 0.0714 (from 1.0000 to 0.9286, mean of 7 queries"),
        (of(QRELS, GOOD, baseline={"other": ["a"]}, max_drop={"RR": 0}, **significant), False,
         "no query can be compared"),
    ]  # fmt: skip


def missing_in_med() -> list[Case]:
    case = of(QRELS, SHORT, baseline=GOOD, max_med={"RR": 0.2})
    return [
        (case, False, "the run lacks 1 of the baseline's queries: --allow-missing"),
        (case | {"allow_missing": True}, True, "mean of 7 queries; left out: 1 that the run lacks"),
        (of(QRELS, GOOD, baseline=SHORT, max_med={"RR": 0.2}), True, "left out: 1 that the baseline lacks"),
    ]


def interval_in_min() -> list[Case]:
    bounds = untied.evaluate(SAMPLED, TIED, "infAP", ties="range")["infAP"]
    assert bounds.certainty == "interval"
    return [
        (of(SAMPLED, TIED, min={"infAP": bounds.mean}), True, "(mean of 1 query)"),
        (of(SAMPLED, TIED, min={"infAP": bounds.low}, ties="worst"), True, "(lower bound of the mean of 1 query)"),
        (of(SAMPLED, TIED, min={"infAP": bounds.low + 0.01}, ties="worst"), False, "lower bound"),
        (of(SAMPLED, TIED, min={"infAP": 0.1}, ties="best"), False, "are bounds that perhaps no order reaches here"),
    ]


def interval_in_max() -> list[Case]:
    bounds = untied.evaluate(SAMPLED, TIED, "infAP", ties="range")["infAP"]
    return [
        (of(SAMPLED, TIED, max={"infAP": bounds.mean}), True, "(mean of 1 query)"),
        (of(SAMPLED, TIED, max={"infAP": bounds.high}, ties="best"), True, "(upper bound of the mean of 1 query)"),
        (of(SAMPLED, TIED, max={"infAP": bounds.high - 0.01}, ties="best"), False, "upper bound"),
        (of(SAMPLED, TIED, max={"infAP": 0.9}, ties="worst"), False, "are bounds that perhaps no order reaches here"),
    ]


def interval_in_drop(**significant: Any) -> list[Case]:
    case = of(SAMPLED, TIED, baseline=TIED, max_drop={"infAP": 0}, **significant)
    return [
        (case, True, "does not drop"),
        (case | {"ties": "worst"}, False, "are bounds that perhaps no order reaches here and cannot decide"),
        (case | {"ties": "best"}, False, "are bounds that perhaps no order reaches here and cannot decide"),
        # One run whose values are not reached is enough.
        (case | {"baseline": IN_ORDER, "ties": "best"}, False, "are bounds that perhaps no order reaches here"),
    ]


def interval_in_med() -> list[Case]:
    one, other = {"q": ["a", "b"]}, {"q": ["b", "c"]}
    found = untied.compare(one, other, "MED(RBP)")["MED(RBP)"]
    assert found.mean < found.high
    unrelated = {"q": {"unrelated": 1.0}}
    between = (found.mean + found.high) / 2
    return [
        (of(unrelated, one, baseline=other, max_med={"RBP": between}), False, f"can show at least {found.mean:.4f}"),
        (of(unrelated, one, baseline=other, max_med={"RBP": found.high}), True, "an upper bound: judgments"),
        # What follows two equal rankings may differ.
        (of(QRELS, GOOD, baseline=GOOD, max_med={"RBP": 0.1}), False, "give the measure a cutoff to exclude documents"),
        (of(QRELS, GOOD, baseline=GOOD, max_med={"RBP@2": 0.1}), True, "MED(RBP@2) can be 0.0000 (mean of 8 queries)"),
        (of(QRELS, GOOD, baseline=GOOD, max_med={"P@4": 0.1}), False,
         "MED(P@4) can be 0.5000 (mean of 8 queries; in 8 queries rankings end before the cutoff"),
    ]  # fmt: skip


def estimated() -> tuple[float, float]:
    """Mean over sampled orders, and two standard errors."""
    value = untied.evaluate(GRADED, ONE, MEASURE, variance=True)[MEASURE]
    assert value.certainty == "estimate"
    assert value.variance is not None
    return value.mean, 2 * (value.variance / 1000) ** 0.5


def estimate_in_min() -> list[Case]:
    mean, margin = estimated()
    return [
        (of(GRADED, ONE, min={MEASURE: mean}), False, "mean of 1 query; minus 2 standard errors"),
        (of(GRADED, ONE, min={MEASURE: mean - 1.01 * margin}), True, "minus 2 standard errors"),
        (of(GRADED, ONE, min={MEASURE: -9}, ties="worst"), False, "values under --ties worst are estimates here"),
        (
            of(GRADED, ONE, min={f"{MEASURE}(mean='geometric')": 0}),
            False,
            "the standard error of the estimate is unknown",
        ),
    ]


def estimate_in_max() -> list[Case]:
    mean, margin = estimated()
    return [
        (of(GRADED, ONE, max={MEASURE: mean}), False, "mean of 1 query; plus 2 standard errors"),
        (of(GRADED, ONE, max={MEASURE: mean + 1.01 * margin}), True, "plus 2 standard errors"),
        (of(GRADED, ONE, max={MEASURE: 9}, ties="best"), False, "values under --ties best are estimates here"),
    ]


def estimate_in_drop() -> list[Case]:
    _, margin = estimated()
    return [
        (of(GRADED, ONE, baseline=ONE, max_drop={MEASURE: margin}), False, "plus 2 standard errors of both"),
        (of(GRADED, ONE, baseline=ONE, max_drop={MEASURE: 2.01 * margin}), True, "plus 2 standard errors of both"),
        (of(GRADED, ONE, baseline=ONE, max_drop={MEASURE: 9}, ties="worst"), False, "cannot decide"),
    ]


def estimate_in_significant_drop() -> list[Case]:
    qrels = {f"q{number}": GRADED["q"] for number in range(8)}
    tied = dict.fromkeys(qrels, ONE["q"])
    bottom = {query: [FORTY[3::4], [doc for doc in FORTY if doc not in FORTY[3::4]]][::-1] for query in qrels}
    return [
        (of(qrels, tied, baseline=tied, max_drop={MEASURE: 0}, significant=True), True, "not significant, p is 1"),
        (
            of(qrels, bottom, baseline=tied, max_drop={MEASURE: 0}, significant=True),
            False,
            "; significant, p is 0.0039",
        ),
    ]


def estimate_in_med() -> list[Case]:
    qrels = {"q": {"unrelated": 1.0}}
    case = of(qrels, ONE, baseline=OTHER, max_med={"U": 1e9}, docs=LENGTHS)
    return [
        (case, False, "MED(U) is estimated with an unknown error; use --ties docid or given"),
        (case | {"ties": "docid"}, True, "MED(U) can be"),
    ]


def few_in(option: str, limit: float, measure: str = "RR") -> Callable[[], list[Case]]:
    """One query is enough."""

    def cases() -> list[Case]:
        options = {option: {measure: limit}, **({"baseline": {"q": ["b", "a"]}} if "_" in option else {})}
        return [(of({"q": {"a": 1, "b": 0}}, {"q": ["a", "b"]}, **options), True, "of 1 query")]

    return cases


def few_in_significant_drop() -> list[Case]:
    def dropped(queries: int, **options: Any) -> dict[str, Any]:
        qrels = {f"q{number}": {"a": 1, "b": 0} for number in range(queries)}
        good, bad = (dict.fromkeys(qrels, docs) for docs in (["a", "b"], ["b", "x"]))
        return of(qrels, bad, baseline=good, **{"max_drop": {"RR": 0.1}, "significant": True, **options})

    return [
        (dropped(4), False, "--significant cannot decide: with 4 queries and 100000 permutations, no p is below 0.062"),
        (dropped(4, max_drop={"RR": 1}), True, "drops by 1.0000"),
        (dropped(4, level=0.9), False, "; significant, p is 0.0625"),
        (dropped(5), False, "; significant, p is 0.03125"),
        (
            dropped(60, samples=10),
            False,
            "--significant cannot decide: with 60 queries and 10 permutations, no p is below",
        ),
    ]


def undefined_in_verdicts(**rule: Any) -> list[Case]:
    # Nothing is relevant for the first query: its difference is 0 until one of the unjudged documents is relevant.
    mean = "(mean of 8 queries)"
    same = NOTHING | {"q0": {"a": 0, "b": 0, "x": 0}}
    better = of(same, {query: ["a"] for query in QRELS}, baseline={query: ["b"] for query in QRELS}, **rule)
    low = {"certain": "by at least 0.8750", "min_overturn": "no number"}
    return [
        (better | {"on_undefined": how}, True, said)
        for how in ("fail", "nan")
        for said in (low[next(iter(rule))], mean)
    ]


def missing_in_verdicts(**rule: Any) -> list[Case]:
    bad = {query: ["b"] for query in QRELS}
    case = of(QRELS, SHORT, baseline=bad, **rule)
    few = {"q0": ["b"]}
    return [
        (case, False, "the run lacks 1 query of the baseline (q0): --allow-missing"),
        (case | {"allow_missing": True}, True, "mean of 8 queries; counted as empty rankings: 1 missing from the run"),
        # What the baseline lacks cannot make up for anything.
        (
            of(QRELS, bad | {"q1": ["a"]}, baseline=few, **rule),
            False,
            "mean of 1 query; left out: 7 that the baseline lacks",
        ),
        (of(QRELS, GOOD, baseline={"other": ["a"]}, **rule), False, "no query can be compared"),
    ]


def interval_in_certain() -> list[Case]:
    # Bounds of AP over orders of ties only enclose; the lower one decides.
    qrels = {"q0": QRELS["q0"]}
    found = untied.certify(qrels, {"run": GROUP, "baseline": LATE}, "AP")["run", "baseline"]["AP"]
    assert not found.is_exact
    assert found.low < 0
    case = of(qrels, GROUP, baseline=LATE, certain=["AP"])
    sure = of(qrels, {"q0": [["a"], ["n1", "n2"]]}, baseline={"q0": ["b"]}, certain=["RR"])
    return [
        (case, False, f"can be {found.low:.4f} (mean of 1 query; a lower bound that may not be reached)"),
        (sure, True, "is certainly above the baseline's: by at least 1.0000"),
    ]


def interval_in_overturn() -> list[Case]:
    # The overturn number is a lower bound then, which is on the safe side.
    qrels = {"q0": QRELS["q0"]}
    found = untied.certify(qrels, {"run": GROUP, "baseline": LATE}, "AP")["run", "baseline"]["AP"]
    assert not found.overturn_is_exact
    case = of(qrels, GROUP, baseline=LATE)
    return [
        (case | {"min_overturn": {"AP": found.overturn}}, True, f"{found.overturn} further relevant"),
        (case | {"min_overturn": {"AP": found.overturn + 1}}, False, "a lower bound, which may be larger"),
    ]


def estimate_in_verdicts(**rule: Any) -> list[Case]:
    # Ends and variance of ERR are estimated for one large group; its mean, and so the verdict, is exact.
    good, bad = ONE, {"q": [FORTY[::4]]}
    assert untied.certify(GRADED, {"good": good, "bad": bad}, "ERR")["good", "bad"]["ERR"].is_exact
    return [(of(GRADED, good, baseline=bad, **rule), True, "(mean of 1 query"),
            (of(GRADED, bad, baseline=good, **rule), False, "(mean of 1 query")]  # fmt: skip


def few_in_verdicts(**rule: Any) -> list[Case]:
    return [(of({"q": {"a": 1, "b": 0}}, {"q": ["a"]}, baseline={"q": ["b"]}, **rule), True, "of 1 query")]


def of_verdicts(certain: bool) -> dict[str, Callable[[], list[Case]]]:
    """The cells that both rules about unjudged documents share."""

    def rule(measure: str) -> dict[str, Any]:
        return {"certain": [measure]} if certain else {"min_overturn": {measure: 1}}

    return {
        "undefined value": lambda: undefined_in_verdicts(**rule("R@1")),
        "missing query": lambda: missing_in_verdicts(**rule("RR")),
        "interval": interval_in_certain if certain else interval_in_overturn,
        "estimate": lambda: estimate_in_verdicts(**rule("ERR")),
        "few queries": lambda: few_in_verdicts(**rule("P@1")),
    }


CELLS: dict[str, dict[str, Callable[[], list[Case]]]] = {
    "--min": {
        "undefined value": undefined_in_min, "missing query": missing_in_min, "interval": interval_in_min,
        "estimate": estimate_in_min, "few queries": few_in("min", 1),
    },
    "--max": {
        "undefined value": undefined_in_max, "missing query": missing_in_max, "interval": interval_in_max,
        "estimate": estimate_in_max, "few queries": few_in("max", 0, "ESL"),
    },
    "--max-drop": {
        "undefined value": undefined_in_drop, "missing query": missing_in_drop, "interval": interval_in_drop,
        "estimate": estimate_in_drop, "few queries": few_in("max_drop", 0),
    },
    "--max-drop with --significant": {
        "undefined value": lambda: undefined_in_drop(significant=True),
        "missing query": lambda: missing_in_drop(significant=True),
        "interval": lambda: interval_in_drop(significant=True),
        "estimate": estimate_in_significant_drop, "few queries": few_in_significant_drop,
    },
    "--max-med": {
        "undefined value": undefined_in_med, "missing query": missing_in_med, "interval": interval_in_med,
        "estimate": estimate_in_med, "few queries": few_in("max_med", 0.5),
    },
    "--certain": of_verdicts(certain=True),
    "--min-overturn": of_verdicts(certain=False),
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "column"), [(rule, column) for rule, columns in CELLS.items() for column in columns]
)  # fmt: skip
def test_what_rules_decide_on(rule: str, column: str) -> None:
    for options, passes, said in CELLS[rule][column]():
        [check] = gate(**options).checks
        assert said in check.sentence
        assert check.passed is passes, check.sentence
        held_together(check)


def held_together(check: Check) -> None:
    """Reports say what the sentence says."""
    assert not (check.passed and check.reasons)
    assert all(reason in check.sentence for reason in check.reasons)
    assert check.decided_on in check.sentence
    assert check.to_dict()["decided_on"] == check.decided_on


HEADS = {
    "undefined value": "if a value is undefined",
    "missing query": "if a query is missing",
    "interval": "if a value is an interval",
    "estimate": "if a value is an estimate",
}
FEW = "With at most four queries, no drop can be significant at 95 %"  # the page says this below the table


def test_the_page_has_this_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "gate_reference.md").read_text()
    lines = [line.strip("|\n ").split("|") for line in page.splitlines() if line.startswith("| ")]
    tables = [[re.sub("[`*]", "", cell).strip() for cell in line] for line in lines]
    [head] = [line for line in tables if line[0] == "limit" and len(line) > 3]
    rows = {line[0]: line for line in tables if line[0] in CELLS and len(line) == len(head)}
    assert head[2:] == [HEADS[column] for column in CELLS["--min"] if column != "few queries"]
    assert FEW in page
    assert list(rows) == list(CELLS)
    assert all(cell for line in rows.values() for cell in line)
