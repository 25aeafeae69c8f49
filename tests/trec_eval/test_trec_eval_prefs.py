"""``untied trec_eval`` on preferences (-R prefs, -R qrels_prefs) and judgment groups (-R qrels_jg).

The examples are computed by hand; trec_eval's own tests are in test_trec_eval.py.
"""

from __future__ import annotations

from functools import partial

import pytest

from commands import Command


@pytest.fixture
def trec_eval(untied_: Command) -> Command:
    return partial(untied_, "trec_eval")


@pytest.fixture
def report(trec_eval, tmp_path):
    """Evaluate lines against lines: names with the summary's values."""

    def run(judgments, results, *options):
        (tmp_path / "judgments").write_text("".join(f"{line}\n" for line in judgments))
        lines = (f"{topic} Q0 {doc} 0 {score} tag\n" for topic, docs in results.items() for doc, score in docs)
        (tmp_path / "results").write_text("".join(lines))
        code, out, err = trec_eval(*options, tmp_path / "judgments", tmp_path / "results")
        assert (code, err) == (0, "")
        values = {}
        for line in out.splitlines():
            name, topic, value = line.split("\t")
            values[name.strip() if topic == "all" else (name.strip(), topic)] = value
        return values

    return run


def ranked(*documents):
    """Documents with falling scores."""
    return [(document, -rank) for rank, document in enumerate(documents)]


#: d4 > d1 > d2 > d3: with d2 unretrieved and d1 d3 d4 as ranked, d1 > d3 is fulfilled, d4 > d1 and d4 > d3 are not; of
#: the implied ones d4 > d2 and d1 > d2 are, d2 > d3 is not.
LEVELS = ["q g s d1 2", "q g s d2 1", "q g s d3 0", "q g s d4 3.5"]


@pytest.mark.parametrize("options", [[], ["-l", "3"], ["-J"], ["-N", "100"]])
def test_counts_and_shares(report, options):
    values = report(LEVELS, {"q": ranked("d1", "x", "d3", "d4")}, "-m", "all_prefs", "-R", "prefs", *options)
    assert [values[f"prefs_num_prefs_{name}"] for name in ("poss", "ful", "ful_ret")] == ["6", "3", "1"]
    assert values["prefs_simp"] == values["prefs_pair"] == values["prefs_avgjg"] == "0.5000"
    assert values["prefs_simp_ret"] == values["prefs_pair_ret"] == values["prefs_avgjg_ret"] == "0.3333"
    # Every preference has a retrieved document.
    assert values["prefs_simp_imp"] == values["prefs_pair_imp"] == values["prefs_avgjg_imp"] == "0.5000"
    # Two non-relevant documents more, behind 3 relevant ones of which 2 are retrieved: (3 + 2 * 2) / (6 + 3 * 2).
    assert values["prefs_avgjg_Rnonrel"] == "0.5833"


def test_sets_of_measures(report):
    results = {"q": ranked("d1")}
    names = ["runid", "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"]
    names += ["prefs_simp", "prefs_pair", "prefs_avgjg"]
    assert list(report(LEVELS, results, "-m", "prefs", "-R", "prefs")) == names
    everything = list(report(LEVELS, results, "-m", "all_prefs", "-R", "prefs"))
    assert everything[: len(names)] == names
    assert everything[len(names) :] == [
        "prefs_avgjg_Rnonrel",
        "prefs_simp_ret",
        "prefs_pair_ret",
        "prefs_avgjg_ret",
        "prefs_avgjg_Rnonrel_ret",
        "prefs_simp_imp",
        "prefs_pair_imp",
        "prefs_avgjg_imp",
    ]


def test_help_tells_what_they_are(trec_eval):
    _, out, _ = trec_eval("-m", "prefs_simp", "-h")
    assert "prefs_simp\n    share of preferences fulfilled (-R prefs, -R qrels_prefs)\n" in out


def test_depth_cuts_before_anything_else(report):
    values = report(LEVELS, {"q": ranked("d1", "x", "d3", "d4")}, "-m", "all_prefs", "-R", "prefs", "-M", "2")
    # Only d1 is retrieved: before d2 and d3, not before d4; the three preferences among these are not fulfilled.
    assert [values[f"prefs_num_prefs_{name}"] for name in ("poss", "ful", "ful_ret")] == ["6", "2", "0"]
    assert values["prefs_simp"] == "0.3333"
    assert values["prefs_simp_imp"] == "0.6667"


def test_equal_scores_stand_by_ascending_id(report):
    """Unlike everywhere else in trec_eval."""
    tied = {"q": [("b", 1), ("a", 1)]}
    assert report(["q g a 1", "q g b 0"], tied, "-m", "prefs_simp", "-R", "qrels_prefs")["prefs_simp"] == "1.0000"
    assert report(["q g a 1", "q g b 0"], tied, "-m", "P_avgjg.1", "-R", "qrels_jg")["P_avgjg_1"] == "0.0000"


def test_versions(report, trec_eval, tmp_path):
    close = ["q g s a 16777217", "q g s b 16777216"]
    both = {"q": ranked("a", "b")}
    assert report(close, both, "-m", "prefs_num_prefs_poss", "-R", "prefs")["prefs_num_prefs_poss"] == "1"
    nine = ["-m", "prefs_num_prefs_poss", "-R", "prefs", "--trec-version", "9"]
    assert report(close, both, *nine)["prefs_num_prefs_poss"] == "0"
    (tmp_path / "comments").write_text("# no judgment\nq g s a 1\n")
    (tmp_path / "results").write_text("q Q0 a 1 1 tag\n")
    code, out, err = trec_eval(*nine, tmp_path / "comments", tmp_path / "results")
    assert (code, out) == (2, "")
    assert "comments, line 1: expected query, group, subgroup, document and level" in err


def test_topics_that_the_results_lack(report, trec_eval, tmp_path):
    judgments = [*LEVELS, "r g s a 1", "r g s b 0"]
    results = {"q": ranked("d1", "x", "d3", "d4")}
    nine = report(judgments, results, "-m", "prefs", "-R", "prefs", "--trec-version", "9")
    assert (nine["num_q"], nine["prefs_num_prefs_poss"], nine["prefs_simp"]) == ("1", "6", "0.5000")
    complete = report(judgments, results, "-m", "prefs", "-R", "prefs", "-c", "-q")
    assert (complete["num_q"], complete["prefs_num_prefs_poss"], complete["prefs_simp"]) == ("2", "7", "0.2500")
    assert complete["prefs_simp", "r"] == "0.0000"
    code, out, err = trec_eval("-q", "-m", "prefs_simp", "-R", "prefs", tmp_path / "judgments", tmp_path / "results")
    assert (code, out) == (4, "prefs_simp            \tq\t0.5000\n")
    assert "topic r" in err


@pytest.mark.parametrize(
    ("judgments", "part"),
    [
        (["q g s a 1", "q g s a 0"], '"a" has two levels in one subgroup'),
        (["q g s a 2", "q g s b 1", "q g t b 2", "q g t a 1"], "is both preferred to a document and less liked"),
        (["q g s a 1", "q g t a 0"], '"a" has a level of 0 and a higher one'),
    ],
)
def test_contradictions_end_the_report(trec_eval, tmp_path, judgments, part):
    (tmp_path / "judgments").write_text("".join(f"{line}\n" for line in [*judgments, "a g s d 1"]))
    (tmp_path / "results").write_text("q Q0 a 1 1 tag\na Q0 d 1 1 tag\n")
    files = tmp_path / "judgments", tmp_path / "results"
    code, out, err = trec_eval("-q", "-m", "prefs_num_prefs_poss", "-R", "prefs", *files)
    assert (code, out) == (4, "prefs_num_prefs_poss  \ta\t0\n")
    assert "topic q" in err
    assert part in err


def test_measures_of_another_format(trec_eval, tmp_path):
    (tmp_path / "judgments").write_text("q g a 1\n")
    (tmp_path / "results").write_text("q Q0 a 1 1 tag\n")
    files = tmp_path / "judgments", tmp_path / "results"
    for measure, judged_as in [("map", "qrels_prefs"), ("map", "qrels_jg"), ("prefs_simp", "qrels_jg")]:
        code, out, err = trec_eval("-m", measure, "-R", judged_as, *files)
        assert (code, out) == (4, "")
        assert err == f"untied trec_eval: {measure} cannot be computed with -R {judged_as}\n"


#: For one user a and b are relevant, for the other c and d. The other has not judged b, and has seen e without judging.
USERS = ["q 1 a 1", "q 1 b 2", "q 1 c 0", "q 2 c 1", "q 2 a 0", "q 2 d 3", "q 2 e -1", "p 1 a 1"]


@pytest.mark.parametrize(
    ("options", "ap", "precision"),
    [
        ([], ((1 / 2 + 2 / 4) / 2 + 1 / 3 / 2) / 2, (2 / 5 + 1 / 5) / 2),
        (["-l", "2"], (1 / 4 + 0) / 2, (1 / 5 + 0) / 2),
        (["-J"], ((1 / 1 + 2 / 3) / 2 + 1 / 2 / 2) / 2, (2 / 5 + 1 / 5) / 2),
        (["-M", "2"], (1 / 2 / 2 + 0) / 2, (1 / 5 + 0) / 2),
    ],
)
def test_means_over_judgment_groups(report, options, ap, precision):
    results = {"q": ranked("x", "a", "c", "b", "e"), "p": ranked("a")}
    values = report(USERS, results, "-q", "-m", "map_avgjg", "-m", "P_avgjg.5", "-R", "qrels_jg", *options)
    assert values["map_avgjg", "q"] == f"{ap:.4f}"
    assert values["P_avgjg_5", "q"] == f"{precision:.4f}"
    single = 0.0 if "-l" in options else 1.0
    assert values["map_avgjg"] == f"{(ap + single) / 2:.4f}"


def test_multiples_of_each_groups_own_r(report):
    results = {"q": ranked("x", "a", "c", "b", "e"), "p": ranked("a")}
    values = report(USERS, results, "-q", "-m", "Rprec_mult_avgjg.1.5,.25,1", "-R", "qrels_jg")
    # Two documents are relevant to each user: cutoffs 1, 2 and 3.
    assert [values[f"Rprec_mult_avgjg_{multiple}", "q"] for multiple in ("0.25", "1.00", "1.50")] == [
        "0.0000",
        f"{(1 / 2 + 0) / 2:.4f}",
        f"{(1 / 3 + 1 / 3) / 2:.4f}",
    ]


def test_a_group_judges_a_document_once(trec_eval, tmp_path):
    (tmp_path / "judgments").write_text("q 1 a 1\nq 2 a 1\nq 1 a 1\n")
    (tmp_path / "results").write_text("q Q0 a 1 1 tag\n")
    code, out, err = trec_eval("-m", "map_avgjg", "-R", "qrels_jg", tmp_path / "judgments", tmp_path / "results")
    assert (code, out) == (2, "")
    assert 'found "a" twice in group "1" of "q"' in err
