#!/usr/bin/env python3
"""Build the wheels and the source distribution into dist/, and hold them against clean machines.

1. ``maturin`` builds a wheel for each of the platforms that are named, or for all (``platforms.py``). On Linux, Zig
   links them, against an old C library, whatever this machine has. ``twine check --strict`` reads their metadata.
2. Each is audited (``audit.py``): its files, which system it asks for, and that it takes no symbol of Python outside
   the stable ABI.
3. Each is run where this machine can (``trial.py``). A wheel for this machine is installed, for each Python from 3.11
   on that is found here, into an empty environment: no compiler, no Rust, no package. A wheel for another platform is
   run by the Python in target/pythons that ``pythons.py`` made, emulated. The example of README.md must print README's
   digits there, and all golden command lines (tests/golden_cli) what they are to print, but for those that ask for
   another package.
4. The source distribution (``source``) is built and installed with this machine's toolchain.
5. All must have printed and written the same bytes. A table tells what was built, audited and run; what was not run is
   said to be so.

``own`` in the place of a platform is one wheel by this machine's own tools, run in this Python: ``python3 dev.py test``
makes it with the profile that compiles fast.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from audit import audit
from platforms import PLATFORMS, ROOT, Platform
from trial import Environment, Trial, compare

DIST = ROOT / "dist"
OWN, SOURCE = "own", "source"


def must(*command: str | Path, **variables: str) -> None:
    """Run a command in the project's folder; stop if it fails."""
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, cwd=ROOT, env={**os.environ, **variables})


def build(profile: str, platform: Platform | None, *options: str) -> Path:
    """Build a wheel: for a platform, or with this machine's own tools."""
    DIST.mkdir(exist_ok=True)
    variables = {}
    with tempfile.TemporaryDirectory(dir=DIST) as folder:
        command = ["maturin", "build", "--profile", profile, "--locked", "--quiet", "--out", folder, *options]
        if platform:
            command += ["--target", platform.target, *(["--zig"] if sys.platform == "linux" else [])]
            command += ["--compatibility", platform.oldest] if platform.is_linux else []
            variables = {"MACOSX_DEPLOYMENT_TARGET": platform.oldest} if platform.is_macos else {}
            command += ["--", *for_zig(platform)] if "--zig" in command else []
        must(*command, **variables)
        (built,) = Path(folder).iterdir()
        return built.rename(DIST / built.name)


def for_zig(platform: Platform) -> list[str]:
    """What Zig needs to link for systems other than Linux, as the compiler is told it."""
    if platform.is_windows:
        return [f"-Clink-arg={exports()}"]
    if platform.is_macos:
        # Rust's standard library names libraries that nothing is taken from.
        return [f"-Lframework={frameworks()}", "-Clink-arg=-Wl,-dead_strip_dylibs"]
    return []


def exports() -> Path:
    """A file that tells the linker what a DLL exports.

    maturin 1.16.0 writes one that asks for `PyInit_untied._core`: it takes the module's name with its package, so that
    nothing can be linked. Ours lies in a folder in the place of that file, which keeps maturin from writing and naming
    it.
    """
    folder = ROOT / "target" / "maturin" / "untied._core.def"
    if folder.is_file():
        folder.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    definition = folder / "exports.def"
    definition.write_text("LIBRARY _core\nEXPORTS\n    PyInit__core\n")
    return definition


def frameworks() -> Path:
    """A folder with macOS's frameworks that the linker asks for, as lists of symbols."""
    folder = ROOT / "target" / "frameworks"
    framework = folder / "CoreFoundation.framework"
    framework.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(__file__).with_name("CoreFoundation.tbd"), framework)
    return folder


def pythons() -> dict[str, str]:
    """Pythons from 3.11 on, and free-threaded ones from 3.14 on, that can be had here: version and path, one of each.

    Versions of free-threaded ones end in t.
    """
    ask = "import sys, sysconfig; free = bool(sysconfig.get_config_var('Py_GIL_DISABLED'))\n"
    ask += (
        "print('%d.%d' % sys.version_info[:2] + 't' * free) if sys.version_info >= (3, 14 if free else 11) else exit(1)"
    )
    folders = [*os.environ["PATH"].split(os.pathsep), *map(str, Path.home().glob(".pyenv/versions/*/bin"))]
    names = [f"python3.{n}{kind}" for n in range(11, 30) for kind in ("", "t")]
    names = ["python.exe"] if os.name == "nt" else names  # of which each version has one in a folder of its own
    found: dict[str, str] = {}
    for path in (sys.executable, *(f"{folder}/{name}" for name in names for folder in folders)):
        if Path(path).exists():
            told = subprocess.run([path, "-I", "-c", ask], capture_output=True, text=True, check=False)
            if told.returncode == 0:
                found.setdefault(told.stdout.strip(), path)
    return found


@dataclass
class Built:
    """What became of a platform's wheel."""

    name: str
    file: Path
    audited: str = ""
    #: In which Pythons it was run, and what came of it.
    ran: dict[str, Trial] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """What is said of it at the end."""
        size = f"{self.file.stat().st_size / 1e6:.1f} MB"
        told = [f"{self.name}: {self.file.name}, {size}", f"  audited: {self.audited}"]
        return [*told, *(f"  ran in {where}: {trial}" for where, trial in self.ran.items())] + (
            [] if self.ran else ["  NOT RUN: this machine has no Python for it"]
        )


def try_wheel(built: Built, where: dict[str, str]) -> None:
    """Run a wheel in empty environments of Pythons of this machine."""
    for version, python in where.items():
        with tempfile.TemporaryDirectory() as folder:
            installed = Environment.installed(python, Path(folder), built.file, "--no-index")
            built.ran[f"Python {version}"] = installed.trial()


def make(profile: str, platform: Platform | None) -> list[Built]:
    """Build a platform's wheels, audit them, and run them wherever this machine can."""
    wheel = build(profile, platform)
    made = [Built(platform.name if platform else "this machine", wheel, audit(wheel, platform))]
    if platform is None:
        try_wheel(made[0], {f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable})
    elif platform.is_here:
        found = pythons()
        try_wheel(made[0], {version: path for version, path in found.items() if not version.endswith("t")})
        # There is no stable ABI without the lock: such a Python needs a wheel of its own.
        for version, path in found.items():
            if version.endswith("t"):
                wheel = build(profile, platform, "--interpreter", path)
                made.append(Built(f"{platform.name}, free-threaded Python", wheel, audit(wheel, platform)))
                try_wheel(made[-1], {version: path})
    elif platform.emulated:
        with tempfile.TemporaryDirectory() as folder:
            made[0].ran["an emulated Python"] = Environment.emulated(platform.emulated, Path(folder), wheel).trial()
    return made


def make_sdist() -> Built:
    """Build the source distribution, and install it as somebody with a toolchain does."""
    for old in DIST.glob("untied-*.tar.gz"):
        old.unlink()
    must("maturin", "sdist", "--out", DIST)
    (sdist,) = DIST.glob("untied-*.tar.gz")
    built = Built("source distribution", sdist, "twine")
    with tempfile.TemporaryDirectory() as folder:
        building = {"CARGO_TARGET_DIR": str(ROOT / "target")}
        installed = Environment.installed(sys.executable, Path(folder), sdist, "--no-deps", **building)
        built.ran["Python " + sys.version.split()[0]] = installed.trial()
    return built


def main() -> None:
    """Build, audit, run, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = {platform.target: platform for platform in PLATFORMS}
    chosen = [OWN, SOURCE, *known]
    parser.add_argument("platforms", nargs="*", metavar="TARGET", choices=[*chosen, []], help=", ".join(chosen))
    parser.add_argument("--profile", default="release", help="of Cargo.toml (release)")
    parser.add_argument("--outcomes", type=Path, metavar="FILE", help="write hashes of what was printed")
    options = parser.parse_args()
    for old in DIST.glob("untied-*"):
        old.unlink()
    all_built, missing = [], []
    for name in options.platforms or [*known, SOURCE]:
        platform = known.get(name)
        if platform and (reason := platform.lacking):
            missing.append(f"{platform.name}: NOT BUILT: {reason}")
            continue
        made = [make_sdist()] if name == SOURCE else make(options.profile, platform)
        all_built += made
        print(*(line for built in made for line in built.lines()), sep="\n", flush=True)
    if OWN not in options.platforms and all_built:
        must("twine", "check", "--strict", *(built.file for built in all_built))
    print("", *(line for built in all_built for line in built.lines()), *missing, sep="\n")
    trials = {f"{built.name}, {where}": trial.hashes() for built in all_built for where, trial in built.ran.items()}
    if options.outcomes:
        options.outcomes.write_text(json.dumps(trials, indent=1))
    compare(trials)
    if options.platforms and missing:
        sys.exit("not all was built")


if __name__ == "__main__":
    main()
