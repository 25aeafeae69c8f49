"""The partial order of runs that is certain, and its picture: a Hasse diagram."""

from __future__ import annotations

from untied._core import show_id
from untied.results.plotting import COLORS, picture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    #: A run, or the place of a line to a run in a layer that it passes.
    Node: TypeAlias = str | tuple[str, int]

#: The most letters of a name, and of a line of names.
LETTERS, WIDE = 26, 44
#: Inches: of a letter, a row with one line, every further line, and the space between layers and between boxes.
LETTER, ROW, LINE, GAP, SPACE = 0.062, 0.27, 0.125, 0.2, 0.16
#: What more room there is above a layer: a share of how far its lines run to the side, and the most, in inches.
STEEP, ROOM = 0.1, 1.5
#: Rounds of ordering the runs of each layer by their neighbours, and of moving them there.
ROUNDS = 24


def betters(runs: Iterable[str], verdicts: Mapping[tuple[str, str], str]) -> dict[str, set[str]]:
    """For each run those that are certainly better, by the verdicts about pairs."""
    found: dict[str, set[str]] = {run: set() for run in runs}
    for (a, b), verdict in verdicts.items():
        if verdict != "open":
            ahead, behind = (a, b) if verdict == "A" else (b, a)
            found[behind].add(ahead)
    return found


def covered(better: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """For each run those that are certainly better with none in between: the transitive reduction.

    A verdict is left out only if it follows from two others. "Certainly better" has no cycles: a run that is certainly
    better is better if no unjudged document is relevant.
    """
    return {run: above - {far for near in above for far in better[near]} for run, above in better.items()}


def unmarked(better: Mapping[str, set[str]]) -> int:
    """The number of open pairs that a path of certain verdicts joins.

    Bounds that only enclose, and documents that only a third run retrieves, can leave a pair open although both are
    decided against a run in between.
    """
    return sum(len({far for near in above for far in better[near]} - above) for above in better.values())


def depths(better: Mapping[str, set[str]]) -> dict[str, int]:
    """For each run the length of the longest chain of better ones above it."""
    depth: dict[str, int] = {}
    for run in sorted(better, key=lambda run: len(_above(run, better))):
        depth[run] = 1 + max((depth[above] for above in better[run]), default=-1)
    return depth


def _above(run: str, better: Mapping[str, set[str]]) -> set[str]:
    """All runs above this one, directly or through others; it is drawn after them."""
    seen: set[str] = set()
    left = [run]
    while left:
        new = better[left.pop()] - seen
        seen |= new
        left += new
    return seen


def draw(orders: Mapping[str, Mapping[str, set[str]]], ranks: Mapping[str, Mapping[str, str]], style: str) -> bytes:
    """Draw what is certain: a Hasse diagram for each measure, side by side.

    By measure and run, `orders` has the runs that are certainly better, and `ranks` the ranks that it can have, in
    words.
    """
    panels = [_Panel(measure, better, ranks[measure]) for measure, better in orders.items()]
    size = (sum(panel.width for panel in panels), max(panel.height for panel in panels))

    def fill(figure: Any) -> None:
        figure.set_layout_engine("none")
        left = 0.0
        for panel in panels:
            width, height = panel.width / size[0], panel.height / size[1]
            axes = figure.add_axes((left, 1 - height, width, height))
            panel.draw(axes)
            left += width

    return picture(fill, size, style)


class _Box:
    """Runs that are drawn as one, with the ranks that each of them can have."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    @property
    def width(self) -> float:
        """Inches."""
        return 0.14 + LETTER * max(map(len, self.lines))

    @property
    def height(self) -> float:
        """Inches, with the space around it."""
        return ROW + LINE * (len(self.lines) - 1)


class _Panel:
    """The diagram of a measure, in inches from its upper left corner."""

    def __init__(self, measure: str, better: Mapping[str, set[str]], ends: Mapping[str, str]) -> None:
        self.title = measure
        groups = alike(better)
        self._boxes = {group[0]: _Box(_lines(group, ends[group[0]])) for group in groups}
        among = {first: better[first] & set(self._boxes) for first in self._boxes}
        self._layers, self._lines = laid_out(depths(among), covered(among))
        decided = sum(map(len, better.values()))
        pairs = len(better) * (len(better) - 1) // 2
        self._said = [f"{decided:,} of {pairs:,} pairs are certain; numbers are possible ranks"]
        hidden = unmarked(better)
        if hidden:
            self._said.append(f"{hidden:,} open pairs are joined by lines, too")
        self._x = placed(self._layers, self._lines, self._width)
        edges = [x + sign * self._width(node) / 2 for node, x in self._x.items() for sign in (-1, 1)]
        self._left = min(edges)
        self._inside = max(edges) - self._left
        self.width = 0.3 + max(self._inside, LETTER * max(map(len, [measure, *self._said])))
        # Lines that run far to the side have more room, so that they are not flat.
        farthest = dict.fromkeys(range(len(self._layers)), 0.0)
        number = {node: layer for layer, nodes in enumerate(self._layers) for node in nodes}
        for upper, lower in self._lines:
            far = abs(self._x[upper] - self._x[lower])
            farthest[number[lower]] = max(farthest[number[lower]], far)
        self._above = [min(STEEP * far, ROOM) for far in farthest.values()]
        heights = sum(map(self._height, self._layers)) + sum(self._above)
        self.height = 0.36 + heights + len(self._layers) * GAP + 0.16 * len(self._said) + 0.1

    def _width(self, node: Node) -> float:
        return (self._boxes[node].width if isinstance(node, str) else 0.0) + SPACE

    def _height(self, layer: Sequence[Node]) -> float:
        return max(self._boxes[node].height for node in layer if isinstance(node, str))

    def draw(self, axes: Any) -> None:
        """Draw into axes of this size."""
        axes.set_xlim(0, self.width)
        axes.set_ylim(self.height, 0)
        axes.axis("off")
        axes.text(self.width / 2, 0.18, self.title, ha="center", va="center", fontsize=9, fontweight="bold")
        shift = (self.width - self._inside) / 2 - self._left
        y: dict[Node, float] = {}
        top = 0.36
        for number, layer in enumerate(self._layers):
            top += self._above[number]
            height = self._height(layer) + GAP
            if number % 2 == 0:
                axes.axhspan(top, top + height, color="0.955", linewidth=0, zorder=0)
            y |= dict.fromkeys(layer, top + height / 2)
            top += height
        for upper, lower in self._lines:
            x = [self._x[upper] + shift, self._x[lower] + shift]
            axes.plot(
                x,
                [y[upper], y[lower]],
                color=COLORS[0],
                linewidth=0.8 if len(self._lines) <= 60 else 0.5,
                solid_capstyle="round",
                zorder=1,
            )
        look = {"boxstyle": "round,pad=0.22,rounding_size=0.25", "facecolor": "white", "edgecolor": "0.55", "lw": 0.6}
        for run, box in self._boxes.items():
            text, x_of_run = "\n".join(box.lines), self._x[run] + shift
            axes.text(
                x_of_run, y[run], text, ha="center", va="center", fontsize=7, linespacing=1.15, bbox=look, zorder=2
            )
        for number, said in enumerate(self._said):
            axes.text(
                self.width / 2, top + 0.12 + 0.16 * number, said, ha="center", va="center", fontsize=7, color="0.35"
            )


def laid_out(
    depth: Mapping[str, int], cover: Mapping[str, set[str]]
) -> tuple[list[list[Node]], list[tuple[Node, Node]]]:
    """Layers from left to right, so that few lines cross, and the lines from each layer to the next.

    A line that passes layers has a place of its own in each, a pair of the run where it ends and the layer: it cannot
    be taken for a line to a run between. Lines to the same run share these places.
    """
    made: list[list[Node]] = [[] for _ in range(1 + max(depth.values()))]
    lines: dict[tuple[Node, Node], None] = {}
    for run, number in depth.items():
        made[number].append(run)
        for one in sorted(cover[run]):
            passed = [(run, between) for between in range(depth[one] + 1, number)]
            for node in passed:
                if node not in made[node[1]]:
                    made[node[1]].append(node)
            lines |= dict.fromkeys(zip([one, *passed], [*passed, run], strict=True))
    up: dict[Node, list[Node]] = {node: [] for layer in made for node in layer}
    down: dict[Node, list[Node]] = {node: [] for node in up}
    for upper, lower in lines:
        up[lower].append(upper)
        down[upper].append(lower)
    for turn in range(ROUNDS):
        neighbours = up if turn % 2 == 0 else down
        place = {node: (n + 0.5) / len(layer) for layer in made for n, node in enumerate(layer)}
        for layer in made if turn % 2 == 0 else made[::-1]:
            near = {node: [place[one] for one in neighbours[node]] or [place[node]] for node in layer}
            wanted = {node: sum(places) / len(places) for node, places in near.items()}
            layer.sort(key=wanted.__getitem__)
            place |= {node: (n + 0.5) / len(layer) for n, node in enumerate(layer)}
    return made, list(lines)


def placed(
    made: Sequence[Sequence[Node]], lines: Iterable[tuple[Node, Node]], width: Callable[[Node], float]
) -> dict[Node, float]:  # fmt: skip
    """Where each node is from left to right: near those that it is joined with, and none on another."""
    joined: dict[Node, list[Node]] = {node: [] for layer in made for node in layer}
    for upper, lower in lines:
        joined[upper].append(lower)
        joined[lower].append(upper)
    x = dict.fromkeys(joined, 0.0)
    for turn in range(ROUNDS):
        for layer in made if turn % 2 == 0 else made[::-1]:
            wanted = [sum(x[one] for one in joined[node] or [node]) / len(joined[node] or [node]) for node in layer]
            offsets, at = [], 0.0
            for node in layer:
                offsets.append(at + width(node) / 2)
                at += width(node)
            rising = _rising([want - offset for want, offset in zip(wanted, offsets, strict=True)])
            x |= {node: low + offset for node, low, offset in zip(layer, rising, offsets, strict=True)}
    return x


def _rising(numbers: Sequence[float]) -> list[float]:
    """The closest numbers that never fall, by least squares: neighbours that would fall share their mean."""
    pools: list[tuple[float, int]] = []
    for number in numbers:
        pools.append((number, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (one, n), (other, m) = pools[-2:]
            pools[-2:] = [((one * n + other * m) / (n + m), n + m)]
    return [mean for mean, count in pools for _ in range(count)]


def alike(better: Mapping[str, set[str]]) -> list[list[str]]:
    """Runs in groups of the same better and the same worse ones, in their order."""
    worse: dict[str, set[str]] = {run: set() for run in better}
    for run, above in better.items():
        for one in above:
            worse[one].add(run)
    groups: dict[tuple[frozenset[str], frozenset[str]], list[str]] = {}
    for run in better:
        groups.setdefault((frozenset(better[run]), frozenset(worse[run])), []).append(run)
    return list(groups.values())


def _lines(group: Sequence[str], ends: str) -> list[str]:
    """The text of a box: names, a few in a line, and ranks."""
    names = [_cut(show_id(run)) for run in group]
    if len(names) == 1:
        return [f"{names[0]}  {ends}"]
    lines = [""]
    for name in names:
        if lines[-1] and len(lines[-1]) + 2 + len(name) > WIDE:
            lines.append("")
        lines[-1] += f"  {name}" if lines[-1] else name
    return [*lines, ends]


def _cut(name: str) -> str:
    return name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"
