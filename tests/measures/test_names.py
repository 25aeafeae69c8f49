"""Names of measures that other packages know, read by untied's grammar."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

import untied
from strategies import BUILT_IN
from untied._core import measure_info, parse_measures
from untied.cli import main
from untied.measures import as_measures


def test_dir_has_names_that_are_imported_when_used() -> None:
    code = "import sys, untied; print(*dir(untied)); assert not {'numpy', 'untied.arrays'} & {*sys.modules}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    listed = done.stdout.split()
    measures = {*untied.measures.named.__all__}
    assert {*untied.__all__} - measures <= {*listed}
    assert measures & {*listed} == {"AP", "nDCG", "RR", "P", "R"}, "the default measures"
    assert len(listed) < 65
    assert {"statistics", "report", "gate", "paper", "judging", "results"} <= {*listed}
    # Modules whose functions are all public names, and what belongs to the package itself, would only be in the way.
    assert not {"TYPE_CHECKING", "arrays", "batches", "errors", "features", "policies", "verdicts"} & {*listed}
    assert not [name for name in listed if name.startswith("_") and name != "__version__"]
    assert all(hasattr(untied, name) for name in listed)


def test_dir_of_measures_has_all_of_them() -> None:
    listed = dir(untied.measures)
    assert {*untied.measures.named.__all__, "as_measure", "as_measures", "parse_measure", "own"} <= {*listed}
    assert not {"TYPE_CHECKING", "annotations", "named"} & {*listed}
    assert all(hasattr(untied.measures, name) for name in listed)


def test_every_measure_is_an_object() -> None:
    """Under its own name, in the module and in the package."""
    names = {info["name"] for info in BUILT_IN + measure_info(comparing=True)}
    objects = {name for name, value in vars(untied.measures).items() if isinstance(value, untied.Measure)}
    assert objects == names
    assert names <= set(untied.__all__)
    assert all(str(getattr(untied, name)) == name for name in names)


# ---------------------------------------------------------------------------------------------------------------------
# Ours and trec_eval's

OURS: dict[str, str] = {
    "nDCG@10": "nDCG@10", "ndcg_cut_10": "nDCG@10", "ndcg_cut.10": "nDCG@10",
    "nDCG(gain=exp2)@10": "nDCG(gain='exp2')@10", "nDCG@10(gains={2: 3, 1: 1})": "nDCG(gain={1: 1, 2: 3})@10",
    ' DCG( discount = [1, 0.5] , gain="linear" ) @ 5 ': "DCG(discount=[1, 0.5])@5",
    "DCG(discount='jk2')": "DCG(discount='log(2)')", "map_cut_100": "AP@100", "ndcg_at_10": "nDCG@10",
    "mrr_at_10": "RR@10", "recall_at_100": "R@100", "recip_rank": "RR", "P_5": "P@5",
    "P.5": "P@5", "map_cut.10": "AP@10", "rbp.8": "RBP", "RBP_8": "RBP@8", "recall_1000": "R@1000", "AP(rel=1)": "AP",
    "AP(rel=2, recall_base=3)": "AP(rel=2, recall_base=3)", "num_rel_ret": "NumRelRet",
    "iprec_at_recall_0.10": "IPrec@0.1", "iprec_at_recall.1": "IPrec@1", "Rprec_mult_0.20": "Rprec(mult=0.2)",
    "Rprec_mult_1.00": "Rprec", "utility_1,-1,0,0": "Utility",
    "utility.1.0,-0.5,0,0": "Utility(weights=[1, -0.5, 0, 0])", "set_F_0.5": "SetF(beta=0.5)",
    "ndcg_1=3,2=9": "nDCG(gain={1: 3, 2: 9})", "11pt_avg": "IPrecMean",
    "11pt_avg.0.2,0.5,0.8": "IPrecMean(levels=[0.2, 0.5, 0.8])", "bpref(extra=10)": "Bpref(extra=10)",
    "unj_5": "Unjudged@5", "gm_map": "AP(mean='geometric')", "GMAP": "AP(mean='geometric')",
    "gm_ndcg_cut_10(gain=exp2)": "nDCG(gain='exp2', mean='geometric')@10", "P(mean=arithmetic)@5": "P@5",
    "indAP(rel=2)@100": "AP(rel=2, judged_only=True)@100", "bpref_10": "Bpref(variant='paper', extra=10)",
    "bpref-10(rel=2)": "Bpref(rel=2, variant='paper', extra=10)", "Normalized Recall": "Rnorm",
    "hit rate@10": "Success@10", "hit-rate @ 10": "Success@10", "average precision": "AP",
    "rank-biased precision": "RBP", "R-Precision": "Rprec", "α-nDCG@10": "alpha_nDCG@10",
    "MED-nDCG(gain=exp2)@20": "MED(nDCG(gain='exp2')@20)", "MED-average precision@100": "MED(AP@100)",
    "SetP(rel=2,relative=True)": "SetRelP(rel=2)", "SetP(relative=False)": "SetP", "nDCG(dcg='log2')": "nDCG",
}  # fmt: skip
REFUSED: dict[str, str] = {
    "SetP(relative=1)": 'no parameter "relative"',
    "nDGC@10": "did you mean nDCG",
    "qwertyuiop": "untied measures lists all",
    "P": "P needs a cutoff, for instance P@10",
    "P@0": "at least 1",
    "P_at_0": "at least 1",
    "Rprec_at_5": 'unknown measure "Rprec_at"',
    "Rprec@5": "takes no cutoff",
    "AP(rel=0)": "rel must be a number above 0, not 0",
    "AP(foo=1)": 'no parameter "foo"; it has: rel, recall_base, judged_only, mean',
    "AP(mean=harmonic)": "mean must be 'arithmetic' or 'geometric', not 'harmonic'",
    "gm_num_rel": 'NumRel has no parameter "mean"',
    "nDCG(recall_base=3)@5": "'qrels' or 'ranking'",
    "nDCG(gain='cubic')@5": "gain must be",
    "DCG(discount='log(1)')": "discount must be",
    "nDCG@": "a whole number after @, found the end",
    "AP(rel=2": "',' or ')', found the end",
    "AP(rel=x)": "rel must be a number above 0, not 'x'",
    "AP(rel=-)": 'a number, found "-)"',
    "nDCG(gain={-1: 2})@5": "grades of at least 0 can have a gain",
    "nDCG(gain={1: 1, 1: 2})@5": "two values for 1",
    "P@5@10": 'or the end, found "@10"',
    "P@99999999999999999999": 'a whole number after @, found "99999999999999999999"',
    "AP(rel=2, rel=3)": "parameter rel is given twice",
    "AP(rel=1, rel=2)": "parameter rel is given twice",
    "nDCG(gains={1: 1}, gain='exp')": "parameter gain is given twice",
    "ndcg_cut": "ndcg_cut needs a cutoff, for instance ndcg_cut_10",
    "12pt_avg": "did you mean 11pt_avg",
    "iprecc_at_recall_0.10": 'unknown measure "iprecc_at_recall"; did you mean iprec_at_recall',
    "IPrec@1.5": "recall must be a number from 0 to 1, not 1.5",
    "P_5.5": "P: a cutoff must be a whole number, not 5.5",
    "utility_1,2": "weights must be a list of four numbers, not [1, 2]",
    "Utility(weights=[1, 0, 0, 1])": "needs the size of the collection",
    "AP,nDCG@10": "name one measure at a time",
    "AP)": 'found ")"',
    "MED(Delta(AP))": "MED needs a measure of one ranking, not Delta",
    "bpref10": 'unknown measure "bpref10"; did you mean bpref-10?',
    "R-Prec": 'unknown measure "R-Prec"; did you mean Rprec?',
    "hit@10": 'unknown measure "hit"; did you mean Success?',
    "condAP": "did you mean AP(judged_only=True)?",
    "ndcg at 10": "did you mean nDCG@10?",
    "rbp-0.8": 'unknown measure "rbp-0.8"; did you mean RBP(p=0.8)?',
    "RBO-0.9": "did you mean RBO(p=0.9)?",
    "MRR10": "did you mean RR@10?",
    "nDCG-20": "did you mean nDCG@20?",
    "recall100": "did you mean R@100?",
    "IPrec-0.3": "did you mean IPrec@0.3?",
    "prec@10": "did you mean P?",
    "Rprec10": 'unknown measure "Rprec10"',
    "RBP@0.8": "RBP: a cutoff must be a whole number, not 0.8; write RBP(p=0.8)",
    "nDCG@20.5": "nDCG: a cutoff must be a whole number, not 20.5",
    "IPrec(recall=0.3)@0.5": "IPrec: recall is given twice: 0.3 and 0.5",
    "Rprec@0.5": "Rprec takes no cutoff, found @0.5",
    "P(10)": "a cutoff follows @: write P@10",
    "nDGC": 'unknown measure "nDGC"; did you mean nDCG?',
    "RBP(.95)": "a parameter needs its name: write RBP(p=.95)",
    "RBP(0.95)": "a parameter needs its name: write RBP(p=0.95)",
    "AP(2)": "a cutoff follows @: write AP@2",
    "RBP.8": 'measure "RBP.8" can be read in two ways: write RBP@8 or RBP(p=0.8)',
    "RBO.95": "write RBO@95 or RBO(p=0.95)",
    "nDCG@20,P@10": '"nDCG@20,P@10": name one measure at a time: -m nDCG@20 -m P@10',
    "nDCG@10, 20": "name one measure at a time: -m nDCG@10 -m nDCG@20",
    "AP(rel=2),P(rel=2)@5": "name one measure at a time: -m AP(rel=2) -m P(rel=2)@5",
    "gm_gm_map": 'unknown measure "gm_gm_map"',
    "": "cannot read measure \"\": expected a measure's name, found the end",
    "@10": "expected a measure's name, found \"@10\"",
    "MED-RBP": "MED-RBP has p=0.9 in the paper",
    "MED-ERR@30": "write MED(ERR(max_grade=2)) for the paper's",
    "MED-U@12000": "MED-U compares passages: run untied passages",
    "MED-MED-AP": 'unknown measure "MED-AP"',
    "MED-": "MED needs a measure, for instance MED(nDCG@20)",
    "bpref-10(extra=5)": "parameter extra is given twice",
    "Bpref(extra=0.5)": "extra must be a whole number of at least 0, not 0.5",
    "Bpref(extra=-1)": "extra must be a whole number of at least 0, not -1",
    "AP nDCG@10": "name one measure at a time",
}  # fmt: skip


@pytest.mark.parametrize("name", OURS)
def test_spellings(name: str) -> None:
    assert [str(measure) for measure in parse_measures(name)] == [OURS[name]]


@pytest.mark.parametrize(("name", "several"), [
    ("P.5,10", ["P@5", "P@10"]), ("iprec_at_recall.10,.20", ["IPrec@0.1", "IPrec@0.2"]),
])  # fmt: skip
def test_cutoffs_of_trec_eval_are_several_measures(name: str, several: list[str]) -> None:
    assert [str(measure) for measure in parse_measures(name)] == several


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_measure(name: str) -> None:
    with pytest.raises(untied.MeasureError, match=re.escape(REFUSED[name])):
        parse_measures(name)


def test_a_long_row_of_prefixes_does_not_pile_up() -> None:
    for piece, why in (("gm_", "unknown measure"), ("MED(", "MED needs a measure of one ranking, not MED")):
        with pytest.raises(untied.MeasureError, match=re.escape(why)):
            parse_measures(50_000 * piece)


def test_messages_are_harmless() -> None:
    with pytest.raises(untied.MeasureError, match=re.escape(r"not '\u{1b}[2J'")):
        parse_measures("nDCG(gain='\x1b[2J')")


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
    with pytest.raises(untied.MeasureError, match="AP is defined by a Python function"):
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
    text = (pathlib.Path(__file__).parents[2] / "docs" / "coming_from.md").read_text()
    table = text[text.index("## Names, side by side") : text.index("## Conventions, side by side")]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    names = [name for row in rows for name in re.findall("`([^`]+)`", row) if not name.startswith("-")]
    assert len(names) > 90
    for name in names:
        untied.parse_measure(name)


def test_names_of_papers() -> None:
    """What stands beside a printed name in docs/coming_from_paper.md is understood, and means the same measure."""
    text = (pathlib.Path(__file__).parents[2] / "docs" / "coming_from_paper.md").read_text()
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
    "mean average precision": "AP", "normalized discounted cumulative gain@10": "nDCG@10", "F1 measure@5": "F1@5",
    "discounted cumulative gain": "DCG", "mean reciprocal rank": "RR",
}  # fmt: skip
COMPARING_PAPERS = {
    "rank-biased overlap": "RBO", "Kendall's tau": "Tau", "Spearman's rho": "Spearman", "MED-MAP@100": "MED(AP@100)",
    "MED-precision@10": "MED(P@10)",
    "MED-RBP(p=0.9)": "MED(RBP(p=0.9))", "MED-ERR(max_grade=2)@30": "MED(ERR(max_grade=2)@30)",
}  # fmt: skip
OPEN = {
    "MED-MAP": "AP needs a cutoff, for instance AP@100",
    "MED-RBP": "write MED(RBP(p=0.9), tail='upper') for the paper's, or MED(RBP)",
    "MED-nDCG@20": "write MED(nDCG(gain='exp2')@20) for the paper's, or MED(nDCG@20)",
    "MED-ERR": "write MED(ERR(max_grade=2)) for the paper's, or MED(ERR)",
    "MED-U@12000": "run untied passages",
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
    assert main(["compare", f"{tmp_path}/a", f"{tmp_path}/b", "-m", name]) == 2
    assert OPEN[name] in capsys.readouterr().err


def test_studies_print_what_is_read() -> None:
    """One name, one meaning: in tables of studies, on the command line and in Python."""
    from untied.study import estimates, med_names

    assert str(untied.measures.as_measure("bpref-10")) == str(
        untied.measures.as_measure(estimates.MEASURES["bpref-10"].format(rel=1))
    )
    for name in ("MED(nDCG(gain='exp2')@20)", "MED(RBP(p=0.9))", "MED(AP@100)"):
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
        assert main(["eval", f"{folder}/qrels.txt", f"{folder}/amc.run", "-m", measure]) == 2
        assert "untied compare" in capsys.readouterr().err
