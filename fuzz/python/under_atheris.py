#!/usr/bin/env python3
"""Run a target under atheris: ``python fuzz/python/under_atheris.py TARGET [options of libFuzzer] [corpora]``."""

from __future__ import annotations

import pathlib
import sys
import tempfile

import atheris

with atheris.instrument_imports(include=["untied", "second", "readers"]):
    import readers

with tempfile.TemporaryDirectory() as folder:
    target, path = readers.TARGETS[sys.argv.pop(1)], pathlib.Path(folder, "file")
    atheris.Setup(sys.argv, lambda data: target(data, path))
    atheris.Fuzz()
