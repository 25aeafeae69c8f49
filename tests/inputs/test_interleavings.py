"""Several searches whose order is unknown: every value against a list of all interleavings."""

from __future__ import annotations

import json
from itertools import permutations
from math import fsum

import pandas
import pytest

import untied
from nightly import many, seeded
from untied.evaluation.searches import evaluate_searches

MEASURES = ["AP", "RR", "nDCG@3", "P@2", "R@4", "Bpref", "ERR@5", "RBP(p=0.5)", "IPrec@0.5", "Success@1", "Judged@3"]
OF_SUBTOPICS = ["alpha_nDCG@4", "StRecall@2", "ERR_IA@3", "AP"]


def interleavings(searches):
    """All interleavings, each a ranking without repeated documents; several may be equal."""
    owners = [search for search, ranking in enumerate(searches) for _ in ranking]
    for order in sorted(set(permutations(owners))):
        following = [iter(ranking) for ranking in searches]
        yield list(dict.fromkeys(next(following[search]) for search in order))


def expected(judged, searches, measure, **options):
    """The mean and the ends over the list."""
    rankings = list(interleavings(searches))
    qrels = {str(number): judged for number in range(len(rankings))}
    results = untied.evaluate(qrels, dict(zip(qrels, rankings, strict=True)), measure, **options)
    values = [results.value(measure, query) for query in qrels]
    return fsum(values) / len(values), min(values), max(values)


def found(table):
    return {(row["query"], row["measure"]): (row["value"], row["low"], row["high"]) for row in table.to_dicts()}


def some_searches(draw):
    """Up to three searches, with at most seven documents in all, some of them in several searches."""
    sizes = draw.choice([(0,), (3,), (1, 1), (2, 2), (3, 2), (3, 3), (4, 3), (2, 2, 2), (1, 2, 3), (0, 3, 1)])
    return [draw.sample("abcdef", size) for size in sizes]


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
def test_values_are_those_of_all_interleavings():
    draw = seeded("interleavings")
    for _ in range(many(12)):
        searches = {query: some_searches(draw) for query in ("p", "q")}
        qrels = {
            query: {document: draw.choice([-1, 0, 1, 2]) for document in draw.sample("abcdefg", 4)}
            for query in searches
        }
        qrels["p"]["g"] = 1
        table = found(evaluate_searches(qrels, searches, MEASURES))
        for measure in MEASURES:
            of_queries = [expected(qrels[query], searches[query], measure) for query in ("p", "q")]
            means = tuple(sum(column) / 2 for column in zip(*of_queries, strict=True))
            for query, values in zip(("p", "q", "all"), (*of_queries, means), strict=True):
                assert table[query, measure] == pytest.approx(values, abs=1e-12), (measure, searches, qrels)


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
def test_cutoffs_shorten_what_is_listed():
    """With a cutoff, rankings are listed to this depth, which changes no value."""
    draw = seeded("cut")
    for _ in range(many(12)):
        searches = {"q": some_searches(draw)}
        qrels = {"q": {document: draw.choice([0, 1, 2]) for document in draw.sample("abcdefg", 5)}}
        for measure in ("nDCG@2", "AP@3", "P@1", "R(recall_base='ranking')@2"):
            table = found(evaluate_searches(qrels, searches, measure))
            alone = expected(qrels["q"], searches["q"], measure)
            assert next(iter(table.values())) == pytest.approx(alone, abs=1e-12), (measure, searches, qrels)


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")
def test_judgments_of_subtopics():
    draw = seeded("subtopics of searches")
    for _ in range(many(6)):
        searches = {"q": some_searches(draw)}
        qrels = {
            "q": {
                subtopic: {document: draw.choice([0, 1]) for document in draw.sample("abcdef", 3)} for subtopic in "12"
            }
        }
        qrels["q"]["1"]["g"] = 1
        table = found(evaluate_searches(qrels, searches, OF_SUBTOPICS))
        for measure in OF_SUBTOPICS:
            assert table["q", measure] == pytest.approx(expected(qrels["q"], searches["q"], measure), abs=1e-12)


def test_measures_of_ones_own():
    @untied.measure(cutoff="none")
    def LastRelevant(grades):
        """A value that no sum over ranks gives."""
        return max((rank for rank, grade in enumerate(grades, 1) if grade), default=0)

    searches = [["a", "x"], ["y", "b", "x"]]
    table = found(evaluate_searches({"q": {"a": 1, "b": 1}}, {"q": searches}, LastRelevant))
    assert table["q", "LastRelevant"] == pytest.approx(expected({"a": 1, "b": 1}, searches, LastRelevant))


def test_deep_searches_with_a_cutoff_are_quick():
    """Five searches of fifty documents have more interleavings than atoms; their first ranks have few orders."""
    searches = [[f"d{search}-{rank}" for rank in range(50)] for search in range(3)]
    judged = {"d0-0": 1, "d1-3": 2, "d2-40": 1}
    value, low, high = found(evaluate_searches({"q": judged}, {"q": searches}, "nDCG@5"))["q", "nDCG@5"]
    assert 0 == low < value < high < 1
    assert found(evaluate_searches({"q": judged}, {"q": searches}, "P@1"))["q", "P@1"] == pytest.approx((1 / 3, 0, 1))


def test_a_single_search_has_one_order():
    qrels, ranking = {"q": {"a": 1, "b": 2}}, ["x", "b", "a"]
    table = found(evaluate_searches(qrels, {"q": [ranking]}, "nDCG"))
    assert set(table["q", "nDCG"]) == {float(untied.evaluate(qrels, {"q": ranking}, "nDCG")["nDCG"])}


def test_undefined_queries():
    qrels, searches = {"q": {"a": 1}, "r": {"b": 0}}, {"q": [["a"], ["x"]], "r": [["b"]]}
    assert found(evaluate_searches(qrels, searches, "RR"))["all", "RR"] == (0.375, 0.25, 0.5)
    assert found(evaluate_searches(qrels, searches, "RR", on_undefined="nan"))["all", "RR"] == (0.75, 0.5, 1)
    with pytest.raises(untied.UndefinedError, match=r"RR is undefined for query r$"):
        evaluate_searches(qrels, searches, "RR", on_undefined="raise")


def test_queries_that_are_not_on_both_sides():
    with pytest.raises(untied.UntiedError, match="the searches and the qrels have no query in common"):
        evaluate_searches({"q": {"a": 1}}, {"r": [["a"]]})
    with pytest.warns(untied.UntiedWarning, match="queries in common with the qrels, but no document: 'searches'"):
        evaluate_searches({"q": {"a": 1}}, {"q": [["b"]]}, "RR")
    with pytest.warns(untied.UntiedWarning) as told:
        table = evaluate_searches({"q": {"a": 1}, "p": {"a": 1}}, {"q": [["a"]], "r": [["a"]]}, "RR")
    assert {str(warning.message) for warning in told} == {
        "queries without judgments, left out: 1 (r)",
        "judged queries without searches, counted as empty rankings: 1 (p)",
    }
    assert found(table)["all", "RR"][0] == 0.5


@pytest.mark.parametrize(
    ("searches", "options", "said"),
    [
        ({"q": [["a", "a"]]}, {}, "query q: a search returns document a twice"),
        ({"q": ["a", "b"]}, {}, "query q: expected a list of rankings"),
        ({"q": {"a": 1}}, {}, "query q: expected a list of rankings"),
        ({"q": [["a", None]]}, {}, "expected the id of a document, found None"),
        ({"q": [["a", True]]}, {}, "expected the id of a document, found True"),
        (3, {}, "searches must be"),
        ({"q": [["a"]]}, {"measures": "GMAP"}, "GMAP|AP"),
        ({"q": [["a"]]}, {"measures": "NumRet"}, "NumRet is no mean over queries"),
        ({"q": [["a"]]}, {"most": 0}, "most must be at least 1"),
        ({"q": [["a"]]}, {"on_undefined": "x"}, "on_undefined"),
        ({"q": [list("abcdef"), list("ghijkl")]}, {"most": 20}, "more than most=20 beginnings of rankings"),
    ],
)
def test_what_is_refused(searches, options, said):
    with pytest.raises((untied.UntiedError, TypeError), match=said):
        evaluate_searches({"q": {"a": 1, "h": 1}}, searches, **options)


SEARCHES = {"q1": [["a", "b"], ["x", "y"]], "q2": [["x"], ["c"]], "q3": [["z"]]}
JUDGED = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}, "q3": {"c": 1}}


@pytest.fixture
def in_files(tmp_path):
    """The judgments, and one file for each search, in different formats."""
    (tmp_path / "qrels.json").write_text(json.dumps(JUDGED))
    (tmp_path / "one.run").write_text("q1 Q0 b 2 1 t\nq1 Q0 a 1 2 t\nq2 Q0 x 1 1 t\nq3 Q0 z 1 1 t\n")
    (tmp_path / "two.csv").write_text("query_id,doc_id,rank\nq1,x,1\nq1,y,2\nq2,c,1\n")
    return [tmp_path / name for name in ("qrels.json", "one.run", "two.csv")]


def test_runs_are_searches(in_files):
    """Files, frames and rankings give the same numbers to the last bit, in Python and on the command line."""
    qrels, *runs = in_files
    expected = evaluate_searches(JUDGED, SEARCHES, ["nDCG", "R@2"]).to_dicts()
    assert evaluate_searches(qrels, runs, ["nDCG", "R@2"]).to_dicts() == expected
    loaded = [untied.read_run(runs[0]), pandas.read_csv(runs[1])]
    assert evaluate_searches(JUDGED, loaded, ["nDCG", "R@2"]).to_dicts() == expected


@pytest.mark.parametrize("per_query", [False, True])
def test_interleave_on_the_command_line(in_files, untied_, per_query):
    expected = evaluate_searches(JUDGED, SEARCHES, ["nDCG", "R@2"]).to_dicts()
    chosen = ["-q"] if per_query else []
    code, out, _ = untied_("eval", *in_files, "--interleave", "-m", "nDCG", "-m", "R@2", "--format", "json", *chosen)
    assert code == 0
    assert json.loads(out)["results"] == (expected if per_query else expected[-2:])


def test_tied_documents_of_a_search_are_refused(in_files, untied_):
    qrels, run, _ = in_files
    run.write_text("q1 Q0 a 1 1 t\nq1 Q0 b 2 1 t\n")
    code, _, err = untied_("eval", qrels, run, "--interleave", "-m", "AP")
    assert code == 2
    assert "one: query q1: documents a and b are tied, but a search needs an order" in err


def test_qrels_with_subtopics_are_read_again():
    """All that measures use of judgments by subtopic, which need not be a dict."""
    draw = seeded("judgments by subtopic")
    measures = ["alpha_nDCG", "StRecall@2", "ERR_IA", "AP_IA@3", "AP", "nDCG", "Judged@3", "Dsharp_nDCG@3"]
    for _ in range(many(20)):
        qrels = {
            query: {
                f"s{subtopic}": {document: draw.choice([-1, 0, 0, 1, 2]) for document in draw.sample("abcdef", 3)}
                for subtopic in draw.sample(range(12), draw.choice([0, 1, 2, 11]))
            }
            for query in ("p", "q", "r")
        }
        qrels["p"]["s5"] = {"a": 1}
        held = untied.Qrels(qrels)
        again = {query: held.by_subtopic(query) for query in held.queries()}
        assert set(again) == set(qrels)
        run = {query: [["a", "b"], "c", ["d", "e", "g"]] for query in qrels}
        for options in ({}, {"unjudged": "range"}):
            asked = measures if not options else ["AP", "nDCG", "Judged@3"]
            tables = [untied.evaluate(judged, run, asked, **options).table() for judged in (qrels, held, again)]
            assert [list(table.rows()) for table in tables[1:]] == [list(tables[0].rows())] * 2
    with pytest.raises(KeyError, match="nowhere"):
        held.by_subtopic("nowhere")
    with pytest.raises(untied.UntiedError, match="no subtopics"):
        untied.Qrels(BOTH).by_subtopic("q")


BOTH = {"q": {"a": 1, "b": 1}}


def test_facts_are_found_by_several_searches(tmp_path, untied_):
    """Judgments in a file, and as AutoRAG has them: one document of each list is needed."""
    needed = {"q": [["a", "b"], ["c"]]}
    (tmp_path / "needed.json").write_text(json.dumps(needed))
    (tmp_path / "topics.txt").write_text("q 1 a 1\nq 1 b 1\nq 2 c 1\n")
    searches = [["x", "b"], ["c", "a"]]
    for place, search in enumerate(searches):
        (tmp_path / f"{place}.json").write_text(json.dumps({"q": search}))
    measures = ["StRecall@2", "StRecall@3", "alpha_nDCG"]
    expected_rows = evaluate_searches(untied.Qrels(needed, format="subtopics"), {"q": searches}, measures).to_dicts()
    for measure in measures:
        judged = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
        row = next(row for row in expected_rows if row["measure"] == measure)
        assert (row["value"], row["low"], row["high"]) == pytest.approx(expected(judged, searches, measure), abs=1e-12)
    for qrels in ("needed.json", "topics.txt"):
        asked = [word for measure in measures for word in ("-m", measure)]
        files = [tmp_path / name for name in (qrels, "0.json", "1.json")]
        line = ["eval", *files, "--qrels-format", "subtopics", "--interleave", *asked, "-q", "--format", "json"]
        code, out, _ = untied_(*line)
        assert (code, json.loads(out)["results"]) == (0, expected_rows)


def test_judgments_of_samples_are_refused():
    qrels = untied.Qrels({"q": {"a": (1, 0.5)}}, format="prels")
    with pytest.raises(untied.UntiedError, match="need grades, or grades by subtopic, not qrels of format prels"):
        evaluate_searches(qrels, {"q": [["a"]]}, "AP")


def test_undefined_queries_are_counted_as_eval_counts_them(tmp_path, untied_):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("q1 0 a 1\nq2 0 b 0\nq3 0 c 0\n")
    run.write_text("q1 Q0 a 1 2 t\nq1 Q0 x 2 1 t\nq2 Q0 b 1 1 t\nq3 Q0 c 1 1 t\n")
    for chosen in ([], ["--on-undefined", "nan"]):
        for measure in ("AP", "P@1"):
            told = []
            for interleave in ([], ["--interleave"]):
                code, _, err = untied_("eval", qrels, run, "-m", measure, *chosen, *interleave)
                assert code == 0
                told.append([line for line in err.splitlines() if "undefined" in line])
            assert told[0] == told[1]
            assert len(told[0]) == (measure == "AP")
