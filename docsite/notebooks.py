"""Runs the notebooks of ``examples/notebooks`` as Jupyter would, and writes what their cells show into them.

``python -m docsite.notebooks`` writes; with ``--check NOTEBOOK`` it tells as JSON what differs. A cell shows what it
prints, the value of its last expression, and the figures that it draws. Notebooks are plain JSON and their code plain
Python, so neither a kernel nor another package is needed. The first picture of each goes to ``docs/images``, for the
tutorial of the same name.
"""

from __future__ import annotations

import ast
import io
import json
import sys
from contextlib import chdir, redirect_stdout
from typing import Any

from docsite.navigation import ROOT

FOLDER = ROOT / "examples" / "notebooks"
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
#: So that equal figures are equal files.
STYLE: Any = {"svg.hashsalt": "untied", "svg.fonttype": "none", "figure.dpi": 100}


def load(name: str) -> dict[str, Any]:
    """A notebook as it is stored."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    return found


def run(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run all cells in one namespace, in the notebook's folder; what each code cell shows."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    with chdir(FOLDER), matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        for number, cell in enumerate(code_cells(notebook), 1):
            shown.append(_cell("".join(cell["source"]), names, number))
            pyplot.close("all")
    return shown


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells that are run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _cell(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    body = ast.parse(source)
    last = body.body[-1] if body.body else None
    if isinstance(last, ast.Expr):
        body.body.pop()
    printed = io.StringIO()
    value = None
    with redirect_stdout(printed):
        exec(compile(body, f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    shown: list[dict[str, Any]] = []
    if printed.getvalue():
        shown.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = _lines(value._repr_html_())
        result = {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        shown.append(result)
    return shown + [{"data": {"image/svg+xml": _lines(picture), "text/plain": ["<Figure>"]}, "metadata": {},
                     "output_type": "display_data"} for picture in _figures()]  # fmt: skip


def _figures() -> list[str]:
    from matplotlib import pyplot

    found = []
    for number in pyplot.get_fignums():
        buffer = io.StringIO()
        pyplot.figure(number).savefig(buffer, format="svg", facecolor="white", metadata={"Date": None})
        found.append("\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n")
    return found


def _lines(text: str) -> list[str]:
    """Text as notebooks store it."""
    return text.splitlines(keepends=True)


def words(shown: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """What cells show, but for the lines of pictures: these differ with the release of matplotlib."""
    return [
        [
            one | {"data": {kind: None if kind == "image/svg+xml" else of for kind, of in one["data"].items()}}
            if "data" in one
            else one
            for one in cell
        ]
        for cell in shown
    ]


def picture_of(shown: list[list[dict[str, Any]]]) -> str:
    """The first picture of a notebook."""
    return next("".join(one["data"]["image/svg+xml"]) for cell in shown for one in cell
                if "image/svg+xml" in one.get("data", {}))  # fmt: skip


def write(name: str) -> None:
    """Run a notebook and store what it shows, and its picture."""
    notebook = load(name)
    shown = run(notebook)
    for number, (cell, outputs) in enumerate(zip(code_cells(notebook), shown, strict=True), 1):
        cell["execution_count"], cell["outputs"] = number, outputs
    text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    (FOLDER / f"{name}.ipynb").write_text(text, encoding="utf-8")
    (ROOT / "docs" / "images" / f"notebook_{name}.svg").write_text(picture_of(shown), encoding="utf-8")


def differences(name: str) -> list[str]:
    """Cells that show something else than what is stored."""
    notebook = load(name)
    stored = [cell["outputs"] for cell in code_cells(notebook)]
    pairs = zip(code_cells(notebook), words(run(notebook)), words(stored), strict=True)
    return [
        f"{''.join(cell['source'])}\nshows\n{json.dumps(now)}\nstored\n{json.dumps(before)}"
        for cell, now, before in pairs
        if now != before
    ]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"]:
        print(json.dumps(differences(sys.argv[2])))
    else:
        for name in sys.argv[1:] or NOTEBOOKS:
            write(name)
