"""Rules on options that need or exclude each other; a rule makes the sentence that refuses them."""

from __future__ import annotations

from untied.cli.options import UsageError
from untied.errors import either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from untied.cli.options import Arguments

#: A condition on the runs of a command.
TWO_RUNS = "exactly two runs"


class ByName:
    """The values of options by the options' names."""

    def __init__(self, options: Any, arguments: Arguments) -> None:
        self._options = options
        self._places = {one.name: one.dest for one in arguments.declared}
        #: The number of runs.
        self.runs = len(getattr(options, "runs", None) or ())

    def value(self, name: str) -> Any:
        """The value that an option has, given or by default; for ``--format``, the format that the output has.

        For ``-o``, it is the suffix, without the dot, of a file beside the output; None if there is none.
        """
        if name == "--format" and hasattr(self._options, "style"):
            return self._options.style
        if name == "-o":
            return next((path.rpartition(".")[2].lower() for path in self._options.beside), None)
        return getattr(self._options, self._places[name])

    def is_given(self, name: str) -> bool:
        """Whether an option was typed."""
        value = self.value(name)
        return self._places[name] in self._options.typed and value is not None and value is not False


class Condition:
    """An option that is given, or ``--option=value|value``: that it has one of these values, given or by default.

    ``RUN`` is that there are runs, and `TWO_RUNS` that there are two. A name without dashes is that of a word which is
    no option, and has one of the values.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.name, _, values = text.partition("=")
        self.values = values.split("|") if values else []

    def holds(self, options: ByName) -> bool:
        """Whether these options fulfil it."""
        if self.text in (TWO_RUNS, "RUN"):
            return options.runs == 2 if self.text == TWO_RUNS else options.runs > 0
        return options.value(self.name) in self.values if self.values else options.is_given(self.name)

    def __str__(self) -> str:
        if self.name == "-o":
            return f"-o FILE.{' or FILE.'.join(self.values)}"
        if self.values and not self.name.startswith("-"):
            return either(self.values)
        return f"{self.name} {either(self.values)}" if self.values else self.name

    def shown(self, options: ByName) -> str:
        """The condition that holds, with the value that there is."""
        if self.name == "-o":
            return f"-o FILE.{options.value(self.name)}"
        if self.values and not self.name.startswith("-"):
            return str(options.value(self.name))
        return f"{self.name} {options.value(self.name)}" if self.values else self.name


def conditions(text: str) -> list[Condition]:
    """The conditions in a text, with blanks between them."""
    return [Condition(text)] if text == TWO_RUNS else [Condition(part) for part in text.split()]


class Rule:
    """What options must fulfil."""

    def __init__(self, options: str, others: str, why: str = "") -> None:
        self.options, self.others, self.why = conditions(options), conditions(others), why

    def broken(self, options: ByName) -> Iterator[str]:
        """A sentence for each way in which options break the rule."""
        raise NotImplementedError


class Needs(Rule):
    """Each of these options has an effect only with one of the others."""

    def broken(self, options: ByName) -> Iterator[str]:
        """A sentence for each option without any of the others."""
        if not any(other.holds(options) for other in self.others):
            for option in self.options:
                if option.holds(options):
                    is_choice = any(other.values or other.text == TWO_RUNS for other in self.others)
                    verb = "needs" if is_choice else "has no effect without"
                    yield f"{option.shown(options)} {verb} {either(map(str, self.others))}{self.why}"


class Excludes(Rule):
    """None of these options goes together with any of the others."""

    def broken(self, options: ByName) -> Iterator[str]:
        """A sentence for each pair that is given."""
        for option in self.options:
            for other in self.others:
                if option.text != other.text and option.holds(options) and other.holds(options):
                    yield f"{option.shown(options)} cannot be combined with {other.shown(options)}{self.why}"


#: One significance test corrects its p-values.
CORRECTED = Excludes("--correction", "--test=tukey", ", which corrects p itself")


def refuse_broken(rules: Iterable[Rule], options: ByName) -> None:
    """Refuse options that break a rule."""
    for rule in rules:
        for sentence in rule.broken(options):
            raise UsageError(sentence)
