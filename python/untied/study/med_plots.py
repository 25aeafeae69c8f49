"""Plots of the study of MED, after Tan & Clarke's figures 1 to 3, and a map."""

from __future__ import annotations

from untied._core import show_id
from untied.results.plotting import COLORS, DASHES
from untied.study.med_names import short
from untied.study.plots import Figure, ahead, grid, legend, panels
from untied.study.rows import gathered, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from untied.results.table import Table
    from untied.study.med_names import Distances
    from untied.study.rows import Row

    Values = Mapping[tuple[str, float], list[float]]

#: Groups with bars, and groups with a colour on the map.
SHOWN = 8
#: Up to this many dots of a plot are drawn large.
FEW_DOTS = 500
#: Pairs of a group that get a name each.
NAMED = 15
SAME = {"color": COLORS[1], "label": "runs from the same group", "zorder": 3}
OTHER = {"color": COLORS[0], "label": "runs from different groups", "zorder": 2}
MARKERS = "osv^DPX*"


def best_groups(table: Table) -> list[str]:
    """Return the groups of two runs or more. The group of the best run comes first."""
    means = gathered((group, mean) for _, group, *_, mean in table.rows())
    several = {group: max(of) for group, of in means.items() if len(of) > 1}
    return sorted(several, key=lambda group: -several[group])


def groups(tables: Mapping[str, Table], name: str, distances: Distances) -> Iterator[Figure]:
    """Return a bar chart of the distances within groups, if there are any."""
    best = best_groups(tables[f"{name}-map"])[:SHOWN]
    if not best:
        return
    within = gathered(
        (group, (value, a, b))
        for a, b, group, *key, value, _ in tables[name].rows()
        if (*key,) == (distances.main, 0.0)
    )
    of_groups = {group: sorted(within[group]) for group in best}
    # Bars are equally wide.
    lengths = list(map(len, of_groups.values()))
    most = [max(3, *lengths[row : row + 2]) for row in range(0, len(best), 2)]

    def draw(figure: Any) -> None:
        axes = panels(figure, len(best), 2, sharex=True, height_ratios=most)
        for number, (axis, (group, pairs)) in enumerate(zip(axes, of_groups.items(), strict=True)):
            runs = sorted({run for _, *of in pairs for run in of})
            begin = len(_common(runs))
            begin = 0 if begin == len(runs[0]) else begin
            axis.barh(range(len(pairs)), [value for value, *_ in pairs], color=SAME["color"], height=0.7)
            names = [f"{show_id(a[begin:])} – {show_id(b[begin:])}" for _, a, b in pairs]
            named = len(pairs) <= NAMED
            axis.set_yticks(range(len(pairs)) if named else [], names if named else [])
            axis.tick_params(axis="y", labelsize=5.5, length=0)
            axis.set_ylim(most[number // 2] - 0.4, -0.6)
            axis.set_title(f"{show_id(_common(runs) or group)}: {len(runs)} runs", loc="left")
            grid(axis, "x")
        axes[0].set_xlim(left=0)
        figure.supxlabel(short(distances.main), fontsize=8)

    caption = f"{short(distances.main)} between runs from the same group, the {len(best)} groups with the best runs"
    yield Figure("groups", caption, (6.8, 0.5 + 1.55 * len(most)), draw)


def _common(names: Sequence[str]) -> str:
    """The common prefix of names."""
    first, last = min(names), max(names)
    same = [number for number, (x, y) in enumerate(zip(first, last, strict=False)) if x != y]
    return first[: same[0]] if same else first[: len(last)]


def map_of_runs(tables: Mapping[str, Table], name: str, distances: Distances) -> Figure:
    """Return a map with a dot for each run. Better runs have larger dots."""
    rows = list(tables[f"{name}-map"].rows())
    most = max(mean for *_, mean in rows) or 1.0
    best = best_groups(tables[f"{name}-map"])[:SHOWN]
    of_groups = gathered((group if group in best else None, row) for row in rows for group in row[1:2])

    def dots(axis: Any, of: Sequence[Row], **look: Any) -> None:
        _, _, x, y, means = zip(*of, strict=True) if of else [()] * 5
        axis.scatter(x, y, s=[4 + 36 * max(mean, 0.0) / most for mean in means], **look)

    def draw(figure: Any) -> None:
        axis = figure.subplots()
        dots(axis, of_groups.get(None, ()), color="0.75", linewidths=0, label="other runs")
        for number, group in enumerate(best):
            begin = _common([run for run, *_ in of_groups[group]])
            # The last colour is black; lines around tell two of the same colour apart.
            dots(axis, of_groups[group], color=COLORS[number % len(COLORS)], marker=MARKERS[number % len(MARKERS)],
                 linewidths=0.3, edgecolors="white", label=show_id(begin or group), zorder=3)  # fmt: skip
        # Those on the outside are the odd ones. A name that would lie on another is left out.
        extent = max((abs(place) for _, _, *xy, _ in rows for place in xy), default=0.0)
        named: list[tuple[float, float]] = []
        for run, _, x, y, _ in sorted(rows, key=lambda row: -(row[2] ** 2 + row[3] ** 2))[:24]:
            if all(abs(x - a) > 0.2 * extent or abs(y - b) > 0.06 * extent for a, b in named):
                named.append((x, y))
                axis.annotate(show_id(run), (x, y), (3, 3), textcoords="offset points", fontsize=5.5, color="0.35")
        axis.set_aspect("equal", adjustable="datalim")
        axis.set_xticks([])
        axis.set_yticks([])
        axis.spines[:].set_visible(False)
        legend(figure, "right center")

    caption = (
        f"Runs on a map by classical multidimensional scaling. Runs with a small {short(distances.main)} are close. "
        f"Larger dots are better runs by {distances.measure}"
    )
    return Figure("map", caption, (6.8, 4.6), draw)


def _scatter(axis: Any, x: Sequence[float], y: Sequence[float], same: Sequence[bool]) -> None:
    """Draw a scatter plot as one bitmap, because it may have many dots. A few dots are drawn larger and darker."""
    size, alpha = (6.0, 0.8) if len(x) <= FEW_DOTS else (1.5, 0.35)
    for look, of in ((OTHER, False), (SAME, True)):
        kept = [(a, b) for a, b, one in zip(x, y, same, strict=True) if one is of]
        if kept:
            drawn = {"s": max(3.5, size), "alpha": 0.9} if of else {"s": size, "alpha": alpha}
            axis.scatter(*zip(*kept, strict=True), linewidths=0, rasterized=True, **drawn, **look)


def _legend_of_dots(figure: Any) -> None:
    for handle in legend(figure, "upper center", 2, figure.axes[0], markerscale=3).legend_handles:
        handle.set_alpha(1)
        handle.set_sizes([25])


def judgments(
    distances: Distances, values: Values, rates: Sequence[float], actual: Sequence[float], same: Sequence[bool]
) -> Figure:
    """Return a plot of actual differences against the distance that knows a share of the judgments."""

    def draw(figure: Any) -> None:
        axes = panels(figure, len(rates), min(4, len(rates)), sharex=True, sharey=True)
        for axis, rate in zip(axes, rates, strict=True):
            axis.axline((0, 0), slope=1, color="0.6", linewidth=0.7, zorder=1)
            _scatter(axis, actual, values[distances.main, rate], same)
            axis.set_title(f"{percent(rate)} % of the judgments" if rate else "no judgments")
        ahead(axes[0])
        axes[0].set_ylabel(short(distances.main))
        figure.supxlabel(f"difference of mean {distances.measure}, all judgments", fontsize=8)
        _legend_of_dots(figure)

    caption = (
        f"{short(distances.main)} with a share of the judgments, against the difference between the two means with all "
        "judgments. Each dot is a pair of runs"
    )
    return Figure("judgments", caption, (6.8, 2.2 if len(rates) <= 4 else 4.0), draw)


def measures(distances: Distances, values: Values, same: Sequence[bool]) -> Iterator[Figure]:
    """Return plots of one distance against another.

    RBO is plotted against MED-RBP, and every other distance against the main one. One more plot has MED-nDCG at the
    lowest and at the highest cutoff.
    """
    main, swept = distances.main, distances.swept
    rbo = {swept["RBO", psi]: swept["MED-RBP", psi] for psi in distances.numbers("RBO")}
    shown = [(rbo[one] if rbo.get(one) in distances.listed else main, one) for one in distances.listed[1:]]
    cutoffs = distances.numbers("MED-nDCG")
    outer = [swept["MED-nDCG", k] for k in dict.fromkeys([*cutoffs[:1], *cutoffs[-1:]])]
    shown += [(main, one) for one in outer if one != main]
    if not shown:
        return

    def draw(figure: Any) -> None:
        for axis, (one, other) in zip(panels(figure, len(shown), 3), shown, strict=True):
            _scatter(axis, values[one, 0.0], values[other, 0.0], same)
            axis.set_xlabel(short(one))
            axis.set_ylabel(short(other))
            ahead(axis)
        _legend_of_dots(figure)

    size = (6.8, 0.4 + 2.15 * -(-len(shown) // 3))
    yield Figure("measures", "Distances against each other. Each dot is a pair of runs", size, draw)


def parameters(distances: Distances, correlations: Mapping[Row, Row]) -> Figure:
    """Return a plot of correlations by persistence and by cutoff."""
    main, swept = distances.main, distances.swept
    psi, cutoffs = distances.numbers("RBO"), distances.numbers("MED-nDCG")
    lines = [
        (0, f"MED-RBP with {short(main)}", [(swept["MED-RBP", p], main) for p in psi]),
        (1, f"MED-nDCG with {short(main)}", [(swept["MED-nDCG", k], main) for k in cutoffs]),
        (1, f"MED-ERR with {short(main)}", [(swept["MED-ERR", k], main) for k in cutoffs]),
        (0, "1 - RBO with MED-RBP", [(swept["RBO", p], swept["MED-RBP", p]) for p in psi]),
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 2, sharey=True)
        for number, (panel, label, points) in enumerate(lines):
            for place, name in enumerate(("Pearson", "Kendall")):
                values = [1.0 if one == to else correlations[one, 0.0, to, "all"][place] for one, to in points]
                axes[panel].plot(range(len(values)), values, color=COLORS[number], linestyle=DASHES[place],
                                 marker=MARKERS[number], markersize=4, linewidth=1,
                                 label=f"{label}, {name}")  # fmt: skip
        for axis, numbers, name in zip(axes, (psi, cutoffs), ("persistence ψ", "cutoff k"), strict=True):
            axis.set_xticks(range(len(numbers)), [f"{number:g}" for number in numbers])
            axis.set_xlabel(name)
            grid(axis, "y")
        axes[0].set_ylabel("correlation")
        axes[0].set_ylim(top=1.01)
        legend(figure, "lower center", 2)

    caption = (
        f"Correlation over all pairs with {short(main)}, and of MED-RBP with 1 - RBO, by persistence and by cutoff"
    )
    return Figure("parameters", caption, (6.8, 2.8), draw)
