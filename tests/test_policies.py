"""Policies: one list of values for types, help texts and refusals; the same in every entry point; refused at once."""

import argparse
import contextlib
import importlib
import inspect
import re
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import untied
from untied import _core, gate, policies, report, statistics, study
from untied.cli import COMMANDS, main
from untied.evaluation import curves
from untied.policies import (
    CERTIFYING,
    COMPARING,
    DISTRIBUTING,
    EVALUATING,
    GATING,
    OF_ARRAYS,
    Policies,
    Policy,
)

ABSENT = "/nowhere/at/all"
#: Functions and classes that take policies, those that there are, a call whose inputs do not exist, and the command.
ENTRY_POINTS: dict[str, tuple[Any, dict[str, Policy], Callable[..., object], str | None]] = {
    "evaluate": (untied.evaluate, EVALUATING, lambda **o: untied.evaluate(ABSENT, ABSENT, **o), "eval"),
    "Evaluator": (untied.Evaluator, EVALUATING, lambda **o: untied.Evaluator(ABSENT, **o), None),
    "curves": (curves.curves, EVALUATING, lambda **o: curves.curves(ABSENT, ABSENT, "q", **o), "curve"),
    "compare": (untied.compare, COMPARING, lambda **o: untied.compare(ABSENT, ABSENT, **o), "compare"),
    "compare_all": (untied.compare_all, COMPARING, lambda **o: untied.compare_all([ABSENT, ABSENT], **o), None),
    "certify": (untied.certify, CERTIFYING, lambda **o: untied.certify(ABSENT, [ABSENT, ABSENT], **o), "certify"),
    "distributions": (untied.distributions, DISTRIBUTING, lambda **o: untied.distributions(ABSENT, ABSENT, **o), None),
    "features": (untied.evaluate_features, OF_ARRAYS, lambda **o: untied.evaluate_features(ABSENT, **o), "features"),
    "evaluate_arrays": (untied.evaluate_arrays, OF_ARRAYS, lambda **o: untied.evaluate_arrays(None, None, **o), None),
    "ArrayEvaluator": (untied.ArrayEvaluator, OF_ARRAYS, lambda **o: untied.ArrayEvaluator(None, **o), None),
    "gate": (
        gate.gate, GATING, lambda **o: gate.gate(ABSENT, ABSENT, min={"AP": 0}, **o), "gate",
    ),
    "report": (report.report, EVALUATING, lambda **o: report.report(ABSENT, ABSENT, **o), "report"),
    "study.med": (study.med, COMPARING, lambda **o: study.med(ABSENT, [ABSENT], "out", **o), None),
}  # fmt: skip
with contextlib.suppress(ImportError):
    from untied import batches

    ENTRY_POINTS |= {
        "BatchEvaluator": (
            batches.BatchEvaluator, EVALUATING, lambda **o: batches.BatchEvaluator(grades=[0], docs=ABSENT, **o), None,
        ),
        "BatchComparer": (batches.BatchComparer, COMPARING, lambda **o: batches.BatchComparer(**o), None),
    }  # fmt: skip
    from untied import spark

    nothing: Any = None
    ENTRY_POINTS |= {
        "spark.evaluate": (spark.evaluate, EVALUATING, lambda **o: spark.evaluate(nothing, nothing, **o), None),
        "spark.compare": (spark.compare, COMPARING, lambda **o: spark.compare(nothing, nothing, **o), None),
    }

#: What the types of policies are called in signatures.
TYPES = {
    "ties": {
        "EVALUATING": "Ties",
        "COMPARING": "TiesOfPairs",
        "CERTIFYING": "TiesOfVerdicts",
        "OF_ARRAYS": "TiesOfArrays",
        "GATING": "TiesOfOneValue",
    },
    "unjudged": {
        "GATING": "UnjudgedOfOneValue",
        "CERTIFYING": "UnjudgedOfVerdicts",
        "DISTRIBUTING": "UnjudgedOfDistributions",
    },
    "on_undefined": {"GATING": "OnUndefinedOfGates"},
}
OTHERWISE = {
    "ties": "Ties", "unjudged": "Unjudged", "unretrieved": "Unretrieved", "score_dtype": "ScoreDtype",
    "queries": "Queries", "on_undefined": "OnUndefined", "adjust": "Adjust",
}  # fmt: skip
#: By design another default, see test_defaults.py.
DEFAULTS = {
    ("curves", "ties"): "range",
    ("features", "ties"): "range",
    ("study.med", "ties"): "docid",
    ("evaluate_arrays", "score_dtype"): None,
    ("ArrayEvaluator", "score_dtype"): None,
}


KINDS = ("EVALUATING", "COMPARING", "CERTIFYING", "DISTRIBUTING", "OF_ARRAYS", "GATING")


def kind(known: dict[str, Policy]) -> str:
    return next(name for name in KINDS if getattr(policies, name) is known)


def cases() -> list[tuple[str, str]]:
    """Every entry point with every policy that it takes."""
    return [
        (name, policy)
        for name, (function, known, *_) in ENTRY_POINTS.items()
        for policy in known
        if policy in inspect.signature(function).parameters
    ]


def types() -> dict[str, tuple[str, ...]]:
    """Values of the types, which only type checkers see."""
    source = (
        Path(policies.__file__).read_text(encoding="utf-8").replace("TYPE_CHECKING = False", "TYPE_CHECKING = True")
    )
    held: dict[str, Any] = {"__name__": "untied.policies"}
    exec(compile(source, policies.__file__, "exec"), held)
    return {name: typing.get_args(one) for name, one in held.items() if typing.get_origin(one) is typing.Literal}


def test_types_of_statistics_have_the_values_that_are_taken() -> None:
    taken = {
        "TestName": statistics.TESTS, "Correction": statistics.CORRECTIONS, "Alternative": statistics.ALTERNATIVES,
        "Interval": statistics.INTERVALS,
    }  # fmt: skip
    found = types()
    assert {name: found[name] for name in taken} == {name: tuple(values) for name, values in taken.items()}


def test_there_are_entry_points_enough() -> None:
    assert len(cases()) > 35
    assert {policy for _, policy in cases()} == set(EVALUATING)


def test_types_have_the_values_that_are_taken() -> None:
    found = types()
    for known in KINDS:
        for name, policy in getattr(policies, known).items():
            if name == "score_dtype":
                continue
            type_ = TYPES.get(name, {}).get(known, OTHERWISE[name])
            assert set(found[type_]) == set(policy.values), (known, name)
    from untied.inputs.files import QRELS_FORMATS, RUN_FORMATS

    assert (found["QrelsFormat"], found["RunFormat"]) == (QRELS_FORMATS, RUN_FORMATS)


@pytest.mark.parametrize(("name", "policy"), cases())
def test_signatures_agree(name: str, policy: str) -> None:
    function, known, *_ = ENTRY_POINTS[name]
    parameter = inspect.signature(function).parameters[policy]
    annotation = parameter.annotation.removesuffix(" | None")
    assert annotation == TYPES.get(policy, {}).get(kind(known), OTHERWISE[policy])
    assert parameter.default == DEFAULTS.get((name, policy), known[policy].default)
    assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("name", [name for name in ENTRY_POINTS if name != "study.med"])
def test_parameters_are_described_where_they_are_used(name: str) -> None:
    function, *_ = ENTRY_POINTS[name]
    _, _, entries = policies._parameters(inspect.getdoc(function) or "")
    described = [parameter for names, _ in entries for parameter in names]
    assert sorted(described) == sorted(inspect.signature(function).parameters)
    assert not any(line.strip().startswith("As for `") for _, lines in entries for line in lines)


def test_words_of_a_parameter_come_from_the_first_source_that_has_it() -> None:
    def first(b: int, e: int) -> None:
        """One.

        Parameters
        ----------
        b, e : int
            The b of `first`.
        """

    def second(a: int, b: int) -> None:
        """Two.

        Parameters
        ----------
        a : int
            An a.

            With more about it.
        b : int
            The b of `second`.
        """

    @policies.described_by(first, second)
    def third(a: int, b: int, c: int) -> None:
        """Three.

        Parameters
        ----------
        a, b
            As for `second`. From 0,
            at most.
        c : int
            As for `b`, but different.

        Returns
        -------
        None
        """

    text = inspect.getdoc(third)
    assert text == inspect.cleandoc(
        """Three.

        Parameters
        ----------
        a : int
            An a.

            With more about it.
        b : int
            The b of `first`.
            From 0,
            at most.
        c : int
            As for `b`, but different.

        Returns
        -------
        None
        """
    )
    with pytest.raises(KeyError, match="d"):

        @policies.described_by(first)
        def fourth(d: int) -> None:
            """Four.

            Parameters
            ----------
            d
                As for `first`.
            """


@pytest.mark.parametrize(("name", "policy"), cases())
def test_wrong_values_are_refused_before_anything_is_read(name: str, policy: str) -> None:
    _, _, call, _ = ENTRY_POINTS[name]
    for wrong in ("rnage", "", "Expected", 3, ["expected"]):
        with pytest.raises(untied.UntiedError, match=f"^{policy} must be .* or .*, not {re.escape(repr(wrong))}$"):
            call(**{policy: wrong})


@pytest.mark.parametrize("name", [name for name, policy in cases() if policy == "ties"])
def test_contradictions_are_refused_before_anything_is_read(name: str) -> None:
    function, known, call, _ = ENTRY_POINTS[name]
    if "trec" in known["ties"].values and "score_dtype" in inspect.signature(function).parameters:
        with pytest.raises(untied.UntiedError, match="ties 'trec' reads scores as float32"):
            call(ties="trec", score_dtype="float16")


ARGUMENTS = {
    "eval": [ABSENT, ABSENT],
    "curve": [ABSENT, ABSENT, "--query", "q"],
    "compare": [ABSENT, ABSENT],
    "features": [ABSENT],
    "gate": [ABSENT, ABSENT, "--min", "AP=0"],
    "report": [ABSENT, ABSENT, "-o", "x.html"],
    "stats": [ABSENT, ABSENT, ABSENT],
    "certify": [ABSENT, ABSENT, ABSENT],
    "study med": [ABSENT, ABSENT, "-o", "x"],
}


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parsers of commands that take policies."""
    found = {}
    for command in ARGUMENTS:
        if command.startswith("study"):
            from untied.cli.study import arguments_parser

            found[command] = arguments_parser(command.partition(" ")[2])
        else:
            found[command] = importlib.import_module(f"untied.cli.{command}").arguments_parser()
    return found


@pytest.mark.parametrize("command", ARGUMENTS)
def test_commands_have_the_defaults_values_and_words_of_functions(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    functions = {of: name for name, (*_, of) in ENTRY_POINTS.items() if of is not None}
    name = functions.get(command, "study.med" if command == "study med" else "evaluate")
    _, known, *_ = ENTRY_POINTS[name]
    options = [action for action in parsers()[command].full()._actions if action.dest in EVALUATING]
    assert options
    for action in options:
        assert action.default == DEFAULTS.get((name, action.dest), known[action.dest].default)
        assert action.help == known[action.dest].help(action.default)
        option = action.option_strings[0]
        with pytest.raises(SystemExit) as refused:
            main([*command.split(), *ARGUMENTS[command], option, "rnage"])
        assert refused.value.code == 2
        assert f"error: argument {option}: must be " in capsys.readouterr().err


def test_contradictions_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("eval", "compare", "gate", "stats", "curve"):
        with pytest.raises(SystemExit) as refused:
            main([command, *ARGUMENTS[command], "--ties", "trec", "--score-dtype", "decimals=2"])
        assert refused.value.code == 2
        assert "ties 'trec' reads scores as float32; it cannot be combined with another" in capsys.readouterr().err


def test_no_command_writes_policies_otherwise() -> None:
    """A parser that takes a policy under another list of values, or with words of its own, is found."""
    for command in COMMANDS:
        module = importlib.import_module(f"untied.cli.{command.replace('-', '_')}")
        made = getattr(module, "arguments_parser", None)
        if made is None or inspect.signature(made).parameters:
            continue
        taken = {action.dest for action in made().full()._actions} & set(EVALUATING)
        assert not taken or command in ARGUMENTS, command


QRELS, RUN = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}


def taken(call: Callable[[], object]) -> bool:
    """Whether the core takes a value."""
    try:
        call()
    except untied.UntiedError:
        return False
    return True


def test_the_core_takes_the_same_values() -> None:
    qrels, run = _core.Qrels.from_mapping(QRELS), _core.Run.from_mapping(RUN)
    defaults: Any = {name: policy.default for name, policy in EVALUATING.items()}
    for name, policy in EVALUATING.items():
        for value in [*policy.values, "decimals=17", "decimals=18", "decimals=", "decimals=x", "fail", "some"]:
            value = value.replace("=N", "=3")
            options = defaults | {name: value, "variance": False, "threads": 1}
            found = taken(lambda options=options: _core.Evaluator(qrels, [_core.Measure("AP")], **options))
            assert found == (policy.why_not(value) is None), (name, value)
    asked = [_core.comparing_measure("RBO")]
    for value in EVALUATING["ties"].values:
        options = dict.fromkeys(("qrels", "probabilities", "docs", "depth", "threads"))
        options |= {"ties": value, "score_dtype": "float64", "variance": False, "itself": False}
        found = taken(lambda options=options: _core.compare_runs((run, run), asked, names=("a", "b"), **options))
        assert found == (COMPARING["ties"].why_not(value) is None), value


def test_help_says_what_values_mean() -> None:
    policy = Policy("kept", {"one": "the first", "two": "others", "three": "others", "four": ""}, "what is kept")
    assert policy.help("two") == "what is kept one, two (default), three or four", "some need no words"
    policy.values["four"] = "the last"
    assert policy.help("two") == "what is kept\none  the first\ntwo, three  others (default)\nfour  the last"
    fewer = policy.only("one", "four", because="two is company")
    assert fewer.why_not("two") == "must be one or four, not 'two': two is company"
    assert fewer.why_not("five") == "must be one or four, not 'five'"
    assert fewer.why_not("four") is None


def test_options_are_what_was_chosen() -> None:
    assert Policies(EVALUATING, ties="best").options == {"ties": "best"}
    assert Policies(COMPARING, ties="trec", score_dtype="float32", variance=True).options == {
        "ties": "trec", "score_dtype": "float32", "variance": True,
    }  # fmt: skip
    assert Policies(GATING, unjudged="worst")["unjudged"] == "worst"
