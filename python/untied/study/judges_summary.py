"""The summary of the study of judges: how often intervals hold the truth, and how wide they are."""

from __future__ import annotations

from math import isnan

from untied.results.plotting import COLORS
from untied.study.judges_machines import MACHINES
from untied.study.plots import MARKERS, Figure, grid, legend
from untied.study.rows import gathered, markdown, nested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from untied.results.table import Table

    #: The numbers of a method, by machine and number of judged queries.
    Methods = Mapping[tuple[str, int], Mapping[str, Sequence[Any]]]


def pieces(table: Table, settings: Mapping[str, Any], queries: int) -> Iterator[str | Figure]:
    """Return how samples were drawn, and a section for differences and one for means."""
    asked = settings["asked"]
    yield (
        f"In each of {settings['samples']:,} samples, {_listed(settings['judged'])} "
        + (
            f"of {asked} queries are judged by people. These {asked} queries are first drawn with replacement from the "
            f"{queries} that people judged, and the truth is the mean over all that could be drawn."
            if asked
            else f"of the {queries} queries are judged by people. The truth is the mean over all of them."
        )
        + " Intervals are meant to hold it in 95 % of the samples.\n"
    )
    if settings["machines"]:
        yield "Simulated machines, which label what the runs retrieve:\n"
        yield "\n".join(f"* **{name}** {MACHINES[name][0]}." for name in settings["machines"]) + "\n"
    by_kind = nested((of, (machine, judged, method), row) for machine, judged, of, method, *row in table.rows())
    for kind, rows in by_kind.items():
        methods = nested(((machine, judged), method, row) for (machine, judged, method), row in rows.items())
        yield f"## {kind.capitalize()}\n"
        yield _figure(kind, methods)
        yield (
            "Coverage in %, averaged over estimates, with that of the lowest single estimate; then the mean width, "
            "relative to that of people alone.\n"
        )
        yield markdown(*_lines(methods), texts=1)


def _figure(kind: str, methods: Methods) -> Figure:
    caption = (
        f"{kind.capitalize()}: how many of the 95 % intervals hold the truth (above; thin lines go down to the lowest "
        "single estimate), and how wide they are (below)"
    )
    return Figure(kind, caption, (6.8, 5.2), lambda figure: _draw(figure, methods))


def _lines(methods: Methods) -> tuple[list[str], list[list[str]]]:
    """Return the head and the lines of a table."""
    names = list(next(iter(methods.values())))
    lines = []
    for (machine, judged), rows in methods.items():
        cells = []
        for name in names:
            _, _, coverage, lowest, width, *_ = rows[name]
            cells.append(f"{100 * coverage:.1f} ({100 * lowest:.0f})")
            cells += [_relative(width)] * (name != names[0])
        lines.append([machine, str(judged), *cells])
    head = [cell for name in names for cell in ([name] if name == names[0] else [name, "width"])]
    return ["machine", "judged", *head], lines


def _draw(figure: Any, methods: Methods) -> None:
    """Draw a column of panels for each number of judged queries: coverage above, widths below."""
    by_size = nested((judged, machine, rows) for (machine, judged), rows in methods.items())
    axes = figure.subplots(2, len(by_size), squeeze=False, sharex=True, sharey="row")
    for column, (judged, machines) in enumerate(by_size.items()):
        above, below = axes[0][column], axes[1][column]
        above.axhline(95, color="0.6", linewidth=0.8)
        below.axhline(1, color="0.6", linewidth=0.8)
        points = gathered((method, row) for rows in machines.values() for method, row in rows.items())
        for number, (method, rows) in enumerate(points.items()):
            color, marker = COLORS[number % len(COLORS)], MARKERS[number % len(MARKERS)]
            places = [place + 0.2 * (number - (len(points) - 1) / 2) for place in range(len(rows))]
            covered, lowest = ([100 * row[index] for row in rows] for index in (2, 3))
            above.vlines(places, lowest, covered, color=color, linewidth=0.8, alpha=0.5)
            above.plot(places, covered, marker, color=color, markersize=4, linestyle="none", label=method)
            if number:
                below.plot(places, [row[4] for row in rows], marker, color=color, markersize=4, linestyle="none")
        above.set_title(f"{judged} judged queries")
        below.set_xticks(range(len(machines)), machines, rotation=40, ha="right", rotation_mode="anchor")
        below.set_ylim(bottom=0)
        grid(above, "y")
        grid(below, "y")
    axes[0][0].set_ylabel("hold the truth, %")
    axes[1][0].set_ylabel("relative width")
    legend(figure, "upper center", 4, *axes[0])


def _relative(width: float) -> str:
    return "" if isnan(width) else f"{width:.2f}"


def _listed(numbers: Sequence[int]) -> str:
    *others, last = map(str, numbers)
    return f"{', '.join(others)} or {last}" if others else last
