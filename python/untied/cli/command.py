"""A command: its name, arguments and rules, and the function that does its work."""

from __future__ import annotations

from untied._core import Policies, show_id
from untied.cli import output
from untied.cli.options import Arguments, UsageError
from untied.cli.rules import ByName, refuse_broken
from untied.errors import UntiedError
from untied.inputs.folders import expanded

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Any

    from untied.cli.rules import Rule

#: Names of sets of measures, for habit's sake.
TREC_EVAL = frozenset(("official", "all_trec", "set", "prefs", "all_prefs"))


class Command:
    """A command: what it does, its arguments, the rules on them, and its function.

    Parameters
    ----------
    name : str
        The word after ``untied``.
    about : str
        What it does, as in the list of all commands.
    examples : str
        The end of its help.
    listed_after : str, optional
        The command that it stands below in the list of all commands.
    rules : sequence of Rule
        Which options need or exclude each other.
    more : str
        A further sentence for its help.
    common : str
        The options that its ``--help`` explains, with blanks between them, if it has too many for one screen.
    """

    def __init__(
        self,
        name: str,
        about: str,
        examples: str,
        *,
        listed_after: str | None,
        rules: Sequence[Rule] = (),
        more: str = "",
        common: str = "",
    ) -> None:
        self.name, self.about, self.examples, self.listed_after = name, about, examples, listed_after
        self.rules, self.more, self.common = rules, more, common
        self._declare: Callable[[Arguments], object] | None = None

    def declare(self, function: Callable[[Arguments], object]) -> None:
        """Take the function that declares the arguments; without it, the command reads them itself."""
        self._declare = function

    def run(self, function: Callable[[Any], int | None]) -> Callable[[Any], int | None]:
        """Take the function that does the work, with the values of the options."""
        self._function = function
        return function

    def arguments(self) -> Arguments:
        """The declared arguments."""
        description = f"{self.about[0].upper()}{self.about[1:]}.{self.more}"
        arguments = Arguments(self.name, description, self.examples)
        arguments.common = self.common
        if self._declare is not None:
            self._declare(arguments)
        return arguments

    def main(self, words: Sequence[str]) -> int | None:
        """Run the command with the words after its name."""
        if self._declare is None:
            return self._function(words)
        return self._function(parse(self.arguments(), words, self.rules))


def parse(arguments: Arguments, words: Sequence[str], rules: Iterable[Rule] = ()) -> argparse.Namespace:
    """Read arguments; options that do not go together are wrong usage."""
    options: argparse.Namespace = arguments.read(words)
    typed = {name: getattr(options, name) for name in arguments.policies}
    try:
        used = Policies(arguments.purpose, typed=list(options.typed), **typed)
    except UntiedError as error:
        arguments.error(str(error))
    for name in typed:
        setattr(options, name, used[name])  # one policy may decide another
    split_outputs(options, arguments.beside)
    if getattr(options, "output", None) == "-":
        options.output = None  # standard output, as for the inputs
    sets = TREC_EVAL & set(getattr(options, "measure", None) or ())
    if sets:
        arguments.error(
            f"-m {min(sets)} is a set of measures of trec_eval: untied trec_eval -m {min(sets)} computes it"
        )
    if "runs" in options:
        given = set(options.runs)
        try:
            options.runs = expanded(options.runs, getattr(options, "qrels", None))
        except UntiedError as error:
            raise UsageError(str(error)) from None
        if "keep_going" in options:
            options.expanded = set(options.runs) - given
    if arguments.style_of is not None or arguments.formats:
        options.style = style_of(options, arguments)
    refuse_broken(rules, ByName(options, arguments))
    return options


def split_outputs(options: argparse.Namespace, suffixes: Collection[str] | None) -> None:
    """Keep the file of the output apart from the files beside it, which have these suffixes."""
    options.beside = []
    if suffixes is None:
        return
    paths = options.output or ()
    options.beside = [path for path in paths if output.suffix(path) in suffixes]
    options.output, *others = [path for path in paths if path not in options.beside] or [None]
    if others:
        both = f"-o {show_id(options.output)} and -o {show_id(others[0])}"
        raise UsageError(f"{both} are both for the output; choose one")


def style_of(options: argparse.Namespace, arguments: Arguments) -> str:
    """The format of a command's output."""
    if arguments.style_of is not None:
        return arguments.style_of(options)
    return output.choose(options.format, options.output, arguments.formats, arguments.beside or ())
