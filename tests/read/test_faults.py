"""Faults and hostile sizes: memory stays within bounds, the error is clear, an interrupt is answered.

Inputs are small here. With ``UNTIED_FULL_FAULTS=1`` they have full sizes, and the tests print what
they measured (``pytest -s`` shows it).
"""

from __future__ import annotations

import functools
import gzip
import itertools
import json
import lzma
import os
import re
import signal
import subprocess
import sys
import time

import pytest
import zstandard

import untied
from nightly import some

FULL = bool(os.environ.get("UNTIED_FULL_FAULTS"))
MB = 1 << 20
#: Documents or queries of large work.
SIZE = 10_000_000 if FULL else 60_000

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")

#: Tells, in the end, the most memory that the process has had, and its CPU time.
TOLD = """
import resource, sys
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
used = resource.getrusage(resource.RUSAGE_SELF)
print(f"\\n{peak} {used.ru_utime + used.ru_stime:.1f}")
"""
COMMAND = "import sys; from untied.cli import main; print(main(sys.argv[1:]))\n"


def child(code, *arguments):
    """What a process prints, its messages, and its peak of memory in MiB."""
    started = time.monotonic()
    command = [sys.executable, "-c", code + TOLD, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    out, _, told = done.stdout.rstrip("\n").rpartition("\n")
    peak, cpu = told.split()
    if FULL:
        wall = time.monotonic() - started
        print(f"{os.environ['PYTEST_CURRENT_TEST']}: {int(peak) >> 10} MiB, {wall:.1f} s, CPU {cpu} s")
    return out.strip("\n"), done.stderr, int(peak) >> 10


@pytest.fixture
def small(tmp_path):
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "r").write_text("1 Q0 d 1 1 t\n")
    return tmp_path


# Archives


def archive(kind, pieces, path):
    """Pack pieces one after the other."""
    module, options = {"gz": (gzip, {}), "zst": (zstandard, {}), "xz": (lzma, {"preset": 1})}[kind]
    with module.open(path, "wb", **options) as file:
        for piece in pieces:
            file.write(piece)


LINES = {"blank lines": b"\n", "one document": b"1 Q0 d 1 1 t\n", "zeros": b"\0", "one letter": b"x"}


@pytest.mark.parametrize(("kind", "filling"), some(list(itertools.product(["gz", "zst", "xz"], LINES)), 5))
def test_an_archive_bomb_is_refused_in_bounded_memory(small, kind, filling):
    path = small / f"bomb.{kind}"
    size = 8 << 30 if FULL else 96 * MB
    piece = LINES[filling] * (4 * MB // len(LINES[filling]))
    archive(kind, (piece for _ in range(size // len(piece))), path)
    assert path.stat().st_size < size / 500
    out, err, peak = child(COMMAND, "eval", small / "q", path, "-m", "AP")
    assert out == "2"
    expected = (
        "an archive that unpacks to more than 250 times its size", "lines of at most 16 MiB", "a NUL byte",
        "expected every document once in a query",
    )  # fmt: skip
    assert any(part in err for part in expected), err
    assert err.count("\n") == 1
    assert peak < 250


@pytest.mark.parametrize("name", ["b.csv.gz", "b.jsonl.gz", "b.json.gz", "b.groups.gz"])
def test_bombs_in_other_formats_are_refused_too(small, name):
    archive("gz", [b"\n" * MB for _ in range(100)], small / name)
    style = ["--qrels-format", "groups"] if "groups" in name else []
    files = [small / name, small / "r"] if style else [small / "q", small / name]
    out, err, peak = child(COMMAND, "eval", *files, "-m", "AP", *style)
    assert out == "2"
    assert "unpacks to more than 250 times its size (if this is intended, unpack it first)" in err
    assert peak < 400


def test_an_archive_that_holds_much_is_read(tmp_path):
    """Fifty times its size: numbers that go up one by one."""
    rows = b"".join(b"1 Q0 %d 1 -%d tag-of-the-run\n" % (i, i) for i in range(400_000))
    (tmp_path / "r.zst").write_bytes(zstandard.ZstdCompressor().compress(rows + b"\n" * len(rows)))
    assert untied.evaluate({"1": {"0": 1}}, tmp_path / "r.zst", "RR")["RR"].mean == 1.0


@pytest.mark.parametrize("name", ["r.csv", "r.jsonl", "r.tsv"])
@pytest.mark.parametrize("kind", ["gz", "zst", "xz"])
def test_a_truncated_archive_of_a_table_is_refused(tmp_path, name, kind):
    lines = {"r.jsonl": '{"query": "q", "document": "%d", "score": 1}\n'}
    mark = "," if name == "r.csv" else "\t"
    line = lines.get(name, f"q{mark}%d{mark}1\n")
    head = "" if name in lines else mark.join(["query", "document", "score"]) + "\n"
    path = tmp_path / f"{name}.{kind}"
    archive(kind, [(head + "".join(line % i for i in range(3000))).encode()], path)
    assert len(untied.read_run(path)["q"]) == 3000
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(untied.InputError, match="expected more data, found a truncated or damaged file"):
        untied.read_run(path)


# Files that are not what they were


CUT_OFF = """
import os, sys, untied
path, calls = sys.argv[1], []

@untied.measure(name="Cutting")
def cutting(grades):
    calls.append(1)
    os.truncate(path, 20 << 20)
    return 0.0

try:
    untied.evaluate({str(q): {"d": 1} for q in range(60)}, path, cutting, threads=1)
except untied.InputError as error:
    print(bool(calls), error)
"""


def test_a_file_that_is_cut_off_while_it_is_read_is_an_error_and_no_signal(tmp_path):
    """Nothing is mapped into memory. A measure of one's own cuts the file when its first query is evaluated."""
    path = tmp_path / "r"
    lines = (b"%d Q0 d%d-%s 1 %d t\n" % (q, i, b"x" * 200, -i) for q in range(60) for i in range(2000))
    path.write_bytes(b"".join(lines))
    assert path.stat().st_size > 24 * MB  # more than two pieces
    out, _, _ = child(CUT_OFF, path)
    assert re.fullmatch(r"True .*line \d+: expected more data, found a truncated or damaged file .*", out)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no file that cannot be read")
def test_a_file_that_cannot_be_read_is_named():
    for read in (untied.read_run, untied.read_qrels):
        with pytest.raises(OSError, match="Input/output error") as caught:
            read("/proc/self/mem")
        assert caught.value.filename == "/proc/self/mem"


# Sizes


READERS = {
    "run": ["eval", "{q}", "{long}"],
    "qrels": ["eval", "{long}", "{r}"],
    "csv": ["eval", "{q}", "{long}.csv"],
    "jsonl": ["eval", "{q}", "{long}.jsonl"],
    "lengths": ["eval", "{q}", "{r}", "-m", "TBG", "--docs", "{long}"],
    "groups": ["eval", "{long}", "{r}", "--qrels-format", "groups"],
    "letor": ["features", "{long}"],
    "strata": ["sample", "{q}", "--strata", "{long}"],
    "preferences": ["trec_eval", "-R", "prefs", "-m", "prefs_simp", "{long}", "{r}"],
    "standard input": ["eval", "{q}", "-"],
}


@pytest.fixture(scope="module")
def long_line(tmp_path_factory):
    """A line of 1 GiB, or of 40 MiB."""
    path = tmp_path_factory.mktemp("long") / "long"
    with open(path, "wb") as file:
        file.write(b"1 Q0 ")
        for _ in range(1024 if FULL else 40):
            file.write(b"x" * MB)
    for suffix in (".csv", ".jsonl"):
        os.link(path, f"{path}{suffix}")
    return path


@pytest.mark.parametrize("reader", READERS)
def test_a_line_without_end_is_refused_in_bounded_memory(small, long_line, reader):
    arguments = [part.format(q=small / "q", r=small / "r", long=long_line) for part in READERS[reader]]
    code = COMMAND
    if reader == "standard input":
        code = f"import os; os.dup2(os.open({str(long_line)!r}, os.O_RDONLY), 0)\n" + code
    out, err, peak = child(code, *arguments)
    assert out.splitlines()[-1] == "2", err
    assert "lines of at most 16 MiB, found a longer one" in err
    assert len(err) < 400
    assert peak < 150


SYNTHETIC = """
import sys

queries, documents, length = map(int, sys.argv[2:5])
def lines(form):
    for q in range(queries):
        query = f"query-{q}".ljust(length if length > 100 else 0, "q")
        yield "".join(form.format(query, f"doc-{q}-{d}".ljust(length, "d"), -d) for d in range(documents))
for name, form in (("q", "{0} 0 {1} 1\\n"), ("r", "{0} Q0 {1} 1 {2} t\\n")):
    with open(f"{sys.argv[1]}/{name}", "w") as file:
        file.writelines(lines(form))
"""


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory):
    """A folder with judgments and a run of so many queries, of so many documents, with ids of that length."""

    @functools.cache
    def written(queries, documents, length):
        folder = tmp_path_factory.mktemp("synthetic")
        child(SYNTHETIC, folder, queries, documents, length)
        return folder

    return written


def evaluated(folder):
    """The peak of memory, in MiB, of an evaluation in which all that is judged relevant is retrieved."""
    out, err, peak = child(COMMAND, "eval", folder / "q", folder / "r", "-m", "AP", "-m", "nDCG@10")
    assert out.splitlines()[1:] == ["r\tall\tAP\t1.0000", "r\tall\tnDCG@10\t1.0000", "0"], err
    return peak


@pytest.mark.parametrize(
    ("queries", "documents", "length", "bytes_each"),
    [(1, 0, 0, 400), (0, 1, 0, 300), (0, 1, 65_536, 7 * 65_536)],
    ids=["many queries of one document", "one query of many documents", "ids of 64 kB"],
)
def test_memory_grows_with_the_input_and_no_faster(synthetic, queries, documents, length, bytes_each):
    """Between two sizes that both fill all buffers of the reading: those are a fixed cost, not one per document."""
    few, many = (20, 120) if length else (200_000, 10_000_000 if FULL else 800_000)
    peaks = [evaluated(synthetic(*((n, 1) if queries else (1, n)), length)) for n in (few, many)]
    each = (peaks[1] - peaks[0]) * MB / (many - few)
    assert each < bytes_each


def test_long_ids_do_not_fill_the_screen(small):
    (small / "r").write_text(f"1 Q0 {'d' * 65_536} 1 1 t\n1 Q0 {'d' * 65_536} 1 1 t\n")
    _, err, _ = child(COMMAND, "eval", small / "q", small / "r")
    assert "every document once" in err
    assert len(err) < 500


HUGE = 2**60
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import numpy, untied
from untied import _core

huge = 2**60
qrels, run, other = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1.0, "c": 2.0}}
pairs = numpy.array([[1, 2, 3]]), numpy.array([[3, 2, 1]])
terms = [_core.Terms("run", untied.AP, numpy.array(of_run)) for of_run in ([0.1, 0.2], [0.3, 0.1])]
"""


CALLS = [
    *(f"untied.evaluate(qrels, run, '{name}@{HUGE}')" for name in ("P", "nDCG", "AP", "ERR", "ADR", "RR")),
    *(f"untied.compare(run, other, '{name}@{HUGE}')" for name in ("RBO", "Overlap", "MED(P@3)", "Jaccard", "AO")),
    f"untied.compare(run, other, 'MED(nDCG@{HUGE})')",
    "untied.compare(run, other, 'RBO', depth=huge)",
    f"untied.compare_arrays(*pairs, 'RBO@{HUGE}')",
    "untied.evaluate(qrels, run, 'AP', threads=huge)",
    "_core.tukey_p(terms, [(0, 1)], huge, 0)",
    "_core.tukey_p(terms, [(0, 1)], 10**12, 0)",
    "untied.evaluate_arrays(numpy.broadcast_to(1.0, (10**6, 10**6)), numpy.broadcast_to(1, (10**6, 10**6)), 'AP')",
    "untied.evaluate_arrays(numpy.ones((2, 3)), numpy.ones((2, 3)), 'AP', num_relevant=numpy.full(2, 2**63))",
    "untied.read_run(sys.argv[1])",
    "untied.evaluate({'q': {'a': 1e300, 'b': 10**15}}, run, 'nDCG')",
]


def test_sizes_that_cannot_be_had_are_refused_or_not_needed(tmp_path):
    """Each gives a value, or an error that Python can catch, and the process goes on either way."""
    path = tmp_path / "huge.json"
    with open(path, "wb") as file:
        file.truncate(1 << 40)  # takes no room on the disk
    tried = (
        f"try:\n    {call}\n    told = None\n"
        "except (MemoryError, ValueError, OverflowError) as error:\n    told = str(error)\n"
        f"print(json.dumps([{call!r}, told]), flush=True)\n"
        for call in CALLS
    )
    out, err, _ = child("import json\n" + LIMITED + "".join(tried), path)
    told = dict(map(json.loads, out.splitlines()))
    assert list(told) == CALLS
    assert "panicked" not in err
    assert told["untied.read_run(sys.argv[1])"] == f"not enough memory for {path}: {((1 << 40) + MB) // 10**6} MB"
    for call, error in told.items():
        assert "tukey" not in call or error.startswith("not enough memory for samples: ")


# Interrupts


ENDLESS = {
    "randomization": "_core.randomization_p([[0.1 * i - 2 for i in range(60)]], 10**15, 0)",
    "Tukey": "_core.tukey_p(terms, [(0, 1)], 10**7, 0)",
    "drawn orders": "untied.evaluate(many_qrels, many_ties, 'IPrec@0.5')",
    "arrays": "untied.evaluate_arrays(numpy.zeros((500, 20_000)), grades, 'INST(max_rel=2)')",
}
INTERRUPTED = """
import numpy, untied
from untied import _core
from untied.progress import observe

judged = {i: i % 3 for i in range(20_000)}
many_qrels = dict.fromkeys(map(str, range(200)), judged)
many_ties = dict.fromkeys(many_qrels, dict.fromkeys(judged, 0.0))
grades = numpy.arange(10**7).reshape(500, -1) % 3
terms = [_core.Terms("run", untied.AP, numpy.arange(3000.0) * run % 97) for run in range(60)]
looks = []

def look(what, unit, done, total):
    looks.append(unit)
    if len(looks) == 1:
        print(unit, flush=True)

observe(look)
try:
    WORK
except KeyboardInterrupt:
    print("interrupted", flush=True)
observe(None)
print(untied.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, "AP")["AP"].mean)
"""


@pytest.mark.parametrize("work", ENDLESS)
def test_native_work_that_would_take_hours_is_interrupted(work):
    """That it ends at all is the test; how soon, the full one tells."""
    command = [sys.executable, "-c", INTERRUPTED.replace("WORK", ENDLESS[work])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() in ("samples\n", "values\n", "queries\n")
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            assert child.stdout.readline() == "interrupted\n"
            if FULL:
                print(f"{os.environ['PYTEST_CURRENT_TEST']}: {time.monotonic() - sent:.2f} s after the signal")
            assert (child.stdout.read(), child.stderr.read()) == ("1.0\n", "")
        finally:
            child.kill()  # it would go on for hours
    assert child.returncode == 0


LARGE = {
    "one query from a file": ((1, SIZE), "untied.evaluate(*files, 'nDCG').value('nDCG')"),
    "many queries from a file": ((SIZE, 1), "untied.evaluate(*files, 'nDCG').value('nDCG')"),
    "a run of one query": ((1, SIZE), "len(untied.read_run(files[1]))"),
    "a run of many queries": ((SIZE, 1), "len(untied.read_run(files[1]))"),
    "two runs of one query": ((1, SIZE), "untied.compare(files[1], files[1], ['RBO', 'Tau']).value('Tau').mean"),
    "a row of an array": ((1, 1), "untied.evaluate_arrays(scores, labels, ['AP', 'nDCG']).means['value']"),
}
MOMENTS = """
import signal, sys, time
import numpy, untied

files, scores = sys.argv[1:3], numpy.random.default_rng(0).random((1, int(sys.argv[3])))
labels = scores > 0.9

def work():
    return WORK

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
def timed():
    started = time.monotonic()
    return work(), time.monotonic() - started

(expected, first), (again, second) = timed(), timed()
assert again == expected
took, waits = min(first, second), []  # a neighbour of the process may have held up one of them
for moment in range(1, 13):
    due = time.monotonic() + took * moment / 13
    try:
        signal.setitimer(signal.ITIMER_REAL, took * moment / 13)
        found = work()
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert found == expected
    except KeyboardInterrupt:
        waits.append(time.monotonic() - due)
assert work() == expected
print(f"{len(waits)} interrupts, answered within {max(waits):.2f} s")
"""


@pytest.mark.parametrize("work", LARGE)
def test_large_work_is_interrupted_at_any_moment(synthetic, work):
    """And done again afterwards, with the same values. How soon it is answered, the full test tells."""
    (queries, documents), call = LARGE[work]
    files = synthetic(queries, documents, 0)
    out, _, _ = child(MOMENTS.replace("WORK", call), files / "q", files / "r", SIZE)
    assert "interrupts, answered within" in out
    if FULL:
        print(out)


def endless(tmp_path, lines: str, limit: int, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command on lines that never end, within so many MB of address space."""
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    code = f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({limit * MB}, {limit * MB}))\n" + COMMAND
    with subprocess.Popen([sys.executable, "-c", lines], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as source:
        try:
            return subprocess.run(
                [sys.executable, "-c", code, *command], stdin=source.stdout, capture_output=True, text=True,
                check=False, cwd=tmp_path, timeout=100,
            )  # fmt: skip
        finally:
            source.kill()


REPEATED = "while True: print('1 Q0 a 1 2.0 t\\n' * 10_000, end='')"
COUNTING = """
from itertools import count
ends = ["", *(f"-{number:0140} 1 2.0 t\\n" for number in range(10_000))]
for block in count():
    print(f"1 Q0 {block}".join(ends), end="")
"""


@pytest.mark.parametrize("option", [(), ("--stream",)])
def test_a_repeated_document_ends_an_endless_run(tmp_path, option) -> None:
    found = endless(tmp_path, REPEATED, 3000, "eval", "qrels", "-", "-m", "AP", *option)
    assert 'line 2: expected every document once in a query, found document "a" of query "1" again' in found.stderr
    assert found.returncode == 0  # of the process; main returned 1


@pytest.mark.parametrize("limit", [600, 1100])
@pytest.mark.parametrize(
    "command", [("eval", "qrels", "-"), ("eval", "qrels", "-", "--stream"), ("check", "qrels", "-")]
)
def test_memory_that_runs_out_is_an_error(tmp_path, limit: int, command) -> None:
    """Lines of a run that has no end: one sentence, and not an abort."""
    found = endless(tmp_path, COUNTING, limit, *command)
    assert "not enough memory for -" in found.stderr or "not enough memory for rows" in found.stderr, found.stderr
    assert found.returncode == 0
