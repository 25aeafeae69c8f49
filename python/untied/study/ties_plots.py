"""Plots of the study of ties."""

from __future__ import annotations

from untied import _core
from untied.compare.comparison import quantile
from untied.results.palette import BY_DOCID, COLORS, DASHES, TIE_RANGE
from untied.study.ties_summary import ORDERS, PRECISIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from untied.results.table import Table


#: Runs in a panel of the plot of spreads.
WIDEST = 6


def draw_spread(figure: Any, table: Table, measures: Sequence[str]) -> None:
    """From the worst to the best order of ties, run by run."""
    rows = -(-len(measures) // 3)
    axes = list(figure.subplots(rows, 3, squeeze=False).flat)
    for axis, measure in zip(axes, measures, strict=False):
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
        axis.set_yticks(range(len(widest)), [_core.show_id(run) for _, run, *_ in widest])
        axis.set_ylim(WIDEST - 0.4, -0.6)
        axis.set_title(measure)
        axis.margins(x=0.08)
        axis.grid(axis="x", color="0.92", linewidth=0.5)
        axis.set_axisbelow(True)
    for axis in axes[len(measures) :]:
        axis.set_axis_off()
    handles = dict(zip(*reversed(axes[0].get_legend_handles_labels()), strict=True))
    figure.legend(list(handles.values()), list(handles), loc="outside upper center", ncols=3, frameon=False)


def draw_swaps(figure: Any, tables: Mapping[str, Table], name: str, measures: Sequence[str]) -> None:
    """Pairs of runs that one order of ties puts the other way round than another."""
    axis = figure.subplots()
    looks = {"docid": ("by document id", "o", BY_DOCID), "given": ("as given", "s", 2),
             "best": ("all at their best", "^", 0), "worst": ("all at their worst", "v", 3)}  # fmt: skip
    reversible = {row[0]: row for row in tables[f"{name}-reversible"].rows() if row[1] == PRECISIONS[0]}
    most = [reversible[measure][5] for measure in measures]
    axis.barh(range(len(measures)), most, height=0.8, color="0.88", label="some order of their ties reverses them")
    for number, (order, (label, marker, color)) in enumerate(looks.items()):
        found = {
            row[0]: row[7]
            for row in tables[f"{name}-orders"].rows()
            if row[1:5] == (PRECISIONS[0], order, PRECISIONS[0], ORDERS[0])
        }
        # Beside each other, so that equal ones are seen.
        places = [place - 0.27 + 0.18 * number for place in range(len(measures))]
        axis.plot([found[measure] for measure in measures], places, marker, color=COLORS[color], markersize=3.5,
                  label=label, clip_on=False, zorder=3)  # fmt: skip
    axis.set_yticks(range(len(measures)), measures)
    axis.set_ylim(len(measures) - 0.5, -0.5)
    if max(most) > 500:
        axis.set_xscale("symlog", linthresh=10)
    axis.set_xlim(left=0)
    pairs = next(iter(reversible.values()))[4]
    axis.set_xlabel(f"pairs of runs, of {pairs:,}")
    axis.grid(axis="x", color="0.92", linewidth=0.5)
    axis.set_axisbelow(True)
    figure.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)


def draw_precision(figure: Any, tables: Mapping[str, Table], name: str, measures: Sequence[str]) -> None:
    """Ties, and what they change, by the precision of scores."""
    several = len(set(tables[name]["run"])) > 1
    axes = figure.subplots(1, 3 if several else 2)
    places = range(len(PRECISIONS))
    shares: list[list[float]] = [[] for _ in PRECISIONS]
    for _, precision, documents, tied, *_ in tables[f"{name}-runs"].rows():
        if tied is not None:
            shares[PRECISIONS.index(precision)].append(100 * tied / documents)
    for place, found in zip(places, shares, strict=True):
        # Side by side in the order of their shares, so that equal ones are seen.
        found.sort()
        width = [place - 0.3 + 0.6 * (i + 0.5) / len(found) for i in range(len(found))]
        axes[0].plot(width, found, ".", color=COLORS[0], markersize=2.5, markeredgewidth=0, rasterized=True)
        if found:
            axes[0].hlines(quantile(found, 0.5), place - 0.36, place + 0.36, color="black", linewidth=1.2)
    axes[0].set_title("tied documents, %")
    axes[0].set_ylim(0, 101)
    widths: dict[tuple[str, str], list[float]] = {}
    for _, measure, precision, _, low, high, *_ in tables[name].rows():
        widths.setdefault((measure, precision), []).append(high - low)
    for number, measure in enumerate(measures):
        look = {"color": COLORS[number % len(COLORS)], "linestyle": DASHES[number // len(COLORS) % len(DASHES)],
                "marker": "osv^Dx+*"[number % 8], "markersize": 3, "linewidth": 0.9}  # fmt: skip
        known = [place for place in places if (measure, PRECISIONS[place]) in widths]
        of_known = [widths[measure, PRECISIONS[place]] for place in known]
        axes[1].plot(known, [sum(one) / len(one) for one in of_known], label=measure, **look)
        if several:
            taus = {
                row[1]: row[6]
                for row in tables[f"{name}-orders"].rows()
                if (row[0], *row[2:5]) == (measure, ORDERS[0], PRECISIONS[0], ORDERS[0])
            }
            known = [place for place in places if PRECISIONS[place] in taus]
            axes[2].plot([0, *known], [1.0, *(taus[PRECISIONS[place]] for place in known)], **look)
    axes[1].set_title("best less worst order")
    axes[1].set_ylim(bottom=0)
    if several:
        axes[2].set_title("tau_b with float64")
    for axis in axes:
        axis.set_xticks(list(places), PRECISIONS, rotation=35, ha="right", rotation_mode="anchor")
        axis.grid(axis="y", color="0.9", linewidth=0.5)
        axis.set_axisbelow(True)
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
