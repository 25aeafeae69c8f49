"""Runs that are evaluated while they are read: the same numbers and errors as in memory, in memory that stays small."""

from __future__ import annotations

import csv
import gzip
import json
import lzma
import math
import os
import random
import re
import signal
import subprocess
import sys
import threading

import pyarrow
import pyarrow.parquet
import pytest

import untied
from untied.cli import main
from untied.inputs.files import run_file

WINDOW = 16 << 19  # bytes that are read at a time
MEASURES = ["AP", "nDCG@10", "RR", "P@10", "R@100", "NumRet", "Judged@10"]
needs_fifo = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


def lines_of(query, documents, rng, tag="t"):
    return [f"{query} Q0 d{d} 0 {rng.randrange(40)} {tag}" for d in rng.sample(range(5 * documents), documents)]


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A run of four windows: many short queries, some that begin in one window and end in another, and qrels."""
    rng = random.Random(3)
    tag = "x" * 700
    blocks = [lines_of(f"q{i}", rng.choice([1, 20, 300]), rng, tag) for i in range(400)]
    blocks.insert(130, lines_of("big", 14_000, rng, tag))  # more than a window
    rng.shuffle(blocks[200:])
    folder = tmp_path_factory.mktemp("long")
    run, qrels = folder / "run", folder / "qrels"
    run.write_text("# a comment\n" + "\n".join(line for block in blocks for line in [*block, ""]))
    assert run.stat().st_size > 3 * WINDOW
    judged = [f"{q} 0 d{d} {rng.randrange(-1, 3)}" for q in ["big", "none", *(f"q{i}" for i in range(0, 400, 2))]
              for d in rng.sample(range(1500), 40)]  # fmt: skip
    qrels.write_text("\n".join(judged))
    return str(qrels), str(run)


def both(qrels, run, **options):
    """Results from memory, and streamed."""
    memory = untied.evaluate(qrels, {"run": untied.read_run(run)}, MEASURES, **options)
    return memory, untied.evaluate(qrels, {"run": run}, MEASURES, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ties": "range", "variance": True},
        {"ties": "given"},
        {"ties": "docid", "queries": "common", "on_undefined": "nan"},
        {"unjudged": "remove", "score_dtype": "decimals=0"},
    ],
    ids=str,
)
def test_a_streamed_run_has_the_same_numbers_and_facts(long, options):
    memory, streamed = both(*long, **options)
    assert streamed.table().to_dicts() == memory.table().to_dicts()
    assert streamed.facts() == memory.facts()
    assert streamed.facts()["run"]["unknown"] == 200


def test_any_number_of_threads_gives_the_same_numbers(long):
    first, *others = (untied.evaluate(*long, MEASURES, threads=threads).table().to_dicts() for threads in (1, 2, 5))
    assert others == [first, first]


PACKS = {
    "plain": bytes,
    "gz": lambda content: gzip.compress(content, 1),
    "xz": lambda content: lzma.compress(content, preset=0),
}


@needs_fifo
@pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)
def test_archives_and_pipes_are_streamed_too(long, tmp_path, pack):
    qrels, run = long
    with open(run, "rb") as file:
        content = pack(file.read())
    path = tmp_path / "packed"
    path.write_bytes(content)
    expected = untied.evaluate(qrels, run, MEASURES).table().to_dicts()
    assert untied.evaluate(qrels, {"run": path}, MEASURES).table().to_dicts() == expected
    for stream in (True, False):
        pipe = tmp_path / f"pipe{stream}"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        results = untied.evaluate(qrels, {"run": pipe}, MEASURES, stream=stream)
        writer.join()
        assert results.table().to_dicts() == expected


@pytest.fixture
def changed(long, tmp_path):
    """Make a run with a line inserted at a share of its length; its path and the number of that line."""

    def make(line, share):
        with open(long[1]) as file:
            lines = file.read().split("\n")
        place = int(share * len(lines))
        lines.insert(place, line)
        path = tmp_path / "changed"
        path.write_text("\n".join(lines))
        return str(path), place + 1

    return make


@pytest.mark.parametrize("share", [0.05, 0.6, 1.0])
@pytest.mark.parametrize("line", ["q1 Q0 d1 0 7", "q1 Q0 d1 0 nan t", "q1\0 Q0 d1 0 7 t"], ids=["five", "nan", "nul"])
def test_a_malformed_line_is_the_same_error(long, changed, line, share):
    path, number = changed(line, share)
    with pytest.raises(untied.InputError) as expected:
        untied.read_run(path)
    with pytest.raises(untied.InputError) as found:
        untied.evaluate(long[0], path, MEASURES)
    assert str(found.value) == str(expected.value)
    assert found.value.line == number


def test_a_document_that_stands_twice_is_the_same_error(tmp_path, long):
    rng = random.Random(4)
    blocks = [lines_of(f"q{i}", 300, rng, "x" * 700) for i in range(90)]
    block = blocks[70]
    block[290] = block[3]
    path = tmp_path / "run"
    path.write_text("\n".join(line for block in blocks for line in block))
    number = 70 * 300 + 291
    with pytest.raises(untied.InputError, match=f"line {number}: .* again, already in line {number - 287}") as expected:
        untied.read_run(path)
    with pytest.raises(untied.InputError) as found:
        untied.evaluate(long[0], path, MEASURES)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("query", ["q3", "q4"], ids=["unjudged", "judged"])
@pytest.mark.parametrize("share", [0.1, 0.9], ids=["soon", "late"])
def test_a_query_that_comes_back_is_an_error_or_read_again(long, changed, capsys, query, share):
    path, number = changed(f"{query} Q0 new 0 7 t", share)
    message = f'line {number}: expected all documents of a query together.* found query "{query}" again'
    with pytest.raises(untied.InputError, match=message):
        untied.evaluate(long[0], path, MEASURES, stream=True)
    memory, found = both(long[0], path)
    assert found.table().to_dicts() == memory.table().to_dicts()
    assert found.facts()["run"] == {**memory.facts()["run"], "ungrouped": True}
    assert main(["eval", long[0], path]) == 0
    assert (
        "read twice and held in memory, because the lines of a query are not next to each other: changed"
        in capsys.readouterr().err
    )
    assert main(["eval", long[0], path, "--stream"]) == 2
    assert f"line {number}" in capsys.readouterr().err


@pytest.fixture(scope="module")
def tables(long, tmp_path_factory):
    """The long run with names of columns. What stands beside its rows goes over the ends of lines in CSV."""
    with open(long[1]) as file:
        rows = [line.split() for line in file if line.strip() and line[0] != "#"]
    folder = tmp_path_factory.mktemp("tables")
    paths = {format: folder / f"run.{format}" for format in ("csv", "tsv", "jsonl")}
    beside = ['with "quotes", and\na second line\n' + "x" * 600, "x" * 700]
    for format, delimiter in (("csv", ","), ("tsv", "\t")):
        with paths[format].open("w", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(["qid", "more", "docno", "score"])
            for number, (query, _, document, _, score, _) in enumerate(rows):
                more = beside[number % 7 > 0] if format == "csv" else beside[1]
                writer.writerow([query, more, document, score])
    with paths["jsonl"].open("w") as file:
        for number, (query, _, document, _, score, _) in enumerate(rows):
            row = {"qid": query, "more": beside[number % 7 > 0], "docno": document, "score": float(score)}
            file.write(json.dumps(row if number % 5 else dict(reversed(row.items()))) + "\n" * (1 + (number % 11 == 0)))
    assert all(path.stat().st_size > 2 * WINDOW for path in paths.values())
    return {format: str(path) for format, path in paths.items()}


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl"])
def test_tables_are_streamed_too(long, tables, tmp_path, format):
    qrels, run = long
    expected = untied.evaluate(qrels, {"run": run}, MEASURES)
    path = tables[format]
    packed = tmp_path / f"run.{format}.gz"
    with open(path, "rb") as file:
        packed.write_bytes(gzip.compress(file.read(), 1))
    held = {"run": untied.read_run(path, threads=2)}
    for runs, options in ((held, {}), ({"run": path}, {"stream": True}), ({"run": packed}, {"threads": 3})):
        found = untied.evaluate(qrels, runs, MEASURES, **options)
        assert found.table().to_dicts() == expected.table().to_dicts()
        assert found.facts() == expected.facts()


@pytest.mark.parametrize(
    ("format", "line", "message"),
    [
        ("csv", "q1,x,d1", "expected 4 fields, as in the header, found 3"),
        ("csv", 'q1,"x,d1,1', "expected the end of a field after its closing quote"),
        ("tsv", "q1\tx\td1\tnan", 'expected a finite number as the score, found "nan"'),
        ("jsonl", '{"qid": 1, "more": 2, "docno": 3, "score": 4', "expected a JSON object on a line"),
        ("jsonl", '{"qid": "q1", "docno": "d1"}', "expected a finite number as the score, found none"),
    ],
)
@pytest.mark.parametrize("share", [0.1, 0.8])
def test_a_malformed_record_is_the_same_error(long, tables, tmp_path, format, line, message, share):
    with open(tables[format], newline="") as file:
        text = file.read()
    end = {"csv": "\r\n", "tsv": "\r\n", "jsonl": "}\n"}[format]
    place = text.index(end, int(share * len(text))) + len(end)
    path = tmp_path / f"run.{format}"
    with path.open("w", newline="") as file:
        file.write(text[:place] + line + "\n" + text[place:])
    with pytest.raises(untied.InputError, match=message) as expected:
        untied.read_run(path)
    with pytest.raises(untied.InputError) as found:
        untied.evaluate(long[0], path, MEASURES)
    assert str(found.value) == str(expected.value)
    assert found.value.line == text.count("\n", 0, place) + 1


def test_a_table_whose_queries_come_back_is_read_again(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text('q,d,s\nb,"d,1",2\na,d1,1\nb,d2,3\n')
    file = run_file(path, columns={"query": "q", "document": "d", "score": "s"})
    qrels = {"a": {"d1": 1}, "b": {"d,1": 1}}
    results = untied.evaluate(qrels, {"run": file}, "RR")
    assert results["RR"].mean == 0.75
    assert results.facts()["run"]["ungrouped"]
    with pytest.raises(untied.InputError, match=r'run.csv, line 4: .* found query "b" again'):
        untied.evaluate(qrels, {"run": file}, "RR", stream=True)


def parquet_file(path, rows):
    """Rows of a query, a document and a score, in several row groups."""
    columns = zip(*rows, strict=True)
    table = pyarrow.table(dict(zip(("qid", "docno", "score"), columns, strict=True)))
    pyarrow.parquet.write_table(table, path, row_group_size=30_000)
    return path


def test_parquet_is_streamed_too(long, tmp_path):
    with open(long[1]) as file:
        rows = [line.split() for line in file if line.strip() and line[0] != "#"]
    path = parquet_file(tmp_path / "run.parquet", [(row[0], row[2], float(row[4])) for row in rows])
    expected = untied.evaluate(*long, MEASURES)
    held = untied.read_run(path)
    for run, options in ((path, {}), (path, {"stream": True, "threads": 1}), (held, {})):
        found = untied.evaluate(long[0], {"run": run}, MEASURES, **options)
        assert found.table().to_dicts() == expected.table().to_dicts()
        assert found.facts() == expected.facts()


def test_wrong_rows_of_parquet_are_the_same_errors(tmp_path):
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    rows = [(f"q{i}", f"d{j}", 1.0 / j) for i in range(9) for j in range(1, 9000)]
    for wrong, message in (
        (("q5", "d3", math.nan), 'row 45050: expected a finite number as the score in column "score", found NaN'),
        (("q5", "d3", None), 'row 45050: expected a finite number as the score in column "score", found null'),
        (("q5", "d3", 1.0), r'document "d3" of query "q5" again, already in row 44997'),
    ):
        path = parquet_file(tmp_path / "run.parquet", [*rows[:45050], wrong, *rows[45050:]])
        with pytest.raises(untied.UntiedError) as expected:
            untied.read_run(path)
        with pytest.raises(untied.UntiedError) as found:
            untied.evaluate(qrels, path, "AP")
        assert str(found.value) == str(expected.value)
        assert re.search(message, str(found.value)), str(found.value)
    path = parquet_file(tmp_path / "run.parquet", [*rows, ("q1", "new", 9.0)])
    results = untied.evaluate(qrels, {"run": path}, "RR")
    assert results.table().to_dicts() == untied.evaluate(qrels, {"run": untied.read_run(path)}, "RR").table().to_dicts()
    assert results.facts()["run"]["ungrouped"]
    with pytest.raises(untied.UntiedError, match=r'row 80991: expected all documents of a query together.* "q1" again'):
        untied.evaluate(qrels, path, "RR", stream=True)


def test_nothing_in_common_and_nothing_at_all(tmp_path, long):
    path = tmp_path / "run"
    path.write_text("other Q0 d1 0 1 t\n")
    with pytest.raises(untied.UntiedError, match="have no query in common"):
        untied.evaluate(long[0], path, queries="common")
    with pytest.raises(untied.UntiedError, match="no query in common"):
        untied.evaluate(long[0], path)
    for content, what in (("", "an empty file"), ("# nothing\n\n", "only blank lines and comments")):
        path.write_text(content)
        with pytest.raises(untied.InputError, match=what):
            untied.evaluate(long[0], path)


def test_an_undefined_value_is_the_same_error(tmp_path):
    (tmp_path / "run").write_text("b Q0 d1 0 1 t\na Q0 d1 0 1 t\n")
    qrels = {"a": {"d1": 0}, "b": {"d1": 0}, "c": {"d1": 1}}
    for run in (tmp_path / "run", untied.read_run(tmp_path / "run")):
        with pytest.raises(untied.UndefinedError, match="AP is undefined for query a"):
            untied.evaluate(qrels, run, "AP", on_undefined="raise")


MEASURED = """
import sys
from untied.cli import main
from untied.inputs.files import run_file
code = main(sys.argv[1:])
status = open("/proc/self/status").read()  # not getrusage, which remembers the process that this one was forked from
print(code, status.partition("VmHWM:")[2].split()[0], file=sys.stderr)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the peak of memory cannot be told here")
def test_a_long_run_needs_little_memory(tmp_path):
    """More than 300 MB through a pipe, in less than 100 MB; in memory its columns alone would be 200 MB."""
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"Q{i:05} 0 document-{j} 1\n" for i in range(0, 9000, 3) for j in (5, 500)))
    template = "".join(f"QUERY! Q0 document-{j} {j} {1000 - j // 2} tag\n" for j in range(1000)).encode()
    command = [sys.executable, "-c", MEASURED, "eval", str(qrels), "-", "--stream", "-m", "AP", "-m", "NumRet"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    written = 0
    for i in range(9000):
        written += child.stdin.write(template.replace(b"QUERY!", b"Q%05d" % i))
    table, messages = child.communicate()
    assert written > 300e6
    # Ranks 5 and 6, and 501 and 502, are tied: (1/5 + 1/6 + 2/501 + 2/502) / 4.
    assert table.decode().splitlines()[1:] == ["stdin\tall\tAP\t0.0937", "stdin\tall\tNumRet\t3000000"]
    code, peak = messages.split()[-2:]
    assert code == b"0"
    assert 1024 * int(peak) < 100e6


INTERRUPTED = """
import sys, untied
print("ready", flush=True)
try:
    untied.evaluate({"q": {"d": 1}}, sys.argv[1], "AP", stream=True)
except KeyboardInterrupt:
    print("interrupted", untied.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, "AP")["AP"].mean, flush=True)
"""


@needs_fifo
def test_native_work_answers_an_interrupt_and_goes_on_afterwards(tmp_path):
    """The run has no end, so that only the interrupt ends its evaluation."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(pipe)], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    with pytest.raises(BrokenPipeError), open(pipe, "wb", buffering=0) as endless:  # noqa: PT012
        for i in range(10**9):
            endless.write(b"".join(b"%d Q0 d%d 0 1 t\n" % (i, j) for j in range(2000)))
            if i == 50:
                child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=120)[0] == "interrupted 1.0\n"
    assert child.returncode == 0


@pytest.mark.parametrize("stream", [False, True])
def test_parquet_without_rows_is_refused_as_other_files_are(tmp_path, stream):
    path = tmp_path / "empty.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"qid": [""], "docno": [""], "score": [0.0]}).slice(0, 0), path)
    with pytest.raises(untied.InputError, match=r"empty\.parquet: expected records, found none"):
        untied.evaluate({"q": {"a": 1}}, path, ["AP"], stream=stream)
