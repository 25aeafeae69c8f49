#!/usr/bin/env python3
"""Licences and sources of everything that is compiled: check them, and list what ends up in the wheel.

``third_party.py`` fails if a crate comes from anywhere but one registry, if its licence is not one of `ALLOWED`, or if
THIRD-PARTY.md is not what ``third_party.py --write`` would write. Needs nothing but Cargo and the crates themselves.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from platforms import PLATFORMS, ROOT

LISTED = ROOT / "THIRD-PARTY.md"
TARGETS = [platform.target for platform in PLATFORMS]

#: Licences that ask for a notice at most.
ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "MIT",
    "Unicode-3.0", "Zlib",
}  # fmt: skip
#: C code inside of crates: its name, its licence, and where in the crate the licence stands.
BUNDLED = {
    "liblzma-sys": ("liblzma of XZ Utils", "0BSD", "xz/COPYING.0BSD"),
    "zstd-sys": ("Zstandard", "BSD-3-Clause", "zstd/LICENSE"),
}

#: What files with licences are called.
NAMED = r"(?i)(licen[cs]e|copying|notice)"

HEAD = """\
# Third-party code

The wheels of *untied* hold compiled code of the projects below, under the licences named; where a crate
offers several, *untied* takes it under the one whose text is shown. Parts of Rust's standard library are in it too, by
the Rust Project's contributors, under the MIT licence, and of LLVM's libunwind, by the LLVM Project's contributors,
under Apache-2.0 with LLVM's exception, which asks for no notice in compiled code. No Python package is bundled.
`python3 release/third_party.py --write` writes this file from `Cargo.lock`.
"""


def cargo(*arguments: str) -> str:
    """What Cargo prints."""
    command = ["cargo", *arguments, "--locked"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def packages() -> list[dict[str, Any]]:
    """All packages that are needed to build and to test."""
    platforms = [word for target in TARGETS for word in ("--filter-platform", target)]
    found: list[dict[str, Any]] = json.loads(cargo("metadata", "--format-version", "1", *platforms))["packages"]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def compiled_in() -> set[tuple[str, str]]:
    """Name and version of what is linked into the extension, on any platform."""
    platforms = [word for target in TARGETS for word in ("--target", target)]
    tree = cargo(
        "tree", "-p", "untied-python", "-e", "normal,no-proc-macro", "--prefix", "none", "-f", "{p}", *platforms
    )
    found = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    return {(name, version.removeprefix("v")) for name, version in found}


def is_allowed(expression: str) -> bool:
    """Whether an SPDX expression can be met with allowed licences alone."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def either() -> bool:
        met = both()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            met = both() or met
        return met

    def both() -> bool:
        met = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            met = one() and met
        return met

    def one() -> bool:
        name = tokens.pop(0)
        if name == "(":
            met = either()
            tokens.pop(0)
            return met
        if tokens[:1] == ["WITH"]:
            name = f"{name} {tokens.pop(0)} {tokens.pop(0)}"
        return name in ALLOWED

    return either()


def faults(found: list[dict[str, Any]]) -> list[str]:
    """What is wrong with sources and licences."""
    wrong = []
    registries = [source for package in found if (source := package["source"] or "").startswith("registry+")]
    for package in found:
        name = f"{package['name']} {package['version']}"
        is_ours = package["source"] is None and Path(package["manifest_path"]).is_relative_to(ROOT)
        if not is_ours and package["source"] not in registries[:1]:
            origin = package["source"] or package["manifest_path"]
            wrong.append(f"{name}: comes from {origin}, not from the registry that others come from")
        if not is_allowed(package["license"] or "none"):
            wrong.append(f"{name}: its licence, {package['license'] or 'none'}, is not among those allowed")
    return wrong


def texts(package: dict[str, Any]) -> list[str]:
    """The licence that we take a crate under, and its notices."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and re.match(NAMED, path.name))
    has_choice = "MIT" in package["license"] and "AND" not in package["license"]
    taken = [path for path in files if "MIT" in path.name.upper()] if has_choice else []
    notices = [path for path in files if path.name.upper().startswith("NOTICE")]
    return [path.read_text("utf-8").strip() for path in [*(taken or [p for p in files if p not in notices]), *notices]]


def listing(found: list[dict[str, Any]]) -> str:
    """What THIRD-PARTY.md is to hold."""
    linked = compiled_in()
    ours = [package for package in found if package["source"] and (package["name"], package["version"]) in linked]
    rows: list[str] = []
    by_text: dict[str, list[str]] = {}
    for package in ours:
        names = [(f"{package['name']} {package['version']}", package["license"], texts(package))]
        if package["name"] in BUNDLED:
            name, licence, path = BUNDLED[package["name"]]
            text = (Path(package["manifest_path"]).parent / path).read_text("utf-8").strip()
            names.append((f"{name}, in {package['name']}", licence, [text]))
        for name, licence, said in names:
            if not said:
                # Some crates of a workspace are published without the file.
                said = [f"No file with the licence is published with it; {package['repository']} has it."]
            rows.append(f"| {name} | {licence} | {package['repository'] or ''} |")
            by_text.setdefault("\n\n".join(said), []).append(name)
    parts = [HEAD, "\n".join(["| code | licence | from |", "|---|---|---|", *rows]), ""]
    for text, crates in by_text.items():
        parts += [f"## {'; '.join(crates)}", "", "```text", text.replace("```", "'''"), "```", ""]
    return "\n".join(line.rstrip() for line in "\n".join(parts).splitlines()) + "\n"


def main() -> None:
    """Check, or write."""
    found = packages()
    wrong = faults(found)
    text = listing(found)
    if "--write" in sys.argv[1:]:
        LISTED.write_text(text, "utf-8")
    elif not LISTED.exists() or LISTED.read_text("utf-8") != text:
        wrong.append(f"{LISTED.name} is not current: python3 release/third_party.py --write")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"licences and sources of {len(found)} packages: fine")


if __name__ == "__main__":
    main()
