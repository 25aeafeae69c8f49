"""Measures for incomplete judgments held against AP with all judgments, run by run; what two studies share.

With a_i the mean AP of run i with all judgments, e_i the mean of an estimate, N runs:

    RMS = sqrt((1/N) sum of (e_i - a_i)^2)
"""

from __future__ import annotations

import math
from functools import cached_property

from untied.compare.correlation import kendall
from untied.errors import UntiedError
from untied.evaluate.runs import Evaluator
from untied.inputs.convert import as_qrels
from untied.judging import sample
from untied.measures import as_measure, as_measures
from untied.results.plotting import COLORS, DASHES
from untied.results.table import Table
from untied.study.frame import SEEDS, Figure, Study
from untied.study.inputs import Inputs
from untied.study.rows import markdown, numbers, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, ClassVar

    from untied._core import Qrels, Run
    from untied.inputs.convert import QrelsLike
    from untied.measures import MeasureLike
    from untied.study.rows import Part, Row

#: The truth: AP with all judgments.
TRUTH = "AP"
#: What is held against it, and how `untied` calls it; ``{rel}`` is the lowest relevant grade, ``{p}`` the share of the
#: pool that is judged. bpref-10 and bpref divide by R + 10 and by R, as the paper has it, trec_eval's by min(N, ...).
MEASURES = {
    "bpref-10": "Bpref(rel={rel},variant='paper',extra=10)",
    "bpref": "Bpref(rel={rel},variant='paper')",
    "bpref-10 (trec_eval)": "Bpref(rel={rel},extra=10)",
    "bpref (trec_eval)": "Bpref(rel={rel})",
    "indAP": "AP(rel={rel},judged_only=True)",
    "subAP": "subAP(rel={rel},p={p})",
    "infAP": "infAP(rel={rel})",
    "AP": "AP(rel={rel})",
    "nDCG": "nDCG",
}
#: Those in plots.
PLOTTED = ("infAP", "subAP", "indAP", "bpref-10", "bpref", "AP", "nDCG")
#: Measures that estimate AP, by the name before parameters and cutoff: RMS errors and means of others say nothing.
ESTIMATES = ("AP", "infAP", "subAP", "statAP", "xinfAP", "Bpref")
MARKERS = ("o", "s", "^", "v", "D", "x", "+")

STATISTICS = {
    "kendall": "Kendall's tau between the rankings of the runs, tied pairs counting 0",
    "linear": "linear correlation (Pearson) with it",
    "rms": "root of the mean square error",
    "mean": "the measure's mean over runs",
    "drift": "that mean, less the one with everything kept",
}
HEADINGS = {
    "kendall": "Kendall's tau",
    "linear": "Linear correlation",
    "rms": "RMS error",
    "mean": "Mean over runs",
}
TITLES = {
    "kendall": "Kendall's τ",
    "linear": "linear correlation ρ",
    "rms": "RMS error",
    "mean": "mean over runs and queries",
}


class AgainstAP(Study):
    """A study whose parts are rates and samples, and whose rows are runs, measures and values.

    Parameters
    ----------
    inputs : Inputs
        Judgments and at least two runs.
    settings : dict
        Those of `checked`.
    """

    #: What the horizontal axis of plots says.
    axis: ClassVar[str]

    def __init__(self, inputs: Inputs, settings: dict[str, Any]) -> None:
        if len(inputs.runs) < 2:
            raise UntiedError(f"a ranking of runs needs at least 2 runs, found {len(inputs.runs)}")
        super().__init__(inputs, settings)
        self.rates, self.samples, self.rel = settings["rates"], settings["samples"], settings["rel"]
        #: Names of measures by what they are called here.
        self.measures = {label: MEASURES.get(label, label) for label in settings["measures"]}
        #: Measures in plots, and those of them that are on the scale of AP.
        self.plotted = list(PLOTTED if list(self.measures) == list(MEASURES) else self.measures)
        self.on_scale = [label for label in self.plotted if _name(self.measures[label]) in ESTIMATES]

    @cached_property
    def qrels(self) -> Qrels:
        """The complete judgments: the qrels, or those of the pool of the runs."""
        found, depth = self.inputs.qrels, self.settings["pool_depth"]
        if depth is not None:
            pool = sample.pool(self.inputs.runs.values(), depth, found)
            # As if the whole pool were judged, and what nobody found relevant is not.
            found = as_qrels({query: {doc: max(grade, 0.0) for doc, grade in of.items()} for query, of in pool.items()})
        if not any(grade >= self.rel for grade in found.grades()):
            where = "the judgments" if depth is None else f"the pool of depth {depth}"
            raise UntiedError(f"{where}: expected a document of grade {self.rel:g} or above, found none")
        return found

    def notes(self) -> list[str]:
        """What the pool has beside the qrels, and queries that are not everywhere."""
        return [*self._pooled(), *super().notes()]

    def _pooled(self) -> list[str]:
        """A note on the pool, where there is one."""
        depth = self.settings["pool_depth"]
        if depth is None:
            return []
        pooled = filled = dropped = relevant = 0
        for query in self.inputs.qrels.queries():
            judged, pool = self.inputs.qrels[query], self.qrels[query]
            pooled += len(pool)
            filled += sum(judged.get(document, -1.0) < 0 for document in pool)
            outside = [grade for document, grade in judged.items() if grade >= 0 and document not in pool]
            dropped += len(outside)
            relevant += sum(grade >= self.rel for grade in outside)
        return [
            f"the pool of depth {depth} has {pooled:,} documents: {filled:,} without a judgment count as non-relevant, "
            f"and {dropped:,} judged ones outside it ({relevant:,} relevant) are left out"
        ]

    def parts(self) -> Sequence[Part]:
        """All samples at a rate, then those at the next; with everything kept there is only one."""
        return [(rate, number) for rate in self.rates for number in range(1, 2 if rate == 100 else self.samples + 1)]

    def seed(self, number: int) -> int:
        """The seed of a sample; those of studies with different seeds are different ones."""
        return self.settings["seed"] * SEEDS + number  # type: ignore[no-any-return]

    def evaluator(self, qrels: QrelsLike, share: float) -> Callable[[Run], dict[str, float]]:
        """What finds all measures of a run, with judgments of which that share is kept."""
        names = {label: complete(name, self.rel, share) for label, name in self.measures.items()}
        evaluator = Evaluator(qrels, names.values(), threads=self.inputs.threads)

        def evaluate(run: Run) -> dict[str, float]:
            means = evaluator.means(run)
            return {label: means[name] for label, name in names.items()}

        return evaluate

    def rows(self, evaluate: Callable[[Run], dict[str, float]], runs: Iterable[Run]) -> list[Row]:
        """The measures of the runs, or of what is left of them."""
        return [
            (name, label, value)
            for name, run in zip(self.inputs.runs, runs, strict=True)
            for label, value in evaluate(run).items()
        ]

    def tables(self, found: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Statistics of every sample; means of every run on it."""
        values: dict[tuple[str, float, int], dict[str, float]] = {}
        for (rate, number), rows in found.items():
            for run, label, value in rows:
                values.setdefault((label, rate, number), {})[run] = value
        truth = values[TRUTH, 100, 1]
        whole = {label: average(values[label, 100, 1].values()) for label in self.measures}
        keys = [(label, rate, number) for label in self.measures for rate, number in found]
        rows = [statistics(truth, values[key], whole[key[0]]) for key in keys]
        runs = [(run, *key, value) for key in keys for run, value in values[key].items()]
        return {
            self.name: Table(
                {"measure": [label for label, _, _ in keys]},
                {
                    "rate": [rate for _, rate, _ in keys],
                    "sample": [number for _, _, number in keys],
                    **{column: [row[i] for row in rows] for i, column in enumerate(STATISTICS)},
                },
            ),
            f"{self.name}-runs": Table(
                {"run": [run for run, *_ in runs], "measure": [label for _, label, *_ in runs]},
                {
                    "rate": [rate for _, _, rate, *_ in runs],
                    "sample": [number for *_, number, _ in runs],
                    "value": [value for *_, value in runs],
                },
            ),
        }

    def statistics_figure(self, table: Table, caption: str, log: bool) -> Figure:
        """The statistics over all rates, in four panels."""
        means = over_samples(table)
        lines = _distinct(means, self.plotted)

        def draw(figure: Any) -> None:
            axes = figure.subplots(2, 2, sharex=True)
            for axis, statistic in zip(axes.flat, TITLES, strict=True):
                shown = self.plotted if statistic in ("kendall", "linear") else self.on_scale
                # Those that matter most last, so that they are on top.
                for label in reversed([label for label in shown if label in lines]):
                    values = [means[label, rate][statistic] for rate in self.rates]
                    axis.plot(self.rates, values, label=lines[label], markersize=3, linewidth=1,
                              **self.look(label))  # fmt: skip
                axis.set_ylabel(TITLES[statistic])
                axis.grid(axis="y", color="0.9", linewidth=0.5)
                axis.set_axisbelow(True)
            # From everything kept on the left to little on the right.
            if log:
                axes[0, 0].set_xscale("log")
                axes[0, 0].set_xlim(1.12 * max(self.rates), min(self.rates) / 1.12)
            else:
                axes[0, 0].invert_xaxis()
            ticks = [rate for rate in (100, 50, 20, 10, 5, 2, 1) if rate in self.rates] if log else self.rates
            axes[0, 0].set_xticks(ticks, [f"{rate:g}" for rate in ticks], minor=False)
            axes[0, 0].minorticks_off()
            axes[1, 1].axhline(means[TRUTH, 100]["mean"], color="0.5", linewidth=0.7, zorder=0)
            for axis in axes[1]:
                axis.set_xlabel(self.axis)
            handles, labels = axes[0, 0].get_legend_handles_labels()
            figure.legend(
                handles[::-1], labels[::-1], loc="outside lower center", ncols=4, frameon=False, handlelength=3
            )

        note = f"Means of {self.samples} samples, {len(self.inputs.runs)} runs"
        others = [label for label in self.plotted if label not in self.on_scale]
        if others:
            note += f"; on a scale of their own, and left out below: {', '.join(others)}"
        return Figure("statistics", f"{caption}. {note}", (6.8, 5.2), draw)

    def look(self, label: str) -> dict[str, Any]:
        """Colour, line and marker of a measure, the same in every plot."""
        number = self.plotted.index(label)
        return {
            "color": COLORS[number % len(COLORS)],
            "linestyle": DASHES[number % len(DASHES)],
            "marker": MARKERS[number % len(MARKERS)],
        }

    def sections(self, table: Table) -> list[str]:
        """A table for each statistic, in Markdown."""
        means = over_samples(table)
        text = []
        for statistic, title in HEADINGS.items():
            rows = [
                [f"{rate:g}", *(f"{means[label, rate][statistic]:.4f}" for label in self.measures)]
                for rate in self.rates
            ]
            text += [f"## {title}\n", markdown(["%", *self.measures], rows)]
        return text


def statistics(truth: Mapping[str, float], found: Mapping[str, float], whole: float) -> tuple[float, ...]:
    """Those of `STATISTICS`.

    Parameters
    ----------
    truth : {run: float}
        AP with all judgments.
    found : {run: float}
        The measure.
    whole : float
        The measure's mean over runs with everything kept.
    """
    estimates = [found[run] for run in truth]
    mean = math.fsum(estimates) / len(estimates)
    return (
        kendall(truth, found).mean,
        linear(list(truth.values()), estimates),
        rms(list(truth.values()), estimates),
        mean,
        mean - whole,
    )


def linear(one: Sequence[float], other: Sequence[float]) -> float:
    """Pearson's coefficient; NaN where one side is constant."""
    centre, other_centre = math.fsum(one) / len(one), math.fsum(other) / len(other)
    x, y = [value - centre for value in one], [value - other_centre for value in other]
    squares = math.sqrt(_product(x, x)) * math.sqrt(_product(y, y))
    return _product(x, y) / squares if squares > 0 else math.nan


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(x * y for x, y in zip(one, other, strict=True))


def rms(truth: Sequence[float], estimates: Sequence[float]) -> float:
    """Root of the mean square error."""
    return math.sqrt(math.fsum((e - a) ** 2 for a, e in zip(truth, estimates, strict=True)) / len(truth))


def average(values: Iterable[float]) -> float:
    """The mean."""
    numbers = list(values)
    return math.fsum(numbers) / len(numbers)


def complete(name: str, rel: float, share: float) -> str:
    """A measure's name, with the lowest relevant grade and the share of the pool that is judged."""
    return str(as_measure(name.replace("{rel}", repr(rel)).replace("{p}", repr(share))))


def _name(template: str) -> str:
    """The measure's own name, however it is spelled, without parameters and cutoff."""
    return as_measure(complete(template, 1, 0.5)).name


def _distinct(means: Mapping[tuple[str, float], Mapping[str, float]], plotted: Sequence[str]) -> dict[str, str]:
    """Measures to plot, with the names of all those that cannot be told from them (without missing judgments)."""

    def is_same(one: str, other: str) -> bool:
        return all(
            math.isclose(means[one, rate][name], means[other, rate][name], abs_tol=1e-5)
            for label, rate in means
            if label == one
            for name in TITLES
        )

    found: dict[str, str] = {}
    for label in plotted:
        same = next((first for first in found if is_same(first, label)), None)
        if same is None:
            found[label] = label
        else:
            found[same] += f" = {label}"
    return found


def over_samples(table: Table) -> dict[tuple[str, float], dict[str, float]]:
    """Means of the statistics over samples, by measure and rate."""
    found: dict[tuple[str, float], list[dict[str, Any]]] = {}
    for row in table.to_dicts():
        found.setdefault((row["measure"], row["rate"]), []).append(row)
    return {key: {name: average(row[name] for row in rows) for name in STATISTICS} for key, rows in found.items()}


def add_rates(add: Callable[..., argparse.Action], rates: Sequence[float], what: str) -> None:
    """Add the options that studies with rates and samples share."""
    default = ",".join(f"{rate:g}" for rate in rates)
    add("--rates", metavar="R,R,...", type=numbers, default=rates, help=f"percent {what} (default: {default})")
    add("--samples", metavar="N", type=int, default=10, help="samples at each rate below 100 (default: 10)")
    add("-m", "--measure", metavar="MEASURE", action="append", dest="measures",
        help=f"a measure to compare with AP, repeatable; {{p}} in it is the share of the judgments "
        f"(default: {', '.join(MEASURES)})")  # fmt: skip
    add("--rel", metavar="GRADE", type=float, default=1.0,
        help="lowest relevant grade of AP and the default measures but nDCG (default: 1)")  # fmt: skip
    add("--pool-depth", metavar="K", type=int,
        help="judgments of the pool of the runs to this depth: its unjudged documents count as non-relevant, judged "
        "ones outside it are left out (default: all judgments)")  # fmt: skip


def checked(
    rates: Sequence[float],
    samples: int,
    measures: MeasureLike | Iterable[MeasureLike] | None,
    rel: float,
    pool_depth: int | None,
    seed: int,
) -> dict[str, Any]:
    """Settings of a study with rates and samples."""
    for rate in rates:
        if not 0 < rate <= 100:
            raise UntiedError(f"rates are percent, above 0 and at most 100, not {rate:g}")
    if not (math.isfinite(rel) and rel > 0):
        raise UntiedError(f"rel must be a number above 0, not {rel:g}")
    # With everything kept there is the truth, which is always needed.
    return {
        "rates": sorted({100.0, *map(float, rates)}, reverse=True),
        "samples": whole("samples", samples, 1),
        "measures": labels(measures, rel),
        "rel": float(rel),
        "pool_depth": None if pool_depth is None else whole("pool_depth", pool_depth, 1),
        "seed": whole("seed", seed),
    }


def labels(measures: MeasureLike | Iterable[MeasureLike] | None, rel: float) -> list[str]:
    """What measures are called: those of `MEASURES` as there, others by their names. AP is always among them."""
    if measures is None:
        return list(MEASURES)
    several: Any = [measures] if isinstance(measures, str) or not hasattr(measures, "__iter__") else measures
    found: list[str] = []
    for measure in several:
        name = measure if isinstance(measure, str) else str(as_measure(measure))
        if name in MEASURES or "{p}" in name:
            complete(MEASURES.get(name, name), rel, 0.5)
            found.append(name)
        else:
            found += [_own(str(one), rel) for one in as_measures(name)]
    return list(dict.fromkeys([*found, TRUTH]))


def _own(name: str, rel: float) -> str:
    """A name that is none of `MEASURES`: AP(rel=1) is AP for short, which here is AP with the study's `rel`."""
    return f"{name}(rel=1)" if rel != 1 and "{rel}" in MEASURES.get(name, "") else name
