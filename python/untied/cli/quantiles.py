"""``untied eval --quantiles``: how values are distributed if tied documents are shuffled."""

from __future__ import annotations

from untied._core import show_id
from untied.cli import notes, output
from untied.cli.options import chosen
from untied.cli.reading import reading_settings, with_readable
from untied.errors import UntiedError
from untied.results.text import cell
from untied.tie_orders.results import checked
from untied.tie_orders.runs import distributions

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from untied._core import Measure, Qrels
    from untied.tie_orders.results import Distributions


def levels(text: str) -> list[float]:
    """Read the argument of ``--quantiles``."""
    try:
        return checked(map(float, text.split(",")))
    except (ValueError, UntiedError):
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"expected numbers from 0 to 1, such as 0.05,0.5,0.95, found {text!r}") from None


def write(
    options: argparse.Namespace, qrels: Qrels, measures: list[Measure], style: str, inputs: list[str],
    plugins: list[str],
) -> None:  # fmt: skip
    """Write quantiles of the values of all runs."""
    settings = chosen(options, "unjudged", "score_dtype", "queries", "qrels_format", "on_undefined")

    def make(runs: Any) -> Distributions:
        return distributions(
            qrels, runs, measures, **settings, **chosen(options, "per_query", "docs", "strict", "threads")
        )

    laws, skipped = with_readable(options, make)
    notes.add([*skipped, *laws._notes(), *notes.of_repeated(qrels)])
    table = laws.quantiles(options.quantiles, per_query=options.per_query)
    if style == "json":
        settings |= {"quantiles": options.quantiles, **reading_settings(options)}
        text = output.json(settings, inputs, **output.plugins(plugins), results=table.to_dicts())
    elif style == "table":
        text = _side_by_side(table.to_dicts(), options)
    else:
        rows = ([cell(one, name, options.digits) for name, one in row.items()] for row in table.to_dicts())
        text = output.lines(table.columns, rows, style, texts=4)
    output.write(text, options.output)
    for path in options.beside:
        output.write(laws.plot(style=output.PICTURES[output.suffix(path)]), path)


def _side_by_side(rows: list[dict[str, Any]], options: argparse.Namespace) -> str:
    """A line for each value and a column for each quantile."""
    names = ("run", "query", "measure") if options.per_query else ("run", "measure")
    step = len(options.quantiles)
    lines = [
        [*(show_id(rows[first][name]) for name in names), *(_span(row, options.digits) for row in rows[first:][:step])]
        for first in range(0, len(rows), step)
    ]
    title = "quantiles of values over all orders of tied documents"
    header = [*names, *(f"{level:g}" for level in options.quantiles)]
    return f"{output.bold(title, options.output is None)}\n{output.lines(header, lines, 'table', texts=len(names))}"


def _span(row: dict[str, Any], digits: int) -> str:
    """A quantile, or between which numbers it lies if these can be told apart."""
    low, high = (f"{row[end]:.{digits}f}" for end in ("low", "high"))
    return low if low == high else f"{low} to {high}"
