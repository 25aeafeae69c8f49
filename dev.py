#!/usr/bin/env python3
"""Everything a developer runs: ``python3 dev.py example | test | lint | build | docs | release | instructions``.

Needs Python 3.11 or later, a Rust toolchain and a C compiler. All else is installed into ``.venv``.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
EXAMPLE = ROOT / "examples" / "tar2017"


def run(*command: str | pathlib.Path) -> None:
    """Run a command in the project's folder; stop at the first failure."""
    print("+", *command, flush=True)
    environment = {
        **os.environ,
        "VIRTUAL_ENV": str(VENV),
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "PIP_QUIET": "1",
    }
    code = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment, check=False).returncode
    if code:
        sys.exit(f"failed ({code}): {' '.join(map(str, command))}")


def install(group: str) -> None:
    """Make ``.venv`` with the tools of a dependency group, unless that is done."""
    stamp = VENV / f"{group}.installed"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    if not (BIN / "pip").exists() and not (BIN / "pip.exe").exists():
        venv.create(VENV, with_pip=True)
    run(BIN / "python", "-m", "pip", "install", "--quiet", "--upgrade", "pip")
    run(BIN / "python", "-m", "pip", "install", "--quiet", "--group", group)
    stamp.write_text(wanted)


def build() -> None:
    """Compile the core and install the package, editable, into ``.venv``."""
    install("build")
    run(BIN / "maturin", "develop", "--release", "--locked", "--quiet")


def example() -> None:
    """Build, then evaluate the bundled runs: one of them has every score tied."""
    build()
    runs = sorted(EXAMPLE.glob("*.run"))
    measures = ("-m", "AP", "-m", "nDCG@10", "-m", "RR")
    paths = [path.relative_to(ROOT) for path in (EXAMPLE / "qrels.txt", *runs)]
    run(BIN / "untied", "eval", *paths, *measures, "--ties", "range", "--format", "table")


def lint() -> None:
    """Formatting, lints and types; no change is made."""
    install("dev")
    lint_core()
    lint_package()


def lint_core() -> None:
    """What is written in Rust."""
    run("cargo", "fmt", "--check")
    run("cargo", "clippy", "--locked", "--all-targets", "--", "-D", "warnings")


def lint_package() -> None:
    """What is written in Python, and what both depend on."""
    run(BIN / "ruff", "format", "--check", ".")
    run(BIN / "ruff", "check", ".")
    run(BIN / "mypy")
    run(BIN / "stubtest", "untied._core", "--allowlist", "tests/stubtest-allowlist.txt")
    run(BIN / "python", "release/third_party.py")


def docs() -> None:
    """Build, then make the documentation site in ``site``; a broken link is an error."""
    build()
    install("docs")
    run(BIN / "python", "-m", "docsite.build")


def test() -> None:
    """Everything that must hold before a change lands: lints, then the tests of the core and of the package."""
    install("dev")
    with ThreadPoolExecutor() as beside:
        # Linking the optimised core takes one processor for minutes; lints and tests of the core need nothing of it.
        built = beside.submit(build)
        lint_core()
        run("cargo", "test", "--locked", "--quiet")
        built.result()
    lint_package()
    run(BIN / "pytest", "-n", "auto", "--dist", "worksteal")
    if shutil.which("valgrind"):
        run(BIN / "python", "benchmarks/instructions.py")
    else:
        print("instructions are not counted: there is no valgrind")
    run(BIN / "python", "release/build.py", "--quick")


def instructions() -> None:
    """Count the instructions of some commands under valgrind, against those that are recorded."""
    build()
    run(BIN / "python", "benchmarks/instructions.py")


def release() -> None:
    """Build what is released into dist/, and try it in every Python that is found."""
    install("release")
    run(BIN / "python", "release/build.py")


COMMANDS = {
    "example": example,
    "test": test,
    "lint": lint,
    "build": build,
    "docs": docs,
    "release": release,
    "instructions": instructions,
}


def main() -> None:
    """Run one of the commands."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this file runs before anything is installed)
        sys.exit(f"Python 3.11 or later is needed, this is {sys.version.split()[0]}")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    COMMANDS[parser.parse_args().command]()


if __name__ == "__main__":
    main()
