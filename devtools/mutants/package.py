"""Mutants of Python: where they are, and how the choice among them is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devtools.mutants.schemata import Mutant, Piece, mutant_at

COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">="), ast.LtE: ("<", ">"), ast.Gt: (">=", "<="), ast.GtE: (">", "<"),
    ast.Eq: ("!=",), ast.NotEq: ("==",), ast.Is: ("is not",), ast.IsNot: ("is",),
    ast.In: ("not in",), ast.NotIn: ("in",),
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}
SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any"}

#: The choice. A test process chooses after everything is imported; processes that it starts read the variable.
CHOOSER = '''
"""Which mutant runs, and which were asked for."""

import ctypes
import os

chosen = int(os.environ.get("UNTIED_MUTANT", "-1"))
asked = set()


def on(number):
    asked.add(number)
    return number == chosen


def library():
    import untied._core

    library = ctypes.CDLL(untied._core.__file__)
    return library if hasattr(library, "untied_mutants_choose") else None


def choose(number):
    global chosen
    chosen = number
    asked.clear()
    os.environ["UNTIED_MUTANT"] = str(number)
    if (core := library()) is not None:
        core.untied_mutants_choose(ctypes.c_size_t(number % 2**64))


def reached(in_core):
    core = library()
    in_core = in_core if core is not None else []
    return asked | {number for number in in_core if core.untied_mutants_reached(ctypes.c_size_t(number)) & 1}
'''


def choice(place: Mutant, alternatives: Sequence[tuple[int, str]], original: str) -> str:
    """A place of the source with its alternatives."""
    on = '__import__("untied_mutants").on'
    if place.statement:
        choices = [f"if {on}({number}): {text}\n{place.indent}" for number, text in alternatives]
        return "el".join(choices) + f"else: {original}"
    chosen = "".join(f"({text}) if {on}({number}) else " for number, text in alternatives)
    return f"({chosen}({original}))"


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """All mutants of a file. What is evaluated when it is imported is left out: it comes before the choice."""
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))

    def span_of(node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return lines[node.lineno - 1] + node.col_offset, lines[node.end_lineno - 1] + node.end_col_offset

    found: list[Mutant] = []

    def visit(node: ast.AST, later: bool) -> None:
        if isinstance(node, (ast.JoinedStr, ast.pattern, ast.arguments, ast.AnnAssign)) and not (
            isinstance(node, ast.AnnAssign) and node.value is not None
        ):
            return
        if later and isinstance(node, (ast.expr, ast.stmt)):
            for span, pieces, statement in changes(node, span_of, source):
                found.append(mutant_at(path, source, span, pieces, "", statement))
        if later and isinstance(node, ast.comprehension):
            for test in node.ifs:
                found.append(mutant_at(path, source, span_of(test), ("not (", span_of(test), ")")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for part in node.body:
                visit(part, True)
        elif isinstance(node, ast.AnnAssign):
            assert node.value is not None
            visit(node.value, later)
        else:
            for child in ast.iter_child_nodes(node):
                visit(child, later or isinstance(node, ast.Lambda))

    visit(ast.parse(source), False)
    return found


Change = tuple[tuple[int, int], tuple[Piece, ...], bool]


def changes(node: ast.expr | ast.stmt, span_of: object, source: bytes) -> Iterator[Change]:
    """What may stand in place of a node. An operand's span is without its parentheses, so each gets its own."""
    assert callable(span_of)
    span = span_of(node)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in COMPARISONS[type(node.ops[0])]:
            yield span, ("(", span_of(node.left), f") {other} (", span_of(node.comparators[0]), ")"), False
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield span, ("(", span_of(node.left), f") {ARITHMETIC[type(node.op)]} (", span_of(node.right), ")"), False
    elif isinstance(node, ast.BoolOp):
        pieces: list[Piece] = []
        for value in node.values:
            pieces += [" or (" if isinstance(node.op, ast.And) else " and (", span_of(value), ")"]
        yield span, ("(", *pieces[1:]), False
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield span, (span_of(node.operand),), False
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield span_of(node.test), ("not (", span_of(node.test), ")"), False
    elif isinstance(node, ast.Constant):
        yield from ((span, (other,), False) for other in near(node.value))
    elif isinstance(node, ast.Name) and node.id in SWAPPED and isinstance(node.ctx, ast.Load):
        yield span, (SWAPPED[node.id],), False
    elif isinstance(node, ast.Return) and node.value is not None and not is_none(node.value):
        yield span_of(node.value), ("None",), False
    elif isinstance(node, (ast.Expr, ast.AugAssign)) and is_alone(span, source):
        if isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
            other = f"{ARITHMETIC[type(node.op)]}= ("
            yield span, (span_of(node.target), f" {other}", span_of(node.value), ")"), True
        if isinstance(node, ast.AugAssign) or isinstance(node.value, ast.Call):
            yield span, ("pass",), True


def is_none(node: ast.expr) -> bool:
    """Whether an expression is ``None``."""
    return isinstance(node, ast.Constant) and node.value is None


def near(value: object) -> Iterator[str]:
    """The constants beside one."""
    if isinstance(value, bool):
        yield str(not value)
    elif isinstance(value, (int, float)):
        yield from (repr(value + 1), f"({value - 1!r})")


def is_alone(span: tuple[int, int], source: bytes) -> bool:
    """Whether a statement has its lines to itself, but for a comment."""
    before = source[source.rfind(b"\n", 0, span[0]) + 1 : span[0]]
    after = source[span[1] :].split(b"\n", 1)[0].strip()
    return not before.strip() and (not after or after.startswith(b"#"))
