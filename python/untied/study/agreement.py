"""Agreement: how similar the rankings of runs are under different measures and judgments.

Runs are ranked by their means over tie orders. Two rankings of the same runs are compared by Kendall's tau_b, by the
symmetric tau_AP for ties (Urbano & Marrero 2017), in which errors at the top weigh more, and by the number of pairs
that they order oppositely.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import combinations

from untied.errors import UntiedError
from untied.evaluation.runs import Evaluator
from untied.inputs import mismatch
from untied.inputs.convert import named_sources
from untied.judging import sample
from untied.measures import as_measures
from untied.results.table import tidy
from untied.study import agreement_summary
from untied.study.agreement_summary import ALL
from untied.study.conduct import conduct
from untied.study.frame import DIGITS, Study, documented
from untied.study.inputs import Inputs
from untied.study.rankings import COLUMNS, correlations
from untied.study.rows import nested, whole, whole_numbers

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

MEASURES = ("AP", "nDCG", "Rprec", "Bpref", "R@100", "nDCG@10", "P@10", "RBP(p=0.8)", "RR")
DEPTHS = (50, 20, 10, 5)


class Agreement(Study):
    """The study that ranks runs by several measures and by several sets of judgments."""

    name = "agreement"
    title = "How well different measures and judgments agree on the ranking of runs"
    seeded = False
    needs = ("a ranking of runs needs", 2)
    columns: ClassVar[Mapping[str, str]] = {
        "measure": "the measure",
        "judgments": f"{ALL}: all judgments; depth N: judgments of each run's first N documents; or the name of a file",
        "to_measure": "the measure of the second ranking",
        "to_judgments": "the judgments of the second ranking",
        **COLUMNS,
        "run": "the run",
        "value": "the measure's mean over queries",
        "rank": "rank of the run; runs with equal values share the mean of their ranks",
        "queries": "judged queries",
        "judged": "judged documents",
        "relevant": "documents with a grade above 0",
        "over": "what differs between the ranks: the measure, or the judgments (with the first measure)",
        "highest": "the measure or the judgments that rank the run highest",
        "lowest": "the measure or the judgments that rank the run lowest",
        "highest_rank": "the highest rank of the run",
        "lowest_rank": "the lowest rank of the run",
    }

    def __init__(self, inputs: Inputs, settings: dict[str, Any], also: Mapping[str, Any]) -> None:
        super().__init__(inputs, settings)
        self.also = also

    def apart(self) -> list[dict[str, str | None]]:
        """Return the runs that have nothing in common with one of the sets of judgments."""
        threads = self.inputs.threads
        runs = self.inputs.runs
        others = [  # a message puts the whole key in quotes
            {f"{name}' with '{label}": mismatch.of_inputs(qrels, run, threads) for name, run in runs.items()}
            for label, qrels in self.also.items()
        ]
        return [*super().apart(), *others]

    @staticmethod
    def add_options(add: Callable[..., object]) -> None:
        """Add the study's options to the command line."""
        add("-m", "--measure", metavar="MEASURE", action="append", dest="measures",
            help=f"rank runs by MEASURE (repeatable; default: {', '.join(MEASURES)})")  # fmt: skip
        add(
            "--qrels-also",
            metavar="QRELS",
            action="append",
            help="also rank runs by the judgments in QRELS (repeatable)",
        )
        add("--depths", metavar="N,N,...", type=whole_numbers, default=DEPTHS,
            help="also rank runs by judgments of pools of these depths "
            f"(default: {','.join(map(str, DEPTHS))}; 0: no pools)")  # fmt: skip

    def parts(self) -> Sequence[Part]:
        """Return the parts: one for all judgments, one for each depth, and one for each of the other judgments."""
        return [(ALL,), *((f"depth {n}",) for n in self.settings["depths"] if n), *((name,) for name in self.also)]

    def compute(self, *part: Any) -> list[Row]:
        """Return rows with the values of all measures and runs by these judgments."""
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

    def tables(self, rows_by_part: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Return tables of pairs of rankings, of rankings, of the runs that moved, and of the judged documents."""
        rankings = nested(
            ((measure, label), run, value)
            for (label,), (_, *rows) in rows_by_part.items()
            for run, measure, value, *_ in rows
        )
        # Rounding must not order runs.
        compared = {key: {run: round(value, DIGITS) for run, value in one.items()} for key, one in rankings.items()}
        pairs = [_pair(one, other, compared) for one, other in combinations(compared, 2) if _differ_once(one, other)]
        ranks = {key: _ranks(one) for key, one in compared.items()}
        values = [(run, *key, value, ranks[key][run]) for key, one in rankings.items() for run, value in one.items()]
        judged = [(label, *rows[0][2:]) for (label,), rows in rows_by_part.items()]
        measures = self.settings["measures"]
        moves = [("measure", *row) for row in _moves({measure: ranks[measure, ALL] for measure in measures})]
        moves += [
            ("judgments", *row) for row in _moves({label: ranks[measures[0], label] for (label,) in rows_by_part})
        ]
        to = "measure judgments to_measure to_judgments"
        return {
            self.name: tidy(to, " ".join(COLUMNS), pairs),
            f"{self.name}-runs": tidy("run measure judgments", "value rank", values),
            f"{self.name}-moves": tidy("over run highest lowest", "highest_rank lowest_rank", moves),
            f"{self.name}-judgments": tidy("judgments", "queries judged relevant", judged),
        }

    def summary(self, tables: Mapping[str, Table]) -> Iterator[str | Figure]:
        """Return the summary's sections on measures, judgments, and the largest disagreements."""
        return agreement_summary.pieces(tables, self.name, self.settings["measures"], len(self.inputs.runs))


def _differ_once(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Say whether two rankings have the same measure, or the same judgments."""
    return one[0] == other[0] or one[1] == other[1]


def _pair(one: tuple[str, str], other: tuple[str, str], rankings: Mapping[tuple[str, str], Mapping[str, float]]) -> Row:
    return (*one, *other, *correlations(rankings[one], rankings[other]))


def _ranks(ranking: Mapping[str, float]) -> dict[str, float]:
    counts, rank, of = Counter(ranking.values()), 0, {}
    for value in sorted(counts, reverse=True):
        of[value] = rank + (counts[value] + 1) / 2
        rank += counts[value]
    return {run: of[value] for run, value in ranking.items()}


def _moves(ranks: Mapping[str, Mapping[str, float]]) -> list[Row]:
    """Return every run with its highest and its lowest rank, and where it has them. Runs that move most come first."""
    rows = []
    for run in next(iter(ranks.values())):
        best = min(ranks, key=lambda name: ranks[name][run])
        worst = max(ranks, key=lambda name: ranks[name][run])
        rows.append((run, best, worst, ranks[best][run], ranks[worst][run]))
    return sorted(rows, key=lambda row: row[3] - row[4])


@documented
def agreement(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    qrels_also: Mapping[str, QrelsLike] | Iterable[str | os.PathLike[str]] | None = None,
    depths: Sequence[int] = DEPTHS,
    qrels_format: QrelsFormat = "auto",
    plots: Plots = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Show how far rankings of your runs agree, if you rank them by other measures or other judgments.

    Use it to see whether another measure, or a shallower pool, would have ranked them differently. You need two runs or
    more.

    Parameters
    ----------
    measures : measures or their names, optional
        The measures by which to rank the runs. By default, these are AP, nDCG, Rprec, Bpref, R@100, nDCG@10, P@10,
        RBP(p=0.8) and RR.
    qrels_also : {name: qrels}, or list of paths, optional
        Other judgments, such as the judgments of a second person. The runs are also ranked by these.
    depths : sequence of int
        Depths of smaller pools, such as ``(5, 10)``. The runs are also ranked by the judgments in each of these pools.
        A pool of depth 10 has the judged documents that are in the first 10 ranks of some run. Pass 0 if you want no
        smaller pools.

    Returns
    -------
    Result
        ``rows`` has a row for every two rankings by the same measure, or by the same judgments.
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
            raise UntiedError(f"other judgments cannot be named {name!r}")
        held: Any = source
        also[name] = inputs.read_qrels(name, held, qrels_format, option="--qrels-also")
    return conduct(Agreement(inputs, settings, also), directory, plots=plots, restart=restart)
