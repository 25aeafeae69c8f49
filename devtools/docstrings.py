"""Descriptions of parameters that functions share, which ``python3 dev.py generate`` copies into their docstrings.

A comment above a function or class says where descriptions are from, and of which parameters::

    # described by untied.evaluation.runs.Evaluator: qrels, measures, ties*

After a star, the last paragraph of the description is the function's own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path("python") / "untied"
COMMENT = re.compile(r" *# described by (untied[\w.]+): ([\w*, ]+)")


@dataclass(frozen=True)
class Docstring:
    """The lines of a docstring that describe parameters: from `first` to before `last`, each indented by `margin`."""

    first: int
    last: int
    margin: int

    def entries(self, lines: list[str]) -> dict[str, list[str]]:
        """The lines of each description without the margin; parameters that share one are one entry."""
        entries: dict[str, list[str]] = {}
        for line in lines[self.first : self.last]:
            plain = line[self.margin :]
            if plain.strip() and not plain.startswith(" "):
                entries[plain.partition(" : ")[0]] = [plain]
            else:
                entries[list(entries)[-1]].append(plain)
        return entries


def docstring_of(lines: list[str], node: ast.ClassDef | ast.FunctionDef) -> Docstring:
    """Where a docstring describes parameters."""
    text = node.body[0]
    assert text.end_lineno is not None
    inside = range(text.lineno - 1, text.end_lineno)
    start = next(number for number in inside if lines[number].strip() == "Parameters") + 2
    rules = (number for number in inside if number > start and set(lines[number].strip()) == {"-"})
    last = next(rules, text.end_lineno) - 1
    while not lines[last - 1].strip():
        last -= 1
    return Docstring(start, last, len(lines[start]) - len(lines[start].lstrip()))


@cache
def parsed(text: str) -> dict[str, ast.ClassDef | ast.FunctionDef]:
    """The classes and functions of a module by name, methods after the class."""
    return dict(definitions(ast.parse(text)))


def definitions(tree: ast.AST, path: str = "") -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef]]:
    """The classes and functions of a syntax tree with their names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield path + node.name, node
            yield from definitions(node, f"{path}{node.name}.")


class Sources:
    """The texts of modules, read once and changed here before they are written."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.texts = {path: path.read_text(encoding="utf-8") for path in sorted((root / PACKAGE).rglob("*.py"))}

    def described(self, name: str) -> dict[str, list[str]]:
        """The descriptions of parameters of a function or class, by its full name; each parameter by itself."""
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            folder = self._root / "python" / Path(*parts[:length])
            files = (folder.with_suffix(".py"), folder / "__init__.py")
            path = next((file for file in files if file in self.texts), None)
            if path is not None:
                break
        else:
            raise ValueError(f"there is no module of {name}")
        text = self.texts[path]
        lines = text.splitlines()
        node = parsed(text)[".".join(parts[length:])]
        entries = docstring_of(lines, node).entries(lines)
        descriptions = {}
        for names, (head, *body) in entries.items():
            for parameter in names.split(", "):
                descriptions[parameter] = [parameter + head.removeprefix(names), *body]
        return descriptions

    def update(self, path: Path) -> bool:
        """Copy descriptions into a module's docstrings; whether that changed one."""
        text = self.texts[path]
        if "# described by " not in text:
            return False
        lines = text.splitlines()
        # From the last definition, so that the places of the others stay.
        for node in reversed([*parsed(text).values()]):
            asked = dict(self._asked(lines, node))
            if asked:
                docstring = docstring_of(lines, node)
                entries = docstring.entries(lines)
                for parameter, (source, has_own) in asked.items():
                    copied = self.described(source)[parameter]
                    entries[parameter] = [*copied, *_own(entries[parameter])] if has_own else copied
                margin = " " * docstring.margin
                rows = (f"{margin}{line}".rstrip() for entry in entries.values() for line in entry)
                lines[docstring.first : docstring.last] = rows
        changed = "\n".join(lines) + "\n"
        self.texts[path] = changed
        return changed != text

    def _asked(self, lines: list[str], node: ast.ClassDef | ast.FunctionDef) -> Iterator[tuple[str, tuple[str, bool]]]:
        """The parameters that comments above a definition name, with their source, and whether they have own words."""
        number = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 2
        while number >= 0 and (comment := COMMENT.fullmatch(lines[number])):
            for parameter in comment[2].split(", "):
                yield parameter.rstrip("*"), (comment[1], parameter.endswith("*"))
            number -= 1


def _own(entry: list[str]) -> list[str]:
    """The last paragraph of a description, with the blank line before it."""
    blank = max(number for number, line in enumerate(entry) if not line.strip())
    return entry[blank:]


@cache
def updated(root: Path = ROOT) -> dict[str, str]:
    """What modules with shared descriptions should hold, by path."""
    sources = Sources(root)
    changed = True
    while changed:  # a description may be copied from a copy
        changed = False
        for path in sources.texts:
            changed |= sources.update(path)
    texts = sources.texts.items()
    return {path.relative_to(root).as_posix(): text for path, text in texts if "# described by " in text}
