"""Processes that fork after a call of untied, and make it again."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from untied import _core

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from native_calls import CALLS

#: What only stands for results of other calls.
HELD = {"ArrayEvaluation", "Comparison", "Evaluation", "FeatureEvaluation"}


def test_everything_public_of_the_native_part_is_called() -> None:
    called = {name.partition(".")[0] for name in CALLS}
    assert {name for name in dir(_core) if callable(getattr(_core, name)) and not name.startswith("_")} <= called
    for kind in (_core.Run, _core.Qrels, _core.Lengths):
        made = {
            f"{kind.__name__}.{name}" for name in vars(kind) if name == "restore" or name.startswith(("read", "from"))
        }
        assert made <= set(CALLS)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_every_call_works_in_a_forked_process_too() -> None:
    """Threads do not survive a fork: whoever waits for them waits for ever."""
    program = pathlib.Path(__file__).parents[1] / "support" / "native_calls.py"
    command = [sys.executable, "-W", "ignore::DeprecationWarning", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
