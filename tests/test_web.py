"""The core in a browser: its numbers are those of this machine's own core, to the last bit."""

from __future__ import annotations

import base64
import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

import untied
from devtools import web
from strategies import PACKAGE, as_text
from test_golden import COVERED, measure_of
from untied._core import measure_info

pytestmark = [
    pytest.mark.skipif(web.missing() is not None, reason=str(web.missing())),
    pytest.mark.filterwarnings("ignore::untied.UntiedWarning"),  # golden cases with nothing relevant
]

EXAMPLE = Path(__file__).parent.parent / "examples" / "tar2017"
RUNS = [str(path) for path in sorted(EXAMPLE.glob("*.run"))]
QRELS = str(EXAMPLE / "qrels.txt")
POLICIES = {
    "ties": "range",
    "unjudged": "nonrelevant",
    "unretrieved": "none",
    "score_dtype": "float64",
    "queries": "qrels",
    "on_undefined": "zero",
}
#: Starts the core over files that it finds in the page's memory.
START = """async ([module, texts]) => {
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const files = new Map(texts.map((text, number) => {
    const data = bytes(text);
    let at = 0;
    return [number, {
      read(into) {
        const part = data.subarray(at, at + into.length);
        into.set(part);
        at += part.length;
        return part.length;
      },
      rewind() { at = 0; },
    }];
  }));
  const core = await startCore(bytes(module), files);
  window.ask = (request) => { try { return core(request); } catch (error) { return { error: error.message }; } };
}"""


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    sync_api = pytest.importorskip("playwright.sync_api")
    quiet = ("no-sandbox", "disable-gpu", "no-first-run", "disable-background-networking", "disable-sync")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=[f"--{option}" for option in quiet])
        yield launched
        launched.close()


class Core:
    """The core in an empty page of the browser, over these files."""

    def __init__(self, browser, files: list[bytes]) -> None:
        self.page = browser.new_page()
        self.page.add_script_tag(content=(web.WEB / "core.js").read_text() + "\nwindow.startCore = startCore;")
        texts = [base64.b64encode(file).decode() for file in files]
        self.page.evaluate(START, [base64.b64encode(web.MODULE.read_bytes()).decode(), texts])

    def ask(self, *requests: dict[str, Any]) -> list[Any]:
        # As text: the answers are to be seen as they are, to the last bit.
        answers = self.page.evaluate("(requests) => JSON.stringify(requests.map(ask))", list(requests))
        found: list[Any] = json.loads(answers)
        assert [answer["error"] for answer in found if "error" in answer] == []
        return found

    def open(self, kinds: list[str]) -> None:
        of_all = {"do": "open", "name": "a file", "bytes": 1000}
        self.ask(*({**of_all, "file": number, "kind": kind} for number, kind in enumerate(kinds)))


def evaluation(qrels: int, run: int, measures: list[str], **policies: str) -> dict[str, Any]:
    return {"do": "evaluate", "qrels": qrels, "run": run, "measures": measures, **(POLICIES | policies)}


def floats(column: list[float | str | None]) -> list[float]:
    """Numbers of an answer: null is undefined, and infinity has no other way to be written."""
    return [math.nan if cell is None else float(cell) for cell in column]


def same(ours: list[float], theirs: list[float]) -> bool:
    """The same to the last bit, but for logarithms and powers: each library rounds these in its own way."""
    return len(ours) == len(theirs) and all(
        one.hex() == other.hex() or abs(one - other) <= 1e-14 * abs(other)
        for one, other in zip(ours, theirs, strict=True)
    )


def test_golden_cases_to_the_last_bit(browser) -> None:
    """Every case whose judgments are grades, which is what the page reads."""
    files, measures, expected = [], [], []
    for case in COVERED:
        measure, grades = measure_of(case)
        name = as_text(measure)
        if not isinstance(next(iter(grades.values()), 0), int | float) or measure.name not in PACKAGE:
            continue
        if PACKAGE[measure.name]["needs"] != "judgments":
            continue
        scores = {doc: -float(place) for place, group in enumerate(case["input"]["ranking"]) for doc in group}
        if not scores:
            continue  # a file cannot say this
        try:
            results = untied.evaluate({"q": grades}, {"q": scores}, [name], ties="range")
        except untied.UntiedError:
            continue
        qrels = "".join(f"q 0 {doc} {grade!r}\n" for doc, grade in grades.items())
        run = "".join(f"q Q0 {doc} 1 {score!r} r\n" for doc, score in scores.items())
        files += [qrels.encode(), run.encode()]
        measures.append(name)
        value = results.value(results.measures[0], "q")
        expected.append([value.mean, value.low, value.high])
    assert len(measures) > 200
    core = Core(browser, files)
    core.open(["qrels", "run"] * len(measures))
    answers = core.ask(*(evaluation(2 * n, 2 * n + 1, [name]) for n, name in enumerate(measures)))
    wrong = []
    for name, answer, values in zip(measures, answers, expected, strict=True):
        found = [floats(answer["values"][0][column])[0] for column in ("mean", "low", "high")]
        if not same(found, values):
            wrong.append((name, found, values))
    assert wrong == []


def default_names() -> list[str]:
    """All measures that need no more than grades, with a cutoff where they need one."""
    suffix = {"required": "@10", "recall": "@0.3"}
    plain = [info for info in measure_info() if info["needs"] == "judgments" and info["family"][:7] != "Defined"]
    return [info["name"] + suffix.get(info["cutoff"], "") for info in plain]


@pytest.mark.parametrize("policies", [{"ties": "range"}, {"ties": "docid", "unjudged": "best", "on_undefined": "nan"}])
def test_measures_of_the_example_to_the_last_bit(browser, policies: dict[str, str]) -> None:
    names, runs = default_names(), RUNS[:3]
    core = Core(browser, [Path(path).read_bytes() for path in (QRELS, *runs)])
    core.open(["qrels", "run", "run", "run"])
    accepted = []
    for name in names:
        try:
            untied.evaluate(QRELS, runs[1], [name], **policies)
        except untied.UntiedError:
            continue  # no bounds, or not for these judgments
        accepted.append(name)
    assert len(accepted) > 30
    results = untied.evaluate(QRELS, runs, accepted, **policies)
    for number, run in enumerate(results.runs):
        (answer,) = core.ask(evaluation(0, number + 1, accepted, **policies))
        assert answer["measures"] == results.measures
        assert answer["queries"] == list(results.queries)
        for place, name in enumerate(results.measures):
            values = [results.value(name, query, run) for query in results.queries]
            assert same(floats(answer["values"][place]["mean"]), [value.mean for value in values]), name
            assert same(floats([answer["totals"][place]["mean"]]), [results[run, name].mean]), name


def test_comparisons_of_the_example_to_the_last_bit(browser) -> None:
    names = ["RBO", "RBO(p=0.95)", "MED(nDCG@10)", "MED(AP@100)", "MED(ERR@20)", "Overlap@10", "AO@20", "Tau"]
    core = Core(browser, [Path(path).read_bytes() for path in RUNS])
    core.open(["run"] * 4)
    for a, b in ((0, 1), (0, 3), (1, 2)):
        request = {"do": "compare", "a": a, "b": b, "measures": names, "ties": "expected", "score_dtype": "float64"}
        (answer,) = core.ask(request)
        results = untied.compare(RUNS[a], RUNS[b], names)
        for place, name in enumerate(answer["measures"]):
            assert same(floats([answer["totals"][place]["mean"]]), [results[name].mean]), name
