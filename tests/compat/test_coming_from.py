"""docs/coming_from.md and its pages: their names are names of the packages, and what it says of torchmetrics.

`torchmetrics.json` holds what torchmetrics 1.9.0's own functions gave once (it needs torch), on random scores that are
distinct, tied, or below 0.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import untied
from test_names import RANX
from untied.measures import as_measure

DOCS = Path(__file__).parents[2] / "docs"


def table(page: str, heading: str) -> list[list[str]]:
    """Rows of the first table below a line of a page; a cell is its text."""
    text = (DOCS / page).read_text(encoding="utf-8")
    lines = text[text.index(heading) :].splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("|---"))
    rows = []
    for line in lines[first + 1 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def names(cell: str) -> list[str | None]:
    """What stands in a cell between commas: names in backticks, or nothing."""
    return [part or None for part in re.findall(r"`([^`]+)`(?: \([^)]*\))?|(?<![^ ])-(?![^ ,])", cell)]


#: untied, trec_eval, ir_measures and ranx, row by row.
NAMES = [tuple(names(cell) for cell in row) for row in table("coming_from.md", "## Names, side by side")]


def test_the_table_is_read() -> None:
    assert len(NAMES) >= 15
    assert (["ERR@20", "nERR@20"], [None], ["ERR@20", None], [None]) in NAMES


@pytest.mark.parametrize("row", NAMES, ids=str)
def test_names_of_untied(row: tuple[list[str | None], ...]) -> None:
    for name in row[0]:
        assert str(untied.parse_measure(name or "")).replace(" ", "") == (name or "").replace(" ", "")


@pytest.mark.parametrize("row", NAMES, ids=str)
def test_names_of_trec_eval(row: tuple[list[str | None], ...]) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    for name in filter(None, row[1]):
        measure = name.split()[-1]  # after options
        if measure in ("unj_10", "rbp", "rbp_resid"):  # of version 10, which no package carries
            continue
        if measure == "ndcg.1=3,2=9":  # trec_eval's own syntax: the interpreter crashes with it there
            measure = "ndcg"
        found = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, {measure}).evaluate({"q": {"a": 1.0, "b": 0.5}})["q"]
        assert len(found) == 1 or measure in ("P", "recall")


@pytest.mark.parametrize("row", NAMES, ids=str)
def test_names_of_ir_measures(row: tuple[list[str | None], ...]) -> None:
    irm = pytest.importorskip("ir_measures")
    own, theirs = row[0], row[2]
    for position, name in enumerate(theirs):
        if name is None or name == "the same":
            continue
        assert re.split(r"[(@]", name)[0] in irm.measures.registry, name
        if sys.version_info < (3, 12):  # ir_measures 0.4.3 parses names by what Python 3.12 deprecates
            measure = irm.parse_measure(name)
            measure.validate_params()
            if len(theirs) == len(own):  # both read it as the same measure
                expected = untied.parse_measure(own[position] or "")
                read = as_measure(measure)
                if "ideal=" in (own[position] or ""):  # ndeval's ideal is untied's only on request
                    read = read(ideal="ndeval")
                assert read == expected, name


def test_the_names_that_ir_measures_lacks() -> None:
    """A dash in its column is no name there."""
    irm = pytest.importorskip("ir_measures")
    import untied.compat.ir_measures as ours

    theirs = set(irm.measures.registry) - set(ours.MEASURES)
    lacking = [own for row in NAMES if len(row[0]) == len(row[2]) for own, name in zip(row[0], row[2], strict=True)
               if name is None]  # fmt: skip
    assert {"F1@10", "nERR@20", "RBPResidual(p=0.9)"} <= set(lacking)
    for name in lacking:
        root = re.split(r"[(@]", name or "")[0]
        assert root not in theirs or "(" in (name or ""), name


@pytest.mark.parametrize("row", NAMES, ids=str)
def test_names_of_ranx(row: tuple[list[str | None], ...]) -> None:
    """Its measures are those that `test_names.py` lists (ranx is not installed), and mean what stands beside them."""
    roots = {re.split(r"[-@.]", name.replace("r-p", "rp"))[0] for name in RANX}
    for position, name in enumerate(row[3]):
        if name is not None:
            assert re.split(r"[-@.]", name.replace("r-p", "rp"))[0] in roots, name
            if len(row[3]) == len(row[0]) and name != "hits":
                assert untied.parse_measure(name) == untied.parse_measure(row[0][position] or ""), name


def test_names_of_ir_measures_in_its_own_table() -> None:
    irm = pytest.importorskip("ir_measures")
    found = [
        name
        for row in table("coming_from/ir_measures.md", "| ir_measures | untied |")
        for name in re.findall(r"`([^`]+)`", row[0])
    ]
    checked = [name for name in found if re.fullmatch(r"\w+(\(.*\))?(@\d+)?", name)]
    assert len(checked) >= 6
    parameters = {"rel", "judged_only"}
    for name in set(checked) - parameters:
        assert re.split(r"[(@]", name)[0] in irm.measures.registry, name


# ---------------------------------------------------------------------------------------------------------------------
# torchmetrics

TORCHMETRICS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("torchmetrics.json").read_text())["cases"]


def restated(name: str, scores: list[float], labels: list[int]) -> float | None:
    """MRR, MAP, precision and recall as its source has them, of distinct scores; None for another metric."""
    metric, _, k = name.partition("@")
    ranked = [label * (score > 0) for score, label in sorted(zip(scores, labels, strict=True), reverse=True)]
    top = ranked[: int(k)] if k else ranked
    hits = [rank for rank, label in enumerate(top, 1) if label]
    if metric == "RR":
        return 1 / hits[0] if hits else 0.0
    if metric == "AP":
        return sum(number / rank for number, rank in enumerate(hits, 1)) / len(hits) if hits else 0.0
    if metric == "P":
        return len(hits) / (int(k) if k else len(ranked))
    if metric == "R":
        return len(hits) / sum(labels) if any(labels) else 0.0
    return None


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # of labels that are all 0
@pytest.mark.parametrize("case", TORCHMETRICS, ids=lambda case: case["kind"])
def test_torchmetrics(case: dict[str, Any]) -> None:
    scores, labels, values = case["scores"], case["labels"], case["values"]
    for name, theirs in values.items():
        metric, _, k = name.partition("@")
        if case["kind"] != "tied":
            rule = restated(name, scores, labels)
            assert rule is None or rule == pytest.approx(theirs, abs=1e-6), name
        own = f"{metric}@{k or len(labels)}" if metric in ("P", "R") else name
        mine = untied.evaluate_arrays([scores], [labels], own, score_dtype="float32")[own].mean
        changed = metric in ("RR", "AP", "P", "R")
        if case["kind"] == "tied" and metric != "nDCG" and name != "Accuracy":
            continue  # in no defined order there
        if (metric == "AP" and k) or (changed and min(scores) <= 0):
            continue  # the rules above
        assert mine == pytest.approx(theirs, abs=1e-6), name


def test_torchmetrics_rules_change_values() -> None:
    """Both rules are met by recorded cases, and MAP@k is higher by up to .8 and more."""
    below = [case for case in TORCHMETRICS if case["kind"] == "below"]
    assert any(case["values"]["RR"] == 0 and case["values"]["Success"] == 1 for case in below)
    differences = []
    for case in TORCHMETRICS:
        if case["kind"] == "distinct" and any(case["labels"]):
            mine = untied.evaluate_arrays([case["scores"]], [case["labels"]], "AP@1")["AP@1"].mean
            relevant = sum(case["labels"])
            assert mine == pytest.approx(case["values"]["AP@1"] / relevant)
            differences.append(case["values"]["AP@1"] - mine)
    assert max(differences) >= 0.7


def test_interleaved_queries_are_refused() -> None:
    with pytest.raises(untied.UntiedError, match="must be next to each other"):
        untied.evaluate_arrays([0.9, 0.8, 0.7, 0.6], [0, 1, 1, 0], "AP", query_ids=[0, 1, 0, 1])
