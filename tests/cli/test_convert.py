"""``untied convert``: what is written is read as the same."""

from __future__ import annotations

import gzip
import json

import pytest

import untied
from untied.cli.convert import FORMATS

RUN = {"q 1": {"b": 1.5, "a": 1.5, 'c,"d"': 0.1, "é": -7}, "2": {"x": 1e300}}
QRELS = {"q 1": {"a": 1, "b": -1, "c": 0.5}, "2": {"x": 0}}
PLAIN = {"q1": {"b": 1.5, "a": 1.5, "c": 0.1}, "2": {"x": 1e300}}


@pytest.fixture
def convert(tmp_path, untied_):
    """A function that converts a run or qrels in JSON, and returns the new file with what is said."""

    def call(what, content, name, *options):
        source, made = tmp_path / "source.json", tmp_path / name
        source.write_text(json.dumps(content))
        code, out, err = untied_("convert", what, source, "-o", made, *options)
        assert (code, out) == (0, ""), err
        return made, err

    return call


@pytest.mark.parametrize("format", FORMATS[1:])
def test_a_run_comes_back_in_its_order(convert, format):
    made, said = convert("run", PLAIN, f"run.{format}")
    run = untied.read_run(made)
    assert not said
    assert {query: run[query] for query in run.queries()} == {q: list(docs.items()) for q, docs in PLAIN.items()}


@pytest.mark.parametrize("format", FORMATS[2:])
def test_ids_may_hold_anything(convert, format):
    run = untied.read_run(convert("run", RUN, f"run.{format}")[0])
    assert {query: dict(run[query]) for query in run.queries()} == RUN
    qrels = untied.read_qrels(convert("qrels", QRELS, f"qrels.{format}")[0])
    assert {query: qrels[query] for query in qrels.queries()} == QRELS


def test_fractions_of_grades_are_kept_and_noted(convert):
    made, said = convert("qrels", {"q": {"a": 0.5, "b": 2}}, "qrels.txt")
    assert made.read_text() == "q 0 b 2\nq 0 a 0.5\n"
    assert said == "note: grades that are not whole numbers: 1 (trec_eval reads only their whole part)\n"


def test_documents_are_sorted_by_score(convert):
    made, _ = convert("run", {"q": {"a": 1, "b": 2, "c": 1}}, "x.run")
    assert made.read_text() == "q Q0 b 1 2 untied\nq Q0 a 2 1 untied\nq Q0 c 3 1 untied\n"


def test_json_alone_keeps_queries_for_which_nothing_was_found(convert, tmp_path):
    empty = {"q": {"a": 1}, "r": {}}
    assert json.loads(convert("run", empty, "run.json")[0].read_text()) == empty
    made, said = convert("run", empty, "run.csv")
    assert made.read_text() == "query_id,doc_id,score\nq,a,1\n"
    assert said == "note: queries without documents, left out: 1 (only json keeps them)\n"


def test_lists_in_a_row_become_rows(untied_, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"query_id": 1, "retrieved_ids": ["b", "a"], "scores": [2, 2], "relevant": ["a"]}\n')
    assert untied_("convert", "run", rows)[1] == "1 Q0 b 1 2 untied\n1 Q0 a 2 2 untied\n"
    assert untied_("convert", "qrels", rows)[1] == "1 0 a 1\n"


@pytest.mark.parametrize("query", ["capital of Peru?", "#1", "a\tb"])
def test_ids_that_would_not_come_back_are_refused_in_trecs_format(untied_, tmp_path, query):
    source = tmp_path / "source.json"
    source.write_text(json.dumps({query: {"a": 1}}))
    code, out, err = untied_("convert", "run", source)
    assert (code, out) == (2, "")
    assert "cannot be written in TREC's format" in err


def test_archives_are_read_but_not_written(untied_, tmp_path):
    source = tmp_path / "q.json.gz"
    source.write_bytes(gzip.compress(b'{"q": {"a": 1}}'))
    assert untied_("convert", "qrels", source)[1] == "q 0 a 1\n"
    code, _, err = untied_("convert", "qrels", source, "-o", tmp_path / "q.csv.gz")
    assert code == 2
    assert "files are not compressed; leave out .gz" in err
    assert not (tmp_path / "q.csv.gz").exists()


def test_formats_of_the_other_input_are_refused(untied_, tmp_path):
    for what, other in (("run", "qrels"), ("qrels", "run")):
        code, _, err = untied_("convert", what, tmp_path / "none", f"--{other}-format", "csv")
        assert (code, err) == (2, f"untied: --{other}-format cannot be combined with {what}\n")
