"""Policies: one table for types, help texts and refusals; every value is tried, and every other refused, everywhere."""

import argparse
import contextlib
import importlib
import inspect
import json
import pickle
import re
import tempfile
import typing
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import untied
from devtools import docstrings
from untied import _core, gate, report, statistics, study, verdicts
from untied._types import Purpose
from untied.cli import main
from untied.cli.commands import COMMANDS
from untied.compat import beir, pytrec_eval
from untied.evaluation import curves
from untied.policies import PolicyOption

ABSENT = "/nowhere/at/all"
QRELS, RUN, OTHER = {"q": {"a": 1, "b": 0, "d": -1}}, {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}, {"q": {"b": 2.0, "a": 1.0}}
RUNS = {"run": RUN, "other": OTHER}
SAMPLE = {f"q{n}": {"a": 1, "b": -1} if n % 2 else {"a": -1, "b": 0} for n in range(8)}
PURPOSES: tuple[Purpose, ...] = typing.get_args(Purpose)


class EntryPoint(NamedTuple):
    """A function or class that takes policies."""

    function: Any
    purpose: Purpose
    #: A call whose inputs do not exist, and one with small inputs; None where that needs more than untied.
    absent: Callable[..., object]
    small: Callable[..., object] | None
    command: str | None = None


ENTRY_POINTS: dict[str, EntryPoint] = {
    "evaluate": EntryPoint(
        untied.evaluate, "runs", lambda **o: untied.evaluate(ABSENT, ABSENT, **o),
        lambda **o: untied.evaluate(QRELS, RUN, "AP", **o), "eval",
    ),
    "Evaluator": EntryPoint(
        untied.Evaluator, "runs", lambda **o: untied.Evaluator(ABSENT, **o),
        lambda **o: pickle.loads(pickle.dumps(untied.Evaluator(QRELS, "AP", **o))).evaluate(RUN),
    ),
    "curves": EntryPoint(
        curves.curves, "runs", lambda **o: curves.curves(ABSENT, ABSENT, "q", **o),
        lambda **o: curves.curves(QRELS, RUN, "q", **o), "curve",
    ),
    "compare": EntryPoint(
        untied.compare, "pairs", lambda **o: untied.compare(ABSENT, ABSENT, **o),
        lambda **o: untied.compare(RUN, OTHER, "RBO", **o), "compare",
    ),
    "compare_all": EntryPoint(
        untied.compare_all, "pairs", lambda **o: untied.compare_all([ABSENT, ABSENT], **o),
        lambda **o: untied.compare_all(RUNS, "RBO", **o),
    ),
    "certify": EntryPoint(
        untied.certify, "verdicts", lambda **o: untied.certify(ABSENT, [ABSENT, ABSENT], **o),
        lambda **o: untied.certify(QRELS, RUNS, "P@1", **o), "certify",
    ),
    "from_sample": EntryPoint(
        verdicts.from_sample, "samples", lambda **o: verdicts.from_sample(ABSENT, [ABSENT, ABSENT], **o),
        lambda **o: verdicts.from_sample(SAMPLE, {name: {query: [name] for query in SAMPLE} for name in "ab"},
                                         "P@1", **o),
    ),
    "distributions": EntryPoint(
        untied.distributions, "distributions", lambda **o: untied.distributions(ABSENT, ABSENT, **o),
        lambda **o: untied.distributions(QRELS, RUN, "AP", **o),
    ),
    "features": EntryPoint(
        untied.evaluate_features, "arrays", lambda **o: untied.evaluate_features(ABSENT, **o),
        lambda **o: untied.evaluate_features([[1, 2], [2, 1]], "AP", labels=[1, 0], query_ids=["q", "q"], **o),
        "features",
    ),
    "evaluate_arrays": EntryPoint(
        untied.evaluate_arrays, "arrays", lambda **o: untied.evaluate_arrays(None, None, **o),
        lambda **o: untied.evaluate_arrays([[1, 1]], [[0, 1]], "AP", **o),
    ),
    "ArrayEvaluator": EntryPoint(
        untied.ArrayEvaluator, "arrays", lambda **o: untied.ArrayEvaluator(None, **o),
        lambda **o: untied.ArrayEvaluator([[0, 1]], "AP", **o).evaluate([[1, 1]]),
    ),
    "gate": EntryPoint(
        gate.gate, "one-value", lambda **o: gate.gate(ABSENT, ABSENT, min={"AP": 0}, **o),
        lambda **o: gate.gate(QRELS, RUN, min={"AP": 0}, **o), "gate",
    ),
    "pytrec_eval": EntryPoint(
        pytrec_eval.RelevanceEvaluator, "one-value", lambda **o: pytrec_eval.RelevanceEvaluator({}, ["map"], **o),
        lambda **o: pytrec_eval.RelevanceEvaluator(QRELS, ["map"], **o).evaluate(RUN),
    ),
    "beir.mrr": EntryPoint(
        beir.mrr, "one-value", lambda **o: beir.mrr({}, {}, [1], **o), lambda **o: beir.mrr(QRELS, RUN, [1], **o),
    ),
    "report": EntryPoint(
        report.report, "runs", lambda **o: report.report(ABSENT, ABSENT, **o),
        lambda **o: report.report(QRELS, RUN, "AP", **o), "report",
    ),
    "study.med": EntryPoint(
        study.med, "pairs", lambda **o: study.med(ABSENT, [ABSENT], "out", **o),
        lambda **o: study.med(
            QRELS, RUNS | {"third": RUN}, tempfile.mkdtemp(), distances=["RBO"], rates=[0.5], cutoffs=[1],
            plots="none", **o,
        ),
        "study med",
    ),
}  # fmt: skip
with contextlib.suppress(ImportError):
    from untied import batches

    ENTRY_POINTS |= {
        "BatchEvaluator": EntryPoint(
            batches.BatchEvaluator, "runs", lambda **o: batches.BatchEvaluator(grades=[0], docs=ABSENT, **o),
            lambda **o: batches.BatchEvaluator("AP", grades=[0, 1], **o).schema,
        ),
        "BatchComparer": EntryPoint(
            batches.BatchComparer, "pairs", lambda **o: batches.BatchComparer(**o),
            lambda **o: batches.BatchComparer("RBO", **o).schema,
        ),
    }  # fmt: skip
    from untied import spark

    nothing: Any = None
    ENTRY_POINTS |= {
        "spark.evaluate": EntryPoint(spark.evaluate, "runs", lambda **o: spark.evaluate(nothing, nothing, **o), None),
        "spark.compare": EntryPoint(spark.compare, "pairs", lambda **o: spark.compare(nothing, nothing, **o), None),
    }

#: By design another default, see test_defaults.py.
DEFAULTS = {
    ("curves", "ties"): "range",
    ("features", "ties"): "range",
    ("study.med", "ties"): "docid",
    ("evaluate_arrays", "score_dtype"): None,
    ("ArrayEvaluator", "score_dtype"): None,
    ("pytrec_eval", "ties"): "trec",
    ("beir.mrr", "ties"): "given",
}
#: Values of policies that cannot be combined for runs.
CLASHES: set[tuple[tuple[str, str], tuple[str, str]]] = {
    *((("ties", "trec"), ("score_dtype", dtype)) for dtype in ("float16", "bfloat16", "decimals=3")),
    *((("unjudged", unjudged), ("unretrieved", "pooled")) for unjudged in ("nonrelevant", "remove")),
    *((("unjudged", unjudged), ("adjust", "chance")) for unjudged in ("range", "best", "worst")),
}


def values(purpose: Purpose) -> dict[str, list[str]]:
    """The policies of a purpose, each with its values; one stands for all of a pattern."""
    return {
        policy["name"]: [value.replace("=N", "=3") for value, *_ in policy["choices"]]
        for policy in _core.policies(purpose)
    }


def cases() -> list[tuple[str, str]]:
    """Every entry point with every policy that it takes."""
    return [
        (name, policy)
        for name, entry in ENTRY_POINTS.items()
        for policy in values(entry.purpose)
        if policy in inspect.signature(entry.function).parameters
    ]


def refusal(purpose: Purpose, chosen: dict[str, Any], typed: Sequence[str] = ()) -> str | None:
    """What the table says of values; None if it takes them."""
    try:
        _core.Policies(purpose, typed=list(typed), **chosen)
    except untied.UntiedError as error:
        return str(error)
    return None


def taken(name: str, policy: str, value: str, *, typed: bool = False) -> dict[str, str]:
    """Options with this value that do not clash; defaults clash only if they are typed."""
    purpose = ENTRY_POINTS[name].purpose
    others = [(other, one) for other, all_ in values(purpose).items() if (name, other) in cases() for one in all_]
    tried = [{policy: value}, *({policy: value, other: one} for other, one in others if other != policy)]
    return next(chosen for chosen in tried if refusal(purpose, chosen, list(chosen) if typed else []) is None)


def types() -> dict[str, tuple[str, ...]]:
    """Values of the types, which only type checkers see."""
    held = vars(importlib.import_module("untied._literals"))
    return {name: typing.get_args(one) for name, one in held.items() if typing.get_origin(one) is typing.Literal}


def type_of(purpose: Purpose, policy: str) -> str:
    """What the type of a policy is called in signatures: types of other purposes only where the values differ."""
    name = "".join(word.capitalize() for word in policy.split("_"))
    of_runs = values("runs").get(policy)
    suffix = "Of" + "".join(word.capitalize() for word in purpose.split("-"))
    return name if values(purpose)[policy] == of_runs else name + suffix


def test_types_of_statistics_and_formats_have_the_values_that_are_taken() -> None:
    from untied.inputs.files import QRELS_FORMATS, RUN_FORMATS

    taken = {
        "TestName": statistics.TESTS, "Correction": statistics.CORRECTIONS, "Alternative": statistics.ALTERNATIVES,
        "Interval": statistics.INTERVALS, "QrelsFormat": QRELS_FORMATS, "RunFormat": RUN_FORMATS,
    }  # fmt: skip
    found = types()
    assert {name: found[name] for name in taken} == {name: tuple(values) for name, values in taken.items()}


def test_there_are_entry_points_enough() -> None:
    assert len(cases()) > 35
    assert {policy for _, policy in cases()} == set(values("runs"))
    assert {entry.purpose for entry in ENTRY_POINTS.values()} == set(PURPOSES)


def test_types_have_the_values_that_are_taken() -> None:
    found = types()
    for purpose in PURPOSES:
        for policy, choices in values(purpose).items():
            if policy != "score_dtype" and (purpose, policy) != ("distributions", "ties"):  # which has no parameter
                assert set(found[type_of(purpose, policy)]) == set(choices), (purpose, policy)


@pytest.mark.parametrize(("name", "policy"), cases())
def test_signatures_agree(name: str, policy: str) -> None:
    entry = ENTRY_POINTS[name]
    parameter = inspect.signature(entry.function).parameters[policy]
    assert parameter.annotation.removesuffix(" | None") == type_of(entry.purpose, policy)
    assert parameter.default == DEFAULTS.get((name, policy), values(entry.purpose)[policy][0])
    assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize(("name", "policy"), cases())
def test_every_value_is_taken(name: str, policy: str) -> None:
    entry = ENTRY_POINTS[name]
    if entry.small is None:
        pytest.skip("needs Spark; tests/batches/test_spark.py has it")
    for value in values(entry.purpose)[policy]:
        entry.small(**taken(name, policy, value))


@pytest.mark.parametrize(("name", "policy"), cases())
def test_other_values_are_refused_with_their_reason_before_anything_is_read(name: str, policy: str) -> None:
    entry = ENTRY_POINTS[name]
    elsewhere = {value for purpose in PURPOSES for value in values(purpose).get(policy, [])}
    known = values(entry.purpose)[policy]
    others = elsewhere.difference(known)
    unknown: list[Any] = ["rnage", "", "Expected", "decimals=18", "decimals=", 3, ["expected"], b"expected", "\ud800"]
    for wrong in [*others, *unknown]:
        expected = _core.why_not(entry.purpose, policy, wrong)
        assert expected
        assert re.fullmatch(rf"must be .* or .*, not {re.escape(repr(wrong))}(: .*)?", expected)
        with pytest.raises(untied.UntiedError) as refused:
            entry.absent(**{policy: wrong})
        assert str(refused.value) == f"{policy} {expected}"


@pytest.mark.parametrize(("purpose", "policy", "value", "reason"), [
    ("arrays", "ties", "docid", "documents have no ids here"),
    ("arrays", "ties", "trec", "documents have no ids here"),
    ("pairs", "ties", "range", "a comparison of two rankings has no best or worst order"),
    ("verdicts", "ties", "best", "a comparison of two rankings has no best or worst order"),
    ("one-value", "ties", "range", "here a result is one value; use best and worst instead"),
    ("one-value", "unjudged", "range", "here a result is one value; use best and worst instead"),
    ("distributions", "unjudged", "worst", "a distribution is only over orders of tied documents"),
    ("samples", "ties", "given", "verdicts from a sample are about means .*"),
])  # fmt: skip
def test_reasons(purpose: Purpose, policy: str, value: str, reason: str) -> None:
    assert re.fullmatch(f".*, not '{value}': {reason}", _core.why_not(purpose, policy, value) or "")


def pairs(name: str) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """All values of every two policies of an entry point."""
    of_purpose = values(ENTRY_POINTS[name].purpose)
    of_entry = {policy: all_ for policy, all_ in of_purpose.items() if (name, policy) in cases()}
    for one, other in combinations(of_entry, 2):
        yield from (((one, first), (other, second)) for first in of_entry[one] for second in of_entry[other])


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_clashes_are_refused_before_anything_is_read(name: str) -> None:
    entry = ENTRY_POINTS[name]
    for pair in pairs(name):
        chosen = dict(pair)
        why = refusal(entry.purpose, chosen)
        assert (why is not None) == (pair in CLASHES or pair[::-1] in CLASHES or _clashes_alone(entry.purpose, chosen))
        if why is not None:
            with pytest.raises(untied.UntiedError) as refused:
                entry.absent(**chosen)
            assert str(refused.value) == why


def _clashes_alone(purpose: Purpose, chosen: dict[str, str]) -> bool:
    """Whether a value clashes with the default of another policy, which is not chosen."""
    return any(
        purpose == "runs" and policy == "unretrieved" and value == "pooled" and "unjudged" not in chosen
        for policy, value in chosen.items()
    )


def test_a_default_clashes_only_if_it_was_typed() -> None:
    assert refusal("runs", {"ties": "trec", "score_dtype": "float64", "unretrieved": "none"}) is None
    with pytest.raises(untied.UntiedError, match="ties 'trec' reads scores as float32"):
        _core.Policies("runs", typed=["score_dtype"], ties="trec", score_dtype="float64")
    with pytest.raises(untied.UntiedError, match="unretrieved 'none' has no effect unless"):
        _core.Policies("runs", typed=["unretrieved"], unretrieved="none")


def test_policies_say_what_is_used() -> None:
    chosen = _core.Policies("runs", ties="trec", unjudged="range")
    for one in (chosen, pickle.loads(pickle.dumps(chosen))):
        assert one["ties"] == "trec"
        assert one.chosen() == {
            "ties": "trec", "unjudged": "range", "unretrieved": "none", "score_dtype": "float32", "queries": "qrels",
            "on_undefined": "zero", "adjust": "none",
        }  # fmt: skip
        assert one.varied == ("judgments",)
    assert _core.Policies("pairs", score_dtype="decimals=2")["score_dtype"] == "decimals=2"
    of_pairs = _core.Policies("pairs")
    with pytest.raises(KeyError, match="queries"):
        of_pairs["queries"]
    with pytest.raises(untied.UntiedError, match="'queries' is no policy of pairs"):
        _core.Policies("pairs", queries="common")
    with pytest.raises(untied.UntiedError, match="'nothing' is no purpose"):
        _core.policies("nothing")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", [name for name in ENTRY_POINTS if name not in ("study.med", "from_sample", "pytrec_eval", "beir.mrr")]
)
def test_parameters_are_described_where_they_are_used(name: str) -> None:
    function = ENTRY_POINTS[name].function
    described = docstrings.Sources(docstrings.ROOT).described(f"{function.__module__}.{function.__qualname__}")
    assert sorted(described) == sorted(inspect.signature(function).parameters)
    assert not any(line.strip().startswith("As for `") for lines in described.values() for line in lines)


ARGUMENTS = {
    "eval": ["QRELS", "RUN", "-m", "AP"],
    "curve": ["QRELS", "RUN", "--query", "q"],
    "compare": ["RUN", "OTHER"],
    "features": ["DATA", "-m", "AP"],
    "gate": ["QRELS", "RUN", "--min", "AP=0"],
    "report": ["QRELS", "RUN", "-m", "AP", "-o", "x.html"],
    "stats": ["QRELS", "RUN", "OTHER", "-m", "AP"],
    "judges": ["QRELS", "QRELS", "RUN", "-m", "AP"],
    "certify": ["QRELS", "RUN", "OTHER", "-m", "P@1"],
    "study med": [
        "QRELS", "RUN", "OTHER", "THIRD", "-o", "x", "--restart", "--distance", "RBO", "--rates", "0.5",
        "--cutoffs", "1", "--plots", "none",
    ],
}  # fmt: skip
#: What the options of a command are named after in Python.
COMMANDS_OF = {entry.command: name for name, entry in ENTRY_POINTS.items() if entry.command} | {
    "stats": "evaluate", "judges": "evaluate",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small inputs of every command, in the working directory."""
    monkeypatch.chdir(tmp_path)
    judged = ((query, document, grade) for query, grades in QRELS.items() for document, grade in grades.items())
    Path("QRELS").write_text("".join(f"{query} 0 {document} {grade}\n" for query, document, grade in judged))
    for name, run in {"RUN": RUN, "OTHER": OTHER, "THIRD": RUN}.items():
        lines = (f"q Q0 {document} 0 {score} {name}\n" for document, score in run["q"].items())
        Path(name).write_text("".join(lines))
    Path("DATA").write_text("1 qid:1 1:1 2:2\n0 qid:1 1:2 2:1\n")
    return tmp_path


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parsers of commands that take policies."""
    found = {}
    for command in ARGUMENTS:
        if command.startswith("study"):
            from untied.cli.study import arguments_parser

            found[command] = arguments_parser(command.partition(" ")[2])
        else:
            found[command] = importlib.import_module(f"untied.cli.{command}").COMMAND.arguments()
    return {command: made.full() for command, made in found.items()}


def options_of(command: str) -> list[argparse.Action]:
    """The options of a command that are policies."""
    return [action for action in parsers()[command]._actions if action.dest in values("runs")]


@pytest.mark.parametrize("command", ARGUMENTS)
def test_commands_have_the_defaults_and_words_of_functions(command: str) -> None:
    name = COMMANDS_OF[command]
    options = options_of(command)
    assert options
    for action in options:
        policy = PolicyOption(ENTRY_POINTS[name].purpose, action.dest)
        assert action.default == DEFAULTS.get((name, action.dest), policy.values[0])
        assert action.help == policy.help(action.default)
        assert action.metavar == policy.placeholder


@pytest.mark.parametrize("command", ARGUMENTS)
@pytest.mark.usefixtures("folder")
def test_commands_take_every_value(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = COMMANDS_OF[command]
    purpose = ENTRY_POINTS[name].purpose
    for action in options_of(command):
        for value in values(purpose)[action.dest]:
            chosen = taken(name, action.dest, value, typed=True)
            typed = [word for policy, one in chosen.items() for word in (f"--{policy.replace('_', '-')}", one)]
            assert not main([*command.split(), *ARGUMENTS[command], *typed]), (typed, capsys.readouterr().err)


@pytest.mark.parametrize("command", ARGUMENTS)
@pytest.mark.usefixtures("folder")
def test_json_holds_the_policies_that_were_used(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Also those that follow from another: trec_eval 9's order of ties reads scores as 32-bit floats."""
    styles = next((action.choices or () for action in parsers()[command]._actions if action.dest == "format"), ())
    policies = {action.dest for action in options_of(command)}
    if not {"ties", "score_dtype"} <= policies or "json" not in styles:
        pytest.skip("no order of ties says how it reads scores, or it writes no JSON")
    assert not main([*command.split(), *ARGUMENTS[command], "--ties", "trec", "--format", "json"])
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert (settings["ties"], settings["score_dtype"]) == ("trec", "float32")


@pytest.mark.parametrize("command", ARGUMENTS)
def test_commands_refuse_other_values_with_their_reason(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    purpose = ENTRY_POINTS[COMMANDS_OF[command]].purpose
    arguments = [word.replace("QRELS", ABSENT).replace("RUN", ABSENT) for word in ARGUMENTS[command]]
    for action in options_of(command):
        elsewhere = {value for other in PURPOSES for value in values(other).get(action.dest, [])}
        for wrong in [*elsewhere.difference(values(purpose)[action.dest]), "rnage"]:
            option = action.option_strings[0]
            with pytest.raises(SystemExit) as refused:
                main([*command.split(), *arguments, option, wrong])
            assert refused.value.code == 2
            expected = f"error: argument {option}: {_core.why_not(purpose, action.dest, wrong)}"
            assert expected in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("command", ARGUMENTS)
def test_commands_refuse_clashes_before_anything_is_read(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    purpose = ENTRY_POINTS[COMMANDS_OF[command]].purpose
    arguments = [word.replace("QRELS", ABSENT).replace("RUN", ABSENT) for word in ARGUMENTS[command]]
    options = {action.dest: values(purpose)[action.dest] for action in options_of(command)}
    for one, other in combinations(options, 2):
        for first in options[one]:
            for second in options[other]:
                typed = [f"--{one.replace('_', '-')}", first, f"--{other.replace('_', '-')}", second]
                why = refusal(purpose, {one: first, other: second}, typed=[one, other])
                if why is not None:
                    with pytest.raises(SystemExit) as refused:
                        main([*command.split(), *arguments, *typed])
                    assert refused.value.code == 2
                    assert f"error: {why}" in " ".join(capsys.readouterr().err.split())


def test_no_command_writes_policies_otherwise() -> None:
    """A parser that takes a policy under another list of values, or with words of its own, is found."""
    for command in COMMANDS:
        module = importlib.import_module(f"untied.cli.{command.replace('-', '_')}")
        taken = {action.dest for action in module.COMMAND.arguments().full()._actions} & set(values("runs"))
        assert not taken or command in ARGUMENTS, command


def test_help_says_what_values_mean() -> None:
    assert PolicyOption("runs", "adjust").help("none") == (
        "choose whether to adjust the values of measures for chance\n"
        "none  do not adjust the values (default)\n"
        "chance  rescale the values so that a random order of documents gets 0, and the best order gets 1"
    )
    assert PolicyOption("pairs", "score_dtype").help("float64") == (
        "round scores to a floating-point type or to N decimals: "
        "float64 (default), float32, float16, bfloat16 or decimals=N"
    )
    assert PolicyOption("runs", "ties").phrase("docid") == "with tied documents in descending order of id"
