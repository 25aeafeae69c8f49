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
