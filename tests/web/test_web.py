"""The core in a browser: its numbers are those of this machine's own core, to the last bit."""

from __future__ import annotations

import base64
import gzip
import json
import math
import shlex
from pathlib import Path
from typing import Any

import pytest

import browsing
import untied
from devtools import web
from page_data import data_of
from strategies import PACKAGE, as_text
from test_golden import COVERED, measure_of
from untied import _core
from untied._core import measure_info
from untied.cli import main
from untied.report import report
from untied.report.measures import meaning

pytestmark = [
    pytest.mark.skipif(web.missing() is not None, reason=str(web.missing())),
    pytest.mark.filterwarnings("ignore::untied.UntiedWarning"),  # golden cases with nothing relevant
]

EXAMPLE = Path(__file__).parents[2] / "examples" / "tar2017"
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


class Core:
    """The core in an empty page of the browser, over these files."""

    def __init__(self, browser, files: list[bytes]) -> None:
        self.page = browser.new_page()
        self.page.add_script_tag(content=(web.REPORT / "core.js").read_text() + "\nwindow.startCore = startCore;")
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
    return [number.hex() for number in ours] == [number.hex() for number in theirs]


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
    names, runs = default_names(), [RUNS[1], RUNS[3]]
    core = Core(browser, [Path(path).read_bytes() for path in (QRELS, *runs)])
    core.open(["qrels", "run", "run"])
    accepted = []
    for name in names:
        try:
            untied.evaluate(QRELS, runs[0], [name], **policies)
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


# ---------------------------------------------------------------------------------------------------------------------
# The page


@pytest.fixture(scope="module")
def page_path() -> Path:
    return web.build_page()


#: The page shows what the chosen files and settings give, and the core has answered everything.
SETTLED = "() => state.shown === wanted && !state.adding && work.waiting.size === 0"


class Tab(browsing.Tab):
    """The page, with what a reader does."""

    def settled(self) -> None:
        self.page.wait_for_function(SETTLED)

    def saved(self, button: str) -> str:
        with self.page.expect_download() as download:
            self.page.click(button)
        return Path(download.value.path()).read_text()

    def drop(self, *paths: Path | str) -> None:
        """Choose files, and wait until the core is done with them."""
        self.page.evaluate("() => { change({ shown: -1 }); }")
        self.page.set_input_files("#choose", [str(path) for path in paths])
        self.settled()

    def choose(self, **policies: str) -> None:
        """Choose policies, one after the other."""
        self.page.evaluate(
            "() => document.querySelectorAll('#settings, #settings details').forEach((one) => { one.open = true; })"
        )
        for name, value in policies.items():
            self.page.select_option(f"#policy-{name}", value)
            self.settled()
            assert self.page.evaluate(f"data.settings.{name} ?? 'none'") == value

    def answers(self) -> list[str]:
        self.settled()
        return [text.replace("\xa0", " ") for text in self.page.locator("#summary .answer p").all_inner_texts()]

    def notes(self) -> list[str]:
        return [str(note) for note in self.page.evaluate("data.notes")]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def shown(mean: str, low: str, high: str) -> str:
    """A value as a table has it: without brackets where these say nothing."""
    return mean if mean == low == high else f"{mean} [{low}, {high}]"


#: What the page compares runs by.
COMPARED = ("MED(nDCG@10)", "RBO", "Overlap@10")
MEASURES = ["AP", "nDCG@10", "RR"]


def without_map(distances: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**one, "map": None} for one in distances]


def test_the_page_is_the_report_of_its_files(browser, page_path: Path) -> None:
    """All that a report says of the example, the page says too, to the last bit."""
    tab = Tab(browser, page_path)
    tab.settled()
    found = json.loads(tab.page.evaluate("JSON.stringify(data)"))
    inputs = [QRELS, *RUNS]
    told = data_of(report(QRELS, RUNS, MEASURES, distances=COMPARED, inputs=inputs))
    told["distances"] = without_map(told["distances"])
    told["rankings"] = [{"relevant": one["relevant"]} for one in told["rankings"]]
    of_files = {"queries": "qrels", "on_undefined": "zero"}
    told["settings"] = {name: value for name, value in told["settings"].items() if name != "qrels_format"} | of_files
    curves = json.loads(tab.page.evaluate("() => held.curves && JSON.stringify(made.curves)"))
    assert curves == {name: told["curves"][name] for name in ("recall", "ranks")}
    (moving,) = (note for note in found["notes"] if note not in told["notes"])
    assert moving == (
        "all 6,286 documents of uos are tied with others: its AP is 0.0971 on average, but it could be anything from "
        "0.0432 to 1.0000"
    )
    found["notes"].remove(moving)
    assert found.keys() - told.keys() == {"words", "ends"}
    for name in told.keys() - {"curves"}:
        assert found[name] == told[name], name
    # The sentences come from the data by the one script that reports have.
    told_by_script = tab.page.evaluate("data => sentencesOf(data, 0)", told)
    assert tab.answers() == [text.replace("\xa0", " ") for text in told_by_script]
    tab.close()


def test_curves_are_drawn_when_asked_for(browser, page_path: Path, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "one.run"
    qrels.write_text("q 0 a 1\nq 0 b 0\nq 0 c 1\n")
    run.write_text("q Q0 a 1 3 x\nq Q0 b 2 2 x\nq Q0 c 3 1 x\n")
    tab = Tab(browser, page_path)
    tab.drop(qrels, run)
    assert tab.page.locator("#curves svg").count() == 0
    tab.page.click("#curves button")
    tab.page.wait_for_function("() => document.querySelectorAll('#curves .chart > svg').length === 2")
    told = data_of(report(str(qrels), [str(run)], MEASURES))["curves"]
    assert json.loads(tab.page.evaluate("JSON.stringify(data.curves)")) == told
    tab.close()


def test_the_example_is_what_untied_eval_prints(
    browser, page_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    tab = Tab(browser, page_path, viewport={"width": 1280, "height": 900})
    tab.settled()
    command = tab.page.locator("#summary code").inner_text()
    assert command == "untied eval qrels.txt amc.run qut.run uos.run waterloo.run -m AP -m nDCG@10 -m RR --ties range"
    expected = printed(capsys, *shlex.split(command)[1:], "--format", "tsv")
    assert tab.saved("#save-tsv") == expected
    # The table has the same numbers, the best run first.
    rows = tab.page.locator("#summary tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    of_page = {}
    for run, *cells in rows:
        for measure, cell in zip(MEASURES, cells, strict=True):
            brackets = [word for word in cell.replace("\n", " ").split() if word[0] == "[" or word[-1] == "]"]
            of_page[run, measure] = [cell.split()[0], *brackets]
    lines = [line.split("\t") for line in expected.splitlines()[1:]]
    assert of_page == {(run, measure): shown(*values).split() for run, _, measure, *values in lines}
    assert tab.page.locator("#summary tbody tr td").first.inner_text() == "waterloo"
    # Values of queries too, whole.
    results = json.loads(tab.saved("#save-json"))["results"]
    told = json.loads(printed(capsys, *shlex.split(command)[1:], "-q", "--format", "json"))["results"]
    assert results == told
    # The answer follows what a reader may drop and change, and is on the first screen.
    sections = tab.page.locator("section").evaluate_all("all => all.map(({ id }) => id)")
    assert sections == [
        "files", "summary", "queries", "query", "curves", "ties", "distances", "compare", "glance", "check",
        "provenance",
    ]  # fmt: skip
    assert tab.page.locator("#summary .answer").bounding_box()["y"] < 600
    assert tab.page.locator("#summary .chart path.ties").count() == 4  # of three runs, and in the legend
    # On paper too columns and queries have names.
    tab.page.emulate_media(media="print")
    assert tab.page.locator("#summary thead").inner_text().split() == ["run", *MEASURES]
    assert tab.page.locator("#queries tbody td").first.inner_text() == "CD010705"
    assert tab.page.locator("#summary code").is_visible()
    tab.page.emulate_media(media="screen")
    tab.page.locator("#summary thead th button").nth(1).press("Enter")
    assert tab.page.locator("#summary thead th").nth(1).get_attribute("aria-sort") == "ascending"
    assert tab.page.locator("#summary tbody tr td").first.inner_text() == "uos"
    tab.close()


def test_findings_and_comparisons_are_those_of_the_commands(
    browser, page_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    tab = Tab(browser, page_path)
    tab.settled()
    names = [Path(run).name for run in RUNS]
    said = printed(capsys, "check", "qrels.txt", *names)
    found = [line.strip() for line in tab.page.locator("#check h3, #check li").all_inner_texts()]
    assert found == [line.strip() for line in said.splitlines() if line.strip()]
    command = tab.page.locator("#compare code").inner_text()
    told = printed(capsys, *shlex.split(command)[1:], "--format", "tsv").splitlines()[1:]
    means = tab.page.locator("#compare dd b").all_inner_texts()
    assert means == [shown(*line.split("\t")[4:7]) for line in told]
    meanings = [meaning(_core.comparing_measure(name)) for name in COMPARED]
    assert tab.page.locator("#compare dd").all_inner_texts() == [
        f"{mean} {about}" for mean, about in zip(means, meanings, strict=True)
    ]
    # The tie group of the run whose scores are all the same.
    query = "CD008081"
    tab.page.select_option("#queries select >> nth=1", label="uos")
    tab.page.select_option("#query select", label=query)
    tab.settled()
    group = tab.page.locator("#query .tied").first
    relevant = sum(line.split()[0] == query and line.split()[3] != "0" for line in Path(QRELS).read_text().splitlines())
    assert f"970 documents tied at 0, {relevant} of them relevant" in group.inner_text()
    group.locator("summary").click()
    tab.page.wait_for_function("() => document.querySelector('#query .fold summary').textContent === 'hide'")
    assert group.locator(".doc[data-doc]:visible").count() == 306
    assert group.locator(".grade").all_inner_texts() == ["1"] * relevant + ["0"] * (306 - relevant)
    # More of a ranking is read when it is asked for.
    documents = tab.page.locator("#panel > div >> nth=0").locator(".doc[data-doc]")
    before = documents.count()
    tab.page.get_by_role("button", name="Show more documents").click()
    tab.settled()
    assert documents.count() == before + 20 == 40
    tab.close()


def test_other_measures_of_two_runs_can_be_chosen(browser, page_path: Path) -> None:
    tab = Tab(browser, page_path)
    tab.settled()
    tab.page.fill("#compare input", "MED(ERR@20) Tau")
    tab.page.press("#compare input", "Enter")
    tab.page.wait_for_function("() => document.querySelectorAll('#compare dt').length === 2")
    results = untied.compare(RUNS[3], RUNS[0], ["MED(ERR@20)", "Tau"])
    told = tab.page.locator("#compare dd b").all_inner_texts()
    assert [text.split()[0].replace("−", "-") for text in told] == [
        f"{results[name].mean:.4f}" for name in results.measures
    ]
    tab.page.fill("#compare input", "AP")
    tab.page.press("#compare input", "Enter")
    tab.page.wait_for_function("() => document.querySelector('#compare .trouble').textContent")
    tab.close()


def test_problems_of_files_that_were_replaced_are_forgotten(browser, page_path: Path, tmp_path: Path) -> None:
    """What is found belongs to the judgments of the page, also if it is found only after these were replaced."""
    first, second, run = tmp_path / "first.qrels", tmp_path / "second.qrels", tmp_path / "a.run"
    first.write_text("q1 0 a 1\n")
    second.write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 1\n")
    run.write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\n")
    tab = Tab(browser, page_path)
    tab.settled()
    tab.page.evaluate(
        """() => {
            const ask = work.ask.bind(work);
            window.late = [];
            work.ask = async (request, what) => {
                const answer = await ask(request, what).then((value) => () => value, (error) => () => { throw error; });
                if (["check", "evaluate"].includes(request.do)) await new Promise((go) => late.push([request.do, go]));
                return answer();
            };
            window.letGo = (what) => late.splice(late.findIndex(([name]) => name === what), 1)[0][1]();
            window.has = (what) => late.some(([name]) => name === what);
            window.letAll = () => { const all = late.splice(0); all.forEach(([, go]) => go()); return all.length; };
        }"""
    )
    tab.page.set_input_files("#choose", [str(first), str(run)])
    tab.page.wait_for_function("() => has('evaluate')")
    # Evaluations go on until the page checks its files; what is found of these comes late.
    tab.page.wait_for_function("() => { if (!has('check')) letAll(); return has('check'); }")
    tab.page.evaluate("window.stale = late.splice(0)")
    tab.page.set_input_files("#choose", [str(second)])
    tab.page.wait_for_function("() => has('evaluate')")
    tab.page.evaluate("stale.forEach(([, go]) => go())")
    # An evaluation of the first judgments that ends only after the second ones are there is dropped.
    tab.page.set_input_files("#choose", [str(first)])
    tab.page.wait_for_function("() => late.filter(([name]) => name === 'evaluate').length > 1")
    tab.page.set_input_files("#choose", [str(second)])
    tab.page.wait_for_function(
        "() => { letAll(); return state.shown === wanted && !state.adding && !late.length && !work.waiting.size; }"
    )
    tab.page.wait_for_function("() => document.querySelector('#check h3')")
    assert tab.page.locator("#check h3").first.inner_text() == "qrels: 3 queries"
    assert tab.page.evaluate("[data.of, panel.trouble.textContent]") == [3, ""]
    tab.close()


def test_files_that_are_dropped(browser, page_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run, other = tmp_path / "my qrels.txt", tmp_path / "one.run.gz", tmp_path / "two.txt"
    qrels.write_text("# comment\nq1 0 a 2\nq1 0 b 0\nq2 0 é<b> 1\n")
    run.write_bytes(gzip.compress(b"q1 Q0 a 1 2 x\nq1 Q0 b 2 2 x\nq1 Q0 z 3 1 x\nq2 Q0 \xc3\xa9<b> 1 0.5 x\n"))
    other.write_text("q1 Q0 z 1 2 y\nq1 Q0 a 2 1 y\nq3 Q0 a 1 1 y\n")
    tab = Tab(browser, page_path, viewport={"width": 390, "height": 800})
    tab.drop(other, run, qrels)
    tab.choose(unjudged="range")
    tab.page.fill("input[list=names]", "ndcg_cut_5")
    tab.page.press("input[list=names]", "Enter")
    tab.page.wait_for_function("() => data.measures.some(({ name }) => name === 'nDCG@5')")
    tab.settled()
    command = shlex.split(tab.page.locator("#summary code").inner_text())
    assert command[2:5] == ["my qrels.txt", "one.run.gz", "two.txt"] or command[2:5] == [
        "my qrels.txt",
        "two.txt",
        "one.run.gz",
    ]
    paths = [str(tmp_path / word) if (tmp_path / word).exists() else word for word in command[1:]]
    assert tab.saved("#save-tsv") == printed(capsys, *paths, "--format", "tsv")
    assert "judged queries missing from a run: 1 from two (counted as empty rankings" in tab.notes()[0]
    assert "1 query without judgments" in tab.page.locator("#subtitle").inner_text()
    tab.page.select_option("#query select", label="q1")
    tab.settled()
    assert tab.page.locator("#query .grade.open").count() > 0
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    # A measure that is not known is one error, in the core's words.
    tab.page.fill("input[list=names]", "nDGC@10")
    tab.page.press("input[list=names]", "Enter")
    with pytest.raises(untied.UntiedError) as error:
        untied.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, ["nDGC@10"])
    tab.page.wait_for_function("() => document.querySelector('#settings .trouble').textContent")
    assert tab.page.locator("#settings .trouble").inner_text() == str(error.value)
    tab.close()


def test_the_command_has_no_option_that_it_refuses(
    browser, page_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    tab = Tab(browser, page_path)
    tab.choose(unretrieved="pooled")
    for unjudged in ("range", "remove", "best", "nonrelevant"):
        tab.choose(unjudged=unjudged)
        command = shlex.split(tab.page.locator("#summary code").inner_text())
        assert ("--unretrieved" in command) == (unjudged in ("range", "best"))
        assert tab.saved("#save-tsv") == printed(capsys, *command[1:], "--format", "tsv")
    tab.close()


def test_queries_that_a_run_lacks_can_be_left_out(
    browser, page_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then runs have values of other queries, which the page puts side by side."""
    monkeypatch.chdir(tmp_path)
    qrels, one, two = tmp_path / "qrels.txt", tmp_path / "one.run", tmp_path / "two.run"
    qrels.write_text("".join(f"q{n} 0 a 1\nq{n} 0 b 0\n" for n in range(5)))
    one.write_text("".join(f"q{n} Q0 {'ab'[n % 2]} 1 2 x\nq{n} Q0 {'ba'[n % 2]} 2 1 x\n" for n in (0, 1, 3)))
    two.write_text("".join(f"q{n} Q0 a 1 2 x\nq{n} Q0 b 2 1 x\n" for n in (1, 2, 3)))
    tab = Tab(browser, page_path)
    tab.drop(qrels, one, two)
    tab.choose(queries="common", on_undefined="nan", score_dtype="float32")
    command = shlex.split(tab.page.locator("#summary code").inner_text())
    assert command[-6:] == ["--score-dtype", "float32", "--queries", "common", "--on-undefined", "nan"]
    assert tab.saved("#save-tsv") == printed(capsys, *command[1:], "--format", "tsv")
    assert tab.page.evaluate("data.queries") == ["q0", "q1", "q2", "q3"]
    assert json.loads(tab.page.evaluate("JSON.stringify(data.values[2])")) == [[1, 0.5, None, 0.5], [None, 1, 1, 1]]
    assert tab.page.evaluate("data.tests.find(({ measure }) => measure === 2).counts") == [0, 0, 2]
    tab.close()


def test_a_baseline_follows_its_run(browser, page_path: Path) -> None:
    tab = Tab(browser, page_path)
    tab.choose()
    tab.page.select_option("#baseline", label="qut")
    tab.settled()
    told = data_of(report(QRELS, RUNS, MEASURES, baseline="qut"))
    assert json.loads(tab.page.evaluate("JSON.stringify(data.tests)")) == told["tests"]
    tab.page.evaluate("() => { change({ shown: -1 }); }")
    tab.page.locator("#files details").evaluate("(all) => { all.open = true; }")
    tab.page.click("[aria-label='Remove amc.run']")
    tab.settled()
    assert tab.page.evaluate("data.runs[data.baseline]") == "qut"
    tab.page.evaluate("() => { change({ shown: -1 }); }")
    tab.page.click("[aria-label='Remove qut.run']")
    tab.settled()
    assert tab.page.evaluate("data.baseline") is None
    tab.close()


def test_bounds_of_single_runs_decide_nothing_about_grades(browser, page_path: Path, tmp_path: Path) -> None:
    """What only the other run retrieved could change the value too: here ahead is better, and could be worse."""
    grades, ahead = {"r": 1, "x": 0, "y": 0}, {"x": 2.0, "r": 1.0}
    other = {"x": 5.0, "y": 4.0, "u": 3.0, "v": 2.0, "w": 1.0}
    runs = {"ahead": {"q": ahead}, "other": {"q": other}}
    results = untied.evaluate({"q": grades}, runs, "AP", unjudged="range")
    assert results["ahead", "AP"].low > results["other", "AP"].high
    found = {"q": grades | dict.fromkeys("uvw", 1)}
    judged = untied.evaluate(found, runs, "AP")
    assert judged["ahead", "AP"].mean < judged["other", "AP"].mean
    (tmp_path / "qrels.txt").write_text("".join(f"q 0 {doc} {grade}\n" for doc, grade in grades.items()))
    for name, of_query in runs.items():
        lines = (f"q Q0 {doc} 1 {score} t\n" for doc, score in of_query["q"].items())
        (tmp_path / f"{name}.run").write_text("".join(lines))
    tab = Tab(browser, page_path)
    tab.drop(*(tmp_path / name for name in ("qrels.txt", "ahead.run", "other.run")))
    tab.choose(unjudged="range")
    verdict = untied.certify({"q": grades}, runs, "AP")["ahead", "other"]["AP"]
    assert verdict.verdict == "open"
    ends = f"{verdict.low:+.4f} and {verdict.high:+.4f}".replace("-", "−")
    said = tab.answers()
    assert said[0] == "ahead leads by AP: 0.5000, 0.5000 above other (0.0000)."
    assert said[2] == (
        "Ties and missing judgments might end the lead: depending on the order of tied documents and the grades of "
        f"unjudged documents, the difference lies between {ends}."
    )
    certain = "In every order of tied documents, for all grades of unjudged documents, A is better in 0 and worse in 0."
    assert certain in tab.page.locator("#queries .note").first.inner_text()
    low, high = ends.split(" and ")
    assert f"[{low}, {high}]" in tab.page.locator("#queries tbody").inner_text()
    assert tab.page.locator("#queries tbody .up, #queries tbody .down").count() == 0
    tab.close()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("broken.run", b"q1 Q0 a 1 2.5 x\nq1 Q0 b 2 much x\n"),
        ("twice.run", b"q1 Q0 a 1 2.5 x\nq1 Q0 a 2 2 x\n"),
        ("short.run", b"q1 Q0 a 1 2.5\n"),
        ("cut.run.gz", gzip.compress(b"q1 Q0 a 1 2.5 x\n" * 99)[:-20]),
        ("empty.run", b""),
    ],
    ids=["word", "twice", "short", "cut", "empty"],  # gzip's bytes hold the time, and all workers must collect one name
)
def test_a_broken_file_is_the_cores_one_error(
    browser, page_path: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(untied.UntiedError) as error:
        untied.Run(str(path))
    tab = Tab(browser, page_path)
    tab.drop(path)
    assert tab.page.locator("#files .broken .why").inner_text() == str(error.value).replace(str(path), name)
    assert tab.page.locator("#summary").count() == 0
    tab.close()


def test_every_file_that_is_not_used_stays_named(browser, page_path: Path, tmp_path: Path) -> None:
    broken, text = tmp_path / "broken.run", tmp_path / "LICENSE"
    rows = [f"CD008081 Q0 d{n} {n} {9 - n} x\n" for n in range(1, 8)]
    broken.write_text("".join([*rows[:4], "CD008081 Q0 d5 5 abc x\n", *rows[5:]]))
    text.write_text("Apache License\nVersion 2.0\n")
    said = [
        'LICENSE, line 1: expected 6 columns (query Q0 document rank score tag), found 2: "Apache License"',
        'broken.run, line 5: expected a number as the score, found "abc"',
    ]
    why = "#files .broken .why"
    tab = Tab(browser, page_path)
    tab.drop(QRELS, broken, text, RUNS[0])
    assert sorted(tab.page.locator(why).all_inner_texts()) == said
    assert tab.page.locator("#summary tbody tr").count() == 1
    # Neither other files nor other settings take the words away.
    tab.drop(RUNS[1])
    tab.choose(ties="expected")
    assert sorted(tab.page.locator(why).all_inner_texts()) == said
    # What replaces a file, or a click, does.
    judged = next(line.split()[2] for line in Path(QRELS).read_text().splitlines() if line.startswith("CD008081"))
    broken.write_text("".join([f"CD008081 Q0 {judged} 1 10 x\n", *rows]))
    tab.drop(broken)
    assert tab.page.locator(why).all_inner_texts() == said[:1]
    tab.page.click("#files .broken button")
    assert tab.page.locator(why).count() == 0
    # A broken file alone, beside files that are used.
    text.rename(tmp_path / "NOTICE")
    tab.drop(tmp_path / "NOTICE")
    assert tab.page.locator(why).all_inner_texts() == [said[0].replace("LICENSE", "NOTICE")]
    runs = tab.page.locator("#summary tbody tr").count()
    # A folder is given as a file that cannot be read.
    tab.page.evaluate("add([{ path: 'runs', blob: { slice: () => { throw new Error('unreadable'); } } }])")
    said = ["runs: expected a file, found something that cannot be read (a folder?)"]
    assert tab.page.locator(why).all_inner_texts()[1:] == said
    assert tab.page.locator("#summary tbody tr").count() == runs == 3
    json_lines = tmp_path / "dense.jsonl"
    json_lines.write_text('{"query": "CD008081", "document": "d1", "score": 1}\n')
    tab.drop(json_lines)
    assert tab.page.locator(why).all_inner_texts()[2:] == [
        "dense.jsonl: expected TREC's format, the only one that this page reads, found JSON; untied eval reads JSON on "
        "the command line"
    ]
    assert tab.page.locator("#summary tbody tr").count() == 3
    tab.close()


def test_what_is_missing_or_replaced_is_said(browser, page_path: Path, tmp_path: Path) -> None:
    other = tmp_path / "half.txt"
    other.write_text("".join(Path(QRELS).read_text().splitlines(keepends=True)[::2]))
    missing = "() => document.querySelector('#files .missing').textContent"
    tab = Tab(browser, page_path)
    tab.page.click("[aria-label='Remove amc.run']")
    assert tab.page.locator("#take").inner_text() == "Back to the example"
    tab.page.set_input_files("#choose", [RUNS[0]])
    tab.page.wait_for_function(missing)
    assert tab.page.locator("#files .missing").inner_text() == "Add judgments (qrels) to see scores."
    assert not tab.page.locator("#of-example").is_visible()
    tab.settled()
    assert tab.page.locator("main > section").count() == 0
    tab.page.click("[aria-label='Remove amc.run']")
    tab.page.set_input_files("#choose", [QRELS])
    tab.page.wait_for_function(missing)
    assert tab.page.locator("#files .missing").inner_text() == "Add a run to see scores."
    tab.drop(RUNS[0], other)
    assert tab.page.locator("#files .missing").inner_text() == ""
    said = "The judgments of half.txt replaced those of qrels.txt: one file of judgments is used at a time."
    assert tab.page.locator("#files .notice").inner_text() == said
    tab.page.click("#take")
    tab.page.wait_for_function("() => state.isExample && data?.runs.length === 4")
    tab.settled()
    assert tab.answers()[0] == "waterloo leads by AP: 0.3561, 0.1367 above amc (0.2194)."
    tab.close()


def test_runs_without_judgments_are_compared(
    browser, page_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    tab = Tab(browser, page_path)
    tab.drop(*RUNS[:3])
    said = "Add judgments (qrels) to see scores. Without them, two runs are compared below."
    assert tab.page.locator("#files .missing").inner_text() == said
    assert tab.page.locator("main > section").evaluate_all("all => all.map(({ id }) => id)") == ["compare", "query"]
    for a, b in (("amc", "qut"), ("amc", "uos"), ("qut", "uos")):
        tab.page.select_option("#compare select >> nth=0", label=a)
        tab.settled()
        tab.page.select_option("#compare select >> nth=1", label=b)
        tab.settled()
        command = tab.page.locator("#compare code").inner_text()
        assert command.startswith(f"untied compare {a}.run {b}.run -m ")
        told = printed(capsys, *shlex.split(command)[1:], "--format", "tsv").splitlines()[1:]
        means = tab.page.locator("#compare dd b").all_inner_texts()
        assert means == [shown(*line.split("\t")[4:7]) for line in told]
        assert tab.page.locator("#query h3").all_inner_texts() == [f"A: {a}", f"B: {b}"]
        assert tab.page.locator("#query .grade").first.inner_text() == "?"
    # Judgments make a report of them.
    tab.drop(QRELS)
    assert tab.answers()[0] == "amc leads by AP: 0.2194, 0.0042 above qut (0.2152)."
    tab.close()


def test_the_answer_says_what_moves_scores(browser, page_path: Path, tmp_path: Path) -> None:
    half, other = tmp_path / "half.txt", tmp_path / "other.run"
    half.write_text("".join(Path(QRELS).read_text().splitlines(keepends=True)[::2]))
    other.write_text("elsewhere Q0 a 1 1 x\n")
    tab = Tab(browser, page_path)
    amc, qut = RUNS[:2]
    tab.drop(half, amc, qut)
    told = tab.page.evaluate("data => sentencesOf(data, 0)", data_of(report(str(half), [amc, qut], MEASURES)))
    assert tab.answers() == [text.replace("\xa0", " ") for text in told]
    assert "Missing judgments might end the lead: " in told[3]
    assert "of the first ten documents" in told[3].lower()
    for policy in ("nonrelevant", "range"):
        tab.choose(unjudged=policy)
        results = untied.evaluate(str(half), [amc, qut], "AP", ties="range", unjudged=policy)
        widest = max(results.runs, key=lambda run: results[run, "AP"].high - results[run, "AP"].low)
        mean, low, high = (
            f"{end:.4f}" for end in (results[widest, "AP"].mean, results[widest, "AP"].low, results[widest, "AP"].high)
        )
        note = tab.notes()[-1]
        if policy == "nonrelevant":
            assert note.endswith(
                f"of {widest} are tied with others: its AP is {mean} on average, "
                f"but it could be anything from {low} to {high}"
            )
        else:
            assert tab.answers()[2].startswith("Ties and missing judgments might end the lead: ")
            assert note == (
                f"{widest} could move most: its AP is {mean}, but with other orders of tied documents and other grades "
                f"of unjudged documents it could be anything from {low} to {high}"
            )
            # Every bracket of a difference holds 0, so no difference has a colour.
            assert tab.page.locator("#queries tbody .up, #queries tbody .down").count() == 0
    # A run of other queries is the first thing to know, and the others have their scores.
    tab.drop(other)
    assert tab.notes()[0] == "left out: no query in common with the qrels: 'other'"
    assert tab.page.locator("#summary > .note").first.inner_text() == f"Note: {tab.notes()[0]}."
    assert tab.page.evaluate("data.runs") == ["amc", "qut"]
    tab.close()


def test_what_is_known_for_certain_is_told_apart(browser, page_path: Path) -> None:
    tab = Tab(browser, page_path)
    tab.settled()
    tab.page.select_option("#queries select >> nth=1", label="uos")
    said = tab.page.locator("#queries .note").first.inner_text()
    assert said.startswith("AP: A is better in 12, equal in 0, worse in 0 of 12 queries; mean difference +0.2590, p = ")
    assert said.endswith(" In every order of tied documents, A is better in 0 and worse in 0.")
    assert tab.page.locator("#queries tbody .up").count() == 0
    # Both runs are almost without ties: there is little that is open.
    tab.page.select_option("#queries select >> nth=1", label="amc")
    said = tab.page.locator("#queries .note").first.inner_text()
    assert said.endswith(" In every order of tied documents, A is better in 9 and worse in 3.")
    assert tab.page.locator("#queries tbody .up").count() == 9
    tab.choose(unjudged="range")
    assert "all 6,286 documents of uos are tied with others" in tab.notes()[-1]
    assert "Every document that the runs retrieved has been judged." in tab.page.locator("#ties").inner_text()
    # A run's name opens its widest query.
    tab.page.locator("#summary tbody button", has_text="amc").click()
    assert tab.page.evaluate("data.runs[state.a]") == "amc"
    widths = "data.queries.map((_, query) => valueOf(state.a, query)).map(({ low, high }) => high - low)"
    assert tab.page.evaluate(f"{widths}[state.query] === Math.max(...{widths})")
    tab.close()


def test_an_order_of_ties_in_which_all_is_judged_is_not_all_orders(browser, page_path: Path, tmp_path: Path) -> None:
    """The last of the first ten documents is tied with one that nobody judged, whichever of them comes first."""
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"q 0 m{place} {place % 2}\n" for place in range(10)))
    for unjudged in ("a", "z"):
        run = tmp_path / f"{unjudged}.run"
        scores = {f"m{place}": 20 - place for place in range(10)} | {unjudged: 11}
        run.write_text("".join(f"q Q0 {doc} 1 {score} t\n" for doc, score in scores.items()))
        tab = Tab(browser, page_path)
        tab.drop(qrels, run)
        tab.choose(unjudged="range")
        assert tab.page.evaluate("data.top_ten") == [0.05]
        assert "5.0 %" in tab.page.locator("#ties tbody").inner_text().replace("\xa0", " ")
        assert "has been judged" not in tab.page.locator("#ties").inner_text()
        tab.close()


def test_archives_of_codecs_in_c_are_refused(browser, page_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.run.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    tab = Tab(browser, page_path)
    tab.drop(path)
    said = "one.run.zst: zstd archives cannot be read here; unpack the file, or compress it with gzip"
    assert tab.page.locator("#files .broken .why").inner_text() == said
    tab.close()


def test_memory_does_not_grow_with_a_file(browser, page_path: Path, tmp_path: Path) -> None:
    """What was read of a file is given back before the next piece is read."""
    path = tmp_path / "long.run"
    path.write_text("".join(f"q{n // 1000} Q0 d{n} 1 {-n} long\n" for n in range(200_000)))
    whole = path.stat().st_size // 2**20
    assert whole > 3
    tab = Tab(browser, page_path)
    # The page may still be reading its example, whose files are smaller than a whole piece.
    tab.page.workers[0].evaluate(
        """() => {
          self.pieces = [];
          const read = FileReaderSync.prototype.readAsArrayBuffer;
          FileReaderSync.prototype.readAsArrayBuffer = function (blob) {
            const piece = read.call(this, blob);
            if (blob.size === 2 ** 20) pieces.push(piece);
            return piece;
          };
        }"""
    )
    tab.drop(QRELS, path)
    held = tab.page.workers[0].evaluate("() => pieces.map((piece) => piece.byteLength > 0)")
    assert len(held) >= whole
    assert sum(held) <= 1  # the one that is being read, if any
    tab.close()


def test_requests_are_forbidden_and_work_can_be_cancelled(browser, page_path: Path) -> None:
    tab = Tab(browser, page_path)
    with tab.page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        assert tab.page.evaluate("fetch('https://example.invalid/').then(() => 'sent', () => 'refused')") == "refused"
    tab.trouble.clear()
    # What is under way ends, and the next request is answered by a new worker.
    ended = """() => {
      const asked = work.ask({ do: "measures" }, "x").then(() => "done", (error) => error.message);
      work.cancel();
      return asked;
    }"""
    assert tab.page.evaluate(ended) == "cancelled"
    tab.choose()
    tab.page.fill("input[list=names]", "P@5")
    tab.page.press("input[list=names]", "Enter")
    tab.page.wait_for_function("() => data.measures.some(({ name }) => name === 'P@5')")
    tab.settled()
    assert tab.page.evaluate("data.means.length") == 4
    tab.close()


def test_large_runs_are_read_query_by_query(
    browser, page_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has their scores, and what needs all of a run is read only when it is asked for."""
    monkeypatch.chdir(EXAMPLE)
    broken = tmp_path / "broken.run"
    broken.write_text("CD008081 Q0 d1 1 9 x\nCD008081 Q0 d2 2 much x\n")
    tab = Tab(browser, page_path)
    tab.settled()  # what the example still asks for does not count
    tab.page.evaluate(
        """() => {
            const ask = work.ask.bind(work);
            window.requests = [];
            work.ask = (request, what) => {
                requests.push(request.do);
                return ask({ ...request, ...(/amc|broken/.test(request.name) && { bytes: 2 ** 30 }) }, what);
            };
        }"""
    )
    tab.drop(QRELS, *RUNS[:2], broken)
    assert tab.page.locator("#files .broken .why").all_inner_texts() == [
        'broken.run, line 2: expected a number as the score, found "much"'
    ]
    assert tab.page.locator("#files .file").all_inner_texts()[1].split(", ")[-1].startswith("read query by query")
    assert (
        tab.page.evaluate("requests.filter((what) => ['certify', 'bounds', 'rankings', 'check'].includes(what))") == []
    )
    command = shlex.split(tab.page.locator("#summary code").inner_text())
    assert command[1:5] == ["eval", "qrels.txt", "amc.run", "qut.run"]
    assert tab.saved("#save-tsv") == printed(capsys, *command[1:], "--format", "tsv")
    told = data_of(report(QRELS, RUNS[:2], MEASURES))["tests"]
    keys = ("p", "significant", "survives", "difference", "least", "most", "counts")
    found = json.loads(tab.page.evaluate("JSON.stringify(data.tests)"))
    assert [[one[key] for key in keys] for one in found] == [[one[key] for key in keys] for one in told]
    assert tab.page.locator("#ties tbody tr", has_text="amc").locator("td").nth(1).inner_text() == "–"
    # All of it is read after a click.
    assert "These runs are large" in tab.page.locator("#panel").inner_text()
    tab.page.click("#panel button")
    tab.page.wait_for_function("() => document.querySelectorAll('#panel h3').length === 2")
    assert tab.page.locator("#panel .doc[data-doc]").count() >= 40
    tab.page.click("#check button")
    tab.page.wait_for_function("() => document.querySelectorAll('#check h3').length === 3")
    tab.page.click("#compare button >> nth=0")
    tab.page.wait_for_function("() => document.querySelectorAll('#compare dt').length === 3")
    tab.close()
