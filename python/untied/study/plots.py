"""What plots of studies have in common: pictures with captions, panels, grids, legends, and what colours mean."""

from __future__ import annotations

from typing import NamedTuple

from untied.results.palette import COLORS, DASHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Figure(NamedTuple):
    """A plot.

    Attributes
    ----------
    name : str
        Of its file, without the study's name and the suffix.
    caption : str
        What it shows, for the summary.
    size : (float, float)
        Width and height in inches.
    draw : callable
        Draws into a `matplotlib.figure.Figure`.
    """

    name: str
    caption: str
    size: tuple[float, float]
    draw: Callable[[Any], object]


def panels(figure: Any, count: int, columns: int, **shared: Any) -> list[Any]:
    """A figure with this many axes, in this many columns."""
    axes = list(figure.subplots(-(-count // columns), columns, squeeze=False, **shared).flat)
    for axis in axes[count:]:
        axis.set_axis_off()
    return axes[:count]


def grid(axis: Any, direction: str) -> None:
    """Pale lines behind what is drawn, at the ticks of the ``"x"`` or the ``"y"`` axis."""
    axis.grid(axis=direction, color="0.9", linewidth=0.5)
    axis.set_axisbelow(True)


def ahead(axis: Any) -> None:
    """Begin both axes at 0."""
    axis.set_xlim(left=0)
    axis.set_ylim(bottom=0)


def legend(figure: Any, place: str, columns: int = 1, *axes: Any, **more: Any) -> Any:
    """One legend outside of all axes, for some of them or else for all; what several show stands there once."""
    named = {
        label: handle
        for axis in axes or figure.axes
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    return figure.legend(
        list(named.values()), list(named), loc=f"outside {place}", ncols=columns, frameon=False, **more
    )


def look(number: int) -> dict[str, Any]:
    """Colour, line and marker of a measure, by its place in the list."""
    return {
        "color": COLORS[number % len(COLORS)],
        "linestyle": DASHES[number // len(COLORS) % len(DASHES)],
        "marker": "osv^Dx+*"[number % 8],
    }
