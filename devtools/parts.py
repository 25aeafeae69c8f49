"""The parts of the project: which sources belong to each, and which tests a change to one needs.

A file belongs to the part with the longest of the paths that it begins with, and ``tests/NAME`` belongs to the part
NAME. ``tests/project/test_dev.py`` holds this to the project: every path exists, and every file has a part.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from devtools.environment import ROOT

CORE = "crates/untied-core/src/"
PYTHON = "python/untied/"


@dataclass(frozen=True)
class Part:
    """A part of the project."""

    #: Paths that its files begin with.
    sources: tuple[str, ...]
    #: Names of test files that a change needs besides those in its own folder: ``name`` is ``tests/*/test_name.py``.
    beside: str = ""
    #: Its modules of the core, as filters of the tests in Rust; none are all of them.
    modules: tuple[str, ...] = ()


#: Parts by name, in the order of ``ARCHITECTURE.md``.
PARTS = {
    "core": Part(
        (
            "crates/untied-core",
            f"{PYTHON}evaluation",
            f"{PYTHON}results",
            "tests/oracle",
            "tests/support/strategies.py",
            "tests/golden.json",
        ),
        "adjust batches bounds bounds_undefined distributions diversity names overlap",
    ),
    "read": Part((f"{CORE}read", f"{CORE}table"), "columns fuzz_readers streaming", ("read::", "table::")),
    "ranking": Part((f"{CORE}ranking",), "arrays compare example number_types numerics oracle worked", ("ranking::",)),
    "measures": Part(
        (f"{CORE}measures", f"{CORE}names", f"{CORE}registry", f"{PYTHON}measures", "devtools/generate.py"),
        "estimates generate large_ties levels oracle peers ranges sampled_ties worked",
        ("measures::", "names::", "registry::"),
    ),
    "compare": Part(
        (f"{CORE}similarity", f"{CORE}compare", f"{PYTHON}comparison"),
        "survives_undefined",
        ("similarity::", "compare::"),
    ),
    "difference": Part((f"{CORE}difference",), "certify compare_passages own_measures", ("difference::",)),
    "certify": Part((f"{CORE}certify", f"{PYTHON}verdicts"), "", ("certify::",)),
    "distributions": Part((f"{CORE}law", f"{CORE}measures/orders/law", f"{PYTHON}tie_orders"), "", ("law::",)),
    "arrays": Part((f"{CORE}arrays", f"{PYTHON}arrays"), "compare_arrays compat_sklearn number_types", ("arrays::",)),
    "features": Part((f"{CORE}features", f"{PYTHON}features"), "", ("features::", "letor::")),
    "statistics": Part(
        (f"{CORE}statistics", f"{PYTHON}statistics", f"{PYTHON}paper.py"), "aggregates equality", ("statistics::",)
    ),
    "trec_eval": Part(("crates/untied-trec-eval",)),
    "border": Part(("crates/untied-python", "crates/untied-arrow"), "arrays batches inputs"),
    "inputs": Part((f"{PYTHON}inputs",), "fuzz hostile pickling refused"),
    "judging": Part((f"{PYTHON}judging",)),
    "batches": Part((f"{PYTHON}batches", f"{PYTHON}spark.py")),
    "gate": Part((f"{PYTHON}gate",)),
    "conformance": Part(("conformance",)),
    "report": Part((f"{PYTHON}report",), "security web"),
    "study": Part((f"{PYTHON}study",)),
    "compat": Part((f"{PYTHON}compat",)),
    "cli": Part((f"{PYTHON}cli", f"{PYTHON}progress.py"), "columns fuzz"),
    "python": Part((PYTHON,), "defaults inputs pickling policies"),  # what all rooms share
    "web": Part(("crates/untied-wasm", "web", "devtools/web.py"), "live site"),
    "fuzz": Part(("crates/untied-fuzz", "fuzz")),
    "docs": Part(("docs", "docsite", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples"), "coming_from"),
    "project": Part(("",), "defaults"),
}

#: The folder of tests that a change of any code needs: reference values, arrows, and what every command prints.
ALWAYS = "across"


def tests_of(names: Iterable[str]) -> list[str]:
    """The test files that changes of these parts need, besides those of any change."""
    names = list(names)
    found = {path for name in names for path in tests_in(name)}
    wanted = {name for part in names for name in PARTS[part].beside.split()}
    return sorted(found | {path for path in tests_in("*") if Path(path).stem.removeprefix("test_") in wanted})


def tests_in(folder: str) -> set[str]:
    """The test files in a folder of ``tests``."""
    return {str(path.relative_to(ROOT)) for path in (ROOT / "tests").glob(f"{folder}/test_*.py")}


def part_of(path: str) -> str:
    """The part that a file belongs to."""
    lengths = {
        name: max((len(source) for source in (*part.sources, f"tests/{name}") if within(path, source)), default=-1)
        for name, part in PARTS.items()
    }
    return max(lengths, key=lambda name: lengths[name])


def within(path: str, source: str) -> bool:
    """Whether a file is a source or in its folder; a module of the core is a file, a folder, or both."""
    return source in ("", path) or path.startswith((source.rstrip("/") + "/", f"{source}.rs"))


def git(*command: str) -> list[str]:
    """Lines that git prints; none where it fails."""
    done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed() -> list[str]:
    """Files that differ from where this branch left the one that it follows, and new ones."""
    base = git("merge-base", "HEAD", "@{upstream}") or git("merge-base", "HEAD", "origin/main") or ["HEAD"]
    return sorted({*git("diff", "--name-only", base[0]), *git("ls-files", "--others", "--exclude-standard")})


@dataclass(frozen=True)
class Plan:
    """What a change needs."""

    parts: list[str]
    #: Crates with sources that changed, or that the parts hold.
    crates: list[str]
    #: Filters of the tests in Rust; none are all of them.
    modules: list[str]
    #: Test files.
    tests: list[str]


def plan(files: Iterable[str], names: Iterable[str] = ()) -> Plan:
    """What changed files need, or parts by name."""
    files = list(files)
    parts = sorted({*names, *map(part_of, files)}, key=list(PARTS).index)
    touched = [*files, *(source for name in names for source in PARTS[name].sources)]
    crates = sorted({path.split("/")[1] for path in touched if path.startswith("crates/")})
    modules = [module for name in parts for module in PARTS[name].modules]
    if any(
        source.startswith("crates/") and not PARTS[name].modules for name in parts for source in PARTS[name].sources
    ):
        modules = []
    tests = {*tests_of(parts), *tests_in(ALWAYS)} if parts else set()
    tests |= {path for path in files if Path(path).match("tests/*/test_*.py") and (ROOT / path).exists()}
    return Plan(parts, crates, modules, sorted(tests))
