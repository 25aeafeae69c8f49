"""Measures for incomplete judgments held against AP with all judgments, run by run; what two studies share.

With a_i the mean AP of run i with all judgments, e_i the mean of an estimate, N runs:

    RMS = sqrt((1/N) sum of (e_i - a_i)^2)
"""

from __future__ import annotations

import math

from untied.correlation import kendall
from untied.errors import UntiedError
from untied.plotting import COLORS, DASHES
from untied.study.frame import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from untied.study.frame import Inputs

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
#: Those on the scale of AP.
ON_SCALE = PLOTTED[:-1]
MARKERS = ("o", "s", "^", "v", "D", "x", "+")

STATISTICS = {
    "kendall": "Kendall's tau between the rankings of the runs, tied pairs counting 0",
    "linear": "linear correlation (Pearson) with it",
    "rms": "root of the mean square error",
    "mean": "the measure's mean over runs",
    "drift": "that mean, less the one with everything kept",
}
TITLES = {
    "kendall": "Kendall's τ",
    "linear": "linear correlation ρ",
    "rms": "RMS error",
    "mean": "mean over runs and queries",
}


def names(rel: float, p: float) -> list[str]:
    """Names of the measures."""
    return [name.format(rel=f"{rel:g}", p=f"{p!r}") for name in MEASURES.values()]


def need_runs(inputs: Inputs) -> None:
    """Refuse fewer than two runs, which cannot be ranked."""
    if len(inputs.runs) < 2:
        raise UntiedError(f"a ranking of runs needs at least 2 runs, found {len(inputs.runs)}")


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


def by_rate(
    means: Mapping[tuple[str, float], Mapping[str, float]], rates: Sequence[float], statistic: str, first: str
) -> str:
    """A statistic in Markdown: a line for every rate, a column for every measure."""
    rows = [[f"{rate:g}", *(f"{means[label, rate][statistic]:.4f}" for label in MEASURES)] for rate in rates]
    return markdown([first, *MEASURES], rows)


def look(label: str) -> dict[str, Any]:
    """Colour, line and marker of a measure, the same in every plot."""
    number = PLOTTED.index(label)
    return {"color": COLORS[number], "linestyle": DASHES[number % len(DASHES)], "marker": MARKERS[number]}


def draw_lines(
    axis: Any,
    means: Mapping[tuple[str, float], Mapping[str, float]],
    rates: Sequence[float],
    statistic: str,
    labels: Sequence[str],
) -> None:
    """One line for each measure, from everything kept on the left to little on the right."""
    # Those that matter most last, so that they are on top.
    for label in reversed(labels):
        values = [means[label, rate][statistic] for rate in rates]
        axis.plot(rates, values, label=label, markersize=3, linewidth=1, markeredgewidth=0.8, **look(label))
    axis.set_ylabel(TITLES[statistic])
    axis.grid(axis="y", color="0.9", linewidth=0.5)
    axis.set_axisbelow(True)


def add_legend(figure: Any, axis: Any, columns: int) -> None:
    """One legend for all panels, below them."""
    handles, labels = axis.get_legend_handles_labels()
    order = [labels.index(label) for label in PLOTTED if label in labels]
    figure.legend(
        [handles[i] for i in order],
        [labels[i] for i in order],
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        handlelength=3,
    )
