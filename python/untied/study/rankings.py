"""Comparisons of rankings of runs, as counts and as a picture."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

from untied._core import Run
from untied.comparison.correlation import kendall, swapped, tau_ap
from untied.study.frame import DIGITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence
    from typing import Any

    from untied.study.rows import Row

#: What `correlations` returns, by column.
COLUMNS = {
    "tau": "Kendall's tau_b of the two rankings of runs",
    "tau_ap": "symmetric tau_AP of the two rankings of runs",
    "swapped": "pairs of runs that the two rankings put in opposite order",
    "tied": "pairs of runs with equal values in the first ranking",
    "to_tied": "pairs of runs with equal values in the second ranking",
    "pairs": "pairs of runs",
}


def first_documents(run: Run, queries: Iterable[str], depth: int) -> Run:
    """Return the first documents of each ranking of these queries. Tied ones are in the order of the input."""
    rankings = {query: sorted(run[query], key=lambda scored: -scored[1]) for query in queries if query in run}
    return Run.from_mapping({query: dict(ranking[:depth]) for query, ranking in rankings.items()})


def correlations(one: Mapping[str, float], other: Mapping[str, float]) -> Row:
    """Return how far two rankings of the same runs agree, as the values of `COLUMNS`."""
    tau, ap = kendall(one, other, variant="b").mean, tau_ap(one, other, variant="b").mean
    count = len(one)
    return (tau, ap, swapped(one, other), tied(one.values()), tied(other.values()), count * (count - 1) // 2)


def tied(values: Iterable[Hashable]) -> int:
    """Count pairs of equal values."""
    return sum(count * (count - 1) // 2 for count in Counter(values).values())


def reversible(of_runs: Mapping[str, tuple[float, float, float]]) -> Row:
    """Count the pairs of runs that can change places, given each run's value and its lowest and highest value.

    The row has the pair with the largest difference of those that can, the better run first; then the number of pairs,
    how many can change places, and that difference.
    """
    number, pairs, widest = 0, 0, (0.0, "", "")
    for (a, one), (b, other) in combinations(of_runs.items(), 2):
        pairs += 1
        ahead, behind, names = (one, other, (a, b)) if one[0] >= other[0] else (other, one, (b, a))
        difference = round(ahead[0] - behind[0], DIGITS)
        if difference > 0 and round(behind[2] - ahead[1], DIGITS) > 0:
            number += 1
            widest = max(widest, (difference, *names))
    return widest[1], widest[2], pairs, number, widest[0]


def draw_agreement(figure: Any, rows: Mapping[tuple[str, str], Row], measures: Sequence[str]) -> None:
    """Draw tau_b of each two measures above the diagonal, and tau_AP below."""
    axis = figure.subplots()
    size = len(measures)
    cells = [[math.nan] * size for _ in range(size)]
    for (one, other), (tau, ap, *_) in rows.items():
        i, j = measures.index(one), measures.index(other)
        cells[i][j], cells[j][i] = tau, ap
    low = min((cell for row in cells for cell in row if not math.isnan(cell)), default=0.0)
    image = axis.imshow(cells, cmap="cividis", vmin=low, vmax=1)
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            if not math.isnan(cell):
                dark = cell < (low + 1) / 2
                axis.text(j, i, f"{cell:.2f}", ha="center", va="center", fontsize=7, color="white" if dark else "black")
    axis.set_xticks(range(size), measures, rotation=40, ha="right", rotation_mode="anchor")
    axis.set_yticks(range(size), measures)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axis, shrink=0.8, pad=0.02)
    bar.set_label("tau_b (above), tau_AP (below)")
    bar.outline.set_visible(False)
