"""Plots of the study `med`, after Tan & Clarke's figures 1 to 3, and a map."""

from __future__ import annotations

from untied._core import show_id
from untied.results.plotting import COLORS, DASHES
from untied.study.frame import Figure
from untied.study.med_names import DIFFERENCES, SHOWN, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from untied.results.table import Table
    from untied.study.med import Med

#: Up to this many dots of a plot are drawn large.
FEW_DOTS = 500
#: Pairs of a group that get a name each.
NAMED = 15
SAME = {"color": COLORS[1], "label": "runs of the same group", "zorder": 3}
OTHER = {"color": COLORS[0], "label": "runs of two groups", "zorder": 2}
MARKERS = "osv^DPX*"


def figures(study: Med, tables: Mapping[str, Table]) -> list[Figure]:
    """All of them; those of which there is something to show."""
    main = short(study.main)
    groups = best_groups(tables[f"{study.name}-map"])
    values: dict[tuple[str, float], list[float]] = {}
    same: list[bool] = []
    for _, _, group, measure, judged, value, _ in tables[study.name].rows():
        values.setdefault((measure, judged), []).append(value)
        if (measure, judged) == (study.main, 0.0):
            same.append(bool(group))
    found = []
    if groups:
        rows = -(-min(len(groups), SHOWN) // 2)
        found.append(
            Figure(
                "groups",
                f"{main} between runs of the same group, the {min(len(groups), SHOWN)} groups with the best runs",
                (6.8, 0.5 + 1.55 * rows),
                lambda figure: _draw_groups(figure, tables[study.name], study.main, groups[:SHOWN]),
            )
        )
    found.append(
        Figure(
            "map",
            f"Runs on a map by classical multidimensional scaling: the closer, the smaller {main}. Larger dots are "
            f"better runs by {study.settings['measure']}",
            (6.8, 4.6),
            lambda figure: _draw_map(figure, tables[f"{study.name}-map"], groups[:SHOWN]),
        )
    )
    rates = sorted(rate for measure, rate in values if measure == study.main)
    actual = tables[f"{study.name}-differences"][DIFFERENCES[0]]
    found.append(
        Figure(
            "judgments",
            f"{main} with a share of the judgments known, against the difference of the two runs' means with all",
            (6.8, 2.2 if len(rates) <= 4 else 4.0),
            lambda figure: _draw_judgments(figure, study, values, rates, actual, same),
        )
    )
    panels = _panels(study)
    if panels:
        found.append(
            Figure(
                "measures",
                "Distances against each other, one dot a pair of runs",
                (6.8, 0.4 + 2.15 * (-(-len(panels) // 3))),
                lambda figure: _draw_measures(figure, panels, values, same),
            )
        )
    if study.settings["psi"] or study.settings["cutoffs"]:
        found.append(
            Figure(
                "parameters",
                f"Correlation over all pairs with {main}, and of MED-RBP with 1 - RBO, by persistence and by cutoff",
                (6.8, 2.8),
                lambda figure: _draw_parameters(figure, study, tables[f"{study.name}-correlations"]),
            )
        )
    return found


def best_groups(table: Table) -> list[str]:
    """Groups of several runs, that of the best run first."""
    means: dict[str, list[float]] = {}
    for _, group, _, _, mean in table.rows():
        means.setdefault(group, []).append(mean)
    several = {group: max(of) for group, of in means.items() if len(of) > 1}
    return sorted(several, key=lambda group: -several[group])


def _draw_groups(figure: Any, table: Table, main: str, groups: Sequence[str]) -> None:
    of_groups = []
    for group in groups:
        rows = (row for row in table.rows() if (row[2], row[3], row[4]) == (group, main, 0.0))
        of_groups.append(sorted((value, a, b) for a, b, _, _, _, value, _ in rows))
    # Bars are equally wide.
    most = [max(3, *map(len, [*of_groups[row : row + 2], []])) for row in range(0, len(groups), 2)]
    axes = list(figure.subplots(len(most), 2, squeeze=False, sharex=True, height_ratios=most).flat)
    for number, (axis, group, pairs) in enumerate(zip(axes, groups, of_groups, strict=False)):
        runs = sorted({run for _, *of in pairs for run in of})
        begin = len(_common(runs))
        begin = 0 if begin == len(runs[0]) else begin
        axis.barh(range(len(pairs)), [value for value, *_ in pairs], color=COLORS[0], height=0.7)
        names = [f"{show_id(a[begin:])} – {show_id(b[begin:])}" for _, a, b in pairs]
        named = len(pairs) <= NAMED
        axis.set_yticks(range(len(pairs)) if named else [], names if named else [])
        axis.tick_params(axis="y", labelsize=5.5, length=0)
        axis.set_ylim(most[number // 2] - 0.4, -0.6)
        axis.set_title(f"{show_id(_common(runs) or group)}: {len(runs)} runs", loc="left")
        axis.grid(axis="x", color="0.92", linewidth=0.5)
        axis.set_axisbelow(True)
    axes[0].set_xlim(left=0)
    for axis in axes[len(groups) :]:
        axis.set_axis_off()
    figure.supxlabel(short(main), fontsize=8)


def _common(names: Sequence[str]) -> str:
    """What all names begin with."""
    first, last = min(names), max(names)
    same = [number for number, (x, y) in enumerate(zip(first, last, strict=False)) if x != y]
    return first[: same[0]] if same else first[: len(last)]


def _draw_map(figure: Any, table: Table, groups: Sequence[str]) -> None:
    axis = figure.subplots()
    rows = list(table.rows())
    most = max(mean for *_, mean in rows) or 1.0

    def size(mean: float) -> float:
        return 4 + 36 * max(mean, 0.0) / most

    others = [row for row in rows if row[1] not in groups]
    axis.scatter([x for _, _, x, _, _ in others], [y for *_, y, _ in others], s=[size(mean) for *_, mean in others],
                 color="0.75", linewidths=0, label="other runs")  # fmt: skip
    for number, group in enumerate(groups):
        of = [row for row in rows if row[1] == group]
        begin = _common([run for run, *_ in of])
        # The last colour is black; lines around tell two of the same colour apart.
        axis.scatter([x for _, _, x, _, _ in of], [y for *_, y, _ in of], s=[size(mean) for *_, mean in of],
                     color=COLORS[number % len(COLORS)], marker=MARKERS[number % len(MARKERS)], linewidths=0.3,
                     edgecolors="white", label=show_id(begin or group), zorder=3)  # fmt: skip
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
    figure.legend(*axis.get_legend_handles_labels(), loc="outside right center", frameon=False)


def _scatter(axis: Any, x: Sequence[float], y: Sequence[float], same: Sequence[bool]) -> None:
    """Dots that are drawn as one picture, as there may be thousands; few are larger and darker, to be seen at all."""
    size, alpha = (6.0, 0.8) if len(x) <= FEW_DOTS else (1.5, 0.35)
    for look, of in ((OTHER, False), (SAME, True)):
        kept = [(a, b) for a, b, one in zip(x, y, same, strict=True) if one is of]
        if kept:
            drawn = {"s": max(3.5, size), "alpha": 0.9} if of else {"s": size, "alpha": alpha}
            axis.scatter(*zip(*kept, strict=True), linewidths=0, rasterized=True, **drawn, **look)


def _legend(figure: Any) -> None:
    handles, labels = figure.axes[0].get_legend_handles_labels()
    legend = figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False, markerscale=3)
    for handle in legend.legend_handles:
        handle.set_alpha(1)
        handle.set_sizes([25])


def _draw_judgments(
    figure: Any, study: Med, values: Mapping[tuple[str, float], list[float]], rates: Sequence[float],
    actual: Sequence[float], same: Sequence[bool],
) -> None:  # fmt: skip
    columns = min(4, len(rates))
    axes = list(figure.subplots(-(-len(rates) // columns), columns, squeeze=False, sharex=True, sharey=True).flat)
    for axis, rate in zip(axes, rates, strict=False):
        axis.axline((0, 0), slope=1, color="0.6", linewidth=0.7, zorder=1)
        _scatter(axis, actual, values[study.main, rate], same)
        axis.set_title(f"{rate:g} % of the judgments" if rate else "no judgments")
    for axis in axes[len(rates) :]:
        axis.set_axis_off()
    axes[0].set_xlim(left=0)
    axes[0].set_ylim(bottom=0)
    axes[0].set_ylabel(short(study.main))
    figure.supxlabel(f"difference of mean {study.settings['measure']}, all judgments", fontsize=8)
    _legend(figure)


def _panels(study: Med) -> list[tuple[str, str]]:
    """Pairs of distances to draw: each with the first, RBO with MED-RBP of its persistence, the outer cutoffs."""
    found = [(study.main, name) for name in study.distances[1:]]
    by = {(what, number): name for what, number, name in study.swept}
    rbo = {by["RBO", psi]: by["MED-RBP", psi] for psi in study.settings["psi"]}
    found = [(rbo[name] if name in rbo and rbo[name] in study.distances else main, name) for main, name in found]
    cutoffs = study.settings["cutoffs"]
    outer = [by["MED-nDCG", k] for k in dict.fromkeys([*cutoffs[:1], *cutoffs[-1:]])]
    found += [(study.main, name) for name in outer if name != study.main]
    return found


def _draw_measures(
    figure: Any, panels: Sequence[tuple[str, str]], values: Mapping[tuple[str, float], list[float]],
    same: Sequence[bool],
) -> None:  # fmt: skip
    axes = list(figure.subplots(-(-len(panels) // 3), 3, squeeze=False).flat)
    for axis, (one, other) in zip(axes, panels, strict=False):
        _scatter(axis, values[one, 0.0], values[other, 0.0], same)
        axis.set_xlabel(short(one))
        axis.set_ylabel(short(other))
        axis.set_xlim(left=0)
        axis.set_ylim(bottom=0)
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    _legend(figure)


def _draw_parameters(figure: Any, study: Med, table: Table) -> None:
    axes = figure.subplots(1, 2, sharey=True)
    found = {(row["measure"], row["judged"], row["to"]): row for row in table.to_dicts() if row["among"] == "all"}
    by = {(what, number): name for what, number, name in study.swept}
    lines: list[tuple[int, str, dict[float, tuple[str, str]]]] = []
    for what, panel in (("MED-RBP", 0), ("MED-nDCG", 1), ("MED-ERR", 1)):
        numbers = [number for one, number in by if one == what]
        lines.append((panel, f"{what} with {short(study.main)}",
                      {number: (by[what, number], study.main) for number in numbers}))  # fmt: skip
    psi = study.settings["psi"]
    lines.append((0, "1 - RBO with MED-RBP", {one: (by["RBO", one], by["MED-RBP", one]) for one in psi}))
    for number, (panel, label, points) in enumerate(lines):
        for place, (statistic, name) in enumerate((("pearson", "Pearson"), ("kendall", "Kendall"))):
            values = {x: 1.0 if one == to else found[one, 0.0, to][statistic] for x, (one, to) in points.items()}
            axes[panel].plot(range(len(values)), list(values.values()), color=COLORS[number], linestyle=DASHES[place],
                             marker=MARKERS[number], markersize=4, linewidth=1, label=f"{label}, {name}")  # fmt: skip
    for axis, numbers, name in zip(axes, (psi, study.settings["cutoffs"]), ("persistence ψ", "cutoff k"), strict=True):
        axis.set_xticks(range(len(numbers)), [f"{number:g}" for number in numbers])
        axis.set_xlabel(name)
        axis.grid(axis="y", color="0.92", linewidth=0.5)
        axis.set_axisbelow(True)
    axes[0].set_ylabel("correlation")
    axes[0].set_ylim(top=1.01)
    handles = [one for axis in axes for one in axis.get_legend_handles_labels()[0]]
    figure.legend(handles, [handle.get_label() for handle in handles], loc="outside lower center", ncols=2,
                  frameon=False)  # fmt: skip
