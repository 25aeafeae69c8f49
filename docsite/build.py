"""Put all pages into one folder, with links that hold there, and have Zensical make the site of them.

Pages stay plain Markdown whose links work in the repository. A link to a file that is no page is to a copy of the
file. Pages of measures, of commands and of the API are made from the package.
"""

from __future__ import annotations

import json
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path
from string import Template

import zensical

from devtools import web
from docsite import measures, reference, search
from docsite.navigation import ROOT, place, sections
from untied.results.plotting import COLORS, ON_DARK, TIE_RANGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ASSETS = Path(__file__).with_name("assets")
# A link, its text and its target, outside of code; images too.
CODE = re.compile(r"^(```+)[^\n]*\n.*?^\1$|(`+)[^`].*?\2", re.M | re.S)
LINK = re.compile(r"(\]\()([^)\s#]*)(#[^)\s]*)?((?:\s+\"[^\"]*\")?\))")


class BrokenLink(Exception):
    """A link of a page to something that is not there."""


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with everything but its code changed."""
    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [change(text[end : code.start()]), code.group()]
        end = code.end()
    return "".join([*parts, change(text[end:])])


def linked(text: str, source: str, pages: Mapping[str, str], files: set[str]) -> str:
    """A page of the repository with the links that it needs in the site; what else it links to joins the files."""
    here = posixpath.dirname(pages[source])

    def relink(link: re.Match[str]) -> str:
        before, target, anchor, after = link.groups("")
        if not target or re.match(r"[a-z]+:", target):
            return link.group()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if path in pages:
            new = pages[path]
        elif (ROOT / path).is_file():
            files.add(path)
            new = f"files/{path}"
        else:
            raise BrokenLink(f"{source}: {target} is not in the repository")
        return f"{before}{posixpath.relpath(new, here or '.')}{anchor}{after}"

    return outside_code(text, lambda part: LINK.sub(relink, part))


def home(text: str) -> str:
    """The first page: without a list of pages beside it, and with its pictures in it, so that they take its colours."""

    def picture(image: re.Match[str]) -> str:
        drawn = (ROOT / "docs" / "images" / image[2]).read_text(encoding="utf-8")
        return re.sub(r"<style>.*?</style>\n?", "", drawn)

    text = re.sub(r"!\[([^\]]*)\]\(files/docs/images/([\w.]+)\)", picture, text)
    return f"---\nhide:\n  - navigation\n  - toc\n  - path\n---\n\n{text}"


def toml(value: object) -> str:
    """A list, dict or text in one line of TOML."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(key)} = {toml(item)}' for key, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value)


def stage(folder: Path) -> None:
    """Write all that Zensical reads into a folder."""
    docs = folder / "docs"
    navigation = sections()
    pages = {source: place(source) for group in navigation.values() for source in group}
    pages["README.md"] = "index.md"
    files: set[str] = set()
    made: dict[str, str] = {}
    for source, target in pages.items():
        if source == "README.md":
            continue
        made[target] = linked((ROOT / source).read_text(encoding="utf-8"), source, pages, files)
    made["index.md"] = home(made["index.md"])
    live = web.missing() is None
    if live:
        made["browser.md"] = f"{made['browser.md']}\n## Open it\n\n[untied in this browser](untied.html)\n"
        docs.mkdir(parents=True)
        shutil.copy(web.build_page(), docs / web.PAGE.name)
    nav: dict[str, list[object]] = {}
    for title, group in navigation.items():
        section, _, part = title.partition("/")
        entries: list[object] = [place(page) for page in group]
        nav.setdefault(section, []).extend([{part: entries}] if part else entries)
    of_measures, of_reference = measures.pages(made, live=live), reference.pages(made)
    for title, (more, generated) in {"Measures": of_measures, "Reference": of_reference}.items():
        nav[title] += more
        made |= generated
    for target, text in made.items():
        path = docs / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for file in files:
        (docs / "files" / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, docs / "files" / file)
    shutil.copytree(ASSETS, docs / "assets", ignore=shutil.ignore_patterns("*.js"))
    with (docs / "assets" / "extra.css").open("a", encoding="utf-8") as style:
        style.write(colours())
    scripts = {"iframe-worker.js": search_worker(), **(editor() if live else {})}
    for name, script in scripts.items():
        (docs / "assets" / name).write_text(script, encoding="utf-8")
    settings = Template(Path(__file__).with_name("zensical.toml").read_text(encoding="utf-8"))
    filled = settings.substitute(nav=toml([{title: group} for title, group in nav.items() if group]))
    (folder / "zensical.toml").write_text(filled, encoding="utf-8")


def search_worker() -> str:
    """The script by which pages that are opened from a disk can search.

    Browsers start no worker from a file. Zensical has a way around that, but it asks a host for it.
    """
    templates = Path(zensical.__file__).parent / "templates"
    worker = next(templates.glob("assets/javascripts/workers/search.*.js")).read_text(encoding="utf-8")
    return (ASSETS / "iframe-worker.js").read_text(encoding="utf-8").replace("SOURCE", json.dumps(worker))


def colours() -> str:
    """The colour of tied documents, as in all pictures."""
    pages = ((":root", COLORS), ('[data-md-color-scheme="slate"]', ON_DARK))
    return "".join(f"{page} {{ --ties: {colors[TIE_RANGE]}; }}\n" for page, colors in pages)


def editor() -> dict[str, str]:
    """The scripts of examples that readers can edit: one for their tables, and the core, which that one loads.

    The module is text in a script, since pages that are opened from a disk may load nothing else.
    """
    tables = (web.REPORT / "base.js").read_text(encoding="utf-8") + (ASSETS / "example.js").read_text(encoding="utf-8")
    core = (web.REPORT / "core.js").read_text(encoding="utf-8")
    return {"example.js": tables, "core.js": f'{core}const MODULE = "{web.packed(web.MODULE.read_bytes())}";\n'}


def build(folder: Path, site: Path) -> None:
    """Make the site, with a folder for what it is made of."""
    shutil.rmtree(folder, ignore_errors=True)
    stage(folder)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", str(folder / "zensical.toml")]
    subprocess.run(command, cwd=folder, check=True)
    search.guides_first(folder / "site")
    shutil.rmtree(site, ignore_errors=True)
    shutil.move(folder / "site", site)


if __name__ == "__main__":
    try:
        build(ROOT / "target" / "docsite", ROOT / "site")
    except (BrokenLink, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
