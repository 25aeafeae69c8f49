"""The order that ``--sort-by`` asks for: best run first, or widest range first."""

from __future__ import annotations

from array import array
from math import nan

from untied import _core
from untied.cli.options import UsageError
from untied.errors import MeasureError
from untied.measures import as_measure
from untied.results.evaluation import Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from untied._core import Measure
    from untied.results.table import Table

#: What the option takes besides a measure.
WIDTH = "width"
FORMS = f"{WIDTH} or '{WIDTH} of MEASURE'"


class Order:
    """What decides the order of runs: the mean of a measure, or the width of its range.

    Attributes
    ----------
    measure : Measure
        The measure.
    by_width : bool
        Whether the runs with the widest range come first, and within each run the queries with the widest range.
    """

    def __init__(self, text: str, measures: Sequence[Measure]) -> None:
        words = text.split(maxsplit=2)
        self.by_width = words[:1] == [WIDTH]
        if not self.by_width:
            self.measure = _measure(text)
        elif len(words) == 1:
            self.measure = measures[0]
        elif words[1] == "of" and len(words) == 3:
            self.measure = _measure(words[2])
        else:
            raise UsageError(f"--sort-by must be MEASURE, {FORMS}, not {text!r}")

    def runs(self, results: Results, by: Results | None = None) -> Results:
        """The results, with the best run or the widest range first, and undefined ones last.

        `by` has the values of the measure if the results do not.
        """
        values = [(by or results).value(self.measure, run=run) for run in results.runs]
        keys = [_width(value.low, value.high) for value in values] if self.by_width else values
        ranked = _core.ranked(keys, self.measure.lower_is_better and not self.by_width)
        evaluations = {results.runs[place]: results._evaluations[results.runs[place]] for place, _ in ranked}
        return Results(results._measures, evaluations, results._policies, results._difference_bounds, results._design)

    def queries(self, table: Table, results: Results) -> Table:
        """A table of values per query; by width, each run has its queries with the widest range first."""
        if not self.by_width:
            return table
        number = results._number(self.measure)
        order: list[int] = []  # of rows; each run has its means last
        means = 1 + len(results.segments)
        for evaluation in results._evaluations.values():
            lows, highs = (array("d", evaluation.column(number, end)) for end in ("low", "high"))
            widths = list(map(_width, lows, highs))
            start = len(order)
            ranked = (place for place, _ in _core.ranked(widths, False))
            for place in [*ranked, *range(len(widths), len(widths) + means)]:
                row = start + place * len(results._measures)
                order += range(row, row + len(results._measures))
        return table._in_order(order)


def order_of(options: argparse.Namespace, measures: list[Measure]) -> tuple[Order, list[Measure]]:
    """The order that the option asks for, and the measures, preceded by the one to sort by if it is not among them."""
    order = Order(options.sort_by, measures)
    if order.by_width and "range" not in (options.ties, options.unjudged):
        raise UsageError(f"--sort-by {WIDTH} needs --ties range or --unjudged range")
    return order, measures if order.measure in measures else [order.measure, *measures]


def _measure(text: str) -> Measure:
    try:
        return as_measure(text)
    except MeasureError as error:
        raise UsageError(f"{error}; --sort-by also takes {FORMS}") from error


def _width(low: float | None, high: float | None) -> float:
    return nan if low is None or high is None else _core.difference(high, low)
