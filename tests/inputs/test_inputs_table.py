"""The table of docs/inputs.md: every kind of input gives what TREC's files give, bit for bit, in every command."""

import csv
import gzip
import json
import pathlib
import subprocess
import sys
from typing import NamedTuple

import duckdb
import numpy
import polars
import pyarrow
import pyarrow.parquet
import pytest

import untied
from untied.cli import main

MEASURES = ["AP", "nDCG@5", "RR", "P@3", "Bpref", "RBP", "NumRet"]
COMPARED = ["RBO", "Overlap@5", "MED(nDCG@5)", "Delta(AP@5)"]


def made() -> tuple[list[tuple[str, str, float]], list[tuple[str, str, float]], list[tuple[str, str, int]]]:
    """Two runs and qrels: ids of digits with zeros in front, ties, grades of all kinds, a query that only one has."""
    rng = numpy.random.default_rng(20)
    runs: list[list[tuple[str, str, float]]] = [[], []]
    judged = []
    for query in ("007", "7", "q-1", "70", "8"):
        documents = [f"{number:03}" for number in rng.permutation(40)]
        for number, run in enumerate(runs):
            if (query, number) != ("70", 1):
                scores = numpy.round(rng.normal(size=25), 1) / 3
                run += zip([query] * 25, rng.permutation(documents)[:25].tolist(), scores.tolist(), strict=True)
        judged += zip([query] * 20, documents[:20], rng.integers(-1, 4, 20).tolist(), strict=True)
    return runs[0], runs[1], judged


ONE, OTHER, JUDGED = made()


class GenericScoredDoc(NamedTuple):
    """As in ir_datasets."""

    query_id: str
    doc_id: str
    score: float


class TrecQrel(NamedTuple):
    """As in ir_datasets."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


def nested(rows):
    made: dict = {}
    for query, document, number in rows:
        made.setdefault(query, {})[document] = number
    return made


def is_run(rows):
    return rows is not JUDGED


def arrow(rows):
    query, document, number = (list(column) for column in zip(*rows, strict=True))
    names = ("qid", "docno", "score") if is_run(rows) else ("query_id", "doc_id", "relevance")
    return pyarrow.table(dict(zip(names, (query, document, number), strict=True)))


def relation(rows):
    return duckdb.from_arrow(arrow(rows)).order("score" if is_run(rows) else "doc_id")


#: Objects that runs and qrels are made of.
OBJECTS = {
    "dict of dicts": nested,
    "Run, Qrels": lambda rows: (untied.Run if is_run(rows) else untied.Qrels)(nested(rows)),
    "list of tuples": list,
    "iterator of tuples": iter,
    "named tuples of ir_datasets": lambda rows: (
        GenericScoredDoc(*row) if is_run(rows) else TrecQrel(*row, iteration="0") for row in rows
    ),
    "pandas": lambda rows: arrow(rows).to_pandas(),
    "pandas with object columns": lambda rows: arrow(rows).to_pandas().astype({arrow(rows).column_names[0]: object}),
    "pandas with categories": lambda rows: (
        arrow(rows).to_pandas().astype(dict.fromkeys(arrow(rows).column_names[:2], "category"))
    ),
    "polars": lambda rows: polars.DataFrame(arrow(rows)),
    "pyarrow.Table": arrow,
    "pyarrow.RecordBatch": lambda rows: arrow(rows).to_batches()[0],
    "pyarrow.RecordBatchReader": lambda rows: arrow(rows).to_reader(max_chunksize=7),
    "DuckDB relation": relation,
}


def write_trec(rows, path):
    line = "{0} Q0 {1} 1 {2!r} tag\n" if is_run(rows) else "{0} 0 {1} {2}\n"
    path.write_text("".join(line.format(*row) for row in rows))


def write_delimited(rows, path, delimiter=",", **options):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, **options)
        writer.writerow(["query-id", "corpus-id", "score"])
        writer.writerows(rows)


def write_json_lines(rows, path):
    number = "score" if is_run(rows) else "relevance"
    path.write_text(
        "".join(json.dumps({"query_id": q, "doc_id": d, number: n, "more": [q]}) + "\n" for q, d, n in rows)
    )


def write_rank_eval(rows, path):
    if is_run(rows):
        details = {
            query: {"hits": [{"hit": {"_index": "i", "_id": d, "_score": s}, "rating": None} for d, s in found.items()]}
            for query, found in nested(rows).items()
        }
        content = {"metric_score": 0.5, "details": details, "failures": {}}
    else:
        ratings = {q: [{"_index": "i", "_id": d, "rating": g} for d, g in of.items()] for q, of in nested(rows).items()}
        content = {"requests": [{"id": q, "request": {}, "ratings": of} for q, of in ratings.items()], "metric": {}}
    path.write_text(json.dumps(content))


#: Files, with their suffix and what has to be said of their format.
FILES = {
    "CSV": (".csv", write_delimited, "auto"),
    "CSV, all quoted": (".csv", lambda rows, path: write_delimited(rows, path, quoting=csv.QUOTE_ALL), "auto"),
    "TSV with a header": (".tsv", lambda rows, path: write_delimited(rows, path, "\t"), "auto"),
    "TSV, any suffix": (".txt", lambda rows, path: write_delimited(rows, path, "\t"), "tsv"),
    "JSON lines": (".jsonl", write_json_lines, "auto"),
    "JSON": (".json", lambda rows, path: path.write_text(json.dumps(nested(rows))), "auto"),
    "parquet": (
        ".parquet",
        lambda rows, path: pyarrow.parquet.write_table(arrow(rows), path, row_group_size=30),
        "auto",
    ),
    "rank-eval": (".json", write_rank_eval, "rank-eval"),
    "TREC": (".run", write_trec, "auto"),
}


@pytest.fixture(scope="module")
def trec(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trec")
    for rows, name in ((ONE, "one"), (OTHER, "other"), (JUDGED, "qrels")):
        write_trec(rows, folder / name)
    return folder


def everything(results):
    return results.table().to_dicts(), results.facts()


def compared(one, other, qrels):
    found = untied.compare(one, other, COMPARED, qrels=qrels, ties="expected", variance=True)
    return [nameless(table.to_dicts()) for table in (found.per_query, found.means)]


def nameless(rows):
    """Rows of a comparison without names of runs, which only files have."""
    return [{name: cell for name, cell in row.items() if name not in ("run_a", "run_b")} for row in rows]


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects(kind, trec):
    make = OBJECTS[kind]
    for ties in ("range", "docid"):
        files = untied.evaluate(trec / "qrels", {"run": trec / "one"}, MEASURES, ties=ties, variance=True)
        objects = untied.evaluate(make(JUDGED), {"run": make(ONE)}, MEASURES, ties=ties, variance=True)
        assert everything(objects) == everything(files)
    assert untied.evaluate(make(JUDGED), make(ONE), MEASURES).table().to_dicts()
    expected = compared(trec / "one", trec / "other", trec / "qrels")
    assert compared(untied.Run(make(ONE)), untied.Run(make(OTHER)), make(JUDGED)) == expected
    assert compared(make(ONE), make(OTHER), make(JUDGED)) == expected


#: Parquet files are compressed within.
PACKED = [(kind, packed) for kind in FILES for packed in (False, True) if not (packed and kind == "parquet")]


@pytest.mark.parametrize(("kind", "packed"), PACKED)
def test_files(kind, packed, trec, tmp_path, capsysbinary):
    suffix, write, form = FILES[kind]
    paths = {}
    for rows, name in ((ONE, "one"), (OTHER, "other"), (JUDGED, "qrels")):
        paths[name] = tmp_path / f"{name}{suffix}"
        write(rows, paths[name])
        if packed:
            paths[name] = tmp_path / f"{name}{suffix}.gz"
            paths[name].write_bytes(gzip.compress((tmp_path / f"{name}{suffix}").read_bytes()))
    qrels = untied.read_qrels(paths["qrels"], format=form)
    one, other = (untied.read_run(paths[name], format=form) for name in ("one", "other"))
    files = untied.evaluate(trec / "qrels", {"run": trec / "one"}, MEASURES, ties="range", variance=True)
    assert everything(untied.evaluate(qrels, {"run": one}, MEASURES, ties="range", variance=True)) == everything(files)
    assert compared(one, other, qrels) == compared(trec / "one", trec / "other", trec / "qrels")

    def output(*arguments):
        assert main([str(argument) for argument in arguments]) == 0
        return capsysbinary.readouterr()

    formats = () if form == "auto" else ("--qrels-format", form, "--run-format", form)
    measures = [part for measure in MEASURES for part in ("-m", measure)]
    settings = ("-q", "--ties", "range", "--variance", "--digits", "17", *measures)
    expected = output("eval", trec / "qrels", trec / "one", *settings)
    assert output("eval", paths["qrels"], paths["one"], *settings, *formats) == expected
    settings = ("-q", "--digits", "17", "-m", "RBO", "-m", "Delta(nDCG@5)")
    expected = output("compare", trec / "one", trec / "other", "--qrels", trec / "qrels", *settings)
    assert output("compare", paths["one"], paths["other"], "--qrels", paths["qrels"], *settings, *formats) == expected
    expected = output("check", trec / "qrels", trec / "one").out.splitlines()[1:]
    found = output("check", paths["qrels"], paths["one"], *formats).out.splitlines()[1:]
    without_path = [line.partition(b": ")[2] if b"one" in line else line for line in found]
    assert without_path == [line.partition(b": ")[2] if b"one" in line else line for line in expected]


def test_runs_of_ms_marco(tmp_path):
    ranks: dict[str, int] = {}
    lines = []
    for query, document, _ in ONE:
        ranks[query] = ranks.get(query, 0) + 1
        lines.append((query, document, ranks[query]))
    path = tmp_path / "run.dev.tsv"
    path.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
    expected = {query: list(documents) for query, documents in nested(lines).items()}
    run = untied.read_run(path, format="msmarco")
    assert compared(run, OTHER, JUDGED) == compared(expected, OTHER, JUDGED)
    assert everything(untied.evaluate(JUDGED, {"r": run}, MEASURES)) == everything(
        untied.evaluate(JUDGED, {"r": expected}, MEASURES)
    )
    with pytest.raises(untied.UntiedError, match=r'found "007", .* give its format: trec or msmarco'):
        untied.read_run(path)
    path.write_text("1\ta\tb\n")
    with pytest.raises(untied.InputError, match='line 1: expected a number as the rank, found "b"'):
        untied.read_run(path, format="msmarco")


def test_the_page_names_all_inputs():
    page = (pathlib.Path(__file__).parents[2] / "docs" / "inputs.md").read_text()
    for kind in (*OBJECTS, *FILES, "MS MARCO"):
        assert kind.split(",")[0].split(" with ")[0] in page, kind


WITHOUT = """
import sys
sys.modules["pyarrow"] = None
import pandas, untied
rows = [("1", "a", 1), ("1", "b", 2), ("2", "c", 0)]
frame = pandas.DataFrame(rows, columns=["qid", "docno", "score"]).assign(query="text", docid=[1, 2, 3])
for made in (frame, frame.astype({"qid": int}), frame.astype({"qid": "category", "docno": object, "score": "float32"})):
    assert untied.evaluate({"1": {"a": 1}}, made, "RR")["RR"].mean == 0.5, made
    qrels = untied.Qrels(made)
    assert {query: qrels[query] for query in qrels.queries()} == {"1": {"a": 1.0, "b": 2.0}, "2": {"c": 0.0}}
for wrong, message in [
    (frame.assign(score=[1, None, 2]), "run, row 1: expected a finite number as the score in column"),
    (frame.assign(docno=["a", None, "b"]), "run, row 1: expected a str, bytes or an int in column \\"docno\\", found "),
    (frame.drop(columns="docno").drop(columns="docid"), "run: expected a column for the document"),
    (frame.assign(docno="a"), "run, row 1: expected every document once"),
]:
    try:
        untied.Run(wrong)
    except untied.UntiedError as error:
        assert message in str(error), error
    else:
        raise AssertionError(message)
try:
    untied.read_run("run.parquet")
except untied.UntiedError as error:
    assert "Parquet files need pyarrow: pip install pyarrow" in str(error), error
"""


def test_pandas_without_pyarrow():
    subprocess.run([sys.executable, "-W", "error", "-c", WITHOUT], check=True)
