"""Licences and sources of crates: what is let through and what is not."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

RELEASE = Path(__file__).resolve().parents[2] / "release"


@pytest.fixture(scope="module")
def third_party() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(RELEASE))
        return importlib.import_module("third_party")


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("MIT/GPL-3.0-only", True),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("(GPL-2.0-only OR Apache-2.0) AND LGPL-2.1-or-later", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0 OR LGPL-3.0-only", False),
        ("none", False),
    ],
)
def test_licences(third_party: ModuleType, expression: str, allowed: bool) -> None:
    assert third_party.is_allowed(expression) is allowed


def test_sources(third_party: ModuleType) -> None:
    def package(source: str | None, folder: str, licence: str | None = "MIT") -> dict[str, str | None]:
        manifest = f"{folder}/Cargo.toml"
        return {"name": "x", "version": "1", "source": source, "manifest_path": manifest, "license": licence}

    registry = "registry+https://example.org/index"
    fine = [package(registry, "/r/x-1"), package(None, str(third_party.ROOT / "crates" / "x"))]
    assert third_party.faults(fine) == []
    for source, folder in (("git+https://example.org/x", "/g/x"), (None, "/x"), ("registry+https://other", "/r/x")):
        other = package(source, folder)
        wrong = f"x 1: comes from {source or '/x/Cargo.toml'}, not from the registry that others come from"
        assert third_party.faults([*fine, other]) == [wrong]
    assert third_party.faults([package(registry, "/r/x-1", None)]) == [
        "x 1: its licence, none, is not among those allowed"
    ]


def test_what_is_listed_is_what_is_linked(third_party: ModuleType) -> None:
    linked = {f"{name} {version}" for name, version in third_party.compiled_in() if not name.startswith("untied-")}
    listed = third_party.LISTED.read_text("utf-8")
    assert {name for name in linked if f"\n| {name} |" not in listed} == set()
    assert "liblzma of XZ Utils" in listed
    assert "Zstandard" in listed


def test_unsafe_blocks_are_those_that_the_docs_list(third_party: ModuleType) -> None:
    crates = third_party.ROOT / "crates"
    for name in ("untied-core", "untied-arrow", "untied-trec-eval"):
        assert "#![forbid(unsafe_code)]" in (crates / name / "src" / "lib.rs").read_text("utf-8")
    border = crates / "untied-python" / "src"
    blocks = [path for path in border.rglob("*.rs") for _ in re.findall(r"\bunsafe\b", path.read_text("utf-8"))]
    assert sorted(str(path.relative_to(border)) for path in blocks) == ["arrays.rs", "arrow.rs"]
    listed = (third_party.ROOT / "docs" / "versioning.md").read_text("utf-8")
    assert all(f"| `{path.relative_to(border)}`, " in listed for path in blocks)
