"""Documents that a query retrieves several times, and queries that failed."""

from __future__ import annotations

import json
import math
import pickle
import re
import warnings
from collections import namedtuple
from types import SimpleNamespace

import duckdb
import numpy
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import untied
from nightly import many, seeded
from untied.cli import main
from untied.inputs.rows import run_of_rows
from untied.inputs.tolerance import DUPLICATES, Tolerance

QRELS = {"q": {"a": 1, "b": 1}}
#: The ranking a a b.
TWICE = "q Q0 a 1 3 t\nq Q0 a 2 2 t\nq Q0 b 3 1 t\n"
POLICIES = [policy for policy in DUPLICATES if policy != "error"]


@pytest.fixture
def save(tmp_path):
    """A function that writes a file."""

    def write(text, name="x.run"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return write


def read(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", untied.UntiedWarning)
        return untied.read_run(path, **options)


def content(run):
    return {query: run[query] for query in run.queries()}


@pytest.mark.parametrize(
    ("duplicates", "expected"),
    [
        ("first", {"P@3": 2 / 3, "R@3": 1, "AP@3": 1, "nDCG@3": 1}),
        ("best", {"P@3": 2 / 3, "R@3": 1, "AP@3": 1, "nDCG@3": 1}),
        ("repeat", {"P@3": 2 / 3, "R@3": 1, "AP@3": 5 / 6, "nDCG@3": 0.9197207891481876}),
    ],
)
def test_values_of_a_ranking_with_a_duplicate(save, duplicates, expected):
    results = untied.evaluate(QRELS, read(save(TWICE), duplicates=duplicates), list(expected))
    assert {measure: pytest.approx(results[measure], abs=1e-12) for measure in expected} == expected


@pytest.mark.parametrize(
    ("duplicates", "kept"),
    [
        ("first", [("a", 1), ("b", 2)]),
        ("last", [("b", 2), ("a", 2)]),
        ("best", [("a", 3), ("b", 2)]),
        ("repeat", [("a", 3), ("b", 2), ("a:copy2", 2), ("a:copy3", 1)]),
    ],
)
def test_which_rows_are_kept(save, duplicates, kept):
    """First and last are rows of the file; rows that stay keep their order where scores are equal."""
    path = save("q Q0 a 0 1 t\nq Q0 a 0 3 t\nq Q0 b 0 2 t\nq Q0 a 0 2 t\n")
    assert read(path, duplicates=duplicates)["q"] == kept


def test_ties_are_formed_afterwards(save):
    run = read(save("q Q0 a 0 1 t\nq Q0 a 0 3 t\nq Q0 b 0 3 t\n"), duplicates="best")
    value = untied.evaluate({"q": {"b": 1}}, run, "RR", ties="range")["RR"]
    assert (value.low, value, value.high) == (0.5, 0.75, 1)


def test_duplicates_are_refused_by_default(save):
    with pytest.raises(untied.InputError, match=r'line 2: expected every document once .* document "a"') as refused:
        untied.read_run(save(TWICE))
    assert (refused.value.kind, pickle.loads(pickle.dumps(refused.value)).kind) == ("repeated", "repeated")
    with pytest.raises(untied.InputError) as malformed:
        untied.read_run(save("q Q0 expected every document once in a query t\n"), duplicates="best")
    assert malformed.value.kind is None
    with pytest.raises(untied.UntiedError, match="duplicates must be error, first, last, best or repeat, not 'any'"):
        untied.read_run(save(TWICE), duplicates="any")


@pytest.mark.parametrize("duplicates", POLICIES)
def test_duplicates_are_counted_even_if_they_are_identical(save, duplicates):
    lines = [f"q{query} Q0 d{rank} 0 {-rank} t\n" for query in range(40) for rank in range(4)]
    twelve = [
        f"q{place % 5} Q0 d{place // 5} 0 {-20 - place if duplicates == 'repeat' else 0} t\n" for place in range(12)
    ]
    path = save("".join(lines + twelve))
    with pytest.warns(untied.UntiedWarning, match=f"12 duplicates in 5 of 40 queries of {path}: "):
        untied.read_run(path, duplicates=duplicates)


def test_a_file_without_duplicates_has_no_note(save):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert untied.read_run(save("q Q0 a 1 3 t\n"), duplicates="best")["q"] == [("a", 3)]


def test_copies_that_cannot_be_kept_are_refused(save):
    with pytest.raises(untied.UntiedError, match=r"x\.run: document a is tied with its copy"):
        untied.read_run(save("q Q0 a 0 1 t\nq Q0 a 0 1 t\n"), duplicates="repeat")
    with pytest.raises(untied.UntiedError, match="ends in :copy and a number"):
        untied.read_run(save("q Q0 a 0 2 t\nq Q0 a 0 1 t\nq Q0 a:copy2 0 3 t\n"), duplicates="repeat")
    with pytest.raises(untied.UntiedError, match=r"duplicates repeat .* collapse merges them"):
        untied.read_run(save(TWICE), duplicates="repeat", collapse="#")


def test_copies_of_parts_are_merged_before_parts_are(save):
    path = save("q Q0 d#1 0 1 t\nq Q0 d#1 0 3 t\nq Q0 d#2 0 2 t\nq Q0 e#1 0 2 t\n")
    assert dict(read(path, duplicates="best", collapse="#")["q"]) == {"d": 3, "e": 2}
    assert dict(read(path, duplicates="first", collapse="#")["q"]) == {"d": 2, "e": 2}


ROWS = [("q", "a", 3.0), ("q", "b", 2.5), ("q", "a", 2.0), ("p", "a", 1.0)]


def write(rows, format, path):
    """Rows of query, document and score as a file; where a format has only ranks, rows of a query are best first."""
    names = ("qid", "docno", "score")
    lists = {}
    for query, document, score in rows:
        lists.setdefault(query, []).append((document, score))
    match format:
        case "trec" | "trec-ranks":
            ranks = {query: iter(range(1, len(rows) + 1)) for query in lists}
            text = "".join(f"{q} Q0 {d} {next(ranks[q])} {score} t\n" for q, d, score in rows)
        case "msmarco":
            ranks = {query: iter(range(1, len(rows) + 1)) for query in lists}
            text = "".join(f"{q}\t{d}\t{next(ranks[q])}\n" for q, d, _ in rows)
        case "csv" | "tsv":
            mark = "," if format == "csv" else "\t"
            text = "".join(mark.join(map(str, row)) + "\n" for row in (names, *rows))
        case "jsonl":
            text = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
        case "jsonl-lists":
            text = "".join(
                json.dumps({"qid": q, "retrieved": [d for d, _ in ranked], "scores": [s for _, s in ranked]}) + "\n"
                for q, ranked in lists.items()
            )
        case "json":
            text = json.dumps({query: [document for document, _ in ranked] for query, ranked in lists.items()})
        case "parquet" | "parquet-bytes":
            columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
            if format == "parquet-bytes":
                columns["docno"] = [document.encode() for document in columns["docno"]]
            pq.write_table(pa.table(columns), path)
            return path
        case "parquet-lists":
            pq.write_table(
                pa.table({
                    "qid": list(lists),
                    "retrieved": [[document for document, _ in ranked] for ranked in lists.values()],
                    "scores": [[score for _, score in ranked] for ranked in lists.values()],
                }),
                path,
            )  # fmt: skip
            return path
    path.write_text(text)
    return path


FORMATS = ["trec", "trec-ranks", "msmarco", "csv", "tsv", "jsonl", "jsonl-lists", "parquet", "parquet-bytes",
           "parquet-lists"]  # fmt: skip


@pytest.mark.parametrize("format", [*FORMATS, "json"])
def test_files_of_each_format_may_have_duplicates(tmp_path, format):
    path = write(ROWS, format, tmp_path / "x")
    name = format.partition("-")[0] if format != "trec-ranks" else format
    with pytest.raises(untied.UntiedError, match="expected every document once in a query"):
        untied.read_run(path, format=name)
    kept = {"first": ["a", "b"], "last": ["b", "a"], "best": ["a", "b"], "repeat": ["a", "b", "a:copy2"]}
    for duplicates, order in kept.items():
        run = read(path, format=name, duplicates=duplicates)
        assert [document for document, _ in sorted(run["q"], key=lambda row: -row[1])] == order
        assert len(run["p"]) == 1


@pytest.mark.parametrize("format", FORMATS)
def test_python_reads_what_the_core_reads(tmp_path, format):
    """Rows of files with duplicates are read by Python, with the same queries, documents and scores."""
    random_ = seeded("rows")
    name = format.partition("-")[0] if format != "trec-ranks" else format
    for _ in range(many(8)):
        rows = [
            (query, document, score)
            for query in ("q1", "\u00fc", "7")
            for document, score in zip(
                random_.sample(["a", "b\u2028", "c", "\u00e9", "8"], 3),
                sorted((random_.choice([0.1, -3, 1e-300, 7, 0.1 + 0.2, 2**53]) for _ in range(3)), reverse=True),
                strict=True,
            )
        ]
        rows = [(q, d, float(score)) for q, d, score in rows]
        path = write(rows, format, tmp_path / "x")
        read_by_python = run_of_rows(str(path), name, None, None, Tolerance())
        assert content(read_by_python) == content(untied.read_run(path, format=name))


def test_ids_that_are_not_utf_8_stay_as_they_are(save, untied_):
    run = save(b"q Q0 \xff 0 1 t\nq Q0 \xff 0 2 t\n")
    qrels = save(b"q 0 \xff 1\n", "qrels")
    code, out, _ = untied_("eval", qrels, run, "-m", "RR", "--duplicates", "best")
    assert (code, out.splitlines()[-1]) == (0, "x\tall\tRR\t1.0000")


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        ("q Q0 a 0 1_0 t\n", "trec", "a number, found 1_0"),
        ("q Q0 a 0 inf t\n", "trec", "a number, found inf"),
        ("q Q0 a 0 1\n", "trec", r"6 columns \(query Q0 document rank score tag\), found 5"),
        ("qid,docno,score\nq,a,\n", "csv", "a number, found"),
        ("qid,docno,score\nq,,1\n", "csv", "a document's id"),
        ('{"qid": "q", "docno": "a", "score": "1"}\n{"qid": "q", "docno": "a", "score": null}\n', "jsonl", "a number"),
        ('{"qid": "q", "retrieved": ["a"], "scores": [1]}\n{"qid": "q", "retrieved": ["a"]}\n', "jsonl", "a list of 1"),
    ],
)
def test_python_refuses_what_is_malformed(save, text, name, problem):
    with pytest.raises(untied.InputError, match=f":[12]: expected {problem}"):
        run_of_rows(str(save(text)), name, None, None, Tolerance("best"))


def test_different_scores_that_round_to_one_float_stay_an_error(save):
    one, other = "0.12345678901234567891", "0.12345678901234567892"
    path = save(f'{{"qid": "q", "retrieved": ["a", "b"], "scores": [{one}, {other}]}}\n', "x.jsonl")
    with pytest.raises(untied.UntiedError, match="round them first"):
        untied.read_run(path, columns={"query": "#row"})
    with pytest.raises(untied.UntiedError, match="round them first"):
        run_of_rows(str(save(f"q Q0 a 0 {one} t\nq Q0 b 0 {other} t\n")), "trec", None, None, Tolerance("best"))


def test_rows_that_are_numbered_may_have_duplicates(save):
    path = save('{"retrieved": ["a", "a", "b"]}\n{"retrieved": ["a"]}\n', "x.jsonl")
    with pytest.raises(untied.InputError, match=r"x\.jsonl:1: expected every document once, found a again"):
        untied.read_run(path, columns={"query": "#row"})
    run = read(path, columns={"query": "#row"}, duplicates="best")
    assert content(run) == {"1": [("a", -1), ("b", -3)], "2": [("a", -1)]}


def test_engines_and_workbenches_may_have_duplicates(save):
    hits = [{"_id": document, "_score": score} for document, score in (("a", 1), ("a", 3), ("b", 2))]
    answers = save(json.dumps({"query_id": "q", "response": {"hits": {"hits": hits}}}) + "\n", "x.jsonl")
    assert dict(read(answers, format="search", duplicates="best")["q"]) == {"a": 3, "b": 2}
    response = save(json.dumps({"details": {"q": {"hits": [{"hit": hit} for hit in hits]}}}), "x.json")
    assert dict(read(response, format="rank-eval", duplicates="first")["q"]) == {"a": 1, "b": 2}
    with pytest.raises(untied.UntiedError, match="request 'q': expected every document once in a query, found a again"):
        untied.read_run(response, format="rank-eval")
    result = {"searchText": "q", "searchConfigurationId": "c", "documentIds": ["a", "a", "b"]}
    bench = save(json.dumps({"hits": {"hits": [{"_source": result}]}}), "x.json")
    assert dict(read(bench, format="workbench", duplicates="last")["q"]) == {"a": -2, "b": -3}
    snapshot = save(json.dumps({"q": [{"id": "a"}, {"id": "a"}]}), "x.json")
    assert dict(read(snapshot, format="quepid", duplicates="best")["q"]) == {"a": -1}


@pytest.mark.parametrize("duplicates", POLICIES)
def test_workbenches_have_duplicates_as_files_of_trec_have_them(save, untied_, duplicates):
    """The same ranking a b a as a result of OpenSearch's workbench, and as Quepid's snapshots."""
    qrels = save("q 0 a 1\nq 0 b 1\n", "qrels")
    trec = save("q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 a 3 1 t\n")
    result = {"searchText": "q", "searchConfigurationId": "c", "documentIds": ["a", "b", "a"]}
    files = {
        "workbench": save(json.dumps({"hits": {"hits": [{"_source": result}]}}), "bench.json"),
        "quepid": save(json.dumps({"q": [{"id": document} for document in "aba"]}), "quepid.json"),
    }
    snapshot = "Snapshot Name,Snapshot Date,Case ID,Query Text,Doc ID,Doc Position\n"
    table = save(snapshot + "".join(f"s,d,1,q,{document},{rank}\n" for rank, document in enumerate("aba", 1)), "s.csv")
    measures = ("-m", "AP", "-m", "P@3", "-m", "RR", "--duplicates", duplicates)
    expected = untied_("eval", qrels, trec, *measures)
    assert expected[0] == 0
    for format, path in (*files.items(), ("quepid", table)):
        code, out, err = untied_("eval", qrels, path, "--run-format", format, *measures)
        assert code == 0, err
        assert [line.split("\t")[2:] for line in out.splitlines()] == [
            line.split("\t")[2:] for line in expected[1].splitlines()
        ]
        assert f"note: 1 duplicate in 1 of 1 query of {path}: " in err
        assert untied_("eval", qrels, path, "--run-format", format)[0] == 2


def as_frames(rows):
    """Rows of query, document and score as each kind of data in memory that can repeat them."""
    columns = dict(zip(("qid", "docno", "score"), map(list, zip(*rows, strict=True)), strict=True))
    Row = namedtuple("Row", ["query_id", "doc_id", "score"])
    table = pa.table(columns)
    return {
        "pandas": pandas.DataFrame(columns),
        "polars": polars.DataFrame(columns),
        "polars, lazy": polars.LazyFrame(columns),
        "arrow": table,
        "arrow, read once": pa.RecordBatchReader.from_batches(table.schema, table.to_batches()),
        "duckdb": duckdb.from_arrow(table),
        "rows": rows,
        "an iterator": iter(rows),
        "named": [Row(*row) for row in rows],
        "bytes": [(query.encode("utf-8", "surrogateescape"), document, score) for query, document, score in rows],
        "numbers of numpy": [(query, document, numpy.float64(score)) for query, document, score in rows],
    }


def outcome(make, source, **options):
    """What a function makes of a run and says about it, or why it refuses it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = content(make(source, **options))
        except untied.UntiedError as error:
            return str(error).partition(": ")[2]
    return made, [re.sub(" of [^ ]+.csv| of the run", "", str(warning.message)) for warning in caught]


def test_data_in_memory_has_duplicates_as_files_have_them(tmp_path):
    random_ = seeded("duplicates in memory")
    for _ in range(many(12)):
        rows = [
            (
                random_.choice(["q1", "\u00fc", "7"]),
                random_.choice(["a", "b", "\u00e9", "8"]),
                random_.choice([0.1, 0.1 + 0.2, 1e-300, 7.0, -3.5, 2.0**53]),
            )
            for _ in range(random_.randrange(1, 14))
        ]
        path = tmp_path / "x.csv"
        write([(query, document, repr(score)) for query, document, score in rows], "csv", path)
        for duplicates in POLICIES:
            expected = outcome(untied.read_run, path, format="csv", duplicates=duplicates)
            for kind, data in as_frames(rows).items():
                assert outcome(untied.Run, data, duplicates=duplicates) == expected, (kind, duplicates, rows)


def test_lists_in_memory_may_have_duplicates(save):
    frame = pandas.DataFrame({"qid": ["q"], "retrieved": [["a", "b", "a"]], "scores": [[3.0, 2.0, 1.0]]})
    for data in (frame, polars.from_pandas(frame), {"q": ["a", "b", "a"]}, {"q": [["a"], ["b", "a"]]}):
        with pytest.raises(untied.UntiedError) as refused:
            untied.Run(data)
        assert refused.value.kind == "repeated"
        with pytest.warns(untied.UntiedWarning, match="1 duplicate in 1 of 1 query of the run: only the last row"):
            run = untied.Run(data, duplicates="last")
        best_first = [document for document, _ in sorted(run["q"], key=lambda row: -row[1])]
        assert sorted(best_first) == ["a", "b"]
    objects = [SimpleNamespace(id=document, score=score) for document, score in (("a", 1.0), ("b", 2.0), ("a", 3.0))]
    with pytest.raises(untied.UntiedError, match="document 'a' is retrieved twice"):
        untied.Run({"q": objects})
    with pytest.warns(untied.UntiedWarning, match="1 duplicate in 1 of 1 query of the run: only the highest score"):
        assert dict(untied.Run({"q": objects}, duplicates="best")["q"]) == {"a": 3, "b": 2}
    assert dict(untied.Run({"q": {"a": 1}}, duplicates="best")["q"]) == {"a": 1}


def test_columns_and_names_of_runs_in_memory_with_duplicates():
    frame = pandas.DataFrame({"q": ["q", "q"], "d": ["a", "a"], "place": [2, 1]})
    with pytest.warns(untied.UntiedWarning, match="1 duplicate"):
        run = untied.Run(
            frame, name="bm25", duplicates="best", columns={"query": "q", "document": "d", "rank": "place"}
        )
    assert (run.name, run["q"]) == ("bm25", [("a", -1)])


@pytest.mark.parametrize(
    ("data", "duplicates", "said"),
    [
        ([("q", "a", 1.0), ("q", "a", 1.0)], "repeat", "^run: document a is tied with its copy"),
        ([("q", "a", 1.0), ("q", "a", "x")], "best", "row 1: expected a finite number"),
        ([("q", "a", 1.0), ("q", None, 1.0)], "best", "row 1: expected"),
        ([("q", "a", 1.0)], "any", "duplicates must be error, first, last, best or repeat, not 'any'"),
        ({"q": ["a", 1.5, "a"]}, "best", "id"),
    ],
)
def test_runs_in_memory_that_are_refused(data, duplicates, said):
    with pytest.raises((untied.UntiedError, TypeError), match=said):
        untied.Run(data, duplicates=duplicates)


def test_judgments_merge_equal_grades_and_refuse_others(save):
    assert untied.read_qrels(save("q 0 a 1\nq 0 a 1\n"))["q"] == {"a": 1}
    with pytest.raises(untied.InputError, match="expected one grade for every document"):
        untied.read_qrels(save("q 0 a 1\nq 0 a 2\n"))


def test_duplicates_on_the_command_line(save, untied_, tmp_path):
    qrels, path = save("q 0 b 1\n", "qrels"), save(TWICE)
    code, out, err = untied_("eval", qrels, path, "-m", "RR", "--duplicates", "best")
    assert (code, out.splitlines()[-1]) == (0, "x\tall\tRR\t0.5000")
    assert f"note: 1 duplicate in 1 of 1 query of {path}: only the highest score of a document was kept\n" in err
    code, _, err = untied_("eval", qrels, path, "--stream", "--duplicates", "best")
    assert (code, "runs whose documents are merged cannot be streamed" in err) == (2, True)
    assert untied_("gate", qrels, path, "--min", "RR=0.5", "--duplicates", "best")[0] == 0
    assert untied_("gate", qrels, path, "--min", "RR=0.5", "--duplicates", "repeat")[0] == 1
    assert untied_("gate", qrels, path, "--min", "RR=0.5")[0] == 2
    assert untied_("convert", "run", path, "--duplicates", "repeat")[1].split()[2::6] == ["a", "a:copy2", "b"]
    code, _, err = untied_("convert", "qrels", qrels, "--duplicates", "best")
    assert (code, "--duplicates" in err) == (2, True)
    untied_("eval", qrels, path, "--duplicates", "best", "-o", tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_text())["settings"]["duplicates"] == "best"


def test_a_pipe_cannot_be_read_again(save, untied_, monkeypatch):
    import os
    import threading

    fifo = save("", "unused").parent / "pipe"
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: fifo.write_text(TWICE))
    writer.start()
    with pytest.raises(untied.UntiedError, match="save the run as a file"):
        untied.read_run(fifo, duplicates="best")
    writer.join()


def answers(*queries):
    """Lines of answers of Elasticsearch: to q1 with a document, to q2 with none, to q3 with an error, to q4 in part."""
    found = {"hits": {"hits": [{"_id": "a", "_score": 1}]}}
    responses = {
        "q1": found,
        "q2": {"hits": {"hits": []}},
        "q3": {"error": {"type": "x"}, "status": 503},
        "q4": {"timed_out": True, **found},
    }
    return "".join(json.dumps({"query_id": query, "response": responses[query]}) + "\n" for query in queries)


@pytest.fixture
def judged(save):
    """Judgments of four queries."""
    return save("".join(f"q{number} 0 a 1\n" for number in range(1, 5)), "qrels")


def test_failed_queries_are_refused_unless_they_may_be_missing(save):
    path = save(answers("q1", "q2", "q3", "q4"))
    with pytest.raises(untied.InputError, match=r"x\.run:3: expected a complete answer, found an error for query q3"):
        untied.read_run(path, format="search")
    with pytest.warns(untied.UntiedWarning, match=rf"failed queries, left out of {path}: 2 \(q3, q4\)"):
        run = untied.read_run(path, format="search", failed="missing")
    assert content(run) == {"q1": [("a", 1)], "q2": []}
    with pytest.raises(untied.UntiedError, match="failed must be error or missing, not 'zero'"):
        untied.read_run(path, format="search", failed="zero")


def test_an_answer_that_is_no_answer_is_refused_all_the_same(save):
    path = save('{"query_id": "q", "response": {}}\n')
    with pytest.raises(untied.InputError, match="expected a list"):
        untied.read_run(path, format="search", failed="missing")


def test_only_answers_say_that_a_query_failed(save, judged, untied_):
    with pytest.raises(untied.UntiedError, match=r"failed is for files of format search, .* or rank-eval, not trec"):
        untied.read_run(save(TWICE), failed="missing")
    code, _, err = untied_("eval", judged, save(TWICE), "--failed", "missing")
    assert (code, "failed is for files of format" in err) == (2, True)


def test_requests_that_failed_in_rank_eval(save):
    hits = [{"hit": {"_id": "a", "_score": 1}}]
    response = {"details": {"q1": {"hits": hits}, "q2": {"hits": []}}, "failures": {"q3": {"error": {}}}}
    path = save(json.dumps(response), "x.json")
    with pytest.raises(untied.UntiedError, match="requests failed: 'q3'"):
        untied.read_run(path, format="rank-eval")
    with pytest.warns(untied.UntiedWarning, match=r"failed queries, left out of .*: 1 \(q3\)"):
        run = untied.read_run(path, format="rank-eval", failed="missing")
    assert content(run) == {"q1": [("a", 1)], "q2": []}
    path = save(json.dumps({"details": {"q1": {"hits": hits}}, "failures": [{"cause": "x"}]}), "x.json")
    with pytest.raises(untied.UntiedError, match="requests failed"):  # it is unknown which queries these are
        untied.read_run(path, format="rank-eval", failed="missing")


def test_nothing_found_counts_as_0_and_a_failed_query_is_missing(save, judged, untied_):
    """The three states, from the file to the exit code of a gate."""
    given = (judged, save(answers("q1", "q2", "q3", "q4")), "--run-format", "search")
    assert untied_("eval", *given)[0] == 2
    code, out, err = untied_("eval", *given, "--failed", "missing", "-m", "RR")
    assert (code, out.splitlines()[-1]) == (0, "x\tall\tRR\t0.2500")
    assert "failed queries, left out of" in err
    assert "judged queries missing from a run: 2 from x (counted as empty rankings; --queries common" in err
    common = untied_("eval", *given, "--failed", "missing", "-m", "RR", "--queries", "common")
    assert common[1].splitlines()[-1] == "x\tall\tRR\t0.5000"

    limit = (*given, "--min", "RR=0.2")
    assert untied_("gate", *limit)[0] == 2
    code, out, _ = untied_("gate", *limit, "--failed", "missing")
    assert (code, "the run lacks 2 queries (q3, q4): --allow-missing" in out) == (1, True)
    code, out, _ = untied_("gate", *limit, "--failed", "missing", "--allow-missing")
    assert (code, "counted as empty rankings: 2 missing" in out) == (0, True)
    complete = (judged, save(answers("q1", "q2")), "--run-format", "search")
    assert "lacks 2 queries (q3, q4)" in untied_("gate", *complete, "--min", "RR=0.2")[1]
    q1_q2 = save("q1 0 a 1\nq2 0 a 1\n", "two")
    code, out, _ = untied_("gate", q1_q2, *complete[1:], "--min", "RR=0.5")
    assert (code, "0.5000 (mean of 2 queries)" in out) == (0, True)


def test_check_tells_the_states_apart(save, untied_):
    qrels = save('{"q1": {"a": 1}, "q2": {}, "q3": {"a": 1}, "q4": {"a": 1}, "q5": {"a": 0}, "q6": {}}', "q.json")
    run = save('{"q1": {"a": 1}, "q2": {"z": 1}, "q3": {}, "q5": {"a": 1}}', "r.json")
    code, out, _ = untied_("check", qrels, run)
    assert code == 0
    assert "queries without judged documents, which have no answer or none is known yet: 2 (q2, q6)\n" in out
    assert "! queries without a relevant document: 1 (q5)\n" in out
    assert "! judged queries missing from the run: 2 (q4, q6)\n" in out
    assert "! queries for which nothing is retrieved: 1 (q3)\n" in out
    assert "! queries without judged documents for which something is retrieved: 1 (q2)\n" in out
    silent = save('{"q1": {"a": 1}, "q2": {}}', "r.json")
    assert (
        "  queries without judged documents for which something is retrieved: none\n"
        in untied_("check", qrels, silent)[1]
    )


def test_facts_count_duplicates(tmp_path):
    """For a run in a file and in memory, collapsed, named and pickled."""
    rows = [("q", "a#1", 3.0), ("q", "a#1", 2.0), ("q", "b#1", 1.0), ("p", "a#1", 1.0), ("p", "a#1", 0.5)]
    path = tmp_path / "x.run"
    path.write_text("".join(f"{query} Q0 {document} 1 {score} t\n" for query, document, score in rows))
    with pytest.warns(untied.UntiedWarning, match="^2 duplicates in 2 of 2 queries"):
        runs = [
            untied.read_run(path, duplicates="best"),
            untied.read_run(path, duplicates="best", collapse="#"),
            untied.Run(rows, duplicates="best", name="named"),
        ]
    for run in [*runs, *pickle.loads(pickle.dumps(runs))]:
        [facts] = untied.evaluate({"q": {"a": 1, "a#1": 1}}, run, "AP").facts().values()
        assert facts["duplicates"] == 2
    [facts] = untied.evaluate({"q": {"b#1": 1}}, {"q": ["a#1", "b#1"]}, "AP").facts().values()
    assert facts["duplicates"] == 0


def test_documents_below_a_score_are_not_retrieved(tmp_path):
    """In every format with scores; tied documents stay or go together, and a query may have nothing left."""
    scores = {"q1": {"a": 2.0, "b": 1.5, "c": 1.5, "d": 1.0}, "q2": {"e": 1.0}, "q3": {"f": 3.0}}
    rows = [(query, document, score) for query, ranking in scores.items() for document, score in ranking.items()]
    trec, as_json, frame = tmp_path / "x.run", tmp_path / "x.json", tmp_path / "x.parquet"
    trec.write_text("".join(f"{query} Q0 {document} 1 {score} t\n" for query, document, score in rows))
    as_json.write_text(json.dumps(scores))
    pandas.DataFrame(rows, columns=["query_id", "doc_id", "score"]).to_parquet(frame)
    for path in (trec, as_json, frame):
        said = rf"below 1.5, not retrieved: 2 in 2 of 3 queries of .*{path.name} \(1 with nothing left\)"
        with pytest.warns(untied.UntiedWarning, match=said):
            run = untied.read_run(path, min_score=1.5)
        expected = {"q1": [("a", 2.0), ("b", 1.5), ("c", 1.5)], "q2": [], "q3": [("f", 3.0)]}
        assert {query: run[query] for query in run.queries()} == expected
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run = untied.read_run(path, min_score=1)
        assert {query: dict(run[query]) for query in run.queries()} == scores
        with pytest.raises(untied.UntiedError, match=f"{path.name}: no document has .* at least 4; the highest is 3"):
            untied.read_run(path, min_score=4)


def test_chunks_below_a_score_count_if_a_better_one_does_not(tmp_path):
    path = tmp_path / "x.run"
    path.write_text("q Q0 a#1 1 2 t\nq Q0 a#2 2 0.5 t\nq Q0 b#1 3 0.25 t\n")
    with pytest.warns(untied.UntiedWarning) as told:
        assert untied.read_run(path, collapse="#", min_score=1)["q"] == [("a", 2.0)]
    assert "below 1, not retrieved: 1 in 1 of 1 queries" in str(told[-1].message)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"min_score": math.nan}, "min_score must be a finite number, not nan"),
        ({"min_score": "1"}, "min_score"),
        ({"min_score": 1, "format": "trec-ranks"}, "min_score needs scores, and files of format trec-ranks have ranks"),
        ({"min_score": 1, "format": "msmarco"}, "min_score needs scores"),
    ],
)
def test_scores_that_are_no_thresholds(options, said, tmp_path):
    path = tmp_path / "x.run"
    path.write_text("q Q0 a 1 2 t\n")
    with pytest.raises((untied.UntiedError, TypeError), match=said):
        untied.read_run(path, **options)


def test_min_score_on_the_command_line(tmp_path, untied_):
    """The case of a query without an answer: the system is silent only if its score is too low."""
    (tmp_path / "q.json").write_text(json.dumps({"q1": {"a": 1}, "q2": {}, "q3": {}}))
    (tmp_path / "x.json").write_text(json.dumps({"q1": {"a": 2.0}, "q2": {"z": 1.0}, "q3": {"z": 1.5}}))
    for chosen, unjudged in ([], "0.6667"), (["--min-score", "1.5"], "0.3333"):
        code, out, err = untied_("eval", tmp_path / "q.json", tmp_path / "x.json", "-m", "Unjudged@1", *chosen)
        assert code == 0
        assert out.splitlines()[1].split("\t")[2:4] == ["Unjudged@1", unjudged]
        assert (
            "documents with a score below 1.5, not retrieved: 1 in 1 of 3 queries" in " ".join(err.split())
        ) == bool(chosen)


def test_a_least_score_of_0_is_recorded(tmp_path, untied_):
    (tmp_path / "q.txt").write_text("q 0 a 1\n")
    (tmp_path / "x.run").write_text("q Q0 a 1 1 t\nq Q0 b 2 -1 t\n")
    for chosen, recorded in ([], None), (["--min-score", "0"], 0.0):
        code, out, _ = untied_("eval", tmp_path / "q.txt", tmp_path / "x.run", "--format", "json", *chosen)
        assert (code, json.loads(out)["settings"].get("min_score")) == (0, recorded)


def test_commands_name_the_option_that_tolerates_what_is_wrong(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "twice.run").write_text("q Q0 a 0 2 t\nq Q0 a 1 1 t\n")
    (tmp_path / "failed.jsonl").write_text('{"query_id": "q", "response": {"timed_out": true}}\n')
    for name, options, way in (
        ("twice.run", [], "; --duplicates says what to do with such documents\n"),
        ("failed.jsonl", ["--run-format", "search"], "; --failed says what to do with such queries\n"),
    ):
        assert main(["eval", str(tmp_path / "qrels"), str(tmp_path / name), *options]) == 2
        assert capsys.readouterr().err.endswith(way)
    # trec_eval has no such option.
    assert main(["trec_eval", str(tmp_path / "qrels"), str(tmp_path / "twice.run")]) != 0
    assert "--duplicates" not in capsys.readouterr().err
