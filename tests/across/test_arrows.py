"""Rust crates and modules know only those that ARCHITECTURE.md says: no arrow goes up or round."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CRATES = sorted(file.parent.parent.name for file in ROOT.glob("crates/*/src/lib.rs"))
ORDERED = "untied-core"

# Circles of files that are still there, and why; an entry has to go as soon as its circle has gone.
KNOWN: dict[str, str] = {}

Module = tuple[str, ...]

COMMENT = re.compile(r"//.*")
# Modules of tests are the last item of a file or a file of their own.
TESTS_HERE = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{.*", re.MULTILINE | re.DOTALL)
TESTS_ELSEWHERE = re.compile(r"^#\[cfg\(test\)\]\n(?:pub\S* )?mod (\w+);", re.MULTILINE)
REEXPORT = re.compile(r"^pub use (\w+)::(\w+|\{[^}]*\});", re.MULTILINE)
# Systems round these in their own ways; so does Windows a power whose exponent does not stand in the code.
ROUNDED = re.compile(
    r"\.(?:ln|ln_1p|log|log2|log10|exp|exp2|exp_m1|powf|powi|cbrt|hypot|mul_add|gamma|ln_gamma|erf|a?sinh?|a?cosh?|a?tanh?"
    r"|atan2|sin_cos)\((?!-?\d+\))"
)
PATH = re.compile(r"\b(crate|super)((?:::super)*)((?:::\w+)*)(::\{)?")


def code(file: Path) -> str:
    """A file's text without comments and tests."""
    return TESTS_HERE.sub("", COMMENT.sub("", file.read_text(encoding="utf-8")))


def modules(crate: str) -> dict[Module, Path]:
    """Files of a crate by the paths of their modules, without the root and modules of tests."""
    source = ROOT / "crates" / crate / "src"
    found = {}
    for file in sorted(source.rglob("*.rs")):
        module = file.relative_to(source).with_suffix("").parts
        found[module[:-1] if module[-1] == "mod" else module] = file
    del found["lib",]
    tests = [(*above, name) for above, file in found.items() for name in TESTS_ELSEWHERE.findall(file.read_text())]
    return {module: file for module, file in found.items() if not any(module[: len(test)] == test for test in tests)}


def beginnings(group: str) -> Iterator[Module]:
    """How the paths in `a::b, c::{d, e}} ...` begin, up to the brace that closes the group."""
    depth, begins = 0, True
    for token in re.findall(r"\w+(?:::\w+)*|[{},]", group):
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth < 0:
                return
        elif token == ",":
            begins = depth == 0
        elif begins:
            yield tuple(token.split("::"))
            begins = False


def paths(text: str, module: Module) -> Iterator[Module]:
    """Modules or items that the code of a module names, from the root of its crate."""
    for found in PATH.finditer(text):
        base = () if found[1] == "crate" else module[: -1 - found[2].count("super")]
        base += tuple(found[3].split("::")[1:])
        yield from (base + rest for rest in beginnings(text[found.end() :])) if found[4] else [base]


def arrows(crate: str) -> set[tuple[Module, Module]]:
    """Which module of a crate names which other one; the root is above all and uses them all."""
    files = modules(crate)
    root = code(ROOT / "crates" / crate / "src" / "lib.rs")
    items = {item: module for module, group in REEXPORT.findall(root) for item in re.findall(r"\w+", group)}
    found = set()
    for module, file in files.items():
        for path in paths(code(file), module):
            named = (items[path[0]],) if path and path[0] in items else path
            while named and named not in files:
                named = named[:-1]
            if named and named != module:
                found.add((module, named))
    return found


def between_tops(crate: str) -> dict[tuple[Module, Module], list[str]]:
    """Arrows between top modules, with the files that they begin in."""
    found: dict[tuple[Module, Module], list[str]] = {}
    for a, b in sorted(arrows(crate)):
        if a[0] != b[0]:
            found.setdefault((a[:1], b[:1]), []).append("/".join(a))
    return found


def circles(arrows: set[tuple[Module, Module]]) -> set[str]:
    """The modules of each circle."""
    reached: dict[Module, set[Module]] = {}
    for start in {a for a, _ in arrows}:
        seen, left = set(), [start]
        while left:
            new = {b for a, b in arrows if a == left[-1]} - seen
            left = left[:-1] + sorted(new)
            seen |= new
        reached[start] = seen
    rounds = {start: {one for one in seen if start in reached.get(one, ())} for start, seen in reached.items()}
    return {" ".join(sorted("/".join(module) for module in circle)) for circle in rounds.values() if circle}


def table(head: str) -> list[list[str]]:
    """The cells of the table in ARCHITECTURE.md with this head."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = text.split(f"\n{head}\n", 1)[1].split("\n\n", 1)[0].splitlines()[1:]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]


def order() -> list[str]:
    """The modules in the order of ARCHITECTURE.md's table, lowest first."""
    tops = [re.findall(r"^`(\w+)", row[0])[0] for row in table("| module | what it does |")]
    return [top for place, top in enumerate(tops) if place == 0 or tops[place - 1] != top]


def crates_named(crate: str) -> set[str]:
    """The crates of the workspace that a crate's code names; its tests too, but not its comments."""
    sources = [COMMENT.sub("", file.read_text(encoding="utf-8")) for file in (ROOT / "crates" / crate).rglob("*.rs")]
    found = {name.replace("_", "-") for source in sources for name in re.findall(r"\buntied_\w+", source)}
    return found & set(CRATES) - {crate}


def crates_needed(crate: str) -> set[str]:
    """The crates of the workspace that a crate's manifest asks for."""
    manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8"))
    return {name for kind, names in manifest.items() if kind.endswith("dependencies") for name in names} & set(CRATES)


def test_crates_know_those_that_are_listed() -> None:
    listed = {row[0].strip("`"): re.findall(r"`([\w-]+)`", row[1]) for row in table("| crate | uses | what it holds |")}
    assert sorted(listed) == CRATES
    above: set[str] = set()
    for crate, known in listed.items():
        assert set(known) <= above, f"{crate} knows a crate below it"
        assert crates_named(crate) == crates_needed(crate) == set(known), crate
        above.add(crate)


def test_every_module_stands_once_in_the_order() -> None:
    assert sorted(order()) == sorted({module[0] for module in modules(ORDERED)})


def test_arrows_go_down() -> None:
    place = {module: number for number, module in enumerate(order())}
    up = {(a, b): files for ((a,), (b,)), files in between_tops(ORDERED).items() if place[a] < place[b]}
    wrong = [f"{a} -> {b}: {', '.join(files)}" for (a, b), files in up.items()]
    assert not wrong, "\n".join(["arrows that go up:", *wrong])


@pytest.mark.parametrize("crate", CRATES)
def test_top_modules_form_no_circle(crate: str) -> None:
    assert not circles(set(between_tops(crate)))


def test_files_form_no_circle_but_parent_and_child() -> None:
    found: set[str] = set()
    for crate in CRATES:
        found |= circles({(a, b) for a, b in arrows(crate) if a[: len(b)] != b and b[: len(a)] != a})
    assert found - KNOWN.keys() == set()
    assert KNOWN.keys() - found == set(), "circles that are gone"


def test_elementary_functions_come_from_one_module() -> None:
    found = {module: ROUNDED.findall(code(file)) for module, file in modules(ORDERED).items()}
    assert {module: names for module, names in found.items() if names} == {}


def test_circles_are_found() -> None:
    assert list(paths("use crate::{a::b, c::{d, e}};\nsuper::super::f::g(crate::h)", ("x", "y", "z"))) == [
        ("a", "b"),
        ("c",),
        ("x", "f", "g"),
        ("h",),
    ]
    names: list[Module] = [("a",), ("b",), ("c",), ("d", "e")]
    a, b, c, d = names
    assert circles({(a, b), (b, c), (c, a), (c, d)}) == {"a b c"}
    assert circles({(a, b), (b, c), (a, c), (c, d)}) == set()
