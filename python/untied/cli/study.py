"""``untied study``: repeat an experiment; write a tidy table, plots and a summary."""

from __future__ import annotations

import sys
from textwrap import fill
from time import monotonic

from untied import study
from untied.cli import complain
from untied.cli.command import Command, parse
from untied.cli.notes import add
from untied.cli.options import QRELS, RUNS, Arguments, UsageError, inputs_of
from untied.cli.passages import QRELS as JUDGED_PASSAGES
from untied.cli.passages import RUNS as PASSAGES
from untied.cli.rules import Excludes
from untied.inputs.files import QRELS_FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


WIDTH = max(map(len, study.STUDIES))
LISTED = [
    fill(f"{name:<{WIDTH}}  {one.title}", 80, initial_indent="  ", subsequent_indent=" " * (WIDTH + 4))
    for name, one in study.STUDIES.items()
]
USAGE = f"""\
usage: untied study NAME QRELS RUN... -o DIR

Repeat an experiment from the literature on your own judgments and runs. A study
writes tables, plots and a summary to the folder DIR. If a study is interrupted,
run the same command again to continue. The same seed gives the same files.

studies:
{chr(10).join(LISTED)}

options:
  -h, --help  show this help

untied study NAME --help lists the options of a study.
"""


#: Rules on the options of studies.
RULES = {
    "med": (Excludes("--prefix", "--groups"),),
    "passages": (Excludes("--prefix", "--groups"),),
}

#: The options that ``--help`` explains, of studies with many.
COMMON = {
    "med": "-m --distance --rates --groups --plots -o",
    "incomplete": "-m --rates --samples --plots -o",
}

COMMAND = Command("study", "repeat an experiment from the literature on your own data", USAGE, listed_after="sample")


def arguments_parser(name: str) -> Arguments:
    """Make the parser of a study's arguments."""
    one = study.STUDIES[name]
    of_passages = name == "passages"
    files = "judgments.txt *.passages" if of_passages else "qrels.txt *.run"
    seed = " --seed 1" if one.seeded else ""
    examples = f"  untied study {name} {files} -o {name}{seed}\n"
    made = Arguments(f"study {name}", f"{one.title}.", examples)
    made.common = COMMON.get(name, "")
    if of_passages:
        made.add_argument("qrels", metavar="QRELS", help=JUDGED_PASSAGES)
        made.add_argument("runs", metavar="RUN", nargs="+", help=PASSAGES)
    else:
        made.add_argument("qrels", metavar="QRELS", help=QRELS)
        made.add_argument("runs", metavar="RUN", nargs="+", help=RUNS)
        made.group("input").option(
            "--qrels-format",
            "FORMAT",
            f"read judgments in the format auto (default), {', '.join(QRELS_FORMATS[1:-1])} or {QRELS_FORMATS[-1]}",
            choices=QRELS_FORMATS,
            default="auto",
        )
    group = made.group("study")
    one.add_options(group.add_argument)
    if one.seeded:
        group.option("--seed", "N", "set the seed of random samples (default: 0)", type=int, default=0)
    group = made.group("output")
    group.option(
        "-o --output", "DIR", "write results to the folder DIR, and continue an interrupted study in DIR", required=True
    )
    group.option(
        "--plots",
        "FORMAT",
        "write plots as svg (default), png, both or none (plots need matplotlib)",
        choices=study.PLOTS,
        default="svg",
    )
    group.flag("--restart", "start from the beginning, and replace the results in the folder DIR")
    made.add_threads()
    return made


@COMMAND.run
def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    name = arguments[0] if arguments else "--help"
    if name in ("-h", "--help"):
        print(USAGE, end="")
        return 0 if arguments else 2
    if name not in study.STUDIES:
        from untied.cli.usage import meant

        complain(f"unknown study {name!r}{meant(name, study.STUDIES)}")
        print(f"studies: {', '.join(study.STUDIES)}", file=sys.stderr)
        return 2
    made = arguments_parser(name)
    given = parse(made, arguments[1:], RULES.get(name, ()))
    if given.output is None:
        raise UsageError("-o needs a folder: a study writes several files")
    options = vars(given)
    del options["typed"], options["beside"]
    qrels, runs, directory = options.pop("qrels"), options.pop("runs"), options.pop("output")
    inputs_of(qrels, *runs)
    begun = monotonic()
    conducted = getattr(study, name)(qrels, runs, directory, **options)
    add(conducted.notes)
    before = f" ({conducted.kept} parts were already finished)" if conducted.kept else ""
    print(f"{directory}: {', '.join(conducted.files)}; {monotonic() - begun:.1f} s{before}", file=sys.stderr)
    return 0
