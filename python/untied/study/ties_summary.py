"""What the study of ties found, in words and tables."""

from __future__ import annotations

from untied import _core
from untied.compare.comparison import quantile
from untied.study.frame import DIGITS
from untied.study.rows import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from untied.results.table import Table


#: How scores are read.
PRECISIONS = ("float64", "float32", "float16", "bfloat16", "8 bits")
#: Orders of tied documents that a run is evaluated in; the first is the mean over all.
ORDERS = ("mean", "docid", "given", "best", "worst")


def touched_text(tables: Mapping[str, Table], name: str) -> str:
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


def spreads_text(tables: Mapping[str, Table], name: str) -> str:
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


def swaps_text(tables: Mapping[str, Table], name: str) -> str:
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


def precisions_text(tables: Mapping[str, Table], name: str, several: bool) -> str:
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


def cost_text(table: Table, name: str) -> str:
    """The time that averaging over tie orders takes."""
    rows = [
        [measure, precision, *(f"{number:.2f}" for number in numbers)] for measure, precision, *numbers in table.rows()
    ]
    columns = ["measure", "scores", "as given", "by id", "mean", "range", "mean / as given", "mean / by id"]
    return (
        "## What averaging over ties costs\n\n"
        "CPU milliseconds to evaluate all runs in memory on one thread: in one order of tied documents, as given and "
        "by document id; the mean over all orders; the mean with the lowest and the highest value. Medians, which "
        f"differ from call to call (`{name}-cost.tsv`).\n\n" + markdown(columns, rows, texts=2)
    )


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""
