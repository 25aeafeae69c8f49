"""``untied study``: runs and qrels in; a tidy table, plots and a summary out."""

from __future__ import annotations

import sys
from time import monotonic

from untied import study
from untied.cli.notes import show
from untied.cli.options import add_threads, inputs_of, parse, parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

WIDTH = max(map(len, study.STUDIES))
USAGE = f"""\
usage: untied study NAME QRELS RUN... -o DIR

Repeat an experiment on judgments and runs of your own: a tidy table, plots and a summary are written to DIR.
What was interrupted goes on where it was. Equal seeds give equal files.

studies:
{chr(10).join(f"  {name:<{WIDTH}}  {one.title[0].lower()}{one.title[1:]}" for name, one in study.STUDIES.items())}

options:
  -h, --help  show this help; untied study NAME --help that of a study
"""


def arguments_parser(name: str) -> argparse.ArgumentParser:
    """Make the parser of a study's arguments."""
    one = study.STUDIES[name]
    seed = " --seed 1" if one.seeded else ""
    made = parser(f"study {name}", f"{one.title}.", f"  untied study {name} qrels.txt *.run -o {name}{seed}\n")
    add = made.add_argument
    add("qrels", metavar="QRELS", help="judgments, as for untied eval")
    add("runs", metavar="RUN", nargs="+", help="runs, as for untied eval")
    add("-o", "--output", metavar="DIR", required=True, help="folder to write to; a study begun there goes on")
    one.add_options(add)
    if one.seeded:
        add("--seed", metavar="N", type=int, default=0, help="another number gives other samples (default: 0)")
    add("--qrels-format", metavar="FORMAT", default="auto", help="as for eval")
    add("--plots", choices=study.PLOTS, default="svg", help="files of plots (default: svg); they need matplotlib")
    add("--restart", action="store_true", help="compute all anew, whatever the folder holds")
    add_threads(made)
    return made


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    name = arguments[0] if arguments else "--help"
    if name in ("-h", "--help"):
        print(USAGE, end="")
        return 0 if arguments else 2
    if name not in study.STUDIES:
        print(f"untied: unknown study {name!r}; there are {', '.join(study.STUDIES)}", file=sys.stderr)
        return 2
    options = vars(parse(arguments_parser(name), arguments[1:]))
    qrels, runs, directory = options.pop("qrels"), options.pop("runs"), options.pop("output")
    inputs_of(qrels, *runs)
    begun = monotonic()
    found = getattr(study, name)(qrels, runs, directory, **options)
    show(found.notes)
    before = f" ({found.kept} parts were there)" if found.kept else ""
    print(f"{directory}: {', '.join(found.files)}; {monotonic() - begun:.1f} s{before}", file=sys.stderr)
    return 0
