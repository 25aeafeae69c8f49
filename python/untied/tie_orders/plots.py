"""Distributions over tie orders as a picture, by matplotlib."""

from __future__ import annotations

from untied._core import show_id
from untied.results.plotting import COLORS, picture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Quantiles between which lines are drawn, and how thick: nearly all orders, the central 90 %, the central half.
SPANS = ((0.0005, 0.9995, 0.8), (0.05, 0.95, 2.5), (0.25, 0.75, 6.0))
MIDDLE = 0.5
#: The quantiles that are needed.
DRAWN = (*(level for first, last, _ in SPANS for level in (first, last)), MIDDLE)


def draw(shown: dict[str, dict[float, tuple[float, float]]], measure: str, style: str) -> bytes:
    """Draw the distribution of each run's mean as a line, thicker for more likely values, with its median.

    `shown` has for each run, the first at the top, between which values the quantiles `DRAWN` lie.
    """

    def fill(figure: Any) -> None:
        axis = figure.subplots()
        for place, quantiles in enumerate(shown.values()):
            for first, last, width in SPANS:
                # Of what is only enclosed, the widest that it can be.
                ends = (quantiles[first][0], quantiles[last][1])
                axis.plot(ends, (place, place), color=COLORS[0], linewidth=width, solid_capstyle="butt")
            middle = sum(quantiles[MIDDLE]) / 2
            axis.plot(middle, place, marker="o", markersize=4, color="white", markeredgecolor=COLORS[0])
        axis.set_yticks(range(len(shown)), [show_id(run) for run in shown])
        axis.set_ylim(len(shown) - 0.5, -0.5)
        axis.set_xlabel(f"mean {measure}: median; 50 %, 90 % and 99.9 % of tie orders")

    return picture(fill, (5.0, 0.7 + 0.22 * len(shown)), style)
