"""Installed wheels, and what they print: README's example and the golden command lines, byte by byte.

``python3 release/trial.py FILE ...`` compares what wheels printed on several machines: files that
``build.py --outcomes`` wrote.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "tar2017"
GOLDEN = ROOT / "tests" / "golden_cli"
#: Values that need logarithms, powers and exponentials, with all their digits.
DIGITS = (
    "untied eval qrels.txt qut.run uos.run -m nDCG -m \"nDCG(gain='exp2')@10\" -m RBP -m \"AP(mean='geometric')\""
    " --ties range --variance -q --format json"
)


@dataclass(frozen=True)
class Outcome:
    """What came of a command line: all of it in bytes."""

    code: int
    output: bytes
    messages: bytes
    files: dict[str, bytes]

    @property
    def asks(self) -> bool:
        """Whether it stopped for want of another package."""
        return self.code == 2 and b": pip install " in self.messages


@dataclass
class Trial:
    """What a wheel printed somewhere."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    version: str = ""

    def __str__(self) -> str:
        asking = sum(outcome.asks for outcome in self.outcomes.values())
        done = len(self.outcomes) - asking
        return f"README's table, {done} command lines; {asking} ask for another package"

    def hashes(self) -> dict[str, str]:
        """A hash of what came of each command line, for comparison with other machines."""
        return {line: hashlib.sha256(repr(outcome).encode()).hexdigest() for line, outcome in self.outcomes.items()}


def compare(trials: dict[str, dict[str, str]]) -> None:
    """Stop unless all trials gave the same bytes: hashes by name and command line."""
    (first, reference), *others = trials.items() or [("", {})]
    differences = [
        f"{name} is unlike {first}: {line}"
        for name, hashes in others
        for line in sorted({*reference, *hashes})
        if hashes.get(line) != reference.get(line)
    ]
    if differences:
        sys.exit("\n".join(differences))
    if others:
        print(f"{len(reference)} command lines gave the same bytes in {len(trials)} trials: {'; '.join(trials)}")


class Environment:
    """Somewhere with a wheel and nothing else: no compiler, no other package."""

    def __init__(self, folder: Path, command: list[str], **variables: str) -> None:
        self.command = command
        self.variables = {"HOME": str(folder), "PYTHONUTF8": "1", **variables}
        self.data = folder / "data"
        for source in (EXAMPLE, GOLDEN / "data"):
            shutil.copytree(source, self.data, dirs_exist_ok=True)

    @classmethod
    def installed(cls, python: str, folder: Path, package: Path, *options: str, **building: str) -> Environment:
        """A virtual environment of a Python, with a wheel, or with what is built of a source distribution."""
        programs = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([python, "-m", "venv", "--without-pip", str(folder / "environment")], check=True)
        pip = (sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet")
        subprocess.run([*pip, *options, str(package)], check=True, env={**os.environ, **building})
        untied = shutil.which("untied", path=str(programs))
        # Windows has no programs without these.
        system = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}
        return cls(folder, [untied or str(programs / "untied")], PATH=str(programs), **system)

    @classmethod
    def emulated(cls, python: Path, folder: Path, wheel: Path) -> Environment:
        """A Python of another platform: the wheel is unpacked beside it, as pip does not run there."""
        zipfile.ZipFile(wheel).extractall(folder / "packages")
        paths = {"PATH": os.environ["PATH"], "PYTHONPATH": str(folder / "packages"), "PYTHONDONTWRITEBYTECODE": "1"}
        return cls(folder, [str(python), "-m", "untied"], **paths)

    def run(self, line: str) -> Outcome:
        """Run a command line where the inputs are; afterwards nothing is left of it."""
        before = set(self.data.rglob("*"))
        found = subprocess.run(
            [*self.command, *shlex.split(line)[1:]],
            cwd=self.data,
            env=self.variables,
            input=b"",
            capture_output=True,
            check=False,
        )
        written = sorted(set(self.data.rglob("*")) - before)
        files = {path.relative_to(self.data).as_posix(): path.read_bytes() for path in written if path.is_file()}
        for path in reversed(written):
            path.rmdir() if path.is_dir() else path.unlink()
        # How long it took is no result.
        said = re.sub(rb"; \d+\.\d s$", b"; TIME s", found.stderr, flags=re.MULTILINE)
        return Outcome(found.returncode, found.stdout, said, files)

    def trial(self) -> Trial:
        """Run README's example and all golden command lines; stop where one is not what it should be."""
        version = self.run("untied --version")
        if version.code:
            sys.exit(version.messages.decode(errors="replace"))
        trial = Trial(version=version.output.decode().strip())
        self.check_readme()
        for path in sorted(GOLDEN.glob("*.txt")):
            first, _, golden = path.read_text("utf-8").partition("\n")
            line = first.removeprefix("$ ")
            outcome = trial.outcomes[line] = self.run(line)
            if not outcome.asks and (problem := unlike_golden(outcome, golden)):
                sys.exit(f"{trial.version}: {first}\nis not what {path.name} says:\n{problem}")
        trial.outcomes[DIGITS] = self.run(DIGITS)
        if trial.outcomes[DIGITS].code:
            sys.exit(trial.outcomes[DIGITS].messages.decode())
        return trial

    def check_readme(self) -> None:
        """Stop if README's example does not print README's table."""
        expected = re.search(r"value \[lowest.*?(?=\n *\n|\n```)", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
        runs = " ".join(path.name for path in sorted(EXAMPLE.glob("*.run")))
        found = self.run(f"untied eval qrels.txt {runs} -m AP -m nDCG@10 -m RR --ties range --format table")
        shown = [line.strip() for line in found.output.decode().splitlines()]
        if not expected or shown != [line.strip() for line in expected[0].splitlines()]:
            told = (found.output + found.messages).decode(errors="replace")
            sys.exit(f"README's example does not print README's table:\n{told}")


def unlike_golden(outcome: Outcome, golden: str) -> str | None:
    """What a golden file does not say; nothing where it says all of it."""
    said = re.sub(r"untied \d+\.\d+\.\d+\S*", "untied VERSION", outcome.output.decode())
    said = re.sub(r'("untied": )"[^"]*"', r'\1"VERSION"', said)
    if f"[exit code]\n{outcome.code}\n" in golden and (not said or f"[output]\n{said}" in golden):
        return None
    return f"exit code {outcome.code}\n{said}{outcome.messages.decode(errors='replace')}"


if __name__ == "__main__":
    compare({name: hashes for path in sys.argv[1:] for name, hashes in json.loads(Path(path).read_text()).items()})
