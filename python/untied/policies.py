"""Policies as options of the command line; the core's table has their values, meanings and refusals."""

from __future__ import annotations

from untied import _core
from untied.errors import either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from untied._types import Purpose

    Described = TypeVar("Described", bound=Callable[..., Any])


class PolicyOption:
    """A policy of a purpose as an option.

    Attributes
    ----------
    name : str
        Name of the parameter in Python.
    placeholder : str
        What stands for a value in help texts.
    values : tuple of str
        Names of the values, the default first.
    """

    __slots__ = ("_info", "_purpose", "name", "placeholder", "values")

    def __init__(self, purpose: Purpose, name: str) -> None:
        [info] = [policy for policy in _core.policies(purpose) if policy["name"] == name]
        self._info, self._purpose = info, purpose
        self.name, self.placeholder = name, info["placeholder"]
        self.values = tuple(value for value, *_ in info["choices"])

    def read(self, text: str) -> str:
        """Read an argument of the command line."""
        why = _core.why_not(self._purpose, self.name, text)
        if why is not None:
            from argparse import ArgumentTypeError

            raise ArgumentTypeError(why)
        return text

    def help(self, default: str) -> str:
        """The help text: what the option does, and a line for each meaning of its values."""
        meanings: dict[str, list[str]] = {}
        for value, meaning, _ in self._info["choices"]:
            meanings.setdefault(meaning, []).append(value)
        about = self._info["about"]
        if "" in meanings:
            return f"{about} {either(value + ' (default)' * (value == default) for value in self.values)}"
        listed = [
            f"\n{', '.join(values)}  {meaning}{' (default)' * (default in values)}"
            for meaning, values in meanings.items()
        ]
        return about + "".join(listed)

    def phrase(self, value: str) -> str:
        """How captions describe values under this value of the policy; empty if that needs no words."""
        return next((phrase for name, _, phrase in self._info["choices"] if name == value), "")


def described_by(*sources: object) -> Callable[[Described], Described]:
    """Copy descriptions of parameters into docstrings that say ``As for `...`.``, from the first source that has them.

    Words after the reference are kept. Editors that do not run the code show the reference.
    """

    def describe(target: Described) -> Described:
        if target.__doc__ is None:  # python -OO
            return target
        known: dict[str, list[str]] = {}
        for source in reversed(sources):
            for names, (head, *body) in _parameters(source.__doc__ or "")[2]:
                known |= {name: [name + head.removeprefix(", ".join(names)), *body] for name in names}
        before, after, entries = _parameters(target.__doc__)
        lines = []
        for names, (head, *body) in entries:
            referred, end, more = body[0].strip().partition("`.")
            if end and referred.startswith("As for `"):
                lines += [line for name in names for line in known[name]]
                lines += [f"   {more}"] * bool(more) + body[1:]
            else:
                lines += [head, *body]
        margin = " " * (len(before[-1]) - len(before[-1].lstrip()))
        target.__doc__ = "\n".join([*before, *(margin + line for line in lines), *after])
        return target

    return describe


def _parameters(doc: str) -> tuple[list[str], list[str], list[tuple[list[str], list[str]]]]:
    """A docstring's lines before and after its parameters, and the description of each parameter, unindented."""
    lines = doc.split("\n")
    first = next(number for number, line in enumerate(lines) if line.strip() == "Parameters") + 2
    margin = len(lines[first]) - len(lines[first].lstrip())
    rules = (number for number in range(first, len(lines)) if set(lines[number].strip()) == {"-"})
    last = next(rules, len(lines) + 1) - 1
    while not lines[last - 1].strip():
        last -= 1
    entries: list[tuple[list[str], list[str]]] = []
    for line in lines[first:last]:
        plain = line[margin:]
        if plain.startswith(" ") or not plain:
            entries[-1][1].append(plain)
        else:
            entries.append((plain.partition(" : ")[0].split(", "), [plain]))
    return lines[:first], lines[last:], entries
