"""Files: what is accepted, and what each kind of bad input says."""

import gzip
import lzma
import os
import random
import threading
import zlib

import pytest
import zstandard

import untied
from untied.cli import main

RUN = b"q1 Q0 d1 1 3.5 tag\nq1 Q0 d2 2 2.5 tag\nq2 Q0 d1 1 1e-3 tag\n"
QRELS = b"q1 0 d1 1\nq1 0 d3 0\nq2 0 d9 2\n"
ROWS = {"q1": [("d1", 3.5), ("d2", 2.5)], "q2": [("d1", 0.001)]}


@pytest.fixture
def save(tmp_path):
    def save(content, name="x.run"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return save


def rows(run):
    return {query: run[query] for query in run.queries()}


@pytest.mark.parametrize(
    "content",
    [
        RUN,
        RUN.rstrip(b"\n"),
        RUN.replace(b"\n", b"\r\n"),
        RUN.replace(b" ", b"\t \t"),
        b"  " + RUN.replace(b"\n", b"  \n  \n# a comment\n  # another\n\n"),
        b"\xef\xbb\xbf" + RUN,
        gzip.compress(RUN),
        gzip.compress(RUN[:19]) + gzip.compress(RUN[19:]),
        zstandard.ZstdCompressor().compress(RUN),
        lzma.compress(RUN),
    ],
    ids=["plain", "no-final-newline", "crlf", "tabs", "blank-and-comment", "bom", "gz", "gz-members", "zst", "xz"],
)
def test_every_spelling_of_a_run_gives_the_same_rows(save, content):
    assert rows(untied.read_run(save(content))) == ROWS


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("content", [RUN, gzip.compress(RUN)], ids=["plain", "gz"])
def test_a_pipe_is_read_in_sequence(tmp_path, content):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    assert rows(untied.read_run(path)) == ROWS
    writer.join()


def test_lines_of_a_query_stand_anywhere(save):
    lines = [f"q{q} Q0 d{d} {d} {-d} t\n" for q in range(50) for d in range(200)]
    expected = {f"q{q}": {(f"d{d}", float(-d)) for d in range(200)} for q in range(50)}
    random.Random(7).shuffle(lines)
    qrels = {f"q{q}": {"d3": 1, "d150": 2} for q in range(50)}
    means = []
    for content in ("".join(lines), "".join(sorted(lines))):
        run = untied.read_run(save(content.encode()))
        assert {query: set(run[query]) for query in run.queries()} == expected
        means.append(untied.Evaluator(qrels, ["AP", "nDCG@10"]).means(run))
    assert means[0] == means[1]


def test_rows_come_in_file_order_across_blocks(save):
    """A file of several blocks, its queries interleaved, some lines longer than others."""
    chosen = random.Random(5)
    queries = [f"query-{n}" for n in range(40)]
    expected = {query: [] for query in queries}
    lines = []
    for number in range(60_000):
        query = chosen.choice(queries) if number % 100 < 20 else queries[number * 40 // 60_000]
        document = f"d{number}-{'x' * chosen.randrange(30)}"
        expected[query].append((document, float(number)))
        lines.append(f"{query} Q0 {document} 1 {number} t\n")
    path = save("".join(lines).encode())
    for threads in (1, 2, 5):
        assert rows(untied.read_run(path, threads=threads)) == expected
    packed = save(gzip.compress(path.read_bytes()), "packed")
    assert rows(untied.read_run(packed)) == expected


def test_ids_are_any_bytes(save):
    odd = "d\u00e9j\u00e0-\u6587".encode()
    run = untied.read_run(save(b"q\xff Q0 " + odd + b" 1 2 t\nq\xff Q0 a\x01b 2 1 t\n"))
    assert run.queries() == ["q\\xff"]
    assert run[b"q\xff"] == [(odd.decode(), 2.0), ("a\x01b", 1.0)]
    qrels = untied.read_qrels(save(b"q\xff 0 " + odd + b" 1\n", "x.qrels"))
    assert untied.evaluate(qrels, run, "RR")["RR"].mean == 1.0


def test_long_ids_and_long_lines(save):
    long = b"d" * 65_536
    run = untied.read_run(save(b"q Q0 " + long + b" 1 2 t\nq Q0 " + b"x" * 3_000_000 + b" 1 1 t\n"))
    assert [len(document) for document, _ in run["q"]] == [65_536, 3_000_000]


def test_grades_are_real_numbers(save):
    qrels = untied.read_qrels(save(b"q 0 a 0.5\nq 0 b -1\nq 0 c 2\nq 0 d -0\n"))
    assert qrels["q"] == {"a": 0.5, "b": -1.0, "c": 2.0, "d": 0.0}
    assert qrels.grades() == [2.0, 0.5, 0.0, -1.0]


def test_a_judgment_said_twice_counts_once(save, capsys):
    qrels = save(b"q 0 a 1\nq 0 a 1\nq 0 b 1\n", "q.txt")
    run = save(b"q Q0 a 1 1 t\n")
    assert main(["eval", str(qrels), str(run), "-m", "NumRel"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1] == "x\tall\tNumRel\t2"
    assert "judgments that occur more than once in the qrels, counted once: 1" in captured.err


def with_dictionary(archive, size):
    """The same xz archive with another dictionary size in the head of its first block."""
    end = 12 + 4 * (archive[12] + 1) - 4
    head = bytearray(archive[12:end])
    head[4] = size
    return archive[:12] + head + zlib.crc32(head).to_bytes(4, "little") + archive[end + 4 :]


COLUMNS = "expected 6 columns (query Q0 document rank score tag), found "
BAD_RUNS = {
    "five columns": (RUN + b"q1 Q0 d7 3 0.5\n", f'line 4: {COLUMNS}5: "q1 Q0 d7 3 0.5"'),
    "seven columns": (RUN + b"\n#\nq1 Q0 d7 3 0.5 t u\n", f'line 6: {COLUMNS}7: "q1 Q0 d7 3 0.5 t u"'),
    "text score": (b"q1 Q0 d7 3 abc t\n", 'line 1: expected a number as the score, found "abc"'),
    "decimal comma": (RUN + b"q1 Q0 d7 3 9,5 t\n", 'line 4: expected a number as the score, found "9,5"'),
    "nan": (RUN + b"q1 Q0 d7 3 NaN t\n", 'line 4: expected a finite number as the score, found "NaN"'),
    "inf": (RUN + b"q1 Q0 d7 3 -inf t\n", 'line 4: expected a finite number as the score, found "-inf"'),
    "overflow": (RUN + b"q1 Q0 d7 3 1e400 t\n", 'line 4: expected a finite number as the score, found "1e400"'),
    "document twice": (
        RUN + b"\n# skipped\nq1 Q0 d2 9 0.1 t\n",
        'line 6: expected every document once in a query, found document "d2" of query "q1" again, already in line 2',
    ),
    "empty file": (b"", f": {COLUMNS}an empty file"),
    "only comments": (b"\n# nothing\n", f": {COLUMNS}only blank lines and comments"),
    "nul": (
        RUN + b"q1 Q0 d\0 1 1 t\n",
        'line 4: expected text, found binary data: a NUL byte in "q1 Q0 d\\u{0} 1 1 t"',
    ),
    "garbage": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", f'line 1: {COLUMNS}1: "\\x89PNG"'),
    "utf-16": (RUN.decode().encode("utf-16"), ": expected text, plain or compressed by gzip, zstd or xz, found UTF-16"),
    "bzip2": (b"BZh91AY&SY", ": expected text, plain or compressed by gzip, zstd or xz, found a bzip2 archive"),
    "truncated gz": (gzip.compress(RUN * 1000)[:-20], "expected more data, found a truncated or damaged file"),
    "truncated xz": (lzma.compress(RUN * 1000)[:-20], "expected more data, found a truncated or damaged file"),
    "truncated zst": (
        zstandard.ZstdCompressor().compress(RUN * 1000)[:-5],
        "expected more data, found a truncated or damaged file",
    ),
    "xz that asks for 3 GiB": (
        with_dictionary(lzma.compress(RUN), 39),
        "an archive that takes more than 512 MiB of memory to unpack",
    ),
    "gz with garbage inside": (b"\x1f\x8b\x08\0\0\0\0\0\0\0garbage", "found a truncated or damaged file"),
    "control characters": (b"\x1b[2Jevil\n", f'line 1: {COLUMNS}1: "\\u{{1b}}[2Jevil"'),
}


@pytest.mark.parametrize(("content", "message"), BAD_RUNS.values(), ids=BAD_RUNS)
def test_a_bad_run_gets_one_clear_error(save, capsys, content, message):
    qrels, run = save(QRELS, "q.txt"), save(content)
    assert main(["eval", str(qrels), str(run)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith(f"untied: {run}")
    assert message in captured.err


BAD_QRELS = {
    "three columns": (
        b"q 0 a 1\nq 0 b\n",
        'line 2: expected 4 columns (query iteration document grade), found 3: "q 0 b"',
    ),
    "five columns": (b"q 0 a 1 2\n", "line 1: expected 4 columns (query iteration document grade), found 5"),
    "text grade": (b"q 0 a yes\n", 'line 1: expected a number as the grade, found "yes"'),
    "nan grade": (b"q 0 a nan\n", 'line 1: expected a finite number as the grade, found "nan"'),
    "two grades": (
        b"q 0 a 1\nr 0 a 2\n\nq 0 a 2\n",
        'line 4: expected one grade for every document of a query, found grade 2 for document "a" of query "q", '
        "which has grade 1 in line 1",
    ),
    "two grades, several times": (b"z 0 a 1\nz 0 a 2\na 0 a 1\na 0 a 2\n", "line 2: expected one grade"),
    "empty": (b"", "found an empty file"),
}


@pytest.mark.parametrize(("content", "message"), BAD_QRELS.values(), ids=BAD_QRELS)
def test_bad_qrels_get_one_clear_error(save, capsys, content, message):
    qrels, run = save(content, "q.txt"), save(RUN)
    assert main(["eval", str(qrels), str(run)]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"untied: {qrels}")
    assert message in captured.err


def test_an_error_says_where(save):
    with pytest.raises(untied.InputError) as caught:
        untied.read_run(save(RUN + b"q1 Q0 d2 x\n"))
    error = caught.value
    assert (error.line, error.found) == (4, '4: "q1 Q0 d2 x"')
    assert error.file.endswith("x.run")
    assert isinstance(error, ValueError)


def test_the_first_error_in_the_file_is_reported_whatever_the_threads(save):
    lines = [b"q Q0 d%d 1 1 t\n" % number for number in range(100_000)]
    lines[30_000] = lines[90_000] = b"q Q0 bad\n"
    path = save(b"".join(lines))
    for threads in (1, 2, 4):
        with pytest.raises(untied.InputError, match="line 30001: expected 6 columns"):
            untied.read_run(path, threads=threads)


def test_a_line_without_end_is_refused_in_bounded_memory(save):
    path = save(RUN + b"x" * (34 << 20))
    with pytest.raises(untied.InputError, match="line 4: expected lines of at most 16 MiB"):
        untied.read_run(path)


def test_missing_files_are_os_errors(tmp_path, capsys):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        untied.read_run(tmp_path / "nowhere")
    with pytest.raises(IsADirectoryError):
        untied.read_qrels(tmp_path)
    assert main(["eval", str(tmp_path / "nowhere"), "x"]) == 2
    judgments, run = capsys.readouterr().err.splitlines()
    assert judgments.endswith("nowhere: No such file or directory")
    assert run == "untied: x: No such file or directory"
