"""What builds a release: platforms, audits, comparison of what wheels print, and the workflow of a hosting service."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import dev
from devtools import workflows

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / "release"
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
FILES = ("untied/py.typed", "untied/_core.pyi", "x.dist-info/licenses/LICENSE", "x.dist-info/licenses/THIRD-PARTY.md")
USED = re.compile(r"uses: (\S+)(.*)")

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(RELEASE))
    modules = ("audit", "build", "macho", "platforms", "trial")
    audit, build, macho, platforms, trial = map(importlib.import_module, modules)


def wheel(folder: Path, name: str, *files: str) -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        for file in files:
            archive.writestr(file, "")
    return path


def test_a_wheel_for_this_machine_runs_here_and_no_other() -> None:
    here = [platform.target for platform in platforms.PLATFORMS if platform.is_here]
    told = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"^host: (.*)", told, re.MULTILINE)[1] in here  # type: ignore[index]
    assert len({target.partition("-")[0] for target in here}) == 1


def test_what_there_is_no_standard_library_for_is_not_built() -> None:
    other = platforms.Platform("A", "x86_64-unknown-nothing", "nothing")
    assert "x86_64-unknown-nothing" in other.lacking or "build it on" in other.lacking


def test_a_wheel_that_lacks_a_file_is_refused(tmp_path: Path) -> None:
    assert audit.audit(wheel(tmp_path, "a.whl", *FILES), None) == "its files"
    with pytest.raises(SystemExit, match="lacks /licenses/LICENSE"):
        audit.audit(wheel(tmp_path, "b.whl", *FILES[:2], FILES[3]), None)


def test_zig_is_told_what_a_dll_exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of what maturin would write, so that it cannot."""
    monkeypatch.setattr(build, "ROOT", tmp_path)
    theirs = tmp_path / "target" / "maturin" / "untied._core.def"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("EXPORTS\n    PyInit_untied._core\n")
    for platform in platforms.PLATFORMS:
        options = build.for_zig(platform)
        if platform.is_windows:
            path = Path(options[0].removeprefix("-Clink-arg="))
            assert path.parent == theirs
            assert path.read_text().splitlines()[1:] == ["EXPORTS", "    PyInit__core"]
        elif platform.is_macos:
            folder = Path(options[0].removeprefix("-Lframework="))
            (framework,) = folder.rglob("*.tbd")
            assert framework.relative_to(folder).as_posix() == "CoreFoundation.framework/CoreFoundation.tbd"
        else:
            assert options == []


def test_a_wheel_of_another_name_than_its_platform_is_refused(tmp_path: Path) -> None:
    windows = next(platform for platform in platforms.PLATFORMS if platform.tag == "win_amd64")
    with pytest.raises(SystemExit, match="is not win_amd64"):
        audit.audit(wheel(tmp_path, "untied-0-cp311-abi3-win_arm64.whl", *FILES), windows)


def dll(machine: str, exported: list[str], loaded: list[str]) -> SimpleNamespace:
    """What pefile says of a DLL."""
    symbols = [SimpleNamespace(name=name.encode()) for name in exported]
    return SimpleNamespace(
        MACHINE_TYPE={0x8664: "IMAGE_FILE_MACHINE_AMD64", 0xAA64: "IMAGE_FILE_MACHINE_ARM64"},
        PE=lambda _: SimpleNamespace(
            FILE_HEADER=SimpleNamespace(Machine={"x86_64": 0x8664, "aarch64": 0xAA64}[machine]),
            DIRECTORY_ENTRY_EXPORT=SimpleNamespace(symbols=symbols),
            DIRECTORY_ENTRY_IMPORT=[SimpleNamespace(dll=name.encode()) for name in loaded],
        ),
    )


LOADED, EXPORTED = ["KERNEL32.dll", "python3.dll"], ["PyInit__core"]


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (dll("x86_64", EXPORTED, LOADED), ""),
        (dll("x86_64", EXPORTED, ["msvcr90.dll"]), "loads msvcr90.dll"),
        (dll("x86_64", EXPORTED, []), "loads nothing"),
        (dll("x86_64", [], LOADED), "found nothing"),
        (dll("aarch64", EXPORTED, LOADED), "is for IMAGE_FILE_MACHINE_ARM64"),
    ],
)
def test_a_dll_that_windows_or_python_would_refuse_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: SimpleNamespace, fault: str
) -> None:
    windows = next(platform for platform in platforms.PLATFORMS if platform.tag == "win_amd64")
    monkeypatch.setitem(sys.modules, "pefile", found)
    monkeypatch.setattr(audit, "stable_abi", lambda _: "stable")
    path = wheel(tmp_path, "untied-0-cp311-abi3-win_amd64.whl", *FILES, "untied/_core.pyd")
    if fault:
        with pytest.raises(SystemExit, match=fault):
            audit.audit(path, windows)
    else:
        assert audit.audit(path, windows) == "loads kernel32.dll, python3.dll; stable"


def test_a_wheel_for_one_python_loads_that_pythons_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    windows = next(platform for platform in platforms.PLATFORMS if platform.tag == "win_amd64")
    monkeypatch.setitem(sys.modules, "pefile", dll("x86_64", EXPORTED, ["python314t.dll"]))
    free = wheel(tmp_path, "untied-0-cp314-cp314t-win_amd64.whl", *FILES, "untied/_core.pyd")
    assert audit.audit(free, windows) == "loads python314t.dll"
    other = wheel(tmp_path, "untied-0-cp314-cp314-win_amd64.whl", *FILES, "untied/_core.pyd")
    with pytest.raises(SystemExit, match=r"loads python314t\.dll"):
        audit.audit(other, windows)


@pytest.mark.parametrize(
    ("version", "free", "found"),
    [((3, 10), 0, None), ((3, 11), 0, "3.11"), ((3, 13), 1, None), ((3, 14), 1, "3.14t"), ((3, 14), None, "3.14")],
)
def test_pythons_are_those_that_wheels_are_built_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int], free: int | None, found: str | None
) -> None:
    """A Python that says to be another: its own answer to the question, with these facts put in."""
    (tmp_path / "facts.py").write_text(
        "import sys, sysconfig\n"
        f"sys.version_info = {version}\nsysconfig.get_config_var = lambda name: {free}\nexec(sys.argv[3])\n"
    )
    program = tmp_path / "python3.11"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path}/facts.py" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(build.sys, "executable", str(program))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(build.Path, "home", lambda: tmp_path)
    assert build.pythons() == ({found: str(program)} if found else {})


def bindings(*found: tuple[int, str]) -> bytes:
    """A program for macOS's loader that looks for symbols in libraries."""
    program = b""
    for library, symbol in found:
        place = bytes([0x30 | library & 15]) if library < 0 else bytes([0x20, library])
        # The kind, the place in the data, where it is put; a place may take several bytes.
        program += place + b"\x40" + symbol.encode() + b"\0" + b"\x51\x72\x80\x81\x01\x90"
    return program + b"\0"


def test_bindings_tell_where_symbols_are_looked_for() -> None:
    found = [(-2, "_PyDict_New"), (1, "_CFRelease"), (2, "_malloc"), (-2, "__Py_NoneStruct")]
    assert list(macho.bound(bindings(*found))) == found
    with pytest.raises(SystemExit, match="no operation 0xd0"):
        list(macho.bound(b"\xd0"))


@pytest.mark.parametrize("changed", [None, 0, 5000, 8191])
def test_a_page_that_was_changed_after_it_was_signed_is_found(changed: int | None) -> None:
    pages, size = bytes(range(256)) * 32, 4096
    hashes = b"".join(hashlib.sha256(pages[start : start + size]).digest() for start in (0, size))
    directory = struct.pack(">9I4B", 0xFADE0C02, 0, 0x20400, 2, 40, 0, 0, 2, len(pages), 32, 2, 0, 12) + hashes
    signed = pages + struct.pack(">5I", 0xFADE0CC0, 0, 1, 0, 20) + directory
    commands = {"LC_CODE_SIGNATURE": (SimpleNamespace(dataoff=len(pages)), b"")}
    if changed is None:
        macho.check_signature("a", commands, signed)
        with pytest.raises(SystemExit, match="a is not signed"):
            macho.check_signature("a", {}, signed)
    else:
        broken = bytearray(signed)
        broken[changed] ^= 1
        with pytest.raises(SystemExit, match=f"page {changed // size} was changed"):
            macho.check_signature("a", commands, bytes(broken))


@pytest.mark.parametrize(
    ("target", "told", "fails"),
    [
        ("x86_64-unknown-linux-gnu", {"overall_tag": "manylinux_2_17_x86_64"}, False),
        ("x86_64-unknown-linux-gnu", {"overall_tag": "manylinux_2_28_x86_64"}, True),
        ("x86_64-unknown-linux-musl", {"sym_tag": "musllinux_1_2_x86_64", "external_libs": {"libc.so": None}}, False),
        ("x86_64-unknown-linux-musl", {"sym_tag": "musllinux_1_2_x86_64", "external_libs": {"libm.so.6": None}}, True),
        ("x86_64-unknown-linux-musl", {"sym_tag": "manylinux_2_17_x86_64"}, True),
    ],
)
def test_a_wheel_that_needs_another_c_library_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, told: dict[str, object], fails: bool
) -> None:
    platform = next(platform for platform in platforms.PLATFORMS if platform.target == target)
    answer = json.dumps({"overall_tag": "", "sym_tag": "", "external_libs": {}, "versioned_symbols": {}, **told})
    monkeypatch.setattr(audit.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0, answer))
    path = wheel(tmp_path, f"untied-0-cp311-cp311-{platform.tag}.whl", *FILES)
    if fails:
        with pytest.raises(SystemExit, match=r" is (many|musl)linux_"):
            audit.audit(path, platform)
    else:
        assert audit.audit(path, platform) == f"auditwheel: {platform.tag}"


def outcome(**changes: object) -> object:
    return trial.Outcome(**{"code": 0, "output": b"AP\t0.5\n", "messages": b"", "files": {"a": b"1"}, **changes})


@pytest.mark.parametrize("change", [{"code": 1}, {"output": b"AP\t0.6\n"}, {"messages": b"!"}, {"files": {"a": b"2"}}])
def test_any_other_byte_is_a_difference(tmp_path: Path, change: dict[str, object]) -> None:
    files = []
    for name, found in (("one", outcome()), ("two", outcome()), ("three", outcome(**change))):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({name: trial.Trial({"untied eval": found}).hashes()}))
        files.append(path)
    same, different = (
        subprocess.run([sys.executable, RELEASE / "trial.py", *compared], capture_output=True, text=True, check=False)
        for compared in (files[:2], files)
    )
    assert (same.returncode, same.stderr) == (0, "")
    assert different.returncode == 1
    assert different.stderr == "three is unlike one: untied eval\n"


def test_a_command_line_that_some_machine_did_not_run_is_a_difference() -> None:
    ran = trial.Trial({"untied eval": outcome()}).hashes()
    with pytest.raises(SystemExit, match="b is unlike a: untied eval"):
        trial.compare({"a": ran, "b": {}})


def test_golden_files_are_held_against_output_and_exit_code() -> None:
    golden = "\n[exit code]\n0\n\n[output]\nAP\t0.5\n"
    assert trial.unlike_golden(outcome(), golden) is None
    assert "exit code 2" in trial.unlike_golden(outcome(code=2), golden)
    assert "0.6" in trial.unlike_golden(outcome(output=b"AP\t0.6\n"), golden)


def test_what_is_not_run_is_said_to_be_so(tmp_path: Path) -> None:
    built = build.Built("A", wheel(tmp_path, "a.whl"), "its files")
    assert any("NOT RUN" in line for line in built.lines())
    built.ran["Python 3.11"] = trial.Trial({"untied eval": outcome()})
    assert not any("NOT RUN" in line for line in built.lines())


def test_the_workflow_builds_every_platform_on_its_own_machine() -> None:
    text = WORKFLOW.read_text("utf-8")
    targets = set(re.findall(r"target: ([\w-]+)", text))
    known = {platform.target: platform for platform in platforms.PLATFORMS}
    assert targets <= known.keys()
    assert {known[target].tag for target in targets} == {platform.tag for platform in platforms.PLATFORMS}


def test_actions_are_pinned_and_permissions_are_few() -> None:
    text = WORKFLOW.read_text("utf-8")
    used = USED.findall(text)
    assert len(used) > 5
    for action, comment in used:
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action
    assert "\npermissions: {}\n" in text
    assert set(re.findall(r"^      ([\w-]+): (?:read|write)$", text, re.MULTILINE)) == {"contents", "id-token"}
    assert text.count(": write") == 1  # the trusted publisher's


def linted(command: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(workflows, "run", lambda *words, **_: found.append(Path(words[0]).name))
    command()
    return found


def test_workflows_are_linted_where_there_is_actionlint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(workflows, "BIN", tmp_path)
    monkeypatch.setattr(workflows, "variables", lambda: {"PATH": str(tmp_path)})
    assert linted(workflows.lint, monkeypatch) == []
    assert "workflows are not linted" in capsys.readouterr().out
    for program in ("go", "actionlint"):
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    assert linted(workflows.lint, monkeypatch) == ["actionlint"]
    (tmp_path / "actionlint").unlink()
    assert linted(workflows.lint, monkeypatch) == ["go", "actionlint"]


def test_a_release_is_for_platforms_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[object, ...]] = []
    monkeypatch.setattr(dev, "install", lambda *_: None)
    monkeypatch.setattr(dev, "build_module", lambda: True)
    monkeypatch.setattr(dev, "run", lambda *words: found.append(words[2:]))
    dev.release(["x86_64-unknown-linux-gnu"], "quick", None)
    dev.release([], "release", "a.json")
    assert found == [
        ("x86_64-unknown-linux-gnu", "--profile", "quick"),
        ("--profile", "release", "--outcomes", "a.json"),
    ]
