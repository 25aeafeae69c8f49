"""What every command prints: files in golden_cli hold a command line, and what it says, writes and returns.

A file is ``$ untied ...`` over the bundled runs and the small files of golden_cli/data, then what came of it. To add a
case write a file with its first line alone; ``UNTIED_REFRESH=1 .venv/bin/pytest tests/across/test_golden_cli.py`` fills
in the rest of all files. Look at the difference before you commit it.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import untied
from untied.cli import main
from untied.cli.commands import COMMANDS
from untied.cli.parser import NotPlain, Parser
from untied.cli.usage import FullParser
from untied.study import STUDIES

HERE = Path(__file__).parents[1]
FOLDER = HERE / "golden_cli"
CASES = sorted(path.stem for path in FOLDER.glob("*.txt"))
#: Decimals may differ in the last of very many digits between platforms.
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?|-?\d+e-\d+")


def line_of(case: str) -> list[str]:
    """The arguments of a case."""
    first = (FOLDER / f"{case}.txt").read_text("utf-8").partition("\n")[0]
    program, *arguments = shlex.split(first.removeprefix("$ "))
    assert program == "untied", f"{case}: a case begins with '$ untied'"
    return arguments


def shown(path: Path) -> str:
    """What is in a file that was written; pictures and pages are not compared byte by byte."""
    content = path.read_bytes()
    if path.suffix == ".html":
        parts = re.findall(r'<script [^>]*type="application/json"[^>]*>(.*?)</script>', content.decode(), re.DOTALL)
        assert parts, f"{path.name} has no data"
        return "\n".join(part.strip() for part in parts) + "\n"
    kinds = {b"<?xml version": "a picture", b"\x89PNG": "a picture", b"%PDF": "a picture", b"PAR1": "a table"}
    kind = next((kind for start, kind in kinds.items() if content.startswith(start)), None)
    return f"{kind}\n" if kind and path.suffix != ".xml" else content.decode()


def here(arguments: list[str], capture: pytest.CaptureFixture[bytes]) -> tuple[object, bytes, bytes]:
    """Run a command in this process."""
    try:
        code: object = main(arguments)
    except SystemExit as stopped:
        code = stopped.code
    return code, *capture.readouterr()


def alone(arguments: list[str], _: pytest.CaptureFixture[bytes]) -> tuple[object, bytes, bytes]:
    """Run it in one of its own: other tests define measures in this one."""
    child = subprocess.run([sys.executable, "-m", "untied", *arguments], capture_output=True, check=False)
    return child.returncode, child.stdout, child.stderr


def told(arguments: list[str], capture: pytest.CaptureFixture[bytes]) -> str:
    """What a command says, writes and returns, as text."""
    before = set(Path().rglob("*"))
    code, out, err = (alone if arguments[0] in ("measures", "completion") else here)(arguments, capture)
    parts = [("exit code", f"{code}\n"), ("output", out.decode()), ("messages", err.decode())]
    written = sorted(path for path in set(Path().rglob("*")) - before if path.is_file())
    parts += [(str(path), shown(path)) for path in written]
    text = "".join(f"\n[{name}]\n{content}" for name, content in parts if content)
    text = text.replace(f"untied {untied.__version__}", "untied VERSION")
    text = text.replace(f'"{untied.__version__}"', '"VERSION"')
    return re.sub(r"; \d+\.\d s$", "; TIME s", text, flags=re.MULTILINE)


def same(found: str, expected: str) -> bool:
    """Whether texts are equal, but for the last digits of long numbers."""
    pairs = list(zip(NUMBER.findall(found), NUMBER.findall(expected), strict=False))
    return NUMBER.sub("#", found) == NUMBER.sub("#", expected) and all(
        math.isclose(float(one), float(other), rel_tol=1e-9, abs_tol=1e-12) for one, other in pairs
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work where the inputs are."""
    for source in ((HERE.parent / "examples" / "tar2017"), FOLDER / "data"):
        shutil.copytree(source, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("folder")
def test_golden(case: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    path = FOLDER / f"{case}.txt"
    first, _, expected = path.read_text("utf-8").partition("\n")
    found = told(line_of(case), capsysbinary)
    if os.environ.get("UNTIED_REFRESH"):
        if not same(found, expected):
            path.write_text(f"{first}\n{found}", "utf-8")
        return
    if not same(found, expected):
        assert found == expected  # for pytest to show where they differ


def formats(command: str, monkeypatch: pytest.MonkeyPatch) -> tuple[set[str], str]:
    """What a command's ``--format`` takes, and what it is where it is not given."""
    found: list[tuple[set[str], str]] = []

    class Asked(Exception):
        pass

    def ask(self: argparse.ArgumentParser, *_: object) -> None:
        named = [action for action in self._actions if "--format" in action.option_strings]
        found.extend((set(action.choices or ()), action.default) for action in named)
        raise Asked

    for name in ("parse_args", "parse_known_args"):
        monkeypatch.setattr(argparse.ArgumentParser, name, ask)
    run: Callable[[list[str]], object] = importlib.import_module(f"untied.cli.{command.replace('-', '_')}").COMMAND.main
    with contextlib.suppress(Asked):
        run([])
    return found[0] if found else (set(), "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_format_has_a_case(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for line in map(line_of, CASES) if line[:1] == [command]]
    assert lines, f"no file in golden_cli shows untied {command}"
    if command == "trec_eval":  # its options are its own
        return
    wanted, usual = formats(command, monkeypatch)
    used = {line[line.index("--format") + 1] if "--format" in line else usual for line in lines}
    if "auto" in used:
        used.add("tsv")  # what a pipe gets
    missing = wanted - used
    assert not missing, f"no file in golden_cli shows untied {command} --format {' or '.join(sorted(missing))}"


def parser_of(line: list[str]) -> tuple[Parser, list[str]] | None:
    """The parser of a command line, and its arguments."""
    command, *arguments = line
    if command not in COMMANDS or command == "trec_eval":
        return None
    module = importlib.import_module(f"untied.cli.{command.replace('-', '_')}")
    if command != "study":
        return module.COMMAND.arguments(), arguments
    return (module.arguments_parser(arguments[0]), arguments[1:]) if arguments and arguments[0] in STUDIES else None


def plain(made: Parser, arguments: list[str]) -> dict[str, object] | None:
    """What is read without argparse, if it is."""

    def refuse() -> FullParser:
        raise NotPlain

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(NotPlain):
        patch.setattr(made, "full", refuse)
        return vars(made.read(arguments))
    return None


def test_plain_arguments_are_read_as_argparse_reads_them() -> None:
    lines = [found for line in map(line_of, CASES) if line and (found := parser_of(line))]
    both = [(plain(made, arguments), made, arguments) for made, arguments in lines]
    assert sum(found is not None for found, *_ in both) > len(both) / 2
    for found, made, arguments in both:
        if found is not None:
            assert found == vars(made.full().parse_intermixed_args(arguments)), arguments


@pytest.mark.parametrize(
    "more",
    ["--ties=range", "--tie range", "-mAP", "-qm AP", "--", "--help", "--digits x", "--names other", "-m", "-m -x",
     "-1", "--digits -1", "--nope"],
)  # fmt: skip
def test_other_arguments_are_left_to_argparse(more: str) -> None:
    found = parser_of(["eval", "qrels", "run", *more.split()])
    assert found is not None
    assert plain(*found) is None
