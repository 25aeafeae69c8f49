"""Maximized effectiveness difference of runs: groups, judgments, measures, parameters, a map (Tan & Clarke 2015).

The distance of two runs is the mean over queries of MED, the largest difference that judgments could show in a measure
S. The study compares MED with actual differences, with all judgments:

    difference      | mean_q S(A, q) - mean_q S(B, q) |, S as in `evaluate`
    per_query       mean_q | S(A, q) - S(B, q) |
    scaled          mean_q | Delta(S)(A, B, q) |, S normalised as in MED
"""

from __future__ import annotations

import math
from itertools import combinations

from untied.comparison.correlation import kendall
from untied.comparison.measures import as_comparing
from untied.comparison.runs import compare_all
from untied.evaluation.runs import Evaluator
from untied.inputs import mismatch
from untied.judging import sample
from untied.policies import PolicyOption
from untied.progress import each
from untied.results.scaling import places
from untied.results.table import tidy
from untied.study import med_summary
from untied.study.frame import DIGITS, SEEDS, Study
from untied.study.inputs import Inputs
from untied.study.med_names import AMONG, DIFFERENCES, Distances, add_groups, distance
from untied.study.notes import of_compared_queries, of_filled
from untied.study.rows import linear, mean, numbers, whole_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, ClassVar

    from untied._literals import TiesOfPairs
    from untied.comparison.several import Comparisons
    from untied.results.table import Table
    from untied.study.plots import Figure
    from untied.study.rows import Part, Row

MEASURE = "nDCG@20"
DISTANCES = ("MED(RBP(p=0.9))", "MED(AP@100)", "MED(ERR(max_grade={grade})@30)", "RBO(p=0.9)")
RATES = (0.25, 0.75, 1.0)
PSI = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
CUTOFFS = (5, 20, 100)
#: One order of tied documents, as in the paper.
TIES: TiesOfPairs = "docid"


class Med(Study):
    """The study that computes distances of all pairs of runs, one measure after the other."""

    name = "med"
    needs = ("distances between runs need", 3)
    title = "How well MED agrees with actual differences and with other distances, within and between groups of runs"
    columns: ClassVar[Mapping[str, str]] = {
        "run_a": "one run",
        "run_b": "the other run",
        "group": "the group of the run, or of both runs; empty if the runs are from different groups",
        "measure": "the measure that the distance is made from: its mean over queries; 1 minus the mean of a "
        "similarity; the absolute mean of a signed difference (Delta). If a measure depends on the order of the two "
        "runs, run_a comes first",
        "judged": "share of the judgments that are known",
        "value": "the distance",
        "open": "how much larger the distance may be if a search ended early, or if rankings could continue",
        "difference": "difference between the means of the two runs over queries, with all judgments",
        "per_query": "mean over queries of the absolute differences, with all judgments",
        "scaled": "like per_query, but with MED's divisor (nDCG: the highest grade at all ranks; AP: the cutoff)",
        "to": "what the distance is correlated with: another distance, difference, per_query or scaled",
        "among": "which pairs of runs: all (all), of the same group (same) or of different groups (other)",
        "pairs": "number of pairs of runs",
        "pearson": "linear correlation",
        "kendall": "Kendall's tau_b",
        "run": "the run",
        "x": "horizontal position on the map",
        "y": "vertical position on the map",
        "mean": "mean of the first measure over queries",
    }

    def __init__(self, inputs: Inputs, settings: dict[str, Any], groups: Mapping[str, str]) -> None:
        super().__init__(inputs, settings)
        self.groups = groups
        self.distances = Distances.of(settings, inputs.qrels.grades())

    def apart(self) -> list[dict[str, str | None]]:
        """Return the runs without documents in common with the judgments, or with other runs."""
        return [*super().apart(), mismatch.of_runs(self.inputs.runs, self.inputs.threads)]

    def notes(self) -> list[str]:
        """Return notes on queries that are not in all inputs, and on rankings that MED fills up."""
        filled = of_filled(self.inputs.runs, map(as_comparing, self.distances.all))
        return [*super().notes(), *of_compared_queries(self.inputs), *filled]

    @staticmethod
    def add_options(add: Callable[..., object]) -> None:
        """Add the study's options to the command line."""
        add("-m", "--measure", metavar="MEASURE", default=MEASURE,
            help=f"study MED of MEASURE, and compare other distances with it (default: {MEASURE})")  # fmt: skip
        listed = ", ".join(one.replace("{grade}", "HIGHEST") for one in DISTANCES)
        add("--distance", metavar="MEASURE", action="append", dest="distances",
            help=f"also compute the distance MEASURE (repeatable; default: {listed})")  # fmt: skip
        add("--rates", metavar="R,R,...", type=numbers, default=RATES,
            help="compute MED with these shares of the judgments, besides 0 (default: 0.25,0.75,1)")  # fmt: skip
        add("--psi", metavar="P,P,...", type=numbers, default=PSI,
            help=f"also compute RBO and MED of RBP with these values of the persistence (default: "
            f"{','.join(map(str, PSI))})")  # fmt: skip
        add("--cutoffs", metavar="K,K,...", type=whole_numbers, default=CUTOFFS,
            help="also compute MED of nDCG and ERR with these cutoffs (default: 5,20,100)")  # fmt: skip
        add_groups(add)
        ties = PolicyOption("pairs", "ties")
        add("--ties", metavar=ties.placeholder, default=TIES, type=ties.read, help=ties.help(TIES))

    def parts(self) -> Sequence[Part]:
        """Return the parts: distances without judgments, distances with shares of them, and the differences."""
        rates = [rate for rate in self.settings["rates"] if rate > 0]
        return [
            ("differences", 0),
            *((name, 0) for name in self.distances.unjudged),
            *((name, rate) for name in self.distances.judged for rate in rates),
        ]

    def compute(self, *part: Any) -> list[Row]:
        """Return a row for each pair of runs."""
        name, rate = part
        if name == "differences":
            return self._differences()
        if rate in (0, 1):
            return self._distances(name, self.inputs.qrels if rate else None)
        drawn = sample.judgments(self.inputs.qrels, rate, seed=self.settings["seed"] * SEEDS)
        # Not being judged is all that MED has to know of a document that was not sampled.
        known = {query: {doc: grade for doc, grade in of.items() if grade >= 0} for query, of in drawn.items()}
        return self._distances(name, known)

    def _compare(self, name: str, qrels: Any) -> Comparisons:
        ties, threads = self.settings["ties"], self.inputs.threads
        return compare_all(self.inputs.runs, name, qrels=qrels, ties=ties, itself=False, threads=threads)

    def _distances(self, name: str, qrels: Any) -> list[Row]:
        means = self._compare(name, qrels).means
        rows = zip(*(means[column] for column in ("run_a", "run_b", "value", "low", "high")), strict=True)
        # Only the interval of a search for MED says what is open; other intervals are over tie orders or grades.
        is_med = name.startswith("MED(")
        return [(a, b, distance(name, value), high - low if is_med else 0.0) for a, b, value, low, high in rows]

    def _differences(self) -> list[Row]:
        measure, threads = self.settings["measure"], self.inputs.threads
        evaluator = Evaluator(self.inputs.qrels, [measure], ties=self.settings["ties"], threads=threads)
        results = evaluator.evaluate(self.inputs.runs)
        values = {run: [results.value(measure, query, run).mean for query in results.queries] for run in results.runs}
        means = {run: results.value(measure, run=run).mean for run in results.runs}
        compared = self._compare(self.distances.delta, self.inputs.qrels)
        rows: list[Row] = [(run, "", value, 0.0, 0.0) for run, value in means.items()]
        for a, b in each(compared.pairs, "pair"):
            per_query = mean(abs(x - y) for x, y in zip(values[a], values[b], strict=True))
            scaled = mean(abs(value) for value in compared[a, b].per_query["value"] if not math.isnan(value))
            rows.append((a, b, abs(means[a] - means[b]), per_query, scaled))
        return rows

    def tables(self, rows_by_part: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Return tables of distances, differences and correlations, and one for the map."""
        group, main = self._group, self.distances.main
        by_distance = {
            (name, float(rate)): rows for (name, rate), rows in rows_by_part.items() if name != "differences"
        }
        there_are = [row for row in rows_by_part["differences", 0] if row[1]]
        values = {key: [value for *_, value, _ in rows] for key, rows in by_distance.items()}
        values |= {(name, 1.0): [row[2 + number] for row in there_are] for number, name in enumerate(DIFFERENCES)}
        same = [bool(group(a, b)) for a, b, *_ in there_are]
        correlated = [
            (one[0], to[0], among, one[1], *_correlation(values[one], values[to], same, among))
            for one, to in self._correlated()
            for among in AMONG
        ]
        of_runs = {run: value for run, other, value, *_ in rows_by_part["differences", 0] if not other}
        tables = {
            "": tidy(
                "run_a run_b group measure",
                "judged value open",
                ((a, b, group(a, b), *key, *row) for key, rows in by_distance.items() for a, b, *row in rows),
            ),
            "-differences": tidy(
                "run_a run_b group", " ".join(DIFFERENCES), ((a, b, group(a, b), *row) for a, b, *row in there_are)
            ),
            "-correlations": tidy("measure to among", "judged pairs pearson kendall", correlated),
            "-map": tidy(
                "run group",
                "x y mean",
                ((run, self.groups[run], *at, of_runs[run]) for run, at in self._map(by_distance[main, 0.0]).items()),
            ),
        }
        return {f"{self.name}{name}": table for name, table in tables.items()}

    def _correlated(self) -> list[tuple[tuple[str, float], tuple[str, float]]]:
        """The correlations between distances and differences."""
        main, swept = self.distances.main, self.distances.swept
        rates = [0.0, *(rate for rate in self.settings["rates"] if rate > 0)]
        pairs = [((main, rate), (name, 1.0)) for rate in rates for name in DIFFERENCES]
        pairs += [
            ((one, rate), (name, 1.0)) for one in self.distances.expected for rate in rates[1:] for name in DIFFERENCES
        ]
        pairs += [((one, 0.0), (name, 1.0)) for one in self.distances.listed for name in DIFFERENCES]
        pairs += [((one, 0.0), (other, 0.0)) for one, other in combinations(self.distances.listed, 2)]
        pairs += [((name, 0.0), (main, 0.0)) for name in swept.values() if name != main]
        pairs += [((swept["RBO", psi], 0.0), (swept["MED-RBP", psi], 0.0)) for psi in self.settings["psi"]]
        return list(dict.fromkeys(pairs))

    def _group(self, a: str, b: str) -> str:
        return self.groups[a] if self.groups[a] == self.groups[b] else ""

    def _map(self, rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
        numbers = {run: number for number, run in enumerate(self.inputs.runs)}
        square = [[0.0] * len(numbers) for _ in numbers]
        for a, b, value, _ in rows:
            square[numbers[a]][numbers[b]] = square[numbers[b]][numbers[a]] = value
        return dict(zip(numbers, places(square), strict=True))

    def summary(self, tables: Mapping[str, Table]) -> Iterator[str | Figure]:
        """Return the summary's sections on groups, judgments, measures and parameters."""
        return med_summary.pieces(tables, self.name, self.distances, self.settings["ties"])


def _correlation(
    one: Sequence[float], other: Sequence[float], same: Sequence[bool], among: str
) -> tuple[int, float, float]:
    """Return the number of pairs, and their linear and rank correlation."""
    kept = [
        (round(x, DIGITS), round(y, DIGITS))
        for x, y, of in zip(one, other, same, strict=True)
        if among == "all" or of is (among == "same")
    ]
    if len(kept) < 2:
        return len(kept), math.nan, math.nan
    x, y = zip(*kept, strict=True)
    return len(kept), linear(x, y), kendall(dict(enumerate(x)), dict(enumerate(y)), variant="b").mean
