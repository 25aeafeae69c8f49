"""The summary of the study of ties: text, tables and plots."""

from __future__ import annotations

from functools import partial

from untied.comparison.comparison import quantile
from untied.results.text import markdown_code
from untied.study.frame import DIGITS
from untied.study.plots import Figure
from untied.study.rows import by_first, gathered, markdown
from untied.study.ties_plots import ORDERS, PRECISIONS, WIDEST, draw_precision, draw_spread, draw_swaps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from untied.results.table import Table
    from untied.study.rows import Row

#: Scores as they are.
EXACT = PRECISIONS[0]


def pieces(tables: Mapping[str, Table], name: str) -> Iterator[str | Figure]:
    """Yield the sections on tied documents, the spread over orders, swaps, precision and cost."""
    values = tables[name]
    measures = list(dict.fromkeys(values["measure"]))
    between = by_first(tables[f"{name}-orders"], 5)
    yield "## How common ties are\n"
    yield from _touched(tables[f"{name}-runs"], tables[f"{name}-queries"])
    yield "## From the worst order to the best\n"
    yield Figure(
        "spread",
        f"The {WIDEST} runs of each measure that depend most on the order of tied documents. A bar goes from the worst "
        "order to the best, a line marks the mean over all orders, and a dot marks the order by document id",
        (6.8, 0.4 + 1.35 * -(-len(measures) // 3)),
        lambda figure: draw_spread(figure, values, measures),
    )
    yield _spreads(values)
    if len(set(values["run"])) > 1:
        reversible = {measure: tuple(row) for measure, at, *row in tables[f"{name}-reversible"].rows() if at == EXACT}
        yield "## Which run is better\n"
        yield Figure(
            "swaps",
            "Pairs of runs whose order differs from the order by the mean over all orders of tied documents, and "
            "pairs that some order of tied documents reverses",
            (6.8, 0.9 + 0.26 * len(measures)),
            lambda figure: draw_swaps(figure, between, reversible, measures),
        )
        yield (
            "The table counts the pairs of runs that two ways of ordering tied documents put in opposite order. "
            "*docid* sorts tied documents by id. *trec* rounds scores to 32 bits and then sorts by id, as trec_eval 9 "
            "does. *given* keeps the order of the input. *reversible* counts pairs with different means that some "
            "order of tied documents reverses.\n"
        )
        yield _swaps(between, reversible)
    yield "## Coarser scores\n"
    yield from _precisions(tables, name, measures, between)
    if f"{name}-cost" in tables:
        yield from _costs(tables[f"{name}-cost"])


def _touched(counts: Table, values: Table) -> Iterator[str]:
    """A table of documents, queries and runs with ties."""
    rows = [row for row in counts.to_dicts() if row["precision"] == EXACT]
    spreads = gathered((measure, high - low) for _, _, measure, _, low, high in values.rows())
    rankings = len(next(iter(spreads.values()), ()))
    documents, tied, with_ties, mixed = (
        sum(row[what] for row in rows) for what in ("documents", "tied", "tied_queries", "mixed_queries")
    )
    largest = max(rows, key=lambda row: row["largest"])
    yield (
        f"* {sum(row['tied'] > 0 for row in rows)} of {len(rows)} runs have tied documents. In "
        f"{sum(row['mixed_queries'] > 0 for row in rows)} runs, documents of different grades are tied.\n"
        f"* {tied:,} of {documents:,} retrieved documents are tied ({_percent(tied, documents)}).\n"
        f"* {with_ties:,} rankings have tied documents. In {mixed:,} of the {rankings:,} rankings of judged "
        "queries, documents of different grades are tied.\n"
        f"* The largest group of tied documents has {largest['largest']:,} documents, in the run "
        f"{markdown_code(largest['run'])}.\n"
    )
    yield "Rankings whose value depends on the order of tied documents, and their best value minus their worst value:\n"
    lines = []
    for measure, widths in spreads.items():
        touched = sorted(width for width in widths if width > 10**-DIGITS)
        cells = (quantile(touched, 0.5), quantile(touched, 0.95), touched[-1]) if touched else ()
        lines.append([measure, f"{len(touched):,}", _percent(len(touched), len(widths)),
                      *(f"{cell:.4f}" for cell in cells), *[""] * (3 - len(cells))])  # fmt: skip
    yield markdown(["measure", "rankings", "share", "best minus worst: median", "95th percentile", "largest"], lines)


def _spreads(values: Table) -> str:
    """A table of the spread of the means of runs."""
    lines = []
    for measure, rows in gathered(
        (row["measure"], row) for row in values.to_dicts() if row["precision"] == EXACT
    ).items():
        widths = sorted(row["high"] - row["low"] for row in rows)
        widest = max(rows, key=lambda row: row["high"] - row["low"])
        off = [max(abs(row[order] - row["value"]) for row in rows) for order in ("docid", "given")]
        lines.append(
            [measure, str(sum(width > 10**-DIGITS for width in widths)), f"{quantile(widths, 0.5):.4f}",
             f"{widths[-1]:.4f}", f"{markdown_code(widest['run'])} {widest['low']:.4f} to {widest['high']:.4f}",
             *(f"{one:.4f}" for one in off)]
        )  # fmt: skip
    heads = [
        "measure",
        "runs whose mean depends on the order",
        "best minus worst: median",
        "largest",
        "run with the largest",
        "docid: largest distance from the mean",
        "given: largest distance from the mean",
    ]
    return "The means of the runs over queries:\n\n" + markdown(heads, lines)


def _swaps(between: Mapping[Row, Row], reversible: Mapping[str, Sequence[Any]]) -> str:
    """A table of swapped pairs by measure."""
    lines = []
    for measure, (a, b, pairs, number, difference) in reversible.items():
        compared = [
            between.get((measure, at, order, EXACT, to))
            for at, order, to in (
                (EXACT, "docid", "mean"), ("float32", "docid", "mean"), (EXACT, "given", "mean"),
                (EXACT, "best", "mean"), (EXACT, "worst", "mean"), (EXACT, "worst", "best"),
            )
        ]  # fmt: skip
        lines.append([measure, *("" if row is None else str(row[2]) for row in compared), f"{number:,} of {pairs:,}",
                      f"{difference:.4f} ({markdown_code(a)}, {markdown_code(b)})" if a else ""])  # fmt: skip
    heads = ["measure", "mean and docid", "mean and trec", "mean and given", "mean and best", "mean and worst",
             "best and worst", "reversible", "largest reversible difference"]  # fmt: skip
    return markdown(heads, lines)


def _precisions(
    tables: Mapping[str, Table], name: str, measures: Sequence[str], between: Mapping[Row, Row]
) -> Iterator[str | Figure]:
    """A table of the effect of coarser scores."""
    counts = list(tables[f"{name}-runs"].rows())
    shares = gathered(
        (at, 100 * tied / documents if documents else 0.0) for _, at, documents, tied, *_ in counts if tied is not None
    )
    misfits = [at for _, at, _, tied, *_ in counts if tied is None]
    mixed = gathered((at, touched or 0) for _, at, *_, touched in counts)
    values = by_first(tables[name], 3)
    changes = gathered(
        ((measure, at), (high - low, abs(value - values[run, measure, EXACT][0]),
                         abs(docid - values[run, measure, EXACT][3])))
        for (run, measure, at), (value, low, high, docid, _) in values.items()
    )  # fmt: skip
    widths = {key: sum(width for width, *_ in spreads) / len(spreads) for key, spreads in changes.items()}
    several = len(set(tables[name]["run"])) > 1
    to_exact = {
        (measure, order, at): between[measure, at, order, EXACT, order]
        for measure, at, order, to, to_order in between
        if to == EXACT and order == to_order
    }
    taus = {(measure, at): tau for (measure, order, at), (_, tau, *_) in to_exact.items() if order == ORDERS[0]}
    yield Figure(
        "precision",
        "The effect of coarser scores: the tied documents of every run (the line is the median run), the best value "
        "minus the worst value (mean over runs), and Kendall's tau with the ranking of runs by float64 scores",
        (6.8, 2.9),
        partial(draw_precision, shares=shares, widths=widths, measures=measures,
                taus={**{(measure, EXACT): 1.0 for measure in measures}, **taus} if several else {}),
    )  # fmt: skip
    yield "If a precision cannot represent a score of a run, the run is left out for this precision.\n"
    yield markdown(
        ["precision", "runs left out", "tied documents: median run", "run with most ties",
         "rankings with ties between documents of different grades"],
        [[at, str(misfits.count(at)), *(f"{quantile(sorted(shares[at]), share):.1f} %" for share in (0.5, 1.0)),
          f"{sum(mixed[at]):,}"] for at in PRECISIONS if at in shares],
    )  # fmt: skip
    for sentence, cells in (
        ("Best value minus worst value, mean over runs", widths),
        (
            "Largest change of a run's mean over all orders of tied documents, from its value at float64",
            _largest(changes, 1),
        ),
        (
            "Largest change of a run's value with ties broken by document id, from its value at float64",
            _largest(changes, 2),
        ),
    ):
        yield f"{sentence}:\n"
        yield markdown(
            ["measure", *PRECISIONS],
            [[one, *(f"{cells[one, at]:.4f}" if (one, at) in cells else "" for at in PRECISIONS)] for one in measures],
        )
    for order, what in (
        (("mean", "means over all orders of tied documents"), ("docid", "values with ties broken by document id"))
        if several
        else ()
    ):
        rows = []
        for measure in measures:
            of = [to_exact.get((measure, order, at)) for at in PRECISIONS[1:]]
            rows.append([measure, *("" if one is None else f"{one[1]:.4f} ({one[2]})" for one in of)])
        yield f"Kendall's tau_b with the ranking of runs by float64 scores, by {what} (number of swapped pairs):\n"
        yield markdown(["measure", *PRECISIONS[1:]], rows)


def _costs(table: Table) -> Iterator[str]:
    """A table of the time that averaging over tie orders takes."""
    yield "## What averaging over ties costs\n"
    yield (
        "The table shows how many milliseconds of CPU time it takes to evaluate all runs from memory on one thread. "
        "*given* and *docid* evaluate one order of tied documents. *mean* computes the mean over all orders. *range* "
        "also computes the lowest and the highest value. Times and ratios are medians, and differ from call to call.\n"
    )
    rows = ([measure, at, *(f"{number:.2f}" for number in numbers)] for measure, at, *numbers in table.rows())
    columns = ["measure", "scores", "given", "docid", "mean", "range", "mean divided by given", "mean divided by docid"]
    yield markdown(columns, rows, texts=2)


def _largest(
    changes: Mapping[tuple[str, str], Sequence[tuple[float, ...]]], number: int
) -> dict[tuple[str, str], float]:
    return {key: max(one[number] for one in rows) for key, rows in changes.items()}


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""
