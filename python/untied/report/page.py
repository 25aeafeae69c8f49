"""Put a report's data and its code into one page."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from html import escape

from untied.results.plotting import COLORS, FIRST, ON_DARK, SECOND, TIE_RANGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ASSETS = os.path.join(os.path.dirname(__file__), "assets")
#: Parts of the page's script, in the order in which they build on each other.
SCRIPTS = (
    "base.js",
    "data.js",
    "plots.js",
    "tables.js",
    "words.js",
    "summary.js",
    "judges.js",
    "segments.js",
    "queries.js",
    "rankings.js",
    "charts.js",
    "start.js",
)

#: Parts of the data, by the kind of page, that the answer and the first chart do not need: the page reads them later.
LATER = {
    "evaluation": ("values", "tests", "rankings", "curves", "unjudged", "ties", "distances", "judges", "segments"),
    "comparison": ("rankings",),
}

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'{may}; \
style-src 'unsafe-inline'; img-src data: blob:; form-action 'none'; base-uri 'none'">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#summary">Skip to the summary</a>
<header>
<div><h1>{title}</h1><p id="subtitle"></p></div>
<div class="controls">
<label>Measure <select id="measure"></select></label>
<button type="button" id="theme" aria-label="Switch between light and dark"></button>
{busy}</div>
</header>
<main id="main"><noscript>This page needs JavaScript. It loads nothing from the network.</noscript></main>
<script type="application/json" id="data">{data}</script>
<script>
{script}</script>
<script type="application/json" id="rest">{rest}</script>
{held}</body>
</html>
"""
#: What the page of a live report has besides: it may compile the core, which works in a worker that the page makes.
MAY = " 'wasm-unsafe-eval'; worker-src blob:"
BUSY = """\
<span id="busy" role="status" hidden><progress></progress> <span class="what"></span>
<button type="button" id="cancel">Cancel</button></span>
"""
HELD = """\
<script type="application/json" id="live">{data}</script>
<script type="text/plain" id="module">{module}</script>
<script type="text/plain" id="worker">
{worker}</script>
<script>
{script}</script>
"""


@dataclass(frozen=True)
class Live:
    """What a page holds to recalculate: inputs and more, the core's module in base64, and code."""

    data: dict[str, Any]
    module: str
    worker: str
    script: str
    style: str


def page(data: dict[str, Any] | None, title: str, live: Live | None = None) -> str:
    """Make the page. It loads nothing from elsewhere, and no data in it is read as code.

    A live page can begin without data, to evaluate files that a reader drops on it.
    """
    later = () if data is None else LATER[data["kind"]]
    parts = {"may": "", "busy": "", "held": ""}
    if live is not None:
        held = HELD.format(data=_json(live.data), module=live.module, worker=live.worker, script=live.script)
        parts = {"may": MAY, "busy": BUSY, "held": held}
    return PAGE.format(
        title=escape(title),
        style=palette() + asset("page.css") + (live.style if live else ""),
        data=_json(data and {name: part for name, part in data.items() if name not in later}),
        rest=_json(data and {name: data[name] for name in later}),
        script="".join(asset(name) for name in SCRIPTS),
        **parts,
    )


def _json(data: dict[str, Any] | None) -> str:
    """JSON in which "<", which stands only within strings there, is an escape; so no tag can end the element."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def asset(name: str) -> str:
    """A file of the page's code."""
    with open(os.path.join(ASSETS, name), encoding="utf-8") as file:
        return file.read()


def palette() -> str:
    """The colours of all plots, as variables of the style sheet."""
    rules = []
    for root, colors in ((":root", COLORS), (':root[data-theme="dark"]', ON_DARK)):
        runs = {f"run-{place}": color for place, color in enumerate(colors)}
        parts = {"a": colors[FIRST], "b": colors[SECOND], "ties": colors[TIE_RANGE]}
        rules.append(f"{root} {{ {' '.join(f'--{name}: {color};' for name, color in (runs | parts).items())} }}\n")
    return "".join(rules)
