"""Rust modules know only those that ARCHITECTURE.md lists before them: no arrow goes up or round."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CRATES = sorted(file.parent.parent.name for file in ROOT.glob("crates/*/src/lib.rs"))
ORDERED = "untied-core"

COMMENT = re.compile(r"//.*")
# Modules of tests are the last item of a file or a file of their own.
TESTS_HERE = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{.*", re.MULTILINE | re.DOTALL)
TESTS_ELSEWHERE = re.compile(r"^#\[cfg\(test\)\]\nmod (\w+);", re.MULTILINE)
REEXPORT = re.compile(r"^pub use (\w+)::(\w+|\{[^}]*\});", re.MULTILINE)
PATH = re.compile(r"\b(crate|super)((?:::super)*)::(\w+|\{)")


def code(file: Path) -> str:
    """A file's text without comments and tests."""
    return TESTS_HERE.sub("", COMMENT.sub("", file.read_text(encoding="utf-8")))


def is_test(file: Path, source: Path) -> bool:
    """Whether a file, or a folder that it is in, is a module of tests."""
    for path in (file.with_suffix(""), *file.parents):
        if path == source:
            return False
        beside = (path.parent / "mod.rs", path.parent / "lib.rs", path.parent.with_suffix(".rs"))
        if any(path.name in TESTS_ELSEWHERE.findall(one.read_text()) for one in beside if one.exists()):
            return True
    return False


def first_names(group: str) -> Iterator[str]:
    """The first names of the paths in `a::b, c::{d, e}} ...`, up to the brace that closes the group."""
    depth, begins = 0, True
    for token in re.findall(r"\w+|[{},]", group):
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth < 0:
                return
        elif token == ",":
            begins = depth == 0
        elif begins:
            yield token
            begins = False


def paths(text: str, module: list[str]) -> Iterator[list[str]]:
    """Modules or items that the code of a module names, from the root of its crate."""
    for found in PATH.finditer(text):
        base = [] if found[1] == "crate" else module[: -1 - found[2].count("super")]
        names = first_names(text[found.end() :]) if found[3] == "{" else [found[3]]
        yield from ([*base, name] for name in names)


def arrows(crate: str) -> dict[tuple[str, str], set[str]]:
    """Which top module of a crate names which other one, and in which files."""
    source = ROOT / "crates" / crate / "src"
    root = code(source / "lib.rs")
    tops = set(re.findall(r"^(?:pub(?:\(crate\))? )?mod (\w+);", root, re.MULTILINE))
    items = {item: module for module, group in REEXPORT.findall(root) for item in re.findall(r"\w+", group)}
    found: dict[tuple[str, str], set[str]] = {}
    for file in sorted(source.rglob("*.rs")):
        if file.name == "lib.rs" or is_test(file, source):
            continue
        module = list(file.relative_to(source).with_suffix("").parts)
        module = module[:-1] if module[-1] == "mod" else module
        for path in paths(code(file), module):
            top = items.get(path[0], path[0])
            # What is in no module is an item of the root, which is above all modules and uses them all.
            if top in tops - {module[0]}:
                found.setdefault((module[0], top), set()).add(str(file.relative_to(source)))
    return found


def order() -> list[str]:
    """The modules in the order of ARCHITECTURE.md's table, lowest first."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.split("\n| module | what it does |\n|---|---|\n", 1)[1].split("\n\n", 1)[0]
    tops = [re.match(r"\| `(\w+)", row)[1] for row in table.splitlines()]  # type: ignore[index]
    return [top for place, top in enumerate(tops) if place == 0 or tops[place - 1] != top]


def test_every_module_stands_once_in_the_order() -> None:
    source = ROOT / "crates" / ORDERED / "src"
    modules = {path.stem for path in source.iterdir()} - {"lib"}
    assert sorted(order()) == sorted(modules)


def test_arrows_go_down() -> None:
    place = {module: number for number, module in enumerate(order())}
    up = {arrow: files for arrow, files in arrows(ORDERED).items() if place[arrow[0]] < place[arrow[1]]}
    wrong = [f"{a} -> {b}: {', '.join(sorted(files))}" for (a, b), files in sorted(up.items())]
    assert not wrong, "\n".join(["arrows that go up:", *wrong])


@pytest.mark.parametrize("crate", sorted(set(CRATES) - {ORDERED}))
def test_no_arrow_goes_round(crate: str) -> None:
    left = set(arrows(crate))
    while ends := {arrow for arrow in left if not any(other[0] == arrow[1] for other in left)}:
        left -= ends
    assert not left, f"arrows of circles: {sorted(left)}"
