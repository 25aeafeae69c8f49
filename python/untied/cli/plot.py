"""Curves as a picture, by matplotlib."""

from __future__ import annotations

from untied._core import show_id
from untied.results.plotting import COLORS, DASHES, picture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied.results.table import Table

    Points = list[tuple[float, float, float]]  # value, low, high; rank by rank


def render(table: Table, panels: list[str], style: str, relevant: int) -> bytes:
    """Draw panels of a result of `curves` side by side.

    Panels are ``"dynamic-recall"``, ``"precision-recall"`` and ``"gain"``; `relevant` is the number of relevant
    documents, where the ideal ranking ends.
    """
    runs: dict[str, dict[str, Points]] = {}
    for run, _, curve, _, value, *band in table.rows():
        low, high = band or (value, value)
        runs.setdefault(run, {}).setdefault(curve, []).append((value, low, high))
    draw = {"dynamic-recall": _dynamic_recall, "precision-recall": _precision_recall, "gain": _gain}

    def fill(figure: Any) -> None:
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for panel, axis in zip(panels, axes, strict=True):
            draw[panel](axis, runs, relevant)
        handles, labels = axes[0].get_legend_handles_labels()
        # About 16 letters to the inch; a line and two blanks before each name.
        columns = int(16 * figure.get_figwidth() / (max(map(len, labels)) + 8))
        figure.legend(handles, labels, loc="outside lower center", ncols=max(1, min(columns, 4)), frameon=False)

    return picture(fill, (3.3 if len(panels) == 1 else 2.45 * len(panels), 2.5), style)


def _look(number: int, points: int) -> dict[str, Any]:
    look = {"color": COLORS[number % len(COLORS)], "linestyle": DASHES[number % len(DASHES)]}
    return look if points > 1 else look | {"marker": "o", "markersize": 3}  # a line of one point cannot be seen


def _by_rank(axis: Any, runs: dict[str, dict[str, Points]], curve: str) -> None:
    for number, (run, curves) in enumerate(runs.items()):
        value, low, high = zip(*curves[curve], strict=True)
        ranks = range(1, len(value) + 1)
        margin = min(0.9, max(0.5, 0.01 * len(value)))  # there is no rank 0
        axis.set_xlim(1 - margin, len(value) + margin)
        axis.fill_between(ranks, low, high, color=COLORS[number % len(COLORS)], alpha=0.18, linewidth=0)
        axis.plot(ranks, value, label=show_id(run), **_look(number, len(value)))
    axis.set_xlabel("rank")
    axis.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)


def _dynamic_recall(axis: Any, runs: dict[str, dict[str, Points]], relevant: int) -> None:
    _by_rank(axis, runs, "dynamic_recall")
    axis.set_ylabel("dynamic recall")
    axis.set_ylim(0, 1.03)
    deepest = max(len(curve["found"]) for curve in runs.values())
    if relevant <= deepest:
        axis.axvline(relevant, color="0.6", linewidth=0.6, linestyle=":")
        small = {"fontsize": 6, "color": "0.4", "ha": "center", "va": "bottom"}
        axis.annotate(f"R = {relevant:,}", (relevant, 1.03), (0, 1), textcoords="offset points", **small)
    if len(runs) == 1:
        # With the number of documents found, as Typke et al. draw it: the curve falls where this one is flat.
        counts = axis.twinx()
        counts.spines["right"].set_visible(True)
        (curve,) = runs.values()
        value = [point[0] for point in curve["found"]]
        counts.step(range(1, len(value) + 1), value, where="mid", color="0.45", linewidth=0.8)
        counts.set_ylabel("relevant documents found", color="0.35")
        counts.set_ylim(0, 1.03 * relevant)
        counts.yaxis.get_major_locator().set_params(integer=True)


def _precision_recall(axis: Any, runs: dict[str, dict[str, Points]], relevant: int) -> None:
    for number, (run, curve) in enumerate(runs.items()):
        points = list(zip(curve["recall"], curve["precision"], strict=True))
        border = [(r[1], p[1]) for r, p in points] + [(r[2], p[2]) for r, p in reversed(points)]
        axis.fill(*zip(*border, strict=True), color=COLORS[number % len(COLORS)], alpha=0.18, linewidth=0)
        look = _look(number, len(points))
        axis.plot([r[0] for r, _ in points], [p[0] for _, p in points], label=show_id(run), **look)
    axis.set_xlabel("recall")
    axis.set_ylabel("precision")
    axis.set_xlim(0, 1.03)
    axis.set_ylim(0, 1.03)


def _gain(axis: Any, runs: dict[str, dict[str, Points]], relevant: int) -> None:
    _by_rank(axis, runs, "DCG")
    axis.set_ylabel("DCG")
    axis.set_ylim(bottom=0)
