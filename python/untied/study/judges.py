"""How far a machine's judgments narrow intervals from few human ones, and whether these still hold the truth.

The human judgments of all queries are known, so the truth is known. Samples of queries are drawn as if people had
judged only these. Each sample gives intervals from the human judgments alone, from both by
`untied.statistics.estimate_mean`, and from both by PPI++ as published (Angelopoulos, Duchi & Zrnic 2023).
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from math import fsum, isnan, nan, sqrt
from random import Random

from untied._core import show_id
from untied.errors import UntiedError, check_count
from untied.evaluation.runs import Evaluator
from untied.inputs import mismatch
from untied.inputs.convert import named_sources
from untied.measures import as_measures
from untied.results.table import tidy
from untied.statistics.judged_runs import complete, of_subject, values_by_run
from untied.statistics.judges import LEAST
from untied.statistics.strata import LEAST_OF_STRATUM, allocate
from untied.statistics.values import mean_of, scale_of
from untied.study import judges_summary
from untied.study.conduct import conduct
from untied.study.frame import DIGITS, Study, documented
from untied.study.inputs import Inputs
from untied.study.judges_intervals import ROUNDING, Intervals, both, plug_in, stratified
from untied.study.judges_machines import MACHINES, Seen, labels
from untied.study.rankings import first_documents
from untied.study.rows import gathered, mean, whole, whole_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, ClassVar

    from untied._core import Qrels, Run
    from untied._literals import QrelsFormat
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.results.evaluation import Results
    from untied.results.table import Table
    from untied.statistics.judged_runs import Subject
    from untied.study.conduct import Plots, Result
    from untied.study.plots import Figure
    from untied.study.rows import Part, Row

    #: Values of queries by measure and by run or pair of runs.
    Cells = dict[tuple[str, Subject], list[float]]

MEASURES = ("P@10", "AP", "nDCG@10", "RR")
#: How many queries people judge, where there are more.
JUDGED = (10, 25, 50)
DEPTH = 100
SAMPLES = 2000
#: Samples of a part. A simulated machine labels all documents anew for each part.
BATCH = 500
#: Where intervals come from.
PEOPLE, BOTH, STRATA, PLUG_IN = "people alone", "with machine", "with machine, strata", "PPI++"


class Judges(Study):
    """Samples of queries, with every machine."""

    name = "judges"
    title = "How far a machine's judgments narrow the intervals from few human ones"
    columns: ClassVar[Mapping[str, str]] = {
        "machine": "the machine that judged all queries",
        "judged": "number of queries that people judged",
        "of": "what is estimated: means of runs, or differences of two runs",
        "method": (
            f"where intervals come from: {PEOPLE}; {BOTH} (estimate_mean); {STRATA} (estimate_strata, each "
            f"stratum with its share of the sample); {PLUG_IN} (the slope from the same queries, a normal quantile)"
        ),
        "estimates": "number of means or differences, over all measures",
        "measure": "the measure",
        "run_a": "the run",
        "run_b": "the run that is subtracted; empty for a mean",
        "samples": "samples of queries that were drawn for each estimate",
        "truth": "the mean over all queries, from the human judgments",
        "coverage": "share of the 95 % intervals that hold the truth",
        "lowest": "the lowest such share of a single estimate",
        "half": "mean of half the width of the interval",
        "width": f"width of intervals, relative to {PEOPLE}",
        "bias": "mean error of the estimate; in the main table, the largest of a single estimate, up or down",
        "error": "root mean square error of the estimate; in the main table, relative to that of people alone",
    }

    #: PPI++, in whose place a benchmark puts that of another package.
    plug_in = staticmethod(plug_in)

    def __init__(self, inputs: Inputs, settings: dict[str, Any], machines: Mapping[str, Qrels]) -> None:
        super().__init__(inputs, settings)
        #: Machines whose judgments were given. Others are simulated.
        self._given = machines
        self._machines = [*settings["machines"], *machines]
        names = list(inputs.runs)
        self._subjects: list[Subject] = [(name, None) for name in names]
        self._subjects += pairwise(names)

    @staticmethod
    def add_options(add: Callable[..., object]) -> None:
        """Add the study's options to the command line."""
        add("-m", "--measure", metavar="MEASURE", action="append", dest="measures",
            help=f"estimate MEASURE (repeatable; default: {', '.join(MEASURES)})")  # fmt: skip
        add("--machine", metavar="MACHINE", action="append", dest="machines",
            help="let MACHINE judge all queries: a file with its judgments, or a simulated machine (repeatable; "
            f"default: {', '.join(MACHINES)})")  # fmt: skip
        add("--judged", metavar="N,N,...", type=whole_numbers,
            help="let people judge N queries (default: those of "
            f"{', '.join(map(str, JUDGED))} that are fewer than all)")  # fmt: skip
        add("--samples", metavar="N", type=int, default=SAMPLES,
            help=f"draw N samples of queries for each machine (default: {SAMPLES})")  # fmt: skip
        add("--asked", metavar="N", type=int,
            help="first draw N queries with replacement, and estimate the mean over all that could be drawn (default: "
            "estimate the mean over the queries of QRELS)")  # fmt: skip
        add("--strata", metavar="N", type=int,
            help="also draw samples from N strata of queries, by the machine's scores")  # fmt: skip
        add("--depth", metavar="N", type=int, default=DEPTH,
            help=f"evaluate only the first N documents of each ranking (default: {DEPTH})")  # fmt: skip

    def apart(self) -> list[dict[str, str | None]]:
        """Say for each run why it has nothing in common with the judgments, human and machine."""
        threads = self.inputs.threads
        return [
            *super().apart(),
            *(
                {name: mismatch.of_inputs(qrels, run, threads) for name, run in self.inputs.runs.items()}
                for qrels in self._given.values()
            ),
        ]

    @cached_property
    def _queries(self) -> list[str]:
        return list(self.inputs.qrels.queries())

    @cached_property
    def _runs(self) -> dict[str, Run]:
        """Return the first documents of each ranking."""
        depth = self.settings["depth"]
        return {name: first_documents(run, self._queries, depth) for name, run in self.inputs.runs.items()}

    @cached_property
    def _seen(self) -> dict[str, dict[str, Seen]]:
        """Return what a simulated machine labels: the first documents of all rankings, by query."""
        ranks = {
            name: {query: {doc: rank for rank, (doc, _) in enumerate(run[query], 1)} for query in run.queries()}
            for name, run in self._runs.items()
        }
        seen = {}
        for query in self._queries:
            of_runs = [of_run.get(query, {}) for of_run in ranks.values()]
            documents = sorted({document for of_run in of_runs for document in of_run})
            best = [
                {doc: min((one[doc] for one in some if doc in one), default=None) for doc in documents}
                for some in (of_runs, of_runs[:2])
            ]
            grades = self.inputs.qrels[query]
            seen[query] = {
                doc: Seen(max(grades.get(doc, 0.0), 0.0), best[0][doc] or 1, best[1][doc]) for doc in documents
            }
        return seen

    @cached_property
    def _human(self) -> Cells:
        cells = self._values(self.inputs.qrels)
        for (measure, _), values in cells.items():
            for query, value in zip(self._queries, values, strict=True):
                if isnan(value):
                    raise UntiedError(
                        f"the human judgments give query {show_id(query)} no value of {measure}, so its mean cannot "
                        "be estimated"
                    )
        return cells

    def _values(self, qrels: Any, *, fill: bool = False) -> Cells:
        """Return the values of all queries, with the mean of the others where the machine gives none."""
        results: Results = Evaluator(qrels, self.settings["measures"], threads=self.inputs.threads).evaluate(self._runs)
        cells: Cells = {}
        for measure in results._measures:
            by_run = values_by_run(results, measure)
            for subject in self._subjects:
                values = of_subject(by_run, subject)
                if fill:
                    values = complete(values, self._queries)
                cells[str(measure), subject] = [values[query] for query in self._queries]
        return cells

    def parts(self) -> Sequence[Part]:
        """Return a part for each machine and batch of samples."""
        return [
            (machine, batch) for machine in self._machines for batch in range(-(-self.settings["samples"] // BATCH))
        ]

    def compute(self, *part: Any) -> list[Row]:
        """Return sums over a batch of samples: intervals that hold the truth, their widths, and errors."""
        machine, batch = part
        seed = f"{self.settings['seed']} {machine} {batch}"
        given = self._given.get(machine)
        by_machine = self._values(self._labels(machine, seed) if given is None else given, fill=True)
        count = min(BATCH, self.settings["samples"] - batch * BATCH)
        rows: list[Row] = []
        for judged in self.settings["judged"]:
            chance = Random(f"{seed} {judged}")
            rows += self._sampled(judged, count, by_machine, chance)
        return rows

    def _labels(self, machine: str, seed: str) -> dict[str, dict[str, float]]:
        return {query: labels(machine, documents, Random(f"{seed} {query}")) for query, documents in self._seen.items()}

    def _sampled(self, judged: int, count: int, by_machine: Cells, chance: Random) -> Iterator[Row]:
        """Draw samples, and sum up their intervals for every measure, run and pair of runs."""
        import numpy as np

        every, asked = range(len(self._queries)), self.settings["asked"]
        these = not asked
        # One row of all queries, or for each sample the queries that are drawn for it.
        places = np.array([chance.choices(every, k=asked) for _ in range(count)] if asked else [every])
        drawn = np.array([chance.sample(range(places.shape[1]), judged) for _ in range(count)])
        judged_places = np.take_along_axis(np.broadcast_to(places, (count, places.shape[1])), drawn, 1)
        for (measure, subject), values in self._human.items():
            human, machine = np.array(values), np.array(by_machine[measure, subject])
            arrays = human[judged_places], machine[judged_places], machine[places]
            alone, with_machine = both(*arrays, these=these)
            intervals = {PEOPLE: alone, BOTH: with_machine, PLUG_IN: self.plug_in(*arrays, these=these)}
            if self.settings["strata"]:
                of_asked = [
                    self._of_strata(judged, human[row], machine[row], count // len(places), chance) for row in places
                ]
                intervals[STRATA] = Intervals(*map(np.concatenate, zip(*of_asked, strict=True)))
            truth = mean_of(values)
            for method, (middle, half) in intervals.items():
                errors = middle - truth
                covered = int((abs(errors) - half <= ROUNDING).sum())
                sums = (round(float(one.sum()), DIGITS) for one in (half, errors, errors * errors))
                yield (measure, subject[0], subject[1] or "", judged, method, count, truth, covered, *sums)

    def _of_strata(self, judged: int, human: Any, machine: Any, count: int, chance: Random) -> Intervals:
        """Draw samples from the strata of queries with these values, and return their intervals."""
        import numpy as np

        by_query = dict(enumerate(machine.tolist()))
        strata = strata_of(by_query, self.settings["strata"])
        # Values that are all equal give each stratum its share by size.
        numbers: Any = allocate(dict.fromkeys(by_query, 0.0), strata, judged)
        samples = []
        for stratum, inside in gathered((stratum, query) for query, stratum in strata.items()).items():
            drawn = np.array([chance.sample(inside, numbers[stratum]) for _ in range(count)])
            samples.append((human[drawn], machine[drawn], machine[inside][None]))
        return stratified(samples, these=not self.settings["asked"])

    def tables(self, rows_by_part: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Return the tables of machines and of single estimates."""
        sums = gathered(
            ((machine, measure, a, b, judged, method), numbers)
            for (machine, _), rows in rows_by_part.items()
            for measure, a, b, judged, method, *numbers in rows
        )
        cells = {key: _summed(numbers) for key, numbers in sums.items()}
        estimates, overall = [], []
        for key, (samples, truth, coverage, half, bias, error) in cells.items():
            machine, _, _, other, judged, method = key
            alone = cells[(*key[:-1], PEOPLE)]
            width, relative = (one / others if others else nan for one, others in ((half, alone[3]), (error, alone[5])))
            estimates.append((*key, samples, truth, coverage, half, width, bias, error))
            of = "differences" if other else "means"
            overall.append(((machine, judged, of, method), (samples, coverage, width, bias, relative)))
        rows = []
        for group, mine in gathered(overall).items():
            (count, *_), covered, widths, biases, errors = zip(*mine, strict=True)
            rows.append((*group, len(mine), count, mean(covered), min(covered), _defined_mean(widths),
                         _defined_mean(errors), max(map(abs, biases))))  # fmt: skip
        return {
            self.name: tidy("machine judged of method", "estimates samples coverage lowest width error bias", rows),
            f"{self.name}-estimates": tidy(
                "machine measure run_a run_b judged method", "samples truth coverage half width bias error", estimates
            ),
        }

    def summary(self, tables: Mapping[str, Table]) -> Iterator[str | Figure]:
        """Return how samples were drawn, and sections on differences and means."""
        return judges_summary.pieces(tables[self.name], self.settings, len(self._queries))


def _summed(rows: Sequence[Sequence[Any]]) -> Row:
    """Return the number of samples, the truth, and means over samples, from the sums of several parts."""
    counts, truths, *sums = zip(*rows, strict=True)
    samples = sum(counts)
    covered, half, error, square = (fsum(one) / samples for one in sums)
    return samples, truths[0], covered, half, error, sqrt(square)


def _defined_mean(values: Iterable[float]) -> float:
    return mean(value for value in values if not isnan(value))


def strata_of(machine: Mapping[int, float], count: int) -> dict[int, int]:
    """Return strata of equal sizes: first the queries with the machine's lowest values, and so on."""
    ordered = sorted(machine, key=lambda query: (machine[query], query))
    return {query: place * count // len(ordered) for place, query in enumerate(ordered)}


@documented
def judges(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    machines: Mapping[str, QrelsLike] | Iterable[str | os.PathLike[str]] | None = None,
    judged: Sequence[int] | None = None,
    samples: int = SAMPLES,
    asked: int | None = None,
    strata: int | None = None,
    depth: int = DEPTH,
    seed: int = 0,
    qrels_format: QrelsFormat = "auto",
    plots: Plots = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """See how far a machine's judgments narrow the intervals that few human judgments give.

    Use it if people judged all queries once, and you want to know how few will do beside a machine: the study draws
    samples of these queries, estimates the mean over all from each sample, and counts how many intervals hold it. It
    needs judgments of more than ten queries. Runs are estimated one by one, and as differences of each run and the
    next.

    Parameters
    ----------
    measures : measures or their names, optional
        What to estimate. By default, these are P@10, AP, nDCG@10 and RR.
    machines : {name: qrels}, or list of paths or names, optional
        Judgments by machines, of all queries. A machine may also be simulated, with the human judgments and errors:
        ``good``, ``llm``, ``generous``, ``top-ranks``, ``family``, ``useless`` or ``inverted``. By default, it's all of
        these.
    judged : sequence of int, optional
        How many queries people judge, from 5 to one less than there are. By default, those of 10, 25 and 50 that are
        fewer than all.
    samples : int
        How many samples to draw for each machine and number of queries.
    asked : int, optional
        How many queries to draw first, with replacement. Estimates are then of the mean over all queries that could be
        drawn. By default, no queries are drawn, and estimates are of the mean over the queries of `qrels`.
    strata : int, optional
        The number of strata, if samples are also to be drawn from strata of queries. Strata are ranges of the machine's
        values, of equal sizes, and each has the same share of the sample.
    depth : int
        How many documents of each ranking to evaluate; the others are ignored. Simulated machines label these.
    seed : int
        Seed of the samples and of simulated machines.

    Returns
    -------
    Result
        ``rows`` has a row for each machine, number of judged queries, kind of estimate and method.

    References
    ----------
    Angelopoulos, Duchi & Zrnic 2023, PPI++: Efficient Prediction-Powered Inference, arXiv 2311.01453.
    """
    parsed = as_measures(MEASURES if measures is None else measures)
    for measure in parsed:
        if scale_of(measure) != "mean":
            raise UntiedError(f"{measure} is no mean over queries, so it cannot be estimated from some of them")
    inputs = Inputs(qrels, runs, qrels_format=qrels_format, threads=threads)
    simulated, given = _machines(inputs, machines)
    queries = len(inputs.qrels) if asked is None else check_count("asked", asked)
    sizes = _sizes(judged, queries)
    if strata is not None and check_count("strata", strata) * LEAST_OF_STRATUM > min(sizes):
        raise UntiedError(f"{strata} strata need {strata * LEAST_OF_STRATUM} judged queries or more, not {min(sizes)}")
    settings = {
        "measures": [str(measure) for measure in parsed],
        "machines": simulated,
        "judged": sizes,
        "samples": check_count("samples", samples),
        "asked": asked,
        "strata": strata,
        "depth": whole("depth", depth, 1),
        "seed": whole("seed", seed),
    }
    return conduct(Judges(inputs, settings, given), directory, plots=plots, restart=restart)


def _machines(inputs: Inputs, machines: Any) -> tuple[list[str], dict[str, Qrels]]:
    """Return the names of simulated machines, and the judgments of others."""
    if machines is None:
        return list(MACHINES), {}
    others: Any = machines
    if not hasattr(machines, "items"):
        listed = list(machines)
        simulated = [name for name in listed if isinstance(name, str) and name in MACHINES]
        others = [one for one in listed if one not in simulated]
    else:
        simulated = []
    sources: Any = named_sources(others) if others else ()
    given = {name: inputs.read_qrels(name, source, inputs.qrels_format, option="--machine") for name, source in sources}
    if clash := sorted(MACHINES.keys() & given.keys()):
        raise UntiedError(f"a machine cannot be named {clash[0]!r}, which is the name of a simulated one")
    if not simulated and not given:
        raise UntiedError("the study needs a machine")
    return list(dict.fromkeys(simulated)), given


def _sizes(judged: Sequence[int] | None, queries: int) -> list[int]:
    """Return how many queries people judge."""
    if judged is None:
        sizes = [size for size in JUDGED if size < queries]
        if not sizes:
            raise UntiedError(
                f"the study needs more than {JUDGED[0]} judged queries, found {queries}; or let people judge fewer "
                "with --judged (judged=)"
            )
        return sizes
    sizes = sorted({whole("judged", size) for size in judged})
    for size in sizes:
        if not LEAST <= size < queries:
            raise UntiedError(f"judged must be from {LEAST} to {queries - 1}, one less than all queries, not {size}")
    if not sizes:
        raise UntiedError("judged needs a number of queries")
    return sizes
