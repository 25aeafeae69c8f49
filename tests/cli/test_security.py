"""Hostile input does no harm: nothing of it is run, reaches a terminal as a command, or a file elsewhere."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

import untied
from entry_points import COMMANDS as LINES
from untied.cli import main
from untied.cli.commands import COMMANDS

ROOT = Path(untied.__file__).parent
EXAMPLE = Path(__file__).parents[2] / "examples" / "tar2017"
CARGO = Path(__file__).parents[2] / "Cargo.lock"

#: Clears the screen, sets the title, an 8-bit control, text that runs backwards, a new line, markup.
EVIL = "\x1b[2J\x1b]0;x\x07\x9b2J\u202e\u2028<script>hurt()</script>'\"&|"


@pytest.fixture
def files(tmp_path):
    """Qrels, two runs and learning-to-rank data, with hostile ids of queries and documents."""
    lines = {
        "q": [f"{EVIL}q 0 {EVIL}d{i} {i % 2}\n" for i in range(6)],
        "a.run": [f"{EVIL}q Q0 {EVIL}d{i} {i} {9 - i} {EVIL}\n" for i in range(6)],
        "b.run": [f"{EVIL}q Q0 {EVIL}d{i} {i} {i} t\n" for i in range(3, 9)] + [f"{EVIL}r Q0 d 1 1 t\n"],
        "a.passages": [f"{EVIL}q {EVIL}d{i} 0 9 {i} {9 - i} {EVIL}\n" for i in range(6)],
        "b.passages": [f"{EVIL}q {EVIL}d{i} 5 9 {i} {i} t\n" for i in range(3, 9)] + [f"{EVIL}r d 0 1 1 1 t\n"],
    }
    for name, content in lines.items():
        (tmp_path / name).write_text("".join(content), encoding="utf-8")
    (tmp_path / "queries.tsv").write_text(f"qid\tmarket\n{EVIL}q\t{EVIL}s\n", encoding="utf-8")
    (tmp_path / "l.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.25\n")
    return tmp_path


#: Options with which commands print more ids.
MORE = {
    "eval": "-q -m AP -m P@2 --query-table {folder}/queries.tsv --by market",
    "compare": "--top 3",
    "passages": "-q",
    "stats": "-m AP --query-table {folder}/queries.tsv --by market",
    "certify": "-m P@2 --ties docid --certificate {certificate}",
    "gate": "--max AP=0 --baseline {b} --max-drop AP=0 -o {folder}/j.xml",
    "curve": "--format tsv",
    "features": "-m AP",
    "judge-next": "--top 3",
    "trec_eval": "-q",
}
CALLS = {command: [*line.split(), *MORE.get(command, "").split()] for command, line in LINES.items()}
CALLS["sample"] = ["{q}", "{a}", "--documents", "0.5", "-o", "{folder}/out"]


def arguments(command, folder):
    names = {"q": "q", "a": "a.run", "b": "b.run", "pa": "a.passages", "pb": "b.passages", "l": "l.txt"}
    paths = {name: str(folder / file) for name, file in names.items()}
    paths |= {"folder": str(folder), "certificate": str(folder / "c.json"), "query": f"{EVIL}q"}
    return [command, *(word.format(**paths) for word in CALLS[command])]


def is_harmless(text):
    """Whether a terminal shows it as it is."""
    harmful = {c for c in text if unicodedata.category(c) in ("Cc", "Zl", "Zp") or c in "\u202a\u202b\u202d\u202e"}
    return harmful <= set("\n\t")


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"trec_eval"}))
def test_no_command_prints_what_commands_a_terminal(files, capsys, command):
    if command == "verify":
        main(arguments("certify", files))
    code = main(arguments(command, files))
    captured = capsys.readouterr()
    assert code in (0, 1), captured.err
    assert is_harmless(captured.out)
    assert is_harmless(captured.err)


@pytest.mark.parametrize("style", ["table", "csv", "json", "md"])
@pytest.mark.parametrize("command", ["eval", "compare", "stats"])
def test_no_format_does(files, capsys, command, style):
    main([*arguments(command, files), "--format", style])
    assert is_harmless(capsys.readouterr().out)


@pytest.mark.parametrize(
    "content",
    [f"q Q0 {EVIL}\n", f"q Q0 d 1 {EVIL.replace(' ', '')} t\n", f"q Q0 {EVIL}d 1 1 t\nq Q0 {EVIL}d 1 1 t\n"],
)
def test_no_message_does(files, capsys, content):
    path = files / f"{EVIL.replace('/', '')}.run"
    path.write_text(content, encoding="utf-8")
    for asked in (["eval", str(files / "q"), str(path)], ["eval", str(files / EVIL[:20]), str(path)],
                  ["eval", str(files / "q"), str(files / "a.run"), "-m", f"AP(rel={EVIL})"],
                  ["gate", str(files / "q"), str(path), "--min", "AP=1"], ["check", str(files / "q"), str(path)],
                  [EVIL]):  # fmt: skip
        assert main(asked) > 0
        assert is_harmless(capsys.readouterr().err)


def test_a_page_holds_nothing_from_elsewhere_and_no_markup_of_ids(files):
    assert main(arguments("report", files)) == 0
    page = (files / "page.html").read_text(encoding="utf-8")
    assert "<script>hurt" not in page
    assert not re.search(r"""(src|href|action|data)\s*=\s*["']?(https?:)?//""", page.split("<body", 1)[0])
    assert not re.search(r"<(link|iframe|object|embed|base|form)\b", page)
    assert "default-src 'none'" in page


def test_runs_are_written_below_their_folder_only(files, tmp_path):
    for name in ("..", "...run", "../x.run"):
        path = files / "deep" / "er" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_dir():
            path.write_bytes((files / "a.run").read_bytes())
            assert main(["sample", str(files / "q"), str(path), "--documents", "1", "-o", str(files / "out")]) == 0
    before = {path for path in files.rglob("*") if "out" not in path.parts}
    assert {path.name for path in (files / "out").iterdir()} >= {"qrels.txt"}
    assert before == {path for path in files.rglob("*") if "out" not in path.parts}
    assert all(path.parent == files / "out" for path in (files / "out").rglob("*"))


def test_plugins_are_what_is_named_and_nothing_else(files):
    """Modules in the folder one is in shadow none of Python's, with the names of modules that commands import."""
    names = ["argparse", "csv", "json", "numpy", "tempfile", "hashlib", "html", "random", "own", "plugin", "untied_x"]
    for name in names:
        (files / f"{name}.py").write_text(f"open({str(files / 'loaded')!r}, 'a').write({name!r})\n")
    (files / "mine.py").write_text("import untied\n\n@untied.measure\ndef Mine(grades):\n    return 1.0\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}

    def run(*asked):
        command = [sys.executable, "-m", "untied", "eval", "q", "a.run", "--format", "json", *asked]
        return subprocess.run(command, cwd=files, env=environment, capture_output=True, text=True, check=False)

    assert run("-m", "AP").returncode == 0
    assert run("-m", "Mine", "--plugin", "mine.py").returncode == 0
    assert run("-m", "Mine").returncode == 2
    # A module's name is looked for where Python looks, and that is not here.
    assert "there is no module 'mine'" in run("-m", "Mine", "--plugin", "mine").stderr
    assert not (files / "loaded").exists()


#: What runs text or bytes as code, or starts processes.
RUNNERS = {"eval", "exec", "compile", "execfile", "__import__", "system", "popen", "Popen", "run_path", "run_module",
           "loads", "import_module", "exec_module", "literal_eval"}  # fmt: skip
#: Where such calls stand, and why they are harmless.
ALLOWED = {
    ("_lazy.py", "import_module"): "a module of untied, by a name of a public thing",
    ("cli/__init__.py", "import_module"): "a module of untied, by the name of a command",
    ("cli/completion.py", "import_module"): "a module of untied, by the name of a command",
    ("compat/mteb.py", "import_module"): "a module of mteb, always the same",
    ("measures/own.py", "import_module"): "a plugin that the user names",
    ("measures/own.py", "exec_module"): "a plugin that the user names",
    ("compat/ir_measures.py", "literal_eval"): "defaults of parameters, which the core prints; numbers and texts only",
    ("inputs/engines.py", "json.loads"): "JSON",
    ("inputs/files.py", "json.loads"): "JSON",
    ("inputs/rows.py", "json.loads"): "JSON",
    ("inputs/texts.py", "json.loads"): "JSON",
    ("study/checkpoint.py", "json.loads"): "JSON",
    ("verdicts/verify.py", "json.loads"): "JSON",
    ("spark.py", "pickle.loads"): "what the driver's own function has made on an executor of the same session",
}


def test_nothing_is_evaluated_from_data():
    found = set()
    for source in ROOT.rglob("*.py"):
        tree = ast.parse(source.read_text(encoding="utf-8"))
        modules = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        forbidden = {"marshal", "shelve", "dill", "cloudpickle", "yaml", "subprocess", "code",
                     "socket", "ssl", "http", "urllib", "urllib.request", "ftplib", "requests", "asyncio"}  # fmt: skip
        assert not modules & forbidden, source
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                of = getattr(getattr(node.func, "value", None), "id", "")
                if name in RUNNERS and of != "re":
                    found.add((source.relative_to(ROOT).as_posix(), f"{of}.{name}" if name == "loads" else name))
    assert found == set(ALLOWED)


#: Runs commands one after the other; whatever would use the network ends the process, and that is told.
WATCHED = """
import os, sys

def watch(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.")) and event != "socket.gethostname":
        print("NETWORK", event, arguments, file=sys.stderr, flush=True)
        os._exit(99)

sys.addaudithook(watch)
from untied.cli import main

calls, call = [], []
for argument in sys.argv[1:]:
    if argument == ";":
        calls.append(call)
        call = []
    else:
        call.append(argument)
for call in calls:
    print(call[0], main(call), file=sys.stderr)
"""


def test_no_command_uses_the_network(files):
    # This would be seen.
    seen = subprocess.run(
        [sys.executable, "-c", WATCHED.replace("from untied", "import socket; socket.socket().close()\nfrom untied")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert seen.returncode == 99
    asked = [part for command in sorted(CALLS) for part in [*arguments(command, files), ";"]]
    done = subprocess.run([sys.executable, "-c", WATCHED, *asked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for command in COMMANDS:
        assert re.search(rf"^{command} [01]$", done.stderr, re.MULTILINE), command


def test_the_core_cannot_use_the_network():
    packages = set(re.findall(r'^name = "(.*)"$', CARGO.read_text(), re.MULTILINE))
    assert "rayon" in packages
    clients = ("socket2 mio tokio hyper reqwest ureq curl native-tls rustls openssl quinn h2 async-std smol isahc "
               "attohttpc minreq tungstenite")  # fmt: skip
    assert not packages & set(clients.split())
    for source in (CARGO.parent / "crates").rglob("*.rs"):
        assert not re.search(r"\bstd::(net|process::Command)\b", source.read_text(encoding="utf-8")), source
