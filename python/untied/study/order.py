"""Ordered groups as the truth: how ADR ranks runs, what could change that, and which criteria measures meet.

Typke, Veltkamp & Wiering (2006) know only that some documents are better than others. They propose ADR, which needs no
gains and no discounts, and nine criteria for such measures. The study ranks runs by ADR and by other measures, finds
the lowest and highest values over tie orders and over unjudged documents, merges groups, and tries criteria 5 to 8 on
the runs' own rankings (see `order_criteria.py`). Grades are read as groups.
"""

from __future__ import annotations

import os
from functools import cached_property
from itertools import combinations

from untied.comparison.correlation import swapped
from untied.evaluation.runs import Evaluator
from untied.measures import as_measures
from untied.results.table import tidy
from untied.study import order_summary
from untied.study.conduct import conduct
from untied.study.frame import DIGITS, Study, documented
from untied.study.inputs import Inputs
from untied.study.order_criteria import CRITERIA, OUTCOMES, tried
from untied.study.rankings import COLUMNS, correlations, first_documents, reversible, tied
from untied.study.rows import gathered, mean, nested, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, ClassVar

    from untied._literals import QrelsFormat
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.results.table import Table
    from untied.study.conduct import Plots, Result
    from untied.study.plots import Figure
    from untied.study.rows import Part, Row

#: The paper's measure first, then others that read groups, then those that need gains, discounts or two classes.
MEASURES = (
    "ADR", "ADR@10", "PairConcordance", "Compat", "nDCG", "nDCG(gain='exp2')", "nDCG(discount='log(3)')", "AP"
)  # fmt: skip
#: Bounds of PairConcordance take long if more documents than these are unjudged.
DEPTH = 50
#: How groups are merged, and how many neighbours become one; None for all.
MERGED = {"two and two": 2, "all": None}
#: What could change a value.
CAUSES = ("ties", "unjudged")


class Order(Study):
    """The study that evaluates runs by all measures, with groups as they are and with merged groups."""

    name = "order"
    title = "How measures rank runs if only the order of groups of documents is known"
    seeded = False
    needs = ("a ranking of runs needs", 2)
    columns: ClassVar[Mapping[str, str]] = {
        "measure": "the measure",
        "to_measure": "the measure of the second ranking",
        **COLUMNS,
        "comparisons": "comparisons of two runs on a query",
        "opposite": "comparisons in which the two measures favour different runs",
        "equal": "comparisons in which only the first measure rates both runs equally",
        "to_equal": "comparisons in which only the second measure rates both runs equally",
        "run": "the run",
        "value": "mean over queries, and over all orders of tied documents",
        "ties_low": "lowest value over all orders of tied documents",
        "ties_high": "highest value over all orders of tied documents",
        "unjudged_low": "lowest value over all grades that unjudged documents could have",
        "unjudged_high": "highest value over all grades that unjudged documents could have",
        "cause": "what could change values: the order of tied documents, or grades of unjudged documents",
        "run_a": "the run with the higher mean in this pair",
        "run_b": "the other run in this pair",
        "reversible": "pairs of runs with different values whose ranges overlap, so that they could change places",
        "difference": "largest difference between the values of a reversible pair",
        "merged": "which neighbouring groups became one: two and two (the first with the second, and so on), or all",
        "change": "mean change of the values of runs",
        "largest": "largest change of the value of a run, up or down",
        "criterion": "; ".join(f"{number}: {what}" for number, what in CRITERIA.items()),
        "tried": "changes of rankings that were tried",
        **OUTCOMES,
    }

    def __init__(self, inputs: Inputs, settings: dict[str, Any]) -> None:
        super().__init__(inputs, settings)
        self.ranges = {
            "ties": self._evaluator(inputs.qrels, ties="range"),
            "unjudged": self._evaluator(inputs.qrels, unjudged="range"),
        }

    def _evaluator(self, qrels: Any, **policies: Any) -> Evaluator:
        return Evaluator(qrels, self.settings["measures"], threads=self.inputs.threads, **policies)

    @staticmethod
    def add_options(add: Callable[..., object]) -> None:
        """Add the study's options to the command line."""
        add("-m", "--measure", metavar="MEASURE", action="append", dest="measures",
            help=f"rank runs by MEASURE (repeatable; default: {', '.join(MEASURES)})")  # fmt: skip
        add("--depth", metavar="N", type=int, default=DEPTH,
            help=f"evaluate only the first N documents of each ranking (default: {DEPTH})")  # fmt: skip

    @cached_property
    def truths(self) -> dict[str, dict[str, float]]:
        """Return the grade of every relevant document, by query."""
        qrels = self.inputs.qrels
        return {
            query: {document: grade for document, grade in qrels[query].items() if grade >= 1}
            for query in qrels.queries()
        }

    @cached_property
    def merged(self) -> dict[str, Evaluator]:
        """Return evaluators with merged groups. Merging two and two is left out if no query has more than two."""
        several = any(len(set(truth.values())) > 2 for truth in self.truths.values())
        return {
            name: self._evaluator(
                {query: self.inputs.qrels[query] | merge(truth, count) for query, truth in self.truths.items()}
            )
            for name, count in MERGED.items()
            if several or count is None
        }

    def parts(self) -> Sequence[Part]:
        """Return a part for each run."""
        return [(name,) for name in self.inputs.runs]

    def compute(self, *part: Any) -> list[Row]:
        """Return rows with the values of a run and of its queries, with merged groups, and with changed rankings."""
        (name,) = part
        run = first_documents(self.inputs.runs[name], self.truths, self.settings["depth"])
        by_ties, by_grades = (self.ranges[cause].evaluate(run) for cause in CAUSES)
        rows: list[Row] = []
        for measure in by_ties.measures:
            ties, grades = (results.value(measure) for results in (by_ties, by_grades))
            rows.append(("value", measure, ties.mean, ties.low, ties.high, grades.low, grades.high))
        of_queries = by_ties.per_query
        rows += [
            ("query", query, measure, value)
            for query, measure, value in zip(*map(of_queries.__getitem__, ("query", "measure", "value")), strict=True)
        ]
        rows += [
            ("merged", merged, measure, value)
            for merged, evaluator in self.merged.items()
            for measure, value in evaluator.means(run).items()
        ]
        rows += [("criterion", *row) for row in tried(run, self.truths, self._evaluator(self.inputs.qrels))]
        return rows

    def tables(self, rows_by_part: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Return tables of pairs of measures, of runs, of reversible pairs, of merged groups, and of criteria."""
        kinds = gathered((kind, (run, *row)) for (run,), rows in rows_by_part.items() for kind, *row in rows)
        runs = kinds["value"]
        # Rounding must not order runs.
        rankings = nested((measure, run, round(value, DIGITS)) for run, measure, value, *_ in runs)
        of_queries = nested(
            ((query, measure), run, round(value, DIGITS)) for run, query, measure, value in kinds.get("query", ())
        )
        queries = list(dict.fromkeys(query for query, _ in of_queries))
        between = [
            (one, other, *correlations(rankings[one], rankings[other]),
             *_decisions((of_queries[query, one], of_queries[query, other]) for query in queries))
            for one, other in combinations(rankings, 2)
        ]  # fmt: skip
        intervals = nested(
            ((measure, cause), run, (value, *ranges[2 * number : 2 * number + 2]))
            for run, measure, value, *ranges in runs
            for number, cause in enumerate(CAUSES)
        )
        merged = nested(((measure, name), run, round(value, DIGITS)) for run, name, measure, value in kinds["merged"])
        counts = gathered(((str(number), measure), row) for _, number, measure, *row in kinds.get("criterion", ()))
        tables = {
            "": tidy("measure to_measure", f"{' '.join(COLUMNS)} comparisons opposite equal to_equal", between),
            "-runs": tidy("run measure", "value ties_low ties_high unjudged_low unjudged_high", runs),
            "-reversible": tidy(
                "measure cause run_a run_b",
                "pairs reversible difference",
                ((*key, *reversible(of_runs)) for key, of_runs in intervals.items()),
            ),
            "-merged": tidy(
                "measure merged",
                "tau swapped tied pairs change largest",
                ((*key, *_changes(rankings[key[0]], values)) for key, values in merged.items()),
            ),
            "-criteria": tidy(
                "criterion measure",
                f"tried {' '.join(OUTCOMES)}",
                ((*key, *map(sum, zip(*rows, strict=True))) for key, rows in counts.items()),
            ),
        }
        return {f"{self.name}{name}": table for name, table in tables.items()}

    def summary(self, tables: Mapping[str, Table]) -> Iterator[str | Figure]:
        """Return the summary's sections on the rankings of runs, ranges, groups and criteria."""
        return order_summary.pieces(tables, self.name)


def merge(truth: Mapping[str, float], count: int | None) -> dict[str, float]:
    """Return the grades after merging each `count` neighbouring groups, from the best on. None merges all of them."""
    groups = sorted(set(truth.values()), reverse=True)
    place = {grade: number // (count or len(groups)) for number, grade in enumerate(groups)}
    last = max(place.values(), default=0)
    return {document: float(last - place[grade] + 1) for document, grade in truth.items()}


def _decisions(of_queries: Iterable[tuple[Mapping[str, float], Mapping[str, float]]]) -> Row:
    """Count comparisons of two runs on a query, and how often two measures disagree."""
    comparisons = opposite = equal = to_equal = 0
    for one, other in of_queries:
        both = tied((value, other[run]) for run, value in one.items())
        comparisons += len(one) * (len(one) - 1) // 2
        opposite += swapped(one, other)
        equal += tied(one.values()) - both
        to_equal += tied(other.values()) - both
    return comparisons, opposite, equal, to_equal


def _changes(before: Mapping[str, float], after: Mapping[str, float]) -> Row:
    """Return how far the values of runs change, and how far their ranking does."""
    tau, _, swaps, _, ties, pairs = correlations(before, after)
    changes = [after[run] - value for run, value in before.items()]
    return tau, swaps, ties, pairs, mean(changes), max(map(abs, changes))


@documented
def order(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    depth: int = DEPTH,
    qrels_format: QrelsFormat = "auto",
    plots: Plots = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Show how ADR and other measures rank your runs, if you know only that some documents are better than others.

    Documents with the same grade are a group. With ``qrels_format="groups"`` or ``"mirex"``, the file itself has
    groups. For each two measures, the study compares how they rank the runs. It also finds what would change these
    rankings: ties, missing judgments, or larger groups. Finally, it makes small changes to your runs, to see which
    criteria of Typke, Veltkamp & Wiering each measure meets. You need two runs or more.

    Parameters
    ----------
    measures : measures or their names, optional
        The measures by which to rank the runs. The summary compares the first with all others. Each needs bounds over
        unjudged documents. The default is ADR, ADR@10, PairConcordance, Compat, AP, and nDCG three times: as it is,
        with ``gain='exp2'``, and with ``discount='log(3)'``.
    depth : int
        How many documents of each ranking to evaluate; the others are ignored. If this is large, the bounds of
        PairConcordance take long.

    Returns
    -------
    Result
        ``rows`` has a row for every two measures.

    References
    ----------
    Typke, Veltkamp & Wiering 2006, A measure for evaluating retrieval techniques based on partially ordered ground
    truth lists, ICME.
    """
    asked = [str(measure) for measure in as_measures(MEASURES if measures is None else measures)]
    inputs = Inputs(qrels, runs, qrels_format=qrels_format, threads=threads)
    return conduct(
        Order(inputs, {"measures": asked, "depth": whole("depth", depth, 1)}), directory, plots=plots, restart=restart
    )
