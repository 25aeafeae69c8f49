"""What incomplete judgments leave open: verdicts about all pairs of the 129 TREC-8 runs.

All judgments of the depth-100 pools are kept, then random shares of them; every other retrieved document may be
relevant. AP is certified with all judgments only: with fewer, nearly every document of 200 is unknown. For every
measure: the shares of pairs whose verdict is A, B or open, the width of the bounds, whether they are exact, overturn
numbers and largest m.

Every interval must hold the difference with all judgments, and no verdict may contradict its sign; the script fails
otherwise. Where all judgments are kept this compares with another path through the code (`evaluate`).

CPU seconds leave reading out. `--out DIR` keeps every verdict as TSV, and does not compute again what is there.
"""

from __future__ import annotations

import argparse
import csv
import itertools
from math import inf
from pathlib import Path
from time import process_time

import untied
from measure import machine, markdown_table

MEASURES = ["P@10", "nDCG@10", "RR", "ERR@10", "RBP(p=0.8)", "Success@10", "F1@10"]
MEASURES += ["nDCG@100", "nDCG@1000", "R@1000", "Rprec"]
STEPS = [(1.0, MEASURES), (0.3, MEASURES), (0.1, MEASURES), (1.0, ["AP@100"])]
HEAD = ["judged", "measure", "A", "B", "open", "high - low", "exact", "overturn", "exact", "largest_m"]
COLUMNS = ["run_a", "run_b", "measure", "low", "high", "verdict", "overturn", "largest_m"]
COLUMNS += ["exact", "overturn_exact", "difference"]
#: More than the rounding errors of a mean.
MARGIN = 1e-9


def rows_of(qrels: untied.Qrels, runs: dict[str, untied.Run], judged: float, measures: list[str]) -> list[list[str]]:
    """Every verdict, with the difference that all judgments give."""
    known = qrels if judged == 1 else untied.judging.sample.judgments(qrels, judged, seed=1)
    start = process_time()
    found = untied.certify(known, runs, measures, ties="docid", threads=1)
    print(f"{judged:.0%} judged, {', '.join(measures)}: {process_time() - start:.1f} CPU s", flush=True)
    evaluator = untied.Evaluator(qrels, measures, ties="docid", unjudged="nonrelevant", threads=1)
    means = {name: evaluator.means(run) for name, run in runs.items()}
    rows = []
    for pair, measure in itertools.product(found.pairs, found.measures):
        one = found[pair][measure]
        difference = means[pair[0]][measure] - means[pair[1]][measure]
        numbers = [repr(one.low), repr(one.high), one.verdict, one.overturn, one.largest_m]
        exact = [int(one.is_exact), int(one.overturn_is_exact)]
        rows.append([str(cell) for cell in (*pair, measure, *numbers, *exact, repr(difference))])
    return rows


def kept(path: Path | None) -> list[list[str]]:
    """Verdicts of a file, if it is there."""
    if path is None or not path.exists():
        return []
    with path.open(newline="") as lines:
        return list(csv.reader(lines, delimiter="\t"))[1:]


def contradictions(rows: list[dict[str, str]]) -> list[str]:
    """Verdicts and bounds that the difference with all judgments contradicts."""
    wrong = []
    for row in rows:
        low, high, difference = (float(row[name]) for name in ("low", "high", "difference"))
        held = low - MARGIN <= difference <= high + MARGIN
        if not held or (row["verdict"] == "A" and difference <= 0) or (row["verdict"] == "B" and difference >= 0):
            wrong.append(" ".join(row.values()))
    return wrong


def spread(values: list[float], exact: list[bool], endless: str) -> str:
    """The median, and the values below and above which a tenth of the pairs is."""
    ordered = sorted(zip(values, exact, strict=True))

    def shown(place: int) -> str:
        value, is_exact = ordered[place]
        return endless if value == inf else f"{'' if is_exact else '≥ '}{value:.0f}"

    median, low, high = (shown(place) for place in (len(ordered) // 2, len(ordered) // 10, len(ordered) * 9 // 10))
    return median if median == low == high else f"{median} ({low} to {high})"


def summary(judged: float, measure: str, rows: list[dict[str, str]]) -> list[str]:
    """A row of the table."""
    share = {verdict: sum(row["verdict"] == verdict for row in rows) / len(rows) for verdict in ("A", "B", "open")}
    width = sum(float(row["high"]) - float(row["low"]) for row in rows) / len(rows)
    exact, settled = ([row[name] == "1" for row in rows] for name in ("exact", "overturn_exact"))
    numbers = [float(row["overturn"]) for row in rows]
    largest = [-1 if row["largest_m"] == "None" else float(row["largest_m"]) for row in rows]
    percent = [f"{100 * part:.1f} %" for part in (*share.values(), sum(exact) / len(rows), sum(settled) / len(rows))]
    ends = [f"{width:.3f}", percent[3], spread(numbers, settled, "never"), percent[4]]
    return [f"{judged:.0%}", measure, *percent[:3], *ends, spread(largest, [True] * len(rows), "any")]


def main() -> None:
    """Print the table; fail where a verdict is contradicted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trec", type=Path, metavar="DIR", required=True, help="folder with qrels.txt and *.run")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep the verdicts as TSV here")
    options = parser.parse_args()
    print(machine([]), end="\n\n", flush=True)
    qrels = untied.read_qrels(options.trec / "qrels.txt")
    runs = {path.stem: untied.read_run(path, threads=1) for path in sorted(options.trec.glob("*.run"))}
    if len(runs) < 2:
        parser.error(f"{options.trec} has {len(runs)} runs; a verdict needs two")
    table, wrong = [], []
    for judged, measures in STEPS:
        path = options.out and options.out / f"{judged:.0%}-{len(measures)}.tsv"
        found = kept(path)
        if not found:
            found = rows_of(qrels, runs, judged, measures)
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("".join("\t".join(row) + "\n" for row in [COLUMNS, *found]))
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in found]
        wrong += contradictions(rows)
        names = dict.fromkeys(row["measure"] for row in rows)
        table += [summary(judged, name, [row for row in rows if row["measure"] == name]) for name in names]
    print(markdown_table(HEAD, table))
    print(f"\n{len(wrong)} verdicts or bounds are contradicted by the difference with all judgments", *wrong, sep="\n")
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
