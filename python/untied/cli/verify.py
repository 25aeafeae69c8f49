"""``untied verify``: whether a certificate of ``untied certify`` holds."""

from __future__ import annotations

from untied.cli.options import QRELS, RUNS, Command
from untied.cli.reading import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


EXAMPLES = """\
  untied certify qrels.txt old.run new.run -m P@10 --certificate p10.json
  untied verify p10.json qrels.txt old.run new.run

The exit code is 0 if every claim in the certificate is proved. The exit code is
1 if a claim is not proved, or if an input file has changed. The exit code is 2
if a file cannot be read.

The code that checks certificates is one file of plain Python,
untied/verdicts/verify.py. You can also run this file without untied.
"""


def arguments_parser() -> Command:
    """Make the parser of the command's arguments."""
    made = Command("verify", "Check a certificate of untied certify.", EXAMPLES)
    made.add_argument("certificate", metavar="CERTIFICATE", help="a file that untied certify --certificate wrote")
    made.add_argument("qrels", metavar="QRELS", help=QRELS)
    made.add_argument("runs", metavar="RUN", nargs="+", help=RUNS)
    return made


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    options = parse(arguments_parser(), arguments)
    from untied.verdicts.verify import main as check

    return int(check([options.certificate, options.qrels, *options.runs]))
