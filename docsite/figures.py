"""The two pictures of the first page, drawn from the bundled runs and from the table of the page on performance.

``python -m docsite.figures`` writes them into ``docs/images``; a test holds them to what they show.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

import untied
from docsite.navigation import ROOT
from untied.results.plotting import BY_DOCID, COLORS, FIRST, TIE_RANGE

EXAMPLE = ROOT / "examples" / "tar2017"
RUNS = ("amc", "qut", "uos", "waterloo")
STYLE = "<style>svg { color: #222 } @media (prefers-color-scheme: dark) { svg { color: #ddd } }</style>"
WIDTH, LEFT, ROW = 460, 96, 30
RANGE, DOCID, OURS = COLORS[TIE_RANGE], COLORS[BY_DOCID], COLORS[FIRST]


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


FIGURES = {"ties.svg": ties, "speed.svg": speed}

if __name__ == "__main__":
    for name, draw in FIGURES.items():
        (ROOT / "docs" / "images" / name).write_text(draw(), encoding="utf-8")
