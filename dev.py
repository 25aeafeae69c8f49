#!/usr/bin/env python3
"""Everything a developer runs: ``python3 dev.py COMMAND``.

Needs Python 3.11 or later and a C compiler. All else is installed into ``.venv``, Rust as well where there is none.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from devtools import coverage as counters
from devtools import parts, workflows
from devtools.environment import BIN, ROOT, attempt, install, install_rust, part, run, took
from devtools.web import QUICK, RELEASED, build_module, carry, compile_module, module_toolchain

EXAMPLE = ROOT / "examples" / "tar2017"
#: For Cargo: lint what is compiled for tests. To lint it on its own takes most of the time of compiling it.
LINTING = {"RUSTC_WORKSPACE_WRAPPER": "clippy-driver", "CLIPPY_ARGS": "-Dwarnings"}
# One process more than processors: there is always one that waits for a browser or for another program.
PYTEST = (BIN / "pytest", "-n", str((os.cpu_count() or 1) + 1), "--dist", "worksteal")


def compile_core(profile: str) -> None:
    """Compile the core and install the package, editable, into ``.venv``."""
    install("build")
    with part("build"):
        # Without a group named, maturin installs the group `dev`, which tests alone need.
        run(BIN / "maturin", "develop", "--profile", profile, "--locked", "--quiet", "--group", "build")
    carry()  # a module of older sources would make reports that differ from this core


def example() -> None:
    """Build, then evaluate the bundled runs: one of them has every score tied."""
    rebuild()
    runs = sorted(EXAMPLE.glob("*.run"))
    measures = ("-m", "AP", "-m", "nDCG@10", "-m", "RR")
    paths = [path.relative_to(ROOT) for path in (EXAMPLE / "qrels.txt", *runs)]
    run(BIN / "untied", "eval", *paths, *measures, "--ties", "range", "--format", "table")


def build(release: bool = False) -> None:
    """Compile the core and install the package, editable, into .venv: quickly, or with --release as it is released."""
    compile_core(profile(release))


def rebuild() -> None:
    """Build as what is installed was built, so that no other command puts a quick build in place of a release one."""
    release = is_released()
    if release:
        print("the installed build is a release one, which takes minutes to link; dev.py build makes a quick one")
    build(release)


def is_released() -> bool:
    """Whether the installed core was compiled as it is released."""
    if not (BIN / "python").exists():
        return False
    code = "import untied._core as core; raise SystemExit(core.OPT_LEVEL != '3')"
    command = (str(BIN / "python"), "-c", code)
    return subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL, check=False).returncode == 0


def profile(release: bool) -> str:
    """The profile in ``Cargo.toml``: what is released compiles for minutes, and gives the same numbers."""
    return "release" if release else "quick"


def lint() -> None:
    """Check formatting, lints and types; nothing is changed."""
    install("dev")
    with part("lints"):
        run("cargo", "fmt", "--check")
        run("cargo", "clippy", "--locked", "--all-targets", "--", "-D", "warnings")
    lint_package()
    lint_built()


def lint_package() -> None:
    """What is written in Python, and what both depend on."""
    with part("lints"):
        run(BIN / "ruff", "format", "--check", ".")
        run(BIN / "ruff", "check", ".")
        run(BIN / "mypy")
        run(BIN / "python", "release/third_party.py")
        workflows.lint()


def generate() -> None:
    """Build, and write what follows from the facts of measures: modules, objects in Python, tables of the docs."""
    run(sys.executable, "-m", "devtools.generate", "--modules")
    rebuild()
    run(BIN / "python", "-m", "devtools.generate")


def lint_built() -> None:
    """What has to agree with the compiled core: the stub, and what is generated."""
    with part("lints"):
        run(BIN / "stubtest", "untied._core", "--allowlist", "tests/stubtest-allowlist.txt")
        run(BIN / "python", "-m", "devtools.generate", "--check")


def docs() -> None:
    """Build, then make the documentation site in site/; a broken link is an error."""
    rebuild()
    build_module()
    install("docs")
    run(BIN / "python", "-m", "docsite.build")


def web(test: bool) -> None:
    """Build the core for browsers, and the page with it, in target/web/untied.html; --test tests both."""
    rebuild()
    if not build_module():
        sys.exit(1)
    run(BIN / "python", "-m", "devtools.web")
    if test:
        install("dev")
        run(BIN / "pytest", "tests/web/test_web.py")


def check(names: list[str]) -> None:
    """Lint, build quickly and test what changed since the branch began, or the parts that are named."""
    plan = parts.plan([] if names else parts.changed(), names)
    if not plan.parts:
        print("nothing has changed")
        return
    print("parts:", *plan.parts)
    install("dev")
    if plan.crates:
        try_core(plan.crates, plan.modules)
    build()
    lint_package()
    lint_built()
    with part("tests in Python"):
        run(*PYTEST, *plan.tests)


def test() -> None:
    """Run everything that must hold before a change lands: lints, then the tests of the core and of the package."""
    test_with(PYTEST, release=False)


def nightly(seed: int | None) -> None:
    """Run the tests on what is released, with ten times the random instances or more, from a seed."""
    seed = random.SystemRandom().randrange(10**9) if seed is None else seed
    try:
        test_with((*PYTEST, f"--hypothesis-seed={seed}"), release=True, UNTIED_NIGHTLY=str(seed))
    finally:
        print(f"the seed was {seed}: python3 dev.py nightly --seed {seed}")


def test_with(pytest: tuple[object, ...], release: bool, **variables: str) -> None:
    """Lint, build, and run all tests."""
    install_rust()
    # Two processors have work at any time. One pip at a time: maturin runs it too, and two spoil what both install.
    with ThreadPoolExecutor() as beside:
        core = beside.submit(try_core, **variables)
        install("dev")
        form = RELEASED if release else QUICK
        module = beside.submit(compile_module, module_toolchain(form), form)
        build(release)
        lint_package()
        module.result()
        core.result()
    lint_built()
    test_package(*map(str, pytest), **variables)
    with ThreadPoolExecutor() as beside:
        counted = beside.submit(count)
        with part("package"):
            run(BIN / "python", "release/build.py", "own", "--profile", profile(release))
        counted.result()


def try_core(crates: Sequence[str] = (), modules: Sequence[str] = (), **variables: str) -> None:
    """Lint and test what is written in Rust, or some crates of it, and some modules of the core."""
    quietly = ("--locked", "--quiet")
    with part("lints"):
        run("cargo", "fmt", "--check")
    with part("lints and tests in Rust"):
        if not crates or "untied-python" in crates:
            # Its tests are in Python. As a library for Rust, it links without Python's; .venv may not be there yet.
            module = ("-p", "untied-python", "--lib", "--crate-type", "rlib")
            run("cargo", "rustc", *module, *quietly, **LINTING, PYO3_PYTHON=sys.executable)
        each: list[tuple[str, ...]] = [("-p", crate) for crate in crates]
        for chosen in each or [()]:
            filters = modules if "untied-core" in chosen else ()
            run("cargo", "test", *quietly, *chosen, "--", *filters, **LINTING, **variables)


def test_package(*pytest: str, **variables: str) -> None:
    """Test the package; what fails runs once more, and pytest then explains why.

    Each process takes as long to prepare all assertions for that as to load the tests.
    """
    with part("tests in Python"):
        if attempt(*pytest, "--assert=plain", **variables):
            run(*pytest, "--last-failed", **variables)
            sys.exit("failed: tests that passed when they ran once more")


def count() -> None:
    """Count instructions, where there is valgrind."""
    if not shutil.which("valgrind"):
        print("instructions are not counted: there is no valgrind")
        return
    with part("instructions"):
        run(BIN / "python", "benchmarks/instructions.py")


def instructions() -> None:
    """Count the instructions of some commands under valgrind, against those that are recorded."""
    build(release=True)
    run(BIN / "python", "benchmarks/instructions.py")


def release(platforms: list[str], profile: str, outcomes: str | None) -> None:
    """Build what is released into dist/, for all platforms or some, audit it, and run it where this machine can."""
    install("release")
    if not build_module():
        sys.exit(1)  # wheels carry it
    more = ("--outcomes", outcomes) if outcomes else ()
    run(BIN / "python", "release/build.py", *platforms, "--profile", profile, *more)


def coverage(names: list[str], processes: int) -> None:
    """Count which lines and branches the tests run, of all parts or some, and print the shares of every room."""
    install("coverage")
    with part("coverage"):
        counters.coverage(names, processes)


def mutants(rooms: list[str], seeds: list[int], count: int, processes: int, only: list[str]) -> None:
    """Change the code of some rooms in small ways, one at a time, and print the changes that no test notices."""
    install("mutants")
    sample = ("--seed", *map(str, seeds), "--count", str(count), "--processes", str(processes), "--only", *only)
    run(BIN / "python", "-m", "devtools.mutants", *rooms, *sample)


COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__: command
    for command in (example, check, test, nightly, lint, build, generate, docs, web, instructions, release,
                    coverage, mutants)
}  # fmt: skip


def main() -> None:
    """Run one of the commands."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this file runs before anything is installed)
        sys.exit(f"Python 3.11 or later is needed, this is {sys.version.split()[0]}")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    known = ", ".join(parts.PARTS)
    options: dict[str, argparse.ArgumentParser] = {}
    for name, command in COMMANDS.items():
        options[name] = commands.add_parser(name, help=command.__doc__, description=command.__doc__)
        options[name].set_defaults(command=command)
    options["build"].add_argument("--release", action="store_true", help="optimise as for a release: takes minutes")
    options["web"].add_argument("--test", action="store_true", help="test what was built, in Chromium")
    for name in ("check", "coverage"):
        options[name].add_argument("names", nargs="*", choices=[*parts.PARTS, []], metavar="part", help=known)
    options["release"].add_argument(
        "platforms", nargs="*", metavar="TARGET", help="a platform as Rust calls it, or source"
    )
    options["release"].add_argument("--profile", default="release", help="quick compiles fast, for a first look")
    options["release"].add_argument("--outcomes", metavar="FILE", help="write hashes of what the wheels printed")
    options["nightly"].add_argument("--seed", type=int, help="draw from this seed")
    options["mutants"].add_argument(
        "--room", dest="rooms", nargs="+", required=True, help="folders of the core or package"
    )
    options["mutants"].add_argument(
        "--seed", dest="seeds", type=int, nargs="+", default=[1], help="draw a sample from each seed, for one build"
    )
    options["mutants"].add_argument("--count", type=int, default=40, help="mutants of each room")
    for name in ("coverage", "mutants"):
        options[name].add_argument("--processes", type=int, default=os.cpu_count() or 1, help="run as many at a time")
    options["mutants"].add_argument("--only", nargs="+", default=[], metavar="PATH:LINE", help="run some of the sample")
    chosen = vars(parser.parse_args())
    command = chosen.pop("command")
    try:
        command(**chosen)
    finally:
        if took:
            print("seconds by part, some at the same time:", ", ".join(f"{name} {took[name]:.0f}" for name in took))


if __name__ == "__main__":
    main()
