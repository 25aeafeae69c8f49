"""Completion as users meet it: shells that read the script and are sent the tab key."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

#: Lines and what they become, but for the blank behind a word that is complete.
CASES = {
    "untied ev": "untied eval",
    "untied eval --sort": "untied eval --sort-by",
    "untied eval --ties ra": "untied eval --ties range",
    "untied eval --score-dtype=f": "untied eval --score-dtype=float",
    "untied eval --ties=exp": "untied eval --ties=expected",
    "untied compare --ties exp": "untied compare --ties expected",
    "untied eval judgments runs --format js": "untied eval judgments runs --format json",
    "untied eval --sort-by wi": "untied eval --sort-by width",
    "untied eval -m nDC": "untied eval -m nDCG",
    "untied eval -m BPM": "untied eval -m BPM@10",
    "untied compare -m Weighted": "untied compare -m Weighted",
    "untied compare -m WeightedK": "untied compare -m WeightedKendall",
    "untied measures BPM": "untied measures BPM@10",
    "untied study ag": "untied study agreement",
    "untied study med --plots p": "untied study med --plots png",
    "untied study med --rest": "untied study med --restart",
    "untied completion z": "untied completion zsh",
    "untied eval jud": "untied eval judgments",
    "untied eval -o jud": "untied eval -o judgments",
    "untied study med jud": "untied study med judgments",
    "untied trec_eval jud": "untied trec_eval judgments",
    "untied eval fol": "untied eval folder/",
    "untied eval folder/a": "untied eval folder/a\\ b.run",
}  # fmt: skip
#: What makes a shell read the script, and print and clear the line it has at Ctrl-T.
READY = {
    "bash": """\
bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; bind 'set show-all-if-ambiguous on'
bind -x '"\\C-t": printf "<%s>\\n" "$READLINE_LINE"; READLINE_LINE='
""",
    "zsh": """\
autoload -U compinit; compinit -u -D; unsetopt beep zle_bracketed_paste
show() { print -r -- "<$BUFFER>"; BUFFER= }; zle -N show; bindkey '^T' show
""",
}
START = {"bash": ["bash", "--norc", "-i"], "zsh": ["zsh", "-f", "-i"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("shells")
    (made / "folder").mkdir()
    for name in ("judgments", "folder/a b.run"):
        (made / name).touch()
    for shell in ("bash", "zsh", "fish"):
        with (made / f"script.{shell}").open("w", encoding="utf-8") as script:
            code = f"from untied.cli import main; main(['completion', '{shell}'])"
            subprocess.run([sys.executable, "-c", code], stdout=script, check=True)
    return made


class Shell:
    """A shell at a terminal."""

    def __init__(self, name: str, folder: Path) -> None:
        self.terminal, other = pty.openpty()
        termios.tcsetwinsize(other, (50, 200))
        self.process = subprocess.Popen(
            START[name], stdin=other, stdout=other, stderr=other, cwd=folder, start_new_session=True,
            env={**os.environ, "TERM": "dumb", "PS1": "% ", "HOME": str(folder)},
        )  # fmt: skip
        os.close(other)
        self._send(f"{READY[name]}source ./script.{name}; echo read''y\n")
        self._until("ready")

    def _send(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def _until(self, end: str) -> str:
        written, last = "", time.monotonic() + 30
        while end not in written:
            ready, _, _ = select.select([self.terminal], [], [], last - time.monotonic())
            assert ready, f"the shell printed no {end!r}: {written!r}"
            written += os.read(self.terminal, 65536).decode(errors="replace")
        return written

    def completed(self, line: str) -> str:
        self._send(f"{line}\t\x14")
        return self._until(">").rpartition("<")[2].partition(">")[0]

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)


@pytest.fixture(scope="module", params=sorted(START))
def shell(request: pytest.FixtureRequest, folder: Path) -> Iterator[Shell]:
    if shutil.which(request.param) is None:
        pytest.skip(f"needs {request.param}")
    started = Shell(request.param, folder)
    yield started
    started.end()


@pytest.mark.parametrize("line", CASES)
def test_the_tab_key_completes(shell: Shell, line: str) -> None:
    assert shell.completed(line).rstrip(" ") == CASES[line]


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_completes(folder: Path) -> None:
    asked = "".join(f"complete -C '{line}'; echo ';'; " for line in CASES)
    written = subprocess.run(
        ["fish", "--no-config", "-c", f"source script.fish; {asked}"],
        cwd=folder, env={**os.environ, "HOME": str(folder)}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    blocks = [block.split("\n") for block in written.split("\n;\n")]
    for (line, full), block in zip(CASES.items(), blocks, strict=False):
        words = [word for row in block if (word := row.partition("\t")[0]).startswith(line.rpartition(" ")[2])]
        completed = full.replace("\\ ", "\\").split(" ")[-1].replace("\\", " ")
        assert words == [completed] or (len(words) > 1 and all(word.startswith(completed) for word in words)), line
