"""The summary of the study of agreement: text, tables and plots."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations

from untied._core import show_id
from untied.results.plotting import COLORS
from untied.results.text import markdown_code
from untied.study.plots import Figure, grid, legend, looks
from untied.study.rankings import draw_agreement
from untied.study.rows import by_first, gathered, markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from untied.results.table import Table
    from untied.study.rows import Row

#: The judgments as they are.
ALL = "all"
#: Runs in the plot of those that move most.
MOVERS = 20


def pieces(tables: Mapping[str, Table], name: str, measures: Sequence[str], count: int) -> Iterator[str | Figure]:
    """Yield the summary's sections on measures, judgments, and the largest disagreements about `count` runs."""
    between = by_first(tables[name], 4)
    yield (
        f"The study ranks {count} runs ({count * (count - 1) // 2:,} pairs of runs) by their means over queries. "
        "Kendall's tau_b and the symmetric tau_AP count runs with equal means as tied. A pair of runs is *swapped* if "
        "two rankings put the two runs in opposite order.\n"
    )
    if len(measures) > 1:
        yield from _of_measures(between, measures)
    judged = by_first(tables[f"{name}-judgments"], 1)
    labels = [label for (label,) in judged if label != ALL]
    if labels:
        rows = [[label, *(f"{number:,}" for number in numbers)] for (label,), numbers in judged.items()]
        yield "## Judgments\n"
        yield markdown(["judgments", "queries", "judged documents", "relevant"], rows)
        yield from _of_judgments(between, measures, labels)
    yield from _of_runs(tables, name, measures, count)


def _of_measures(between: Mapping[Row, Row], measures: Sequence[str]) -> Iterator[str | Figure]:
    """How rankings by different measures agree."""
    rows = {pair: between[pair[0], ALL, pair[1], ALL] for pair in combinations(measures, 2)}
    side = 1.6 + 0.45 * len(measures)
    yield "## Measures\n"
    yield Figure(
        "measures",
        "Rankings of runs by two measures: Kendall's tau_b is above the diagonal, and tau_AP is below the diagonal",
        (min(6.8, side + 0.4), min(6.0, side - 0.4)),
        lambda figure: draw_agreement(figure, rows, measures),
    )
    yield "The measures that agree least come first:\n"
    least = sorted(rows.items(), key=lambda item: -1.0 if math.isnan(item[1][0]) else item[1][0])
    yield markdown(
        ["measures", "tau_b", "tau_AP", "swapped", "tied by the first measure", "tied by the second measure"],
        [[" and ".join(pair), f"{tau:.4f}", f"{ap:.4f}", *(f"{one:,}" for one in counts)]
         for pair, (tau, ap, *counts, _) in least],
    )  # fmt: skip


def _of_judgments(
    between: Mapping[Row, Row], measures: Sequence[str], labels: Sequence[str]
) -> Iterator[str | Figure]:  # fmt: skip
    """How rankings by other judgments agree with those by all."""
    changed = {(one, label): between[one, ALL, one, label] for one in measures for label in labels}
    yield Figure(
        "judgments",
        "For each measure, the agreement of rankings by other judgments with the ranking by all judgments",
        (6.8, 3.0),
        lambda figure: _draw_judgments(figure, changed, measures, labels),
    )
    for what, cell in (
        ("Kendall's tau_b with the ranking by all judgments (number of swapped pairs):\n", "{0:.4f} ({2:,})"),
        ("tau_AP with the ranking by all judgments:\n", "{1:.4f}"),
    ):
        yield what
        yield markdown(
            ["measure", *labels],
            [[one, *(cell.format(*changed[one, label]) for label in labels)] for one in measures],
        )


def _of_runs(
    tables: Mapping[str, Table], name: str, measures: Sequence[str], count: int
) -> Iterator[str | Figure]:  # fmt: skip
    """Runs whose rank depends most on the measure, and on the judgments."""
    rows = list(tables[f"{name}-runs"].rows())
    ranks = {
        "measure": gathered((run, rank) for run, _, label, _, rank in rows if label == ALL),
        "judgments": gathered((run, rank) for run, measure, *_, rank in rows if measure == measures[0]),
    }
    for over, what in (("measure", "measure"), ("judgments", f"judgments, by {measures[0]}")):
        movers = [row for of, *row in tables[f"{name}-moves"].rows() if of == over and row[3] != row[4]][:MOVERS]
        if movers:
            yield f"## Runs that depend most on the {over}\n"
            yield Figure(
                f"moves-{over}",
                f"Runs whose rank depends most on the {what}. Each dot is a rank of the run. The names stand at the "
                "highest and the lowest rank",
                (6.8, 0.7 + 0.19 * len(movers)),
                partial(_draw_moves, rows=movers, ranks=ranks[over], runs=count),
            )
            yield markdown(
                ["run", "highest rank", "by", "lowest rank", "by "],
                [[markdown_code(run), f"{high:g}", best, f"{low:g}", worst]
                 for run, best, worst, high, low in movers],
            )  # fmt: skip


def _draw_judgments(
    figure: Any, rows: Mapping[tuple[str, str], Row], measures: Sequence[str], labels: Sequence[str]
) -> None:
    """How similar the rankings by other judgments and by all are, one line per measure."""
    axes = figure.subplots(1, 2, sharey=True)
    for number, title in enumerate(("Kendall's tau_b", "tau_AP")):
        for measure, look in looks(measures).items():
            axes[number].plot(range(len(labels)), [rows[measure, label][number] for label in labels], label=measure,
                              linewidth=1, markersize=3.5, **look)  # fmt: skip
        axes[number].set_title(f"{title} with all judgments")
        axes[number].set_xticks(range(len(labels)), [show_id(label) for label in labels])
        grid(axes[number], "y")
    lowest = min(min(tau, ap) for tau, ap, *_ in rows.values())
    spread = 1 - lowest or 0.1  # all may agree
    axes[0].set_ylim(lowest - 0.05 * spread, 1 + 0.02 * spread)
    legend(figure, "right center")


def _draw_moves(figure: Any, rows: Sequence[Sequence[Any]], ranks: Mapping[str, Sequence[float]], runs: int) -> None:
    """All ranks of every run, from the highest to the lowest."""
    axis = figure.subplots()
    side = {"textcoords": "offset points", "va": "center", "fontsize": 6, "color": "0.25"}
    for place, (run, best, worst, high, low) in enumerate(rows):
        axis.plot([high, low], [place, place], color="0.75", linewidth=1.5, zorder=1)
        axis.plot(ranks[run], [place] * len(ranks[run]), ".", color=COLORS[0], markersize=4, markeredgewidth=0,
                  zorder=2)  # fmt: skip
        axis.annotate(show_id(best), (high, place), (-5, 0), ha="right", **side)
        axis.annotate(show_id(worst), (low, place), (5, 0), ha="left", **side)
    axis.set_yticks(range(len(rows)), [show_id(run) for run, *_ in rows])
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.set_xlim(-0.1 * runs, 1.1 * runs)
    axis.set_xticks([1, *range(20, runs, 20), runs] if runs > 20 else range(1, runs + 1))
    axis.set_xlabel(f"rank among {runs} runs")
    grid(axis, "x")
