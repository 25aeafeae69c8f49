#!/usr/bin/env python3
"""Run a target under atheris: ``under_atheris.py TARGET [options of libFuzzer] [corpora, or files to try again]``."""

from __future__ import annotations

import hashlib
import pathlib
import sys
import tempfile

import atheris

with atheris.instrument_imports(include=["untied", "second", "shapes", "readers"]):
    import readers

target, folder = readers.TARGETS[sys.argv.pop(1)], tempfile.TemporaryDirectory()
prefix = next((option.partition("=")[2] for option in sys.argv if option.startswith("-artifact_prefix=")), "")


def once(data: bytes) -> None:
    """Try some bytes; those that fail are kept, which libFuzzer does not do for exceptions."""
    try:
        target(data, pathlib.Path(folder.name, "file"))
    except BaseException:
        pathlib.Path(f"{prefix}crash-{hashlib.sha1(data).hexdigest()}").write_bytes(data)
        raise


atheris.Setup(sys.argv, once)
atheris.Fuzz()
