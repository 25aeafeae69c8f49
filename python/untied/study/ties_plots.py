"""Plots of the study of ties."""

from __future__ import annotations

from untied._core import show_id
from untied.comparison.comparison import quantile
from untied.results.plotting import BY_DOCID, COLORS, TIE_RANGE
from untied.study.plots import grid, legend, looks, panels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from untied.results.table import Table
    from untied.study.rows import Row

#: How scores are read.
PRECISIONS = ("float64", "float32", "float16", "bfloat16", "8 bits")
#: Orders of tied documents that a run is evaluated in; the first is the mean over all.
ORDERS = ("mean", "docid", "given", "best", "worst")
#: Runs in a panel of the plot of spreads.
WIDEST = 6
#: What orders are called, with marker and colour.
LOOKS = {
    "docid": ("by document id", "o", COLORS[BY_DOCID]),
    "given": ("as given", "s", COLORS[2]),
    "best": ("best order", "^", COLORS[0]),
    "worst": ("worst order", "v", COLORS[3]),
}


def draw_spread(figure: Any, table: Table, measures: Sequence[str]) -> None:
    """Draw the range from the worst to the best order of ties, by run."""
    for axis, measure in zip(panels(figure, len(measures), 3), measures, strict=True):
        runs = [
            (high - low, run, value, low, high, docid)
            for run, of, precision, value, low, high, docid, _ in table.rows()
            if (of, precision) == (measure, PRECISIONS[0])
        ]
        widest = sorted(runs, reverse=True)[:WIDEST]
        for place, (_, _, value, low, high, docid) in enumerate(widest):
            axis.plot([low, high], [place, place], color=COLORS[TIE_RANGE], linewidth=4, solid_capstyle="butt",
                      label="worst to best order")  # fmt: skip
            axis.plot(value, place, "|", color="black", markersize=6, label="mean over all orders")
            axis.plot(
                docid, place, ".", color=COLORS[BY_DOCID], markersize=5, markeredgewidth=0, label="by document id"
            )
        axis.set_yticks(range(len(widest)), [show_id(run) for _, run, *_ in widest])
        axis.set_ylim(WIDEST - 0.4, -0.6)
        axis.set_title(measure)
        axis.margins(x=0.08)
        grid(axis, "x")
    legend(figure, "upper center", 3, figure.axes[0])


def draw_swaps(figure: Any, between: Mapping[Row, Row], reversible: Mapping[str, Row], measures: Sequence[str]) -> None:
    """Draw how many pairs of runs two orders of ties put in opposite order."""
    axis = figure.subplots()
    most = [number for _, _, _, number, _ in (reversible[measure] for measure in measures)]
    axis.barh(
        range(len(measures)), most, height=0.8, color="0.88", label="some order of tied documents reverses the pair"
    )
    exact = PRECISIONS[0]
    for number, (order, (label, marker, color)) in enumerate(LOOKS.items()):
        # Beside each other, so that equal ones are seen.
        places = [place - 0.27 + 0.18 * number for place in range(len(measures))]
        axis.plot([between[measure, exact, order, exact, ORDERS[0]][2] for measure in measures], places, marker,
                  color=color, markersize=3.5, label=label, clip_on=False, zorder=3)  # fmt: skip
    axis.set_yticks(range(len(measures)), measures)
    axis.set_ylim(len(measures) - 0.5, -0.5)
    if max(most) > 500:
        axis.set_xscale("symlog", linthresh=10)
    axis.set_xlim(left=0)
    axis.set_xlabel(f"pairs of runs (of {reversible[measures[0]][2]:,})")
    grid(axis, "x")
    legend(figure, "lower center", 3)


def draw_precision(
    figure: Any,
    shares: Mapping[str, Sequence[float]],
    widths: Mapping[tuple[str, str], float],
    taus: Mapping[tuple[str, str], float],
    measures: Sequence[str],
) -> None:
    """Draw ties and their effect, by the precision of scores."""
    axes = figure.subplots(1, 3 if taus else 2)
    for place, precision in enumerate(PRECISIONS):
        # Side by side in the order of their shares, so that equal ones are seen.
        sorted_shares = sorted(shares.get(precision, ()))
        across = [place - 0.3 + 0.6 * (i + 0.5) / len(sorted_shares) for i in range(len(sorted_shares))]
        axes[0].plot(across, sorted_shares, ".", color=COLORS[0], markersize=2.5, markeredgewidth=0, rasterized=True)
        if sorted_shares:
            axes[0].hlines(quantile(sorted_shares, 0.5), place - 0.36, place + 0.36, color="black", linewidth=1.2)
    axes[0].set_title("tied documents, %")
    axes[0].set_ylim(0, 101)
    for measure, look in looks(measures).items():
        for axis, values in zip(axes[1:], (widths, taus), strict=False):
            known = [place for place, precision in enumerate(PRECISIONS) if (measure, precision) in values]
            axis.plot(known, [values[measure, PRECISIONS[place]] for place in known], label=measure, markersize=3,
                      linewidth=0.9, **look)  # fmt: skip
    axes[1].set_title("best minus worst value")
    axes[1].set_ylim(bottom=0)
    if taus:
        axes[2].set_title("tau_b with float64")
    for axis in axes:
        axis.set_xticks(range(len(PRECISIONS)), PRECISIONS, rotation=35, ha="right", rotation_mode="anchor")
        grid(axis, "y")
    legend(figure, "lower center", 5, axes[1])
