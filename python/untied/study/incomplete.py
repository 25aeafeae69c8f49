"""Incomplete judgments: which measures still agree with AP on all judgments (Yilmaz & Aslam 2006, section 2)."""

from __future__ import annotations

from functools import partial

from untied.errors import UntiedError
from untied.judging import sample
from untied.study.conduct import conduct
from untied.study.estimates import STATISTICS, AgainstAP
from untied.study.estimates_options import TRUTH, add_rates, checked
from untied.study.frame import documented
from untied.study.inputs import Inputs
from untied.study.plots import Figure, looks
from untied.study.rows import mean, nested, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, ClassVar, Literal

    from untied._literals import QrelsFormat
    from untied.inputs.convert import QrelsLike, Runs
    from untied.measures import MeasureLike
    from untied.results.table import Table
    from untied.study.conduct import Plots, Result
    from untied.study.rows import Row

#: Shares of the judgments.
RATES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01)
#: Ways to sample: every judgment by itself with a probability, or just that share of a query's judgments.
SAMPLINGS = ("bernoulli", "simple-random")
HOW = {
    "bernoulli": "Each judgment was kept with a probability of the rate (Bernoulli sampling).",
    "simple-random": "Exactly this share of each query's judgments was kept (simple random sampling).",
}
#: Rates with scatter plots.
SCATTERED = (0.3, 0.1, 0.05)


class Incomplete(AgainstAP):
    """The study that evaluates runs by all measures with samples of the judgments."""

    name = "incomplete"
    title = "How well measures on samples of the judgments agree with AP on all judgments"
    columns: ClassVar[Mapping[str, str]] = {
        "measure": "the measure",
        "run": "the run",
        "rate": "share of the judgments that are sampled",
        "sample": "number of the sample",
        "value": "the measure's mean over queries",
        **STATISTICS,
    }

    @staticmethod
    def add_options(add: Callable[..., object]) -> None:
        """Add the study's options to the command line."""
        add_rates(add, RATES, "of the judgments")
        add("--sampling", choices=SAMPLINGS, default=SAMPLINGS[0],
            help="choose how to sample the share R of the judgments: bernoulli (default) keeps each judgment with "
            "probability R; simple-random keeps exactly the share R of each query's judgments, "
            "at least one")  # fmt: skip

    def compute(self, *part: Any) -> list[Row]:
        """Return rows with the values of all measures and runs by one sample."""
        rate, number = part
        judged = sample.judgments(
            self.qrels,
            rate,
            seed=self.seed(number),
            by_query=self.settings["sampling"] == "simple-random",
            rel=self.rel,
        )
        return self.rows(self.evaluator(judged, rate), self.inputs.runs.values())

    def summary(self, tables: Mapping[str, Table]) -> Iterator[str | Figure]:
        """Return the summary: a table for each statistic, and the plots."""
        yield (
            f"The judgments were sampled at {len(self.rates)} rates, with {self.samples} samples for each rate below "
            f"100 %. {HOW[self.settings['sampling']]} If a query has relevant documents, its judgments were sampled "
            "until at least one relevant document was kept. Documents whose judgment was not kept count as pooled but "
            "unjudged. The runs' means by each measure are compared with their mean AP on all judgments.\n"
        )
        caption = "Measures on sampled judgments, compared with AP on all judgments"
        yield self.statistics_figure(tables[self.name], caption, "judgments sampled, %", log=True)
        yield from self.sections(tables[self.name])
        rates = [rate for rate in SCATTERED if rate in self.rates]
        if rates:
            values = nested((tuple(key), run, value) for run, *key, value in tables[f"{self.name}-runs"].rows())
            yield "## Run by run\n"
            for label, look in looks(self.plotted).items():
                chosen = [nearest(tables[self.name], label, rate) for rate in rates]
                estimates = [values[label, row["rate"], row["sample"]] for row in chosen]
                yield Figure(
                    f"scatter-{_in_files(label)}",
                    f"{label} with {', '.join(map(percent, rates))} % of the judgments "
                    "against AP on all judgments. Each dot is a run. Of all samples, the one with the RMS error "
                    "nearest to the mean is shown",
                    (2.15 * len(rates) + 0.35, 2.75),
                    partial(_draw, label=label, color=look["color"], truth=values[TRUTH, 1, 1],
                            panels=list(zip(chosen, estimates, strict=True))),
                )  # fmt: skip


def _draw(
    figure: Any, label: str, color: str, truth: Mapping[str, float],
    panels: Sequence[tuple[Mapping[str, Any], Mapping[str, float]]],
) -> None:  # fmt: skip
    """A plot of a measure on a sample at each rate against AP, with a dot for each run."""
    axes = figure.subplots(1, len(panels), squeeze=False, sharex=True, sharey=True)[0]
    highest = 1.05 * max([*truth.values(), *(value for _, values in panels for value in values.values())])
    for axis, (row, values) in zip(axes, panels, strict=True):
        axis.axline((0, 0), slope=1, color="0.6", linewidth=0.7)
        axis.scatter(list(truth.values()), [values[run] for run in truth], s=9, color=color, alpha=0.55, linewidths=0)
        axis.set_title(f"{percent(row['rate'])} %, sample {row['sample']:g}")
        said = "\n".join(
            f"{sign} = {row[statistic]:.3f}" for sign, statistic in (("RMS", "rms"), ("τ", "kendall"), ("ρ", "linear"))
        )
        # Where no point can be: above the estimates that are too high, or below those that are too low.
        too_high = mean(values.values()) > mean(truth.values())
        x, y, side, edge = (0.97, 0.04, "right", "bottom") if too_high else (0.04, 0.96, "left", "top")
        axis.text(x, y, said, transform=axis.transAxes, fontsize=7, ha=side, va=edge, linespacing=1.3)
        axis.set_xlabel("AP, all judgments")
        axis.set_xlim(0, highest)
        axis.set_ylim(0, highest)
        axis.set_aspect("equal")
    axes[0].set_ylabel(f"{label}, sampled judgments")


def _in_files(label: str) -> str:
    """A measure's name as part of a file name."""
    return "".join(one if one.isalnum() or one in "-.@" else "-" for one in label).strip("-")


def nearest(table: Table, label: str, rate: float) -> dict[str, Any]:
    """Return the row of the most typical sample: its RMS error is nearest to the samples' mean."""
    rows = [row for row in table.to_dicts() if (row["measure"], row["rate"]) == (label, rate)]
    of_all = mean(row["rms"] for row in rows)
    return min(rows, key=lambda row: abs(row["rms"] - of_all))


@documented
def incomplete(
    qrels: QrelsLike,
    runs: Runs,
    directory: str | os.PathLike[str],
    *,
    rates: Sequence[float] = RATES,
    samples: int = 10,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    rel: float = 1,
    pool_depth: int | None = None,
    sampling: Literal["bernoulli", "simple-random"] = "bernoulli",
    seed: int = 0,
    qrels_format: QrelsFormat = "auto",
    plots: Plots = "svg",
    restart: bool = False,
    threads: int | None = None,
) -> Result:
    """Show how well measures still rank your runs if you have only a sample of the judgments.

    The study draws samples of the judgments, and evaluates the runs by bpref-10, bpref, indAP, subAP, infAP, AP and
    nDCG with each. Then it compares the runs' means with their AP by all judgments. It reports Kendall's tau, the
    linear correlation and the RMS error. You need two runs or more.

    Parameters
    ----------
    rates : sequence of float
        Which shares of the judgments to keep, such as ``(0.5, 0.1)``. The share 1, all judgments, is always included.
    samples : int
        How many samples to draw at each rate below 1.
    measures : measures or their names, optional
        Which measures to compare with AP, which is always included. The names bpref-10, bpref, indAP, subAP, infAP, AP
        and nDCG mean the measures of Yilmaz & Aslam's paper. In other names, ``{p}`` is replaced by the share of the
        judgments, as in ``"subAP(p={p})"``.
    rel : float
        The lowest relevant grade for AP and the default measures, except nDCG.
    pool_depth : int, optional
        How deep the pool of complete judgments is. By default, all judgments of the qrels are complete judgments. With
        a depth, only those of the pool are, as in the paper: the first `pool_depth` documents of every run. Those among
        them without a judgment count as not relevant.
    sampling : str
        How to draw a sample, say at a rate of 0.1. ``"bernoulli"``: keep each judgment with a probability of 0.1.
        ``"simple-random"``: keep exactly a tenth of each query's judgments, and at least one, as in the paper.
    seed : int
        Seed of the samples. The same seed gives the same samples.

    Returns
    -------
    Result
        ``rows`` has a row for every sample and measure.

    References
    ----------
    Yilmaz & Aslam 2006, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM.
    """
    if sampling not in SAMPLINGS:
        raise UntiedError(f"sampling must be one of {', '.join(SAMPLINGS)}, not {sampling!r}")
    settings = {**checked(rates, samples, measures, rel, pool_depth, seed), "sampling": sampling}
    study = Incomplete(Inputs(qrels, runs, qrels_format=qrels_format, threads=threads), settings)
    return conduct(study, directory, plots=plots, restart=restart)
