"""Output files are the old or the new one, whatever happens and whenever."""

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from untied.cli import main
from untied.results.writing import UNFINISHED, check_target, write_file

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")

OLD, NEW = b"old\n" * 5_000, b"new one\n" * 50_000

#: Forks, once for every moment, a process that writes a file and is killed; tells what is in the file then. A moment is
#: before the n-th line of the module that writes, or (the kernel's own kill) when so many bytes are written.
KILLED = """
import json, os, resource, signal, sys
import untied.results.writing

path, old, new = sys.argv[1], b"old\\n" * 5_000, b"new one\\n" * 50_000

def killed_before(line):
    lines = 0
    def trace(frame, event, argument):
        nonlocal lines
        if frame.f_code.co_filename != untied.results.writing.__file__:
            return None
        lines += event == "line"
        if lines == line:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)

def killed_at(byte):
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (byte, byte))

def moment(kill, argument):
    with open(path, "wb") as file:
        file.write(old)
    child = os.fork()
    if child == 0:
        kill(argument)
        untied.results.writing.write_file(new, path)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    with open(path, "rb") as file:
        found = file.read()
    return [os.WTERMSIG(status), {old: "old", new: "new"}.get(found, "neither")]

lines = []
while not lines or lines[-1][0]:
    lines.append(moment(killed_before, len(lines) + 1))
print(json.dumps([lines, [moment(killed_at, byte) for byte in (0, 1, 19_999, 20_000, 20_001, 200_000, 399_999)]]))
"""


def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new_one(tmp_path):
    path = tmp_path / "out.tsv"
    done = subprocess.run([sys.executable, "-c", KILLED, path], capture_output=True, text=True, check=True)
    by_line, by_byte = json.loads(done.stdout)
    *killed, last = by_line
    assert last == [0, "new"]
    assert len(killed) > 15
    # Old until it is replaced, new from then on.
    states = [state for _, state in killed]
    assert states == sorted(states, reverse=True)
    assert set(states) <= {"old", "new"}
    assert {found for found, _ in killed} == {signal.SIGKILL}
    assert by_byte == [[signal.SIGXFSZ, "old"]] * 7


@pytest.fixture
def full_disk():
    """Files of more than 1,000 bytes cannot be written in this process, as if the disk were full."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_is_full_leaves_the_old_file_and_nothing_else(tmp_path, full_disk):
    path = tmp_path / "out.tsv"
    path.write_bytes(OLD[:100])
    with pytest.raises(OSError, match="File too large") as caught:
        write_file(NEW, str(path))
    assert caught.value.filename == str(path)
    assert path.read_bytes() == OLD[:100]
    assert os.listdir(tmp_path) == ["out.tsv"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_device_that_is_full_is_named(tmp_path, capsys):
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "r").write_text("1 Q0 d 1 1 t\n")
    assert main(["eval", str(tmp_path / "q"), str(tmp_path / "r"), "-m", "AP", "-o", "/dev/full"]) == 2
    assert capsys.readouterr().err == "untied: /dev/full: No space left on device\n"
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("failing", ["fsync", "replace", "chmod"])
def test_a_step_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, failing):
    path = tmp_path / "out.tsv"
    path.write_bytes(OLD)

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(KeyboardInterrupt):
        write_file(NEW, str(path))
    assert path.read_bytes() == OLD
    assert os.listdir(tmp_path) == ["out.tsv"]


def test_permissions_are_those_of_the_old_file_or_of_any_new_one(tmp_path):
    mask = os.umask(0o027)
    try:
        write_file(NEW, str(tmp_path / "new"))
        (tmp_path / "old").touch()
        (tmp_path / "old").chmod(0o606)
        write_file(NEW, str(tmp_path / "old"))
    finally:
        os.umask(mask)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("new", "old")] == [0o640, 0o606]


def test_links_are_followed_and_devices_kept(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/target")
    (tmp_path / "again").symlink_to("link")
    write_file(NEW, str(tmp_path / "again"))
    assert (tmp_path / "folder" / "target").read_bytes() == NEW
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "null").symlink_to(os.devnull)
    write_file(NEW, str(tmp_path / "null"))
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(OSError, match="symbolic links"):
        write_file(NEW, str(tmp_path / "round"))


def test_standard_output_by_its_name_is_not_replaced(tmp_path):
    log = tmp_path / "log"
    log.write_bytes(OLD)
    code = "from untied.results.writing import write_file; write_file(b'more', '/dev/stdout')"
    with open(log, "ab") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert log.read_bytes() == OLD + b"more"


def test_what_cannot_be_written_is_refused_before_any_work(tmp_path, monkeypatch):
    path = tmp_path / "out.tsv"
    check_target(None)
    check_target(str(path))
    for target, error in [(tmp_path, IsADirectoryError), ("", IsADirectoryError), (path / "x", FileNotFoundError)]:
        with pytest.raises(error):
            check_target(str(target))
    # The superuser may write everywhere.
    monkeypatch.setattr(os, "access", lambda where, mode: where != str(tmp_path))
    with pytest.raises(PermissionError):
        check_target(str(path))
    monkeypatch.setattr(os, "access", lambda where, mode: where != str(path))
    check_target(str(path))
    path.write_bytes(OLD)
    with pytest.raises(PermissionError):
        check_target(str(path))


def test_two_outputs_are_never_one_file(tmp_path, capsys):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.run").write_text("1 Q0 d 1 1 t\n")
    (tmp_path / "q").write_text("1 0 d 1\n")
    qrels, runs, out = str(tmp_path / "q"), [str(tmp_path / f / "x.run") for f in "ab"], str(tmp_path / "out")
    for arguments, part in [
        (["compare", *runs, *["-o", f"{out}.html"] * 2], "name the same file"),
        (["gate", qrels, runs[0], "--min", "AP=0", "-o", out, "-o", f"{out}.txt"], "are both for the output"),
    ]:
        assert main(arguments) > 0
        assert part in capsys.readouterr().err
    assert not os.path.isfile(out)
    assert main(["sample", qrels, *runs, "--documents", "1", "-o", out]) == 0
    assert sorted(os.listdir(out)) == ["a-x.run", "b-x.run", "qrels.txt"]


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="no shared memory here")
def test_files_in_shared_memory_are_files(tmp_path, capsys):
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "x.run").write_text("1 Q0 d 1 1 t\n")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        out = os.path.join(folder, "out")
        line = ["gate", str(tmp_path / "q"), str(tmp_path / "x.run"), "--min", "AP=0", *["-o", f"{out}.xml"] * 2]
        assert main(line) == 2
        assert "name the same file" in capsys.readouterr().err
        assert not os.listdir(folder)


def test_no_other_module_opens_files_to_write():
    import ast
    import pathlib

    import untied

    root = pathlib.Path(untied.__file__).parent
    writers = set()
    for source in root.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            modes = [argument.value for argument in [*node.args[1:], *(word.value for word in node.keywords)]
                     if isinstance(argument, ast.Constant) and isinstance(argument.value, str)]  # fmt: skip
            if name in ("write_text", "write_bytes", "fdopen", "mkstemp", "NamedTemporaryFile", "to_csv", "to_parquet"):
                writers.add(source.name)
            if name == "open" and any(set(mode) <= set("rwxabt+") and set(mode) & set("wxa+") for mode in modes):
                writers.add(source.name)
    # A study adds the parts that are finished to a file; of a line that is cut off it knows.
    assert writers == {"writing.py", "checkpoint.py"}
    assert UNFINISHED.startswith(".")


EXAMPLE = os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "examples", "tar2017")
COMMANDS = [
    ("eval", "qrels.txt", "uos.run", "-q"),
    ("check", "qrels.txt", "uos.run"),
    ("compare", "uos.run", "qut.run"),
    ("trec_eval", "-q", "qrels.txt", "uos.run"),
    ("sample", "qrels.txt", "--rate", "0.5"),
    ("gate", "qrels.txt", "uos.run", "--min", "AP=0.9"),
    ("--help",),
]


def ended(arguments, stdout, **options):
    """The exit code and the messages of a command whose standard output is somewhere else."""
    command = [sys.executable, "-m", "untied", *arguments]
    done = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, cwd=EXAMPLE, **options)
    return done.returncode, done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_standard_output_that_is_full_or_closed_ends_a_command_cleanly(arguments, buffered, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    if not buffered:
        monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    with open("/dev/full", "wb") as full:
        code, err = ended(arguments, full)
    assert err == "untied: standard output: No space left on device\n"
    assert code == 2
    reader, writer = os.pipe()
    os.close(reader)
    code, err = ended(arguments, writer)
    os.close(writer)
    assert "untied: " not in err
    assert "Traceback" not in err
    assert code == (1 if arguments[0] == "gate" else 0)  # the verdict stands, whoever reads it


def test_what_takes_text_alone_gets_text(monkeypatch):
    """As in a notebook, whose standard output has no bytes below it."""
    import io

    from untied.results.writing import write_out

    taken = io.StringIO()
    monkeypatch.setattr("sys.stdout", taken)
    write_out([b"caf\xc3\xa9 ", b"\xff\n"])
    assert taken.getvalue() == "café \\xff\n"


def test_a_dash_is_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For every command that writes one file; options that write another one refuse it, as do folders."""
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("q 0 a 1\nq 0 b 0\n")
    for name, docs in (("x.run", "ab"), ("y.run", "ba")):
        Path(name).write_text("".join(f"q Q0 {doc} 1 {9 - rank} t\n" for rank, doc in enumerate(docs)))
    Path("f").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.1\n")
    both = ["x.run", "y.run"]
    commands = [
        ["eval", "q", *both],
        ["compare", *both],
        ["stats", "q", *both],
        ["certify", "q", *both],
        ["curve", "q", *both, "--query", "q"],
        ["judge-next", "q", *both],
        ["gate", "q", "x.run", "--min", "P@1=0"],
        ["sample", "q", "--rate", "1"],
        ["features", "f"],
        ["report", "q", *both],
    ]
    for command in commands:
        plain = [] if command[0] == "report" else command
        expected = main(plain) if plain else 0
        printed = capsys.readouterr().out
        assert main([*command, "-o", "-"]) == expected, command
        out = capsys.readouterr().out
        assert out == printed if plain else out.startswith("<!doctype html>"), command
        assert out
    for command, says in (
        (["certify", "q", *both, "--certificate", "-"], "--certificate needs the name of a file; only -o writes"),
        (["study", "ties", "q", *both, "-o", "-"], "-o needs a folder: a study writes several files"),
        (["sample", "q", "x.run", "--documents", "0.5", "-o", "-"], "-o"),
    ):
        assert main(command) == 2, command
        assert says in capsys.readouterr().err
    assert not Path("-").exists()
