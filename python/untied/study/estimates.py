"""Compare measures for incomplete judgments with AP on all judgments; shared by two studies.

With a_i the mean AP of run i with all judgments, e_i the mean of an estimate, N runs:

    RMS = sqrt((1/N) sum of (e_i - a_i)^2)
"""

from __future__ import annotations

import math
from functools import cached_property

from untied.comparison.correlation import kendall
from untied.errors import UntiedError
from untied.evaluation.runs import Evaluator
from untied.inputs.convert import as_qrels
from untied.judging import sample
from untied.results.table import tidy
from untied.study.estimates_options import MEASURES, TRUTH, bare_name, complete
from untied.study.frame import DIGITS, SEEDS, Study
from untied.study.plots import Figure, grid, legend, looks
from untied.study.rows import gathered, linear, markdown, mean, nested, percent, rms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from untied._core import Qrels, Run
    from untied.inputs.convert import QrelsLike
    from untied.results.table import Table
    from untied.study.inputs import Inputs
    from untied.study.rows import Part, Row

#: Those in plots.
PLOTTED = ("infAP", "subAP", "indAP", "bpref-10", "bpref", "AP", "nDCG")
#: Measures that estimate AP, by the name before parameters and cutoff: RMS errors and means of others say nothing.
ESTIMATES = ("AP", "infAP", "subAP", "statAP", "xinfAP", "Bpref")
#: Rates with a tick, where they are on a logarithmic scale.
TICKS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)

STATISTICS = {
    "kendall": "Kendall's tau of the ranking of runs with the ranking by AP; a pair with equal values counts 0",
    "linear": "linear correlation (Pearson) with AP, over runs",
    "rms": "root mean square error, over runs",
    "mean": "the measure's mean over runs",
    "drift": "mean over runs, minus the mean over runs at 100 %",
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
    """A study with a part for each rate and sample, and a row for each run and measure.

    Its settings are those of `checked`.
    """

    needs = ("a ranking of runs needs", 2)

    def __init__(self, inputs: Inputs, settings: dict[str, Any]) -> None:
        super().__init__(inputs, settings)
        self.rates, self.samples, self.rel = settings["rates"], settings["samples"], settings["rel"]
        #: Names of measures by what they are called here.
        self.measures = {label: MEASURES.get(label, label) for label in settings["measures"]}
        #: Measures in plots, and those of them that are on the scale of AP.
        self.plotted = list(PLOTTED if list(self.measures) == list(MEASURES) else self.measures)
        self.on_scale = [label for label in self.plotted if bare_name(self.measures[label]) in ESTIMATES]

    @cached_property
    def qrels(self) -> Qrels:
        """Return the complete judgments: the qrels, or only those in the pool of the runs."""
        truth, depth = self.inputs.qrels, self.settings["pool_depth"]
        if depth is not None:
            pool = sample.pool(self.inputs.runs.values(), depth, truth)
            # As if the whole pool were judged, and what nobody found relevant is not.
            truth = as_qrels({query: {doc: max(grade, 0.0) for doc, grade in of.items()} for query, of in pool.items()})
        if not any(grade >= self.rel for grade in truth.grades()):
            where = "the judgments" if depth is None else f"the pool of depth {depth}"
            raise UntiedError(f"{where}: expected a document of grade {self.rel:g} or above, found none")
        return truth

    def notes(self) -> list[str]:
        """Return notes on pooled documents that the qrels lack, and on queries that are not in all inputs."""
        return [*self._pooled(), *super().notes()]

    def _pooled(self) -> list[str]:
        """Return a note on the pool, if there is one."""
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
            f"and {dropped:,} judged documents outside the pool ({relevant:,} relevant) are left out"
        ]

    def parts(self) -> Sequence[Part]:
        """Return the parts: all samples at one rate, then those at the next. A rate of 1 has one sample."""
        return [(rate, number) for rate in self.rates for number in range(1, 2 if rate == 1 else self.samples + 1)]

    def seed(self, number: int) -> int:
        """Return the seed of a sample, which differs with the seed of the study."""
        return self.settings["seed"] * SEEDS + number  # type: ignore[no-any-return]

    def evaluator(self, qrels: QrelsLike, share: float) -> Callable[[Run], dict[str, float]]:
        """Return a function that evaluates a run by all measures, with a sample of the judgments at this rate."""
        names = {label: complete(name, self.rel, share) for label, name in self.measures.items()}
        evaluator = Evaluator(qrels, names.values(), threads=self.inputs.threads)

        def evaluate(run: Run) -> dict[str, float]:
            means = evaluator.means(run)
            return {label: means[name] for label, name in names.items()}

        return evaluate

    def rows(self, evaluate: Callable[[Run], dict[str, float]], runs: Iterable[Run]) -> list[Row]:
        """Return rows with the values of all measures for the runs, or for samples of them."""
        return [
            (name, label, value)
            for name, run in zip(self.inputs.runs, runs, strict=True)
            for label, value in evaluate(run).items()
        ]

    def tables(self, rows_by_part: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Return a table with the statistics of every sample, and one with the means of every run on it."""
        values = nested(
            ((label, *part), run, value) for part, rows in rows_by_part.items() for run, label, value in rows
        )
        truth = values[TRUTH, 1, 1]
        keys = [(label, *part) for label in self.measures for part in rows_by_part]
        rows = [(*key, *statistics(truth, values[key], mean(values[key[0], 1, 1].values()))) for key in keys]
        runs = [(run, *key, value) for key in keys for run, value in values[key].items()]
        return {
            self.name: tidy("measure", f"rate sample {' '.join(STATISTICS)}", rows),
            f"{self.name}-runs": tidy("run measure", "rate sample value", runs),
        }

    def statistics_figure(self, table: Table, caption: str, axis: str, log: bool = False) -> Figure:
        """Return a plot of the statistics over all rates, in four panels."""
        means = over_samples(table)
        lines = _distinct(means, self.plotted)
        # Those that matter most last, so that they are on top.
        shown = [label for label in reversed(self.plotted) if label in lines]
        look = looks(self.plotted)
        note = f"Values are means over {self.samples} samples, for {len(self.inputs.runs)} runs"
        others = [label for label in self.plotted if label not in self.on_scale]
        if others:
            note += f". Left out of the lower plots, because their scale differs: {', '.join(others)}"

        def draw(figure: Any) -> None:
            axes = figure.subplots(2, 2, sharex=True)
            percentages = [100 * rate for rate in self.rates]
            for panel, (name, title) in zip(axes.flat, TITLES.items(), strict=True):
                for label in shown:
                    if label in self.on_scale or name in ("kendall", "linear"):
                        values = [means[label, rate][name] for rate in self.rates]
                        panel.plot(percentages, values, label=lines[label], markersize=3, linewidth=1, **look[label])
                panel.set_ylabel(title)
                grid(panel, "y")
            # From everything kept on the left to little on the right.
            if log:
                axes[0, 0].set_xscale("log")
                axes[0, 0].set_xlim(1.12 * max(percentages), min(percentages) / 1.12)
            else:
                axes[0, 0].invert_xaxis()
            ticks = [rate for rate in self.rates if not log or rate in TICKS]
            axes[0, 0].set_xticks([100 * rate for rate in ticks], map(percent, ticks), minor=False)
            axes[0, 0].minorticks_off()
            axes[1, 1].axhline(means[TRUTH, 1]["mean"], color="0.5", linewidth=0.7, zorder=0)
            for panel in axes[1]:
                panel.set_xlabel(axis)
            legend(figure, "lower center", 4, axes[0, 0], reverse=True, handlelength=3)

        return Figure("statistics", f"{caption}. {note}", (6.8, 5.2), draw)

    def sections(self, table: Table) -> Iterator[str]:
        """Yield a table in Markdown for each statistic."""
        means = over_samples(table)
        for statistic, title in HEADINGS.items():
            yield f"## {title}\n"
            yield markdown(
                ["%", *self.measures],
                [[percent(rate), *(f"{means[label, rate][statistic]:.4f}" for label in self.measures)]
                 for rate in self.rates],
            )  # fmt: skip


def statistics(truth: Mapping[str, float], by_run: Mapping[str, float], whole: float) -> tuple[float, ...]:
    """Return `STATISTICS`, which compare a measure's means by run with `truth`, AP by all judgments.

    `whole` is the measure's mean over runs with all judgments.
    """
    actual, estimates = list(truth.values()), [by_run[run] for run in truth]
    of_all = mean(estimates)
    tau = kendall(*({run: round(value, DIGITS) for run, value in means.items()} for means in (truth, by_run))).mean
    return tau, linear(actual, estimates), rms(actual, estimates), of_all, of_all - whole


def _distinct(means: Mapping[tuple[str, float], Mapping[str, float]], plotted: Sequence[str]) -> dict[str, str]:
    """Return the measures to plot, each with the names of others that equal it if no judgments are missing."""

    def is_same(one: str, other: str) -> bool:
        return all(
            math.isclose(means[one, rate][name], means[other, rate][name], abs_tol=1e-5)
            for label, rate in means
            if label == one
            for name in TITLES
        )

    labels: dict[str, str] = {}
    for label in plotted:
        same = next((first for first in labels if is_same(first, label)), None)
        if same is None:
            labels[label] = label
        else:
            labels[same] += f" = {label}"
    return labels


def over_samples(table: Table) -> dict[tuple[str, float], dict[str, float]]:
    """Return the means of the statistics over samples, by measure and rate."""
    samples = gathered(((row["measure"], row["rate"]), row) for row in table.to_dicts())
    return {key: {name: mean(row[name] for row in rows) for name in STATISTICS} for key, rows in samples.items()}
