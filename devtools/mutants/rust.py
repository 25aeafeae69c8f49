"""Mutants of Rust: where they are, and how the compiler's choice among them is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from devtools.mutants.schemata import Mutant, Piece, mutant_at, text_between

#: The boundary moved, and the opposite.
COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*"}
LOGICAL = {"&&": "||", "||": "&&"}
SWAPPED = {"min": "max", "max": "min", "min_by": "max_by", "max_by": "min_by"}
NUMBER = re.compile(r"(?P<digits>[0-9][0-9_]*(?:\.[0-9_]*)?(?:e-?[0-9]+)?)_?(?P<kind>[iuf](?:8|16|32|64|128|size))?")

#: What is returned without looking, by the type of the function.
RETURNED = {"bool": ("true", "false"), "String": ("String::new()",)}
WHOLE = re.compile(r"[iu](?:8|16|32|64|128|size)")
REAL = re.compile(r"f(?:32|64)")

#: What the compiler evaluates, so that nothing can be chosen there when the program runs, and what is no expression.
FIXED = {
    "const_item", "static_item", "const_block", "enum_variant", "attribute_item", "inner_attribute_item", "array_type",
    "type_arguments", "match_pattern", "range_pattern", "token_tree", "macro_definition", "parameters",
    "const_parameter",
}  # fmt: skip

#: The choice, in the crate of the core, and what a test process in Python calls.
CHOOSER = """
/// Which mutant runs, and which were asked for.
#[allow(missing_docs, unsafe_code, clippy::all)]
pub mod mutants {{
    use std::sync::atomic::{{AtomicBool, AtomicUsize, Ordering::Relaxed}};
    static CHOSEN: AtomicUsize = AtomicUsize::new(usize::MAX);
    static REACHED: [AtomicBool; {count}] = [const {{ AtomicBool::new(false) }}; {count}];

    #[inline(never)]
    pub fn on(number: usize) -> bool {{
        if !REACHED[number].load(Relaxed) {{
            REACHED[number].store(true, Relaxed);
        }}
        let mut chosen = CHOSEN.load(Relaxed);
        if chosen == usize::MAX {{
            let named = std::env::var("UNTIED_MUTANT").ok();
            chosen = named.and_then(|number| number.parse().ok()).unwrap_or(usize::MAX - 1);
            CHOSEN.store(chosen, Relaxed);
        }}
        chosen == number
    }}

    #[unsafe(no_mangle)]
    pub extern "C" fn untied_mutants_choose(number: usize) {{
        CHOSEN.store(number, Relaxed);
        REACHED.iter().for_each(|reached| reached.store(false, Relaxed));
    }}

    #[unsafe(no_mangle)]
    pub extern "C" fn untied_mutants_reached(number: usize) -> bool {{
        REACHED[number].load(Relaxed)
    }}
}}
"""


def choice(place: Mutant, alternatives: Sequence[tuple[int, str]], original: str) -> str:
    """A place of the source with its alternatives."""
    chosen = " else ".join(f"if crate::mutants::on({number}) {{ {text} }}" for number, text in alternatives)
    whole = f"{chosen} else {{ {original} }}"
    return whole if place.statement else f"({whole})"


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """All mutants of a file, without its tests."""
    import tree_sitter
    import tree_sitter_rust

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
    found: list[Mutant] = []

    def visit(node: Any, fixed: bool, before: Any) -> None:
        if node.type in ("mod_item", "function_item") and is_for_tests(before, source):
            return
        if node.type == "closure_expression":
            fixed = False  # it runs later, also one that a constant holds
        fixed = fixed or node.type in FIXED or is_constant(node)
        if not fixed:
            found.extend(
                mutant_at(path, source, span, pieces, change, statement)
                for span, pieces, change, statement in changes(node, source)
            )
        last = None
        for child in node.named_children:
            skipped = node.type == "array_expression" and child == node.child_by_field_name("length")
            skipped = skipped or (node.type == "match_arm" and child == node.child_by_field_name("pattern"))
            visit(child, fixed or skipped, last)
            last = child

    visit(parser.parse(source).root_node, False, None)
    return found


def files_of_tests(folder: Path) -> set[Path]:
    """Files that are compiled for tests only."""
    declared = re.compile(r"#\[cfg\(test\)\]\s*(?:pub(?:\([a-z]+\))? )?mod (\w+);")
    found: set[Path] = set()
    for path in folder.rglob("*.rs"):
        beside = path.parent if path.stem == "mod" else path.with_suffix("")
        for name in declared.findall(path.read_text(encoding="utf-8")):
            found |= {beside / f"{name}.rs", *(beside / name).rglob("*.rs")}
    return found


def is_for_tests(before: Any, source: bytes) -> bool:
    """Whether what follows an attribute is compiled for tests only."""
    return (
        before is not None
        and before.type == "attribute_item"
        and b"test" in source[before.start_byte : before.end_byte]
    )


def is_constant(node: Any) -> bool:
    """Whether a function is one that the compiler may evaluate."""
    return node.type == "function_item" and any(
        child.type == "function_modifiers" and b"const" in child.text for child in node.children
    )


Change = tuple[tuple[int, int], tuple[Piece, ...], str, bool]


def changes(node: Any, source: bytes) -> Iterator[Change]:
    """What may stand in place of a node."""
    span = (node.start_byte, node.end_byte)

    def field(name: str) -> Any:
        return node.child_by_field_name(name)

    def inside(child: Any) -> tuple[int, int]:
        return child.start_byte, child.end_byte

    if node.type == "binary_expression":
        left, operator, right = field("left"), field("operator").type, field("right")
        if holds_let(left) or holds_let(right):
            return
        others = COMPARISONS.get(operator) or [table[operator] for table in (ARITHMETIC, LOGICAL) if operator in table]
        for other in others:
            yield span, ("(", inside(left), f") {other} (", inside(right), ")"), "", False
    elif node.type == "unary_expression" and node.children[0].type == "!":
        yield span, (inside(node.named_children[0]),), "", False
    elif node.type in ("if_expression", "while_expression"):
        condition = field("condition")
        if not holds_let(condition) and condition.type != "let_chain":
            yield inside(condition), ("!(", inside(condition), ")"), "", False
    elif node.type in ("integer_literal", "float_literal"):
        for other in near(text_between(source, *span)):
            yield span, (other,), "", False
    elif node.type == "call_expression" and field("function").type == "field_expression":
        name = field("function").child_by_field_name("field")
        swapped = SWAPPED.get(name.text.decode())
        if swapped:
            yield span, ((span[0], name.start_byte), swapped, (name.end_byte, span[1])), "", False
    elif node.type == "expression_statement":
        yield from statement_changes(node, span)
    elif node.type == "function_item" and field("body") is not None:
        yield from returned(node, source)


def holds_let(node: Any) -> bool:
    """Whether a condition binds names, so that it cannot be a value."""
    if node.type in ("let_condition", "let_chain"):
        return True
    return node.type == "binary_expression" and any(map(holds_let, node.named_children))


def near(number: str) -> Iterator[str]:
    """The numbers one above and one below a literal."""
    parsed = NUMBER.fullmatch(number)
    if parsed is None:
        return
    digits, kind = parsed["digits"].replace("_", ""), parsed["kind"] or ""
    if re.fullmatch("[0-9]+", digits):
        yield f"{int(digits) + 1}{kind}"
        if int(digits):
            yield f"{int(digits) - 1}{kind}"
    else:
        yield f"({float(digits) + 1!r}{kind})"
        yield f"({float(digits) - 1!r}{kind})"


def statement_changes(node: Any, span: tuple[int, int]) -> Iterator[Change]:
    """A statement left out, or one that takes away instead of adding."""
    expression = node.named_children[0]
    if expression.type not in ("call_expression", "assignment_expression", "compound_assignment_expr"):
        return
    yield span, (), "", True
    if expression.type == "compound_assignment_expr":
        operator = expression.child_by_field_name("operator")
        other = ARITHMETIC.get(operator.type.removesuffix("="))
        if other:
            pieces = ((span[0], operator.start_byte), f"{other}=", (operator.end_byte, span[1]))
            yield span, pieces, "", True


def returned(node: Any, source: bytes) -> Iterator[Change]:
    """A function that returns at once."""
    kind, name = node.child_by_field_name("return_type"), node.child_by_field_name("name").text.decode()
    written = "" if kind is None else text_between(source, kind.start_byte, kind.end_byte)
    values: Sequence[str] = RETURNED.get(written, ())
    if not written:
        values = ("",)
    elif WHOLE.fullmatch(written):
        values = ("0", "1")
    elif REAL.fullmatch(written):
        values = ("0.0", "1.0")
    elif written.startswith("Option<"):
        values = ("None",)
    elif written.startswith("Vec<"):
        values = ("Vec::new()",)
    place = node.child_by_field_name("body").start_byte + 1
    for value in values:
        yield (place, place), (f"return {value};",), f"fn {name} returns {value or 'at once'}", True
