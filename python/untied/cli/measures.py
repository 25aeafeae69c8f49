"""``untied measures``: what the measures are, from their own INFO."""

from __future__ import annotations

import textwrap

from untied._core import Measure, measure_info
from untied.cli import parser
from untied.cli.output import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from untied._types import MeasureInfo

GRAMMAR = """\
NAME(parameter=value, ...)@cutoff, for instance nDCG(gain='exp2')@10, AP(rel=2), F1@10.
Names of trec_eval, ir_measures and ranx are understood too: ndcg_cut_10, P.5,10, NumRet(rel=2), ndcg_burges@10-l2.
Every measure but the counts takes mean='geometric': the geometric mean over queries, of values of at least 0.00001.
"""


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    made = parser("measures", "List the measures.", "  untied measures nDCG AP\n")
    made.add_argument("names", metavar="MEASURE", nargs="*", help="only these, in any spelling (default: all)")
    names = made.parse_args(arguments).names
    wanted = {Measure(name).name for name in names}
    chosen = [info for info in measure_info() if not names or info["name"] in wanted]
    write(GRAMMAR + "\n" + "\n".join(map(describe, chosen)), None)


def describe(info: MeasureInfo) -> str:
    """One measure's entry."""
    name = info["name"]
    forms = {"required": f"{name}@k", "optional": f"{name}, {name}@k", "none": name, "recall": f"{name}@x"}
    title = forms[info["cutoff"]]
    lines = [f"{title}: {info['title']}"]

    def add(label: str, text: str) -> None:
        wrapped = textwrap.wrap(text, 100)
        lines.append(f"  {label:<12}{wrapped[0]}")
        lines.extend(" " * 14 + line for line in wrapped[1:])

    add("equation", info["equation"])
    add("range", info["range"])
    for parameter, default, text in info["parameters"]:
        add(parameter, f"{text}; default {default}" if default else text)
    if info["aliases"]:
        add("also", ", ".join(info["aliases"]))
    add("reference", info["reference"])
    return "\n".join(lines) + "\n"
