"""Names of measures that other packages know, read by untied's grammar."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

import untied
from strategies import BUILT_IN
from untied._core import measure_info
from untied.cli import main
from untied.measures import as_measures


def test_dir_has_names_that_are_imported_when_used() -> None:
    code = "import sys, untied; print(*dir(untied)); assert not {'numpy', 'untied.arrays'} & {*sys.modules}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    listed = done.stdout.split()
    assert {*untied.__all__} <= {*listed}
    assert {"statistics", "report", "gate", "paper", "judging", "arrays"} <= {*listed}
    assert all(hasattr(untied, name) for name in listed)


def test_every_measure_is_an_object() -> None:
    """Under its own name, in the module and in the package."""
    names = {info["name"] for info in BUILT_IN + measure_info(comparing=True)}
    objects = {name for name, value in vars(untied.measures).items() if isinstance(value, untied.Measure)}
    assert objects == names
    assert names <= set(untied.__all__)
    assert all(str(getattr(untied, name)) == name for name in names)


# ---------------------------------------------------------------------------------------------------------------------
# ir_measures

IR_MEASURES: dict[str, str] = {
    "P@5": "P@5", "Precision(rel=2)@5": "P(rel=2)@5", "P(rel=2,judged_only=True)@5": "P(rel=2, judged_only=True)@5",
    "R@100": "R@100", "Recall(rel=2)@100": "R(rel=2)@100",
    "AP": "AP", "MAP@100": "AP@100", "AP(rel=2)@100": "AP(rel=2)@100", "AP(judged_only=True)": "AP(judged_only=True)",
    "RR": "RR", "MRR@10": "RR@10", "RR(rel=2)@10": "RR(rel=2)@10",
    "Rprec": "Rprec", "RPrec(rel=2)": "Rprec(rel=2)",
    "nDCG": "nDCG", "NDCG@10": "nDCG@10", "nDCG(dcg='log2')@10": "nDCG@10",
    "nDCG(dcg='exp-log2')@10": "nDCG(gain='exp2')@10", "nDCG(gains={1:1,2:3})@10": "nDCG(gain={1: 1, 2: 3})@10",
    "nDCG(dcg='exp-log2',judged_only=True)@10": "nDCG(gain='exp2', judged_only=True)@10",
    "RBP(p=0.9,rel=1)@10": "RBP(p=0.9)@10", "RBP(p=.8, rel=2)": "RBP(rel=2)", "RBP": "RBP",
    "Success(rel=2)@5": "Success(rel=2)@5",
    "SetP": "SetP", "SetP(rel=2)": "SetP(rel=2)", "SetP(relative=True)": "SetRelP", "SetRelP": "SetRelP",
    "SetR(rel=2)": "SetR(rel=2)", "SetF(beta=0.5)": "SetF(beta=0.5)", "SetF(rel=2,beta=2.)": "SetF(beta=2, rel=2)",
    "SetAP(rel=2)": "SetAP(rel=2)",
    "Bpref": "Bpref", "BPref(rel=2)": "Bpref(rel=2)", "infAP(rel=2)": "infAP(rel=2)", "Judged@10": "Judged@10",
    "alpha_DCG(alpha=0.3,rel=2)@5": "alpha_DCG(rel=2, alpha=0.3)@5", "alpha_nDCG@5": "alpha_nDCG@5",
    "α_DCG@5": "alpha_DCG@5", "α_nDCG(judged_only=True)@5": "alpha_nDCG(judged_only=True)@5", "ERR_IA@5": "ERR_IA@5",
    "nERR_IA(judged_only=True)@5": "nERR_IA(judged_only=True)@5", "NRBP(alpha=0.3,beta=0.7)":
    "NRBP(alpha=0.3, beta=0.7)", "nNRBP(rel=2)": "nNRBP(rel=2)", "AP_IA": "AP_IA", "MAP_IA(rel=2)": "AP_IA(rel=2)",
    "ERR": "ERR", "ERR@20": "ERR@20", "Accuracy": "Accuracy", "Accuracy(rel=2)@10": "Accuracy(rel=2)@10",
    "P_IA@5": "P_IA@5", "StRecall(rel=2)@5": "StRecall(rel=2)@5",
    "Judged": "Judged", "IPrec@0.1": "IPrec@0.1", "IPrec(rel=2,judged_only=True)@1.0":
    "IPrec(rel=2, judged_only=True)@1",
    "NumQ": "NumQ", "NumRel(rel=2)": "NumRel(rel=2)", "NumRet": "NumRet", "NumRet(rel=1)": "NumRelRet",
    "NumRet(rel=2)": "NumRelRet(rel=2)", "NumRelRet": "NumRelRet",
    "Compat(p=0.9,normalize=False)": "Compat(p=0.9, normalize=False)",
    "BPM(T=2.0,max_rel=3)@10": "BPM(T=2, max_rel=3)@10", "INSQ(max_rel=1)": "INSQ(max_rel=1)",
    "INST(T=1.0,min_rel=0,max_rel=3)": "INST(max_rel=3)", "NERR8(max_rel=3)@10": "NERR8(max_rel=3)@10",
    "NERR9(max_rel=3)@10": "NERR9(max_rel=3)@10", "NERR10(p=0.8,max_rel=3)": "NERR10(p=0.8, max_rel=3)",
    "NERR11(max_rel=3)": "NERR11(max_rel=3)", "SDCG(dcg='log2',max_rel=3)@5": "SDCG(max_rel=3)@5",
}  # fmt: skip


@pytest.mark.parametrize("name", IR_MEASURES)
def test_ir_measures(name: str) -> None:
    assert str(untied.parse_measure(name)) == IR_MEASURES[name]


def test_ir_measures_all_names() -> None:
    """Every name in ir_measures' registry is read above."""
    registry = pytest.importorskip("ir_measures").measures.registry
    names = {name for name, measure in registry.items() if type(measure).__module__.startswith("ir_measures.")}
    listed = {re.split(r"[(@]", name)[0] for name in IR_MEASURES}
    assert names == listed


def test_ir_measures_objects() -> None:
    """They can be given in place of ours, and asked for in the results."""
    irm = pytest.importorskip("ir_measures")
    measures = [
        irm.nDCG @ 10,
        irm.SetP(relative=True),
        irm.NumRet(rel=2),
        irm.P(rel=2) @ 5,
        irm.nDCG(gains={1: 1, 2: 5}),
    ]
    results = untied.evaluate({"q": {"a": 1, "b": 2}}, {"q": {"a": 1.0, "b": 1.0}}, measures)
    names = ["nDCG@10", "SetRelP", "NumRelRet(rel=2)", "P(rel=2)@5", "nDCG(gain={1: 1, 2: 5})"]
    assert results.measures == names
    assert [results[measure] for measure in measures] == [results[name] for name in names]
    assert measures[0] in results
    assert irm.AP not in results
    assert untied.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, irm.AP).measures == ["AP"]
    with pytest.raises(untied.MeasureError, match="AP is defined by a function"):
        untied.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, irm.define(lambda qrels, run: [], "AP"))


# ---------------------------------------------------------------------------------------------------------------------
# ranx

RANX: dict[str, str] = {
    "hits": "Hits", "hits@10": "Hits@10", "hits@10-l2": "Hits(rel=2)@10",
    "hit_rate": "Success", "hit_rate@10": "Success@10",
    "precision": "SetP", "precision@10": "P@10", "precision@10-l2": "P(rel=2)@10",
    "recall": "SetR", "recall@100": "R@100", "f1": "SetF", "f1@10": "F1@10",
    "r-precision": "Rprec", "r-precision-l2": "Rprec(rel=2)",
    "rbp.95": "RBP(p=0.95)", "rbp.95-l2": "RBP(p=0.95, rel=2)",
    "mrr": "RR", "mrr@10": "RR@10", "mrr-l2": "RR(rel=2)",
    "map": "AP", "map@100": "AP@100", "map@100-l2": "AP(rel=2)@100",
    "dcg": "DCG", "dcg@10": "DCG@10", "dcg_burges@10": "DCG(gain='exp2')@10",
    "bpref": "Bpref", "bpref-l2": "Bpref(rel=2)",
    "ndcg": "nDCG", "ndcg@10": "nDCG@10", "ndcg@10-l2": "nDCG(rel=2)@10",
    "ndcg_burges": "nDCG(gain='exp2')", "ndcg_burges@10-l2": "nDCG(gain='exp2', rel=2)@10",
}  # fmt: skip


@pytest.mark.parametrize("name", RANX)
def test_ranx(name: str) -> None:
    assert str(untied.parse_measure(name)) == RANX[name]


def test_what_looks_like_ranx_and_is_not() -> None:
    assert str(untied.parse_measure("rbp@95")) == "RBP@95"  # a cutoff, where ranx reads a persistence of 0.95
    with pytest.raises(untied.MeasureError, match="unknown measure"):
        untied.parse_measure("foo@10-l2")
    with pytest.raises(untied.MeasureError, match="expected"):
        untied.parse_measure("ndcg@10-lx")


def test_names_in_the_docs() -> None:
    """Every name in the table of names is understood."""
    text = (pathlib.Path(__file__).parent.parent / "docs" / "coming_from.md").read_text()
    table = text[text.index("## Names, side by side") : text.index("## Conventions, side by side")]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    names = [name for row in rows for name in re.findall("`([^`]+)`", row) if not name.startswith("-")]
    assert len(names) > 90
    for name in names:
        untied.parse_measure(name)


def test_names_of_papers() -> None:
    """What stands beside a printed name in docs/coming_from_paper.md is understood, and means the same measure."""
    text = (pathlib.Path(__file__).parent.parent / "docs" / "coming_from_paper.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    rows = [cells for cells in rows if cells[0] != "printed" and not cells[1].startswith("`untied ")]
    assert len(rows) > 20
    for _, ours, settings in rows:
        names = [untied.parse_measure(name) for name in re.findall("`([^`]+)`", ours)]
        given = [name for name in re.findall("`([^`]+)`", settings) if not name.startswith(("eps", "--"))]
        assert names
        assert given
        assert {untied.parse_measure(name).name for name in given} <= {name.name for name in names}, ours


# ---------------------------------------------------------------------------------------------------------------------
# Papers

PAPERS: dict[str, str] = {
    "indAP": "AP(judged_only=True)", "induced AP": "AP(judged_only=True)", "subAP": "subAP", "infAP": "infAP",
    "subcollection AP": "subAP", "inferred AP": "infAP", "bpref": "Bpref",
    "bpref-10": "Bpref(variant='paper', extra=10)", "MAP": "AP", "MRR": "RR", "NDCG": "nDCG", "hit rate": "Success",
    "hit_rate@10": "Success@10", "normalised recall": "Rnorm", "normalized recall": "Rnorm", "ADR": "ADR",
}  # fmt: skip
COMPARING_PAPERS = {
    "MED-MAP@100": "MED(AP@100)", "MED-nDCG@20": "MED(nDCG@20)", "MED-precision@10": "MED(P@10)",
    "MED-RBP(p=0.9)": "MED(RBP(p=0.9))", "MED-ERR(max_grade=2)@30": "MED(ERR(max_grade=2)@30)",
}  # fmt: skip
OPEN = {
    "MED-MAP": "AP needs a cutoff, for instance AP@100",
    "MED-RBP": "write MED(RBP(p=0.9), tail='upper') for the paper's, or MED(RBP)",
    "MED-ERR": "write MED(ERR(max_grade=2)) for the paper's, or MED(ERR)",
    "MED-U@12000": "run untied compare --passages",
}


@pytest.mark.parametrize("name", PAPERS)
def test_papers(name: str, capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path) -> None:
    assert str(untied.measures.as_measure(name)) == PAPERS[name]
    _files(tmp_path)
    assert main(["eval", f"{tmp_path}/qrels", f"{tmp_path}/a", "--format", "tsv", "-m", name]) == 0
    assert f"\t{PAPERS[name]}\t" in capsys.readouterr().out


@pytest.mark.parametrize("name", COMPARING_PAPERS)
def test_papers_of_two_rankings(name: str, capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path) -> None:
    assert untied.compare(["a"], ["b"], name).measures == [COMPARING_PAPERS[name]]
    _files(tmp_path)
    assert main(["compare", f"{tmp_path}/a", f"{tmp_path}/b", "--format", "tsv", "-m", name]) == 0
    assert f"\t{COMPARING_PAPERS[name]}\t" in capsys.readouterr().out


@pytest.mark.parametrize("name", OPEN)
def test_what_papers_leave_open(name: str, capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path) -> None:
    with pytest.raises(untied.MeasureError, match=re.escape(OPEN[name])):
        untied.compare(["a"], ["b"], name)
    _files(tmp_path)
    assert main(["compare", f"{tmp_path}/a", f"{tmp_path}/b", "-m", name]) == 1
    assert OPEN[name] in capsys.readouterr().err


def test_studies_print_what_is_read() -> None:
    """One name, one meaning: in tables of studies, on the command line and in Python."""
    from untied.study import estimates, med_names

    assert str(untied.measures.as_measure("bpref-10")) == str(
        untied.measures.as_measure(estimates.MEASURES["bpref-10"].format(rel=1))
    )
    for name in ("MED(nDCG@20)", "MED(RBP(p=0.9))", "MED(AP@100)"):
        assert med_names.canonical(med_names.short(name)) == name


def _files(folder: pathlib.Path) -> None:
    (folder / "qrels").write_text("q 0 d1 1\nq 0 d2 0\n", encoding="utf-8")
    (folder / "a").write_text("q Q0 d1 1 2 t\nq Q0 d2 2 1 t\n", encoding="utf-8")
    (folder / "b").write_text("q Q0 d2 1 2 t\nq Q0 d3 2 1 t\n", encoding="utf-8")


def test_all_measures_that_are_unknown_are_named() -> None:
    with pytest.raises(untied.MeasureError, match=r"(?s)NDGC.*did you mean nDCG.*bpref10.*did you mean bpref-10"):
        as_measures(["NDGC@10", "AP", "bpref10"])


def test_measures_of_two_runs_are_described_by_their_printed_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "MED-RBP", "MED-nDCG@20"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("MED(MEASURE)")
    assert "in untied compare, write MED(RBP(p=0.9), tail='upper')" in shown
    for measure in ("MED(nDCG@20)", "Tau", "MED-RBP"):
        folder = "examples/tar2017"
        assert main(["eval", f"{folder}/qrels.txt", f"{folder}/amc.run", "-m", measure]) == 1
        assert "untied compare" in capsys.readouterr().err
