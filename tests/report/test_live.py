"""Live reports: what the page recalculates is what the package computes, to the last bit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import browsing
import untied
from devtools import web
from test_report import FEWER, HOSTILE, QRELS, RUNS, data_of
from test_web import floats, same
from untied.cli import main
from untied.report import live, report
from untied.statistics import significance

needs_module = pytest.mark.skipif(web.missing() is not None, reason=str(web.missing()))
pytestmark = pytest.mark.filterwarnings("ignore::untied.UntiedWarning")

#: What a reader does: choose measures, policies and the baseline, in any spelling of measures.
CHOOSE = """async ({ measures, policies, baseline }) => {
  const names = [];
  for (const measure of measures) names.push(await nameOf(measure));
  change({ measures: names, policies: { ...state.policies, ...policies }, baseline });
  await evaluate();
  return JSON.stringify({ data, trouble: panel.trouble.textContent });
}"""
AGAIN = """async () => JSON.stringify(
  await recalculated({ measures: asMade.measures, policies: MADE, baseline: made.baseline }))"""


class Tab(browsing.Tab):
    """A live report, with what a reader does."""

    ready = "html[data-live=yes][data-ready=yes]"

    def __init__(self, browser: Any, page: str, folder: Path, **options: Any) -> None:
        path = folder / "live.html"
        path.write_text(page, encoding="utf-8")
        super().__init__(browser, path, **options)

    def again(self) -> dict[str, Any]:
        """The page's data, recalculated by the settings that it was made with."""
        found: dict[str, Any] = json.loads(self.page.evaluate(AGAIN))
        return found

    def choose(self, measures: list[str], baseline: int | None = None, **policies: str) -> dict[str, Any]:
        """The page's data after a change of settings."""
        settings = {"measures": measures, "policies": policies, "baseline": baseline}
        answer = json.loads(self.page.evaluate(CHOOSE, settings))
        assert answer["trouble"] == ""
        found: dict[str, Any] = answer["data"]
        return found


def without(data: dict[str, Any], *parts: str) -> dict[str, Any]:
    return {name: part for name, part in data.items() if name not in parts}


# ---------------------------------------------------------------------------------------------------------------------
# What needs no module


def test_without_the_module_there_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(live, "MODULE", str(tmp_path / "untied.wasm.gz"))
    page = tmp_path / "page.html"
    assert main(["report", QRELS, *RUNS[:2], "--live", "-o", str(page)]) == 2
    said = (
        "untied: --live needs the core compiled for browsers, which this installation lacks: "
        "install untied from a wheel, or run python3 dev.py web in its source folder\n"
    )
    assert capfd.readouterr() == ("", said)
    assert not page.exists()
    with pytest.raises(untied.UntiedError, match=r"^live=True needs the core compiled for browsers, which this"):
        report(QRELS, RUNS[:2], live=True)


@pytest.fixture
def any_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "untied.wasm.gz"
    module.write_bytes(b"")
    monkeypatch.setattr(live, "MODULE", str(module))


@pytest.mark.usefixtures("any_module")
def test_what_a_page_cannot_hold_or_recalculate_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    @untied.measures.own.measure
    def first(grades):  # type: ignore[no-untyped-def]
        return float(grades[0] > 0)

    with pytest.raises(untied.UntiedError, match="a live report cannot recalculate first: measures defined in Python"):
        report(QRELS, RUNS[:1], ["AP", first], live=True)
    monkeypatch.setattr(live, "MOST", 1 << 17)
    refused = "a live report can hold at most 0 MiB of runs and judgments, found 0; leave runs or"
    with pytest.raises(untied.UntiedError, match=refused):
        report(QRELS, RUNS[:2], "AP", live=True)


@pytest.mark.usefixtures("any_module")
def test_a_live_report_has_the_data_of_a_plain_one() -> None:
    plain, page = report(QRELS, RUNS[:2], "AP"), report(QRELS, RUNS[:2], "AP", live=True)
    assert data_of(page) == data_of(plain)
    for part in ("wasm", "worker", 'id="live"', "recalculated"):
        assert (part in plain, part in page) == (False, True), part
    policy = re.search('content="(default-src[^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; ")


# ---------------------------------------------------------------------------------------------------------------------
# In a browser

OPTIONS: list[dict[str, Any]] = [
    {"measures": ["AP", "nDCG@10", "ESL", "AP(mean='geometric')", "NumRet"], "baseline": "waterloo"},
    {"measures": ["RR"], "test": "tukey", "samples": 2000, "interval": "none", "score_dtype": "float32"},
    {"measures": ["P@10"], "samples": 20, "correction": "bh", "level": 0.9, "seed": (1 << 53) + 1},
]


@needs_module
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options["measures"][0])
def test_the_same_settings_give_the_same_page_to_the_last_bit(
    browser: Any,
    tmp_path: Path,
    options: dict[str, Any],
) -> None:
    page = report(QRELS, RUNS, live=True, **options)
    tab = Tab(browser, page, tmp_path)
    found = tab.again()
    assert without(found, "words") == data_of(page)
    words = json.loads(tab.page.evaluate("JSON.stringify(WORDS)"))
    assert found["words"] == words
    tab.close()


@needs_module
def test_other_measures_and_baselines_are_those_of_another_report(browser: Any, tmp_path: Path) -> None:
    """Everything, words included; a measure may be written in any way."""
    tab = Tab(browser, report(QRELS, FEWER, ["AP"], live=True), tmp_path)
    for measures, baseline in ((["P_5", "nDCG@3", "Bpref", "ERR@10"], 0), (["AP(rel=2)", "R@20"], None)):
        found = tab.choose(measures, baseline)
        expected = data_of(report(QRELS, FEWER, measures, baseline=None if baseline is None else "amc"))
        assert without(found, "words") == expected
        shown = [tab.page.locator(".answer .first").inner_text(), tab.page.locator("#summary th").nth(1).inner_text()]
        assert shown == [tab.page.evaluate("sentencesOf(data, 0)[0]"), expected["measures"][0]["name"]]
    tab.close()


def fewer_judgments() -> untied.Qrels:
    """Every second one of the example; of the others every second is in the pool."""
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(Path(QRELS).read_text().splitlines()):
        query, _, document, grade = line.split()
        if number % 4 != 3:
            qrels.setdefault(query, {})[document] = int(grade) if number % 2 == 0 else -1
    return untied.Qrels(qrels)


@needs_module
def test_policies_are_those_of_eval_and_stats(browser: Any, tmp_path: Path) -> None:
    judged = fewer_judgments()
    tab = Tab(browser, report(judged, RUNS, ["AP"], live=True), tmp_path)
    for policies in (
        {"ties": "docid"},
        {"ties": "worst", "unjudged": "remove"},
        {"ties": "range", "unjudged": "range"},
        {"ties": "expected", "unjudged": "range", "unretrieved": "pooled"},
    ):
        measures = ["P@10", "nDCG@10", "RR"]
        found = tab.choose(measures, 1, **policies)
        results = untied.evaluate(judged, RUNS, measures, **policies)
        for place, measure in enumerate(results.measures):
            for run, name in enumerate(results.runs):
                values = [results.value(measure, query, name).mean for query in results.queries]
                assert same(floats(found["values"][place][run]), values)
                mean, ends = results[name, measure], found["means"][place][run]
                low, high = (mean.mean if end is None else end for end in (mean.low, mean.high))
                assert same([float(ends[end]) for end in ("mean", "low", "high")], [mean.mean, low, high])
        rows = significance(results, baseline="qut", interval="none").table.to_dicts()
        assert [test["p"] for test in found["tests"]] == [row["p_adjusted"] for row in rows]
        assert [test["significant"] for test in found["tests"]] == [row["significant"] == "yes" for row in rows]
        if "low" in results.to_dicts()[0]:
            assert [test["survives"] for test in found["tests"]] == [row["survives"] for row in rows]
            ends = [(row["least"], row["most"]) for row in rows]
            assert [(test["least"], test["most"]) for test in found["tests"]] == ends
        if policies.get("unjudged") == "range":  # what is open there has no bounds
            assert found["curves"] is None
            assert found["notes"][-1].startswith("curves are left out: bounds over unjudged documents are not known")
            assert tab.page.locator("#curves").count() == 0
            continue
        curve = untied.evaluate(judged, RUNS, "IPrec@0.5", **policies)
        assert [of_run[5] for of_run in found["curves"]["precision"]] == [
            curve[run, "IPrec@0.5"].mean for run in curve.runs
        ]
    tab.close()


@needs_module
def test_a_page_that_holds_some_queries_recalculates_them_all(
    browser: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("untied.report.values.MOST", 5)
    page = report(QRELS, FEWER, ["AP"], live=True)
    tab = Tab(browser, page, tmp_path)
    found = tab.again()
    assert len(found["values"][0][0]) == 5
    assert without(found, "words") == data_of(page)
    tab.close()


@needs_module
@pytest.mark.parametrize(
    ("qrels", "runs"),
    [
        ({"q": {"a": 1}}, {"one": {"q": ["b", "a"]}}),
        (
            {"q": {"a": 1}, HOSTILE: {HOSTILE: 1}},
            {HOSTILE: {HOSTILE: ["b", HOSTILE]}, "{{x}}": {HOSTILE: ["b"], "q": ["a"]}},
        ),
        ({"q": {"a": 0}}, {"one": {"q": ["a"]}, "two": {"q": ["a", "b"]}}),
        ({"q": {"a": 1}}, {"one": {"q": ["x"]}, "two": {"q": ["y"]}}),
        ({"q": {"a": 1, "b": -1}, "r": {"c": -1}}, {"one": {"q": ["b", "a"], "r": ["c"]}, "two": {"q": ["a"]}}),
    ],
    ids=["one run", "hostile", "nothing relevant", "nothing in common", "pooled"],
)
def test_unusual_inputs(browser: Any, tmp_path: Path, qrels: Any, runs: Any) -> None:
    page = report(qrels, runs, ["AP", "P@2"], live=True)
    tab = Tab(browser, page, tmp_path)
    assert without(tab.again(), "words") == data_of(page)
    found = tab.choose(["RR"], None, unjudged="remove")
    results = untied.evaluate(qrels, runs, ["RR"], ties="range", unjudged="remove")
    means = [results[run, "RR"].mean for run in results.runs]
    assert same([float(of["mean"]) for of in found["means"][0]], means)
    assert tab.page.evaluate("window.hurt") is None
    tab.close()


@needs_module
def test_what_a_reader_does(browser: Any, tmp_path: Path) -> None:
    """With the keyboard, on a phone."""
    page = report(QRELS, FEWER, ["AP", "nDCG@10"], baseline="amc", live=True)
    tab = Tab(browser, page, tmp_path, viewport={"width": 390, "height": 844})
    shown = tab.page.locator("#summary table").inner_text()
    assert tab.page.locator(".live .bar").is_hidden()
    tab.page.focus("#settings > summary")
    tab.page.keyboard.press("Enter")
    tab.page.fill("input[list=names]", "ndcg_cut_5")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_function("() => data.measures.length === 3 && state.shown === wanted")
    assert tab.page.evaluate("document.activeElement.list.id") == "names"
    tab.page.select_option("#policy-unjudged", "remove")
    tab.page.wait_for_function("() => data.settings.unjudged === 'remove'")
    said = tab.page.locator(".live .note[role=status]").inner_text()
    assert said == (
        "Recalculated in this page with AP, nDCG@10, nDCG@5; tied documents: range, unjudged: remove; baseline amc. "
        "The report was made with AP, nDCG@10; tied documents: range, unjudged: nonrelevant; baseline amc."
    )
    assert "without unjudged documents" in tab.page.locator("#subtitle").inner_text()
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    # What the core refuses leaves the page as it is, and says why.
    tab.page.fill("input[list=names]", "nDGC@10")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_function("() => document.querySelector('#settings .trouble').textContent")
    with pytest.raises(untied.UntiedError) as error:
        untied.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, ["nDGC@10"])
    assert tab.page.locator("#settings .trouble").inner_text() == str(error.value)
    tab.page.fill("input[list=names]", "GMR")
    tab.page.fill("input[list=names]", "infAP")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_function("() => data.measures.length === 4 && state.shown === wanted")
    # And back.
    tab.page.click("#as-made")
    tab.page.wait_for_function("() => data === made")
    assert tab.page.locator("#summary table").inner_text() == shown
    assert tab.page.locator(".live .bar").is_hidden()
    # A cancelled change is none.
    cancelled = """async () => {
      change({ policies: { ...state.policies, ties: "best" } });
      const { ask } = work;
      const begun = new Promise((done) => {
        work.ask = (...request) => { work.ask = ask; done(); return ask.apply(work, request); };
      });
      const changing = evaluate();
      await begun;
      work.cancel();
      await changing;
      return [state.policies.ties, data === made, panel.trouble.textContent];
    }"""
    assert tab.page.evaluate(cancelled) == ["range", True, ""]
    with tab.page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        assert tab.page.evaluate("fetch('https://example.invalid/').then(() => 'sent', () => 'refused')") == "refused"
    tab.trouble.clear()
    tab.requests = [url for url in tab.requests if "example.invalid" not in url]
    tab.close()


@needs_module
def test_what_a_reader_reads_from_the_runs(browser: Any, tmp_path: Path) -> None:
    """Whole rankings with whole tie groups, and two runs compared by any measure; both of them only after a click."""
    tab = Tab(browser, report(QRELS, RUNS, ["AP"], depth=5, live=True), tmp_path)
    assert tab.page.evaluate("work.worker") is None
    tab.page.select_option("#queries select >> nth=1", label="uos")
    documents = [tab.page.locator(f"#panel > div >> nth={side}").locator(".doc[data-doc]") for side in (0, 1)]
    assert [side.count() for side in documents] == [5, 5]
    tab.page.get_by_role("button", name="Show more documents").click()
    tab.page.wait_for_function("() => document.querySelector('#panel .fold')")
    query = tab.page.evaluate("data.queries[state.query]")
    size = len(untied.Run(RUNS[2])[query])
    assert documents[0].count() == 40
    assert documents[1].count() == min(size, 306)
    assert f"{size:,} documents tied at 0" in tab.page.locator("#panel").inner_text()
    # The ranks of a document in the other run, at any depth.
    first = tab.page.locator("#panel > div >> nth=0").locator(".other").first
    assert first.inner_text() == f"↔ 1–{size:,}"
    tab.page.fill("#compare input", "RBO MED(nDCG@10)")
    tab.page.press("#compare input", "Enter")
    tab.page.wait_for_function("() => document.querySelectorAll('#compare dt').length === 2")
    results = untied.compare(RUNS[3], RUNS[2], ["RBO", "MED(nDCG@10)"])
    told = [text.split()[0] for text in tab.page.locator("#compare dd b").all_inner_texts()]
    assert told == [f"{results[name].mean:.4f}" for name in ("RBO", "MED(nDCG@10)")]
    tab.close()
