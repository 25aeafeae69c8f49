"""What ``dev.py`` is made of: the parts of the project and their tests, and Rust where there is none."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import dev
from devtools import coverage as counters
from devtools import environment, mutants, parts, web
from devtools.mutants import package, rust, schemata

ROOT = Path(__file__).parents[2]
FILES = parts.git("ls-files")
TESTS = {path.stem.removeprefix("test_"): path.parent.name for path in (ROOT / "tests").rglob("test_*.py")}

needs_git = pytest.mark.skipif(not FILES, reason="not a clone")


@needs_git
def test_every_source_exists_and_every_file_has_a_part() -> None:
    sources = [source for part in parts.PARTS.values() for source in part.sources]
    assert len(sources) == len(set(sources))
    assert [source for source in sources if not any(parts.within(file, source) for file in FILES)] == []
    # What nothing names is the project's: none of the package's code.
    rest = [file for file in FILES if parts.part_of(file) == "project"]
    assert [file for file in rest if file.startswith(("crates/", "python/", "docs", "fuzz/"))] == []


def test_every_test_belongs_to_a_part() -> None:
    """Its folder is a part, or that of tests which any change needs; what a part needs besides is elsewhere."""
    assert {*TESTS.values()} <= {*parts.PARTS, parts.ALWAYS}
    assert len({path.stem for path in (ROOT / "tests").rglob("*.py")}) == len([*(ROOT / "tests").rglob("*.py")])
    for name, part in parts.PARTS.items():
        for test in part.beside.split():
            assert TESTS[test] not in (name, parts.ALWAYS), (name, test)


@pytest.mark.parametrize(
    ("file", "part"),
    [
        ("crates/untied-core/src/difference/solve/cells.rs", "difference"),
        ("crates/untied-core/src/evaluate/mod.rs", "core"),
        ("crates/untied-core/src/measures.rs", "measures"),
        ("crates/untied-core/src/measures_else.rs", "core"),
        ("crates/untied-python/src/lib.rs", "border"),
        ("python/untied/study/med.py", "study"),
        ("crates/untied-trec-eval/src/lib.rs", "trec_eval"),
        ("python/untied/evaluation/runs.py", "core"),
        ("python/untied/errors.py", "python"),
        ("docs/studies/README.md", "docs"),
        ("tests/oracle/binary.py", "core"),
        ("tests/conftest.py", "project"),
        ("tests/difference/test_med.py", "difference"),
        ("pyproject.toml", "project"),
    ],
)
def test_the_longest_path_decides(file: str, part: str) -> None:
    assert parts.part_of(file) == part


def test_what_a_change_needs() -> None:
    plan = parts.plan(["crates/untied-core/src/difference/solve/cells.rs", "tests/cli/test_cli.py"])
    assert plan.parts == ["difference", "cli"]
    assert plan.crates == ["untied-core"]
    assert plan.modules == ["difference::"]
    wanted = ("difference/test_med", "compare/test_compare_passages", "across/test_golden_cli", "cli/test_cli")
    assert {f"tests/{name}.py" for name in wanted} <= {*plan.tests}
    assert "tests/core/test_oracle.py" not in plan.tests
    # Of the core as a whole all tests in Rust run, whatever else has changed.
    assert parts.plan([], ["core", "difference"]).modules == []
    assert parts.plan(["python/untied/gate/rules.py"]).crates == []
    assert parts.plan([]) == parts.Plan([], [], [], [])


@needs_git
def test_changed_files_are_those_since_the_branch_and_new_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*command: str) -> None:
        identity = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        subprocess.run(["git", *command], cwd=tmp_path, env=os.environ | identity, check=True, capture_output=True)

    monkeypatch.setattr(parts, "ROOT", tmp_path)
    git("init", "-q", "-b", "main")
    (tmp_path / "old").write_text("1")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    assert parts.changed() == []
    git("checkout", "-q", "-b", "branch", "--track", "main")
    (tmp_path / "committed").write_text("1")
    git("add", ".")
    git("commit", "-q", "-m", "two")
    (tmp_path / "old").write_text("2")
    (tmp_path / "new").write_text("1")
    assert parts.changed() == ["committed", "new", "old"]


def test_where_rust_cannot_be_installed_the_command_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """An installer that fails, as it does where its host cannot be reached."""
    (tmp_path / "puccinialin.py").write_text("raise SystemExit('no route to host')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(environment, "BIN", Path(sys.executable).parent)
    monkeypatch.setattr(environment, "RUST_VARIABLES", tmp_path / "rust.json")
    monkeypatch.setattr(environment, "install_group", lambda group: None)
    with pytest.raises(SystemExit, match=r"Rust could not be installed.*\n.*rustup\.rs \| sh"):
        environment.install("build")
    assert "no route to host" in capfd.readouterr().err


def test_rust_that_was_installed_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "cargo"
    (home / "bin").mkdir(parents=True)
    cargo = home / "bin" / ("cargo.exe" if os.name == "nt" else "cargo")
    cargo.touch(0o755)
    variables = {"CARGO_HOME": str(home), "RUSTUP_HOME": str(tmp_path), "PATH": "that of another day"}
    (tmp_path / "rust.json").write_text(json.dumps({"env": variables}))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(environment, "RUST_VARIABLES", tmp_path / "rust.json")
    monkeypatch.setattr(environment, "install_group", lambda group: None)
    environment.install("build")  # installs nothing
    found = environment.variables()
    assert found["CARGO_HOME"] == str(home)
    assert found["PATH"].split(os.pathsep) == [str(environment.BIN), str(tmp_path), str(home / "bin")]


@pytest.mark.parametrize("larger", environment.HELD["build"])
def test_a_group_is_installed_once(larger: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The larger one holds it, by itself or through another, and its mark counts, unless it is one of other groups."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]

    def holds(name: str) -> bool:
        included = [one["include-group"] for one in groups[name] if isinstance(one, dict)]
        return "build" in included or any(map(holds, included))

    assert holds(larger)
    commands: list[object] = []
    monkeypatch.setattr(environment, "VENV", tmp_path)
    monkeypatch.setattr(environment, "BIN", tmp_path)
    monkeypatch.setattr(environment, "attempt", lambda *command: bool(commands.append(command)))
    (tmp_path / "pip").touch()
    environment.install_group(larger)
    assert commands
    commands.clear()
    environment.install_group("build")
    assert not commands
    (tmp_path / f"{larger}.installed").write_text("of another day")
    environment.install_group("build")
    assert commands


def test_python_keeps_what_it_compiles(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """It has to compile the package again in each of a thousand processes otherwise."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    environment.run(sys.executable, "-c", "import sys; print('keeps:', not sys.dont_write_bytecode)")
    assert capfd.readouterr().out.endswith("keeps: True\n")


@pytest.mark.parametrize(
    ("command", "profile", "form"), [(dev.test, "quick", "web-quick"), (lambda: dev.nightly(5), "release", "web")]
)
def test_all_tests_run_on_one_build(
    monkeypatch: pytest.MonkeyPatch, command: Callable[[], None], profile: str, form: str
) -> None:
    """A second one would take minutes; only the nightly run has the one that is released."""
    found = set()

    def run(*words: object, **_: str) -> None:
        found.update((Path(str(words[0])).name, b) for a, b in itertools.pairwise(words) if a == "--profile")

    monkeypatch.setattr(dev, "run", run)
    monkeypatch.setattr(dev, "attempt", lambda *_, **__: 0)
    monkeypatch.setattr(dev, "module_toolchain", lambda form: found.add(("module", form)))
    for name in ("install", "install_rust", "carry", "lint_package", "lint_built", "count"):
        monkeypatch.setattr(dev, name, lambda *_: None)
    command()
    # The package in .venv, the wheel, and the core for browsers.
    assert found == {("maturin", profile), ("python", profile), ("module", form)}


def test_a_module_that_compiles_fast_is_not_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests take a module of either profile; what is released is compiled anew if it was made for tests."""
    for name in ("MODULE", "STAMP", "CARRIED"):
        monkeypatch.setattr(web, name, tmp_path / name)
    monkeypatch.setattr(web, "sources", lambda: "of today")
    monkeypatch.setattr(web, "toolchain", lambda: web.Toolchain("cargo"))
    monkeypatch.setattr(web, "OUT", tmp_path)

    def compiled(*command: object, **_: str) -> None:
        profile = str(command[command.index("--profile") + 1])
        made = tmp_path / "cargo" / web.TARGET / profile / "untied_wasm.wasm"
        made.parent.mkdir(parents=True)
        made.write_text(profile)

    monkeypatch.setattr(web, "run", compiled)
    web.compile_module(web.module_toolchain(web.QUICK), web.QUICK)
    assert web.missing() is None
    assert web.module_toolchain(web.QUICK) is None
    assert "not as it is released" in str(web.missing(released=True))
    assert web.build_module()
    assert (web.missing(), web.missing(released=True)) == (None, None)
    assert web.module_toolchain(web.QUICK) is None
    assert gzip.decompress(web.CARRIED.read_bytes()) == web.MODULE.read_bytes() == b"web"
    monkeypatch.setattr(web, "sources", lambda: "of tomorrow")
    assert web.missing() == "the core has changed since it was built for browsers"


def test_a_build_installs_no_tools_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """maturin installs the group `dev` where no other one is named."""
    commands: list[tuple[object, ...]] = []
    for name in ("install", "carry"):
        monkeypatch.setattr(dev, name, lambda *_: None)
    monkeypatch.setattr(dev, "run", lambda *command, **_: commands.append(command))
    dev.build()
    assert [command[command.index("--group") + 1] for command in commands if "develop" in command] == ["build"]


def test_a_nightly_run_gives_its_seed_to_the_tests_of_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []

    def attempt(*command: object, **more: str) -> int:
        seeds.append((*command[:2], more.get("UNTIED_NIGHTLY")))
        return 0

    monkeypatch.setattr(dev, "attempt", attempt)
    monkeypatch.setattr(dev, "run", attempt)
    for name in ("install", "build", "install_rust", "lint_package", "lint_built", "count", "module_toolchain"):
        monkeypatch.setattr(dev, name, lambda *_, **__: None)
    dev.nightly(5)
    given = {Path(command).name for command, _, seed in seeds if seed == "5"}
    assert given == {"cargo", "pytest"}


@pytest.mark.skipif(shutil.which("clippy-driver") is None, reason="no Clippy on this machine")
def test_lints_are_errors_in_what_is_compiled_for_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Those of Clippy, those of the compiler, and a test that fails; each alone fails the command."""
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    package = 'name = "untied-core"\nversion = "0.1.0"\n'
    (tmp_path / "Cargo.toml").write_text(f'[package]\n{package}edition = "2024"\n')
    (tmp_path / "Cargo.lock").write_text(f"version = 4\n\n[[package]]\n{package}")
    (tmp_path / "src").mkdir()
    good = "/// One.\npub fn one() -> u8 {\n    1\n}\n\n#[test]\nfn one_is() {\n    assert_eq!(one(), 1);\n}\n"
    bad = {
        good.replace("    1\n", "    return 1;\n"): "unneeded `return` statement",
        good.replace("pub fn", "fn"): "function `one` is never used",  # but by its test
        good.replace("(), 1)", "(), 2)"): "left: 1",
    }
    for text, reason in bad.items():
        (tmp_path / "src" / "lib.rs").write_text(text)
        with pytest.raises(SystemExit, match=r"^failed \(101\): cargo test"):
            dev.try_core(["untied-core"])
        assert reason in "".join(capfd.readouterr())
    (tmp_path / "src" / "lib.rs").write_text(good)
    dev.try_core(["untied-core"])


def test_the_core_is_tested_while_packages_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyO3 asks a Python for its version, by default that of .venv, which a fresh clone does not have yet."""
    given = []
    monkeypatch.setattr(dev, "run", lambda *command, **more: given.append((command, more.get("PYO3_PYTHON"))))
    dev.try_core()
    assert [python for command, python in given if "untied-python" in command] == [sys.executable]


def test_tests_that_fail_run_once_more_and_the_command_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The second time, pytest explains the assertion; to pass only then is no success."""
    (tmp_path / "test_bad.py").write_text("def test_bad():\n    assert len('ab') == 3\n")
    (tmp_path / "test_late.py").write_text(
        "from pathlib import Path\n\ndef test_late():\n"
        "    seen = Path('seen').exists()\n    Path('seen').touch()\n    assert seen\n"
    )
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    command = (sys.executable, "-m", "pytest", "-q")
    with pytest.raises(SystemExit, match=r"^failed \(1\): "):
        dev.test_package(*command, "test_bad.py")
    explained = [line for line in capfd.readouterr().out.splitlines() if line.startswith("E ") and "where 2 =" in line]
    assert len(explained) == 1  # with CI set, pytest's summary says it once more
    with pytest.raises(SystemExit, match="passed when they ran once more"):
        dev.test_package(*command, "test_late.py")


@pytest.mark.skipif(os.name == "nt", reason="the programs it makes are shell scripts")
def test_what_compiles_for_browsers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rust that has the target, or rustup, which adds it; where neither can be had, one sentence says so."""
    library = tmp_path / "lib"
    scripts = {"rustc": f"echo {library}", "rustup": f"mkdir {library} && touch {library}/libstd-1.rlib"}
    for name, script in scripts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr(web, "missing", lambda released: "not built")
    monkeypatch.setattr(web, "has_sources", lambda _: False)
    monkeypatch.setattr(environment, "BIN", tmp_path)
    assert web.module_toolchain(web.RELEASED) == web.Toolchain("cargo")  # rustup added it
    assert web.module_toolchain(web.RELEASED) == web.Toolchain("cargo")
    shutil.rmtree(library)
    (tmp_path / "rustup").write_text("#!/bin/sh\nexit 1\n")
    capsys.readouterr()
    assert web.module_toolchain(web.RELEASED) is None
    assert capsys.readouterr().out.endswith(
        "the core is not built for browsers: this needs rustup target add wasm32-unknown-unknown, "
        "or apt-get install rustc-web cargo-web rust-web-src\n"
    )


def test_a_release_build_is_not_replaced_by_a_slower_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``dev.py docs`` and others put a quick build in place of one that had taken minutes, without a word."""
    for is_released, profile in ((True, "release"), (False, "quick")):
        built: list[str] = []
        monkeypatch.setattr(dev, "is_released", lambda known=is_released: known)
        monkeypatch.setattr(dev, "compile_core", built.append)
        monkeypatch.setattr(dev, "install", lambda *_: None)
        monkeypatch.setattr(dev, "build_module", lambda: True)
        monkeypatch.setattr(dev, "run", lambda *_, **__: None)
        dev.docs()
        dev.web(test=False)
        dev.example()
        assert built == [profile] * 3
        assert ("the installed build is a release one" in capsys.readouterr().out) == is_released


# ---------------------------------------------------------------------------------------------------------------------
# Mutants

COUNTED = b'''
LIMIT = 3


def counted(values, least=1):
    """How many values are at least so large."""
    count = 0
    for value in values:
        if value >= least and not value > LIMIT:
            count += 1
    values.clear()
    return count
'''

#: Every change of the function, with what it then returns of 1, 2, 3, 3 and 4, and how many of them are left.
MUTANTS = {
    "0 -> 1": (5, 0),
    "0 -> (-1)": (3, 0),
    "value >= least and not value > LIMIT -> (value >= least) or (not value > LIMIT)": (5, 0),
    "value >= least and not value > LIMIT -> not (value >= least and not value > LIMIT)": (1, 0),
    "value >= least -> (value) > (least)": (3, 0),
    "value >= least -> (value) < (least)": (0, 0),
    "not value > LIMIT -> value > LIMIT": (1, 0),
    "value > LIMIT -> (value) >= (LIMIT)": (2, 0),
    "value > LIMIT -> (value) <= (LIMIT)": (1, 0),
    "count += 1 -> count -= (1)": (-4, 0),
    "count += 1 -> pass": (0, 0),
    "1 -> 2": (8, 0),
    "1 -> (0)": (0, 0),
    "values.clear() -> pass": (4, 5),
    "count -> None": (None, 0),
}


def test_all_mutants_of_a_file_are_in_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    found = package.mutants_of("counted.py", COUNTED)
    numbered = dict(enumerate(found))
    chooser = SimpleNamespace(on=lambda number: number == chosen)
    monkeypatch.setitem(sys.modules, "untied_mutants", chooser)
    scope: dict[str, Any] = {}
    exec(schemata.render(COUNTED, numbered, package.choice), scope)
    results = {}
    for chosen in [-1, *numbered]:
        values = [1, 2, 3, 3, 4]
        change = numbered[chosen].change if chosen >= 0 else "none"
        results[change] = (scope["counted"](values), len(values))
    assert results == {"none": (4, 0), **MUTANTS}
    assert {mutant.code for mutant in found if mutant.line == 9} == {"if value >= least and not value > LIMIT:"}


def test_mutants_of_rust_are_values_statements_and_returns() -> None:
    pytest.importorskip("tree_sitter_rust", reason="python3 dev.py mutants installs it")
    source = b"""
const SIZE: usize = 4;
static EACH: fn(usize) -> bool = |size| size < SIZE;
#[cfg(test)]
mod tests { fn unseen() -> bool { 1 < 2 } }
fn least(values: &[f64; 2], from: usize) -> f64 {
    let mut sum = [0.5; 3];
    if let Some(value) = values.first() && from != 1 { sum[from] += value; }
    sum[from].min(values[1])
}
"""
    found = rust.mutants_of("least.rs", source)
    assert [mutant.change for mutant in found] == [
        "size < SIZE -> (size) <= (SIZE)",
        "size < SIZE -> (size) >= (SIZE)",
        "fn least returns 0.0",
        "fn least returns 1.0",
        "0.5 -> (1.5)",
        "0.5 -> (-0.5)",
        "from != 1 -> (from) == (1)",
        "1 -> 2",
        "1 -> 0",
        "sum[from] += value; -> nothing",
        "sum[from] += value; -> sum[from] -= value;",
        "sum[from].min(values[1]) -> sum[from].max(values[1])",
        "1 -> 2",
        "1 -> 0",
    ]
    text = schemata.render(source, dict(enumerate(found)), rust.choice)
    on = "if crate::mutants::on"
    assert (
        f"|size| ({on}(0) {{ (size) <= (SIZE) }} else {on}(1) {{ (size) >= (SIZE) }} else {{ size < SIZE }});" in text
    )
    assert f"-> f64 {{{on}(2) {{ return 0.0; }} else {on}(3) {{ return 1.0; }} else {{  }}" in text
    assert f"{on}(9) {{  }} else {on}(10) {{ sum[from] -= value; }} else {{ sum[from] += value; }}" in text
    assert "mod tests { fn unseen() -> bool { 1 < 2 } }" in text


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert mutants.wilson(36, 36) == pytest.approx((0.9036, 1), abs=5e-5)
    assert mutants.wilson(9, 10) == pytest.approx((0.5958, 0.9821), abs=5e-5)
    assert mutants.wilson(0, 0) == (0, 1)


def test_the_lines_of_tests_in_a_file_are_not_counted() -> None:
    assert counters.first_line_of_tests("fn one() {}\n#[cfg(test)]\nuse x;\n\n#[cfg(test)]\nmod tests {\n}\n") == 5
    assert counters.first_line_of_tests("fn one() {}\n") == 3


def test_a_reason_excuses_one_mutant_of_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.setattr(mutants, "EQUIVALENT", tmp_path / "equivalent.toml")
    source = tmp_path / "starts.py"
    source.write_text("def start(n):\n    return 0 if n > 0 else 1\n")
    code = 'file = "starts.py"\ncode = "return 0 if n > 0 else 1"\nchange = "0 -> 1"'

    def reasons(which: str) -> dict[mutants.Place, str]:
        (tmp_path / "equivalent.toml").write_text(f'[[mutant]]\n{code}\n{which}\nreason = "none"\n')
        return mutants.known_equivalents()

    # the zero that is returned, then the one in the condition
    zeros = sorted((one for one in mutants.mutants_in(source) if one.change == "0 -> 1"), key=lambda one: one.start)
    assert [[mutants.place_of(zero) in reasons(which) for zero in zeros] for which in ("", "which = 2")] == [
        [True, False],
        [False, True],
    ]
    assert [mutants.outdated(reasons(which), [source]) for which in ("", "which = 2", "which = 3")] == [
        [],
        [],
        [("starts.py", "return 0 if n > 0 else 1", "0 -> 1", 3)],
    ]


#: Mutants that wait for ever, need too much of a processor, fail a test, and survive.
ENDS = """
import signal
from devtools.mutants import plugin

def work(say):
    while True:
        pass

jobs = [("waits", lambda say: signal.pause(), 60, 0), ("works", work, 1, 600),
        ("fails", lambda say: say({"failed": "a test"}), 60, 600), ("survives", lambda say: None, 60, 600)]
for result in plugin.in_children(jobs):
    print(result["name"], *plugin.outcome_of(result))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
def test_a_mutant_that_only_the_clock_ends_is_not_killed(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"processes": 1}')
    variables = os.environ | {"UNTIED_MUTANTS_PLAN": str(tmp_path / "plan.json")}
    done = subprocess.run([sys.executable, "-c", ENDS], cwd=ROOT, env=variables, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "waits not ended ",
        "works killed limit of time",
        "fails killed a test",
        "survives survived ",
    ]


def test_a_mutant_of_two_samples_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = [mutants.sample("devtools", seed, 6) for seed in (1, 2)]
    rooms[1].drawn[1:1] = rooms[0].drawn[:2]
    refused = {rooms[0].drawn[1]}
    monkeypatch.setattr(mutants, "copy_sources", lambda tree, without: None)
    monkeypatch.setattr(mutants, "write_mutants", lambda drawn, numbered: None)
    monkeypatch.setattr(mutants, "refused_by_compiler", lambda numbered: refused & set(numbered.values()))
    numbered = mutants.compile_mutants(rooms, 6)
    assert [len(room.counted) for room in rooms] == [6, 6]
    assert [room.refused for room in rooms] == [1, 1]
    assert len(numbered) == len(set(numbered.values())) == 11  # they share one
