"""Ties: what they touch, how far the orders of tied documents are apart, and what coarser scores do.

McSherry & Najork (2008) average over all orders of tied documents. With m(o) the mean of a measure over queries when a
run's ties are in order o, the study has for every run the mean of m(o) over all orders, its smallest and its largest
value, and m(o) of two orders that tools take: by document id, and as the input has them. Tie orders of two runs have
nothing to do with each other, so a pair of runs can be ordered either way if the intervals of m overlap.
"""

from __future__ import annotations

import os
from itertools import combinations

from untied import _core
from untied.compare.correlation import kendall, swapped
from untied.compare.runs import quantile
from untied.errors import UntiedError
from untied.evaluate.runs import Evaluator
from untied.measures import as_measures
from untied.progress import each
from untied.results.plotting import COLORS, DASHES
from untied.study.frame import DIGITS, Figure, Inputs, Study, conduct, markdown, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, ClassVar

    from untied._core import Run
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.policies import QrelsFormat
    from untied.policies import Ties as TiesPolicy
    from untied.results.table import Table
    from untied.study.frame import Part, Result, Row

#: The six of McSherry & Najork, and three that look at the whole ranking.
MEASURES = ("P@10", "R@100", "F1@10", "AP", "RR", "nDCG@10", "nDCG", "Rprec", "Bpref")
#: How scores are read.
PRECISIONS = ("float64", "float32", "float16", "bfloat16", "8 bits")
#: Orders of tied documents that a run is evaluated in; the first is the mean over all.
ORDERS = ("mean", "docid", "given", "best", "worst")
LEVELS = 255
#: Runs in a panel of the plot of spreads.
WIDEST = 6


class Ties(Study):
    """All runs, their scores read at one precision after the other."""

    name = "ties"
    title = "Ties: what they touch, how far their orders are apart, and what coarser scores do"
    seeded = False
    columns: ClassVar[Mapping[str, str]] = {
        "run": "the run",
        "query": "the query",
        "measure": "the measure",
        "precision": "how scores are read; 8 bits are 256 levels from the lowest to the highest score of a query",
        "value": "mean over all orders of tied documents, and over queries",
        "low": "smallest value over these orders",
        "high": "largest value over these orders",
        "docid": "value when tied documents stand by id, descending",
        "given": "value when they stand as in the input",
        "documents": "documents retrieved",
        "tied": "documents that share their score with another of the query; empty where scores do not fit",
        "largest": "documents in the largest tie group",
        "tied_queries": "queries with tied documents",
        "mixed_queries": "queries with tied documents of different grade",
        "order": "the order of tied documents by which runs are ranked",
        "to_precision": "precision of the ranking it is compared with",
        "to_order": "order of the ranking it is compared with",
        "runs": "runs in both rankings",
        "tau": "Kendall's tau_b of the two rankings of runs",
        "swapped": "pairs of runs that the two rankings order oppositely",
        "pairs": "pairs of runs",
        "reversible": "pairs of runs with different means that some order of their ties puts the other way round",
        "difference": "largest difference of means among these",
        "run_a": "the run ahead in that pair",
        "run_b": "the other one",
    }

    @staticmethod
    def add_options(add: Callable[..., argparse.Action]) -> None:
        """Add its options to the command line."""
        listed = ", ".join(MEASURES)
        add("-m", "--measure", metavar="MEASURE", action="append", dest="measures",
            help=f"a measure, repeatable (default: {listed})")  # fmt: skip
        add("--cost", action="store_true", help="measure what averaging over ties costs, into ties-cost.tsv")

    def parts(self) -> Sequence[Part]:
        """One for each precision."""
        return [(precision,) for precision in PRECISIONS]

    def compute(self, *part: Any) -> list[Row]:
        """Counts of ties, and values, of all runs."""
        (precision,) = part
        rows: list[Row] = []
        runs: dict[str, Run] = {}
        for name, run in each(list(self.inputs.runs.items()), "run"):
            read, dtype = at_precision(run, precision)
            try:
                counts = _core.tie_counts(read, self.inputs.threads, dtype)
            except UntiedError:  # a score that the precision does not hold
                rows.append(("counts", name, sum(len(run[query]) for query in run.queries()), None, None, None))
                continue
            runs[name] = read
            rows.append(("counts", name, *(counts[what] for what in ("documents", "tied", "largest", "queries"))))
        if not runs:
            return rows
        found = {
            ties: Evaluator(
                self.inputs.qrels, self.settings["measures"], ties=ties, score_dtype=dtype, threads=self.inputs.threads
            ).evaluate(runs)
            for ties in ("range", "docid", "given")
        }
        spread = found["range"]
        for name, facts in spread.facts().items():
            rows.append(("mixed", name, facts["mixed"]))
        for name in runs:
            for measure in spread.measures:
                whole = spread.value(measure, run=name)
                fixed = [found[ties].value(measure, run=name).mean for ties in ("docid", "given")]
                rows.append(("value", name, measure, whole.mean, whole.low, whole.high, *fixed))
        if precision == PRECISIONS[0]:
            of_queries = spread.per_query
            keys = zip(*(of_queries[column] for column in ("run", "query", "measure")), strict=True)
            values = zip(*(of_queries[column] for column in ("value", "low", "high")), strict=True)
            rows += [("query", *key, *value) for key, value in zip(keys, values, strict=True)]
        return rows

    def tables(self, found: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Values, counts of ties, queries, rankings of runs, pairs that ties can reverse."""
        values = [
            (row[1], row[2], part[0], *row[3:]) for part, rows in found.items() for row in rows if row[0] == "value"
        ]
        counts = [(row[1], part[0], *row[2:]) for part, rows in found.items() for row in rows if row[0] == "counts"]
        mixed = {(row[1], part[0]): row[2] for part, rows in found.items() for row in rows if row[0] == "mixed"}
        queries = [row[1:] for rows in found.values() for row in rows if row[0] == "query"]
        rankings: dict[tuple[str, str, str], dict[str, float]] = {}
        intervals: dict[tuple[str, str], dict[str, tuple[float, float, float]]] = {}
        for run, measure, precision, value, low, high, docid, given in values:
            for order, one in zip(ORDERS, (value, docid, given, high, low), strict=True):
                rankings.setdefault((measure, precision, order), {})[run] = round(one, DIGITS)
            intervals.setdefault((measure, precision), {})[run] = (value, low, high)
        return {
            self.name: tidy(("run", "measure", "precision"), ("value", "low", "high", "docid", "given"), values),
            f"{self.name}-runs": tidy(
                ("run", "precision"),
                ("documents", "tied", "largest", "tied_queries", "mixed_queries"),
                [(*row, mixed.get((row[0], row[1]))) for row in counts],
            ),
            f"{self.name}-queries": tidy(("run", "query", "measure"), ("value", "low", "high"), queries),
            f"{self.name}-orders": tidy(
                ("measure", "precision", "order", "to_precision", "to_order"),
                ("runs", "tau", "swapped", "pairs"),
                list(_compared(rankings)),
            ),
            f"{self.name}-reversible": tidy(
                ("measure", "precision", "run_a", "run_b"),
                ("pairs", "reversible", "difference"),
                [(*key, *_reversible(of_runs)) for key, of_runs in intervals.items()],
            ),
        }

    def figures(self, tables: Mapping[str, Table]) -> list[Figure]:
        """Spread of every run, swaps between orders, and what precision does."""
        measures = list(dict.fromkeys(tables[self.name]["measure"]))
        rows = -(-len(measures) // 3)
        figures = [
            Figure(
                "spread",
                f"The {WIDEST} runs of each measure that depend most on the order of tied documents: from the worst "
                "order to the best (bar), the mean over all orders (line), and by document id (dot)",
                (6.8, 0.4 + 1.35 * rows),
                lambda figure: _draw_spread(figure, tables[self.name], measures),
            )
        ]
        if len(self.inputs.runs) > 1:
            figures.append(
                Figure(
                    "swaps",
                    "Pairs of runs that are ordered otherwise than by the mean over tie orders, and pairs that some "
                    "order of ties can put the other way round",
                    (6.8, 0.9 + 0.26 * len(measures)),
                    lambda figure: _draw_swaps(figure, tables, self.name, measures),
                )
            )
        figures.append(
            Figure(
                "precision",
                "Scores read more coarsely: documents that tie, of every run (the line is the median run); how far "
                "best and worst order are apart, in the mean over runs; and Kendall's tau with the means of float64",
                (6.8, 2.9),
                lambda figure: _draw_precision(figure, tables, self.name, measures),
            )
        )
        return figures

    def summary(self, tables: Mapping[str, Table], show: Callable[[str], str]) -> str:
        """What ties touch, how far orders are apart, swaps, precision."""
        several = len(self.inputs.runs) > 1
        text = [
            "## What ties touch\n",
            _touched(tables, self.name),
            "## From the worst order to the best\n",
            show("spread"),
            _spreads(tables, self.name),
        ]
        if several:
            text += [
                "## Which run is better\n",
                show("swaps"),
                "Pairs of runs that two ways of ordering tied documents rank oppositely; `trec` is by id over scores "
                "in 32 bits, as trec_eval 9 has it. *reversible*: pairs with different means that some order of their "
                "ties puts the other way round.\n",
                _swaps(tables, self.name),
            ]
        text += ["## The precision of scores\n", show("precision"), _precisions(tables, self.name, several)]
        return "\n".join(text)


def at_precision(run: Run, precision: str) -> tuple[Run, str]:
    """A run, and the `score_dtype` with which its scores are read so."""
    if precision != PRECISIONS[-1]:
        return run, precision
    return _core.Run.from_mapping({query: _levels(run[query]) for query in run.queries()}), PRECISIONS[0]


def _levels(scored: list[tuple[str, float]]) -> dict[str, int]:
    """Scores as whole numbers from 0, the lowest, to 255, the highest, the nearest of evenly spaced ones."""
    scores = [score for _, score in scored]
    low, high = min(scores), max(scores)
    # Halves, so that the width of a query's scores does not overflow.
    width = high / 2 - low / 2
    if width == 0:
        return dict.fromkeys((document for document, _ in scored), 0)
    return {document: int((score / 2 - low / 2) / width * LEVELS + 0.5) for document, score in scored}


def _compared(rankings: Mapping[tuple[str, str, str], Mapping[str, float]]) -> Iterable[Row]:
    """Rankings of runs by different orders, and by scores of different precision."""
    for (measure, precision, order), one in rankings.items():
        others = [(precision, other) for other in ORDERS[: ORDERS.index(order)]]
        if precision != PRECISIONS[0]:
            others = [(PRECISIONS[0], other) for other in dict.fromkeys((order, ORDERS[0]))]
        for to_precision, to_order in others:
            other = rankings[measure, to_precision, to_order]
            both = [run for run in one if run in other]
            if len(both) > 1:
                of_both = [{run: ranking[run] for run in both} for ranking in (one, other)]
                pairs = len(both) * (len(both) - 1) // 2
                tau = kendall(of_both[0], of_both[1], variant="b").mean
                yield measure, precision, order, to_precision, to_order, len(both), tau, swapped(*of_both), pairs


def _reversible(of_runs: Mapping[str, tuple[float, float, float]]) -> Row:
    """Pairs in which the run ahead has an order of ties that puts it behind; the one that is farthest apart."""
    number, pairs, widest = 0, 0, (0.0, "", "")
    for (a, one), (b, other) in combinations(of_runs.items(), 2):
        pairs += 1
        ahead, behind, names = (one, other, (a, b)) if one[0] >= other[0] else (other, one, (b, a))
        difference = round(ahead[0] - behind[0], DIGITS)
        if difference > 0 and round(behind[2] - ahead[1], DIGITS) > 0:
            number += 1
            widest = max(widest, (difference, *names))
    return widest[1], widest[2], pairs, number, widest[0]


def _touched(tables: Mapping[str, Table], name: str) -> str:
    """Documents, queries and runs with ties."""
    rows = [row for row in tables[f"{name}-runs"].to_dicts() if row["precision"] == PRECISIONS[0]]
    spreads: dict[str, list[tuple[str, str, float]]] = {}
    for run, query, measure, _, low, high in tables[f"{name}-queries"].rows():
        spreads.setdefault(measure, []).append((run, query, high - low))
    rankings = len(next(iter(spreads.values()), ()))
    documents, tied = (sum(row[what] for row in rows) for what in ("documents", "tied"))
    with_ties, mixed = (sum(row[what] for row in rows) for what in ("tied_queries", "mixed_queries"))
    largest = max(rows, key=lambda row: row["largest"])
    lines = [
        f"* {sum(row['tied'] > 0 for row in rows)} of {len(rows)} runs have tied documents, "
        f"{sum(row['mixed_queries'] > 0 for row in rows)} of them tied documents of different grade;",
        f"* {tied:,} of {documents:,} documents are tied ({_percent(tied, documents)});",
        f"* {with_ties:,} rankings of a query have ties; of {rankings:,} rankings of judged queries {mixed:,} have "
        "ties of documents with different grades;",
        f"* the largest group of tied documents has {largest['largest']:,} (`{_core.show_id(largest['run'])}`).\n",
        "Rankings of a query whose value depends on the order of ties, and by how much:\n",
    ]
    found = []
    for measure, of_queries in spreads.items():
        widths = sorted(width for *_, width in of_queries)
        touched = [width for width in widths if width > 10**-DIGITS]
        found.append(
            [measure, f"{len(touched):,}", _percent(len(touched), len(widths)), f"{quantile(touched, 0.5):.4f}",
             f"{quantile(touched, 0.95):.4f}", f"{widths[-1]:.4f}"]
            if touched else [measure, "0", _percent(0, len(widths)), "", "", ""]
        )  # fmt: skip
    return (
        "\n".join(lines)
        + "\n"
        + markdown(["measure", "rankings", "share", "best - worst: median", "95 %", "largest"], found)
    )


def _spreads(tables: Mapping[str, Table], name: str) -> str:
    """How far the means of runs go."""
    of_measures: dict[str, list[dict[str, Any]]] = {}
    for row in tables[name].to_dicts():
        if row["precision"] == PRECISIONS[0]:
            of_measures.setdefault(row["measure"], []).append(row)
    lines = []
    for measure, rows in of_measures.items():
        widths = sorted(row["high"] - row["low"] for row in rows)
        widest = max(rows, key=lambda row: row["high"] - row["low"])
        off = [max(abs(row[order] - row["value"]) for row in rows) for order in ("docid", "given")]
        lines.append(
            [measure, str(sum(width > 10**-DIGITS for width in widths)), f"{quantile(widths, 0.5):.4f}",
             f"{widths[-1]:.4f}", f"`{_core.show_id(widest['run'])}` {widest['low']:.4f} to {widest['high']:.4f}",
             *(f"{one:.4f}" for one in off)]
        )  # fmt: skip
    heads = ["measure", "runs", "best - worst: median", "largest", "of", "by id: farthest from mean", "as given"]
    return "Means over queries, run by run:\n\n" + markdown(heads, lines)


def _swaps(tables: Mapping[str, Table], name: str) -> str:
    """Swapped pairs by measure."""
    between = {tuple(row[:5]): row[5:] for row in tables[f"{name}-orders"].rows()}
    exact = PRECISIONS[0]
    lines = []
    for measure, precision, a, b, pairs, number, difference in tables[f"{name}-reversible"].rows():
        if precision != exact:
            continue
        cells = [str(between[measure, exact, order, exact, "mean"][2]) for order in ORDERS[1:]]
        trec = between.get((measure, "float32", "docid", exact, "mean"))
        cells.insert(1, "" if trec is None else str(trec[2]))
        cells.append(str(between[measure, exact, "worst", exact, "best"][2]))
        cells += [
            f"{number:,} of {pairs:,}",
            f"{difference:.4f} (`{_core.show_id(a)}`, `{_core.show_id(b)}`)" if a else "",
        ]
        lines.append([measure, *cells])
    heads = ["measure", "mean and docid", "trec", "given", "best", "worst", "best and worst", "reversible",
             "largest difference that is"]  # fmt: skip
    return markdown(heads, lines)


def _precisions(tables: Mapping[str, Table], name: str, several: bool) -> str:
    """What coarser scores do."""
    shares: dict[str, list[float]] = {precision: [] for precision in PRECISIONS}
    misfits = dict.fromkeys(PRECISIONS, 0)
    mixed = dict.fromkeys(PRECISIONS, 0)
    for _, precision, documents, tied, _, _, touched in tables[f"{name}-runs"].rows():
        if tied is None:
            misfits[precision] += 1
        else:
            shares[precision].append(tied / documents if documents else 0.0)
            mixed[precision] += touched or 0
    lines = [
        [
            precision,
            str(misfits[precision]),
            *(f"{100 * quantile(sorted(shares[precision]), share):.1f} %" for share in (0.5, 1.0) if shares[precision]),
            f"{mixed[precision]:,}",
        ]
        for precision in PRECISIONS
        if shares[precision]
    ]
    text = [
        "Runs with a score that does not fit a precision are left out there.\n",
        markdown(["precision", "runs that do not fit", "tied documents: median run", "most",
                  "rankings with ties of different grade"], lines),
    ]  # fmt: skip
    measures = list(dict.fromkeys(tables[name]["measure"]))
    exact = {(run, measure): row for run, measure, precision, *row in tables[name].rows() if precision == PRECISIONS[0]}
    cells: dict[tuple[str, str], tuple[float, float, float]] = {}
    for precision in PRECISIONS:
        of_measures: dict[str, list[tuple[float, float, float]]] = {}
        for run, measure, at, value, low, high, docid, _ in tables[name].rows():
            if at == precision:
                changes = (high - low, abs(value - exact[run, measure][0]), abs(docid - exact[run, measure][3]))
                of_measures.setdefault(measure, []).append(changes)
        for measure, found in of_measures.items():
            widths, means, by_id = zip(*found, strict=True)
            cells[measure, precision] = (sum(widths) / len(widths), max(means), max(by_id))
    for sentence, number in (
        ("Best less worst order, mean over runs", 0),
        ("Largest change of a run's mean over tie orders from float64", 1),
        ("Largest change of a run's value by document id", 2),
    ):
        rows = [
            [measure, *(f"{cells[measure, precision][number]:.4f}" if (measure, precision) in cells else ""
                        for precision in PRECISIONS)]
            for measure in measures
        ]  # fmt: skip
        text += [f"{sentence}:\n", markdown(["measure", *PRECISIONS], rows)]
    if several:
        between = {tuple(row[:5]): row[5:] for row in tables[f"{name}-orders"].rows()}
        for order in ("mean", "docid"):
            rows = []
            for measure in measures:
                of = [between.get((measure, at, order, PRECISIONS[0], order)) for at in PRECISIONS[1:]]
                rows.append([measure, *("" if one is None else f"{one[1]:.4f} ({one[2]} swapped)" for one in of)])
            what = "means over tie orders" if order == "mean" else "values by document id"
            text += [f"Kendall's tau_b of rankings of runs with that of float64, by {what}:\n",
                     markdown(["measure", *PRECISIONS[1:]], rows)]  # fmt: skip
    return "\n".join(text)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def _draw_spread(figure: Any, table: Table, measures: Sequence[str]) -> None:
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
            axis.plot([low, high], [place, place], color=COLORS[4], linewidth=4, solid_capstyle="butt",
                      label="worst to best order")  # fmt: skip
            axis.plot(value, place, "|", color="black", markersize=6, label="mean over all orders")
            axis.plot(docid, place, ".", color=COLORS[1], markersize=5, markeredgewidth=0, label="by document id")
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


def _draw_swaps(figure: Any, tables: Mapping[str, Table], name: str, measures: Sequence[str]) -> None:
    axis = figure.subplots()
    looks = {"docid": ("by document id", "o", 1), "given": ("as given", "s", 2), "best": ("all at their best", "^", 0),
             "worst": ("all at their worst", "v", 3)}  # fmt: skip
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


def _draw_precision(figure: Any, tables: Mapping[str, Table], name: str, measures: Sequence[str]) -> None:
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


def costs(inputs: Inputs, measures: Sequence[MeasureLike], repeats: int = 5) -> Table:
    """What averaging over all tie orders costs: CPU time of evaluations with data in memory, on one thread.

    Policies take turns; medians of `repeats`. Once with scores as they are, and once with 8 bits of them, where most
    documents are tied.
    """
    from statistics import median
    from time import process_time

    policies: tuple[TiesPolicy, ...] = ("given", "docid", "expected", "range")
    rows = []
    for precision in (PRECISIONS[0], PRECISIONS[-1]):
        runs = [at_precision(run, precision)[0] for run in inputs.runs.values()]
        for measure in each(list(measures), "measure"):
            evaluators = {ties: Evaluator(inputs.qrels, [measure], ties=ties, threads=1) for ties in policies}
            times: dict[str, list[float]] = {ties: [] for ties in policies}
            for number in range(repeats + 1):
                for ties, evaluator in evaluators.items():
                    begun = process_time()
                    for run in runs:
                        evaluator.means(run)
                    if number > 0:  # the first turn warms up
                        times[ties].append(process_time() - begun)
            medians = {ties: median(of) for ties, of in times.items()}
            milliseconds = [1000 * medians[ties] for ties in policies]
            ratios = [median(a / b for a, b in zip(times["expected"], times[to], strict=True)) for to in policies[:2]]
            rows.append((str(measure), precision, *milliseconds, *ratios))
    return tidy(("measure", "precision"), (*(f"{ties}_ms" for ties in policies), "to_given", "to_docid"), rows)


def ties(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    cost: bool = False,
    qrels_format: QrelsFormat = "auto",
    plots: str = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Find what ties touch, how far orders of tied documents are apart, and what coarser scores do.

    Parameters
    ----------
    qrels, runs, qrels_format
        As for `untied.evaluate`.
    directory : path
        Where tables, plots and summary are written. A study that was interrupted there goes on where it was.
    measures : measures or their names, optional
        What to evaluate. By default P@10, R@100, F1@10, AP, RR, nDCG@10, nDCG, Rprec and Bpref.
    cost : bool
        Whether to measure what averaging over tie orders costs, too. ``ties-cost.tsv`` then has, for each measure, CPU
        milliseconds to evaluate all runs in memory on one thread with ``ties="given"``, ``"docid"``, ``"expected"`` and
        ``"range"``, and the ratios of ``"expected"`` to the first two. Times differ from call to call, so they are in
        no other file.
    plots : str
        ``"svg"``, ``"png"``, ``"both"`` or ``"none"``. Plots need matplotlib.
    restart : bool
        Whether to forget what is in the folder, instead of going on with it.
    threads : int, optional
        Number of threads; it never changes a value.

    Returns
    -------
    Result
        ``rows`` has a row for every run, measure and precision.

    Raises
    ------
    UntiedError
        An option is refused, or the folder holds a study with other settings.
    InputError
        A file's content is not what its format promises.

    References
    ----------
    McSherry & Najork 2008, Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
    Scores, ECIR.
    """
    asked = [str(measure) for measure in as_measures(MEASURES if measures is None else measures)]
    study = Ties(Inputs(qrels, runs, qrels_format=qrels_format, threads=threads), {"measures": asked})
    result = conduct(study, directory, plots=plots, restart=restart)
    if cost:
        result.add(f"{study.name}-cost", costs(study.inputs, asked))
    return result
