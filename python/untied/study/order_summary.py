"""The summary of the study of ordered groups: text, tables and plots."""

from __future__ import annotations

import math
from itertools import combinations

from untied._core import show_id
from untied.results.plotting import COLORS, TIE_RANGE
from untied.study.order_criteria import CHANGED, CRITERIA, OUTCOMES
from untied.study.plots import Figure, grid, legend, panels
from untied.study.rankings import draw_agreement
from untied.study.rows import by_first, gathered, markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from untied.results.table import Table
    from untied.study.rows import Row

#: Runs in a panel of the plot of ranges.
SHOWN = 8
#: What the outcomes of a criterion are called in a plot, with their colours.
LOOKS = {"met": ("as demanded", COLORS[0]), "without": ("no change", "0.8"), "against": ("the opposite", COLORS[1])}


def pieces(tables: Mapping[str, Table], name: str) -> Iterator[str | Figure]:
    """Yield the sections on the rankings of runs, ranges, groups and criteria."""
    values = gathered((measure, (run, *row)) for run, measure, *row in tables[f"{name}-runs"].rows())
    measures = list(values)
    between = by_first(tables[name], 2)
    if len(measures) > 1:
        yield f"## How rankings by other measures differ from the ranking by {measures[0]}\n"
        yield from _rankings(between, measures)
    yield "## What ties and missing judgments could change\n"
    yield from _ranges(values, by_first(tables[f"{name}-reversible"], 2), measures)
    yield "## If groups are merged\n"
    yield from _merged(by_first(tables[f"{name}-merged"], 2), measures)
    counts = by_first(tables[f"{name}-criteria"], 2)
    if counts:
        yield "## Criteria 5 to 8, tried on the rankings\n"
        yield from _criteria(counts, measures)


def _rankings(between: Mapping[Row, Row], measures: Sequence[str]) -> Iterator[str | Figure]:
    """How rankings by two measures agree, for all queries and for each."""
    side = 1.6 + 0.45 * len(measures)
    yield Figure(
        "measures",
        "Rankings of runs by two measures: Kendall's tau_b is above the diagonal, and tau_AP is below the diagonal",
        (min(6.8, side + 1.2), min(6.0, side)),
        lambda figure: draw_agreement(
            figure, {pair: between[pair] for pair in combinations(measures, 2)}, measures
        ),
    )  # fmt: skip
    first, *others = measures
    rows = []
    for other in others:
        tau, ap, swaps, _, _, pairs, comparisons, opposite, equal, to_equal = between[first, other]
        rows.append([other, _tau(tau), _tau(ap), f"{swaps:,} ({_percent(swaps, pairs)})",
                     *(_percent(count, comparisons) for count in (opposite, equal, to_equal))])  # fmt: skip
    yield (
        "A pair of runs is *swapped* if the two measures put the two runs in opposite order. The last three columns "
        "compare two runs on one query: how often the measures favour different runs, and how often only one of them "
        "rates both runs equally.\n"
    )
    yield markdown(
        ["measure", "tau_b", "tau_AP", "swapped pairs of runs", "on a query: opposite",
         f"on a query: equal only by {first}", "on a query: equal only by the other"],
        rows,
    )  # fmt: skip


def _ranges(
    values: Mapping[str, Sequence[Row]], reversible: Mapping[Row, Row], measures: Sequence[str]
) -> Iterator[str | Figure]:
    """Lowest and highest values over tie orders and over grades of unjudged documents."""
    best = [run for run, *_ in sorted(values[measures[0]], key=lambda row: -row[1])[:SHOWN]]
    yield Figure(
        "ranges",
        f"The {len(best)} best runs by {measures[0]}. A bar goes from the lowest to the highest value over all grades "
        "that unjudged documents could have, the dark bar in it covers all orders of tied documents, and a line marks "
        "the mean over these orders",
        (6.8, 0.4 + (0.5 + 0.12 * len(best)) * -(-len(measures) // 3)),
        lambda figure: _draw_ranges(figure, values, best),
    )
    rows = []
    for measure in measures:
        cells = []
        for number, cause in enumerate(("ties", "unjudged")):
            widths = [row[3 + 2 * number] - row[2 + 2 * number] for row in values[measure]]
            _, _, pairs, count, difference = reversible[measure, cause]
            cells += [f"{sum(widths) / len(widths):.4f}", f"{max(widths):.4f}", f"{count:,} of {pairs:,}",
                      f"{difference:.4f}"]  # fmt: skip
        rows.append([measure, *cells])
    heads = ["mean", "largest", "reversible pairs", "largest reversible difference"]
    yield (
        "How far apart the lowest and the highest value of a run are. A pair of runs is *reversible* if the ranges of "
        "the two runs overlap. If both retrieve the same unjudged document, it has one grade for both, so missing "
        "judgments may reverse fewer pairs than the table counts; `untied certify` decides each pair.\n"
    )
    yield markdown(["measure", *(f"{cause}: {head}" for cause in ("ties", "unjudged") for head in heads)], rows)


def _merged(rows: Mapping[Row, Row], measures: Sequence[str]) -> Iterator[str]:
    """What merged groups change."""
    yield (
        "*all* makes one group of all groups of a query. *two and two* merges the first with the second, the third "
        "with the fourth, and so on; it is left out if no query has more than two groups. The rankings of runs are "
        "compared with those by the groups as they are.\n"
    )
    yield markdown(
        ["measure", "merged", "tau_b", "swapped pairs of runs", "mean change of a value", "largest change"],
        [[measure, merged, _tau(tau), f"{swaps:,} ({_percent(swaps, pairs)})",
          f"{change:+.4f}", f"{largest:.4f}"]
         for measure in measures
         for (of, merged), (tau, swaps, _, pairs, change, largest) in rows.items() if of == measure],
        texts=2,
    )  # fmt: skip


def _criteria(counts: Mapping[Row, Row], measures: Sequence[str]) -> Iterator[str | Figure]:
    """Yield the section on how often each criterion is met."""
    yield (
        "The study takes tied documents in the order of the input, and makes one change at a time in the first "
        f"{CHANGED} ranks.\n"
    )
    yield "\n".join(f"* **{number}:** {what}." for number, what in CRITERIA.items()) + "\n"
    yield Figure(
        "criteria",
        "For each criterion and measure, the shares of changes that change the value as the criterion demands, not at "
        "all, or the other way",
        (6.8, 0.8 + 0.2 * len(measures)),
        lambda figure: _draw_criteria(figure, counts, measures),
    )
    yield markdown(
        ["criterion", "measure", "tried", "met", "no change", "the opposite"],
        [[number, measure, f"{tried:,}", *(_percent(count, tried) for count in outcomes)]
         for (number, measure), (tried, *outcomes) in counts.items()],
        texts=2,
    )  # fmt: skip


def _draw_ranges(figure: Any, values: Mapping[str, Sequence[Row]], best: Sequence[str]) -> None:
    """Both ranges of the best runs, by measure."""
    for axis, (measure, rows) in zip(panels(figure, len(values), 3), values.items(), strict=True):
        ranges = {run: row for run, *row in rows}
        for place, run in enumerate(best):
            value, ties_low, ties_high, low, high = ranges[run]
            axis.plot([low, high], [place, place], color="0.85", linewidth=5, solid_capstyle="butt",
                      label="grades of unjudged documents")  # fmt: skip
            axis.plot([ties_low, ties_high], [place, place], color=COLORS[TIE_RANGE], linewidth=3,
                      solid_capstyle="butt", label="orders of tied documents")  # fmt: skip
            axis.plot(value, place, "|", color="black", markersize=6, label="value")
        axis.set_yticks(range(len(best)), [show_id(run) for run in best])
        axis.set_ylim(len(best) - 0.4, -0.6)
        axis.set_title(measure)
        axis.margins(x=0.06)
        grid(axis, "x")
    legend(figure, "upper center", 3, figure.axes[0])


def _draw_criteria(figure: Any, counts: Mapping[Row, Row], measures: Sequence[str]) -> None:
    """Stacked bars of outcomes, one panel for each criterion."""
    axes = figure.subplots(1, len(CRITERIA), sharey=True)
    for axis, number in zip(axes, CRITERIA, strict=True):
        for place, measure in enumerate(measures):
            tried, *outcomes = counts[str(number), measure]
            left = 0.0
            for outcome, count in zip(OUTCOMES, outcomes, strict=True):
                label, color = LOOKS[outcome]
                share = 100 * count / tried if tried else 0.0
                axis.barh(place, share, left=left, color=color, height=0.7, label=label)
                left += share
        axis.set_title(f"criterion {number}")
        axis.set_xlim(0, 100)
        axis.set_xlabel("%")
    axes[0].set_yticks(range(len(measures)), measures)
    axes[0].set_ylim(len(measures) - 0.5, -0.5)
    legend(figure, "upper center", 3, axes[0])


def _tau(tau: float) -> str:
    """Return a rank correlation as text. It is empty if a ranking has only equal values."""
    return "" if math.isnan(tau) else f"{tau:.4f}"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""
