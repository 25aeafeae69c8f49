"""The common style of studies' plots: captions, panels, grids, legends and colours."""

from __future__ import annotations

from typing import NamedTuple

from untied.results.plotting import COLORS, DASHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


MARKERS = "osv^Dx+*"
#: Places of the measures that studies compare unless told otherwise. Those of one plot differ in colour or line.
KNOWN = {
    "AP": 0, "nDCG": 1, "bpref": 2, "infAP": 3, "subAP": 4, "indAP": 5, "bpref-10": 6,
    "P@10": 7, "nDCG@10": 8, "R@100": 9, "RR": 10, "Rprec": 11, "F1@10": 12, "Bpref": 13, "RBP": 19,
}  # fmt: skip


class Figure(NamedTuple):
    """A plot, with its caption in the summary."""

    #: Name of its file, without the study's name and the suffix.
    name: str
    caption: str
    #: Width and height in inches.
    size: tuple[float, float]
    #: Draws into a `matplotlib.figure.Figure`.
    draw: Callable[[Any], object]


def panels(figure: Any, count: int, columns: int, **shared: Any) -> list[Any]:
    """Add `count` axes in `columns` columns to a figure."""
    axes = list(figure.subplots(-(-count // columns), columns, squeeze=False, **shared).flat)
    for axis in axes[count:]:
        axis.set_axis_off()
    return axes[:count]


def grid(axis: Any, direction: str) -> None:
    """Draw pale lines behind the plot, at the ticks of the ``"x"`` or the ``"y"`` axis."""
    axis.grid(axis=direction, color="0.9", linewidth=0.5)
    axis.set_axisbelow(True)


def ahead(axis: Any) -> None:
    """Begin both axes at 0."""
    axis.set_xlim(left=0)
    axis.set_ylim(bottom=0)


def legend(figure: Any, place: str, columns: int = 1, *axes: Any, **more: Any) -> Any:
    """Draw one legend outside of the axes, with each label once; by default for all axes of the figure."""
    named = {
        label: handle
        for axis in axes or figure.axes
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    return figure.legend(
        list(named.values()), list(named), loc=f"outside {place}", ncols=columns, frameon=False, **more
    )


def looks(measures: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Colour, line and marker of each measure; those in `KNOWN` look the same in all studies."""
    listed = list(measures)
    others = [measure for measure in listed if measure not in KNOWN]
    places = KNOWN | {measure: place for place, measure in enumerate(others, 1 + max(KNOWN.values()))}
    return {
        measure: {
            "color": COLORS[places[measure] % len(COLORS)],
            "linestyle": DASHES[places[measure] // len(COLORS) % len(DASHES)],
            "marker": MARKERS[places[measure] % len(MARKERS)],
        }
        for measure in listed
    }
