import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from nightly import SEED, many

settings.register_profile(
    "untied", derandomize=SEED is None, max_examples=many(100), deadline=None, database=None, print_blob=False
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
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Path]]:
    """Folders of TREC's collections by name, with ``qrels.txt`` and runs; each is unpacked once."""
    shared = Path(os.environ.get("UNTIED_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    folders: dict[str, Path] = {}

    def unpack(name: str) -> Path:
        if name not in folders:
            folder = tmp_path_factory.mktemp(name)
            command = [sys.executable, shared / "data" / "unpack.py", name, folder]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            folders[name] = folder
        return folders[name]

    yield unpack
    for folder in folders.values():
        shutil.rmtree(folder)  # 330 MB, all in all
