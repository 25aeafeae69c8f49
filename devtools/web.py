"""The core as a WebAssembly module, and the page around it: both in ``target/web``; the package carries the module too.

A toolchain is one of two: Rust that has the target ``wasm32-unknown-unknown`` (``rustup target add``), or Debian's
``rustc-web``, ``cargo-web`` and ``rust-web-src``, which bring the sources of the standard library; it is compiled with
the core then, and Zig links them (``release`` in ``pyproject.toml``).
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from devtools.environment import BIN, ROOT, attempt, install_group, part, run, variables

TARGET = "wasm32-unknown-unknown"
OUT = ROOT / "target" / "web"
MODULE = OUT / "untied.wasm"
PAGE = OUT / "untied.html"
#: The profile that the module was compiled with, and a hash of what it was made of.
STAMP = OUT / "module.stamp"
#: What the module is made of.
SOURCES = ("Cargo.toml", "Cargo.lock", "crates/untied-core/Cargo.toml", "crates/untied-core/src", "crates/untied-wasm")
#: The profile in ``Cargo.toml`` of what is released, and the one that compiles fast, for tests.
RELEASED, QUICK = "web", "web-quick"
DEBIAN = "apt-get install rustc-web cargo-web rust-web-src"

WEB = ROOT / "web"
REPORT = ROOT / "python" / "untied" / "report" / "assets"
#: The module as the package carries it, for live reports.
CARRIED = REPORT / "untied.wasm.gz"
EXAMPLE = ROOT / "examples" / "tar2017"
#: What the page's script has besides that of live reports, in the order in which its parts build on each other.
SCRIPTS = ("files.js", "gather.js", "command.js", "findings.js", "start.js")


@dataclass(frozen=True)
class Toolchain:
    """How to compile for browsers."""

    cargo: str
    options: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)


def toolchain() -> Toolchain | None:
    """A toolchain of this machine, with what it needs installed; None where there is none."""
    environment = variables()
    rustc = shutil.which("rustc", path=environment["PATH"])
    if rustc and (has_target(rustc, environment) or (add_target(environment) and has_target(rustc, environment))):
        return Toolchain("cargo")
    debian = {name: Path(f"/usr/bin/{name}") for name in ("cargo", "rustc")}
    if not all(path.exists() for path in debian.values()) or not has_sources(debian["rustc"]):
        return None
    more = {"RUSTC": str(debian["rustc"]), "RUSTC_BOOTSTRAP": "1"}
    more["CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER"] = str(linker())
    return Toolchain(str(debian["cargo"]), ("-Z", "build-std=std,panic_abort"), more)


def add_target(environment: dict[str, str]) -> bool:
    """Add the target's standard library where rustup is, which can; whether it did."""
    return bool(shutil.which("rustup", path=environment["PATH"])) and attempt("rustup", "target", "add", TARGET) == 0


def has_target(rustc: str, environment: dict[str, str]) -> bool:
    """Whether a compiler has the target's standard library."""
    command = (rustc, "--print", "target-libdir", "--target", TARGET)
    found = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return found.returncode == 0 and any(Path(found.stdout.strip()).glob("libstd-*"))


def has_sources(rustc: Path) -> bool:
    """Whether a compiler has the sources of its standard library."""
    found = subprocess.run((rustc, "--print", "sysroot"), capture_output=True, text=True, check=False)
    library = Path(found.stdout.strip()) / "lib" / "rustlib" / "src" / "rust" / "library"
    return found.returncode == 0 and (library / "std").is_dir()


def linker() -> Path:
    """A program that links as rustc asks for it: Zig's linker, which is always one for WebAssembly."""
    install_group("release")
    OUT.mkdir(parents=True, exist_ok=True)
    script = OUT / "wasm-ld"
    lines = ("#!/bin/sh", '[ "$1" = -flavor ] && shift 2', f'exec "{BIN / "python"}" -m ziglang wasm-ld "$@"', "")
    script.write_text("\n".join(lines))
    script.chmod(0o755)
    return script


def sources() -> str:
    """A hash of what the module is made of."""
    found = hashlib.sha256()
    for source in map(ROOT.joinpath, SOURCES):
        for path in [source] if source.is_file() else sorted(file for file in source.rglob("*") if file.is_file()):
            found.update(f"{path.relative_to(ROOT)}\0".encode())
            found.update(path.read_bytes())
    return found.hexdigest()


def missing(released: bool = False) -> str | None:
    """Why there is no module of these sources, or none as it is released; None where there is one."""
    if not STAMP.exists() or not MODULE.exists():
        return "the core is not built for browsers: python3 dev.py web"
    compiled, _, made_of = STAMP.read_text().partition(" ")
    if made_of != sources():
        return "the core has changed since it was built for browsers"
    if released and compiled != RELEASED:
        return "the core is built for browsers as tests need it, not as it is released: python3 dev.py web"
    return None


def build_module() -> bool:
    """Compile the module as it is released, unless that is done; whether there is one now."""
    compile_module(module_toolchain(RELEASED), RELEASED)
    carry()
    return missing(released=True) is None


def module_toolchain(profile: str) -> Toolchain | None:
    """What the module is to be compiled with; None where that is done, or cannot be."""
    if missing(released=profile == RELEASED) is None:
        return None
    tools = toolchain()
    if tools is None:
        print(f"the core is not built for browsers: this needs rustup target add {TARGET}, or {DEBIAN}")
    return tools


def compile_module(tools: Toolchain | None, profile: str) -> None:
    """Compile the module with a profile. This installs nothing, so that other work can go on beside it."""
    if tools is None:
        return
    OUT.mkdir(parents=True, exist_ok=True)
    wanted = sources()
    # A folder of its own, so that other builds do not wait for this one.
    command = ("rustc", "-p", "untied-wasm", "--lib", "--crate-type", "cdylib", "--target", TARGET)
    with part("module for browsers"):
        folder = ("--target-dir", OUT / "cargo")
        options = ("--profile", profile, "--locked", "--quiet", *tools.options)
        run(tools.cargo, *command, *options, *folder, **tools.variables)
    shutil.copy(OUT / "cargo" / TARGET / profile / "untied_wasm.wasm", MODULE)
    STAMP.write_text(f"{profile} {wanted}")
    carry()


def carry() -> None:
    """Put the module into the package, for live reports; take one of other sources out of it."""
    if missing() is None:
        content = gzip.compress(MODULE.read_bytes(), 9, mtime=0)
        if not CARRIED.exists() or CARRIED.read_bytes() != content:
            CARRIED.write_bytes(content)
    else:
        CARRIED.unlink(missing_ok=True)


def packed(data: bytes) -> str:
    """Bytes as a page holds them."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def build_page() -> Path:
    """Write the page: a live report that begins without files, in one file that needs no other."""
    from untied.report.live import without_files  # a package that is built by now
    from untied.report.page import page

    example = {path.name: path.read_bytes() for path in [EXAMPLE / "qrels.txt", *sorted(EXAMPLE.glob("*.run"))]}
    script = "".join((WEB / name).read_text(encoding="utf-8") for name in SCRIPTS)
    style = (WEB / "files.css").read_text(encoding="utf-8")
    OUT.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(None, "untied", without_files(example, script, style)), encoding="utf-8")
    return PAGE


if __name__ == "__main__":
    if (reason := missing(released=True)) is not None:
        sys.exit(reason)
    page = build_page()
    sizes = {"module": MODULE.stat().st_size, "module, gzipped": len(gzip.compress(MODULE.read_bytes(), 9))}
    for name, size in {**sizes, "page": page.stat().st_size}.items():
        print(f"{name}: {size / 1e6:.2f} MB")
    print(f"the page: {page.relative_to(ROOT)}")
