#!/usr/bin/env python3
"""Build the wheel and the source distribution into dist/, and hold them against a clean machine.

1. ``maturin`` builds both, ``twine check --strict`` reads their metadata.
2. For each Python from 3.11 on that is found here, the wheel is installed into an empty environment, from its file
   alone, with nothing but that environment on the path: no compiler, no Rust, no package. The example of README.md must
   print README's digits there, and all golden command lines (tests/golden_cli) what they are to print, but for those
   that ask for an extra.
3. The source distribution is built and installed where there is a toolchain, and must print the same.

``--quick`` leaves out the source distribution and all Pythons but this one. ``python3 dev.py release`` runs this in
.venv, ``python3 dev.py test`` the quick one.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
EXAMPLE = ROOT / "examples" / "tar2017"
GOLDEN = ROOT / "tests" / "golden_cli"
#: What a wheel must hold besides the extension.
HELD = ("untied/py.typed", "untied/_core.pyi", "/licenses/LICENSE", "/licenses/THIRD-PARTY.md")


def run(*command: str | Path, **options: object) -> None:
    """Run a command in the project's folder; stop if it fails."""
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, cwd=ROOT, **options)  # type: ignore[call-overload]


def build(quick: bool) -> list[Path]:
    """Build what is released; the wheel comes first."""
    for old in DIST.glob("untied-*"):
        old.unlink()
    run("maturin", "build", "--release", "--locked", "--quiet", "--out", DIST)
    if not quick:
        run("maturin", "sdist", "--out", DIST)
        run("twine", "check", "--strict", *DIST.glob("untied-*"))
    (wheel,) = DIST.glob("untied-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    missing = [held for held in HELD if not any(name.endswith(held) for name in names)]
    if missing:
        sys.exit(f"{wheel.name} lacks {', '.join(missing)}")
    for path in (found := [wheel, *DIST.glob("untied-*.tar.gz")]):
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB", flush=True)
    return found


def pythons() -> dict[str, str]:
    """Pythons from 3.11 on that can be had here: version and path, one of each."""
    folders = [*os.environ["PATH"].split(os.pathsep), *map(str, Path.home().glob(".pyenv/versions/*/bin"))]
    found: dict[str, str] = {}
    for path in (sys.executable, *(f"{folder}/python3.{n}" for n in range(11, 30) for folder in folders)):
        if Path(path).exists():
            ask = "import sys; print('%d.%d' % sys.version_info[:2])"
            told = subprocess.run([path, "-I", "-c", ask], capture_output=True, text=True, check=False)
            if told.returncode == 0:
                found.setdefault(told.stdout.strip(), path)
    return found


class Environment:
    """An empty environment of some Python, in which nothing but itself is on the path."""

    def __init__(self, python: str, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
        run(python, "-m", "venv", "--without-pip", folder / "environment")

    def install(self, package: Path, *options: str, **more: object) -> None:
        """Install a file."""
        pip = (sys.executable, "-m", "pip", "--python", self.bin / "python")
        run(*pip, "install", "--quiet", *options, package, **more)

    def told(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run one of its programs, where the inputs are."""
        program = shutil.which(command[0], path=str(self.bin)) or command[0]
        environment = {"PATH": str(self.bin), "HOME": str(self.folder), "PYTHONUTF8": "1"}
        return subprocess.run(
            [program, *command[1:]],
            cwd=self.folder / "data",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def smoke(self) -> str:
        """Run README's example and the golden command lines; what came of it."""
        data = self.folder / "data"
        for source in (EXAMPLE, GOLDEN / "data"):
            shutil.copytree(source, data, dirs_exist_ok=True)
        inputs = set(data.iterdir())
        version = self.told("untied", "--version").stdout.strip()
        expected = re.search(r"value \[lowest.*?(?=\n *\n|\n```)", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
        runs = [path.name for path in sorted(EXAMPLE.glob("*.run"))]
        measures = ["-m", "AP", "-m", "nDCG@10", "-m", "RR"]
        found = self.told("untied", "eval", "qrels.txt", *runs, *measures, "--ties", "range", "--format", "table")
        shown = [line.strip() for line in found.stdout.splitlines()]
        if not expected or shown != [line.strip() for line in expected[0].splitlines()]:
            sys.exit(f"{version}: README's example does not print README's table:\n{found.stdout}{found.stderr}")
        passed = extras = 0
        for path in sorted(GOLDEN.glob("*.txt")):
            first, _, golden = path.read_text("utf-8").partition("\n")
            found = self.told(*shlex.split(first.removeprefix("$ ")))
            for written in set(data.iterdir()) - inputs:
                shutil.rmtree(written) if written.is_dir() else written.unlink()
            if found.returncode == 1 and "install untied[" in found.stderr:
                extras += 1
                continue
            said = re.sub(r"untied \d+\.\d+\.\d+\S*", "untied VERSION", found.stdout)
            said = re.sub(r'("untied": )"[^"]*"', r'\1"VERSION"', said)
            if f"[exit code]\n{found.returncode}\n" not in golden or (said and f"[output]\n{said}" not in golden):
                sys.exit(f"{version}: {first}\nis not what {path.name} says:\n{found.stdout}{found.stderr}")
            passed += 1
        return f"{version}: README's table, {passed} golden command lines; {extras} ask for an extra"


def main() -> None:
    """Build, install, run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the wheel alone, in this Python")
    quick = parser.parse_args().quick
    wheel, *others = build(quick)
    told = []
    for version, python in pythons().items() if not quick else [("", sys.executable)]:
        with tempfile.TemporaryDirectory() as folder:
            environment = Environment(python, Path(folder))
            environment.install(wheel, "--no-index")
            told.append(f"{wheel.name} in Python {version} ({python}): {environment.smoke()}")
    for sdist in others:
        with tempfile.TemporaryDirectory() as folder:
            environment = Environment(sys.executable, Path(folder))
            environment.install(sdist, "--no-deps", env={**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")})
            told.append(f"{sdist.name}: {environment.smoke()}")
    print("", *told, sep="\n")


if __name__ == "__main__":
    main()
