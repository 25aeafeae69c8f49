"""The report: its data against evaluations, and the page in a browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from fractions import Fraction
from math import isnan
from pathlib import Path

import pytest

import untied
from browsing import Tab
from nightly import SEED, many, seeded
from page_data import data_of
from untied import _core
from untied.cli import main
from untied.errors import UntiedError
from untied.inputs.convert import as_qrels, as_run
from untied.report import comparison_report, report
from untied.results.scaling import places
from untied.statistics import mean_interval, significance

EXAMPLE = Path(__file__).parents[2] / "examples" / "tar2017"
QRELS = str(EXAMPLE / "qrels.txt")
RUNS = [str(EXAMPLE / f"{name}.run") for name in ("amc", "qut", "uos", "waterloo")]
#: Without the run in which all is tied: its curves take most of a page's time.
FEWER = [run for run in RUNS if Path(run).stem != "uos"]
ROBUST = Path(os.environ.get("UNTIED_SHARED") or Path(__file__).resolve().parents[3] / "shared") / "data" / "robust03"
HOSTILE = '</script><img src=x onerror="window.hurt=1"><b>&'


@pytest.fixture(scope="module")
def example() -> str:
    return report(QRELS, RUNS, ["AP", "nDCG@10", "ESL"], baseline="waterloo", title="Example", inputs=[QRELS])


def test_the_data_are_those_of_evaluations(example: str) -> None:
    data = data_of(example)
    results = untied.evaluate(QRELS, RUNS, ["AP", "nDCG@10", "ESL"], ties="range")
    assert [measure["name"] for measure in data["measures"]] == results.measures
    assert [measure["lower"] for measure in data["measures"]] == [False, False, True]
    for measure, of_measure in zip(results.measures, data["values"], strict=True):
        for run, of_run in zip(results.runs, of_measure, strict=True):
            values = [results.value(measure, query, run).mean for query in results.queries]
            assert of_run == [None if isnan(value) else value for value in values]
    uos = data["means"][0][2]
    value = results["uos", "AP"]
    assert (uos["mean"], uos["low"], uos["high"]) == (value.mean, value.low, value.high)
    of_queries = [results.value("AP", query, "uos").mean for query in results.queries]
    assert (uos["ci_low"], uos["ci_high"]) == mean_interval(of_queries)
    tested = significance(results, baseline="waterloo", interval="none").table.to_dicts()
    assert [test["significant"] for test in data["tests"]] == [row["significant"] == "yes" for row in tested]
    assert [test["survives"] for test in data["tests"]] == [row["survives"] for row in tested]
    assert [test["p"] for test in data["tests"]] == [row["p_adjusted"] for row in tested]
    assert [test["difference"] for test in data["tests"]] == [row["difference"] for row in tested]
    # The page counts higher values, the table better ones; of ESL, less is better.
    order = {True: ("worse", "equal", "better"), False: ("better", "equal", "worse")}
    counts = [[row[name] for name in order[row["measure"] == "ESL"]] for row in tested]
    assert [test["counts"] for test in data["tests"]] == counts
    assert data["ties"][2]["tied"] == data["ties"][2]["documents"]
    assert data["inputs"][0]["sha256"] is not None
    query = data["rankings"][0]
    amc = untied.Run(RUNS[0])[results.queries[0]]
    top = sorted(amc, key=lambda row: -row[1])[:20]
    assert {query["docs"][doc] for group in query["runs"][0]["groups"] for doc in group} == {doc for doc, _ in top}
    assert [query["docs"][doc] for doc in query["runs"][0]["groups"][0]] == [top[0][0]]
    judged = untied.Qrels(QRELS)[results.queries[0]]
    assert query["grades"] == [judged.get(doc) for doc in query["docs"]]
    means = {row["measure"]: row["value"] for row in untied.evaluate(QRELS, RUNS[0], "IPrec@0.5").means.to_dicts()}
    assert data["curves"]["precision"][0][5] == means["IPrec@0.5"]
    rbo = untied.compare(RUNS[0], RUNS[1], "RBO")["RBO"].mean
    assert data["distances"][0]["rows"][0][1] == rbo


def test_dynamic_recall_is_that_of_curves() -> None:
    qrels = {"q": [["a", "b"], ["c"], ["d"]]}
    run = {"q": ["c", "a", "x", "b", "d"]}
    curve = untied.evaluation.curves.curves(qrels, {"r": run}, "q", depth=5)
    values = [row["value"] for row in curve.to_dicts() if row["curve"] == "dynamic_recall"]
    page = data_of(report(qrels, {"r": run}, "AP"))
    assert page["curves"]["dynamic_recall"][0][:5] == pytest.approx(values, abs=1e-14)
    assert page["tests"] == page["distances"] == []


def test_a_group_beyond_the_depth_is_counted() -> None:
    run = {"q": [["a"], ["b", "c", "d"]]}
    ranking = data_of(report({"q": {"a": 1}}, {"r": run}, "AP", depth=2))["rankings"][0]["runs"][0]
    assert ranking == {"groups": [[0], [1]], "beyond": 2, "total": 4}


def test_rankings_have_the_ties_of_the_scores_as_they_are_read() -> None:
    """Values and counts of ties were of the precision that was asked for, rankings of all digits."""
    run = {"q": {"a": 1.0 + 1e-6, "b": 1.0, "c": 0.5}}
    ranking = data_of(report({"q": {"a": 1}}, {"r": run}, "AP", score_dtype="float16"))["rankings"][0]["runs"][0]
    assert ranking["groups"] == [[0, 1], [2]]
    page = comparison_report(untied.compare(run, run, "RBO", score_dtype="float16"))
    assert data_of(page)["rankings"][0]["runs"][0]["groups"] == [[0, 1], [2]]


def test_the_same_inputs_make_the_same_page(example: str) -> None:
    again = report(
        QRELS, RUNS, ["AP", "nDCG@10", "ESL"], baseline="waterloo", title="Example", inputs=[QRELS], threads=1
    )
    assert example == again


def test_of_very_many_queries_those_that_differ_most_have_rankings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("untied.report.data.PLACES", 2 * 2 * 3)
    qrels = {f"q{q}": {"a": 1} for q in range(9)}
    runs = {"one": {q: ["a"] for q in qrels}, "two": {q: ["x"] * (q < "q3") + ["a"] for q in qrels}}
    rankings = data_of(report(qrels, runs, "RR", depth=2))["rankings"]
    assert [ranking is not None for ranking in rankings] == [True] * 3 + [False] * 6
    monkeypatch.setattr("untied.report.comparison.MOST", 2)
    page = data_of(comparison_report(untied.compare(runs["one"], runs["two"], "RBO")))
    assert (page["queries"], page["of"]) == (["q0", "q1"], 9)


def test_a_verdict_is_that_of_stats(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without options the page and the command test alike, and the page says how."""
    out = tmp_path / "stats.json"
    for more, baseline in (([], None), (["--baseline", "waterloo"], "waterloo")):
        assert main(["stats", QRELS, *FEWER, "-m", "AP", "-o", str(out), *more]) == 0
        stats = json.loads(out.read_text())
        page = data_of(report(QRELS, FEWER, "AP", baseline=baseline))
        found = [
            (page["runs"][test["a"]], page["runs"][test["b"]], test["p"], test["significant"]) for test in page["tests"]
        ]
        rows = stats["results"]
        assert found == [(row["run_a"], row["run_b"], row["p_adjusted"], row["significant"] == "yes") for row in rows]
        for name in ("test", "correction", "level", "samples"):
            assert page["settings"][name] == stats["settings"][name]
        assert page["settings"]["seed"] == str(stats["settings"]["seed"])
        assert page["how"] == "paired randomisation test with Holm's correction, significance level 0.05"
    page = data_of(report(QRELS, FEWER, "AP", test="tukey", samples=2000))
    assert page["how"] == "randomised Tukey HSD, significance level 0.05"
    assert {test["survives"] for test in page["tests"]} <= {"no", "unknown"}
    page = data_of(report(QRELS, FEWER, "AP", samples=20))
    assert [note.split(";")[0] for note in page["notes"]] == [
        "with 20 permutations, p corrected for 3 comparisons cannot be below 0.14"
    ]


def test_a_page_says_of_how_many_queries_a_mean_is_not() -> None:
    """Run a seems better by ESL only because it finds nothing for q2, where ESL has no value."""
    qrels = {"q1": {"x": 1}, "q2": {"x": 1}}
    runs = {"a": {"q1": ["x"], "q2": ["y"]}, "b": {"q1": ["y", "x"], "q2": ["x"]}}
    page = data_of(report(qrels, runs, ["ESL", "AP"]))
    assert [one["mean"] for one in page["means"][0]] == [0.0, 0.5]
    notes = [note for note in page["notes"] if "without a value" in note]
    assert notes == ["ESL: queries without a value, left out of the mean: 1 of a"]


def test_a_page_states_how_many_queries_have_no_relevant_document() -> None:
    qrels = {"q1": {"x": 1}, "q2": {"x": 0}, "q3": {"y": -1}}
    runs = {"a": {"q1": ["x"], "q2": ["x"]}, "b": {"q1": ["y", "x"], "q2": ["x"]}}
    said = (
        "queries without a relevant document: 2 of 3; most measures, such as AP, are undefined for them and count as 0"
    )
    page = data_of(report(qrels, runs, ["AP"]))
    assert page["notes"].count(said) == 1
    assert [one["mean"] for one in page["means"][0]] == pytest.approx([1 / 3, 1 / 6])
    qrels = {"q1": {"x": 1}}
    assert not any("without a relevant" in note for note in data_of(report(qrels, runs, ["AP"]))["notes"])


def test_a_page_holds_some_queries_and_speaks_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels = {f"q{q:02}": {"a": 1} for q in range(40)}
    # By RR every fourth query differs, by P@1 fewer.
    first = {q: ["a"] for q in qrels}
    second = {q: ["x"] * (n % 4 == 0) + ["a"] for n, q in enumerate(qrels)}
    whole = data_of(report(qrels, {"one": first, "two": second}, ["RR", "P@1"]))
    assert whole["of"] == len(whole["queries"]) == 40
    monkeypatch.setattr("untied.report.values.MOST", 12)
    page = data_of(report(qrels, {"one": first, "two": second}, ["RR", "P@1"]))
    assert (page["of"], len(page["queries"])) == (40, 12)
    assert set(page["queries"]) > {q for n, q in enumerate(qrels) if n % 4 == 0}
    assert [page[part] for part in ("means", "tests")] == [whole[part] for part in ("means", "tests")]
    assert page["tests"][0]["counts"] == [10, 30, 0]
    assert page["tests"][0]["quantiles"] == [0.0, 0.0, 0.5]
    assert len(page["rankings"]) == len(page["values"][0][0]) == 12
    # Few measures at once give the same.
    monkeypatch.setattr("untied.report.values.HELD", 1)
    monkeypatch.setattr("untied.report.data.HELD", 1)
    assert data_of(report(qrels, {"one": first, "two": second}, ["RR", "P@1"])) == page
    # Of one run the values are spread.
    page = data_of(report(qrels, {"two": second}, "RR"))
    assert sum(value == 0.5 for value in page["values"][0][0]) == 3
    assert len(page["queries"]) == 12


def test_intervals_of_many_queries_are_from_fewer_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("untied.report.values.DRAWS", 1)
    page = data_of(report(QRELS, RUNS[:2], ["AP"], level=0.9))
    assert page["settings"]["interval_samples"] == 1_000
    [values] = page["values"]
    for of_run, mean in zip(values, page["means"][0], strict=True):
        assert (mean["ci_low"], mean["ci_high"]) == mean_interval(of_run, level=0.9, samples=1_000)
    [said] = [note for note in page["notes"] if note.startswith("intervals")]
    # The standard error of a 5 % quantile: sqrt(.05 x .95 / 1000) over the density at 1.645.
    assert "from 1,000 bootstrap samples instead of 9,999" in said
    assert "about 0.07 standard errors" in said
    page = data_of(report(QRELS, RUNS[:2], ["AP"], interval="none"))
    assert "interval_samples" not in page["settings"]
    assert not any(note.startswith("intervals") for note in page["notes"])


def test_refusals(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UntiedError, match="no run 'bm25'; the runs are amc"):
        report(QRELS, RUNS[:1], baseline="bm25")
    with pytest.raises(UntiedError, match="depth must be at least 1"):
        report(QRELS, RUNS[:1], depth=0)
    assert main(["compare", *RUNS[:3], "-o", str(tmp_path / "page.html")]) == 2
    assert "-o FILE.html needs exactly two runs" in capfd.readouterr().err
    for option, value, said in (
        ("--ties", "docid", "unknown option --ties; a page shows the mean over all orders of tied documents"),
        ("--unjudged", "remove", "unknown option --unjudged; a page counts unjudged documents as non-relevant"),
        ("--adjust", "chance", "unknown option --adjust; a page does not adjust values for chance"),
    ):
        with pytest.raises(SystemExit):
            main(["report", QRELS, RUNS[0], option, value, "-o", str(tmp_path / "page.html")])
        assert said in capfd.readouterr().err
    with pytest.raises(UntiedError, match="runs 'one' and 'other' have no query in common"):
        report({"1": {"a": 1}, "2": {"a": 1}}, {"one": {"1": {"a": 1}}, "other": {"2": {"a": 1}}})


def walk_through(browser, path: Path, screenshots: Path, runs: int) -> None:
    """What a reader does with a report."""
    tab = Tab(browser, path, viewport={"width": 1280, "height": 900})
    page = tab.page
    summary = page.locator("#summary tbody tr")
    assert summary.count() == runs
    page.screenshot(path=screenshots / "summary.png")
    # The best run by the chosen measure comes first, then the order turns.
    head = page.locator("#summary thead th").nth(1)

    def values() -> list[float]:
        cells = page.locator("#summary tbody td:nth-child(2)").all_inner_texts()
        return [float(text.split()[0]) for text in cells]

    assert values() == sorted(values(), reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.locator("button").click()
    assert values() == sorted(values())
    assert page.locator("#summary thead th").nth(1).get_attribute("aria-sort") == "ascending"
    page.locator("#summary thead th button").nth(1).press("Enter")
    assert values() == sorted(values(), reverse=True)
    # The answer in words is of the first run of the table.
    best = page.locator("#summary tbody td").first.inner_text().split("\n")[0].removesuffix("baseline")
    assert re.match(f"{re.escape(best)}(, the baseline,)? leads by ", page.locator(".answer .first").inner_text())
    # A bar of the chart and a row of the table open a query.
    bars = page.locator("#queries .chart")
    bars.scroll_into_view_if_needed()
    bars.locator("svg").first.wait_for()
    box = bars.locator("svg").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 16, box["y"] + box["height"] / 2)
    assert page.locator(".tip").inner_text().startswith("query ")
    page.mouse.click(box["x"] + box["width"] - 16, box["y"] + box["height"] / 2)
    rows = page.locator("#queries tbody tr")
    # The table begins with the largest differences, whichever run is better.
    head = [text.split()[0] for text in page.locator("#queries thead th").all_inner_texts()]
    differences = [
        float(text.replace("−", "-"))
        for text in page.locator(f"#queries tbody td:nth-child({len(head) - 2})").all_inner_texts()
    ]
    sizes = [abs(difference) for difference in differences]
    assert sizes == sorted(sizes, reverse=True)
    assert min(differences) < 0 < max(differences)
    assert [
        float(text) for text in page.locator(f"#queries tbody td:nth-child({len(head) - 1})").all_inner_texts()
    ] == sizes
    page.locator("#queries thead button").nth(len(head) - 3).click()  # by A − B
    lowest = page.locator("#queries tbody tr td:first-child").last.inner_text()
    page.wait_for_function(
        "name => document.querySelector('#query select').selectedOptions[0].text === name", arg=lowest
    )
    rows.first.locator("button").click()
    first = rows.first.locator("td").first.inner_text()
    assert page.eval_on_selector("#query select", "select => select.selectedOptions[0].text") == first
    assert page.locator("#panel .doc").count() > 0
    page.wait_for_timeout(300)
    page.screenshot(path=screenshots / "query.png")
    page.locator("#query button[aria-label='Next query']").press("Enter")
    assert page.eval_on_selector("#query select", "select => select.selectedOptions[0].text") != first
    # The other theme, and another measure.
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    said = page.locator(".answer .first").inner_text()
    page.select_option("#measure", "1")
    assert page.locator(".answer .first").inner_text() != said
    # A filter leaves queries whose id has what is typed.
    every = rows.count()
    page.fill("#queries input", first)
    assert 0 < rows.count() < every
    assert first in rows.first.inner_text()
    page.fill("#queries input", "")
    for chart in page.locator(".chart").all():
        chart.scroll_into_view_if_needed()
        chart.locator("svg").first.wait_for()
    page.screenshot(path=screenshots / "dark.png", full_page=True)
    with page.expect_download() as download:
        page.locator("#summary .bar button").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert len(lines) == runs + 1
    tab.close()


def test_the_example_in_a_browser(browser, example: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(example)
    walk_through(browser, path, tmp_path, runs=4)
    # On a phone nothing is wider than the screen.
    tab = Tab(browser, path, viewport={"width": 390, "height": 800})
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    tab.close()


def test_a_page_about_one_run_compares_it_with_nothing(browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    runs = {"only": {"q1": ["a", "b"], "q2": ["b", "a"], "q3": ["b", "c", "a"]}}
    path.write_text(report({query: {"a": 1} for query in runs["only"]}, runs, ["RR", "ESL"]))
    tab = Tab(browser, path)
    page = tab.page
    assert page.locator("#queries select").count() == 0
    head = [text.split()[0] for text in page.locator("#queries thead th").all_inner_texts()]
    assert head == ["query", "RR", "relevant"]
    assert page.locator(".best").count() == 0
    assert page.locator("#queries tbody tr").all_inner_texts()[0].split() == ["q3", "0.3333", "1"]  # the worst first
    assert page.locator("#queries .note").first.inner_text() == "RR: mean 0.6111."
    assert page.locator("#panel h3").all_inner_texts() == ["only · RR 0.3333"]
    page.select_option("#measure", "1")
    assert page.locator("#queries tbody tr").all_inner_texts()[0].split() == ["q3", "2.0000", "1"]
    words = page.locator("main").inner_text()
    assert " A " not in words
    assert "two runs" not in words
    tab.close()


def test_queries_without_judgments_are_counted(browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(report({"q": {"a": 1}}, {"x": {q: ["a"] for q in ("q", "r", "s")}, "y": {"q": ["a"]}}, ["RR"]))
    tab = Tab(browser, path)
    said = tab.page.locator("#subtitle").inner_text()
    assert said.endswith(" · left out: 2 queries without judgments"), said
    tab.close()


def test_queries_that_a_run_lacks_are_noted() -> None:
    """Beside a headline that says who leads, because they count as empty rankings."""
    runs = {"x": {"q": ["a"], "r": ["b"], "s": ["c"]}, "y": {"q": ["a"]}}
    notes = data_of(report({"q": {"a": 1}, "r": {"b": 1}, "s": {"c": 1}}, runs, ["RR"]))["notes"]
    assert notes[0] == "judged queries missing from a run: 2 from y (counted as empty rankings)"


def test_texts_of_queries_and_documents(browser, tmp_path: Path) -> None:
    runs = {"one": {"q1": ["a", "b"], "q2": ["b", "a"]}, "two": {"q1": ["b", "a"], "q2": ["a", "b"]}}
    page = report(
        {"q1": {"a": 1}, "q2": {"a": 1}},
        runs,
        "RR",
        queries_text={"q1": "tied scores", "q2": HOSTILE},
        docs_text={"a": "A title"},
    )
    path = tmp_path / "texts.html"
    path.write_text(page)
    tab = Tab(browser, path)
    assert tab.page.locator("#queries tbody .title").all_inner_texts() == ["tied scores", HOSTILE]
    assert tab.page.locator(".asked").inner_text() == "tied scores"
    assert tab.page.locator("#panel .doc").first.locator(".sub").inner_text() == "A title"
    tab.page.fill("#queries input", "TIED")
    assert tab.page.locator("#queries tbody tr").count() == 1
    assert tab.page.evaluate("window.hurt") is None
    tab.close()


def test_long_paths_fit_a_phone(browser, tmp_path: Path) -> None:
    folder = tmp_path / ("longname" * 12)
    shutil.copytree(EXAMPLE, folder)
    runs = [str(folder / Path(run).name) for run in FEWER]
    out = tmp_path / "report.html"
    assert main(["report", str(folder / "qrels.txt"), *runs, "-o", str(out)]) == 0
    tab = Tab(browser, out, viewport={"width": 390, "height": 800})
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    tab.close()


@pytest.mark.skipif(not ROBUST.exists(), reason="no data of the robust track")
def test_robust_2003_in_a_browser(browser, unpacked, tmp_path: Path) -> None:
    """All runs in a nightly run, as a rule every second one."""
    robust03 = unpacked("robust03")
    runs = sorted(str(path) for path in robust03.glob("*.run"))
    assert len(runs) == 17
    runs = runs[:: 1 if SEED else 2]
    out = tmp_path / "report.html"
    # Not AP, of which all that 136 pairs leave open takes most of the time; test_certify.py has it.
    asked = ["-m", "nDCG@10", "-m", "P@10"]
    assert main(["report", str(robust03 / "qrels.txt"), *runs, *asked, "-o", str(out)]) == 0
    assert out.stat().st_size < 25e6
    walk_through(browser, out, tmp_path, runs=len(runs))


def test_digits_of_the_page_are_those_of_the_commands(
    browser, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Means, bounds, differences and p as they are shown, against what eval, stats and tables for papers print."""
    # 1/32 is .03125: half way between two decimals. So are the means of the other runs.
    qrels = {f"q{q}": {"a": 1} for q in range(4)}
    ranks = {"half": (32, 32, 32, 32), "up": (32, 32, 16, 16), "mixed": (1, 2, 3, 7), "tied": (1, 2, 1, 2)}
    lines = [f"{q} 0 a 1" for q in qrels]
    (tmp_path / "qrels.txt").write_text("\n".join(lines) + "\n")
    files = []
    for name, of_run in ranks.items():
        rows = []
        for q, rank in zip(qrels, of_run, strict=True):
            score = (lambda place: 1) if name == "tied" else (lambda place: 100 - place)
            docs = [f"x{place}" for place in range(1, rank)] + ["a"] + ["z"] * (name == "tied")
            rows += [f"{q} Q0 {doc} 0 {score(place)} t" for place, doc in enumerate(docs)]
        files.append(str(tmp_path / f"{name}.run"))
        Path(files[-1]).write_text("\n".join(rows) + "\n")
    asked = ["-m", "RR", "-m", "P@3"]
    out = tmp_path / "page.html"
    given = [str(tmp_path / "qrels.txt"), *files]
    assert main(["report", *given, *asked, "-o", str(out)]) == 0
    capfd.readouterr()
    assert main(["eval", *given, *asked, "--ties", "range", "--format", "tsv"]) == 0
    table = [line.split("\t") for line in capfd.readouterr().out.splitlines()]
    rows = [dict(zip(table[0], line, strict=True)) for line in table[1:]]
    assert next(row["value"] for row in rows if row["run"] == "half" and row["measure"] == "RR") == "0.0312"
    tab = Tab(browser, out)
    shown = {
        cells[0]: cells[1:]
        for cells in (row.locator("td").all_inner_texts() for row in tab.page.locator("#summary tbody tr").all())
    }
    for row in rows:
        text = shown[row["run"]][["RR", "P@3"].index(row["measure"])]
        assert text.split()[0] == row["value"], row
        if {row["low"], row["high"]} != {row["value"]}:
            assert f"[{row['low']}, {row['high']}]" in text, row
    assert main(["stats", *given, *asked, "--format", "md", "--show", "runs"]) == 0
    paper = [
        [cell.strip(" *") for cell in line.strip("|").split("|")] for line in capfd.readouterr().out.splitlines()[2:6]
    ]
    for name, *cells in paper:
        run = name.split(") ")[-1]
        assert [cell.split("<")[0].strip("* ") for cell in cells] == [text.split()[0] for text in shown[run]]
    assert main(["stats", *given, "-m", "RR", "--format", "md"]) == 0
    for line in capfd.readouterr().out.splitlines()[4:]:
        a, b, _, _, difference, _, _, counts, p = (cell.strip() for cell in line.strip("|").split("|"))
        tab.page.select_option("#queries select >> nth=0", label=a)
        tab.page.select_option("#queries select >> nth=1", label=b)
        said = tab.page.locator("#queries .note").first.inner_text()
        number = p.removesuffix(" *").strip()
        assert f"mean difference {difference.replace('-', '−')}, p = {number} (paired" in said, said
        better, equal, worse = counts.split("/")
        assert f"A is better in {better}, equal in {equal}, worse in {worse} of 4 queries" in said
    tab.close()


def test_a_comparison_speaks_of_all_queries(browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("untied.report.comparison.MOST", 5)
    runs = [
        {f"q{q:02}": ["a", "b"] for q in range(50)},
        {f"q{q:02}": ["a", "c"] if q < 3 else ["a", "b"] for q in range(50)},
    ]
    path = tmp_path / "comparison.html"
    path.write_text(comparison_report(untied.compare(*runs, "Overlap@2")))
    tab = Tab(browser, path)
    said = tab.page.locator("#queries .note").first.inner_text()
    assert said.startswith(
        "Overlap@2 over all 50 queries: mean 0.9700, median 1.0000, 90 % of the values between 0.7250 and 1.0000"
    )
    assert "Below: the 5 of 50 queries that differ most by Overlap@2." in said
    assert tab.page.locator("#queries tbody tr").count() == 5
    assert tab.page.locator("#queries thead").inner_text().split() == ["query", "Overlap@2"]  # without equal bounds
    tab.page.get_by_label("Filter queries by id").fill("q40")
    assert tab.page.locator("#queries .chart").inner_text() == (
        "No match among the 5 queries on this page; the other 45 are not on it."
    )
    tab.page.get_by_label("Filter queries by id").fill("")
    assert "over all 50 queries" in tab.page.locator("#summary .about").inner_text()
    assert (
        tab.page.locator(".answer .first")
        .inner_text()
        .startswith("The first 10 documents changed in 6 % of queries: in 3 of 50 queries")
    )
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="Save moved documents as TSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[:3] == ["query\tdocument\trank_a\trank_b\tgrade", "q00\tb\t2\t\t", "q00\tc\t\t2\t"]
    assert len(lines) == 1 + 2 * 3
    tab.close()
    # Tau is undefined where two rankings share one document; what the page says is about the others.
    path.write_text(comparison_report(untied.compare(*runs, "Tau")))
    tab = Tab(browser, path)
    assert (
        "Tau over the 47 of 50 queries for which it is defined" in tab.page.locator("#queries .note").first.inner_text()
    )
    assert tab.page.locator("#summary tbody td").nth(1).inner_text() == "47"
    assert (
        "over all queries for which the measure is defined, of the 50"
        in tab.page.locator("#summary .about").inner_text()
    )
    tab.close()


def test_all_charts_are_on_paper(browser, example: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(example)
    tab = Tab(browser, path, color_scheme="dark")
    page = tab.page
    # Also those that are not in view: prints and screenshots have them all.
    assert page.locator(".chart:has(svg)").count() == page.locator(".chart").count() == 7
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert "Every document that the runs retrieved has been judged." in page.locator("#ties").inner_text()
    assert (
        page.evaluate("Math.max(...[...document.querySelectorAll('.chart svg')].map(svg => svg.width.baseVal.value))")
        <= 690
    )
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert page.evaluate("performance.getEntriesByName('first-chart').length") == 1
    # The answer is drawn while the rest of the page is still being read.
    entry = "performance.getEntriesByType('navigation')[0]"
    first = "performance.getEntriesByName('first-chart')[0].startTime"
    assert page.evaluate(f"{first} < {entry}.domInteractive")
    tab.close()


def test_paper_has_what_controls_say_and_no_controls(browser, example: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(example)
    tab = Tab(browser, path, viewport={"width": 690, "height": 1000})
    page = tab.page
    controls = (
        "[...document.querySelectorAll('button, select, input')].filter((one) => one.getClientRects().length).length"
    )
    assert page.evaluate(controls) > 10
    query = page.eval_on_selector("#query select", "select => select.selectedOptions[0].text")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(controls) == 0
    said = page.locator("main").inner_text()
    assert "Choose a" not in said
    assert f"Query {query}" in page.locator("#query").inner_text()
    assert "A: amc · B: waterloo" in page.locator("#queries").inner_text()
    assert "RBO: It says how similar" in page.locator("#distances").inner_text()
    assert "AP" in page.locator("#glance .note").inner_text()
    assert page.locator("#queries tbody td").first.inner_text() in page.evaluate("data.queries")
    assert page.evaluate("document.documentElement.scrollWidth") <= 690
    tab.close()


def test_paper_breaks_no_numbers_below_means(browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(report(QRELS, RUNS, samples=1000))
    tab = Tab(browser, path, viewport={"width": 690, "height": 1000})
    tab.page.emulate_media(media="print")
    lines = "(one) => one.offsetHeight / parseFloat(getComputedStyle(one).fontSize)"
    heights = tab.page.evaluate(f"[...document.querySelectorAll('.sub.named')].map({lines})")
    assert len(heights) > 20
    assert max(heights) < 2
    tab.close()


def test_a_document_beyond_those_shown_is_not_said_to_be_in_one_run_only(browser, tmp_path: Path) -> None:
    runs = {"a": {"q": [["a"], ["b"], ["c"]]}, "b": {"q": [["x"], ["y", "z", "c"], ["a"]]}, "c": {"q": [["c"]]}}
    path = tmp_path / "report.html"
    path.write_text(report({"q": {"a": 1, "c": 1}}, runs, "AP", depth=2))
    tab = Tab(browser, path)
    page = tab.page

    def others(a: str, b: str) -> list[str]:
        page.select_option("#queries select >> nth=0", label=a)
        page.select_option("#queries select >> nth=1", label=b)
        return page.locator("#panel > div").first.locator(".other").all_inner_texts()

    assert (
        others("a", "b") == ["not in top 1"] * 2
    )  # the second place of b is tied, and its documents are not all shown
    assert others("b", "a") == ["not in top 2"] * 2
    assert others("a", "c") == ["only here"] * 2
    assert others("b", "c") == ["only here", "↔ 1"]
    tab.close()


def test_a_comparison_has_ranks_at_any_depth(browser, tmp_path: Path) -> None:
    """Also of documents that the page shows in one run only: deeper ones, and some of a tie group."""
    runs = [{"q": [["y", "z", "b"], ["c"], ["d"]]}, {"q": [["a", "aa", "y"], ["z"], ["d"], ["c"], ["b"]]}]
    found = untied.compare(*runs, "RBO", qrels={"q": {"b": 2}})
    path = tmp_path / "comparison.html"
    path.write_text(comparison_report(found, depth=2))
    tab = Tab(browser, path)
    others = [tab.page.locator("#panel > div").nth(side).locator(".other").all_inner_texts() for side in (0, 1)]
    assert others == [["↔ 7", "↔ 1"], ["only here"] * 2]
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="Save moved documents as TSV").click()
    saved = [line.split("\t") for line in Path(download.value.path()).read_text().splitlines()[1:]]
    assert saved == [["q", "b", "1", "7", "2"], ["q", "a", "", "1", ""], ["q", "aa", "", "1", ""]]  # y did not move
    moved = {row["document"]: row for row in found.moved("q", depth=2).to_dicts()}
    for _, document, *ranks, _ in saved:
        assert ranks == [
            "" if moved[document][name] is None else str(moved[document][name]) for name in ("rank_a", "rank_b")
        ]
    tab.close()


def test_other_data_take_the_place_of_all_that_is_shown(browser, example: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(example)
    tab = Tab(browser, path)
    page = tab.page
    page.select_option("#measure", label="nDCG@10")
    page.select_option("#queries select >> nth=0", label="uos")
    page.select_option("#query select", index=5)
    shown = page.locator("main").inner_html()
    page.evaluate("present(structuredClone(data))")
    assert page.locator("main > section").count() == 8
    assert page.locator("#measure option").count() == 3
    assert page.eval_on_selector("#measure", "select => select.selectedOptions[0].text") == "nDCG@10"
    before, after = (re.sub("<svg.*?</svg>", "", text) for text in (shown, page.locator("main").inner_html()))
    assert [len(re.findall(part, before)) for part in ("<tr", "<option", "<td")] == [
        len(re.findall(part, after)) for part in ("<tr", "<option", "<td")
    ]
    chosen = page.evaluate("[data.runs[state.a], state.query, key().name]")
    assert chosen == ["uos", 5, "nDCG@10"]
    fewer = """
        const other = structuredClone(data);
        for (const part of ["measures", "answers", "leading", "means", "values", "ranks"]) other[part].length = 1;
        other.tests = other.tests.filter((test) => test.measure === 0);
        other.means[0][0].mean = 0.9876;
        present(other);
    """
    page.evaluate(f"() => {{ {fewer} }}")
    assert page.evaluate("[key().name, data.runs[state.a], state.query]") == ["AP", "uos", 5]
    assert page.locator(".answer .first").inner_text().startswith("waterloo, the baseline, leads by AP: 0.3561, ")
    assert page.locator("#summary thead th").all_inner_texts() == ["run", "AP"]
    assert page.locator("#summary tbody tr").first.inner_text().split()[:2] == ["amc", "0.9876"]
    tab.close()


def test_a_comparison_in_a_browser(browser, tmp_path: Path) -> None:
    out = tmp_path / "comparison.html"
    assert main(["compare", *RUNS[:2], "-o", str(out), "--qrels", QRELS, "-m", "RBO", "-m", "MED(nDCG@10)"]) == 0
    tab = Tab(browser, out)
    values = [float(text) for text in tab.page.locator("#queries tbody td:nth-child(2)").all_inner_texts()]
    assert values == sorted(values)  # of a similarity the lowest first
    tab.page.select_option("#measure", "1")
    assert tab.page.locator("#queries thead th").nth(1).inner_text().startswith("MED(nDCG@10)")
    tab.close()


def test_hostile_ids_stay_text(browser, tmp_path: Path) -> None:
    qrels = {HOSTILE: {HOSTILE: 1}, "q": {"a": 1}}
    runs = {HOSTILE: {HOSTILE: [HOSTILE, "b"], "q": ["a"]}, "other": {HOSTILE: ["b", HOSTILE], "q": ["b"]}}
    path = tmp_path / "hostile.html"
    path.write_text(report(qrels, runs, ["RR", "AP"], title=HOSTILE))
    tab = Tab(browser, path)
    for chart in tab.page.locator(".chart").all():
        chart.scroll_into_view_if_needed()
        chart.locator("svg").first.wait_for()
    assert tab.page.evaluate("window.hurt") is None
    assert tab.page.locator("h1").inner_text() == HOSTILE
    assert tab.page.locator("#summary tbody td").first.inner_text() == HOSTILE
    assert tab.page.locator("img").count() == 0
    tab.close()


def test_a_map_without_numpy_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests and intervals need no other package by now, so nothing before the map asks for one."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(untied.UntiedError, match=r"a map of runs needs NumPy: pip install numpy"):
        places([[0.0, 1.0], [1.0, 0.0]])


def test_runs_that_share_no_document_are_noted() -> None:
    """Distances of such runs say only that; the page and the warning name them as `compare_all` does."""
    runs = {"x": {"q": {"a": 2.0, "b": 1.0}}, "y": {"q": {"c": 2.0, "d": 1.0}}}
    with pytest.warns(untied.UntiedWarning, match="no document in common with the other runs: 'y'"):
        page = report({"q": {"a": 1, "c": 1}}, runs, ["AP"], samples=2000)
    assert "no document in common with the other runs: 'y'" in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "x"}, "test must be randomization, tukey, t or wilcoxon, not 'x'"),
        ({"correction": "x"}, "correction must be holm, bonferroni, bh or none, not 'x'"),
        ({"interval": "x"}, "interval must be bca, t or none, not 'x'"),
        ({"level": 5}, "level must be between 0 and 1, not 5"),
        ({"samples": 0}, "samples must be at least 1, not 0"),
        ({"seed": -1}, r"seed must be from 0 to 2\^64 - 1, not -1"),
        ({"baseline": "a"}, "a baseline needs another run, which is compared with it"),
        ({"distances": ["x"]}, 'unknown measure "x"'),
    ],
)
def test_options_are_checked_where_one_run_is_not_tested(options: dict[str, object], message: str) -> None:
    with pytest.raises(untied.UntiedError, match=message):
        report({"q": {"x": 1}}, {"a": {"q": ["x"]}}, "AP", **options)  # type: ignore[arg-type]


def test_the_judged_share_of_the_page_is_that_of_check() -> None:
    """Of documents that are there, and on average over all orders: short rankings and missing queries have no gaps."""
    random = seeded("judged share")
    for _ in range(many(20)):
        queries = [f"q{number}" for number in range(random.randint(1, 4))]
        docs = [f"d{number}" for number in range(14)]
        qrels = {q: {doc: random.choice([-1, 0, 1]) for doc in random.sample(docs, 7)} for q in queries}
        run = {
            q: {doc: random.randint(0, 3) for doc in random.sample(docs, random.choice([1, 3, 12, 14]))}
            for q in [*queries[random.randint(0, 1) if len(queries) > 1 else 0 :], "unknown"]
        }
        retrieved, judged = 0, Fraction(0)
        for query in run.keys() & qrels.keys():
            places = 10
            for score in sorted(set(run[query].values()), reverse=True):
                group = [doc for doc, other in run[query].items() if other == score]
                taken = min(places, len(group))
                places -= taken
                retrieved += taken
                judged += Fraction(taken * sum(qrels[query].get(doc, -1) >= 0 for doc in group), len(group))
        found = _core.check_run(as_qrels(qrels, None), as_run(run, None), None)["top"]
        assert found == (10, retrieved, pytest.approx(float(judged)))
        page = data_of(report(qrels, {"run": run}, "AP"))
        assert page["top_ten"] == [pytest.approx(float(1 - judged / retrieved))]
        unjudged = untied.evaluate(qrels, {"run": run}, "Unjudged@10", queries="common")["Unjudged@10"]
        if all(len(run[query]) >= 10 for query in run.keys() & qrels.keys()):
            assert unjudged == pytest.approx(page["top_ten"][0])


def segmented() -> tuple[dict, dict, dict]:
    """Judgments, runs and a table of queries: new is better in one market and worse in the other, for two measures."""
    names = [f"q{number:02}" for number in range(24)]
    qrels = {query: {"a": 1} for query in names}
    best, worst = ["a", "b", "c", "d"], ["b", "c", "d", "a"]
    runs = {
        "old": {query: worst if number % 2 else best for number, query in enumerate(names)},
        "new": {query: best if number % 2 else worst for number, query in enumerate(names)},
        "tied": {query: [["a", "b", "c", "d"]] for query in names},
    }
    markets = {query: {"market": HOSTILE if number % 2 else "north"} for number, query in enumerate(names)}
    markets |= {"q24": {"market": "nowhere"}}
    return qrels, runs, markets


@pytest.mark.parametrize("baseline", [None, "old"])
def test_segments_are_those_of_grouped_results(baseline: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, runs, markets = segmented()
    monkeypatch.setattr("untied.report.values.HELD", 1)  # a measure at a time
    data = data_of(report(qrels, runs, ["RR", "ESL"], query_table=markets, by="market", baseline=baseline))
    results = untied.evaluate(qrels, runs, ["RR", "ESL"], ties="range").grouped(markets, by="market")
    segments = data["segments"]
    assert (segments["by"], segments["queries"]) == ("market", [12, 12])
    assert segments["names"] == [_core.show_id(name) for name in results.segments]
    signs = {}
    for measure in results.measures if baseline else ():
        alone = untied.evaluate(qrels, runs, measure, ties="range").grouped(markets, by="market")
        for row in significance(alone, baseline=baseline, interval="none").table.to_dicts():
            assert row["run_b"] == baseline
            sign = (row["difference"] > 0) - (row["difference"] < 0)
            signs[measure, row["segment"], row["run_a"]] = sign if row["significant"] == "yes" else 0
    for measure, of_measure in zip(results.measures, segments["means"], strict=True):
        for (name, part), of_segment in zip(results.segments.items(), of_measure, strict=True):
            for run, found in zip(results.runs, of_segment, strict=True):
                value = part.value(measure, run=run)
                assert [found[end] for end in ("mean", "low", "high")] == [value.mean, value.low, value.high]
                assert found["sign"] == signs.get((measure, name, run))
    assert "queries of the table that were not evaluated: 1" in data["notes"]
    if baseline:
        assert {signs["RR", name, "new"] for name in results.segments} == {-1, 1}
    assert data_of(report(qrels, runs, "RR"))["segments"] is None


def test_segments_in_a_browser(browser, tmp_path: Path) -> None:
    qrels, runs, markets = segmented()
    path = tmp_path / "segments.html"
    path.write_text(report(qrels, runs, ["RR", "ESL"], query_table=markets, by="market", baseline="old"))
    tab = Tab(browser, path, viewport={"width": 390, "height": 800})
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    where = tab.page.locator("#segments")
    north = ["north", "12", "1.0000", "0.2500 ▼", "0.5208 ▼\n[0.2500, 1.0000]"]

    def shown() -> dict[str, str]:
        heads = where.locator("thead th").all_inner_texts()
        row = where.locator("tbody tr").filter(has_text="north")
        return dict(zip(heads, row.locator("td").all_inner_texts(), strict=True))

    assert shown() == dict(zip(["market", "queries", "old", "new", "tied"], north, strict=True))
    assert where.locator("tbody tr").filter(has_text="north").locator(".best").all_inner_texts() == ["1.0000"]
    tab.page.select_option("#measure", "1")  # of ESL, less is better
    assert (shown()["old"], shown()["new"]) == ("0.0000", "3.0000 ▼")
    assert tab.page.evaluate("window.hurt") is None
    tab.close()


def test_options_of_segments() -> None:
    qrels, runs, markets = segmented()
    with pytest.raises(UntiedError, match="query_table has no effect without by or strata"):
        report(qrels, runs, "RR", query_table=markets)
    with pytest.raises(UntiedError, match="live pages recalculate means of all queries only; leave out live or by"):
        report(qrels, runs, "RR", query_table=markets, by="market", live=True)
    with pytest.raises(UntiedError, match="city"):
        report(qrels, runs, "RR", query_table=markets, by="city")
