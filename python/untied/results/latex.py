"""Tables for LaTeX."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "#$%&_{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
    | {"<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", '"': "\\textquotedbl{}"}
)


def escaped(text: str) -> str:
    """Text without characters that LaTeX reads as commands."""
    return text.translate(ESCAPES)


def tabular(columns: Sequence[str], rows: Iterable[Sequence[str]], caption: str, texts: int) -> str:
    """A table of what is escaped; all columns after the first `texts` are numbers."""
    head, *body = (f"    {' & '.join(row)} \\\\\n" for row in (columns, *rows))
    return (
        "% needs \\usepackage{booktabs}\n"
        "\\begin{table}\n"
        "  \\centering\n"
        f"  \\caption{{{caption}}}\n"
        f"  \\begin{{tabular}}{{{'l' * texts}{'r' * (len(columns) - texts)}}}\n"
        f"    \\toprule\n{head}    \\midrule\n{''.join(body)}    \\bottomrule\n"
        "  \\end{tabular}\n"
        "\\end{table}\n"
    )
