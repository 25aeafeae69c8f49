"""The matrix of docs/determinism.md: every command says the same, byte for byte, on any number of threads, with lines
in any order, out of any archive, in any locale and under any hash seed; so does every kind of input in Python.

Documents without names (test_arrays.py), batches (test_batches.py) and Spark (test_spark.py) are held to the same bits.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import random
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
import zstandard

import untied
from strategies import ESTIMATED
from untied.cli import main

NAMES = ("amber", "blue", "coral")
#: Whatever adds up floats in a way of its own.
MEASURES = [
    "AP", "nDCG@10", "nDCG(gain='exp2')", "RR", "P@5", "IPrecMean", "F1@20", *ESTIMATED, "binG", "G", "Rndcg", "RBP",
    "ERR", "nERR@20", "INST(max_rel=3)", "INSQ(max_rel=3)", "BPM(T=2, max_rel=3)@20", "ESL", "Bpref", "infAP", "subAP",
    "Accuracy", "ADR", "PairConcordance", "TBG", "U", "AP(mean='geometric')", "Judged@10",
]  # fmt: skip
SUBTOPICS = ["alpha_nDCG@10", "ERR_IA@10", "NRBP", "AP_IA", "P_IA@10", "StRecall@10"]
ALIKE = [
    "RBO", "RBO(p=0.98, score='min')", "Overlap@10", "AO@20", "Jaccard@10", "AnchorMAP@10", "Tau", "TauAP",
    "KendallDistance@10", "Footrule@10", "RRDistance@10", "WeightedKendall", "Hoeffding@10",
]  # fmt: skip
APART = [
    "MED(nDCG@10)", "MED(RBP)", "MED(AP@10)", "MED(ERR@8)", "MED(TBG@8)", "MED(U)", "MED(Bpref)", "MED(RR)",
    "Delta(nDCG@10)", "Delta(AP@10)", "Delta(RBP)",
]  # fmt: skip


def flags(measures: list[str]) -> list[str]:
    return [part for measure in measures for part in ("-m", measure)]


#: Command lines over the files of `data`. Of a page, `{out}` is where it is written.
RUNS = [f"{{{name}}}" for name in NAMES]
TWO = RUNS[:2]
COMMANDS = {
    "eval": ["eval", "{qrels}", *RUNS, *flags(MEASURES), "--docs", "{docs}", "--ties", "range", "--variance", "-q"],
    "eval unjudged": ["eval", "{qrels}", *TWO, *flags(["AP", "nDCG@10", "RR", "RBP"]), "--unjudged", "range", "-q"],
    "eval trec": ["eval", "{qrels}", *TWO, *flags([*MEASURES[:12], "Compat"]), "--ties", "trec", "-q"],
    "eval subtopics": [
        "eval", "{subtopics}", *TWO, *flags(SUBTOPICS), "--qrels-format", "subtopics", "--ties", "range", "-q",
    ],
    "trec_eval": ["trec_eval", "-q", "-m", "all_trec", "{qrels}", "{amber}"],
    "compare": ["compare", *TWO, *flags([*ALIKE, *APART]), "--docs", "{docs}", "-q"],
    "compare judged": ["compare", *TWO, *flags(APART[:-3]), "--qrels", "{qrels}", "--docs", "{docs}", "-q"],
    "compare subtopics": [
        "compare", *TWO, *flags(["MED(alpha_nDCG@10)"]), "--qrels", "{subtopics}", "--qrels-format", "subtopics", "-q",
    ],
    "compare parted": ["compare", *TWO, *flags(APART[:-3]), "--docs", "{docs}", "--ties", "docid", "-q"],
    "compare tops": ["compare", *TWO, "--top", "5"],
    "compare weights": ["compare", *TWO, "-m", "WeightedFootrule", "--depth", "9", "-q"],
    "compare matrix": ["compare", *RUNS, "--show", "matrix", *flags(["RBO", "MED(nDCG@10)"])],
    "stats": ["stats", "{qrels}", *RUNS, *flags(["AP", "nDCG@10"]), "--samples", "2000", "--show", "power"],
    "stats range": ["stats", "{qrels}", *TWO, *flags(["AP"]), "--test", "tukey", "--samples", "100", "--ties", "range"],
    "gate": ["gate", "{qrels}", "{blue}", "--baseline", "{amber}", "--min", "AP=0.9", "--max-drop", "nDCG@10=0",
             "--max-med", "nDCG@10=0", "--significant", "0.95"],
    "features": ["features", "{letor}", *flags(MEASURES[:6]), "--directions", "both"],
    "judge-next": ["judge-next", "{qrels}", *TWO, "-m", "AP", "--depth", "5", "--top", "50"],
    "curve": ["curve", "{qrels}", *TWO, "--query", "q3", "--format", "tsv", "--digits", "17"],
}  # fmt: skip
#: Those that print text of their own; they have no JSON.
TEXTS = {
    "check": ["check", "{qrels}", *RUNS],
    "sample": ["sample", "{qrels}", "--rate", "0.3", "--seed", "5"],
    "sample pool": ["sample", "{qrels}", *RUNS, "--depth", "3", "--rate", "0.5", "--by-query"],
}
PAGE = ["report", "{qrels}", *TWO, *flags(["AP", "nDCG@10"]), "-o", "{out}"]
AS_JSON = [name for name in COMMANDS if name not in ("trec_eval", "curve")]


@pytest.fixture(scope="module")
def lines() -> dict[str, list[str]]:
    """Files as lists of lines: 16 queries with many ties, one with nothing else; each run longer than two blocks."""
    rng = random.Random(16)
    found: dict[str, list[str]] = {name: [] for name in (*NAMES, "qrels", "subtopics", "docs", "letor")}
    comment = "t" * 1700
    documents = [f"d{number}" for number in range(90)]
    for query in [f"q{number}" for number in range(16)]:
        for name in NAMES:
            levels = 1 if (query, name) == ("q5", "blue") else 12
            for document in rng.sample(documents[:60], 40):
                found[name].append(f"{query} Q0 {document} 0 {rng.randrange(levels) / 7} {comment}")
        judged = rng.sample(documents, 40)
        found["qrels"] += [f"{query} 0 {document} {rng.choice([-1, 0, 0, 0, 1, 2, 3])}" for document in judged]
        for document in judged[:15]:
            for subtopic in rng.sample(range(1, 6), rng.randint(1, 4)):
                found["subtopics"].append(f"{query} {subtopic} {document} {rng.randint(0, 2)}")
        for _ in range(30):
            values = " ".join(f"{feature}:{rng.randrange(9) / 7}" for feature in range(1, 6))
            found["letor"].append(f"{rng.choice([0, 0, 1, 2])} qid:{query[1:]} {values}")
    found["docs"] = [f"{document} {rng.randint(50, 4000)}" for document in documents]
    return found


def shuffled(name: str, lines: list[str]) -> list[str]:
    """The lines in another order; queries of learning-to-rank data stay together."""
    rng = random.Random(name)
    if name != "letor":
        return rng.sample(lines, len(lines))
    queries: dict[str, list[str]] = {}
    for line in lines:
        queries.setdefault(line.split()[1], []).append(line)
    order = rng.sample(list(queries), len(queries))
    return [line for query in order for line in rng.sample(queries[query], len(queries[query]))]


Files = dict[str, Path]


def write(folder: Path, lines: dict[str, list[str]], pack: Callable[[bytes], bytes] = bytes) -> Files:
    """The files, each by its name; those of runs have one that no suffix changes."""
    folder.mkdir()
    for name, content in lines.items():
        (folder / f"{name}.txt").write_bytes(pack("".join(f"{line}\n" for line in content).encode()))
    return {name: folder / f"{name}.txt" for name in lines}


@pytest.fixture(scope="module")
def files(lines: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Files:
    return write(tmp_path_factory.mktemp("determinism") / "plain", lines)


Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capsysbinary: pytest.CaptureFixture[bytes]) -> Say:
    """Run a command over files: exit code, output, messages, without paths and hashes of the files."""

    def run(command: list[str], files: Files, *more: str) -> tuple[int, str, str]:
        folder = next(iter(files.values())).parent
        out = folder / "out"
        code = main([part.format(out=out, **files) if "{" in part else part for part in command] + list(more))
        captured = capsysbinary.readouterr()
        text = captured.out.decode() + (out.read_text() if out.exists() else "")
        out.unlink(missing_ok=True)
        return code, *(neutral(told, folder) for told in (text, captured.err.decode()))

    return run


def neutral(text: str, folder: Path) -> str:
    """Without what is of the file and not of its content: path, hash, and whether queries could be read one by one."""
    text = re.sub(r"\b[0-9a-f]{64}\b", "HASH", text.replace(str(folder), "FOLDER"))
    text = re.sub(r"note: read twice and held in memory.*\n", "", text)
    if text.startswith("{"):
        told = json.loads(text)
        told["notes"] = [note for note in told.get("notes", []) if not note.startswith("read twice")]
        for facts in told.get("runs", {}).values() if isinstance(told.get("runs"), dict) else ():
            facts.pop("ungrouped")
        text = json.dumps(told)
    return text


def exact(name: str) -> list[str]:
    """With all digits."""
    return [*COMMANDS[name], *(["--format", "json"] if name in AS_JSON else [])]


@pytest.fixture(scope="module")
def expected() -> dict[str, tuple[int, str, str]]:
    """What each command says of the files as they are, on one thread; filled by the first test that asks."""
    return {}


@pytest.fixture
def known(expected: dict[str, tuple[int, str, str]], say: Say, files: Files) -> Callable[[str], tuple[int, str, str]]:
    def ask(name: str) -> tuple[int, str, str]:
        if name not in expected:
            expected[name] = say(*variants(name, files, "1"))
            assert expected[name][1]
        return expected[name]

    return ask


def variants(name: str, files: Files, threads: str | None = None) -> tuple[Any, ...]:
    """A command over files, on this number of threads if it takes one."""
    command = PAGE if name == "report" else TEXTS[name] if name in TEXTS else exact(name)
    has_threads = not name.startswith(("trec_eval", "sample"))
    return (command, files, *(("--threads", threads) if threads and has_threads else ()))


EVERY = [*COMMANDS, *TEXTS, "report"]


@pytest.mark.parametrize("name", EVERY)
def test_any_number_of_threads(name, say, files, known):
    for threads in ("2", "5"):
        assert say(*variants(name, files, threads)) == known(name)


@pytest.mark.parametrize("name", EVERY)
def test_any_order_of_lines(name, say, lines, known, tmp_path):
    mixed = write(tmp_path / "mixed", {file: shuffled(file, content) for file, content in lines.items()})
    assert say(*variants(name, mixed)) == known(name)


#: By how files are packed; a gzip archive may have several members.
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda content: gzip.compress(content[:600_001], 1) + gzip.compress(content[600_001:], 1),
    "zstd": lambda content: zstandard.compress(content, 1),
    "xz": lambda content: lzma.compress(content, preset=0),
    "crlf": lambda content: content.replace(b"\n", b"\r\n"),
}
READING = ["eval unjudged", "trec_eval", "compare judged", "features", "check", "judge-next", "sample"]


@pytest.mark.parametrize("pack", PACKED)
def test_any_archive(pack, say, lines, known, tmp_path):
    packed = write(tmp_path / "packed", lines, PACKED[pack])
    for name in READING if pack == "gzip" else ["eval unjudged", "compare judged"]:
        if (name, pack) not in (("trec_eval", "gzip"), ("sample", "gzip")):
            assert say(*variants(name, packed)) == known(name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("more", [[], ["--stream"]], ids=["held", "streamed"])
def test_pipes(more, say, files, tmp_path):
    """Whose hashes nobody knows, so it is the values that are compared."""
    folder = tmp_path / "pipes"
    folder.mkdir()
    command = ["eval", "{qrels}", *TWO, *flags(MEASURES[:6]), "-q", "--digits", "17", *more]
    writers = []
    for name in ("qrels", *NAMES[:2]):
        os.mkfifo(folder / f"{name}.txt")
        write_it = (folder / f"{name}.txt").write_bytes
        writers.append(threading.Thread(target=write_it, args=(files[name].read_bytes(),), daemon=True))
        writers[-1].start()
    found = say(command, {name: folder / f"{name}.txt" for name in files})
    assert found == say(command, files)
    for writer in writers:
        writer.join()


#: Every command in one process of its own; what they say, as JSON.
PROGRAM = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
import contextlib, io, pathlib
from untied.cli import main
told = []
for command, out in json.loads(sys.argv[2]):
    bytes_, messages = io.BytesIO(), io.StringIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(bytes_)), contextlib.redirect_stderr(messages):
        code = main(command)
        sys.stdout.flush()
        text = bytes_.getvalue().decode()
    told.append([code, text + (pathlib.Path(out).read_text("utf-8") if out in command else ""), messages.getvalue()])
json.dump(told, sys.__stdout__)
"""


def test_any_environment(files, tmp_path):
    """Hash seeds, locales, time zones and folders."""
    out = str(tmp_path / "page.html")
    commands = [[part.format(out=out, **files) for part in variants(name, files)[0]] for name in EVERY]
    arguments = [json.dumps([path for path in sys.path if path]), json.dumps([[command, out] for command in commands])]
    environments = [
        {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
        {"PYTHONHASHSEED": "4294967295", "LC_ALL": "tr_TR.UTF-8", "LANGUAGE": "tr", "TZ": "Asia/Kathmandu",
         "COLUMNS": "20", "PYTHONUTF8": "0", "RAYON_NUM_THREADS": "3"},
    ]  # fmt: skip
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            stdout=subprocess.PIPE,
            cwd=folder,
            env=os.environ | environment,
        )
        for environment, folder in zip(environments, (tmp_path, "/"), strict=True)
    ]
    first, second = [json.loads(process.communicate()[0]) for process in processes]
    assert all(text for _, text, _ in first)
    for name, one, two in zip(EVERY, first, second, strict=True):
        assert one == two, name


def test_the_order_of_runs(say, files):
    """What is said of a run does not depend on those beside it; nor does a pair's comparison."""

    def rows(command: list[str], column: int) -> list[str]:
        _, text, _ = say(command, files)
        return sorted(line for line in text.splitlines() if "coral" not in line.split("\t")[:column])

    for command, column in (
        (
            ["eval", "{qrels}", *RUNS, *flags(MEASURES), "--docs", "{docs}", "--digits", "17", "--ties", "range", "-q"],
            1,
        ),
        (["compare", *RUNS, *flags([*ALIKE[:6], *APART[:3]]), "--digits", "17", "-q"], 2),
        (["stats", "{qrels}", *RUNS, *flags(["AP"]), "--correction", "none", "--samples", "300", "--digits", "17"], 3),
    ):
        alone = rows([part for part in command if part != "{coral}"], column)
        assert len(alone) > 1
        first = [part for part in command if part not in RUNS]
        first[2 if command[0] != "compare" else 1 : 0] = ["{coral}", *TWO]
        assert rows(command, column) == alone
        assert rows(first, column) == alone


Rows = list[tuple[str, str, float]]


def kinds(rows: Rows) -> Iterator[tuple[str, Any]]:
    """A run or qrels as everything that Python can hold it in."""
    nested: dict[str, dict[str, float]] = {}
    for query, document, number in rows:
        nested.setdefault(query, {})[document] = number
    columns = dict(zip(("query_id", "doc_id", "score"), map(list, zip(*rows, strict=True)), strict=True))
    table = pyarrow.table(columns)
    yield "dict", nested
    yield "rows", rows
    yield "pandas", pandas.DataFrame(columns)
    yield "polars", polars.DataFrame(columns)
    for size in (7, 1000):
        yield f"batches of {size}", pyarrow.Table.from_batches(table.to_batches(max_chunksize=size))
    yield "dictionary", table.set_column(1, "doc_id", table["doc_id"].dictionary_encode())


@pytest.mark.parametrize("order", ["as it is", "mixed"])
def test_any_kind_of_input(order, files, lines):
    def read(name: str) -> Rows:
        content = lines[name] if order == "as it is" else shuffled(name, lines[name])
        fields = [line.split() for line in content]
        return [(field[0], field[2], float(field[3 if name == "qrels" else 4])) for field in fields]

    options: dict[str, Any] = {"ties": "range", "variance": True}
    measures = MEASURES[:12]
    expected = untied.evaluate(files["qrels"], {"amber": files["amber"]}, measures, **options).table().to_dicts()
    alike = [*ALIKE, "MED(nDCG@10)", "MED(AP@10)", "Delta(RBP)"]
    compared = nameless(untied.compare(files["amber"], files["blue"], alike))
    runs = [dict(kinds(read(name))) for name in ("amber", "blue")]
    for kind, qrels in kinds(read("qrels")):
        amber, blue = (run[kind] for run in runs)
        assert untied.evaluate(qrels, {"amber": amber}, measures, **options).table().to_dicts() == expected, kind
        assert nameless(untied.compare(amber, blue, alike)) == compared, kind


def nameless(found: untied.Comparison) -> list[list[Any]]:
    """Rows of a comparison without names of runs, which only files have."""
    return [[cell for name, cell in row.items() if name not in ("run_a", "run_b")] for row in found.table().to_dicts()]
