"""``untied eval --interleave``: the runs are several searches of one agent, read in an unknown order."""

from __future__ import annotations

from untied._core import show_id
from untied.cli import notes, output
from untied.cli.options import chosen
from untied.cli.reading import reading_settings, run_files
from untied.evaluation.searches import evaluate_interleavings
from untied.results.notes import of_undefined
from untied.results.text import cell

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from untied._core import Measure, Qrels


def write(
    options: argparse.Namespace, qrels: Qrels, measures: list[Measure], style: str, inputs: list[str],
    plugins: list[str],
) -> None:  # fmt: skip
    """Write the mean, lowest and highest value of each measure over all interleavings of the runs."""
    files = run_files(options)
    searches = list(files.values() if isinstance(files, dict) else files)
    settings = chosen(options, "on_undefined")
    table, facts = evaluate_interleavings(qrels, searches, measures, **settings, **chosen(options, "threads"))
    leaves_out = options.on_undefined == "nan"
    notes.add([*notes.of_repeated(qrels), *of_undefined({"searches": facts}, can_leave_out=not leaves_out)])
    shown = [row for row, is_mean in zip(table.to_dicts(), table._is_of_means(), strict=True)
             if options.per_query or is_mean]  # fmt: skip
    if style == "json":
        settings |= {"interleave": True, **chosen(options, "qrels_format"), **reading_settings(options)}
        text = output.json(settings, inputs, **output.plugins(plugins), results=shown)
    else:
        names = [name for name in table.columns if style != "table" or options.per_query or name != "query"]
        lines = [[_cell(row, name, style, options.digits) for name in names] for row in shown]
        text = output.lines(names, lines, style, texts=len(names) - 3)
        if style == "table":
            number = f"{len(searches)} {'search' if len(searches) == 1 else 'searches'}"
            text = f"{output.bold(f'means over all interleavings of {number}', options.output is None)}\n{text}"
    output.write(text, options.output)


def _cell(row: dict[str, Any], name: str, style: str, digits: int) -> str:
    if style == "table" and isinstance(row[name], str):
        return show_id(row[name])
    return cell(row[name], name, digits)
