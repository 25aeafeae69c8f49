"""How often intervals from human and machine judgments hold the truth: ours, and those of glide, if it is installed.

This is `untied study judges` on a folder of TREC runs, with the PPI++ of glide (the package glide-py) in place of the
study's own. glide has no intervals for a finite number of queries, so queries are first drawn with replacement.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measure import is_installed, markdown_table
from untied import study
from untied.study.judges import Judges
from untied.study.judges_intervals import Intervals, plug_in

Rows = dict[tuple[str, int, str], dict[str, str]]


def by_glide(human: Any, machine: Any, every: Any, *, these: bool) -> Intervals:
    """The intervals of glide; it refuses human values, or a machine's, that are all equal."""
    import numpy as np
    from glide.estimators import PPIMeanEstimator

    middle, half = plug_in(human, machine, every, these=these)
    for sample, (y, f) in enumerate(zip(human, machine, strict=True)):
        rest = list(every[sample])
        for value in f:
            rest.remove(value)
        if np.ptp(y) and np.ptp(every[sample]):
            labels = np.concatenate([y, np.full(len(rest), np.nan)])
            interval = PPIMeanEstimator().estimate(labels, np.concatenate([f, rest])).confidence_interval
            middle[sample] = interval.mean
            half[sample] = (interval.upper_bound - interval.lower_bound) / 2
    return Intervals(middle, half)


def coverage(options: argparse.Namespace) -> Rows:
    """Coverage and width of every method, by machine, number of human queries and kind of estimate."""
    runs = sorted(options.trec.glob("*.run"))[:: options.step]
    with TemporaryDirectory() as folder:
        result = study.judges(
            options.trec / "qrels.txt", runs, folder, judged=[int(size) for size in options.sizes.split(",")],
            samples=options.samples, asked=options.asked, plots="none",
        )  # fmt: skip
    rows: Rows = {}
    for row in result.tables["judges"].to_dicts():
        cell = f"{100 * row['coverage']:.1f} ({100 * row['lowest']:.0f}) {row['width']:.2f}"
        rows.setdefault((row["machine"], row["judged"], row["of"]), {})[row["method"]] = cell
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trec", type=Path, required=True, help="folder with qrels.txt and *.run")
    parser.add_argument("--sizes", default="10,25,50", help="numbers of queries that people judge")
    parser.add_argument("--asked", type=int, default=100, help="number of queries that the machine judges")
    parser.add_argument("--samples", type=int, default=200, help="samples of queries for each cell")
    parser.add_argument("--step", type=int, default=30, help="take every STEPth run")
    options = parser.parse_args()
    rows = coverage(options)
    if is_installed("glide"):
        Judges.plug_in = staticmethod(by_glide)
        for key, row in coverage(options).items():
            rows[key]["glide"] = row["PPI++"]
    methods = list(next(iter(rows.values())))
    print("Coverage in % (lowest of a single estimate), and width relative to people alone.\n")
    print(markdown_table(["machine", "human queries", "of", *methods],
                         [[key[0], str(key[1]), key[2], *row.values()] for key, row in rows.items()]))  # fmt: skip


if __name__ == "__main__":
    main()
