"""Pictures of the documentation, drawn from the bundled runs, small examples and the table of the page on performance.

``python -m docsite.figures`` writes them into ``docs/images``; a test compares these files with what is drawn anew.
"""

from __future__ import annotations

import itertools
import re
import tempfile
from contextlib import chdir
from xml.sax.saxutils import escape

import untied
from docsite import examples
from docsite.navigation import ROOT
from untied.results.plotting import BY_DOCID, COLORS, FIRST, SECOND, TIE_RANGE
from untied.statistics import estimate_runs, significance
from untied.statistics.judged_runs import by_people_alone

EXAMPLE = ROOT / "examples" / "tar2017"
RUNS = ("amc", "qut", "uos", "waterloo")
STYLE = "<style>svg { color: #222 } @media (prefers-color-scheme: dark) { svg { color: #ddd } }</style>"
WIDTH, LEFT, ROW = 460, 96, 30
RANGE, DOCID, OURS, OTHER = COLORS[TIE_RANGE], COLORS[BY_DOCID], COLORS[FIRST], COLORS[SECOND]
TEXT = "currentColor"


def svg(title: str, height: int, parts: list[str]) -> str:
    """A picture that takes its colour from the page, or from the system where it stands alone."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" fill="currentColor"'
        f' font-family="system-ui, sans-serif" font-size="13"><title>{escape(title)}</title>{STYLE}\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def text(x: float, y: float, words: str, anchor: str = "start", more: str = "") -> str:
    """Words at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def ties() -> str:
    """AP of the bundled runs: the mean over orders of ties, what one order gives, and what others could give."""
    parts, right = [], WIDTH - 16

    def at(value: float) -> float:
        return LEFT + value * (right - LEFT)

    bottom = 12 + ROW * len(RUNS)
    parts.append(text(LEFT - 12, bottom + 16, "AP", "end", ' opacity=".7" font-size="11"'))
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<path d="M{at(tick):.1f} 8V{bottom}" stroke="currentColor" opacity=".15"/>')
        parts.append(text(at(tick), bottom + 16, f"{tick:g}", "middle", ' opacity=".7" font-size="11"'))
    for row, name in enumerate(RUNS):
        y = 12 + ROW * (row + 0.5)
        run = EXAMPLE / f"{name}.run"
        found = untied.evaluate(EXAMPLE / "qrels.txt", run, ["AP"], ties="range").value("AP")
        one = untied.evaluate(EXAMPLE / "qrels.txt", run, ["AP"], ties="docid").value("AP").mean
        low, high = found.low or 0, found.high or 0
        parts.append(text(LEFT - 12, y + 4, name, "end"))
        parts.append(
            f'<rect x="{at(low):.1f}" y="{y - 7:.1f}" width="{max(2, at(high) - at(low)):.1f}" height="14" rx="3"'
            f' fill="{RANGE}"/>'
        )
        parts.append(f'<path d="M{at(one):.1f} {y - 9:.1f}v18" stroke="{DOCID}" stroke-width="3"/>')
        parts.append(f'<circle cx="{at(found.mean):.1f}" cy="{y:.1f}" r="5"/>')
    y = bottom + 38
    parts.append(f'<circle cx="{LEFT + 5}" cy="{y - 4}" r="5"/>' + text(LEFT + 16, y, "exact mean"))
    parts.append(
        f'<rect x="{LEFT + 100}" y="{y - 11}" width="22" height="14" rx="3" fill="{RANGE}"/>'
        + text(LEFT + 128, y, "all orders of ties")
    )
    parts.append(
        f'<path d="M{LEFT + 252} {y - 13}v18" stroke="{DOCID}" stroke-width="3"/>'
        + text(LEFT + 260, y, "by document id")
    )
    return svg("Average precision of four runs, and what the order of tied documents could make of it", y + 10, parts)


def speed() -> str:
    """CPU seconds of whole processes, from the table of the page on performance."""
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    names = {"untied eval -q": "untied", "pytrec_eval": "pytrec_eval", "ir_measures -q": "ir_measures", "ranx": "ranx"}
    found: dict[str, float] = {}
    for line in page.splitlines():
        cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        name = next((name for start, name in names.items() if cells[0].startswith(start)), None)
        if name and name not in found and len(cells) == 4:
            found[name] = float(cells[3].split("/")[0])
    longest, parts = max(found.values()), []
    for row, (name, seconds) in enumerate(found.items()):
        y = 12 + ROW * (row + 0.5)
        width = seconds / longest * (WIDTH - LEFT - 60)
        colour = f' fill="{OURS}"' if name == "untied" else ' opacity=".45"'
        parts.append(text(LEFT - 12, y + 4, name, "end"))
        parts.append(f'<rect x="{LEFT}" y="{y - 8:.1f}" width="{width:.1f}" height="16" rx="3"{colour}/>')
        parts.append(text(LEFT + width + 8, y + 4, re.sub(r"^0", "", f"{seconds:.3g}") + " s"))
    return svg("CPU seconds to evaluate 7 million lines", 12 + ROW * len(found) + 8, parts)


def circle(x: float, y: float, radius: float, colour: str = TEXT, *, filled: bool = True) -> str:
    """A dot, or a ring."""
    paint = f'fill="{colour}"' if filled else f'fill="none" stroke="{colour}" stroke-width="1.5"'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" {paint}/>'


def bar(left: float, right: float, y: float, colour: str, *, height: float = 14, opacity: float = 1) -> str:
    """A bar around a height, at least two pixels long."""
    return (
        f'<rect x="{left:.1f}" y="{y - height / 2:.1f}" width="{max(2, right - left):.1f}" height="{height:g}" rx="3"'
        f' fill="{colour}" opacity="{opacity:g}"/>'
    )


def line(x1: float, y1: float, x2: float, y2: float, colour: str = TEXT, more: str = ' stroke-width="1.5"') -> str:
    """A line between two points."""
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}"{more}/>'


def tied_orders() -> str:
    """All orders of four tied documents, two of them relevant, with their AP and the mean."""
    qrels = {"q": {"a": 1, "b": 1}}
    tied = dict.fromkeys("abcd", 1.0)
    mean = untied.evaluate(qrels, {"q": tied}, "AP").value("AP").mean
    left, right, parts = 178, WIDTH - 66, list[str]()

    def at(value: float) -> float:
        return left + value * (right - left)

    parts.append(text(70, 16, "order of the tie", "middle", ' opacity=".7"'))
    parts.append(text(WIDTH - 8, 16, "AP", "end", ' opacity=".7"'))
    orders = sorted(set(itertools.permutations("rrnn")), reverse=True)
    bottom = 28 + 26 * len(orders)
    for row, order in enumerate(orders):
        y = 28 + 26 * (row + 0.5)
        names = {"r": iter("ab"), "n": iter("cd")}
        ranked = [next(names[kind]) for kind in order]
        value = untied.evaluate(qrels, {"q": ranked}, "AP").value("AP").mean
        parts += [circle(25 + 30 * rank, y, 8, OURS, filled=kind == "r") for rank, kind in enumerate(order)]
        parts.append(line(at(0), y, at(1), y, more=' opacity=".15"'))
        parts.append(circle(at(value), y, 5))
        parts.append(text(WIDTH - 8, y + 4, f"{value:.4f}", "end"))
    parts.append(line(at(mean), 24, at(mean), bottom + 4, DOCID, ' stroke-width="2" stroke-dasharray="5 3"'))
    parts.append(text(at(mean), bottom + 20, f"mean {mean:.4f}", "middle", f' fill="{DOCID}"'))
    parts.append(circle(17, bottom + 16, 6, OURS) + text(28, bottom + 20, "relevant"))
    parts.append(circle(95, bottom + 16, 6, OURS, filled=False) + text(106, bottom + 20, "not relevant"))
    return svg(
        "The six orders of four tied documents, two of them relevant, with their AP and its mean", bottom + 30, parts
    )


def unjudged() -> str:
    """P@10 of the bundled runs after every third judgment was taken away, and what the missing ones could add."""
    lines = (EXAMPLE / "qrels.txt").read_text(encoding="utf-8").splitlines()
    qrels: dict[str, dict[str, int]] = {}
    for number, (query, _, document, grade) in enumerate(map(str.split, lines), 1):
        if number % 3:
            qrels.setdefault(query, {})[document] = int(grade)
    found = untied.evaluate(qrels, [EXAMPLE / f"{name}.run" for name in RUNS], "P@10", unjudged="range")
    parts, right = list[str](), WIDTH - 56

    def at(value: float) -> float:
        return LEFT + value / 0.6 * (right - LEFT)

    bottom = 12 + ROW * len(RUNS)
    parts.append(text(LEFT - 12, bottom + 16, "P@10", "end", ' opacity=".7" font-size="11"'))
    for tick in (0, 0.2, 0.4, 0.6):
        parts.append(line(at(tick), 8, at(tick), bottom, more=' opacity=".15"'))
        parts.append(text(at(tick), bottom + 16, f"{tick:g}", "middle", ' opacity=".7" font-size="11"'))
    for row, name in enumerate(RUNS):
        y = 12 + ROW * (row + 0.5)
        value = found.value("P@10", run=name)
        high = value.high or 0
        parts.append(text(LEFT - 12, y + 4, name, "end"))
        parts += [bar(at(0), at(high), y, RANGE, opacity=0.6), bar(at(0), at(value.mean), y, OURS)]
        parts.append(text(at(high) + 6, y + 4, f"{high:.2f}", "start", ' opacity=".7"'))
    y = bottom + 34
    parts.append(bar(LEFT, LEFT + 22, y, OURS) + text(LEFT + 28, y + 4, "judged relevant"))
    parts.append(bar(LEFT + 150, LEFT + 172, y, RANGE, opacity=0.6) + text(LEFT + 178, y + 4, "never judged"))
    return svg("P@10 of four runs, and what a third of the judgments, taken away, could add", y + 14, parts)


def survives() -> str:
    """The differences in R@200 of all pairs of bundled runs: intervals, and the range over all orders of ties."""
    runs = [EXAMPLE / f"{name}.run" for name in RUNS]
    results = untied.evaluate(EXAMPLE / "qrels.txt", runs, "R@200", ties="range")
    rows = significance(results).table.to_dicts()
    left, right, parts = 132, WIDTH - 132, list[str]()

    def at(value: float) -> float:
        return left + (value + 0.8) / 1.6 * (right - left)

    top, bottom = 24, 24 + ROW * len(rows)
    parts.append(text(WIDTH - 8, 14, "survives", "end", ' opacity=".7"'))
    parts.append(text(WIDTH - 72, 14, "p", "end", ' opacity=".7"'))
    for tick in (-0.8, -0.4, 0, 0.4, 0.8):
        parts.append(line(at(tick), top - 4, at(tick), bottom, more=f' opacity="{0.6 if tick == 0 else 0.15}"'))
        parts.append(
            text(at(tick), bottom + 16, f"{tick:+g}" if tick else "0", "middle", ' opacity=".7" font-size="11"')
        )
    for row, pair in enumerate(rows):
        y = top + ROW * (row + 0.5)
        parts.append(text(left - 10, y + 4, f"{pair['run_a']} \u2212 {pair['run_b']}", "end"))
        parts.append(bar(at(pair["least"]), at(pair["most"]), y, RANGE, opacity=0.6))
        parts.append(line(at(pair["ci_low"]), y, at(pair["ci_high"]), y))
        parts.append(circle(at(pair["difference"]), y, 4.5))
        star = " *" if pair["significant"] == "yes" else ""
        parts.append(text(WIDTH - 72, y + 4, f"{pair['p_adjusted']:.3f}{star}", "end"))
        parts.append(text(WIDTH - 8, y + 4, str(pair["survives"]), "end"))
    y = bottom + 38
    parts.append(line(4, y, 26, y) + circle(15, y, 4.5) + text(32, y + 4, "R@200, 95 % interval"))
    parts.append(bar(204, 226, y, RANGE, opacity=0.6) + text(232, y + 4, "all orders of tied documents"))
    return svg(
        "Differences in R@200 between four runs, and whether they survive every order of tied documents", y + 14, parts
    )


def largest_difference() -> str:
    """Two rankings side by side, and the judgments that make their nDCG@3 differ most."""
    first, second = ["a", "b", "c"], ["b", "d", "a"]
    worst = untied.compare(first, second, "MED(nDCG@3)").assignment()
    ideal = untied.evaluate({"q": dict.fromkeys("abc", 1)}, {"q": first}, "DCG@3").value("DCG@3").mean
    qrels = {"q": {document: int(grade) for document, grade in worst.grades.items()}}
    columns, parts = {"A": (120, first), "B": (300, second)}, list[str]()
    for document in sorted({*first} & {*second}):
        parts.append(
            line(140, 48 + 38 * first.index(document), 280, 48 + 38 * second.index(document), more=' opacity=".35"')
        )
    for name, (x, ranking) in columns.items():
        parts.append(text(x, 16, f"ranking {name}", "middle", ' opacity=".7"'))
        for rank, document in enumerate(ranking):
            is_relevant = bool(worst.grades[document])
            parts.append(circle(x, 48 + 38 * rank, 15, OURS, filled=is_relevant))
            parts.append(text(x, 53 + 38 * rank, document, "middle", ' fill="#fff"' if is_relevant else ""))
        score = untied.evaluate(qrels, {"q": ranking}, "DCG@3").value("DCG@3").mean / ideal
        parts.append(text(x, 168, f"nDCG@3 = {score:.4f}", "middle"))
    parts.append(text(210, 168, "\u2212", "middle"))
    parts.append(text(210, 194, f"MED(nDCG@3) = {worst.value:.4f}", "middle", f' fill="{OTHER}" font-weight="600"'))
    parts += [text(40, 53 + 38 * rank, f"rank {rank + 1}", "middle", ' opacity=".7"') for rank in range(3)]
    parts.append(circle(364, 48, 6, OURS) + text(375, 52, "relevant"))
    parts.append(circle(364, 74, 6, OURS, filled=False) + text(375, 78, "not relevant"))
    return svg("Two rankings, and the judgments for which their nDCG@3 differs most", 204, parts)


def judges() -> str:
    """The estimates of the page on machine judges, beside what people and the machine say alone."""
    page = (ROOT / "docs" / "machine_judges.md").read_text(encoding="utf-8")
    simulation = next(block.code for block in examples.blocks(page) if block.hidden)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        exec(compile(simulation, "machine_judges.md", "exec"), {})
        runs = ["lexical.run", "neural.run"]
        human, machine = (untied.evaluate(qrels, runs, "nDCG@10") for qrels in ("human.qrels", "model.qrels"))
    rows = estimate_runs(human, machine).table.to_dicts()
    left, right, parts = 132, WIDTH - 20, list[str]()
    apart, tall, top = 12, 48, 6
    for panel, ticks in ((rows[:2], (0.55, 0.6, 0.65, 0.7, 0.75)), (rows[2:], (-0.1, -0.05, 0, 0.05, 0.1))):
        first, last = ticks[0], ticks[-1]

        def at(value: float, first: float = first, last: float = last) -> float:
            return left + (value - first) / (last - first) * (right - left)

        bottom = top + tall * len(panel)
        for tick in ticks:
            is_zero = panel[0]["run_b"] and not tick
            parts.append(line(at(tick), top, at(tick), bottom, more=f' opacity="{0.6 if is_zero else 0.15}"'))
            parts.append(text(at(tick), bottom + 16, f"{tick:g}", "middle", ' opacity=".7" font-size="11"'))
        for place, row in enumerate(panel):
            y = top + tall * (place + 0.5)
            parts.append(text(left - 12, y + 4, " \u2212 ".join(filter(None, (row["run_a"], row["run_b"]))), "end"))
            low, high = by_people_alone(row)
            parts += people(at(low), at(high), at(row["human"]), y - apart)
            parts += both(at(row["low"]), at(row["high"]), at(row["estimate"]), y)
            parts.append(cross(at(row["machine"]), y + apart))
        top = bottom + 34
    y = top + 6
    parts += [*people(4, 30, 17, y), text(36, y + 4, "people alone"), *both(132, 158, 145, y)]
    parts += [text(164, y + 4, "estimate from both"), cross(306, y), text(318, y + 4, "model alone")]
    return svg("nDCG@10 of two runs and their difference, from human and machine judgments", int(y) + 14, parts)


def people(left: float, right: float, middle: float, y: float) -> list[str]:
    """A mean by people with its interval."""
    ring = f'<circle cx="{middle:.1f}" cy="{y:.1f}" r="4" fill="none" stroke="{OURS}" stroke-width="1.5"/>'
    return [line(left, y, middle - 4, y, OURS), line(middle + 4, y, right, y, OURS), ring]


def both(left: float, right: float, middle: float, y: float) -> list[str]:
    """An estimate with its interval."""
    return [line(left, y, right, y, more=' stroke-width="2.5"'), circle(middle, y, 4.5)]


def cross(x: float, y: float) -> str:
    """A mean by a machine."""
    return (
        f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m-8 0l8 -8" stroke="{OTHER}" stroke-width="2" fill="none"/>'
    )  # fmt: skip


FIGURES = {
    "ties.svg": ties,
    "speed.svg": speed,
    "tied_orders.svg": tied_orders,
    "unjudged.svg": unjudged,
    "survives.svg": survives,
    "largest_difference.svg": largest_difference,
    "judges.svg": judges,
}

if __name__ == "__main__":
    for name, draw in FIGURES.items():
        (ROOT / "docs" / "images" / name).write_text(draw(), encoding="utf-8")
