"""Answers of search engines as runs, as the engines write them."""

from __future__ import annotations

import json

import pytest

import untied

DONE = {"timed_out": False, "_shards": {"failed": 0}}


def search(*hits, **more):
    found = [{"_index": "p", "_id": document, "_score": score} for document, score in hits]
    return {**DONE, "hits": {"hits": found}, **more}


def vespa(*hits, **more):
    return {"root": {"children": [{"id": document, "relevance": score} for document, score in hits], **more}}


def solr(*hits, **more):
    documents = [{"id": document, "score": score} for document, score in hits]
    return {"responseHeader": more, "response": {"docs": documents}}


def typesense(*hits, **more):
    return {"hits": [{"document": {"id": document}, "text_match": score} for document, score in hits], **more}


def meilisearch(*hits, **more):
    return {"hits": [{"id": document, "_rankingScore": score} for document, score in hits], **more}


ENGINES = {"search": search, "vespa": vespa, "solr": solr, "typesense": typesense, "meilisearch": meilisearch}


@pytest.fixture
def read(tmp_path):
    """A function that writes answers, as pairs of query and response, and reads them as a run."""

    def write(engine, *answers):
        path = tmp_path / "answers.jsonl"
        path.write_text("".join(json.dumps({"query_id": q, "response": r}) + "\n" for q, r in answers))
        return untied.read_run(path, format=engine)

    return write


@pytest.mark.parametrize("engine", ENGINES)
def test_hits_with_equal_scores_are_tied(engine, read):
    answer = ENGINES[engine]
    run = read(engine, ("q1", answer(("a", 1.5), ("b", 1.5))), (2, answer(("c", 3))), ("q3", answer()))
    assert {query: dict(run[query]) for query in run.queries()} == {"q1": {"a": 1.5, "b": 1.5}, "2": {"c": 3}, "q3": {}}
    value = untied.evaluate({"q1": {"a": 1}}, run, "RR", ties="range")["RR"]
    assert (value.low, value, value.high) == (0.5, 0.75, 1)


INCOMPLETE = {
    "search": ({"timed_out": True}, {"_shards": {"failed": 1}}, {"error": {}, "status": 503}),
    "vespa": ({"errors": [{"code": 12}]}, {"coverage": {"full": False}}),
    "solr": ({"partialResults": True}, {"partialResults": "omitted"}),
    "typesense": ({"search_cutoff": True}, {"error": "busy"}),
    "meilisearch": ({"code": "internal"},),
}


@pytest.mark.parametrize(("engine", "more"), [(engine, more) for engine in INCOMPLETE for more in INCOMPLETE[engine]])
def test_incomplete_answers_are_refused(engine, more, read):
    answer = ENGINES[engine]
    with pytest.raises(untied.UntiedError, match=":2: expected a complete answer, found"):
        read(engine, ("q1", answer(("a", 1))), ("q2", answer(("a", 1), **more)))


def test_whole_numbers_beyond_floats_keep_their_order(read):
    first, second = 578730123365187705, 578730123365187704
    assert float(first) == float(second)
    run = read("typesense", ("q", typesense(("b", second), ("a", first), ("c", second), ("d", 5))))
    scores = dict(run["q"])
    assert scores["a"] > scores["b"] == scores["c"] > scores["d"]


def test_the_text_of_a_score_wins_over_its_rounded_number(read):
    texts = {"b": "578730123365187704", "a": "578730123365187705"}
    other, rounded = (
        {"document": {"id": document}, "text_match": 578730123365187700, "text_match_info": {"score": text}}
        for document, text in texts.items()
    )
    scores = dict(read("typesense", ("q", {"hits": [other, rounded]}))["q"])
    assert scores["a"] > scores["b"]


@pytest.mark.parametrize(
    ("engine", "answer", "found"),
    [
        ("search", search(("a", None)), 'a number "_score" of every hit'),
        ("search", search(("a", 1), ("a", 2)), "every document once"),
        ("search", {**DONE, "hits": {"hits": [{"_index": i, "_id": "a", "_score": 1} for i in "pq"]}}, "two indices"),
        ("search", DONE, 'a list "hits.hits", found none'),
        ("vespa", {"root": {"children": [{"id": "group:root:0", "children": []}]}}, "hits that are not grouped"),
        ("solr", {"response": {"docs": [{"id": "a"}]}}, 'a number "score" of every hit'),
        ("meilisearch", {"hits": [{"uid": 1, "_rankingScore": 1}]}, 'an id "id" of every hit, found null'),
    ],
)
def test_what_cannot_be_ranked_is_refused(engine, answer, found, read):
    with pytest.raises(untied.UntiedError, match=found):
        read(engine, ("q", answer))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('{"query_id": "q1", "response": {"hits": {"hits": [', "no JSON"),
        ('{"response": {}}', '"query_id", found null'),
        ('{"query_id": "q"}', "another value"),
        ('{"query_id": "q0", "response": {"hits": {"hits": []}}}', 'query "?q0"? again'),
        ("[1]", "another value"),
    ],
)
def test_other_lines_are_refused(line, found, tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"query_id": "q0", "response": search(("a", 1))}) + "\n\n" + line)
    with pytest.raises(untied.InputError, match=f":3: expected .*{found}"):
        untied.read_run(path, format="search")


SEVERAL = {"took": 3, "responses": [search(("a", 2.5), ("b", 1)), search()]}


@pytest.fixture
def several(tmp_path):
    """A function that writes a response to several queries, and a file with their ids."""

    def write(content, ids="q1\nq2\n"):
        (tmp_path / "answers.json").write_text(content if isinstance(content, str) else json.dumps(content))
        (tmp_path / "ids.txt").write_text(ids)
        return tmp_path / "answers.json", {"query": f"@{tmp_path / 'ids.txt'}"}

    return write


@pytest.mark.parametrize(
    "content",
    [SEVERAL, json.dumps(SEVERAL, indent=2), "".join(json.dumps(one) + "\n" for one in SEVERAL["responses"])],
    ids=["a line", "several lines", "a line each"],
)
def test_responses_are_in_the_order_of_their_queries(several, content, untied_, tmp_path):
    path, columns = several(content)
    for named, ids in ((columns, ("q1", "q2")), ({"query": "#row"}, ("1", "2"))):
        run = untied.read_run(path, format="search", columns=named)
        assert {query: dict(run[query]) for query in run.queries()} == {ids[0]: {"a": 2.5, "b": 1}, ids[1]: {}}
    (tmp_path / "qrels").write_text("q1 0 b 1\n")
    column = f"query={columns['query']}"
    code, out, err = untied_("eval", tmp_path / "qrels", path, "--run-format", "search", "--column", column, "-m", "RR")
    assert (code, out.splitlines()[-1]) == (0, "answers\tall\tRR\t0.5000"), err


@pytest.mark.parametrize("engine", ["typesense", "meilisearch"])
def test_other_engines_have_responses_to_several_queries(engine, several):
    path, columns = several({"results": [ENGINES[engine](("a", 1)), ENGINES[engine]()]})
    run = untied.read_run(path, format=engine, columns=columns)
    assert {query: dict(run[query]) for query in run.queries()} == {"q1": {"a": 1}, "q2": {}}


def test_solrs_own_response_is_no_wrapper(several):
    path, columns = several("".join(json.dumps(solr((one, 1))) + "\n" for one in "ab"))
    assert [*untied.read_run(path, format="solr", columns=columns)] == ["q1", "q2"]


@pytest.mark.parametrize(
    ("content", "ids", "problem"),
    [
        (SEVERAL, "q1\nq2\nq3\n", "expected ids for 2 responses, found 3 in"),
        (SEVERAL, "q1\n", "expected ids for 2 responses, found 1 in"),
        (SEVERAL, "q1\nq1\n", "expected one answer for each query, found query q1 again"),
        ({"responses": [search(), {"error": {}, "status": 404}]}, "q1\nq2\n", "found an error for query q2"),
        ({"responses": [search(), {**search(), "status": 503}]}, "q1\nq2\n", '"status": 503 for query q2'),
        ({"responses": [search(), 1]}, "q1\nq2\n", "expected an object for every query"),
        ({"query_id": "q1", "response": search()}, "q1\n", 'found "query_id"'),
        ("[]", "q1\n", "expected an object"),
    ],
)
def test_wrong_responses_to_several_queries(several, content, ids, problem):
    path, columns = several(content, ids)
    with pytest.raises(untied.InputError) as refused:
        untied.read_run(path, format="search", columns=columns)
    assert problem in str(refused.value)


def test_responses_without_ids_ask_for_them(several):
    path, _ = several(SEVERAL)
    with pytest.raises(untied.InputError, match="query=@FILE names their queries' ids"):
        untied.read_run(path, format="search")
    with pytest.raises(untied.UntiedError, match="expected #row, or @ and a file"):
        untied.read_run(path, format="search", columns={"query": "ids.txt"})
    with pytest.raises(untied.UntiedError, match="names of columns are for"):
        untied.read_run(path, format="search", columns={"score": "_score"})
