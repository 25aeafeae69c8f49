"""Judgments and rankings of OpenSearch's Search Relevance Workbench, Quepid and RRE."""

from __future__ import annotations

import copy
import json

import pytest

import untied

JUDGMENTS = {
    "name": "j",
    "type": "IMPORT_JUDGMENT",
    "status": "COMPLETED",
    "judgmentRatings": [
        {
            "query": "tv",
            "ratings": [
                {"docId": "d1", "rating": "3.000"},
                {"docId": "d2", "rating": "2.000"},
                {"docId": "d3", "rating": "2"},
                {"docId": "d4", "rating": "1"},
            ],
            "failures": [{"docId": "d9"}],
        }
    ],
}


def wrapped(*sources):
    return {"hits": {"hits": [{"_id": str(place), "_source": one} for place, one in enumerate(sources)]}}


def result(query, documents, configuration="c"):
    return {"searchText": query, "documentIds": documents, "searchConfigurationId": configuration, "metrics": []}


@pytest.fixture
def save(tmp_path):
    """A function that writes JSON or text into a file."""

    def write(name, content):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def content(held):
    return {query: dict(held[query]) for query in held.queries()}


@pytest.mark.parametrize("judgments", [JUDGMENTS, wrapped(JUDGMENTS)], ids=["imported", "of the API"])
def test_judgments_of_the_workbench(save, judgments):
    qrels = untied.read_qrels(save("j.json", judgments), format="workbench")
    assert content(qrels) == {"tv": {"d1": 3, "d2": 2, "d3": 2, "d4": 1, "d9": -1}}


def test_values_beside_those_of_the_workbench(save):
    qrels = untied.read_qrels(save("j.json", JUDGMENTS), format="workbench")
    run = untied.read_run(save("r.json", wrapped(result("tv", ["d2", "x", "d1"]))), format="workbench")
    expected = {"P@3": 2 / 3, "R@3": 0.5, "AP@3": 5 / 12, "nDCG(gain='exp2')@3": 0.6254, "P(rel=3)@3": 1 / 3}
    results = untied.evaluate(qrels, run, list(expected))
    for measure, value in expected.items():
        assert results[measure] == pytest.approx(value, abs=5e-5)


def changed(**more):
    return {**copy.deepcopy(JUDGMENTS), **more}


def ratings(*pairs):
    rated = [{"docId": document, "rating": rating} for document, rating in pairs]
    return changed(judgmentRatings=[{"query": "tv", "ratings": rated}])


@pytest.mark.parametrize(
    ("judgments", "problem"),
    [
        (changed(status="PROCESSING"), 'expected a judgment list with "status": "COMPLETED", found PROCESSING'),
        (changed(status="ERROR"), 'expected a judgment list with "status": "COMPLETED", found ERROR'),
        (ratings(("d", "NaN")), "query tv: document d: expected a finite number as rating, found NaN"),
        (ratings(("d", "Infinity")), "query tv: document d: expected a finite number as rating, found Infinity"),
        (ratings(("d", True)), "query tv: document d: expected a finite number as rating, found True"),
        (ratings(("d", "1"), ("d", "2")), "query tv: document d has the ratings 1 and 2"),
        (ratings((None, "1")), 'query tv: expected "docId" of every document, found none'),
        (changed(judgmentRatings=[*JUDGMENTS["judgmentRatings"], {"query": "tv", "ratings": []}]),
         "query tv has two lists of ratings that differ"),
        (wrapped(JUDGMENTS, JUDGMENTS), "expected one judgment list, found 2"),
        ({"hits": {"hits": [{}]}}, 'expected a "_source" in every hit, found none'),
        ({"name": "j"}, 'found none'),
        (changed(judgmentRatings=[{"query": "q", "ratings": [], "failures": 5}]), 'expected a list "failures"'),
    ],
)  # fmt: skip
def test_judgments_that_could_mean_two_things_are_refused(save, judgments, problem):
    path = save("j.json", judgments)
    with pytest.raises(untied.InputError) as refused:
        untied.read_qrels(path, format="workbench")
    assert problem in str(refused.value)
    assert str(path) in str(refused.value)


def test_equal_ratings_and_lists_are_taken_once(save):
    twice = changed(judgmentRatings=JUDGMENTS["judgmentRatings"] * 2)
    assert len(content(untied.read_qrels(save("j.json", twice), format="workbench"))["tv"]) == 5
    assert content(untied.read_qrels(save("j.json", ratings(("d", "1"), ("d", "1.0"))), format="workbench")) == {
        "tv": {"d": 1}
    }


@pytest.mark.parametrize(
    ("results", "problem"),
    [
        ([result("tv", ["a", "a"])], "query tv has document a twice"),
        ([result("tv", ["a"]), result("tv", ["b"])], "query tv has two rankings that differ"),
        ([{"searchText": "tv", "searchConfigurationId": "c"}], 'each with "searchText" and a list "documentIds"'),
        ([result("", ["a"])], 'expected "searchText" of an evaluation result'),
        ([result("tv", ["a"]), result("tv", ["a"], "d")], "results of several search configurations, c or d"),
    ],
)
def test_results_that_could_mean_two_things_are_refused(save, results, problem):
    with pytest.raises(untied.InputError) as refused:
        untied.read_run(save("r.json", wrapped(*results)), format="workbench")
    assert problem in str(refused.value)


def test_each_search_configuration_is_a_run(save, untied_):
    qrels = save("j.json", JUDGMENTS)
    both = save("r.json", wrapped(result("tv", ["d1"], "new"), result("tv", ["x", "d1"], "old")))
    formats = ("--qrels-format", "workbench", "--run-format", "workbench")
    code, out, err = untied_("eval", qrels, both, *formats, "-m", "RR")
    assert (code, out) == (0, "run\tquery\tmeasure\tvalue\nnew\tall\tRR\t1.0000\nold\tall\tRR\t0.5000\n"), err
    assert dict(untied.read_run(both, format="workbench", part="old")["tv"]) == {"x": -1, "d1": -2}
    with pytest.raises(untied.UntiedError, match="not of other"):
        untied.read_run(both, format="workbench", part="other")
    with pytest.raises(untied.UntiedError, match="part is for files of format workbench"):
        untied.read_run(both, format="json", part="old")
    assert untied_("gate", qrels, both, *formats, "--min", "RR=0")[0] == 2  # it takes one run


CASE = "query,docid,rating\nstar wars,11,3.0\nstar wars,12,\nmoana,,"


def test_ratings_of_quepid_as_csv(save):
    with pytest.warns(untied.UntiedWarning, match="queries without any rated document, left out: 1"):
        qrels = untied.read_qrels(save("case.csv", CASE), format="quepid")
    assert content(qrels) == {"star wars": {"11": 3, "12": -1}}
    with pytest.raises(untied.InputError, match=", line 3: "):
        untied.read_qrels(save("case.csv", CASE))


def test_only_line_ends_end_lines(save):
    case = "query,docid,rating\ntele\u2028vision,d\x0b1,3\r\ntele\u2028vision,d\x852,2\r\n"
    expected = {"tele\u2028vision": {"d\x0b1": 3, "d\x852": 2}}
    assert content(untied.read_qrels(save("case.csv", case), format="quepid")) == expected


def test_ratings_of_quepid_as_json(save):
    case = {"queries": [{"query": "star wars", "ratings": {"11": 3, "12": None}}, {"query": "moana", "ratings": {}}]}
    with pytest.warns(untied.UntiedWarning, match="queries without any rated document, left out: 1"):
        qrels = untied.read_qrels(save("case.json", case), format="quepid")
    assert content(qrels) == {"star wars": {"11": 3, "12": -1}}


def test_a_book_of_quepid_has_a_column_for_each_judge(save):
    book = "query,docid,Ada,Bob\nq,1,2,\nq,2,1,1.0\nq,3,,\n"
    assert content(untied.read_qrels(save("book.csv", book), format="quepid")) == {"q": {"1": 2, "2": 1, "3": -1}}
    with pytest.raises(untied.InputError, match=r":2: .*query q: judges rate 1 2 and 3"):
        untied.read_qrels(save("book.csv", "query,docid,Ada,Bob\nq,1,2,3\n"), format="quepid")


DETAILED = (
    "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n"
    't,c,1,"star, wars",b,2,"B, really",\nt,c,1,"star, wars",a,1,A,3\nt,c,1,moana\n'
)


def test_the_detailed_csv_of_quepid_is_a_run_and_qrels(save):
    path = save("detailed.csv", DETAILED)
    with pytest.warns(untied.UntiedWarning, match="its JSON tells them apart"):
        run = untied.read_run(path, format="quepid")
    assert content(run) == {"star, wars": {"a": -1, "b": -2}, "moana": {}}
    with pytest.warns(untied.UntiedWarning, match="left out: 1"):
        assert content(untied.read_qrels(path, format="quepid")) == {"star, wars": {"a": 3, "b": -1}}


def test_texts_with_a_blank_in_front_are_noted(save):
    with pytest.warns(untied.UntiedWarning, match="begins with a blank: 1"):
        untied.read_qrels(save("case.csv", "query,docid,rating\n -1,11,3\n"), format="quepid")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("query,docid,rating\nq,1,good\n", ":2: expected one rating of each document, found query q: document 1:"),
        ("query,docid,rating\nq,1,1\nq,1,2\n", ":3: expected one rating of each document"),
        ("docid,rating\n1,1\n", ":1: expected a column query or query_text, found docid, rating"),
        ("query,docid\nq,1\n", ":1: expected a column rating, or one for each judge"),
        ('query,docid,rating\nq,"1,1\n', "expected CSV"),
        ("", ":1: expected a column query or query_text, found nothing"),
    ],
)
def test_wrong_csv_of_quepid(save, text, problem):
    with pytest.raises(untied.InputError) as refused:
        untied.read_qrels(save("case.csv", text), format="quepid")
    assert problem in str(refused.value)


@pytest.mark.parametrize("position", ["", "first", "-1"])
def test_wrong_positions_of_quepid(save, position):
    text = f"Query Text,Doc ID,Doc Position\nq,a,{position}\n"
    with pytest.raises(untied.InputError, match=":2: expected a whole number as the position"):
        untied.read_run(save("snapshot.csv", text), format="quepid")
    with pytest.raises(untied.InputError, match=":3: expected one document at each position"):
        untied.read_run(save("snapshot.csv", "Query Text,Doc ID,Doc Position\nq,a,1\nq,b,1\n"), format="quepid")


@pytest.mark.parametrize("wrap", [lambda docs: docs, lambda docs: {"id": 1, "docs": docs}])
def test_rated_documents_that_were_not_retrieved_are_not_ranked(save, wrap):
    docs = {"7": [{"id": "11", "rated_only": False}, {"id": "12", "rated_only": True}], "8": []}
    run = untied.read_run(save("snapshot.json", wrap(docs)), format="quepid")
    assert content(run) == {"7": {"11": -1}, "8": {}}


RELEVANT = {"a": {"gain": 3}, "b": {"rating": 0.5}}


@pytest.mark.parametrize(
    "rre",
    [
        {"queries": [{"placeholders": {"$query": "tv"}, "relevant_documents": RELEVANT}]},
        {"topics": [{"query_groups": [{"queries": [{"template": "t", "placeholders": {"$query": "tv"}}],
                                       "relevant_documents": {"3": ["a"], "0.5": ["b"]}}]}]},
    ],
)  # fmt: skip
def test_ratings_of_rre(save, rre):
    assert content(untied.read_qrels(save("r.json", rre), format="rre")) == {"tv": {"a": 3, "b": 0.5}}


@pytest.mark.parametrize(
    ("rre", "problem"),
    [
        ({"queries": [{"placeholders": {"$query": "tv"}}]}, 'query tv: expected "relevant_documents", found none'),
        ({"queries": [{"placeholders": {}, "relevant_documents": RELEVANT}]}, 'expected a text "$query"'),
        ({"queries": [1]}, 'expected objects in "queries"'),
        ({"queries": 1}, 'expected a list "queries", found another value'),
        ({"id": "x"}, "found no query"),
        ({"queries": [{"placeholders": {"$query": "q"}, "relevant_documents": {"a": 3}}]}, "document a: expected a"),
        ({"queries": [{"placeholders": {"$query": "q"}, "relevant_documents": {"1": ["a"], "2": ["a"]}}]},
         "document a has the ratings 1 and 2"),
    ],
)  # fmt: skip
def test_wrong_ratings_of_rre(save, rre, problem):
    with pytest.raises(untied.InputError) as refused:
        untied.read_qrels(save("r.json", rre), format="rre")
    assert problem in str(refused.value)
