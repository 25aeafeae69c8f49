"""Options that would have no effect are refused before anything is read."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import untied
from commands import Command
from untied.cli.command import split_outputs, style_of
from untied.cli.commands import COMMANDS
from untied.cli.options import Arguments
from untied.cli.rules import TWO_RUNS, ByName, Condition, Excludes, Needs, Rule
from untied.cli.study import RULES, arguments_parser
from untied.gate import gate

COMPARED = "gate QRELS NEW --baseline OLD --max-drop AP=0.1"
#: Inputs of commands with rules on their options.
INPUTS = {
    "eval": "QRELS A", "compare": "A B", "stats": "QRELS A B", "judges": "QRELS QRELS A", "certify": "QRELS A B",
    "gate": "QRELS A", "report": "QRELS A -o x.html", "curve": "QRELS A --query 1", "features": "DATA",
    "sample": "QRELS",
    "study med": "QRELS A B -o x", "study passages": "QRELS A B -o x",
    "measures": "AP", "convert": "",
}  # fmt: skip
#: Words for options that do not take the word 1.
WORDS = {
    "--max-drop": "AP=0.1", "--max-med": "P@2=1", "--min": "RR=1", "--max": "RR=1", "--certain": "AP",
    "--min-overturn": "AP=1", "--column": "score=x", "--measure": "AP",
    "--grade": "x=1", "--rate": "0.5", "--quantiles": "0.5", "--explain": "A B", "--level": "0.9",
    "--documents": "0.5", "--distance": "RBO",
}  # fmt: skip


def rules() -> list[tuple[str, int]]:
    """Each command with rules, and the numbers of its rules."""
    return [(command, number) for command in INPUTS for number in range(len(rules_of(command)))]


def rules_of(command: str) -> Sequence[Rule]:
    """The rules on the options of a command or study."""
    if command.startswith("study "):
        return RULES[command.removeprefix("study ")]
    rules: Sequence[Rule] = importlib.import_module(f"untied.cli.{command}").COMMAND.rules
    return rules


def arguments_of(command: str) -> Arguments:
    """The declared arguments of a command or study."""
    if command.startswith("study "):
        return arguments_parser(command.removeprefix("study "))
    return importlib.import_module(f"untied.cli.{command}").COMMAND.arguments()


def words_for(condition: Condition, arguments: Arguments, *, held: bool = True) -> list[str]:
    """Words under which a condition holds, or one on a value does not."""
    if condition.text == "RUN":
        return ["A"] if held else []
    if condition.text == TWO_RUNS:
        return [] if held else ["C"]
    if condition.name == "-o":
        return ["-o", f"x.{condition.values[0]}"] if held else []
    declared = next(one for one in arguments.declared if condition.name in one.names)
    if not declared.is_option:  # before the command's file
        return [next(value for value in declared.options["choices"] if (value in condition.values) == held), "A"]
    if not declared.takes_value:
        return [condition.name] if held else []
    policy = getattr(declared.options.get("type"), "__self__", None)
    choices = [*(declared.options.get("choices") or (policy.values if policy else [WORDS.get(condition.name, "1")]))]
    if condition.values:
        value = next(str(one) for one in choices if one != "auto" and (str(one) in condition.values) == held)
        return [condition.name, value]
    return [condition.name, *str(choices[0]).split()] if held else []


@pytest.mark.parametrize(("command", "number"), rules())
def test_every_rule_can_be_broken(untied_: Command, command: str, number: int) -> None:
    """Every way to break a rule is refused, with the rule's own sentence, before anything is read."""
    arguments = arguments_of(command)
    rule = rules_of(command)[number]
    given = INPUTS[command].split()
    for option in rule.options:
        others = [rule.others] if isinstance(rule, Needs) else [[other] for other in rule.others]
        for each in others:
            words = [*given, *words_for(option, arguments)]
            for other in each:
                if other.text != option.text:
                    words += words_for(other, arguments, held=isinstance(rule, Excludes))
            options = arguments.read(words)
            split_outputs(options, arguments.beside)
            if arguments.formats or arguments.style_of:
                options.style = style_of(options, arguments)
            named = ByName(options, arguments)
            sentences = list(rule.broken(named))
            if isinstance(rule, Excludes) and each[0].text == option.text:
                assert not sentences
                continue
            assert sentences, words
            code, out, err = untied_(*command.split(), *words)
            assert (code, out) == (2, ""), words
            every = [sentence for rule in rules_of(command) for sentence in rule.broken(named)]
            assert any(sentence in err for sentence in every), err
            assert "No such file" not in err


def test_every_command_with_rules_is_tried() -> None:
    modules = {command: importlib.import_module(f"untied.cli.{command.replace('-', '_')}") for command in COMMANDS}
    assert {command for command, module in modules.items() if module.COMMAND.rules} == {
        command for command in INPUTS if " " not in command
    }


@pytest.mark.parametrize(("line", "refusal"), [
    ("eval QRELS NEW --unretrieved pooled", "unretrieved 'pooled' has no effect unless unjudged is range"),
    ("eval QRELS NEW --unretrieved none", "unretrieved 'none' has no effect unless unjudged is range"),
    ("eval QRELS NEW --ties trec --score-dtype float64", "ties 'trec' reads scores as float32"),
    ("report QRELS NEW OLD -o x.html --test tukey --correction bh", "--correction cannot be combined with"),
    # The same, if what is typed is the default.
    ("stats QRELS NEW OLD --test t --samples 100000", "--samples needs --test randomization or tukey"),
    ("stats QRELS NEW OLD --test t --samples=100000", "--samples needs --test randomization or tukey"),
    ("eval QRELS NEW --quantiles 0.5 --ties expected", "--quantiles cannot be combined with --ties"),
    ("compare OLD NEW --qrels-format auto", "--qrels-format has no effect without --qrels"),
    ("measures --abilities --details", "--abilities cannot be combined with --details"),
    ("certify QRELS OLD NEW --from-sample --unjudged retrieved", "--from-sample cannot be combined with --unjudged"),
    ("stats QRELS NEW OLD --test tukey --corr=holm", "--correction cannot be combined with --test tukey, which"),
    ("curve QRELS NEW --query 1 -o x.svg --digits 4", "--digits cannot be combined with --format svg"),
    ("study med QRELS NEW -o x --groups g --prefix 3", "--prefix cannot be combined with --groups"),
])  # fmt: skip
def test_what_has_no_effect_is_refused(untied_: Command, line: str, refusal: str) -> None:
    code, out, err = untied_(*line.split())
    assert (code, out) == (2, "")
    assert refusal in err, err
    assert "No such file" not in err


@pytest.mark.parametrize("line", [
    f"{COMPARED} --significant 0.9",
    "gate QRELS NEW --baseline OLD --certain AP --min AP=0.1 --unjudged worst",
    "eval QRELS NEW --unretrieved pooled --unjudged worst",
    "eval QRELS NEW --unretrieved none --unjudged range",
    "eval QRELS NEW --ties trec --score-dtype float32",
    "eval QRELS NEW --ties expected --score-dtype float64 --adjust none --digits 4",
    "compare OLD NEW --qrels QRELS --qrels-format csv",
    "sample QRELS NEW --depth 5 --rate 0.5 --by-query --rel 2 --seed 1",
    "stats QRELS NEW OLD --test tukey --interval none --samples 9 --seed 1",
    "stats QRELS NEW OLD --test t --seed 1",
    "stats QRELS NEW OLD --show power --correction holm",
    "stats QRELS NEW OLD --rows 9 --format md",
    "report QRELS NEW OLD -o x.html --test t --level 0.9",
    "study passages QRELS NEW -o x --text-length 9 --prefix 5",
])  # fmt: skip
def test_what_has_an_effect_is_accepted(untied_: Command, line: str) -> None:
    code, _, err = untied_(*line.split())
    assert (code, "No such file" in err) == (2, True), err


def test_a_format_that_is_typed_holds_for_any_name(untied_: Command, tmp_path: Path) -> None:
    qrels, run, written = (tmp_path / name for name in ("qrels", "run", "gate.json"))
    qrels.write_text("q 0 d 1\n")
    run.write_text("q Q0 d 1 2 t\n")
    command = ["gate", qrels, run, "--min", "RR=1", "-o", written]
    assert untied_(*command)[0] == 0
    assert written.read_text().startswith("{"), "by the suffix"
    assert untied_(*command, "--format", "text")[0] == 0
    assert written.read_text().startswith("passed"), "by the option"


@pytest.mark.parametrize(("options", "refusal"), [
    ({"min": {"RR": 0}, "level": 0.9}, "level has no effect without significant"),
    ({"min": {"RR": 0}, "samples": 9}, "samples has no effect without significant"),
    ({"min": {"RR": 0}, "seed": 1}, "seed has no effect without significant"),
    ({"certain": "P@1", "baseline": "OLD", "unjudged": "worst"}, "unjudged has no effect without min, max or max_drop"),
])  # fmt: skip
def test_gates_in_python(options: Any, refusal: str) -> None:
    with pytest.raises(untied.UntiedError, match=refusal):
        gate("QRELS", "NEW", **options)


def test_unretrieved_documents_in_python() -> None:
    for unjudged in ("nonrelevant", "remove"):
        with pytest.raises(untied.UntiedError, match="unretrieved 'pooled' has no effect unless unjudged is range"):
            untied.Evaluator("QRELS", unjudged=unjudged, unretrieved="pooled")
