"""Runs of passages by MED-U, against actual differences of the U-measure (Tan & Clarke 2015, section 8, figure 4).

The U-measure of a ranking of passages is the sum over the characters in the order in which they are read of their gain
times 1 - i / L. MED-U needs no judgments: every character may gain 1. In the actual difference, judged characters have
their gain, and unjudged ones none.
"""

from __future__ import annotations

import os
from functools import partial
from itertools import combinations

from untied.comparison.passages import LENGTH, LONGEST, compare_passages, read_judged_passages, read_passages
from untied.inputs.mismatch import QUERIES
from untied.results.table import tidy
from untied.study.conduct import conduct
from untied.study.frame import Study, documented
from untied.study.inputs import Inputs, origin
from untied.study.med_names import PREFIX, add_groups, grouped
from untied.study.med_plots import OTHER, SAME
from untied.study.notes import counted
from untied.study.plots import Figure, ahead
from untied.study.rows import linear, markdown, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, ClassVar

    from untied.inputs.convert import Runs
    from untied.results.table import Table
    from untied.study.conduct import Plots, Result
    from untied.study.rows import Part, Row


class PassageInputs(Inputs):
    """The inputs of the study: judged passages instead of qrels, and runs of passages."""

    qrels: Any
    runs: Any

    def read_qrels(self, name: str, source: Any, format: str = "auto", *, option: str | None = None) -> Any:
        """Read judged passages, and remember where they came from."""
        judged = read_judged_passages(source)
        self.origins.append(origin(name, source, judged, option))
        return judged

    def read_run(self, name: str, source: Any) -> Any:
        """Read a run of passages, and remember where it came from."""
        ranked, _ = read_passages(source)
        self.origins.append(origin(name, source, ranked))
        return ranked


@documented
def passages(
    qrels: str | os.PathLike[str],
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    groups: str | os.PathLike[str] | Mapping[str, str] | None = None,
    prefix: int = PREFIX,
    text_length: float = LENGTH,
    plots: Plots = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Show what MED-U tells about runs of passages, and whether it tells a team's runs from others.

    The study computes the distances of all pairs of runs. `qrels` is a file of judged passages, and `runs` are files of
    passages; `untied.comparison.passages` describes both. You need two runs or more.

    Parameters
    ----------
    groups : path or {run: group}, optional
        The group of each run, such as the team that submitted it: a dict, or a file in which each line has the name of
        a run and its group. By default, `prefix` makes the groups.
    prefix : int
        If you pass no `groups`, runs whose names begin with the same letters form a group. This is how many letters
        have to be the same.
    text_length : float
        How far a reader gets, in characters. What comes after does not count.

    Returns
    -------
    Result
        ``rows`` has a row for every pair of runs and query.

    References
    ----------
    Tan & Clarke 2015, A Family of Rank Similarity Measures Based on Maximized Effectiveness Difference, TKDE 27.
    """
    inputs = PassageInputs(qrels, runs, threads=threads)
    settings = {"prefix": whole("prefix", prefix), "text_length": text_length}
    return conduct(Passages(inputs, settings, grouped(inputs, groups, prefix)), directory, plots=plots, restart=restart)


class Passages(Study):
    """The study that compares all pairs of runs of passages, query by query."""

    name = "passages"
    seeded = False
    needs = ("a comparison needs", 2)
    title = "How well MED-U of runs of passages agrees with actual differences, within and between groups of runs"
    columns: ClassVar[Mapping[str, str]] = {
        "query": "the query",
        "run_a": "one run",
        "run_b": "the other run",
        "group": "the group of both runs; empty if the runs are from different groups",
        "value": "MED-U: the largest difference in the U-measure that judgments could show",
        "difference": "the actual difference in the U-measure",
    }

    inputs: PassageInputs

    def __init__(self, inputs: PassageInputs, settings: dict[str, Any], groups: Mapping[str, str]) -> None:
        super().__init__(inputs, settings)
        self.groups = groups

    @staticmethod
    def add_options(add: Callable[..., object]) -> None:
        """Add the study's options to the command line."""
        add_groups(add)
        add("--text-length", metavar="L", type=float, default=LENGTH,
            help=f"count only the first L characters of each ranking (default: {LENGTH:g})")  # fmt: skip

    def apart(self) -> list[dict[str, str | None]]:
        """Return the runs without a judged query."""
        judged = self.inputs.qrels.keys()
        return [{name: None if of.keys() & judged else QUERIES for name, of in self.inputs.runs.items()}]

    def notes(self) -> list[str]:
        """Return notes on queries without judged passages, and on queries that some run lacks."""
        runs, judged = self.inputs.runs, self.inputs.qrels
        everywhere = set(judged).intersection(*runs.values())
        return [
            *counted(
                "queries without judged passages, left out",
                {name: len(of.keys() - judged.keys()) for name, of in runs.items()},
            ),
            *counted(
                "judged queries that are missing from another run, left out when the two runs are compared",
                {name: len((of.keys() & judged.keys()) - everywhere) for name, of in runs.items()},
            ),
        ]

    def parts(self) -> Sequence[Part]:
        """Return a part for each pair of runs."""
        return list(combinations(self.inputs.runs, 2))

    def compute(self, *part: Any) -> list[Row]:
        """Return a row for every judged query of both runs."""
        runs, judged = self.inputs.runs, self.inputs.qrels
        one, other = ({query: of for query, of in runs[name].items() if query in judged} for name in part)
        if not one.keys() & other.keys():
            return []
        length = self.settings["text_length"]
        known = {
            query: [*judged[query], *((document, 0, LONGEST, 0.0) for document in _documents(one, other, query))]
            for query in one.keys() & other.keys()
        }
        most = compare_passages(one, other, length=length)
        actual = compare_passages(one, other, judged=known, length=length, filled=False)
        return [(query, value, actual.per_query[query]) for query, value in most.per_query.items()]

    def tables(self, rows_by_part: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Return a table with a row for each pair of runs and query."""
        rows = [
            (query, a, b, self.groups[a] if self.groups[a] == self.groups[b] else "", *values)
            for (a, b), of in rows_by_part.items()
            for query, *values in of
        ]
        return {self.name: tidy("query run_a run_b group", "value difference", rows)}

    def summary(self, tables: Mapping[str, Table]) -> Iterator[str | Figure]:
        """Return the summary: means and correlations."""
        length, halves = self.settings["text_length"], _halves(tables[self.name])
        # Two rankings without a character in common, each as long as counts: 1 - 1/L, 1 - 2/L, ..., all gained by one.
        count = int(length)
        largest = count - count * (count + 1) / 2 / length
        yield f"Two rankings without common text have a MED-U of {largest:,.1f}.\n"
        caption = "MED-U against the actual difference in the U-measure. Each dot is one query and one pair of runs"
        yield Figure("differences", caption, (5.6, 2.9), partial(_draw, halves=halves, name=f"MED-U@{length:g}"))
        lines = []
        for title, rows in halves.items():
            values, actual = [row[4] for row in rows], [row[5] for row in rows]
            apart = sum(value > largest - 1e-6 for value in values)
            cells = (sum(values) / len(rows), sum(actual) / len(rows)) if rows else ()
            lines.append([title, str(len(rows)), *(f"{cell:.1f}" for cell in cells), str(apart),
                          f"{linear(actual, values):.4f}"] if rows else [title, "0", "", "", "", ""])  # fmt: skip
        heads = ["runs from", "pairs and queries", "mean MED-U", "mean difference", "no common text", "Pearson"]
        yield markdown(heads, lines)


def _draw(figure: Any, halves: Mapping[str, Sequence[Row]], name: str) -> None:
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    for axis, look, (title, rows) in zip(axes, (SAME, OTHER), halves.items(), strict=True):
        axis.axline((0, 0), slope=1, color="0.6", linewidth=0.7)
        axis.scatter([row[5] for row in rows], [row[4] for row in rows], s=5, linewidths=0, alpha=0.6,
                     color=look["color"], rasterized=True)  # fmt: skip
        axis.set_title(f"runs from {title}")
        axis.set_xlabel("difference of U")
    axes[0].set_ylabel(name)
    ahead(axes[0])


def _documents(one: Mapping[str, Any], other: Mapping[str, Any], query: str) -> list[str]:
    """All documents with text in both."""
    return sorted({document for ranking in (one[query], other[query]) for document, *_ in ranking})


def _halves(table: Table) -> dict[str, list[Row]]:
    rows = list(table.rows())
    return {"the same group": [row for row in rows if row[3]], "different groups": [row for row in rows if not row[3]]}
