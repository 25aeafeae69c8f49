"""What the study of judging until decided found: a table for each measure, and how judgments decide pairs."""

from __future__ import annotations

from statistics import median

from untied.results.plotting import COLORS, DASHES
from untied.study.plots import Figure, ahead, grid, legend, panels
from untied.study.rows import gathered, markdown, mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from untied.results.table import Table
    from untied.study.rows import Row


#: Knows what no strategy can know, so it is not counted among them.
FORESIGHT = "foresight"


def strategies(rows: Sequence[Row]) -> list[Row]:
    """Return, by measure and strategy: pairs, decided pairs, median, mean share, and pairs that it wins."""
    of_strategy = gathered(((measure, strategy), row) for row in rows for measure, _, _, strategy, *_ in (row,))
    fewest: dict[Row, int] = {}
    for measure, a, b, strategy, needed, _ in rows:
        if needed is not None and strategy != FORESIGHT:
            fewest[measure, a, b] = min(needed, fewest.get((measure, a, b), needed))
    lines = []
    for (measure, strategy), mine in of_strategy.items():
        decided = [row for row in mine if row[4] is not None]
        least = None if strategy == FORESIGHT else sum(row[4] == fewest[row[:3]] for row in decided)
        middle = median(row[4] for row in decided) if decided else None
        share = mean(row[4] / row[5] for row in decided) if decided else None
        lines.append((measure, strategy, len(mine), len(decided), middle, share, least))
    return lines


def pieces(tables: Mapping[str, Table], name: str, settings: Mapping[str, Any]) -> Iterator[str | Figure]:
    """Yield the pieces of the summary."""
    yield (
        f"The study starts without judgments. For each pair of runs and each strategy, documents of the first "
        f"{settings['depth']} ranks are then judged in the order of the strategy, until `untied certify` decides which "
        "run is better. The verdict is decided once it holds for all grades that the other documents could have. "
        "*foresight* knows all grades. With P, no strategy can need fewer judgments than *foresight*.\n"
    )
    measures = settings["measures"]
    rows = list(tables[name].rows())

    def draw(figure: Any) -> None:
        for axis, measure in zip(panels(figure, len(measures), 2, sharey=True), measures, strict=True):
            mine = [row for row in rows if row[0] == measure]
            of_strategy = gathered((strategy, needed) for *_, strategy, needed, _ in mine)
            for number, (strategy, needed) in enumerate(of_strategy.items()):
                known = sorted(one for one in needed if one is not None)
                shares = [100 * (place + 1) / len(needed) for place in range(len(known))]
                look = {"color": COLORS[number % len(COLORS)], "linestyle": DASHES[number % len(DASHES)]}
                axis.step([0, *known], [0, *shares], where="post", label=strategy, **look)
            axis.set_title(measure, loc="left")
            grid(axis, "y")
            ahead(axis)
            axis.set_xlabel("judgments")
            axis.set_ylabel("pairs decided, %")
        legend(figure, "lower center", 6, columnspacing=1.2)

    caption = "How many pairs of runs are decided after a given number of judgments, by strategy"
    yield Figure("decided", caption, (6.8, 0.5 + 2.3 * -(-len(measures) // 2)), draw)
    for measure in measures:
        table = [row[1:] for row in tables[f"{name}-strategies"].rows() if row[0] == measure]
        yield f"## {measure}\n"
        yield markdown(
            ["strategy", "pairs decided", "median number of judgments", "share of documents judged",
             "pairs with the fewest judgments"],
            [
                [strategy, f"{decided} of {pairs}", _number(middle), "" if share is None else f"{100 * share:.1f} %",
                 _number(fewest)]
                for strategy, pairs, decided, middle, share, fewest in table
            ],
        )  # fmt: skip


def _number(middle: float | None) -> str:
    return "" if middle is None else f"{middle:,.0f}"
