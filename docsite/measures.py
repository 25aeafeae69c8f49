"""Pages of measures, made from what the package says of each, with an example that is computed for the page."""

from __future__ import annotations

import math
import re
from itertools import groupby, pairwise, permutations
from operator import itemgetter

from latex2mathml.converter import convert

import untied
from docsite import worked
from untied._core import measure_info
from untied.cli.measures import written
from untied.measures.help import (
    FIRST,
    LENGTHS,
    PROBABILITIES,
    RANKING,
    SECOND,
    STRATA,
    SUBTOPICS,
    code,
    inputs,
    name_in_example,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from untied._types import MeasureInfo

    Rows = Sequence[Sequence[str]]

QUERY = "q"


def pages(site: Mapping[str, str], *, live: bool) -> tuple[list[object], dict[str, str]]:
    """Entries of the navigation and pages, with the list of all in the page that opens the section.

    ``live`` says whether readers can edit examples: the core is built for browsers.
    """
    made, entries, overview = {}, list[object](), [site["measures.md"]]
    between = rows_of(site["similarities.md"], "Ties")
    for comparing in (False, True):
        for family, members in groupby(measure_info(comparing=comparing), itemgetter("family")):
            if family.startswith("Defined in "):
                continue  # somebody's own
            section = list[object]()
            overview.append(f"\n## {family}\n\n| measure | |\n|---|---|")
            for info in members:
                target = f"measures/{info['name']}.md"
                made[target] = page(info, between if comparing else None, live=live)
                section.append({info["name"]: target})
                overview.append(f"| [`{written(info)}`]({target}) | {info['title']} |")
            entries.append({family: section})
    made["measures.md"] = "\n".join(overview) + "\n"
    return entries, made


def rows_of(page: str, heading: str) -> dict[str, list[list[str]]]:
    """The rows of the first table under a heading, by the names of measures in their first column."""
    section = re.split(r"^## ", page, flags=re.M)
    text = next(part for part in section if part.startswith(heading))
    rows = [[cell.strip() for cell in line.strip("|\n ").split(" | ")] for line in text.splitlines() if line[:1] == "|"]
    found = dict[str, list[list[str]]]()
    for above, row in pairwise(rows[1:]):
        for column, words in enumerate(row[1:], 1):
            if words == "the same":  # as above, or as in the column before
                row[column] = above[1] if column == 1 else row[column - 1]
            else:
                row[column] = words.replace("](", "](../")
        for name in row[0].split(", "):
            found.setdefault(name.strip("` "), []).append(row)
    return found


def page(info: MeasureInfo, between: Mapping[str, Rows] | None, *, live: bool) -> str:
    """One measure's page, with what is said of the ties of those that compare two rankings."""
    name = info["name"]
    source, _, ties = info["reference"].partition("; ties: ")
    lines = [
        f"# {name}" + (f" ({', '.join(prose(alias) for alias in info['aliases'])})" if info["aliases"] else ""),
        f"\n*{info['title'][0].upper()}{info['title'][1:]}.*",
        f'\n<div class="equation">{mathml(info["tex"])}</div>',
        f"\n{prose(info['equation'])}\n",
        "\n| | |\n|---|---|",
        f"| written | `{written(info)}` |",
    ]
    if info["aliases"]:
        cut = [f"{alias}@k" for alias in info["aliases"] if info["cutoff"] in ("required", "optional")]
        lines.append(f"| also | {', '.join(f'`{alias}`' for alias in [*info['aliases'], *cut])} |")
    lines += [f"| range | {cell(info['range'])} |", f"| from | {cell(source)} |"]
    if info["parameters"]:
        lines.append("\n## Parameters\n\n| parameter | default | what it is |\n|---|---|---|")
        for parameter, default, text in info["parameters"]:
            lines.append(f"| `{parameter}` | {f'`{default}`' if default else 'to be given'} | {cell(text)} |")
    lines += of_one(info, ties, live=live) if between is None else of_two(info, between.get(name, ()), live=live)
    return "\n".join(lines) + "\n"


def mathml(tex: str) -> str:
    """An equation that browsers draw by themselves."""
    words = re.sub(r"\\mathrm\{(\w+)\}", r"\\text{\1}", tex)  # one piece of text, not letter by letter
    return str(convert(words, display="block"))


def cell(text: str) -> str:
    """Words in a table."""
    return prose(text).replace("|", "\\|")


def prose(text: str) -> str:
    """Words of the package as Markdown: what is no markup there is none here, and quoted values are code."""
    text = re.sub(r"([\\*_])", r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"(?<!\w)'([^']*)'", lambda quoted: "`'" + quoted[1].replace("\\", "") + "'`", text)


def said_of(info: MeasureInfo) -> str:
    """What is said about the example's documents, beside their grades."""
    if info["needs"] == "documents":
        return f"Lengths of documents are {listed(LENGTHS)}."
    if info["needs"] == "subtopics":
        found = [
            f"{join(doc for doc, grade in docs.items() if grade)} are relevant to subtopic {subtopic}"
            for subtopic, docs in SUBTOPICS.items()
        ]
        return f"{', '.join(found)}; no others are."
    if info["needs"] == "strata":
        return f"Strata are {listed({doc: stratum for doc, (stratum, _) in STRATA.items()})}."
    if info["needs"] == "inclusion":
        chances = {doc: chance for doc, (_, chance) in PROBABILITIES.items()}
        return f"Documents were judged with probabilities {listed(chances)}."
    return ""


def join(words: Iterable[str]) -> str:
    """Documents in a sentence."""
    *most, last = (f"`{word}`" for word in words)
    return f"{', '.join(most)} and {last}" if most else last


def listed(values: Mapping[str, object]) -> str:
    """Documents and their numbers in a sentence."""
    return ", ".join(f"`{doc}` {value}" for doc, value in values.items())


def number(value: float | None) -> str:
    """A value in a table."""
    if value is None:
        return "not known"
    return "undefined" if math.isnan(value) else f"{value:.4f}" if value % 1 else f"{value:.0f}"


def of_one(info: MeasureInfo, ties: str, *, live: bool) -> list[str]:
    """The example of a measure of one ranking: every order of its ties, and what is known over all."""
    live = live and info["needs"] == "judgments"  # browsers read nothing else
    name, options, more = name_in_example(info, comparing=False), inputs(info), said_of(info)
    qrels = options.pop("qrels")

    def evaluated(run: object, **settings: Any) -> untied.Value:
        results = untied.evaluate(qrels, {QUERY: run}, [name], on_undefined="nan", **options, **settings)
        return results.value(name, query=QUERY)

    def all_orders() -> dict[tuple[str, ...], float]:
        return {order: evaluated(["a", *order, "e", "f"]).mean for order in permutations("bcd")}

    orders = all_orders()
    if info["cutoff"] == "optional" and len(set(orders.values())) == 1:
        name += "@3"  # shows more
        orders = all_orders()
    value = evaluated(RANKING, ties="range", variance=True)
    mean = sum(orders.values()) / len(orders)
    if info["name"] != "PRR" and value.certainty == "exact" and not math.isclose(mean, value.mean, abs_tol=1e-12):
        raise ValueError(f"{name}: the mean over orders is {mean}, not {value.mean}")
    bounds = bounds_of(evaluated)
    graded = options.get("qrels_format") != "subtopics"
    lines = ["\n## Worked example\n"]
    lines.append(
        "Documents with equal scores are tied: `b`, `c` and `d` could be listed in any order. "
        + ("Nobody judged `d`, and `g` is not retrieved. " if graded else "")
        + more
        + "\n"
    )
    lines.append(
        worked.example(
            name,
            orders,
            value,
            bounds,
            of_unit=info["range"].startswith("0 to 1"),
            graded=graded,
            live=live,
        )
    )
    *statements, last = code(info, name, comparing=False)
    shown = [statements[0], "", *statements[1:], f"{last}  # {value_of(value)}"]
    lines.append(f"\nIn Python{', before any change' if live else ''}:")
    lines.append("\n```python\n" + "\n".join(shown) + "\n```")
    lines.append("\n## Ties\n")
    if info["sampled"]:
        lines += [f"All values are exact, unless {unless}. In this case, {then}." for unless, then in info["sampled"]]
    elif info["family"].startswith(("The retrieved", "Counts")):
        lines.append("The value does not depend on the order of documents.")
    else:
        lines.append(
            "Mean, lowest and highest value over all orders of tied documents are exact"
            + (", and so is the variance." if value.variance is not None else ".")
        )
    if ties:
        lines.append(f"How the mean is found: {prose(ties)}.")
    lines.append("[Ties](../ties.md) says how, and what the policies are.")
    lines.append("\n## Unjudged documents\n")
    lines += unjudged(evaluated, bounds, info["unbounded"])
    return lines


def value_of(value: untied.Value) -> str:
    """A value as Python shows it, without the variance."""
    return str(value).partition(" (")[0]


def bounds_of(evaluated: Any) -> untied.Value | None:
    """The example over all grades that the document may have that nobody judged, where that is known."""
    try:
        found: untied.Value = evaluated(RANKING, unjudged="range")
    except untied.UntiedError:
        return None
    return found


def unjudged(evaluated: Any, bounds: untied.Value | None, unbounded: str | None) -> list[str]:
    """What becomes of documents that nobody judged, in the example."""
    lines = []
    plain = evaluated(RANKING)
    removed = evaluated(RANKING, unjudged="remove")
    if number(removed.mean) == number(plain.mean):
        lines.append('`unjudged="remove"`, which takes `d` out of the ranking, changes nothing here.')
    else:
        lines.append(
            f'`unjudged="remove"` takes `d` out of the ranking: {number(removed.mean)} instead of {number(plain.mean)}.'
        )
    if bounds is None:
        reason = f": {unbounded}" if unbounded else ""
        lines.append(f"Bounds over the grades that unjudged documents may have are not known{reason}.")
    elif bounds.low == bounds.high:
        lines.append("No grade that `d` may have changes the value.")
    else:
        lines.append(
            f"Over all grades that `d` may have, the mean over orders lies from {number(bounds.low)} to "
            f'{number(bounds.high)} (`unjudged="range"`).'
        )
    lines.append("[Incomplete judgments](../incomplete.md) has the estimators, and what bounds mean.")
    return lines


def of_two(info: MeasureInfo, ties: Rows, *, live: bool) -> list[str]:
    """The example of a measure of two rankings: both orders of the tie in the first, and what is known over both."""
    name = name_in_example(info, comparing=True)

    def compared(first: Sequence[object]) -> untied.Value:
        return untied.compare(first, SECOND, name).value(name)

    value = compared(FIRST)
    lines = ["\n## Worked example\n"]
    nothing = " Nothing is judged." if info["name"] in {"MED", "Delta"} else ""
    lines.append(
        f"The first ranking is `a`, then `b` and `c` with equal scores, then `d`; the second is `b d a e`.{nothing}\n"
    )
    orders = {tied: compared(["a", *tied, "d"]).mean for tied in permutations("bc")}
    lines.append(worked.pair(name, orders, value, of_unit=info["range"].startswith("0 to 1"), live=live))
    lines.append(f"\nIn Python{', before any change' if live else ''}:")
    imported, last = code(info, name, comparing=True)
    lines.append(f"\n```python\n{imported}\n\n{last}  # {value}\n```")
    lines.append("\n## Ties\n")
    for row in ties:
        mean, extremes, variance = ({"yes": "known", "no": "not known"}.get(words, words) for words in row[1:])
        lines.append(f"* Mean: {mean}.\n* Lowest and highest value: {extremes}.\n* Variance: {variance}.")
    if info["name"] == "MED":
        lines.append(
            "The largest difference of the means over tie orders, or with `ties='optimistic'` that of any order."
        )
    elif info["name"] == "Delta":
        lines.append("The difference is that of the means over tie orders.")
    lines.append("\n[Comparing runs](../comparing.md) says more, and which measure suits what.")
    lines.append("\n## Unjudged documents\n")
    if info["name"] in {"MED", "Delta"}:
        lines.append("They are what this is about: [MED and Delta](../med.md).")
    else:
        lines.append("Judgments are not looked at.")
    return lines
