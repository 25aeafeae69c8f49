"""Pages of commands and of the API, made from help texts and docstrings."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout, suppress
from importlib import import_module
from inspect import getdoc
from unittest.mock import patch

import griffe

from docsite.navigation import ROOT
from untied import Measure, MeasureError, cli
from untied.cli.commands import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

#: Modules that have a page, in order. The page has what they define and document in full, and what is named here.
MODULES: dict[str, tuple[str, ...]] = {
    "evaluation": ("evaluate", "Evaluator"),
    "results": (),
    "inputs": (),
    "arrays": (
        "evaluate_arrays",
        "ArrayEvaluator",
        "ArrayResults",
        "ArrayQueries",
        "ArrayValues",
        "compare_arrays",
        "ArrayComparison",
    ),
    "comparison": ("compare", "compare_all", "Comparison", "Comparisons", "TopChanges", "Assignment", "Outcomes"),
    "comparison.passages": (),
    "statistics": (),
    "paper": (),
    "gate": (),
    "report": ("report", "comparison_report"),
    "features": ("evaluate_features", "FeatureResults"),
    "measures.own": (),
    "evaluation.curves": (),
    "evaluation.orders": (),
    "evaluation.searches": (),
    "inputs.truth": (),
    "judging.estimates": (),
    "judging": (),
    "judging.sample": (),
    "study": (),
    "comparison.correlation": (),
    "comparison.distances": (),
    "batches": (),
    "spark": ("evaluate", "compare", "SparkResults", "SparkEvaluation", "SparkComparison", "clear_errors"),
    "errors": (),
    "compat.pytrec_eval": (),
    "compat.ir_measures": ("install", "uninstall"),
    "compat.beir": (),
    "compat.sentence_transformers": ("TieAware", "compute_metrics"),
    "compat.mteb": ("install", "uninstall"),
    "compat.sklearn": (),
}
NATIVE = {"inputs": ("Run", "Qrels"), "evaluation": ("Measure",)}
WIDTH = 88


def pages(_: Mapping[str, str]) -> tuple[list[object], dict[str, str]]:
    """Entries of the navigation, and pages."""
    made, commands, modules = {}, list[object](), list[object]()
    for name in ("", *COMMANDS):
        target = f"commands/{name.replace('-', '_') or 'index'}.md"
        made[target] = f"# untied {name}".rstrip() + f"\n\n```text\n{help_of(name)}```\n"
        commands.append({f"untied {name}".rstrip(): target})
    package = griffe.load("untied", search_paths=[ROOT / "python"], docstring_parser="numpy", resolve_aliases=True)
    for name, named in MODULES.items():
        target = f"api/{name}.md"
        made[target] = module_page(package[name], name, named)
        modules.append({f"untied.{name}": target})
    return [{"Command line": commands}, {"Python API": modules}], made


#: Commands whose ``--help`` explains everything.
BRIEF = ("study", "trec_eval")


def help_of(command: str) -> str:
    """The explanation of all options that a command prints."""
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    if command:
        # Before the patch, which a module imported under it would keep.
        import_module(f"untied.cli.{command.replace('-', '_')}")
    with patch.object(cli, "width", return_value=WIDTH), redirect_stdout(written), suppress(SystemExit):
        cli.main(["--help"] if not command else [command, "--help" if command in BRIEF else "--help-all"])
    written.seek(0)
    return written.read()


def module_page(module: Any, name: str, named: tuple[str, ...]) -> str:
    """A module with the functions and classes that users call: first of all the one by its own name."""
    shown = [module[part] for part in named] if named else documented(module)
    shown.sort(key=lambda thing: thing.name != name.rpartition(".")[2])
    lines = [f"# untied.{name}", ""]
    if module.docstring:
        lines += [marked(module.docstring.value), ""]
    for thing in shown:
        lines += entry(thing, 2)
    for part in NATIVE.get(name, ()):
        value = getattr(import_module("untied"), part)
        lines += [f"## {part}", "", *sections(griffe.Docstring(getdoc(value) or "").parse("numpy"))]
    return "\n".join(lines) + "\n"


def documented(module: Any) -> list[Any]:
    """What a module offers, or else defines and documents with more than a line, in the order of definition."""
    public = set(import_module("untied").__all__)

    def shown(name: str, thing: Any) -> bool:
        if module.exports is not None:
            return name in module.exports and (thing.is_function or thing.is_class)
        if name.startswith("_") or thing.is_alias or not (thing.is_function or thing.is_class):
            return False
        return name in public or any(part.kind.value != "text" for part in thing.docstring.parsed)

    # A function may have the name of the file that it is in.
    members = {
        name: thing if thing.is_alias else thing.members.get(name, thing) for name, thing in module.members.items()
    }
    found = [getattr(thing, "final_target", thing) for name, thing in members.items() if shown(name, thing)]
    homes = list(dict.fromkeys(thing.module.path for thing in found))
    return sorted(found, key=lambda thing: (homes.index(thing.module.path), thing.lineno))


def entry(thing: Any, level: int) -> list[str]:
    """A function, or a class with what it has."""
    # Whoever looks for a measure is not to find another library's function of its name first.
    in_place = thing.is_function and thing.module.path.startswith("untied.compat.") and _is_measure(thing.name)
    hidden = " { data-search-exclude }" * in_place
    lines = [f"{'#' * level} {thing.name}{hidden}", ""]
    called = thing if thing.is_function else thing.members.get("__init__")
    if called:
        lines += ["```python", signature(called, thing.name), "```", ""]
    if thing.docstring:
        lines += sections(whole(thing).parsed)
    if thing.is_class:
        for name, member in thing.members.items():
            if not name.startswith("_") and member.docstring and not member.is_alias:
                lines += entry(member, level + 1)
    return lines


def _is_measure(name: str) -> bool:
    """Whether a name stands for a measure, which has a page of its own."""
    try:
        return bool(Measure(name))
    except MeasureError:
        return False


def whole(thing: Any) -> Any:
    """A docstring as users see it: decorators may complete it."""
    if not (thing.parent.is_module and thing.decorators):
        return thing.docstring
    value = getdoc(getattr(import_module(thing.module.path), thing.name))
    return griffe.Docstring(value or "", parent=thing, parser="numpy")


def signature(function: Any, name: str) -> str:
    """How a function is called, with defaults and types, on lines that are short enough."""
    parts, star = [], False
    for parameter in function.parameters:
        if parameter.name in {"self", "cls"}:
            continue
        kind = parameter.kind.value if parameter.kind else ""
        if kind == "keyword-only" and not star:
            parts.append("*")
            star = True
        mark = {"variadic positional": "*", "variadic keyword": "**"}.get(kind, "")
        star = star or mark == "*"
        kept = f": {parameter.annotation}" if parameter.annotation else ""
        default = f" = {parameter.default}" if parameter.default is not None and not mark else ""
        parts.append(f"{mark}{parameter.name}{kept}{default}")
    returns = f" -> {function.returns}" if function.returns and name == function.name else ""
    line = f"{name}({', '.join(parts)}){returns}"
    return line if len(line) <= WIDTH else "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){returns}"])


def sections(parsed: list[griffe.DocstringSection]) -> list[str]:
    """A docstring as Markdown."""
    lines = []
    for section in parsed:
        kind = section.kind.value
        if kind == "text":
            lines += [marked(section.value), ""]
        elif kind == "examples":
            lines += ["**Examples**", ""]
            for part, text in section.value:
                lines += [marked(text), ""] if part.value == "text" else ["```pycon", text, "```", ""]
        elif kind == "admonition":
            lines += [f"**{section.title}**", "", marked(section.value.description), ""]
        else:
            lines += [f"**{kind.replace(' ', ' ').capitalize()}**", ""]
            for item in section.value:
                name = getattr(item, "name", "") or ""
                what = getattr(item, "annotation", None)
                head = f"`{name}`" if name else f"`{what}`"
                about, *more = described(item.description)
                lines.append(f"* {head}{': ' if about else ''}{about}")
                for part in more:
                    lines += [f"    {part}"] if part.startswith("* ") else ["", f"    {part}"]
            lines.append("")
    return lines


def described(description: str) -> list[str]:
    """A description as lines: its text, then the items of a list in it, if there is one, and what follows them."""
    parts = [""]
    for paragraph in re.split(r"\n\s*\n", marked(description)):
        starts = re.split(r"(?m)^(?=\* )", paragraph)
        if len(parts) > 1 or len(starts) > 1:
            parts += filter(None, starts)
        else:
            parts[0] = f"{parts[0]} {paragraph}"
    return [" ".join(part.split()) for part in parts]


def marked(text: str) -> str:
    """Docstrings' code as Markdown has it: double backquotes are code, and so are single ones."""
    return re.sub(r"``([^`]+)``", r"`\1`", text)
