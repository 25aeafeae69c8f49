"""The platforms that wheels are built for, and the wheels' names there."""

from __future__ import annotations

import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Pythons of other platforms: target/pythons/TARGET/python runs one here (release/pythons.py).
PYTHONS = ROOT / "target" / "pythons"


@dataclass(frozen=True)
class Platform:
    """What a wheel is built for."""

    #: As people call it.
    name: str
    #: As Rust calls it.
    target: str
    #: The last part of a wheel's name, and what it asks of a machine.
    tag: str
    #: The oldest system, where a linker has to know it.
    oldest: str = ""

    @property
    def is_linux(self) -> bool:
        """Whether it is a Linux."""
        return "-linux-" in self.target

    @property
    def is_macos(self) -> bool:
        """Whether it is a macOS."""
        return "-apple-" in self.target

    @property
    def is_windows(self) -> bool:
        """Whether it is a Windows."""
        return "-windows-" in self.target

    @property
    def is_here(self) -> bool:
        """Whether this machine runs its wheels."""
        machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine_name(), machine_name())
        system = {"linux": f"linux-{libc()}", "darwin": "apple-darwin", "win32": "pc-windows"}[sys.platform]
        return self.target.startswith(machine) and system in self.target

    @property
    def lacking(self) -> str | None:
        """Why there can be no wheel for it here; None where there can be one."""
        if sys.platform == "linux":
            if self.target.endswith("msvc"):
                return "Zig does not link for it: build it on Windows"
        elif not self.is_here or self.target.endswith("gnu"):
            return "build it on Linux, or on a machine of its own"
        command = ("rustc", "--print", "target-libdir", "--target", self.target)
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        if found.returncode or not any(Path(found.stdout.strip()).glob("libstd-*")):
            return f"rustup target add {self.target}"
        return None

    @property
    def emulated(self) -> Path | None:
        """A Python of this platform that runs here, though the platform is another."""
        path = PYTHONS / self.target / "python"
        return path if path.exists() else None


def machine_name() -> str:
    """The processor, as this machine calls it."""
    return platform.machine().lower()


def libc() -> str:
    """The C library of this Python: gnu or musl."""
    return "gnu" if platform.libc_ver(sys.executable)[0] == "glibc" else "musl"


#: manylinux_2_17 is CentOS 7's C library, musllinux_1_2 that of Alpine 3.13; Python 3.11 and Rust ask for this macOS.
PLATFORMS = (
    Platform("Linux, glibc 2.17, x86-64", "x86_64-unknown-linux-gnu", "manylinux_2_17_x86_64", "manylinux_2_17"),
    Platform("Linux, glibc 2.17, aarch64", "aarch64-unknown-linux-gnu", "manylinux_2_17_aarch64", "manylinux_2_17"),
    Platform("Linux, musl 1.2, x86-64", "x86_64-unknown-linux-musl", "musllinux_1_2_x86_64", "musllinux_1_2"),
    Platform("Linux, musl 1.2, aarch64", "aarch64-unknown-linux-musl", "musllinux_1_2_aarch64", "musllinux_1_2"),
    Platform("Windows, x86-64", "x86_64-pc-windows-gnu", "win_amd64"),
    Platform("Windows, x86-64, by its own linker", "x86_64-pc-windows-msvc", "win_amd64"),
    Platform("Windows, aarch64", "aarch64-pc-windows-gnullvm", "win_arm64"),
    Platform("Windows, aarch64, by its own linker", "aarch64-pc-windows-msvc", "win_arm64"),
    Platform("macOS 11, aarch64", "aarch64-apple-darwin", "macosx_11_0_arm64", "11.0"),
    Platform("macOS 10.12, x86-64", "x86_64-apple-darwin", "macosx_10_12_x86_64", "10.12"),
)
