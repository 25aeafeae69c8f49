"""Policies as options of the command line. The core has the table of their values and meanings."""

from __future__ import annotations

from untied import _core
from untied.errors import either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied._types import PolicyInfo, Purpose

#: The policies of each purpose by name, which the core describes only once.
_TABLES: dict[str, dict[str, PolicyInfo]] = {}


class PolicyOption:
    """A policy, such as how to score ties, as an option of the command line.

    Attributes
    ----------
    name : str
        The parameter's name in Python.
    placeholder : str
        What stands for a value in help texts.
    values : tuple of str
        The values that it takes, the default first.
    """

    __slots__ = ("_info", "_purpose", "name", "placeholder", "values")

    def __init__(self, purpose: Purpose, name: str) -> None:
        if purpose not in _TABLES:
            _TABLES[purpose] = {policy["name"]: policy for policy in _core.policies(purpose)}
        info = _TABLES[purpose][name]
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
