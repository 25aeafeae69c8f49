#!/usr/bin/env python3
"""Build the wheels and the source distribution into dist/, and hold them against a clean machine.

1. ``maturin`` builds them, ``twine check --strict`` reads their metadata. Wheels for Linux are linked by Zig against an
   old C library, `GLIBC`, whatever this machine has; ``auditwheel`` reads which versions of its symbols they need, and
   one that is younger is an error. A wheel is built for each of `TARGETS` that there is a Rust standard library for.
2. For each Python from 3.11 on that is found here, the wheel is installed into an empty environment, from its file
   alone, with nothing but that environment on the path: no compiler, no Rust, no package. The example of README.md must
   print README's digits there, and all golden command lines (tests/golden_cli) what they are to print, but for those
   that ask for another package. A wheel for other processors than this machine's is not run.
3. The source distribution is built and installed where there is a toolchain, and must print the same.
4. All must give the same values, to the last digit.

``--profile quick`` builds one wheel with that profile of Cargo.toml, by this machine's own tools, and runs it in this
Python. ``python3 dev.py release`` runs this in .venv, ``python3 dev.py test`` that one wheel.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
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
#: The oldest C library that wheels for Linux are to run with, as the tag says it: manylinux_2_17 is CentOS 7's.
GLIBC = "2_17"
#: Processors that wheels for Linux are for.
TARGETS = {"x86_64": "x86_64-unknown-linux-gnu", "aarch64": "aarch64-unknown-linux-gnu"}
#: What a wheel must hold besides the extension.
HELD = ("untied/py.typed", "untied/_core.pyi", "/licenses/LICENSE", "/licenses/THIRD-PARTY.md")


def run(*command: str | Path, **options: object) -> None:
    """Run a command in the project's folder; stop if it fails."""
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, cwd=ROOT, **options)  # type: ignore[call-overload]


def targets() -> list[str]:
    """Those of `TARGETS` that can be built for here."""

    def has_std(target: str) -> bool:
        command = ("rustc", "--print", "target-libdir", "--target", target)
        return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()).is_dir()

    for target in TARGETS.values():
        if not has_std(target):
            print(f"no wheel for {target}: rustup target add {target}")
    return [target for target in TARGETS.values() if has_std(target)]


def build(profile: str | None) -> None:
    """Build what is released, or one wheel with a profile."""
    for old in DIST.glob("untied-*"):
        old.unlink()
    command = ("maturin", "build", "--profile", profile or "release", "--locked", "--quiet", "--out", DIST)
    if profile:
        run(*command)
    else:
        for more in [("--zig", "--target", target) for target in targets()] if sys.platform == "linux" else [()]:
            run(*command, *more, "--compatibility", f"manylinux_{GLIBC}")
        run("maturin", "sdist", "--out", DIST)
        run("twine", "check", "--strict", *DIST.glob("untied-*"))
    for path in sorted(DIST.glob("untied-*")):
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB", flush=True)


def audit(wheel: Path, *, is_released: bool) -> None:
    """Stop if a wheel lacks something, or if it needs more of a machine than its name says."""
    names = zipfile.ZipFile(wheel).namelist()
    missing = [held for held in HELD if not any(name.endswith(held) for name in names)]
    if missing:
        sys.exit(f"{wheel.name} lacks {', '.join(missing)}")
    if is_released and sys.platform == "linux":
        command = ("auditwheel", "show", "--json", str(wheel))
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        if told["overall_tag"] not in wheel.name:
            sys.exit(f"{wheel.name} is {told['overall_tag']}: {told['versioned_symbols']} {told['external_libs']}")


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
        passed = asking = 0
        for path in sorted(GOLDEN.glob("*.txt")):
            first, _, golden = path.read_text("utf-8").partition("\n")
            found = self.told(*shlex.split(first.removeprefix("$ ")))
            for written in set(data.iterdir()) - inputs:
                shutil.rmtree(written) if written.is_dir() else written.unlink()
            if found.returncode == 1 and ": pip install " in found.stderr:
                asking += 1
                continue
            said = re.sub(r"untied \d+\.\d+\.\d+\S*", "untied VERSION", found.stdout)
            said = re.sub(r'("untied": )"[^"]*"', r'\1"VERSION"', said)
            if f"[exit code]\n{found.returncode}\n" not in golden or (said and f"[output]\n{said}" not in golden):
                sys.exit(f"{version}: {first}\nis not what {path.name} says:\n{found.stdout}{found.stderr}")
            passed += 1
        return f"{version}: README's table, {passed} golden command lines; {asking} ask for another package"

    def digits(self) -> str:
        """Values that need logarithms, powers and exponentials, with all their digits; after `smoke`."""
        measures = ["nDCG", "nDCG(gain='exp2')@10", "RBP", "AP(mean='geometric')"]
        options = ["--ties", "range", "--variance", "-q", "--format", "json"]
        found = self.told("untied", "eval", "qrels.txt", "qut.run", "uos.run", *options, *(f"-m{m}" for m in measures))
        if found.returncode:
            sys.exit(found.stderr)
        return found.stdout


def main() -> None:
    """Build, install, run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", metavar="NAME", help="one wheel with this profile, in this Python")
    profile = parser.parse_args().profile
    build(profile)
    wheels = sorted(DIST.glob("untied-*.whl"))
    for wheel in wheels:
        audit(wheel, is_released=not profile)
    told = []
    digits: dict[str, str] = {}

    def attempt(name: str, python: str, package: Path, *options: str, **more: object) -> None:
        with tempfile.TemporaryDirectory() as folder:
            environment = Environment(python, Path(folder))
            environment.install(package, *options, **more)
            told.append(f"{name}: {environment.smoke()}")
            digits[name] = environment.digits()

    (wheel,) = [wheel for wheel in wheels if len(wheels) == 1 or wheel.stem.endswith(platform.machine())]
    for version, python in pythons().items() if not profile else [("", sys.executable)]:
        attempt(f"{wheel.name} in Python {version} ({python})", python, wheel, "--no-index")
    for sdist in DIST.glob("untied-*.tar.gz"):
        environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")}
        attempt(sdist.name, sys.executable, sdist, "--no-deps", env=environment)
    if len(set(digits.values())) > 1:
        sys.exit(f"last digits differ between {', '.join(digits)}")
    print("", *told, *(f"{other.name}: not run here" for other in wheels if other != wheel), sep="\n")


if __name__ == "__main__":
    main()
