"""Judging until decided: how many judgments it takes until it is certain which of two runs is better.

All judgments are hidden and then revealed in the order of a strategy, until `untied.certify` decides.
"""

from __future__ import annotations

import random
from itertools import combinations

from untied.errors import UntiedError
from untied.inputs.convert import as_qrels, as_run
from untied.judging.next import judge_next
from untied.judging.sample import ranked
from untied.measures import as_measures
from untied.results.table import tidy
from untied.study import judging_summary
from untied.study.conduct import conduct
from untied.study.frame import SEEDS, Study, documented
from untied.study.inputs import Inputs
from untied.study.rows import whole
from untied.verdicts.runs import certify

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, ClassVar

    from untied._literals import QrelsFormat
    from untied.inputs.convert import QrelsLike, Runs
    from untied.judging.next import Candidate
    from untied.measures import MeasureLike
    from untied.results.table import Table
    from untied.study.conduct import Plots, Result
    from untied.study.plots import Figure
    from untied.study.rows import Part, Row

MEASURES = ("P@10", "nDCG@10")
#: Strategies: those that learn from verdicts first.
STRATEGIES = {
    "until decided": "judge-next with until_decided",
    "swing": "judge-next for two runs",
    "move to front": "the run whose last judged document was relevant (Cormack et al. 1998)",
    "pooling": "rank by rank",
    "random": "in random order",
    "foresight": "judgments that help the better run, those with the largest swing first",
}
#: A query that both runs lack, which tells the grades that documents can have.
SCALE = "\0 grades"

#: Documents by query, and judgments in the order in which they are made.
Rankings = dict[str, list[str]]
Order = list[tuple[str, str]]


class Judging(Study):
    """The study that judges pairs of runs, by every strategy, until the verdict of a measure is decided."""

    name = "judging"
    title = "How many judgments you need to be certain which of two runs is better"
    needs = ("a pair of runs needs", 2)
    columns: ClassVar[Mapping[str, str]] = {
        "measure": "the measure",
        "run_a": "one run",
        "run_b": "the other run",
        "strategy": "the order of judgments",
        "judgments": "number of judgments that decide the verdict; empty if even all judgments do not decide it",
        "documents": "documents of both runs that can be judged",
        "pairs": "pairs of runs",
        "decided": "pairs of runs that the judgments decide",
        "median": "median of the number of judgments over decided pairs",
        "share": "share of the documents that are judged when the verdict is decided (mean over decided pairs)",
        "fewest": "pairs for which no other strategy, except foresight, needs fewer judgments",
    }

    @staticmethod
    def add_options(add: Callable[..., object]) -> None:
        """Add the study's options to the command line."""
        add("-m", "--measure", metavar="MEASURE", action="append", dest="measures",
            help=f"compare runs by MEASURE (repeatable; default: {', '.join(MEASURES)})")  # fmt: skip
        add("--pairs", metavar="N", type=int, default=30, help="draw N random pairs of runs (default: 30)")
        add(
            "--depth", metavar="K", type=int, default=10, help="use the first K documents of each ranking (default: 10)"
        )
        add(
            "--batch",
            metavar="N",
            type=int,
            default=10,
            help="judge N documents from untied judge-next at a time (default: 10)",
        )

    def parts(self) -> Sequence[Part]:
        """Return a part for each measure and pair of runs."""
        pairs = list(combinations(self.inputs.runs, 2))
        chosen = random.Random(self.settings["seed"]).sample(pairs, min(len(pairs), self.settings["pairs"]))
        return [(measure, *pair) for measure in self.settings["measures"] for pair in chosen]

    def compute(self, *part: Any) -> list[Row]:
        """Return a row for each strategy, about one pair of runs by one measure."""
        measure, *names = part
        qrels, depth = self.inputs.qrels, self.settings["depth"]
        runs = {
            name: {query: ranked(self.inputs.runs[name], query)[:depth] for query in qrels.queries()} for name in names
        }
        number = list(combinations(self.inputs.runs, 2)).index((names[0], names[1]))
        chance = random.Random(self.settings["seed"] * SEEDS + number)
        state = _PairState({query: dict(qrels[query]) for query in qrels.queries()}, runs, measure, self.inputs.threads)
        orders = {
            "move to front": state.move_to_front(chance),
            "pooling": state.pooling(chance),
            "random": chance.sample(state.documents, len(state.documents)),
        }
        if not state.is_decided(state.documents):
            return [(*part, strategy, None, len(state.documents)) for strategy in STRATEGIES]
        orders["foresight"] = state.foresight()
        batch = self.settings["batch"]
        needed = {
            "until decided": state.by_advice(batch, until_decided=True),
            "swing": state.by_advice(batch, until_decided=False),
            **{strategy: state.needed(order) for strategy, order in orders.items()},
        }
        return [(*part, strategy, needed[strategy], len(state.documents)) for strategy in STRATEGIES]

    def tables(self, rows_by_part: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Return a table of all pairs, and one of strategies by measure."""
        rows = [row for of_part in rows_by_part.values() for row in of_part]
        keys = "measure run_a run_b strategy"
        return {
            self.name: tidy(keys, "judgments documents", rows),
            f"{self.name}-strategies": tidy(
                "measure strategy", "pairs decided median share fewest", judging_summary.strategies(rows)
            ),
        }

    def summary(self, tables: Mapping[str, Table]) -> Iterator[str | Figure]:
        """Return the summary: what was hoped for, what came out, and the plot."""
        return judging_summary.pieces(tables, self.name, self.settings)


class _PairState:
    """Two runs, and judgments of their documents that are revealed one by one."""

    def __init__(
        self, truth: dict[str, dict[str, float]], runs: dict[str, Rankings], measure: str, threads: int | None
    ) -> None:
        self._truth, self._measure, self._threads = truth, measure, threads
        self._rankings = list(runs.values())
        self._runs = {name: as_run(run, threads) for name, run in runs.items()}
        grades = {grade for judged in truth.values() for grade in judged.values() if grade >= 0}
        self._scale = {f"grade {grade:g}": grade for grade in grades | {0.0}}
        pooled = {query: dict.fromkeys(doc for of in self._rankings for doc in of[query]) for query in truth}
        #: All that can be judged.
        self.documents: Order = [(query, document) for query, of in pooled.items() for document in of]

    def grade(self, query: str, document: str) -> float:
        """Return the grade of a document. It is 0 outside the pool, and where nobody judged."""
        return max(0.0, self._truth[query].get(document, 0.0))

    def _judged(self, order: Order) -> Any:
        """Return qrels with these judgments. One more query has all grades, so that all are possible."""
        made: dict[str, dict[str, float]] = {query: {} for query in self._truth}
        for query, document in order:
            made[query][document] = self.grade(query, document)
        # Without a judgment a query would not count.
        filled = {query: of or {"\0 none": 0.0} for query, of in made.items()}
        return as_qrels({**filled, SCALE: self._scale}, self._threads)

    def is_decided(self, order: Order) -> bool:
        """Say whether these judgments decide which run is better."""
        verdicts = certify(self._judged(order), self._runs, self._measure, threads=self._threads)
        return verdicts.between(*self._runs).verdict != "open"

    def needed(self, order: Order) -> int:
        """Return how many judgments, in this order, decide the verdict. More judgments never reopen it."""
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.is_decided(order[:middle]) else (middle + 1, high)
        return low

    def by_advice(self, batch: int, *, until_decided: bool) -> int:
        """Return that number for the documents that `judge_next` names. It is asked again after every batch."""
        order: Order = []
        while not self.is_decided(order):
            advice = judge_next(
                self._judged(order), self._runs, self._measure, top=batch, until_decided=until_decided,
                threads=self._threads,
            )  # fmt: skip
            before = len(order)
            order += [(one.query, one.document) for one in advice.candidates if one.query != SCALE]
            if len(order) == before:
                raise UntiedError(f"{self._measure}: judge_next has no document, and the verdict is open")
        return self.needed(order)

    def foresight(self) -> Order:
        """Return the order of somebody who knows all grades. By P and Hits, no order needs fewer judgments."""
        everything = self._judged(self.documents)
        is_first = certify(everything, self._runs, self._measure).between(*self._runs).verdict == "A"
        advice = judge_next(self._judged([]), self._runs, self._measure, top=len(self.documents), threads=self._threads)

        def help_(one: Candidate) -> float:
            helps_first = (one.swing > 0) == (self.grade(one.query, one.document) > 0)
            return abs(one.swing) if helps_first == is_first else -abs(one.swing)

        return [(one.query, one.document) for one in sorted(advice.candidates, key=help_, reverse=True)]

    def pooling(self, chance: random.Random) -> Order:
        """Return the documents rank by rank, and run by run within a rank. Queries are in any order."""
        order: dict[tuple[str, str], None] = {}
        for rank in range(max(len(of) for ranking in self._rankings for of in ranking.values())):
            for query in chance.sample(list(self._truth), len(self._truth)):
                order |= {(query, of[query][rank]): None for of in self._rankings if rank < len(of[query])}
        return list(order)

    def move_to_front(self, chance: random.Random) -> Order:
        """Return an order that stays with a run as long as its documents are relevant. Queries take turns."""
        of_queries = [self._moved(query) for query in chance.sample(list(self._truth), len(self._truth))]
        order = []
        for turn in range(max(map(len, of_queries))):
            order += [of_query[turn] for of_query in of_queries if turn < len(of_query)]
        return order

    def _moved(self, query: str) -> Order:
        left = [list(of[query]) for of in self._rankings]
        priority = [0] * len(left)
        order: dict[tuple[str, str], None] = {}
        while any(left):
            run = max((run for run in range(len(left)) if left[run]), key=lambda run: (priority[run], -run))
            document = left[run].pop(0)
            if (query, document) not in order:
                order[query, document] = None
                priority[run] -= 0 if self.grade(query, document) > 0 else 1
        return list(order)


@documented
def judging(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    pairs: int = 30,
    depth: int = 10,
    batch: int = 10,
    seed: int = 0,
    qrels_format: QrelsFormat = "auto",
    plots: Plots = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Count the judgments that different strategies need until it is certain which of two runs is better.

    A strategy says which document to judge next. The study hides all judgments, and reveals each when the strategy asks
    for it. A document that the qrels do not judge counts as not relevant. You need two runs or more.

    Parameters
    ----------
    measures : measures or their names, optional
        The measures by which a run is better, such as ``["P@10"]``. Each is studied by itself. The default is P@10 and
        nDCG@10. `untied.certify` says which measures it supports.
    pairs : int
        How many pairs of runs to study. They are drawn at random from all pairs.
    depth : int
        How many documents of each ranking count. Documents below this rank are ignored. Tied documents are first put in
        descending order of their ids.
    batch : int
        How many documents are judged before a strategy asks `untied.judging.judge_next` for advice again. Only some
        strategies do. A smaller number takes longer.
    seed : int
        Seed of the random choices: the pairs of runs that are studied, and the order of the random strategy. The same
        seed gives the same result.

    Returns
    -------
    Result
        ``rows`` has a row for every measure, pair of runs and strategy.

    References
    ----------
    Cormack, Palmer & Clarke 1998, Efficient construction of large test collections, SIGIR; Carterette, Allan &
    Sitaraman 2006, Minimal test collections for retrieval evaluation, SIGIR.
    """
    settings = {
        "measures": list(map(str, as_measures(MEASURES if measures is None else measures))),
        "pairs": whole("pairs", pairs, 1),
        "depth": whole("depth", depth, 1),
        "batch": whole("batch", batch, 1),
        "seed": whole("seed", seed),
    }
    study = Judging(Inputs(qrels, runs, qrels_format=qrels_format, threads=threads), settings)
    return conduct(study, directory, plots=plots, restart=restart)
