"""The command line as its users see it."""

import csv
import hashlib
import io
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import threading

import pytest

import untied
from strategies import BUILT_IN
from untied._core import measure_info
from untied.cli import main
from untied.cli import measures as listing
from untied.cli.commands import COMMANDS

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "tar2017"
QRELS = str(EXAMPLE / "qrels.txt")
RUNS = [str(path) for path in sorted(EXAMPLE.glob("*.run"))]
UOS = str(EXAMPLE / "uos.run")


def test_tsv_is_what_a_pipe_gets(untied_):
    code, out, err = untied_("eval", QRELS, UOS, "-m", "AP", "-m", "num_ret")
    assert code == 0
    assert out == "run\tquery\tmeasure\tvalue\nuos\tall\tAP\t0.0971\nuos\tall\tNumRet\t6286\n"
    assert err.splitlines() == [
        "note: tied documents have different grades in 12 of 12 queries of uos: "
        "each value is the mean over all orders; --ties range shows how far ties could move it"
    ]


def test_columns_come_with_their_options(untied_):
    _, out, err = untied_("eval", QRELS, UOS, "-m", "AP", "--ties", "range", "--variance", "--digits", "6", "-q")
    lines = [line.split("\t") for line in out.splitlines()]
    assert lines[0] == ["run", "query", "measure", "value", "low", "high", "variance"]
    assert len(lines) == 1 + 12 + 1
    assert lines[-1][:6] == ["uos", "all", "AP", "0.097095", "0.043176", "1.000000"]
    assert err == ""


def test_every_format_says_the_same(untied_, tmp_path):
    arguments = ("eval", QRELS, *RUNS, "-m", "AP", "-m", "nDCG@10", "-q", "--digits", "17", "--ties", "range")
    _, tsv, _ = untied_(*arguments)
    _, comma, _ = untied_(*arguments, "--format", "csv")
    _, text, _ = untied_(*arguments, "--format", "json")
    document = json.loads(text)
    rows = [dict(zip(tsv.splitlines()[0].split("\t"), line.split("\t"), strict=True)) for line in tsv.splitlines()[1:]]
    assert list(csv.DictReader(io.StringIO(comma))) == rows
    assert len(rows) == 4 * 13 * 2
    for row, exact in zip(rows, document["results"], strict=True):
        for column in ("value", "low", "high"):
            assert float(row.pop(column)) == pytest.approx(exact.pop(column), rel=1e-15, abs=1e-17)
        assert row == exact
    assert document["untied"] == untied.__version__
    assert document["settings"]["ties"] == "range"
    assert document["inputs"][0] == {
        "path": QRELS,
        "sha256": hashlib.sha256(pathlib.Path(QRELS).read_bytes()).hexdigest(),
    }
    for suffix, expected in {".tsv": tsv, ".csv": comma, ".json": text}.items():
        path = tmp_path / f"out{suffix}"
        code, out, _ = untied_(*arguments, "-o", path)
        assert (code, out) == (0, "")
        assert path.read_text() == expected
        assert list(tmp_path.glob(".untied-*")) == []


def test_a_table_for_a_terminal(untied_):
    _, out, _ = untied_("eval", QRELS, UOS, "-m", "AP", "-m", "P@10", "--ties", "range", "--format", "table")
    lines = out.splitlines()
    assert lines[0] == "value [lowest, highest] over all orders of tied documents, if these differ"
    assert lines[1].split() == ["run", "AP", "P@10"]
    assert lines[2].startswith("uos   0.0971 [0.0432, 1.0000]   ")


def test_an_output_file_is_old_or_new(untied_, tmp_path):
    path = tmp_path / "out.tsv"
    path.write_text("old")
    path.chmod(0o640)
    assert untied_("eval", QRELS, tmp_path / "missing", "-o", path)[0] == 2
    assert path.read_text() == "old"
    assert untied_("eval", QRELS, UOS, "-o", path)[0] == 0
    assert path.read_text().startswith("run\t")
    assert path.stat().st_mode & 0o777 == 0o640
    assert untied_("eval", QRELS, UOS, "-o", tmp_path / "no" / "such" / "folder.tsv")[0] == 2


def test_an_output_that_is_no_file_is_written_to(untied_, tmp_path):
    expected = untied_("eval", QRELS, UOS)[1]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    assert untied_("eval", QRELS, UOS, "-o", pipe)[0] == 0
    reader.join()
    assert read == [expected]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    code, _, err = untied_("eval", QRELS, UOS, "-o", tmp_path)
    assert (code, err) == (2, f"untied: {tmp_path}: Is a directory\n")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "target.tsv")
    assert untied_("eval", QRELS, UOS, "-o", link)[0] == 0
    assert link.is_symlink()
    assert (tmp_path / "target.tsv").read_text() == expected


def test_inputs_are_never_written_over(untied_, tmp_path):
    run = tmp_path / "x.run"
    run.write_bytes(pathlib.Path(UOS).read_bytes())
    code, _, err = untied_("eval", QRELS, run, "-o", run, "--format", "tsv")
    assert (code, err) == (2, f"untied: {run} is one of the inputs; choose another output file\n")
    assert run.read_bytes() == pathlib.Path(UOS).read_bytes()


def test_variances_have_digits(untied_):
    _, out, _ = untied_("eval", QRELS, EXAMPLE / "qut.run", "-m", "AP", "--variance")
    variance = out.split()[-1]
    assert 0 < float(variance) < 1e-4
    assert len(variance.lstrip("0.").split("e")[0].replace(".", "")) == 4


def test_trec_ties_mean_32_bits(untied_):
    _, out, _ = untied_("eval", QRELS, UOS, "--ties", "trec", "--format", "json")
    assert json.loads(out)["settings"]["score_dtype"] == "float32"


def test_the_note_on_ties_is_true(untied_, tmp_path):
    """Removed documents do not count, nor do ties of documents of one grade, nor measures that only count."""
    (tmp_path / "q").write_text("q 0 a 1\nq 0 b 1\n")
    (tmp_path / "r").write_text("q Q0 a 1 1 t\nq Q0 b 1 1 t\nq Q0 x 1 1 t\n")
    arguments = ("eval", tmp_path / "q", tmp_path / "r", "-m")
    assert "tied documents have different grades in 1 of 1 queries of r: " in untied_(*arguments, "AP")[2]
    assert untied_(*arguments, "AP", "--unjudged", "remove")[2] == ""
    assert untied_(*arguments, "NumRet")[2] == ""
    assert "each value is from one order (docid)" in untied_(*arguments, "AP", "--ties", "docid")[2]
    assert "each value is from the worst order" in untied_(*arguments, "AP", "--ties", "worst")[2]


def test_a_query_may_be_called_all(untied_, tmp_path):
    (tmp_path / "q").write_text("all 0 a 1\nq 0 b 1\n")
    (tmp_path / "r").write_text("all Q0 a 1 1 t\n")
    _, out, _ = untied_("eval", tmp_path / "q", tmp_path / "r", "-q", "-m", "AP", "--format", "table")
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["r", "all", "1.0000"],
        ["r", "q", "0.0000"],
        ["r", "all", "0.5000"],
    ]


def test_the_same_input_twice(untied_):
    assert untied_("eval", QRELS, UOS, UOS)[::2] == (2, f"untied: run '{UOS}' is given twice\n")
    assert untied_("eval", "-", "-")[::2] == (2, "untied: only one input can be standard input (-)\n")


def test_parquet_needs_a_file():
    for name, what in (("-", "standard input"), (os.devnull, "a pipe")):
        expected = f"{name}: parquet cannot be read from {what}: write it to a file that ends in .parquet"
        with pytest.raises(untied.UntiedError) as refused:
            untied.read_run(name, format="parquet")
        assert str(refused.value) == expected


def test_threads_do_not_change_a_byte(untied_):
    arguments = ("eval", QRELS, *RUNS, "-q", "--ties", "range", "--variance", "--digits", "17")
    outputs = {untied_(*arguments, "--threads", threads)[1] for threads in (1, 2, 3, 8)}
    assert len(outputs) == 1


def test_absent_and_unknown_queries_are_counted(untied_, tmp_path):
    run = tmp_path / "x.run"
    run.write_text("CD008081 Q0 20083557 1 1 t\nelsewhere Q0 d 1 1 t\n")
    _, out, err = untied_("eval", QRELS, run, "-m", "NumQ")
    assert out.splitlines()[1] == "x\tall\tNumQ\t12"
    assert (
        "judged queries missing from a run: 11 from x (counted as empty rankings; --queries common leaves them out)"
        in err
    )
    assert "queries without judgments, left out: 1 of x" in err
    _, out, err = untied_("eval", QRELS, run, "-m", "NumQ", "--queries", "common")
    assert out.splitlines()[1] == "x\tall\tNumQ\t1"
    assert "11 from x (left out)" in err


def test_names_of_runs(untied_, tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.run").write_bytes(pathlib.Path(UOS).read_bytes())
    _, out, _ = untied_("eval", QRELS, UOS, tmp_path / "a" / "same.run", tmp_path / "b" / "same.run", "-m", "AP")
    names = [line.split("\t")[0] for line in out.splitlines()[1:]]
    assert names == ["uos", "a/same", "b/same"]


def test_hostile_ids_do_no_harm(untied_, tmp_path):
    (tmp_path / "q").write_bytes(b"\x1b[2Jq 0 d 1\n")
    (tmp_path / "r").write_bytes(b"\x1b[2Jq Q0 d 1 1 t\n")
    _, out, _ = untied_("eval", tmp_path / "q", tmp_path / "r", "-q", "-m", "AP")
    assert out.splitlines()[1] == "r\t\\u{1b}[2Jq\tAP\t1.0000"


def test_usage_errors(untied_):
    for arguments in (["eval", QRELS], ["eval", QRELS, UOS, "--digits", "x"], ["check", QRELS, UOS, "--threads", "-1"]):
        assert untied_(*arguments)[0] == 2
    assert "must be a whole number from 0 to 17" in untied_("eval", QRELS, UOS, "--digits", "18")[2]
    assert "must be a whole number of at least 1" in untied_("eval", QRELS, UOS, "--threads", "0")[2]
    assert untied_("evil")[0] == 2
    assert untied_()[0] == 2
    code, _, err = untied_("eval", QRELS, UOS, "-m", "nDGC@10")
    assert (code, err) == (2, 'untied: unknown measure "nDGC"; did you mean nDCG?\n')


def test_help_and_version(untied_):
    assert untied_("--version") == untied_("-V") == (0, f"untied {untied.__version__}\n", "")
    code, out, _ = untied_("--help")
    assert code == 0
    for command in ("eval", "measures", "check"):
        assert f"\n  {command}" in out
        code, text, _ = untied_(command, "--help")
        assert code == 0
        assert "example" in text


@pytest.mark.parametrize("command", [*(one for one in COMMANDS if one not in ("study", "trec_eval")), "study med"])
def test_help_fits_a_screen_and_names_all_options(untied_, command: str) -> None:
    code, brief, _ = untied_(*command.split(), "--help")
    assert code == 0
    assert len(brief.splitlines()) <= 44
    _, full, _ = untied_(*command.split(), "--help-all")
    options = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", full, re.MULTILINE))
    assert options - {"--help"} <= set(re.findall(r"--[a-z-]+", brief))
    if brief != full:
        assert brief.endswith(f"untied {command} --help-all explains all options.\n")


def test_measures_are_listed_from_their_info(untied_):
    _, overview, _ = untied_("measures")
    _, everything, _ = untied_("measures", "--details")
    for info in BUILT_IN + measure_info(comparing=True):
        assert overview.count(f"  {info['title']}\n") == 1
        assert f": {info['title']}\n" in everything
        assert info["reference"][:40] in everything
    printed = [*listing.overview(BUILT_IN), *map(listing.describe, BUILT_IN + measure_info(comparing=True))]
    assert max(map(len, "\n".join(printed).splitlines())) <= 120
    for line in ("  P@k ", "  AP [@k] ", "  Rprec ", "  IPrec@x ", "  RBO ", "  Overlap@k ", "  MED(MEASURE) "):
        assert f"\n{line}" in overview
    _, one, _ = untied_("measures", "ndcg_cut_10")
    assert "nDCG@k" in one
    assert "average precision" not in one
    _, two, _ = untied_("measures", "RBO(p=0.8)", "overlap", "MED(nDCG@20)")
    assert [line.split(":")[0] for line in two.split("\n") if line[:1].strip()] == [
        "RBO [@k]",
        "Overlap@k",
        "MED(MEASURE)",
    ]
    code, _, error = untied_("measures", "nDGC")
    assert code == 2
    assert "did you mean nDCG?" in error


def test_check_finds_nothing_where_nothing_is(untied_):
    code, out, _ = untied_("check", QRELS, EXAMPLE / "waterloo.run")
    assert code == 0
    assert "!" not in out
    assert "no ties" in out


def test_check_and_judge_next_read_groups(untied_, tmp_path):
    (tmp_path / "q").write_text("q1\ta | b c\n")
    (tmp_path / "r").write_text("q1 Q0 c 1 2 t\nq1 Q0 x 2 1 t\n")
    code, out, _ = untied_("check", tmp_path / "q", tmp_path / "r", "--qrels-format", "groups")
    assert code == 0
    assert "!" not in out
    code, out, _ = untied_("judge-next", tmp_path / "q", tmp_path / "r", "-m", "P@2", "--qrels-format", "groups")
    assert code == 0
    assert "\tx\t" in out


def test_check_finds_what_is_wrong(untied_, tmp_path):
    (tmp_path / "q").write_text("007 0 FT934-5418 1\n007 0 FT934-1 0\n8 0 x 0\n9 0 y 1\n9 0 y 1\n")
    lines = [
        "7 Q0 a 1 1.000000001 t",
        "7 Q0 b 2 1.000000002 t",
        "9 Q0 docs/z.txt x 1 t",
        "9 Q0 docs/Y.txt 2 1 t",
    ]
    (tmp_path / "r").write_text("\n".join(lines))
    _, out, _ = untied_("check", tmp_path / "q", tmp_path / "r")
    for line in (
        "! queries without a relevant document: 1 (8)",
        "! repeated judgments: 1",
        "! judged queries missing from the run: 2 (007, 8)",
        "! queries without judgments: 1 (7)",
        "! query ids that nearly match: 1 (7 for 007)",
        "! 2 documents (50.0 %) are tied, in 1 of 2 queries",
        "! all documents are tied in 1 of 2 queries, so their rankings have no order",
        "! documents that tie only after rounding to 32 bits, as in trec_eval 9: 2 (in 1 of 2 queries)",
        "! queries where the rank column contradicts the scores: 1 "
        "(untied sorts by score; --run-format trec-ranks sorts by rank)",
        "! ranks that are not numbers: 1",
        "! 0.0 % of the first 10 documents are judged",
        "! no retrieved document is judged",
        "! document ids nearly match: docs/Y.txt here, y in the qrels",
    ):
        assert line in out.splitlines()


@pytest.mark.parametrize(("judged", "share"), [(0, "0.0"), (1, "0.02"), (4_999, "99.98"), (5_000, "100.0")])
def test_a_judged_share_is_not_rounded_to_none_or_all(untied_, tmp_path, judged, share):
    places = [(f"q{number // 10}", f"d{number}") for number in range(5_000)]
    (tmp_path / "q").write_text(
        "".join(f"{query} 0 {doc} {0 if place < judged else -1}\n" for place, (query, doc) in enumerate(places))
    )
    (tmp_path / "r").write_text("".join(f"{query} Q0 {doc} 1 {doc[1:]} t\n" for query, doc in places))
    assert f" {share} % of the first 10 documents are judged" in untied_("check", tmp_path / "q", tmp_path / "r")[1]


def test_numbers_that_are_not_finite_are_the_same_in_all_formats_for_programs(untied_, tmp_path):
    """Infinite: the effect of equal differences, and the overturn number where nothing overturns. Undefined: RR."""
    queries = ("1", "2", "3")
    contents = {
        "q": [f"{query} 0 a 1\n{query} 0 x 0\n" for query in queries],
        "a": [f"{query} Q0 a 1 2 t\n" for query in queries],
        "b": [f"{query} Q0 x 1 2 t\n{query} Q0 a 2 1 t\n" for query in queries],
        "none": ["0 0 a 0\n"],
    }
    contents["none"] += contents["q"]
    q, a, b, none = (tmp_path / name for name in contents)
    for name, lines in contents.items():
        (tmp_path / name).write_text("".join(lines))

    def of(column, *line):
        """A column in JSON, TSV and a table, of the first row."""
        _, text, _ = untied_(*line, "--format", "json")
        _, tsv, _ = untied_(*line, "--format", "tsv")
        _, table, _ = untied_(*line, "--format", "table")
        names, row = (one.split("\t") for one in tsv.splitlines()[:2])
        return json.loads(text)["results"][0][column], row[names.index(column)], "never" in table

    assert of("effect", "stats", q, a, b, "-m", "RR") == ("inf", "inf", False)
    assert of("effect", "stats", q, b, a, "-m", "RR") == ("-inf", "-inf", False)
    for command in (
        ["certify", q, a, b],
        ["stats", q, a, b, "--certify"],
        ["compare", a, b, "--qrels", q, "--certify"],
    ):
        for column in ("overturn", "largest_m"):
            assert of(column, *command, "-m", "Delta(RR)" if command[0] == "compare" else "RR") == (
                "inf",
                "inf",
                True,
            ), command
    _, text, _ = untied_("gate", q, a, "--baseline", b, "--min-overturn", "RR=1", "--format", "json")
    assert json.loads(text)["checks"][0]["value"] == "inf"
    undefined = of("value", "eval", none, a, "-q", "-m", "RR", "--on-undefined", "nan")
    assert undefined[:2] == (None, "nan")


def test_a_closed_pipe_is_no_error():
    command = [sys.executable, "-m", "untied", "eval", QRELS, *RUNS, "-q", "--digits", "17"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0


def test_a_closed_standard_output_is_an_error():
    command = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "untied", "eval", QRELS, UOS]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "untied: standard output: Bad file descriptor\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_an_interrupt_ends_a_blocking_read(tmp_path):
    os.mkfifo(tmp_path / "silent")
    process = subprocess.Popen([sys.executable, "-m", "untied", "eval", QRELS, str(tmp_path / "silent")])
    writer = os.open(tmp_path / "silent", os.O_WRONLY)  # returns once the command reads
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == -signal.SIGINT
    os.close(writer)


def test_options_and_runs_in_any_order(untied_):
    _, out, _ = untied_("eval", QRELS, RUNS[0], "-m", "AP", RUNS[1])
    assert len(out.splitlines()) == 3


#: What `untied eval` does not import where arguments are plain: each costs as much as a small run, or more.
HEAVY = {
    "argparse", "collections", "contextlib", "enum", "functools", "gettext", "hashlib", "heapq", "inspect", "json",
    "locale", "numpy", "re", "shutil", "signal", "typing",
}  # fmt: skip


def test_standard_input_and_light_start():
    code = (
        "import sys; before = set(sys.modules); from untied.cli import console; console(); "
        "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    with open(UOS, "rb") as run:
        command = [sys.executable, "-c", code, "eval", QRELS, "-", "-m", "AP", "--ties", "docid", "--format", "tsv"]
        done = subprocess.run(command, stdin=run, capture_output=True, text=True, check=True, env={**os.environ})
    assert done.stdout == "run\tquery\tmeasure\tvalue\nstdin\tall\tAP\t0.0916\n"
    loaded = set(done.stderr.splitlines()[-1].split())
    assert "untied.cli.eval" in loaded
    assert loaded & HEAVY == set()


def test_counts_of_several_runs_name_them(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A sum over runs would read as the count of each."""
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"q{q} 0 a 1\n" for q in range(5)) + "none 0 a 0\n")
    files = []
    for name in "abcdefg":
        extra = {"b": 50, "f": 2, "g": 9}.get(name, 0)
        known = [f"q{q} Q0 a 1 1 t\n" for q in range(5)] + ["none Q0 a 1 1 t\n"]
        files.append(str(tmp_path / f"{name}.run"))
        pathlib.Path(files[-1]).write_text("".join(known + [f"other{q:02} Q0 a 1 1 t\n" for q in range(extra)]))
    assert main(["stats", str(qrels), *files[:3], "-m", "AP"]) == 0
    assert "note: queries without judgments, left out: 50 of b; untied check lists them\n" in capfd.readouterr().err
    assert main(["stats", str(qrels), *files[:3], "-m", "ESL"]) == 0
    dropped = "queries for which a run has no value, left out of comparisons: 3 of ESL (over 3 pairs of runs)"
    assert dropped in capfd.readouterr().err
    assert main(["eval", str(qrels), *files, "-m", "AP", "--on-undefined", "nan"]) == 0
    err = capfd.readouterr().err
    assert "queries without judgments, left out: 50 of b, 2 of f, 9 of g" in err
    undefined = "note: queries with undefined values, usually because no document is relevant: "
    assert f"{undefined}1 of 6 (left out of the means)\n" in err
    short = tmp_path / "short.run"
    short.write_text("none Q0 a 1 1 t\n")
    assert main(["eval", str(qrels), str(short), files[1], "--queries", "common", "-m", "AP"]) == 0
    effect = "(counted as 0; --on-undefined nan leaves them out)"
    assert f"{undefined}1 of 1 for short, 1 of 6 for b {effect}\n" in capfd.readouterr().err
    assert main(["stats", str(qrels), *files[1:3], "-m", "AP"]) == 0
    assert f"{undefined}1 of 6 (counted as 0)\n" in capfd.readouterr().err
    assert main(["eval", str(qrels), files[1], "-m", "AP", "--adjust", "chance"]) == 0
    assert "queries with undefined" not in capfd.readouterr().err
    assert main(["trec_eval", str(qrels), files[1]]) == 0
    assert capfd.readouterr().err == ""
    assert main(["compare", *files[:2], files[6], "-m", "RBO"]) == 0
    assert "queries that another run lacks, left out: 41 to 50 of b" in capfd.readouterr().err


@pytest.mark.parametrize(
    "command",
    ["eval - -", "stats - - x", "check - -", "compare - -", "compare - x --docs -", "curve - - --query q", "gate - -",
     "gate x - --min AP=0 --docs -", "report - - -o page.html", "judge-next - -", "sample - - --depth 1",
     "sample - --strata -", "features - -", "study incomplete - - -o folder"],
)  # fmt: skip
def test_standard_input_is_one_input(command, untied_, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = untied_(*command.split())
    assert (code, out, err) == (2, "", "untied: only one input can be standard input (-)\n")
    assert not list(tmp_path.iterdir())


def test_tables_call_measures_what_they_were_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    folder = "examples/tar2017"
    command = ["eval", f"{folder}/qrels.txt", f"{folder}/waterloo.run", "-m", "indAP", "-m", "RBP(p=.8)", "-m", "map"]
    assert main([*command, "--format", "table"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == ["run", "indAP", "RBP(p=.8)", "AP"]
    assert shown[-1] == "indAP is AP(judged_only=True)"
    assert main([*command, "--format", "latex"]) == 0
    latex = capsys.readouterr().out
    assert "run & indAP & RBP(p=.8) & AP" in latex
    assert "indAP: AP(judged\\_only=True)." in latex
    assert main([*command, "--format", "tsv"]) == 0
    assert [line.split("\t")[2] for line in capsys.readouterr().out.splitlines()[1:]] == [
        "AP(judged_only=True)",
        "RBP",
        "AP",
    ]


def test_swapped_files_and_strictness(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = "examples/tar2017"
    assert main(["eval", f"{folder}/waterloo.run", f"{folder}/qrels.txt"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "untied: QRELS comes first: are the judgments and a run swapped?"
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("401 0 d 1\n")
    run.write_text("Q401 Q0 d 1 1 t\n")
    assert main(["eval", str(qrels), str(run), "-m", "AP"]) == 2
    assert capsys.readouterr() == (
        "",
        "untied: no query in common with the qrels: 'run'; untied check shows query ids that nearly match\n",
    )
    assert main(["check", str(qrels), str(run)]) == 0
    assert "query ids that nearly match: 1 (Q401 for 401)" in capsys.readouterr().out


def test_comparisons_are_named_after_files() -> None:
    found = untied.compare("examples/tar2017/amc.run", "examples/tar2017/qut.run", "Overlap@10")
    assert found.runs == ("amc", "qut")
    assert untied.compare(["x"], ["y"], "Overlap@1").runs == ("a", "b")
