import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Rooms use helpers that tests of other rooms define.
sys.path += sorted(str(folder) for folder in Path(__file__).parent.iterdir() if folder.is_dir())

from commands import Command, Outcome
from nightly import SEED, many

# Whatever a script starts in the background ignores interrupts, and so would the programs that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "untied",
    derandomize=SEED is None,
    max_examples=many(50, nightly=1000),
    deadline=None,
    database=None,
    print_blob=False,
)
settings.load_profile("untied")


def pytest_report_header() -> str | None:
    """The seed of a nightly run, which ``--hypothesis-seed`` has to have as well."""
    return f"UNTIED_NIGHTLY={SEED}" if SEED else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Random inputs often have nothing in common, or nothing relevant: tests of values need not hear of it."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.filterwarnings("ignore::untied.UntiedWarning"))


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Folders of TREC's collections by name, with ``qrels.txt`` and runs; each is unpacked once, for all processes."""
    shared = Path(os.environ.get("UNTIED_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    base = tmp_path_factory.getbasetemp()
    together = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def unpack(name: str) -> Path:
        if not (shared / "data").is_dir():
            pytest.skip(f"no TREC data in {shared} (set UNTIED_SHARED to the folder that holds data/)")
        folder, begun, part = (together / f"{name}{stage}" for stage in ("", ".begun", ".part"))
        while not folder.exists():
            try:
                begun.touch(exist_ok=False)
            except FileExistsError:  # another process is at it
                time.sleep(0.1)
                continue
            try:
                if not folder.exists():
                    command = [sys.executable, shared / "data" / "unpack.py", name, part]
                    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                    part.rename(folder)
            finally:
                begun.unlink()
        return folder

    return unpack


@pytest.fixture
def untied_(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Run a command in this process: exit code, output, messages."""
    from untied.cli import main

    def run(*arguments: object) -> Outcome:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stopped:  # argparse
            code = int(stopped.code or 0)
        captured = capsysbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    return run


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    sync_api = pytest.importorskip("playwright.sync_api")
    quiet = ("no-sandbox", "disable-gpu", "no-first-run", "disable-background-networking", "disable-sync")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=[f"--{option}" for option in quiet])
        yield launched
        launched.close()
