"""Run the code of a page, and compare what it shows with what comes out.

Every fenced block has a language:

* ``console``: commands behind ``$``, each followed by what it writes to a terminal of 100 columns;
* ``sh``: commands that write nothing worth showing;
* ``python``: statements; a comment behind an expression is its value, unless it begins with a small letter;
* ``pycon``: a session with ``>>>``;
* ``text``: no code (a file, a formula).

Blocks of a page run one after the other in one folder, which has the repository's ``examples`` and the bundled runs
by names as people have them (``FILES``); its Python blocks share their names, but each imports what it uses, so that it
can be pasted. What a page needs and need not show
stands in a comment, ``<!-- python`` or ``<!-- sh``, up to a line ``-->``. A block that cannot run has a comment
before it, ``<!-- not run: reason -->``. ``...`` stands for anything.

``python -m docsite.examples PAGE...`` writes what comes out into the pages; with ``--check PAGE`` it tells as JSON what
differs and what is not run.
"""

from __future__ import annotations

import ast
import doctest
import io
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import termios
import tokenize
import traceback
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import untied
from docsite.navigation import ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

FENCE = re.compile(r"^( *)(```+)(\w*)[^\n]*\n(.*?)^ *\2 *$", re.M | re.S)
HIDDEN = re.compile(r"^<!-- (python|console|sh)\n(.*?)^-->$", re.M | re.S)
NOT_RUN = re.compile(r"<!-- not run: (.+?) -->\s*\Z")
INDENTED = re.compile(r"(?:\A|\n)\n {4}(?! *[-*\d])[^\n]+")
WIDTH = 100
FILES = {
    "qrels.txt": "qrels.txt",
    "bm25.run": "qut.run",
    "dense.run": "waterloo.run",
    "hybrid.run": "amc.run",
    "old.run": "qut.run",
    "new.run": "waterloo.run",
    "main.run": "qut.run",
}


@dataclass
class Block:
    """Code of a page, where it begins and ends there, and why it is not run."""

    language: str
    code: str
    start: int
    end: int
    indent: str = ""
    reason: str = ""
    hidden: bool = False


@dataclass
class Outcome:
    """What is wrong, the blocks that were left out by their reasons, and the page with what came out."""

    text: str
    wrong: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)


def blocks(text: str) -> list[Block]:
    """The blocks of a page in order."""
    found = []
    for fence in FENCE.finditer(text):
        indent, _, language, code = fence.groups()
        reason = NOT_RUN.search(text, 0, fence.start())
        code = "".join(line.removeprefix(indent) for line in code.splitlines(keepends=True))
        found.append(Block(language, code, fence.start(4), fence.end(4), indent, reason[1] if reason else ""))
    found += [Block(one[1], one[2], one.start(2), one.end(2), hidden=True) for one in HIDDEN.finditer(text)]
    return sorted(found, key=lambda block: block.start)


def run(page: Path) -> Outcome:
    """Run a page."""
    text = page.read_text(encoding="utf-8")
    outcome = Outcome(text)
    names: dict[str, Any] = {"__name__": "__page__", "untied": untied}
    parts, end = [], 0
    without = FENCE.sub(lambda fence: "\n" * fence.group().count("\n"), re.sub(r"<!--.*?-->", "", text, flags=re.S))
    for indented in INDENTED.finditer(without):
        outcome.wrong.append(
            f"an indented block, {indented.group().strip()!r}: put it between fences with its language"
        )
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("examples").symlink_to(ROOT / "examples")
        for name, file in FILES.items():
            Path(name).symlink_to(ROOT / "examples" / "tar2017" / file)
        shown = [block for block in blocks(text) if not block.hidden]
        elsewhere = {name for block in shown for name in imports(source(block))}
        for block in blocks(text):
            where = f"line {text.count(chr(10), 0, block.start)}"
            parts.append(text[end : block.start])
            end = block.end
            got, wrong = block.code, list[str]()
            if block.reason:
                outcome.not_run.append(block.reason)
            elif block.language == "console":
                got, wrong = console(block.code)
            elif block.language == "sh":
                written, status = on_terminal(f"set -e\n{block.code}")
                wrong = [f"exit code {status}\n{written}"] if status else []
            elif block.language == "python":
                got, wrong = python(block.code, names)
            elif block.language == "pycon":
                got, wrong = session(block.code, names)
            elif block.language != "text":
                wrong = [f"nobody knows how to run {block.language or 'a block without a language'}"]
            if not block.hidden:
                wrong += [f"{name} is not imported in this block" for name in not_imported(source(block), elsewhere)]
            outcome.wrong += [f"{where}: {line}" for line in wrong]
            parts.append(
                "".join(block.indent + line if line.strip() else line for line in got.splitlines(keepends=True))
            )
    outcome.text = "".join([*parts, text[end:]])
    return outcome


def imports(code: str) -> dict[str, str]:
    """Names that a block imports, with the statements that do it."""
    found = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for one in node.names:
                found[(one.asname or one.name).partition(".")[0]] = ast.unparse(node)
    return found


def source(block: Block) -> str:
    """A block's statements."""
    if block.language == "python":
        return block.code
    if block.language == "pycon":
        return "".join(example.source for example in doctest.DocTestParser().get_examples(block.code))
    return ""


def not_imported(code: str, elsewhere: Iterable[str]) -> list[str]:
    """Names that a block uses and another one imports: pasted alone, it would stop there."""
    names = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)} | {*imports(code)}
    return sorted({node.id for node in names if isinstance(node.ctx, ast.Load)} & {*elsewhere, "untied"} - bound)


def agree(want: str, got: str) -> bool:
    """Whether an output is the one shown; blanks at the ends of lines do not count."""
    want, got = ("".join(f"{line.rstrip()}\n" for line in one.splitlines()) for one in (want, got))
    return doctest.OutputChecker().check_output(want, got, doctest.ELLIPSIS)


def mismatch(what: str, want: str, got: str) -> str:
    """A difference to read."""
    return f"{what}\n--- shown\n{want}--- came out\n{got}"


def console(code: str) -> tuple[str, list[str]]:
    """Commands: the block with what they wrote, and what differs."""
    parts, wrong = [], []
    for command, want in re.findall(r"^\$ ((?:[^\n]*\\\n)*[^\n]*\n)((?:(?!\$ )[^\n]*\n)*)", code, re.M):
        got, status = on_terminal(command)
        got = "".join(f"{line.rstrip()}\n" for line in got.splitlines())
        same = agree(want, got)
        if not same:
            wrong.append(mismatch(f"$ {command.strip()}", want, got))
        if status:
            wrong.append(f"$ {command.strip()}: exit code {status}\n{got}")
        parts.append(f"$ {command}{want if same else got}")
    if not code.startswith("$ "):
        wrong.append(f"a block of commands begins with a dollar sign: {code[:60]!r}")
    return "".join(parts), wrong


def on_terminal(command: str) -> tuple[str, int]:
    """What a command writes to a terminal, and its exit code."""
    reader, writer = pty.openpty()
    termios.tcsetwinsize(writer, (24, WIDTH))
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    with subprocess.Popen(
        ["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=writer, stderr=writer, env=environment
    ) as process:
        os.close(writer)
        written = b""
        while True:
            try:
                piece = os.read(reader, 65536)
            except OSError:  # how a terminal ends on Linux
                break
            if not piece:
                break
            written += piece
        os.close(reader)
    return written.decode().replace("\r\n", "\n"), process.returncode


def python(code: str, names: dict[str, Any]) -> tuple[str, list[str]]:
    """Statements: the block with values in the comments, and what differs."""
    lines, wrong = code.splitlines(keepends=True), []
    comments = {
        token.start[0]: token
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type == tokenize.COMMENT
    }
    for statement in ast.parse(code).body:
        comment = comments.get(statement.end_lineno or 0)
        shown = comment.string.removeprefix("#").strip() if comment else ""
        compared = isinstance(statement, ast.Expr) and shown and not shown[0].islower()
        written = io.StringIO()
        try:
            with redirect_stdout(written):
                if compared and isinstance(statement, ast.Expr):
                    value = eval(compile(ast.Expression(statement.value), "<page>", "eval"), names)
                    if value is not None:
                        print(repr(value))
                else:
                    exec(compile(ast.Module([statement], []), "<page>", "exec"), names)
        except Exception:
            wrong.append(f"{ast.unparse(statement)}\n{traceback.format_exc(limit=-3)}")
            continue
        if compared and comment:
            got = " ".join(written.getvalue().split())
            if not agree(shown, got):
                wrong.append(mismatch(ast.unparse(statement), f"{shown}\n", f"{got}\n"))
                row, column = comment.start
                lines[row - 1] = f"{lines[row - 1][:column]}# {got}\n"
    return "".join(lines), wrong


def session(code: str, names: dict[str, Any]) -> tuple[str, list[str]]:
    """An interactive session: the block with what was written, and what differs."""
    parts, wrong = [], []
    for example in doctest.DocTestParser().get_examples(code):
        written = io.StringIO()
        try:
            with redirect_stdout(written):
                exec(compile(example.source, "<page>", "single"), names)
            got = written.getvalue()
            same = agree(example.want, got)
        except Exception as error:
            last = "".join(traceback.format_exception_only(error))
            got = f"Traceback (most recent call last):\n    ...\n{last}"
            same = example.exc_msg is not None and agree(example.exc_msg, last)
        if not same:
            wrong.append(mismatch(f">>> {example.source.strip()}", example.want, got))
        first, *rest = example.source.splitlines(keepends=True)
        parts += [f">>> {first}", *(f"... {line}" if line.strip() else "...\n" for line in rest)]
        parts.append(example.want if same else got)
    return "".join(parts), wrong


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        found = run(ROOT / sys.argv[2])
        print(json.dumps({"wrong": found.wrong, "not_run": found.not_run}))
        sys.exit()
    for name in sys.argv[1:]:
        outcome = run(Path(name).resolve())
        Path(name).write_text(outcome.text, encoding="utf-8")
        for line in outcome.wrong:
            print(f"{name}, {line}")
