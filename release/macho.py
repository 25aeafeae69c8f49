"""What an extension for macOS asks of a machine, read from the file alone.

A wheel that is built elsewhere is not run, so this looks for everything that would keep a Mac from loading it.
"""

from __future__ import annotations

import hashlib
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from platforms import Platform

#: Libraries of macOS that a wheel may load.
MACOS = (
    "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation",
    "/usr/lib/libSystem.B.dylib",
    "/usr/lib/libiconv.2.dylib",
)
#: How Mach-O calls processors.
PROCESSORS = {"x86_64": 0x01000007, "aarch64": 0x0100000C}
#: Kinds of files that Python can load: MH_DYLIB and MH_BUNDLE.
KINDS = (6, 8)
#: Commands to the loader by name, each with what follows it in the file.
Commands = dict[str, tuple[Any, Any]]
#: In the place of a library: looked for in the whole process, which has Python (BIND_SPECIAL_DYLIB_FLAT_LOOKUP).
PROCESS = -2


def read(extension: Path, platform: Platform) -> str:
    """Stop if a Mac of the platform would not load an extension; else what it loads, and since which macOS."""
    from macholib.MachO import MachO

    (header,) = MachO(str(extension)).headers
    data = extension.read_bytes()[header.offset :]
    commands = {load.get_cmd_name(): (command, rest) for load, command, rest in header.commands}
    machine = platform.target.partition("-")[0]
    if (header.header.cputype, header.header.filetype in KINDS) != (PROCESSORS[machine], True):
        sys.exit(f"{extension.name}: not a library for {machine}")
    # The older command has the version alone; the newer one also tells the system.
    command, _ = commands.get("LC_BUILD_VERSION") or commands["LC_VERSION_MIN_MACOSX"]
    oldest = getattr(command, "minos", None) or command.version
    since = f"{oldest >> 16}.{oldest >> 8 & 255}"
    if since != platform.oldest:
        sys.exit(f"{extension.name}: for macOS {since}, not {platform.oldest}")
    libraries = [name for _, _, name in header.walkRelocatables()]
    if strange := sorted({*libraries} - {*MACOS}):
        sys.exit(f"{extension.name} loads {', '.join(strange)}")
    for library, symbol in symbols(commands, data):
        is_pythons = symbol.startswith(("_Py", "__Py"))
        if is_pythons != (library == PROCESS) or library > len(libraries) or library < PROCESS:
            sys.exit(f"{extension.name}: {symbol} is looked for in {library}")
    if machine == "aarch64":
        check_signature(extension.name, commands, data)
    return f"macOS {since}, loads {', '.join(sorted(libraries))}"


def symbols(commands: Commands, data: bytes) -> Iterator[tuple[int, str]]:
    """All symbols that an extension takes, each with the number of the library where the loader looks for it."""
    found = commands.get("LC_DYLD_INFO_ONLY") or commands.get("LC_DYLD_INFO")
    if found is None:
        sys.exit(f"expected the command LC_DYLD_INFO, found {', '.join(commands)}")
    for table in ("bind", "lazy_bind"):
        start = getattr(found[0], f"{table}_off")
        yield from bound(data[start : start + getattr(found[0], f"{table}_size")])


def bound(program: bytes) -> Iterator[tuple[int, str]]:
    """From the program that the loader runs (`mach-o/loader.h`, BIND_OPCODE_...)."""
    place, library, name = 0, 0, ""

    def number() -> int:
        nonlocal place
        start = place
        while program[place] & 128:
            place += 1
        place += 1
        return sum((byte & 127) << 7 * i for i, byte in enumerate(program[start:place]))

    while place < len(program):
        operation, value = program[place] & 0xF0, program[place] & 0x0F
        place += 1
        if operation == 0x10:  # SET_DYLIB_ORDINAL_IMM
            library = value
        elif operation == 0x20:  # SET_DYLIB_ORDINAL_ULEB
            library = number()
        elif operation == 0x30:  # SET_DYLIB_SPECIAL_IMM
            library = value - 16 if value else 0
        elif operation == 0x40:  # SET_SYMBOL_TRAILING_FLAGS_IMM
            end = program.index(0, place)
            name, place = program[place:end].decode(), end + 1
        elif operation in (0x60, 0x70, 0x80):  # SET_ADDEND_SLEB, SET_SEGMENT_AND_OFFSET_ULEB, ADD_ADDR_ULEB
            number()
        elif operation in (0x90, 0xA0, 0xB0, 0xC0):  # DO_BIND, and how far to go on from there
            for _ in range({0xA0: 1, 0xC0: 2}.get(operation, 0)):
                number()
            yield library, name
        elif operation not in (0x00, 0x50):  # DONE, SET_TYPE_IMM
            sys.exit(f"the loader knows no operation {operation:#x}")


def check_signature(name: str, commands: Commands, data: bytes) -> None:
    """Stop unless the file has the hashes of all its pages, without which these processors run nothing.

    The linker writes them; a tool that changes the file later would have to sign it again.
    """
    if "LC_CODE_SIGNATURE" not in commands:
        sys.exit(f"{name} is not signed")
    start = commands["LC_CODE_SIGNATURE"][0].dataoff
    _, _, count = struct.unpack_from(">3I", data, start)
    found = dict(struct.iter_unpack(">2I", data[start + 12 : start + 12 + 8 * count]))
    directory = start + found[0]  # CSSLOT_CODEDIRECTORY
    hashes, _, _, pages, limit, size, kind, _, page = struct.unpack_from(">5I4B", data, directory + 16)
    if (kind, limit) != (2, start):  # SHA-256, of all before the signature
        sys.exit(f"{name}: its signature is of kind {kind}, of {limit} bytes; expected 2, {start}")
    for i in range(pages):
        signed = data[i << page : min((i + 1) << page, limit)]
        place = directory + hashes + i * size
        if hashlib.sha256(signed).digest() != data[place : place + size]:
            sys.exit(f"{name}: page {i} was changed after it was signed")
