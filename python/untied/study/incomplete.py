"""Incomplete judgments: which measure still says what AP says with all of them (Yilmaz & Aslam 2006, section 2)."""

from __future__ import annotations

import math

from untied import sample
from untied.errors import UntiedError
from untied.evaluate import Evaluator
from untied.study import estimates
from untied.study.estimates import MEASURES, ON_SCALE, PLOTTED, STATISTICS, TRUTH, average
from untied.study.frame import Figure, Inputs, Study, conduct
from untied.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    import os
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar

    from untied.inputs import QrelsLike, Runs
    from untied.study.frame import Part, Result, Row

#: Percent of the judgments.
RATES = (100.0, 90.0, 80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 20.0, 10.0, 5.0, 2.0, 1.0)
#: Those with scatter plots.
SCATTERED = (30.0, 10.0, 5.0)
#: Seeds of studies are that far apart, so that no two of them share a sample.
SEEDS = 1_000_000


class Incomplete(Study):
    """Samples of the judgments, all measures on each."""

    name = "incomplete"
    title = "Incomplete judgments"
    columns: ClassVar[Mapping[str, str]] = {
        "measure": "the measure",
        "run": "the run",
        "rate": "percent of the judgments that are sampled",
        "sample": "number of the sample",
        "value": "the measure's mean over queries",
        **STATISTICS,
    }

    def __init__(self, inputs: Inputs, settings: dict[str, Any]) -> None:
        estimates.need_runs(inputs)
        super().__init__(inputs, settings)
        self.rates, self.samples = settings["rates"], settings["samples"]

    @staticmethod
    def add_options(add: Callable[..., argparse.Action]) -> None:
        """Add its options to the command line."""
        add_rates(add, RATES, "of the judgments to sample")

    def parts(self) -> Sequence[Part]:
        """Every sample at every rate; of all judgments there is only one."""
        return [(rate, number) for rate in self.rates for number in range(1, 2 if rate == 100 else self.samples + 1)]

    def compute(self, *part: Any) -> list[Row]:
        """All measures of all runs on one sample."""
        rate, number = part
        rel = self.settings["rel"]
        judged = sample.judgments(self.inputs.qrels, rate / 100, seed=self.settings["seed"] * SEEDS + number, rel=rel)
        evaluator = Evaluator(judged, estimates.names(rel, rate / 100), threads=self.inputs.threads)
        return [
            (run, label, value)
            for run, held in self.inputs.runs.items()
            for label, value in zip(MEASURES, evaluator.means(held).values(), strict=True)
        ]

    def tables(self, found: Mapping[Part, list[Row]]) -> dict[str, Table]:
        """Statistics of every sample; means of every run on it."""
        return tables(self.name, found)

    def figures(self, tables: Mapping[str, Table]) -> list[Figure]:
        """The statistics over all rates, and scatter plots at three of them."""
        means = over_samples(tables[self.name])
        figures = [
            Figure(
                "statistics",
                f"Means of {self.samples} samples against AP with all judgments ({len(self.inputs.runs)} runs). "
                "nDCG, on a scale of its own, is left out below",
                (6.8, 5.2),
                lambda figure: _draw_statistics(figure, means, self.rates),
            )
        ]
        rates = [rate for rate in SCATTERED if rate in self.rates]
        for label in PLOTTED if rates else ():
            figures.append(
                Figure(
                    f"scatter-{label}",
                    f"{label} with {', '.join(f'{rate:g}' for rate in rates)} % of the judgments "
                    "against AP with all: one point a run, of the sample whose RMS error is nearest to the mean",
                    (2.25 * len(rates) + 0.2, 2.5),
                    self._scatter(tables, label, rates),
                )
            )
        return figures

    def _scatter(self, tables: Mapping[str, Table], label: str, rates: Sequence[float]) -> Callable[[Any], None]:
        chosen = {rate: nearest(tables[self.name], label, rate) for rate in rates}
        wanted = {(label, rate, chosen[rate]["sample"]) for rate in rates}
        values: dict[float, dict[str, float]] = {rate: {} for rate in rates}
        truth = {}
        for run, measure, rate, number, value in tables[f"{self.name}-runs"].rows():
            if (measure, rate) == (TRUTH, 100):
                truth[run] = value
            if (measure, rate, number) in wanted:
                values[rate][run] = value

        def draw(figure: Any) -> None:
            axes = figure.subplots(1, len(rates), squeeze=False, sharex=True, sharey=True)[0]
            highest = 1.05 * max([*truth.values(), *(value for one in values.values() for value in one.values())])
            for axis, rate in zip(axes, rates, strict=True):
                axis.axline((0, 0), slope=1, color="0.6", linewidth=0.7)
                color = estimates.look(label)["color"]
                axis.scatter(list(truth.values()), [values[rate][run] for run in truth], s=9, color=color, alpha=0.55,
                             linewidths=0)  # fmt: skip
                axis.set_title(f"{rate:g} %, sample {chosen[rate]['sample']:g}")
                said = "\n".join(
                    f"{sign} = {chosen[rate][statistic]:.3f}"
                    for sign, statistic in (("RMS", "rms"), ("τ", "kendall"), ("ρ", "linear"))
                )
                # Where no point can be: above the estimates that are too high, or below those that are too low.
                too_high = average(values[rate].values()) > average(truth.values())
                x, y, alignment = (0.97, 0.04, "right") if too_high else (0.04, 0.96, "left")
                axis.text(x, y, said, transform=axis.transAxes, fontsize=7, ha=alignment,
                          va="bottom" if too_high else "top", linespacing=1.3)  # fmt: skip
                axis.set_xlabel("AP, all judgments")
                axis.set_xlim(0, highest)
                axis.set_ylim(0, highest)
                axis.set_aspect("equal")
            axes[0].set_ylabel(f"{label}, sampled judgments")

        return draw

    def summary(self, tables: Mapping[str, Table], show: Callable[[str], str]) -> str:
        """A table for each statistic, and the plots."""
        means = over_samples(tables[self.name])
        text = [
            f"The judgments were sampled at {len(self.rates)} rates, {self.samples} samples each (one of all). A query "
            "with relevant documents was sampled again until one of them was among those kept; the others count as "
            "pooled but not judged. Every measure is a mean over queries, and is held against AP with all judgments, "
            "over the runs.\n",
            show("statistics"),
        ]
        for statistic, sentence in (
            ("kendall", "Kendall's tau"),
            ("linear", "Linear correlation"),
            ("rms", "RMS error"),
            ("mean", "Mean over runs"),
        ):
            text += [f"## {sentence}\n", estimates.by_rate(means, self.rates, statistic, "%")]
        if any(rate in SCATTERED for rate in self.rates):
            text += ["## Run by run\n", *(show(f"scatter-{label}") for label in PLOTTED)]
        return "\n".join(text)


def tables(name: str, found: Mapping[Part, list[Row]]) -> dict[str, Table]:
    """Tables of a study whose parts are rates and samples, and whose rows are runs, measures and values."""
    values: dict[tuple[str, float, int], dict[str, float]] = {}
    for (rate, number), rows in found.items():
        for run, label, value in rows:
            values.setdefault((label, rate, number), {})[run] = value
    truth = values[TRUTH, 100, 1]
    whole = {label: average(values[label, 100, 1].values()) for label in MEASURES}
    keys = [(label, rate, number) for label in MEASURES for rate, number in found]
    statistics = [estimates.statistics(truth, values[key], whole[key[0]]) for key in keys]
    runs = [(run, *key, value) for key in keys for run, value in values[key].items()]
    return {
        name: Table(
            {"measure": [label for label, _, _ in keys]},
            {
                "rate": [rate for _, rate, _ in keys],
                "sample": [number for _, _, number in keys],
                **{column: [row[i] for row in statistics] for i, column in enumerate(STATISTICS)},
            },
        ),
        f"{name}-runs": Table(
            {"run": [run for run, *_ in runs], "measure": [label for _, label, *_ in runs]},
            {
                "rate": [rate for _, _, rate, *_ in runs],
                "sample": [number for *_, number, _ in runs],
                "value": [value for *_, value in runs],
            },
        ),
    }


def over_samples(table: Table) -> dict[tuple[str, float], dict[str, float]]:
    """Means of the statistics over samples, by measure and rate."""
    found: dict[tuple[str, float], list[dict[str, Any]]] = {}
    for row in table.to_dicts():
        found.setdefault((row["measure"], row["rate"]), []).append(row)
    return {key: {name: average(row[name] for row in rows) for name in STATISTICS} for key, rows in found.items()}


def nearest(table: Table, label: str, rate: float) -> dict[str, Any]:
    """The row of the sample whose RMS error is nearest to the mean of the samples."""
    rows = [row for row in table.to_dicts() if (row["measure"], row["rate"]) == (label, rate)]
    mean = average(row["rms"] for row in rows)
    return min(rows, key=lambda row: abs(row["rms"] - mean))


def _draw_statistics(
    figure: Any, means: Mapping[tuple[str, float], Mapping[str, float]], rates: Sequence[float]
) -> None:
    axes = figure.subplots(2, 2, sharex=True)
    for axis, statistic in zip(axes.flat, estimates.TITLES, strict=True):
        labels = PLOTTED if statistic in ("kendall", "linear") else ON_SCALE
        estimates.draw_lines(axis, means, rates, statistic, labels)
        axis.set_xscale("log")
        axis.set_xlim(1.12 * max(rates), min(rates) / 1.12)
        axis.set_xticks(ticks := [rate for rate in (100, 50, 20, 10, 5, 2, 1) if min(rates) <= rate <= max(rates)])
        axis.set_xticklabels([f"{rate:g}" for rate in ticks])
        axis.minorticks_off()
    axes[1, 1].axhline(means[TRUTH, 100]["mean"], color="0.5", linewidth=0.7, zorder=0)
    for axis in axes[1]:
        axis.set_xlabel("judgments sampled, %")
    estimates.add_legend(figure, axes[0, 0], 4)


def add_rates(add: Callable[..., argparse.Action], rates: Sequence[float], what: str) -> None:
    """Add the options that studies with rates and samples share."""
    default = ",".join(f"{rate:g}" for rate in rates)
    add("--rates", metavar="R,R,...", type=_rates, default=rates, help=f"percent {what} (default: {default})")
    add("--samples", metavar="N", type=int, default=10, help="samples at each rate below 100 (default: 10)")
    add("--rel", metavar="GRADE", type=float, default=1.0, help="lowest relevant grade (default: 1)")


def _rates(text: str) -> list[float]:
    import argparse

    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers with commas between them, not {text!r}") from None


def checked(rates: Sequence[float], samples: int, seed: int, rel: float) -> dict[str, Any]:
    """Settings of a study with rates and samples."""
    for rate in rates:
        if not 0 < rate <= 100:
            raise UntiedError(f"rates are percent, above 0 and at most 100, not {rate:g}")
    if samples < 1:
        raise UntiedError(f"samples must be at least 1, not {samples}")
    if not (math.isfinite(rel) and rel > 0):
        raise UntiedError(f"rel must be a number above 0, not {rel:g}")
    # With everything kept there is the truth, which is always needed.
    return {
        "rates": sorted({100.0, *map(float, rates)}, reverse=True),
        "samples": samples,
        "rel": float(rel),
        "seed": seed,
    }


def incomplete(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    rates: Sequence[float] = RATES,
    samples: int = 10,
    rel: float = 1,
    seed: int = 0,
    qrels_format: str = "auto",
    plots: str = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Sample the judgments, and hold measures on the samples against AP with all judgments.

    For every sample Kendall's tau, the linear correlation and the RMS error over runs of bpref-10, bpref, indAP, subAP,
    infAP, AP and nDCG, each a mean over queries.

    Parameters
    ----------
    qrels, runs, qrels_format
        As for `untied.evaluate`; at least two runs.
    directory : path
        Where tables, plots and summary are written. A study that was interrupted there goes on where it was.
    rates : sequence of float
        Percent of the judgments to sample; 100 is always among them.
    samples : int
        Samples at each rate below 100.
    rel : float
        Lowest relevant grade, of all measures but nDCG.
    seed : int
        Another one gives other samples.
    plots : str
        ``"svg"``, ``"png"``, ``"both"`` or ``"none"``. Plots need matplotlib.
    restart : bool
        Whether to forget what is in the folder, instead of going on with it.
    threads : int, optional
        Number of threads; it never changes a value.

    Returns
    -------
    Result
        ``rows`` has a row for every sample and measure.

    Raises
    ------
    UntiedError
        An option is refused, or the folder holds a study with other settings.
    InputError
        A file's content is not what its format promises.

    References
    ----------
    Yilmaz & Aslam 2006, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM.
    """
    settings = checked(rates, samples, seed, rel)
    study = Incomplete(Inputs(qrels, runs, qrels_format=qrels_format, threads=threads), settings)
    return conduct(study, directory, plots=plots, restart=restart)
