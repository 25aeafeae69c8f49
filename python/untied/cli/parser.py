"""The arguments of a command: declared once; read here if they are plain, else by argparse.

Importing argparse and building its parser costs more than evaluating a small run. So this module reads plain arguments:
options by their full names, each value a word of its own. It leaves everything else to `untied.cli.usage`, which has
the same declarations: help, abbreviations, ``--option=value``, and all errors.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, NoReturn

    from untied.cli.usage import FullParser


class Argument:
    """An option or a positional argument, declared as argparse takes it."""

    def __init__(self, group: str | None, names: tuple[str, ...], options: dict[str, Any]) -> None:
        self.group, self.names, self.options = group, names, options
        self.is_option = names[0].startswith("-")
        self.takes_value = options.get("action") != "store_true"
        self.is_repeatable = options.get("action") == "append"
        self.takes_several = options.get("nargs") in ("+", "*")
        self.name = max(names, key=len)
        self.dest: str = options.get("dest") or self.name.lstrip("-").replace("-", "_")

    def default(self) -> Any:
        """Its value if it is not given."""
        value = self.options.get("default", None if self.takes_value else False)
        return self._converted(value) if isinstance(value, str) else value

    def value(self, word: str) -> Any:
        """The value of a word; raises `NotPlain` if it is not among the choices."""
        value = self._converted(word)
        if value not in self.options.get("choices", (value,)):
            raise NotPlain
        return value

    def values(self, rest: Iterator[str]) -> Any:
        """The value of the option, from the words after it."""
        number = self.options.get("nargs")
        if not self.takes_value:
            return True
        if number is None:
            return self.value(_next_word(rest))
        if not isinstance(number, int):
            raise NotPlain
        return [self.value(_next_word(rest)) for _ in range(number)]

    def _converted(self, word: str) -> Any:
        convert = self.options.get("type")
        return convert(word) if convert else word


class Group:
    """A group of options in help texts."""

    def __init__(self, parser: Parser, title: str | None) -> None:
        self._parser, self._title = parser, title

    def add_argument(self, *names: str, **options: Any) -> None:
        """Declare an option."""
        self._parser.declared.append(Argument(self._title, names, options))

    def option(
        self, names: str, metavar: str | tuple[str, ...], about: str | Callable[[], str], **options: Any
    ) -> None:
        """Declare an option with a value; a blank separates its names. A function makes its help text when needed."""
        self.add_argument(*names.split(), metavar=metavar, help=about, **options)

    def flag(self, names: str, about: str) -> None:
        """Declare an option without a value."""
        self.add_argument(*names.split(), action="store_true", help=about)


class Options:
    """The values of a command's arguments, as attributes, like `argparse.Namespace`.

    Attributes
    ----------
    typed : set of str
        The options that were typed, even if with their defaults.
    """

    typed: set[str]

    def __contains__(self, name: str) -> bool:
        return name in self.__dict__


class NotPlain(Exception):
    """Arguments that are left to argparse."""


class Parser:
    """The arguments of a command, and their help."""

    #: The options that ``--help`` explains; the others are only named. Empty: all of them.
    common = ""

    def __init__(self, name: str, description: str, examples: str) -> None:
        self.declared: list[Argument] = []
        self.add_argument = Group(self, None).add_argument
        self._about = (f"untied {name}", description, examples)

    def group(self, title: str) -> Group:
        """The group of options with this title."""
        return Group(self, title)

    def full(self) -> FullParser:
        """The same as an argparse parser."""
        from untied.cli.usage import FullParser

        made = FullParser(*self._about)
        made.common = self.common
        for one in self.declared:
            about = one.options.get("help")
            options = one.options | {"help": about() if callable(about) else about}
            (made.group(one.group) if one.group else made).add_argument(*one.names, **options)
        return made

    def read(self, arguments: Sequence[str]) -> Any:
        """Read arguments; options may stand between files."""
        try:
            return self._plain(arguments)
        except Exception:  # whatever a value is refused by: argparse says what is wrong
            return self.full().parse_intermixed_args(arguments)

    def error(self, message: str) -> NoReturn:
        """Print an error and exit."""
        self.full().error(message)

    def _plain(self, arguments: Sequence[str]) -> Options:
        options = Options()
        for one in self.declared:
            setattr(options, one.dest, one.default())
        named = {name: one for one in self.declared if one.is_option for name in one.names}
        given, words = set(), list[str]()
        rest = iter(arguments)
        for word in rest:
            if _is_word(word):
                words.append(word)
                continue
            one = named[word]
            if one in given and one.takes_value and not one.is_repeatable:
                raise NotPlain
            given.add(one)
            value = one.values(rest)
            setattr(options, one.dest, [*(getattr(options, one.dest) or ()), value] if one.is_repeatable else value)
        options.typed = {one.dest for one in given}
        if any(one.options.get("required") and one not in given for one in named.values()):
            raise NotPlain
        _place(words, [one for one in self.declared if not one.is_option], options)
        return options


def _place(words: list[str], positional: list[Argument], options: Options) -> None:
    """Assign words to positional arguments; the last may take several."""
    for one in positional:
        if one.takes_several:
            values = [one.value(word) for word in words]
            words = []
            if not values and one.options["nargs"] == "+":
                raise NotPlain
            setattr(options, one.dest, values)
        elif words:
            setattr(options, one.dest, one.value(words.pop(0)))
        else:
            raise NotPlain
    if words:
        raise NotPlain


def _is_word(text: str) -> bool:
    """Whether a word cannot be an option; - is standard input."""
    return not text.startswith("-") or text == "-"


def _next_word(rest: Iterator[str]) -> str:
    word = next(rest, "--")
    if not _is_word(word):
        raise NotPlain
    return word
