"""Tables with a row for each query: lists of retrieved documents, of their scores, of relevant documents."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import untied
from untied.errors import UntiedError

ROWS = [
    {
        "user_input": "capital of Peru?",
        "retrieved_context_ids": [7, "3", 9],
        "reference_context_ids": ["7", 9],
    },
    {"user_input": "capital of Mars?", "retrieved_context_ids": [], "reference_context_ids": []},
]
TEXT = [{**row, **{name: [str(id) for id in row[name]] for name in row if name != "user_input"}} for row in ROWS]
PERU = {"SetR": 1, "SetP": 2 / 3, "R@2": 0.5, "nDCG@3": 0.9197207891481876}


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(params=["jsonl", "parquet", "pandas", "polars", "arrow", "large", "sliced"])
def table(request, tmp_path):
    """A function that puts rows into a table of one of the kinds that people have."""

    def make(rows):
        match request.param:
            case "jsonl":
                return lines(tmp_path / "rows.jsonl", rows)
            case "parquet":
                pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
                return tmp_path / "rows.parquet"
            case "pandas":
                return pd.DataFrame(rows)
            case "polars":
                return pl.DataFrame(rows)
            case "arrow":
                return pa.Table.from_pylist(rows)
            case "large":
                table = pa.Table.from_pylist(rows)
                large = [
                    field.with_type(pa.large_list(field.type.value_type)) if pa.types.is_list(field.type) else field
                    for field in table.schema
                ]
                return table.cast(pa.schema(large))
            case _:
                return pa.Table.from_pylist([{**rows[0], "user_input": "another"}, *rows]).slice(1)

    return make


def test_one_table_has_the_run_and_the_qrels(table):
    both = table(TEXT)
    result = untied.evaluate(both, both, list(PERU))
    for measure, expected in PERU.items():
        assert result.value(measure, "capital of Peru?") == pytest.approx(expected, abs=1e-12)
    assert set(result.queries) == {"capital of Peru?", "capital of Mars?"}


def test_ids_of_lines_may_be_numbers(tmp_path):
    both = lines(tmp_path / "rows.jsonl", ROWS)
    assert dict(untied.read_run(both)["capital of Peru?"]) == {"7": -1, "3": -2, "9": -3}
    assert dict(untied.read_qrels(both)["capital of Peru?"]) == {"7": 1, "9": 1}


def test_scores_rank_and_equal_scores_are_tied(table):
    rows = [{**TEXT[0], "scores": [0.9, 0.9, 0.2]}]
    both = table(rows)
    value = untied.evaluate(both, both, "RR", ties="range")["RR"]
    assert (value.low, value, value.high) == (0.5, 0.75, 1)


def test_grades_beside_relevant_documents(table):
    qrels = untied.Qrels(table([{"query": "q", "relevant": ["a", "b"], "grades": [3, 1]}]))
    assert dict(qrels["q"]) == {"a": 3, "b": 1}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"scores": [0.9, 0.2]}, "as many numbers as documents, 3"),
        ({"retrieved_context_ids": None}, "a list"),
        ({"retrieved_context_ids": ["a", None, "b"]}, "id"),
        ({"scores": [0.9, float("nan"), 0.2]}, "a finite number as the score"),
        ({"user_input": "capital of Mars?"}, "one row for each query"),
    ],
)
def test_what_is_refused(table, row, expected):
    first = {**TEXT[1], "retrieved_context_ids": ["x"]}
    rows = [first | {"scores": [0.5]} if "scores" in row else first, {**TEXT[0], **row}]
    with pytest.raises(UntiedError, match=expected) as refused:
        untied.evaluate({"q": {"a": 1}}, table(rows), "RR")
    assert any(place in str(refused.value) for place in ("line 2", "row 1"))


def test_a_query_in_two_rows_that_are_far_apart(tmp_path):
    rows = [{"query": f"q{i}", "retrieved": [f"d{j}" for j in range(50)]} for i in range(5000)]
    path = lines(tmp_path / "rows.jsonl", [*rows, {"query": "q7", "retrieved": ["x"]}])
    for read in (untied.read_run, lambda path: untied.evaluate({"q7": {"x": 1}}, path, "RR")):
        with pytest.raises(UntiedError, match=r"line 5001: expected one row for each query.*q7"):
            read(path)


def test_a_document_twice_in_a_list_is_named_with_its_line(tmp_path):
    path = lines(tmp_path / "rows.jsonl", [TEXT[0], {**TEXT[1], "retrieved_context_ids": ["a", "b", "a"]}])
    with pytest.raises(UntiedError, match=r'line 2.*"a"'):
        untied.read_run(path)


def test_lists_hold_ids(tmp_path):
    frame = pd.DataFrame({"query": ["q"], "retrieved": [[0.5, 1.5]]})
    with pytest.raises(UntiedError, match='expected lists of text, bytes or whole numbers in column "retrieved"'):
        untied.Run(frame)
    path = lines(tmp_path / "rows.jsonl", [{"query": "q", "retrieved": [1.5]}])
    with pytest.raises(UntiedError, match="line 1: expected a document's id in the list"):
        untied.read_run(path)


def test_lists_and_rows_give_the_same(tmp_path):
    rows = [
        {"query": f"q{i}", "retrieved": [f"d{j}" for j in range(i % 7)], "scores": [(j * i) % 3 for j in range(i % 7)]}
        for i in range(300)
    ]
    long = [
        {"query": row["query"], "document": document, "score": score}
        for row in rows
        for document, score in zip(row["retrieved"], row["scores"], strict=True)
    ]
    qrels = {f"q{i}": {f"d{j}": j % 2 for j in range(8)} for i in range(300)}
    measures = ["AP", "nDCG@3", "RR"]
    wide = untied.evaluate(qrels, lines(tmp_path / "wide.jsonl", rows), measures)
    same = untied.evaluate(qrels, lines(tmp_path / "long.jsonl", long), measures)
    for measure in measures:
        for query in qrels:
            assert wide.value(measure, query) == same.value(measure, query)


def test_named_columns_of_lists(tmp_path):
    path = lines(tmp_path / "rows.jsonl", [{"q": "x", "gold": ["a"], "ctx": ["b", "a"], "sim": [0.1, 0.4]}])
    qrels = untied.read_qrels(path, columns={"query": "q", "relevant": "gold"})
    run = untied.read_run(path, columns={"query": "q", "retrieved": "ctx", "scores": "sim"})
    assert untied.evaluate(qrels, run, "RR")["RR"] == 1


def test_rows_of_tuples_hold_one_document(tmp_path):
    with pytest.raises(UntiedError, match="one document in each row"):
        untied.Run(pd.DataFrame({"query": ["q"], "retrieved": [["a"]]}).itertuples(index=False, name="Row"))


@pytest.mark.parametrize(
    ("names", "both"),
    [
        (("query", "document", "rating", "score"), ("rating", "score")),
        (("query", "document", "judgment", "score"), ("judgment", "score")),
        (("query", "document", "rating", "label"), ("rating", "label")),
        (("query", "doc_id", "chunk_id", "label"), ("doc_id", "chunk_id")),
    ],
)
def test_names_that_could_mean_either_are_refused(names, both):
    frame = pd.DataFrame([["q", "d", "1", "1"]], columns=list(names)).astype({names[3]: float})
    with pytest.raises(UntiedError, match=f'"{both[0]}" and "{both[1]}" may both hold|"{both[1]}" and "{both[0]}" may'):
        untied.Qrels(frame)


def test_a_grade_that_is_named_may_be_beside_a_score():
    frame = pd.DataFrame([["q", "d", 2.0, 0.3]], columns=["query", "document", "rating", "score"])
    assert dict(untied.Qrels(frame, columns={"grade": "rating"})["q"]) == {"d": 2}
    assert dict(untied.Run(frame)["q"]) == {"d": 0.3}


@pytest.mark.parametrize("names", [("Query Text", "Item ID", "Judgment"), ("question", "product_id", "rating")])
def test_names_as_shops_have_them(names):
    frame = pd.DataFrame([["tv", "d1", 3.0]], columns=list(names))
    assert dict(untied.Qrels(frame)["tv"]) == {"d1": 3}


@pytest.mark.parametrize(
    ("names", "columns", "said"),
    [
        (["query", "retrieved", "s"], {"score": "s"}, "score is named, but rows have lists of documents"),
        (["query", "document", "score", "s"], {"scores": "s"}, "scores is named, but rows have one document each"),
    ],
)
def test_a_name_without_effect_is_refused(names, columns, said):
    values = {"query": "q", "document": "d", "retrieved": ["d"], "score": 1.0, "s": [1.0]}
    with pytest.raises(UntiedError, match=said):
        untied.Run(pd.DataFrame({name: [values[name]] for name in names}), columns=columns)


def test_lists_that_are_named_win_over_single_documents():
    frame = pd.DataFrame({"query": ["q"], "document": ["x"], "score": [1.0], "ctx": [["a", "b"]]})
    assert dict(untied.Run(frame, columns={"retrieved": "ctx"})["q"]) == {"a": -1, "b": -2}
