"""Estimates from human and machine judgments as a picture, by matplotlib."""

from __future__ import annotations

from math import isnan

from untied._core import show_id
from untied.results.plotting import COLORS, FIRST, SECOND, picture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

#: Inches: of a row, and of everything around the rows.
ROW, AROUND = 0.34, 1.0
#: How far the human mean lies above the estimate, and the machine's below, in rows.
APART = 0.24


def draw(rows: Sequence[Mapping[str, Any]], title: str, style: str) -> bytes:
    """Draw the estimates of runs, and below them those of differences.

    `rows` are those of `RunEstimates.table`, each with the interval that the human mean has `alone`.
    """
    runs, pairs = ([row for row in rows if bool(row["run_b"]) == of_pairs] for of_pairs in (False, True))
    panels = [panel for panel in (runs, pairs) if panel]

    def fill(figure: Any) -> None:
        axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=[len(panel) for panel in panels])
        for [axis], panel in zip(axes, panels, strict=True):
            _panel(axis, panel)
        axes[0][0].set_title(title)
        handles, labels = axes[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)

    return picture(fill, (5.0, AROUND * (1 + len(panels)) / 2 + ROW * len(rows)), style)


def _panel(axis: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Draw a row for each run, or for each difference, the first at the top."""
    kinds: tuple[tuple[str, str, float, dict[str, Any]], ...] = (
        ("human", "people alone", -APART, {"marker": "o", "color": COLORS[FIRST], "markerfacecolor": "white"}),
        ("estimate", "estimate from both", 0.0, {"marker": "o", "color": "black"}),
        ("machine", "machine alone", APART, {"marker": "x", "color": COLORS[SECOND]}),
    )
    for place, row in enumerate(rows):
        if not isnan(row["low"]):
            axis.plot(row["alone"], [place - APART] * 2, color=COLORS[FIRST], linewidth=1)
            axis.plot((row["low"], row["high"]), [place] * 2, color="black", linewidth=2)
        for name, about, beside, look in kinds:
            label = about if place == 0 else None
            axis.plot(row[name], place + beside, linestyle="none", markersize=4.5, label=label, **look)
    names = [" − ".join(show_id(row[run]) for run in ("run_a", "run_b") if row[run]) for row in rows]
    axis.set_yticks(range(len(rows)), names)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)
    if rows[0]["run_b"]:
        axis.axvline(0, color="0.6", linewidth=0.8, zorder=0)
