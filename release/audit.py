"""What a wheel needs of a machine, read from the wheel alone: files, system libraries, symbols of Python."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import macho
from platforms import Platform

#: What a wheel must hold besides the extension.
HELD = ("untied/py.typed", "untied/_core.pyi", "/licenses/LICENSE", "/licenses/THIRD-PARTY.md")
#: Libraries of Windows 10 that a wheel may load, as their names begin. Python for Windows brings
#: vcruntime140.dll, which its own compiler asks for.
WINDOWS = (
    "api-ms-win-",
    "bcryptprimitives.",
    "kernel32.",
    "ntdll.",
    "ucrtbase.",
    "userenv.",
    "vcruntime140.",
    "ws2_32.",
)
#: How Windows calls processors.
MACHINES = {"x86_64": "IMAGE_FILE_MACHINE_AMD64", "aarch64": "IMAGE_FILE_MACHINE_ARM64"}


def audit(wheel: Path, platform: Platform | None) -> str:
    """Stop if a wheel lacks something, or needs more of a machine than its name says; else what was found.

    Without a platform it is a wheel for this machine alone, whose libraries it may use.
    """
    names = zipfile.ZipFile(wheel).namelist()
    missing = [held for held in HELD if not any(name.endswith(held) for name in names)]
    if missing:
        sys.exit(f"{wheel.name} lacks {', '.join(missing)}")
    if platform is None:
        return "its files"
    if platform.tag not in wheel.name:
        sys.exit(f"{wheel.name} is not {platform.tag}")
    found = linux(wheel, platform) if platform.is_linux else system(wheel, platform)
    return f"{found}; {stable_abi(wheel)}" if "-abi3-" in wheel.name else found


def linux(wheel: Path, platform: Platform) -> str:
    """Which C library a wheel for Linux asks for; of glibc by the versions of its symbols, which musl has none of."""
    is_musl = platform.tag.startswith("musl")
    # This machine's libraries are not those of musl, by whose loader libc.so is meant.
    paths = ("--ldpaths", "/nowhere") if is_musl else ()
    command = ("auditwheel", "show", "--json", *paths, str(wheel))
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    found, others = told["sym_tag" if is_musl else "overall_tag"], {*told["external_libs"]} - {"libc.so"}
    if found != platform.tag or (is_musl and others):
        sys.exit(f"{wheel.name} is {found}: {told['versioned_symbols']} {told['external_libs']}")
    return f"auditwheel: {found}"


def system(wheel: Path, platform: Platform) -> str:
    """What the extension of a wheel for Windows or macOS loads: nothing but the system's and Python's."""
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if "/_core." in name and not name.endswith(".pyi")]
    with tempfile.TemporaryDirectory() as folder:
        extension = Path(archive.extract(name, folder))
        return macho.read(extension, platform) if platform.is_macos else windows(extension, platform, wheel.name)


def windows(extension: Path, platform: Platform, wheel: str) -> str:
    """Which libraries a DLL loads; it must export the function that Python calls."""
    import pefile

    dll = pefile.PE(str(extension))
    machine = pefile.MACHINE_TYPE[dll.FILE_HEADER.Machine]
    if machine != MACHINES[platform.target.partition("-")[0]]:
        sys.exit(f"{extension.name} is for {machine}")
    table = getattr(dll, "DIRECTORY_ENTRY_EXPORT", None)  # a DLL that exports nothing has none
    exported = [symbol.name.decode() for symbol in table.symbols if symbol.name] if table else []
    if "PyInit__core" not in exported:
        sys.exit(f"a DLL is to export PyInit__core, found {', '.join(exported) or 'nothing'}")
    loaded = sorted(entry.dll.decode().lower() for entry in dll.DIRECTORY_ENTRY_IMPORT)
    # A wheel for one version of Python, as free-threaded ones are, loads that version's library.
    version = re.search(r"-cp(\d+t?)-win", wheel)
    pythons = f"python{version[1]}.dll" if version else "python3.dll"
    strange = [library for library in loaded if not library.startswith((*WINDOWS, pythons))]
    if strange or not loaded:
        sys.exit(f"{extension.name} loads {', '.join(strange) or 'nothing'}")
    return f"loads {', '.join(loaded)}"


def stable_abi(wheel: Path) -> str:
    """Stop if a wheel takes symbols of Python that are not in the stable ABI which its name says."""
    command = ("abi3audit", "--strict", "--report", str(wheel))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{wheel.name}: abi3audit\n{done.stdout}{done.stderr}")
    (spec,) = json.loads(done.stdout)["specs"].values()
    found = [extension["result"] for extension in spec["wheel"]]
    if not found or any(not result["is_abi3"] or result["computed"] > result["baseline"] for result in found):
        sys.exit(f"{wheel.name}: abi3audit\n{done.stdout}")
    return f"abi3audit: {found[0]['computed']}"
