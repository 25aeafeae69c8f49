"""The documentation site: it builds strictly, links lead somewhere, and nothing is asked of another host."""

from __future__ import annotations

import doctest
import math
import os
import pkgutil
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from importlib import import_module
from inspect import isclass, isfunction
from pathlib import Path
from urllib.parse import quote_plus, unquote, urlsplit

import pytest

import untied
from devtools import web
from docsite import build, examples, figures, measures, navigation, reference
from strategies import BUILT_IN
from untied._core import measure_info

LOADS = {("script", "src"), ("img", "src"), ("source", "src"), ("iframe", "src"), ("object", "data"), ("link", "href")}


class Page(HTMLParser):
    """What a page loads, where it leads, and the anchors that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if (tag, name) in LOADS:
                self.loads.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)
            elif name == "id":
                self.anchors.add(value)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build.build(folder / "stage", folder / "site")
    return folder / "site"


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Page]:
    made_by_scripts = ("404.html", web.PAGE.name)
    return {path: Page(path) for path in site.rglob("*.html") if path.name not in made_by_scripts}


def test_every_page_is_there_once(site: Path, pages: dict[Path, Page]) -> None:
    sources = [page for group in navigation.sections().values() for page in group]
    assert len(sources) == len(set(sources))
    for path in (navigation.ROOT / "docs").rglob("*.md"):
        assert path.relative_to(navigation.ROOT).as_posix() in sources, f"{path.name} is in no section"
    expected = {navigation.place(page).replace(".md", ".html") for page in sources}
    assert expected <= {path.relative_to(site).as_posix() for path in pages}


def test_links_lead_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    anchors = {str(path): page.anchors for path, page in pages.items()}
    broken = set()
    for path, page in pages.items():
        for link in {*page.links, *page.loads}:
            url = urlsplit(link)
            if url.scheme:
                continue
            target = os.path.normpath(path.parent / unquote(url.path)) if url.path else str(path)
            target += "/index.html" if os.path.isdir(target) else ""
            known = anchors.get(target)
            if (known is None and not os.path.isfile(target)) or (url.fragment and url.fragment not in (known or ())):
                broken.add(f"{path.relative_to(site)}: {link}")
    assert not broken


def test_nothing_is_loaded_from_another_host(site: Path, pages: dict[Path, Page]) -> None:
    assert [url for page in pages.values() for url in page.loads if urlsplit(url).netloc] == []
    for path in site.rglob("*.css"):
        named = re.findall(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", path.read_text(encoding="utf-8"))
        assert [url for pair in named for url in pair if urlsplit(url).netloc] == []


def test_a_broken_link_ends_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"docs/a.md": "a.md", "docs/b.md": "b.md"}
    good = "[b](b.md#part) [file](../examples/own_measures.py) `[code](nowhere.md)` [web](https://example.org)"
    files: set[str] = set()
    assert build.linked(good, "docs/a.md", pages, files) == good.replace("../examples", "files/examples")
    assert files == {"examples/own_measures.py"}
    with pytest.raises(build.BrokenLink, match=r"docs/a\.md: c\.md is not in the repository"):
        build.linked("[c](c.md)", "docs/a.md", pages, files)


def test_every_measure_has_a_page_whose_example_is_right(site: Path) -> None:
    infos = [*BUILT_IN, *measure_info(comparing=True)]
    assert all(info["tex"] for info in infos)
    written = {path.name: path.read_text(encoding="utf-8") for path in (navigation.ROOT / "docs").glob("*.md")}
    _, made = measures.pages(written, live=True)
    for info in infos:
        text = made[f"measures/{info['name']}.md"]
        (block,) = examples.blocks(text)
        assert examples.python(block.code, {}) == (block.code, []), info["name"]
        assert re.search(r"\]  # .*\d", block.code), info["name"]
        assert "<math" in text
        assert (site / "measures" / f"{info['name']}.html").is_file()


def test_drawn_pictures_are_up_to_date() -> None:
    for name, draw in figures.FIGURES.items():
        assert (navigation.ROOT / "docs" / "images" / name).read_text(encoding="utf-8") == draw(), name
    text = (navigation.ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    run = figures.EXAMPLE / "uos.run"
    found = untied.evaluate(figures.EXAMPLE / "qrels.txt", run, ["AP"], ties="range").value("AP")
    one = untied.evaluate(figures.EXAMPLE / "qrels.txt", run, ["AP"], ties="docid").value("AP")
    for value in (found.low, found.mean, one.mean):
        assert f"{value:.4f}"[1:] in text


def test_examples_of_the_api_are_right() -> None:
    """The docstrings, from which its pages are made."""
    # A page that ran in this process may have undone what the import does.
    import_module("untied.compat.ir_measures").install()
    found = [one.name for one in pkgutil.walk_packages(untied.__path__, "untied.") if "__main__" not in one.name]
    done = [doctest.testmod(import_module(name)) for name in found]
    assert sum(one.failed for one in done) == 0
    assert sum(one.attempted for one in done) > 30


def test_pages_of_the_api_say_everything(site: Path) -> None:
    """The function by a page's own name comes first; no parameter refers to another function for its description."""
    for path in (site / "api").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"<p><strong>(?!Parameters).*?(?=<p><strong>|<h2|<h3|\Z)", "", text, flags=re.S)
        assert not re.findall(r"<li>\s*<code>\w+</code>: As for <code>", text), path.name
    for page, name in (
        ("evaluation", "evaluate"),
        ("comparison", "compare"),
        ("features", "evaluate_features"),
        ("gate", "gate"),
        ("report", "report"),
    ):
        first = re.search(r'<h2 id="([\w-]+)"', (site / "api" / f"{page}.html").read_text(encoding="utf-8"))
        assert first
        assert first[1] == name


#: What is typed into the search, and the page that has to be the first or second that it finds.
FOUND = {
    "expected reciprocal rank": "measures/ERR.html",
    "map": "measures/AP.html",
    "mrr": "measures/RR.html",
    "hit rate": "measures/Success.html",
    "install": "install.html",
    "recall@k": "measures/R.html",
    "lightgbm": "coming_from/lightgbm.html",
    "tie-oblivious": "glossary.html",
    "recall base": "glossary.html",
    "lidstone": "glossary.html",
    "ties": "ties.html",
    "bpref": "measures/Bpref.html",
    "ndcg": "measures/nDCG.html",
    "significance": "statistics.html",
    "missing judgments": "incomplete.html",
    "compare two runs": "comparing.html",
    "report": "report.html",
}

#: Words of a block on the quick start, and what its copy button takes: neither prompts nor output.
COPIED = {
    "awk": "awk 'NR % 3' examples/tar2017/qrels.txt > some.txt\n"
    "untied eval some.txt examples/tar2017/*.run -m P@10 -m Unjudged@10 --unjudged range",
}


def test_pages_in_a_browser(browser, site: Path) -> None:
    """Opened from a disk, they ask nobody for anything, complain of nothing, and can be searched."""
    tab, heard = opened(browser, viewport={"width": 390, "height": 800})
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.goto((site / "quick_start.html").as_uri())
    for block, taken in COPIED.items():
        tab.locator(".language-console", has_text=block).first.hover()
        tab.locator(".language-console", has_text=block).first.locator("button").first.click()
        tab.wait_for_function("text => navigator.clipboard.readText().then(found => found === text)", arg=taken)
    for name in ("index.html", "measures/nDCG.html", "tutorials/two_engines.html", "performance.html"):
        tab.goto((site / name).as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is wider than a phone"
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.get_by_role("button", name="Search").first.click()
    for words, page in FOUND.items():
        tab.locator("input[role=combobox]").fill(words)
        asked = f".html?h={quote_plus(words)}"
        tab.locator(f"a[href*='/{page.removesuffix('.html')}{asked}']").first.wait_for()
        for _ in range(100):  # results come in while others are still looked for
            links = tab.locator(f"a[href*='{asked}']").evaluate_all("all => all.map(one => one.getAttribute('href'))")
            pages = list(dict.fromkeys(link.removeprefix(f"{site.as_uri()}/").partition("?")[0] for link in links))
            if page in pages[:2]:
                break
            tab.wait_for_timeout(100)
        assert page in pages[:2], (words, pages[:5])
    tab.close()
    assert heard == []


def opened(browser, **options):
    """A tab, and what its pages complain of or ask other hosts for."""
    tab = browser.new_context(**options).new_page()
    heard: list[str] = []
    tab.on("console", lambda message: heard.append(message.text))
    tab.on("pageerror", lambda error: heard.append(str(error)))
    tab.on("request", lambda asked: asked.url.startswith(("file:", "blob:", "data:")) or heard.append(asked.url))
    return tab, heard


# ---------------------------------------------------------------------------------------------------------------------
# Worked examples


class Example(HTMLParser):
    """The example of a page: the measure where it can be edited, the documents, and the numbers that are shown."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.measure: str | None = None
        self.table, self.kind = "", ""
        self.documents: list[list[str]] = []
        self.numbers: dict[str, list[float]] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        if tag == "div" and named.get("class") == "example":
            self.measure = named.get("data-measure")
        elif tag == "table":
            self.table = named.get("class", "")
        elif tag == "tr":
            self.kind = self.table if self.table == "orders" else named.get("class", "")
            self.documents += [[]] if self.table == "documents" else []
        elif tag == "data":
            self.numbers.setdefault(self.kind, []).append(float(named["value"]))

    def handle_data(self, data: str) -> None:
        if self.table == "documents" and data.strip():
            self.documents[-1].append(data.strip())

    def handle_endtag(self, tag: str) -> None:
        self.table = "" if tag == "table" else self.table

    def tables(self) -> tuple[dict[str, float], dict[str, int]]:
        """The documents' scores and grades."""
        rows = self.documents[1:]
        scores = {doc: float(score) for doc, score, _ in rows if score != "not retrieved"}
        return scores, {doc: int(grade) for doc, _, grade in rows if grade != "not judged"}


PLAIN = [info["name"] for info in BUILT_IN if info["needs"] == "judgments"]
COMPARING = [info["name"] for info in measure_info(comparing=True)]


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """Pages of measures with examples that readers can edit, by name."""
    written = {path.name: path.read_text(encoding="utf-8") for path in (navigation.ROOT / "docs").glob("*.md")}
    return measures.pages(written, live=True)[1]


def bits(numbers: Iterable[float | None]) -> list[str]:
    return [number.hex() for number in numbers if number is not None and not math.isnan(number)]


def test_numbers_of_examples_are_those_of_the_documents_beside_them(made: dict[str, str]) -> None:
    for name in PLAIN:
        example = Example(made[f"measures/{name}.md"])
        assert example.measure

        def evaluated(example: Example = example, **policies) -> untied.Value:
            scores, grades = example.tables()
            found = untied.evaluate({"q": grades}, {"q": scores}, [example.measure], on_undefined="nan", **policies)
            return found.value(found.measures[0], "q")

        value = evaluated(ties="range", variance=True)
        assert bits(example.numbers.get("mean", [])) == bits([value.mean]), name
        assert bits(example.numbers.get("ends", [])) == bits([value.low, value.high]), name
        assert bits(example.numbers.get("variance", [])) == bits([value.variance]), name
        assert len(example.numbers.get("orders", [])) in (0, 6), name
        if "bounds" in example.numbers:
            found = evaluated(unjudged="range")
            assert bits(example.numbers["bounds"]) == bits([found.low, found.high]), name


def test_numbers_of_pairs_are_those_of_the_rankings_beside_them(made: dict[str, str]) -> None:
    for name in COMPARING:
        example = Example(made[f"measures/{name}.md"])
        rows = example.documents[1:]
        first, second = ({row[0]: float(row[side]) for row in rows if row[side] != "not retrieved"} for side in (1, 2))
        assert (len(first), len(second)) == (4, 4)
        assert example.measure
        found = untied.compare({"q": first}, {"q": second}, example.measure)
        value = found.value(found.measures[0])
        assert bits(example.numbers.get("mean", [])) == bits([value.mean]), name
        assert bits(example.numbers.get("ends", [])) == bits([value.low, value.high]), name
        assert len(example.numbers.get("orders", [])) in (0, 2), name


def test_examples_are_the_same_text_where_they_cannot_be_edited(made: dict[str, str]) -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in (navigation.ROOT / "docs").glob("*.md")}
    still = measures.pages(written, live=False)[1]
    for name in PLAIN + COMPARING:
        text = still[f"measures/{name}.md"]
        assert "<script" not in text
        live, plain = Example(made[f"measures/{name}.md"]), Example(text)
        assert (live.documents, live.numbers) == (plain.documents, plain.numbers)


@pytest.mark.skipif(web.missing() is not None, reason=str(web.missing()))
def test_an_example_is_recomputed_when_readers_change_it(browser, site: Path) -> None:
    tab, heard = opened(browser, viewport={"width": 390, "height": 800})
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((site / "measures" / "AP.html").as_uri())
    assert not any(url.endswith("core.js") for url in asked)  # it is large
    shown = Example((site / "measures" / "AP.html").read_text(encoding="utf-8"))
    scores, grades = shown.tables()

    def found(kind: str) -> list[float]:
        return [float(text) for text in tab.locator(f".{kind} data").evaluate_all("all => all.map(one => one.value)")]

    def awaited(many: str) -> None:
        tab.locator(".summary .mean", has_text=many).wait_for()

    # By keyboard: e is tied with d.
    tab.get_by_role("button", name="Tie e with d").press("Enter")
    awaited("24 orders")
    assert sum(url.endswith("core.js") for url in asked) == 1
    value = untied.evaluate({"q": grades}, {"q": {**scores, "e": 3}}, ["AP"], ties="range", variance=True).value("AP")
    for kind, numbers in {"mean": [value.mean], "ends": [value.low, value.high], "variance": [value.variance]}.items():
        assert bits(found(kind)) == bits(numbers)
    assert len(found("orders")) == 24
    assert tab.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    # A score moves its document when the reader is done with it; one without a score is not retrieved.
    tab.get_by_label("score of f").fill("9.5")
    tab.get_by_label("score of f").press("Tab")
    tab.get_by_label("grade of a").select_option("2")
    tab.get_by_label("score of c").fill("")
    awaited("6 orders")
    changed = {"f": 9.5, "a": 4, "b": 3, "d": 3, "e": 3}
    value = untied.evaluate({"q": {**grades, "a": 2}}, {"q": changed}, ["AP"], ties="range").value("AP")
    assert bits(found("mean")) == bits([value.mean])
    assert tab.locator(".documents tbody th").first.inner_text() == "f"
    bounds = untied.evaluate({"q": {**grades, "a": 2}}, {"q": changed}, ["AP"], unjudged="range").value("AP")
    assert bits(found("bounds")) == bits([bounds.low, bounds.high])
    tab.get_by_role("textbox", name="Measure").fill("nDGC@10")
    with pytest.raises(untied.UntiedError) as error:
        untied.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, ["nDGC@10"])
    tab.locator(".example .trouble", has_text="nDGC").wait_for()
    assert tab.locator(".example .trouble").inner_text() == str(error.value)
    tab.get_by_role("button", name="Start over").click()
    awaited("6 orders")
    assert tab.locator(".example .trouble").inner_text() == ""
    assert {kind: found(kind) for kind in shown.numbers} == shown.numbers
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert heard == []
    assert [url for url in asked if not url.startswith((site.as_uri(), "blob:", "data:"))] == []
    tab.close()


@pytest.mark.skipif(web.missing() is not None, reason=str(web.missing()))
def test_examples_begin_with_what_the_core_gives_in_a_browser(browser, site: Path, made: dict[str, str]) -> None:
    tab, heard = opened(browser)
    drawn = """async (measure) => {
      EXAMPLE.querySelector(".measure input").value = measure;
      await update();
      const rows = [...EXAMPLE.querySelectorAll(".found tbody tr")].filter((row) => !row.closest("[hidden]"));
      const numbers = (row) => [...row.querySelectorAll("data")].map((one) => one.value);
      return [EXAMPLE.querySelector(".trouble").textContent, rows.map((row) => [row.className, numbers(row)])];
    }"""
    for name in PLAIN + COMPARING:
        if name in (PLAIN[0], COMPARING[0]):
            tab.goto((site / "measures" / f"{name}.html").as_uri())
        example = Example(made[f"measures/{name}.md"])
        trouble, rows = tab.evaluate(drawn, example.measure)
        assert trouble == "", name
        found: dict[str, list[float]] = {}
        for kind, numbers in rows:
            found.setdefault(kind or "orders", []).extend(map(float, numbers))
        numbers = {kind: bits(some) for kind, some in found.items() if some}
        assert numbers == {kind: bits(some) for kind, some in example.numbers.items()}, name
    # Two rankings with ties in both.
    tab.get_by_role("textbox", name="Measure").fill("RBO(p=0.8)")
    tab.get_by_label("score of d in the second ranking").fill("4")
    tab.locator(".orders tr", has_text="/").nth(3).wait_for()
    first = {"a": 3, "b": 2, "c": 2, "d": 1}
    second = {"b": 4, "d": 4, "a": 2, "e": 1}
    value = untied.compare({"q": first}, {"q": second}, "RBO(p=0.8)").value("RBO(p=0.8)")
    numbers = tab.locator(".summary data").evaluate_all("all => all.map(one => Number(one.value))")
    assert bits(numbers) == bits([value.mean, value.low, value.high])
    tab.close()
    assert heard == []


def test_every_name_that_a_module_offers_has_its_entry() -> None:
    """Also functions with the name of the file that they are in, as a user sees their docstrings."""
    api = reference.pages({})[1]
    for name, named in reference.MODULES.items():
        module = import_module(f"untied.{name}")
        offered = named or [
            one
            for one in getattr(module, "__all__", ())
            if isfunction(getattr(module, one)) or isclass(getattr(module, one))
        ]
        missing = [one for one in offered if not re.search(rf"^## {one}( {{.*)?$", api[f"api/{name}.md"], re.MULTILINE)]
        assert not missing, f"untied.{name}: {missing}"
    of_ties = api["api/study.md"].partition("## ties\n")[2]
    assert all(f"* `{option}`: " in of_ties for option in ("qrels", "measures", "cost", "restart", "threads"))
    # A list in a description stays one, and what a function adds to it comes after.
    of_curves = api["api/evaluation.curves.md"].partition("* `ties`: ")[2]
    assert re.match(r"[^\n]+:\n(    \* `[^\n]+\n){6}\n    The default of `ties` is", of_curves)
