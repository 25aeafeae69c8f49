"""Which lines and branches of each room the tests run, in Rust and in Python.

The core is built a second time, with counters, in a copy of the project. All tests add to the same counters: those in
Python, also of the core and of every process that they start, and those in Rust.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from devtools import parts
from devtools.copies import copy_sources, write
from devtools.environment import BIN, ROOT, attempt, variables

WORK = ROOT / "target" / "coverage"
TREE = WORK / "tree"
PROFILES = WORK / "profiles"
#: Crates whose tests in Rust count.
TESTED = ("untied-core", "untied-arrow", "untied-trec-eval")
#: What counts branches of Python, in every process.
PYTHON_COUNTS = f"""
[run]
branch = true
parallel = true
source = {TREE / "python" / "untied"}
data_file = {WORK / "python"}
patch = subprocess
disable_warnings = no-data-collected, module-not-imported
"""
#: A compiler that adds counters to this project's crates, and to no others.
COMPILER = '#!/bin/sh\nexec "$@" -C instrument-coverage -Z coverage-options=branch\n'


class Counts:
    """Lines and branches, and how many of them ran."""

    def __init__(self) -> None:
        self.lines = self.lines_run = self.branches = self.branches_run = 0

    def add(self, lines: Iterable[bool], branches: Iterable[bool]) -> None:
        """Add what ran and what did not."""
        lines, branches = list(lines), list(branches)
        self.lines += len(lines)
        self.lines_run += sum(lines)
        self.branches += len(branches)
        self.branches_run += sum(branches)


def coverage(names: list[str], processes: int) -> None:
    """Run the tests of all parts, or of some, and print the coverage of every room."""
    merge, export = tool("llvm-profdata"), tool("llvm-cov")  # now, because the tests take long
    copy_sources(TREE)
    shutil.rmtree(PROFILES, ignore_errors=True)
    for old in WORK.glob("python.*"):
        old.unlink()
    objects = build()
    run_python(parts.tests_of(names or parts.PARTS), processes)
    for program in objects[1:]:
        run_tests(program_of(program), (program, "--quiet"), TREE / "crates" / program_of(program))
    rooms: dict[str, Counts] = defaultdict(Counts)
    for path, lines, branches in (*of_rust(objects, merge, export), *of_python()):
        rooms[room_of(path)].add(lines, branches)
    print("| room | lines | run | branches | taken |\n|---|---|---|---|---|")
    for room, counts in sorted(rooms.items()):
        print(
            f"| `{room}` | {counts.lines:,} | {share(counts.lines_run, counts.lines)} "
            f"| {counts.branches:,} | {share(counts.branches_run, counts.branches)} |"
        )


def share(run: int, count: int) -> str:
    """A share for a table, never rounded up to all."""
    return f"{int(1000 * run / count) / 10:.1f} %" if count else ""


def room_of(path: str) -> str:
    """The folder or file below the sources that a file belongs to; other crates are rooms as a whole."""
    for start in (parts.CORE, parts.PYTHON):
        if path.startswith(start):
            return start + path.removeprefix(start).split("/")[0]
    return "/".join(path.split("/")[:2])


def environment() -> dict[str, str]:
    """The variables of processes that count: counts of all of them are added in a few files."""
    return variables() | {
        "LLVM_PROFILE_FILE": str(PROFILES / "%4m.profraw"),
        "PYTHONPATH": str(TREE / "python"),
        "UNTIED_SHARED": os.environ.get("UNTIED_SHARED", str(ROOT.parent / "shared")),
    }


def program_of(program: str) -> str:
    """The crate that a test program belongs to."""
    return Path(program).name.rpartition("-")[0].replace("_", "-")


def build() -> list[str]:
    """Build the core and the tests in Rust, with counters: the library, then the programs."""
    compiler = WORK / "compiler"
    write(compiler, COMPILER.encode())
    compiler.chmod(0o755)
    chosen = {
        "CARGO_TARGET_DIR": str(WORK / "cargo"),
        "PYO3_PYTHON": str(BIN / "python"),
        "RUSTC_BOOTSTRAP": "1",  # branches are counted by an unstable option
        "RUSTC_WORKSPACE_WRAPPER": str(compiler),
        "LLVM_PROFILE_FILE": os.devnull,
    }
    common = ("--profile", "quick", "--locked", "--message-format=json-render-diagnostics")
    crates = [part for crate in TESTED for part in ("-p", crate)]
    built: list[str] = []
    for command in (("build", "-p", "untied-python"), ("test", "--no-run", "--lib", *crates)):
        done = subprocess.run(
            ("cargo", *command, *common),
            cwd=TREE,
            env=variables() | chosen,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        messages = [json.loads(line) for line in done.stdout.splitlines()]
        for message in messages:
            if message.get("executable"):
                built.append(message["executable"])
            elif message["reason"] == "compiler-artifact" and message["target"]["name"] == "_core":
                built.append(message["filenames"][0])
    write(TREE / "python" / "untied" / "_core.abi3.so", Path(built[0]).read_bytes())
    return built


def run_python(tests: list[str], processes: int) -> None:
    """Run test files, each in a process of its own: one that ends in time has counted everything."""
    config = WORK / "coverage.ini"
    config.write_text(PYTHON_COUNTS, encoding="utf-8")

    def run_file(test: str) -> None:
        pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider", test)
        run_tests(test, (BIN / "python", "-m", "coverage", "run", f"--rcfile={config}", *pytest), TREE)

    with ThreadPoolExecutor(processes) as pool:
        list(pool.map(run_file, tests))
    subprocess.run((BIN / "python", "-m", "coverage", "combine", "-q", f"--rcfile={config}"), cwd=TREE, check=True)


def run_tests(name: str, command: Sequence[str | Path], folder: Path) -> None:
    """Run some tests, and say how long that took; one that fails has counted all the same."""
    start = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    print(f"{time.monotonic() - start:6.0f} s  {name}", flush=True)
    if done.returncode not in (0, 5):  # pytest's 5: all tests of a file are skipped
        print(f"{name} fails with counters:\n{(done.stdout + done.stderr)[-2000:]}", file=sys.stderr, flush=True)


def tool(name: str) -> str:
    """The path of a tool of LLVM, of the version that the compiler has; it is installed if it is missing."""
    sysroot = subprocess.run(
        ("rustc", "--print", "sysroot"), env=variables(), stdout=subprocess.PIPE, text=True, check=True
    )

    def installed() -> list[Path]:
        return sorted(Path(sysroot.stdout.strip()).glob(f"lib/rustlib/*/bin/{name}*"))

    if not installed():
        attempt("rustup", "component", "add", "llvm-tools")
    if not installed():
        sys.exit(f"there is no {name}: add the component llvm-tools to your Rust toolchain")
    return str(installed()[0])


Covered = tuple[str, list[bool], list[bool]]


def of_rust(objects: list[str], merge: str, export: str) -> Iterator[Covered]:
    """The lines and branches of every file in Rust, and whether they ran."""
    merged = WORK / "rust.profdata"
    profiles = [str(path) for path in PROFILES.glob("*.profraw")]
    subprocess.run((merge, "merge", "--sparse", *profiles, "-o", str(merged)), check=True)
    files = [objects[0], *(part for program in objects[1:] for part in ("-object", program))]

    def exported(kind: str) -> str:
        command = (export, "export", f"--format={kind}", f"--instr-profile={merged}", *files)
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    branches: dict[str, dict[tuple[int, ...], list[bool]]] = {}
    for file in json.loads(exported("text"))["data"][0]["files"]:
        places = branches[file["filename"]] = defaultdict(lambda: [False, False])
        for branch in file["branches"]:
            taken = places[tuple(branch[:4])]  # once for each type that a generic function has
            taken[0] |= branch[4] > 0
            taken[1] |= branch[5] > 0
    lines: dict[str, dict[int, bool]] = defaultdict(dict)
    name = ""
    for line in exported("lcov").splitlines():
        kind, _, rest = line.partition(":")
        if kind == "SF":
            name = rest
        elif kind == "DA":
            number, _, count = rest.partition(",")
            lines[name][int(number)] = int(count) > 0
    for name in sorted(lines):
        path = Path(name)
        if TREE not in path.parents or "tests" in path.stem:
            continue
        end = first_line_of_tests(path.read_text(encoding="utf-8"))
        yield (
            path.relative_to(TREE).as_posix(),
            [ran for line, ran in lines[name].items() if line < end],
            [ran for place, both in branches.get(name, {}).items() if place[0] < end for ran in both],
        )


def first_line_of_tests(source: str) -> int:
    """Where the tests at the end of a file begin; beyond its end if there are none."""
    found = re.search(r"^#\[cfg\(test\)\]\nmod \w+ \{", source, re.MULTILINE)
    return source.count("\n", 0, found.start()) + 1 if found else source.count("\n") + 2


def of_python() -> Iterator[Covered]:
    """The lines and branches of every file in Python, and whether they ran."""
    config = WORK / "coverage.ini"
    command = (BIN / "python", "-m", "coverage", "json", "-q", f"--rcfile={config}", "-o", WORK / "python.json")
    subprocess.run(command, cwd=TREE, check=True)
    for name, file in json.loads((WORK / "python.json").read_text(encoding="utf-8"))["files"].items():
        run = [len(file["executed_lines"]), len(file["missing_lines"])]
        taken = [len(file["executed_branches"]), len(file["missing_branches"])]
        path = (TREE / name).relative_to(TREE).as_posix()
        yield path, [True] * run[0] + [False] * run[1], [True] * taken[0] + [False] * taken[1]
