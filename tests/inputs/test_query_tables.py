"""Tables of queries: read in every form, with one clear error for whatever could mean two things."""

from __future__ import annotations

import json

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import untied
from untied.errors import UntiedError
from untied.inputs.queries import QueryTable, segments_of, weights_of

ROWS = [{"query_id": "1", "market": "de", "traffic": 3}, {"query_id": "2", "market": "fr", "traffic": 1.5}]
TEXT = "query_id,market,traffic\n1,de,3\n2,fr,1.5\n"
#: A query set of OpenSearch's workbench.
SET = {"querySetQueries": [{"queryText": "1", "customFields": {"market": "de", "traffic": "3"}},
                           {"queryText": "2", "customFields": {"market": "fr", "traffic": "1.5"}}]}  # fmt: skip


def _file(folder, name, content):
    path = folder / name
    path.write_text(content)
    return path


def _parquet(folder):
    path = folder / "queries.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    return path


FORMS = {
    "csv": lambda folder: _file(folder, "queries.csv", TEXT),
    "tsv": lambda folder: _file(folder, "queries.tsv", TEXT.replace(",", "\t")),
    "jsonl": lambda folder: _file(folder, "queries.jsonl", "".join(f"{json.dumps(row)}\n" for row in ROWS)),
    "json": lambda folder: _file(folder, "queries.json", json.dumps({row["query_id"]: row for row in ROWS})),
    "workbench": lambda folder: _file(folder, "set.json", json.dumps(SET)),
    "parquet": _parquet,
    "pandas": lambda _: pandas.DataFrame(ROWS),
    "polars": lambda _: polars.DataFrame(ROWS),
    "lazy": lambda _: polars.LazyFrame(ROWS),
    "pyarrow": lambda _: pyarrow.Table.from_pylist(ROWS),
    "dict": lambda _: {row["query_id"]: row for row in ROWS},
    "numbers as ids": lambda _: pandas.DataFrame({"qid": [1, 2], "market": ["de", "fr"], "traffic": [3, 1.5]}),
    "beir": lambda folder: _file(folder, "beir.jsonl", "".join(
        json.dumps({"_id": row["query_id"], "text": "?", "market": row["market"], "traffic": row["traffic"]}) + "\n"
        for row in ROWS)),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(form, tmp_path):
    table = QueryTable(FORMS[form](tmp_path))
    assert segments_of(table, "market", ["1", "2"]) == {"1": "de", "2": "fr"}
    assert weights_of(table, "traffic", ["1", "2"]) == {"1": 3, "2": 1.5}
    assert table.unused(["1"]) == 1


def test_a_table_of_judgments_repeats_what_it_says_of_a_query(tmp_path):
    path = _file(tmp_path, "judged.csv", "query_id,product_id,locale\n1,a,us\n1,b,us\n2,a,es\n")
    assert segments_of(QueryTable(path), "locale", ["1", "2"]) == {"1": "us", "2": "es"}


def test_case_and_blanks_of_names_do_not_matter():
    table = QueryTable({"1": {"Home Market": "de", "x": 1, "X": 2}})
    assert segments_of(table, "home_market", ["1"]) == {"1": "de"}
    assert segments_of(table, "X", ["1"]) == {"1": "2"}
    with pytest.raises(UntiedError, match="no column Y"):
        table.cells("Y", ["1"])


def test_segments_from_numbers_and_truth_values():
    table = QueryTable({"1": {"x": 2.0, "y": True}, "2": {"x": 0.5, "y": False}})
    assert segments_of(table, "x", ["1", "2"]) == {"1": "2", "2": "0.5"}
    assert segments_of(table, "y", ["1", "2"]) == {"1": "true", "2": "false"}


def test_segments_from_cells_of_other_libraries(tmp_path):
    """Numbers of numpy have the names of Python's numbers, and bytes are text."""
    rows = {"1": {"x": np.float32(2), "y": np.True_, "z": b"de"}, "2": {"x": np.int64(3), "y": np.False_, "z": b"fr"}}
    expected = {"x": {"1": "2", "2": "3"}, "y": {"1": "true", "2": "false"}, "z": {"1": "de", "2": "fr"}}
    table = QueryTable(rows)
    assert {name: segments_of(table, name, ["1", "2"]) for name in expected} == expected
    pyarrow.parquet.write_table(pyarrow.table({"qid": [b"1", b"2"], "z": [b"de", b"fr"]}), tmp_path / "q.parquet")
    assert segments_of(QueryTable(tmp_path / "q.parquet"), "z", ["1", "2"]) == expected["z"]


def test_columns_whose_names_are_numbers():
    assert segments_of(QueryTable({1: {2020: "a"}, 2: {2020: "b"}}), "2020", ["1", "2"]) == {"1": "a", "2": "b"}


def test_only_segments_that_tables_name_cannot_be_called_all():
    results = untied.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": ["a"], "2": ["a"]}, "RR")
    table = {"1": {"x": "all"}, "2": {"x": "fr"}}
    assert results.grouped(table, macro="x", cluster="x")["RR"] == 1
    with pytest.raises(UntiedError, match="x has a segment called all"):
        results.grouped(table, by="x")
    results = untied.evaluate({"all/1": {"a": 1}}, {"all/1": ["a"]}, "RR")
    with pytest.raises(UntiedError, match="has a segment called all"):
        results.grouped(by="re:(.*)/.*")


def test_segments_from_ids_need_no_table():
    assert segments_of(None, "re:([^/]+)/.+", ["nq/1", "nq/2", "fiqa/1"]) == {
        "nq/1": "nq", "nq/2": "nq", "fiqa/1": "fiqa",
    }  # fmt: skip


GOOD = {"1": {"market": "de", "traffic": 3}, "2": {"market": "fr", "traffic": 1}}


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"1": {"market": "", "traffic": 1}}, {"by": "market"}, "query 1 has no value of market"),
        ({"1": {"market": None}}, {"by": "market"}, "query 1 has no value of market"),
        ({"1": {"market": float("nan")}}, {"by": "market"}, "query 1 has no value of market"),
        ({"1": {"market": np.float32("nan")}}, {"by": "market"}, "query 1 has no value of market"),
        ({"1": {"market": pandas.NaT}}, {"by": "market"}, "query 1 has no value of market"),
        ({"1": {"market": ["de"]}}, {"by": "market"}, "expected one market for query 1, found list"),
        ({"1": {"market": np.array([1, 2])}}, {"by": "market"}, "expected one market for query 1, found ndarray"),
        ({"1": {"traffic": 2e100}}, {"weight": "traffic"}, "a weight must be from 1e-100 to 1e+100"),
        ({"1": {"traffic": 5e-324}}, {"weight": "traffic"}, "a weight must be from 1e-100 to 1e+100"),
        ({"1": {"market": "all"}}, {"by": "market"}, "market has a segment called all"),
        ({"1": {"market": "de"}}, {"weight": "traffic"}, "query 1 has no value of traffic"),
        ({"1": {"traffic": 0}}, {"weight": "traffic"}, "query 1 has the traffic 0 and would count for nothing"),
        ({"1": {"traffic": -2}}, {"weight": "traffic"}, "query 1 has the negative traffic -2"),
        (
            {"1": {"traffic": "many"}},
            {"weight": "traffic"},
            "query 1 has the traffic many, which is not a finite number",
        ),
        ({"1": {"traffic": "inf"}}, {"weight": "traffic"}, "which is not a finite number"),
        ({"1": {"traffic": True}}, {"weight": "traffic"}, "which is not a finite number"),
        ({"1": {"traffic": "1_000"}}, {"weight": "traffic"}, "which is not a finite number"),
        ({}, {"by": "country"}, "no column country; there are market, traffic"),
        ({}, {"by": "re:(.)"}, "a table of queries has no effect if patterns (re:) find all segments"),
        ({}, {}, "a table of queries has no effect without by, weight, macro or cluster"),
    ],
)
def test_what_is_refused(change, options, said):
    results = untied.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": ["a"], "2": ["a"]}, "RR")
    with pytest.raises(UntiedError) as refused:
        results.grouped(GOOD | change, **options)
    assert said in str(refused.value)


def test_an_evaluated_query_must_be_in_the_table():
    results = untied.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": ["a"], "2": ["a"]}, "RR")
    with pytest.raises(UntiedError, match="no row for query 2, which was evaluated"):
        results.grouped({"1": GOOD["1"]}, by="market")
    with pytest.raises(UntiedError, match="give one with --query-table"):
        results.grouped(by="market")


def test_queries_of_the_table_without_judgments_are_counted():
    results = untied.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "RR").grouped(GOOD, by="market")
    assert "queries of the table that were not evaluated: 1" in list(results._design_notes())


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("queries.csv", "query_id,market\n1,de\n1,fr\n2,fr\n", "query 1 has two values of market: de and fr"),
        ("queries.csv", "topic,market\n1,de\n", "expected a column for the query"),
        ("queries.csv", "query_id,market\n", "expected queries, found none"),
        ("queries.csv", "query_id,market\n1,de,x\n", "expected 2 fields, found 3"),
        ("queries.csv", "query_id,market\n,de\n", "expected the id of a query in row 2"),
        ("queries.txt", "1 de\n", "a table of queries needs named columns"),
        ("queries.json", "[1]", "expected a JSON object, found list"),
        ("queries.json", '{"1": {}, "1": {}}', "each name once in an object"),
        ("queries.json", '{"1": 2}', "expected {query: {column: value}}, found 2 for 1"),
        ("queries.json", "{", "expected JSON, found"),
    ],
)
def test_files_that_are_refused(name, content, said, tmp_path):
    with pytest.raises(UntiedError) as refused:
        segments_of(QueryTable(_file(tmp_path, name, content)), "market", ["1", "2"])
    assert said in str(refused.value)
    assert name in str(refused.value)
    assert "#document" not in str(refused.value)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("q(.)", "the pattern q(.) finds no segment in query 1: it must match the whole id"),
        ("1", "has no group (...), which is the segment"),
        ("(", "is no regular expression"),
    ],
)
def test_patterns_that_are_refused(pattern, said):
    results = untied.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "RR")
    with pytest.raises(UntiedError) as refused:
        results.grouped(by=f"re:{pattern}")
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "cells", [["de", " "], ["de", "\t"], ["de", "\u3000"], ["de", b" "], ["de", ""], ["de", None], ["de", float("nan")]]
)
def test_a_blank_cell_is_no_segment(cells, tmp_path):
    table = QueryTable({str(query): {"market": cell, "traffic": cell} for query, cell in enumerate(cells, 1)})
    for read, column in ((segments_of, "market"), (weights_of, "traffic")):
        with pytest.raises(UntiedError, match=f"query 2 has no value of {column}"):
            read(table, column, ["2"])
    path = _file(tmp_path, "queries.csv", "query_id,market\n1,de\n2,  \n")
    with pytest.raises(UntiedError, match="query 2 has no value of market"):
        segments_of(QueryTable(path), "market", ["1", "2"])


def test_what_a_pattern_finds_is_no_blank():
    with pytest.raises(UntiedError, match=r"the pattern \[a-z\]\(\.\)\. finds no segment in query a b"):
        segments_of(None, "re:[a-z](.).", ["a b"])


def test_a_table_names_few_of_its_many_columns():
    names = [f"column{number}" for number in range(30)]
    with pytest.raises(UntiedError, match=r'"column19" and 10 others$'):
        QueryTable(pandas.DataFrame({name: [1] for name in names}))


def test_a_table_without_columns():
    for frame in (pandas.DataFrame(), polars.DataFrame()):
        with pytest.raises(UntiedError, match=r"expected a column for the query .*, found none$"):
            QueryTable(frame)


def test_a_number_is_no_table():
    with pytest.raises(TypeError, match="expected a path, a frame or"):
        QueryTable(7)
