"""What ``help(untied.nDCG)`` prints: definition, parameters and an example, from the facts of the measure."""

from __future__ import annotations

import re
import textwrap

from untied._core import measure_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from untied._core import Measure
    from untied._types import MeasureInfo

# One query: a, then b, c and d with equal scores, then e and f. Nobody judged d; g is relevant and not retrieved.
RANKING: list[list[str]] = [["a"], ["b", "c", "d"], ["e"], ["f"]]
GRADES = {"a": 0, "b": 2, "c": 0, "e": 1, "f": 0, "g": 2}
SUBTOPICS = {"1": {"b": 1, "e": 1, "a": 0}, "2": {"e": 1, "g": 1, "c": 0, "f": 0}}
LENGTHS = {"a": 300, "b": 500, "c": 200, "d": 800, "e": 400, "f": 100}
STRATA = {"a": (1, 0), "b": (1, 2), "c": (1, 0), "d": (2, -1), "e": (2, 1), "f": (2, 0), "g": (2, 2)}
PROBABILITIES = {"a": (0, 1.0), "b": (2, 1.0), "c": (0, 1.0), "e": (1, 0.5), "f": (0, 0.5), "g": (2, 0.5)}
# Two rankings: b and c have equal scores in the first.
FIRST: list[Any] = ["a", ["b", "c"], "d"]
SECOND = ["b", "d", "a", "e"]

SUFFIX = {"required": "@k", "optional": "[@k]", "none": "", "recall": "@x"}
CUTOFF = {
    "required": "k : int\n    How many documents count, from the top. Required.",
    "optional": "k : int, optional\n    How many documents count, from the top. By default, all count.",
    "recall": "x : float\n    Level of recall. Required.",
}
# Symbols of equations, each as a pattern and what it stands for. An equation may also define its symbols itself.
SYMBOLS = {
    r"\bG\(": "G is the gain of a grade",
    r"(?<!\w)D\(": "D(i) is the discount of rank i",
    r"\bH\(": "H(k) is the number of relevant documents among the first k",
    r"\bH(?!\w|\()": "H is the number of relevant documents retrieved",
    r"\bP@i": "P@i is the precision at rank i",
    r"\bR\b(?!\^)": "R is the number of relevant documents",
    r"\bn\b(?!, the)": "n is the number of retrieved documents",
    r"\bM\b": "M is the number of subtopics",
    r"\bW\(": "W(i) is the weight of rank i: the product C(1) .. C(i-1), scaled so that all weights add up to 1. "
    "C(i) is the probability that the user goes on from rank i to the next",
    r"\bg_": "g_i is the gain at rank i",
    r"\bgain_i": "gain_i is the gain of the document at rank i",
    r"\bc_i": "c_i is the probability that the document at rank i satisfies the user",
    r"\bS\(A\)": "S(A) is the value of ranking A by the measure",
    r"\bA_k": "A_k and B_k are the first k documents of the rankings",
}
WIDTH = 88


def inputs(info: MeasureInfo) -> dict[str, Any]:
    """Return the arguments of ``evaluate`` that the measure needs in the example."""
    if info["needs"] == "documents":
        return {"qrels": {"q": GRADES}, "docs": LENGTHS}
    if info["needs"] == "subtopics":
        return {"qrels": {"q": SUBTOPICS}, "qrels_format": "subtopics"}
    if info["needs"] == "strata":
        return {"qrels": {"q": STRATA}, "qrels_format": "stratified"}
    if info["needs"] == "inclusion":
        return {"qrels": {"q": PROBABILITIES}, "qrels_format": "prels"}
    return {"qrels": {"q": GRADES}}


def name_in_example(info: MeasureInfo, *, comparing: bool) -> str:
    """Return the measure as the example writes it, with the parameters and the cutoff that it requires."""
    name = info["name"]
    if comparing:
        return name + ("(nDCG@3)" if name in {"MED", "Delta"} else "@3" if info["cutoff"] == "required" else "")
    needed = "(max_rel=2)" if ("max_rel", "") in {parameter[:2] for parameter in info["parameters"]} else ""
    needed = "(gain={1: 0.3, 2: 0.7})" if name == "Cascade" else needed
    return name + needed + {"required": "@3", "recall": "@0.3"}.get(info["cutoff"], "")


def code(info: MeasureInfo, name: str, *, comparing: bool) -> list[str]:
    """Return the example's statements. The last one is the value."""
    if comparing:
        return ["import untied", f'untied.compare({literal(FIRST)}, {literal(SECOND)}, "{name}")["{name}"]']
    lines, call = ["import untied"], ""
    for key, value in inputs(info).items():
        if isinstance(value, dict):
            lines.append(f"{key} = {literal(value)}")
        if key != "qrels":
            call += f", {key}={key if isinstance(value, dict) else literal(value)}"
    lines.append(f"run = {literal({'q': RANKING})}")
    return [*lines, f'untied.evaluate(qrels, run, "{name}"{call}, ties="range")["{name}"]']


def literal(value: object) -> str:
    """Return a value as Python code."""
    return repr(value).replace("'", '"')


def document(measure: Measure) -> str:
    """Return a measure's docstring."""
    for comparing in (False, True):
        for info in measure_info(comparing=comparing):
            if info["name"] == measure.name:
                return docstring(info, comparing=comparing)
    return measure.name  # defined by a user, who has withdrawn it


def docstring(info: MeasureInfo, *, comparing: bool) -> str:
    """Return a measure's docstring in numpydoc's sections, made from its facts."""
    from untied.measures.examples import EXAMPLES

    lines = [f"{info['name']}{SUFFIX[info['cutoff']]}: {info['title'].removesuffix('.')}.", ""]
    lines += [*info["text"].splitlines(), ""] if info["text"] else []
    lines += [*filled(info["equation"]), ""] if len(info["equation"]) > 1 else []
    lines += (
        [*filled(f"Here, {'; '.join(meanings)}."), ""]
        if (meanings := symbols(info["equation"], comparing=comparing))
        else []
    )
    lines += [*filled(f"Range: {info['range']}."), ""] if info["range"] else []
    parameters = [
        f"{name} : {f'default {default}' if default else 'required'}\n"
        + "\n".join(filled(f"{sentence(text)}.", "    "))
        for name, default, text in info["parameters"]
        if name != "recall"  # what stands after the @
    ]
    if cutoff := CUTOFF.get(info["cutoff"]):
        parameters.append(cutoff)
    if parameters:
        lines += ["Parameters", "----------", *parameters, ""]
    if info["aliases"]:
        lines += ["Notes", "-----", *filled(f"Also understood: {', '.join(info['aliases'])}."), ""]
    # How ties are averaged is of interest here only where a paper says it.
    source, _, of_ties = info["reference"].partition("; ties: ")
    if source:
        source = info["reference"] if re.search(r"\b\d{4}\b", of_ties) else source
        lines += ["References", "----------", *filled(f"{source}."), ""]
    if example := EXAMPLES.get(info["name"]):
        name, value = example
        lines += ["Examples", "--------", *(f">>> {line}" for line in code(info, name, comparing=comparing)), value]
    return "\n".join(lines).rstrip() + "\n"


def symbols(equation: str, *, comparing: bool) -> list[str]:
    """Return what the symbols of an equation stand for, if the equation does not define them itself."""
    if len(equation) == 1:
        return []
    defined = {match[1] for match in re.finditer(r"(\w+)(?:\(\w+\))? = ", equation)}
    defined |= {match[1] for match in re.finditer(r"\b([A-Za-z]) (?:relevant|judged|pooled|pairs|of )", equation)}
    found = []
    for pattern, meaning in SYMBOLS.items():
        name = re.split(r"[(_@ ]", meaning, maxsplit=1)[0]
        if re.search(pattern, equation) and name not in defined:
            found.append("n is the number of documents in both rankings" if comparing and name == "n" else meaning)
    return found


def sentence(text: str) -> str:
    """Return the text with a capital first letter, unless it begins with a symbol or a value."""
    word = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if word.isalpha() and word.islower() and len(word) > 1 else text


def filled(text: str, indent: str = "") -> list[str]:
    """Return the text in lines, with exactly one full stop at the end."""
    text = text.removesuffix(".") if text.endswith("..") else text
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
