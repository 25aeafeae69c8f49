"""``help(untied.nDCG)``: definition, parameters and an example that is right, without a longer start."""

from __future__ import annotations

import doctest
import pydoc
import subprocess
import sys
from typing import Any

import pytest

import untied
from devtools import generate
from strategies import BUILT_IN
from untied._core import measure_info

INFOS = [*BUILT_IN, *measure_info(comparing=True)]


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info["name"])
def test_every_measure_has_its_own_docstring(info: Any) -> None:
    text = getattr(untied, info["name"]).__doc__
    assert text.startswith(info["name"])
    assert " ".join(info["equation"].split()) in " ".join(text.split())
    words = text.split("Parameters\n", 1)[-1]
    for name, default, _ in info["parameters"]:
        if name != "recall":
            assert f"\n{name} : " + (f"default {default}" if default else "required") in words
    example = doctest.DocTestParser().get_doctest(text, {}, info["name"], None, None)
    assert example.examples
    done = doctest.DocTestRunner(verbose=False).run(example)
    assert done.failed == 0
    assert max(map(len, text.splitlines())) <= 120


def test_help_shows_it() -> None:
    text = pydoc.plain(pydoc.render_doc(untied.nDCG))
    assert "normalised discounted cumulative gain" in text
    assert 'untied.evaluate(qrels, run, "nDCG", ties="range")["nDCG"]' in text
    assert untied.Measure.__doc__.splitlines()[0] == (
        'A measure with its parameters and its cutoff, such as ``nDCG(gain="exp2") @ 10``.'
    )
    assert (untied.nDCG(gain="exp2") @ 10).__doc__ == untied.nDCG.__doc__


def test_a_measure_of_ones_own() -> None:
    @untied.measure(name="HelpOwn")
    def own(grades: Any) -> float:
        """Count documents.

        All of them.
        """
        return float(len(grades))

    assert (own.__doc__ or "").startswith("HelpOwn[@k]: Count documents.\n\nAll of them.\n")


def test_a_start_does_not_load_it() -> None:
    code = "import sys, untied; sys.exit('untied.measures.help' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_examples_are_generated() -> None:
    assert (generate.ROOT / generate.EXAMPLES).read_text(encoding="utf-8") == generate.examples()
