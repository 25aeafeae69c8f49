"""Maximized effectiveness difference of runs: groups, judgments, measures, parameters, a map (Tan & Clarke 2015).

The distance of two runs is the mean over queries of MED, the largest difference that judgments could make in a measure
S. It is held against differences that there are, with all judgments:

    difference      | mean_q S(A, q) - mean_q S(B, q) |, S as `evaluate` has it
    per_query       mean_q | S(A, q) - S(B, q) |
    scaled          mean_q | Delta(S)(A, B, q) |, S normalised as MED has it
"""

from __future__ import annotations

import math
import os
from itertools import combinations

from untied import _core
from untied.compare.measures import as_comparing
from untied.compare.runs import compare_all
from untied.errors import UntiedError
from untied.evaluate.runs import Evaluator
from untied.inputs import overlap
from untied.judging import sample
from untied.measures import as_measure
from untied.policies import COMPARING, Policies
from untied.progress import each
from untied.results.scaling import places
from untied.study.frame import SEEDS, Figure, Study, conduct
from untied.study.inputs import Inputs
from untied.study.med_names import AMONG, DIFFERENCES, canonical, grouped, short
from untied.study.med_values import correlation_of, mean_of, sampled
from untied.study.notes import of_compared_queries, of_filled
from untied.study.rows import markdown, numbers, tidy, whole, whole_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, ClassVar

    from untied.compare.several import Comparisons
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.policies import QrelsFormat, TiesOfPairs
    from untied.results.table import Table
    from untied.study.frame import Result
    from untied.study.rows import Part, Row

MEASURE = "nDCG@20"
DISTANCES = ("MED(RBP(p=0.9))", "MED(AP@100)", "MED(ERR(max_grade={grade})@30)", "RBO(p=0.9)")
RATES = (25.0, 75.0, 100.0)
PSI = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
CUTOFFS = (5, 20, 100)
#: One order of tied documents, as in the paper.
TIES: TiesOfPairs = "docid"
PREFIX = 3


class Med(Study):
    """Distances of all pairs of runs, one measure after the other."""

    name = "med"
    title = "Distances of runs by MED against their groups, actual differences and other distances"
    columns: ClassVar[Mapping[str, str]] = {
        "run_a": "a run",
        "run_b": "another one",
        "group": "the group of a run, or of both runs; empty where they are of two",
        "measure": "the distance: a mean over queries; of a similarity 1 - its mean",
        "judged": "percent of the judgments that are known",
        "value": "the distance",
        "open": "how much more it may be where a search ended early, or documents beyond the end of rankings count",
        "difference": "difference of the means over queries of the two runs with all judgments",
        "per_query": "mean over queries of the differences with all judgments",
        "scaled": "the same, normalised as MED is: nDCG by the highest grade at all ranks, AP by its cutoff",
        "to": "what the distance is correlated with: another distance, or one of difference, per_query, scaled",
        "among": "which pairs of runs: all, those of the same group, or of two groups (other)",
        "pairs": "how many these are",
        "pearson": "linear correlation",
        "kendall": "Kendall's tau_b",
        "run": "the run",
        "x": "place on the map",
        "y": "place on the map",
        "mean": "mean of the first measure over queries",
    }

    def __init__(self, inputs: Inputs, settings: dict[str, Any], groups: Mapping[str, str]) -> None:
        if len(inputs.runs) < 3:
            raise UntiedError(f"distances between runs need at least 3 runs, found {len(inputs.runs)}")
        super().__init__(inputs, settings)
        self.groups = groups
        grade = max([1.0, *inputs.qrels.grades()])
        of = settings["measure"]
        #: The distance that all others are held against.
        self.main = canonical(f"MED({of}, max_grade={grade:g})")
        self.delta = f"Delta({of}, max_grade={grade:g})"
        self.distances = [
            self.main,
            *(canonical(one.replace("{grade}", f"{grade:g}")) for one in settings["distances"]),
        ]
        #: Parameters swept: what is swept, the number, the distance.
        self.swept = [("MED-RBP", psi, canonical(f"MED(RBP(p={psi}))")) for psi in settings["psi"]]
        self.swept += [("RBO", psi, canonical(f"RBO(p={psi})")) for psi in settings["psi"]]
        self.swept += [("MED-nDCG", k, canonical(f"MED(nDCG@{k}, max_grade={grade:g})")) for k in settings["cutoffs"]]
        self.swept += [("MED-ERR", k, canonical(f"MED(ERR(max_grade={grade:g})@{k})")) for k in settings["cutoffs"]]

    def apart(self) -> list[dict[str, str | None]]:
        """Runs without documents in common with the judgments, or with other runs."""
        return [*super().apart(), overlap.of_runs(self.inputs.runs, self.inputs.threads)]

    def notes(self) -> list[str]:
        """Queries that are not everywhere, and rankings that MED fills up."""
        names = [*self.distances, *(name for *_, name in self.swept)]
        return [
            *super().notes(),
            *of_compared_queries(self.inputs),
            *of_filled(self.inputs.runs, map(as_comparing, dict.fromkeys(names))),
        ]

    @staticmethod
    def add_options(add: Callable[..., argparse.Action]) -> None:
        """Add its options to the command line."""
        add("-m", "--measure", metavar="MEASURE", default=MEASURE,
            help=f"the measure S of MED(S), which all is held against (default: {MEASURE})")  # fmt: skip
        listed = ", ".join(one.replace("{grade}", "HIGHEST") for one in DISTANCES)
        add("--distance", metavar="MEASURE", action="append", dest="distances",
            help=f"another distance, as for compare, repeatable (default: {listed})")  # fmt: skip
        add("--rates", metavar="R,R,...", type=numbers, default=RATES,
            help="percent of the judgments that MED is told of (default: 25,75,100)")  # fmt: skip
        add("--psi", metavar="P,P,...", type=numbers, default=PSI,
            help=f"persistences of RBP and RBO (default: {','.join(map(str, PSI))})")  # fmt: skip
        add("--cutoffs", metavar="K,K,...", type=whole_numbers, default=CUTOFFS,
            help="cutoffs of nDCG and ERR (default: 5,20,100)")  # fmt: skip
        add("--groups", metavar="FILE", help="groups that runs are of: lines of a run's name and a group")
        add("--prefix", metavar="N", type=int, default=PREFIX,
            help=f"without --groups: letters with which all names of a group begin (default: {PREFIX})")  # fmt: skip
        add("--ties", metavar="POLICY", default=TIES, type=COMPARING["ties"].read, help=COMPARING["ties"].help(TIES))
        add("--passages", action="store_true",
            help="runs of passages and judged passages, as for compare --passages; compared by MED-U")  # fmt: skip
        add("--text-length", metavar="L", type=float, default=12_000.0,
            help="with --passages: characters after which nothing counts (default: 12000)")  # fmt: skip

    def parts(self) -> Sequence[Part]:
        """One for each distance, for each share of the judgments, and for the differences that there are."""
        names = dict.fromkeys([*self.distances, *(name for *_, name in self.swept)])
        judged = [("judged", rate) for rate in self.settings["rates"] if rate > 0]
        return [("differences", 0), *(("distance", name) for name in names), *judged]

    def compute(self, *part: Any) -> list[Row]:
        """A row for each pair of runs."""
        kind, of = part
        if kind == "differences":
            return self._differences()
        if kind == "distance":
            return self._distances(of, None)
        rate, seed = of / 100, self.settings["seed"] * SEEDS
        judged = self.inputs.qrels if rate == 1 else sampled(sample.judgments(self.inputs.qrels, rate, seed=seed))
        return self._distances(self.main, judged)

    def _compare(self, name: str, qrels: Any) -> Comparisons:
        return compare_all(
            self.inputs.runs,
            name,
            qrels=qrels,
            ties=self.settings["ties"],
            itself=False,
            threads=self.inputs.threads,
        )

    def _distances(self, name: str, qrels: Any) -> list[Row]:
        found = self._compare(name, qrels).means
        alike = not _core.comparing_info(as_comparing(name))[1]
        columns = ("run_a", "run_b", "value", "low", "high")
        rows: list[Row] = []
        for a, b, value, low, high in zip(*(found[column] for column in columns), strict=True):
            # The interval of a similarity is over tie orders.
            rows.append((a, b, 1 - value, 0.0) if alike else (a, b, value, high - low))
        return rows

    def _differences(self) -> list[Row]:
        measure, threads = self.settings["measure"], self.inputs.threads
        evaluator = Evaluator(self.inputs.qrels, [measure], ties=self.settings["ties"], threads=threads)
        results = evaluator.evaluate(self.inputs.runs)
        queries = results.queries
        values = {run: [results.value(measure, query, run).mean for query in queries] for run in results.runs}
        means = {run: results.value(measure, run=run).mean for run in results.runs}
        compared = self._compare(self.delta, self.inputs.qrels)
        rows: list[Row] = [(run, "", mean, 0.0, 0.0) for run, mean in means.items()]
        for a, b in each(compared.pairs, "pair"):
            per_query = [abs(x - y) for x, y in zip(values[a], values[b], strict=True)]
            scaled = [abs(value) for value in compared[a, b].per_query["value"] if not math.isnan(value)]
            rows.append((a, b, abs(means[a] - means[b]), mean_of(per_query), mean_of(scaled)))
        return rows

    def tables(self, found: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Distances, differences, correlations, the map."""
        group = self._group
        distances: list[Row] = []
        values: dict[tuple[str, float], list[float]] = {}
        for (kind, of), rows in found.items():
            if kind != "differences":
                key = (of, 0.0) if kind == "distance" else (self.main, of)
                values[key] = [value for *_, value, _ in rows]
                distances += [(a, b, group(a, b), *key, value, width) for a, b, value, width in rows]
        there_are = [row for row in found["differences", 0] if row[1]]
        for number, name in enumerate(DIFFERENCES):
            values[name, 100.0] = [row[2 + number] for row in there_are]
        same = [bool(group(a, b)) for a, b, *_ in there_are]
        means = {run: mean for run, other, mean, *_ in found["differences", 0] if not other}
        where = self._map([row for row in distances if (row[3], row[4]) == (self.main, 0.0)])
        correlated = [
            (*one, to[0], among, *correlation_of(values[one], values[to], same, among))
            for one, to in self._correlated()
            for among in AMONG
        ]
        return {
            self.name: tidy(("run_a", "run_b", "group", "measure"), ("judged", "value", "open"), distances),
            f"{self.name}-differences": tidy(
                ("run_a", "run_b", "group"), DIFFERENCES, [(a, b, group(a, b), *row) for a, b, *row in there_are]
            ),
            f"{self.name}-correlations": tidy(
                ("measure", "to", "among"),
                ("judged", "pairs", "pearson", "kendall"),
                [(measure, to, among, judged, *rest) for measure, judged, to, among, *rest in correlated],
            ),
            f"{self.name}-map": tidy(
                ("run", "group"),
                ("x", "y", "mean"),
                [(run, self.groups[run], *at, means[run]) for run, at in where.items()],
            ),
        }

    def _correlated(self) -> list[tuple[tuple[str, float], tuple[str, float]]]:
        """What is held against what."""
        main = (self.main, 0.0)
        rates = [0.0, *(rate for rate in self.settings["rates"] if rate > 0)]
        found = [((self.main, rate), (name, 100.0)) for rate in rates for name in DIFFERENCES]
        found += [((one, 0.0), (other, 0.0)) for one, other in combinations(self.distances, 2)]
        found += [((name, 0.0), main) for *_, name in self.swept if name != self.main]
        by = {(what, number): name for what, number, name in self.swept}
        for what, number in by:
            if what == "RBO":
                found.append(((by["RBO", number], 0.0), (by["MED-RBP", number], 0.0)))
        return list(dict.fromkeys(found))

    def _group(self, a: str, b: str) -> str:
        return self.groups[a] if self.groups[a] == self.groups[b] else ""

    def _map(self, rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
        numbers = {run: number for number, run in enumerate(self.inputs.runs)}
        square = [[0.0] * len(numbers) for _ in numbers]
        for a, b, _, _, _, value, _ in rows:
            square[numbers[a]][numbers[b]] = square[numbers[b]][numbers[a]] = value
        return dict(zip(numbers, places(square), strict=True))

    def figures(self, tables: Mapping[str, Table]) -> list[Figure]:
        """Bars, scatter plots, lines over parameters, the map."""
        from untied.study import med_plots

        return med_plots.figures(self, tables)

    def summary(self, tables: Mapping[str, Table], show: Callable[[str], str]) -> str:
        """Groups, judgments, measures, parameters."""
        main = short(self.main)
        correlations = {
            (row["measure"], row["judged"], row["to"], row["among"]): row
            for row in tables[f"{self.name}-correlations"].to_dicts()
        }
        rows = tables[self.name].to_dicts()
        of_pairs: dict[tuple[str, float], list[tuple[float, bool]]] = {}
        unknown: dict[tuple[str, float], int] = {}
        for row in rows:
            key = (row["measure"], row["judged"])
            of_pairs.setdefault(key, []).append((row["value"], bool(row["group"])))
            unknown[key] = unknown.get(key, 0) + (row["open"] > 1e-12)
        pairs = of_pairs[self.main, 0.0]
        text = [
            f"Distances of {len(pairs):,} pairs of runs, {sum(same for _, same in pairs):,} of them of the same group: "
            f"means over queries, tied documents `{self.settings['ties']}`.\n",
            "## Groups\n",
            show("groups"),
        ]
        lines = []
        for measure in self.distances:
            same, other = ([value for value, one in of_pairs[measure, 0.0] if one is of] for of in (True, False))
            lines.append([short(measure), *(f"{mean_of(values):.4f}" for values in (same, other)),
                          str(unknown[measure, 0.0])])  # fmt: skip
        text += [
            "Mean distances, and pairs for which the value is not certain to the last digit (a search ended early, or "
            "documents beyond the end of the rankings count):\n",
            markdown(["distance", "same group", "two groups", "uncertain"], lines),
            show("map"),
            "## Judgments\n",
            show("judgments"),
        ]
        lines = []
        for rate in sorted(rate for measure, rate in of_pairs if measure == self.main):
            cells = [f"{mean_of([value for value, _ in of_pairs[self.main, rate]]):.4f}"]
            for name in DIFFERENCES:
                one = correlations[self.main, rate, name, "all"]
                cells.append(f"{one['pearson']:.4f}, {one['kendall']:.4f}")
            lines.append([f"{rate:g} %", *cells])
        means = {name: mean_of(tables[f"{self.name}-differences"][name]) for name in DIFFERENCES}
        text += [
            f"{main} with a share of the judgments: its mean, and its correlation (Pearson, Kendall's tau_b) over all "
            "pairs with differences that there are with all of them. *of means*: of the two runs' means; *per query*: "
            "the mean over queries of the difference; *scaled*: the same, normalised as MED is. Their means are "
            f"{means['difference']:.4f}, {means['per_query']:.4f} and {means['scaled']:.4f}.\n",
            markdown(["judgments known", f"mean {main}", "of means", "per query", "scaled"], lines),
            "## Measures\n",
            show("measures"),
            "Pearson's and Kendall's (tau_b) correlation over all pairs, over those of a group, and over the others:\n",
        ]
        lines = []
        for distance, to in combinations(self.distances, 2):
            found = [correlations[distance, 0.0, to, among] for among in AMONG]
            lines.append([f"{short(distance)}, {short(to)}",
                          *(f"{row['pearson']:.4f}, {row['kendall']:.4f}" for row in found)])  # fmt: skip
        text += [
            markdown(["distances", "all", "same group", "two groups"], lines),
            "## Parameters\n",
            show("parameters"),
        ]
        lines = []
        for what, number, name in self.swept:
            values = [value for value, _ in of_pairs[name, 0.0]]
            cells = [what, f"{number:g}", f"{mean_of(values):.4f}", str(unknown[name, 0.0])]
            if name == self.main:
                lines.append([*cells, "", ""])
                continue
            row = correlations[name, 0.0, self.main, "all"]
            lines.append([*cells, f"{row['pearson']:.4f}", f"{row['kendall']:.4f}"])
        heads = ["distance", "psi or k", "mean", "uncertain", f"Pearson with {main}", "Kendall"]
        text.append(markdown(heads, lines))
        lines = []
        for psi in self.settings["psi"]:
            row = correlations[canonical(f"RBO(p={psi})"), 0.0, canonical(f"MED(RBP(p={psi}))"), "all"]
            lines.append([f"{psi:g}", f"{row['pearson']:.4f}", f"{row['kendall']:.4f}"])
        if lines:
            text += ["1 - RBO and MED-RBP of the same persistence:\n", markdown(["psi", "Pearson", "Kendall"], lines)]
        return "\n".join(text)


def med(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    measure: MeasureLike = MEASURE,
    distances: Iterable[str] | None = None,
    rates: Sequence[float] = RATES,
    psi: Sequence[float] = PSI,
    cutoffs: Sequence[int] = CUTOFFS,
    groups: str | os.PathLike[str] | Mapping[str, str] | None = None,
    prefix: int = PREFIX,
    ties: TiesOfPairs = TIES,
    passages: bool = False,
    text_length: float = 12_000.0,
    seed: int = 0,
    qrels_format: QrelsFormat = "auto",
    plots: str = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Hold the distances of runs by MED against their groups, against actual differences, and against other distances.

    All pairs of runs are compared.

    Parameters
    ----------
    qrels, runs, qrels_format
        As for `untied.evaluate`; at least three runs.
    directory : path
        Where tables, plots and summary are written. A study that was interrupted there goes on where it was.
    measure : measure
        S of ``MED(S)``, which all is held against.
    distances : list of str, optional
        Other distances and similarities, as for `untied.compare_all`. By default MED of RBP(p=0.9), AP@100 and ERR@30,
        and RBO(p=0.9). ``{grade}`` stands for the highest grade of the qrels.
    rates : sequence of float
        Percent of the judgments that MED is told of.
    psi : sequence of float
        Persistences of RBP and RBO.
    cutoffs : sequence of int
        Cutoffs of nDCG and ERR.
    groups : path or {run: group}, optional
        Groups that runs are of; a file has lines of a run's name and a group.
    prefix : int
        Without `groups`: runs whose names begin with the same so many letters are a group.
    ties : str
        Tied documents, as for `untied.compare`. By default they stand by id, as in the paper;
        ``"expected"`` is the mean over all orders, with which MED of ERR takes up to a second for a pair of runs and a
        query.
    passages : bool
        Whether `runs` are files of passages and `qrels` one of judged passages, as `untied.passages` reads them. They
        are compared by MED-U; of the options above only `groups` and `prefix` apply.
    text_length : float
        Characters of text after which nothing counts; for passages.
    seed : int
        Another one gives another sample of the judgments.
    plots : str
        ``"svg"``, ``"png"``, ``"both"`` or ``"none"``. Plots need matplotlib.
    restart : bool
        Whether to forget what is in the folder, instead of going on with it.
    threads : int, optional
        Number of threads; it never changes a value.

    Returns
    -------
    Result
        ``rows`` has a row for every pair of runs, distance and share of the judgments.

    Raises
    ------
    UntiedError
        An option is refused, or the folder holds a study with other settings.
    InputError
        A file's content is not what its format promises.

    References
    ----------
    Tan & Clarke 2015, A Family of Rank Similarity Measures Based on Maximized Effectiveness Difference, TKDE 27.
    """
    if passages:
        from untied.study.passages import MedPassages, PassageInputs

        of_passages = PassageInputs(qrels, runs, threads=threads)
        study: Study = MedPassages(of_passages, {"passages": True, "text_length": text_length, "prefix": prefix},
                                   grouped(of_passages, groups, prefix))  # fmt: skip
        return conduct(study, directory, plots=plots, restart=restart)
    policies = Policies(COMPARING, ties=ties)
    for rate in rates:
        if not 0 <= rate <= 100:
            raise UntiedError(f"rates are percent, from 0 to 100, not {rate:g}")
    settings = {
        "measure": str(as_measure(measure)),
        "distances": list(DISTANCES if distances is None else distances),
        "rates": sorted({float(rate) for rate in rates}),
        "psi": sorted({float(one) for one in psi}),
        "cutoffs": sorted({whole("cutoffs", one, 1) for one in cutoffs}),
        "prefix": whole("prefix", prefix),
        **policies.options,
        "seed": whole("seed", seed),
    }
    inputs = Inputs(qrels, runs, qrels_format=qrels_format, threads=threads)
    return conduct(Med(inputs, settings, grouped(inputs, groups, prefix)), directory, plots=plots, restart=restart)
