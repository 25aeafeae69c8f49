"""Which runs are certainly better than which, and a picture of their possible ranks."""

from __future__ import annotations

from untied._core import show_id
from untied.results.plotting import COLORS, FIRST, SECOND, picture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

#: The most letters of a name.
LETTERS = 26
#: Inches: of a letter, a run's row or column, and everything around rows and columns.
LETTER, ROW, AROUND = 0.062, 0.16, 1.1
#: The matrix's colours: the row's run is certainly worse, no verdict, certainly better.
WORSE, OPEN, BETTER = COLORS[SECOND], "#EEEEEE", COLORS[FIRST]


def betters(runs: Iterable[str], verdicts: Mapping[tuple[str, str], str]) -> dict[str, set[str]]:
    """For each run those that are certainly better, by the verdicts about pairs."""
    better: dict[str, set[str]] = {run: set() for run in runs}
    for (a, b), verdict in verdicts.items():
        if verdict != "open":
            ahead, behind = (a, b) if verdict == "A" else (b, a)
            better[behind].add(ahead)
    return better


def covered(better: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """For each run those that are certainly better with none in between: the transitive reduction.

    A verdict is left out only if it follows from two others. "Certainly better" has no cycles: a run that is certainly
    better is better if no unjudged document is relevant.
    """
    return {run: above - {far for near in above for far in better[near]} for run, above in better.items()}


def by_rank(ranks: Mapping[str, tuple[int, int]]) -> list[str]:
    """The runs by the middle of their possible ranks, best first."""
    return sorted(ranks, key=lambda run: (sum(ranks[run]), ranks[run]))


def matrix(runs: Sequence[str], better: Mapping[str, set[str]]) -> list[list[int]]:
    """For each run and each run, 1 if the first is certainly better, -1 if it is certainly worse, else 0."""
    return [[(row in better[column]) - (column in better[row]) for column in runs] for row in runs]


def draw(
    ranks: Mapping[str, Mapping[str, tuple[int, int]]], better: Mapping[str, Mapping[str, set[str]]], style: str
) -> bytes:
    """Draw, for each measure, the best and worst rank of every run, and the verdicts about all pairs.

    By measure and run, `ranks` has the two ranks, and `better` the runs that are certainly better.
    """
    names = {run: _shortened(show_id(run)) for of_runs in ranks.values() for run in of_runs}
    side = ROW * len(names)
    margin = LETTER * max(map(len, names.values()))
    size = (margin + 2 * max(side, 2.2) + 0.9, len(ranks) * (side + margin + AROUND))

    def fill(figure: Any) -> None:
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        panels = figure.subplots(len(ranks), 2, squeeze=False, sharey="row")
        for (left, right), (measure, of_runs) in zip(panels, ranks.items(), strict=True):
            runs = by_rank(of_runs)
            rows, labels = range(len(runs)), [names[run] for run in runs]
            best = [of_runs[run][0] for run in runs]
            widths = [1 + of_runs[run][1] - of_runs[run][0] for run in runs]
            left.barh(rows, widths, left=[rank - 0.5 for rank in best], height=0.6, color="0.55")
            left.set(title=measure, xlabel="possible ranks", xlim=(0.5, len(runs) + 0.5))
            left.xaxis.get_major_locator().set_params(integer=True)
            left.set_yticks(rows, labels, parse_math=False)
            left.tick_params(axis="y", length=0)
            cells = matrix(runs, better[measure])
            colors = ListedColormap([WORSE, OPEN, BETTER])
            # Cells are as high as the rows beside them, which a fixed aspect would not allow.
            right.imshow(cells, colors, vmin=-1, vmax=1, interpolation="none", aspect="auto")
            decided = sum(map(len, better[measure].values()))
            right.set_title(f"{decided:,} of {len(runs) * (len(runs) - 1) // 2:,} pairs are certain")
            right.set_xticks(rows, labels, rotation=90, parse_math=False)
            right.tick_params(length=0)
        meanings = ((BETTER, "row certainly better"), (WORSE, "row certainly worse"), (OPEN, "open"))
        figure.legend(
            handles=[Patch(color=color, label=meaning) for color, meaning in meanings],
            loc="outside lower center", ncols=3, frameon=False,
        )  # fmt: skip

    return picture(fill, size, style)


def _shortened(name: str) -> str:
    return name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"
