"""A command's arguments read by argparse: grouped help in 80 columns, and errors with suggestions.

Used only for arguments that `untied.cli.parser` does not read itself.
"""

from __future__ import annotations

import argparse
import sys

from untied import cli
from untied.errors import either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn

#: Groups of options, in the order of help texts; those without a group stand below them.
GROUPS = (
    "input", "study", "sample", "limits", "measures", "ties and judgments", "verdicts from a sample", "significance",
    "output",
)  # fmt: skip
#: Columns of help texts: of a page, and at most.
COLUMNS, MOST = 80, 100
#: Options of trec_eval that habit may give to other commands.
TREC_EVAL = ("-c", "-l", "-n", "-J", "-M", "-N")
#: Options that another command has, by the command that they are given to.
ELSEWHERE = {
    ("untied certify", "--baseline"): "; to compare with one run, use untied stats --certify --baseline RUN",
    ("untied report", "--ties"): "; a page shows the mean over all orders of tied documents, with the lowest and the "
    "highest value; --live lets its readers choose another policy",
    ("untied report", "--unjudged"): "; a page counts unjudged documents as non-relevant, and shows what they could "
    "change; --live lets its readers choose another policy",
    ("untied report", "--adjust"): "; a page does not adjust values for chance; untied eval and stats do",
}


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of multi-line help texts, and shows an option's argument once."""

    def __init__(self, prog: str) -> None:
        # Without a width argparse would import shutil, and with it all archive formats, at every start.
        width = cli.width()
        super().__init__(prog, max_help_position=28, width=COLUMNS if width > 10**6 else min(width, MOST))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        filled = super()._fill_text if "\n" in text else super(argparse.RawDescriptionHelpFormatter, self)._fill_text
        return filled(text, width, indent)

    def _split_lines(self, text: str, width: int) -> list[str]:
        from textwrap import wrap

        return wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        return f"{', '.join(action.option_strings)} {self._format_args(action, action.dest.upper())}"

    def _format_action(self, action: argparse.Action) -> str:
        text, listed = action.help or "", list[str]()
        first, *values = text.split("\n")
        names = max((len(value.partition("  ")[0]) for value in values), default=0)
        for value in values:
            name, _, what = value.partition("  ")
            told = self._split_lines(what, self._width - names - 8)
            listed += [f"      {name:<{names}}  {told[0]}\n", *(" " * (names + 8) + f"{more}\n" for more in told[1:])]
        action.help = first
        try:
            return super()._format_action(action) + "".join(listed)
        finally:
            action.help = text


class _Brief(Formatter):
    """Names the values of an option instead of explaining each in a line of its own."""

    def _format_action(self, action: argparse.Action) -> str:
        text = action.help or ""
        action.help = brief(text)
        try:
            return super()._format_action(action)
        finally:
            action.help = text


def brief(text: str) -> str:
    """A help text whose values, which stand in lines of their own, are only named."""
    about, *values = text.split("\n")
    names = [value.strip().partition("  ") for value in values]
    named = [f"{name} (default)" if "(default)" in what else name for name, _, what in names]
    return f"{about}: {', '.join(named)}" if named else about


class _RefusedError(Exception):
    """Arguments that cannot be parsed in one pass."""


class _Noted(argparse.Action):
    """Notes that its option was typed; a value equal to the default would not show it."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        if option is not None:
            namespace.typed.add(self.dest)
        super().__call__(parser, namespace, values, option)


class _Once(_Noted, argparse._StoreAction):
    """Keeps a value, and refuses a second one: the first would be dropped silently."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        if option is not None and self.dest in namespace.typed:
            raise argparse.ArgumentError(self, "given twice, but takes one value")
        super().__call__(parser, namespace, values, option)


class _Append(_Noted, argparse._AppendAction):
    """Adds a value to a list."""


class _Flag(_Noted, argparse._StoreTrueAction):
    """Keeps True."""


class _Help(argparse.Action):
    """Prints a help text and ends: that of the common options, or that of all."""

    def __init__(self, option_strings: Any, dest: str, const: bool, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, const=const, help=help, default=argparse.SUPPRESS)

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        parser._print_message(parser.format_help() if self.const else parser.format_brief_help(), sys.stdout)
        parser.exit()


class FullParser(argparse.ArgumentParser):
    """A parser whose errors are one line of advice and one line of usage, written to any stream."""

    #: Whether arguments that are refused are read once more.
    _tries = False
    #: The options that ``--help`` explains, with blanks between them; empty: all of them.
    common = ""

    def __init__(self, prog: str, description: str, examples: str) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=f"examples:\n{examples}",
            formatter_class=Formatter,
            add_help=False,
        )
        for name, action in ((None, _Once), ("append", _Append), ("store_true", _Flag)):
            self.register("action", name, action)
        self._positionals.title = "arguments"
        self._optionals.title = "other options"
        self.register("action", "help", _Help)
        self.add_argument("-h", "--help", action="help", const=False, help="explain the common options")
        self.add_argument("--help-all", action="help", const=True, help="explain all options")

    def group(self, title: str) -> argparse._ArgumentGroup:
        """The group of options with this title."""
        existing = next((group for group in self._action_groups if group.title == title), None)
        return existing or self.add_argument_group(title)

    def line(self) -> str:
        """One line of usage, with the required arguments."""
        needed = [
            f"{action.option_strings[0]} {action.metavar}"
            for action in self._actions
            if action.option_strings and action.required
        ]
        given = [
            {"+": "{0}...", "*": "[{0}...]", None: "{0}"}[action.nargs].format(action.metavar)  # type: ignore[index]
            for action in self._actions
            if not action.option_strings
        ]
        return " ".join([self.prog, *needed, *given, "[OPTION]..."])

    def format_help(self) -> str:
        """The help text."""
        self.usage = self.usage or self.line()
        titles = [self._positionals.title, *GROUPS]
        self._action_groups.sort(key=lambda group: titles.index(group.title) if group.title in titles else len(titles))
        return super().format_help()

    def format_brief_help(self) -> str:
        """The help text of the common options, which names the others."""
        if not self.common:
            return self.format_help()
        formatter = _Brief(self.prog)
        formatter.add_usage(self.line(), self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        options = [action for action in self._actions if action.option_strings]
        shown = [next(action for action in options if name in action.option_strings) for name in self.common.split()]
        for title, actions in (("arguments", self._get_positional_actions()), ("common options", shown)):
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        helps = (action for action in options if isinstance(action, _Help))
        others = [action.option_strings[-1] for action in options if action not in (*shown, *helps)]
        formatter.start_section("other options")
        formatter.add_text("\n".join(formatter._split_lines(" ".join(others), formatter._width - 2)))
        formatter.end_section()
        examples = (self.epilog or "").partition("\n\n")[0].splitlines()[:4]
        formatter.add_text("\n".join(examples))
        formatter.add_text(f"{self.prog} --help-all explains all options.")
        return formatter.format_help()

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read arguments; suggest an option for an unknown one."""
        self.usage = self.line()
        options, unknown = self.parse_known_args(args, namespace or argparse.Namespace(typed=set()))
        self._refuse(unknown)
        return options

    def parse_intermixed_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read arguments; options may stand between files, which takes argparse two passes."""
        self._tries = True
        try:
            return self.parse_args(args)
        except _RefusedError:
            self._tries = False
            options, unknown = self.parse_known_intermixed_args(args, namespace or argparse.Namespace(typed=set()))
            self._refuse(unknown)
            return options
        finally:
            self._tries = False

    def _refuse(self, unknown: list[str]) -> None:
        if unknown and self._tries:
            raise _RefusedError
        if unknown:
            option = unknown[0].partition("=")[0]
            known = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
            trec_eval = "; untied trec_eval has trec_eval's options" if option[:2] in TREC_EVAL else ""
            elsewhere = ELSEWHERE.get((self.prog, option), "")
            hint = trec_eval or elsewhere or self._format_meant(option) or meant(option, known)
            self.error(f"unknown option {option}{hint}" if option.startswith("-")
                       else f"unexpected argument {option}")  # fmt: skip

    def _format_meant(self, option: str) -> str:
        """A suggestion for a format that is given as an option, such as ``--latex``; empty for other options."""
        formats = next((action.choices for action in self._actions if "--format" in action.option_strings), None) or ()
        if option[2:] in formats:
            return f"; did you mean --format {option[2:]}?"
        if option == "--latex" and "md" in formats:
            return "; only untied eval, stats and certify write --format latex; this command writes md and csv"
        return ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = list(map(str, action.choices))
            raise argparse.ArgumentError(action, f"must be {either(known)}, not {value!r}{meant(value, known)}")

    def error(self, message: str) -> NoReturn:
        """Print an error and exit."""
        if self._tries:
            raise _RefusedError
        message = message.replace("the following arguments are required:", "missing:")
        text = (
            f"{self.prog}: error: {message}\nusage: {self.usage or self.line()}; {self.prog} --help lists the options\n"
        )
        self.exit(2, text.encode("utf-8", "backslashreplace").decode("utf-8"))


def meant(written: str, known: Iterable[str], shown: Callable[[str], str] = str) -> str:
    """A suggestion: the nearest known words to a misspelt one, as they are shown; empty if none is near."""
    from difflib import get_close_matches

    nearest = get_close_matches(written, list(known), n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(map(shown, nearest))}?" if nearest else ""
