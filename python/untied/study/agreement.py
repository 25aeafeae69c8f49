"""Agreement: how alike the rankings of runs are under different measures and under different judgments.

Runs are ranked by their means, ties of documents averaged over. Two rankings of the same runs are compared by Kendall's
tau_b, by tau_AP in its symmetric form for ties (Urbano & Marrero 2017), in which errors at the top weigh more, and by
the pairs that they order oppositely.
"""

from __future__ import annotations

import math
import os
from itertools import combinations

from untied._core import show_id
from untied.compare.correlation import kendall, swapped, tau_ap
from untied.errors import UntiedError
from untied.evaluate.runs import Evaluator
from untied.inputs import overlap
from untied.inputs.convert import named_sources
from untied.judging import sample
from untied.measures import as_measures
from untied.results.plotting import COLORS, DASHES
from untied.study.frame import DIGITS, Figure, Study, conduct
from untied.study.inputs import Inputs
from untied.study.rows import markdown, tidy, whole, whole_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, ClassVar

    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.policies import QrelsFormat
    from untied.results.table import Table
    from untied.study.frame import Result
    from untied.study.rows import Part, Row

MEASURES = ("AP", "nDCG", "Rprec", "Bpref", "R@100", "nDCG@10", "P@10", "RBP(p=0.8)", "RR")
DEPTHS = (50, 20, 10, 5)
#: The judgments as they are.
ALL = "all"
#: Runs in the plot of those that move most.
MOVERS = 20


class Agreement(Study):
    """All measures on the judgments, on pools of them, and on other judgments."""

    name = "agreement"
    title = "Agreement of rankings of runs by different measures and judgments"
    seeded = False
    columns: ClassVar[Mapping[str, str]] = {
        "measure": "the measure",
        "judgments": f"{ALL}: as given; depth N: those of documents that a run has among its first N; or another file",
        "to_measure": "measure of the ranking it is compared with",
        "to_judgments": "judgments of the ranking it is compared with",
        "tau": "Kendall's tau_b of the two rankings of runs",
        "tau_ap": "tau_AP, symmetric, for ties as equals",
        "swapped": "pairs of runs that the two rankings order oppositely",
        "tied": "pairs of runs with equal values in the first ranking",
        "to_tied": "pairs of runs with equal values in the other one",
        "pairs": "pairs of runs",
        "run": "the run",
        "value": "the measure's mean over queries",
        "rank": "rank of the run; of runs with equal values the middle of their ranks",
        "queries": "judged queries",
        "judged": "judged documents",
        "relevant": "documents with a grade above 0",
        "over": "what is changed: the measure, or the judgments of the first measure",
        "highest": "where the run's rank is highest",
        "lowest": "where it is lowest",
        "highest_rank": "rank there",
        "lowest_rank": "rank there",
    }

    def __init__(self, inputs: Inputs, settings: dict[str, Any], also: Mapping[str, Any]) -> None:
        if len(inputs.runs) < 2:
            raise UntiedError(f"a ranking of runs needs at least 2 runs, found {len(inputs.runs)}")
        super().__init__(inputs, settings)
        self.also = also

    def apart(self) -> list[dict[str, str | None]]:
        """Runs that have nothing in common with one of the judgments."""
        threads = self.inputs.threads
        others = [
            {f"{name} with {label}": overlap.of_inputs(qrels, run, threads) for name, run in self.inputs.runs.items()}
            for label, qrels in self.also.items()
        ]
        return [*super().apart(), *others]

    @staticmethod
    def add_options(add: Callable[..., argparse.Action]) -> None:
        """Add its options to the command line."""
        add("-m", "--measure", metavar="MEASURE", action="append", dest="measures",
            help=f"a measure, repeatable (default: {', '.join(MEASURES)})")  # fmt: skip
        add("--qrels-also", metavar="QRELS", action="append", help="other judgments to rank runs by, repeatable")
        add("--depths", metavar="N,N,...", type=whole_numbers, default=DEPTHS,
            help=f"depths of pools to rank runs by (default: {','.join(map(str, DEPTHS))}); 0: none")  # fmt: skip

    def parts(self) -> Sequence[Part]:
        """One for all judgments, for those of every depth, and for others."""
        return [(ALL,), *((f"depth {n}",) for n in self.settings["depths"] if n), *((name,) for name in self.also)]

    def compute(self, *part: Any) -> list[Row]:
        """All measures of all runs with these judgments."""
        (label,) = part
        qrels: Any = self.also.get(label, self.inputs.qrels)
        if label not in self.also and label != ALL:
            qrels = sample.pool(self.inputs.runs.values(), int(label.removeprefix("depth ")), qrels)
        evaluator = Evaluator(qrels, self.settings["measures"], threads=self.inputs.threads)
        queries = qrels if isinstance(qrels, dict) else {query: qrels[query] for query in qrels.queries()}
        grades = [grade for judged in queries.values() for grade in judged.values()]
        rows: list[Row] = [("", "", len(queries), sum(g >= 0 for g in grades), sum(g > 0 for g in grades))]
        for run, held in self.inputs.runs.items():
            rows += [(run, measure, value, 0, 0) for measure, value in evaluator.means(held).items()]
        return rows

    def tables(self, found: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Pairs of rankings, the rankings, what moved, what is judged."""
        rankings: dict[tuple[str, str], dict[str, float]] = {}
        for (label,), (_, *rows) in found.items():
            for run, measure, value, *_ in rows:
                rankings.setdefault((measure, label), {})[run] = value
        # Rounding must not order runs.
        compared = {key: {run: round(value, DIGITS) for run, value in one.items()} for key, one in rankings.items()}
        pairs = [_pair(one, other, compared) for one, other in combinations(compared, 2) if _differ_once(one, other)]
        ranks = {key: _ranks(one) for key, one in compared.items()}
        values = [
            (run, measure, label, value, ranks[measure, label][run])
            for (measure, label), one in rankings.items()
            for run, value in one.items()
        ]
        judged = [(label, *rows[0][2:]) for (label,), rows in found.items()]
        first = self.settings["measures"][0]
        over_measures = {measure: ranks[measure, ALL] for measure in self.settings["measures"]}
        over_judgments = {label: ranks[first, label] for (label,) in found}
        moves = [("measure", *row) for row in _moves(over_measures)]
        moves += [("judgments", *row) for row in _moves(over_judgments)]
        return {
            self.name: tidy(
                ("measure", "judgments", "to_measure", "to_judgments"),
                ("tau", "tau_ap", "swapped", "tied", "to_tied", "pairs"),
                pairs,
            ),
            f"{self.name}-runs": tidy(("run", "measure", "judgments"), ("value", "rank"), values),
            f"{self.name}-moves": tidy(("over", "run", "highest", "lowest"), ("highest_rank", "lowest_rank"), moves),
            f"{self.name}-judgments": tidy(("judgments",), ("queries", "judged", "relevant"), judged),
        }

    def figures(self, tables: Mapping[str, Table]) -> list[Figure]:
        """Measures against each other, judgments against all of them, the runs that move most."""
        measures, labels = self.settings["measures"], tables[f"{self.name}-judgments"]["judgments"]
        figures = []
        if len(measures) > 1:
            side = 1.6 + 0.45 * len(measures)
            figures.append(
                Figure(
                    "measures",
                    "Rankings of runs by two measures: Kendall's tau_b above the diagonal, tau_AP below",
                    (min(6.8, side + 0.4), min(6.0, side - 0.4)),
                    lambda figure: _draw_heat(figure, tables[self.name], measures),
                )
            )
        if len(labels) > 1:
            figures.append(
                Figure(
                    "judgments",
                    "Rankings of runs by other judgments against the ranking by all, measure by measure",
                    (6.8, 3.0),
                    lambda figure: _draw_judgments(figure, tables[self.name], measures, labels[1:]),
                )
            )
        for over, what in (("measure", "the measures"), ("judgments", f"the judgments, by {measures[0]}")):
            rows = _movers(tables[f"{self.name}-moves"], over)
            if rows:
                figures.append(
                    Figure(
                        f"moves-{over}",
                        f"Runs whose rank depends most on {what}: their ranks by all of them (dots), and the highest "
                        "and the lowest by name",
                        (6.8, 0.7 + 0.19 * len(rows)),
                        self._moves(tables, over, rows),
                    )
                )
        return figures

    def _moves(self, tables: Mapping[str, Table], over: str, rows: Sequence[Row]) -> Callable[[Any], None]:
        first = self.settings["measures"][0]
        ranks: dict[str, list[float]] = {}
        for run, measure, label, _, rank in tables[f"{self.name}-runs"].rows():
            if label == ALL if over == "measure" else measure == first:
                ranks.setdefault(run, []).append(rank)
        return lambda figure: _draw_moves(figure, rows, ranks, len(self.inputs.runs))

    def summary(self, tables: Mapping[str, Table], show: Callable[[str], str]) -> str:
        """Measures, judgments, the largest disagreements."""
        measures = self.settings["measures"]
        labels = tables[f"{self.name}-judgments"]["judgments"]
        between = {tuple(row[:4]): row[4:] for row in tables[self.name].rows()}
        pairs = len(self.inputs.runs) * (len(self.inputs.runs) - 1) // 2

        def by_label(cell: Callable[[Sequence[Any]], str]) -> list[list[str]]:
            return [[one, *(cell(between[one, ALL, one, label]) for label in labels[1:])] for one in measures]

        text = [
            f"{len(self.inputs.runs)} runs ranked by their means over queries, {pairs:,} pairs. tau_b and the "
            "symmetric tau_AP take runs of equal value for equal. *swapped*: pairs that the two rankings order "
            "oppositely.\n"
        ]
        if len(measures) > 1:
            found = [(*pair, *between[pair[0], ALL, pair[1], ALL]) for pair in combinations(measures, 2)]
            found.sort(key=lambda row: -1.0 if math.isnan(row[2]) else row[2])
            text += [
                "## Measures\n",
                show("measures"),
                "From the pair that agrees least to the one that agrees most:\n",
                markdown(["measures", "tau_b", "tau_AP", "swapped", "tied by the first", "by the second"],
                         [[f"{row[0]} and {row[1]}", *_cells(row[2:7])] for row in found]),
            ]  # fmt: skip
        if len(labels) > 1:
            rows = [[label, *(f"{number:,}" for number in numbers)]
                    for label, *numbers in tables[f"{self.name}-judgments"].rows()]  # fmt: skip
            text += [
                "## Judgments\n",
                markdown(["judgments", "queries", "judged documents", "relevant"], rows),
                show("judgments"),
                "tau_b with the ranking by all judgments, and pairs swapped:\n",
                markdown(["measure", *labels[1:]], by_label(lambda one: f"{one[0]:.4f} ({one[2]:,})")),
                "tau_AP with it:\n",
                markdown(["measure", *labels[1:]], by_label(lambda one: f"{one[1]:.4f}")),
            ]
        for over, title in (("measure", "measures"), ("judgments", "judgments")):
            movers = _movers(tables[f"{self.name}-moves"], over)
            if movers:
                text += [
                    f"## The largest disagreements of {title}\n",
                    show(f"moves-{over}"),
                    markdown(
                        ["run", "highest rank", "by", "lowest rank", "by "],
                        [[f"`{show_id(run)}`", f"{high:g}", best, f"{low:g}", worst]
                         for run, best, worst, high, low in movers],
                    ),
                ]  # fmt: skip
        return "\n".join(text)


def _cells(row: Sequence[Any]) -> list[str]:
    tau, ap, *counts = row
    return [f"{tau:.4f}", f"{ap:.4f}", *(f"{count:,}" for count in counts)]


def _differ_once(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two rankings share the measure or the judgments."""
    return one[0] == other[0] or one[1] == other[1]


def _pair(one: tuple[str, str], other: tuple[str, str], rankings: Mapping[tuple[str, str], Mapping[str, float]]) -> Row:
    a, b = rankings[one], rankings[other]
    tau, ap = kendall(a, b, variant="b").mean, tau_ap(a, b, variant="b").mean
    return (*one, *other, tau, ap, swapped(a, b), _tied(a), _tied(b), len(a) * (len(a) - 1) // 2)


def _tied(ranking: Mapping[str, float]) -> int:
    """Pairs of equal values."""
    from collections import Counter

    return sum(count * (count - 1) // 2 for count in Counter(ranking.values()).values())


def _ranks(ranking: Mapping[str, float]) -> dict[str, float]:
    from collections import Counter

    counts, rank, of = Counter(ranking.values()), 0, {}
    for value in sorted(counts, reverse=True):
        of[value] = rank + (counts[value] + 1) / 2
        rank += counts[value]
    return {run: of[value] for run, value in ranking.items()}


def _moves(ranks: Mapping[str, Mapping[str, float]]) -> list[Row]:
    """Every run with the names of its highest and lowest ranks, and these; those that move most first."""
    rows = []
    for run in next(iter(ranks.values())):
        best = min(ranks, key=lambda name: ranks[name][run])
        worst = max(ranks, key=lambda name: ranks[name][run])
        rows.append((run, best, worst, ranks[best][run], ranks[worst][run]))
    return sorted(rows, key=lambda row: row[3] - row[4])


def _movers(table: Table, over: str) -> list[Row]:
    return [row[1:] for row in table.rows() if row[0] == over and row[4] != row[5]][:MOVERS]


def _draw_heat(figure: Any, table: Table, measures: Sequence[str]) -> None:
    axis = figure.subplots()
    size = len(measures)
    cells = [[math.nan] * size for _ in range(size)]
    for one, label, other, to_label, tau, ap, *_ in table.rows():
        if label == to_label == ALL:
            i, j = sorted((measures.index(one), measures.index(other)))
            cells[i][j], cells[j][i] = tau, ap
    known = [cell for row in cells for cell in row if not math.isnan(cell)]
    low = min(known, default=0.0)
    image = axis.imshow(cells, cmap="cividis", vmin=low, vmax=1)
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            if not math.isnan(cell):
                dark = cell < (low + 1) / 2
                axis.text(j, i, f"{cell:.2f}", ha="center", va="center", fontsize=7, color="white" if dark else "black")
    axis.set_xticks(range(size), measures, rotation=40, ha="right", rotation_mode="anchor")
    axis.set_yticks(range(size), measures)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axis, shrink=0.8, pad=0.02)
    bar.set_label("tau_b (above), tau_AP (below)")
    bar.outline.set_visible(False)


def _draw_judgments(figure: Any, table: Table, measures: Sequence[str], labels: Sequence[str]) -> None:
    axes = figure.subplots(1, 2, sharey=True)
    found = {(one, to_label): (tau, ap) for one, label, other, to_label, tau, ap, *_ in table.rows()
             if one == other and label == ALL}  # fmt: skip
    for axis, (number, title) in zip(axes, enumerate(("Kendall's tau_b", "tau_AP")), strict=True):
        for place, measure in enumerate(measures):
            values = [found[measure, label][number] for label in labels]
            axis.plot(range(len(labels)), values, label=measure, color=COLORS[place % len(COLORS)], linewidth=1,
                      linestyle=DASHES[place // len(COLORS) % len(DASHES)], marker="osv^Dx+*"[place % 8],
                      markersize=3.5)  # fmt: skip
        axis.set_title(f"{title} with all judgments")
        axis.set_xticks(range(len(labels)), [show_id(label) for label in labels])
        axis.grid(axis="y", color="0.9", linewidth=0.5)
        axis.set_axisbelow(True)
    lowest = min(value for values in found.values() for value in values)
    spread = 1 - lowest or 0.1  # all may agree
    axes[0].set_ylim(lowest - 0.05 * spread, 1 + 0.02 * spread)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", frameon=False)


def _draw_moves(figure: Any, rows: Sequence[Row], ranks: Mapping[str, list[float]], runs: int) -> None:
    axis = figure.subplots()
    for place, (run, best, worst, high, low) in enumerate(rows):
        axis.plot([high, low], [place, place], color="0.75", linewidth=1.5, zorder=1)
        axis.plot(
            ranks[run], [place] * len(ranks[run]), ".", color=COLORS[0], markersize=4, markeredgewidth=0, zorder=2
        )
        side = {"textcoords": "offset points", "va": "center", "fontsize": 6, "color": "0.25"}
        axis.annotate(show_id(best), (high, place), (-5, 0), ha="right", **side)
        axis.annotate(show_id(worst), (low, place), (5, 0), ha="left", **side)
    axis.set_yticks(range(len(rows)), [show_id(run) for run, *_ in rows])
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.set_xlim(-0.1 * runs, 1.1 * runs)
    axis.set_xticks([1, *range(20, runs, 20), runs] if runs > 20 else range(1, runs + 1))
    axis.set_xlabel(f"rank among {runs} runs")
    axis.grid(axis="x", color="0.92", linewidth=0.5)
    axis.set_axisbelow(True)


def agreement(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    qrels_also: Mapping[str, QrelsLike] | Iterable[str | os.PathLike[str]] | None = None,
    depths: Sequence[int] = DEPTHS,
    qrels_format: QrelsFormat = "auto",
    plots: str = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Rank runs by different measures and judgments, and compare the rankings.

    Parameters
    ----------
    qrels, runs, qrels_format
        As for `untied.evaluate`; at least two runs.
    directory : path
        Where tables, plots and summary are written. A study that was interrupted there goes on where it was.
    measures : measures or their names, optional
        What to rank by. By default AP, nDCG, Rprec, Bpref, R@100, nDCG@10, P@10, RBP(p=0.8) and RR.
    qrels_also : {name: qrels}, or list of paths, optional
        Other judgments to rank by.
    depths : sequence of int
        To rank by shallower pools, too: the judgments of documents that any of the runs has among its first so many;
        0 for none.
    plots : str
        ``"svg"``, ``"png"``, ``"both"`` or ``"none"``. Plots need matplotlib.
    restart : bool
        Whether to forget what is in the folder, instead of going on with it.
    threads : int, optional
        Number of threads; it never changes a value.

    Returns
    -------
    Result
        ``rows`` has a row for every two rankings by the same measure or by the same judgments.

    Raises
    ------
    UntiedError
        An option is refused, or the folder holds a study with other settings.
    InputError
        A file's content is not what its format promises.
    """
    asked = [str(measure) for measure in as_measures(MEASURES if measures is None else measures)]
    asked_depths = {whole("depths", depth) for depth in depths}
    for depth in asked_depths:
        if depth < 0:
            raise UntiedError(f"a pool's depth must be at least 1 (0: none), not {depth}")
    inputs = Inputs(qrels, runs, qrels_format=qrels_format, threads=threads)
    settings = {"measures": asked, "depths": sorted(asked_depths, reverse=True) or [0]}
    also: dict[str, Any] = {}
    others: Any = qrels_also
    for name, source in named_sources(others) if others else ():
        if name == ALL or name.startswith("depth "):
            raise UntiedError(f"other judgments cannot be called {name!r}")
        held: Any = source
        also[name] = inputs.read_qrels(name, held, qrels_format, option="--qrels-also")
    return conduct(Agreement(inputs, settings, also), directory, plots=plots, restart=restart)
