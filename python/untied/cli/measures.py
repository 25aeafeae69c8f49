"""``untied measures``: list and describe measures, from their `Info`."""

from __future__ import annotations

import textwrap
from itertools import groupby
from operator import itemgetter

from untied._core import Measure, measure_info
from untied.cli.command import Command
from untied.cli.options import Arguments, load_plugins
from untied.cli.output import write
from untied.cli.rules import Excludes
from untied.errors import MeasureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from untied._types import MeasureInfo

GRAMMAR = """\
A measure is written NAME(parameter=value, ...)@cutoff, for instance nDCG(gain='exp2')@10, AP(rel=2), F1@10, IPrec@0.1.
[@k] marks a cutoff that may be left out. Names of trec_eval, ir_measures, ranx and papers work too: ndcg_cut_10,
P.5,10, NumRet(rel=2), ndcg_burges@10-l2, indAP, bpref-10. All measures of one run except counts
accept mean='geometric': the geometric mean over queries, where values below 0.00001 count as 0.00001.
"""
COMPARING = "Measures of two runs, for untied compare (MEASURE is a measure of one run, as in MED(nDCG@20)):\n"
MORE = (
    "untied measures NAME ... shows parameters, equation and reference; untied measures --details shows those of all.\n"
)
SUFFIX = {"required": "@k", "optional": " [@k]", "none": "", "recall": "@x"}


COMMAND = Command(
    "measures",
    "list measures with parameters, equations and references",
    "  untied measures\n  untied measures nDCG ndcg_cut_10 'induced AP'\n",
    listed_after="study",
    rules=(Excludes("--abilities", "--details"),),
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_argument(
        "names",
        metavar="MEASURE",
        nargs="*",
        help="name of a measure to describe, in any spelling (default: list all measures)",
    )
    output = arguments.group("output")
    output.flag("--details", "describe all measures")
    output.flag("--abilities", "show what each measure can do with tied and unjudged documents")
    arguments.add_plugin()


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    load_plugins(options.plugin)
    wanted, left_open = set(), []
    for name in options.names:
        try:
            wanted.add(Measure(name).name)
        except MeasureError as error:
            if name[:4].upper() != "MED-":
                raise
            # What a paper prints may leave open which measure it is; that it is MED is certain.
            wanted.add("MED")
            left_open.append(str(error))
    of_one, of_two = measure_info(), measure_info(comparing=True)
    if options.abilities:
        from untied.cli import abilities

        chosen = [info for info in of_one if not wanted or info["name"] in wanted]
        write("\n".join(abilities.lines(chosen)) + "\n", None)
        return
    if wanted or options.details:
        chosen = [info for info in of_one + of_two if not wanted or info["name"] in wanted]
        write("\n".join([*map(describe, chosen), *(f"{why}\n" for why in left_open)]), None)
    else:
        defined = [info for info in of_one if info["family"].startswith("Defined in ")]
        built_in = [info for info in of_one if info not in defined]
        lines = [GRAMMAR, *overview(built_in), *overview(defined), COMPARING, *overview(of_two), MORE]
        write("\n".join(lines), None)


def overview(measures: list[MeasureInfo]) -> list[str]:
    """A paragraph for each family, a line for each measure."""
    width = max((len(written(info)) for info in measures), default=0)
    return [
        "\n".join([family, *(f"  {written(info):<{width}}  {info['title']}" for info in members)]) + "\n"
        for family, members in groupby(measures, itemgetter("family"))
    ]


def written(info: MeasureInfo) -> str:
    """A measure's name with its cutoff."""
    of = "(MEASURE)" if ("of", "") in {parameter[:2] for parameter in info["parameters"]} else ""
    return info["name"] + of + SUFFIX[info["cutoff"]]


def describe(info: MeasureInfo) -> str:
    """One measure's entry."""
    lines = [f"{written(info)}: {info['title']}"]

    def add(label: str, text: str) -> None:
        label = f"  {label:<12}" if len(label) < 12 else f"  {label} "
        lines.append(textwrap.fill(text, 118, initial_indent=label, subsequent_indent=" " * 14))

    if info["text"]:
        lines += ["", *textwrap.indent(info["text"], "  ").splitlines(), ""]
    for label, text in (("equation", info["equation"]), ("range", info["range"])):
        if text:
            add(label, text)
    for parameter, default, text in info["parameters"]:
        add(parameter, "; ".join(part for part in (text, default and f"default {default}") if part))
    if info["aliases"]:
        add("also", ", ".join(info["aliases"]))
    if info["reference"]:
        add("reference", info["reference"])
    return "\n".join(lines) + "\n"
