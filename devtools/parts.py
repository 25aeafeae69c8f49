"""The parts of the project: which sources belong to each, and which tests a change to one needs.

A file belongs to the part with the longest of the paths that it begins with. ``tests/test_dev.py`` holds this to the
project: every path exists, every file has a part, and every test file is named by one.
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
    #: Its test files, as in ``tests/test_<name>.py``.
    tests: str
    #: Its modules of the core, as filters of the tests in Rust; none are all of them.
    modules: tuple[str, ...] = ()


#: Parts by name, in the order of ``ARCHITECTURE.md``.
PARTS = {
    "core": Part(
        ("crates/untied-core", f"{PYTHON}evaluation", f"{PYTHON}results", "tests/oracle", "tests/strategies.py",
         "tests/golden.json"),
        "aggregates curves defaults determinism equality example levels names oracle ranges refused results"
        " streaming worked writing",
    ),
    "read": Part(
        (f"{CORE}read", f"{CORE}table"),
        "columns faults formats fuzz_readers hostile malformed_lines memory number_types parquet reading streaming",
        ("read::", "table::"),
    ),
    "ranking": Part(
        (f"{CORE}ranking",),
        "arrays compare example number_types numerics oracle sampled_ties worked",
        ("ranking::",),
    ),
    "measures": Part(
        (f"{CORE}measures", f"{CORE}names", f"{CORE}registry", f"{PYTHON}measures", "devtools/generate.py"),
        "bounds bounds_one_grade bounds_undefined possible_grades diversity docs estimates generate large_ties levels"
        " measure_help names ntcir numerics oracle own_measures peers ranges sampled_pools sampled_ties worked",
        ("measures::", "names::", "registry::"),
    ),
    "compare": Part(
        (f"{CORE}similarity", f"{CORE}compare", f"{PYTHON}comparison"),
        "compare compare_arrays compare_passages compare_reports correlation ranked survives_undefined",
        ("similarity::", "compare::"),
    ),
    "difference": Part(
        (f"{CORE}difference",),
        "compare_passages med med_assignment med_expected med_general med_subtopics med_ties med_trec8 med_worked",
        ("difference::",),
    ),
    "certify": Part(
        (f"{CORE}certify", f"{PYTHON}verdicts"),
        "certificate certify certify_beside certify_lattice certify_sample joint_bounds",
        ("certify::",),
    ),
    "distributions": Part(
        (f"{CORE}law", f"{CORE}measures/orders/law", f"{PYTHON}tie_orders"), "adjust distributions", ("law::",)
    ),
    "arrays": Part(
        (f"{CORE}arrays", f"{PYTHON}arrays"), "arrays compare_arrays compat_sklearn number_types", ("arrays::",)
    ),
    "features": Part((f"{CORE}features", f"{PYTHON}features"), "features", ("features::", "letor::")),
    "statistics": Part(
        (f"{CORE}statistics", f"{PYTHON}statistics", f"{PYTHON}paper.py"),
        "aggregates equality paper statistics survives_undefined",
        ("statistics::",),
    ),
    "trec_eval": Part(("crates/untied-trec-eval",), "trec8 trec_eval trec_eval_prefs"),
    "border": Part(
        ("crates/untied-python", "crates/untied-arrow"), "arrays batches forks frames inputs pickling threads"
    ),
    "inputs": Part(
        (f"{PYTHON}inputs",),
        "columns fuzz hostile inputs inputs_table overlap partial_order pickling refused run_names",
    ),
    "judging": Part((f"{PYTHON}judging",), "estimates judging sample"),
    "batches": Part((f"{PYTHON}batches", f"{PYTHON}spark.py"), "batches spark"),
    "gate": Part((f"{PYTHON}gate",), "gate gate_adversary gate_table"),
    "conformance": Part(("conformance",), "conformance"),
    "report": Part((f"{PYTHON}report",), "live report report_words security"),
    "study": Part(
        (f"{PYTHON}study",),
        "study study_agreement study_example study_judging study_med study_notes study_pools study_resumed study_ties",
    ),
    "compat": Part(
        (f"{PYTHON}compat",),
        "coming_from compat_ir_measures compat_irm_edges compat_pytrec_eval compat_sklearn compat_trainers"
        " compat_pytrec_edges compat_trainers_edges hosts peers",
    ),
    "cli": Part(
        (f"{PYTHON}cli", f"{PYTHON}progress.py"),
        "cli cli_notes columns fuzz habits policies progress security shells slips unused_options",
    ),
    "python": Part((PYTHON,), "defaults inputs pickling policies typing"),  # what all rooms share
    "web": Part(("crates/untied-wasm", "web", "devtools/web.py"), "live site web"),
    "fuzz": Part(("crates/untied-fuzz", "fuzz"), "fuzz fuzz_readers"),
    "docs": Part(
        ("docs", "docsite", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples"),
        "coming_from notebooks pages site",
    ),
    "project": Part(("",), "benchmarks defaults dev release third_party"),
}  # fmt: skip

#: Tests that a change of any code needs: reference values, and what every command prints.
ALWAYS = ("arrows", "golden", "golden_cli", "rooms")


def part_of(path: str) -> str:
    """The part that a file belongs to."""
    lengths = {
        name: max((len(source) for source in part.sources if within(path, source)), default=-1)
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
    tests = {test for name in parts for test in (*PARTS[name].tests.split(), *ALWAYS)}
    found = {f"tests/test_{test}.py" for test in tests}
    found |= {path for path in files if Path(path).match("tests/test_*.py") and (ROOT / path).exists()}
    return Plan(parts, crates, modules, sorted(found))
