"""Odd input never gives a traceback of ours: Python's objects of any kind, arguments of any kind on the command line.

The readers and the core are fuzzed in Rust (docs/testing.md).
"""

import contextlib
import io
import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import untied
from nightly import many
from untied.cli import main
from untied.cli.commands import COMMANDS

REFUSED = (ValueError, TypeError, OverflowError, RuntimeError, OSError)


class Odd:
    """A number that does something else when it is looked at."""

    def __init__(self, act):
        self.act = act

    def __float__(self):
        return self.act()

    def __repr__(self):
        return "Odd()"


class OwnError(Exception):
    """What a number may raise when it is looked at."""


def raising():
    raise OwnError


IDS = st.one_of(
    st.sampled_from(["a", "b", "c", b"a", 1, 0, -1, "1", "", " ", "a b", "\n", "#a", "\udcff", "\x00", "é", b"\xff"]),
    st.sampled_from([None, 1.5, True, (), 10**30, numpy.int64(1), numpy.str_("a"), numpy.float32(1), object()]),
    st.text(max_size=3),
)
NUMBERS = st.one_of(
    st.sampled_from([0, 1, 2, -1, 0.5, 1.0, True, 10**400, 2**53 + 1, -0.0, math.nan, math.inf, 5e-324, 1e308]),
    st.sampled_from(
        [Decimal("0.1"), Decimal("NaN"), Fraction(1, 3), numpy.float16(1), numpy.uint8(3), "1", None, [], 1j]
    ),
    st.builds(lambda number: Odd(lambda: number), st.sampled_from([1.0, 1, "1", None, math.nan])),
    st.just(Odd(raising)),
)
GRADES = st.one_of(
    st.dictionaries(IDS, NUMBERS, max_size=4),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from([0, 1, 2]), max_size=3),
    st.sampled_from([None, 3, "abc", {}, [], set()]),
)
RANKED = st.one_of(GRADES, st.lists(st.one_of(IDS, st.lists(IDS, max_size=3)), max_size=4))
QRELS = st.one_of(st.dictionaries(IDS, GRADES, max_size=3), st.sampled_from([None, 3, [], {}]))
RUNS = st.one_of(st.dictionaries(IDS, RANKED, max_size=3), st.lists(IDS, max_size=2), st.sampled_from([None, 3, {}]))
MEASURES = st.sampled_from(["AP", "nDCG@2", "RR", "Bpref", "P", "", "AP(rel=", None, 3, ["AP", "P@2"], []])
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "ties": st.sampled_from(["range", "docid", "best", "trec", "", None, 3]),
        "unjudged": st.sampled_from(["remove", "range", "worst", "no"]),
        "score_dtype": st.sampled_from(["float32", "float16", "decimals=3", "decimals=99", "int"]),
        "on_undefined": st.sampled_from(["nan", "raise", "zero", 0]),
        "variance": st.sampled_from([True, None, "yes"]),
        "threads": st.sampled_from([1, 2, 0, -1, None, "2", 10**30]),
    },
)


def check(call):
    """What a call gives, if it is not refused; panics and errors of the interpreter are no refusals."""
    with contextlib.suppress(*REFUSED, OwnError):
        return call()
    return None


@settings(max_examples=many(100, nightly=4000), suppress_health_check=[HealthCheck.too_slow])
@given(QRELS, RUNS, MEASURES, OPTIONS)
def test_objects_of_any_kind_are_evaluated_or_refused(qrels, run, measures, options):
    found = check(lambda: untied.evaluate(qrels, run, measures, **options))
    if found is not None:
        for row in found.means.to_dicts():
            assert not math.isinf(row["value"])


@settings(max_examples=many(80, nightly=2000), suppress_health_check=[HealthCheck.too_slow])
@given(RUNS, RUNS, st.sampled_from(["RBO", "MED(AP@3)", "Overlap@2", "Tau", "Delta(P@2)", "AP", None]), QRELS)
def test_objects_of_any_kind_are_compared_or_refused(one, other, measures, qrels):
    check(lambda: untied.compare(one, other, measures))
    check(lambda: untied.compare(one, other, measures, qrels=qrels))


@pytest.mark.parametrize("where", ["documents", "queries"])
@pytest.mark.parametrize("change", ["grows", "shrinks"])
@pytest.mark.parametrize("role", ["qrels", "run"])
def test_a_dict_that_its_numbers_change_is_an_error(where, change, role):
    documents = {}
    queries = {"q": documents, "r": {"x": 1.0}}

    def act():
        changing = documents if where == "documents" else queries
        if change == "grows":
            changing[f"new{len(changing)}"] = {} if where == "queries" else 1.0
        else:
            changing.popitem()
        return 1.0

    documents |= {"a": Odd(act), "b": 1.0, "c": 2.0}
    plain = {"q": {"a": 1}}
    with pytest.raises(RuntimeError, match="a dict changed while it was read"):
        untied.evaluate(*((queries, plain) if role == "qrels" else (plain, queries)), "AP")
    gains = {1: 1.0, 3: 2.0}
    gains[2] = Odd(lambda: gains.clear() or 1.0)
    with pytest.raises(untied.MeasureError, match="parameter gain cannot be"):
        untied.nDCG(gain=gains)


def flags(command):
    """The options of a command, by its help."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        main([command, "--help"])
    return sorted(set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text.getvalue())) - {"--help", "-h"})


FILES = {
    "qrels": b"q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n",
    "run": b"q1 Q0 a 1 2 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 1 t\n",
    "other": b"q1 Q0 b 1 2 t\nq2 Q0 a 2 2 t\n",
    "garbage": b"\x00\xff\n1 2\n",
    "empty": b"",
    "archive": b"\x1f\x8b\x08garbage",
    "\x1b[31mname": b"q1\n",
}
VALUES = [
    "AP",
    "nDCG@2",
    "P@2",
    "MED(AP@2)",
    "RBO",
    "range",
    "best",
    "json",
    "md",
    "csv",
    "tsv",
    "table",
    "1",
    "0",
    "-1",
]
VALUES += [
    "1e9",
    "0.5",
    "x",
    "",
    "q1",
    "a",
    "run.a",
    "\x1b[2J",
    "\udcff",
    "é",
    "AP=0.5",
    "AP>0.1",
    "groups",
    "prefs",
    "all",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_arguments_of_any_kind_give_no_traceback(command, tmp_path, monkeypatch, capsys):
    options = flags(command)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    word = st.one_of(
        st.sampled_from([*FILES, "missing", "."]), st.sampled_from(VALUES), st.sampled_from(options or [""])
    )
    files = st.sampled_from([["qrels", "run"], ["qrels", "run", "other"], ["run", "other"], []])

    @settings(max_examples=many(40, nightly=600), suppress_health_check=list(HealthCheck))
    @given(files, st.lists(word, max_size=6))
    def run(files, words):
        for name, content in FILES.items():
            (tmp_path / name).write_bytes(content)  # one may have been written over
        try:
            code = main([command, *files, *words])
        except SystemExit as exit:
            code = exit.code
        captured = capsys.readouterr()
        assert code in (0, 1, 2, 4, 7, 255)
        assert code == 0 or captured.err or captured.out
        assert code != 1 or "\x1b" not in captured.err  # 2 is argparse's, which repeats what was typed

    run()
