"""Tables whose grades are labels, and tables whose rows have no ids of queries."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import untied
from untied.inputs.files import read_labels

ESCI = [("q1", "a", "Exact"), ("q1", "b", "Partial"), ("q1", "c", "Irrelevant"), ("q2", "a", "Irrelevant")]
GRADES = {"Exact": 2, "Partial": 1, "Irrelevant": 0}
JUDGED = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 0}}


def content(held):
    return {query: dict(held[query]) for query in held.queries()}


@pytest.fixture(params=["csv", "tsv", "jsonl", "parquet"])
def labelled(request, tmp_path):
    """A function that writes judgments with labels."""

    def write(rows):
        path = tmp_path / f"labels.{request.param}"
        names = ("query_id", "product_id", "label")
        match request.param:
            case "parquet":
                pq.write_table(pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))), path)
            case "jsonl":
                path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
            case format:
                mark = "," if format == "csv" else "\t"
                path.write_text("".join(mark.join(cell or "" for cell in row) + "\n" for row in (names, *rows)))
        return path

    return write


def test_only_line_ends_end_lines(labelled):
    rows = [("q\u2028", "a\x0b", "Exact"), ("q\u2028", "b\x85", "Partial")]
    assert content(untied.read_qrels(labelled(rows), grades=GRADES)) == {"q\u2028": {"a\x0b": 2, "b\x85": 1}}


def test_labels_have_the_grades_that_are_named(labelled):
    assert content(untied.read_qrels(labelled(ESCI), grades=GRADES)) == JUDGED
    assert content(untied.read_qrels(labelled([*ESCI, ESCI[0]]), grades=GRADES)) == JUDGED


def test_unknown_labels_are_errors(labelled):
    path = labelled([*ESCI, ("q3", "a", "Exakt")])
    with pytest.raises(untied.InputError) as refused:
        untied.read_qrels(path, grades=GRADES)
    assert str(refused.value).endswith("expected Exact, Partial or Irrelevant as the grade, found Exakt")
    assert refused.value.line in (4, 5, 6)
    with pytest.raises(untied.InputError, match="one grade of each document"):
        untied.read_qrels(labelled([*ESCI, ("q1", "a", "Partial")]), grades=GRADES)
    with pytest.raises(untied.UntiedError):
        untied.read_qrels(labelled(ESCI))


def test_only_line_breaks_end_rows(tmp_path):
    """Texts may have characters that Python, but not CSV, takes for the end of a line."""
    path = tmp_path / "labels.csv"
    path.write_text('query_id,product_id,label,title\nq,a,Exact,one\u2028two\x1c\x85\nq,b,Exact,"one\r\ntwo"\n')
    assert content(untied.read_qrels(path, grades={"Exact": 2})) == {"q": {"a": 2, "b": 2}}


def test_labels_on_the_command_line(tmp_path, untied_):
    # Wayfair's files are tab-separated, and end in .csv.
    (tmp_path / "label.csv").write_text("id\tquery_id\tproduct_id\tlabel\n0\t1\ta\tExact\n1\t1\tb\tIrrelevant\n")
    (tmp_path / "x.run").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    given = (tmp_path / "label.csv", tmp_path / "x.run", "--qrels-format", "tsv", "-m", "RR")
    code, out, err = untied_("eval", *given, "--grade", "Exact=2", "--grade", "Irrelevant=0")
    assert (code, out.splitlines()[-1]) == (0, "x\tall\tRR\t0.5000"), err
    assert "expected Exact as the grade, found Irrelevant" in untied_("eval", *given, "--grade", "Exact=2")[2]
    assert "two grades, 1 and 2" in untied_("eval", *given, "--grade", "Exact=1", "--grade", "Exact=2")[2]
    assert "must be LABEL=GRADE" in untied_("eval", *given, "--grade", "Exact")[2]
    trec = untied_("eval", tmp_path / "x.run", tmp_path / "x.run", "--grade", "Exact=2")[2]
    assert "grades are for files of format csv, tsv, jsonl or parquet, not trec" in trec


#: Labels of a machine: of two documents a second try gave one, and it never labelled one of query r.
TRIED = [
    ("q", "a", "2"), ("q", "b", None), ("q", "c", "ERROR"), ("q", "d", "0"), ("q", "b", " 1.0"), ("q", "a", "ERROR"),
    ("q", "e", None), ("q", "f", "nan"), ("r", "a", "ERROR"),
]  # fmt: skip
LEFT = {"q": {"a": 2, "b": 1, "c": -1, "d": 0, "e": -1, "f": -1}, "r": {"a": -1}}


def machine_labels(path, grades=None):
    return content(read_labels(str(path), format="auto", columns=None, grades=grades, threads=1))


def test_documents_that_a_machine_failed_to_label_are_unjudged(labelled):
    path = labelled(TRIED)
    failed = re.escape(f"4 of 7 documents in {path} (ERROR: 2, empty: 1, nan: 1)")
    with pytest.warns(UserWarning, match=failed), pytest.warns(UserWarning, match="without any label.*: 1$"):
        assert machine_labels(path) == LEFT
    with pytest.raises(untied.UntiedError):
        untied.read_qrels(path)
    with pytest.warns(UserWarning, match=r"1 of 5 documents .*sorry{36}…: 1"):
        machine_labels(labelled([*ESCI, ("q2", "b", "sorr" + "y" * 50)]), GRADES)


def test_the_first_json_line_may_lack_its_label(tmp_path):
    path = tmp_path / "x.jsonl"
    rows = [{"docid": "a"}, {"docid": "b", "grade": 2}, {"docid": "c", "grade": 0}]
    path.write_text("".join(json.dumps({"query": "q"} | row) + "\n" for row in rows))
    with pytest.warns(UserWarning, match=r"1 of 3 documents .*empty: 1"):
        assert machine_labels(path) == {"q": {"a": -1, "b": 2, "c": 0}}


def test_failed_labels_hide_no_other_fault(labelled):
    with pytest.raises(untied.InputError, match="one grade of each document, found another one of a"):
        machine_labels(labelled([("q", "b", "ERROR"), ("q", "a", "1"), ("q", "a", "2")]))
    with pytest.raises(untied.InputError, match="expected a document's id"):
        machine_labels(labelled([("q", "b", "ERROR"), ("q", "", "1")]))
    with pytest.raises(untied.UntiedError, match=r"grade|numbers"):
        machine_labels(labelled([("q", "a", "good"), ("q", "b", "bad")]))


def test_a_failed_label_counts_as_one_that_is_left_out(tmp_path, untied_):
    human = [(f"q{i}", f"d{j}", str((i + j) % 3)) for i in range(6) for j in range(4)]
    machine = [(f"q{i}", f"d{j}", str((i * j) % 3)) for i in range(9) for j in range(4)]
    failed = {("q1", "d2"), ("q7", "d0")}

    def write(name, rows):
        (tmp_path / name).write_text("".join(",".join(row) + "\n" for row in [("query_id", "docid", "label"), *rows]))
        return tmp_path / name

    (tmp_path / "x.run").write_text("".join(f"q{i} Q0 d{j} 1 {-j} t\n" for i in range(9) for j in range(4)))
    people = write("human.csv", human)
    left = write("left.csv", [row for row in machine if row[:2] not in failed])
    with_errors = write("errors.csv", [(*row[:2], "ERROR" if row[:2] in failed else row[2]) for row in machine])
    more = (tmp_path / "x.run", "-m", "nDCG@3", "--format", "tsv", "--digits", "17")
    outputs = [untied_("judges", people, path, *more) for path in (left, with_errors)]
    assert outputs[0][:2] == outputs[1][:2]
    assert outputs[0][0] == 0
    assert f"2 of 36 documents in {with_errors} (ERROR: 2)" in outputs[1][2]
    code, _, err = untied_("judges", with_errors, people, *more)  # people fail at nothing
    assert (code, 'found "ERROR"' in err) == (2, True)


ROWS = [
    {"user_input": "same?", "retrieved_ids": ["a", "b"], "relevant_ids": ["b"]},
    {"user_input": "same?", "retrieved_ids": ["a"], "scores": [1], "relevant_ids": ["a"]},
    {"user_input": "same?", "retrieved_ids": [], "relevant_ids": []},
]


@pytest.fixture(params=["jsonl", "parquet"])
def listed(request, tmp_path):
    """A function that writes rows with lists."""

    def write(rows):
        path = tmp_path / f"rows.{request.param}"
        if request.param == "parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


def test_rows_are_queries_if_their_texts_repeat(listed, untied_):
    path = listed([{name: row[name] for name in row if name != "scores"} for row in ROWS])
    run = untied.read_run(path, columns={"query": "#row"})
    assert content(run) == {"1": {"a": -1, "b": -2}, "2": {"a": -1}, "3": {}}
    qrels = untied.read_qrels(path, columns={"query": "#row"})
    assert content(qrels) == {"1": {"b": 1}, "2": {"a": 1}, "3": {}}
    code, out, err = untied_("eval", path, path, "--column", "query=#row", "-m", "RR", "-q")
    assert (code, out.splitlines()[1:3]) == (0, ["rows\t1\tRR\t0.5000", "rows\t2\tRR\t1.0000"]), err


def test_lists_beside_them(listed):
    path = listed([{"retrieved": ["a", "b"], "scores": [1, 1.5], "relevant": ["b", "a"], "grades": [0, 2]}])
    assert content(untied.read_run(path, columns={"query": "#row"})) == {"1": {"a": 1, "b": 1.5}}
    assert content(untied.read_qrels(path, columns={"query": "#row"})) == {"1": {"b": 0, "a": 2}}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"retrieved": ["a"], "scores": [1, 2]}, "expected a list of 1 numbers"),
        ({"retrieved": ["a", "a"]}, "expected every document once, found a again"),
        ({"retrieved": None}, "expected a list of documents, as the query is #row, found none"),
        ({"retrieved": [None]}, "expected a document's id, found none"),
        ({"retrieved": ["a"], "scores": [None]}, "expected a finite number as the score, found None"),
    ],
)
def test_wrong_lists(listed, row, problem):
    path = listed([row])
    with pytest.raises(untied.UntiedError) as refused:
        untied.read_run(path, columns={"query": "#row"})
    assert problem in str(refused.value)
    assert str(refused.value).startswith(str(path))


def test_rows_of_one_document_are_no_queries(labelled):
    with pytest.raises(untied.UntiedError):
        untied.read_qrels(labelled(ESCI), columns={"query": "#row"})
