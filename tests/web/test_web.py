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
from strategies import PACKAGE, as_text
from test_golden import COVERED, measure_of
from untied._core import measure_info
from untied.cli import main

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


class Tab(browsing.Tab):
    """The page, with what a reader does."""

    def saved(self, button: str) -> str:
        with self.page.expect_download() as download:
            self.page.click(button)
        return Path(download.value.path()).read_text()

    def drop(self, *paths: Path | str) -> None:
        """Choose files, and wait until the core is done with them."""
        self.page.set_input_files("#choose", [str(path) for path in paths])
        self.page.wait_for_function(
            "() => !state.isExample && !state.adding && work.waiting.size === 0"
            " && (state.values.size || state.trouble || state.broken.length)"
        )


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def shown(mean: str, low: str, high: str) -> str:
    """A value as a table has it: without brackets where these say nothing."""
    return mean if mean == low == high else f"{mean} [{low}, {high}]"


def test_the_example_is_what_untied_eval_prints(
    browser, page_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    tab = Tab(browser, page_path, viewport={"width": 1280, "height": 900})
    command = tab.page.locator("#results code").inner_text()
    assert command == "untied eval qrels.txt amc.run qut.run uos.run waterloo.run -m AP -m nDCG@10 -m RR --ties range"
    expected = printed(capsys, *shlex.split(command)[1:], "--format", "tsv")
    assert tab.saved("#save-tsv") == expected
    # The table has the same numbers, the best run first.
    of_page = {
        (row[0], measure): cell.split()
        for row in tab.page.locator("#results tbody tr").evaluate_all(
            "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
        )
        for measure, cell in zip(("AP", "nDCG@10", "RR"), row[1:], strict=True)
    }
    lines = [line.split("\t") for line in expected.splitlines()[1:]]
    assert of_page == {(run, measure): shown(*values).split() for run, _, measure, *values in lines}
    assert tab.page.locator("#results tbody tr td").first.inner_text() == "waterloo"
    # Values of queries too, whole.
    results = json.loads(tab.saved("#save-json"))["results"]
    told = json.loads(printed(capsys, *shlex.split(command)[1:], "-q", "--format", "json"))["results"]
    assert results == told
    # The verdict stands above the files, in the words of a report.
    assert tab.page.locator("main > section").evaluate_all("all => all.map(({ id }) => id)")[:3] == [
        "",
        "answer",
        "files",
    ]
    assert answers(tab) == [
        "waterloo leads by AP: 0.3561, 0.1367 above amc (0.2194).",
        "Ties could end the lead: depending on the order of tied documents, the difference to uos lies between "
        "−0.6439 and +0.3129.",
        "All 6,286 documents of uos are tied with others: its AP is 0.0971 on average, but it could be anything from "
        "0.0432 to 1.0000.",
    ]
    assert tab.page.locator("#answer .chart path.ties").count() == 4  # of three runs, and in the legend
    # On paper too columns and queries have names.
    tab.page.emulate_media(media="print")
    assert tab.page.locator("#results thead").inner_text().split() == ["Run", "AP", "nDCG@10", "RR"]
    assert tab.page.locator("#queries tbody td").first.inner_text() == "CD010705"
    assert tab.page.locator("#results code").is_visible()
    tab.page.emulate_media(media="screen")
    tab.page.locator("#results thead th button").nth(1).press("Enter")
    assert tab.page.locator("#results thead th").nth(1).get_attribute("aria-sort") == "ascending"
    assert tab.page.locator("#results tbody tr td").first.inner_text() == "uos"
    tab.close()


def test_findings_and_comparisons_are_those_of_the_commands(
    browser, page_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    tab = Tab(browser, page_path)
    tab.page.wait_for_function("() => work.waiting.size === 0")
    names = [Path(run).name for run in RUNS]
    said = printed(capsys, "check", "qrels.txt", *names)
    found = [line.strip() for line in tab.page.locator("#check h3, #check li").all_inner_texts()]
    assert found == [line.strip() for line in said.splitlines() if line.strip()]
    command = tab.page.locator("#compare code").inner_text()
    told = printed(capsys, *shlex.split(command)[1:], "--format", "tsv").splitlines()[1:]
    means = tab.page.locator("#compare dd b").all_inner_texts()
    assert means == [shown(*line.split("\t")[4:7]) for line in told]
    # The tie group of the run whose scores are all the same.
    group = tab.page.locator("#rankings .tied").first
    query = tab.page.evaluate("state.query")
    relevant = sum(line.split()[0] == query and line.split()[3] != "0" for line in Path(QRELS).read_text().splitlines())
    assert f"970 documents tied at 0, {relevant} of them relevant" in group.inner_text()
    group.locator("summary").click()
    tab.page.wait_for_function("() => document.querySelector('#rankings .fold summary').textContent === 'hide'")
    assert group.locator(".doc[data-doc]:visible").count() == 306
    assert group.locator(".grade").all_inner_texts() == ["1"] * relevant + ["0"] * (306 - relevant)
    tab.close()


def test_problems_of_files_that_were_replaced_are_forgotten(browser, page_path: Path, tmp_path: Path) -> None:
    """What is found belongs to the judgments of the page, also if it is found only after these were replaced."""
    first, second, run = tmp_path / "first.qrels", tmp_path / "second.qrels", tmp_path / "a.run"
    first.write_text("q1 0 a 1\n")
    second.write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 1\n")
    run.write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\n")
    tab = Tab(browser, page_path)
    tab.page.wait_for_function("() => work.waiting.size === 0 && state.checks.size === state.values.size")
    tab.page.evaluate(
        """() => {
            const ask = work.ask.bind(work);
            window.late = [];
            work.ask = async (request, what) => {
                const answer = await ask(request, what).then((value) => () => value, (error) => () => { throw error; });
                if (["check", "evaluate"].includes(request.do)) await new Promise((go) => late.push([request.do, go]));
                return answer();
            };
            window.let_go = (what) => late.splice(late.findIndex(([name]) => name === what), 1)[0][1]();
            window.has = (what) => late.some(([name]) => name === what);
        }"""
    )
    tab.page.set_input_files("#choose", [str(first), str(run)])
    tab.page.wait_for_function("() => has('evaluate')")
    tab.page.evaluate("let_go('evaluate')")
    tab.page.wait_for_function("() => has('check')")
    tab.page.set_input_files("#choose", [str(second)])
    tab.page.wait_for_function("() => has('evaluate')")
    tab.page.evaluate("let_go('check')")
    tab.page.evaluate("let_go('evaluate')")
    tab.page.wait_for_function("() => has('check')")
    tab.page.evaluate("let_go('check')")
    tab.page.wait_for_function("() => state.checks.size === 1")
    assert tab.page.locator("#check h3").first.inner_text() == "qrels: 3 queries"
    assert tab.page.evaluate("state.trouble") == ""
    tab.close()


def test_files_that_are_dropped(browser, page_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run, other = tmp_path / "my qrels.txt", tmp_path / "one.run.gz", tmp_path / "two.txt"
    qrels.write_text("# comment\nq1 0 a 2\nq1 0 b 0\nq2 0 é<b> 1\n")
    run.write_bytes(gzip.compress(b"q1 Q0 a 1 2 x\nq1 Q0 b 2 2 x\nq1 Q0 z 3 1 x\nq2 Q0 \xc3\xa9<b> 1 0.5 x\n"))
    other.write_text("q1 Q0 z 1 2 y\nq1 Q0 a 2 1 y\nq3 Q0 a 1 1 y\n")
    tab = Tab(browser, page_path, viewport={"width": 390, "height": 800})
    tab.drop(other, run, qrels)
    tab.page.fill("input[list=names]", "ndcg_cut_5")
    tab.page.press("input[list=names]", "Enter")
    tab.page.wait_for_function(
        "() => state.measures.includes('nDCG@5') && state.values.size === 2 && work.waiting.size === 0"
    )
    tab.page.select_option("#policy-unjudged", "range")
    tab.page.wait_for_function("() => [...state.values.values()].length === 2 && work.waiting.size === 0")
    command = shlex.split(tab.page.locator("#results code").inner_text())
    assert command[2:5] == ["my qrels.txt", "one.run.gz", "two.txt"] or command[2:5] == [
        "my qrels.txt",
        "two.txt",
        "one.run.gz",
    ]
    paths = [str(tmp_path / word) if (tmp_path / word).exists() else word for word in command[1:]]
    assert tab.saved("#save-tsv") == printed(capsys, *paths, "--format", "tsv")
    assert "two: 1 query with judgments is missing from the run." in tab.page.locator("#results .notes").inner_text()
    assert tab.page.locator("#rankings .grade.open").count() > 0
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
    tab.page.locator("#settings summary", has_text="More policies").click()
    tab.page.select_option("#policy-unretrieved", "pooled")
    for unjudged in ("range", "remove", "best", "nonrelevant"):
        tab.page.select_option("#policy-unjudged", unjudged)
        tab.page.wait_for_function(
            "(value) => state.policies.unjudged === value && state.values.size === 4 && work.waiting.size === 0",
            arg=unjudged,
        )
        command = shlex.split(tab.page.locator("#results code").inner_text())
        assert ("--unretrieved" in command) == (unjudged in ("range", "best"))
        assert tab.saved("#save-tsv") == printed(capsys, *command[1:], "--format", "tsv")
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
    tab.page.select_option("#policy-unjudged", "range")
    tab.page.wait_for_function("() => state.values.size === 2 && work.waiting.size === 0")
    verdict = untied.certify({"q": grades}, runs, "AP")["ahead", "other"]["AP"]
    assert verdict.verdict == "open"
    ends = f"{verdict.low:+.4f} and {verdict.high:+.4f}".replace("-", "−")
    assert answers(tab)[:2] == [
        "ahead leads by AP: 0.5000, 0.5000 above other (0.0000).",
        "Ties and missing judgments might end the lead: depending on the order of tied documents and the grades of "
        f"unjudged documents, the difference lies between {ends}.",
    ]
    assert "for all grades of unjudged documents: ahead in 0, other in 0." in tab.page.locator("#queries").inner_text()
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
    assert not tab.page.locator("#results").is_visible()
    tab.close()


def answers(tab: Tab) -> list[str]:
    tab.page.wait_for_function("() => state.lead && work.waiting.size === 0 && state.checks.size === state.values.size")
    return [text.replace("\xa0", " ") for text in tab.page.locator("#answer .answer p").all_inner_texts()]


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
    assert tab.page.locator("#results tbody tr").count() == 1
    # Neither other files nor other settings take the words away.
    tab.drop(RUNS[1])
    tab.page.select_option("#policy-ties", "expected")
    tab.page.wait_for_function("() => state.values.size === 2 && work.waiting.size === 0")
    assert sorted(tab.page.locator(why).all_inner_texts()) == said
    # What replaces a file, or a click, does.
    broken.write_text("".join(rows))
    tab.drop(broken)
    assert tab.page.locator(why).all_inner_texts() == said[:1]
    tab.page.click("#files .broken button")
    assert tab.page.locator(why).count() == 0
    # A broken file alone, beside files that are used.
    text.rename(tmp_path / "NOTICE")
    tab.drop(tmp_path / "NOTICE")
    assert tab.page.locator(why).all_inner_texts() == [said[0].replace("LICENSE", "NOTICE")]
    assert tab.page.locator("#results tbody tr").count() == 3
    # A folder is given as a file that cannot be read.
    tab.page.evaluate("add([{ path: 'runs', blob: { slice: () => { throw new Error('unreadable'); } } }])")
    said = ["runs: expected a file, found something that cannot be read (a folder?)"]
    assert tab.page.locator(why).all_inner_texts()[1:] == said
    assert tab.page.locator("#results tbody tr").count() == 3
    json_lines = tmp_path / "dense.jsonl"
    json_lines.write_text('{"query": "CD008081", "document": "d1", "score": 1}\n')
    tab.drop(json_lines)
    assert tab.page.locator(why).all_inner_texts()[2:] == [
        "dense.jsonl: expected TREC's format, the only one that this page reads, found JSON; untied eval reads JSON on "
        "the command line"
    ]
    assert tab.page.locator("#results tbody tr").count() == 3
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
    tab.page.click("[aria-label='Remove amc.run']")
    tab.page.set_input_files("#choose", [QRELS])
    tab.page.wait_for_function(missing)
    assert tab.page.locator("#files .missing").inner_text() == "Add a run to see scores."
    tab.drop(RUNS[0], other)
    assert tab.page.locator("#files .missing").inner_text() == ""
    said = "The judgments of half.txt replaced those of qrels.txt: one file of judgments is used at a time."
    assert tab.page.locator("#files .notice").inner_text() == said
    tab.close()


def test_the_answer_says_what_moves_scores(browser, page_path: Path, tmp_path: Path) -> None:
    half, other = tmp_path / "half.txt", tmp_path / "other.run"
    half.write_text("".join(Path(QRELS).read_text().splitlines(keepends=True)[::2]))
    other.write_text("elsewhere Q0 a 1 1 x\n")
    tab = Tab(browser, page_path)
    amc, qut = RUNS[:2]
    tab.drop(half, amc, qut)
    for policy in ("nonrelevant", "range"):
        tab.page.select_option("#policy-unjudged", policy)
        tab.page.wait_for_function(
            "(policy) => state.policies.unjudged === policy && state.values.size === 2", arg=policy
        )
        first, *more = answers(tab)
        results = untied.evaluate(str(half), [amc, qut], "AP", ties="range", unjudged=policy)
        widest = max(results.runs, key=lambda run: results[run, "AP"].high - results[run, "AP"].low)
        mean, low, high = (
            f"{end:.4f}" for end in (results[widest, "AP"].mean, results[widest, "AP"].low, results[widest, "AP"].high)
        )
        assert " leads by AP: " in first
        assert not tab.page.locator("#unknown").is_visible()
        if policy == "nonrelevant":
            assert more[0].startswith("Ties cannot end the lead: ")
            assert more[1].endswith(
                f"of {widest} are tied with others: its AP is {mean} on average, "
                f"but it could be anything from {low} to {high}."
            )
            assert more[2].startswith("Unjudged documents count as not relevant. They are up to ")
            assert more[2].endswith("; set unjudged documents to range to see what they could change.")
        else:
            assert more[0].startswith("Ties and missing judgments might end the lead: ")
            assert more[1:] == [
                f"{widest}'s AP is {mean}, but tied and unjudged documents could make it anything from {low} to {high}."
            ]
            # Every bracket of a difference holds 0, so no difference has a colour.
            assert tab.page.locator("#queries tbody .up, #queries tbody .down").count() == 0
    assert not tab.page.locator("#settings .about").is_visible()
    # A run of other queries is the first thing to know.
    tab.drop(other)
    tab.page.wait_for_function("() => state.values.size === 3")
    assert answers(tab)[0] == "other has no query in common with the judgments."
    tab.close()


def test_what_is_known_for_certain_is_told_apart(browser, page_path: Path) -> None:
    tab = Tab(browser, page_path)
    answers(tab)
    assert tab.page.locator("#queries .note").first.inner_text() == (
        "waterloo has the higher AP, on average over all orders of tied documents, in 12 queries, uos in 0 (0 equal). "
        "Higher in every order of tied documents: waterloo in 0, uos in 0. Difference of the means: +0.2590."
    )
    assert tab.page.locator("#queries tbody .up").count() == 0
    assert "with a fixed ideal" in tab.page.locator("#compare dd").first.inner_text()
    tab.page.select_option("#policy-unjudged", "range")
    tab.page.wait_for_function("() => state.policies.unjudged === 'range' && state.values.size === 4")
    said = answers(tab)
    assert said[2].startswith("All 6,286 documents of uos are tied with others")
    assert said[-1] == "All of the first 10 documents are judged."
    # A run's name opens its widest query.
    tab.page.locator("#results tbody button", has_text="amc").click()
    assert tab.page.evaluate("file(state.a).name") == "amc"
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
        tab.page.select_option("#policy-unjudged", "range")
        tab.page.wait_for_function("() => state.policies.unjudged === 'range' && state.checks.size === 1")
        assert not [sentence for sentence in answers(tab) if sentence.startswith("All of the first")]
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
    tab.page.fill("input[list=names]", "P@5")
    tab.page.press("input[list=names]", "Enter")
    tab.page.wait_for_function(
        "() => state.values.size === 4 && [...state.values.values()].every((one) => one.measures.includes('P@5'))"
    )
    tab.close()
